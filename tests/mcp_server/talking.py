"""A client that speaks the protocol's lines by hand, for what the SDK's own client would never send."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from scrimshaw import Memory
from scrimshaw.mcp_server.calls import MemoryTools
from scrimshaw.mcp_server.protocol import Connection

META = "io.modelcontextprotocol/"
PROMISE = "We ship the parser on 2026-12-03, and Ada reviews it."


def agents(folder: Path) -> Path:
    """Return a home with the agent `albert`, who has two lines and one conversation."""
    home = folder / "agents"
    with opened(home) as memory:
        memory.add("No meetings on Fridays", author="person", at_once=True)
        memory.add("The ledger runs on Postgres 17.2", author="person", at_once=True)
        memory.add_message(PROMISE, thread_id="t1")
    return home


def opened(home: Path, agent: str = "albert") -> Memory:
    """Open *agent* of *home* with nothing of this machine's in the environment."""
    env = {"HOME": str(home.parent), "SCRIMSHAW_TIMEZONE": "UTC", "SCRIMSHAW_EMBEDDINGS": "off"}
    return Memory.open(home=home, agent=agent, env=env)


def envelope(*, can_ask: bool = False, version: str = "2026-07-28") -> dict[str, Any]:
    """Return the `_meta` of a request of the newer era."""
    capabilities = {"elicitation": {}} if can_ask else {}
    return {f"{META}protocolVersion": version, f"{META}clientCapabilities": capabilities}


class Talk:
    """One connection, answered at once: the work is done by the thread that asks."""

    def __init__(self, home: Path, *, read_only: bool = False) -> None:
        self.sent: list[dict[str, Any]] = []
        self.tools = MemoryTools(lambda: opened(home), read_only=read_only)
        self.connection = Connection(self.tools, self.sent.append, lambda _, work: work())
        self._last = 0

    def line(self, line: bytes | str) -> list[dict[str, Any]]:
        """Send a line as it is; return what came back."""
        before = len(self.sent)
        self.connection.receive(line.encode() if isinstance(line, str) else line)
        return self.sent[before:]

    def ask(self, method: str, **params: Any) -> dict[str, Any]:
        """Send a request; return the last message that came back."""
        self._last += 1
        message = {"jsonrpc": "2.0", "id": self._last, "method": method, "params": params}
        return self.line(json.dumps(message))[-1]

    def shake_hands(self, version: str = "2025-11-25", **capabilities: Any) -> dict[str, Any]:
        """Begin as a client of the older era does; return what the server is."""
        client = {"name": "test", "version": "1"}
        told = self.ask("initialize", protocolVersion=version, capabilities=capabilities, clientInfo=client)
        self.line(json.dumps({"jsonrpc": "2.0", "method": "notifications/initialized"}))
        result: dict[str, Any] = told["result"]
        return result

    def call(self, name: str, _meta: dict[str, Any] | None = None, **arguments: Any) -> dict[str, Any]:
        """Call a tool; return its result."""
        params = {"_meta": _meta} if _meta else {}
        answer = self.ask("tools/call", name=name, arguments=arguments, **params)
        result: dict[str, Any] = answer["result"]
        return result

    def told(self, name: str, **arguments: Any) -> dict[str, Any]:
        """Call a tool; return its structured answer."""
        content: dict[str, Any] = self.call(name, **arguments)["structuredContent"]
        return content
