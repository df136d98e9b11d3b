"""Whose words a person's message holds, by form: their own, or others' that they pasted, quoted or made up.

Who can mail an owner must not be able to write a rule for their agent. So whatever has the form of a paste, a
quotation, a draft, an example or a supposition is others' words, and only what stands around it is the
person's. The rules observer, what stands in for a model's line and the gate all read a message through this.

Three sorts of form, in this order. Closed ones say where they end: a fence, quoted lines, an element, rules
around a block, quotation marks. Open ones do not (a mail's head, "Bob wrote:", a chat, a page, "Translate:"):
the rest of the message is others', since no form tells a mail's next paragraph from the person's. The last
reach to the end of a sentence or a paragraph: an example, "suppose …", "if somebody says …". In doubt words
are others'.

Every step is linear in the message's length: lines are looked at one by one, no more of each than its head.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from scrimshaw.core.text.normalize import lowered
from scrimshaw.core.transcript import paste_forms as forms
from scrimshaw.core.transcript.closed_forms import (
    between_rules,
    elements,
    fences,
    media_notes,
    quotations,
    quoted_lines,
    tables,
)
from scrimshaw.core.transcript.introductions import COLON, OTHERS, SENTENCE_END, is_closed, line_starts
from scrimshaw.core.transcript.open_forms import open_spans

GAP = "…"  # what is left of others' words within a sentence
_GAPS = re.compile(rf"{OTHERS}[{OTHERS}\s]*")
_GAP_ALONE = re.compile(rf"(?<=[.!?])\s+{GAP} [.,;]")  # a sentence that was theirs whole
_GAP_AT_END = re.compile(
    rf"(?<![\s,;–—-])(?:[\s,;–—-]+(?:but|and|so|or|like|aber|und|oder))?[\s,;–—-]*{GAP}$"
)
_TEXT = re.compile(r"\S")
_LOOK_BACK_CHARS, _ALLOWED_CHARS = 40, 120
_PARAGRAPH_END = re.compile(r"\n[ \t]*\n")


@lru_cache(maxsize=512)  # the rules read a window with it before the gate does
def own_words(text: str) -> str:
    """Return *text* with only the words that are the person's own; line by line as it was."""
    masked = text.replace(OTHERS, " ").replace("\r\n", "\n")
    for finds in _FINDERS:
        masked = _without(masked, finds(masked))
    return _told(masked) if OTHERS in masked else masked


def _without(text: str, spans: Iterator[tuple[int, int]]) -> str:
    """Return *text*, as long as it was, with the letters of *spans* marked as others'."""
    parts, position = [], 0
    for start, end in sorted(spans):
        start = max(start, position)
        if start < end:
            parts += [text[position:start], re.sub(r"[^\n]", OTHERS, text[start:end])]
            position = end
    return "".join([*parts, text[position:]])


def _told(masked: str) -> str:
    lines = [_line_told(line) if OTHERS in line else line for line in masked.split("\n")]
    return "\n".join(lines)


def _line_told(line: str) -> str:
    told = _GAP_ALONE.sub("", _GAPS.sub(f"{GAP} ", line))
    told = _GAP_AT_END.sub("", told.rstrip())
    return told if any(map(str.isalnum, told)) else ""


def _sentences(text: str) -> Iterator[tuple[int, int]]:
    low = lowered(text)
    until = 0  # what is before it is others' already: nothing is looked at twice
    for at, line in line_starts(low):
        for match in sorted(_supposed(line), key=re.Match.start):
            if at + match.start() < until:
                continue
            start, end = _extent(low, line, at, match)
            if end > start:
                yield start, end
                until = end


_FINDERS = (
    media_notes, fences, elements, quoted_lines, between_rules, tables, quotations, open_spans, _sentences,
)  # fmt: skip


def _supposed(line: str) -> Iterator[re.Match[str]]:
    for form, words in forms.OF_A_SENTENCE:
        if any(map(line.__contains__, words)):
            yield from form.finditer(line)


def _extent(low: str, line: str, at: int, match: re.Match[str]) -> tuple[int, int]:
    """Return from where to where *match*, the beginning of an example or a supposition, is others'."""
    start, behind = at + match.start(), match.end()
    if match.re is forms.SUPPOSES:
        return start, _paragraph_end(low, start)
    if match.re is forms.IF_SAYS:
        end = _sentence_end(line, behind)
        start = at + _allowed_from(line, match.start())
        return start, _paragraph_end(low, at + behind) if COLON.search(line, behind, end) else at + end
    if match.re is forms.SAYS_DIRECTLY:
        is_own = forms.OF_ONESELF.search(line, max(0, match.start() - _LOOK_BACK_CHARS), behind)
        return start, start if is_own else at + _sentence_end(line, behind)
    if match["colon"]:
        return start, start if is_closed(low, at + behind) else _paragraph_end(low, at + behind)
    is_others = (
        forms.CLAUSE_OPENER.match(line, behind)
        if match["within"]
        else not forms.OF_ONES_OWN.match(line, behind)
    )
    return start, at + _sentence_end(line, behind) if is_others else start


def _allowed_from(line: str, at: int) -> int:
    """Return where the sentence begins that allows something on the condition at *at*; *at* if none does."""
    start = max(0, at - _ALLOWED_CHARS)
    start = max((hit.end() for hit in SENTENCE_END.finditer(line, start, at)), default=start)
    return start if forms.ALLOWS.search(line, start, at) else at


def _sentence_end(line: str, at: int) -> int:
    return next((m.end() for m in SENTENCE_END.finditer(line, at)), len(line))


def _paragraph_end(text: str, at: int) -> int:
    """Return where the paragraph ends in which what stands at *at* goes on; blank lines before it are its."""
    begins = _TEXT.search(text, at)
    found = _PARAGRAPH_END.search(text, begins.start()) if begins else None
    return found.start() if found else len(text)
