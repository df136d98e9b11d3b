"""Consolidation: move expired memories from the working layer into the ledger, batch by batch.

The ledger and its dated files are written first, and only then the memory is deleted from the working layer.
A memory's lines get ids that follow from its own, so a kill at any point, or two rounds at once, lose and
duplicate nothing: the next round finds the lines and deletes the memory. A memory is not noted again if a
line of the same owner says the same: identical words, or a similarity above the configured threshold with
equal figures and names. Without a model, or while its server is away, only identical words count.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from hashlib import blake2b
from typing import TYPE_CHECKING, Any

from scrimshaw.clock import milliseconds
from scrimshaw.config import age_of, seconds
from scrimshaw.core.ledger.program_lines import lines_of
from scrimshaw.core.search.layers import has_same_figures
from scrimshaw.core.text.normalize import normal
from scrimshaw.core.types import Event, EventType, Observation
from scrimshaw.core.working import KnowledgeStatus
from scrimshaw.errors import Exit, UserError
from scrimshaw.services.conversations.archive import archive_ended, due
from scrimshaw.services.observe.task import RunStopped
from scrimshaw.services.publish.result import PublishRequest
from scrimshaw.services.publish.run import publish, take_edits
from scrimshaw.services.results import WorkspaceResult
from scrimshaw.services.runs import recorded
from scrimshaw.services.search.chosen import lines_model, memories_model
from scrimshaw.services.search.meanings import Meanings
from scrimshaw.services.working.layer import WorkingLayer
from scrimshaw.services.working.whose import Owners, Whose
from scrimshaw.store.ledger import Ledger, open_ledger
from scrimshaw.store.records import Batch, RunCounts
from scrimshaw.working import memories
from scrimshaw.working.memories import Kept, Round
from scrimshaw.workspace import Target, own_folder

if TYPE_CHECKING:
    from scrimshaw.index.vectors import Floats

log = logging.getLogger(__name__)

_NEAREST = 10  # lines compared with a memory; the nearest may belong to other owners


@dataclass(frozen=True, slots=True)
class ConsolidationResult(WorkspaceResult):
    """The result of one round."""

    candidates: int
    archived: int
    deduplicated: int
    skipped_pinned: int  # old enough, but kept because pinned or important
    duration_ms: int
    is_dry_run: bool = False
    conversations: int = 0  # ended conversations that were archived
    problem: str = ""  # what could not be archived yet; a later run does it

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON of `scrimshaw consolidate --json` for one workspace."""
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


def _milliseconds_in(age: timedelta) -> int:
    return age // timedelta(milliseconds=1)


def consolidate(
    target: Target,
    layer: WorkingLayer,
    now: datetime,
    *,
    dry_run: bool = False,
    ttl_override: str | None = None,
    trigger: str = "command",
    is_stopped: Callable[[], bool] = lambda: False,
) -> ConsolidationResult:
    """Move memories that have expired, are older than *ttl_override*, or exceed the layer's limit.

    With *dry_run* they are only counted. Raises UserError (a locked ledger, a full disk) and RunStopped;
    memories moved before that stay moved, and none is lost.
    """
    _require_ledger(target)
    began = time.monotonic()
    settings, db, at_ms = target.config.settings, layer.db, milliseconds(now)
    # In milliseconds, because an age may reach back before the year 1, the first that a date can have.
    older_ms = None
    if ttl_override is not None:
        older_ms = at_ms - _milliseconds_in(age_of(ttl_override, "Nothing was moved."))
    ttl = timedelta(seconds=seconds(settings.memory_working_ttl))
    skipped = memories.count_staying(db, at_ms - _milliseconds_in(ttl) if older_ms is None else older_ms)
    expired = memories.count_expired(db, at_ms, older_ms)
    beyond = max(0, memories.total(db) - expired - settings.memory_working_max_entries)
    result = ConsolidationResult(target, expired + beyond, 0, 0, skipped, 0, is_dry_run=dry_run)
    if dry_run:
        return replace(result, conversations=len(due(target.layout, db, now)))
    ended = archive_ended(target, db, now, is_stopped)
    if is_stopped():
        raise RunStopped
    tally = _Tally()
    if expired or beyond:
        _move(target, layer, now, tally, _batches(layer, target, at_ms, older_ms), trigger, is_stopped)
    problem = _archived(target, now) if tally.archived else ""
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
    tally: _Tally,
    batches: Iterable[list[Kept]],
    trigger: str,
    is_stopped: Callable[[], bool],
) -> None:
    """Move *batches* into the ledger as one run; raises RunStopped between two of them."""
    own_folder(target, makes=False)
    with (
        open_ledger(target.layout.ledger, create=False) as ledger,
        recorded(ledger, "consolidate", trigger, now) as run,
    ):
        # A program's memories never enter the section, so it is not written anew for them.
        order = PublishRequest(run.id, now, reason="consolidation", writes_section=False)
        take_edits(target, ledger, order)
        moves = _Round(target, layer, ledger, order, tally)
        for batch in batches:
            if is_stopped():
                raise RunStopped
            moves.move(batch)
        run.outcome = "consolidated" if tally.moved else "nothing"


def _require_ledger(target: Target) -> None:
    if not target.config.settings.memory_episodic_enabled:
        raise UserError(
            "The ledger is switched off for what programs store (memory.episodic.enabled: false). "
            "Nothing was moved.",
            next_step="take that setting out, then this again",
            exit_code=Exit.REFUSED,
        )


