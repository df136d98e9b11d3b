"""`scrimshaw doctor`: look everything over, explain what is wrong, mend what is safe to mend.

`examine` looks, read-only, and never raises for what it examines: what cannot be looked at is a finding.
`mend` does what `--fix` may do, then examines again. `finding_lines` says it. A check is a
function from what was looked up (`sight`) to findings; what belongs together stands in one module.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import datetime
from itertools import chain
from pathlib import Path

from scrimshaw.doctor.finding import (
    Examination,
    Finding,
    Group,
    Severity,
    error,
    finding_lines,
    note,
    ok,
    summary,
)
from scrimshaw.doctor.hook import check_hook, check_placed
from scrimshaw.doctor.host import check_gateway, check_plugins, check_version
from scrimshaw.doctor.keeping import check_backlog, check_keeper, check_last_run, check_locks, check_service
from scrimshaw.doctor.ledger import (
    check_archives,
    check_knowledge,
    check_ledger,
    check_noted,
    check_search,
    check_working,
)
from scrimshaw.doctor.machine import (
    check_clock,
    check_disk,
    check_leftovers,
    check_permissions,
    check_program,
)
from scrimshaw.doctor.memory import check_file, check_prompt, check_room, check_section
from scrimshaw.doctor.mending import mend_one
from scrimshaw.doctor.models import check_models
from scrimshaw.doctor.plugin import check_plugin
from scrimshaw.doctor.record import check_record
from scrimshaw.doctor.sight import HostSight, Unseen, WorkspaceSight, see_host, see_workspace, tried
from scrimshaw.doctor.transcripts import check_transcripts
from scrimshaw.errors import UserError
from scrimshaw.sources.discover import Agent
from scrimshaw.workspace import Survey, Wanted, survey

__all__ = ["Examination", "Finding", "Group", "Severity", "examine", "finding_lines", "mend", "summary"]

_OF_A_WORKSPACE = (
    check_transcripts,
    check_backlog,
    check_record,
    check_file,
    check_section,
    check_room,
    check_prompt,
    check_ledger,
    check_working,
    check_noted,
    check_archives,
    check_search,
    check_knowledge,
    check_last_run,
    check_keeper,
    check_locks,
    check_permissions,
    check_leftovers,
    check_disk,
)
# What is asked about a host: an agent of a home has none.
_OF_A_HOST = frozenset({check_transcripts, check_record, check_prompt, check_keeper})


def examine(wanted: Wanted, env: Mapping[str, str], moment: datetime) -> Examination:
    """Look over the machine, the hosts and the workspaces that are *wanted*; writes nothing."""
    service = [] if wanted.home else list(check_service(env))  # it serves no home
    found = tried(lambda: survey(wanted, env))
    if isinstance(found, Unseen):
        nobody = error("agents", found.what, *found.next_step)
        return Examination(moment.isoformat(), (_machine(env, moment, (), [*service, nobody]),))
    agents: dict[Path, list[Agent]] = {}
    for target in found.targets:
        for agent in target.agents:
            agents.setdefault(agent.state_dir, []).append(agent)
    hosts = {state_dir: see_host(mine, env) for state_dir, mine in agents.items()}
    sights = [see_workspace(target, hosts[target.agents[0].state_dir], moment) for target in found.targets]
    groups = [_machine(env, moment, _places(sights), service)]
    groups += [_host(host, sights, found, moment) for host in hosts.values() if not host.is_none]
    groups += [_workspace(sight, env) for sight in sights]
    for path, problem in found.failed.items():
        groups.append(Group("workspace", "?", str(path), (_unread("settings", problem),)))
    for path, problem in found.unread.items():
        groups.append(Group("host", "OpenClaw", str(path.parent), (_unread("configuration", problem),)))
    return Examination(moment.isoformat(), tuple(groups))


def _unread(topic: str, problem: UserError) -> Finding:
    return error(topic, " ".join(problem.problems), problem.next_step)


def mend(wanted: Wanted, env: Mapping[str, str], moment: datetime) -> Examination:
    """Mend what is safe to mend in the workspaces that are *wanted*, and return a new examination."""
    done: list[str] = []
    failed: list[str] = []
    for group in examine(wanted, env, moment).groups:
        acts = dict.fromkeys(finding.mend for finding in group.findings if finding.mend)
        for act in acts:
            if group.target is not None:
                said, problem = mend_one(group.target, act, moment)
                done += [said] if said else []
                failed += [problem] if problem else []
    return replace(examine(wanted, env, moment), mended=tuple(done), unmended=tuple(failed))


def _machine(
    env: Mapping[str, str], moment: datetime, places: tuple[Path, ...], more: list[Finding]
) -> Group:
    findings = (*check_program(), *check_clock(moment, places, env), *more)
    return Group("machine", "this machine", "", findings)


def _host(host: HostSight, sights: list[WorkspaceSight], found: Survey, moment: datetime) -> Group:
    mine = [sight for sight in sights if sight.host.state_dir == host.state_dir]
    served = [sight for sight in mine if sight.is_set_up]
    checks = chain(
        check_version(host),
        check_gateway(host, moment),
        check_hook(host, served, moment),
        check_placed(host),
        check_plugins(host, mine),
        check_plugin(host),
        _agents(host, mine, found),
    )
    return Group("host", "OpenClaw", str(host.state_dir), tuple(checks))


def _agents(host: HostSight, mine: list[WorkspaceSight], found: Survey) -> Iterator[Finding]:
    served, others = [
        [agent.agent.agent_id for sight in mine if sight.is_set_up is wanted for agent in sight.agents]
        for wanted in (True, False)
    ]
    if others:
        told = f"served: {', '.join(served) or 'none'}; not set up: {', '.join(others)}."
        step = "scrimshaw install" if host.receipt else f"scrimshaw init --agent {others[0]}"
        yield note("agents", told, step)
    else:
        yield ok("agents", f"{', '.join(served)}: all set up")
    for text in found.notes:
        yield note("agents", text)


def _workspace(sight: WorkspaceSight, env: Mapping[str, str]) -> Group:
    target = sight.target
    name = ", ".join(agent.agent_id for agent in target.agents)
    checks = [check for check in _OF_A_WORKSPACE if not (sight.host.is_none and check in _OF_A_HOST)]
    findings = chain(chain.from_iterable(check(sight) for check in checks), check_models(sight, env))
    return Group("workspace", name, f"{target.layout.workspace}  ({target.zone})", tuple(findings), target)


def _places(sights: list[WorkspaceSight]) -> tuple[Path, ...]:
    """Return files that the host or we write often: what their times say of the clock."""
    return tuple(
        path
        for sight in sights
        for path in (
            sight.target.layout.memory,
            sight.target.layout.ledger,
            *(store.path for agent in sight.target.agents for store in agent.stores),
        )
    )
