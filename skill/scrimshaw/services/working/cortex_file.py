"""The older program's SQLite file, read and checked as a whole before any of it is imported.

Its tables, or views, are `memories`, `knowledge`, `conversations` and `users`; a missing one is treated as
empty. Every row becomes a value that can be stored, or is left out with its reason (nothing to keep in it);
one that makes no sense refuses the file. Nothing is written here, and nothing is known of what was imported
before.
"""

from __future__ import annotations

import json
import math
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import suppress
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

from scrimshaw.clock import milliseconds
from scrimshaw.config import Settings, seconds
from scrimshaw.core.conversation import ROLES
from scrimshaw.core.transcript.entries import OLDEST_MS
from scrimshaw.core.transcript.privacy import CUT
from scrimshaw.core.working import (
    DEFAULT_CONFIDENCE,
    DEFAULT_IMPORTANCE,
    Category,
    KnowledgeStatus,
    MemoryType,
    expiry_ms,
)
from scrimshaw.errors import Exit, UserError
from scrimshaw.redaction import holds_token
from scrimshaw.services.conversations.messages import (
    MOST_AHEAD,
    MOST_ID_CHARS,
    NewMessage,
    is_id,
    message_problem,
)
from scrimshaw.services.working.cleaning import clean, clean_object
from scrimshaw.sources.readonly import reading
from scrimshaw.working.memories import NewMemory

_TABLES = ("users", "memories", "knowledge", "conversations")
_MOST_CHARS = 1_000_000  # of one row's text
_MOST_ROWS = 1_000_000  # of a table: all of it is held in memory
_MOST_COUNT = 2**53
_LATEST_MS = 7_258_118_400_000  # the year 2200
_MILLISECONDS_FROM = 100_000_000_000  # a smaller number is in seconds
_DEEPEST = 8  # of blocks in a message
_ROLES = {"human": "user", "ai": "assistant", "bot": "assistant", "model": "assistant", "function": "tool"}
_TEXTS = ("text", "content", "value", "parts")  # in a block of a message
_YES, _NO = ("1", "true", "t", "yes", "y", "on"), ("", "0", "false", "f", "no", "n", "off")

Row = Mapping[str, Any]


class LeftOut(NamedTuple):
    """A row, or a message of one, that holds nothing to keep."""

    row: str  # "memories, row 3 (id m3)"
    reason: str


class OlderMemory(NamedTuple):
    """A row of `memories` or `knowledge`, ready to be stored under its own id."""

    table: str
    digest: str  # of its table, id, owner and text as the file has them
    new: NewMemory


class OlderMessage(NamedTuple):
    """A message of a row of `conversations`, ready to be stored under its own id."""

    agent: str
    digest: str  # of its thread, id, owner, role and text
    is_named: bool  # the file has an id for it: the same one twice is one message
    new: NewMessage  # without a message_id where the file's is too long for one
    imported_before: str  # the text that earlier versions stored


class OlderFile(NamedTuple):
    """What a file holds."""

    memories: list[OlderMemory]
    messages: list[OlderMessage]
    left_out: list[LeftOut]


def read_older_file(path: Path, settings: Settings, agent: str, now: datetime) -> OlderFile:
    """Read the file at *path*; rows that name nobody are *agent*'s.

    Raises UserError for a damaged file, one of another program, and one with a row that makes no sense.
    """
    if not path.exists():
        raise _refused(path, "there is no such file", next_step="name the older program's SQLite file")
    if not path.is_file():
        raise _refused(path, "it is no file", next_step="name the older program's SQLite file")
    try:
        with reading(path) as connection:
            connection.row_factory = sqlite3.Row
            connection.execute("begin")  # all tables as of one moment
            return _Reader(path, settings, agent, now).file(connection, _tables_in(path, connection))
    except (sqlite3.Error, OSError) as error:
        raise _refused(path, f"it cannot be read ({error})") from error


