"""The same tools over streamable HTTP, with the SDK `mcp` (the extra of that name).

No state is kept between requests, whichever version of the protocol a client speaks. So a client of the newer
version can have its person asked before something is forgotten, by calling again; one of the older version
would have to be asked over a stream, and is told what to type instead. The web server that mounts this module
loads it at the first request.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, MutableMapping
from functools import partial
from typing import Any

import anyio
import anyio.to_thread
from mcp import MCPError
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.types import CallToolRequestParams, PaginatedRequestParams, ReadResourceRequestParams

from scrimshaw.errors import UserError
from scrimshaw.mcp_server import resources
from scrimshaw.mcp_server import tools as offered
from scrimshaw.mcp_server.calls import MemoryTools, ToolAnswer
from scrimshaw.mcp_server.replies import (
    DECLINED,
    ENVELOPE_VERSIONS,
    FORGED,
    INSTRUCTIONS,
    SERVER_INFO,
    Seal,
    called,
    can_ask,
    complete,
)

_BAD_PARAMS, _NO_RESOURCE, _DEFECT = -32602, -32002, -32603
_CALLS_AT_ONCE = 8
_TOOLS = "scrimshaw.mcp_tools"
_CAPABILITIES = "io.modelcontextprotocol/clientCapabilities"

Asked = ServerRequestContext[Any, Any]
Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]


class McpEndpoint:
    """An endpoint of another server: each request brings the tools that its sender may use."""

    def __init__(self) -> None:
        self._server = server_of(lambda asked: asked.request.scope[_TOOLS])  # type: ignore[union-attr]  # HTTP's

    async def answer(self, tools: MemoryTools, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one POST by a sender who may use *tools*; the caller has authenticated the sender."""
        manager = StreamableHTTPSessionManager(self._server, stateless=True, json_response=True)
        scope[_TOOLS] = tools
        async with manager.run():
            await manager.handle_request(scope, receive, send)


def server_of(tools_of: Callable[[Asked], MemoryTools]) -> Server[Any]:
    """Return the SDK's server for the tools that *tools_of* finds for a request."""
    seal = Seal()
    places = anyio.CapacityLimiter(_CALLS_AT_ONCE)  # separate, as a tool may take minutes

    async def list_tools(asked: Asked, _params: object) -> dict[str, Any]:
        tools = list(offered.list_tools(read_only=tools_of(asked).read_only))
        return complete({"tools": tools}, asked.protocol_version, is_cacheable=True)

    async def call_tool(asked: Asked, _params: object) -> dict[str, Any]:
        tools, params, version = tools_of(asked), dict(asked.params or {}), asked.protocol_version
        if params["name"] not in [one["name"] for one in offered.list_tools(read_only=tools.read_only)]:
            raise MCPError(code=_BAD_PARAMS, message=f"Unknown tool: {params['name'][:100]}")
        is_newer = version in ENVELOPE_VERSIONS and tools.may_ask
        is_asking = is_newer and can_ask((asked.meta or {}).get(_CAPABILITIES))
        brought = seal.brought(params) if is_asking else None
        if brought is not None and brought.is_forged:
            raise MCPError(code=_BAD_PARAMS, message=FORGED)
        if brought is not None and brought.is_declined:
            return called(DECLINED, version)
        call = partial(tools.call, params["name"], params.get("arguments") or {})
        asked_for = partial(call, confirmed=brought.about if brought else "")
        reply = await anyio.to_thread.run_sync(asked_for, limiter=places)
        if isinstance(reply, ToolAnswer):
            return called(reply, version)
        return seal.asks(reply) if is_asking else called(reply.unasked, version)

    async def list_resources(asked: Asked, _params: object) -> dict[str, Any]:
        told = {"resources": await anyio.to_thread.run_sync(resources.list_resources, tools_of(asked))}
        return complete(told, asked.protocol_version, is_cacheable=True)

    async def list_templates(asked: Asked, _params: object) -> dict[str, Any]:
        told = {"resourceTemplates": resources.TEMPLATES}
        return complete(told, asked.protocol_version, is_cacheable=True)

    async def read_resource(asked: Asked, _params: object) -> dict[str, Any]:
        uri = str((asked.params or {})["uri"])
        try:
            told = {"contents": await anyio.to_thread.run_sync(resources.read, tools_of(asked), uri)}
        except KeyError:
            code = _BAD_PARAMS if asked.protocol_version in ENVELOPE_VERSIONS else _NO_RESOURCE
            raise MCPError(code=code, message="Resource not found", data={"uri": uri[:200]}) from None
        except UserError as error:
            raise MCPError(code=_DEFECT, message=str(error)) from None
        return complete(told, asked.protocol_version, is_cacheable=True)

    server: Server[Any] = Server(
        SERVER_INFO["name"],
        title=SERVER_INFO["title"],
        version=SERVER_INFO["version"],
        instructions=INSTRUCTIONS,
    )
    server.add_request_handler("tools/list", PaginatedRequestParams, list_tools)
    server.add_request_handler("tools/call", CallToolRequestParams, call_tool)
    server.add_request_handler("resources/list", PaginatedRequestParams, list_resources)
    server.add_request_handler("resources/templates/list", PaginatedRequestParams, list_templates)
    server.add_request_handler("resources/read", ReadResourceRequestParams, read_resource)
    return server
