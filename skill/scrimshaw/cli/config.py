"""`scrimshaw config`: the settings in force, each with where it comes from; or a check of the files."""

from __future__ import annotations

import json
import os
from dataclasses import fields
from pathlib import Path

import click

from scrimshaw.cli.options import as_json
from scrimshaw.cli.terminal import tell
from scrimshaw.config import Settings, example, load


@click.command()
@click.option(
    "--workspace", type=click.Path(path_type=Path), metavar="FOLDER", help="With this workspace's file."
)
@click.option("--agent", default="main", show_default=True, metavar="ID", help="As in force for this agent.")
@click.option("--check", is_flag=True, help="Only say whether everything is right.")
@click.option("--example", "wants_example", is_flag=True, help="Print a commented file with every default.")
@as_json
def command(workspace: Path | None, agent: str, check: bool, wants_example: bool, wants_json: bool) -> None:
    """Show the settings in force and where each of them comes from."""
    if wants_example:
        click.echo(example(), nl=False)
        return
    config = load(workspace, agent, os.environ)
    if check:
        click.echo('{"ok": true}' if wants_json else "The configuration is right.")
        return
    rows = {
        item.name: {"value": getattr(config.settings, item.name), "from": config.origin[item.name]}
        for item in fields(Settings)
    }
    if wants_json:
        click.echo(json.dumps(rows))
        return
    width = max(map(len, rows))
    for name, row in rows.items():
        value = row["value"]
        told = ", ".join(value) if isinstance(value, tuple) else value
        tell(f"{name:<{width}}  {told!s:<14}  {row['from']}")
