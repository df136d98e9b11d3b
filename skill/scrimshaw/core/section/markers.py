"""Where our section stands in MEMORY.md, and how its body is put there and taken out.

Markdown decides what is a heading, a fence or a comment (markdown-it-py); the text itself is never
rendered again, only the characters between our markers are replaced (promise 1). A marker counts as a
line of its own at the top level, outside code and outside other comments; anything else that looks like
one is data. Text is decoded by the caller with `surrogateescape`, so every byte survives. Knows nothing
of lines, budgets or files.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from scrimshaw.core.section.budget import units, utf16_units

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

HEADING = "## Observations"
OPENING = "Notes from past sessions;"  # what a body of ours begins with
BEGIN = "<!-- scrimshaw:begin -->"
END = "<!-- scrimshaw:end -->"

_MARKER = re.compile(r"[ \t]*<!--[ \t]*scrimshaw:(begin|end)[ \t]*-->(.*)", re.DOTALL)
# A list with one line an item, under headings and dates of ours: what the section shows as it was.
_LISTED = re.compile(r"- \S.*|#{2,3} (?:Standing|Open|Log)|\d{4}-\d\d-\d\d|\s*")
NEWLINE = re.compile(r"\r\n|\r|\n")
_FIRST_NEWLINE = re.compile(r"\A(?:\r\n|\r|\n)")
# What a text in UTF-16 begins with, read as UTF-8 with `surrogateescape`.
_UTF_16 = ("\udcff\udcfe", "\udcfe\udcff")
OTHER_ENCODING = "the file is UTF-16, not UTF-8"
CONFLICT = "two versions, as a merge has left them"
# Two versions of some lines, as git leaves them for its owner to choose from.
_CONFLICT = ("<<<<<<< ", "=======", ">>>>>>> ")
LAST_NEWLINE = re.compile(r"(?:\r\n|\r|\n)\Z")


class Absent(NamedTuple):
    """Neither markers nor heading: a section would be added at the end."""


class Unmarked(NamedTuple):
    """The heading without our markers; *content* (newlines as "\\n") is lines to import (rule 4)."""

    start: int  # offset behind the heading's line
    end: int  # offset behind the content
    content: str
    line: int  # of the heading, counted from 1

    @property
    def is_kept(self) -> bool:
        """Whether *content* stays where it is, to the byte, with our block below it.

        So does whatever is more than a list of lines: a table, a fence, what is indented. Our own text that
        has lost its markers does not.
        """
        content = self.content.strip()
        is_list = all(_LISTED.fullmatch(row) for row in content.split("\n"))
        return not is_list and not content.startswith(OPENING)


class Owned(NamedTuple):
    """One pair of markers; *inner* is what stands between them, newlines as "\\n", without the last."""

    start: int  # offset behind the begin marker's line
    end: int  # offset of the end marker's line
    inner: str
    first_line: int  # of the begin marker, counted from 1
    last_line: int  # of the end marker


class Damaged(NamedTuple):
    """Markers that do not pair up, or a file that cannot take a section; nothing may be written."""

    problems: tuple[str, ...]


class Mending(NamedTuple):
    """What is wrong with a file that cannot take a section, and what its owner does about it."""

    what: str
    step: str


def mending(problems: Sequence[str]) -> Mending:
    """Return what to tell of a damaged file with these *problems*."""
    if OTHER_ENCODING in problems:
        return Mending("no section can be read or written there", "save it as UTF-8")
    if any(problem.endswith(CONFLICT) for problem in problems):
        step = "choose between the two versions, and remove the marks of the merge"
        return Mending("a merge conflict is left in the section", step)
    return Mending(
        "the begin and end markers of the section do not match",
        "leave one begin and one end marker, each in a line of its own, or remove both",
    )


State = Absent | Unmarked | Owned | Damaged


class Document(NamedTuple):
    """A file's text with the state of our section in it, and the newline that our block uses."""

    text: str
    state: State
    newline: str


@cache
def _blocks() -> MarkdownIt:
    """Return the parser, loaded when a text is to be parsed: most runs find the text they wrote."""
    from markdown_it import MarkdownIt

    parser = MarkdownIt("commonmark")
    # Blocks are all we ask for: inline parsing would cost ten times as much and tell nothing more.
    parser.core.ruler.enableOnly(["normalize", "block"])
    return parser


