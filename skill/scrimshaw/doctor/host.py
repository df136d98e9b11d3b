"""The host: version, configuration, gateway, and what of it keeps MEMORY.md out of the prompt.

What each setting means for MEMORY.md was read in the host's documents and code (2026.9.6). Two of them shut
the file out altogether: `contextInjection: never`, and a memory plugin whose runtime cannot tell who wrote
a file ("does not support provenance classification").
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime

from scrimshaw.doctor.finding import Finding, all_ok, error, note, ok, warning
from scrimshaw.doctor.sight import HostSight, WorkspaceSight
from scrimshaw.services.status.durations import ago
from scrimshaw.sources.discover import Agent, agent_entries
from scrimshaw.sources.openclaw_config import HostConfig
from scrimshaw.sources.versions import is_jsonl_era

_NEWEST_TRIED = (2026, 9, 6)
_EVERY_TURN = "contextInjection"


def check_version(host: HostSight) -> Iterator[Finding]:
    """Judge the host's version and its configuration's form."""
    for problem in host.config.problems:
        yield error("configuration", problem, f"openclaw config validate, or mend {host.config.path} by hand")
    if host.version is None:
        yield note(
            "openclaw",
            "its version is not recorded in the state folder; the limits of the newest one that is known "
            "are used.",
            "openclaw --version",
        )
        return
    name = ".".join(map(str, host.version))
    era = "JSONL" if is_jsonl_era(host.version) else "SQLite"
    if host.version > _NEWEST_TRIED:
        newest = ".".join(map(str, _NEWEST_TRIED))
        yield note(
            "openclaw",
            f"{name} is newer than {newest}, the newest that this scrimshaw was tried with. Its limits and "
            f"forms are taken for those of {newest}.",
            "look for an update of scrimshaw",
        )
    else:
        yield ok("openclaw", f"{name}, which keeps transcripts in {era}")


def check_gateway(host: HostSight, moment: datetime) -> Iterator[Finding]:
    """Tell whether a gateway runs; that none does is no fault."""
    if host.gateway is None:
        yield ok("gateway", "none runs that could be seen")
    else:
        yield ok("gateway", f"process {host.gateway.pid}, started {ago(host.gateway.started_at_ms, moment)}")


def check_plugins(host: HostSight, workspaces: Iterable[WorkspaceSight]) -> Iterator[Finding]:
    """Judge what in the configuration keeps MEMORY.md, or the section, from the prompt."""
    agents = [agent.agent for sight in workspaces for agent in sight.agents]
    found = [
        *_memory_slot(host, workspaces),
        *_context_engine(host.config),
        *(finding for agent in agents for finding in _injection(host.config, agent)),
        *_codex(host.config, agents),
    ]
    if all_ok(found):
        yield ok("plugins", "nothing in the configuration keeps MEMORY.md from the prompt")
    yield from found


def _memory_slot(host: HostSight, workspaces: Iterable[WorkspaceSight]) -> Iterator[Finding]:
    slot = host.config.text("plugins", "slots", "memory") or "memory-core"
    if slot == "memory-core" or slot.lower() == "none" or (host.version and is_jsonl_era(host.version)):
        return
    told = (
        f"the memory plugin is {slot} (plugins.slots.memory). The host asks the plugin that runs its "
        "memory who wrote MEMORY.md, and one that cannot tell gets MEMORY.md and USER.md left out of "
        "every prompt."
    )
    reports = [agent.injected for sight in workspaces for agent in sight.agents if agent.injected]
    if reports and all(report.is_injected for report in reports):
        yield note("plugins", f"{told} This one does not: MEMORY.md was in the host's last prompt.")
        return
    is_out = bool(reports)
    make = error if is_out else warning
    yield make(
        "plugins",
        told
        + (
            " By the host's last prompt it is so."
            if is_out
            else " No prompt was reported yet that would show it."
        ),
        "look in the gateway's log for: excluding automatic memory context",
        "our hook brings the section into the prompt all the same where the host has a record of MEMORY.md;"
        ' to have the file itself back: openclaw config set plugins.slots.memory "memory-core"',
    )


def _context_engine(config: HostConfig) -> Iterator[Finding]:
    engine = config.text("plugins", "slots", "contextEngine")
    if engine and engine != "legacy":
        yield note(
            "plugins",
            f"the context engine is {engine} (plugins.slots.contextEngine): it chooses the messages and "
            "may add to the system prompt. The workspace's files, MEMORY.md among them, are the host's "
            "own part and stay.",
        )


def _injection(config: HostConfig, agent: Agent) -> Iterator[Finding]:
    own = agent_entries(config).get(agent.agent_id, {}).get(_EVERY_TURN)
    chosen, key = (
        (own, f"agents.entries.{agent.agent_id}.{_EVERY_TURN}")
        if own in ("always", "continuation-skip", "never")
        else (config.text("agents", "defaults", _EVERY_TURN), f"agents.defaults.{_EVERY_TURN}")
    )
    if chosen == "never":
        yield error(
            "plugins",
            f"{key} is never: the host puts none of the workspace's files into {agent.agent_id}'s prompt, "
            "MEMORY.md included, and calls no bootstrap hook that could. The agent knows of the section "
            "only by searching.",
            f"openclaw config set {key} always",
        )
    elif chosen == "continuation-skip":
        yield note(
            "plugins",
            f"{key} is continuation-skip: MEMORY.md is put into the first turn of a conversation and after "
            "a compaction, not into every turn. What is noted meanwhile is seen in the next conversation.",
        )


def _codex(config: HostConfig, agents: Iterable[Agent]) -> Iterator[Finding]:
    """Note agents whose turns run on another harness, as far as the configuration alone tells."""
    for agent in agents:
        model = _model_of(config, agent)
        runtime = _runtime_of(config, agent, model)
        if runtime == "codex" or (not runtime and model.startswith("openai/")):
            yield note(
                "plugins",
                f"{agent.agent_id} uses {model or 'a model'} on the Codex harness"
                + ("" if runtime else ", if the codex plugin is installed")
                + ": there MEMORY.md is not pasted into the turns while the memory tools work; the agent "
                "gets a pointer and reads it with memory_search. The section counts, but it is not always "
                "before its eyes.",
                f'to have it in every prompt: agentRuntime: {{ id: "openclaw" }} for {model or "the model"}',
            )
        elif runtime and runtime not in ("auto", "openclaw", "pi"):
            yield note(
                "plugins",
                f"{agent.agent_id} runs on {runtime} (agentRuntime). That program makes its own prompt; "
                "whether MEMORY.md is in it is shown by the line `prompt` of the workspace.",
            )


def _model_of(config: HostConfig, agent: Agent) -> str:
    own = agent_entries(config).get(agent.agent_id, {}).get("model")
    for found in (own, config.at("agents", "defaults", "model")):
        name = found.get("primary") if isinstance(found, Mapping) else found
        if isinstance(name, str) and name.strip():
            return name.strip()
    return ""


def _runtime_of(config: HostConfig, agent: Agent, model: str) -> str:
    provider = model.partition("/")[0]
    entry = agent_entries(config).get(agent.agent_id, {}).get("models")
    tables = (entry if isinstance(entry, Mapping) else {}, config.table("agents", "defaults", "models"))
    for name in (model, f"{provider}/*"):
        for table in tables:
            found = _runtime_in(table.get(name))
            if found:
                return found
    return _runtime_in(config.at("models", "providers", provider)) if provider else ""


def _runtime_in(value: object) -> str:
    policy = value.get("agentRuntime") if isinstance(value, Mapping) else None
    found = policy.get("id") if isinstance(policy, Mapping) else None
    return found.strip() if isinstance(found, str) else ""
