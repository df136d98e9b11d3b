"""Rule 21, on the raw bytes of every file of the workspace: what is forgotten is nowhere, and stays out.

`holding` is the proof; its controls show that it sees a text in a page of the ledger, in the ledger's log,
and in a free page, and that the ledger alone would keep what is only blanked.
"""

import sqlite3
from contextlib import closing
from datetime import datetime
from unittest import mock

import pytest
from tests.forget.traces import ADDRESS, KEPT, SECRET, holding, told_secret
from tests.places import EXEC, Place
from tests.stores import FakeSession
from tests.support.prepared import Prepared

from scrimshaw.core.types import Author, Closed, EventType, Role
from scrimshaw.store.database import Database
from scrimshaw.store.records import Batch

LATER = "2026-11-21T09:00:00+00:00"


def _begun(place: Place) -> None:
    told_secret(place)
    place.take_turn()


@pytest.fixture
def place(prepared: Prepared) -> Place:
    return prepared(_begun)


def lines_of(place):
    with place.ledger() as ledger:
        return {line.observation.text: line for line in ledger.all_lines()}


# -- nowhere -------------------------------------------------------------------------------------------------


def test_what_is_forgotten_is_in_no_file_of_the_workspace(place):
    assert len(holding(place.workspace, SECRET, ADDRESS)) == 3

    answer = place.run("forget", SECRET, "--yes")

    assert answer.code == 0
    assert holding(place.workspace, SECRET, ADDRESS) == []
    assert KEPT in place.memory.read_text()


def test_the_proof_sees_a_text_in_the_write_ahead_log(place):
    with place.ledger() as ledger:
        ledger.set_meta("note", SECRET)

        assert ".scrimshaw/ledger.sqlite-wal" in holding(place.workspace, SECRET)


def test_the_log_and_free_pages_are_clean_while_another_process_has_the_ledger_open(place):
    with closing(sqlite3.connect(place.workspace / ".scrimshaw" / "ledger.sqlite")) as other:
        other.execute("pragma secure_delete = off")
        other.executescript(
            f"create table t (x); insert into t values ('{SECRET * 400}'); delete from t; drop table t;"
        )
        assert ".scrimshaw/ledger.sqlite-wal" in holding(place.workspace, SECRET)

        answer = place.run("forget", SECRET, "--yes")

        assert answer.code == 0
        assert holding(place.workspace, SECRET, ADDRESS) == []


def test_without_writing_the_file_anew_free_pages_would_keep_it(place):
    with closing(sqlite3.connect(place.workspace / ".scrimshaw" / "ledger.sqlite")) as other:
        other.execute("pragma secure_delete = off")
        other.executescript(
            f"create table t (x); insert into t values ('{SECRET * 400}'); delete from t; drop table t;"
        )
    rows = Database.rows

    def no_vacuum(self, sql, values=()):
        return [] if sql == "vacuum" else rows(self, sql, values)

    with mock.patch.object(Database, "rows", no_vacuum):
        assert place.run("forget", SECRET, "--yes").code == 0

    assert ".scrimshaw/ledger.sqlite" in holding(place.workspace, SECRET)


def test_copies_of_memory_are_cleaned_and_the_rest_of_them_stays(place):
    place.say(("We decided that unit-9x runs release 9.4.1 in production.", "Noted."))
    place.run("observe", now=LATER)
    copies = place.workspace / ".scrimshaw" / "backups"
    assert any("backups" in name for name in holding(place.workspace, SECRET))

    place.run("forget", SECRET, "--yes", now=LATER)

    assert holding(place.workspace, SECRET, ADDRESS) == []
    assert all(KEPT in copy.read_text() or "Standing" not in copy.read_text() for copy in copies.iterdir())


def test_every_revision_shows_it_as_forgotten_and_keeps_its_other_lines(place):
    with place.ledger() as ledger:
        before = ledger.revisions(100)

    place.run("forget", SECRET, "--yes")

    with place.ledger() as ledger:
        after = {revision.number: revision for revision in ledger.revisions(100)}
    for revision in before:
        assert after[revision.number].line_ids == revision.line_ids
        assert "- [forgotten]" in after[revision.number].body
        assert KEPT in after[revision.number].body


