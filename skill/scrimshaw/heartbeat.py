"""How a daemon shows that it lives: a small file in each workspace it serves, read by `status`.

Renewed often and never flushed: after a power cut nobody needs it. When it was renewed is the file's own
time, so that having nothing new to say costs no write. Believed only while the presence lock is held, which
the kernel lets go when the process dies.
"""

from __future__ import annotations

import json
import os
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from scrimshaw import files

NAME = "heartbeat.json"


class Beat(NamedTuple):
    """What the daemon of a workspace says of itself. Times are ISO 8601 with an offset."""

    pid: int
    version: str  # of the program
    started_at: str
    at: str  # when this was said, or said again
    doing: str  # "waiting", or the job at work
    next_look_at: str  # "" when only something new is looked at
    next_reflection_at: str  # ""  when none is planned
    problems: tuple[str, ...] = ()

    def age_seconds(self, now: datetime) -> float:
        return (now - datetime.fromisoformat(self.at)).total_seconds()


def write(folder: Path, beat: Beat) -> None:
    """Leave *beat* in a workspace's state *folder*; raises UserError when that cannot be written."""
    said = {name: value for name, value in beat._asdict().items() if name != "at"}
    files.overwrite(folder / NAME, json.dumps(said).encode(), mode=0o600)
    renew(folder, beat.at)


def renew(folder: Path, at: str) -> bool:
    """Say what was said last again, at *at*; False when there is nothing to be said again."""
    seconds = datetime.fromisoformat(at).timestamp()
    try:
        os.utime(folder / NAME, (seconds, seconds))
    except OSError:
        return False
    return True


def read(folder: Path) -> Beat | None:
    """Return the last sign of life left in *folder*, None when there is none that can be read."""
    said = files.read_object(folder / NAME)
    try:
        renewed = datetime.fromtimestamp((folder / NAME).stat().st_mtime, UTC).isoformat(timespec="seconds")
        return Beat(**{**said, "at": renewed, "problems": tuple(map(str, said["problems"]))})
    except (OSError, ValueError, TypeError, KeyError):
        return None


def remove(folder: Path, pid: int) -> None:
    """Take the sign of life of process *pid* away; another's stays."""
    beat = read(folder)
    if beat is not None and beat.pid == pid:
        with suppress(OSError):
            (folder / NAME).unlink()
