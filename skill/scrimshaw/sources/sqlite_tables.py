"""What an agent's SQLite store holds: its schema, its sessions and their ends, and rows of events as stored.

Every table and column is optional: an older schema lacks some, a newer one may have renamed them. What is
missing is done without, and what that costs is said in a warning. Rows are fetched in bounded pages and
unpacked on demand; what they hold is not trusted: a frame may claim any size, a row may be unreadable while
its neighbours are fine.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Sequence
from typing import NamedTuple

import zstandard

from scrimshaw.sources.reading import MAX_EVENT_BYTES, MAX_PAGE_BYTES, MAX_PAGE_ROWS, marks_end
from scrimshaw.sources.sqlite_store import Store, Value

NEWEST_KNOWN_SCHEMA = 23

# Steps from one session id to the next through the primary key, whatever the number of rows.
SESSION_IDS = """
with recursive ids(id) as (
  select min(session_id) from transcript_events
  union all
  select (select min(session_id) from transcript_events where session_id > ids.id)
  from ids where ids.id is not null
)
select id from ids where id is not null
"""


# Going back in a conversation copies all of it, with the entries' ids, into a new session under the same key.
_COPIED = """
select old.session_id from session_windows as old
join session_nodes as node
  on node.session_key = old.session_key and node.current_session_id <> old.session_id
where exists (
  select 1 from transcript_event_identities as copy
  where copy.session_id = node.current_session_id and copy.event_id = (
    select event_id from transcript_event_identities as last
    where last.session_id = old.session_id order by last.seq desc limit 1
  )
)
and not exists (
  select 1 from transcript_event_identities as one
  where one.session_id = old.session_id and one.event_type = 'message' and not exists (
    select 1 from transcript_event_identities as copy
    where copy.session_id = node.current_session_id and copy.event_id = one.event_id
  )
)
"""


class Facts(NamedTuple):
    """What the store says of a session."""

    key: str = ""
    chat_type: str | None = None
    created_via: str | None = None
    outside_content: str | None = None


def session_facts(store: Store) -> dict[str, Facts]:
    """Return what the store says of each session: key, chat type, how it was created, outside content."""
    facts: dict[str, Facts] = {}
    created_via: dict[str, str | None] = {}
    if store.has("session_nodes", "session_key", "current_session_id"):
        via = store.column("session_nodes", "created_via")
        for key, session_id, created in store.rows(
            f"select session_key, current_session_id, {via} from session_nodes"
        ):
            created_via[decoded_text(key)] = decoded_text(created) or None
            facts[decoded_text(session_id)] = Facts(decoded_text(key), None, decoded_text(created) or None)
    if store.has("session_windows", "session_id", "session_key"):
        chat = store.column("session_windows", "chat_type")
        hook = store.column("session_windows", "hook_external_content_source")
        for session_id, key, chat_type, source in store.rows(
            f"select session_id, session_key, {chat}, {hook} from session_windows"
        ):
            name = decoded_text(key)
            signs = (decoded_text(chat_type) or None, created_via.get(name), decoded_text(source) or None)
            facts[decoded_text(session_id)] = Facts(name, *signs)
    return facts


def copied_sessions(store: Store) -> frozenset[str]:
    """Return the sessions of which the one that their key went on in holds every entry."""
    tables = (
        ("session_windows", "session_id", "session_key"),
        ("session_nodes", "session_key", "current_session_id"),
        ("transcript_event_identities", "session_id", "event_id", "seq", "event_type"),
    )
    if not all(store.has(*table) for table in tables):
        return frozenset()
    return frozenset(decoded_text(session_id) for (session_id,) in store.rows(_COPIED))


def schema_warnings(store: Store) -> list[str]:
    """Return what the owner should know of the store's schema."""
    if not store.has("transcript_events", "session_id", "seq"):
        size = store.path.stat().st_size
        return [f"{store.path}: holds no table of transcripts ({size} bytes); nothing was read from it."]
    found = []
    version = 0
    if store.has("schema_meta", "schema_version"):
        version = max(
            (row[0] or 0 for row in store.rows("select schema_version from schema_meta")), default=0
        )
    version = version or store.rows("pragma user_version")[0][0]
    if version > NEWEST_KNOWN_SCHEMA:
        found.append(
            f"{store.path}: has schema {version}, newer than {NEWEST_KNOWN_SCHEMA}, the newest known here. "
            "What is understood is read; look for an update of scrimshaw."
        )
    if not store.has("transcript_events", "event_json") and not store.has("transcript_events", "event_zstd"):
        found.append(
            f"{store.path}: holds transcripts in a form that is not known here; nothing can be read."
        )
    if store.has("session_transcript_cold_archives", "session_id"):
        [(cold,)] = store.rows(
            "select count(*) from session_transcript_cold_archives where session_id not in"
            " (select id from (" + SESSION_IDS.strip() + "))"
        )
        if cold:
            found.append(
                f"{store.path}: {cold} old session(s) lie in the host's cold archive; these are not read."
            )
    return found


