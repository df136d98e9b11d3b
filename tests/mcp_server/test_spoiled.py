"""Whatever a client sends, the server answers or keeps quiet, and goes on."""

import io
import json
import random
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.mcp_server.talking import Talk, agents, envelope

from scrimshaw.mcp_server.calls import MemoryTools
from scrimshaw.mcp_server.protocol import MOST_LINE_BYTES
from scrimshaw.mcp_server.stdio import serve_on

_PING = b'{"jsonrpc":"2.0","id":"last","method":"ping"}\n'
_CLIENT = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}
_PARSE, _INVALID, _NO_METHOD, _PARAMS, _VERSION = -32700, -32600, -32601, -32602, -32022


@pytest.fixture(scope="module")
def talk(tmp_path_factory: pytest.TempPathFactory) -> Talk:
    made = Talk(agents(tmp_path_factory.mktemp("mcp")))
    made.shake_hands()
    return made


def _request(**parts: Any) -> str:
    return json.dumps({"jsonrpc": "2.0", "id": 900, **parts})


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("junk", _PARSE),
        ('{"jsonrpc": "2.0", "id": 1, "method": ', _PARSE),
        (b'{"jsonrpc": "2.0", "id": "\xff"}', _PARSE),
        ("[" * 100_000, _PARSE),
        ('{"a":' * 100_000, _PARSE),
        ("NaN", _PARSE),
        ("[]", _INVALID),
        (f"[{_request(method='ping')}]", _INVALID),
        ("7", _INVALID),
        ("null", _INVALID),
        ('"ping"', _INVALID),
        ("{}", _INVALID),
        ('{"jsonrpc": "1.0", "id": 1, "method": "ping"}', _INVALID),
        ('{"jsonrpc": "2.0", "id": null, "method": "ping"}', _INVALID),
        ('{"jsonrpc": "2.0", "id": true, "method": "ping"}', _INVALID),
        ('{"jsonrpc": "2.0", "id": 1.5, "method": "ping"}', _INVALID),
        ('{"jsonrpc": "2.0", "id": [1], "method": "ping"}', _INVALID),
        ('{"jsonrpc": "2.0", "id": 1, "method": 7}', _INVALID),
        ('{"jsonrpc": "2.0", "id": 1}', _INVALID),
        (_request(method="ping", params=[1]), _PARAMS),
        (_request(method="no/such/method"), _NO_METHOD),
        (_request(method="prompts/list"), _NO_METHOD),
        (_request(method="server/discover"), _NO_METHOD),
        (_request(method="ping", params={"_meta": envelope()}), _NO_METHOD),
        (_request(method="tools/list", params={"cursor": "further"}), _PARAMS),
        (_request(method="tools/list", params={"_meta": envelope(version="2099-01-01")}), _VERSION),
        (
            _request(method="tools/list", params={"_meta": {"io.modelcontextprotocol/protocolVersion": 7}}),
            _PARAMS,
        ),
        (_request(method="tools/call", params={}), _PARAMS),
        (_request(method="tools/call", params={"name": "rm"}), _PARAMS),
        (_request(method="tools/call", params={"name": ["memory_search"]}), _PARAMS),
        (_request(method="tools/call", params={"name": "memory_search", "arguments": "x"}), _PARAMS),
        (_request(method="resources/read", params={"uri": 7}), _PARAMS),
        (_request(method="initialize", params={}), _PARAMS),
        (_request(method="initialize", params={"protocolVersion": "2025-11-25"}), _PARAMS),
    ],
)
def test_a_spoiled_line_gets_an_error_and_no_more(talk: Talk, line: bytes | str, code: int) -> None:
    answers = talk.line(line)

    assert [answer["error"]["code"] for answer in answers] == [code]
    assert talk.line(_PING)[0]["result"] == {}


@pytest.mark.parametrize("query", ["Postgres \\ud83d", "\\uDE00 Postgres", "Postgres \\ud83d\\ude00"])
def test_half_a_character_in_a_request_does_not_keep_its_answer_back(talk: Talk, query: str) -> None:
    line = (
        '{"jsonrpc":"2.0","id":43,"method":"tools/call","params":{"name":"memory_search","arguments":{"query":"'
        + query
        + '"}}}'
    )

    (answer,) = talk.line(line)

    assert answer["id"] == 43
    assert "Postgres" in answer["result"]["structuredContent"]["results"][0]["text"]


