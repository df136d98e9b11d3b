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

from scrimshaw.cli.options import as_json, wanted, which
from scrimshaw.cli.terminal import tell
from scrimshaw.config import user_file
from scrimshaw.errors import Exit, UserError
from scrimshaw.host import service, systemctl
from scrimshaw.host.unit import Asked, Unit, asked_in, launchd_text
from scrimshaw.jobs.target import Target, Wanted, find_targets, is_set_up
from scrimshaw.resources import template

# A daemon that cannot work ends within this time.
SETTLE_SECONDS = 1.5
_ON_A_MAC = (
    "scrimshaw service install --dry-run >~/Library/LaunchAgents/scrimshaw.plist, then: launchctl load -w it"
)


@click.group()
def command() -> None:
    """Run the daemon as a service: installed, taken away, looked at."""


@command.command()
@which
@click.option("--dry-run", is_flag=True, help="Print the unit and the commands; change nothing.")
def install(workspace: Path | None, agent: str | None, state_dir: Path | None, dry_run: bool) -> None:
    """Install the service, start it, and see that it stays up."""
    asked = _asked(wanted(workspace, agent, state_dir), os.environ)
    unit, notes = _planned(asked, os.environ)
    notes += _out_of_sight(asked, unit, os.environ)
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
                f"last exit  {self.state.exit_status} ({self.state.result}), {self.state.restarts} restarts"
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
        unit, _ = _planned(asked, env)
    except UserError as error:
        return [f"what it should serve is not to be found: {' '.join(error.problems)}"]
    if service.is_current(unit, text):
        return []
    return [
        f"the unit is older than this version or than your workspaces: a new one may not be served. {again}"
    ]


def _asked(wanted: Wanted, env: Mapping[str, str]) -> Asked:
    # -P: the folder that the manager starts it in is no place to import from.
    program = (os.path.abspath(sys.executable), "-P", "-m", "scrimshaw")  # noqa: PTH100  # a venv is a link
    options: list[str] = []
    if wanted.workspace is not None:
        options += ["--workspace", str(wanted.workspace.resolve())]
    if wanted.agent is not None:
        options += ["--agent", wanted.agent]
    if wanted.state_dir is not None:
        options += ["--state-dir", str(wanted.state_dir.expanduser().absolute())]
    return Asked(program, tuple(options), service.environment(env))


def _planned(asked: Asked, env: Mapping[str, str]) -> tuple[Unit, list[str]]:
    """Return the unit for what was *asked*, computed as the daemon will see this machine, and what to say."""
    home = asked.environment.get("HOME") or systemctl.own().home or env.get("HOME", "")
    daemon_env = {**asked.environment, "HOME": home}
    targets, notes = find_targets(_wanted_by(asked.options), daemon_env)
    ready = [target for target in targets if is_set_up(target.layout)]
    if not ready:
        raise UserError(
            "No workspace is set up yet, so there is nothing to keep. Nothing was changed.",
            *notes,
            next_step="scrimshaw init, then: scrimshaw service install",
        )
    later = [
        f"{target.layout.workspace}: not set up, so not served. Next: scrimshaw init, then this again"
        for target in targets
        if target not in ready
    ]
    workspaces = tuple(sorted(target.layout.workspace for target in ready))
    unit = Unit(asked, workspaces, _needed(asked, ready, daemon_env), service.why_open(workspaces))
    return unit, [*notes, *later]


def _out_of_sight(asked: Asked, unit: Unit, env: Mapping[str, str]) -> list[str]:
    """Return what this shell finds and the daemon will not: the host's settings may hold variables."""
    targets, _ = find_targets(_wanted_by(asked.options), env)
    ready = {target.layout.workspace for target in targets if is_set_up(target.layout)}
    return [
        f"{workspace}: found only with a variable of this shell that the service is not given, so not served."
        for workspace in sorted(ready - set(unit.writable))
    ]


def _wanted_by(options: tuple[str, ...]) -> Wanted:
    named = dict(zip(options[::2], options[1::2], strict=False))
    workspace, state_dir = named.get("--workspace"), named.get("--state-dir")
    return Wanted(
        Path(workspace) if workspace else None,
        named.get("--agent"),
        Path(state_dir) if state_dir else None,
    )


def _needed(asked: Asked, targets: list[Target], env: Mapping[str, str]) -> tuple[Path, ...]:
    agents = [agent for target in targets for agent in target.agents]
    stores = [store.path for agent in agents for store in agent.stores]
    states = [agent.state_dir for agent in agents] + [agent.config_path for agent in agents]
    program = Path(asked.program[0])
    places = [*stores, *states, program, user_file(env), Path(__file__)]
    # The program as it is named, too: in an environment it is a link to somewhere else.
    return tuple(dict.fromkeys([program, *(path.resolve() for path in places)]))


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
    tell(
        {"written": f"Wrote {path}.", "changed": f"Wrote {path} anew."}.get(done.unit, f"{path}: unchanged.")
    )
    since = f" since {done.state.since}" if done.state.since else ""
    tell(
        f"The service is {done.state.active} ({done.state.sub}){since}, process {done.state.pid}. It serves:"
    )
    for workspace in unit.writable:
        tell(f"  {workspace}")
    if done.open_because:
        tell(f"It runs without the file-system sandbox: {done.open_because}.")
    elif systemctl.is_confined(done.state.pid) is False:
        tell("systemd could not lay the file-system sandbox here (AppArmor?), and has started it without.")
    if not systemctl.is_lingering():
        tell(f"It stops when you log out. To let it run on: loginctl enable-linger {systemctl.own().name}")
