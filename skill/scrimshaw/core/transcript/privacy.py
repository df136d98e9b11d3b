"""What the owner keeps to themselves: <private> blocks, their own patterns, whole conversations.

Cut out of every entry before anything looks at it, for the rules as for a model, and once more out of every
prompt. When in doubt it cuts: a block that is not closed reaches to the end of its message, a closing tag
without its opening cuts all before it, and a tag that is written out in an answer counts like one that is
meant. Never from one message into another: `cut` is given one text at a time and remembers nothing.

Time is bounded: tags are found in one pass, patterns look at pieces of bounded size, and those that could
take for ever on an unlucky text are refused when the settings are read (`read_patterns`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from re import _parser as structure  # type: ignore[attr-defined]  # the parser behind re.compile
from typing import Any, NamedTuple

CUT = "[private]"

_LEFT = r"\\?(?:<|&(?:amp;){0,3}(?:lt|#0{0,6}60|#x0{0,6}3c);)"
_RIGHT = r"(?:[\s\\/>\ufffd]|&(?:amp;){0,3}(?:gt|#0{0,6}62|#x0{0,6}3e|nbsp);|$)"
# Where an opening tag ends does not matter: what follows it is cut either way, so that a ">" inside an
# attribute, or one that was forgotten, lets nothing through.
_TAG = re.compile(
    rf"{_LEFT}\s{{0,20}}(?P<closing>/\s{{0,20}})?private(?={_RIGHT})"
    rf"(?(closing)(?:[^<>&]{{0,200}}?(?:>|&(?:amp;){{0,3}}(?:gt|#0{{0,6}}62|#x0{{0,6}}3e);))?)",
    re.IGNORECASE,
)

_PIECE_CHARS = 16_000
_OVERLAP_CHARS = 4_000  # a match of at most so much is found wherever it stands

_MOST_PATTERN_CHARS = 1_000
_MOST_UNBOUNDED = 3
_UNBOUNDED_TIMES = 100
_MOST_NESTED_TIMES = 20


class Patterns(NamedTuple):
    """The owner's patterns, compiled, and what is wrong with the others, each in a sentence."""

    compiled: tuple[re.Pattern[str], ...]
    problems: tuple[str, ...]


def cut(text: str, patterns: tuple[re.Pattern[str], ...] = ()) -> tuple[str, int]:
    """Return *text* with each private part as one `[private]`, and how many there were.

    Doing it again changes nothing, as long as no pattern matches `[private]` itself.
    """
    parts = _joined([*_blocks(text), *(span for pattern in patterns for span in _matches(pattern, text))])
    if not parts:
        return text, 0
    kept, position = [], 0
    for start, end in parts:
        kept += [text[position:start], CUT]
        position = end
    return "".join([*kept, text[position:]]), len(parts)


def is_private_session(session_key: str, session_id: str, patterns: tuple[str, ...]) -> bool:
    """Whether nothing of the session may be sent: its key or id is like one of *patterns*, with `*` and `?`.

    A session of which the host no longer says the key could be any of them, and counts as private; what
    belongs to no session (a person's own line) does not.
    """
    if not patterns or not (session_key or session_id):
        return False
    if not session_key:
        return True
    names = (session_key.lower(), session_id.lower())
    return any(_is_like(name, pattern.strip().lower()) for pattern in patterns for name in names if name)


@lru_cache(maxsize=32)
def read_patterns(patterns: tuple[str, ...]) -> Patterns:
    """Return *patterns* compiled for any case; one that is no pattern, or a dangerous one, is a problem."""
    compiled, problems = [], []
    for pattern in patterns:
        try:
            problem = _danger(pattern)
            made = re.compile(pattern, re.IGNORECASE)
        except (re.error, RecursionError, OverflowError) as error:
            problem = f"is no regular expression ({error})"
        if problem:
            problems.append(f"{pattern[:60]!r} {problem}")
        else:
            compiled.append(made)
    return Patterns(tuple(compiled), tuple(problems))


# -- blocks and matches --------------------------------------------------------------------------------------


