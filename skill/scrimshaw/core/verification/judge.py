"""What follows from a second reading (core/prompting/judge_prompt) of the lines that a model proposed.

The gate finds each literal of a line in its entries. Whether other words mean the same takes one who reads,
so a model is asked once more, with nothing but the notes and their entries. A line that it says does not
hold is refused; no answer makes up for a rule that the line broke. A line that nobody has read again is
noted when it is in the speaker's own words, and else waits on the review list: the words that were said
stand in meanwhile. Of each earlier line that a note would close it is asked whether that line holds no
longer; core/consolidation/supersede says what that may close.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Literal, NamedTuple, TypeVar

from scrimshaw.core.consolidation.supersede import closing_bar, without_closings
from scrimshaw.core.ledger.known_lines import KnownLines
from scrimshaw.core.ledger.lifecycle import at_birth
from scrimshaw.core.ledger.observations import NOT_REREAD, READ_BY_NOBODY
from scrimshaw.core.prompting.judge_prompt import InQuestion, Judged
from scrimshaw.core.prompting.observe_reply import SECOND_READING
from scrimshaw.core.types import EventType, Line, Proposal, Readings, Rejected, SaidClosed, Verdict, Verified
from scrimshaw.core.verification.find_sources import judge_with_near
from scrimshaw.core.verification.verify import Evidence, is_as_said

Extent = Literal["off", "doubtful", "all"]


class ToRead(NamedTuple):
    """Lines to be read once more, each as it was proposed and as it would be noted."""

    proposed: tuple[Proposal, ...]
    noted: tuple[Proposal, ...]  # may cite an entry more
    closings: tuple[InQuestion, ...] = ()

    def plus(self, more: ToRead) -> ToRead:
        """Return these and *more*, to be read in one question."""
        there = len(self.noted)
        moved = tuple(one._replace(note=one.note + there) for one in more.closings)
        return ToRead(self.proposed + more.proposed, self.noted + more.noted, self.closings + moved)

    def readings(self, judged: Judged) -> Readings:
        """Return what *judged*, an answer about `noted` and `closings`, says of the lines as proposed."""
        keys = [without_closings(proposal) for proposal in self.proposed]
        closings = [SaidClosed(keys[one.note - 1], one.type, one.line.id) for one in self.closings]
        said = dict(zip(keys, judged[: len(keys)], strict=True))
        closed = dict(zip(closings, judged[len(keys) :], strict=True))
        return Readings(*_parted(said), *_parted(closed))


_T = TypeVar("_T")


def _parted(said: Mapping[_T, str | None]) -> tuple[frozenset[_T], dict[_T, str]]:
    """Return of what an answer says yes, and of what no and why."""
    yes = frozenset(key for key, why in said.items() if why is None)
    return yes, {key: why for key, why in said.items() if why is not None}


def to_read(proposals: Iterable[Proposal], evidence: Evidence, known: KnownLines, extent: Extent) -> ToRead:
    """Return those of *proposals* that are to be read again, and what they would close.

    "doubtful": what is not in the speaker's own words, and what would close an earlier line. "all": all that
    the gate lets through. What a rule refuses, and what is known already, is no matter of reading.
    """
    found: dict[Proposal, tuple[Proposal, Proposal]] = {}
    for proposal in proposals if extent != "off" else ():
        match judge_with_near(proposal, evidence, known):
            case Verified(noted) if (
                extent == "all" or not is_as_said(noted, evidence) or any(_closings(0, noted, known))
            ):
                found.setdefault(without_closings(proposal), (proposal, noted))
    pairs = list(found.values())
    return ToRead(
        tuple(one for one, _ in pairs),
        tuple(noted for _, noted in pairs),
        tuple(one for place, (_, noted) in enumerate(pairs, 1) for one in _closings(place, noted, known)),
    )


def _closings(place: int, noted: Proposal, known: KnownLines) -> Iterator[InQuestion]:
    """Yield the earlier lines that a note would close, of those that a run may close at all."""
    for type_, keys in ((EventType.COMPLETED, noted.completes), (EventType.SUPERSEDED, noted.replaces)):
        for key in keys:
            line = known.get(key)
            if line is None:
                continue
            if not closing_bar(type_, Line(line, at_birth(line)), speaker=noted.speaker):
                yield InQuestion(place, type_, line)


def judge_as_read(proposal: Proposal, evidence: Evidence, known: KnownLines, readings: Readings) -> Verdict:
    """Return *proposal* as verified, or why it is not or must wait, *readings* being what was read again."""
    key = without_closings(proposal)
    verdict = judge_with_near(proposal, evidence, known)
    if isinstance(verdict, Rejected) or key in readings.held:
        return verdict
    if key in readings.refused:
        why = readings.refused[key]
        return Rejected(proposal, SECOND_READING, f"read once more, it does not hold{why and ': '}{why}")
    noted = verdict.proposal
    return verdict if is_as_said(noted, evidence) else Rejected(noted, NOT_REREAD, READ_BY_NOBODY)
