"""A Node that can load the handler, and a hook folder as `scrimshaw install` lays it out."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from tests.host.installing import STAMP, cache_folder, node_package

from scrimshaw.host import hooks

_DRIVER = Path(__file__).with_name("driver.mjs")
_ENOUGH, _WITHOUT_FLAG = (22, 6), (22, 18)


def _version(node: Path) -> tuple[int, int]:
    answer = subprocess.run([str(node), "--version"], capture_output=True, text=True, check=False, timeout=20)
    found = re.match(r"v(\d+)\.(\d+)", answer.stdout)
    return (int(found[1]), int(found[2])) if found else (0, 0)


@pytest.fixture(scope="session")
def node() -> list[str]:
    """The words that start a Node which strips types: a host's, or the machine's when it is new enough."""
    of_hosts = [
        folder / "node_modules" / node_package() / "bin" / "node"
        for folder in cache_folder().glob("20*")
        if (folder / STAMP).exists()
    ]
    own = shutil.which("node")
    for candidate in [*of_hosts, *([Path(own)] if own else [])]:
        version = _version(candidate)
        if version >= _ENOUGH:
            needs_flag = version < _WITHOUT_FLAG or (23, 0) <= version < (23, 6)
            return [str(candidate), *(["--experimental-strip-types"] if needs_flag else []), "--no-warnings"]
    pytest.skip(
        "no Node >= 22.6 here, which is what runs the TypeScript of the hook (scripts/test-host gets one)"
    )


class Gateway:
    """A process of a few lines that imports and calls handlers; one for all tests, for Node starts slowly."""

    def __init__(self, node: list[str]) -> None:
        self._process = subprocess.Popen(
            [*node, str(_DRIVER)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, encoding="utf-8"
        )

    def ask(self, question: dict[str, Any]) -> dict[str, Any]:
        """Send one line and return the answer to it."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps(question) + "\n")
        self._process.stdin.flush()
        answer: dict[str, Any] = json.loads(self._process.stdout.readline())
        return answer

    def end(self) -> None:
        """End it."""
        self._process.kill()
        self._process.communicate(timeout=60)


@pytest.fixture(scope="session")
def gateway(node: list[str]) -> Iterator[Gateway]:
    running = Gateway(node)
    yield running
    running.end()


@dataclass
class Hook:
    """An installed hook with one agent, and the gateway that loads it."""

    gateway: Gateway
    root: Path
    program: list[str] = field(default_factory=lambda: ["no-such-program"])
    seconds: float = 5.0
    log: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        for folder in (self.workspace, self.folder, self.aside.parent):
            folder.mkdir(parents=True, exist_ok=True)
        (self.state / "openclaw.json").touch()

    @property
    def state(self) -> Path:
        return self.root / "state"

    @property
    def workspace(self) -> Path:
        return self.root / "workspace"

    @property
    def folder(self) -> Path:
        return hooks.folder(self.state)

    @property
    def aside(self) -> Path:
        return self.workspace / "memory" / "observations" / "MEMORY.md"

    @property
    def settings(self) -> hooks.HookSettings:
        return hooks.HookSettings(
            tuple(self.program), self.state, self.state / "openclaw.json", 5, {"main": self.workspace}
        )

    def lay_out(self) -> None:
        """Put the files there, with a time-out that may be shorter than a second."""
        for name, text in hooks.files_of(self.settings).items():
            (self.folder / name).write_text(text)
        told = json.loads((self.folder / "settings.json").read_text()) | {"timeout_seconds": self.seconds}
        (self.folder / "settings.json").write_text(json.dumps(told))

    def calls(self, *calls: dict[str, Any], again: str = "") -> list[Any]:
        """Make *calls*; return what came of each. *again* names another loading of the same handler."""
        if not (self.folder / "handler.ts").exists():
            self.lay_out()
        url = (self.folder / "handler.ts").as_uri() + (f"?t={again}" if again else "")
        told = self.gateway.ask({"url": url, "calls": calls})
        self.log = told["log"]
        return list(told["answers"])

    def event(self, name: str, key: str = "agent:main:main", **context: object) -> dict[str, Any]:
        """Return an event as a gateway sends it."""
        family, _, action = name.partition(":")
        return {"event": {"type": family, "action": action, "sessionKey": key, "context": context}}

    def alive(self) -> dict[str, Any]:
        """Return what the hook says of itself."""
        found: dict[str, Any] = json.loads((self.folder / "alive.json").read_text())
        return found


@pytest.fixture
def hook(gateway: Gateway, tmp_path: Path) -> Hook:
    return Hook(gateway, tmp_path)


@pytest.fixture
def stub(hook: Hook) -> Path:
    """Let the hook call a program that writes its words into the returned file; its text may be replaced."""
    said = hook.root / "said"
    program = hook.root / "stub.py"
    program.write_text(f"import sys\nopen({str(said)!r}, 'a').write(' '.join(sys.argv[1:]) + chr(10))\n")
    hook.program = [sys.executable, "-S", str(program)]
    return said
