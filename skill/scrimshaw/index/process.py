"""A child process that computes with a model: a line of JSON in, a line out (index/child).

It is ended with its whole process group when it does not answer in time, when the caller has to stop, and
when the caller is done: none is ever left behind. It gets no key and no proxy of the environment's.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from scrimshaw.core.text.plural import counted
from scrimshaw.errors import UserError
from scrimshaw.piped import PipedChild

COMMAND = (sys.executable, "-m", "scrimshaw.index.child")
ANSWER_SECONDS = 60.0
_GRACE_SECONDS = 2.0
_MOST_ANSWER_BYTES = 64 * 1024 * 1024
_KEPT_VARIABLES = ("PATH", "HOME", "LANG", "LC_ALL", "TMPDIR", "VIRTUAL_ENV", "OLLAMA_HOST")


class Ended(Exception):  # noqa: N818  # asked for, no fault
    """The caller has to stop; the child was ended."""


class ModelProcess:
    """One that runs until `close`."""

    def __init__(self, command: Sequence[str] = ()) -> None:
        env = {name: os.environ[name] for name in _KEPT_VARIABLES if name in os.environ}
        # A path that was put before the installed one (a checkout, a test) holds for the child, too.
        env["PYTHONPATH"] = os.pathsep.join(path for path in sys.path if path)
        self._child = PipedChild(command or COMMAND, env, _MOST_ANSWER_BYTES)

    def ask(self, what: Mapping[str, Any], is_stopped: Callable[[], bool]) -> dict[str, Any]:
        """Return the answer to *what*; raises UserError where there is none, Ended once *is_stopped*."""

        def look() -> None:
            if is_stopped():
                raise Ended

        self._child.tell([what])
        try:
            line = self._child.line(ANSWER_SECONDS, look)
        except TimeoutError:
            raise trouble(f"said nothing for {counted(round(ANSWER_SECONDS), 'second')}") from None
        if not line:
            raise trouble("ended before its time")
        try:
            said: Any = json.loads(line)
        except ValueError:
            said = None
        if not isinstance(said, dict):
            raise trouble("answered with something else")
        if "problem" in said:
            raise UserError(*map(str, said["problem"]), next_step=str(said.get("next_step", "")))
        return said

    def close(self, grace_seconds: float = _GRACE_SECONDS) -> None:
        """End it: by the end of its input, else by force after *grace_seconds*."""
        self._child.end(grace_seconds)


def trouble(what: str) -> UserError:
    """Return the error for a child that did *what*."""
    return UserError(
        f"By meaning: the process that runs the model {what}. It was ended; by words all goes on.",
        next_step="scrimshaw reindex; if that fails, too, set embeddings: off",
    )
