"""A text as its sentences and their pieces, each with what it denies, has, leaves out and turns.

Pieces are cut at commas, brackets and conjunctions. What is asked is a sentence without pieces: who asks
states nothing. Texts in, words out; what follows from them is core/verification/denials' matter.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from scrimshaw.core.ledger.known_lines import WORDS_KEPT
from scrimshaw.core.text.normalize import normal
from scrimshaw.core.text.stems import STOP, stem_of
from scrimshaw.core.verification.opposites import PHRASE, SIDES
from scrimshaw.core.verification.turning import TURN, turning_words

_SENTENCE = re.compile(
    r"(?<=[\w)\"'%/ ][.!?])(?<!\bdr\.)(?<!\bmrs\.)(?<!\bmr\.)(?<!\bms\.)(?<!\bincl\.)(?<!\bexcl\.)\s+|;\s|\n"
)
_CUT = re.compile(
    r",\s|:\s|\s-+\s|\s?→\s?|[()]|\b(?:but|because|as|since|while|whereas|so|although|though|if|unless|when"
    r"|which|who|until|till|than|instead of|rather than|and|or|then|(?<!not )(?:before|after))\b"
)
NO = re.compile(
    r"\b(?:not(?! only| just| more than| later than| mind)|no(?! more than| later than| less than| problem"
    r"| doubt| matter|\.| ?\d)|never|none|nobody|nothing|neither|nor|cannot|without|no longer|zero|except"
    r"|excluding|excl|minus)\b|n't\b(?! mind)|(?<![\d.,:\[-])0(?![\d.,:%\]]|\s?%)"
)
_LEFT = re.compile(r"\bwithout\b")
_INSTEAD = re.compile(
    r"\b(?:instead of|rather than|in place of|dropp?(?:s|ed|ing)?|remov(?:es?|ed|ing)|cancel\w*|skip\w*"
    r"|omit\w*)\b"
)
_OF_NOUNS = frozenset(
    {"no", "without", "except", "excluding", "excl", "minus", "0", "zero", "none", "nothing"}
)
_WITH = re.compile(
    r"\b(?:with|including|incl|plus|some|only|also|additionally|besides|as well as|again"
    r"|(?<!no )more(?! than)|(?:has|have)(?! to\b)|gets?)\b"
)
_MAY = re.compile(r"\b(?:may|can)\b(?! not\b| be\b)")
_ONLY = re.compile(r"\bonly\b")
_NOUN_END = re.compile(
    r"\b(?:on|in|at|for|from|to|of|via|through|per|during|is|are|was|will|can|any ?more)\b"
)
_CONDITION = re.compile(
    r"\s*(?:\w+\s)?(?:before|until|till|unless|without|after|if|when|once|earlier|later)\b"
)
_BARE = re.compile(r"(?:n't|\bnot|\bnone|\bno)(?=$|[.,;:!)])")
_LAST_NO = re.compile(r"^(?!no |not )(\w+(?: \w+){0,3}) (?:no|not)[.!]*$")  # "refund yes, voucher no"
_SAYS_NO = re.compile(r"\W*(?:no|nope|not|never)\b")
_ISO = re.compile(r"\b\d{4}-\d\d-\d\d\b|(?<=\d):00\b")
_THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}\b)")
_WORD = re.compile(r"[^\W_]+")
_NOT_SAID_TEXT = """
user assistant want prefer said asked never none nothing nobody neither without except excluding excl minus
zero instead rather longer isn aren wasn weren doesn don didn won wouldn couldn shouldn mustn hasn haven hadn
ain already yet again only still does goes was has
"""
_NOT_SAID = frozenset(map(stem_of, _NOT_SAID_TEXT.split()))
_FIGURES_TEXT = "zero one two three four five six seven eight nine ten eleven twelve"
_FIGURES = {word: str(number) for number, word in enumerate(_FIGURES_TEXT.split(" "))}
_SHORT_FORMS = {"incl": "including", "excl": "excluding"}
_RELATIONS = frozenset(
    map(
        stem_of,
        (
            "with",
            "without",
            "has",
            "have",
            "over",
            "under",
            "more",
            "less",
            "first",
            "on",
            "off",
            "up",
            "down",
        ),
    )
)
_SCOPE_WORDS = 6
_SUBJECT_WORDS = 4
_LABEL_WORDS = 2


class Side(NamedTuple):
    """A word that has an opposite: the matter it is of, and which side of it."""

    word: str
    matter: int
    side: int


class Piece(NamedTuple):
    """A piece of a sentence: its words, and what it says of which of them."""

    text: str
    words: frozenset[str]
    before: frozenset[str]  # of its sentence
    after: frozenset[str]  # a denial, a few words far
    heads: frozenset[str]  # the first of those
    denied: frozenset[str]  # those, and what the denial is said of
    has: frozenset[str]  # "with" and the like
    left: frozenset[str]  # out: "without"
    only: frozenset[str]
    lacks: frozenset[str]  # the heads, and what something took the place of
    sides: frozenset[Side]
    is_bare: bool  # its sentence ends in a denial: "Ostrava wouldn't"
    is_calm: bool  # nothing turns anything in its sentence
    is_double: bool  # it says no twice: "never without consent"
    turning: frozenset[str]  # its words that turn, in any way


class Sentence(NamedTuple):
    """A sentence: what is asked has no pieces."""

    text: str
    words: frozenset[str]
    pieces: tuple[Piece, ...]
    sides: frozenset[Side]
    turns: bool
    says_no: bool  # to what was asked or offered before


def keys(text: str) -> list[str]:
    """Return the words of *text* that carry its matter, cut to what all their forms share."""
    text = _ISO.sub(" ", _THOUSANDS.sub("", text))
    return [key for word in _WORD.findall(text) if (key := _key(word))]


@lru_cache(maxsize=WORDS_KEPT)
def _key(word: str) -> str:
    key = _FIGURES.get(word) or stem_of(_SHORT_FORMS.get(word, word))
    if key in STOP or key in _NOT_SAID:
        return ""
    return (key[:-1] if key[-2:-1] == key[-1] and len(key) == 4 else key)[:6]


@lru_cache(maxsize=512)
def sentences(text: str) -> tuple[Sentence, ...]:
    """Return the sentences of *text*."""
    return tuple(map(_sentence, split(text)))


def split(text: str) -> Iterator[str]:
    """Yield the sentences of *text* as text, made `normal`."""
    for line in text.splitlines():
        yield from filter(None, _SENTENCE.split(normal(line)))


def _sentence(text: str) -> Sentence:
    # Who asks states nothing.
    pieces = () if text.endswith("?") else tuple(_pieces(text))
    turns = TURN.search(text) is not None
    return Sentence(
        text, frozenset(keys(text)), pieces, sides_in(text), turns, _SAYS_NO.match(text) is not None
    )


def _pieces(sentence: str) -> Iterator[Piece]:
    is_bare = _BARE.search(sentence) is not None
    is_calm = not turning_words(sentence)
    start = 0
    before: frozenset[str] = frozenset()
    for match in [*_CUT.finditer(sentence), None]:
        text = sentence[start : match.start() if match else len(sentence)].strip()
        if match and match.group()[0] == ":" and len(text.split()) <= _LABEL_WORDS:
            continue  # "build: passed" says that the build passed
        if match:
            start = (
                match.start()
                if match.group()[0].isalpha() and match.group() not in ("and", "or")
                else match.end()
            )
        text = _LAST_NO.sub(r"no \1", text)
        if text and (piece := _piece(text, before, is_bare, is_calm)).words:
            yield piece
            before |= piece.words


def _piece(text: str, before: frozenset[str], is_bare: bool, is_calm: bool) -> Piece:
    noes = list(NO.finditer(text))
    if len(noes) > 1:  # "isn't coming along except the table": the table does
        noes = [match for match in noes if match.group() != "except"]
    rests = [text[match.end() :] for match in noes]
    after = frozenset(key for rest in rests for key in keys(rest)[:_SCOPE_WORDS])
    plain = [rest for rest in rests if _CONDITION.match(rest) is None]  # "not before May" denies no May
    heads = frozenset(
        key for rest in plain for key in keys(_NOUN_END.split(rest, maxsplit=1)[0].strip() or rest)[:2]
    )
    subjects = [text[: match.start()] for match in noes if match.group() not in _OF_NOUNS]
    denied = after.union(key for subject in subjects for key in keys(subject)[-_SUBJECT_WORDS:])
    return Piece(
        text=text,
        words=frozenset(keys(text)),
        before=before,
        after=after,
        heads=heads,
        denied=denied,
        has=_follow(_WITH, text, 2) - denied,
        left=_follow(_LEFT, text, 1),
        only=_follow(_ONLY, text, 2) - denied,
        lacks=heads | _follow(_INSTEAD, text, 2),
        sides=sides_in(text),
        is_bare=is_bare,
        is_calm=is_calm,
        is_double=len(noes) > 1,
        turning=turning_words(text) | ({"n't"} if is_bare else set()),
    )


def _follow(words: re.Pattern[str], text: str, count: int) -> frozenset[str]:
    """Return the first *count* keys after each of *words*."""
    return frozenset(key for match in words.finditer(text) for key in keys(text[match.end() :])[:count])


@lru_cache(maxsize=512)
def sides_in(text: str) -> frozenset[Side]:
    """Return the words of *text*, made `normal`, that have an opposite, and in what."""
    said = [match.group().replace(" ", "+") for match in PHRASE.finditer(text)]
    said += [key for word in _WORD.findall(PHRASE.sub(" ", text)) if (key := stem_of(word)) not in _RELATIONS]
    if _MAY.search(text):
        said.append("allow")
    return frozenset(Side(word, *matter) for word in said for matter in SIDES.get(word, ()))
