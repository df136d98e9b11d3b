"""The quarantine of MEMORY.md on a real OpenClaw, and rule 13 that keeps clear of it.

The agent edits MEMORY.md with its own tool, a program writes it, the agent edits again: from then on
the host leaves the file out of every prompt. The first two tests show that the danger is real; the last
two, with our hook in the host, that the lines are in the prompt all the same, and the way out.
"""

import re
from pathlib import Path

from tests.host.gateway import Gateway, Scrimshaw
from tests.host.scripted_model import Call, Say

from scrimshaw.core.section.markers import BEGIN
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


def agent_deletes(gateway: Gateway, agent_id: str) -> None:
    """Let the agent delete MEMORY.md with its own tool."""
    message = f"{agent_id}: please delete MEMORY.md with apply_patch"
    patch = "*** Begin Patch\n*** Delete File: MEMORY.md\n*** End Patch"
    gateway.model.script[message] = [Call("apply_patch", {"input": patch}), Say("Done.")]
    gateway.agent(message, agent_id)
    assert not gateway.memory(agent_id).exists()


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


def observe(gateway: Gateway, scrimshaw: Scrimshaw, agent_id: str, **settings: str) -> None:
    workspace = str(gateway.workspace(agent_id))
    scrimshaw(gateway, "observe", "--workspace", workspace, "--yes", "--now", **settings)


def beside(gateway: Gateway, agent_id: str) -> Path:
    return gateway.workspace(agent_id) / "memory" / "observations" / "MEMORY.md"


def lines_beside(gateway: Gateway, agent_id: str) -> list[str]:
    """The lines of the section that is kept beside MEMORY.md, without its heading and the days of its log:
    the host itself may tell a prompt what day it is."""
    text = beside(gateway, agent_id).read_text("utf-8")
    lines = [line for line in text[text.index(BEGIN) :].splitlines() if line.strip()]
    return [line for line in lines if not re.fullmatch(r"\d{4}-\d\d-\d\d", line)]


def prompt_in_a_group(gateway: Gateway, agent_id: str) -> str:
    key = f"agent:{agent_id}:telegram:group:1"
    return gateway.say(f"{agent_id}: what does the group know?", agent_id, key).system_prompt


def take_the_way_out(gateway: Gateway, scrimshaw: Scrimshaw, agent_id: str) -> None:
    """What docs/guide/operator.md says: a copy, a deletion by the agent, the copy back, and a run."""
    memory = gateway.memory(agent_id)
    copy = memory.with_name("MEMORY.copy")
    copy.write_bytes(memory.read_bytes())
    agent_deletes(gateway, agent_id)
    assert record(gateway, agent_id).state == "none"
    copy.rename(memory)
    observe(gateway, scrimshaw, agent_id)


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
    current_host.agent("hasty: we decided to use Postgres 17 for the billing service.", "hasty")
    memory = begin(current_host, "hasty")

    observe(current_host, scrimshaw, "hasty", SCRIMSHAW_RESPECT_PROVENANCE="false")
    assert BEGIN in memory.read_text("utf-8")
    agent_edits(current_host, "hasty", "hasty: I have a cat.", SECOND, THIRD)

    assert is_quarantined(current_host, "hasty")
    # From then on the section is kept beside MEMORY.md; without our hook nothing of it is in the prompt.
    observe(current_host, scrimshaw, "hasty", SCRIMSHAW_RESPECT_PROVENANCE="false")
    prompt = current_host.new_session("hasty: and now?", "hasty").system_prompt
    assert [line for line in lines_beside(current_host, "hasty") if line in prompt] == []


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


