"""The readable resources: the section, and each day's lines."""

from __future__ import annotations

import re
from datetime import date, timedelta
from typing import Any

from scrimshaw.core.text.moments import moment
from scrimshaw.errors import UserError
from scrimshaw.mcp_server.answers import NOTICE
from scrimshaw.mcp_server.calls import MemoryTools

SECTION = "scrimshaw://section"
_DAY = re.compile(r"scrimshaw://day/(\d{4}-\d{2}-\d{2})")
_DAYS_LISTED = 14
_MOST_BYTES = 65_536
_MARKDOWN = "text/markdown"
TEMPLATES = [
    {
        "uriTemplate": "scrimshaw://day/{date}",
        "name": "day",
        "description": "What was noted of a day, such as 2026-11-03.",
        "mimeType": _MARKDOWN,
    }
]


def list_resources(tools: MemoryTools) -> list[dict[str, Any]]:
    """Return the section, and the last two weeks' days with lines, the newest first."""
    section = {
        "uri": SECTION,
        "name": "section",
        "description": "The agent's observations, as its prompt has them.",
        "mimeType": _MARKDOWN,
    }
    return [
        section,
        *({"uri": f"scrimshaw://day/{day}", "name": day, "mimeType": _MARKDOWN} for day in _days(tools)),
    ]


def read(tools: MemoryTools, uri: str) -> list[dict[str, Any]]:
    """Return the contents of *uri*; raises KeyError for an unknown resource, and UserError."""
    text = (tools.section() or "Nothing was noted yet.") if uri == SECTION else _day(tools, uri)
    return [{"uri": uri, "mimeType": _MARKDOWN, "text": _bounded(f"> {NOTICE}\n\n{text}\n")}]


def _day(tools: MemoryTools, uri: str) -> str:
    named = _DAY.fullmatch(uri)
    if named is None:
        raise KeyError(uri)
    memory = tools.memory
    try:
        day = date.fromisoformat(named[1])
        moment(named[1], memory.now(), memory.target.zone)
    except ValueError:
        raise KeyError(uri) from None
    every = memory.timeline(since=day, until=day, limit=_MOST_BYTES).lines  # more than there is room for
    lines = [line for line, standing in every if standing.is_live]
    rows = [f"- {one.local_time} {one.text} (id: {one.id})".replace("-  ", "- ") for one in lines]
    return "\n".join([f"# {day}", "", *(rows or ["Nothing was noted of this day."])])


def _days(tools: MemoryTools) -> list[str]:
    try:
        memory = tools.memory
        since = memory.now().date() - timedelta(days=_DAYS_LISTED)
        lines = memory.timeline(since=since, limit=1_000).lines
    except UserError:
        return []  # reading one says why
    return sorted({line.observation.local_date for line in lines}, reverse=True)[:_DAYS_LISTED]


def _bounded(text: str) -> str:
    held = text.encode()
    if len(held) <= _MOST_BYTES:
        return text
    return held[:_MOST_BYTES].decode(errors="ignore").rpartition("\n")[0] + "\n…\n"
