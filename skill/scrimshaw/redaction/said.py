"""Secrets known by a word that announces them: noun, bridge, value.

One way of reading for all languages and markups. Behind a noun (redaction/words) stands a bridge: what
closes the noun's own markup, perhaps what it is for, and a separator, copula, table cell or tag. Behind the
bridge stands the value, in its own markup. How sure the bridge is decides how much the value has to look like
one (redaction/values). All quantifiers are bounded, and a bridge is at most a line or two long.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from scrimshaw import data
from scrimshaw.redaction.values import (
    PROSE,
    CuePlace,
    Hit,
    is_mixed,
    is_password,
    is_plain_word,
    is_random,
    is_scrambled,
    is_strong,
    is_value,
    kind_of_name,
)
from scrimshaw.redaction.words import (
    BACKWARDS,
    CHANGED,
    COPULA,
    LINK,
    LOCKS,
    OPENED,
    OPENS,
    PREPOSITION,
    SEVERAL,
    TO,
    USING,
    WHOSE,
    Noun,
    SecretKind,
)

_CLOSE = re.compile(r"(?:\(s\))?(?:\\{0,4}(?!['’]s\s)[\"'`*_~”’»\])」]|</\w{1,12}>){0,5}")
# The nearest of these ends the words between noun and value. Each begins with a letter or class, and is named
# at its end, so that the search passes all other letters by: it is what a noun costs.
_SEPARATOR = re.compile(
    r"[:：＝→⇒⟶➜➡=](?!//)[:=]?>?(?P<strong>)"
    r"|--?>(?P<arrow>)"
    r"|%3[ad](?=\S)(?P<escaped>)"
    r"|\|(?P<cell>)"
    r"|<(?:/\w{1,12}>\s{0,20}<)?\w{1,12}(?:\s[^<>\n]{0,40})?>(?P<element>)"
    r"|</\w{1,12}>(?P<closed>)"
    r"|[\n!?<](?P<stop>)"
    r"|\.(?!\w)(?P<end>)"
    r"|[是为為改设設はがを는은][为為成]?(?:现在|現在)?(?P<east>)"
    r"|['’]s(?=\s)(?P<short>)"
    r"|" + COPULA + r"(?P<copula>)"
)
_HOW = {"arrow": "strong", "escaped": "strong", "short": "copula"}
_WORDS_ONLY = re.compile(r"(?:[^\W_]|[-\s'’()（）*]|,(?=\s)|\.(?=\w)){1,70}")
_PAIR = re.compile(
    r"(?:[ \t][^\W\d_]{1,20}){0,3}\\{0,4}[\"']?[\s,;/]{1,20}\\{0,4}[\"']?"
    r"(?:value|wert|valor|valeur)\\{0,4}[\"']?\s{0,3}[:=]"
)
_COLON = re.compile(r"\s{0,3}[*_\"'`]{0,3}[:：]")
_NOTHING = re.compile(r"[\s\\\"'`”’»*_]{0,12}(?:现在|現在)?$")
_BELONGS = re.compile(
    r"[ \t]{0,2}[(（][^()\n]{1,40}[)）]|[ \t]{1,3}(?:" + PREPOSITION + r")(?:[ \t'’]|(?<=['’]))"
)
_TAG_END = re.compile(r"[^<>\n]{0,60}>")
_DASH = re.compile(r"[ \t]{1,3}[-–—](?=[ \t])|[ \t]{0,2}\t")
_LINE = re.compile(r"(?:[ \t]{1,2}[^\s:]{1,20}){0,3}[ \t*_]{0,4}(?:\r?\n|\\n)")
_FOR = re.compile(r"[ \t](?:" + PREPOSITION + r")[ \t](?:[^\s:=]{1,20}[ \t]){1,2}")
_REACH = 70  # letters between a noun and what tells its value
_GAP = re.compile(
    r"[*_]{0,3}(?:</\w{1,12}>)?[ \t]{0,20}"
    r"(?:(?:[|>][-+]?\d?)?[ \t]{0,4}(?:\r?\n|\\r\\n|\\n)[ \t]{0,40}(?:[-*•>][ \t]{1,4})?){0,3}"
)
_OPEN = re.compile(
    r"(?:```\w{0,12}(?:\n|\\n)|\\{0,4}[\"'`“„«‘‹「『]|\*{1,3}(?=\w)|~~|"
    r"<!\[CDATA\[|<[a-z]\w{0,11}>|[(\[](?=[^\s)\]])|&quot;)"
    r"{0,4}[ \t]{0,2}"
)
_CLOSING = {"“": "”“", "„": '“”"', "«": "»", "‘": "’", "‹": "›", "「": "」", "『": "』", ";": "&"}
_BARE = re.compile(r"[^\s\u2028\u3000-\u9fff\uac00-\ud7af\uff00-\uff0f\uff1a-\uff20]{1,400}")
_IN_URL = re.compile(r"://[^\s/]{0,60}$")
_ENDS = re.compile(r"</|\\[nrt\"']|\"[,}\]]|&(?:quot|lt|amp);|[&;,]\w{1,40}=")


class _Said(NamedTuple):
    """What follows a noun: where the value begins, how it is told, and the words between."""

    start: int
    how: str
    about: str
    is_loose: bool  # the words between need not belong to the noun


class _Value(NamedTuple):
    """A piece of the text that is told as a value."""

    start: int
    text: str
    is_quoted: bool

    @property
    def end(self) -> int:
        return self.start + len(self.text)

    def as_hit(self, kind: str) -> list[Hit]:
        return [Hit(self.start, self.end, kind)]


def said(place: CuePlace, noun: Noun) -> list[Hit]:
    """Return the secrets that *noun*, which stands at *place*, announces."""
    match = noun.pattern.match(place.lower, place.position)
    if match is None:
        return []
    kind, start, end = noun.kind, match.start(), match.end()
    if kind is SecretKind.SEED:
        return _seed(place, match)
    if kind is not SecretKind.CODE and match.group().isascii() and _is_other_name(place.text, start, end):
        return []
    if kind is not SecretKind.PASSWORD and not _is_likely(place.text, max(0, start - 40), end + 110):
        return []
    read = _READERS[kind]
    for told in _tellings(place, match, kind):
        if hits := read(place, match, told):
            return hits
    if kind is SecretKind.PASSWORD:
        return _column(place, match, kind) or _backwards(place, match)
    if kind is SecretKind.CODE:
        return _code_before(place, match)
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


_TO_BE_TOLD = frozenset({SecretKind.PASSWORD, SecretKind.PIN})


def _tellings(place: CuePlace, noun: re.Match[str], kind: SecretKind) -> Iterator[_Said]:
    """Yield the ways in which something may be told behind *noun*, the surest first."""
    text, lower, _ = place
    closed = _CLOSE.match(lower, noun.end())
    begin = closed.end() if closed else noun.end()
    if _is_tag(place):
        if tag := _TAG_END.match(lower, begin):
            yield _Said(_after_gap(text, tag.end()), "tag", "", is_loose=False)
        return
    if pair := _PAIR.match(lower, begin):
        yield _Said(_after_gap(text, pair.end()), "pair", "", is_loose=False)
    sure = _SEPARATOR.search(lower, begin, begin + _REACH)
    if sure is not None and sure["closed"] is not None:
        sure = _SEPARATOR.search(lower, sure.end(), begin + _REACH)
    how = str(sure.lastgroup) if sure is not None else "stop"
    if sure is not None and how not in ("stop", "end", "closed"):
        how = _HOW.get(how, how)
        about, end = lower[begin : sure.start()].rstrip("\\\"'`*_"), sure.end()
        if how in ("copula", "east") and (colon := _COLON.match(lower, end)):
            how, end = "strong", colon.end()
        is_loose = _NOTHING.match(about) is None and _BELONGS.match(about) is None
        is_broken = is_loose and _WORDS_ONLY.fullmatch(about) is None
        if not is_broken and (how != "cell" or _is_cell(text, sure)):
            yield _Said(_after_gap(text, end) if how in _WIDE else end, how, about, is_loose)
    if kind in _TO_BE_TOLD and (changed := TO.search(lower, begin, begin + _REACH)):
        yield _Said(changed.end(), "changed", "", is_loose=False)
    if lower.startswith((" ", "\t"), begin):
        how = "dash" if (dash := _DASH.match(lower, begin)) else "beside"
        yield _Said(dash.end() if dash else begin, how, "", is_loose=False)
    if kind in _TO_BE_TOLD and (owner := _FOR.match(lower, begin)):
        yield _Said(owner.end(), "beside", owner.group(), is_loose=True)
    if line := _LINE.match(lower, begin):
        yield _Said(_after_gap(text, line.end()), "line", "", is_loose=False)


_RULER = re.compile(r"[^\n]{0,200}\n[ \t|:+-]{3,200}(?:\n|$)")


def _is_cell(text: str, bar: re.Match[str]) -> bool:
    """Whether *bar* ends a cell whose neighbour may tell the value: in no heading, and no alternation."""
    if text[bar.end() : bar.end() + 1].strip() and text[bar.start() - 1 : bar.start()].strip():
        return False
    return _RULER.match(text, bar.end()) is None


def _after_gap(text: str, position: int) -> int:
    gap = _GAP.match(text, position)
    return gap.end() if gap else position


_WIDE = frozenset({"strong", "cell", "element"})
_SURE = frozenset({"strong", "cell", "pair", "element", "tag", "copula", "east"})
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
        cell = _value(text, _Said(start, "cell" if mark == "|" else "column", "", is_loose=False))
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


def _is_tag(place: CuePlace) -> bool:
    """Whether the noun is the end of a tag's name."""
    opened = place.lower.rfind("<", max(0, place.position - 40), place.position)
    return opened >= 0 and re.fullmatch(r"<[\w:.-]*", place.lower[opened : place.position]) is not None


