"""The process: threads, signals, and an end within two seconds that loses nothing.

Whatever is at work when it must end is told to stop between two windows. What does not stop in time is
abandoned: every write is safe to be killed in, and the next run goes on from there.

What wakes the supervisor is a byte in a pipe, rung by a signal, a watcher's hint or a finished job. Not a
threading.Event: a signal handler that sets one may find its lock taken by the thread it interrupted.
"""

from __future__ import annotations

import logging
import os
import select
import signal
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from datetime import datetime
from types import FrameType

from scrimshaw import clock
from scrimshaw.daemon.background import PATIENT, background
from scrimshaw.daemon.duty import duty
from scrimshaw.daemon.roster import Roster
from scrimshaw.daemon.supervisor import Pace, Supervisor, WorkerDied
from scrimshaw.daemon.watching import Watcher
from scrimshaw.daemon.worker import Worker
from scrimshaw.errors import Exit
from scrimshaw.services.schedule.tick import TickOptions
from scrimshaw.workspace import Wanted

_MOST_AT_ONCE = 65536


class Bell:
    """Ring from any thread or signal handler; wait in one."""

    def __init__(self) -> None:
        self._listen, self._strike = os.pipe()
        os.set_blocking(self._listen, False)
        os.set_blocking(self._strike, False)

    def ring(self) -> None:
        """Wake who waits, or who waits next."""
        # Full: a wake-up is pending already. Closed: nobody waits any more.
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


log = logging.getLogger(__name__)

_GRACE_SECONDS = 1.3
_MORE_GRACE_SECONDS = 0.3
# A model takes its time: after so much of it at one workspace another one has its turn.
_TURN_SECONDS = 120.0
# Hints come in bursts; a moment's wait makes one round of them.
_BURST_SECONDS = 0.02
_SIGNALS = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)


class _Ending:
    """Whether to end, and by which signal; a second one ends at once."""

    def __init__(self, bell: Bell) -> None:
        self._bell = bell
        self.by = 0

    def take(self, number: int, _frame: FrameType | None = None) -> None:
        if self.by:
            os._exit(128 + number)
        self.by = number
        self._bell.ring()

    def is_asked(self) -> bool:
        return self.by != 0


def run(wanted: Wanted, env: Mapping[str, str], *, pace: Pace = Pace()) -> int:  # noqa: B008  # frozen
    """Serve every wanted workspace until a signal ends it; return the process's exit code."""
    bell = Bell()
    ending = _Ending(bell)
    bell.hear_signals()
    for number in _SIGNALS:
        signal.signal(number, ending.take)
    roster = Roster(wanted, env)
    watcher = Watcher(bell.ring)

    def now() -> datetime:
        return clock.now(env)

    terms = TickOptions.with_models(env, ending.is_asked, _TURN_SECONDS)
    worker = Worker(duty(roster.targets.get, now, terms, env), bell.ring)
    beside = background(roster.targets.get, now, replace(PATIENT, is_stopped=ending.is_asked))
    quiet_worker = Worker(beside, bell.ring, name="background")
    supervisor = Supervisor(
        *(roster, watcher, worker), clock=now, monotonic=time.monotonic, pace=pace, background=quiet_worker
    )
    worker.start()
    quiet_worker.start()
    log.info("event=start pid=%d", os.getpid())
    code = Exit.OK
    try:
        while not ending.is_asked():
            if bell.wait(supervisor.step(is_alive=worker.is_alive() and quiet_worker.is_alive())):
                time.sleep(_BURST_SECONDS)
    except WorkerDied:
        log.critical("event=worker-died note='ending, so that the service manager starts anew'")
        code = Exit.DEFECT
    # Both are told before either is waited for.
    quiet_worker.stop(0)
    has_ended = worker.stop(_GRACE_SECONDS) and quiet_worker.stop(_MORE_GRACE_SECONDS)
    log.info("event=end signal=%d at_work=%s", ending.by, "finished" if has_ended else "abandoned")
    if not has_ended:
        logging.shutdown()
        os._exit(code)
    watcher.close()
    supervisor.close()
    return int(code)
