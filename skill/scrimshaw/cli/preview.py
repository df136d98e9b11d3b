"""`scrimshaw preview`: the section each workspace would get. Writes nothing, anywhere in it."""

from __future__ import annotations

import os
from pathlib import Path

import click

from scrimshaw.cli.render.run_report import report_lines
from scrimshaw.cli.support.options import wanted, which
from scrimshaw.cli.support.terminal import as_said, tell
from scrimshaw.clock import now
from scrimshaw.errors import Exit, UserError
from scrimshaw.services.observe.run import rehearse
from scrimshaw.services.observe.task import ObserveOptions
from scrimshaw.workspace import find_targets


@click.command()
@which
def command(workspace: Path | None, agent: str | None, state_dir: Path | None) -> int:
    """Show the section each workspace would get; write nothing."""
    targets, notes = find_targets(wanted(workspace, agent, state_dir), os.environ)
    moment = now(os.environ)
    code = Exit.OK
    for target in targets:
        try:
            report = rehearse(target, moment, ObserveOptions(trigger="preview"))
        except UserError as error:
            tell(f"{target.agent_id}  {target.layout.workspace}\n{error}\n")
            code = max(code, error.exit_code)
            continue
        for line in report_lines(report):
            tell(line)
        if report.published.body:
            tell(f"\n{as_said(report.published.body)}\n")
    for note in notes:
        tell(note)
    tell("Nothing was written.")
    return int(code)
