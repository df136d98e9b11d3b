"""`scrimshaw run`: the daemon, in the foreground."""

from __future__ import annotations

import logging
import os
import sys
import time
from pathlib import Path

import click

from scrimshaw.cli.support.options import wanted, which
from scrimshaw.clock import now


@click.command()
@which
@click.option("--once", is_flag=True, help="Do what is due now in every workspace, then exit.")
def command(workspace: Path | None, agent: str | None, state_dir: Path | None, once: bool) -> int:
    """Run the daemon: follow every conversation and keep MEMORY.md current, until stopped."""
    _log_to_stderr()
    asked = wanted(workspace, agent, state_dir)
    if once:
        from scrimshaw.cli.support.progress import interruptible
        from scrimshaw.daemon.once import once as do_once  # only what this needs
        from scrimshaw.models.opening import opener
        from scrimshaw.services.observe.task import Stopped
        from scrimshaw.services.schedule.tick import Terms

        with interruptible(is_wanted=True) as is_asked_to_end:
            terms = Terms(is_asked_to_end, opens=opener(os.environ))
            try:
                return do_once(asked, os.environ, now(os.environ), terms)
            except Stopped:
                raise click.Abort from None
    from scrimshaw.daemon.run import run  # APScheduler and watchdog: 100 ms that no other verb pays

    return run(asked, os.environ)


def _log_to_stderr() -> None:
    handler = logging.StreamHandler(sys.stderr)
    form = logging.Formatter("%(asctime)sZ %(levelname)s %(message)s", "%Y-%m-%dT%H:%M:%S")
    form.converter = time.gmtime
    handler.setFormatter(form)
    root = logging.getLogger()
    root.addHandler(handler)
    root.setLevel(logging.WARNING)
    logging.getLogger("scrimshaw").setLevel(logging.INFO)
