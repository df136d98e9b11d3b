"""A real OpenClaw gateway on loopback, in a scratch home, that talks to the scripted model.

`stop()` and `start(install)` let another version go on with the same state; `background()` runs the
daemon beside it. What is said in a group goes by its session key: the host takes it for a group then.
"""

import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from tests.daemon.processes import Daemon
from tests.host.installing import Install
from tests.host.scripted_model import Request, ScriptedModel

READY = ("startup outcomes", "gateway ready", "[gateway] ready")
READY_SECONDS = 120
TURN_SECONDS = 120
TOKEN = "scratch"
# What the host says while it tidies up the store of another, idle agent; on a busy machine for many seconds.
_CLEANUP = "Agent database cleanup failed"
_CLEANUP_TRIES = 10
_CLEANUP_PAUSE_SECONDS = 3.0

_PACKAGE = str(Path(__file__).resolve().parents[2] / "skill")

Scrimshaw = Callable[..., str]  # the fixture of that name


class Gateway:
    """Start with `with`; `agent()` takes a turn; at the end its whole process group is ended.

    Every agent of *agents* has a workspace of its own, with the files a host expects and no MEMORY.md.
    *config* is merged into the configuration before the start (mappings deeply, all else replaces).
    """

    def __init__(
        self,
        install: Install,
        folder: Path,
        model: ScriptedModel,
        agents: Sequence[str] = ("main",),
        config: Mapping[str, Any] | None = None,
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
        self.configure(config or {})

    def __enter__(self) -> Self:
        self.start()
        return self

    def start(self, install: Install | None = None) -> None:
        """Start on the state that there is; with *install*, from now on in that version."""
        self.install = install or self.install
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
            self.stop()
            raise

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    def configure(self, patch: Mapping[str, Any]) -> None:
        """Merge *patch* into the configuration; a running gateway takes most of it by itself."""
        merged = _merged(self.configuration(), patch)
        self.config_path.write_text(json.dumps(merged, indent=1), encoding="utf-8")

    def configuration(self) -> dict[str, Any]:
        """The configuration as it stands, the host's own changes included."""
        return dict(json.loads(self.config_path.read_text("utf-8")))

    @property
    def hook_folder(self) -> Path:
        """Where a hook that all agents of this host share lies."""
        return self.state_dir / "hooks" / "scrimshaw"

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
        words = ("agent", "--agent", agent_id, "--message", message, "--json", *key)
        answer = self.run(*words)
        assert isinstance(answer, dict), f"no answer to {message!r}\n{self.tail()}"
        return answer

    def say(self, message: str, agent_id: str = "main", session_key: str | None = None) -> Request:
        """Let the agent take a turn on *message*; return the last request that the model got for it."""
        self.agent(message, agent_id, session_key)
        return self.model.requests_about(message)[-1]

    def new_session(self, message: str, agent_id: str = "main") -> Request:
        """Begin a new session, take one turn in it, and return the request that the model got."""
        self.reset(f"agent:{agent_id}:main")
        return self.say(message, agent_id)

    def reset(self, key: str, reason: str = "reset") -> Any:
        """Begin anew under the session *key*; *reason* "new" is what /new does."""
        parameters = json.dumps({"key": key, "reason": reason})
        return self.run("gateway", "call", "sessions.reset", "--params", parameters, "--json")

    def compact(self, key: str) -> Any:
        """Let the gateway compact the session *key*."""
        return self.run("sessions", "compact", key, "--json")

    def prompt_of(self, message: str) -> str:
        """The system prompt with which the model got *message* last."""
        return self.model.requests_about(message)[-1].system_prompt

    def run(self, *arguments: str) -> Any:
        """Run an openclaw command beside the gateway and return its JSON answer."""
        return _last_json(self.run_text(*arguments))

    def run_text(self, *arguments: str, seconds: float = TURN_SECONDS, **settings: str) -> str:
        """Run an openclaw command and return what it printed to standard output.

        A command that the host turns away because it is tidying up a store is given again: nothing of it
        was done.
        """
        for _ in range(_CLEANUP_TRIES):
            answer = self._answer(arguments, seconds, settings)
            if not answer.returncode or _CLEANUP not in answer.stdout + answer.stderr:
                break
            time.sleep(_CLEANUP_PAUSE_SECONDS)
        if answer.returncode:
            raise AssertionError(
                f"openclaw {arguments[0]} failed:\n{answer.stdout}\n{answer.stderr}\n{self.tail()}"
            )
        return answer.stdout

    def _answer(
        self, arguments: Sequence[str], seconds: float, settings: Mapping[str, str]
    ) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            self._command(*arguments),
            env=self.env() | settings,
            cwd=self.home,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
            timeout=seconds,
        )

    @contextlib.contextmanager
    def background(self, *arguments: str, name: str = "daemon", **settings: str) -> Iterator[Daemon]:
        """Run `scrimshaw run` beside the gateway, in a process that is ended at the end."""
        log_file = self.log.with_name(f"{name}.log")
        # A conversation that rests for a second is over: the tests do not wait five minutes.
        env = self.env() | {"SCRIMSHAW_IDLE_INTERVAL": "1s", "PYTHONPATH": _PACKAGE} | settings
        with log_file.open("w") as log:
            process = subprocess.Popen(
                [sys.executable, "-m", "scrimshaw", "run", *arguments],
                env=env,
                cwd=self.home,
                stderr=log,
                stdin=subprocess.DEVNULL,
            )
        try:
            yield Daemon(process, log_file)
        finally:
            process.terminate()
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait(10)

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

    def stop(self) -> None:
        """End the gateway, with all that it started; the state stays."""
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


def _merged(config: Mapping[str, Any], patch: Mapping[str, Any]) -> dict[str, Any]:
    merged = dict(config)
    for name, value in patch.items():
        old = merged.get(name)
        both = isinstance(old, Mapping) and isinstance(value, Mapping)
        merged[name] = _merged(old, value) if both else value
    return merged


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
