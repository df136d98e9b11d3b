"""Find every OpenClaw agent on this machine: state directories, agents, workspaces, stores.

State directories: the active one ($OPENCLAW_STATE_DIR, else the profile of $OPENCLAW_PROFILE, else
~/.openclaw), then ~/.openclaw and every ~/.openclaw-<profile>, then those that an install was made for:
who installs names a folder once. Each has a configuration that names
its agents; where it says nothing the host's own defaults are followed (2026.9.6 and, for the JSONL
line, 2026.7.1-2 were read and run for them). Of a configuration that cannot be read no agent is known.

A state may hold JSONL and SQLite at once, during a migration: both stores stay listed. A folder of
an agent that the configuration does not name counts when its workspace exists.

Read-only; costs a few milliseconds; opens a database only to see who owns a shared store.
"""

from __future__ import annotations

import os
import re
import sqlite3
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

import orjson

from scrimshaw.files import open_regular
from scrimshaw.layout import receipts_folder
from scrimshaw.sources.openclaw_config import CONFIG_NAMES, HostConfig, expand, read_config
from scrimshaw.sources.readonly import reading
from scrimshaw.sources.versions import Version, is_jsonl_era, parse_version

MAIN_AGENT = "main"
_MOST_RECEIPTS = 100
_LARGEST_RECEIPT_BYTES = 8 * 1024 * 1024
STORE_NAME = "openclaw-agent.sqlite"
_VALID_ID = re.compile(r"[a-z0-9][a-z0-9_-]{0,63}", re.IGNORECASE)
_TRANSCRIPT = re.compile(r"\.jsonl($|\.(reset|deleted)\.)")


class StoreRef(NamedTuple):
    """Where transcripts lie."""

    kind: str  # "sqlite", a database; "jsonl", a folder of files; or the entry point that reads it
    path: Path


class Agent(NamedTuple):
    """One agent of one state directory. *workspace* may not exist yet; *stores* may be empty."""

    agent_id: str
    workspace: Path
    state_dir: Path
    profile: str  # "" for the default profile
    stores: tuple[StoreRef, ...]
    is_default: bool
    config_path: Path
    home: Path | None = None  # the folder of agents it lives in, where no host knows it


class Discovery(NamedTuple):
    """What was found; *unread* are the configurations that could not be read, whose agents nobody knows."""

    agents: tuple[Agent, ...]
    unread: tuple[HostConfig, ...]


class _State(NamedTuple):
    path: Path
    profile: str
    is_active: bool  # the one that the environment selects
    config: HostConfig
    env: Mapping[str, str]
    home: Path


def find_agents(env: Mapping[str, str], home: Path, *, state_dir: Path | None = None) -> Discovery:
    """Return the agents of all state directories, or of *state_dir* alone; the active one's first.

    *env* and *home* stand for the host's environment: OPENCLAW_STATE_DIR, OPENCLAW_CONFIG_PATH,
    OPENCLAW_PROFILE, OPENCLAW_HOME and OPENCLAW_WORKSPACE_DIR are honoured.
    """
    states = list(_states(env, _home(env, home), state_dir))
    unread = tuple(state.config for state in states if state.config.problems)
    return Discovery(
        tuple(agent for state in states if not state.config.problems for agent in _agents_of(state)), unread
    )


def agents_as_named(
    env: Mapping[str, str], home: Path, workspace: Path, agent_id: str, *, state_dir: Path | None = None
) -> list[Agent]:
    """Return *agent_id* as working in *workspace*, whatever is configured: for each state with its store."""
    if normalize_agent_id(agent_id) != agent_id:
        return []
    found = [
        (state, tuple(_stores(state, agent_id, is_default=False)))
        for state in _states(env, _home(env, home), state_dir)
    ]
    return [
        Agent(agent_id, workspace, state.path, state.profile, stores, False, state.config.path)
        for state, stores in found
        if stores
    ]


def _home(env: Mapping[str, str], home: Path) -> Path:
    return _resolve(env.get("OPENCLAW_HOME", "").strip() or str(home), home)


def _states(env: Mapping[str, str], home: Path, only: Path | None) -> Iterator[_State]:
    seen = set()
    for path, profile, is_active in _state_dirs(env, home, only):
        seen.add(path.resolve())
        config_path = _config_path(path, env, home, is_active=is_active)
        yield _State(path, profile, is_active, read_config(config_path), env, home)
    for path, config_path in _installed_for(env, home) if only is None else ():
        if path.resolve() not in seen and _is_state(path):
            seen.add(path.resolve())
            yield _State(path, _profile_of(path), False, read_config(config_path), env, home)


