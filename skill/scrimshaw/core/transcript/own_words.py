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
from bisect import bisect_right
from collections.abc import Iterator
from functools import lru_cache
from itertools import islice

from scrimshaw.core.text.normalize import lowered
from scrimshaw.core.transcript import paste_forms as forms

GAP = "…"  # what is left of others' words within a sentence
_OTHERS = "\ue000"  # marks them while a message is read; a private letter, so nobody's
_GAPS = re.compile(rf"{_OTHERS}[{_OTHERS}\s]*")
_GAP_AT_END = re.compile(rf"(?:[\s,;–—-]+(?:but|and|so|or|like|aber|und|oder))?[\s,;–—-]*{GAP}$")
_FENCE = re.compile(r"(?:```|~~~).*?(?:```|~~~|\Z)", re.DOTALL)
_QUOTED = re.compile(r"^[ \t]*(?:[-*•] )?(?:>|&gt;).*$", re.MULTILINE)
_TAG = re.compile(r"<(?P<close>/?)(?P<name>[A-Za-z][\w:.-]{0,40})(?:\s[^<>]{0,1000})?(?P<alone>/?)>"
                  r"|\[(?P<bb_close>/?)(?P<bb>quote|document|e?mail|message|text|article|page|code)(?:=[^\]\n]{0,60})?\]",
                  re.IGNORECASE)  # fmt: skip
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
_HEAD_CHARS = 240  # of a line: forms show at its beginning
_LONGEST_QUOTE_CHARS = 4_000
_QUOTE_WORDS = 7  # so many are a sentence, and no name or title
_FEW_WORDS = 3
_NAME_WORDS = 4
_PARTICLES = frozenset(["von", "van", "de", "der", "den", "da", "del", "zu"])
_SENTENCE_END = re.compile(r"[.!?…](?=[\s\"”“»)]|$)|\n")
_COLON = re.compile(r":(?=\s|$|[\"“„«‘'\ue000])|\s(?:->|=>|→)(?=\s)")
_TEXT = re.compile(r"\S")
_DATED = re.compile(r"\W*(?:on|am|le|el|il|op|em|den)\b.*\d")
_LOOK_BACK_CHARS = 40
_PARAGRAPH_END = re.compile(r"\n[ \t]*\n")


@lru_cache(maxsize=512)  # the rules read a window with it before the gate does
def own_words(text: str) -> str:
    """Return *text* with only the words that are the person's own; line by line as it was."""
    masked = text.replace(_OTHERS, " ").replace("\r\n", "\n")
    for finds in (_fences, _elements, _quoted_lines, _between_rules, _tables, _quotations, _open, _sentences):
        masked = _without(masked, finds(masked))
    return _told(masked) if _OTHERS in masked else masked


def _without(text: str, spans: Iterator[tuple[int, int]]) -> str:
    """Return *text*, as long as it was, with the letters of *spans* marked as others'."""
    parts, position = [], 0
    for start, end in sorted(spans):
        start = max(start, position)
        if start < end:
            parts += [text[position:start], re.sub(r"[^\n]", _OTHERS, text[start:end])]
            position = end
    return "".join([*parts, text[position:]])


def _told(masked: str) -> str:
    lines = [_line_told(line) if _OTHERS in line else line for line in masked.split("\n")]
    return "\n".join(lines)


def _line_told(line: str) -> str:
    told = _GAP_AT_END.sub("", _GAPS.sub(f"{GAP} ", line).rstrip())
    return told if any(map(str.isalnum, told)) else ""


def _lines(text: str) -> list[tuple[int, str]]:
    """Return each line with where it begins."""
    found, at = [], 0
    for line in text.split("\n"):
        found.append((at, line))
        at += len(line) + 1
    return found


def _is_blank(line: str) -> bool:
    return not line.strip(f"{_OTHERS} \t\r")


# -- forms that end ------------------------------------------------------------------------------------------


