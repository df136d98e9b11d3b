"""The result of the last look at a memory, kept in the ledger as ids and counts so that `status` is fast.

And which of the owner's thresholds it crosses.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from scrimshaw.config import Settings
from scrimshaw.core.text.plural import counted
from scrimshaw.core.types import Place
from scrimshaw.store.ledger import Ledger

if TYPE_CHECKING:
    from scrimshaw.core.insight.conflicts import Conflict

_FOUND = "conflicts"  # the name of the ledger's note
_MOST_REMEMBERED = 500


class RememberedConflicts(NamedTuple):
    """The result of the last look, without pairs that no longer hold or that the person keeps."""

    version: int  # of the ledger at that time
    pairs: tuple[tuple[str, str], ...]
    conflict_count: int  # of all, including those not stored by id
    standing: int  # pairs of two standing lines
    score: int | None = None  # the health score


class Alert(NamedTuple):
    """A threshold that is crossed."""

    name: str  # "conflicts" or "health"
    value: int
    threshold: int

    def __str__(self) -> str:
        """Return the alert as a sentence, with the command that shows more."""
        if self.name == "conflicts":
            told = f"{counted(self.value, 'conflict')}, and you want to know of more than {self.threshold}"
        else:
            told = f"the memory's health is {self.value}, below {self.threshold}"
        return f"{told}: scrimshaw {self.name}"


def remember(ledger: Ledger, found: Sequence[Conflict], score: int) -> None:
    """Store what was found."""
    told = {
        "version": ledger.version(),
        "pairs": [one.ids for one in found[:_MOST_REMEMBERED]],
        "beyond": max(0, len(found) - _MOST_REMEMBERED),
        "score": score,
    }
    ledger.set_meta(_FOUND, json.dumps(told))


def remembered(ledger: Ledger) -> RememberedConflicts | None:
    """Return what was stored last; None before the first look."""
    try:
        told = json.loads(ledger.meta().get(_FOUND, ""))
        pairs = [(str(one), str(other)) for one, other in told["pairs"]]
        version, beyond, score = int(told["version"]), int(told["beyond"]), int(told["score"])
    except (ValueError, TypeError, KeyError):
        return None
    kept = ledger.past.kept_both() if pairs else set()
    lines = ledger.lines({id_ for pair in pairs for id_ in pair})
    holding = [
        pair
        for pair in pairs
        if pair not in kept and all(id_ in lines and lines[id_].standing.is_live for id_ in pair)
    ]
    standing = sum(all(lines[id_].standing.place is Place.STANDING for id_ in pair) for pair in holding)
    return RememberedConflicts(version, tuple(holding), len(holding) + beyond, standing, score)


def alerts_of(settings: Settings, known: RememberedConflicts | None) -> tuple[Alert, ...]:
    """Return the thresholds that *known* crosses."""
    if known is None:
        return ()
    found = []
    if 0 <= settings.alert_conflicts < known.conflict_count:
        found.append(Alert("conflicts", known.conflict_count, settings.alert_conflicts))
    if known.score is not None and known.score < settings.alert_health:
        found.append(Alert("health", known.score, settings.alert_health))
    return tuple(found)
