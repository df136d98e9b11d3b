"""One thing wrong in a faithful note, made by machine, for `bench verify`.

Each change yields notes that are wrong whatever the note is about; where a change could by chance be
right (the new figure stands in what is cited), none is made.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import date, timedelta
from itertools import pairwise

from bench.verify_set import Case
from scrimshaw.core.types import Role

NAMES = (
    "Priyanka",
    "Osvaldo",
    "Mirela",
    "Tobiah",
    "Ingeborg",
    "Kwabena",
    "Shirin",
    "Laszlo",
    "Harlow",
    "Quennell",
)
ISO = re.compile(r"\b\d{4}-\d\d-\d\d\b")
_MONTHS = "January|February|March|April|May|June|July|August|September|October|November|December"
_DAY_MONTH = re.compile(rf"\b(\d{{1,2}}) ({_MONTHS})\b")
_WEEKDAYS = "Monday|Tuesday|Wednesday|Thursday|Friday|Saturday|Sunday"
_WEEKDAY = re.compile(rf"\b({_WEEKDAYS})(?=s?\b)")
_TIME = re.compile(r"(?<![\d:.])(\d{1,2}):(\d\d)(?![\d:])")
FIGURE = re.compile(r"(?<![\w.,:/#@-])\d+(?:[.,]\d+)*(?![\w:/-]|[.,]\d)")
MARKED = re.compile(r"(?<![\w@])(?=[\w./#@-]*\d)(?=[\w./#@-]*[A-Za-z_#@])[\w#@][\w./@-]*\w")
_UNIT = re.compile(r"[€$£]?\d+(?:[.,]\d+)?(?:[a-zA-Z]{1,3})?|\d+-[a-z-]+")
NAME = re.compile(r"(?<=[a-z,;:(] )[A-Z][a-zà-ÿ]{2,}\b")
_NO_NAME = re.compile(rf"(?:{_MONTHS}|{_WEEKDAYS}|User|Assistant|PRs?)$")
_INVENTED = (
    "; see TKT-4471",
    " (path /srv/invented/run.sh)",
    ", at 03:55",
    "; owner Wilhelmina",
    ", v9.9.3",
    " for €7,215",
    " (https://example.org/w/991)",
    ", agreed with Bartholomew",
    "; due 2027-08-19",
    ", 73 of them",
    ' ("not on my watch")',
    ", contact zed@invented.example",
)
_TURNED = (
    (re.compile(r"\b(is|are|was|were|will|must|may|can|should|would|could)(?! not|n't)\b"), r"\1 not"),
    (re.compile(r"\b(is|are|was|were|will|must|may|should|does|do|did) not\b"), r"\1"),
    (re.compile(r"\bcannot\b"), "can"),
    (re.compile(r"\bwants (?!no\b)"), "does not want "),
    (re.compile(r"\bprefers\b"), "does not prefer"),
    (re.compile(r"\bno longer\b"), "still"),
    (re.compile(r"\bnever\b"), "always"),
    (re.compile(r"\bwithout\b"), "with"),
    (re.compile(r"\bnot "), ""),
)
_SENTENCE = re.compile(r"(?<=[.!?;])\s+|\n")
_AUXILIARY = "do|does|did|is|are|was|were|has|have|had|will|would|can|could|should|must|need"
_DENIAL = re.compile(
    rf"\b({_AUXILIARY})(?:n't|nt)\b|\b({_AUXILIARY}) not\b|\b(never|without|no longer)\b"
    r"|\bno(?! \d)\b|\bnot\b",
    re.I,
)
_STATED = {"never": "always", "without": "with", "no longer": "still"}
_PLAIN_VERB = re.compile(
    r"\b(?:is|are|was|were|will|must|can|should|has|have|had|would|could|may)\b(?! not|n't)", re.I
)
_FEWEST, _MOST = 4, 25
_CLAIMED = {
    Role.USER: ("User decided: {}", "User wants this: {}"),
    Role.ASSISTANT: ("Assistant suggested: {}", "Assistant said: {}"),
    Role.TOOL: ("The tool reported: {}",),
}

Change = Callable[[str, str, random.Random], Iterator[str]]  # note, what is cited in lower case, chance


def changed(good: Case, rng: random.Random) -> Iterator[Case]:
    """Yield *good* with one thing wrong, in every way that applies."""
    text = good.proposal.text
    held = "\n".join(entry.text for entry in good.entries).lower()
    for label, change in CHANGES.items():
        for other in dict.fromkeys(change(text, held, rng)):
            if other != text:
                yield good._replace(label=label, proposal=replace(good.proposal, text=other))
    yield from _other_mouth(good)


def _numbers(text: str, held: str, rng: random.Random) -> Iterator[str]:
    found = [m for m in FIGURE.finditer(text) if not _is_dated(text, m)]
    for match in rng.sample(found, min(3, len(found))):
        figure = match.group()
        for other in (_off_by_one(figure), _swapped_digits(figure), _ten_times(figure)):
            bare = other.replace(",", "")
            if other != figure and not re.search(rf"(?<!\d){re.escape(bare)}(?!\d)", held.replace(",", "")):
                yield text[: match.start()] + other + text[match.end() :]


def _is_dated(text: str, match: re.Match[str]) -> bool:
    spans = [m.span() for rule in (ISO, _DAY_MONTH, _TIME) for m in rule.finditer(text)]
    return any(start <= match.start() < end for start, end in spans)


def _off_by_one(figure: str) -> str:
    last = int(figure[-1])
    return figure[:-1] + str(last + 1 if last < 9 else last - 1)


def _swapped_digits(figure: str) -> str:
    digits = [at for at, c in enumerate(figure) if c.isdigit()]
    for one, other in pairwise(digits):
        if figure[one] != figure[other] and not (one == 0 and figure[other] == "0"):
            return figure[:one] + figure[other] + figure[one + 1 : other] + figure[one] + figure[other + 1 :]
    return figure


def _ten_times(figure: str) -> str:
    return figure + "0" if figure.isdigit() and int(figure) else figure


def _dates(text: str, _: str, rng: random.Random) -> Iterator[str]:
    for match in ISO.finditer(text):
        try:
            day = date.fromisoformat(match.group())
        except ValueError:
            continue
        others = [day + timedelta(rng.choice((-1, 1))), day + timedelta(rng.choice((9, 33)))]
        for other in (*others, day.replace(year=day.year + rng.choice((-1, 1)))):
            yield text[: match.start()] + other.isoformat() + text[match.end() :]
    for match in _DAY_MONTH.finditer(text):
        day_number = int(match[1])
        other_number = day_number + 1 if day_number < 28 else day_number - 3
        if str(other_number) not in _:
            yield text[: match.start(1)] + str(other_number) + text[match.end(1) :]
        months = _MONTHS.split("|")
        other_month = months[(months.index(match[2]) + rng.choice((1, 5))) % 12]
        yield text[: match.start(2)] + other_month + text[match.end(2) :]
    for match in _WEEKDAY.finditer(text):
        days = _WEEKDAYS.split("|")
        other_day = days[(days.index(match[1]) + rng.choice((1, 3))) % 7]
        if other_day.lower() not in _:
            yield text[: match.start(1)] + other_day + text[match.end(1) :]


def _times(text: str, held: str, rng: random.Random) -> Iterator[str]:
    for match in _TIME.finditer(text):
        hour, minute = int(match[1]), int(match[2])
        for other in (
            f"{(hour + rng.choice((1, 2))) % 24:02d}:{minute:02d}",
            f"{hour:02d}:{(minute + 10) % 60:02d}",
        ):
            if hour < 24 and other.lstrip("0") not in held and not _is_spoken(other, held):
                yield text[: match.start()] + other + text[match.end() :]


def _is_spoken(time: str, held: str) -> bool:
    hour = int(time[:2])
    return re.search(rf"\b(?:{hour}|{hour % 12 or 12})\b(?![:.,]\d)", held) is not None and time.endswith(
        "00"
    )


def _names(text: str, held: str, rng: random.Random) -> Iterator[str]:
    for match in NAME.finditer(text):
        if match.group().lower() in held and not _NO_NAME.match(match.group()):
            yield text[: match.start()] + rng.choice(NAMES) + text[match.end() :]


def _identifiers(text: str, held: str, rng: random.Random) -> Iterator[str]:
    for match in MARKED.finditer(ISO.sub(lambda m: "_" * len(m.group()), text)):
        token = match.group()
        if _UNIT.fullmatch(token) or token.lower() not in held:
            continue
        digit = rng.choice(list(re.finditer(r"\d", token)))
        shifted = str((int(digit.group()) + 3) % 10)
        others = [token[: digit.start()] + shifted + token[digit.end() :], token + "b"]
        if letters := list(re.finditer(r"[a-z]", token)):
            letter = rng.choice(letters)
            others.append(
                token[: letter.start()] + chr((ord(letter.group()) - 90) % 26 + 97) + token[letter.end() :]
            )
        for other in others:
            if other.lower() not in held:
                yield text[: match.start()] + other + text[match.end() :]


def _invented(text: str, _: str, rng: random.Random) -> Iterator[str]:
    for extra in rng.sample(_INVENTED, 2):
        yield text + extra


def _turned(text: str, _: str, __: random.Random) -> Iterator[str]:
    for pattern, other in _TURNED:
        if pattern.search(text):
            yield pattern.sub(other, text, count=1)
            return


def turned_plainly(text: str) -> Iterator[str]:
    """Yield the sentences of an entry, each without its only denial, or with one where it has none."""
    for sentence in _SENTENCE.split(text):
        if sentence.endswith("?") or not _FEWEST <= len(sentence.split()) <= _MOST:
            continue
        denials = list(_DENIAL.finditer(sentence))
        if len(denials) == 1:
            found = denials[0]
            instead = found[1] or found[2] or _STATED.get((found[3] or "").lower(), "")
            yield " ".join(f"{sentence[: found.start()]}{instead}{sentence[found.end() :]}".split())
        elif not denials and (verb := _PLAIN_VERB.search(sentence)):
            yield f"{sentence[: verb.end()]} not{sentence[verb.end() :]}"


def _other_mouth(good: Case) -> Iterator[Case]:
    """Yield the same words said to be another's who is not cited: in the field, and in the text."""
    roles = {entry.role for entry in good.entries}
    for role in Role:
        if role not in roles:
            yield good._replace(label="uncited", proposal=replace(good.proposal, speaker=role))
            bare = re.sub(r"^(?:User|Assistant)(?:'s)? (?:said |stated )?", "", good.proposal.text)
            for form in _CLAIMED[role]:
                told = replace(good.proposal, text=form.format(bare))
                yield good._replace(label="uncited", proposal=told)


CHANGES: dict[str, Change] = {
    "number": _numbers,
    "date": _dates,
    "time": _times,
    "name": _names,
    "identifier": _identifiers,
    "invented": _invented,
    "polarity": _turned,
}
