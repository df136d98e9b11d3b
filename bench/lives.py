"""What stands at the end of whole conversations, beside what a careful reader would have kept
(`python -m bench lives`).

Conversations of a person with an agent over days and weeks, with their corrections, things done and
small talk, in eight languages; `lives_told/README.md` says how a file is written. Their authors wrote what
a good memory holds at the end before any program had read them. Those in `aside` are measured and not
looked at: `--details` lists what was missed in `dev` alone.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from datetime import UTC, date, datetime
from pathlib import Path
from typing import NamedTuple

from bench.pipeline import Memory, reflected, section_lines
from bench.progress import counting
from bench.report import Column, Report, Table, options, publish
from scrimshaw.core.types import Entry, Place, Role, Session, SessionKind

TOLD = Path(__file__).parent / "lives_told"
UNITS = 8_400
PARTS = ("dev", "aside")
_END = "== at the end ("
_ROLES = {"user": Role.USER, "agent": Role.ASSISTANT}
_KINDS = ("standing", "open", "log", "any", "changed", "done", "nowhere", "alone")
_CAUSES = ("missing", "wrong part", "stale", "still open", "junk", "joined")
NOTES = (
    "*right*: of what was asked for, the share that is so: a note holds the words in the part, the older "
    "value stands nowhere alone, what is done is not in Open, what is nothing has no note, two matters do "
    "not share one.",
    "What it does not show: whether a note reads well, whether its date is right where no day was asked for, "
    "what a model notes; the words are compared as parts of words.",
)


class Wish(NamedTuple):
    """What should be so at the end: *kind* of `_KINDS`, *fields* as lives_told/README.md says."""

    kind: str
    fields: tuple[str, ...]


class Life(NamedTuple):
    """A conversation in sessions of a day, when it is looked at, and what should stand then."""

    name: str
    language: str
    sessions: list[tuple[Session, tuple[Entry, ...]]]
    end: date
    wishes: list[Wish]


def lives(folder: Path) -> Iterator[Life]:
    """Yield the conversations of *folder*; raises ValueError for a file that is not as its README says."""
    for path in sorted(folder.glob("*.txt")):
        head, found, tail = path.read_text(encoding="utf-8").partition(_END)
        end, _, wishes = tail.partition(")")
        if not found:
            raise ValueError(f"{path.name}: no line {_END!r}")
        days: dict[str, list[Entry]] = {}
        for at, line in enumerate(head.split("\n")):
            if not line.strip() or line.startswith("#"):
                continue
            day, hour, said = line.split(" ", 2)
            speaker, _, text = said.partition(": ")
            said_ms = int(datetime.fromisoformat(f"{day}T{hour}").replace(tzinfo=UTC).timestamp() * 1000)
            session = f"{path.stem}.{day}"
            days.setdefault(day, []).append(
                Entry(session, f"{session}.{at}", at, said_ms, _ROLES[speaker], text)
            )
        sessions = [
            (Session(f"{path.stem}.{day}", "agent:main:main", "main", SessionKind.DIRECT), tuple(entries))
            for day, entries in days.items()
        ]
        asked = [_wish(path.name, line) for line in wishes.split("\n") if line.strip()]
        yield Life(path.stem, path.stem[:2], sessions, date.fromisoformat(end), asked)


def _wish(name: str, line: str) -> Wish:
    kind, *fields = (part.strip() for part in line.split(" | "))
    if kind not in _KINDS or len(fields) < {"changed": 3, "alone": 2}.get(kind, 1):
        raise ValueError(f"{name}: {line!r} is no expectation")
    return Wish(kind, tuple(fields))


def _holds(text: str, words: str) -> bool:
    """Return whether *text* (lower case) holds each of *words*: parts joined by "&", alternatives by "/"."""
    return all(any(one.strip() in text for one in each.split("/")) for each in words.lower().split("&"))


def cause(wish: Wish, notes: list[tuple[Place, str]]) -> str:
    """Return what is wrong with *notes* (part and text) by *wish*, of `_CAUSES`, or nothing."""
    kind, fields = wish
    if kind == "changed":
        part, new, old = fields[:3]
        stale = any(_holds(text, old) and not _holds(text, new) for _, text in notes)
        return cause(Wish(part, (new,)), notes) or ("stale" if stale else "")
    if kind == "alone":
        return (
            "joined" if any(_holds(text, fields[0]) and _holds(text, fields[1]) for _, text in notes) else ""
        )
    places = {place for place, text in notes if _holds(text, fields[0])}
    if kind == "done":
        return "still open" if Place.OPEN in places else ""
    if kind == "nowhere":
        return "junk" if places else ""
    if not places:
        return "missing"
    return "" if kind == "any" or Place(kind) in places else "wrong part"


def section_of(life: Life) -> list[tuple[Place, str]]:
    """Return what stands in the section at the end: part and text in lower case, the days with it."""
    memory = Memory()
    for session, entries in life.sessions:
        memory.feed(session, entries)
    notes: list[tuple[Place, str]] = []
    place, day = Place.STANDING, ""
    for line in section_lines(reflected(memory), UNITS, life.end):
        if line.startswith("### "):
            place = Place(line[4:].lower())
        elif line.startswith("- "):
            notes.append((place, f"{day} {line[2:]}".lower() if place is Place.LOG else line[2:].lower()))
        else:
            day = line
    return notes


def main(arguments: list[str]) -> int:
    """Measure, print the tables."""
    given = options("lives", __doc__, data=False).parse_args(arguments)
    counted: dict[str, Counter[str]] = {}
    missed: list[tuple[str | int | float | None, ...]] = []
    found = [(part, life) for part in PARTS for life in lives(TOLD / part)]
    with counting("lives", len(found)) as done:
        for part, life in found:
            notes = section_of(life)
            for wish in life.wishes:
                wrong = cause(wish, notes)
                for name in (part, f"{part} {life.language}", f"{part} {wish.kind}"):
                    counted.setdefault(name, Counter()).update(["asked", wrong or "right"])
                if wrong and part == "dev":
                    missed.append((life.name, wrong, wish.kind, " | ".join(wish.fields)))
            done()
    rows = [
        (name, count["asked"], count["right"] / count["asked"], *(count[one] for one in _CAUSES))
        for name, count in sorted(counted.items(), key=lambda one: (one[0].split()[0] != "aside", one[0]))
    ]
    columns = (Column("part"), Column("asked", ","), Column("right", ".3f"), *map(Column, _CAUSES))
    title = f"{len(found)} conversations"
    details = Table("Missed", tuple(map(Column, ("conversation", "cause", "asked", "words"))), missed)
    return publish(Report("lives", (Table(title, columns, rows),), notes=NOTES, details=(details,)), given)
