"""What was forgotten, out of the conversations that programs have handed in (rule 21).

Messages keep their place and lose the words; a log that held a line gets a new version without it, and the
text of those before is emptied. May be repeated.
"""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import closing
from datetime import datetime

from scrimshaw.clock import milliseconds
from scrimshaw.core.conversation import count_tokens, log_piece, session_id_of
from scrimshaw.core.ledger.forget import FORGOTTEN, Silenced, Traces, without_forgotten
from scrimshaw.core.transcript.entries import LATEST_MS
from scrimshaw.core.types import Entry, Observation, Role
from scrimshaw.errors import Exit, UserError
from scrimshaw.services.conversations.archive import drop_archives
from scrimshaw.services.edit.forget_files import row_traces_of
from scrimshaw.store.ledger import Ledger
from scrimshaw.working import conversations
from scrimshaw.working.conversations import ConversationState
from scrimshaw.working.database import WorkingDatabase
from scrimshaw.workspace import Target


def threads_kept(target: Target) -> list[str]:
    """Return which conversations programs have handed in, the most recent first."""
    if not target.layout.working.exists():
        return []
    with closing(WorkingDatabase(target.layout.working)) as db:
        return [one.thread_id for one in conversations.states(db)]


def blank_conversations(
    target: Target, ledger: Ledger, gone: Iterable[Observation], now: datetime
) -> list[str]:
    """Take what was forgotten, *gone* and all before, out of the conversations; return what held any.

    Raises UserError where another program keeps the file's log from being emptied.
    """
    path = target.layout.working
    if not path.exists():
        return []
    with closing(WorkingDatabase(path)) as db:
        every = list(gone)
        traces, ids = row_traces_of(every), {one.id for one in every}
        with db.transaction():
            states = conversations.states(db)
            count = sum(_blank_messages(ledger, db, one, traces, milliseconds(now)) for one in states)
            owners = {one.owner(scope) for one in states for scope in conversations.SCOPES}
            for owner in sorted(owners):
                if conversations.logged(db, owner) & ids:
                    count += 1
                    shown = conversations.logged(db, owner, is_shown=True) - ids
                    lines = ledger.lines(shown).values()
                    conversations.rewrite_log(db, owner, log_piece(lines), at_ms=milliseconds(now))
            drop_archives(target.layout, db)
        if count and not conversations.empty_file_log(db):
            raise UserError(
                f"{path}: another program keeps reading it as it was, so its log cannot be emptied yet.",
                next_step="end what reads it, then run any command again",
                exit_code=Exit.LOCKED,
            )
        return [".scrimshaw/working.sqlite"] if count else []


def _blank_messages(
    ledger: Ledger, db: WorkingDatabase, one: ConversationState, traces: Traces, now_ms: int
) -> int:
    session_id = session_id_of(one.thread_id)
    silenced = ledger.numbered.forgotten_in(session_id)
    if silenced.until_ms == now_ms:  # forgotten just now: with all that is stored, however it is dated
        silenced = silenced._replace(until_ms=LATEST_MS)
    if silenced == Silenced({}, None) and not traces:
        return 0
    count, after = 0, None
    while found := conversations.messages_after(db, one.thread_id, after):
        after = found[-1].id
        for message in found:
            said = Entry(session_id, message.id, 0, message.at_ms, Role.USER, message.content)
            kept = without_forgotten(said, silenced).text
            kept = FORGOTTEN if traces.are_in(kept) else kept
            if kept != message.content:
                conversations.rewrite_message(
                    db, one, message._replace(content=kept, token_count=count_tokens(kept))
                )
                count += 1
    return count