def parse(text: str, *, is_ours: bool = False) -> Document:
    """Return where our section stands in *text*.

    *is_ours*: the caller knows that `put` made this very text (its hash is that of a revision), so its
    markers have been seen to hold; where each occurs once, nothing needs to be parsed again.
    """
    newline = newline_of(text)
    if is_ours and text.count(BEGIN) == 1 and text.count(END) == 1:
        return _as_put(text, newline)
    if not text:
        return Document(text, Absent(), newline)
    if text.startswith(_UTF_16) and "\0" in text:
        return Document(text, Damaged((OTHER_ENCODING,)), newline)
    offsets = _line_offsets(text)
    tokens = _blocks().parse(text.removeprefix("\ufeff"))
    lines = [text[start:end] for start, end in zip(offsets, [*offsets[1:], len(text)], strict=True)]
    markers = list(_markers(tokens, lines))
    problems = _conflicts(lines, markers[0].line, markers[-1].line + 1) if markers else ()
    problems = problems or _problems(markers)
    if problems:
        return Document(text, Damaged(problems), newline)
    if markers:
        first, last = markers[0].line, markers[1].line
        start, end = offsets[first + 1], offsets[last]
        inner = LAST_NEWLINE.sub("", NEWLINE.sub("\n", text[start:end]))
        return Document(text, Owned(start, end, inner, first + 1, last + 1), newline)
    heading = _heading(tokens, len(lines))
    if heading:
        if problems := _conflicts(lines, heading.last_line, heading.next_line):
            return Document(text, Damaged(problems), newline)
        found = _unmarked(text, offsets, lines, heading)
        probe = _beside(text, found.end, f"{BEGIN}{newline}{END}", newline) if found.is_kept else ""
        return Document(text, _or_unable(found, probe) if probe else found, newline)
    probe = f"{text}{newline if text else ''}{HEADING}{newline}{BEGIN}{newline}{END}{newline}"
    return Document(text, _or_unable(Absent(), probe), newline)


def _as_put(text: str, newline: str) -> Document:
    first_line, last_line = (len(NEWLINE.findall(text, 0, text.index(mark))) + 1 for mark in (BEGIN, END))
    behind = NEWLINE.search(text, text.index(BEGIN))
    start, end = behind.end() if behind else len(text), text.index(END)
    inner = LAST_NEWLINE.sub("", NEWLINE.sub("\n", text[start:end]))
    return Document(text, Owned(start, end, inner, first_line, last_line), newline)


def swallows(text: str) -> bool:
    """Tell whether a marker below *text* would be read as part of it: a fence or raw HTML is left open."""
    lines = [*text.split("\n"), END]
    return not any(
        marker.line == len(lines) - 1 for marker in _markers(_blocks().parse("\n".join(lines)), lines)
    )


def put(document: Document, body: str) -> str:
    """Return the file's text with *body* as the section; every character outside the markers is kept.

    *body* is of core/section/select, lines apart by "\\n". A body that is there already comes back as the
    same text. A damaged document is refused with ValueError: the caller asks for its state first.
    """
    newline = document.newline
    block = newline.join([BEGIN, *body.split("\n"), END]) if body else newline.join([BEGIN, END])
    match document.state:
        case Owned(start, end, inner):
            if inner == body:
                return document.text
            lines = newline.join([*body.split("\n"), ""]) if body else ""
            text = document.text[:start] + lines + document.text[end:]
        case Unmarked(end=end) if document.state.is_kept:
            text = _beside(document.text, end, block, newline)
        case Unmarked(start, end):
            before, after = document.text[:start], document.text[end:]
            gap = "" if LAST_NEWLINE.search(before) else newline
            tail = "" if not after or LAST_NEWLINE.match(after) or after[0] in "\r\n" else newline
            text = before + gap + block + (tail or ("" if after else newline)) + after
        case Absent():
            # Always exactly one newline before it: so `take_out` gives the bytes back without a note of them.
            text = document.text + separator(document.text, newline) + HEADING + newline + block + newline
        case Damaged(problems):
            raise ValueError("; ".join(problems))
    state = parse(text).state
    if not isinstance(state, Owned) or state.inner != body:
        raise ValueError(f"the body would not be read back as it is: {type(state).__name__}")
    return text


def _beside(text: str, end: int, block: str, newline: str) -> str:
    """Return *text* with *block* in lines of its own behind *end*.

    With one newline more, of the kind that stands there: so `take_out` gives the bytes back.
    """
    behind = NEWLINE.match(text, end)
    return text[:end] + (behind[0] if behind else newline) + block + text[end:]


