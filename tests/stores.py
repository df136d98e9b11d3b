"""Stores as OpenClaw writes them, built by the tests themselves: the same sessions as SQLite or JSONL.

Only what a reader looks at is built, with the host's own names and forms: text rows, zstd rows with
their sizes, the table of the current branch, rewrite generations, sessions.json.
"""

from __future__ import annotations

import sqlite3
import uuid
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import orjson
import zstandard

Event = dict[str, Any]
START_MS = 1_794_818_490_000  # 2026-11-16T08:41:30Z
MAIN_KEY = "agent:main:main"
SCHEMA_VERSION = 23

_SCHEMA = """
create table schema_meta (meta_key text primary key, role text, schema_version integer, agent_id text,
  app_version text, created_at integer, updated_at integer) strict;
create table session_nodes (session_key text primary key, current_session_id text, entry_json text,
  created_via text, parent_session_key text, spawned_by text, updated_at integer) strict;
create table session_windows (session_id text primary key, session_key text, previous_session_id text,
  reason text, chat_type text, channel text, hook_external_content_source text, created_at integer,
  updated_at integer) strict;
create table transcript_events (session_id text not null, seq integer not null, event_json text,
  created_at integer not null, event_zstd blob, event_utf8_bytes integer, navigation_json text,
  primary key (session_id, seq)) strict;
create table transcript_event_identities (session_id text, event_id text, seq integer, event_type text,
  parent_id text, created_at integer, primary key (session_id, event_id)) strict;
create index idx_identity_sequence on transcript_event_identities(session_id, seq);
create table transcript_rewrite_watermarks (session_id text primary key, generation text,
  updated_at integer) strict;
create table session_transcript_active_events (session_id text, active_position integer, event_seq integer,
  message_position integer, context_eligible integer, primary key (session_id, active_position)) strict;
create unique index idx_active_event_seq on session_transcript_active_events(session_id, event_seq);
create table session_transcript_index_state (session_id text primary key, indexed_seq integer,
  leaf_event_id text, needs_rebuild integer, active_event_count integer, active_message_count integer,
  updated_at integer) strict;
create table session_transcript_archives (session_id text, generation text, session_key text, reason text,
  primary key (session_id, generation)) strict;
create table session_transcript_cold_archives (session_id text primary key, archive_name text) strict;
"""


