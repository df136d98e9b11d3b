"""Consolidation: move expired memories from the working layer into the ledger, batch by batch.

The ledger is written first, and only then the memory is deleted from the working layer (see `moving`); the
dated files follow from the ledger, at the latest in the next round. A memory's lines get ids that follow from
its own, so a kill at any point, or two rounds at once, lose and double nothing. A memory that is forgotten,
changed or used during a round stays. A memory is not noted again if a line of the same owner says the same:
identical words, or a similarity above the configured threshold with equal figures and names. Without a model,
or while its server is away, only identical words count.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any

from scrimshaw.clock import milliseconds
from scrimshaw.config import age_of, seconds
from scrimshaw.errors import UserError, refused_error
from scrimshaw.services.conversations.archive import archive_ended, due
from scrimshaw.services.observe.task import RunStopped
from scrimshaw.services.publish.result import PublishRequest
from scrimshaw.services.publish.run import publish, take_edits
from scrimshaw.services.results import WorkspaceResult
from scrimshaw.services.runs import CONSOLIDATION, recorded
from scrimshaw.services.working.layer import WorkingLayer
from scrimshaw.services.working.moving import Moves, MoveTally, close_stale
from scrimshaw.store.ledger import open_ledger
from scrimshaw.working import memories, moved
from scrimshaw.working.memories import Kept, Round
from scrimshaw.workspace import Target, own_folder

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class ConsolidationResult(WorkspaceResult):
    """The result of one round."""

    candidates: int
    archived: int
    deduplicated: int
    skipped_pinned: int  # old enough, but kept because pinned or important
    duration_ms: int
    is_dry_run: bool = False  # the figures are what a round would do
    conversations: int = 0  # ended conversations that were archived
    problem: str = ""  # what could not be archived yet; a later run does it

    def to_dict(self) -> dict[str, Any]:
        return {
            **self.head(),
            "candidates": self.candidates,
            "archived": self.archived,
            "deduplicated": self.deduplicated,
            "skipped_pinned": self.skipped_pinned,
            "duration_ms": self.duration_ms,
            "conversations": self.conversations,
            "dry_run": self.is_dry_run,
            "problem": self.problem or None,
            "exit_code": int(self.exit_code),
        }


def consolidate(
    target: Target,
    layer: WorkingLayer | None,
    now: datetime,
    *,
    dry_run: bool = False,
    ttl_override: str | None = None,
    trigger: str = "command",
    is_stopped: Callable[[], bool] = lambda: False,
) -> ConsolidationResult:
    """Move memories that have expired, were unused for *ttl_override*, or exceed the layer's limit.

    Pinned and important ones stay, also where they alone exceed the limit. With *dry_run* nothing is moved,
    and the result tells what would be; without a *layer* nothing is there to move. Raises UserError (a locked
    ledger, a full disk) and RunStopped; memories moved before that stay moved, and none is lost.
    """
    _require_ledger(target)
    began = time.monotonic()
    settings, at_ms = target.config.settings, milliseconds(now)
    # In milliseconds, because an age may reach back before the year 1, the first that a date can have.
    unused_ms, ttl_ms = None, seconds(settings.memory_working_ttl) * 1000
    if ttl_override is not None:
        unused_ms = at_ms - age_of(ttl_override, "Nothing was moved.") // timedelta(milliseconds=1)
    if layer is None:
        return ConsolidationResult(target, 0, 0, 0, 0, 0, is_dry_run=dry_run)
    db = layer.db
    skipped = memories.count_staying(db, at_ms - ttl_ms if unused_ms is None else unused_ms)
    expired = memories.count_expired(db, at_ms, unused_ms)
    beyond = memories.count_beyond(db, settings.memory_working_max_entries, expired)
    result = ConsolidationResult(target, expired + beyond, 0, 0, skipped, 0, is_dry_run=dry_run)
    if dry_run:
        tally = _rehearsed(target, layer, now, _batches(layer, target, at_ms, unused_ms, is_rehearsal=True))
        foreseen = replace(result, archived=tally.archived, deduplicated=tally.deduplicated)
        return replace(foreseen, conversations=len(due(target.layout, db, now)))
    ended = archive_ended(target, db, now, is_stopped)
    if is_stopped():
        raise RunStopped
    tally = MoveTally()
    is_left = _is_left(target, layer)
    if expired or beyond or is_left:
        _move(target, layer, now, tally, _batches(layer, target, at_ms, unused_ms), trigger, is_stopped)
    problem = _archived(target, now) if tally.archived or is_left else ""
    took = round((time.monotonic() - began) * 1000)
    memories.log_round(
        db, Round(target.agent_id, tally.seen, tally.archived, tally.deduplicated, skipped, took, at_ms)
    )
    log.info(
        "job=consolidate agent=%s processed=%d archived=%d deduped=%d skipped=%d ms=%d",
        *(target.agent_id, tally.seen, tally.archived, tally.deduplicated, skipped, took),
    )
    return ConsolidationResult(
        *(target, tally.seen, tally.archived, tally.deduplicated, skipped, took),
        conversations=ended,
        problem=problem,
    )


def _move(
    target: Target,
    layer: WorkingLayer,
    now: datetime,
    tally: MoveTally,
    batches: Iterable[list[Kept]],
    trigger: str,
    is_stopped: Callable[[], bool],
) -> None:
    """Move *batches* into the ledger as one run; raises RunStopped between two of them."""
    own_folder(target, makes=False)
    with (
        open_ledger(target.layout.ledger, create=False) as ledger,
        recorded(ledger, CONSOLIDATION, trigger, now) as run,
    ):
        # A program's memories never enter the section, so it is not written anew for them.
        order = PublishRequest(run.id, now, reason="consolidation", writes_section=False)
        take_edits(target, ledger, order)
        close_stale(layer.db, ledger, order)
        if ledger.pending_outbox("dated", 1):
            publish(target, ledger, order)
        moves = Moves(target, layer, ledger, order)
        for batch in batches:
            if is_stopped():
                raise RunStopped
            done = moves.move(moves.find(batch))
            tally.seen += len(batch)
            tally.count(done)
            if any(not one.says_same for one in done):
                publish(target, ledger, order)
        run.outcome = "consolidated" if tally.moved else "nothing"


def _is_left(target: Target, layer: WorkingLayer) -> bool:
    """Tell whether a killed round has left something to be done: a line to be closed, a dated file."""
    if moved.stale(layer.db):
        return True
    with open_ledger(target.layout.ledger, create=False, read_only=True) as ledger:
        return bool(ledger.pending_outbox("dated", 1))


def _require_ledger(target: Target) -> None:
    if not target.config.settings.memory_episodic_enabled:
        raise refused_error(
            "The ledger is switched off for what programs store (memory.episodic.enabled: false). "
            "Nothing was moved.",
            next_step="take that setting out, then this again",
        )


def _rehearsed(
    target: Target, layer: WorkingLayer, now: datetime, batches: Iterable[list[Kept]]
) -> MoveTally:
    tally = MoveTally()
    with open_ledger(target.layout.ledger, create=False, read_only=True) as ledger:
        moves: Moves | None = None
        for batch in batches:
            moves = moves or Moves(target, layer, ledger, PublishRequest("", now))
            tally.count(moves.find(batch))
    return tally


def _batches(
    layer: WorkingLayer, target: Target, at_ms: int, unused_ms: int | None, *, is_rehearsal: bool = False
) -> Iterator[list[Kept]]:
    """Yield batches of what has expired, then of what exceeds the layer's limit.

    In a rehearsal what has expired is still there when the rest is counted.
    """
    settings = target.config.settings
    size, last, gone = settings.memory_consolidation_batch_size, 0, set[int]()
    while batch := memories.expired(layer.db, at_ms, size, after=last, unused_since_ms=unused_ms):
        yield batch
        last = batch[-1].number
        gone |= {one.number for one in batch} if is_rehearsal else set()
    beyond = memories.count_beyond(layer.db, settings.memory_working_max_entries, len(gone))
    forced = memories.least_worth(layer.db, at_ms, beyond, gone) if beyond else []
    for at in range(0, len(forced), size):
        yield forced[at : at + size]


def _archived(target: Target, now: datetime) -> str:
    """Update the `.mv2` archive if possible; return what went wrong. The ledger has everything."""
    from scrimshaw.services.archive import write

    if not write.is_possible():
        return ""
    try:
        with open_ledger(target.layout.ledger, create=False) as ledger:
            write.archive(target, ledger, now)
    except UserError as error:
        return " ".join(error.problems)
    return ""
