"""Ledgers of any size to search in, generated from a seed; words as common as those of a language.

A word's frequency falls with its rank (Zipf), because an index over evenly spread words would answer faster
than a real one. Questions are made of a line's words with question words around them, as people ask.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from itertools import accumulate
from typing import NamedTuple

from scrimshaw.core.ledger.observations import observation_id
from scrimshaw.core.types import Author, Kind, Observation, Place, Role
from scrimshaw.store.ledger import Ledger
from scrimshaw.store.records import Batch

BEGINS = datetime(2025, 1, 6, 9, tzinfo=UTC)
_DAYS = 300
_VOCABULARY = 30_000
_CONSONANTS, _VOWELS = "bdfgklmnprstv", "aeiou"
_SMALL = ("the", "a", "to", "of", "and", "in", "for", "on", "with", "is", "was", "at", "by", "from")
_BEFORE = ("What did I say about the", "When was the", "Which", "How did we decide on", "Do you remember the")
_BATCH = 5_000


class Vocabulary(NamedTuple):
    """Made-up words, the most frequent first, and their summed weights."""

    words: list[str]
    weights: list[float]


def vocabulary(seed: int) -> Vocabulary:
    """Return the words that lines are made of."""
    lot = random.Random(seed)
    parts = [one + other for one in _CONSONANTS for other in _VOWELS]
    found = list(
        dict.fromkeys(
            "".join(lot.choices(parts, k=lot.choice((2, 2, 3, 3, 4)))) for _ in range(3 * _VOCABULARY)
        )
    )
    words = found[:_VOCABULARY]
    return Vocabulary(words, list(accumulate(1 / (rank + 10) for rank in range(len(words)))))


def texts(count: int, seed: int) -> Iterator[str]:
    """Yield lines of 6 to 24 words."""
    lot = random.Random(seed + 1)
    known = vocabulary(seed)
    for _ in range(count):
        length = lot.randint(5, 20)
        words = lot.choices(known.words, cum_weights=known.weights, k=length)
        for _ in range(length // 4):
            words.insert(lot.randrange(len(words)), lot.choice(_SMALL))
        yield f"{' '.join(words).capitalize()} {lot.randint(2, 9_999)}"


def questions(count: int, seed: int, among: list[str]) -> list[str]:
    """Return questions about some of the lines *among*."""
    lot = random.Random(seed + 2)
    asked = []
    for _ in range(count):
        words = lot.choice(among).lower().split()
        chosen = lot.sample(words, k=min(len(words), lot.randint(3, 6)))
        asked.append(f"{lot.choice(_BEFORE)} {' '.join(chosen)}?")
    return asked


def fill(ledger: Ledger, lines: Iterator[str], count: int) -> None:
    """Accept *lines*, of which there are *count*, spread over 300 days."""
    batch: list[Observation] = []
    for number, text in enumerate(lines):
        batch.append(observation(number, text, BEGINS + timedelta(days=_DAYS * number / count)))
        if len(batch) == _BATCH:
            _accept(ledger, batch)
            batch = []
    _accept(ledger, batch)


def observation(number: int, text: str, said: datetime) -> Observation:
    session, sources = f"session-{number // 40}", (f"entry-{number}",)
    return Observation(
        id=observation_id(session, sources, text),
        text=text,
        kind=list(Kind)[number % len(Kind)],
        priority=1 + number % 5,
        place=Place.LOG,
        done=False,
        author=Author.RULES,
        session_id=session,
        sources=sources,
        speaker=Role.USER,
        said_at_ms=int(said.timestamp() * 1000),
        local_date=said.date().isoformat(),
        local_time=said.strftime("%H:%M"),
        zone="UTC",
        run_id="bench",
        tokens=len(text) // 4,
    )


def _accept(ledger: Ledger, batch: list[Observation]) -> None:
    if batch:
        ledger.accept(Batch(run_id="bench", at_ms=batch[-1].said_at_ms, observations=tuple(batch)))
