"""Join and leave a fleet: nothing is sent before a person has seen what, and agreed.

Also an administrator's work on the server from here: creating and updating its tables.
"""

from __future__ import annotations

import re
import socket
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Any

from scrimshaw import __version__
from scrimshaw.core.types import Closed, Line
from scrimshaw.errors import Exit, UserError, refused_error, usage_error
from scrimshaw.fleet import erasure, server
from scrimshaw.fleet.rows import Machine
from scrimshaw.fleet.server import VARIABLE, ServerAddress
from scrimshaw.services.fleet.cursor import look, read_cursor
from scrimshaw.services.fleet.link import (
    OTHER,
    OWN,
    FleetLink,
    Outgoing,
    need_link,
    path_of,
    read_link,
)
from scrimshaw.services.results import WorkspaceResult
from scrimshaw.store.ledger import Ledger, open_ledger
from scrimshaw.workspace import Target

AGREED = ("direct", OWN)  # the kinds that are sent when the person names no others
_SHOWN = 10
_NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,39}")


@dataclass(frozen=True, slots=True)
class JoinPlan(WorkspaceResult):
    """What would be sent, for a person to agree to; nothing has been sent."""

    link: FleetLink
    counts: Mapping[str, int]  # number of lines of each kind here
    going: int
    staying: int
    first: tuple[Line, ...]  # the newest of those that are sent
    server: str  # address of the server, without a password
    exposure: str = ""  # a warning if the connection may be unencrypted

    def to_dict(self) -> dict[str, Any]:
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
    """What leaving has deleted from the server."""

    link: FleetLink
    lines: int
    others: int = 0  # lines of the agent that are there still: from other machines
    note: str = ""

    def to_dict(self) -> dict[str, Any]:
        note = {"note": self.note} if self.note else {}
        return {
            **self.head(),
            "name": self.link.agent,
            "lines": self.lines,
            "others": self.others,
            **note,
            "exit_code": int(Exit.OK),
        }


@dataclass(frozen=True, slots=True)
class FleetStatus(WorkspaceResult):
    """The state of a workspace in its fleet; *machines*: name, version and time of the last sync of each."""

    link: FleetLink | None
    waiting: int = 0  # events that have not been sent
    coming: bool = False  # the server has events that are not here
    form: int = 0
    owes: bool = False  # forgotten bytes may remain in the server's files
    machines: tuple[tuple[str, str, datetime], ...] = ()
    problem: str = ""
    next_step: str = ""
    notes: tuple[str, ...] = ()

    @property
    def exit_code(self) -> Exit:
        return Exit.MENDABLE if self.problem else Exit.OK

    def to_dict(self) -> dict[str, Any]:
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


def migrate_server(file: Path | None, variable: str, env: Mapping[str, str]) -> tuple[list[str], str]:
    """Create or update the tables; return the steps done, and what was left out and why."""
    address = ServerAddress(str(file), "") if file else ServerAddress("", variable or VARIABLE)
    return server.migrate(address.read(env))


def plan_join(
    target: Target, env: Mapping[str, str], address: ServerAddress, name: str, kinds: Iterable[str]
) -> JoinPlan:
    """Return what would leave this workspace; the server is only asked."""
    name = name or target.agent_id.lower()
    if not _NAME.fullmatch(name):
        raise usage_error(
            f"{name!r} cannot be a name in a fleet: use at most 40 of a-z, 0-9, - and _. Nothing was sent.",
            next_step="name it: scrimshaw fleet join --as NAME",
        )
    if (before := read_link(target.layout)) is not None and before.agent != name:
        raise refused_error(
            f"{target.layout.workspace}: it is in the fleet as {before.agent} already. Nothing was sent.",
            next_step="scrimshaw fleet leave",
        )
    chosen = tuple(kinds) or AGREED
    link = FleetLink(name, socket.gethostname()[:60] or "machine", address.file, address.variable, chosen)
    with open_ledger(target.layout.ledger, create=False, read_only=True) as ledger:
        outgoing = Outgoing(target, ledger, chosen)
        counts = outgoing.by_kind()
        going = [line for id_, line in outgoing.lines.items() if outgoing.goes(id_)]
        ledger_id = ledger.frames.ledger_id()
    if unknown := [kind for kind in chosen if kind not in (*counts, *AGREED, OTHER)]:
        raise usage_error(
            f"No line here is of the kind {unknown[0]!r}. Nothing was sent.",
            next_step=f"name some of: {', '.join(sorted(counts))}",
        )
    text = address.read(env)
    with server.connected(text) as there:
        server.schema(there, name)
        look(there, link, ledger_id)
        told = f"{there.info.dbname} on {there.info.host or 'this machine'}, as {there.info.user}"
    shown = [line for line in reversed(going) if line.standing.closed is not Closed.FORGOTTEN][:_SHOWN]
    staying = len(outgoing.lines) - len(going)
    return JoinPlan(target, link, counts, len(going), staying, tuple(shown), told, server.exposure(text))


def leave(target: Target, env: Mapping[str, str], *, every: bool = False) -> LeaveResult:
    """Delete this ledger's lines from the server, and leave the fleet.

    With *every* the lines of all machines of the agent, also of one that no longer exists.
    """
    link = need_link(target)
    with (
        open_ledger(target.layout.ledger, create=False, read_only=True) as ledger,
        server.connected(link.address.read(env)) as there,
    ):
        found = look(there, link, ledger.frames.ledger_id())
        machine = Machine(found.agent, ledger.frames.ledger_id(), link.machine, __version__)
        count, others = erasure.leave(there, machine, every=every)
        note = erasure.reclaim(there, found.agent, look(there, link, machine.ledger).owes)
    path_of(target.layout).unlink(missing_ok=True)
    return LeaveResult(target, link, count, others, note)


def status(target: Target, env: Mapping[str, str]) -> FleetStatus:
    """Return the state of *target* in its fleet; problems of the server are returned, not raised."""
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
