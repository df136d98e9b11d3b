"""Each quotation, identifier and number of a line, looked for in the entries it cites.

A function a kind of literal: it returns "" when all are found, else what was not. A literal is found when it
stands in an entry between boundaries (17 is not in 17.1), or when what it means is there in another form: 3
657.50 and 3,657.50, 180 min and 3 hours. Dates and times are cut out before numbers and identifiers are
looked at, so that each literal is judged once (core/verification/dates). Names: core/verification/names.
"""

from __future__ import annotations

import re
from functools import lru_cache

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
from scrimshaw.core.verification.arithmetic import is_enumerated, is_reckoned
from scrimshaw.core.verification.dates import is_month_named, is_year_told
from scrimshaw.core.verification.lookup import Witnesses, stands, stands_otherwise, without_dates
from scrimshaw.core.verification.names import NEUTRAL, is_spelled_otherwise
from scrimshaw.core.verification.source import Witness, bare_numbers, labels_of, pairs_of, shortest_first

_QUOTED = re.compile(r"(?:^|(?<=[\s(:]))[\"“]([^\"“”]{3,})[\"”](?!\w)|`([^`]{2,})`|«([^»]{3,})»")
_TOKEN = re.compile(r"(?:[^\s,;()\[\]{}<>\"“”„«»`…]|(?<=\d),(?=\d))+")
_EDGE = ".,:;!?'’*)–—"
_CURRENCY = "€$£¥₹"
_PLAIN_NUMBER = re.compile(rf"[{_CURRENCY}+~≈<>=≤≥-]*\d+(?:[.,'\u202f]\d+)*(?:%|°|[{_CURRENCY}]|[.,]-)?")
_MULTIPLE = re.compile(r"(\d+(?:[.,]\d+)?)([kKmM])")
_RANGE = re.compile(
    rf"[{_CURRENCY}~]?(\d+(?:[.,]\d+)*)[-–][{_CURRENCY}]?(\d+(?:[.,]\d+)*)(?:%|[{_CURRENCY}]|[a-z]{{1,3}})?"
)
_HAS_IDENTITY = re.compile(r"\d|[a-z][A-Z]|\w[_/@:.\\#]\w|^[#@/~]\w|^--?\w")
_ORDINAL = re.compile(r"(\d+)(?:st|nd|rd|th)")
_ORDINAL_WORDS = [
    "first",
    "second",
    "third",
    "fourth",
    "fifth",
    "sixth",
    "seventh",
    "eighth",
    "ninth",
    "tenth",
    "eleventh",
    "twelfth",
]
_A_YEAR = re.compile(r"(?:19|20)\d\d")
_LATIN = frozenset({"i.e", "e.g", "a.k.a", "q.v", "p.a", "n.b"})
_AGED = re.compile(r"(\d+)-([a-z]+)-old")
_ABOUT = re.compile(
    r"(?:\b(?:about|around|approximately|approx\.?|roughly|ca\.?|circa|nearly|almost|some)\s|[~≈]\s?)[€$£]?$"
)
_TIMES = re.compile(r"\b(twice|double)\b")
_UNIT_AFTER = re.compile(r"[\s-]?(%|[€$£]|[a-z]+)")
_CURRENCIES = frozenset({"euros", "dollars", "pounds"})
_REACH = 3  # sentences
_MEASURED = re.compile(r"\d\s?([a-z]+)\b")
_IN_ROW = re.compile(r"(?:,|;|\band|\+|&)\s(\d+(?:[.,]\d+)*)(?=\s[a-z]{3,})")
# What stands before a number that tells one of several: "to the freezer in 118", "10 is not".
_NAMED_ALONE = re.compile(
    r"(?:^|[.,;:(!?]\s|(?<!quarter )(?<!\d )\bto |\b(?:in|on|into|and|or|nor|not|of|for|with) )$"
)
_FACTOR = re.compile(r"(?:\btimes|\bx|×|@|\bà)\s?$")  # "38.5 hours times 95": these are no hours
_PRODUCT = re.compile(r"(?<![\w.,])(\d{1,3})\s?[x×]\s?(\d{1,3})(?![\w]|[.,]\d)")
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
        quoted = normal(next(group for group in match.groups() if group)).strip(" .,;:!?…")
        if quoted and not any(quoted in witness.lower for witness in cited):
            return f"“{quoted}” stands in no entry it cites"
    return ""


