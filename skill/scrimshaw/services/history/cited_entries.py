"""The entries that a proposal or a line cites, from the host's store, for a person to read beside it.

As an observer would be given them: without secrets and private parts, and without what was forgotten
(core/ledger/forget). Of proposals they are read conversation by conversation when they are asked for, once,
and no store stays open while somebody thinks.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Any, NamedTuple

from scrimshaw.core.ledger.forget import without_forgotten
from scrimshaw.core.ledger.known_lines import content_words
from scrimshaw.core.transcript.privacy import read_patterns
from scrimshaw.core.types import Entry
from scrimshaw.errors import UserError
from scrimshaw.services.observe.redacted import redacted
from scrimshaw.services.stores import open_sources
from scrimshaw.sources.reading import Unopened
from scrimshaw.store.ledger import Ledger
from scrimshaw.store.records import Rejection
from scrimshaw.workspace import Target

_MOST_SHOWN_CHARS = 600
GONE = "the conversation is gone"
_NOT_THERE = "this message is no longer in the conversation"
_CLOSED = "the conversation cannot be read now"


class Original(NamedTuple):
    """One entry that is cited; without *entry*, *absence* says why."""

    entry_id: str
    entry: Entry | None
    absence: str = ""

    def around(self, text: str) -> str:
        """Return what the entry says, the part of it nearest to *text* when it is long."""
        entry = self.entry
        if entry is None:
            return ""
        calls = [f"{call.name} {call.arguments}" for call in entry.calls]
        said = "\n".join(part for part in (entry.text, *calls) if part)
        if len(said) <= _MOST_SHOWN_CHARS:
            return said
        lower = said.lower()
        places = sorted(at for word in content_words(text) if (at := lower.find(word.lower())) >= 0)
        # Start where most of the other cited words follow soonest.
        near = max(
            places, key=lambda at: sum(at <= p < at + _MOST_SHOWN_CHARS // 2 for p in places), default=0
        )
        start = max(0, min(near - 80, len(said) - _MOST_SHOWN_CHARS))
        end = start + _MOST_SHOWN_CHARS
        return f"{'… ' if start else ''}{said[start:end]}{' …' if end < len(said) else ''}"

    def to_dict(self, text: str) -> dict[str, Any]:
        """Return it as `scrimshaw review --json` prints it below a proposal that says *text*."""
        if self.entry is None:
            return {"entry_id": self.entry_id, "gone": self.absence}
        return {
            "entry_id": self.entry_id,
            "role": self.entry.role.value,
            "said_at_ms": self.entry.said_at_ms,
            "text": self.around(text),
        }


class Originals:
    """Finds what *cited* rest on."""

    def __init__(self, target: Target, ledger: Ledger, cited: Iterable[Rejection]) -> None:
        self._target, self._ledger = target, ledger
        self._wanted: dict[str, set[str]] = {}
        for one in cited:
            self._wanted.setdefault(one.session_id, set()).update(one.rejected.proposal.sources)
        self._read: dict[str, tuple[dict[str, Entry], str]] = {}

    def of(self, proposal: Rejection) -> list[Original]:
        """Return what *proposal* cites, in its order."""
        session_id = proposal.session_id
        if session_id not in self._read:
            wanted = self._wanted.get(session_id, set())
            self._read[session_id] = read_entries(self._target, self._ledger, session_id, wanted)
        found, absence = self._read[session_id]
        return [
            Original(entry_id, found.get(entry_id), "" if entry_id in found else absence)
            for entry_id in proposal.rejected.proposal.sources
        ]


def read_entries(
    target: Target, ledger: Ledger, session_id: str, wanted: set[str]
) -> tuple[dict[str, Entry], str]:
    """Return those of the *wanted* entries of a session that can be read now, and why another cannot."""
    patterns = read_patterns(target.config.settings.private_patterns).compiled
    found: dict[str, Entry] = {}
    absence = GONE
    with open_sources(target, ledger.session_keys()) as sources:
        for source in sources:
            if wanted <= found.keys():
                break
            try:
                state = next((one for one in source.sessions() if one.session.session_id == session_id), None)
                absence = _NOT_THERE if state else absence
                silenced = ledger.numbered.forgotten_in(session_id)
                for page in source.pages(state, None) if state else ():
                    for entry in page.entries:
                        if entry.entry_id in wanted:
                            shown = without_forgotten(entry, silenced)
                            found[entry.entry_id] = redacted(shown, Counter(), patterns)
                    if wanted <= found.keys():
                        break
            except (UserError, Unopened):
                absence = _CLOSED
    return found, absence
