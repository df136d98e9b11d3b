"""What is forgotten is gone from conversations, too: from their messages, their logs and the file."""

from datetime import timedelta
from pathlib import Path

import pytest
from tests.conversations.talking import START, bought, opened, talk
from tests.forget.traces import holding

from scrimshaw import Memory, UserError


@pytest.fixture
def memory(tmp_path: Path) -> Memory:
    made = opened(tmp_path)
    talk(made, 4)
    made.add_message(f"So: {bought(2)}", role="assistant", thread_id="t1")
    made.force_observe("t1")
    return made


def _stored(memory: Memory) -> bytes:
    return b"".join(path.read_bytes() for path in memory.workspace.glob(".scrimshaw/working.sqlite*"))


def test_a_forgotten_line_is_in_no_message_no_log_and_no_byte_of_the_file(memory: Memory) -> None:
    assert b"ladder t1-2" in _stored(memory)
    before = memory.conversation("t1").log

    done = memory.forget(memory.plan_forget("ladder t1-2 from Anna"))

    after = memory.conversation("t1")
    assert b"ladder t1-2" not in _stored(memory)
    assert ".scrimshaw/working.sqlite" in done.places
    assert after.log.text == "\n".join(row for row in before.text.splitlines() if "t1-2" not in row)
    assert (after.versions[-1].author, after.versions[-1].replaces) == ("forget", 1)
    texts = [one.content for one in memory.get_context("t1").parts.messages]
    assert len(texts) == 9
    assert texts[4] == texts[8] == "[forgotten]"
    assert "saddle t1-3" in texts[6]


def test_a_forgotten_conversation_is_blank(memory: Memory) -> None:
    talk(memory, 2, "t2")
    memory.force_observe("t2")

    later = Memory(memory.target, env={}, clock=lambda: START + timedelta(hours=1))
    later.forget(later.plan_forget(session="program:t1"))

    assert b" t1-" not in _stored(memory)
    assert b" t2-" in _stored(memory)
    context = memory.get_context("t1")
    assert (context.parts.log, {one.content for one in context.parts.messages}) == ("", {"[forgotten]"})


def test_a_message_dated_ahead_goes_with_its_conversation_and_with_no_other(memory: Memory) -> None:
    ahead = START + timedelta(days=3)
    memory.add_message("Ottoline moves to Ludlow.", thread_id="t1", timestamp=ahead)
    memory.add_message("Kunigunde moves to Ludlow.", thread_id="t2", timestamp=ahead)
    later = Memory(memory.target, env={}, clock=lambda: START + timedelta(hours=1))

    later.forget(later.plan_forget(session="program:t1"))
    memory.add_message("Berta moves to Ludlow.", thread_id="t1", timestamp=ahead)
    last = Memory(memory.target, env={}, clock=lambda: START + timedelta(hours=2))
    last.forget(last.plan_forget(before=START - timedelta(days=1)))

    assert [name in _stored(memory) for name in (b"Ottoline", b"Kunigunde", b"Berta")] == [False, True, True]


def _said_to_one_of_a_home(folder: Path, *, is_closed: bool = False) -> Memory:
    env = {"HOME": str(folder), "SCRIMSHAW_TIMEZONE": "UTC"}
    memory = Memory.open(home=folder / "home", agent="v", env=env, clock=lambda: START)
    for thread_id, name in (("u", "Ottoline"), ("w", "Kunigunde")):
        memory.add_message(f"My sister {name} has leukaemia.", thread_id=thread_id, timestamp=START)
    if is_closed:
        memory.close_conversation("u")
    return memory


@pytest.mark.parametrize("named", ["u", "program:u"])
@pytest.mark.parametrize("is_closed", [False, True])
def test_a_conversation_that_is_not_yet_observed_is_forgotten(
    tmp_path: Path, named: str, is_closed: bool
) -> None:
    memory = _said_to_one_of_a_home(tmp_path, is_closed=is_closed)
    assert holding(memory.workspace, "Ottoline")

    plan = memory.plan_forget(session=named)
    assert (plan.sessions, plan.lines, plan.is_nothing) == (("program:u",), (), False)
    memory.forget(plan)

    assert not holding(memory.workspace, "Ottoline")
    assert holding(memory.workspace, "Kunigunde")
    assert [one.content for one in memory.get_context("u").parts.messages] == ["[forgotten]"]
    memory.force_observe("u")
    assert not memory.search("Ottoline").results


def test_an_observed_conversation_is_forgotten_by_the_id_that_its_program_gave(memory: Memory) -> None:
    talk(memory, 2, "t2")
    memory.force_observe("t2")

    later = Memory(memory.target, env={}, clock=lambda: START + timedelta(hours=1))
    plan = later.plan_forget(session="t1")
    assert (plan.sessions, len(plan.lines)) == (("program:t1",), 4)
    later.forget(plan)

    assert b" t1-" not in _stored(memory)
    assert b" t2-" in _stored(memory)


def test_an_unknown_conversation_is_refused_with_those_that_are_known(tmp_path: Path) -> None:
    memory = _said_to_one_of_a_home(tmp_path)

    with pytest.raises(UserError, match="No conversation x is known here") as refused:
        memory.plan_forget(session="x")

    assert {"  u", "  w"} <= set(refused.value.problems)


def test_what_was_forgotten_does_not_come_back_with_the_next_observation(memory: Memory) -> None:
    memory.forget(memory.plan_forget("ladder t1-2 from Anna"))
    talk(memory, 2, first=4)
    memory.force_observe("t1")
    memory.reflect(thread_id="t1")

    assert b"ladder t1-2" not in _stored(memory)
    assert "carpet t1-5" in memory.conversation("t1").log.text