def take_out(document: Document) -> str:
    """Return the text without heading and block; as it was before, when nothing was written behind them.

    A heading the person renamed or moved stays. Without our markers the text comes back as it is.
    """
    if not isinstance(document.state, Owned):
        return document.text
    text, state = document.text, document.state
    offsets = [*_line_offsets(text), len(text)]
    first, last = state.first_line - 1, state.last_line - 1
    if first and text[offsets[first - 1] : offsets[first]].lstrip("\ufeff").strip() == HEADING:
        first -= 1
    before, after = text[: offsets[first]], text[offsets[last + 1] :]
    if text.startswith("\ufeff") and not before:
        before = "\ufeff"
    # Below text of its owner's own the newline behind the block is theirs: then the one before it was ours.
    is_below = first == state.first_line - 1 and LAST_NEWLINE.search(text)
    return before + after if after or is_below else LAST_NEWLINE.sub("", before)


def is_below_own(document: Document) -> bool:
    """Tell whether text of its owner stands between the heading and our block (`Unmarked.is_kept`)."""
    if not isinstance(document.state, Owned):
        return False
    is_text_there = False
    for line in reversed(NEWLINE.split(document.text[: document.state.start])[:-2]):
        if line.startswith(("# ", "## ")):
            return is_text_there and line.strip().casefold() == HEADING.casefold()
        is_text_there = is_text_there or bool(line.strip())
    return False


def stood_there(document: Document) -> tuple[str | None, tuple[str, ...]]:
    """Return what `put` would replace, to the byte, and which newlines it would add: "before", "behind".

    None where it replaces nothing, so that `take_out` gives the bytes back.
    """
    state, text = document.state, document.text
    if not isinstance(state, Unmarked) or state.is_kept:
        return None, ()
    before, after = text[: state.start], text[state.end :]
    needed = {"before": before[-1:] not in ("\r", "\n"), "behind": after[:1] not in ("\r", "\n")}
    return text[state.start : state.end], tuple(name for name, is_needed in needed.items() if is_needed)


def put_back(document: Document, stood: tuple[str | None, tuple[str, ...]]) -> str:
    """Return the text without our section, with what `stood_there` before it was first put."""
    content, newlines = stood
    if content is None or not isinstance(document.state, Owned):
        return take_out(document)
    text, state = document.text, document.state
    # The markers' own lines, whatever spaces a formatter has put into them.
    before = text[: text.rindex("<!--", 0, state.start)]
    after = text[text.index("-->", state.end) + len("-->") :]
    shorter = _FIRST_NEWLINE.sub("", after)
    # Text added after the section later stays on a line of its own.
    if "behind" in newlines and (not shorter or (before + content)[-1:] in ("\r", "\n")):
        after = shorter
    if "before" in newlines and not content + after:
        before = LAST_NEWLINE.sub("", before)
    return before + content + after


def rest_units(document: Document) -> int:
    """Return the units of MEMORY.md beside heading, markers and body, for `budget.allowance`."""
    if isinstance(document.state, Damaged):
        return utf16_units(document.text)
    # An empty section has one newline less than the frame: the one behind the body.
    if isinstance(document.state, Owned):
        empty = document.text[: document.state.start] + document.text[document.state.end :]
    else:
        empty = put(document, "")
    return max(0, utf16_units(empty) - frame_units(document) + len(document.newline))


def frame_units(document: Document) -> int:
    """Return the units of heading and markers, and of the newlines that join them to the body."""
    return units(HEADING + BEGIN + END) + 3 * len(document.newline)


class _Marker(NamedTuple):
    word: str  # "begin" or "end"
    line: int  # counted from 0
    beside: str  # what else stands in its line


def _markers(tokens: list[Token], lines: list[str]) -> Iterator[_Marker]:
    for token in tokens:
        if token.type != "html_block" or token.level or token.map is None:
            continue
        is_comment_open = False
        for number in range(*token.map):
            found = None if is_comment_open else _MARKER.match(lines[number].lstrip("\ufeff"))
            if found:
                yield _Marker(found[1], number, found[2].strip())
                continue
            # What counts is whether the line leaves a comment open, whatever it closed before.
            is_comment_open = _leaves_open(lines[number], is_comment_open)


def _leaves_open(line: str, is_open: bool) -> bool:
    at = 0
    while True:
        at = line.find("-->" if is_open else "<!--", at)
        if at < 0:
            return is_open
        at += 3 if is_open else 4
        is_open = not is_open


