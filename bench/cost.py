"""What memory costs at the agent's provider, and what the observer itself uses (`python -m bench cost`).

Conversations are replayed request by request (bench/replay): with the full history, with the host's
compaction only, with compaction and our section (the real case), and with the section and recent turns alone;
each with and without the provider's prompt cache. Then what the section's writes make be paid again, how
often they happen, and what the observer's own requests cost (bench/observer_cost). No model is asked.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from bench import material, observer_cost
from bench.contexts import contexts_of
from bench.contexts import goals as contexts_goals
from bench.contexts import table as contexts_table
from bench.observer_cost import BUSY_DAY_TOKENS, day_bills, tokens_a_day
from bench.people import Chat
from bench.plots import Curves
from bench.progress import counting
from bench.replay import Bill, Prompt, Terms, Way, active_hours, bill, lay_out, summed
from bench.report import Cell, Column, Goal, Report, Table, options, publish
from bench.talks import Talk, real_talks, talks_of
from scrimshaw.core.transcript.windows import estimate_tokens

MINUTE_MS = 60_000
KEPT: Mapping[str, int | None] = {"5 minutes": 5 * MINUTE_MS, "an hour": 60 * MINUTE_MS, "for ever": None}
USUAL = "5 minutes"
LONG_IDLE_MS = 60 * MINUTE_MS
MOST_WRITES, LEAST_CACHED, LEAST_CHEAPER = 0.02, 0.95, 5.0
SETS = ("100K", "500K", "real")


class Played(NamedTuple):
    """One talk in one way."""

    prompts: list[Prompt]
    section: int  # tokens at the end
    notes: int  # tokens of everything noted


class Outcome(NamedTuple):
    """A set of talks in every way; `late` is the real case with an hour's silence before a write."""

    name: str
    talks: list[Talk]
    ways: Mapping[Way, list[Played]]
    late: list[Played]

    def bill(self, way: Way, kept: str = USUAL) -> Bill:
        """Return the bill of all talks in *way*."""
        return summed([bill(one.prompts, KEPT[kept]) for one in self.ways[way]])


def main(arguments: list[str]) -> int:
    """Replay, print the tables."""
    given = _parser().parse_args(arguments)
    found = material.find(given.data)
    sets, skipped = _sets(found, given)
    terms = Terms(fixed=given.fixed, window=given.window, recent=given.recent, budget_units=given.budget)
    outcomes = _played(sets, terms)
    observed = observer_cost.inputs(found)
    skipped += [] if observed else [f"what an observer uses: no BEAM 100K and no samples below {found.place}"]
    found_short = observer_cost.short_chats(found)
    skipped += [] if found_short else [f"short conversations: no LoCoMo below {found.place}"]
    contexts = contexts_of([talk for talks in sets.values() for talk in talks[: given.contexts]])
    tables = (
        *_provider(outcomes),
        contexts_table(contexts, KEPT),
        *_observer(observed),
        _sharing(found_short),
    )
    tables = tuple(table for table in tables if table.rows)
    return publish(
        Report(
            "cost",
            tables,
            _plots(outcomes),
            (*_goals(outcomes), *contexts_goals(contexts)),
            _notes(terms),
            tuple(skipped),
            (),
            _details(outcomes),
        ),
        given,
    )


def _parser() -> argparse.ArgumentParser:
    usual = Terms()
    parser = options("cost", __doc__)
    parser.add_argument(
        "--sets", nargs="+", choices=SETS, default=list(SETS), help="BEAM's sizes, real sessions"
    )
    parser.add_argument("--most", type=int, default=10, help="conversations of a set")
    parser.add_argument("--contexts", type=int, default=2, help="conversations of a set, as a program's")
    parser.add_argument("--window", type=int, default=usual.window, help="the model's, in tokens")
    parser.add_argument(
        "--fixed", type=int, default=usual.fixed, help="tokens of the host's own instructions"
    )
    parser.add_argument(
        "--recent", type=int, default=usual.recent, help="tokens of recent turns beside the section"
    )
    parser.add_argument("--budget", type=int, default=usual.budget_units, help="of the section, UTF-16 units")
    return parser


