"""The values everything else speaks in: entries, proposals, observations, events.

Frozen, without behaviour beyond what a value knows of itself, and without I/O. Text in them is
already redacted (rule 15). Times are UTC epoch milliseconds where machines compare them, and local
date, time and zone where people read them: those are computed once, when an observation is
accepted, and never again (rule 5).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from enum import StrEnum
from types import MappingProxyType
from typing import Literal, NamedTuple


class Role(StrEnum):
    """Who an entry is by; also the class of evidence it is."""

    USER = "user"
    ASSISTANT = "assistant"
    TOOL = "tool"


class SessionKind(StrEnum):
    """What a session is for; only DIRECT feeds a private MEMORY.md unless configured otherwise."""

    DIRECT = "direct"
    GROUP = "group"
    CHANNEL = "channel"
    CRON = "cron"
    SUBAGENT = "subagent"
    HEARTBEAT = "heartbeat"
    HOOK = "hook"
    INTERNAL = "internal"
    UNKNOWN = "unknown"  # the host no longer says and nothing proves it; left out like a group


class Session(NamedTuple):
    """A conversation as the host names it."""

    session_id: str
    session_key: str  # "" when the host no longer says (a reset JSONL file)
    agent_id: str
    kind: SessionKind


class ToolCall(NamedTuple):
    """What an assistant entry asked a tool to do; *arguments* is readable text, not JSON to parse."""

    call_id: str
    name: str
    arguments: str


class Entry(NamedTuple):
    """One item of a transcript that is evidence.

    A NamedTuple and not a dataclass: readers make hundreds of thousands of them a second.
    """

    session_id: str
    entry_id: str
    position: int  # order within the session: seq, or the line's number
    said_at_ms: int  # when it was said, UTC
    role: Role
    text: str
    calls: tuple[ToolCall, ...] = ()  # assistant only
    call_id: str = ""  # tool only: the call it answers
    tool_name: str = ""  # tool only
    is_error: bool = False  # tool only


class Window(NamedTuple):
    """Consecutive evidence of one session that one observer run covers; cut at whole exchanges."""

    session: Session
    entries: tuple[Entry, ...]
    tokens: int
    zone: str  # IANA name in which people read the dates


class Kind(StrEnum):
    """What sort of statement an observation is."""

    DECISION = "decision"
    PREFERENCE = "preference"
    FACT = "fact"
    ISSUE = "issue"
    NEXT_STEP = "next-step"
    OUTCOME = "outcome"


class Place(StrEnum):
    """The part of the section a line belongs to."""

    STANDING = "standing"
    OPEN = "open"
    LOG = "log"


class Author(StrEnum):
    """Who put a line into the ledger."""

    RULES = "rules"
    MODEL = "model"
    PERSON = "person"
    AGENT = "agent"
    PROGRAM = "program"  # nobody has checked it: no candidate for the section (core/ledger/program_lines)


class DateRef(NamedTuple):
    """The date a statement is about, computed from its words and from when it was said.

    *certain* is False when the phrase allows another reading; then the phrase stays beside the date.
    """

    start: date
    end: date | None  # inclusive; None for a single day
    time: str | None  # "09:30", local, when said
    phrase: str  # the words as said
    certain: bool = True


class Claim(NamedTuple):
    """What a statement says of what; lower case; two claims with equal subject and predicate compete."""

    subject: str
    predicate: str
    object: str


@dataclass(frozen=True, slots=True)
class Proposal:
    """What the rules or a model suggest; untrusted until verified.

    *text* is what would be shown: one line, at most MAX_TEXT_CHARS UTF-16 units. *sources* are entry
    ids of the window, at most MAX_SOURCES. *replaces*, *withdraws* and *completes* name observations
    by id; withdrawn means "this was never so", replaced means "this was so until now".
    """

    text: str
    kind: Kind
    priority: int  # 1..5
    sources: tuple[str, ...]
    speaker: Role
    place: Place = Place.LOG
    done: bool = False  # a confirmed completion, shown as a check mark
    refers_to: DateRef | None = None
    replaces: tuple[str, ...] = ()
    withdraws: tuple[str, ...] = ()
    completes: tuple[str, ...] = ()
    claim: Claim | None = None
    confidence: float = 1.0  # 0..1: that the statement is what was meant
    salience: float = 0.5  # 0..1: how much a reader would miss it; what the fold ranks by
    retells: Proposal | Observation | None = None  # told here again: a value exchanged, or more behind it


MAX_TEXT_CHARS = 300
FOLLOWED = " → "  # between a statement and what was said of it later
MAX_SOURCES = 5


@dataclass(frozen=True, slots=True)
class Observation:
    """A verified line: the immutable part. What became of it since is its Standing."""

    id: str  # derived from session, sources and text, so that the same line twice is one
    text: str
    kind: Kind
    priority: int
    place: Place
    done: bool
    author: Author
    session_id: str  # "" for a person's own line
    sources: tuple[str, ...]
    speaker: Role
    said_at_ms: int
    local_date: str  # YYYY-MM-DD
    local_time: str  # HH:MM, "" when unknown
    zone: str
    refers_to: DateRef | None = None
    claim: Claim | None = None
    confidence: float = 1.0
    salience: float = 0.5
    run_id: str = ""
    tokens: int = 0  # of text
    level: Literal[0, 1] = 0  # 0 observation, 1 reflection
    supports: tuple[str, ...] = ()  # observations a reflection rests on
    pattern: str = ""  # reflections: the pattern seen
    metadata: str = ""  # a program's line: JSON of the memory it was (core/ledger/program_lines)


class Closed(StrEnum):
    """Why a line is no longer current."""

    SUPERSEDED = "superseded"
    WITHDRAWN = "withdrawn"
    COMPLETED = "completed"
    MERGED = "merged"
    DELETED = "deleted"  # by a person's hand
    EDITED = "edited"  # a person's wording took its place
    DROPPED = "dropped"  # by retention or the reflector
    UNDONE = "undone"  # a person has undone the revision that brought it
    FORGOTTEN = "forgotten"


class EventType(StrEnum):
    """Every way the ledger grows; an observation's standing is the replay of its events."""

    OBSERVED = "observed"
    SUPERSEDED = "superseded"
    WITHDRAWN = "withdrawn"
    COMPLETED = "completed"
    MERGED = "merged"
    DELETED = "deleted"
    EDITED = "edited"
    DROPPED = "dropped"
    UNDONE = "undone"
    FORGOTTEN = "forgotten"
    RESTORED = "restored"
    SET_BACK = "set-back"  # to an earlier standing, which *reason* spells out (core/ledger/lifecycle)
    EXPIRED = "expired"
    TAKEN_BACK = "taken-back"  # what a wrong clock did: expired, or dropped as too old
    TRIMMED = "trimmed"
    SHOWN = "shown"
    PROMOTED = "promoted"
    PINNED = "pinned"
    UNPINNED = "unpinned"
    RECALLED = "recalled"
    REINFORCED = "reinforced"
    SOURCE_GONE = "source-gone"
    DISABLED = "disabled"  # of the whole section: observation_id is ""
    ENABLED = "enabled"
    KEPT_BOTH = "kept-both"  # a person keeps it beside *other_id*, though they look like a contradiction
    UNDID = "undid"  # of the whole section, too: *other_id* is the key of the revision (core/ledger/undo)


