"""What a run did, for a person and for a program. Words and shapes only; nothing here decides."""

from __future__ import annotations

import difflib
import os
from collections import Counter
from collections.abc import Mapping
from typing import TYPE_CHECKING

from scrimshaw.cli.support.terminal import tell
from scrimshaw.config import OFFLINE
from scrimshaw.core.section import markers
from scrimshaw.core.section.budget import units
from scrimshaw.core.text.plural import counted
from scrimshaw.errors import Exit
from scrimshaw.services.observe.run import ObserveResult
from scrimshaw.services.publish.result import Published, PublishOutcome
from scrimshaw.workspace import Target

if TYPE_CHECKING:
    from scrimshaw.services.models.client import Used

_SHOWN_PROBLEMS = 5
_KEPT = "what was noted is in the ledger and the dated files"


def report_lines(report: ObserveResult) -> list[str]:
    target, done = report.target, report.observed
    noted = f"Read {counted(done.entries, 'new entry', 'new entries')}; {done.accepted} noted"
    if done.rejected:
        noted += f", {done.rejected.total()} turned down ({_tally(done.rejected)})"
    if done.stood_in:
        noted += f"; replaced by the words said, in {counted(done.stood_in, 'line')}"
    lines = [f"{target.agent_id}  {target.layout.workspace}", f"  {noted}."]
    lines += [f"  {line}" for line in _closed_lines(report)]
    lines += [f"  {line}" for line in _model_lines(report)]
    secrets = Counter(done.redacted)
    if private := secrets.pop("private", 0):
        lines.append(f"  {counted(private, 'private part')} left out.")
    if secrets:
        lines.append(f"  {counted(secrets.total(), 'secret')} redacted: {_tally(secrets)}.")
    if done.left_out:
        lines.append(f"  Conversations left out: {_tally(done.left_out)}.")
    if done.set_aside:
        lines.append(f"  {counted(done.set_aside, 'older entry', 'older entries')} set aside (--since).")
    if done.left_waiting:
        left = counted(done.left_waiting, "conversation")
        lines.append(f"  The time was up: {left} left for the next run.")
    if done.held_back:
        lines.append(
            "  A conversation is in the middle of an exchange; its last part is noted when it is done."
        )
    lines += [f"  {warning}" for warning in report.warnings]
    lines += [f"  {line}" for error in done.unreadable.values() for line in str(error).splitlines()]
    lines += _problem_lines(report)
    return [*lines, *(f"  {line}" for line in section_lines(report.published, target))]


def _closed_lines(report: ObserveResult) -> list[str]:
    """Return what became of earlier lines by word and by date, and what a model would have closed besides."""
    done = report.observed
    parts = [f"{counted(done.closed, 'line')} closed"] if done.closed else []
    if done.declined:
        keeps = report.target.config.settings.review != "off"
        where = "scrimshaw review" if keeps else "review: off keeps none"
        proposed = counted(done.declined, "closing proposed", "closings proposed")
        parts.append(f"{proposed} and not taken ({where})")
    expired = report.published.expired
    told = [f"{counted(expired, 'plan')} went from Open to the log: the day has passed."] if expired else []
    return [*([", ".join(parts) + "."] if parts else []), *told]


def _model_lines(report: ObserveResult) -> list[str]:
    """Return who noted, what waits and why, and what it cost; nothing where the rules do everything."""
    done, model = report.observed, report.target.config.settings.observer_model
    lines = []
    if done.pending:
        lines.append(f"{counted(done.pending, 'line waits', 'lines wait')} for you: scrimshaw review")
    if model == OFFLINE:
        return lines
    if done.used is None:
        return [*lines, f"Noted by the rules; {model} was not asked."] if done.noted_by else lines
    if done.noted_by:
        by = [f"{who} {counted(number, 'window')}" for who, number in done.noted_by.most_common()]
        lines.append(f"Noted by: {', '.join(by)}.")
    if done.used.calls:
        tokens = counted(done.used.tokens_in + done.used.tokens_out, "token")
        lines.append(f"Cost: {counted(done.used.calls, 'question')}, {tokens}, {cost_of(done.used)}.")
    if done.unread:
        unread = counted(done.unread, "answer was", "answers were")
        lines.append(f"{unread} not read a second time by the model; reworded notes wait: scrimshaw review")
    for why, number in done.deferred.items():
        waits = counted(number, "conversation waits", "conversations wait")
        lines.append(f"{waits} for {model}: {why}")
    if done.deferred:
        lines.append("Nothing is lost: the next run asks again. Until when it waits: scrimshaw status")
    if done.model_trouble:
        lines.append(f"WARNING: the rules noted instead of {model}: {done.model_trouble}")
        if done.needs_owner:
            lines.append("Next: scrimshaw models test")
    if done.is_interrupted:
        lines.append("Stopped by you; the rest waits for the next run.")
    return lines


def cost_of(used: Used) -> str:
    """Return what was paid, as far as it is known."""
    if used.cost_microdollars is None:
        return "price unknown"
    return f"${used.cost_microdollars / 1_000_000:.4f}"


def _problem_lines(report: ObserveResult) -> list[str]:
    done = report.observed
    if not done.problem_count:
        return []
    lines = [f"  {counted(done.problem_count, 'entry', 'entries')} could not be read as stored:"]
    lines += [f"    {problem.place}: {problem.what}" for problem in done.problems[:_SHOWN_PROBLEMS]]
    if done.problem_count > _SHOWN_PROBLEMS:
        lines.append(f"    … and {done.problem_count - _SHOWN_PROBLEMS} more (--json lists them)")
    return lines


