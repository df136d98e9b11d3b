"""A child process that computes with a model: a line of JSON in, a line out (index/child).

It is ended with its whole process group when it does not answer in time, when the caller has to stop, and
when the caller is done: none is ever left behind. It gets no key and no proxy of the environment's.
"""

from __future__ import annotations

import json
import os
import selectors
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any

from scrimshaw.core.text.plural import counted
from scrimshaw.errors import UserError

COMMAND = (sys.executable, "-m", "scrimshaw.index.child")
ANSWER_SECONDS = 60.0
_GRACE_SECONDS = 2.0
_LOOK_SECONDS = 0.1
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
        self._left = self._unsent = b""
        self._process = subprocess.Popen(
            [*(command or COMMAND)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=env,
            start_new_session=True,
            bufsize=0,
        )
        assert self._process.stdin
        os.set_blocking(self._process.stdin.fileno(), False)  # one that does not read holds nobody up

    def ask(self, what: Mapping[str, Any], is_stopped: Callable[[], bool]) -> dict[str, Any]:
        """Return the answer to *what*; raises UserError where there is none, Ended once *is_stopped*."""
        self._unsent = json.dumps(what).encode() + b"\n"
        return self._answer(is_stopped)

    def close(self, grace_seconds: float = _GRACE_SECONDS) -> None:
        """End it: by the end of its input, else by force after *grace_seconds*."""
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe:
                with suppress(OSError):
                    pipe.close()
        try:
            self._process.wait(grace_seconds)
        except subprocess.TimeoutExpired:
            with suppress(OSError):
                os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()

    def _answer(self, is_stopped: Callable[[], bool]) -> dict[str, Any]:
        until = time.monotonic() + ANSWER_SECONDS
        while b"\n" not in self._left:
            if is_stopped():
                raise Ended
            if time.monotonic() > until:
                raise trouble(f"said nothing for {counted(round(ANSWER_SECONDS), 'second')}")
            self._send_and_hear()
        line, _, self._left = self._left.partition(b"\n")
        try:
            said: Any = json.loads(line)
        except ValueError:
            said = None
        if not isinstance(said, dict):
            raise trouble("answered with something else")
        if "problem" in said:
            raise UserError(*map(str, said["problem"]), next_step=str(said.get("next_step", "")))
        return said

    def _send_and_hear(self) -> None:
        """Hand over as much of the question, and take as much of the answer, as the pipes hold by now."""
        assert self._process.stdin
        assert self._process.stdout
        to, of = self._process.stdin.fileno(), self._process.stdout.fileno()
        with selectors.DefaultSelector() as look:  # `select` knows no file above number 1023
            look.register(of, selectors.EVENT_READ)
            if self._unsent:
                look.register(to, selectors.EVENT_WRITE)
            ready = {key.fd for key, _ in look.select(_LOOK_SECONDS)}
        if to in ready:
            try:
                self._unsent = self._unsent[os.write(to, self._unsent) :]
            except BlockingIOError:
                pass
            except OSError:
                self._unsent = b""  # it has ended, and its last words are read next
        if of not in ready:
            return
        piece = os.read(of, 65_536)
        if not piece:
            raise trouble("ended before its time")
        self._left += piece
        if len(self._left) > _MOST_ANSWER_BYTES:
            raise trouble("answered with something else")


def trouble(what: str) -> UserError:
    """Return the error for a child that did *what*."""
    return UserError(
        f"By meaning: the process that runs the model {what}. It was ended; by words all goes on.",
        next_step="scrimshaw reindex; if that fails, too, set embeddings: off",
    )
