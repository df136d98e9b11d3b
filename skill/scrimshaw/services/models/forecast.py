"""What a day would cost, from an agent's own last days: a bounded look into its transcripts, read-only.

Only the conversations are read that would be sent: those that feed the memory and are not private. What does
not fit into the bound is counted by its size.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from scrimshaw.clock import milliseconds
from scrimshaw.config import seconds
from scrimshaw.core.policy.forecast import (
    Need,
    Talk,
    WindowPace,
    day_of,
    days,
    mean,
    observing,
    reflecting,
    rereading,
    talk,
)
from scrimshaw.core.transcript.privacy import is_private_session
from scrimshaw.core.transcript.windows import STORED_BYTES_A_TOKEN, estimate_tokens
from scrimshaw.core.types import Entry
from scrimshaw.errors import UserError
from scrimshaw.resources import template
from scrimshaw.services.results import JsonResult
from scrimshaw.services.stores import newest_feeding, open_sources
from scrimshaw.sources.reading import SessionState, Source, Unopened
from scrimshaw.store.ledger import open_ledger
from scrimshaw.workspace import Target, is_set_up

DAYS = 14
_MOST_BYTES = 12_000_000
_MOST_SESSIONS = 400
_DAY_MS = 86_400_000


@dataclass(frozen=True, slots=True)
class Forecast(JsonResult):
    """What a day takes: on the mean of the last days with talk, and on the busiest of them."""

    said: Talk  # that mean
    days: int  # of the last DAYS, how many had talk
    observer: Need
    reflector: Need
    busiest: tuple[Need, Need]
    is_partly_guessed: bool  # there was more than the look may read

    @property
    def tokens(self) -> tuple[int, int]:
        """Tokens in and out of a mean day."""
        return (
            self.observer.tokens_in + self.reflector.tokens_in,
            self.observer.tokens_out + self.reflector.tokens_out,
        )

    def cost(self, price: tuple[float, float]) -> tuple[float, float]:
        """Return dollars of a mean day and of the busiest, with one model for both jobs."""
        return (
            self.observer.cost(price) + self.reflector.cost(price),
            sum(need.cost(price) for need in self.busiest),
        )

    def to_dict(self) -> dict[str, Any]:
        return {
            "days": self.days,
            "said": {**self.said._asdict(), "day": self.said.day.isoformat()},
            "observer": self.observer._asdict(),
            "reflector": self.reflector._asdict(),
            "busiest": [need._asdict() for need in self.busiest],
            "is_partly_guessed": self.is_partly_guessed,
        }


def forecast_of(target: Target, now: datetime) -> Forecast | None:
    """Return what a day of *target*'s agents would take; opens the ledger where there is one."""
    if not is_set_up(target.layout):
        return forecast(target, {}, now)
    with open_ledger(target.layout.ledger, create=False, read_only=True) as ledger:
        return forecast(target, ledger.session_keys(), now)


def forecast(target: Target, session_keys: Mapping[str, str], now: datetime) -> Forecast | None:
    """Return what a day of *target*'s agents would take, None when they have not talked lately."""
    look = _Look(target, now)
    with open_sources(target, session_keys) as sources:
        found = days(look.pieces(sources))
    if not found:
        return None
    settings = target.config.settings
    told = estimate_tokens(settings.instruction)
    interval = seconds(settings.reflector_interval)

    def needs(said: Talk) -> tuple[Need, Need]:
        return (
            observing(said, told + _told_tokens("observer-prompt.md")).plus(
                rereading(said, _told_tokens("second-reading-prompt.md"), settings.second_reading)
            ),
            reflecting(said, told + _told_tokens("reflector-prompt.md"), interval),
        )

    busiest = max(found, key=lambda said: said.tokens)
    said = mean(found)
    return Forecast(said, len(found), *needs(said), needs(busiest), look.is_partly_guessed)


def _told_tokens(name: str) -> int:
    return estimate_tokens(template(name))


class _Look:
    """One look over the sources, the newest conversations first; it ends when it has read enough."""

    def __init__(self, target: Target, now: datetime) -> None:
        settings = target.config.settings
        self._target, self._zone = target, target.zone
        self._until_ms = milliseconds(now)
        self._since_ms = milliseconds(now - timedelta(days=DAYS))
        self._pace = WindowPace(
            settings.window_tokens, seconds(settings.idle_interval), seconds(settings.observer_interval)
        )
        self._left_bytes = _MOST_BYTES
        self.is_partly_guessed = False

    def pieces(self, sources: list[Source]) -> Iterator[Talk]:
        """Yield what was said since DAYS ago; a store that cannot be read has said nothing."""
        # Of a store that cannot be read `status` and `doctor` say why; an estimate can do without.
        found = newest_feeding(self._target, sources, lambda _source, _error: None)
        counting = [(source, state) for source, state in found if self._counts(state)]
        for source, state in counting[:_MOST_SESSIONS]:
            try:
                yield from self._said(source, state)
            except (UserError, Unopened):
                continue

    def _counts(self, state: SessionState) -> bool:
        session, private = state.session, self._target.config.settings.private_sessions
        return self._since_ms <= state.newest_at_ms and not is_private_session(
            session.session_key, session.session_id, private
        )

    def _said(self, source: Source, state: SessionState) -> Iterator[Talk]:
        read_to = None
        if self._left_bytes > 0:
            entries: list[Entry] = []
            for page in source.pages(state, None):
                self._left_bytes -= page.read_bytes
                read_to = page.cursor
                entries += (one for one in page.entries if self._since_ms <= one.said_at_ms <= self._until_ms)
                if self._left_bytes <= 0:
                    break
            yield from talk(entries, self._pace, self._zone)
        if self._left_bytes <= 0 and (left := source.unread_bytes(state, read_to)):
            self.is_partly_guessed = True
            yield from self._guessed(left, source.unread_since_ms(state, read_to), state.newest_at_ms)

    def _guessed(self, stored_bytes: int, began_ms: int, newest_ms: int) -> Iterator[Talk]:
        """Yield *stored_bytes* of a session as talk that is spread evenly over its days."""
        newest_ms = min(newest_ms, self._until_ms)
        began_ms = min(began_ms or newest_ms, newest_ms)
        count = (newest_ms - began_ms) // _DAY_MS + 1
        tokens = stored_bytes // STORED_BYTES_A_TOKEN // count
        windows = -(-tokens // self._pace.window_tokens)
        zone = ZoneInfo(self._zone)
        for number in range(min(count, DAYS)):
            yield Talk(day_of(newest_ms - number * _DAY_MS, zone), tokens, windows)
