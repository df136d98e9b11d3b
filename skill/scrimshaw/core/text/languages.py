"""The languages that dates are read in: their words, the forms of their phrases, and which one a text is in.

Each has a file `data/dates/xx.txt`. Its vocabularies ([weekday], [month], [near], [count], [unit], [step])
have a line for each meaning: the one key for it, then the words, "_" for a space in one. [rules] has a line
for each form of phrase: what kind it is, for core/text/date_grammar, and a regular expression, in which
`{month}` stands for any word of that vocabulary, read as the slot of its name, `{of:step}` for one read as
the slot `of`, `{:month}` for one that is not read, and `{TO}` for a line of [macros]. Groups of single
words ([marks], [short], [wordlike]) tell which word is what. All others are guards: what stands before or
behind a phrase, or in its sentence, and changes what it means. A guard that a file lacks holds nowhere.

The patterns run over lower-cased text, since matching without regard to case costs three times as much.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from typing import NamedTuple

from scrimshaw import data
from scrimshaw.core.text.sentences import sentence_spans

NAMES = ("en", "de", "es", "fr", "pt", "it", "zh", "ja")
_VOCABULARIES = ("weekday", "month", "near", "count", "unit", "step", "season", "part", "recurring")
_SLOTS = {"day": r"\d\d?", "to": r"\d\d?", "year": r"(?:19|20)\d\d", "LEAD": ""}
_TOKEN = re.compile(r"\{(?:(?P<slot>[a-z0-9]*):)?(?P<name>[a-zA-Z_]+)\}")
_GROUP = re.compile(r"\(\?P([<=])(\w+)")
# Alike everywhere; what stands before tells them from a version, a price or a share.
_FIGURES = (
    ("iso", r"{LEAD}(?P<year>(?:19|20)\d\d)(?P<sep>[-/.])(?P<month>\d\d?)(?P=sep){day}(?!\d|[-/]\w|\.\d)"),
    ("dotted", r"{LEAD}{day}\.(?P<month>\d\d?)\.(?:(?P<year>(?:19|20)?\d\d)\b(?!\.\d))?"),
    ("slashed", r"{LEAD}(?P<first>\d\d?)/(?P<second>\d\d?)(?:/(?P<year>(?:19|20)?\d\d))?(?![\d/]|\.\d)"),
)
_LETTERS = r"a-z\d_\u00c0-\u024f"
_WORD = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")
_HAN, _KANA = re.compile("[\u4e00-\u9fff]"), re.compile("[\u3040-\u30ff]")
_OTHER_LETTER = re.compile("[\u00c0-\u024f\u3040-\u9fff]")
_NEVER = re.compile(r"(?!)")
_NO_STOPS = str.maketrans("?!.,;:()", " " * 8)
_SHORT_CHARS = 4  # words as long as this are words of several languages
_FEW = 2  # words by which a language is told


@dataclass(slots=True, eq=False)
class Phrase:
    """A place where words may name a date: how they are put, and the word in each slot."""

    language: Language
    match: re.Match[str]
    kind: str
    words: dict[str, str]  # those of the slots that are filled

    def __getitem__(self, slot: str) -> str | None:
        return self.words.get(slot)

    def key(self, slot: str, vocabulary: str = "") -> str:
        """Return what the word in *slot* means in *vocabulary*, "" where it is empty."""
        word = self.words.get(slot)
        return self.language.key(vocabulary or slot, word) if word else ""

    def at(self, slot: str) -> int:
        """Return where *slot* begins."""
        return self.match.start(slot + (self.match.lastgroup or "").removeprefix("rule"))

    def before(self, chars: int) -> str:
        """Return so many characters before it."""
        start = self.match.start()
        return self.match.string[max(0, start - chars) : start]

    def after(self, chars: int) -> str:
        """Return so many characters behind it."""
        end = self.match.end()
        return self.match.string[end : end + chars]

    def is_before(self, guard: str, chars: int) -> bool:
        """Tell whether what stands before it is what *guard* tells."""
        return self.language.guard(guard).search(self.before(chars)) is not None

    def is_after(self, guard: str, chars: int) -> bool:
        """Tell whether what follows it is what *guard* tells."""
        return self.language.guard(guard).match(self.after(chars)) is not None


class Language:
    """The words and phrases of one language; a class because its patterns are made when first used."""

    def __init__(self, name: str) -> None:
        self.name = name
        self._file = f"dates/{name}"
        self._forms = {kind: self._read(kind) for kind in _VOCABULARIES}
        # "Di, 3. März": short names, which are other words as often, only beside a date.
        self._forms["abbreviated"] = {**self._forms["weekday"], **self._read("abbreviated")}
        self._keys = {**self._forms, "weekday": self._forms["abbreviated"]}
        self._guards: dict[str, re.Pattern[str]] = {}
        self._words: dict[str, frozenset[str]] = {}
        self._rows: dict[str, list[tuple[str, re.Pattern[str]]]] = {}
        self.marks = self.words("marks")
        self.is_spaced = not self.is_set("unspaced")

    def has(self, group: str) -> bool:
        """Tell whether its file has *group*."""
        return data.has(self._file, group)

    def is_set(self, habit: str) -> bool:
        """Tell whether it has that *habit* of writing dates: day_first, sunday_first, unspaced."""
        return habit in self.words("habits")

    def words(self, group: str) -> frozenset[str]:
        """Return the words of *group*, none where there is no such group."""
        if group not in self._words:
            self._words[group] = frozenset(data.words(self._file, group) if self.has(group) else ())
        return self._words[group]

    def key(self, vocabulary: str, word: str) -> str:
        """Return the one key for *word*."""
        keys = self._keys[vocabulary]
        return keys.get(word) or keys[" ".join(word.split())]

    def forms(self, vocabulary: str) -> dict[str, str]:
        """Return each word of *vocabulary* and its key."""
        return self._forms[vocabulary]

    def number(self, word: str) -> int:
        """Return the number that *word* is, in figures or spelled."""
        return int(word) if word.isdecimal() else int(self.key("count", word))

    def guard(self, name: str) -> re.Pattern[str]:
        """Return the pattern of guard *name*."""
        made = self._guards.get(name)
        if made is None:
            source = self._filled(data.pattern(self._file, name)) if self.has(name) else ""
            made = self._guards[name] = re.compile(source) if source else _NEVER
        return made

    def rows(self, group: str) -> list[tuple[str, re.Pattern[str]]]:
        """Return the lines of *group*: a key, and the pattern behind it."""
        if group not in self._rows:
            lines = data.lines(self._file, group) if self.has(group) else ()
            pairs = (line.partition(" ")[::2] for line in lines)
            self._rows[group] = [(key, re.compile(self._filled(rule))) for key, rule in pairs]
        return self._rows[group]

    def pattern(self, vocabulary: str) -> str:
        """Return a regular expression for any word of *vocabulary*."""
        return f"(?:{self._any(vocabulary)})"

    @cached_property
    def known(self) -> frozenset[str]:
        """The words by which it is told from others."""
        kinds = ("weekday", "month", "near", "unit", "step", "season")
        return self.marks.union(*(form.split() for kind in kinds for form in self._forms[kind]))

    @cached_property
    def near_words(self) -> frozenset[str]:
        """The words by one of which alone it is told: "dopodomani"."""
        words = {*self._forms["near"], *self._forms["weekday"]}
        return frozenset(word for word in words if len(word) > _SHORT_CHARS) - language("en").words("too")

    def _read(self, group: str) -> dict[str, str]:
        if not self.has(group):
            return {}
        rows = (line.split() for line in data.lines(self._file, group))
        return {form.replace("_", " "): key.replace("_", " ") for key, *forms in rows for form in forms}

    @cached_property
    def _macros(self) -> dict[str, str]:
        rows = data.lines(self._file, "macros") if self.has("macros") else ()
        return {**_SLOTS, **{name: text for name, _, text in (row.partition(" ") for row in rows)}}

    def _filled(self, template: str) -> str:
        """Return *template* with its vocabularies and macros as regular expressions."""

        def fill(match: re.Match[str]) -> str:
            name, slot = match["name"], match["slot"]
            if name.isupper():
                return self._filled(self._macros[name])
            slot = name if slot is None else slot
            return f"(?P<{slot}>{self._any(name)})" if slot else f"(?:{self._any(name)})"

        return _TOKEN.sub(fill, template)

    def _any(self, name: str) -> str:
        if name == "n":
            return rf"\d{{1,3}}|{self._any('count')}"
        if name in self._macros:
            return self._filled(self._macros[name])
        words = sorted(self._forms[name], key=len, reverse=True)
        return "|".join(re.escape(word).replace(r"\ ", r"\s+") for word in words)

    @cached_property
    def _rules(self) -> tuple[re.Pattern[str], dict[str, tuple[str, list[tuple[str, str]]]]]:
        """The one pattern of all rules, and the kind of each with its slots and the groups they are."""
        rows = [row.partition(" ")[::2] for row in data.lines(self._file, "rules")]
        parts, slots = [], {}
        for at, (kind, rule) in enumerate([*_FIGURES, *rows]):
            filled = self._filled(rule)
            named = _GROUP.sub(rf"(?P\g<1>\g<2>__{at}", filled)
            parts.append(f"(?P<rule__{at}>{named})")
            names = [name for sign, name in _GROUP.findall(filled) if sign == "<"]
            slots[f"rule__{at}"] = (kind, [(name, f"{name}__{at}") for name in names])
        end = rf"(?!(?!t\d)[{_LETTERS}])" if self.is_spaced else r"(?:(?<!\d)|(?!\d))"
        return re.compile(f"(?:{'|'.join(parts)}){end}"), slots

    @cached_property
    def _starts(self) -> re.Pattern[str]:
        opens = data.pattern(self._file, "opens") if self.has("opens") else rf"[{_LETTERS}]"
        if not self.is_spaced:
            return re.compile(rf"(?={opens})(?<!\d)(?<!\d[.,:/-])")
        first = r"[\dac-fijl-pstwy]" if self.name == "en" else rf"[{_LETTERS}]"
        return re.compile(rf"{first}(?<![{_LETTERS}/@#$-].)(?<!\d[.,:].)(?<=(?={opens}).)")

    def next_phrase(self, lower: str, position: int, stop: int) -> Phrase | None:
        """Return the first phrase of *lower* from *position* to *stop* that may name a date."""
        pattern, rules = self._rules
        # Not one pattern for both: a pattern that begins with a look behind is tried at each letter.
        for start in self._starts.finditer(lower, position, stop):
            if match := pattern.match(lower, start.start()):
                kind, slots = rules[match.lastgroup or ""]
                words = {slot: word for slot, group in slots if (word := match[group]) is not None}
                return Phrase(self, match, kind, words)
        return None


@cache
def language(name: str) -> Language:
    """Return the language of that two-letter name."""
    return Language(name)


ENGLISH = language("en")


@cache
def _spaced() -> tuple[Language, ...]:
    return tuple(one for one in map(language, NAMES) if one.is_spaced and one.name != "en")


@cache
def _foreign_words() -> frozenset[str]:
    return frozenset().union(*(one.known for one in _spaced())) - ENGLISH.marks - ENGLISH.words("too")


@cache
def _days_of_months() -> re.Pattern[str]:
    """Return what tells a language by one day, "26 novembre", where nothing else does."""
    months = {word for one in _spaced() for word in one.forms("month")} - set(ENGLISH.forms("month"))
    words = "|".join(sorted((word for word in months if len(word) >= _SHORT_CHARS), key=len, reverse=True))
    return re.compile(rf"\d(?:er|\.?º?)\s(?:d[ei]\s)?(?:{words})\b(?!\s+bars?\b)")


class LanguageSpan(NamedTuple):
    """A part of a text that is in one language."""

    start: int
    end: int
    language: Language


def stretches(text: str, lower: str) -> tuple[LanguageSpan, ...]:
    """Return the parts of *text*, which is *lower* in lower case, by language, English where none is told."""
    is_plain = lower.isascii() or _OTHER_LETTER.search(lower) is None
    if (
        is_plain
        and _foreign_words().isdisjoint(lower.translate(_NO_STOPS).split())
        and _days_of_months().search(lower) is None
    ):
        return (LanguageSpan(0, len(lower), ENGLISH),)
    return _told_apart(text, lower)


@lru_cache(maxsize=64)
def _told_apart(text: str, lower: str) -> tuple[LanguageSpan, ...]:
    whole = _language_of(lower, None)
    found: list[LanguageSpan] = []
    for start, end in sentence_spans(text):
        told = _language_of(lower[start:end], whole) or ENGLISH
        if found and found[-1].language is told:
            found[-1] = found[-1]._replace(end=end)
        else:
            found.append(LanguageSpan(start, end, told))
    return tuple(found)


def _language_of(lower: str, whole: Language | None) -> Language | None:
    """Return the language of *lower*, a part of a text that is in *whole*; None for English or none."""
    if _KANA.search(lower):
        return language("ja")
    if _HAN.search(lower):
        return whole if whole is not None and whole.name == "ja" else language("zh")
    words = set(_WORD.findall(lower))
    english = len(words & ENGLISH.marks)
    scores = [len(words & one.known) for one in _spaced()]
    most = max(scores)
    told = _spaced()[scores.index(most)]
    if whole is not None and whole.is_spaced and len(words & whole.known) == most:
        told = whole
    is_told = most > english and (
        most >= _FEW
        or told is whole
        or bool(words & told.near_words)
        or _days_of_months().search(lower) is not None
    )
    return told if is_told else whole if whole is not None and not english and not most else None


@lru_cache(maxsize=256)
def name_of(lower: str) -> str:
    """Return the two-letter name of the language of *lower*, "en" where none is told."""
    told = _language_of(lower, None)
    return told.name if told else "en"


@cache
def function_words() -> frozenset[str]:
    """Return small words of the languages but English, which a capital makes no names."""
    return frozenset().union(*(one.marks for one in _spaced()))
