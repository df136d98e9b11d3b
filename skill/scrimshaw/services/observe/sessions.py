"""Transcripts into the ledger: find the sessions that hold something new and work each of them through.

A run with nothing new ends here, without loading rules, redaction or verification (`session`): it is
made every few minutes for years. Nothing here writes MEMORY.md or a dated file; that is `publish`.

A session that was asked for by name comes before all others: somebody waits for it, and a backlog elsewhere
must not make them wait longer. The others come oldest first, so that what changed is seen to change. Of a
backlog over the ceiling (`message_threshold`) a model gets the newest days first: a cap, a person's patience
or the end of a turn may end it anywhere, and what was said last is what a first section is wanted for.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress
from datetime import datetime
from typing import NamedTuple
from zoneinfo import ZoneInfo

from scrimshaw.core.policy import schedule
from scrimshaw.core.transcript.windows import STORED_BYTES_A_TOKEN
from scrimshaw.errors import UserError
from scrimshaw.services.observe.task import Observed, RunStopped, Task, Unreadable
from scrimshaw.sources.reading import SessionState, Source
from scrimshaw.store.ledger import Ledger
from scrimshaw.workspace import Target


class _News(NamedTuple):
    """A session that grew or was rewritten since it was read, with the cursor it was read to.

    *newer_bytes* are about those that are unread in sessions with a newer last word.
    """

    source: Source
    state: SessionState
    cursor: str | None
    newer_bytes: int = 0


def observe(target: Target, ledger: Ledger, sources: Iterable[Source], task: Task) -> Observed:
    """Observe everything that *sources* hold and the ledger has not covered.

    A store that cannot be read is told in `unreadable` and does not stop the others.
    """
    done = Observed()
    news = [found for source in sources for found in _news(target, ledger, source, task, done)]
    if not news:
        return done
    try:
        _work_through(target, ledger, task, done, news)
    except RunStopped:
        if not task.options.is_interrupted():
            raise
        done.is_interrupted = True
    finally:
        if task.model is not None:
            done.used, done.again_in_seconds = task.model.used, task.model.again_in_seconds
    return done


def _work_through(target: Target, ledger: Ledger, task: Task, done: Observed, news: list[_News]) -> None:
    """Observe what *news* name, the session of the task first."""
    # Rules and redaction: only for what is new.
    from scrimshaw.services.observe.session import SessionObserver

    def work_through(worker: SessionObserver, found: _News) -> None:
        if found.source.id in done.unreadable:
            return
        try:
            worker.work_through(*found)
        except Unreadable as stopped:
            done.unreadable[found.source.id] = stopped.error

    news = _measured(news)
    named = [found for found in news if schedule.is_named(found.state.session, task.options.session)]
    rest = [found for found in news if not schedule.is_named(found.state.session, task.options.session)]
    if task.model is not None and _is_over_ceiling(target, rest):
        rest = _newest_days_first(rest, target.zone)
    worker = SessionObserver(target, ledger, task, done)
    for found in named:
        work_through(worker, found)
    worker.finish()
    if named and rest:
        task.on_session(done)
        # Which lines hold may have changed with the publishing.
        worker = SessionObserver(target, ledger, task, done)
    for number, found in enumerate(rest):
        # With a model, observe at least one window: reading alone may use up the turn, and nothing would
        # progress.
        has_some = done.windows > 0 or worker.is_holding
        is_over = task.options.is_out_of_time() and (task.model is None or has_some)
        if is_over or (done.is_session_known and task.options.is_late()):
            done.left_waiting += len(rest) - number
            break
        work_through(worker, found)
    worker.finish()


def _is_over_ceiling(target: Target, news: list[_News]) -> bool:
    stored_bytes = sum(found.source.unread_bytes(found.state, found.cursor) for found in news)
    return stored_bytes // STORED_BYTES_A_TOKEN > target.config.settings.message_threshold


def _measured(news: list[_News]) -> list[_News]:
    """Return *news* in their order, each with how much is newer."""
    told, newer_bytes = [*news], 0
    for at in sorted(range(len(news)), key=lambda at: news[at].state.newest_at_ms, reverse=True):
        source, state, cursor, _ = news[at]
        told[at] = news[at]._replace(newer_bytes=newer_bytes)
        with suppress(UserError):  # a store that cannot be read is told when it is read
            newer_bytes += source.unread_bytes(state, cursor)
    return told


def _newest_days_first(news: list[_News], zone: str) -> list[_News]:
    """Return *news* by the day on which something was last said there; within a day as they come."""

    def day(found: _News) -> str:
        said_at = datetime.fromtimestamp(found.state.newest_at_ms / 1000, ZoneInfo(zone))
        return said_at.date().isoformat()

    return sorted(news, key=day, reverse=True)


def _news(target: Target, ledger: Ledger, source: Source, task: Task, done: Observed) -> Iterator[_News]:
    """Yield the sessions of *source* that hold something new; what is left out or unreadable is told."""
    settings = target.config.settings
    cursors = ledger.cursors(source.id)
    try:
        states = source.sessions()
    except UserError as error:
        done.unreadable[source.id] = error
        return
    for state in states:
        done.is_session_known |= schedule.is_named(state.session, task.options.session)
        if not schedule.feeds(state.session, settings.sessions, settings.scope):
            done.left_out[state.session.kind.value] += 1
            continue
        if state.is_passed_over:
            continue
        cursor = cursors.get(state.session.session_id)
        if cursor is None or cursor.position != state.position:
            yield _News(source, state, cursor.cursor if cursor else None)
