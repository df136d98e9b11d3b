"""The features of a sentence for the weigher: words, parts of words, pairs of words, form and position.

Each feature is hashed to a bucket number, so no vocabulary is shipped; there are so many buckets that few
features share one, and weights for the most telling of them only. Chinese and Japanese, written without
spaces, are read in pieces of one to three characters; other scripts by whole words and by their parts of
three or four letters, which inflected forms and related languages have in common.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from enum import Enum
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple
from zlib import crc32

BUCKETS = 1 << 20
_LAST = BUCKETS - 1
FORMS = 256  # rows for what is told of the form alone; a few names of it share one
_PARTS = (3, 4)  # letters
_MOST_CHARS = 400  # of a sentence; the rest is not read
_TOKEN = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]+|\d+(?:[.,:]\d+)*|[^\W\d_]+(?:['’][^\W\d_]+)?|[^\w\s]")
_EAST = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]")
_NAME = re.compile(r"(?<=[^\W_] )[A-ZÀ-ÖØ-Þ][^\W\d_]+|(?<=, )[A-ZÀ-ÖØ-Þ][^\W\d_]+")
_DIGIT = re.compile(r"\d")
_MOST_COUNTED = 4
_LENGTHS = (8, 14, 20, 28, 38, 50, 65, 85, 110, 150, 200)  # characters; a Chinese or Japanese one counts 2.5


class Speaker(Enum):
    """Who said a sentence: the owner, or the other person of a conversation."""

    OWNER = "U"
    OTHER = "V"


class Sentence(NamedTuple):
    """A sentence, and where it stands in its message and in the conversation."""

    text: str
    speaker: Speaker = Speaker.OWNER
    at: int = 0  # the position of the sentence in its message, from 0
    of: int = 1
    answers: bool = False  # the message before it, from the other side, ends in a question
    opens: bool = False  # stands in the first message of a conversation


class Form(NamedTuple):
    """How a sentence is written and where it stands: everything but its words."""

    length: int  # index of its length class in _LENGTHS
    digits: int
    names: int
    place: str
    of: int
    end: str
    speaker: str
    answers: bool
    opens: bool
    is_lower: bool


def buckets(sentence: Sentence) -> list[int]:
    """Return the buckets of *sentence*'s features, with repeats."""
    said = tokens(sentence.text)
    found = [bucket for token in said for bucket in parts_of(token)]
    found += edges_of(said)
    found += pairs_of(said)
    found += buckets_of(form_of(sentence))
    return found


def tokens(text: str) -> list[str]:
    """Return the lower-case words, numbers, punctuation marks and runs of Chinese or Japanese in *text*."""
    return _TOKEN.findall(text[:_MOST_CHARS].lower().replace("’", "'"))


def edges_of(said: list[str]) -> tuple[int, ...]:
    """Return the buckets for the first and the last tokens of a sentence."""
    if not said:
        return ()
    return (
        _bucket(f"first {said[0]}"),
        _bucket(f"last {said[-1]}"),
        _bucket(f"begin {' '.join(said[:2])}"),
    )


@lru_cache(maxsize=1 << 14)
def parts_of(token: str) -> tuple[int, ...]:
    """Return the buckets of one token and its parts."""
    if _EAST.match(token):
        return tuple(
            _bucket(token[at : at + size]) for size in (1, 2, 3) for at in range(len(token) - size + 1)
        )
    if token[0].isdigit():
        return (_bucket(token), _bucket(_DIGIT.sub("0", token)))
    framed = f"<{token}>"
    parts = (
        _bucket(f"part {framed[at : at + size]}")
        for size in _PARTS
        if len(framed) > size
        for at in range(len(framed) - size + 1)
    )
    return (_bucket(token), *parts)


def pairs_of(said: list[str]) -> list[int]:
    """Return the buckets of each two words beside each other, then of those with a word between."""
    joints = [_joint_of(token) for token in said]
    beside = [crc32(other[2], one[0]) & _LAST for one, other in pairwise(joints)]
    return beside + [crc32(other[2], one[1]) & _LAST for one, other in zip(joints, joints[2:], strict=False)]


@lru_cache(maxsize=1 << 14)
def _joint_of(token: str) -> tuple[int, int, bytes]:
    """Return what a pair's checksum starts from, beside the other and with a word between, and its end."""
    told = token.encode(errors="replace")
    return crc32(told), crc32(b"skip " + told), b" " + told


def form_of(sentence: Sentence) -> Form:
    """Return the form of *sentence*."""
    text = sentence.text[:_MOST_CHARS]
    chars = len(text) if text.isascii() else len(text) + 1.5 * len(_EAST.findall(text))
    end = text.rstrip()[-1:]
    last = sentence.at == sentence.of - 1
    return Form(
        length=bisect_left(_LENGTHS, chars),
        digits=min(len(_DIGIT.findall(text)), _MOST_COUNTED),
        names=min(len(_NAME.findall(text)), _MOST_COUNTED),
        place="only" if sentence.of == 1 else "first" if not sentence.at else "last" if last else "inner",
        of=min(sentence.of, 6),
        end="asks" if end in ("?", "？") else "cries" if end in ("!", "！") else "tells",
        speaker=sentence.speaker.value,
        answers=sentence.answers,
        opens=sentence.opens,
        is_lower=text[:1].islower(),
    )


@lru_cache(maxsize=1 << 12)
def buckets_of(form: Form) -> tuple[int, ...]:
    """Return the buckets of a sentence's form."""
    third = form.length // 3
    names = (
        f"#length {form.length}",
        f"#digits {form.digits}",
        f"#names {form.names}",
        f"#place {form.place}",
        f"#of {form.of}",
        f"#{form.end}",
        f"#{form.end} {third}",
        f"#{form.speaker}",
        f"#{form.speaker} {form.end}",
        f"#answers {form.answers} {third}",
        f"#opens {form.opens}",
        f"#lower {form.is_lower}",
        "#every",
    )
    return tuple(map(_bucket, names))


def forms_of(form: Form) -> list[int]:
    """Return which of the FORMS rows the form of a sentence has."""
    both = (f"#{form.place} {form.answers}", f"#{form.place} {form.length // 3}")
    return sorted({bucket % FORMS for bucket in (*buckets_of(form), *map(_bucket, both))})


def _bucket(name: str) -> int:
    return crc32(name.encode(errors="replace")) & _LAST
