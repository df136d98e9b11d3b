"""`scrimshaw import --cortex`: import the older program's SQLite file, completely or not at all.

Its tables are `memories`, `knowledge`, `conversations` and `users`; a missing one is treated as empty. Rows
keep their ids, which are recorded: importing the same file again changes nothing, even for rows that have
moved on or were forgotten since. A row belongs to the agent named by its user, else by its owner; in a home
each row goes to the agent of that name there. Every row is read and checked before anything is written, and
the rows of one agent are written in one transaction; after a kill between two agents, another import adds the
rest. Secrets and private parts are removed as from anything that is stored.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

from scrimshaw.clock import milliseconds
from scrimshaw.config import seconds
from scrimshaw.core.conversation import ROLES
from scrimshaw.core.working import (
    DEFAULT_CONFIDENCE,
    DEFAULT_IMPORTANCE,
    Category,
    KnowledgeStatus,
    MemoryType,
    expiry_ms,
)
from scrimshaw.errors import Exit, UserError
from scrimshaw.home import name_for
from scrimshaw.services.conversations.messages import NewMessage, add_message
from scrimshaw.services.results import WorkspaceResult
from scrimshaw.services.working.consolidate import ConsolidationResult, consolidate
from scrimshaw.services.working.layer import WorkingLayer
from scrimshaw.services.working.store import clean, clean_value
from scrimshaw.sources.readonly import reading
from scrimshaw.working import conversations, memories
from scrimshaw.working.memories import NewMemory
from scrimshaw.workspace import Target

_TABLES = ("memories", "knowledge", "conversations", "users")
_MOST_CHARS = 1_000_000  # of one row's text
_MOST_ROWS = 1_000_000
_LATEST_MS = 7_258_118_400_000  # the year 2200
_MILLISECONDS_FROM = 100_000_000_000  # a smaller number is in seconds
_ROLES = {"human": "user", "ai": "assistant", "bot": "assistant", "model": "assistant", "function": "tool"}

Row = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class CortexResult(WorkspaceResult):
    """The result of importing an older program's file."""

    memories: int  # new here
    knowledge: int
    messages: int
    known: int  # that were already here
    agents: tuple[str, ...]
    consolidated: ConsolidationResult | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON of `scrimshaw import --cortex --json`."""
        return {
            **self.head(),
            "memories": self.memories,
            "knowledge": self.knowledge,
            "messages": self.messages,
            "known": self.known,
            "agents": list(self.agents),
            "consolidated": self.consolidated.to_dict() if self.consolidated else None,
            "exit_code": int(self.exit_code),
        }


class _Read(NamedTuple):
    memories: list[NewMemory]
    messages: list[tuple[str, NewMessage]]  # each with its agent


Opened = tuple[Target, WorkingLayer]


def import_cortex(
    target: Target,
    layer: WorkingLayer,
    path: Path,
    now: datetime,
    open_agent: Callable[[str, bool], Opened | None],
    *,
    dry_run: bool = False,
    moves_old: bool = False,
) -> CortexResult:
    """Import the file at *path*; with *moves_old*, expired memories go on into the ledger.

    *open_agent* opens another agent of the home and, if told so, creates it; else it returns None. Raises
    UserError, with nothing written, for a damaged file or one of another program.
    """
    read = _read(target, path, now)
    agents = tuple(sorted({one.agent for one in read.memories}))
    total = CortexResult(target, 0, 0, 0, 0, agents)
    # Ids from an earlier import stay with this agent.
    here = {one.id for one in read.memories} - {
        one.id for one in memories.never_imported(layer.db, read.memories)
    }
    talks = {one.thread_id for one in conversations.states(layer.db)}
    places: dict[str, _Read] = {}
    for one in read.memories:
        name = "" if one.id in here else _place(target, one.agent)
        places.setdefault(name, _Read([], [])).memories.append(one)
    for agent, message in read.messages:
        name = "" if message.thread_id in talks else _place(target, agent)
        places.setdefault(name, _Read([], [])).messages.append((agent, message))
    for name, part in places.items():
        opened = open_agent(name, not dry_run) if name else (target, layer)
        total = _take_over(opened, part, now, total, dry_run=dry_run, moves_old=moves_old)
    return total


def _place(target: Target, agent: str) -> str:
    """Return the other agent of the home that *agent*'s rows go to; "" for the one that was opened."""
    name = name_for(agent) if target.agents[0].home is not None else ""
    return "" if name == target.agent_id else name


