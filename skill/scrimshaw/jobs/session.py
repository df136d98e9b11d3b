"""One session's way into the ledger: redact, cut into windows, observe, verify, accept.

A session is worked through in stretches of bounded size. What one stretch yields becomes true in one
transaction: the observations, what they close, what was rejected, which entries are covered and how
far the source was read. So a kill at any moment loses nothing and doubles nothing, and two processes
may observe the same session at once: the slower one is told so by the ledger, forgets what it made of
that stretch and looks again.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from scrimshaw.clock import milliseconds
from scrimshaw.config import seconds
from scrimshaw.core import policy
from scrimshaw.core.accepting import accepted, closings
from scrimshaw.core.claims import Known
from scrimshaw.core.lines import visible
from scrimshaw.core.model import (
    Author,
    Entry,
    Event,
    EventType,
    Observation,
    Proposal,
    Rejected,
    Role,
    Verified,
    Window,
)
from scrimshaw.core.rules import observe as observe_by_rules
from scrimshaw.core.verify import judge, prepare
from scrimshaw.core.window import estimate_tokens, windows
from scrimshaw.errors import Exit, UserError
from scrimshaw.jobs.target import Target
from scrimshaw.jobs.task import Observed, Stopped, Task, read_from
from scrimshaw.redact import redact
from scrimshaw.sources.reading import Page, SessionState, Source, Unopened
from scrimshaw.store.ledger import Ledger
from scrimshaw.store.records import Accepted, Batch, Conflict, Cursor, RunCounts

# A stretch holds at most about this much text; with it a run's memory is bounded.
_STRETCH_CHARS = 2_000_000
_STRETCH_ENTRIES = 4_000
_MOST_TRIES = 20


class _Stretch(NamedTuple):
    """A piece of one session with the cursor that holds once it is accepted."""

    entries: list[Entry]
    cursor: str | None  # None: not yet, more of the same page is to come
    is_last: bool


class Worker:
    """Works sessions through, one after the other; what is known so far lives as long as the run."""

    def __init__(self, target: Target, ledger: Ledger, task: Task, done: Observed) -> None:
        self._target = target
        self._ledger = ledger
        self._task = task
        self._done = done
        self._known = _known(ledger)

    def work_through(self, source: Source, state: SessionState, cursor: str | None) -> None:
        """Observe what *state*'s session holds after *cursor*."""
        try:
            for stretch in self._stretches(state, source.pages(state, cursor)):
                self._take(source, state, stretch)
                if not stretch.is_last and self._task.is_out_of_time():
                    self._done.left_waiting += 1
                    return
        except Unopened as closed:
            self._done.tell([closed.problem])

    def _stretches(self, state: SessionState, pages: Iterator[Page]) -> Iterator[_Stretch]:
        held: list[Entry] = []
        size = 0
        before = last = None
        for page in read_from(pages):
            self._task.on_read(page.read_bytes)
            self._done.tell(page.problems)
            self._done.skipped.update(page.skipped)
            if last is not None and (size > _STRETCH_CHARS or len(held) > _STRETCH_ENTRIES):
                # Whole exchanges: what follows the last user entry waits for the next page, and so
                # does the cursor; entries read again after a crash are known as covered.
                ready, waiting = _cut(held)
                yield _Stretch(ready, _cursor_before(waiting, before, last), is_last=False)
                held, size = waiting, sum(len(entry.text) for entry in waiting)
            held += page.entries
            size += sum(len(entry.text) for entry in page.entries)
            before, last = last, page
        if last is not None:
            yield self._end(state, held, before, last)

    def _end(self, state: SessionState, held: list[Entry], before: Page | None, last: Page) -> _Stretch:
        idle_seconds = seconds(self._target.config.settings.idle_interval)
        # Both ways: a message from the future, stored under a wrong clock, is not waited for until then.
        is_fresh = abs(milliseconds(self._task.now) - state.newest_at_ms) < idle_seconds * 1000
        waits = self._task.waits and not policy.is_named(state.session, self._task.session)
        if waits and held and is_fresh and not _is_answered(held[-1]):
            ready, waiting = _cut(held)
            if not waiting:
                ready, waiting = [], held
            if not self._is_worth_waiting(waiting):
                ready, waiting = _settled(held)
            if waiting:
                self._done.held_back += 1
                return _Stretch(ready, _cursor_before(waiting, before, last), is_last=False)
        return _Stretch(held, last.cursor, is_last=True)

    def _is_worth_waiting(self, waiting: list[Entry]) -> bool:
        """Tell whether an unfinished exchange may still wait for its end.

        An agent at work answers one message with hundreds of tool calls, over hours: one that fills a window
        or is older than the interval is observed as far as it goes, or it would never be.
        """
        settings = self._target.config.settings
        age_ms = milliseconds(self._task.now) - waiting[0].said_at_ms
        tokens = sum(estimate_tokens(entry.text) for entry in waiting)
        return tokens < settings.observation_threshold and age_ms < seconds(settings.observer_interval) * 1000

    def _take(self, source: Source, state: SessionState, stretch: _Stretch) -> None:
        cursor = _cursor(source, state, stretch)
        for _ in range(_MOST_TRIES):
            version = self._ledger.version()
            tally = self._tally(state, stretch.entries)
            batch = self._batch(state, tally, cursor)
            match self._ledger.accept(batch, expected_version=version):
                case Accepted(new_ids):
                    if len(new_ids) < len(tally.observations):
                        # Covered by another process meanwhile: what we made of it is in no ledger, and
                        # nothing that is still to come may be taken for a repetition of it.
                        self._known = _known(self._ledger)
                    self._count(tally, len(new_ids))
                    if tally.entries:
                        self._done.sessions.add(state.session.session_id)
                    return
                case Conflict():
                    # Another process was faster; what it noted may complete or replace what we saw.
                    self._known = _known(self._ledger)
        raise UserError(
            "Other runs kept writing to this workspace's ledger; this one gave up. Nothing is lost.",
            next_step="wait a moment, then run it again",
            exit_code=Exit.LOCKED,
        )

    def _tally(self, state: SessionState, entries: list[Entry]) -> _Tally:
        """Observe those of *entries* that nothing has covered yet."""
        session = state.session
        fresh_ids = self._ledger.uncovered(session.session_id, [entry.entry_id for entry in entries])
        # By id: a transcript that was rewritten may hold an entry twice.
        fresh = {entry.entry_id: entry for entry in reversed(entries) if entry.entry_id in fresh_ids}
        since = self._task.since_ms
        tally = _Tally(covered=fresh_ids)
        shown = [
            redacted(entry, tally.redacted)
            for entry in reversed(fresh.values())
            if since is None or entry.said_at_ms >= since
        ]
        tally.entries, tally.set_aside = len(shown), len(fresh) - len(shown)
        target_tokens = self._target.config.settings.observation_threshold
        for window in windows(session, shown, self._target.zone, target_tokens=target_tokens):
            self._observe(window, self._known, tally)
        return tally

    def _batch(self, state: SessionState, tally: _Tally, cursor: tuple[Cursor, ...]) -> Batch:
        session_id = state.session.session_id
        return Batch(
            run_id=self._task.run_id,
            at_ms=milliseconds(self._task.now),
            observations=tuple(tally.observations),
            events=tuple(tally.events),
            rejections=tuple((session_id, rejected) for rejected in tally.rejected),
            covered={session_id: tally.covered} if tally.covered else {},
            sessions=(state.session,),
            cursors=cursor,
            counts=RunCounts(
                windows=tally.windows,
                entries=tally.entries,
                proposals=len(tally.observations) + len(tally.rejected),
                accepted=len(tally.observations),
                rejected=len(tally.rejected),
                redacted=dict(tally.redacted),
            ),
        )

    def _observe(self, window: Window, known: Known, tally: _Tally) -> None:
        if self._task.is_stopped():
            raise Stopped
        tally.windows += 1
        evidence = prepare(window)
        reply = (self._task.observer or observe_by_rules)(window, known)
        tally.rejected += reply.rejected
        for proposal in reply.proposals:
            verdict = judge(proposal, evidence, known)
            match verdict:
                case Rejected():
                    tally.rejected.append(verdict)
                    if verdict.other_id:
                        # Said again: not a line of its own, but the one there is weighs more (rule 19).
                        at_ms, by = milliseconds(self._task.now), self._task.run_id
                        tally.events.append(Event(EventType.REINFORCED, verdict.other_id, at_ms, by))
                case Verified():
                    self._accept(proposal, window, known, tally)

    def _accept(self, proposal: Proposal, window: Window, known: Known, tally: _Tally) -> None:
        observation = accepted(proposal, window, author=Author.RULES, run_id=self._task.run_id)
        if self._ledger.tombstoned(observation) is not None:
            reason = "a person took this out of the section before"
            tally.rejected.append(Rejected(proposal, "deleted-by-hand", reason))
            return
        tally.observations.append(observation)
        known.add(observation)
        events = closings(proposal, observation, milliseconds(self._task.now), known.get)
        tally.events += events
        for event in events:
            known.close(event.observation_id)

    def _count(self, tally: _Tally, accepted_count: int) -> None:
        self._done.entries += tally.entries
        self._done.windows += tally.windows
        self._done.accepted += accepted_count
        self._done.rejected.update(rejected.reason for rejected in tally.rejected)
        self._done.redacted.update(tally.redacted)
        self._done.set_aside += tally.set_aside


