"""What observers propose, judged and counted: the way of each line from a reply to the ledger.

Every line of every reply passes the same gate (core/verification/verify), whoever proposed it. What a model
would close passes another one (core/consolidation/supersede); what is not taken of that goes on the review
list. Of several replies for one window what an earlier one has said already is not taken again. What a model
repeats of its context weighs more only when the window itself says it. Where a line of a model does not hold,
or waits to be read again, the words that were said are noted in its place (core/extraction/fallback). With
`review: all` what passes waits for the owner.

Nothing here asks a model or writes: a `Tally` is what one transaction of the ledger will hold.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass, field, replace

from scrimshaw.core.consolidation.rules import room_for
from scrimshaw.core.consolidation.supersede import (
    LEAST_CLOSED,
    Declined,
    closing_bar,
    limit_references,
    not_taken,
    without_closings,
)
from scrimshaw.core.extraction.follow_ups import told_alone
from scrimshaw.core.extraction.scorer import LOOKED_BACK, held_to_rank
from scrimshaw.core.ledger.known_lines import KnownLines
from scrimshaw.core.ledger.lifecycle import at_birth, said_again
from scrimshaw.core.ledger.observations import (
    NOT_REREAD,
    PENDING,
    WAITS,
    ReviewProposal,
    accepted,
    closings,
    in_turn,
    is_verified,
    said_at_ms,
)
from scrimshaw.core.ledger.program_lines import is_foreign
from scrimshaw.core.section.edits import OLDER_TEXT
from scrimshaw.core.types import (
    UNREAD,
    Author,
    Event,
    EventType,
    Line,
    Observation,
    Proposal,
    Readings,
    Rejected,
    Reply,
    Role,
    Standing,
    Verdict,
    Verified,
)
from scrimshaw.core.verification.judge import judge_as_read
from scrimshaw.core.verification.verify import Evidence, judge, judge_as_noted
from scrimshaw.services.observe.by_rules import quote_by_rules
from scrimshaw.services.observe.task import Observed
from scrimshaw.sources.reading import ReadProblem
from scrimshaw.store.ledger import Ledger
from scrimshaw.store.records import RunCounts, Working
from scrimshaw.store.rejections import refused_in

_CLOSES_NOTHING = frozenset({EventType.REINFORCED, EventType.SHOWN})


@dataclass
class Tally:
    """What one transaction is to hold, until the ledger has taken it."""

    covered: set[str]
    entries: int = 0
    set_aside: int = 0
    windows: int = 0
    read_tokens: int = 0
    redacted: Counter[str] = field(default_factory=Counter)
    observations: list[Observation] = field(default_factory=list)
    events: list[Event] = field(default_factory=list)
    rejected: list[ReviewProposal] = field(default_factory=list)
    pending: list[Observation] = field(default_factory=list)  # each on the list of rejected, too
    noted_by: Counter[str] = field(default_factory=Counter)
    model_trouble: str = ""
    needs_owner: bool = False
    stood_in: int = 0  # lines in the words said, in place of a model's that did not hold
    working: list[Working] = field(default_factory=list)
    ranked: int = 0  # how many of the lines, those that stand or those that wait, were held to their rank
    declined: list[ReviewProposal] = field(default_factory=list)  # what a line noted would have closed, too
    problems: list[ReadProblem] = field(default_factory=list)  # entries that the rules failed at

    def counts(self) -> RunCounts:
        """Return what this adds to its run."""
        return RunCounts(
            windows=self.windows,
            entries=self.entries,
            proposals=len(self.observations) + len(self.rejected),
            accepted=len(self.observations),
            rejected=sum(not is_verified(one.rejected.reason) for one in self.rejected),
            redacted=dict(self.redacted),
            read_tokens=self.read_tokens,
        )

    def closings(self) -> int:
        """Return how many of the events close a line."""
        return sum(event.type not in _CLOSES_NOTHING for event in self.events)

    def add_to(self, done: Observed, accepted_count: int) -> None:
        """Count this in *done*, *accepted_count* being the lines that were new to the ledger."""
        done.entries += self.entries
        done.windows += self.windows
        done.accepted += accepted_count
        done.pending += len(self.pending)
        reasons = Counter(one.rejected.reason for one in self.rejected)
        done.pending += reasons[NOT_REREAD]
        del reasons[PENDING], reasons[NOT_REREAD]
        done.rejected.update(reasons)
        done.redacted.update(self.redacted)
        done.set_aside += self.set_aside
        done.noted_by.update(self.noted_by)
        done.model_trouble = self.model_trouble or done.model_trouble
        done.needs_owner |= self.needs_owner
        done.stood_in += self.stood_in
        if dropped := sum(one.state.dropped for one in self.working):
            done.rejected["task"] += dropped
        done.closed += self.closings()
        done.declined += len(self.declined)
        done.tell(self.problems)


class Gate:
    """Judges for one run; *known* is what the ledger holds and what was let through since."""

    def __init__(self, ledger: Ledger, *, run_id: str, at_ms: int, reviews_all: bool) -> None:
        self._ledger, self._run_id, self._at_ms = ledger, run_id, at_ms
        self._reviews_all = reviews_all
        self._pending: dict[str, Observation] = {}  # through the gate, and before the owner now
        self._standings: dict[str, Standing] = {}
        self.known = KnownLines()
        self.renew()

    def renew(self) -> None:
        """Look again at what the ledger holds: another process has written, or ours was not taken."""
        lines = self._ledger.live_lines()
        self._standings = {line.observation.id: line.standing for line in lines}
        # What came from another program's file is nobody's word: it makes no line a repetition.
        self.known = KnownLines(line.observation for line in lines if not is_foreign(line.observation))
        for observation in self._pending.values():
            self.known.add(observation)

    def confirm(self, tally: Tally) -> None:
        """Take what *tally* laid before the owner as done: the ledger holds it."""
        self._pending.update((made.id, made) for made in tally.pending)

    def take(
        self,
        reply: Reply,
        evidence: Evidence,
        tally: Tally,
        *,
        fresh: Collection[str] | None = None,
        reinforces: bool = True,
        readings: Readings = UNREAD,
    ) -> None:
        """Judge each line of *reply* and put what comes of it into *tally*.

        Of lines that rest on other entries than *fresh* alone nothing is kept: another run has covered those.
        With *reinforces* a line that is there weighs more when it is said again. *readings* are what a second
        reading of a model's lines said.
        """
        before = {made.id for made in tally.observations} if fresh is not None else set()
        before |= self._pending.keys() | {made.id for made in tally.pending}
        tally.rejected += [refused_in(evidence.window, one, reply.author) for one in reply.rejected]
        room = max(LEAST_CLOSED, room_for(len(self.known)))
        for proposal in reply.proposals:
            if fresh is not None and not set(fresh).intersection(proposal.sources):
                continue
            declined: tuple[Declined, ...] = ()
            if reply.author is Author.MODEL:
                left = room - tally.closings()
                proposal, declined = limit_references(
                    proposal, evidence, self._line, room=left, readings=readings
                )
            match self._judged(proposal, reply.author, evidence, readings):
                case Rejected(other_id=twin) if twin and twin in before:
                    continue
                case Rejected() as rejected:
                    tally.rejected.append(refused_in(evidence.window, rejected, reply.author))
                    self._close_by_twin(rejected, declined, reply.author, evidence, tally)
                    is_again = reinforces and bool(rejected.other_id)
                    if is_again and self._is_said_again(rejected, reply.author, evidence, tally):
                        # Adds no new line, but reinforces the existing one (rule 19).
                        again = said_again(
                            rejected.other_id,
                            said_at_ms(proposal, evidence.window),
                            at_ms=self._at_ms,
                            by=self._run_id,
                        )
                        tally.events.append(again)
                        tally.events += self._shown_again(again.observation_id, proposal, evidence)
                case Verified(verified):
                    made = self._let_through(verified, reply.author, evidence, tally)
                    if made is not None and reply.author is Author.MODEL:
                        before.add(made.id)
                        tally.declined += [
                            refused_in(evidence.window, not_taken(verified, one), reply.author)
                            for one in declined
                        ]

    def stand_in(
        self, evidence: Evidence, tally: Tally, *, fresh: Collection[str], mended: Collection[str] = ()
    ) -> None:
        """Note the words said in place of what *tally* holds refused of a model's lines.

        After all replies for the window were taken: what one of them told rightly is not told again. Nothing
        stands in for the texts *mended*: the model's own second try does.
        """
        of_model = [one.rejected for one in tally.rejected if one.author is Author.MODEL]
        refused = [one for one in of_model if one.proposal.text not in mended]
        taken = [*tally.observations, *tally.pending]
        instead, problems = quote_by_rules(refused, taken, evidence.window, self.known)
        tally.problems += problems
        # Known lines were counted when they were reported: once for each time they were said.
        self.take(instead, evidence, tally, fresh=fresh, reinforces=False)
        tally.stood_in += len(tally.observations) + len(tally.pending) - len(taken)

    def hold_to_rank(self, tally: Tally) -> None:
        """Hold the lines that *tally* has of one window, those since the last time, to their rank."""
        lines = tally.pending if self._reviews_all else tally.observations
        start = tally.ranked
        before = [*self._ledger.newest_priorities(LOOKED_BACK), *(made.priority for made in lines[:start])]
        lines[start:] = held_to_rank(lines[start:], before)
        tally.ranked = len(lines)
        for made in lines[start:]:
            self.known.keep_rank(made)
        # Waiting proposals are also in the list of rejected ones, in the same order.
        waiting = [at for at, one in enumerate(tally.rejected) if one.rejected.reason == PENDING]
        for at, made in zip(waiting, tally.pending, strict=True):
            refused = tally.rejected[at]
            proposal = replace(refused.rejected.proposal, priority=made.priority)
            tally.rejected[at] = refused._replace(rejected=replace(refused.rejected, proposal=proposal))

    def _judged(self, proposal: Proposal, author: Author, evidence: Evidence, readings: Readings) -> Verdict:
        if author is not Author.MODEL:
            return judge_as_noted(self._as_allowed(proposal), evidence, self.known)
        verdict = judge_as_read(proposal, evidence, self.known, readings)
        if isinstance(verdict, Rejected) and verdict.reason == NOT_REREAD and self._reviews_all:
            return Verified(verdict.proposal)  # the owner reads it
        return verdict

    def _as_allowed(self, proposal: Proposal) -> Proposal:
        """Return *proposal*, told alone where what it follows up is no run's to tell again."""
        before = self._line(proposal.replaces[0]) if proposal.retells and proposal.replaces else None
        is_barred = before is not None and closing_bar(EventType.SUPERSEDED, before, speaker=None)
        return told_alone(proposal) if is_barred else proposal

    def _let_through(
        self, proposal: Proposal, author: Author, evidence: Evidence, tally: Tally
    ) -> Observation | None:
        made = accepted(proposal, evidence.window, author=author, run_id=self._run_id)
        noted = tally.pending if self._reviews_all else tally.observations
        made = in_turn(made, noted[tally.ranked :])
        if self._ledger.tombstoned(made) is not None:
            reason = "a person took this out of the section before"
            taken_out = Rejected(proposal, "deleted-by-hand", reason)
            tally.rejected.append(refused_in(evidence.window, taken_out, author))
            return None
        self.known.add(made)
        if self._reviews_all:
            tally.pending.append(made)
            waiting = Rejected(proposal, PENDING, WAITS)
            tally.rejected.append(refused_in(evidence.window, waiting, author))
            return made
        tally.observations.append(made)
        self._close(proposal, made, tally)
        return made

    def _close_by_twin(
        self,
        rejected: Rejected,
        declined: tuple[Declined, ...],
        author: Author,
        evidence: Evidence,
        tally: Tally,
    ) -> None:
        """Have the line that is there close what one that says the same would have closed."""
        twin = self.known.get(rejected.other_id)
        if author is not Author.MODEL or twin is None:
            return
        proposal = replace(rejected.proposal, text=twin.text, done=twin.done)
        self._close(proposal, replace(twin, run_id=self._run_id), tally)
        tally.declined += [refused_in(evidence.window, not_taken(proposal, one), author) for one in declined]

    def _close(self, proposal: Proposal, by: Observation, tally: Tally) -> None:
        events = closings(proposal, by, self._at_ms, self.known.get)
        for event in events:
            closed = self._line(event.observation_id)
            # Whoever proposed it: what a person pinned, hid or got back no run closes.
            if event.observation_id != by.id and not closing_bar(event.type, closed, speaker=None):
                tally.events.append(event)
                self.known.close(event.observation_id)

    def _line(self, id_: str) -> Line | None:
        observation = self.known.get(id_)
        if observation is None:
            return None
        return Line(observation, self._standings.get(id_) or at_birth(observation))

    def _shown_again(self, id_: str, proposal: Proposal, evidence: Evidence) -> list[Event]:
        """Return what shows a line that the person put away, with an older text, and says later (rule 8)."""
        standing = self._standings.get(id_)
        if standing is None or not standing.is_set_aside or proposal.speaker is not Role.USER:
            return []
        hides = [one.event for one in self._ledger.events_of(id_) if one.event.type is EventType.TRIMMED]
        is_put_away = bool(hides) and hides[-1].reason == OLDER_TEXT
        if not is_put_away or said_at_ms(proposal, evidence.window) <= hides[-1].at_ms:
            return []
        return [Event(EventType.SHOWN, id_, self._at_ms, self._run_id, reason="the person said it again")]

    def _is_said_again(self, rejected: Rejected, author: Author, evidence: Evidence, tally: Tally) -> bool:
        """Whether a line that is there was really said once more.

        The rules speak only of what stands in the window. A model sees the lines that are there: one that it
        merely repeats, or repeats again and again, gains nothing.
        """
        if author is not Author.MODEL:
            return True
        if any(event.observation_id == rejected.other_id for event in tally.events):
            return False
        twin = self.known.get(rejected.other_id)
        if twin is not None and twin.speaker is not rejected.proposal.speaker:
            return False  # a page that repeats what the person said is no word of theirs
        return isinstance(judge(without_closings(rejected.proposal), evidence, KnownLines()), Verified)
