"""The state of one workspace's memory: looked up read-only, in a fraction of a second.

`status` shows all of it; `doctor` takes the pieces one by one, so that one which cannot be looked at does
not hide the others.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from contextlib import closing, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from math import isfinite
from pathlib import Path
from typing import Any, NamedTuple

from scrimshaw import heartbeat
from scrimshaw.config import OFFLINE, seconds
from scrimshaw.core.ledger.observations import NOT_LAID_OUT
from scrimshaw.core.policy import schedule
from scrimshaw.core.section import markers
from scrimshaw.core.section.budget import Budget, units, utf16_units
from scrimshaw.core.text.plural import counted
from scrimshaw.errors import Exit, UserError
from scrimshaw.heartbeat import Beat
from scrimshaw.host.openclaw import Injected, injected_report
from scrimshaw.host.provenance import Provenance
from scrimshaw.locks import presence
from scrimshaw.services.archive.check import ArchiveCheck
from scrimshaw.services.archive.check import inspect_archives as look_at_archives
from scrimshaw.services.insight.remembered import RememberedConflicts, alerts_of, remembered
from scrimshaw.services.models.outages import Outage, outage_of, waiting_windows
from scrimshaw.services.models.spending import SpendStanding, Sum, standing_of, total
from scrimshaw.services.publish.memory_file import is_kept_aside, memory_record, read_document, section_budget
from scrimshaw.services.publish.result import PublishOutcome
from scrimshaw.services.publish.state import refusal
from scrimshaw.services.results import WorkspaceResult
from scrimshaw.services.status.backlog import waiting
from scrimshaw.services.status.durations import age_seconds
from scrimshaw.services.status.hook_health import problem_of_hook
from scrimshaw.services.status.plugin_health import PluginHealth, plugin_of
from scrimshaw.services.stores import open_sources, stores_of
from scrimshaw.sources.discover import Agent, StoreRef
from scrimshaw.sources.reading import Source
from scrimshaw.store.ledger import Ledger, open_ledger
from scrimshaw.store.records import Counts, Run
from scrimshaw.working import memories
from scrimshaw.working.database import WorkingDatabase
from scrimshaw.workspace import Target, is_set_up

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
    agent_id: str = ""
    path: Path = Path()
    warnings: tuple[str, ...] = ()


class Daemon(NamedTuple):
    """The daemon of this workspace, as it says itself; *beat* is None when it has not said anything yet."""

    pid: int
    beat: Beat | None


class Stores(NamedTuple):
    """The stores of a target's agents, and what of them is not observed yet."""

    sources: tuple[SourceCondition, ...]
    backlog: schedule.Backlog
    problems: tuple[str, ...]


class SectionCondition(NamedTuple):
    """The section where it is kept now, the room it has, and the host's record that decides where."""

    # "in place" | "still in MEMORY.md": to be kept aside by the next run | "none" | "unmarked" | "damaged" |
    # "removed by hand" | "removed by undo"
    state: str
    is_below_own: bool  # in place, below text of the owner's own under the heading
    units: int
    file_units: int  # of MEMORY.md, whole
    budget: Budget
    record: Provenance
    is_aside: bool  # kept in memory/observations/MEMORY.md (rule 13)
    problems: tuple[str, ...]  # of the markers


class ModelCondition(NamedTuple):
    """Who notes and who reflects where that is not the rules alone, and how it goes."""

    observer: str  # as the settings name it
    reflector: str
    used_today: Sum
    standing: SpendStanding  # against the caps
    outage: Outage | None  # the observer cannot be asked
    waiting: int  # windows that wait after replies that could not be used
    rules_note: bool  # meanwhile, what the observer was to note
    rules_note_from_ms: int  # while it waits: when they will at the earliest, if somebody keeps trying

    @property
    def problem(self) -> str:
        """What the owner should know first; "" when there is nothing, or nothing but a short wait."""
        if self.outage is None or not self.rules_note:
            return ""
        return f"{self.outage.model} cannot be asked, and the rules note instead: {self.outage.detail}"


