"""The command `forget`: what would go is shown, the person is asked, and what came of it is told."""

from __future__ import annotations

import click

from scrimshaw.cli.render import forget as render
from scrimshaw.cli.support.command import REFUSED, CommandCall, command, pasted, print_json
from scrimshaw.errors import Exit

_NOTHING = "Nothing was forgotten."


@command(error_object=REFUSED, pastable=True)
@click.argument("text", required=False)
@click.option("--all", "is_every", is_flag=True, help="Every line that contains these words, not only one.")
@click.option("--session", metavar="ID|KEY", help="Everything from one conversation.")
@click.option("--before", metavar="DATE", help="Everything said before this day or moment.")
@click.option("--dry-run", is_flag=True, help="Show what would be erased and change nothing.")
@click.option("--yes", is_flag=True, help="Forget without asking first.")
def forget(
    call: CommandCall,
    text: str | None,
    is_every: bool,
    session: str | None,
    before: str | None,
    dry_run: bool,
    yes: bool,
) -> int:
    """Forget TEXT (words of a line, or its id) for good: ledger, section, dated files, archives, backups."""
    memory = call.memory(_NOTHING)
    plan = memory.plan_forget(
        pasted(text or ""), session=session or "", before=before, all_lines=is_every, dry_run=dry_run
    )
    if plan.was_resumed:
        call.say("An interrupted forget was finished first.")
    call.say(*render.plan_lines(plan))
    if dry_run or (plan.is_nothing and not plan.was_resumed):
        if call.wants_json:
            print_json(plan.to_dict(), Exit.OK)
        call.say(_NOTHING)
        return int(Exit.OK)
    look_first = "look first with --dry-run; agree with --yes"
    if not (yes or call.agrees("Forget this for good?", _NOTHING, look_first, Exit.REFUSED)):
        return int(Exit.OK)
    return call.answer(memory.forget(plan), render.forgotten_lines)
