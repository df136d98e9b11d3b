"""What in a text can be found again: numbers, dates, names, identifiers.

A statement that holds none of these and decides nothing is small talk. By form only, never by
what something is called.
"""

from __future__ import annotations

import re

from scrimshaw.core.language.patterns import Phrases, phrases
from scrimshaw.core.text.languages import ENGLISH

PLACEHOLDER = Phrases(r"\[redacted[^\]]*\]")

MONTH = ENGLISH.pattern("month")

DATE_WORDS = Phrases(
    rf"\b(?:\d{{4}}-\d\d-\d\d|{MONTH}\.? \d{{1,2}}(?:st|nd|rd|th)?(?!\d)|\d{{1,2}}(?:st|nd|rd|"
    rf"th)?(?: of)? {MONTH}\b|today|tonight|tomorrow|yesterday|this (?:morning|afternoon|evening)|(?:mon|"
    rf"tues|wednes|thurs|fri|satur|sun)days?|(?:next|last|this) (?:week|month|year|weekend)|"
    rf"in (?:\w+) (?:days?|weeks?|months?)|\d{{1,2}}[:.]\d\d\b|the \d{{1,2}}(?:st|nd|rd|th)|(?:in|until|"
    rf"from|since|by|before|after) {MONTH}\b)"
)

# The day it was said tells nothing that the line's own date does not.
SOFT_DATE = phrases(r"today / tonight / this (?:morning|afternoon|evening|week|month|year|weekend)")

# What else tells when, once those are cut: a month alone, a year, an hour.
_WHEN = Phrases(rf"\b(?:{MONTH}\b(?: \d{{1,2}})?|(?:19|20)\d\d|\d{{1,2}} ?[ap]m|utc)\b")

NUMBER = re.compile(r"(?<![\w.])[$€£]?\d+(?:[.,:]\d+)*(?:\s?%|[A-Za-z]{0,3})?(?![\w])")

_QUOTED = re.compile(r"`[^`\n]{2,80}`")
_IDENTIFIER = re.compile(
    r"[A-Z]{2,}-\d+|[\w.-]+/[\w./-]+|\w+_\w+|[a-z]+[A-Z]\w*|[a-z]+\d[\w.-]*|\w[\w-]*\.(?:[a-z]{2,4}|[ch])|"
    r"v?\d+\.\d+(?:\.\d+)+"
)
VERSION = re.compile(r"\b[A-Z][\w.+#-]*(?: \d)? v?\d+(?:\.\d+)+\b|\bv\d+(?:\.\d+)+\b")

NAME = re.compile(r"(?<=[a-z0-9,;:] )(?!I\b|I'|OK\b)[A-Z][\w'-]+(?: [A-Z][\w'-]+)*")

# A name that begins a sentence: what it does follows.
NAME_FIRST = re.compile(
    r"^[A-Z][a-z]{2,}(?:'s)? (?:(?!this|is\b|was\b|has\b|does\b)[a-z]{3,}s|is|was|has|said|told|checked|"
    r"asked|wants) "
)

SELF = Phrases(r"\b(?:i|i'm|i've|i'll|my|me|we|our|us|we're|we've)\b")

# What people plan by.
WEIGHTY = phrases(
    r"""
    deadlines? / due / goals? / targets? / milestones? / budget / total / limit(?:ed)? / at most / at least
    every
"""
)


def identifiers(text: str) -> list[str]:
    """Return what in *text* names one thing by its form: code, paths, tickets, file names, host names."""
    found = _QUOTED.findall(text) if "`" in text else []
    for token in text.split():
        # Plain words are most of any text: no pattern needs to look at them.
        if token.isalpha() and token[1:].islower():
            continue
        bare = token.strip(".,;:!?()[]\"'")
        if bare[:1] != "`" and _IDENTIFIER.fullmatch(bare):
            found.append(bare)
    return found


def without_days(text: str) -> str:
    """Return *text* without what tells when: days, months, years and hours."""
    return _WHEN.cut(DATE_WORDS.cut(text, " "), " ")


def has_anchor(text: str) -> bool:
    """Tell whether *text* holds something that can be found again."""
    return bool(
        NUMBER.search(text)
        or DATE_WORDS.search(text)
        or NAME.search(text)
        or NAME_FIRST.match(text)
        or identifiers(text)
    )


def has_hard_anchor(text: str) -> bool:
    """Tell whether *text* holds a number or a date."""
    return bool(NUMBER.search(text) or DATE_WORDS.search(text))
