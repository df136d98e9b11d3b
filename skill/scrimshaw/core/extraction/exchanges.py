"""An exchange: what a person said, the work that followed, and the answer.

The unit the rules read. Keeps the order of the transcript and nothing else. An answer ends it: what the
assistant says or does after that belongs to another turn, whose message is no evidence or stands elsewhere (a
sub-agent's result, a host's prompt), and is an exchange without a person's message, like the rest of one in
whose middle a window begins.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from scrimshaw.core.types import Entry, Role


class Exchange(NamedTuple):
    """A person's message with what followed until the next one."""

    user: Entry | None
    answers: tuple[Entry, ...]  # assistant entries that say something
    calls: tuple[Entry, ...]  # assistant entries that call tools
    results: tuple[Entry, ...]

    @property
    def answer(self) -> Entry | None:
        """Return the last thing the assistant said."""
        return self.answers[-1] if self.answers else None

    @property
    def is_answered(self) -> bool:
        """Whether the last thing said came after the work; before it, it is a remark on the way."""
        return bool(self.answers) and self.answers[-1].position > max(
            (entry.position for entry in (*self.calls, *self.results)), default=-1
        )

    @property
    def has_work(self) -> bool:
        """Whether tools were used."""
        return bool(self.results) or bool(self.calls)


def exchanges(entries: Iterable[Entry]) -> Iterator[Exchange]:
    """Yield the exchanges of *entries* in order."""
    held: list[Entry] = []
    for entry in entries:
        if held and (entry.role is Role.USER or _is_over(held[-1], entry)):
            yield _exchange(held)
            held = []
        held.append(entry)
    if held:
        yield _exchange(held)


def _is_over(last: Entry, entry: Entry) -> bool:
    """Whether *last* was the answer: words without a call, before more words or a call of the assistant."""
    return (
        last.role is Role.ASSISTANT
        and entry.role is Role.ASSISTANT
        and bool(last.text.strip())
        and not last.calls
    )


def _exchange(held: list[Entry]) -> Exchange:
    user = held[0] if held[0].role is Role.USER else None
    rest = held[1:] if user else held
    return Exchange(
        user,
        tuple(entry for entry in rest if entry.role is Role.ASSISTANT and entry.text.strip()),
        tuple(entry for entry in rest if entry.role is Role.ASSISTANT and entry.calls),
        tuple(entry for entry in rest if entry.role is Role.TOOL),
    )
