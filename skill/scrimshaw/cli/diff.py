"""`scrimshaw diff`: what a revision of the section changed, or what differs between two."""

from __future__ import annotations

from pathlib import Path

import click

from scrimshaw.cli.render.history import look
from scrimshaw.cli.support.options import as_json, which
from scrimshaw.cli.support.terminal import as_said, tell
from scrimshaw.services.history.revisions import SectionDiff, diff


@click.command()
@click.argument("revisions", nargs=-1, metavar="[REV] [REV]")
@which
@as_json
def command(
    revisions: tuple[str, ...],
    workspace: Path | None,
    agent: str | None,
    state_dir: Path | None,
    wants_json: bool,
) -> int:
    """Show what changed: in the newest revision, in REV, or from one REV to another.

    REV is a number of `scrimshaw log`, or a time: yesterday, "last Tuesday".
    """
    if len(revisions) > 2:
        raise click.UsageError("At most two revisions can be compared.")

    return look(
        workspace,
        agent,
        state_dir,
        wants_json=wants_json,
        asks=lambda target, now: diff(target, revisions, now),
        say=_say,
    )


def _say(found: SectionDiff) -> None:
    nothing = "Nothing differs between {} and {}.".format(*found.names)
    tell(as_said(found.text.rstrip("\n")) or nothing)
