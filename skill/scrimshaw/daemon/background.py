"""What the daemon does beside its worker: jobs that may be slow, and for which nobody waits.

A second worker, so that a slow or broken library never holds up a note: archives, the search index, and the
fleet, where the workspace has joined one. What failed is tried again after longer and longer pauses; what is
wrong is told until it is mended.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from datetime import datetime, timedelta
from math import inf
from pathlib import Path
from typing import NamedTuple

from scrimshaw.daemon.worker import DueJob, FinishedJob
from scrimshaw.errors import UserError
from scrimshaw.services.archive import write
from scrimshaw.workspace import Target, is_set_up

ARCHIVES = "archives"  # topics of its problems
SEARCH = "search"
INSIGHT = "insight"
FLEET = "fleet"
PATIENT = write.PATIENT
_FIRST_PAUSE = timedelta(minutes=10)
_LONGEST_PAUSE = timedelta(hours=6)
_SYNC_SECONDS = 15.0  # until the server is asked again what other machines have sent
_FIRST_SYNC_PAUSE, _LONGEST_SYNC_PAUSE = timedelta(seconds=30), timedelta(minutes=30)


class _Pause(NamedTuple):
    since: datetime
    length: timedelta
    told: tuple[str, ...] = ()

    def holds(self, now: datetime) -> bool:
        return self.since <= now < self.since + self.length


def background(
    find: Callable[[Path], Target | None],
    clock: Callable[[], datetime],
    terms: write.ArchiveOptions = PATIENT,
) -> Callable[[DueJob], FinishedJob]:
    """Return the function that brings archives and search index of a job's workspace up to date."""
    pauses: dict[Path, _Pause] = {}
    sync_pauses: dict[Path, _Pause] = {}

    def do(job: DueJob) -> FinishedJob:
        target, now = find(job.workspace), clock()
        if target is None or not is_set_up(target.layout):
            return FinishedJob(job, inf)
        # The fleet first, so that new lines reach other machines soon; vectors follow in the next round.
        problems: dict[str, tuple[str, ...]] = _synced(target, now, sync_pauses)
        pause = pauses.get(job.workspace)
        # Not to have memvid is a choice: `status` and `doctor` say it, the log does not go on about it.
        if not write.is_possible():
            problems[ARCHIVES] = ()
        elif not (pause and pause.holds(now)):
            problems[ARCHIVES] = found = write.keep_up(target, now, terms)
            pauses.pop(job.workspace, None)
            if found:
                length = min(2 * pause.length, _LONGEST_PAUSE) if pause else _FIRST_PAUSE
                pauses[job.workspace] = _Pause(now, length)
        # heavy: not before the first note
        from scrimshaw.services.insight.alerts import problem_of_watch
        from scrimshaw.services.search.index import keep_workspace_up

        problems[SEARCH] = keep_workspace_up(target, now, terms.is_stopped)
        problems[INSIGHT] = problem_of_watch(target, now)
        return FinishedJob(
            job, _SYNC_SECONDS if FLEET in problems else inf, problems, has_failed=any(problems.values())
        )

    return do


def _synced(target: Target, now: datetime, pauses: dict[Path, _Pause]) -> dict[str, tuple[str, ...]]:
    """Sync a workspace that is in a fleet; return what is wrong, in sentences, and nothing outside of one."""
    from scrimshaw.services.fleet.link import read_link

    workspace = target.layout.workspace
    pause = pauses.get(workspace)
    try:
        if read_link(target.layout) is None:
            return {}
        if pause and pause.holds(now):
            return {FLEET: pause.told}
        from scrimshaw.services.fleet.sync import sync  # heavy: not before somebody has joined

        done = sync(target, os.environ, now, keeps=True)
        pauses.pop(workspace, None)
        return {FLEET: done.notes}
    except UserError as error:
        length = min(2 * pause.length, _LONGEST_SYNC_PAUSE) if pause else _FIRST_SYNC_PAUSE
        pauses[workspace] = _Pause(now, length, tuple(error.problems))
        return {FLEET: tuple(error.problems)}
