"""A person settling conflicts at a terminal, one key a pair.

Every decision is kept at once, so leaving at any moment, also with Ctrl-C, loses nothing of what was decided.
"""

from __future__ import annotations

from collections import Counter

import click

from scrimshaw.cli.render import conflicts as render
from scrimshaw.cli.support.keys import key
from scrimshaw.cli.support.terminal import tell
from scrimshaw.services.insight.conflicts import ConflictDesk, Settlement

_ENDS = ("q", "", "\x1b", "\x04", "\x03")


def walk(desk: ConflictDesk) -> Counter[Settlement]:
    """Lay one conflict after the other before the person; return how many were settled, and how."""
    done: Counter[Settlement] = Counter()
    for conflict in desk.found.conflicts:
        if not desk.still_stands(conflict):
            continue  # one of the two went with an earlier pair
        tell("", *render.conflict_lines(conflict, desk.found))
        settlement = _asked()
        if settlement is None:
            break
        desk.settle(conflict, settlement)
        done[settlement] += 1
    return done


def _asked() -> Settlement | None:
    """Return what the person decides; None to leave."""
    while True:
        match _key():
            case "m":
                return Settlement.MERGE
            case "k":
                return Settlement.KEEP_BOTH
            case "d":
                tell("  Delete which: 1 or 2?")
                which = _key()
                if which in ("1", "2"):
                    return Settlement.DELETE_FIRST if which == "1" else Settlement.DELETE_SECOND
            case key if key in _ENDS:
                return None
        tell(render.KEYS)


def _key() -> str:
    try:
        return key().lower()
    except (KeyboardInterrupt, click.Abort):
        return "q"
