"""The stores of a target's agents, opened read-only for as long as they are needed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path

from scrimshaw.sources.discover import Agent, StoreRef
from scrimshaw.sources.reading import Source
from scrimshaw.workspace import Target


def stores_of(target: Target) -> list[tuple[Agent, StoreRef]]:
    """Return the stores of each agent: the host's own, and those that the configuration adds."""
    own = [(agent, store) for agent in target.agents for store in agent.stores]
    added = target.config.settings.sources.items()
    return own + [(target.agents[0], StoreRef(name, Path(path).expanduser())) for name, path in added]


@contextmanager
def open_sources(target: Target, known_keys: Mapping[str, str]) -> Iterator[list[Source]]:
    """Open every store of the target's agents, read-only."""
    with ExitStack() as stack:
        sources: list[Source] = []
        for agent, store in stores_of(target):
            source: Source
            if store.kind == "sqlite":
                from scrimshaw.sources.openclaw_sqlite import SqliteSource

                source = SqliteSource(store.path, agent.agent_id, known_keys=known_keys)
            elif store.kind == "jsonl":
                from scrimshaw.sources.openclaw_jsonl import JsonlSource

                source = JsonlSource(store.path, agent.agent_id, known_keys=known_keys)
            else:
                from scrimshaw.sources.plugin import open_plugin_source

                source = open_plugin_source(store.kind, store.path, agent.agent_id)
            stack.callback(source.close)
            sources.append(source)
        yield sources
