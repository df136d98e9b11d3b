"""What a secret value looks like, and which names announce one.

Values that only speak of a secret (a variable, a type, a placeholder, an already masked value) are
none. After a password-like name little is needed, after "token" or "key" a value must look random:
those names are everyday words in code.
"""

from __future__ import annotations

import math
import re
from collections import Counter

_PLACEHOLDER = re.compile(
    r"\[redacted|[<$%{*#(]|\.\.\.|(?:your|my|the|some|an?)[-_ ]|(?:x{3,}|\*{3,}|\.{3,}|_+|-+|0+|1234?)$"
    r"|(?:null|none|nil|true|false|undefined|string|str|text|hidden|number|int|any|unknown|required|optional|missing"
    r"|empty|example|placeholder|dummy|todo|tbd|redacted|masked|password|passwd|pass|pwd|secret|token|key|apikey|value"
    r"|process|os|env|self|this|config|settings|secrets|vault|import|require|await|new|const|let|var|return|function"
    r"|async|get|read|load|current-password|new-password|one-time-code|changeit|field|input)(?:[^A-Za-z0-9]|$)",
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
    return not (_PLACEHOLDER.match(value) or MASKED.search(value) or _IDENTIFIERS.fullmatch(value))


def is_random(value: str) -> bool:
    """Whether *value* looks made by a machine: long enough, mixed, no words with separators."""
    if len(value) < 12 or not is_value(value):
        return False
    digits = sum(c.isdigit() for c in value)
    if digits == len(value) or entropy(value) < 2.9:
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
    classes = (str.isdigit, str.islower, str.isupper, lambda c: not c.isalnum() and c not in ".,:;-_/")
    kinds = sum(any(is_kind(c) for c in value) for is_kind in classes)
    capitalised = kinds == 2 and value[0].isupper() and value[1:].islower()
    return (kinds >= 2 and not capitalised) or (kinds == 1 and value.isdigit()) or value.count("-") >= 3


_WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_PASSWORD_NAMES = frozenset(
    {"password", "passwd", "pwd", "pass", "passphrase", "passcode", "pgpassword", "pw", "passwort"}
)
_TELLING = """
secret token apikey apitoken credential credentials auth authtoken accesstoken signature sig sas cookie
webhook accountkey accesskey secretkey privatekey sharedaccesskey sid authorization bearer jwt salt pepper
dsn
"""
_SECRET_NAMES = frozenset(_TELLING.split())
_OTHER_KEYS = """
public primary foreign sort cache partition object index hot row map session idempotency dedupe lookup trace
run thread chat child routing group hash sub natural surrogate s3 storage_object query react list
"""
_PUBLIC_KEYS = frozenset(_OTHER_KEYS.split())


def kind_of_name(name: str) -> str | None:
    words = [w.lower() for w in _WORDS.findall(name)]
    while words and words[-1].isdigit():
        words.pop()
    if not words:
        return None
    if words[-1] in _PASSWORD_NAMES or words[-1].endswith(("password", "passwd")):
        return "password"
    if (
        words[-1] in _SECRET_NAMES
        or "".join(words[-2:]) in _SECRET_NAMES
        or words[-1].endswith(("secret", "token"))
    ):
        return "secret"
    if words[-1] in ("key", "apikey") or words[-1].endswith("apikey"):
        return "key" if len(words) > 1 and words[-2] not in _PUBLIC_KEYS else None
    return None


def counts(kind: str, name: str, value: str, *, is_quoted: bool) -> bool:
    """Whether *value*, assigned to a *name* of that kind, is a secret and not code or prose."""
    if "://" in value or not is_value(value):
        return False
    if kind == "password":
        is_setting = name.isupper() or is_quoted
        plain = value.isalpha() and 6 <= len(value) <= 40 and value.lower() != name.lower()
        return is_password(value) or (is_setting and plain and " " not in value)
    if is_random(value):
        return is_quoted or name.isupper() or len(value) >= 16 or not value.isidentifier()
    return name.isupper() and len(value) >= 8 and is_password(value) and any(c.isdigit() for c in value)


_PROSE_TEXT = """
a an the not no now in on at of for to by and or but correct incorrect wrong right required optional missing
set reset stored hashed saved expired weak strong invalid valid empty needed known unknown encrypted
protected changed rotated asked prompted managed sent shared safe unsafe too also still always never only
just too very already longer shorter public private different same there here that this it what with from
kept being case used read written out ok okay fine good bad secure insecure secret hidden visible masked
disabled enabled default random generated blank none null
"""
PROSE = frozenset(_PROSE_TEXT.split())


def is_mixed(value: str) -> bool:
    return any(c.isdigit() for c in value) and any(c.isalpha() for c in value)
