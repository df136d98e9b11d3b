"""The program and the machine it runs on: versions, and a clock that can be believed."""

from __future__ import annotations

import platform
import sys
import time
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from pathlib import Path

from scrimshaw import __version__
from scrimshaw.doctor.finding import Finding, error, note, ok, warning
from scrimshaw.files import changed_ns
from scrimshaw.services.status.durations import span

_FIRST_YEAR, _LAST_YEAR = 2025, 2100
_AHEAD_SECONDS = 5 * 60
_OLDEST_PYTHON = (3, 11)


def check_program() -> Iterator[Finding]:
    """Tell which program this is."""
    told = f"scrimshaw {__version__}, Python {platform.python_version()} ({sys.executable})"
    if sys.version_info < _OLDEST_PYTHON:
        yield error(
            "program", f"{told}: Python {'.'.join(map(str, _OLDEST_PYTHON))} is needed.", "scripts/start"
        )
    else:
        yield ok("program", told)


def check_clock(moment: datetime, places: Iterable[Path], env: Mapping[str, str]) -> Iterator[Finding]:
    """Judge the clock: a wrong one dates every note wrongly, and makes silence look like talk."""
    if env.get("SCRIMSHAW_NOW"):
        yield note(
            "clock", f"SCRIMSHAW_NOW sets it to {moment.isoformat()}; unset it outside of tests and replays."
        )
        return
    if not _FIRST_YEAR <= moment.year <= _LAST_YEAR:
        yield error(
            "clock", f"this machine believes that it is {moment.isoformat()}.", "set the clock: timedatectl"
        )
        return
    now = time.time()
    ahead = {path: changed_ns(path) / 1e9 - now for path in places}
    worst = max(ahead, key=lambda path: ahead[path], default=None)
    if worst is not None and ahead[worst] > _AHEAD_SECONDS:
        yield warning(
            "clock",
            f"{worst} was written {span(ahead[worst])} in the future: the clock was set back, or another "
            "machine writes here.",
            "look at the clock: date; timedatectl",
        )
    else:
        yield ok("clock", f"{moment:%Y-%m-%d %H:%M} UTC")