def _inked(text: str, start: int) -> int:
    """Return where the blanks at *start* end, at most forty further."""
    return next((at for at in range(start, min(start + 40, len(text))) if text[at] not in " \t"), start)


def _value(text: str, told: _Said) -> _Value | None:
    """Return the value that begins where the bridge ends, without its own markup."""
    start = _inked(text, told.start)
    opened = _OPEN.match(text, start)
    marks = opened.group() if opened else ""
    inner = re.sub(r"```\w{0,12}\n", "", marks)
    quote = next((mark for mark in reversed(inner) if mark in "\"'`“„«‘‹「『"), "")
    start += len(marks)
    if quote:
        line = text.find("\n", start, start + 200)
        stop = line if line >= 0 else start + 200
        closings = [text.find(mark, start + 1, stop) for mark in _CLOSING.get(quote, quote)]
        end = min((at for at in closings if at >= 0), default=-1)
        if end > 0:
            inside = text[start:end].rstrip("\\")
            tail = _BARE.match(text, end + 1)
            if (tail and tail.group()[0] in "*`_~") or (tail and tail.group()[0].isalnum() and quote != "'"):
                return _trimmed(_Value(start, text[start : tail.end()], is_quoted=False))
            return _Value(start, inside, is_quoted=True) if inside.strip() else None
    bare = _BARE.match(text, start)
    if bare is None:
        return None
    value = bare.group()
    if cut := _ENDS.search(value):
        value = value[: cut.start()]
    if told.how == "cell":
        value = value.split("|", 1)[0]
    if "@" in value and _IN_URL.search(text, max(0, start - 80), start):
        value = value.split("@", 1)[0]  # the host stays
    if "(" in marks or "[" in marks:
        value = re.split(r"[)\]]", value, maxsplit=1)[0]
    return _trimmed(_Value(start, value, is_quoted="*" in marks or "`" in marks))


