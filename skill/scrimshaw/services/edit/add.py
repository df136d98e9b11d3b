"""A note by hand into the ledger, today's dated file and, when the conversation pauses, the section.

A person's is theirs as typed, but for secrets and what they have made private. An agent's is a proposal: the
newest entries of its own conversations are read as an observer reads them (redacted, filtered, bounded), one
conversation at a time, and the note stands only when one of them verifies it. What a hand did to the section
is taken first, so that a note meets the ledger as the person left it. Each step may be repeated: the same
note twice is one.
"""

from __future__ import annotations

import logging
import re
from collections import Counter, deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum
from typing import Any, NamedTuple
from zoneinfo import ZoneInfo

from scrimshaw.clock import milliseconds
from scrimshaw.core.extraction import manual_note
from scrimshaw.core.ledger.known_lines import KnownLines, content_words
from scrimshaw.core.ledger.observations import accepted
from scrimshaw.core.ledger.program_lines import is_foreign
from scrimshaw.core.section import edits
from scrimshaw.core.text.normalize import normal
from scrimshaw.core.transcript.privacy import CUT, cut, read_patterns
from scrimshaw.core.types import (
    MAX_TEXT_CHARS,
    Author,
    Entry,
    Event,
    EventType,
    Line,
    Observation,
    Rejected,
    Role,
    Session,
    Verdict,
    Verified,
    Window,
)
from scrimshaw.core.verification.find_sources import reach
from scrimshaw.core.verification.verify import prepare
from scrimshaw.errors import Exit, UserError, refused_error, usage_error
from scrimshaw.logs import canonical
from scrimshaw.redaction import redact
from scrimshaw.services.edit.sittings import sitting
from scrimshaw.services.observe.redacted import redacted
from scrimshaw.services.publish.result import REFUSED, Published, PublishRequest
from scrimshaw.services.publish.state import note_observed
from scrimshaw.services.results import WorkspaceResult
from scrimshaw.services.runs import publish_in_pause
from scrimshaw.services.stores import newest_feeding, open_sources
from scrimshaw.sources.reading import Page, Source, Unopened
from scrimshaw.store.ledger import Ledger
from scrimshaw.store.records import Batch, RunCounts, WriteConflict
from scrimshaw.store.rejections import refused_in
from scrimshaw.workspace import Target

log = logging.getLogger(__name__)

MOST_ENTRIES = 400
MOST_CHARS = 256_000
MOST_ENTRY_CHARS = 64_000
_MOST_SESSIONS = 6
_MOST_TRIES = 3
_MOST_WORDS, _MOST_SHARING = 8, 400  # of a note, and the lines that share one with it
_TAKEN_OUT = "the person has taken this out of the section; only they can bring it back"


class AddOutcome(StrEnum):
    """What became of a note."""

    NOTED = "noted"
    KNOWN = "known"  # noted already
    REFUSED = "refused"


@dataclass(frozen=True, slots=True)
class Note:
    """What somebody wants noted; *text* as typed."""

    text: str
    by: Author  # PERSON or AGENT
    wish: manual_note.NoteWish
    is_now: bool = False  # MEMORY.md, too, in the middle of a conversation


@dataclass(frozen=True, slots=True)
class AddResult(WorkspaceResult):
    """What became of a note; *text* as stored, *line* what stands for it, None when it was refused."""

    author: Author
    outcome: AddOutcome
    text: str
    line: Observation | None
    redacted: Counter[str]
    published: Published
    reason: str = ""
    detail: str = ""
    has_daemon: bool = False

    @property
    def exit_code(self) -> Exit:
        is_refused = self.outcome is AddOutcome.REFUSED or self.published.result in REFUSED
        return Exit.REFUSED if is_refused else Exit.OK

    def to_dict(self) -> dict[str, Any]:
        line = self.line
        return {
            **self.head(),
            "outcome": self.outcome.value,
            "by": self.author.value,
            "text": self.text,
            "id": line.id if line else None,
            "kind": line.kind.value if line else None,
            "session_id": line.session_id if line else None,
            "sources": list(line.sources) if line else [],
            "redacted": dict(self.redacted),
            "reason": self.reason,
            "detail": self.detail,
            "section": self.published.result.value,
            "path": str(self.published.path),
            "max_chars": MAX_TEXT_CHARS,
            "exit_code": int(self.exit_code),
        }


