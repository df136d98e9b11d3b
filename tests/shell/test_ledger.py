"""The ledger: what becomes true together, what can never change, and what is wrong with its file."""

import json
import os
import sqlite3
import stat
from collections.abc import Iterator
from datetime import date
from pathlib import Path

import pytest
from tests.shell.made import SESSION, observation, ordinary_user

from scrimshaw.core.types import (
    Act,
    Author,
    Claim,
    Closed,
    DateRef,
    Event,
    EventType,
    Kind,
    Observation,
    Place,
    Proposal,
    Rejected,
    Role,
    Session,
    SessionKind,
)
from scrimshaw.errors import UserError
from scrimshaw.store.ledger import Ledger, open_ledger
from scrimshaw.store.migrations import MIGRATIONS
from scrimshaw.store.records import (
    Accepted,
    Batch,
    Cursor,
    Revision,
    RevisionState,
    Run,
    RunCounts,
    StoredEvent,
    WriteConflict,
)

AT = 1_700_000_000_000


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "ledger.sqlite"


@pytest.fixture
def ledger(path: Path) -> Iterator[Ledger]:
    with open_ledger(path, create=True) as ledger:
        ledger.begin_run(Run("r1", "observe", "request", "rules", AT))
        yield ledger


def batch(*observations: Observation, **parts: object) -> Batch:
    return Batch("r1", AT, observations, sessions=(SESSION,), **parts)  # type: ignore[arg-type]


def event(kind: EventType, observation_id: str, **parts: object) -> Event:
    return Event(kind, observation_id, AT + 1, "r1", **parts)  # type: ignore[arg-type]


# -- accepting --------------------------------------------------------------------------------------------


def test_accept_keeps_every_field(ledger: Ledger) -> None:
    full = observation(
        1,
        kind=Kind.NEXT_STEP,
        priority=5,
        place=Place.OPEN,
        done=True,
        author=Author.MODEL,
        sources=("e1", "é2"),
        speaker=Role.ASSISTANT,
        refers_to=DateRef(date(2026, 11, 24), date(2026, 11, 25), "09:30", "next Tuesday", certain=False),
        claim=Claim("billing-api", "version", "2.4.1"),
        confidence=0.75,
        salience=0.25,
        run_id="r1",
        tokens=7,
        level=1,
        supports=("o8", "o9"),
        pattern="weekly",
    )
    plain = observation(2, local_time="", session_id="", sources=())

    ledger.accept(batch(full, plain))

    assert [full, plain] == [line.observation for line in ledger.live_lines()]


def test_accept_tells_what_was_new_and_records_that_it_was_observed(ledger: Ledger) -> None:
    ledger.accept(batch(observation(1)))

    answer = ledger.accept(batch(observation(1), observation(2), observation(2)))

    assert Accepted(("o2",), 2) == answer
    assert [StoredEvent(2, Event(EventType.OBSERVED, "o2", AT, "r1"))] == ledger.events_since(1)


def test_accept_of_the_same_batch_again_changes_nothing(ledger: Ledger) -> None:
    ledger.accept(batch(observation(1)))
    again = batch(
        observation(2),
        events=(event(EventType.REINFORCED, "o1"), event(EventType.REINFORCED, "o1")),
        covered={"s1": {"e1", "e2"}},
        counts=RunCounts(windows=1, rejected=1),
        rejections=(("s1", Rejected(_proposal(), "date", "no such date")),),
    )
    ledger.accept(again)
    before = (ledger.counts(), ledger.last_run(), ledger.all_lines())

    answer = ledger.accept(again)

    assert Accepted((), 4) == answer
    assert before == (ledger.counts(), ledger.last_run(), ledger.all_lines())
    assert before[2][0].standing.reinforced == 2


def test_accept_of_a_batch_without_coverage_again_appends_no_event_twice(ledger: Ledger) -> None:
    ledger.accept(batch(observation(1)))
    edit = batch(observation(2, author=Author.PERSON), events=(event(EventType.EDITED, "o1", other_id="o2"),))
    ledger.accept(edit)

    assert Accepted((), 3) == ledger.accept(edit)


