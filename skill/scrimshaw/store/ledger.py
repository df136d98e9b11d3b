"""The ledger: the append-only record that everything else is derived from.

One for each (workspace, agent), in the workspace's `.scrimshaw/ledger.sqlite`. A batch (observations, what
they close, what they cover, the cursor behind them) becomes true in one transaction or not at all. Writers
that decided on what they read pass the version they read; when somebody was faster they get a `Conflict`
back, with nothing written. This module is the door: the tables live in the modules beside it.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from contextlib import AbstractContextManager
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING

from scrimshaw.core.policy.spending import Amount, Caps, Period, Refusal, Spent
from scrimshaw.core.types import Event, EventType, Line, Observation, OutboxItem, Session
from scrimshaw.store import (
    counting,
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
from scrimshaw.store.database import Database, LedgerMissing, VersionChanged, copy_database, open_database
from scrimshaw.store.numbered import Numbered
from scrimshaw.store.past import Past
from scrimshaw.store.records import (
    NOTHING,
    Accepted,
    Batch,
    Call,
    Conflict,
    Counts,
    Cursor,
    Held,
    Rejection,
    Request,
    Revision,
    RevisionState,
    Run,
    SpendRow,
    StoredEvent,
    Tombstone,
    Working,
)

if TYPE_CHECKING:
    from scrimshaw.core.ledger.merge_ledgers import Joined, Parcel
    from scrimshaw.store.forgetting import Forgetting
    from scrimshaw.store.frames import Frames
    from scrimshaw.store.rejections import State

__all__ = ["Ledger", "LedgerMissing", "VersionChanged", "copy_ledger", "open_ledger"]


def open_ledger(path: Path, *, create: bool, read_only: bool = False) -> Ledger:
    """Open the ledger at *path*; with *create* make one (mode 0600) where there is none or an empty file.

    Read-only works in a folder that cannot be written and never changes the file. Raises LedgerMissing, or
    another UserError when it is damaged, locked, newer than this program, or something else stands there.
    """
    db = open_database(path, create=create, read_only=read_only)
    ledger = Ledger(db)
    if not read_only and "hash-key" not in ledger.meta():
        import secrets

        with db.transaction():
            db.write("insert or ignore into meta values ('hash-key', ?)", (secrets.token_hex(32),))
    return ledger


def copy_ledger(path: Path, copy: Path) -> None:
    """Copy the ledger at *path* to a new file, for a rehearsal; leaves no trace beside the original."""
    copy_database(path, copy)


class Ledger:
    """An open ledger; belongs to the thread that opened it."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def __enter__(self) -> Ledger:
        return self

    def __exit__(self, *failure: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the file."""
        self._db.close()

    @property
    def path(self) -> Path:
        """Where the ledger is."""
        return self._db.path

    def version(self) -> int:
        """Return the number of the newest event."""
        return self._db.version()

    def transaction(self, expected_version: int | None = None) -> AbstractContextManager[None]:
        """Hold several calls together: all or nothing. Never over a wait (rule 10).

        Raises VersionChanged at the start when the ledger is not at *expected_version*.
        """
        return self._db.transaction(expected_version)

    # -- what is true ---------------------------------------------------------------------------------

    def accept(self, batch: Batch, *, expected_version: int | None = None) -> Accepted | Conflict:
        """Make everything in *batch* true in one transaction.

        Observations that are known already are left as they are. A batch whose covered entries were all
        covered before is a repetition and changes nothing; if only some were, two writers observed the same
        and the answer is a Conflict. The run must have begun when the batch counts something.
        """
        try:
            with self._db.transaction(expected_version):
                return self._accept(batch)
        except VersionChanged as changed:
            return Conflict(changed.version)

    def _accept(self, batch: Batch) -> Accepted | Conflict:
        db = self._db
        total = sum(len(set(entry_ids)) for entry_ids in batch.covered.values())
        seen = coverage.already_covered(db, batch.covered)
        if seen and len(seen) == total:
            return Accepted((), self.version())
        if seen:
            return Conflict(self.version(), tuple(seen))
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

    def join(self, parcel: Parcel, *, at_ms: int, by: str, writes: bool = True) -> Joined:
        """Take over what another ledger's archive holds; without *writes* only tell what that would be."""
        from scrimshaw.store import joining

        return joining.join(self._db, parcel, at_ms=at_ms, by=by, writes=writes)

    def append(self, new: Sequence[Event], *, expected_version: int | None = None) -> Accepted | Conflict:
        """Append events of known observations, or of the whole section, with what follows from them."""
        try:
            with self._db.transaction(expected_version):
                events.append(self._db, new)
                return Accepted((), self.version())
        except VersionChanged as changed:
            return Conflict(changed.version)

    def live_lines(self) -> list[Line]:
        """Return the lines that still hold, shown or not, in the order they were accepted."""
        return lines.live(self._db)

    def dropped_as(self, reason: str) -> list[Line]:
        """Return the lines that retention dropped last with *reason*."""
        return lines.dropped_as(self._db, reason)

    def dropped_after(self, at_ms: int) -> list[Line]:
        """Return the lines that retention dropped at a time later than *at_ms*: its clock was ahead."""
        return lines.dropped_after(self._db, at_ms)

    def all_lines(self) -> list[Line]:
        """Return every line there ever was, in the order they were accepted."""
        return lines.all_lines(self._db)

    def newest_lines(self, most: int) -> list[Line]:
        """Return the *most* lines accepted last, closed or not, the newest first."""
        return lines.newest(self._db, most)

    def newest_priorities(self, most: int) -> list[int]:
        """Return the priorities of the *most* lines that were noted last, the newest last."""
        return lines.newest_priorities(self._db, most)

    def working_between(self, start_ms: int, end_ms: int) -> list[Working]:
        """Return what was unfinished between two times, oldest first; empty states, too."""
        return working.between(self._db, start_ms, end_ms)

    def line(self, observation_id: str) -> Line | None:
        """Return one line, closed or not."""
        return lines.by_id(self._db, [observation_id]).get(observation_id)

    def lines(self, ids: Collection[str]) -> dict[str, Line]:
        """Return lines by id; unknown ids are missing from the answer."""
        return lines.by_id(self._db, ids)

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

    def events_since(self, seq: int) -> list[StoredEvent]:
        """Return the events after *seq*, oldest first."""
        return events.since(self._db, seq)

    def events_of(self, observation_id: str) -> list[StoredEvent]:
        """Return what happened to one observation, oldest first."""
        return events.of(self._db, observation_id)

    def is_section_enabled(self) -> bool:
        """Whether the person wants a section: no DISABLED event stands (rule 9)."""
        return events.is_section_enabled(self._db)

    def tombstoned(self, observation: Observation) -> Tombstone | None:
        """Return what keeps *observation* out because a person deleted it (rule 8), or None."""
        return tombstones.standing_over(self._db, observation)

    @property
    def forgetting(self) -> Forgetting:
        """The one act that takes something back (rule 21)."""
        from scrimshaw.store.forgetting import Forgetting

        return Forgetting(self._db)

    @property
    def numbered(self) -> Numbered:
        """The observations by number: what the search index is made of."""
        return Numbered(self._db)

    def rebuild(self) -> int:
        """Replay every event into the standings; return how many were wrong."""
        return lines.rebuild(self._db)

    def thin(self, now_ms: int) -> None:
        """Forget what nobody will ask for any more: old runs of which nothing came, answered requests."""
        upkeep.thin(self._db, now_ms)

    def check(self) -> list[str]:
        """Look for damage and mend what can be derived; return what was found, in sentences."""
        return upkeep.check(self._db)

    # -- how far sources were read --------------------------------------------------------------------

    def uncovered(self, session_id: str, entry_ids: Collection[str]) -> set[str]:
        """Return those of *entry_ids* that no batch has covered yet."""
        return coverage.uncovered(self._db, session_id, entry_ids)

    def covered_before_copying(self, session: Session, entry_ids: Collection[str]) -> set[str]:
        """Return those of *entry_ids* that were covered in another session of *session*'s key."""
        return coverage.covered_before_copying(self._db, session, entry_ids)

    def cursors(self, source_id: str) -> dict[str, Cursor]:
        """Return the cursors of one source by session id."""
        return coverage.cursors(self._db, source_id)

    def sessions(self) -> dict[str, Session]:
        """Return every session the ledger has met, by id."""
        return coverage.sessions(self._db)

    def remember_sessions(self, sessions: Collection[Session]) -> None:
        """Note what is known of *sessions*."""
        with self.transaction():
            coverage.remember_sessions(self._db, sessions)

    def session_keys(self) -> dict[str, str]:
        """Return session keys by session id, those the host no longer names included."""
        return {session_id: session.session_key for session_id, session in self.sessions().items()}

    # -- runs, revisions, review ----------------------------------------------------------------------

    def begin_run(self, run: Run) -> None:
        """Note that a run has started."""
        runs.begin(self._db, run)

    def finish_run(self, run_id: str, *, outcome: str, at_ms: int, error: str = "") -> None:
        """Note how a run ended."""
        runs.finish(self._db, run_id, outcome=outcome, at_ms=at_ms, error=error)

    def drop_run(self, run_id: str) -> None:
        """Forget a run that has counted nothing and asked nobody."""
        runs.drop(self._db, run_id)

    def note_prompt(self, run_id: str, sha256: str) -> None:
        """Note with a run what a model was told to do in it."""
        runs.note_prompt(self._db, run_id, sha256)

    def last_run(self, job: str = "") -> Run | None:
        """Return the newest run of *job*, or of any job."""
        return runs.last(self._db, job)

    def add_revision(self, revision: Revision) -> int:
        """Store a section body, usually as INTENDED before the file is replaced; return its number."""
        return revisions.add(self._db, revision)

    def settle_revision(self, number: int, state: RevisionState) -> None:
        """Note whether revision *number* reached the file."""
        revisions.settle(self._db, number, state)

    def latest_revision(self, place: str = "") -> Revision | None:
        """Return the newest revision known to be on disk."""
        return revisions.latest_written(self._db, place)

    def revisions(self, limit: int, place: str = "") -> list[Revision]:
        """Return the newest revisions that are or may be on disk, newest first: the merge bases."""
        return revisions.newest(self._db, limit, place)

    @property
    def past(self) -> Past:
        """What stood at some time, and what happened then."""
        return Past(self._db)

    def rejections(self, limit: int, *, but: Collection[str] = ()) -> list[Rejection]:
        """Return the newest proposals that nobody has decided on; none of the reasons in *but*."""
        return rejections.newest(self._db, limit, but=but)

    def rejection(self, number: int) -> Rejection | None:
        """Return one proposal of the review list, whatever its state."""
        return rejections.by_number(self._db, number)

    def settle_rejection(
        self, number: int, state: State, *, at_ms: int, stone: Observation | None = None
    ) -> bool:
        """Note what a person decided on a waiting proposal; False when somebody has already.

        With *stone*, the words of that line stay out from now on, unless the person says them again later.
        """
        with self._db.transaction():
            return rejections.settle(self._db, number, state, at_ms, stone=stone)

    # -- money ----------------------------------------------------------------------------------------

    def reserve(self, call: Call, caps: Caps) -> int | Refusal:
        """Take the most that *call* can cost from the caps before it is made; return its number, or why not.

        True at once and whatever happens afterwards: not inside a transaction (ValueError).
        """
        return spending.reserve(self._db, call, caps)

    def settle(self, number: int, used: Amount, *, is_estimated: bool, outcome: str) -> None:
        """Put what a reserved call really used in its place; *outcome*: "answer", or the trouble's name."""
        spending.settle(self._db, number, used, is_estimated=is_estimated, outcome=outcome)

    def spent(self, period: Period, today: date) -> Spent:
        """Return what counts for the caps of *today* or its month, what is only reserved included."""
        return spending.spent(self._db, period, today)

    def spend_rows(self, since: date | None = None) -> list[SpendRow]:
        """Return what was spent by day, model and job, oldest day first."""
        return spending.rows(self._db, since)

    def held_by_caps(self) -> list[Held]:
        """Return what waits because of a cap, by job: nothing of it was asked since."""
        return spending.held(self._db)

    # -- requests -------------------------------------------------------------------------------------

    def put_request(self, kind: str, *, by: str, at_ms: int, session: str = "") -> int:
        """Ask the daemon for *kind* ("observe"), of one session or of all; return the request's number."""
        return requests.put(self._db, kind, by=by, at_ms=at_ms, session=session)

    def pending_requests(self, kind: str) -> list[Request]:
        """Return what was asked and not answered yet, oldest first."""
        return requests.pending(self._db, kind)

    def settle_requests(self, numbers: Collection[int], *, outcome: str, at_ms: int) -> None:
        """Answer requests."""
        requests.settle(self._db, numbers, outcome=outcome, at_ms=at_ms)

    def take_request(self, number: int, *, outcome: str, at_ms: int) -> bool:
        """Answer a request in order to do it oneself; False when somebody else has answered it."""
        return requests.take(self._db, number, outcome=outcome, at_ms=at_ms)

    def answer(self, number: int) -> str | None:
        """Return the answer to a request, None while there is none."""
        return requests.answer(self._db, number)

    # -- archives and status --------------------------------------------------------------------------

    def pending_outbox(self, target: str, limit: int = 10_000) -> list[OutboxItem]:
        """Return what is still owed to the archive *target* ("dated"), oldest first."""
        return outbox.pending(self._db, target, limit)

    @property
    def frames(self) -> Frames:
        """Which stretch of events is in which `.mv2` file."""
        from scrimshaw.store.frames import Frames

        return Frames(self._db)

    def mark_done(self, numbers: Collection[int], *, at_ms: int) -> None:
        """Note that an archive holds these outbox items on disk."""
        outbox.mark_done(self._db, numbers, at_ms)

    def meta(self) -> Mapping[str, str]:
        """Return the ledger's notes about itself: agent, workspace, zone …"""
        return dict(self._db.rows("select key, value from meta"))

    def set_meta(self, key: str, value: str) -> None:
        """Set one of the ledger's notes about itself."""
        with self._db.transaction():
            self._db.write("insert or replace into meta (key, value) values (?, ?)", (key, value))

    def counts(self) -> Counts:
        """Return what `status` shows; cheap at any size."""
        return counting.counts(self._db)
