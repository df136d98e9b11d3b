"""The way from entries to a section, in memory: windows, rules, verification, standing, fold.

What the worker does with a ledger and files, without either, so that quality can be measured in seconds.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from datetime import date
from functools import partial

from scrimshaw.core.consolidation.expiry import expired
from scrimshaw.core.consolidation.rules import reflect, room_for
from scrimshaw.core.consolidation.supersede import LEAST_CLOSED, limit_references
from scrimshaw.core.extraction import observe
from scrimshaw.core.extraction.fallback import quote_instead
from scrimshaw.core.extraction.scorer import LOOKED_BACK, held_to_rank
from scrimshaw.core.ledger.known_lines import KnownLines
from scrimshaw.core.ledger.lifecycle import at_birth, standing_after
from scrimshaw.core.ledger.observations import accepted, closings, in_turn
from scrimshaw.core.section.select import fold, trim
from scrimshaw.core.transcript.windows import windows
from scrimshaw.core.types import (
    Author,
    Entry,
    Event,
    EventType,
    Line,
    Observation,
    Proposal,
    Rejected,
    Reply,
    Session,
    Verified,
    Window,
)
from scrimshaw.core.verification.find_sources import judge_with_near
from scrimshaw.core.verification.verify import Evidence, judge_as_noted, prepare

Observer = Callable[[Window, KnownLines], Reply]
_rules: list[Observer] = [observe]  # the last is used
_NEWEST = 20  # lines among which those of the same message are


def weigh_by_meaning() -> None:
    """Let the rules weigh by meaning, too, from here on; needs the extra `semantic`."""
    from scrimshaw.index.reading import Reading, lacking

    if lacks := lacking():
        raise SystemExit(f"--by-meaning: {lacks}\nNext: install the extra `semantic`")
    _rules.append(partial(observe, reads=Reading().read))


class Memory:
    """Accepted observations with their standing, as a ledger would hold them."""

    def __init__(self, zone: str = "UTC", observer: Observer | None = None) -> None:
        self.zone = zone
        self.windows: list[Window] = []
        self.lines: dict[str, Line] = {}
        self.rejected: list[tuple[str, str, str]] = []
        self._known = KnownLines()
        self._newest: list[Observation] = []
        self._observer = observer or _rules[-1]

    def feed(self, session: Session, entries: Iterable[Entry]) -> None:
        """Observe *entries* of one session."""
        for window in windows(session, entries, self.zone):
            self.windows.append(window)
            evidence = prepare(window)
            noted = list(self.lines)
            reply = self._observer(window, self._known)
            refused = self._judge(reply, evidence)
            if reply.author is Author.MODEL:
                lines = (line.observation for line in self.lines.values())
                taken = [line for line in lines if line.session_id == session.session_id]
                self._judge(quote_instead(refused, taken, window, self._known), evidence)
            self._hold_to_rank(noted)

    def _hold_to_rank(self, noted: list[str]) -> None:
        """Hold the lines of a window to their rank, *noted* being those of the windows before."""
        fresh = [line.observation for key, line in self.lines.items() if key not in set(noted)]
        before = [self.lines[key].observation.priority for key in noted[-LOOKED_BACK:]]
        for made in held_to_rank(fresh, before):
            self.lines[made.id] = self.lines[made.id]._replace(observation=made)
            self._known.keep_rank(made)

    def _judge(self, reply: Reply, evidence: Evidence) -> list[Rejected]:
        """Take what holds of *reply* and return what does not."""
        refused = []
        room = max(LEAST_CLOSED, room_for(len(self.live())))
        for proposal in reply.proposals:
            if reply.author is Author.MODEL:
                proposal = limit_references(proposal, evidence, self._live_line, room=room).proposal
                room -= len(proposal.replaces) + len(proposal.completes)
            judges = judge_with_near if reply.author is Author.MODEL else judge_as_noted
            match judges(proposal, evidence, self._known):
                case Verified(verified):
                    self._take(verified, evidence.window, reply.author)
                case Rejected() as rejected:
                    refused.append(rejected)
                    self.rejected.append((rejected.reason, rejected.detail, rejected.proposal.text))
        return refused

    def live(self) -> list[Line]:
        """Return the lines that still hold."""
        return [line for line in self.lines.values() if line.standing.is_live]

    def _live_line(self, id_: str) -> Line | None:
        line = self.lines.get(id_)
        return line if line is not None and line.standing.is_live else None

    def texts(self) -> list[str]:
        """Return every text ever accepted: what the dated files hold."""
        return [line.observation.text for line in self.lines.values()]

    def _take(self, proposal: Proposal, window: Window, author: Author) -> None:
        observation = accepted(proposal, window, author=author, run_id="bench")
        observation = in_turn(observation, self._newest)
        if observation.id in self.lines:
            return
        self.lines[observation.id] = Line(observation, at_birth(observation))
        self._newest = [*self._newest[-_NEWEST:], observation]
        self._known.add(observation)
        for event in closings(proposal, observation, observation.said_at_ms, self._known.get):
            line = self.lines[event.observation_id]
            self.lines[event.observation_id] = line._replace(standing=standing_after(line.standing, event))
            self._known.close(event.observation_id)


def reflected(memory: Memory) -> Memory:
    """Return a copy of *memory* after as many cycles of the reflector as it takes."""
    fresh = Memory(memory.zone)
    fresh.lines = dict(memory.lines)
    fresh.rejected = memory.rejected
    while (reflection := reflect(fresh.live())).changes:
        for change in reflection.changes:
            line = fresh.lines[change.id]
            event = change.event(line.observation.said_at_ms, "bench")
            fresh.lines[change.id] = line._replace(standing=standing_after(line.standing, event))
    return fresh


def changes_told(memory: Memory) -> list[str]:
    """Return what the reflector's first cycle changes, each with the lines it is about."""
    told = []
    for change in reflect(memory.live()).changes:
        if change.type is not EventType.REINFORCED:
            told.append(f"  {change.type} ({change.reason}): {memory.lines[change.id].observation.text}")
            if change.other_id:
                told.append(f"    → {memory.lines[change.other_id].observation.text}")
    return told


def section_lines(memory: Memory, budget_units: int, today: date | None = None) -> list[str]:
    """Return the lines of the section of *budget_units* as a run leaves it *today* (by default: newest)."""
    return fold(shown(memory, budget_units, today), budget_units, zone=memory.zone).body.split("\n")


def shown(memory: Memory, budget_units: int, today: date | None = None) -> list[Line]:
    """Return what stands in that section, each line with its part."""
    lines = list(map(_expired_on(memory, today), memory.live()))
    hidden = set(trim(lines, budget_units, zone=memory.zone).hide)
    return [line for line in lines if line.observation.id not in hidden]


def _expired_on(memory: Memory, today: date | None) -> Callable[[Line], Line]:
    """Return what makes of a line what *today*, or else the newest line's day, has made of it."""
    newest = max(memory.live(), key=lambda line: line.observation.said_at_ms, default=None)
    said = newest.observation if newest else None
    day = today or (date.fromisoformat(said.local_date) if said else date.min)
    over = set(expired(memory.live(), day))

    def aged(line: Line) -> Line:
        if line.observation.id not in over or said is None:
            return line
        event = Event(EventType.EXPIRED, line.observation.id, said.said_at_ms, "bench")
        return line._replace(standing=standing_after(line.standing, event))

    return aged


def counts(memory: Memory) -> Counter[str]:
    """Return how many lines there are of each kind and standing."""
    return Counter(
        f"{line.observation.kind}:{line.standing.closed or 'live'}" for line in memory.lines.values()
    )
