"""What OpenClaw does when nothing is configured, by version.

Read from the released packages: 2026.3.8, 4.27, 5.28, 6.6, 7.1-2, 7.35 (the JSONL line that lives on
as `extended-stable`), 8.1, 9.1, 9.6. Between two of them the smaller limit is taken: a section that
is too small is whole, one that is too large is cut in the middle.
"""

from __future__ import annotations

import re
from typing import NamedTuple

Version = tuple[int, int, int]
_NUMBER = re.compile(r"(\d{4})\.(\d{1,2})\.(\d{1,3})")


class HostDefaults(NamedTuple):
    """Limits are in UTF-16 units; *order* is the order of injection, MEMORY.md last."""

    per_file: int
    total: int
    user_file: int | None  # USER.md's own cap
    dreaming: bool
    order: tuple[str, ...]
    optional: frozenset[str]  # injected only when present; others cost a "[MISSING]" line


_ORDER = ("AGENTS.md", "SOUL.md", "IDENTITY.md", "USER.md", "BOOTSTRAP.md", "MEMORY.md")
_OLD_ORDER = (
    "AGENTS.md",
    "SOUL.md",
    "TOOLS.md",
    "IDENTITY.md",
    "USER.md",
    "HEARTBEAT.md",
    "BOOTSTRAP.md",
    "MEMORY.md",
)
_OPTIONAL = frozenset({"USER.md", "BOOTSTRAP.md", "MEMORY.md"})
_OLD_OPTIONAL = frozenset({"BOOTSTRAP.md", "MEMORY.md"})

_CURRENT = HostDefaults(20_000, 60_000, 4_000, True, _ORDER, _OPTIONAL)
_JSONL = HostDefaults(20_000, 60_000, None, False, _OLD_ORDER, _OLD_OPTIONAL)


def parse_version(text: str) -> Version | None:
    """Return (year, month, number) of the version in *text*, or None."""
    match = _NUMBER.search(text)
    return (int(match[1]), int(match[2]), int(match[3])) if match else None


def is_jsonl_era(version: Version) -> bool:
    """Return whether *version* keeps transcripts as JSONL: up to 2026.7.1, and `extended-stable`."""
    return version < (2026, 7, 2) or (2026, 7, 30) <= version < (2026, 8, 0)


def defaults_of(version: Version | None) -> HostDefaults:
    """Return what *version* does when nothing is configured; the newest known for None."""
    if version is None or not is_jsonl_era(version):
        return _CURRENT
    if version <= (2026, 3, 8):
        return _JSONL._replace(total=150_000)
    if version < (2026, 6, 6):
        return _JSONL._replace(per_file=12_000)
    return _JSONL
