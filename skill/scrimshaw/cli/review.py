"""`scrimshaw review`."""

from __future__ import annotations

import click


@click.command()
def command() -> int:
    """Not built yet."""
    raise NotImplementedError
