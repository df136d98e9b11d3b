"""`scrimshaw import --cortex`: import the older program's SQLite file, completely or not at all.

`cortex_file` reads and checks every row first; only then is anything written, in one transaction for each
agent. After a kill between two agents, another import adds the rest. A row belongs to the agent named by its
user, else by its owner; in a home each row goes to the agent of that name there.

A row is known by its table, its id, its owner and its text, and which rows came is recorded: importing the
same file again changes nothing, even for rows that have moved on or were forgotten since. A row keeps its id
where that is free; where another row or file has it for something else, it gets one that follows from all of
these.
Earlier versions recorded ids alone, and left every row its own.
"""

from __future__ import annotations

import hmac
from collections import Counter
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, replace
from datetime import datetime
from hashlib import sha256
from pathlib import Path
from secrets import token_hex
from typing import Any, NamedTuple

from scrimshaw.core.conversation import Message
from scrimshaw.core.ledger.forget import FORGOTTEN
from scrimshaw.core.working import StoredMemory
from scrimshaw.home import name_for
from scrimshaw.services.conversations.messages import NewMessage, add_message, kept_text
from scrimshaw.services.results import WorkspaceResult
from scrimshaw.services.working.by_old_id import moved_memory
from scrimshaw.services.working.cleaning import clean
from scrimshaw.services.working.consolidate import ConsolidationResult, consolidate
from scrimshaw.services.working.cortex_file import (
    LeftOut,
    OlderMemory,
    OlderMessage,
    digest_of,
    read_older_file,
)
from scrimshaw.services.working.layer import WorkingLayer
from scrimshaw.working import conversations, memories, moved
from scrimshaw.working.memories import NewMemory
from scrimshaw.workspace import Target

_MARK_CHARS = 32  # of a hash
_KEY_CHARS = 100  # of the file's own id in one of ours


@dataclass(frozen=True, slots=True)
class CortexResult(WorkspaceResult):
    """The result of importing an older program's file."""

    memories: int  # new here
    knowledge: int
    messages: int
    known: int  # that were already here
    agents: tuple[str, ...]
    left_out: tuple[LeftOut, ...] = ()  # what holds nothing to keep
    consolidated: ConsolidationResult | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON of `scrimshaw import --cortex --json`."""
        return {
            **self.head(),
            "memories": self.memories,
            "knowledge": self.knowledge,
            "messages": self.messages,
            "known": self.known,
            "agents": list(self.agents),
            "left_out": [one._asdict() for one in self.left_out],
            "consolidated": self.consolidated.to_dict() if self.consolidated else None,
            "exit_code": int(self.exit_code),
        }


class _Counts(NamedTuple):
    """What came of the rows of one agent; as in `CortexResult`."""

    memories: int = 0
    knowledge: int = 0
    messages: int = 0
    known: int = 0


class _Part(NamedTuple):
    """The rows that one agent gets."""

    memories: list[OlderMemory]
    messages: list[OlderMessage]


Opened = tuple[Target, WorkingLayer]


def import_cortex(
    target: Target,
    layer: WorkingLayer,
    path: Path,
    now: datetime,
    open_agent: Callable[[str, bool], Opened | None],
    *,
    dry_run: bool = False,
    moves_old: bool = False,
) -> CortexResult:
    """Import the file at *path*; with *moves_old*, expired memories go on into the ledger.

    *open_agent* opens another agent of the home and, if told so, creates it; else it returns None. Raises
    UserError, with nothing written, for a damaged file or one of another program.
    """
    read = read_older_file(path, target.config.settings, target.agent_id, now)
    named = {one.new.agent for one in read.memories} | {one.agent for one in read.messages}
    parts = _parts(target, layer, read.memories, read.messages)
    # All of them are open before the first is written: one that cannot be refuses the whole.
    opened = {name: open_agent(name, not dry_run) if name else (target, layer) for name in parts}
    taken = [_take_over(opened[name], part, now, dry_run=dry_run) for name, part in parts.items()]
    counts = _Counts(*map(sum, zip(_Counts(), *taken, strict=True)))
    moving = opened.values() if moves_old and not dry_run else ()
    rounds = [consolidate(*one, now, trigger="import") for one in moving if one]
    return CortexResult(target, *counts, tuple(sorted(named)), tuple(read.left_out), _together(rounds))


def _parts(
    target: Target, layer: WorkingLayer, kept: Iterable[OlderMemory], messages: Collection[OlderMessage]
) -> dict[str, _Part]:
    """Return the rows by the other agent of the home that they go to; "" for the one that was opened.

    What an earlier import has brought to this agent stays with it.
    """
    parts: dict[str, _Part] = {}
    ids = _Ids(target, layer)
    for one in kept:
        name = _place(target, one.new.agent) if ids.memory(one) else ""
        parts.setdefault(name, _Part([], [])).memories.append(one)
    owners = {one.thread_id: one.resource_id for one in conversations.states(layer.db)}
    here = {
        (one.new.thread_id, one.agent)
        for one in messages
        if owners.get(one.new.thread_id) == one.new.resource_id and ids.message(one) is None
    }
    for message in messages:
        is_here = (message.new.thread_id, message.agent) in here
        name = "" if is_here else _place(target, message.agent)
        parts.setdefault(name, _Part([], [])).messages.append(message)
    return parts


def _place(target: Target, agent: str) -> str:
    """Return the other agent of the home that *agent*'s rows go to; "" for the one that was opened."""
    name = name_for(agent) if target.is_in_home else ""
    return "" if name == target.agent_id else name


