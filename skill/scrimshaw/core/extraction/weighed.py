"""Weigh a statement by its form (scorer) and by what the weigher has learned of such sentences.

A statement without concrete content that decides nothing is small talk, unless the weigher (core/weighing),
trained on labelled text in eight languages, finds it worth a line. Where the weigher is sure that a sentence
is worth nothing, cue words alone do not make it a line.
"""

from __future__ import annotations

import re
from functools import lru_cache

from scrimshaw.core import weighing
from scrimshaw.core.extraction import personal_statements
from scrimshaw.core.extraction.claim_changes import changes
from scrimshaw.core.extraction.partly_done import changes_amount, is_regular, regular
from scrimshaw.core.extraction.scorer import (
    KEEP_AT,
    VITAL_PRIORITY,
    Weighed,
    features,
    head_of,
    substance_of,
    weigh_by_form,
)
from scrimshaw.core.language import ASKED, Phrases, cues, fillers, reports
from scrimshaw.core.search.tongue import is_english
from scrimshaw.core.text import entities
from scrimshaw.core.text.dates import names_day
from scrimshaw.core.text.tense import looks_back
from scrimshaw.core.types import Kind, Place, Role
from scrimshaw.core.weighing import Weigher

# Thresholds for the weigher's verdict: the probability that a sentence is worth anything, and, where it holds
# nothing that could be searched for, that it is worth 3 or more. In English the form of a sentence tells its
# kind; in other languages, where it lasts, and where somebody says "I" a lower first threshold applies. Its
# score comes from that probability and from its content: general words, however heartfelt, answer nothing.
# Chosen on LoCoMo, REALTALK, BEAM and halves of bench/statements and of its `typed`.
_LEARNED_AT, _BARE_AT = 0.6, 0.4
_OF_SELF_AT, _ELSEWHERE_AT, _BARE_ELSEWHERE_AT = 0.2, 0.5, 0.7
_BARE_OF_OURS_AT = 0.35  # what surely holds of what is theirs
# In English enough plain words can be searched for, too, where they may matter for long: "We roast
# chestnuts and tell stories whenever my cousins visit".
_PLAIN_WORDS, _PLAIN_LASTS_AT = 7, 0.05