def test_accept_refuses_what_another_process_has_covered_in_part(ledger: Ledger, path: Path) -> None:
    with open_ledger(path, create=False) as other:
        other.accept(batch(observation(1), covered={"s1": {"e1", "e2"}}))

    answer = ledger.accept(batch(observation(2), covered={"s1": {"e2", "e3"}}))

    assert WriteConflict(1, (("s1", "e2"),)) == answer
    assert [line.observation.id for line in ledger.live_lines()] == ["o1"]
    assert {"e3"} == ledger.uncovered("s1", {"e2", "e3"})


def test_accept_refuses_when_somebody_was_faster(ledger: Ledger, path: Path) -> None:
    version = ledger.version()
    with open_ledger(path, create=False) as other:
        other.accept(batch(observation(1)))

    assert WriteConflict(1) == ledger.accept(batch(observation(2)), expected_version=version)


def test_accept_is_all_or_nothing(ledger: Ledger) -> None:
    broken = batch(observation(1), covered={"s1": {"e1"}, "never heard of": {"e2"}}, cursors=(_cursor(),))

    with pytest.raises(ValueError, match="covered before it is known"):
        ledger.accept(broken)

    assert ([], 0, {"e1"}) == (ledger.all_lines(), ledger.version(), ledger.uncovered("s1", {"e1"}))
    assert (ledger.cursors("store"), ledger.sessions()) == ({}, {})


def test_accept_counts_nothing_for_a_run_that_has_not_begun(ledger: Ledger) -> None:
    with pytest.raises(ValueError, match="before it has begun"):
        ledger.accept(Batch("r9", AT, counts=RunCounts(windows=1)))


# Also what is no fault of the program's: Ctrl-C and an end that is asked for in the middle of it.
_ENDS = pytest.mark.parametrize("end", [RuntimeError, KeyboardInterrupt, SystemExit, GeneratorExit])


@_ENDS
def test_a_transaction_holds_calls_together(ledger: Ledger, path: Path, end: type[BaseException]) -> None:
    def step() -> None:
        with ledger.transaction():
            ledger.accept(batch(observation(1)))
            ledger.set_meta("zone", "UTC")
            raise end

    with pytest.raises(end):
        step()

    assert (ledger.all_lines(), ledger.meta().get("zone")) == ([], None)
    with open_ledger(path, create=False) as other:  # which the first does not keep out
        other.set_meta("agent", "main")


@_ENDS
def test_a_part_of_a_transaction_that_fails_leaves_the_rest(ledger: Ledger, end: type[BaseException]) -> None:
    def part() -> None:
        with ledger.transaction():
            ledger.set_meta("agent", "main")
            raise end

    with ledger.transaction():
        ledger.set_meta("zone", "UTC")
        with pytest.raises(end):
            part()

    assert (ledger.meta()["zone"], ledger.meta().get("agent")) == ("UTC", None)


# -- standings, tombstones --------------------------------------------------------------------------------


def test_a_closed_line_is_no_longer_live_and_says_what_took_its_place(ledger: Ledger) -> None:
    ledger.accept(batch(observation(1)))
    ledger.accept(batch(observation(2), events=(event(EventType.SUPERSEDED, "o1", other_id="o2"),)))

    closed = ledger.line("o1")

    assert [line.observation.id for line in ledger.live_lines()] == ["o2"]
    assert closed is not None
    assert (
        closed.standing.closed,
        closed.standing.closed_by,
        closed.standing.closed_at_ms,
    ) == (Closed.SUPERSEDED, "o2", AT + 1)
    assert {"o1": closed} == ledger.lines(["o1", "o3"])
    assert [stored.seq for stored in ledger.events_of("o1")] == [1, 3]


def test_the_section_is_enabled_until_a_person_removes_it(ledger: Ledger) -> None:
    seen = [ledger.is_section_enabled()]
    for kind in (EventType.DISABLED, EventType.ENABLED):
        ledger.append([event(kind, "")])
        seen.append(ledger.is_section_enabled())

    assert seen == [True, False, True]


