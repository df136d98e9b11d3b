"""When the host itself says that its agent was last active, whatever can be read of what was said.

That is what a dry source is measured against: the host writes down its sessions' activity apart from
their transcripts, so a transcript that moved, or took a form not known here, shows as a gap. Also what a
store says of its schema, and files of an agent that look like transcripts and are none that is known.
Read-only, a few milliseconds, never raises.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from scrimshaw.core.transcript.session_kind import session_kind
from scrimshaw.core.types import SessionKind
from scrimshaw.host.openclaw import decoded, named_entries, number_in
from scrimshaw.sources.discover import STORE_NAME, Agent, StoreRef
from scrimshaw.sources.jsonl_folder import NAMES_FILE, is_transcript
from scrimshaw.sources.readonly import reading

_NEWEST_SESSIONS = 64
_LARGEST_ENTRY_BYTES = 4 * 1024 * 1024
# When a session was talked in; `updatedAt` also moves when somebody only changes a setting of it.
_TALKED = ("lastActivityAt", "lastInteractionAt", "endedAt")
# What keeps no transcript of its own, or keeps it elsewhere.
_ELSEWHERE = {SessionKind.INTERNAL, SessionKind.SUBAGENT, SessionKind.HOOK, SessionKind.HEARTBEAT}
_LIKE_TRANSCRIPTS = (".sqlite", ".db", ".jsonl", ".ndjson", ".zst")
_KNOWN = (STORE_NAME, ".trajectory", ".checkpoint.", ".bak", ".deleted.", ".reset.", ".tmp", ".lock")
_MOST_FILES = 5_000


class Activity(NamedTuple):
    """The newest activity that the host has written down."""

    at_ms: int
    session_key: str
    where: str  # the record that says so


class StoreFacts(NamedTuple):
    """What a SQLite store says of itself; 0 and "" when it does not."""

    schema: int = 0
    app_version: str = ""


class NewestFile(NamedTuple):
    """A file and when it was last changed."""

    path: Path
    changed_at_ms: int


def newest_activity(agent: Agent) -> Activity | None:
    """Return the newest activity in *agent*'s sessions by the host's own records; None without any."""
    found = [activity for store in agent.stores for activity in _activities(store)]
    return max(found, key=lambda activity: activity.at_ms, default=None)


def store_facts(path: Path) -> StoreFacts:
    """Return schema and writer of the SQLite store at *path*."""
    try:
        with reading(path) as connection:
            schema = connection.execute("pragma user_version").fetchone()[0]
            rows = connection.execute("select schema_version, app_version from schema_meta").fetchall()
    except (OSError, sqlite3.Error):
        return StoreFacts()
    return StoreFacts(max([schema, *(row[0] or 0 for row in rows)]), str(rows[0][1] or "") if rows else "")


def newest_transcript_file(agent: Agent) -> NewestFile | None:
    """Return the JSONL transcript of *agent* that was changed last, rotated and deleted ones aside."""
    folders = [store.path for store in agent.stores if store.kind == "jsonl"]
    found = [file for folder in folders for file in _listed(folder) if _is_live(file.path.name)]
    return max(found, key=lambda file: file.changed_at_ms, default=None)


def unknown_store_files(agent: Agent) -> list[NewestFile]:
    """Return files in *agent*'s folders that look like transcripts and that nobody reads, newest first."""
    folder = agent.state_dir / "agents" / agent.agent_id
    known = {store.path for store in agent.stores}
    found = [
        file
        for place in (folder, folder / "agent", folder / "sessions")
        for file in _listed(place)
        if file.path not in known and file.path.name.endswith(_LIKE_TRANSCRIPTS) and _is_unknown(file.path)
    ]
    return sorted(found, key=lambda file: -file.changed_at_ms)


def _is_live(name: str) -> bool:
    return name.endswith(".jsonl") and is_transcript(name)


def _is_unknown(path: Path) -> bool:
    if any(part in path.name for part in _KNOWN):
        return False
    return path.parent.name != "sessions" or not is_transcript(path.name)


def _listed(folder: Path) -> Iterator[NewestFile]:
    try:
        with os.scandir(folder) as entries:
            for number, entry in enumerate(entries):
                if number >= _MOST_FILES:
                    return
                status = entry.stat(follow_symlinks=False)
                if entry.is_file(follow_symlinks=False) and status.st_size:
                    yield NewestFile(Path(entry.path), status.st_mtime_ns // 1_000_000)
    except OSError:
        return


def _activities(store: StoreRef) -> Iterator[Activity]:
    if store.kind == "sqlite":
        entries, where = _rows(store.path), "session_nodes"
    else:
        entries, where = [(key, entry, 0) for key, entry in named_entries(store.path).items()], NAMES_FILE
    for key, entry, updated_at in entries:
        if session_kind(key) in _ELSEWHERE:
            continue
        at_ms = max((number_in(entry, name) for name in _TALKED), default=0) or number_in(entry, "updatedAt")
        yield Activity(at_ms or updated_at, key, f"{where} of {store.path}")


def _rows(path: Path) -> list[tuple[str, object, int]]:
    try:
        with reading(path) as connection:
            connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _LARGEST_ENTRY_BYTES)
            rows = connection.execute(
                "select session_key, entry_json, updated_at from session_nodes"
                " order by updated_at desc limit ?",
                (_NEWEST_SESSIONS,),
            ).fetchall()
    except (OSError, sqlite3.Error):
        return []
    return [(str(key), decoded(str(entry)), at if type(at) is int else 0) for key, entry, at in rows]
