"""Check that a line which a model made of earlier lines says what they say, and derive its fields.

Its words are verified like any proposal's (core/verification/verify), with the lines it was made of as the
cited entries. A merged line replaces them, so each of them must also be found in it, by priority: an
important line with every literal, most words and every negation; another line with a third of its words and
whatever limits them. A word such as "tomorrow" must mean the same day as where it was said; events of two
days stay events of two days; where the lines give one value after another, the new line must give the last
one. Its day, kind, priority, place and claim follow from its lines; the model has no say in them. All checks
are formal: they do not know what a reader would miss.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import date, datetime, timedelta
from functools import cached_property
from itertools import chain
from typing import NamedTuple
from zoneinfo import ZoneInfo

from scrimshaw import data
from scrimshaw.core.ledger.known_lines import KnownLines
from scrimshaw.core.ledger.lifecycle import age_of
from scrimshaw.core.ledger.observations import observation_id
from scrimshaw.core.section.render import safe
from scrimshaw.core.text.dates import find_dates
from scrimshaw.core.text.normalize import marks, normal
from scrimshaw.core.text.numbers import readings
from scrimshaw.core.text.stems import share_held, split_words
from scrimshaw.core.text.times import find_times
from scrimshaw.core.transcript.windows import estimate_tokens
from scrimshaw.core.types import (
    Author,
    Entry,
    Kind,
    Line,
    Observation,
    Place,
    Proposal,
    Rejected,
    Role,
    Session,
    SessionKind,
    Window,
)
from scrimshaw.core.verification import literals
from scrimshaw.core.verification.dates import strange_date, strange_time
from scrimshaw.core.verification.names import is_ordinary_word, strange_name
from scrimshaw.core.verification.polarity import contradiction, stances
from scrimshaw.core.verification.source import Witness
from scrimshaw.core.verification.verify import Evidence, judge

IMPORTANT = 4  # lines of this priority or higher must be kept in full
# How many of a line's words the merged line must hold, by priority: (share, n, share of the rest), the first
# share being of the first n words. In a short line each word counts; in a long one many are mere style.
_KEPT = {5: (0.78, 6, 0.25), 4: (0.66, 6, 0.25)}
_KEPT_OF_OTHERS = (0.3, 8, 0.0)
_LEAST_SHARED_KEPT = 0.75  # of the words that all the lines share, which are what they are about
# Words for who says something and how carry little of the content; the speaker is checked separately.
TELLING = split_words(" ".join(data.words("compare", "telling")))

# Words that negate or limit a statement: without one it says something else, however few words it has. The
# expressions listed here may replace each other; where that is wider than what is looked for, see
# _FIRST_LIMIT.
_LIMITS = {
    "not": r"not|never|no|none|nobody|nothing|neither|nor|cannot|without|\w+n['’]t",
    "only": r"only|solely|exclusively|nothing but",
    "except": r"except|excluding|apart from|but not|but for|other than",
    "unless": r"unless|except",
    "until": r"until|till|by",
    "if": r"if|when|whenever|unless|in case|provided that|where",
    "instead": r"instead|rather than",
    "at most": r"at most|no more than|up to|max(?:imum|imal)?|most",
    "at least": r"at least|no less than|min(?:imum|imal)?|least",
    "may": r"may|might|maybe|perhaps|possibly|probably|could|unsure|uncertain",
    "avoid": r"avoids?|avoided|refuse[sd]?|dislike[sd]?|hate[sd]?|stops?|against|no|never|not|\w+n['’]t",
}
_FIRST_LIMIT = {
    "until": r"until|till",
    "if": r"(?<!see )(?<!ask )(?<!know )(?<!wonder )(?<!out )if|in case|provided that",  # not "whether"
    "at most": r"at most|no more than|up to",
    "at least": r"at least|no less than",
    "may": r"might|maybe|perhaps|possibly|probably|unsure|uncertain",
    "avoid": r"avoids?|avoided|refuse[sd]?|dislike[sd]?|hate[sd]?|against",
}
_FIRST_WORD = re.compile(r"(?:(?:the )?(?:user|person)(?: \w+)? )?([A-Z][\w'’-]*)")
# What may follow a verb but not a name.
_OBJECT = re.compile(r"\s+(?:a|an|the|up|out|off|own|it|them|that|this|some|more|to)\b")
_WEEKEND = timedelta(days=1)
_CONTRACTED = re.compile(r"'(?:s|ll|ve|re|d|m)$")
_SENTENCE_END = re.compile(r"(?<=[.!?;])\s+")
_FIGURE = re.compile(r"(?<![\w.,/:-])\d+(?:[.,']\d+)*(?![\w/:-]|[.,]\d)")


class StepRefusal(NamedTuple):
    """Why a proposed step is not carried out."""

    reason: str  # a short stable word
    detail: str  # a sentence, for the model that is asked again and for a person


class Stated(Witness):
    """A line as an entry to be cited; *days* are those that its words mean, when already known."""

    def __init__(self, entry: Entry, zone: ZoneInfo, days: frozenset[date]) -> None:
        super().__init__(entry, zone)
        self._days = days

    @cached_property
    def named_dates(self) -> frozenset[date]:
        """The days that were given, and no others."""
        return self._days


def entry_of(observation: Observation, position: int) -> Entry:
    """Return a line as an entry that a new line can cite by its id."""
    return Entry(
        observation.session_id,
        observation.id,
        position,
        observation.said_at_ms,
        observation.speaker,
        observation.text,
    )


def days_of(observation: Observation) -> frozenset[date]:
    """Return the days that a line's words mean, the day it was said and the day it is about."""
    days = {date.fromisoformat(observation.local_date), *named_in(observation.text, observation)}
    if observation.refers_to is not None:
        days |= {observation.refers_to.start, observation.refers_to.end or observation.refers_to.start}
    return frozenset(days)


