"""Tokens that programs report for their models: summed by the owner's day and by model."""

from __future__ import annotations

from datetime import date, timedelta

from scrimshaw.core.policy.caching import TokenUsage
from scrimshaw.working.database import WorkingDatabase


def keep_usage(db: WorkingDatabase, day: date, model: str, used: TokenUsage, id_: str = "") -> None:
    """Add *used* to what *model* has used on *day*; with an *id_* once, for a week."""
    grown = ", ".join(f"{name} = {name} + excluded.{name}" for name in ("calls", *TokenUsage._fields[1:]))
    with db.transaction():
        if id_:
            last_week = (day - timedelta(days=7)).isoformat()
            db.write(
                "delete from meta where name >= 'usage:' and name < 'usage;' and value < ?", (last_week,)
            )
            mark = (f"usage:{id_}", day.isoformat())
            if not db.write("insert or ignore into meta (name, value) values (?, ?)", mark):
                return
        db.write(
            f"insert into usage (local_date, model, calls, {', '.join(TokenUsage._fields[1:])}) "
            f"values (?, ?, ?, ?, ?, ?, ?) on conflict (local_date, model) do update set {grown}",
            (day.isoformat(), model, *used),
        )


def usage_since(db: WorkingDatabase, since: date) -> dict[str, TokenUsage]:
    """Return the tokens used since *since*, by model."""
    return _summed(db, "model", since)


def usage_by_day(db: WorkingDatabase, since: date) -> dict[date, TokenUsage]:
    """Return the tokens used since *since*, by day."""
    return {date.fromisoformat(day): used for day, used in _summed(db, "local_date", since).items()}


def _summed(db: WorkingDatabase, column: str, since: date) -> dict[str, TokenUsage]:
    sums = ", ".join(f"sum({name})" for name in ("calls", *TokenUsage._fields[1:]))
    rows = db.rows(
        f"select {column}, {sums} from usage where local_date >= ? group by {column} order by {column}",
        (since.isoformat(),),
    )
    return {row[0]: TokenUsage(*row[1:]) for row in rows}
