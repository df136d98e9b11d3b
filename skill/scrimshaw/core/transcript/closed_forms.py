"""Forms of others' words that end: a fence, quoted lines, an element, rules, a table, quotation marks.

Each finder takes a message and yields from where to where its form reaches.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator

from scrimshaw.core.text.normalize import lowered
from scrimshaw.core.transcript import paste_forms as forms
from scrimshaw.core.transcript.introductions import (
    FEW_WORDS,
    HEAD_CHARS,
    SENTENCE_END,
    hands_over,
    introduces,
    is_blank,
    is_task,
    line_starts,
)

_FENCE = re.compile(r"(?:```|~~~).*?(?:```|~~~|\Z)", re.DOTALL)
_QUOTED = re.compile(r"^[ \t]*(?:[-*•] )?(?:>|&gt;).*$", re.MULTILINE)
_TAG = re.compile(r"<(?P<close>/?)(?P<name>[A-Za-z][\w:.-]{0,40})(?:\s[^<>]{0,1000})?(?P<alone>/?)>"
                  r"|\[(?P<bb_close>/?)(?P<bb>quote|document|e?mail|message|text|article|page|code)(?:=[^\]\n]{0,60})?\]",
                  re.IGNORECASE)  # fmt: skip
# What the host writes of pictures, films and recordings: "[Image 1/2]", what was typed, what it made out.
_MEDIA = re.compile(
    r"^\[(?P<kind>Image|Video|Audio)(?: \d{1,3}/\d{1,3})?\]\n(?P<label>User text|Description|Transcript):\n",
    re.MULTILINE,
)
_TYPED = re.compile(r"\s*User text:\n")
_MADE_OUT = re.compile(r"^(?:Description|Transcript):\n", re.MULTILINE)
_DOCTYPE = re.compile(r"<!doctype\b|<\?xml\b", re.IGNORECASE)
_VOID = frozenset(["br", "hr", "img", "input", "link", "meta", "wbr"])
_QUOTES = dict(zip("\"'‟«»‹›「『", "\"'”»«›‹」』", strict=True)) | {
    "“": "”“",
    "„": "“”‟",
    "‘": "’‘",
    "‚": "‘’",
}
_SINGLE = "'‘‚"
# The look behind comes last: a pattern that begins with one is tried at each letter.
_OPENING = re.compile(r"(?:[\"“„»›「『‟‘‚'](?=\S)|[«‹])(?<![^\W_].)")
_LONGEST_QUOTE_CHARS = 4_000
_QUOTE_WORDS = 7  # so many are a sentence, and no name or title


def _with_between(text: str, blocks: list[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Yield *blocks* of one sort, and what stands between them where the first is a text that is handed over.

    What was pasted may end its block itself, and begin another: then its words would stand free.
    """
    yield from blocks
    if len(blocks) > 1 and _is_handed_over(text, blocks[0][0]):
        yield blocks[0][0], blocks[-1][1]


def _is_handed_over(text: str, at: int) -> bool:
    """Whether the line above *at*, or before it, says that others' words come there."""
    above = text[max(0, at - HEAD_CHARS) : at].rstrip()
    sentence = lowered(above[max((m.end() for m in SENTENCE_END.finditer(above[:-1])), default=0) :])
    return introduces(sentence.rstrip(" :")) or hands_over(sentence, is_last=True)


def media_notes(text: str) -> Iterator[tuple[int, int]]:
    """Yield the host's words around what was typed and spoken, and all from the first description on.

    A recording without typed words is the person's voice; one beside them may be anybody's.
    """
    heads = list(_MEDIA.finditer(text))
    typed = _TYPED.match(text) if heads else None
    is_typed = typed is not None
    if typed:
        yield typed.span()
    for head in heads:
        start, end = head.span()
        yield start, end
        if head["label"] == "User text":
            made_out = _MADE_OUT.search(text, end)
            start, is_typed = made_out.start() if made_out else len(text), True
        if head["kind"] != "Audio" or is_typed:
            yield start, len(text)
            return


def fences(text: str) -> Iterator[tuple[int, int]]:
    yield from _with_between(text, [match.span() for match in _FENCE.finditer(text)])


def quoted_lines(text: str) -> Iterator[tuple[int, int]]:
    yield from (match.span() for match in _QUOTED.finditer(text))


def elements(text: str) -> Iterator[tuple[int, int]]:
    """Yield elements with what is in them; one that a stray end tag follows reaches up to that."""
    if page := _DOCTYPE.search(text):
        yield page.start(), len(text)
    open_at: dict[str, list[int]] = {}
    blocks: dict[str, list[tuple[int, int]]] = {}
    last: dict[str, int] = {}  # where the last whole element of a name began
    for tag in _TAG.finditer(text):
        name = (tag["name"] or tag["bb"]).lower()
        if tag["alone"] or name in _VOID:
            continue
        if not (tag["close"] or tag["bb_close"]):
            open_at.setdefault(name, []).append(tag.start())
        elif stack := open_at.get(name):
            start = last[name] = stack.pop()
            if not stack and (tag["bb"] or _is_block(text, start, tag.start())):
                blocks.setdefault(name, []).append((start, tag.end()))
        else:  # an end without a beginning: what was pasted ended the element itself
            yield last.get(name, 0), tag.end()
    for found in blocks.values():
        yield from _with_between(text, found)
    for starts in open_at.values():
        line_end = text.find("\n", starts[0]) if starts else -1
        if (
            starts
            and line_end > 0
            and text[text.rfind("\n", 0, starts[0]) + 1 : line_end].strip().endswith(">")
        ):
            yield starts[0], len(text)


