"""How much room the section has, and the sum that says why (rule 2).

Everything is counted in UTF-16 code units of the text without its trailing white space, as the host
counts it. The section is heading, markers and body; the body is what the fold may fill. This module
knows sizes only: no file, no host, no text of the section.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

# What JavaScript's trimEnd() takes off. Python's rstrip() takes more (\x1c, \x85), which would undercount.
_TRAILING = "\t\n\v\f\r \xa0\u1680\u2028\u2029\u202f\u205f\u3000\ufeff" + "".join(
    map(chr, range(0x2000, 0x200B))
)

DREAMING_CAP = 10_000  # the host's own limit for the whole of MEMORY.md while its dreaming is on
DREAMING_RESERVE = 1_500  # left to the host's own promotions, which a full file defers for ever

# The preamble, one part heading and one short line: with less, a section would say nothing.
LEAST_BODY_UNITS = 240

_REST = "rest of MEMORY.md"


def units(text: str) -> int:
    """Return the UTF-16 code units of *text*, white space included; a lone surrogate counts one."""
    return len(text) if text.isascii() else len(text.encode("utf-16-le", "surrogatepass")) // 2


def utf16_units(text: str) -> int:
    """Return what the host counts for a file's *text*: UTF-16 code units of `content.trimEnd()`."""
    return units(text.rstrip(_TRAILING))


class Term(NamedTuple):
    """One upper bound on the section, as a sum a person can follow."""

    name: str
    cap: int
    minus: tuple[tuple[str, int], ...] = ()

    @property
    def room(self) -> int:
        """What this bound leaves for the section."""
        return self.cap - sum(amount for _, amount in self.minus)

    def __str__(self) -> str:
        """Return the sum in words: `per-file cap 20000 - rest of MEMORY.md 812 = 19188`."""
        taken = "".join(f" - {name} {amount}" for name, amount in self.minus)
        return f"{self.name} {self.cap}{taken}" + (f" = {self.room}" if self.minus else "")


class Budget(NamedTuple):
    """The room of the section, with every bound that was weighed.

    *section_units* bounds heading, markers and body together; *body_units* the body alone, 0 when no
    body may be written; then *reason* says why, else it is "".
    """

    terms: tuple[Term, ...]
    frame_units: int
    section_units: int
    body_units: int
    reason: str = ""

    @property
    def binding(self) -> Term:
        """The bound that decides."""
        return min(self.terms, key=lambda term: term.room)

    def arithmetic(self) -> tuple[str, ...]:
        """Return the lines `status` prints: each bound, the one that decides, and what is left for lines."""
        last = f"body: {self.section_units} - heading and markers {self.frame_units} = {self.body_units}"
        return (*(f"{term}{' (decides)' if term is self.binding else ''}" for term in self.terms), last)


def allowance(
    *,
    observation_chars: int,
    per_file_cap: int,
    total_cap: int,
    other_files: int,
    rest: int,
    is_dreaming: bool,
    frame: int,
) -> Budget:
    """Return the section's budget by rule 2; all arguments in UTF-16 units.

    *other_files* is what the other bootstrap files take of the total, *rest* is MEMORY.md without heading,
    markers and body, *frame* is heading and markers (core/section/markers: `rest_units`, FRAME_UNITS).
    """
    beside = (_REST, rest)
    terms = [
        Term("observation_chars", observation_chars),
        Term("per-file cap", per_file_cap, (beside,)),
        Term("total cap", total_cap, (("other bootstrap files", other_files), beside)),
    ]
    if is_dreaming:
        terms.append(Term("dreaming cap", DREAMING_CAP, (("left to dreaming", DREAMING_RESERVE), beside)))
    return _by_the_tightest(terms, frame)


def allowance_in_home(*, observation_chars: int, rest: int, frame: int) -> Budget:
    """Return the section's budget where no host reads MEMORY.md, which is kept as short all the same."""
    kept_short = Term("cap of MEMORY.md", DREAMING_CAP, (("left free", DREAMING_RESERVE), (_REST, rest)))
    return _by_the_tightest([Term("observation_chars", observation_chars), kept_short], frame)


def _by_the_tightest(terms: Sequence[Term], frame: int) -> Budget:
    tightest = min(terms, key=lambda term: term.room)
    section = max(0, tightest.room)
    body = section - frame
    if body < LEAST_BODY_UNITS:
        reason = (
            f"{tightest} leaves {max(0, body)} units for the body; {LEAST_BODY_UNITS} are needed for one line"
        )
        return Budget(tuple(terms), frame, section, 0, reason)
    return Budget(tuple(terms), frame, section, body)
