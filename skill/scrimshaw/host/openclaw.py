"""What the host does with MEMORY.md: the limits in force, what it injected last, its time zone.

Everything is read from the host's configuration and stores, read-only, in a few milliseconds, and
never raises: what cannot be read falls back to the defaults of the host's version, and *problems*
says so. Sizes are UTF-16 code units, as the host counts them.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

import orjson

from scrimshaw.core.section.budget import utf16_units
from scrimshaw.files import open_regular
from scrimshaw.host.plugins import TOOLS
from scrimshaw.sources.discover import Agent, StoreRef, agent_entries, state_version
from scrimshaw.sources.openclaw_config import HostConfig, read_config
from scrimshaw.sources.readonly import reading
from scrimshaw.sources.versions import HostDefaults, defaults_of

MAX_SESSIONS_FILE_BYTES = 32 * 1024 * 1024
_NEWEST_SESSIONS = 24
_LARGEST_PROFILE_BYTES = 64 * 1024
_LONGEST_LABEL_CHARS = 400
_ZONE_LABEL = re.compile(r"[\s>*+_-]{0,12}(?:time[ -]?zone|zeitzone|tz)[*_]{0,3}:", re.IGNORECASE)
_NAME_LABEL = re.compile(
    r"[\s>*+_-]{0,12}(?:(?:full|first|preferred )?name|what to call them|call them)[*_]{0,3}:", re.IGNORECASE
)
_NAME = re.compile(r"[^\W\d_][^\W\d_'’-]+")
_MOST_NAMES = 4  # of one label: more is a sentence
_ZONE_NAME = re.compile(r"(?<![\w/.+-])[A-Z][A-Za-z]{1,20}(?:/[A-Z][\w+-]{1,30}){1,2}(?![\w/])")
# Sessions into which the host injects no MEMORY.md.
_WITHOUT_MEMORY = (":cron:", ":subagent:", ":group:", ":channel:")


class HostLimits(NamedTuple):
    """What bounds MEMORY.md for one agent. *origin* says for each value where it came from."""

    per_file: int
    total: int
    dreaming: bool  # the host promotes into MEMORY.md by itself and keeps the file under 10,000
    origin: Mapping[str, str]
    problems: tuple[str, ...]
    defaults: HostDefaults


class Injected(NamedTuple):
    """The host's report of its last prompt that MEMORY.md belongs in."""

    at_ms: int
    session_key: str
    per_file: int
    total: int
    is_injected: bool  # False: MEMORY.md was not in that prompt at all
    raw_chars: int
    injected_chars: int
    is_truncated: bool
    is_ours: bool = False  # what stood there was the section kept aside, which our hook has put in
    tools: tuple[str, ...] = ()  # of our plug-in, as that prompt named them to the model


def limits(agent: Agent) -> HostLimits:
    """Return the limits in force for *agent*: its own, the agents' defaults, the version's defaults."""
    config = read_config(agent.config_path)
    version = state_version(agent.state_dir, config)
    defaults = defaults_of(version)
    known = ".".join(map(str, version)) if version else "unknown version, newest defaults"
    origin: dict[str, str] = {}
    values: dict[str, int] = {}
    for name, key, fallback in (
        ("per_file", "bootstrapMaxChars", defaults.per_file),
        ("total", "bootstrapTotalMaxChars", defaults.total),
    ):
        values[name], origin[name] = _limit(config, agent.agent_id, key, fallback, known)
    dreaming, origin["dreaming"] = _dreaming(config, defaults, known)
    return HostLimits(values["per_file"], values["total"], dreaming, origin, config.problems, defaults)


