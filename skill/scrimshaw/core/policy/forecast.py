"""What a model would be asked in a day, from how somebody talks: tokens and requests, before a cent is spent.

Windows are counted as the daemon would cut them: by size, by silence, by age. The rest is arithmetic over
constants that were measured (bench/cost). Nothing here knows a price, a model or a transcript's store.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, date, datetime, timedelta
from typing import NamedTuple
from zoneinfo import ZoneInfo

from scrimshaw.core.transcript.windows import entry_tokens
from scrimshaw.core.types import Entry
from scrimshaw.core.verification.judge import Extent

# What goes with each window besides its text: known lines and open items, at most.
_KNOWN_TOKENS = 2_000
_LABELS = 1.1  # numbers, roles and times at each entry
_NOTED_SHARE = 0.15  # of a window's tokens comes back, its JSON counted in
_LEAST_ANSWER_TOKENS = 60
_TRIES = 1.05  # some windows are asked about twice
# Of a window's tokens, what its notes rest on; and of how many windows a second reading is asked for.
_REREAD: Mapping[Extent, tuple[float, float]] = {"off": (0, 0), "doubtful": (0.95, 1.0), "all": (1.0, 1.0)}
_JUDGED_TOKENS = 60
_LINES_TOKENS = 4_500  # what a reflection goes over
_REFLECTION_TOKENS = 800


class WindowPace(NamedTuple):
    """When the daemon ends a window."""

    window_tokens: int
    idle_seconds: float
    age_seconds: float


class Talk(NamedTuple):
    """What was said on one day of the owner's calendar."""

    day: date
    tokens: int
    windows: int


class Need(NamedTuple):
    """What a day takes of a model."""

    requests: int
    tokens_in: int
    tokens_out: int

    def plus(self, other: Need) -> Need:
        """Return what this and *other* take together."""
        return Need(*(mine + its for mine, its in zip(self, other, strict=True)))

    def cost(self, price: tuple[float, float]) -> float:
        """Return it in dollars, for *price* in dollars a million tokens in and out."""
        return (self.tokens_in * price[0] + self.tokens_out * price[1]) / 1_000_000


def talk(entries: Iterable[Entry], pace: WindowPace, zone: str) -> Iterator[Talk]:
    """Yield one session's *entries*, in their order, as talk by day; a day may come in several pieces."""
    tz = ZoneInfo(zone)
    held: Talk | None = None
    in_window = 0
    began_ms = last_ms = 0
    for entry in entries:
        day = day_of(entry.said_at_ms, tz)
        tokens = entry_tokens(entry)
        is_new = (
            held is None
            or day != held.day
            or in_window + tokens > pace.window_tokens
            or abs(entry.said_at_ms - last_ms) > pace.idle_seconds * 1000
            or abs(entry.said_at_ms - began_ms) > pace.age_seconds * 1000
        )
        if held is not None and day != held.day:
            yield held
            held = None
        held = held or Talk(day, 0, 0)
        held = Talk(day, held.tokens + tokens, held.windows + is_new)
        in_window = tokens if is_new else in_window + tokens
        began_ms, last_ms = entry.said_at_ms if is_new else began_ms, entry.said_at_ms
    if held is not None:
        yield held


def days(pieces: Iterable[Talk]) -> tuple[Talk, ...]:
    """Return *pieces* as one Talk for each day, in their order."""
    found: dict[date, Talk] = {}
    for piece in pieces:
        so_far = found.get(piece.day, Talk(piece.day, 0, 0))
        found[piece.day] = Talk(piece.day, so_far.tokens + piece.tokens, so_far.windows + piece.windows)
    return tuple(found[day] for day in sorted(found))


def observing(said: Talk, fixed_tokens: int) -> Need:
    """Return what observing *said* takes; *fixed_tokens* is what the model is told each time."""
    requests = max(said.windows, 1 if said.tokens else 0)
    tokens_in = requests * (fixed_tokens + _KNOWN_TOKENS) + said.tokens * _LABELS
    tokens_out = requests * _LEAST_ANSWER_TOKENS + said.tokens * _NOTED_SHARE
    return Need(requests, round(tokens_in * _TRIES), round(tokens_out * _TRIES))


def rereading(said: Talk, fixed_tokens: int, extent: Extent) -> Need:
    """Return what reading the notes of *said* once more takes (core/verification/judge)."""
    share, of_windows = _REREAD[extent]
    tokens = said.tokens * (_LABELS + _NOTED_SHARE) * _TRIES
    requests = math.ceil(max(said.windows, 1 if said.tokens else 0) * of_windows)
    return Need(requests, requests * fixed_tokens + round(tokens * share), requests * _JUDGED_TOKENS)


def reflecting(said: Talk, fixed_tokens: int, interval_seconds: float) -> Need:
    """Return what going over the lines takes on a day like *said*: only after something was noted."""
    times = min(said.windows, max(1, int(timedelta(days=1).total_seconds() // interval_seconds)))
    return Need(times, times * (fixed_tokens + _LINES_TOKENS), times * _REFLECTION_TOKENS)


def mean(said: tuple[Talk, ...]) -> Talk:
    """Return the mean of *said*, of which there must be one at least."""
    tokens = -(-sum(one.tokens for one in said) // len(said))
    return Talk(said[-1].day, tokens, -(-sum(one.windows for one in said) // len(said)))


def day_of(at_ms: int, tz: ZoneInfo) -> date:
    """Return the day of the owner's calendar on which *at_ms* was; the epoch for what is no time."""
    try:
        return datetime.fromtimestamp(at_ms / 1000, UTC).astimezone(tz).date()
    except (ValueError, OverflowError, OSError):
        return date(1970, 1, 1)
