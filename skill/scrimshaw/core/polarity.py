"""Whether a note says the same way round as what it was taken from.

No understanding, three signs: a denial beside words that the source states plainly, a denial in the
source that the note has lost, and a word whose opposite stands in the source instead. When signs
are mixed the note is let pass: this check is measured on its own and promises no completeness.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from scrimshaw.core.claims import stem
from scrimshaw.core.wording import STOP, split_stems, split_words

_NEGATION = re.compile(
    r"\b(?:not|no|never|none|nobody|nothing|neither|nor|without|cannot|n't|don't|doesn't|didn't|won't|wouldn't|can't|couldn't"
    r"|isn't|aren't|wasn't|weren't|hasn't|haven't|hadn't|shouldn't|mustn't|no longer|any more|refus\w+|declin\w+|forbid\w*|avoid\w*)\b"
    r"|(?<=\w)n't\b"
)
# What says a denial in other words: a source with one of these may well be denied by a faithful note.
_TURNING = (
    r"only|except|unless|instead|rather|stop\w*|drop\w*|cancel\w*|remov\w*|exclud\w*|skip\w*|lack\w*|miss\w*|fail\w*|reject\w*"
    r"|retract\w*|un\w{4,}|dis\w{4,}|off|zero|wrong|ban|banned|block\w*|hate\w*|against|from .{2,40} to|mov\w+|until|offline"
)
_TURNS = re.compile(rf"\b(?:{_TURNING})\b")
# And what may stand for the denial that a source holds.
_SOFTENED = re.compile(
    rf"\b(?:{_TURNING}|before|after|too|keep\w*|stay\w*|less|end\w*|over|prefer\w*|bad|still|ignore\w*|free|at most|max\w*)\b"
)
_CLAUSE = re.compile(
    r"[.!?;:\n]+\s*|,\s+(?=(?:but|and|so|because|since|while|although|or|then|we|i|it|they|he|she)\b)|\s+-\s+|\bbut\b|\bbecause\b"
)
_OPPOSITES = [
    pair.split("/")
    for pair in ["enable/disable", "on/off", "approve/reject", "accept/reject", "accept/decline", "pass/fail", "succeed/fail", "allow/forbid", "allow/deny", "keep/drop", "keep/remove", "with/without", "before/after", "uppercase/lowercase", "more/less", "increase/decrease", "start/stop", "like/dislike", "open/closed", "open/close", "add/remove", "include/exclude", "win/lose", "buy/sell", "up/down", "first/last", "always/never", "before/until", "cheaper/pricier", "faster/slower", "higher/lower", "longer/shorter", "earlier/later", "can/cannot", "start/end", "public/private", "left/right", "import/export", "love/hate", "agree/disagree", "connect/disconnect", "install/uninstall", "join/leave", "rise/fall", "minimum/maximum", "best/worst", "internal/external", "success/failure", "working/broken", "safe/unsafe", "possible/impossible", "available/unavailable", "required/optional", "correct/incorrect", "correct/wrong", "valid/invalid", "online/offline", "gain/loss", "upgrade/downgrade", "daily/weekly", "monthly/yearly", "raise/lower", "married/divorced", "short/long", "morning/evening"]
]
_OPPOSITE: dict[str, set[str]] = {}
for _one, _other in _OPPOSITES:
    _OPPOSITE.setdefault(stem(_one), set()).add(stem(_other))
    _OPPOSITE.setdefault(stem(_other), set()).add(stem(_one))


class Stance(NamedTuple):
    """One clause: its content words, which of them stand beside a denial, and all its stems."""

    words: frozenset[str]
    denied: frozenset[str]
    stems: frozenset[str]
    text: str


def stances(lower: str) -> tuple[Stance, ...]:
    """Return the clauses of *lower*, each with what it denies."""
    found = []
    for clause in _CLAUSE.split(lower):
        stems = split_stems(clause)
        if not stems:
            continue
        denied: frozenset[str] = frozenset()
        for match in _NEGATION.finditer(clause):
            after = " ".join(clause[match.end() :].split(" ")[:7])
            before = " ".join(clause[: match.start()].split(" ")[-3:])
            denied |= split_words(after) | split_words(before)
        found.append(Stance(stems - STOP, denied, stems, clause))
    return tuple(found)


def contradiction(note: tuple[Stance, ...], source: tuple[Stance, ...]) -> str:
    """Return what *note* turns round against *source*, "" when nothing is seen."""
    for clause in note:
        if len(clause.words) < 1:
            continue
        near = max(
            source, key=lambda other: (len(clause.words & other.words), -len(other.words)), default=None
        )
        if near is None or len(clause.words & near.words) * 2 < min(len(clause.words), len(near.words)):
            continue
        if found := _turned(clause, near, source, note):
            return found
    return ""


def _turned(clause: Stance, near: Stance, source: tuple[Stance, ...], note: tuple[Stance, ...]) -> str:
    shared = clause.words & near.words
    any_denied = frozenset().union(*(s.denied for s in source))
    note_denied = frozenset().union(*(s.denied for s in note))
    if clause.denied & shared and not near.denied and not _TURNS.search(near.text) and not clause.denied & any_denied:
        return "the note denies what the source states"
    if near.denied & shared and not note_denied and not any(_SOFTENED.search(s.text) for s in note):
        return "the source denies what the note states"
    stated = frozenset().union(*(s.stems for s in source))
    said = frozenset().union(*(s.stems for s in note))
    for word in sorted(clause.stems - stated):
        against = _OPPOSITE.get(word, set()) & near.stems
        if against and not against & said and not (near.denied or clause.denied):
            return f'the note says "{word}", the source "{min(against)}"'
    return ""
