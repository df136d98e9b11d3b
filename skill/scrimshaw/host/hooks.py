"""Our hook in the host's gateway: the files it consists of, whether it is selected, and its signs of life.

The host loads a managed hook from `<state>/hooks/NAME/`, for all of its agents. Which hooks it loads is
decided by `hooks.internal` of its configuration, and not quite the same in each release; "ready" in its own
list does not prove that the gateway has imported one, so ours leaves a note (`alive.json`) when it was.

Read-only: nothing here writes, and `look` never raises. Installing is setup's. What the host keeps of hook
packs (installed with `openclaw plugins install`) lies in a store of its own and is not looked at: with a pack
that names no hooks every hook is loaded, whatever `selection` says.
"""

from __future__ import annotations

import json
import stat
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any, Literal, NamedTuple

from scrimshaw import files, resources
from scrimshaw.errors import UserError
from scrimshaw.host.gateway import is_alive
from scrimshaw.sources.discover import state_version
from scrimshaw.sources.openclaw_config import HostConfig
from scrimshaw.sources.versions import Version, is_jsonl_era

NAME = "scrimshaw"
EVENTS = ("session:compact:before", "command:new", "command:reset", "session:auto-reset", "agent:bootstrap")

_SETTINGS, _ALIVE = "settings.json", "alive.json"
# package.json says what kind of module the handler is: without it the nearest one above would.
_TEXTS = ("HOOK.md", "handler.ts", "package.json")
_MAX_BYTES = 256 * 1024

Selection = Literal["open", "named", "not-named", "disabled-entry", "off", "not-loaded"]
Files = Literal["absent", "current", "outdated", "foreign"]


class HookSettings(NamedTuple):
    """What the hook is told: how to call us, and which agents it serves."""

    program: tuple[str, ...]  # the words that begin a command line of scrimshaw
    state_dir: Path
    config_path: Path
    timeout_seconds: int
    workspaces: Mapping[str, Path]  # by agent id


class HookEvent(NamedTuple):
    """The last event of a kind that the hook acted on."""

    at: str  # ISO 8601
    outcome: str  # "done", "replaced", "added", "nothing-aside" …, or what went wrong
    ms: int
    agent: str


class Alive(NamedTuple):
    """What the hook said of itself when a gateway loaded it, and since."""

    pid: int
    is_running: bool  # the process that loaded it is still there
    loaded_at: str  # ISO 8601
    version: str  # of the handler that was loaded: handler_version
    events: Mapping[str, HookEvent]


class HookState(NamedTuple):
    """The hook as it is on disk, in the configuration and in a gateway."""

    folder: Path
    files: Files  # "foreign": something of that name that is not ours
    settings: HookSettings | None
    selection: Selection
    alive: Alive | None
    is_loaded: bool = False  # a gateway that runs now has loaded the very handler that lies in the folder


def folder(state_dir: Path) -> Path:
    return state_dir / "hooks" / NAME


def files_of(settings: HookSettings) -> dict[str, str]:
    """Return the text of each file of the hook, by name."""
    told = {
        "version": 1,
        "program": list(settings.program),
        "state_dir": str(settings.state_dir),
        "config_path": str(settings.config_path),
        "timeout_seconds": settings.timeout_seconds,
        "workspaces": {agent: str(place) for agent, place in sorted(settings.workspaces.items())},
    }
    texts = {name: resources.template(f"hook/{name}") for name in _TEXTS}
    return texts | {_SETTINGS: json.dumps(told, indent=2, ensure_ascii=False) + "\n"}


def handler_version(text: str) -> str:
    return sha256(text.encode("utf-8", "surrogateescape")).hexdigest()[:12]


