"""The commands of the working layer: `store`, `recall` and `consolidate`."""

from __future__ import annotations

import json
from typing import Any

import click

from scrimshaw.cli.render import working as render
from scrimshaw.cli.support.command import CommandCall, command
from scrimshaw.cli.support.shares import Share
from scrimshaw.core.working import MemoryType
from scrimshaw.errors import usage_error

_TYPES = click.Choice([one.value for one in MemoryType])


@command()
@click.argument("content")
@click.option("--type", "kind", type=_TYPES, default="episodic", show_default=True, help="What it is.")
@click.option("--importance", type=Share(0, 1), default=0.5, show_default=True, help="From 0.9 it stays.")
@click.option("--metadata", metavar="JSON", default="{}", help="A JSON object that is kept with it.")
@click.option("--pin", is_flag=True, help="Keep it until it is forgotten.")
def store(call: CommandCall, content: str, kind: str, importance: float, metadata: str, pin: bool) -> int:
    """Keep CONTENT in the working layer; it moves into the ledger a week after its last use.

    An agent that --home and --agent name is made on first use.
    """
    with call.memory("Nothing was stored.", makes=True) as memory:
        stored = memory.store(content, type=kind, importance=importance, metadata=_object(metadata), pin=pin)
    return call.answer(render.StoredAnswer(stored), render.stored_lines)


@command()
@click.argument("query", nargs=-1, required=True)
@click.option("-n", "--limit", type=click.IntRange(1, 1_000), default=10, help="At most this many (10).")
def recall(call: CommandCall, query: tuple[str, ...], limit: int) -> int:
    """Find what answers QUERY in the working layer and the ledger; what is found is kept longer."""
    found = call.memory("Nothing was searched.", asks_once=True).recall(" ".join(query), limit)
    return call.answer(found, render.result_lines)


@command()
@click.option("--dry-run", is_flag=True, help="Only tell what would be moved.")
@click.option(
    "--ttl", "--ttl-override", metavar="AGE", help='Move all that was not used for so long, such as "24h".'
)
def consolidate(call: CommandCall, dry_run: bool, ttl: str | None) -> int:
    """Move memories that have expired into the ledger; pinned and important ones stay."""
    done = call.memory("Nothing was moved.").consolidate(dry_run=dry_run, ttl_override=ttl)
    return call.answer(done, render.consolidation_lines)


def _object(text: str) -> dict[str, Any]:
    try:
        said = json.loads(text)
    except (ValueError, RecursionError):
        said = None
    if not isinstance(said, dict):
        raise usage_error(
            "--metadata is no JSON object. Nothing was stored.",
            next_step="""--metadata '{"source": "mail"}'""",
        )
    return said
