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
from typing import Any, NamedTuple

from scrimshaw.clock import local_minute, milliseconds
from scrimshaw.core.ledger.lifecycle import lines_known_at
from scrimshaw.core.ledger.undo import Marks, undone_by
from scrimshaw.core.search import relevance
from scrimshaw.core.search.query import question_words
from scrimshaw.core.section.budget import units
from scrimshaw.core.section.render import Item, read
from scrimshaw.core.text.moments import Span, moment
from scrimshaw.core.types import NO_TASK, Closed, Line
from scrimshaw.errors import UserError, usage_error
from scrimshaw.files import ABSENT
from scrimshaw.services.paging import place_in
from scrimshaw.services.publish.memory_file import read_text
from scrimshaw.services.results import WorkspaceResult, line_dict, revision_dict
from scrimshaw.services.times import check_order, time_named
from scrimshaw.store.ledger import Ledger, open_ledger
from scrimshaw.store.records import Revision, RevisionState, Run, Working
from scrimshaw.store.revisions import BY_HAND
from scrimshaw.workspace import Target

_SHORT_CHARS = 4  # a word so short has no ending to take off
_NOTHING = "Nothing was shown."
_DAYS = 14  # of a timeline without a beginning


class LogEntry(NamedTuple):
    """One revision as the log shows it."""

    revision: Revision
    run: Run | None  # None: nothing is known of it any more
    added: int  # lines of the section, counted by their text
    removed: int
    moved: int  # that only stand elsewhere now
    units: int
    undoes: int = 0  # the revision that this one has undone
    undone_by: int = 0

    def to_dict(self) -> dict[str, Any]:
        """Return it as `scrimshaw log --json` prints it."""
        run = self.run
        return {
            **revision_dict(self.revision),
            "added": self.added,
            "removed": self.removed,
            "moved": self.moved,
            "units": self.units,
            "undoes": self.undoes or None,
            "undone_by": self.undone_by or None,
            "job": run.job if run else None,
            "trigger": run.trigger if run else None,
            "observer": run.observer if run else None,
            "accepted": run.counts.accepted if run else None,
        }


@dataclass(frozen=True, slots=True)
class RevisionLog(WorkspaceResult):
    """The newest revisions of the section, the newest first."""

    entries: tuple[LogEntry, ...]

    def to_dict(self) -> dict[str, Any]:
        told = [one.to_dict() for one in self.entries]
        return {**self.head(zone=True), "revisions": told, "exit_code": int(self.exit_code)}


@dataclass(frozen=True, slots=True)
class SectionDiff(WorkspaceResult):
    """What differs between two revisions; *before* is None where there was no section."""

    before: Revision | None
    after: Revision

    @property
    def names(self) -> tuple[str, str]:
        """What the two are called in the diff."""
        return _name(self.before, self.target.zone), _name(self.after, self.target.zone)

    @property
    def text(self) -> str:
        """The unified diff; "" when nothing differs."""
        return difference(self.before.body if self.before else "", self.after.body, self.names)

    def to_dict(self) -> dict[str, Any]:
        added, removed = changed(self.before.body if self.before else "", self.after.body)
        return {
            **self.head(zone=True),
            "before": revision_dict(self.before) if self.before else None,
            "after": revision_dict(self.after),
            "added": added,
            "removed": removed,
            "diff": self.text,
            "exit_code": int(self.exit_code),
        }


@dataclass(frozen=True, slots=True)
class SectionAsOf(WorkspaceResult):
    """The section as it stood at some time; without *revision*, *why* says why there was none."""

    at: datetime
    revision: Revision | None
    why: str = ""

    @property
    def body(self) -> str:
        """The text that the agent saw; "" where there was no section."""
        return self.revision.body if self.revision else ""

    @property
    def is_by_hand(self) -> bool:
        """Whether it is a person's edit, as it was found."""
        return self.revision is not None and self.revision.reason == BY_HAND

    def to_dict(self) -> dict[str, Any]:
        return {
            **self.head(zone=True),
            "answers": "section",
            "at": self.at.isoformat(),
            "revision": revision_dict(self.revision) if self.revision else None,
            "body": self.body,
            "why": self.why,
            "exit_code": int(self.exit_code),
        }


