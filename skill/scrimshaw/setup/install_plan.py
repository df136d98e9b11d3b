"""Plan an install: look at everything, change nothing, and list the changes in order.

First each workspace (skill folder, first observe, AGENTS.md), then each host (hook, its selection), then what
keeps the memories up to date: a service for every workspace that is set up, else one cron job for each host,
else the person is told how to run it. What cannot or must not be done becomes a note with the way to do it by
hand; everything else is still planned.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from scrimshaw import files
from scrimshaw.core.section import block
from scrimshaw.errors import UserError
from scrimshaw.host import command, cron, hooks, service, systemctl
from scrimshaw.host import plugins as host_plugins
from scrimshaw.host.gateway import running_gateway
from scrimshaw.host.unit import ServiceRequest, ServiceUnit, asked_in
from scrimshaw.layout import KEPT, Layout
from scrimshaw.resources import plugin_folder, program
from scrimshaw.services.status.hook_health import load_problem
from scrimshaw.setup import plugin, serving, skill, snippet
from scrimshaw.setup.changes import (
    HOOK,
    Change,
    FirstObserve,
    InstallPlan,
    InstallService,
    KeepFresh,
    PutFile,
    PutSnippet,
    ReceiptOwner,
    ScheduleCron,
    SelectHook,
    SelectPlugin,
)
from scrimshaw.setup.plugin import PluginParts
from scrimshaw.setup.receipt import (
    MadeFile,
    MadeFolder,
    MadeMemory,
    MadeSnippet,
    Receipt,
    digest,
    job_of,
    load_receipt,
)
from scrimshaw.sources.discover import state_version
from scrimshaw.sources.openclaw_config import read_config
from scrimshaw.sources.versions import is_jsonl_era
from scrimshaw.workspace import Target, Wanted, find_targets, is_set_up

_LARGEST_BYTES = 1024 * 1024


class Draft:
    """An unfinished plan."""

    def __init__(self, env: Mapping[str, str]) -> None:
        self.env = env
        self.openclaw = command.find_program(env)
        self.changes: list[Change] = []
        self.notes: list[str] = []
        self.afterwards: list[str] = []
        self._receipts: dict[Path, Receipt | None] = {}

    def receipt(self, owner: ReceiptOwner) -> Receipt | None:
        """Return the receipt for a host from earlier installs, None without one."""
        if owner.state_dir not in self._receipts:
            self._receipts[owner.state_dir] = load_receipt(self.env, owner.state_dir)
        return self._receipts[owner.state_dir]

    def put(self, owner: ReceiptOwner, base: Path, path: Path, data: bytes, mode: int = 0o644) -> bool:
        """Plan the file *path* unless it is as wanted; one that was changed by hand is left."""
        try:
            present = files.read_bytes(path, _LARGEST_BYTES)
        except UserError:
            present = files.ABSENT  # why it cannot be read is reported when the change is made
        if present == data:
            return False
        if isinstance(present, bytes) and not self._is_own(owner, path, present):
            self.notes.append(
                f"{path}: changed by hand since it was written, so it is left. To have it written "
                "again: remove it and run this again"
            )
            return False
        self.changes.append(PutFile(owner, base, path, data, present, mode))
        return True

    def _is_own(self, owner: ReceiptOwner, path: Path, present: bytes) -> bool:
        receipt = self.receipt(owner)
        made = receipt.find(MadeFile, path) if receipt else None
        # Without a receipt nobody can tell who made these changes; the folder itself is known to be ours.
        return made is None or digest(present) in made.sha256


HOOK_SECONDS = 20


class InstallOptions(NamedTuple):
    """What the person wants from an install."""

    wanted: Wanted
    keep_fresh: KeepFresh | None = None  # None: whatever works on this machine
    has_hook: bool = True
    has_snippet: bool = True
    plugin: PluginParts | None = None


def plan_install(asked: InstallOptions, env: Mapping[str, str]) -> InstallPlan:
    """Return what an install would change; raises UserError when there is no workspace to install for."""
    targets, notes = find_targets(asked.wanted, env)
    draft = Draft(env)
    draft.notes += notes
    for target in targets:
        _workspace(draft, target, asked)
    if asked.has_hook:
        for owner, agents in hosts_of(targets).items():
            _hook(draft, owner, agents)
    if asked.plugin:
        for owner in hosts_of(targets):
            _plugin(draft, owner, asked.plugin)
    keep_fresh(draft, targets, asked.wanted, asked.keep_fresh)
    return InstallPlan(tuple(targets), tuple(draft.changes), tuple(draft.notes), tuple(draft.afterwards))


def hosts_of(targets: list[Target]) -> dict[ReceiptOwner, dict[str, Path]]:
    """Return the hosts of *targets*, each with the workspaces of its agents."""
    found: dict[ReceiptOwner, dict[str, Path]] = {}
    for target in targets:
        for agent in target.agents:
            owner = ReceiptOwner(agent.state_dir, agent.config_path)
            found.setdefault(owner, {})[agent.agent_id] = target.layout.workspace
    return found


def owner_of(target: Target) -> ReceiptOwner:
    """Return the host whose receipt records the workspace: that of its first agent."""
    return ReceiptOwner(target.agents[0].state_dir, target.agents[0].config_path)


def _workspace(draft: Draft, target: Target, asked: InstallOptions) -> None:
    place = skill.skill_place(target.layout.workspace)
    _skill(draft, target, place)
    if needs_first_observe(target.layout, draft.receipt(owner_of(target))):
        takes_up = not target.layout.state.exists() and _is_kept(target.layout)
        draft.changes.append(FirstObserve(owner_of(target), target, takes_up))
    if asked.has_snippet and place.kind not in ("foreign", "link"):
        _snippet(draft, target, place.command)


def _is_kept(layout: Layout) -> bool:
    kept = layout.workspace / KEPT
    return kept.is_dir() and not kept.is_symlink()


def needs_first_observe(layout: Layout, receipt: Receipt | None) -> bool:
    """Tell whether the first run has not been made, or was interrupted."""
    made = receipt.find(MadeMemory, layout.workspace) if receipt else None
    return not is_set_up(layout) or (made is not None and not made.is_done)


def _skill(draft: Draft, target: Target, place: skill.SkillPlace) -> None:
    match place.kind:
        case "checkout":
            return
        case "foreign":
            draft.notes.append(
                f"{place.folder}: there is a folder of this name that this install has not made; it is left "
                "as it is, and AGENTS.md too. If it is a copy of Scrimshaw, run its own scripts/install"
            )
        case "link":
            draft.notes.append(
                f"{place.folder}: a symbolic link (or inside of one), which OpenClaw does not follow out of "
                "the workspace; it is left as it is. Next: remove it (or put the folder itself there), then "
                "run this again"
            )
        case "ours" | "absent":
            workspace = target.layout.workspace
            for name, (data, mode) in skill.files_of(workspace).items():
                draft.put(owner_of(target), workspace, place.folder / name, data, mode)


def _snippet(draft: Draft, target: Target, command_path: Path) -> None:
    found = snippet.agents_file(target.layout.workspace)
    wanted = snippet.inner(command_path)
    if found.problem:
        draft.notes.append(found.problem)
        return
    receipt = draft.receipt(owner_of(target))
    made = receipt.find(MadeSnippet, found.path) if receipt else None
    match found.state:
        case block.WholeBlock(inner=present) if present == wanted:
            return
        case block.WholeBlock(inner=present) if made and present not in made.inners:
            draft.notes.append(
                f"{found.path}: Scrimshaw's lines were changed by hand, so they are left. To have them "
                "written again: remove them with their markers and run this again"
            )
            return
    is_new = isinstance(found.state, block.NoBlock)
    draft.changes.append(PutSnippet(owner_of(target), found.path, wanted, found.raw, is_new))


def hook_settings(
    owner: ReceiptOwner, workspaces: Mapping[str, Path], known: hooks.HookSettings | None
) -> hooks.HookSettings:
    """Return the hook's settings for *workspaces* and for those it already serves."""
    before = known.workspaces if known else {}
    kept = {agent: path for agent, path in before.items() if is_set_up(Layout(Path(path)))}
    every = dict(sorted({**kept, **workspaces}.items()))
    return hooks.HookSettings(program(), owner.state_dir, owner.config_path, HOOK_SECONDS, every)


