"""Memories and knowledge in the working layer's file: storing, reading, using, deleting.

Each function is one step on an open database, in its own transaction or the caller's. Texts are already
redacted.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import UTC, date, datetime
from math import ceil
from typing import Any, NamedTuple

from scrimshaw.core.working import (
    LASTING_IMPORTANCE,
    MOVING,
    Category,
    EmbeddingStatus,
    Knowledge,
    KnowledgeStatus,
    MemoryType,
    StoredMemory,
    come_back,
    days_between,
    expiry_ms,
    faded,
    worth,
)
from scrimshaw.store.database import Row, Value, parts
from scrimshaw.working.database import WorkingDatabase
from scrimshaw.working.words import words_of

_READER_WAITS_SECONDS = 0.02  # for the others' short writes; a reader never waits for a long one
_MOST_NIGHTS = 365  # a longer pause makes no difference: the least importance is reached
_COLUMNS = (
    "number, id, owner_id, agent, type, content, metadata, importance, access_count, pinned, "
    "embedding_status, created_at_ms, updated_at_ms, last_accessed_at_ms, expires_at_ms, version, category"
)
_KNOWLEDGE = (
    "id, owner_id, category, content, metadata, confidence, source, status, created_at_ms, updated_at_ms, "
    "version"
)
_MAY_MOVE = "type in (?, ?) and category is null"
_INSERT = (
    "insert into memory (id, owner_id, agent, type, content, metadata, importance, "
    "stated_importance, access_count, pinned, embedding_status, created_at_ms, updated_at_ms, "
    "last_accessed_at_ms, expires_at_ms, words, category, confidence, source, status) "
    f"select {', '.join('?' * 20)} "
    "where not exists (select 1 from moved where memory_id = ? and is_done = 1) "
    "on conflict (id) do nothing"  # but what cannot be stored at all is a fault
)


class NewMemory(NamedTuple):
    """A memory to be stored; with a *category* it is knowledge."""

    id: str
    owner_id: str
    agent: str
    type: MemoryType
    content: str
    metadata: Mapping[str, Any]
    importance: float
    pinned: bool
    created_at_ms: int
    expires_at_ms: int | None
    access_count: int = 0
    updated_at_ms: int = 0  # 0: when it was created
    last_accessed_at_ms: int = 0
    category: Category | None = None
    confidence: float | None = None
    source: str | None = None
    status: KnowledgeStatus | None = None


class Kept(NamedTuple):
    """A memory with its number, which increases from memory to memory."""

    number: int
    memory: StoredMemory
    knowledge: Knowledge | None = None  # the same as knowledge, where it is some

    @property
    def status(self) -> KnowledgeStatus:
        """Return whether it still holds: knowledge may not."""
        return self.knowledge.status if self.knowledge else KnowledgeStatus.ACTIVE


def put(db: WorkingDatabase, memories: Iterable[NewMemory]) -> int:
    """Store *memories* and return how many were new; an id that exists, or has moved, is not stored again."""
    new = 0
    with db.transaction():
        for one in memories:
            is_searched = one.status in (None, KnowledgeStatus.ACTIVE)
            words = " ".join(words_of(one.content)) if is_searched else ""
            if db.write(_INSERT, (*_row(one, words), one.id)):
                new += 1
                db.write("insert into memory_words (rowid, words) values (last_insert_rowid(), ?)", (words,))
    return new


def _row(one: NewMemory, words: str) -> Row:
    return (
        one.id,
        one.owner_id,
        one.agent,
        one.type.value,
        one.content,
        json.dumps(one.metadata, ensure_ascii=False) if one.metadata else "{}",
        one.importance,
        one.importance,
        one.access_count,
        one.pinned,
        EmbeddingStatus.PENDING.value,
        one.created_at_ms,
        one.updated_at_ms or one.created_at_ms,
        one.last_accessed_at_ms or one.created_at_ms,
        one.expires_at_ms,
        words,
        one.category.value if one.category else None,
        one.confidence,
        one.source,
        one.status.value if one.status else None,
    )


def by_id(db: WorkingDatabase, id_: str) -> StoredMemory | None:
    row = db.row(f"select {_COLUMNS} from memory where id = ?", (id_,))
    return _memory(row) if row else None


def by_number(db: WorkingDatabase, numbers: Collection[int]) -> dict[int, StoredMemory]:
    """Return memories by number; deleted ones are missing."""
    return {number: memory for number, (memory, _) in with_words(db, numbers).items()}


def with_words(db: WorkingDatabase, numbers: Collection[int]) -> dict[int, tuple[StoredMemory, list[str]]]:
    """Return memories by number, each with its searchable words; deleted ones are missing."""
    found: dict[int, tuple[StoredMemory, list[str]]] = {}
    for marks, part in parts(numbers):
        for row in db.rows(f"select {_COLUMNS}, words from memory where number in ({marks})", part):
            found[row[0]] = _memory(row), row[-1].split()
    return found


class MemoryFilter(NamedTuple):
    """Restricts a list of memories or knowledge; None and "" for any."""

    text: str = ""  # contained in the content, ignoring case
    owner_id: str | None = None
    type: MemoryType | None = None
    category: Category | None = None
    status: KnowledgeStatus | None = None


def page(
    db: WorkingDatabase,
    most: int,
    after: tuple[int, str] | None = None,
    narrowed: MemoryFilter = MemoryFilter(),  # noqa: B008  # immutable
) -> list[StoredMemory]:
    """Return the newest memories, no knowledge; only those after the time and id in *after*."""
    where, values = _page(after, narrowed)
    sql = f"select {_COLUMNS} from memory where category is null {where} {_NEWEST_FIRST}"
    return [_memory(row) for row in db.rows(sql, (*values, most))]


def knowledge_page(
    db: WorkingDatabase, most: int, after: tuple[int, str] | None, narrowed: MemoryFilter
) -> list[Knowledge]:
    """Return the newest knowledge; only that after the time and id in *after*."""
    where, values = _page(after, narrowed)
    sql = f"select {_KNOWLEDGE} from memory where category is not null {where} {_NEWEST_FIRST}"
    return [_as_knowledge(row) for row in db.rows(sql, (*values, most))]


_NEWEST_FIRST = "order by created_at_ms desc, id desc limit ?"


def _page(after: tuple[int, str] | None, narrowed: MemoryFilter) -> tuple[str, list[Value]]:
    wanted: dict[str, Sequence[Value]] = {}
    if after is not None:
        wanted["(created_at_ms, id) < (?, ?)"] = after
    if narrowed.text:
        wanted["instr(folded(content), ?)"] = (narrowed.text.casefold(),)
    for column, value in zip(narrowed._fields[1:], narrowed[1:], strict=True):
        if value is not None:
            wanted[f"{column} = ?"] = (str(value),)
    where = " ".join(f"and {one}" for one in wanted)
    return where, [value for values in wanted.values() for value in values]


def knowledge_by_id(db: WorkingDatabase, id_: str) -> Knowledge | None:
    row = db.row(f"select {_KNOWLEDGE} from memory where id = ? and category is not null", (id_,))
    return _as_knowledge(row) if row else None


def counts(db: WorkingDatabase) -> tuple[int, int]:
    """Return how many memories there are, and how many pieces of knowledge."""
    knowledge = db.number("select count(*) from memory where category is not null")
    return total(db) - knowledge, knowledge


def total(db: WorkingDatabase) -> int:
    return db.number("select count(*) from memory")


def last_number(db: WorkingDatabase) -> int:
    """Return the highest number of a memory; 0 when there is none."""
    return db.number("select max(number) from memory")


def numbers_given(db: WorkingDatabase) -> int:
    """Return the highest number that a memory ever had here; it never falls."""
    return db.number("select seq from sqlite_sequence where name = 'memory'")


def use(db: WorkingDatabase, ids: Collection[str], at_ms: int, ttl_seconds: int) -> None:
    """Record that memories were read: their count and expiry grow, and importance is restored.

    Raises UserError where another process writes for longer than a reader can wait.
    """
    with db.transaction(wait_seconds=_READER_WAITS_SECONDS):
        for id_ in ids:
            row = db.row("select importance, stated_importance, pinned from memory where id = ?", (id_,))
            if row:
                importance = come_back(row[0], row[1])
                expires = expiry_ms(at_ms, ttl_seconds, importance=importance, is_pinned=bool(row[2]))
                db.write(
                    "update memory set access_count = access_count + 1, last_accessed_at_ms = "
                    "max(last_accessed_at_ms, ?), importance = ?, expires_at_ms = case when ? is null then "
                    "null else max(coalesce(expires_at_ms, 0), ?) end where id = ?",
                    (at_ms, importance, expires, expires, id_),
                )


def fade(db: WorkingDatabase, day: str, unread_since_ms: int) -> int:
    """Lower the importance of memories unread since then, once a *day* (ISO 8601); return their number.

    It falls for each night since the last that was made in which nobody had read them, too.
    """
    with db.transaction():
        before = db.told("faded")
        if before == day:
            return 0
        nights = (date.fromisoformat(day) - date.fromisoformat(before)).days if before else _MOST_NIGHTS
        rows = db.rows(
            "select number, importance, last_accessed_at_ms from memory where pinned = 0 and importance < ? "
            "and last_accessed_at_ms < ?",
            (LASTING_IMPORTANCE, unread_since_ms),
        )
        fallen = [
            (faded(importance, max(1, min(nights, ceil(days_between(read_ms, unread_since_ms))))), number)
            for number, importance, read_ms in rows
        ]
        db.write_many("update memory set importance = ? where number = ?", fallen)
        db.write("insert or replace into meta values ('faded', ?)", (day,))
    return len(rows)


# A change counts as a use: both move the expiry on.
_LAST_USED = "max(last_accessed_at_ms, updated_at_ms)"


def expired(
    db: WorkingDatabase, at_ms: int, most: int, *, after: int = 0, unused_since_ms: int | None = None
) -> list[Kept]:
    """Return the oldest memories that may move into the ledger; with *unused_since_ms* all unused since then.

    No pinned or important ones; only numbers above *after*.
    """
    when, limit = _out_of_time(at_ms, unused_since_ms)
    rows = db.rows(
        f"select {_COLUMNS} from memory where {when} <= ? and {_MAY_MOVE} and pinned = 0 and importance < ? "
        "and number > ? order by number limit ?",
        (limit, *MOVING, LASTING_IMPORTANCE, after, most),
    )
    return [Kept(row[0], _memory(row)) for row in rows]


def count_expired(db: WorkingDatabase, at_ms: int, unused_since_ms: int | None = None) -> int:
    """Return how many memories `expired` would return without its limit."""
    when, limit = _out_of_time(at_ms, unused_since_ms)
    sql = f"select count(*) from memory where {when} <= ? and {_MAY_MOVE} and pinned = 0 and importance < ?"
    return db.number(sql, (limit, *MOVING, LASTING_IMPORTANCE))


def _out_of_time(at_ms: int, unused_since_ms: int | None) -> tuple[str, int]:
    return ("expires_at_ms", at_ms) if unused_since_ms is None else (_LAST_USED, unused_since_ms)


def count_staying(db: WorkingDatabase, unused_since_ms: int) -> int:
    """Return how many memories unused since then stay because pinned or important."""
    return db.number(
        f"select count(*) from memory where {_LAST_USED} <= ? and {_MAY_MOVE} "
        "and (pinned = 1 or importance >= ?)",
        (unused_since_ms, *MOVING, LASTING_IMPORTANCE),
    )


def count_beyond(db: WorkingDatabase, cap: int, leaving: int = 0) -> int:
    """Return how many of any type have to go so that *cap* are left, once *leaving* of them have gone.

    Pinned and important ones stay even beyond the cap.
    """
    beyond = total(db) - leaving - cap
    if beyond <= 0:
        return 0
    may_go = db.number(
        "select count(*) from memory where pinned = 0 and importance < ?", (LASTING_IMPORTANCE,)
    )
    return max(0, min(beyond, may_go - leaving))


def least_worth(
    db: WorkingDatabase, at_ms: int, most: int, without: Collection[int] = frozenset()
) -> list[Kept]:
    """Return the *most* least valuable memories of any type; no pinned or important ones.

    What no longer holds comes first. None with the numbers in *without*.
    """
    rows = db.rows(
        "select number, importance, access_count, last_accessed_at_ms, coalesce(status, 'active') "
        "from memory where pinned = 0 and importance < ?",
        (LASTING_IMPORTANCE,),
    )
    ranked = sorted(
        (row[4] == KnowledgeStatus.ACTIVE, worth(row[1], row[2], days_between(row[3], at_ms)), row[0])
        for row in rows
        if row[0] not in without
    )[:most]
    found = by_number(db, [number for *_, number in ranked])
    return [
        Kept(number, memory, knowledge_by_id(db, memory.id) if memory.category else None)
        for *_, number in ranked
        if (memory := found.get(number))
    ]


def leave(db: WorkingDatabase, moved: Iterable[Kept]) -> int:
    """Delete memories now in the ledger, and return their number; those used or changed since stay."""
    gone = 0
    with db.transaction():
        for one in moved:
            if is_as_read(db, one):
                gone += remove(db, [one.memory.id])
        if gone:
            _count_up(db, "moved")
    return gone


def is_as_read(db: WorkingDatabase, one: Kept) -> bool:
    """Tell whether a memory is still there, and was neither used, pinned nor changed since it was read.

    Its number tells it from another that was stored by its id since.
    """
    sql = "select number, access_count, pinned, version from memory where id = ?"
    was = one.memory
    return db.row(sql, (was.id,)) == (one.number, was.access_count, int(was.pinned), was.version)


def times_moved(db: WorkingDatabase) -> str:
    """Return a mark that changes whenever memories have moved to the ledger."""
    return db.told("moved") or ""


def times_removed(db: WorkingDatabase) -> str:
    """Return a mark that changes whenever memories or texts were deleted."""
    return db.told("removed") or ""


def _count_up(db: WorkingDatabase, name: str) -> None:
    db.write("insert into meta values (?, '1') on conflict (name) do update set value = value + 1", (name,))


class Round(NamedTuple):
    """A consolidation, as logged."""

    agent: str
    memories_processed: int
    memories_archived: int
    memories_deduped: int
    memories_skipped: int
    duration_ms: int
    created_at_ms: int


def log_round(db: WorkingDatabase, done: Round) -> None:
    with db.transaction():
        db.write(
            "insert into consolidation (agent, memories_processed, memories_archived, memories_deduped, "
            "memories_skipped, duration_ms, created_at_ms) values (?, ?, ?, ?, ?, ?, ?)",
            done,
        )


def rounds(db: WorkingDatabase, most: int = 20) -> list[Round]:
    """Return the last consolidations, the newest first."""
    columns = ", ".join(Round._fields)
    sql = f"select {columns} from consolidation order by number desc limit ?"
    return [Round(*row) for row in db.rows(sql, (most,))]


def remove(db: WorkingDatabase, ids: Collection[str]) -> int:
    """Delete memories with their words and vectors; return their number."""
    gone = 0
    with db.transaction():
        for id_ in ids:
            row = db.row("select number, words from memory where id = ?", (id_,))
            if row:
                gone += 1
                db.write("insert into memory_words (memory_words, rowid, words) values ('delete', ?, ?)", row)
                db.write("delete from memory where number = ?", row[:1])
                db.write("delete from vector where id = ?", (id_ if db.keeps_vectors else row[0],))
        if gone:
            _count_up(db, "removed")
    return gone


def wipe(db: WorkingDatabase) -> None:
    """Rewrite the word index, which may hold deleted words, and empty the write-ahead log."""
    with db.transaction():
        db.write("insert into memory_words (memory_words) values ('optimize')")
    db.rows("pragma wal_checkpoint(truncate)")


def holding(db: WorkingDatabase, words: str) -> list[StoredMemory]:
    """Return memories whose text contains *words*, ignoring case, oldest first; or the one with that id."""
    sql = f"select {_COLUMNS} from memory where id = ? or instr(folded(content), ?) order by number"
    return [_memory(row) for row in db.rows(sql, (words, words.casefold()))]


def never_imported(db: WorkingDatabase, every: Iterable[NewMemory]) -> list[NewMemory]:
    """Return those that no earlier import has brought, wherever they are now."""
    sql = "select 1 from meta where name = ? union select 1 from memory where id = ?"
    return [one for one in every if db.row(sql, (f"imported:{one.id}", one.id)) is None]


def note_imported(db: WorkingDatabase, every: Iterable[NewMemory]) -> None:
    """Record that an import has brought these."""
    with db.transaction():
        rows = [(f"imported:{one.id}",) for one in every]
        db.write_many("insert or ignore into meta values (?, '')", rows)


def import_mark(db: WorkingDatabase, id_: str) -> str | None:
    """Return the mark of the row that was imported as *id_*: "" if it has none; None if no row was."""
    return db.told(f"imported:{id_}")


def note_import_marks(db: WorkingDatabase, marks: Mapping[str, str]) -> None:
    """Record by its mark which row an import has brought, for each id."""
    with db.transaction():
        rows = [(f"imported:{id_}", mark) for id_, mark in marks.items()]
        db.write_many("insert or replace into meta values (?, ?)", rows)


def import_key(db: WorkingDatabase) -> str:
    """Return the key that marks are made with; "" before the first import."""
    return db.told("import key") or ""


def set_import_key(db: WorkingDatabase, key: str) -> None:
    """Keep *key* for marks, unless there is one."""
    with db.transaction():
        db.write("insert or ignore into meta values ('import key', ?)", (key,))


def forget_imported(db: WorkingDatabase, ids: Iterable[str]) -> None:
    """Allow these to be imported again."""
    with db.transaction():
        db.write_many("delete from meta where name = ?", [(f"imported:{id_}",) for id_ in ids])


def stored_before(db: WorkingDatabase, at_ms: int) -> list[StoredMemory]:
    """Return the memories stored before a time, oldest first."""
    sql = f"select {_COLUMNS} from memory where created_at_ms < ? order by number"
    return [_memory(row) for row in db.rows(sql, (at_ms,))]


# -- words -------------------------------------------------------------------------------------------------


def words_since(db: WorkingDatabase, after: int, most: int) -> list[tuple[int, frozenset[str]]]:
    """Return the searchable words of memories with a number above *after*, oldest first."""
    sql = "select number, words from memory where number > ? order by number limit ?"
    return [(row[0], frozenset(row[1].split())) for row in db.rows(sql, (after, most))]


# -- rows to values ------------------------------------------------------------------------------------------


# Asked of every memory that a search looks at; calling the class takes five times as long.
_TYPES = {one.value: one for one in MemoryType}
_STATUSES = {one.value: one for one in EmbeddingStatus}


def _memory(row: Row) -> StoredMemory:
    created = _moment(row[11])
    return StoredMemory(
        id=row[1],
        owner_id=row[2],
        agent=row[3],
        type=_TYPES[row[4]],
        content=row[5],
        metadata=json.loads(row[6]) if row[6] != "{}" else {},
        importance=row[7],
        access_count=row[8],
        pinned=bool(row[9]),
        embedding_status=_STATUSES[row[10]],
        created_at=created,
        # Most were never changed or used.
        updated_at=created if row[12] == row[11] else _moment(row[12]),
        last_accessed_at=created if row[13] == row[11] else _moment(row[13]),
        expires_at=None if row[14] is None else _moment(row[14]),
        version=row[15],
        category=Category(row[16]) if row[16] else None,
    )


def _as_knowledge(row: Row) -> Knowledge:
    return Knowledge(
        id=row[0],
        owner_id=row[1],
        category=Category(row[2]),
        content=row[3],
        metadata=json.loads(row[4]),
        confidence=row[5],
        source=row[6],
        status=KnowledgeStatus(row[7]),
        created_at=_moment(row[8]),
        updated_at=_moment(row[9]),
        version=row[10],
    )


def _moment(at_ms: int) -> datetime:
    return datetime.fromtimestamp(at_ms / 1000, UTC)
