"""Transcripts into the ledger: read, redact, cut into windows, observe, verify, accept.

A session is worked through in stretches of bounded size. What one stretch yields becomes true in one
transaction: the observations, what they close, what was rejected, which entries are covered and how
far the source was read. So a kill at any moment loses nothing and doubles nothing, and two processes
may observe the same session at once: the slower one is told so by the ledger, forgets what it made of
that stretch and looks again.

Nothing here writes MEMORY.md or a dated file; that is `publish`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import NamedTuple

from scrimshaw.clock import milliseconds
from scrimshaw.config import Settings, seconds
from scrimshaw.core.accepting import accepted, closings
from scrimshaw.core.claims import Known
from scrimshaw.core.model import (
    Author,
    Entry,
    Event,
    Observation,
    Proposal,
    Rejected,
    Role,
    Session,
    SessionKind,
    Verified,
    Window,
)
from scrimshaw.core.rules import observe as observe_by_rules
from scrimshaw.core.verify import judge, prepare
from scrimshaw.core.window import windows
from scrimshaw.errors import Exit, UserError
from scrimshaw.jobs.target import Target
from scrimshaw.redact import redact
from scrimshaw.sources.reading import Page, ReadProblem, SessionState, Source
from scrimshaw.store.ledger import Ledger
from scrimshaw.store.records import Accepted, Batch, Conflict, Cursor, RunCounts

# A stretch holds at most about this much text; with it a run's memory is bounded.
_STRETCH_CHARS = 2_000_000
_STRETCH_ENTRIES = 4_000
_MOST_TRIES = 20
_MOST_PROBLEMS = 200


class Task(NamedTuple):
    """One observe run: what, when, and from when on."""

    run_id: str
    now: datetime
    since_ms: int | None = None  # older entries are set aside: covered, and not observed
    waits: bool = True  # for an exchange that is still going on; False when asked to take all there is
    on_read: Callable[[int], None] = lambda _bytes: None  # told the bytes read, for a progress bar


@dataclass
class Observed:
    """What an observe run did, for the person and for the log."""

    entries: int = 0
    windows: int = 0
    accepted: int = 0
    rejected: Counter[str] = field(default_factory=Counter)
    redacted: Counter[str] = field(default_factory=Counter)
    skipped: Counter[str] = field(default_factory=Counter)  # entries that are no evidence, by reason
    left_out: Counter[str] = field(default_factory=Counter)  # sessions, by kind
    problems: list[ReadProblem] = field(default_factory=list)
    problem_count: int = 0
    held_back: int = 0  # sessions whose last exchange is still going on
    set_aside: int = 0  # entries older than --since

    def tell(self, problems: Iterable[ReadProblem]) -> None:
        """Keep the first problems and count them all."""
        for problem in problems:
            self.problem_count += 1
            if len(self.problems) < _MOST_PROBLEMS:
                self.problems.append(problem)


class _Stretch(NamedTuple):
    """A piece of one session with the cursor that holds once it is accepted."""

    entries: list[Entry]
    cursor: str | None  # None: not yet, more of the same page is to come
    is_last: bool


def is_included(session: Session, settings: Settings) -> bool:
    """Tell whether *session* may feed this workspace's MEMORY.md."""
    if session.kind.value not in settings.sessions:
        return False
    return settings.scope == "resource" or session.session_key == f"agent:{session.agent_id}:main"


def observe(target: Target, ledger: Ledger, sources: Iterable[Source], task: Task) -> Observed:
    """Observe everything that *sources* hold and the ledger has not covered."""
    done = Observed()
    known = Known(line.observation for line in ledger.live_lines())
    for source in sources:
        cursors = ledger.cursors(source.id)
        for state in source.sessions():
            if not is_included(state.session, target.config.settings):
                done.left_out[state.session.kind.value] += 1
                continue
            cursor = cursors.get(state.session.session_id)
            if cursor is not None and cursor.position == state.position:
                continue
            work = _Work(target, ledger, task, done, source, state)
            known = work.through(cursor.cursor if cursor else None, known)
    return done


