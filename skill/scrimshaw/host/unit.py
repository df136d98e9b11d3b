"""The text of the service: what systemd (or launchd) is told, computed from values alone.

Paths and values come from the person's machine and may hold anything that a file name may. systemd has two
ways of reading them: command lines and Environment= know backslashes inside double quotes, lists of paths
know quotes but take a backslash for itself; `%` is a specifier in both. What no way can say (control
characters, bytes that are no UTF-8) is refused.

The head of the text holds what was asked for, so that `status` can tell later whether an install would write
another one, whatever environment it runs in.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Literal, NamedTuple
from xml.sax.saxutils import escape

from scrimshaw import __version__
from scrimshaw.errors import UserError

MARKER = "# scrimshaw:service"
_ASKED = "# asked: "
_TEMPORARY = (Path("/tmp"), Path("/var/tmp"))  # noqa: S108  # what PrivateTmp hides; nothing is made there
_FIELD = re.compile(r"\{\{(\w+)\}\}")
# What a user's manager can do only in namespaces of its own.
_IN_NAMESPACES = (
    "PrivateUsers",
    "ProtectSystem",
    "ProtectHome",
    "ReadWritePaths",
    "PrivateTmp",
    "ProtectKernelTunables",
    "ProtectControlGroups",
    "ProtectHostname",
)


# What the daemon may reach: nothing, other machines, or the program `openclaw` (which is Node) as well.
Reach = Literal["nothing", "network", "openclaw"]

_NETWORK: dict[Reach, tuple[str, ...]] = {
    "nothing": (
        "# No network at all: what was said stays on this machine. With a model that is asked over a network",
        "# (observer_model, reflector_model) or a fleet `service install` writes AF_INET and AF_INET6 here.",
        "RestrictAddressFamilies=AF_UNIX",
    ),
    "network": (
        "# The network is open, because a model that was chosen is asked over it (observer_model,",
        "# reflector_model) or a fleet was joined. Once neither is so, `scrimshaw service install` shuts it.",
        "RestrictAddressFamilies=AF_UNIX AF_INET AF_INET6",
    ),
    "openclaw": (
        "# The network is open, because a model that was chosen is asked through `openclaw infer`",
        "# (observer_model, reflector_model). Once none is chosen any more, `service install` shuts it.",
        "RestrictAddressFamilies=AF_UNIX AF_INET AF_INET6",
    ),
}
_LISTENING = (
    "# The network is open, because programs are answered at a TCP port (--serve). With --socket PATH",
    "# besides, `service install` shuts it.",
    "RestrictAddressFamilies=AF_UNIX AF_INET AF_INET6",
)
_NO_JIT = (
    "# Holds for CPython and the libraries in use, watchdog's ctypes among them; not for a Python with its",
    "# JIT on.",
    "MemoryDenyWriteExecute=true",
)
_JIT = (
    "# MemoryDenyWriteExecute is left out: Node compiles its code while it runs, and `openclaw` is Node.",
)
# What makes archives and vectors takes 300 MB for a while, and some threads a core.
_SMALL = ("MemoryMax=1G", "TasksMax=256")
# One question at a time; each is a Node of its own for some seconds.
_LARGE = (
    "# Of this the most is for `openclaw infer`, which runs as its child.",
    "MemoryMax=3G",
    "TasksMax=256",
)


class ServiceRequest(NamedTuple):
    """What `service install` was asked for: enough to compute the same unit again."""

    program: tuple[str, ...]
    options: tuple[str, ...]
    environment: Mapping[str, str]


class ServedPlaces(NamedTuple):
    """Where a service that answers programs listens, and what it writes for that."""

    told: str  # for a person
    folders: tuple[Path, ...]  # the secret, the tokens and what is being carried; a socket's own
    is_socket: bool = False


class ServiceUnit(NamedTuple):
    """A service as it is to be. *writable* are the workspaces; *needed* is what else must not be hidden."""

    asked: ServiceRequest
    writable: tuple[Path, ...]
    needed: tuple[Path, ...] = ()
    open_because: str = ""  # why nothing that needs namespaces is asked for; "" when it is
    reach: Reach = "nothing"
    host_places: tuple[Path, ...] = ()  # what the host's own program writes while it answers
    server: ServedPlaces | None = None  # of one that answers programs, too


def systemd_text(unit: ServiceUnit, template: str) -> str:
    """Return the unit file; raises UserError for a path or value that no unit file can hold."""
    asked = unit.asked
    head = json.dumps([asked.program, asked.options, dict(asked.environment)])
    lines: dict[str, list[str]] = {
        "head": [MARKER, f"{_ASKED}{head}"],
        # The colon: no `$` in it means a variable.
        "command": [":" + " ".join(map(_argument, (*asked.program, "run", *asked.options)))],
        "environment": [
            f"Environment={_argument(f'{name}={value}')}" for name, value in asked.environment.items()
        ],
        # The dash: a workspace that is gone must not keep the others from being served.
        "writable": [f"ReadWritePaths={_path(f'-{path}')}" for path in unit.writable],
        "private_tmp": _private_tmp(unit),
        "host_places": [*_host_places(unit), *_server_places(unit)],
        "network": _network(unit),
        "no_jit": list(_JIT if unit.reach == "openclaw" else _NO_JIT),
        "sizes": list(_LARGE if unit.reach == "openclaw" else _SMALL),
        "version": [__version__],
    }
    text = _filled(template, lines)
    return _opened(text, unit.open_because) if unit.open_because else text


def launchd_text(unit: ServiceUnit, template: str) -> str:
    """Return the property list for launchd. Never tried on a Mac."""
    asked = unit.asked
    pairs = [
        f"    <key>{_xml(name)}</key>\n    <string>{_xml(value)}</string>"
        for name, value in asked.environment.items()
    ]
    words = [f"    <string>{_xml(word)}</string>" for word in (*asked.program, "run", *asked.options)]
    return _filled(template, {"command": words, "environment": pairs, "version": [__version__]})


def is_ours(text: str) -> bool:
    """Tell whether a unit file was written by `systemd_text`."""
    return text.startswith(f"{MARKER}\n")


def asked_in(text: str) -> ServiceRequest | None:
    """Return what a unit file of ours was asked for; None when its head was changed by hand."""
    line = next((line for line in text.split("\n")[:4] if line.startswith(_ASKED)), "")
    try:
        program, options, environment = json.loads(line.removeprefix(_ASKED))
        return ServiceRequest(
            tuple(map(str, program)),
            tuple(map(str, options)),
            {str(name): str(value) for name, value in environment.items()},
        )
    except (ValueError, TypeError, AttributeError):
        return None


def _private_tmp(unit: ServiceUnit) -> list[str]:
    if not _is_seen_in_tmp(unit):
        return ["PrivateTmp=true"]
    return [
        "# PrivateTmp is left out: it hides /tmp and /var/tmp, where a workspace, a store or the program is.",
        "# SQLite sorts what is large in a file and needs a folder for it that can be written.",
        "RuntimeDirectory=scrimshaw",
        "Environment=TMPDIR=%t/scrimshaw",
    ]


def reach_in(text: str) -> Reach:
    """Return what a unit file of ours lets the daemon reach."""
    lines = text.split("\n")
    if not any(line.startswith("RestrictAddressFamilies=") and " AF_INET" in line for line in lines):
        return "nothing"
    return "network" if "MemoryDenyWriteExecute=true" in lines else "openclaw"


def _network(unit: ServiceUnit) -> list[str]:
    if unit.reach == "nothing" and unit.server and not unit.server.is_socket:
        return list(_LISTENING)
    return list(_NETWORK[unit.reach])


def _server_places(unit: ServiceUnit) -> list[str]:
    if unit.server is None:
        return []
    return [
        "# The server's secret and tokens, and archives on their way; of a socket its folder, too.",
        *(f"ReadWritePaths={_path(f'-{path}')}" for path in unit.server.folders),
    ]


def _is_seen_in_tmp(unit: ServiceUnit) -> bool:
    visible = (*unit.writable, *unit.needed, *(unit.server.folders if unit.server else ()))
    return any(path.is_relative_to(folder) for path in visible for folder in _TEMPORARY)


def _host_places(unit: ServiceUnit) -> list[str]:
    if unit.reach != "openclaw":
        return []
    # Tried on 2026.9.6: without a cache it can write in it does not answer. Without its state it does, but a
    # login that it renews meanwhile could not be kept.
    return [
        "# openclaw writes its own state (a renewed login, say) and a cache while it answers.",
        *(f"ReadWritePaths={_path(f'-{path}')}" for path in unit.host_places),
        "Environment=XDG_CACHE_HOME=%t/scrimshaw",
        *([] if _is_seen_in_tmp(unit) else ["RuntimeDirectory=scrimshaw"]),
    ]


def _opened(text: str, because: str) -> str:
    """Return *text* without what needs namespaces, and with the reason in its place."""
    kept: list[str] = []
    for line in text.split("\n"):  # not splitlines: a path may hold what Unicode calls a line's end
        if line.startswith("PrivateUsers="):
            kept.append(f"# All of these are left out here: {because}.")
        if line.partition("=")[0] not in _IN_NAMESPACES:
            kept.append(line)
    return "\n".join(kept)


def _filled(template: str, lines: Mapping[str, list[str]]) -> str:
    """Fill the fields of *template*; a line that is one field becomes as many lines as there are."""
    filled: list[str] = []
    for line in template.splitlines():
        field = _FIELD.fullmatch(line)
        if field:
            filled += lines[field[1]]
        else:
            # One pass over the template's own fields: a value is never looked at for fields again.
            filled.append(_FIELD.sub(lambda found: "\n".join(lines[found[1]]), line))
    return "\n".join(filled) + "\n"


def _argument(text: str) -> str:
    """Return *text* as one word of a command line or of Environment=."""
    inside = _sayable(text).replace("\\", "\\\\").replace('"', '\\"').replace("%", "%%")
    return f'"{inside}"'


def _path(text: str) -> str:
    """Return *text* as one word of a list of paths, where nothing but the other quote can hold a quote."""
    parts = re.split('(")', _sayable(text).replace("%", "%%"))
    return "".join("'\"'" if part == '"' else f'"{part}"' for part in parts if part)


def _xml(text: str) -> str:
    return escape(_sayable(text))


def _sayable(text: str) -> str:
    if any(map(_is_unsayable, text)):
        raise UserError(
            f"{text!r}: a service file cannot hold control characters or bytes that are no UTF-8. "
            "Nothing was changed.",
            next_step="rename it, or run in the foreground: scrimshaw run",
        )
    return text


def _is_unsayable(character: str) -> bool:
    code = ord(character)
    is_control = code < 32 or code == 127
    # Lone surrogates, which stand for bytes that are no UTF-8, and what Unicode keeps from being characters.
    return is_control or 0xD800 <= code <= 0xDFFF or 0xFDD0 <= code <= 0xFDEF or code & 0xFFFE == 0xFFFE


def kept(env: Mapping[str, str], names: Iterable[str]) -> dict[str, str]:
    """Return those of the variables *names* that are set, in this order."""
    return {name: env[name] for name in names if env.get(name)}
