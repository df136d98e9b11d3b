"""`scrimshaw restore`: the large deletion in the section was not meant (rule 7)."""

from __future__ import annotations

import os
from pathlib import Path

import click

from scrimshaw.cli.support.options import as_json, wanted, which
from scrimshaw.cli.support.running import Way, go


@click.command()
@which
@as_json
def command(workspace: Path | None, agent: str | None, state_dir: Path | None, wants_json: bool) -> int:
    """Put back the lines that were removed. Lines you added since stay; deletions and changes do not."""
    way = Way(edits_are_refused=True, wants_json=wants_json)
    return go(wanted(workspace, agent, state_dir), way, os.environ)
