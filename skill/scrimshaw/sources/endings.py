"""The marks that a conversation came to an end, looked for among what is unread.

A reset and a compaction are entries; after either the agent no longer has the conversation in mind, so
what was said should be in MEMORY.md. In the JSONL era a reset also renames the file. The look is
bounded and cheap, and what it cannot tell counts as an end: that only means observing sooner.

Types are looked for in the raw bytes: quotes inside of texts are escaped, so a text that speaks of a
compaction is none; a field of another name that holds one is taken for it, which does no harm.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from scrimshaw.sources.jsonl_folder import Part

MAX_LOOK_BYTES = 4 << 20
_END = re.compile(rb'"type"\s*:\s*"(?:reset|compaction)"')
_SAID = re.compile(rb'"type"\s*:\s*"message"')


def marks_end(raw: bytes) -> bool:
    """Tell whether the stored entries in *raw* hold an end."""
    return _END.search(raw) is not None


def files_mark_end(parts: Sequence[Part], offset: int) -> bool:
    """Tell whether *parts*, the first one from *offset* on, hold an end; True for more than 4 MiB."""
    for part in parts:
        unread = part.size - offset
        if unread > 0 and (part.rotated or unread > MAX_LOOK_BYTES or _file_marks_end(part, offset)):
            return True
        offset = 0
    return False


def files_go_on(parts: Sequence[Part]) -> bool:
    """Tell whether the last of *parts* holds a message behind its last end, in its last 4 MiB."""
    try:
        with parts[-1].path.open("rb") as file:
            file.seek(max(0, parts[-1].size - MAX_LOOK_BYTES))
            tail = file.read(MAX_LOOK_BYTES)
    except (OSError, IndexError):
        return False
    ends = [found.end() for found in _END.finditer(tail)]
    return _SAID.search(tail, ends[-1] if ends else 0) is not None


def _file_marks_end(part: Part, offset: int) -> bool:
    try:
        with part.path.open("rb") as file:
            file.seek(offset)
            return marks_end(file.read(MAX_LOOK_BYTES))
    except OSError:
        return False  # what cannot be read cannot be observed either