def tell_section(published: Published | None, target: Target, indent: str = "") -> Exit:
    """Print what became of the section after decisions; return the exit code."""
    if published is None:
        return Exit.OK
    for line in section_lines(published, target):
        tell(f"{indent}{line}")
    return published.exit_code


def section_lines(published: Published, target: Target) -> list[str]:
    """Return what became of *target*'s section, with the next step where there is one."""
    name = published.path.name
    if published.path.parent.name == "observations":
        name = "memory/observations/MEMORY.md"
    match published.result:
        case PublishOutcome.WRITTEN:
            lines = [f"{name}: section written, {_size(published)}."]
        case PublishOutcome.UNCHANGED:
            lines = [f"{name}: nothing to change, {_size(published)}."]
        case PublishOutcome.SHOWN:
            lines = [f"{name}: would be written, {_size(published)}."]
        case PublishOutcome.LATER:
            lines = [f"{name}: left as it is until the conversation is idle."]
        case PublishOutcome.EMPTY:
            lines = ["Nothing worth noting yet, so there is no section."]
        case _:
            lines = _unwritten_lines(published, name)
    if published.body and markers.BEGIN not in published.before:
        lines += _first_lines(markers.parse(published.before).state)
    return lines + _record_lines(published, target)


def later_line(target: Target, *, has_daemon: bool) -> str:
    """Return why MEMORY.md does not show a change yet, and when it will."""
    who, pause = "the daemon" if has_daemon else "the next run", target.config.settings.idle_interval
    return (
        f"MEMORY.md waits until nobody has talked or changed it for {pause}; then {who} writes it. "
        "At once: scrimshaw observe"
    )


def _first_lines(state: markers.State) -> list[str]:
    """Return what becomes of what stood under the heading before the first write."""
    if not isinstance(state, markers.Unmarked) or not state.content:
        return []
    if state.is_kept:
        return ["What you wrote under the heading is more than a list: it stays as it is, above the section."]
    return ["The list under your heading becomes part of the section, line by line; none is lost."]


def _unwritten_lines(published: Published, name: str) -> list[str]:
    """Return why the section was not written, and what can be done about it."""
    first = published.problems[0] if published.problems else ""
    match published.result:
        case PublishOutcome.NO_ROOM:
            return [
                f"{name}: no room for a section: {first}.",
                "Next: shorten the rest of MEMORY.md, or raise agents.defaults.bootstrapMaxChars in "
                "OpenClaw.",
            ]
        case PublishOutcome.DISABLED:
            return [
                f"{name}: {first}. Notes go to the dated files.",
                "Next: to have it back, run: scrimshaw init",
            ]
        case PublishOutcome.DAMAGED:
            mending = markers.mending(published.problems)
            return [
                f"{published.path}: {mending.what}. The file is unchanged; {_KEPT}.",
                *(f"  {problem}" for problem in published.problems),
                f"Next: {mending.step}, then run: scrimshaw observe",
            ]
        case PublishOutcome.TOO_MANY:
            return [
                f"{published.path}: {first}. It is as it was; {_KEPT}.",
                "Next: if that was intended, run: scrimshaw accept-edits. To restore them: scrimshaw restore",
            ]
        case _:  # CONTESTED
            return [
                f"{published.path}: {first}. It is as that program left it.",
                "Next: run this again in a moment",
            ]


def _record_lines(published: Published, target: Target) -> list[str]:
    """Return where the section goes because of the host's record, and whether the agent gets to see it."""
    record = published.provenance
    if record.state == "none":
        return []
    if published.path != target.layout.aside:
        return [
            f"It is in MEMORY.md because you allow it (respect_provenance: false), though {record.detail}.",
            "At its next edit of that kind the host will shut the file out of every prompt.",
        ]
    harm = "" if record.state == "untrusted" else ", and an outside write would get it quarantined"
    lines = [f"MEMORY.md is left alone: {record.detail}{harm}."]
    from scrimshaw.services.status.hook_health import problem_of_hook  # only while the host has a record

    if not (problem := problem_of_hook(target, os.environ)):
        return [
            *lines,
            "The section is kept in memory/observations/MEMORY.md; the hook puts it into the prompt.",
        ]
    lines += [
        "The section is kept in memory/observations/MEMORY.md and is NOT in the prompt:",
        f"{problem}. Next: scrimshaw install",
    ]
    if record.state != "untrusted":
        lines.append(
            "To write to MEMORY.md all the same: respect_provenance: false (docs/guide/operator.md first)."
        )
    return lines


def diff(published: Published) -> str:
    """Return what would change in the file, as a unified diff."""
    name = published.path.name
    return "".join(
        line if line.endswith("\n") else line + "\n"
        for line in difflib.unified_diff(
            _printable(published.before).splitlines(keepends=True),
            _printable(published.after).splitlines(keepends=True),
            f"{name} (now)",
            f"{name} (after)",
        )
    )


def _printable(text: str) -> str:
    return text.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def _size(published: Published) -> str:
    room = f" of {published.budget.body_units:,}" if published.budget else ""
    return f"{units(published.body):,}{room} units"


def _tally(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{name} {count}" for name, count in sorted(counts.items(), key=lambda item: -item[1]))
