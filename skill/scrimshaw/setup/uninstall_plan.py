"""Plan an uninstall: remove what the receipts list, and no more; say what is left.

A receipt is completed with what can only be ours but is not in it, because the receipt was lost or a
workspace moved. First the writers are stopped (service, cron), then the host's hook is removed, then each
workspace is restored. Whether the memory itself, section and data, is removed is the person's choice alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, NamedTuple

from scrimshaw import files
from scrimshaw.core.extraction.memory_orders import DELETE_SECTION
from scrimshaw.core.section import block, markers
from scrimshaw.errors import Exit, UserError
from scrimshaw.host import command, cron, hooks, service, systemctl
from scrimshaw.host import plugins as host_plugins
from scrimshaw.host.gateway import running_gateway
from scrimshaw.host.unit import ServiceRequest as UnitAsked
from scrimshaw.host.unit import asked_in
from scrimshaw.layout import KEPT, Layout
from scrimshaw.locks import presence
from scrimshaw.services.publish.memory_file import memory_record
from scrimshaw.setup import belonging, serving, snippet
from scrimshaw.setup.belonging import in_workspace, is_behind_link, is_of, of_host
from scrimshaw.setup.changes import HOOK, InstallService, PutFile, ReceiptOwner
from scrimshaw.setup.receipt import (
    MadeConfig,
    MadeCron,
    MadeFile,
    MadeFolder,
    MadeMemory,
    MadePlugin,
    MadeSnippet,
    Receipt,
    Record,
    digest,
    load_all,
)
from scrimshaw.setup.removals import (
    DeleteData,
    Forget,
    Removal,
    RemoveCron,
    RemoveFile,
    RemoveFolder,
    RestoreConfig,
    SetAside,
    StopService,
    TakeSection,
    TakeSnippet,
)
from scrimshaw.sources.openclaw_config import MAX_CONFIG_BYTES, read_config
from scrimshaw.workspace import Target, Wanted, is_set_up, survey, unreadable


class UninstallOptions(NamedTuple):
    """What the person wants from an uninstall."""

    wanted: Wanted
    section: Literal["keep", "remove"] = "keep"
    data: Literal["keep", "delete"] = "keep"


@dataclass
class Leftover:
    """What there is to remove, looked up once, and the unfinished plan."""

    env: Mapping[str, str]
    asked: UninstallOptions
    receipts: dict[ReceiptOwner, Receipt]
    leaving: dict[Path, Target | None]
    openclaw: Path | None
    changes: list[Removal]
    notes: list[str]


def look_over(asked: UninstallOptions, env: Mapping[str, str]) -> Leftover:
    receipts = {
        ReceiptOwner(Path(receipt.state_dir), Path(receipt.config_path)): receipt for receipt in load_all(env)
    }
    try:
        found = survey(asked.wanted, env)
        targets: dict[Path, Target] = {target.layout.workspace: target for target in found.targets}
    except UserError:
        # The host may be gone; what an install made can be removed all the same.
        if not receipts or asked.wanted.agent is not None:
            raise
        targets = {}
    leaving: dict[Path, Target | None] = {
        path: target for path, target in targets.items() if _is_ours(path, target, receipts)
    }
    for owner, receipt in receipts.items():
        for made in receipt.every(MadeMemory):
            path = Path(made.path)
            if path not in leaving and _is_wanted(path, owner, asked.wanted):
                leaving[path] = None
    for target in leaving.values():
        for agent in target.agents if target else ():
            owner = ReceiptOwner(agent.state_dir, agent.config_path)
            receipts.setdefault(owner, Receipt(str(owner.state_dir), str(owner.config_path), ()))
    concerned = {
        owner: receipt
        for owner, receipt in receipts.items()
        if _concerns(owner, receipt, leaving, asked.wanted)
    }
    for owner in concerned:
        # Our entries in it can neither be found nor be removed.
        if (config := read_config(owner.config_path)).problems:
            raise unreadable(config)
    complete = {owner: _completed(owner, receipt, leaving, concerned) for owner, receipt in concerned.items()}
    return Leftover(env, asked, complete, leaving, command.find_program(env), [], [])


def _completed(
    owner: ReceiptOwner,
    receipt: Receipt,
    leaving: Mapping[Path, Target | None],
    every: Mapping[ReceiptOwner, Receipt],
) -> Receipt:
    """Return *receipt* with things that are ours but not in it: it was lost, or something was moved."""
    found = list(of_host(hooks.hook_state(owner.state_dir, read_config(owner.config_path)), receipt))
    for workspace, target in leaving.items():
        if target and owner.state_dir == target.agents[0].state_dir:
            found += in_workspace(workspace, every.values())
    for record in found:
        receipt = receipt.noted(record)
    return receipt


def _is_ours(workspace: Path, target: Target, receipts: Mapping[ReceiptOwner, Receipt]) -> bool:
    if is_set_up(target.layout) or (workspace / KEPT).is_dir():
        return True
    return any(
        record.path == str(workspace) or is_of(Path(record.path), workspace)
        for receipt in receipts.values()
        for record in receipt.records
    )


def _is_wanted(workspace: Path, owner: ReceiptOwner, wanted: Wanted) -> bool:
    if wanted.agent is not None:
        return False  # the agent is not recorded; the workspace can be named instead
    if wanted.workspace is not None and wanted.workspace.resolve() != workspace:
        return False
    return wanted.state_dir is None or wanted.state_dir.resolve() == owner.state_dir.resolve()


def _concerns(
    owner: ReceiptOwner, receipt: Receipt, leaving: Mapping[Path, Target | None], wanted: Wanted
) -> bool:
    states = {agent.state_dir for target in leaving.values() if target for agent in target.agents}
    if owner.state_dir in states or any(Path(made.path) in leaving for made in receipt.every(MadeMemory)):
        return True
    is_rest = not receipt.every(MadeMemory) and wanted == Wanted()
    return is_rest and bool(receipt.records)


_LARGEST_BYTES = 8 * 1024 * 1024


class UninstallPlan(NamedTuple):
    """An uninstall as planned: its steps, what is left alone and why, and the workspaces it is for.

    *workspaces* has the agents' names of each; "" when the host no longer has them.
    """

    workspaces: tuple[tuple[str, Path], ...]
    changes: tuple[Removal, ...]
    notes: tuple[str, ...]


def plan_uninstall(asked: UninstallOptions, env: Mapping[str, str]) -> UninstallPlan:
    """Return what an uninstall would remove; raises UserError while a daemon outside the service runs."""
    scene = look_over(asked, env)
    if not scene.leaving and not any(receipt.records for receipt in scene.receipts.values()):
        return UninstallPlan((), (), ())
    _refuse_daemons(scene)
    again = list(_service(scene))
    for owner, receipt in scene.receipts.items():
        is_last = _is_last(scene, owner, receipt)
        if is_last:
            _cron(scene, owner, receipt)
            _config(scene, owner, receipt)
        _files(scene, owner, receipt, is_last=is_last)
    for workspace, target in scene.leaving.items():
        _memory(scene, workspace, target)
    for owner, receipt in scene.receipts.items():
        _folders(scene, owner, receipt)
    named = tuple((_names(target), workspace) for workspace, target in scene.leaving.items())
    return UninstallPlan(named, (*scene.changes, *again), tuple(scene.notes))


def _names(target: Target | None) -> str:
    return ", ".join(agent.agent_id for agent in target.agents) if target else ""


def _refuse_daemons(scene: Leftover) -> None:
    for workspace in scene.leaving:
        holder = presence(Layout(workspace).state)
        if holder is None or holder.pid == _service_pid():
            continue
        named = f"process {holder.pid}" if holder.pid else "another process"
        raise UserError(
            f"{workspace}: a daemon that is not the service is at work here ({named}). Nothing was removed.",
            next_step=f"stop it first: kill {holder.pid}"
            if holder.pid
            else "stop `scrimshaw run`, then again",
            exit_code=Exit.LOCKED,
        )


def _service_pid() -> int:
    try:
        return systemctl.state().pid or -1
    except UserError:
        return -1


def _service(scene: Leftover) -> Iterator[InstallService]:
    """Plan to stop the service; yield, as the last step, its reinstall for the workspaces that stay."""
    path = service.unit_path(scene.env)
    try:
        text = service.read(path)
    except UserError:
        return  # somebody else's
    if text is None:
        return
    asked = asked_in(text)
    if asked is None and scene.asked.wanted != Wanted():
        scene.notes.append(f"{path} was changed by hand, so it is left. Next: scrimshaw service install")
        return
    served = _served(scene, asked)
    staying = tuple(path for path in served if path not in scene.leaving)
    if staying == served and served:
        return
    scene.changes.append(StopService(path, for_good=not staying))
    if staying and asked is not None:
        yield InstallService(asked, path, staying)


def _served(scene: Leftover, asked: UnitAsked | None) -> tuple[Path, ...]:
    try:
        return serving.planned(asked, scene.env)[0].writable if asked else ()
    except UserError:
        return ()  # no workspace is left to serve


def _staying(scene: Leftover, owner: ReceiptOwner) -> dict[str, Path]:
    """Return a host's agents whose workspaces stay set up, of those that the hook serves."""
    known = hooks.hook_state(owner.state_dir, read_config(owner.config_path)).settings
    every = known.workspaces if known else {}
    return {agent: Path(path) for agent, path in every.items() if _stays(scene, Path(path))}


