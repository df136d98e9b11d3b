"""Secrets known by a word that announces them: noun, bridge, value.

One way of reading for all languages and markups. Behind a noun (redaction/words) stands a bridge: what
closes the noun's own markup, perhaps what it is for, and a separator, copula, table cell or tag. Behind the
bridge stands the value, in its own markup. How sure the bridge is decides how much the value has to look like
one (redaction/values). All quantifiers are bounded, and a bridge is at most a line or two long.
"""

from __future__ import annotations

import re

from scrimshaw import data
from scrimshaw.redaction.bridges import SURE, Telling, ToldValue, trimmed, value_of, ways_told
from scrimshaw.redaction.numbers import codes, codes_before, pins
from scrimshaw.redaction.values import (
    PROSE,
    PUBLIC_KEYS,
    CuePlace,
    Hit,
    app_password,
    is_mixed,
    is_password,
    is_password_of_words,
    is_plain_word,
    is_random,
    is_scrambled,
    is_strong,
    is_value,
    kind_of_name,
)
from scrimshaw.redaction.words import (
    BACKWARDS,
    BOOKED,
    CHANGED,
    KEEPER,
    LINK,
    LOCKS,
    USING,
    WHOSE,
    Noun,
    SecretKind,
)


def said(place: CuePlace, noun: Noun) -> list[Hit]:
    """Return the secrets that *noun*, which stands at *place*, announces."""
    match = noun.pattern.match(place.lower, place.position)
    if match is None:
        return []
    kind, start, end = noun.kind, match.start(), match.end()
    if kind is SecretKind.SEED:
        return _seed_phrases(place, match)
    if kind is not SecretKind.CODE and match.group().isascii() and _is_other_name(place.text, start, end):
        return []
    if kind is not SecretKind.PASSWORD and not _is_likely(place.text, max(0, start - 40), end + 110):
        return []
    read = _READERS[kind]
    for told in ways_told(place, match, kind):
        if hits := read(place, match, told):
            return hits
    if kind is SecretKind.PASSWORD:
        return _column(place, match, kind) or _backwards(place, match)
    if kind is SecretKind.CODE:
        return codes_before(place, match)
    return _column(place, match, kind) if kind in _TOLD_AS else []


_DIGIT, _LONG = re.compile("[0-9]"), re.compile("[A-Za-z+/]{20}")


def _is_likely(text: str, start: int, end: int) -> bool:
    """Whether there may be a value; nothing but a password does without a digit or a long run."""
    return _DIGIT.search(text, start, end) is not None or _LONG.search(text, start, end) is not None


_NAME_LETTERS = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_")
_NAME_BEHIND = re.compile(r"[A-Za-z0-9_]+")
_CODE_NAME = re.compile(r"\w*?(?:[a-z][A-Z]|[^\W_]_+[^\W_])\w*")


def _is_other_name(text: str, start: int, end: int) -> bool:
    """Whether the noun is part of a name in code that is no secret's: `sessionKey`, `max_tokens_per_day`."""
    left = start
    while left > 0 and start - left < 60 and text[left - 1] in _NAME_LETTERS:
        left -= 1
    right = _NAME_BEHIND.match(text, end, end + 60)
    if left == start and right is None:
        return False
    name = text[left : right.end() if right else end].strip("_")
    return _CODE_NAME.fullmatch(name) is not None and kind_of_name(name) is None


_ROWS = 40


