"""Rows of a host's table of transcript events, as stored: fetched in bounded pages, unpacked on demand.

The columns come as a part of the query, because a schema may lack one of them; what they hold is not
trusted: a frame may claim any size, a row may be unreadable while its neighbours are fine.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable

import zstandard

from scrimshaw.sources.reading import MAX_EVENT_BYTES, MAX_PAGE_BYTES, MAX_PAGE_ROWS
from scrimshaw.sources.sqlite_store import Value

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