_ANYBODYS_AT = 0.75  # needed where nothing could be searched for and nobody says "I": "good bread takes time"
_CHEERS_BELOW = 0.15  # below this probability cue words do not count: "let's keep shining"
_PASSED_AT = 0.6  # probability that it only happened, where by its form it still holds
_SAYS_WHAT_IS = re.compile(r"\b(?:is|are|am|has|have|i['’](?:m|ve)|we['’](?:re|ve))\b")
_I = Phrases(r"\b(?:i|i'm|i've|i'll|i'd|my|me|mine)\b")  # "we" and "us" often mean everybody
_OF_OURS = Phrases(r"(?:my|our)\b")
_PAID = ("AT_A_RATE", "AMOUNT_IN_FORCE")
# What somebody does at a rate, they do each time: "I put 15% on materials", "we pay 40 a month".
_AT_A_RATE = Phrases(
    r"^(?:i|we) [a-z]+ .{0,40}?\d ?(?:%|(?:[a-z]+ )?(?:an?|per) (?:hour|day|week|month|year|head|person)\b)"
)
_PASSING_KINDS = (Kind.FACT, Kind.DECISION)
# A score by form, of numbers, dates and names, counts the more the more the sentence was learned to be worth.
_FORM, _LEARNED = 0.6, 0.8
_IDLE_BELOW = 0.2  # below this probability a fact is dropped, even if its form speaks for it
_NEEDS_AT = 0.85  # probability that it cannot be understood without what was said before it
# How surely a fact must be learned to stand, and to be worth anything or to matter in half a year, or it is
# of its day: "my dog is barking at the mailman". Wishes and decisions are doubted less.
_STANDS_AT, _LEAST_WORTH, _LEAST_OF_HALF_A_YEAR = 0.55, 0.75, 0.6
_WISH_STANDS_AT = 0.15
_LASTS_AT = 0.5  # what has the form of a wish and is learned to last less may only tell what happened
# Of lasting, and of mattering in half a year, from which on few plain words will do: "I can't swim".
_HOLDS_AT, _HOLDS_MATTERS_AT, _WISH_MATTERS_AT = 0.5, 0.325, 0.3
_MATTERS_AT, _HARMS_AT = 0.5, 0.05  # probability of mattering in half a year; of doing harm when forgotten
_MAY_HARM_AT = 0.3  # probability of doing harm when forgotten, from which on what stands is not dated
_RATE_STANDS_AT = 0.25  # probability of a standing place, of what is told at a rate
_VITAL_PASSES_AT = 0.7  # probability of the log from which on what would do harm is of its day
_SURELY_WORTH, _WISH_AT = 0.8, 0.05
# How surely what is said of saying or writing must be learned to be a wish, and to stand, for the agent.
_TO_AGENT_AT, _TO_AGENT_STANDS_AT = 0.6, 0.2
_TURNS_WORTH, _TURNS_BELOW = 0.5, 0.5  # of what begins with "also": it may only add to what was said
_PREFERENCE_AT = weighing.KINDS.index(Kind.PREFERENCE)
# A detail that tells too little in a list, by how likely it is each: "ran 5k this morning, legs are jelly".
_UNCLEAR_AT, _DETAIL_BELOW = 0.7, 0.15
_ORDERED_AT = 0.15  # probability of something to do, where by its form it may be an order
_NO_WISH = Weighed(Kind.FACT, 3, Place.LOG, KEEP_AT)
_SURELY_STANDS_AT = 0.75  # what form takes to be of its day, and "my aunt sails", stand from here on
_SURELY_PLACED = 0.95  # probability at which a task need not say who does it
# Least worth of what a model read that knows the language, and of what holds for long by its reading.
_READ_AT, _READ_HOLDS_AT = 0.7, 0.4
# By words, the priority and the probability of mattering in half a year of what no reading takes away.
_MORE_THAN_A_DETAIL, _MATTERS_BY_WORDS_AT = 3, 0.3
# Of what tells no outcome, the least probability of mattering this month: "I've had it for today".
_DETAIL_READ_BELOW = 0.3
_READ_NEEDS_AT = 0.75  # "T3 then" says nothing alone
_READ_LASTS_AT = 0.3  # what is read to last less does not stand: "Mum is staying with us until Easter"
_OF_FICTION = 3  # priority of what is told of people who do not exist
_NOTHING_IN_IT = -3.0  # a score by form: "I'll keep you posted" promises nothing
_SURE, _HELD = 0.8, 0.7
_ENOUGH = 6.0  # content above this amount does not add to the worth
_MOST_VALUE = 0.98
_HALF_SCORE = 6.0  # the score that corresponds to a salience of one half


@lru_cache(maxsize=1024)
def weigh(
    text: str,
    *,
    raw: str = "",
    label: str = "",
    speaker: Role = Role.USER,
    weigher: Weigher = weighing.weigh,
) -> Weighed:
    """Return kind, priority, place and score of a statement; *raw* still has its fillers."""
    raw = in_earnest(raw, weigher)
    verdict = _weigh(text, raw, label, speaker, weigher)
    if verdict.kind is Kind.PREFERENCE and personal_statements.tells_of_still(raw or text):
        return verdict._replace(kind=Kind.FACT, place=Place.LOG, is_lasting=False)
    is_grave = verdict.kind is Kind.FACT and verdict.priority > _OF_FICTION
    return verdict._replace(priority=_OF_FICTION) if is_grave and _is_made_up(raw or text) else verdict


def _is_made_up(raw: str) -> bool:
    """Tell whether *raw* tells of people in a novel, whom nothing harms, and of nobody of the owner's."""
    rest = fillers.FICTION.cut(raw)
    return rest != raw and not (fillers.SAYS_I.search(rest) or fillers.pattern("SOMEONE").search(rest))


