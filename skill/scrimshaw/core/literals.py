"""Each literal of a line, looked for in the entries it cites.

A function a kind of literal: it returns "" when all are found, else what was not. A literal is found
when it stands in an entry between boundaries (17 is not in 17.1), or when what it means is there in
another form: 3 657.50 and 3,657.50, 7 pm and 19:00, tomorrow and the date. Dates and times are cut
out before numbers and identifiers are looked at, so that each literal is judged once.
"""

from __future__ import annotations

import re
from datetime import date, datetime
from functools import lru_cache

from scrimshaw.core.claims import stem
from scrimshaw.core.clock import find_times
from scrimshaw.core.model import DateRef
from scrimshaw.core.spelling import CAPITAL, normal
from scrimshaw.core.timephrase import Found, find_dates
from scrimshaw.core.witness import (
    NUMBER_WORDS,
    SPACED_NUMBER,
    UNITS,
    Witness,
    joined,
    labels_of,
    pairs_of,
    readings,
    shortest_first,
)
from scrimshaw.core.wording import split_words

Witnesses = tuple[Witness, ...]

_QUOTED = re.compile(r"(?:^|(?<=[\s(:]))[\"“]([^\"“”]{3,})[\"”](?!\w)|`([^`]{2,})`|«([^»]{3,})»")
_TOKEN = re.compile(r"(?:[^\s,;()\[\]{}<>\"“”„«»`…]|(?<=\d),(?=\d))+")
_EDGE = ".,:;!?'’*)–—"
_PLAIN_NUMBER = re.compile(r"[€$£+~≈<>=-]*\d+(?:[.,'\u202f]\d+)*(?:%|€|\$|[.,]-)?")
_MULTIPLE = re.compile(r"(\d+(?:[.,]\d+)?)([kKmM])")
_NUMBER_WORD = re.compile(rf"\b(?:{'|'.join(NUMBER_WORDS)})\b", re.IGNORECASE)
_HAS_IDENTITY = re.compile(r"\d|[a-z][A-Z]|\w[_/@:.\\#]\w|^[#@/~]\w|^--?\w")
_SENTENCE_START = re.compile(r"(?:^|[.!?:;]\s+|[-–—(\"“]\s*|\n)$")
# "Rate for", "Hotel in": a noun opens the sentence. A name is followed by what its bearer does.
_OPENS = re.compile(
    r"\s+(?:for|of|on|in|to|from|with|by|at|about|the|a|an|after|before|until|as|per|between)\b|:"
)
_ENDS_LIKE_A_WORD = re.compile(
    r"(?:ed|ing|tion|sion|ment|ness|ly|ity|ance|ence|able|ible|ive|ous|ful|less|ists?|ers?)$"
)
_NEUTRAL_TEXT = """
user assistant agent tool person owner i a an the this that these those his her their its our my your and
but or if when while because since until after before then now today yesterday tomorrow not no never always
only also still prefers wants likes needs plans decided decision chose asked said stated told confirmed
agreed reported noted found fixed done open issue fact note rule outcome status result error problem
question answer plan planned next step steps deadline due date time call meeting work works uses use using
has have had is are was were will would can could should must may might does did do be been being new old
first last project system server file files code test tests run runs set add added remove removed change
changed keep keeps stop stopped start started move moved send sent get got make made take took put went goes
go at by for from in of on to with without within over under per each every all any some most both other
another more less than out up down off via as it he she they we you who what where why how later earlier
recently currently again instead rather due once total about around between during through there here yes ok
january february march april may june july august september october november december monday tuesday
wednesday thursday friday saturday sunday mon tue wed thu fri sat sun jan feb mar apr jun jul aug sep oct
nov dec utc pm am
"""
_NEUTRAL = frozenset(stem(word) for word in _NEUTRAL_TEXT.split())
_MONTH_OR_DAY = re.compile(
    r"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|mon|tue|wed|thu|fri|sat|sun)[a-z]*|[ap]m|utc",
    re.IGNORECASE,
)


def strange_quotation(text: str, cited: Witnesses) -> str:
    """Return a quotation that no cited entry holds."""
    for match in _QUOTED.finditer(text):
        quoted = normal(next(group for group in match.groups() if group)).strip(" .,;:!?…")
        if quoted and not any(quoted in witness.lower for witness in cited):
            return f"“{quoted}” stands in no entry it cites"
    return ""


