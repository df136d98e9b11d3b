"""Look at OpenClaw's record of who wrote MEMORY.md (rule 13), read-only.

When the agent edits MEMORY.md with its own tools the host stores a row: table plugin_state_entries
of <state>/state/openclaw.sqlite, plugin_id `core:memory-artifact-provenance`, namespace
`workspace-files`, entry_key `sha256(real path of the workspace):sha256("MEMORY.md")`, value_json
`{version: 1, workspaceKey, relativePath, fileHash, originClass: "agent"|"untrusted", …}`.

While a row exists an outside write does harm: releases since 2026.7.2 leave MEMORY.md out of every
prompt after the agent's next edit, and `extended-stable` 2026.7.35 at once, as it compares the hash
with each turn. A row of another form, or a database that cannot be read now, is "unknown": when
unsure, leave MEMORY.md alone.
"""

from __future__ import annotations

import sqlite3
from hashlib import sha256
from pathlib import Path
from typing import Literal, NamedTuple

import orjson

from scrimshaw.sources.discover import Agent
from scrimshaw.sources.readonly import reading

_ROW = """
    select value_json from plugin_state_entries
    where plugin_id = 'core:memory-artifact-provenance' and namespace = 'workspace-files' and entry_key = ?
"""


class Provenance(NamedTuple):
    """The host's record of a file; *file_hash* is of the content after the agent's last edit."""

    state: Literal["none", "recorded", "untrusted", "unknown"]
    detail: str  # a sentence for a person
    file_hash: str = ""


def provenance(agent: Agent, workspace: Path) -> Provenance:
    """Return what the host has recorded of MEMORY.md in *workspace*; never raises."""
    database = agent.state_dir / "state" / "openclaw.sqlite"
    key = entry_key(workspace)
    try:
        with reading(database) as connection:
            row = connection.execute(_ROW, (key,)).fetchone()
    except FileNotFoundError:
        return Provenance("none", "the host keeps no such record")
    except sqlite3.OperationalError as error:
        if "no such table" in str(error):
            return Provenance("none", "this version of the host keeps no such record")
        return Provenance("unknown", f"{database} could not be read: {error}")
    except (OSError, sqlite3.Error) as error:
        return Provenance("unknown", f"{database} could not be read: {error}")
    if row is None:
        return Provenance("none", "the agent has not edited MEMORY.md with its own tools")
    return _read_row(row[0], key)


def entry_key(workspace: Path) -> str:
    """Return the row's key: both parts hashed, the workspace by its real path."""
    parts = (workspace.resolve().as_posix(), "MEMORY.md")
    return ":".join(sha256(part.encode()).hexdigest() for part in parts)


def _read_row(value_json: object, key: str) -> Provenance:
    try:
        value = orjson.loads(value_json) if isinstance(value_json, str | bytes) else None
    except orjson.JSONDecodeError:
        value = None
    match value:
        case {
            "version": 1,
            "workspaceKey": str(workspace_key),
            "fileHash": str(file_hash),
            "originClass": "agent" | "untrusted" as origin,
        } if key.startswith(f"{workspace_key}:"):
            if origin == "untrusted":
                detail = "the host leaves MEMORY.md out of every prompt (quarantined)"
                return Provenance("untrusted", detail, file_hash)
            return Provenance("recorded", "the agent has edited MEMORY.md with its own tools", file_hash)
        case _:
            return Provenance("unknown", "the host's record of MEMORY.md has a form not known here")
