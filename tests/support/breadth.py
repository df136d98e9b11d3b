"""How much of a long suite is tried: a share of it in CI, all of it before a release (scripts/test-long)."""

import os
from collections.abc import Sequence
from typing import TypeVar

IS_LONG = os.environ.get("SCRIMSHAW_HYPOTHESIS") == "thorough"

T = TypeVar("T")


def share(everything: Sequence[T], one_in: int) -> Sequence[T]:
    """Return one *one_in* of *everything*, spread over the whole of it, the first with it; or all."""
    return everything if IS_LONG else everything[::one_in]