@dataclass
class FakeSession:
    """A transcript being written: each call appends one event to its current branch."""

    key: str = MAIN_KEY
    session_id: str = ""
    chat_type: str | None = None
    created_via: str | None = "run"
    hook_source: str | None = None
    events: list[Event] = field(default_factory=list)
    leaf: str | None = None
    at_ms: int = START_MS
    turn: dict[str, object] = field(default_factory=dict)  # status, startedAt, endedAt of the newest one

    def __post_init__(self) -> None:
        self.session_id = self.session_id or str(uuid.uuid5(uuid.NAMESPACE_URL, self.key))
        header = {
            "type": "session",
            "version": 4,
            "id": self.session_id,
            "cwd": "/home/claw/.openclaw/workspace",
        }
        self.events.append({**header, "timestamp": iso(self.at_ms)})
        self.add("model_change", provider="fake", modelId="fake-1")

    def add(self, kind: str, **fields: object) -> str:
        """Append one event of *kind*; return its id."""
        self.at_ms += 1000
        event_id = f"{self.session_id[:24]}{len(self.events):012x}"
        stamp = iso(self.at_ms)
        self.events.append(
            {"type": kind, "id": event_id, "parentId": self.leaf, "timestamp": stamp, **fields}
        )
        self.leaf = event_id
        return event_id

    def message(self, role: str, content: object, **fields: object) -> str:
        """Append one message; return its id."""
        said_at = self.at_ms + 400
        return self.add("message", message={"role": role, "content": content, "timestamp": said_at, **fields})

    def user(self, text: str, **fields: object) -> str:
        """Append what the person says."""
        return self.message("user", text, **fields)

    def assistant(self, text: str, **fields: object) -> str:
        """Append what the agent answers."""
        return self._answer([{"type": "text", "text": text}], **{"stopReason": "stop"} | fields)

    def interrupt(self, *, with_leaf: bool = True) -> None:
        """Put the last message aside, as the host does before the next turn when it got no answer.

        The JSONL era wrote no leaf: only the next message's parent tells.
        """
        [message] = [event for event in self.events if event["id"] == self.leaf]
        self.leaf = message["parentId"]
        if with_leaf:
            self._move(message["parentId"], written_after=message["parentId"])

    def rewind(self, message_id: str) -> None:
        """Go back to before a message, as the host does when the person asks for it."""
        [message] = [event for event in self.events if event["id"] == message_id]
        self.rewind_to(message["parentId"])

    def rewind_to(self, target: str | None) -> None:
        """Go back to *target*, as the host does when the person asks for it."""
        self._move(target, written_after=self.events[-1]["id"])

    def _move(self, target: str | None, *, written_after: str | None) -> None:
        self.leaf = written_after
        self.add("leaf", targetId=target)
        self.leaf = target

    def _answer(self, blocks: list[dict[str, object]], **fields: object) -> str:
        # With everything that the host stores beside the words: it is most of a short row.
        nothing = {"input": 0, "output": 0, "cacheRead": 0, "cacheWrite": 0}
        usage = {**nothing, "input": 8175, "output": 36, "totalTokens": 8211, "cost": {**nothing, "total": 0}}
        model = {"api": "openai-completions", "provider": "fake", "model": "fake-1"}
        run = {"responseId": f"chatcmpl-{len(self.events):012x}", "__openclaw": {"runId": self.session_id}}
        return self.message("assistant", blocks, **model, usage=usage, **run | fields)

    def tool(self, name: str, arguments: object, output: str, **fields: object) -> str:
        """Append a call and its result; return the result's id."""
        call_id = f"call_{len(self.events):08x}"
        call = {"type": "toolCall", "id": call_id, "name": name, "arguments": arguments}
        self._answer([call], stopReason="toolUse")
        details = {"status": "completed", "exitCode": 0, "durationMs": 48, "aggregated": output}
        blocks = [{"type": "text", "text": output}]
        result = {"toolCallId": call_id, "toolName": name, "details": details, "isError": False} | fields
        return self.message("toolResult", blocks, **result)


def iso(at_ms: int) -> str:
    """Return a time as the host stores it."""
    stamp = datetime.fromtimestamp(at_ms / 1000, UTC).isoformat(timespec="milliseconds")
    return stamp.removesuffix("+00:00") + "Z"


def active_seqs(events: Sequence[Event]) -> list[int]:
    """Return the seqs of the branch that ends at the last event, as the host's table lists them."""
    by_id = {event["id"]: seq for seq, event in enumerate(events) if event["type"] != "session"}
    found: list[int] = []
    at: str | None = events[-1]["id"]
    while at in by_id:
        event = events[by_id[at]]
        if event["type"] == "leaf":
            at = event["targetId"]
            continue
        found.append(by_id[at])
        at = event.get("parentId")
    return found[::-1]


def build_sqlite(path: Path, sessions: Iterable[FakeSession], *, compress: bool = True) -> Path:
    """Write *sessions* as the agent's store at *path*; with *compress*, long rows as zstd frames."""
    path.parent.mkdir(parents=True, exist_ok=True)
    connection = sqlite3.connect(path)
    connection.execute("pragma journal_mode = wal")
    connection.executescript(_SCHEMA)
    with connection:
        connection.execute(f"pragma user_version = {SCHEMA_VERSION}")
        connection.execute(
            "insert into schema_meta values ('primary', 'agent', ?, 'main', '2026.9.6', ?, ?)",
            (SCHEMA_VERSION, START_MS, START_MS),
        )
        for session in sessions:
            write_session(connection, session, compress=compress)
    connection.close()
    return path


