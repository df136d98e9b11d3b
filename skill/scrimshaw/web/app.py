"""The application: every route of both versions behind one guard."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from datetime import datetime
from itertools import chain
from pathlib import Path

from fastapi import FastAPI
from fastapi.responses import HTMLResponse
from starlette.types import ASGIApp

from scrimshaw import __version__
from scrimshaw.web import described, mcp, page, v1, v2
from scrimshaw.web.access import Door
from scrimshaw.web.agents import Agents
from scrimshaw.web.guard import Guard, Limits
from scrimshaw.web.metrics import ServerMetrics, metrics_router
from scrimshaw.web.page.visitors import Visitors
from scrimshaw.web.problems import add_handlers
from scrimshaw.web.threads import limit_threads
from scrimshaw.web.tokens import TokenBook
from scrimshaw.web.v2.shapes import HealthTold

_ABOUT = (
    "The memory of agents: a quick working layer, the lines of the ledger, and how to look back. Version 2; "
    "version 1 for programs that were written for the one before."
)


def make_app(
    home: Path | None = None,
    *,
    state_dir: Path | None = None,
    env: Mapping[str, str] | None = None,
    clock: Callable[[], datetime] | None = None,
    limits: Limits = Limits(),  # noqa: B008  # frozen
) -> ASGIApp:
    """Return the server's application for the agents of *home*, or of this machine.

    Of this machine's those of one OpenClaw, whose *state_dir* is given; else of all.

    *env* and *clock* replace the process's environment and the time. Raises UserError for invalid settings
    and an unreadable secret.
    """
    agents = Agents(home, os.environ if env is None else env, clock, state_dir=state_dir)
    settings = agents.settings()
    door = Door(agents, TokenBook(agents.folder, settings, agents.env), settings.server_rate)
    guard_hosts = (*settings.server_hosts, settings.server_host)
    metrics = ServerMetrics()
    return Guard(
        _routes(door, metrics),
        hosts=guard_hosts,
        origins=settings.server_origins,
        limits=limits,
        pages=page.PATHS,
        on_answer=metrics.count,
    )


def _routes(door: Door, metrics: ServerMetrics) -> FastAPI:
    @asynccontextmanager
    async def lifespan(_app: FastAPI) -> AsyncIterator[None]:
        limit_threads()
        yield
        door.agents.close()

    app = FastAPI(
        title="Scrimshaw",
        version=__version__,
        description=_ABOUT,
        docs_url=None,
        redoc_url=None,
        lifespan=lifespan,
        redirect_slashes=False,
    )
    app.state.door = door
    app.state.visitors = Visitors(door.tokens)
    add_handlers(app)

    @app.get("/health", tags=["server"], response_model=HealthTold)
    async def health() -> dict[str, object]:
        """Tell that the server is there, and which versions it speaks; needs no token."""
        return {"status": "ok", "version": __version__, "api_versions": ["v1", "v2"]}

    @app.get("/docs", include_in_schema=False)
    async def docs() -> HTMLResponse:
        return HTMLResponse(described.text(app.openapi()))

    # Side by side, not included: FastAPI matches each request against included routers once a level and more.
    every = (v2.routes(), metrics_router(metrics).routes, v1.router.routes, page.ROUTES, [mcp.route(door)])
    app.router.routes.extend(chain.from_iterable(every))
    described.describe(app)
    return app