@dataclass
class _Tally:
    """What one stretch yields, until the ledger has taken it."""

    covered: set[str]
    entries: int = 0
    set_aside: int = 0
    redacted: Counter[str] = field(default_factory=Counter)
    observations: list[Observation] = field(default_factory=list)
    events: list[Event] = field(default_factory=list)
    rejected: list[Rejected] = field(default_factory=list)
    windows: int = 0


def _known(ledger: Ledger) -> Known:
    return Known(line.observation for line in ledger.live_lines())


def _cursor(source: Source, state: SessionState, stretch: _Stretch) -> tuple[Cursor, ...]:
    if stretch.cursor is None:
        return ()
    # Only a session read to its end may be passed over next time by a look at its position.
    position = state.position if stretch.is_last else ""
    return (Cursor(source.id, state.session.session_id, stretch.cursor, position, state.newest_at_ms),)


def redacted(entry: Entry, counts: Counter[str]) -> Entry:
    """Return *entry* without its secrets, which are counted in *counts*."""
    # Made visible first: a secret with an invisible letter in it would pass, and be whole again on paper.
    seen = visible(entry.text)
    text = redact(seen)
    counts.update(text.counts)
    if not entry.calls:
        return entry._replace(text=text.text) if text.counts or seen is not entry.text else entry
    calls = []
    for call in entry.calls:
        arguments = redact(visible(call.arguments))
        counts.update(arguments.counts)
        calls.append(call._replace(arguments=arguments.text))
    return entry._replace(text=text.text, calls=tuple(calls))


