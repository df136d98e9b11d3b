"""Transcripts into the ledger: find the sessions that hold something new and work each of them through.

A run with nothing new ends here, without loading rules, redaction or verification (`session`): it is
made every few minutes for years. Nothing here writes MEMORY.md or a dated file; that is `publish`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from scrimshaw.core import policy
from scrimshaw.errors import UserError
from scrimshaw.jobs.target import Target
from scrimshaw.jobs.task import Observed, Task, Unreadable
from scrimshaw.sources.reading import SessionState, Source
from scrimshaw.store.ledger import Ledger


def observe(target: Target, ledger: Ledger, sources: Iterable[Source], task: Task) -> Observed:
    """Observe everything that *sources* hold and the ledger has not covered.

    A store that cannot be read is told in `unreadable` and does not stop the others.
    """
    done = Observed()
    worker = None
    for source in sources:
        try:
            for state, cursor in _news(target, ledger, source, done):
                if worker is None:
                    from scrimshaw.jobs.session import Worker  # rules and redaction: only for what is new

                    worker = Worker(target, ledger, task, done)
                worker.work_through(source, state, cursor)
        except Unreadable as stopped:
            done.unreadable[source.id] = stopped.error
    return done


def _news(
    target: Target, ledger: Ledger, source: Source, done: Observed
) -> Iterator[tuple[SessionState, str | None]]:
    """Yield the sessions that grew or were rewritten since they were read, with their cursors."""
    settings = target.config.settings
    cursors = ledger.cursors(source.id)
    try:
        states = source.sessions()
    except UserError as error:
        raise Unreadable(error) from error
    for state in states:
        if not policy.feeds(state.session, settings.sessions, settings.scope):
            done.left_out[state.session.kind.value] += 1
            continue
        cursor = cursors.get(state.session.session_id)
        if cursor is None or cursor.position != state.position:
            yield state, cursor.cursor if cursor else None
