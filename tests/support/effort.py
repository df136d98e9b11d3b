"""How much work something is, counted: no test looks at a clock, on the wall or of the processor.

Counts are compared as ratios of a larger input to a smaller one. What a single call of a function in C does
inside, in a pattern for one, is not seen.
"""

import sys
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


class Compared(str):
    """A text such that `lines_run` sees what it is compared with, be it in a list or in a dictionary."""

    __slots__ = ()
    __hash__ = str.__hash__

    def __eq__(self, other: object) -> bool:
        """Tell whether *other* is the same text."""
        return str.__eq__(self, other)
