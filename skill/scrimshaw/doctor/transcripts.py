"""Is what the agent says still read? The stores, their schema, and their age against the host's own word.

A follower that has gone blind looks like one that has nothing to do. So the newest event that can be read
is held against the newest activity that the host has written down elsewhere: a gap is an error.
"""

from __future__ import annotations

from collections.abc import Iterator

from scrimshaw.clock import milliseconds
from scrimshaw.core.text.plural import counted
from scrimshaw.doctor.finding import Finding, error, note, ok, warning
from scrimshaw.doctor.sight import AgentSight, Unseen, WorkspaceSight
from scrimshaw.services.status.durations import ago, span
from scrimshaw.services.status.status import SourceCondition
from scrimshaw.sources.sqlite_tables import NEWEST_KNOWN_SCHEMA
from scrimshaw.sources.versions import is_jsonl_era

GAP_MS = 3_600_000  # the host's record and the stored event are written within seconds of each other
FUTURE_MS = 5 * 60_000
_HOST_KINDS = {"sqlite": "SQLite", "jsonl": "JSONL"}
_UPDATE = "look for an update of scrimshaw, and tell its author the host's version: openclaw --version"


def check_transcripts(sight: WorkspaceSight) -> Iterator[Finding]:
    """Judge the stores of each agent of the workspace."""
    if isinstance(sight.stores, Unseen):
        yield error("transcripts", sight.stores.what, *sight.stores.next_step)
        return
    for agent in sight.agents:
        mine = [source for source in sight.stores.sources if source.agent_id == agent.agent.agent_id]
        topic = "transcripts" if len(sight.agents) == 1 else f"transcripts of {agent.agent.agent_id}"
        yield from _of_agent(sight, agent, mine, topic)


def _of_agent(
    sight: WorkspaceSight, agent: AgentSight, sources: list[SourceCondition], topic: str
) -> Iterator[Finding]:
    if not sources:
        yield _without_store(agent, topic)
        return
    bad = [*_unreadable(sources, topic), *_warned(agent, sources, topic)]
    newest = max((source.newest_at_ms or 0 for source in sources), default=0)
    dry = _dry(sight, agent, newest, topic)
    bad += [*dry, *_other_era(sight, sources, topic)]
    if not dry:
        bad += _newer_files(sight, agent, newest, topic)
    if newest > milliseconds(sight.moment) + FUTURE_MS:
        ahead = span((newest - milliseconds(sight.moment)) / 1000)
        bad.append(
            warning(
                topic,
                f"the newest event is {ahead} in the future: this machine's clock is behind, or that of "
                "the machine where it was said was ahead. Silence and age cannot be told from such times.",
                "look at the clock: date; timedatectl",
            )
        )
    if not any(finding.severity > 1 for finding in bad):
        yield ok(topic, _summary(sight, agent, sources, newest))
    yield from bad


def _summary(sight: WorkspaceSight, agent: AgentSight, sources: list[SourceCondition], newest: int) -> str:
    kinds = []
    for source in sources:
        facts = agent.facts.get(source.path)
        kind = _HOST_KINDS.get(source.kind, source.kind)
        kinds.append(f"{kind} (schema {facts.schema})" if facts and facts.schema else kind)
    count = sum(source.sessions for source in sources)
    left_out = sum(sum(source.left_out.values()) for source in sources)
    return (
        f"{' and '.join(dict.fromkeys(kinds))}, {counted(count, 'conversation')}"
        + (f" ({left_out} more left out)" if left_out else "")
        + f", newest event {ago(newest, sight.moment)}"
        + ("; the host's own records agree" if agent.activity else "")
    )


def _without_store(agent: AgentSight, topic: str) -> Finding:
    folder = agent.agent.state_dir / "agents" / agent.agent.agent_id
    if agent.unknown_files:
        return error(
            topic,
            f"no transcripts that can be read were found in {folder}, but {agent.unknown_files[0].path} "
            "looks like some: this host may keep them in a form that is not known here. Nothing is "
            "observed.",
            _UPDATE,
        )
    return note(
        topic,
        f"there are none yet in {folder}; they appear with the agent's first conversation.",
        "talk to the agent once; if it has been talked to, name its state folder: --state-dir FOLDER",
    )


