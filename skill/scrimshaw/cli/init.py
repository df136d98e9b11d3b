"""`scrimshaw init`: agree to writing in a workspace, or bring back a section that was removed by hand."""

from __future__ import annotations

import os
from pathlib import Path

import click

from scrimshaw.cli.options import as_json, consent, wanted, which
from scrimshaw.cli.running import Way, go


@click.command()
@which
@consent
@as_json
def command(
    workspace: Path | None, agent: str | None, state_dir: Path | None, yes: bool, wants_json: bool
) -> int:
    """Set a workspace up after showing what would be written; bring a removed section back."""
    way = Way(yes=yes, wants_json=wants_json, brings_back=True)
    return go(wanted(workspace, agent, state_dir), way, os.environ)
