"""Each quotation, identifier and number of a line, looked for in the entries it cites.

A function a kind of literal: it returns "" when all are found, else what was not. A literal is found when it
stands in an entry between boundaries (17 is not in 17.1), when what it means is there in another form (3
657.50 and 3,657.50, 180 min and 3 hours), or when each part of it is there. A number stands in a line with a
noun that other numbers count in the entries only where it stands bare there, too. Dates and times are cut out
first, so that each literal is judged once (core/verification/dates). Names: core/verification/names.
"""

from __future__ import annotations

import re
from functools import lru_cache

from scrimshaw.core.extraction.shown_dates import SHOWN_DATE
from scrimshaw.core.ledger.known_lines import WORDS_KEPT, stem
from scrimshaw.core.text.normalize import normal
from scrimshaw.core.text.numbers import (
    NUMBER,
    SPACED_NUMBER,
    UNITS,
    Unit,
    amounts_of,
    in_figures,
    is_computed,
    is_rounded,
    joined,
    multiples,
    number_key,
    possible_turns,
    readings,
    spelled,
    turns,
)
from scrimshaw.core.text.stems import split_words
from scrimshaw.core.verification.arithmetic import is_listed, is_reckoned
from scrimshaw.core.verification.dates import is_month_named, is_year_told
from scrimshaw.core.verification.lookup import Witnesses, stands, stands_otherwise, without_dates
from scrimshaw.core.verification.names import NEUTRAL, is_spelled_otherwise
from scrimshaw.core.verification.source import Witness, pairs_of, shortest_first

_QUOTED = re.compile(r"(?:^|(?<=[\s(:]))[\"“]([^\"“”]{3,})[\"”](?!\w)|`([^`]{2,})`|«([^»]{3,})»")
_TOKEN = re.compile(r"(?:[^\s,;()\[\]{}<>\"“”„«»`…。！？、，；：「」『』]|(?<=\d)[,，：、](?=\d))+")
_ASCII_LETTER = re.compile(r"[A-Za-z]")
_EAST_POWER = re.compile(r"(?!千万[别不要]|十分)[万亿億兆千百十]")
_EDGE = ".,:;!?'’*)–—"
_CURRENCY = "€$£¥₹"
_PLAIN_NUMBER = re.compile(rf"[{_CURRENCY}+~≈<>=≤≥-]*\d+(?:[.,'\u202f]\d+)*(?:%|°|[{_CURRENCY}]|[.,]-)?")
_HAS_IDENTITY = re.compile(r"\d|[a-z][A-Z]|\w[_/@:.\\#]\w|^[#@/~]\w|^--?\w")
# Where what is written together may be taken apart: "45-60", "48mb", "12-year-old", "3rd", "1900/2300".
_JOINTS = re.compile(
    r"[/+&→=]|(?<!\d),|,(?!\d)|(?<=\d)[-–](?=[€$£]?\d+(?:[.,]\d+)*(?:[a-z%€$£]{0,3})$)|(?<=\d)-(?=[a-z]{3,})"
    r"|-(?=[a-z]{3,}$)|(?<=[a-z])-(?=[a-z])|(?<=[a-z]{3})\.(?=\w*_)|(?<=\d)(?=(?:[a-z]{1,12}|[%€×])$)"
)
_BEHIND_FIGURE = frozenset({"st", "nd", "rd", "th", "x", "×", *_CURRENCY, *UNITS})
_MULTIPLE = re.compile(r"(\d+(?:[.,]\d+)?)([kKmM])")
_ORDINAL = re.compile(r"([1-9]|1[0-2])(?:st|nd|rd|th)")
_ORDINALS_TEXT = "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth"
_ORDINALS = _ORDINALS_TEXT.split()
_A_YEAR = re.compile(r"(?:19|20)\d\d")
_A_MONTH = re.compile(r"(?:19|20)\d\d-(?:0[1-9]|1[0-2])")
_LATIN = frozenset({"i.e", "e.g", "a.k.a", "q.v", "p.a", "n.b"})
_ABOUT = re.compile(
    r"(?:\b(?:about|around|approximately|approx\.?|roughly|ca\.?|circa|nearly|almost|some)\s|[~≈]\s?)[€$£]?$"
)
_TIMES = re.compile(r"\b(twice|double)\b")
_UNIT_AFTER = re.compile(r"[\s-]?(%|[€$£]|[a-z]+)")
_ROW = r"(\d[\d.,]*(?:(?:, | and | or |/|-| to )\d[\d.,]*)*)"
_NUMBERED = re.compile(
    r"(?<![.!?] )(?<!^)\b([A-ZÀ-Þ][\w'’-]{2,}) (\d+(?:[.,]\d+)*)"
    r"(?![\w%€:/-]|[.,]\d| (?:%|[a-z]))"
)
# Where a figure may be one that the note has worked out from two.
_COMPUTED = re.compile(
    r"\b(?:totals?|total?ling|together|altogether|sum|combined|overall|left|remain\w*|more|less"
    r"|fewer|longer|shorter|faster"
    r"|slower|differ\w*|sav\w+|extra|grew|shrank|by|after|lasted|within|in all)\b"
)


