"""`/mcp` of the server, and the SDK's server behind it: tokens, both eras, nothing of another agent."""

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import anyio
import pytest
from tests.mcp_server.talking import agents, envelope, opened

pytest.importorskip("mcp")
pytest.importorskip("fastapi")

import httpx  # only where the extras are installed
from mcp.client import Client
from mcp.client.streamable_http import streamable_http_client
from mcp.types import ElicitResult

from scrimshaw.mcp_server.calls import MemoryTools
from scrimshaw.mcp_server.http import server_of
from scrimshaw.web.agents import Agents
from scrimshaw.web.app import make_app
from scrimshaw.web.tokens import TokenBook, TokenScope

_ERAS = ["legacy", "2026-07-28", "auto"]
_BASE = "http://localhost:18892"


class Web:
    """The server's application, its tokens, and a client that asks it in this process."""

    def __init__(self, folder: Path) -> None:
        self.home = agents(folder)
        env = {"HOME": str(folder), "SCRIMSHAW_TIMEZONE": "UTC", "SCRIMSHAW_EMBEDDINGS": "off"}
        self.app = make_app(self.home, env=env, clock=lambda: datetime.now(UTC))
        here = Agents(self.home, env)
        self._book = TokenBook(here.folder, here.settings(), env)

    def token(self, *names: str, scope: str = "write") -> str:
        return self._book.issue(names or ("albert",), TokenScope(scope), None)[0]

    def http(self, token: str | None) -> httpx.AsyncClient:
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        through = httpx.ASGITransport(self.app, client=("127.0.0.1", 5000))
        return httpx.AsyncClient(transport=through, base_url=_BASE, headers=headers)

    def post(
        self, token: str | None, told: Any, path: str = "/mcp", method: str = "POST", **headers: str
    ) -> httpx.Response:
        accept = {"Accept": "application/json, text/event-stream"}

        async def once() -> httpx.Response:
            async with self.http(token) as client:
                body = told if isinstance(told, bytes) else json.dumps(told).encode()
                return await client.request(
                    method,
                    path,
                    content=body,
                    headers={"Content-Type": "application/json", **accept, **headers},
                )

        return anyio.run(once)


@pytest.fixture
def web(tmp_path: Path) -> Web:
    return Web(tmp_path)


def _request(method: str, **params: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}


async def _everything(client: Client) -> dict[str, Any]:
    """Use every tool and resource; return what was told, by name."""
    told: dict[str, Any] = {"tools": [tool.name for tool in (await client.list_tools()).tools]}
    found = await client.call_tool("memory_search", {"query": "Postgres ledger"})
    id_ = found.structured_content["results"][0]["id"]
    for name, arguments in {
        "memory_get": {"ids": [id_]},
        "memory_context": {"query": "the ledger"},
        "memory_why": {"id": id_},
        "memory_status": {},
        "memory_write": {"text": "Ada reviews the parser"},
        "memory_forget": {"id": id_},
    }.items():
        result = await client.call_tool(name, arguments)
        assert not result.is_error, result
        told[name] = result.structured_content
    told["uris"] = [str(one.uri) for one in (await client.list_resources()).resources]
    told["section"] = (await client.read_resource(told["uris"][0])).contents[0].text
    return told


async def _says_yes(_context: Any, _params: Any) -> ElicitResult:
    return ElicitResult(action="accept", content={"forget": True})


@pytest.mark.parametrize(
    ("era", "scope", "outcome"),
    [
        # Nothing is kept between two requests, so the older era's clients cannot be asked back.
        ("legacy", "owner", "refused"),
        ("2026-07-28", "owner", "forgotten"),
        ("auto", "owner", "forgotten"),
        ("2026-07-28", "write", "refused"),  # the token may not do what the person alone does
    ],
)
def test_the_sdks_client_does_everything_over_http(web: Web, era: str, scope: str, outcome: str) -> None:
    async def talks() -> dict[str, Any]:
        async with web.http(web.token(scope=scope)) as http:
            transport = streamable_http_client(f"{_BASE}/mcp", http_client=http)
            async with Client(transport, mode=era, elicitation_callback=_says_yes) as client:
                return await _everything(client)

    told = anyio.run(talks)

    assert len(told["tools"]) == 7
    assert told["memory_write"]["outcome"] == "noted"
    assert "No meetings on Fridays" in told["section"]
    assert told["memory_forget"]["outcome"] == outcome


@pytest.mark.parametrize("era", _ERAS)
def test_the_sdks_client_does_everything_in_memory(tmp_path: Path, era: str) -> None:
    tools = MemoryTools(lambda: opened(agents(tmp_path)))

    async def talks() -> dict[str, Any]:
        server = server_of(lambda _: tools)
        async with Client(server, mode=era, elicitation_callback=_says_yes) as client:
            return await _everything(client)

    told = anyio.run(talks)
    tools.close()

    assert told["memory_write"]["outcome"] == "noted"
    assert told["memory_why"]["line"]["text"] == "The ledger runs on Postgres 17.2"


def test_without_a_token_that_holds_nothing_is_told(web: Web) -> None:
    for token in (None, "no.such.token"):
        answer = web.post(token, _request("tools/list", _meta=envelope()))

        assert answer.status_code == 401
        assert "memory_search" not in answer.text
    assert web.post(web.token(), _request("tools/list")).status_code == 200


