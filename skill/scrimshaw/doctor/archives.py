"""The `.mv2` archives: is each as it was left, and does what is noted get there?"""

from __future__ import annotations

from collections.abc import Iterator

from scrimshaw.core.text.plural import counted
from scrimshaw.doctor.finding import Finding, note, ok, warning
from scrimshaw.doctor.sight import LedgerSight, WorkspaceSight
from scrimshaw.resources import adding

_TOPIC = "archives"
_MANY_EVENTS = 5_000  # more than a daemon lets wait


def check_archives(sight: WorkspaceSight) -> Iterator[Finding]:
    """Judge the archives of a workspace."""
    if not isinstance(sight.ledger, LedgerSight):
        return
    found = sight.ledger.archives
    waiting = counted(found.waiting_events, "event waits", "events wait")
    bad = [warning(_TOPIC, text, "scrimshaw archive") for text in found.problems]
    if not found.is_installed:
        bad.append(
            note(
                _TOPIC,
                f"memvid-sdk is not installed: no `.mv2` file is written ({waiting}). "
                "The ledger and the dated files hold everything.",
                adding("archives"),
            )
        )
    elif found.waiting_events > _MANY_EVENTS:
        bad.append(
            warning(
                _TOPIC,
                f"{counted(found.waiting_events, 'event is', 'events are')} not archived yet.",
                "scrimshaw archive (it says what is in the way); or let a daemon do it: scrimshaw run",
            )
        )
    bad += [
        note(
            _TOPIC,
            f"{path} was set aside: it was damaged, written to by another program, or there before this "
            "ledger.",
            f"scrimshaw import {path}, or remove it",
        )
        for path in found.set_aside
    ]
    if not bad:
        yield ok(
            _TOPIC,
            f"{counted(len(found.files), 'file')}, {counted(found.observations, 'observation')}, as they "
            f"were left; {waiting}",
        )
    yield from bad