def strange_date(text: str, refers_to: DateRef | None, cited: Witnesses) -> str:
    """Return a date that no cited entry names and that does not follow from one."""
    found = _dates_of(text, cited[-1].said_at)
    if refers_to is not None:
        found = (*found, Found(refers_to, 0, 0))
    for item in found:
        if not _is_dated(item, cited) or (item.end and _contradicts_itself(item)):
            return f"“{item.ref.phrase or item.ref.start}” ({item.ref.start}) follows from no entry it cites"
    return ""


def _is_dated(item: Found, cited: Witnesses) -> bool:
    ref = item.ref
    phrase = normal(ref.phrase)
    if item.end and any(_stands(phrase, witness.lower) for witness in cited):
        return True
    if _is_named(ref.start, cited) and (ref.end is None or _is_named(ref.end, cited)):
        return True
    if any(
        noun in w.counted and not w.counted[noun].isdisjoint(readings(n))
        for n, noun in pairs_of(phrase)
        for w in cited
    ):
        return True  # "within 14 days" of "we have 14 days"
    dates: frozenset[date] = frozenset().union(*(witness.dates for witness in cited))
    # A bare weekday or month that falls on a date the entries name.
    if re.fullmatch(r"[a-z]+day", phrase):
        return any(day.strftime("%A").lower() == phrase for day in dates)
    if ref.end is not None and (ref.end - ref.start).days > 6:
        return any(ref.start <= day <= ref.end for day in dates)
    return any(re.search(r"\bday (?:before|after)\b|\beve\b", w.lower) for w in cited) and any(
        abs((ref.start - day).days) == 1 for day in dates
    )


def _is_named(day: date, cited: Witnesses) -> bool:
    return any(day in witness.dates for witness in shortest_first(cited))


def _contradicts_itself(item: Found) -> bool:
    """Whether a weekday stands beside a full date that falls on another."""
    phrase = item.ref.phrase.lower()
    weekday = re.match(r"(mon|tue|wed|thu|fri|sat|sun)[a-z]*\W+(?=.*\d{4}|.*\d)", phrase)
    return weekday is not None and not item.ref.start.strftime("%a").lower().startswith(weekday.group(1))


def strange_time(text: str, cited: Witnesses) -> str:
    """Return a time of day that no cited entry names."""
    for time in find_times(text):
        phrase = normal(text[time.start : time.end])
        if not any(time.text in w.times or _stands(phrase, w.lower) for w in cited):
            return f"“{phrase}” stands in no entry it cites"
    return ""


def strange_identifier(text: str, cited: Witnesses) -> str:
    """Return an identifier, path, address or version that no cited entry holds."""
    for token in _TOKEN.findall(_without_dates(text, cited[-1].said_at)):
        bare = _bare(token)
        if len(bare) < 2 or _PLAIN_NUMBER.fullmatch(bare) or not _HAS_IDENTITY.search(bare):
            continue
        if not _is_known(normal(bare), cited):
            return f"“{bare}” stands in no entry it cites"
    return ""


def _is_known(token: str, cited: Witnesses) -> bool:
    if any(_stands(token, witness.lower) for witness in cited):
        return True
    if match := _MULTIPLE.fullmatch(token):
        factor = 1000 if match.group(2) in "kK" else 1_000_000
        value = float(match.group(1).replace(",", ".")) * factor
        return any(f"{value:.0f}" in witness.numbers for witness in cited)
    if pair := re.fullmatch(r"([€$£]?\d+(?:[.,]\d+)*)([a-z%€]{1,12})", token):  # "48mb", "24h"
        number, unit = pair.groups()
        return any(not w.numbers.isdisjoint(readings(number.strip("€$£"))) for w in cited) and unit.isalpha()
    parts = [part for part in re.split(r"[/,+&→]|-(?=[a-z]{3,}$)|(?<=[a-z])-(?=[a-z])", token) if part]
    return len(parts) > 1 and all(_part_is_known(part, cited) for part in parts)


def _part_is_known(part: str, cited: Witnesses) -> bool:
    if part.isalpha():
        return any(stem(part) in witness.words for witness in cited) or stem(part) in _NEUTRAL
    if _PLAIN_NUMBER.fullmatch(part):
        return any(not witness.numbers.isdisjoint(readings(part)) for witness in cited)
    return any(_stands(part, witness.lower) for witness in cited)


