"""Ways to keep something of a conversation within a budget: the columns of `bench retention`.

Each way gives the lines of a section, and a search over what it can still reach besides. The simple ones and
the summariser read what the person said; their search is over the person's raw sentences, so that nobody
is denied one. The observers' is the product's, over what they noted.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from functools import lru_cache
from typing import NamedTuple

from bench.beam import Conversation, utf16_units
from bench.pipeline import Memory, reflected, section_lines
from bench.recalling import Recall, recall_among, recall_of
from scrimshaw.core.text.sentences import split_sentences
from scrimshaw.core.types import Role

DRAWS = 5  # of the sentences by lot, whose marks are averaged
_CUE = re.compile(
    r"\b(prefer|always|never|decid|deadline|finish|complet|increas|improv|updat|now|plan)\w*", re.IGNORECASE
)
_CODE = re.compile(r"```.*?(?:```|\Z)", re.DOTALL)

Observes = Callable[[Conversation], Memory]


class Way(NamedTuple):
    """One way: *keep* gives a section's lines for a budget and a seed."""

    keep: Callable[[Conversation, int, int], list[str]]
    recall: Callable[[Conversation], Recall]
    draws: int = 1
    has_budget: bool = True


def sentences_of(conversation: Conversation, roles: frozenset[Role]) -> list[str]:
    """Return every sentence of the messages of *roles*, code left out."""
    found: list[str] = []
    for _, entries in conversation.sessions:
        for entry in entries:
            if entry.role in roles:
                for line in _CODE.sub("\n", entry.text).split("\n"):
                    found += split_sentences(line.strip())
    return found


def user_sentences(conversation: Conversation) -> list[str]:
    """Return every sentence of the user's messages."""
    return sentences_of(conversation, frozenset((Role.USER,)))


def fill(sentences: list[str], budget: int) -> list[str]:
    """Return the first *sentences* that fit."""
    chosen, size = [], 0
    for sentence in sentences:
        cost = utf16_units(sentence) + 3
        if size + cost > budget:
            break
        chosen.append(sentence)
        size += cost
    return chosen


def last_text(conversation: Conversation, budget: int, _seed: int) -> list[str]:
    """Return the newest sentences."""
    return fill(user_sentences(conversation)[::-1], budget)


def first_text(conversation: Conversation, budget: int, _seed: int) -> list[str]:
    """Return the oldest sentences."""
    return fill(user_sentences(conversation), budget)


def random_text(conversation: Conversation, budget: int, seed: int) -> list[str]:
    """Return sentences by lot."""
    sentences = user_sentences(conversation)
    random.Random(f"{seed} {conversation.name}").shuffle(sentences)
    return fill(sentences, budget)


def simple_rule(conversation: Conversation, budget: int, _seed: int) -> list[str]:
    """Twenty lines: numbers and cue words, per length."""

    def worth(sentence: str) -> float:
        numbers = len(re.findall(r"\d[\d.,:]*", sentence))
        cues = len(_CUE.findall(sentence))
        self_said = bool(re.search(r"\b(I|my|we)\b", sentence))
        return (numbers + cues + self_said) / (len(sentence) + 60) - (0.005 if sentence.endswith("?") else 0)

    return fill(sorted(user_sentences(conversation), key=worth, reverse=True), budget)


def summary(conversation: Conversation, budget: int, _seed: int) -> list[str]:
    """Return the sentences that TextRank (the library summa, offline) holds for the most central."""
    return fill(_ranked(conversation), budget)


def all_user(conversation: Conversation, _budget: int, _seed: int) -> list[str]:
    """Return everything the user said, without a budget."""
    return user_sentences(conversation)


def all_said(conversation: Conversation, _budget: int, _seed: int) -> list[str]:
    """Return everything that either said, without a budget."""
    return sentences_of(conversation, frozenset((Role.USER, Role.ASSISTANT)))


@lru_cache(maxsize=64)
def _ranked(conversation: Conversation) -> list[str]:
    from summa.summarizer import summarize  # type: ignore[import-untyped]  # has no types

    # One sentence a line is what it takes for sentences; a ratio of 1 ranks them all.
    text = "\n".join(dict.fromkeys(user_sentences(conversation)))
    found = summarize(text, ratio=1.0, scores=True)
    return [sentence for sentence, _ in sorted(found, key=lambda pair: -pair[1])]


@lru_cache(maxsize=64)
def raw_recall(conversation: Conversation) -> Recall:
    """Return a search over the person's raw sentences."""
    return recall_among(user_sentences(conversation))


def by_observer(observes: Observes) -> Way:
    """Return the way of an observer: the section as the product writes it, the search the product's."""

    def keep(conversation: Conversation, budget: int, _seed: int) -> list[str]:
        return section_lines(observes(conversation), budget)

    return Way(keep, _recall_by(observes))


def everything_of(observes: Observes) -> Way:
    """Return every line the observer noted, without a budget."""

    def keep(conversation: Conversation, _budget: int, _seed: int) -> list[str]:
        return observes(conversation).texts()

    return Way(keep, _recall_by(observes), has_budget=False)


@lru_cache(maxsize=8)
def _recall_by(observes: Observes) -> Callable[[Conversation], Recall]:
    return lru_cache(maxsize=64)(lambda conversation: recall_of(observes(conversation)))


@lru_cache(maxsize=64)
def remember(conversation: Conversation) -> Memory:
    """Return what the offline observer makes of a conversation."""
    memory = Memory()
    for session, entries in conversation.sessions:
        memory.feed(session, entries)
    return memory


@lru_cache(maxsize=64)
def reflected_on(conversation: Conversation) -> Memory:
    """Return the same once the reflector has gone over it."""
    return reflected(remember(conversation))


WAYS: dict[str, Way] = {
    "last text": Way(last_text, raw_recall),
    "first text": Way(first_text, raw_recall),
    "random": Way(random_text, raw_recall, draws=DRAWS),
    "simple rule": Way(simple_rule, raw_recall),
    "summariser": Way(summary, raw_recall),
    "observer": by_observer(remember),
    "reflected": by_observer(reflected_on),
    "all lines": everything_of(remember),
    "all user text": Way(all_user, raw_recall, has_budget=False),
    "all text": Way(all_said, raw_recall, has_budget=False),
}