def _installed_for(env: Mapping[str, str], home: Path) -> Iterator[tuple[Path, Path]]:
    """Yield state directory and configuration of each receipt of an install that can be read."""
    for receipt in sorted(receipts_folder(env, Path(env.get("HOME") or home)).glob("*.json"))[
        :_MOST_RECEIPTS
    ]:
        try:
            with open_regular(receipt) as file:
                said = orjson.loads(file.read(_LARGEST_RECEIPT_BYTES))
        except (OSError, orjson.JSONDecodeError):
            continue  # whoever installs or takes away says what is wrong with it
        match said:
            case {"state_dir": str(state_dir), "config_path": str(config_path)}:
                yield _resolve(state_dir, home), _resolve(config_path, home)


def active_state(env: Mapping[str, str], home: Path) -> Path:
    """Return the state directory that *env* selects: for what a host has started, that host's own."""
    return _active_state(env, _home(env, home))


def state_version(state_dir: Path, config: HostConfig) -> Version | None:
    """Return the newest version of OpenClaw that wrote this state's configuration or database."""
    found = [parse_version(config.text("meta", "lastTouchedVersion"))]
    try:
        with reading(state_dir / "state" / "openclaw.sqlite") as connection:
            rows = connection.execute("select app_version from schema_meta limit 8").fetchall()
        found += [parse_version(str(row[0])) for row in rows]
    except (OSError, sqlite3.Error):
        pass  # no database, or one that cannot be read now: the configuration's word stands
    return max((version for version in found if version), default=None)


def normalize_agent_id(text: str) -> str:
    """Return *text* as the host spells an agent's id in paths and session keys."""
    trimmed = text.strip()
    if _VALID_ID.fullmatch(trimmed):
        return trimmed.lower()
    return re.sub(r"[^a-z0-9_-]+", "-", trimmed.lower()).strip("-")[:64] or MAIN_AGENT


def _active_state(env: Mapping[str, str], home: Path) -> Path:
    configured = env.get("OPENCLAW_STATE_DIR", "").strip()
    return _resolve(configured, home) if configured else _default_state(home, _profile(env))


def _profile(env: Mapping[str, str]) -> str:
    profile = env.get("OPENCLAW_PROFILE", "").strip()
    return "" if profile.lower() == "default" else profile


def _state_dirs(env: Mapping[str, str], home: Path, only: Path | None) -> Iterator[tuple[Path, str, bool]]:
    profile, active = _profile(env), _active_state(env, home)
    if only is not None:
        path = only.expanduser().absolute()
        yield path, _profile_of(path), path.resolve() == active.resolve()
        return
    seen = {active.resolve()}
    if _is_state(active):
        yield active, profile or _profile_of(active), True
    try:
        beside = sorted(home.glob(".openclaw-*"))
    except OSError:
        beside = []
    for path in [_default_state(home, ""), *beside]:
        if path.resolve() not in seen and _is_state(path):
            seen.add(path.resolve())
            yield path, _profile_of(path), False


def _default_state(home: Path, profile: str) -> Path:
    if profile:
        return home / f".openclaw-{profile}"
    old = home / ".clawdbot"
    new = home / ".openclaw"
    return old if not new.exists() and old.is_dir() else new


def _profile_of(path: Path) -> str:
    return path.name.removeprefix(".openclaw-") if path.name.startswith(".openclaw-") else ""


def _is_state(path: Path) -> bool:
    # ~/.openclaw-backup.tar or an empty folder of that name is no state directory.
    try:
        return (path / "agents").is_dir() or any((path / name).is_file() for name in CONFIG_NAMES)
    except OSError:
        return False  # somebody else's, not ours to look into


def _config_path(state_dir: Path, env: Mapping[str, str], home: Path, *, is_active: bool) -> Path:
    configured = env.get("OPENCLAW_CONFIG_PATH", "").strip()
    if configured and is_active:
        return _resolve(configured, home)
    existing = [state_dir / name for name in CONFIG_NAMES if (state_dir / name).is_file()]
    return existing[0] if existing else state_dir / CONFIG_NAMES[0]


def _agents_of(state: _State) -> Iterator[Agent]:
    entries = agent_entries(state.config)
    configured = list(entries) or [MAIN_AGENT]
    default = _default_agent(state.config, entries)
    present = sorted(_folders(state.path / "agents") - set(configured))
    for agent_id in [*configured, *present]:
        is_default = agent_id == default
        stores = tuple(_stores(state, agent_id, is_default=is_default))
        workspace = _workspace(state, agent_id, entries.get(agent_id, {}), is_default=is_default)
        if agent_id in present and not (stores and workspace.is_dir()):
            continue
        yield Agent(agent_id, workspace, state.path, state.profile, stores, is_default, state.config.path)


def agent_entries(config: HostConfig) -> dict[str, Mapping[str, object]]:
    """Return the configured agents by id: `agents.entries`, or the older `agents.list`."""
    keyed = config.at("agents", "entries")
    if isinstance(keyed, Mapping):
        pairs = [(key, entry) for key, entry in keyed.items() if isinstance(entry, Mapping)]
    else:
        listed = config.at("agents", "list")
        entries = (
            [entry for entry in listed if isinstance(entry, Mapping)] if isinstance(listed, list) else []
        )
        pairs = [(str(entry.get("id", "")), entry) for entry in entries]
    found: dict[str, Mapping[str, object]] = {}
    for key, entry in pairs:
        found.setdefault(normalize_agent_id(key), entry)
    return found


