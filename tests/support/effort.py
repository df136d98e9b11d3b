"""How much work something is, counted where it can be counted: no test looks at a clock on the wall.

`lines_run` counts lines of Python, `cpu_seconds` what this thread used of the processor; both are compared as
ratios of a larger input to a smaller one, so that a slow or a busy machine changes nothing.
"""

import sys
import time
from collections.abc import Callable
from types import FrameType
from typing import Any


def lines_run(act: Callable[[], object]) -> int:
    """Return how many lines of Python *act* runs, each round of a loop counted."""
    count = 0

    def trace(_frame: FrameType, event: str, _argument: object) -> Any:
        nonlocal count
        count += event == "line"
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        act()
    finally:
        sys.settrace(before)
    return count


def cpu_seconds(act: Callable[[], object], times: int = 3) -> float:
    """Return the least of the processor that *act* needed in this thread, of several *times*."""
    used = []
    for _ in range(times):
        began = time.thread_time()
        act()
        used.append(time.thread_time() - began)
    return min(used)
