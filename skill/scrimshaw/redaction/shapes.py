"""Secrets that what they are made of gives away: tokens by their shape, numbers by their checksum.

The shapes lie in data/secret_shapes.txt, a kind and its pattern a line. What has no shape of its own (a
password, a bare hexadecimal key) is found by the words around it (redaction/cues). Payment cards (Luhn), bank
accounts (IBAN) and wallet keys (Base58Check) are found by one byte search for ten digits in a row or two
groups of four; their sums keep order numbers, timestamps and identifiers of the same length out.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator

from scrimshaw import data
from scrimshaw.redaction.values import Hit

_HEX = "[0-9a-f]"
_CLASSES = {
    "{ALNUM}": "[A-Za-z0-9]",
    "{HEX}": _HEX,
    "{WORD}": r"[\w-]",
    "{BASE58}": "[1-9A-HJ-NP-Za-km-z]",
    "{UUID}": "-".join(f"{_HEX}{{{length}}}" for length in (8, 4, 4, 4, 12)),
}


def _shapes() -> Iterator[tuple[str, str]]:
    for line in data.lines("secret_shapes", "shapes"):
        kind, _, shape = line.partition(" ")
        for name, letters in _CLASSES.items():
            shape = shape.replace(name, letters)
        yield kind, shape


SHAPES = tuple(_shapes())


def _combined() -> re.Pattern[str]:
    """Return one pattern of all shapes, grouped by their first letter; a group's name gives the shape."""
    heads: dict[str, list[str]] = {}
    for number, (_, shape) in enumerate(SHAPES):
        head = re.match(r"\[[^\]]+\]|\\d|\w", shape)
        heads.setdefault(head.group() if head else ".", []).append(f"(?P<s{number}>{shape})")
    branches = [f"(?={head})(?:{'|'.join(shapes)})" for head, shapes in heads.items()]
    return re.compile("|".join(branches))


TOKEN = _combined()
# What a token without a digit begins with.
TOKEN_HEADS = frozenset(data.words("secret_shapes", "heads")) | {
    shape[:3] for _, shape in SHAPES if re.match(r"[\w-]{3}", shape)
}


def kind_of(match: re.Match[str]) -> str:
    """Return the kind of the token that TOKEN matched."""
    return SHAPES[int((match.lastgroup or "s0")[1:])][0]


_TABLE = bytes(49 if chr(b).isdecimal() and b < 128 else 32 if b in b" -\xa0" else 120 for b in range(256))
_NEEDLES = (b"1" * 10, b"1111 1111", b"1111 111111")
_GROUP = r"(?P<gap>[ \xa0-])"
_CARD = re.compile(
    rf"(?<![\w.,+])(?<!\d[ -])(?:\d{{14,16}}|\d{{4}}{_GROUP}(?:\d{{4}}(?P=gap)\d{{4}}(?P=gap)\d{{4}}"
    r"(?:(?P=gap)\d{3})?"
    r"|\d{6}(?P=gap)\d{4,5}))(?!\w|[.,]\d|[ -]\d{4}(?!\d))"
)
# Who issues it, by its first digits, and how many it has.
_ISSUED = re.compile(
    r"4(?:\d{15}|\d{18})|(?:5[1-5]|2[2-7])\d{14}|3[47]\d{13}|3(?:0[0-5]|[689]\d)\d{11}|35\d{14}"
    r"|(?:6011|65\d\d|64[4-9]\d|62\d\d|50\d\d|5[6-8]\d\d|6[37]\d\d)\d{12}(?:\d{3})?"
)
_IBAN = re.compile(r"(?<![A-Za-z0-9])[A-Za-z]{2}\d\d(?:[ \xa0-]?[A-Za-z0-9]){11,32}")
_IBAN_LENGTH = {entry[:2]: int(entry[2:]) for entry in data.words("secret_shapes", "iban")}
_BASE58_LETTERS = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"


def proven(text: str) -> Iterator[Hit]:
    """Yield the cards and bank accounts in *text*."""
    digits = text.encode("latin-1", "replace").translate(_TABLE)
    for needle in _NEEDLES:
        position = digits.find(needle)
        while position >= 0:
            # On to the end of all the digits: each stretch is looked at once.
            end = digits.find(b"x", position)
            end = len(digits) if end < 0 else end
            start = max(0, position - 24)
            for card in _CARD.finditer(text, start, min(end + 1, len(text))):
                if _is_card("".join(c for c in card.group() if c.isdecimal())):
                    yield Hit(*card.span(), "card")
            yield from _accounts(text, start, min(end + 24, len(text)))
            position = digits.find(needle, end)


def _accounts(text: str, start: int, stop: int) -> Iterator[Hit]:
    for found in _IBAN.finditer(text, start, stop):
        length = _IBAN_LENGTH.get(found.group()[:2].upper(), 0)
        places = [at for at in range(*found.span()) if text[at].isalnum()][:length]
        account = "".join(text[at] for at in places).upper()
        if not length or len(account) < length or text[places[-1] + 1 : places[-1] + 2].isalnum():
            continue
        if account.isascii() and int("".join(str(int(c, 36)) for c in account[4:] + account[:4])) % 97 == 1:
            yield Hit(places[0], places[-1] + 1, "iban")


def _is_card(digits: str) -> bool:
    """Whether an issuer's number passes the Luhn sum."""
    doubled = (sum(divmod(int(digit) * 2, 10)) for digit in digits[-2::-2])
    return _ISSUED.fullmatch(digits) is not None and (sum(doubled) + sum(map(int, digits[::-2]))) % 10 == 0


def is_wallet_key(text: str) -> bool:
    """Whether *text* is Base58 and its last four bytes are the hash of the rest."""
    number = 0
    for letter in text:
        if letter not in _BASE58_LETTERS:
            return False
        number = number * 58 + _BASE58_LETTERS.index(letter)
    payload = number.to_bytes((number.bit_length() + 7) // 8, "big")
    return hashlib.sha256(hashlib.sha256(payload[:-4]).digest()).digest()[:4] == payload[-4:]
