"""What bench statements says: whole, said nowhere else; and how it counts what comes of it."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

from bench.statements import Result, Statement, measured, observed, read

from scrimshaw.core.types import Place

ROOT = Path(__file__).resolve().parents[2]
TYPED = ROOT / "bench/statements/typed"
_LANGUAGES = ("de", "en", "es", "fr", "it", "ja", "pt", "zh")


def _plain(text: str) -> str:
    return re.sub(r"[\W_]+", " ", text).strip().lower()


def test_each_language_has_as_many_and_none_is_said_twice() -> None:
    found = read()
    counts = Counter((one.language, bool(one.parts)) for one in found)

    assert counts == {(name, kept): 40 if kept else 15 for name in _LANGUAGES for kept in (True, False)}
    assert len({one.text for one in found}) == len(found)


def test_nothing_worth_noting_and_nothing_typed_is_said_in_what_is_learned_from() -> None:
    told = {_plain(one.text) for one in read() if one.parts} | {_plain(one.text) for one in read(TYPED)}
    files = [path for path in (ROOT / "training").rglob("*") if path.suffix in (".txt", ".tsv")]
    learned = "\n".join(path.read_text(encoding="utf-8") for path in files)
    cells = {_plain(cell) for cell in re.split(r" \| |[\t\n]", learned)}

    assert len(cells) > 10_000
    assert not told & cells


def test_a_line_elsewhere_is_noted_but_not_right() -> None:
    told = Statement("en", frozenset({Place.STANDING}), "We decided to keep the boat.")
    right = observed(told)
    wrong = right._replace(statement=told._replace(parts=frozenset({Place.OPEN})))

    assert right.lines
    assert {line.place for line in right.lines} <= {Place.STANDING, Place.LOG}
    assert (wrong.is_right, wrong.cause) == (False, f"open noted as {right.lines[0].place}")


def test_a_line_that_leaves_out_a_word_is_cut() -> None:
    result = observed(Statement("en", frozenset(Place), "I decided to sell the boat on Friday."))
    longer = result.statement._replace(text=f"{result.statement.text} The trailer goes too.")

    assert (result.cut, result.cause) == (frozenset(), "")
    assert result._replace(statement=longer).cause == "cut"


def test_the_table_counts_what_was_noted_and_the_goals_name_who_misses() -> None:
    decided = observed(Statement("en", frozenset(Place), "I decided to sell the boat on Friday."))
    missed = Result(Statement("de", frozenset({Place.LOG}), "Das Boot ist weg."), ())
    talk = decided._replace(statement=Statement("de", frozenset(), "Na so was!"))
    report = measured([decided, missed, talk])

    assert report.tables[0].rows[:2] == [("de", 1, 0.0, 0.0, 0.0, 1, 1.0), ("en", 1, 1.0, 1.0, 1.0, 0, 0.0)]
    assert [goal.what for goal in report.goals if not goal.is_met] == [
        f"{what}, {who}" for who in ("all", "de") for what in ("in the right part", "small talk noted")
    ]
    assert {row[0] for row in report.tables[1].rows} == {"not noted", "small talk noted"}