@pytest.mark.parametrize("more", ["NaN", '"\t"', "1e999", "[" * 100_000])
def test_half_a_character_makes_no_other_line_json(talk: Talk, more: str) -> None:
    (answer,) = talk.line(
        '{"jsonrpc":"2.0","id":44,"method":"ping","params":{"a":"\\ud83d","b":' + more + "}}"
    )

    assert answer["error"]["code"] == _PARSE


@pytest.mark.parametrize(
    "line",
    [
        '{"jsonrpc": "2.0", "method": "notifications/nothing"}',
        '{"jsonrpc": "2.0", "method": "notifications/cancelled"}',
        '{"jsonrpc": "2.0", "method": "notifications/cancelled", "params": [1]}',
        '{"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": {"a": 1}}}',
        '{"jsonrpc": "2.0", "method": "tools/call", "params": {"name": "memory_status"}}',
        '{"jsonrpc": "2.0", "id": "scrimshaw-1", "result": {"action": "accept"}}',
        '{"jsonrpc": "2.0", "id": 7, "error": {"code": 1, "message": "no"}}',
    ],
)
def test_what_wants_no_answer_gets_none(talk: Talk, line: str) -> None:
    assert talk.line(line) == []


def test_nothing_is_answered_before_the_client_says_how_it_speaks(tmp_path: Path) -> None:
    fresh = Talk(tmp_path)

    assert fresh.ask("tools/list")["error"]["code"] == _PARAMS
    assert fresh.ask("ping")["result"] == {}
    assert len(fresh.ask("tools/list", _meta=envelope())["result"]["tools"]) == 7
    assert len(fresh.shake_hands()["capabilities"]) == 2
    assert len(fresh.ask("tools/list")["result"]["tools"]) == 7


@pytest.mark.parametrize(
    ("asked", "given"),
    [
        ("2024-11-05", "2024-11-05"),
        ("2025-06-18", "2025-06-18"),
        ("2026-07-28", "2025-11-25"),
        ("x", "2025-11-25"),
    ],
)
def test_a_handshake_agrees_on_a_version_that_has_one(tmp_path: Path, asked: str, given: str) -> None:
    talk = Talk(tmp_path)

    assert talk.shake_hands(asked)["protocolVersion"] == given
    has_schemas = "outputSchema" in talk.ask("tools/list")["result"]["tools"][0]
    assert has_schemas == (given >= "2025-06-18")


_json = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=10), inner, max_size=3),
    max_leaves=10,
)
_name = st.sampled_from(
    ["initialize", "ping", "tools/list", "tools/call", "resources/read", "server/discover", "x"]
)
_params = st.fixed_dictionaries(
    {},
    optional={
        "name": st.sampled_from(
            ["memory_search", "memory_get", "memory_why", "memory_write", "memory_forget"]
        )
        | _json,
        "arguments": st.dictionaries(st.sampled_from(["query", "ids", "id", "text", "limit", "since"]), _json)
        | _json,
        "uri": st.text(max_size=30) | _json,
        "_meta": st.just(envelope(can_ask=True)) | _json,
        "inputResponses": _json,
        "requestState": _json,
    },
)


@settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(method=_name | _json, params=_params | _json, id_=st.integers() | st.text(max_size=5) | _json)
def test_no_message_is_a_defect(talk: Talk, method: Any, params: Any, id_: Any) -> None:
    line = json.dumps({"jsonrpc": "2.0", "id": id_, "method": method, "params": params})

    answers = talk.line(line)

    assert len(answers) == 1
    assert answers[0].get("error", {}).get("code") != -32603
    json.dumps(answers)


@settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(line=st.binary(max_size=200).filter(lambda line: b"\n" not in line))
def test_no_bytes_are_a_defect(talk: Talk, line: bytes) -> None:
    assert len(talk.line(line)) <= 1


