"""Bringing a ledger and the server together: what either has and the other lacks, in any order or twice.

First goes what this ledger has, page by page; each page is a transaction there, with the note of its end.
Then comes what is new there: lines by the code that imports an archive (services/archive/read, Ledger.join),
events of lines that are here as they are; where this ledger's order gives a line another standing than all
events together (core/ledger/agreement), one event of its own sets that right. What was forgotten elsewhere is
forgotten here; what a person took out here and comes from elsewhere is taken out everywhere. Last the note of
how far this ledger has read. Killed anywhere, the next one goes on: nothing is sent or taken twice.
"""

from __future__ import annotations

import json
import logging
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING, Any, NamedTuple

from scrimshaw import __version__
from scrimshaw.archive import frames
from scrimshaw.clock import milliseconds
from scrimshaw.core.ledger import agreement
from scrimshaw.core.ledger.agreement import BY_FLEET, PlacedEvent
from scrimshaw.core.ledger.forget import FORGOTTEN
from scrimshaw.core.ledger.merge_ledgers import Parcel
from scrimshaw.core.transcript.privacy import read_patterns
from scrimshaw.core.types import Closed, Event, EventType, Observation
from scrimshaw.errors import Exit
from scrimshaw.fleet import rows, search, server
from scrimshaw.fleet.rows import Head, Machine, NumberedEvent, Parted
from scrimshaw.services.archive.read import Cleaner, checked
from scrimshaw.services.edit.forget import forget_lines
from scrimshaw.services.edit.sittings import begin_sitting, end_sitting
from scrimshaw.services.fleet.link import FleetLink, Outgoing, need_link
from scrimshaw.services.fleet.meanings import vectors_after, vectors_waiting
from scrimshaw.services.publish.redaction import without_secrets
from scrimshaw.services.publish.result import PublishRequest
from scrimshaw.services.publish.run import take_edits
from scrimshaw.services.results import WorkspaceResult
from scrimshaw.services.runs import publish_in_pause, recorded
from scrimshaw.store.ledger import Ledger, open_ledger
from scrimshaw.store.records import StoredEvent
from scrimshaw.workspace import Target

if TYPE_CHECKING:
    from scrimshaw.fleet.server import Connection

log = logging.getLogger(__name__)

_NOTE = "fleet"  # the ledger's note of how far it has read
_OUT = (Closed.DELETED, Closed.UNDONE, Closed.FORGOTTEN)


class FleetCursor(NamedTuple):
    """How far a ledger has read, and of which event that is the number."""

    agent: str = ""
    pulled: int = 0
    mark: str = ""
    vectors: int = 0  # the newest line whose vector was sent
    owes: bool = False  # what came stands in the ledger, and MEMORY.md may not have it yet

    @property
    def key(self) -> bytes:
        return bytes.fromhex(self.mark)


@dataclass(frozen=True, slots=True)
class SyncResult(WorkspaceResult):
    """What a sync did."""

    link: FleetLink
    sent: int = 0  # events
    came: int = 0
    new: int = 0  # lines
    forgotten: int = 0
    kept_out: int = 0
    notes: tuple[str, ...] = ()
    exit_code: Exit = Exit.OK

    def to_dict(self) -> dict[str, Any]:
        """Return it as `scrimshaw fleet sync --json` prints it."""
        return {
            **self.head(),
            "name": self.link.agent,
            "machine": self.link.machine,
            "sent": self.sent,
            "came": self.came,
            "new": self.new,
            "forgotten": self.forgotten,
            "kept_out": self.kept_out,
            "notes": list(self.notes),
            "exit_code": int(self.exit_code),
        }


def sync(target: Target, env: Mapping[str, str], now: datetime, *, keeps: bool = False) -> SyncResult:
    """Send what is new here and take what is new there; with *keeps* the connection stays for the next time.

    Raises UserError, with the ledger whole, when the server is gone, slow, full, or of a form of its own.
    """
    link = need_link(target)
    address = link.address.read(env)
    with (
        open_ledger(target.layout.ledger, create=False) as ledger,
        server.connected(address, keeps=keeps) as there,
    ):
        return sync_with(target, ledger, link, there, now)


def sync_with(
    target: Target, ledger: Ledger, link: FleetLink, there: Connection, now: datetime
) -> SyncResult:
    """Do one sync over an open connection."""
    run = _Sync(target, ledger, link, there, now)
    if run.is_idle():
        return SyncResult(target, link)
    with recorded(ledger, "fleet", "sync", now) as row:
        done = run.go(row.id)
        row.outcome = "synced"
    log.info(
        *("run=%s job=fleet agent=%s sent=%d came=%d new=%d forgotten=%d", row.id, link.agent),
        *(done.sent, done.came, done.new, done.forgotten),
    )
    return done


