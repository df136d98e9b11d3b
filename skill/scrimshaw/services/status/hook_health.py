"""Does our hook bring the section before the agent? What `status` and `doctor` both have to know (rule 13).

Placed and "ready" is no proof: only a handler that the running gateway has imported puts anything into a
prompt, and it says so itself (alive.json).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

from scrimshaw.host import hooks
from scrimshaw.host.gateway import Gateway, running_gateway
from scrimshaw.host.hooks import HookState
from scrimshaw.services.status.durations import at_ms_of
from scrimshaw.sources.discover import Agent
from scrimshaw.sources.openclaw_config import HostConfig, read_config
from scrimshaw.workspace import Target

# Why a selection means that the host loads no hook of ours; "" where it does.
SELECTION_PROBLEMS = {
    "open": "",
    "named": "",
    "not-named": "the host's configuration names the hooks it loads, and ours is not among them",
    "disabled-entry": "the hook is switched off in the host's configuration",
    "off": "hooks are switched off in the host's configuration (hooks.internal.enabled: false)",
    "not-loaded": "the host loads no hooks at all: its configuration has no hooks.internal",
}


def hook_of(state_dir: Path, config: HostConfig) -> HookState:
    """Return how the hook stands; what cannot be looked at is none of ours."""
    try:
        return hooks.hook_state(state_dir, config)
    except OSError:
        return HookState(hooks.folder(state_dir), "foreign", None, hooks.selection(config), None)


def problem_of_hook(target: Target, env: Mapping[str, str]) -> str:
    """Return why no hook puts a section kept aside into the prompt of *target*'s agents, "" when one does."""
    agent = target.agents[0]
    hook = hook_of(agent.state_dir, read_config(agent.config_path))
    return hook_problem(target.agents, hook, running_gateway(agent.state_dir, agent.config_path, env))


def hook_problem(agents: Iterable[Agent], hook: HookState, gateway: Gateway | None) -> str:
    """Return why the hook puts nothing into these agents' prompts, as half a sentence; "" when it does."""
    match hook.files:
        case "absent":
            return "the hook is not installed"
        case "foreign":
            return f"{hook.folder} holds a hook that is not ours"
        case _:
            return (
                SELECTION_PROBLEMS[hook.selection]
                or unlisted_problem(agents, hook)
                or load_problem(hook, gateway)
            )


def unlisted_problem(agents: Iterable[Agent], hook: HookState) -> str:
    """Return which of *agents* the hook does not serve where they work; "" when it serves all."""
    if hook.settings is None:
        return "the hook's settings.json cannot be read"
    listed = hook.settings.workspaces
    missing = [
        agent.agent_id
        for agent in agents
        if agent.agent_id not in listed or not is_same_place(listed[agent.agent_id], agent.workspace)
    ]
    return f"the hook does not know of {', '.join(missing)} in this workspace" if missing else ""


def load_problem(hook: HookState, gateway: Gateway | None) -> str:
    """Return why the running gateway has not our handler; "" when it has, or when no gateway runs."""
    if gateway is None:
        return ""
    named, alive = f"the running gateway (process {gateway.pid})", hook.alive
    if alive is None:
        return f"{named} has never loaded the hook"
    if alive.pid == gateway.pid:
        return (
            "" if hook.is_loaded else f"{named} has loaded an older handler than the one that lies there now"
        )
    # Another process of the host (an agent that runs without the gateway) may have said so last.
    is_since = gateway.started_at_ms and at_ms_of(alive.loaded_at) >= gateway.started_at_ms
    return "" if is_since else f"{named} was started and has not loaded the hook"


def is_same_place(one: Path, other: Path) -> bool:
    """Tell whether two paths lead to one place, whatever stands in them."""
    try:
        return one.resolve() == other.resolve()
    except (OSError, ValueError, RuntimeError):  # too long, a null character, links in a circle
        return False