def _column(place: CuePlace, noun: re.Match[str], kind: SecretKind) -> list[Hit]:
    """Read the column of a table, or of values with commas, that the noun is the heading of."""
    text = place.text
    begin = text.rfind("\n", max(0, noun.start() - 300), noun.start()) + 1
    end = text.find("\n", noun.end(), noun.end() + 300)
    if end < 0 or not (mark := next((c for c in "|\t;," if text.find(c, begin, end) >= 0), "")):
        return []
    heading = text[begin:end]
    if noun.start() - begin > 300:
        return []
    count, index = heading.count(mark), text.count(mark, begin, noun.start())
    if any(len(cell) > 30 or re.search(r"[.:=!?0-9]", cell) for cell in heading.split(mark)):
        return []
    hits: list[Hit] = []
    for _ in range(_ROWS):
        begin, end = end + 1, text.find("\n", end + 1, end + 600)
        row = text[begin : end if end >= 0 else begin + 600]
        if row.count(mark) != count or noun.group() in row.lower():
            break
        start = begin + len(mark.join(row.split(mark)[:index])) + (index > 0)
        cell = value_of(text, Telling(start, "cell" if mark == "|" else "column", "", is_loose=False))
        if cell is not None and cell.end <= begin + len(row) and _is_worth(cell.text.split(mark)[0], kind):
            hits.append(Hit(cell.start, cell.start + len(cell.text.split(mark)[0]), _TOLD_AS[kind]))
        if end < 0:
            break
    return hits


_TOLD_AS = {SecretKind.PASSWORD: "password", SecretKind.KEY: "secret", SecretKind.PIN: "pin"}


def _is_worth(value: str, kind: SecretKind) -> bool:
    match kind:
        case SecretKind.PIN:
            return re.fullmatch(r"\d{4,12}", value) is not None
        case SecretKind.KEY:
            return is_random(value) or (is_value(value) and is_strong(value) and len(value) >= 8)
        case _:
            return _is_plainly(value)


def _password(place: CuePlace, noun: re.Match[str], told: Telling) -> list[Hit]:
    text, lower, _ = place
    word = noun.group()
    if word == "pass" and not _is_short_for_password(lower, noun, told):
        return []
    names_two = told.how in SURE and _NAMES_TWO.search(lower, max(0, noun.start() - 30), noun.start())
    if names_two and (hits := _login(place, noun, told)):
        return hits
    value = value_of(text, told)
    if value is None:
        return []
    if ("phrase" in word or "フレーズ" in word) and not told.is_loose and (phrase := _words(text, value)):
        return phrase.as_hit("password")
    is_of_app = told.how in SURE and _OF_APP.search(
        lower[max(0, noun.start() - 4) : noun.start()] + told.about
    )
    if is_of_app and (groups := app_password(text, value.start)):
        return value._replace(text=groups).as_hit("password")
    if value.text.lower() not in PROSE and _is_told(place, noun, told, value):
        return value.as_hit("password")
    return []


_OF_APP = re.compile(r"^app[- ]|\b(?:aplicaci[oó]n|application|aplicativo|applicazione)\b")


def _is_short_for_password(lower: str, noun: re.Match[str], told: Telling) -> bool:
    """Whether "pass" is no boarding pass: by the login, the network or the person before it."""
    if told.how == "beside":
        return USING.search(lower, max(0, noun.start() - 30), noun.start()) is not None
    return told.how in SURE and any(
        before.search(lower, max(0, noun.start() - 80), noun.start()) for before in (USING, LOCKS, WHOSE)
    )


_NAMES_TWO = re.compile(
    r"(?:user(?:name)?|login|name|email|benutzer(?:name)?|usuario|usuário|utente|账号|帳號)\s?"
    r"(?:/|&|\+|and|und|y|et|e|和)\s?$"
)