def _unreadable(sources: list[SourceCondition], topic: str) -> Iterator[Finding]:
    for source in sources:
        if source.problem:
            yield error(
                topic,
                f"{source.problem} Nothing new of it is observed.",
                f"ls -l {source.path}",
                "openclaw doctor",
            )


def _warned(agent: AgentSight, sources: list[SourceCondition], topic: str) -> Iterator[Finding]:
    for source in sources:
        schema = agent.facts[source.path].schema if source.path in agent.facts else 0
        for text in source.warnings:
            is_old = "cold archive" in text
            if is_old:
                yield note(topic, text)
            else:
                yield warning(topic, text, *([_UPDATE] if schema > NEWEST_KNOWN_SCHEMA else []))


def _dry(sight: WorkspaceSight, agent: AgentSight, newest: int, topic: str) -> list[Finding]:
    active = agent.activity
    if active is None or active.at_ms <= newest + GAP_MS:
        return []
    if active.at_ms > milliseconds(sight.moment) + FUTURE_MS and newest > milliseconds(sight.moment):
        return []  # two times from the future tell nothing
    found = (
        f"the newest event that can be read is {span((active.at_ms - newest) / 1000)} older"
        if newest
        else "not one event can be read"
    )
    stores = ", ".join(str(store.path) for store in agent.agent.stores)
    return [
        error(
            topic,
            f"TRANSCRIPTS ARE MISSING. The agent was active {ago(active.at_ms, sight.moment)} "
            f"({active.session_key}, says {active.where}), but {found}. What is said now is not observed. "
            f"Read: {stores}.",
            "say a sentence to the agent, and look again: a command like /status alone leaves no transcript",
            "see where this host keeps its transcripts: openclaw sessions list, and session.store in "
            f"{agent.agent.config_path}",
            "if the host was updated: openclaw doctor --fix finishes its own move of the transcripts",
            _UPDATE,
        )
    ]


def _newer_files(sight: WorkspaceSight, agent: AgentSight, newest: int, topic: str) -> Iterator[Finding]:
    file = agent.newest_file
    if file is not None and file.changed_at_ms > newest + GAP_MS:
        yield note(
            topic,
            f"{file.path} was changed {ago(file.changed_at_ms, sight.moment)}, but the newest message that "
            f"can be read is from {ago(newest, sight.moment)}. A copy or a restored backup looks so, too.",
            "if the agent was talked to in between: scrimshaw observe, and read what it says of this file",
        )
    strange = next(iter(agent.unknown_files), None)
    if strange is not None and strange.changed_at_ms > newest + GAP_MS:
        yield warning(
            topic,
            f"{strange.path} is newer ({ago(strange.changed_at_ms, sight.moment)}) than every message that "
            "can be read, and is not a store that is known here. If transcripts moved there, they are not "
            "observed.",
            _UPDATE,
        )


def _other_era(sight: WorkspaceSight, sources: list[SourceCondition], topic: str) -> Iterator[Finding]:
    version = sight.host.version
    newest = {one.kind: one.newest_at_ms or 0 for one in sources if one.kind in _HOST_KINDS}
    if len(newest) == 2:
        if newest["jsonl"] > newest["sqlite"] + GAP_MS:
            yield note(
                topic,
                "the JSONL files are newer than the SQLite store: an older OpenClaw ran after the move. "
                "Both are read, and nothing is observed twice.",
                "openclaw doctor --fix moves what is new, once the newer OpenClaw runs again",
            )
        return
    if version is None or not newest:
        return
    kind, name = next(iter(newest)), ".".join(map(str, version))
    if kind == "jsonl" and not is_jsonl_era(version):
        yield warning(
            topic,
            f"OpenClaw {name} keeps its transcripts in SQLite, but only JSONL files were found: the host "
            "was updated and has not moved them, or has its store elsewhere.",
            "openclaw doctor --fix (the daemon may go on running)",
        )
    elif kind == "sqlite" and is_jsonl_era(version):
        yield warning(
            topic,
            f"OpenClaw {name} keeps its transcripts as JSONL files, but only a SQLite store was found: it "
            "is what a newer OpenClaw left.",
            "run the OpenClaw that made the store, or look for the JSONL folder: session.store in "
            f"{sight.host.config.path}",
        )