def strange_number(text: str, cited: Witnesses) -> str:
    """Return a number that no cited entry holds, or that counts something else there."""
    rest = _without_dates(text, cited[-1].said_at)
    numbers = [match.group().replace(" ", "") for match in SPACED_NUMBER.finditer(rest)]
    tokens = _TOKEN.findall(SPACED_NUMBER.sub(" ", rest))
    numbers += [bare for bare in map(_bare, tokens) if _PLAIN_NUMBER.fullmatch(bare)]
    for number in numbers:
        if not _is_counted(re.sub(r"[^\d.,']", "", number).strip(".,'"), cited):
            return f"“{number}” stands in no entry it cites"
    for match in _NUMBER_WORD.finditer(rest):
        word = match.group().lower()
        if not any(NUMBER_WORDS[word] in witness.numbers or word in witness.lower for witness in cited):
            return f"“{word}” stands in no entry it cites"
    return _miscounted(joined(normal(rest)), cited)


def _miscounted(lower: str, cited: Witnesses) -> str:
    """Return a number that stands beside a noun which other numbers stand beside in the entries."""
    labels = labels_of(lower)
    for number, noun in (*pairs_of(lower), *labels):
        counted = [witness.counted[noun] for witness in cited if noun in witness.counted]
        wanted = readings(number)
        if not counted or not all(numbers.isdisjoint(wanted) for numbers in counted):
            continue
        if (number, noun) in labels and any(
            noun in w.words and not w.numbers.isdisjoint(wanted) for w in cited
        ):
            continue
        return f"“{number}” does not go with “{noun}” in the entries it cites"
    return ""


def _is_counted(number: str, cited: Witnesses) -> bool:
    wanted = readings(number)
    return any(not witness.numbers.isdisjoint(wanted) for witness in shortest_first(cited))


def strange_name(text: str, cited: Witnesses) -> str:
    """Return a name that no cited entry holds."""
    for match in CAPITAL.finditer(text):
        name = match.group(1)
        lower = normal(name).removesuffix("'s").rstrip("'")
        if _MONTH_OR_DAY.fullmatch(lower) or any(_stands(lower, witness.lower) for witness in cited):
            continue
        starts = _SENTENCE_START.search(text, 0, match.start(1)) is not None
        if starts and (_OPENS.match(text, match.end()) or not _is_name_like(lower, cited)):
            continue
        if not starts and (stem(lower) in _NEUTRAL or lower in UNITS or _is_held(lower, cited)):
            continue
        return f"“{name}” stands in no entry it cites"
    return ""


def _is_name_like(lower: str, cited: Witnesses) -> bool:
    """Whether a capital at the start of a sentence is a name's and not the sentence's."""
    if stem(lower) in _NEUTRAL or _ENDS_LIKE_A_WORD.search(lower) or _is_held(lower, cited):
        return False
    root = stem(lower)[:5]
    return len(root) < 5 or not any(word.startswith(root) for witness in cited for word in witness.words)


def _is_held(lower: str, cited: Witnesses) -> bool:
    """Whether the entries hold the word in another form: "Deploys" for "deployed"."""
    parts = split_words(lower)
    return bool(parts) and any(parts <= witness.words for witness in cited)


@lru_cache(maxsize=8)  # several checks of one line ask it
def _dates_of(text: str, said_at: datetime) -> tuple[Found, ...]:
    return tuple(find_dates(text, said_at))


def _without_dates(text: str, said_at: datetime) -> str:
    spans = [(item.start, item.end) for item in _dates_of(text, said_at)]
    spans += [(time.start, time.end) for time in find_times(text)]
    for start, end in sorted(spans, reverse=True):
        text = f"{text[:start]}; {text[end:]}"
    return text


def _bare(token: str) -> str:
    bare = token.strip(_EDGE)
    for ending in ("'s", "’s"):
        bare = bare.removesuffix(ending)
    return bare


def _stands(needle: str, hay: str) -> bool:
    """Whether *needle* stands in *hay* between boundaries, so that 17 is not found in 17.1 or bill17."""
    start = hay.find(needle)
    while start >= 0:
        end = start + len(needle)
        before, after = hay[start - 1 : start], hay[end : end + 2]
        joined = (_is_letter(before) and _is_letter(needle[0])) or (
            _is_letter(after[:1]) and _is_letter(needle[-1])
        )
        decimal = needle[-1].isdigit() and after[:1] in (".", ",") and after[1:].isdigit()
        decimal |= needle[0].isdigit() and before in (".", ",") and hay[start - 2 : start - 1].isdigit()
        if not joined and not decimal:
            return True
        start = hay.find(needle, start + 1)
    return False


def _is_letter(character: str) -> bool:
    """Whether words go on over *character*; Chinese and Japanese put no spaces between theirs."""
    return character.isalnum() and character < "\u2e80"