def _take_over(
    opened: Opened | None, read: _Read, now: datetime, total: CortexResult, *, dry_run: bool, moves_old: bool
) -> CortexResult:
    """Return *total* plus what was imported into one agent."""
    new = memories.never_imported(opened[1].db, read.memories) if opened else read.memories
    part = replace(
        total,
        memories=sum(one.category is None for one in new),
        knowledge=sum(one.category is not None for one in new),
        messages=len(read.messages),
        known=len(read.memories) - len(new),
        consolidated=None,
    )
    if dry_run or opened is None:
        return _with(total, part)
    target, layer = opened
    messages = 0
    with layer.db.transaction():
        memories.put(layer.db, new)
        memories.note_imported(layer.db, new)
        for _, message in read.messages:
            messages += add_message(target, layer.db, message, now).is_new
    layer.embed()
    moved = consolidate(target, layer, now, trigger="import") if moves_old else None
    known = part.known + part.messages - messages
    return _with(total, replace(part, messages=messages, known=known, consolidated=moved))


def _with(total: CortexResult, part: CortexResult) -> CortexResult:
    before, moved = total.consolidated, part.consolidated
    if before and moved:
        moved = replace(
            before,
            candidates=before.candidates + moved.candidates,
            archived=before.archived + moved.archived,
            deduplicated=before.deduplicated + moved.deduplicated,
            skipped_pinned=before.skipped_pinned + moved.skipped_pinned,
            duration_ms=before.duration_ms + moved.duration_ms,
            problem=" ".join(filter(None, (before.problem, moved.problem))),
        )
    return replace(
        total,
        memories=total.memories + part.memories,
        knowledge=total.knowledge + part.knowledge,
        messages=total.messages + part.messages,
        known=total.known + part.known,
        consolidated=moved or before,
    )


def _read(target: Target, path: Path, now: datetime) -> _Read:
    try:
        with reading(path) as connection:
            connection.row_factory = sqlite3.Row
            found = connection.execute("pragma quick_check(1)").fetchone()[0]
            if found != "ok":
                raise _refused(path, f"it is damaged ({found})")
            names = {
                row[0] for row in connection.execute("select name from sqlite_master where type='table'")
            }
            if not names & {"memories", "knowledge", "conversations"}:
                raise _refused(path, "it has no table of memories, knowledge or conversations")
            tables = {
                name: [dict(row) for row in connection.execute(f'select * from "{name}" limit {_MOST_ROWS}')]
                for name in _TABLES
                if name in names
            }
    except (sqlite3.Error, OSError) as error:
        raise _refused(path, f"it cannot be read ({error})") from error
    users = {str(row["id"]): _name_of(row) for row in tables.get("users", []) if row.get("id") is not None}
    reader = _Reader(target, path, users, milliseconds(now))
    every = [reader.memory(row) for row in tables.get("memories", [])]
    every += [reader.knowledge(row) for row in tables.get("knowledge", [])]
    rows = tables.get("conversations", [])
    return _Read(every, [(reader.agent(row), one) for row in rows for one in reader.messages(row)])


