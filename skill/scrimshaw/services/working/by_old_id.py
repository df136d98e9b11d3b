"""Memories that have moved into the ledger, by the ids that their programs know them by."""

from __future__ import annotations

from collections.abc import Sequence

from scrimshaw.core.ledger.program_lines import Learnt, knowledge_of, memory_of, origin_of
from scrimshaw.core.types import Closed, Line
from scrimshaw.core.working import Knowledge, StoredMemory
from scrimshaw.errors import usage_error
from scrimshaw.services.working.layer import WorkingLayer
from scrimshaw.store.ledger import open_ledger
from scrimshaw.working import moved


def moved_memory(layer: WorkingLayer, id_: str, agent: str) -> StoredMemory | None:
    """Return the memory of *agent* with this id, as its lines tell it; None if none is in the ledger."""
    found = moved.find(layer.db, id_)
    lines = _lines(layer, found) if found else []
    return memory_of(lines, id_, found.version, agent) if found and lines else None


def moved_knowledge(
    layer: WorkingLayer, id_: str, agent: str, otherwise: Learnt | None = None
) -> Knowledge | None:
    """Return the piece of knowledge of *agent* with this id, like `moved_memory`; None also if it was none.

    Where a line said the same already, nothing tells what it was: then it is what *otherwise* says.
    """
    found = moved.find(layer.db, id_)
    lines = _lines(layer, found) if found else []
    if not (found and lines):
        return None
    origin = origin_of(lines[0].observation)
    learnt = origin.learnt if origin and origin.memory_id == id_ else otherwise
    return knowledge_of(memory_of(lines, id_, found.version, agent), learnt) if learnt else None


def moved_lines(layer: WorkingLayer, id_: str) -> tuple[str, ...]:
    """Return the ids of the lines that the memory with this id has become, in their order; empty if none."""
    found = moved.find(layer.db, id_.strip())
    return found.line_ids if found else ()


def one_line(words: str, line_ids: Sequence[str]) -> str:
    """Return the line that *words*, a memory's id, mean; *words* if none. Raises UserError if several."""
    if len(line_ids) > 1:
        raise usage_error(
            f"The memory {words.strip()[:80]} became {len(line_ids)} lines. Nothing was done.",
            next_step="name one of them by its words",
        )
    return line_ids[0] if line_ids else words


def _lines(layer: WorkingLayer, found: moved.Moved) -> list[Line]:
    with open_ledger(layer.layout.ledger, create=False, read_only=True) as ledger:
        lines = ledger.lines(found.line_ids)
    there = [lines[id_] for id_ in found.line_ids if id_ in lines]
    return [line for line in there if line.standing.closed is not Closed.FORGOTTEN]
