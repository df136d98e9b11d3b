"""Version 2, below /api/v2/memory: a module for each group of routes."""

from __future__ import annotations

from starlette.routing import BaseRoute

from scrimshaw.web.v2 import carrying, conversations, episodic, insight, memories, service, tools


def routes() -> list[BaseRoute]:
    """Return every route of version 2, what is asked most often first."""
    groups = (memories, conversations, episodic, insight, carrying, tools, service)
    return [route for group in groups for route in group.router.routes]
