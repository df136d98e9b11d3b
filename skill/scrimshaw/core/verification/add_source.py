"""A line of a model that cites too few entries: what it lacks may stand right before what it cites.

"User approved the refund for ticket 5512" rests on the person's "refund yes" and on the entry that named the
ticket, and a model often cites the first alone. So where a literal or most words are missing, each of the few
entries before is tried as one more source, and the gate judges anew. Nothing else gets wider: the entry has
to speak of the line's matter, what a tool printed fills up no word of the person's, and one is all there is.
The call that a cited result answers is read with it, however far it stands.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from scrimshaw.core.ledger.known_lines import Known
from scrimshaw.core.text.normalize import normal
from scrimshaw.core.text.stems import ABOUT_ANYBODY, split_words
from scrimshaw.core.types import MAX_SOURCES, Proposal, Rejected, Role, Verdict, Verified
from scrimshaw.core.verification.verify import Evidence, judge

# Not a day or a time: another entry's is too easily the wrong one.
_LACKING = frozenset({"name", "identifier", "number", "quotation", "unsupported"})
_MOST_BACK = 6  # entries
_LEAST_SHARED = 2  # words


def judge_with_near(proposal: Proposal, evidence: Evidence, known: Known) -> Verdict:
    """Return *proposal* as verified, with one source more where that is what it lacked, or why it is not."""
    verdict = judge(proposal, evidence, known)
    if not isinstance(verdict, Rejected) or verdict.reason not in _LACKING:
        return verdict
    for source in _near(proposal, evidence):
        sources = tuple(id_ for id_ in evidence.witnesses if id_ == source or id_ in proposal.sources)
        wider = judge(replace(proposal, sources=sources), evidence, known)
        if isinstance(wider, Verified) or wider.other_id:
            return wider
    return verdict


def _near(proposal: Proposal, evidence: Evidence) -> Iterator[str]:
    """Yield the entries before the last one cited that may hold what is missing, the nearest first."""
    ids = list(evidence.witnesses)
    places = [ids.index(source) for source in proposal.sources if source in evidence.witnesses]
    if not places or len(places) >= MAX_SOURCES:
        return
    words = split_words(normal(proposal.text)) - ABOUT_ANYBODY
    held = frozenset().union(*(evidence.witnesses[ids[place]].words for place in places))
    results = {evidence.witnesses[ids[place]].entry.call_id for place in places} - {""}
    for place in range(max(places) - 1, -1, -1):
        witness = evidence.witnesses[ids[place]]
        is_call = any(call.call_id in results for call in witness.entry.calls)
        if is_call and place not in places:
            yield ids[place]
        if is_call or place < max(places) - _MOST_BACK:
            continue
        shared = words & witness.words
        is_filled = witness.entry.role is Role.TOOL and proposal.speaker is Role.USER
        if place not in places and not is_filled and len(shared) >= _LEAST_SHARED and shared - held:
            yield ids[place]