class _Reader:
    """Converts the rows of one file; raises UserError for an invalid one."""

    def __init__(self, target: Target, path: Path, users: Mapping[str, str], now_ms: int) -> None:
        self._target, self._path, self._users, self._now_ms = target, path, users, now_ms
        self._settings = target.config.settings

    def memory(self, row: Row) -> NewMemory:
        kind = str(row.get("type") or MemoryType.EPISODIC)
        known = kind in tuple(MemoryType)
        importance = self._share(row, "importance", DEFAULT_IMPORTANCE)
        created = self._at(row, "created_at", self._now_ms)
        used = self._at(row, "last_accessed_at", created)
        pinned = bool(row.get("pinned") or row.get("is_pinned"))
        ttl = seconds(self._settings.memory_working_ttl)
        return self._new(row, created)._replace(
            type=MemoryType(kind) if known else MemoryType.EPISODIC,
            metadata=self._metadata(row) | ({} if known else {"older_type": kind}),
            importance=importance,
            pinned=pinned,
            access_count=max(0, int(row.get("access_count") or 0)),
            last_accessed_at_ms=used,
            expires_at_ms=expiry_ms(used, ttl, importance=importance, is_pinned=pinned),
        )

    def knowledge(self, row: Row) -> NewMemory:
        category, status = str(row.get("category") or Category.FACT), str(row.get("status") or "active")
        known = category in tuple(Category)
        return self._new(row, self._at(row, "created_at", self._now_ms))._replace(
            type=MemoryType.SEMANTIC,
            category=Category(category) if known else Category.FACT,
            metadata=self._metadata(row) | ({} if known else {"older_category": category}),
            confidence=self._share(row, "confidence", DEFAULT_CONFIDENCE),
            source=str(row.get("source") or "conversation"),
            status=KnowledgeStatus(status) if status in tuple(KnowledgeStatus) else KnowledgeStatus.ACTIVE,
        )

    def messages(self, row: Row) -> Iterator[NewMessage]:
        """Yield the messages of a row of `conversations`: one message, or a list of them."""
        key = str(row.get("id") or "")
        thread = str(row.get("thread_id") or row.get("conversation_id") or row.get("session_id") or key)
        resource = str(row.get("owner_id") or row.get("user_id") or "")
        if "messages" in row:
            told = self._json(row, "messages", [])
            rows = [one for one in told if isinstance(one, dict)] if isinstance(told, list) else []
            if not isinstance(told, list) or len(rows) != len(told):
                raise self._bad(f"conversation {key[:40]}", "its messages are no list of messages")
        else:
            rows = [dict(row)]
        for at, one in enumerate(rows):
            role = str(one.get("role") or "user").lower()
            if not str(one.get("content") or "").strip():
                continue  # an empty message
            moment = self._at(one, "timestamp", 0) or self._at(one, "created_at", 0)
            moment = moment or self._at(row, "created_at", self._now_ms)
            yield NewMessage(
                str(one["content"]),
                role if role in ROLES else _ROLES.get(role, "user"),
                thread or "imported",
                resource,
                f"cortex:{one.get('id') or f'{key}:{at}'}",
                datetime.fromtimestamp(moment / 1000, UTC),
            )

    def agent(self, row: Row) -> str:
        """Return the agent that a row belongs to."""
        owner = str(row.get("owner_id") or row.get("user_id") or "")
        return str(row.get("agent") or self._users.get(owner) or owner or self._target.agent_id)

    def _new(self, row: Row, created_ms: int) -> NewMemory:
        key, content = row.get("id"), row.get("content")
        if key in (None, "") or not isinstance(content, str) or not content.strip():
            raise self._bad(f"row {str(key)[:40]}", "it has no id or no text")
        if len(content) > _MOST_CHARS:
            raise self._bad(f"row {str(key)[:40]}", f"its text has more than {_MOST_CHARS:,} characters")
        return NewMemory(
            id=str(key),
            owner_id=str(row.get("owner_id") or row.get("user_id") or ""),
            agent=self.agent(row),
            type=MemoryType.EPISODIC,
            content=clean(content, self._settings),
            metadata={},
            importance=DEFAULT_IMPORTANCE,
            pinned=False,
            created_at_ms=created_ms,
            updated_at_ms=self._at(row, "updated_at", created_ms),
            expires_at_ms=None,
        )

    def _metadata(self, row: Row) -> dict[str, Any]:
        told = self._json(row, "metadata", {})
        cleaned = clean_value(told if isinstance(told, dict) else {"value": told}, self._settings)
        assert isinstance(cleaned, dict)
        return cleaned

    def _json(self, row: Row, name: str, otherwise: Any) -> Any:  # noqa: ANN401  # JSON of any shape
        raw = row.get(name)
        if raw in (None, ""):
            return otherwise
        try:
            return json.loads(raw)
        except (ValueError, TypeError, RecursionError) as error:
            raise self._bad(f"row {str(row.get('id'))[:40]}", f"its {name} are no JSON") from error

    def _share(self, row: Row, name: str, otherwise: float) -> float:
        value = row.get(name)
        if value is None:
            return otherwise
        if not isinstance(value, int | float) or not 0 <= value <= 1:
            raise self._bad(f"row {str(row.get('id'))[:40]}", f"its {name} is not within 0..1")
        return float(value)

    def _at(self, row: Row, name: str, otherwise: int) -> int:
        value = row.get(name)
        if value in (None, ""):
            return otherwise
        try:
            at_ms = _at_ms(value)
        except (ValueError, OverflowError):
            at_ms = -1
        if not 0 <= at_ms <= _LATEST_MS:
            raise self._bad(f"row {str(row.get('id'))[:40]}", f"its {name} is no time")
        return at_ms

    def _bad(self, what: str, why: str) -> UserError:
        return _refused(self._path, f"{what}: {why}")


def _at_ms(value: object) -> int:
    if isinstance(value, int | float):
        return int(value if value >= _MILLISECONDS_FROM else value * 1000)
    said = datetime.fromisoformat(str(value).replace("Z", "+00:00"))
    return milliseconds(said if said.tzinfo else said.replace(tzinfo=UTC))


def _name_of(user: Row) -> str:
    return str(user.get("name") or user.get("username") or user.get("email") or user["id"])


def _refused(path: Path, why: str) -> UserError:
    return UserError(
        f"{path}: {why}. Nothing was imported.",
        next_step=f'look at it with: sqlite3 {path} "pragma integrity_check; .tables"',
        exit_code=Exit.MENDABLE,
    )
