"""Our plug-in in a host's configuration: an entry of its own, and the folder that the host loads it from.

It is loaded from where it was shipped, so nothing is copied and nothing of the host's own records changes.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any, Literal

from scrimshaw.sources.openclaw_config import HostConfig
from scrimshaw.sources.versions import Version, is_jsonl_era

ID = "scrimshaw"
ENTRY = ("plugins", "entries", ID)
PATHS = ("plugins", "load", "paths")
PluginParts = Literal["tools", "tools+prompt"]
_MOST_BYTES = 64 * 1024
_LONGEST_SOCKET = 100


def wanted_entry(config: HostConfig, program: tuple[str, ...], parts: PluginParts) -> dict[str, Any]:
    """Return the entry as it should be; what the person has set in it besides stays."""
    before = config.table(*ENTRY)
    own = before.get("config")
    settings = {**(own if isinstance(own, Mapping) else {}), "command": list(program)}
    hooks = before.get("hooks")
    permitted = {**(hooks if isinstance(hooks, Mapping) else {})}
    if parts == "tools+prompt":
        permitted["allowConversationAccess"] = True
    entry = {**before, "enabled": True, "config": settings}
    return {**entry, "hooks": permitted} if permitted else entry


def load_paths(config: HostConfig) -> list[Any]:
    """Return the folders that the host loads plug-ins from."""
    found = config.at(*PATHS)
    return list(found) if isinstance(found, list) else []


def is_selected(config: HostConfig, folder: Path, entry: Mapping[str, Any]) -> bool:
    """Tell whether *config* has the plug-in already, as wanted."""
    return config.table(*ENTRY) == entry and str(folder) in load_paths(config)


def hindrance(config: HostConfig, version: Version | None) -> str:
    """Return why a host of *version* with *config* would not load it, as a sentence; "" where it would."""
    if version is not None and is_jsonl_era(version):
        return "the plug-in is for OpenClaw 2026.8 and newer; the hook does its part here"
    if config.at("plugins", "enabled") is False:
        return "plugins.enabled is false: OpenClaw loads no plug-in. That is yours to decide"
    allowed, denied = config.at("plugins", "allow"), config.at("plugins", "deny")
    if isinstance(denied, list) and ID in denied:
        return f"plugins.deny names {ID}. That is yours to decide"
    if isinstance(allowed, list) and allowed and ID not in allowed:
        return f"plugins.allow names the plug-ins that OpenClaw may load, and {ID} is not among them"
    return ""


def without(values: Mapping[str, Any], folders: list[Any], before: Mapping[str, Any]) -> dict[str, Any]:
    """Return a configuration's *values* without our entry and *folders*; what stood there *before* stays."""
    plugins = _table(values, "plugins")
    was = _table(before, "plugins")
    entries = {name: one for name, one in _table(plugins, "entries").items() if name != ID}
    own_before = _table(was, "entries").get(ID)
    load = dict(_table(plugins, "load"))
    had = _table(was, "load").get("paths")
    kept = had if isinstance(had, list) else []
    if isinstance(load.get("paths"), list):
        load["paths"] = [one for one in load["paths"] if one in kept or one not in folders]
    told = {
        **plugins,
        "entries": entries if own_before is None else entries | {ID: own_before},
        "load": {name: value for name, value in load.items() if value != []},
    }
    return {**values, "plugins": {name: value for name, value in told.items() if value != {}}}


def _table(values: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    found = values.get(key)
    return found if isinstance(found, Mapping) else {}


def is_ours(folder: Path) -> bool:
    """Tell whether *folder* holds our plug-in."""
    try:
        raw = (folder / "openclaw.plugin.json").read_bytes()[:_MOST_BYTES]
        manifest = json.loads(raw)
    except (OSError, ValueError):
        return False
    return isinstance(manifest, dict) and manifest.get("id") == ID


def socket_of(state_dir: Path, env: Mapping[str, str] = os.environ) -> Path:
    """Return where the plug-in finds its server, as plugin/openclaw/server.js has it."""
    name = f"scrimshaw-{os.getuid()}-{sha256(str(state_dir).encode()).hexdigest()[:12]}"
    base = env.get("XDG_RUNTIME_DIR") or env.get("TMPDIR") or "/tmp"  # noqa: S108  # a folder of 0700 in it
    for place in (state_dir / "scrimshaw" / "socket", Path(base) / name / "socket"):
        if len(os.fsencode(place)) <= _LONGEST_SOCKET:
            return place
    return Path("/tmp") / name / "socket"  # noqa: S108


def loaded_by(state_dir: Path, env: Mapping[str, str] = os.environ) -> int | None:
    """Return the process that loaded the plug-in last, by the note that it leaves beside its socket."""
    try:
        told = json.loads((socket_of(state_dir, env).parent / "alive.json").read_bytes()[:_MOST_BYTES])
    except (OSError, ValueError):
        return None
    pid = told.get("pid") if isinstance(told, dict) else None
    return pid if isinstance(pid, int) else None
