"""The parent's side of index/child: start it, hand it texts, and see to its end.

The child is ended with its whole process group when it does not answer in time, when the caller has to stop,
and when the caller is done: none is ever left behind. It gets no key and no proxy of the environment's.
"""

from __future__ import annotations

import json
import os
import select
import signal
import subprocess
import sys
import time
from base64 import b64decode
from collections.abc import Callable, Sequence
from contextlib import ExitStack, suppress
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, NamedTuple

from scrimshaw.core.text.plural import counted
from scrimshaw.errors import UserError
from scrimshaw.index.embedding import Asked

if TYPE_CHECKING:
    from scrimshaw.index.embedding import Vectors

_START_SECONDS = 60.0  # a cold disk has 34 MB to give
_BATCH_SECONDS = 60.0
_GRACE_SECONDS = 2.0
_LOOK_SECONDS = 0.1
_KEPT_VARIABLES = ("PATH", "HOME", "LANG", "LC_ALL", "TMPDIR", "VIRTUAL_ENV", "OLLAMA_HOST")


class Begun(NamedTuple):
    """What the child found: the model's name, and how far its vectors come."""

    name: str
    last: int


class Ended(Exception):  # noqa: N818  # asked for, no fault
    """The caller has to stop; the child was ended."""


class Feeding:
    """A child that makes vectors; a context, at whose end the child is gone."""

    def __init__(
        self,
        asked: Asked,
        into: Path | None,
        *,
        command: Sequence[str],
        is_stopped: Callable[[], bool] = lambda: False,
    ) -> None:
        """Start it; without *into* its vectors come back instead of being kept there."""
        env = {name: os.environ[name] for name in _KEPT_VARIABLES if name in os.environ}
        # A path that was put before the installed one (a checkout, a test) holds for the child, too.
        env["PYTHONPATH"] = os.pathsep.join(path for path in sys.path if path)
        self._is_stopped = is_stopped
        self._left = b""
        folder = str(asked.folder or "")
        self._asked = {"model": asked.model, "folder": folder, "url": asked.url, "into": str(into or "")}
        self._child = subprocess.Popen(
            [*command],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=env,
            start_new_session=True,
        )

    def __enter__(self) -> Feeding:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def load(self) -> dict[str, Any]:
        """Have the model loaded and return what the child says of it; raise UserError when it cannot be."""
        self._write(self._asked)
        return self._answer(_START_SECONDS)

    def begin(self) -> Begun:
        """Do that, for vectors that are kept in a folder."""
        said = self.load()
        return Begun(str(said["name"]), int(said["last"]))

    def add(self, keys: Sequence[int], texts: Sequence[str]) -> None:
        """Have a vector made and kept for each of *texts*."""
        self._write({"keys": list(keys), "texts": list(texts)})
        self._answer(_BATCH_SECONDS)

    def embed(self, texts: Sequence[str]) -> bytes:
        """Return the vectors of *texts*, one behind the other; raises ValueError for what no model takes."""
        self._write({"texts": list(texts)})
        said = self._answer(_BATCH_SECONDS)
        if said.get("refused"):
            raise ValueError("the model cannot take this text")
        return b64decode(str(said.get("vectors", "")))

    def close(self) -> None:
        """End the child: by the end of its input, else by force."""
        for pipe in (self._child.stdin, self._child.stdout):
            if pipe:
                with suppress(OSError):
                    pipe.close()
        try:
            self._child.wait(_GRACE_SECONDS if not self._is_stopped() else 0.1)
        except subprocess.TimeoutExpired:
            with suppress(OSError):
                os.killpg(self._child.pid, signal.SIGKILL)
            self._child.wait()

    def _write(self, what: dict[str, Any]) -> None:
        assert self._child.stdin
        try:
            self._child.stdin.write(json.dumps(what).encode() + b"\n")
            self._child.stdin.flush()
        except OSError:
            pass  # it has ended, and its last words are read next

    def _answer(self, seconds: float) -> dict[str, Any]:
        until = time.monotonic() + seconds
        while b"\n" not in self._left:
            if self._is_stopped():
                raise Ended
            if time.monotonic() > until:
                waited = counted(round(seconds), "second")
                raise _trouble(f"the process that makes vectors said nothing for {waited}")
            self._left += self._more()
        line, _, self._left = self._left.partition(b"\n")
        try:
            said: Any = json.loads(line)
        except ValueError:
            said = None
        if not isinstance(said, dict):
            raise _trouble("the process that makes vectors answered with something else")
        if "problem" in said:
            raise UserError(*map(str, said["problem"]), next_step=str(said.get("next_step", "")))
        return said

    def _more(self) -> bytes:
        assert self._child.stdout
        ready, _, _ = select.select([self._child.stdout], [], [], _LOOK_SECONDS)
        if not ready:
            return b""
        piece = os.read(self._child.stdout.fileno(), 65_536)
        if not piece:
            raise _trouble("the process that makes vectors ended before its time")
        return piece


class AfarEmbedder:
    """A model in a child: where texts become vectors, the caller's own threads go on as if alone.

    It ends with `close`. Once *is_stopped*, `Ended` is raised.
    """

    def __init__(self, asked: Asked, is_stopped: Callable[[], bool], command: Sequence[str]) -> None:
        """Load it; raises UserError when it cannot be."""
        self._child = Feeding(asked, None, is_stopped=is_stopped, command=command)
        with ExitStack() as undone:
            undone.callback(self._child.close)
            said = self._child.load()
            self.name, self.dimensions = str(said["name"]), int(said["dimensions"])
            undone.pop_all()

    def embed(self, texts: Sequence[str]) -> Vectors:
        import numpy as np

        found = np.frombuffer(self._child.embed(texts), dtype="<f4")
        if found.size != len(texts) * self.dimensions:
            raise _trouble("the process that makes vectors answered with too few")
        return found.reshape(len(texts), self.dimensions)

    def close(self) -> None:
        """End the child."""
        self._child.close()


def _trouble(what: str) -> UserError:
    return UserError(
        f"Search by meaning: {what}. It was ended; search by words goes on.",
        next_step="scrimshaw reindex; if that fails, too, set embeddings: off",
    )
