"""Looking back: the revisions and what each changed, the section at some time, what was noted day by day.

Reads the ledger and nothing else, and writes nothing. A revision's body is the text as it was written, not
made anew: what the agent saw is what is shown. What a person forgot since stays forgotten in it (rule 21).
"""

from __future__ import annotations

import difflib
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from hashlib import sha256
from typing import NamedTuple

from scrimshaw.clock import milliseconds
from scrimshaw.core.ledger.known_at import known
from scrimshaw.core.ledger.undo import Marks, undone_by
from scrimshaw.core.search import relevance
from scrimshaw.core.search.query import question_words
from scrimshaw.core.section.budget import units
from scrimshaw.core.section.render import Item, read
from scrimshaw.core.text.moments import Span, moment
from scrimshaw.core.types import NO_TASK, Closed, Line
from scrimshaw.errors import Exit, UserError
from scrimshaw.files import ABSENT
from scrimshaw.services.publish.memory_file import read_text
from scrimshaw.store.ledger import Ledger
from scrimshaw.store.records import Revision, RevisionState, Run, Working
from scrimshaw.store.revisions import BY_HAND
from scrimshaw.workspace import Target

_SHORT_CHARS = 4  # a word so short has no ending to take off


class Entry(NamedTuple):
    """One revision as the log shows it."""

    revision: Revision
    run: Run | None  # None: nothing is known of it any more
    added: int  # lines of the section, counted by their text
    removed: int
    moved: int  # that only stand elsewhere now
    units: int
    undoes: int = 0  # the revision that this one has undone
    undone_by: int = 0


@dataclass(frozen=True, slots=True)
class Stood:
    """The section as it stood at some time; without *revision*, *why* says why there was none."""

    at: datetime
    revision: Revision | None
    why: str = ""


class Known(NamedTuple):
    """A line as it was known at some time, and how well it answers."""

    line: Line
    score: float


def entries(ledger: Ledger, limit: int) -> list[Entry]:
    """Return the newest *limit* revisions, newest first."""
    stretches = ledger.past.stretches()
    undone = undone_by(Marks(stretches, ledger.past.undos()))
    chosen = stretches[-limit:]
    first = max(0, len(stretches) - limit - 1)
    before = ledger.past.revision(stretches[first].number) if len(stretches) > limit else None
    found = []
    for one in chosen:
        revision = ledger.past.revision(one.number)
        assert revision, "revisions are never deleted"
        old = before.body if before else ""
        added, removed = changed(old, revision.body)
        undoes = next((number for number, by in undone.items() if by == one.number), 0)
        found.append(
            Entry(
                revision,
                ledger.past.run(revision.run_id),
                added,
                removed,
                moved(old, revision.body),
                units(revision.body),
                undoes,
                undone.get(one.number, 0),
            )
        )
        before = revision
    return found[::-1]


def changed(before: str, after: str) -> tuple[int, int]:
    """Return how many of the section's lines are new in *after*, and how many of *before* are gone."""
    old, new = [_told(item) for item in read(before)], [_told(item) for item in read(after)]
    gone = list(old)
    added = 0
    for told in new:
        if told in gone:
            gone.remove(told)
        else:
            added += 1
    return added, len(gone)


def moved(before: str, after: str) -> int:
    """Return how many of the lines that both hold stand in another order in *after*: as few as may be."""
    old, new = [_told(item) for item in read(before)], [_told(item) for item in read(after)]
    both = Counter(old) & Counter(new)
    old, new = ([told for told in side if told in both] for side in (old, new))
    stayed = difflib.SequenceMatcher(None, old, new, autojunk=False).get_matching_blocks()
    return max(0, both.total() - sum(block.size for block in stayed))


def _told(item: Item) -> tuple[str, str, str]:
    return item.place.value, item.date, item.text


def revision_named(target: Target, ledger: Ledger, said: str, now: datetime) -> Revision:
    """Return the revision with the number *said*, or the one that stood at that time."""
    number = said.lstrip("#")
    if number.isdigit() and len(number) < 5 and not re.fullmatch(r"(?:19|20)\d\d", number):
        found = ledger.past.revision(int(number))
        if found is None or found.state is RevisionState.ABANDONED:
            raise UserError(
                f"There is no revision {number}.", next_step="scrimshaw log lists them", exit_code=Exit.USAGE
            )
        return found
    stood = as_of(target, ledger, span_of(said, now, target.zone, "REV"), now)
    if stood.revision is None:
        raise UserError(stood.why, next_step="scrimshaw log lists the revisions", exit_code=Exit.USAGE)
    return stood.revision


def span_of(said: str, now: datetime, zone: str, name: str) -> Span:
    """Return the time that *said*, the value of *name*, means; raise UserError when it is none."""
    try:
        return moment(said, now, zone)
    except ValueError as error:
        raise UserError(f"{name}: {error}.", exit_code=Exit.USAGE) from None


def pair(
    target: Target, ledger: Ledger, said: Sequence[str], now: datetime
) -> tuple[Revision | None, Revision]:
    """Return what *said* compares: nothing: the newest with the one before; one: that with the one before."""
    if len(said) == 2:
        first, second = (revision_named(target, ledger, one, now) for one in said)
        return first, second
    after = revision_named(target, ledger, said[0], now) if said else ledger.latest_revision()
    if after is None:
        raise UserError("Nothing was written to MEMORY.md yet.", next_step="scrimshaw observe")
    before = [one.number for one in ledger.past.stretches() if one.number < after.number]
    return (ledger.past.revision(before[-1]) if before else None), after


