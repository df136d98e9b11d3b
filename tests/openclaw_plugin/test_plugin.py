"""The plug-in without a host: who is answered, and what becomes of a turn when the server is of no help."""

from __future__ import annotations

import json
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from socketserver import ThreadingUnixStreamServer
from typing import Any

import pytest
from tests.hook.conftest import node  # noqa: F401  # the fixture
from tests.hook.test_handler_splices import _PRIVATE, _SHARED, _UNKNOWN

from scrimshaw import __version__
from scrimshaw.core.transcript.classify import is_hidden_tool
from scrimshaw.host.plugins import TOOLS, loaded_by, socket_of
from scrimshaw.mcp_server.tools import TOOLS as MCP_TOOLS

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "plugin" / "openclaw"
ME = {"sessionKey": "agent:main:main", "agentId": "main"}
GROUP = {"sessionKey": "agent:main:telegram:group:-100", "agentId": "main"}


class Plugin:
    """The plug-in in a Node of its own."""

    def __init__(self, node: list[str], config: dict[str, Any], state: Path) -> None:  # noqa: F811
        self._process = subprocess.Popen(
            [*node, str(Path(__file__).with_name("driver.mjs")), str(FOLDER), json.dumps(config)],
            env={"HOME": str(state), "PATH": "/usr/bin:/bin", "OPENCLAW_STATE_DIR": str(state)},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def ask(self, name: str, given: Any = None) -> Any:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps([name, given]) + "\n")
        self._process.stdin.flush()
        answer = json.loads(self._process.stdout.readline())
        assert "thrown" not in answer, answer
        return answer["ok"]

    def search(self, asked: dict[str, str] = ME) -> str:
        return str(self.ask("tool", {"asked": asked, "name": "scrimshaw_search", "given": {"query": "key"}}))

    @property
    def pid(self) -> int:
        return self._process.pid

    def end(self) -> None:
        self._process.kill()
        self._process.communicate(timeout=60)


class FakeServer(ThreadingUnixStreamServer):
    """Answers on a socket as *plays* says; remembers what it was asked."""

    daemon_threads = True
    request_queue_size = 64  # of a connection more the system says at once that it cannot be had

    def __init__(self, place: Path, plays: Callable[[str, Any], tuple[int, bytes] | None]) -> None:
        self.asked: list[tuple[str, Any]] = []
        self.over = threading.Event()
        server = self

        class Handler(BaseHTTPRequestHandler):
            def answer(self) -> None:
                body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
                told = json.loads(body) if body else None
                server.asked.append((self.path, told))
                played = plays(self.path, told)
                if played is None:
                    server.over.wait(30)
                    return
                status, content = played
                self.send_response(status)
                self.send_header("Content-Length", str(len(content)))
                self.end_headers()
                self.wfile.write(content)

            do_GET = do_POST = answer  # noqa: N815  # as the base class wants them

            def log_message(self, *_: object) -> None:
                """Keep the test's output clean."""

            def address_string(self) -> str:
                return "unix"

        super().__init__(str(place), Handler)
        threading.Thread(target=self.serve_forever, args=(0.02,), daemon=True).start()


@pytest.fixture
def place() -> Iterator[Path]:
    folder = Path(tempfile.mkdtemp(prefix="sp"))  # a socket's path is short
    yield folder
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def against(node: list[str], place: Path) -> Iterator[Callable[..., tuple[Plugin, FakeServer]]]:  # noqa: F811
    made: list[Any] = []

    def make(plays: Callable[[str, Any], tuple[int, bytes] | None]) -> tuple[Plugin, FakeServer]:
        server = FakeServer(place / "socket", plays)
        plugin = Plugin(node, {"socket": str(place / "socket")}, place)
        made.extend((plugin.end, server.over.set, server.shutdown, server.server_close))
        return plugin, server

    yield make
    for end in made:
        end()


def line(path: str, told: Any) -> tuple[int, bytes]:
    if path.startswith("/api/v2/memory/unshown/"):
        return 200, b'{"agent": "main", "section": "## Observations"}'
    found = {
        "id": "abcdef12",
        "text": "The key.",
        "date": "2026-11-03",
        "kind": "fact",
        "rests_on": "1 message",
    }
    content = {"results": [found], "lines": [found]}
    return 200, json.dumps({"agent": "main", "content": content, "text": "", "is_error": False}).encode()


def test_sessions_are_told_apart_as_the_hook_does(node: list[str], place: Path) -> None:  # noqa: F811
    plugin = Plugin(node, {}, place)
    keys = [*_PRIVATE, *_SHARED, *_UNKNOWN]

    found = dict(zip(keys, plugin.ask("kinds", keys), strict=True))
    plugin.end()

    assert {key for key in keys if found[key] in ("private", "heartbeat")} == set(_PRIVATE)
    assert {key for key in keys if found[key] == "other"} == set(_SHARED)
    assert {key for key in keys if found[key] == "unknown"} == set(_UNKNOWN)


