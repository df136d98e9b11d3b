"""What the daemon found of what the memory knows, where the owner wants to be told."""

from __future__ import annotations

from collections.abc import Iterator

from scrimshaw.doctor.finding import Finding, ok, warning
from scrimshaw.doctor.sight import Unseen, WorkspaceSight
from scrimshaw.services.insight.remembered import alerts_of, remembered
from scrimshaw.store.ledger import open_ledger

_TOPIC = "knowledge"


def check_knowledge(sight: WorkspaceSight) -> Iterator[Finding]:
    """Tell which of the owner's thresholds are crossed; nothing where nobody has looked yet."""
    if sight.ledger is None or isinstance(sight.ledger, Unseen):
        return
    with open_ledger(sight.target.layout.ledger, create=False, read_only=True) as ledger:
        known = remembered(ledger)
    if known is None:
        return
    alerts = alerts_of(sight.target.config.settings, known)
    for alert in alerts:
        what, _, step = str(alert).rpartition(": ")
        yield warning(_TOPIC, f"{what}.", step)
    if not alerts:
        yield ok(_TOPIC, f"health {known.score} of 100, {known.conflict_count} conflicts, as last looked")