def test_a_quarantined_memory_is_named_healed_in_direct_sessions_and_recovered(
    hooked_host: Gateway, scrimshaw: Scrimshaw
) -> None:
    memory = begin(hooked_host, "healed")
    hooked_host.agent("healed: we decided to use Postgres 17 for the billing service.", "healed")
    observe(hooked_host, scrimshaw, "healed", SCRIMSHAW_RESPECT_PROVENANCE="false")
    assert BEGIN in memory.read_text("utf-8")
    agent_edits(hooked_host, "healed", "healed: I have a cat.", SECOND, THIRD)
    assert record(hooked_host, "healed").state == "untrusted"
    left_alone = memory.read_bytes()

    # Healed: the next run keeps the section beside MEMORY.md, and the hook puts it into the prompt.
    hooked_host.agent("healed: we decided to host the staging server in Lisbon.", "healed")
    observe(hooked_host, scrimshaw, "healed", SCRIMSHAW_RESPECT_PROVENANCE="false")
    direct = hooked_host.new_session("healed: what do you know of me?", "healed").system_prompt
    group = prompt_in_a_group(hooked_host, "healed")
    assert memory.read_bytes() == left_alone
    section = lines_beside(hooked_host, "healed")
    assert [words for words in ("Postgres 17", "Lisbon") if words not in "\n".join(section)] == []
    assert [line for line in section if line not in direct] == []
    assert [line for line in section if line in group] == []
    assert [FIRST in direct, FIRST in group] == [False, False]  # the quarantined file is not let in

    # Named, with the way out.
    workspace = str(hooked_host.workspace("healed"))
    said = scrimshaw(hooked_host, "doctor", "--workspace", workspace, codes=range(6))
    assert "QUARANTINED" in said

    take_the_way_out(hooked_host, scrimshaw, "healed")
    recovered = hooked_host.new_session("healed: and now?", "healed").system_prompt
    assert [line for line in memory.read_text("utf-8").splitlines() if line not in recovered] == []
    for words in (FIRST, THIRD, "Postgres 17", "Lisbon"):
        assert (words in recovered, memory.read_text("utf-8").count(words)) == (True, 1)
    assert not beside(hooked_host, "healed").exists()
    assert BEGIN in memory.read_text("utf-8")


def test_with_rule_13_it_never_happens_and_the_lines_are_in_the_prompt_all_the_same(
    hooked_host: Gateway, scrimshaw: Scrimshaw
) -> None:
    memory = begin(hooked_host, "ruled")
    hooked_host.agent("ruled: we decided to use Postgres 17 for the billing service.", "ruled")
    before = memory.read_bytes()
    observe(hooked_host, scrimshaw, "ruled")
    assert memory.read_bytes() == before
    agent_edits(hooked_host, "ruled", "ruled: I have a cat.", SECOND, THIRD)
    observe(hooked_host, scrimshaw, "ruled")

    direct = hooked_host.new_session("ruled: what do you know of me?", "ruled").system_prompt
    group = prompt_in_a_group(hooked_host, "ruled")

    assert record(hooked_host, "ruled").state == "recorded"
    lines = [FIRST, THIRD, *lines_beside(hooked_host, "ruled")]
    assert "Postgres 17" in "\n".join(lines)
    assert [line for line in lines if line not in direct] == []
    assert [line for line in lines if line in group] == []


def test_a_run_between_deletion_and_copy_on_the_way_back_costs_no_line(
    hooked_host: Gateway, scrimshaw: Scrimshaw
) -> None:
    hooked_host.agent("returned: we decided to use Postgres 17 for the billing service.", "returned")
    memory = begin(hooked_host, "returned")
    observe(hooked_host, scrimshaw, "returned", SCRIMSHAW_RESPECT_PROVENANCE="false")
    agent_edits(hooked_host, "returned", "returned: I have a cat.", SECOND, THIRD)
    assert record(hooked_host, "returned").state == "untrusted"
    for word in ("Lisbon", "Porto", "Braga"):
        hooked_host.agent(f"returned: we decided to host the {word} server on node 7.", "returned")
    observe(hooked_host, scrimshaw, "returned")
    aside = beside(hooked_host, "returned").read_text("utf-8")
    assert [word for word in ("Postgres 17", "Lisbon", "Porto", "Braga") if word not in aside] == []

    copy = memory.with_name("MEMORY.copy")
    copy.write_bytes(memory.read_bytes())
    agent_deletes(hooked_host, "returned")
    observe(hooked_host, scrimshaw, "returned")
    assert FIRST not in memory.read_text("utf-8")
    copy.rename(memory)
    observe(hooked_host, scrimshaw, "returned")

    text = memory.read_text("utf-8")
    for words in (FIRST, THIRD, "Postgres 17", "Lisbon", "Porto", "Braga"):
        assert text.count(words) == 1, words
    assert not beside(hooked_host, "returned").exists()
    assert record(hooked_host, "returned").state == "none"
