"""What is known already: the live lines that a new statement may change, found by shared words.

An observer asks here which open item a report completes, which standing statement a newer one replaces, and
whether a line says nothing new. A word that few lines hold weighs more than one that many hold, identifiers
and numbers weigh most. Nothing here decides what is true. `KnownLines` is a class because its index lives as
long as a run.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from functools import lru_cache
from itertools import chain, islice
from typing import NamedTuple, TypeVar

from scrimshaw import data
from scrimshaw.core.text.normalize import marks, normal
from scrimshaw.core.text.sentences import without_question
from scrimshaw.core.types import Claim, Observation, Place

_WORD = re.compile(r"[^\W_][\w]*(?:[./:@#+-][\w]+)*")
_IDENTIFIER = re.compile(r"\d|_|/|[a-z][A-Z]|^[A-Z]{2,}")
_TICKET = re.compile(r"(?:[a-z]{2,10}-|#)\d+")
_SPACED_NAME = re.compile(r"\b[A-Z]{2,4} \d{2,5}\b")  # "AB 123", a thing's name in two words
_CONTRACTED = re.compile(
    r"\b(?:(?:i|you|we|they|he|she|it|that|there|who|what)['’](?:ve|ll|re|d|m)|\w+n['’]t)\b", re.IGNORECASE
)
_EAST = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]+")
_ORDINAL = re.compile(r"(\d+)(?:st|nd|rd|th)")
_STOP = frozenset(data.words("compare", "stop"))
_COMMON_SHARE = 0.2  # a word in more than this share of many lines says nothing
_MANY_LINES = 40
MAX_CANDIDATES = 400
_MAX_ALIKE = 60
WORDS_KEPT = 16_384  # the same few thousand words come again and again


_Key = TypeVar("_Key")


class Match(NamedTuple):
    """A live line and how much of the asked words' weight it holds, 0..1."""

    observation: Observation
    score: float
    shared: frozenset[str]


@lru_cache(maxsize=1024)
def content_words(text: str) -> frozenset[str]:
    """Return the words of *text* that carry its matter: lower case, plain plurals cut, stop words out."""
    bare = _CONTRACTED.sub(" ", text) if "'" in text or "’" in text else text
    found = set(_WORD.findall(bare))
    if not text.isascii():
        # Chinese and Japanese put no blanks between words: pairs of characters stand for them.
        found |= {run[at : at + 2] for run in _EAST.findall(bare) for at in range(max(1, len(run) - 1))}
        found = {word for word in found if len(word) <= 2 or not _EAST.search(word)}
    words = set(map(_matter, found))
    words.update(match.group().lower().replace(" ", "-") for match in _SPACED_NAME.finditer(text))
    return frozenset(words - {""})


@lru_cache(maxsize=WORDS_KEPT)
def _matter(word: str) -> str:
    """Return *word* as it is compared, "" for one that carries no matter."""
    lower = word.lower()
    if lower in _STOP or (len(lower) < 2 and not lower.isdigit()):
        return ""
    return stem(_ORDINAL.sub(r"\1", lower))


@lru_cache(maxsize=WORDS_KEPT)
def stem(word: str) -> str:
    """Return *word* without the endings that the same word takes in another sentence."""
    word = word.removesuffix("'s")
    if len(word) < 5 or not word.isalpha():
        return word
    for ending, rest in (("ies", "y"), ("sses", "ss"), ("ing", ""), ("ed", ""), ("es", "e"), ("s", "")):
        if word.endswith(ending) and len(word) - len(ending) >= 3 and not word.endswith("ss"):
            return (word[: -len(ending)] + rest).removesuffix("e")
    return word.removesuffix("e")


@lru_cache(maxsize=WORDS_KEPT)
def is_identifier(word: str) -> bool:
    """Tell whether *word* names one thing: it holds a digit, an underscore, a path or inner capitals."""
    return bool(_IDENTIFIER.search(word))


def is_ticket(word: str) -> bool:
    """Tell whether *word* is the name of one piece of work: letters, then a number ("abc-123", "#45")."""
    return bool(_TICKET.fullmatch(word))


