"""What programs say that their models have used: summed by the owner's day and by model."""

from __future__ import annotations

from datetime import date

from scrimshaw.core.policy.caching import TokenUsage
from scrimshaw.working.database import WorkingDatabase


def keep_usage(db: WorkingDatabase, day: date, model: str, used: TokenUsage) -> None:
    """Add *used* to what *model* has used on *day*."""
    grown = ", ".join(f"{name} = {name} + excluded.{name}" for name in ("calls", *TokenUsage._fields[1:]))
    with db.transaction():
        db.write(
            f"insert into usage (local_date, model, calls, {', '.join(TokenUsage._fields[1:])}) "
            f"values (?, ?, ?, ?, ?, ?, ?) on conflict (local_date, model) do update set {grown}",
            (day.isoformat(), model, *used),
        )


def usage_since(db: WorkingDatabase, since: date) -> dict[str, TokenUsage]:
    """Return what was used from *since* on, by model."""
    sums = ", ".join(f"sum({name})" for name in ("calls", *TokenUsage._fields[1:]))
    rows = db.rows(
        f"select model, {sums} from usage where local_date >= ? group by model order by model",
        (since.isoformat(),),
    )
    return {row[0]: TokenUsage(*row[1:]) for row in rows}


def usage_by_day(db: WorkingDatabase, since: date) -> dict[date, TokenUsage]:
    """Return what was used from *since* on, by day."""
    sums = ", ".join(f"sum({name})" for name in ("calls", *TokenUsage._fields[1:]))
    rows = db.rows(
        f"select local_date, {sums} from usage where local_date >= ? group by local_date",
        (since.isoformat(),),
    )
    return {date.fromisoformat(row[0]): TokenUsage(*row[1:]) for row in rows}
