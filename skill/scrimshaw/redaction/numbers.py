"""Secrets in figures and codes: PINs, codes of doors and of a second factor, recovery codes."""

from __future__ import annotations

import re

from scrimshaw.redaction.bridges import OPENING, Telling, inked
from scrimshaw.redaction.values import CuePlace, Hit
from scrimshaw.redaction.words import BOOKED, OPENED, OPENS, PLACES, SEVERAL, WHOSE

_PIN = re.compile(
    r"(?:[\"'`*“„«(\[\\]|</?\w{1,12}>|\s|\\n){0,6}(?P<value>\d(?:[ .-]?\d){2,11})"
    r"(?![A-Za-z0-9_]|[.,:/]\d|[ ]?%)"
)


def pins(place: CuePlace, noun: re.Match[str], told: Telling) -> list[Hit]:
    text = place.text
    match = _PIN.match(text, told.start)
    if match is None or _is_date(match["value"]):
        return []
    digits = sum(c.isdigit() for c in match["value"])
    is_short = noun.group().startswith("cv")
    # "PIN 4711", but "pin 4711 of the list"
    is_named = is_short or not noun.group().isascii() or text[noun.start() : noun.start() + 3].isupper()
    is_named = is_named or WHOSE.search(place.lower, max(0, noun.start() - 20), noun.start()) is not None
    if not is_named and (told.is_loose or told.how in ("beside", "dash", "line")):
        return []
    if digits == 6 and noun.group().startswith("pin") and _is_postcode(place, noun):
        return []
    is_long_enough = digits in (3, 4) if is_short else 4 <= digits <= 12
    return [Hit(*match.span("value"), "pin")] if is_long_enough else []


_OWN_PIN = re.compile(r"\b(?:my|your|card|bank|sim|phone|app|atm|safe|alarm|door|tablet)\b[^\n.!?]{0,12}$")


def _is_postcode(place: CuePlace, noun: re.Match[str]) -> bool:
    """Whether "PIN code", as in India, stands behind an address."""
    before = place.lower[max(0, noun.start() - 80) : noun.start()]
    return PLACES.search(before) is not None and _OWN_PIN.search(before) is None


_DATE = re.compile(r"(?:19|20)\d\d[-./ ]\d\d?[-./ ]\d\d?|\d\d?[-./]\d\d?[-./](?:19|20)\d\d")


def _is_date(value: str) -> bool:
    return _DATE.fullmatch(value) is not None


_CODE = re.compile(
    r"(?P<value>(?:[A-Za-z]{1,2}-)?\d{2,8}(?:[ -]\d{2,8}){0,4}[#*]?"
    r"|[A-Za-z0-9]{3,12}(?:-[A-Za-z0-9]{3,12}){0,5})(?![A-Za-z0-9_@]|[.:/]\w)"
)
_BEFORE_CODE = re.compile(
    r"(?P<value>\d{3}[ -]?\d{3,5})[\"'`*]{0,3}\s+(?:is|ist|es|est|è|é)\s+(?:[\w'’-]+\s+){0,4}[\w'’-]{0,20}$"
)
_OPENED_BEHIND = re.compile(r"[ \t]\d{4,10}[#*]? (?:for|für|para|pour|per) [^\n.!?]{0,30}")


def codes(place: CuePlace, noun: re.Match[str], told: Telling) -> list[Hit]:
    text, lower, _ = place
    before = lower[max(0, noun.start() - 24) : noun.start()]
    if SEVERAL.search(before) or SEVERAL.search(told.about):
        return _codes_in_a_row(place, told)
    if told.how in ("changed", "line"):
        return []
    behind = _OPENED_BEHIND.match(lower, noun.end()) if told.how == "beside" else None
    if not (_opens(place, noun) or OPENED.search(told.about) or (behind and OPENED.search(behind.group()))):
        return []
    if (_CONFIRMS.search(before) or "confirm" in told.about) and _is_booked(lower, noun.start(), told.start):
        return []
    start = inked(text, told.start)
    if told.how == "beside" and not text[start : start + 1].isdigit():
        return []
    opened = OPENING.match(text, start)
    match = _CODE.match(text, opened.end() if opened else start)
    if match is None or _is_date(match["value"]):
        return []
    value = match["value"]
    digits, letters = sum(c.isdigit() for c in value), sum(c.isalpha() for c in value)
    is_code = digits >= 4 or (digits >= 2 and letters >= 2 and len(value) >= 6)
    return [Hit(*match.span("value"), "code")] if is_code else []


_CONFIRMS = re.compile(r"(?:confirm|bestätig)[\w-]{0,12}[ ]?(?:de |do )?$")
_REACH = 60


def _is_booked(lower: str, start: int, end: int) -> bool:
    """Whether the sentence is of something booked, close to the code."""
    before = re.split(r"[\n!?]|\. ", lower[max(0, start - _REACH) : start])[-1]
    return BOOKED.search(before + re.split(r"[\n!?]|\. ", lower[start : end + _REACH])[0]) is not None


def codes_before(place: CuePlace, noun: re.Match[str]) -> list[Hit]:
    """Read "482913 is your login code"."""
    if not _opens(place, noun):
        return []
    match = _BEFORE_CODE.search(place.text, max(0, noun.start() - 80), noun.start())
    return [Hit(*match.span("value"), "code")] if match else []


def _opens(place: CuePlace, noun: re.Match[str]) -> bool:
    """Whether the code is one of a door, an alarm or a second factor."""
    is_own = noun.group() in ("otp", "tan", "mtan", "smstan", "sms-tan", "验证码", "驗證碼")
    return is_own or OPENS.search(place.lower, max(0, noun.start() - 40), noun.start()) is not None


_ITEM = re.compile(
    r"(?:[\s,;*•|\"'`“”\[\](){}>-]|\\n|\d{1,2}[.)][ \t]|and\b|und\b|et\b|[yeu]\b|</?\w{1,12}>){0,12}"
    r"(?P<value>[A-Za-z0-9]{4,16}(?:-[A-Za-z0-9]{3,16}){0,5})(?![A-Za-z0-9_@]|[.:/]\w)"
)


def _codes_in_a_row(place: CuePlace, told: Telling) -> list[Hit]:
    """Read recovery codes, one or many, in a line or a list."""
    hits: list[Hit] = []
    position = told.start
    while len(hits) < 40 and (item := _ITEM.match(place.text, position)):
        value = item["value"]
        has_digit = any(c.isdigit() for c in value)
        if not (has_digit or (hits and "-" in value)) or _is_date(value):
            break
        hits.append(Hit(*item.span("value"), "recovery-code"))
        position = item.end()
    return hits
