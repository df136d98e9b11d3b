"""Plan what keeps the memories fresh: a service, else the host's cron, else the person is told how.

One service serves every workspace that is set up; one cron job does for a whole host.
"""

from __future__ import annotations

from collections.abc import Iterator

from scrimshaw.errors import UserError
from scrimshaw.host import cron, service, systemctl
from scrimshaw.host.gateway import running_gateway
from scrimshaw.host.unit import Asked, Unit, asked_in
from scrimshaw.resources import program
from scrimshaw.setup import serving
from scrimshaw.setup.changes import InstallService, KeepFresh, Owner, ScheduleCron
from scrimshaw.setup.draft import Draft
from scrimshaw.setup.receipt import job_of
from scrimshaw.workspace import Target, Wanted, is_set_up

_NOTHING = f"Nothing keeps the memories fresh by itself. Next: {systemctl.WITHOUT}"


def plan(draft: Draft, targets: list[Target], wanted: Wanted, choice: KeepFresh | None) -> None:
    """Add what keeps *targets* fresh to *draft*."""
    chosen = choice or _default(draft, targets)
    if chosen == "service":
        _service(draft, targets, wanted)
    elif chosen == "cron":
        for owner in _owners(targets):
            _cron(draft, owner)
    elif choice is None and not any(_has_cron(draft, owner) for owner in _owners(targets)):
        draft.notes.append(_NOTHING)


def is_manager_there() -> bool:
    """Tell whether a systemd of this user answers."""
    try:
        systemctl.state()
    except UserError:
        return False
    return True


def _default(draft: Draft, targets: list[Target]) -> KeepFresh:
    if is_manager_there():
        return "service"
    owners = _owners(targets)
    is_running = any(running_gateway(owner.state_dir, owner.config_path, draft.env) for owner in owners)
    return "cron" if is_running and draft.openclaw is not None else "none"


def _has_cron(draft: Draft, owner: Owner) -> bool:
    job = job_of(draft.receipt(owner))
    return job is not None and bool(job.id) and job.is_at_work


def _owners(targets: list[Target]) -> list[Owner]:
    every = (Owner(agent.state_dir, agent.config_path) for target in targets for agent in target.agents)
    return list(dict.fromkeys(every))


def _service(draft: Draft, targets: list[Target], wanted: Wanted) -> None:
    path = service.unit_path(draft.env)
    workspaces = {target.layout.workspace for target in targets}
    try:
        text = service.read(path)
        state = systemctl.state()
        unit = _covering(draft, text, targets, wanted)
    except UserError as error:
        draft.notes.append(" ".join(str(error).splitlines()))
        return
    if unit is None:
        every = ", ".join(map(str, sorted(workspaces)))
        draft.notes.append(
            f"No one service would find all of {every}. Next: scrimshaw service install --help"
        )
        return
    is_current = text is not None and service.is_current(unit, text)
    if not (is_current and state.is_running and state.enabled == "enabled"):
        draft.changes.append(InstallService(unit.asked, path, unit.writable))


def _covering(draft: Draft, text: str | None, targets: list[Target], wanted: Wanted) -> Unit | None:
    """Return the service that serves all *targets*: as asked for before, else everything, else as wanted."""
    chosen = {target.layout.workspace for target in targets}
    for asked in _candidates(draft, text, wanted):
        try:
            unit, _ = serving.planned(
                asked, draft.env, is_ready=lambda layout: layout.workspace in chosen or is_set_up(layout)
            )
        except UserError:
            continue
        if chosen <= set(unit.writable):
            return unit
    return None


def _candidates(draft: Draft, text: str | None, wanted: Wanted) -> Iterator[Asked]:
    plain = serving.asked(Wanted(), draft.env)
    before = asked_in(text) if text else None
    if before is not None:
        yield plain._replace(options=before.options)
    yield plain
    if wanted.state_dir is not None:
        yield serving.asked(Wanted(state_dir=wanted.state_dir), draft.env)


def _cron(draft: Draft, owner: Owner) -> None:
    if draft.openclaw is None:
        draft.notes.append(
            "The program openclaw was not found (SCRIMSHAW_OPENCLAW can name it): no cron job."
        )
        return
    wanted = cron.argv(program(), owner.state_dir)
    host = cron.Host(draft.openclaw, owner.state_dir, owner.config_path, draft.env)
    try:
        job = cron.find(host)
    except UserError as error:
        draft.notes.append(" ".join(str(error).splitlines()))
        return
    if job is None or not job.is_enabled or job.argv != wanted:
        draft.changes.append(ScheduleCron(owner, draft.openclaw, wanted))
