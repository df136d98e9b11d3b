"""The one form in which measurements are printed: tables, goals, plots, JSON."""

from __future__ import annotations

import json

import pytest
from bench.plots import Bars, Curves, drawn
from bench.report import Column, Goal, Report, Table, markdown, options, publish

TABLE = Table(
    "Speeds",
    (Column("what"), Column("lines", ",d"), Column("ms", ".2f")),
    [("a | b", 12_000, 0.123456), ("c", None, 2.0)],
)


def published(report: Report, *arguments: str) -> int:
    return publish(report, options("thing", "About.").parse_args(arguments))


def test_a_table_is_markdown_with_rounded_numbers_and_a_dash_for_what_was_not_measured() -> None:
    expected = """**Speeds**

| what   |  lines |   ms |
|--------|-------:|-----:|
| a \\| b | 12,000 | 0.12 |
| c      |      - | 2.00 |"""

    assert markdown(TABLE) == expected


def test_json_holds_whole_figures_and_nothing_else_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    plot = Curves("C", "n", "s", {"ours": [(1, 2.5), (10, 20.0)]})

    code = published(Report("thing", (TABLE,), (plot,), (Goal("g", "<= 1", "2", False),)), "--json")

    told = json.loads(capsys.readouterr().out)
    assert code == 0
    assert told["tables"][0]["rows"][0] == {"what": "a | b", "lines": 12_000, "ms": 0.123456}
    assert told["plots"][0]["lines"] == {"ours": [[1, 2.5], [10, 20.0]]}
    assert told["goals"] == [{"what": "g", "wanted": "<= 1", "found": "2", "is_met": False}]


def test_the_plot_is_at_the_end_and_what_was_absent_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    report = Report("thing", (TABLE,), (Bars("B", "ms", {"ours": 1.0}),), skipped=("jq: not installed",))

    published(report)

    told = capsys.readouterr().out
    assert told.index("| what") < told.index("skipped: jq: not installed") < told.index("B (ms)")


def test_a_missed_goal_ends_with_1_only_where_that_was_asked_for(capsys: pytest.CaptureFixture[str]) -> None:
    report = Report("thing", (TABLE,), goals=(Goal("g", "<= 1", "2", False),))

    codes = published(report), published(report, "--strict")

    assert codes == (0, 1)
    assert "MISSED: g: 2 (goal <= 1)" in capsys.readouterr().out


def test_nothing_measured_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    code = published(Report("thing", skipped=("BEAM: nothing there",)))

    told = capsys.readouterr().out
    assert code == 0
    assert "skipped: BEAM: nothing there" in told
    assert "Nothing was measured." in told


def test_longer_tables_are_printed_only_when_asked_for(capsys: pytest.CaptureFixture[str]) -> None:
    report = Report("thing", (TABLE,), details=(TABLE._replace(title="Each one"),))

    published(report)
    brief = capsys.readouterr().out
    published(report, "--details")

    assert "Each one" not in brief
    assert "Each one" in capsys.readouterr().out


def test_curves_on_logarithmic_axes_rise_in_a_straight_line() -> None:
    plot = Curves("C", "n", "s", {"ours": [(1, 1.0), (10, 10.0), (100, 100.0)]}, log_x=True, log_y=True)

    rows = [row.partition("┤")[2] for row in drawn(plot).splitlines() if "┤" in row]

    marks = [(row.index("●"), height) for height, row in enumerate(reversed(rows)) if "●" in row]
    assert [height for _, height in marks] == [0, 8, 15]
    assert [place for place, _ in marks] == [0, 32, 63]


def test_bars_show_the_goal_as_a_line() -> None:
    told = drawn(Bars("B", "ms", {"short": 10.0, "long": 40.0}, goal=20.0)).splitlines()

    short, long = (line.partition(" ")[2] if line.startswith("short") else line[6:] for line in told[1:3])
    assert short.index("│") == long.index("│") == 20
    assert told[3].endswith("the goal: 20")
