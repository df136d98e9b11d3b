"""`scrimshaw install`: one plan, one question, everything in place, and the doctor's word at the end."""

from __future__ import annotations

import os
import shlex
import sys
import time
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import cast

import click

from scrimshaw import resources
from scrimshaw.cli.render.run_report import report_lines
from scrimshaw.cli.service import SETTLE_SECONDS
from scrimshaw.cli.support.options import consent, wanted, which
from scrimshaw.cli.support.terminal import tell
from scrimshaw.clock import now
from scrimshaw.config import OFFLINE
from scrimshaw.core.text.plural import counted
from scrimshaw.errors import Exit, UserError
from scrimshaw.setup.changes import KeepFresh, Plan
from scrimshaw.setup.leaving import Parting
from scrimshaw.setup.loading import until_loaded
from scrimshaw.setup.performing import Means, Outcome, perform
from scrimshaw.setup.planning import Asked, plan
from scrimshaw.setup.receipt import alone
from scrimshaw.workspace import Wanted


@click.command()
@which
@consent
@click.option("--dry-run", is_flag=True, help="List every change; make none.")
@click.option(
    "--keep-fresh",
    type=click.Choice(["service", "cron", "none"]),
    help="What keeps the memory current. Default: the service; without systemd, the host's cron.",
)
@click.option("--no-hook", is_flag=True, help="Install no hook into OpenClaw.")
@click.option("--no-agents-md", is_flag=True, help="Add nothing to AGENTS.md.")
def command(
    workspace: Path | None,
    agent: str | None,
    state_dir: Path | None,
    yes: bool,
    dry_run: bool,
    keep_fresh: str | None,
    no_hook: bool,
    no_agents_md: bool,
) -> int:
    """Set Scrimshaw up in OpenClaw after listing every change; then check everything."""
    which_ones = wanted(workspace, agent, state_dir)
    asked = Asked(which_ones, cast("KeepFresh | None", keep_fresh), not no_hook, not no_agents_md)
    planned = plan(asked, os.environ)
    _tell_plan(planned)
    if dry_run:
        tell("\nNothing was changed (--dry-run).")
        return int(Exit.OK)
    hint = "To see the sections first: scrimshaw preview. To undo all of it: scrimshaw uninstall"
    if planned.changes and not yes and not agrees(hint):
        tell("Nothing was changed.")
        return int(Exit.OK)
    code = Exit.OK
    if planned.changes:
        with alone(os.environ, makes=True):
            code = _carry_out(planned)
    if planned.changes and all(
        target.config.settings.observer_model == OFFLINE for target in planned.targets
    ):
        tell(
            "\nThe notes are written by rules, and nothing is sent. To let a model write them: scrimshaw init"
        )
    for line in planned.afterwards:
        tell(f"\nNext: {line}")
    if planned.changes and not planned.afterwards:
        until_loaded(planned.changes, os.environ, time.sleep)
    examined = _examined(which_ones)
    return int(code) or examined


def _tell_plan(planned: Plan) -> None:
    for target in planned.targets:
        names = ", ".join(agent.agent_id for agent in target.agents)
        tell(f"{names}  {target.layout.workspace}")
    tell_changes(planned, nothing="\nEverything is in place; nothing to change.")


def tell_changes(planned: Plan | Parting, *, nothing: str) -> None:
    """List what would be changed, or say *nothing*, and what the person should know of it."""
    if planned.changes:
        tell("\nTo be done:")
        for change in planned.changes:
            tell(f"  - {change.line()}")
    else:
        tell(nothing)
    if planned.notes:
        tell("\nTo know:")
        for note in planned.notes:
            tell("  - " + note.replace("\n", "\n    "))


def agrees(hint: str = "") -> bool:
    """Ask whether the plan may be carried out; raise UserError where there is nobody to ask."""
    if not sys.stdin.isatty():
        raise UserError(
            "This needs your agreement, and there is no terminal to ask on. Nothing was changed.",
            next_step="to agree to the plan above, run the same command with --yes",
        )
    tell(f"\n{hint}".rstrip())
    return click.confirm("Do all of this?", default=False)


def _carry_out(planned: Plan) -> Exit:
    tell("")
    means = Means(os.environ, now(os.environ), lambda: time.sleep(SETTLE_SECONDS))
    codes = tell_outcomes(perform(planned.changes, means))
    failed = [code for code in codes if code is not Exit.OK]
    if not failed:
        root = resources.checkout()
        back = shlex.quote(str(root / "scripts" / "uninstall")) if root else "scrimshaw uninstall"
        tell(f"\nAll {len(codes)} done. To undo all of it at any time: {back}")
    if any(code is not Exit.PARTLY for code in failed):
        tell("\nNot everything could be done; see above. What was done is in place, and is not done twice.")
    return max(failed, default=Exit.OK) if len(set(failed)) <= 1 else Exit.PARTLY


def tell_outcomes(outcomes: Iterable[Outcome]) -> list[Exit]:
    """Carry out and say what came of each change, as it comes; return how each ended."""
    codes: list[Exit] = []
    before = None
    for outcome in outcomes:
        _tell_outcome(outcome, before)
        before = outcome
        codes.append(outcome.exit_code)
    return codes


def _tell_outcome(outcome: Outcome, before: Outcome | None = None) -> None:
    """Say what came of one change; of one that was made as the plan said there is nothing more to say.

    *before* is the outcome of the change before it: what fails for the same reason need not say it again.
    """
    lines = str(outcome.error).splitlines() if outcome.error else outcome.told
    if outcome.error and before and str(before.error) == str(outcome.error):
        lines = ["for the same reason"]
    lines = [*lines, *(report_lines(outcome.report) if outcome.report else ())]
    if lines:
        tell(f"{'failed' if outcome.error else 'done'}: {outcome.change.line()}")
    for line in lines:
        tell(f"    {line}")


def _examined(which_ones: Wanted) -> int:
    """Print what the doctor finds that is not well; 1 for an error (a warning does not fail an install)."""
    from scrimshaw.doctor import Severity, examine, lines_of  # only here: it looks at everything

    examination = examine(which_ones, os.environ, now(os.environ))
    groups = []
    for group in examination.groups:
        found = tuple(finding for finding in group.findings if finding.severity > Severity.OK)
        if found:
            groups.append(replace(group, findings=found))
    *lines, total = lines_of(replace(examination, groups=tuple(groups)))
    count = examination.count(Severity.OK)
    tell("")
    well = counted(count, "other check is fine", "other checks are fine")
    for line in (*lines, f"{total} {well}; all of it: scrimshaw doctor"):
        tell(line)
    return int(Exit.MENDABLE if examination.exit_code == Exit.MENDABLE else Exit.OK)
