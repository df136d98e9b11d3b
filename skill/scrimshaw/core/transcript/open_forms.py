"""Forms of others' words without an end: a mail's head, a chat, a page, a letter, "Translate:".

The rest of the message is others', since no form tells a mail's next paragraph from the person's.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from scrimshaw.core.text.normalize import lowered
from scrimshaw.core.transcript import paste_forms as forms
from scrimshaw.core.transcript.introductions import (
    DATED,
    HEAD_CHARS,
    OTHERS,
    SENTENCE_END,
    hands_over,
    is_blank,
    is_closed,
    is_lead_in,
    is_retold,
    is_task,
    line_starts,
    spoken_from,
)

_NAME_WORDS = 4
_QUESTION_WORDS = 8
_PARTICLES = frozenset(["von", "van", "de", "der", "den", "da", "del", "zu"])


def open_spans(text: str) -> Iterator[tuple[int, int]]:
    """Yield the one place from which on all that follows is others', and a letter that ends before it."""
    heads = [(at, lowered(line[:HEAD_CHARS]), line[:HEAD_CHARS]) for at, line in line_starts(text)]
    finders = (_machine_at, _mail_at, _chat_at, _page_at, _letter_at, _handed_on_at, _introduced_at)
    if found := [at for finds in finders if (at := finds(heads, text)) >= 0]:
        yield min(found), len(text)
    yield from _asked_above(heads)
    yield from _led_in(heads)


# Of each line: where it begins, its first letters in lower case, and as written.
_Heads = list[tuple[int, str, str]]


def _led_in(heads: _Heads) -> Iterator[tuple[int, int]]:
    """Yield the lines with which a mail program leads a quotation in: "On 4 Nov 2026, Bob <…> wrote:"."""
    for number, (at, low, _) in enumerate(heads):
        if not low.rstrip().endswith(":") or not forms.ATTRIBUTES.search(low):
            continue
        above, over, _ = heads[number - 1] if number else (at, "", "")
        if is_lead_in(low) or forms.ADDRESS.search(low):
            yield at, at + len(low)
        elif len(low.split()) == 1 and DATED.match(over):
            yield above, at + len(low)  # broken at the end of the line


def _machine_at(heads: _Heads, _text: str) -> int:
    """Return where a mark of a role, a role that orders, or a log begins; -1 without one."""
    for at, low, line in heads:
        if forms.ROLE_MARK.match(low) or forms.ROLE_ORDERS.match(low) or forms.LOG_LINE.match(line):
            return at
    return -1


def _handed_on_at(heads: _Heads, _text: str) -> int:
    """Return where a text begins below a line that says where it comes from, or a question about it alone."""
    first = next((number for number, (_, low, _) in enumerate(heads) if low.strip()), 0)
    for number, (_, low, _) in enumerate(heads[:-1]):
        at, below, _ = heads[number + 1]
        is_question = number == first and not below.strip() and len(low.split()) <= _QUESTION_WORDS
        if not (is_question and forms.ASKED_ALONE.match(low)) and not forms.CAME_THIS.match(low):
            continue
        if not forms.KEEPS.search(low) and _goes_on(heads, number):
            return at
    return -1


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
            has_links |= bool(forms.LINK.search(low)) or OTHERS in line
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
        and not is_task(above)
        and not forms.FROM_SOMEBODY.search(above)
    )


def _block_start(heads: _Heads, number: int) -> int:
    """Return where what stands above line *number* begins: behind the first paragraph that leads in."""
    for before in range(number - 1, -1, -1):
        if heads[before][1].rstrip().endswith((":", "?")) or is_task(heads[before][1]):
            return heads[before + 1][0]
    return 0


def _letter_at(heads: _Heads, text: str) -> int:
    """Return where a letter begins that somebody signed; -1 without one."""
    for number, (at, low, _) in enumerate(heads):
        tail = _line(heads, number, text)[-HEAD_CHARS:]
        signed = forms.SIGNED.search(lowered(tail)) or forms.DASHED_WITHIN.search(lowered(tail))
        if number and signed is None and at + len(tail) == _end(heads, number, text):
            signed = forms.DASHED_NAME.match(lowered(tail))
        is_signed = signed is not None and _is_name(tail[signed.start("name") : signed.end("name")])
        is_closed = number > 0 and forms.CLOSED.match(low) and _is_closing(heads, number)
        if is_signed or is_closed or (number and forms.SENT_FROM.match(low)):
            greeted = next((at for at, one, _ in heads[: number + 1] if forms.GREETING.match(one)), -1)
            return greeted if greeted >= 0 else _block_start(heads, number)
    return -1


def _is_closing(heads: _Heads, number: int) -> bool:
    """Whether a name stands below the closing line, or nothing and a formal greeting above."""
    if below := _next_text(heads, number):
        return _is_name(below)
    return not _goes_on(heads, number) and any(forms.FORMAL.match(low) for _, low, _ in heads[:number])


def _end(heads: _Heads, number: int, text: str) -> int:
    return heads[number + 1][0] - 1 if number + 1 < len(heads) else len(text)


def _line(heads: _Heads, number: int, text: str) -> str:
    return text[heads[number][0] : _end(heads, number, text)]


def _introduced_at(heads: _Heads, text: str) -> int:
    """Return where what somebody introduces begins: behind "Translate:", "Bob wrote:", "a story about"."""
    for number, (at, _, _) in enumerate(heads):
        line = lowered(_line(heads, number, text))
        if is_blank(line):
            continue
        start, spoken = 0, -2
        for end in [*(m.end() for m in SENTENCE_END.finditer(line)), len(line)]:
            sentence, found = line[start : min(end, start + HEAD_CHARS)], -1
            is_last = end >= len(line.rstrip())
            if (behind := spoken_from(sentence, line[max(0, end - HEAD_CHARS) : end])) >= 0:
                found = start + behind
                if spoken < -1:  # once a line: it may hold thousands of sentences
                    spoken = max((m.start() for m in forms.DIRECT_SPEECH.finditer(line)), default=-1)
                if spoken < found and is_retold(sentence[:behind], line[found : found + HEAD_CHARS]):
                    found = -1
            elif (not is_last or _goes_on(heads, number)) and hands_over(sentence, is_last=is_last):
                found = end
            if found >= 0 and not is_closed(text, at + found):
                return at + found
            start = end
    return -1


def _goes_on(heads: _Heads, number: int) -> bool:
    return any(other.strip() for _, other, _ in islice(heads, number + 1, None))


def _asked_above(heads: _Heads) -> Iterator[tuple[int, int]]:
    """Yield what stands above a last line that asks to do something with it."""
    last = next((number for number in range(len(heads) - 1, 0, -1) if heads[number][1].strip()), 0)
    if last and forms.WORKS_ON_TEXT.match(heads[last][1]) and forms.ABOVE.search(heads[last][1]):
        yield 0, heads[last][0]
