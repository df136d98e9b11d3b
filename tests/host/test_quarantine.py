"""The quarantine of MEMORY.md on a real OpenClaw, and rule 13 that keeps clear of it.

The agent edits MEMORY.md with its own tool, a program writes it, the agent edits again: from then on
the host leaves the file out of every prompt. The first two tests show that the danger is real.
"""

from pathlib import Path

from tests.host.gateway import Gateway, Scrimshaw
from tests.host.scripted_model import Call, Say

from scrimshaw.core.section import BEGIN
from scrimshaw.host.openclaw import injected_report
from scrimshaw.host.provenance import Provenance, provenance
from scrimshaw.sources.discover import Agent, find_agents

FIRST = "- Drinks tea, never coffee."
SECOND = "- Has a dog called Bruno."
THIRD = "- Has a cat called Mio."


def agent_edits(gateway: Gateway, agent_id: str, message: str, old: str, new: str) -> None:
    """Let the agent replace *old* by *new* in MEMORY.md with its own edit tool."""
    path = str(gateway.memory(agent_id))
    edit = Call("edit", {"path": path, "edits": [{"oldText": old, "newText": new}]})
    gateway.model.script[message] = [edit, Say("Noted.")]
    gateway.agent(message, agent_id)
    assert new in gateway.memory(agent_id).read_text("utf-8")


def the_agent(gateway: Gateway, agent_id: str) -> Agent:
    found = find_agents(gateway.env(), gateway.home)
    return next(agent for agent in found.agents if agent.agent_id == agent_id)


def record(gateway: Gateway, agent_id: str) -> Provenance:
    return provenance(the_agent(gateway, agent_id), gateway.workspace(agent_id))


def begin(gateway: Gateway, agent_id: str) -> Path:
    memory = gateway.memory(agent_id)
    memory.write_text(f"# Memory\n\n{FIRST}\n", encoding="utf-8")
    assert record(gateway, agent_id).state == "none"
    agent_edits(gateway, agent_id, f"{agent_id}: I have a dog.", FIRST, f"{FIRST}\n{SECOND}")
    assert record(gateway, agent_id).state == "recorded"
    return memory


def is_quarantined(gateway: Gateway, agent_id: str) -> bool:
    prompt = gateway.new_session(f"{agent_id}: what do you know of me?", agent_id).system_prompt
    assert "You help one person." in prompt  # the other files are there: it is the right prompt
    return FIRST not in prompt


def test_any_outside_write_between_two_edits_of_the_agent_gets_memory_quarantined(
    current_host: Gateway,
) -> None:
    memory = begin(current_host, "plain")
    memory.write_text(memory.read_text("utf-8") + "- A line by another program.\n", encoding="utf-8")
    assert not is_quarantined(current_host, "plain")

    agent_edits(current_host, "plain", "plain: I have a cat.", SECOND, THIRD)

    assert is_quarantined(current_host, "plain")
    assert record(current_host, "plain").state == "untrusted"
    report = injected_report(the_agent(current_host, "plain"))
    assert report is not None
    assert not report.is_injected


def test_without_rule_13_our_own_write_gets_memory_quarantined(
    current_host: Gateway, scrimshaw: Scrimshaw
) -> None:
    workspace = str(current_host.workspace("hasty"))
    current_host.agent("hasty: we decided to use Postgres 17 for the billing service.", "hasty")
    memory = begin(current_host, "hasty")

    scrimshaw(
        current_host, "observe", "--workspace", workspace, "--yes", SCRIMSHAW_RESPECT_PROVENANCE="false"
    )
    assert BEGIN in memory.read_text("utf-8")
    agent_edits(current_host, "hasty", "hasty: I have a cat.", SECOND, THIRD)

    assert is_quarantined(current_host, "hasty")


def test_with_rule_13_memory_stays_in_the_prompt_and_the_section_is_kept_beside_it(
    current_host: Gateway, scrimshaw: Scrimshaw
) -> None:
    workspace = current_host.workspace("careful")
    current_host.agent("careful: we decided to use Postgres 17 for the billing service.", "careful")
    memory = begin(current_host, "careful")
    before = memory.read_bytes()

    scrimshaw(current_host, "observe", "--workspace", str(workspace), "--yes")
    assert memory.read_bytes() == before
    agent_edits(current_host, "careful", "careful: I have a cat.", SECOND, THIRD)

    assert not is_quarantined(current_host, "careful")
    assert record(current_host, "careful").state == "recorded"
    assert "Postgres 17" in (workspace / "memory" / "observations" / "MEMORY.md").read_text("utf-8")
    assert "memory/observations/MEMORY.md" in scrimshaw(current_host, "status", "--workspace", str(workspace))


def test_a_section_that_stands_in_memory_stays_there_while_the_newer_one_is_kept_beside_it(
    current_host: Gateway, scrimshaw: Scrimshaw
) -> None:
    workspace = current_host.workspace("settled")
    memory = current_host.memory("settled")
    memory.write_text(f"# Memory\n\n{FIRST}\n", encoding="utf-8")
    current_host.agent("settled: we decided to use Postgres 17 for the billing service.", "settled")
    scrimshaw(current_host, "observe", "--workspace", str(workspace), "--yes")
    agent_edits(current_host, "settled", "settled: I have a dog.", FIRST, f"{FIRST}\n{SECOND}")
    assert record(current_host, "settled").state == "recorded"
    before = memory.read_bytes()
    current_host.agent("settled: we decided to host the staging server in Lisbon.", "settled")

    scrimshaw(current_host, "observe", "--workspace", str(workspace), "--yes")

    assert memory.read_bytes() == before
    beside = (workspace / "memory" / "observations" / "MEMORY.md").read_text("utf-8")
    assert "Lisbon" in beside
    assert "Postgres 17" in beside
    agent_edits(current_host, "settled", "settled: I have a cat.", SECOND, THIRD)
    assert not is_quarantined(current_host, "settled")
    assert record(current_host, "settled").state == "recorded"
