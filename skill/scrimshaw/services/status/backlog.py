"""One look at a workspace, without reading transcripts: what waits, and what is due."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime
from enum import StrEnum
from math import inf
from typing import NamedTuple

from scrimshaw.clock import milliseconds
from scrimshaw.config import seconds
from scrimshaw.core.policy import schedule
from scrimshaw.core.section.budget import units
from scrimshaw.core.transcript.windows import STORED_BYTES_A_TOKEN, estimate_tokens
from scrimshaw.core.types import SessionKind
from scrimshaw.errors import UserError
from scrimshaw.services.conversations.follow import is_reflection_due
from scrimshaw.services.publish.state import ended, is_folded, touched_at_ms, unwritten
from scrimshaw.services.stores import open_sources
from scrimshaw.sources.reading import SessionState, Source
from scrimshaw.store.ledger import Ledger, open_ledger
from scrimshaw.store.records import Cursor
from scrimshaw.workspace import Target, is_set_up

_CLOCKS_APART_MS = 60_000  # a time further ahead than that is none to believe


class Reflects(StrEnum):
    """Who sees to the reflector's interval."""

    WHEN_DUE = "when-due"  # whoever looks: by the time of the last reflection
    WHEN_LARGE = "when-large"  # a schedule elsewhere; only a section over its threshold counts here
    NOW = "now"  # the schedule says that it is time


class Waiting(NamedTuple):
    """What waits in the stores that can be read, and what could not."""

    backlog: schedule.Backlog
    is_over: bool = False  # a conversation that was observed since the section was written
    ended: frozenset[str] = frozenset()  # sessions with an end in what waits
    problems: tuple[str, ...] = ()


class Outlook(NamedTuple):
    """What one look found: the backlog, and what is due of observing, writing MEMORY.md and reflecting."""

    backlog: schedule.Backlog
    observe: schedule.Due
    may_publish: schedule.Due  # whether MEMORY.md may be written, if there is something to write
    is_folded: bool  # there is nothing to write
    reflect: schedule.Due
    problems: tuple[str, ...] = ()  # stores that cannot be read
    ended: frozenset[str] = frozenset()  # sessions with an end in the backlog

    @property
    def publishes(self) -> bool:
        """Whether there is something to write, and it may be written now."""
        return self.may_publish.is_due and not self.is_folded

    @property
    def in_seconds(self) -> float:
        """How long nothing will be due, if nothing happens meanwhile; inf: for ever."""
        publish = inf if self.is_folded else self.may_publish.in_seconds
        return max(0.0, min(self.observe.in_seconds, publish, self.reflect.in_seconds))


def waiting(target: Target, ledger: Ledger | None, sources: Iterable[Source], now: datetime) -> Waiting:
    """Return what of *target* is not observed yet: everything stored after the cursors, in its sessions.

    Tokens are an estimate from stored bytes.
    """
    found = _Found(target, milliseconds(now), ledger)
    problems: list[str] = []
    for source in sources:
        try:
            cursors = ledger.cursors(source.id) if ledger else {}
            for state in source.sessions():
                found.add(source, state, cursors)
        except UserError as error:
            problems += error.problems
    return Waiting(found.backlog(), found.is_over, frozenset(found.ended), tuple(problems))


