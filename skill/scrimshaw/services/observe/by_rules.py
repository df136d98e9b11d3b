"""Note windows by the rules, and pass over a message at which the rules fail.

Transcripts are written by strangers. One message that meets a defect of ours must not end every run from
there on: what stands before and behind it is noted, it alone is left out, and named as a problem.
"""

from __future__ import annotations

import logging
from collections.abc import Collection, Iterable
from dataclasses import replace

from scrimshaw.core.extraction import observe
from scrimshaw.core.extraction.fallback import quote_instead
from scrimshaw.core.extraction.meaning import Reads
from scrimshaw.core.ledger.known_lines import KnownLines
from scrimshaw.core.types import Observation, Rejected, Reply, Role, Window
from scrimshaw.errors import named
from scrimshaw.sources.reading import ReadProblem

log = logging.getLogger(__name__)
# What a text can bring about; what a disk or a store does is raised, so that the run is tried again.
_DEFECTS = (
    ArithmeticError,
    AssertionError,
    AttributeError,
    LookupError,
    RecursionError,
    TypeError,
    ValueError,
)


def note_by_rules(
    window: Window, known: KnownLines, reads: Reads | None = None
) -> tuple[Reply, list[ReadProblem]]:
    """Return what the rules propose for *window*, and a problem for each entry that they fail at.

    After a failure each half is read by itself, down to the one entry. A fault that any text meets is raised.
    """
    try:
        return observe(window, known, reads), []
    except _DEFECTS as error:
        defect = named(error)
        if len(window.entries) == 1:
            _require_sound(window, known, reads)
            return Reply(()), [_passed_over(window, defect)]
        log.critical(
            "job=observe window of %d entries read in halves, defect=%r", len(window.entries), defect
        )
    middle = len(window.entries) // 2
    halves = (window.entries[:middle], window.entries[middle:])
    before, after = (note_by_rules(window._replace(entries=half), known, reads) for half in halves)
    reply = replace(before[0], proposals=(*before[0].proposals, *after[0].proposals))
    return reply, [*before[1], *after[1]]


def _require_sound(window: Window, known: KnownLines, reads: Reads | None) -> None:
    """Read a plain sentence; raises where the fault is the program's, as of a damaged file, and no text's."""
    plain = window.entries[0]._replace(role=Role.USER, text="My rent is 850 euros.", calls=(), call_id="")
    observe(window._replace(entries=(plain,)), known, reads)


def quote_by_rules(
    refused: Iterable[Rejected], taken: Collection[Observation], window: Window, known: KnownLines
) -> tuple[Reply, list[ReadProblem]]:
    """Return what is to be noted in place of *refused* (`quote_instead`): nothing where the rules fail."""
    try:
        return quote_instead(refused, taken, window, known), []
    except _DEFECTS as error:
        _require_sound(window, known, None)
        return Reply(()), [_passed_over(window, named(error))]


def _passed_over(window: Window, defect: str) -> ReadProblem:
    place = f"{window.session.session_id} {window.entries[0].entry_id}"
    log.critical("job=observe entry=%r passed over, defect=%r", place, defect)
    return ReadProblem(place, f"passed over, by a defect of our own; please report: {defect}")
