"""What a program hands to `Memory` and makes no sense there: refused by name, and nothing else is raised."""

import inspect
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from scrimshaw import Memory, UserError
from scrimshaw.errors import ArgumentError
from scrimshaw.layout import Layout

_NOW = datetime(2026, 11, 20, 18, tzinfo=UTC)
_HOSTILE: tuple[Any, ...] = (10**20, -1, 1.5, float("nan"), b"x", [], "\ud800")


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    env = {"HOME": str(tmp_path), "SCRIMSHAW_TIMEZONE": "UTC", "SCRIMSHAW_EMBEDDINGS": "off"}
    with Memory.open(home=tmp_path / "agents", agent="albert", env=env, clock=lambda: _NOW) as opened:
        opened.store("The press is in the barn", id="m1")
        opened.learn("Owen likes perry", id="k1")
        opened.add_message("How is the perry?", thread_id="t1")
        yield opened


def _import(memory: Memory, path: str) -> object:
    return memory.import_(path)


# Each method with the arguments of a good call, and those that take a number, a time or a text; those in
# capitals may not be None.
_METHODS: tuple[tuple[Callable[..., object], dict[str, Any], str], ...] = (
    (Memory.store, {"content": "x y"}, "CONTENT TYPE IMPORTANCE metadata PIN OWNER_ID ID"),
    (Memory.learn, {"content": "x y"}, "CONTENT CATEGORY CONFIDENCE SOURCE metadata OWNER_ID supersedes ID"),
    (Memory.memory, {}, "ID"),
    (Memory.memories, {}, "LIMIT after TEXT type owner_id"),
    (Memory.knowledge, {}, "LIMIT after TEXT category status owner_id"),
    (Memory.update_memory, {"id": "m1"}, "ID content importance metadata pinned if_version"),
    (Memory.update_knowledge, {"id": "k1"}, "ID content category confidence metadata status if_version"),
    (Memory.delete_memory, {"id": "none"}, "ID if_version"),
    (Memory.why_memory, {}, "ID"),
    (Memory.recall, {"query": "perry"}, "QUERY K"),
    (Memory.search, {"query": "perry"}, "QUERY MODE LIMIT KINDS since until MIN_SCORE LAYERS"),
    (Memory.search_messages, {"query": "perry"}, "QUERY LIMIT since until"),
    (Memory.timeline, {}, "since until LIMIT BEFORE"),
    (Memory.lines, {}, "LIMIT BEFORE kind part day live"),
    (Memory.get, {"ids": ["none"]}, "IDS"),
    (Memory.observe, {}, "options"),
    (Memory.forget, {}, "PLAN"),
    (Memory.undo, {"dry_run": True}, "revision"),
    (Memory.settle_conflict, {"first": "x", "second": "y"}, "SETTLEMENT"),
    (Memory.clean, {"dry_run": True}, "ONLY"),
    (Memory.trends, {"figures": ["facts"]}, "FIGURES DAYS"),
    (Memory.export, {}, "PATH"),
    (Memory.archive, {}, "HOW"),
    (Memory.known_at, {"when": "today", "query": "perry"}, "WHEN QUERY LIMIT"),
    (Memory.as_of, {}, "when"),
    (Memory.log, {}, "LIMIT before"),
    (Memory.diff, {}, "first second"),
    (Memory.why, {}, "LINE"),
    (Memory.add, {"text": "Gareth pays"}, "TEXT kind importance author"),
    (Memory.pin, {}, "LINE"),
    (Memory.reword, {"line": "none", "text": "x"}, "LINE TEXT"),
    (Memory.plan_forget, {"words": "none"}, "WORDS SESSION before"),
    (
        Memory.add_message,
        {"content": "x", "thread_id": "t1"},
        "CONTENT THREAD_ID ROLE RESOURCE_ID MESSAGE_ID timestamp",
    ),
    (
        Memory.get_context,
        {"thread_id": "t1"},
        "THREAD_ID RESOURCE_ID SHAPE IDENTITY SYSTEM_PROMPT CHANNEL_HINT query "
        "MEMORIES OBSERVATIONS REFLECTIONS",
    ),
    (Memory.conversations, {}, "LIMIT after"),
    (Memory.conversation, {}, "THREAD_ID"),
    (Memory.close_conversation, {}, "THREAD_ID"),
    (Memory.force_observe, {}, "THREAD_ID"),
    (Memory.report_usage, {"input_tokens": 1, "output_tokens": 1}, "INPUT_TOKENS OUTPUT_TOKENS MODEL ID"),
    (Memory.consolidate, {}, "ttl_override"),
    (Memory.stale, {}, "MIN_CONFIDENCE DAYS LIMIT AFTER"),
    (Memory.trend, {"figure": "facts"}, "DAYS"),
    (Memory.spend, {}, "since"),
    (Memory.reinforce, {}, "LINE"),
    (Memory.delete_line, {}, "LINE"),
    (Memory.conflicts, {}, "LIMIT AFTER"),
    (Memory.settle_conflict, {"first": "a", "second": "b", "settlement": "merge"}, "FIRST SECOND SETTLEMENT"),
    (Memory.reflect, {"dry_run": True}, "THREAD_ID"),
    (Memory.test_model, {}, "NAME"),
    (Memory.import_cortex, {}, "PATH"),
    (_import, {}, "PATH"),
)