def _weigh(text: str, raw: str, label: str, speaker: Role, weigher: Weigher) -> Weighed:
    by_form = weigh_by_form(text, raw=raw, label=label, speaker=speaker)
    if speaker is not Role.USER or text.startswith(ASKED):
        return by_form
    if personal_statements.is_for_once(raw or text) and by_form.priority < VITAL_PRIORITY:
        is_wish = (
            by_form.kind is Kind.PREFERENCE or weigher(weighing.Sentence(raw or text)).kind is Kind.PREFERENCE
        )
        if is_wish:
            return by_form._replace(score=KEEP_AT - 1.0, is_lasting=False)
    if _asks_for_silence(raw or text) and not names_day(text):
        score = max(by_form.score, KEEP_AT + 1.0)
        return Weighed(Kind.PREFERENCE, VITAL_PRIORITY, Place.STANDING, score, is_lasting=True)
    if personal_statements.is_doctors_order(raw or text) and by_form.priority < VITAL_PRIORITY:
        return Weighed(Kind.FACT, 4, Place.STANDING, max(by_form.score, KEEP_AT + 1.0))
    if by_form.is_lasting and not label and _is_no_wish(by_form, raw or text, weigher):
        return _weigh_as_learned(_NO_WISH, text, raw or text, weigher, in_english=is_english(raw or text))
    if by_form.is_lasting:
        # "Keep going", "always here to help" have the form of a wish that holds.
        is_wish = by_form.kind is Kind.PREFERENCE and not entities.SELF.search(raw or text)
        is_wish = is_wish and not personal_statements.is_manner(raw or text)
        may_cheer = is_wish or label == personal_statements.REMEMBERED
        return _asked_idly(by_form, raw or text) if may_cheer else by_form
    # Cue words are English: in other languages form only shows that there is concrete content.
    in_english = is_english(raw or text)
    if personal_statements.is_for_one_text(raw or text):
        return by_form
    # Its form is known in six languages: "lembra-me na segunda".
    if personal_statements.order_of(raw or text) is personal_statements.OrderKind.REMINDER:
        return by_form
    learned = weigher(weighing.Sentence(raw or text))
    if learned.is_read and by_form.score < KEEP_AT:
        by_words = _weigh_as_learned(by_form, text, raw or text, weighing.weigh, in_english=in_english)
        verdict = _as_read(by_form, by_words, text, raw or text, learned)
    elif by_form.score >= KEEP_AT and in_english:
        verdict = _doubted(by_form, text, raw or text, weigher)
    else:
        verdict = _weigh_as_learned(by_form, text, raw or text, weigher, in_english=in_english)
    if verdict.score < KEEP_AT and is_wish_to_agent(raw or text, weigher):
        verdict = Weighed(Kind.PREFERENCE, 4, Place.STANDING, KEEP_AT + 1.0, is_lasting=True)
    if not (learned.is_read and verdict.is_learned):
        verdict = _of_its_day(verdict, raw or text, learned)
    verdict = _each_time(verdict, raw or text)
    opens = learned.places[weighing.PLACES.index(Place.OPEN)]
    return verdict._replace(stands=learned.stands, opens=opens)


def _asks_for_silence(raw: str) -> bool:
    """Tell whether *raw* asks to keep something from somebody; another's words are theirs."""
    asked = fillers.KEPT_FROM.search(raw)
    return asked is not None and not (
        personal_statements.is_of_another(raw) or personal_statements.tells_of_others(raw[asked.start() :])
    )


def without_intent(verdict: Weighed, text: str, *, has_day: bool) -> Weighed:
    """Return *verdict* on what is not meant to be done: it is given up, or another finds that it should be.

    *has_day*: it names a day, by which another's word is mostly a task.
    """
    if verdict.kind is Kind.PREFERENCE or verdict.priority == VITAL_PRIORITY or verdict.place is Place.LOG:
        return verdict
    is_binding = any(one.search(text) for one in (fillers.BY_DOCTOR, changes.BINDING))
    is_advice = not has_day and changes.ADVISED.search(text) and not is_binding
    if is_advice or changes.GIVEN_UP.search(text):
        return verdict._replace(kind=Kind.DECISION, place=Place.LOG)
    return verdict


