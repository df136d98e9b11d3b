"""How memories, what was found of both layers, and a consolidation are worded."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

from scrimshaw.cli.support.command import head
from scrimshaw.cli.support.terminal import in_a_row
from scrimshaw.core.search.layers import LayerName
from scrimshaw.core.section.render import safe
from scrimshaw.core.text.plural import counted
from scrimshaw.core.working import MOVING, StoredMemory
from scrimshaw.errors import Exit
from scrimshaw.services.edit.find_line import ID_SHOWN, PUT_AWAY, became_of

if TYPE_CHECKING:
    from scrimshaw.services.search.log import SearchResult
    from scrimshaw.services.working.consolidate import ConsolidationResult
    from scrimshaw.services.working.cortex import CortexResult
    from scrimshaw.services.working.search import LayerHit

_MOST_CHARS = 300
_MOST_LEFT_OUT = 10  # rows of a file


class StoredAnswer(NamedTuple):
    """A memory that was stored, as a command answers it."""

    memory: StoredMemory
    exit_code: Exit = Exit.OK

    def to_dict(self) -> dict[str, Any]:
        return self.memory.to_dict()


def stored_lines(answer: StoredAnswer) -> Iterator[str]:
    """Yield where a memory is, and until when."""
    memory = answer.memory
    if memory.expires_at is None:
        stays = "until it is forgotten."
    elif memory.type in MOVING:
        stays = f"until {memory.expires_at:%Y-%m-%d %H:%M} UTC, if nobody reads it; then in the ledger."
    else:
        stays = "as long as there is room."
    yield f"Stored as {memory.id}: in the working layer {stays}"


def result_lines(found: SearchResult) -> Iterator[str]:
    """Yield what both layers brought, in one order."""
    yield head(found)
    for one in found.results:
        yield from (f"  {line}" for line in hit_lines(one, found.target.agent_id))
    if not found.results:
        yield "  Nothing found."
    yield from (f"  {note}" for note in found.notes)


def hit_lines(one: LayerHit, agent: str) -> Iterator[str]:
    text = in_a_row(safe(one.content))
    text = text if len(text) <= _MOST_CHARS else f"{text[:_MOST_CHARS]} …"
    key = one.id if one.source is LayerName.WORKING else one.id[:ID_SHOWN]
    state = became_of(one.closed) if one.closed else PUT_AWAY if one.is_set_aside else ""
    yield f"{one.created_at:%Y-%m-%d %H:%M}  {one.type}  {text}{f' ({state})' if state else ''}"
    whose = "" if one.agent == agent else f"{one.agent}, "
    yield f"    {whose}{one.source.value}; score {one.score:.2f}; id {key}"


def consolidation_lines(done: ConsolidationResult) -> Iterator[str]:
    yield head(done)
    if done.is_dry_run:
        yield (
            f"  {counted(done.candidates, 'memory', 'memories')} would be moved, "
            f"{done.deduplicated} of them said there already."
        )
    else:
        yield (
            f"  {counted(done.archived, 'memory', 'memories')} moved into the ledger, "
            f"{done.deduplicated} said there already, in {done.duration_ms / 1000:.1f} s."
        )
    if done.skipped_pinned:
        stay = counted(done.skipped_pinned, "memory as old stays", "memories as old stay")
        yield f"  {stay}: pinned, or important."
    if done.conversations:
        would = "would be archived" if done.is_dry_run else "archived"
        yield f"  {counted(done.conversations, 'conversation')} that ended: {would}."
    if done.problem:
        yield f"  Not in the archive yet: {done.problem}"


def cortex_lines(done: CortexResult) -> Iterator[str]:
    """Yield what came of an older program's file."""
    yield head(done)
    yield (
        f"  New here: {counted(done.memories, 'memory', 'memories')}, {done.knowledge} of knowledge, "
        f"{counted(done.messages, 'message')}; known before: {done.known}."
    )
    if done.agents:
        yield f"  Of {', '.join(done.agents)}."
    if done.left_out:
        yield f"  Left out: {len(done.left_out)}, because nothing of it can be kept:"
    yield from (f"    {safe(one.row)}: {one.reason}" for one in done.left_out[:_MOST_LEFT_OUT])
    if len(done.left_out) > _MOST_LEFT_OUT:
        yield f"    … and {len(done.left_out) - _MOST_LEFT_OUT} more (all with --json)"
    if done.consolidated:
        yield from list(consolidation_lines(done.consolidated))[1:]
