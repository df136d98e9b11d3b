"""What programs hand in at the doors of the working layer: secrets under a name, names, types, ids."""

import json
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from tests.working.conftest import Home

from scrimshaw import Memory, UserError
from scrimshaw.errors import Exit
from scrimshaw.redaction import redact
from scrimshaw.redaction.keyed import clean_json
from scrimshaw.working import memories

_PASSWORD = "hunter2" + "hunter"
_PASSWD = "Tr0ub4" + "dor&3xyz"
_TOKEN = "sk-" + "ant-api03-" + "aB3dE5fG7hJ9kL1mN2pQ4rS6" * 3


def test_the_name_of_a_value_in_metadata_tells_that_it_is_a_secret(memory: Memory) -> None:
    metadata = {"password": _PASSWORD, "db": {"passwd": _PASSWD}, "shop": "Mill Lane", "visits": 3}

    stored = [memory.store("Login for the shop", metadata=metadata).metadata]
    stored.append(memory.learn("The shop has a login", metadata=metadata).metadata)

    for kept in stored:
        assert kept == {
            "password": "[redacted:password]",
            "db": {"passwd": "[redacted:password]"},
            "shop": "Mill Lane",
            "visits": 3,
        }
    for file in memory.target.layout.state.glob("working.sqlite*"):
        assert _PASSWORD.encode() not in file.read_bytes()


@pytest.mark.parametrize(
    ("told", "kept"),
    [
        ({"passwords": [_PASSWORD, _PASSWD]}, {"passwords": ["[redacted:password]"] * 2}),
        ({"name": "password", "value": _PASSWD}, {"name": "password", "value": "[redacted:password]"}),
        ({"pin": 4821}, {"pin": "[redacted:pin]"}),
        ({"password": 'a"b\\c9xZ'}, {"password": "[redacted:password]"}),
        ({"password": "required", "max_tokens": 4096}, {"password": "required", "max_tokens": 4096}),
        ([None, True, 0.5, "", {"": "said"}], [None, True, 0.5, "", {"": "said"}]),
    ],
)
def test_json_is_cleaned_by_its_names_and_keeps_its_shape(told: Any, kept: Any) -> None:
    cleaned = clean_json(told, lambda text: redact(text).text)

    assert cleaned == kept
    assert clean_json(cleaned, lambda text: redact(text).text) == kept


@pytest.mark.parametrize("name", ["id", "owner_id", "source"])
def test_a_name_that_holds_a_secret_is_refused_and_not_repeated(memory: Memory, name: str) -> None:
    for put in (memory.learn,) if name == "source" else (memory.store, memory.learn):
        with pytest.raises(UserError, match=f"{name}: holds what looks like a secret") as refused:
            put("Gareth pays on Mondays", **{name: _TOKEN})  # type: ignore[operator]
        assert _TOKEN not in str(refused.value)

    assert memories.counts(memory._working().db) == (0, 0)


@pytest.mark.parametrize("name", ["thread_id", "resource_id", "message_id"])
def test_a_conversation_is_not_named_by_a_secret(memory: Memory, name: str) -> None:
    with pytest.raises(UserError, match=f"{name}: holds what looks like a secret") as refused:
        memory.add_message("I sold the press", **{"thread_id": "t1", name: _TOKEN})  # type: ignore[arg-type]

    assert _TOKEN not in str(refused.value)
    assert memory.conversations().conversations == ()


@pytest.mark.parametrize("name", ["model", "id"])
def test_usage_is_not_reported_under_a_secret(memory: Memory, name: str) -> None:
    with pytest.raises(ValueError, match="looks like a secret") as refused:
        memory.report_usage(input_tokens=1, output_tokens=1, **{name: _TOKEN})  # type: ignore[arg-type]

    assert _TOKEN not in str(refused.value)


@pytest.mark.parametrize("content", [None, 5, b"text"])
def test_content_of_another_type_is_refused_kindly(memory: Memory, content: Any) -> None:
    for put in (memory.store, memory.learn):
        with pytest.raises(UserError, match="it is no text"):
            put(content)
    with pytest.raises(UserError, match="content: should be text"):
        memory.add_message(content, thread_id="t1")


@pytest.mark.parametrize("metadata", [[1], "text", 5, []])
def test_metadata_that_are_no_object_are_refused_kindly(memory: Memory, metadata: Any) -> None:
    with pytest.raises(UserError, match="it is no JSON object"):
        memory.store("text", metadata=metadata)


def test_names_and_shares_of_another_type_are_refused_kindly(memory: Memory) -> None:
    none: Any = None
    with pytest.raises(UserError, match="owner_id: should be text, not NoneType"):
        memory.store("text", owner_id=none)
    with pytest.raises(UserError, match="thread_id: should be text, not NoneType"):
        memory.add_message("text", thread_id=none)
    with pytest.raises(ValueError, match="importance: None"):
        memory.store("text", importance=none)
    with pytest.raises(ValueError, match="importance: nan"):
        memory.store("text", importance=float("nan"))