def test_a_token_that_reads_gets_the_tools_that_read(web: Web) -> None:
    reads = web.token(scope="read")

    listed = web.post(reads, _request("tools/list")).json()["result"]["tools"]
    note = {"name": "memory_write", "arguments": {"text": "Ada reviews the parser"}}
    refused = web.post(reads, _request("tools/call", **note)).json()

    assert len(listed) == 5
    assert refused["error"]["code"] == -32602


def test_a_token_that_writes_cannot_say_the_persons_yes(web: Web) -> None:
    """A program says itself that it can ask, and what the person has answered."""
    with opened(web.home) as memory:
        id_ = memory.search("Postgres").hits[0][0].line.observation.id
    writes, owns = web.token(), web.token(scope="owner")

    def forget(token: str, **brought: Any) -> dict[str, Any]:
        call = {"_meta": envelope(can_ask=True), "name": "memory_forget", "arguments": {"id": id_}}
        headers = {"MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/call", "Mcp-Name": call["name"]}
        told = web.post(token, _request("tools/call", **call, **brought), **headers)
        return dict(told.json()["result"])

    state = forget(owns)["requestState"]
    yes = {"confirm": {"action": "accept", "content": {"forget": True}}}
    told = [forget(writes), forget(writes, inputResponses=yes, requestState=state)]

    assert [one["structuredContent"]["outcome"] for one in told] == ["refused"] * 2
    with opened(web.home) as memory:
        assert len(memory.search("Postgres").hits) == 1
    assert forget(owns, inputResponses=yes, requestState=state)["structuredContent"]["outcome"] == "forgotten"


def test_a_no_to_a_question_of_another_tool_is_no_answer_of_this_one(web: Web) -> None:
    with opened(web.home) as memory:
        id_ = memory.search("Postgres").hits[0][0].line.observation.id
    owns = web.token(scope="owner")

    def call(name: str, arguments: dict[str, str], **brought: Any) -> dict[str, Any]:
        asked = {"_meta": envelope(can_ask=True), "name": name, "arguments": arguments}
        headers = {"MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/call", "Mcp-Name": name}
        told = web.post(owns, _request("tools/call", **asked, **brought), **headers)
        return dict(told.json()["result"])

    brought = {
        "requestState": call("memory_forget", {"id": id_})["requestState"],
        "inputResponses": {"confirm": {"action": "decline"}},
    }

    assert call("memory_search", {"query": "Postgres"}, **brought)["structuredContent"]["results"]
    assert call("memory_forget", {"id": id_}, **brought)["structuredContent"]["outcome"] == "declined"


def test_a_token_sees_its_own_agents_and_no_other(web: Web) -> None:
    with opened(web.home, "berta") as memory:
        memory.add("The safe code is in the blue book", author="person")
    search = _request("tools/call", name="memory_search", arguments={"query": "safe code blue book"})

    own = web.post(web.token(), search)
    foreign = web.post(web.token(), search, "/mcp?agent=berta")
    both = web.token("albert", "berta")
    named = web.post(both, search, "/mcp?agent=berta")

    assert "blue book" not in own.text.replace("safe code blue book", "")
    assert foreign.status_code == 403
    assert web.post(both, search).status_code == 400
    assert "The safe code is in the blue book" in named.text


def test_there_is_nothing_to_get_and_web_pages_are_kept_out(web: Web) -> None:
    token = web.token()

    async def asks(**headers: str) -> int:
        async with web.http(token) as client:
            told = _request("tools/list")
            return (await client.post("/mcp", json=told, headers=headers)).status_code

    assert web.post(token, {}, method="GET").status_code == 405
    assert web.post(token, {}, method="DELETE").status_code == 405
    assert anyio.run(lambda: asks(Origin="http://evil.example")) == 403
    assert anyio.run(lambda: asks(Origin="http://localhost:1")) == 403
    assert anyio.run(lambda: asks(Origin=_BASE)) == 200
    assert anyio.run(lambda: asks(Host="evil.example")) == 421


def test_a_spoiled_body_gets_an_error_and_the_next_is_answered(web: Web) -> None:
    token = web.token()
    spoiled = [
        b"",
        b"junk",
        b"[]",
        b"7",
        b"\xff",
        b'{"jsonrpc": "2.0", "id": 1, "method": 7}',
        b"[" * 100_000,
    ]

    codes = [web.post(token, body).status_code for body in spoiled]

    assert all(400 <= code < 500 for code in codes), codes
    assert web.post(token, _request("tools/list")).status_code == 200


def test_an_agent_that_is_not_there_is_an_error_and_is_not_made(web: Web) -> None:
    token = web.token("*")
    search = _request("tools/call", name="memory_search", arguments={"query": "Postgres"})
    note = _request("tools/call", name="memory_write", arguments={"text": "Ada reviews the parser"})

    for asked in (search, note):
        told = web.post(token, asked, "/mcp?agent=nobody9").json()["result"]
        assert told["isError"]
        assert "There is no agent nobody9 here" in told["content"][0]["text"]
    assert not (web.home / "nobody9").exists()
