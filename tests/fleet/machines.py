"""Machines of a fleet for tests: workspaces with ledgers, and a PostgreSQL that they share."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from tests.places import Place
from tests.portability.ledgers import born

from scrimshaw.core.ledger.merge_ledgers import Parcel
from scrimshaw.core.types import Event, Observation, Standing
from scrimshaw.fleet import rows, server
from scrimshaw.fleet.embedded import OwnServer
from scrimshaw.services.fleet.digest import digest_here
from scrimshaw.services.fleet.link import FleetLink, write_link
from scrimshaw.services.fleet.sync import SyncResult, sync_with
from scrimshaw.services.publish.result import PublishRequest
from scrimshaw.services.publish.run import publish
from scrimshaw.services.runs import recorded
from scrimshaw.store.ledger import Ledger, open_ledger

if TYPE_CHECKING:
    from scrimshaw.fleet.server import Connection

NOW = datetime(2026, 11, 20, 18, 0, tzinfo=UTC)
_numbers = itertools.count(1)


@dataclass
class Fleet:
    """A database of its own on the server of the tests, with the schema."""

    server: OwnServer
    name: str
    agents: list[str] = field(default_factory=list)
    logins: list[str] = field(default_factory=list)

    def admin(self) -> str:
        return self.server.address(database=self.name)

    def address(self, user: str) -> str:
        return self.server.address(user, self.name)

    def admit(self, agent: str, *, team: str = "all", login: str = "", reads_team: bool = False) -> str:
        """Let an agent in with a login of its own; roles are of the whole server, so names are made new."""
        login = login or f"login_{next(_numbers)}"
        with server.connected(self.admin()) as admin:
            admin.execute(
                f"do $$ begin create role {login} login; exception when duplicate_object then null; end $$"
            )
            admin.execute("select scrimshaw.admit(%s, %s, %s, %s)", (agent, team, login, reads_team))
        self.agents.append(agent)
        self.logins.append(login)
        return login

    @contextmanager
    def asked(self, login: str = "postgres") -> Iterator[Connection]:
        with server.connected(self.address(login)) as connection:
            yield connection

    def drop(self) -> None:
        """Take the database away: fifty of them are half a gigabyte."""
        with server.connected(self.server.address()) as admin:
            admin.execute(f"drop database if exists {self.name} with (force)")

    def digest(self, agent: str) -> str:
        with self.asked() as admin:
            return rows.digest(admin, agent)

    def keep_copy(self) -> str:
        """Copy the database as a backup would; return the copy's name for `put_back`."""
        name = f"{self.name}_copy{next(_numbers)}"
        with server.connected(self.server.address()) as admin:
            admin.execute(f"create database {name} template {self.name}")
        return name

    def put_back(self, copy: str) -> None:
        """Let the server be as it was when *copy* was made: numbers that were given since are given again."""
        with server.connected(self.server.address()) as admin:
            admin.execute(f"drop database {self.name} with (force)")
            admin.execute(f"create database {self.name} template {copy}")
        self.drop_copy(copy)

    def drop_copy(self, copy: str) -> None:
        with server.connected(self.server.address()) as admin:
            admin.execute(f"drop database {copy}")


def new_fleet(own: OwnServer) -> Fleet:
    """Return an empty fleet on *own*."""
    name = f"fleet_{next(_numbers)}"
    with server.connected(own.address()) as admin:
        if admin.execute("select from pg_database where datname = 'fleet_made'").fetchone() is None:
            admin.execute("create database fleet_made")
            server.migrate(own.address(database="fleet_made"))
        admin.execute(f"create database {name} template fleet_made")
    return Fleet(own, name)


@dataclass
class Machine:
    """One machine with one agent, and its login."""

    fleet: Fleet
    place: Place
    login: str
    link: FleetLink

    def ledger(self) -> Ledger:
        return self.place.ledger()

    def sync(self, *, now: datetime = NOW) -> SyncResult:
        with self.ledger() as ledger, self.fleet.asked(self.login) as there:
            return sync_with(self.place.target(), ledger, self.link, there, now)

    def note(self, *lines: Observation, then: tuple[Event, ...] = ()) -> None:
        """Put *lines*, and what happens to them, into the ledger as if they were noted here."""
        with self.ledger() as ledger:
            ledger.join(Parcel(lines, (*born(*lines), *then)), at_ms=9, by="r1")

    def happen(self, *events: Event) -> None:
        with self.ledger() as ledger:
            ledger.append(events)

    def standing(self, one: Observation) -> Standing | None:
        with self.ledger() as ledger:
            line = ledger.line(one.id)
        return line.standing if line else None

    def texts(self) -> set[str]:
        """Return what stands in the ledger and holds."""
        with self.ledger() as ledger:
            return {one.observation.text for one in ledger.all_lines() if one.standing.is_live}

    def publish(self, *, now: datetime = NOW) -> None:
        """Take what a hand did to MEMORY.md into the ledger and write the section, however much that was."""
        with self.ledger() as ledger, recorded(ledger, "publish", "test", now) as row:
            order = PublishRequest(row.id, now, reason="publish", edits_are_accepted=True)
            publish(self.place.target(), ledger, order)
            row.outcome = "written"

    def digest(self) -> str:
        with self.ledger() as ledger:
            return digest_here(self.place.target(), ledger, self.link)


EVERY_KIND = ("own words", "programs and imports", "direct", "group")


def new_machine(fleet: Fleet, root: Path, agent: str, *, login: str = "", name: str = "") -> Machine:
    """Return a machine that has joined *fleet* for *agent*."""
    number = next(_numbers)
    place = Place(root / f"m{number}")
    login = login or fleet.admit(agent)
    link = FleetLink(agent, name or f"machine-{number}", variable="SCRIMSHAW_FLEET", kinds=EVERY_KIND)
    path = place.workspace / ".scrimshaw"
    path.mkdir(mode=0o700)
    with open_ledger(path / "ledger.sqlite", create=True):
        pass
    write_link(place.target(), link)
    return Machine(fleet, place, login, link)
