"""Search in the transcripts themselves, for what was never noted: only when asked for.

What the host keeps is read anew each time, under the rules that hold for an observer: only conversations that
feed this memory, without secrets and private parts, nothing that was forgotten. No copy of it is kept: an
index of transcripts would be one more place to forget from. So it takes as long as reading them takes; a
message without any word of the question is passed over before it costs anything.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

from scrimshaw.core.ledger.forget import FORGOTTEN, without_forgotten
from scrimshaw.core.search.query import levelled, question_words
from scrimshaw.core.transcript.privacy import read_patterns
from scrimshaw.core.types import Entry, Session
from scrimshaw.errors import UserError
from scrimshaw.index.words import IndexedDocument, Words
from scrimshaw.services.observe.redacted import redacted
from scrimshaw.services.results import JsonResult
from scrimshaw.services.search.search import SearchQuery, standing_out
from scrimshaw.services.stores import newest_feeding, open_sources
from scrimshaw.sources.reading import SessionState, Source, Unopened
from scrimshaw.store.ledger import Ledger, open_ledger
from scrimshaw.workspace import Target

_MOST_KEPT = 20_000  # messages that hold a word of the question; the newest conversations first
_ROOT_CHARS = 4  # so much of a word is looked for before its endings are known


class FoundMessage(NamedTuple):
    """A message that was found; *score* as for a line by words."""

    entry: Entry
    session: Session
    score: float

    def to_dict(self) -> dict[str, Any]:
        """Return it as `scrimshaw search --transcripts --json` prints it."""
        entry = self.entry
        return {
            "session_id": self.session.session_id,
            "entry_id": entry.entry_id,
            "role": entry.role.value,
            "said_at_ms": entry.said_at_ms,
            "text": entry.text,
            "score": round(self.score, 4),
        }


@dataclass(frozen=True, slots=True)
class FoundMessages(JsonResult):
    """Messages that were found, best first, and what could not be read, in sentences."""

    messages: tuple[FoundMessage, ...]
    problems: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        return {"messages": [one.to_dict() for one in self.messages], "problems": list(self.problems)}


def find_messages(target: Target, wanted: SearchQuery) -> FoundMessages:
    """Return the messages that answer *wanted*; opens the ledger to read."""
    with open_ledger(target.layout.ledger, create=False, read_only=True) as ledger:
        return search_messages(target, ledger, wanted)


def search_messages(target: Target, ledger: Ledger, wanted: SearchQuery) -> FoundMessages:
    """Return the messages that answer *wanted*, by their words, best first; none when none does."""
    found: list[tuple[Entry, Session]] = []
    problems: list[str] = []
    # The beginnings of the question's words; endings are the index's matter.
    begun = sorted({word[:_ROOT_CHARS] for word in question_words(wanted.query)})
    roots = re.compile("|".join(map(re.escape, begun)) if begun else r"(?!)")
    patterns = read_patterns(target.config.settings.private_patterns).compiled
    with open_sources(target, ledger.session_keys()) as sources:
        for source, state in newest_feeding(
            target, sources, lambda _, error: problems.extend(error.problems)
        ):
            try:
                # Match before cleaning, the expensive step: cleaning never adds a word of the question.
                found += [
                    (redacted(entry, Counter(), patterns), state.session)
                    for entry in _entries(ledger, source, state)
                    if wanted.is_within(entry.said_at_ms) and roots.search(levelled(entry.text).lower())
                ]
            except (UserError, Unopened) as error:
                problems.append(f"{state.session.session_id}: {error}")
            if len(found) > _MOST_KEPT:
                problems.append("Too many messages hold these words; the oldest were not looked at.")
                break
    words = Words(None)
    words.add(IndexedDocument(number, entry.text) for number, (entry, _) in enumerate(found, start=1))
    hits = words.search(wanted.query, wanted.limit)
    if wanted.has_floor:
        texts = {hit.key: found[hit.key - 1][0].text for hit in hits}
        kept = standing_out(wanted.query, [(hit.key, None) for hit in hits], texts, words)
        hits = [hit for hit in hits if hit.key in kept]
    return FoundMessages(tuple(FoundMessage(*found[hit.key - 1], hit.score) for hit in hits), tuple(problems))


def _entries(ledger: Ledger, source: Source, state: SessionState) -> Iterator[Entry]:
    silenced = ledger.numbered.forgotten_in(state.session.session_id)
    for page in source.pages(state, None):
        for entry in page.entries:
            shown = without_forgotten(entry, silenced)
            if shown.text and shown.text != FORGOTTEN:
                yield shown
