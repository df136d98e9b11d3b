"""Forgetting in the working layer: find the memories to be forgotten, and erase them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from contextlib import closing, contextmanager

from scrimshaw.core.ledger.exact import said_by
from scrimshaw.core.ledger.program_lines import origin_of
from scrimshaw.core.text.normalize import normal
from scrimshaw.core.types import Line
from scrimshaw.core.working import StoredMemory
from scrimshaw.errors import usage_error
from scrimshaw.working import memories, moved
from scrimshaw.working.database import WorkingDatabase
from scrimshaw.workspace import Target

_MOST_SHOWN = 8
_SHOWN_CHARS = 80


def memories_with(target: Target, words: str) -> list[StoredMemory]:
    """Return the memories that contain *words*, or have that id."""
    with _opened(target) as db:
        return memories.holding(db, words.strip()) if db and words.strip() else []


def memories_before(target: Target, at_ms: int) -> list[StoredMemory]:
    """Return the memories stored before a time."""
    with _opened(target) as db:
        return memories.stored_before(db, at_ms) if db else []


def memories_of(target: Target, lines: Iterable[Line]) -> list[StoredMemory]:
    """Return the memories that say the same as *lines*, or that became them."""
    found: dict[str, StoredMemory] = {}
    with _opened(target) as db:
        for line in lines if db else ():
            assert db is not None
            origin = origin_of(line.observation)
            said = map(str.strip, said_by(line.observation))
            for words in (*said, origin.memory_id if origin else ""):
                found |= {one.id: one for one in memories.holding(db, words)} if words else {}
    return list(found.values())


def only_one(found: list[StoredMemory], words: str) -> list[StoredMemory]:
    """Return *found* if all say one thing; raises UserError if they say several."""
    if len({normal(one.content) for one in found}) < 2:
        return found
    raise usage_error(
        f"{len(found)} memories are meant by “{words[:_SHOWN_CHARS]}”:",
        *(f"  {one.id}  {one.content[:_SHOWN_CHARS]}" for one in found[:_MOST_SHOWN]),
        next_step="name one of them by its id, or by more of its words",
    )


def forget_memories(target: Target, gone: Collection[StoredMemory], *, only_as_read: bool = False) -> bool:
    """Erase memories with their words and vectors, including remains in the file.

    With *only_as_read* none is erased, and False returned, where one was changed, or stored anew by its id,
    since it was read, wherever it is by now. One that is gone was not changed.
    """
    with _opened(target) as db:
        if db is None:
            return True
        with db.transaction():
            if only_as_read and any(_is_changed(db, one) for one in gone):
                return False
            count = memories.remove(db, [one.id for one in gone])
        if count:
            memories.wipe(db)
        return True


def are_as_read(target: Target, every: Iterable[StoredMemory]) -> bool:
    """Tell whether none of these memories was changed since it was read, as `forget_memories` looks at it."""
    with _opened(target) as db:
        return db is None or not any(_is_changed(db, one) for one in every)


def _is_changed(db: WorkingDatabase, was: StoredMemory) -> bool:
    mark = moved.mark_of(was.id, was.content)
    if now := memories.by_id(db, was.id):
        return (now.version, moved.mark_of(now.id, now.content)) != (was.version, mark)
    became = moved.find(db, was.id)
    return became is not None and (became.version, became.mark) != (was.version, mark)


def lines_made_of(target: Target, gone: Iterable[StoredMemory]) -> set[str]:
    """Return the ids of the lines that memories have become; of deleted ones, no more come after this."""
    with _opened(target) as db:
        return moved.lines_of_memories(db, (one.id for one in gone)) if db else set()


def lines_with_old_id(target: Target, id_: str) -> frozenset[str]:
    """Return the ids of the lines that the memory with this id has become; none if it has not moved."""
    with _opened(target) as db:
        found = moved.find(db, id_.strip()) if db else None
        return frozenset(found.line_ids if found else ())


def forget_moves(target: Target, memory_ids: Iterable[str], line_ids: Iterable[str]) -> None:
    """Erase what tells which memory became which line, and the words that a moved memory left in the file."""
    with _opened(target) as db:
        if db is not None:
            moved.forget(db, memory_ids, line_ids)
            memories.wipe(db)


@contextmanager
def _opened(target: Target) -> Iterator[WorkingDatabase | None]:
    if not target.layout.working.exists():
        yield None
        return
    with closing(WorkingDatabase(target.layout.working)) as db:
        yield db
