"""Rejected proposals, kept with their reason for a person to look at."""

from __future__ import annotations

import json
from collections.abc import Iterable
from datetime import date
from hashlib import blake2b
from typing import Any

from scrimshaw.core.model import Claim, DateRef, Kind, Place, Proposal, Rejected, Role
from scrimshaw.store.database import Database
from scrimshaw.store.records import Rejection


def add(db: Database, at_ms: int, run_id: str, rejected: Iterable[tuple[str, Rejected]]) -> None:
    """Put (session id, rejected proposal) pairs on the review list, each only once; inside a transaction."""
    rows = []
    for session_id, item in rejected:
        proposal = json.dumps(_written(item.proposal), sort_keys=True)
        key = blake2b(f"{session_id}\0{item.reason}\0{proposal}".encode(), digest_size=16).digest()
        rows.append((key, at_ms, run_id, session_id, proposal, item.reason, item.detail))
    db.write_many(
        "insert or ignore into rejection (key, at_ms, run_id, session_id, proposal, reason, detail) "
        "values (?, ?, ?, ?, ?, ?, ?)",
        rows,
    )


def newest(db: Database, limit: int) -> list[Rejection]:
    """Return the newest *limit* rejections that nobody has decided on."""
    rows = db.rows(
        "select number, at_ms, run_id, session_id, proposal, reason, detail, state from rejection "
        "where state = 'open' order by number desc limit ?",
        (limit,),
    )
    return [
        Rejection(row[0], row[1], row[2], row[3], Rejected(_read(json.loads(row[4])), row[5], row[6]), row[7])
        for row in rows
    ]


def open_by_reason(db: Database) -> dict[str, int]:
    """Return how many wait for a decision, by reason."""
    return dict(db.rows("select reason, count(*) from rejection where state = 'open' group by reason"))


def _written(p: Proposal) -> dict[str, Any]:
    refers = p.refers_to
    return {
        "text": p.text,
        "kind": p.kind.value,
        "priority": p.priority,
        "sources": p.sources,
        "speaker": p.speaker.value,
        "place": p.place.value,
        "done": p.done,
        "refers_to": refers
        and [
            refers.start.isoformat(),
            refers.end and refers.end.isoformat(),
            refers.time,
            refers.phrase,
            refers.certain,
        ],
        "replaces": p.replaces,
        "withdraws": p.withdraws,
        "completes": p.completes,
        "claim": p.claim,
        "confidence": p.confidence,
        "salience": p.salience,
    }


def _read(written: dict[str, Any]) -> Proposal:
    refers, claim = written["refers_to"], written["claim"]
    lists = {name: tuple(written[name]) for name in ("sources", "replaces", "withdraws", "completes")}
    return Proposal(
        **{**written, **lists}
        | {
            "kind": Kind(written["kind"]),
            "speaker": Role(written["speaker"]),
            "place": Place(written["place"]),
            "refers_to": refers
            and DateRef(
                date.fromisoformat(refers[0]),
                refers[1] and date.fromisoformat(refers[1]),
                refers[2],
                refers[3],
                refers[4],
            ),
            "claim": claim and Claim(*claim),
        }
    )
