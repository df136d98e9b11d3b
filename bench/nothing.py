"""When nothing answers, is nothing brought? Part of `python -m bench retrieval`.

A question about one conversation is asked of those of other people, where nothing can answer it (one that has
an answer there by chance counts against us), and every question of its own: what the floor
(core/search/relevance) costs. Its constants were chosen while looking at LoCoMo; REALTALK was only measured.
"""

from __future__ import annotations

import statistics
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from bench import progress
from bench.peers.ours import ByMeaning, ByWords
from bench.peers.system import HYBRID, LEXICAL
from bench.questions import Corpus
from bench.report import Column, Goal, Table
from scrimshaw.core.search.fusion import Ranked
from scrimshaw.services.search.meanings import Meaning
from scrimshaw.services.search.search import ranked, standing_out

if TYPE_CHECKING:
    from scrimshaw.index.embedding import Embedder
    from scrimshaw.index.words import Words

SHOWN = 10
_LEAST_SHARE, _MOST_POINTS = 0.9, 2.0


class Found(NamedTuple):
    """What came of asking one corpus."""

    nothing: tuple[bool, ...]  # for each strange question: whether nothing was brought
    before: tuple[bool, ...]  # of its own questions: a right answer among the first ten, without the floor
    after: tuple[bool, ...]


def table(sets: Mapping[str, Sequence[Corpus]], systems: Sequence[str], shared: Path) -> Table:
    """Return a row for each of *sets* and each of *systems* that has a floor."""
    columns = (
        Column("system"),
        Column("conversations"),
        Column("strange questions", ",d"),
        Column("nothing", ".3f"),
        Column("own", ",d"),
        Column("any@10", ".3f"),
        Column("with the floor", ".3f"),
        Column("points lost", ".1f"),
    )
    rows = [
        _row(system, name, _found(system, corpora, shared))
        for name, corpora in sets.items()
        for system in systems
        if system in (LEXICAL, HYBRID) and len(corpora) > 1
    ]
    return Table("Questions that another conversation answers, and the conversation's own", columns, rows)


def goals(found: Table) -> list[Goal]:
    """Return what was aimed at."""
    made = []
    for system, name, _, nothing, _, _, _, lost in found.rows:
        share, points = float(nothing or 0), float(lost or 0)
        made.append(
            Goal(
                f"{system}, {name}: nothing where nothing answers, and points of any@10 lost",
                f"≥ {_LEAST_SHARE}, ≤ {_MOST_POINTS:g}",
                f"{share:.3f}, {points:.1f}",
                share >= _LEAST_SHARE and points <= _MOST_POINTS,
            )
        )
    return made


def _row(system: str, name: str, found: Sequence[Found]) -> tuple[str | float | int, ...]:
    nothing, before, after = ([each for one in found for each in one[part]] for part in range(3))
    means = statistics.fmean(before), statistics.fmean(after)
    lost = 100 * (means[0] - means[1])
    return system, name, len(nothing), statistics.fmean(nothing), len(before), *means, lost


def _found(system: str, corpora: Sequence[Corpus], shared: Path) -> list[Found]:
    by_words, by_meaning = ByWords(), ByMeaning(shared) if system == HYBRID else None
    model = _Once(by_meaning.embedder) if by_meaning else None
    made = []
    for corpus in progress.track(list(corpora), system):
        by_words.build(corpus.texts)
        meaning: Meaning | None = None
        if by_meaning and model:
            by_meaning.build(corpus.texts)
            meaning = Meaning(by_meaning.meaning.vectors, model)
        search = partial(ranked, words=by_words.words, meaning=meaning)
        made.append(_asked(corpus, corpora, search, by_words.words))
    return made


class _Once:
    """A model that embeds a question once, though it is asked of every conversation."""

    def __init__(self, model: Embedder) -> None:
        self.name, self.dimensions, self.embed = model.name, model.dimensions, model.embed
        self.embed_query = lru_cache(maxsize=None)(model.embed_query)


def _asked(
    corpus: Corpus, corpora: Sequence[Corpus], search: Callable[[str], list[Ranked]], words: Words
) -> Found:
    texts = dict(enumerate(corpus.texts, start=1))

    def kept(question: str, found: Sequence[Ranked]) -> set[int]:
        return standing_out(question, [(one.key, one.semantic) for one in found], texts, words)

    others = [one for one in corpora if one is not corpus and not one.people & corpus.people]
    strange = [question.text for other in others for question in other.questions]
    nothing = tuple(not kept(question, search(question)[:SHOWN]) for question in strange)
    before, after = [], []
    for question in corpus.questions:
        gold, found = {place + 1 for place in question.gold}, search(question.text)[:SHOWN]
        before.append(not gold.isdisjoint(one.key for one in found))
        after.append(not gold.isdisjoint(kept(question.text, found)))
    return Found(nothing, tuple(before), tuple(after))