class _Found:
    """The backlog, while session after session is looked at."""

    def __init__(self, target: Target, now_ms: int, ledger: Ledger | None) -> None:
        self._settings, self._now_ms = target.config.settings, now_ms
        self._unwritten = unwritten(ledger) if ledger else frozenset()
        self._ended = ended(ledger) if ledger else frozenset()
        self._stored_bytes = self._newest_ms = 0
        self._oldest_ms = now_ms
        self.is_over = False
        self.ended: set[str] = set()

    def add(self, source: Source, state: SessionState, cursors: Mapping[str, Cursor]) -> None:
        session = state.session
        feeds = schedule.feeds(session, self._settings.sessions, self._settings.scope)
        if feeds or session.kind is SessionKind.DIRECT:  # the host injects MEMORY.md into all of these
            self._newest_ms = max(self._newest_ms, self._said_ms(source, state))
        if not feeds or state.is_passed_over:
            return
        # Later messages of the same session belong to the next conversation and do not end this one.
        if session.session_id in self._unwritten and not self.is_over:
            is_ended = session.session_id in self._ended and not source.goes_on(state)
            self.is_over = is_ended or source.is_over(state)
        cursor = cursors.get(session.session_id)
        if cursor is not None and cursor.position == state.position:
            return
        read_to = cursor.cursor if cursor else None
        # The position changed but nothing follows the cursor: the transcript was rewritten or branched. That
        # counts.
        self._stored_bytes += max(1, source.unread_bytes(state, read_to))
        # If the age is unknown, assume the age of the last message observed.
        since_ms = source.unread_since_ms(state, read_to) or (cursor or state).newest_at_ms
        self._oldest_ms = min(self._oldest_ms, since_ms)
        if source.has_ended(state, read_to):
            self.ended.add(session.session_id)

    def backlog(self) -> schedule.Backlog:
        tokens = -(-self._stored_bytes // STORED_BYTES_A_TOKEN)
        age_ms = max(0, self._now_ms - self._oldest_ms) if tokens else 0
        idle = max(0, self._now_ms - self._newest_ms) / 1000 if self._newest_ms else inf
        return schedule.Backlog(tokens, age_ms / 1000, idle, bool(self.ended))

    def _said_ms(self, source: Source, state: SessionState) -> int:
        """Return when something was last said there; by a clock that is ahead, when the store was written."""
        latest_ms = self._now_ms + _CLOCKS_APART_MS
        said_ms = state.newest_at_ms if state.newest_at_ms <= latest_ms else source.changed_at_ms(state)
        # A time in the future was written before the clock was set back: treat the pause as over.
        return said_ms if said_ms <= latest_ms else 0


def measure_backlog(
    target: Target,
    ledger: Ledger,
    now: datetime,
    reflects: Reflects = Reflects.WHEN_DUE,
    *,
    is_tired: bool = False,
) -> Outlook:
    """Return what is due in *target*'s workspace; *ledger* may be open for reading only.

    *is_tired*: to observe the same backlog came to nothing just now (an exchange that goes on).
    """
    last = ledger.latest_revision()
    with open_sources(target, ledger.session_keys()) as sources:
        backlog, is_over, ends, problems = waiting(target, ledger, sources, now)
    limits = thresholds(target, estimate_tokens(last.body) if last else 0)
    touched_ms = touched_at_ms(target)
    # Somebody may be writing in the file at this moment: their pause counts like the conversation's.
    since_touched = abs(milliseconds(now) - touched_ms) / 1000 if touched_ms else inf
    return Outlook(
        backlog,
        schedule.due(backlog, limits, is_tired=is_tired),
        schedule.publishing(
            has_ended=is_over, quiet_seconds=min(backlog.idle_seconds, since_touched), limits=limits
        ),
        is_folded(target, ledger),
        _reflection_due(target, ledger, now, reflects),
        problems,
        ends,
    )


def waiting_tokens(target: Target, now: datetime) -> int:
    """Return about how much conversation waits; 0 when that cannot be told: the run itself will say why."""
    try:
        if is_set_up(target.layout):
            with open_ledger(target.layout.ledger, create=False, read_only=True) as ledger:
                return measure_backlog(target, ledger, now).backlog.tokens
        with open_sources(target, {}) as sources:
            return waiting(target, None, sources, now).backlog.tokens
    except UserError:
        return 0


def _reflection_due(target: Target, ledger: Ledger, now: datetime, reflects: Reflects) -> schedule.Due:
    if is_reflection_due(target, now):
        return schedule.Due(True, "the observations of a conversation are over their threshold", 0.0)
    settings = target.config.settings
    last, section = ledger.last_run("reflect"), ledger.latest_revision()
    least = seconds(settings.reflector_least_interval)
    interval = {
        Reflects.WHEN_DUE: seconds(settings.reflector_interval),
        Reflects.WHEN_LARGE: inf,
        Reflects.NOW: least,
    }[reflects]
    since = (milliseconds(now) - last.started_at_ms) / 1000 if last else inf
    return schedule.reflecting(
        has_grown=ledger.meta().get("reflected") != str(ledger.version()),
        since_last_seconds=since if since >= 0 else inf,  # one in the future was made by a wrong clock
        section_chars=units(section.body) if section else 0,
        pace=schedule.ReflectionPace(interval, least, settings.reflection_threshold_chars),
    )


def thresholds(target: Target, section_tokens: int) -> schedule.Thresholds:
    """Return the limits in force for *target*'s backlog."""
    settings = target.config.settings
    return schedule.Thresholds(
        observation_tokens=settings.window_tokens,
        ceiling_tokens=schedule.ceiling(
            settings.message_threshold, section_tokens, share=settings.share_token_budget
        ),
        interval_seconds=seconds(settings.observer_interval),
        idle_seconds=seconds(settings.idle_interval),
    )


def is_due(target: Target, now: datetime) -> schedule.Due:
    """Decide whether *target*'s backlog is due to be observed."""
    with open_ledger(target.layout.ledger, create=False, read_only=True) as ledger:
        return measure_backlog(target, ledger, now).observe