def _is_last(scene: Leftover, owner: ReceiptOwner, receipt: Receipt) -> bool:
    made = (Path(memory.path) for memory in receipt.every(MadeMemory))
    return not _staying(scene, owner) and not any(_stays(scene, path) for path in made)


def _stays(scene: Leftover, workspace: Path) -> bool:
    return workspace not in scene.leaving and is_set_up(Layout(workspace))


def _cron(scene: Leftover, owner: ReceiptOwner, receipt: Receipt) -> None:
    made = receipt.find(MadeCron, owner.state_dir)
    if made is None:
        return
    if scene.openclaw is None:
        scene.notes.append(f"openclaw was not found. Next: openclaw cron rm {made.job_id or cron.NAME}")
        return
    host = owner.called(scene.openclaw, scene.env)
    try:
        job = cron.find_job(host)
    except UserError as error:
        scene.notes.append(
            f"The cron job stays, because the gateway cannot be asked ({error.problems[0]}). Next: start it "
            "and run this again"
        )
        return
    if job is None:
        scene.changes.append(Forget(owner, made, "the cron job is gone already"))
    else:
        scene.changes.append(RemoveCron(owner, scene.openclaw, job.id))


def _config(scene: Leftover, owner: ReceiptOwner, receipt: Receipt) -> None:
    made = receipt.find(MadeConfig, owner.config_path)
    if made is None:
        return
    present = files.read_bytes(owner.config_path, MAX_CONFIG_BYTES)
    plugins = receipt.every(MadePlugin)
    both: list[Record] = [made, *plugins]
    folders = [one.path for one in plugins]
    config = read_config(owner.config_path)
    is_named = config.at("hooks", "internal", "entries", HOOK) is not None
    has_plugin = bool(plugins and config.table(*host_plugins.ENTRY))
    if not isinstance(present, bytes) or digest(present) == made.before_sha256:
        scene.changes += [Forget(owner, one, "it is as it was before") for one in both]
    elif belonging.is_only_ours(_read(Path(made.copy)), present, folders):
        scene.changes.append(RestoreConfig(owner, made, present, None))
    elif not is_named and not has_plugin:
        why = "the hook is not named in it any more"
        scene.changes += [Forget(owner, one, why) for one in both]
    elif scene.openclaw is not None:
        scene.changes.append(RestoreConfig(owner, made, present, scene.openclaw))
    else:
        scene.notes.append(
            f"openclaw was not found. Next: take the entry {HOOK} out of hooks.internal.entries"
            f"{' and plugins.entries' if plugins else ''} in {owner.config_path}"
        )


