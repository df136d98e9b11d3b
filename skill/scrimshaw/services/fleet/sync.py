"""Synchronise a ledger with the server: each gets what it lacks, in any order and even twice.

First this ledger's events are sent, page by page; each page is one transaction on the server, together with
its position. Then new events are fetched (services/fleet/fetch), page by page, each stored with how far this
ledger has read. Last, forgotten words are removed from the server's files. After a kill at any point the next
sync continues: nothing is lost or doubled.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING, Any

from scrimshaw import __version__
from scrimshaw.core.ledger import agreement
from scrimshaw.core.ledger.agreement import PlacedEvent
from scrimshaw.core.text.plural import counted
from scrimshaw.core.types import EventType
from scrimshaw.errors import Exit
from scrimshaw.fleet import erasure, rows, search, sending, server
from scrimshaw.fleet.rows import Machine, Parted
from scrimshaw.logs import canonical
from scrimshaw.services.edit.sittings import begin_sitting, end_sitting
from scrimshaw.services.fleet.cursor import look, read_cursor, write_cursor
from scrimshaw.services.fleet.fetch import Fetch, placed
from scrimshaw.services.fleet.link import FleetLink, Outgoing, need_link, terms_of
from scrimshaw.services.fleet.meanings import vectors_after, vectors_waiting
from scrimshaw.services.publish.redaction import without_secrets
from scrimshaw.services.publish.result import PublishOutcome, PublishRequest
from scrimshaw.services.results import WorkspaceResult
from scrimshaw.services.runs import publish_in_pause, recorded
from scrimshaw.store.ledger import Ledger, open_ledger
from scrimshaw.store.records import StoredEvent
from scrimshaw.workspace import Target

if TYPE_CHECKING:
    from scrimshaw.fleet.server import Connection

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class SyncResult(WorkspaceResult):
    """The result of a sync."""

    link: FleetLink
    sent: int = 0  # events
    came: int = 0
    new: int = 0  # lines
    forgotten: int = 0
    kept_out: int = 0
    notes: tuple[str, ...] = ()
    exit_code: Exit = Exit.OK

    def to_dict(self) -> dict[str, Any]:
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
    """Send what is new here and fetch what is new there; with *keeps* the connection stays open.

    Raises UserError, the ledger intact, when the server is away, slow, full or of an unknown form.
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
        return SyncResult(target, link, notes=run.waits_for_others())
    with recorded(ledger, "fleet", "sync", now) as row:
        done = run.go(row.id)
        row.outcome = "synced"
    counts = {"sent": done.sent, "came": done.came, "new": done.new, "forgotten": done.forgotten}
    log.info(canonical(run=row.id, job="fleet", agent=link.agent, **counts))
    return done


