"""Conversations that have ended: archived as a whole, once, found afterwards, and forgotten with the rest."""

import json
from datetime import timedelta
from pathlib import Path

import pytest
from tests.conversations.talking import START, opened, talk

from scrimshaw import Memory, NotFoundError, ObserveOptions
from scrimshaw.services.conversations import archive as module
from scrimshaw.services.conversations.archive import archive_ended, archive_path

_LATER = START + timedelta(days=3)


@pytest.fixture
def memory(tmp_path: Path) -> Memory:
    return opened(tmp_path)


def _file(memory: Memory, thread_id: str = "t1") -> Path:
    return archive_path(memory.target.layout, thread_id)


def _texts(memory: Memory, thread_id: str = "t1") -> list[str]:
    _head, *rows = map(json.loads, _file(memory, thread_id).read_text().splitlines())
    return [row["content"] for row in rows]


def _round(memory: Memory) -> int:
    return archive_ended(memory.target, memory._working_layer(), _LATER)


def test_a_closed_conversation_is_archived_as_a_whole_with_its_fields(memory: Memory) -> None:
    talk(memory, 2, resource_id="anna")

    told = memory.close_conversation("t1")

    assert told.to_dict()["memoryState"]["archived_messages"] == 4
    head, first, *rest = map(json.loads, _file(memory).read_text().splitlines())
    assert head == {"thread_id": "t1", "resource_id": "anna", "messages": 4}
    assert sorted(first) == sorted(
        ("id", "role", "content", "timestamp", "thread_id", "resource_id", "token_count")
    )
    assert [row["id"] for row in (first, *rest)] == ["u0", "a0", "u1", "a1"]
    assert _file(memory).stat().st_mode & 0o777 == 0o600


def test_a_day_of_silence_ends_a_conversation_and_less_does_not(memory: Memory) -> None:
    talk(memory, 1)
    talk(memory, 1, "t2", first=60 * 47)

    assert archive_ended(memory.target, memory._working_layer(), START + timedelta(days=2)) == 1

    assert _file(memory).exists()
    assert not _file(memory, "t2").exists()


def test_a_second_round_changes_nothing(memory: Memory) -> None:
    talk(memory, 1)
    assert _round(memory) == 1
    before = _file(memory).read_bytes()

    assert _round(memory) == 0
    memory.close_conversation("t1")

    assert _file(memory).read_bytes() == before


def test_the_next_message_opens_it_again_and_its_end_archives_all_of_it(memory: Memory) -> None:
    talk(memory, 1)
    memory.close_conversation("t1")
    talk(memory, 1, first=1)

    assert memory.conversation("t1").state.closed_at_ms is None
    assert len(_texts(memory)) == 2
    assert _round(memory) == 1
    assert len(_texts(memory)) == 4


def test_a_consolidation_archives_what_has_ended_and_a_dry_run_counts_it(memory: Memory) -> None:
    talk(memory, 1)
    memory._clock = lambda: _LATER

    assert memory.consolidate(dry_run=True).conversations == 1
    assert not _file(memory).exists()
    assert memory.consolidate().conversations == 1
    assert memory.consolidate().conversations == 0


def test_an_archived_conversation_is_found_among_the_transcripts(memory: Memory) -> None:
    talk(memory, 3)
    memory.close_conversation("t1")

    found = memory.search_messages("who sold the kettle?")

    assert [one.session.session_id for one in found.messages] == ["program:t1"]
    assert "kettle t1-1" in found.messages[0].entry.text


def test_what_was_closed_is_observed_by_the_next_run(memory: Memory) -> None:
    talk(memory, 3)
    memory.close_conversation("t1")

    memory.observe(ObserveOptions(waits=False))

    assert memory.conversation("t1").state.unobserved_token_count == 0


@pytest.mark.parametrize("at", ["replace", "note"])
def test_a_kill_at_any_step_is_made_good_by_the_next_round(
    memory: Memory, monkeypatch: pytest.MonkeyPatch, at: str
) -> None:
    talk(memory, 2)

    def killed(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    owner, name = (module.files, "replace") if at == "replace" else (module.conversations, "note_archived")
    with monkeypatch.context() as patched:
        patched.setattr(owner, name, killed)
        with pytest.raises(KeyboardInterrupt):
            _round(memory)

    assert _round(memory) == 1
    assert len(_texts(memory)) == 4
    assert [path.name for path in _file(memory).parent.iterdir()] == [_file(memory).name]


def test_a_file_that_is_gone_is_made_anew(memory: Memory) -> None:
    talk(memory, 1)
    _round(memory)
    _file(memory).unlink()

    assert _round(memory) == 1
    assert len(_texts(memory)) == 2


def test_what_was_forgotten_is_in_no_archive(memory: Memory) -> None:
    talk(memory, 3)
    talk(memory, 1, "t2")
    memory.force_observe("t1")
    memory.close_conversation("t1")
    memory.close_conversation("t2")

    memory.forget(memory.plan_forget("the kettle t1-1"))

    assert not _file(memory).exists()
    assert _file(memory, "t2").exists()
    assert _round(memory) == 1
    assert not any("kettle t1-1" in text for text in _texts(memory))
    assert any("lamp t1-0" in text for text in _texts(memory))


def test_no_thread_leads_out_of_the_folder_and_two_stay_apart(memory: Memory) -> None:
    names = ["../../x", "a/b", "a b", "a-b", "A" * 180, "é"]

    paths = {archive_path(memory.target.layout, name) for name in names}

    assert len(paths) == len(names)
    assert {path.parent for path in paths} == {memory.target.layout.conversations}
    assert all(len(path.name) < 90 for path in paths)


def test_what_nobody_has_said_cannot_be_closed(memory: Memory) -> None:
    with pytest.raises(NotFoundError):
        memory.close_conversation("nothing")
