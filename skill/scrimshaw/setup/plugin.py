"""Our plug-in in a host's configuration: its entry, and the folder that the host loads it from.

It is loaded from where it was shipped, so nothing is copied and none of the host's own records change.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

from scrimshaw.host.plugins import ENTRY, ID, MAY_PROMPT, load_paths
from scrimshaw.sources.openclaw_config import HostConfig

PluginParts = Literal["tools", "tools+prompt"]


def wanted_entry(config: HostConfig, program: tuple[str, ...], parts: PluginParts) -> dict[str, Any]:
    """Return the wanted entry, with no permission but that of *parts*; the person's other settings stay."""
    before = config.table(*ENTRY)
    settings = {**table(before, "config"), "command": list(program)}
    permitted = {**table(before, "hooks")}
    if parts == "tools+prompt":
        permitted[MAY_PROMPT] = True
    elif permitted.get(MAY_PROMPT) is True:
        del permitted[MAY_PROMPT]
    entry = {**before, "enabled": True, "config": settings}
    entry.pop("hooks", None)
    return {**entry, "hooks": permitted} if permitted else entry


def is_selected(config: HostConfig, folder: Path, entry: Mapping[str, Any]) -> bool:
    """Tell whether *config* already has the plug-in, as wanted."""
    return config.table(*ENTRY) == entry and str(folder) in load_paths(config)


def without(values: Mapping[str, Any], folders: list[Any], before: Mapping[str, Any]) -> dict[str, Any]:
    """Return a configuration's *values* without our entry and *folders*; those in *before* stay."""
    plugins = table(values, "plugins")
    was = table(before, "plugins")
    entries = {name: one for name, one in table(plugins, "entries").items() if name != ID}
    own_before = table(was, "entries").get(ID)
    load = dict(table(plugins, "load"))
    had = table(was, "load").get("paths")
    kept = had if isinstance(had, list) else []
    if isinstance(load.get("paths"), list):
        load["paths"] = [one for one in load["paths"] if one in kept or one not in folders]
    told = {
        **plugins,
        "entries": entries if own_before is None else entries | {ID: own_before},
        "load": {name: value for name, value in load.items() if value != []},
    }
    return {**values, "plugins": {name: value for name, value in told.items() if value != {}}}


def table(values: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    """Return the object that *key* holds, {} for anything else."""
    found = values.get(key)
    return found if isinstance(found, Mapping) else {}
