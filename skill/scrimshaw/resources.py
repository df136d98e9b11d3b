"""What comes with the program and is no code (the templates, SKILL.md), and how this very program is started.

A wheel holds them inside the package, a checkout (and so an editable install) beside `skill/`.
"""

from __future__ import annotations

import importlib.util
import os
import shlex
import sys
from pathlib import Path

_PACKAGE = Path(__file__).resolve().parent
_WITH_INSTALL = ("semantic", "archives")  # what scripts/install adds


def template(name: str) -> str:
    """Return the text of the template *name*, as it was shipped."""
    packaged = _PACKAGE / "templates" / name
    return (packaged if packaged.is_file() else _PACKAGE.parents[1] / "templates" / name).read_text("utf-8")


def plugin_folder() -> Path:
    """Return where the plug-in for OpenClaw lies, as it was shipped."""
    packaged = _PACKAGE / "plugin" / "openclaw"
    return packaged if packaged.is_dir() else _PACKAGE.parents[1] / "plugin" / "openclaw"


def skill_text() -> str:
    packaged = _PACKAGE / "SKILL.md"
    return (packaged if packaged.is_file() else _PACKAGE.parents[1] / "SKILL.md").read_text("utf-8")


def checkout() -> Path | None:
    """Return the folder of the checkout that this program runs from; None for an installed package."""
    root = _PACKAGE.parents[1]
    return root if (root / "SKILL.md").is_file() and (root / "scripts" / "scrimshaw").is_file() else None


def script(name: str) -> str:
    """Return the command that runs scripts/*name* of the checkout; "" for an installed package."""
    root = checkout()
    return shlex.quote(str(root / "scripts" / name)) if root else ""


def adding(extra: str, *, has_host: bool = True) -> str:
    """Return the command that adds what the optional part *extra* ("archives", "semantic") needs.

    scripts/install adds some, and sets up an OpenClaw: that is none for a home, without *has_host*. As it is
    printed it names the OpenClaw that was asked about (cli/support/terminal).
    """
    root = checkout()
    if root is None:
        return f'pip install "scrimshaw[{extra}]"'
    if has_host and extra in _WITH_INSTALL:
        return script("install")
    return installing(f"--editable {shlex.quote(f'{root}[{extra}]')}")


def installing(what: str) -> str:
    """Return the command that installs *what*, as a shell passes it to pip, for this program."""
    if "pipx" in Path(sys.prefix).parts:
        return f"pipx inject scrimshaw {what}"
    python = shlex.quote(sys.executable)
    if importlib.util.find_spec("pip") is None:
        return f"uv pip install --python {python} {what}"
    return f"{python} -m pip install {what}"


def program() -> tuple[str, ...]:
    """Return how others start this very scrimshaw, from any folder and with any PATH."""
    # -P: the folder that it is started in is no place to import from.
    return (os.path.abspath(sys.executable), "-P", "-m", "scrimshaw")  # noqa: PTH100  # a venv is a link