def _trimmed(value: _Value) -> _Value | None:
    """Return *value* without the sentence's own signs at its end."""
    text = value.text.rstrip(".,;:?\"'`*”’»“")
    while text and text[-1] in ")]}>" and text.count(text[-1]) > text.count("([{<"[")]}>".index(text[-1])]):
        text = text[:-1].rstrip(".,;:?\"'`*”’»“")
    if text[:-1].isalpha() and text.endswith("!"):
        text = text[:-1]
    return value._replace(text=text) if text else None


def _password(place: CuePlace, noun: re.Match[str], told: _Said) -> list[Hit]:
    text, lower, _ = place
    word = noun.group()
    if word == "pass" and not _is_short_for_password(lower, noun, told):
        return []
    names_two = told.how in _SURE and _NAMES_TWO.search(lower, max(0, noun.start() - 30), noun.start())
    if names_two and (hits := _login(place, noun, told)):
        return hits
    value = _value(text, told)
    if value is None:
        return []
    if ("phrase" in word or "フレーズ" in word) and not told.is_loose and (phrase := _words(text, value)):
        return phrase.as_hit("password")
    if value.text.lower() not in PROSE and _is_told(place, noun, told, value):
        return value.as_hit("password")
    return []


def _is_short_for_password(lower: str, noun: re.Match[str], told: _Said) -> bool:
    """Whether "pass" is no boarding pass: by the login, the network or the person before it."""
    if told.how == "beside":
        return USING.search(lower, max(0, noun.start() - 30), noun.start()) is not None
    return told.how in _SURE and any(
        before.search(lower, max(0, noun.start() - 80), noun.start()) for before in (USING, LOCKS, WHOSE)
    )


