"""What models cost: a row for each call, reserved before it is made and settled after it.

To reserve is one transaction of its own that looks at the caps and writes the most the call can cost, so two
processes cannot both take the last of a day. A call that was killed in between stays reserved, and counts.
What a run cost grows in the transaction that settles. Which call a cap has held back is noted beside it.
"""

from __future__ import annotations

import json
from datetime import date

from scrimshaw.core.policy.spending import Amount, Caps, Period, SpendRefusal, Spent, refusal, span_of
from scrimshaw.store.database import Database
from scrimshaw.store.records import Held, ModelCall, SpendRow

_HELD = "held-by-cap:"  # and the job: the newest call that a cap refused


def reserve(db: Database, call: ModelCall, caps: Caps) -> int | SpendRefusal:
    """Reserve the most that *call* can cost and return its number, or the cap that it could pass."""
    if db.is_in_transaction:
        raise ValueError("a reservation must stand before the call is made, whatever comes after it")
    with db.transaction():
        today, month = spent(db, "day", call.local_date), spent(db, "month", call.local_date)
        refused = refusal(caps, today, month, call.most)
        if refused is not None:
            _hold(db, call)
            return refused
        db.write("delete from meta where key = ?", (_HELD + call.job,))
        added = db.write(
            "insert into spend (at_ms, local_date, run_id, job, model, state, tokens_in, tokens_out, "
            "is_estimated, cost_microdollars) values (?, ?, ?, ?, ?, 'reserved', ?, ?, 1, ?)",
            (call.at_ms, call.local_date.isoformat(), call.run_id, call.job, call.model, *call.most),
        )
        return int(added.lastrowid or 0)


def settle_call(db: Database, number: int, amount: Amount, *, is_estimated: bool, outcome: str) -> None:
    """Put what call *number* used in the place of what was reserved, and add it to its run. Only once."""
    with db.transaction():
        done = db.write(
            "update spend set state = 'settled', tokens_in = ?, tokens_out = ?, is_estimated = ?, "
            "cost_microdollars = ?, outcome = ? where number = ? and state = 'reserved'",
            (amount.tokens_in, amount.tokens_out, is_estimated, amount.microdollars, outcome, number),
        )
        if not done.rowcount:
            raise ValueError(f"call {number} is not reserved")
        db.write(
            "update run set tokens_in = tokens_in + ?, tokens_out = tokens_out + ?, "
            "cost_microdollars = cost_microdollars + ?, unpriced = unpriced + ? "
            "where run_id = (select run_id from spend where number = ?)",
            (*amount[:2], amount.microdollars or 0, amount.microdollars is None, number),
        )


def spent(db: Database, period: Period, today: date) -> Spent:
    """Return what counts for the caps of *today*, what is only reserved included."""
    span = span_of(period, today)
    row = db.row(
        "select coalesce(sum(tokens_in + tokens_out), 0), coalesce(sum(cost_microdollars), 0), "
        "coalesce(sum(cost_microdollars is null), 0) from spend where local_date between ? and ?",
        (span.first.isoformat(), span.last.isoformat()),
    )
    assert row
    return Spent(*row)


def rows(db: Database, since: date | None = None) -> list[SpendRow]:
    """Return what was spent by day, model and job, oldest day first."""
    found = db.rows(
        "select local_date, model, job, count(*), sum(state = 'settled' and outcome != 'answer'), "
        "sum(state = 'reserved'), sum(is_estimated and tokens_in + tokens_out > 0), sum(tokens_in), "
        "sum(tokens_out), coalesce(sum(cost_microdollars), 0), sum(cost_microdollars is null) from spend "
        "where local_date >= ? group by local_date, model, job order by local_date, model, job",
        (since.isoformat() if since else "",),
    )
    return [SpendRow(date.fromisoformat(row[0]), *row[1:]) for row in found]


def held(db: Database) -> list[Held]:
    """Return the newest call of each job that a cap refused, when none was made since."""
    found = db.rows("select key, value from meta where key glob ? order by key", (f"{_HELD}*",))
    every = [(key.removeprefix(_HELD), json.loads(value)) for key, value in found]
    return [Held(job, told["model"], told["since_ms"], Amount(*told["most"])) for job, told in every]


def _hold(db: Database, call: ModelCall) -> None:
    key = _HELD + call.job
    known = db.row("select value from meta where key = ?", (key,))
    # Since when it waits is of interest, and a try every minute need not write.
    since_ms = json.loads(known[0])["since_ms"] if known else call.at_ms
    told = {"since_ms": min(since_ms, call.at_ms), "model": call.model, "most": list(call.most)}
    if not known or json.loads(known[0]) != told:
        db.write("insert or replace into meta (key, value) values (?, ?)", (key, json.dumps(told)))
