"""A sentence as its parts, each with the figures, dates, names and words that stand in it.

What belongs together stands together: of two figures in one sentence each has its own part of it, cut
at the commas, dashes and conjunctions between them. Texts in, tokens out; what may be said of them is
core/verification/relations's.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterator
from datetime import datetime
from enum import Enum, auto
from functools import lru_cache
from typing import NamedTuple

from scrimshaw.core.ledger.known_lines import WORDS_KEPT
from scrimshaw.core.text.dates import find_dates
from scrimshaw.core.text.foreign_dates import FUNCTION_WORDS
from scrimshaw.core.text.normalize import denials_spelled
from scrimshaw.core.text.numbers import LABELS, UNITS, number_key, spelled
from scrimshaw.core.text.stems import STOP, stem_of
from scrimshaw.core.text.times import find_times
from scrimshaw.core.verification.common_words import ORDINARY
from scrimshaw.core.verification.names import NEUTRAL


class TokenSort(Enum):
    """What a token is."""

    WORD = auto()
    NUMBER = auto()
    DAY = auto()
    TIME = auto()
    NAME = auto()


class Token(NamedTuple):
    """A token: what is compared, and the part of its sentence it stands in. A number has what it measures."""

    sort: TokenSort
    key: str
    part: int
    unit: str = ""  # what a number measures, the shape of an identifier
    is_first: bool = False  # of its part


class Clause(NamedTuple):
    """A sentence, or what a semicolon sets apart."""

    tokens: tuple[Token, ...]
    denied: frozenset[int]  # the parts that say no
    speaker: str


Placed = tuple[int, int, Token]
Part = Callable[[int], int]

_TAG = re.compile(r"</?[a-zA-Z][^<>]{0,200}>")
_BREAK = re.compile(
    r";\s|\n"
    r"|(?<=[\w)\"'%][.!?])(?<!\b[Dd]r\.)(?<!\b[Mm]r\.)(?<!\b[Mm]s\.)(?<!\b[Mm]rs\.)(?<!\b[Ss]t\.)(?<!\bno\.)(?<!\bvs\.)"
    r"(?<!\bca\.)(?<!\be\.g\.)(?<!\bi\.e\.)(?<!\bmax\.)(?<!\bmin\.)(?<!\bincl\.)(?<!\bexcl\.)\s+"
)
_PART = re.compile(
    r"[,:–—]\s|\s[-–—|]+\s|\b(?:and|but|while|whereas|because|or|instead|than|then|over|though|although|yet|unlike|rather(?=\sthan)"
    r"|vs\.?)\b|(?<=\s)(?=[\w.]+=\S)",
    re.IGNORECASE,
)
_SETTING = re.compile(r"[\w.]+=\S")
_IN_BRACKETS = re.compile(r"\([^()]*\)")
_TOKEN = re.compile(r"[^\W_][\w'’]*(?:[-_./:@#+]+[\w'’]+)*|[#@/~][\w./-]+|[A-Za-z]:\\\S+")
_NUMBER = re.compile(
    r"(?<![\w.,:/#@-])[€$£¥~+-]{0,2}(\d+(?:[.,'\u202f]\d+)*)(?![\d:]*:\d|\d)(?:\s?(k|million"
    r"|mio)\b)?(?:(?:\s|-)?(%|€|[A-Za-z]+))?(?![\w@/-]*[_@]|:\d)"
)
# A look at these spares most sentences being read for dates.
_MAY_BE_DATED = re.compile(
    r"\d|day|night|week|month|year|tomorrow|jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|mon|tue|wed|thu|fri|sat|sun",
    re.IGNORECASE,
)
_GROUPED = re.compile(r"\d{1,3}(?:\.\d{3})+")
_LABELLED = re.compile(rf"\b({LABELS})\s(\d+\w?)(?![\w:.]\d)", re.IGNORECASE)
_NO = re.compile(
    r"\b(?:not(?! only| just)|no(?! problem| doubt| matter|\.)|never|none|nobody|nothing|cannot|nor|neither"
    r"|without|against|declin\w+|reject\w*|refus\w+|den(?:y|ies|ied)|forb[ia]d\w*|bans?|banned|prohibit\w*"
    r"|exclu\w+|hat(?:e|es|ed)|dislik\w*|invalid)\b|n't\b",
    re.IGNORECASE,
)
_FLIGHT = re.compile(r"\b([A-Z]{1,2}) (\d{2,5})\b")
_SELF = re.compile(r"(?:i|i'm|i've|i'd|i'll|my|me|mine)$")
_OTHER = re.compile(r"(?:you|your|yours|you're|you've|you'd|you'll)$")
_DOES = re.compile(r"(?:'s)? (?:has|is|was|will|can|would|does|did|wants?|and [A-Z]|[a-z]{2,}(?:s|ed))\b")
_MOST_CLAUSES = 60


@lru_cache(maxsize=512)
def clauses(text: str, said_at: datetime, speaker: str = "") -> tuple[Clause, ...]:
    """Return the clauses of *text*, said by *speaker* ("user", "assistant") at *said_at*."""
    plain = denials_spelled(_TAG.sub(" ", text).replace("’", "'").replace("`", " ").replace("*", " "))
    pieces = [piece for piece in _BREAK.split(plain) if piece and piece.strip()]
    return tuple(_clause(piece, said_at, speaker) for piece in pieces[:_MOST_CLAUSES])


def _clause(text: str, said_at: datetime, speaker: str) -> Clause:
    brackets = [match.span() for match in _IN_BRACKETS.finditer(text)]
    cuts = [m.start() for m in _PART.finditer(text) if not any(a < m.start() < b - 1 for a, b in brackets)]
    cuts = [cut for cut in cuts if not _is_first_setting(text, cut)]

    def part(start: int) -> int:
        return bisect_right(cuts, start)

    times = list(_times(text, part))
    taken = list(_days(text, said_at, part))
    for placed in (*_labelled(text, part), *_numbers(text, part)):
        if not _is_taken(placed, [*taken, *times]):
            taken.append(placed)
    taken.extend(times)  # a time may be a part of its date's words
    taken.extend([word for word in _words(text, part, speaker) if not _is_taken(word, taken)])
    taken.sort(key=lambda placed: placed[0])
    denied = frozenset(part(match.start()) for match in _NO.finditer(text))
    tokens = _with_first(taken)
    return Clause(tokens, denied, speaker)


def _is_taken(placed: Placed, taken: list[Placed]) -> bool:
    return any(start < placed[1] and placed[0] < end for start, end, _ in taken)


def _with_first(placed: list[Placed]) -> tuple[Token, ...]:
    """Return the tokens, the first word or name of each part marked as such."""
    seen: set[int] = set()
    tokens = []
    for _, _, token in placed:
        tokens.append(token._replace(is_first=token.part not in seen))
        seen.add(token.part)
    return tuple(tokens)


def _is_first_setting(text: str, cut: int) -> bool:
    """Whether "rss=3.9G" begins at *cut*, with the name it is said of before it and no other such pair."""
    begins = _SETTING.match(text, cut) is not None
    return begins and "=" not in text[:cut].rstrip().rpartition(" ")[2]


def _days(text: str, said_at: datetime, part: Part) -> Iterator[Placed]:
    for item in find_dates(text, said_at) if _MAY_BE_DATED.search(text) else ():
        # "This week" and "in May" are no days to tell apart.
        if item.ref.end is None or re.search(r"\d\D*\d", item.ref.phrase):
            yield item.start, item.end, Token(TokenSort.DAY, f"{item.ref.start:%m-%d}", part(item.start))


def _labelled(text: str, part: Part) -> Iterator[Placed]:
    if not any(map(str.isdigit, text)):
        return
    for match in _LABELLED.finditer(text):
        key = f"{stem_of(match[1].lower())} {match[2].lower()}"
        label = stem_of(match[1].lower())
        yield match.start(), match.end(), Token(TokenSort.NAME, key, part(match.start()), label)
    for match in _FLIGHT.finditer(text):
        if match[1].lower() not in UNITS:
            key = f"{match[1]} {match[2]}".lower()
            yield (
                match.start(),
                match.end(),
                Token(TokenSort.NAME, key, part(match.start()), match[1].lower()),
            )


def _times(text: str, part: Part) -> Iterator[Placed]:
    for time in find_times(text):
        yield time.start, time.end, Token(TokenSort.TIME, time.text, part(time.start))


def _numbers(text: str, part: Part) -> Iterator[Placed]:
    for match in _NUMBER.finditer(text):
        unit = (match[3] or "").lower()
        known = UNITS.get(unit) or UNITS.get(match.group()[:1])
        if match[3] and known is None and text[match.end(1) : match.start(3)] == "":
            continue  # "22E" is a name
        if match[1].count(".") > 1 and _GROUPED.fullmatch(match[1]) is None:
            continue  # "2.4.1" is a version
        end = match.end(3) if unit in UNITS else match.end(1)
        key = number_key(match[1], match[2] or ("k" if unit == "k" else ""))
        yield (
            match.start(),
            end,
            Token(TokenSort.NUMBER, key, part(match.start()), known.dimension if known else ""),
        )
    lower = text.lower()
    for value, start, end in spelled(lower):
        if value not in ("0", "1"):
            after = re.match(r"[\s-]([a-z]+)", lower[end:])
            known = UNITS.get(after[1]) if after else None
            yield start, end, Token(TokenSort.NUMBER, value, part(start), known.dimension if known else "")


def _words(text: str, part: Part, speaker: str) -> Iterator[Placed]:
    for match in _TOKEN.finditer(text):
        start, word = match.start(), match.group().strip("'./-")
        lower = word.lower().removesuffix("'s").rstrip("'")
        token = Token(TokenSort.WORD, lower, part(start))
        if speaker in ("user", "assistant") and _SELF.match(lower):
            yield start, match.end(), token._replace(sort=TokenSort.NAME, key=speaker, unit="self")
        elif speaker in ("user", "assistant") and _OTHER.match(lower):
            yield start, match.end(), token._replace(key="assistant" if speaker == "user" else "user")
        elif lower in ("user", "assistant") and not speaker:
            yield start, match.end(), token._replace(sort=TokenSort.NAME, unit="self")
        elif named := _identifier(word, lower):
            for piece, shape in named:
                yield start, match.end(), token._replace(sort=TokenSort.NAME, key=piece, unit=shape)
        else:
            # Any word may open what people write; a name is followed by what its bearer does.
            may_name = word[:1].isupper() and not (
                speaker and start == 0 and not _DOES.match(text, match.end())
            )
            for key, is_said in _keys(lower):
                if is_said or _is_letter(word, text, start):
                    is_name = may_name and not _is_ordinary(key, text, start)
                    yield (
                        start,
                        match.end(),
                        token._replace(sort=TokenSort.NAME if is_name else TokenSort.WORD, key=key),
                    )


@lru_cache(maxsize=WORDS_KEPT)
def _identifier(word: str, lower: str) -> tuple[tuple[str, str], ...]:
    """Return what a word names that is an identifier or a thing's name with hyphens, with its shape."""
    if re.search(r"\d|[_/@#]|\w\.\w", word) is None and not _is_compound_name(lower):
        return ()
    return tuple((piece, _shape(piece)) for piece in dict.fromkeys((lower, lower.rpartition("::")[2])))


