"""The stores of a target's agents, opened read-only for as long as they are needed."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path

from scrimshaw.core.policy import schedule
from scrimshaw.errors import UserError
from scrimshaw.sources.discover import Agent, StoreRef
from scrimshaw.sources.reading import SessionState, Source
from scrimshaw.workspace import Target

log = logging.getLogger(__name__)


def stores_of(target: Target) -> list[tuple[Agent, StoreRef]]:
    """Return the stores of each agent: the host's own, and those that the configuration adds."""
    own = [(agent, store) for agent in target.agents for store in agent.stores]
    added = target.config.settings.sources.items()
    own += [(target.agents[0], StoreRef(name, Path(path).expanduser())) for name, path in added]
    working = target.layout.working
    return [*own, (target.agents[0], StoreRef("program", working))] if working.exists() else own


@contextmanager
def open_sources(
    target: Target, known_keys: Mapping[str, str], *, thread_id: str = ""
) -> Iterator[list[Source]]:
    """Open every store of the target's agents, read-only; *thread_id*: a program's conversation alone."""
    with ExitStack() as stack:
        sources: list[Source] = []
        for agent, store in stores_of(target):
            if thread_id and store.kind != "program":
                continue
            source: Source
            if store.kind == "sqlite":
                from scrimshaw.sources.openclaw_sqlite import SqliteSource

                source = SqliteSource(store.path, agent.agent_id, known_keys=known_keys)
            elif store.kind == "jsonl":
                from scrimshaw.sources.openclaw_jsonl import JsonlSource

                source = JsonlSource(store.path, agent.agent_id, known_keys=known_keys)
            elif store.kind == "program":
                source = _programs(target, store.path, agent.agent_id, thread_id)
            else:
                from scrimshaw.sources.plugin import open_plugin_source

                source = open_plugin_source(store.kind, store.path, agent.agent_id)
            stack.callback(_close, source)
            sources.append(source)
        yield sources


def _close(source: Source) -> None:
    """Close *source*, which has been read: what fails now costs nothing, and is logged."""
    try:
        source.close()
    except UserError as error:
        log.warning("source=%s problem=%r", source.id, " ".join(error.problems))


def newest_feeding(
    target: Target, sources: Iterable[Source], on_unreadable: Callable[[Source, UserError], None]
) -> list[tuple[Source, SessionState]]:
    """Return the conversations that feed this memory, the newest first; what cannot be read is told."""
    settings = target.config.settings
    states: list[tuple[Source, SessionState]] = []
    for source in sources:
        try:
            states += [(source, state) for state in source.sessions()]
        except UserError as error:
            on_unreadable(source, error)
    feeding = [one for one in states if schedule.feeds(one[1].session, settings.sessions, settings.scope)]
    return sorted(feeding, key=lambda one: -one[1].newest_at_ms)


def _programs(target: Target, path: Path, agent_id: str, thread_id: str) -> Source:
    from scrimshaw.services.conversations.due import should_observe
    from scrimshaw.sources.program import open_program_source

    settings = target.config.settings
    return open_program_source(
        path, agent_id, lambda db, one: should_observe(db, one, settings), thread_id=thread_id
    )
