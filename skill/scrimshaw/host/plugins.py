"""Our plug-in as a host has it: named in the configuration, permitted, loaded by its gateway, answering.

Read-only, and no program of the host is started. What `status` and `doctor` both have to know.
"""

from __future__ import annotations

import os
import socket
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

from scrimshaw import files
from scrimshaw.host.gateway import Gateway
from scrimshaw.sources.openclaw_config import HostConfig
from scrimshaw.sources.versions import Version

ID = "scrimshaw"
ENTRY = ("plugins", "entries", ID)
PATHS = ("plugins", "load", "paths")
OLDEST: Version = (2026, 7, 0)  # tried with 2026.7.35; what older ones make of it nobody has seen
MAY_PROMPT = "allowConversationAccess"  # what OpenClaw wants of a plug-in that adds to a prompt
TOOLS = ("scrimshaw_search", "scrimshaw_why", "scrimshaw_add")
_LONGEST_SOCKET = 100
_ANSWER_SECONDS = 2.0  # as long as a tool of the plug-in waits


class PluginState(NamedTuple):
    """How far the plug-in of a state folder has come; *problem* is half a sentence, "" where all is well."""

    problem: str
    is_enabled: bool
    may_prompt: bool  # it may add to a prompt
    is_joined: bool  # a plain memory_search finds our lines, too
    is_loaded: bool  # by the gateway that runs
    is_answering: bool
    socket: Path

    @property
    def may(self) -> str:
        """What it may do, in words."""
        parts = ["tools", *(["prompt"] if self.may_prompt else [])]
        return " and ".join(parts) + (", joined to memory_search" if self.is_joined else "")


def plugin_state(
    config: HostConfig,
    version: Version | None,
    gateway: Gateway | None,
    state_dir: Path,
    env: Mapping[str, str] = os.environ,
) -> PluginState | None:
    """Return how the plug-in stands in a host of *version* with *config*; None where nobody asked for it."""
    entry = config.table(*ENTRY)
    if not entry:
        return None
    settings = entry.get("config")
    own = settings if isinstance(settings, Mapping) else {}
    said = own.get("socket")
    place = Path(said) if isinstance(said, str) else socket_of(state_dir, env)
    is_enabled = entry.get("enabled") is not False
    # Beside a socket of the person's own it leaves no note.
    is_loaded = gateway is not None and (bool(said) or loaded_by(state_dir, env) == gateway.pid)
    state = PluginState(
        problem="" if is_enabled else "it is disabled by name, and stays so",
        is_enabled=is_enabled,
        may_prompt=config.at(*ENTRY, "hooks", MAY_PROMPT) is True,
        is_joined=own.get("joinSearch") is True,
        is_loaded=is_loaded,
        is_answering=is_loaded and answers(place),
        socket=place,
    )
    return state._replace(problem=state.problem or _problem(config, version, gateway, state))


def _problem(config: HostConfig, version: Version | None, gateway: Gateway | None, state: PluginState) -> str:
    if why_not := hindrance(config, version):
        return why_not
    if not any(is_ours(Path(one)) for one in load_paths(config) if isinstance(one, str)):
        return "none of the folders in plugins.load.paths holds it, so the host does not load it"
    if gateway is not None and not state.is_loaded:
        return "the gateway that runs has given no sign of having loaded it"
    if gateway is not None and not state.is_answering:
        return f"no server answers at {state.socket}: the agent goes without"
    return ""


def answers(place: Path) -> bool:
    """Tell whether a server answers at the socket *place*; one that hangs still listens."""
    try:
        with socket.socket(socket.AF_UNIX) as one:
            one.settimeout(_ANSWER_SECONDS)
            one.connect(str(place))
            one.sendall(b"GET /health HTTP/1.0\r\nHost: localhost\r\n\r\n")
            return one.recv(5) == b"HTTP/"
    except OSError:
        return False


def load_paths(config: HostConfig) -> list[Any]:
    """Return the folders that the host loads plug-ins from."""
    found = config.at(*PATHS)
    return list(found) if isinstance(found, list) else []


def hindrance(config: HostConfig, version: Version | None) -> str:
    """Return why a host of *version* with *config* would not load it, as a sentence; "" where it would."""
    if version is not None and version < OLDEST:
        oldest = ".".join(map(str, OLDEST[:2]))
        return f"the plug-in is for OpenClaw {oldest} and newer; the hook does its part here"
    if config.at("plugins", "enabled") is False:
        return "plugins.enabled is false: OpenClaw loads no plug-in. That is yours to decide"
    allowed, denied = config.at("plugins", "allow"), config.at("plugins", "deny")
    if isinstance(denied, list) and ID in denied:
        return f"plugins.deny names {ID}. That is yours to decide"
    if isinstance(allowed, list) and allowed and ID not in allowed:
        return f"plugins.allow names the plug-ins that OpenClaw may load, and {ID} is not among them"
    return ""


def is_ours(folder: Path) -> bool:
    return files.read_object(folder / "openclaw.plugin.json").get("id") == ID


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
    pid = files.read_object(socket_of(state_dir, env).parent / "alive.json").get("pid")
    return pid if isinstance(pid, int) else None
