"""What `status` and `doctor` know of the plug-in, and what an agent's shell says instead of answering."""

from __future__ import annotations

import json
import os
import shutil
import socket
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.places import EXEC, Place
from tests.stores import FakeSession, build_sqlite

from scrimshaw.core.section.markers import BEGIN, END
from scrimshaw.host import plugins
from scrimshaw.host.gateway import Gateway
from scrimshaw.host.plugins import TOOLS, PluginState, plugin_state
from scrimshaw.resources import plugin_folder
from scrimshaw.services.status.unshown import unshown_section
from scrimshaw.sources.openclaw_config import read_config
from scrimshaw.sources.versions import Version

NEW: Version = (2026, 9, 6)
RUNS = Gateway(os.getpid(), 0)


def plugged(**entry: Any) -> dict[str, Any]:
    told = {"enabled": True, "config": {}} | entry
    return {"plugins": {"load": {"paths": [str(plugin_folder())]}, "entries": {"scrimshaw": told}}}


@pytest.fixture
def state_dir() -> Iterator[Path]:
    folder = Path(tempfile.mkdtemp(prefix="sp"))  # a socket's path is short
    (folder / "scrimshaw").mkdir()
    yield folder
    shutil.rmtree(folder)


def look(
    folder: Path, values: dict[str, Any], gateway: Gateway | None, version: Version = NEW
) -> PluginState | None:
    (folder / "openclaw.json").write_text(json.dumps(values), "utf-8")
    return plugin_state(read_config(folder / "openclaw.json"), version, gateway, folder, {})


def leave_note(folder: Path, pid: int) -> None:
    (folder / "scrimshaw" / "alive.json").write_text(json.dumps({"pid": pid}), "utf-8")


def _answer_once(server: socket.socket) -> None:
    with server.accept()[0] as asked:
        asked.recv(1_000)
        asked.sendall(b"HTTP/1.1 200 OK\r\n\r\n")


def test_a_plug_in_is_followed_from_its_name_to_its_server(
    state_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert look(state_dir, {}, RUNS) is None

    silent = look(state_dir, plugged(), RUNS)
    leave_note(state_dir, os.getpid())
    alone = look(state_dir, plugged(), RUNS)
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(state_dir / "scrimshaw" / "socket"))
        server.listen()
        with monkeypatch.context() as hasty:
            hasty.setattr(plugins, "_ANSWER_SECONDS", 0.05)
            hanging = look(state_dir, plugged(), RUNS)
        server.accept()[0].close()  # the one that asked in vain
        threading.Thread(target=_answer_once, args=(server,)).start()
        whole = look(state_dir, plugged(hooks={"allowConversationAccess": True}), RUNS)
    leave_note(state_dir, os.getpid() + 1)
    another = look(state_dir, plugged(), RUNS)

    assert silent is not None
    assert alone is not None
    assert hanging is not None
    assert whole is not None
    assert another is not None
    assert (silent.is_loaded, silent.is_answering) == (False, False)
    assert "no sign" in silent.problem
    assert (alone.is_loaded, alone.is_answering) == (True, False)
    assert "no server answers" in alone.problem
    assert (hanging.is_loaded, hanging.is_answering) == (True, False)
    assert (whole.problem, whole.is_answering, whole.may) == ("", True, "tools and prompt")
    assert not another.is_loaded


@pytest.mark.parametrize(
    ("values", "version", "says"),
    [
        (plugged(), NEW, ""),
        (plugged(config={"joinSearch": True}), (2026, 7, 35), ""),
        (plugged(), (2026, 6, 11), "2026.7 and newer"),
        (plugged(enabled=False), NEW, "disabled by name"),
        ({"plugins": {"entries": {"scrimshaw": {"enabled": True}}}}, NEW, "plugins.load.paths"),
        (plugged(config=7, hooks="x"), NEW, ""),
    ],
)
def test_without_a_gateway_the_configuration_tells(
    state_dir: Path, values: dict[str, Any], version: Version, says: str
) -> None:
    found = look(state_dir, values, None, version)

    assert found is not None
    assert says in found.problem
    assert bool(says) == bool(found.problem)
    assert not found.is_loaded


@pytest.fixture
def place(tmp_path: Path) -> Place:
    place = Place(tmp_path / "machine", "sqlite", [FakeSession()])
    place.say(("We decided to use Postgres 17.2 for the ledger.", "Noted."))
    place.run("observe", "--yes")
    return place


@pytest.mark.parametrize(
    ("before", "origin", "is_told"),
    [
        ("# Mine\n", "agent", True),  # it is shown, and holds no section: the section is kept aside
        (None, "agent", True),
        ("# Mine\n", "untrusted", True),
        ("# Mine\n", None, False),  # the section is in it
        (f"# Mine\n\n{BEGIN}\n- an older line\n{END}\n", "agent", False),
        (f"# Mine\n\n{BEGIN}\n- an older line\n", "agent", False),
        (f"# Mine\n\n{BEGIN}\n- an older line\n{END}\n", "untrusted", True),  # nobody sees that one
    ],
)
def test_a_section_that_nothing_else_brings_is_told_and_no_other(
    tmp_path: Path, before: str | None, origin: str | None, is_told: bool
) -> None:
    place = Place(tmp_path / "machine", "sqlite", [FakeSession()])
    if before is not None:
        place.memory.write_text(before, encoding="utf-8")
    if origin is not None:
        place.record(origin)
    place.say(("We decided to use Postgres 17.2 for the ledger.", "Noted."))
    place.run("observe", "--yes")

    told = unshown_section(place.target(), {})

    assert ("Postgres 17.2" in told) == bool(told) == is_told
    assert told.count(BEGIN) == is_told


def _configure(place: Place, values: dict[str, Any]) -> None:
    path = place.state / "openclaw.json"
    path.write_text(json.dumps(json.loads(path.read_text("utf-8")) | values), "utf-8")


def test_status_tells_how_far_the_plug_in_has_come(place: Place) -> None:
    without = place.run("status")
    _configure(place, plugged(hooks={"allowConversationAccess": True}))
    told, object_ = place.run("status"), place.run("status", "--json").object
    _configure(place, plugged(enabled=False))
    disabled = place.run("status")

    assert "  plugin  " not in without.out
    assert "  plugin    tools and prompt: no gateway runs\n" in told.out
    assert "no private conversation yet" in told.out
    assert object_["workspaces"][0]["plugin"]["tools_seen"] is None
    assert "  plugin    it is disabled by name" in disabled.out


def test_an_agent_whose_shell_may_not_tell_is_referred_to_its_tools(place: Place) -> None:
    other = FakeSession(key="agent:main:telegram:group:-1", turn={"status": "running", "startedAt": 1_000})
    build_sqlite(place.state / "agents" / "other" / "agent" / "openclaw-agent.sqlite", [other])

    without = place.run("search", "Postgres", env=EXEC)
    _configure(place, plugged())
    told = place.run("search", "Postgres", env=EXEC)

    assert (without.code, told.code) == (4, 4)
    assert "scrimshaw_search" not in without.err
    for tool in TOOLS:
        assert tool in told.err
