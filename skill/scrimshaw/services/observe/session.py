"""One session's way into the ledger: redact, cut into windows, observe, verify, accept.

A session is worked through in stretches of bounded size. What one stretch yields becomes true in one
transaction: the observations, what they close, what was rejected, which entries are covered and how
far the source was read. Where an observer is to be asked that takes its time, each window is a transaction
and the cursor follows behind the last. So a kill at any moment loses nothing and doubles nothing, and two
processes may observe the same session at once: the slower one is told so by the ledger and judges what it
was told anew. A window that has to wait for its observer keeps the cursor before it.

Short windows of several sessions are held until they fill a question together, and within a run only: what is
held is not covered, no cursor has passed it, and each becomes true in a transaction of its own. A run that is
killed in between has noted some of them, and the next one asks about the others.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from typing import NamedTuple

from scrimshaw.clock import milliseconds
from scrimshaw.config import seconds
from scrimshaw.core.extraction.meaning import Reads
from scrimshaw.core.ledger.observations import NOT_REREAD
from scrimshaw.core.policy import schedule
from scrimshaw.core.transcript.privacy import read_patterns
from scrimshaw.core.transcript.windows import STORED_BYTES_A_TOKEN, estimate_tokens, windows
from scrimshaw.core.types import Author, Deferred, Entry, Reply, Role, Window
from scrimshaw.core.verification.verify import prepare
from scrimshaw.errors import Exit, UserError
from scrimshaw.services.observe.by_meaning import reads_of
from scrimshaw.services.observe.by_rules import note_by_rules
from scrimshaw.services.observe.redacted import redacted
from scrimshaw.services.observe.task import (
    RULES,
    Observed,
    Proposed,
    RunStopped,
    SharingObserver,
    Task,
    read_from,
)
from scrimshaw.services.observe.verify import Gate, Tally
from scrimshaw.sources.reading import Page, SessionState, Source, Unopened
from scrimshaw.store.ledger import Ledger
from scrimshaw.store.records import Accepted, Batch, Cursor, Working, WriteConflict
from scrimshaw.workspace import Target

# A stretch holds at most about this much text; with it a run's memory is bounded.
_STRETCH_CHARS = 2_000_000
_STRETCH_ENTRIES = 4_000
_MOST_TRIES = 20
_UNIQUE_CHARS = 32  # of an entry's id; those of the JSONL era have 8 digits, and may come again
_SHORT_SHARE = 0.5  # of a window: a longer one is asked about alone, and at once
# What lies further back is weighed by words alone, or a backlog of years would take minutes longer.
_MOST_READ_BYTES = 2_000_000
_UNKNOWN = -1  # no version of the ledger: what it holds is to be read anew


class _Stretch(NamedTuple):
    """A piece of one session with the cursor that holds once it is accepted."""

    entries: list[Entry]
    cursor: str | None  # None: not yet, more of the same page is to come
    is_last: bool


class _ToNote(NamedTuple):
    """A window, and what reads its sentences: None where it is too old for that."""

    window: Window
    reads: Reads | None


class _Fresh(NamedTuple):
    """What of some entries nothing has covered yet."""

    covered: set[str]
    shown: list[Entry]  # without what is set aside, redacted
    set_aside: int
    redacted: dict[str, Counter[str]]  # how many secrets of each kind were taken out, by entry


class _Piece(NamedTuple):
    """A window that is to be asked about."""

    state: SessionState
    window: Window
    reads: Reads | None
    redacted: dict[str, Counter[str]]

    @property
    def session_id(self) -> str:
        return self.state.session.session_id


class _End(NamedTuple):
    """What is still to be noted of a stretch when its windows are done: what is in none, and the cursor."""

    state: SessionState
    left: set[str]
    cursor: tuple[Cursor, ...]


class SessionObserver:
    """Works sessions through, one after the other; what is known so far lives as long as the run."""

    def __init__(self, target: Target, ledger: Ledger, task: Task, done: Observed) -> None:
        self._target = target
        self._ledger = ledger
        self._task = task
        self._done = done
        settings = target.config.settings
        self._reads = reads_of(settings, self._is_ended)
        self._behind_bytes = 0  # about how much was said after the stretch at hand
        self._patterns = read_patterns(settings.private_patterns).compiled
        self._version = ledger.version()
        self._gate = Gate(
            ledger, run_id=task.run_id, at_ms=milliseconds(task.now), reviews_all=settings.review == "all"
        )
        self._held: list[_Piece] = []  # short ones, to be asked about together
        self._ends: list[_End] = []  # of sessions of which something is held
        self._left: set[str] = set()  # sessions that wait: nothing of them is asked, no cursor moves

    def work_through(
        self, source: Source, state: SessionState, cursor: str | None, newer_bytes: int = 0
    ) -> None:
        """Observe what *state*'s session holds after *cursor*.

        About *newer_bytes* are unread where something was said later.
        """
        try:
            for stretch in self._stretches(state, source.pages(state, cursor)):
                self._behind_bytes = newer_bytes
                if not stretch.is_last:
                    with suppress(UserError):  # a store that cannot be read is told when it is read
                        self._behind_bytes += source.unread_bytes(state, stretch.cursor or cursor)
                if not self._take(source, state, stretch):
                    return
                if not stretch.is_last and self._task.options.is_out_of_time():
                    self._done.left_waiting += 1
                    return
        except Unopened as closed:
            self._done.tell([closed.problem])

    def _stretches(self, state: SessionState, pages: Iterator[Page]) -> Iterator[_Stretch]:
        held: list[Entry] = []
        size = 0
        before = last = None
        for page in read_from(pages):
            self._task.options.on_read(page.read_bytes)
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
        # Absolute difference: a message dated in the future by a wrong clock is not waited for.
        is_fresh = abs(milliseconds(self._task.now) - state.newest_at_ms) < idle_seconds * 1000
        waits = self._task.options.waits and not schedule.is_named(state.session, self._task.options.session)
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
        return tokens < settings.window_tokens and age_ms < seconds(settings.observer_interval) * 1000

    def _take(self, source: Source, state: SessionState, stretch: _Stretch) -> bool:
        """Observe *stretch*; False: it waits, or not all of it was done, and the session is left for now."""
        cursor = _cursor(source, state, stretch)
        if self._task.observer is None:
            self._take_whole(state, stretch.entries, cursor)
            return True
        return self._take_by_windows(state, stretch.entries, cursor)

    def _take_whole(self, state: SessionState, entries: list[Entry], cursor: tuple[Cursor, ...]) -> None:
        """Let the rules note all of *entries*, in one transaction."""

        def proposed() -> Tally:
            fresh = self._fresh(state, entries)
            tally = Tally(covered=fresh.covered, entries=len(fresh.shown), set_aside=fresh.set_aside)
            tally.redacted.update(sum(fresh.redacted.values(), Counter()))
            for window, reads in self._windows(state, fresh.shown):
                self._rest()
                tally.windows += 1
                tally.read_tokens += window.tokens
                tally.noted_by[RULES] += 1
                by_rules, problems = note_by_rules(window, self._gate.known, reads)
                tally.problems += problems
                self._gate.take(by_rules, prepare(window), tally)
                self._gate.hold_to_rank(tally)
            return tally

        self._accept(state, proposed, cursor)

    def _take_by_windows(self, state: SessionState, entries: list[Entry], cursor: tuple[Cursor, ...]) -> bool:
        """Ask the observer about each window; one transaction each, so that no answer is lost by a kill.

        The cursor comes behind all of them: what a run leaves, the next one reads again, and coverage drops
        what is noted. Nothing is locked while the observer thinks (rule 10).
        """
        held = {entry.entry_id for piece in self._held for entry in piece.window.entries}
        if any(entry.entry_id in held for entry in entries):
            self._ask_held()  # going back copies entries: that they are covered must be known here
        session_id = state.session.session_id
        fresh = self._fresh(state, entries)
        for window, reads in self._windows(state, fresh.shown):
            self._rest()
            self._put(_Piece(state, window, reads, fresh.redacted))
            if session_id in self._left:
                return False
        left = fresh.covered - {entry.entry_id for entry in fresh.shown}
        self._ends.append(_End(state, left, cursor))
        self._end_sessions()
        return session_id not in self._left

    def finish(self) -> None:
        """Ask about what was held to be asked about together with something else."""
        self._ask_held()

    @property
    def is_holding(self) -> bool:
        """Whether something was read and is still to be asked about."""
        return bool(self._held)

    def _put(self, piece: _Piece) -> None:
        """Ask about *piece*, now or together with what comes; what it has no room beside is asked about."""
        if not self._may_share(piece.window):
            if any(one.window.session == piece.window.session for one in self._held):
                self._ask_held()
            if piece.session_id not in self._left:
                self._ask((piece,))
            return
        most = self._target.config.settings.window_tokens
        if sum(one.window.tokens for one in self._held) + piece.window.tokens > most:
            self._ask_held()
        if piece.session_id not in self._left:
            self._held.append(piece)

    def _may_share(self, window: Window) -> bool:
        observer, most = self._task.observer, self._target.config.settings.window_tokens
        is_short = window.tokens <= most * _SHORT_SHARE
        return is_short and isinstance(observer, SharingObserver) and observer.may_share(window)

    def _ask_held(self) -> None:
        held, self._held = sorted(self._held, key=lambda one: one.window.entries[0].said_at_ms), []
        if held:
            self._ask(tuple(held))
        self._end_sessions()

    def _ask(self, pieces: tuple[_Piece, ...]) -> None:
        """Ask about *pieces*, in one question where they are several, and note what is proposed for each."""
        # At least one: if reading alone used up the turn, nothing would ever progress.
        if self._done.windows and self._task.options.is_out_of_time():
            self._done.left_waiting += self._leave(pieces)
            return
        # Leave out what another process has covered meanwhile.
        pieces = tuple(piece for piece in pieces if self._uncovered(piece.window))
        if not pieces:
            return
        match self._asked([piece.window for piece in pieces]):
            case None:
                for piece in pieces:
                    if piece.session_id not in self._left:
                        self._ask((piece,))
            case Deferred(reason):
                self._done.deferred[reason] += self._leave(pieces)
            case answers:
                for piece, proposed in zip(pieces, answers, strict=True):
                    self._note(piece, proposed)
                    if self._task.model is not None:
                        self._done.used, self._done.unread = self._task.model.used, self._task.model.unread
                    self._task.options.on_window(self._done)

    def _leave(self, pieces: tuple[_Piece, ...]) -> int:
        """Leave the sessions of *pieces* for now and return how many they are."""
        found = {piece.session_id for piece in pieces}
        self._left |= found
        return len(found)

    def _end_sessions(self) -> None:
        """Let the cursor follow where all windows before it are done; where one waits, it waits, too."""
        held = {piece.session_id for piece in self._held}
        ends, self._ends = self._ends, []
        for end in ends:
            session_id = end.state.session.session_id
            if session_id in held:
                self._ends.append(end)
            elif session_id not in self._left and (end.cursor or end.left):
                self._accept(end.state, partial(self._remaining, end), end.cursor)

    def _remaining(self, end: _End) -> Tally:
        covered = self._ledger.uncovered(end.state.session.session_id, end.left)
        return Tally(covered=covered, set_aside=len(covered))

    def _asked(self, those: list[Window]) -> Sequence[Proposed] | Deferred | None:
        observer = self._task.observer
        assert observer is not None
        if len(those) > 1:
            assert isinstance(observer, SharingObserver), "nothing is held for another"
            return observer.together(those, self._gate.known)
        match observer(those[0], self._gate.known):
            case Reply() as reply:
                return (Proposed((reply,), reply.author.value, needs_rules=not reply.is_closed),)
            case Proposed() as proposed:
                return (proposed,)
            case deferred:
                return deferred

    def _note(self, piece: _Piece, proposed: Proposed) -> None:
        """Judge what was proposed for *piece* and have the ledger take it; nobody is asked again."""
        window, evidence = piece.window, prepare(piece.window)

        def judged() -> Tally:
            # What another process has covered while the observer thought is not observed twice.
            fresh = self._uncovered(window)
            tally = Tally(covered=fresh, entries=len(fresh), windows=1, read_tokens=window.tokens)
            tally.model_trouble, tally.needs_owner = proposed.trouble, proposed.needs_owner
            for entry_id in fresh:
                tally.redacted.update(piece.redacted.get(entry_id, ()))
            for reply in proposed.replies:
                self._gate.take(reply, evidence, tally, fresh=fresh, readings=proposed.readings)
            if proposed.needs_rules:
                by_rules, problems = note_by_rules(window, self._gate.known, piece.reads)
                tally.problems += problems
                self._gate.take(by_rules, evidence, tally, fresh=fresh)
            if not proposed.needs_rules and (told := proposed.replies[0]).author is Author.MODEL:
                at_ms = window.entries[-1].said_at_ms
                tally.working.append(Working(window.session.session_id, at_ms, told.state))
            self._gate.stand_in(evidence, tally, fresh=fresh, mended=proposed.mended)
            self._gate.hold_to_rank(tally)
            tally.noted_by[RULES if proposed.needs_rules else proposed.by] += 1
            return tally

        self._accept(piece.state, judged, ())

    def _accept(self, state: SessionState, propose: Callable[[], Tally], cursor: tuple[Cursor, ...]) -> None:
        """Have the ledger take what is proposed; while other processes are faster, *propose* it anew."""
        for _ in range(_MOST_TRIES):
            version = self._ledger.version()
            if version != self._version:
                # Another process was faster; what it noted may complete or replace what we saw.
                self._gate.renew()
            tally = propose()
            match self._ledger.accept(self._batch(state, tally, cursor), expected_version=version):
                case Accepted(new_ids, after):
                    if len(new_ids) < len(tally.observations):
                        # Covered by another process meanwhile: what we made of it is in no ledger, and
                        # nothing that is still to come may be taken for a repetition of it.
                        after = _UNKNOWN
                    else:
                        self._gate.confirm(tally)
                    self._version = after
                    tally.add_to(self._done, len(new_ids))
                    if tally.entries:
                        self._done.sessions.add(state.session.session_id)
                    return
                case WriteConflict():
                    self._version = _UNKNOWN
        raise UserError(
            "Other runs kept writing to this workspace's ledger; this one gave up. Nothing is lost.",
            next_step="wait a moment, then run it again",
            exit_code=Exit.LOCKED,
        )

    def _is_ended(self) -> bool:
        return self._task.options.is_stopped() or self._task.options.is_interrupted()

    def _rest(self) -> None:
        if self._is_ended():
            raise RunStopped

    def _uncovered(self, window: Window) -> set[str]:
        return self._ledger.uncovered(window.session.session_id, [entry.entry_id for entry in window.entries])

    def _windows(self, state: SessionState, shown: list[Entry]) -> list[_ToNote]:
        target_tokens = self._target.config.settings.window_tokens
        found = [*windows(state.session, shown, self._target.zone, target_tokens=target_tokens)]
        behind_bytes = self._behind_bytes
        told: list[_ToNote] = []
        for window in reversed(found):
            told.append(_ToNote(window, self._reads if behind_bytes <= _MOST_READ_BYTES else None))
            behind_bytes += window.tokens * STORED_BYTES_A_TOKEN
        return told[::-1]

    def _fresh(self, state: SessionState, entries: list[Entry]) -> _Fresh:
        """Return those of *entries* that nothing has covered yet, clean of secrets and private parts."""
        fresh_ids = self._new_ids(state, entries)
        # By id: a transcript that was rewritten may hold an entry twice.
        fresh = {entry.entry_id: entry for entry in reversed(entries) if entry.entry_id in fresh_ids}
        since = milliseconds(self._task.options.since) if self._task.options.since else None
        shown: list[Entry] = []
        found: dict[str, Counter[str]] = {}
        for entry in reversed(fresh.values()):
            if since is None or entry.said_at_ms >= since:
                counts: Counter[str] = Counter()
                shown.append(redacted(entry, counts, self._patterns))
                if counts:
                    found[entry.entry_id] = counts
        return _Fresh(fresh_ids, shown, len(fresh) - len(shown), found)

    def _new_ids(self, state: SessionState, entries: list[Entry]) -> set[str]:
        """Return the ids of those of *entries* that nothing has covered, here or where they were copied from.

        Going back copies a conversation into a new session under the same key, with the ids of its entries.
        """
        found = self._ledger.uncovered(state.session.session_id, [entry.entry_id for entry in entries])
        unique = {entry_id for entry_id in found if len(entry_id) >= _UNIQUE_CHARS}
        return found - self._ledger.covered_before_copying(state.session, unique)

    def _batch(self, state: SessionState, tally: Tally, cursor: tuple[Cursor, ...]) -> Batch:
        session_id = state.session.session_id
        keeps = self._target.config.settings.review != "off"
        return Batch(
            run_id=self._task.run_id,
            at_ms=milliseconds(self._task.now),
            observations=tuple(tally.observations),
            events=tuple(tally.events),
            rejections=tuple(
                one
                for one in (*tally.declined, *tally.rejected)
                if keeps or one.rejected.reason == NOT_REREAD
            ),
            covered={session_id: tally.covered} if tally.covered else {},
            sessions=(state.session,),
            cursors=cursor,
            counts=tally.counts(),
            working=tuple(tally.working),
        )


def _cursor(source: Source, state: SessionState, stretch: _Stretch) -> tuple[Cursor, ...]:
    if stretch.cursor is None:
        return ()
    # Only a session read to its end may be passed over next time by a look at its position.
    position = state.position if stretch.is_last else ""
    return (Cursor(source.id, state.session.session_id, stretch.cursor, position, state.newest_at_ms),)


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