def _conflicts(lines: Sequence[str], first: int, behind: int) -> tuple[str, ...]:
    """Return what is wrong where a merge conflict reaches into the lines from *first* on."""
    found, begins = [], 0
    left = list(_CONFLICT)
    for number, line in enumerate(lines):
        if line.startswith(_CONFLICT[0]):
            begins, left = number, list(_CONFLICT[1:])
        elif line.rstrip().startswith(left[0].rstrip()) and left[0] != _CONFLICT[0]:
            del left[0]
        if not left:
            left = list(_CONFLICT)
            if begins < behind and number >= first:
                found.append(f"lines {begins + 1} to {number + 1}: {CONFLICT}")
    return tuple(found)


def _problems(markers: list[_Marker]) -> tuple[str, ...]:
    """Return what is wrong with the markers, with line numbers; () when they are absent or a pair."""
    found = [
        f"line {marker.line + 1}: text stands beside the {marker.word} marker: {marker.beside[:40]!r}"
        for marker in markers
        if marker.beside
    ]
    if not markers or [marker.word for marker in markers] == ["begin", "end"]:
        return tuple(found)
    for word in ("begin", "end"):
        at = [str(marker.line + 1) for marker in markers if marker.word == word]
        if not at:
            found.append(f"the {word} marker is missing ({_where(markers)})")
        elif len(at) > 1:
            found.append(f"the {word} marker occurs {len(at)} times (lines {', '.join(at)})")
    if markers[0].word == "end" and len(markers) == 2:
        found.append(f"the end marker stands before the begin marker ({_where(markers)})")
    return tuple(found)


def _where(markers: list[_Marker]) -> str:
    return ", ".join(f"{marker.word} on line {marker.line + 1}" for marker in markers)


class _Heading(NamedTuple):
    last_line: int  # the line behind it
    next_line: int  # where its text ends: the next heading as high, or the end


def _heading(tokens: list[Token], line_count: int) -> _Heading | None:
    """Return the first `## Observations` at the top level."""
    found: int | None = None
    for number, token in enumerate(tokens):
        if token.type != "heading_open" or token.level or token.map is None:
            continue
        if found is not None and token.tag in ("h1", "h2"):
            return _Heading(found, token.map[0])
        title = tokens[number + 1].content.strip().casefold()
        if found is None and token.tag == "h2" and title == "observations":
            found = token.map[1]
    return None if found is None else _Heading(found, line_count)


def _unmarked(text: str, offsets: list[int], lines: list[str], heading: _Heading) -> Unmarked:
    first, last = heading.last_line, heading.next_line
    while last > first and not lines[last - 1].strip():
        last -= 1
    bounds = [*offsets, len(text)]
    start, end = bounds[first], bounds[last]
    if last > first:
        # The newline behind the content stays outside: what follows keeps its distance.
        end = bounds[last - 1] + len(LAST_NEWLINE.sub("", lines[last - 1]))
    return Unmarked(start, end, NEWLINE.sub("\n", text[start:end]), first)


def _or_unable(state: State, probe: str) -> State:
    """Return *state* when the section in *probe* is read as one; else what stands in its way."""
    offsets = _line_offsets(probe)
    lines = [probe[start:end] for start, end in zip(offsets, [*offsets[1:], len(probe)], strict=True)]
    tokens = _blocks().parse(probe.removeprefix("\ufeff"))
    if [marker.word for marker in _markers(tokens, lines)] == ["begin", "end"]:
        return state
    opened = max((token.map[0] for token in tokens if token.map and not token.level), default=0)
    what = "a code fence or a comment begins there and is never closed; a section cannot be added behind it"
    return Damaged((f"line {opened + 1}: {what}",))


def newline_of(text: str) -> str:
    """Return the newline most of *text* uses; the first one met wins a tie."""
    found = NEWLINE.findall(text)
    return max(("\n", "\r\n"), key=found.count) if found else "\n"


def separator(text: str, newline: str) -> str:
    """Return one newline; of the kind *text* ends in, because "\\r" and "\\n" would become one."""
    last = LAST_NEWLINE.search(text)
    return "" if not text else last[0] if last else newline


def _line_offsets(text: str) -> list[int]:
    """Return where each line begins, as markdown-it counts lines (its first line may hold a BOM)."""
    starts = [0, *(found.end() for found in NEWLINE.finditer(text))]
    return starts[:-1] if len(starts) > 1 and starts[-1] == len(text) else starts
