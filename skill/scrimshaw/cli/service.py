"""`scrimshaw service`: the daemon as a service of the person's own systemd."""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import click

from scrimshaw.cli.support.options import as_json, wanted, which
from scrimshaw.cli.support.terminal import tell
from scrimshaw.core.text.plural import counted
from scrimshaw.errors import Exit, UserError
from scrimshaw.host import service, systemctl
from scrimshaw.host.unit import Unit, asked_in, launchd_text
from scrimshaw.resources import template
from scrimshaw.setup import serving

# A daemon that cannot work ends within this time.
SETTLE_SECONDS = 1.5
_ON_A_MAC = (
    "scrimshaw service install --dry-run >~/Library/LaunchAgents/scrimshaw.plist, then: launchctl load -w it"
)


@click.group()
def command() -> None:
    """Run the daemon as a systemd user service."""


@command.command()
@which
@click.option("--dry-run", is_flag=True, help="Print the unit and the commands; change nothing.")
def install(workspace: Path | None, agent: str | None, state_dir: Path | None, dry_run: bool) -> None:
    """Install the service, start it, and check that it stays up."""
    asked = serving.asked(wanted(workspace, agent, state_dir), os.environ)
    unit, notes = serving.planned(asked, os.environ)
    notes += serving.out_of_sight(asked, unit, os.environ)
    path = service.unit_path(os.environ)
    if dry_run:
        _print(unit, path)
    elif sys.platform == "darwin":
        raise UserError("launchd is not installed into by this version.", next_step=_ON_A_MAC)
    else:
        _tell_done(service.install(unit, path, lambda: time.sleep(SETTLE_SECONDS)), unit, path)
    for note in notes:
        tell(note, is_error=dry_run)


@command.command()
def uninstall() -> None:
    """Stop the service and remove its unit; memory, ledger and settings stay."""
    path = service.unit_path(os.environ)
    if service.uninstall(path):
        tell(f"The service is stopped and {path} is removed. The memory itself was left alone.")
    else:
        tell(f"No service is installed ({path} does not exist).")


@command.command()
@as_json
def status(wants_json: bool) -> int:
    """Show whether the service is installed, current and running."""
    found = _look(os.environ)
    code = Exit.MENDABLE if found.problems else Exit.OK
    if wants_json:
        click.echo(json.dumps({**found.object(), "exit_code": int(code)}))
    else:
        for line in found.lines():
            tell(line)
    return int(code)


class Found(NamedTuple):
    """What there is of a service."""

    path: Path
    text: str | None
    state: systemctl.State | None
    is_lingering: bool | None
    is_confined: bool | None
    problems: tuple[str, ...]
    is_current: bool | None = None

    def object(self) -> dict[str, Any]:
        """Return it for --json."""
        state = self.state._asdict() if self.state else None
        return {
            "unit": str(self.path),
            "is_installed": self.text is not None,
            "is_current": self.is_current,
            "is_running": self.state.is_running if self.state else None,
            "is_enabled": self.state.enabled == "enabled" if self.state else None,
            "is_lingering": self.is_lingering,
            "is_confined": self.is_confined,
            "systemd": state,
            "problems": list(self.problems),
        }

    def lines(self) -> list[str]:
        """Return it for a person."""
        current = {True: ", current", False: ", outdated", None: ""}[self.is_current]
        lines = [f"unit       {self.path}" + (current if self.text is not None else ": not installed")]
        if self.state and self.text is not None:
            since = f" since {self.state.since}" if self.state.is_running and self.state.since else ""
            lines.append(f"state      {self.state.active} ({self.state.sub}){since}, {self.state.enabled}")
            lines.append(
                f"last exit  {self.state.exit_status} ({self.state.result}), "
                f"{counted(self.state.restarts, 'restart')}"
            )
            confined = {True: "in force", False: "not in force", None: "not known"}[self.is_confined]
            lines.append(f"sandbox    {confined}")
            lingering = {True: "also when you are logged out", False: "while you are logged in", None: ""}
            lines += [f"runs       {lingering[self.is_lingering]}"] if self.is_lingering is not None else []
        return lines + [f"problem    {problem}" for problem in self.problems]


def _look(env: Mapping[str, str]) -> Found:
    path = service.unit_path(env)
    text = service.read(path)
    problems: list[str] = []
    state = lingering = confined = None
    try:
        state = systemctl.state()
        lingering = systemctl.is_lingering()
        confined = systemctl.is_confined(state.pid) if state.is_running else None
    except UserError as error:
        problems.append(" ".join(str(error).split("\n")))
    current = None
    if text is None:
        problems.append("no service is installed. Next: scrimshaw service install")
    else:
        problems += _state_problems(state)
        outdated = _outdated(text, env)
        current = not outdated
        problems += outdated
    return Found(path, text, state, lingering, confined, tuple(problems), current)


def _state_problems(state: systemctl.State | None) -> list[str]:
    if state is None:
        return []
    problems = []
    if not state.is_running:
        problems.append(f"it does not run. Next: scrimshaw service install; why: {systemctl.JOURNAL}")
    if state.enabled != "enabled":
        problems.append("it is not started at the next login. Next: scrimshaw service install")
    return problems


def _outdated(text: str, env: Mapping[str, str]) -> list[str]:
    """Return why an install would write another unit, asked for the same, than *text*."""
    again = "Next: scrimshaw service install, with the options of then"
    asked = asked_in(text)
    if asked is None:
        return [f"the unit was changed by hand. {again}"]
    if not Path(asked.program[0]).exists():
        return [f"{asked.program[0]}, which it runs, does not exist any more. {again}"]
    try:
        unit, _ = serving.planned(asked, env)
    except UserError as error:
        return [f"what it should serve is not to be found: {' '.join(error.problems)}"]
    if service.is_current(unit, text):
        return []
    return [
        "the unit is older than this version, your workspaces or the models you chose: a new workspace may "
        f"not be served, a model may not be reached. {again}"
    ]


def _print(unit: Unit, path: Path) -> None:
    """Print the file as it would be written; what else would be done as comments, so that it stays one."""
    if sys.platform == "darwin":
        tell(launchd_text(unit, template("scrimshaw.plist")).rstrip())
        return
    tell(service.text_of(unit).rstrip())
    tell("\n# Nothing was changed (--dry-run). It would be done like this:")
    for line in service.commands(path):
        tell(f"#   {line}")


def _tell_done(done: service.Done, unit: Unit, path: Path) -> None:
    for line in serving.told(done, unit, path):
        tell(line)
