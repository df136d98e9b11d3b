"""Which workspaces this daemon serves: those of the machine's agents that are set up and nobody else serves.

Found anew whenever something about them may have changed. One that cannot be served (not set up, another
daemon's, a mistake in its configuration) is told once and tried again; it never stops the others.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Mapping
from contextlib import ExitStack
from datetime import datetime
from pathlib import Path
from typing import NamedTuple

from scrimshaw import heartbeat
from scrimshaw.config import user_file, workspace_file
from scrimshaw.errors import UserError
from scrimshaw.files import changed_ns
from scrimshaw.layout import Layout
from scrimshaw.locks import Busy, presence, presence_lock
from scrimshaw.setup.receipt import setting_up
from scrimshaw.sources.discover import Agent
from scrimshaw.workspace import Target, Wanted, is_set_up, survey

log = logging.getLogger(__name__)

_LOCK_SECONDS = 0.2


class _Presence(NamedTuple):
    stack: ExitStack
    inode: int


class Roster:
    """The served workspaces by their path, each with its presence lock held; belongs to one thread."""

    def __init__(self, wanted: Wanted, env: Mapping[str, str]) -> None:
        self._wanted = wanted
        self._env = env
        self._held: dict[Path, _Presence] = {}
        self._told: frozenset[str] = frozenset()
        self._telling: list[str] = []
        self._agents: tuple[Agent, ...] = ()
        self._unread: tuple[Path, ...] = ()
        self._seen: tuple[object, ...] = ()
        self.targets: dict[Path, Target] = {}
        self.refused: dict[Path, UserError] = {}  # why a workspace is not served
        self.busy: set[Path] = set()  # of these, those that another daemon serves
        self.unasked: set[Path] = set()  # … and those whose owner has not agreed to anything

    def refresh(self, now: datetime) -> None:
        """Look for workspaces; take the new ones, let go of those that went."""
        self.refused, self.busy, self.unasked, self._telling = {}, set(), set(), []
        known = {path: target for path, target in self.targets.items() if path.is_dir()}
        try:
            found, failed, notes, unread = survey(self._wanted, self._env)
            self._telling += notes
            self._unread = tuple(unread)
            for path, error in unread.items():
                self._refuse(path, error)
            # The file may be half written: keep the settings in force.
            targets = {path: known[path] for path in failed if path in known}
            targets |= {target.layout.workspace: target for target in found}
            for path, error in failed.items():
                self._refuse(path, error)
        except UserError as error:
            self._telling.append(_told(error))  # the host's folder may be away for a moment
            targets = {path: target for path, target in known.items() if _is_host_away(target)}
        self._agents = tuple(agent for target in targets.values() for agent in target.agents)
        for workspace in [path for path in self.targets if path not in targets]:
            self._let_go(workspace)
        for workspace, target in targets.items():
            if self._is_taken(workspace, target, now):
                self.targets[workspace] = target
        self._seen = self._stamp()
        self._tell()

    def roots(self) -> frozenset[Path]:
        """Return the folders in which other agents and workspaces would appear."""
        states = {agent.state_dir for agent in self._agents}
        return frozenset({*states, *(state / "agents" for state in states)})

    def is_stale(self) -> bool:
        """Tell whether a setting changed since the last refresh, or a workspace was set up, wiped or left."""
        # Nothing on disk changes when another daemon is killed: only its lock tells.
        is_left = any(presence(Layout(path).state) is None for path in self.busy)
        return is_left or self._stamp() != self._seen

    def _stamp(self) -> tuple[object, ...]:
        workspaces = [*self.targets, *self.refused]
        files = [user_file(self._env), *(agent.config_path for agent in self._agents), *self._unread]
        files += [workspace_file(path) for path in workspaces]
        return (
            tuple(map(changed_ns, files)),
            tuple(is_set_up(Layout(path)) for path in workspaces),
            tuple(_inode(_lock(path)) for path in self.targets),
        )

    def close(self) -> None:
        """Let go of every workspace."""
        for workspace in list(self._held):
            self._let_go(workspace)

    def _is_taken(self, workspace: Path, target: Target, now: datetime) -> bool:
        if not is_set_up(target.layout):
            self._let_go(workspace)
            self.unasked.add(workspace)
            command = setting_up(self._env, target.agents[0].state_dir)
            error = UserError(f"{workspace}: not set up yet.", next_step=f"{command}, to agree to it")
            self._refuse(workspace, error)
            return False
        if workspace in self._held:
            if self._held[workspace].inode == _inode(_lock(workspace)):
                return True
            # The state folder was deleted and recreated: our lock is on a file that no longer exists.
            self._let_go(workspace)
        stack = ExitStack()
        # Check before locking: waiting for twenty locks would delay a signal.
        timeout = 0.0 if presence(target.layout.state) else _LOCK_SECONDS
        try:
            stack.enter_context(
                presence_lock(target.layout.state, by="run", now=now, timeout_seconds=timeout)
            )
        except UserError as error:
            if isinstance(error, Busy):
                self.busy.add(workspace)
            self._refuse(workspace, error)
            return False
        stack.callback(heartbeat.remove, target.layout.state, os.getpid())
        self._held[workspace] = _Presence(stack, _inode(_lock(workspace)))
        return True

    def _let_go(self, workspace: Path) -> None:
        self.targets.pop(workspace, None)
        if held := self._held.pop(workspace, None):
            held.stack.close()

    def _refuse(self, workspace: Path, error: UserError) -> None:
        self.refused[workspace] = error
        self._telling.append(_told(error))

    def _tell(self) -> None:
        """Log what was not told by the refresh before."""
        for note in self._telling:
            if note not in self._told:
                log.warning("note=%r", note)
        self._told = frozenset(self._telling)


def _is_host_away(target: Target) -> bool:
    return not any(agent.state_dir.is_dir() for agent in target.agents)


def _told(error: UserError) -> str:
    return " ".join([*error.problems, *([f"Next: {error.next_step}"] if error.next_step else [])])


def _lock(workspace: Path) -> Path:
    return Layout(workspace).state / "presence.lock"


def _inode(path: Path) -> int:
    try:
        return path.stat().st_ino
    except OSError:
        return 0
