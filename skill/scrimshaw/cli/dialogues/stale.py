"""A person going through stale facts at a terminal, one key a fact. What is decided is kept at once."""

from __future__ import annotations

import click

from scrimshaw.cli.render import insight as render
from scrimshaw.cli.render.run_report import later_line, tell_section
from scrimshaw.cli.support.command import head
from scrimshaw.cli.support.keys import Leaving, key
from scrimshaw.cli.support.terminal import tell
from scrimshaw.errors import Exit
from scrimshaw.memory import Memory
from scrimshaw.services.insight.deciding import Choice, Decisions
from scrimshaw.services.insight.look import StaleFact, StaleResult
from scrimshaw.services.publish.result import PublishOutcome


def walk(memory: Memory, found: StaleResult) -> Exit:
    """Lay one fact after the other before the person; return what the command ends with."""
    tell(head(found))
    counts = {"r": 0, "d": 0, "s": 0}
    code = Exit.OK
    if found.facts:
        with memory.deciding() as decisions:
            try:
                for fact in found.facts:
                    counts[_decided(decisions, fact)] += 1
            except Leaving:
                pass
            except (KeyboardInterrupt, click.Abort):
                tell("")
            published, has_daemon = decisions.finish()
        if published is not None:
            tell("")
            if published.result is PublishOutcome.LATER:
                tell(later_line(memory.target, has_daemon=has_daemon))
            else:
                code = tell_section(published, memory.target)
    tell(render.sum_line(found.found, counts["r"], counts["d"], counts["s"]))
    if found.found > len(found.facts):
        tell(render.more_line(found))
    return code


def _decided(decisions: Decisions, fact: StaleFact) -> str:
    """Ask about *fact* until something is decided; return the key."""
    tell("", *render.fact_lines(fact))
    line_id = fact.stale.line.id
    while True:
        match key():
            case "r":
                done, said = decisions.reinforce(line_id), "Reinforced."
            case "d":
                done, said = decisions.delete(line_id), "Deleted; scrimshaw undo brings it back."
            case "s" | " ":
                return "s"
            case "q" | "" | "\x1b" | "\x04":
                raise Leaving
            case _:
                tell(f"    {render.KEYS}  [q]uit")
                continue
        if done is Choice.KNOWN:
            tell("    Decided already, here or elsewhere.")
            return "s"
        tell(f"    {said}")
        return "r" if done is Choice.REINFORCED else "d"