def is_wish_to_agent(raw: str, weigher: Weigher) -> bool:
    """Tell whether *raw* is learned to be a wish for how the agent speaks: "you could write less"."""
    if not personal_statements.may_be_to_agent(raw) or personal_statements.is_for_one_text(raw):
        return False
    learned = weigher(weighing.Sentence(raw))
    return learned.kinds[_PREFERENCE_AT] >= _TO_AGENT_AT and learned.stands >= _TO_AGENT_STANDS_AT


def turns_to_another(raw: str, weigher: Weigher) -> bool:
    """Tell whether *raw* turns to another matter, of which it tells enough: "Also, the rent is due"."""
    if not fillers.TURNING.match(raw):
        return False
    learned = weigher(weighing.Sentence(raw))
    return learned.worth[0] >= _TURNS_WORTH and max(learned.needs, learned.unclear) < _TURNS_BELOW


def in_earnest(raw: str, weigher: Weigher) -> str:
    """Return *raw* without the laugh at its end where the rest matters: "im allergic to shellfish lol"."""
    bare = fillers.LAUGH_TAIL.cut(raw)
    if bare == raw or personal_statements.is_joke(raw):
        return raw
    worth = weigher(weighing.Sentence(bare)).worth
    return bare if worth[2] >= _MATTERS_AT and worth[3] >= _HARMS_AT else raw


def with_tail(verdict: Weighed, tail: str) -> Weighed:
    """Return *verdict* on what ends in *tail*: how it came out, or that nobody is to be told.

    The latter does harm when it is forgotten.
    """
    score = max(verdict.score, KEEP_AT + 1.0)
    if fillers.RESULT.match(tail):
        return verdict._replace(kind=Kind.OUTCOME, priority=4, place=Place.LOG, score=score)
    if not fillers.KEPT_QUIET.match(tail):
        return verdict
    if verdict.place is Place.OPEN:
        return verdict._replace(priority=VITAL_PRIORITY, score=score)
    return Weighed(Kind.PREFERENCE, VITAL_PRIORITY, Place.STANDING, score, is_lasting=True)


def states_rate(text: str) -> bool:
    """Tell whether *text* says at what rate somebody does something, which they do each time."""
    is_of_a_day = cues.INTENDS.search(text) or cues.HAS_BEEN.search(text) or entities.DATE_WORDS.search(text)
    return _AT_A_RATE.search(text) is not None and not is_of_a_day


def _is_no_wish(by_form: Weighed, raw: str, weigher: Weigher) -> bool:
    """Tell whether what has the form of a wish surely tells what happened: "all booked out till May"."""
    learned = weigher(weighing.Sentence(raw))
    is_other = learned.kinds[_PREFERENCE_AT] < _WISH_AT and learned.place is not Place.STANDING
    is_sure = learned.lasts < _LASTS_AT and learned.worth[0] >= _SURELY_WORTH
    told = (personal_statements.is_manner, personal_statements.is_whenever, personal_statements.orders_behind)
    is_wish = any(is_told(raw) for is_told in told)
    return by_form.kind is Kind.PREFERENCE and is_other and is_sure and not is_wish


def _of_its_day(verdict: Weighed, raw: str, learned: weighing.Weight) -> Weighed:
    """Return the verdict, as of its day what would stand and is learned not to: "Tom's taking the dog".

    What is told at a rate may stand, whatever it is weighed as: "I put 15% on materials".
    """
    if verdict.priority == VITAL_PRIORITY or verdict.score < KEEP_AT:
        return verdict
    standing = learned.places[weighing.PLACES.index(Place.STANDING)]
    if states_rate(raw):
        is_each_time = verdict.kind is Kind.FACT and standing >= _RATE_STANDS_AT
        return verdict._replace(place=Place.STANDING) if is_each_time else verdict
    if verdict.place is not Place.STANDING or learned.worth[3] >= _MAY_HARM_AT:
        return verdict
    if verdict.kind in (Kind.PREFERENCE, Kind.DECISION):
        is_kept = learned.stands >= _WISH_STANDS_AT
    else:
        is_worth_it = learned.worth[0] >= _LEAST_WORTH or learned.worth[2] >= _LEAST_OF_HALF_A_YEAR
        is_kept = learned.stands >= _STANDS_AT and is_worth_it
    return verdict if is_kept else verdict._replace(place=Place.LOG, kind=_told_kind(verdict.kind))


