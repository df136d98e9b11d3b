"""The plug-in in a host: named in the configuration, permitted, loaded by the gateway that runs, answering.

Where it was never asked for nothing is said of it.
"""

from __future__ import annotations

import socket
from collections.abc import Iterator
from pathlib import Path

from scrimshaw.doctor.finding import Finding, error, note, ok, warning
from scrimshaw.doctor.sight import HostSight
from scrimshaw.resources import program
from scrimshaw.setup import plugin

_TOPIC = "plugin"
_AGAIN = "scrimshaw install --plugin tools"
_ANSWER_SECONDS = 0.5


def check_plugin(host: HostSight) -> Iterator[Finding]:
    """Judge our plug-in, from its entry in the configuration to the server behind it."""
    entry = host.config.table(*plugin.ENTRY)
    if not entry:
        return
    if entry.get("enabled") is False:
        yield note(_TOPIC, "it is disabled by name, and stays so.", "if you did not mean that: " + _AGAIN)
        return
    if why_not := plugin.hindrance(host.config, host.version):
        yield warning(_TOPIC, f"{why_not}.", f"openclaw config get {'.'.join(plugin.PATHS[:1])}")
        return
    places = [Path(one) for one in plugin.load_paths(host.config) if isinstance(one, str)]
    if not any(plugin.is_ours(place) for place in places):
        yield error(
            _TOPIC,
            "none of the folders in plugins.load.paths holds it, so the host does not load it.",
            _AGAIN,
        )
        return
    settings = entry.get("config")
    command = settings.get("command") if isinstance(settings, dict) else None
    if command != list(program()):
        yield warning(_TOPIC, "it starts another scrimshaw than this one.", _AGAIN)
    yield from _life(host)


def _life(host: HostSight) -> Iterator[Finding]:
    entry = host.config.table(*plugin.ENTRY)
    permitted = host.config.at(*plugin.ENTRY, "hooks", "allowConversationAccess") is True
    may = "tools and prompt" if permitted else "tools"
    if host.gateway is None:
        yield ok(_TOPIC, f"{may}; the next gateway loads it")
        return
    own = entry.get("config")
    said = own.get("socket") if isinstance(own, dict) else None
    # Beside a socket of the person's own it leaves no note.
    if not said and plugin.loaded_by(host.state_dir) != host.gateway.pid:
        yield warning(
            _TOPIC,
            "the gateway that runs has given no sign of having loaded it.",
            "openclaw plugins inspect scrimshaw --runtime",
            "openclaw gateway restart",
        )
        return
    place = Path(said) if isinstance(said, str) else plugin.socket_of(host.state_dir)
    if _answers(place):
        yield ok(_TOPIC, f"{may}; loaded by the gateway, and its server answers")
    else:
        yield error(
            _TOPIC,
            f"the gateway has loaded it, but no server answers at {place}: the agent goes without.",
            "see why: scrimshaw serve --socket /tmp/scrimshaw-try",
            "grep scrimshaw in the gateway's log",
        )


def _answers(place: Path) -> bool:
    try:
        with socket.socket(socket.AF_UNIX) as one:
            one.settimeout(_ANSWER_SECONDS)
            one.connect(str(place))
    except OSError:
        return False
    return True