def _default_agent(config: HostConfig, entries: Mapping[str, Mapping[str, object]]) -> str:
    marked = [agent_id for agent_id, entry in entries.items() if entry.get("default") is True]
    named = config.text("agents", "defaults", "systemAgent", "agentId")
    if marked:
        return marked[0]
    if named and normalize_agent_id(named) in entries:
        return normalize_agent_id(named)
    return next(iter(entries), MAIN_AGENT)


def _has_agents_apart(config: HostConfig) -> bool:
    """Tell whether no agent inherits the shared workspace: each has a folder of its own within it.

    So it is where several agents are configured with `agents.ownership: "explicit"`, whichever of them is the
    default one; a sole agent inherits it there, too. Measured on 2026.9.6; 2026.7.1-2 knows no such key.
    """
    return config.text("agents", "ownership") == "explicit" and len(agent_entries(config)) > 1


def _folders(path: Path) -> set[str]:
    try:
        return {
            entry.name for entry in os.scandir(path) if entry.is_dir() and _VALID_ID.fullmatch(entry.name)
        }
    except OSError:
        return set()


def _workspace(state: _State, agent_id: str, entry: Mapping[str, object], *, is_default: bool) -> Path:
    own = entry.get("workspace")
    if isinstance(own, str) and own.strip():
        return _configured(own, state)
    shared = state.config.text("agents", "defaults", "workspace")
    if is_default and not _has_agents_apart(state.config):
        return _configured(shared, state) if shared else _host_default(state)
    if shared:
        return _configured(shared, state) / agent_id
    return state.path / f"workspace-{agent_id}"


def _host_default(state: _State) -> Path:
    chosen = state.env.get("OPENCLAW_WORKSPACE_DIR", "").strip()
    if chosen and state.is_active:
        return _resolve(chosen, state.home)
    version = state_version(state.path, state.config)
    # The JSONL line keeps the default workspace in ~/.openclaw, whatever the state directory.
    if version is not None and is_jsonl_era(version):
        name = f"workspace-{state.profile}" if state.profile else "workspace"
        return state.home / ".openclaw" / name
    return state.path / "workspace"


def _stores(state: _State, agent_id: str, *, is_default: bool) -> Iterator[StoreRef]:
    folder = state.path / "agents" / agent_id
    databases = [folder / "agent" / STORE_NAME]
    transcripts = [folder / "sessions"]
    custom = state.config.text("session", "store")
    if custom:
        store = _configured(custom.replace("{agentId}", agent_id), state)
        databases += _custom_databases(store, agent_id)
        # A fixed path mixes the agents' JSONL files; the host counts them as the default agent's.
        if "{agentId}" in custom or is_default:
            transcripts.append(store.parent)
    for path in dict.fromkeys(databases):
        if path.is_file():
            yield StoreRef("sqlite", path)
    for path in dict.fromkeys(transcripts):
        if has_transcripts(path):
            yield StoreRef("jsonl", path)


def _custom_databases(store: Path, agent_id: str) -> list[Path]:
    """Return the databases that `session.store` means for *agent_id*, as the host derives them."""
    if store.suffix == ".sqlite":
        candidates = [store]
    elif store.name == "sessions.json" and store.parent.name == "sessions":
        return [store.parent.parent / "agent" / STORE_NAME]
    else:
        base = "openclaw-agent" if store.name == "sessions.json" else store.stem or "openclaw-agent"
        candidates = sorted(store.parent.glob(f"{base}.sqlite"))
        candidates += sorted(store.parent.glob(f"{base}.{agent_id}*.sqlite"))
    return [path for path in candidates if _owner(path) == agent_id]


def _owner(database: Path) -> str:
    try:
        with reading(database) as connection:
            row = connection.execute("select agent_id from schema_meta where role = 'agent'").fetchone()
    except (OSError, sqlite3.Error):
        return ""
    return str(row[0]) if row else ""


def has_transcripts(folder: str | Path) -> bool:
    """Tell whether *folder* holds transcripts; of one that may not be listed whoever reads it says so."""
    try:
        with os.scandir(folder) as entries:
            return any(_TRANSCRIPT.search(entry.name) for entry in entries)
    except PermissionError:
        return os.path.lexists(folder)
    except OSError:
        return False


def _configured(text: str, state: _State) -> Path:
    return _resolve(expand(text, state.env), state.home)


def _resolve(text: str, home: Path) -> Path:
    cleaned = text.strip().replace("\0", "")
    if cleaned == "~" or cleaned.startswith("~/"):
        return home / cleaned[2:]
    return Path(os.path.abspath(cleaned))  # noqa: PTH100  without following links, as the host does
