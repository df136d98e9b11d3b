"""Runs: one row for each attempt of a job, with what it did and what it cost.

Counts grow in the transaction of the batch they count, so a killed run has counted exactly what stands.
Tokens and cost grow in the one that settles a call (store/spending): an answer is paid for, whatever comes
of it.
"""

from __future__ import annotations

import json
from dataclasses import replace

from scrimshaw.store.database import Database, Row
from scrimshaw.store.records import Run, RunCost, RunCounts

_COUNTS = "windows, entries, proposals, accepted, rejected, redacted"
_COST = "tokens_in, tokens_out, cost_microdollars, unpriced"
_HEAD = "run_id, job, trigger, observer, started_at_ms, finished_at_ms, outcome, error"
_RUN = f"{_HEAD}, {_COUNTS}, prompt, {_COST}"

QUARTER_MS = 15 * 60 * 1000  # of the table `reading`


def begin(db: Database, run: Run) -> None:
    with db.transaction():
        db.write(
            "insert into run (run_id, job, trigger, observer, started_at_ms) values (?, ?, ?, ?, ?)",
            (run.run_id, run.job, run.trigger, run.observer, run.started_at_ms),
        )


def finish(db: Database, run_id: str, *, outcome: str, at_ms: int, error: str = "") -> None:
    """Note how *run_id* ended."""
    with db.transaction():
        db.write(
            "update run set finished_at_ms = ?, outcome = ?, error = ? where run_id = ?",
            (at_ms, outcome, error, run_id),
        )


def note_prompt(db: Database, run_id: str, sha256: str) -> None:
    """Note what a model was told to do in *run_id*; the newest when there were several."""
    with db.transaction():
        db.write("update run set prompt = ? where run_id = ? and prompt != ?", (sha256, run_id, sha256))


def drop(db: Database, run_id: str) -> None:
    """Forget *run_id*, of which nothing came; one that has asked a model stays."""
    with db.transaction():
        db.write(
            "delete from run where run_id = ? and proposals = 0 and entries = 0 "
            "and run_id not in (select run_id from spend)",
            (run_id,),
        )


def last(db: Database, job: str = "") -> Run | None:
    """Return the newest run of *job*; of any job when it is ""."""
    row = db.row(f"select {_RUN} from run where ? in ('', job) order by rowid desc limit 1", (job,))
    return _run(row) if row else None


def by_id(db: Database, run_id: str) -> Run | None:
    row = db.row(f"select {_RUN} from run where run_id = ?", (run_id,))
    return _run(row) if row else None


def _run(row: Row) -> Run:
    counts = RunCounts(*row[8:13])._replace(redacted=json.loads(row[13]))
    return replace(Run(*row[:8]), counts=counts, prompt=row[14], cost=RunCost(*row[15:]))


def count(db: Database, run_id: str, counts: RunCounts) -> None:
    """Add *counts* to a run that has begun, and to the tallies of all runs; inside a transaction."""
    row = db.row("select redacted, started_at_ms from run where run_id = ?", (run_id,))
    if row is None:
        raise ValueError(f"run {run_id} counts before it has begun")
    redacted = json.loads(row[0])
    for name, number in counts.redacted.items():
        redacted[name] = redacted.get(name, 0) + number
    numbers = counts._replace(redacted={})
    db.write(
        "update run set windows = windows + ?, entries = entries + ?, proposals = proposals + ?, "
        "accepted = accepted + ?, rejected = rejected + ?, redacted = ? where run_id = ?",
        (*numbers[:5], json.dumps(redacted, sort_keys=True), run_id),
    )
    tallies = {f"redacted:{name}": number for name, number in counts.redacted.items()}
    tallies |= {"rejected": counts.rejected, "read_tokens": counts.read_tokens}
    db.write_many(
        "insert into tally (name, count) values (?, ?) "
        "on conflict (name) do update set count = count + excluded.count",
        [(name, number) for name, number in tallies.items() if number],
    )
    if counts.read_tokens:
        db.write(
            "insert into reading (quarter, tokens) values (?, ?) "
            "on conflict (quarter) do update set tokens = tokens + excluded.tokens",
            (row[1] // QUARTER_MS, counts.read_tokens),
        )


def tallies(db: Database) -> dict[str, int]:
    """Return what is counted as it happens, by name: "rejected", "redacted:TYPE", those of m007_tallies."""
    return dict(db.rows("select name, count from tally"))
