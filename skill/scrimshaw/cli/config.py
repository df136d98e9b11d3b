"""`scrimshaw config`: the settings in force, each with where it comes from; or a check of the files."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path

import click

from scrimshaw.cli.support.options import as_json, wanted, which
from scrimshaw.cli.support.terminal import tell
from scrimshaw.config import Endpoint, Settings, load
from scrimshaw.config.sample import example
from scrimshaw.errors import UserError
from scrimshaw.workspace import Target, one_of


@click.command()
@which
@click.option("--check", is_flag=True, help="Only check the configuration.")
@click.option("--example", "wants_example", is_flag=True, help="Print a commented file with every default.")
@as_json
def command(
    workspace: Path | None,
    agent: str | None,
    state_dir: Path | None,
    check: bool,
    wants_example: bool,
    wants_json: bool,
) -> None:
    """Show the settings in force and where each of them comes from."""
    if wants_example:
        click.echo(example(), nl=False)
        return
    target = None
    if state_dir is not None:
        target = one_of(wanted(workspace, agent, state_dir), os.environ, undone="Nothing was shown.")
        workspace, agent = target.layout.workspace, target.agent_id
    config = load(workspace, agent or "main", os.environ)
    if check:
        click.echo('{"ok": true}' if wants_json else "The configuration is right.")
        return
    rows = {
        item.name: {"value": getattr(config.settings, item.name), "from": config.origin[item.name]}
        for item in fields(Settings)
    }
    if wants_json:
        click.echo(json.dumps({name: {**row, "value": _plain(row["value"])} for name, row in rows.items()}))
        return
    if config.settings.timezone == "auto" and (target := target or _sole(workspace, agent)):
        rows["timezone"]["from"] = f"{config.origin['timezone']}: {target.zone_told}"
    width = max(map(len, rows))
    for name, row in rows.items():
        tell(f"{name:<{width}}  {_told(row['value']):<14}  {row['from']}")


def _sole(workspace: Path | None, agent: str | None) -> Target | None:
    """Return the workspace that is meant, if there is one; the settings can be looked at without."""
    try:
        return one_of(wanted(workspace, agent, None), os.environ, undone="")
    except UserError:
        return None


def _told(value: object) -> str:
    """Return *value* as a person may read it, on one line."""
    match value:
        case "" | ():
            return "none"
        case Endpoint():
            return value.base_url + (f" (key in {value.key_variable})" if value.key_variable else " (no key)")
        case Mapping():
            return "; ".join(f"{name}: {_told(one)}" for name, one in value.items()) or "none"
        case tuple():
            return ", ".join(map(str, value))
        case _:
            return " ".join(str(value).split())


def _plain(value: object) -> object:
    """Return *value* as JSON holds it."""
    match value:
        case Endpoint():
            return value._asdict()
        case Mapping():
            return {name: _plain(one) for name, one in value.items()}
        case _:
            return value
