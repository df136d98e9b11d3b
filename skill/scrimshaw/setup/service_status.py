"""Whether the service is installed, as an install would write it now, and whether it runs."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from scrimshaw.errors import Exit, UserError
from scrimshaw.host import service, systemctl
from scrimshaw.host.unit import asked_in
from scrimshaw.setup.serving import planned


class ServiceStatus(NamedTuple):
    """The state of the service."""

    path: Path
    text: str | None
    state: systemctl.ServiceState | None
    is_lingering: bool | None
    is_confined: bool | None
    problems: tuple[str, ...]
    is_current: bool | None = None

    @property
    def exit_code(self) -> Exit:
        return Exit.MENDABLE if self.problems else Exit.OK

    def to_dict(self) -> dict[str, Any]:
        """Return it as `scrimshaw service status --json` prints it."""
        state = self.state
        return {
            "unit": str(self.path),
            "is_installed": self.text is not None,
            "is_current": self.is_current,
            "is_running": state.is_running if state else None,
            "is_enabled": state.enabled == "enabled" if state else None,
            "is_lingering": self.is_lingering,
            "is_confined": self.is_confined,
            "systemd": state._asdict() if state else None,
            "problems": list(self.problems),
            "exit_code": int(self.exit_code),
        }


def read_service_status(env: Mapping[str, str]) -> ServiceStatus:
    """Return the state of the service; nothing is changed."""
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
    return ServiceStatus(path, text, state, lingering, confined, tuple(problems), current)


def _state_problems(state: systemctl.ServiceState | None) -> list[str]:
    if state is None:
        return []
    problems = []
    if not state.is_running:
        problems.append(f"it does not run. Next: scrimshaw service install; why: {systemctl.JOURNAL}")
    if state.enabled != "enabled":
        problems.append("it is not started at the next login. Next: scrimshaw service install")
    return problems


def _outdated(text: str, env: Mapping[str, str]) -> list[str]:
    """Return why an install with the same options would now write another unit than *text*."""
    again = "Next: scrimshaw service install, with the options of then"
    asked = asked_in(text)
    if asked is None:
        return [f"the unit was changed by hand. {again}"]
    if not Path(asked.program[0]).exists():
        return [f"{asked.program[0]}, which it runs, does not exist any more. {again}"]
    try:
        unit, _ = planned(asked, env)
    except UserError as error:
        return [f"what it should serve is not to be found: {' '.join(error.problems)}"]
    if service.is_current(unit, text):
        return []
    return [
        "the unit is older than this version, your workspaces or the models you chose: a new workspace may "
        f"not be served, a model may not be reached. {again}"
    ]
