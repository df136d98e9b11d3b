"""The stores of a target's agents, opened read-only for as long as they are needed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager

from scrimshaw.sources.reading import Source
from scrimshaw.workspace import Target


@contextmanager
def open_sources(target: Target, known_keys: Mapping[str, str]) -> Iterator[list[Source]]:
    """Open every store of the target's agents, read-only."""
    with ExitStack() as stack:
        sources: list[Source] = []
        for agent in target.agents:
            for store in agent.stores:
                source: Source
                if store.kind == "sqlite":
                    from scrimshaw.sources.openclaw_sqlite import SqliteSource

                    source = SqliteSource(store.path, agent.agent_id, known_keys=known_keys)
                else:
                    from scrimshaw.sources.openclaw_jsonl import JsonlSource

                    source = JsonlSource(store.path, agent.agent_id, known_keys=known_keys)
                stack.callback(source.close)
                sources.append(source)
        yield sources
