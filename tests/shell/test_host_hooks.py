"""Our hook in the host: what its files hold, whether a configuration selects it, and its signs of life."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from scrimshaw.host import hooks
from scrimshaw.sources.openclaw_config import HostConfig, read_config

_OLDER = (2026, 7, 1)
_NEWER = (2026, 9, 6)


@pytest.fixture
def state_dir(tmp_path: Path) -> Path:
    folder = tmp_path / "state"
    folder.mkdir()
    (folder / "openclaw.json").write_text("{}")
    return folder


def _settings(state_dir: Path) -> hooks.HookSettings:
    workspaces = {"main": state_dir / "w", "größe": state_dir / "x y"}
    return hooks.HookSettings(
        ("py", "-m", "scrimshaw"), state_dir, state_dir / "openclaw.json", 20, workspaces
    )


def _laid_out(state_dir: Path) -> Path:
    folder = hooks.folder(state_dir)
    folder.mkdir(parents=True)
    for name, text in hooks.files_of(_settings(state_dir)).items():
        (folder / name).write_text(text, encoding="utf-8")
    return folder


def _look(state_dir: Path) -> hooks.HookState:
    return hooks.hook_state(state_dir, read_config(state_dir / "openclaw.json"))


def _config(internal: Any) -> HostConfig:
    return HostConfig(Path("openclaw.json"), {"hooks": {"internal": internal}})


@pytest.mark.parametrize(
    ("internal", "newer", "older"),
    [
        (None, "not-loaded", "not-loaded"),
        ({}, "not-loaded", "not-loaded"),
        ({"entries": {"session-memory": {"enabled": False}}}, "not-loaded", "not-loaded"),
        ({"enabled": True}, "open", "open"),
        ({"enabled": True, "entries": {}}, "open", "open"),
        ({"enabled": True, "entries": {"session-memory": {"enabled": True}}}, "not-named", "open"),
        ({"enabled": True, "entries": {"session-memory": {"enabled": False}}}, "not-named", "open"),
        ({"entries": {"session-memory": {}}}, "not-named", "not-named"),
        ({"entries": {"scrimshaw": {"enabled": True}}}, "named", "named"),
        ({"entries": {" scrimshaw ": {}}}, "named", "named"),
        ({"enabled": True, "entries": {"scrimshaw": {}, "boot-md": {}}}, "named", "open"),
        ({"enabled": True, "entries": {"scrimshaw": {"enabled": False}}}, "disabled-entry", "disabled-entry"),
        ({"enabled": False, "entries": {"scrimshaw": {"enabled": True}}}, "off", "off"),
        ({"enabled": False}, "off", "off"),
        ({"load": {"extraDirs": ["/opt/hooks"]}, "entries": {"boot-md": {}}}, "open", "open"),
        ({"load": {"extraDirs": [" "]}}, "not-loaded", "not-loaded"),
        ({"load": 7, "entries": [], "enabled": "yes"}, "not-loaded", "not-loaded"),
        ("broken", "not-loaded", "not-loaded"),
    ],
)
def test_a_hook_is_selected_as_each_line_of_the_host_selects_it(
    internal: object, newer: str, older: str
) -> None:
    config = _config(internal)

    assert hooks.selection(config, _NEWER) == newer
    assert hooks.selection(config) == newer
    assert hooks.selection(config, _OLDER) == older


def test_what_is_laid_out_is_read_back(state_dir: Path) -> None:
    _laid_out(state_dir)

    found = _look(state_dir)

    assert found == hooks.HookState(
        state_dir / "hooks" / "scrimshaw", "current", _settings(state_dir), "not-loaded", None
    )
    assert not found.is_loaded


def test_the_front_matter_names_the_events_that_are_acted_on(state_dir: Path) -> None:
    import frontmatter
    import yaml

    texts = hooks.files_of(_settings(state_dir))
    head = frontmatter.loads(texts["HOOK.md"]).metadata

    assert head["name"] == hooks.NAME
    assert len(head["description"]) < 160
    assert tuple(head["metadata"]["openclaw"]["events"]) == hooks.EVENTS
    assert yaml.safe_load(texts["package.json"]) == {
        "name": "scrimshaw-hook",
        "private": True,
        "type": "module",
    }
    assert all(f'"{event}"' in texts["handler.ts"] for event in hooks.EVENTS)


@pytest.mark.parametrize("name", ["handler.ts", "HOOK.md", "package.json", "settings.json"])
def test_a_file_that_is_missing_or_another_is_outdated(state_dir: Path, name: str) -> None:
    folder = _laid_out(state_dir)
    (folder / name).write_text((folder / name).read_text() + "\n")
    changed = _look(state_dir).files
    (folder / name).unlink()

    assert (changed, _look(state_dir).files) == ("outdated", "outdated")


def test_a_folder_of_that_name_that_is_not_ours_is_foreign(state_dir: Path) -> None:
    absent = _look(state_dir).files
    folder = hooks.folder(state_dir)
    folder.mkdir(parents=True)
    (folder / "HOOK.md").write_text("---\nname: something-else\n---\n")
    other = _look(state_dir).files
    (folder / "HOOK.md").unlink()
    folder.rmdir()
    folder.symlink_to(state_dir)

    assert (absent, other, _look(state_dir).files) == ("absent", "foreign", "foreign")


def test_the_handlers_note_tells_whether_a_gateway_has_loaded_this_very_text(state_dir: Path) -> None:
    folder = _laid_out(state_dir)
    version = hooks.handler_version((folder / "handler.ts").read_text())
    event = {"at": "2026-11-20T18:00:00Z", "outcome": "done", "ms": 412, "agent": "main"}
    note = {"pid": os.getpid(), "loaded_at": "2026-11-20T17:00:00Z", "version": version}
    note["events"] = {"command:new": event, "of:another": event, "command:reset": {"at": 1}}
    (folder / "alive.json").write_text(json.dumps(note))
    loaded = _look(state_dir)
    (folder / "handler.ts").write_text("// a newer one")
    newer = _look(state_dir)
    (folder / "alive.json").write_text(json.dumps(note | {"pid": 2**22 + 7}))
    gone = _look(state_dir)

    assert loaded.is_loaded
    assert loaded.alive is not None
    assert loaded.alive.events == {"command:new": hooks.HookEvent(**event)}
    assert (newer.is_loaded, newer.alive is not None and newer.alive.is_running) == (False, True)
    assert (gone.is_loaded, gone.alive is not None and gone.alive.is_running) == (False, False)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "[]",
        "7",
        '{"pid": "x"}',
        '{"pid": 1e400, "loaded_at": "", "version": "", "events": {}}',
        '{"pid": -1, "loaded_at": "", "version": "", "events": []}',
        "[" * 100_000,
        "x" * 300_000,
        "\ud800".encode("utf-8", "surrogatepass").decode("latin-1"),
    ],
)
def test_whatever_lies_in_the_folder_looking_never_raises(state_dir: Path, text: str) -> None:
    folder = _laid_out(state_dir)
    for name in ("alive.json", "settings.json"):
        (folder / name).write_text(text, encoding="latin-1")

    found = _look(state_dir)

    assert (found.settings, found.alive, found.files) == (None, None, "outdated")


def test_a_pipe_a_link_or_a_folder_in_the_place_of_a_file_is_not_read(state_dir: Path) -> None:
    folder = _laid_out(state_dir)
    for name in ("settings.json", "handler.ts"):
        (folder / name).unlink()
    os.mkfifo(folder / "settings.json")
    (folder / "handler.ts").mkdir()
    (folder / "alive.json").symlink_to(state_dir / "openclaw.json")

    found = _look(state_dir)

    assert (found.settings, found.alive, found.files, found.is_loaded) == (None, None, "outdated", False)
