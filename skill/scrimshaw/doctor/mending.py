"""What `doctor --fix` does: only what is safe, each said; MEMORY.md's text and the host's files never.

Every act takes the locks that a run takes, may be repeated without harm, and works on what it finds then,
not on what was found before.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable
from datetime import datetime
from pathlib import Path

from scrimshaw import files, heartbeat
from scrimshaw.core.text.plural import counted
from scrimshaw.doctor.finding import Mend
from scrimshaw.doctor.machine import is_ours, too_open
from scrimshaw.doctor.sight import Unseen, tried
from scrimshaw.locks import presence, presence_lock, write_lock
from scrimshaw.services.publish.intents import settle_left_open
from scrimshaw.services.publish.memory_file import own_folders, place_of
from scrimshaw.services.publish.result import PublishRequest
from scrimshaw.services.publish.run import publish
from scrimshaw.store.ledger import open_ledger
from scrimshaw.workspace import Target

_BY = "doctor"
_LOCK_SECONDS = 5.0


def mend_one(target: Target, what: Mend, moment: datetime) -> tuple[str, str]:
    """Mend *what* in *target*'s workspace; return what was done and what was in the way, "" for neither."""
    acts: dict[Mend, Callable[[Target, datetime], str]] = {
        Mend.PERMISSIONS: _close,
        Mend.LEFTOVERS: _sweep,
        Mend.ARCHIVE: _archive,
        Mend.INTENT: _settle,
        Mend.HEARTBEAT: _still,
    }
    done = tried(lambda: acts[what](target, moment))
    if isinstance(done, Unseen):
        return "", " ".join([done.what, *(f"Next: {step}" for step in done.next_step)])
    return done, ""


def _close(target: Target, _: datetime) -> str:
    closed = sum(_close_one(path) for path, _ in too_open(target))
    return f"{target.layout.state}: {counted(closed, 'file')} made readable by you alone." if closed else ""


def _close_one(path: Path) -> bool:
    """Close *path* for others; the very thing that is looked at, never what a link put there meanwhile."""
    handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        status = os.fstat(handle)
        if is_ours(status):
            os.fchmod(handle, stat.S_IMODE(status.st_mode) & 0o700)
        return is_ours(status)
    finally:
        os.close(handle)


def _sweep(target: Target, moment: datetime) -> str:
    layout = target.layout
    if layout.state not in own_folders(target) or not layout.state.is_dir():
        return ""
    with write_lock(layout.state, by=_BY, now=moment, timeout_seconds=_LOCK_SECONDS):
        gone = [path for folder in own_folders(target) for path in files.sweep(folder)]
    return (
        f"{layout.workspace}: {counted(len(gone), 'temporary file')} of a killed run removed." if gone else ""
    )


def _archive(target: Target, moment: datetime) -> str:
    with open_ledger(target.layout.ledger, create=False) as ledger:
        done = publish(target, ledger, PublishRequest(_BY, moment, reason=_BY, writes_section=False))
    count = counted(done.dated_lines, "note or mark", "notes and marks")
    return f"{target.layout.dated}: {count} written that were still owed." if done.dated_lines else ""


def _settle(target: Target, moment: datetime) -> str:
    layout = target.layout
    settled = []
    with (
        open_ledger(layout.ledger, create=False) as ledger,
        write_lock(layout.state, by=_BY, now=moment, timeout_seconds=_LOCK_SECONDS),
    ):
        for path in (layout.memory, layout.aside):
            place = place_of(target, path)
            before = ledger.revisions(1, place)
            settle_left_open(target, ledger, path)
            if before != ledger.revisions(1, place):
                settled.append(path.name)
    return f"{layout.ledger}: noted what became of the write of {', '.join(settled)}." if settled else ""


def _still(target: Target, moment: datetime) -> str:
    path = target.layout.state / heartbeat.NAME
    if presence(target.layout.state) is not None:
        return ""
    # Held meanwhile, so that no daemon starts and says something between the look and the act.
    with presence_lock(target.layout.state, by=_BY, now=moment):
        if not os.path.lexists(path):
            return ""
        path.unlink()
    return f"{path}: the heartbeat file of a stopped daemon was removed."
