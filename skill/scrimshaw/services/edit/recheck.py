"""Lines that an earlier version noted and that today's gate would refuse, for the owner to decide on.

Three kinds: a rule or a task "of the person" that stands in what others wrote within their message; a line in
which a secret is found today; an order to look after the memory itself. What an owner has pinned is theirs
and is not named again. Nothing is changed here, and no text leaves here but without its secrets. The work has
an end in a ledger of any size: the newest lines, and so many conversations. The rest is counted.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from enum import StrEnum
from typing import Any, NamedTuple
from zoneinfo import ZoneInfo

from scrimshaw.core.extraction.memory_orders import is_housekeeping
from scrimshaw.core.text.normalize import normal
from scrimshaw.core.text.stems import split_words
from scrimshaw.core.transcript.privacy import read_patterns
from scrimshaw.core.types import Author, Closed, Entry, Line, Place, Role
from scrimshaw.core.verification.source import Witness, is_more_of_others
from scrimshaw.errors import UserError
from scrimshaw.redaction import redact
from scrimshaw.services.observe.redacted import redacted
from scrimshaw.services.stores import open_sources
from scrimshaw.sources.reading import Source, Unopened
from scrimshaw.store.ledger import Ledger
from scrimshaw.workspace import Target

MOST_LINES = 4_000
MOST_SESSIONS = 60
MOST_ENTRIES = 40_000
_MOST_SHOWN_CHARS = 200


class Doubt(StrEnum):
    """Why a line would be refused today, as a person reads it."""

    OTHERS = "others wrote this, not you"
    SECRET = "it holds a secret"  # noqa: S105  # says so of a line
    HOUSEKEEPING = "an order to the agent, not a memory"


class Doubted(NamedTuple):
    """A line that would be refused today; *text* is without secrets."""

    id: str
    day: str
    text: str
    doubt: Doubt
    is_live: bool

    def to_dict(self) -> dict[str, Any]:
        """Return it as `scrimshaw review --json` prints it."""
        return {
            "id": self.id,
            "date": self.day,
            "text": self.text,
            "reason": self.doubt.name.lower(),
            "is_live": self.is_live,
            "next_steps": list(self.next_steps),
        }

    @property
    def next_steps(self) -> tuple[str, ...]:
        """What an owner can do about it, each as it is typed."""
        forget = f"scrimshaw forget {self.id}"
        keep = [f"or keep it as your own: scrimshaw pin {self.id}"] if self.is_live else []
        if self.doubt is Doubt.SECRET:
            return (f"take it out of everything, and change the secret: {forget}", *keep)
        delete = ["or delete the line in MEMORY.md, and it stays out of the section"] if self.is_live else []
        return (f"take it out of everything: {forget}", *delete, *keep)


class Rechecked(NamedTuple):
    """What was found; *left* lines were not looked at, or rest on messages that could not be read."""

    doubted: tuple[Doubted, ...]
    looked: int
    left: int


def recheck(target: Target, ledger: Ledger) -> Rechecked:
    """Return what of *ledger* today's gate would refuse; reads the host's stores, writes nothing."""
    newest = ledger.newest_lines(MOST_LINES)
    lines = [line for line in newest if line.standing.closed is not Closed.FORGOTTEN]
    older = max(0, ledger.counts().observations - MOST_LINES)
    found, unread = doubts(target, ledger, lines)
    doubted = tuple(
        _doubted(line, doubt) for line in lines if (doubt := found.get(line.observation.id)) is not None
    )
    return Rechecked(doubted, len(lines) - unread, older + unread)


class Doubts(NamedTuple):
    """The doubts there are, by the id of the line; of *unread* lines the messages could not be read."""

    found: dict[str, Doubt]
    unread: int


def doubts(target: Target, ledger: Ledger, lines: Iterable[Line]) -> Doubts:
    """Return which of *lines* would be refused today; of too many conversations the first are read."""
    found: dict[str, Doubt] = {}
    rules: list[Line] = []
    for line in lines:
        text = line.observation.text
        if line.standing.is_pinned:
            continue
        if redact(text).counts:
            found[line.observation.id] = Doubt.SECRET
        elif _is_of_person(line):
            if is_housekeeping(text):
                found[line.observation.id] = Doubt.HOUSEKEEPING
            else:
                rules.append(line)
    said = _messages(target, ledger, rules)
    unread = 0
    for line in rules:
        observation = line.observation
        entries = [said[key] for id_ in observation.sources if (key := (observation.session_id, id_)) in said]
        unread += not entries
        zone, words = ZoneInfo(observation.zone), split_words(normal(observation.text))
        said_by_user = (Witness(entry, zone) for entry in entries if entry.role is Role.USER)
        if is_more_of_others(words, said_by_user):
            found[observation.id] = Doubt.OTHERS
    return Doubts(found, unread)


def _is_of_person(line: Line) -> bool:
    """Whether *line* stands as the person's rule, wish, fact or task, and is not of their own hand."""
    observation = line.observation
    return (
        line.standing.is_live
        and line.standing.place is not Place.LOG
        and observation.author is not Author.PERSON
        and not observation.level
        and bool(observation.sources)
    )


def _doubted(line: Line, doubt: Doubt) -> Doubted:
    observation = line.observation
    text = redact(observation.text).text
    shown = text if len(text) <= _MOST_SHOWN_CHARS else f"{text[:_MOST_SHOWN_CHARS]}…"
    return Doubted(observation.id[:10], observation.local_date, shown, doubt, line.standing.is_live)


def _messages(target: Target, ledger: Ledger, lines: Iterable[Line]) -> dict[tuple[str, str], Entry]:
    """Return the messages that *lines* rest on, the newest first, as far as may be read."""
    wanted: dict[str, set[str]] = {}
    for line in lines:
        session_id = line.observation.session_id
        if session_id in wanted or len(wanted) < MOST_SESSIONS:
            wanted.setdefault(session_id, set()).update(line.observation.sources)
    found: dict[tuple[str, str], Entry] = {}
    if not wanted:
        return found
    patterns = read_patterns(target.config.settings.private_patterns).compiled
    left = MOST_ENTRIES
    with open_sources(target, ledger.session_keys()) as sources:
        for source in sources:
            try:
                for entry in _entries(source, wanted, left):
                    left -= 1
                    if entry.entry_id in wanted[entry.session_id]:
                        found[entry.session_id, entry.entry_id] = redacted(entry, Counter(), patterns)
            except (UserError, Unopened):
                continue  # a store that cannot be read has a finding of its own
    return found


def _entries(source: Source, wanted: dict[str, set[str]], most: int) -> Iterable[Entry]:
    """Yield the entries of the *wanted* sessions until all of each is found, at *most* so many."""
    states = {state.session.session_id: state for state in source.sessions()}
    for session_id, ids in wanted.items():
        missing = set(ids)
        if session_id not in states:
            continue
        for page in source.pages(states[session_id], None):
            for entry in page.entries:
                if not most:
                    return
                most -= 1
                missing.discard(entry.entry_id)
                yield entry
            if not missing:
                break
