"""What every measurement prints: a Markdown table, what it does not show, a plot at the end; or JSON.

A bench builds one `Report` and hands it to `publish`. Figures are numbers in the report and are rounded only
for the table, so `--json` holds them whole. The head says the command, the versions, the kind of machine and
the seed, because a figure without them cannot be compared. Exit code: 0, or 1 when a goal was missed
and `--strict` was given. Options that are the same everywhere are here, and only here.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import shlex
import sys
from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from textwrap import fill
from typing import NamedTuple

from bench.plots import Plot, drawn, saved
from scrimshaw import __version__

SEED = 20261122
PLAIN = "plain"  # a column's form: three figures
_WIDTH = 110
Cell = str | int | float | None


class Column(NamedTuple):
    """A table's column: its name, and how its numbers are written (a format specification)."""

    name: str
    form: str = ""


class Table(NamedTuple):
    """Rows of figures under a title."""

    title: str
    columns: tuple[Column, ...]
    rows: list[tuple[Cell, ...]]


class Goal(NamedTuple):
    """What a figure was to be; *is_met* says whether it is."""

    what: str
    wanted: str
    found: str
    is_met: bool


class Report(NamedTuple):
    """The result of one measurement."""

    name: str
    tables: tuple[Table, ...] = ()
    plots: tuple[Plot, ...] = ()
    goals: tuple[Goal, ...] = ()
    notes: tuple[str, ...] = ()  # what it does not show
    skipped: tuple[str, ...] = ()  # what was absent, a line each
    packages: tuple[str, ...] = ()  # whose versions belong to the result
    details: tuple[Table, ...] = ()  # printed with --details, always in the JSON


def options(name: str, about: str | None, *, data: bool = True) -> argparse.ArgumentParser:
    """Return a parser with what every measurement takes; *about* is the module's docstring."""
    parser = argparse.ArgumentParser(
        prog=f"python -m bench {name}",
        description=about,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    if data:
        parser.add_argument(
            "--data",
            type=Path,
            help="folder or file with the public sets (default: what ../shared/unpack prints)",
        )
    parser.add_argument("--json", action="store_true", help="the whole result as JSON, and nothing else")
    parser.add_argument("--seed", type=int, default=SEED, help="of everything that is drawn by lot")
    parser.add_argument(
        "--plot", type=Path, metavar="FILE", help="also write the plots as a picture (.png, .svg)"
    )
    parser.add_argument("--details", action="store_true", help="longer tables as well (they are in the JSON)")
    parser.add_argument("--strict", action="store_true", help="end with 1 when a goal was missed")
    return parser


def publish(report: Report, given: argparse.Namespace) -> int:
    """Print *report* as *given* asks; return the exit code."""
    if given.json:
        print(json.dumps(as_json(report, given), indent=1, ensure_ascii=False))
    else:
        print(as_markdown(report, given))
    if given.plot and report.plots:
        print(saved(report.plots, given.plot), file=sys.stderr)
    missed = any(not goal.is_met for goal in report.goals)
    return int(missed and given.strict)


def as_markdown(report: Report, given: argparse.Namespace) -> str:
    """Return *report* for reading and for docs/benchmarks.md."""
    parts = [f"`{_command(report.name)}`: {', '.join(_made_with(report, given))}"]
    parts += [markdown(table) for table in _shown(report, given) if table.rows]
    if report.goals:
        parts.append("\n".join(_goal(goal) for goal in report.goals))
    if report.notes:
        parts += [fill(note, _WIDTH, break_long_words=False) for note in report.notes]
    if report.skipped:
        parts.append("\n".join(f"skipped: {line}" for line in report.skipped))
    if not any(table.rows for table in report.tables):
        parts.append("Nothing was measured.")
    parts += [f"```text\n{drawn(plot)}\n```" for plot in report.plots]
    return "\n\n".join(parts)


def _shown(report: Report, given: argparse.Namespace) -> tuple[Table, ...]:
    return (*report.tables, *(report.details if given.details else ()))


def markdown(table: Table) -> str:
    """Return *table* in Markdown, its columns in line for a terminal too."""
    rows = [
        [_cell(value, column.form) for value, column in zip(row, table.columns, strict=True)]
        for row in table.rows
    ]
    heads = [column.name for column in table.columns]
    widths = [max(len(head), *(len(row[at]) for row in rows), 3) for at, head in enumerate(heads)]
    is_number = [all(not isinstance(row[at], str) for row in table.rows) for at in range(len(heads))]

    def line(cells: Sequence[str]) -> str:
        put = (
            f"{c:>{w}}" if right else f"{c:<{w}}"
            for c, w, right in zip(cells, widths, is_number, strict=True)
        )
        return f"| {' | '.join(put)} |"

    rule = "|".join(
        "-" * (w + 1) + ":" if right else "-" * (w + 2) for w, right in zip(widths, is_number, strict=True)
    )
    title = [f"**{table.title}**", ""] if table.title else []
    return "\n".join([*title, line(heads), f"|{rule}|", *map(line, rows)])


def as_json(report: Report, given: argparse.Namespace) -> dict[str, object]:
    """Return everything in *report*, figures whole."""
    tables = [
        {
            "title": table.title,
            "rows": [dict(zip((c.name for c in table.columns), row, strict=True)) for row in table.rows],
        }
        for table in (*report.tables, *report.details)
    ]
    return {
        "bench": report.name,
        "command": _command(report.name),
        "made_with": _made_with(report, given),
        "seed": given.seed,
        "tables": tables,
        "goals": [goal._asdict() for goal in report.goals],
        "plots": [{"kind": type(plot).__name__.lower(), **plot._asdict()} for plot in report.plots],
        "notes": list(report.notes),
        "skipped": list(report.skipped),
    }


def installed(package: str) -> str | None:
    """Return the version of *package*, when it is installed."""
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def _made_with(report: Report, given: argparse.Namespace) -> list[str]:
    found = {name: installed(name) for name in report.packages}
    others = [f"{name} {number}" for name, number in found.items() if number]
    python = f"{platform.python_implementation()} {platform.python_version()}"
    machine = f"{python}, {platform.system()} {platform.machine()}, {os.cpu_count()} cores"
    return [f"scrimshaw {__version__}", *others, machine, f"seed {given.seed}"]


def _command(name: str) -> str:
    given = sys.argv[2:] if len(sys.argv) > 1 and sys.argv[1] == name else []
    shown = [f"…/{Path(word).name}" if word.startswith(("/", "~")) else word for word in given]
    return shlex.join(["python", "-m", "bench", name]) + "".join(f" {shlex.quote(word)}" for word in shown)


def _goal(goal: Goal) -> str:
    return f"- {'met' if goal.is_met else 'MISSED'}: {goal.what}: {goal.found} (goal {goal.wanted})"


def _cell(value: Cell, form: str) -> str:
    if value is None:
        return "-"
    if isinstance(value, str):
        return value.replace("|", "\\|")
    return plain(value) if form == PLAIN else format(value, form)


def plain(value: float) -> str:
    """Return *value* with three figures, never as a power of ten."""
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"
