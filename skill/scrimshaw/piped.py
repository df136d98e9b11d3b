"""A child process that is told and answers in lines of JSON, so that neither ever waits in a pipe.

It has a process group of its own, which is ended as a whole: none is ever left behind. What it answers to
what it was told last is bounded, and so is what is kept of its complaints, however it goes on. Knows nothing
of what is said.
"""

from __future__ import annotations

import json
import os
import selectors
import signal
import subprocess
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO

_LOOK_SECONDS = 0.05
_PIECE_BYTES = 65_536
_MOST_COMPLAINT_BYTES = 64 * 1024


class PipedChild:
    """One that runs until `end`; raises OSError where it cannot be started.

    *most_answer_bytes* of it are heard after each `tell`; its complaints only if it *complains*.
    """

    def __init__(
        self,
        command: Sequence[str],
        env: Mapping[str, str],
        most_answer_bytes: int,
        *,
        cwd: Path | None = None,
        complains: bool = False,
    ) -> None:
        self._process = subprocess.Popen(
            [*command],
            cwd=cwd,
            env=env,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE if complains else subprocess.DEVNULL,
            start_new_session=True,
            bufsize=0,
        )
        for pipe in (self._process.stdin, self._process.stdout, self._process.stderr):
            if pipe:
                os.set_blocking(pipe.fileno(), False)
        self._unsent = memoryview(b"")
        self._heard = bytearray()
        self._complaint = b""
        self._most_answer_bytes = self._left_bytes = most_answer_bytes

    @property
    def pid(self) -> int:
        """Its number, and that of its process group."""
        return self._process.pid

    @property
    def why_ended(self) -> str:
        """The end of its complaints; once it has ended."""
        said = self._complaint.decode("utf-8", "replace").strip()
        return said or f"it ended with {self._process.returncode} and said nothing"

    def tell(self, lines: Iterable[Mapping[str, object]]) -> None:
        """Have *lines* sent, while its answer is waited for."""
        self._unsent = memoryview(b"".join(json.dumps(line).encode() + b"\n" for line in lines))
        self._left_bytes = self._most_answer_bytes

    def line(self, seconds: float, look: Callable[[], None]) -> bytes:
        """Return the next line of its answer, b"" after the last one; TimeoutError when none comes in time.

        *look* is called several times a second and may raise. What goes on without an end is cut off: by an
        empty line, which is no JSON.
        """
        until = time.monotonic() + seconds
        while (end := self._heard.find(b"\n")) < 0:
            look()
            if time.monotonic() > until:
                raise TimeoutError
            if self._left_bytes < 0:
                return b"\n"
            if not self._send_and_hear():
                return b""
        line = bytes(self._heard[: end + 1])
        del self._heard[: end + 1]
        return line

    def end(self, grace_seconds: float = 0.0) -> None:
        """End it with its group: by the end of its input, else by force after *grace_seconds*."""
        process = self._process
        for pipe in (process.stdin, process.stdout):
            if pipe:
                pipe.close()
        if grace_seconds:
            with suppress(subprocess.TimeoutExpired):
                process.wait(grace_seconds)
        if process.returncode is None:  # else its number may be another's by now
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        if process.stderr:
            while self._complained(process.stderr):
                pass
            process.stderr.close()

    def _send_and_hear(self) -> bool:
        """Move what the pipes take or hold by now; False when it has said its last."""
        process = self._process
        assert process.stdin
        assert process.stdout
        with selectors.DefaultSelector() as look:  # `select` knows no file above number 1023
            look.register(process.stdout, selectors.EVENT_READ)
            if process.stderr and not process.stderr.closed:
                look.register(process.stderr, selectors.EVENT_READ)
            if self._unsent:
                look.register(process.stdin, selectors.EVENT_WRITE)
            ready = [key.fileobj for key, _ in look.select(_LOOK_SECONDS)]
        if process.stdin in ready:
            try:
                self._unsent = self._unsent[os.write(process.stdin.fileno(), self._unsent[:_PIECE_BYTES]) :]
            except BlockingIOError:
                pass
            except OSError:
                self._unsent = memoryview(b"")  # it has ended, and its last words are read next
        if process.stderr in ready and not self._complained(process.stderr):
            process.stderr.close()
        if process.stdout not in ready:
            return True
        piece = os.read(process.stdout.fileno(), _PIECE_BYTES)
        self._heard += piece
        self._left_bytes -= len(piece)
        return bool(piece)

    def _complained(self, pipe: IO[bytes]) -> bool:
        with suppress(OSError, ValueError):  # nothing is there by now; it is closed
            piece = os.read(pipe.fileno(), _PIECE_BYTES)
            self._complaint = (self._complaint + piece)[-_MOST_COMPLAINT_BYTES:]
            return bool(piece)
        return False