def strange_identifier(text: str, cited: Witnesses) -> str:
    """Return an identifier, path, address or version that no cited entry holds."""
    rest = without_dates(text, cited[-1].said_at)
    for token in _TOKEN.finditer(rest):
        bare = _bare(token.group())
        if bare.lower() in UNITS and rest[: token.start()].rstrip()[-1:].isdigit():
            continue  # "768 MiB"
        if len(bare) < 2 or _PLAIN_NUMBER.fullmatch(bare) or not _HAS_IDENTITY.search(bare):
            continue
        if bare.lower() in _LATIN or _is_known(normal(bare), cited) or is_spelled_otherwise(bare, cited):
            continue
        if not any(stands_otherwise(bare, w.lower) for w in cited):
            return f"“{bare}” stands in no entry it cites"
    return ""


def _is_known(token: str, cited: Witnesses) -> bool:
    if any(stands(token, witness.lower) for witness in cited):
        return True
    if match := _MULTIPLE.fullmatch(token.lstrip(_CURRENCY + "~≈<>≤≥")):
        return _is_multiple_held(match, cited)
    if re.fullmatch(r"(?:19|20)\d\d-(?:0[1-9]|1[0-2])", token):
        return is_month_named(token, cited)
    if match := _RANGE.fullmatch(token):
        return all(_is_counted(number, cited) for number in match.groups())
    if match := re.fullmatch(r"[-–]?(\d{1,2}:\d\d)", token):
        time = match[1].zfill(5)
        return any(time in w.times or time in w.possible_times for w in cited)
    if match := _ORDINAL.fullmatch(token):
        nth = int(match[1])
        word = _ORDINAL_WORDS[nth - 1] if 1 <= nth <= len(_ORDINAL_WORDS) else match[1]
        return any(match[1] in w.numbers or stands(word, w.lower) for w in cited)
    if pair := re.fullmatch(rf"([{_CURRENCY}~]*\d+(?:[.,]\d+)*)([a-z%€×]{{1,12}})", token):  # "48mb", "24h"
        number, unit = pair[1].strip(_CURRENCY + "~"), UNITS.get(pair[2])
        if unit is None and len(pair[2]) == 1 and pair[2] not in "x×":
            return False  # "22c" is no amount
        return _is_counted(number, cited) or (unit is not None and _is_converted(number, unit, cited))
    if match := _AGED.fullmatch(token):
        return all(_part_is_known(part, cited) for part in match.groups())
    if match := re.fullmatch(r"([a-z])(\d{1,2})([a-z])", token):  # k8s
        whole = re.compile(rf"\b{match[1]}[a-z]{{{match[2]}}}{match[3]}\b")
        return any(whole.search(witness.lower) for witness in cited)
    parts = [
        part
        for part in re.split(
            r"[/+&→=]|(?<!\d),|,(?!\d)|-(?=[a-z]{3,}$)|(?<=[a-z])-(?=[a-z])|(?<=[a-z]{3})\.(?=\w*_)", token
        )  # "the join on events, no index on user_id": events.user_id
        if part
    ]
    if len(parts) < 2:
        return False
    return all(
        _part_is_known(part, cited) or (at > 0 and part in UNITS and parts[at - 1][-1].isdigit())
        for at, part in enumerate(parts)
    )


