"""The words that announce a secret, and those between them and it, in the languages people use.

A `Noun` is found by its stem, which is part of one word, and read by its pattern at that place. It means
one of a few kinds; how a value is told behind it is the same for all (redaction/said).
The words themselves lie in data/secret_words.txt; another language is taught there.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from enum import Enum
from typing import NamedTuple

from scrimshaw import data


class SecretKind(Enum):
    """What sort of value a noun announces."""

    PASSWORD = "password"  # noqa: S105  # a kind
    PIN = "pin"  # digits only
    CODE = "code"  # of a door, an alarm, a second factor: only beside a word for what it opens
    LOGIN = "login"  # a name, then a password
    KEY = "secret"  # everyday words ("key", "token"): the value has to look made by a machine
    SEED = "seed-phrase"


class Noun(NamedTuple):
    """One way to name a secret; *stem* stands at the beginning of what *pattern* reads."""

    stem: str
    pattern: re.Pattern[str]
    kind: SecretKind


def _nouns(kind: SecretKind) -> list[Noun]:
    """Read the nouns of *kind*, which its group in the list is named after."""
    nouns = []
    for line in data.lines("secret_words", kind.name.lower()):
        stem, _, rest = line.partition(" | ")
        # No letter before or behind; an underscore is markup ("_PIN:_").
        rest = re.sub(r"^\\b", r"(?<![^\\W\\d_])", rest)
        rest = re.sub(r"\\b(?=$|\|)", r"(?![^\\W\\d_])", rest)
        nouns.append(Noun(stem, re.compile(rest or re.escape(stem)), kind))
    return nouns


# A part before a word is allowed where languages build compounds (WLAN-Passwort, Datenbankkennwort); short
# stems and everyday words need a boundary.
_PASS = re.compile(
    r"pass(?:[- ]?(?:words?|wort(?:e|es|s)?|phrases?|codes?)|wd|wörter|ord(?:et)?(?![^\W_])"
    r"|e(?![^\W\d_])(?:(?<=de.passe)|(?<=palavra.passe))|(?<![^\W_]pass)(?![^\W_]))"
)
NOUNS = (Noun("pass", _PASS, SecretKind.PASSWORD), *(noun for kind in SecretKind for noun in _nouns(kind)))


def any_of(words: Iterable[str], *, whole: bool = False) -> str:
    """Return a pattern of *words* that looks at each letter once.

    Of two that begin alike the shorter is found; with *whole*, the longer.
    """
    branches: dict[str, list[str]] = {}
    for word in words:
        branches.setdefault(word[0], []).append(word[1:])
    parts = []
    for head, rests in branches.items():
        longer = any_of([rest for rest in rests if rest], whole=whole) if any(rests) else ""
        if "" in rests:
            longer = f"(?:{longer})?" if longer and whole else ""
        parts.append(re.escape(head) + longer)
    return parts[0] if len(parts) == 1 else f"(?:{'|'.join(parts)})"


def _either(group: str) -> str:
    return any_of(data.words("secret_words", group), whole=True)


_ALSO = rf"(?:{_either('still')})\s{{1,4}}"
# "is", "is now", "has been changed to"; begins with a white space: a search passes letters by.
# In "de son compte" the word is no verb.
COPULA = (
    rf"(?<!\sde)(?<!\sà)(?<!\spour)(?<!\sdans)\s\s{{0,3}}(?:{_ALSO}){{0,3}}(?:{_either('is')})(?=[\s:])"
    rf"(?:\s{{1,4}}(?:{_either('still')})(?=\s)){{0,4}}"
)
# "changed the password to X", "auf X geändert"
TO = re.compile(r"\s(?:to|auf|a|en|in|para|por)(?=\s{1,3}[\"'`*“„(]{0,4}[^\s\d]{0,40}\d)")
PREPOSITION = _either("of")
CHANGED = re.compile(
    r"\b(?:chang|set|reset|updat|rotat|änder|geändert|setz|cambi|modifi|mud[eao]|alter|atualiz|pus[eo]|mis)\w*"
    r"[^.!?\n]{0,40}$"
)
USING = re.compile(
    r"\b(?:with|using|use|mit|con|avec|com|met|user(?:name)?|login|log|account|konto|benutzer|usuario|utilisateur"
    r"|utente|usuário|[\w.+-]{1,64}@[\w.-]{1,80})\b[^.!?\n]{0,40}$"
)
# "X is the password", "X ist das Passwort", "use X as your password"
LINK = re.compile(r"\s(?:is|was|as|ist|war|als|es|como|est|comme|è|come|é)\s")
BACKWARDS = re.compile(
    r"(?P<value>[^\s\"'`]{4,80})[\"'`*”»]{0,3},?\s+(?:is|was|as|ist|war|als|es|como|est|comme|è|come|é)\s+"
    r"(?:[\w'’-]+\s+|[ld]['’]){0,5}[\w'’-]{0,30}$"
)

OPENS = re.compile(
    rf"(?:one time|{_either('opens')})[\w-]{{0,12}}(?:['’]s)?[\s\"'*-]{{0,3}}(?:de |d['’]|di |do |da )?$"
    r"|[门門锁鎖报警保险ドアムロック認証確認]$"
)
BOOKED = re.compile(rf"\b(?:{_either('booked')})s?\b")
PLACES = re.compile(rf"\b(?:{_either('places')})\b")
# "password manager", "Passwort-Manager": what keeps or makes passwords
KEEPER = re.compile(r"[ -]{0,2}(?:manag|generat|keeper|verwalt|管理|マネージャ)")
OPENED = re.compile(rf"(?:\b(?:{_either('opens')}))")
LOCKS = re.compile(r"\b(?:wpa\d?|wi-?fi|wlan|hotspot|router)\b[^\n.?]{0,30}$")
WHOSE = re.compile(r"\b(?:my|your|meine|mi|mon|mia|mio|meu|minha|sim|card|karten|bank)[- ]{0,2}$")
SEVERAL = re.compile(
    r"(?:recovery|backup|wiederherstellungs|ersatz|recuperaci[oó]n|recuperação|respaldo|secours|récupération"
    r"|recupero|scratch|恢复|復元|备用|備用|バックアップ|リカバリー?)"
)
