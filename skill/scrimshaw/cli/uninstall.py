"""`scrimshaw uninstall`: take away what install has put in place, to the byte; the memory goes by choice."""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path
from typing import Literal, cast

import click

from scrimshaw import resources
from scrimshaw.cli.install import agrees, tell_changes, tell_outcomes
from scrimshaw.cli.service import SETTLE_SECONDS
from scrimshaw.cli.support.options import consent, wanted, which
from scrimshaw.cli.support.terminal import tell
from scrimshaw.clock import now
from scrimshaw.errors import Exit, UserError
from scrimshaw.services.edit.author import is_agents_shell
from scrimshaw.setup.leaving import Parting, plan
from scrimshaw.setup.performing import Means
from scrimshaw.setup.receipt import alone
from scrimshaw.setup.removing import remove
from scrimshaw.setup.scene import Asked


@click.command()
@which
@consent
@click.option("--dry-run", is_flag=True, help="List every change; make none.")
@click.option(
    "--section",
    type=click.Choice(["keep", "remove"]),
    help="What to do with the section in MEMORY.md. Default: keep.",
)
@click.option(
    "--data", type=click.Choice(["keep", "delete"]), help="What to do with the memory itself. Default: keep."
)
def command(
    workspace: Path | None,
    agent: str | None,
    state_dir: Path | None,
    yes: bool,
    dry_run: bool,
    section: str | None,
    data: str | None,
) -> int:
    """Remove what install put in place. The section and the memory are kept unless you say otherwise."""
    if is_agents_shell(os.environ) and not dry_run:
        raise UserError(
            "An agent's shell cannot take away what its person has installed, or the memory. Nothing was "
            "changed.",
            next_step="scrimshaw uninstall --dry-run lists what would go; the person runs it themselves, in "
            "their own terminal",
            exit_code=Exit.REFUSED,
        )
    which_ones = wanted(workspace, agent, state_dir)
    is_asked = sys.stdin.isatty() and not yes and not dry_run
    chosen_section = section or _choice("The section in MEMORY.md", "remove", is_asked=is_asked)
    chosen_data = data or _choice("The memory itself (ledger and dated files)", "delete", is_asked=is_asked)
    asked = Asked(
        which_ones,
        cast("Literal['keep', 'remove']", chosen_section),
        cast("Literal['keep', 'delete']", chosen_data),
    )
    planned = plan(asked, os.environ)
    _tell_plan(planned)
    if dry_run:
        tell("\nNothing was changed (--dry-run).")
        return int(Exit.OK)
    if not planned.changes:
        return int(Exit.OK)
    if not yes and not agrees():
        tell("Nothing was changed.")
        return int(Exit.OK)
    with alone(os.environ, makes=False):
        return _carry_out(planned)


def _choice(what: str, other: str, *, is_asked: bool) -> str:
    if not is_asked:
        return "keep"
    return str(click.prompt(what, type=click.Choice(["keep", other]), default="keep"))


def _tell_plan(planned: Parting) -> None:
    for names, workspace in planned.workspaces:
        tell(f"{names}  {workspace}".lstrip())
    tell_changes(planned, nothing="Scrimshaw is not installed here; there is nothing to remove.")


def _carry_out(planned: Parting) -> int:
    tell("")
    means = Means(os.environ, now(os.environ), lambda: time.sleep(SETTLE_SECONDS))
    codes = tell_outcomes(remove(planned.changes, means))
    failed = [code for code in codes if code is not Exit.OK]
    if not failed:
        tell(f"\nAll {len(codes)} done.")
    else:
        tell("\nNot everything could be removed; see above. Fix that, then run the same command again.")
    root = resources.checkout()
    if root is not None:
        tell(f"\nThe program itself is left: {root}, with its .venv. It is yours to delete.")
    return int(max(failed, default=Exit.OK) if len(set(failed)) <= 1 else Exit.PARTLY)
