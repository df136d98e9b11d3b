"""How much of what will be asked a section of a given budget keeps (`python -m bench retention`).

BEAM conversations are fed to each way in order; then every probing question is put to the section alone, and
to the section with what recall finds for that question (ten hits, 4,000 units). The measure is bench/beam's,
the ways are bench/keeping's, the intervals a bootstrap over conversations, the gaps paired.

A model observes too when `--model NAME` names one (as `observer_model` in the configuration): it is sent the
conversations, public texts, about 2.8 million tokens for ten of the small size. Without it nothing leaves
this machine. `--changes` prints what the reflector changes, `--show` a section: read them, the measure counts
words only.
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from typing import NamedTuple

from bench import material
from bench.beam import ABILITIES, Conversation, load_chats, score
from bench.keeping import WAYS, Way, by_observer, remember
from bench.modelled import observer_by_model
from bench.pipeline import changes_told, section_lines
from bench.plots import Curves
from bench.progress import counting
from bench.recalling import embedder
from bench.report import Cell, Column, Goal, Report, Table, options, publish
from scrimshaw.config import OFFLINE, load
from scrimshaw.index.embedding import why_none

BUDGETS = (2_000, 4_500, 9_000, 14_000)
SHORT = dict(zip(ABILITIES, ("information", "update", "temporal"), strict=True))
SECTION, WORDS, BOTH = "section", "section + recall", "section + recall by meaning too"
GOAL_BUDGET, GOAL = 9_000, 0.50
RESAMPLES = 2_000
PLOTTED = ("random", "simple rule", "summariser", "observer", "model")
NOTES = (
    "A question scores the share of its rubric lines of which 60 % of the content words stand in one "
    "line; an ability is the mean over its questions, the figure the mean of the three abilities, in "
    "brackets its 95 % interval (bootstrap over conversations). *observer*: the section as it is written; "
    "*reflected*: after the reflector. *all …* have no budget. *+ recall* searches the notes for the "
    "observers, the person's raw sentences for the others (those of both speakers find less).",
    "What it does not show: the measure rewards keeping words and says nothing of whether a note is "
    "useful or true; answers that must be computed are in no section. Gaps are of the observer to "
    "another way, conversation by conversation: an interval that holds 0 is no difference.",
)


Marks = Mapping[str, float]  # by ability, and "mean"


class Result(NamedTuple):
    """What one way scored, a mark a conversation in the order of the conversations."""

    budget: int | None
    way: str
    place: str
    marks: tuple[Marks, ...]

    def mean(self, ability: str = "mean") -> float:
        """Return the mean over conversations."""
        return sum(mark[ability] for mark in self.marks) / len(self.marks)


def main(arguments: list[str]) -> int:
    """Measure, print the tables."""
    given = _parser().parse_args(arguments)
    chats = material.find(given.data).beam(given.size)
    if not chats:
        place = material.find(given.data).place
        return publish(
            Report("retention", skipped=(f"BEAM {given.size}: no chat.json below {place}",)), given
        )
    conversations = load_chats(chats)
    if given.changes or given.show:
        _read(conversations, given)
        return 0
    ways, skipped = _ways(given)
    places = [SECTION, WORDS]
    if given.meaning and embedder() is None:
        skipped.append(f"recall by meaning: {why_none()}")
    elif given.meaning:
        places.append(BOTH)
    results = measure(conversations, ways, given.budgets, places, given.seed)
    return publish(_report(results, list(ways), tuple(skipped), given), given)


def _parser() -> argparse.ArgumentParser:
    parser = options("retention", __doc__)
    parser.add_argument("--size", default="100K", help="which of BEAM's sizes")
    parser.add_argument("--budgets", type=int, nargs="+", default=list(BUDGETS), metavar="UNITS")
    parser.add_argument("--only", nargs="+", choices=list(WAYS), help="only these ways")
    parser.add_argument("--model", help="a model to observe with as well; it is sent the conversations")
    parser.add_argument("--meaning", action="store_true", help="recall by words and meaning too (minutes)")
    parser.add_argument(
        "--changes", action="store_true", help="print what the reflector changes, nothing else"
    )
    parser.add_argument("--show", metavar="NAME", help="print the section of this conversation (100K/1)")
    return parser


def _ways(given: argparse.Namespace) -> tuple[dict[str, Way], list[str]]:
    chosen = {name: WAYS[name] for name in given.only or WAYS}
    skipped = []
    if "summariser" in chosen and find_spec("summa") is None:
        del chosen["summariser"]
        skipped.append("summariser: summa is not installed (pip install summa)")
    if given.model:
        chosen["model"] = by_observer(observer_by_model(given.model))
    elif not given.only:
        name = load(None, "main").settings.observer_model
        named = "none was named" if name == OFFLINE else f"{name} is configured, and was not named"
        skipped.append(f"model observer: {named} (--model NAME sends it the conversations)")
    return chosen, skipped


def measure(
    conversations: Sequence[Conversation],
    ways: Mapping[str, Way],
    budgets: Sequence[int],
    places: Sequence[str],
    seed: int,
) -> list[Result]:
    """Return each way's marks at each budget, in each of *places*; ways without a budget once."""
    wanted = [
        (name, budget) for name, way in ways.items() for budget in (budgets if way.has_budget else (None,))
    ]
    results = []
    with counting("retention", len(wanted) * len(conversations)) as done:
        for name, budget in wanted:
            marks: dict[str, list[Marks]] = {place: [] for place in places}
            for one in conversations:
                for place, mark in _marks(one, ways[name], budget, places, seed).items():
                    marks[place].append(mark)
                done(doing=name)
            results += [Result(budget, name, place, tuple(found)) for place, found in marks.items()]
    return results


