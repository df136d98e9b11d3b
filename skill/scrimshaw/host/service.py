"""The service of the person's own systemd: what its unit is, installing it, taking it away.

A unit file of this name that somebody else wrote is never touched.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import fields
from pathlib import Path
from typing import Literal, NamedTuple

from scrimshaw import files
from scrimshaw.config import Settings
from scrimshaw.errors import UserError, refused_error
from scrimshaw.host.systemctl import JOURNAL, NAME, NoManager, ServiceState, own, state, systemctl
from scrimshaw.host.unit import ServiceUnit, is_ours, kept, systemd_text
from scrimshaw.resources import template

NO_NAMESPACES = "this machine lets a user's manager make no namespaces"
OTHER_OWNER = "a workspace has another owner or group, which inside a user namespace could not be kept"
_LARGEST_BYTES = 256 * 1024
# What systemd exits with when it could not lay the sandbox: USER, CAPABILITIES, NAMESPACE.
_NO_SANDBOX = {217, 218, 226}
# The daemon's variables: by name, and none that may hold a secret. Not SCRIMSHAW_NOW: it stops the clock.
_PLACES = (
    "OPENCLAW_HOME",
    "OPENCLAW_STATE_DIR",
    "OPENCLAW_CONFIG_PATH",
    "OPENCLAW_WORKSPACE_DIR",
    "XDG_CONFIG_HOME",
    "XDG_STATE_HOME",
)
_NAMED = (
    "OPENCLAW_PROFILE",
    "OPENCLAW_INCLUDE_ROOTS",
    "TZ",
    # A unit is a file that others may read: no secret stands in it.
    *(f"SCRIMSHAW_{item.name.upper()}" for item in fields(Settings) if item.name != "server_jwt_secret"),
)


class InstalledService(NamedTuple):
    """What an install did."""

    unit: Literal["written", "changed", "unchanged"]
    open_because: str
    state: ServiceState


def unit_path(env: Mapping[str, str]) -> Path:
    base = env.get("XDG_CONFIG_HOME") or str(Path(env.get("HOME") or Path.home()) / ".config")
    return Path(base).absolute() / "systemd" / "user" / NAME


def environment(env: Mapping[str, str]) -> dict[str, str]:
    """Return the variables that the daemon gets: named here, places made absolute."""
    places = {
        name: value if value.startswith("~") else os.path.abspath(value)  # noqa: PTH100  # links stay links
        for name, value in kept(env, _PLACES).items()
    }
    # The manager gives the home of the user's record; another one has to be said.
    home = {"HOME": env["HOME"]} if env.get("HOME", own().home) not in ("", own().home) else {}
    return {**home, **places, **kept(env, _NAMED)}


def why_open(workspaces: tuple[Path, ...]) -> str:
    """Return why the file system must stay as it is for these workspaces; "" when it need not."""
    mine = (os.getuid(), own().group)
    for workspace in workspaces:
        for path in (workspace, workspace / "MEMORY.md"):
            # Only our own user and group exist inside the namespace: a new file would lose any other.
            if path.exists() and (path.stat().st_uid, path.stat().st_gid) != mine:
                return OTHER_OWNER
    return ""


def read(path: Path) -> str | None:
    """Return the unit file's text, None when there is none; raises UserError when it is not ours."""
    if path.is_symlink():
        raise _foreign(path)
    raw = files.read_bytes(path, _LARGEST_BYTES)
    if not isinstance(raw, bytes):
        return None
    text = raw.decode("utf-8", "replace")
    if not is_ours(text):
        raise _foreign(path)
    return text


def unit_text(unit: ServiceUnit) -> str:
    return systemd_text(unit, template(NAME))


def is_current(unit: ServiceUnit, text: str) -> bool:
    """Tell whether an install would leave *text* as it is."""
    return text in (unit_text(unit), unit_text(_without_namespaces(unit)))


