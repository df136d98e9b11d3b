"""Transcripts in the agent's SQLite store, with rows as text or as zstd frames.

Rows are fetched in transactions of at most 1,000 rows and about 4 MiB and decoded after the
transaction (rule 23), so the host's writer is never waited for and its log can be checkpointed.

The cursor is (generation, seq, and how many rows of what sum of seqs were to be read up to there). A
destructive rewrite changes the generation, a switch of branches the rest; then the session is read again
from its start, and a rewrite is told. The host's own table of the current branch is used when it is up to
date, else the parent links; messages that an interruption put aside are read with it. Columns and tables
that an older or newer schema lacks are done without.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import orjson
import zstandard

from scrimshaw.core.transcript import branch
from scrimshaw.core.transcript.branch import Link, LinkKind, Ranges
from scrimshaw.core.transcript.session_kind import session_kind
from scrimshaw.core.types import Session
from scrimshaw.files import changed_ns
from scrimshaw.sources.reading import (
    MAX_PAGE_BYTES,
    MAX_PAGE_ROWS,
    Page,
    PageBuilder,
    SessionState,
    cursor_from_json,
    cursor_to_json,
    turn_from_json,
    turn_to_json,
)
from scrimshaw.sources.sqlite_store import Store, Value, is_busy
from scrimshaw.sources.sqlite_tables import (
    SESSION_IDS,
    Facts,
    Row,
    copied_sessions,
    decoded_text,
    fetch_rows,
    goes_on,
    is_left,
    rows_mark_end,
    salvage_rows,
    schema_warnings,
    session_facts,
    unpacked,
)

SIZED_ROWS = 2_000  # enough to know what a row takes on average
BEFORE_FIRST = -1  # seqs start at 0
BATCH_BYTES = 128 << 10  # decoded at once: little enough for the processor's cache
EVENT_COLUMNS = ("event_json", "event_zstd")
_KINDS = {b"message": LinkKind.MESSAGE, b"leaf": LinkKind.LEAF}


class Mark(NamedTuple):
    """A read position in a session, and what proves it."""

    generation: str = ""
    seq: int = BEFORE_FIRST
    rows: int = 0  # of the current branch up to seq
    total: int = 0  # of their seqs
    turn: object = None


class SqliteSource:
    """Reads an agent's `openclaw-agent.sqlite`. *known_keys* fill in for sessions without a window row."""

    kind = "sqlite"

    def __init__(self, path: Path, agent_id: str, *, known_keys: Mapping[str, str] | None = None) -> None:
        self.id = f"sqlite:{agent_id}"
        self.agent_id = agent_id
        self._store = Store(path)
        self._known_keys = dict(known_keys or {})
        self._warnings: dict[str, None] = {}

    def sessions(self) -> list[SessionState]:
        """Return every session with rows, oldest first; UserError when the store cannot be read."""
        self._store.forget_schema()
        self._warnings = dict.fromkeys(schema_warnings(self._store))
        if not self._store.has("transcript_events", "session_id", "seq"):
            return []
        facts, copied = session_facts(self._store), copied_sessions(self._store)
        found = []
        for (raw_id,) in self._store.rows(SESSION_IDS):
            session_id = decoded_text(raw_id)
            key, *signs = facts.get(session_id, Facts())
            key = key or self._known_keys.get(session_id, "")
            if key:
                self._known_keys[session_id] = key
            last_seq, at_ms = self._last_row(session_id)
            session = Session(session_id, key, self.agent_id, session_kind(key, *signs))
            position = f"{self._generation(session_id)}:{last_seq}:{self._branch_stamp(session_id)}"
            found.append(SessionState(session, at_ms, position, last_seq + 1, session_id in copied))
        return sorted(found, key=lambda state: (state.newest_at_ms, state.session.session_id))

    def pages(self, state: SessionState, cursor: str | None) -> Iterator[Page]:
        """Yield what the session holds after *cursor*; one that does not hold is said in the first page."""
        session_id = state.session.session_id
        generation = self._generation(session_id)
        last_seq, _ = self._last_row(session_id)
        current = _Branch(self._store, session_id, last_seq)
        mark, problem = Mark(generation), ""
        if cursor is not None:
            held = _mark_from_json(cursor)
            if held is not None and held.generation == generation and current.proves(held):
                mark = held
            elif held is None or held.generation != generation or not generation:
                problem = "was rewritten since it was last read; read again from its start"
            # Else another branch of the same rows is the current one: nothing is unreadable.
        turn = turn_from_json(mark.turn)
        name = state.session.session_key or session_id
        builder = PageBuilder(state.session, turn, lambda seq: f"{name} {seq}")
        if problem:
            builder.problem(name, problem)
        if BEFORE_FIRST < last_seq <= mark.seq:
            yield builder.page(_mark_to_json(mark), 0)  # nothing new; that is known now
        while mark.seq < last_seq:
            found_generation, rows = self._fetch(session_id, mark.seq, last_seq)
            if found_generation != generation:
                # Rewritten under our eyes: the cursor shows it, so begin again.
                yield from self.pages(state, _mark_to_json(mark))
                return
            if not rows:
                return
            for reached, read_bytes in _read_rows(rows, mark, current, builder):
                mark = reached._replace(turn=turn_to_json(turn))
                yield builder.page(_mark_to_json(mark), read_bytes)

    def unread_bytes(self, state: SessionState, cursor: str | None) -> int:
        """Return how many bytes of rows lie after *cursor*; of very many the first ones stand for all."""
        mark = _unread_from(state, cursor)
        text, packed = (self._store.column("transcript_events", name) for name in EVENT_COLUMNS)
        ((size, rows),) = self._store.rows(
            f"select coalesce(sum(size), 0), count(*) from (select coalesce(length({text}), 0) +"
            f" coalesce(length({packed}), 0) as size from transcript_events"
            f" where session_id = ? and seq > ? order by seq limit {SIZED_ROWS})",
            (state.session.session_id, mark.seq),
        )
        unread = max(rows, state.size_hint - 1 - mark.seq)
        return int(size * unread / rows) if rows else 0

    def unread_since_ms(self, state: SessionState, cursor: str | None) -> int:
        """Return when the first row after *cursor* was stored; 0 without one."""
        mark = _unread_from(state, cursor)
        at = self._store.column("transcript_events", "created_at", "0")
        found = self._store.rows(
            f"select {at} from transcript_events where session_id = ? and seq > ? order by seq limit 1",
            (state.session.session_id, mark.seq),
        )
        return int(found[0][0] or 0) if found else 0

    def changed_at_ms(self, state: SessionState) -> int:  # noqa: ARG002  # of the store as a whole
        """Return when the store was last written, by the clock of its disk."""
        log = self._store.path.with_name(f"{self._store.path.name}-wal")
        return max(changed_ns(self._store.path), changed_ns(log)) // 1_000_000

    def is_over(self, state: SessionState) -> bool:
        """Tell whether the session's key went on in another session."""
        return is_left(self._store, state.session.session_id, state.session.session_key)

    def has_ended(self, state: SessionState, cursor: str | None) -> bool:
        session_id, key, *_ = state.session
        last_seq = state.size_hint - 1
        mark = _unread_from(state, cursor)
        if mark.seq >= last_seq:
            return False
        return is_left(self._store, session_id, key) or rows_mark_end(
            self._store, session_id, mark.seq, lambda: self._fetch(session_id, mark.seq, last_seq)[1]
        )

    def goes_on(self, state: SessionState) -> bool:
        return goes_on(self._store, state.session.session_id)

    def warnings(self) -> list[str]:
        return list(self._warnings)

    def deleted_sessions(self) -> frozenset[str]:
        """Return the sessions that the host deleted and archived."""
        if not self._store.has("session_transcript_archives", "session_id", "reason"):
            return frozenset()
        deleted = self._store.rows(
            "select session_id from session_transcript_archives where reason = 'deleted'"
        )
        return frozenset(decoded_text(session_id) for (session_id,) in deleted)

    def close(self) -> None:
        self._store.close()

    def _last_row(self, session_id: str) -> tuple[int, int]:
        at = self._store.column("transcript_events", "created_at", "0")
        found = self._store.rows(
            f"select seq, {at} from transcript_events where session_id = ? order by seq desc limit 1",
            (session_id,),
        )
        return (found[0][0], int(found[0][1] or 0)) if found else (BEFORE_FIRST, 0)

    def _generation(self, session_id: str) -> str:
        if not self._store.has("transcript_rewrite_watermarks", "session_id", "generation"):
            return ""
        return self._store.read(lambda connection: _generation_of(connection, session_id))

    def _branch_stamp(self, session_id: str) -> str:
        if not self._store.has(
            "session_transcript_index_state", "session_id", "active_event_count", "leaf_event_id"
        ):
            return ""
        found = self._store.rows(
            "select active_event_count, leaf_event_id from session_transcript_index_state"
            " where session_id = ?",
            (session_id,),
        )
        return f"{found[0][0]}:{decoded_text(found[0][1])}" if found else ""

    def _fetch(self, session_id: str, after: int, last_seq: int) -> tuple[str, list[Row]]:
        """Return the generation and the next rows, in one transaction."""
        has_generation = self._store.has("transcript_rewrite_watermarks", "session_id", "generation")
        columns = ", ".join(self._store.column("transcript_events", name) for name in EVENT_COLUMNS)

        def work(connection: sqlite3.Connection) -> tuple[str, list[Row]]:
            generation = _generation_of(connection, session_id) if has_generation else ""
            try:
                return generation, fetch_rows(connection, columns, session_id, after, last_seq)
            except sqlite3.DatabaseError as error:
                if is_busy(error):
                    raise
                return generation, salvage_rows(connection, columns, session_id, after, last_seq)

        return self._store.read(work)


