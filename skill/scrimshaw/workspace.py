"""What a run works on: one workspace, the agents that live in it, their settings and their zone."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple
from zoneinfo import ZoneInfo

from scrimshaw import files
from scrimshaw.config import Config, Settings, load
from scrimshaw.errors import Exit, NotFoundError, UserError
from scrimshaw.home import SHARED, agents_in
from scrimshaw.host.openclaw import user_timezone, zones_in_profile
from scrimshaw.layout import Layout
from scrimshaw.sources.discover import Agent, Discovery, agents_as_named, find_agents
from scrimshaw.sources.openclaw_config import HostConfig, read_config

_UTC = re.compile(r"(?:Etc/)?(?:UTC|UCT|GMT|Zulu|Universal|Greenwich)", re.IGNORECASE)


class Target(NamedTuple):
    """One workspace with everything that was decided before a run.

    Agents that share a workspace share its MEMORY.md, so they share one ledger; the first one's
    settings are in force. What any of them keeps private is private, though, and of one that has not
    chosen the same models no conversation is sent.
    """

    layout: Layout
    agents: tuple[Agent, ...]
    config: Config
    zone: str  # IANA name
    zone_from: str = ""  # what names it

    @property
    def agent_id(self) -> str:
        """The agent that the ledger and the dated files are named after."""
        return self.agents[0].agent_id

    @property
    def is_in_home(self) -> bool:
        """Whether this is of a home: no host is there."""
        return self.agents[0].home is not None

    @property
    def is_shared(self) -> bool:
        """Whether this is the agent of a home whose memories are for all agents there."""
        return self.is_in_home and self.agent_id == SHARED

    @property
    def zone_told(self) -> str:
        """The zone with what names it, for a person."""
        return f"{self.zone}, from {self.zone_from}" if self.zone_from else f"{self.zone}: nothing names one"


class Wanted(NamedTuple):
    """What the person named on the command line; None means "whatever there is"."""

    workspace: Path | None = None
    agent: str | None = None
    state_dir: Path | None = None
    home: Path | None = None  # a folder of agents that no host knows


def is_set_up(layout: Layout) -> bool:
    """Tell whether the owner has agreed to writing here: a ledger is the sign of it (rule 12)."""
    try:
        # A kill between making the file and its first commit leaves 0 bytes: there is no ledger yet.
        return os.stat(_ledger_of(layout)).st_size > 0  # noqa: PTH116  asked at each call: the least there is
    except OSError:
        return False


@lru_cache(maxsize=256)
def _ledger_of(layout: Layout) -> str:
    return str(layout.ledger)


class Survey(NamedTuple):
    """The workspaces to work on, those whose settings cannot be read, and what discovery has to say.

    *unread* are the hosts' configurations that cannot be read, by their path: whose agents nobody knows.
    """

    targets: list[Target]
    failed: dict[Path, UserError]
    notes: tuple[str, ...]
    unread: dict[Path, UserError]

    @property
    def errors(self) -> tuple[UserError, ...]:
        """What keeps some of them from being worked on."""
        return (*self.unread.values(), *self.failed.values())

    @property
    def told(self) -> tuple[str, ...]:
        texts = (text for one in self.errors for text in (*one.problems, f"Next: {one.next_step}"))
        return (*self.notes, *texts)


def survey_some(wanted: Wanted, env: Mapping[str, str]) -> Survey:
    """Return what `survey` finds; raise UserError when none of it can be worked on."""
    found = survey(wanted, env)
    if found.failed and not found.targets:
        raise next(iter(found.failed.values()))
    return found


def find_targets(wanted: Wanted, env: Mapping[str, str]) -> tuple[list[Target], tuple[str, ...]]:
    """Return the workspaces to work on and what there is to say; raise UserError when there is none."""
    found = survey_some(wanted, env)
    return found.targets, found.told


def one_of(wanted: Wanted, env: Mapping[str, str], *, undone: str) -> Target:
    """Return the one workspace that is meant, set up or not."""
    targets, notes = find_targets(wanted, env)
    if len(targets) == 1:
        return targets[0]
    here = {Path(place) for place in (env.get("PWD", ""), str(Path.cwd())) if place}
    inside = {path.resolve() for folder in here for path in (folder, *folder.parents)}
    found = [target for target in targets if target.layout.workspace in inside]
    if found:
        # Of workspaces within workspaces the innermost.
        return max(found, key=lambda target: len(target.layout.workspace.parts))
    raise UserError(
        f"There are several workspaces, and this does not say which one is meant. {undone}",
        *notes,
        *(f"  {target.agent_id}  {target.layout.workspace}" for target in targets),
        next_step="name one: --agent ID or --workspace FOLDER; or run it in that workspace",
        exit_code=Exit.USAGE,
    )


def survey(wanted: Wanted, env: Mapping[str, str]) -> Survey:
    """Return what `find_targets` chooses from; raise UserError when no workspace is there at all."""
    if wanted.home is not None:
        return _survey_home(wanted.home, wanted, env)
    if wanted.state_dir is not None and not files.is_folder(wanted.state_dir):
        raise UserError(
            f"{wanted.state_dir} is not a folder.",
            next_step="name OpenClaw's state folder: --state-dir FOLDER",
        )
    home = Path(env.get("HOME") or Path.home())
    found = find_agents(env, home, state_dir=wanted.state_dir)
    chosen = [agent for agent in found.agents if _is_wanted(agent, wanted)]
    at_their_word = [] if chosen else _at_their_word(wanted, found, env, home)
    chosen += at_their_word
    if not chosen:
        raise _nobody(wanted, found)
    groups: dict[Path, list[Agent]] = {agent.workspace.resolve(): [] for agent in chosen}
    # With an agent come all that share its workspace: the limits and records of each of them bind, and who is
    # named must not change whose settings are in force.
    for agent in (*found.agents, *at_their_word):
        if agent.workspace.resolve() in groups:
            groups[agent.workspace.resolve()].append(agent)
    missing: list[Path] = []
    failed: dict[Path, UserError] = {}
    for path in groups:
        try:
            missing += [] if files.is_folder(path) else [path]
        except UserError as error:
            failed[path] = error
    if wanted.workspace is not None and missing:
        raise UserError(
            f"{missing[0]} is not a folder.", next_step="name the agent's workspace: --workspace FOLDER"
        )
    problems = tuple(f"{path}: the workspace does not exist yet; left out" for path in missing)
    problems += tuple(
        f"{agent.workspace}: taken at your word. OpenClaw may show {agent.agent_id} another folder's "
        f"MEMORY.md; what is missing in {agent.config_path}: {_line(agent.agent_id, agent.workspace)}"
        for agent in at_their_word
    )
    targets: list[Target] = []
    for path in (path for path in groups if path not in missing and path not in failed):
        try:
            targets.append(_target(path, tuple(groups[path]), env))
        except UserError as error:
            failed[path] = error
    if not targets and not failed:
        raise UserError(
            *problems,
            next_step="start the agent once, so that its host makes the folder; then run this again",
        )
    return Survey(targets, failed, problems, {config.path: unreadable(config) for config in found.unread})


def _survey_home(home: Path, wanted: Wanted, env: Mapping[str, str]) -> Survey:
    agents = [agent for agent in agents_in(home, wanted.agent) if _is_wanted(agent, wanted)]
    if not agents:
        raise UserError(
            f"There is no agent {wanted.agent} in {home}." if wanted.agent else f"No agent lives in {home}.",
            next_step="a first store makes one: scrimshaw store TEXT --agent ID",
        )
    targets: list[Target] = []
    failed: dict[Path, UserError] = {}
    for agent in agents:
        try:
            targets.append(_target(agent.workspace, (agent,), env))
        except UserError as error:
            failed[agent.workspace] = error
    return Survey(targets, failed, (), {})


def unreadable(config: HostConfig) -> UserError:
    """Return the error for a host's configuration that could not be read."""
    return UserError(
        *config.problems,
        "Where that OpenClaw's agents work, and how much they are shown, stands there, so nothing of theirs "
        "was read or written.",
        next_step="openclaw config validate; when that is mended, run the same command again",
    )


