"""The state of one workspace's memory, for `status`: looked up read-only, in a fraction of a second."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

from scrimshaw import heartbeat
from scrimshaw.core import policy, section
from scrimshaw.core.budget import Budget, units
from scrimshaw.errors import UserError
from scrimshaw.heartbeat import Beat
from scrimshaw.host.openclaw import Injected, injected_report
from scrimshaw.host.provenance import Provenance
from scrimshaw.jobs.backlog import waiting
from scrimshaw.jobs.folded import refusal
from scrimshaw.jobs.memory_file import memory_record, read_document, section_budget
from scrimshaw.jobs.order import Result
from scrimshaw.jobs.stores import open_sources
from scrimshaw.jobs.target import Target, is_set_up
from scrimshaw.locks import presence
from scrimshaw.sources.reading import Source
from scrimshaw.store.ledger import Ledger, open_ledger
from scrimshaw.store.records import Counts, Run

_SILENT_SECONDS = 300  # a daemon says something every minute


@dataclass(frozen=True, slots=True)
class SourceCondition:
    """One store: how much it holds, and how old its newest event is."""

    id: str
    kind: str
    sessions: int
    left_out: dict[str, int]
    newest_at_ms: int | None
    problem: str = ""


class Daemon(NamedTuple):
    """The daemon of this workspace, as it says itself; *beat* is None when it has not said anything yet."""

    pid: int
    beat: Beat | None


@dataclass(frozen=True, slots=True)
class Condition:
    """What `status` shows."""

    target: Target
    is_set_up: bool
    sources: tuple[SourceCondition, ...]
    backlog: policy.Backlog
    section_state: str  # "in place" | "none" | "unmarked" | "damaged" | "removed by hand"
    section_units: int
    budget: Budget
    record: Provenance
    injected: Injected | None
    counts: Counts | None
    last_run: Run | None
    daemon: Daemon | None = None
    problems: tuple[str, ...] = ()


def look(target: Target, now: datetime) -> Condition:
    """Return the condition of *target*; raises UserError only for what hides everything else."""
    if not is_set_up(target.layout):
        return _look(target, None, now)
    with open_ledger(target.layout.ledger, create=False, read_only=True) as ledger:
        return _look(target, ledger, now)


def _look(target: Target, ledger: Ledger | None, now: datetime) -> Condition:
    record = memory_record(target)
    memory = read_document(target, ledger, target.layout.memory)[1]
    is_aside = target.config.settings.respect_provenance and record.state != "none"
    shown = read_document(target, ledger, target.layout.aside)[1] if is_aside else memory
    problems: list[str] = []
    with open_sources(target, ledger.session_keys() if ledger else {}) as sources:
        conditions = tuple(_source(target, source, problems) for source in sources)
        usable = [source for source, found in zip(sources, conditions, strict=True) if not found.problem]
        backlog = waiting(target, ledger, usable, now).backlog
    if not conditions:
        problems.append(
            "no transcripts were found for this agent; is it the right state folder (--state-dir)?"
        )
    daemon = _daemon(target, now, problems)
    refused = refusal(target, ledger) if ledger else None
    if refused is Result.TOO_MANY:
        problems.append(
            "more than 30 % of the section's lines were gone at once; nothing is written before you say"
            " whether that was meant: scrimshaw accept-edits, or scrimshaw restore"
        )
    if isinstance(shown.state, section.Damaged):
        problems += shown.state.problems
    return Condition(
        target=target,
        is_set_up=ledger is not None,
        sources=conditions,
        backlog=backlog,
        section_state=_state_of(shown, ledger),
        section_units=units(shown.state.inner) if isinstance(shown.state, section.Owned) else 0,
        budget=section_budget(target, memory),
        record=record,
        injected=next(filter(None, map(injected_report, target.agents)), None),
        counts=ledger.counts() if ledger else None,
        last_run=ledger.last_run("observe") if ledger else None,
        daemon=daemon,
        problems=tuple(problems),
    )


def _daemon(target: Target, now: datetime, problems: list[str]) -> Daemon | None:
    holder = presence(target.layout.state)
    if holder is None:
        return None
    beat = heartbeat.read(target.layout.state)
    if beat is not None:
        problems += [f"daemon: {problem}" for problem in beat.problems]
        if beat.age_seconds(now) > _SILENT_SECONDS:
            minutes = int(beat.age_seconds(now) // 60)
            problems.append(
                f"the daemon (process {beat.pid}) has given no sign of life for {minutes} minutes; "
                f"to start it anew: kill {beat.pid}"
            )
    return Daemon(holder.pid or (beat.pid if beat else 0), beat)


def _source(target: Target, source: Source, problems: list[str]) -> SourceCondition:
    try:
        states = source.sessions()
    except UserError as error:
        problems += error.problems
        return SourceCondition(source.id, source.kind, 0, {}, None, error.problems[0])
    settings = target.config.settings
    left_out = Counter(
        state.session.kind.value
        for state in states
        if not policy.feeds(state.session, settings.sessions, settings.scope)
    )
    newest = max((state.newest_at_ms for state in states), default=None)
    problems += source.warnings()
    return SourceCondition(source.id, source.kind, len(states) - left_out.total(), dict(left_out), newest)


def _state_of(document: section.Document, ledger: Ledger | None) -> str:
    if ledger is not None and not ledger.is_section_enabled():
        return "removed by hand"
    match document.state:
        case section.Owned():
            return "in place"
        case section.Unmarked():
            return "unmarked"
        case section.Damaged():
            return "damaged"
        case section.Absent():
            return "none"
