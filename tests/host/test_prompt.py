"""The main job against a real OpenClaw: what was said stands in the next session's system prompt."""

import pytest
from tests.host.gateway import Gateway, Scrimshaw

from scrimshaw.sources.discover import find_agents

OWN_TEXT = "# Memory\n\n- The person's dog is called Bruno.\n"


@pytest.mark.parametrize(("host", "kind"), [("current_host", "sqlite"), ("jsonl_host", "jsonl")])
def test_what_was_said_is_in_the_next_sessions_prompt(
    host: str, kind: str, request: pytest.FixtureRequest, scrimshaw: Scrimshaw
) -> None:
    gateway: Gateway = request.getfixturevalue(host)
    memory = gateway.memory("main")
    memory.write_text(OWN_TEXT, encoding="utf-8")
    gateway.agent("We decided to use Postgres 17 for the billing service, because of the merge command.")
    gateway.agent("I prefer short answers with the command first.")
    (agent, *_) = find_agents(gateway.env(), gateway.home).agents
    assert [store.kind for store in agent.stores] == [kind]

    # The gateway is running: the store is read while its writer has it open.
    scrimshaw(gateway, "observe", "--workspace", str(gateway.workspace("main")), "--yes")
    prompt = gateway.new_session("Good morning, what is new?").system_prompt

    text = memory.read_text("utf-8")
    assert text.startswith(OWN_TEXT)
    section = text[len(OWN_TEXT) :]
    assert "Postgres 17" in section
    assert "short answers" in section
    assert [line for line in text.splitlines() if line not in prompt] == []


def test_nothing_new_leaves_the_prompt_as_it_is(current_host: Gateway, scrimshaw: Scrimshaw) -> None:
    memory = current_host.memory("main")
    scrimshaw(current_host, "observe", "--workspace", str(current_host.workspace("main")), "--yes")
    before = (memory.read_bytes(), memory.stat().st_ino)

    scrimshaw(current_host, "observe", "--workspace", str(current_host.workspace("main")), "--yes")

    assert (memory.read_bytes(), memory.stat().st_ino) == before