def _hook(draft: Draft, owner: ReceiptOwner, workspaces: Mapping[str, Path]) -> None:
    config = read_config(owner.config_path)
    state = hooks.hook_state(owner.state_dir, config)
    receipt = draft.receipt(owner)
    # An install that was killed may have made the folder and nothing in it that shows whose it is.
    is_own = receipt is not None and receipt.find(MadeFolder, state.folder) is not None
    if state.files == "foreign" and not is_own:
        draft.notes.append(
            f"{state.folder}: there is a hook of this name that Scrimshaw has not written; it is left as it "
            f"is, and no hook is installed. Next: move it away, then run this again"
        )
        return
    settings = hook_settings(owner, workspaces, state.settings)
    changed = [
        name
        for name, text in hooks.files_of(settings).items()
        if draft.put(owner, owner.state_dir, state.folder / name, text.encode("utf-8", "surrogateescape"))
    ]
    is_selected = _selection(draft, owner, state.selection)
    is_code_new = any(name != "settings.json" for name in changed)
    # Before 2026.7.2 a running gateway does not load hooks from a changed configuration.
    version = state_version(owner.state_dir, config)
    is_reloaded = is_selected and state.files == "absent" and not (version and is_jsonl_era(version))
    if is_code_new and not is_reloaded and running_gateway(owner.state_dir, owner.config_path, draft.env):
        draft.afterwards.append(
            "OpenClaw's gateway runs and loads hooks when it starts: openclaw gateway restart"
        )


