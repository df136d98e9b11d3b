"""The ledger: the append-only record that everything else is derived from.

One for each (workspace, agent), in the workspace's `.scrimshaw/ledger.sqlite`. A batch (observations, what
they close, what they cover, the cursor behind them) becomes true in one transaction or not at all. Writers
that decided on what they read pass the version they read; when somebody was faster they get a `WriteConflict`
back, with nothing written. This module is the door: the tables live in the modules beside it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Concatenate, ParamSpec, TypeVar

from scrimshaw.core.types import Closed, Event, EventType, Line, Observation, Session
from scrimshaw.store import (
    coverage,
    events,
    lines,
    outbox,
    rejections,
    requests,
    revisions,
    runs,
    spending,
    tombstones,
    upkeep,
    working,
)
from scrimshaw.store.database import Database, copy_ledger, open_database
from scrimshaw.store.numbered import Numbered
from scrimshaw.store.records import NOTHING, Accepted, Batch, StoredEvent, WriteConflict

if TYPE_CHECKING:
    from scrimshaw.core.ledger.merge_ledgers import Joined, Parcel
    from scrimshaw.core.ledger.undo import RevisionSpan
    from scrimshaw.store.forgetting import Forgetting
    from scrimshaw.store.frames import Frames
    from scrimshaw.store.insight import Insight
    from scrimshaw.store.rejections import RejectionState

P = ParamSpec("P")
R = TypeVar("R")

__all__ = ["Ledger", "copy_ledger", "open_ledger"]


def open_ledger(path: Path, *, create: bool, read_only: bool = False) -> Ledger:
    """Open the ledger at *path*; with *create* make one (mode 0600) where there is none or an empty file.

    Read-only works in a folder that cannot be written and never changes the file. Raises UserError when it is
    missing, damaged, locked, newer than this program, or something else stands there.
    """
    db = open_database(path, create=create, read_only=read_only)
    ledger = Ledger(db)
    if not read_only and "hash-key" not in ledger.meta():
        import secrets

        with db.transaction():
            db.write("insert or ignore into meta values ('hash-key', ?)", (secrets.token_hex(32),))
    return ledger


def _method(function: Callable[Concatenate[Database, P], R]) -> Callable[Concatenate[_Opened, P], R]:
    """Return *function*, of a module beside this one, as a method of what has a database open."""

    @wraps(function)
    def method(opened: _Opened, /, *args: P.args, **named: P.kwargs) -> R:
        return function(opened._db, *args, **named)

    return method


class _Opened:
    def __init__(self, db: Database) -> None:
        self._db = db


class Past(_Opened):
    """What stood at some time, and what was known then."""

    def stretches(self) -> list[RevisionSpan]:
        """Return the sections that we wrote, oldest first, each with the events that are its own.

        What only remembers a person's text in a file left alone is none.
        """
        from scrimshaw.core.ledger.undo import RevisionSpan, key_of  # most who open a ledger never look back

        rows = revisions.written_by_us(self._db)
        starts = [0, *(seq for _, _, seq in rows)]
        return [
            RevisionSpan(number, key_of(run_id, number), after, seq)
            for (number, run_id, seq), after in zip(rows, starts, strict=False)
        ]

    revision = _method(revisions.by_number)
    revision_at = _method(revisions.in_force)
    events_of = _method(events.of_several)
    said_between = _method(lines.said_between)
    lines_before = _method(lines.lines_before)
    run = _method(runs.by_id)

    def section_removed_by_at(self, at_ms: int) -> str:
        """Return what had taken the section out at *at_ms*: "hand" or "undo", "" while one was wanted."""
        return events.section_removed_by(self._db, at_ms)

    def kept_both(self, until_ms: int | None = None) -> set[tuple[str, str]]:
        """Return the pairs of lines that the person keeps side by side, the earlier first; none undone.

        With *until_ms* those that they kept then.
        """
        from scrimshaw.core.ledger.undo import Marks, undone_by

        def known(every: Iterable[StoredEvent]) -> list[StoredEvent]:
            return [one for one in every if until_ms is None or one.event.at_ms <= until_ms]

        told = known(events.of_type(self._db, EventType.KEPT_BOTH))
        stretches = self.stretches() if told else []
        void = undone_by(Marks(stretches, known(self.undos()))) if told else {}
        undone = [one for one in stretches if one.number in void]
        return {
            (stored.event.observation_id, stored.event.other_id)
            for stored in told
            if not any(stored.seq in one for one in undone)
        }

    def undos(self) -> list[StoredEvent]:
        """Return the events that say that a revision was undone, oldest first."""
        return events.of_section(self._db, EventType.UNDID)

    def undone_lines(self) -> set[str]:
        """Return the ids of the lines that an undo has closed."""
        return lines.closed_as(self._db, Closed.UNDONE)

    def forgotten_lines(self) -> set[str]:
        """Return the ids of the lines that were forgotten."""
        return lines.closed_as(self._db, Closed.FORGOTTEN)

    def has_forgotten(self, stretch: RevisionSpan) -> bool:
        """Whether a line from before *stretch* was forgotten in it; an import brings some that never held."""
        return events.is_older_forgotten_between(self._db, stretch.after_seq, stretch.last_seq)


class Ledger(_Opened):
    """An open ledger; belongs to the thread that opened it.

    What is a `_method` here is documented where it is made.
    """

    def __enter__(self) -> Ledger:
        return self

    def __exit__(self, *failure: object) -> None:
        self.close()

    def close(self) -> None:
        self._db.close()

    def still_serves(self) -> bool:
        """Whether a look goes on showing what the file holds: see `Database.still_serves`."""
        return self._db.still_serves()

    @property
    def path(self) -> Path:
        return self._db.path

    def version(self) -> int:
        return self._db.version()

    def transaction(self) -> AbstractContextManager[None]:
        """Hold several calls together: all or nothing. Never over a wait (rule 10)."""
        return self._db.transaction()

    # -- what is true ---------------------------------------------------------------------------------

    def accept(self, batch: Batch, *, expected_version: int | None = None) -> Accepted | WriteConflict:
        """Make everything in *batch* true in one transaction.

        Observations that are known already are left as they are. A batch whose covered entries were all
        covered before is a repetition and changes nothing; if only some were, two writers observed the same
        and the answer is a WriteConflict. The run must have begun when the batch counts something.
        """
        with self._db.transaction():
            if expected_version is not None and (version := self.version()) != expected_version:
                return WriteConflict(version)
            return self._accept(batch)

    def _accept(self, batch: Batch) -> Accepted | WriteConflict:
        db = self._db
        total = sum(len(set(entry_ids)) for entry_ids in batch.covered.values())
        seen = coverage.already_covered(db, batch.covered)
        if seen and len(seen) == total:
            return Accepted((), self.version())
        if seen:
            return WriteConflict(self.version(), tuple(seen))
        known = lines.known(db, {o.id for o in batch.observations})
        # By id, because a batch may hold the same line twice.
        fresh = {o.id: o for o in batch.observations if o.id not in known}
        born = [Event(EventType.OBSERVED, key, batch.at_ms, batch.run_id) for key in fresh]
        # Without coverage nothing else tells a repeated batch from a new one.
        told = batch.events if total else events.not_yet_there(db, batch.events)
        lines.insert(db, fresh.values())
        events.append(db, [*born, *told], born=tuple(fresh.values()))
        rejections.add(db, batch.at_ms, batch.run_id, batch.rejections)
        coverage.remember_sessions(db, batch.sessions)
        coverage.cover(db, batch.covered)
        coverage.write_cursors(db, batch.cursors)
        working.keep(db, batch.run_id, batch.working)
        if batch.counts != NOTHING:
            runs.count(db, batch.run_id, batch.counts)
        return Accepted(tuple(fresh), self.version())

    def join(
        self, parcel: Parcel, *, at_ms: int, by: str, writes: bool = True, beside: Collection[str] = ()
    ) -> Joined:
        """Take over what another ledger's archive holds; without *writes* only tell what that would be."""
        from scrimshaw.store import joining

        return joining.join(self._db, parcel, at_ms=at_ms, by=by, writes=writes, beside=beside)

    def add_from_elsewhere(self, told: Sequence[Event], *, at_ms: int) -> None:
        """Append what happened on another machine to lines that are here, oldest first."""
        from scrimshaw.store import joining

        joining.add(self._db, told, at_ms=at_ms)

    def append(self, new: Sequence[Event]) -> None:
        """Append events of known observations, or of the whole section, with what follows from them."""
        with self._db.transaction():
            events.append(self._db, new)

    live_lines = _method(lines.live)
    lines_sharing = _method(lines.sharing)
    lines_by_prefix = _method(lines.by_prefix)
    lines_of_sessions = _method(lines.of_sessions)
    dropped_as = _method(lines.dropped_as)
    dropped_after = _method(lines.dropped_after)
    all_lines = _method(lines.all_lines)
    newest_lines = _method(lines.newest_lines)
    replaced_by = _method(lines.replaced_by)
    newest_priorities = _method(lines.newest_priorities)
    working_between = _method(working.between)

    def line(self, observation_id: str) -> Line | None:
        """Return one line, closed or not."""
        return lines.by_id(self._db, [observation_id]).get(observation_id)

    def sources(self, observation_id: str) -> tuple[tuple[str, str], ...]:
        """Return the (session id, entry id) a line rests on.

        Its own, then those of what was merged into it, then a pattern's: those of the lines that support it.
        Empty for an unknown id, and for a person's own line that nothing was merged into.
        """
        line = self.line(observation_id)
        united = [line.observation, *lines.merged_into(self._db, observation_id)] if line else []
        supports = self.lines(line.observation.supports) if line else {}
        united += [one.observation for one in supports.values()]
        return tuple(dict.fromkeys((one.session_id, entry_id) for one in united for entry_id in one.sources))

    events_since = _method(events.since)
    events_of = _method(events.of)
    is_section_enabled = _method(events.is_section_enabled)
    section_removed_by = _method(events.section_removed_by)
    tombstoned = _method(tombstones.standing_over)
    keep_words_out = _method(tombstones.keep_words_out)

    @property
    def forgetting(self) -> Forgetting:
        """The one act that takes something back (rule 21)."""
        from scrimshaw.store.forgetting import Forgetting

        return Forgetting(self._db)

    @property
    def numbered(self) -> Numbered:
        """The observations by number: what the search index is made of."""
        return Numbered(self._db)

    rebuild = _method(lines.rebuild)
    thin = _method(upkeep.thin)
    check = _method(upkeep.check)
    # -- how far sources were read --------------------------------------------------------------------

    uncovered = _method(coverage.uncovered)
    covered_before_copying = _method(coverage.covered_before_copying)
    cursors = _method(coverage.cursors)
    sessions = _method(coverage.sessions)

    def remember_sessions(self, sessions: Collection[Session]) -> None:
        """Note what is known of *sessions*."""
        with self.transaction():
            coverage.remember_sessions(self._db, sessions)

    def session_keys(self) -> dict[str, str]:
        """Return session keys by session id, those the host no longer names included."""
        return {session_id: session.session_key for session_id, session in self.sessions().items()}

    # -- runs, revisions, review ----------------------------------------------------------------------

    begin_run = _method(runs.begin)
    finish_run = _method(runs.finish)
    drop_run = _method(runs.drop)
    note_prompt = _method(runs.note_prompt)
    last_run = _method(runs.last)
    tallies = _method(runs.tallies)
    add_revision = _method(revisions.add)
    settle_revision = _method(revisions.settle_revision)
    latest_revision = _method(revisions.latest_written)

    @property
    def past(self) -> Past:
        """What stood at some time, and what happened then."""
        return Past(self._db)

    rejection = _method(rejections.by_number)

    def settle_rejection(
        self, number: int, state: RejectionState, *, at_ms: int, stone: Observation | None = None
    ) -> bool:
        """Note what a person decided on a waiting proposal; False when somebody has already.

        With *stone*, the words of that line stay out from now on, unless the person says them again later.
        """
        with self._db.transaction():
            return rejections.settle_rejection(self._db, number, state, at_ms, stone=stone)

    # -- money ----------------------------------------------------------------------------------------

    reserve = _method(spending.reserve)
    settle = _method(spending.settle_call)
    spent = _method(spending.spent)
    spend_rows = _method(spending.rows)
    held_by_caps = _method(spending.held)
    # -- requests -------------------------------------------------------------------------------------

    put_request = _method(requests.put_request)
    pending_requests = _method(requests.pending)
    settle_requests = _method(requests.settle_requests)
    take_request = _method(requests.take)
    answer = _method(requests.answer)
    # -- archives and status --------------------------------------------------------------------------

    pending_outbox = _method(outbox.pending)

    @property
    def insight(self) -> Insight:
        """What the figures need, and what was known when."""
        from scrimshaw.store.insight import Insight

        return Insight(self._db)

    @property
    def frames(self) -> Frames:
        """Which stretch of events is in which `.mv2` file."""
        from scrimshaw.store.frames import Frames

        return Frames(self._db)

    mark_done = _method(outbox.mark_done)

    def newest_said_ms(self) -> int | None:
        """Return when what the line that was noted last says was said; None without a line."""
        row = self._db.row("select said_at_ms from observation order by number desc limit 1")
        return int(row[0]) if row else None

    def meta(self) -> Mapping[str, str]:
        """Return the ledger's notes about itself: agent, workspace, zone …"""
        return dict(self._db.rows("select key, value from meta"))

    def set_meta(self, key: str, value: str) -> None:
        with self._db.transaction():
            self._db.write("insert or replace into meta (key, value) values (?, ?)", (key, value))

    counts = _method(upkeep.counts)

    # Last: here the names of the modules are taken.
    lines = _method(lines.by_id)
    revisions = _method(revisions.newest_revisions)
    rejections = _method(rejections.newest_rejections)