_NAMES_TWO = re.compile(
    r"(?:user(?:name)?|login|name|email|benutzer(?:name)?|usuario|usuário|utente|账号|帳號)\s?"
    r"(?:/|&|\+|and|und|y|et|e|和)\s?$"
)


def _is_told(place: CuePlace, noun: re.Match[str], told: _Said, value: _Value) -> bool:
    """Whether *value* is one that a person tells as a password behind this bridge."""
    text, how = value.text, told.how
    if " " in text or not is_value(text) or _CODE_VALUE.match(text):
        return False
    if noun.group().startswith(_OTHERWISE) and not is_mixed(text):
        return False
    if told.is_loose:
        if noun.group() in text.lower():  # "password manager: 1Password"
            return False
        if LOCKS.search(told.about) and _is_plainly(text):  # "password wifi: X"
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
            return (
                is_password(text)
                and is_mixed(text)
                and (len(text) >= 8 or value.is_quoted or is_strong(text))
            )
        case _ if is_password(text):
            return not (how != "copula" and not value.is_quoted and _CAMEL.fullmatch(text))
    is_marked = how != "copula" and how != "east"
    rest = place.text[value.end : value.end + 3]
    is_alone = value.is_quoted or re.match(r"[*_`]{0,2}\s*(?:[.,;!?)|<]|$|\()", rest) is not None
    # Of other languages' words that follow "is" hardly one in a hundred is a password: "ist falsch".
    is_english = (
        how == "copula"
        and re.match(r"\s*(?:(?:is|was)\b|['’]s|has been|will)", place.lower[noun.end() : noun.end() + 40])
        is not None
    )
    return is_alone and (is_marked or is_english) and is_plain_word(text)


_OTHERWISE = ("clave", "parola", "pass ")  # words that mean something else, too


# A path, an address, a template, a constant's name, a call: no value by itself.
_CODE_VALUE = re.compile(
    r"[~.]{0,2}/|@\w+|[^\s]{0,60}?(?:://|\$\{|\{\w{0,40}\})|[A-Z]{2,}[A-Z0-9]*_[A-Z0-9_]*(?:=|$)"
    r"|@?[A-Za-z_][\w.]{0,60}\(|[\w.+-]{1,64}@[\w-]{1,60}\.[\w.-]{2,60}$"
)
_CAMEL = re.compile(r"[a-z]+(?:[A-Z][a-z]+)+")


def _words(text: str, value: _Value) -> _Value | None:
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


