"""The nightly look at the ledger's own health."""

from __future__ import annotations

from scrimshaw.store import lines
from scrimshaw.store.database import Database

_MOST_NAMED = 3
_KEPT_MS = 90 * 86_400_000


def check(db: Database) -> list[str]:
    """Look for damage, replay every event into the standings, fold the log into the file.

    Returns what was found, in sentences: nothing when all is well.
    """
    found = [row[0] for row in db.rows("pragma quick_check(10)") if row[0] != "ok"]
    if found:
        return [f"{db.path}: the ledger is damaged ({'; '.join(map(str, found[:_MOST_NAMED]))})."]
    wrong = lines.rebuild(db)
    db.rows("pragma optimize")
    db.rows("pragma wal_checkpoint(passive)")
    return [f"{db.path}: {wrong} standing(s) were not what the events say; mended."] if wrong else []


def thin(db: Database, now_ms: int) -> None:
    """Forget runs of which nothing came and requests that were answered, after 90 days."""
    with db.transaction():
        before = (now_ms - _KEPT_MS,)
        db.write(
            "delete from run where started_at_ms < ? and proposals = 0 and job in ('observe', 'publish') "
            "and run_id not in (select run_id from revision) and run_id not in (select run_id from spend)",
            before,
        )
        db.write("delete from request where done_at_ms < ?", before)