def _served(folder: Path, *lines: bytes) -> list[dict[str, Any]]:
    """Serve *lines* on streams, and return the answers."""
    outgoing = io.BytesIO()
    talk = Talk(agents(folder))
    serve_on(MemoryTools(lambda: talk.tools.memory), io.BytesIO(b"".join(lines)), outgoing)
    return [json.loads(line) for line in outgoing.getvalue().splitlines()]


def test_a_line_of_any_length_is_refused_and_the_next_is_answered(tmp_path: Path) -> None:
    long = _request(
        method="tools/call", params={"name": "memory_write", "arguments": {"text": "x" * MOST_LINE_BYTES}}
    )

    answers = _served(
        tmp_path, long.encode() * 3 + b"\n", b"\n", b"x" * (MOST_LINE_BYTES - 1) + b"\n", _PING, long.encode()
    )

    assert [answer.get("error", {}).get("code") for answer in answers] == [_INVALID, _PARSE, None, _INVALID]


def test_what_was_asked_before_the_input_ended_is_answered_in_order(tmp_path: Path) -> None:
    texts = ["Ada reviews the parser", "The parser ships on 2026-12-03"]
    calls = [("initialize", _CLIENT)]
    calls += [("tools/call", {"name": "memory_write", "arguments": {"text": text}}) for text in texts]
    calls += [("tools/call", {"name": "memory_search", "arguments": {"query": "parser"}})]
    lines = [_request(method=method, params=params, id=at) for at, (method, params) in enumerate(calls)]

    answers = _served(tmp_path, *(line.encode() + b"\n" for line in lines))

    assert [answer["id"] for answer in answers] == [0, 1, 2, 3]
    found = answers[3]["result"]["structuredContent"]["results"]
    assert {line["text"] for line in found} == set(texts)


def test_a_defect_in_a_tool_is_told_by_its_place_and_the_server_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def breaks(*_: object) -> None:
        raise ZeroDivisionError("what the person said in private")

    monkeypatch.setattr(MemoryTools, "_status", breaks)
    call = _request(method="tools/call", params={"name": "memory_status"}, id=1)
    start = _request(method="initialize", params=_CLIENT, id=0)

    answers = _served(tmp_path, start.encode() + b"\n", call.encode() + b"\n", _PING)
    by_id = {answer["id"]: answer for answer in answers}

    assert by_id[1]["error"]["code"] == -32603
    assert by_id["last"]["result"] == {}
    assert "ZeroDivisionError" in caplog.text
    assert "in private" not in caplog.text + json.dumps(answers)


def test_an_id_twice_and_too_many_at_once_are_refused(tmp_path: Path) -> None:
    talk = Talk(tmp_path)
    works: list[Any] = []
    talk.connection._queues = lambda _, work: works.append(work)  # work that never gets done
    talk.shake_hands()

    told = [
        talk.line(_request(method="tools/call", params={"name": "memory_status"}, id=at)) for at in range(70)
    ]
    twice = talk.line(_request(method="tools/call", params={"name": "memory_status"}, id=0))

    assert len(works) == 64
    assert [answer["error"]["code"] for answers in told for answer in answers] == [-32000] * 6
    assert twice[0]["error"]["code"] == _INVALID


def test_what_was_cancelled_is_not_done_and_not_answered(tmp_path: Path) -> None:
    talk = Talk(agents(tmp_path))
    works: list[Any] = []
    talk.connection._queues = lambda _, work: works.append(work)  # done below, later
    talk.shake_hands()
    for id_ in (1, 2):
        note = {"name": "memory_write", "arguments": {"text": "Ada reviews the parser"}}
        talk.line(_request(method="tools/call", params=note, id=id_))
    talk.line(json.dumps({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}}))
    before = len(talk.sent)

    for work in works:
        work()

    answers = talk.sent[before:]
    assert [(answer["id"], answer["result"]["structuredContent"]["outcome"]) for answer in answers] == [
        (2, "noted")
    ]


def test_lines_cut_anywhere_leave_it_serving(talk: Talk) -> None:
    whole = _request(
        method="tools/call", params={"name": "memory_search", "arguments": {"query": "Postgres"}}
    )
    chance = random.Random(7)
    for _ in range(40):
        at = chance.randrange(1, len(whole))
        talk.line(whole[:at])
        talk.line(whole[at:])

    assert talk.line(_PING)[0]["result"] == {}