def test_the_review_list_loses_what_says_the_same(place):
    with place.ledger() as ledger:
        refused = list(_proposals(ledger, place))
        ledger.accept(Batch("r", 1, rejections=tuple(refused)))
        assert len(ledger.rejections(10)) == 2

    place.run("forget", SECRET, "--yes")

    with place.ledger() as ledger:
        assert [one.rejected.proposal.text for one in ledger.rejections(10)] == ["Something else entirely"]
    assert holding(place.workspace, SECRET, ADDRESS) == []


def _proposals(ledger, place):
    from scrimshaw.core.types import Kind, Proposal, Rejected

    session = next(iter(ledger.sessions()))
    for text in (f"I live near {SECRET} at {ADDRESS}", "Something else entirely"):
        said = f"My sister {SECRET} lives at {ADDRESS}, please remember it."
        detail = f"the same as: {said}" if SECRET in text else "no name"
        yield session, Rejected(Proposal(text, Kind.FACT, 3, ("x",), Role.USER), "duplicate", detail)


def test_a_person_s_own_line_over_several_rows_is_forgotten_everywhere(place):
    text = place.memory.read_text()
    note = "- Doctor's note for me\n  call Margarethe Quillfeather\n  at nine\n"
    place.memory.write_text(text.replace("### Standing\n", f"### Standing\n{note}"))
    place.run("observe", now=LATER)

    answer = place.run("forget", "Doctor's note", "--yes", now=LATER)

    assert answer.code == 0
    assert holding(place.workspace, "Doctor's note", "call Margarethe") == []
    assert ADDRESS in place.memory.read_text()


def test_text_outside_the_section_is_left_and_told_with_its_line(place):
    text = place.memory.read_text()
    said = f"My sister {SECRET} lives at {ADDRESS}, please remember it."
    place.memory.write_text(text.replace("- mine", f"- {said}"))

    answer = place.run("forget", SECRET, "--yes")

    assert answer.code == 0
    assert f"{place.memory} (line 3)" in answer.out
    assert holding(place.workspace, SECRET) == ["MEMORY.md"]
    assert place.memory.read_text().startswith(f"# Memory\n\n- {said}\n")


def test_the_index_is_taken_away_with_it(place):
    index = place.workspace / ".scrimshaw" / "index" / "words"
    index.mkdir(parents=True)
    (index / "segment").write_text(SECRET)

    place.run("forget", SECRET, "--yes")

    assert holding(place.workspace, SECRET) == []


# -- which -------------------------------------------------------------------------------------------------


def test_words_of_two_lines_are_no_answer_and_the_list_tells_them_apart(place):
    answer = place.run("forget", "in production", "--yes")

    assert answer.code == 2
    assert KEPT in answer.err
    assert "unit-7x" in answer.err
    assert KEPT in place.memory.read_text()


def test_all_takes_every_line_that_has_the_words(place):
    answer = place.run("forget", "in production", "--all", "--yes")

    assert answer.code == 0
    assert holding(place.workspace, KEPT, "unit-7x") == []
    assert SECRET in place.memory.read_text()


def test_an_id_names_a_line(place):
    id_ = next(line.observation.id for text, line in lines_of(place).items() if SECRET in text)

    answer = place.run("forget", id_[:8], "--yes")

    assert answer.code == 0
    assert holding(place.workspace, SECRET) == []


def test_a_line_pasted_from_the_section_is_found(place):
    row = next(row for row in place.memory.read_text().splitlines() if SECRET in row)

    answer = place.run("forget", row, "--yes")

    assert answer.code == 0
    assert holding(place.workspace, SECRET) == []


def test_a_line_that_a_person_changed_goes_with_what_it_was(place):
    text = place.memory.read_text()
    place.memory.write_text(text.replace("lives at", "no longer lives at"))
    place.run("observe", now=LATER)

    answer = place.run("forget", "no longer lives", "--yes", now=LATER)

    assert "the same, changed by hand" in answer.out
    assert holding(place.workspace, SECRET, ADDRESS) == []


