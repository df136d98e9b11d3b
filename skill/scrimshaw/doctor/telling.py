"""An examination in words and as an object. Words and shapes only; nothing here decides."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator

from scrimshaw.core.text.plural import counted
from scrimshaw.doctor.finding import Examination, Finding, Group, Severity

_WIDTH = 108
_MARKS = {Severity.OK: "ok", Severity.NOTE: "note", Severity.WARNING: "WARNING", Severity.ERROR: "ERROR"}
_COMMAND = re.compile(r"\bscrimshaw [a-z-]+(?: (?:[a-z]*install|status|test|--[a-z-]+|[A-Z]{2,})\b)*")
_MARK_WIDTH, _TOPIC_WIDTH = 9, 17


def lines_of(examination: Examination) -> list[str]:
    """Return *examination* as lines for a person: a line for what is well, a block for what is not."""
    lines: list[str] = []
    for group in examination.groups:
        lines += [_one_line(f"{group.name}  {group.place}".rstrip()), *_group(group), ""]
    lines += [_one_line(f"Mended: {done}") for done in examination.mended]
    lines += [_one_line(f"Not mended: {problem}") for problem in examination.unmended]
    if examination.mended or examination.unmended:
        lines.append("")
    return [*lines, summary(examination)]


def summary(examination: Examination) -> str:
    """Return the last line: the sum, and what can be mended."""
    counts = [
        _count(examination.count(Severity.ERROR), "error"),
        _count(examination.count(Severity.WARNING), "warning"),
        _count(examination.count(Severity.NOTE), "note"),
    ]
    told = ", ".join(filter(None, counts)) or "Everything is well"
    if examination.fixable:
        told += f"; {examination.fixable} can be mended: scrimshaw doctor --fix"
    return f"{told}."


def _group(group: Group) -> Iterator[str]:
    # What is worse comes first, what is well last; within, the order of the checks.
    for finding in sorted(group.findings, key=lambda finding: -finding.severity):
        yield from _block(finding)


def _block(finding: Finding) -> Iterator[str]:
    head = f"  {_MARKS[finding.severity]:<{_MARK_WIDTH}}{_one_line(finding.topic):<{_TOPIC_WIDTH}} "
    indent = " " * len(head)
    yield from _wrapped(head, indent, _one_line(finding.what))
    if finding.is_fixable:
        yield f"{indent}Next: scrimshaw doctor --fix"
    steps = [_one_line(step) for step in finding.next_step]
    if len(steps) == 1:
        yield from _step(f"{indent}Next: ", steps[0])
    elif steps:
        yield f"{indent}Next:"
        for number, step in enumerate(steps, 1):
            yield from _step(f"{indent}{number}. ", step)


def _step(head: str, step: str) -> list[str]:
    # A command with a path is to be copied: a line break in it would run half of it.
    return [head + step] if "/" in step else _wrapped(head, " " * len(head), step)


def _wrapped(head: str, indent: str, text: str) -> list[str]:
    # Nor may a command: half of it in the next line is none.
    kept = _COMMAND.sub(lambda found: found[0].replace(" ", "\0"), text)
    lines = textwrap.wrap(
        kept,
        _WIDTH,
        initial_indent=head,
        subsequent_indent=indent,
        break_long_words=False,  # a path or a command must stay in one piece
        break_on_hyphens=False,
    )
    return [line.replace("\0", " ") for line in lines] or [head.rstrip()]


def _one_line(text: str) -> str:
    # A name from the host may hold a line break, and would pass for lines of ours.
    return "".join(character if character.isprintable() else "\ufffd" for character in text)


def _count(number: int, noun: str) -> str:
    return counted(number, noun) if number else ""
