"""What comes with the program and is no code (the templates, SKILL.md), and how this very program is started.

A wheel holds them inside the package, a checkout (and so an editable install) beside `skill/`.
"""

from __future__ import annotations

import os
import shlex
import sys
from pathlib import Path

_PACKAGE = Path(__file__).resolve().parent


def template(name: str) -> str:
    """Return the text of the template *name*, as it was shipped."""
    packaged = _PACKAGE / "templates" / name
    return (packaged if packaged.is_file() else _PACKAGE.parents[1] / "templates" / name).read_text("utf-8")


def plugin_folder() -> Path:
    """Return where the plug-in for OpenClaw lies, as it was shipped."""
    packaged = _PACKAGE / "plugin" / "openclaw"
    return packaged if packaged.is_dir() else _PACKAGE.parents[1] / "plugin" / "openclaw"


def skill_text() -> str:
    """Return SKILL.md as it was shipped."""
    packaged = _PACKAGE / "SKILL.md"
    return (packaged if packaged.is_file() else _PACKAGE.parents[1] / "SKILL.md").read_text("utf-8")


def checkout() -> Path | None:
    """Return the folder of the checkout that this program runs from; None for an installed package."""
    root = _PACKAGE.parents[1]
    return root if (root / "SKILL.md").is_file() and (root / "scripts" / "scrimshaw").is_file() else None


def adding(extra: str) -> str:
    """Return the command that adds what the optional part *extra* ("archives", "semantic") needs."""
    root = checkout()
    return shlex.quote(str(root / "scripts" / "install")) if root else f'pip install "scrimshaw[{extra}]"'


def program() -> tuple[str, ...]:
    """Return how others start this very scrimshaw, from any folder and with any PATH."""
    # -P: the folder that it is started in is no place to import from.
    return (os.path.abspath(sys.executable), "-P", "-m", "scrimshaw")  # noqa: PTH100  # a venv is a link
