"""Pages of a list that is worked out anew for each page; one begins behind an entry of the page before."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

from scrimshaw.errors import usage_error

T = TypeVar("T")


def place_in(found: Iterable[T], id_: str, id_of: Callable[[T], str]) -> int:
    """Return the place of the entry of this id in the list; raises UserError if it is not there any more."""
    for at, one in enumerate(found):
        if id_of(one) == id_:
            return at
    raise usage_error(
        f"{id_[:80]!r} is no entry of this list, or not any more. Nothing was shown.",
        next_step="begin again without it",
    )


def page_after(
    found: Sequence[T], after: str, limit: int, id_of: Callable[[T], str]
) -> tuple[Sequence[T], str | None]:
    """Return at most *limit* entries behind the one of the id *after*, "" for the first ones; and the last
    one's id, if more follow.
    """
    start = place_in(found, after, id_of) + 1 if after else 0
    shown = found[start : start + limit]
    return shown, id_of(shown[-1]) if start + limit < len(found) else None
