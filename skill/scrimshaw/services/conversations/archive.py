"""Conversations that have ended, each archived as a whole: a file of JSON lines, flushed to the disk.

One has ended when its owner has closed it, or a day after the last word; the next message opens it again, and
its file is made anew when it ends once more. The working layer keeps the messages, too: they are searched and
read there. A file is written while the layer's write lock is held, so that no older one takes the place of a
newer; killed anywhere, it is written once more, with the same bytes.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from datetime import datetime, timedelta
from hashlib import sha256
from pathlib import Path

from scrimshaw import files
from scrimshaw.clock import milliseconds
from scrimshaw.layout import Layout
from scrimshaw.services.conversations.listing import ConversationMemory, conversation, conversation_known
from scrimshaw.working import conversations
from scrimshaw.working.conversations import ConversationState
from scrimshaw.working.database import WorkingDatabase
from scrimshaw.workspace import Target

ENDED = timedelta(days=1)  # of silence
_MODE = 0o600


def close_conversation(
    target: Target, db: WorkingDatabase, now: datetime, thread_id: str
) -> ConversationMemory:
    """End *thread_id*, archive it, and ask for the rest of it to be observed; raises NotFoundError."""
    known = conversation_known(db, thread_id)
    if known.closed_at_ms is None:
        conversations.close(db, known, milliseconds(now))
    _archive(target.layout, db, thread_id)
    return conversation(target, db, now, thread_id)


def archive_ended(
    target: Target, db: WorkingDatabase, now: datetime, is_stopped: Callable[[], bool] = lambda: False
) -> int:
    """Archive every conversation that has ended and is not in its file as it stands; return how many.

    Once *is_stopped* says so the rest waits. Raises UserError (a full disk): what was archived by then is.
    """
    done = 0
    for one in due(target.layout, db, now):
        if is_stopped():
            break
        _archive(target.layout, db, one.thread_id)
        done += 1
    return done


def due(layout: Layout, db: WorkingDatabase, now: datetime) -> list[ConversationState]:
    """Return the conversations that have ended and are not in their files as they stand."""
    return [
        one
        for one in conversations.ended(db, milliseconds(now - ENDED))
        if one.archived_position < one.last_position or not archive_path(layout, one.thread_id).exists()
    ]


def archive_path(layout: Layout, thread_id: str) -> Path:
    """Return where a conversation is archived; threads that are named alike have files of their own."""
    plain = re.sub(r"[^A-Za-z0-9_-]+", "-", thread_id)[:48]
    digest = sha256(thread_id.encode("utf-8", "surrogatepass")).hexdigest()[:12]
    return layout.conversations / f"{plain}-{digest}.jsonl"


def drop_archives(layout: Layout, db: WorkingDatabase) -> None:
    """Take away the files of conversations that were changed since; a later round makes them anew."""
    for one in conversations.states(db):
        if not one.archived_position:
            archive_path(layout, one.thread_id).unlink(missing_ok=True)
    if layout.conversations.is_dir():
        files.sweep(layout.conversations)


def _archive(layout: Layout, db: WorkingDatabase, thread_id: str) -> None:
    files.own_folder(layout.workspace, makes=False)
    here = f"{layout.state.name}/{layout.conversations.name}"
    files.make_folder(layout.workspace, here, mode=0o700, parents=False)
    with db.transaction():
        one = conversations.state(db, thread_id)
        assert one
        said = conversations.every_message(db, one)
        head = {"thread_id": one.thread_id, "resource_id": one.resource_id, "messages": len(said)}
        rows = [head, *(message.to_dict() for message in said)]
        text = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
        path = archive_path(layout, thread_id)
        files.replace(path, text.encode("utf-8", "replace"), expected=None, new_mode=_MODE)
        conversations.note_archived(db, one)
