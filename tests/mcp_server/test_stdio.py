"""The command `mcp` as hosts start it: a process of its own, and the SDK's client at the other end."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any, Literal

import anyio
import pytest
from tests.mcp_server.talking import agents, opened

mcp = pytest.importorskip("mcp")

from mcp.client import Client  # noqa: E402  # only where the SDK is installed
from mcp.client.stdio import StdioServerParameters, stdio_client  # noqa: E402
from mcp.types import ElicitResult  # noqa: E402

Era = Literal["legacy", "2026-07-28", "auto"]
_ERAS: list[Era] = ["legacy", "2026-07-28", "auto"]


def _parameters(home: Path, *options: str) -> StdioServerParameters:
    environment = {
        **os.environ,
        "HOME": str(home.parent),
        "SCRIMSHAW_TIMEZONE": "UTC",
        "SCRIMSHAW_EMBEDDINGS": "off",
    }
    words = ["-m", "scrimshaw", "mcp", "--home", str(home), "--agent", "albert", *options]
    return StdioServerParameters(command=sys.executable, args=words, env=environment)


@pytest.mark.parametrize("era", _ERAS)
def test_the_sdks_client_does_everything_in_both_eras(tmp_path: Path, era: Era) -> None:
    home = agents(tmp_path)
    asked: list[str] = []

    async def says_yes(_: Any, params: Any) -> ElicitResult:
        asked.append(params.message)
        return ElicitResult(action="accept", content={"forget": True})

    async def talks() -> dict[str, Any]:
        told: dict[str, Any] = {}
        transport = stdio_client(_parameters(home))
        async with Client(
            transport, mode=era, elicitation_callback=says_yes, read_timeout_seconds=60
        ) as client:
            told["server"] = client.server_info.name if client.server_info else ""
            told["tools"] = [tool.name for tool in (await client.list_tools()).tools]
            found = await client.call_tool("memory_search", {"query": "Postgres ledger"})
            told["found"] = found.structured_content
            told["written"] = (
                await client.call_tool("memory_write", {"text": "Ada reviews the parser"})
            ).structured_content
            resources = (await client.list_resources()).resources
            section = await client.read_resource(str(resources[0].uri))
            told["section"] = section.contents[0].text
            templates = await client.list_resource_templates()
            told["templates"] = [one.uri_template for one in templates.resource_templates]
            id_ = told["found"]["results"][0]["id"]
            for name, arguments in {
                "memory_get": {"ids": [id_]},
                "memory_context": {"query": "the ledger"},
                "memory_why": {"id": id_},
                "memory_status": {},
                "memory_forget": {"id": id_},
            }.items():
                result = await client.call_tool(name, arguments)
                assert not result.is_error, result
                told[name] = result.structured_content
        return told

    told = anyio.run(talks)

    assert told["server"] == ("" if era == "2026-07-28" else "scrimshaw")  # else nobody has asked for it
    assert len(told["tools"]) == 7
    assert told["found"]["results"][0]["text"] == "The ledger runs on Postgres 17.2"
    assert told["written"]["outcome"] == "noted"
    assert "No meetings on Fridays" in told["section"]
    assert told["templates"] == ["scrimshaw://day/{date}"]
    assert told["memory_forget"] == {"outcome": "forgotten", "count": 1}
    assert len(asked) == 1
    assert "Postgres 17.2" in asked[0]
    with opened(home) as memory:
        assert memory.search("Postgres").hits == ()


def test_nothing_but_messages_reaches_the_output_and_a_kill_loses_nothing(tmp_path: Path) -> None:
    home = agents(tmp_path)
    parameters = _parameters(home)
    client = {
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": {"name": "t", "version": "1"},
    }
    note = {"name": "memory_write", "arguments": {"text": "Ada reviews the parser"}}
    lines = [
        json.dumps({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": client}),
        "no message at all",
        json.dumps({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": note}),
    ]
    with subprocess.Popen(
        [parameters.command, *parameters.args],
        env=parameters.env,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as server:
        assert server.stdin
        assert server.stdout
        server.stdin.write("\n".join([*lines, ""]).encode())
        server.stdin.flush()
        answers = [json.loads(server.stdout.readline()) for _ in lines]
        server.kill()

    id_ = {answer["id"]: answer for answer in answers}[2]["result"]["structuredContent"]["id"]
    with opened(home) as memory:
        assert memory.get([id_]).missing == ()


def test_a_command_that_is_typed_wrong_says_so_and_ends(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "scrimshaw", "mcp", "--agents", "albert"],
        env={**os.environ, "HOME": str(tmp_path)},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == 2
    assert done.stdout == ""
    assert "--agents" in done.stderr


def test_listing_the_tools_loads_neither_the_sdk_nor_the_ledger() -> None:
    lines = (
        '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25",'
        '"capabilities":{},"clientInfo":{"name":"t","version":"1"}}}\n{"jsonrpc":"2.0","id":2,"method":"tools/list"}\n'
    )
    code = (
        "import io, sys\n"
        "from scrimshaw.cli import mcp\n"
        "from scrimshaw.mcp_server.calls import MemoryTools\n"
        "from scrimshaw.mcp_server.stdio import serve_on\n"
        "out = io.BytesIO()\n"
        f"serve_on(MemoryTools(lambda: None), io.BytesIO({lines.encode()!r}), out)\n"
        "print(out.getvalue().count(b'memory_why'))\n"
        "print(sorted({'mcp', 'mcp_types', 'anyio', 'tantivy', 'numpy'} & sys.modules.keys()))\n"
    )

    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert done.stdout.splitlines() == ["1", "[]"]


def test_an_agent_that_is_not_there_is_an_error_and_is_not_made(tmp_path: Path) -> None:
    home = agents(tmp_path)
    note = {"name": "memory_write", "arguments": {"text": "Ada reviews the parser"}}
    search = {"name": "memory_search", "arguments": {"query": "Postgres"}}
    client = {
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": {"name": "t", "version": "1"},
    }
    asked = (
        {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": client},
        {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": search},
        {"jsonrpc": "2.0", "id": 3, "method": "tools/call", "params": note},
    )
    done = subprocess.run(
        [sys.executable, "-m", "scrimshaw", "mcp", "--home", str(home), "--agent", "nope"],
        env=_parameters(home).env,
        input="".join(json.dumps(one) + "\n" for one in asked),
        capture_output=True,
        text=True,
        check=True,
    )
    answers = {one["id"]: one for one in map(json.loads, done.stdout.splitlines())}
    for answer in (answers[2]["result"], answers[3]["result"]):
        assert answer["isError"]
        assert "This server's memory cannot be opened" in answer["content"][0]["text"]
    assert f"There is no agent nope in {home}" in done.stderr
    assert not (home / "nope").exists()


def test_why_a_memory_cannot_be_opened_is_on_the_error_output_before_anybody_asks(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "scrimshaw", "mcp", "--workspace", str(tmp_path / "nowhere")],
        env={**os.environ, "HOME": str(tmp_path)},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=True,
    )

    assert done.stdout == ""
    assert "mcp: the memory cannot be opened:" in done.stderr
    assert str(tmp_path / "nowhere") in done.stderr