class _Work:
    """One session's way into the ledger; it lives as long as the session is read."""

    def __init__(
        self, target: Target, ledger: Ledger, task: Task, done: Observed, source: Source, state: SessionState
    ) -> None:
        self.target = target
        self.ledger = ledger
        self.task = task
        self.done = done
        self.source = source
        self.state = state
        self.session = state.session

    def through(self, cursor: str | None, known: Known) -> Known:
        """Work the session through from *cursor* on; return what is known afterwards."""
        for stretch in self._stretches(self.source.pages(self.state, cursor)):
            known = self._take(stretch, known)
        return known

    def _stretches(self, pages: Iterator[Page]) -> Iterator[_Stretch]:
        held: list[Entry] = []
        size = 0
        last: Page | None = None
        for page in pages:
            self.task.on_read(page.read_bytes)
            self.done.tell(page.problems)
            self.done.skipped.update(page.skipped)
            if last is not None and (size > _STRETCH_CHARS or len(held) > _STRETCH_ENTRIES):
                # Whole exchanges: what follows the last user entry waits for the next page, and so
                # does the cursor; the entries read again after a crash are known as covered.
                ready, waiting = _cut(held)
                yield _Stretch(ready, None if waiting else last.cursor, is_last=False)
                held, size = waiting, sum(len(entry.text) for entry in waiting)
            held += page.entries
            size += sum(len(entry.text) for entry in page.entries)
            last = page
        if last is not None:
            yield self._end(held, last.cursor)

    def _end(self, held: list[Entry], cursor: str) -> _Stretch:
        idle_seconds = seconds(self.target.config.settings.idle_interval)
        is_fresh = milliseconds(self.task.now) - self.state.newest_at_ms < idle_seconds * 1000
        if self.task.waits and held and is_fresh and not _is_answered(held[-1]):
            ready, _ = _cut(held)
            self.done.held_back += 1
            return _Stretch([] if ready is held else ready, None, is_last=True)
        return _Stretch(held, cursor, is_last=True)

    def _take(self, stretch: _Stretch, known: Known) -> Known:
        redacted: Counter[str] = Counter()
        entries = [_redacted(entry, redacted) for entry in stretch.entries]
        for _ in range(_MOST_TRIES):
            version = self.ledger.version()
            batch, tally = self._batch(entries, stretch, known, redacted)
            match self.ledger.accept(batch, expected_version=version):
                case Accepted():
                    self._count(tally, batch, redacted)
                    return known
                case Conflict():
                    # Another process was faster; what it noted may complete or replace what we saw.
                    known = Known(line.observation for line in self.ledger.live_lines())
        raise UserError(
            "Other runs kept writing to this workspace's ledger; this one gave up. Nothing is lost.",
            next_step="wait a moment, then run it again",
            exit_code=Exit.LOCKED,
        )

    def _batch(
        self, entries: list[Entry], stretch: _Stretch, known: Known, redacted: Counter[str]
    ) -> tuple[Batch, _Tally]:
        fresh_ids = self.ledger.uncovered(self.session.session_id, [entry.entry_id for entry in entries])
        fresh = [entry for entry in entries if entry.entry_id in fresh_ids]
        since = self.task.since_ms
        shown = [entry for entry in fresh if since is None or entry.said_at_ms >= since]
        tally = _Tally(set_aside=len(fresh) - len(shown))
        settings = self.target.config.settings
        for window in windows(
            self.session, shown, self.target.zone, target_tokens=settings.observation_threshold
        ):
            self._observe(window, known, tally)
        cursor = () if stretch.cursor is None else (self._cursor(stretch.cursor, is_last=stretch.is_last),)
        batch = Batch(
            run_id=self.task.run_id,
            at_ms=milliseconds(self.task.now),
            observations=tuple(tally.observations),
            events=tuple(tally.events),
            rejections=tuple((self.session.session_id, rejected) for rejected in tally.rejected),
            covered={self.session.session_id: fresh_ids} if fresh_ids else {},
            sessions=(self.session,),
            cursors=cursor,
            counts=RunCounts(
                windows=tally.windows,
                entries=len(shown),
                proposals=len(tally.observations) + len(tally.rejected),
                accepted=len(tally.observations),
                rejected=len(tally.rejected),
                redacted=dict(redacted),
            ),
        )
        return batch, tally

    def _cursor(self, cursor: str, *, is_last: bool) -> Cursor:
        # Only a session read to its end may be passed over next time by a look at its position.
        position = self.state.position if is_last else ""
        return Cursor(self.source.id, self.session.session_id, cursor, position, self.state.newest_at_ms or 0)

    def _observe(self, window: Window, known: Known, tally: _Tally) -> None:
        tally.windows += 1
        evidence = prepare(window)
        reply = observe_by_rules(window, known)
        tally.rejected += reply.rejected
        for proposal in reply.proposals:
            verdict = judge(proposal, evidence, known)
            match verdict:
                case Rejected():
                    tally.rejected.append(verdict)
                case Verified():
                    self._accept(proposal, window, known, tally)

    def _accept(self, proposal: Proposal, window: Window, known: Known, tally: _Tally) -> None:
        observation = accepted(proposal, window, author=Author.RULES, run_id=self.task.run_id)
        stone = self.ledger.tombstoned(observation)
        said_again = proposal.speaker is Role.USER and stone and observation.said_at_ms > stone.at_ms
        if stone is not None and not said_again:
            reason = "a person took this out of the section before"
            tally.rejected.append(Rejected(proposal, "deleted-by-hand", reason))
            return
        tally.observations.append(observation)
        known.add(observation)
        events = closings(proposal, observation, milliseconds(self.task.now))
        tally.events += events
        for event in events:
            known.close(event.observation_id)

    def _count(self, tally: _Tally, batch: Batch, redacted: Counter[str]) -> None:
        self.done.entries += batch.counts.entries
        self.done.windows += tally.windows
        self.done.accepted += len(tally.observations)
        self.done.rejected.update(rejected.reason for rejected in tally.rejected)
        self.done.redacted.update(redacted)
        self.done.set_aside += tally.set_aside