@pytest.mark.parametrize(
    ("asked", "config"),
    [
        (GROUP, {}),
        ({"sessionKey": "agent:other:main", "agentId": "main"}, {}),
        ({"sessionKey": "agent:main:main", "agentId": "other"}, {}),
        ({"agentId": "main"}, {}),
        (ME, {"session": {"groupScope": "main"}}),
        (ME, None),
    ],
)
def test_only_an_agents_own_private_conversation_is_one(
    node: list[str],  # noqa: F811
    place: Path,
    asked: dict[str, str],
    config: object,
) -> None:
    plugin = Plugin(node, {}, place)
    found = plugin.ask("agents", {"asked": asked, "config": config})
    whole = plugin.ask("agents", {"asked": ME, "config": {}})
    plugin.end()

    assert found is None
    assert whole == "main"


def test_a_private_conversation_is_answered_and_no_other_is_even_asked_about(
    against: Callable[..., tuple[Plugin, FakeServer]],
) -> None:
    plugin, server = against(line)

    told, group = plugin.search(), plugin.search(GROUP)
    hits = plugin.ask("search", {"query": "key", "agentSessionKey": "agent:main:main", "agentId": "main"})
    nothing = plugin.ask(
        "search", {"query": "key", "agentSessionKey": GROUP["sessionKey"], "agentId": "main"}
    )
    whole = plugin.ask("get", {"lookup": hits[0]["path"], "agentSessionKey": "agent:main:main"})

    assert "The key." in told
    assert "Nothing was looked up" in group
    assert nothing == []
    assert (hits[0]["corpus"], hits[0]["id"], whole["content"]) == ("scrimshaw", "abcdef12", "The key.")
    assert {told["agent"] for _, told in server.asked} == {"main"}
    assert len(server.asked) == 3


def test_the_section_goes_into_a_private_prompt_alone(
    against: Callable[..., tuple[Plugin, FakeServer]],
) -> None:
    plugin, _ = against(line)

    assert plugin.ask("prompt", ME) == {"appendSystemContext": "## Observations"}
    assert plugin.ask("prompt", GROUP) is None
    assert plugin.ask("prompt", None) is None


def test_a_plain_search_of_the_hosts_asks_us_too_by_choice_and_in_private_alone(
    node: list[str],  # noqa: F811
    place: Path,
) -> None:
    plain = {"toolName": "memory_search", "params": {"query": "key", "maxResults": 3}}
    memory = {"toolName": "memory_search", "params": {"query": "key", "corpus": "memory"}}
    get = {"toolName": "memory_get", "params": {"path": "scrimshaw/abcdef12"}}
    theirs = {"toolName": "memory_get", "params": {"path": "MEMORY.md"}}
    spoiled = [None, {}, {"toolName": "memory_search", "params": None}]
    plugin, chosen = Plugin(node, {}, place), Plugin(node, {"joinSearch": True}, place)

    def joined(event: object, asked: object = ME, of: Plugin = chosen) -> Any:
        return of.ask("joined", {"event": event, "asked": asked})

    told = [joined(plain), joined(get)]
    left = [joined(memory), joined(theirs), joined(plain, GROUP), joined(get, GROUP), joined(plain, None)]
    left += [joined(one) for one in spoiled] + [joined(plain, of=plugin)]
    plugin.end()
    chosen.end()

    assert told == [
        {"params": {"query": "key", "maxResults": 3, "corpus": "all"}},
        {"params": {"path": "scrimshaw/abcdef12", "corpus": "wiki"}},
    ]
    assert left == [None] * 9


@pytest.mark.parametrize(
    ("plays", "says"),
    [
        (lambda *_: None, "did not answer in time"),
        (lambda *_: (200, b"no JSON"), "is no JSON"),
        (lambda *_: (200, b" " * 300_000), "failed"),
        (lambda *_: (404, b'{"detail": "There is nothing at this address."}'), "older than its plug-in"),
        (lambda *_: (503, b'{"detail": "Busy.", "next": "ask again"}'), "Busy.\nNext: ask again"),
    ],
    ids=["hangs", "babbles", "floods", "is older", "is busy"],
)
def test_a_server_that_does_not_play_along_fails_no_turn_and_is_told_of_once(
    against: Callable[..., tuple[Plugin, FakeServer]], plays: Any, says: str
) -> None:
    plugin, _ = against(plays)
    if says == "did not answer in time":
        plugin.ask("hasten", 10)

    first, second = plugin.search(), plugin.search()

    assert says in first
    assert first == second
    assert plugin.ask("prompt", ME) is None
    assert plugin.ask("search", {"query": "key", "agentSessionKey": "agent:main:main"}) == []
    assert len(plugin.ask("log")) == 1


