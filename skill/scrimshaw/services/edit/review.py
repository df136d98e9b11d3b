"""A person's decisions on what was refused, or waits for them: into the ledger, the dated files, the section.

Each decision is one transaction: what the proposal becomes, what that closes, and that it was decided. So a
kill leaves every decision whole or not made, and of two who review at once the second is told. The files
follow at the end (`finish`), as after any run; one that never came to it is finished by the next. Nothing is
held open or locked while a person thinks.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Literal, NamedTuple
from zoneinfo import ZoneInfo

from scrimshaw.clock import milliseconds
from scrimshaw.core.extraction import manual_note
from scrimshaw.core.ledger.observations import (
    CLOSING,
    NOT_LAID_OUT,
    ONE_BY_ONE,
    ReviewProposal,
    as_line,
    closed_at_persons_word,
    closed_by,
    is_verified,
)
from scrimshaw.core.text.dates import find_dates
from scrimshaw.core.text.normalize import normal
from scrimshaw.core.transcript.privacy import CUT, cut, read_patterns
from scrimshaw.core.types import MAX_SOURCES, Author, Closed, Event, EventType, Line, Observation, Proposal
from scrimshaw.errors import Exit, UserError, usage_error
from scrimshaw.redaction import redact
from scrimshaw.services.edit.sittings import LateRun
from scrimshaw.services.publish.result import Published, PublishRequest
from scrimshaw.services.publish.state import note_observed
from scrimshaw.services.runs import new_run_id, publish_in_pause
from scrimshaw.store.ledger import Ledger, open_ledger
from scrimshaw.store.records import Batch, Rejection, RunCounts
from scrimshaw.store.rejections import RejectionState
from scrimshaw.workspace import Target, own_folder

if TYPE_CHECKING:
    from scrimshaw.services.edit.recheck import Rechecked
    from scrimshaw.services.history.cited_entries import Originals

MOST_LAID_OUT = 1_000
_ACCEPTED = "accepted in a review"
_BY_HAND = frozenset({Closed.DELETED, Closed.EDITED, Closed.DROPPED, Closed.UNDONE})


class ReviewOutcome(StrEnum):
    """What came of a decision."""

    NOTED = "noted"
    KNOWN = "known"  # a line says it already
    CLOSED = "closed"  # an earlier line
    REJECTED = "rejected"
    DECIDED = "decided"  # before, or by somebody else
    NOT_POSSIBLE = "not-possible"  # it still waits


class Decided(NamedTuple):
    """What came of the decision on one proposal."""

    number: int
    outcome: ReviewOutcome
    line: Observation | None = None
    detail: str = ""

    def to_dict(self) -> dict[str, Any]:
        """Return it as `scrimshaw review --json` prints it."""
        return {
            "id": self.number,
            "outcome": self.outcome.value,
            "observation": self.line.id if self.line else None,
            "by": self.line.author.value if self.line else None,
            "detail": self.detail,
        }

    def exit_code(self, wish: Literal["accepted", "rejected"]) -> Exit:
        """Return what the command ends with when *wish* was asked for."""
        is_else = self.outcome is ReviewOutcome.DECIDED and self.detail != wish
        return Exit.REFUSED if is_else or self.outcome is ReviewOutcome.NOT_POSSIBLE else Exit.OK


class ReviewQueue(LateRun):
    """One person's review of one workspace; belongs to the thread that opened the ledger."""

    def __init__(self, target: Target, ledger: Ledger, order: PublishRequest) -> None:
        super().__init__(target, ledger, order)
        self._patterns = read_patterns(target.config.settings.private_patterns).compiled
        self._live = _Live(ledger)
        self._sessions: set[str] = set()
        self.decided: list[Decided] = []

    def lines(self, ids: Collection[str]) -> Mapping[str, Line]:
        """Return those of the lines with these *ids* that there are."""
        return self._ledger.lines(ids)

    @property
    def reasons(self) -> tuple[str, ...]:
        """The reasons of all that waits."""
        return tuple(sorted(self._ledger.counts().awaiting_review))

    def waiting(
        self, reason: str = "", *, limit: int = MOST_LAID_OUT, before: int | None = None
    ) -> list[Rejection]:
        """Return what waits for a decision, the newest first; of one *reason* or of all but duplicates.

        *before*: only what stands behind the proposal of this number.
        """
        # Filter by reason in the query: proposals with other reasons may fill the whole page.
        but = set(self._ledger.counts().awaiting_review) - {reason} if reason else NOT_LAID_OUT
        return [self._shown(one) for one in self._ledger.rejections(limit, but=but, before=before)]

    def originals(self, those: Iterable[Rejection]) -> Originals:
        """Return what finds the messages that *those* cite."""
        from scrimshaw.services.history.cited_entries import Originals  # it opens the host's stores

        return Originals(self._target, self._ledger, those)

    def to_dict(
        self, reason: str = "", *, limit: int = MOST_LAID_OUT, before: int | None = None
    ) -> dict[str, Any]:
        """Return what waits as `scrimshaw review --json` prints it for one workspace; as `waiting`."""
        waiting, doubted = self.waiting(reason, limit=limit, before=before), self.recheck()
        originals = self.originals(waiting)
        return {
            "agent": self._target.agent_id,
            "workspace": str(self._target.layout.workspace),
            "review": self._target.config.settings.review,
            "waiting": self.count(reason),
            "doubted": [one.to_dict() for one in doubted.doubted],
            "not_looked_at": doubted.left,
            "proposals": [self._proposal_dict(one, originals) for one in waiting],
        }

    def _proposal_dict(self, one: Rejection, originals: Originals) -> dict[str, Any]:
        proposal = one.rejected.proposal

        def live(ids: tuple[str, ...]) -> list[str]:
            lines = self._ledger.lines(ids)
            return [id_ for id_ in ids if id_ in lines and lines[id_].standing.is_live]

        return {
            "id": one.number,
            "reason": one.rejected.reason,
            "detail": one.rejected.detail,
            "text": proposal.text,
            "kind": proposal.kind.value,
            "priority": proposal.priority,
            "place": proposal.place.value,
            "done": proposal.done,
            "by": one.author.value,
            "said_at_ms": one.said_at_ms or None,
            "session_id": one.session_id,
            "replaces": live(proposal.replaces),
            "withdraws": live(proposal.withdraws),
            "completes": live(proposal.completes),
            "sources": [original.to_dict(proposal.text) for original in originals.of(one)],
        }

    def recheck(self) -> Rechecked:
        """Return the lines noted before that would be refused today."""
        from scrimshaw.services.edit.recheck import recheck

        return recheck(self._target, self._ledger)

    def check_there(self, numbers: Iterable[int]) -> None:
        """Raise UserError when one of *numbers* names no proposal."""
        missing = [f"#{number}" for number in numbers if self._ledger.rejection(number) is None]
        if missing:
            raise usage_error(
                f"{', '.join(missing)}: no such proposal in {self._target.layout.workspace}. "
                "Nothing was decided.",
                next_step="scrimshaw review lists them",
            )

    def by_reason(self, reason: str = "") -> Counter[str]:
        """Return how many wait, by their reasons; also those that are not laid out yet."""
        waiting = self._ledger.counts().awaiting_review.items()
        return Counter(
            {name: n for name, n in waiting if reason == name or not (reason or name in NOT_LAID_OUT)}
        )

    def count(self, reason: str = "") -> int:
        """Return how many wait."""
        return self.by_reason(reason).total()

    def accept(self, number: int, *, is_one_of_many: bool = False) -> Decided:
        """Note a proposal: a verified one as its author's, one that broke a rule as the person's own word.

        What a line would have closed is closed. As *one of many* only what can be taken without being read by
        itself.
        """
        found = self._open(number)
        if isinstance(found, Decided):
            return found
        reason = found.rejected.reason
        if is_one_of_many and reason in ONE_BY_ONE:
            return self._not_possible(number, f"it broke the rule “{reason}”: accept or reject it by itself")
        if reason == CLOSING:
            return self._closed(found)
        if not is_verified(reason):
            return self._own(found, found.rejected.proposal.text, RejectionState.ACCEPTED, is_one_of_many)
        proposal = found.rejected.proposal
        if cut(proposal.text, self._patterns)[1]:
            return self._not_possible(number, "it holds what you have made private: edit or reject it")
        return self._noted(found, proposal, found.author, RejectionState.ACCEPTED, is_one_of_many)

    def edit(self, number: int, text: str) -> Decided:
        """Note a proposal in the person's words; the same words accept it."""
        found = self._open(number)
        if isinstance(found, Decided):
            return found
        if text.strip() == found.rejected.proposal.text:
            return self.accept(number)
        if found.rejected.reason == CLOSING:
            return self._not_possible(
                number, "that line is noted already: accept or reject what it would close"
            )
        return self._own(found, text, RejectionState.EDITED, is_one_of_many=False)

    def reject(self, number: int) -> Decided:
        """Turn a proposal down, and remember it: its words stay out unless the person says them again."""
        found = self._open(number)
        if isinstance(found, Decided):
            return found
        self._begin()
        at_ms, proposal = milliseconds(self._order.now), _bounded(found.rejected.proposal)
        # Of a closing the line is right, and stays.
        stone = self._as_line(found, proposal) if found.rejected.reason != CLOSING else None
        is_first = self._ledger.settle_rejection(number, RejectionState.REJECTED, at_ms=at_ms, stone=stone)
        if not is_first:
            return self._decided_before(number)
        return self._keep(Decided(number, ReviewOutcome.REJECTED))

    def finish(self, *, is_now: bool = False) -> Published | None:
        """Bring dated files and section up to date; None when nothing was decided.

        Also when all of it was decided before: that run may have been killed on its way here.
        """
        if not self.decided:
            return None
        self._begin()
        target, ledger, order = self._target, self._ledger, self._order
        if self._sessions:
            note_observed(ledger, self._sessions)
        return publish_in_pause(target, ledger, order, at_once=is_now)[0]

    # -- one decision ---------------------------------------------------------------------------------

    def _own(self, found: Rejection, text: str, state: RejectionState, is_one_of_many: bool) -> Decided:
        """Note *text* as the person's own word, on the sources of *found*."""
        clean = redact(cut(manual_note.cleaned(text), self._patterns)[0]).text
        if problem := manual_note.problem_of(clean.replace(CUT, "")) or manual_note.problem_of(clean):
            return self._not_possible(found.number, problem)
        proposal = _bounded(found.rejected.proposal)
        if found.rejected.reason == "sources":
            proposal = replace(proposal, sources=())  # they name nothing
        if clean != proposal.text:
            proposal = _reworded(proposal, clean, self._origin(found))
        return self._noted(found, proposal, Author.PERSON, state, is_one_of_many)

    def _closed(self, found: Rejection) -> Decided:
        """Close by the person's word what a line that was noted would have closed, in one transaction."""
        self._begin()
        proposal, at_ms = found.rejected.proposal, milliseconds(self._order.now)
        made = self._as_line(found, proposal)
        with self._ledger.transaction():
            by = self._ledger.line(made.id)
            if by is None or not by.standing.is_live:
                by = self._live.same(made)
            if by is None:
                return self._not_possible(found.number, "the line that says so is no longer there")
            events = closed_at_persons_word(proposal, by.observation.id, at_ms, self._ledger.line)
            if not self._ledger.settle_rejection(found.number, RejectionState.ACCEPTED, at_ms=at_ms):
                return self._decided_before(found.number)
            self._ledger.accept(Batch(self._order.run_id, at_ms, events=tuple(events)))
        if by.observation.session_id:
            self._sessions.add(by.observation.session_id)
        if not events:
            return self._keep(
                Decided(found.number, ReviewOutcome.KNOWN, detail="that line is closed already")
            )
        closed = self._ledger.line(events[0].observation_id)
        return self._keep(Decided(found.number, ReviewOutcome.CLOSED, closed and closed.observation))

    def _noted(
        self,
        found: Rejection,
        proposal: Proposal,
        author: Author,
        state: RejectionState,
        is_one_of_many: bool,
    ) -> Decided:
        """Make *proposal* a line of *author*'s in one transaction with the decision."""
        self._begin()
        made = as_line(proposal, self._origin(found), author=author, run_id=self._order.run_id)
        if is_one_of_many and self._is_taken_out(made):
            told = "you took this out of the section before: accept it by itself to have it back"
            return self._not_possible(found.number, told)
        original = replace(proposal, text=found.rejected.proposal.text)
        stone = self._as_line(found, original) if state is RejectionState.EDITED else None
        with self._ledger.transaction():
            version = self._ledger.version()
            before = self._ledger.line(made.id)
            if before is not None and before.standing.closed is Closed.FORGOTTEN:
                return self._not_possible(found.number, "it was forgotten, for good")
            batch, line, detail = self._batch(proposal, made, before)
            if not self._ledger.settle_rejection(found.number, state, at_ms=batch.at_ms, stone=stone):
                return self._decided_before(found.number)
            accepted = self._ledger.accept(batch)
        self._live.add(line, version, accepted.version)
        if line.session_id:
            self._sessions.add(line.session_id)
        outcome = ReviewOutcome.NOTED if batch.counts.accepted else ReviewOutcome.KNOWN
        return self._keep(Decided(found.number, outcome, line, detail))

    def _batch(
        self, proposal: Proposal, made: Observation, before: Line | None
    ) -> tuple[Batch, Observation, str]:
        """Return what goes into the ledger, the line that stands for it then, and what to say of it."""
        at_ms, run_id, find = milliseconds(self._order.now), self._order.run_id, self._ledger.line
        person = Author.PERSON.value
        same = self._live.same(made)
        if same is not None:
            events = closed_by(proposal, replace(same.observation, run_id=run_id), at_ms, find)
            if not same.standing.is_shown:
                events.append(Event(EventType.SHOWN, same.observation.id, at_ms, person, reason=_ACCEPTED))
            return Batch(run_id, at_ms, events=tuple(events)), same.observation, "it is noted already"
        if before is not None and before.standing.closed not in (None, *_BY_HAND):
            told = f"it was noted before, and has been {before.standing.closed} since"
            return Batch(run_id, at_ms), before.observation, told
        events = closed_by(proposal, made, at_ms, find)
        if before is not None:
            events = [Event(EventType.RESTORED, made.id, at_ms, person, reason=_ACCEPTED), *events]
        counts = RunCounts(accepted=1)
        return Batch(run_id, at_ms, observations=(made,), events=tuple(events), counts=counts), made, ""

    def _is_taken_out(self, made: Observation) -> bool:
        same = self._live.same(made)
        is_hidden = same is not None and same.standing.is_set_aside
        return is_hidden or self._ledger.tombstoned(made) is not None

    def _open(self, number: int) -> Rejection | Decided:
        found = self._ledger.rejection(number)
        if found is None:
            raise usage_error(
                f"#{number}: there is no such proposal in {self._target.layout.workspace}.",
                next_step="scrimshaw review lists them",
            )
        return found if found.state == RejectionState.OPEN else self._decided_before(number)

    def _decided_before(self, number: int) -> Decided:
        found = self._ledger.rejection(number)
        return self._keep(Decided(number, ReviewOutcome.DECIDED, detail=found.state if found else ""))

    def _not_possible(self, number: int, why: str) -> Decided:
        return self._keep(Decided(number, ReviewOutcome.NOT_POSSIBLE, detail=why))

    def _keep(self, decided: Decided) -> Decided:
        self.decided.append(decided)
        return decided

    def _as_line(self, found: Rejection, proposal: Proposal) -> Observation:
        return as_line(proposal, self._origin(found), author=found.author, run_id=self._order.run_id)

    def _origin(self, found: Rejection) -> ReviewProposal:
        """Return where and when it was said; a proposal of an older ledger knows only when it was listed."""
        said_at_ms, zone = found.said_at_ms or found.at_ms, found.zone or self._target.zone
        return ReviewProposal(found.session_id, found.rejected, found.author, said_at_ms, zone)

    def _shown(self, found: Rejection) -> Rejection:
        """Return *found* without what the owner has made private since it was listed."""
        rejected = found.rejected
        text, detail = (cut(part, self._patterns)[0] for part in (rejected.proposal.text, rejected.detail))
        if (text, detail) == (rejected.proposal.text, rejected.detail):
            return found
        return found._replace(
            rejected=replace(rejected, proposal=replace(rejected.proposal, text=text), detail=detail)
        )