@dataclass(frozen=True, slots=True)
class Event:
    """One append to the ledger."""

    type: EventType
    observation_id: str  # "" for events of the whole section
    at_ms: int
    by: str  # run id, "person", "agent"
    other_id: str = ""  # the observation that replaced, completed, merged … this one
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Standing:
    """What became of an observation: the replay of its events (core/ledger/lifecycle)."""

    place: Place
    closed: Closed | None = None
    closed_by: str = ""
    closed_at_ms: int = 0
    is_shown: bool = True  # False once trimmed: kept, found by search, not in the section
    is_set_aside: bool = False  # hidden by a person's own act: room alone does not bring it back
    is_pinned: bool = False
    is_expired: bool = False  # its date passed with no word of the outcome
    reinforced: int = 0
    recalled: int = 0
    is_source_gone: bool = False
    is_kept: bool = False  # a person undid what a run had done to it: no run does it again
    renewed_at_ms: int = 0  # when it was last said again, searched for or pinned; 0 for never
    confirmed: int = 0  # how often the person said that it still holds: REINFORCED by their hand

    @property
    def is_live(self) -> bool:
        """Whether the line still holds, shown or not."""
        return self.closed is None


class Line(NamedTuple):
    """One ledger line with its standing: what the fold chooses from."""

    observation: Observation
    standing: Standing