def _take_over(opened: Opened | None, every: _Part, now: datetime, *, dry_run: bool) -> _Counts:
    """Write the rows that are new to one agent, and return how many those are."""
    part = _once(every)
    if opened is None:  # a dry run, for an agent that is not there yet
        new, messages = [one.new for one in part.memories], [one.new for one in part.messages]
    elif dry_run:
        ids = _Ids(*opened)
        new, messages = list(ids.new_memories(part).values()), ids.new_messages(part)
    else:
        target, layer = opened
        with layer.db.transaction():
            memories.set_import_key(layer.db, token_hex())
            ids = _Ids(target, layer)
            marked, messages = ids.new_memories(part), ids.new_messages(part)
            new = list(marked.values())
            stored = memories.put(layer.db, new)
            assert stored == len(new), "an id that was given is taken"
            memories.note_import_marks(layer.db, {one.id: mark for mark, one in marked.items()})
            for message in messages:
                add_message(target, layer.db, message, now)
        layer.embed()
    return _Counts(
        memories=sum(one.category is None for one in new),
        knowledge=sum(one.category is not None for one in new),
        messages=len(messages),
        known=len(every.memories) - len(new) + len(every.messages) - len(messages),
    )


def _once(part: _Part) -> _Part:
    """Return *part* without what the file repeats; a message without an id may be said again."""
    rows: dict[str, OlderMemory] = {}
    said: dict[str, OlderMessage] = {}
    for row in part.memories:
        rows.setdefault(row.digest, row)
    for at, one in enumerate(part.messages):
        said.setdefault(one.digest if one.is_named else str(at), one)
    return _Part(list(rows.values()), list(said.values()))