def strange_quotation(text: str, cited: Witnesses) -> str:
    """Return a quotation that no cited entry holds."""
    for match in _QUOTED.finditer(text):
        told = SHOWN_DATE.sub("", next(group for group in match.groups() if group))
        quoted = normal(told).strip(" .,;:!?…")
        if quoted and not any(quoted in witness.lower for witness in cited):
            return _told(quoted)
    return ""


def _told(literal: str) -> str:
    return f"“{literal}” stands in no entry it cites"


def strange_identifier(text: str, cited: Witnesses) -> str:
    """Return an identifier, path, address or version that no cited entry holds."""
    rest = without_dates(text, cited[-1].said_at)
    for token in _TOKEN.finditer(rest):
        bare = _bare(token.group())
        if bare.lower() in UNITS and rest[: token.start()].rstrip()[-1:].isdigit():
            continue  # "768 MiB"
        if len(bare) < 2 or _PLAIN_NUMBER.fullmatch(bare) or not _HAS_IDENTITY.search(bare):
            continue
        if bare[-1].isdigit() and not _ASCII_LETTER.search(bare) and _is_cut_figure(normal(bare), cited):
            return _told(bare)
        if bare.lower() in _LATIN or _is_known(normal(bare), cited) or is_spelled_otherwise(bare, cited):
            continue
        if not any(stands_otherwise(bare, w.lower) for w in cited):
            return _told(bare)
    return ""


def _is_cut_figure(token: str, cited: Witnesses) -> bool:
    """Tell whether *token*'s figure goes on wherever the token stands: 3 of 3万."""
    behind = [
        one.lower[hit.end() : hit.end() + 3]
        for one in cited
        for hit in re.finditer(re.escape(token), one.lower)
    ]
    return bool(behind) and all(map(_EAST_POWER.match, behind))


def _is_known(token: str, cited: Witnesses) -> bool:
    """Whether an entry holds *token*, or entries hold each of its parts."""
    if any(stands(token, witness.lower) for witness in cited):
        return True
    if match := _MULTIPLE.fullmatch(token.lstrip(_CURRENCY + "~≈<>≤≥")):
        return _is_multiple_held(match, cited)
    if _A_MONTH.fullmatch(token):
        return is_month_named(token, cited)
    nth = _ORDINAL.fullmatch(token)
    if nth and any(stands(_ORDINALS[int(nth[1]) - 1], w.lower) for w in cited):
        return True
    parts = [part for part in _JOINTS.split(token) if part]
    return len(parts) > 1 and all(
        _part_is_known(part, cited) or (at > 0 and part in _BEHIND_FIGURE and parts[at - 1][-1].isdigit())
        for at, part in enumerate(parts)
    )


