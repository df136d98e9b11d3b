"""Which lines rest on a conversation that the owner keeps to themselves: none of them is in any request.

A line's own session tells, and so does what went into it: lines that were merged into it, lines whose wording
by a person it is, and the lines that a reflection rests on.
"""

from __future__ import annotations

from collections.abc import Callable

from scrimshaw.core.transcript.privacy import is_private_session
from scrimshaw.core.types import Closed, Line, Observation
from scrimshaw.store.ledger import Ledger

_HANDED_ON = (Closed.MERGED, Closed.EDITED)


def leaves_out(ledger: Ledger, private_sessions: tuple[str, ...]) -> Callable[[Observation], bool]:
    """Return what tells of a line that no model may see it; lines noted later are judged by their session."""
    if not private_sessions:
        return lambda _line: False
    keys = dict(ledger.session_keys())

    def is_private(session_id: str) -> bool:
        if session_id not in keys:
            keys.update(ledger.session_keys())
        return is_private_session(keys.get(session_id, ""), session_id, private_sessions)

    touched = tainted(ledger.all_lines(), is_private)
    return lambda line: line.id in touched or is_private(line.session_id)


def tainted(lines: list[Line], is_private: Callable[[str], bool]) -> frozenset[str]:
    """Return the ids of the lines that private ones went into, directly or by others."""
    heirs: dict[str, list[str]] = {}
    for line in lines:
        observation, standing = line.observation, line.standing
        if standing.closed in _HANDED_ON and standing.closed_by:
            heirs.setdefault(observation.id, []).append(standing.closed_by)
        for support in observation.supports:
            heirs.setdefault(support, []).append(observation.id)
    found: set[str] = set()
    left = [line.observation.id for line in lines if is_private(line.observation.session_id)]
    while left:
        id_ = left.pop()
        if id_ not in found:
            found.add(id_)
            left += heirs.get(id_, [])
    return frozenset(found)
