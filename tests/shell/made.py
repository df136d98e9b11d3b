"""Observations made for tests, and a way to be a user whom permissions bind."""

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from scrimshaw.core.types import Author, Kind, Observation, Place, Role, Session, SessionKind

SESSION = Session("s1", "agent:main:main", "main", SessionKind.DIRECT)
_NOBODY = 65534


def observation(number: int, **parts: Any) -> Observation:
    values: dict[str, Any] = {
        "id": f"o{number}",
        "text": f"statement number {number}",
        "kind": Kind.FACT,
        "priority": 3,
        "place": Place.LOG,
        "done": False,
        "author": Author.RULES,
        "session_id": SESSION.session_id,
        "sources": (f"e{number}",),
        "speaker": Role.USER,
        "said_at_ms": 1_000 + number,
        "local_date": "2026-11-16",
        "local_time": "08:47",
        "zone": "Europe/Paris",
    }
    return Observation(**{**values, **parts})


@contextmanager
def ordinary_user() -> Iterator[Path]:
    """Yield a folder, as somebody who is not root: root may write everywhere."""
    is_root = os.geteuid() == 0
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        if is_root:
            os.chown(folder, _NOBODY, _NOBODY)
            os.seteuid(_NOBODY)
        try:
            yield folder
        finally:
            if is_root:
                os.seteuid(0)
            folder.chmod(0o700)
