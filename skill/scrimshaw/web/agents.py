"""The memories that a server lends out: one `Memory` for each agent, opened on first use, shared by all
threads.

In a home only a number of the most recently used ones stay open; one that is lent out is never closed. Agents
live in a home, or are those of this machine's hosts. A name in a request is looked up among existing agents;
only in a home, and only for a plain name, a new one is created.
"""

from __future__ import annotations

import threading
import time
from collections import Counter, OrderedDict
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from datetime import datetime
from pathlib import Path

from scrimshaw.config import Settings, load
from scrimshaw.errors import NotFoundError, UserError
from scrimshaw.home import agents_in
from scrimshaw.layout import server_folder
from scrimshaw.memory import Memory

_LOOK_AGAIN_SECONDS = 5.0
_MOST_OPEN = 64  # of a home; the least recently used are closed, and opened again when needed
FOLDER = ".scrimshaw-server"  # in a home: the folder of the secret and the tokens


class Agents:
    """The agents of *home*, or of this machine; of the latter those of one host's *state_dir*, if given."""

    def __init__(
        self,
        home: Path | None,
        env: Mapping[str, str],
        clock: Callable[[], datetime] | None = None,
        *,
        state_dir: Path | None = None,
        most_open: int = _MOST_OPEN,
    ) -> None:
        self.home = home.expanduser().resolve() if home else None
        self.env = env
        self.state_dir = state_dir
        self._clock = clock
        self._lock = threading.Lock()  # guards the fields below
        self._most_open = most_open
        self._open: OrderedDict[str, Memory] = OrderedDict()  # the most recently used last
        self._lent: Counter[int] = Counter()  # how many callers have a memory, by identity
        self._looked = float("-inf")

    @property
    def folder(self) -> Path:
        """The folder of the server's own files."""
        if self.home:
            return self.home / FOLDER
        return server_folder(self.env)

    def settings(self) -> Settings:
        """Return the settings that apply to all agents."""
        return load(None, "", self.env).settings

    def names(self, among: Iterable[str] | None = None) -> list[str]:
        """Return the names of the existing agents, sorted; with *among* only those in it."""
        if self.home and among is None:
            return [agent.agent_id for agent in agents_in(self.home)]
        if self.home:
            wanted = sorted(set(among or ()))
            return [name for name in wanted if self._is_open(name) or agents_in(self.home, name)]
        with self._lock:
            self._discover()
            return sorted(self._open if among is None else self._open.keys() & set(among))

    def memory(self, name: str, *, makes: bool = False) -> Memory:
        """Lend the memory of the agent *name*; with *makes* a new one gets its folder. Raises UserError.

        It stays open until `give_back`.
        """
        unused: list[Memory] = []
        with self._lock:
            found = self._open.get(name)
            if found is None and self.home is None:
                self._discover()
                found = self._open.get(name)
            elif found is None and self.home and (makes or agents_in(self.home, name)):
                found = Memory.open(home=self.home, agent=name, env=self.env, clock=self._clock)
                self._open[name] = found
            if found is not None:
                self._lent[id(found)] += 1
                unused = self._taken_out(name) if self.home else []
        for one in unused:
            one.close()
        if found is None:
            raise NotFoundError(
                f"There is no agent {name[:80]} here.",
                next_step="store something as it, and it gets a folder" if self.home else "name another one",
            )
        return found

    def _is_open(self, name: str) -> bool:
        found = self._open.get(name)
        return found is not None and found.is_set_up

    def give_back(self, memories: Iterable[Memory]) -> None:
        """End the loan of *memories*, each as often as it was lent."""
        with self._lock:
            for one in memories:
                self._lent[id(one)] -= 1
                if self._lent[id(one)] <= 0:
                    del self._lent[id(one)]

    def _taken_out(self, name: str) -> list[Memory]:
        """Take out the least recently used memories that are not lent; *name* is in use now."""
        self._open.move_to_end(name)
        over = len(self._open) - self._most_open
        idle = [key for key, one in self._open.items() if over > 0 and not self._lent[id(one)]]
        return [self._open.pop(key) for key in idle[: max(0, over)]]

    def close(self) -> None:
        with self._lock:
            for one in {id(memory): memory for memory in self._open.values()}.values():
                one.close()
            self._open.clear()

    def _discover(self) -> None:
        if time.monotonic() - self._looked < _LOOK_AGAIN_SECONDS:
            return
        self._looked = time.monotonic()
        with suppress(UserError):  # no agent here yet
            for memory in Memory.discover(state_dir=self.state_dir, env=self.env, clock=self._clock):
                # Agents that share a workspace share its memory.
                known = next(
                    (self._open[one.agent_id] for one in memory.target.agents if one.agent_id in self._open),
                    memory,
                )
                for one in memory.target.agents:
                    self._open.setdefault(one.agent_id, known)
