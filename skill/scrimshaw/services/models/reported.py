"""What programs report of their own models' use; `spending` shows it."""

from __future__ import annotations

from datetime import datetime
from zoneinfo import ZoneInfo

from scrimshaw.core.policy.caching import TokenUsage
from scrimshaw.redaction import holds_token
from scrimshaw.working.database import WorkingDatabase
from scrimshaw.working.usage import keep_usage
from scrimshaw.workspace import Target

_MOST_TOKENS = 10**9
_MOST_NAME_CHARS = 200


def keep(
    target: Target,
    db: WorkingDatabase,
    now: datetime,
    model: str,
    used: tuple[int, int, int, int],
    id_: str = "",
) -> None:
    """Keep what one answer used: input, output, written into the cache, read from it. Raises ValueError."""
    if len(model) > _MOST_NAME_CHARS or not (model.isprintable() or not model):
        raise ValueError("model: at most 200 printable characters")
    if not all(type(count) is int and 0 <= count <= _MOST_TOKENS for count in used):
        raise ValueError("tokens are counted from 0 to 1,000,000,000")
    if holds_token(model) or holds_token(id_):
        raise ValueError("model, id: one holds what looks like a secret, and names are kept as they are")
    day = now.astimezone(ZoneInfo(target.zone)).date()
    keep_usage(db, day, model, TokenUsage(1, *used), id_)
