"""Coverage, told by an observer that says what it was shown: each entry observed exactly once (promise 3).

The observer proposes for every entry it is shown a line of that entry's own words. While it thinks, the world
goes on: another process observes the same workspace, looks at it as the daemon does or reflects on it, the
host writes, interrupts, tears, rewrites, resets, deletes, migrates, clocks move, and the process is killed.
The same happens between the runs. Every interleaving follows from its seed alone. In the end each entry that
stays is covered once, has one line, and was counted once.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from random import Random
from typing import Any

import pytest
from tests.hosting import Host
from tests.places import Place
from tests.support.breadth import share

from scrimshaw.clock import milliseconds
from scrimshaw.core.ledger.known_lines import KnownLines
from scrimshaw.core.transcript import branch
from scrimshaw.core.types import EventType, Kind, Proposal, Reply, Window
from scrimshaw.services.observe import by_rules, session
from scrimshaw.services.observe.run import run
from scrimshaw.services.observe.task import ObserveOptions, Observer
from scrimshaw.services.reflect import run as reflect
from scrimshaw.services.schedule.tick import TickOptions, follow
from scrimshaw.sources import openclaw_jsonl
from scrimshaw.store import coverage, database
from scrimshaw.store.ledger import Ledger, open_ledger
from scrimshaw.workspace import Target, Wanted, find_targets, is_set_up

_STEPS = 6
_DEEPEST = 2  # processes at work at once, beside the first


class _Killed(BaseException):
    """The process ends here; nothing in the program may take it for an error."""


class _World:
    """One workspace, everybody who acts on it, and what came of it."""

    def __init__(self, folder: Path, seed: int) -> None:
        self.random = Random(seed)
        self.place = Place(folder / "machine")
        self.place.memory.write_text("# Memory\n")
        self.host = Host(self.place, self.random)
        self.depth = 0
        self.told: Counter[str] = Counter()  # entries by the runs' own reports
        self.happened: Counter[str] = Counter()
        self._targets: dict[str, Target] = {}
        self.was_killed = False
        # Half of the worlds go the way of the rules (a stretch at once), half that of a model (by windows).
        self.has_model = seed % 4 < 2
        self.is_calm = False
        self.offset_hours = 0
        self.host.says()

    def live(self) -> None:
        """Let things happen, and come to rest."""
        for _ in range(_STEPS):
            self._something(outer=True)
        self.host.ends_its_line()
        for _ in range(2):
            self._runs(waits=False, is_calm=True)

    # -- the memory -------------------------------------------------------------------------------------

    def _something(self, *, outer: bool) -> None:
        mine = [*[self._runs] * 4, self._looks, self._asks, self._reflects, self._moves_the_clock]
        if outer:
            mine += [*[self._runs] * 2, self._dies_anywhere]
        elif self.random.random() < 0.1:
            self.was_killed = True
            self.happened["killed while thinking"] += 1
            raise _Killed
        act = self.random.choice([*mine, *self.host.acts()])
        self.happened[f"{act.__name__.strip('_')} {'between' if outer else 'meanwhile'}"] += 1
        act()

    def _runs(self, *, waits: bool | None = None, is_calm: bool = False) -> None:
        asked = ObserveOptions(
            waits=self.random.random() < 0.5 if waits is None else waits,
            writes_section=self.random.random() < 0.7,
            observer=self._observer(is_calm=is_calm),
        )
        with self._another_process():
            self.told["entries"] += run(self.target(), self._now(), asked).observed.entries
            if self.depth > 1:
                self.happened["another run meanwhile"] += 1

    def _looks(self) -> None:
        if self._is_set_up():
            with self._another_process():
                follow(self.target(), self._now(), TickOptions(observer=self._observer()))

    def _asks(self) -> None:
        if self._is_set_up():
            with open_ledger(self._ledger_path(), create=False) as ledger:
                ledger.put_request("observe", by="hook", at_ms=milliseconds(self._now()))
            self._looks()

    def _reflects(self) -> None:
        if self._is_set_up():
            with self._another_process(), open_ledger(self._ledger_path(), create=False) as ledger:
                reflect.reflect(self.target(), ledger, now=self._now(), trigger="test")

    def _moves_the_clock(self) -> None:
        self.offset_hours += self.random.randint(-30, 30)

    def _dies_anywhere(self) -> None:
        """A run in a process of its own, which is killed at one of its statements on the ledger."""
        self.was_killed = True
        number = self.random.randint(1, 60)
        child = os.fork()
        if child == 0:
            try:
                _die_at_statement(number)
                run(
                    self.target(),
                    self._now(),
                    ObserveOptions(waits=False, observer=self._observer(is_calm=True)),
                )
            finally:
                os._exit(0)
        os.waitpid(child, 0)

    def _observer(self, *, is_calm: bool = False) -> Observer | None:
        self.is_calm = is_calm
        return self.observed if self.has_model else None

    def observed(self, window: Window, known: KnownLines, _embeds: object = None) -> Reply:
        """Observe as a model does, or in the place of the rules."""
        return self._shown(window, known) if self.is_calm else self._thinking(window, known)

    def _thinking(self, window: Window, known: KnownLines) -> Reply:
        if self.depth <= _DEEPEST and self.random.random() < 0.6:
            for _ in range(self.random.randint(1, 2)):
                self._something(outer=False)
        return self._shown(window, known)

    def _shown(self, window: Window, _known: KnownLines) -> Reply:
        ids = [entry.entry_id for entry in window.entries]
        assert len(ids) == len(set(ids))
        return Reply(
            tuple(
                Proposal(entry.text.split(". ")[0] + ".", Kind.FACT, 3, (entry.entry_id,), entry.role)
                for entry in window.entries
                if self.host.entries[entry.entry_id].token
            )
        )

    @contextmanager
    def _another_process(self) -> Iterator[None]:
        """Do as if a process began here: its end, by a kill, is not the end of those around it."""
        self.depth += 1
        try:
            yield
        except _Killed:
            pass
        finally:
            self.depth -= 1

    def target(self) -> Target:
        """Return the workspace as a new process finds it."""
        env = {"HOME": str(self.place.root), "OPENCLAW_STATE_DIR": str(self.place.state)}
        if self.place.kind not in self._targets:
            self._targets[self.place.kind] = find_targets(Wanted(), env)[0][0]
        return self._targets[self.place.kind]

    def _now(self) -> datetime:
        at_seconds = self.host.session.at_ms / 1000 + self.offset_hours * 3600 + 30
        return datetime.fromtimestamp(at_seconds, UTC)

    def _ledger_path(self) -> Path:
        return self.place.workspace / ".scrimshaw" / "ledger.sqlite"

    def _is_set_up(self) -> bool:
        return is_set_up(self.target().layout)

    # -- the oracle -------------------------------------------------------------------------------------

    def problems(self) -> list[str]:
        """Return what is not as it must be."""
        entries = self.host.whole()
        with open_ledger(self._ledger_path(), create=False) as ledger:
            lines = Counter(line.observation.sources[0] for line in ledger.all_lines())
            events = Counter(
                (stored.event.type, stored.event.observation_id) for stored in ledger.events_since(0)
            )
            (counted,) = ledger._db.row("select sum(entries) from run") or (0,)
            (rejected,) = ledger._db.row("select sum(rejected) from run") or (0,)
            covered = {key for key, one in entries.items() if not ledger.uncovered(one.session_id, [key])}
            total = ledger.counts().covered
        found = [f"skipped {key}" for key, one in entries.items() if one.stays and key not in covered]
        found += [f"{count} lines of {key}" for key, count in lines.items() if count != 1]
        found += [f"no line of {key}" for key in covered if entries[key].token and key not in lines]
        found += [f"a line of {key}, which is not covered" for key in lines if key not in covered]
        found += [
            f"{count} observed {id_}"
            for (kind, id_), count in events.items()
            if kind is EventType.OBSERVED and count > 1
        ]
        if rejected:
            found.append(f"{rejected} rejected: the oracle itself is wrong, or an entry came twice")
        if not (counted == len(covered) == total):
            found.append(f"{counted} entries were counted, {len(covered)} are covered, {total} by the tally")
        if not self.was_killed and self.told["entries"] > counted:
            found.append(f"{self.told['entries']} entries were told of, {counted} counted")
        return found


def _die_at_statement(number: int) -> None:
    connect = database._connect
    seen = 0

    def statement(_sql: str) -> None:
        nonlocal seen
        seen += 1
        if seen == number:
            os._exit(9)

    def traced(uri: str, **how: bool) -> object:
        connection = connect(uri, **how)
        connection.set_trace_callback(statement)
        return connection

    database._connect = traced  # type: ignore[assignment]


Control = Callable[[pytest.MonkeyPatch, "_World"], None]


def _lived(seed: int, folder: Path, patch: pytest.MonkeyPatch, control: Control = lambda *_: None) -> _World:
    """Return the world after the interleaving of *seed*, lived through under *control*."""
    # Small ones, so that a few entries are several pages, stretches and windows.
    patch.setattr(openclaw_jsonl, "PAGE_BYTES", 600 if seed % 3 else 1 << 18)
    patch.setattr(session, "_STRETCH_ENTRIES", 3 if seed % 2 else 4_000)
    world = _World(folder, seed)
    patch.setattr(by_rules, "observe", world.observed)
    settings = world.place.workspace / ".scrimshaw" / "config.yaml"
    settings.parent.mkdir(mode=0o700)
    settings.write_text("window_tokens: 500\n")
    with patch.context() as broken:
        control(broken, world)
        world.live()
    return world


@pytest.fixture
def folder() -> Iterator[Path]:
    """A folder in memory where there is one: what is flushed to a disk shows nothing here."""
    memory = Path("/dev/shm")
    path = Path(tempfile.mkdtemp(prefix="scrimshaw-oracle-", dir=memory if memory.is_dir() else None))
    yield path
    shutil.rmtree(path, ignore_errors=True)


def _wrong(
    seeds: range, folder: Path, patch: pytest.MonkeyPatch, control: Control = lambda *_: None
) -> tuple[dict[int, list[str]], Counter[str]]:
    """Return what is wrong after which interleaving, and how often what happened in them."""
    found, happened = {}, Counter[str]()
    for seed in seeds:
        world = _lived(seed, folder / str(seed), patch, control)
        happened += world.happened
        if problems := world.problems():
            found[seed] = problems
        shutil.rmtree(folder / str(seed))
    return found, happened


def test_each_entry_is_observed_once_over_some_interleavings(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    wrong, happened = _wrong(range(40), folder, monkeypatch)

    assert wrong == {}
    ours, hosts = ["runs", "looks", "asks", "reflects"], ["says", "works", "tears", "migrates", "deletes"]
    acts = [*ours, *hosts, "rewinds", "interrupts", "rewrites", "resets", "turns_the_clock_back"]
    assert [act for act in acts if not happened[f"{act} meanwhile"] or not happened[f"{act} between"]] == []
    assert happened["another run meanwhile"] >= 20
    assert happened["killed while thinking"]
    assert happened["dies_anywhere between"]


@pytest.mark.slow
@pytest.mark.parametrize("first", range(0, 600, 100))
def test_each_entry_is_observed_once_over_many_interleavings(
    first: int, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert _wrong(share(range(first, first + 100), 3), folder, monkeypatch)[0] == {}


# -- the controls -----------------------------------------------------------------------------------------


def _cover_by_time(patch: pytest.MonkeyPatch, world: _World) -> None:
    """What was said before the newest covered entry counts as covered, as with a cursor that is a time."""
    exact = Ledger.uncovered

    def uncovered(self: Ledger, session_id: str, entry_ids: Collection[str]) -> set[str]:
        said = {
            key: one.said_at_ms for key, one in world.host.entries.items() if one.session_id == session_id
        }
        newest = max((said[key] for key in said.keys() - exact(self, session_id, list(said))), default=0)
        return {key for key in exact(self, session_id, entry_ids) if said[key] > newest}

    patch.setattr(Ledger, "uncovered", uncovered)


def _ignore_who_was_faster(patch: pytest.MonkeyPatch, _world: _World) -> None:
    """What a run has observed is accepted, whatever another one has accepted meanwhile."""
    whole, write_many = Ledger.accept, database.Database.write_many

    def insert_anyway(self: database.Database, sql: str, values: Iterable[Sequence[Any]]) -> None:
        write_many(self, sql.replace("insert into covered", "insert or ignore into covered"), values)

    patch.setattr(Ledger, "accept", lambda self, batch, **_: whole(self, batch))
    patch.setattr(coverage, "already_covered", lambda *_: [])
    patch.setattr(
        session.SessionObserver,
        "_uncovered",
        lambda _self, window: {entry.entry_id for entry in window.entries},
    )
    patch.setattr(database.Database, "write_many", insert_anyway)


def _leave_all_that_is_off_the_branch(patch: pytest.MonkeyPatch, _world: _World) -> None:
    """A message that an interruption put aside counts as taken back by the person."""
    patch.setattr(branch, "unanswered", lambda *_: [])


@pytest.mark.parametrize(
    "control", [_cover_by_time, _ignore_who_was_faster, _leave_all_that_is_off_the_branch]
)
def test_the_oracle_bites(control: Control, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert _wrong(range(24), folder, monkeypatch, control)[0]