def test_rebuild_repairs_a_standing_that_is_not_what_the_events_say(ledger: Ledger, path: Path) -> None:
    ledger.accept(batch(observation(1), observation(2)))
    ledger.append([event(EventType.PINNED, "o1")])
    with sqlite3.connect(path) as meddler:
        meddler.execute("update standing set is_pinned = 0, place = 'open'")

    assert ledger.rebuild() == 2

    assert [line.standing.is_pinned for line in ledger.live_lines()] == [True, False]
    assert ledger.rebuild() == 0


_CLAIM = Claim("editor", "is", "vim")
_ASSISTANT = {"speaker": Role.ASSISTANT, "said_at_ms": AT + 9}


@pytest.mark.parametrize(
    ("again", "by_what"),
    [
        (observation(2, text="  Statement  NUMBER 1", **_ASSISTANT), "text"),
        (observation(2, claim=_CLAIM, **_ASSISTANT), "claim"),
        (observation(2, sources=("e7", "e1"), **_ASSISTANT), "entries"),
        (observation(2, sources=("e1",), speaker=Role.USER, said_at_ms=AT), "entries"),
    ],
)
def test_what_a_person_deleted_stays_out(ledger: Ledger, again: Observation, by_what: str) -> None:
    ledger.accept(batch(observation(1, claim=_CLAIM)))
    ledger.append([event(EventType.DELETED, "o1")])

    stone = ledger.tombstoned(again)

    assert stone is not None
    assert ("o1", by_what) == (stone.observation_id, stone.by_what)


@pytest.mark.parametrize(
    "different",
    [
        observation(2, **_ASSISTANT),
        observation(2, sources=("e1",), claim=Claim("shell", "is", "fish"), **_ASSISTANT),
        observation(2, claim=Claim("editor", "is", "emacs"), **_ASSISTANT),
        observation(2, sources=("e1",), session_id="another", **_ASSISTANT),
        observation(2, text="statement number 1", speaker=Role.USER, said_at_ms=AT + 9),
    ],
    ids=["unrelated", "other claim of the message", "other object", "other session", "said again later"],
)
def test_what_is_different_or_said_again_by_the_person_is_not_kept_out(
    ledger: Ledger, different: Observation
) -> None:
    ledger.accept(batch(observation(1, claim=_CLAIM)))
    ledger.append([event(EventType.DELETED, "o1")])

    assert ledger.tombstoned(different) is None


@pytest.mark.parametrize(
    "again",
    [
        observation(2, text="statement number 1", **_ASSISTANT),
        observation(2, claim=_CLAIM, **_ASSISTANT),
        observation(2, sources=("e1",), **_ASSISTANT),
    ],
    ids=["text", "claim", "entries"],
)
def test_an_edited_line_stays_out_and_a_restored_one_may_come_back(
    ledger: Ledger, again: Observation
) -> None:
    ledger.accept(batch(observation(1, claim=_CLAIM)))
    seen = [ledger.tombstoned(again) is not None]
    for kind in (EventType.EDITED, EventType.RESTORED):
        ledger.append([event(kind, "o1")])
        seen.append(ledger.tombstoned(again) is not None)

    assert seen == [False, True, False]


def test_a_line_rests_on_the_entries_of_all_that_was_merged_into_it(ledger: Ledger) -> None:
    ledger.accept(batch(observation(1), observation(2), observation(3, session_id="s2"), observation(4)))
    ledger.append(
        [event(EventType.MERGED, "o3", other_id="o2"), event(EventType.MERGED, "o2", other_id="o1")]
    )

    assert ledger.sources("o1") == (("s1", "e1"), ("s1", "e2"), ("s2", "e3"))
    assert ledger.sources("o4") == (("s1", "e4"),)
    assert ledger.sources("unknown") == ()


def test_the_words_and_claims_of_a_merged_line_stay_out_with_the_deleted_one(ledger: Ledger) -> None:
    ledger.accept(batch(observation(1), observation(2, claim=_CLAIM)))
    ledger.append([event(EventType.MERGED, "o2", other_id="o1"), event(EventType.DELETED, "o1")])
    again = observation(3, claim=_CLAIM, **_ASSISTANT)

    stone = ledger.tombstoned(again)

    assert stone is not None
    assert (stone.observation_id, stone.by_what) == ("o1", "claim")


