"""The offline observer: turns a window into proposals by rules, without a model.

It reads exchange by exchange: the person's statements with their dates, the outcome of work in one
line, what an answer adds to a statement; then it settles what a statement changes: earlier lines it
replaces, takes back or completes. Questions, what-ifs, small talk and what an assistant says around
its answer leave nothing. Everything it proposes is verified like any other observer's reply.
"""

from __future__ import annotations

from scrimshaw.core.extraction.candidates import candidates_of
from scrimshaw.core.extraction.updates import resolve_changes
from scrimshaw.core.ledger.known_lines import KnownLines
from scrimshaw.core.types import Reply, Window


def observe(window: Window, known: KnownLines) -> Reply:
    """Return what the rules propose for *window*; *known* is asked what is already there and not changed."""
    return Reply(tuple(resolve_changes(candidates_of(window), known)))
