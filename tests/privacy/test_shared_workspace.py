"""Agents that share a workspace: one that has not agreed to a model is not sent by the other's consent."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.model_server import ModelServer
from tests.places import NOW, Place
from tests.stores import FakeSession, build_sqlite

OURS = "We decided to use Postgres 17.2 for the ledger."
THEIRS = "We decided that the wombat ships on 3 May 2027."


@pytest.fixture
def place(tmp_path: Path) -> Place:
    place = Place(tmp_path / "machine", "sqlite")
    place.say((OURS, "Noted."))
    other = place.root / ".openclaw-two"
    other.mkdir()
    config = {"agents": {"list": [{"id": "work", "workspace": str(place.workspace)}]}}
    (other / "openclaw.json").write_text(json.dumps(config))
    theirs = FakeSession(key="agent:work:main", session_id="theirs", at_ms=place.session.at_ms)
    theirs.user(THEIRS)
    theirs.assistant("Noted.")
    build_sqlite(other / "agents" / "work" / "agent" / "openclaw-agent.sqlite", [theirs])
    return place


def _sent(place: Place, own: str) -> str:
    """Observe with a model for all but for what *own*, the other's settings, say; return what was sent."""
    folder = place.workspace / ".scrimshaw"
    folder.mkdir()
    with ModelServer('{"done": 0}', repeats=True) as server:
        endpoints = server.env()["SCRIMSHAW_ENDPOINTS"]
        (folder / "config.yaml").write_text(f"observer_model: local/fake-1\nagents:\n  work: {own}\n")
        env = {"SCRIMSHAW_ENDPOINTS": endpoints}
        assert place.run("observe", "--yes", "--now", now=NOW, env=env).code == 0
        return "\n".join(asked.raw.decode() for asked in server.requests)


@pytest.mark.parametrize(
    "own",
    [
        "{observer_model: offline}",
        "{observer_model: ollama/qwen3:8b}",
        '{private_sessions: "*"}',
        "{private_sessions: agent:work:main}",
        "{private_patterns: wombat}",
    ],
)
def test_what_one_agent_keeps_private_is_not_sent_because_another_agreed(place: Place, own: str) -> None:
    sent = _sent(place, own)

    assert "Postgres" in sent
    assert "wombat" not in sent


def test_two_that_agreed_to_the_same_model_are_both_sent(place: Place) -> None:
    sent = _sent(place, "{ttl_days: 30}")

    assert "Postgres" in sent
    assert "wombat" in sent