def _tables_in(path: Path, connection: sqlite3.Connection) -> list[str]:
    found = connection.execute("pragma quick_check(1)").fetchone()[0]
    if found != "ok":
        raise _refused(path, f"it is damaged ({found})")
    names = {
        row[0] for row in connection.execute("select name from sqlite_master where type in ('table', 'view')")
    }
    if not names & {"memories", "knowledge", "conversations"}:
        raise _refused(path, "it has no table of memories, knowledge or conversations")
    there = [name for name in _TABLES if name in names]
    for name in there:
        # Not all of it is counted: a view may have no end.
        some = f'select 1 from "{name}" limit {_MOST_ROWS + 1}'
        (count,) = connection.execute(f"select count(*) from ({some})").fetchone()
        if count > _MOST_ROWS:
            raise _refused(
                path,
                f"its table {name} has more than {_MOST_ROWS:,} rows, too many to be imported at once",
                next_step="divide it into files of fewer rows, and import one after the other",
            )
    return there


class _Reader:
    """Converts the rows of one file, one after the other; raises UserError for an invalid one."""

    def __init__(self, path: Path, settings: Settings, agent: str, now: datetime) -> None:
        self._path, self._settings, self._agent = path, settings, agent
        self._now, self._now_ms = now, milliseconds(now)
        self._users: dict[str, str] = {}
        self._left_out: list[LeftOut] = []
        self._at_row = ""  # the row that is being read, for a message

    def file(self, connection: sqlite3.Connection, tables: list[str]) -> OlderFile:
        kept: list[OlderMemory] = []
        messages: list[OlderMessage] = []
        for table in tables:
            for number, found in enumerate(connection.execute(f'select * from "{table}"'), 1):
                row = dict(found)
                self._at_row = _named(table, number, row)
                match table:
                    case "users" if row.get("id") is not None:
                        named = row.get("name") or row.get("username") or row.get("email") or row.get("id")
                        self._users[str(row.get("id"))] = str(named)
                    case "conversations":
                        messages += self._messages(row)
                    case "memories" | "knowledge":
                        kept += self._memory(table, row)
        return OlderFile(kept, messages, self._left_out)

    def _memory(self, table: str, row: Row) -> Iterator[OlderMemory]:
        key, content = self._id(row, "id"), row.get("content")
        if not isinstance(content, str) or not content.replace("\0", "").strip():
            raise self._bad("it has no text")
        if len(content) > _MOST_CHARS:
            raise self._bad(f"its text has more than {_MOST_CHARS:,} characters")
        new = self._as_memory(row, key) if table == "memories" else self._as_knowledge(row, key)
        if CUT in new.content and not any(map(str.isalnum, new.content.replace(CUT, ""))):
            self._leave_out(self._at_row, "all of it is private")
        elif not any(map(str.isalnum, new.content)):
            self._leave_out(self._at_row, "it has no letter and no digit, so nothing would find it")
        else:
            yield OlderMemory(table, digest_of(table, key, new.owner_id, content), new)

    def _as_memory(self, row: Row, key: str) -> NewMemory:
        kind = _word(row, "type", MemoryType.EPISODIC)
        known = kind in tuple(MemoryType)
        importance = self._share(row, "importance", DEFAULT_IMPORTANCE)
        pinned = self._flag(row, "pinned") or self._flag(row, "is_pinned")
        new = self._new(row, key, {} if known else {"older_type": row["type"]})
        used = max(0, self._at(row, "last_accessed_at", new.created_at_ms))
        ttl = seconds(self._settings.memory_working_ttl)
        return new._replace(
            type=MemoryType(kind) if known else MemoryType.EPISODIC,
            importance=importance,
            pinned=pinned,
            access_count=self._count(row, "access_count"),
            last_accessed_at_ms=used,
            expires_at_ms=expiry_ms(used, ttl, importance=importance, is_pinned=pinned),
        )

    def _as_knowledge(self, row: Row, key: str) -> NewMemory:
        category = _word(row, "category", Category.FACT)
        status = _word(row, "status", KnowledgeStatus.ACTIVE)
        is_category, is_status = category in tuple(Category), status in tuple(KnowledgeStatus)
        unknown = {} if is_category else {"older_category": row["category"]}
        unknown |= {} if is_status else {"older_status": row["status"]}
        return self._new(row, key, unknown)._replace(
            type=MemoryType.SEMANTIC,
            category=Category(category) if is_category else Category.FACT,
            confidence=self._share(row, "confidence", DEFAULT_CONFIDENCE),
            source=self._clean(row.get("source") or "conversation"),
            # Of a status that nobody knows ("deleted") it cannot be said that it holds.
            status=KnowledgeStatus(status) if is_status else KnowledgeStatus.ARCHIVED,
        )

    def _new(self, row: Row, key: str, unknown: Mapping[str, Any]) -> NewMemory:
        created = self._at(row, "created_at", self._now_ms)
        early = {"older_created_at": str(row["created_at"])} if created < 0 else {}
        created = max(0, created)
        return NewMemory(
            id=key,
            owner_id=self._owner(row),
            agent=self._agent_of(row),
            type=MemoryType.EPISODIC,
            content=clean(row["content"].replace("\0", ""), self._settings),
            metadata={
                **self._metadata(row),
                **{name: self._clean(value) for name, value in unknown.items()},
                **early,
            },
            importance=DEFAULT_IMPORTANCE,
            pinned=False,
            created_at_ms=created,
            updated_at_ms=max(0, self._at(row, "updated_at", created)),
            expires_at_ms=None,
        )

    def _messages(self, row: Row) -> Iterator[OlderMessage]:
        """Yield the messages of a row of `conversations`: one message, or a list of them."""
        key = str(row.get("id") or "")
        thread = str(row.get("thread_id") or row.get("conversation_id") or row.get("session_id") or key)
        rows = [dict(row)]
        if "messages" in row:
            told = self._json(row, "messages", [])
            if not isinstance(told, list) or not all(isinstance(one, dict) for one in told):
                raise self._bad("its messages are no list of messages")
            rows = told
        if not rows:
            self._leave_out(self._at_row, "it has no messages")
        for at, one in enumerate(rows):
            place = f"{self._at_row}, message {at + 1}" if "messages" in row else self._at_row
            text = _text_of(one.get("content"))
            if not text.strip():
                self._leave_out(place, "it has no text")
                continue
            own = str(one.get("id") or "")
            wanted = f"cortex:{own or f'{key}:{at}'}"
            role = str(one.get("role") or "user").lower()
            new = NewMessage(
                text,
                role if role in ROLES else _ROLES.get(role, "user"),
                thread or "imported",
                self._owner(row),
                wanted if len(wanted) <= MOST_ID_CHARS else "",
                self._said_at(one, row),
            )
            # The id as the file has it, too: it may be too long for one of ours.
            wrong = f"id: should be 1 to {MOST_ID_CHARS} printable characters." if _is_bad_id(own) else ""
            wrong = wrong or message_problem(new, self._now)
            if wrong:
                self._at_row = place
                raise self._bad(wrong.rstrip("."))
            digest = digest_of("conversations", new.thread_id, wanted, new.resource_id, new.role, text)
            yield OlderMessage(self._agent_of(row), digest, bool(own or key), new, str(one["content"]))

    def _said_at(self, one: Row, row: Row) -> datetime:
        at_ms = self._at(one, "timestamp", 0) or self._at(one, "created_at", 0)
        at_ms = max(OLDEST_MS, at_ms or self._at(row, "created_at", self._now_ms))
        if at_ms > milliseconds(self._now + MOST_AHEAD):  # by a clock that was wrong
            at_ms = self._now_ms
        return datetime.fromtimestamp(at_ms / 1000, UTC)

    def _agent_of(self, row: Row) -> str:
        owner = self._owner(row)
        agent = str(row.get("agent") or self._users.get(owner) or owner or self._agent)
        if _is_bad_id(agent):
            raise self._bad(f"the name of its agent or user is not 1 to {MOST_ID_CHARS} printable characters")
        if holds_token(agent):
            raise self._bad("the name of its agent or user holds what looks like a secret")
        return agent

    def _owner(self, row: Row) -> str:
        for name in ("owner_id", "user_id"):
            if row.get(name):
                return self._id(row, name)
        return ""

    def _id(self, row: Row, name: str) -> str:
        said = row.get(name)
        if said in (None, ""):
            raise self._bad(f"it has no {name}")
        if _is_bad_id(said):
            raise self._bad(f"its {name} is not 1 to {MOST_ID_CHARS} printable characters")
        if holds_token(str(said)):
            raise self._bad(f"its {name} holds what looks like a secret, and names are kept as they are")
        return str(said)

    def _clean(self, told: object) -> str:
        return clean(str(told), self._settings)

    def _metadata(self, row: Row) -> dict[str, Any]:
        told = self._json(row, "metadata", {})
        try:
            return clean_object(told if isinstance(told, dict) else {"value": told}, self._settings)
        except UserError as error:
            raise self._bad("its metadata is nested too deeply") from error

    def _json(self, row: Row, name: str, otherwise: Any) -> Any:  # noqa: ANN401  # JSON of any shape
        raw = row.get(name)
        if raw in (None, ""):
            return otherwise
        try:
            told = json.loads(raw)
            whole = json.dumps(told, ensure_ascii=False, allow_nan=False)
            # No file can hold half a surrogate pair.
            return json.loads(whole.encode("utf-8", "replace"))
        except (ValueError, TypeError, RecursionError) as error:
            raise self._bad(f"its {name} is no JSON") from error

    def _share(self, row: Row, name: str, otherwise: float) -> float:
        value = self._number(row, name, otherwise)
        if not 0 <= value <= 1:
            raise self._bad(f"its {name} is not within 0..1")
        return float(value)

    def _count(self, row: Row, name: str) -> int:
        value = self._number(row, name, 0)
        if not value <= _MOST_COUNT:
            raise self._bad(f"its {name} is no count")
        return max(0, int(value))

    def _number(self, row: Row, name: str, otherwise: float) -> float:
        value = row.get(name)
        if value in (None, ""):
            return otherwise
        with suppress(TypeError, ValueError):
            number = float(value)
            if math.isfinite(number):
                return number
        raise self._bad(f"its {name} is no number")

    def _flag(self, row: Row, name: str) -> bool:
        said = row.get(name)
        if isinstance(said, int | float):
            return said != 0
        word = "" if said is None else str(said).strip().lower()
        if word in _YES or word in _NO:
            return word in _YES
        raise self._bad(f"its {name} is neither yes nor no")

    def _at(self, row: Row, name: str, otherwise: int) -> int:
        """Return a time, ms UTC; -1 for any before 1970."""
        value = row.get(name)
        if value in (None, ""):
            return otherwise
        try:
            at_ms = max(-1, _at_ms(value))
        except (ValueError, OverflowError):
            at_ms = _LATEST_MS + 1
        if at_ms > _LATEST_MS:
            raise self._bad(f"its {name} is no time")
        return at_ms

    def _leave_out(self, row: str, reason: str) -> None:
        self._left_out.append(LeftOut(row, reason))

    def _bad(self, why: str) -> UserError:
        return _refused(
            self._path,
            f"{self._at_row}: {why}",
            next_step="mend or delete it in a copy of the file, and import the copy",
        )


