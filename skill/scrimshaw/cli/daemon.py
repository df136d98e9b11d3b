"""The commands `run`, the daemon in the foreground, and `service`, the daemon as a systemd user service."""

from __future__ import annotations

import time
from pathlib import Path

import click

from scrimshaw.cli.support.command import FOLDER, CommandCall, command
from scrimshaw.cli.support.log import log_to_stderr
from scrimshaw.cli.support.terminal import tell

SETTLE_SECONDS = 1.5  # a daemon that cannot work ends within this time


@command(as_json=False)
@click.option("--once", is_flag=True, help="Do what is due now in every workspace, then exit.")
@click.option("--serve", "serves", is_flag=True, help="Answer programs over HTTP, too: see serve.")
@click.option("--socket", "path", type=FOLDER, metavar="PATH", help="With --serve: on a unix socket.")
def run(call: CommandCall, once: bool, serves: bool, path: Path | None) -> int:
    """Run the daemon: follow every conversation and keep MEMORY.md current, until stopped."""
    if (once and serves) or (path and not serves):
        raise click.UsageError("--serve goes without --once, and --socket with --serve.")
    log_to_stderr()
    if not once:
        from scrimshaw.daemon.run import run as follow  # APScheduler: 100 ms that no other verb pays

        if not serves:
            return follow(call.wanted, call.env)
        from scrimshaw.cli.serve import serving_beside

        with serving_beside(call, path):
            return follow(call.wanted, call.env)
    from scrimshaw.cli.support.progress import interruptible
    from scrimshaw.daemon.once import once as do_once
    from scrimshaw.services.observe.task import RunStopped
    from scrimshaw.services.schedule.tick import TickOptions

    with interruptible(is_wanted=True) as is_asked_to_end:
        try:
            options = TickOptions.with_models(call.env, is_asked_to_end)
            return do_once(call.wanted, call.env, call.now, options)
        except RunStopped:
            raise click.Abort from None


@click.group()
def service() -> None:
    """Run the daemon as a systemd user service."""


@command(homes=False, as_json=False)
@click.option("--dry-run", is_flag=True, help="Print the unit and the commands; change nothing.")
@click.option("--serve", "serves", is_flag=True, help="Let it answer programs over HTTP, too: see serve.")
@click.option("--socket", "path", type=FOLDER, metavar="PATH", help="With --serve: on a unix socket.")
def install(call: CommandCall, dry_run: bool, serves: bool, path: Path | None) -> None:
    """Install the service, start it, and check that it stays up."""
    from scrimshaw.setup.serving import plan_service

    if path and not serves:
        raise click.UsageError("--socket goes with --serve.")
    if serves:
        from scrimshaw.cli.serve import check_servable

        check_servable(call)
    plan = plan_service(call.wanted, call.env, serves=serves, socket=path)
    if dry_run:
        tell(*plan.shown())
    else:
        tell(*plan.install(lambda: time.sleep(SETTLE_SECONDS)))
    tell(*plan.notes, is_error=dry_run)


@command(where=False, as_json=False)
def uninstall(call: CommandCall) -> None:
    """Stop the service and remove its unit; memory, ledger and settings stay."""
    from scrimshaw.setup.serving import remove_service

    path, was_there = remove_service(call.env)
    if was_there:
        tell(f"The service is stopped and {path} is removed. The memory itself was left alone.")
    else:
        tell(f"No service is installed ({path} does not exist).")


@command(where=False)
def status(call: CommandCall) -> int:
    """Show whether the service is installed, current and running."""
    from scrimshaw.cli.render.service import service_lines
    from scrimshaw.setup.service_status import read_service_status

    return call.answer(read_service_status(call.env), service_lines)


for _one in (install, uninstall, status):
    service.add_command(_one)