def _is_multiple_held(match: re.Match[str], cited: Witnesses) -> bool:
    """Whether 1.2k is a number of the entries, rounded to as many places."""
    if any(not witness.numbers.isdisjoint(multiples(match.group())) for witness in cited):
        return True
    if any(not w.bare.isdisjoint(readings(match[1])) for w in cited):
        return any(re.search(rf"\d{match[2].lower()}\b", w.lower) for w in cited)  # "1.2M, we're at 0.94"
    factor = 1000 if match[2] in "kK" else 1_000_000
    mantissa = match[1].replace(",", ".")
    places = len(mantissa.partition(".")[2])
    values = {float(n) for w in cited for n in w.numbers if len(n) < 16 and n.replace(".", "", 1).isdigit()}
    return any(value >= factor and f"{value / factor:.{places}f}" == mantissa for value in values)


def _part_is_known(part: str, cited: Witnesses) -> bool:
    if part.isalpha():
        return stem(part) in NEUTRAL or any(stem(part) in w.words or _is_unit_of(part, w) for w in cited)
    if _PLAIN_NUMBER.fullmatch(part):
        return _is_counted(part.strip(_CURRENCY + "+~≈<>=≤≥%-"), cited)
    return any(stands(part, witness.lower) for witness in cited)


def _is_unit_of(part: str, witness: Witness) -> bool:
    """Whether the entry measures in the unit *part* under another name: "an hour" for h."""
    unit = UNITS.get(part)
    return unit is not None and any(UNITS[word] == unit for word in witness.plain_words if word in UNITS)


def strange_number(text: str, cited: Witnesses) -> str:
    """Return a number that no cited entry holds, or that counts something else there."""
    rest = without_dates(text, cited[-1].said_at)
    spaced = [match.group().replace(" ", "") for match in SPACED_NUMBER.finditer(rest)]
    if any(not _is_counted(number, cited) for number in spaced):
        spaced, apart = [], rest  # "flat 3 780 a month"
    else:
        apart = SPACED_NUMBER.sub(" ", rest)
    for token in _TOKEN.finditer(apart):
        bare = _bare(token.group())
        if _PLAIN_NUMBER.fullmatch(bare) and not _is_number_held(bare, apart.lower(), token, cited):
            return _told(bare)
    lower = normal(rest)
    return (
        _strange_word(lower, cited)
        or _misnumbered(rest, cited)
        or _miscounted(joined(lower) if spaced else in_figures(lower), cited)
        or _strange_turn(lower, cited)
    )


def _is_number_held(bare: str, text: str, token: re.Match[str], cited: Witnesses) -> bool:
    number = re.sub(r"[^\d.,']", "", bare).strip(".,'")
    if not number or _is_counted(number, cited):
        return True
    if _A_YEAR.fullmatch(bare) and is_year_told(int(bare), cited):
        return True
    start = token.start() + token.group().find(bare)
    end = start + len(bare.rstrip("%€$£"))  # a sign for money or percent stands outside
    after = _UNIT_AFTER.match(text, end)
    unit = UNITS.get(after[1] if after else "", UNITS.get(bare[0]))
    if unit is not None and _is_converted(number, unit, cited, text):
        return True
    if _ABOUT.search(text, 0, token.start()) or bare[0] in "~≈":
        return any(is_rounded(number, witness.numbers) for witness in cited)
    return is_reckoned(number_key(number), start, end, text, cited)


def _is_converted(number: str, unit: Unit, cited: Witnesses, text: str = "") -> bool:
    """Whether an entry holds that amount in another unit, or two that make it up where *text* says so."""
    wanted = amounts_of(number, unit)
    if any(wanted & witness.amounts for witness in cited):
        return True
    return _COMPUTED.search(text) is not None and any(is_computed(wanted, w.amounts) for w in cited)


