"""How good the lines of sections are, by the labels of whole chats (`python -m bench labelled`).

The chats of `training/text/*-r13` and `*-r14`: sixty persons in eight languages over months. The weigher
learns from all files but these first. Then the rules note each chat, and what stands in its section is looked
up among the labels that readers gave to the statements.
"""

from __future__ import annotations

import argparse
import re
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime, time
from fnmatch import fnmatch
from pathlib import Path
from typing import NamedTuple
from unittest.mock import patch

from bench.pipeline import Memory, reflected, shown
from bench.progress import counting
from bench.report import Cell, Column, Report, Table, options, publish
from scrimshaw import data
from scrimshaw.core.extraction.sentences import tidy
from scrimshaw.core.types import Entry, Line, Place, Role, Session, SessionKind
from scrimshaw.core.weighing import weigher
from training import labels, train

UNITS = 4_500
_FILES = ("*-r13", "*-r14")
_MINUTE_MS = 60_000
_ADDED = re.compile(r" \(\d{4}-[^()]*\)")  # the day that words mean
_NO_WORD = re.compile(r"\W+")
_COMPARED = 40  # characters of a statement that a line must hold
_FLAWS = ("cut", "wrong part", "stale", "junk")
NOTES = (
    "*good*: none of the flaws. *cut*: its first statement cannot be understood in a list. *wrong part*: "
    "in Standing what neither stands nor lasts, in Open what is not open, in Log only what stands and "
    "matters in half a year. *stale*: in Standing or Open, and a later statement replaced or completed it. "
    "*junk*: worth nothing. *minor* is a detail (worth 2), no flaw.",
    "*kept*: of the statements worth 4 or 5, and of those worth 3, that nothing replaced or completed, the "
    "share that stands in the section.",
    "What it does not show: whether a line says what was meant, whether two matters share a line, what a "
    "model notes; a line is looked up by its words, and what is told with another's words, as with the "
    "agent's question that it answers, counts as understood.",
)


class Told(NamedTuple):
    """A labelled statement by its name (FILE.ID.NUMBER), how long it holds, and what later ended it."""

    name: str
    label: labels.Statement
    held: labels.Held | None
    ended_by: str


class Chat(NamedTuple):
    """Conversations of one person, and the statements of each message."""

    sessions: tuple[tuple[Session, tuple[Entry, ...]], ...]
    told: dict[str, list[Told]]


def main(arguments: list[str]) -> int:
    """Learn from the other files, measure, print the tables."""
    parser = options("labelled", __doc__, data=False)
    parser.add_argument(
        "--files", nargs="+", default=list(_FILES), metavar="PATTERN", help="files of training/text"
    )
    parser.add_argument("--units", type=int, default=UNITS, metavar="UNITS")
    given = parser.parse_args(arguments)
    with patch.object(data, "content", _content_without(given.files)):
        return publish(_report(given), given)


def _content_without(patterns: Sequence[str]) -> Callable[[str], bytes]:
    """Return `data.content` with weights that were learned from no file that matches *patterns*."""
    content, weights = data.content, f"{weigher.NAME}.bin"
    learned = [row for row in train.rows() if not any(fnmatch(row.file, one) for one in patterns)]
    with tempfile.TemporaryDirectory() as folder:
        train.write(train.learn(learned), Path(folder, weights))
        held_out = Path(folder, weights).read_bytes()
    return lambda name: held_out if name == weights else content(name)


def chats(patterns: Sequence[str]) -> Iterator[Chat]:
    """Yield the chats of one person with the agent, of the files that match."""
    held = labels.held_of()
    for file, found in labels.read_all().items():
        if not any(fnmatch(file, one) for one in patterns):
            continue
        persons: dict[str, list[labels.Conversation]] = {}
        first: dict[str, str] = {}
        for one in found:
            first[one.id] = next((first[id_] for id_ in one.after if id_ in first), one.id)
            if one.other is None:
                persons.setdefault(first[one.id], []).append(one)
        yield from (_chat(file, person, held) for person in persons.values())


