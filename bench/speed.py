"""How fast it is, beside what else could be used, and how it grows (`python -m bench speed`).

The figures that the other benches time, in one run: each at a hundredth, a tenth and the whole of a size, as
medians of repeated runs, the peer's beside ours, and the exponent e of time ~ size^e fitted to the three. 1.0
is growth in proportion; small sizes of a whole process are mostly its start. `--only` names parts; all of
them take about ten minutes on two cores. Run it on a machine that does nothing else.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from bench.growth import exponent
from bench.plots import Curves
from bench.progress import counting
from bench.report import PLAIN, Cell, Column, Goal, Report, Table, options, plain, publish
from bench.speeds import PARTS, Absent
from bench.timing import FACTORS, Figure

PLOTTED = 8  # figures at most: more is no glance
PACKAGES = ("orjson", "zstandard", "tantivy", "memvid-sdk", "onnxruntime")
NOTES = (
    "Each figure is a median of repeated runs, a command on a large backlog is run once; of processor "
    "time, but for whole processes, searches and the daemon, where it is by the clock. *Ours is "
    "faster*: the peer's time over ours at the largest size, in the same run. Peers: *decode only* "
    "fetches and decodes the same rows and does nothing else; observational-memory 0.10.1 runs its most "
    "general parser on the same file, which finds fewer kinds of rows; jq prints one field; memvid "
    "searches 30 frames and says which of them, not which line.",
    "What it does not show: a cold disk, other machines. Times are noisy on a shared machine, ratios "
    "within one run hold better.",
)


def main(arguments: list[str]) -> int:
    """Measure the parts that were asked for, print them."""
    given = _parser().parse_args(arguments)
    given.skipped, given.goals = [], []
    figures: list[Figure] = []
    with counting("speed", len(given.only)) as done:
        for name in given.only:
            done(0, doing=name)
            try:
                figures += PARTS[name](given)
            except Absent as absent:
                given.skipped.append(str(absent))
            done(doing=name)
    return publish(_report(figures, given), given)


def _parser() -> argparse.ArgumentParser:
    parser = options("speed", __doc__)
    parser.add_argument(
        "--only", nargs="+", choices=list(PARTS), default=list(PARTS), help="only these parts"
    )
    parser.add_argument("--runs", type=int, default=5, help="rounds; the median is told")
    parser.add_argument("--scale", type=float, default=1.0, help="of all sizes, for a quick look")
    parser.add_argument(
        "--om-python", default=sys.executable, help="interpreter with observational-memory 0.10.1"
    )
    return parser


def _report(figures: Sequence[Figure], given: argparse.Namespace) -> Report:
    if any(one.what.startswith("read ") for one in figures):
        for peer in ("observational-memory", "jq"):
            if f"read {peer}" not in {one.what for one in figures}:
                given.skipped.append(
                    f"{peer}: not installed{' (--om-python names another)' * (peer != 'jq')}"
                )
    return Report(
        "speed",
        _tables(figures),
        _plots(figures),
        # At another size than the one it was set for a goal says nothing.
        (*_goals(figures), *given.goals) if given.scale == 1.0 else (),
        NOTES,
        tuple(given.skipped),
        PACKAGES,
        (_all_points(figures),),
    )


def _tables(figures: Sequence[Figure]) -> tuple[Table, ...]:
    ours = {one.what: one for one in figures}
    grown: list[tuple[Cell, ...]] = []
    single: list[tuple[Cell, ...]] = []
    for one in figures:
        points = one.points
        if len(points) < len(FACTORS):
            single.append((one.what, one.unit, _size(one), points[-1].value,
                           points[-1].worst, one.most))  # fmt: skip
            continue
        values = [point.value for point in points]
        ratio = _ratio(one, ours)
        grown.append((one.what, one.unit, _size(one), *values, _growth(one), ratio, one.most))
    sizes = (Column("1/100", PLAIN), Column("1/10", PLAIN), Column("whole", PLAIN))
    heads = (Column("what"), Column("unit"), Column("whole size"), *sizes, Column("grows as e", ".2f"))
    table = Table("At growing sizes", (*heads, Column("ours is faster", ".2f"), Column("goal", PLAIN)), grown)
    columns = (
        Column("what"),
        Column("unit"),
        Column("size"),
        Column("median", PLAIN),
        Column("worst", PLAIN),
    )
    return (table, Table("At one size", (*columns, Column("goal", PLAIN)), single))


def _size(one: Figure) -> str:
    return f"{plain(one.largest.size)} {one.of}" if one.of else ""


def _growth(one: Figure) -> float | None:
    points = [(point.size, point.value) for point in one.points if point.value > 0]
    return exponent(points) if len(points) > 1 else None


def _ratio(one: Figure, ours: dict[str, Figure]) -> float | None:
    return one.largest.value / ours[one.peer_of].largest.value if one.peer_of in ours else None


def _goals(figures: Sequence[Figure]) -> tuple[Goal, ...]:
    ours = {one.what: one for one in figures}
    goals = []
    for one in figures:
        last = one.largest
        size = f", {_size(one)}" if one.of else ""
        # The daemon's goals bind the worst, as its own bench says.
        value = last.value if one.of else last.worst
        if one.most is not None:
            found = f"{plain(value)} {one.unit}"
            goals.append(
                Goal(f"{one.what}{size}", f"<= {plain(one.most)} {one.unit}", found, value <= one.most)
            )
        ratio = _ratio(one, ours)
        if one.least_ratio is not None and ratio is not None:
            what = f"{one.peer_of} against {one.what.removeprefix('read ')}"
            goals.append(
                Goal(what, f">= {one.least_ratio:g} times", f"{ratio:.2f}", ratio >= one.least_ratio)
            )
    return tuple(goals)


def _plots(figures: Sequence[Figure]) -> tuple[Curves, ...]:
    plots = []
    for of in dict.fromkeys(one.of for one in figures if one.of):
        lines = {
            one.what: [
                (point.size, point.value * (1e-3 if one.unit == "ms" else 1.0)) for point in one.points
            ]
            for one in figures
            if one.of == of and one.unit in ("s", "ms") and len(one.points) >= len(FACTORS)
        }
        kept = dict(list(lines.items())[:PLOTTED])
        if kept:
            plots.append(Curves(f"Time by {of}", of, "seconds", kept, log_x=True, log_y=True))
    return tuple(plots)


def _all_points(figures: Sequence[Figure]) -> Table:
    rows: list[tuple[Cell, ...]] = [
        (one.what, one.unit, point.size, one.of, point.value, point.worst, point.runs)
        for one in figures
        for point in one.points
    ]
    names = ("what", "unit", "size", "of", "median", "worst", "runs")
    return Table("Every figure", tuple(map(Column, names, ("", "", ",.4g", "", ",.4g", ",.4g", "d"))), rows)
