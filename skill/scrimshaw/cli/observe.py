"""The commands that bring MEMORY.md up to date: `observe`, `preview`, `accept-edits` and `restore`."""

from __future__ import annotations

from typing import Any, Literal

import click

from scrimshaw.cli.dialogues.observe import Way, go
from scrimshaw.cli.render.run_report import report_lines
from scrimshaw.cli.support.command import CommandCall, command, yes
from scrimshaw.cli.support.days import typed_day
from scrimshaw.cli.support.each import for_each
from scrimshaw.cli.support.terminal import as_said
from scrimshaw.errors import Exit
from scrimshaw.memory import Memory
from scrimshaw.services.observe.task import ObserveOptions


@command()
@click.option(
    "--since",
    metavar="DATE",
    help="Ignore messages before this day. They are marked as read and never processed later.",
)
@click.option("--dry-run", is_flag=True, help="Show what would change in MEMORY.md and write nothing.")
@click.option("--if-due", is_flag=True, help="Do nothing unless enough is waiting (for timers).")
@click.option("--now", "takes_all", is_flag=True, help="Do not wait for an exchange that is still going on.")
@click.option(
    "--session",
    default="",
    metavar="KEY",
    help="Process this conversation first (session key or id), and take its last exchange as finished.",
)
@click.option(
    "--through-daemon",
    type=click.FloatRange(min=0, min_open=True),
    metavar="SECONDS",
    help="Ask a running daemon. If it has not answered after half of SECONDS, run here instead.",
)
@click.option(
    "--show-request",
    is_flag=True,
    help="Print exactly what would be sent to a model next. Nothing is sent or written.",
)
@click.option(
    "--old-sessions",
    type=click.Choice(["private", "leave"]),
    help="Say what old conversations without a name were: private includes them, leave stops asking.",
)
@yes
def observe(
    call: CommandCall,
    since: str | None,
    session: str,
    takes_all: bool,
    through_daemon: float | None,
    show_request: bool,
    old_sessions: Literal["private", "leave"] | None,
    **asked: Any,  # noqa: ANN401  # click's options
) -> int:
    """Read new messages, note what matters and bring MEMORY.md up to date."""
    if show_request:
        from scrimshaw.cli.show_request import show_requests  # what it takes to ask a model

        return show_requests(call, session=session.strip(), waits=not takes_all)
    options = ObserveOptions(
        since=typed_day("since", since, "Nothing was read."),
        session=session.strip(),
        waits=not takes_all,
        is_waited_for=bool(through_daemon),
    )
    way = Way(options, **asked, daemon_seconds=through_daemon or 0.0, old_sessions=old_sessions or "")
    return go(call, way)


@command(as_json=False)
def preview(call: CommandCall) -> int:
    """Show the section each workspace would get; write nothing."""
    memories = call.memories()

    def show(memory: Memory) -> Exit:
        report = memory.preview()
        call.say(*report_lines(report))
        if report.published.body:
            call.say(f"\n{as_said(report.published.body)}\n")
        return Exit.OK

    done = for_each(call, memories, show, is_list=True)
    call.say(*memories.notes, "Nothing was written.")
    return int(done.code(memories, done.results))


@command()
def accept_edits(call: CommandCall) -> int:
    """Accept a large change that you made to the section by hand: deleted lines stay deleted."""
    return go(call, Way(ObserveOptions(edits_are_accepted=True)))


@command()
def restore(call: CommandCall) -> int:
    """Put back the lines that were removed. Lines you added since stay; deletions and changes do not."""
    return go(call, Way(ObserveOptions(edits_are_refused=True)))