def _sets(found: material.Material, given: argparse.Namespace) -> tuple[dict[str, list[Talk]], list[str]]:
    sets, skipped = {}, []
    for name in given.sets:
        talks = real_talks(found) if name == "real" else talks_of(found, name, given.seed)
        title = "real coding sessions" if name == "real" else f"BEAM {name}"
        if talks:
            sets[title] = talks[: given.most]
        else:
            skipped.append(f"{title}: nothing below {found.place}")
    return sets, skipped


def _played(sets: Mapping[str, list[Talk]], terms: Terms) -> list[Outcome]:
    total = sum(talk.tokens for talks in sets.values() for talk in talks) * (len(Way) + 1)
    outcomes = []
    with counting("cost", total) as done:

        def play(talk: Talk, way: Way, terms: Terms) -> Played:
            prompts, host = lay_out(talk, way, terms)
            done(talk.tokens, doing=f"{talk.name}, {way}")
            notes = sum(map(estimate_tokens, host.engraver.memory.texts()))
            return Played(prompts, estimate_tokens(host.engraver.body), notes)

        for name, talks in sets.items():
            ways = {way: [play(talk, way, terms) for talk in talks] for way in Way}
            late = [play(talk, Way.SECTION, terms._replace(idle_ms=LONG_IDLE_MS)) for talk in talks]
            outcomes.append(Outcome(name, talks, ways, late))
    return outcomes


# -- at the agent's provider --------------------------------------------------------------------------------


def _provider(outcomes: Sequence[Outcome]) -> tuple[Table, ...]:
    rows: list[tuple[Cell, ...]] = []
    for one in outcomes:
        full = one.bill(Way.FULL)
        for way in Way:
            told = one.bill(way)
            ratios = (full.uncached / told.uncached, full.billed / told.billed)
            share = told.cached / told.prompt
            rows.append((one.name, way.value, told.prompt, share, told.uncached, told.billed, *ratios))
    names = (
        "conversations",
        "prompts hold",
        "prompt tokens",
        "from cache",
        "billed, no cache",
        "billed, cached",
    )
    forms = ("", "", ",d", ".1%", ",.0f", ",.0f")
    cheaper = ("both uncached", "both cached")
    columns = (
        *map(Column, names, forms),
        *(Column(f"times cheaper, {name}", ".2f") for name in cheaper),
    )
    title = "What the agent's provider bills, in input tokens; cheaper than full history"
    return (Table(title, columns, rows), _writes(outcomes), _sizes(outcomes), _check(outcomes))


def _writes(outcomes: Sequence[Outcome]) -> Table:
    """Return what writing MEMORY.md makes be paid again, by how long a provider keeps a prefix."""
    rows: list[tuple[Cell, ...]] = []
    for one in outcomes:
        hours = sum(map(active_hours, one.talks)) or 1.0
        ways = {
            "silence of 5 minutes": one.ways[Way.SECTION],
            "silence of an hour": one.late,
            "every window": one.ways[Way.EAGER],
        }
        for when, played in ways.items():
            for kept, kept_ms in KEPT.items():
                told = summed([bill(each.prompts, kept_ms) for each in played])
                only = one.bill(Way.COMPACTED, kept)
                shares = (
                    told.missed / only.billed,
                    told.section / only.billed,
                    told.billed / only.billed - 1,
                )
                figures = (told.writes, told.writes / hours, told.missed, *shares, told.steady_cached)
                rows.append((one.name, when, kept, *figures))
    names = ("conversations", "written after", "prefix kept", "writes", "an hour", "misses")
    more = ("of compaction only", "section itself", "whole bill", "cached between writes")
    forms = ("", "", "", "d", ".1f", ",.0f", ".2%", ".2%", "+.2%", ".1%")
    return Table("What the section's writes cost", tuple(map(Column, (*names, *more), forms)), rows)


