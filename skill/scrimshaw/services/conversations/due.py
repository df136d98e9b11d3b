"""When a conversation that a program hands in is due; the rules are core/conversation's."""

from __future__ import annotations

from scrimshaw.config import Settings, seconds
from scrimshaw.core.conversation import ConversationThresholds
from scrimshaw.working import conversations
from scrimshaw.working.conversations import ConversationState
from scrimshaw.working.database import WorkingDatabase


def thresholds_of(settings: Settings) -> ConversationThresholds:
    """Return the limits in force."""
    return ConversationThresholds(
        settings.message_threshold,
        settings.observation_threshold,
        seconds(settings.reflect_min_interval) * 1000,
        settings.share_token_budget,
        settings.enabled,
    )


def should_observe(db: WorkingDatabase, state: ConversationState, settings: Settings) -> bool:
    """Tell whether the observer is due for *state*, or was asked for."""
    if not settings.enabled or not state.unobserved_token_count:
        return False
    log = conversations.log_size(db, state.owner(settings.scope))
    waiting = conversations.waiting_tokens(db, state, settings.scope)
    return state.is_asked or thresholds_of(settings).should_observe(waiting, log.observation_token_count)


def should_reflect(log: conversations.LogState, settings: Settings, now_ms: int) -> bool:
    """Tell whether the reflector is due for *log*."""
    last = log.last_reflector_run_ms
    since = None if last is None else now_ms - last
    return thresholds_of(settings).should_reflect(log.observation_token_count, since)