def recurs(text: str) -> bool:
    """Tell whether *text* says at what rate something is done, or what is so each time."""
    return states_rate(text) or _is_each_time(text)


def _is_each_time(text: str) -> bool:
    """Tell whether *text* says what is so each time, or in force: "closed on Mondays", "9 euros an hour"."""
    head = head_of(text)
    if regular.REACHED_AT.search(head) or changes_amount(head):
        return True
    is_other = any(one.search(head) for one in (changes.INTENT, changes.OFF, cues.HAS_BEEN))
    if is_other or looks_back(head):
        return False
    return is_regular(head) or any(one.search(head) for group in _PAID for one in regular.each(group))


def _each_time(verdict: Weighed, raw: str) -> Weighed:
    """Return the verdict, as standing what is so each time."""
    is_plan = verdict.kind is Kind.NEXT_STEP and not verdict.is_learned  # its form says so
    is_told = verdict.kind in (Kind.FACT, Kind.OUTCOME, Kind.NEXT_STEP) and not is_plan
    is_told = is_told or (verdict.kind is Kind.DECISION and changes_amount(raw))
    if not is_told or verdict.place is Place.STANDING or verdict.score < KEEP_AT or not _is_each_time(raw):
        return verdict
    return verdict._replace(kind=Kind.FACT, place=Place.STANDING)


def _told_kind(kind: Kind) -> Kind:
    return Kind.FACT if kind is Kind.PREFERENCE else kind


def _asked_idly(by_form: Weighed, raw: str) -> Weighed:
    """Return the verdict by form, unless the request only cheers: "remember, small things matter"."""
    worth = max(weighing.weigh(weighing.Sentence(raw)).worth)
    is_idle = worth < _CHEERS_BELOW and not entities.has_anchor(raw)
    return by_form._replace(score=KEEP_AT - 1.0, is_lasting=False) if is_idle else by_form


def _doubted(by_form: Weighed, text: str, raw: str, weigher: Weigher) -> Weighed:
    """Return the verdict by form, unless the weigher has learned that such a sentence is worth nothing.

    "Growing your own food teaches patience" says nothing about the person, "let's make every day count"
    decides nothing.
    """
    if by_form.priority == VITAL_PRIORITY:
        return by_form
    held = features(text)
    learned = weigher(weighing.Sentence(text))
    is_fact = by_form.kind is Kind.FACT
    is_idle = max(learned.worth) < _CHEERS_BELOW and not entities.has_hard_anchor(text)
    if is_fact and not held.numbers + held.dates:
        is_named = held.names and entities.SELF.search(raw)
        is_idle = (max(learned.worth) if is_named else learned.worth[0]) < _IDLE_BELOW
        is_idle = is_idle or (not entities.SELF.search(raw) and learned.worth[0] < _ANYBODYS_AT)
    if is_idle or (is_fact and _is_told_of_another(text)):
        return by_form._replace(score=KEEP_AT - 1.0)
    by_form = by_form._replace(score=max(KEEP_AT, by_form.score * (_FORM + _LEARNED * learned.value)))
    if is_fact and by_form.place is Place.LOG and learned.stands >= _SURELY_STANDS_AT:
        return by_form._replace(place=Place.STANDING)
    has_passed = by_form.place is Place.STANDING and learned.place is Place.LOG
    has_passed = has_passed and bool(cues.HAS_BEEN.search(text) and not _SAYS_WHAT_IS.search(text.lower()))
    if has_passed and by_form.kind in _PASSING_KINDS and max(learned.places) >= _PASSED_AT:
        return by_form._replace(place=Place.LOG)
    return by_form


def _is_told_of_another(text: str) -> bool:
    """Tell whether an English *text* only comments on what the other speaker has, is or said."""
    is_comment = fillers.COMMENT.match(text) and not entities.SELF.search(text)
    return bool(is_comment) and not entities.has_hard_anchor(text)


