"""How far our plug-in has come in a workspace's host, and which of its tools the model was last shown."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from scrimshaw.host.gateway import running_gateway
from scrimshaw.host.openclaw import Injected
from scrimshaw.host.plugins import TOOLS, PluginState, plugin_state
from scrimshaw.sources.discover import state_version
from scrimshaw.sources.openclaw_config import read_config
from scrimshaw.workspace import Target


class PluginHealth(NamedTuple):
    """The plug-in in the host, and its tools in the last private prompt; *seen* is None before the first."""

    state: PluginState
    is_running: bool  # a gateway runs
    seen: tuple[str, ...] | None

    @property
    def problem(self) -> str:
        """Why the agent goes without it, as half a sentence; "" where it does not."""
        return self.state.problem

    def to_dict(self) -> dict[str, Any]:
        """Return it as `scrimshaw status --json` prints it."""
        state = self.state
        return {
            "problem": state.problem,
            "may_prompt": state.may_prompt,
            "is_joined": state.is_joined,
            "is_loaded": state.is_loaded,
            "is_answering": state.is_answering,
            "tools_seen": None if self.seen is None else list(self.seen),
        }


def tools_of(target: Target, env: Mapping[str, str]) -> tuple[str, ...]:
    """Return the tools that the plug-in gives *target*'s agents; none where it is not installed, or fails."""
    health = plugin_of(target, None, env)
    return () if health is None or health.problem else TOOLS


def plugin_of(target: Target, injected: Injected | None, env: Mapping[str, str]) -> PluginHealth | None:
    """Return how the plug-in stands with *target*'s agents; None where it is not installed."""
    agent = target.agents[0]
    if agent.home is not None:
        return None
    config = read_config(agent.config_path)
    gateway = running_gateway(agent.state_dir, agent.config_path, env)
    version = state_version(agent.state_dir, config)
    state = plugin_state(config, version, gateway, agent.state_dir, env)
    if state is None:
        return None
    return PluginHealth(state, gateway is not None, injected.tools if injected else None)
