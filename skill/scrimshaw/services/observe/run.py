"""One run of `observe` for one workspace, from opening the ledger to the log line; and its rehearsal.

The write order is a project rule: what was observed becomes true in the ledger together with the
cursor behind it, then the dated files, then the section. The later ones are derived, so a run that was
killed is finished by the next one.
"""

from __future__ import annotations

import logging
import secrets
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from scrimshaw.clock import milliseconds
from scrimshaw.config import OFFLINE
from scrimshaw.core.consolidation import expiry
from scrimshaw.core.types import Event, EventType
from scrimshaw.errors import Exit, UserError
from scrimshaw.models.model import Opens
from scrimshaw.services.observe import sessions as observing
from scrimshaw.services.observe.task import RULES, Observed, Observer, Stopped, Task
from scrimshaw.services.publish.result import REFUSED, Order, Published, Result
from scrimshaw.services.publish.run import publish
from scrimshaw.services.publish.state import note_observed
from scrimshaw.services.stores import open_sources
from scrimshaw.sources.reading import Source
from scrimshaw.store.ledger import Ledger, copy_ledger, open_ledger
from scrimshaw.store.records import Run
from scrimshaw.workspace import Target, own_folder

if TYPE_CHECKING:
    from scrimshaw.services.observe.model_observer import ModelObserver  # a run without a model does without

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Asked:
    """What the caller wants of a run."""

    now: datetime
    trigger: str = "command"
    since_ms: int | None = None
    waits: bool = True  # for an exchange that is still going on
    edits_are_accepted: bool = False
    edits_are_refused: bool = False
    brings_back: bool = False  # a section that was removed by hand
    on_read: Callable[[int], None] = lambda _bytes: None
    observes: bool = True  # False: only bring the files up to date
    writes_section: bool = True  # False: MEMORY.md is left for later (rule 14)
    is_routine: bool = False  # when nothing came of it, no row and no line tells of it
    is_stopped: Callable[[], bool] = lambda: False
    observer: Observer | None = None  # None: the model of the settings, if it may be opened, else the rules
    opens: Opens | None = None  # None: no model is asked, the rules observe
    may_wait_for_model: bool = True  # False: somebody waits; what the model cannot do at once, the rules do
    is_interrupted: Callable[[], bool] = lambda: False  # the person has enough: what is done is written
    on_window: Callable[[Observed], None] = lambda _done: None  # after each, where a model observes
    session: str = ""  # a conversation's key or id: it comes first, its last exchange as finished
    is_late: Callable[[], bool] = lambda: False  # asked once that one is done: whether to leave the others
    is_out_of_time: Callable[[], bool] = lambda: False  # what is not read by then is for another run


@dataclass(frozen=True, slots=True)
class Report:
    """What a run did, for one workspace."""

    target: Target
    observed: Observed
    published: Published
    warnings: tuple[str, ...] = ()
    asked_to_observe: bool = True

    @property
    def exit_code(self) -> Exit:
        """What the process should end with for this workspace."""
        if self.published.result in REFUSED:
            return Exit.REFUSED
        if self.observed.unreadable or self.observed.needs_owner:
            return Exit.MENDABLE
        return Exit.PARTLY if self.observed.problem_count else Exit.OK


def problems_of(report: Report) -> tuple[str, ...]:
    """Return what keeps the section from being written, in sentences; nothing when it could be."""
    is_refused = report.published.result in REFUSED or report.published.result is Result.NO_ROOM
    return report.published.problems if is_refused else ()


def run(target: Target, asked: Asked) -> Report:
    """Observe what is new and bring dated files and section up to date."""
    own_folder(target)
    with open_ledger(target.layout.ledger, create=True) as ledger:
        _remember(ledger, target)
        return _observe_and_publish(target, ledger, asked, writes=True)


def rehearse(target: Target, asked: Asked) -> Report:
    """Do the same on a copy of the ledger in a temporary folder; nothing in the workspace is written."""
    with tempfile.TemporaryDirectory(prefix=target.layout.rehearsal_prefix) as folder:
        copy = Path(folder) / "ledger.sqlite"
        if target.layout.ledger.exists():
            copy_ledger(target.layout.ledger, copy)
        with open_ledger(copy, create=True) as ledger:
            return _observe_and_publish(target, ledger, asked, writes=False)


def _observe_and_publish(target: Target, ledger: Ledger, asked: Asked, *, writes: bool) -> Report:
    run_id = f"{asked.now:%Y%m%dT%H%M%S}-{secrets.token_hex(3)}"
    job = "observe" if asked.observes else "publish"
    model = _model(target, ledger, asked, run_id)
    ledger.begin_run(Run(run_id, job, asked.trigger, model.name if model else RULES, milliseconds(asked.now)))
    outcome = "killed"
    error = ""
    try:
        order = _order(asked, run_id, writes=writes)
        early: list[Published] = []

        def publish_early(observed: Observed) -> None:
            # Somebody waits for this conversation and may not wait for the others.
            note_observed(ledger, observed.sessions)
            early.append(publish(target, ledger, order))

        on_session = publish_early if writes else lambda _done: None
        observed, warnings = _observed(target, ledger, asked, _task(asked, run_id, on_session, model))
        if observed.sessions:
            note_observed(ledger, observed.sessions)
        published = _with_early(publish(target, ledger, order), early)
        outcome = published.result.value
    except Stopped:
        outcome = "stopped"
        raise
    except UserError as failed:
        outcome, error = "failed", failed.problems[0] if failed.problems else ""
        raise
    finally:
        ledger.finish_run(run_id, outcome=outcome, at_ms=milliseconds(asked.now), error=error)
    if asked.is_routine and _is_nothing(observed, published):
        ledger.drop_run(run_id)
    else:
        _log(run_id, target, asked, observed, published)
    return Report(target, observed, published, tuple(warnings), asked.observes)


