"""One look at a workspace, without reading transcripts: what waits, and what is due (core/policy decides)."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from enum import StrEnum
from math import inf
from typing import NamedTuple

from scrimshaw.clock import milliseconds
from scrimshaw.config import seconds
from scrimshaw.core import policy
from scrimshaw.core.budget import units
from scrimshaw.core.window import estimate_tokens
from scrimshaw.jobs.folded import is_folded, touched_at_ms
from scrimshaw.jobs.stores import open_sources
from scrimshaw.jobs.target import Target
from scrimshaw.sources.reading import Source
from scrimshaw.store.ledger import Ledger, open_ledger

# About a third of what a host stores is text; the rest is the JSON around it and tool bookkeeping.
_STORED_BYTES_A_TOKEN = 10


class Reflects(StrEnum):
    """Who sees to the reflector's interval."""

    WHEN_DUE = "when-due"  # whoever looks: by the time of the last reflection
    WHEN_LARGE = "when-large"  # a schedule elsewhere; only a section over its threshold counts here
    NOW = "now"  # the schedule says that it is time


class Outlook(NamedTuple):
    """What one look found: the backlog, and what is due of observing, writing MEMORY.md and reflecting."""

    backlog: policy.Backlog
    observe: policy.Due
    may_publish: policy.Due  # whether MEMORY.md may be written, if there is something to write
    is_folded: bool  # there is nothing to write
    reflect: policy.Due

    @property
    def publishes(self) -> bool:
        """Whether there is something to write, and it may be written now."""
        return self.may_publish.is_due and not self.is_folded

    @property
    def in_seconds(self) -> float:
        """How long nothing will be due, if nothing happens meanwhile; inf: for ever."""
        publish = inf if self.is_folded else self.may_publish.in_seconds
        return max(0.0, min(self.observe.in_seconds, publish, self.reflect.in_seconds))


def waiting(
    target: Target, ledger: Ledger | None, sources: Iterable[Source], now: datetime
) -> policy.Backlog:
    """Return the backlog of *target*: everything stored after the cursors, in included sessions.

    Tokens are an estimate from stored bytes.
    """
    now_ms, settings = milliseconds(now), target.config.settings
    stored_bytes, oldest_ms, newest_ms, has_ended = 0, now_ms, 0, False
    for source in sources:
        cursors = ledger.cursors(source.id) if ledger else {}
        for state in source.sessions():
            if not policy.feeds(state.session, settings.sessions, settings.scope):
                continue
            newest_ms = max(newest_ms, state.newest_at_ms)
            cursor = cursors.get(state.session.session_id)
            if cursor is not None and cursor.position == state.position:
                continue
            read_to = cursor.cursor if cursor else None
            stored_bytes += source.unread_bytes(state, read_to)
            # When that cannot be told: no younger than the last one observed.
            since_ms = source.unread_since_ms(state, read_to) or (cursor or state).newest_at_ms
            oldest_ms = min(oldest_ms, since_ms)
            has_ended = has_ended or source.has_ended(state, read_to)
    tokens = -(-stored_bytes // _STORED_BYTES_A_TOKEN)
    # Both ways: a message from the future, stored under a wrong clock, is not waited for until then.
    idle = abs(now_ms - newest_ms) / 1000 if newest_ms else inf
    age = max(0.0, (now_ms - oldest_ms) / 1000) if tokens else 0.0
    return policy.Backlog(tokens, age, idle, has_ended and tokens > 0)


def look(target: Target, ledger: Ledger, now: datetime, reflects: Reflects = Reflects.WHEN_DUE) -> Outlook:
    """Return what is due in *target*'s workspace; *ledger* may be open for reading only."""
    last = ledger.latest_revision()
    with open_sources(target, ledger.session_keys()) as sources:
        backlog = waiting(target, ledger, sources, now)
    limits = thresholds(target, estimate_tokens(last.body) if last else 0)
    touched_ms = touched_at_ms(target)
    # Somebody may be writing in the file at this moment: their pause counts like the conversation's.
    since_touched = abs(milliseconds(now) - touched_ms) / 1000 if touched_ms else inf
    return Outlook(
        backlog,
        policy.due(backlog, limits),
        policy.publishing(backlog, min(backlog.idle_seconds, since_touched), limits),
        is_folded(target, ledger),
        _reflection_due(target, ledger, now, reflects),
    )


def _reflection_due(target: Target, ledger: Ledger, now: datetime, reflects: Reflects) -> policy.Due:
    """Decide whether it is time to go over the lines again."""
    settings = target.config.settings
    last, section = ledger.last_run("reflect"), ledger.latest_revision()
    least = seconds(settings.reflector_least_interval)
    interval = {
        Reflects.WHEN_DUE: seconds(settings.reflector_interval),
        Reflects.WHEN_LARGE: inf,
        Reflects.NOW: least,
    }[reflects]
    return policy.reflecting(
        has_grown=ledger.meta().get("reflected") != str(ledger.version()),
        since_last_seconds=abs(milliseconds(now) - last.started_at_ms) / 1000 if last else inf,
        section_chars=units(section.body) if section else 0,
        pace=policy.Pace(interval, least, settings.reflection_threshold_chars),
    )


def thresholds(target: Target, section_tokens: int) -> policy.Thresholds:
    """Return the limits in force for *target*'s backlog."""
    settings = target.config.settings
    return policy.Thresholds(
        observation_tokens=settings.observation_threshold,
        ceiling_tokens=policy.ceiling(
            settings.message_threshold, section_tokens, share=settings.share_token_budget
        ),
        interval_seconds=seconds(settings.observer_interval),
        idle_seconds=seconds(settings.idle_interval),
    )


def is_due(target: Target, now: datetime) -> policy.Due:
    """Decide whether *target*'s backlog is due to be observed."""
    with open_ledger(target.layout.ledger, create=False, read_only=True) as ledger:
        return look(target, ledger, now).observe
