"""Tell where a report leaves a plan open: it tells of a part of it, of another thing, or asserts nothing.

Of two things one may be done, of many times one, of twelve chapters the first. What is tried, wanted, dreamt
or said to be so by another is not done either. Such a report may stand behind the plan, and closes nothing.
"""

from __future__ import annotations

import re
from functools import cache, lru_cache
from itertools import takewhile

from scrimshaw.core.extraction.change_features import NOTED_DATE, fold, shared_words, taken_apart
from scrimshaw.core.extraction.personal_statements import is_of_another
from scrimshaw.core.language import PatternTable
from scrimshaw.core.search.tongue import SMALL, small_elsewhere
from scrimshaw.core.text import entities
from scrimshaw.core.types import FOLLOWED

partly = PatternTable("partly_done")
regular = PatternTable("regular")
_CLAUSE = re.compile(r"[,;:.!]\s+")
_MOST_OF_THING = 3  # words
_HEAD = 5  # words of a clause, in which stands who says it
_WORD = re.compile(r"[^\W_][\w-]*")


def leaves_open(now: str, before: str) -> bool:
    """Tell whether *now*, a report, leaves the plan *before* open as far as its words tell."""
    if is_unsettled(now) or is_one_time(now, before) or is_of_part(now, before):
        return True
    return is_done_to_another(now, before.split(FOLLOWED, 1)[0])


@lru_cache(maxsize=1024)
def is_unsettled(text: str) -> bool:
    """Tell whether *text* reports what is begun, tried, wanted, imagined or another's word."""
    told = (partly.HALF_DONE, *partly.each("UNSETTLED"))
    # "They gave us stand 34, as they said" is one's own word.
    head = " ".join(_CLAUSE.split(text, maxsplit=1)[0].split()[:_HEAD])
    is_heard = is_of_another(head) and not is_of_another(head.split(" ", 1)[0])  # "Told the landlord"
    return is_heard or any(one.search(text) for one in told)


def is_negated(text: str) -> bool:
    """Tell whether something in *text* is denied: "the parcel was not there"."""
    return partly.NEGATED.search(text) is not None


def is_one_time(now: str, before: str) -> bool:
    """Tell whether *before* is done over and over, and *now* tells of one time."""
    return is_regular(before) and not is_regular(now)


def is_regular(text: str) -> bool:
    """Tell whether *text* tells what is so each time: "every Tuesday", "dienstags", "los sábados"."""
    return any(one.search(text) for one in (partly.EACH_TIME, *regular.each("EACH_TIME")))


def changes_amount(text: str) -> bool:
    """Tell whether *text* says what is paid each time from a later day on: "480 rent from April"."""
    return any(one.search(text) for one in regular.each("AMOUNT_FROM_THEN"))


def is_of_part(now: str, before: str) -> bool:
    """Tell whether *now* tells of one of the two or more things of the plan *before*."""
    plan, *told = before.split(FOLLOWED)
    if partly.ORDINAL.search(now) and not partly.ORDINAL.search(plan):
        return True
    said = " ".join((now, *told))  # the other thing may have been told before
    return _is_of_one_of_two(said, plan) or _is_of_fewer(said, plan)


def _is_of_one_of_two(now: str, plan: str) -> bool:
    """Tell whether *now* names only one of two things that stand beside each other: "fence and shed"."""
    for hit in partly.BESIDE.finditer(plan):
        behind, ahead = _WORD.findall(plan[hit.end() :]), _WORD.findall(plan[: hit.start()])
        pair = [next(filter(_names, words), "") for words in (behind, reversed(ahead))]
        if all(pair) and [_is_in(now, word) for word in pair].count(True) == 1:
            return True
    return False


@cache
def _small() -> frozenset[str]:
    return SMALL | small_elsewhere()


def _names(word: str) -> bool:
    return fold(word) not in _small()


def _is_in(text: str, word: str) -> bool:
    if any(map(str.isdigit, word)):
        return word.lower() in text.lower()
    return bool(shared_words(taken_apart(text).words, taken_apart(word).words)[0])


def _is_of_fewer(now: str, plan: str) -> bool:
    """Tell whether both count something, and *now* has another figure: "12 chapters", "chapter 1"."""
    mine, theirs = (
        taken_apart(entities.without_days(NOTED_DATE.sub("", one))).figures for one in (now, plan)
    )
    return bool(mine and theirs) and mine.isdisjoint(theirs)


def without_acts(text: str) -> str:
    """Return *text* without what is done to a thing that it names: "passport before the trip"."""
    return partly.DONE_TO.cut(text, " ")


def is_done_to_another(now: str, plan: str) -> bool:
    """Tell whether both do the same, each to its own thing: "book the venue", "booked the DJ"."""
    acts, planned = _acts(now), _acts(plan)
    alike = [
        (things, others)
        for act, things in acts
        for other, others in planned
        if shared_words(frozenset((act,)), frozenset((other,)))[0]
    ]
    return bool(alike) and not any(shared_words(things, others)[0] for things, others in alike)


@lru_cache(maxsize=1024)
def _acts(text: str) -> list[tuple[str, frozenset[str]]]:
    """Return the words of *text* before "the" or "my", each with what follows: what is done to what."""
    found = []
    for hit in partly.DONE_TO.finditer(text):
        behind = _WORD.findall(text[hit.end() :])[:_MOST_OF_THING]
        things = frozenset(map(fold, takewhile(_names, behind)))
        if things and _names(hit.group("act")):
            found.append((fold(hit.group("act")), things))
    return found