def named_in(text: str, said: Observation) -> set[date]:
    """Return the first and last days that *text* names, read with the date and time zone of *said*."""
    found = (item.ref for item in find_dates(text, moment_of(said)))
    return {day for ref in found for day in (ref.start, ref.end or ref.start)}


def moment_of(observation: Observation) -> datetime:
    """Return when a line was said, in the zone of its day."""
    return datetime.fromtimestamp(observation.said_at_ms / 1000, ZoneInfo(observation.zone))


def words_of(*texts: str) -> frozenset[str]:
    """Return the stemmed content words of *texts*."""
    return frozenset().union(*(split_words(normal(text)) for text in texts))


def lost(observation: Observation, made: Observation) -> StepRefusal | None:
    """Return what of *observation* the new line no longer says; None when nothing is lost."""
    is_important = observation.priority >= IMPORTANT
    matter = words_of(_undated(observation)) - TELLING
    held = words_of(made.text)
    if share_held(matter, held) < _least_kept(len(matter), observation.priority):
        return StepRefusal("lost", f"it hardly says what this line says: {observation.text[:120]}")
    sentences = [observation.text] if is_important else _SENTENCE_END.split(observation.text)
    # Where a whole sentence of an unimportant line is left out, its limits need not be kept either.
    told = (one for one in sentences if is_important or not held.isdisjoint(words_of(one) - TELLING))
    if limit := next(filter(None, (limit_lost(one, made.text) for one in told)), ""):
        return StepRefusal("lost", f"it leaves out “{limit}”, without which a line says another thing")
    if not is_important:
        return None
    days = frozenset(named_in(made.text, made)) | days_of(made)
    # The check in the other direction: the old line as the note, the new line as its only source.
    entry = entry_of(made, 0)._replace(said_at_ms=observation.said_at_ms)
    cited = (Stated(entry, ZoneInfo(observation.zone), days),)
    text = observation.text
    for detail in (
        literals.strange_quotation(text, cited),
        _date_lost(observation, made, days),
        strange_date(_undated(observation), None, cited),
        strange_time(text, cited),
        literals.strange_identifier(text, cited),
        _figure_lost(observation, cited[0]),
        strange_name(text, cited),
    ):
        if detail:
            gone = detail.replace("stands in no entry it cites", "is lost")
            return StepRefusal("lost", f"an important line loses something: {gone}")
    turned = contradiction(stances(normal(text)), stances(normal(made.text)))
    # A dense line may be cut into clauses differently: with as many negations as before, no negation was
    # lost.
    if turned and denials_in(made.text) < denials_in(text):
        return StepRefusal("polarity", f"an important line would be turned round: {turned}")
    return None


