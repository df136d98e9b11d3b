"""An agent of a home, with a clock that the test moves; and an Ollama."""

import http.server
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from tests.working.ollama_server import OllamaServer

from scrimshaw import Memory


@dataclass
class Home:
    """A home with its clock."""

    folder: Path
    now: datetime = datetime(2026, 11, 20, 18, tzinfo=UTC)
    config: dict[str, str] = field(default_factory=lambda: {"SCRIMSHAW_EMBEDDINGS": "off"})

    def open(self, agent: str = "albert") -> Memory:
        env = {"HOME": str(self.folder.parent), "SCRIMSHAW_TIMEZONE": "UTC", **self.config}
        return Memory.open(home=self.folder, agent=agent, env=env, clock=lambda: self.now)

    def later(self, **by: float) -> None:
        """Let time pass."""
        self.now += timedelta(**by)


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path / "agents")


@pytest.fixture
def memory(home: Home) -> Iterator[Memory]:
    with home.open() as opened:
        yield opened


@pytest.fixture
def ollama(monkeypatch: pytest.MonkeyPatch) -> Iterator[http.server.HTTPServer]:
    """Run one, which OLLAMA_HOST names."""
    server = http.server.HTTPServer(("127.0.0.1", 0), OllamaServer)
    OllamaServer.asked, OllamaServer.looks, OllamaServer.is_away = [], 0, False
    threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    monkeypatch.setenv("OLLAMA_HOST", f"http://127.0.0.1:{server.server_port}")
    yield server
    server.shutdown()
    server.server_close()
