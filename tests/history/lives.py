"""Random lives of a section, for the promises about its past: what runs, people and the clock do to it.

A life is a list of acts, each a word and a number that says which of the things at hand it is done to. After
each act the section is published, and what stood then is remembered: by revision, and by time.
"""

from __future__ import annotations

import tempfile
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import NamedTuple

from hypothesis import strategies as st
from tests.places import Place as Machine
from tests.shell.made import observation

from scrimshaw.clock import milliseconds
from scrimshaw.core.types import Author, Claim, DateRef, Event, EventType, Kind, Place
from scrimshaw.errors import UserError
from scrimshaw.services.edit import undo
from scrimshaw.services.publish.result import Published, PublishRequest
from scrimshaw.services.publish.run import publish
from scrimshaw.services.reflect import run
from scrimshaw.store.ledger import Ledger, open_ledger
from scrimshaw.store.records import Batch
from scrimshaw.store.revisions import BY_HAND
from scrimshaw.workspace import Target

ACTS = (
    *("notes", "notes", "notes", "notes_much", "supersedes", "completes", "merges", "withdraws", "promotes"),
    *("deletes", "changes", "adds", "recalls", "says_again", "pins", "waits", "waits_long", "reflects"),
    *("moves_aside", "undoes", "undoes_any"),
)
acts = st.lists(st.tuples(st.sampled_from(ACTS), st.integers(0, 997)), min_size=1, max_size=14)
_WORDS = "deploy staging invoice ledger tea coffee router backup schema queue token".split()  # noqa: SIM905  # easier to read


class Stood(NamedTuple):
    """What was in the file after a revision."""

    number: int
    at_ms: int
    body: str
    place: str
    file: bytes