_PIN = re.compile(
    r"(?:[\"'`*“„«(\[\\]|</?\w{1,12}>|\s|\\n){0,6}(?P<value>\d(?:[ .-]?\d){2,11})"
    r"(?![A-Za-z0-9_]|[.,:/]\d|[ ]?%)"
)


def _pin(place: CuePlace, noun: re.Match[str], told: _Said) -> list[Hit]:
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
    is_long_enough = digits in (3, 4) if is_short else 4 <= digits <= 12
    return [Hit(*match.span("value"), "pin")] if is_long_enough else []


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


def _code(place: CuePlace, noun: re.Match[str], told: _Said) -> list[Hit]:
    text, lower, _ = place
    before = lower[max(0, noun.start() - 24) : noun.start()]
    if SEVERAL.search(before) or SEVERAL.search(told.about):
        return _codes(place, told)
    if told.how in ("changed", "line"):
        return []
    behind = _OPENED_BEHIND.match(lower, noun.end()) if told.how == "beside" else None
    if not (_opens(place, noun) or OPENED.search(told.about) or (behind and OPENED.search(behind.group()))):
        return []
    start = _inked(text, told.start)
    if told.how == "beside" and not text[start : start + 1].isdigit():
        return []
    opened = _OPEN.match(text, start)
    match = _CODE.match(text, opened.end() if opened else start)
    if match is None or _is_date(match["value"]):
        return []
    value = match["value"]
    digits, letters = sum(c.isdigit() for c in value), sum(c.isalpha() for c in value)
    is_code = digits >= 4 or (digits >= 2 and letters >= 2 and len(value) >= 6)
    return [Hit(*match.span("value"), "code")] if is_code else []


def _code_before(place: CuePlace, noun: re.Match[str]) -> list[Hit]:
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


def _codes(place: CuePlace, told: _Said) -> list[Hit]:
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


_LOGIN = re.compile(
    r"(?:[\s\"'`*“(\[]|\\n){0,6}(?:(?:user(?:name)?|name|benutzer|usuario|用户名)\s?[:=]?\s{1,3})?"
    r"(?P<user>[^\W\d_][\w.@+-]{1,63}?)[\"'`*”]{0,3}"
    r"(?:\s{0,3}[/|,;·／、]\s{0,3}|\s{0,2}:\s{0,2}(?!//)"
    r"|\s{1,3}(?:(?:and|und|y|et|e|with|mit|con|avec|com)\s{1,3}|(?=(?:pass|pw|kennw))))"
    r"(?:(?:pass(?:word|wort)?|pw|kennwort)\s?[:=]?\s{1,3})?[\"'`*“]{0,3}"
    r"(?P<value>[^\s\"'`<>/／、，。|][^\s\"'`<>、，。|]{3,79})"
)
_AS = re.compile(r"\s+(?:as|with|als|mit|como|con|comme|avec|come|com)(?=\s)")


def _login(place: CuePlace, noun: re.Match[str], told: _Said) -> list[Hit]:
    """Read "login is mara / X": a name, then a password."""
    text, lower, _ = place
    start = told.start
    if noun.group() in ("admin", "root"):
        start = noun.start()
    elif told.how not in _SURE:
        link = _AS.match(lower, noun.end())
        if link is None:
            return []
        start = link.end()
    match = _LOGIN.match(text, start)
    if match is None:
        return []
    value = _trimmed(_Value(match.start("value"), match["value"], is_quoted=False))
    if noun.group() in ("admin", "root") and value is not None and re.search("[:/]", value.text):
        return []
    if value is None or not _is_plainly(value.text) or re.match(r"[a-z]+\d?/", value.text):
        return []
    return value.as_hit("password")


_LONG_NUMBER = re.compile(r"\d{8,63}")
_LICENCE = re.compile(r"[A-Z0-9]{4,8}(?:-[A-Z0-9]{4,8}){2,8}")
_SOLID = re.compile(
    r"\s{0,40}(?:```\w{0,12}\s)?\S{8}"
)  # no key is shorter; most words behind "key" or "token" are
# Everyday words for a key, made telling by what stands before them.
_TELLING = re.compile(
    r"(?:api|access|secret|private|client|auth|bot|deploy|license|licence|lizenz|product|produkt|serial"
    r"|activation|signing|encryption|wallet|session|接口|秘密|会话)[- _]?$"
)


