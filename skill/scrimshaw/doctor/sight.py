"""What the checks judge: everything about a workspace and its host, looked up once, read-only.

A piece that cannot be looked at becomes `Unseen`, with what was in the way, and does not hide the others.
Nothing here is judged, nothing is written, and no program of the host is started.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import NamedTuple, TypeVar

from scrimshaw.errors import UserError
from scrimshaw.host.activity import (
    Activity,
    NewestFile,
    StoreFacts,
    newest_activity,
    newest_transcript_file,
    store_facts,
    unknown_store_files,
)
from scrimshaw.host.gateway import Gateway, running_gateway
from scrimshaw.host.hooks import HookState
from scrimshaw.host.openclaw import HostLimits, Injected, injected_report, limits
from scrimshaw.services.archive.check import ArchiveCheck
from scrimshaw.services.archive.check import inspect_archives as look_at_archives
from scrimshaw.services.edit.recheck import Rechecked, recheck
from scrimshaw.services.publish.memory_file import place_of
from scrimshaw.services.status.hook_health import hook_of
from scrimshaw.services.status.status import (
    Daemon,
    SectionCondition,
    Stores,
    look_at_daemon,
    look_at_section,
    look_at_stores,
    refused_edits,
)
from scrimshaw.setup.receipt import Receipt, load_receipt
from scrimshaw.sources.discover import Agent, state_version
from scrimshaw.sources.openclaw_config import HostConfig, read_config
from scrimshaw.sources.readonly import faults_in
from scrimshaw.sources.versions import Version, parse_version
from scrimshaw.store.database import open_database
from scrimshaw.store.ledger import Ledger, open_ledger
from scrimshaw.store.records import Counts, RevisionState, Run
from scrimshaw.workspace import Target, is_set_up

# A full look at a larger ledger would take longer than the whole examination may.
LARGEST_CHECKED_BYTES = 128 * 1024 * 1024

T = TypeVar("T")


class Unseen(NamedTuple):
    """Something that could not be looked at."""

    what: str
    next_step: tuple[str, ...] = ()


class LedgerSight(NamedTuple):
    """What an opened ledger says."""

    damage: tuple[str, ...]
    is_checked: bool  # False: too large to be gone over here
    counts: Counts
    last_run: Run | None
    open_places: tuple[str, ...]  # files of which a kill left open whether they were written
    refused: str
    archives: ArchiveCheck


class WorkingSight(NamedTuple):
    """What the working layer's file says."""

    damage: tuple[str, ...]
    is_checked: bool  # False: too large to be gone over here


class AgentSight(NamedTuple):
    """One agent, as its host has it."""

    agent: Agent
    limits: HostLimits
    injected: Injected | None
    activity: Activity | None
    newest_file: NewestFile | None
    unknown_files: tuple[NewestFile, ...]
    facts: Mapping[Path, StoreFacts]


class HostSight(NamedTuple):
    """A state directory."""

    state_dir: Path
    config: HostConfig
    version: Version | None
    gateway: Gateway | None
    hook: HookState
    receipt: Receipt | Unseen | None
    is_none: bool = False  # of agents that live in a home


@dataclass(frozen=True, slots=True)
class WorkspaceSight:
    """A workspace with the agents that live in it."""

    target: Target
    moment: datetime
    is_set_up: bool
    host: HostSight
    agents: tuple[AgentSight, ...]
    ledger: LedgerSight | Unseen | None
    stores: Stores | Unseen
    section: SectionCondition | Unseen
    daemon: Daemon | None
    daemon_problems: tuple[str, ...]
    rechecked: Rechecked | Unseen | None = None  # None: no ledger that could be read
    working: WorkingSight | Unseen | None = None  # None: no program has handed in anything


def tried(look: Callable[[], T]) -> T | Unseen:
    """Return what *look* finds, or why it could not."""
    try:
        return look()
    except UserError as error:
        return Unseen(" ".join(error.problems), (error.next_step,) if error.next_step else ())
    except OSError as error:
        return Unseen(f"{error.filename or 'a file'}: cannot be looked at ({error.strerror}).")