def _named(table: str, number: int, row: Row) -> str:
    key = str(row.get("id") if row.get("id") is not None else "")
    shown = f" (id {key})" if 0 < len(key) <= 40 and key.isprintable() and not holds_token(key) else ""
    return f"{table}, row {number}{shown}"


def _word(row: Row, name: str, otherwise: str) -> str:
    return str(row.get(name) or otherwise).lower()


def _is_bad_id(said: object) -> bool:
    return said != "" and not (is_id(str(said)) and str(said).strip())


def _text_of(content: object, depth: int = 0) -> str:
    """Return the text of a message: a text, or the text parts of its blocks."""
    match content:
        case None:
            return ""
        case list() if depth < _DEEPEST:
            return "\n".join(filter(None, (_text_of(part, depth + 1) for part in content)))
        case dict() if depth < _DEEPEST:
            told = next((content[name] for name in _TEXTS if name in content), None)
            return _text_of(told, depth + 1)
        case list() | dict():
            return ""
        case _:
            return str(content)


def digest_of(*parts: str) -> str:
    """Return a hash of *parts*."""
    return sha256(json.dumps(parts).encode()).hexdigest()


def _at_ms(value: object) -> int:
    if isinstance(value, str) and len(value) > len("20261120") and value.isdecimal():
        value = int(value)  # a number in a column of texts
    if isinstance(value, int | float):
        return int(value if value >= _MILLISECONDS_FROM else value * 1000)
    said = datetime.fromisoformat(str(value).replace("Z", "+00:00"))
    if said.year < 1970:
        return -1  # in UTC it may be before the year 1
    return milliseconds(said if said.tzinfo else said.replace(tzinfo=UTC))


def _refused(path: Path, why: str, next_step: str = "") -> UserError:
    return UserError(
        f"{path}: {why}. Nothing was imported.",
        next_step=next_step or f'look at it with: sqlite3 {path} "pragma integrity_check"',
        exit_code=Exit.MENDABLE,
    )
