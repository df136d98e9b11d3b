"""How far a ledger has read its agent's events, and the agent's state on the server."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, NamedTuple

from scrimshaw.fleet import rows, server
from scrimshaw.services.fleet.link import FleetLink
from scrimshaw.store.ledger import Ledger

if TYPE_CHECKING:
    from scrimshaw.fleet.rows import Head
    from scrimshaw.fleet.server import Connection

_NOTE = "fleet"  # the name of the ledger's note for this


class FleetCursor(NamedTuple):
    """How far a ledger has read: a number, and a mark of the event with that number."""

    agent: str = ""
    pulled: int = 0
    mark: str = ""
    vectors: int = 0  # the newest line whose vector was sent
    owes: bool = False  # lines received are in the ledger, but MEMORY.md may not have been written since
    pushed: int = 0  # of this ledger's own numbers, the last that the server had
    terms: str = ""  # hash of the settings by which all lines were last checked (`link.terms_of`)

    def holds_for(self, head: Head) -> bool:
        """Whether the server is the one that was read, and has not been restored from an older copy since.

        After a restore the same event may get its old number again, with new events before it.
        """
        return head.is_same and head.pushed >= self.pushed

    @property
    def key(self) -> bytes:
        return bytes.fromhex(self.mark)


def read_cursor(ledger: Ledger, link: FleetLink) -> FleetCursor:
    """Return how far *ledger* has read its agent's events; a cursor of another agent starts anew."""
    try:
        found = FleetCursor(*json.loads(ledger.meta().get(_NOTE, "[]")))
    except (ValueError, TypeError):
        found = FleetCursor()
    return found if found.agent == link.agent else FleetCursor(link.agent)


def write_cursor(ledger: Ledger, cursor: FleetCursor) -> None:
    """Keep how far a ledger has read."""
    ledger.set_meta(_NOTE, json.dumps(cursor))


def look(there: Connection, link: FleetLink, ledger_id: str, cursor: FleetCursor | None = None) -> Head:
    """Return the state of the agent of *link*, in one round trip; raises UserError when the login may not."""
    pulled, key = (cursor.pulled, cursor.key) if cursor else (0, b"")
    found = rows.head(there, link.agent, ledger_id, pulled, key)
    if found is None:
        raise server.not_admitted(link.agent, there.info.user)
    return found
