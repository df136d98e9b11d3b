"""Where a page of a list begins that is worked out anew for each page."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeVar

from scrimshaw.errors import Exit, UserError

T = TypeVar("T")


def place_in(found: Iterable[T], id_: str, id_of: Callable[[T], str]) -> int:
    """Return the place of the entry of this id in the list; raises UserError if it is not there any more."""
    for at, one in enumerate(found):
        if id_of(one) == id_:
            return at
    raise UserError(
        f"{id_[:80]!r} is no entry of this list, or not any more. Nothing was shown.",
        next_step="begin again without it",
        exit_code=Exit.USAGE,
    )