class _Sync:
    def __init__(
        self, target: Target, ledger: Ledger, link: FleetLink, there: Connection, now: datetime
    ) -> None:
        self._target, self._ledger, self._link, self._there = target, ledger, link, there
        self._now, self._at_ms = now, milliseconds(now)
        self._id = ledger.frames.ledger_id()
        self._cursor = read_cursor(ledger, link)
        self._head = self._look()
        self._machine = Machine(self._head.agent, self._id, link.machine, __version__)
        self._notes: list[str] = []
        self._came = self._new = self._kept_out = 0
        self._forgotten: set[str] = set()

    def _look(self) -> Head:
        cursor = self._cursor
        found = rows.head(self._there, self._link.agent, self._id, cursor.pulled, cursor.key)
        if found is None:
            raise server.not_admitted(self._link.agent, self._there.info.user)
        return found

    def is_idle(self) -> bool:
        """Whether neither side has anything for the other."""
        head = self._head
        is_read = head.is_same and head.newest == self._cursor.pulled and not self._cursor.owes
        has_vectors = vectors_waiting(self._target, self._cursor.vectors, head.schema)
        return is_read and head.pushed >= self._ledger.version() and not head.owes and not has_vectors

    def go(self, run_id: str) -> SyncResult:
        sent = self._push()
        order = PublishRequest(run_id, self._now, reason="fleet")
        if not self._head.is_same:
            # The server is another one, or was restored from a copy: all of it is read again.
            self._cursor = self._cursor._replace(pulled=0, mark="", vectors=0)
        self._pull(order)
        self._send_vectors()
        if self._cursor.owes:
            published, _ = publish_in_pause(self._target, self._ledger, order, at_once=False)
            self._notes += published.problems
            self._keep(owes=False)
        if problem := self._reclaim():
            self._notes.append(problem)
        return SyncResult(
            *(self._target, self._link, sent, self._came, self._new, len(self._forgotten), self._kept_out),
            notes=tuple(self._notes),
        )

    # -- there ----------------------------------------------------------------------------------------------

    def _push(self) -> int:
        begin = max(self._head.pushed, 0)
        events = self._ledger.events_since(begin)
        if not events:
            if self._head.pushed < 0:
                rows.push(self._there, self._machine, Parted((), (), 0))
            return 0
        outgoing = Outgoing(self._target, self._ledger, self._link.kinds)
        ids = {one.event.observation_id for one in events if agreement.is_sent(one.event)}
        ids = {id_ for id_ in ids if outgoing.goes(id_)}
        history = self._ledger.past.events_of(ids)
        # In the ledger's own order, from the birth of each: that is what an event's place follows from.
        placed = [one for one in self._placed(history) if one.seq > begin]
        placed = [self._without_private(one, outgoing) for one in placed]
        sent = 0
        last = events[-1].seq
        while placed:
            part, placed = placed[: rows.MOST_AT_ONCE], placed[rows.MOST_AT_ONCE :]
            born = [one.event.observation_id for one in part if one.event.type is EventType.OBSERVED]
            lines = [_as_sent(outgoing.lines[id_].observation) for id_ in dict.fromkeys(born)]
            rows.push(self._there, self._machine, Parted(part, lines, part[-1].seq if placed else last))
            sent += len(part)
        if not sent:
            rows.push(self._there, self._machine, Parted((), (), last))
        return sent

    def _send_vectors(self) -> None:
        if not vectors_waiting(self._target, self._cursor.vectors, self._head.schema):
            return
        keys, found = vectors_after(self._target, self._cursor.vectors)
        for start in range(0, len(keys), rows.MOST_AT_ONCE):
            part = keys[start : start + rows.MOST_AT_ONCE]
            lines = self._ledger.numbered.lines(part)
            held = [
                (lines[key].observation.id, found[start + at]) for at, key in enumerate(part) if key in lines
            ]
            search.put_vectors(
                self._there, self._machine.agent, [id_ for id_, _ in held], [one for _, one in held]
            )
            self._keep(vectors=part[-1])

    def _placed(self, history: Sequence[StoredEvent]) -> list[PlacedEvent]:
        return agreement.place(((one.seq, one.event) for one in history), self._id)

    def _without_private(self, one: PlacedEvent, outgoing: Outgoing) -> PlacedEvent:
        event = one.event
        if not event.reason or event.type is EventType.SET_BACK or not outgoing.cuts(event.reason):
            return one
        return one._replace(event=replace(event, reason=""))

    # -- here -----------------------------------------------------------------------------------------------

    def _pull(self, order: PublishRequest) -> None:
        is_begun = False
        while page := rows.after(self._there, self._machine.agent, self._cursor.pulled):
            fresh = self._of_others(page)
            if fresh and not is_begun:
                # What a hand did to the section first: it may say that one of these lines is to stay out.
                take_edits(self._target, self._ledger, order)
                begin_sitting(self._ledger, order)
                is_begun = True
                self._keep(owes=True)
            if fresh:
                self._take(fresh, order)
            last = page[-1]
            self._keep(pulled=last.number, mark=last.placed.key.hex())
        if is_begun:
            end_sitting(self._ledger, order)

    def _of_others(self, page: Sequence[NumberedEvent]) -> set[str]:
        """Return the lines of *page* of which not every event is known to be here."""
        ours = {one.placed.event.observation_id for one in page}
        known = {
            (one.key, one.occurrence)
            for one in self._placed(self._ledger.past.events_of(self._ledger.lines(ours)))
        }
        return {
            one.placed.event.observation_id
            for one in page
            if (one.placed.key, one.placed.occurrence) not in known
        }

    def _take(self, ids: set[str], order: PublishRequest) -> None:
        agent = self._machine.agent
        events = [one.placed for one in rows.around(self._there, agent, ids)]
        everyone = {one.event.observation_id for one in events}
        births = rows.births(self._there, agent, everyone)
        found = rows.records(self._there, agent, everyone - self._ledger.lines(everyone).keys())
        parcel = self._parcel(found, events)
        beside = rows.taken_out_elsewhere(self._there, agent, self._id) if parcel.observations else set()
        version = self._ledger.version()
        with self._ledger.transaction():
            joined = self._ledger.join(parcel, at_ms=self._at_ms, by=order.run_id, beside=beside)
            born = {one.id for one in joined.observations}
            here = self._ledger.lines(everyone)
            told = self._missing({id_ for id_ in here if id_ not in born}, events)
            self._ledger.add_from_elsewhere(told, at_ms=self._at_ms)
            self._agree(births, events, here.keys())
        self._new += len(joined.observations)
        self._came += len(told) + len(joined.events)
        if self._head_is_ours(version):
            self._note_pushed()
        self._forget(events, here.keys())
        self._keep_out(parcel.observations, events)

    def _parcel(self, found: Mapping[str, str], events: Sequence[PlacedEvent]) -> Parcel:
        """Return the lines that are new here with all their events, checked as those of any archive are."""
        cleaner = Cleaner(read_patterns(self._target.config.settings.private_patterns).compiled)
        ordered = sorted(
            (one for one in events if one.event.observation_id in found), key=lambda one: one.order
        )
        # A birth goes first, wherever a machine without it has placed what it knew of a line.
        ordered.sort(key=lambda one: one.event.type is not EventType.OBSERVED)
        if not ordered:
            return Parcel((), ())
        stored: list[StoredEvent] = []
        born: dict[str, Observation] = {}
        for one in ordered:
            id_ = one.event.observation_id
            if one.event.type is EventType.OBSERVED:
                if id_ in born:
                    continue
                born[id_] = frames.read_record(found[id_])
            stored.append(StoredEvent(len(stored) + 1, one.event))
        frame = frames.Frame(self._link.agent, 1, len(stored), tuple(stored), tuple(born.values()), self._id)
        # Taken apart as one from a file is: whatever the server holds may come from anybody.
        return checked([frames.unpack(frames.pack(frame).metadata)], cleaner)

    def _missing(self, ids: Collection[str], events: Iterable[PlacedEvent]) -> list[Event]:
        own = self._placed(self._ledger.past.events_of(ids))
        known = Counter(one.key for one in own)
        found = []
        lines = self._ledger.lines(ids)
        for one in sorted(events, key=lambda placed: placed.order):
            id_ = one.event.observation_id
            if id_ not in lines or one.occurrence < known[one.key] or not agreement.counts_here(one.event):
                continue
            is_gone = lines[id_].standing.closed is Closed.FORGOTTEN
            if is_gone or one.event.type in (EventType.FORGOTTEN, EventType.OBSERVED):
                continue
            found.append(one.event)
        return found

    def _agree(self, births: Mapping[str, Any], events: Sequence[PlacedEvent], here: Collection[str]) -> None:
        """Give each line the standing that all events come to, those included that are not sent yet."""
        mine = self._placed(self._ledger.past.events_of(here))
        told = {(one.key, one.occurrence) for one in events}
        wanted = agreement.agreed(
            births, [*events, *(one for one in mine if (one.key, one.occurrence) not in told)]
        )
        history: dict[str, list[Event]] = {}
        for stored in self._ledger.past.events_of(here):
            history.setdefault(stored.event.observation_id, []).append(stored.event)
        settled = []
        for id_, line in self._ledger.lines(here).items():
            if id_ not in wanted or Closed.FORGOTTEN in (line.standing.closed, wanted[id_].closed):
                continue
            if agreement.standing_here(line.observation, history[id_]) != agreement.essence(wanted[id_]):
                settled.append(agreement.settlement(id_, line.standing, wanted[id_], self._at_ms))
        self._ledger.append(settled)

    def _forget(self, events: Sequence[PlacedEvent], here: Collection[str]) -> None:
        """Forget here what was forgotten elsewhere, and there what was forgotten here."""
        gone = {one.event.observation_id for one in events if one.event.type is EventType.FORGOTTEN}
        lines = self._ledger.lines(set(here))
        ours = {id_ for id_, line in lines.items() if line.standing.closed is Closed.FORGOTTEN}
        wanted = (gone & lines.keys()) - ours
        if wanted:
            went, left = forget_lines(self._target, self._ledger, wanted, now=self._now, by=BY_FLEET)
            self._forgotten |= went
            ours |= went
            self._notes += [
                f"{one.path}: holds words that were forgotten elsewhere, and is not ours." for one in left
            ]
        self._take_out(ours - gone, EventType.FORGOTTEN)

    def _keep_out(self, lines: Iterable[Observation], events: Sequence[PlacedEvent]) -> None:
        """Let what a person keeps out of this ledger be out everywhere: it is their word."""
        lacking = [one for one in lines if self._ledger.line(one.id) is None and one.text != FORGOTTEN]
        if not lacking:
            return
        ids = {one.id for one in lacking}
        out = agreement.agreed(rows.births(self._there, self._machine.agent, ids), events)
        for one in lacking:
            if out[one.id].closed in _OUT:
                continue
            stone = self._ledger.tombstoned(one)
            if stone is None:
                continue
            self._kept_out += 1
            self._take_out([one.id], EventType.FORGOTTEN if stone.is_forgotten else EventType.DELETED)

    def _take_out(self, ids: Collection[str], type_: EventType) -> None:
        agent = self._machine.agent
        if ids := rows.births(self._there, agent, ids).keys() if ids else set():
            told = rows.out_of_here(self._there, agent, ids, type_, self._at_ms, self._id)
            rows.decide(self._there, agent, told)

    def _keep(self, **parts: Any) -> None:  # noqa: ANN401  # fields of the cursor
        self._cursor = self._cursor._replace(**parts)
        write_cursor(self._ledger, self._cursor)

    def _head_is_ours(self, version: int) -> bool:
        """Whether all that was here before is there, so that what has just come need not be sent back."""
        return self._look().pushed >= version

    def _note_pushed(self) -> None:
        rows.push(self._there, self._machine, Parted((), (), self._ledger.version()))

    def _reclaim(self) -> str:
        owes = self._look().owes
        return rows.reclaim(self._there, self._machine.agent, owes) if owes else ""


