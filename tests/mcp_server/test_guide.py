"""The guide's lines of configuration are ones that the command takes."""

import json
import re
import shlex
from pathlib import Path

import click

from scrimshaw.cli.mcp import mcp
from scrimshaw.mcp_server.tools import TOOLS

_GUIDE = (Path(__file__).resolve().parents[2] / "docs" / "guide" / "mcp.md").read_text(encoding="utf-8")


def _blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", _GUIDE, re.MULTILINE | re.DOTALL)


def _servers() -> list[list[str]]:
    """Return the words behind `scrimshaw mcp` in every line that starts it."""
    found = []
    for block in _blocks("json"):
        (servers,) = json.loads(block).values()
        found.append(servers["scrimshaw"]["args"])
    for line in "".join(_blocks("bash")).splitlines():
        words = shlex.split(line)
        if "--command" in words:
            found.append([word for at, word in enumerate(words) if words[at - 1] == "--arg"])
        elif "--" in words:
            found.append(words[words.index("--") + 2 :])
    return found


def test_every_line_of_the_guide_starts_the_server() -> None:
    servers = _servers()

    assert len(servers) == 5
    for first, *options in servers:
        assert first == "mcp"
        assert mcp.make_context("mcp", list(options)).params["agent"] == "main"


def test_an_option_that_there_is_none_of_would_be_found() -> None:
    try:
        mcp.make_context("mcp", ["--agnet", "main"])
    except click.NoSuchOption:
        return
    raise AssertionError("it was taken")


def test_the_guide_tells_of_every_tool() -> None:
    assert set(re.findall(r"^\| `(memory_\w+)`", _GUIDE, re.MULTILINE)) == TOOLS.keys()