def _files(scene: Leftover, owner: ReceiptOwner, receipt: Receipt, *, is_last: bool) -> None:
    folder = hooks.folder(owner.state_dir)
    for made in receipt.every(MadeFile):
        path = Path(made.path)
        if path.is_relative_to(folder) and not is_last:
            continue
        base = owner.state_dir if path.is_relative_to(folder) else _home_of(scene, path)
        if base is None:
            continue
        present = _read(path)
        if is_behind_link(path, base):
            scene.changes.append(Forget(owner, made, "a folder on the way to it is a symbolic link now"))
        elif present is None:
            scene.changes.append(Forget(owner, made, "it is gone already"))
        elif digest(present) in made.sha256:
            scene.changes.append(RemoveFile(owner, base, path, present))
        else:
            scene.changes.append(Forget(owner, made, "it was changed by hand since it was written"))
    if is_last:
        _alive(scene, owner, folder)
        is_reloaded = any(isinstance(change, RestoreConfig) for change in scene.changes)
        is_loaded = folder.is_dir() and running_gateway(owner.state_dir, owner.config_path, scene.env)
        if is_loaded and not is_reloaded:
            scene.notes.append(
                "The gateway has the hook loaded until it starts again; without its settings it does "
                "nothing. When it suits you: openclaw gateway restart"
            )
    else:
        _shrink_hook(scene, owner, folder)
    for snippet_made in receipt.every(MadeSnippet):
        if _home_of(scene, Path(snippet_made.path)):
            _snippet(scene, owner, snippet_made)