def _least_kept(count: int, priority: int) -> float:
    """Return the share of a line's *count* words that the merged line must hold."""
    share, most, share_of_more = _KEPT.get(priority, _KEPT_OF_OTHERS)
    first = min(count, most)
    return (share * first + share_of_more * (count - first)) / max(count, 1)


def limit_lost(text: str, made: str) -> str:
    """Return a negation or limit that is in *text* but no longer in *made*; "" when none is lost."""
    lower, now = normal(text), normal(made)
    return next(
        (
            limit
            for limit, kin in _LIMITS.items()
            if _stands(_FIRST_LIMIT.get(limit, kin), lower) and not _stands(kin, now)
        ),
        "",
    )


def _stands(words: str, lower: str) -> bool:
    return re.search(rf"\b(?:{words})\b", lower) is not None


def who(text: str) -> str:
    """Return the name that *text* begins with, lower case; "" when it begins with an ordinary word.

    A note whose subject is left out begins with a verb ("Drew a plan") or an abbreviation.
    """
    match = _FIRST_WORD.match(text)
    if match is None or match[1].isupper() or _OBJECT.match(text, match.end()):
        return ""
    lower = _CONTRACTED.sub("", normal(match[1]))
    return "" if is_ordinary_word(lower, ()) else lower


def denials_in(text: str) -> int:
    """Return how many negations *text* holds."""
    return int(marks(text, normal(text))[-1])


def _figure_lost(observation: Observation, made: Witness) -> str:
    """Return a number that the new line lacks; what it counts is checked in the other direction."""
    figures = (match.group() for match in _FIGURE.finditer(_undated(observation)))
    lost = next((figure for figure in figures if made.numbers.isdisjoint(readings(figure))), "")
    return f"“{lost}” is lost" if lost else ""


def _date_lost(observation: Observation, made: Observation, days: frozenset[date]) -> str:
    """Return a date of a line that the new one, which means *days*, no longer names."""
    found = find_dates(observation.text, moment_of(observation))
    refs = [item.ref for item in found] + [ref for ref in [observation.refers_to] if ref is not None]
    now = normal(made.text)
    for start, end, _, phrase, _ in refs:
        last = end or start
        is_named = start in days and (last in days or last - start <= _WEEKEND)
        is_year = (start.month, start.day, last.month, last.day) == (1, 1, 12, 31)
        if not (
            is_named or (is_year and _stands(str(start.year), now)) or (phrase and normal(phrase) in now)
        ):
            return f"“{phrase or start}” ({start}{f' to {end}' if end else ''}) is lost"
    return ""


def _undated(observation: Observation) -> str:
    """Return a line's text without its dates and times, which are compared by meaning."""
    text = observation.text
    spans = [(item.start, item.end) for item in find_dates(text, moment_of(observation))]
    spans += [(time.start, time.end) for time in find_times(text)]
    for start, end in sorted(spans, reverse=True):
        text = f"{text[:start]}; {text[end:]}"
    return text


def astray(made: Observation, by_age: Sequence[Line]) -> StepRefusal | None:
    """Return a refusal when the new line is not about what all its lines are about."""
    words = (words_of(_undated(line.observation)) for line in by_age)
    shared = frozenset.intersection(*words) - TELLING
    if shared and share_held(shared, words_of(made.text)) < _LEAST_SHARED_KEPT:
        told = ", ".join(sorted(shared)[:6])
        return StepRefusal("lost", f"it is not about what all its lines are about: {told}")
    return None


