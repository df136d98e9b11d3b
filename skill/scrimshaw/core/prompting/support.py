"""Whether the entries that a model's line cites stand by what it makes of them: done, or the person's wish.

A model readily takes a plan for its outcome, and an order that a page gives for what the person wants. What
is only meant, asked or wished in every entry cited is not done; and an order that no person gave goes into no
memory: an agent would read it there as one of its own. In doubt the entries stand by the line: whether its
words are true to them is core/verification/verify's matter.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from scrimshaw.core.language import PatternTable, cues, fillers, reports
from scrimshaw.core.ledger.known_lines import content_words
from scrimshaw.core.text.normalize import normal
from scrimshaw.core.text.stems import share_held, split_words
from scrimshaw.core.types import Role
from scrimshaw.core.verification.source import Witness

_MOST_CHARS = 20_000  # of an entry that are looked through
_LEAST_SHARED = 2  # words of a clause with the line, or half of them
_ORDER_SHARE = 0.33
_SENTENCES = re.compile(r"(?<=[.!?])\s+|\n")
_CLAUSES = re.compile(r"[;,:]\s+|\s+(?:and|but|then|so)\s+")

_support = PatternTable("support")


def is_plan(text: str) -> bool:
    """Tell whether *text* itself says no more than that something is meant."""
    return _support.PLAN.match(text) is not None


def is_reported(text: str, cited: Sequence[Witness]) -> bool:
    """Tell whether an entry says that what *text* tells has come about, as far as words show.

    A tool's result and the call of a tool show it; of what was said, a clause that is about it, or reports
    anything, and neither asks nor looks ahead.
    """
    own = content_words(text)
    return any(
        one.entry.role is Role.TOOL
        or one.entry.calls
        or any(_is_report(clause, own) for clause in _said(one))
        for one in cited
    )


def _said(one: Witness) -> Iterator[str]:
    """Yield the clauses of an entry that neither ask, nor request, nor look ahead."""
    for sentence in _SENTENCES.split(one.spoken[:_MOST_CHARS]):
        is_asked = sentence.rstrip("\"') ").endswith("?")
        is_request = one.entry.role is Role.USER and fillers.IMPERATIVE.match(sentence.lstrip())
        if not (is_asked or is_request):
            yield from (
                clause for clause in _CLAUSES.split(sentence) if _support.AHEAD.search(clause) is None
            )


def _is_report(clause: str, own: frozenset[str]) -> bool:
    if cues.COMPLETION.search(clause) or reports.SUCCEEDED.search(clause):
        return True
    shared = content_words(clause) & own
    return len(shared) >= _LEAST_SHARED or (bool(shared) and 2 * len(shared) >= len(own))


def is_nobodys_order(text: str, speaker: Role, cited: Sequence[Witness]) -> bool:
    """Tell whether *text* is an order, or a wish, that only a tool's result holds, or the assistant said.

    What names its source ("CONTRIBUTING.md says: always …") is a fact about that.
    """
    is_order = _support.ORDER.match(text) is not None
    if speaker is not Role.USER:
        return is_order
    talkers = [one for one in cited if one.entry.role is not Role.TOOL]
    if len(talkers) == len(cited):
        return False
    words = split_words(normal(text))
    share = share_held(words, frozenset().union(*(one.spoken_words for one in talkers)))
    return share < _ORDER_SHARE if is_order else share == 0