class _Branch:
    """Which rows of a session are current, looked up once."""

    def __init__(self, store: Store, session_id: str, last_seq: int) -> None:
        self._store = store
        self._session_id = session_id
        self._last_seq = last_seq
        self._has_table = self._is_table_current()
        self.ranges = self._find_ranges()
        self.is_whole = list(self.ranges) == [(0, last_seq)]
        if not self.is_whole:
            self.ranges = branch.joined(self.ranges, self._interrupted())

    def proves(self, mark: Mark) -> bool:
        """Tell whether the current branch up to *mark* is the one that was read."""
        if self.is_whole:
            [(rows, total)] = self._store.rows(
                "select count(*), coalesce(sum(seq), 0) from transcript_events"
                " where session_id = ? and seq <= ?",
                (self._session_id, mark.seq),
            )
            return bool((rows, total) == (mark.rows, mark.total))
        rows = total = 0
        for (seq,) in self._paged("transcript_events", "seq", "seq", mark.seq):
            if branch.is_current(self.ranges, seq):
                rows, total = rows + 1, total + seq
        return (rows, total) == (mark.rows, mark.total)

    def _is_table_current(self) -> bool:
        if not self._store.has("session_transcript_active_events", "session_id", "event_seq"):
            return False
        if self._store.has("session_transcript_index_state", "session_id", "indexed_seq", "needs_rebuild"):
            found = self._store.rows(
                "select indexed_seq, needs_rebuild from session_transcript_index_state where session_id = ?",
                (self._session_id,),
            )
            return bool(found) and found[0][0] >= self._last_seq and not found[0][1]
        return False

    def _find_ranges(self) -> Ranges:
        if self._has_table:
            return self._ranges_of_table()
        breaks = branch.find_breaks(self._links())
        if not breaks or len(breaks) > branch.MAX_BREAKS:
            return [(0, self._last_seq)]
        return branch.current_ranges(self._links(), breaks, 0, self._last_seq)

    def _ranges_of_table(self) -> Ranges:
        counts = [
            self._store.rows(f"select count(*) from {table} where session_id = ?", (self._session_id,))[0][0]
            for table in ("transcript_events", "session_transcript_active_events")
        ]
        if counts[1] >= counts[0] - 1:  # all but the header
            return [(0, self._last_seq)]
        ranges: list[tuple[int, int]] = []
        first = end = 0  # the header at 0 belongs to every branch, although the table leaves it out
        for (seq,) in self._paged(
            "session_transcript_active_events", "event_seq", "event_seq", self._last_seq
        ):
            if seq > end + 1:
                ranges.append((first, end))
                first = seq
            end = seq
        return [*ranges, (first, end)]

    def _interrupted(self) -> list[int]:
        """Return the seqs of the person's messages that an interruption put aside."""
        links = self._links_outside() if self._has_table else self._links()
        found = branch.unanswered(links, self.ranges)
        read = (branch.link_of(item, seq) for at in found for item, seq in self._decoded(at - 1, at))
        return [link.position for link in read if link is not None and link.kind is LinkKind.USER]

    def _links_outside(self) -> Iterator[Link]:
        """Yield the links that the host's table leaves out (leaves always are), and those beside them."""
        ends = [(end, first) for (_, end), (first, _) in pairwise(self.ranges)]
        for end, first in [*ends, (self.ranges[-1][1], self._last_seq)]:
            yield from self._links(end - 1, first)

    def _links(self, after: int = BEFORE_FIRST, last: int | None = None) -> Iterator[Link]:
        last = self._last_seq if last is None else last
        table = "transcript_event_identities"
        if self._store.has(table, "session_id", "event_id", "seq", "parent_id", "event_type"):
            for seq, event_id, parent_id, kind in self._paged(
                table, "seq, event_id, parent_id, event_type", "seq", last, after=after
            ):
                if kind != b"session":
                    # A root and an event that names no parent look alike here: cut nothing off for that.
                    parent = "" if parent_id is None else decoded_text(parent_id)
                    yield Link(seq, decoded_text(event_id), parent, _KINDS.get(kind, LinkKind.OTHER), parent)
            return
        for item, seq in self._decoded(after, last):
            link = branch.link_of(item, seq)
            if link is not None:
                yield link

    def _decoded(self, after: int, last: int) -> Iterator[tuple[object, int]]:
        columns = ", ".join(self._store.column("transcript_events", name) for name in EVENT_COLUMNS)
        unpack = zstandard.ZstdDecompressor().decompress
        rows = self._paged("transcript_events", f"seq, {columns}", "seq", last, 50, after=after)
        for seq, text, frame in rows:
            try:
                raw = text if text is not None else unpacked(text, frame, unpack)
                yield orjson.loads(raw), seq
            except ValueError:
                continue

    def _paged(
        self,
        table: str,
        columns: str,
        order: str,
        last: int,
        limit: int = MAX_PAGE_ROWS,
        *,
        after: int = BEFORE_FIRST,
    ) -> Iterator[tuple[Value, ...]]:
        """Yield the session's rows of *table* up to *last*, a short transaction for each *limit*."""
        while True:
            rows = self._store.rows(
                f"select {order}, {columns} from {table}"
                f" where session_id = ? and {order} > ? and {order} <= ?"
                f" order by {order} limit {limit}",
                (self._session_id, after, last),
            )
            for row in rows:
                yield row[1:]
            if len(rows) < limit:
                return
            after = rows[-1][0]


