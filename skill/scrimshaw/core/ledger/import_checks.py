"""What a line or an event from another file must look like to be let into a ledger.

An archive is somebody else's file until it is read: a date in it becomes a file's name, a zone is looked up,
a text stands in the prompt. One value that cannot have come from a ledger condemns the whole file. Bounds are
wide: whatever a Scrimshaw may have written passes.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace
from datetime import date
from functools import cache
from math import isfinite
from zoneinfo import ZoneInfo

from scrimshaw.core.ledger.forget import FORGOTTEN
from scrimshaw.core.ledger.lifecycle import standing_in_words
from scrimshaw.core.section.budget import units
from scrimshaw.core.section.render import safe
from scrimshaw.core.types import MAX_TEXT_CHARS, Author, Event, EventType, Observation, Standing

# A line may hold all that stands around its words in a memory, each sign of it as six letters of JSON.
MOST_METADATA_CHARS = 700_000
MOST_OWN_CHARS = 20_000  # of a line that a person wrote: more than a whole section may have
_LATEST_MS = 7_258_118_400_000  # the year 2200: calendars and files can hold it
_MOST_NAME_CHARS = 1_024
_MOST_REASON_CHARS = 4_096
_MOST_LINKS = 10_000
_MOST_TOKENS = 1_000_000
_ID = re.compile(r"[0-9a-f]{24}")
_DAY = re.compile(r"\d{4}-\d\d-\d\d")
_TIME = re.compile(r"(?:[01]\d|2[0-3]):[0-5]\d")
_ZONE = re.compile(r"[A-Za-z][A-Za-z0-9_+-]*(?:/[A-Za-z0-9_+-]+){0,3}")
_UNSTORABLE = re.compile(r"[\x00\ud800-\udfff]")


def complaint(line: Observation) -> str:
    """Return what is wrong with *line*, without its words; "" when a ledger may have written it."""
    if not _ID.fullmatch(line.id):
        return "an id that is none"
    return _text_complaint(line) or _time_complaint(line) or _number_complaint(line) or _name_complaint(line)


def event_complaint(event: Event) -> str:
    """Return what is wrong with *event* of a line; "" when a ledger may have written it."""
    if not _ID.fullmatch(event.observation_id):
        return "an event of no line"
    if event.other_id and not _ID.fullmatch(event.other_id):
        return "an event that names a line with an id that is none"
    if not 0 <= event.at_ms <= _LATEST_MS:
        return "an event at an impossible time"
    if not _are_names([event.by], most=1) or not _is_storable(event.reason, _MOST_REASON_CHARS):
        return "an event with a name or a reason that is none"
    if event.type is EventType.SET_BACK and not is_standing(standing_in_words(event.reason)):
        return "an event that sets a line back to no standing"
    return ""


def is_standing(standing: Standing | None) -> bool:
    """Whether a ledger can hold *standing*; None: nothing is set back."""
    if standing is None:
        return True
    counts = (
        standing.closed_at_ms,
        standing.reinforced,
        standing.recalled,
        standing.renewed_at_ms,
        standing.confirmed,
    )
    by = standing.closed_by
    return all(0 <= count <= _LATEST_MS for count in counts) and (not by or bool(_ID.fullmatch(by)))


def blanked(line: Observation) -> Observation:
    """Return *line* as a ledger keeps one that was forgotten: without a word of it (rule 21)."""
    return replace(line, text=FORGOTTEN, refers_to=None, claim=None, pattern="", metadata="", tokens=0)


def _text_complaint(line: Observation) -> str:
    if line.author is Author.PERSON:
        return "" if _is_storable(line.text, MOST_OWN_CHARS) else "a text that cannot be stored"
    if units(line.text) > MAX_TEXT_CHARS or safe(line.text) != line.text:
        return "a text that no line has: too long, several lines, or signs that would break the section"
    return ""


def _time_complaint(line: Observation) -> str:
    if not 0 <= line.said_at_ms <= _LATEST_MS:
        return "an impossible time"
    # The day is the name of a dated file.
    if not _DAY.fullmatch(line.local_date) or not _is_day(line.local_date):
        return "a date that is none"
    if line.local_time and not _TIME.fullmatch(line.local_time):
        return "a time of day that is none"
    if not is_zone(line.zone):
        return "a time zone that nobody knows"
    refers_to = line.refers_to
    if refers_to and (
        not _is_storable(refers_to.phrase, _MOST_NAME_CHARS)
        or (refers_to.time is not None and not _is_storable(refers_to.time, len("hh:mm:ss")))
    ):
        return "a date it speaks of that is none"
    return ""


def _number_complaint(line: Observation) -> str:
    if not 1 <= line.priority <= 5 or line.level not in (0, 1) or not 0 <= line.tokens <= _MOST_TOKENS:
        return "a number out of its range"
    if not all(isfinite(share) and 0 <= share <= 1 for share in (line.confidence, line.salience)):
        return "a share that is none"
    return ""


def _name_complaint(line: Observation) -> str:
    names = [line.session_id, line.run_id, *line.sources, *(line.claim or ())]
    if not _are_names(names, most=_MOST_LINKS):
        return "a name that cannot be stored"
    if len(line.supports) > _MOST_LINKS or not all(_ID.fullmatch(id_) for id_ in line.supports):
        return "a line it rests on with an id that is none"
    if not _is_storable(line.pattern, _MOST_REASON_CHARS):
        return "a pattern that is none"
    return "" if _is_storable(line.metadata, MOST_METADATA_CHARS) else "metadata that are none"


def _are_names(names: Iterable[str], *, most: int) -> bool:
    every = list(names)
    return len(every) <= most and all(_is_storable(name, _MOST_NAME_CHARS) for name in every)


def _is_storable(text: str, most_chars: int) -> bool:
    return len(text) <= most_chars and not _UNSTORABLE.search(text)


def _is_day(text: str) -> bool:
    try:
        return date.fromisoformat(text).year >= 1970
    except ValueError:
        return False


@cache
def is_zone(name: str) -> bool:
    """Whether *name* is a time zone that this machine can look up, and nothing else."""
    if len(name) > _MOST_NAME_CHARS or not _ZONE.fullmatch(name):
        return False
    try:
        ZoneInfo(name)
    except (KeyError, ValueError, OSError):
        return False
    return True
