"""Secrets that a checksum proves: payment cards (Luhn), bank accounts (IBAN), wallet keys (Base58Check).

Found by one byte search for what all of them have, ten digits in a row or two groups of four; the sums keep
order numbers, timestamps and identifiers of the same length out.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator

from scrimshaw.redaction.values import Hit

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
# ISO 13616: the length of an account number by country.
_LENGTHS = """
AD24 AE23 AL28 AT20 AZ28 BA20 BE16 BG22 BH22 BR29 BY28 CH21 CR22 CY28 CZ24 DE22 DK18 DO28 EE20 EG29 ES24
FI18 FO18 FR27 GB22 GE22 GI23 GL18 GR27 GT28 HR21 HU28 IE22 IL23 IQ23 IS26 IT27 JO30 KW30 KZ20 LB28 LC32
LI21 LT20 LU20 LV21 LY25 MC27 MD24 ME22 MK19 MR27 MT31 MU30 NL18 NO15 PK24 PL28 PS29 PT25 QA29 RO24 RS22
SA24 SC31 SE24 SI19 SK24 SM27 ST25 SV28 TL23 TN24 TR26 UA29 VA22 VG24 XK20
"""
_IBAN_LENGTH = {entry[:2]: int(entry[2:]) for entry in _LENGTHS.split()}
_BASE58 = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"


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
        if letter not in _BASE58:
            return False
        number = number * 58 + _BASE58.index(letter)
    payload = number.to_bytes((number.bit_length() + 7) // 8, "big")
    return hashlib.sha256(hashlib.sha256(payload[:-4]).digest()).digest()[:4] == payload[-4:]