def own_folder(target: Target, *, makes: bool = True) -> Path:
    """Return the state folder for whoever is about to write; where missing, it is made, or refused.

    Raises UserError as `refuse_unread` does.
    """
    refuse_unread(target)
    return files.own_folder(target.layout.workspace, makes=makes)


def refuse_unread(target: Target) -> None:
    """Raise UserError where the configuration of one of *target*'s hosts cannot be read.

    The workspace may be another by now, and the limits of what the host shows are not known.
    """
    for path in {agent.config_path for agent in target.agents}:
        config = read_config(path)
        if config.problems:
            raise unreadable(config)


def _is_wanted(agent: Agent, wanted: Wanted) -> bool:
    if wanted.agent is not None and agent.agent_id != wanted.agent:
        return False
    return wanted.workspace is None or agent.workspace.resolve() == wanted.workspace.resolve()


def _at_their_word(wanted: Wanted, found: Discovery, env: Mapping[str, str], home: Path) -> list[Agent]:
    """Return the agent that somebody named together with a folder that no configuration knows.

    Its transcripts must be there, in one state directory: raises UserError where there are several.
    """
    if wanted.workspace is None or wanted.agent is None or not files.is_folder(wanted.workspace):
        return []
    workspace = wanted.workspace.resolve()
    if any(agent.workspace.resolve() == workspace for agent in found.agents):
        return []  # another's
    named = agents_as_named(env, home, workspace, wanted.agent, state_dir=wanted.state_dir)
    if len(named) > 1:
        raise UserError(
            f"Several OpenClaws have transcripts of {wanted.agent}, and none has it work in {workspace}.",
            *(f"  {agent.state_dir}" for agent in named),
            next_step="say which one is meant, too: --state-dir FOLDER",
            exit_code=Exit.USAGE,
        )
    return named


