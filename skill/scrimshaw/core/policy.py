"""What is observed, and when it is due: pure functions of the conversation, the waiting and the settings.

Any of four reasons suffices, so that no size and no mix of messages can wait for ever: much is waiting,
a conversation has gone quiet, the oldest message has waited long, or the backlog is over its ceiling.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple

from scrimshaw.core.model import Session


class Backlog(NamedTuple):
    """What has not been observed yet."""

    tokens: int
    oldest_age_seconds: float  # since the oldest unobserved entry; 0 when nothing waits
    idle_seconds: float  # since the newest entry of any conversation


class Thresholds(NamedTuple):
    """The limits in force (config: the settings of the same names)."""

    observation_tokens: int
    ceiling_tokens: int
    interval_seconds: float
    idle_seconds: float


class Due(NamedTuple):
    """Whether to observe now, and the reason in words for a log line or a person."""

    is_due: bool
    reason: str


def feeds(session: Session, kinds: Collection[str], scope: str) -> bool:
    """Tell whether *session* may feed a workspace's MEMORY.md; *kinds* and *scope* are the settings'."""
    if session.kind.value not in kinds:
        return False
    return scope == "resource" or session.session_key == f"agent:{session.agent_id}:main"


def ceiling(message_threshold: int, section_tokens: int, *, share: bool) -> int:
    """Return the ceiling for a backlog; with *share* the section's own tokens count against it."""
    return max(1, message_threshold - section_tokens) if share else message_threshold


def due(backlog: Backlog, limits: Thresholds) -> Due:
    """Decide whether *backlog* is due."""
    if backlog.tokens <= 0:
        return Due(False, "nothing new")
    if backlog.tokens >= limits.ceiling_tokens:
        return Due(True, f"about {backlog.tokens} tokens wait, the ceiling is {limits.ceiling_tokens}")
    if backlog.idle_seconds >= limits.idle_seconds:
        return Due(True, "the conversation is idle")
    if backlog.oldest_age_seconds >= limits.interval_seconds:
        return Due(True, f"the oldest message has waited {int(backlog.oldest_age_seconds // 60)} minutes")
    if backlog.tokens >= limits.observation_tokens:
        return Due(True, f"about {backlog.tokens} tokens wait, a window holds {limits.observation_tokens}")
    return Due(False, f"about {backlog.tokens} tokens wait and the conversation goes on")
