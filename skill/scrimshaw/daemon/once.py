"""One pass over every served workspace, without threads: for a timer, and to see what the daemon would do."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime

from scrimshaw.daemon.background import PATIENT, background
from scrimshaw.daemon.roster import Roster
from scrimshaw.daemon.worker import DueJob, What
from scrimshaw.errors import Exit, UserError, combined
from scrimshaw.logs import logging_to
from scrimshaw.services.schedule.tick import TickOptions, follow
from scrimshaw.workspace import Wanted

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
                with logging_to(target.layout):
                    done = follow(target, now, terms)
            except UserError as error:
                told = " ".join(error.problems)
                log.warning("agent=%s problem=%r next=%r", target.agent_id, told, error.next_step)
                codes.append(error.exit_code)
                continue
            codes.append(done.exit_code)
            log.info("agent=%s did=%s", target.agent_id, ",".join(done.did) or "nothing-due")
            # An archive or an index that cannot be written is told; what this pass is for has not failed.
            beside = archives(DueJob(What.ARCHIVE, target.layout.workspace))
            if told := " ".join(text for texts in beside.problems.values() for text in texts):
                log.warning("agent=%s problem=%r", target.agent_id, told)
    finally:
        roster.close()
    return int(combined(codes or [Exit.MENDABLE]))
