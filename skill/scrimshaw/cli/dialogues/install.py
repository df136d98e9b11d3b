"""`install` and `uninstall`: the list of every change, the one question, and what came of each change."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterable
from dataclasses import replace
from typing import Any, Literal

import click

from scrimshaw import resources
from scrimshaw.cli.render.run_report import report_lines
from scrimshaw.cli.support.command import CommandCall
from scrimshaw.cli.support.terminal import tell
from scrimshaw.config import OFFLINE
from scrimshaw.core.text.plural import counted
from scrimshaw.errors import Exit, UserError, combined
from scrimshaw.setup.changes import InstallPlan, Means, StepOutcome, perform
from scrimshaw.setup.install_plan import InstallOptions, plan_install, until_loaded
from scrimshaw.setup.receipt import alone
from scrimshaw.setup.removals import remove
from scrimshaw.setup.uninstall_plan import UninstallOptions, UninstallPlan, plan_uninstall

SETTLE_SECONDS = 1.5  # a daemon that cannot work ends within this time


def install(call: CommandCall, asked: InstallOptions, *, yes: bool, dry_run: bool) -> int:
    """Plan an install, ask, carry it out and examine what stands then."""
    planned = plan_install(asked, call.env)
    for target in planned.targets:
        tell(f"{', '.join(agent.agent_id for agent in target.agents)}  {target.layout.workspace}")
    _tell_changes(planned, nothing="\nEverything is in place; nothing to change.")
    hint = "To see the sections first: scrimshaw preview. To undo all of it: scrimshaw uninstall"
    if not _goes_on(planned, hint, yes=yes, dry_run=dry_run):
        return int(Exit.OK)
    code = Exit.OK
    if planned.changes:
        with alone(call.env, makes=True):
            code = _install(call, planned)
        if all(target.config.settings.observer_model == OFFLINE for target in planned.targets):
            tell(
                "\nThe notes are written by rules, and nothing is sent. "
                "To let a model write them: scrimshaw init"
            )
    for line in planned.afterwards:
        tell(f"\nNext: {line}")
    if planned.changes and not planned.afterwards:
        until_loaded(planned.changes, call.env, time.sleep)
    examined = _examined(call)
    return int(code) or examined


def _tell_changes(planned: InstallPlan | UninstallPlan, *, nothing: str) -> None:
    """List what would be changed, or say *nothing*, and what the person should know of it."""
    if planned.changes:
        tell("\nTo be done:", *(f"  - {change.line()}" for change in planned.changes))
    else:
        tell(nothing)
    if planned.notes:
        tell("\nTo know:", *("  - " + note.replace("\n", "\n    ") for note in planned.notes))


def _goes_on(planned: InstallPlan | UninstallPlan, hint: str, *, yes: bool, dry_run: bool) -> bool:
    """Tell whether the plan is carried out; raise UserError where there is nobody to ask."""
    if dry_run:
        tell("\nNothing was changed (--dry-run).")
        return False
    if yes or not planned.changes:
        return True
    if not sys.stdin.isatty():
        raise UserError(
            "This needs your agreement, and there is no terminal to ask on. Nothing was changed.",
            next_step="to agree to the plan above, run the same command with --yes",
        )
    tell(f"\n{hint}".rstrip())
    if not click.confirm("Do all of this?", default=False):
        tell("Nothing was changed.")
        return False
    return True


def _means(call: CommandCall) -> Means:
    return Means(call.env, call.now, lambda: time.sleep(SETTLE_SECONDS))


def _install(call: CommandCall, planned: InstallPlan) -> Exit:
    tell("")
    codes = _tell_outcomes(perform(planned.changes, _means(call)))
    failed = [code for code in codes if code is not Exit.OK]
    if not failed:
        back = resources.script("uninstall") or "scrimshaw uninstall"
        tell(f"\nAll {len(codes)} done. To undo all of it at any time: {back}")
    if any(code is not Exit.PARTLY for code in failed):
        tell("\nNot everything could be done; see above. What was done is in place, and is not done twice.")
    return combined(failed)


def _tell_outcomes(outcomes: Iterable[StepOutcome]) -> list[Exit]:
    """Carry out and say what came of each change, as it comes; return how each ended."""
    codes: list[Exit] = []
    before = ""  # why the change before failed: for the same reason need not be said again
    for outcome in outcomes:
        why = str(outcome.error) if outcome.error else ""
        lines = ["for the same reason"] if why and why == before else why.splitlines() or outcome.told
        lines = [*lines, *(report_lines(outcome.report) if outcome.report else ())]
        if lines:  # of a change that was made as the plan said there is nothing more to say
            head = f"{'failed' if outcome.error else 'done'}: {outcome.change.line()}"
            tell(head, *(f"    {line}" for line in lines))
        before = why
        codes.append(outcome.exit_code)
    return codes


def _examined(call: CommandCall) -> int:
    """Print what the doctor finds that is not well; 1 for an error (a warning does not fail an install)."""
    from scrimshaw.doctor import Severity, examine, finding_lines  # only here: it looks at everything

    examination = examine(call.wanted, call.env, call.now)
    groups = []
    for group in examination.groups:
        found = tuple(finding for finding in group.findings if finding.severity > Severity.OK)
        if found:
            groups.append(replace(group, findings=found))
    *lines, total = finding_lines(replace(examination, groups=tuple(groups)))
    count = examination.count(Severity.OK)
    well = counted(count, "other check is fine", "other checks are fine")
    tell("", *lines, f"{total} {well}; all of it: scrimshaw doctor")
    return int(Exit.MENDABLE if examination.exit_code == Exit.MENDABLE else Exit.OK)


def uninstall(
    call: CommandCall,
    section: Literal["keep", "remove"] | None,
    data: Literal["keep", "delete"] | None,
    *,
    yes: bool,
    dry_run: bool,
) -> int:
    """Plan an uninstall, ask, and carry it out."""
    if not dry_run:
        call.refuse_agent(
            "An agent's shell cannot take away what its person has installed, or the memory. Nothing was "
            "changed.",
            next_step="scrimshaw uninstall --dry-run lists what would go; the person runs it themselves, in "
            "their own terminal",
        )
    is_asked = sys.stdin.isatty() and not yes and not dry_run
    planned = plan_uninstall(
        UninstallOptions(
            call.wanted,
            section or _asked_for("The section in MEMORY.md", "remove", is_asked=is_asked),
            data or _asked_for("The memory itself (ledger and dated files)", "delete", is_asked=is_asked),
        ),
        call.env,
    )
    for names, workspace in planned.workspaces:
        tell(f"{names}  {workspace}".lstrip())
    _tell_changes(planned, nothing="Scrimshaw is not installed here; there is nothing to remove.")
    if not _goes_on(planned, "", yes=yes, dry_run=dry_run) or not planned.changes:
        return int(Exit.OK)
    with alone(call.env, makes=False):
        return _uninstall(call, planned)


def _asked_for(what: str, other: Any, *, is_asked: bool) -> Any:  # noqa: ANN401  # one of two literals
    return click.prompt(what, type=click.Choice(["keep", other]), default="keep") if is_asked else "keep"


def _uninstall(call: CommandCall, planned: UninstallPlan) -> int:
    tell("")
    codes = _tell_outcomes(remove(planned.changes, _means(call)))
    failed = [code for code in codes if code is not Exit.OK]
    if not failed:
        tell(f"\nAll {len(codes)} done.")
    else:
        tell("\nNot everything could be removed; see above. Fix that, then run the same command again.")
    if root := resources.checkout():
        tell(f"\nThe program itself is left: {root}, with its .venv. It is yours to delete.")
    return int(combined(failed))
