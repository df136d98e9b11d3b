"""One pass over every served workspace, without threads: for a timer, and to see what the daemon would do."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import datetime

from scrimshaw.daemon.background import PATIENT, background
from scrimshaw.daemon.roster import Roster
from scrimshaw.daemon.worker import DueJob, FinishedJob, What, guarded
from scrimshaw.errors import Exit, UserError, combined
from scrimshaw.logs import logging_to
from scrimshaw.services.schedule.tick import TickOptions, follow
from scrimshaw.workspace import Target, Wanted

log = logging.getLogger(__name__)


def once(
    wanted: Wanted,
    env: Mapping[str, str],
    now: datetime,
    terms: TickOptions = TickOptions(),  # noqa: B008  # frozen
) -> int:
    """Do what is due in every workspace; return the exit code, PARTLY when they differ.

    A workspace that nobody has set up is nothing that went wrong, as long as another one was served.
    """
    roster = Roster(wanted, env)
    codes: list[Exit] = []
    archives = background(roster.targets.get, lambda: now, replace(PATIENT, is_stopped=terms.is_stopped))
    try:
        roster.refresh(now)
        failed = roster.refused.keys() - roster.unasked
        codes += [Exit.LOCKED if path in roster.busy else Exit.MENDABLE for path in failed]
        for target in roster.targets.values():
            try:
                codes.append(_serve(target, now, terms, archives))
            except UserError as error:
                told = " ".join(error.problems)
                log.warning("agent=%s problem=%r next=%r", target.agent_id, told, error.next_step)
                codes.append(error.exit_code)
    finally:
        roster.close()
    return int(combined(codes or [Exit.MENDABLE]))


def _serve(
    target: Target, now: datetime, terms: TickOptions, archives: Callable[[DueJob], FinishedJob]
) -> Exit:
    """Do what is due for *target*; a defect is raised as a UserError, too."""
    workspace = target.layout.workspace
    with logging_to(target.layout):
        done = guarded(DueJob(What.FOLLOW, workspace), lambda: follow(target, now, terms))
    log.info("agent=%s did=%s", target.agent_id, ",".join(done.did) or "nothing-due")
    # An archive or an index that cannot be written is told; what this pass is for has not failed.
    job = DueJob(What.ARCHIVE, workspace)
    beside = guarded(job, lambda: archives(job))
    if told := " ".join(text for texts in beside.problems.values() for text in texts):
        log.warning("agent=%s problem=%r", target.agent_id, told)
    return done.exit_code