def test_a_closed_line_can_be_forgotten(place):
    text = place.memory.read_text()
    place.memory.write_text("\n".join(row for row in text.split("\n") if SECRET not in row))
    place.run("observe", now=LATER)
    assert holding(place.workspace, SECRET) != []

    assert place.run("forget", SECRET, "--yes", now=LATER).code == 0

    assert holding(place.workspace, SECRET, ADDRESS) == []


def test_one_conversation_is_forgotten_and_the_others_stay(tmp_path):
    place = Place(
        tmp_path / "machine", sessions=[FakeSession(), FakeSession(key="agent:main:explicit:diary")]
    )
    place.sessions[1].user(f"My sister {SECRET} lives at {ADDRESS}, please remember it.")
    place.sessions[1].assistant("I will.")
    place.say((f"We decided that {KEPT}.", "Noted."))
    place.run("observe", "--yes")

    answer = place.run("forget", "--session", "agent:main:explicit:diary", "--yes")

    assert answer.code == 0
    assert holding(place.workspace, SECRET, ADDRESS) == []
    assert KEPT in place.memory.read_text()


def test_all_before_a_day_is_forgotten(place):
    answer = place.run("forget", "--before", "2026-11-19", "--yes")

    assert answer.code == 0
    assert holding(place.workspace, SECRET, ADDRESS, KEPT, "unit-7x") == []


def test_nothing_goes_before_a_day_on_which_nothing_was_said(place):
    answer = place.run("forget", "--before", "2020-01-01", "--yes")

    assert answer.code == 0
    assert SECRET in place.memory.read_text()


@pytest.mark.parametrize(
    "args",
    [(), ("--all",), (SECRET, "--session", "x"), ("--before", "no day"), ("--session", "nobody"), ("...",)],
)
def test_what_cannot_be_understood_forgets_nothing(place, args):
    answer = place.run("forget", *args, "--yes")

    assert answer.code == 2
    assert len(holding(place.workspace, SECRET, ADDRESS)) == 3


# -- who ---------------------------------------------------------------------------------------------------


def test_without_a_terminal_it_needs_yes(place):
    answer = place.run("forget", SECRET)

    assert answer.code == 4
    assert len(holding(place.workspace, SECRET, ADDRESS)) == 3


def test_a_dry_run_changes_no_byte(place):
    before = {path: path.read_bytes() for path in place.workspace.rglob("*") if path.is_file()}

    answer = place.run("forget", SECRET, "--dry-run")

    assert SECRET in answer.out
    after = {path: path.read_bytes() for path in place.workspace.rglob("*") if path.is_file()}
    changed = {path.name for path in before.keys() | after.keys() if before.get(path) != after.get(path)}
    assert changed <= {"scrimshaw.log"}


def test_an_agent_may_have_one_statement_forgotten(place):
    answer = place.run("forget", SECRET, "--yes", env=EXEC)

    assert answer.code == 0
    assert holding(place.workspace, SECRET) == []


@pytest.mark.parametrize("args", [("in production", "--all"), ("--before", "today"), ("--session", "main")])
def test_an_agent_may_not_have_much_forgotten(place, args):
    answer = place.run("forget", *args, "--yes", env=EXEC)

    assert answer.code == 4
    assert KEPT in place.memory.read_text()


def test_an_agent_may_not_have_the_person_s_own_line_forgotten(place):
    place.run("add", "Never deploy on a Friday")

    answer = place.run("forget", "Never deploy", "--yes", env=EXEC)

    assert answer.code == 4
    assert "Never deploy on a Friday" in lines_of(place)


@pytest.mark.parametrize("args", [("--yes",), ("--dry-run",), ("--yes", "--json")])
def test_an_agent_may_not_have_a_recorded_memory_file_changed(place, args):
    place.record("agent")
    place.say(("We decided that unit-9x runs release 9.4.1 in production.", "Noted."))
    place.run("observe", now=LATER)
    before = place.memory.read_bytes()

    answer = place.run("forget", SECRET, *args, env=EXEC, now=LATER)

    assert answer.code == 4
    assert "only the person can agree" in answer.out + answer.err
    assert place.memory.read_bytes() == before
    assert "ledger.sqlite" in " ".join(holding(place.workspace, SECRET))


