"""Plots of a report: in characters at its end, always; as a picture with `--plot FILE` where matplotlib is.

A plot is a value: Curves hold figures over one quantity, Bars one figure for each name. The plot in
characters is a glance, not a source: the tables hold the figures.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

Point = tuple[float, float]
_MARKS = "●○◆◇■□▲△✚✖★☆"
_WIDTH, _HEIGHT, _BAR = 64, 16, 40


class Curves(NamedTuple):
    """Named lines through points (x, y)."""

    title: str
    x: str
    y: str
    lines: Mapping[str, Sequence[Point]]
    log_x: bool = False
    log_y: bool = False


class Bars(NamedTuple):
    """One figure for each name; *goal* is drawn across."""

    title: str
    unit: str
    bars: Mapping[str, float]
    goal: float | None = None


Plot = Curves | Bars


def drawn(plot: Plot) -> str:
    """Return *plot* in characters."""
    match plot:
        case Curves():
            return _curves(plot)
        case Bars():
            return _bars(plot)


def saved(plots: Sequence[Plot], file: Path) -> str:
    """Write *plots* below one another into *file* (.png, .svg, .pdf); return what was done."""
    try:
        import matplotlib as mpl
    except ImportError:
        return f"{file}: not written, matplotlib is not installed (pip install matplotlib)."
    mpl.use("Agg")
    from matplotlib import pyplot

    figure, places = pyplot.subplots(len(plots), 1, figsize=(8, 4.2 * len(plots)), squeeze=False)
    for plot, place in zip(plots, places[:, 0], strict=True):
        place.set_title(plot.title)
        match plot:
            case Curves():
                for name, points in plot.lines.items():
                    place.plot(*zip(*points, strict=True), marker="o", label=name)
                place.set(xlabel=plot.x, ylabel=plot.y)
                place.set_xscale("log" if plot.log_x else "linear")
                place.set_yscale("log" if plot.log_y else "linear")
                place.legend(fontsize="small")
            case Bars():
                place.barh(list(plot.bars)[::-1], list(plot.bars.values())[::-1])
                place.set_xlabel(plot.unit)
                if plot.goal is not None:
                    place.axvline(plot.goal, linestyle="--", color="grey")
    figure.tight_layout()
    figure.savefig(file)
    pyplot.close(figure)
    return f"The plots are in {file}."


def short(value: float) -> str:
    """Return *value* with three figures, thousands as k and M."""
    for size, letter in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if abs(value) >= size:
            return f"{value / size:.3g}{letter}"
    return f"{value:.3g}"


def _bars(plot: Bars) -> str:
    longest = max([abs(value) for value in plot.bars.values()] + [abs(plot.goal or 0)]) or 1.0
    width = max(map(len, plot.bars), default=0)
    rows = [f"{plot.title} ({plot.unit})"]
    for name, value in plot.bars.items():
        bar = list("█" * max(1, round(abs(value) / longest * _BAR)) if value else "")
        if plot.goal is not None:
            at = min(_BAR, round(plot.goal / longest * _BAR))
            bar += [" "] * (at + 1 - len(bar))
            bar[at] = "│"
        rows.append(f"{name:>{width}} {''.join(bar)} {short(value)}")
    if plot.goal is not None:
        rows.append(f"{'':>{width}} │ the goal: {short(plot.goal)}")
    return "\n".join(rows)


def _curves(plot: Curves) -> str:
    points = [point for line in plot.lines.values() for point in line]
    if not points:
        return f"{plot.title}: no figures"
    x_at, x_ends = _axis([x for x, _ in points], _WIDTH, is_log=plot.log_x)
    y_at, y_ends = _axis([y for _, y in points], _HEIGHT, is_log=plot.log_y)
    grid = [[" "] * _WIDTH for _ in range(_HEIGHT)]
    for mark, line in zip(_MARKS * 9, plot.lines.values(), strict=False):
        for x, y in line:
            grid[_HEIGHT - 1 - y_at(y)][x_at(x)] = mark
    low, high = short(y_ends[0]), short(y_ends[1])
    margin = max(len(low), len(high))
    rows = [plot.title, plot.y]
    for number, row in enumerate(grid):
        label = high if number == 0 else low if number == _HEIGHT - 1 else ""
        rows.append(f"{label:>{margin}} ┤{''.join(row).rstrip()}")
    left, right = short(x_ends[0]), short(x_ends[1])
    rows.append(f"{'':>{margin}} └{'─' * _WIDTH}")
    rows.append(f"{'':>{margin}}  {left}{plot.x:^{_WIDTH - len(left) - len(right)}}{right}")
    rows += [f"{mark} {name}" for mark, name in zip(_MARKS * 9, plot.lines, strict=False)]
    return "\n".join(rows)


def _axis(values: Sequence[float], cells: int, *, is_log: bool) -> tuple[Callable[[float], int], Point]:
    """Return where a value stands among *cells*, and the ends of the axis."""
    low, high = min(values), max(values)
    if is_log and low > 0:
        span = math.log(high / low) or 1.0
        return lambda value: round(math.log(value / low) / span * (cells - 1)), (low, high)
    low = min(low, 0.0) if high > 0 and low < high * 0.5 else low
    return lambda value: round((value - low) / ((high - low) or 1.0) * (cells - 1)), (low, high)
