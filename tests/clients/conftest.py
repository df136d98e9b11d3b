"""A server that really listens, in a thread of this process, and a Node program that asks it."""

from __future__ import annotations

import shutil
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

pytest.importorskip("fastapi")
from tests.web.conftest import Served

from scrimshaw import Client, Memory
from scrimshaw.web.serving import Address, Listening

NODE_CLIENT = Path(__file__).parents[2] / "clients" / "node"
needs_node = pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed")


@dataclass
class Live:
    """A server, where it is, and a token for all of its agents."""

    served: Served
    url: str
    token: str
    socket: Path | None = None

    def client(self, agent: str = "albert", **how: object) -> Client:
        if self.socket:
            return Client(socket=self.socket, agent=agent)
        return Client(self.url, agent=agent, token=self.token, **how)  # type: ignore[arg-type]

    def beside(self, agent: str = "albert") -> Memory:
        """Return a memory in another home, at the same moment, with the same settings."""
        home = self.served.home.with_name("beside")
        return Memory.open(home=home, agent=agent, env=self.served.env, clock=lambda: self.served.now)


def _listening(served: Served, address: Address) -> Iterator[Live]:
    listening = Listening(address)
    ready = threading.Event()
    thread = threading.Thread(target=listening.run, args=(served.app, ready.set), daemon=True)
    thread.start()
    assert ready.wait(30)
    yield Live(served, listening.told, served.token("*", scope="owner"), address.path)
    listening.stop()
    thread.join(30)


@pytest.fixture(scope="module")
def live(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Live]:
    served = Served(tmp_path_factory.mktemp("live") / "agents", {"SCRIMSHAW_SERVER_RATE": "100000"})
    yield from _listening(served, Address("127.0.0.1", 0))


@pytest.fixture
def on_socket(tmp_path: Path) -> Iterator[Live]:
    yield from _listening(Served(tmp_path / "agents"), Address("", 0, tmp_path / "s"))