def test_an_agent_may_have_forgotten_what_a_recorded_memory_file_does_not_hold(place):
    place.record("agent")
    place.say(("We decided that unit-9x runs release 9.4.1 in production.", "Noted."))
    place.run("observe", now=LATER)

    answer = place.run("forget", "unit-9x", "--yes", env=EXEC, now=LATER)

    assert answer.code == 0
    assert holding(place.workspace, "release 9.4.1") == []


# -- stays out -----------------------------------------------------------------------------------------------


def test_it_does_not_come_back_when_the_transcript_is_read_again(place):
    with place.ledger() as ledger:
        line = next(line for line in ledger.all_lines() if SECRET in line.observation.text)
    place.run("forget", SECRET, "--yes")

    with place.ledger() as ledger:
        again = line.observation.__class__(
            **{name: getattr(line.observation, name) for name in line.observation.__slots__ if name != "id"},
            id="0" * 24,
        )
        stone = ledger.tombstoned(again)

    assert stone is not None
    assert stone.is_forgotten


def test_what_was_forgotten_gets_on_no_review_list(place):
    from scrimshaw.core.types import Kind, Proposal, Rejected

    with place.ledger() as ledger:
        line = next(line for line in ledger.all_lines() if SECRET in line.observation.text).observation
    place.run("forget", SECRET, "--yes")

    with place.ledger() as ledger:
        proposal = Proposal(f"Lives with {SECRET}", Kind.FACT, 3, line.sources, Role.ASSISTANT)
        ledger.accept(
            Batch("r", 1, rejections=((line.session_id, Rejected(proposal, "deleted-by-hand", "")),))
        )

        assert ledger.rejections(10) == []
    assert holding(place.workspace, SECRET) == []


def test_a_forgotten_conversation_is_not_read_on_from_before(place):
    with place.ledger() as ledger:
        line = next(line for line in ledger.all_lines() if SECRET in line.observation.text).observation
        session = ledger.sessions()[line.session_id]
    place.run("forget", "--session", session.session_key, "--yes")

    with place.ledger() as ledger:
        unread = {"id": "1" * 24, "sources": ("not-read-yet",), "text": "Another thing", "claim": None}
        fields = {name: getattr(line, name) for name in line.__slots__}
        early = line.__class__(**{**fields, **unread})
        late = line.__class__(**{**fields, **unread, "said_at_ms": 1_900_000_000_000})

        assert ledger.tombstoned(early) is not None
        assert ledger.tombstoned(late) is None


def test_a_person_may_write_the_same_words_again(place):
    place.run("add", "Never deploy on a Friday", "--now")
    place.run("forget", "Never deploy", "--yes")
    assert holding(place.workspace, "Never deploy") == []

    place.run("add", "Never deploy on a Friday", "--now")
    place.run("observe", now=LATER)

    assert "Never deploy on a Friday" in place.memory.read_text()


def test_the_same_words_written_into_the_section_by_hand_stay_there(place):
    mine = "### Standing\n- Never deploy on a Friday\n"
    place.memory.write_text(place.memory.read_text().replace("### Standing\n", mine))
    place.run("observe", now=LATER)
    place.run("forget", "Never deploy", "--yes", now=LATER)
    assert "Never deploy" not in place.memory.read_text()

    place.memory.write_text(place.memory.read_text().replace("### Standing\n", mine))
    place.run("observe", now="2026-11-21T10:00:00+00:00")
    place.run("observe", now="2026-11-21T11:00:00+00:00")

    assert "- Never deploy on a Friday\n" in place.memory.read_text()


