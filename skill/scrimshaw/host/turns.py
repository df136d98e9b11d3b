"""Which turns a host has at work, by its own records; and since when the shell that this runs in is there.

2026.7.2 and later keep a conversation's state in `session_nodes`, the JSONL line in sessions.json: both say
`status` "running" from before the turn's first tool call until its end. Read-only. What cannot be read
raises UnknownError: the caller must not take it for "nothing runs".
"""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from pathlib import Path

from scrimshaw.core.policy.audience import SLACK_MS, HostTurn, turn_of
from scrimshaw.files import open_regular
from scrimshaw.host.gateway import start_ticks
from scrimshaw.host.openclaw import MAX_SESSIONS_FILE_BYTES, decoded, number
from scrimshaw.sources.discover import STORE_NAME, Agent, StoreRef
from scrimshaw.sources.jsonl_folder import NAMES_FILE
from scrimshaw.sources.openclaw_config import HostConfig
from scrimshaw.sources.readonly import reading

_LARGEST_ENTRY_BYTES = 16 * 1024 * 1024
_PS_SECONDS = 5


class UnknownError(Exception):
    """The host's records cannot be read; the message says which, and why."""


def newest_turns(state_dir: Path, agents: tuple[Agent, ...], since_ms: int) -> list[HostTurn]:
    """Return the newest turn of each conversation of a host that runs, or has ended at *since_ms* or later.

    Every agent's folder counts, also that of one which the configuration does not name. Raises UnknownError.
    """
    stores = {store: agent.agent_id for agent in agents for store in agent.stores}
    try:
        for folder in filter(Path.is_dir, (state_dir / "agents").iterdir()):
            stores[StoreRef("sqlite", folder / "agent" / STORE_NAME)] = folder.name
            stores[StoreRef("jsonl", folder / "sessions")] = folder.name
    except OSError as error:
        raise UnknownError(f"{error.filename}: {error.strerror}") from error
    found = []
    for store, agent_id in stores.items():
        is_database = store.kind == "sqlite"
        rows = _stored(store.path, since_ms) if is_database else _listed(store.path / NAMES_FILE)
        for key, entry, created_via, updated_ms in rows:
            turn = _turn(key, entry, created_via, updated_ms, agent_id)
            if turn.is_running or turn.ended_at_ms >= since_ms - SLACK_MS:
                found.append(turn)
    return found


def why_none_is_private(config: HostConfig) -> str:
    """Return why a session's key does not tell here who reads it; "" when it does."""
    if config.problems:
        return f"the host's configuration cannot be read ({config.problems[0]})"
    bindings = config.at("bindings")
    listed = bindings if isinstance(bindings, list) else []
    routes = [one.get("session") for one in listed if isinstance(one, Mapping)]
    for session in (config.at("session"), *routes):
        if isinstance(session, Mapping) and session.get("groupScope") == "main":
            return "the configuration lets groups talk in the main session (session.groupScope: main)"
    return ""


def shell_began_at_ms() -> int | None:
    """Return when the shell began that this process belongs to; None where the system does not say.

    A host starts each command of its agent in a session of its own (as the system calls it): what leads it
    is the shell, whatever was started in it since.
    """
    leader = os.getsid(0)
    ticks = start_ticks(leader)
    if ticks is not None and sys.platform == "linux":
        age = time.clock_gettime(time.CLOCK_BOOTTIME) - ticks / os.sysconf("SC_CLK_TCK")
        return int((time.time() - age) * 1000)
    try:
        asked = ["ps", "-o", "etime=", "-p", str(leader)]
        told = subprocess.run(asked, capture_output=True, text=True, timeout=_PS_SECONDS, check=True).stdout
    except (OSError, subprocess.SubprocessError):
        return None
    seconds = seconds_of(told)
    # Ages are whole seconds: the real one may be up to a second more.
    return None if seconds is None else int((time.time() - seconds - 1) * 1000)


def seconds_of(elapsed: str) -> int | None:
    """Return what `ps` means by *elapsed*: [[days-]hours:]minutes:seconds."""
    days, _, clock = elapsed.strip().rpartition("-")
    parts = [days or "0", *clock.split(":")]
    if not all(part.isdecimal() for part in parts) or not 3 <= len(parts) <= 4:
        return None
    numbers = [int(part) for part in parts]
    hours = numbers[1] if len(numbers) == 4 else 0
    return ((numbers[0] * 24 + hours) * 60 + numbers[-2]) * 60 + numbers[-1]


_Row = tuple[str, Mapping[str, object], str | None, int]


def _stored(path: Path, since_ms: int) -> Iterator[_Row]:
    if not _is_there(path):
        return
    try:
        with reading(path) as connection:
            connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _LARGEST_ENTRY_BYTES)
            columns = {row[1] for row in connection.execute("pragma table_info(session_nodes)")}
            via = "created_via" if "created_via" in columns else "null"
            rows = connection.execute(
                f"select session_key, entry_json, {via}, updated_at from session_nodes"  # a name
                " where instr(entry_json, '\"running\"') or updated_at is null or updated_at >= ?",
                (since_ms - SLACK_MS,),
            )
            for key, entry, created_via, updated in rows:
                yield str(key), _mapping(entry, path), created_via and str(created_via), number(updated)
    except (OSError, sqlite3.Error) as error:
        raise UnknownError(f"{path}: {error}") from error


def _listed(path: Path) -> Iterator[_Row]:
    if not _is_there(path):
        return
    try:
        with open_regular(path) as file:
            raw = file.read(MAX_SESSIONS_FILE_BYTES + 1)
    except OSError as error:
        raise UnknownError(f"{path}: {error.strerror}") from error
    for key, entry in _mapping(raw, path).items():
        said = entry if isinstance(entry, Mapping) else {}
        yield str(key), said, None, number(said.get("updatedAt"))


def _is_there(path: Path) -> bool:
    try:
        path.stat()
    except FileNotFoundError:
        return False
    except OSError as error:
        raise UnknownError(f"{path}: {error.strerror}") from error
    return True


def _mapping(raw: object, path: Path) -> Mapping[str, object]:
    said = decoded(raw) if isinstance(raw, str | bytes) else None
    if not isinstance(said, Mapping):
        raise UnknownError(f"{path}: what it says of its conversations cannot be understood")
    return said


def _turn(
    key: str, entry: Mapping[str, object], created_via: str | None, updated_ms: int, agent_id: str
) -> HostTurn:
    chat_type = entry.get("chatType")
    return turn_of(
        key,
        created_via=created_via,
        chat_type=chat_type if isinstance(chat_type, str) else None,
        has_group=bool(entry.get("groupId") or entry.get("groupChannel")),
        is_running=entry.get("status") == "running",
        began_at_ms=number(entry.get("startedAt")),
        ended_at_ms=number(entry.get("endedAt")) or updated_ms,
        agent_id=agent_id,
    )
