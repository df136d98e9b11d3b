"""Whether a session in a SQLite store came to an end, and went on since (endings.py says what for)."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import zstandard

from scrimshaw.sources.endings import marks_end
from scrimshaw.sources.sqlite_rows import Row, unpacked
from scrimshaw.sources.sqlite_store import Store


def is_left(store: Store, session_id: str, key: str) -> bool:
    """Tell whether the host continues *key* in another session than this one."""
    if not key or not store.has("session_nodes", "session_key", "current_session_id"):
        return False
    sql = "select 1 from session_nodes where session_key = ? and current_session_id <> ?"
    return bool(store.rows(sql, (key, session_id)))


def goes_on(store: Store, session_id: str) -> bool:
    """Tell whether a message was stored since the session's last end."""
    if not store.has("transcript_event_identities", "session_id", "seq", "event_type"):
        return False
    sql = (
        "select event_type = 'message' from transcript_event_identities where session_id = ?"
        " and event_type in ('reset', 'compaction', 'message') order by seq desc limit 1"
    )
    return store.rows(sql, (session_id,)) == [(1,)]


def rows_mark_end(store: Store, session_id: str, after: int, fetch: Callable[[], Sequence[Row]]) -> bool:
    """Tell whether the rows after seq *after* hold an end.

    *fetch* returns the first of these rows, for a store without a table of types; where it had not room
    for all of them the rest counts as an end.
    """
    if store.has("transcript_event_identities", "session_id", "seq", "event_type"):
        sql = (
            "select 1 from transcript_event_identities where session_id = ? and seq > ?"
            " and event_type in ('reset', 'compaction') limit 1"
        )
        return bool(store.rows(sql, (session_id, after)))
    rows = fetch()
    [(last,)] = store.rows("select max(seq) from transcript_events where session_id = ?", (session_id,))
    if not rows or rows[-1][0] < (last or 0):
        return True
    return any(_marks_end(row) for row in rows)


def _marks_end(row: Row) -> bool:
    _, text, frame = row
    try:
        unpack = zstandard.ZstdDecompressor().decompress
        return marks_end(text if type(text) is bytes else unpacked(text, frame, unpack))
    except ValueError:
        return True