@dataclass(frozen=True, slots=True)
class WorkspaceStatus(WorkspaceResult):
    """What `status` shows."""

    at: datetime
    is_set_up: bool
    sources: tuple[SourceCondition, ...]
    backlog: schedule.Backlog
    section_state: str
    is_below_own: bool
    section_units: int
    budget: Budget
    record: Provenance
    is_aside: bool
    hook_problem: str  # while it is kept aside: why no hook puts it into the prompt; "" when one does
    injected: Injected | None
    plugin: PluginHealth | None
    counts: Counts | None
    last_run: Run | None
    daemon: Daemon | None = None
    model: ModelCondition | None = None  # None: the rules do everything
    archives: ArchiveCheck | None = None
    insight: RememberedConflicts | None = None  # what the daemon found last: conflicts, health
    stored: int = 0  # memories in the working layer, which programs stored; they are no observations yet
    kept: Path | None = None  # the memory of a workspace that is not set up: an uninstall has left it there
    problems: tuple[str, ...] = ()

    @property
    def awaiting_review(self) -> int:
        """How many proposals wait for the owner's decision, as `review` counts them."""
        open_ones = self.counts.awaiting_review if self.counts else {}
        return sum(count for reason, count in open_ones.items() if reason not in NOT_LAID_OUT)

    @property
    def exit_code(self) -> Exit:
        return Exit.MENDABLE if self.problems else Exit.OK

    def to_dict(self) -> dict[str, Any]:
        idle, insight, archives = self.backlog.idle_seconds, self.insight, self.archives
        counts, run, daemon = self.counts, self.last_run, self.daemon
        return {
            **self.head(zone=True),
            "zone_from": self.target.zone_from,
            "is_set_up": self.is_set_up,
            "kept": str(self.kept) if self.kept else None,
            "sources": [_source_dict(source, self.at) for source in self.sources],
            "backlog": {"tokens": self.backlog.tokens, "idle_seconds": idle if isfinite(idle) else None},
            "section": {
                "state": self.section_state,
                "units": self.section_units,
                "budget_units": self.budget.body_units,
                "arithmetic": list(self.budget.arithmetic()),
                "reason": self.budget.reason,
            },
            "host": {
                "record": self.record.state,
                "detail": self.record.detail,
                "is_aside": self.is_aside,
                "hook_problem": self.hook_problem,
                "injected_chars": self.injected.injected_chars if self.injected else None,
                "is_truncated": self.injected.is_truncated if self.injected else None,
            },
            "plugin": self.plugin and self.plugin.to_dict(),
            "ledger": counts
            and {
                "observations": counts.observations,
                "live": counts.live,
                "shown": counts.shown,
                "rejected": counts.rejected,
                "redacted": dict(counts.redacted),
                "revisions": counts.revisions,
            },
            "stored": self.stored,
            "last_run": run and {"at": _iso(run.started_at_ms), "outcome": run.outcome, "error": run.error},
            "insight": insight
            and {
                "conflicts": insight.conflict_count,
                "standing_conflicts": insight.standing,
                "health": insight.score,
            },
            "archives": archives
            and {
                "is_installed": archives.is_installed,
                "files": [file.name for file in archives.files],
                "observations": archives.observations,
                "size_bytes": archives.size_bytes,
                "waiting_events": archives.waiting_events,
                "set_aside": [str(path) for path in archives.set_aside],
            },
            "model": _model_dict(self),
            "daemon": daemon
            and {"pid": daemon.pid, "heartbeat": daemon.beat._asdict() if daemon.beat else None},
            "problems": list(self.problems),
        }


def _source_dict(source: SourceCondition, moment: datetime) -> dict[str, Any]:
    return {
        "id": source.id,
        "kind": source.kind,
        "conversations": source.sessions,
        "left_out": source.left_out,
        "newest_at": _iso(source.newest_at_ms),
        "newest_age_seconds": age_seconds(source.newest_at_ms, moment),
        "problem": source.problem,
    }