class _Decided(NamedTuple):
    outcome: AddOutcome
    line: Observation | None
    batch: Batch
    reason: str = ""
    detail: str = ""


class RecentConversation(NamedTuple):
    """The newest entries of one conversation, oldest first."""

    session: Session
    entries: tuple[Entry, ...]


def read_note(text: str, patterns: tuple[re.Pattern[str], ...] = ()) -> tuple[str, Counter[str]]:
    """Return *text* as it may be stored, and what was taken out; raises UserError when it is no note."""
    kept, private = cut(manual_note.cleaned(text), patterns)
    if private and not any(map(str.isalnum, kept.replace(CUT, ""))):
        raise usage_error(
            "All of it is private, and what is private is never noted. Nothing was written.",
            next_step="note what may be known, outside of <private>…</private> and your private_patterns",
        )
    clean = redact(kept)
    if problem := manual_note.problem_of(clean.text):
        raise usage_error(
            f"This cannot be noted. {problem} Nothing was written.",
            next_step="say it in one line of plain text, several things in several notes",
        )
    return clean.text, Counter(clean.counts) + Counter(private=private)


def note(target: Target, wanted: Note, now: datetime) -> AddResult:
    """Note it; the workspace is set up. Raises UserError when the text is none or the workspace is locked."""
    patterns = read_patterns(target.config.settings.private_patterns).compiled
    text, taken_out = read_note(wanted.text, patterns)
    with sitting(target, "note", wanted.by.value, now) as (ledger, run, order):
        decided = _decided(target, ledger, replace(wanted, text=text), order, taken_out)
        published, has_daemon = publish_in_pause(target, ledger, order, at_once=wanted.is_now)
        run.outcome = decided.outcome.value
    why, section = decided.reason or "-", published.result.value
    told = {"outcome": run.outcome, "reason": why, "redacted": taken_out.total(), "section": section}
    log.info(canonical(run=run.id, job="note", agent=target.agent_id, by=wanted.by.value, **told))
    return AddResult(
        target,
        wanted.by,
        decided.outcome,
        text,
        decided.line,
        taken_out,
        published,
        decided.reason,
        decided.detail,
        has_daemon,
    )


def _decided(
    target: Target, ledger: Ledger, wanted: Note, order: PublishRequest, taken_out: Counter[str]
) -> _Decided:
    """Decide on the note and make that true, in one transaction."""
    evidence = list(evidence_of(target, ledger)) if wanted.by is Author.AGENT else []
    if wanted.by is Author.AGENT and not evidence:
        raise refused_error(
            "No conversation of this agent can be read, so there is nothing to check the note against. "
            "Nothing was noted.",
            next_step="scrimshaw status says which stores are read; what the person says is noted by itself",
        )
    for _ in range(_MOST_TRIES):
        if decided := _written(target, ledger, wanted, order, taken_out, evidence):
            return decided
    # Other writers won each race: decide within a transaction, so that they wait for this one check.
    with ledger.transaction():
        decided = _written(target, ledger, wanted, order, taken_out, evidence)
        assert decided
        return decided