def test_a_prompt_does_not_wait_behind_the_tools_that_a_hanging_server_holds_up(
    against: Callable[..., tuple[Plugin, FakeServer]],
) -> None:
    plugin, _ = against(lambda *_: None)
    plugin.ask("hasten", 10)

    assert plugin.ask("crowded", ME) == ["prompt"] + ["tool"] * 12


def test_a_program_that_is_not_there_is_named(node: list[str], place: Path) -> None:  # noqa: F811
    plugin = Plugin(node, {"command": ["/no/such/scrimshaw"]}, place)

    told = plugin.search()
    plugin.end()

    assert "/no/such/scrimshaw: there is no such command" in told
    assert "go on without it" in told


def test_the_server_is_started_and_ends_with_the_plug_in(node: list[str], place: Path) -> None:  # noqa: F811
    starter = ["env", f"PYTHONPATH={ROOT / 'skill'}", sys.executable, "-m", "scrimshaw"]
    another = place / ".openclaw-work"  # a host beside it, whose agent is of the same name
    (another / "agents" / "main" / "sessions").mkdir(parents=True)
    (another / "workspace").mkdir()
    defaults = {"workspace": str(another / "workspace")}
    (another / "openclaw.json").write_text(json.dumps({"agents": {"defaults": defaults}}), encoding="utf-8")
    plugin = Plugin(node, {"command": starter}, place)
    told = ""
    for _ in range(60):
        told = plugin.search()
        if "There is no agent" in told:
            break
    made = place / "scrimshaw" / "socket"
    assert socket_of(place, {}) == made
    assert "There is no agent main here" in told
    assert made.is_socket()
    assert made.parent.stat().st_mode & 0o777 == 0o700

    plugin.ask("stop")

    pause = threading.Event()
    for _ in range(600):
        if not made.exists() or not _listens(made):
            break
        pause.wait(0.1)
    plugin.end()
    assert not made.exists() or not _listens(made)


def test_a_connection_that_is_cut_is_no_server_that_is_gone(node: list[str], place: Path) -> None:  # noqa: F811
    cuts = iter([True])

    def plays(path: str, told: Any) -> tuple[int, bytes]:
        if next(cuts, False):
            raise ConnectionResetError
        return line(path, told)

    started = place / "started"
    (place / "scrimshaw").mkdir(mode=0o700)
    server = FakeServer(place / "scrimshaw" / "socket", plays)
    server.handle_error = lambda *_: None  # type: ignore[method-assign]  # it is meant
    plugin = Plugin(node, {"command": ["/bin/sh", "-c", f"touch {started}"]}, place)

    told = plugin.search()
    plugin.end()
    server.shutdown()
    server.server_close()

    assert "The key." in told
    assert len(server.asked) == 2
    assert not started.exists()


def test_a_gateway_that_has_loaded_it_is_named_beside_the_socket(node: list[str], place: Path) -> None:  # noqa: F811
    plugin = Plugin(node, {"command": ["/no/such/scrimshaw"]}, place)

    plugin.ask("start")
    loaded = loaded_by(place, {})
    plugin.ask("stop")
    plugin.end()

    assert loaded == plugin.pid
    assert not (place / "scrimshaw").exists()


def _listens(place: Path) -> bool:
    with socket.socket(socket.AF_UNIX) as one:
        return one.connect_ex(str(place)) == 0


def test_the_manifest_names_the_tools_that_there_are_and_our_version() -> None:
    manifest = json.loads((FOLDER / "openclaw.plugin.json").read_text("utf-8"))
    package = json.loads((FOLDER / "package.json").read_text("utf-8"))
    code = (FOLDER / "index.js").read_text("utf-8")

    assert manifest["contracts"]["tools"] == [name for name in TOOLS if f'name: "{name}"' in code]
    assert len(manifest["contracts"]["tools"]) == len(TOOLS)
    assert manifest["version"] == package["version"] == __version__
    assert f'VERSION = "{__version__}"' in code
    assert "kind" not in manifest  # it takes no slot
    assert not package.get("dependencies")


@pytest.mark.parametrize(
    "name",
    ["scrimshaw_search", "scrimshaw__memory_get", "memory_search", *(f"notes__{name}" for name in MCP_TOOLS)],
)
def test_what_our_tools_say_is_no_evidence(name: str) -> None:
    assert is_hidden_tool(name)
    assert not is_hidden_tool("exec")
    assert not is_hidden_tool("notes__read")
