"""Wait until the running gateway has taken up the hook that an install has just named in its configuration.

A gateway since 2026.7.2 loads it by itself, a moment later; the doctor, asked sooner, would tell the owner to
restart it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from scrimshaw.host import hooks
from scrimshaw.host.gateway import running_gateway
from scrimshaw.services.status.hook_health import load_problem
from scrimshaw.setup.changes import Change, SelectHook
from scrimshaw.sources.openclaw_config import read_config

_TRIES = 40
_PAUSE_SECONDS = 0.25


def until_loaded(changes: Iterable[Change], env: Mapping[str, str], sleep: Callable[[float], None]) -> bool:
    """Return whether every gateway with a changed configuration has the hook; waits ten seconds at most."""
    owners = {change.owner for change in changes if isinstance(change, SelectHook)}
    for _ in range(_TRIES):
        owners = {
            owner
            for owner in owners
            if load_problem(
                hooks.look(owner.state_dir, read_config(owner.config_path)),
                running_gateway(owner.state_dir, owner.config_path, env),
            )
        }
        if not owners:
            return True
        sleep(_PAUSE_SECONDS)
    return False
