"""What each of the worker's jobs is, for the workspace that it names."""

from __future__ import annotations

import logging
from collections.abc import Callable
from datetime import datetime, timedelta
from math import inf
from pathlib import Path

from scrimshaw.config import seconds
from scrimshaw.daemon.schedule import Times
from scrimshaw.daemon.worker import Done, Job, What
from scrimshaw.errors import Exit, UserError
from scrimshaw.jobs.backlog import Reflects
from scrimshaw.jobs.follow import Terms, follow
from scrimshaw.jobs.maintain import maintain
from scrimshaw.jobs.target import Target, is_set_up
from scrimshaw.logs import logging_to
from scrimshaw.store.ledger import open_ledger

log = logging.getLogger(__name__)


def duty(
    find: Callable[[Path], Target | None], clock: Callable[[], datetime], terms: Terms
) -> Callable[[Job], Done]:
    """Return the function that does one job; a workspace that *find* no longer knows is left alone."""

    tired_until: dict[Path, datetime] = {}

    def do(job: Job) -> Done:
        target = find(job.workspace)
        if target is None or not is_set_up(target.layout):
            return Done(job, inf)  # wiped meanwhile: not ours to make again
        with logging_to(target.layout):
            now = clock()
            if job.what is What.MAINTAIN:
                return Done(job, 0.0, maintain(target, now, terms))
            reflects = Reflects.NOW if job.what is What.REFLECT else Reflects.WHEN_LARGE
            is_tired = now < tired_until.get(job.workspace, now)
            done = follow(target, now, terms, reflects, is_tired=is_tired)
        if done.tired_seconds:
            tired_until[job.workspace] = now + timedelta(seconds=done.tired_seconds)
        problems = done.problems if done.exit_code is not Exit.OK else ()
        return Done(job, done.in_seconds, problems, has_published=done.has_published)

    return do


def times(target: Target) -> Times:
    """Return the times of *target*'s jobs, with when each was last done."""
    settings = target.config.settings
    reflected = maintained = None
    try:
        with open_ledger(target.layout.ledger, create=False, read_only=True) as ledger:
            last, note = ledger.last_run("reflect"), ledger.meta().get("maintained")
        reflected = datetime.fromtimestamp(last.started_at_ms / 1000).astimezone() if last else None
        maintained = datetime.fromisoformat(note) if note else None
    except UserError as error:
        # The jobs themselves will say what is wrong with the ledger, and go on saying it.
        log.debug("times workspace=%s problem=%s", target.layout.workspace, error)
    return Times(
        target.zone, seconds(settings.reflector_interval), settings.maintenance_at, reflected, maintained
    )