def _written(
    target: Target,
    ledger: Ledger,
    wanted: Note,
    order: PublishRequest,
    taken_out: Counter[str],
    evidence: list[RecentConversation],
) -> _Decided | None:
    """Decide on the ledger as it is and write that; None when somebody wrote meanwhile."""
    version = ledger.version()
    if wanted.by is Author.PERSON:
        decided = _of_person(target, ledger, wanted, order)
    else:
        decided = _of_agent(target, ledger, wanted, order, evidence)
    is_new = decided.outcome is AddOutcome.NOTED
    counts = RunCounts(
        proposals=1,
        accepted=int(is_new),
        rejected=int(decided.outcome is AddOutcome.REFUSED),
        redacted=dict(taken_out),
    )
    batch = replace(decided.batch, run_id=order.run_id, at_ms=milliseconds(order.now), counts=counts)
    if isinstance(ledger.accept(batch, expected_version=version), WriteConflict):
        return None
    if is_new and decided.line and decided.line.session_id:
        note_observed(ledger, [decided.line.session_id])
    return decided


def _batch(**parts: tuple[object, ...]) -> Batch:
    return Batch(run_id="", at_ms=0, **parts)  # type: ignore[arg-type]  # who and when are added by the caller


# -- a person's ----------------------------------------------------------------------------------------------


def _of_person(target: Target, ledger: Ledger, wanted: Note, order: PublishRequest) -> _Decided:
    moment = edits.Moment(milliseconds(order.now), target.zone)
    local = order.now.astimezone(ZoneInfo(target.zone))
    written = manual_note.by_person(wanted.text, wanted.wish, f"{local:%Y-%m-%d}")
    same = _same(ledger, wanted.text)
    if same is not None:
        return _Decided(AddOutcome.KNOWN, same.observation, _batch(events=_kept_first(same, moment)))
    taken = edits.from_import([written], ledger.line, moment)
    own = replace(taken.observations[0], said_at_ms=moment.at_ms, local_time=f"{local:%H:%M}")
    own = replace(own, run_id=order.run_id)
    return _Decided(AddOutcome.NOTED, own, _batch(observations=(own,), events=taken.events))


def _same(ledger: Ledger, text: str) -> Line | None:
    """Return the live line of the same words; of several the person's own."""
    lower = normal(text)
    near, _ = _sharing(ledger, text)
    found = [line for line in near if normal(line.observation.text) == lower]
    found.sort(key=lambda line: line.observation.author is not Author.PERSON)
    return next(iter(found), None)


def _sharing(ledger: Ledger, text: str) -> tuple[list[Line], int]:
    """Return the live lines that share a word with *text*, all where it has none, and how many are live."""
    words = sorted(content_words(text), key=lambda word: (len(word), word))[-_MOST_WORDS:]
    if words:
        return ledger.lines_sharing(words, _MOST_SHARING)
    lines = ledger.live_lines()
    return lines, len(lines)


def _kept_first(line: Line, moment: edits.Moment) -> tuple[Event, ...]:
    """Return what makes a line noted before the person's to keep, and shown again if it was hidden."""
    is_own = line.observation.author is Author.PERSON or line.standing.is_pinned
    if is_own and line.standing.is_shown:
        return ()
    type_ = EventType.SHOWN if is_own else EventType.PINNED
    return (Event(type_, line.observation.id, moment.at_ms, edits.PERSON, reason="noted by hand, too"),)


# -- an agent's ----------------------------------------------------------------------------------------------


def _of_agent(
    target: Target, ledger: Ledger, wanted: Note, order: PublishRequest, evidence: list[RecentConversation]
) -> _Decided:
    near, total = _sharing(ledger, wanted.text)
    known = KnownLines((line.observation for line in near if not is_foreign(line.observation)), total=total)
    refused: list[_Decided] = []
    for session, entries in evidence:
        window = Window(session, entries, 0, target.zone)
        verdict = manual_note.by_agent(wanted.text, wanted.wish, prepare(window), known)
        decided = _judged(ledger, verdict, window, order)
        if decided.outcome is not AddOutcome.REFUSED or decided.reason in ("injection", "deleted-by-hand"):
            return decided
        refused.append(decided)
    # Report what the conversation about this subject lacks; of several, the one still going on.
    return max(refused, key=lambda decided: reach(decided.reason))