def _as_sent(one: Observation) -> Observation:
    return without_secrets(one)


def read_cursor(ledger: Ledger, link: FleetLink) -> FleetCursor:
    """Return how far *ledger* has read of its agent; from the beginning after another one."""
    try:
        found = FleetCursor(*json.loads(ledger.meta().get(_NOTE, "[]")))
    except (ValueError, TypeError):
        found = FleetCursor()
    return found if found.agent == link.agent else FleetCursor(link.agent)


def write_cursor(ledger: Ledger, cursor: FleetCursor) -> None:
    """Keep how far a ledger has read."""
    ledger.set_meta(_NOTE, json.dumps(cursor))


def digest_here(target: Target, ledger: Ledger, link: FleetLink) -> str:
    """Return the hash of what of *ledger* is in the fleet: the same as the server's when both agree."""
    outgoing = Outgoing(target, ledger, link.kinds)
    history: dict[str, list[Event]] = {}
    for stored in ledger.events_since(0):
        history.setdefault(stored.event.observation_id, []).append(stored.event)
    return agreement.digest(
        {
            id_: (
                frames.record_of(_as_sent(line.observation)),
                agreement.standing_here(line.observation, history[id_]),
            )
            for id_, line in outgoing.lines.items()
            if outgoing.goes(id_)
        }
    )


def digest_of(target: Target) -> str:
    """Return the hash of what a joined workspace has in the fleet."""
    with open_ledger(target.layout.ledger, create=False, read_only=True) as ledger:
        return digest_here(target, ledger, need_link(target))