def _is_multiple_held(match: re.Match[str], cited: Witnesses) -> bool:
    """Whether 1.2k is a number of the entries, rounded to as many places."""
    factor = 1000 if match[2] in "kK" else 1_000_000
    mantissa = match[1].replace(",", ".")
    places = len(mantissa.partition(".")[2])
    if any(not witness.numbers.isdisjoint(multiples(match.group().lower())) for witness in cited):
        return True
    if _is_counted(match[1], cited) and any(re.search(rf"\d{match[2].lower()}\b", w.lower) for w in cited):
        return any(not w.bare.isdisjoint(readings(match[1])) for w in cited)  # "1.2M, we're at 0.94"
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
        if _PLAIN_NUMBER.fullmatch(bare) and not _is_number_held(bare, apart, token, cited):
            return f"“{bare}” stands in no entry it cites"
    lower = normal(rest)
    return (
        _strange_word(lower, cited)
        or _misnumbered(rest, cited)
        or _miscounted(joined(lower) if spaced else in_figures(lower), cited)
        or _mismultiplied(lower, cited)
        or _strange_turn(lower, cited)
    )


def _is_number_held(bare: str, text: str, token: re.Match[str], cited: Witnesses) -> bool:
    number = re.sub(r"[^\d.,']", "", bare).strip(".,'")
    if not number or _is_counted(number, cited):
        return True
    if _A_YEAR.fullmatch(bare) and is_year_told(int(bare), cited):
        return True
    after = _UNIT_AFTER.match(text.lower(), token.start() + len(token.group().rstrip(_EDGE + "%€$£")))
    unit = UNITS.get(after[1]) if after else None
    if unit is None and bare[0] in UNITS:
        unit = UNITS[bare[0]]
    if unit is not None and _is_converted(number, unit, cited, text.lower()):
        return True
    if _ABOUT.search(text.lower(), 0, token.start()) or bare[0] in "~≈":
        return any(is_rounded(number, witness.numbers) for witness in cited)
    return is_reckoned(number_key(number), *_span(token, bare), text.lower(), cited)


def _span(token: re.Match[str], bare: str) -> tuple[int, int]:
    """Return where *bare*'s digits stand, a sign for money or percent left outside."""
    start = token.start() + token.group().find(bare)
    return start, start + len(bare.rstrip("%€$£"))


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
    words += [
        (str(nth), word) for nth, word in enumerate(_ORDINAL_WORDS, 1) if nth > 2 and stands(word, lower)
    ]
    for value, word in words:
        if value in ("0", "1") or any(stands(word, w.lower) for w in cited):
            continue  # before any entry is read for all its numbers
        if any(value in w.numbers for w in cited):
            continue
        start = lower.find(word)
        after = _UNIT_AFTER.match(lower, start + len(word))
        unit = UNITS.get(after[1]) if after else None
        if unit is not None and _is_converted(value, unit, cited):
            continue
        if word == "twice" and is_enumerated(2, cited):
            continue
        if is_reckoned(value, start, start + len(word), lower, cited):
            continue
        return f"“{word}” stands in no entry it cites"
    return ""


def _miscounted(lower: str, cited: Witnesses) -> str:
    """Return a number that stands beside a noun or unit which other numbers stand beside in the entries."""
    labels = labels_of(lower)
    for number, noun in (*pairs_of(lower), *labels):
        wanted = readings(number)
        if any(not w.counted.get(noun, set()).isdisjoint(wanted) for w in cited):
            continue
        unit = UNITS.get(noun)
        if unit is not None and _is_converted(number, unit, cited):
            continue
        is_price = unit is not None and unit.dimension in _CURRENCIES  # people leave it out anywhere
        is_bare = any(not w.bare.isdisjoint(wanted) for w in cited) and (
            is_price
            or _is_elliptic(wanted, noun, cited, is_label=(number, noun) in labels)
            or (unit is not None and unit.name == "percent")
        )
        if is_bare or (unit is not None and _is_in_row(wanted, unit, cited)):
            continue  # "the first every 90 days, the other every 180"
        start = lower.find(number)
        if is_reckoned(number, start, start + len(number), lower, cited):
            continue
        if any(noun in w.counted for w in cited) or (
            unit is not None and _is_of_other_unit(wanted, unit, cited)
        ):
            return f"“{number}” does not go with “{noun}” in the entries it cites"
    return ""