def _weigh_as_learned(
    by_form: Weighed, text: str, raw: str, weigher: Weigher, *, in_english: bool
) -> Weighed:
    """Return the weigher's verdict on a sentence about which form says too little."""
    # Without the address: "Yep John, it matters".
    said = (fillers.LEAD_FILLER.cut(raw) if in_english else "") or raw
    learned = weigher(weighing.Sentence(said))
    worth = max(learned.worth[0], *learned.worth[2 if in_english else 1 :])
    is_no_plan = in_english and learned.place is Place.OPEN and not _is_meant_by_somebody(raw, learned)
    is_told_by_self = bool(_I.search(raw))
    is_anybodys = in_english and not (entities.SELF.search(raw) or entities.has_anchor(text))
    within = features(text)
    held = min(1.0, max(0.0, substance_of(within)) / _ENOUGH)
    is_told = (
        in_english
        and within.content >= _PLAIN_WORDS
        and learned.worth[2] >= _PLAIN_LASTS_AT
        and learned.kind is Kind.FACT
    )
    bare_at = _BARE_OF_OURS_AT if _is_plain_fact(raw, learned) else _BARE_AT
    is_bare = not (held or is_told) and max(learned.worth[1:]) < bare_at
    is_bare = is_bare and (in_english or worth < _BARE_ELSEWHERE_AT) and not _surely_holds(learned)
    if in_english:
        worth_at = _OF_SELF_AT if is_told_by_self else _LEARNED_AT
    else:
        worth_at = _OF_SELF_AT if learned.lasts >= _HOLDS_AT else _ELSEWHERE_AT
    is_idle = (
        worth < worth_at
        or (is_anybodys and learned.worth[0] < _ANYBODYS_AT)
        or (learned.needs >= _NEEDS_AT and learned.worth[3] < _LEARNED_AT)
        or (learned.unclear >= _UNCLEAR_AT and max(learned.worth[1:]) < _DETAIL_BELOW)
        or by_form.score <= _NOTHING_IN_IT
        or is_bare
        or learned.owner is weighing.Owner.NOBODYS
        or bool(fillers.LAUGH.match(raw) or cues.HYPOTHETICAL.search(raw))
        or (in_english and _is_told_of_another(text))
        or (is_no_plan and learned.lasts < _HOLDS_AT and not _names_something(raw))
    )
    if is_idle and by_form.score < KEEP_AT:
        return by_form
    priority = _priority_of(learned)
    score = max(KEEP_AT, by_form.score, _score_of(text, worth))
    place = learned.place
    if is_no_plan:
        place = max((Place.STANDING, Place.LOG), key=lambda one: learned.places[weighing.PLACES.index(one)])
    is_unsure = is_no_plan or (place is Place.STANDING and max(learned.places) < _PASSED_AT)
    is_over = in_english and by_form.kind is Kind.OUTCOME and is_unsure  # "we're in"
    is_over = is_over or (place is Place.STANDING and fillers.PASSING.match(text) is not None)
    place = _standing_if_vital(Place.LOG if is_over else place, learned)
    is_no_step = is_no_plan and learned.kind is Kind.NEXT_STEP
    told = Kind.OUTCOME if place is Place.LOG else Kind.FACT
    kind = told if is_no_step else learned.kind
    if _is_ordered(raw, learned) and place is Place.LOG:
        kind, place = Kind.NEXT_STEP, Place.OPEN
    return Weighed(kind, priority, place, score, is_learned=True)


