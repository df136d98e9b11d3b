"""A person's home with OpenClaw in it, as far as an install looks at it, and the command run in it."""

import contextlib
import io
import json
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from unittest import mock

from tests.openclaw_stub import Stub, lay_stub
from tests.places import Answer
from tests.stores import FakeSession, build_jsonl

from scrimshaw.cli import main
from scrimshaw.setup import install_plan

NOW = "2026-11-20T18:00:00+00:00"
SAID = (
    ("We decided to use Postgres 17 for the billing service.", "Noted."),
    ("I prefer short answers with the command first.", "All right."),
)


class Home:
    """One user; *agents* are the agents of the state folder, each with the folder it works in."""

    def __init__(
        self,
        root: Path,
        agents: Sequence[tuple[str, str]] = (("main", "workspace"),),
        *,
        state: str = ".openclaw",
        hooks: dict[str, Any] | None = None,
        has_openclaw: bool = True,
    ) -> None:
        self.root = root
        self.state = root / state
        self.state.mkdir(parents=True)
        self.agents = dict(agents)
        self.stub: Stub = lay_stub(root / "programs")
        self.path = str(self.stub.folder) if has_openclaw else str(root / "nothing here")
        entries = {}
        for agent_id in self.agents:
            workspace = self.workspace(agent_id)
            workspace.mkdir(parents=True, exist_ok=True)
            (workspace / "AGENTS.md").write_text("# Agents\n\nBe kind.\n", encoding="utf-8")
            entries[agent_id] = {"workspace": str(workspace)}
            session = FakeSession(key=f"agent:{agent_id}:main")
            for user, assistant in SAID:
                session.user(user)
                session.assistant(assistant)
            build_jsonl(self.state / "agents" / agent_id / "sessions", [session])
        config: dict[str, Any] = {"agents": {"entries": entries, "defaults": {"userTimezone": "UTC"}}}
        if hooks is not None:
            config["hooks"] = {"internal": hooks}
        # Not the form that the host's own program would write.
        self.config.write_text(json.dumps(config), encoding="utf-8")

    @property
    def config(self) -> Path:
        return self.state / "openclaw.json"

    @property
    def hook(self) -> Path:
        return self.state / "hooks" / "scrimshaw"

    @property
    def receipts(self) -> Path:
        return self.root / ".local" / "state" / "scrimshaw"

    def workspace(self, agent_id: str = "main") -> Path:
        return self.root / self.agents[agent_id]

    def skill(self, agent_id: str = "main") -> Path:
        return self.workspace(agent_id) / "skills" / "observational-memory"

    def gateway_runs(self) -> None:
        """Leave the lock of a gateway that runs: this process."""
        folder = self.state / "tmp" / f"openclaw-{os.getuid()}"
        folder.mkdir(parents=True)
        lock = {"pid": os.getpid(), "role": "gateway", "configPath": str(self.config)}
        (folder / "gateway.state.lock").write_text(json.dumps(lock), encoding="utf-8")
        self.stub.gateway_runs()

    def run(self, *args: str, typed: str | None = None, **env: str) -> Answer:
        """Run the command in this process; with *typed* on a terminal, where a person types that."""
        given = {"HOME": str(self.root), "PATH": self.path, "SCRIMSHAW_NOW": NOW, "XDG_CONFIG_HOME": ""}
        out, err = io.StringIO(), io.StringIO()
        with (
            mock.patch.dict(os.environ, {**given, **env}),
            mock.patch.object(sys, "argv", ["scrimshaw", *args]),
            mock.patch.object(install_plan, "_PAUSE_SECONDS", 0.001),  # no gateway of ours ever loads a hook
            mock.patch.object(sys, "stdin", _Typed(typed or "", is_terminal=typed is not None)),
            contextlib.redirect_stdout(out),
            contextlib.redirect_stderr(err),
        ):
            os.environ.pop("XDG_STATE_HOME", None)
            try:
                main()
                code = 0
            except SystemExit as ended:
                code = int(ended.code or 0)
        return Answer(code, out.getvalue(), err.getvalue())

    def install(self, *args: str, **env: str) -> Answer:
        answer = self.run("install", "--yes", *args, **env)
        assert answer.code == 0, answer.out + answer.err
        return answer

    def uninstall(self, *args: str, **env: str) -> Answer:
        answer = self.run("uninstall", "--yes", *args, **env)
        assert answer.code == 0, answer.out + answer.err
        return answer

    def everything(self) -> dict[str, bytes | None]:
        """Every file of the home with its bytes, every folder with None; the stub's own notes left out."""
        return snapshot(self.root, but=self.stub.folder)


class _Typed(io.StringIO):
    def __init__(self, text: str, *, is_terminal: bool) -> None:
        super().__init__(text)
        self._is_terminal = is_terminal

    def isatty(self) -> bool:
        return self._is_terminal


def snapshot(root: Path, but: Path | None = None) -> dict[str, bytes | None]:
    """Every path below *root*: a file's bytes, where a link leads, None for a folder."""
    found: dict[str, bytes | None] = {}
    for path in sorted(root.rglob("*")):
        if but is not None and path.is_relative_to(but):
            continue
        name = path.relative_to(root).as_posix()
        if path.is_symlink():
            found[name] = b"-> " + os.fsencode(path.readlink())
        else:
            found[name] = None if path.is_dir() else path.read_bytes()
    return found