def _is_elliptic(wanted: frozenset[str], noun: str, cited: Witnesses, *, is_label: bool) -> bool:
    """Whether the number stands bare in a sentence that speaks of *noun*, or soon after one."""
    before: list[str] = []
    for witness in sorted(cited, key=lambda w: w.said_at):  # an answer leaves out what the question counts
        for line in map(joined, witness.lower_lines):
            near = " ".join([*before[-_REACH:], line])
            before.append(line)
            bare = {number for number in bare_numbers(line) if wanted & readings(number)}
            if not bare or not (noun in split_words(near) or noun in (other for _, other in pairs_of(near))):
                continue
            if any(
                match.group() in bare and _may_be_elliptic(line[: match.start()], is_label=is_label)
                for match in NUMBER.finditer(line)
            ):
                return True
    return False


def _may_be_elliptic(before: str, *, is_label: bool) -> bool:
    return _NAMED_ALONE.search(before) is not None if is_label else _FACTOR.search(before) is None


def _is_in_row(wanted: frozenset[str], unit: Unit, cited: Witnesses) -> bool:
    """Whether the number stands in a row whose other members have the unit: "500 g flour, 250 butter"."""
    for line in (line for w in cited for line in w.lower_lines):
        first = next((m for m in _MEASURED.finditer(line) if UNITS.get(m[1]) == unit), None)
        if first is not None and any(wanted & readings(m[1]) for m in _IN_ROW.finditer(line, first.end())):
            return True
    return False


def _mismultiplied(lower: str, cited: Witnesses) -> str:
    """Return "4 × 12" where the entries have other such products."""
    told = list(_PRODUCT.finditer(lower))
    held = {match.groups() for w in cited for match in _PRODUCT.finditer(w.lower)} if told else set()
    for match in told if held else ():
        if match.groups() not in held and match.groups()[::-1] not in held:
            return f"“{match.group()}” stands in no entry it cites"
    return ""


def _strange_turn(lower: str, cited: Witnesses) -> str:
    """Return "weekly" where the entries have something every two weeks and nothing every week."""
    for phrase, (dimension, size) in turns(lower).items():
        if any(c.isdigit() for c in phrase):
            continue  # a number like any other
        held = frozenset(turn for w in cited for turn in possible_turns(w.lower))
        named = {kind for w in cited for kind, _ in turns(w.lower).values()}
        if (dimension, size) not in held and dimension in named and not _is_twice(size, phrase, cited):
            return f"“{phrase}” stands in no entry it cites"
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


def _is_of_other_unit(wanted: frozenset[str], unit: Unit, cited: Witnesses) -> bool:
    """Whether the entries measure the same thing by that number in another unit: 3 weeks for 3 days."""
    for witness in cited:
        if not witness.bare.isdisjoint(wanted):
            return False
    beside = {noun for w in cited for noun, numbers in w.counted.items() if not numbers.isdisjoint(wanted)}
    others = [UNITS[noun].dimension for noun in beside if noun in UNITS]
    is_money = unit.dimension in _CURRENCIES
    return bool(others) and all(
        (other in _CURRENCIES) if is_money else other == unit.dimension for other in others
    )


def _is_counted(number: str, cited: Witnesses) -> bool:
    wanted = readings(number)
    return any(not witness.numbers.isdisjoint(wanted) for witness in shortest_first(cited))


@lru_cache(maxsize=WORDS_KEPT)
def _bare(token: str) -> str:
    bare = re.sub(r"^[~≈](?=[a-z])", "", token.strip(_EDGE))
    for ending in ("'s", "’s"):
        bare = bare.removesuffix(ending)
    return bare