def _is_block(text: str, start: int, end: int) -> bool:
    """Whether an element holds more than a few emphasised words."""
    if end - start > HEAD_CHARS or text.find("\n", start, end) >= 0:
        return True
    return len(text[start:end].partition(">")[2].split()) > FEW_WORDS


def between_rules(text: str) -> Iterator[tuple[int, int]]:
    """Yield what stands between two lines of nothing but dashes; behind one alone when it is announced."""
    begun, said = -1, ""
    before, lines = "", line_starts(text)
    blocks: list[tuple[int, int]] = []
    for number, (at, line) in enumerate(lines):
        if forms.RULE.match(line) and not _is_title(lines, number):
            if begun >= 0:
                blocks.append((begun, at + len(line)))
                begun = -1
            else:
                begun, before = at, said
            continue
        said = said if begun >= 0 or is_blank(line) else line
    yield from _with_between(text, blocks)
    if begun < 0:
        return
    is_first = not text[:begun].strip()
    if blocks and _is_handed_over(text, blocks[0][0]):
        yield blocks[0][0], len(text)
    if is_first or before.rstrip().endswith((":", "?")) or is_task(lowered(before[:HEAD_CHARS])):
        yield begun, len(text)


def _is_title(lines: list[tuple[int, str]], number: int) -> bool:
    """Whether a line of dashes underlines the title above it: a few words, blank lines around both."""
    above = lines[number - 1][1].strip() if number else ""
    is_apart = number < 2 or not lines[number - 2][1].strip()
    is_above_blank = number + 1 < len(lines) and not lines[number + 1][1].strip()
    return bool(above) and above[-1].isalnum() and len(above.split()) <= 6 and is_apart and is_above_blank


def tables(text: str) -> Iterator[tuple[int, int]]:
    rows: list[tuple[int, int]] = []
    for at, line in [*line_starts(text), (len(text), "")]:
        if forms.TABLE_ROW.match(line):
            rows.append((at, at + len(line)))
            continue
        yield from rows if len(rows) > 1 else ()
        rows = []


def quotations(text: str) -> Iterator[tuple[int, int]]:
    behind = 0
    for start, end in _in_quotes(text):
        if start >= behind and _is_others(text, start, end):
            behind = max(end, _end_of_handed_over(text, start))
            yield start, behind


def _end_of_handed_over(text: str, start: int) -> int:
    """Return where a quotation ends at the latest that is handed over, as it may hold such marks itself."""
    head = lowered(text[max(0, start - HEAD_CHARS) : start]).rstrip()
    head = head[max((m.end() for m in SENTENCE_END.finditer(head)), default=0) :]
    if not head.endswith(":"):
        return 0
    mark = text[start]
    is_short = _QUOTES[mark] == mark and len(text) - start <= _LONGEST_QUOTE_CHARS
    is_odd = is_short and text.count(mark, start) % 2 == 1
    return max(text.rfind(end, start) for end in _QUOTES[mark]) + 1 if is_odd or is_task(head[:-1]) else 0


def _in_quotes(text: str) -> Iterator[tuple[int, int]]:
    """Yield what stands in quotation marks of any style, marks included, none within another."""
    ends_at: dict[str, list[int]] = {}
    behind = 0
    for opening in _OPENING.finditer(text):
        if opening.start() < behind:
            continue
        mark = opening.group()
        ends = _QUOTES[mark]
        if ends not in ends_at:
            ends_at[ends] = [m.start() for m in re.finditer(rf"[{ends}](?![^\W_])", text)]
        after = bisect_right(ends_at[ends], opening.start())
        end = ends_at[ends][after] + 1 if after < len(ends_at[ends]) else -1
        if end < 0 or end - opening.start() > _LONGEST_QUOTE_CHARS:
            continue
        if mark in _SINGLE and text.find("\n", opening.start(), end) >= 0:
            continue  # an apostrophe
        behind = end
        yield opening.start(), end


def _is_others(text: str, start: int, end: int) -> bool:
    """Whether a quotation is what somebody says, and no name, title or word that is spoken of."""
    words = text[start + 1 : end - 1].split()
    if len(words) < FEW_WORDS:
        return False
    begins = max(
        (m.end() for m in SENTENCE_END.finditer(text, max(0, start - HEAD_CHARS), start)),
        default=max(0, start - HEAD_CHARS),
    )
    ends = next(
        (m.start() for m in SENTENCE_END.finditer(text, end, end + HEAD_CHARS)),
        min(len(text), end + HEAD_CHARS),
    )
    before, after = lowered(text[begins:start]), lowered(text[end:ends])
    if not before.strip(" \t-*•.") and not after.strip(" \t.,!?;"):
        return True  # nothing but the quotation
    if forms.OF_ONESELF.search(before):
        return False
    if forms.MACHINE.search(before) and not forms.SPEAKS.search(lowered(text[start:end])):
        return False
    if forms.ATTRIBUTES.search(before) or forms.ATTRIBUTED_AFTER.match(after):
        return True
    if is_task(before) or forms.DRAFTS.match(before) or forms.EXAMPLE.search(before):
        return True
    is_led_in = before.rstrip().endswith(":") and not forms.KEEPS.search(before)
    is_own = forms.OWN_WORD.search(before.rstrip(" :")) is not None
    is_sentence = len(words) >= _QUOTE_WORDS or (is_led_in and not is_own)
    return is_sentence and forms.SPEAKS.search(lowered(text[start:end])) is not None
