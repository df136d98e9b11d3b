"""The part of `Memory` for the working layer: memories and knowledge."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import ExitStack, nullcontext
from typing import TYPE_CHECKING, Any

from scrimshaw.memory.arguments import check_limit, check_path, check_text, one_of_kind
from scrimshaw.memory.reading import MemoryReading

if TYPE_CHECKING:
    from pathlib import Path

    from scrimshaw.core.working import Category, Knowledge, KnowledgeStatus, MemoryType, StoredMemory
    from scrimshaw.services.search.log import SearchResult
    from scrimshaw.services.working.consolidate import ConsolidationResult
    from scrimshaw.services.working.cortex import CortexResult
    from scrimshaw.services.working.keeping import KnowledgePage, MemoryPage, MemoryProvenance
    from scrimshaw.services.working.layer import WorkingLayer
    from scrimshaw.workspace import Target


class MemoryKeeping(MemoryReading):
    """A program's entries in the working layer."""

    def store(
        self,
        content: str,
        *,
        type: MemoryType | str = "episodic",  # noqa: A002  # the name that programs know
        importance: float = 0.5,
        metadata: Mapping[str, Any] | None = None,
        pin: bool = False,
        owner_id: str = "",
        id: str = "",  # noqa: A002  # as `memory` takes it
    ) -> StoredMemory:
        """Store a memory in the working layer and return it; takes no lock and waits for no vector.

        *type* is "episodic", "semantic", "procedural" or "system"; *importance* is 0..1. It is the program's
        word: found by search, but in the section only once a person has pinned it. Secrets and private parts
        are removed. Raises UserError for an invalid or too large text. Storing the same *id* twice makes one
        memory, also once it has moved into the ledger, so a store whose result is unknown can be repeated: it
        stays as it was first, also where importance, metadata or pin are others (`update_memory` changes
        them), and another content raises UserError. Without *id* one is made.
        """
        from scrimshaw.core.working import MemoryType
        from scrimshaw.services.working.store import StoreRequest, store

        self._require_set_up("Nothing was stored.")
        asked = StoreRequest(
            content, one_of_kind(MemoryType, type=type), importance, metadata, pin, owner_id, id
        )
        return store(self._working(), self._target.config.settings, self.agent, asked, self.now())

    def memory(self, id: str) -> StoredMemory | Knowledge:  # noqa: A002  # the name that programs know
        """Return the memory, or the piece of knowledge, with this id, as it was; raises NotFoundError.

        That it was read is recorded as a use, as `recall` does. One that has moved into the ledger keeps its
        id; the `layer` of a memory, which knowledge has none of, is "episodic" then.
        """
        from scrimshaw.services.working.keeping import one_memory
        from scrimshaw.services.working.store import note_used

        self._require_set_up("Nothing was read.")
        check_text(id=id)
        layer = self._working()
        found = one_memory(layer, id, self.agent)
        note_used(layer, self._target.config.settings, [id], self.now())
        return found

    def memories(
        self,
        limit: int = 100,
        *,
        after: str | None = None,
        text: str = "",
        type: MemoryType | str | None = None,  # noqa: A002  # the name that programs know
        owner_id: str | None = None,
    ) -> MemoryPage:
        """Return memories of the working layer, the newest first; `after` of a page gets the next page.

        With *text* only those whose content contains it, ignoring case; `search` finds by meaning.
        """
        from scrimshaw.core.working import MemoryType
        from scrimshaw.services.working.keeping import memory_page
        from scrimshaw.working.memories import MemoryFilter

        self._require_set_up("Nothing was read.")
        check_limit(limit)
        check_text(text=text, after="" if after is None else after)
        wanted = MemoryFilter(
            text, owner_id, type=one_of_kind(MemoryType, type=type) if type is not None else None
        )
        return memory_page(self._target, self._working(), limit, after, wanted)

    def update_memory(
        self,
        id: str,  # noqa: A002  # the name that programs know
        *,
        content: str | None = None,
        importance: float | None = None,
        metadata: Mapping[str, Any] | None = None,
        pinned: bool | None = None,
        if_version: int | None = None,
    ) -> StoredMemory:
        """Change a memory and return it; omitted fields stay, *metadata* is replaced as a whole.

        Raises NotFoundError, and OutdatedError if its version is no longer *if_version*.
        """
        from scrimshaw.services.working.keeping import change_memory

        self._require_set_up("Nothing was changed.")
        check_text(id=id)
        return change_memory(
            self._target,
            self._working(),
            id,
            self.now(),
            content=content,
            metadata=metadata,
            importance=importance,
            pinned=pinned,
            if_version=if_version,
        )

    def delete_memory(self, id: str, *, if_version: int | None = None) -> None:  # noqa: A002  # as above
        """Delete a memory or a piece of knowledge from the working layer; `forget` also erases its traces.

        Raises NotFoundError, and OutdatedError if its version is no longer *if_version*.
        """
        from scrimshaw.working.changes import take_out

        self._require_set_up("Nothing was deleted.")
        check_text(id=id)
        take_out(self._working_layer(), id, if_version)

    def learn(
        self,
        content: str,
        *,
        category: Category | str = "fact",
        confidence: float = 0.8,
        source: str = "conversation",
        metadata: Mapping[str, Any] | None = None,
        owner_id: str = "",
        supersedes: str | None = None,
        id: str = "",  # noqa: A002  # as `memory` takes it
    ) -> Knowledge:
        """Store a piece of knowledge in the working layer and return it; it stays while there is room.

        *category* is "fact", "preference", "solution" or "pattern". The one that it *supersedes*, by id, no
        longer holds, and search does not find it. Storing the same *id* twice makes one.
        Raises UserError and NotFoundError.
        """
        from scrimshaw.core.working import Category
        from scrimshaw.services.working.keeping import learn

        self._require_set_up("Nothing was stored.")
        check_text(supersedes="" if supersedes is None else supersedes)
        return learn(
            self._target,
            self._working(),
            content,
            self.now(),
            category=one_of_kind(Category, category=category),
            confidence=confidence,
            source=source,
            metadata=metadata,
            owner_id=owner_id,
            supersedes=supersedes,
            id_=id,
        )

    def knowledge(
        self,
        limit: int = 100,
        *,
        after: str | None = None,
        text: str = "",
        category: Category | str | None = None,
        status: KnowledgeStatus | str | None = "active",
        owner_id: str | None = None,
    ) -> KnowledgePage:
        """Return pieces of knowledge, the newest first; with *status* None of any status."""
        from scrimshaw.core.working import Category, KnowledgeStatus
        from scrimshaw.services.working.keeping import knowledge_page
        from scrimshaw.working.memories import MemoryFilter

        self._require_set_up("Nothing was read.")
        check_limit(limit)
        check_text(text=text, after="" if after is None else after)
        wanted = MemoryFilter(
            text,
            owner_id,
            category=one_of_kind(Category, category=category) if category is not None else None,
            status=one_of_kind(KnowledgeStatus, status=status) if status is not None else None,
        )
        return knowledge_page(self._target, self._working(), limit, after, wanted)

    def update_knowledge(
        self,
        id: str,  # noqa: A002  # the name that programs know
        *,
        content: str | None = None,
        category: Category | str | None = None,
        confidence: float | None = None,
        metadata: Mapping[str, Any] | None = None,
        status: KnowledgeStatus | str | None = None,
        if_version: int | None = None,
    ) -> Knowledge:
        """Change a piece of knowledge and return it; search does not find "superseded" and "archived" ones.

        Raises NotFoundError, and OutdatedError if its version is no longer *if_version*.
        """
        from scrimshaw.core.working import Category, KnowledgeStatus
        from scrimshaw.services.working.keeping import change_knowledge

        self._require_set_up("Nothing was changed.")
        check_text(id=id)
        return change_knowledge(
            self._target,
            self._working(),
            id,
            self.now(),
            content=content,
            metadata=metadata,
            category=one_of_kind(Category, category=category) if category is not None else None,
            confidence=confidence,
            status=one_of_kind(KnowledgeStatus, status=status) if status is not None else None,
            if_version=if_version,
        )

    def why_memory(self, id: str) -> MemoryProvenance | None:  # noqa: A002  # the name that programs know
        """Return where the memory with this id comes from; None when the working layer has none.

        A memory that has moved into the ledger is a line: use `why`.
        """
        from scrimshaw.services.working.keeping import provenance

        self._require_set_up("Nothing was shown.")
        check_text(id=id)
        layer = self._working_there()
        return provenance(self._target, layer, id.strip()) if layer else None

    def recall(self, query: str, k: int = 10) -> SearchResult:
        """Return the best *k* results for *query* from both layers, and record that they were used.

        A recalled memory expires later and regains importance; a recalled line stays in the section longer.
        """
        found = self.search(query, limit=k)
        self.record_recall(found)
        return found

    def consolidate(self, *, dry_run: bool = False, ttl_override: str | None = None) -> ConsolidationResult:
        """Move memories that have expired into the ledger; with *ttl_override* ("24h") all unused so long.

        Pinned and important ones stay. What a line says already is not noted again. With *dry_run* the result
        tells what would be done. Search finds each memory at any moment of the move.
        """
        from scrimshaw.services.working.consolidate import consolidate

        self._require_set_up("Nothing was moved.")
        target = self._current()
        with nullcontext() if dry_run else self._logging():
            layer = self._working_there() if dry_run else self._working()
            return consolidate(target, layer, self.now(), dry_run=dry_run, ttl_override=ttl_override)

    def import_cortex(
        self, path: str | Path, *, dry_run: bool = False, moves_old: bool = False
    ) -> CortexResult:
        """Import an older program's SQLite file, each row once: memories, knowledge, conversations, users.

        In a home, another agent's rows go to the agent of that name. With *moves_old* expired memories go on
        into the ledger. A damaged file is refused as a whole.
        """
        from scrimshaw.home import agents_in
        from scrimshaw.services.edit.author import check_may_import
        from scrimshaw.services.working.cortex import import_cortex

        check_may_import(self._env)
        self._require_set_up("Nothing was imported.")
        home = self._target.agents[0].home
        with self._logging(), ExitStack() as opened:

            def open_agent(name: str, makes: bool) -> tuple[Target, WorkingLayer] | None:
                assert home
                if not makes and not agents_in(home, name):
                    return None
                other = type(self).open(home=home, agent=name, env=self._env, clock=self._clock)
                opened.enter_context(other)
                return other._target, other._working()

            return import_cortex(
                self._target,
                self._working(),
                check_path(path),
                self.now(),
                open_agent,
                dry_run=dry_run,
                moves_old=moves_old,
            )