@dataclass
class _Tally:
    seen: int = 0
    archived: int = 0
    deduplicated: int = 0
    moved: int = 0


def _batches(layer: WorkingLayer, target: Target, at_ms: int, older_ms: int | None) -> Iterator[list[Kept]]:
    """Yield batches of what has expired, then of what exceeds the layer's limit."""
    settings = target.config.settings
    size, last = settings.memory_consolidation_batch_size, 0
    while batch := memories.expired(layer.db, at_ms, size, after=last, older_than_ms=older_ms):
        yield batch
        last = batch[-1].number
    beyond = memories.total(layer.db) - settings.memory_working_max_entries
    forced = memories.least_worth(layer.db, at_ms, beyond) if beyond > 0 else []
    for at in range(0, len(forced), size):
        yield forced[at : at + size]


class _Round:
    """One round, with the ledger open."""

    def __init__(
        self, target: Target, layer: WorkingLayer, ledger: Ledger, order: PublishRequest, tally: _Tally
    ) -> None:
        self._target, self._layer, self._ledger = target, layer, ledger
        self._order, self._tally = order, tally
        self._threshold = target.config.settings.memory_consolidation_dedup_threshold
        self._owners = Owners(target)
        # Hashes instead of texts: a ledger may have a million lines.
        self._said = {_mark(self._owners.whose(*rest), text) for text, *rest in ledger.numbered.live_texts()}
        settings = target.config.settings
        self._is_one_model = memories_model(settings) == lines_model(settings)
        meanings = Meanings(target.layout, settings)
        self._meaning, _ = meanings.current(ledger, order.now)
        self._embedder = meanings.embedder(ledger)
        self._new: list[tuple[Floats, str, Whose]] = []  # lines noted in this round, with vectors

    def move(self, batch: Sequence[Kept]) -> None:
        """Note what is new in *batch*, in the ledger and the dated files, and then delete it here."""
        lines = {one.number: lines_of(one.memory, self._target.zone, self._order.run_id) for one in batch}
        known = self._ledger.lines({line.id for own in lines.values() for line in own})
        moved, noted, events, repeated = [], [], [], 0
        at_ms = milliseconds(self._order.now)
        for kept in batch:
            own = lines[kept.number]
            if not own:
                continue  # nothing in it can become a line: it stays here
            moved.append(kept.memory)
            if any(line.id not in known for line in own) and self._is_said(kept, own):
                repeated += 1
            else:
                fresh = [line for line in own if line.id not in known]
                noted += fresh
                if kept.status != KnowledgeStatus.ACTIVE:  # no longer true: search finds it marked so
                    events += [self._withdrawn(line.id, kept.status) for line in fresh]
        if noted:
            counts = RunCounts(accepted=len(noted))
            self._ledger.accept(Batch(self._order.run_id, at_ms, tuple(noted), tuple(events), counts=counts))
        if len(moved) > repeated:  # also for lines that a killed round noted without writing the files
            publish(self._target, self._ledger, self._order)
        gone = memories.leave(self._layer.db, moved)
        self._tally.seen += len(batch)
        self._tally.deduplicated += repeated
        self._tally.archived += len(moved) - repeated
        self._tally.moved += gone

    def _withdrawn(self, line_id: str, status: str) -> Event:
        at_ms = milliseconds(self._order.now)
        return Event(EventType.WITHDRAWN, line_id, at_ms, self._order.run_id, reason=status)

    def _is_said(self, kept: Kept, own: tuple[Observation, ...]) -> bool:
        """Tell whether a line already says what *kept* says; if not, remember its words for the next one."""
        if len(own) > 1:
            return False  # a long text says more than a line can
        text, whose = own[0].text, Whose(kept.memory.agent, kept.memory.owner_id)
        mark, vector = _mark(whose, text), self._vector(kept)
        if mark in self._said or (vector is not None and self._is_like(vector, text, whose)):
            return True
        self._said.add(mark)
        if vector is not None:
            self._new.append((vector, text, whose))
        return False

    def _is_like(self, vector: Floats, text: str, whose: Whose) -> bool:
        if any(
            float(vector @ other) > self._threshold and owner == whose and has_same_figures(text, said)
            for other, said, owner in self._new
        ):
            return True
        if self._meaning is None:
            return False
        near = self._meaning.vectors.search(vector, _NEAREST)
        found = self._ledger.numbered.lines([one.key for one in near if one.score > self._threshold])
        return any(
            line.standing.is_live
            and self._owners.whose_line(line.observation) == whose
            and has_same_figures(text, line.observation.text)
            for line in found.values()
        )

    def _vector(self, kept: Kept) -> Floats | None:
        if self._embedder is None:
            return None
        with suppress(UserError, OSError):  # the model's server is away: compare words only
            with self._layer.scan(self._embedder) as scan:
                found = scan.vector(kept.number)
            if found is None and not self._is_one_model:
                found = self._embedder.embed([kept.memory.content])[0]
            return found
        return None


def _mark(whose: Whose, text: str) -> bytes:
    """Return a hash of the words of *text* and their owner."""
    return blake2b(
        "\0".join((*whose, normal(text))).encode("utf-8", "surrogatepass"), digest_size=16
    ).digest()


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
