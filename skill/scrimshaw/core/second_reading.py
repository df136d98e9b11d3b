"""What follows from a second reading (core/dialogue/reading): it may refuse any line, and lift doubts alone.

The gate's rules by form see a denial put in or left out in the same words; what is turned round in other
words takes one who reads. So a model is asked once more, with nothing but the notes and their entries. Where
it says that a line does not hold, the line is refused as by any rule. Where it says that it holds, only the
rules of `core/verify.DOUBTS` are overruled: each literal must stand in the entries all the same, and no
sentence of theirs passes with a denial more. Without an answer the gate's own verdict stands. What a model
says twice is still a model's word: what rule 16 promises rests on the gate, not on this.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Literal, NamedTuple

from scrimshaw.core.claims import Known
from scrimshaw.core.dialogue.reading import Judged
from scrimshaw.core.dialogue.reply import SECOND_READING
from scrimshaw.core.model import Proposal, Readings, Rejected, Verdict, Verified
from scrimshaw.core.near_by import judge_with_near
from scrimshaw.core.verify import Evidence

Extent = Literal["off", "doubtful", "all"]


class ToRead(NamedTuple):
    """Lines to be read once more, each as it was proposed and as it would be noted."""

    proposed: tuple[Proposal, ...]
    noted: tuple[Proposal, ...]  # may cite an entry more

    def readings(self, judged: Judged) -> Readings:
        """Return what *judged*, an answer about `noted`, says of the lines as they were proposed."""
        said = dict(zip(map(_key, self.proposed), judged, strict=True))
        held = frozenset(key for key, why in said.items() if why is None)
        return Readings(held, {key: why for key, why in said.items() if why is not None})


def to_read(proposals: Iterable[Proposal], evidence: Evidence, known: Known, extent: Extent) -> ToRead:
    """Return those of *proposals* that a second reading can do something for.

    "doubtful": what DOUBTS alone refuse. "all": what would be noted, too. What another rule refuses, and what
    is known already, is no matter of reading.
    """
    found: dict[Proposal, tuple[Proposal, Proposal]] = {}
    for proposal in proposals if extent != "off" else ():
        plainly = judge_with_near(proposal, evidence, known)
        match _borne_out(plainly, evidence, known):
            case Verified(noted) if extent == "all" or isinstance(plainly, Rejected):
                found.setdefault(_key(proposal), (proposal, noted))
    return ToRead(tuple(one for one, _ in found.values()), tuple(noted for _, noted in found.values()))


def judge_as_read(proposal: Proposal, evidence: Evidence, known: Known, readings: Readings) -> Verdict:
    """Return *proposal* as verified, or why it is not, *readings* being what a second reading said."""
    key = _key(proposal)
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


def _key(proposal: Proposal) -> Proposal:
    """Return what a reading of *proposal* is known by: what it would close is judged elsewhere."""
    return replace(proposal, replaces=(), withdraws=(), completes=())
