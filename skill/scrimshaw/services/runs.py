"""What every run has in common: its row in the ledger, a rehearsal on a copy, MEMORY.md in the next pause."""

from __future__ import annotations

import secrets
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path

from scrimshaw.clock import milliseconds
from scrimshaw.errors import UserError
from scrimshaw.locks import presence
from scrimshaw.services.observe.task import RunStopped
from scrimshaw.services.publish.result import Published, PublishRequest
from scrimshaw.services.publish.run import publish
from scrimshaw.services.status.backlog import measure_backlog
from scrimshaw.store.ledger import Ledger, copy_ledger, open_ledger
from scrimshaw.store.records import Run
from scrimshaw.workspace import Target

CONSOLIDATION = "consolidate"  # the job by which programs' memories move into the ledger


@dataclass(slots=True)
class RunRow:
    """A run under way; what stands here when it ends is stored with it."""

    id: str
    outcome: str = "killed"
    error: str = ""


def new_run_id(now: datetime) -> str:
    """Return an id that no other run has."""
    return f"{now:%Y%m%dT%H%M%S}-{secrets.token_hex(3)}"


@contextmanager
def recorded(
    ledger: Ledger,
    job: str,
    trigger: str,
    now: datetime,
    *,
    by: str = "hand",
    run_id: str = "",
    failed: str = "failed",
    tells_error: bool = True,
) -> Iterator[RunRow]:
    """Keep a row of the ledger for a run: begun before the block, finished however it ends."""
    row, at_ms = RunRow(run_id or new_run_id(now)), milliseconds(now)
    ledger.begin_run(Run(row.id, job, trigger, by, at_ms))
    try:
        yield row
    except RunStopped:
        row.outcome = "stopped"
        raise
    except UserError as error:
        row.outcome = failed
        if tells_error:
            row.error = error.problems[0] if error.problems else ""
        raise
    finally:
        ledger.finish_run(row.id, outcome=row.outcome, at_ms=at_ms, error=row.error)


@contextmanager
def rehearsal(target: Target) -> Iterator[Ledger]:
    """Open a copy of the ledger in a temporary folder; an empty one where there is none."""
    with tempfile.TemporaryDirectory(prefix=target.layout.rehearsal_prefix) as folder:
        copy = Path(folder) / "ledger.sqlite"
        try:
            if target.layout.ledger.exists():
                copy_ledger(target.layout.ledger, copy)
            with open_ledger(copy, create=True) as ledger:
                yield ledger
        except UserError as error:
            # The copy is gone when this is read; what is to be mended is the ledger.
            *problems, step = (
                text.replace(f"{copy}", f"{target.layout.ledger}")
                for text in (*error.problems, error.next_step)
            )
            error.problems, error.next_step = tuple(problems), step
            raise


def publish_in_pause(
    target: Target, ledger: Ledger, request: PublishRequest, *, at_once: bool
) -> tuple[Published, bool]:
    """Publish, MEMORY.md *at_once* or in the next pause of the conversation; tell whether a daemon runs.

    A daemon is woken: it plans the next pause with this in mind.
    """
    writes = at_once or measure_backlog(target, ledger, request.now).may_publish.is_due
    published = publish(target, ledger, replace(request, writes_section=writes))
    has_daemon = presence(target.layout.state) is not None
    if has_daemon and not writes:
        target.layout.wake.touch(mode=0o600)
    return published, has_daemon
