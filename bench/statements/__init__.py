"""Plain statements of everyday life in eight languages (`python -m bench statements`).

Written by hand for this, a file for each language: 40 statements that are worth noting, each with the part of
the section it belongs to (two where a reader would take either), and 15 sentences of small talk. Each is said
alone, on a Monday, in a conversation of its own, and answered "Noted."; what the rules and the gate make of
it is counted.
"""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from bench.pipeline import Memory
from bench.progress import counting
from bench.report import Cell, Column, Goal, Report, Table, options, publish
from scrimshaw.core.ledger.known_lines import content_words
from scrimshaw.core.types import Entry, Observation, Place, Role, Session, SessionKind

LEAST_RIGHT, MOST_TALK = 0.80, 0.20
_SHOWN = 10
_SAID_AT_MS = 1_772_442_000_000  # Monday 2026-03-02, 9:00 UTC
_FOLDER = Path(__file__).parent
_ANSWERS = {
    "de": "Notiert.",
    "es": "Anotado.",
    "fr": "C'est noté.",
    "it": "Annotato.",
    "ja": "メモしました。",
    "pt": "Anotado.",
    "zh": "记下了。",
}
_DATE_ADDED = re.compile(r" \(\d{4}\b[^()]*\)")  # what a day's name means; no word of the statement
NOTES = (
    "*noted*: of the statements, those of which a line was made; *right part*: a line in a part where a "
    "reader would look; *whole*: a line that holds every content word of the statement; *of it noted*: of "
    "the small talk, the sentences of which a line was made.",
    "What it does not show: statements within a conversation, longer messages, and what a model notes. They "
    "are one hand's and of everyday life, and the languages follow the same topics, so that they can be "
    "compared: what is missed in one is often missed in others too.",
)


class Statement(NamedTuple):
    """A sentence, its language, and the parts where it may stand: none for small talk."""

    language: str
    parts: frozenset[Place]
    text: str


class Result(NamedTuple):
    """What was made of a statement: lines, and the gate's reason where it let none through."""

    statement: Statement
    lines: tuple[Observation, ...]
    refused: str = ""

    @property
    def is_right(self) -> bool:
        """Whether a line stands where a reader would look."""
        return any(line.place in self.statement.parts for line in self.lines)

    @property
    def cut(self) -> frozenset[str]:
        """The words that the fullest line leaves out."""
        words = content_words(self.statement.text)
        lines = (content_words(_DATE_ADDED.sub("", line.text)) for line in self.lines)
        return min((words - line for line in lines), key=len, default=words)

    @property
    def cause(self) -> str:
        """What came out wrong, "" for nothing."""
        if not self.statement.parts:
            return "small talk noted" if self.lines else ""
        if not self.lines:
            return f"refused: {self.refused}" if self.refused else "not noted"
        if not self.is_right:
            return f"{'/'.join(sorted(self.statement.parts))} noted as {self.lines[0].place}"
        return "cut" if self.cut else ""


def read(folder: Path = _FOLDER) -> list[Statement]:
    """Return every statement and the small talk, language by language."""
    found = []
    for path in sorted(folder.glob("*.tsv")):
        with path.open(encoding="utf-8", newline="") as file:
            rows = csv.reader(file, delimiter="\t", quoting=csv.QUOTE_NONE)
            next(rows)
            for parts, text in rows:
                places = frozenset(Place(part) for part in parts.split(",") if part != "-")
                found.append(Statement(path.stem, places, text))
    return found


def observed(statement: Statement) -> Result:
    """Return what the rules and the gate make of *statement*, said alone."""
    memory = Memory("Europe/Berlin")
    session = Session("s0", "agent:main:main", "main", SessionKind.DIRECT)
    answer = _ANSWERS.get(statement.language, "Noted.")
    entries = [
        Entry(session.session_id, "e0", 0, _SAID_AT_MS, Role.USER, statement.text),
        Entry(session.session_id, "a0", 1, _SAID_AT_MS + 1_000, Role.ASSISTANT, answer),
    ]
    memory.feed(session, entries)
    made = [line.observation for line in memory.lines.values() if "e0" in line.observation.sources]
    return Result(statement, tuple(made), memory.rejected[0][0] if memory.rejected else "")


