"""What follows from a second reading (core/dialogue/reading): it may refuse any line, and lift doubts alone.

The gate's rules by form see a denial put in or left out in the same words; what is turned round in other
words takes one who reads. So a model is asked once more, with nothing but the notes and their entries. Where
it says that a line does not hold, the line is refused as by any rule. Where it says that it holds, only the
rules of `core/verify.DOUBTS` are overruled: no literal, no speaker, no plain denial. Without an answer the
gate's own verdict stands. What a model says twice is still a model's word: what rule 16 promises rests on
the gate, not on this.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Literal, NamedTuple

from scrimshaw.core.claims import Known
from scrimshaw.core.dialogue.reading import Judged
from scrimshaw.core.model import Proposal, Rejected, Role, Verdict, Verified
from scrimshaw.core.near_by import judge_with_near
from scrimshaw.core.verify import Evidence

REASON = "second-reading"
Extent = Literal["off", "doubtful", "all"]

_Key = tuple[str, Role, tuple[str, ...]]


class Readings(NamedTuple):
    """What a second reading said of lines, by what they say and cite."""

    held: frozenset[_Key] = frozenset()
    refused: Mapping[_Key, str] = MappingProxyType({})  # and why, as far as the model said


UNREAD = Readings()


class ToRead(NamedTuple):
    """Lines to be read once more, each as it was proposed and as it would be noted."""

    proposed: tuple[Proposal, ...]
    noted: tuple[Proposal, ...]  # may cite an entry more

    def readings(self, judged: Judged) -> Readings:
        """Return what *judged*, an answer about `noted`, says of the lines as they were proposed."""
        said = list(zip(map(_key, self.proposed), judged, strict=True))
        refused = {key: why for key, why in said if why is not None}
        return Readings(frozenset(key for key, why in said if why is None and key not in refused), refused)


def to_read(proposals: Iterable[Proposal], evidence: Evidence, known: Known, extent: Extent) -> ToRead:
    """Return those of *proposals* that a second reading can do something for.

    "doubtful": what DOUBTS alone refuse. "all": what would be noted, too. What another rule refuses, and what
    is known already, is no matter of reading.
    """
    found: dict[_Key, tuple[Proposal, Proposal]] = {}
    for proposal in proposals if extent != "off" else ():
        match judge_with_near(proposal, evidence, known, is_borne_out=True):
            case Verified(noted) if extent == "all" or _is_doubted(proposal, evidence, known):
                found.setdefault(_key(proposal), (proposal, noted))
    return ToRead(tuple(one for one, _ in found.values()), tuple(noted for _, noted in found.values()))


def judge_as_read(proposal: Proposal, evidence: Evidence, known: Known, readings: Readings) -> Verdict:
    """Return *proposal* as verified, or why it is not, *readings* being what a second reading said."""
    key = _key(proposal)
    verdict = judge_with_near(proposal, evidence, known, is_borne_out=key in readings.held)
    if isinstance(verdict, Verified) and key in readings.refused:
        why = readings.refused[key]
        return Rejected(proposal, REASON, f"read once more, it does not hold{why and ': '}{why}")
    return verdict


def _is_doubted(proposal: Proposal, evidence: Evidence, known: Known) -> bool:
    return isinstance(judge_with_near(proposal, evidence, known), Rejected)


def _key(proposal: Proposal) -> _Key:
    return proposal.text, proposal.speaker, proposal.sources
