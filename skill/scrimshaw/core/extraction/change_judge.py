"""Judge whether a later statement makes an earlier one untrue or done; trained on labelled conversations.

The score is a sum of small integers, one for each feature of the two statements (`change_features`), so it is
the same on every machine. The weights are in data/change_weights.txt, written by `python -m training.change`.
Questions, and statements with the same wording, change nothing. `decided` lets the judge close what is
open, where it is sure; what stands for good only rules close.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache
from typing import NamedTuple

from scrimshaw.core.extraction.change_features import (
    NOTED_DATE,
    Setting,
    Statement,
    features,
    fold,
    shared_words,
    taken_apart,
)
from scrimshaw.core.extraction.claim_changes import (
    Update,
    is_called_off,
    leaves_alone,
    update_of,
)
from scrimshaw.core.extraction.endings import ends_bond_of, ends_state_of, is_by_doctor, moves_day
from scrimshaw.core.extraction.partly_done import (
    is_done_to_another,
    is_negated,
    is_one_time,
    is_unsettled,
    leaves_open,
    without_acts,
)
from scrimshaw.core.language import cues
from scrimshaw.core.language.grammatical_subject import subject_of
from scrimshaw.core.text import entities
from scrimshaw.core.text.normalize import EAST
from scrimshaw.core.types import FOLLOWED, Kind, Place
from scrimshaw.data import lines, words

_WEIGHTS = "change_weights"
# Long statements of one project share words whatever they say; few in the training data were longer.
_MOST_CHARS, _MOST_WORDS = 400, 18
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+|(?<=[。！？])")
_CLAUSE = re.compile(r"(?<=[,;:.!?])\s+|(?<=[。！？，、])| (?=[–—-] )")
_MOST_SENTENCES = 2  # of a long earlier line
RAREST = 9
_KNOWN = 6  # what is moved to another day may be less rare
_LEAST_HEAD = 3  # words
_ASKED = ("?", "？")
# Least score of what may follow up a plan, as a report or a fact of its thing or otherwise, and a fact.
_LEAST_BY_REPORT, _LEAST_BY_FACT, _LEAST, _LEAST_OF_FACT = -40, -28, 8, 25
_SURE = 1_000  # what a rule is, in the unit of the judge
_PASSES = re.compile(r"pass?(?:o|e|a|ou|ei|ar|er|are|e[ds]?|ado|ada|at[oaie]|amos)")  # of exams, days, visits
_NAMED = re.compile(r"(?<=[^.!?:] )[A-Z][\w-]+")  # within a sentence: Frankfurt, Postgres
# A ticket, a flight, a bill.
_WORK = re.compile(r"\b[A-Za-z]{2,10}-\d+|#\d+|\b[A-Z]{2,4} \d{2,5}\b|\b[a-z]{5,} \d{4,6}\b")


class Verdict(NamedTuple):
    """What the judge decides, and by how much, in the unit of the score."""

    update: Update
    sureness: int


class _Model(NamedTuple):
    weights: Mapping[str, tuple[int, int]]  # of a feature: points for "replaced", points for "done"
    rarity: Mapping[str, int]
    bound: int
    careful_bound: int  # least score for a line whose loss does harm


@cache
def _model() -> _Model:
    weights = {}
    for line in lines(_WEIGHTS, "weights"):
        replaced, done, feature = line.split(" ", 2)
        weights[feature] = (int(replaced), int(done))
    rarity = {}
    for line in lines(_WEIGHTS, "rarity"):
        level, *tokens = line.split()
        rarity.update(dict.fromkeys(tokens, int(level)))
    bound, careful_bound = map(int, words(_WEIGHTS, "bounds"))
    return _Model(weights, rarity, bound, careful_bound)


@cache
def _determiners() -> frozenset[str]:
    return frozenset(words("subjects", "article"))


@cache
def _in_passing() -> frozenset[str]:
    return frozenset(words("compare", "in_passing"))


@cache
def _particles() -> frozenset[str]:
    return frozenset(words("compare", "particles"))


@cache
def _whose() -> frozenset[str]:
    return frozenset(words("compare", "whose"))


@cache
def _titles() -> frozenset[str]:
    return frozenset(words("sentences", "titles"))


def rarity(token: str) -> int:
    """Return how rare *token* is in the training data, 1 (common) to 9."""
    return _model().rarity.get(token, RAREST)


def names_thing(token: str, *, least: int = RAREST) -> bool:
    """Tell whether *token* is rare enough to name one thing, by which two statements are of one matter."""
    if rarity(token) < least or token in _whose():
        return False
    is_in_passing = "\u3041" <= token[0] <= "\u309f" or not _in_passing().isdisjoint(token)
    return not (EAST.match(token) and is_in_passing)


def is_long(text: str) -> bool:
    """Tell whether *text* is too long to judge; two pairs of characters count as a word."""
    tokens = taken_apart(text).tokens
    return len(tokens) - sum(token[0] > "\u3000" for token in tokens) / 2 > _MOST_WORDS


def told_parts(text: str) -> list[str]:
    """Return *text*, its sentences and its first clause: a change is stated in one, reasons and more follow.

    Those that are too long to judge are left out.
    """
    first = _CLAUSE.split(text, maxsplit=1)[0]
    parts = [text, *_SENTENCE_END.split(text), *([first] if len(first.split()) > 1 else [])]
    return [part for part in dict.fromkeys(parts) if part and not is_long(part)]


def judged(new: Statement, old: Statement, setting: Setting) -> Verdict | None:
    """Return the most likely effect of *new* on *old*, even if unlikely; None: no effect can be judged."""
    if max(len(new.text), len(old.text)) > _MOST_CHARS:
        return None
    if new.text.rstrip().endswith(_ASKED) or new.text.casefold() == old.text.casefold():
        return None
    # What hangs on the sentence before is of its matter: of two, each is judged.
    olds = list(_earlier_parts(old.text))
    if not olds or any(map(is_long, olds)):
        return None
    verdicts = (
        _judged(new._replace(text=part), old._replace(text=text), setting)
        for part in told_parts(new.text)
        for text in olds
    )
    return max(verdicts, key=lambda verdict: verdict.sureness, default=None)


def _earlier_parts(text: str) -> Iterator[str]:
    """Yield *text*, or where it is long the one or two sentences of the plan and of the last word on it."""
    told = text.split(FOLLOWED)
    for part in dict.fromkeys((told[0], told[-1])) if is_long(text) else [text]:
        sentences = _SENTENCE_END.split(part) if is_long(part) else [part]
        if len(sentences) <= _MOST_SENTENCES:
            yield from sentences


def _judged(new: Statement, old: Statement, setting: Setting) -> Verdict:
    weights = _model().weights
    replaced = done = 0
    for feature in dict.fromkeys(features(new, old, setting, rarity)):
        one, other = weights.get(feature, (0, 0))
        replaced += one
        done += other
    return Verdict(Update.REPLACED, replaced) if replaced >= done else Verdict(Update.DONE, done)


def is_sure(sureness: int, new: Statement, old: Statement) -> bool:
    """Tell whether the judge, being so sure of what *new* does to *old*, may end it.

    What stands for good the judge leaves alone: two favourites, or two wishes, are one to it. Of a decision
    it must be surer than of a plan.
    """
    bound = _model().careful_bound if old.kind is Kind.DECISION else _model().bound
    if old.place is not Place.OPEN or sureness < bound or new.kind is Kind.FACT:
        return False
    if is_unsettled(new.text) or not _named_by(new.text, old.text):
        return False
    is_other = _is_other_work(new.text, old.text) or names_others(new.text, old.text, is_strict=True)
    is_report = new.kind is Kind.OUTCOME
    return not (is_other or leaves_alone(new.text, old.text, is_report=is_report))


def judged_update(new: Statement, old: Statement, setting: Setting) -> Verdict | None:
    """Return what *new* makes of *old*, done meaning called off, too; None when that is not sure enough."""
    verdict = judged(new, old, setting) if old.place is Place.OPEN else None
    if verdict is None or not is_sure(verdict.sureness, new, old):
        return None
    is_report = verdict.update is Update.DONE or new.place is Place.LOG
    return None if is_report and leaves_open(new.text, old.text) else verdict


def decided(now: Statement, before: Statement, setting: Setting) -> Verdict | None:
    """Return what *now* makes of *before*, both the person's words: by rule or else by the trained judge."""
    if before.kind not in (Kind.OUTCOME, Kind.ISSUE):
        update = update_of(now.text, before.text, is_open=before.place is Place.OPEN)
        if update is not None:
            return Verdict(update, _SURE)
    verdict = judged_update(now, before, setting)
    if verdict is None:
        return None
    if verdict.update is Update.REPLACED and now.place is Place.LOG:
        return verdict._replace(update=Update.OFF)  # what tells how it went opens nothing
    if verdict.update is Update.DONE and is_negated(now.text) and not is_called_off(now.text):
        return None
    is_part = verdict.update is Update.DONE and "%" in _CLAUSE.split(now.text, maxsplit=1)[0]
    return None if is_part else verdict