def _marks(
    one: Conversation, way: Way, budget: int | None, places: Sequence[str], seed: int
) -> dict[str, Marks]:
    """Return what a section of *way* scores alone and with recall, over its draws."""
    recall = way.recall(one)
    finds = {SECTION: lambda _: (), WORDS: recall.by_words, BOTH: recall.by_both}
    kept = [way.keep(one, budget or 0, seed + draw) for draw in range(way.draws)]
    return {place: _averaged([score(one.rubrics, lines, finds[place]) for lines in kept]) for place in places}


def _averaged(marks: Sequence[Marks]) -> Marks:
    return {name: sum(mark[name] for mark in marks) / len(marks) for name in marks[0]}


def interval(values: Sequence[float], seed: int) -> tuple[float, float]:
    """Return the 95 % interval of the mean of *values*, one a conversation, by bootstrap."""
    lot = random.Random(seed)
    means = sorted(sum(lot.choices(values, k=len(values))) / len(values) for _ in range(RESAMPLES))
    return means[RESAMPLES // 40], means[-RESAMPLES // 40 - 1]


def _report(
    results: Sequence[Result], names: Sequence[str], skipped: tuple[str, ...], given: argparse.Namespace
) -> Report:
    places = list(dict.fromkeys(one.place for one in results))
    count = f"{len(results[0].marks)} conversations of BEAM {given.size}."
    return Report(
        "retention",
        (*(_overview(results, names, place, given) for place in places), _gaps(results, names, given)),
        (_curves(results),),
        _goals(results),
        (count, *NOTES),
        skipped,
        ("tantivy", "summa"),
        (_by_ability(results, given),),
    )


def _curves(results: Sequence[Result]) -> Curves:
    lines: dict[str, list[tuple[float, float]]] = {}
    for one in results:
        if one.budget and one.way in PLOTTED and one.place != BOTH:
            name = one.way if one.place == SECTION else f"{one.way} + recall"
            lines.setdefault(name, []).append((float(one.budget), one.mean()))
    return Curves("Retention by budget", "UTF-16 units", "share kept", lines)


def _overview(
    results: Sequence[Result], names: Sequence[str], place: str, given: argparse.Namespace
) -> Table:
    """Return the means with their intervals: a row a budget, a column a way."""
    cells = {(one.way, one.budget): _with_interval(one, given.seed) for one in results if one.place == place}
    rows: list[tuple[Cell, ...]] = [
        (budget, *(cells.get((name, budget)) or cells.get((name, None)) for name in names))
        for budget in given.budgets
    ]
    return Table(place, (Column("units", ",d"), *map(Column, names)), rows)


def _with_interval(result: Result, seed: int) -> str:
    low, high = interval([mark["mean"] for mark in result.marks], seed)
    return f"{result.mean():.2f} ({low:.2f}–{high:.2f})"


def _gaps(results: Sequence[Result], names: Sequence[str], given: argparse.Namespace) -> Table:
    """Return how far the observer is from each other way, conversation by conversation: a column a budget."""
    found = {(one.way, one.budget, one.place): one for one in results}
    rows: list[tuple[Cell, ...]] = []
    for place in dict.fromkeys(one.place for one in results):
        for name in names:
            if name in ("observer", "reflected"):
                continue
            gaps = [
                _gap(found.get(("observer", budget, place)), found.get((name, budget, place)), given.seed)
                for budget in given.budgets
            ]
            if any(gaps):
                rows.append((place, name, *gaps))
    heads = (Column(f"{budget:,}") for budget in given.budgets)
    return Table("Gap of the observer to", (Column("what"), Column("way"), *heads), rows)


def _gap(ours: Result | None, other: Result | None, seed: int) -> str | None:
    if ours is None or other is None:
        return None
    gaps = [a["mean"] - b["mean"] for a, b in zip(ours.marks, other.marks, strict=True)]
    low, high = interval(gaps, seed)
    return f"{sum(gaps) / len(gaps):+.2f} ({low:+.2f} to {high:+.2f})"


def _by_ability(results: Sequence[Result], given: argparse.Namespace) -> Table:
    rows: list[tuple[Cell, ...]] = []
    for one in results:
        low, high = interval([mark["mean"] for mark in one.marks], given.seed)
        rows.append((one.place, one.budget, one.way, *map(one.mean, (*ABILITIES, "mean")), low, high))
    names = (*SHORT.values(), "mean", "low", "high")
    columns = (Column("what"), Column("units", ",d"), Column("way"), *(Column(name, ".3f") for name in names))
    return Table("By ability", columns, rows)


def _goals(results: Sequence[Result]) -> tuple[Goal, ...]:
    found = [one for one in results if (one.way, one.budget, one.place) == ("observer", GOAL_BUDGET, SECTION)]
    return tuple(
        Goal(f"observer, {GOAL_BUDGET:,} units", f">= {GOAL:.2f}", f"{one.mean():.2f}", one.mean() >= GOAL)
        for one in found
    )


def _read(conversations: Sequence[Conversation], given: argparse.Namespace) -> None:
    for one in conversations:
        if given.changes:
            print(one.name, *changes_told(remember(one)), sep="\n")
        elif one.name == given.show:
            print(*section_lines(remember(one), given.budgets[-1]), sep="\n")