def _is_told(place: CuePlace, noun: re.Match[str], told: Telling, value: ToldValue) -> bool:
    """Whether *value* is one that a person tells as a password behind this bridge."""
    text, how = value.text, told.how
    if " " in text:
        return value.is_quoted and how in SURE and not told.is_loose and is_password_of_words(text)
    if not is_value(text) or _CODE_VALUE.match(text) or _METHOD.match(place.text, value.end):
        return False
    if noun.group().startswith(_OTHERWISE) and (not is_mixed(text) or _is_numbered(told.about, text)):
        return False
    if told.is_loose:
        if noun.group() in text.lower() or KEEPER.match(told.about):  # "password manager: 1Password"
            return False
        if LOCKS.search(told.about) and _is_plainly(text):  # "password wifi: X"
            return True
        if how == "copula" and _RELATIVE.match(told.about) and _is_long_mix(text):
            return True
        return (is_strong(text) and len(text) >= 6) or is_random(text)
    match how:
        case "changed":
            if not _is_plainly(text):
                return False
            around = (
                place.lower[max(0, noun.start() - 60) : noun.start()],
                place.lower[value.end : value.end + 30],
            )
            return is_strong(text) or any(CHANGED.search(words) for words in around)
        case "beside":
            if not is_password(text) or len(text) < 5:
                return False
            follows = USING.search(place.lower, max(0, noun.start() - 70), noun.start()) is not None
            return is_strong(text) or (len(text) >= 6 and (follows or is_mixed(text)))
        case "line" if place.text[value.end : value.end + 12].strip(" \t\"'`*_|")[:1] not in (
            "",
            "\n",
            "\\",
            "<",
        ):
            return False
        case "dash" | "line":
            return _is_plainly(text) and (len(text) >= 8 or value.is_quoted or is_strong(text))
        case _ if is_password(text):
            return not (how != "copula" and not value.is_quoted and _CAMEL.fullmatch(text))
    is_marked = how != "copula" and how != "east"
    rest = place.text[value.end : value.end + 3]
    is_alone = value.is_quoted or re.match(r"[*_`]{0,2}\s*(?:[.,;!?)|<]|$|\()", rest) is not None
    # Of other languages' words that follow "is" hardly one in a hundred is a password: "ist falsch".
    is_english = how == "copula" and _IS.match(place.lower, noun.end(), noun.end() + 40) is not None
    return is_alone and (is_marked or is_english or value.is_quoted) and is_plain_word(text)


_IS = re.compile(r"\s*(?:(?:is|was)\b|['’]s|has been|will)")
# "the password that I use for the till is X", "das Passwort, das ich nutze, ist X", "it should be X"
_RELATIVE = re.compile(r"(?:,? (?:that|which|i|we|das|que|che)|[ ](?:should|will)$)(?![^\W_])")


def _is_long_mix(text: str) -> bool:
    """Whether *text* is a password for sure, and no "base64-encoded"."""
    return len(text) >= 8 and _is_plainly(text) and re.search(r"\d[A-Za-z]?-[a-z]{4,}$", text) is None


def _is_numbered(about: str, value: str) -> bool:
    """Whether a "clave" is the number of a project or an order: "la clave del proyecto es ABC-12"."""
    return BOOKED.search(about) is not None and re.fullmatch(r"[A-Z]{2,6}-\d{1,6}", value) is not None


_OTHERWISE = ("clave", "parola", "pass ")  # words that mean something else, too
_METHOD = re.compile(r"\s?(?:加密|编码|編碼|算法|哈希)")  # "密码是SHA256加密的": how it is kept
# A path, an address, a template, a constant's name, a call: no value by itself.
_CODE_VALUE = re.compile(
    r"[~.]{0,2}/|@\w+|[^\s]{0,60}?(?:://|\$\{|\{\w{0,40}\})|(?!\w{1,60}[A-Z]_\d{4}$)[A-Z]{2,}[A-Z0-9]*_[A-Z0-9_]*(?:=|$)"
    r"|@?[A-Za-z_][\w.]{0,60}\(|[\w.+-]{1,64}@[\w-]{1,60}\.[\w.-]{2,60}$"
)
_CAMEL = re.compile(r"[a-z]+(?:[A-Z][a-z]+)+")


def _words(text: str, value: ToldValue) -> ToldValue | None:
    """Return the words of a passphrase: four or more, none of those that only prose has."""
    match = re.compile(r"(?:[^\W\d_]{3,12}[ -]){3,11}[^\W\d_]{3,12}(?=[.,;!?)\"'`*”]|\s|$)").match(
        text, value.start
    )
    if match is None or not PROSE.isdisjoint(re.split("[ -]", match.group().lower())[1:]):
        return None
    return value._replace(text=match.group())