@dataclass
class _Tally:
    """What one stretch yields, until the ledger has taken it."""

    observations: list[Observation] = field(default_factory=list)
    events: list[Event] = field(default_factory=list)
    rejected: list[Rejected] = field(default_factory=list)
    windows: int = 0
    set_aside: int = 0


def _redacted(entry: Entry, counts: Counter[str]) -> Entry:
    text = redact(entry.text)
    counts.update(text.counts)
    if not entry.calls:
        return entry._replace(text=text.text) if text.counts else entry
    calls = []
    for call in entry.calls:
        arguments = redact(call.arguments)
        counts.update(arguments.counts)
        calls.append(call._replace(arguments=arguments.text))
    return entry._replace(text=text.text, calls=tuple(calls))


def _cut(entries: list[Entry]) -> tuple[list[Entry], list[Entry]]:
    """Return *entries* up to the last exchange, and that exchange; all of them when there is only one."""
    for index in range(len(entries) - 1, 0, -1):
        if entries[index].role is Role.USER:
            return entries[:index], entries[index:]
    return entries, []


def _is_answered(entry: Entry) -> bool:
    return entry.role is Role.ASSISTANT and not entry.calls


def kinds_told(left_out: Mapping[str, int]) -> str:
    """Return the sessions left out in words: "2 cron, 1 group"."""
    return ", ".join(f"{count} {SessionKind(kind).value}" for kind, count in sorted(left_out.items()))
