"""What an uninstall finds: which workspaces are left, which receipts tell of them, what stands there besides.

A receipt is completed by what can only be ours and is not in it: it was lost, or a workspace was moved.
Looks only; what is to be done with it is planned in leaving.py.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, NamedTuple

from scrimshaw.errors import UserError
from scrimshaw.host import command, hooks
from scrimshaw.layout import KEPT
from scrimshaw.setup.belonging import in_workspace, is_of, of_host
from scrimshaw.setup.changes import Owner, Removal
from scrimshaw.setup.receipt import MadeMemory, Receipt, load_all
from scrimshaw.sources.openclaw_config import read_config
from scrimshaw.workspace import Target, Wanted, is_set_up, survey, unreadable


class Asked(NamedTuple):
    """What the person wants of an uninstall."""

    wanted: Wanted
    section: Literal["keep", "remove"] = "keep"
    data: Literal["keep", "delete"] = "keep"


@dataclass
class Scene:
    """What there is to take away, looked up once, and the plan in the making."""

    env: Mapping[str, str]
    asked: Asked
    receipts: dict[Owner, Receipt]
    leaving: dict[Path, Target | None]
    openclaw: Path | None
    changes: list[Removal]
    notes: list[str]


def look(asked: Asked, env: Mapping[str, str]) -> Scene:
    receipts = {
        Owner(Path(receipt.state_dir), Path(receipt.config_path)): receipt for receipt in load_all(env)
    }
    try:
        found = survey(asked.wanted, env)
        targets: dict[Path, Target] = {target.layout.workspace: target for target in found.targets}
    except UserError:
        # The host may be gone; what was made can be taken away all the same.
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
            owner = Owner(agent.state_dir, agent.config_path)
            receipts.setdefault(owner, Receipt(str(owner.state_dir), str(owner.config_path)))
    concerned = {
        owner: receipt
        for owner, receipt in receipts.items()
        if _concerns(owner, receipt, leaving, asked.wanted)
    }
    for owner in concerned:
        # What of ours stands in it cannot be told, nor be taken out.
        if (config := read_config(owner.config_path)).problems:
            raise unreadable(config)
    complete = {owner: _completed(owner, receipt, leaving, concerned) for owner, receipt in concerned.items()}
    return Scene(env, asked, complete, leaving, command.find(env), [], [])


def _completed(
    owner: Owner,
    receipt: Receipt,
    leaving: Mapping[Path, Target | None],
    every: Mapping[Owner, Receipt],
) -> Receipt:
    """Return *receipt* with what stands there as ours and is not in it: it was lost, or something moved."""
    found = list(of_host(hooks.look(owner.state_dir, read_config(owner.config_path)), receipt))
    for workspace, target in leaving.items():
        if target and owner.state_dir == target.agents[0].state_dir:
            found += in_workspace(workspace, every.values())
    for record in found:
        receipt = receipt.noted(record)
    return receipt


def _is_ours(workspace: Path, target: Target, receipts: Mapping[Owner, Receipt]) -> bool:
    if is_set_up(target.layout) or (workspace / KEPT).is_dir():
        return True
    return any(
        record.path == str(workspace) or is_of(Path(record.path), workspace)
        for receipt in receipts.values()
        for record in receipt.records
    )


def _is_wanted(workspace: Path, owner: Owner, wanted: Wanted) -> bool:
    if wanted.agent is not None:
        return False  # whose it was is not written down; by its workspace it can be named
    if wanted.workspace is not None and wanted.workspace.resolve() != workspace:
        return False
    return wanted.state_dir is None or wanted.state_dir.resolve() == owner.state_dir.resolve()


def _concerns(owner: Owner, receipt: Receipt, leaving: Mapping[Path, Target | None], wanted: Wanted) -> bool:
    states = {agent.state_dir for target in leaving.values() if target for agent in target.agents}
    if owner.state_dir in states or any(Path(made.path) in leaving for made in receipt.every(MadeMemory)):
        return True
    is_rest = not receipt.every(MadeMemory) and wanted == Wanted()
    return is_rest and bool(receipt.records)