def _judged(ledger: Ledger, verdict: Verdict, window: Window, order: PublishRequest) -> _Decided:
    match verdict:
        case Rejected(other_id=twin) if twin and (line := ledger.line(twin)):
            if line.standing.is_set_aside:
                return _refused(window, replace(verdict, reason="deleted-by-hand", detail=_TAKEN_OUT))
            return _Decided(
                AddOutcome.KNOWN, line.observation, _batch(events=_said_again(ledger, line, order))
            )
        case Rejected():
            return _refused(window, verdict)
        case Verified(proposal):
            made = accepted(proposal, window, author=Author.AGENT, run_id=order.run_id)
            before = ledger.line(made.id)
            if ledger.tombstoned(_as_said_by_person(made, window)) is not None:
                return _refused(window, Rejected(proposal, "deleted-by-hand", _TAKEN_OUT))
            if before is not None and before.standing.closed:
                told = f"it was noted before, and has been {before.standing.closed.value} since"
                return _refused(window, Rejected(proposal, "closed", told))
            return _Decided(AddOutcome.NOTED, made, _batch(observations=(made,), sessions=(window.session,)))


def _refused(window: Window, rejected: Rejected) -> _Decided:
    kept = (refused_in(window, rejected, Author.AGENT),)
    batch = _batch(rejections=kept, sessions=(window.session,))
    return _Decided(AddOutcome.REFUSED, None, batch, rejected.reason, rejected.detail)


def _as_said_by_person(made: Observation, window: Window) -> Observation:
    """Return *made* as old as the person's own words in it: only they can bring back what they took out."""
    own = [e.said_at_ms for e in window.entries if e.entry_id in made.sources and e.role is Role.USER]
    return replace(made, said_at_ms=max(own, default=0), speaker=Role.USER if own else made.speaker)


def _said_again(ledger: Ledger, line: Line, order: PublishRequest) -> tuple[Event, ...]:
    """Return that an agent has found *line* worth noting, once: the line weighs more (rule 19)."""
    by = Author.AGENT.value
    if line.observation.author is Author.AGENT:
        return ()
    if any(stored.event.by == by for stored in ledger.events_of(line.observation.id)):
        return ()
    return (Event(EventType.REINFORCED, line.observation.id, milliseconds(order.now), by),)


def evidence_of(target: Target, ledger: Ledger) -> Iterator[RecentConversation]:
    """Yield the conversations that feed this memory, the newest first, within all bounds."""
    patterns = read_patterns(target.config.settings.private_patterns).compiled
    entries_left, chars_left = MOST_ENTRIES, MOST_CHARS
    with open_sources(target, ledger.session_keys()) as sources:
        for source, state in newest_feeding(target, sources, _log_unreadable)[:_MOST_SESSIONS]:
            try:
                found = _newest(source.pages(state, None), entries_left, chars_left, patterns)
            except (UserError, Unopened) as error:
                log.warning("job=note session=%s problem=%r", state.session.session_id, str(error))
                continue
            if found:
                entries_left -= len(found)
                chars_left -= sum(map(_chars, found))
                yield RecentConversation(state.session, tuple(found))
            if entries_left <= 0 or chars_left <= 0:
                return


def _log_unreadable(source: Source, error: UserError) -> None:
    log.warning("job=note source=%s problem=%r", source.id, " ".join(error.problems))


def _newest(
    pages: Iterable[Page], most: int, most_chars: int, patterns: tuple[re.Pattern[str], ...]
) -> list[Entry]:
    """Return the newest entries of *pages* as an observer would be given them, oldest first."""
    newest: deque[Entry] = deque(maxlen=most)
    for page in pages:
        newest.extend(page.entries)
    kept: list[Entry] = []
    for entry in reversed(newest):
        cut = entry._replace(text=entry.text[:MOST_ENTRY_CHARS])
        most_chars -= _chars(cut)
        if most_chars < 0:
            break
        kept.append(redacted(cut, Counter(), patterns))
    return manual_note.witnessing(kept[::-1])


def _chars(entry: Entry) -> int:
    return len(entry.text) + sum(len(call.arguments) for call in entry.calls)
