"""What a forked process does while a thread of its parent is in the middle of something."""

from __future__ import annotations

import multiprocessing
import threading
from collections.abc import Callable


def exit_code_beside(
    busy: Callable[[], object],
    is_in_it: threading.Event,
    may_end: threading.Event,
    call: Callable[[], object],
) -> int | None:
    """Return what a process ends with that *call*s while a thread does *busy*; not 0 for one that hangs.

    *busy* sets *is_in_it*, and goes on until *may_end*.
    """
    thread = threading.Thread(target=busy)
    thread.start()
    is_in_it.wait(60)
    child = multiprocessing.get_context("fork").Process(target=call)
    child.start()
    child.join(20)
    child.kill()  # one that hangs
    may_end.set()
    thread.join()
    child.join()
    return child.exitcode
