"""A new line that a model made of earlier lines: whether it says what they say, and what it is then.

Its words are judged like any proposal's (core/verification/verify), with the lines it rests on as the entries
it cites, and more strictly: what is merged goes from the section, so its matter must be found again in the
new line, all of it when it was important; a word such as "tomorrow" must mean the day it meant where it was
said; two days' events stay two days'. What the line is (its day, kind, priority, place, claim) follows from
what it rests on; a model has no say in it. Knows neither the ledger nor what becomes of the lines.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, timedelta
from zoneinfo import ZoneInfo

from scrimshaw.core.consolidation.coverage import (
    TELLING,
    Refusal,
    Stated,
    astray,
    days_of,
    entry_of,
    limit_lost,
    lost,
    moment_of,
    outdated,
    who,
    words_of,
)
from scrimshaw.core.ledger.known_lines import Known
from scrimshaw.core.ledger.observations import observation_id
from scrimshaw.core.section.render import safe
from scrimshaw.core.text.dates import find_dates
from scrimshaw.core.text.stems import share_held
from scrimshaw.core.transcript.windows import estimate_tokens
from scrimshaw.core.types import (
    Author,
    DateRef,
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
from scrimshaw.core.verification.verify import Evidence, judge

LEAST_MERGED = 2
LEAST_SEEN = 3  # twice is a coincidence
MOST_RESTED_ON = 8  # a subject is said in one line, and each of its lines is still looked for in it
_LEAST_DRAWN = 0.5  # of a merged line's words that stand in the lines it is made of

PATTERNS = frozenset({"habit", "preference", "routine", "recurring problem", "trend", "theme"})
_SCOPE = "reflection"
_NOBODYS = Session("", "", "", SessionKind.UNKNOWN)
_MONTH = timedelta(days=27)  # from its first day to its last, at least
_LASTING = (Kind.DECISION, Kind.PREFERENCE)
_EVENTS = (Kind.OUTCOME, Kind.ISSUE)


def merged(text: str, lines: Sequence[Line], known: Known, *, run_id: str) -> Observation | Refusal:
    """Return the line that takes the place of *lines*, live ones, or why it may not.

    *known* are the other live lines, which it must not repeat.
    """
    by_age = sorted(lines, key=lambda line: (line.observation.said_at_ms, line.observation.id))
    if refusal := _apart(by_age):
        return refusal
    made = _made_of(safe(text), by_age, run_id)
    if refusal := _verdict(made, by_age, known) or _undrawn(made, by_age) or _undated(made, by_age):
        return refusal
    losses = (lost(line.observation, made) for line in by_age)
    return next(filter(None, (*losses, astray(made, by_age), outdated(made, by_age))), made)


def generalised(
    text: str, pattern: str, lines: Sequence[Line], known: Known, *, run_id: str
) -> Observation | Refusal:
    """Return the line that says what *lines* have in common, and which they support; they stay."""
    by_age = sorted(lines, key=lambda line: (line.observation.said_at_ms, line.observation.id))
    if pattern not in PATTERNS:
        return Refusal("pattern", f"“{pattern[:40]}” is none of: {', '.join(sorted(PATTERNS))}")
    if not LEAST_SEEN <= len(by_age) <= MOST_RESTED_ON:
        return Refusal("supports", f"a pattern rests on {LEAST_SEEN} to {MOST_RESTED_ON} different lines")
    if len({_is_persons(line.observation) for line in by_age}) > 1:
        return Refusal("speaker", "one of its lines is the person's word and another is not")
    if any(line.observation.level for line in by_age):
        return Refusal("level", "a pattern rests on observations, not on other patterns")
    made = _pattern_of(safe(text), pattern, by_age, run_id)
    return _verdict(made, by_age, known) or _undated(made, by_age) or _unseen(made, by_age) or made


# -- what may be merged --------------------------------------------------------------------------------------


def _apart(by_age: Sequence[Line]) -> Refusal | None:
    """Return what keeps *by_age* from being one line, whatever its words."""
    if not LEAST_MERGED <= len(by_age) <= MOST_RESTED_ON:
        return Refusal("supports", f"{LEAST_MERGED} to {MOST_RESTED_ON} different lines are merged into one")
    observations = [line.observation for line in by_age]
    places = {line.standing.place for line in by_age}
    told_apart = (
        (
            "speaker",
            "one is the person's word and another is not",
            {_is_persons(one) for one in observations},
        ),
        ("done", "one is done and another is not", {one.done for one in observations}),
        ("level", "one is a pattern and another is not", {one.level for one in observations}),
        ("expired", "the outcome of one is unknown", {line.standing.is_expired for line in by_age}),
        ("place", "open items are merged with open items only", {place is Place.OPEN for place in places}),
        ("kind", "next steps are merged only with each other", {_is_step(one) for one in observations}),
    )
    for reason, detail, found in told_apart:
        if len(found) > 1:
            return Refusal(reason, detail)
    if len({who(one.text) for one in observations} - {""}) > 1:
        return Refusal("about", "they tell of different people or things")
    if places == {Place.OPEN} and len({ref[:2] for one in observations if (ref := one.refers_to)}) > 1:
        return Refusal("date", "they are open for different days")
    return None


def _is_persons(observation: Observation) -> bool:
    return observation.speaker is Role.USER


def _is_step(observation: Observation) -> bool:
    return observation.kind is Kind.NEXT_STEP


# -- what the new line is ------------------------------------------------------------------------------------


def _made_of(text: str, by_age: Sequence[Line], run_id: str) -> Observation:
    observations = [line.observation for line in by_age]
    places = {line.standing.place for line in by_age}
    days = {ref[:2]: ref for one in observations if (ref := one.refers_to)}  # whatever the words for them
    lasting = [one.kind for one in observations if one.kind in _LASTING]
    newest = observations[-1]
    return _drawn_from(
        text,
        observations,
        run_id,
        kind=lasting[-1] if lasting else newest.kind,
        place=Place.STANDING if Place.STANDING in places else by_age[-1].standing.place,
        refers_to=next(iter(days.values())) if len(days) == 1 else None,
        level=newest.level,
        pattern=newest.pattern,
    )


def _pattern_of(text: str, pattern: str, by_age: Sequence[Line], run_id: str) -> Observation:
    observations = [line.observation for line in by_age]
    kind = observations[-1].kind
    is_persons = observations[-1].speaker is Role.USER
    return _drawn_from(
        text,
        observations,
        run_id,
        kind=kind if is_persons and kind in _LASTING else Kind.FACT,
        place=Place.STANDING if is_persons else Place.LOG,
        refers_to=None,
        level=1,
        pattern=pattern,
    )


def _drawn_from(
    text: str,
    observations: Sequence[Observation],
    run_id: str,
    *,
    kind: Kind,
    place: Place,
    refers_to: DateRef | None,
    level: int,
    pattern: str,
) -> Observation:
    newest = observations[-1]
    supports = tuple(one.id for one in observations)
    is_pattern = bool(level and pattern)
    return Observation(
        id=observation_id(_SCOPE, supports, f"{pattern}\n{text}"),
        text=text,
        kind=kind,
        priority=max(one.priority for one in observations),
        place=place,
        done=newest.done and not is_pattern,
        author=Author.MODEL,
        session_id=newest.session_id,
        sources=newest.sources,
        speaker=newest.speaker,
        said_at_ms=newest.said_at_ms,
        local_date=newest.local_date,
        local_time=newest.local_time,
        zone=newest.zone,
        refers_to=refers_to,
        claim=None if is_pattern else newest.claim,
        confidence=min(one.confidence for one in observations),
        salience=max(one.salience for one in observations),
        run_id=run_id,
        tokens=estimate_tokens(text),
        level=1 if level else 0,
        supports=supports,
        pattern=pattern,
    )


# -- whether it says what they say ---------------------------------------------------------------------------


def _verdict(made: Observation, by_age: Sequence[Line], known: Known) -> Refusal | None:
    """Judge the new line as if the lines were entries of a window."""
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
            return Refusal(reason, detail[:200])
        case _:
            return None


def _undated(made: Observation, by_age: Sequence[Line]) -> Refusal | None:
    """Return a day that the new line names, by its own date, and that none of the lines means."""
    meant = frozenset().union(*(days_of(line.observation) for line in by_age))
    for item in find_dates(made.text, moment_of(made)):
        start, end = item.ref.start, item.ref.end or item.ref.start
        # "In April" may be said of what was said on one of its days.
        is_month = end - start >= _MONTH and any(start <= day <= end for day in meant)
        strange = sorted({start, end} - meant)
        if strange and not is_month:
            return Refusal(
                "date", f"read on {made.local_date} it names {strange[0]}, which its lines do not mean"
            )
    return None


def _unseen(made: Observation, by_age: Sequence[Line]) -> Refusal | None:
    """Return that a pattern says what its lines do not, or nothing of one of them."""
    if refusal := _too_free(made, by_age):
        return refusal
    own = words_of(made.text) - TELLING
    for line in by_age:
        if own.isdisjoint(words_of(line.observation.text)):
            return Refusal("unsupported", f"this line shows nothing of it: {line.observation.text[:120]}")
    every = " ; ".join(line.observation.text for line in by_age)
    if limit := limit_lost(made.text, every):
        return Refusal("unsupported", f"none of its lines says “{limit}”")
    return None


def _too_free(made: Observation, by_age: Sequence[Line]) -> Refusal | None:
    """Return that too much of the new line is not drawn from the lines."""
    held = words_of(*(line.observation.text for line in by_age))
    share = share_held(words_of(made.text), held)
    if share >= _LEAST_DRAWN:
        return None
    return Refusal("unsupported", f"only {share:.0%} of its words stand in the lines it is made of")


def _undrawn(made: Observation, by_age: Sequence[Line]) -> Refusal | None:
    """Return that too much of the new line is not drawn from the lines; and an event whose day it loses."""
    if refusal := _too_free(made, by_age):
        return refusal
    named = [item.ref for item in find_dates(made.text, moment_of(made))]
    for line in by_age:
        observation = line.observation
        is_event = observation.done or observation.kind in _EVENTS
        day = date.fromisoformat(observation.local_date)
        # When it was, or when it was told.
        is_named = any(
            ref.start <= one <= (ref.end or ref.start) for ref in named for one in days_of(observation)
        )
        if is_event and observation.local_date != made.local_date and not is_named:
            return Refusal(
                "date", f"what happened on {day} would stand under {made.local_date}: name the day"
            )
    return None
