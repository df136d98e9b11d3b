"""The rounds and figures of the speed bench, on sizes that take no time."""

from __future__ import annotations

import json

import pytest
from bench import speed, timing
from bench.speeds import PARTS
from bench.timing import Figure, Point, medians, seconds_of


def test_a_way_that_says_its_own_time_is_believed_and_any_other_is_timed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    spent = iter([10.0, 20.0, 24.0])
    monkeypatch.setattr(timing, "_spent", lambda: next(spent))

    assert seconds_of(lambda: 2.5) == 2.5
    assert seconds_of(lambda: "done") == 4.0


def test_the_median_of_the_rounds_counts_without_the_first() -> None:
    told = iter([9.0, 1.0, 3.0, 2.0])

    found = medians({"way": lambda: next(told)}, 10, 3)

    assert found["way"] == Point(10, 2.0, 3.0, 3)


def test_a_slow_way_is_run_once() -> None:
    runs = []

    found = medians({"way": lambda: runs.append(1) or 60.0}, 10, 5)

    assert len(runs) == 1
    assert found["way"] == Point(10, 60.0, 60.0, 1)


def test_growth_ratio_and_goals_are_told(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def part(_given: object) -> list[Figure]:
        ours = Figure(
            "ours", "s", "MB", (Point(1, 0.1, 0.1, 5), Point(10, 1.0, 1.0, 5), Point(100, 10.0, 10.0, 5)), 5.0
        )
        return [
            ours,
            Figure(
                "peer",
                "s",
                "MB",
                tuple(p._replace(value=2 * p.value) for p in ours.points),
                None,
                "ours",
                3.0,
            ),
        ]

    monkeypatch.setitem(PARTS, "folding", part)

    speed.main(["--only", "folding", "--json"])

    told = json.loads(capsys.readouterr().out)
    ours, peer = told["tables"][0]["rows"]
    assert ours["grows as e"] == pytest.approx(1.0)
    assert peer["ours is faster"] == 2.0
    assert [(goal["found"], goal["is_met"]) for goal in told["goals"]] == [("10 s", False), ("2.00", False)]


def test_the_bench_runs_small(capsys: pytest.CaptureFixture[str]) -> None:
    code = speed.main(["--only", "folding", "redaction", "--scale", "0.01", "--runs", "1", "--json"])

    told = json.loads(capsys.readouterr().out)
    what = [row["what"] for row in told["tables"][0]["rows"]]
    assert code == 0
    assert "fold the section" in what
    assert "redact" in what
    assert told["goals"] == []
