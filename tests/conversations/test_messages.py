"""Messages that programs hand in: kept once each, without secrets, whoever hands them in at the same time."""

import multiprocessing
import sqlite3
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from tests.conversations.talking import START, bought, choose, opened, talk

from scrimshaw import Memory, UserError
from scrimshaw.config import workspace_file


@pytest.fixture
def memory(tmp_path: Path) -> Memory:
    return opened(tmp_path)


def test_a_message_comes_back_with_its_fields(memory: Memory) -> None:
    added = memory.add_message("Four words are here", thread_id="t1", resource_id="anna", timestamp=START)

    told = added.to_dict()
    assert len(told.pop("id")) == 36
    wanted = {
        "role": "user",
        "content": "Four words are here",
        "timestamp": START.isoformat(),
        "thread_id": "t1",
        "resource_id": "anna",
        "token_count": 5,
        "is_new": True,
        "should_observe": False,
    }
    assert {name: told[name] for name in wanted} == wanted


def test_the_same_id_twice_is_one_message_and_the_first_stays(memory: Memory) -> None:
    memory.add_message("first", thread_id="t1", message_id="m1")
    again = memory.add_message("second", thread_id="t1", message_id="m1")
    memory.add_message("of another thread", thread_id="t2", message_id="m1")

    assert (again.is_new, again.message.content) == (False, "first")
    assert [one.content for one in memory.get_context("t1").parts.messages] == ["first"]
    assert memory.conversation("t1").state.unobserved_token_count == 2


def test_threads_come_in_any_order(memory: Memory) -> None:
    for number in range(6):
        memory.add_message(f"message {number}", thread_id=f"t{number % 2}")

    said = [one.content for one in memory.get_context("t1").parts.messages]
    assert said == ["message 1", "message 3", "message 5"]


def test_no_secret_and_nothing_private_is_written(memory: Memory, fake_secret: Callable[[str], str]) -> None:
    secret = fake_secret("openai-key")
    added = memory.add_message(f"The key is {secret}. <private>I am ill.</private>", thread_id="t1")

    assert added.redacted.total() == 2
    assert secret not in added.message.content
    stored = b"".join(path.read_bytes() for path in memory.workspace.glob(".scrimshaw/working.sqlite*"))
    assert b"The key is" in stored
    assert secret.encode() not in stored
    assert b"I am ill" not in stored


def test_a_time_without_a_zone_is_in_the_workspaces_zone(tmp_path: Path) -> None:
    memory = opened(tmp_path)
    workspace_file(memory.workspace).write_text("timezone: America/New_York\n")
    memory.refresh()
    local = START.astimezone(ZoneInfo("America/New_York")).replace(tzinfo=None)

    added = memory.add_message(bought(1), thread_id="t1", timestamp=local)
    memory.force_observe("t1")

    assert added.to_dict()["timestamp"] == START.isoformat()
    an_hour = timedelta(hours=1)
    assert len(memory.timeline(local - an_hour, local + an_hour).lines) == 1
    assert memory.plan_forget(before=local - an_hour, dry_run=True).lines == ()


@pytest.mark.parametrize(
    ("content", "how"),
    [
        ("  ", {}),
        ("x" * 1_000_001, {}),
        ("x", {"role": "robot"}),
        ("x", {"thread_id": ""}),
        ("x", {"thread_id": "a\nb"}),
        ("x", {"message_id": "i" * 200}),
        ("x", {"timestamp": START.replace(year=1971)}),
    ],
)
def test_what_is_no_message_is_refused_and_nothing_is_stored(memory: Memory, content: str, how: dict) -> None:
    with pytest.raises(UserError, match="Nothing was stored"):
        memory.add_message(content, **{"thread_id": "t1", **how})

    assert memory.conversations().conversations == ()


def test_what_no_api_takes_is_taken_out(memory: Memory) -> None:
    added = memory.add_message("one\0 two \ud800", thread_id="t1")

    assert added.message.content == "one two ?"


def test_a_conversation_stays_its_resource_s(memory: Memory) -> None:
    memory.add_message("hello", thread_id="t1", resource_id="anna")

    with pytest.raises(UserError, match="another resource"):
        memory.add_message("hello", thread_id="t1", resource_id="bert")
    with pytest.raises(UserError, match="another resource"):
        memory.get_context("t1", "bert")


def test_a_message_says_when_its_conversation_is_due(memory: Memory) -> None:
    choose(memory, message_threshold=1000)

    due = [memory.add_message("x" * 1000, thread_id="t1").should_observe for _ in range(5)]

    assert due == [False, False, False, True, True]


def _hand_in(place: Path, name: str, barrier) -> None:  # a Barrier of multiprocessing
    memory = Memory.open(env={"HOME": str(place), "OPENCLAW_STATE_DIR": str(place / "state")})
    barrier.wait()
    for number in range(150):
        memory.add_message(f"{name} {number}", thread_id="t1", message_id=f"{name}{number}")
        memory.add_message(f"both {number}", thread_id="t1", message_id=f"both{number}")


def test_two_processes_hand_in_one_conversation_and_nothing_is_lost_or_doubled(
    memory: Memory, tmp_path: Path
) -> None:
    spawn = multiprocessing.get_context("spawn")
    barrier = spawn.Barrier(2)
    both = [spawn.Process(target=_hand_in, args=(tmp_path / "home", name, barrier)) for name in "ab"]
    for process in both:
        process.start()
    for process in both:
        process.join(120)

    assert [process.exitcode for process in both] == [0, 0]
    with sqlite3.connect(memory.workspace / ".scrimshaw/working.sqlite") as connection:
        rows = connection.execute("select position, id from message order by position").fetchall()
        counted = connection.execute("select sum(token_count) from message").fetchone()[0]
    assert [position for position, _ in rows] == list(range(1, 451))
    assert len({id_ for _, id_ in rows}) == 450
    assert memory.conversation("t1").state.unobserved_token_count == counted
    for name in "ab":
        mine = [id_ for _, id_ in rows if id_.startswith(name) and id_[1:].isdigit()]
        assert mine == [f"{name}{number}" for number in range(150)]


def test_pages_hold_each_conversation_once_also_those_of_one_moment(memory: Memory) -> None:
    names = [f"t{number}" for number in range(7)]
    for name in names:
        memory.add_message("Good morning.", thread_id=name)

    pages, after = [], None
    while not pages or after:
        page = memory.conversations(3, after=after)
        pages.append([one.state.thread_id for one in page.conversations])
        after = page.after

    assert [len(page) for page in pages] == [3, 3, 1]
    assert sorted(name for page in pages for name in page) == names
    for wrong in ("", "7", "x:1", "1:x", "1:2:3", f"{10**20}:1"):
        with pytest.raises(UserError, match="no place that a page has told"):
            memory.conversations(after=wrong)


def test_the_list_tells_each_conversation_the_newest_first(memory: Memory) -> None:
    talk(memory, 1, "old")
    talk(memory, 1, "new", first=5)

    told = memory.conversations().to_dict()["conversations"]

    assert [one["thread_id"] for one in told] == ["new", "old"]
    assert told[0]["observationLog"] == {"version": 0, "tokenCount": 0, "textLength": 0}
    assert told[0]["memoryState"]["messages"] == 2
    with pytest.raises(UserError, match="No conversation"):
        memory.conversation("none")
