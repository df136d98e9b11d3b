"""From a window to candidates: statements and outcomes worth proposing, before their effect on earlier lines.

A candidate is an unfinished proposal, together with what `resolve_changes` needs to know of it. Short replies
are read together with what they answer: "Yes, but not before May" belongs to the line it confirms. Dates are
computed here, once, from the time of the message in the reader's zone.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from functools import partial
from zoneinfo import ZoneInfo

from scrimshaw.core import weighing
from scrimshaw.core.extraction.change_features import NOTED_DATE
from scrimshaw.core.extraction.claim_changes import changes, may_update
from scrimshaw.core.extraction.corrections import Correction, correction_in, is_admitted, is_of_said
from scrimshaw.core.extraction.endings import is_allergy
from scrimshaw.core.extraction.exchanges import (
    FINDING_CHARS,
    LEAD,
    AgentQuestion,
    Exchange,
    allergy_told,
    exchanges,
    is_carried_out,
    question_before,
    report_of,
    work_line,
)
from scrimshaw.core.extraction.memory_orders import is_housekeeping
from scrimshaw.core.extraction.partly_done import changes_amount, is_negated
from scrimshaw.core.extraction.personal_statements import (
    OrderKind,
    is_each_time,
    is_for_one_text,
    lifts_wish,
    order_of,
)
from scrimshaw.core.extraction.scorer import (
    KEEP_AT,
    VITAL_PRIORITY,
    Weighed,
    about_self,
    head_of,
    is_meant,
    states_wish,
    weigh_by_form,
)
from scrimshaw.core.extraction.sentences import PersonMessage, clip, read_message, tidy
from scrimshaw.core.extraction.shown_dates import RECURRING, date_meant, with_dates
from scrimshaw.core.extraction.statements import (
    MAX_LINE_CHARS,
    dated_behind,
    ended,
    last_matter,
    statements_in,
    with_next,
)
from scrimshaw.core.extraction.weighed import recurs, turns_to_another, weigh, with_tail, without_intent
from scrimshaw.core.language import ASKED, Phrases, cues, fillers, reports
from scrimshaw.core.ledger.known_lines import content_words
from scrimshaw.core.search.tongue import is_english
from scrimshaw.core.text import entities
from scrimshaw.core.text.date_grammar import changes_weekly, starts_rule
from scrimshaw.core.text.dates import FoundDate, find_dates
from scrimshaw.core.types import MAX_SOURCES, DateRef, Entry, Kind, Place, Role, Window
from scrimshaw.core.weighing import Sentence, Weigher, Weight

_PASTE_CHARS = 600  # pasted text of this size is treated as work to look at, not as speech
_REPLY_WORDS = 9
_BARE_WORDS = 6
_WORK_SCORE = 1.0  # added to a line for work, because somebody asked for the work
_SINCE_THEN = re.compile(
    r"\b(?:from|since|starting|beginning|as\s+of|ab|seit|desde|dès|depuis|dal?|[aà]\s+partir\s+d[eio]l?)\s+"
    r"(?:(?:on|in|from|the|dem)\s+)*$|à\s+partir\s+d['’]$",
    re.IGNORECASE,
)
# Something new that starts will last: a job, a school, a treatment.
_STARTS_NEW = Phrases(
    r"\b(?:starts?|begins?|starting|beginning)\s+(?:(?:at|as|in|on|with|a|an|my|our|his|her|their|the)\s+){0,2}new\b"
)
_FIGURE = re.compile(r"(?<![:\d])\d+|(?<=:)(?!00\b)\d+")  # "at 10" and "10:00" are one
_CALLED = re.compile(r", [A-ZÀ-Þ][^\W\d_]+ ?!+$")
_SENTENCE_BREAK = re.compile(r"[.!?] ")
_CLAUSE = re.compile(r"[,;.]\s+")
# What is so on each of such days: "the cleaner comes every Monday", "closed on Mondays".
HABIT = re.compile(
    r"\b(?:is|are|meets?|comes?|starts?|go|goes|closed?|closes|opens?) (?:\w+ ){0,2}"
    r"(?:every \w+day|on \w+days)\b",
    re.IGNORECASE,
)
_UNTIL = re.compile(
    r"\b(?:until|till?|bis|hasta|até|fino|jusqu['’]\w+)(?: (?:the|zum|el|al?|o|le))*\s*$", re.IGNORECASE
)
_DENIED = re.compile(
    r"\b(?:not|nicht|non|pas|não|y no)(?: (?:on|at|am|um|the|le|il|el|o))*\s*$", re.IGNORECASE
)
_BARE_PRIORITY = 3
_NEAR = timedelta(days=7)
# How surely it must be learned to stand to do so with a bare figure or a date ahead in it, or with a day of
# this week ("Beth helps on Thursdays").
_HOLDS_AT, _SURELY_HOLDS_AT = 0.65, 0.95
# How surely a short sentence must be worth a line, or last, to be one besides what it ends.
_ALONE_AT, _READ_ALONE_AT, _LASTS_AT = 0.97, 0.9, 0.5
_SURELY_OPENS_AT = 0.85
_OPENS_AT = 0.3  # how surely what is told of a day ahead must be learned to be open
_PLANS_AT = 0.6  # and a sentence that names the day behind what happened
_LEADS_AT = 0.6  # how likely to tell anything to stand before what hangs on it
_ANSWERS_AT = 0.3  # how likely to tell too little alone, to be told with the question it answers
_TELLS_AT = 0.3  # how likely a short sentence must be to tell anything that could end a plan


@dataclass(frozen=True, slots=True)
class Candidate:
    """An unfinished proposal."""

    text: str
    words: frozenset[str]
    kind: Kind
    priority: int
    place: Place
    score: float
    sources: tuple[str, ...]
    speaker: Role
    done: bool = False
    refers_to: DateRef | None = None
    is_asked: bool = False  # a question, which changes nothing
    is_ahead: bool = False  # every date in it is in the future
    is_weak: bool = False  # worth keeping only if it completes something
    said_at: datetime | None = None
    unclear: float = 0.0  # how likely it would tell too little in a list, 0..1
    turns: bool = False  # to another matter than what was said before it
    lead: str = ""  # the statement before it, where that is no line of its own
    opens: float = 0.0  # where it opens its message: how likely that sentence would tell too little
    asked: AgentQuestion | None = None  # the agent's question that it answers
    corrects: Correction | None = None
    takes_back: frozenset[str] | None = None  # words of what the person withdrew; empty: the last statement


def candidates_of(window: Window, weigher: Weigher = weighing.weigh) -> Iterator[Candidate]:
    """Yield the candidates of *window*, as *weigher* weighs their sentences, in the order they were said."""
    zone = ZoneInfo(window.zone)
    held: list[Candidate] = []  # of the last message: a short reply may still complete them
    last: Exchange | None = None
    for exchange in exchanges(window.entries):
        before = last.answer if last else None
        said, asked = (one.text if one else "" for one in (last and last.user, before))
        is_asked = asked.rstrip().endswith(("?", "？"))
        told = _told_allergy(before, exchange, zone) if before is not None and is_asked else None
        if exchange.user is not None and fillers.UNWRITTEN.match(exchange.user.text):
            held = held[: len(held) - last_matter([one.text for one in held])]
        joined = [] if told else _joined_reply(held, exchange, zone, weigher)
        if not joined:
            yield from held
        question = question_before(last, exchange, zone)
        asks = (is_asked, question is not None)
        held = [] if joined else list(_candidates_of(exchange, zone, weigher, asks))
        if held and not held[0].turns and (held[0].opens >= _ANSWERS_AT or is_allergy(asked)):
            is_vital = is_allergy(asked) and held[0].place is Place.STANDING and not is_negated(held[0].text)
            priority = VITAL_PRIORITY if is_vital else held[0].priority
            held[0] = replace(held[0], asked=question, priority=priority)
        if told is not None:
            held = [told, *(one for one in held if not one.words <= told.words)]
        held = [one for one in (_as_meant(each, asked, said) for each in held) if one is not None]
        last = exchange
        yield from joined
    yield from held


def _told_allergy(asked: Entry, exchange: Exchange, zone: ZoneInfo) -> Candidate | None:
    """Return what the person answers where the agent *asked* of an allergy; None for nothing of that."""
    user = exchange.user
    text = allergy_told(asked.text, user.text) if user is not None else ""
    if user is None or not text:
        return None
    weighed = Weighed(Kind.FACT, VITAL_PRIORITY, Place.STANDING, KEEP_AT + _WORK_SCORE, is_lasting=True)
    return candidate_of(text, weighed, (user, asked), zone, Role.USER)


def _as_meant(candidate: Candidate, asked: str, said: str) -> Candidate | None:
    """Return *candidate* without what it cannot correct; None: nor does it tell more."""
    correction = candidate.corrects
    if correction is None or is_of_said(correction, asked, said):
        return candidate
    is_nothing = correction.is_concluded and candidate.is_weak
    return None if is_nothing else replace(candidate, corrects=None)


def _candidates_of(
    exchange: Exchange, zone: ZoneInfo, weigher: Weigher, asks: tuple[bool, bool]
) -> Iterator[Candidate]:
    """Yield the candidates of *exchange*; *asks*: something is asked, and that is told with the answer."""
    user = exchange.user
    if user is None:
        if exchange.has_work:  # work that is only mentioned, without a person's message, has no known subject
            yield from _reported(exchange, zone, "")
        return
    message = read_message(user.text)
    weigher = partial(_weighed_in, message, weigher, asks)
    if exchange.has_work or (message.pasted_chars >= _PASTE_CHARS and _is_finding(exchange)):
        request = _request(message, exchange)
        yield from _statements(user, message, zone, request, weigher)
        yield from _reported(exchange, zone, request)
    else:
        said = _statements(user, message, zone, "", weigher)
        yield from _answered(said, exchange, zone)


def _weighed_in(
    message: PersonMessage, weigher: Weigher, asks: tuple[bool, bool], sentence: Sentence
) -> Weight:
    """Return the verdict on a *sentence* of *message*, as *weigher* weighs it at its place in it."""
    said = sentence.text
    every = message.sentences
    found = (at for at, one in enumerate(every) if said in one.raw or one.raw in said or one.text in said)
    at, (is_asked, is_told) = next(found, 0), asks
    placed = sentence._replace(at=at, of=max(1, len(every)), answers=is_asked)
    weight = weigher(placed)
    if is_told and at == 0:
        weight = weight._replace(needs=0.0)  # what it needs stands before it
    if not said.endswith("!") or _CALLED.search(said) or is_english(said):
        return weight
    # In English its form tells praise from news that is cried out with joy: "La casa è nostra!!".
    calmly = weigher(placed._replace(text=f"{said.rstrip('! ')}."))
    return max(weight, calmly, key=lambda one: one.worth[0])


def _answered(said: Iterable[Candidate], exchange: Exchange, zone: ZoneInfo) -> Iterator[Candidate]:
    """Yield *said*, with orders changed by the answer: done, still open, or dropped."""
    answer = exchange.answer
    for candidate in said:
        if candidate.kind is not Kind.NEXT_STEP or answer is None or candidate.corrects is not None:
            yield candidate
        elif is_carried_out(candidate.text, answer.text):
            report = report_of(answer)
            told = reports.LEAD_ASSISTANT.cut(LEAD.sub("", report.text)) if report else "done"
            # Without the date added to the text: the answer may have settled on another day.
            bare = replace(candidate, text=NOTED_DATE.sub("", candidate.text))
            if _is_to_come(candidate, answer):
                yield _joined(candidate, told, (answer.entry_id,), _said_at(answer, zone))
                continue
            done = _joined(bare, told, (answer.entry_id,), _said_at(answer, zone))
            yield replace(done, kind=Kind.OUTCOME, place=Place.LOG, priority=3, done=True)
        elif order_of(candidate.text) is not OrderKind.TASK or (
            len(answer.text) <= FINDING_CHARS
            and (_is_later(candidate) or reports.PROMISED.match(answer.text))
        ):
            yield candidate


def _is_to_come(candidate: Candidate, answer: Entry) -> bool:
    """Tell whether what was arranged lies ahead: the table is booked, and Friday is yet to come."""
    day, said_at = candidate.refers_to, candidate.said_at
    if day is None or said_at is None or day.start <= said_at.date():
        return False
    told = answer.text[:FINDING_CHARS]
    asked, answered = (
        frozenset(_FIGURE.findall(text)) for text in (NOTED_DATE.sub("", candidate.text), told)
    )
    if reports.OTHERWISE.search(told) or (asked and not answered <= asked):
        return False
    others = {found.ref.start for found in find_dates(told, said_at)} - {day.start}
    return not others and reports.ARRANGES.match(candidate.text) is not None


def _is_later(candidate: Candidate) -> bool:
    """Tell whether *candidate* is about a day; an order for a text, about a later one."""
    refers_to, said_at = candidate.refers_to, candidate.said_at
    if refers_to is None or said_at is None or not is_for_one_text(candidate.text):
        return refers_to is not None
    return refers_to.start > said_at.date()


def _is_finding(exchange: Exchange) -> bool:
    """Tell whether the answer to a paste is short enough to be a finding; an essay is not."""
    return exchange.answer is not None and len(exchange.answer.text) <= FINDING_CHARS


def _statements(
    user: Entry, message: PersonMessage, zone: ZoneInfo, request: str, weigher: Weigher
) -> Iterator[Candidate]:
    """Yield what the person stated; *request* is the work they asked for, told with its outcome."""
    takes_back: frozenset[str] | None = None
    said: list[Candidate] = []
    lead = ""
    for text, raw, label, main in statements_in(message, request, weigher):
        if entities.PLACEHOLDER.search(text):
            continue
        corrects = correction_in(raw)
        if said and corrects is None and cues.THINKS_AGAIN.match(raw):
            said[-1] = _thought_again(said[-1], text)
            continue
        is_lifting = lifts_wish(raw)
        text = raw[:1].upper() + raw[1:] if is_lifting else text  # with "without the VAT"
        only_admits = corrects is not None and is_admitted(raw)  # all else in the earlier line still holds
        if not only_admits and cues.RETRACT.search(raw):
            rest = cues.RETRACT.cut(text, " ")
            # What was wrong is named in the same sentence; the reason and the rest come after it.
            takes_back = content_words(_SENTENCE_BREAK.split(rest, 1)[0]) or content_words(rest)
            if not takes_back:
                said.clear()
        may_close = corrects is not None or is_lifting or may_update(text)
        may_close = may_close or bool(cues.COMPLETION.search(text))
        # "The call with Aline is done" is noted with the plan that it closes; alone it says little.
        is_bare = may_close and len(text.split()) <= _BARE_WORDS
        meant = cues.RETRACT.cut(raw) if takes_back or only_admits else raw
        weighed = weigh_by_form(text, raw=meant, label=label)
        learned = weigher(Sentence(text))
        is_plan = weighed.kind is not Kind.OUTCOME and learned.place is Place.OPEN
        is_lasting = learned.lasts >= _LASTS_AT and weighed.kind is not Kind.OUTCOME
        tells_more = is_lasting or learned.worth[0] >= (_READ_ALONE_AT if learned.is_read else _ALONE_AT)
        if is_plan or not is_bare or (tells_more and not _CALLED.search(raw)):
            weighed = weigh(text, raw=meant, label=label, weigher=weigher)
            weighed, main = _by_main(weighed, text, label, main, weigher)
        weighed = with_tail(weighed, main)
        is_asked_for = bool(request) and (text.startswith(request) or _is_task(text))
        if is_asked_for and not weighed.is_lasting:
            continue
        is_weak = weighed.score < KEEP_AT and takes_back is None
        if is_weak:
            # Too little for a line of its own, it may still end a plan: as what it is learned to be.
            if not may_close and learned.worth[0] < _TELLS_AT:
                lead = text if learned.worth[0] >= _LEADS_AT and not text.startswith(ASKED) else ""
                continue
            weighed = weighed._replace(kind=learned.kind, place=Place.LOG)
        candidate = candidate_of(text, weighed, (user,), zone, Role.USER, main=main)
        if takes_back is not None and candidate.kind is Kind.FACT and not candidate.refers_to:
            candidate = replace(candidate, place=Place.STANDING, priority=max(4, candidate.priority))
        candidate = replace(candidate, takes_back=takes_back, is_weak=is_weak, corrects=corrects)
        turns = turns_to_another(raw, weigher)
        led = "" if turns else lead
        first = message.sentences[0].raw
        opens = weigher(Sentence(first)).unclear if not said and first in raw else 0.0
        said.append(replace(candidate, unclear=learned.unclear, lead=led, turns=turns, opens=opens))
        lead = text if is_weak and not candidate.is_asked else ""
        takes_back = None
    yield from said


def _by_main(weighed: Weighed, text: str, label: str, main: str, weigher: Weigher) -> tuple[Weighed, str]:
    """Return the verdict on what *text* is about, and that sentence, if it is to be done; else the given."""
    about = main or (dated_behind(text) if weighed.place is Place.LOG else "")
    if not about:
        return weighed, main
    of_main = weigh(about, label=label, weigher=weigher)
    is_of_main = of_main.score >= KEEP_AT and of_main.place is Place.OPEN
    return (of_main, about) if is_of_main and (main or of_main.opens >= _PLANS_AT) else (weighed, main)


def _thought_again(candidate: Candidate, text: str) -> Candidate:
    """Return *candidate* told with what is meant instead: alone, either would mislead."""
    told = with_next(candidate.text, ended(text))
    if len(told) > MAX_LINE_CHARS:
        return candidate
    return replace(candidate, text=told, words=content_words(told))


def _joined_reply(
    held: list[Candidate], exchange: Exchange, zone: ZoneInfo, weigher: Weigher
) -> list[Candidate]:
    """Return *held* with the short reply that confirms or completes it; [] when they are unrelated.

    Each clause of the reply is added to the statement that it shares words with.
    """
    user = exchange.user
    if user is None or not held or held[-1].speaker is not Role.USER or exchange.has_work:
        return []
    if not fillers.CONFIRM.match(user.text) or len(user.text.split()) > _REPLY_WORDS:
        return []
    if correction_in(user.text):
        return []  # it takes the place of what was said
    words = tidy(fillers.CONFIRM.cut(user.text)).rstrip(".")
    if weigh(words, weigher=weigher).score >= KEEP_AT + 3:
        return []
    # "No worries", "Sure, take care!": agreement with no content that could be searched for.
    if not content_words(words) or not entities.has_hard_anchor(words):
        return []
    parts: dict[int, list[str]] = {}
    for clause in _CLAUSE.split(words):
        shared = [len(content_words(clause) & candidate.words) for candidate in held]
        best = max(range(len(held)), key=lambda at: (shared[at], at))
        parts.setdefault(best, []).append(clause)
    said_at = _said_at(user, zone)
    return [
        _joined(candidate, ", ".join(parts[at]), (user.entry_id,), said_at) if at in parts else candidate
        for at, candidate in enumerate(held)
    ]


def _joined(candidate: Candidate, told: str, sources: tuple[str, ...], said_at: datetime) -> Candidate:
    text = f"{ended(candidate.text)} → {told}"
    if len(text) > MAX_LINE_CHARS:
        return candidate
    found = find_dates(told, said_at)
    refers_to = date_meant(found, said_at.date(), candidate.kind) if found else candidate.refers_to
    is_plan = candidate.kind is Kind.FACT and refers_to is not None and refers_to.start > said_at.date()
    return replace(
        candidate,
        text=text,
        words=content_words(text),
        kind=Kind.NEXT_STEP if is_plan else candidate.kind,
        place=Place.OPEN if is_plan else candidate.place,
        sources=(*candidate.sources, *sources)[:MAX_SOURCES],
        refers_to=refers_to,
        score=candidate.score + 0.5,
    )


def _request(message: PersonMessage, exchange: Exchange) -> str:
    report = report_of(exchange.answer)
    answered = content_words(report.text) if report else frozenset()
    said = exchange.answer.text if exchange.answer else ""
    asked = [
        one
        for one in message.sentences
        if one.is_question or _is_task(one.text) or is_carried_out(one.text, said)
    ]
    if not asked:
        # A lasting rule requests no work, even when the agent writes it down.
        told = (one.text for one in message.sentences if not (about_self(one.raw) or states_wish(one.raw)))
        return next(told, "")
    # Of several requests, the one that the answer responds to.
    return max(asked, key=lambda one: len(content_words(one.text) & answered)).text


def _is_task(text: str) -> bool:
    is_order = fillers.IMPERATIVE.match(text) or order_of(text) is OrderKind.TASK
    return bool(is_order) and not states_wish(text)


def _reported(exchange: Exchange, zone: ZoneInfo, request: str) -> Iterator[Candidate]:
    line = None if is_housekeeping(request) else work_line(exchange, request)
    if line is None:
        return
    text, kind, done = line
    if entities.PLACEHOLDER.search(text):
        return
    cited = [exchange.user, *exchange.results[-2:], *exchange.calls[-1:], exchange.answer]
    entries: list[Entry] = []
    for entry in cited:
        if entry is not None and entry not in entries:
            entries.append(entry)
    weighed = weigh(text, speaker=Role.ASSISTANT)
    weighed = weighed._replace(kind=kind, place=Place.LOG, priority=3, score=weighed.score + _WORK_SCORE)
    yield replace(candidate_of(text, weighed, tuple(entries[:MAX_SOURCES]), zone, Role.ASSISTANT), done=done)


def candidate_of(
    text: str,
    weighed: Weighed,
    entries: tuple[Entry, ...],
    zone: ZoneInfo,
    speaker: Role,
    *,
    main: str = "",
) -> Candidate:
    """Return *text*, taken from *entries*, as a candidate with the verdict *weighed* and its dates.

    *main*: the sentence that it is about, if not the first.
    """
    said_at = _said_at(entries[0], zone)
    text = clip(ended(text) if speaker is Role.USER and not text.startswith(ASKED) else text, MAX_LINE_CHARS)
    found = _dates_in(text, entries[0], said_at)
    recurs = _starts_recurring(text, found)
    is_lasting = starts_rule(text) or changes_weekly(text) or bool(_STARTS_NEW.search(text))
    is_lasting = is_lasting or changes_amount(head_of(text))
    is_ahead = _are_ahead(found, weighed, said_at.date()) and not (recurs or is_lasting)
    # A date after the first sentence is a detail of what the first sentence states.
    is_about_date = bool(found) and found[0].start < len(text if main else head_of(text))
    # A birthday is not a plan; something with a time of day on a future day is an appointment.
    is_since = any(_SINCE_THEN.search(text, 0, one.start) for one in found)
    is_sure = weighed.is_learned and weighed.place is Place.STANDING and weighed.stands >= _HOLDS_AT
    is_sure = is_sure and not is_since
    is_dateless = weighed.is_lasting or (is_sure and not main and not any(one.ref.time for one in found))
    if is_ahead and is_about_date and speaker is Role.USER and not is_dateless:
        weighed = _planned(weighed, found, text, said_at.date(), main or head_of(text))
    elif weighed.kind is Kind.FACT and weighed.place is Place.STANDING and _is_bare(weighed, text):
        # Figures without a word that says they last are measurements or statements of that day.
        weighed = weighed._replace(place=Place.LOG if entities.has_hard_anchor(text) else weighed.place)
    elif speaker is Role.USER and _has_been(weighed, found, text, said_at.date()):
        weighed = weighed._replace(kind=Kind.OUTCOME, place=Place.LOG)
    elif _is_of_these_days(weighed, found, text, said_at.date(), is_since=is_since):
        kind, place = (Kind.NEXT_STEP, Place.OPEN) if is_ahead else (Kind.FACT, Place.LOG)
        weighed = weighed._replace(kind=kind, place=place)
    is_habit = weighed.kind in (Kind.FACT, Kind.OUTCOME) and bool(HABIT.search(text))
    is_habit = is_habit and not cues.HAS_BEEN.search(text)
    is_rule = weighed.kind is Kind.FACT and (starts_rule(text) or entities.SELF.search(text) is not None)
    starts = is_lasting and (weighed.place is Place.OPEN or is_rule)
    if speaker is Role.USER and (recurs or is_habit or starts):
        weighed = weighed._replace(kind=Kind.FACT, place=Place.STANDING)  # no day fulfils it
    if not (recurs or is_lasting) and _passes(weighed, found, text, said_at.date()):
        weighed = weighed._replace(place=Place.OPEN)
    weighed = without_intent(weighed, text, has_day=bool(found)) if speaker is Role.USER else weighed
    shown = with_dates(text, found, said_at.date()) if speaker is Role.USER else text
    return Candidate(
        text=shown if len(shown) <= MAX_LINE_CHARS + 20 else text,
        words=content_words(text),
        kind=weighed.kind,
        priority=weighed.priority,
        place=weighed.place,
        score=weighed.score,
        sources=tuple(entry.entry_id for entry in entries),
        speaker=speaker,
        refers_to=None if recurs else date_meant(found, said_at.date(), weighed.kind),
        is_asked=text.startswith(ASKED),
        is_ahead=is_ahead,
        said_at=said_at,
    )


def _dates_in(text: str, entry: Entry, said_at: datetime) -> list[FoundDate]:
    """Return the dates of *text*, a part of *entry*, but for those that it denies: "not on Friday"."""
    found = find_dates(text, said_at, amid=entry.text)
    return [one for one in found if not _DENIED.search(text[: one.start])]


def _are_ahead(found: list[FoundDate], weighed: Weighed, today: date) -> bool:
    """Tell whether there are dates, all of them to come.

    "Dentist booked 3 Nov": booked then, or for then? It opens something, so the day is to come.
    """
    is_open = weighed.opens >= _SURELY_OPENS_AT
    return bool(found) and all(one.is_ahead(today) or (is_open and one.may_be_ahead(today)) for one in found)


def _has_been(weighed: Weighed, found: list[FoundDate], text: str, today: date) -> bool:
    """Tell whether a next step is of days that have passed: "on Friday I was at the doctor's"."""
    if weighed.kind is not Kind.NEXT_STEP or weighed.is_lasting or cues.INTENDS.search(text):
        return False
    return bool(found) and all(one.ref.certain and (one.ref.end or one.ref.start) < today for one in found)


def _is_of_these_days(
    weighed: Weighed, found: list[FoundDate], text: str, today: date, *, is_since: bool
) -> bool:
    """Tell whether a fact that would stand does not last: "Duarte is ill, so no class this week"."""
    may_stand = weighed.kind is Kind.FACT and weighed.place is Place.STANDING and not weighed.is_lasting
    may_stand = may_stand and (is_since or weighed.stands < _SURELY_HOLDS_AT)
    may_stand = may_stand and not (is_since and recurs(text))  # "Yoga is on Thursdays from this week"
    refs = [one.ref for one in found]
    return (
        may_stand
        and bool(refs)
        and all(abs(ref.start - today) <= _NEAR and (ref.end or ref.start) - today <= _NEAR for ref in refs)
    )


def _passes(weighed: Weighed, found: list[FoundDate], text: str, today: date) -> bool:
    """Tell whether *text* is a wish that ends with the days it names, and no order of each time."""
    is_vital = weighed.kind is Kind.FACT and weighed.priority == VITAL_PRIORITY  # "new pills from today"
    is_wish = weighed.kind is Kind.PREFERENCE or (weighed.is_lasting and not is_vital)
    return is_wish and not is_each_time(text) and _is_for_days(found, text, today)


def _is_for_days(found: list[FoundDate], text: str, today: date) -> bool:
    """Tell whether a wish ends with the days that it names: "keep it short this week", "until Friday"."""
    if len(found) != 1 or not found[0].ref.certain:
        return False
    ref, before = found[0].ref, text[: found[0].start]
    if _SINCE_THEN.search(before) or _CLAUSE.search(before):
        return False  # "no nuts any more, he got a rash today" tells why
    ends = ref.end or ref.start
    is_end = ref.end is not None or ref.start == today or _UNTIL.search(before) is not None
    return is_end and today <= ends <= today + 2 * _NEAR


def _is_bare(weighed: Weighed, text: str) -> bool:
    is_unsure = weighed.priority == _BARE_PRIORITY and weighed.stands < _HOLDS_AT
    return is_unsure and not recurs(text)


def _starts_recurring(text: str, found: list[FoundDate]) -> bool:
    """Tell whether the dates *found* only say from when something recurs."""
    return RECURRING.search(text) is not None and any(
        _SINCE_THEN.search(text, max(0, one.start - 24), one.start) for one in found
    )


def _planned(weighed: Weighed, found: list[FoundDate], text: str, today: date, head: str) -> Weighed:
    """Return *weighed* as a plan when it states what lies ahead; a decision only when it is for one day."""
    is_appointment = weighed.kind is Kind.DECISION and not _SINCE_THEN.search(text, 0, found[0].start)
    is_told = weighed.kind in (Kind.FACT, Kind.OUTCOME) or is_appointment
    may_open = weighed.opens >= _OPENS_AT and weighed.place is Place.LOG
    may_open = may_open and not (cues.NOT_MEANT.match(head) or changes.OFF.search(head))
    is_meant_so = is_told and (is_meant(head) or cues.ARRANGED.search(text) is not None)
    if not (is_meant_so or (may_open and (is_told or weighed.kind is Kind.ISSUE))):
        return weighed
    if all(one.ref.start <= today for one in found) and not cues.INTENDS.search(text):
        return weighed  # "61 repairs in October", said in October: a count so far
    if 0 <= text.find(f"; {ASKED.lower()}") < found[0].start:
        return weighed  # the date stands only in what is asked
    return weighed._replace(kind=Kind.NEXT_STEP, place=Place.OPEN, priority=max(4, weighed.priority))


def _said_at(entry: Entry, zone: ZoneInfo) -> datetime:
    return datetime.fromtimestamp(entry.said_at_ms / 1000, zone)