def decoded_text(value: Value) -> str:
    """Return a column of text, which the store hands out as bytes."""
    return value.decode("utf-8", "replace") if type(value) is bytes else "" if value is None else str(value)


# -- rows ----------------------------------------------------------------------------------------------------

# seq, text, frame of one stored event; in the place of the text the error, where it cannot be fetched.
Row = tuple[int, Value, Value]


def unpacked(text: Value, frame: Value, unpack: Callable[..., bytes]) -> bytes:
    """Return a frame's bytes; ValueError with words for a person when it cannot be unpacked."""
    if frame is None:
        raise ValueError(f"cannot be read ({text or 'it holds nothing'})")
    try:
        # The size that the frame states is what would be allocated, whatever else is asked for.
        if zstandard.frame_content_size(frame) > MAX_EVENT_BYTES:
            raise ValueError(f"unpacks to more than {MAX_EVENT_BYTES >> 20} MiB")
        return unpack(frame, max_output_size=MAX_EVENT_BYTES)
    except (zstandard.ZstdError, TypeError) as error:
        raise ValueError(f"cannot be unpacked ({error})") from error


def fetch_rows(
    connection: sqlite3.Connection, columns: str, session_id: str, after: int, last_seq: int
) -> list[Row]:
    """Return the next rows of a session, at most MAX_PAGE_ROWS and about MAX_PAGE_BYTES as stored."""
    found: list[Row] = []
    size = 0
    for row in connection.execute(
        f"select seq, {columns} from transcript_events where session_id = ? and seq > ? and seq <= ?"
        f" order by seq limit {MAX_PAGE_ROWS}",
        (session_id, after, last_seq),
    ):
        found.append(row)
        size += len(row[1] or row[2] or b"")
        if size >= MAX_PAGE_BYTES:
            break
    return found


def salvage_rows(
    connection: sqlite3.Connection, columns: str, session_id: str, after: int, last_seq: int
) -> list[Row]:
    """Fetch row by row, so that one that cannot be read does not take the others with it."""
    found: list[Row] = []
    size = 0
    seqs = connection.execute(
        "select seq from transcript_events where session_id = ? and seq > ? and seq <= ? order by seq"
        f" limit {MAX_PAGE_ROWS}",
        (session_id, after, last_seq),
    ).fetchall()
    for (seq,) in seqs:
        try:
            [(text, frame)] = connection.execute(
                f"select {columns} from transcript_events where session_id = ? and seq = ?", (session_id, seq)
            ).fetchall()
        except sqlite3.DatabaseError as error:
            found.append((seq, error, None))
            continue
        found.append((seq, text, frame))
        size += len(text or frame or b"")
        if size >= MAX_PAGE_BYTES:
            break
    return found


# -- ends ----------------------------------------------------------------------------------------------------


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