def install(unit: ServiceUnit, path: Path, pause: Callable[[], None]) -> InstalledService:
    """Write the unit, start the service and see that it stays up; a second call changes nothing.

    Where the sandbox cannot be laid, the unit is written without it. *pause* is a moment between two looks.
    Raises UserError when there is no manager to talk to (nothing is written then), the unit is somebody
    else's, or the daemon does not stay up.
    """
    before = read(path)
    was_running = state().is_running
    for folder in unit.server.folders if unit.server else ():
        # Before the start: in the sandbox a place that is not there could not be made.
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    done: Literal["written", "changed", "unchanged"] = "unchanged"
    if before is None or not is_current(unit, before):
        done = "written" if before is None else "changed"
        _write(path, unit_text(unit), before)
    failure = _start(path, restarts=was_running and done == "changed")
    now = state()
    if failure and now.exit_status in _NO_SANDBOX and not unit.open_because:
        unit = _without_namespaces(unit)
        _write(path, unit_text(unit), read(path))
        failure = _start(path, restarts=True)
    if failure:
        raise UserError(
            f"{path} is written, but the service could not be started ({failure}).", next_step=JOURNAL
        )
    return InstalledService(done, _open_because(path), _settled(pause))


def uninstall(path: Path) -> bool:
    """Stop the service and remove its unit; tell whether there was one. Workspaces are left alone."""
    if read(path) is None:
        return False
    try:
        systemctl("disable", "--now", NAME)
    except NoManager:
        _remove(path)
        return True
    _remove(path)
    systemctl("daemon-reload")
    systemctl("reset-failed", NAME, may_fail=True)  # it fails when nothing had failed
    return True


def commands(path: Path) -> tuple[str, ...]:
    """Return what an install does, as a person would type it."""
    return (f"write {path}", "systemctl --user daemon-reload", f"systemctl --user enable --now {NAME}")


def _start(path: Path, *, restarts: bool) -> str:
    """Let the manager read the unit and start it; return why it did not start, "" when it did."""
    systemctl("daemon-reload")
    found = state()
    if found.load != "loaded" or (found.path and Path(found.path) != path):
        raise UserError(
            f"systemd does not use {path}, but {found.path or 'nothing of this name'}.",
            next_step="it may know another XDG_CONFIG_HOME: systemctl --user show-environment",
        )
    try:
        systemctl("enable", "--now", NAME)
        if restarts:
            systemctl("restart", NAME)
    except NoManager:
        raise
    except UserError as error:
        return " ".join(error.problems)
    return ""


def _settled(pause: Callable[[], None]) -> ServiceState:
    """Return the state once it has lasted a moment; raise UserError when the daemon ends at once."""
    first = state()
    pause()
    now = state()
    if now.is_running and now.pid == first.pid:
        return now
    raise UserError(
        f"The service is installed, but the daemon does not stay up ({now.active}, {now.sub}; it ended with "
        f"{now.exit_status}). systemd goes on trying.",
        next_step=JOURNAL,
    )


def _write(path: Path, text: str, before: str | None) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UserError(
            f"{path.parent}: cannot be made ({error.strerror}). Nothing was changed.",
            next_step=f"ls -ld {path.parent.parent}",
        ) from error
    expected = files.ABSENT if before is None else before.encode()
    # For the owner's eyes: SCRIMSHAW_PRIVATE_PATTERNS is among the settings that are handed on.
    if isinstance(files.replace(path, text.encode(), expected=expected, new_mode=0o600), files.Changed):
        raise refused_error(
            f"{path}: somebody else has just changed it. It is as they left it.",
            next_step="scrimshaw service install",
        )


def _remove(path: Path) -> None:
    path.unlink()
    (path.parent / "default.target.wants" / NAME).unlink(missing_ok=True)  # where no manager took it away


def _without_namespaces(unit: ServiceUnit) -> ServiceUnit:
    return unit._replace(open_because=unit.open_because or NO_NAMESPACES)


def _open_because(path: Path) -> str:
    text = read(path) or ""
    return next((reason for reason in (NO_NAMESPACES, OTHER_OWNER) if f": {reason}.\n" in text), "")


def _foreign(path: Path) -> UserError:
    return refused_error(
        f"{path}: this unit was not written by `scrimshaw service install`. It was left as it is.",
        next_step=f"move it away if you do not need it: mv {path} {path}.aside",
    )
