"""`scrimshaw doctor`: look everything over, explain what is wrong, mend what is safe to mend."""

from __future__ import annotations

import json
import os
from pathlib import Path

import click

from scrimshaw.cli.support.options import as_json, wanted, which
from scrimshaw.cli.support.terminal import tell
from scrimshaw.clock import now
from scrimshaw.doctor import examine, lines_of, mend


@click.command()
@which
@click.option("--fix", "mends", is_flag=True, help="Repair what is safe to repair, say so, and check again.")
@as_json
def command(
    workspace: Path | None, agent: str | None, state_dir: Path | None, mends: bool, wants_json: bool
) -> int:
    """Check everything and name the next step for each problem. Without --fix nothing is written."""
    found = (mend if mends else examine)(wanted(workspace, agent, state_dir), os.environ, now(os.environ))
    if wants_json:
        click.echo(json.dumps(found.to_dict()))
    else:
        for line in lines_of(found):
            tell(line)
    return int(found.exit_code)
