"""What the crash suite kills, where, and what it looks at afterwards.

A *scenario* is a workspace in some state and one act on it. A *point* is a moment at which the act is cut
off without warning (`os._exit`, as a kill -9 would): every file-system event that Python tells its audit
hooks and that touches the workspace, every statement on the ledger, and both sides of every flush to disk
and of every rename. Everything runs in forked children of a process without threads, so that each one
begins warm and ends alone.
"""

from __future__ import annotations

import os
import shutil
import sys
import traceback
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from tests.places import Place

from scrimshaw import files
from scrimshaw.store import database

_TOUCHING = {"open", "os.rename", "os.remove", "os.mkdir", "os.chmod", "os.truncate", "sqlite3.connect"}
_KILLED = 9
NEVER = 0

Act = Callable[[Place], None]


def nothing() -> None:
    """Change nothing of the program before it runs: what a control replaces."""


class Outcome(NamedTuple):
    """All that must be the same after a kill and a second run as without the kill."""

    memory: bytes
    dated: tuple[str, ...]
    lines: tuple[str, ...]  # every ledger line with its standing
    events: tuple[tuple[str, int], ...]  # how often what happened to which line
    covered: int
    owed: int  # to the dated files
    leftovers: tuple[str, ...]
    problems: tuple[str, ...]  # of the ledger's own check


class Killing:
    """One scenario in a folder, put back as it was before each kill."""

    def __init__(self, folder: Path, build: Callable[[Place], None], act: Act) -> None:
        self.place = Place(folder / "machine")
        self._kept = folder / "kept"
        self._act = act
        build(self.place)
        shutil.copytree(self.place.root, self._kept)
        self.expected = self.after()
        self.points = self._count()

    def after(self, *points: int, before: Callable[[], None] = nothing) -> Outcome:
        """Return what there is after kills at *points*, one a run, and runs that go through.

        A point past the last one of a recovery is counted on from its first. *before* is done in every run:
        what it breaks is broken in the recovery, too.
        """
        self.put_back()
        for number, point in enumerate(points):
            at = point if number == 0 else (point - 1) % self._points_left(before) + 1
            # A kill that never came would show that nothing went wrong. What is broken may end before it.
            assert self._child(at, before) or before is not nothing, f"nothing was killed at point {at}"
        for _ in range(2 if points else 1):
            self._child(NEVER, before)
        return outcome(self.place)

    def _points_left(self, before: Callable[[], None]) -> int:
        """Return how many points a run has now; the place is left as it is."""
        aside = self._kept.with_name("aside")
        shutil.copytree(self.place.root, aside)
        count = self._counted(before)
        shutil.rmtree(self.place.root)
        aside.rename(self.place.root)
        return count

    def put_back(self) -> Place:
        """Make the place again as it was built."""
        shutil.rmtree(self.place.root)
        shutil.copytree(self._kept, self.place.root)
        return self.place

    def differing(
        self, points: Iterable[tuple[int, ...]], before: Callable[[], None] = nothing
    ) -> Iterator[tuple[tuple[int, ...], list[str]]]:
        """Yield the points after which something is not as it is without a kill, with what that is."""
        for each in points:
            found = self.after(*each, before=before)
            if found != self.expected:
                pairs = zip(found._fields, found, self.expected, strict=True)
                yield each, [name for name, is_, should_be in pairs if is_ != should_be]

    def _count(self) -> int:
        """Return how many points there are."""
        self.put_back()
        return self._counted(nothing)

    def _counted(self, before: Callable[[], None]) -> int:
        told = self.place.root.with_name("points")
        self._child(NEVER, before, told)
        return int(told.read_text())

    def _child(self, point: int, before: Callable[[], None], told: Path | None = None) -> bool:
        """Do the act in a process that ends at *point*; return whether it did."""
        child = os.fork()
        if child == 0:
            before()
            counter = PointCounter(self.place, point)
            status = 1
            try:
                counter.watch()
                self._act(self.place)
                counter.point = NEVER
                if told:
                    told.write_text(str(counter.seen))
                status = 0
            except BaseException:  # noqa: BLE001  # told, and the child ends all the same
                traceback.print_exc()
            finally:
                os._exit(status)
        _, status = os.waitpid(child, 0)
        code = os.waitstatus_to_exitcode(status)
        assert code in ((0, _KILLED) if point else (0,)), f"the act failed at point {point}"
        return code == _KILLED


class PointCounter:
    """Counts the points of this process, and ends it at one of them."""

    def __init__(self, place: Place, point: int) -> None:
        self._workspace = str(place.workspace)
        self.point = point
        self.seen = 0

    def watch(self) -> None:
        """Begin; there is no way back, so only in a process that is to end."""
        sys.addaudithook(self._audit)
        connect = database._connect

        def traced(uri: str, **how: bool) -> Any:
            connection = connect(uri, **how)
            connection.set_trace_callback(lambda _sql: self._one())
            return connection

        database._connect = traced
        # Kills of a process are played here, not of the power: waiting for the disk shows nothing.
        os.fsync = self._around(lambda _descriptor: None)  # type: ignore[assignment]
        os.replace = self._around(os.replace)  # type: ignore[assignment]
        files.exchange = self._around(files.exchange)
        files.rename_new = self._around(files.rename_new)

    def _around(self, call: Callable[..., Any]) -> Callable[..., Any]:
        def between(*args: Any, **named: Any) -> Any:
            self._one()
            answer = call(*args, **named)
            self._one()
            return answer

        return between

    def _audit(self, event: str, args: tuple[object, ...]) -> None:
        if event in _TOUCHING and self._workspace in str(args[0]):
            self._one()

    def _one(self) -> None:
        self.seen += 1
        if self.seen == self.point:
            os._exit(_KILLED)


def outcome(place: Place) -> Outcome:
    """Return what there is in *place* now."""
    leftovers = [
        path.name for path in place.workspace.rglob("*") if path.suffix in (".tmp", ".swap", ".holder")
    ]
    with place.ledger() as ledger:
        lines = {line.observation.id: line for line in ledger.all_lines()}
        text = {"": ""} | {key: line.observation.text for key, line in lines.items()}
        happened = Counter(
            " | ".join([event.type, text[event.observation_id], text.get(event.other_id, "")])
            for _, event in ledger.events_since(0)
        )
        return Outcome(
            memory=place.memory.read_bytes(),
            dated=tuple(sorted(place.dated().splitlines())),
            lines=tuple(
                sorted(f"{line.observation.text} {_standing(line.standing)}" for line in lines.values())
            ),
            events=tuple(sorted(happened.items())),
            covered=ledger.counts().covered,
            owed=len(ledger.pending_outbox("dated")),
            leftovers=tuple(leftovers),
            problems=tuple(ledger.check()),
        )


def _standing(standing: Any) -> str:
    shown = (standing.place, standing.closed, standing.is_shown, standing.is_set_aside, standing.is_expired)
    return f"{shown} {standing.reinforced} {standing.is_source_gone}"
