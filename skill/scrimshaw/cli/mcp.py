"""The command `mcp`: serve one agent's memory on stdin and stdout, to a host that speaks MCP."""

from __future__ import annotations

import logging
from contextlib import suppress

import click

from scrimshaw.cli.support.command import CommandCall, command
from scrimshaw.errors import Exit, UserError
from scrimshaw.memory import Memory


@command(as_json=False)
@click.option("--read-only", is_flag=True, help="Offer no tool that writes or forgets.")
def mcp(call: CommandCall, read_only: bool) -> int:
    """Serve one agent's memory on standard input and output, for a host that speaks MCP to start.

    The host gets seven tools. Name the agent, unless there is but one: it sees nothing of any other.
    """
    from scrimshaw.mcp_server.calls import MemoryTools
    from scrimshaw.mcp_server.stdio import serve

    def opens() -> Memory:
        from scrimshaw.mcp_server.opening import named_memory

        return named_memory(call.wanted, call.env)

    logging.basicConfig(level=logging.WARNING, format="%(message)s")  # on the error output, as hosts keep it
    tools = MemoryTools(opens, read_only=read_only)
    with suppress(UserError):  # it is in the log by now; each answer tells of it, and tries again
        tools.memory  # noqa: B018  # opened before anybody asks, so that whoever starts it sees why it fails
    serve(tools)
    return int(Exit.OK)