def _model_dict(status: WorkspaceStatus) -> dict[str, Any] | None:
    model = status.model
    if model is None:
        return None
    outage = model.outage
    return {
        "observer": model.observer,
        "reflector": model.reflector,
        "today": model.used_today._asdict(),
        "trouble": outage
        and {
            "what": outage.trouble,
            "detail": outage.detail,
            "since": _iso(outage.since_ms),
            "last": _iso(outage.last_ms),
            "rules_note": model.rules_note,
        },
        "windows_waiting": model.waiting,
    }


def _iso(at_ms: int | None) -> str | None:
    return datetime.fromtimestamp(at_ms / 1000, UTC).isoformat() if at_ms else None


def read_status(target: Target, now: datetime, env: Mapping[str, str]) -> WorkspaceStatus:
    """Return the condition of *target*; raises UserError only for what hides everything else."""
    if not is_set_up(target.layout):
        return _look(target, None, now, env)
    with open_ledger(target.layout.ledger, create=False, read_only=True) as ledger:
        return _look(target, ledger, now, env)


def _look(target: Target, ledger: Ledger | None, now: datetime, env: Mapping[str, str]) -> WorkspaceStatus:
    shown = look_at_section(target, ledger)
    stores = look_at_stores(target, ledger, now)
    daemon, problems = look_at_daemon(target, now)
    if ledger and (refused := refused_edits(target, ledger)):
        problems = (*problems, refused)
    model = look_at_model(target, ledger, now)
    if model and model.problem:
        problems = (*problems, model.problem)
    archives = look_at_archives(target, ledger) if ledger else None
    if archives:
        problems = (*problems, *archives.problems)
    insight = remembered(ledger) if ledger else None
    injected = next(filter(None, map(injected_report, target.agents)), None)
    problems = (*problems, *map(str, alerts_of(target.config.settings, insight)))
    return WorkspaceStatus(
        target=target,
        at=now,
        is_set_up=ledger is not None,
        sources=stores.sources,
        backlog=stores.backlog,
        section_state=shown.state,
        is_below_own=shown.is_below_own,
        section_units=shown.units,
        budget=shown.budget,
        record=shown.record,
        is_aside=shown.is_aside,
        hook_problem=problem_of_hook(target, env) if shown.is_aside else "",
        injected=injected,
        plugin=plugin_of(target, injected, env),
        counts=ledger.counts() if ledger else None,
        last_run=ledger.last_run("observe") if ledger else None,
        daemon=daemon,
        model=model,
        archives=archives,
        insight=insight,
        stored=count_stored(target),
        kept=kept_by_uninstall(target) if ledger is None else None,
        problems=(*stores.problems, *problems, *shown.problems),
    )


def count_stored(target: Target) -> int:
    """Return how many memories of programs are in the working layer; 0 where it cannot be read."""
    if not target.layout.working.is_file():
        return 0
    with suppress(UserError), closing(WorkingDatabase(target.layout.working)) as db:
        return memories.total(db)
    return 0


def kept_by_uninstall(target: Target) -> Path | None:
    """Return the folder in which an uninstall has kept the memory; None without one."""
    kept = target.layout.kept
    return kept if kept.is_dir() and not kept.is_symlink() else None


def look_at_section(target: Target, ledger: Ledger | None) -> SectionCondition:
    """Return where the section stands; raises UserError for a MEMORY.md that cannot be read."""
    record = memory_record(target)
    memory = read_document(target, ledger, target.layout.memory)[1]
    is_aside = is_kept_aside(target, record)
    shown = read_document(target, ledger, target.layout.aside)[1] if is_aside else memory
    state = _state_of(shown, ledger)
    if is_aside and state == "none" and isinstance(memory.state, markers.Owned):
        state, shown = "still in MEMORY.md", memory
    return SectionCondition(
        state=state,
        is_below_own=markers.is_below_own(shown),
        units=units(shown.state.inner) if isinstance(shown.state, markers.Owned) else 0,
        file_units=utf16_units(memory.text),
        budget=section_budget(target, memory),
        record=record,
        is_aside=is_aside,
        problems=shown.state.problems if isinstance(shown.state, markers.Damaged) else (),
    )


