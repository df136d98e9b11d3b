"""How well a search finds what answers a question, beside other ways to search (`python -m bench retrieval`).

Sets: LoCoMo (turns, sessions, and its own observations), LongMemEval with its own measures, BEAM's messages,
and our notes asked for in other words. Columns are k = 1, 5, 10, 20. Each system runs in a process of its
own; build time, query time and memory are of all sets together. The systems' constants are the same
everywhere.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from bench import material, nothing, progress, scoring, varying
from bench.contest import Answer, Ranking, Task, ask
from bench.peers.system import DEEP, HYBRID, LEXICAL, SEMANTIC, Entrant, entrants
from bench.plots import Bars, Plot
from bench.questions import Corpus, Reworded, beam, locomo, locomo_notes, longmemeval, paraphrases, realtalk
from bench.report import Column, Goal, Report, Table, options, publish
from bench.scoring import Measure

AT = (1, 5, 10, 20)
TURNS, NOTES, LONG, BEAM = "LoCoMo", "LoCoMo's observations", "LongMemEval", "BEAM"
REAL = "REALTALK"
REWORDED, FOREIGN = "Reworded", "Reworded, no word kept"
_REMARKS = (
    "Not shown: whether an answer can be made from what is found. LoCoMo's evidence is as its authors "
    "marked it; turns that would do as well count as wrong. Every figure is of a warm call over some "
    "hundred texts; bench recall has larger stores. Texts follow each other as they were said, which our "
    "order uses and the others' do not. The reworded notes are by the authors of this bench. Constants "
    "were chosen while looking at these sets.",
)

Sets = dict[str, list[Corpus]]
Answers = Mapping[str, Answer]


class Level(NamedTuple):
    """A table: a set, what is counted, and whether by text or by session."""

    title: str
    of: str
    measure: Measure
    is_of_sessions: bool = False


LEVELS = (
    Level("LoCoMo, turns: any@k", TURNS, scoring.any_at),
    Level("LoCoMo, turns: recall@k", TURNS, scoring.recall_at),
    Level("LoCoMo, turns: NDCG@k", TURNS, scoring.ndcg_at),
    Level("LoCoMo, sessions: any@k", TURNS, scoring.any_at, is_of_sessions=True),
    Level("LoCoMo, sessions: recall@k", TURNS, scoring.recall_at, is_of_sessions=True),
    Level("LoCoMo, sessions: NDCG@k", TURNS, scoring.ndcg_at, is_of_sessions=True),
    Level("LoCoMo's observations: any@k", NOTES, scoring.any_at),
    Level("LongMemEval, user turns: recall_any@k", LONG, scoring.any_at),
    Level("LongMemEval, user turns: recall_all@k", LONG, scoring.all_at),
    Level("LongMemEval, user turns: ndcg_any@k", LONG, scoring.longmemeval_ndcg_at),
    Level("LongMemEval, sessions: recall_any@k", LONG, scoring.any_at, is_of_sessions=True),
    Level("LongMemEval, sessions: recall_all@k", LONG, scoring.all_at, is_of_sessions=True),
    Level("LongMemEval, sessions: ndcg_any@k", LONG, scoring.longmemeval_ndcg_at, is_of_sessions=True),
    Level("BEAM, user messages: any@k", BEAM, scoring.any_at),
    Level("Reworded, a word or name kept: any@k", REWORDED, scoring.any_at),
    Level("Reworded, no word kept, other notes have them: any@k", FOREIGN, scoring.any_at),
)


def main(arguments: list[str]) -> int:
    """Run every system over every set that is there."""
    given = _parser().parse_args(arguments)
    sets, skipped = _sets(given)
    if given.vary:
        with _shared(given) as folder:
            return publish(Report("retrieval", (varying.table(sets, folder),), skipped=skipped), given)
    every = entrants(given.model, deep=given.deep)
    wanted = [one for one in every if not given.only or any(part in one.name for part in given.only)]
    with _shared(given) as folder:
        answers, absent = _answers(wanted, sets, given, folder) if sets else ({}, ())
        apart = {**{name: sets[name] for name in (TURNS, NOTES) if name in sets}, **_real(given)}
        strange = nothing.table(apart, [*answers], folder)
    return publish(_report(sets, answers, wanted, skipped + absent, strange, given), given)


def _parser() -> argparse.ArgumentParser:
    parser = options("retrieval", __doc__)
    parser.add_argument("--sets", nargs="+", default=[], help="only sets whose name begins so")
    parser.add_argument("--only", nargs="+", default=[], help="only systems whose name has this in it")
    parser.add_argument("--deep", action="store_true", help="also with the first hits read again (minutes)")
    parser.add_argument(
        "--model", action="append", default=[], help="also this embedding model: a folder, or ollama/NAME"
    )
    parser.add_argument("--beam-size", default="100K", help="BEAM's conversations of this size")
    parser.add_argument(
        "--conversations", nargs="+", default=[], help="only LoCoMo conversations of these names"
    )
    parser.add_argument("--vary", action="store_true", help="instead: what each constant of the order does")
    parser.add_argument("--keep", type=Path, help="keep the texts' vectors in this folder, for the next run")
    return parser


def _sets(given: argparse.Namespace) -> tuple[Sets, tuple[str, ...]]:
    found = material.find(given.data)
    talks, haystacks, chats = found.locomo()[:1], found.longmemeval()[:1], found.beam(given.beam_size)
    sets: Sets = {
        TURNS: _named([one for path in talks for one in locomo(path)], given.conversations),
        NOTES: _named([one for path in talks for one in locomo_notes(path)], given.conversations),
        LONG: [one for path in haystacks for one in longmemeval(path)],
        BEAM: beam(chats),
        REWORDED: paraphrases(Reworded.KEEPS_A_WORD, given.seed),
        FOREIGN: paraphrases(Reworded.KEEPS_NONE, given.seed),
    }
    skipped = tuple(f"{name}: not in {found.place.name}" for name, corpora in sets.items() if not corpora)
    chosen = {
        name: corpora
        for name, corpora in sets.items()
        if corpora and (not given.sets or name.startswith(tuple(given.sets)))
    }
    return chosen, skipped


def _real(given: argparse.Namespace) -> Sets:
    """Return what nothing was chosen on, for the floor alone."""
    is_wanted = not given.sets or REAL.startswith(tuple(given.sets))
    chats = realtalk(material.find(given.data).realtalk()) if is_wanted else []
    return {REAL: chats} if chats else {}


def _named(corpora: list[Corpus], names: Sequence[str]) -> list[Corpus]:
    return [one for one in corpora if not names or one.name in names]


def _answers(
    wanted: Sequence[Entrant], sets: Sets, given: argparse.Namespace, folder: Path
) -> tuple[dict[str, Answer], tuple[str, ...]]:
    answers: dict[str, Answer] = {}
    absent = []
    with progress.counting("retrieval", len(wanted)) as done:
        for one in wanted:
            done(0, doing=one.name)
            answer = ask(Task(one.name, tuple(given.model), given.deep, folder), sets)
            if isinstance(answer, Answer):
                answers[one.name] = answer
            else:
                absent.append(f"{one.name}: {answer}")
            done(doing=one.name)
    return answers, tuple(absent)


@contextmanager
def _shared(given: argparse.Namespace) -> Iterator[Path]:
    """Give the folder in which the systems of this run share what a model made of the texts."""
    if given.keep:
        given.keep.mkdir(parents=True, exist_ok=True)
        yield given.keep
        return
    with tempfile.TemporaryDirectory(prefix="bench-") as folder:
        yield Path(folder)


def _report(
    sets: Sets,
    answers: Answers,
    wanted: Sequence[Entrant],
    skipped: tuple[str, ...],
    strange: Table,
    given: argparse.Namespace,
) -> Report:
    tables = [_table(level, sets, answers) for level in LEVELS if level.of in sets]
    tables += [_each(sets[name], name, answers, given.seed) for name in (TURNS, NOTES, BEAM) if name in sets]
    tables += [strange, _costs(answers)]
    packages = dict.fromkeys(package for one in wanted for package in one.packages)
    return Report(
        "retrieval",
        tuple(tables),
        _plots(sets, answers),
        (*_goals(sets, answers), *nothing.goals(strange)),
        _REMARKS,
        skipped,
        tuple(packages),
    )


def _values(level: Level, corpora: Sequence[Corpus], rankings: Sequence[Ranking], k: int) -> list[float]:
    """Return a value for each question."""
    values = []
    for corpus, ranking in zip(corpora, rankings, strict=True):
        for question, places in zip(corpus.questions, ranking.places, strict=True):
            if level.is_of_sessions:
                gold = {corpus.sessions[place] for place in question.gold}
                values.append(level.measure(scoring.by_session(places, corpus.sessions), gold, k))
            else:
                values.append(level.measure(places, question.gold, k))
    return values


def _mean(level: Level, sets: Sets, answer: Answer, k: int) -> float:
    return statistics.fmean(_values(level, sets[level.of], answer.rankings[level.of], k))


def _table(level: Level, sets: Sets, answers: Answers) -> Table:
    asked = sum(len(one.questions) for one in sets[level.of])
    columns = (Column("system"), *(Column(f"@{k}", ".3f") for k in AT))
    rows: list[tuple[str | float, ...]] = [
        (name, *(_mean(level, sets, answer, k) for k in AT)) for name, answer in answers.items()
    ]
    return Table(f"{level.title} ({asked} questions)", columns, list(rows))


def _each(corpora: Sequence[Corpus], name: str, answers: Answers, seed: int) -> Table:
    """Return any@10 with its interval, and conversation by conversation: is it the same everywhere?"""
    level = Level("", name, scoring.any_at)
    columns = (
        Column("system"),
        Column("any@10", ".3f"),
        Column("from", ".3f"),
        Column("to", ".3f"),
        Column("MRR", ".3f"),
        *(Column(corpus.name, ".2f") for corpus in corpora),
    )
    rows: list[tuple[str | float, ...]] = []
    for system, answer in answers.items():
        rankings = answer.rankings[name]
        values = _values(level, corpora, rankings, 10)
        ranks = _values(
            Level("", name, lambda places, gold, _: scoring.reciprocal_rank(places, gold)),
            corpora,
            rankings,
            0,
        )
        each = [
            statistics.fmean(_values(level, [one], [ranking], 10))
            for one, ranking in zip(corpora, rankings, strict=True)
        ]
        interval = scoring.interval(values, seed)
        rows.append((system, statistics.fmean(values), *interval, statistics.fmean(ranks), *each))
    return Table(f"{name}: any@10, its 95 % interval, and each conversation", columns, list(rows))


def _costs(answers: Answers) -> Table:
    columns = (
        Column("system"),
        Column("texts", ",d"),
        Column("build s", ".1f"),
        Column("ms a text", ".2f"),
        Column("query ms", ".2f"),
        Column("p95 ms", ".2f"),
        Column("MB", ".0f"),
    )
    rows: list[tuple[str | int | float | None, ...]] = []
    for name, one in answers.items():
        times = sorted(one.query_ms)
        rows.append(
            (
                name,
                one.texts,
                one.build_seconds,
                one.build_seconds * 1000 / one.texts,
                statistics.median(times),
                times[int(len(times) * 0.95)],
                one.grown_mb,
            )
        )
    return Table("What it costs (MB: beyond a bare process)", columns, list(rows))


def _plots(sets: Sets, answers: Answers) -> tuple[Plot, ...]:
    if TURNS not in sets or not answers:
        return ()
    level = LEVELS[0]
    bars = {name: round(_mean(level, sets, answer, 10), 3) for name, answer in answers.items()}
    return (Bars("LoCoMo, turns", "any@10", bars, goal=0.76),)


def _goals(sets: Sets, answers: Answers) -> tuple[Goal, ...]:
    goals = []

    def at_least(system: str, level: Level, k: int, least: float) -> None:
        if level.of in sets and system in answers:
            found = _mean(level, sets, answers[system], k)
            what = f"{system}, {level.title.replace('@k', f'@{k}')}"
            goals.append(Goal(what, f"≥ {least}", f"{found:.3f}", found >= least))

    at_least(LEXICAL, LEVELS[0], 10, 0.69)
    at_least(HYBRID, LEVELS[0], 10, 0.76)
    at_least(DEEP, LEVELS[0], 10, 0.80)
    at_least(HYBRID, LEVELS[3], 5, 0.91)
    if REWORDED in sets and {LEXICAL, SEMANTIC, HYBRID} <= answers.keys():
        level = next(one for one in LEVELS if one.of == REWORDED)
        words, meaning, both = (
            _mean(level, sets, answers[system], 1) for system in (LEXICAL, SEMANTIC, HYBRID)
        )
        title = f"{level.title.replace('@k', '@1')}:"
        goals.append(
            Goal(f"{title} meaning beats words", f"> {words:.3f}", f"{meaning:.3f}", meaning > words)
        )
        goals.append(Goal(f"{title} both beat either", f"> {meaning:.3f}", f"{both:.3f}", both > meaning))
    return tuple(goals)