def _chat(file: str, person: Sequence[labels.Conversation], held: dict[str, labels.Held]) -> Chat:
    sessions: list[tuple[Session, tuple[Entry, ...]]] = []
    told: dict[str, list[Told]] = {}
    ended = {
        f"{file}.{name if '.' in name else f'{one.id}.{name}'}": f"{file}.{one.id}.{number}"
        for one in person
        for number, said in enumerate(one.statements, 1)
        for name in (*said.replaces, *said.completes)
    }
    for one in person:
        session = Session(f"{file}.{one.id}", "agent:main:main", "main", SessionKind.DIRECT)
        begins_ms = int(datetime.combine(one.day, time(9), UTC).timestamp() * 1000)
        entries, number = [], 0
        for at, turn in enumerate(one.turns):
            id_ = f"{file}.{one.id}.e{at}"
            between = "" if one.language in ("zh", "ja") else " "
            said = between.join(statement.text for statement in turn.statements)
            text = "\n\n".join(part for part in (said, "\n".join(turn.unlabelled)) if part)
            role = Role.USER if turn.speaker == "U" else Role.ASSISTANT
            if text.strip():
                entries.append(
                    Entry(session.session_id, id_, at, begins_ms + 2 * at * _MINUTE_MS, role, text)
                )
            told[id_] = []
            for statement in turn.statements:
                number += 1
                name = f"{file}.{one.id}.{number}"
                told[id_].append(Told(name, statement, held.get(name), ended.get(name, "")))
        sessions.append((session, tuple(entries)))
    return Chat(tuple(sessions), told)


def _bare(text: str) -> str:
    """Return *text* in lower case without the days added and without signs, a space before each word."""
    return f" {_NO_WORD.sub(' ', _ADDED.sub('', text).lower()).strip()}"


def statements_of(line: Line, chat: Chat) -> list[Told]:
    """Return the statements whose words *line* holds, in order."""
    text = _bare(line.observation.text)
    found = (one for source in line.observation.sources for one in chat.told.get(source, ()))
    # A line leaves out what only fills: "by the way".
    return [
        one for one in found if any(_holds(text, said) for said in (one.label.text, tidy(one.label.text)))
    ]


def _holds(text: str, said: str) -> bool:
    bare = _bare(said)
    return bool(bare.strip()) and (bare[:_COMPARED] in text or text in bare)


def flaws_of(line: Line, told: Sequence[Told]) -> set[str]:
    """Return what is wrong with *line*, which holds *told*."""
    part = line.standing.place
    names = {one.name for one in told}
    first = told[0]
    has_question = "A" in first.label.needs and line.observation.text.startswith("“")
    placed = {one.label.place for one in told}
    worth = max(one.label.worth for one in told)
    is_wrong = {
        Place.STANDING: "standing" not in placed and not any(one.held and one.held.lasts for one in told),
        Place.OPEN: "open" not in placed,
        Place.LOG: first.label.place == "standing"
        and first.label.worth >= 4
        and not placed & {"open", "log"},
    }[part]
    is_over = part is not Place.LOG and any(one.ended_by and one.ended_by not in names for one in told)
    flaws = {
        "cut": bool(first.held and first.held.is_unclear) and not has_question,
        "wrong part": is_wrong,
        "stale": is_over,
        "junk": worth == 1,
        "minor": worth == 2,
    }
    return {name for name, holds in flaws.items() if holds}


def _report(given: argparse.Namespace) -> Report:
    counted: dict[str, Counter[str]] = {name: Counter() for name in ("all", *(str(one) for one in Place))}
    kept: Counter[tuple[bool, bool]] = Counter()
    found = list(chats(given.files))
    with counting("labelled", len(found)) as done:
        for chat in found:
            names = _count(chat, given.units, counted)
            for one in (one for told in chat.told.values() for one in told):
                if one.label.worth >= 3 and not one.ended_by:
                    kept[one.label.worth >= 4, one.name in names] += 1
            done()
    rows = [_row(name, count) for name, count in counted.items() if count]
    columns = (
        Column("part"),
        Column("lines", ","),
        *(Column(name, ".3f") for name in ("good", *_FLAWS, "minor")),
    )
    shares = [kept[worth, True] / max(1, kept[worth, True] + kept[worth, False]) for worth in (True, False)]
    title = f"{len(found)} chats, a section of {given.units:,} units each"
    stands = Table(
        "Kept", (Column("worth"), Column("kept", ".3f")), [("4 and 5", shares[0]), ("3", shares[1])]
    )
    return Report("labelled", (Table(title, columns, rows), stands), notes=NOTES)


def _count(chat: Chat, units: int, counted: dict[str, Counter[str]]) -> set[str]:
    """Count the lines of *chat*'s section; return the names of the statements that stand in it."""
    memory = Memory()
    for session, entries in chat.sessions:
        memory.feed(session, entries)
    names: set[str] = set()
    for line in shown(reflected(memory), units):
        told = statements_of(line, chat)
        if not told:
            continue  # of the agent's work, or joined from parts
        names |= {one.name for one in told}
        flaws = flaws_of(line, told)
        for count in (counted["all"], counted[str(line.standing.place)]):
            count.update(["lines", *flaws, *(() if flaws & set(_FLAWS) else ("good",))])
    return names


def _row(name: str, count: Counter[str]) -> tuple[Cell, ...]:
    return (name, count["lines"], *(count[one] / count["lines"] for one in ("good", *_FLAWS, "minor")))
