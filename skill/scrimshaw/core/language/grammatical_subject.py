"""Of whom a statement tells: its grammatical subject, by form, and whether two statements have the same.

"I'm allergic" and "Theo is no longer allergic" share all but the subject, and that is what counts: another's
recovery changes nothing for oneself. The subject stands before the verb, in the clause that says what has
changed. It is oneself, a name, or another noun; where it cannot be told, the two have not the same.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from enum import Enum
from functools import lru_cache
from itertools import takewhile
from typing import NamedTuple

from scrimshaw.core.language.patterns import PatternTable
from scrimshaw.core.ledger.known_lines import content_words
from scrimshaw.data import words


class SubjectSort(Enum):
    """What a subject is."""

    NONE = "not said"  # "No longer vegetarian", "Trabajo en Siemens"
    SELF = "oneself"
    NAMED = "a name"
    NOUN = "a noun"  # "my cat", "the neighbour's boy", "the rent"
    POINTED = "it"
    UNKNOWN = "he, she, or not to be told"


class Subject(NamedTuple):
    """Of whom or of what a statement tells."""

    sort: SubjectSort
    words: frozenset[str] = frozenset()
    owners: frozenset[str] = frozenset()  # "Tom's dog"


_subjects = PatternTable("subjects")
_SELF = _subjects.words("SELF")
_OTHER = _subjects.words("OTHER")
_REMINDING = _subjects.words("REMINDING")
_HAVE_DONE = re.compile(r"(?i)he \w+(?:[ai]do|cho|sto|rto)$")  # Spanish: "he llamado"
_POINTED = _subjects.words("POINTED")
_ARTICLE = _subjects.words("ARTICLE")
_BETWEEN = _subjects.words("BETWEEN")
_PLACED = _subjects.words("PLACED")
_VERBS = frozenset(words("irregular_verbs", "verbs"))
_HEADING = re.compile(r"^\w+(?: \w+)?: ")
_WORD = re.compile(r"[^\W\d_]\w*(?:['’.-]\w+)*")
_MOST_OF_NOUN = 4


def subject_before(text: str, at: int) -> Subject:
    """Return the subject of what *text* says at *at*: what stands next before it."""
    for clause in reversed(_subjects.pattern("CLAUSE").split(text[:at])):
        words = _words(clause)
        while words and _is_between(words[-1]):
            words.pop()
        if words:
            return _nearest(words)
    return Subject(SubjectSort.NONE)


@lru_cache(maxsize=1024)
def subject_of(text: str) -> Subject:
    """Return the subject that *text* begins with."""
    words = _words(next(filter(str.strip, _subjects.pattern("CLAUSE").split(_HEADING.sub("", text))), ""))
    is_placed = False  # "For the cache we use …"
    for at, word in enumerate(words):
        lower = word.lower()
        if lower in _SELF or _HAVE_DONE.match(" ".join(words[at : at + 2])):
            return Subject(SubjectSort.SELF)
        if lower in _OTHER:
            return Subject(SubjectSort.UNKNOWN)
        if lower in _REMINDING:
            continue
        if lower in _PLACED:
            is_placed = True
        elif not is_placed and (lower in _ARTICLE or _is_owner(words[at:])):
            return _noun(words[at : at + _MOST_OF_NOUN + 1])
        elif not is_placed and lower in _POINTED:
            return Subject(SubjectSort.POINTED)
        elif _is_doer(words[at:]):
            sort = SubjectSort.NAMED if word[0].isupper() else SubjectSort.NOUN
            return Subject(sort, content_words(word.removesuffix("'s")))
        elif lower in _VERBS or (not is_placed and content_words(word) and not lower.endswith("ly")):
            return Subject(SubjectSort.NONE)
    return Subject(SubjectSort.UNKNOWN if is_placed else SubjectSort.NONE)


def is_same(new: Subject, now: str, before: str, *, is_ended: bool) -> bool:
    """Tell whether *before* is of the subject *new*, of which *now* tells.

    *is_ended*: what it tells of that subject has ended; otherwise, that it names it is enough ("I fly with
    TP 562", "TP 562 is cancelled").
    """
    old = subject_of(before)
    said, told = content_words(now), content_words(before)
    if SubjectSort.UNKNOWN in (new.sort, old.sort):
        return new == old or not is_ended
    if not (new.owners <= told and old.owners <= said):
        return False
    is_nameless = new.sort in (SubjectSort.NONE, SubjectSort.SELF, SubjectSort.POINTED)
    if old.sort in (SubjectSort.NONE, SubjectSort.SELF, SubjectSort.POINTED):
        if is_nameless:
            return not is_ended or new.words <= told
        if new.sort is SubjectSort.NAMED and is_ended:
            return any(
                content_words(hit.group("name")) <= new.words
                for hit in _subjects.pattern("CALLED").finditer(before)
            )
        return not told.isdisjoint(new.words)
    if is_nameless:
        if old.sort is SubjectSort.NAMED:
            # A thing that begins the line is written with a capital, too: "Dinner is at eight".
            return all(word in now for word in old.words)
        return not (is_ended or new.sort is SubjectSort.SELF) or not old.words.isdisjoint(said)
    return not new.words.isdisjoint(old.words if is_ended else told)


def _words(clause: str) -> list[str]:
    return [word.replace("’", "'") for word in _WORD.findall(clause)]


def _is_between(word: str) -> bool:
    return word.lower() in _BETWEEN or word.endswith("ly")


def _nearest(words: Sequence[str]) -> Subject:
    run: list[str] = []
    for word in reversed(words):
        lower = word.lower()
        if lower in _SELF:
            is_named = (
                bool(run) and run[0][0].isupper() and lower[:2] in ("i", "i'", "we")
            )  # "I hear Theo no longer …"
            return _noun(run[:1]) if is_named else Subject(SubjectSort.SELF, content_words(" ".join(run)))
        if lower in _ARTICLE:
            run.append(word)
            break
        if lower in _OTHER or lower in _PLACED:
            return Subject(SubjectSort.UNKNOWN)
        if lower in _POINTED:
            return Subject(SubjectSort.UNKNOWN if run else SubjectSort.POINTED)
        if _is_between(word):
            break
        run.append(word)
    return _noun(run[::-1])


def _noun(words: Sequence[str]) -> Subject:
    article = 1 if words and words[0].lower() in _ARTICLE else 0
    run = list(takewhile(lambda word: not (_is_between(word) or word.lower() in _PLACED), words[article:]))
    owners = [word for at, word in enumerate(run) if _is_owner(words[article + at :])]
    rest = [word for word in run if word not in owners] or run
    names = [word for word in rest if word[0].isupper()]
    is_named = bool(names) and not article and not owners
    chosen = content_words(" ".join(rest))
    if not chosen:
        return Subject(SubjectSort.UNKNOWN)
    owner = (
        content_words(" ".join(word.removesuffix("'s") for word in owners))
        if rest is not run
        else frozenset()
    )
    return Subject(SubjectSort.NAMED if is_named else SubjectSort.NOUN, chosen, owner)


def _is_owner(words: Sequence[str]) -> bool:
    """Tell whether the first of *words* owns the next: "Tom's dog", not "physio's moved"."""
    first, *rest = words
    follows = rest[0].lower() if rest else ""
    is_next_said = bool(content_words(follows)) and follows not in _BETWEEN
    return first.endswith("'s") and is_next_said and not follows.endswith(("ed", "ing"))


def _is_doer(words: Sequence[str]) -> bool:
    """Tell whether the first of *words* is who does what follows: "Theo arbeitet", not "Trabajo en"."""
    first, *rest = words
    lower = first.lower()
    if (
        not content_words(first)
        or lower in _VERBS | _BETWEEN
        or lower.endswith(("ing", "ed", "ly"))
        or not rest
    ):
        return False
    follows = rest[0].lower()
    if follows in _BETWEEN or lower.endswith("'s"):
        return True
    return first[0].isupper() and follows not in _ARTICLE | _PLACED and bool(content_words(follows))
