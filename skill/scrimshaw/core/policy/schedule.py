"""What is observed, and what is due when: pure functions of the state and the settings.

Observing, writing MEMORY.md and reflecting are three decisions. Observing is due for any of five reasons, so
that no size and no mix of messages can wait for ever: much is waiting, a conversation has gone quiet or has
ended, the oldest message has waited long, or the backlog is over its ceiling. MEMORY.md is written less
often: each change of it costs the provider's prompt cache of every running conversation (rule 14). An answer
that is "not yet" says how long nothing needs to be asked again, if nothing else happens.
"""

from __future__ import annotations

from collections.abc import Collection
from math import inf
from typing import NamedTuple

from scrimshaw.core.conversation import thread_id_of
from scrimshaw.core.text.plural import counted
from scrimshaw.core.types import Session


class Backlog(NamedTuple):
    """What has not been observed yet."""

    tokens: int
    oldest_age_seconds: float  # since the oldest unobserved entry; 0 when nothing waits
    idle_seconds: float  # since the newest entry of any conversation; inf when there is none
    has_ended: bool = False  # a conversation with something unobserved was reset, compacted or left


class Thresholds(NamedTuple):
    """The limits in force (config: the settings of the same names)."""

    observation_tokens: int
    ceiling_tokens: int
    interval_seconds: float
    idle_seconds: float


class Due(NamedTuple):
    """Whether to act now, and the reason in words for a log line or a person."""

    is_due: bool
    reason: str
    in_seconds: float = inf  # until it is due when nothing else happens; inf: by time alone never


class ReflectionPace(NamedTuple):
    """How often to reflect (config: the settings of the same names)."""

    interval_seconds: float  # inf: not by time
    least_seconds: float  # between two reflections, whatever the section's size
    threshold_chars: int


def feeds(session: Session, kinds: Collection[str], scope: str) -> bool:
    """Tell whether *session* may feed a workspace's MEMORY.md; *kinds* and *scope* are the settings'."""
    if session.kind.value not in kinds:
        return False
    # A program's conversation is by itself there as well: it has its own log.
    return (
        scope == "resource"
        or bool(thread_id_of(session.session_id))
        or session.session_key == f"agent:{session.agent_id}:main"
    )


def is_named(session: Session, named: str) -> bool:
    """Tell whether *named*, a session's key or its id, means *session*; "" means none."""
    name = named.casefold()  # the host writes keys in lower case, whatever a person types
    return bool(name) and name in (session.session_id.casefold(), session.session_key.casefold())


def ceiling(message_threshold: int, section_tokens: int, *, share: bool) -> int:
    """Return the ceiling for a backlog; with *share* the section's own tokens count against it."""
    return max(1, message_threshold - section_tokens) if share else message_threshold


def due(backlog: Backlog, limits: Thresholds, *, is_tired: bool = False) -> Due:
    """Decide whether *backlog* is due to be observed.

    *is_tired*: it was just observed as far as that goes (an exchange goes on): only silence and ends count.
    """
    if backlog.tokens <= 0:
        return Due(False, "nothing new")
    if backlog.idle_seconds >= limits.idle_seconds:
        return _now("the conversation is idle")
    if backlog.has_ended:
        return _now("a conversation has ended")
    if is_tired:
        return Due(False, "an exchange goes on", limits.idle_seconds - backlog.idle_seconds)
    waiting = f"about {counted(backlog.tokens, 'token waits', 'tokens wait')}"
    if backlog.tokens >= limits.ceiling_tokens:
        return _now(f"{waiting}, the ceiling is {limits.ceiling_tokens}")
    if backlog.oldest_age_seconds >= limits.interval_seconds:
        minutes = counted(int(backlog.oldest_age_seconds // 60), "minute")
        return _now(f"the oldest message has waited {minutes}")
    if backlog.tokens >= limits.observation_tokens:
        return _now(f"{waiting}, a window holds {limits.observation_tokens}")
    left = min(
        limits.idle_seconds - backlog.idle_seconds, limits.interval_seconds - backlog.oldest_age_seconds
    )
    return Due(False, f"{waiting} and the conversation goes on", left)


def publishing(*, has_ended: bool, quiet_seconds: float, limits: Thresholds) -> Due:
    """Decide whether MEMORY.md may be written (rule 14), if there is something to write.

    *has_ended*: a conversation that was observed since the last writing is over, or was reset or compacted
    with nothing said in it since, and has lost the provider's cache already. *quiet_seconds*: since anybody
    last said something or touched the file. What a person asks for is no question for this function.
    """
    if has_ended:
        return _now("a conversation has ended")
    if quiet_seconds >= limits.idle_seconds:
        return _now("the conversation is idle")
    return Due(False, "the conversation goes on", limits.idle_seconds - quiet_seconds)


def reflecting(
    *, has_grown: bool, since_last_seconds: float, section_chars: int, pace: ReflectionPace
) -> Due:
    """Decide whether to reflect; *has_grown*: the ledger has, since the last reflection (inf ago: never).

    A reflection changes the ledger, and a section over the threshold may stay over it: without
    *least_seconds* and *has_grown* that would go round for ever.
    """
    if not has_grown:
        return Due(False, "nothing new to reflect on")
    if since_last_seconds >= pace.interval_seconds and pace.interval_seconds < inf:
        return _now("the last reflection is long ago")
    if section_chars < pace.threshold_chars:
        left = pace.interval_seconds - since_last_seconds if pace.interval_seconds < inf else inf
        return Due(False, "the section is small", left)
    if since_last_seconds >= pace.least_seconds:
        return _now(f"the section holds {section_chars} units, the threshold is {pace.threshold_chars}")
    return Due(False, "the last reflection was just now", pace.least_seconds - since_last_seconds)


def _now(reason: str) -> Due:
    return Due(True, reason, 0.0)
