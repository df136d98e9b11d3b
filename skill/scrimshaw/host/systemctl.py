"""Talking to the person's own systemd: `systemctl --user`, and what of it a service needs to know.

Programs are called with argument lists and a time-out. Where there is no systemd, or no manager for this
user, the error says how to go on without.
"""

from __future__ import annotations

import os
import pwd
import shlex
import shutil
import subprocess
from pathlib import Path
from typing import NamedTuple

from scrimshaw.errors import UserError
from scrimshaw.resources import program

NAME = "scrimshaw.service"
JOURNAL = f"journalctl --user -u {NAME} -n 30"
WITHOUT = (
    "run it in the foreground, as a container would: scrimshaw run; "
    # By its whole path: cron starts in another folder, with another PATH.
    f"or let cron do it: */15 * * * *  {shlex.join(program())} observe --if-due"
)
_TIMEOUT_SECONDS = 30.0


class Own(NamedTuple):
    """The user this process runs as; *home* is "" where no record says it (a container)."""

    name: str
    home: str
    group: int


class ServiceState(NamedTuple):
    """What the manager says of the service."""

    load: str  # "loaded", "not-found"
    active: str  # "active", "inactive", "failed", "activating" …
    sub: str  # "running", "auto-restart" …
    enabled: str  # "enabled", "disabled", ""
    since: str  # as systemd writes it; "" when it never was active
    result: str  # "success", "exit-code" …
    exit_status: int
    restarts: int
    pid: int
    path: str  # the unit file it uses

    @property
    def is_running(self) -> bool:
        return self.active == "active" and self.sub == "running"


def state() -> ServiceState:
    """Return what the manager says of the service now."""
    printed = systemctl("show", NAME, f"--property={_PROPERTIES}")
    said = dict(line.split("=", 1) for line in printed.splitlines() if "=" in line)
    *texts, status, restarts, pid, path = (said.get(name, "") for name in _PROPERTIES.split(","))
    numbers = (int(text) if text.isdecimal() else 0 for text in (status, restarts, pid))
    return ServiceState._make((*texts, *numbers, path))


# As systemd calls the fields of `ServiceState`, in their order.
_PROPERTIES = (
    "LoadState,ActiveState,SubState,UnitFileState,ActiveEnterTimestamp,Result,"
    "ExecMainStatus,NRestarts,MainPID,FragmentPath"
)


def is_lingering() -> bool | None:
    """Tell whether the user's services run without a login; None when that cannot be found out."""
    try:
        answer = _ask(["loginctl", "show-user", own().name, "--property=Linger"])
    except (OSError, subprocess.TimeoutExpired):
        return None
    return {"Linger=yes": True, "Linger=no": False}.get(answer.stdout.strip())


def is_confined(pid: int) -> bool | None:
    """Tell whether the process sees the file system read-only, as the unit asks; None: not to be seen."""
    try:
        mounts = Path(f"/proc/{pid}/mountinfo").read_text("utf-8", "replace").splitlines()
    except OSError:
        return None
    options = [words[5] for line in mounts if len(words := line.split(" ")) > 5 and words[4] == "/"]
    return bool(options) and "ro" in options[-1].split(",")


class NoManager(UserError):  # noqa: N818  # a state to be expected, not a fault
    """There is no systemd here, or none that listens to this user."""


def systemctl(*words: str, may_fail: bool = False) -> str:
    """Run `systemctl --user` and return what it prints; raises UserError, NoManager where nobody answers."""
    if shutil.which("systemctl") is None:
        raise NoManager("There is no systemd on this machine. Nothing was changed.", next_step=WITHOUT)
    try:
        done = _ask(["systemctl", "--user", "--no-pager", "--no-ask-password", *words])
    except subprocess.TimeoutExpired as error:
        raise UserError(
            f"systemctl --user {words[0]} did not answer within {_TIMEOUT_SECONDS:g} seconds.",
            next_step="see what systemd is busy with: systemctl --user list-jobs",
        ) from error
    except OSError as error:
        raise NoManager(f"systemctl could not be run ({error.strerror}).", next_step=WITHOUT) from error
    if done.returncode and not may_fail:
        raise _refusal(words[0], " ".join(done.stderr.split()))
    return done.stdout


def _refusal(verb: str, said: str) -> UserError:
    if "not been booted with systemd" in said:
        return NoManager("This machine was not started by systemd (a container?).", next_step=WITHOUT)
    if "connect to" in said and ("bus" in said or "transport" in said):
        return NoManager(
            f"systemd has no manager running for you that could be reached ({said}).",
            next_step=f"log in as yourself, not through su or sudo, or: "
            f"sudo loginctl enable-linger {own().name}. Without: {WITHOUT}",
        )
    return UserError(f"systemctl --user {verb} failed: {said or 'it did not say why'}", next_step=JOURNAL)


def _ask(words: list[str]) -> subprocess.CompletedProcess[str]:
    env = {**os.environ, "LC_ALL": "C", "SYSTEMD_COLORS": "0"}
    runtime = Path(f"/run/user/{os.getuid()}")
    if "XDG_RUNTIME_DIR" not in env and runtime.is_dir():
        env["XDG_RUNTIME_DIR"] = str(runtime)  # cron and `su` forget it
    return subprocess.run(
        words,
        env=env,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        encoding="utf-8",
        errors="replace",
        timeout=_TIMEOUT_SECONDS,
        check=False,
    )


def own() -> Own:
    try:
        record = pwd.getpwuid(os.getuid())
    except KeyError:
        return Own(str(os.getuid()), "", os.getegid())
    return Own(record.pw_name, record.pw_dir, record.pw_gid)
