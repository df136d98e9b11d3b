"""What is known already: the live lines that a new statement may change.

An observer asks here which open item a report completes, which standing statement a newer one
replaces, and whether a line says nothing new. The answer is by weight of shared words: a word that
few lines hold counts more than one that many hold, identifiers and numbers count most. Lines come
in as the ledger has accepted them; nothing here decides what is true.

A class, because its index lives as long as a run. No I/O, no clock.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from functools import lru_cache
from typing import NamedTuple

from scrimshaw.core.model import Claim, Kind, Observation, Place

_WORD = re.compile(r"[^\W_][\w]*(?:[./:@#+-][\w]+)*")
_IDENTIFIER = re.compile(r"\d|_|/|[a-z][A-Z]|^[A-Z]{2,}")
_TICKET = re.compile(r"(?:[a-z]{2,10}-|#)\d+")
_SPACED_NAME = re.compile(r"\b[A-Z]{2,4} \d{2,5}\b")  # "AB 123", a thing's name in two words
_ORDINAL = re.compile(r"(\d+)(?:st|nd|rd|th)")
_STOP_WORDS = """
    a about above after again against all already also always am an and any are aren't as at be because
    been before being below between both but by can can't cannot could did didn't do does doesn't doing
    don't down during each ever every few for from further get gets getting go goes going got had has
    have haven't having he her here hers him his how i i'd i'll i'm i've if in into is isn't it it's its
    itself just let let's like make makes me more most much must my myself need needs never no nor not
    now of off ok okay on once one only or other our ours out over own please really same shall she
    should so some still such than that that's the their them then there these they they're this those
    though through to today too under until up us use used using very want wants was we we'll we're were
    what when where which while who whom why will with would yes yet you your yours
"""
_STOP = frozenset(_STOP_WORDS.split())
_COMMON_SHARE = 0.2  # a word in more than this share of many lines says nothing
_MANY_LINES = 40
MAX_CANDIDATES = 400


class Match(NamedTuple):
    """A live line and how much of the asked words' weight it holds, 0..1."""

    observation: Observation
    score: float
    shared: frozenset[str]


@lru_cache(maxsize=8192)
def content_words(text: str) -> frozenset[str]:
    """Return the words of *text* that carry its matter: lower case, plain plurals cut, stop words out."""
    words: set[str] = set()
    for match in _WORD.finditer(text):
        word = match.group().lower()
        if word in _STOP or (len(word) < 2 and not word.isdigit()):
            continue
        words.add(stem(_ORDINAL.sub(r"\1", word)))
    words.update(match.group().lower().replace(" ", "-") for match in _SPACED_NAME.finditer(text))
    return frozenset(words)


def stem(word: str) -> str:
    """Return *word* without the endings that the same word takes in another sentence."""
    word = word.removesuffix("'s")
    if len(word) < 5 or not word.isalpha():
        return word
    for ending, rest in (("ies", "y"), ("sses", "ss"), ("ing", ""), ("ed", ""), ("es", "e"), ("s", "")):
        if word.endswith(ending) and len(word) - len(ending) >= 3 and not word.endswith("ss"):
            return (word[: -len(ending)] + rest).removesuffix("e")
    return word.removesuffix("e")


def is_identifier(word: str) -> bool:
    """Tell whether *word* names one thing: it holds a digit, an underscore, a path or inner capitals."""
    return bool(_IDENTIFIER.search(word))


def is_ticket(word: str) -> bool:
    """Tell whether *word* is the name of one piece of work: letters, then a number ("abc-123", "#45")."""
    return bool(_TICKET.fullmatch(word))


class Known:
    """The live lines an observer may refer to, found by the words they share with a text."""

    def __init__(self, lines: Iterable[Observation] = ()) -> None:
        self._lines: dict[str, Observation] = {}
        self._words: dict[str, frozenset[str]] = {}
        self._holders: dict[str, set[str]] = {}
        for line in lines:
            self.add(line)

    def __len__(self) -> int:
        return len(self._lines)

    def add(self, observation: Observation) -> None:
        """Take *observation* as live; the same id again replaces the line it had."""
        self.close(observation.id)
        words = content_words(observation.text)
        self._lines[observation.id] = observation
        self._words[observation.id] = words
        for word in words:
            self._holders.setdefault(word, set()).add(observation.id)

    def close(self, observation_id: str) -> None:
        """Forget a line that is no longer live; unknown ids are fine."""
        if self._lines.pop(observation_id, None) is None:
            return
        for word in self._words.pop(observation_id):
            holders = self._holders[word]
            holders.discard(observation_id)
            if not holders:
                del self._holders[word]

    def get(self, observation_id: str) -> Observation | None:
        """Return the live line of that id."""
        return self._lines.get(observation_id)

    def lines(self) -> list[Observation]:
        """Return every live line, in the order they came."""
        return list(self._lines.values())

    def open_items(self) -> list[Observation]:
        """Return the live lines that wait for an outcome."""
        return [line for line in self._lines.values() if line.place is Place.OPEN]

    def holds(self, word: str) -> bool:
        """Tell whether a live line holds *word* (as `content_words` gives it)."""
        return word in self._holders

    def weight(self, word: str) -> float:
        """Return what sharing *word* is worth: rare words and identifiers more."""
        rarity = math.log(1 + len(self._lines) / (1 + len(self._holders.get(word, ()))))
        return (1.0 + rarity) * (2.0 if is_identifier(word) else 1.0)

    def similar(
        self, words: frozenset[str], *, kinds: frozenset[Kind] | None = None, place: Place | None = None
    ) -> list[Match]:
        """Return the live lines that share *words*, best first."""
        total = len(self._lines)
        limit = total if total < _MANY_LINES else max(1, int(total * _COMMON_SHARE))
        shared: dict[str, set[str]] = {}
        for word in sorted(words, key=lambda item: (len(self._holders.get(item, ())), item)):
            holders = self._holders.get(word, set())
            if not holders or len(holders) > limit:
                continue
            if len(shared) > MAX_CANDIDATES:
                holders = holders & shared.keys()
            for holder in holders:
                shared.setdefault(holder, set()).add(word)
        matches = [
            Match(self._lines[key], self._score(words, key, both), frozenset(both))
            for key, both in shared.items()
            if (kinds is None or self._lines[key].kind in kinds)
            and (place is None or self._lines[key].place is place)
        ]
        matches.sort(key=lambda match: (-match.score, match.observation.id))
        return matches

    def sharing(self, words: frozenset[str]) -> list[Observation]:
        """Return the live lines that hold all of *words*; none for no words."""
        holders = [self._holders.get(word, set()) for word in words]
        return [self._lines[key] for key in sorted(set.intersection(*holders))] if holders else []

    def with_claim(self, claim: Claim) -> list[Observation]:
        """Return the live lines that say something of the same subject and predicate."""
        wanted = (claim.subject, claim.predicate)
        return [
            line
            for line in self._lines.values()
            if line.claim is not None and (line.claim.subject, line.claim.predicate) == wanted
        ]

    def _score(self, words: frozenset[str], key: str, both: set[str]) -> float:
        common = sum(self.weight(word) for word in both)
        mine = sum(self.weight(word) for word in words)
        theirs = sum(self.weight(word) for word in self._words[key])
        return common / (min(mine, theirs) or 1.0)
