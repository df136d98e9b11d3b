"""A server in this process, its tokens, and a client that asks it."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest

from scrimshaw import Memory
from scrimshaw.web.agents import Agents
from scrimshaw.web.app import make_app
from scrimshaw.web.guard import Limits
from scrimshaw.web.tokens import TokenBook, TokenScope

V2 = "/api/v2/memory"
DAY = timedelta(days=1)


@dataclass
class Served:
    """The server of a home, or of the machine that *config* names."""

    home: Path | None
    config: dict[str, str] = field(default_factory=dict)
    limits: Limits = field(default_factory=Limits)
    now: datetime = datetime(2026, 11, 20, 18, tzinfo=UTC)

    def __post_init__(self) -> None:
        self.env = {
            **({"HOME": str(self.home.parent)} if self.home else {}),
            "SCRIMSHAW_EMBEDDINGS": "off",
            "SCRIMSHAW_TIMEZONE": "UTC",
            **self.config,
        }
        self.app = make_app(self.home, env=self.env, clock=lambda: self.now, limits=self.limits)
        agents = Agents(self.home, self.env)
        self.book = TokenBook(agents.folder, agents.settings(), self.env)

    def token(self, *agents: str, scope: str = "write", lasts: timedelta | None = DAY) -> str:
        return self.book.issue(agents or ("albert",), TokenScope(scope), lasts)[0]

    def memory(self, agent: str = "albert") -> Memory:
        return Memory.open(home=self.home, agent=agent, env=self.env, clock=lambda: self.now)

    def ask(
        self, method: str, path: str, told: Any = None, *, token: str | None = "", **how: Any
    ) -> httpx.Response:
        """Ask with *token*; "" stands for one that may write as albert, None for none."""
        headers = dict(how.pop("headers", {}))
        if token is not None:
            headers["Authorization"] = f"Bearer {token or self._own()}"
        if told is not None:
            how["json"] = told
        base = how.pop("base", "http://localhost:18892")

        async def once() -> httpx.Response:
            through = httpx.ASGITransport(self.app, client=how.pop("client", ("127.0.0.1", 5000)))
            async with httpx.AsyncClient(transport=through, base_url=base) as client:
                return await client.request(method, path, headers=headers, **how)

        return asyncio.run(once())

    def get(self, path: str, **how: Any) -> httpx.Response:
        return self.ask("GET", V2 + path, **how)

    def post(self, path: str, told: Any, **how: Any) -> httpx.Response:
        return self.ask("POST", V2 + path, told, **how)

    def _own(self) -> str:
        if not hasattr(self, "_token"):
            self._token = self.token()
        return self._token


@pytest.fixture
def served(tmp_path: Path) -> Served:
    return Served(tmp_path / "agents")