def test_the_entry_ids_and_a_keyed_hash_are_kept_and_no_claim(place):
    with place.ledger() as ledger:
        line = next(line for line in ledger.all_lines() if SECRET in line.observation.text).observation
    place.run("forget", SECRET, "--yes")

    with place.ledger() as ledger:
        kept = ledger.line(line.id)
    with closing(sqlite3.connect(place.workspace / ".scrimshaw" / "ledger.sqlite")) as raw:
        stones = raw.execute("select claim_subject, length(text_hash) from tombstone").fetchall()
    assert kept.observation.sources == line.sources
    assert kept.observation.text == "[forgotten]"
    assert kept.standing.closed is Closed.FORGOTTEN
    assert (None, 16) in stones
    assert all(subject is None for subject, _ in stones)


# -- the section as it is ------------------------------------------------------------------------------------


def test_damaged_markers_stop_it_before_anything_is_forgotten(place):
    place.memory.write_text(place.memory.read_text().replace("<!-- scrimshaw:end -->", ""))

    answer = place.run("forget", SECRET, "--yes")

    assert answer.code == 4
    assert len(holding(place.workspace, SECRET, ADDRESS)) == 3


def test_a_large_deletion_by_hand_is_decided_first(place):
    text = place.memory.read_text()
    place.memory.write_text("\n".join(row for row in text.split("\n") if "decided" not in row))

    answer = place.run("forget", SECRET, "--yes")

    assert answer.code == 4
    assert "accept-edits" in answer.err


def test_most_of_the_section_can_be_forgotten_at_once(place):
    answer = place.run("forget", "--before", "2026-12-01", "--yes")
    again = place.run("observe", now=LATER)

    assert answer.code == 0
    assert again.code == 0
    assert holding(place.workspace, SECRET, KEPT, "unit-7x") == []
    assert place.memory.read_bytes().startswith(b"# Memory\n\n- mine\n")


def test_a_section_kept_aside_and_the_copy_inside_memory_are_both_cleaned(place):
    place.record("agent")
    place.say(("We decided that unit-9x runs release 9.4.1 in production.", "Noted."))
    place.run("observe", now=LATER)
    held = holding(place.workspace, SECRET)
    assert "MEMORY.md" in held
    assert "memory/observations/MEMORY.md" in held

    answer = place.run("forget", SECRET, "--yes", now=LATER)

    assert "OpenClaw has a record of MEMORY.md" in answer.out
    assert holding(place.workspace, SECRET, ADDRESS) == []
    assert place.memory.read_bytes().startswith(b"# Memory\n\n- mine\n")


def test_what_it_says_as_json(place):
    shown = place.run("forget", SECRET, "--dry-run", "--json").object
    done = place.run("forget", SECRET, "--yes", "--json").object

    assert (shown["outcome"], len(shown["lines"])) == ("shown", 1)
    assert (done["outcome"], done["count"], done["left"]) == ("forgotten", 1, [])


def test_the_events_tell_that_and_when_but_not_what(place):
    place.run("forget", SECRET, "--yes")

    with place.ledger() as ledger:
        told = [one.event for one in ledger.events_since(0) if one.event.type is EventType.FORGOTTEN]
    assert [(event.by, event.reason) for event in told] == [(Author.PERSON.value, "")]


def test_what_is_said_later_in_a_forgotten_conversation_is_noted_and_what_was_said_before_is_not(place):
    with place.ledger() as ledger:
        session = next(iter(ledger.sessions().values()))
    place.say(("We decided that the orchard project starts with pears.", "Noted."))  # not read yet
    place.run("forget", "--session", session.session_key, "--yes")

    place.session.at_ms = int(datetime.fromisoformat("2026-11-21T08:00:00+00:00").timestamp() * 1000)
    place.say(("We decided that unit-4x runs release 4.4.1 in production.", "Noted."))
    place.run("observe", now=LATER)

    assert "unit-4x" in place.memory.read_text()
    assert holding(place.workspace, "orchard project", SECRET, KEPT) == []


def test_an_agent_cannot_note_again_what_was_forgotten(place):
    place.run("forget", SECRET, "--yes")

    answer = place.run("add", f"My sister {SECRET} lives at {ADDRESS}", env=EXEC)

    assert answer.code == 4
    assert holding(place.workspace, SECRET, ADDRESS) == []
