"""Whether chatter is told from memories (`python -m bench junk`).

Lines written for it (bench/junk_lines): what hosts and agents leave behind, and lines worth keeping, many of
which hold the words of chatter. A store like one that was 97.8 % junk for a month is made of them.
"""

from __future__ import annotations

from collections.abc import Sequence

from bench.material import ROOT
from scrimshaw.core.insight.junk import is_chatter

LINES = ROOT / "bench/junk_lines"


def lines_of(name: str) -> list[str]:
    """Return the lines of *name*, "junk" or "good"."""
    rows = (LINES / f"{name}.txt").read_text(encoding="utf-8").splitlines()
    return [row for row in rows if row and not row.startswith("#")]


def main(_arguments: Sequence[str]) -> int:
    """Print how much of the junk is found, and how much of the good."""
    for name in ("junk", "good"):
        lines = lines_of(name)
        found = sum(map(is_chatter, lines))
        print(f"{name}: {found} of {len(lines)} taken for chatter ({found / len(lines):.1%})")
    return 0