def _read_rows(
    rows: list[Row], mark: Mark, current: _Branch, builder: PageBuilder
) -> Iterator[tuple[Mark, int]]:
    """Class *rows*; yield the position and the bytes read whenever a page is full, and at the end."""
    unpack = zstandard.ZstdDecompressor().decompress
    raws: list[bytes] = []
    seqs: list[int] = []
    page_bytes = batch_bytes = 0
    _, _, count, total, _ = mark
    is_whole, ranges = current.is_whole, current.ranges
    for seq, text, frame in rows:
        if not is_whole and not branch.is_current(ranges, seq):
            builder.skip("abandoned-branch")
            continue
        count += 1
        total += seq
        if text.__class__ is bytes:
            raw = text
        else:
            try:
                raw = unpacked(text, frame, unpack)
            except ValueError as error:
                builder.reject(seq, f"{error}; left out")
                continue
        raws.append(raw)
        seqs.append(seq)
        batch_bytes += len(raw)
        if batch_bytes >= BATCH_BYTES:
            builder.add(raws, seqs)
            page_bytes += batch_bytes
            raws, seqs, batch_bytes = [], [], 0
            if page_bytes >= MAX_PAGE_BYTES:
                yield Mark(mark.generation, seq, count, total), page_bytes
                page_bytes = 0
    builder.add(raws, seqs)
    yield Mark(mark.generation, rows[-1][0], count, total), page_bytes + batch_bytes


def _generation_of(connection: sqlite3.Connection, session_id: str) -> str:
    found = connection.execute(
        "select generation from transcript_rewrite_watermarks where session_id = ?", (session_id,)
    ).fetchone()
    return decoded_text(found[0]) if found else ""


def _unread_from(state: SessionState, cursor: str | None) -> Mark:
    """Return the mark behind which rows are unread; after a rewrite that is all of them."""
    mark = _mark_from_json(cursor) if cursor is not None else None
    return mark if mark is not None and state.position.startswith(f"{mark.generation}:") else Mark()


def _mark_to_json(mark: Mark) -> str:
    return cursor_to_json("sqlite", mark)


def _mark_from_json(text: str) -> Mark | None:
    match cursor_from_json("sqlite", text):
        case [str(), int(), int(), int(), _] as stored:
            return Mark(*stored)
    return None