def _alive(scene: Leftover, owner: ReceiptOwner, folder: Path) -> None:
    """Remove what the hook itself has written, including half-written files."""
    if not folder.is_symlink():
        every = sorted(folder.glob("alive.json*"))
        scene.changes += [RemoveFile(owner, owner.state_dir, path, None) for path in every]


def _home_of(scene: Leftover, path: Path) -> Path | None:
    return next((workspace for workspace in scene.leaving if is_of(path, workspace)), None)


def _shrink_hook(scene: Leftover, owner: ReceiptOwner, folder: Path) -> None:
    state = hooks.hook_state(owner.state_dir, read_config(owner.config_path))
    if state.settings is None or state.files == "foreign":
        return
    settings = state.settings._replace(workspaces=_staying(scene, owner))
    text = hooks.files_of(settings)["settings.json"].encode("utf-8", "surrogateescape")
    present = _read(folder / "settings.json")
    if present is not None and present != text:
        path = folder / "settings.json"
        scene.changes.append(PutFile(owner, owner.state_dir, path, text, present))


def _snippet(scene: Leftover, owner: ReceiptOwner, made: MadeSnippet) -> None:
    found = snippet.agents_file(Path(made.path).parent)
    if found.problem:
        scene.notes.append(found.problem)
        return
    match found.state:
        case block.WholeBlock(inner=inner) if inner in made.inners and isinstance(found.raw, bytes):
            rest = block.take_out_block(snippet.file_text(found.raw))
            removes = not rest and not made.file_existed
            scene.changes.append(TakeSnippet(owner, found.path, found.raw, removes))
        case block.WholeBlock():
            scene.changes.append(Forget(owner, made, "Scrimshaw's lines in it were changed by hand"))
        case _:
            scene.changes.append(Forget(owner, made, "Scrimshaw's lines are gone already"))


def _memory(scene: Leftover, workspace: Path, target: Target | None) -> None:
    layout = Layout(workspace)
    owner, made = _memory_record(scene, workspace)
    keeps = scene.asked.data == "keep"
    if scene.asked.section == "remove":
        problem = _why_section_stays(target, layout)
        if problem:
            scene.notes.append(problem)
        elif _has_section(layout):
            scene.changes.append(TakeSection(owner, workspace, target, keeps))
    elif _has_section(layout):
        scene.notes.append(f"{layout.memory}: the section stays as it is. --section remove takes it out")
    if not keeps:
        if layout.state.exists() or (workspace / KEPT).exists() or _dated(layout):
            scene.changes.append(DeleteData(owner, workspace, made.existed if made else None))
    elif layout.state.is_dir() and not layout.state.is_symlink():
        scene.changes.append(SetAside(workspace))


def _memory_record(scene: Leftover, workspace: Path) -> tuple[ReceiptOwner, MadeMemory | None]:
    for owner, receipt in scene.receipts.items():
        made = receipt.find(MadeMemory, workspace)
        if made:
            return owner, made
    return next(iter(scene.receipts)), None


def _why_section_stays(target: Target | None, layout: Layout) -> str:
    if target is None:
        return ""
    record = memory_record(target)
    if record.state == "none" or not target.config.settings.respect_provenance:
        return ""
    return (
        f"{layout.memory}: the section stays, because {record.detail}; if a program wrote the file now, the "
        "host would leave it out of every prompt. Next: tell the agent, in a chat: "
        f'"{DELETE_SECTION}"'
    )


def _has_section(layout: Layout) -> bool:
    raw = _read(layout.memory)
    if raw is None:
        return False
    return isinstance(markers.parse(snippet.file_text(raw)).state, markers.Owned | markers.Damaged)


def _dated(layout: Layout) -> list[Path]:
    return [*layout.dated.glob("obs-????-??-??.md"), *([layout.aside] if layout.aside.is_file() else [])]


def _folders(scene: Leftover, owner: ReceiptOwner, receipt: Receipt) -> None:
    """Plan the removal of the folders that the install made, innermost first."""
    hosts = owner.state_dir / "hooks"
    is_last = _is_last(scene, owner, receipt)
    for made in reversed(receipt.every(MadeFolder)):
        path = Path(made.path)
        if (path.is_relative_to(hosts) and is_last) or _home_of(scene, path):
            scene.changes.append(RemoveFolder(owner, path))


def _read(path: Path) -> bytes | None:
    try:
        found = files.read_bytes(path, _LARGEST_BYTES)
    except UserError:
        return None
    return found if isinstance(found, bytes) else None
