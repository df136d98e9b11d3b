"""State directories of OpenClaw as far as discovery and the host's limits look at them."""

import json
import sqlite3
from pathlib import Path
from typing import Any

from scrimshaw.host.provenance import entry_key
from scrimshaw.sources.discover import Agent, find_agents

OWNER = "core:memory-artifact-provenance"


class FakeState:
    """A state directory under *home*; `agent()` is what discovery makes of its default agent."""

    def __init__(self, home: Path, name: str = ".openclaw") -> None:
        self.home = home
        self.path = home / name
        self.path.mkdir(parents=True, exist_ok=True)

    def config(self, values: dict[str, Any] | str, name: str = "openclaw.json") -> Path:
        path = self.path / name
        path.write_text(values if isinstance(values, str) else json.dumps(values), encoding="utf-8")
        return path

    def jsonl(self, agent_id: str = "main", name: str = "a1.jsonl") -> Path:
        folder = self.path / "agents" / agent_id / "sessions"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text("{}\n", encoding="utf-8")
        return folder

    def sqlite(self, agent_id: str = "main", path: Path | None = None) -> Path:
        path = path or self.path / "agents" / agent_id / "agent" / "openclaw-agent.sqlite"
        path.parent.mkdir(parents=True, exist_ok=True)
        with sqlite3.connect(path) as connection:
            connection.execute("create table schema_meta (role text, agent_id text, app_version text)")
            connection.execute("insert into schema_meta values ('agent', ?, '2026.9.6')", (agent_id,))
            connection.execute(
                "create table session_nodes (session_key text primary key, entry_json text,"
                " updated_at integer)"
            )
        connection.close()
        return path

    def state_database(self, version: str = "2026.9.6", *, with_table: bool = True) -> Path:
        path = self.path / "state" / "openclaw.sqlite"
        path.parent.mkdir(parents=True, exist_ok=True)
        with sqlite3.connect(path) as connection:
            connection.execute("create table schema_meta (role text, agent_id text, app_version text)")
            connection.execute("insert into schema_meta values ('state', null, ?)", (version,))
            if with_table:
                connection.execute(
                    "create table plugin_state_entries (plugin_id text, namespace text, entry_key text,"
                    " value_json text, primary key (plugin_id, namespace, entry_key))"
                )
        connection.close()
        return path

    def record(self, workspace: Path, **changes: Any) -> None:
        key = entry_key(workspace)
        value = {
            "version": 1,
            "workspaceKey": key.split(":")[0],
            "relativePath": "MEMORY.md",
            "fileHash": "ab" * 32,
            "originClass": "agent",
            "observedAt": 1,
            "reservationId": "r",
        } | changes
        with sqlite3.connect(self.path / "state" / "openclaw.sqlite") as connection:
            connection.execute(
                "insert into plugin_state_entries values (?, 'workspace-files', ?, ?)",
                (OWNER, key, json.dumps(value)),
            )
        connection.close()

    def session(self, key: str, entry: dict[str, Any], updated_at: int = 1) -> None:
        path = self.path / "agents" / "main" / "agent" / "openclaw-agent.sqlite"
        with sqlite3.connect(path) as connection:
            connection.execute(
                "insert into session_nodes values (?, ?, ?)", (key, json.dumps(entry), updated_at)
            )
        connection.close()

    def agent(self) -> Agent:
        return find_agents({}, self.home, state_dir=self.path).agents[0]


def report(workspace: Path, *, at: int = 5, memory: dict[str, Any] | None = None) -> dict[str, Any]:
    """A session entry as the host keeps it, with MEMORY.md in its report or not."""
    files = [{"name": "AGENTS.md", "missing": False, "rawChars": 88, "injectedChars": 88, "truncated": False}]
    if memory is not None:
        files.append({"name": "MEMORY.md", "missing": False, "truncated": False} | memory)
    return {
        "systemPromptReport": {
            "generatedAt": at,
            "workspaceDir": str(workspace),
            "bootstrapMaxChars": 20_000,
            "bootstrapTotalMaxChars": 60_000,
            "injectedWorkspaceFiles": files,
        }
    }