def followed(now: Statement, before: Statement, setting: Setting, *, is_stop: bool = False) -> Verdict | None:
    """Return what *now* most likely does to *before*, if it is plainly of the same matter; else None.

    Of a plan it is as soon as both name one thing that is rare; of a fact only where it may change it, or
    where *is_stop*: it says that a medicine is no longer taken so, or that a job, a bond, a diet is over.
    """
    if Kind.PREFERENCE in (now.kind, before.kind) or cues.HYPOTHETICAL.search(now.text):
        return None
    is_open = before.place is Place.OPEN
    if now.place not in (Place.LOG, before.place) and not is_stop:
        return None  # what holds for long does not pass with a plan, and no plan stays with a fact
    is_state = is_stop and ends_state_of(now.text, before.text)
    if _is_other_work(now.text, before.text) or (names_others(now.text, before.text) and not is_state):
        return None
    if is_open and is_one_time(now.text, before.text):
        return None  # else each of the times would stand behind it
    # The doctor stops what oneself takes, and "Claire has left" ends what "my boss is Claire" says.
    is_by_another = is_state or is_by_doctor(now.text) or ends_bond_of(now.text, before.text)
    is_report = now.kind is Kind.OUTCOME
    if not (is_stop and is_by_another) and leaves_alone(now.text, before.text, is_report=is_report):
        return None
    # A day that both name is no matter, nor is what is done to each of two things.
    matter = [cues.DECIDES.cut(entities.without_days(one.text), " ") for one in (now, before)]
    if is_done_to_another(*matter):
        matter = [*map(without_acts, matter)]
    named = _named_by(*matter, least=_KNOWN if is_open and moves_day(now.text) else RAREST)
    if not named and not is_state:
        return None
    least = _LEAST if is_open else _LEAST_OF_FACT
    if is_open and now.place is not Place.OPEN and (len(named) > 1 or _is_thing(named[0], now.text)):
        least = _LEAST_BY_FACT if now.kind is Kind.FACT else _LEAST_BY_REPORT
    verdict = judged(now, before, setting)
    return verdict if verdict and (is_stop or verdict.sureness >= least) else None


