"""Plan an install: look at everything, change nothing, and say what is to be done in which order.

First each workspace (skill folder, first observe, AGENTS.md), then each host (hook, its selection), then what
keeps the memories fresh. What cannot or must not be done becomes a note with the way to do it by hand; the
rest is planned all the same.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from scrimshaw.core.section import block
from scrimshaw.host import hooks
from scrimshaw.host.gateway import running_gateway
from scrimshaw.layout import KEPT, Layout
from scrimshaw.resources import program
from scrimshaw.setup import keeping, skill, snippet
from scrimshaw.setup.changes import (
    HOOK,
    FirstObserve,
    KeepFresh,
    Owner,
    Plan,
    PutSnippet,
    SelectHook,
)
from scrimshaw.setup.draft import Draft
from scrimshaw.setup.receipt import MadeFolder, MadeMemory, MadeSnippet, Receipt
from scrimshaw.sources.discover import state_version
from scrimshaw.sources.openclaw_config import read_config
from scrimshaw.sources.versions import is_jsonl_era
from scrimshaw.workspace import Target, Wanted, find_targets, is_set_up

HOOK_SECONDS = 20


class Asked(NamedTuple):
    """What the person wants of an install."""

    wanted: Wanted
    keep_fresh: KeepFresh | None = None  # None: whatever works here
    has_hook: bool = True
    has_snippet: bool = True


def plan(asked: Asked, env: Mapping[str, str]) -> Plan:
    """Return what an install would change; raises UserError when there is no workspace to install for."""
    targets, notes = find_targets(asked.wanted, env)
    draft = Draft(env)
    draft.notes += notes
    for target in targets:
        _workspace(draft, target, asked)
    if asked.has_hook:
        for owner, agents in hosts_of(targets).items():
            _hook(draft, owner, agents)
    keeping.plan(draft, targets, asked.wanted, asked.keep_fresh)
    return Plan(tuple(targets), tuple(draft.changes), tuple(draft.notes), tuple(draft.afterwards))


def hosts_of(targets: list[Target]) -> dict[Owner, dict[str, Path]]:
    """Return the hosts of *targets*, each with the workspaces of its agents."""
    found: dict[Owner, dict[str, Path]] = {}
    for target in targets:
        for agent in target.agents:
            owner = Owner(agent.state_dir, agent.config_path)
            found.setdefault(owner, {})[agent.agent_id] = target.layout.workspace
    return found


def owner_of(target: Target) -> Owner:
    """Return the host whose receipt tells of the workspace: that of its first agent."""
    return Owner(target.agents[0].state_dir, target.agents[0].config_path)


def _workspace(draft: Draft, target: Target, asked: Asked) -> None:
    place = skill.look(target.layout.workspace)
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
    """Tell whether the first run is still to be made, or was cut short."""
    made = receipt.find(MadeMemory, layout.workspace) if receipt else None
    return not is_set_up(layout) or (made is not None and not made.is_done)


def _skill(draft: Draft, target: Target, place: skill.Place) -> None:
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
    found = snippet.look(target.layout.workspace)
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
    owner: Owner, workspaces: Mapping[str, Path], known: hooks.Settings | None
) -> hooks.Settings:
    """Return the hook's settings for *workspaces* and those it serves already."""
    before = known.workspaces if known else {}
    kept = {agent: path for agent, path in before.items() if is_set_up(Layout(Path(path)))}
    every = dict(sorted({**kept, **workspaces}.items()))
    return hooks.Settings(program(), owner.state_dir, owner.config_path, HOOK_SECONDS, every)


def _hook(draft: Draft, owner: Owner, workspaces: Mapping[str, Path]) -> None:
    config = read_config(owner.config_path)
    state = hooks.look(owner.state_dir, config)
    receipt = draft.receipt(owner)
    # An install that was killed in the middle has made the folder and nothing that shows whose it is.
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
    # Before 2026.7.2 a gateway takes no hook from a changed configuration.
    version = state_version(owner.state_dir, config)
    is_reloaded = is_selected and state.files == "absent" and not (version and is_jsonl_era(version))
    if is_code_new and not is_reloaded and running_gateway(owner.state_dir, owner.config_path, draft.env):
        draft.afterwards.append(
            "OpenClaw's gateway runs and loads hooks when it starts: openclaw gateway restart"
        )


def _selection(draft: Draft, owner: Owner, selection: str) -> bool:
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
            draft.notes.append("\n".join(_by_hand(owner)))
    return False


def _by_hand(owner: Owner) -> Iterator[str]:
    yield (
        "The program openclaw was not found (SCRIMSHAW_OPENCLAW can name it), so the hook is not switched "
        f"on. Add this to {owner.config_path}, beside what stands there:"
    )
    yield f'  "hooks": {{"internal": {{"enabled": true, "entries": {{"{HOOK}": {{"enabled": true}}}}}}}}'