def _selection(draft: Draft, owner: ReceiptOwner, selection: str) -> bool:
    """Plan the hook's selection where it is needed; tell whether the configuration is to change."""
    match selection:
        case "off":
            draft.notes.append(
                f"{owner.config_path}: hooks.internal.enabled is false, so OpenClaw loads no hook. That is "
                "yours to decide: the memory works, but not before a compaction, and a MEMORY.md that the "
                f"agent edits is not healed. Next, if you want it: openclaw hooks enable {HOOK}"
            )
        case "disabled-entry":
            draft.notes.append(
                f"{owner.config_path}: the hook is disabled by name and stays so. Next, if you want it: "
                f"openclaw hooks enable {HOOK}"
            )
        case "not-named" | "not-loaded" if draft.openclaw is not None:
            draft.changes.append(SelectHook(owner, draft.openclaw))
            return True
        case "not-named" | "not-loaded":
            entry = f'{{"internal": {{"enabled": true, "entries": {{"{HOOK}": {{"enabled": true}}}}}}}}'
            draft.notes.append(
                "The program openclaw was not found (SCRIMSHAW_OPENCLAW can name it), so the hook is not "
                f"switched on. Add this to {owner.config_path}, beside what stands there:\n"
                f'  "hooks": {entry}'
            )
    return False


def _plugin(draft: Draft, owner: ReceiptOwner, parts: PluginParts) -> None:
    config = read_config(owner.config_path)
    why_not = host_plugins.hindrance(config, state_version(owner.state_dir, config))
    if why_not:
        draft.notes.append(f"{owner.config_path}: {why_not}. No plug-in is installed")
        return
    folder, entry = plugin_folder(), plugin.wanted_entry(config, program(), parts)
    if plugin.is_selected(config, folder, entry):
        return
    if draft.openclaw is None:
        draft.notes.append(
            "The program openclaw was not found (SCRIMSHAW_OPENCLAW can name it), so the plug-in is not put "
            f"into {owner.config_path}"
        )
        return
    draft.changes.append(SelectPlugin(owner, draft.openclaw, folder, entry))


_NOTHING = f"Nothing keeps the memories fresh by itself. Next: {systemctl.WITHOUT}"


def keep_fresh(draft: Draft, targets: list[Target], wanted: Wanted, choice: KeepFresh | None) -> None:
    """Add to *draft* what keeps *targets* up to date."""
    chosen = choice or _default(draft, targets)
    if chosen == "service":
        _service(draft, targets, wanted)
    elif chosen == "cron":
        for owner in hosts_of(targets):
            _cron(draft, owner)
    elif choice is None and not any(_has_cron(draft, owner) for owner in hosts_of(targets)):
        draft.notes.append(_NOTHING)


def is_manager_there() -> bool:
    """Tell whether this user's systemd answers."""
    try:
        systemctl.state()
    except UserError:
        return False
    return True


def _default(draft: Draft, targets: list[Target]) -> KeepFresh:
    if is_manager_there():
        return "service"
    owners = hosts_of(targets)
    is_running = any(running_gateway(owner.state_dir, owner.config_path, draft.env) for owner in owners)
    return "cron" if is_running and draft.openclaw is not None else "none"


def _has_cron(draft: Draft, owner: ReceiptOwner) -> bool:
    job = job_of(draft.receipt(owner))
    return job is not None and bool(job.id) and job.is_at_work


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


def _covering(draft: Draft, text: str | None, targets: list[Target], wanted: Wanted) -> ServiceUnit | None:
    """Return the service for all *targets*: as requested before, else for everything, else as wanted now."""
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


def _candidates(draft: Draft, text: str | None, wanted: Wanted) -> Iterator[ServiceRequest]:
    plain = serving.asked(Wanted(), draft.env)
    before = asked_in(text) if text else None
    if before is not None:
        yield plain._replace(options=before.options)
    yield plain
    if wanted.state_dir is not None:
        yield serving.asked(Wanted(state_dir=wanted.state_dir), draft.env)


def _cron(draft: Draft, owner: ReceiptOwner) -> None:
    if draft.openclaw is None:
        draft.notes.append(
            "The program openclaw was not found (SCRIMSHAW_OPENCLAW can name it): no cron job."
        )
        return
    wanted = cron.argv(program(), owner.state_dir)
    host = owner.called(draft.openclaw, draft.env)
    try:
        job = cron.find_job(host)
    except UserError as error:
        draft.notes.append(" ".join(str(error).splitlines()))
        return
    if job is None or not job.is_enabled or job.argv != wanted:
        draft.changes.append(ScheduleCron(owner, draft.openclaw, wanted))


_TRIES = 40
_PAUSE_SECONDS = 0.25


def until_loaded(changes: Iterable[Change], env: Mapping[str, str], sleep: Callable[[float], None]) -> bool:
    """Return whether every gateway with a changed configuration has loaded the hook; waits at most 10 s."""
    owners = {change.owner for change in changes if isinstance(change, SelectHook)}
    for _ in range(_TRIES):
        owners = {
            owner
            for owner in owners
            if load_problem(
                hooks.hook_state(owner.state_dir, read_config(owner.config_path)),
                running_gateway(owner.state_dir, owner.config_path, env),
            )
        }
        if not owners:
            return True
        sleep(_PAUSE_SECONDS)
    return False
