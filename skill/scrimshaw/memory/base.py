"""The basis of every part of `Memory`: a workspace, opening and closing, and who may write."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from datetime import datetime
from pathlib import Path
from types import FunctionType
from typing import TYPE_CHECKING, Self, TypeVar
from weakref import WeakSet

from scrimshaw.errors import ArgumentError, UserError
from scrimshaw.home import SHARED, make_agent
from scrimshaw.layout import Layout
from scrimshaw.memory.arguments import check_path, check_text, check_world, checked_call
from scrimshaw.workspace import Target, Wanted, find_targets, is_set_up, one_of, renewed

if TYPE_CHECKING:
    from scrimshaw.core.types import Author
    from scrimshaw.services.search.search import Recall
    from scrimshaw.services.status.status import WorkspaceStatus
    from scrimshaw.services.working.layer import WorkingLayer
    from scrimshaw.working.database import WorkingDatabase

_T = TypeVar("_T")


class OpenedMemory:
    """An open workspace, and what all calls share."""

    def __init_subclass__(cls) -> None:
        """Have each public method of a part check when and how it is called: none can be left out."""
        for name, member in tuple(vars(cls).items()):
            if isinstance(member, FunctionType) and not name.startswith("_") and name != "close":
                setattr(cls, name, checked_call(member, _check_open))

    def __init__(
        self,
        target: Target,
        *,
        env: Mapping[str, str] | None = None,
        clock: Callable[[], datetime] | None = None,
        asks_once: bool = False,
    ) -> None:
        """Open *target*; *asks_once*: for a process that makes one search, load faster."""
        self._target = target
        self._env = os.environ if env is None else env
        self._clock = clock
        self._asks_once = asks_once
        self._is_fresh = True  # the workspace's settings and stores were read for this very call
        self._unload()
        _opened.add(self)
        self._searches = (0, 0.0)  # how many were made through this, and the seconds they took
        self._looked: tuple[float, WorkspaceStatus] | None = None  # by the monotonic clock
        self._is_closed = False

    def _unload(self) -> None:
        """Begin with nothing loaded, and with locks that nobody holds."""
        self._lock = threading.Lock()  # guards the two last fields; held only for a moment
        self._recalling = threading.Lock()  # held by a search; a store never waits for it
        self._recall: Recall | None = None
        self._layer: WorkingLayer | None = None
        self._shared: Self | None = None  # opened on first use; guarded by the lock, too

    @classmethod
    def open(
        cls,
        workspace: str | Path | None = None,
        *,
        agent: str | None = None,
        home: str | Path | None = None,
        state_dir: str | Path | None = None,
        env: Mapping[str, str] | None = None,
        clock: Callable[[], datetime] | None = None,
    ) -> Self:
        """Return the memory of a workspace, given by its folder, by its agent, or as the only one.

        If there are several, the one that contains the current folder is taken. *state_dir* is OpenClaw's
        folder, if not ~/.openclaw; *env* and *clock* replace the process's environment and the time. Nothing
        is written; raises UserError when no workspace matches, or several do.

        *home* is a folder of agents without a host: *agent* gets a folder in it on first use.
        """
        check_world(env, clock)
        said = os.environ if env is None else env
        place = wanted(workspace, agent, state_dir, home)
        if home is not None:
            if agent is None or workspace is not None or state_dir is not None:
                raise ArgumentError("home: goes with agent, and with neither workspace nor state_dir")
            if not str(home):
                raise ArgumentError("home: is empty; name the folder of the agents")
            assert place.home is not None
            make_agent(place.home, agent)
        return cls(one_of(place, said, undone="Nothing was opened."), env=env, clock=clock)

    @classmethod
    def for_agent(
        cls,
        agent: str,
        *,
        state_dir: str | Path | None = None,
        env: Mapping[str, str] | None = None,
        clock: Callable[[], datetime] | None = None,
    ) -> Self:
        """Return the memory of the agent with this id; raises UserError when there is none."""
        return cls.open(agent=agent, state_dir=state_dir, env=env, clock=clock)

    def close(self) -> None:
        """Release what is loaded; every later call raises UserError."""
        self._is_closed = True
        with self._recalling:
            if self._recall is not None:
                self._recall.ledger.close()
            self._recall = None
        with self._lock:
            layer, self._layer = self._layer, None
            shared, self._shared = self._shared, None
        for opened in (layer, shared):
            if opened is not None:
                opened.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"Memory(agent={self.agent!r}, workspace={str(self.workspace)!r})"

    @property
    def agent(self) -> str:
        """The agent that the memory is named after."""
        return self._target.agent_id

    @property
    def workspace(self) -> Path:
        """The agent's folder."""
        return self._target.layout.workspace

    @property
    def target(self) -> Target:
        """The workspace with its agents, settings and zone, as the services take it."""
        return self._target

    @property
    def is_set_up(self) -> bool:
        """Whether the owner has agreed to writing here; all calls but `observe` and `status` require it."""
        return is_set_up(self._target.layout)

    @property
    def author(self) -> Author:
        """Who writes: the person, or the agent whose host opened this shell."""
        from scrimshaw.services.edit.author import by_whom

        return by_whom(self._env)

    def now(self) -> datetime:
        """Return the time, with the zone UTC."""
        from scrimshaw.clock import now

        return self._clock() if self._clock else now(self._env)

    def refresh(self) -> None:
        """Read settings and the agents' stores again; raises UserError as `open` does."""
        self._check_open()
        ids = {agent.agent_id for agent in self._target.agents}
        try:
            found, _ = find_targets(self._wanted(), self._env)
            self._target = next(one for one in found if {agent.agent_id for agent in one.agents} & ids)
        except (UserError, StopIteration):
            # No configuration names this folder any more: keep the agents it was opened with.
            self._target = renewed(self._target, self._env)
        self._is_fresh = True

    def _working(self) -> WorkingLayer:
        """Return the working layer, opened, and created if missing."""
        from scrimshaw.services.working.layer import WorkingLayer

        with self._lock:
            self._check_open()  # another thread may have closed it since the call began
            if self._layer is None:
                self._layer = WorkingLayer(self._target.layout, self._target.config.settings)
                if not self._asks_once:
                    self._layer.catch_up()
            return self._layer

    def _named_line(self, words: str, *, is_one: bool = False) -> str:
        """Return the id of the line that the memory with the id *words* has become; else *words*."""
        from scrimshaw.services.working.by_old_id import moved_lines, one_line

        check_text(line=words)
        try:
            layer = self._working_there()
            found = moved_lines(layer, words) if layer else ()
        except UserError:  # the ledger's lines are named by their own ids all the same
            return words
        return one_line(words, found) if is_one else next(iter(found), words)

    def _working_layer(self) -> WorkingDatabase:
        return self._working().db

    def _working_there(self) -> WorkingLayer | None:
        return self._working() if self._target.layout.working.exists() else None

    def _for_all(self) -> Self | None:
        """Return the memory shared by all agents of this home; None where there is none.

        Raises UserError if it cannot be opened.
        """
        home = self._target.agents[0].home
        if home is None or self._target.is_shared or not is_set_up(Layout(home / SHARED)):
            return None
        with self._lock:
            if self._shared is None and not self._is_closed:
                if not self._asks_once:
                    make_agent(home, SHARED)  # migrates a ledger of an earlier version
                place = wanted(None, SHARED, None, home)
                target = one_of(place, self._env, undone="Nothing was opened.")
                self._shared = type(self)(target, env=self._env, clock=self._clock, asks_once=self._asks_once)
            return self._shared

    def _current(self) -> Target:
        """Return the workspace with the present stores and settings."""
        self._check_open()
        if not self._is_fresh:
            self.refresh()
        self._is_fresh = False
        return self._target

    def _wanted(self) -> Wanted:
        """Return the arguments that find this workspace again."""
        first = self._target.agents[0]
        return Wanted(self.workspace, None, None if first.home else first.state_dir, first.home)

    def _check_open(self) -> None:
        if self._is_closed:
            raise UserError(f"{self!r} is closed.", next_step="open it again: Memory.open(…)")

    def _logging(self, *, is_needed: bool = True) -> AbstractContextManager[None]:
        from scrimshaw.logs import logging_to

        return logging_to(self._target.layout, is_needed=is_needed)

    def _require_set_up(self, undone: str) -> None:
        self._check_open()
        if not self.is_set_up:
            self._check_not_gone(undone)
            raise UserError(
                f"{self.workspace}: Scrimshaw is not set up here, so there is nothing to show "
                f"or change. {undone}",
                next_step=self._setting_up(),
            )

    def _require_person(self, verb: str, undone: str) -> None:
        """Raise UserError where nothing is set up, and in an agent's shell: this is not its to decide."""
        from scrimshaw.services.edit.author import check_may_decide

        check_may_decide(self._env, verb)
        self._require_set_up(undone)

    def _check_not_gone(self, undone: str) -> None:
        """Raise UserError if this is of a home, where opening has made the folder that is missing now."""
        if self._target.is_in_home and not self._target.layout.state.is_dir():
            raise UserError(
                f"{self.workspace}: the agent's folder, or {self._target.layout.state.name} in it, which was "
                f"here when this was opened, is gone. {undone}",
                next_step="put it back, or open the memory again: Memory.open(home=…) makes an empty one",
            )

    def _require_consent(self) -> None:
        if not self.is_set_up:
            self._check_not_gone("Nothing was written.")
            raise UserError(
                f"{self.workspace}: Scrimshaw has not written here before, and nobody has agreed to it. "
                "Nothing was written.",
                next_step=f"look first with: scrimshaw preview; agree with: {self._setting_up()} --yes, or "
                "observe(consent=True)",
            )

    def _require_consent_of(self, by: Author) -> None:
        """Raise UserError if the owner has not agreed to writing yet (rule 12)."""
        from scrimshaw.core.types import Author

        if self.is_set_up:
            return
        self._check_not_gone("Nothing was noted.")
        step = f"{self._setting_up()} (it shows what it would write, and asks); then this again"
        raise UserError(
            f"{self.workspace}: Scrimshaw has not written here before. Nothing was noted.",
            next_step=step if by is Author.PERSON else f"ask the person to run this once: {step}",
        )

    def _setting_up(self) -> str:
        from scrimshaw.setup.receipt import setting_up

        return setting_up(self._env, self._target.agents[0].state_dir)


_opened: WeakSet[OpenedMemory] = WeakSet()
_inherited: list[object] = []  # SQLite's connections must be neither used nor closed beyond a fork


def _unload_all() -> None:
    """Let a forked process load its own: the threads that hold its parent's locks are not in it."""
    for memory in list(_opened):
        _inherited.append((memory._recall, memory._layer, memory._shared))
        memory._unload()


os.register_at_fork(after_in_child=_unload_all)


def _check_open(memory: object) -> None:
    if isinstance(memory, OpenedMemory):
        memory._check_open()


def wanted(
    workspace: str | Path | None, agent: str | None, state_dir: str | Path | None, home: str | Path | None
) -> Wanted:
    """Return what names a workspace; raises ArgumentError for what can name none."""
    check_text(agent="" if agent is None else agent)
    given = {"workspace": workspace, "state_dir": state_dir, "home": home}
    places = {name: check_path(place, name) for name, place in given.items() if place not in (None, "")}
    return Wanted(agent=agent, **places)


@contextmanager
def both(first: AbstractContextManager[None], second: AbstractContextManager[_T]) -> Iterator[_T]:
    """Enter both; yield the value of the second."""
    with first, second as opened:
        yield opened
