"""What follows from a second reading: it may refuse any line, and lift doubts alone.

The gate's rules by form see a denial put in or left out in the same words; what is turned round in other
words takes one who reads. So a model is asked once more, with nothing but the notes and their entries. Where
it says that a line does not hold, the line is refused as by any rule. Where it says that it holds, only the
rules of `core/verification/verify.DOUBTS` are overruled: each literal must stand in the entries all the same,
and no sentence of theirs passes with a denial more. Without an answer the gate's own verdict stands. Of each
earlier line that a note would close it is asked whether that line holds no longer;
core/consolidation/supersede says what that may close. What a model says twice is still a model's word: what
rule 16 promises rests on the gate, not on this.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Literal, NamedTuple, TypeVar

from scrimshaw.core.consolidation.supersede import alone, closing_bar
from scrimshaw.core.ledger.known_lines import Known
from scrimshaw.core.ledger.lifecycle import at_birth
from scrimshaw.core.prompting.judge_prompt import InQuestion, Judged
from scrimshaw.core.prompting.observe_reply import SECOND_READING
from scrimshaw.core.types import EventType, Line, Proposal, Readings, Rejected, SaidClosed, Verdict, Verified
from scrimshaw.core.verification.add_source import judge_with_near
from scrimshaw.core.verification.verify import Evidence

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
        keys = [alone(proposal) for proposal in self.proposed]
        closings = [SaidClosed(keys[one.note - 1], one.type, one.line.id) for one in self.closings]
        said = dict(zip(keys, judged[: len(keys)], strict=True))
        closed = dict(zip(closings, judged[len(keys) :], strict=True))
        return Readings(*_parted(said), *_parted(closed))


_T = TypeVar("_T")


def _parted(said: Mapping[_T, str | None]) -> tuple[frozenset[_T], dict[_T, str]]:
    """Return of what an answer says yes, and of what no and why."""
    yes = frozenset(key for key, why in said.items() if why is None)
    return yes, {key: why for key, why in said.items() if why is not None}


def to_read(proposals: Iterable[Proposal], evidence: Evidence, known: Known, extent: Extent) -> ToRead:
    """Return those of *proposals* that a second reading can do something for, and what they would close.

    "doubtful": what DOUBTS alone refuse, and what would close an earlier line. "all": what would be noted,
    too. What another rule refuses, and what is known already, is no matter of reading.
    """
    found: dict[Proposal, tuple[Proposal, Proposal]] = {}
    for proposal in proposals if extent != "off" else ():
        plainly = judge_with_near(proposal, evidence, known)
        match _borne_out(plainly, evidence, known):
            case Verified(noted) if (
                extent == "all" or isinstance(plainly, Rejected) or list(_closings(0, noted, known))
            ):
                found.setdefault(alone(proposal), (proposal, noted))
    pairs = list(found.values())
    return ToRead(
        tuple(one for one, _ in pairs),
        tuple(noted for _, noted in pairs),
        tuple(one for place, (_, noted) in enumerate(pairs, 1) for one in _closings(place, noted, known)),
    )


def _closings(place: int, noted: Proposal, known: Known) -> Iterator[InQuestion]:
    """Yield the earlier lines that a note would close, of those that a run may close at all."""
    for type_, keys in ((EventType.COMPLETED, noted.completes), (EventType.SUPERSEDED, noted.replaces)):
        for key in keys:
            line = known.get(key)
            if line is None:
                continue
            if not closing_bar(type_, Line(line, at_birth(line)), speaker=noted.speaker):
                yield InQuestion(place, type_, line)


def judge_as_read(proposal: Proposal, evidence: Evidence, known: Known, readings: Readings) -> Verdict:
    """Return *proposal* as verified, or why it is not, *readings* being what a second reading said."""
    key = alone(proposal)
    verdict = judge_with_near(proposal, evidence, known)
    if key in readings.held:
        return _borne_out(verdict, evidence, known)
    if isinstance(verdict, Verified) and key in readings.refused:
        why = readings.refused[key]
        return Rejected(proposal, SECOND_READING, f"read once more, it does not hold{why and ': '}{why}")
    return verdict


def _borne_out(plainly: Verdict, evidence: Evidence, known: Known) -> Verdict:
    """Return the verdict when DOUBTS are overruled; what passes without that rests on the same entries."""
    if isinstance(plainly, Verified) or plainly.other_id:
        return plainly
    return judge_with_near(plainly.proposal, evidence, known, is_borne_out=True)