def test_a_merged_line_keeps_its_place_in_the_archives_without_a_mark(ledger: Ledger) -> None:
    ledger.accept(batch(observation(1), observation(2)))
    before = ledger.pending_outbox("dated")

    ledger.append([event(EventType.MERGED, "o2", other_id="o1")])

    assert before == ledger.pending_outbox("dated")


# -- append-only ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "statement",
    [
        "update observation set text = 'x'",
        "delete from observation",
        "update event set reason = 'x'",
        "delete from event",
        "update revision set body = 'x'",
        "delete from revision",
        "delete from covered",
        "update covered set entry_hash = 0",
    ],
)
def test_the_file_itself_refuses_to_forget(ledger: Ledger, path: Path, statement: str) -> None:
    ledger.accept(batch(observation(1), covered={"s1": {"e1"}}))
    ledger.add_revision(_revision())

    with sqlite3.connect(path) as meddler, pytest.raises(sqlite3.IntegrityError, match="never"):
        meddler.execute(statement)


def test_only_forgetting_may_blank_a_text(ledger: Ledger, path: Path) -> None:
    ledger.accept(batch(observation(1)))

    with sqlite3.connect(path) as forgetter:
        forgetter.execute("insert into forgetting values (1)")
        forgetter.execute("update observation set text = '[forgotten]'")
        forgetter.execute("delete from forgetting")

    line = ledger.line("o1")
    assert line is not None
    assert line.observation.text == "[forgotten]"


# -- coverage and cursors ---------------------------------------------------------------------------------


def test_coverage_is_by_session_and_entry(ledger: Ledger) -> None:
    other = Session("s2", "agent:main:main", "main", SessionKind.DIRECT)
    ledger.accept(Batch("r1", AT, sessions=(SESSION, other), covered={"s1": ["e1", "e2"], "s2": ["e3"]}))

    assert {"e3"} == ledger.uncovered("s1", ["e1", "e2", "e3"])
    assert {"e1", "e2"} == ledger.uncovered("s2", ["e1", "e2", "e3"])
    assert {"e1"} == ledger.uncovered("s3", ["e1"])
    assert ledger.counts().covered == 3


def test_a_cursor_is_replaced_and_a_session_key_is_remembered(ledger: Ledger) -> None:
    ledger.accept(Batch("r1", AT, sessions=(SESSION,), cursors=(_cursor(), _cursor("s2"))))
    nameless = SESSION._replace(session_key="")
    ledger.accept(Batch("r1", AT, sessions=(nameless,), cursors=(_cursor(position="p2"),)))

    assert _cursor(position="p2") == ledger.cursors("store")["s1"]
    assert {"s1", "s2"} == set(ledger.cursors("store"))
    assert ledger.cursors("another store") == {}
    assert ({"s1": SESSION}, {"s1": SESSION.session_key}) == (ledger.sessions(), ledger.session_keys())


# -- runs, revisions, review, outbox ----------------------------------------------------------------------


def test_a_run_counts_what_its_batches_did(ledger: Ledger) -> None:
    for number in (1, 2):
        counts = RunCounts(1, 2, 3, 4, 5, {"aws-key": number, "jwt": 1})
        ledger.accept(batch(observation(number), counts=counts))
    ledger.finish_run("r1", outcome="revised", at_ms=AT + 5, error="")

    total = RunCounts(2, 4, 6, 8, 10, {"aws-key": 3, "jwt": 2})
    assert Run("r1", "observe", "request", "rules", AT, AT + 5, "revised", "", total) == ledger.last_run()
    assert (ledger.counts().redacted, ledger.counts().rejected) == ({"aws-key": 3, "jwt": 2}, 10)


def test_the_last_run_is_that_of_the_job_asked_for(ledger: Ledger) -> None:
    ledger.begin_run(Run("r2", "reflect", "schedule", "rules", AT + 1))

    runs = [ledger.last_run(), ledger.last_run("observe"), ledger.last_run("none")]

    assert [run and run.run_id for run in runs] == ["r2", "r1", None]


