"""The hash of a ledger's lines in the fleet: the same on every machine and on the server when all agree."""

from __future__ import annotations

from scrimshaw.archive import frames
from scrimshaw.core.ledger import agreement
from scrimshaw.core.types import Event
from scrimshaw.services.fleet.link import FleetLink, Outgoing, need_link
from scrimshaw.services.publish.redaction import without_secrets
from scrimshaw.store.ledger import Ledger, open_ledger
from scrimshaw.workspace import Target


def digest_here(target: Target, ledger: Ledger, link: FleetLink) -> str:
    """Return the hash of those lines of *ledger* that are in the fleet."""
    outgoing = Outgoing(target, ledger, link.kinds)
    history: dict[str, list[Event]] = {}
    for stored in ledger.events_since(0):
        history.setdefault(stored.event.observation_id, []).append(stored.event)
    return agreement.digest(
        {
            id_: (
                frames.record_of(without_secrets(line.observation)),
                agreement.standing_here(line.observation, history[id_]),
            )
            for id_, line in outgoing.lines.items()
            if outgoing.goes(id_)
        }
    )


def digest_of(target: Target) -> str:
    """Return the hash of a joined workspace's lines in the fleet."""
    with open_ledger(target.layout.ledger, create=False, read_only=True) as ledger:
        return digest_here(target, ledger, need_link(target))