def _key(place: CuePlace, noun: re.Match[str], told: _Said) -> list[Hit]:
    text, lower, _ = place
    word = noun.group()
    if _SOLID.match(text, told.start) is None:
        return []
    value = _value(text, told)
    if value is None or " " in value.text:
        return []
    if "cookie" in word and (equals := value.text.find("=")) > 0 and equals < 40:
        value = _Value(value.start + equals + 1, value.text[equals + 1 :].split(";")[0], is_quoted=True)
    if _CODE_VALUE.match(value.text) or not is_value(value.text):
        return []
    is_telling = word.startswith(("secret", "token", "トークン", "令牌", "密", "秘")) or (
        _TELLING.search(lower, max(0, noun.start() - 12), noun.start()) is not None
    )
    if told.how in _SURE | {"beside"} and LOCKS.search(lower, max(0, noun.start() - 40), noun.start()):
        return (
            value.as_hit("password") if _is_plainly(value.text) or _LONG_NUMBER.fullmatch(value.text) else []
        )
    if is_telling and _LICENCE.fullmatch(value.text) and is_mixed(value.text):
        return value.as_hit("secret")
    if told.how == "beside" and len(value.text) >= 16 and is_strong(value.text) and is_random(value.text):
        return value.as_hit("secret")
    if is_random(value.text):
        sure = told.how in _SURE or (
            (is_telling and len(value.text) >= 16) or (told.how == "line" and value.is_quoted)
        )
        return value.as_hit("secret") if sure and (told.how != "beside" or value.text.count("-") != 4) else []
    if (
        is_telling
        and told.how in _SURE
        and (is_scrambled(value.text) or (is_strong(value.text) and len(value.text) >= 8))
    ):
        return value.as_hit("secret")
    return []


_SEED_WORD = (
    rf"(?!(?:{'|'.join(data.words('secret_words', 'stop'))})\b)(?:[a-zß-ÿ]{{3,8}}(?![\w'’-])"
    r"|[\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7af]{1,8}(?=[\s,、|]|$))"
)
_SEED_STEP = r"(?>[ \t\u3000]{0,3}[,、;|]?(?:\r?\n|\\n)?[ \t\u3000|*-]{0,6}(?:\d{1,2}[.):]{0,2}[ \t]{0,3})?)"
_SEED_START = re.compile(r"(?<!\w)[^\W\d_A-Z]")
_SEED = re.compile(rf"{_SEED_WORD}(?:{_SEED_STEP}(?<!\w){_SEED_WORD}){{11,23}}")
_SEED_MORE = re.compile(rf"(?:{_SEED_STEP}(?<!\w){_SEED_WORD}){{9}}")


_TELLS = re.compile(r"[:：|=＝→>*`\"]|\s(?:is|are|ist|sind|es|est|è|é)\s|\n")


def _seed(place: CuePlace, noun: re.Match[str]) -> list[Hit]:
    """Find twelve to 24 short words in a row close behind, none of them one that sentences are made of."""
    text, end = place.text, noun.end()
    for start in _SEED_START.finditer(text, end, end + 100):
        match = _SEED.match(text, start.start())
        if match is None:
            continue
        # A list of words that goes on is a dictionary; so is one that the noun itself stands in.
        is_bare = noun.group() in ("seed", "phrase", "wallet", "frase")
        if (is_bare and not _TELLS.search(text, end, end + 40)) or _SEED_MORE.match(text, match.end()):
            return []
        return [Hit(*match.span(), "seed-phrase")]
    return []


_READERS = {
    SecretKind.PASSWORD: _password,
    SecretKind.PIN: _pin,
    SecretKind.CODE: _code,
    SecretKind.LOGIN: _login,
    SecretKind.KEY: _key,
}
