"""What a sentence denies of its own words, and of which of them that cannot be told.

A denial reaches a few words far, to the next comma, bracket or conjunction; what says no in a word of its
own ("forbidden", "without", "left") leaves its part of the sentence unclear.
"""

from __future__ import annotations

import re

from scrimshaw.core.gate.tokens import Part, Placed, Says

_DENIES = re.compile(
    r"\b(?:no longer|not(?! only| just| more than| later than)|no(?! more than| later than"
    r"| less than| problem| doubt| matter|\.)"
    r"|never|none|nobody|nothing|neither|nor|without|cannot|instead of|rather than|zero"
    r"|(?<![\d.,:])0(?![\d.,:]))\b|n['’]t\b",
    re.IGNORECASE,
)
_SCOPE_END = re.compile(
    r"[,;:()?!]|\.(?:\s|$)|\s[-–—→]\s|\b(?:because|since|until|till|unless|if|when|but|so|after"
    r"|before|by|and|although|than"
    r"|while|as|just|only)\b",
    re.IGNORECASE,
)
_OF_NOUNS = frozenset({"no", "none", "without", "zero", "0"})
_NOTHING_MORE = re.compile(r"\s*(?:[,;:)!?]|\.(?:\s|$)|$)")
_GIVEN_UP = frozenset({"no longer", "rather than", "instead of"})
_LEFT_OPEN = frozenset({"n't", "n’t", "without", "not", "never", "neither", "cannot"})
_NOUN_END = re.compile(
    r"\b(?:on|in|at|for|from|with|to|of|via|through|per|over|under|during|is|are|was|will|can|any ?more)\b",
    re.IGNORECASE,
)
_ALONE = re.compile(r"\b(?:none|nothing|nobody|neither)\b(?!\s(?:of|but))", re.IGNORECASE)
_LEFT_BEHIND = re.compile(
    r"\b(?:mov|switch|chang|migrat|went|go|swap|rais|lower|cut)\w*\b[^;.]*?\bfrom\s+([^,;.]*?)(?=\s+to\b|[,;.]|$)",
    re.IGNORECASE,
)
_PREFERS_TO = re.compile(r"\bprefer\w*\b[^,;:]*?\bto\b", re.IGNORECASE)
_WORD_END = re.compile(r"[\w'’@#./-]+")
_SCOPE_WORDS = 6
# What says no in a word of its own, or sets limits: what it does so of cannot be told by where it stands.
_TURNS = re.compile(
    r"\b(?:forb[ia]d\w*|bans?|banned|prohibit\w*|disallow\w*|avoid\w*|exclu\w+|refus\w+|declin\w+"
    r"|reject\w*|den(?:y|ies|ied)"
    r"|stop\w*|cancel\w*|drop\w*|remov\w+|delet\w+|skip\w*|omit\w*|dislik\w*|hat(?:e|es|ed)|against"
    r"|quit\w*|away|lack\w*"
    r"|miss(?:es|ed|ing)?|left|leav\w+|unless|freez\w+|frozen|block\w*|instead|rather|over"
    r"|ourselves|themselves|myself|yourself|himself|herself"
    r"|replac\w+|former\w*"
    r"|except|too|otherwise|less|allerg\w+|intoleran\w+|disabl\w+|off|fail\w*|un(?!til|der|it|i|cle"
    r"|less)\w{4,}|free|empty|alone|outside"
    r"|turned down|at most|max\w*|limit\w*|opposed|pause\w*|hold|wait\w*|mut(?:e|es|ed|ing)"
    r"|silenc\w+|hid(?:e|es|den|ing)|ignor\w+|suppress\w*|revok\w+|reverts?|reverted|withdr\w+"
    r"|whether|nowhere|hardly|barely|rarely|ended|ends|wrong)\b",
    re.IGNORECASE,
)
NO = re.compile(r"\b(?:not|no|never|none|cannot|nor|neither)\b|n['’]t\b", re.IGNORECASE)


def with_denials(placed: list[Placed], text: str, part: Part, speaker: str) -> list[Placed]:
    """Mark what the sentence denies, and where it cannot be told."""
    if text.rstrip().endswith("?") or (speaker == "tool" and NO.search(text)):
        return [(start, end, token._replace(says=Says.UNCLEAR)) for start, end, token in placed]
    turning = list(_TURNS.finditer(text))
    unclear = {part(match.start()) for match in turning}
    spans = []
    for match in _DENIES.finditer(text):
        stop = _SCOPE_END.search(text, match.end())
        limit = stop.start() if stop else len(text)
        if match.group().lower() in _OF_NOUNS and (noun_end := _NOUN_END.search(text, match.end(), limit)):
            limit = noun_end.start()
        words = list(_WORD_END.finditer(text, match.end(), limit))[:_SCOPE_WORDS]
        if match.group().lower() in _LEFT_OPEN and _NOTHING_MORE.match(
            text, match.end()
        ):  # "with breakfast 210, the other one 165 without."
            unclear.update(token.part for _, _, token in placed)
        how = Says.ENDED if match.group().lower() in _GIVEN_UP else Says.DENIED
        spans.append((match.start(), words[-1].end() if words else match.end(), how))
    if _ALONE.search(text):
        unclear = {token.part for _, _, token in placed}
    after = [(match.end(), len(text)) for match in _PREFERS_TO.finditer(text)]
    after += [match.span(1) for match in _LEFT_BEHIND.finditer(text)]
    marked = []
    for start, end, token in placed:
        is_turning = any(
            match.start() == start for match in turning
        )  # "not allergic": the word itself is denied
        if (token.part in unclear and not is_turning) or any(a <= start < b for a, b in after):
            token = token._replace(says=Says.UNCLEAR)
        elif hows := [how for a, b, how in spans if a <= start < b]:
            token = token._replace(says=hows[-1])
        marked.append((start, end, token))
    return marked
