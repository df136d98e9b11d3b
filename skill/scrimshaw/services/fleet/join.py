"""Joining a fleet and leaving it: nothing goes before a person has seen what, and agreed."""

from __future__ import annotations

import re
import socket
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from scrimshaw import __version__
from scrimshaw.core.types import Closed, Line
from scrimshaw.errors import Exit, UserError
from scrimshaw.fleet import erasure, server
from scrimshaw.fleet.rows import Machine
from scrimshaw.fleet.server import ServerAddress
from scrimshaw.services.fleet.cursor import look, read_cursor
from scrimshaw.services.fleet.link import (
    OTHER,
    OWN,
    FleetLink,
    Outgoing,
    drop_link,
    need_link,
    read_link,
    write_link,
)
from scrimshaw.services.results import WorkspaceResult
from scrimshaw.store.ledger import Ledger, open_ledger
from scrimshaw.workspace import Target

AGREED = ("direct", OWN)  # kinds that go when nobody names others
_SHOWN = 10
_NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,39}")


@dataclass(frozen=True, slots=True)
class JoinPlan(WorkspaceResult):
    """What would go, for a person to agree to; nothing of it has."""

    link: FleetLink
    counts: Mapping[str, int]  # lines of each kind that are here
    going: int
    staying: int
    first: tuple[Line, ...]  # of those that go, the newest
    server: str  # which server, without a password
    exposure: str = ""  # what may travel there unencrypted

    def to_dict(self) -> dict[str, Any]:
        """Return it as `scrimshaw fleet join --json` prints it."""
        return {
            **self.head(),
            "name": self.link.agent,
            "machine": self.link.machine,
            "server": self.server,
            "exposure": self.exposure,
            "kinds": list(self.link.kinds),
            "counts": dict(self.counts),
            "going": self.going,
            "staying": self.staying,
            "exit_code": int(Exit.OK),
        }


@dataclass(frozen=True, slots=True)
class LeaveResult(WorkspaceResult):
    """What leaving took off the server."""

    link: FleetLink
    lines: int
    note: str = ""

    def to_dict(self) -> dict[str, Any]:
        """Return it as `scrimshaw fleet leave --json` prints it."""
        note = {"note": self.note} if self.note else {}
        return {
            **self.head(),
            "name": self.link.agent,
            "lines": self.lines,
            **note,
            "exit_code": int(Exit.OK),
        }


@dataclass(frozen=True, slots=True)
class FleetStatus(WorkspaceResult):
    """How a workspace stands to its fleet; *machines* are name, version and when each was last here."""

    link: FleetLink | None
    waiting: int = 0  # events that the server has not got
    coming: bool = False  # the server has what is not here
    form: int = 0
    owes: bool = False  # forgotten bytes may lie on in the server's files
    machines: tuple[tuple[str, str, datetime], ...] = ()
    problem: str = ""
    next_step: str = ""
    notes: tuple[str, ...] = ()

    @property
    def exit_code(self) -> Exit:
        """What the command ends with."""
        return Exit.MENDABLE if self.problem else Exit.OK

    def to_dict(self) -> dict[str, Any]:
        """Return it as `scrimshaw fleet status --json` prints it."""
        return {
            **self.head(),
            "name": self.link.agent if self.link else None,
            "machine": self.link.machine if self.link else None,
            "kinds": list(self.link.kinds) if self.link else [],
            "waiting": self.waiting,
            "coming": self.coming,
            "form": self.form,
            "owes": self.owes,
            "machines": [
                {"name": name, "version": version, "seen_at": seen.isoformat()}
                for name, version, seen in self.machines
            ],
            "notes": list(self.notes),
            "problem": self.problem,
            "next_step": self.next_step,
            "exit_code": int(self.exit_code),
        }


