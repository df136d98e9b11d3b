"""The seven tools: what they cost in a prompt, what they say of themselves, what each answers."""

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.mcp_server.talking import Talk, agents, envelope, opened

from scrimshaw.mcp_server import resources
from scrimshaw.mcp_server.answers import MOST_BYTES, NOTICE, NotedLine, SearchAnswer, fitted, size
from scrimshaw.mcp_server.calls import MemoryTools
from scrimshaw.mcp_server.opening import named_memory
from scrimshaw.mcp_server.tools import list_tools
from scrimshaw.store.ledger import open_ledger
from scrimshaw.store.records import Batch
from scrimshaw.workspace import Wanted

_MOST_TOKENS = 1_200
_READING = {"memory_search", "memory_get", "memory_context", "memory_why", "memory_status"}


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return agents(tmp_path)


@pytest.fixture
def talk(home: Path) -> Iterator[Talk]:
    made = Talk(home)
    made.shake_hands()
    yield made
    made.tools.close()


def _tokens(tools: list[dict[str, Any]]) -> int:
    toktok = pytest.importorskip("toktok")
    shown = [{name: tool[name] for name in ("name", "description", "inputSchema")} for tool in tools]
    counts: list[int] = toktok.batch_count([json.dumps(tool) for tool in shown], "o200k_base", 1)
    return sum(counts)


def test_all_tools_together_cost_a_prompt_little() -> None:
    tools = list(list_tools(read_only=False))

    assert len(tools) == 7
    assert _tokens(tools) <= _MOST_TOKENS
    assert _tokens([{**tool, "description": tool["description"] * 8} for tool in tools]) > _MOST_TOKENS


def test_each_tool_says_when_to_use_it_and_what_it_may_do() -> None:
    tools = {tool["name"]: tool for tool in list_tools(read_only=False)}

    assert all("Use " in tool["description"] for tool in tools.values())
    assert {name for name, tool in tools.items() if tool["annotations"]["readOnlyHint"]} == _READING
    assert [name for name, tool in tools.items() if tool["annotations"]["destructiveHint"]] == [
        "memory_forget"
    ]
    assert not any(tool["annotations"]["openWorldHint"] for tool in tools.values())
    assert all(tool["inputSchema"]["additionalProperties"] is False for tool in tools.values())


def test_a_search_gives_ids_dates_and_what_a_line_rests_on(talk: Talk) -> None:
    talk.told("memory_write", text="Ada reviews the parser")

    found = talk.told("memory_search", query="Postgres ledger")
    own = talk.told("memory_search", query="who reviews the parser?")

    assert found["notice"] == NOTICE
    assert found["results"][0]["text"] == "The ledger runs on Postgres 17.2"
    assert found["results"][0]["rests_on"] == "the person's own word"
    assert found["results"][0]["date"][:2] == "20"
    assert own["results"][0]["rests_on"] == "1 message"


def test_what_a_program_stored_is_found_as_its_word(home: Path, talk: Talk) -> None:
    with opened(home) as memory:
        memory.store("The build server is called Otto")

    found = talk.told("memory_search", query="build server Otto")["results"][0]
    got = talk.told("memory_get", ids=[found["id"]])["lines"][0]
    why = talk.told("memory_why", id=found["id"])

    assert found["rests_on"] == got["rests_on"] == "a program's word, not checked"
    assert why["checked"] == "not checked against anything"


def test_lines_are_read_by_id_and_what_is_missing_is_said(talk: Talk) -> None:
    id_ = talk.told("memory_search", query="Postgres ledger")["results"][0]["id"]

    got = talk.told("memory_get", ids=[id_, "0123456789abcdef01234567"])

    assert [line["text"] for line in got["lines"]] == ["The ledger runs on Postgres 17.2"]
    assert got["missing"] == ["0123456789abcdef01234567"]


