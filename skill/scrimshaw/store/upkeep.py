"""The ledger's size in numbers that are cheap at any size, and the nightly look at its health."""

from __future__ import annotations

from scrimshaw.store import lines, rejections, runs
from scrimshaw.store.database import Database
from scrimshaw.store.records import Counts


def counts(db: Database) -> Counts:
    tallies = runs.tallies(db)
    one = db.row(
        "select (select coalesce(max(seq), 0) from event), (select count(*) from observation), "
        "(select count(*) from standing where closed is null), "
        "(select count(*) from standing where closed is null and is_shown = 1), "
        "(select count(*) from session), (select coalesce(sum(covered), 0) from session), "
        "(select count(*) from revision where state = 'written')"
    )
    assert one
    version, observations, live, shown, sessions, covered, revisions = one
    redacted = {
        name.removeprefix("redacted:"): count
        for name, count in tallies.items()
        if name.startswith("redacted:")
    }
    owed: dict[str, int] = dict(
        db.rows("select target, count(*) from outbox where done_at_ms is null group by target")
    )
    rejected, awaiting = tallies.get("rejected", 0), rejections.open_by_reason(db)
    return Counts(
        *(version, observations, live, shown, sessions, covered),
        *(rejected, redacted, awaiting, owed, revisions),
    )


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
