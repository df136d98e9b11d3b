"""Whether none but a private conversation of an agent can be the one that asks in its shell."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from scrimshaw.core.policy.audience import doubt
from scrimshaw.host import turns
from scrimshaw.host.gateway import running_gateway
from scrimshaw.sources.discover import active_state, find_agents
from scrimshaw.sources.openclaw_config import read_config
from scrimshaw.workspace import Target


def why_not_private(target: Target, env: Mapping[str, str]) -> str:
    """Return why another than a private conversation of *target*'s agents may be asking; "" when none can."""
    home = Path(env.get("HOME") or Path.home())
    # A shell inherits its host's environment, so it is one of this host's.
    state = active_state(env, home)
    agents = find_agents(env, home, state_dir=state).agents
    # From the configuration only: the caller must not decide whose workspace this is.
    own = [agent for agent in agents if agent.workspace.resolve() == target.layout.workspace.resolve()]
    if not own:
        return f"by the configuration of {state}, whose shell this is, none of its agents works there"
    if why := turns.why_none_is_private(read_config(own[0].config_path)):
        return why
    began = turns.shell_began_at_ms()
    if began is None:
        return "nothing on this system says since when this shell is there"
    try:
        found = turns.newest_turns(state, agents, began)
    except turns.UnknownError as problem:
        return f"the host's records of its turns cannot be read ({problem})"
    gateway = running_gateway(state, own[0].config_path, env)
    return doubt(
        found,
        {agent.agent_id for agent in own},
        shell_began_at_ms=began,
        gateway_began_at_ms=gateway.started_at_ms if gateway else 0,
    )