@contextmanager
def reviewing(target: Target, now: datetime, *, decides: bool = True) -> Iterator[ReviewQueue]:
    """Open *target*'s review; the workspace is set up. What was decided is kept however it ends.

    Whoever only looks needs to write nothing there.
    """
    if decides:
        own_folder(target)
    with open_ledger(target.layout.ledger, create=False, read_only=not decides) as ledger:
        review = ReviewQueue(target, ledger, PublishRequest(new_run_id(now), now, reason="review"))
        outcome, error = "killed", ""
        try:
            yield review
            outcome = "reviewed"
        except UserError as failed:
            outcome, error = "failed", failed.problems[0] if failed.problems else ""
            raise
        finally:
            count = Counter(one.outcome.value for one in review.decided)
            review.end(outcome, error, noted=count["noted"], rejected=count["rejected"])


class _Live:
    """The live lines by their words; of many decisions in a row each reads them only when others wrote."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self._version = -1
        self._ids: dict[tuple[str, bool], str] = {}

    def same(self, made: Observation) -> Line | None:
        """Return the live line that says what *made* says, word for word."""
        if self._version != (version := self._ledger.version()):
            self._ids = {_words(line.observation): line.observation.id for line in self._ledger.live_lines()}
            self._version = version
        line = self._ledger.line(self._ids.get(_words(made), ""))
        return line if line is not None and line.standing.is_live else None

    def add(self, made: Observation, before: int, after: int) -> None:
        """Take *made* as live, by a decision that led from one version of the ledger to the other."""
        if self._version == before:
            # What it has closed is found out when it is asked for.
            self._ids[_words(made)] = made.id
            self._version = after


def _words(line: Observation) -> tuple[str, bool]:
    return normal(line.text), line.done


def _bounded(proposal: Proposal) -> Proposal:
    """Return *proposal* with its figures within what a line may have: one that broke the form may not."""
    return replace(
        proposal,
        priority=min(max(proposal.priority, 1), 5),
        sources=tuple(dict.fromkeys(proposal.sources))[:MAX_SOURCES],
        confidence=min(max(proposal.confidence, 0.0), 1.0),
        salience=min(max(proposal.salience, 0.0), 1.0),
    )


def _reworded(proposal: Proposal, text: str, origin: ReviewProposal) -> Proposal:
    """Return *proposal* in other words: its claim and its date only as far as they say them, too."""
    said_at = datetime.fromtimestamp(origin.said_at_ms / 1000, ZoneInfo(origin.zone))
    found = next(iter(find_dates(text, said_at)), None)
    claim = proposal.claim if proposal.claim and proposal.claim.object in text.lower() else None
    return replace(proposal, text=text, refers_to=found.ref if found else None, claim=claim)