def says_what_no_longer_holds(made: Observation, by_age: Sequence[Line]) -> StepRefusal | None:
    """Return a refusal when its lines give successive values and the new line lacks the newest."""
    latest: dict[tuple[str, str], Observation] = {}
    is_changed: set[tuple[str, str]] = set()
    for observation in (line.observation for line in by_age):
        if observation.claim is None:
            continue
        topic = observation.claim[:2]
        if topic in latest and latest[topic].claim != observation.claim:
            is_changed.add(topic)
        latest[topic] = observation
    lower = normal(made.text)
    for topic in sorted(is_changed):
        claim = latest[topic].claim
        if claim is not None and normal(claim.object) not in lower:
            return StepRefusal("outdated", f"the newest line says “{claim.object[:80]}”, and it does not")
    return _outcounted(made, by_age)


def _outcounted(made: Observation, by_age: Sequence[Line]) -> StepRefusal | None:
    """Return a refusal when the new line's count of something is an earlier line's, not the latest one's."""
    zone = ZoneInfo(made.zone)
    earlier: dict[str, set[str]] = {}
    latest: dict[str, set[str]] = {}
    for line in by_age:
        for noun, numbers in Witness(entry_of(line.observation, 0), zone).counted.items():
            earlier[noun] = earlier.get(noun, set()) | latest.get(noun, set())
            latest[noun] = numbers
    stated = Witness(entry_of(made, 0), zone)
    for noun, numbers in stated.counted.items():
        old = numbers & (earlier.get(noun, set()) - latest.get(noun, numbers))
        if old and stated.numbers.isdisjoint(latest[noun]):
            return StepRefusal(
                "outdated", f"it counts “{noun}” as an earlier line did, not as the latest does"
            )
    return None


LEAST_MERGED = 2
LEAST_SEEN = 3  # lines that a pattern needs; two could be a coincidence
MOST_RESTED_ON = 8  # lines that one new line may be made of; each of them is checked against it
_LEAST_DRAWN = 0.5  # share of a pattern's words that must stand in its lines

PATTERNS = frozenset({"habit", "preference", "routine", "recurring problem", "trend", "theme"})
_SCOPE = "reflection"
_NOBODYS = Session("", "", "", SessionKind.UNKNOWN)
_MONTH = timedelta(days=27)  # from its first day to its last, at least
_LASTING = (Kind.DECISION, Kind.PREFERENCE)
_EVENTS = (Kind.OUTCOME, Kind.ISSUE)


def verify_merge(
    text: str, lines: Sequence[Line], known: KnownLines, *, run_id: str
) -> Observation | StepRefusal:
    """Return the line that replaces *lines*, which are live, or why it is refused.

    *known* are the other live lines, which it must not repeat.
    """
    by_age = sorted(lines, key=age_of)
    if refusal := _apart(by_age):
        return refusal
    made = _made_of(safe(text), by_age, run_id)
    if refusal := _verdict(made, by_age, known) or _undrawn(made, by_age) or _strange_day(made, by_age):
        return refusal
    if refusal := _turned(made, by_age):
        return refusal
    losses = (lost(line.observation, made) for line in by_age)
    return next(filter(None, (*losses, astray(made, by_age), says_what_no_longer_holds(made, by_age))), made)


def verify_generalisation(
    text: str, pattern: str, lines: Sequence[Line], known: KnownLines, *, run_id: str
) -> Observation | StepRefusal:
    """Return a line that says what *lines* have in common; they stay and support it."""
    by_age = sorted(lines, key=age_of)
    if pattern not in PATTERNS:
        return StepRefusal("pattern", f"“{pattern[:40]}” is none of: {', '.join(sorted(PATTERNS))}")
    if not LEAST_SEEN <= len(by_age) <= MOST_RESTED_ON:
        return StepRefusal("supports", f"a pattern rests on {LEAST_SEEN} to {MOST_RESTED_ON} different lines")
    if len({line.observation.speaker is Role.USER for line in by_age}) > 1:
        return StepRefusal("speaker", "one of its lines is the person's word and another is not")
    if any(line.observation.level for line in by_age):
        return StepRefusal("level", "a pattern rests on observations, not on other patterns")
    made = _pattern_of(safe(text), pattern, by_age, run_id)
    refusals = (check(made, by_age) for check in (_strange_day, _unseen, _turned))
    return _verdict(made, by_age, known) or next(filter(None, refusals), made)


