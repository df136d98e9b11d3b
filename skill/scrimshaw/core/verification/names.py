"""The names of a line, looked for in the entries it cites.

A name is a word with a capital that is no ordinary one. It is found when it stands in an entry, in
another form of the same word (Italian for Italy), shortened (Alex for Alexandra, PG&E's "API" for what
it is short for), or written out by its first letters. Where a sentence begins every word has a capital:
there an ordinary word passes.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

from scrimshaw.core.ledger.known_lines import stem
from scrimshaw.core.text.languages import function_words, name_of
from scrimshaw.core.text.normalize import CAPITAL, normal
from scrimshaw.core.text.numbers import UNITS
from scrimshaw.core.text.stems import split_words
from scrimshaw.core.verification.lookup import Witnesses, stands, stands_otherwise
from scrimshaw.data import words

_TITLES = ("Dr", "Mr", "Ms", "St", "Mrs", "Prof")  # what a full stop behind does not end
_SENTENCE_START = re.compile(
    "(?:^|" + "".join(rf"(?<!\b{title})" for title in _TITLES) + r"[.!?:;]\s+|[-–—(\"“]\s*|\n)$"
)
_AFTER_FIGURE = re.compile(r"(?<!\d)(\d+|°)\s?$")
_CONTRACTED = re.compile(r"'(?:s|ll|ve|re|d|m)$")
_ENDS_LIKE_A_WORD = re.compile(
    r"(?:ed|ing|tion|sion|ment|ness|ly|ity|ance|ence|able|ible|ive|ous|ful|less|ists?|ship|ware)$"
)
# Words that open a sentence with a capital and are nobody's name: no grammar tells the two apart, so a list
# does, with endings that only words have. Short forms stand for no person or place.
ORDINARY = frozenset(stem(word) for word in words("common_words", "common"))
SHORT_FORMS = frozenset(words("common_words", "short_forms"))
NEUTRAL = frozenset(stem(word) for word in words("common_words", "frame"))
_MONTHS_AND_DAYS = re.compile(
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?"
    r"|sept?(?:ember)?|oct(?:ober)?"
    r"|nov(?:ember)?|dec(?:ember)?|(?:mon|tues?|wed(?:nes)?|thu(?:rs?)?|fri|sat(?:ur)?"
    r"|sun)(?:days?)?|[ap]m|utc)s?"
)
_ROW = re.compile(r"\b[A-ZÀ-Þ][\w’']*(?: (?:(?:of|the|and|de) )?[A-ZÀ-Þ][\w’']*)+")
# What everybody writes for a name; "_" is a space.
_ALSO_TEXT = """
xmas=christmas x-mas=christmas vday=valentine nyc=york nyc=city ny=york la=angeles sf=francisco
dc=washington uk=britain uk=kingdom gb=britain us=america usa=america us=states usa=states eu=europe
uae=emirates nz=zealand pg=postgres pg=postgresql psql=postgresql mongo=mongodb k8s=kubernetes
js=javascript ts=typescript py=python gh=github gl=gitlab fb=facebook ig=instagram yt=youtube wa=whatsapp
tg=telegram li=linkedin msft=microsoft ms=microsoft amz=amazon tf=terraform vscode=visual_studio_code
osx=macos mac=macos insta=instagram philly=philadelphia
"""
_PAIRS = [pair.replace("_", " ").split("=") for pair in _ALSO_TEXT.split()]
_ALSO = {
    word: [other for pair in _PAIRS if word in pair for other in pair if other != word]
    for word in {word for pair in _PAIRS for word in pair}
}
_WHOLE_WORD = 5  # letters
_ROOT = 4
_BEFORE_A_NOUN = re.compile(
    r"(?:\b(?:de[rmns]|die|das|eine?[rmns]?|(?:[mds]|k)eine?[rmns]?|[iI]hre?[rmns]?|unse?re?[rmns]?|[ai]m|vom|beim|zu[mr]"
    r"|jede[rmns]?|diese[rmns]?|alle[rmns]?|viele|keine)|\d)\s$"
)
_GERMAN_NOUN = re.compile(r"(?:ung|heit|keit|schaft|tion|tät|nis|chen|lein|ling|ismus)(?:e?[nrs])?$")
_LEAST_CUT_OFF = 2
_PEOPLE = ("ian", "an", "ese", "ish", "ic", "er")  # what makes a country's name its people's
_MOST_ENDING = 3  # letters by which the two differ: Italy, Italian


def strange_name(text: str, cited: Witnesses, elsewhere: Callable[[], Iterable[str]] = tuple) -> str:
    """Return a name that no cited entry holds, nor a text that *elsewhere* gives, made `normal`."""
    for match in CAPITAL.finditer(text):
        name = match.group(1)
        lower = _CONTRACTED.sub("", normal(name)).rstrip("'")
        if _MONTHS_AND_DAYS.fullmatch(lower) or any(stands(lower, witness.lower) for witness in cited):
            continue
        if _is_unit(match, lower, text, cited) or (name.isupper() and lower in SHORT_FORMS):
            continue
        starts = _SENTENCE_START.search(text, 0, match.start(1)) is not None
        if (starts and _is_ordinary(lower, cited)) or _is_held(name, lower, cited):
            continue
        if _is_foreign_word(match, lower, text, cited, starts=starts):
            continue
        if not starts and (stem(lower) in NEUTRAL or lower in UNITS):
            continue
        if _is_long_form(match, text, cited) or any(stands(lower, hay) for hay in elsewhere()):
            continue
        return f"“{name}” stands in no entry it cites"
    return ""


def _is_foreign_word(match: re.Match[str], lower: str, text: str, cited: Witnesses, *, starts: bool) -> bool:
    """Whether a capital of another language is a sentence's, or a German noun's, and not a name's."""
    told = normal(text)
    if name_of(told) == "en":  # too short to tell
        told = " ".join((told, *(witness.lower for witness in cited)))
    if name_of(told) == "en":
        return False
    if lower in function_words():
        return True
    held = frozenset().union(*(witness.plain_words for witness in cited))
    if starts and len(lower) > _ROOT and lower[:_ROOT] in {word[:_ROOT] for word in held}:
        return True
    if name_of(told) != "de":
        return False
    if _BEFORE_A_NOUN.search(text, 0, match.start(1)) or _GERMAN_NOUN.search(lower):
        return True
    # "Blutdruckmittel" of "das Mittel gegen den Blutdruck"
    return any(lower[:at] in held and lower[at:].lstrip("s") in held for at in range(_ROOT, len(lower) - 3))


