"""The commands `service install`, `uninstall` and `status`: the daemon as a systemd user service."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING

import click

from scrimshaw.cli.support.command import CommandCall, command
from scrimshaw.cli.support.terminal import tell
from scrimshaw.core.text.plural import counted
from scrimshaw.errors import UserError

if TYPE_CHECKING:
    from scrimshaw.setup.service_status import ServiceStatus

SETTLE_SECONDS = 1.5  # a daemon that cannot work ends within this time
_ON_A_MAC = (
    "scrimshaw service install --dry-run >~/Library/LaunchAgents/scrimshaw.plist, then: launchctl load -w it"
)


@click.group()
def service() -> None:
    """Run the daemon as a systemd user service."""


@command(homes=False, as_json=False)
@click.option("--dry-run", is_flag=True, help="Print the unit and the commands; change nothing.")
def install(call: CommandCall, dry_run: bool) -> None:
    """Install the service, start it, and check that it stays up."""
    from scrimshaw.host import service as host
    from scrimshaw.setup import serving

    asked = serving.asked(call.wanted, call.env)
    unit, notes = serving.planned(asked, call.env)
    notes += serving.out_of_sight(asked, unit, call.env)
    path = host.unit_path(call.env)
    if dry_run and sys.platform == "darwin":
        from scrimshaw.host.unit import launchd_text
        from scrimshaw.resources import template

        tell(launchd_text(unit, template("scrimshaw.plist")).rstrip())
    elif dry_run:
        # What else would be done as comments, so that it stays a unit's file.
        tell(host.text_of(unit).rstrip())
        tell("\n# Nothing was changed (--dry-run). It would be done like this:")
        for line in host.commands(path):
            tell(f"#   {line}")
    elif sys.platform == "darwin":
        raise UserError("launchd is not installed into by this version.", next_step=_ON_A_MAC)
    else:
        done = host.install(unit, path, lambda: time.sleep(SETTLE_SECONDS))
        call.say(*serving.service_lines(done, unit, path))
    for note in notes:
        tell(note, is_error=dry_run)


@command(where=False, as_json=False)
def uninstall(call: CommandCall) -> None:
    """Stop the service and remove its unit; memory, ledger and settings stay."""
    from scrimshaw.host import service as host

    path = host.unit_path(call.env)
    if host.uninstall(path):
        tell(f"The service is stopped and {path} is removed. The memory itself was left alone.")
    else:
        tell(f"No service is installed ({path} does not exist).")


@command(where=False)
def status(call: CommandCall) -> int:
    """Show whether the service is installed, current and running."""
    from scrimshaw.setup.service_status import look

    return call.answer(look(call.env), _lines)


for _one in (install, uninstall, status):
    service.add_command(_one)


def _lines(found: ServiceStatus) -> list[str]:
    current = {True: ", current", False: ", outdated", None: ""}[found.is_current]
    lines = [f"unit       {found.path}" + (current if found.text is not None else ": not installed")]
    if found.state and found.text is not None:
        since = f" since {found.state.since}" if found.state.is_running and found.state.since else ""
        lines.append(f"state      {found.state.active} ({found.state.sub}){since}, {found.state.enabled}")
        lines.append(
            f"last exit  {found.state.exit_status} ({found.state.result}), "
            f"{counted(found.state.restarts, 'restart')}"
        )
        confined = {True: "in force", False: "not in force", None: "not known"}[found.is_confined]
        lines.append(f"sandbox    {confined}")
        lingering = {True: "also when you are logged out", False: "while you are logged in", None: ""}
        lines += [f"runs       {lingering[found.is_lingering]}"] if found.is_lingering is not None else []
    return lines + [f"problem    {problem}" for problem in found.problems]
