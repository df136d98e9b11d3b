"""An administrator's work on the server from here: creating and updating its tables."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from scrimshaw.fleet import server
from scrimshaw.fleet.server import VARIABLE, ServerAddress


def migrate_server(file: Path | None, variable: str, env: Mapping[str, str]) -> tuple[list[str], str]:
    """Create or update the tables; return the steps done, and what was left out and why."""
    address = ServerAddress(str(file), "") if file else ServerAddress("", variable or VARIABLE)
    return server.migrate(address.read(env))
