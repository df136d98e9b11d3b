"""Many servers write to one memory at once, and nothing that was said to be noted is lost."""

import json
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from tests.mcp_server.talking import Talk, agents, opened

_PROCESSES = 8
_EACH = 1_000 if os.environ.get("SCRIMSHAW_HYPOTHESIS") == "thorough" else 100  # scripts/test-long
_IN_ONE_MESSAGE = 20
_WORDS = "We keep crate {} in the store"


def _writes(home: Path, texts: list[str]) -> list[dict[str, Any]]:
    """Start a server, have it note *texts* one after the other, and return what it answered."""
    environment = {**os.environ, "HOME": str(home.parent), "SCRIMSHAW_TIMEZONE": "UTC"}
    command = [sys.executable, "-m", "scrimshaw", "mcp", "--home", str(home), "--agent", "albert"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment) as server:
        assert server.stdin
        assert server.stdout
        client = {
            "protocolVersion": "2025-11-25",
            "capabilities": {},
            "clientInfo": {"name": "t", "version": "1"},
        }
        calls = [("initialize", client)]
        calls += [("tools/call", {"name": "memory_write", "arguments": {"text": text}}) for text in texts]
        answers = []
        for number, (method, params) in enumerate(calls):
            message = {"jsonrpc": "2.0", "id": number, "method": method, "params": params}
            server.stdin.write(json.dumps(message).encode() + b"\n")
            server.stdin.flush()
            answers.append(json.loads(server.stdout.readline()))
        server.stdin.close()
    return [answer["result"] for answer in answers[1:]]


def _noted_by_all(folder: Path, each: int) -> None:
    home = agents(folder)
    codes = [f"K{number:05d}" for number in range(_PROCESSES * each)]
    with opened(home) as memory:
        for at in range(0, len(codes), _IN_ONE_MESSAGE):
            said = ", ".join(codes[at : at + _IN_ONE_MESSAGE])
            memory.add_message(f"We keep the crates {said} in the store.", thread_id="t2")
    shares = [[_WORDS.format(code) for code in codes[at::_PROCESSES]] for at in range(_PROCESSES)]
    with ThreadPoolExecutor(_PROCESSES) as pool:
        answers = [answer for share in pool.map(_writes, [home] * _PROCESSES, shares) for answer in share]

    assert [answer for answer in answers if answer.get("isError")] == []
    noted = [answer["structuredContent"]["id"] for answer in answers]
    assert len(set(noted)) == _PROCESSES * each
    with opened(home) as memory:
        assert memory.get(noted).missing == ()


def test_eight_servers_write_at_once_and_nothing_is_lost(tmp_path: Path) -> None:
    _noted_by_all(tmp_path, 20)


@pytest.mark.slow
def test_eight_servers_write_many_lines_each_and_nothing_is_lost(tmp_path: Path) -> None:
    _noted_by_all(tmp_path, _EACH)


def test_a_line_that_is_gone_would_be_missed(tmp_path: Path) -> None:
    home = agents(tmp_path)
    talk = Talk(home)
    talk.shake_hands()
    noted = talk.told("memory_write", text="Ada reviews the parser")["id"]
    with opened(home) as memory:
        memory.forget(memory.plan_forget(noted))

        assert memory.get([noted]).missing == (noted,)
