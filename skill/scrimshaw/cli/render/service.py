"""How `service status` looks."""

from __future__ import annotations

from scrimshaw.core.text.plural import counted
from scrimshaw.setup.service_status import ServiceStatus


def service_lines(found: ServiceStatus) -> list[str]:
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
