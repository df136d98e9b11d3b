"""Whose words may be answered: can another than a private conversation of an agent be the one that asks?

A shell that a host opens for its agent names no conversation. What the host records of the newest turn of
each conversation narrows it down: the one that asks is running, or ended after the shell began. Whoever may
be meant has to be private and the agent's own; every doubt goes against an answer, because what was told in
private must not be read out to a group.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from typing import NamedTuple

from scrimshaw.core.transcript.session_kind import session_kind
from scrimshaw.core.types import SessionKind

# Shell and records go by the same clock, but the system may tell one of them in whole seconds.
SLACK_MS = 1_000
# What a private conversation's key looks like; the hook shows MEMORY.md by the same (templates/hook).
_PRIVATE = re.compile(
    r"agent:[^:]+:(?:"
    r"main(?::thread:[^:]+)?|"  # where the person talks
    r"(?:explicit|dashboard):[^:]+|"  # opened by the operator: command line, control panel
    r"(?:[^:]+:){0,2}(?:direct|dm):.+"  # [channel:[account:]]direct:peer
    r")"
)


class HostTurn(NamedTuple):
    """The newest turn of one conversation, as the host has recorded it; times are 0 where it says none."""

    agent_id: str
    kind: SessionKind
    is_private: bool
    is_running: bool
    began_at_ms: int
    ended_at_ms: int


def turn_of(
    session_key: str,
    *,
    created_via: str | None = None,
    chat_type: str | None = None,
    has_group: bool = False,
    is_running: bool = False,
    began_at_ms: int = 0,
    ended_at_ms: int = 0,
    agent_id: str = "",
) -> HostTurn:
    """Return a turn of the conversation *session_key*; *agent_id* is whose it is where the key does not say.

    Private is only what has the form of it. Of anything else (one session for all, a form that is not known
    here) nobody knows who reads it.
    """
    key = session_key.lower()
    kind = session_kind(key, chat_type, created_via)
    is_private = kind is SessionKind.DIRECT and not has_group and bool(_PRIVATE.fullmatch(key))
    words = key.split(":")
    owner = words[1] if words[0] == "agent" and len(words) > 2 else agent_id
    return HostTurn(owner, kind, is_private, is_running, began_at_ms, ended_at_ms)


def doubt(
    turns: Iterable[HostTurn],
    owners: Collection[str],
    *,
    shell_began_at_ms: int,
    gateway_began_at_ms: int = 0,
) -> str:
    """Return why another than a private conversation of *owners* may be asking; "" when none can.

    *turns* are the newest of every conversation of the host. *gateway_began_at_ms*: what a gateway that was
    killed left as running ended with it; 0 when none runs, and then nothing is known to have ended.
    """
    may_ask = [turn for turn in turns if _may_ask(turn, shell_began_at_ms, gateway_began_at_ms)]
    for turn in may_ask:
        if not (turn.is_private and turn.agent_id in owners):
            return f"a turn of {_named(turn)} of {turn.agent_id} runs now, or did when this shell began"
    if not any(_can_hold(turn, shell_began_at_ms) for turn in may_ask):
        names = " or ".join(sorted(owners))
        return f"no turn of a private conversation of {names} runs in which this shell can have begun"
    return ""


def _may_ask(turn: HostTurn, shell_began_at_ms: int, gateway_began_at_ms: int) -> bool:
    if turn.is_running:
        return not 0 < turn.began_at_ms < gateway_began_at_ms
    # A background process of a turn may go on asking after the turn is over.
    return turn.ended_at_ms >= shell_began_at_ms - SLACK_MS


def _can_hold(turn: HostTurn, shell_began_at_ms: int) -> bool:
    return turn.is_running and 0 < turn.began_at_ms <= shell_began_at_ms + SLACK_MS


def _named(turn: HostTurn) -> str:
    match turn.kind:
        case SessionKind.GROUP | SessionKind.CHANNEL:
            return f"a {turn.kind.value} conversation"
        case SessionKind.DIRECT if turn.is_private:
            return "a conversation"
        case SessionKind.DIRECT | SessionKind.UNKNOWN:
            return "a conversation that may not be private"
        case _:
            return f"a {turn.kind.value} session"
