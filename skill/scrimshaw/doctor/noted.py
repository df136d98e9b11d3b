"""What was noted before: does a line stand there that would be refused today?

An earlier version took others' words for the person's, or did not see a secret. Names lines by their ids and
days, never their words: an examination is shown around.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from scrimshaw.doctor.finding import Finding, note, ok, warning
from scrimshaw.doctor.sight import Blind, WorkspaceSight
from scrimshaw.services.edit.recheck import Rechecked

_TOPIC = "noted before"
_MOST_NAMED = 12


def check_noted(sight: WorkspaceSight) -> Iterator[Finding]:
    """Judge the lines in the ledger by what is refused now."""
    found = sight.rechecked
    if found is None:
        return
    if isinstance(found, Blind):
        yield note(_TOPIC, found.what, *found.next_step)
    elif not found.doubted:
        yield ok(_TOPIC, f"{_count(found.looked, 'line')} would be noted today, too{_left(found)}")
    else:
        size = len(found.doubted)
        named = ", ".join(f"{one.id} ({one.day})" for one in found.doubted[:_MOST_NAMED])
        more = f" and {size - _MOST_NAMED:,} more" if size > _MOST_NAMED else ""
        reasons = ", ".join(
            f"{many:,} because {why}"
            for why, many in Counter(one.doubt for one in found.doubted).most_common()
        )
        yield warning(
            _TOPIC,
            f"{_count(size, 'line')} would be refused today ({reasons}): {named}{more}. Nothing was changed"
            f"{_left(found)}.",
            "see them, with what can be done about each: scrimshaw review",
            "take one out of everything: scrimshaw forget ID",
            "keep one as your own, and it is not named again: scrimshaw pin ID",
        )


def _left(found: Rechecked) -> str:
    return f" ({found.left:,} more were not looked at)" if found.left else ""


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
