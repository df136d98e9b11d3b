"""The values that go into the ledger and come out of it, beside those of core/types.

Frozen and without behaviour. Outcomes that are to be expected are values here (`Accepted`,
`WriteConflict`); what a person must mend is a UserError; everything else is a defect.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from datetime import date
from enum import StrEnum
from typing import NamedTuple

from scrimshaw.core.ledger.observations import ReviewProposal
from scrimshaw.core.policy.spending import Amount
from scrimshaw.core.types import Author, Event, Observation, Rejected, Session, TaskState


class Cursor(NamedTuple):
    """How far one session of one source was read, and what proves that the position still holds."""

    source_id: str
    session_id: str
    cursor: str  # the source's own, opaque
    position: str  # the source's cheap token: equal means nothing new
    newest_at_ms: int


class RunCounts(NamedTuple):
    """What a batch adds to its run."""

    windows: int = 0
    entries: int = 0
    proposals: int = 0
    accepted: int = 0
    rejected: int = 0
    redacted: Mapping[str, int] = {}  # secret type → how many
    read_tokens: int = 0  # of the conversation that was observed; only in the tallies


class RunCost(NamedTuple):
    """What a run's settled calls used; *unpriced* counts those that are in the tokens and not in the cost."""

    tokens_in: int = 0
    tokens_out: int = 0
    cost_microdollars: int = 0
    unpriced: int = 0


FREE = RunCost()


NOTHING = RunCounts()


class Working(NamedTuple):
    """What was unfinished in a conversation when the newest entry of a window was said."""

    session_id: str
    said_at_ms: int
    state: TaskState


@dataclass(frozen=True, slots=True)
class Batch:
    """Everything that becomes true together: one transaction.

    *covered* names the entries that this batch covers for the first time, evidence or not.
    *rejections* go on the review list; a pair is one of which no more is known. The OBSERVED event of each
    observation is not part of *events*: the ledger adds it.
    """

    run_id: str
    at_ms: int
    observations: tuple[Observation, ...] = ()
    events: tuple[Event, ...] = ()
    rejections: tuple[ReviewProposal | tuple[str, Rejected], ...] = ()
    covered: Mapping[str, Collection[str]] = field(default_factory=dict)  # session id → entry ids
    sessions: tuple[Session, ...] = ()
    cursors: tuple[Cursor, ...] = ()
    counts: RunCounts = NOTHING
    working: tuple[Working, ...] = ()


class Accepted(NamedTuple):
    """The batch stands. *new_ids* are the observations that were not in the ledger before."""

    new_ids: tuple[str, ...]
    version: int


class WriteConflict(NamedTuple):
    """Nothing was written: another process was faster. Read again and decide anew."""

    version: int
    already_covered: tuple[tuple[str, str], ...] = ()  # (session id, entry id), when that is why


class QueuedRequest(NamedTuple):
    """What somebody asked for, and is waiting for."""

    number: int
    kind: str  # "observe"
    at_ms: int
    by: str  # for people: "observe-now", "hook"
    session: str = ""  # the key or id of the conversation that it is about; "": of all of them


class StoredEvent(NamedTuple):
    """An event with its place in the ledger."""

    seq: int
    event: Event


@dataclass(frozen=True, slots=True)
class Run:
    """One attempt of a job. *finished_at_ms* and *outcome* are empty while it runs or when it was killed."""

    run_id: str
    job: str
    trigger: str
    observer: str
    started_at_ms: int
    finished_at_ms: int | None = None
    outcome: str = ""
    error: str = ""
    counts: RunCounts = NOTHING
    prompt: str = ""  # sha256 of what a model was told to do
    cost: RunCost = FREE


class ModelCall(NamedTuple):
    """One try to ask a model, before it is made."""

    at_ms: int
    local_date: date  # the owner's day that it counts for
    run_id: str
    job: str
    model: str
    most: Amount  # what it can cost at most


class SpendRow(NamedTuple):
    """What was spent on one day with one model for one job."""

    local_date: date
    model: str
    job: str
    calls: int
    failed: int  # without an answer
    cut_off: int  # never settled: killed, or still under way; counted with the most they can cost
    estimated: int  # of which the provider did not say what they used
    tokens_in: int
    tokens_out: int
    microdollars: int  # of the calls whose price is known
    unpriced: int  # the others


class Held(NamedTuple):
    """A call that a cap refused, and since when its job waits."""

    job: str
    model: str
    since_ms: int
    most: Amount


class RevisionState(StrEnum):
    """Whether a revision's body is known to be on disk."""

    INTENDED = "intended"  # decided; the file may or may not hold it
    WRITTEN = "written"
    ABANDONED = "abandoned"  # never reached the file


@dataclass(frozen=True, slots=True)
class Revision:
    """One section body, with what it covers.

    *line_ids* names the observation of each of the body's items (core/section/render), in their order.
    *event_seq* is the ledger's version that was folded. *sha256* is that of the whole file as it was
    to be written.
    """

    number: int  # 0 until stored
    at_ms: int
    run_id: str
    reason: str  # "observe", "hand-edit", "undo" …
    place: str  # relative to the workspace
    body: str
    budget_chars: int
    event_seq: int
    line_ids: tuple[str, ...]
    sha256: str
    state: RevisionState = RevisionState.INTENDED


class Rejection(NamedTuple):
    """A rejected proposal on the review list, or one that waits."""

    number: int
    at_ms: int
    run_id: str
    session_id: str
    rejected: Rejected
    state: str  # "open" | "accepted" | "edited" | "rejected"
    author: Author = Author.RULES
    said_at_ms: int = 0
    zone: str = ""


class Tombstone(NamedTuple):
    """Why a statement stays out: a person took *observation_id* out of the section at *at_ms* (rule 8)."""

    observation_id: str
    at_ms: int
    by_what: str  # "entries" | "claim" | "text" | "session": all that was said until then
    is_forgotten: bool = False  # rule 21: not taken out, but to be known nowhere


@dataclass(frozen=True, slots=True)
class Counts:
    """What `status` shows of a ledger, cheap at any size."""

    version: int
    observations: int
    live: int
    shown: int
    sessions: int
    covered: int
    rejected: int  # ever
    redacted: Mapping[str, int]  # ever, by secret type
    awaiting_review: Mapping[str, int]  # open rejections by reason
    pending_outbox: Mapping[str, int]  # by target
    revisions: int
