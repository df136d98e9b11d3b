"""What the package believes of the host, held against the host itself."""

import shutil
from pathlib import Path
from typing import Any

import pytest
from tests.host.gateway import Gateway

from scrimshaw.host.openclaw import bootstrap_sizes, injected_report, limits
from scrimshaw.sources.discover import Agent, find_agents


def the_agent(gateway: Gateway) -> Agent:
    return next(
        agent for agent in find_agents(gateway.env(), gateway.home).agents if agent.agent_id == "main"
    )


@pytest.mark.parametrize("host", ["current_host", "jsonl_host"])
def test_the_arithmetic_of_injection_is_the_hosts(host: str, request: pytest.FixtureRequest) -> None:
    gateway: Gateway = request.getfixturevalue(host)
    workspace = gateway.workspace("main")
    (workspace / "USER.md").write_text("ü" * 5000, encoding="utf-8")
    gateway.memory("main").write_text("# Memory\n\n- 🔴 tea\n\n", encoding="utf-8")

    answer = gateway.agent("Which files did you get?")

    reported = answer["result"]["meta"]["systemPromptReport"]
    sizes: dict[str, int] = {
        file["name"]: file["injectedChars"]
        for file in reported["injectedWorkspaceFiles"]
        if file["injectedChars"]
    }
    memory = sizes.pop("MEMORY.md")
    agent = the_agent(gateway)
    in_force = limits(agent)
    ours = bootstrap_sizes(workspace, in_force)
    # A file that is cut loses up to one more unit to the rounding of head and tail.
    assert {name: size for name, size in ours.items() if size - sizes.get(name, 0) not in (0, 1)} == {}
    assert ours.keys() == sizes.keys()
    assert (in_force.per_file, in_force.total) == (
        reported["bootstrapMaxChars"],
        reported["bootstrapTotalMaxChars"],
    )
    last = injected_report(agent)
    assert last is not None
    assert (last.is_injected, last.injected_chars) == (True, memory)


def test_whether_the_host_dreams_is_known(current_host: Gateway, jsonl_host: Gateway) -> None:
    said = {gateway.install.version: _dreams(gateway) for gateway in (current_host, jsonl_host)}

    known = {
        gateway.install.version: limits(the_agent(gateway)).dreaming for gateway in (current_host, jsonl_host)
    }
    assert known == said


def test_the_skill_is_accepted_where_it_is_dropped(current_host: Gateway, repo_root: Path) -> None:
    folder = current_host.workspace("main") / "skills" / "observational-memory"
    folder.mkdir(parents=True)
    shutil.copy(repo_root / "SKILL.md", folder)

    listed = current_host.run("skills", "list", "--agent", "main", "--json")

    skill = next(skill for skill in listed["skills"] if skill["name"] == "observational-memory")
    assert skill["eligible"], skill


def _dreams(gateway: Gateway) -> bool:
    """Whether the host has set up its nightly promotion."""
    jobs: Any = gateway.run("cron", "list", "--all", "--json")
    return any("Dreaming" in job.get("name", "") for job in jobs["jobs"])