class KnownHit(NamedTuple):
    """A line as it was known at some time, and how well it answers."""

    line: Line
    score: float


@dataclass(frozen=True, slots=True)
class KnownAt(WorkspaceResult):
    """What had been said by some time and answers a question; without hits, *why* says why."""

    at: datetime
    hits: tuple[KnownHit, ...]
    why: str = ""

    def to_dict(self) -> dict[str, Any]:
        """Return it as `scrimshaw as-of --search --json` prints it."""
        return {
            **self.head(zone=True),
            "answers": "known",
            "at": self.at.isoformat(),
            "hits": [{**line_dict(one.line), "score": round(one.score, 3)} for one in self.hits],
            "why": self.why,
            "exit_code": int(self.exit_code),
        }


@dataclass(frozen=True, slots=True)
class Timeline(WorkspaceResult):
    """What was said between two times, oldest first; of more than the limit only the newest."""

    start: datetime
    end: datetime
    lines: tuple[Line, ...]
    left_out: int
    unfinished: tuple[Working, ...]

    def to_dict(self) -> dict[str, Any]:
        return {
            **self.head(zone=True),
            "from": self.start.isoformat(),
            "to": self.end.isoformat(),
            "lines": [line_dict(line) for line in self.lines],
            "left_out": self.left_out,
            "unfinished": [
                {
                    "session_id": one.session_id,
                    "said_at_ms": one.said_at_ms,
                    "task": one.state.task,
                    "next": one.state.next,
                }
                for one in self.unfinished
            ],
            "exit_code": int(self.exit_code),
        }


def _name(revision: Revision | None, zone: str) -> str:
    return f"revision {revision.number} ({local_minute(revision.at_ms, zone)})" if revision else "no section"


# -- what `Memory` and the command line ask for: each opens the ledger, reads and closes it ------------------


def log(target: Target, limit: int, before: int | None = None) -> RevisionLog:
    """Return the newest *limit* revisions, or the newest of those *before* a number."""
    with open_ledger(target.layout.ledger, create=False, read_only=True) as ledger:
        return RevisionLog(target, tuple(_entries(ledger, limit, before)))


def diff(target: Target, said: Sequence[str], now: datetime) -> SectionDiff:
    """Return what differs between the revisions that *said* names (numbers or times): none, one, or two."""
    with open_ledger(target.layout.ledger, create=False, read_only=True) as ledger:
        return SectionDiff(target, *pair(target, ledger, said, now))


def section_as_of(target: Target, said: str, now: datetime) -> SectionAsOf:
    """Return the section at the time that *said* means; of a day at its end."""
    with open_ledger(target.layout.ledger, create=False, read_only=True) as ledger:
        return as_of(target, ledger, _time(said, now, target.zone), now)


def answers_at(target: Target, said: str, question: str, limit: int, now: datetime) -> KnownAt:
    """Return what had been said by the time that *said* means and answers *question*."""
    with open_ledger(target.layout.ledger, create=False, read_only=True) as ledger:
        stood = as_of(target, ledger, _time(said, now, target.zone), now)
        lines = known_at(ledger, milliseconds(stood.at))
        found = tuple(search_known(lines, question, limit))
        why = "" if found else _why_nothing(ledger, lines, target.zone)
        return KnownAt(target, stood.at, found, why)


