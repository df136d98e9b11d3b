"""One run of `observe` for one workspace, from opening the ledger to the log line; and its rehearsal.

The write order is a project rule: what was observed becomes true in the ledger together with the
cursor behind it, then the dated files, then the section. The later ones are derived, so a run that was
killed is finished by the next one.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING, Any
from zoneinfo import ZoneInfo

from scrimshaw.clock import milliseconds
from scrimshaw.config import OFFLINE
from scrimshaw.core.consolidation import expiry
from scrimshaw.core.section.budget import units
from scrimshaw.core.types import Event, EventType
from scrimshaw.errors import Exit, UserError
from scrimshaw.models.model import Opens
from scrimshaw.services.conversations.follow import ask_for_ended, follow
from scrimshaw.services.observe import sessions as observing
from scrimshaw.services.observe.task import DEFAULTS, RULES, Observed, ObserveOptions, Task
from scrimshaw.services.publish.hand_edits import take_marks
from scrimshaw.services.publish.result import REFUSED, Published, PublishOutcome, PublishRequest
from scrimshaw.services.publish.run import publish
from scrimshaw.services.publish.state import note_observed
from scrimshaw.services.results import WorkspaceResult
from scrimshaw.services.runs import new_run_id, recorded, rehearsal
from scrimshaw.services.stores import open_sources
from scrimshaw.sources.reading import Source
from scrimshaw.store.ledger import Ledger, open_ledger
from scrimshaw.workspace import Target, own_folder

if TYPE_CHECKING:
    from scrimshaw.services.observe.model_observer import ModelObserver  # a run without a model does without

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class ObserveResult(WorkspaceResult):
    """What a run did, for one workspace."""

    observed: Observed
    published: Published
    warnings: tuple[str, ...] = ()
    asked_to_observe: bool = True

    @property
    def exit_code(self) -> Exit:
        if self.published.result in REFUSED:
            return Exit.REFUSED
        if self.observed.unreadable or self.observed.needs_owner:
            return Exit.MENDABLE
        return Exit.PARTLY if self.observed.problem_count else Exit.OK

    def to_dict(self) -> dict[str, Any]:
        done, published = self.observed, self.published
        return {
            **self.head(zone=True),
            "entries": done.entries,
            "windows": done.windows,
            "accepted": done.accepted,
            "rejected": dict(done.rejected),
            "stood_in": done.stood_in,
            "closed": done.closed,
            "expired": published.expired,
            "declined": done.declined,
            "redacted": dict(done.redacted),
            "skipped": dict(done.skipped),
            "sessions_left_out": dict(done.left_out),
            "set_aside": done.set_aside,
            "held_back": done.held_back,
            "left_waiting": done.left_waiting,
            "pending": done.pending,
            "model": {
                "noted_by": dict(done.noted_by),
                "deferred": dict(done.deferred),
                "trouble": done.model_trouble,
                "used": done.used and done.used._asdict(),
                "unread": done.unread,
            },
            "problem_count": done.problem_count,
            "problems": [{"place": problem.place, "what": problem.what} for problem in done.problems],
            "warnings": list(self.warnings),
            "unreadable": [str(error) for error in done.unreadable.values()],
            "section": {
                "result": published.result.value,
                "path": str(published.path),
                "units": units(published.body),
                "budget_units": published.budget.body_units if published.budget else None,
                "revision": published.revision or None,
                "problems": list(published.problems),
                "host_record": published.provenance.state,
            },
            "dated_lines": published.dated_lines,
            "exit_code": int(self.exit_code),
        }


def problems_of(report: ObserveResult) -> tuple[str, ...]:
    """Return what keeps the section from being written, in sentences; nothing when it could be."""
    is_refused = report.published.result in REFUSED or report.published.result is PublishOutcome.NO_ROOM
    return report.published.problems if is_refused else ()


def observe(
    target: Target, now: datetime, options: ObserveOptions, *, env: Mapping[str, str], dry_run: bool
) -> ObserveResult:
    """Run as the owner asked, with their model where one is chosen and this is a run for it; or rehearse.

    A model is not asked where somebody waits or only looks, nor where a word about the section is the matter.
    """
    if options.since is not None:
        since = options.since if options.since.tzinfo else options.since.replace(tzinfo=ZoneInfo(target.zone))
        if since > now:
            # Older messages are set aside for good, so a mistyped date would set everything aside.
            raise UserError(
                f"--since {since:%Y-%m-%d}: this day is still to come. Nothing was read or written.",
                next_step="name a day in the past, like 2026-11-20",
            )
        options = replace(options, since=since)
    model = target.config.settings.observer_model
    if model != OFFLINE and (options.edits_are_accepted or options.edits_are_refused):
        # Accepting or refusing edits does not change who notes: messages that wait for the model go on
        # waiting.
        options = replace(options, observes=False)
    if dry_run:
        return rehearse(target, now, options)
    if asks_model(target, options):
        options = replace(options, opens=opener_for(model, env))
    return run(target, now, options)


def asks_model(target: Target, options: ObserveOptions) -> bool:
    """Tell whether a run with *options* asks a model."""
    is_else = options.edits_are_accepted or options.edits_are_refused or options.brings_back
    is_waited_for = options.is_waited_for or bool(options.session)
    return target.config.settings.observer_model != OFFLINE and not (is_else or is_waited_for)


def opener_for(model: str, env: Mapping[str, str]) -> Opens | None:
    """Return what opens *model*; None, and nothing loaded, where the rules do it."""
    if model == OFFLINE:
        return None
    from scrimshaw.models.opening import opener

    return opener(env)


def run(target: Target, now: datetime, options: ObserveOptions = DEFAULTS) -> ObserveResult:
    """Observe what is new and bring dated files and section up to date."""
    own_folder(target, makes=options.makes_folder)
    if options.observes:
        ask_for_ended(target, now)
    with open_ledger(target.layout.ledger, create=options.makes_folder) as ledger:
        _remember(ledger, target)
        return _observe_and_publish(target, ledger, now, options, writes=True)


def rehearse(target: Target, now: datetime, options: ObserveOptions = DEFAULTS) -> ObserveResult:
    """Do the same on a copy of the ledger in a temporary folder; nothing in the workspace is written."""
    with rehearsal(target) as ledger:
        return _observe_and_publish(target, ledger, now, options, writes=False)


def _observe_and_publish(
    target: Target, ledger: Ledger, now: datetime, options: ObserveOptions, *, writes: bool
) -> ObserveResult:
    run_id = new_run_id(now)
    job = "observe" if options.observes else "publish"
    model = _model(target, ledger, now, options, run_id)
    by = model.name if model else RULES
    with recorded(ledger, job, options.trigger, now, by=by, run_id=run_id) as row:
        order = PublishRequest(
            run_id,
            now,
            reason=options.trigger,
            writes=writes,
            writes_section=options.writes_section,
            edits_are_accepted=options.edits_are_accepted,
            edits_are_refused=options.edits_are_refused,
            brings_back=options.brings_back,
        )
        early: list[Published] = []

        def publish_early(observed: Observed) -> None:
            # Somebody waits for this conversation and may not wait for the others.
            note_observed(ledger, observed.sessions)
            early.append(publish(target, ledger, order))

        on_session = publish_early if writes else lambda _done: None
        observed, warnings = _observed(
            target, ledger, Task(run_id, now, options, options.observer or model, model, on_session)
        )
        if observed.sessions:
            note_observed(ledger, observed.sessions)
        if writes and options.observes:
            follow(target, ledger, observed.sessions, now, run_id)
        published = _with_early(publish(target, ledger, order), early)
        row.outcome = published.result.value
    if options.is_routine and _is_nothing(observed, published):
        ledger.drop_run(run_id)
    else:
        _log(run_id, target, options, observed, published)
    return ObserveResult(target, observed, published, tuple(warnings), options.observes)


def _with_early(published: Published, early: Sequence[Published]) -> Published:
    """Return *published* with what an *early* publishing of the same run has written."""
    dated_lines = published.dated_lines + sum(one.dated_lines for one in early)
    expired = published.expired + sum(one.expired for one in early)
    for one in early:
        if one.result is PublishOutcome.WRITTEN and published.result is PublishOutcome.UNCHANGED:
            published = replace(published, result=one.result, revision=one.revision)
    return replace(published, dated_lines=dated_lines, expired=expired)


def _model(
    target: Target, ledger: Ledger, now: datetime, options: ObserveOptions, run_id: str
) -> ModelObserver | None:
    """Return the model that is to observe; None: the rules do, or there is nothing to observe."""
    offline = target.config.settings.observer_model == OFFLINE
    if offline or options.opens is None or options.observer is not None or not options.observes:
        return None
    from scrimshaw.services.observe.model_observer import ModelObserver  # only where one is to be asked

    return ModelObserver(
        target,
        ledger,
        run_id=run_id,
        now=now,
        opens=options.opens,
        is_stopped=lambda: options.is_stopped() or options.is_interrupted(),
        may_wait=options.may_wait_for_model,
    )


def _observed(target: Target, ledger: Ledger, task: Task) -> tuple[Observed, list[str]]:
    """Observe what is new; return what came of it and what the owner should know."""
    options, now = task.options, task.now
    if not options.observes:
        return Observed(), []
    take_marks(target, ledger, milliseconds(now))
    with open_sources(target, ledger.session_keys(), thread_id=options.thread_id) as sources:
        observed = observing.observe(target, ledger, sources, task)
        readable = [source for source in sources if source.id not in observed.unreadable]
        warnings = [f"{source.id}: {text}" for source in readable for text in source.warnings()]
        if options.session and not observed.is_session_known:
            warnings.append(f"No conversation {options.session} is known here: an ordinary run was made.")
        if not expiry.is_plausible(now.date()):
            told = f"The clock says {now:%Y-%m-%d}: no plan expired and nothing was retired by it."
            warnings.append(f"{told} Next: set the clock.")
        _note_deleted(ledger, readable, task)
    return observed, warnings


def _is_nothing(observed: Observed, published: Published) -> bool:
    """Tell whether a run left everything as it was and has nothing to tell."""
    is_quiet = (
        published.result in (PublishOutcome.LATER, PublishOutcome.UNCHANGED, PublishOutcome.EMPTY)
        and not published.dated_lines
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


def _log(
    run_id: str, target: Target, options: ObserveOptions, observed: Observed, published: Published
) -> None:
    """One canonical line a run, without any text of a transcript."""
    log.info(
        "run=%s job=%s agent=%s why=%r entries=%d windows=%d accepted=%d rejected=%d redacted=%d problems=%d "
        "section=%s revision=%d dated=%d%s",
        run_id,
        "observe" if options.observes else "publish",
        target.agent_id,
        options.trigger,
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