def _line(agent_id: str, workspace: Path) -> str:
    """Return what openclaw.json would say of an agent that works in *workspace*."""
    return json.dumps({"agents": {"entries": {agent_id: {"workspace": str(workspace)}}}}, ensure_ascii=False)


def _nobody(wanted: Wanted, found: Discovery) -> UserError:
    """Return the error of that nobody is meant: a NotFoundError where what was named is not there."""
    if wanted.workspace is not None and not files.is_folder(wanted.workspace):
        return NotFoundError(
            f"{wanted.workspace} is not a folder.", next_step="name the agent's workspace: --workspace FOLDER"
        )
    if found.unread:
        errors = [unreadable(config) for config in found.unread]
        return UserError(
            *(text for error in errors for text in error.problems), next_step=errors[0].next_step
        )
    if not found.agents:
        where = wanted.state_dir or "~/.openclaw, ~/.openclaw-<profile> or $OPENCLAW_STATE_DIR"
        return UserError(
            f"No OpenClaw agent was found in {where}.",
            next_step="run OpenClaw once, or name its state folder: --state-dir FOLDER",
        )
    known = ", ".join(sorted({f"{agent.agent_id} ({agent.workspace})" for agent in found.agents}))
    if wanted.workspace is None:
        return NotFoundError(
            f"There is no agent {wanted.agent} on this machine.",
            f"Known agents: {known}.",
            next_step="name one of them: --agent ID",
        )
    workspace, agent = wanted.workspace.resolve(), wanted.agent
    here = sorted({one.agent_id for one in found.agents if one.workspace.resolve() == workspace})
    if here:
        return NotFoundError(
            f"{workspace} is where {', '.join(here)} works, not {agent}.",
            f"Known agents: {known}.",
            next_step=f"name one of those who do: --agent {here[0]}",
        )
    configs = list(dict.fromkeys(str(one.config_path) for one in found.agents))
    line = _line(agent or "ID", workspace)
    stores = f" and no transcripts of {agent} were found" if agent else ""
    return UserError(
        f"No OpenClaw agent on this machine works in {workspace}{stores}. Nothing was read or written.",
        f"Known agents: {known}.",
        f"What is missing in {' or '.join(configs)}: {line}",
        next_step="add it there and talk to the agent once; or name its state folder: --state-dir FOLDER"
        if agent
        else "add it there, with the agent's ID; or name the agent whose transcripts are meant: --agent ID",
    )


def _target(workspace: Path, agents: tuple[Agent, ...], env: Mapping[str, str]) -> Target:
    ordered = tuple(sorted(agents, key=lambda agent: (not agent.is_default, agent.agent_id)))
    config = load(workspace, ordered[0].agent_id, env)
    for other in ordered[1:]:
        own = load(workspace, other.agent_id, env).settings
        config = config._replace(settings=_as_private(config.settings, other.agent_id, own))
    return Target(Layout(workspace), ordered, config, *_zone(config, ordered[0], workspace))


def renewed(target: Target, env: Mapping[str, str]) -> Target:
    """Return *target* with the settings as they are now; raises UserError when they cannot be understood."""
    return _target(target.layout.workspace, target.agents, env)


def _as_private(settings: Settings, agent_id: str, own: Settings) -> Settings:
    """Return *settings* such that what *agent_id*, whose *own* are not in force, keeps private stays so."""
    # Without the name of an agent: the host's one session for all of them.
    every = (f"agent:{agent_id}:*", "global")
    sessions = [name for one in own.private_sessions for name in ((one,) if one.strip("* ") else every)]
    if (own.observer_model, own.reflector_model) != (settings.observer_model, settings.reflector_model):
        sessions += every
    return replace(
        settings,
        private_patterns=tuple(dict.fromkeys((*settings.private_patterns, *own.private_patterns))),
        private_sessions=tuple(dict.fromkeys((*settings.private_sessions, *sessions))),
    )


def _zone(config: Config, agent: Agent, workspace: Path) -> tuple[str, str]:
    """Return the zone in force, and what names it.

    What somebody has set goes first: here, at the host, on the machine. A machine on UTC is one whose zone
    nobody has set, as most servers are; there the person's own profile is better than none.
    """
    if config.settings.timezone != "auto":
        return config.settings.timezone, config.origin["timezone"]
    named = user_timezone(agent)
    if named and _is_zone(named):
        return named, "agents.defaults.userTimezone"
    machine = _machine_zone()
    if _is_zone(machine) and not _UTC.fullmatch(machine):
        return machine, "this machine"
    profile = next(filter(_is_zone, zones_in_profile(workspace)), "")
    return (profile, "USER.md") if profile else ("UTC", "")


def _machine_zone() -> str:
    from tzlocal import get_localzone_name  # only where neither config nor host names a zone

    try:
        return get_localzone_name() or "UTC"
    except (LookupError, ValueError, OSError):
        return "UTC"


def _is_zone(name: str) -> bool:
    try:
        ZoneInfo(name)
    except (KeyError, ValueError, OSError):
        return False
    return True
