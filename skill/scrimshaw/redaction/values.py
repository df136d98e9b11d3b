"""What a secret value looks like, and which names announce one.

Values that only speak of a secret (a variable, a type, a placeholder, an already masked value) are
none. After a password-like name little is needed, after "token" or "key" a value must look random:
those names are everyday words in code.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from itertools import pairwise
from typing import NamedTuple

from scrimshaw import data


class Hit(NamedTuple):
    """Where a secret stands, and of what kind it is."""

    start: int
    end: int
    kind: str


class CuePlace(NamedTuple):
    """Where a cue stands: the text, the same in lower case with the same positions, and the position."""

    text: str
    lower: str
    position: int


_TEMPLATE = re.compile(
    r"\[redacted|<|\$(?:[{(]|[A-Za-z_]+$|[A-Z_]+\b)|%(?:[({]|\w+%$)|\{|\*{2}|#\{|#$|\(|\.\.\."
    r"|your[-_ ]|(?:x{3,}|\*{3,}|\.{3,}|_+|-+|0+|1234?)$",
    re.IGNORECASE,
)
_PLACEHOLDER = re.compile(
    r"(?:(?:my|the|some|an?)[-_ ]"
    rf"|(?:{'|'.join(data.words('secret_words', 'placeholders'))})(?:[^A-Za-z0-9]|$))",
    re.IGNORECASE,
)
MASKED = re.compile(r"…|\*{3}|x{5,}|\.{3}|redacted|\[redacted|example_?key$", re.IGNORECASE)
_IDENTIFIERS = re.compile(
    r"[A-Za-z_$][\w$]*(?:(?:\??\.|::|->)[A-Za-z_$][\w$]*)+[!;,]?|[A-Za-z_$][\w$.]*[(\[].*|[a-z-]+/[a-z/.-]+"
)


def entropy(value: str) -> float:
    """Return the bits of a character of *value*, by how often each occurs in it."""
    total = len(value)
    return -sum(n / total * math.log2(n / total) for n in Counter(value).values())


def is_value(value: str) -> bool:
    """Whether *value* may be a secret, and is no template, variable or placeholder."""
    if _TEMPLATE.match(value) or MASKED.search(value):
        return False
    if _IDENTIFIERS.fullmatch(value) and not _has_typed_part(value):
        return False
    named = _PLACEHOLDER.match(value)
    return named is None or _is_more(value, named.end())


def _has_typed_part(value: str) -> bool:
    """Whether a part between dots is as people type it, and as nobody names a variable, a file or a host."""
    if "(" in value or "[" in value or _FILE_OR_HOST.search(value):
        return False
    return any(_WORD_AND_YEAR.fullmatch(part) or _is_scrambled_part(part) for part in re.split(r"\W+", value))


def _is_scrambled_part(part: str) -> bool:
    """Whether three digits stand among the letters of *part*, and no word (`Ed25519PrivateKey`)."""
    return is_scrambled(part) and sum(c.isdigit() for c in part) >= 3 and not re.search("[a-z]{4}", part)


_WORD_AND_YEAR = re.compile(r"[A-Za-z]{3,}\d{4,}")
_FILE_OR_HOST = re.compile(r"\.[a-z]{2,4}[!;,]?$")


def _is_more(value: str, start: int) -> bool:
    """Whether what stands behind the word for a placeholder, at *start*, makes a secret of it."""
    rest, sign = value[start:], value[start - 1]
    if sign in "!#@$^~":
        return rest[:1].isalnum() and is_mixed(rest)
    if sign in "-_":
        return is_mixed(rest) and sum(c.isdigit() for c in rest) >= 3
    return sign == "." and _has_typed_part(value)


def is_random(value: str) -> bool:
    """Whether *value* looks made by a machine: long enough, mixed, no words with separators."""
    if len(value) < 12 or not is_value(value):
        return False
    digits = sum(c.isdigit() for c in value)
    if sum(c.isalpha() for c in value) < 2 or entropy(value) < 2.9:
        return False
    if digits >= 2:
        # "my-feature-branch-2024-10": words and numbers apart, each of one sort
        parts = re.split(r"[-_./:]", value)
        return any(len(p) >= 8 and any(c.isdigit() for c in p) and not p.isdigit() for p in parts) or (
            len(parts) == 5 and len(value) == 36
        )
    mixed = any(c.isupper() for c in value[1:]) and any(c.islower() for c in value)
    return mixed and len(value) >= 20 and entropy(value) >= 3.8 and not re.search(r"[a-z]{6,}", value)


def is_password(value: str) -> bool:
    """Whether *value* is one that a person would type: not a plain word, not a type, not code."""
    if not 4 <= len(value) <= 200 or not is_value(value) or " " in value:
        return False
    if any(c in "(){}[]<>" for c in value) and not any(c.isdigit() for c in value):
        return False
    classes = (str.isdigit, str.islower, str.isupper, lambda c: not c.isalnum() and c not in ".,:;-_/'’")
    kinds = sum(any(is_kind(c) for c in value) for is_kind in classes)
    capitalised = kinds == 2 and value[0].isupper() and value[1:].islower()
    return (kinds >= 2 and not capitalised) or (kinds == 1 and value.isdigit()) or value.count("-") >= 3


_WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_PASSWORD_NAMES = {"pwd", "pass", "passphrase", "passcode", "pw", "passwort", "storepass", "keypass"}
_SECRET_NAMES = frozenset(data.words("secret_words", "secret_names"))
PUBLIC_KEYS = frozenset(data.words("secret_words", "public_keys"))
# What a name says of where or how a secret is, instead of holding it.
_ABOUT_ONE = frozenset(data.words("secret_words", "about_a_secret"))


def kind_of_name(name: str) -> str | None:
    """Return what a value assigned to *name* is: "password", "secret", "key", or none of them."""
    words = [w.lower() for w in _WORDS.findall(name)]
    while words and words[-1].isdigit():
        words.pop()
    kind = _kind_of(words)
    if kind is None and len(words) > 1 and words[-1] not in _ABOUT_ONE and name.isupper() | ("_" in name):
        # "SECRET_KEY_BASE", "API_KEY_PROD"
        kind = _kind_of(words[:-1]) if len(words) > 2 or words[0] != "key" else None
    return kind


def _kind_of(words: list[str]) -> str | None:
    if not words:
        return None
    last = words[-1]
    if last in _PASSWORD_NAMES or last.endswith(("password", "passwd")):
        return "password"
    if last in _SECRET_NAMES or "".join(words[-2:]) in _SECRET_NAMES:
        return "secret"
    # JSESSIONID is one; a session's id is none.
    if last.endswith(("secret", "token", "sessid", "sessionid")) and last != "sessionid":
        return "secret"
    if last == "key" or last.endswith("apikey"):
        return "key" if len(words) > 1 and words[-2] not in PUBLIC_KEYS else None
    return None


def counts(kind: str, name: str, value: str, *, is_quoted: bool) -> bool:
    """Whether *value*, assigned to a *name* of that kind, is a secret and not code or prose."""
    if "://" in value or not is_value(value):
        return False
    if kind == "password":
        if is_quoted and " " in value:
            return is_password_of_words(value)
        is_setting = name.isupper() or is_quoted
        plain = value.isalpha() and 6 <= len(value) <= 40 and value.lower() != name.lower()
        return is_password(value) or (is_setting and plain)
    if is_random(value):
        return is_quoted or name.isupper() or len(value) >= 16 or not value.isidentifier()
    return name.isupper() and len(value) >= 8 and is_password(value) and any(c.isdigit() for c in value)


PROSE = frozenset(data.words("secret_words", "prose"))


_IN_GROUPS = re.compile(r"[a-z]{4}(?: [a-z]{4}){3}(?![\w'’-])")
_OF_SENTENCES = PROSE | frozenset(data.words("secret_words", "stop"))
_SIGN_WITHIN = re.compile(r"\w[!$^*~&%]\w")


def app_password(text: str, start: int = 0) -> str | None:
    """Return the four groups of four letters at *start* that are no words of a sentence."""
    groups = _IN_GROUPS.match(text, start)
    return groups.group() if groups and _OF_SENTENCES.isdisjoint(groups.group().split()) else None


def is_password_of_words(value: str) -> bool:
    """Whether a quoted value with blanks is one: by a word that nobody writes, or as an app password."""
    words = value.split()
    if not 2 <= len(words) <= 6 or len(value) > 60:
        return False
    return app_password(value) == value or any(
        is_scrambled(word) or (is_strong(word) and _SIGN_WITHIN.search(word) is not None) for word in words
    )


def is_mixed(value: str) -> bool:
    return any(c.isdigit() for c in value) and any(c.isalpha() for c in value)


def is_strong(value: str) -> bool:
    """Whether *value* is of three sorts of characters: lower, upper, digits, signs."""
    signs = any(not c.isalnum() and c not in ".,:;-_/" for c in value)
    sorts = [any(map(is_sort, value)) for is_sort in (str.isdigit, str.islower, str.isupper)]
    return is_password(value) and sorts[0] and sum(sorts) + signs >= 3


def is_scrambled(value: str) -> bool:
    """Whether letters and digits change places in *value* as in no word with a number."""
    return len(value) >= 8 and is_mixed(value) and sort_changes(value) >= 4 and value.isalnum()


def sort_changes(value: str) -> int:
    """Return how often digits, small and capital letters change places in *value*."""
    sorts = [(c.isdigit(), c.isupper()) for c in value if c.isalnum()]
    return sum(a != b for a, b in pairwise(sorts))


# What English makes adjectives and participles of, and German.
_STATES = re.compile(
    r".{2,}(?:ed|ing|able|ible|ive|ous|ful|less|ally|ly|ary|ent|ant|ical|en|wn|lich|ig|bar|t)"
)


def is_plain_word(value: str) -> bool:
    """Whether *value* is one word that tells no state of the password ("wrong", "provided")."""
    is_word = value.isalpha() and 5 <= len(value) <= 40 and value.lower() not in PROSE
    return is_word and is_value(value) and not _STATES.fullmatch(value.lower()) and value.isascii()
