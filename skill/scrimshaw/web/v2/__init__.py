"""Version 2, below /api/v2/memory: a module for each group of routes."""

from __future__ import annotations

from fastapi import APIRouter

from scrimshaw.web.v2 import carrying, conversations, episodic, insight, memories, service, tools

PREFIX = "/api/v2/memory"


def router() -> APIRouter:
    """Return every route of version 2."""
    every = APIRouter(prefix=PREFIX)
    for group in (memories, conversations, episodic, insight, carrying, tools, service):
        every.include_router(group.router)
    return every