def test_a_context_has_the_section_and_the_lines_for_the_task(talk: Talk) -> None:
    told = talk.told("memory_context", query="move the ledger off Postgres")

    assert "No meetings on Fridays" in told["section"]
    assert [line["text"] for line in told["lines"]] == ["The ledger runs on Postgres 17.2"]
    assert talk.told("memory_context")["lines"] == []


def test_a_note_that_the_conversation_bears_out_is_noted_once(talk: Talk) -> None:
    first = talk.told(
        "memory_write", text="The parser ships on 2026-12-03", kind="fact", importance="important"
    )
    again = talk.told("memory_write", text="The parser ships on 2026-12-03")

    assert first["outcome"] == "noted"
    assert again == {"outcome": "known", "text": "The parser ships on 2026-12-03", "id": first["id"]}


def test_a_note_that_nobody_said_is_refused_with_what_was_not_found(talk: Talk) -> None:
    refused = talk.told("memory_write", text="The parser ships on 2026-12-09")

    assert refused["outcome"] == "refused"
    assert "2026-12-09" in refused["why"]
    assert "scrimshaw review" in refused["next"]
    assert talk.told("memory_search", query="parser ships")["results"] == []


def test_where_nothing_bears_out_a_note_it_says_so(tmp_path: Path) -> None:
    home = tmp_path / "agents"
    with opened(home) as memory:
        memory.add("No meetings on Fridays", author="person")
    talk = Talk(home)
    talk.shake_hands()

    refused = talk.call("memory_write", text="The parser ships on 2026-12-03")

    assert refused["isError"]
    assert "nothing to check the note against" in refused["content"][0]["text"]


def test_why_shows_the_messages_behind_a_line(talk: Talk) -> None:
    noted = talk.told("memory_write", text="Ada reviews the parser")

    why = talk.told("memory_why", id=noted["id"])

    assert why["line"]["text"] == "Ada reviews the parser"
    assert "Ada reviews it" in why["sources"][0]["text"]
    assert why["checked"].startswith("the agent's note")


def test_the_status_tells_how_much_there_is(talk: Talk) -> None:
    status = talk.told("memory_status")

    assert (status["agent"], status["is_set_up"], status["lines"]) == ("albert", True, 2)


def test_an_agent_that_is_not_set_up_says_what_to_do(tmp_path: Path) -> None:
    def opens() -> Any:
        return named_memory(Wanted(home=tmp_path / "nowhere", agent="nobody"), {"HOME": str(tmp_path)})

    told = MemoryTools(opens).call("memory_search", {"query": "anything"})

    assert told.is_error
    assert "ask the person to start it as: scrimshaw mcp" in told.text
    assert not (tmp_path / "nowhere").exists()


def test_one_of_several_agents_is_never_guessed_nor_told_of(tmp_path: Path) -> None:
    home = agents(tmp_path)
    with opened(home, "berta") as memory:
        memory.add("The safe code is in the blue book", author="person")

    told = MemoryTools(lambda: named_memory(Wanted(home=home), {"HOME": str(tmp_path)})).call(
        "memory_status", {}
    )
    own = Talk(home)
    own.shake_hands()

    assert told.is_error
    assert "berta" not in told.text
    assert own.told("memory_search", query="safe code blue book")["results"] == []


def test_read_only_offers_and_does_nothing_that_writes(home: Path) -> None:
    talk = Talk(home, read_only=True)
    talk.shake_hands()

    offered = {tool["name"] for tool in talk.ask("tools/list")["result"]["tools"]}
    refused = talk.ask("tools/call", name="memory_write", arguments={"text": "Ada reviews the parser"})

    assert offered == _READING
    assert refused["error"]["code"] == -32602
    with opened(home) as memory:
        assert memory.search("Ada reviews").hits == ()


