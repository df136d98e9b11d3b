"""One spelling for texts that are compared, and the marks that tell two texts apart that read alike.

One figure, name or denial of difference makes a line news, however alike the words around it are.
Knows neither lines nor entries, so that anything may be compared.
"""

from __future__ import annotations

import re
from functools import lru_cache

_PLAIN = (("`", " "), ("*", " "))
_MARKS = (*zip("’‘“”–—\u00a0\u202f", "''\"\"--  ", strict=True), *_PLAIN)
_LINE_CHARS = 1_000  # so much is kept once it was made normal
_FIGURE = re.compile(r"\b\w*\d[\w.:/-]*")
_DENIAL = re.compile(r"\b(?:not|no|never|without|cannot)\b|n't\b")
# "dont", as people type it; "wont" is a word that nobody types to an agent, "cant" is one too.
_NO_APOSTROPHE = re.compile(
    r"\b(ai|are|ca|could|did|does|do|had|has|have|is|might|must|need|sha|should|was|were|would|wo)nt\b",
    re.IGNORECASE,
)
# How they end; "want" and "went" do not, and the pattern is tried at every letter of a text.
_ENDINGS = ("aint", "arent", "cant", "dnt", "snt", "dont", "havent", "tnt", "shant", "werent", "wont")
_WITHOUT = re.compile(r"(?<![\w/.])w/o(?![\w/.])")
CAPITAL = re.compile(r"(?<![\w/.@'’-])([^\W\d_a-z][\w'’]*(?:-\w+)*)")

EAST = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]")  # a letter of Chinese or Japanese


def lowered(text: str) -> str:
    """Return *text* in lower case, as long as it was: the few letters that grow stay, so that places hold."""
    lower = text.lower()
    return (
        lower if len(lower) == len(text) else "".join(c.lower() if len(c.lower()) == 1 else c for c in text)
    )


def denials_spelled(text: str) -> str:
    """Return *text* with "dont" and its like as "don't", and "w/o" in full."""
    if "w/o" in text:
        text = _WITHOUT.sub("without", text)
    lower = text.lower()
    if "nt" not in lower or not any(map(lower.__contains__, _ENDINGS)):
        return text
    return _NO_APOSTROPHE.sub(r"\1n't", text)


def normal(text: str) -> str:
    """Return *text* in lower case with plain quotes, dashes, denials and single spaces."""
    return _normal_line(text) if len(text) <= _LINE_CHARS else _normal(text)


def _normal(text: str) -> str:
    # One `replace` per mark is many times faster than `str.translate`, which visits each character.
    for mark, plain in _PLAIN if text.isascii() else _MARKS:
        text = text.replace(mark, plain)
    return denials_spelled(" ".join(text.split()).lower())


_normal_line = lru_cache(maxsize=1024)(_normal)  # a line and what it cites are compared in many ways


@lru_cache(maxsize=64)
def marks(text: str, lower: str) -> tuple[str, ...]:
    """Return the figures and names of *text* and how often it denies; *lower* is it made `normal`."""
    return (
        *sorted(_FIGURE.findall(lower)),
        *sorted(CAPITAL.findall(text[1:])),
        str(len(_DENIAL.findall(lower))),
    )
