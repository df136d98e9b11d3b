"""What only the person can say: whether to write in a new workspace, and what nameless conversations were."""

from __future__ import annotations

import sys
from datetime import datetime
from zoneinfo import ZoneInfo

import click

from scrimshaw.cli.render.run_report import report_lines
from scrimshaw.cli.support.command import CommandCall
from scrimshaw.cli.support.progress import observed
from scrimshaw.cli.support.terminal import as_said, tell
from scrimshaw.errors import UserError
from scrimshaw.memory import Memory
from scrimshaw.services.observe.task import ObserveOptions


def agrees(call: CommandCall, memory: Memory, options: ObserveOptions) -> bool:
    """Show what a first run would write and ask (rule 12)."""
    if call.wants_json or not sys.stdin.isatty():
        raise UserError(
            f"{memory.workspace}: Scrimshaw has not written here before, and there is nobody to ask. "
            "Nothing was written.",
            next_step="look first with: scrimshaw preview; "
            f"agree with: {call.setting_up(memory.target)} --yes",
        )
    report = observed(call, memory, options, dry_run=True)
    call.say(*report_lines(report))
    if report.published.result == "shown":
        body = as_said(report.published.body)
        tell(f"\nThis would be the section of {report.published.path}:\n\n{body}\n")
    tell(f"Beside it, in {memory.workspace}: .scrimshaw (the ledger) and memory/observations (dated files).")
    if memory.asks_model(options):
        tell(
            f"These are the rules' lines, and nothing was sent. With your yes "
            f"{memory.target.config.settings.observer_model} gets to see these conversations and writes "
            "its own."
        )
    if click.confirm("Write them?", default=False):
        return True
    tell("Nothing was written.")
    return False


def settle_old_sessions(call: CommandCall, memory: Memory, said: str, *, may_ask: bool) -> None:
    """Ask once what conversations without a name were; what the command says counts for all of them."""
    if said:
        call.refuse_agent(
            "An agent's shell cannot say for the person which conversations were private. "
            "Nothing was changed.",
            next_step="ask the person to run this in their own terminal: "
            f"scrimshaw observe --old-sessions {said}",
        )
        memory.settle_old_sessions(memory.old_sessions(), are_private=said == "private")
        return
    if not may_ask or call.wants_json or not sys.stdin.isatty() or call.is_agents:
        return
    if not (found := memory.old_sessions(undecided=True)):
        return
    zone = ZoneInfo(memory.target.zone)
    first, last = (datetime.fromtimestamp(one.newest_at_ms / 1000, zone) for one in (found[0], found[-1]))
    tell(
        f"{len(found)} old conversation(s) of {memory.agent}, last used {first:%Y-%m-%d} to "
        f"{last:%Y-%m-%d}, carry no name any more, and nothing in them proves that only you and the agent "
        "spoke there. MEMORY.md is private: what was said in a group has to stay out of it."
    )
    are_private = click.confirm("Were they all private?", default=False)
    memory.settle_old_sessions(found, are_private=are_private)
