"""What the service serves: one way of planning for `scrimshaw service` and for an install.

The unit is computed from the request, with the environment that the daemon will have, never from this
shell's. Only workspaces that somebody has set up are served.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from scrimshaw.config import OFFLINE, Settings, load, user_file
from scrimshaw.errors import UserError
from scrimshaw.host import service, systemctl
from scrimshaw.host.unit import Reach, ServedPlaces, ServiceRequest, ServiceUnit, launchd_text
from scrimshaw.layout import Layout, server_folder
from scrimshaw.resources import program, template
from scrimshaw.services.search.chosen import lines_model, memories_model
from scrimshaw.setup.receipt import setting_up
from scrimshaw.workspace import Target, Wanted, find_targets, is_set_up

_SERVE = "--serve"
_ON_A_MAC = (
    "scrimshaw service install --dry-run >~/Library/LaunchAgents/scrimshaw.plist, then: launchctl load -w it"
)
_WIDTHS: tuple[Reach, ...] = ("nothing", "network", "openclaw")


def asked(
    wanted: Wanted, env: Mapping[str, str], *, serves: bool = False, socket: Path | None = None
) -> ServiceRequest:
    """Return the request for a service for *wanted*; one that *serves* answers programs, too."""
    options: list[str] = []
    if wanted.workspace is not None:
        options += ["--workspace", str(wanted.workspace.resolve())]
    if wanted.agent is not None:
        options += ["--agent", wanted.agent]
    if wanted.state_dir is not None:
        options += ["--state-dir", str(wanted.state_dir.expanduser().absolute())]
    if socket is not None:
        options += ["--socket", str(socket.expanduser().absolute())]
    if serves:
        options.append(_SERVE)  # must come last: the options before it are pairs
    return ServiceRequest(program(), tuple(options), service.environment(env))


def planned(
    asked: ServiceRequest, env: Mapping[str, str], *, is_ready: Callable[[Layout], bool] = is_set_up
) -> tuple[ServiceUnit, list[str]]:
    """Return the unit for *asked*, computed with the daemon's environment, and messages for the person.

    *is_ready* tells which workspaces count: an install's plan also counts those that it will set up.
    """
    home = asked.environment.get("HOME") or systemctl.own().home or env.get("HOME", "")
    daemon_env = {**asked.environment, "HOME": home}
    targets, notes = find_targets(wanted_by(asked.options), daemon_env)
    ready = [target for target in targets if is_ready(target.layout)]
    if not ready:
        raise UserError(
            "No workspace is set up yet, so there is nothing to keep. Nothing was changed.",
            *notes,
            next_step=f"{setting_up(env, targets[0].agents[0].state_dir)}, then: scrimshaw service install",
        )
    later = [
        f"{target.layout.workspace}: not set up, so not served. Next: "
        f"{setting_up(env, target.agents[0].state_dir)}, then this again"
        for target in targets
        if target not in ready
    ]
    workspaces = tuple(sorted(target.layout.workspace for target in ready))
    reach = max(map(reach_for, ready), key=_WIDTHS.index)
    unit = ServiceUnit(
        asked,
        workspaces,
        _needed(asked, ready, daemon_env),
        service.why_open(workspaces),
        reach,
        _host_places(ready),
        served_places(asked.options, daemon_env),
    )
    return unit, [*notes, *later]


class ServicePlan(NamedTuple):
    """A service as it would be installed, and *notes* for the person."""

    unit: ServiceUnit
    path: Path
    notes: list[str]

    def shown(self) -> Iterator[str]:
        """Yield the file that an install would write; for systemd with its commands as comments."""
        if sys.platform == "darwin":
            yield launchd_text(self.unit, template("scrimshaw.plist")).rstrip()
            return
        yield service.unit_text(self.unit).rstrip()
        yield "\n# Nothing was changed (--dry-run). It would be done like this:"
        yield from (f"#   {line}" for line in service.commands(self.path))

    def install(self, pause: Callable[[], None]) -> list[str]:
        """Install the service and return what was done, for a person; *pause* waits between two looks."""
        if sys.platform == "darwin":
            raise UserError("launchd is not installed into by this version.", next_step=_ON_A_MAC)
        return service_lines(service.install(self.unit, self.path, pause), self.unit, self.path)


def plan_service(wanted: Wanted, env: Mapping[str, str], *, serves: bool, socket: Path | None) -> ServicePlan:
    """Return the service for *wanted*; one that *serves* answers programs, too. Nothing is changed."""
    request = asked(wanted, env, serves=serves, socket=socket)
    unit, notes = planned(request, env)
    return ServicePlan(unit, service.unit_path(env), [*notes, *out_of_sight(request, unit, env)])


def remove_service(env: Mapping[str, str]) -> tuple[Path, bool]:
    """Stop the service and remove its unit; return the unit's path, and whether there was one."""
    path = service.unit_path(env)
    return path, service.uninstall(path)


