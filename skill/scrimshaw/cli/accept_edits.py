"""`scrimshaw accept-edits`: the large deletion in the section was meant (rule 7)."""

from __future__ import annotations

import os
from pathlib import Path

import click

from scrimshaw.cli.support.options import as_json, wanted, which
from scrimshaw.cli.support.running import Way, go


@click.command("accept-edits")
@which
@as_json
def command(workspace: Path | None, agent: str | None, state_dir: Path | None, wants_json: bool) -> int:
    """Accept a large change that you made to the section by hand: deleted lines stay deleted."""
    way = Way(edits_are_accepted=True, wants_json=wants_json)
    return go(wanted(workspace, agent, state_dir), way, os.environ)
