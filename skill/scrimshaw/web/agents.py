"""The memories that a server lends out: one `Memory` an agent, opened on first use and shared by all threads.

In a home the ones that were asked last stay open, so many and no more; one that is lent out is never closed.
They live in a home, or are the agents of this machine's hosts. A name from outside is looked up among those
that there are; only in a home a new one is made, and only a plain name.
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
_MOST_OPEN = 64  # of a home; what nobody asks is closed, and opened again when asked
FOLDER = ".scrimshaw-server"  # in a home: the secret and the tokens


class Agents:
    """The agents of *home*, or of this machine."""

    def __init__(
        self,
        home: Path | None,
        env: Mapping[str, str],
        clock: Callable[[], datetime] | None = None,
        *,
        most_open: int = _MOST_OPEN,
    ) -> None:
        self.home = home.expanduser().resolve() if home else None
        self.env = env
        self._clock = clock
        self._lock = threading.Lock()  # guards what is below
        self._most_open = most_open
        self._open: OrderedDict[str, Memory] = OrderedDict()  # what was asked last at the end
        self._lent: Counter[int] = Counter()  # by the memory's identity, how many have it
        self._looked = float("-inf")

    @property
    def folder(self) -> Path:
        """Where the server's own files lie."""
        if self.home:
            return self.home / FOLDER
        return server_folder(self.env)

    def settings(self) -> Settings:
        """Return the settings that are for everyone."""
        return load(None, "", self.env).settings

    def names(self) -> list[str]:
        """Return the agents that there are, by name."""
        if self.home:
            return [agent.agent_id for agent in agents_in(self.home)]
        with self._lock:
            self._discover()
            return sorted(self._open)

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

    def give_back(self, memories: Iterable[Memory]) -> None:
        """Say that a request is done with *memories*, each as often as it was lent."""
        with self._lock:
            for one in memories:
                self._lent[id(one)] -= 1
                if self._lent[id(one)] <= 0:
                    del self._lent[id(one)]

    def _taken_out(self, name: str) -> list[Memory]:
        """Take out the memories that were asked longest ago and that nobody has; *name* is asked now."""
        self._open.move_to_end(name)
        over = len(self._open) - self._most_open
        idle = [key for key, one in self._open.items() if over > 0 and not self._lent[id(one)]]
        return [self._open.pop(key) for key in idle[: max(0, over)]]

    def close(self) -> None:
        """Close every memory."""
        with self._lock:
            for one in {id(memory): memory for memory in self._open.values()}.values():
                one.close()
            self._open.clear()

    def _discover(self) -> None:
        if time.monotonic() - self._looked < _LOOK_AGAIN_SECONDS:
            return
        self._looked = time.monotonic()
        with suppress(UserError):  # no agent here yet
            for memory in Memory.discover(env=self.env, clock=self._clock):
                # Those who share a workspace share its memory.
                known = next(
                    (self._open[one.agent_id] for one in memory.target.agents if one.agent_id in self._open),
                    memory,
                )
                for one in memory.target.agents:
                    self._open.setdefault(one.agent_id, known)
