"""Whose memory is searched: a question that names the owner asks what the lines say without a name.

A line's subject is its owner, left out (templates/observer-prompt). "When did Ana move?" would find the few
lines that happen to hold "Ana" first. So the owner's name becomes "I" and "my" in English, as a line's own
words are, and is left out in other languages; a question of nothing but the name keeps it. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Collection

from scrimshaw.core.search.tongue import is_english

_LETTER = re.compile(r"[^\W_]")


def as_the_owner_asks(question: str, names: Collection[str]) -> str:
    """Return *question* as the one asks it whose *names* these are; as it is when it holds none of them."""
    if not names:
        return question
    one = "|".join(re.escape(name) for name in sorted(names, key=lambda name: (-len(name), name)))
    named = re.compile(rf"(?<![\w'’-])(?:{one})(?:\s+(?:{one}))*(?P<whose>['’]s?)?(?![\w-])")
    if not named.search(question) or not _LETTER.search(named.sub("", question)):
        return question
    if is_english(question):
        return named.sub(lambda found: "my" if found["whose"] else "I", question)
    return " ".join(named.sub("", question).split())