def bootstrap_sizes(workspace: Path, limits: HostLimits) -> dict[str, int]:
    """Return the units that each file injected before MEMORY.md takes of the total."""
    remaining = limits.total
    sizes: dict[str, int] = {}
    for name in limits.defaults.order:
        if name == "MEMORY.md":
            continue
        cap = min(limits.per_file, remaining)
        if name == "USER.md" and limits.defaults.user_file is not None:
            cap = min(cap, limits.defaults.user_file)
        size = _size(workspace / name, cap)
        if size is None:
            missing = f"[MISSING] Expected at: {workspace / name}"
            size = 0 if name in limits.defaults.optional else min(utf16_units(missing), remaining)
        sizes[name] = size
        remaining -= size
    return {name: size for name, size in sizes.items() if size}


def injected_report(agent: Agent) -> Injected | None:
    """Return what the host says it injected last in a session that MEMORY.md belongs in, or None."""
    found: list[Injected] = []
    for store in agent.stores:
        entries = _database_entries(store.path) if store.kind == "sqlite" else _file_entries(store)
        report = next(filter(None, (_report(key, entry, agent) for key, entry in entries)), None)
        if report:
            found.append(report)
    return max(found, key=lambda report: report.at_ms, default=None)


def user_timezone(agent: Agent) -> str | None:
    """Return the zone name the host is configured with (`agents.defaults.userTimezone`), unchecked."""
    return read_config(agent.config_path).text("agents", "defaults", "userTimezone") or None


def zones_in_profile(workspace: Path) -> Iterator[str]:
    """Yield what the workspace's USER.md names as the person's time zone, in the form Area/City, unchecked.

    A label as in the host's template ("- **Timezone:** Europe/Lisbon"); a directive marked as superseded is
    passed over. An agent may write this file, so at most its first 64 KiB are looked at, and names alone.
    """
    for rest in _labelled(workspace, _ZONE_LABEL):
        yield from _ZONE_NAME.findall(rest)


def names_in_profile(workspace: Path) -> frozenset[str]:
    """Return what the workspace's USER.md names the person by, word by word ("- **Name:** Ana Prado")."""
    found = (_NAME.findall(rest) for rest in _labelled(workspace, _NAME_LABEL))
    return frozenset(
        name for names in found if len(names) <= _MOST_NAMES for name in names if name[0].isupper()
    )


def _labelled(workspace: Path, label: re.Pattern[str]) -> Iterator[str]:
    """Yield what follows *label* in the lines of USER.md that begin with it and are in force."""
    try:
        with open_regular(workspace / "USER.md") as file:
            text = file.read(_LARGEST_PROFILE_BYTES).decode("utf-8", "replace")
    except OSError:
        return
    is_superseded = False
    for line in text.splitlines():
        if line.lstrip().startswith("<!--"):
            is_superseded = "superseded" in line
        elif len(line) <= _LONGEST_LABEL_CHARS and (found := label.match(line)) and not is_superseded:
            yield line[found.end() :]


def _limit(config: HostConfig, agent_id: str, key: str, fallback: int, known: str) -> tuple[int, str]:
    own = agent_entries(config).get(agent_id, {}).get(key)
    shared = config.at("agents", "defaults", key)
    # The host stops at the agent's own value when it has one, even one that it cannot use.
    value, origin = (shared, "agents.defaults") if own is None else (own, f"agents.entries.{agent_id}")
    if isinstance(value, int | float) and not isinstance(value, bool) and 1 <= value < 2**53:
        return int(value), f"{origin}.{key}"
    return fallback, f"default of OpenClaw {known}"


def _dreaming(config: HostConfig, defaults: HostDefaults, known: str) -> tuple[bool, str]:
    slot = config.text("plugins", "slots", "memory") or "memory-core"
    if slot.lower() == "none":
        return False, "plugins.slots.memory"
    if config.at("plugins", "enabled") is False:
        return False, "plugins.enabled"
    if config.at("plugins", "entries", slot, "enabled") is False:
        return False, f"plugins.entries.{slot}.enabled"
    configured = config.at("plugins", "entries", slot, "config", "dreaming", "enabled")
    if isinstance(configured, str) and configured.strip().lower() in ("true", "false"):
        configured = configured.strip().lower() == "true"
    if isinstance(configured, bool):
        return configured, f"plugins.entries.{slot}.config.dreaming.enabled"
    return defaults.dreaming, f"default of OpenClaw {known}"


