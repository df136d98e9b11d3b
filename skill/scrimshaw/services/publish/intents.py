"""Revisions that were decided and may not have reached their file: what a kill between the two leaves open.

The file tells. As it was to be: the revision is on disk. As it was found when the revision was decided: it
never got there, and must not be taken for what the person edited, or every line that it alone has would look
deleted. Anything else says neither, and the revision stays open: it may be the base, or the one before it.
"""

from __future__ import annotations

from dataclasses import replace
from hashlib import sha256
from pathlib import Path

from scrimshaw import files
from scrimshaw.clock import milliseconds
from scrimshaw.services.publish.memory_file import place_of, read_text
from scrimshaw.services.publish.result import PublishRequest
from scrimshaw.store.ledger import Ledger
from scrimshaw.store.records import Revision, RevisionState
from scrimshaw.workspace import Target


def intend(ledger: Ledger, revision: Revision, found: bytes | files.Absent) -> int:
    """Store *revision* before its file, which holds *found*, is replaced; return its number."""
    with ledger.transaction():
        number = ledger.add_revision(revision)
        ledger.set_meta(_note(revision.place), f"{number} {_digest(found)}")
    return number


def is_made_by(ledger: Ledger, place: str) -> bool:
    """Tell whether there was no file at *place* when its newest revision was decided."""
    newest = next(iter(ledger.revisions(1, place)), None)
    return newest is not None and ledger.meta().get(_note(place)) == f"{newest.number} "


def settle_left_open(target: Target, ledger: Ledger, path: Path) -> None:
    """Settle the newest revision of the file at *path* if it is open and the file tells what became of it."""
    place = place_of(target, path)
    newest = next(iter(ledger.revisions(1, place)), None)
    if newest is None or newest.state is not RevisionState.INTENDED:
        return
    digest = _digest(read_text(path)[0])
    if digest == newest.sha256:
        ledger.settle_revision(newest.number, RevisionState.WRITTEN)
    elif ledger.meta().get(_note(place)) == f"{newest.number} {digest}":
        ledger.settle_revision(newest.number, RevisionState.ABANDONED)


def _note(place: str) -> str:
    return f"intended {place}"


def _digest(found: bytes | files.Absent) -> str:
    return "" if found is files.ABSENT else sha256(found).hexdigest()


def note_revision(ledger: Ledger, order: PublishRequest) -> None:
    """Store what changed nothing that is shown as a revision, too: so it can be undone like any other."""
    newest = ledger.latest_revision()
    if newest is None or newest.event_seq == ledger.version():
        return
    as_it_stands = replace(newest, number=0, at_ms=milliseconds(order.now), run_id=order.run_id)
    number = ledger.add_revision(replace(as_it_stands, reason=order.reason, event_seq=ledger.version()))
    ledger.settle_revision(number, RevisionState.WRITTEN)
