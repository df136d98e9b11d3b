"""What the section was last made from: the version of the ledger, and the files as they were left.

Kept as one of the ledger's notes, so that a look can tell whether there is anything to write without folding,
and a fold that changed no byte is not made again.
"""

from __future__ import annotations

from pathlib import Path

from scrimshaw.files import changed_ns
from scrimshaw.jobs.target import Target
from scrimshaw.store.ledger import Ledger

_NOTE = "folded"


def is_folded(target: Target, ledger: Ledger) -> bool:
    """Tell whether the section says what the ledger says, and nobody touched its files since."""
    return ledger.meta().get(_NOTE) == _stamp(target, ledger)


def note_folded(target: Target, ledger: Ledger) -> None:
    """Note that the section was made from the ledger as it is now, whatever came of it."""
    stamp = _stamp(target, ledger)
    if ledger.meta().get(_NOTE) != stamp:
        ledger.set_meta(_NOTE, stamp)


def touched_at_ms(target: Target) -> int:
    """Return when a file that may hold the section was last changed, in UTC milliseconds; 0 without one."""
    return max(changed_ns(path) for path in _files(target)) // 1_000_000


def _stamp(target: Target, ledger: Ledger) -> str:
    return " ".join([str(ledger.version()), *(str(changed_ns(path)) for path in _files(target))])


def _files(target: Target) -> tuple[Path, ...]:
    return target.layout.memory, target.layout.aside
