"""From a noun to what it announces: the ways in which a value may be told, and the value without markup."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from scrimshaw.redaction.values import CuePlace, Hit
from scrimshaw.redaction.words import COPULA, PREPOSITION, TO, SecretKind

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
    r"|[是为為改换換设設はがを는은][为為成]?了?(?:现在|現在)?(?P<east>)"
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
_NOTHING = re.compile(r"[\s\\\"'`”’»*_]{0,12}(?:现在|現在|已经?|已經)?$")
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
OPENING = re.compile(
    r"(?:```\w{0,12}(?:\n|\\n)|\\{0,4}[\"'`“„«‘‹「『]|\*{1,3}(?=\w)|~~|"
    r"<!\[CDATA\[|<[a-z]\w{0,11}>|[(\[](?=[^\s)\]])|&quot;)"
    r"{0,4}[ \t]{0,2}"
)
_CLOSING = {"“": "”“", "„": '“”"', "«": "»", "‘": "’", "‹": "›", "「": "」", "『": "』", ";": "&"}
_BARE = re.compile(r"[^\s\u2028\u3000-\u9fff\uac00-\ud7af\uff00-\uff0f\uff1a-\uff20]{1,400}")
_IN_URL = re.compile(r"://[^\s/]{0,60}$")
_ENDS = re.compile(r"</|\\[nrt\"']|\"[,}\]]|&(?:quot|lt|amp);|[&;,]\w{1,40}=")


class Telling(NamedTuple):
    """What follows a noun: where the value begins, how it is told, and the words between."""

    start: int
    how: str
    about: str
    is_loose: bool  # the words between need not belong to the noun


class ToldValue(NamedTuple):
    """A piece of the text that is told as a value."""

    start: int
    text: str
    is_quoted: bool

    @property
    def end(self) -> int:
        return self.start + len(self.text)

    def as_hit(self, kind: str) -> list[Hit]:
        return [Hit(self.start, self.end, kind)]


_TO_BE_TOLD = frozenset({SecretKind.PASSWORD, SecretKind.PIN})


def ways_told(place: CuePlace, noun: re.Match[str], kind: SecretKind) -> Iterator[Telling]:
    """Yield the ways in which something may be told behind *noun*, the surest first."""
    text, lower, _ = place
    closed = _CLOSE.match(lower, noun.end())
    begin = closed.end() if closed else noun.end()
    if _is_tag(place):
        if tag := _TAG_END.match(lower, begin):
            yield Telling(_after_gap(text, tag.end()), "tag", "", is_loose=False)
        return
    if pair := _PAIR.match(lower, begin):
        yield Telling(_after_gap(text, pair.end()), "pair", "", is_loose=False)
    sure = _SEPARATOR.search(lower, begin, begin + _REACH)
    if sure is not None and sure["closed"] is not None:
        sure = _SEPARATOR.search(lower, sure.end(), begin + _REACH)
    how = str(sure.lastgroup) if sure is not None else "stop"
    if sure is not None and how not in ("stop", "end", "closed"):
        how = _HOW.get(how, how)
        about, end = lower[begin : sure.start()].rstrip("\\\"'`*_,"), sure.end()
        if how in ("copula", "east") and (colon := _COLON.match(lower, end)):
            how, end = "strong", colon.end()
        is_loose = _NOTHING.match(about) is None and _BELONGS.match(about) is None
        is_broken = is_loose and _WORDS_ONLY.fullmatch(about) is None
        if not is_broken and (how != "cell" or _is_cell(text, sure)):
            yield Telling(_after_gap(text, end) if how in _WIDE else end, how, about, is_loose)
    if kind in _TO_BE_TOLD and (changed := TO.search(lower, begin, begin + _REACH)):
        yield Telling(changed.end(), "changed", "", is_loose=False)
    if lower.startswith((" ", "\t"), begin):
        how = "dash" if (dash := _DASH.match(lower, begin)) else "beside"
        yield Telling(dash.end() if dash else begin, how, "", is_loose=False)
    if kind in _TO_BE_TOLD and (owner := _FOR.match(lower, begin)):
        yield Telling(owner.end(), "beside", owner.group(), is_loose=True)
    if line := _LINE.match(lower, begin):
        yield Telling(_after_gap(text, line.end()), "line", "", is_loose=False)


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
SURE = frozenset({"strong", "cell", "pair", "element", "tag", "copula", "east"})


def _is_tag(place: CuePlace) -> bool:
    """Whether the noun is the end of a tag's name."""
    opened = place.lower.rfind("<", max(0, place.position - 40), place.position)
    return opened >= 0 and re.fullmatch(r"<[\w:.-]*", place.lower[opened : place.position]) is not None


def inked(text: str, start: int) -> int:
    """Return where the blanks at *start* end, at most forty further."""
    return next((at for at in range(start, min(start + 40, len(text))) if text[at] not in " \t"), start)


def value_of(text: str, told: Telling) -> ToldValue | None:
    """Return the value that begins where the bridge ends, without its own markup."""
    start = inked(text, told.start)
    opened = OPENING.match(text, start)
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
                return trimmed(ToldValue(start, text[start : tail.end()], is_quoted=False))
            return ToldValue(start, inside, is_quoted=True) if inside.strip() else None
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
    return trimmed(ToldValue(start, value, is_quoted="*" in marks or "`" in marks))


def trimmed(value: ToldValue) -> ToldValue | None:
    """Return *value* without the sentence's own signs at its end."""
    text = value.text.rstrip(".,;:?\"'`*”’»“")
    while text and text[-1] in ")]}>" and text.count(text[-1]) > text.count("([{<"[")]}>".index(text[-1])]):
        text = text[:-1].rstrip(".,;:?\"'`*”’»“")
    if text[:-1].isalpha() and text.endswith("!"):
        text = text[:-1]
    return value._replace(text=text) if text else None
