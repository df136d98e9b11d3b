"""Old conversations of which nothing says any more whether they were private: asked about once.

In the JSONL era a reset makes the host forget which key a transcript had, and a group's can look like one
person's own (core/transcript/session_kind). So they are left out, until the owner has said what they were.
What was said is kept with the sessions in the ledger, for each by itself: later ones are asked about anew.
"""

from __future__ import annotations

from scrimshaw.core.types import SessionKind
from scrimshaw.errors import UserError
from scrimshaw.services.stores import open_sources
from scrimshaw.sources.reading import SessionState
from scrimshaw.store.ledger import Ledger, open_ledger
from scrimshaw.workspace import Target, is_set_up, own_folder

_LEAST_SIZE = 1024  # a reset can leave a file with a header and nothing else


def nameless(target: Target) -> list[SessionState]:
    """Return the conversations of *target* that nobody knows to be private, oldest first."""
    if not is_set_up(target.layout):
        return _nameless(target, None)
    with open_ledger(target.layout.ledger, create=False, read_only=True) as ledger:
        return _nameless(target, ledger)


def undecided(target: Target) -> list[SessionState]:
    """Return those of the nameless conversations of which the owner has not said what they were."""
    found = nameless(target)
    if not found or not is_set_up(target.layout):
        return found
    with open_ledger(target.layout.ledger, create=False, read_only=True) as ledger:
        decided = ledger.sessions()
    return [state for state in found if state.session.session_id not in decided]


def remember_decision(target: Target, states: list[SessionState], *, are_private: bool) -> None:
    """Remember what the owner said of *states*: the main conversation's, or to be left out as before."""
    own_folder(target)
    sessions = [state.session for state in states]
    if are_private:
        sessions = [
            one._replace(session_key=f"agent:{one.agent_id}:main", kind=SessionKind.DIRECT)
            for one in sessions
        ]
    with open_ledger(target.layout.ledger, create=True) as ledger:
        ledger.remember_sessions(sessions)


def _nameless(target: Target, ledger: Ledger | None) -> list[SessionState]:
    found: list[SessionState] = []
    with open_sources(target, ledger.session_keys() if ledger else {}) as sources:
        for source in sources:
            try:
                found += [state for state in source.sessions() if _is_nameless(state)]
            except UserError:
                continue  # told by the run itself
    return sorted(found, key=lambda state: state.newest_at_ms)


def _is_nameless(state: SessionState) -> bool:
    return (
        state.session.kind is SessionKind.UNKNOWN
        and not state.session.session_key
        and state.size_hint > _LEAST_SIZE
    )