def _size(path: Path, cap: int) -> int | None:
    """Return the units of the file at *path*, at most *cap*; None when there is none."""
    try:
        with open_regular(path) as file:
            # A unit takes at most three bytes of UTF-8, so what lies beyond cannot change the answer
            # unless it is all white space; then the answer errs to the safe side.
            raw = file.read(3 * cap + 4)
    except OSError:
        return None
    return min(utf16_units(raw.decode("utf-8", "replace")), cap)


def _database_entries(path: Path) -> Iterator[tuple[str, object]]:
    try:
        with reading(path) as connection:
            rows = connection.execute(
                "select session_key, entry_json from session_nodes order by updated_at desc limit ?",
                (_NEWEST_SESSIONS,),
            ).fetchall()
    except (OSError, sqlite3.Error):
        return
    for key, entry_json in rows:
        yield str(key), decoded(str(entry_json))


def _file_entries(store: StoreRef) -> Iterable[tuple[str, object]]:
    named = named_entries(store.path).items()
    return sorted(named, key=lambda item: number_in(item[1], "updatedAt"), reverse=True)


def named_entries(folder: Path) -> dict[str, object]:
    """Return what sessions.json in *folder* says of each session, by its key; {} where it cannot be read."""
    try:
        with open_regular(folder / "sessions.json") as file:
            raw = file.read(MAX_SESSIONS_FILE_BYTES + 1)
    except OSError:
        return {}
    entries = decoded(raw)
    return {str(key): entry for key, entry in entries.items()} if isinstance(entries, dict) else {}


def decoded(raw: bytes | str) -> object:
    """Return a JSON value, None for anything else."""
    try:
        return orjson.loads(raw)
    except orjson.JSONDecodeError:
        return None


def number(value: object) -> int:
    """Return a number of the host's, a time in milliseconds or a size; 0 for anything else."""
    return int(value) if isinstance(value, int | float) and 0 < value < 2**53 else 0


def number_in(value: object, key: str) -> int:
    """Return the `number` that *value* holds under *key*."""
    return number(value.get(key)) if isinstance(value, Mapping) else 0


def _our_tools(tools: object) -> tuple[str, ...]:
    entries = tools.get("entries") if isinstance(tools, Mapping) else None
    every = entries if isinstance(entries, list) else []
    named = [one.get("name") for one in every if isinstance(one, Mapping)]
    return tuple(tool for tool in TOOLS if tool in named)


def _report(session_key: str, entry: object, agent: Agent) -> Injected | None:
    if any(mark in session_key for mark in _WITHOUT_MEMORY):
        return None
    report = entry.get("systemPromptReport") if isinstance(entry, Mapping) else None
    if not isinstance(report, Mapping) or not isinstance(report.get("injectedWorkspaceFiles"), list):
        return None
    # The host's own chores run in folders of their own, with a report of their own.
    if str(report.get("workspaceDir", "")) not in (str(agent.workspace), str(agent.workspace.resolve())):
        return None
    files = [file for file in report["injectedWorkspaceFiles"] if isinstance(file, Mapping)]
    memory = next(
        (file for file in files if file.get("name") == "MEMORY.md" and not file.get("missing")), None
    )
    return Injected(
        at_ms=number_in(report, "generatedAt"),
        session_key=session_key,
        per_file=number_in(report, "bootstrapMaxChars"),
        total=number_in(report, "bootstrapTotalMaxChars"),
        is_injected=memory is not None,
        raw_chars=number_in(memory, "rawChars"),
        injected_chars=number_in(memory, "injectedChars"),
        is_truncated=bool(memory and memory.get("truncated")),
        is_ours=bool(memory and str(memory.get("path")).endswith("/memory/observations/MEMORY.md")),
        tools=_our_tools(report.get("tools")),
    )
