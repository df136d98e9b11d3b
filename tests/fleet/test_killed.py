"""A sync that is killed anywhere is whole after the next, on this machine and on the server.

Cut off at its n-th point (tests/crash/killing.py): every statement on the ledger, every file, every flush.
The server is put back before each kill, too. The control notes how far was read before it is taken.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from unittest import mock

import pytest
from tests.crash.killing import Killing
from tests.fleet.machines import EVERY_KIND, NOW, Fleet, Machine, new_fleet, new_machine
from tests.places import Place
from tests.portability.ledgers import born, event, line
from tests.support.breadth import share

from scrimshaw.core.ledger.merge_ledgers import Parcel
from scrimshaw.core.types import Author, EventType
from scrimshaw.fleet import rows
from scrimshaw.fleet.embedded import OwnServer
from scrimshaw.services.edit.forget import Wish, forget, look_ahead
from scrimshaw.services.fleet.cursor import look, read_cursor, write_cursor
from scrimshaw.services.fleet.fetch import Fetch
from scrimshaw.services.fleet.link import FleetLink, write_link

_FEW, _MANY = 4, 40  # points in the quick suite, and in the slow one; before a release every one
OLD, NEW, GONE, KEPT = line(1, "the invoice is open"), line(2, "the invoice is paid"), line(3), line(4)
SECRET = line(5, "the safe opens with marzipan")
AGENT = "anna"


class KillingWithServer(Killing):
    """A workspace in a fleet; the server is as it was before each kill."""

    def __init__(self, folder: Path, fleet: Fleet) -> None:
        self.fleet = fleet
        self.login = fleet.admit(AGENT)
        self.other = new_machine(fleet, folder, AGENT, login=self.login)
        self.digests: set[str] = set()
        self.is_ready = False
        super().__init__(folder, self._build, self._sync)

    def _build(self, place: Place) -> None:
        """Make a machine that has read all, and then lay on the server what is new to it."""
        place.memory.write_text("# Memory\n\n- mine\n")
        place.say(("We decided to use Postgres 17.2 for the ledger.", "Noted."))
        assert place.run("observe", "--yes", "--now").code == 0
        write_link(place.target(), FleetLink(AGENT, "here", variable="SCRIMSHAW_FLEET", kinds=EVERY_KIND))
        here = self._machine(place)
        self.other.note(OLD, GONE, KEPT, SECRET)
        for one in (self.other, here):
            one.sync()
        self.other.note(NEW)
        self.other.happen(
            event(EventType.SUPERSEDED, OLD, 9, other_id=NEW.id),
            event(EventType.DELETED, GONE, 9, by="person"),
        )
        target = self.other.place.target()
        shown = look_ahead(target, Wish(words=SECRET.id), now=NOW, by=Author.PERSON, dry_run=False)
        forget(shown, now=NOW, by="person")
        self.other.sync()
        with here.ledger() as ledger:
            mine = line(6, "noted here meanwhile")
            ledger.join(Parcel((mine,), born(mine)), at_ms=9, by="r1")
            ledger.append([event(EventType.PINNED, KEPT, 9, by="person")])
        self.copy = f"{self.fleet.name}_kept"
        self._database(f"create database {self.copy} template {self.fleet.name}")

    def _machine(self, place: Place) -> Machine:
        link = FleetLink(AGENT, "here", kinds=EVERY_KIND)
        return Machine(self.fleet, place, self.login, link)

    def _sync(self, place: Place) -> None:
        self._machine(place).sync()

    def put_back(self) -> Place:
        self._database(f"drop database {self.fleet.name} with (force)")
        self._database(f"create database {self.fleet.name} template {self.copy}")
        return super().put_back()

    def server_digest(self) -> str:
        return self.fleet.digest(AGENT)

    def _database(self, sql: str) -> None:
        from scrimshaw.fleet import server

        with server.connected(self.fleet.server.address()) as admin:
            admin.execute(sql)


@pytest.fixture(scope="module")
def killing(own_server: OwnServer, tmp_path_factory: pytest.TempPathFactory) -> KillingWithServer:
    return KillingWithServer(tmp_path_factory.mktemp("killed"), new_fleet(own_server))


def differing(killing: KillingWithServer, points: Iterable[int]) -> list[object]:
    found: list[object] = []
    for point in points:
        found += killing.differing([(point,)])
        if killing.server_digest() != killing._machine(killing.place).digest():
            found.append((point, "the server"))
    return found


def test_the_sync_that_is_killed_does_something(killing: KillingWithServer) -> None:
    assert killing.points >= 40
    assert any(one.startswith(NEW.text) for one in killing.expected.lines)
    assert not any("marzipan" in one for one in killing.expected.lines)


def test_a_sync_killed_anywhere_is_whole_after_the_next(killing: KillingWithServer) -> None:
    points = range(1, killing.points + 1, max(1, killing.points // _FEW))

    assert differing(killing, points) == []


@pytest.mark.slow
def test_a_sync_killed_at_any_point_is_whole_after_the_next(killing: KillingWithServer) -> None:
    points = share(range(1, killing.points + 1), killing.points // _MANY)

    print(f"killed at {len(points)} of {killing.points} points")
    assert len(points) >= _MANY
    assert differing(killing, points) == []


def test_control_a_note_of_what_was_not_taken_yet_is_caught(killing: KillingWithServer) -> None:
    take = Fetch.take

    def too_early(self: Fetch, ids: set[str], run_id: str) -> None:
        newest = look(self._there, self._link, self._id).newest
        mark = next(one for one in rows.after(self._there, self._machine.agent, newest - 1)).placed.key.hex()
        cursor = read_cursor(self._ledger, self._link)
        write_cursor(self._ledger, cursor._replace(pulled=newest, mark=mark))
        take(self, ids, run_id)

    def break_it() -> None:
        mock.patch.object(Fetch, "take", too_early).start()

    step = max(1, killing.points // 4)
    points = ((point,) for point in range(1, killing.points + 1, step))
    assert list(killing.differing(points, before=break_it)) != []
