"""`POST /mcp`: the tools of `mcp_server` for a token's agent; if it has several, for `?agent=`.

A token of scope read gets only the reading tools, and only one of scope owner can bring the person's yes.
The SDK is loaded at the first request, in another thread.
"""

from __future__ import annotations

from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from scrimshaw.errors import NotFoundError
from scrimshaw.mcp_server.calls import MemoryTools
from scrimshaw.resources import adding
from scrimshaw.web.access import Door
from scrimshaw.web.problems import Problem
from scrimshaw.web.tokens import TokenScope

if TYPE_CHECKING:
    from scrimshaw.mcp_server.http import McpEndpoint

PATH = "/mcp"


class _Endpoint:
    """An ASGI application, because the SDK sends its answers itself."""

    def __init__(self, door: Door) -> None:
        self._door = door
        self._mcp: McpEndpoint | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        request = Request(scope)
        kind, _, token = request.headers.get("authorization", "").partition(" ")
        caller = self._door.caller(request, token.strip() if kind.lower() == "bearer" else None)
        agent = request.query_params.get("agent")
        try:
            with suppress(NotFoundError):  # then each answer says so
                await run_in_threadpool(caller.memory, agent)
            if self._mcp is None:
                self._mcp = await run_in_threadpool(_loaded)
            may = caller.grant.may
            tools = MemoryTools(
                partial(caller.memory, agent),
                read_only=not may(TokenScope.WRITE),
                may_ask=may(TokenScope.OWNER),
            )
            await self._mcp.answer(tools, scope, receive, send)
        finally:
            caller.done()


def route(door: Door) -> Route:
    """Return the route; only POST, since no request keeps a stream for a GET."""
    return Route(PATH, _Endpoint(door), methods=["POST"], include_in_schema=False)


def _loaded() -> McpEndpoint:
    try:
        from scrimshaw.mcp_server.http import McpEndpoint
    except ModuleNotFoundError as missing:
        if (missing.name or "").partition(".")[0] not in ("mcp", "mcp_types", "anyio"):
            raise
        raise Problem(501, "The SDK of MCP is not installed here.", next_step=adding("mcp")) from None
    return McpEndpoint()