@pytest.mark.parametrize("flag", [None, "no", 2, []])
def test_a_flag_that_is_neither_true_nor_false_is_refused(memory: Memory, flag: Any) -> None:
    stored = memory.store("Gareth pays on Mondays")
    with pytest.raises(ValueError, match=r"pin: .* is neither True nor False"):
        memory.store("told to be stored", pin=flag)
    for given in [flag] if flag is not None else []:  # None is: as it was
        with pytest.raises(ValueError, match=r"pinned: .* is neither True nor False"):
            memory.update_memory(stored.id, pinned=given)

    assert memory.memories().memories == (stored,)


def test_a_name_that_no_text_can_hold_names_nothing(memory: Memory) -> None:
    memory.store("Gareth pays on Mondays")
    half = "half of it \udcff"
    asks: list[Callable[[str], object]] = [memory.memory, memory.why_memory, memory.delete_memory, memory.why]
    asks += [memory.pin, memory.plan_forget, memory.conversation, memory.get_context, memory.force_observe]

    for ask in asks:
        with pytest.raises(UserError) as refused:
            ask(half)
        assert refused.value.exit_code is Exit.USAGE


def test_a_message_of_a_far_future_or_of_no_time_is_refused(home: Home, memory: Memory) -> None:
    said: Any = "2026-01-01"
    with pytest.raises(UserError, match="timestamp: should be a datetime, not str"):
        memory.add_message("text", thread_id="t1", timestamp=said)
    with pytest.raises(UserError, match="more than a week ahead"):
        memory.add_message("text", thread_id="t1", timestamp=home.now.replace(year=2999))

    kept = memory.add_message("text", thread_id="t1", timestamp=home.now + timedelta(hours=20))

    assert kept.is_new
    assert json.loads(str(kept))["content"] == "text"


def test_a_message_of_nothing_but_nul_is_as_empty_as_none(memory: Memory) -> None:
    with pytest.raises(UserError, match="content: is empty"):
        memory.add_message("\0", thread_id="t1")


def test_a_store_beyond_the_cap_wakes_the_daemon_and_one_within_does_not(home: Home) -> None:
    home.config["SCRIMSHAW_MEMORY_WORKING_MAX_ENTRIES"] = "10"
    with home.open() as memory, home.open() as other:
        wake = memory.target.layout.wake
        for number in range(10):
            (memory if number % 2 else other).store(f"cask {number}")
        assert not wake.exists()

        memory.store("one more")
        assert wake.exists()

        wake.unlink()
        other.learn("Perry pears ferment slowly")
        assert wake.exists()


def test_entries_are_counted_once_while_there_is_room(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    counted: list[int] = []
    monkeypatch.setattr(memories, "total", lambda db: counted.append(1) or 1)

    for number in range(30):
        memory.store(f"cask {number}")

    assert len(counted) == 1


def test_a_question_that_is_no_text_finds_what_its_words_find(home: Home, memory: Memory) -> None:
    memory.store("The press is in the barn")

    for asked in ("where is the press? \ud800", "\ud800"):
        memory.recall(asked)
        memory.known_at(home.now, asked)
        memory.get_context("t1", query=asked)
    assert [one.content for one in memory.search("press \udcff").results] == ["The press is in the barn"]


def test_knowledge_does_not_supersede_itself(memory: Memory) -> None:
    memory.learn("Owen likes perry", id="k1")

    with pytest.raises(UserError, match="Nothing was stored"):
        memory.learn("Owen likes perry", id="k1", supersedes="k1")
    assert [one.id for one in memory.knowledge().knowledge] == ["k1"]


def test_a_home_without_a_name_is_refused_before_anything_is_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)

    with pytest.raises(ValueError, match="home: is empty"):
        Memory.open(home="", agent="albert")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("age", [24, "999999999999999d", "soon"])
def test_an_age_that_is_none_is_refused_kindly(memory: Memory, age: Any) -> None:
    with pytest.raises(UserError, match=r"is not a duration.*Nothing was moved"):
        memory.consolidate(ttl_override=age)


def test_a_timeline_and_a_past_moment_are_asked_for_as_they_were_named(home: Home, memory: Memory) -> None:
    assert memory.timeline("2026-01-01", "2026-12-01").lines == ()
    assert memory.as_of(date=home.now).to_dict() == memory.as_of(home.now).to_dict()
    with pytest.raises(TypeError, match="needs a time"):
        memory.as_of()


def test_the_same_id_again_changes_nothing_of_what_is_there(memory: Memory) -> None:
    first = memory.store("The press is in the barn", id="m1", importance=0.4)

    again = memory.store("The press is in the barn", id="m1", importance=0.8, pin=True)

    assert again == first