# -- which lines may be merged -------------------------------------------------------------------------------


def _apart(by_age: Sequence[Line]) -> StepRefusal | None:
    if not LEAST_MERGED <= len(by_age) <= MOST_RESTED_ON:
        return StepRefusal(
            "supports", f"{LEAST_MERGED} to {MOST_RESTED_ON} different lines are merged into one"
        )
    observations = [line.observation for line in by_age]
    places = {line.standing.place for line in by_age}
    told_apart = (
        (
            "speaker",
            "one is the person's word and another is not",
            {one.speaker is Role.USER for one in observations},
        ),
        ("level", "one is a pattern and another is not", {one.level for one in observations}),
        ("expired", "the outcome of one is unknown", {line.standing.is_expired for line in by_age}),
        ("place", "open items are merged with open items only", {place is Place.OPEN for place in places}),
        (
            "kind",
            "next steps are merged only with each other",
            {one.kind is Kind.NEXT_STEP for one in observations},
        ),
    )
    for reason, detail, found in told_apart:
        if len(found) > 1:
            return StepRefusal(reason, detail)
    if len({who(one.text) for one in observations} - {""}) > 1:
        return StepRefusal("about", "they tell of different people or things")
    if places == {Place.OPEN} and len({ref[:2] for one in observations if (ref := one.refers_to)}) > 1:
        return StepRefusal("date", "they are open for different days")
    return None


# -- the fields of the new line ------------------------------------------------------------------------------


def _made_of(text: str, by_age: Sequence[Line], run_id: str) -> Observation:
    observations = [line.observation for line in by_age]
    places = {line.standing.place for line in by_age}
    days = {ref[:2]: ref for one in observations if (ref := one.refers_to)}  # however it is worded
    lasting = [one.kind for one in observations if one.kind in _LASTING]
    newest = observations[-1]
    # A finished act and a state may be of one subject; the merged line says in words what was done.
    is_done = all(one.done for one in observations)
    kind = Kind.FACT if newest.done and not is_done else newest.kind
    return replace(
        _drawn_from(text, newest.pattern, observations, run_id),
        kind=lasting[-1] if lasting else kind,
        done=is_done,
        place=Place.STANDING if Place.STANDING in places else by_age[-1].standing.place,
        refers_to=next(iter(days.values())) if len(days) == 1 else None,
    )


def _pattern_of(text: str, pattern: str, by_age: Sequence[Line], run_id: str) -> Observation:
    made = _drawn_from(text, pattern, [line.observation for line in by_age], run_id)
    is_persons = made.speaker is Role.USER
    return replace(
        made,
        kind=made.kind if is_persons and made.kind in _LASTING else Kind.FACT,
        place=Place.STANDING if is_persons else Place.LOG,
        done=False,
        refers_to=None,
        claim=None,
        level=1,
    )


def _drawn_from(text: str, pattern: str, observations: Sequence[Observation], run_id: str) -> Observation:
    newest = observations[-1]
    supports = tuple(one.id for one in observations)
    is_pattern = bool(newest.level and pattern)
    return replace(
        newest,
        id=observation_id(_SCOPE, supports, f"{pattern}\n{text}"),
        text=text,
        priority=max(one.priority for one in observations),
        done=newest.done and not is_pattern,
        author=Author.MODEL,
        claim=None if is_pattern else newest.claim,
        confidence=min(one.confidence for one in observations),
        salience=max(one.salience for one in observations),
        run_id=run_id,
        tokens=estimate_tokens(text),
        level=1 if newest.level else 0,
        supports=supports,
        pattern=pattern,
    )


