"""The command `run`: the daemon, in the foreground."""

from __future__ import annotations

from pathlib import Path

import click

from scrimshaw.cli.support.command import FOLDER, CommandCall, command
from scrimshaw.cli.support.log import log_to_stderr


@command(as_json=False)
@click.option("--once", is_flag=True, help="Do what is due now in every workspace, then exit.")
@click.option("--serve", "serves", is_flag=True, help="Answer programs over HTTP, too: see serve.")
@click.option("--socket", "path", type=FOLDER, metavar="PATH", help="With --serve: on a unix socket.")
def run(call: CommandCall, once: bool, serves: bool, path: Path | None) -> int:
    """Run the daemon: follow every conversation and keep MEMORY.md current, until stopped."""
    if (once and serves) or (path and not serves):
        raise click.UsageError("--serve goes without --once, and --socket with --serve.")
    log_to_stderr()
    if serves:
        from scrimshaw.cli.serve import serving_beside
        from scrimshaw.daemon.run import run as follow

        with serving_beside(call, path):
            return follow(call.wanted, call.env)
    if not once:
        from scrimshaw.daemon.run import (
            run as serve,
        )  # APScheduler and watchdog: 100 ms that no other verb pays

        return serve(call.wanted, call.env)
    from scrimshaw.cli.support.progress import interruptible
    from scrimshaw.daemon.once import once as do_once
    from scrimshaw.models.opening import opener
    from scrimshaw.services.observe.task import RunStopped
    from scrimshaw.services.schedule.tick import TickOptions

    with interruptible(is_wanted=True) as is_asked_to_end:
        try:
            return do_once(
                call.wanted, call.env, call.now, TickOptions(is_asked_to_end, opens=opener(call.env))
            )
        except RunStopped:
            raise click.Abort from None
