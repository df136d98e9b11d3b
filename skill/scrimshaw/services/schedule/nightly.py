"""The nightly round of a workspace: what was missed is found, what passed expires, the ledger is checked."""

from __future__ import annotations

import logging
from datetime import datetime
from typing import NamedTuple

from scrimshaw.clock import milliseconds
from scrimshaw.services.observe.run import problems_of, run
from scrimshaw.services.observe.task import ObserveOptions
from scrimshaw.services.schedule.tick import TickOptions
from scrimshaw.services.status.backlog import measure_backlog
from scrimshaw.store.ledger import open_ledger
from scrimshaw.workspace import Target

log = logging.getLogger(__name__)


class Maintained(NamedTuple):
    """What the nightly round found: of the ledger, and of the section; None when that was left for later."""

    ledger: tuple[str, ...]
    section: tuple[str, ...] | None


def maintain(target: Target, moment: datetime, terms: TickOptions = TickOptions()) -> Maintained:  # noqa: B008  # frozen
    """Go over *target*'s workspace once; raises UserError, and RunStopped."""
    with open_ledger(target.layout.ledger, create=False) as ledger:
        may_publish = measure_backlog(target, ledger, moment).may_publish.is_due
    options = ObserveOptions(
        trigger="the nightly round",
        writes_section=may_publish,
        is_stopped=terms.is_stopped,
        is_out_of_time=terms.turn(target),
        observer=terms.observer,
        opens=terms.opens,
    )
    report = run(target, moment, options)
    with open_ledger(target.layout.ledger, create=False) as ledger:
        found = ledger.check()
        if not found:
            ledger.thin(milliseconds(moment))
        ledger.set_meta("maintained", moment.isoformat())
    log.info("job=maintain agent=%s ledger=%r", target.agent_id, " ".join(found) or "sound")
    return Maintained(tuple(found), problems_of(report) if may_publish else None)


def last_done(target: Target) -> tuple[datetime | None, datetime | None]:
    """Return when *target*'s lines were last reflected on, and when the last nightly round was."""
    with open_ledger(target.layout.ledger, create=False, read_only=True) as ledger:
        last, note = ledger.last_run("reflect"), ledger.meta().get("maintained")
    reflected = datetime.fromtimestamp(last.started_at_ms / 1000).astimezone() if last else None
    return reflected, datetime.fromisoformat(note) if note else None
