"""What is noted of a search: which lines were asked for (rule 19), and what the person was told search lacks.

Best effort, after the answer was printed: whoever looks something up waits for nobody, and no search fails
because somebody else is writing.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from datetime import datetime

from scrimshaw.clock import milliseconds
from scrimshaw.core.types import Event, EventType
from scrimshaw.errors import UserError
from scrimshaw.locks import write_lock
from scrimshaw.services.search.search import Hit
from scrimshaw.store.ledger import Ledger, open_ledger
from scrimshaw.workspace import Target

_TOLD = "search-lacks"  # the name in the meta
_NOTED = 3  # hits that count as recalled: what stands further down was hardly looked at
_DAY_MS = 86_400_000


def was_told(ledger: Ledger, lacks: str) -> bool:
    """Tell whether the person has been told before that *lacks* is so."""
    return bool(lacks) and ledger.meta().get(_TOLD) == lacks


def note_searched(target: Target, hits: Sequence[Hit], now: datetime, *, told: str = "") -> None:
    """Note that the first of *hits* were asked for (rule 19), once a day and line; best effort.

    And that the person was *told* what search lacks.
    """
    first = [hit.line.observation.id for hit in hits[:_NOTED]]
    at_ms = milliseconds(now)
    with suppress(UserError, OSError), open_ledger(target.layout.ledger, create=False) as ledger:
        fresh = [id_ for id_ in first if not _was_recalled(ledger, id_, at_ms)]
        is_news = bool(told) and not was_told(ledger, told)
        if fresh or is_news:
            with write_lock(target.layout.state, by="search", now=now, timeout_seconds=0):
                ledger.append([Event(EventType.RECALLED, id_, at_ms, "search") for id_ in fresh])
                if is_news:
                    ledger.set_meta(_TOLD, told)


def _was_recalled(ledger: Ledger, observation_id: str, at_ms: int) -> bool:
    return any(
        stored.event.type is EventType.RECALLED and abs(at_ms - stored.event.at_ms) < _DAY_MS
        for stored in ledger.events_of(observation_id)
    )