def _is_unit(match: re.Match[str], lower: str, text: str, cited: Witnesses) -> bool:
    """Whether a capital stands behind a figure as a unit does: 20 °C, 12 V where an entry says "12v"."""
    start = match.start(1)
    if len(lower) == 1 and text[start - 1 : start] == "°":
        return True
    figure = _AFTER_FIGURE.search(text, 0, start)
    if figure is None:
        return False
    return lower in UNITS or any(stands(f"{figure[1]}{lower}", witness.lower) for witness in cited)


def _is_ordinary(lower: str, cited: Witnesses) -> bool:
    """Whether a capital at the start of a sentence is the sentence's and not a name's."""
    return lower.endswith("n't") or all(
        is_ordinary_word(part, cited) for part in re.split(r"[-']", lower) if part
    )


def is_ordinary_word(lower: str, cited: Witnesses) -> bool:
    """Whether a word is nobody's name: by list, by its ending, or because the entries have it as a word."""
    root = stem(lower)
    # Twice: a "building" is a word of its own and so are "buildings"; "times" is too short for `stem`.
    roots = {root, stem(root), stem(lower.removesuffix("s"))}
    if not roots.isdisjoint(NEUTRAL | ORDINARY) or lower in SHORT_FORMS or _ENDS_LIKE_A_WORD.search(lower):
        return True
    return len(root) >= 6 and any(word.startswith(root[:6]) for witness in cited for word in witness.words)


def _is_held(name: str, lower: str, cited: Witnesses) -> bool:
    """Whether the entries hold the name in another form."""
    parts = split_words(lower)
    if parts and any(parts <= witness.words for witness in cited):
        return True
    pieces = name.split("-")
    if len(pieces) > 1 and all(_is_piece_held(piece, cited) for piece in pieces):
        return True  # "Potter-related"
    if any(stands_otherwise(name.removesuffix("'s"), w.lower) for w in cited) or _is_short_form(lower, cited):
        return True
    return any(_is_form_of(lower, word) for w in cited for word in w.plain_words) or _is_initials(name, cited)


def _is_piece_held(piece: str, cited: Witnesses) -> bool:
    lower = piece.lower()
    return any(stands(lower, w.lower) for w in cited) or (piece == lower and stem(lower) in ORDINARY)


def is_spelled_otherwise(name: str, cited: Witnesses) -> bool:
    """Tell whether the entries hold a name with capitals inside another way: "rabbit" for RabbitMQ."""
    lower = normal(name)
    if _is_short_form(lower, cited):
        return True
    if not re.fullmatch(r"[A-Za-z]*[a-z][A-Z][A-Za-z]*", name):
        return False
    return any(
        (len(word) >= _WHOLE_WORD and lower.startswith(word)) or lower == f"{word}s"
        for w in cited
        for word in w.plain_words
    )


def _is_short_form(lower: str, cited: Witnesses) -> bool:
    """Whether the entries hold what everybody writes for the name: xmas."""
    return any(stands(other, witness.lower) for other in _ALSO.get(lower, ()) for witness in cited)


def _is_long_form(match: re.Match[str], text: str, cited: Witnesses) -> bool:
    """Whether the names in a row around *match* are what an entry has the first letters of: New York, NY."""
    for row in _ROW.finditer(text):
        if row.start() <= match.start(1) < row.end():
            initials = "".join(word[0] for word in row.group().split() if word[0].isupper())
            return any(re.search(rf"\b{initials}\b", witness.text) for witness in cited)
    return False


def _is_form_of(lower: str, word: str) -> bool:
    """Whether a word of an entry begins with a name, or one of the two is the other's people."""
    if word.startswith(lower):
        return len(lower) >= _ROOT or (len(lower) == _ROOT - 1 and len(word) - len(lower) >= _LEAST_CUT_OFF)
    shorter, longer = sorted((lower, word), key=len)
    root = max(_ROOT, len(longer) - _MOST_ENDING)
    return longer.endswith(_PEOPLE) and len(shorter) >= root and longer[:root] == shorter[:root]


def _is_initials(name: str, cited: Witnesses) -> bool:
    """Whether *name* is short for words of an entry, or they are short for it: NYC, JS for JavaScript."""
    letters = name.replace(".", "").lower()
    if name.isupper() and 2 <= len(letters) <= 5:
        return any(letters in witness.initials for witness in cited)
    humps = "".join(re.findall(r"[A-Z]", name)).lower()
    return len(humps) >= 2 and any(stands(humps, witness.lower) for witness in cited)
