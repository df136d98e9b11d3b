"""Where one sentence ends and the next begins, in English, German, Spanish, French, Portuguese, Italian,
Chinese and Japanese, one language or several in a line.

A cut in the wrong place loses more than one that is missing, since each piece is judged and kept alone: so
where a stop may belong to an ordinal, a short form, a figure or words in quotation marks, nothing is cut.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from scrimshaw import data

_NEAR_CHARS = 24  # that tell what a stop is
_LONGEST_QUOTE = 240  # characters; what is longer is no quotation within a sentence
_CJK = "\u3040-\u30ff\u3400-\u9fff"
_CLOSE = r"[\"')\]»”’*_」』）】]"
# Each way begins with a mark, and looks back only then: tried at every letter, a look back is slow.
_SENTENCE_END = re.compile(
    rf"[.!?…](?<![.!?…].)[.!?…]*(?:{_CLOSE}*(?:\s*\n\s*|\s+(?=[\"'(\[«“„‹`*_¿¡「『]*\s?[^\W_]))|(?=[¿¡]))"
    rf"|[。！？]+{_CLOSE}*(?![。！？」』”’）】])|[!?.](?<=\w.)[!?.]*(?=[{_CJK}])"
    r"|[»”](?<=[!?…]\s.)\s+|\n\s*|[–—](?<=\s.)\s+(?=(?:can|could) you\b)"
)
_QUOTED = re.compile(
    "|".join(
        rf"[{opened}][^{opened}{closed}\n]{{1,{_LONGEST_QUOTE}}}[{closed}]"
        for opened, closed in ("“”", "«»", "„“", "「」", "『』", "（）", '""', "„”", "()")
    )
)
_ROMAN = re.compile(r"\b[IVX]{1,5}\.$")
_LIST_NUMBER = re.compile(r"^\s*\d{1,2}\.\s*$")

_ASKED_BEFORE = re.compile(r"“[^“”]*[?？]” (?=\S)")  # as `with_question` puts it


def _one_of(group: str) -> str:
    return "|".join(sorted(data.words("sentences", group), key=len, reverse=True))


_NEVER_ENDS = re.compile(
    rf"(?:\b(?:{_one_of('titles')}|(?i:{_one_of('joining')}))"
    r"|(?<![\w/.])(?:[^\W\d_]\.[ -]?){1,3}[^\W\d_]{1,3}|(?<![\w/.'’-])(?<!\d )[^\W\d_])\.$"
)
_MAY_END = re.compile(rf"\b(?:{_one_of('ending')}|[ap]\.m)\.$", re.IGNORECASE)
_BEFORE_FIGURE = re.compile(rf"\b(?:{_one_of('before_figure')}|{_one_of('months')})\.$", re.IGNORECASE)
_MONTH_END = re.compile(rf"\d\.?[ªº]?\s(?:de\s)?(?:{_one_of('months')})\.$", re.IGNORECASE)
# "3.", "5.11.", "5. 11.": in German and its neighbours an ordinal or a day, as well as the end of a sentence.
_NUMBER_END = re.compile(r"(?<![\d.,:])\d{1,3}\.(?P<second>\s?\d\d?\.)?$")
_BEFORE_ORDINAL = re.compile(rf"(?:(?<!\bi )\bam|\b(?:{_one_of('before_ordinal')}))\s$", re.IGNORECASE)
_MONTH_NEXT = re.compile(
    r"(?:jan|jän|feb|mär|apr|mai\b|maj\b|jun|jul|aug|sep|okt|nov|dez)[^\W\d_]*", re.IGNORECASE
)
_GERMAN_MONTH_NEXT = re.compile(r"(?:januar|jänner|februar|märz|mai|juni|juli|oktober|dezember)\b")
_COUNTED_NEXT = re.compile(r"(?:woche|ssw|monat|klasse|stock|etage|semester|geburtstag|lebensjahr)\b")
_DAY_GOES_ON = re.compile(
    r"(?:und|oder|bis|um|statt|nachmittags?|vormittags?|abends?|morgens?|früh|mit|bei|beim|ins?|im|zur?|zum|nach|aufs?|an|"
    r"fürs?|vor|wegen|ohne|vom?|gegen|ab|nicht|nie|kein\w*|leider|wieder|noch|doch|erst|schon|nur)\b"
)
_DAY_ALONE = re.compile(r"\s*[a-zäöü]+ \d{1,2}\.?\s*")
_NO_NOUN_NEXT = re.compile(rf"(?:{_one_of('no_noun')})\b", re.IGNORECASE)
_SAID = re.compile(rf"(?:{_one_of('said')})")


def split_sentences(text: str) -> list[str]:
    """Return the sentences of *text*, trimmed; the end of a line ends one."""
    return [piece for start, end in sentence_spans(text) if (piece := text[start:end].strip())]


def without_quotations(text: str, least_chars: int) -> str:
    """Return *text* without what stands in it between quotation marks, where that has so many characters."""
    return _QUOTED.sub(lambda one: one.group() if len(one.group()) < least_chars else "", text)


def sentence_spans(text: str) -> Iterator[tuple[int, int]]:
    """Yield where each sentence of *text* begins and ends, what lies between two with the first."""
    start = 0
    ends = list(_SENTENCE_END.finditer(text))
    quotes = _QUOTED.finditer(text) if ends else iter(())
    quote = next(quotes, None)
    quoted_to = 0  # where the last quotation ends that begins before the stop
    for match in ends:
        end = match.end()
        while quote is not None and quote.start() < match.start():
            quoted_to, quote = quote.end(), next(quotes, None)
        is_quoted = end < quoted_to and "\n" not in match.group()
        if (
            is_quoted
            or text[start : min(end, start + _NEAR_CHARS)].isspace()
            or not _is_end(text, start, match)
        ):
            continue
        yield start, end
        start = end
    if start < len(text):
        yield start, len(text)


def _is_end(text: str, start: int, match: re.Match[str]) -> bool:
    end = match.end()
    if "\n" in match.group():
        return True
    rest = text[end : end + _NEAR_CHARS]
    piece = text[max(start, end - _NEAR_CHARS) : end].rstrip()
    mark = match.group().strip()
    if not rest or mark in ("–", "—"):
        return True
    if mark[:1] in "。！？" or not match.group()[-1:].isspace():
        return not (mark[-1:] in "」』”’）】" and _SAID.match(rest))
    if rest[0].islower() and (mark[-1:] in "\"'»”’)*" or mark[0] == "…" or mark.startswith("..")):
        return False  # "Stop!" she said; well… maybe
    if not mark.startswith(".") or len(mark) > 1:
        return True
    if _LIST_NUMBER.match(text[max(start, end - 6) : end]) and end - start <= 6:
        return False
    if _MAY_END.search(piece):
        return not rest[0].islower() and not rest[0].isdigit()
    if _NEVER_ENDS.search(piece):
        return False
    goes_on = rest[0].isdigit() or rest[0].islower()
    if goes_on and any(rule.search(piece) for rule in (_BEFORE_FIGURE, _MONTH_END, _ROMAN)):
        return False
    return not _ends_in_ordinal(text[start : start + _NEAR_CHARS].lstrip()[:1], piece, rest)


def _ends_in_ordinal(first: str, piece: str, rest: str) -> bool:
    """Tell whether the stop behind the number that ends *piece* makes it an ordinal or a day: "am 3. Mai"."""
    number = _NUMBER_END.search(piece)
    if number is None:
        return False
    is_led = _BEFORE_ORDINAL.search(piece, 0, number.start()) is not None
    if rest[0].islower():  # who began with a capital would go on with one
        is_day = (_MONTH_NEXT.match(rest) and is_led) or _GERMAN_MONTH_NEXT.match(rest)
        is_begun = _DAY_ALONE.fullmatch(piece)  # "am 5. hat lena geburtstag"
        goes_on = is_led and (is_begun or _DAY_GOES_ON.match(rest))  # "she does the 24. and I the 28."
        is_counted = _COUNTED_NEXT.match(rest)  # "ich bin in der 12. woche"
        return first.isupper() or number["second"] is not None or bool(is_day or goes_on or is_counted)
    if _MONTH_NEXT.match(rest) or (rest[0].isdigit() and is_led):
        return True
    if number["second"] and rest[0].isdigit():
        return True
    return is_led and not _NO_NOUN_NEXT.match(rest)


def with_question(question: str, text: str) -> str:
    """Return the line that says *text* in answer to *question*."""
    return f"“{question}” {text}"


def without_question(text: str) -> str:
    """Return a line without the question that it answers: the words for it are another's."""
    return _ASKED_BEFORE.sub("", text) if text.startswith("“") else text