def selection(config: HostConfig, version: Version | None = None) -> Selection:
    """Return whether a host of *version* (None: the newest) loads our hook, as far as *config* decides it.

    "open": every eligible hook is loaded, ours too; naming ours would turn off the others in a newer host.
    "named": ours is among those named. "not-named": others are, ours is not. "disabled-entry": its own entry
    says no. "off": the master switch does. "not-loaded": nothing asks for any hook.
    """
    if config.at("hooks", "internal", "enabled") is False:
        return "off"
    is_on = config.at("hooks", "internal", "enabled") is True
    entries = {name.strip(): entry for name, entry in config.table("hooks", "internal", "entries").items()}
    entries.pop("", None)
    own = entries.get(NAME)
    if isinstance(own, Mapping) and own.get("enabled") is False:
        return "disabled-entry"
    folders = config.at("hooks", "internal", "load", "extraDirs")
    has_folders = isinstance(folders, list) and any(isinstance(one, str) and one.strip() for one in folders)
    # JSONL releases: the master switch enables every hook, whatever is selected by name.
    is_older = version is not None and is_jsonl_era(version)
    if has_folders or (is_on and (is_older or not entries)):
        return "open"
    if NAME in entries:
        return "named"
    is_any_named = any(not isinstance(e, Mapping) or e.get("enabled") is not False for e in entries.values())
    return "not-named" if is_any_named or is_on else "not-loaded"


def hook_state(state_dir: Path, config: HostConfig) -> HookState:
    """Return how our hook of the host with *state_dir* stands; never raises."""
    place = folder(state_dir)
    settings = _settings(_read(place / _SETTINGS))
    alive = _alive(_read(place / _ALIVE))
    is_loaded = alive is not None and alive.is_running and alive.version == _version_on_disk(place)
    chosen = selection(config, state_version(state_dir, config))
    return HookState(place, _files(place, settings), settings, chosen, alive, is_loaded)


def _version_on_disk(place: Path) -> str | None:
    text = _read(place / "handler.ts")
    return None if text is None else handler_version(text)


def _files(place: Path, settings: HookSettings | None) -> Files:
    try:
        if not stat.S_ISDIR(place.lstat().st_mode):
            return "foreign"
    except OSError:
        return "absent"
    if settings is None and _name(_read(place / "HOOK.md") or "") != NAME:
        return "foreign"
    if settings is None:
        return "outdated"
    wanted = files_of(settings)
    is_current = all(_read(place / name) == text for name, text in wanted.items())
    return "current" if is_current else "outdated"


def _name(text: str) -> object:
    """Return what the head of a HOOK.md calls the hook."""
    import frontmatter
    import yaml

    try:
        return frontmatter.parse(text)[0].get("name")
    except (yaml.YAMLError, ValueError, RecursionError):
        return None


def _read(path: Path) -> str | None:
    """Return the text of a regular file of bounded size, or None; a link or a pipe is not followed."""
    try:
        raw = files.ABSENT if path.is_symlink() else files.read_bytes(path, _MAX_BYTES)
    except (UserError, OSError):
        return None
    return raw.decode("utf-8", "replace") if isinstance(raw, bytes) else None


def _decoded(text: str | None) -> dict[str, Any]:
    try:
        found = json.loads(text or "null")
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def _settings(text: str | None) -> HookSettings | None:
    match _decoded(text):
        case {
            "version": 1,
            "program": [str(), *_] as program,
            "state_dir": str(state_dir),
            "config_path": str(config_path),
            "timeout_seconds": int(seconds),
            "workspaces": dict(workspaces),
        } if all(isinstance(word, str) for word in (*program, *workspaces.values())):
            places = {agent: Path(place) for agent, place in workspaces.items()}
            return HookSettings(tuple(program), Path(state_dir), Path(config_path), seconds, places)
        case _:
            return None


def _alive(text: str | None) -> Alive | None:
    match _decoded(text):
        case {"pid": int(pid), "loaded_at": str(loaded_at), "version": str(version), "events": dict(events)}:
            told = {name: event for name in EVENTS if (event := _event(events.get(name)))}
            return Alive(pid, pid > 0 and is_alive(pid), loaded_at, version, told)
        case _:
            return None


def _event(found: object) -> HookEvent | None:
    match found:
        case {"at": str(at), "outcome": str(outcome), "ms": int(ms), "agent": str(agent)}:
            return HookEvent(at, outcome[:200], ms, agent)
        case _:
            return None