@dataclass(frozen=True, slots=True)
class Rejected:
    """A proposal that broke a rule, kept for review."""

    proposal: Proposal
    reason: str  # a short stable word: "literal", "date", "speaker", "injection", "duplicate", …
    detail: str  # for a person
    other_id: str = ""  # the live line that a duplicate repeats


@dataclass(frozen=True, slots=True)
class Verified:
    """A proposal whose every literal was found in the entries it cites."""

    proposal: Proposal


Verdict = Verified | Rejected


class SaidClosed(NamedTuple):
    """That a line closes an earlier one, as a model says."""

    by: Proposal  # without what it would close
    type: EventType
    id: str


class Readings(NamedTuple):
    """What a second reading said of lines, each without what it would close, and of what they would close."""

    held: frozenset[Proposal] = frozenset()
    refused: Mapping[Proposal, str] = MappingProxyType({})  # and why, as far as the model said
    closes: frozenset[SaidClosed] = frozenset()
    stays: Mapping[SaidClosed, str] = MappingProxyType({})  # and why

    def over(self, earlier: Readings) -> Readings:
        """Return these and what *earlier* ones say of other lines."""
        held = self.held | (earlier.held - self.refused.keys())
        closes = self.closes | (earlier.closes - self.stays.keys())
        return Readings(
            held,
            {**{k: w for k, w in earlier.refused.items() if k not in held}, **self.refused},
            closes,
            {**{k: w for k, w in earlier.stays.items() if k not in closes}, **self.stays},
        )


UNREAD = Readings()


class TaskState(NamedTuple):
    """What person and agent are in the middle of at the end of a window; "" where there is nothing."""

    task: str = ""
    next: str = ""  # what the agent should know or do when they go on
    dropped: int = 0  # what was said of it and is not borne out


NO_TASK = TaskState()


@dataclass(frozen=True, slots=True)
class Reply:
    """An observer's answer for one window. *is_closed* is proof that the whole window was covered.

    *author* is who proposes, RULES or MODEL. *rejected* are lines that could not be read as a proposal.
    """

    proposals: tuple[Proposal, ...]
    is_closed: bool = True
    rejected: tuple[Rejected, ...] = field(default=())
    author: Author = Author.RULES
    state: TaskState = NO_TASK


class Deferred(NamedTuple):
    """An observer that could not be asked: the window waits, nothing of it is covered."""

    reason: str  # for a person, a sentence


class Act(StrEnum):
    """What an archive has to do for one observation."""

    APPEND = "append"
    MARK_SUPERSEDED = "mark-superseded"
    MARK_WITHDRAWN = "mark-withdrawn"
    MARK_REMOVED = "mark-removed"  # taken out of the section by hand
    RESTORE = "restore"  # take a mark off again


class OutboxItem(NamedTuple):
    """One act that an archive still owes, in the order they became due."""

    number: int
    act: Act
    observation: Observation
    marked_on: str  # YYYY-MM-DD: the day a mark names; "" for APPEND