def _named_by(now: str, before: str, *, least: int = RAREST) -> list[str]:
    """Return what *now* names of the one matter of *before*, not only of what that adds."""
    if len(NOTED_DATE.findall(before)) > 1:
        return []  # two plans in one line: of one of them nothing was said
    head = _CLAUSE.split(before, maxsplit=1)[0]
    about = taken_apart(head if len(head.split()) >= _LEAST_HEAD else before)
    shared, _ = shared_words(taken_apart(now).words, about.words)
    ends = {word[-1] for word in shared if EAST.match(word)}
    return [
        word
        for word in shared
        if names_thing(word, least=least)
        and not (_PASSES.fullmatch(word) or (word[0] in ends and word[-1] in _particles()))
    ]


def _is_thing(word: str, text: str) -> bool:
    """Tell whether *word* is a thing in *text*, by what stands before it: "the heating", "my new phone"."""
    tokens = taken_apart(text).tokens
    places = (at for at, token in enumerate(tokens) if token == word)
    return word[0] > "\u3000" or any(
        not _determiners().isdisjoint(tokens[max(0, at - 2) : at]) for at in places
    )


def names_others(now: str, before: str, *, is_strict: bool = False) -> bool:
    """Tell whether both name something, and nothing of it alike: "node-1 runs …", "node-2 runs …".

    *is_strict*: a name that begins the sentence of the other does not count as shared.
    """
    one, other = (
        {*map(str.lower, entities.identifiers(text)), *_NAMED.findall(entities.without_days(text))}
        - _titles()
        for text in (now, before)
    )
    owners, others = (subject_of(text).owners for text in (now, before))
    if owners and others and owners.isdisjoint(others):
        return True  # "Emma's meeting", "Noah's meeting"
    is_shared = not is_strict and not taken_apart(now).words.isdisjoint(map(fold, other))
    is_shared |= not is_strict and not taken_apart(before).words.isdisjoint(map(fold, one))
    return bool(one and other) and one.isdisjoint(other) and not is_shared


def _is_other_work(now: str, before: str) -> bool:
    """Tell whether *now* names first another number than *before* has for such work: OPS-12, OPS-13."""
    told, named = ([hit.lower() for hit in _WORK.findall(one)] for one in (now, before))
    sorts = {one.rstrip("0123456789") for one in named}
    return next((one not in named for one in told if one.rstrip("0123456789") in sorts), False)