def write_session(connection: sqlite3.Connection, session: FakeSession, *, compress: bool = True) -> None:
    """Write one session whole; an existing one is written over, as after a rewrite."""
    session_id = session.session_id
    for table in ("transcript_events", "transcript_event_identities", "session_transcript_active_events"):
        connection.execute(f"delete from {table} where session_id = ?", (session_id,))
    connection.execute(
        "insert or replace into session_nodes values (?, ?, ?, ?, null, null, ?)",
        (session.key, session_id, _entry(session), session.created_via, session.at_ms),
    )
    connection.execute(
        "insert or replace into session_windows values (?, ?, null, null, ?, null, ?, ?, ?)",
        (session_id, session.key, session.chat_type, session.hook_source, START_MS, session.at_ms),
    )
    connection.execute(
        "insert or ignore into transcript_rewrite_watermarks values (?, ?, ?)",
        (session_id, uuid.uuid5(uuid.NAMESPACE_URL, session_id).hex, START_MS),
    )
    append_events(connection, session, 0, compress=compress)


def _entry(session: FakeSession) -> str:
    return orjson.dumps(session.turn).decode()


def write_turn(connection: sqlite3.Connection, session: FakeSession) -> None:
    """Write down what became of the newest turn of *session*."""
    connection.execute(
        "update session_nodes set entry_json = ?, updated_at = ? where session_key = ?",
        (_entry(session), session.at_ms, session.key),
    )


def append_events(
    connection: sqlite3.Connection, session: FakeSession, first_seq: int, *, compress: bool = True
) -> None:
    """Write the events of *session* from *first_seq* on, and the current branch anew."""
    session_id = session.session_id
    for seq in range(first_seq, len(session.events)):
        event = session.events[seq]
        connection.execute(
            "insert into transcript_events values (?, ?, ?, ?, ?, ?, ?)",
            (session_id, seq, *_stored(event, _stored_at_ms(event), compress=compress)),
        )
        connection.execute(
            "insert into transcript_event_identities values (?, ?, ?, ?, ?, ?)",
            (session_id, event["id"], seq, event["type"], event.get("parentId"), START_MS),
        )
    active = active_seqs(session.events)
    connection.execute("delete from session_transcript_active_events where session_id = ?", (session_id,))
    connection.executemany(
        "insert into session_transcript_active_events values (?, ?, ?, null, 1)",
        [(session_id, place, seq) for place, seq in enumerate(active)],
    )
    connection.execute(
        "insert or replace into session_transcript_index_state values (?, ?, ?, 0, ?, 0, ?)",
        (session_id, len(session.events) - 1, session.leaf, len(active), session.at_ms),
    )


def _stored_at_ms(event: Event) -> int:
    return int(datetime.fromisoformat(event["timestamp"]).timestamp() * 1000)


def _stored(event: Event, at_ms: int, *, compress: bool) -> tuple[object, ...]:
    raw = orjson.dumps(event)
    if compress and 1024 <= len(raw) <= 4 << 20:
        frame = zstandard.ZstdCompressor(level=3).compress(raw)
        if len(frame) < len(raw) * 0.9:
            return None, at_ms, frame, len(raw), '{"version":1}'
    return raw.decode(), at_ms, None, None, None


def build_jsonl(folder: Path, sessions: Iterable[FakeSession]) -> Path:
    """Write *sessions* as the JSONL era did: a file each, and sessions.json."""
    folder.mkdir(parents=True, exist_ok=True)
    named = {}
    for session in sessions:
        (folder / f"{session.session_id}.jsonl").write_bytes(lines_of(session.events))
        named[session.key] = {"sessionId": session.session_id, "updatedAt": session.at_ms} | session.turn
        if session.chat_type:
            named[session.key]["chatType"] = session.chat_type
    (folder / "sessions.json").write_bytes(orjson.dumps(named))
    return folder


def lines_of(events: Iterable[Event]) -> bytes:
    """Return *events* as lines of JSON."""
    return b"".join(orjson.dumps(event) + b"\n" for event in events)