def _backwards(place: CuePlace, noun: re.Match[str]) -> list[Hit]:
    """Read "X is the password": the value before the noun."""
    text, lower, _ = place
    start = noun.start()
    if lower[start - 1 : start] in _BEFORE_EAST:
        before = _EASTERN.search(text, max(0, start - 80), start)
    elif lower.startswith((" ", "-", "'", "’"), start - 1) and LINK.search(lower, max(0, start - 60), start):
        before = BACKWARDS.search(text, max(0, start - 110), start)
    else:
        return []
    if before is None or not _is_plainly(value := before["value"].lstrip("*(")):
        return []
    return [Hit(before.end("value") - len(value), before.end("value"), "password")]


_BEFORE_EAST = frozenset("是がは新い的の录ン")
_EASTERN = re.compile(
    r"(?P<value>[A-Za-z0-9][\x21-\x7e]{4,60}?)[\"'`*]{0,3}\s?(?:是|就是|が|は)[\u3040-\u30ff\u4e00-\u9fff]{0,8}$"
)


def _is_plainly(value: str) -> bool:
    return is_mixed(value) and is_password(value)


_LOGIN = re.compile(
    r"(?:[\s\"'`*“(\[]|\\n){0,6}(?:(?:user(?:name)?|name|benutzer|usuario|用户名)\s?[:=]?\s{1,3})?"
    r"(?P<user>[^\W\d_][\w.@+-]{1,63}?)[\"'`*”]{0,3}"
    r"(?:\s{0,3}[/|,;·／、]\s{0,3}|\s{0,2}:\s{0,2}(?!//)"
    r"|\s{1,3}(?:(?:and|und|y|et|e|with|mit|con|avec|com)\s{1,3}|(?=(?:pass|pw|kennw))))"
    r"(?:(?:pass(?:word|wort)?|pw|kennwort)\s?[:=]?\s{1,3})?[\"'`*“]{0,3}"
    r"(?P<value>[^\s\"'`<>/／、，。|][^\s\"'`<>、，。|]{3,79})"
)
_AS = re.compile(r"\s+(?:as|with|als|mit|como|con|comme|avec|come|com)(?=\s)")


def _login(place: CuePlace, noun: re.Match[str], told: Telling) -> list[Hit]:
    """Read "login is mara / X": a name, then a password."""
    text, lower, _ = place
    start = told.start
    if noun.group() in ("admin", "root"):
        start = noun.start()
    elif told.how not in SURE:
        link = _AS.match(lower, noun.end())
        if link is None:
            return []
        start = link.end()
    match = _LOGIN.match(text, start)
    if match is None:
        return []
    value = trimmed(ToldValue(match.start("value"), match["value"], is_quoted=False))
    if noun.group() in ("admin", "root") and value is not None and re.search("[:/]", value.text):
        return []
    if value is None or not _is_plainly(value.text) or re.match(r"[a-z]+\d?/", value.text):
        return []
    return value.as_hit("password")


_LONG_NUMBER = re.compile(r"\d{8,63}")
_LICENCE = re.compile(r"[A-Z0-9]{4,8}(?:-[A-Z0-9]{4,8}){2,8}")
# No key is shorter; most words behind "key" or "token" are.
_SOLID = re.compile(r"\s{0,40}(?:```\w{0,12}\s)?\S{8}")
# Everyday words for a key, made telling by what stands before them.
_TELLING = re.compile(
    r"(?:api|access|secret|private|client|auth|bot|deploy|license|licence|lizenz|product|produkt|serial"
    r"|activation|signing|encryption|wallet|session|接口|秘密|会话)[- _]?$"
)