@pytest.mark.parametrize(("method", "good", "names"), _METHODS, ids=[one[0].__name__ for one in _METHODS])
def test_a_value_that_makes_no_sense_is_taken_or_refused_and_nothing_breaks(
    memory: Memory, method: Callable[..., object], good: dict[str, Any], names: str
) -> None:
    broken: list[str] = []
    for name in names.split():
        for value in (*_HOSTILE, *([None] if name.isupper() else [])):
            try:
                method(memory, **{**good, name.lower(): value})
            except UserError:
                pass
            except Exception as error:  # noqa: BLE001  # which ones there are is what is asked
                broken.append(f"{name.lower()}={value!r}: {type(error).__name__}: {error}")

    assert broken == []


def test_a_limit_beyond_all_numbers_or_no_whole_one_is_refused_by_name(memory: Memory) -> None:
    limits: tuple[Any, ...] = (10**20, 1.5, 0, "2", None)
    for limit in limits:
        for ask in (memory.memories, memory.knowledge, memory.conversations, memory.lines, memory.log):
            with pytest.raises(ArgumentError, match=r"limit: .* is no whole number that is at least 1"):
                ask(limit)


def test_a_time_and_a_text_of_another_type_are_refused_by_name(memory: Memory) -> None:
    five: Any = 5
    with pytest.raises(ArgumentError, match="query: should be text, not int"):
        memory.search(five)
    with pytest.raises(ArgumentError, match="after: should be text, not int"):
        memory.memories(after=five)
    for ask in (memory.timeline, lambda since: memory.search("perry", since=since)):
        with pytest.raises(ArgumentError, match="5 is no time: give a text, a date or a datetime"):
            ask(five)


def test_what_is_no_result_and_no_options_and_no_time_is_refused_by_name(memory: Memory) -> None:
    nothing: Any = None
    with pytest.raises(ArgumentError, match="result: should be what search returned, not NoneType"):
        memory.record_recall(nothing)
    with pytest.raises(ArgumentError, match="options: should be ObserveOptions, not NoneType"):
        memory.asks_model(nothing)
    with pytest.raises(ArgumentError, match="before: 'x' is no whole number that is at least 0"):
        memory.log(before="x")  # type: ignore[arg-type]  # what a program may get wrong
    with pytest.raises(ArgumentError, match="as_of: needs a time, as when or date"):
        memory.as_of()


def test_what_a_program_catches_as_value_error_and_as_user_error_is_one_error(memory: Memory) -> None:
    for kind in (ValueError, UserError):
        with pytest.raises(kind, match=r"importance: 2 is not within 0\.\.1"):
            memory.store("Gareth pays on Mondays", importance=2)


def test_a_mode_or_a_kind_that_there_is_none_of_is_refused_with_those_there_are(memory: Memory) -> None:
    with pytest.raises(ArgumentError, match="mode: 'fuzzy' is none of: lexical, semantic, hybrid"):
        memory.search("ledger", mode="fuzzy")
    with pytest.raises(ArgumentError, match="kinds: 'dream' is none of: decision, preference, fact"):
        memory.search("ledger", kinds=["dream"])