def test_a_revision_counts_as_on_disk_only_when_it_is_settled(ledger: Ledger) -> None:
    first, second, third = (ledger.add_revision(_revision(body=f"body {n}")) for n in (1, 2, 3))
    ledger.settle_revision(first, RevisionState.WRITTEN)
    ledger.settle_revision(second, RevisionState.ABANDONED)

    latest = ledger.latest_revision()

    assert _revision(number=first, body="body 1", state=RevisionState.WRITTEN) == latest
    assert [third, first] == [revision.number for revision in ledger.revisions(10)]
    assert ([third], []) == ([r.number for r in ledger.revisions(1)], ledger.revisions(9, "elsewhere"))
    assert ledger.latest_revision("elsewhere") is None


def test_a_rejected_proposal_comes_back_whole_and_stands_on_the_list_once(ledger: Ledger) -> None:
    rejected = Rejected(_proposal(), "date", "no such date in e1")
    for number in (1, 2):
        ledger.accept(batch(observation(number), rejections=(("s1", rejected),)))

    listed = ledger.rejections(10)

    assert [(rejected, "s1", "open")] == [(r.rejected, r.session_id, r.state) for r in listed]
    assert ledger.counts().awaiting_review == {"date": 1}


def test_the_archives_owe_every_observation_and_every_mark_until_it_is_done(ledger: Ledger) -> None:
    ledger.accept(batch(observation(1), observation(3), observation(4)))
    ledger.accept(
        batch(
            observation(2, local_date="2026-11-19"),
            events=(
                event(EventType.SUPERSEDED, "o1", other_id="o2"),
                event(EventType.WITHDRAWN, "o3"),
                event(EventType.DELETED, "o4"),
                event(EventType.RESTORED, "o4"),
            ),
        )
    )
    items = ledger.pending_outbox("dated")

    ledger.mark_done([item.number for item in items[:3]], at_ms=AT)

    owed = [(i.act, i.observation.id, i.marked_on) for i in items]
    assert owed == [
        (Act.APPEND, "o1", ""),
        (Act.APPEND, "o3", ""),
        (Act.APPEND, "o4", ""),
        (Act.APPEND, "o2", ""),
        (Act.MARK_SUPERSEDED, "o1", "2026-11-19"),
        (Act.MARK_WITHDRAWN, "o3", "2023-11-14"),  # AT, in Paris
        (Act.MARK_REMOVED, "o4", "2023-11-14"),
        (Act.RESTORE, "o4", "2023-11-14"),
    ]
    assert items[3:] == ledger.pending_outbox("dated")
    assert items[3:4] == ledger.pending_outbox("dated", limit=1)
    assert ledger.counts().pending_outbox == {"dated": 5}


def test_counts_tell_live_from_shown(ledger: Ledger) -> None:
    ledger.accept(batch(observation(1), observation(2), observation(3)))
    ledger.append([event(EventType.TRIMMED, "o1"), event(EventType.DROPPED, "o2")])

    counts = ledger.counts()

    assert (counts.observations, counts.live, counts.shown, counts.version) == (3, 2, 1, 5)


# -- the file ---------------------------------------------------------------------------------------------


def test_a_missing_ledger_is_made_only_when_asked(path: Path) -> None:
    for read_only in (True, False):
        with pytest.raises(UserError, match="no ledger yet"):
            open_ledger(path, create=False, read_only=read_only)

    assert not path.exists()


def test_a_new_ledger_is_for_its_owner_alone(path: Path, ledger: Ledger) -> None:
    ledger.accept(batch(observation(1)))

    modes = {entry.name: stat.S_IMODE(entry.stat().st_mode) for entry in path.parent.iterdir()}
    assert modes == {"ledger.sqlite": 0o600, "ledger.sqlite-shm": 0o600, "ledger.sqlite-wal": 0o600}


def test_a_ledger_survives_being_closed_and_leaves_one_file(path: Path) -> None:
    for number in (1, 2):
        with open_ledger(path, create=True) as ledger:
            ledger.accept(Batch("r", AT, (observation(number),)))

    assert [entry.name for entry in path.parent.iterdir()] == ["ledger.sqlite"]
    with open_ledger(path, create=False, read_only=True) as ledger:
        assert len(ledger.live_lines()) == 2


def test_a_file_of_no_bytes_is_the_leftover_of_a_kill(path: Path) -> None:
    path.touch()

    with pytest.raises(UserError, match="no ledger yet"):
        open_ledger(path, create=False)
    with open_ledger(path, create=True) as ledger:
        assert ledger.version() == 0


