"""Take into a ledger what came from other machines: lines, events, what was forgotten or kept out.

New lines are imported by the code for archives (services/archive/read, Ledger.join); events of lines that are
already here are added as they are. Where this ledger's order of events gives a line another standing than all
events together do (core/ledger/agreement), one event of its own corrects that. Any of it may arrive twice.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

from scrimshaw.archive import frames
from scrimshaw.clock import milliseconds
from scrimshaw.core.ledger import agreement
from scrimshaw.core.ledger.agreement import BY_FLEET, PlacedEvent
from scrimshaw.core.ledger.forget import FORGOTTEN
from scrimshaw.core.ledger.merge_ledgers import Parcel
from scrimshaw.core.transcript.privacy import read_patterns
from scrimshaw.core.types import Closed, Event, EventType, Line, Observation
from scrimshaw.fleet import erasure, rows, sending
from scrimshaw.fleet.rows import Machine, NumberedEvent, Parted
from scrimshaw.services.archive.read import Cleaner, checked
from scrimshaw.services.edit.forget import forget_lines
from scrimshaw.services.fleet.cursor import look
from scrimshaw.services.fleet.link import FleetLink
from scrimshaw.store.ledger import Ledger
from scrimshaw.store.records import StoredEvent
from scrimshaw.workspace import Target

if TYPE_CHECKING:
    from scrimshaw.fleet.server import Connection

_OUT = (Closed.DELETED, Closed.UNDONE, Closed.FORGOTTEN)


class Fetch:
    """What one sync takes from the server, and the results."""

    def __init__(
        self,
        target: Target,
        ledger: Ledger,
        link: FleetLink,
        there: Connection,
        machine: Machine,
        now: datetime,
    ) -> None:
        """*machine* is this one, as the server knows it."""
        self._target, self._ledger, self._link, self._there = target, ledger, link, there
        self._machine, self._id = machine, machine.ledger
        self._now, self._at_ms = now, milliseconds(now)
        self.events = self.lines = self.kept_out = 0
        self.forgotten: set[str] = set()
        self.notes: list[str] = []

    def forget(self, ids: Collection[str]) -> None:
        """Forget *ids* in this ledger, and on the server other lines that go with them."""
        self._take_out(self._forget_here(ids) - set(ids), EventType.FORGOTTEN)

    def forget_there(self) -> None:
        """Forget on the server what is forgotten here, before anything that quotes it is fetched."""
        lines = self._ledger.all_lines()
        gone = {one.id for one, standing in lines if standing.closed is Closed.FORGOTTEN}
        known = rows.forgotten(self._there, self._machine.agent, 0) if gone else set()
        self._take_out(gone - known, EventType.FORGOTTEN)

    def unheard(self, after: int) -> set[str]:
        """Return the lines that have words in this ledger and that an event above *after* forgets."""
        gone = rows.forgotten(self._there, self._machine.agent, after)
        lines = self._ledger.lines(gone) if gone else {}
        return {id_ for id_, line in lines.items() if line.standing.closed is not Closed.FORGOTTEN}

    def of_others(self, page: Sequence[NumberedEvent]) -> set[str]:
        """Return the lines of *page* for which some event may be missing here."""
        ours = {one.placed.event.observation_id for one in page}
        known = {
            (one.key, one.occurrence)
            for one in placed(self._ledger, self._ledger.past.events_of(self._ledger.lines(ours)))
        }
        return {
            one.placed.event.observation_id
            for one in page
            if (one.placed.key, one.placed.occurrence) not in known
        }

    def take(self, ids: set[str], run_id: str) -> None:
        """Fetch everything known about *ids*, and about the lines connected with them."""
        agent = self._machine.agent
        events = [one.placed for one in rows.around(self._there, agent, ids)]
        everyone = {one.event.observation_id for one in events}
        births = rows.births(self._there, agent, everyone)
        found = rows.records(self._there, agent, everyone - self._ledger.lines(everyone).keys())
        parcel = self._parcel(found, events)
        beside = rows.taken_out_elsewhere(self._there, agent, self._id) if parcel.observations else set()
        version = self._ledger.version()
        with self._ledger.transaction():
            joined = self._ledger.join(parcel, at_ms=self._at_ms, by=run_id, beside=beside)
            born = {one.id for one in joined.observations}
            here = self._ledger.lines(everyone)
            told = self._missing({id_ for id_ in here if id_ not in born}, events)
            self._ledger.add_from_elsewhere(told, at_ms=self._at_ms)
            self._agree(births, events, here.keys())
        self.lines += len(joined.observations)
        self.events += len(told) + len(joined.events)
        if look(self._there, self._link, self._id).pushed >= version:
            # The server has all that was here before; what has just come need not be sent back.
            sending.push(self._there, self._machine, Parted((), (), self._ledger.version()))
        self._forget(events, here.keys())
        self._keep_out(parcel.observations, events)

    def _parcel(self, found: Mapping[str, str], events: Sequence[PlacedEvent]) -> Parcel:
        """Return the lines that are new here with all their events, checked like those of an archive."""
        cleaner = Cleaner(read_patterns(self._target.config.settings.private_patterns).compiled)
        ordered = sorted(
            (one for one in events if one.event.observation_id in found), key=lambda one: one.order
        )
        # The creation goes first, wherever a machine that lacked it has placed its own events of the line.
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
                born[id_] = rows.observation_of(found[id_])
            stored.append(StoredEvent(len(stored) + 1, one.event))
        frame = frames.Frame(self._link.agent, 1, len(stored), tuple(stored), tuple(born.values()), self._id)
        # Packed and unpacked like a file's, because the server may hold anything.
        return checked([frames.unpack(frames.pack(frame).metadata)], cleaner)

    def taken_along(self, events: Sequence[PlacedEvent], lines: Mapping[str, Line]) -> list[PlacedEvent]:
        """Return events that forget those lines created in *events* that were forgotten with another."""
        born = {one.event.observation_id for one in events if one.event.type is EventType.OBSERVED}
        told = {one.event.observation_id for one in events if one.event.type is EventType.FORGOTTEN}
        ids = [id_ for id_ in born - told if lines[id_].standing.closed is Closed.FORGOTTEN]
        if not ids:
            return []
        known = rows.forgotten(self._there, self._machine.agent, 0)
        return erasure.out_of_here(
            *(self._there, self._machine.agent, sorted(set(ids) - known)),
            *(EventType.FORGOTTEN, self._at_ms, self._id),
        )

    def _missing(self, ids: Collection[str], events: Iterable[PlacedEvent]) -> list[Event]:
        own = placed(self._ledger, self._ledger.past.events_of(ids))
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

    def check(self, closed: Collection[str], going: Callable[[str], bool]) -> bool:
        """Settle lines closed here that close each other, as other machines do by ignoring the last one.

        Before sending, and only for lines that are *going*; returns whether any standing has changed.
        """
        ids, wanted = set[str](), set(closed)
        while wanted:
            ids |= wanted
            named = {one.event.other_id for one in self._ledger.past.events_of(wanted)}
            wanted = {id_ for id_ in named - ids if id_ and going(id_)}
        there = [one.placed for one in rows.around(self._there, self._machine.agent, ids)]
        everyone = ids | {one.event.observation_id for one in there}
        births = rows.births(self._there, self._machine.agent, everyone)
        with self._ledger.transaction():
            here = self._ledger.lines(everyone)
            births = {id_: agreement.birth(line.observation) for id_, line in here.items()} | births
            return self._agree(births, there, here.keys()) > 0

    def _agree(self, births: Mapping[str, Any], events: Sequence[PlacedEvent], here: Collection[str]) -> int:
        """Give each line the standing that follows from all events, including those not sent yet."""
        mine = placed(self._ledger, self._ledger.past.events_of(here))
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
        return len(settled)

    def _forget(self, events: Sequence[PlacedEvent], here: Collection[str]) -> None:
        """Forget here what was forgotten elsewhere, and on the server what was forgotten here."""
        gone = {one.event.observation_id for one in events if one.event.type is EventType.FORGOTTEN}
        lines = self._ledger.lines(set(here))
        ours = {id_ for id_, line in lines.items() if line.standing.closed is Closed.FORGOTTEN}
        if wanted := (gone & lines.keys()) - ours:
            ours |= self._forget_here(wanted)
        self._take_out(ours - gone, EventType.FORGOTTEN)

    def _forget_here(self, ids: Collection[str]) -> frozenset[str]:
        went, left = forget_lines(self._target, self._ledger, ids, now=self._now, by=BY_FLEET)
        self.forgotten |= went
        self.notes += [
            f"{one.path}: holds words that were forgotten elsewhere, and is not ours." for one in left
        ]
        return went

    def _keep_out(self, lines: Iterable[Observation], events: Sequence[PlacedEvent]) -> None:
        """Remove everywhere what a person keeps out of this ledger."""
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
            self.kept_out += 1
            self._take_out([one.id], EventType.FORGOTTEN if stone.is_forgotten else EventType.DELETED)

    def _take_out(self, ids: Collection[str], type_: EventType) -> None:
        agent = self._machine.agent
        if ids := rows.births(self._there, agent, ids).keys() if ids else set():
            told = erasure.out_of_here(self._there, agent, ids, type_, self._at_ms, self._id)
            sending.decide(self._there, agent, told)


def placed(ledger: Ledger, history: Iterable[StoredEvent]) -> list[PlacedEvent]:
    """Return the events of *history*, of whole lines, each with its place among those of its line."""
    return agreement.place(((one.seq, one.event) for one in history), ledger.frames.ledger_id())