def _strange_word(lower: str, cited: Witnesses) -> str:
    """Return a number written in words that the entries do not hold."""
    words = [(value, lower[start:end]) for value, start, end in spelled(lower)]
    words += [("2", match.group()) for match in _TIMES.finditer(lower)]
    words += [(str(nth), word) for nth, word in enumerate(_ORDINALS, 1) if nth > 2 and stands(word, lower)]
    for value, word in words:
        if value in ("0", "1") or any(stands(word, w.lower) for w in cited):
            continue  # before any entry is read for all its numbers
        if any(value in w.numbers for w in cited) or (word == "twice" and is_listed(2, cited)):
            continue
        start = lower.find(word)
        after = _UNIT_AFTER.match(lower, start + len(word))
        unit = UNITS.get(after[1]) if after else None
        if unit is not None and _is_converted(value, unit, cited):
            continue
        if not is_reckoned(value, start, start + len(word), lower, cited):
            return _told(word)
    return ""


def _miscounted(lower: str, cited: Witnesses) -> str:
    """Return a number beside a noun or unit that the entries count by other numbers, and never bare there."""
    for number, noun in pairs_of(lower):
        wanted, unit = readings(number), UNITS.get(noun)
        if any(wanted & (w.counted.get(noun, set()) | w.bare) for w in cited):
            continue
        is_wrong = any(noun in w.counted for w in cited)
        if unit is not None:
            beside = {other for w in cited for other, numbers in w.counted.items() if wanted & numbers}
            # "3 weeks" for "3 days" is wrong, and "80 g sugar" for "80 sugar" is not.
            is_wrong |= bool(beside) and all(_is_like(UNITS.get(other), unit) for other in beside)
            is_wrong &= beside.isdisjoint(split_words(lower)) and not _is_converted(number, unit, cited)
        start = lower.find(number)
        if is_wrong and not is_reckoned(number, start, start + len(number), lower, cited):
            return f"“{number}” does not go with “{noun}” in the entries it cites"
    return ""


def _is_like(one: Unit | None, other: Unit) -> bool:
    return one is not None and one.dimension == other.dimension


def _strange_turn(lower: str, cited: Witnesses) -> str:
    """Return "weekly" where the entries have something every two weeks and nothing every week."""
    for phrase, (dimension, size) in turns(lower).items():
        if any(c.isdigit() for c in phrase):
            continue  # a number like any other
        held = frozenset(turn for w in cited for turn in possible_turns(w.lower))
        named = {kind for w in cited for kind, _ in turns(w.lower).values()}
        if (dimension, size) not in held and dimension in named and not _is_twice(size, phrase, cited):
            return _told(phrase)
    return ""


def _is_twice(size: float, phrase: str, cited: Witnesses) -> bool:
    """Whether the entries have that span as well, or the word for it."""
    return any(phrase in w.lower or size in {amount for _, amount in w.amounts} for w in cited)


def _misnumbered(text: str, cited: Witnesses) -> str:
    """Return a number beside a name that has other numbers beside it in the entries: "Hill Road 23"."""
    for match in _NUMBERED.finditer(text):
        name, wanted = normal(match[1]), readings(match[2].rstrip(".,"))
        row = re.compile(rf"\b{re.escape(name)} {_ROW}")
        held = [
            number for w in cited for found in row.finditer(w.lower) for number in NUMBER.findall(found[1])
        ]
        is_held = any(wanted & readings(number) for number in held) or any(wanted & w.bare for w in cited)
        if held and not is_held:
            return f"“{match[2]}” does not go with “{match[1]}” in the entries it cites"
    return ""


def _is_counted(number: str, cited: Witnesses) -> bool:
    wanted = readings(number)
    return any(not witness.numbers.isdisjoint(wanted) for witness in shortest_first(cited))


@lru_cache(maxsize=WORDS_KEPT)
def _bare(token: str) -> str:
    bare = re.sub(r"^[~≈](?=[a-z])", "", token.strip(_EDGE))
    for ending in ("'s", "’s"):
        bare = bare.removesuffix(ending)
    return bare
