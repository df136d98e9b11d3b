"""Seed phrases: twelve to 24 short words in a row."""

from __future__ import annotations

import re

from scrimshaw import data
from scrimshaw.redaction.values import CuePlace, Hit

_SEED_WORD = (
    rf"(?!(?:{'|'.join(data.words('secret_words', 'stop'))})\b)(?:[a-zß-ÿ]{{3,8}}(?![\w'’-])"
    r"|[\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7af]{1,8}(?=[\s,、|]|$))"
)
_SEED_STEP = r"(?>[ \t\u3000]{0,3}[,、;|]?(?:\r?\n|\\n)?[ \t\u3000|*-]{0,6}(?:\d{1,2}[.):]{0,2}[ \t]{0,3})?)"
_SEED_START = re.compile(r"(?<!\w)[^\W\d_A-Z]")
_SEED = re.compile(rf"{_SEED_WORD}(?:{_SEED_STEP}(?<!\w){_SEED_WORD}){{11,23}}")
_SEED_MORE = re.compile(rf"(?:{_SEED_STEP}(?<!\w){_SEED_WORD}){{9}}")
_TELLS = re.compile(r"[:：|=＝→>*`\"]|\s(?:is|are|ist|sind|es|est|è|é)\s|\n")


def seed_phrases(place: CuePlace, noun: re.Match[str]) -> list[Hit]:
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
