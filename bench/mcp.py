"""How soon the MCP server on stdio shows its tools, from a cold start (`python -m bench mcp`).

A host starts the process, greets it and asks for the tools; the clock stops when they are there. Beside it,
in the same rounds: Python doing nothing, and Python importing the protocol's own library, with which a server
built on it begins. Then each tool once warm, over 1,000 lines, on a connection that stays; and what the tools
cost a prompt, counted by the extra `tokens`.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from bench.report import Column, Goal, Report, Table, options, publish
from scrimshaw import Memory
from scrimshaw.mcp_server.tools import list_tools

if TYPE_CHECKING:
    from collections.abc import Iterator

_ROUNDS = 15
_LINES = 1_000
_MOST_SECONDS = 0.5
_MOST_TOKENS = 1_200
_CLIENT = {
    "protocolVersion": "2025-11-25",
    "capabilities": {},
    "clientInfo": {"name": "bench", "version": "1"},
}
_NOTES = ("The goal is half a second; the ratios hold on another machine.",)


def main(arguments: Sequence[str]) -> int:
    """Measure, and print the report."""
    parser = options("mcp", __doc__, data=False)
    parser.add_argument("--rounds", type=int, default=_ROUNDS, help=f"({_ROUNDS})")
    given = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder) / "agents"
        _fill(home)
        starts = _starts(home, given.rounds)
        calls = _calls(home, given.rounds)
    bare = starts["python -c pass"]
    columns = (
        Column("start"),
        Column("median s", ".3f"),
        Column("worst s", ".3f"),
        Column("times python", ".1f"),
    )
    rows: list[tuple[object, ...]] = [
        (name, statistics.median(took), max(took), statistics.median(took) / statistics.median(bare))
        for name, took in starts.items()
    ]
    asked: list[tuple[object, ...]] = [
        (name, statistics.median(took) * 1_000, max(took) * 1_000) for name, took in calls.items()
    ]
    found = statistics.median(starts["first tools/list"])
    return publish(
        Report(
            "mcp",
            (
                Table("From the start of the process", columns, rows),
                Table(
                    f"A call on a warm connection, {_LINES:,} lines",
                    (Column("tool"), Column("median ms", ".1f"), Column("worst ms", ".1f")),
                    asked,
                ),
            ),
            goals=(
                Goal("first tools/list", f"≤ {_MOST_SECONDS} s", f"{found:.2f} s", found <= _MOST_SECONDS),
                Goal(
                    "names, descriptions and input schemas",
                    f"≤ {_MOST_TOKENS:,} tokens",
                    f"{(tokens := _tokens()):,}",
                    0 < tokens <= _MOST_TOKENS,
                ),
            ),
            notes=_NOTES,
        ),
        given,
    )


def _tokens() -> int:
    """Return what the tools take of a prompt; 0 where nothing here counts tokens."""
    try:
        import toktok
    except ImportError:
        return 0
    shown = [
        {name: tool[name] for name in ("name", "description", "inputSchema")}
        for tool in list_tools(read_only=False)
    ]
    counts: list[int] = toktok.batch_count([json.dumps(tool) for tool in shown], "o200k_base", 1)
    return sum(counts)


def _fill(home: Path) -> None:
    with Memory.open(home=home, agent="bench") as memory:
        for number in range(_LINES):
            memory.store(f"Machine {number} stands in hall {number % 40} and is team {number % 7}'s")


def _starts(home: Path, rounds: int) -> dict[str, list[float]]:
    took: dict[str, list[float]] = {"python -c pass": [], "first tools/list": [], "import of the SDK": []}
    for _ in range(rounds):
        took["python -c pass"].append(_run("pass"))
        took["import of the SDK"].append(_run("import mcp.server"))
        began = time.perf_counter()
        with _server(home) as (told, answers):
            _ask(told, answers, "initialize", _CLIENT)
            _ask(told, answers, "tools/list", {})
            took["first tools/list"].append(time.perf_counter() - began)
    return took


def _calls(home: Path, rounds: int) -> dict[str, list[float]]:
    took: dict[str, list[float]] = {}
    calls: dict[str, dict[str, Any]] = {
        "memory_search": {"query": "machine in hall 12 of team 3"},
        "memory_context": {"query": "hall 12"},
        "memory_status": {},
    }
    with _server(home) as (told, answers):
        _ask(told, answers, "initialize", _CLIENT)
        for at in range(rounds + 1):
            for name, arguments in calls.items():
                began = time.perf_counter()
                answer = _ask(told, answers, "tools/call", {"name": name, "arguments": arguments})
                assert not answer["result"].get("isError"), answer
                if at:  # the first loads what the others use
                    took.setdefault(name, []).append(time.perf_counter() - began)
    return took


def _run(code: str) -> float:
    began = time.perf_counter()
    subprocess.run([sys.executable, "-c", code], check=True)
    return time.perf_counter() - began


@contextmanager
def _server(home: Path) -> Iterator[tuple[IO[bytes], IO[bytes]]]:
    command = [str(Path(sys.executable).parent / "scrimshaw"), "mcp", "--home", str(home), "--agent", "bench"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=os.environ) as process:
        assert process.stdin
        assert process.stdout
        yield process.stdin, process.stdout


def _ask(told: IO[bytes], answers: IO[bytes], method: str, params: dict[str, Any]) -> dict[str, Any]:
    told.write(json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).encode() + b"\n")
    told.flush()
    answer: dict[str, Any] = json.loads(answers.readline())
    return answer
