"""Boxes for people, and what decides between them and JSON: no terminal, no box.

rich draws; what it has drawn goes through `tell` like all other text. Where the output is not UTF-8 the same
words stand without a box, and plain signs for the others.
"""

from __future__ import annotations

import shutil
import sys
from collections.abc import Sequence
from io import StringIO

import click

from scrimshaw.cli.support.command import CommandCall

_WIDEST = 100
_BAR = 10
_SIGNS = {"█": "#", "░": ".", "⚠️ ": "! ", "✅ ": "OK ", "❌": "x", "·": "-", "…": "...", "“": '"', "”": '"'}

as_text = click.option(
    "--text", "as_text", is_flag=True, help="Print for a person also where no terminal is."
)


def for_reader(call: CommandCall, as_text: bool) -> CommandCall:
    """Return *call* as it answers whoever reads: JSON where no terminal is, unless asked for text."""
    return call if as_text or sys.stdout.isatty() else call._replace(wants_json=True)


def is_utf8() -> bool:
    """Tell whether the output shows more than ASCII."""
    return "utf" in (sys.stdout.encoding or "utf-8").lower()


def plain_signs(text: str) -> str:
    """Return *text*; where the output is not UTF-8 without signs that it cannot show."""
    if is_utf8():
        return text
    for sign, plain in _SIGNS.items():
        text = text.replace(sign, plain)
    return text.encode("ascii", "replace").decode()


def bar(part: int, most: int) -> str:
    """Return a bar of ten for *part* of *most*; what is there at all has at least one."""
    filled = max(1, round(_BAR * part / most)) if part else 0
    return "█" * filled + "░" * (_BAR - filled)


def boxed(title: str, parts: Sequence[tuple[str, Sequence[str]]]) -> str:
    """Return *parts*, each a heading ("" for none) and its rows, in one box."""
    rows: list[str] = []
    for heading, told in parts:
        rows += ["", heading] if heading else []
        rows += [f"  {row}" if heading else row for row in told]
    if not is_utf8():
        return plain_signs("\n".join([title, *(f"  {row}".rstrip() for row in rows)]))
    from rich.box import ROUNDED  # rich: only where a box is drawn
    from rich.console import Console
    from rich.panel import Panel
    from rich.text import Text

    width = min(_WIDEST, shutil.get_terminal_size((_WIDEST, 24)).columns)
    drawn = StringIO()
    panel = Panel(Text("\n".join(rows)), title=Text(title), title_align="left", box=ROUNDED, expand=False)
    Console(file=drawn, width=width, color_system=None, force_terminal=False, legacy_windows=False).print(
        panel
    )
    return drawn.getvalue().rstrip("\n")
