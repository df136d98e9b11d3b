"""What the daemon does beside its worker: jobs that may be slow, and for which nobody waits.

A second worker, so that a slow or broken library never holds up a note: archives, and the search index. An
archive that failed is tried again after longer and longer pauses; what is wrong is told until it is mended.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from math import inf
from pathlib import Path
from typing import NamedTuple

from scrimshaw.daemon.worker import DueJob, FinishedJob
from scrimshaw.services.archive import write
from scrimshaw.workspace import Target, is_set_up

ARCHIVES = "archives"  # topics of its problems
SEARCH = "search"
INSIGHT = "insight"
PATIENT = write.PATIENT
_FIRST_PAUSE = timedelta(minutes=10)
_LONGEST_PAUSE = timedelta(hours=6)


class _Pause(NamedTuple):
    since: datetime
    length: timedelta

    def holds(self, now: datetime) -> bool:
        return self.since <= now < self.since + self.length


def background(
    find: Callable[[Path], Target | None],
    clock: Callable[[], datetime],
    terms: write.ArchiveOptions = PATIENT,
) -> Callable[[DueJob], FinishedJob]:
    """Return the function that brings archives and search index of a job's workspace up to date."""
    pauses: dict[Path, _Pause] = {}

    def do(job: DueJob) -> FinishedJob:
        target, now = find(job.workspace), clock()
        if target is None or not is_set_up(target.layout):
            return FinishedJob(job, inf)
        problems: dict[str, tuple[str, ...]] = {}
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
        problems[SEARCH] = _index(target, now, terms)
        problems[INSIGHT] = _watch(target, now)
        return FinishedJob(job, inf, problems, has_failed=any(problems.values()))

    return do


def _index(target: Target, now: datetime, terms: write.ArchiveOptions) -> tuple[str, ...]:
    """Bring the search index up to date, vectors included; return what is wrong, in sentences."""
    from scrimshaw.services.search.index import keep_workspace_up  # heavy: not before the first note

    return keep_workspace_up(target, now, terms.is_stopped)


def _watch(target: Target, now: datetime) -> tuple[str, ...]:
    """Look for conflicts, score the memory, tell alerts; return what is wrong, in sentences."""
    from scrimshaw.services.insight.alerts import problem_of_watch  # heavy: not before the first note

    return problem_of_watch(target, now)