@pytest.mark.parametrize("read_only", [True, False])
def test_a_search_notes_what_was_asked_for_unless_read_only(home: Path, read_only: bool) -> None:
    with opened(home) as memory, open_ledger(memory.target.layout.ledger, create=False) as ledger:
        before = ledger.version()
        tools = MemoryTools(lambda: memory, read_only=read_only)
        found = tools.call("memory_search", {"query": "Postgres"})

        assert "Postgres" in str(found)
        assert (ledger.version() == before) is read_only


def test_arguments_that_are_wrong_are_told_as_the_models_to_mend(talk: Talk) -> None:
    wrong: list[tuple[str, dict[str, Any]]] = [
        ("memory_search", {}),
        ("memory_search", {"query": ""}),
        ("memory_search", {"query": "…"}),
        ("memory_search", {"query": 7}),
        ("memory_search", {"query": "x" * 1_001}),
        ("memory_search", {"query": "x", "limit": 21}),
        ("memory_search", {"query": "x", "since": "the day after never"}),
        ("memory_search", {"query": "x", "agent": "berta"}),
        ("memory_get", {"ids": []}),
        ("memory_get", {"ids": ["../../etc/passwd"] * 11}),
        ("memory_write", {"text": "x", "kind": "secret"}),
        ("memory_why", {"id": "0123456789abcdef01234567"}),
        ("memory_forget", {"id": "0123456789abcdef01234567"}),
        ("memory_forget", {"id": "Postgres"}),
    ]
    for name, arguments in wrong:
        told = talk.call(name, **arguments)

        assert told["isError"], (name, arguments)
        assert "structuredContent" not in told
        assert "Next: " in told["content"][0]["text"]


def test_a_span_that_is_wrong_is_told_in_the_tools_own_words(talk: Talk) -> None:
    told = [
        talk.call("memory_search", query="x", since=since, until=until)["content"][0]["text"]
        for since, until in (("never", None), ("2026-11-05", "2026-11-03"))
    ]

    assert told[0].startswith("since: ")
    assert told[1].startswith("until: the beginning, 2026-11-05 00:00, is not before the end")


def test_a_null_argument_is_one_that_was_left_out(talk: Talk) -> None:
    assert talk.told("memory_search", query="Postgres ledger", limit=None, since=None)["results"]


def test_the_person_is_asked_and_their_yes_forgets(home: Path, talk: Talk) -> None:
    talk.shake_hands(elicitation={})
    id_ = talk.told("memory_search", query="Postgres ledger")["results"][0]["id"]

    question = talk.ask("tools/call", name="memory_forget", arguments={"id": id_})
    yes = {"action": "accept", "content": {"forget": True}}
    answer = talk.line(json.dumps({"jsonrpc": "2.0", "id": question["id"], "result": yes}))[-1]

    assert question["method"] == "elicitation/create"
    assert "The ledger runs on Postgres 17.2" in question["params"]["message"]
    assert answer["result"]["structuredContent"] == {"outcome": "forgotten", "count": 1}
    with opened(home) as memory:
        assert memory.search("Postgres").hits == ()
        assert memory.get([id_]).missing == (id_,)


def test_anything_but_a_yes_forgets_nothing(home: Path, talk: Talk) -> None:
    talk.shake_hands(elicitation={})
    id_ = talk.told("memory_search", query="Postgres ledger")["results"][0]["id"]
    answers: list[Any] = [
        {"action": "accept", "content": {"forget": wrong}} for wrong in (False, "yes", 1, None)
    ]
    answers += [{"action": "decline"}, {"action": "cancel"}, {"action": "accept"}, "yes", None]
    call = {"name": "memory_forget", "arguments": {"id": id_}}

    for answer in answers:
        question = talk.ask("tools/call", **call)
        reply = talk.line(json.dumps({"jsonrpc": "2.0", "id": question["id"], "result": answer}))[-1]
        assert reply["result"]["structuredContent"]["outcome"] == "declined"

        asked = {**call, "_meta": envelope(can_ask=True)}
        state = talk.ask("tools/call", **asked)["result"]["requestState"]
        again = talk.ask("tools/call", **asked, inputResponses={"confirm": answer}, requestState=state)[
            "result"
        ]
        assert again.get("structuredContent", {"outcome": "asked again"})["outcome"] in (
            "declined",
            "asked again",
        )

    with opened(home) as memory:
        assert memory.get([id_]).missing == ()