def _with_between(text: str, blocks: list[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Yield *blocks* of one sort, and what stands between them where the first is a text that is handed over.

    What was pasted may end its block itself, and begin another: then its words would stand free.
    """
    yield from blocks
    if len(blocks) > 1 and _is_handed_over(text, blocks[0][0]):
        yield blocks[0][0], blocks[-1][1]


def _is_handed_over(text: str, at: int) -> bool:
    """Whether the line above *at*, or before it, says that others' words come there."""
    above = text[max(0, at - _HEAD_CHARS) : at].rstrip()
    sentence = lowered(above[max((m.end() for m in _SENTENCE_END.finditer(above[:-1])), default=0) :])
    return _introduces(sentence.rstrip(" :")) or _hands_over(sentence, is_last=True)


def _fences(text: str) -> Iterator[tuple[int, int]]:
    yield from _with_between(text, [match.span() for match in _FENCE.finditer(text)])


def _quoted_lines(text: str) -> Iterator[tuple[int, int]]:
    yield from (match.span() for match in _QUOTED.finditer(text))


def _elements(text: str) -> Iterator[tuple[int, int]]:
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
    if end - start > _HEAD_CHARS or text.find("\n", start, end) >= 0:
        return True
    return len(text[start:end].partition(">")[2].split()) > _FEW_WORDS


def _between_rules(text: str) -> Iterator[tuple[int, int]]:
    """Yield what stands between two lines of nothing but dashes; behind one alone when it is announced."""
    begun, said = -1, ""
    before, lines = "", _lines(text)
    blocks: list[tuple[int, int]] = []
    for number, (at, line) in enumerate(lines):
        if forms.RULE.match(line) and not _is_title(lines, number):
            if begun >= 0:
                blocks.append((begun, at + len(line)))
                begun = -1
            else:
                begun, before = at, said
            continue
        said = said if begun >= 0 or _is_blank(line) else line
    yield from _with_between(text, blocks)
    if begun < 0:
        return
    is_first = not text[:begun].strip()
    if blocks and _is_handed_over(text, blocks[0][0]):
        yield blocks[0][0], len(text)
    if is_first or before.rstrip().endswith((":", "?")) or _is_task(lowered(before[:_HEAD_CHARS])):
        yield begun, len(text)


def _is_title(lines: list[tuple[int, str]], number: int) -> bool:
    """Whether a line of dashes underlines the title above it: a few words, blank lines around both."""
    above = lines[number - 1][1].strip() if number else ""
    is_apart = number < 2 or not lines[number - 2][1].strip()
    is_above_blank = number + 1 < len(lines) and not lines[number + 1][1].strip()
    return bool(above) and above[-1].isalnum() and len(above.split()) <= 6 and is_apart and is_above_blank


def _tables(text: str) -> Iterator[tuple[int, int]]:
    rows: list[tuple[int, int]] = []
    for at, line in [*_lines(text), (len(text), "")]:
        if forms.TABLE_ROW.match(line):
            rows.append((at, at + len(line)))
            continue
        yield from rows if len(rows) > 1 else ()
        rows = []


def _quotations(text: str) -> Iterator[tuple[int, int]]:
    behind = 0
    for start, end in _in_quotes(text):
        if start >= behind and _is_others(text, start, end):
            behind = max(end, _end_of_handed_over(text, start))
            yield start, behind


def _end_of_handed_over(text: str, start: int) -> int:
    """Return where a quotation ends at the latest that is handed over, as it may hold such marks itself."""
    head = lowered(text[max(0, start - _HEAD_CHARS) : start]).rstrip()
    head = head[max((m.end() for m in _SENTENCE_END.finditer(head)), default=0) :]
    if not head.endswith(":"):
        return 0
    mark = text[start]
    is_short = _QUOTES[mark] == mark and len(text) - start <= _LONGEST_QUOTE_CHARS
    is_odd = is_short and text.count(mark, start) % 2 == 1
    return max(text.rfind(end, start) for end in _QUOTES[mark]) + 1 if is_odd or _is_task(head[:-1]) else 0


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
    if len(words) < _FEW_WORDS:
        return False
    begins = max(
        (m.end() for m in _SENTENCE_END.finditer(text, max(0, start - _HEAD_CHARS), start)),
        default=max(0, start - _HEAD_CHARS),
    )
    ends = next(
        (m.start() for m in _SENTENCE_END.finditer(text, end, end + _HEAD_CHARS)),
        min(len(text), end + _HEAD_CHARS),
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
    if _is_task(before) or forms.DRAFTS.match(before) or forms.EXAMPLE.search(before):
        return True
    is_led_in = before.rstrip().endswith(":") and not forms.KEEPS.search(before)
    is_own = forms.OWN_WORD.search(before.rstrip(" :")) is not None
    is_sentence = len(words) >= _QUOTE_WORDS or (is_led_in and not is_own)
    return is_sentence and forms.SPEAKS.search(lowered(text[start:end])) is not None


# -- forms without an end ------------------------------------------------------------------------------------


def _open(text: str) -> Iterator[tuple[int, int]]:
    """Yield the one place from which on all that follows is others', and a letter that ends before it."""
    heads = [(at, lowered(line[:_HEAD_CHARS]), line[:_HEAD_CHARS]) for at, line in _lines(text)]
    finders = (_mail_at, _chat_at, _page_at, _letter_at, _introduced_at)
    if found := [at for finds in finders if (at := finds(heads, text)) >= 0]:
        yield min(found), len(text)
    yield from _asked_above(heads)
    yield from _led_in(heads)


_Heads = list[
    tuple[int, str, str]
]  # of each line: where it begins, its first letters in lower case, and as written


def _led_in(heads: _Heads) -> Iterator[tuple[int, int]]:
    """Yield the lines with which a mail program leads a quotation in: "On 4 Nov 2026, Bob <…> wrote:"."""
    for number, (at, low, _) in enumerate(heads):
        if not low.rstrip().endswith(":") or not forms.ATTRIBUTES.search(low):
            continue
        above, over, _ = heads[number - 1] if number else (at, "", "")
        if _wrote(low) or forms.ADDRESS.search(low):
            yield at, at + len(low)
        elif len(low.split()) == 1 and _DATED.match(over):
            yield above, at + len(low)  # broken at the end of the line


def _mail_at(heads: _Heads, _text: str) -> int:
    """Return where a mail's head begins: its fields, "----- Original message -----"; -1 without one."""
    for number, (at, low, _) in enumerate(heads):
        if forms.TITLED_RULE.match(low) or forms.FORWARDED.match(low):
            return at
        field = forms.MAIL_FIELD.match(low)
        if field is None:
            continue
        below = _next_text(heads, number).lower()
        if field["subject"] or forms.FIELD_WITHIN.search(low) or forms.MAIL_FIELD.match(below):
            return at
        if field["sender"] and forms.ADDRESS.search(low):
            return at
    return -1


def _next_text(heads: _Heads, number: int) -> str:
    """Return the line below that number, or the one below a blank one; "" when there is none."""
    return next((line for _, _, line in heads[number + 1 : number + 3] if line.strip()), "")


def _chat_at(heads: _Heads, _text: str) -> int:
    """Return where lines of a chat begin: a time and a name, or names that take turns."""
    turns: list[tuple[int, str, str]] = []
    for number, (at, low, line) in enumerate(heads):
        if forms.CHAT_LINE.match(low):
            return at
        if forms.CHAT_NAME.match(low) and _goes_on(heads, number):
            return at
        above = heads[number - 1] if number else (0, "", "")
        if forms.TIME_ALONE.match(low) and _is_name(above[2]) and _goes_on(heads, number):
            return above[0]
        turn = forms.SPEAKER.match(line)
        if turn:
            turns.append((at, turn["who"] or f"<{turn['nick']}>", lowered(turn["said"])))
        elif line.strip() and len(turns) < 2:
            turns = []
    return turns[0][0] if _is_talk(turns) else -1


def _is_talk(turns: list[tuple[int, str, str]]) -> bool:
    """Whether lines with a name in front are what people said in turn, and no list of fields."""
    names = [who for _, who, _ in turns]
    if len(set(names)) < 2:
        return False
    if len(set(names)) < len(names) or names[0].startswith("<"):
        return True
    if all(forms.ROLE.match(lowered(name)) for name in names):
        return True
    is_answered = any(forms.SHORT_REPLY.match(said) or said.endswith("?") for _, _, said in turns)
    return is_answered and all(map(_is_name, names))


def _is_name(text: str) -> bool:
    """Whether every word of *text* is written like a name."""
    words = [word for word in text.strip(" \t@~.!").split() if word not in _PARTICLES]
    return 0 < len(words) <= _NAME_WORDS and all(word[0].isupper() for word in words)


def _page_at(heads: _Heads, _text: str) -> int:
    """Return where a page or a README begins: headings, a menu, a link and what stands under it."""
    headings, first, paragraphs, has_links, was_blank = 0, -1, 0, False, True
    for number, (at, low, line) in enumerate(heads):
        if forms.MENU.match(line):
            while number and heads[number - 1][1].strip() and not heads[number - 1][1].rstrip().endswith(":"):
                number -= 1  # its title
            return heads[number][0]
        if forms.PAGE_FOOT.search(low) or forms.SOURCE_LINE.match(low):
            return _block_start(heads, number)
        if (
            forms.LINK_ALONE.match(low)
            and sum(bool(one.strip()) for _, one, _ in heads[number + 1 :][:9]) > 3
        ):
            return at
        if forms.BADGE.match(low):
            return at
        below = heads[number + 1][2] if number + 1 < len(heads) else ""
        if forms.HEADING.match(line) or (line.strip() and forms.UNDERLINE.match(below)):
            headings += 1
            first = at if first < 0 else first
        elif first >= 0 and line.strip() and not forms.UNDERLINE.match(line):
            has_links |= bool(forms.LINK.search(low)) or _OTHERS in line
            paragraphs += was_blank and not forms.LIST_ITEM.match(line)
        was_blank = not line.strip()
    if has_links or paragraphs > 1 or headings > 1:
        return first if has_links or not _is_own_document(heads, first) else -1
    return -1


def _is_own_document(heads: _Heads, first: int) -> bool:
    """Whether the line above the first heading says that what follows is the person's: "my plan for May:"."""
    above = next((low for at, low, _ in reversed(heads) if at < first and low.strip()), "")
    return (
        forms.OF_MINE.search(above) is not None
        and not _is_task(above)
        and not forms.FROM_SOMEBODY.search(above)
    )


def _block_start(heads: _Heads, number: int) -> int:
    """Return where what stands above line *number* begins: behind the first paragraph that leads in."""
    for before in range(number - 1, -1, -1):
        if heads[before][1].rstrip().endswith((":", "?")) or _is_task(heads[before][1]):
            return heads[before + 1][0]
    return 0


def _letter_at(heads: _Heads, text: str) -> int:
    """Return where a letter begins that somebody signed; -1 without one."""
    for number, (at, low, _) in enumerate(heads):
        tail = _line(heads, number, text)[-_HEAD_CHARS:]
        signed = forms.SIGNED.search(lowered(tail)) or forms.DASHED_WITHIN.search(lowered(tail))
        if number and signed is None and at + len(tail) == _end(heads, number, text):
            signed = forms.DASHED_NAME.match(lowered(tail))
        is_signed = signed is not None and _is_name(tail[signed.start("name") : signed.end("name")])
        is_closed = number > 0 and forms.CLOSED.match(low) and _is_name(_next_text(heads, number))
        if is_signed or is_closed or (number and forms.SENT_FROM.match(low)):
            greeted = next((at for at, one, _ in heads[: number + 1] if forms.GREETING.match(one)), -1)
            return greeted if greeted >= 0 else _block_start(heads, number)
    return -1


def _end(heads: _Heads, number: int, text: str) -> int:
    return heads[number + 1][0] - 1 if number + 1 < len(heads) else len(text)


def _line(heads: _Heads, number: int, text: str) -> str:
    return text[heads[number][0] : _end(heads, number, text)]


def _introduced_at(heads: _Heads, text: str) -> int:
    """Return where what somebody introduces begins: behind "Translate:", "Bob wrote:", "a story about"."""
    for number, (at, _, _) in enumerate(heads):
        line = lowered(_line(heads, number, text))
        if _is_blank(line):
            continue
        start, spoken = 0, -2
        for end in [*(m.end() for m in _SENTENCE_END.finditer(line)), len(line)]:
            sentence, found = line[start : min(end, start + _HEAD_CHARS)], -1
            is_last = end >= len(line.rstrip())
            if (behind := _behind(sentence, line[max(0, end - _HEAD_CHARS) : end])) >= 0:
                found = start + behind
                if spoken < -1:  # once a line: it may hold thousands of sentences
                    spoken = max((m.start() for m in forms.DIRECT_SPEECH.finditer(line)), default=-1)
                if spoken < found and _is_retold(sentence[:behind], line[found : found + _HEAD_CHARS]):
                    found = -1
            elif (not is_last or _goes_on(heads, number)) and _hands_over(sentence, is_last=is_last):
                found = end
            if found >= 0 and not _is_closed(text, at + found):
                return at + found
            start = end
    return -1


def _goes_on(heads: _Heads, number: int) -> bool:
    return any(other.strip() for _, other, _ in islice(heads, number + 1, None))


def _is_closed(text: str, at: int) -> bool:
    """Whether what begins at *at* is a form that has an end."""
    return text[at : at + _HEAD_CHARS].lstrip().startswith(_OTHERS)


def _behind(sentence: str, line: str) -> int:
    """Return where in *sentence* others' words begin, -1 when they do not."""
    if story := forms.FICTION.match(sentence):
        return story.end()
    for colon in islice(_COLON.finditer(sentence), 3):
        head = sentence[: colon.start()]
        if head.count("`") % 2 or head.count('"') % 2:
            continue  # within code, or within what is quoted as a name
        if _introduces(head) or _wrote(line[: len(line) - len(sentence) + colon.start()]):
            return colon.end()
    draft = forms.DRAFTS.match(sentence)
    if draft and (states := forms.STATES.search(sentence, draft.end())):
        return states.end()
    return -1


def _introduces(head: str) -> bool:
    """Whether what stands before a colon says that others' words, or a draft, stand behind it."""
    if forms.ASKS.match(head):
        return True
    if forms.OF_ONESELF.search(head):
        return False
    if forms.FROM_SOMEBODY.search(head):
        return True
    if forms.KEEPS.search(head):
        return False
    return bool(forms.DRAFTS.match(head) or _is_task(head) or forms.SAYS_LAST.search(head))


def _is_retold(head: str, rest: str) -> bool:
    """Whether *rest* only retells what somebody said: "city wrote: the pitch is approved"."""
    if not rest.strip() or _is_task(head) or forms.DRAFTS.match(head) or forms.FICTION.match(head):
        return False
    return head.rstrip().endswith(":") and forms.DIRECT_SPEECH.search(rest) is None


def _wrote(line: str) -> bool:
    """Whether *line*, up to a colon, is how mail programs lead a quotation in: "On 4 Nov 2026 Bob wrote"."""
    return _DATED.match(line) is not None and forms.ATTRIBUTES.search(line) is not None


def _is_task(head: str) -> bool:
    """Whether *head* asks to do something with a text that is at hand."""
    tasks = (forms.WORKS_ON_TEXT, forms.JUDGES, forms.ASKS, forms.BETTERS_TEXT)
    if any(task.match(head) for task in tasks):
        return True
    done = forms.WORKS_ON_THING.match(head)
    return (
        done is not None
        and not forms.MANNER.search(head)
        and any(names.search(head, done.end()) for names in (forms.NAMES_TEXT, forms.POINTS_AT_ONE))
    )


def _hands_over(sentence: str, *, is_last: bool) -> bool:
    """Whether *sentence* speaks of the text that comes next: behind it, or below the *last* of a line."""
    names = forms.NAMES_NEXT.search(sentence)
    if names is None and not is_last:
        return False
    if forms.MANNER.search(sentence) or forms.KEEPS.search(sentence):
        return False
    if names is None and is_last and forms.WORKS_ON_TEXT.match(sentence):
        is_named = forms.ABOVE.search(sentence) or forms.NAMES_TEXT.search(sentence)
        return is_named is not None or len(sentence.split()) <= _FEW_WORDS
    is_task = forms.WORKS_ON_TEXT.match(sentence) or forms.WORKS_ON_THING.match(sentence)
    if is_last and forms.ASKS.match(sentence):
        return bool(forms.NAMES_TEXT.search(sentence) or forms.TO_BE_ANSWERED.search(sentence))
    return names is not None and bool(is_task or (is_last and forms.JUDGES.match(sentence)))


def _asked_above(heads: _Heads) -> Iterator[tuple[int, int]]:
    """Yield what stands above a last line that asks to do something with it."""
    last = next((number for number in range(len(heads) - 1, 0, -1) if heads[number][1].strip()), 0)
    if last and forms.WORKS_ON_TEXT.match(heads[last][1]) and forms.ABOVE.search(heads[last][1]):
        yield 0, heads[last][0]


# -- forms of a sentence -------------------------------------------------------------------------------------


def _sentences(text: str) -> Iterator[tuple[int, int]]:
    low = lowered(text)
    until = 0  # what is before it is others' already: nothing is looked at twice
    for at, line in _lines(low):
        for match in sorted(_supposed(line), key=re.Match.start):
            if at + match.start() < until:
                continue
            start, end = _extent(low, line, at, match)
            if end > start:
                yield start, end
                until = end


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
        return start, _paragraph_end(low, at + behind) if _COLON.search(line, behind, end) else at + end
    if match.re is forms.SAYS_DIRECTLY:
        is_own = forms.OF_ONESELF.search(line, max(0, match.start() - _LOOK_BACK_CHARS), behind)
        return start, start if is_own else at + _sentence_end(line, behind)
    if match["colon"]:
        return start, start if _is_closed(low, at + behind) else _paragraph_end(low, at + behind)
    is_others = (
        forms.CLAUSE_OPENER.match(line, behind)
        if match["within"]
        else not forms.OF_ONES_OWN.match(line, behind)
    )
    return start, at + _sentence_end(line, behind) if is_others else start


def _sentence_end(line: str, at: int) -> int:
    return next((m.end() for m in _SENTENCE_END.finditer(line, at)), len(line))


def _paragraph_end(text: str, at: int) -> int:
    """Return where the paragraph ends in which what stands at *at* goes on; blank lines before it are its."""
    begins = _TEXT.search(text, at)
    found = _PARAGRAPH_END.search(text, begins.start()) if begins else None
    return found.start() if found else len(text)
