"""What waits to be observed, estimated without reading it, and whether that is due (core/policy decides)."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from scrimshaw.clock import milliseconds
from scrimshaw.config import seconds
from scrimshaw.core import policy
from scrimshaw.core.window import estimate_tokens
from scrimshaw.jobs.stores import open_sources
from scrimshaw.jobs.target import Target
from scrimshaw.sources.reading import Source
from scrimshaw.store.ledger import Ledger, open_ledger

# About a third of what a host stores is text; the rest is the JSON around it and tool bookkeeping.
_STORED_BYTES_A_TOKEN = 10


def waiting(
    target: Target, ledger: Ledger | None, sources: Iterable[Source], now: datetime
) -> policy.Backlog:
    """Return the backlog of *target*: everything stored after the cursors, in included sessions.

    Tokens are an estimate from stored bytes. The oldest unobserved entry is taken to be as old as the
    last observed one of its session, which errs on the side of observing sooner.
    """
    now_ms, settings = milliseconds(now), target.config.settings
    stored_bytes, oldest_ms, newest_ms = 0, now_ms, 0
    for source in sources:
        cursors = ledger.cursors(source.id) if ledger else {}
        for state in source.sessions():
            if not policy.feeds(state.session, settings.sessions, settings.scope):
                continue
            newest_ms = max(newest_ms, state.newest_at_ms)
            cursor = cursors.get(state.session.session_id)
            if cursor is not None and cursor.position == state.position:
                continue
            stored_bytes += source.unread_bytes(state, cursor.cursor if cursor else None)
            oldest_ms = min(oldest_ms, cursor.newest_at_ms if cursor else state.newest_at_ms)
    tokens = -(-stored_bytes // _STORED_BYTES_A_TOKEN)
    idle = (now_ms - newest_ms) / 1000 if newest_ms else 0.0
    return policy.Backlog(tokens, max(0.0, (now_ms - oldest_ms) / 1000) if tokens else 0.0, max(0.0, idle))


def is_due(target: Target, now: datetime) -> policy.Due:
    """Decide whether *target*'s backlog is due to be observed."""
    settings = target.config.settings
    with open_ledger(target.layout.ledger, create=False, read_only=True) as ledger:
        last = ledger.latest_revision()
        section_tokens = estimate_tokens(last.body) if last else 0
        with open_sources(target, ledger.session_keys()) as sources:
            backlog = waiting(target, ledger, sources, now)
    ceiling = policy.ceiling(settings.message_threshold, section_tokens, share=settings.share_token_budget)
    limits = policy.Thresholds(
        observation_tokens=settings.observation_threshold,
        ceiling_tokens=ceiling,
        interval_seconds=seconds(settings.observer_interval),
        idle_seconds=seconds(settings.idle_interval),
    )
    return policy.due(backlog, limits)