@lru_cache(maxsize=WORDS_KEPT)
def _keys(lower: str) -> tuple[tuple[str, bool], ...]:
    """Return the stem of each piece of a word, and whether it says anything."""
    pieces = [(piece, stem_of(piece)) for piece in re.split(r"[-']", lower)]
    return tuple((key, len(piece) > 1 and key not in STOP) for piece, key in pieces)


def _is_ordinary(key: str, text: str, start: int) -> bool:
    """Whether a capital is a sentence's and not a name's."""
    if key in NEUTRAL or key in FUNCTION_WORDS:
        return True
    opens = start == 0 or text[:start].rstrip()[-1:] in ":(\"'"
    return opens and (
        key in ORDINARY
        or (len(key) > 3 and key.removesuffix("e") in ORDINARY)
        or key.removesuffix("s") in ORDINARY
    )


def _shape(lower: str) -> str:
    """Return what sort of identifier it is: what stands for one is not taken for another's."""
    if "@" in lower and not lower.startswith("@"):
        return "address"
    if lower[0] in "#@/~":
        return lower[0]
    if re.fullmatch(r"v?\d+(?:\.\d+)+\w*", lower):
        return "version"
    if re.fullmatch(r"[0-9a-f]{7,}|[a-z]+-[0-9a-f]{7,}", lower):
        return "hash"
    return "marked" if re.search(r"\d", lower) else "code"


def _is_compound_name(lower: str) -> bool:
    """Whether a word with hyphens is a thing's name ("web-a", "gw-east") and not two words."""
    pieces = lower.split("-")
    return len(pieces) > 1 and not all(len(p) > 1 and (stem_of(p) in ORDINARY or p in STOP) for p in pieces)


def _is_letter(word: str, text: str, start: int) -> bool:
    """Whether a letter is a name ("variant B") and no article."""
    return (
        len(word) == 1
        and word.isupper()
        and word != "I"
        and (
            word != "A"
            or text[start + 1 : start + 3].strip()[:1] in ("", ".", ",", ")", ";")
            or text[:start].rstrip()[-1:] == ","
        )
    )