def test_without_a_question_of_ours_no_yes_counts(home: Path, talk: Talk) -> None:
    id_ = talk.told("memory_search", query="Postgres ledger")["results"][0]["id"]
    other = talk.told("memory_search", query="meetings Fridays")["results"][0]["id"]
    yes = {"confirm": {"action": "accept", "content": {"forget": True}}}
    call = {"name": "memory_forget", "_meta": envelope(can_ask=True), "inputResponses": yes}
    asked = talk.ask(
        "tools/call", name="memory_forget", arguments={"id": other}, _meta=envelope(can_ask=True)
    )
    states: list[Any] = ["", "forged.state", 7, asked["result"]["requestState"], None]

    told = [talk.ask("tools/call", **call, arguments={"id": id_}, requestState=state) for state in states]

    assert [one["error"]["code"] for one in told[:3]] == [-32602] * 3
    assert [one["result"]["resultType"] for one in told[3:]] == ["input_required"] * 2
    with opened(home) as memory:
        assert len(memory.search("Postgres").hits) == 1


def test_a_yes_in_the_newer_era_forgets(home: Path, talk: Talk) -> None:
    id_ = talk.told("memory_search", query="Postgres ledger")["results"][0]["id"]
    call = {"name": "memory_forget", "arguments": {"id": id_}, "_meta": envelope(can_ask=True)}

    asked = talk.ask("tools/call", **call)["result"]
    yes = {"confirm": {"action": "accept", "content": {"forget": True}}}
    done = talk.ask("tools/call", **call, inputResponses=yes, requestState=asked["requestState"])["result"]

    assert "Postgres 17.2" in asked["inputRequests"]["confirm"]["params"]["message"]
    assert done["structuredContent"]["outcome"] == "forgotten"
    with opened(home) as memory:
        assert memory.search("Postgres").hits == ()
        assert memory.get([id_]).missing == (id_,)


def test_where_nobody_can_be_asked_nothing_is_forgotten(home: Path, talk: Talk) -> None:
    id_ = talk.told("memory_search", query="Postgres ledger")["results"][0]["id"]

    told = [talk.call("memory_forget", meta, id=id_)["structuredContent"] for meta in (None, envelope())]

    assert [one["outcome"] for one in told] == ["refused"] * 2
    assert f"scrimshaw forget {id_}" in told[0]["next"]
    with opened(home) as memory:
        assert len(memory.search("Postgres").hits) == 1


def test_answers_fit_whatever_they_are_made_of() -> None:
    for text in ("word " * 60, "記憶" * 3_000, "\\" * 9_000):
        lines = [NotedLine("0" * 24, text, "2026-11-03", "fact", "1 message") for _ in range(20)]
        answer = SearchAnswer(NOTICE, lines)

        told = fitted(answer, "results")

        assert size(told) <= MOST_BYTES < len(str(answer))
        assert told["notice"] == NOTICE
        assert len(told["results"]) + told["left_out"] == 20


def test_an_answer_of_many_long_lines_says_how_many_were_left_out(home: Path, talk: Talk) -> None:
    with opened(home) as memory:
        for number in range(20):
            memory.store(f"Otto {number} " + "has a very long story to tell " * 30)

    told = talk.call("memory_search", query="Otto story", limit=20)

    assert len(told["content"][0]["text"].encode()) <= MOST_BYTES
    assert told["structuredContent"]["left_out"] > 0
    assert json.loads(told["content"][0]["text"]) == told["structuredContent"]


