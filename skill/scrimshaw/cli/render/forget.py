"""How a forget is worded: what would go, and what has gone."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from scrimshaw.cli.render.run_report import section_lines
from scrimshaw.cli.support.command import head
from scrimshaw.core.conversation import thread_id_of
from scrimshaw.core.section.render import safe
from scrimshaw.core.text.plural import counted
from scrimshaw.core.types import Author
from scrimshaw.services.edit.find_line import line_label, lines_to_choose

if TYPE_CHECKING:
    from scrimshaw.services.edit.forget import ForgetPlan, ForgetResult

_MOST_LISTED = 20
_SHOWN_CHARS = 80
_ELSEWHERE = (
    "Not reached: the host's own transcripts and search index, files that were exported or copied elsewhere, "
    "and what was sent to a model. What you typed may still stand in your shell's history."
)


def plan_lines(shown: ForgetPlan) -> Iterator[str]:
    yield head(shown)
    asked_for = [line for line in shown.lines if line.observation.id not in shown.why]
    along = [line for line in shown.lines if line.observation.id in shown.why]
    if shown.memories:
        yield f"  {counted(len(shown.memories), 'memory', 'memories')} of the working layer to be forgotten:"
        rows = [safe(one.content)[:_SHOWN_CHARS] for one in shown.memories[-_MOST_LISTED:]]
        yield from (f"    {row}" for row in rows)
    if not shown.lines and not shown.memories:
        yield "  No line of it is in the ledger."
    elif shown.lines:
        yield f"  {counted(len(asked_for), 'line')} to be forgotten:"
        yield from (f"  {row}" for row in lines_to_choose(asked_for, _MOST_LISTED))
    if along:
        yield f"  {counted(len(along), 'line')} would go along:"
        yield from (
            f"    {line_label(line)} ({shown.why[line.observation.id]})" for line in along[-_MOST_LISTED:]
        )
        if len(along) > _MOST_LISTED:
            yield f"    … and {len(along) - _MOST_LISTED} more"
    if any(map(thread_id_of, shown.sessions)):
        yield "  Its messages that are kept here would be emptied."
    own = sum(line.observation.author is Author.PERSON for line in shown.lines)
    if own:
        yield f"  {counted(own, 'line')} of these you wrote or changed yourself."
    if shown.restored:
        count = counted(len(shown.restored), "line")
        yield f"  {count} that had been merged into these, or told again in them, would hold again."
    if shown.sessions or shown.before_ms is not None:
        yield "  Nothing that was said there until now would be noted again, not from an archive either."
    if shown.is_recorded:
        yield "  OpenClaw has a record of MEMORY.md, and the section inside it holds this: it would be taken"
        yield "  out there, and the host may shut the file out of prompts at the agent's next edit of it."
    if not shown.is_nothing:
        yield "  It cannot be undone."


def forgotten_lines(done: ForgetResult) -> Iterator[str]:
    places = f", {', '.join(done.places)}" if done.places else ""
    memories = len(done.plan.memories)
    also = f" and {counted(memories, 'memory', 'memories')}" if memories else ""
    yield f"  Forgotten: {counted(done.lines, 'line')}{also}. Cleaned: the ledger and its free pages{places}."
    for line in section_lines(done.published, done.target):
        yield f"  {line}"
    for left in done.left:
        yield f"  Still there, and not ours to change: {left.told}."
    yield f"  {_ELSEWHERE}"
