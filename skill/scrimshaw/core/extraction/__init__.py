"""The offline observer: turns a window into proposals by rules, without a model.

It reads one exchange after another: the person's statements with their dates, and the outcome of work in one
line. Then it decides which earlier lines a statement replaces, takes back or completes. Questions,
hypotheses, small talk and what an assistant says around its answer are not noted. Every proposal is verified
like any other observer's reply.
"""

from __future__ import annotations

from scrimshaw.core import weighing
from scrimshaw.core.extraction.candidates import candidates_of
from scrimshaw.core.extraction.meaning import Reads, weigher_of
from scrimshaw.core.extraction.updates import resolve_changes
from scrimshaw.core.ledger.known_lines import KnownLines
from scrimshaw.core.types import Reply, Window


def observe(window: Window, known: KnownLines, reads: Reads | None = None) -> Reply:
    """Return what the rules propose for *window*; *known* gives the earlier lines and is not changed.

    With *reads* what is in doubt is weighed by its meaning, too.
    """
    weigher = weigher_of(window, reads) if reads else weighing.weigh
    return Reply(tuple(resolve_changes(candidates_of(window, weigher), known, window.session.session_id)))