class _Ids:
    """The ids of a file's rows in one agent's layer, asked for in the order of the file."""

    def __init__(self, target: Target, layer: WorkingLayer) -> None:
        self._target, self._layer, self._db = target, layer, layer.db
        self._key = memories.import_key(layer.db).encode()
        self._given: set[str | tuple[str, str]] = set()  # ids of the file that a row of it has taken
        self._owners: dict[str, str] = {}  # of a thread
        self._times: Counter[str] = Counter()  # how often a message without an id was said

    def new_memories(self, part: _Part) -> dict[str, NewMemory]:
        """Return what of *part* is not here yet, each by its mark."""
        ids = ((one, self.memory(one)) for one in part.memories)
        return {self._mark(one.digest): one.new._replace(id=id_) for one, id_ in ids if id_}

    def new_messages(self, part: _Part) -> list[NewMessage]:
        """Return the messages of *part* that are not here yet."""
        return [new for new in map(self.message, part.messages) if new]

    def memory(self, one: OlderMemory) -> str | None:
        """Return the id for *one*; None where an earlier import has brought it, or it stands here already."""
        key, mark = one.new.id, self._mark(one.digest)
        own = f"{one.table}-{key[:_KEY_CHARS]}-{mark}"
        noted = memories.import_mark(self._db, key)
        if noted == mark or memories.import_mark(self._db, own) is not None:
            return None
        there = memories.by_id(self._db, key)
        if key in self._given:
            return own
        gone = moved.find(self._db, key)
        is_same = self._is_moved(gone, one.new) if gone else self._is_same(there, one.new)
        # An earlier version's row of the same id may be this one: it has left, or was changed.
        may_be = there is None or (there.version > 1 and _kind(there) == _kind(one.new))
        if is_same or (noted == "" and may_be):
            self._given.add(key)
            return None
        if there is not None or noted is not None or gone is not None:
            return own
        self._given.add(key)
        return key

    def message(self, one: OlderMessage) -> NewMessage | None:
        """Return *one* as it is to be stored; None where it is there already."""
        thread = self._thread(one.new)
        time = 0 if one.is_named else self._times[one.digest]
        self._times[one.digest] += 1
        own = f"cortex:{self._mark(f'{one.digest}:{time}')}"
        if conversations.message_by_id(self._db, thread, own):
            return None
        wanted = (thread, one.new.message_id)
        if not one.new.message_id or wanted in self._given:
            return one.new._replace(thread_id=thread, message_id=own)
        there = conversations.message_by_id(self._db, *wanted)
        if there is not None and not self._is_same_message(there, one):
            return one.new._replace(thread_id=thread, message_id=own)
        self._given.add(wanted)
        return None if there is not None else one.new._replace(thread_id=thread)

    def _mark(self, digest: str) -> str:
        """Return what a row is known by here; the key lets nobody try out what a forgotten text was."""
        return hmac.new(self._key, digest.encode(), sha256).hexdigest()[:_MARK_CHARS]

    def _thread(self, new: NewMessage) -> str:
        """Return the conversation of *new*: another one where somebody else's has its id."""
        name, owner = new.thread_id, new.resource_id
        if name not in self._owners:
            state = conversations.state(self._db, name)
            self._owners[name] = state.resource_id if state else ""
        if owner and self._owners[name] not in ("", owner):
            return f"{name[:_KEY_CHARS]}-{self._mark(digest_of(name, owner))}"
        self._owners[name] = self._owners[name] or owner
        return name

    def _is_same(self, there: StoredMemory | None, new: NewMemory) -> bool:
        if there is None or _kind(there) != _kind(new):
            return False
        said = there.content.replace("\0", "")  # earlier versions kept it
        # Other patterns may be private now than when it came.
        return new.content in (said, clean(said, self._target.config.settings))

    def _is_moved(self, gone: moved.Moved, new: NewMemory) -> bool:
        """Tell whether *new* is what has moved into the ledger by its id."""
        if gone.mark != moved.mark_of(new.id, new.content):
            return False
        there = moved_memory(self._layer, new.id, new.agent)
        return there is not None and _kind(there) == _kind(new)

    def _is_same_message(self, there: Message, one: OlderMessage) -> bool:
        if FORGOTTEN in there.content:
            return True  # it is as it should be
        if there.role != one.new.role:
            return False
        if there.content == one.new.content:
            return True
        said = {kept_text(self._target, text)[0] for text in (one.new.content, one.imported_before)}
        # Other patterns may be private now than when it came.
        return there.content in said or kept_text(self._target, there.content)[0] in said


def _kind(one: StoredMemory | NewMemory) -> tuple[bool, str]:
    return one.category is None, one.owner_id


def _together(rounds: list[ConsolidationResult]) -> ConsolidationResult | None:
    """Return the rounds of several agents as one."""
    if not rounds:
        return None
    return replace(
        rounds[0],
        candidates=sum(one.candidates for one in rounds),
        archived=sum(one.archived for one in rounds),
        deduplicated=sum(one.deduplicated for one in rounds),
        skipped_pinned=sum(one.skipped_pinned for one in rounds),
        duration_ms=sum(one.duration_ms for one in rounds),
        problem=" ".join(filter(None, (one.problem for one in rounds))),
    )
