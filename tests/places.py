"""A machine with one agent, built in a folder of the test: state, transcripts, workspace, and the command."""

from __future__ import annotations

import contextlib
import io
import json
import os
import sqlite3
import sys
from dataclasses import dataclass, field
from datetime import datetime
from hashlib import sha256
from pathlib import Path
from typing import Any
from unittest import mock

from tests.stores import FakeSession, append_events, build_jsonl, build_sqlite, write_session, write_turn

from scrimshaw.cli import main
from scrimshaw.core.section.markers import BEGIN, END
from scrimshaw.host import turns
from scrimshaw.host.provenance import entry_key
from scrimshaw.layout import Layout
from scrimshaw.store.ledger import Ledger, open_ledger
from scrimshaw.workspace import Target, Wanted, find_targets, is_set_up

NOW = "2026-11-20T18:00:00+00:00"
EXEC = {"OPENCLAW_SHELL": "exec"}  # what a host gives the shells of its agent
_RECORDS = """create table plugin_state_entries (plugin_id text, namespace text, entry_key text,
  value_json text, primary key (plugin_id, namespace, entry_key))"""


@dataclass
class Answer:
    """How a command ended."""

    code: int
    out: str
    err: str

    @property
    def object(self) -> Any:
        return json.loads(self.out)


@dataclass
class Place:
    """One agent's home. *kind* is the store its host keeps."""

    root: Path
    kind: str = "jsonl"
    sessions: list[FakeSession] = field(default_factory=list)
    written: dict[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.workspace.mkdir(parents=True)
        self.state.mkdir(parents=True)
        config = {"agents": {"defaults": {"workspace": str(self.workspace), "userTimezone": "UTC"}}}
        (self.state / "openclaw.json").write_text(json.dumps(config))
        self.sessions = self.sessions or [FakeSession()]
        self.save()

    @property
    def workspace(self) -> Path:
        return self.root / "workspace"

    @property
    def state(self) -> Path:
        return self.root / "state"

    @property
    def memory(self) -> Path:
        return self.workspace / "MEMORY.md"

    @property
    def session(self) -> FakeSession:
        return self.sessions[0]

    @property
    def store(self) -> Path:
        agent = self.state / "agents" / "main"
        return agent / "sessions" if self.kind == "jsonl" else agent / "agent" / "openclaw-agent.sqlite"

    def save(self) -> None:
        """Write what was said into the store, as the host would: appended where it is there already."""
        if self.kind == "jsonl":
            build_jsonl(self.store, self.sessions)
            return
        if not self.store.exists():
            build_sqlite(self.store, self.sessions)
        else:
            with contextlib.closing(sqlite3.connect(self.store)) as connection, connection:
                for session in self.sessions:
                    if session.session_id in self.written:
                        append_events(connection, session, self.written[session.session_id])
                        write_turn(connection, session)
                    else:
                        write_session(connection, session)
        self.written = {session.session_id: len(session.events) for session in self.sessions}

    def say(self, *exchanges: tuple[str, str]) -> None:
        """Add what the person says and what the agent answers, and store it."""
        for user, assistant in exchanges:
            self.session.user(user)
            self.session.assistant(assistant)
        self.save()

    def take_turn(self, *, is_over: bool = False, at_ms: int = 1_000) -> None:
        """Let a turn of the conversation run since *at_ms*, or end then, by the host's records."""
        said = {"status": "done", "endedAt": at_ms} if is_over else {"status": "running", "startedAt": at_ms}
        self.session.turn = dict(said)
        self.save()

    def run(self, *args: str, now: str = NOW, env: dict[str, str] | None = None) -> Answer:
        """Run the command in this process; *args* as typed."""
        given = {"HOME": str(self.root), "OPENCLAW_STATE_DIR": str(self.state), "SCRIMSHAW_NOW": now}
        out, err = io.StringIO(), io.StringIO()
        began = int(datetime.fromisoformat(now).timestamp() * 1000)
        with (
            mock.patch.object(turns, "shell_began_at_ms", return_value=began),
            mock.patch.dict(os.environ, {**given, **(env or {})}),
            mock.patch.object(sys, "argv", ["scrimshaw", *args]),
            mock.patch.object(sys, "stdin", io.StringIO()),
            contextlib.redirect_stdout(out),
            contextlib.redirect_stderr(err),
        ):
            try:
                main()
                code = 0
            except SystemExit as ended:
                code = int(ended.code or 0)
        return Answer(code, out.getvalue(), err.getvalue())

    def target(self) -> Target:
        """Return the workspace as a job gets it."""
        env = {"HOME": str(self.root), "OPENCLAW_STATE_DIR": str(self.state)}
        return find_targets(Wanted(), env)[0][0]

    def ledger(self, *, read_only: bool = False) -> Ledger:
        """Open the ledger, which must be there."""
        return open_ledger(Layout(self.workspace).ledger, create=False, read_only=read_only)

    def is_set_up(self) -> bool:
        """Tell whether there is a ledger."""
        return is_set_up(Layout(self.workspace))

    @property
    def host_state(self) -> Path:
        """The host's own database, where it keeps its records of files."""
        return self.state / "state" / "openclaw.sqlite"

    def has_record(self) -> bool:
        """Tell whether the host has a record of MEMORY.md (rule 13)."""
        return self.host_state.exists()

    def record(self, origin: str, *, file_hash: str = "") -> None:
        """Store what the host stores when the agent edits MEMORY.md with its own tools."""
        content = self.memory.read_bytes() if self.memory.exists() else b""
        self.host_state.parent.mkdir(exist_ok=True)
        key = entry_key(self.workspace)
        value = {
            "version": 1,
            "workspaceKey": key.split(":")[0],
            "relativePath": "MEMORY.md",
            "fileHash": file_hash or sha256(content).hexdigest(),
            "originClass": origin,
        }
        with contextlib.closing(sqlite3.connect(self.host_state)) as connection, connection:
            connection.execute(_RECORDS)
            connection.execute(
                "insert into plugin_state_entries values (?, 'workspace-files', ?, ?)",
                ("core:memory-artifact-provenance", key, json.dumps(value)),
            )

    def schedule(self, job_id: str, *, is_enabled: bool) -> None:
        """Let the host's scheduler hold a job, as `openclaw cron` keeps it."""
        self.host_state.parent.mkdir(exist_ok=True)
        with contextlib.closing(sqlite3.connect(self.host_state)) as connection, connection:
            connection.execute("create table if not exists cron_jobs (job_id text primary key, enabled int)")
            connection.execute("insert or replace into cron_jobs values (?, ?)", (job_id, is_enabled))

    def lift_record(self) -> None:
        """Let the host forget that record."""
        self.host_state.unlink()

    def section(self) -> str:
        """Return what stands between the markers of MEMORY.md."""
        text = self.memory.read_text(encoding="utf-8")
        return text.split(BEGIN)[1].split(END)[0]

    def dated(self) -> str:
        """Return all dated files in one text."""
        folder = self.workspace / "memory" / "observations"
        return "".join(path.read_text(encoding="utf-8") for path in sorted(folder.glob("obs-*.md")))

    def everything_written(self) -> bytes:
        """Return the bytes of every file in the workspace, whatever it is."""
        return b"".join(path.read_bytes() for path in sorted(self.workspace.rglob("*")) if path.is_file())