def test_an_open_ledger_can_be_read_beside_its_writer(path: Path, ledger: Ledger) -> None:
    ledger.accept(batch(observation(1)))

    with open_ledger(path, create=False, read_only=True) as reader:
        assert reader.counts().live == 1


def test_a_read_only_ledger_refuses_to_be_written(path: Path, ledger: Ledger) -> None:
    with (
        open_ledger(path, create=False, read_only=True) as reader,
        pytest.raises(UserError, match="Nothing of this step was written"),
    ):
        reader.accept(batch(observation(1)))


def test_a_ledger_in_a_read_only_folder_can_be_read_and_not_written() -> None:
    with ordinary_user() as folder:
        path = folder / "ledger.sqlite"
        with open_ledger(path, create=True) as ledger:
            ledger.accept(Batch("r", AT, (observation(1),)))
        path.chmod(0o400)
        folder.chmod(0o500)

        with open_ledger(path, create=False, read_only=True) as ledger:
            assert ledger.counts().live == 1
        with pytest.raises(UserError, match=r"ledger.sqlite: cannot be written .* It is as it was"):
            open_ledger(path, create=False)
        assert list(folder.iterdir()) == [path]


@pytest.mark.parametrize("ending", ["-wal", "-shm"])
def test_a_file_of_sqlite_s_that_a_read_only_run_left_does_not_keep_the_ledger_from_being_written(
    ending: str,
) -> None:
    with ordinary_user() as folder:
        path = folder / "ledger.sqlite"
        with open_ledger(path, create=True) as ledger:
            ledger.accept(Batch("r", AT, (observation(1),)))
        left = folder / f"ledger.sqlite{ending}"
        left.touch(0o444)

        with open_ledger(path, create=False) as ledger:
            ledger.accept(Batch("r", AT, (observation(2),)))

            assert ledger.counts().live == 2


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files away")
def test_a_file_of_sqlite_s_that_is_another_user_s_is_named() -> None:
    with ordinary_user() as folder:
        path = folder / "ledger.sqlite"
        open_ledger(path, create=True).close()
        left = folder / "ledger.sqlite-shm"
        left.touch(0o444)
        os.seteuid(0)
        os.chown(left, 0, 0)
        os.seteuid(folder.stat().st_uid)

        with pytest.raises(UserError, match=r"ledger.sqlite-shm: cannot be written \(-r--r--r--\)"):
            open_ledger(path, create=False)


def test_a_ledger_cannot_be_made_in_a_read_only_folder() -> None:
    with ordinary_user() as folder:
        folder.chmod(0o500)

        with pytest.raises(UserError, match="Nothing was written"):
            open_ledger(folder / "ledger.sqlite", create=True)


@pytest.mark.parametrize("read_only", [True, False])
@pytest.mark.parametrize("content", [b"not a database, " * 400, bytes(range(256)) * 16, b"SQLite format 3\0"])
def test_a_damaged_or_encrypted_ledger_is_told_and_left_as_it_is(
    path: Path, content: bytes, read_only: bool
) -> None:
    path.write_bytes(content)

    with pytest.raises(UserError, match=r"ledger is damaged or encrypted|not a Scrimshaw ledger") as caught:
        open_ledger(path, create=True, read_only=read_only)

    assert (content, True) == (path.read_bytes(), "scrimshaw init" in caught.value.next_step)


def test_a_ledger_with_a_broken_page_is_told_when_it_is_met(path: Path) -> None:
    with open_ledger(path, create=True) as ledger:
        ledger.accept(Batch("r", AT, tuple(observation(n) for n in range(2_000))))
    content = bytearray(path.read_bytes())
    content[8192:] = b"\xff" * (len(content) - 8192)
    path.write_bytes(bytes(content))

    with pytest.raises(UserError, match="damaged"), open_ledger(path, create=False) as ledger:
        ledger.all_lines()


@pytest.mark.parametrize("read_only", [True, False])
def test_a_newer_ledger_is_refused_and_left_as_it_is(path: Path, read_only: bool) -> None:
    open_ledger(path, create=True).close()
    with sqlite3.connect(path) as newer:
        newer.execute(f"pragma user_version = {len(MIGRATIONS) + 1}")
    newer.close()

    with pytest.raises(UserError, match="written by a newer Scrimshaw") as caught:
        open_ledger(path, create=True, read_only=read_only)

    assert "upgrade" in caught.value.next_step