def plan_join(
    target: Target, env: Mapping[str, str], address: ServerAddress, name: str, kinds: Iterable[str]
) -> JoinPlan:
    """Return what would leave this workspace; the server is asked, and told nothing."""
    name = name or target.agent_id.lower()
    if not _NAME.fullmatch(name):
        raise UserError(
            f"{name!r} is no name in a fleet: small letters, digits, - and _, at most 40. Nothing was sent.",
            next_step="name it: scrimshaw fleet join --as NAME",
            exit_code=Exit.USAGE,
        )
    if (before := read_link(target.layout)) is not None and before.agent != name:
        raise UserError(
            f"{target.layout.workspace}: it is in the fleet as {before.agent} already. Nothing was sent.",
            next_step="scrimshaw fleet leave",
            exit_code=Exit.REFUSED,
        )
    chosen = tuple(kinds) or AGREED
    link = FleetLink(name, socket.gethostname()[:60] or "machine", address.file, address.variable, chosen)
    with open_ledger(target.layout.ledger, create=False, read_only=True) as ledger:
        outgoing = Outgoing(target, ledger, chosen)
        counts = outgoing.by_kind()
        going = [line for id_, line in outgoing.lines.items() if outgoing.goes(id_)]
        ledger_id = ledger.frames.ledger_id()
    if unknown := [kind for kind in chosen if kind not in (*counts, *AGREED, OTHER)]:
        raise UserError(
            f"There is no line of the kind {unknown[0]!r} here. Nothing was sent.",
            next_step=f"name some of: {', '.join(sorted(counts))}",
            exit_code=Exit.USAGE,
        )
    text = address.read(env)
    with server.connected(text) as there:
        server.schema(there, name)
        look(there, link, ledger_id)
        told = f"{there.info.dbname} on {there.info.host or 'this machine'}, as {there.info.user}"
    shown = [line for line in reversed(going) if line.standing.closed is not Closed.FORGOTTEN][:_SHOWN]
    staying = len(outgoing.lines) - len(going)
    return JoinPlan(target, link, counts, len(going), staying, tuple(shown), told, server.exposure(text))


def join(shown: JoinPlan) -> None:
    """Keep what a person has agreed to; the next sync sends it."""
    write_link(shown.target, shown.link)


def leave(target: Target, env: Mapping[str, str]) -> LeaveResult:
    """Take the lines that came from this ledger off the server, and stay out of the fleet from then on."""
    link = need_link(target)
    with (
        open_ledger(target.layout.ledger, create=False, read_only=True) as ledger,
        server.connected(link.address.read(env)) as there,
    ):
        found = look(there, link, ledger.frames.ledger_id())
        machine = Machine(found.agent, ledger.frames.ledger_id(), link.machine, __version__)
        count = erasure.leave(there, machine)
        note = erasure.reclaim(there, found.agent, look(there, link, machine.ledger).owes)
    drop_link(target)
    return LeaveResult(target, link, count, note)


def status(target: Target, env: Mapping[str, str]) -> FleetStatus:
    """Return how *target* stands to its fleet; what is wrong with the server is told, not raised."""
    link = read_link(target.layout)
    if link is None:
        return FleetStatus(target, None)
    with open_ledger(target.layout.ledger, create=False, read_only=True) as ledger:
        try:
            address = link.address.read(env)
            with server.connected(address) as there:
                found = _status(target, link, ledger, there)
            notes = (*found.notes, server.form_told(found.form), server.exposure(address))
            return replace(found, notes=tuple(filter(None, notes)))
        except UserError as error:
            told = " ".join(error.problems)
            return FleetStatus(target, link, problem=told, next_step=error.next_step)


def _status(target: Target, link: FleetLink, ledger: Ledger, there: server.Connection) -> FleetStatus:
    cursor = read_cursor(ledger, link)
    found = look(there, link, ledger.frames.ledger_id(), cursor)
    machines = there.execute(
        "select name, version, seen_at from scrimshaw.machine where agent = %s order by name", (found.agent,)
    ).fetchall()
    return FleetStatus(
        *(target, link, max(0, ledger.version() - max(0, found.pushed))),
        coming=found.newest != cursor.pulled or not cursor.holds_for(found),
        form=found.schema,
        owes=bool(found.owes),
        machines=tuple((name, version, seen) for name, version, seen in machines),
        notes=(erasure.hindrance(there) if found.owes else "",),
    )