def _blocks(text: str) -> Iterator[tuple[int, int]]:
    """Yield the spans of private blocks; nested ones are one."""
    depth = start = ended = 0
    for tag in _TAG.finditer(text) if "<" in text or "&" in text else ():
        if tag["closing"] is None:
            start = start if depth else tag.start()
            depth += 1
        elif depth <= 1:
            # A closing tag alone: the opening one was probably misspelt, so everything before it counts as
            # private.
            yield (start if depth else ended), tag.end()
            depth, ended = 0, tag.end()
        else:
            depth -= 1
    if depth:
        yield start, len(text)


def _matches(pattern: re.Pattern[str], text: str) -> Iterator[tuple[int, int]]:
    for start in range(0, max(len(text) - _OVERLAP_CHARS, 1), _PIECE_CHARS - _OVERLAP_CHARS):
        for match in pattern.finditer(text, start, min(start + _PIECE_CHARS, len(text))):
            if match.end() > match.start():
                yield match.span()


def _joined(spans: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return *spans* in order, overlapping ones as one."""
    joined: list[tuple[int, int]] = []
    for start, end in sorted(spans):
        if joined and start < joined[-1][1]:
            joined[-1] = (joined[-1][0], max(end, joined[-1][1]))
        else:
            joined.append((start, end))
    return joined


def _is_like(name: str, pattern: str) -> bool:
    """Whether *name* is as *pattern* says; takes at most the product of their lengths."""
    at = star = mark = position = 0
    has_star = False
    while position < len(name):
        if at < len(pattern) and pattern[at] == "*":
            has_star, star, mark = True, at, position
            at += 1
        elif at < len(pattern) and pattern[at] in ("?", name[position]):
            at, position = at + 1, position + 1
        elif has_star:
            mark += 1
            at, position = star + 1, mark
        else:
            return False
    return not pattern[at:].strip("*")


# -- patterns that could take for ever -----------------------------------------------------------------------


def _danger(pattern: str) -> str:
    """Return why *pattern* may not be used, or ""; raises re.error when it is none."""
    if len(pattern) > _MOST_PATTERN_CHARS:
        return f"is longer than {_MOST_PATTERN_CHARS} characters"
    parsed = structure.parse(pattern, re.IGNORECASE)
    repeats = list(_repeats(parsed))
    if any(most > _MOST_NESTED_TIMES and _is_ambiguous(body) for _, most, body in repeats):
        return "repeats what is itself repeated or a choice, which can take for ever; bound it: {1,20}"
    if sum(most - least >= _UNBOUNDED_TIMES for least, most, _ in repeats) > _MOST_UNBOUNDED:
        return f"repeats without bound more than {_MOST_UNBOUNDED} times; bound some of them: {{1,80}}"
    made = re.compile(pattern, re.IGNORECASE)
    if made.match("") or not parsed.getwidth()[1]:
        return "matches the empty text, so it says nothing of what is private"
    if made.search(CUT):
        return f"matches {CUT!r} too (any case counts), which stands for what was cut"
    return ""


def _repeats(parsed: Any) -> Iterator[tuple[int, int, Any]]:  # noqa: ANN401  # the parser's own nested lists
    for what, said in _nodes(parsed):
        if str(what) in ("MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT"):
            yield int(said[0]), int(said[1]), said[2]


def _nodes(parsed: Any) -> Iterator[tuple[Any, Any]]:  # noqa: ANN401  # the parser's own nested lists
    """Yield every node of a parsed pattern, whatever it stands in."""
    if isinstance(parsed, structure.SubPattern):
        for node in parsed:
            yield node
            yield from _nodes(node[1])
    elif isinstance(parsed, list | tuple):
        for part in parsed:
            yield from _nodes(part)


def _is_ambiguous(body: Any) -> bool:  # noqa: ANN401  # the parser's own nested lists
    """Whether a text could be read as *body* in several ways, which a repeat of it would multiply."""
    if any(least != most for least, most, _ in _repeats(body)):
        return True
    for what, said in _nodes(body):
        if str(what) == "BRANCH":
            heads = [str(branch[0]) if len(branch) else "" for branch in said[1]]
            is_clear = all(head.startswith("(LITERAL,") for head in heads)
            if not is_clear or len(set(heads)) < len(heads):
                return True
    return False