def timeline(
    target: Target, now: datetime, *, since: str | None, until: str | None, limit: int, before: str
) -> Timeline:
    """Return what was said from *since* to *until*; without them the last fourteen days until today's end.

    Only what stands *before* the line of this id, where one is named.
    """
    span = _timeline_span(since, until, now, target.zone)
    with open_ledger(target.layout.ledger, create=False, read_only=True) as ledger:
        first_ms, end_ms = milliseconds(span.start), milliseconds(span.end)
        every = [line for line in ledger.past.said_between(first_ms, end_ms) if not _is_forgotten(line)]
        if before:
            every = every[: place_in(every, before, lambda line: line.observation.id)]
        found = tuple(every[-limit:])
        # For each conversation what was last left unfinished in it, oldest first.
        last = {one.session_id: one for one in ledger.working_between(first_ms, end_ms)}
    left = sorted((one for one in last.values() if one.state != NO_TASK), key=lambda one: one.said_at_ms)
    return Timeline(target, span.start, span.end, found, len(every) - len(found), tuple(left))


def _timeline_span(since: str | None, until: str | None, now: datetime, zone: str) -> Span:
    today = moment("today", now, zone)
    end = time_named("until", until, now, zone, _NOTHING).end if until else today.end
    if since:
        start = time_named("since", since, now, zone, _NOTHING).start
    else:
        start = min(today.start, end) - timedelta(days=_DAYS - 1)
    check_order("until" if until else "since", start, end, _NOTHING)
    return Span(start, end)


def _why_nothing(ledger: Ledger, known: Sequence[Line], zone: str) -> str:
    if known:
        return "Nothing found."
    said = [line.observation.said_at_ms for line in ledger.all_lines() if not _is_forgotten(line)]
    if not said:
        return "Nothing is noted here yet."
    return f"Nothing that is noted had been said yet; the first of it is of {local_minute(min(said), zone)}."


def _entries(ledger: Ledger, limit: int, before_number: int | None) -> list[LogEntry]:
    stretches = ledger.past.stretches()
    undone = undone_by(Marks(stretches, ledger.past.undos()))
    if before_number is not None:
        stretches = [one for one in stretches if one.number < before_number]
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
            LogEntry(
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
    old, new = (Counter(map(_told, read(body))) for body in (before, after))
    return (new - old).total(), (old - new).total()


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
            raise usage_error(
                f"There is no revision {number}. {_NOTHING}", next_step="scrimshaw log lists them"
            )
        return found
    try:
        span = moment(said, now, target.zone)
    except ValueError as error:
        raise usage_error(
            f"{error}; and it is no number of a revision. {_NOTHING}",
            next_step="scrimshaw log lists the numbers",
        ) from None
    stood = as_of(target, ledger, span, now)
    if stood.revision is None:
        raise usage_error(stood.why, next_step="scrimshaw log lists the revisions")
    return stood.revision


def _time(said: str, now: datetime, zone: str) -> Span:
    return time_named("date", said, now, zone, _NOTHING)


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


def as_of(target: Target, ledger: Ledger, span: Span, now: datetime) -> SectionAsOf:
    """Return the section at the end of *span*, or now when that is still to come."""
    at = min(span.end - timedelta(milliseconds=1), now.astimezone(span.end.tzinfo))
    at_ms = milliseconds(at)
    revision = _unsettled(target, ledger, at_ms) or ledger.past.revision_at(at_ms)
    if by := ledger.past.section_removed_by_at(at_ms):
        return SectionAsOf(target, at, None, f"The section had been taken out of MEMORY.md by {by} then.")
    if revision is None:
        why = f"Nothing had been written to MEMORY.md here yet then{_since(ledger, at)}."
        return SectionAsOf(target, at, None, f"{why}{_said_by(ledger, at_ms)}")
    return SectionAsOf(target, at, revision)


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
    return lines_known_at(ledger.lines({event.observation_id for event in events}), events, at_ms)


def search_known(lines: Sequence[Line], question: str, limit: int) -> list[KnownHit]:
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
        KnownHit(line, one.share)
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


def _is_forgotten(line: Line) -> bool:
    return line.standing.closed is Closed.FORGOTTEN