def main(arguments: list[str]) -> int:
    """Say every statement, print the tables."""
    parser = options("statements", __doc__, data=False)
    parser.add_argument("--statements", type=Path, default=_FOLDER, metavar="DIR", help="files of your own")
    given = parser.parse_args(arguments)
    statements = read(given.statements)
    results = []
    with counting("statements", len(statements)) as done:
        for statement in statements:
            results.append(observed(statement))
            done(doing=statement.language)
    return publish(measured(results), given)


def measured(results: Sequence[Result]) -> Report:
    """Return the counts by language, the goals, and what came out wrong."""
    groups = {name: _of(results, name) for name in sorted({one.statement.language for one in results})}
    columns = (
        Column("language"),
        Column("statements", "d"),
        Column("noted", ".2f"),
        Column("right part", ".2f"),
        Column("whole", ".2f"),
        Column("small talk", "d"),
        Column("of it noted", ".2f"),
    )
    rows = [_row(name, part) for name, part in [*groups.items(), ("all", results)]]
    wrong = sorted((one for one in results if one.cause), key=lambda one: one.cause)
    return Report(
        "statements",
        (
            Table("", columns, rows),
            _causes(wrong, list(groups)),
            _cases("Ten cases, of each cause in turn", _worst(wrong)),
        ),
        goals=_goals(results, groups),
        notes=NOTES,
        details=(_cases("Everything that came out wrong", wrong),),
    )


def _of(results: Sequence[Result], language: str) -> list[Result]:
    return [one for one in results if one.statement.language == language]


def _right(results: Sequence[Result]) -> float:
    told = [one for one in results if one.statement.parts]
    return sum(one.is_right for one in told) / max(1, len(told))


def _talk(results: Sequence[Result]) -> float:
    talk = [one for one in results if not one.statement.parts]
    return sum(bool(one.lines) for one in talk) / max(1, len(talk))


def _row(name: str, results: Sequence[Result]) -> tuple[Cell, ...]:
    told = [one for one in results if one.statement.parts]
    many = max(1, len(told))
    noted = sum(bool(one.lines) for one in told) / many
    whole = sum(not one.cut for one in told) / many
    return name, len(told), noted, _right(results), whole, len(results) - len(told), _talk(results)


def _goals(results: Sequence[Result], groups: dict[str, list[Result]]) -> tuple[Goal, ...]:
    """Return the goals for all together, and for each language that misses one."""
    goals = []
    for name, part in [("all", list(results)), *groups.items()]:
        right, talk = _right(part), _talk(part)
        two = (
            Goal(f"in the right part, {name}", f">= {LEAST_RIGHT:.2f}", f"{right:.2f}", right >= LEAST_RIGHT),
            Goal(f"small talk noted, {name}", f"<= {MOST_TALK:.2f}", f"{talk:.2f}", talk <= MOST_TALK),
        )
        goals += [goal for goal in two if name == "all" or not goal.is_met]
    return tuple(goals)


def _causes(wrong: Sequence[Result], languages: Sequence[str]) -> Table:
    counts = Counter((one.cause, one.statement.language) for one in wrong)
    causes = Counter(one.cause for one in wrong).most_common()
    columns = (Column("cause"), *(Column(name, "d") for name in languages), Column("all", "d"))
    rows: list[tuple[Cell, ...]] = [
        (cause, *(counts[cause, name] for name in languages), every) for cause, every in causes
    ]
    return Table("What came out wrong", columns, rows)


def _worst(wrong: Sequence[Result]) -> list[Result]:
    """Return ten cases, of each cause in turn, each in a language that was shown least until then."""
    left = list(wrong)
    causes = [cause for cause, _ in Counter(one.cause for one in wrong).most_common()]
    shown: list[Result] = []
    while left and len(shown) < _SHOWN:
        for cause in causes:
            languages = Counter(one.statement.language for one in shown)
            if mine := [one for one in left if one.cause == cause]:
                shown.append(min(mine, key=lambda one: (languages[one.statement.language], -len(one.cut))))
                left.remove(shown[-1])
    return shown[:_SHOWN]


def _cases(title: str, wrong: Sequence[Result]) -> Table:
    columns = (Column("cause"), Column("language"), Column("said"), Column("noted"))
    rows: list[tuple[Cell, ...]] = [
        (
            one.cause,
            one.statement.language,
            one.statement.text,
            " / ".join(line.text for line in one.lines) or None,
        )
        for one in wrong
    ]
    return Table(title, columns, rows)
