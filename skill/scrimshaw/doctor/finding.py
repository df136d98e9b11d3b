"""What the doctor says: findings in groups, what a whole examination comes to, and its words.

A finding is a complete sentence about one topic, with how bad it is, what to do next, and whether
`scrimshaw doctor --fix` does that. `ok` is a finding, too: what was looked at and is well is said in a line.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import IntEnum, StrEnum
from typing import Any, Literal

from scrimshaw.core.text.plural import counted
from scrimshaw.errors import Exit
from scrimshaw.services.results import JsonResult
from scrimshaw.workspace import Target


class Severity(IntEnum):
    """How bad it is; more is worse."""

    OK = 0
    NOTE = 1  # good to know; nothing to do
    WARNING = 2  # works, but not as it should, or not for long
    ERROR = 3  # the memory does not work, or does not reach the agent


class Mend(StrEnum):
    """What `--fix` may do by itself: each leaves MEMORY.md and the host's files alone."""

    PERMISSIONS = "permissions"  # of our own folder and files
    LEFTOVERS = "leftovers"  # temporary files of ours that a killed run left
    ARCHIVE = "archive"  # what is still owed to the dated files
    INTENT = "intent"  # a revision of which a kill left open whether it was written
    HEARTBEAT = "heartbeat"  # a sign of life of a daemon that is gone, or that cannot be read


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was looked at. *next_step* are commands or acts, in their order; empty when none."""

    severity: Severity
    topic: str
    what: str
    next_step: tuple[str, ...] = ()
    mend: Mend | None = None

    @property
    def is_fixable(self) -> bool:
        """Whether `--fix` mends it."""
        return self.mend is not None

    def to_dict(self) -> dict[str, Any]:
        """Return it as `scrimshaw doctor --json` prints it."""
        return {
            "severity": self.severity.name.lower(),
            "topic": self.topic,
            "what": self.what,
            "next_step": list(self.next_step),
            "is_fixable": self.is_fixable,
            "mend": self.mend.value if self.mend else None,
        }


def ok(topic: str, what: str) -> Finding:
    return Finding(Severity.OK, topic, what)


def note(topic: str, what: str, *next_step: str, mend: Mend | None = None) -> Finding:
    return Finding(Severity.NOTE, topic, what, next_step, mend)


def warning(topic: str, what: str, *next_step: str, mend: Mend | None = None) -> Finding:
    return Finding(Severity.WARNING, topic, what, next_step, mend)


def error(topic: str, what: str, *next_step: str) -> Finding:
    return Finding(Severity.ERROR, topic, what, next_step)


@dataclass(frozen=True, slots=True)
class Group:
    """The findings about one place: the machine, a host's state directory, or a workspace."""

    kind: Literal["machine", "host", "workspace"]
    name: str
    place: str
    findings: tuple[Finding, ...]
    target: Target | None = None  # of a workspace that could be looked at


@dataclass(frozen=True, slots=True)
class Examination(JsonResult):
    """Everything that was found; *mended* is what `--fix` did before, in sentences."""

    at: str  # ISO 8601
    groups: tuple[Group, ...]
    mended: tuple[str, ...] = ()
    unmended: tuple[str, ...] = ()

    @property
    def findings(self) -> tuple[Finding, ...]:
        """Every finding of every group."""
        return tuple(finding for group in self.groups for finding in group.findings)

    def count(self, severity: Severity) -> int:
        """Return how many findings are of *severity*."""
        return sum(finding.severity is severity for finding in self.findings)

    @property
    def fixable(self) -> int:
        """How many findings `--fix` would see to."""
        return sum(finding.is_fixable for finding in self.findings)

    @property
    def exit_code(self) -> Exit:
        """0 when nothing is worse than a note, 3 for warnings, 1 for errors."""
        worst = max((finding.severity for finding in self.findings), default=Severity.OK)
        return {Severity.ERROR: Exit.MENDABLE, Severity.WARNING: Exit.PARTLY}.get(worst, Exit.OK)

    def to_dict(self) -> dict[str, Any]:
        """Return it as `scrimshaw doctor --json` prints it."""
        return {
            "at": self.at,
            "exit_code": int(self.exit_code),
            "errors": self.count(Severity.ERROR),
            "warnings": self.count(Severity.WARNING),
            "notes": self.count(Severity.NOTE),
            "fixable": self.fixable,
            "groups": [
                {
                    "kind": group.kind,
                    "name": group.name,
                    "place": group.place,
                    "findings": [finding.to_dict() for finding in group.findings],
                }
                for group in self.groups
            ],
            "mended": list(self.mended),
            "not_mended": list(self.unmended),
        }


def all_ok(findings: Iterable[Finding]) -> bool:
    """Tell whether nothing in *findings* is worse than well."""
    return all(finding.severity is Severity.OK for finding in findings)


_WIDTH = 108
_MARKS = {Severity.OK: "ok", Severity.NOTE: "note", Severity.WARNING: "WARNING", Severity.ERROR: "ERROR"}
_COMMAND = re.compile(r"\bscrimshaw [a-z-]+(?: (?:[a-z]*install|status|test|--[a-z-]+|[A-Z]{2,})\b)*")
_MARK_WIDTH, _TOPIC_WIDTH = 9, 17


def finding_lines(examination: Examination) -> list[str]:
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
    counts = {one: examination.count(one) for one in (Severity.ERROR, Severity.WARNING, Severity.NOTE)}
    told = ", ".join(counted(count, one.name.lower()) for one, count in counts.items() if count)
    told = told or "Everything is well"
    if examination.fixable:
        told += f"; {examination.fixable} can be mended: scrimshaw doctor --fix"
    return f"{told}."


def _group(group: Group) -> Iterator[str]:
    # Worst severity first; equal ones in the order of the checks.
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
    # A command must not be wrapped either: half a command on the next line cannot be run.
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