def _cut(entries: list[Entry]) -> tuple[list[Entry], list[Entry]]:
    """Return *entries* up to the last exchange, and that exchange; all of them when there is only one."""
    for index in range(len(entries) - 1, 0, -1):
        if entries[index].role is Role.USER:
            return entries[:index], entries[index:]
    return entries, []


def _settled(entries: list[Entry]) -> tuple[list[Entry], list[Entry]]:
    """Return *entries* up to the first call whose result is still to come, and the rest.

    All of them, when that call is the first.
    """
    open_calls: dict[str, int] = {}
    for index, entry in enumerate(entries):
        open_calls.update((call.call_id, index) for call in entry.calls)
        open_calls.pop(entry.call_id, None)
    # A result that never came in an earlier exchange must not hold back everything behind it.
    turn = max((index for index, entry in enumerate(entries) if entry.role is Role.USER), default=0)
    cut = min((index for index in open_calls.values() if index > turn), default=len(entries))
    return (entries[:cut], entries[cut:]) if cut else (entries, [])


def _cursor_before(waiting: list[Entry], before: Page | None, last: Page) -> str | None:
    """Return the cursor behind which *waiting* lies whole, None when no page ends there."""
    if not waiting:
        return last.cursor
    return before.cursor if before is not None and len(waiting) <= len(last.entries) else None


def _is_answered(entry: Entry) -> bool:
    return entry.role is Role.ASSISTANT and not entry.calls
