"""How much the ledger holds, in numbers that are cheap at any size: what `status` shows."""

from __future__ import annotations

from scrimshaw.store import rejections, runs
from scrimshaw.store.database import Database
from scrimshaw.store.records import Counts


def counts(db: Database) -> Counts:
    """Return the ledger's counts."""
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
    return Counts(
        version=version,
        observations=observations,
        live=live,
        shown=shown,
        sessions=sessions,
        covered=covered,
        rejected=tallies.pop("rejected", 0),
        redacted={name.removeprefix("redacted:"): count for name, count in tallies.items()},
        awaiting_review=rejections.open_by_reason(db),
        pending_outbox=dict(
            db.rows("select target, count(*) from outbox where done_at_ms is null group by target")
        ),
        revisions=revisions,
    )
