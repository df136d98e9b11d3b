"""The nightly round of a workspace: what was missed is found, what passed expires, the ledger is checked."""

from __future__ import annotations

import logging
from datetime import datetime

from scrimshaw.clock import milliseconds
from scrimshaw.jobs.backlog import look
from scrimshaw.jobs.follow import Terms, problems_of
from scrimshaw.jobs.run import Asked, Report, run
from scrimshaw.jobs.target import Target
from scrimshaw.store.ledger import open_ledger

log = logging.getLogger(__name__)


def maintain(target: Target, moment: datetime, terms: Terms = Terms()) -> tuple[str, ...]:  # noqa: B008  # frozen
    """Go over *target*'s workspace once; return what the owner should know. Raises UserError, and Stopped."""
    with open_ledger(target.layout.ledger, create=False) as ledger:
        may_publish = look(target, ledger, moment).may_publish.is_due
    report: Report = run(
        target,
        Asked(
            moment,
            trigger="the nightly round",
            writes_section=may_publish,
            is_stopped=terms.is_stopped,
            observer=terms.observer,
        ),
    )
    with open_ledger(target.layout.ledger, create=False) as ledger:
        found = ledger.check()
        ledger.thin(milliseconds(moment))
        ledger.set_meta("maintained", moment.isoformat())
    log.info("job=maintain agent=%s ledger=%s", target.agent_id, "sound" if not found else "mended")
    return (*found, *problems_of([report]))