def test_another_programs_database_is_refused(path: Path) -> None:
    with sqlite3.connect(path) as theirs:
        theirs.execute("create table t (x)")
    theirs.close()
    before = path.read_bytes()

    with pytest.raises(UserError, match="not a Scrimshaw ledger"):
        open_ledger(path, create=True)

    assert before == path.read_bytes()


def test_a_directory_or_a_link_in_its_place_is_refused(path: Path) -> None:
    path.mkdir()
    link = path.with_name("link.sqlite")
    link.symlink_to(path.with_name("elsewhere.sqlite"))

    with pytest.raises(UserError, match="this is a directory"):
        open_ledger(path, create=True)
    with pytest.raises(UserError, match="this is a symbolic link"):
        open_ledger(link, create=True)


def test_a_locked_ledger_is_told_after_the_wait(
    path: Path, ledger: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("scrimshaw.store.database.BUSY_SECONDS", 0.05)
    with open_ledger(path, create=False) as waiting, ledger.transaction():
        with pytest.raises(UserError, match=r"locked.*Nothing of this step was written"):
            waiting.accept(Batch("r", AT, (observation(1),)))
        assert waiting.live_lines() == []


def test_a_full_disk_leaves_the_ledger_as_it_was(path: Path) -> None:
    with open_ledger(path, create=True) as ledger:
        ledger.accept(Batch("r", AT, (observation(1),)))
        ledger._db._connection.execute("pragma max_page_count = 60")

        with pytest.raises(UserError, match=r"disk is full\. Nothing"):
            ledger.accept(Batch("r", AT, tuple(observation(n, text="x" * 300) for n in range(2, 3_000))))

        assert [line.observation.id for line in ledger.all_lines()] == ["o1"]
        ledger._db._connection.execute("pragma max_page_count = 100000")
        assert Accepted(("o2",), 2) == ledger.accept(Batch("r", AT, (observation(2),)))


def test_a_kill_while_the_ledger_is_made_leaves_nothing_half_made(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    half = MIGRATIONS[0][: len(MIGRATIONS[0]) // 2].rsplit(";", 1)[0] + ";\nnonsense;"
    with monkeypatch.context() as patch:
        patch.setattr("scrimshaw.store.database.MIGRATIONS", (half,))
        with pytest.raises(UserError):
            open_ledger(path, create=True)

    with open_ledger(path, create=True) as ledger:
        assert ledger.counts().observations == 0


def test_what_is_deleted_is_overwritten_on_disk(ledger: Ledger) -> None:
    assert ledger._db.rows("pragma secure_delete") == [(1,)]
    assert ledger._db.rows("pragma synchronous") == [(2,)]
    assert ledger._db.rows("pragma journal_mode") == [("wal",)]


def _cursor(session_id: str = "s1", position: str = "p1") -> Cursor:
    return Cursor("store", session_id, json.dumps({"seq": 7}), position, AT)


def _revision(**parts: object) -> Revision:
    values: dict[str, object] = {
        "number": 0,
        "at_ms": AT,
        "run_id": "r1",
        "reason": "observe",
        "place": "MEMORY.md",
        "body": "- 🔴 body\n",
        "budget_chars": 9_000,
        "event_seq": 3,
        "line_ids": ("o1", "o2"),
        "sha256": "ab",
        "state": RevisionState.INTENDED,
    }
    return Revision(**{**values, **parts})  # type: ignore[arg-type]


def _proposal() -> Proposal:
    return Proposal(
        text="Sends the figures on the 24th",
        kind=Kind.NEXT_STEP,
        priority=4,
        sources=("e1", "e2"),
        speaker=Role.USER,
        place=Place.OPEN,
        done=True,
        refers_to=DateRef(date(2026, 11, 24), None, None, "the 24th"),
        replaces=("o1",),
        withdraws=("o2",),
        completes=("o3",),
        claim=Claim("figures", "due", "2026-11-24"),
        confidence=0.5,
        salience=0.75,
    )
