"""`scrimshaw unpin`: let a pinned line take its turn again."""

from __future__ import annotations

import os
from typing import Any

import click

from scrimshaw.cli.pin import turn
from scrimshaw.cli.support.one_workspace import PASTABLE
from scrimshaw.cli.support.options import as_json, which


@click.command(context_settings=PASTABLE)
@click.argument("text")
@which
@click.option("--now", "is_now", is_flag=True, help="Write MEMORY.md even in the middle of a conversation.")
@as_json
def command(text: str, **asked: Any) -> int:  # noqa: ANN401  # click's options
    """Unpin the line that TEXT names (words of it, or its id): it is ranked like any other again."""
    return turn(text, asked, os.environ, pins=False)