def _key(place: CuePlace, noun: re.Match[str], told: Telling) -> list[Hit]:
    text, lower, _ = place
    word = noun.group()
    if _SOLID.match(text, told.start) is None or (word == "key" and _is_public(lower, noun)):
        return []
    value = value_of(text, told)
    if value is None or " " in value.text:
        return []
    if "cookie" in word and (equals := value.text.find("=")) > 0 and equals < 40:
        value = ToldValue(value.start + equals + 1, value.text[equals + 1 :].split(";")[0], is_quoted=True)
    if _CODE_VALUE.match(value.text) or not is_value(value.text):
        return []
    is_telling = word.startswith(("secret", "token", "トークン", "令牌", "密", "秘")) or (
        _TELLING.search(lower, max(0, noun.start() - 12), noun.start()) is not None
    )
    if told.how in SURE | {"beside"} and LOCKS.search(lower, max(0, noun.start() - 40), noun.start()):
        opens = _is_plainly(value.text) or _LONG_NUMBER.fullmatch(value.text)
        return value.as_hit("password") if opens else []
    if is_telling and _LICENCE.fullmatch(value.text) and is_mixed(value.text):
        return value.as_hit("secret")
    if told.how == "beside" and len(value.text) >= 16 and is_strong(value.text) and is_random(value.text):
        return value.as_hit("secret")
    if is_random(value.text):
        sure = told.how in SURE or (
            (is_telling and len(value.text) >= 16) or (told.how == "line" and value.is_quoted)
        )
        return value.as_hit("secret") if sure and (told.how != "beside" or value.text.count("-") != 4) else []
    if (
        is_telling
        and told.how in SURE
        and (is_scrambled(value.text) or (is_strong(value.text) and len(value.text) >= 8))
    ):
        return value.as_hit("secret")
    return []


_WORD_BEFORE = re.compile(r"(\w{2,20})[ _-]$")


def _is_public(lower: str, noun: re.Match[str]) -> bool:
    """Whether the key is none of a lock: "public key", "cache key", "key fingerprint"."""
    before = _WORD_BEFORE.search(lower, max(0, noun.start() - 22), noun.start())
    is_named = before is not None and before[1] in PUBLIC_KEYS - {"session"}
    return is_named or lower.startswith(" fingerprint", noun.end())


# ---- seed phrases

_SEED_WORD = (
    rf"(?!(?:{'|'.join(data.words('secret_words', 'stop'))})\b)(?:[a-zß-ÿ]{{3,8}}(?![\w'’-])"
    r"|[\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7af]{1,8}(?=[\s,、|]|$))"
)
_SEED_STEP = r"(?>[ \t\u3000]{0,3}[,、;|]?(?:\r?\n|\\n)?[ \t\u3000|*-]{0,6}(?:\d{1,2}[.):]{0,2}[ \t]{0,3})?)"
_SEED_START = re.compile(r"(?<!\w)[^\W\d_A-Z]")
_SEED = re.compile(rf"{_SEED_WORD}(?:{_SEED_STEP}(?<!\w){_SEED_WORD}){{11,23}}")
_SEED_MORE = re.compile(rf"(?:{_SEED_STEP}(?<!\w){_SEED_WORD}){{9}}")
_SEED_TOLD = re.compile(r"[:：|=＝→>*`\"]|\s(?:is|are|ist|sind|es|est|è|é)\s|\n")


def _seed_phrases(place: CuePlace, noun: re.Match[str]) -> list[Hit]:
    """Find twelve to 24 short words in a row close behind, none of them one that sentences are made of."""
    text, end = place.text, noun.end()
    for start in _SEED_START.finditer(text, end, end + 100):
        match = _SEED.match(text, start.start())
        if match is None:
            continue
        # A list of words that goes on is a dictionary; so is one that the noun itself stands in.
        is_bare = noun.group() in ("seed", "phrase", "wallet", "frase")
        if (is_bare and not _SEED_TOLD.search(text, end, end + 40)) or _SEED_MORE.match(text, match.end()):
            return []
        return [Hit(*match.span(), "seed-phrase")]
    return []


_READERS = {
    SecretKind.PASSWORD: _password,
    SecretKind.PIN: pins,
    SecretKind.CODE: codes,
    SecretKind.LOGIN: _login,
    SecretKind.KEY: _key,
}
