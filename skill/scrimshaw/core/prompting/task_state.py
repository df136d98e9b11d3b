"""What a model says of the unfinished in the last line of its answer: the task at hand, what to know next.

Untrusted like a line, and read by an agent one day: an order that nobody gave, or a figure, name, day or
path that the window does not hold, drops it. What is dropped is counted, and nobody is asked about it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from scrimshaw.core.extraction.manual_note import order_in, problem_of
from scrimshaw.core.prompting import fields
from scrimshaw.core.section.budget import units
from scrimshaw.core.text.normalize import normal
from scrimshaw.core.text.stems import split_words
from scrimshaw.core.types import TaskState
from scrimshaw.core.verification import literals
from scrimshaw.core.verification.dates import strange_date, strange_time
from scrimshaw.core.verification.names import strange_name
from scrimshaw.core.verification.source import Witness

MOST_UNITS = 200
_TAINTED_SHARE = 3  # a third of its words, as core/verification/verify has it

_Check = Callable[[str, tuple[Witness, ...]], str]
_LITERALS: tuple[_Check, ...] = (
    literals.strange_quotation,
    lambda text, witnesses: strange_date(text, None, witnesses),
    strange_time,
    literals.strange_identifier,
    literals.strange_number,
    strange_name,
)


def state_in(item: Mapping[str, object], witnesses: Sequence[Witness]) -> TaskState:
    """Return what *item*, the last line of an answer about *witnesses*, says of the unfinished."""
    found = {name: item[name] for name in ("task", "next") if item.get(name)}
    kept = {name: text for name, value in found.items() if (text := _borne_out(value, tuple(witnesses)))}
    return TaskState(kept.get("task", ""), kept.get("next", ""), len(found) - len(kept))


def _borne_out(value: object, witnesses: tuple[Witness, ...]) -> str:
    """Return *value* as it may be kept, "" when it may not."""
    text, problem = fields.text_of(value)
    if problem or not witnesses or units(text) > MOST_UNITS or problem_of(text) or order_in(text):
        return ""
    words = split_words(normal(text))
    for witness in witnesses:
        if any(len(words & tainted) * _TAINTED_SHARE >= len(words) > 1 for tainted in witness.tainted):
            return ""
    return "" if any(check(text, witnesses) for check in _LITERALS) else text