def test_a_context_keeps_whole_lines_of_a_section_in_any_script_and_says_that_it_is_cut(
    home: Path, talk: Talk, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert talk.told("memory_context")["is_cut"] is False
    rows = [
        f"- 日本語のメモ {number}：サイダーの樽は春まで納屋に置くことに決めました。" for number in range(99)
    ]
    monkeypatch.setattr(MemoryTools, "section", lambda self: "\n".join(rows))

    told = talk.told("memory_context", query="Postgres ledger")

    kept = told["section"].split("\n")
    assert told["is_cut"] is True
    assert kept == rows[: len(kept)]
    assert MOST_BYTES - 200 < size(told) <= MOST_BYTES
    assert len(told["lines"]) == 1


def test_a_context_says_that_the_only_line_of_a_section_is_cut(
    talk: Talk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(MemoryTools, "section", lambda self: "- " + "樽" * 2_000)

    told = talk.told("memory_context")

    assert told["is_cut"] is True
    assert size(told) <= MOST_BYTES


def test_a_day_is_read_with_all_its_lines_or_says_that_it_goes_on(
    home: Path, talk: Talk, monkeypatch: pytest.MonkeyPatch
) -> None:
    with opened(home) as memory:
        lines = memory.timeline().lines
        said = lines[0].observation
        made = [replace(said, id=f"{number:024x}", text=f"Cask {number} is full") for number in range(600)]
        with open_ledger(memory.target.layout.ledger, create=False) as ledger:
            ledger.accept(Batch("test", said.said_at_ms, tuple(made)))
    uri = f"scrimshaw://day/{said.local_date}"

    whole = talk.ask("resources/read", uri=uri)["result"]["contents"][0]["text"]
    monkeypatch.setattr(resources, "_MOST_BYTES", 8_000)
    cut = talk.ask("resources/read", uri=uri)["result"]["contents"][0]["text"]

    assert whole.count("\n- ") == 600 + len(lines)
    assert cut.endswith("\n…\n")


@pytest.mark.parametrize("limit", [2, 2.0])
def test_a_whole_number_may_be_written_with_a_point(talk: Talk, limit: float) -> None:
    assert len(talk.told("memory_search", query="Fridays Postgres", limit=limit)["results"]) == 2
    assert talk.call("memory_search", query="Fridays Postgres", limit=limit + 0.5)["isError"]


def test_the_schema_of_a_note_says_how_long_one_may_be(talk: Talk) -> None:
    (tool,) = (one for one in list_tools(read_only=False) if one["name"] == "memory_write")
    most = tool["inputSchema"]["properties"]["text"]["maxLength"]

    assert talk.told("memory_write", text="Ada reviews the parser".ljust(most))["outcome"] == "noted"
    longest = talk.call("memory_write", text="Ada reviews the parser".ljust(most - 2, ".") + "ok")
    assert "at most" not in longest["content"][0]["text"]
    assert talk.call("memory_write", text="x" * (most + 1))["isError"]


def test_the_section_and_the_days_can_be_read(talk: Talk) -> None:
    resources = [one["uri"] for one in talk.ask("resources/list")["result"]["resources"]]
    texts = [talk.ask("resources/read", uri=uri)["result"]["contents"][0]["text"] for uri in resources]

    assert resources[0] == "scrimshaw://section"
    assert len(resources) == 2
    assert all(text.startswith(f"> {NOTICE}") and "No meetings on Fridays" in text for text in texts)
    assert "(id: " in texts[1]


def test_there_is_nothing_else_to_read(talk: Talk) -> None:
    days = [f"scrimshaw://day/{day}" for day in ("2026-13-40", "9999-12-31", "0001-01-01", "1969-12-31")]
    for uri in (*days, "scrimshaw://day/../MEMORY.md", "file:///etc/passwd"):
        assert talk.ask("resources/read", uri=uri)["error"]["code"] == -32002
        assert talk.ask("resources/read", uri=uri, _meta=envelope())["error"]["code"] == -32602
