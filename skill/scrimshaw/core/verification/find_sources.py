"""Which entries a line rests on that cites none, or one too few.

A model often cites the person's "refund yes" alone, and not the entry before that named the ticket. So
where a literal or most words are missing, `judge_with_near` has each of the few entries before tried as
one more source, and the gate judges anew. The entry has to speak of the line's matter, what a tool
printed fills up no word of the person's, and one is all there is. The call that a cited result answers is
read with it, however far it stands.

Who writes by hand cites none, so `cited` looks for the fewest that the gate accepts: one entry that
verifies the line alone, of those that hold most of it; else the one that holds most, and then, as long as
the gate says no, the one beside it that brings it furthest. No model reads such a line again, so it is
held to more. What it denies or opposes in the entries it is refused for. Entries that do not speak of its
matter have to stand close to one that does: a figure from last week and a sentence of today prove nothing
together. Half of its words have to be theirs. A short reply has to say yes, and to be the first word
after what it answers. What the person said is not filled up with what a tool printed: a web page would
put its account number into it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import chain
from math import inf

from scrimshaw.core.language import fillers
from scrimshaw.core.ledger.known_lines import KnownLines
from scrimshaw.core.text.normalize import normal
from scrimshaw.core.text.stems import ABOUT_ANYBODY, share_held, split_words
from scrimshaw.core.types import MAX_SOURCES, Kind, Proposal, Rejected, Role, Verdict, Verified
from scrimshaw.core.verification.polarity import contradiction, stances
from scrimshaw.core.verification.source import Witness
from scrimshaw.core.verification.verify import CHECKS, Evidence, judge

_REASONS = dict.fromkeys(reason for reason, _ in CHECKS)
_ORDER = {reason: number for number, reason in enumerate(_REASONS)}
# Another entry may say nothing against it; that makes it no better.
_FINAL = frozenset({"form", "control", "injection", "polarity"})
_MOST_ALONE = 8
_MOST_TRIED = 40
_CLOSE_BY = 4  # entries: an exchange, or an answer and what it answers
_WISH_SHARE = 0.34  # as the gate has it (core/verification/verify)
_FACT_SHARE = 0.5  # that the person stated it, and did not only speak of the same things
_QUESTION = re.compile(r"[^.!?\n]*\?")
# Not a day or a time: another entry's is too easily the wrong one.
_LACKING = frozenset({"name", "identifier", "number", "quotation", "unsupported"})
_MOST_BACK, _LEAST_SHARED = 6, 2  # entries, words


def cited(proposal: Proposal, evidence: Evidence, known: KnownLines) -> Verdict:
    """Return *proposal* with the entries of *evidence* that verify it, or how it fails at best."""
    search = _Search(proposal, evidence, known)
    best = search.alone()
    while isinstance(best, Rejected) and not _is_done(best):
        if len(best.proposal.sources) >= MAX_SOURCES:
            break
        wider = search.wider(best)
        if wider is None:
            break
        best = wider
    return best


def reach(reason: str) -> int:
    """Return how far a line rejected for *reason* came through the checks."""
    return _ORDER.get(reason, -1)


def _is_done(verdict: Verdict) -> bool:
    return isinstance(verdict, Verified) or bool(verdict.other_id) or verdict.reason in _FINAL


class _Search:
    """Which entries were tried; a class, because it weighs each entry's words once for all."""

    def __init__(self, proposal: Proposal, evidence: Evidence, known: KnownLines) -> None:
        self._proposal, self._evidence, self._known = proposal, evidence, known
        self._order = {id_: at for at, id_ in enumerate(evidence.witnesses)}
        self._words = split_words(normal(proposal.text))
        self._stances = stances(normal(proposal.text))
        self._is_wish = proposal.kind in (Kind.DECISION, Kind.PREFERENCE, Kind.NEXT_STEP)

    def alone(self) -> Verdict:
        """Return the verdict by the one entry that verifies the proposal, or by the one that holds most.

        Of several that hold as much: one of the speaker's, then the newest.
        """
        speaker = self._proposal.speaker
        nearest = sorted(
            self._order,
            key=lambda id_: (
                self._held((id_,)),
                self._witness(id_).entry.role is speaker,
                self._order[id_],
            ),
            reverse=True,
        )
        verdicts = (self.judged((id_,)) for id_ in nearest[:_MOST_ALONE])
        first = next(verdicts)
        return first if _is_done(first) else next(filter(_is_done, verdicts), first)

    def wider(self, best: Rejected) -> Rejected | Verified | None:
        """Return the verdict with the one more entry that brings *best* furthest; None when none does."""
        sources = best.proposal.sources
        reached, found = (self._rank(best), self._held(sources)), None
        for id_ in self._candidates(sources):
            verdict = self.judged((*sources, id_))
            here = (self._rank(verdict), self._held((*sources, id_)))
            if here > reached:
                reached, found = here, verdict
                if isinstance(verdict, Verified):
                    break
        return found

    def judged(self, sources: tuple[str, ...]) -> Verdict:
        """Return how the proposal fares with *sources*."""
        ordered = tuple(sorted(sources, key=self._order.__getitem__))
        verdict = judge(replace(self._proposal, sources=ordered), self._evidence, self._known)
        if not isinstance(verdict, Verified):
            return verdict
        if turned := self._turned(ordered):
            return Rejected(verdict.proposal, "polarity", turned)
        if self._proposal.speaker is Role.USER and not self._is_said_by_user(ordered):
            return Rejected(verdict.proposal, "speaker", "the person's own words do not say this")
        if self._proposal.speaker is Role.USER and self._is_filled_by_tool(ordered):
            return Rejected(verdict.proposal, "speaker", "a part of this was printed by a tool, not said")
        share = self._share(frozenset().union(*(self._witness(id_).words for id_ in ordered)))
        if share < _FACT_SHARE:
            told = f"only {share:.0%} of its words stand in the entries that hold the rest"
            return Rejected(verdict.proposal, "unsupported", told)
        return verdict

    def _turned(self, sources: tuple[str, ...]) -> str:
        """Return what the line turns round: nobody reads an agent's note a second time."""
        near = [self._witness(id_).text_near(self._words) for id_ in sources]
        return contradiction(
            self._stances, tuple(chain.from_iterable(stances(normal(text)) for text in near))
        )

    def _share(self, held: frozenset[str]) -> float:
        """Return how much of the line stands in *held*, but for its figures: the gate looks for each."""
        words = frozenset(word for word in self._words if not any(map(str.isdigit, word)))
        return share_held(words, held) if words else 1.0

    def _is_said_by_user(self, sources: tuple[str, ...]) -> bool:
        """Tell whether the person said it in the entries cited, or said yes to the one before."""
        users = [w for id_ in sources if (w := self._witness(id_)).entry.role is Role.USER]
        said = frozenset().union(*map(self._told, users))
        if self._share(said) >= (_WISH_SHARE if self._is_wish else _FACT_SHARE):
            return True
        return any(
            fillers.CONFIRM.match(user.spoken) and self._answered(user.entry.entry_id) in sources
            for user in users
        )

    def _is_filled_by_tool(self, sources: tuple[str, ...]) -> bool:
        """Tell whether an entry of a tool holds words of the line that nobody has said in those cited."""
        found = [self._witness(id_) for id_ in sources]
        said = frozenset().union(*(w.words for w in found if w.entry.role is not Role.TOOL))
        printed = frozenset().union(*(w.words for w in found if w.entry.role is Role.TOOL))
        return bool(self._words & printed - said)

    def _told(self, user: Witness) -> frozenset[str]:
        """Return the words of what *user* states; a question asks for a fact, and may well say a wish."""
        if self._is_wish:
            return user.spoken_words
        return split_words(normal(_QUESTION.sub(" ", user.spoken)))

    def _answered(self, id_: str) -> str:
        """Return the assistant's entry right before *id_*; "" when something else stands there."""
        at = self._order[id_] - 1
        before = list(self._order)[at] if at >= 0 else ""
        return before if before and self._witness(before).entry.role is Role.ASSISTANT else ""

    def _candidates(self, sources: tuple[str, ...]) -> list[str]:
        """Return what may help: entries with words still missing, then the speaker's; newest first."""
        rest = [id_ for id_ in reversed(self._order) if id_ not in sources and self._is_near(id_, sources)]
        lacking = self._words - frozenset().union(*(self._witness(id_).words for id_ in sources))
        gains = {id_: len(lacking & self._witness(id_).words) for id_ in rest}
        speaker = self._proposal.speaker
        rest.sort(key=lambda id_: (-gains[id_], self._witness(id_).entry.role is not speaker))
        return rest[:_MOST_TRIED]

    def _is_near(self, id_: str, sources: tuple[str, ...]) -> bool:
        """Tell whether an entry speaks of the line's matter, or stands close to one cited that does."""
        places = [self._order[source] for source in sources]
        if any(abs(self._order[id_] - place) <= _CLOSE_BY for place in places):
            return True
        return self._share(self._witness(id_).words) >= _WISH_SHARE

    def _rank(self, verdict: Verdict) -> float:
        """Return how far a proposal came through the checks."""
        if isinstance(verdict, Verified) or verdict.other_id:
            return inf
        return reach(verdict.reason)

    def _held(self, sources: tuple[str, ...]) -> int:
        """Return how much of the line stands in *sources*; the speaker's own words count twice."""
        found = [self._witness(id_) for id_ in sources]
        words = frozenset().union(*(one.words for one in found))
        if self._proposal.speaker is not Role.USER:
            return len(self._words & words)
        spoken = frozenset().union(*(one.spoken_words for one in found if one.entry.role is Role.USER))
        return len(self._words & words) + len(self._words & spoken)

    def _witness(self, id_: str) -> Witness:
        return self._evidence.witnesses[id_]


def judge_with_near(proposal: Proposal, evidence: Evidence, known: KnownLines) -> Verdict:
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