def _sizes(outcomes: Sequence[Outcome]) -> Table:
    rows: list[tuple[Cell, ...]] = []
    for one in outcomes:
        said = sum(talk.tokens for talk in one.talks)
        played = one.ways[Way.SECTION]
        section, notes = sum(each.section for each in played), sum(each.notes for each in played)
        rows.append(
            (one.name, len(one.talks), said, notes, section, said / max(1, notes), said / max(1, section))
        )
    names = ("conversations", "n", "said", "noted", "in sections", "said / noted", "said / in sections")
    forms = ("", "d", ",d", ",d", ",d", ".1f", ".1f")
    return Table("Compression, in tokens, offline observer", tuple(map(Column, names, forms)), rows)


def _check(outcomes: Sequence[Outcome]) -> Table:
    """Return the replay beside what the provider of the real sessions counted."""
    rows: list[tuple[Cell, ...]] = []
    for one in outcomes:
        for talk, played in zip(one.talks, one.ways[Way.COMPACTED], strict=True):
            if talk.billed is not None:
                ours = bill(played.prompts, KEPT[USUAL])
                rows.append((talk.name, ours.prompt, talk.billed.prompt, ours.prompt / talk.billed.prompt,
                             ours.cached / ours.prompt, talk.billed.cached / talk.billed.prompt))  # fmt: skip
    names = (
        "session",
        "prompt tokens, replayed",
        "billed in truth",
        "ratio",
        "from cache, replayed",
        "in truth",
    )
    return Table(
        "The replay against what was really billed",
        tuple(map(Column, names, ("", ",d", ",d", ".3f", ".1%", ".1%"))),
        rows,
    )


def _details(outcomes: Sequence[Outcome]) -> tuple[Table, ...]:
    rows: list[tuple[Cell, ...]] = []
    for one in outcomes:
        for way, played in one.ways.items():
            for talk, each in zip(one.talks, played, strict=True):
                told = bill(each.prompts, KEPT[USUAL])
                rows.append((talk.name, way.value, *told))
    names = ("conversation", "prompts hold", *Bill._fields)
    forms = ("", "", ",d", ",d", ",.0f", ",.0f", "d", ",.0f", ",.0f", ".3f")
    return (Table("Each conversation", tuple(map(Column, names, forms)), rows),)


def _goals(outcomes: Sequence[Outcome]) -> tuple[Goal, ...]:
    goals = []
    for one in outcomes:
        for kept in KEPT:
            told, only = one.bill(Way.SECTION, kept), one.bill(Way.COMPACTED, kept)
            share, what = (
                told.missed / only.billed,
                f"{one.name}, prefix kept {kept}: writes, of compaction only",
            )
            goals.append(Goal(what, "<= 2 %", f"{share:.2%}", share <= MOST_WRITES))
        told, full, recent = map(one.bill, (Way.SECTION, Way.FULL, Way.RECENT))
        cached = told.steady_cached
        goals.append(
            Goal(f"{one.name}: cached between writes", ">= 95 %", f"{cached:.1%}", cached >= LEAST_CACHED)
        )
        # Like with like: a way that is cached is never held against one that is not.
        for name, way in (
            ("compaction + section, as it is", told),
            ("section + recent turns, which the product does not do yet", recent),
        ):
            bare, kept = full.uncached / way.uncached, full.billed / way.billed
            figures = f"{bare:.1f} times without a cache on either side, {kept:.1f} with one on both"
            is_met = min(bare, kept) >= LEAST_CHEAPER
            goals.append(
                Goal(f"{one.name}: cheaper than full history: {name}", ">= 5 times", figures, is_met)
            )
    return tuple(goals)


