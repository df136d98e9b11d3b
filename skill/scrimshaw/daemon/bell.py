"""What wakes the supervisor: a byte in a pipe, rung by a signal, a watcher's hint or a finished job.

Not a threading.Event: a signal handler that sets one may find its lock taken by the very thread that it
interrupted. A write to a pipe is safe from anywhere.
"""

from __future__ import annotations

import os
import select
import signal
from contextlib import suppress

_MOST_AT_ONCE = 65536


class Bell:
    """Ring from any thread or signal handler; wait in one."""

    def __init__(self) -> None:
        self._listen, self._strike = os.pipe()
        os.set_blocking(self._listen, False)
        os.set_blocking(self._strike, False)

    def ring(self) -> None:
        """Wake who waits, or who waits next."""
        # Full: it rings already. Closed: nobody waits any more.
        with suppress(OSError):
            os.write(self._strike, b"!")

    def hear_signals(self) -> None:
        """Ring for every signal from now on, whichever thread the kernel gives it to."""
        # Python runs handlers in the main thread, which goes on waiting when another thread took the signal.
        signal.set_wakeup_fd(self._strike, warn_on_full_buffer=False)

    def wait(self, seconds: float) -> bool:
        """Wait at most *seconds* and tell whether it rang."""
        rang = bool(select.select([self._listen], [], [], max(0.0, seconds))[0])
        if rang:
            with suppress(BlockingIOError):
                os.read(self._listen, _MOST_AT_ONCE)
        return rang

    def close(self) -> None:
        """Let go of the pipe."""
        os.close(self._listen)
        os.close(self._strike)