def reach_of(settings: Settings) -> Reach:
    """Return what a daemon with these *settings* needs access to."""
    chosen = {model.partition("/")[0] for model in (settings.observer_model, settings.reflector_model)}
    if "openclaw" in chosen:
        return "openclaw"
    meanings = (lines_model(settings), memories_model(settings))
    is_asked = chosen - {OFFLINE} or any(one.is_server for one in meanings) or settings.alert_webhook
    return "network" if is_asked else "nothing"


def reach_for(target: Target) -> Reach:
    """Return what a daemon that serves *target* needs access to, including a fleet that it has joined."""
    from scrimshaw.services.fleet.link import read_link

    of_models = reach_of(target.config.settings)
    return "network" if of_models == "nothing" and read_link(target.layout) else of_models


def is_within(needed: Reach, given: Reach) -> bool:
    """Tell whether a daemon with the access *given* has all access that is *needed*."""
    return _WIDTHS.index(needed) <= _WIDTHS.index(given)


def served_places(options: tuple[str, ...], env: Mapping[str, str]) -> ServedPlaces | None:
    """Return where a service with *options* answers programs; None when it does not."""
    if _SERVE not in options:
        return None
    folder = server_folder(env)
    path = _named(options).get("--socket")
    if path:
        return ServedPlaces(f"unix socket {path}", (folder, Path(path).parent), is_socket=True)
    settings = load(None, "", env).settings
    return ServedPlaces(f"http://{settings.server_host}:{settings.server_port}", (folder,))


def _host_places(targets: list[Target]) -> tuple[Path, ...]:
    """Return the folders of the hosts that `openclaw infer` writes to while it answers."""
    asking = [target for target in targets if reach_of(target.config.settings) == "openclaw"]
    return tuple(sorted({agent.state_dir.resolve() for target in asking for agent in target.agents}))


def out_of_sight(asked: ServiceRequest, unit: ServiceUnit, env: Mapping[str, str]) -> list[str]:
    """Return workspaces that this shell finds and the daemon will not."""
    targets, _ = find_targets(wanted_by(asked.options), env)
    ready = {target.layout.workspace for target in targets if is_set_up(target.layout)}
    return [
        f"{workspace}: found only with a variable of this shell that the service is not given, so not served."
        for workspace in sorted(ready - set(unit.writable))
    ]


def wanted_by(options: tuple[str, ...]) -> Wanted:
    """Return what a service with *options* serves."""
    named = _named(options)
    workspace, state_dir = named.get("--workspace"), named.get("--state-dir")
    return Wanted(
        Path(workspace) if workspace else None, named.get("--agent"), Path(state_dir) if state_dir else None
    )


def _named(options: tuple[str, ...]) -> dict[str, str]:
    return dict(zip(options[::2], options[1::2], strict=False))


def _needed(asked: ServiceRequest, targets: list[Target], env: Mapping[str, str]) -> tuple[Path, ...]:
    agents = [agent for target in targets for agent in target.agents]
    stores = [store.path for agent in agents for store in agent.stores]
    states = [agent.state_dir for agent in agents] + [agent.config_path for agent in agents]
    python = Path(asked.program[0])
    places = [*stores, *states, python, user_file(env), Path(__file__)]
    # Also the program as named: in a virtual environment it is a link to somewhere else.
    return tuple(dict.fromkeys([python, *(path.resolve() for path in places)]))


def service_lines(done: service.InstalledService, unit: ServiceUnit, path: Path) -> list[str]:
    """Return messages for a person about an install of the service."""
    wrote = {"written": f"Wrote {path}.", "changed": f"Wrote {path} anew."}
    since = f" since {done.state.since}" if done.state.since else ""
    now = (
        f"The service is {done.state.active} ({done.state.sub}){since}, process {done.state.pid}. It serves:"
    )
    lines = [wrote.get(done.unit, f"{path}: unchanged."), now]
    lines += [f"  {workspace}" for workspace in unit.writable]
    lines += {
        "nothing": [],
        "network": ["It has a network: for a model that you chose, or for the fleet that you have joined."],
        "openclaw": ["It has a network and may start openclaw, because you chose that model."],
    }[unit.reach]
    lines += [f"It answers programs: {unit.server.told}"] if unit.server else []
    if done.open_because:
        lines.append(f"It runs without the file-system sandbox: {done.open_because}.")
    elif systemctl.is_confined(done.state.pid) is False:
        lines.append(
            "systemd could not lay the file-system sandbox here (AppArmor?), and has started it without."
        )
    if not systemctl.is_lingering():
        run_on = f"loginctl enable-linger {systemctl.own().name}"
        lines.append(f"It stops when you log out. To let it run on: {run_on}")
    return lines