def test_a_flag_that_is_neither_true_nor_false_is_refused_by_name_and_nothing_is_written(
    memory: Memory, tmp_path: Path
) -> None:
    no: Any = "no"
    fresh = tmp_path / "fresh"
    fresh.mkdir()
    with Memory(memory.target._replace(layout=Layout(fresh)), env={"HOME": str(tmp_path)}) as nobodys:
        with pytest.raises(ArgumentError, match="consent: 'no' is neither True nor False"):
            nobodys.observe(consent=no)
        with pytest.raises(ArgumentError, match="dry_run: 'no' is neither True nor False"):
            nobodys.observe(dry_run=no)
    assert list(fresh.iterdir()) == []
    for call, name in (
        (lambda: memory.undo(dry_run=no), "dry_run"),
        (lambda: memory.add("Gareth pays", at_once=no), "at_once"),
        (lambda: memory.lines(live=no), "live"),
        (lambda: memory.search("perry", closed=no), "closed"),
        (lambda: memory.doctor(fix=no), "fix"),
    ):
        with pytest.raises(ArgumentError, match=f"{name}: 'no' is neither True nor False"):
            call()


def test_true_is_no_number_of_a_revision_and_nothing_is_undone(memory: Memory) -> None:
    memory.add("Owen likes perry", at_once=True)
    noted = [entry.revision.number for entry in memory.log().entries]

    with pytest.raises(ArgumentError, match="revision: True is no number"):
        memory.undo(True)
    with pytest.raises(ArgumentError, match="True is neither a revision's number nor a time"):
        memory.diff(True)
    assert [entry.revision.number for entry in memory.log().entries] == noted


def test_every_flag_and_number_of_every_method_is_checked_by_its_annotation() -> None:
    for name, member in inspect.getmembers(Memory, inspect.isfunction):
        kinds = getattr(member, "__annotations__", {})
        takes = {"bool", "bool | None", "int", "int | None"} & {
            kind for one, kind in kinds.items() if one != "return"
        }
        if takes and not name.startswith("_"):
            assert hasattr(member, "__wrapped__"), name


def test_a_choice_that_there_is_none_of_is_refused_by_name_with_those_there_are(memory: Memory) -> None:
    word: Any = "zz"
    for call, told in (
        (lambda: memory.add("Gareth pays", importance=word), "importance: 'zz' is none of: important, minor"),
        (lambda: memory.add("Gareth pays", author=word), "author: 'zz' is none of: person, agent"),
        (lambda: memory.search("perry", layers=[word]), "layers: 'zz' is none of: working, episodic"),
        (lambda: memory.clean(only=[word]), "only: 'zz' is none of: junk, doubled"),
        (lambda: memory.settle_conflict("a", "b", word), "settlement: 'zz' is none of: merge, keep-both"),
        (lambda: memory.lines(kind=word), "kind: 'zz' is none of: decision"),
        (lambda: memory.lines(part=word), "part: 'zz' is none of: standing, open, log"),
        (lambda: memory.archive(word), "how: 'zz' is none of: archive, check, rebuild"),
        (lambda: memory.get_context("t1", shape=word), "shape: 'zz' is none of: anthropic"),
        (lambda: memory.report_usage(input_tokens=-1, output_tokens=0), "Numbers of tokens are whole"),
    ):
        with pytest.raises(ArgumentError, match=told):
            call()


def test_one_text_in_the_place_of_a_list_is_refused_and_not_taken_for_its_letters(memory: Memory) -> None:
    for call, name in (
        (lambda: memory.get("nope"), "ids"),
        (lambda: memory.search("perry", layers="working"), "layers"),
        (lambda: memory.search("perry", kinds="fact"), "kinds"),
        (lambda: memory.trends("facts"), "figures"),
    ):
        with pytest.raises(ArgumentError, match=f"{name}: should be a list of texts, not str"):
            call()