def _order(asked: Asked, run_id: str, *, writes: bool) -> Order:
    return Order(
        run_id,
        asked.now,
        reason=asked.trigger,
        writes=writes,
        writes_section=asked.writes_section,
        edits_are_accepted=asked.edits_are_accepted,
        edits_are_refused=asked.edits_are_refused,
        brings_back=asked.brings_back,
    )


def _with_early(published: Published, early: Sequence[Published]) -> Published:
    """Return *published* with what an *early* publishing of the same run has written."""
    dated_lines = published.dated_lines + sum(one.dated_lines for one in early)
    for one in early:
        if one.result is Result.WRITTEN and published.result is Result.UNCHANGED:
            published = replace(published, result=one.result, revision=one.revision)
    return replace(published, dated_lines=dated_lines)


def _model(target: Target, ledger: Ledger, asked: Asked, run_id: str) -> ModelObserver | None:
    """Return the model that is to observe; None: the rules do, or there is nothing to observe."""
    offline = target.config.settings.observer_model == OFFLINE
    if offline or asked.opens is None or asked.observer is not None or not asked.observes:
        return None
    from scrimshaw.services.observe.model_observer import observer_of  # only where a model is to be asked

    return observer_of(
        target,
        ledger,
        run_id=run_id,
        now=asked.now,
        opens=asked.opens,
        is_stopped=lambda: asked.is_stopped() or asked.is_interrupted(),
        may_wait=asked.may_wait_for_model,
    )


def _task(
    asked: Asked, run_id: str, on_session: Callable[[Observed], None], model: ModelObserver | None
) -> Task:
    return Task(
        run_id,
        asked.now,
        since_ms=asked.since_ms,
        waits=asked.waits,
        on_read=asked.on_read,
        on_window=asked.on_window,
        is_stopped=asked.is_stopped,
        is_interrupted=asked.is_interrupted,
        observer=asked.observer or model,
        model=model,
        session=asked.session,
        on_session=on_session,
        is_late=asked.is_late,
        is_out_of_time=asked.is_out_of_time,
    )


def _observed(target: Target, ledger: Ledger, asked: Asked, task: Task) -> tuple[Observed, list[str]]:
    """Observe what is new; return what came of it and what the owner should know."""
    if not asked.observes:
        return Observed(), []
    with open_sources(target, ledger.session_keys()) as sources:
        observed = observing.observe(target, ledger, sources, task)
        readable = [source for source in sources if source.id not in observed.unreadable]
        warnings = [f"{source.id}: {text}" for source in readable for text in source.warnings()]
        if asked.session and not observed.is_session_known:
            warnings.append(f"No conversation {asked.session} is known here: an ordinary run was made.")
        if not expiry.is_plausible(asked.now.date()):
            told = f"The clock says {asked.now:%Y-%m-%d}: no plan expired and nothing was retired by it."
            warnings.append(f"{told} Next: set the clock.")
        _note_deleted(ledger, readable, task)
    return observed, warnings


def _is_nothing(observed: Observed, published: Published) -> bool:
    """Tell whether a run left everything as it was and has nothing to tell."""
    is_quiet = (
        published.result in (Result.LATER, Result.UNCHANGED, Result.EMPTY) and not published.dated_lines
    )
    has_asked = observed.used is not None and observed.used.calls > 0
    return is_quiet and not observed.entries and not has_asked


def _note_deleted(ledger: Ledger, sources: list[Source], task: Task) -> None:
    """Mark the lines whose session the host has deleted since: noted stays noted, its source is gone."""
    deleted = frozenset().union(*(source.deleted_sessions() for source in sources))
    if not deleted:
        return
    gone = [
        Event(EventType.SOURCE_GONE, line.observation.id, milliseconds(task.now), task.run_id)
        for line in ledger.live_lines()
        if line.observation.session_id in deleted and not line.standing.is_source_gone
    ]
    if gone:
        ledger.append(gone)


def _remember(ledger: Ledger, target: Target) -> None:
    wanted = {"agent": target.agent_id, "workspace": str(target.layout.workspace), "zone": target.zone}
    stored = ledger.meta()
    for key, value in wanted.items():
        if stored.get(key) != value:
            ledger.set_meta(key, value)


def _log(run_id: str, target: Target, asked: Asked, observed: Observed, published: Published) -> None:
    """One canonical line a run, without any text of a transcript."""
    log.info(
        "run=%s job=%s agent=%s why=%r entries=%d windows=%d accepted=%d rejected=%d redacted=%d problems=%d "
        "section=%s revision=%d dated=%d%s",
        run_id,
        "observe" if asked.observes else "publish",
        target.agent_id,
        asked.trigger,
        observed.entries,
        observed.windows,
        observed.accepted,
        observed.rejected.total(),
        observed.redacted.total(),
        observed.problem_count,
        published.result.value,
        published.revision,
        published.dated_lines,
        _of_model(observed),
    )


def _of_model(observed: Observed) -> str:
    """Return what the log line says of a model; nothing where none was to be asked."""
    used = observed.used
    if used is None:
        return ""
    by = ",".join(f"{name}:{count}" for name, count in sorted(observed.noted_by.items()))
    cost = "unknown" if used.cost_microdollars is None else f"{used.cost_microdollars / 1_000_000:.6f}"
    return (
        f" by={by or '-'} deferred={observed.deferred.total()} calls={used.calls} "
        f"tokens={used.tokens_in + used.tokens_out} cost={cost}"
    )
