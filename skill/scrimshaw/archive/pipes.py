"""A child's pipes, emptied and filled beside whoever waits for it: nothing in them can hold the two up.

Lines of JSON go in, lines come out, complaints are kept at their end. What comes out is bounded, however the
child goes on. Knows nothing of what is said.
"""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import IO

_MOST_ANSWER_BYTES = 192 * 1024 * 1024
_MOST_COMPLAINT_BYTES = 64 * 1024


class Sent:
    """Writes the request as fast as the child takes it; the pipe stays open, which keeps the child alive."""

    def __init__(self, stream: IO[bytes] | None, lines: Sequence[Mapping[str, object]]) -> None:
        assert stream is not None
        self._stream, self._lines = stream, lines
        threading.Thread(target=self._send, daemon=True).start()

    def _send(self) -> None:
        # The child has ended and needs no more input.
        with suppress(OSError, ValueError):
            for line in self._lines:
                self._stream.write(json.dumps(line).encode() + b"\n")
            self._stream.flush()


class Lines:
    """What the child answers, line by line: at most so much, however it goes on."""

    def __init__(self, stream: IO[bytes] | None) -> None:
        assert stream is not None
        self._stream = stream
        self._lines: list[bytes] = []
        self._has_ended = False
        self._change = threading.Condition()
        threading.Thread(target=self._listen, daemon=True).start()

    def next(self, seconds: float) -> bytes | None:
        """Return the next line, b"" after the last one, None when none came in time."""
        with self._change:
            self._change.wait_for(lambda: self._lines or self._has_ended, seconds)
            if self._lines:
                return self._lines.pop(0)
            return b"" if self._has_ended else None

    def _listen(self) -> None:
        left = _MOST_ANSWER_BYTES
        with suppress(OSError, ValueError):
            while left > 0 and (line := self._stream.readline(left)):
                left -= len(line)
                with self._change:
                    self._lines.append(line)
                    self._change.notify()
        with self._change:
            self._has_ended = True
            self._change.notify()


class Tail:
    """The end of what the child complains of."""

    def __init__(self, stream: IO[bytes] | None) -> None:
        assert stream is not None
        self._stream = stream
        self._kept = b""
        self._thread = threading.Thread(target=self._listen, daemon=True)
        self._thread.start()

    def text(self) -> str:
        self._thread.join(2.0)
        return self._kept.decode("utf-8", "replace").strip()

    def _listen(self) -> None:
        with suppress(OSError, ValueError):
            while piece := os.read(self._stream.fileno(), 65_536):
                self._kept = (self._kept + piece)[-_MOST_COMPLAINT_BYTES:]