def test_a_plan_and_a_revision_of_another_type_are_refused_with_what_they_should_be(memory: Memory) -> None:
    words: Any = "words"
    with pytest.raises(ArgumentError, match="plan: should be what plan_forget returned, not str"):
        memory.forget(words)
    with pytest.raises(ArgumentError, match="options: should be ObserveOptions, not str"):
        memory.observe(words)
    with pytest.raises(ArgumentError, match=r"revision: '1' is no whole number\. Nothing was undone"):
        memory.undo("1")  # type: ignore[arg-type]


def test_what_can_name_no_place_and_no_agent_is_refused(tmp_path: Path) -> None:
    five: Any = 5
    with pytest.raises(ArgumentError, match="workspace: 5 is no path"):
        Memory.open(workspace=five)
    with pytest.raises(ArgumentError, match="agent: should be text, not int"):
        Memory.open(home=tmp_path / "agents", agent=five)
    assert not (tmp_path / "agents").exists()


@pytest.mark.parametrize("way", [Memory.open, Memory.discover])
@pytest.mark.parametrize("name", ["home", "workspace", "state_dir"])
@pytest.mark.parametrize("place", [b"x", "a\0b", "\ud800", 5])
def test_what_can_name_no_folder_is_refused_by_name(
    tmp_path: Path, way: Callable[..., object], name: str, place: Any
) -> None:
    agent = {"agent": "albert"} if name == "home" else {}

    with pytest.raises(ArgumentError) as refused:
        way(env={"HOME": str(tmp_path)}, **{name: place}, **agent)

    assert str(refused.value).startswith(f"{name}: {place!r} is no path of a folder; give it as text")


@pytest.mark.parametrize("way", [Memory.open, Memory.discover])
@pytest.mark.parametrize(
    ("named", "told"),
    [
        ({"home": "~nobody-of-this-name"}, "there is no such user"),
        ({"home": "x" * 5_000}, "File name too long"),
        ({"workspace": "x" * 5_000}, "File name too long"),
        ({"state_dir": "x" * 5_000}, "File name too long"),
    ],
)
def test_a_folder_that_cannot_be_looked_at_is_told_and_is_no_error_of_pythons(
    tmp_path: Path, way: Callable[..., object], named: dict[str, str], told: str
) -> None:
    with pytest.raises(UserError, match=told) as refused:
        way(env={"HOME": str(tmp_path)}, agent="albert", **named)

    assert refused.value.next_step


def test_what_stands_in_for_the_environment_and_the_time_is_looked_at(tmp_path: Path) -> None:
    wrong: Any
    for wrong in ("HOME=/x", ["HOME"], {"HOME": 5}, {5: "x"}):
        with pytest.raises(ArgumentError, match="env: should be variables by name"):
            Memory.open(home=tmp_path / "agents", agent="albert", env=wrong)
    wrong = _NOW
    for way in (Memory.open, Memory.discover):
        with pytest.raises(ArgumentError, match="clock: should be a function"):
            way(home=tmp_path / "agents", agent="albert", clock=wrong)
    assert not (tmp_path / "agents").exists()


def test_a_call_that_does_not_fit_is_told_what_the_method_takes(memory: Memory) -> None:
    for kind in (UserError, TypeError):
        with pytest.raises(kind) as refused:
            memory.add_message("user", "hello", thread_id="t1")  # type: ignore[misc]
        assert refused.value.args == (
            "add_message: too many positional arguments. It takes in this order: content; by name only: "
            "thread_id, role, resource_id, message_id, timestamp. Nothing was done.",
        )


def test_an_argument_is_called_in_python_what_it_is_called_there(memory: Memory) -> None:
    for call, told in (
        (lambda: memory.timeline(since="rubbish"), "^since: 'rubbish' is not a date"),
        (lambda: memory.search("perry", until="rubbish"), "^until: 'rubbish' is not a date"),
        (lambda: memory.export("x.mv2", since="rubbish"), "^since: 'rubbish' is not a date"),
        (lambda: memory.as_of(date="rubbish"), "^date: 'rubbish' is not a date"),
        (lambda: memory.plan_forget(before="rubbish"), "^before: 'rubbish' is not a date"),
        (
            lambda: memory.timeline("2026-11-02", "2026-11-01"),
            "^until: the beginning, 2026-11-02 00:00, is not",
        ),
    ):
        with pytest.raises(UserError, match=told):
            call()