def look_at_stores(target: Target, ledger: Ledger | None, now: datetime) -> Stores:
    """Return what the stores hold and what waits in those that can be read."""
    refs = stores_of(target)
    with open_sources(target, ledger.session_keys() if ledger else {}) as sources:
        found = tuple(
            _source(target, source, agent, store)
            for source, (agent, store) in zip(sources, refs, strict=True)
        )
        usable = [source for source, one in zip(sources, found, strict=True) if not one.problem]
        backlog = waiting(target, ledger, usable, now).backlog
    problems = tuple(text for one in found for text in (*filter(None, [one.problem]), *one.warnings))
    return Stores(found, backlog, problems)


def look_at_daemon(target: Target, now: datetime) -> tuple[Daemon | None, tuple[str, ...]]:
    """Return the workspace's daemon, if one runs, and what there is to say of it."""
    holder = presence(target.layout.state)
    if holder is None:
        return None, ()
    problems: list[str] = []
    beat = heartbeat.read(target.layout.state)
    if beat is not None:
        problems += [f"daemon: {problem}" for problem in beat.problems]
        if beat.age_seconds(now) > _SILENT_SECONDS:
            minutes = counted(int(beat.age_seconds(now) // 60), "minute")
            problems.append(
                f"the daemon (process {beat.pid}) has sent no heartbeat for {minutes}; "
                f"to restart it: kill {beat.pid}"
            )
    return Daemon(holder.pid or (beat.pid if beat else 0), beat), tuple(problems)


def look_at_model(target: Target, ledger: Ledger | None, now: datetime) -> ModelCondition | None:
    """Return how it stands with *target*'s models; None where the rules do everything."""
    settings = target.config.settings
    observer = settings.observer_model
    if observer == OFFLINE == settings.reflector_model:
        return None
    patience = float(seconds(settings.model_patience))
    outage = outage_of(ledger, observer) if ledger else None
    standing = standing_of(target, ledger, now)
    left = max(0.0, patience - outage.waited_seconds) if outage else 0.0
    return ModelCondition(
        observer,
        settings.reflector_model,
        total({target.agent_id: ledger.spend_rows(standing.today) if ledger else []}),
        standing,
        outage,
        len(waiting_windows(ledger, observer)) if ledger else 0,
        outage.is_over(patience) if outage else False,
        outage.last_ms + int(left * 1000) if outage else 0,
    )


def refused_edits(target: Target, ledger: Ledger) -> str:
    """Return what to say while a large deletion waits for the owner's word (rule 7); "" otherwise."""
    if refusal(target, ledger) is not PublishOutcome.TOO_MANY:
        return ""
    return (
        "more than 30 % of the section's lines were gone at once; nothing is written until you say"
        " whether that was intended: scrimshaw accept-edits, or scrimshaw restore"
    )


def _source(target: Target, source: Source, agent: Agent, store: StoreRef) -> SourceCondition:
    try:
        states = source.sessions()
    except UserError as error:
        told = " ".join(error.problems)
        return SourceCondition(source.id, source.kind, 0, {}, None, told, agent.agent_id, store.path)
    settings = target.config.settings
    left_out = Counter(
        state.session.kind.value
        for state in states
        if not schedule.feeds(state.session, settings.sessions, settings.scope)
    )
    newest = max((state.newest_at_ms for state in states), default=None)
    return SourceCondition(
        id=source.id,
        kind=source.kind,
        sessions=len(states) - left_out.total(),
        left_out=dict(left_out),
        newest_at_ms=newest,
        agent_id=agent.agent_id,
        path=store.path,
        warnings=tuple(source.warnings()),
    )


def _state_of(document: markers.Document, ledger: Ledger | None) -> str:
    if ledger is not None and (by := ledger.section_removed_by()):
        return f"removed by {by}"
    match document.state:
        case markers.Owned():
            return "in place"
        case markers.Unmarked():
            return "unmarked"
        case markers.Damaged():
            return "damaged"
        case markers.Absent():
            return "none"
