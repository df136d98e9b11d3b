"""What is forgotten is gone from conversations, too: from their messages, their logs and the file."""

from datetime import timedelta
from pathlib import Path

import pytest
from tests.conversations.talking import START, bought, opened, talk

from scrimshaw import Memory


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


def test_what_was_forgotten_does_not_come_back_with_the_next_observation(memory: Memory) -> None:
    memory.forget(memory.plan_forget("ladder t1-2 from Anna"))
    talk(memory, 2, first=4)
    memory.force_observe("t1")
    memory.reflect(thread_id="t1")

    assert b"ladder t1-2" not in _stored(memory)
    assert "carpet t1-5" in memory.conversation("t1").log.text
