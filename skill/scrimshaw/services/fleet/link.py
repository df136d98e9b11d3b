"""Which fleet a workspace has joined, and what it may send: a file beside the ledger, without the address.

Only what was agreed to is sent: conversations of other kinds, private conversations, lines based on either,
and lines that contain a private part stay here, with all their events.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from hashlib import blake2b
from pathlib import Path
from typing import Any

from scrimshaw import files
from scrimshaw.core.ledger.exact import said_by
from scrimshaw.core.transcript.privacy import cut, is_private_session, read_patterns
from scrimshaw.core.types import Line, Observation
from scrimshaw.errors import UserError
from scrimshaw.fleet.server import ServerAddress
from scrimshaw.layout import Layout
from scrimshaw.services.models.privacy_filter import tainted
from scrimshaw.store.ledger import Ledger
from scrimshaw.workspace import Target, own_folder

OWN, OTHER = "own words", "programs and imports"  # kinds of lines without a conversation of a host
_NAME = "fleet.json"
_MOST_BYTES = 64 * 1024


@dataclass(frozen=True, slots=True)
class FleetLink:
    """A workspace's membership in a fleet."""

    agent: str  # its name there
    machine: str
    file: str = ""  # the file that the address is read from
    variable: str = ""
    kinds: tuple[str, ...] = ()  # kinds of conversations whose lines are sent

    @property
    def address(self) -> ServerAddress:
        """Where the address is read from."""
        return ServerAddress(self.file, self.variable)


def path_of(layout: Layout) -> Path:
    """Return where a workspace's link is kept."""
    return layout.state / _NAME


def read_link(layout: Layout) -> FleetLink | None:
    """Return the link of a workspace, None without one; raises UserError for an unreadable file."""
    path = path_of(layout)
    raw = files.read_bytes(path, _MOST_BYTES)
    if raw is files.ABSENT:
        return None
    try:
        told: dict[str, Any] = json.loads(raw)
        return FleetLink(**{**told, "kinds": tuple(map(str, told["kinds"]))})
    except (ValueError, TypeError, KeyError) as error:
        raise UserError(
            f"{path}: this does not say which fleet this workspace is in. Nothing was sent.",
            next_step=f"rm {path}, then: scrimshaw fleet join",
        ) from error


def write_link(target: Target, link: FleetLink) -> None:
    """Write *link* to a file that only the owner may read."""
    own_folder(target)
    files.overwrite(path_of(target.layout), json.dumps(asdict(link), indent=1).encode(), mode=0o600)


def need_link(target: Target) -> FleetLink:
    """Return the link of *target*; raises UserError without one."""
    link = read_link(target.layout)
    if link is None:
        raise UserError(
            f"{target.layout.workspace}: {target.agent_id} is in no fleet. Nothing was asked or sent.",
            next_step="scrimshaw fleet join --address-file FILE",
        )
    return link


def terms_of(target: Target, link: FleetLink) -> str:
    """Return a hash of the settings that decide which lines may be sent: kinds and what is private."""
    settings = target.config.settings
    told = (sorted(link.kinds), list(settings.private_patterns), list(settings.private_sessions))
    return blake2b(json.dumps(told).encode(), digest_size=8).hexdigest()


class Outgoing:
    """Which of a ledger's lines may be sent; determined once for each sync."""

    def __init__(self, target: Target, ledger: Ledger, kinds: Iterable[str] | None) -> None:
        """*kinds* None: every kind."""
        settings = target.config.settings
        self._patterns = read_patterns(settings.private_patterns).compiled
        self._kinds = None if kinds is None else frozenset(kinds)
        self._sessions = {id_: one.kind.value for id_, one in ledger.sessions().items()}
        keys = ledger.session_keys()
        private = settings.private_sessions

        def stays(session_id: str) -> bool:
            if is_private_session(
                keys.get(session_id, ""), session_id, private if session_id in keys else ()
            ):
                return True
            return self._kinds is not None and self._kind(session_id) not in self._kinds

        lines = ledger.all_lines()
        self.lines: Mapping[str, Line] = {line.observation.id: line for line in lines}
        self._stays = tainted(lines, stays)

    def _kind(self, session_id: str) -> str:
        return self._sessions.get(session_id, OTHER if session_id else OWN)

    def goes(self, id_: str) -> bool:
        """Whether the line *id_* may be sent."""
        line = self.lines.get(id_)
        return line is not None and id_ not in self._stays and not self.is_private(line.observation)

    def is_private(self, one: Observation) -> bool:
        """Whether *one* contains something that its owner keeps private."""
        phrase = one.refers_to.phrase if one.refers_to else ""
        # In the metadata the end of a row is two letters: a pattern may not know it there.
        return any(
            self.cuts(text)
            for text in (*said_by(one), one.pattern, one.metadata, phrase, *(one.claim or ()))
            if text
        )

    def cuts(self, text: str) -> bool:
        """Whether a part of *text* is private."""
        return cut(text, self._patterns)[1] > 0

    def by_kind(self) -> Counter[str]:
        """Return how many lines there are of each kind of conversation."""
        return Counter(self._kind(line.observation.session_id) for line in self.lines.values())
