"""The memories that a server has open: so many and no more, and none is closed that somebody has."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

pytest.importorskip("fastapi")
from tests.web.conftest import V2, Served

from scrimshaw import UserError
from scrimshaw.web.agents import Agents


@pytest.fixture
def agents(tmp_path: Path) -> Agents:
    env = {"HOME": str(tmp_path), "SCRIMSHAW_EMBEDDINGS": "off", "SCRIMSHAW_TIMEZONE": "UTC"}
    return Agents(tmp_path / "agents", env, most_open=2)


def test_what_was_asked_longest_ago_is_closed_and_opened_again(agents: Agents) -> None:
    first = agents.memory("one", makes=True)
    first.store("The first")
    agents.give_back([first])
    agents.give_back([agents.memory("two", makes=True)])
    agents.give_back([agents.memory("one")])
    second = agents.memory("two")
    agents.give_back([second])
    third = agents.memory("three", makes=True)

    with pytest.raises(UserError, match="closed"):
        first.store("Another")
    second.store("Still open")
    again = agents.memory("one")
    assert [one.content for one in again.memories().memories] == ["The first"]
    third.store("In use, and so open")
    agents.close()


def test_what_somebody_has_stays_open(agents: Agents) -> None:
    lent = [agents.memory(name, makes=True) for name in ("one", "two", "three", "four")]

    for one in lent:
        one.store("Each can be written")
    agents.give_back(lent)
    agents.memory("five", makes=True)
    with pytest.raises(UserError, match="closed"):
        lent[0].store("Nobody had it any more")
    agents.close()


def test_a_server_of_one_openclaw_has_no_agent_of_another_profile(tmp_path: Path) -> None:
    private, work = tmp_path / ".openclaw", tmp_path / ".openclaw-work"
    for state in (private, work):
        (state / "agents" / "main" / "sessions").mkdir(parents=True)
        (state / "workspace").mkdir()
        workspace = {"workspace": str(state / "workspace")}
        (state / "openclaw.json").write_text(json.dumps({"agents": {"defaults": workspace}}))
    env = {"HOME": str(tmp_path), "OPENCLAW_STATE_DIR": str(private)}
    (private / "openclaw.json").write_text("{ cut in two")

    with pytest.raises(UserError, match="no agent main"):
        Agents(None, env, state_dir=private).memory("main")
    assert Agents(None, env).memory("main").target.layout.workspace == work / "workspace"
    assert Agents(None, env, state_dir=work).names() == ["main"]


def test_each_request_gives_back_what_it_was_lent(tmp_path: Path) -> None:
    served = Served(tmp_path / "agents")
    token = served.token("*", scope="owner")
    for number in range(5):
        assert served.post("/store", {"content": "A lamp", "agent": f"a{number}"}, token=token).is_success
    served.post("/search", {"query": "lamp"}, token=token)
    served.get("/memories/nothing?agent=a1", token=token)
    served.post("/store", {"content": "", "agent": "a1"}, token=token)
    served.ask("GET", "/metrics", token=token)
    served.ask("GET", f"{V2}/stats", token=token)

    agents = served.app._app.state.door.agents  # type: ignore[attr-defined]
    assert len(agents._open) == 5
    assert not agents._lent