def _as_read(by_form: Weighed, by_words: Weighed, text: str, raw: str, learned: weighing.Weight) -> Weighed:
    """Return the verdict of a model that knows the language, about which form says too little.

    It needs few of the bounds that words need. What would do harm by words stays as they say, and what
    matters by them is neither dropped nor lowered here.
    """
    is_noted = by_words.score >= KEEP_AT
    if is_noted and by_words.priority == VITAL_PRIORITY:
        return by_words
    worth = max(learned.worth[0], *learned.worth[2:])
    holds = learned.place is Place.STANDING and learned.lasts >= _HOLDS_AT
    is_detail = learned.kind is not Kind.OUTCOME and learned.worth[1] < _DETAIL_READ_BELOW
    is_idle = (
        is_detail
        or (learned.needs >= _READ_NEEDS_AT and learned.worth[3] < _LEARNED_AT)
        or worth < (_READ_HOLDS_AT if holds else _READ_AT)
        or learned.owner is weighing.Owner.NOBODYS
        or (learned.unclear >= _UNCLEAR_AT and max(learned.worth[1:]) < _DETAIL_BELOW)
        or bool(fillers.LAUGH.match(raw) or cues.HYPOTHETICAL.search(raw))
    )
    if is_idle:
        matters = weighing.weigh(weighing.Sentence(raw)).worth[2] >= _MATTERS_BY_WORDS_AT
        is_kept = is_noted and (matters or by_words.priority >= _MORE_THAN_A_DETAIL)
        return by_words if is_kept else by_form
    passes = learned.place is Place.STANDING and learned.lasts < _READ_LASTS_AT
    return Weighed(
        learned.kind,
        max(_priority_of(learned), by_words.priority if is_noted else 0),
        _standing_if_vital(Place.LOG if passes else learned.place, learned),
        max(KEEP_AT, _score_of(text, worth)),
        is_learned=True,
    )


def _score_of(text: str, worth: float) -> float:
    """Return the score of a statement that was learned to be of this worth, 0 to 1, for what it holds."""
    held = min(1.0, max(0.0, substance_of(features(text))) / _ENOUGH)
    value = min(_MOST_VALUE, (1 - _SURE + _SURE * worth) * (1 - _HELD + _HELD * held))
    return _HALF_SCORE * value / (1 - value)


def _priority_of(learned: weighing.Weight) -> int:
    return next((level for level in (5, 4, 3) if learned.worth[level - 2] >= _LEARNED_AT), 2)


def _standing_if_vital(place: Place, learned: weighing.Weight) -> Place:
    """Return *place*, or Standing for what harms when forgotten and may hold: a pacemaker, so no scan."""
    is_vital = _priority_of(learned) == VITAL_PRIORITY and learned.kind is Kind.FACT
    may_hold = max(learned.places) < _VITAL_PASSES_AT
    return Place.STANDING if is_vital and place is Place.LOG and may_hold else place


def _is_ordered(raw: str, learned: weighing.Weight) -> bool:
    """Tell whether *raw* is an order to the assistant: "manda" may also be what somebody does."""
    is_likely = learned.kinds[weighing.KINDS.index(Kind.NEXT_STEP)] >= _ORDERED_AT
    return is_likely and reports.ORDERED.match(raw) is not None


def _names_something(raw: str) -> bool:
    return entities.SELF.search(raw) is not None or entities.has_anchor(raw)


def _surely_holds(learned: weighing.Weight) -> bool:
    is_standing = learned.place is Place.STANDING and learned.lasts >= _HOLDS_AT
    least = _WISH_MATTERS_AT if learned.kind is Kind.PREFERENCE else _HOLDS_MATTERS_AT
    return is_standing and learned.worth[2] >= least


def _is_plain_fact(raw: str, learned: weighing.Weight) -> bool:
    """Tell whether an English sentence surely states what lasts of what is the person's: my aunt sails."""
    is_standing = learned.place is Place.STANDING and max(learned.places) >= _SURELY_STANDS_AT
    return is_standing and bool(_OF_OURS.match(raw))


def _is_meant_by_somebody(raw: str, learned: weighing.Weight) -> bool:
    """Tell whether an English sentence that the weigher takes for a task says that somebody intends to do it.

    "Do your research" is advice, "cooking is therapy for me" a remark.
    """
    head = head_of(raw)
    if states_rate(head):
        return False
    if max(learned.places) >= _SURELY_PLACED or entities.has_hard_anchor(raw):
        return True
    if cues.NOT_MEANT.match(head):
        return False
    is_own = cues.INTENDS.search(head) and entities.SELF.search(head)
    return bool(is_own or fillers.IS_AT.search(head)) or learned.kind is Kind.ISSUE
