"""Find the running gateway of a state directory: the host's own lock file says who it is and since when.

2026.7.2 and later keep it in `<state>/tmp/openclaw-<uid>/gateway.state.lock`, the JSONL line in the
machine's folder for temporary files, named after the configuration. A lock whose process is gone counts
for nothing; on Linux the process's own start tells it from another one of the same number. Read-only,
never raises, starts nothing.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from datetime import datetime
from pathlib import Path
from typing import NamedTuple

from scrimshaw import files

_START_FIELD = 22  # of /proc/PID/stat: when the process started, in ticks since boot


class Gateway(NamedTuple):
    """A gateway that runs now."""

    pid: int
    started_at_ms: int  # 0 when its lock does not say


def running_gateway(state_dir: Path, config_path: Path, env: Mapping[str, str]) -> Gateway | None:
    """Return the gateway that owns *state_dir* and runs, None when none does or it cannot be seen."""
    for path, is_shared in _locks(state_dir, env):
        said = files.read_object(path)
        # The shared folder holds the locks of every host of this user.
        if said and (not is_shared or said.get("configPath") == str(config_path)):
            gateway = _gateway(said)
            if gateway:
                return gateway
    return None


def is_alive(pid: int) -> bool:
    """Tell whether a process of this number exists."""
    try:
        os.kill(pid, 0)
    except PermissionError:
        return True  # somebody else's
    except (OSError, OverflowError):
        return False
    return True


def _locks(state_dir: Path, env: Mapping[str, str]) -> Iterator[tuple[Path, bool]]:
    temporary = Path(env.get("TMPDIR") or "/tmp")  # noqa: S108  # where the host puts it; only read
    for folder, is_shared in ((state_dir / "tmp", False), (temporary, True)):
        for name in ("openclaw", f"openclaw-{os.getuid()}"):
            try:
                found = sorted((folder / name).glob("gateway.*.lock"))
            except OSError:
                continue
            yield from ((path, is_shared) for path in found)


def _gateway(said: Mapping[str, object]) -> Gateway | None:
    pid, began = said.get("pid"), said.get("startTime")
    if type(pid) is not int or pid <= 0 or said.get("role", "gateway") != "gateway" or not is_alive(pid):
        return None
    found = start_ticks(pid)
    if type(began) is int and found is not None and found != began:
        return None  # the number was given to another process since
    return Gateway(pid, _milliseconds(said.get("createdAt")))


def start_ticks(pid: int) -> int | None:
    """Return when the process *pid* started, in ticks since boot; None where the system does not say."""
    try:
        line = Path(f"/proc/{pid}/stat").read_text("ascii", "replace")
    except OSError:
        return None
    # The second field is the program's name in brackets, and may hold anything.
    words = line.rpartition(")")[2].split()
    index = _START_FIELD - 3
    return int(words[index]) if len(words) > index and words[index].isdecimal() else None


def _milliseconds(text: object) -> int:
    try:
        at = datetime.fromisoformat(text) if isinstance(text, str) else None
    except ValueError:
        return 0
    return int(at.timestamp() * 1000) if at and at.tzinfo else 0
