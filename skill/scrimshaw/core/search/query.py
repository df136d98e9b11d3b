"""What a question asks for: its words without those that only make it a question.

People type whole questions ("When did I tell you about the pressing at Wenbury?"). Every word of it is
wanted by nobody: a search that demands all of them finds nothing, one that counts the small ones finds the
wrong lines. So question words, auxiliaries and pronouns are dropped, the rest is searched with OR; a
question of small words alone keeps them all. Dropping them is worth 6 points of any@10 on LoCoMo
(docs/benchmarks.md).

Texts and questions go through `levelled` alike: "bought" becomes "buy", because "When did I buy …?" asks for
it, and scripts without spaces are cut into pairs of characters, else a whole sentence would be one word.
Endings are the index's matter (index/words). Knows nothing of any index.
"""

from __future__ import annotations

import re

from scrimshaw import data
from scrimshaw.core.search import tongue

_WORD = re.compile(r"[^\W_]+")
_LATIN = re.compile(r"\b[a-zA-Z]{3,10}\b")
_APOSTROPHE = re.compile(r"(?<=\w)['’](?:s|ll|ve|re|d|m|t)\b", re.IGNORECASE)
_UNSPACED = re.compile(
    "[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff]+"
)
_MOST_WORDS = 48  # a pasted page is no question: its first words have to do
SMALL = tongue.SMALL
_IRREGULAR = {
    other: first
    for first, *others in map(str.split, data.phrases("small_words", "irregular"))
    for other in others
}


def question_words(question: str) -> tuple[str, ...]:
    """Return the words of *question* to search for, lower case, each once, in their order."""
    every = tuple(dict.fromkeys(_WORD.findall(_APOSTROPHE.sub(" ", levelled(question)).lower())))
    small = SMALL if tongue.is_english(question) else tongue.small_elsewhere()
    asked = tuple(word for word in every if word not in small)
    return (asked or every)[:_MOST_WORDS]


def levelled(text: str) -> str:
    """Return *text* with irregular forms in their first form, and scripts without spaces cut into pairs."""
    if text.isascii() and _IRREGULAR.keys().isdisjoint(_LATIN.findall(text.lower())):
        return text
    spaced = text if text.isascii() else _UNSPACED.sub(_pairs, text)
    return _LATIN.sub(_first_form, spaced)


def _first_form(word: re.Match[str]) -> str:
    return _IRREGULAR.get(word.group().lower(), word.group())


def _pairs(run: re.Match[str]) -> str:
    text = run.group()
    pairs = [text[at : at + 2] for at in range(len(text) - 1)] or [text]
    return f" {' '.join(pairs)} "