class KnownLines:
    """The live lines an observer may refer to, found by the words they share with a text.

    No question walks through all lines: a backlog of years leaves tens of thousands, and each new
    statement asks several. Dictionaries without values stand for sets that keep the order lines came in.

    *total*: how many are live where *lines* are only those that share a word with what will be asked.
    """

    def __init__(self, lines: Iterable[Observation] = (), *, total: int = 0) -> None:
        self._total = total
        self._lines: dict[str, _Held] = {}
        self._holders: dict[str, dict[str, None]] = {}
        self._same_text: dict[str, dict[str, None]] = {}
        self._same_marks: dict[tuple[str, ...], dict[str, None]] = {}
        self._of_claim: dict[tuple[str, str], dict[str, None]] = {}
        for line in lines:
            self.add(line)

    def __len__(self) -> int:
        return len(self._lines)

    def add(self, observation: Observation) -> None:
        """Take *observation* as live; the same id again replaces the line it had."""
        self.close(observation.id)
        key, lower = observation.id, normal(observation.text)
        words = tuple(content_words(without_question(observation.text)))
        held = _Held(observation, words, lower, marks(observation.text, lower))
        self._lines[key] = held
        for word in held.words:
            self._holders.setdefault(word, {})[key] = None
        self._same_text.setdefault(lower, {})[key] = None
        self._same_marks.setdefault(held.marks, {})[key] = None
        if observation.claim is not None:
            self._of_claim.setdefault(_topic(observation.claim), {})[key] = None

    def keep_rank(self, observation: Observation) -> None:
        """Take *observation* for the live line of its id, which tells the same at another priority."""
        held = self._lines.get(observation.id)
        if held is not None:
            self._lines[observation.id] = held._replace(line=observation)

    def close(self, observation_id: str) -> None:
        """Forget a line that is no longer live; unknown ids are fine."""
        held = self._lines.pop(observation_id, None)
        if held is None:
            return
        for word in held.words:
            _take_out(self._holders, word, observation_id)
        _take_out(self._same_text, held.lower, observation_id)
        _take_out(self._same_marks, held.marks, observation_id)
        if held.line.claim is not None:
            _take_out(self._of_claim, _topic(held.line.claim), observation_id)

    def get(self, observation_id: str) -> Observation | None:
        """Return the live line of that id."""
        held = self._lines.get(observation_id)
        return held.line if held else None

    def lines(self) -> list[Observation]:
        """Return every live line, in the order they came."""
        return [held.line for held in self._lines.values()]

    def holds(self, word: str) -> bool:
        """Tell whether a live line holds *word* (as `content_words` gives it)."""
        return word in self._holders

    def how_many_hold(self, word: str) -> int:
        """Return how many live lines hold *word* (as `content_words` gives it)."""
        return len(self._holders.get(word, ()))

    def weight(self, word: str) -> float:
        """Return what sharing *word* is worth: rare words and identifiers more."""
        rarity = math.log(1 + max(self._total, len(self._lines)) / (1 + self.how_many_hold(word)))
        return (1.0 + rarity) * (2.0 if is_identifier(word) else 1.0)

    def similar(self, words: frozenset[str], *, place: Place | None = None) -> list[Match]:
        """Return the live lines that share *words*, best first."""
        lines = self._lines
        shared = {
            key: both
            for key, both in self._shared(words).items()
            if place is None or lines[key].line.place is place
        }
        weights = {word: self.weight(word) for word in words.union(*(lines[key].words for key in shared))}
        mine = math.fsum(map(weights.__getitem__, words))
        matches = []
        for key, both in shared.items():
            common = math.fsum(map(weights.__getitem__, both))
            theirs = math.fsum(map(weights.__getitem__, lines[key].words))
            matches.append(Match(lines[key].line, common / (min(mine, theirs) or 1.0), frozenset(both)))
        matches.sort(key=lambda match: (-match.score, match.observation.id))
        return matches

    def _shared(self, words: frozenset[str]) -> dict[str, set[str]]:
        """Return which of *words* the lines that hold the rarer of them hold."""
        total = max(self._total, len(self._lines))
        limit = total if total < _MANY_LINES else max(1, int(total * _COMMON_SHARE))
        shared: dict[str, set[str]] = {}
        for word in sorted(words, key=lambda item: (len(self._holders.get(item, ())), item)):
            holders = self._holders.get(word, {})
            if not holders or len(holders) > limit:
                continue
            # A common word adds its newest lines, or only counts for those that hold a rarer one too.
            found: Iterable[str] = islice(reversed(holders), MAX_CANDIDATES)
            if len(shared) > MAX_CANDIDATES:
                found = holders.keys() & shared.keys()
            for holder in found:
                shared.setdefault(holder, set()).add(word)
        return shared

    def alike(self, text: str, *, done: bool) -> dict[str, str]:
        """Return the lines that may say what *text* says, by id, each with its text made `normal`; few.

        Those that read the same, and those with the same marks that hold its longest words.
        """
        lower = normal(text)
        same_marks = self._same_marks.get(marks(text, lower), {})
        # A line that says the same shares nearly every word: its two longest, or the next two, find it.
        telling = sorted(content_words(text), key=lambda word: (len(word), word))
        found: Iterable[str] = self._same_text.get(lower, ())
        for pair in filter(None, (telling[-2:], telling[-4:-2])):
            found = chain(found, _in_all([same_marks, *(self._holders.get(word, {}) for word in pair)]))
        live = (key for key in found if self._lines[key].line.done == done)
        return {key: self._lines[key].lower for key in islice(live, _MAX_ALIKE)}

    def same(self, lower: str, *, done: bool) -> Observation | None:
        """Return the line that reads the same, word for word; *lower* is made `normal`."""
        lines = (self._lines[key].line for key in self._same_text.get(lower, ()))
        return next((line for line in lines if line.done == done), None)

    def with_claim(self, claim: Claim) -> list[Observation]:
        """Return the live lines that say something of the same subject and predicate."""
        return [self._lines[key].line for key in self._of_claim.get(_topic(claim), ())]


class _Held(NamedTuple):
    line: Observation
    words: tuple[str, ...]  # a set of them takes several times the room
    lower: str
    marks: tuple[str, ...]


def _in_all(sets: list[dict[str, None]]) -> Iterable[str]:
    """Return what is in all of *sets*, in the order of the smallest, found as it is asked for."""
    fewest, *others = sorted(sets, key=len)
    found: Iterable[str] = fewest
    for holders in others:
        found = filter(holders.__contains__, found)
    return found


def _topic(claim: Claim) -> tuple[str, str]:
    return claim.subject, claim.predicate


def _take_out(index: dict[_Key, dict[str, None]], key: _Key, observation_id: str) -> None:
    holders = index[key]
    del holders[observation_id]
    if not holders:
        del index[key]