class _Sync:
    def __init__(
        self, target: Target, ledger: Ledger, link: FleetLink, there: Connection, now: datetime
    ) -> None:
        self._target, self._ledger, self._link, self._there = target, ledger, link, there
        self._now = now
        self._id = ledger.frames.ledger_id()
        self._cursor = read_cursor(ledger, link)
        self._head = look(self._there, self._link, self._id, self._cursor)
        self._machine = Machine(self._head.agent, self._id, link.machine, __version__)
        self._fetch = Fetch(target, ledger, link, there, self._machine, now)

    def is_idle(self) -> bool:
        """Whether neither side has anything new."""
        head = self._head
        is_read = (
            self._cursor.holds_for(head) and head.newest == self._cursor.pulled and not self._cursor.owes
        )
        has_vectors = vectors_waiting(self._target, self._cursor.vectors, head.schema)
        owes = head.owes and not self.waits_for_others()
        terms = terms_of(self._target, self._link)
        is_sent = head.pushed >= self._ledger.version() and self._cursor.terms == terms
        return is_read and is_sent and not owes and not has_vectors

    def waits_for_others(self) -> tuple[str, ...]:
        """Return what only an administrator can do; it is no reason to start another sync."""
        why = erasure.hindrance(self._there) if self._head.owes else ""
        return (why,) if why else ()

    def go(self, run_id: str) -> SyncResult:
        order, came = PublishRequest(run_id, self._now, reason="fleet"), self._fetch
        if not self._cursor.holds_for(self._head):
            # Another server, or one restored from a copy: everything is read again.
            self._cursor = self._cursor._replace(pulled=0, mark="", vectors=0, pushed=0)
            came.forget_there()
        if gone := came.unheard(self._cursor.pulled):
            # Before anything is sent: a reason or another line could quote what was forgotten elsewhere.
            self._keep(owes=True)
            came.forget(gone)
        sent = self._push()
        self._pull(order)
        self._send_vectors()
        if self._cursor.owes:
            published, _ = publish_in_pause(self._target, self._ledger, order, at_once=False)
            if published.result is not PublishOutcome.DISABLED:  # a choice that was made, and is not new
                came.notes += published.problems
            self._keep(owes=False)
        if problem := self._finish():
            came.notes.append(problem)
        return SyncResult(
            *(self._target, self._link, sent, came.events, came.lines, len(came.forgotten), came.kept_out),
            notes=tuple(came.notes),
        )

    # -- there ----------------------------------------------------------------------------------------------

    def _push(self) -> int:
        terms = terms_of(self._target, self._link)
        is_new = self._cursor.terms != terms  # every line is checked again; nothing is stored twice
        begin = 0 if is_new else max(self._head.pushed, 0)
        events = self._ledger.events_since(begin)
        sent = 0
        if events:
            outgoing = Outgoing(self._target, self._ledger, self._link.kinds)
            if is_new:
                self._withdraw(outgoing)
            sent = self._push_of(events, outgoing, begin)
        elif self._head.pushed < 0:
            sending.push(self._there, self._machine, Parted((), (), 0))
        self._keep(terms=terms, vectors=0 if is_new else self._cursor.vectors)
        return sent

    def _withdraw(self, outgoing: Outgoing) -> None:
        stays = [id_ for id_ in outgoing.lines if not outgoing.goes(id_)]
        if stays and (count := erasure.withdraw(self._there, self._machine, stays)):
            note = f"{counted(count, 'line')} that may no longer leave: taken off the server."
            self._fetch.notes.append(note)

    def _push_of(self, events: Sequence[StoredEvent], outgoing: Outgoing, begin: int) -> int:
        ids = {one.event.observation_id for one in events if agreement.is_sent(one.event)}
        ids = {id_ for id_ in ids if outgoing.goes(id_)}
        closed = {one.event.observation_id for one in events if agreement.may_close(one.event)} & ids
        if closed and self._fetch.check(closed, outgoing.goes):
            self._keep(owes=True)
            events = self._ledger.events_since(begin)
        history = self._ledger.past.events_of(ids)
        # In the ledger's order from each line's creation, from which the place of an event follows.
        fresh = [one for one in placed(self._ledger, history) if one.seq > begin]
        fresh = [self._without_private(one, outgoing) for one in fresh]
        # Lines forgotten along with another are forgotten on the server before they arrive there, blank.
        fresh = [*self._fetch.taken_along(fresh, outgoing.lines), *fresh]
        sent, last = 0, events[-1].seq
        if not fresh:
            sending.push(self._there, self._machine, Parted((), (), last))
        while fresh:
            part, fresh = fresh[: rows.MOST_AT_ONCE], fresh[rows.MOST_AT_ONCE :]
            born = [one.event.observation_id for one in part if one.event.type is EventType.OBSERVED]
            lines = [without_secrets(outgoing.lines[id_].observation) for id_ in dict.fromkeys(born)]
            told = Parted(part, lines, part[-1].seq if fresh else last)
            sent += sending.push(self._there, self._machine, told)
        return sent

    def _send_vectors(self) -> None:
        if not vectors_waiting(self._target, self._cursor.vectors, self._head.schema):
            return
        keys, found = vectors_after(self._target, self._cursor.vectors)
        goes = Outgoing(self._target, self._ledger, self._link.kinds).goes
        for start in range(0, len(keys), rows.MOST_AT_ONCE):
            part = keys[start : start + rows.MOST_AT_ONCE]
            ids = {key: line.observation.id for key, line in self._ledger.numbered.lines(part).items()}
            held = [(ids[key], found[start + at]) for at, key in enumerate(part) if key in ids]
            held = [(id_, vector) for id_, vector in held if goes(id_)]  # a vector tells much of its words
            search.put_vectors(
                self._there, self._machine.agent, [id_ for id_, _ in held], [one for _, one in held]
            )
            self._keep(vectors=part[-1])

    def _without_private(self, one: PlacedEvent, outgoing: Outgoing) -> PlacedEvent:
        event = one.event
        if not event.reason or event.type is EventType.SET_BACK or not outgoing.cuts(event.reason):
            return one
        return one._replace(event=replace(event, reason=""))

    # -- here -----------------------------------------------------------------------------------------------

    def _pull(self, order: PublishRequest) -> None:
        is_begun = False
        while page := rows.after(self._there, self._machine.agent, self._cursor.pulled):
            fresh = self._fetch.of_others(page)
            if fresh and not is_begun:
                # Changes made by hand first: they may say that one of these lines is to stay out.
                begin_sitting(self._target, self._ledger, order)
                is_begun = True
                self._keep(owes=True)
            if fresh:
                self._fetch.take(fresh, order.run_id)
            last = page[-1]
            self._keep(pulled=last.number, mark=last.placed.key.hex())
        if is_begun:
            end_sitting(self._ledger, order)

    def _keep(self, **parts: Any) -> None:  # noqa: ANN401  # fields of the cursor
        self._cursor = self._cursor._replace(**parts)
        write_cursor(self._ledger, self._cursor)

    def _finish(self) -> str:
        """Record what the server has by now, and have it rewrite its tables; return what prevents that."""
        head = look(self._there, self._link, self._id, self._cursor)
        self._keep(pushed=head.pushed)
        return erasure.reclaim(self._there, head.agent, head.owes) if head.owes else ""
