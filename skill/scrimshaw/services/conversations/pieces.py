"""What of the ledger belongs into a log of observations, and is not in it yet."""

from __future__ import annotations

from collections.abc import Collection

from scrimshaw.core.conversation import Piece, log_piece, session_id_of
from scrimshaw.core.types import Line
from scrimshaw.store.ledger import Ledger
from scrimshaw.working import conversations
from scrimshaw.working.conversations import Owner
from scrimshaw.working.database import WorkingDatabase


def lines_of(ledger: Ledger, db: WorkingDatabase, owner: Owner) -> list[Line]:
    """Return the live lines of *owner*'s conversations, what was concluded from them included."""
    return ledger.lines_of_sessions([session_id_of(one) for one in conversations.threads_of(db, owner)])


def fresh_piece(ledger: Ledger, db: WorkingDatabase, owner: Owner, known: Collection[str], day: str) -> Piece:
    """Return what comes next in *owner*'s log, which ends under the day *day*: lines not *known* to it."""
    lines = lines_of(ledger, db, owner)
    return log_piece(
        [one for one in lines if one.observation.id not in known and not one.observation.level], day
    )