def difference(before: str, after: str, names: tuple[str, str]) -> str:
    """Return what differs between two bodies, as a unified diff; "" when nothing does."""
    old, new = ([f"{line}\n" for line in body.split("\n")] if body else [] for body in (before, after))
    return "".join(difflib.unified_diff(old, new, *names))


def as_of(target: Target, ledger: Ledger, span: Span, now: datetime) -> Stood:
    """Return the section at the end of *span*, or now when that is still to come."""
    at = min(span.end - timedelta(milliseconds=1), now.astimezone(span.end.tzinfo))
    at_ms = milliseconds(at)
    revision = _unsettled(target, ledger, at_ms) or ledger.past.revision_at(at_ms)
    if not ledger.past.is_section_enabled_at(at_ms):
        return Stood(at, None, "The section had been taken out of MEMORY.md by hand then.")
    if revision is None:
        why = f"Nothing had been written to MEMORY.md here yet then{_since(ledger, at)}."
        return Stood(at, None, f"{why}{_said_by(ledger, at_ms)}")
    return Stood(at, revision)


def _since(ledger: Ledger, at: datetime) -> str:
    """Return from when on there is something to see, in the zone of *at*."""
    every = ledger.past.stretches()
    first = ledger.past.revision(every[0].number) if every else None
    if first is None:
        return ""
    written = datetime.fromtimestamp(first.at_ms / 1000, at.tzinfo)
    return f"; the first revision is of {written:%Y-%m-%d %H:%M}"


def _said_by(ledger: Ledger, at_ms: int) -> str:
    """Return where to look for what had been said by then, though no section told it yet."""
    count = len(known_at(ledger, at_ms))
    if not count:
        return ""
    told = "1 line" if count == 1 else f"{count:,} lines"
    return f" {told} of what is noted had been said by then: --search QUERY answers from them."


def first_said_ms(ledger: Ledger) -> int | None:
    """Return when the first thing that is noted was said, None when there is nothing."""
    said = [line.observation.said_at_ms for line in ledger.all_lines() if not _is_forgotten(line)]
    return min(said, default=None)


def _unsettled(target: Target, ledger: Ledger, at_ms: int) -> Revision | None:
    """Return the newest revision when a kill left it open, and its file says that it got there."""
    newest = next(iter(ledger.revisions(1)), None)
    if newest is None or newest.state is not RevisionState.INTENDED or newest.at_ms > at_ms:
        return None
    raw = read_text(target.layout.workspace / newest.place)[0]
    return newest if raw is not ABSENT and sha256(raw).hexdigest() == newest.sha256 else None


def known_at(ledger: Ledger, at_ms: int) -> list[Line]:
    """Return what had been said by then and was noted since, each line with its standing of that time."""
    events = [stored.event for stored in ledger.events_since(0)]
    return known(ledger.lines({event.observation_id for event in events}), events, at_ms)


def search_known(lines: Sequence[Line], question: str, limit: int) -> list[Known]:
    """Return the lines of *lines* that answer *question* by its words, what held then first.

    None when none answers (core/search/relevance). A plain look through all of them: the index knows only
    today.
    """
    wanted = {_stem(word) for word in question_words(question)}
    said = [(line, {_stem(word) for word in question_words(line.observation.text)}) for line in lines]
    in_how_many = Counter(word for _, words in said for word in words & wanted)
    named = relevance.naming(question)
    identifiers = [{_stem(word) for word in question_words(one)} for one in named.identifiers]
    names = [_stem(word) for one in named.names for word in question_words(one)]
    asked = relevance.asked({word: in_how_many[word] for word in wanted}, len(said), identifiers, names)
    evidence = [relevance.evidence(asked, words) for _, words in said]
    shown = relevance.standing_out(asked, evidence)
    found = [
        Known(line, one.share)
        for (line, _), one, is_shown in zip(said, evidence, shown, strict=True)
        if is_shown
    ]
    found = [one for one in found if one.score > 0]
    found.sort(key=lambda one: (-one.score, not one.line.standing.is_live, -one.line.observation.said_at_ms))
    return found[:limit]


def _stem(word: str) -> str:
    if len(word) > _SHORT_CHARS:
        for ending in ("ing", "ies", "ed", "es", "s"):
            if word.endswith(ending) and len(word) - len(ending) >= _SHORT_CHARS - 1:
                return word[: -len(ending)]
    return word


def noted_between(ledger: Ledger, span: Span) -> list[Line]:
    """Return what was said between two times, as it stands today, oldest first; not what was forgotten."""
    found = ledger.past.said_between(milliseconds(span.start), milliseconds(span.end))
    return [line for line in found if not _is_forgotten(line)]


def unfinished_between(ledger: Ledger, span: Span) -> list[Working]:
    """Return for each conversation what was last left unfinished in it between two times, oldest first."""
    found = ledger.working_between(milliseconds(span.start), milliseconds(span.end))
    last = {one.session_id: one for one in found}
    return sorted((one for one in last.values() if one.state != NO_TASK), key=lambda one: one.said_at_ms)


def _is_forgotten(line: Line) -> bool:
    return line.standing.closed is Closed.FORGOTTEN


def is_by_hand(revision: Revision) -> bool:
    """Tell whether a revision only remembers what a person made of the section."""
    return revision.reason == BY_HAND
