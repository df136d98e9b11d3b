"""How `stats`, `stale` and `trend` are worded."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from scrimshaw.cli.support.boxes import bar, boxed, is_utf8, plain_signs
from scrimshaw.cli.support.command import head
from scrimshaw.cli.support.terminal import as_said, in_a_row
from scrimshaw.core.text.plural import counted
from scrimshaw.services.edit.find_line import shortened

if TYPE_CHECKING:
    from scrimshaw.services.insight.look import StaleFact, StaleResult, StatsResult
    from scrimshaw.services.insight.trend import TrendResult

KEYS = "[r]einforce  [d]elete  [s]kip"
_FRESH = {"today": "today", "this_week": "this week", "this_month": "this month", "older": "older"}
_STEPS, _PLAIN_STEPS = "▁▂▃▄▅▆▇█", "_.-=+*%#"
_MOST_CHARS = 70


def stats_lines(found: StatsResult) -> Iterator[str]:
    figures = found.figures
    most = max(figures.facts_by_type.values(), default=0)
    wide = max(len(f"{count:,}") for count in (*figures.facts_by_type.values(), *figures.freshness.values()))
    types = [
        f"{type_.value + ':':14}{count:>{wide},} ({_share(count, figures.facts)})".ljust(25 + wide)
        + bar(count, most)
        for type_, count in figures.facts_by_type.items()
    ]
    fresh = [f"{_FRESH[one.value] + ':':14}{count:>{wide},}" for one, count in figures.freshness.items()]
    top = [
        f'{number}. "{as_said(shortened(line.text, _MOST_CHARS))}" ({counted(times, "recall")})'
        for number, (line, times) in enumerate(found.top_recalled, 1)
    ]
    yield boxed(
        f"Memory of {found.agent}",
        [
            (
                "",
                [
                    f"{'Memories:':14}{figures.memories:,}",
                    f"{'Facts:':14}{figures.facts:,}",
                    f"{'Sources:':14}{counted(figures.sources, 'file')}",
                    f"{'Storage:':14}{size(found.storage_bytes)}",
                    f"{'Confidence:':14}{figures.avg_confidence:.2f} on average",
                ],
            ),
            ("Facts by type", types),
            ("Freshness", fresh),
            ("Most recalled", top or ["nothing yet"]),
        ],
    )


def stale_lines(found: StaleResult) -> Iterator[str]:
    """Yield the facts that may no longer hold, for somebody who only reads."""
    yield head(found)
    for fact in found.facts:
        yield ""
        yield from fact_lines(fact)
    yield ""
    yield sum_line(found.found, 0, 0, 0)
    if found.found > len(found.facts):
        yield more_line(found)


def fact_lines(fact: StaleFact) -> Iterator[str]:
    """Yield one fact, with what makes it stale and what can be done."""
    stale = fact.stale
    recalled = f"last recalled {stale.recalls.last_day}" if stale.recalls.times else "never recalled"
    yield plain_signs(f"⚠️  {stale.effective_confidence:.2f}  ") + f'"{in_a_row(stale.line.text)}"'
    yield plain_signs(f"    {stale.line.type.value} · {counted(stale.age, 'day')} old · {recalled}")
    yield f"    Source: {fact.source}"
    yield f"    {KEYS}"


def sum_line(found: int, reinforced: int, deleted: int, skipped: int) -> str:
    facts = counted(found, "stale fact")
    return plain_signs(f"✅  {facts} found. {reinforced} reinforced, {deleted} deleted, {skipped} skipped.")


def more_line(found: StaleResult) -> str:
    return f"The stalest {len(found.facts)} are shown; more with --limit."


def trend_lines(found: TrendResult) -> Iterator[str]:
    """Yield a figure's days as a row of small bars, with where it began and ended."""
    (first, begin), (last, end) = found.points[0], found.points[-1]
    values = [value for _, value in found.points]
    yield head(found)
    yield f"  {found.figure}  {sparkline(values)}  {number(begin)} -> {number(end)}"
    yield f"  {first} to {last}, lowest {number(min(values))}, highest {number(max(values))}"


def sparkline(values: Sequence[float]) -> str:
    """Return a small bar for each of *values*, the lowest at the bottom."""
    steps = _STEPS if is_utf8() else _PLAIN_STEPS
    low, high = min(values), max(values)
    spread = (high - low) or 1
    return "".join(steps[int((value - low) / spread * (len(steps) - 1))] for value in values)


def number(value: float) -> str:
    """Return a figure as it is printed: a count whole, a share with two digits."""
    return f"{value:,.0f}" if value == int(value) else f"{value:,.2f}"


def size(bytes_: int) -> str:
    return f"{bytes_ / 1e6:,.1f} MB" if bytes_ >= 1e5 else f"{bytes_ / 1e3:,.1f} kB"


def _share(count: int, of: int) -> str:
    return f"{100 * count / of if of else 0:.1f}%"
