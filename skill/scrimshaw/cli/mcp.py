"""The command `mcp`: serve one agent's memory on stdin and stdout, to a host that speaks MCP."""

from __future__ import annotations

import logging

import click

from scrimshaw.cli.support.command import CommandCall, command
from scrimshaw.errors import Exit
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

        return named_memory(call.wanted, call.env, read_only=read_only)

    logging.basicConfig(level=logging.WARNING, format="%(message)s")  # on the error output, as hosts keep it
    serve(MemoryTools(opens, read_only=read_only))
    return int(Exit.OK)
