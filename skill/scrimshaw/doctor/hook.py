"""What an install has put into the host and the workspaces: in place, current, selected, loaded, heard of.

The host's own `hooks list` says "ready" for a handler that it cannot import, so it is not asked. What
counts is what the handler leaves behind.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from datetime import datetime
from functools import partial
from pathlib import Path

from scrimshaw import files
from scrimshaw.doctor.finding import Finding, all_ok, error, note, ok, warning
from scrimshaw.doctor.sight import HostSight, LedgerSight, Unseen, WorkspaceSight, tried
from scrimshaw.host.hooks import Alive, HookEvent
from scrimshaw.services.status.durations import age_seconds, ago, at_ms_of
from scrimshaw.services.status.hook_health import SELECTION_PROBLEMS, is_same_place, load_problem
from scrimshaw.services.status.status import Stores
from scrimshaw.setup.receipt import MadeFile, MadeSnippet, Receipt, digest

_TOPIC = "hook"
_INSTALL = "scrimshaw install"
_RESTART = "openclaw gateway restart"
_SELECTION_STEPS = {
    "not-named": ("openclaw hooks enable scrimshaw",),
    "disabled-entry": ("if you did not mean that: openclaw hooks enable scrimshaw",),
    "off": ("if you did not mean that: openclaw hooks enable scrimshaw",),
    "not-loaded": (
        _INSTALL,
        "where that does not find the program openclaw: openclaw hooks enable scrimshaw",
    ),
}
# What the handler calls an end that is as it should be (templates/hook/handler.ts).
_GOOD = {"done", "replaced", "added", "nothing-aside", "left-alone"}
_NOT_STARTED = "could not be started"
_RECENT_SECONDS = 7 * 86_400
_QUIET_MS = 10 * 60_000


def check_hook(host: HostSight, workspaces: Iterable[WorkspaceSight], moment: datetime) -> Iterator[Finding]:
    """Judge the hook of one host; *workspaces* are those of its agents that are set up."""
    hook = host.hook
    if hook.files == "absent":
        yield note(
            _TOPIC,
            "it is not installed. Without it nothing is noted right before a compaction or a reset, and "
            "nothing helps when the host shuts MEMORY.md out of the prompt.",
            _INSTALL,
        )
        return
    if hook.files == "foreign":
        yield warning(
            _TOPIC,
            f"{hook.folder} holds a hook of this name that we have not written; it was left alone.",
            f"look at it, and move it away if you do not need it: mv {hook.folder} {hook.folder}.aside",
            _INSTALL,
        )
        return
    found = [
        *_placed(host),
        *_selected(host),
        *_listed(host, workspaces),
        *_loaded(host, moment),
        *_heard(host, workspaces, moment),
    ]
    if all_ok(found):
        yield ok(_TOPIC, f"installed, switched on, {_life(host, moment)}")
    yield from found


def _placed(host: HostSight) -> Iterator[Finding]:
    hook = host.hook
    if hook.files == "outdated":
        yield warning(
            _TOPIC,
            f"{hook.folder} was written by another version of scrimshaw, or changed since.",
            _INSTALL,
            _RESTART,
        )
    if hook.settings is None:
        yield error(
            _TOPIC,
            f"{hook.folder / 'settings.json'} cannot be read, so the hook does nothing.",
            _INSTALL,
            _RESTART,
        )
        return
    program = hook.settings.program[:1]
    if not program or not Path(program[0]).exists():
        yield error(
            _TOPIC,
            f"the program that the hook starts is not there: {program[0] if program else 'none is named'}.",
            _INSTALL,
        )
    if not is_same_place(hook.settings.state_dir, host.state_dir):
        yield warning(
            _TOPIC,
            f"the hook in {hook.folder} was written for {hook.settings.state_dir}: a copied or moved state "
            "folder?",
            _INSTALL,
        )


def _selected(host: HostSight) -> Iterator[Finding]:
    problem = SELECTION_PROBLEMS[host.hook.selection]
    if problem:
        yield warning(_TOPIC, f"{problem[:1].upper()}{problem[1:]}.", *_SELECTION_STEPS[host.hook.selection])


def _listed(host: HostSight, workspaces: Iterable[WorkspaceSight]) -> Iterator[Finding]:
    if host.hook.settings is None:
        return
    listed = host.hook.settings.workspaces
    agents = [agent.agent for sight in workspaces for agent in sight.agents]
    unknown = sorted(agent.agent_id for agent in agents if agent.agent_id not in listed)
    if unknown:
        yield warning(
            _TOPIC,
            f"it does not serve {', '.join(unknown)}: added to OpenClaw, or set up, after the install.",
            _INSTALL,
        )
    moved = [
        agent
        for agent in agents
        if agent.agent_id in listed and not is_same_place(listed[agent.agent_id], agent.workspace)
    ]
    for agent in moved:
        yield warning(
            _TOPIC,
            f"it looks for {agent.agent_id} in {listed[agent.agent_id]}, whose workspace is "
            f"{agent.workspace}.",
            _INSTALL,
        )


def _loaded(host: HostSight, moment: datetime) -> Iterator[Finding]:
    if SELECTION_PROBLEMS[host.hook.selection]:
        return
    problem = load_problem(host.hook, host.gateway)
    if problem:
        since = at_ms_of(host.hook.alive.loaded_at) if host.hook.alive else None
        yield warning(
            _TOPIC,
            f"{problem[:1].upper()}{problem[1:]}; it was last loaded: {ago(since, moment)}. (That the host "
            "lists it as ready proves nothing.)",
            f"{_RESTART} (hooks are loaded at its start)",
            "if it stays so, the gateway's log says why: openclaw logs",
        )


def _heard(host: HostSight, workspaces: Iterable[WorkspaceSight], moment: datetime) -> Iterator[Finding]:
    """Judge what the handler says of its events: failures, and silence while the agents were active."""
    alive = host.hook.alive
    if alive is None:
        return
    for name, event in sorted(alive.events.items()):
        age = age_seconds(at_ms_of(event.at), moment)
        if event.outcome in _GOOD or _is_over(event, host, workspaces):
            continue
        if age is not None and age < _RECENT_SECONDS:
            when = ago(at_ms_of(event.at), moment)
            yield warning(
                _TOPIC,
                f"its last answer to {name}, {when}, was: {event.outcome} ({event.ms:,} ms).",
                "see what the program says by itself: scrimshaw observe",
            )
    if host.gateway is None or load_problem(host.hook, host.gateway):
        return
    active = max(
        (agent.activity.at_ms for sight in workspaces for agent in sight.agents if agent.activity), default=0
    )
    heard = _heard_at_ms(alive)
    if active > max(heard, at_ms_of(alive.loaded_at), host.gateway.started_at_ms) + _QUIET_MS:
        yield note(
            _TOPIC,
            f"an agent was active {ago(active, moment)}, and the hook has heard nothing since "
            f"{ago(heard, moment)}. An agent that runs without the gateway (--local), or in a group only, "
            "looks so, too.",
        )


def _is_over(event: HookEvent, host: HostSight, workspaces: Iterable[WorkspaceSight]) -> bool:
    """Tell whether what hindered the program then is seen not to hinder it any more."""
    hook, at_ms = host.hook, at_ms_of(event.at)
    events = hook.alive.events.values() if hook.alive else ()
    well = (other for other in events if (other.agent, other.outcome) == (event.agent, "done"))
    if any(at_ms_of(other.at) > at_ms for other in well):
        return True
    if event.outcome == _NOT_STARTED:
        return bool(hook.settings and os.access(hook.settings.program[0], os.X_OK))
    served = (sight for sight in workspaces if any(one.agent.agent_id == event.agent for one in sight.agents))
    return any(_has_caught_up(sight, at_ms) for sight in served)


def _has_caught_up(sight: WorkspaceSight, at_ms: int) -> bool:
    """Tell whether a run since *at_ms* went well, or went well before and left nothing to be done since."""
    if not isinstance(sight.ledger, LedgerSight) or not isinstance(sight.stores, Stores):
        return False
    run = sight.ledger.last_run
    if run is None or run.error:
        return False
    return run.started_at_ms > at_ms or not sight.stores.backlog.tokens


def _life(host: HostSight, moment: datetime) -> str:
    alive = host.hook.alive
    if host.gateway is None:
        return "no gateway runs now" + (
            f"; last loaded {ago(at_ms_of(alive.loaded_at), moment)}" if alive else ""
        )
    assert alive is not None  # else _loaded has said so
    heard = _heard_at_ms(alive)
    return f"loaded by the gateway {ago(at_ms_of(alive.loaded_at), moment)}" + (
        f", last event {ago(heard, moment)}" if heard else ", no event yet"
    )


def _heard_at_ms(alive: Alive) -> int:
    return max((at_ms_of(event.at) for event in alive.events.values()), default=0)


_INSTALLED = "installed"
_LARGEST_BYTES = 4 * 1024 * 1024
_NAMED = 3


def check_placed(host: HostSight) -> Iterator[Finding]:
    """Judge the files of the install's receipt; the hook's own are judged by `check_hook`."""
    receipt = host.receipt
    if isinstance(receipt, Unseen):
        yield error(_INSTALLED, receipt.what, *receipt.next_step)
    elif receipt is None and host.hook.files == "absent":
        return  # check_hook says so
    elif receipt is None:
        yield note(
            _INSTALLED,
            "no receipt of an install is known here, so what it made cannot be checked; another install "
            "writes one.",
            _INSTALL,
        )
    else:
        found = [*_files(host, receipt), *_snippets(receipt)]
        yield from found or [ok(_INSTALLED, "every file and line that the install made is in place")]


def _files(host: HostSight, receipt: Receipt) -> Iterator[Finding]:
    missing, changed = [], []
    for made in receipt.every(MadeFile):
        path = Path(made.path)
        if path.is_relative_to(host.hook.folder):
            continue
        raw = tried(partial(files.read_bytes, path, _LARGEST_BYTES))
        if raw is files.ABSENT:
            missing.append(made.path)
        elif isinstance(raw, bytes) and digest(raw) not in made.sha256[-1:]:
            changed.append(made.path)
    if missing:
        yield warning(_INSTALLED, f"{_list(missing)} of the install: no longer there.", _INSTALL)
    if changed:
        yield note(
            _INSTALLED, f"{_list(changed)}: changed since the install; an install leaves such files alone."
        )


def _snippets(receipt: Receipt) -> Iterator[Finding]:
    for made in receipt.every(MadeSnippet):
        raw = tried(partial(files.read_bytes, Path(made.path), _LARGEST_BYTES))
        text = raw.decode("utf-8", "replace") if isinstance(raw, bytes) else ""
        if any(inner in text.replace("\r\n", "\n") for inner in made.inners[-1:]):
            continue
        told = "is an older one" if any(inner in text for inner in made.inners) else "is gone, or was changed"
        yield warning(
            _INSTALLED,
            f"{made.path}: what tells the agent to note things with `scrimshaw add` {told}. Without it the "
            "agent may edit MEMORY.md with its own tools, which leads to the quarantine.",
            _INSTALL,
        )


def _list(names: list[str]) -> str:
    more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    return ", ".join(names[:_NAMED]) + more