# -- whether the new line says what its lines say ------------------------------------------------------------


def _verdict(made: Observation, by_age: Sequence[Line], known: KnownLines) -> StepRefusal | None:
    zone = ZoneInfo(made.zone)
    entries = [entry_of(line.observation, number) for number, line in enumerate(by_age)]
    witnesses = {
        entry.entry_id: Stated(entry, zone, days_of(line.observation))
        for entry, line in zip(entries, by_age, strict=True)
    }
    proposal = Proposal(
        text=made.text,
        kind=made.kind,
        priority=made.priority,
        sources=made.supports,
        speaker=made.speaker,
        place=made.place,
        done=made.done,
        refers_to=made.refers_to,
    )
    window = Window(_NOBODYS, tuple(entries), 0, made.zone)
    match judge(proposal, Evidence(window, dict(witnesses), MOST_RESTED_ON), known):
        case Rejected(reason=reason, detail=detail):
            return StepRefusal(reason, detail[:200])
        case _:
            return None


def _turned(made: Observation, by_age: Sequence[Line]) -> StepRefusal | None:
    """Return a refusal when the new line reverses a statement; no model reads it a second time."""
    told = (stances(normal(line.observation.text)) for line in by_age)
    turned = contradiction(stances(normal(made.text)), tuple(chain.from_iterable(told)))
    return StepRefusal("polarity", turned) if turned else None


def _strange_day(made: Observation, by_age: Sequence[Line]) -> StepRefusal | None:
    """Return a refusal for a day that the new line names, by its own date, and none of its lines means."""
    meant = frozenset().union(*(days_of(line.observation) for line in by_age))
    for item in find_dates(made.text, moment_of(made)):
        start, end = item.ref.start, item.ref.end or item.ref.start
        # "In April" may be written of something said on a day in April.
        is_month = end - start >= _MONTH and any(start <= day <= end for day in meant)
        strange = sorted({start, end} - meant)
        if strange and not is_month:
            return StepRefusal(
                "date", f"read on {made.local_date} it names {strange[0]}, which its lines do not mean"
            )
    return None


def _unseen(made: Observation, by_age: Sequence[Line]) -> StepRefusal | None:
    """Return a refusal when a pattern says what its lines do not say, or shows nothing of one of them."""
    if refusal := _too_free(made, by_age):
        return refusal
    own = words_of(made.text) - TELLING
    for line in by_age:
        if own.isdisjoint(words_of(line.observation.text)):
            return StepRefusal("unsupported", f"this line shows nothing of it: {line.observation.text[:120]}")
    every = " ; ".join(line.observation.text for line in by_age)
    if limit := limit_lost(made.text, every):
        return StepRefusal("unsupported", f"none of its lines says “{limit}”")
    return None


def _too_free(made: Observation, by_age: Sequence[Line]) -> StepRefusal | None:
    """Return a refusal when too few of the new line's words come from its lines."""
    held = words_of(*(line.observation.text for line in by_age))
    share = share_held(words_of(made.text), held)
    if share >= _LEAST_DRAWN:
        return None
    return StepRefusal("unsupported", f"only {share:.0%} of its words stand in the lines it is made of")


def _undrawn(made: Observation, by_age: Sequence[Line]) -> StepRefusal | None:
    """Return a refusal when too few of its words come from its lines, or an event's day is lost."""
    if refusal := _too_free(made, by_age):
        return refusal
    named = [item.ref for item in find_dates(made.text, moment_of(made))]
    for line in by_age:
        observation = line.observation
        is_event = observation.done or observation.kind in _EVENTS
        day = date.fromisoformat(observation.local_date)
        # Either the day of the event or the day on which it was told.
        is_named = any(
            ref.start <= one <= (ref.end or ref.start) for ref in named for one in days_of(observation)
        )
        if is_event and observation.local_date != made.local_date and not is_named:
            return StepRefusal(
                "date", f"what happened on {day} would stand under {made.local_date}: name the day"
            )
    return None
