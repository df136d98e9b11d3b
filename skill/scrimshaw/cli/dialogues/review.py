"""A person going through the review list at a terminal, one key a proposal.

Every decision is kept at once, so leaving at any moment, also with Ctrl-C, loses nothing of what was decided.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum

import click

from scrimshaw.cli.render import review as laying_out
from scrimshaw.cli.support.keys import Leaving, key
from scrimshaw.cli.support.terminal import printable, tell
from scrimshaw.core.ledger.observations import breaks_rule
from scrimshaw.services.edit.review import Decided, ReviewOutcome, ReviewQueue
from scrimshaw.store.records import Rejection
from scrimshaw.workspace import Target

_KEYS = "  [a]ccept  [e]dit  [r]eject  [s]kip  [q]uit   all that remain: [A]ccept, [R]eject"


class Ending(StrEnum):
    """How somebody came to the end of a list."""

    THROUGH = "through"
    LEFT = "left"
    BROKEN_OFF = "broken-off"  # Ctrl-C


def walk(target: Target, review: ReviewQueue, reason: str) -> Ending:
    """Lay one proposal after the other before the person."""
    waiting = review.waiting(reason)
    originals = review.originals(waiting)
    try:
        for at, one in enumerate(waiting):
            tell("")
            for number, line in enumerate(laying_out.proposal_lines(one, originals, review, target.zone)):
                tell(line if number else f"[{at + 1}/{len(waiting)}] {line}")
            if _is_all_decided(review, one, waiting[at:]):
                break
    except Leaving:
        return Ending.LEFT
    except (KeyboardInterrupt, click.Abort):
        tell("")
        return Ending.BROKEN_OFF
    return Ending.THROUGH


def _is_all_decided(review: ReviewQueue, one: Rejection, remaining: Sequence[Rejection]) -> bool:
    """Ask about *one* until something is decided; True when that was about all that remain."""
    tell(_KEYS)
    while True:
        match key():
            case "a":
                decided = review.accept(one.number)
            case "e":
                decided = _edited(review, one)
            case "r":
                decided = review.reject(one.number)
            case "s" | " ":
                return False
            case "q" | "" | "\x1b" | "\x04":
                raise Leaving
            case "A" if _agrees_to_all(remaining):
                _tell_all([review.accept(each.number, is_one_of_many=True) for each in remaining])
                return True
            case "R" if click.confirm(f"Reject all {len(remaining)} that remain?", default=False):
                _tell_all([review.reject(each.number) for each in remaining])
                return True
            case _:
                tell(_KEYS)
                continue
        tell(laying_out.decided_line(decided))
        if decided.outcome is not ReviewOutcome.NOT_POSSIBLE:
            return False
        tell(_KEYS)


def _agrees_to_all(remaining: Sequence[Rejection]) -> bool:
    refused = sum(breaks_rule(one.rejected.reason) for one in remaining)
    become = "it becomes" if refused == 1 else "they become"
    told = f" {refused} of them broke a rule: {become} your own words." if refused else ""
    return click.confirm(f"Accept all {len(remaining)} that remain?{told}", default=False)


def _tell_all(decided: Sequence[Decided]) -> None:
    for one in decided:
        if one.outcome is ReviewOutcome.NOT_POSSIBLE:
            tell(laying_out.decided_line(one))


def _edited(review: ReviewQueue, one: Rejection) -> Decided:
    """Let the person change the words; nothing typed leaves the proposal as it is."""
    before = printable(one.rejected.proposal.text)
    try:
        text = _typed(before)
    except EOFError:
        raise Leaving from None
    if not text.strip():
        return Decided(one.number, ReviewOutcome.NOT_POSSIBLE, detail="nothing was typed")
    return review.edit(one.number, text)


def _typed(before: str) -> str:
    """Return a line that begins as *before*, to be changed with the usual keys where the system has them."""
    try:
        import readline  # not everywhere
    except ImportError:
        tell("  Type it again:")
        return input("  > ")
    readline.set_startup_hook(lambda: readline.insert_text(before))
    try:
        return input("  > ")
    finally:
        readline.set_startup_hook(None)