def _plots(outcomes: Sequence[Outcome]) -> tuple[Curves, ...]:
    if not outcomes:
        return ()
    one = outcomes[0]
    lines = {}
    for way in Way:
        prompts, talk = one.ways[way][0].prompts, one.talks[0]
        marks = [len(prompts) * part // 12 for part in range(1, 13)]
        said = [sum(step.said + step.answered for step in talk.steps[:at]) for at in marks]
        billed = [bill(prompts[:at], KEPT[USUAL]).billed for at in marks]
        lines[way.value] = [(float(x), y) for x, y in zip(said, billed, strict=True)]
    title = f"{one.talks[0].name}: billed so far, prefix kept {USUAL}"
    return (Curves(title, "tokens said", "input tokens", lines),)


# -- the observer itself ------------------------------------------------------------------------------------


def _observer(observed: Mapping[str, observer_cost.Sessions]) -> tuple[Table, Table]:
    rows: list[tuple[Cell, ...]] = []
    ratios = [(0.0, 0.0)]
    with counting("observers", len(observed)) as done:
        for name, sessions in observed.items():
            for observer, told in (
                ("scripted model", observer_cost.with_model(sessions)),
                ("offline", observer_cost.with_rules(sessions)),
            ):
                ratios.append((told.sent_share, told.answered_share))
                noted = max(1, told.noted)
                sent = (told.sent_share, told.reread_share, told.answered_share)
                made = (told.lines, told.window_tokens / noted, told.transcript / noted)
                rows.append((name, observer, told.transcript, told.windows, *sent, *made))
            done(doing=name)
    names = ("conversations", "observer", "transcript tokens", "windows", "sent / transcript")
    more = ("of it read once more", "answered / transcript", "lines", "window / noted", "transcript / noted")
    forms = ("", "", ",d", "d", ".2f", ".0%", ".3f", "d", ".1f", ".1f")
    columns = tuple(map(Column, (*names, *more), forms))
    table = Table("What an observer uses, and how much it condenses", columns, rows)
    return table, _dollars(observed, max(pair[0] for pair in ratios), max(pair[1] for pair in ratios))


def _sharing(chats: Sequence[Chat]) -> Table:
    rows: list[tuple[Cell, ...]] = []
    with counting("short conversations", len(chats)) as done:
        for told in observer_cost.sharing(chats):
            alone, shared = told.alone, told.shared
            rows.append((told.name, told.said, *alone, *shared, told.saved_share))
            done(doing=told.name)
    names = ("chat", "said", "questions alone", "sent alone", "lines alone", "questions", "sent", "lines")
    columns = tuple(map(Column, (*names, "saved"), ("", *[",d"] * 7, ".0%")))
    return Table("Short conversations in one question (scripted model, second readings in it)", columns, rows)


def _dollars(observed: Mapping[str, observer_cost.Sessions], sent: float, answered: float) -> Table:
    days = {name: tokens_a_day(said) for name, said in observed.items() if not name.startswith("BEAM")}
    if observed:
        days["a long day at work"] = BUSY_DAY_TOKENS
    bills = {name: day_bills(tokens * sent, tokens * answered) for name, tokens in days.items()}
    models = list(next(iter(bills.values()), {}))
    rows: list[tuple[Cell, ...]] = [
        (name, days[name], *(bills[name][model] for model in models)) for name in days
    ]
    columns = (
        Column("a day of"),
        Column("transcript tokens", ",d"),
        *(Column(model, ".4f") for model in models),
    )
    return Table("Dollars a day for a model as the observer, list prices, no discounts", columns, rows)


def _notes(terms: Terms) -> tuple[str, ...]:
    return (
        "Billed: input tokens at full price, a cached one as a tenth; answers are the same in every way and "
        f"left out, the summary of a compaction is in it at five times. Window {terms.window:,}, "
        f"{terms.reserve:,} left free, {terms.kept:,} kept by a compaction, {terms.fixed:,} of the host's "
        f"own in front, a section of {terms.budget_units:,} units, {terms.recent:,} to {2 * terms.recent:,} "
        f"recent tokens beside it. The first table is for a provider that keeps a prefix for {USUAL} after "
        "its last use. *Misses*: what is paid again because the section changed, and would have been served "
        "from the cache; *section itself*: its tokens in every prompt.",
        "*Silence of 5 minutes* is what the product does (rule 14; `idle_interval`): as long as the "
        "provider has forgotten the prefix by then, a write costs next to nothing. At one that keeps "
        "prefixes for an hour it does cost, and `idle_interval: 1h` is the remedy.",
        "What it does not show: no provider was asked, and providers drop prefixes earlier than they "
        "promise (see the replay against what was billed). BEAM's pauses are drawn by lot. Section + recent "
        "turns answers from less: `bench retention` says how much less. Writes that a person asks for are "
        "not in it.",
    )
