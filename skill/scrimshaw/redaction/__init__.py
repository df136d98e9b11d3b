"""Secrets out of text, before anything else sees it (rule 15).

Two ways to know a secret: by its shape (redaction/shapes) and by what is said around it:
a private-key block, credentials in a URL, a webhook, an authorization header, a value assigned to a
secret-like name, a password told in a sentence. What is found becomes `[redacted:<kind>]`; the text
around it stays. Redacting twice changes nothing.

Fast because nothing expensive runs over plain text: long unbroken runs are found by one byte
search, everything else by plain substring searches, and patterns only look at the places hit. All
quantifiers are bounded. Better a placeholder too many in a password's place than a secret kept,
but code that merely speaks of tokens and passwords stays as it is.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

from scrimshaw.redaction.cues import cued
from scrimshaw.redaction.shapes import TOKEN, TOKEN_HEADS, is_wallet_key, kind_of, proven
from scrimshaw.redaction.values import Hit, is_scrambled, sort_changes


class Redacted(NamedTuple):
    """A text without its secrets, and how many of each kind were taken out."""

    text: str
    counts: dict[str, int]


_RUN_LENGTH = 20  # no token known by its shape has a shorter unbroken run
_RUN = b"a" * _RUN_LENGTH
_RUN_TABLE = bytes(97 if (b < 128 and chr(b).isalnum()) or b in b"_-" else 32 for b in range(256))
_LOOK_BACK = 28  # "ya29.", "1234567890:", a first part and its dot stand before the run

_DIGIT = re.compile(r"[0-9]")
_BOUNDARY = re.compile(r"(?<![A-Za-z0-9])[A-Za-z0-9]")
_SHORTEST = 7  # "CVV 123"; a shorter text holds no secret and the word for it
_PASSES = 4  # a placeholder changes what stands beside it; in practice the second pass finds nothing


def redact(text: str) -> Redacted:
    """Return *text* with every secret replaced by `[redacted:<kind>]`, and the counts by kind."""
    if len(text) < _SHORTEST or not (hits := _settled(text, _hits(text))):
        return Redacted(text, {})
    counts: Counter[str] = Counter()
    for _ in range(_PASSES):
        parts, position = [], 0
        for hit in hits:
            parts += [text[position : hit.start], f"[redacted:{hit.kind}]"]
            position = hit.end
        text = "".join([*parts, text[position:]])
        counts.update(hit.kind for hit in hits)
        if not (hits := _settled(text, _hits(text))):
            break
    return Redacted(text, dict(counts))


def holds_token(name: str) -> bool:
    """Tell whether *name*, of a thing or a person, holds a secret of a known shape.

    A long number is an id, though one of them in ten could be a card's; so is what looks random after a cue.
    """
    found = {hit.kind for hit in _settled(name, _hits(name))}
    return bool(found - _VAGUE - {"card"})


_PLACEHOLDER = re.compile(r"\[redacted:[a-z0-9-]{1,40}\]")
# A known shape at the same place says more, and where it ends.
_VAGUE = frozenset({"secret", "key", "password"})


def _settled(text: str, hits: list[Hit]) -> list[Hit]:
    """Return the hits, those that overlap as one, the earlier first, and none that touches a placeholder."""
    if not hits:
        return []
    taken = [m.span() for m in _PLACEHOLDER.finditer(text)] if "[redacted:" in text else []
    settled: list[Hit] = []
    for hit in sorted(hits, key=lambda h: (h.start, h.kind in _VAGUE, -h.end)):
        if any(start < hit.end and hit.start < end for start, end in taken):
            continue
        if settled and hit.start < settled[-1].end:
            # Two readers see one secret differently, by its markup or a sign in it: all of it goes.
            if settled[-1].kind in _VAGUE and hit.kind in _VAGUE:
                settled[-1] = settled[-1]._replace(end=max(settled[-1].end, hit.end))
        else:
            settled.append(hit)
    return settled


def _hits(text: str) -> list[Hit]:
    hits = list(_tokens(text)) if len(text) >= _RUN_LENGTH else []
    hits += cued(text)
    hits += proven(text)
    return hits


def _tokens(text: str) -> Iterator[Hit]:
    """Yield the tokens known by shape. One byte a character, so that positions are the text's."""
    runs = text.encode("latin-1", "replace").translate(_RUN_TABLE)
    position = runs.find(_RUN)
    while position >= 0:
        end = runs.find(b" ", position + _RUN_LENGTH)
        end = len(runs) if end < 0 else end
        # Most long runs are identifiers: without a digit only a telling beginning makes a token.
        if _DIGIT.search(text, position, end) or text[position : position + 3] in TOKEN_HEADS:
            yield from _tokens_between(text, max(0, position - _LOOK_BACK), end)
        position = runs.find(_RUN, end)


def _tokens_between(text: str, start: int, end: int) -> Iterator[Hit]:
    for boundary in _BOUNDARY.finditer(text, start, end):
        token = TOKEN.match(text, boundary.start())
        if token is not None and _is_random(token.group()):
            kind = kind_of(token)
            if kind != "wif-key" or is_wallet_key(token.group()):
                yield Hit(token.start(), _end_over_lines(text, token.end()), kind)


_WRAP = re.compile(r"[ \t]{0,2}(?:\r?\n|(?:\\r)?\\n)[ \t>]{0,20}")
_REST = re.compile(r"[\w./+=-]{2,400}(?=[\s\\\"'`,;)<]|$)", re.ASCII)
_LINES = 80


def _end_over_lines(text: str, end: int) -> int:
    """Return where the token that ends at *end* ends, with the lines that it is wrapped to."""
    for line in range(_LINES):
        wrap = _WRAP.match(text, end)
        rest = _REST.match(text, wrap.end()) if wrap else None
        if rest is None or TOKEN.match(text, rest.start()) or "=" in rest.group().rstrip("="):
            break
        letters = "".join(c for c in rest.group() if c.isalnum())
        is_short_end = line > 0 and len(letters) < 8 and sort_changes(letters) >= 2
        if not (is_scrambled(letters) or is_short_end):
            break
        end = rest.end() - (rest.group()[-1] == ".")
    return end


def _is_random(token: str) -> bool:
    """Whether *token* is more than a shape filled with the same few letters (`sk-xxxx`, `npm_aaa`)."""
    return len(set(token)) >= 10 or (len(set(token)) >= 8 and _DIGIT.search(token, 4) is not None)
