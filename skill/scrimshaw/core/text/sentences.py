"""Where one sentence ends and the next begins, in one line of text."""

from __future__ import annotations

import re

_NEXT_CHARS = 24  # that tell what a stop behind a number is
_ABBREVIATION = re.compile(
    r"(?:\b(?:e\.g|i\.e|vs|etc|approx|no|nr|st|mr|mrs|ms|dr|prof|jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|"
    r"dec|ca|bzw|evtl|inkl)|\b[A-Z])\.$",
    re.IGNORECASE,
)
# "3.", "5.11.": in German and its neighbours an ordinal, or a day, as well as the end of a sentence.
_NUMBER_END = re.compile(r"(?<![\d.,:])\d{1,3}\.(?P<second>\d\d?\.)?$")
_BEFORE_ORDINAL = re.compile(
    r"(?:(?<!\bi )\bam|\b(?:vom|zum|beim|im|de[nrms]|die|das|bis|ab|seit|jede[ns]?|[msd]?eine?[nrms]?))\s$",
    re.IGNORECASE,
)
_MONTH_NEXT = re.compile(
    r"(?:jan|jän|feb|mär|apr|mai\b|maj\b|jun|jul|aug|sep|okt|nov|dez)[^\W\d_]*", re.IGNORECASE
)
# No noun: what follows an ordinal is one, or tells of one.
_NO_NOUN_NEXT = re.compile(
    r"(?:ich|du|er|sie|es|wir|ihr|das|der|die|den|dem|ein|eine|mein|meine|unser|unsere|bitte|dann|danach|da|und"
    r"|aber|i|we|he|she|it|they|you|the|my|our)\b",
    re.IGNORECASE,
)
_SENTENCE_END = re.compile(
    r"[.!?…]+[\"')\]»”]*\s+(?=[\"'(\[«“`*_]*[^\W_])|(?<=[。！？])|\s+[–—]\s+(?=(?:can|could) you\b)"
)


def split_sentences(line: str) -> list[str]:
    """Return the sentences of one line."""
    pieces: list[str] = []
    start = 0
    for match in _SENTENCE_END.finditer(line):
        piece = line[start : match.end()].strip()
        if _ABBREVIATION.search(piece) or _ends_in_ordinal(
            piece, line[match.end() : match.end() + _NEXT_CHARS]
        ):
            continue
        if piece:
            pieces.append(piece)
        start = match.end()
    rest = line[start:].strip()
    if rest:
        pieces.append(rest)
    return pieces


def _ends_in_ordinal(piece: str, rest: str) -> bool:
    """Tell whether the stop behind the number that ends *piece* makes it an ordinal or a day: "am 3. Mai"."""
    end = piece[-_NEXT_CHARS:]
    number = _NUMBER_END.search(end)
    if number is None:
        return False
    if rest[0].islower():  # who began with a capital would go on with one
        return piece[0].isupper() or number["second"] is not None
    if _MONTH_NEXT.match(rest):
        return True
    return _BEFORE_ORDINAL.search(end, 0, number.start()) is not None and not _NO_NOUN_NEXT.match(rest)