@dataclass
class Life:
    """One workspace, and what stood in it."""

    chars: int = 1_100  # a small section: a dozen lines fill it
    machine: Machine = field(init=False)
    now: datetime = datetime(2026, 11, 20, 8, tzinfo=UTC)
    stood: list[Stood] = field(default_factory=list)
    serial: int = 0

    def __post_init__(self) -> None:
        self.folder = tempfile.TemporaryDirectory(prefix="scrimshaw-past-")
        self.machine = Machine(Path(self.folder.name) / "machine")
        self.machine.memory.write_text("# Memory\n\nMine.\n")
        target = self.machine.target()
        settings = replace(target.config.settings, observation_chars=self.chars, backups=0)
        self.target: Target = target._replace(config=target.config._replace(settings=settings))
        self.target.layout.state.mkdir(mode=0o700)
        with open_ledger(self.target.layout.ledger, create=True):
            pass
        self.does("notes", 3)

    def lives(self, acts: list[tuple[str, int]]) -> Life:
        for act, which in acts:
            self.does(act, which)
        return self

    def does(self, act: str, which: int) -> None:
        self.now += timedelta(minutes=7)
        with open_ledger(self.target.layout.ledger, create=False) as ledger:
            if act in ("undoes", "undoes_any"):
                self.undoes(ledger, which if act == "undoes_any" else None)
                return
            if act == "reflects":
                run.reflect(self.target, ledger, now=self.now, trigger="test")
            else:
                getattr(self, f"_{act}")(ledger, which)
            self.publishes(ledger)

    def publishes(self, ledger: Ledger) -> Published:
        self.serial += 1
        done = publish(
            self.target, ledger, PublishRequest(f"run-{self.serial}", self.now, edits_are_accepted=True)
        )
        self.remembers(ledger)
        return done

    def undoes(self, ledger: Ledger, which: int | None) -> None:
        stretches = ledger.past.stretches()
        number = stretches[which % len(stretches)].number if which is not None else None
        ledger.close()
        try:
            undo.run(self.target, self.now, number)
        except UserError:
            return
        with open_ledger(self.target.layout.ledger, create=False) as again:
            self.remembers(again)

    def remembers(self, ledger: Ledger) -> None:
        newest = ledger.latest_revision()
        if newest and newest.reason == BY_HAND and self.stood and newest.place != self.stood[-1].place:
            return  # what a person did to the file that does not hold the section now
        if newest and (not self.stood or newest.number > self.stood[-1].number):
            path = self.target.layout.workspace / newest.place
            raw = path.read_bytes() if path.exists() else b""  # the undo of a file's first write removes it
            self.stood.append(Stood(newest.number, newest.at_ms, newest.body, newest.place, raw))

    # -- what runs do -----------------------------------------------------------------------------------

    def _notes(self, ledger: Ledger, which: int) -> None:
        self._accept(ledger, 1 + which % 3, which)

    def _notes_much(self, ledger: Ledger, which: int) -> None:
        self._accept(ledger, 6, which)

    def _accept(self, ledger: Ledger, count: int, which: int) -> None:
        made = []
        for at in range(count):
            self.serial += 1
            word = _WORDS[(which + at) % len(_WORDS)]
            kind = list(Kind)[(which + at) % len(Kind)]
            place = Place.OPEN if kind is Kind.NEXT_STEP else list(Place)[(which * 7 + at) % 3]
            due = DateRef(date(2026, 11, 20) + timedelta(which % 9), None, None, "soon", True)
            made.append(
                observation(
                    self.serial,
                    id=f"{self.serial:06x}{word}",
                    text=f"number {self.serial} of the {word} is {which}{' and so on' * (which % 9)}",
                    kind=kind,
                    place=place,
                    priority=1 + (which + at) % 5,
                    salience=0.2 + (which % 7) / 10,
                    said_at_ms=milliseconds(self.now),
                    local_date=f"{self.now:%Y-%m-%d}",
                    local_time=f"{self.now:%H:%M}",
                    zone="UTC",
                    refers_to=due if place is Place.OPEN and which % 2 else None,
                    claim=Claim(word, "is", str(which)) if which % 3 == 0 else None,
                )
            )
        ledger.accept(Batch(f"run-{self.serial}", milliseconds(self.now), observations=tuple(made)))

    def _supersedes(self, ledger: Ledger, which: int) -> None:
        self._accept(ledger, 1, which)
        self._tell(ledger, EventType.SUPERSEDED, which, other=self._newest(ledger))

    def _completes(self, ledger: Ledger, which: int) -> None:
        self._accept(ledger, 1, which)
        self._tell(ledger, EventType.COMPLETED, which, other=self._newest(ledger))

    def _withdraws(self, ledger: Ledger, which: int) -> None:
        self._tell(ledger, EventType.WITHDRAWN, which)

    def _merges(self, ledger: Ledger, which: int) -> None:
        live = self._live(ledger)
        other = live[(which * 3 + 1) % len(live)] if live else ""
        self._tell(ledger, EventType.MERGED, which, other=other)

    def _promotes(self, ledger: Ledger, which: int) -> None:
        self._tell(ledger, EventType.PROMOTED, which)

    def _recalls(self, ledger: Ledger, which: int) -> None:
        self._tell(ledger, EventType.RECALLED, which, by="search")

    def _says_again(self, ledger: Ledger, which: int) -> None:
        self._tell(ledger, EventType.REINFORCED, which)

    def _tell(self, ledger: Ledger, type_: EventType, which: int, *, other: str = "", by: str = "") -> None:
        live = [id_ for id_ in self._live(ledger) if id_ != other]
        if live:
            told = Event(
                type_, live[which % len(live)], milliseconds(self.now), by or f"run-{self.serial}", other
            )
            ledger.append([told])

    def _live(self, ledger: Ledger) -> list[str]:
        return [line.observation.id for line in ledger.live_lines()]

    def _newest(self, ledger: Ledger) -> str:
        return ledger.all_lines()[-1].observation.id

    # -- what people, the host and the clock do ---------------------------------------------------------

    def _pins(self, ledger: Ledger, which: int) -> None:
        self._tell(ledger, EventType.PINNED, which, by=Author.PERSON)

    def _deletes(self, ledger: Ledger, which: int) -> None:
        self._edit(which, lambda line: "")

    def _changes(self, ledger: Ledger, which: int) -> None:
        self._edit(which, lambda line: line.replace("of the", f"of my own {self.serial}"))

    def _adds(self, ledger: Ledger, which: int) -> None:
        self._edit(which, lambda line: f"{line}- added by hand, {self.serial}, {which}\n")

    def _edit(self, which: int, change) -> None:
        path = self.target.layout.workspace / self.stood[-1].place if self.stood else self.machine.memory
        if not path.exists():
            return
        lines = path.read_text().splitlines(keepends=True)
        items = [at for at, line in enumerate(lines) if line.startswith("- ")]
        if items:
            at = items[which % len(items)]
            lines[at] = change(lines[at])
            path.write_text("".join(lines))

    def _waits(self, ledger: Ledger, which: int) -> None:
        self.now += timedelta(days=which % 8)

    def _waits_long(self, ledger: Ledger, which: int) -> None:
        self.now += timedelta(days=100)

    def _moves_aside(self, ledger: Ledger, which: int) -> None:
        if self.machine.has_record():
            self.machine.lift_record()
        else:
            self.machine.record("agent")