def see_host(agents: Iterable[Agent], env: Mapping[str, str]) -> HostSight:
    """Look at the host whose *agents* these are: one state directory."""
    every = list(agents)
    state_dir, config_path = every[0].state_dir, every[0].config_path
    config = read_config(config_path)
    stores = [store.path for agent in every for store in agent.stores if store.kind == "sqlite"]
    versions = [
        state_version(state_dir, config),
        *(parse_version(store_facts(path).app_version) for path in stores),
    ]
    return HostSight(
        state_dir,
        config,
        max(filter(None, versions), default=None),
        running_gateway(state_dir, config_path, env),
        hook_of(state_dir, config),
        tried(lambda: load_receipt(env, state_dir)),
        every[0].home is not None,
    )


def see_workspace(target: Target, host: HostSight, moment: datetime) -> WorkspaceSight:
    daemon, problems = look_at_daemon(target, moment)
    is_ours, layout = is_set_up(target.layout), target.layout
    opened = tried(lambda: open_ledger(layout.ledger, create=False, read_only=True)) if is_ours else None
    ledger = opened if isinstance(opened, Ledger) else None
    unseen = opened if isinstance(opened, Unseen) else None
    try:
        return WorkspaceSight(
            target=target,
            moment=moment,
            is_set_up=is_ours,
            host=host,
            agents=tuple(_see_agent(agent) for agent in target.agents),
            ledger=unseen if ledger is None else tried(lambda: _see_ledger(target, ledger)),
            stores=_with_or_without(ledger, lambda ledger: look_at_stores(target, ledger, moment)),
            section=_with_or_without(ledger, lambda ledger: look_at_section(target, ledger)),
            daemon=daemon,
            daemon_problems=problems,
            rechecked=None if ledger is None else tried(lambda: recheck(target, ledger)),
            working=tried(lambda: _see_working(layout.working)) if is_ours else None,
        )
    finally:
        if ledger is not None:
            ledger.close()


def _with_or_without(ledger: Ledger | None, look: Callable[[Ledger | None], T]) -> T | Unseen:
    """Return what *look* finds; a ledger that opens and cannot be read must not hide what lies beside it."""
    found = tried(lambda: look(ledger))
    return tried(lambda: look(None)) if isinstance(found, Unseen) and ledger is not None else found


def _see_ledger(target: Target, ledger: Ledger) -> LedgerSight:
    is_checked = _is_small(ledger.path)
    return LedgerSight(
        damage=_damage(ledger.path) if is_checked else (),
        is_checked=is_checked,
        counts=ledger.counts(),
        last_run=ledger.last_run("observe"),
        open_places=tuple(_open_places(target, ledger)),
        refused=_refused(target, ledger),
        archives=look_at_archives(target, ledger, is_thorough=True),
    )


def _is_small(path: Path) -> bool:
    return sum(_size(path.with_name(path.name + end)) for end in ("", "-wal")) <= LARGEST_CHECKED_BYTES


def _see_working(path: Path) -> WorkingSight | None:
    if not os.path.lexists(path):
        return None
    is_checked = _is_small(path)
    return WorkingSight(faults_in(path, is_thorough=is_checked), is_checked)


def _refused(target: Target, ledger: Ledger) -> str:
    # This reads MEMORY.md; a file that cannot be read is reported by its own check.
    found = tried(lambda: refused_edits(target, ledger))
    return "" if isinstance(found, Unseen) else found


def _damage(path: Path) -> tuple[str, ...]:
    database = open_database(path, create=False, read_only=True)
    try:
        return tuple(str(row[0]) for row in database.rows("pragma quick_check(5)") if row[0] != "ok")
    finally:
        database.close()


def _open_places(target: Target, ledger: Ledger) -> Iterable[str]:
    for path in (target.layout.memory, target.layout.aside):
        newest = next(iter(ledger.revisions(1, place_of(target, path))), None)
        if newest is not None and newest.state is RevisionState.INTENDED:
            yield newest.place


def _see_agent(agent: Agent) -> AgentSight:
    return AgentSight(
        agent,
        limits(agent),
        injected_report(agent),
        newest_activity(agent),
        newest_transcript_file(agent),
        tuple(unknown_store_files(agent)),
        {store.path: store_facts(store.path) for store in agent.stores if store.kind == "sqlite"},
    )


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0
