"""A real OpenClaw gateway on loopback, in a scratch home, that talks to the scripted model."""

import json
import os
import signal
import socket
import subprocess
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from tests.host.installing import Install
from tests.host.scripted_model import Request, ScriptedModel

READY = ("startup outcomes", "gateway ready", "[gateway] ready")
READY_SECONDS = 120
TURN_SECONDS = 120
TOKEN = "scratch"

Scrimshaw = Callable[..., str]  # the fixture of that name


class Gateway:
    """Start with `with`; `agent()` takes a turn; at the end its whole process group is ended.

    Every agent of *agents* has a workspace of its own, with the files a host expects and no MEMORY.md.
    """

    def __init__(
        self, install: Install, folder: Path, model: ScriptedModel, agents: Sequence[str] = ("main",)
    ) -> None:
        self.install = install
        self.model = model
        self.home = folder / "home"
        self.state_dir = self.home / ".openclaw"
        self.agents = tuple(agents)
        self.state_dir.mkdir(parents=True)
        self.config_path = self.state_dir / "openclaw.json"
        self.log = folder / "gateway.log"
        self.port = _free_port()
        for agent_id in self.agents:
            workspace = self.workspace(agent_id)
            workspace.mkdir(parents=True)
            (workspace / "AGENTS.md").write_text("You help one person.\n", encoding="utf-8")
            (workspace / "SOUL.md").write_text("Calm and brief 🌊\n\n", encoding="utf-8")
            (workspace / "IDENTITY.md").write_text("Name: Ada\n", encoding="utf-8")
        self.config_path.write_text(json.dumps(self._config(), indent=1), encoding="utf-8")
        self._process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Self:
        with self.log.open("wb") as log:
            self._process = subprocess.Popen(
                self._command("gateway", "run"),
                env=self.env(),
                cwd=self.home,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        try:
            self._wait_until_ready()
        except BaseException:
            self._end()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._end()

    def workspace(self, agent_id: str) -> Path:
        return self.home / "workspaces" / agent_id

    def memory(self, agent_id: str) -> Path:
        return self.workspace(agent_id) / "MEMORY.md"

    def env(self) -> dict[str, str]:
        """The environment in which this host, and what works beside it, runs."""
        kept = {name: os.environ[name] for name in ("LANG", "LC_ALL", "TMPDIR", "TZ") if name in os.environ}
        return kept | {
            "PATH": self.install.path(),
            "HOME": str(self.home),
            "OPENCLAW_STATE_DIR": str(self.state_dir),
            "OPENCLAW_CONFIG_PATH": str(self.config_path),
            "OPENCLAW_NO_AUTO_UPDATE": "1",
            "OPENCLAW_DISABLE_BONJOUR": "1",
            "OPENCLAW_NO_RESPAWN": "1",
        }

    def agent(self, message: str, agent_id: str = "main", session_key: str | None = None) -> dict[str, Any]:
        """Let the agent take a turn on *message*; return what `openclaw agent --json` says."""
        key = ["--session-key", session_key] if session_key else []
        answer = self.run("agent", "--agent", agent_id, "--message", message, "--json", *key)
        assert isinstance(answer, dict), f"no answer to {message!r}\n{self.tail()}"
        return answer

    def new_session(self, message: str, agent_id: str = "main") -> Request:
        """Begin a new session, take one turn in it, and return the request that the model got."""
        parameters = json.dumps({"key": f"agent:{agent_id}:main"})
        self.run("gateway", "call", "sessions.reset", "--params", parameters, "--json")
        self.agent(message, agent_id)
        return self.model.requests_about(message)[-1]

    def run(self, *arguments: str) -> Any:
        """Run an openclaw command beside the gateway and return its JSON answer."""
        answer = subprocess.run(
            self._command(*arguments),
            env=self.env(),
            cwd=self.home,
            capture_output=True,
            text=True,
            check=False,
            timeout=TURN_SECONDS,
        )
        if answer.returncode:
            raise AssertionError(
                f"openclaw {arguments[0]} failed:\n{answer.stdout}\n{answer.stderr}\n{self.tail()}"
            )
        return _last_json(answer.stdout)

    def tail(self) -> str:
        return self.log.read_text("utf-8", "replace")[-3000:]

    def _config(self) -> dict[str, Any]:
        model = {
            "id": "fake-1",
            "name": "fake-1",
            "reasoning": False,
            "input": ["text"],
            "cost": {"input": 0, "output": 0, "cacheRead": 0, "cacheWrite": 0},
            "contextWindow": 32_768,
            "maxTokens": 2048,
        }
        provider = {
            "baseUrl": self.model.url,
            "apiKey": "none",
            "api": "openai-completions",
            "models": [model],
        }
        config: dict[str, Any] = {
            "update": {"checkOnStart": False},
            "discovery": {"mdns": {"mode": "off"}},
            "gateway": {
                "mode": "local",
                "port": self.port,
                "bind": "loopback",
                "auth": {"mode": "token", "token": TOKEN},
            },
            "models": {"mode": "replace", "providers": {"fake": provider}},
            "agents": {
                "defaults": {"model": {"primary": "fake/fake-1"}, "skipBootstrap": True},
            },
            "hooks": {"internal": {"enabled": True}},
            "logging": {"file": str(self.log.with_name("openclaw.log"))},
        }
        entries = {agent_id: {"workspace": str(self.workspace(agent_id))} for agent_id in self.agents}
        if self.install.version >= "2026.9":
            config["agents"]["entries"] = entries
            config["telemetry"] = {"enabled": False}
            config["memory"] = {"search": {"provider": "none"}}
        else:
            config["agents"]["list"] = [{"id": agent_id} | entry for agent_id, entry in entries.items()]
        return config

    def _command(self, *arguments: str) -> Sequence[str]:
        return [str(self.install.node), str(self.install.openclaw), *arguments]

    def _wait_until_ready(self) -> None:
        assert self._process is not None
        deadline = time.monotonic() + READY_SECONDS
        pause = threading.Event()
        while time.monotonic() < deadline:
            if any(sign in self.tail() for sign in READY):
                return
            if self._process.poll() is not None:
                break
            pause.wait(0.1)
        raise AssertionError(f"the gateway did not come up:\n{self.tail()}")

    def _end(self) -> None:
        process, self._process = self._process, None
        if process is None:
            return
        for sign, seconds in ((signal.SIGTERM, 15), (signal.SIGKILL, 5)):
            try:
                os.killpg(process.pid, sign)
            except ProcessLookupError:
                break
            try:
                process.wait(seconds)
            except subprocess.TimeoutExpired:
                continue
        process.wait(5)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _last_json(text: str) -> Any:
    """The JSON value that ends *text*: the host may print notices before it."""
    lines = text.splitlines()
    for start, line in enumerate(lines):
        if line[:1] in ("{", "["):
            try:
                return json.loads("\n".join(lines[start:]))
            except json.JSONDecodeError:
                continue
    return None
