"""What a person took out of the section stays out (rule 8).

A tombstone stands for one statement: by the entries it came from, by its claim, by its words. The person
saying it again later lifts nothing, but passes. A restored line lifts its stones. Over a line that others
were merged into stands one more for each of them: none comes back by an entry, a claim or words of its own.
"""

from __future__ import annotations

import hashlib

from scrimshaw.core.model import Observation, Role
from scrimshaw.store.database import Database
from scrimshaw.store.records import Tombstone


def raise_stone(db: Database, observation: Observation, at_ms: int, *, over: str) -> None:
    """Remember that *observation* was taken out by hand at *at_ms*, with or as the line of the id *over*."""
    claim = observation.claim
    stone = db.write(
        "insert into tombstone "
        "(observation_id, at_ms, text_hash, claim_subject, claim_predicate, claim_object) "
        "values (?, ?, ?, ?, ?, ?)",
        (over, at_ms, _hash(db, observation.text), *(claim or (None, None, None))),
    ).lastrowid
    db.write_many(
        "insert or ignore into tombstone_entry (session_id, entry_id, tombstone_number) values (?, ?, ?)",
        [(observation.session_id, entry_id, stone) for entry_id in observation.sources],
    )


def lift_stones(db: Database, observation_id: str, at_ms: int) -> None:
    """Let *observation_id* be observed again."""
    db.write(
        "update tombstone set lifted_at_ms = ? where observation_id = ? and lifted_at_ms is null",
        (at_ms, observation_id),
    )


def standing_over(db: Database, observation: Observation) -> Tombstone | None:
    """Return the tombstone that keeps *observation* out, or None.

    A shared source bars it unless the two claims say they are about different things: one message often
    holds several statements, and only one of them was deleted.
    """
    if db.row("select 1 from tombstone limit 1") is None:
        return None  # nearly always; asked for each line of a backlog
    claim = observation.claim
    found = db.rows(
        "select observation_id, at_ms, 'text' from tombstone where text_hash = ? and lifted_at_ms is null",
        (_hash(db, observation.text),),
    )
    if claim:
        found += db.rows(
            "select observation_id, at_ms, 'claim' from tombstone where claim_subject = ? "
            "and claim_predicate = ? and claim_object = ? and lifted_at_ms is null",
            claim,
        )
    for entry_id in observation.sources:
        found += db.rows(
            "select t.observation_id, t.at_ms, 'entries' from tombstone_entry e "
            "join tombstone t on t.number = e.tombstone_number "
            "where e.session_id = ? and e.entry_id = ? and t.lifted_at_ms is null "
            "and (?3 is null or t.claim_subject is null "
            "or (t.claim_subject = ?3 and t.claim_predicate = ?4))",
            (
                observation.session_id,
                entry_id,
                claim.subject if claim else None,
                claim.predicate if claim else None,
            ),
        )
    for observation_id, at_ms, by_what in found:
        if not (observation.speaker is Role.USER and observation.said_at_ms > at_ms):
            return Tombstone(observation_id, at_ms, by_what)
    return None


def _hash(db: Database, text: str) -> bytes:
    key = db.row("select value from meta where key = 'hash-key'")
    assert key, "a ledger has its hash key from its first transaction on"
    words = " ".join(text.casefold().split())
    return hashlib.blake2b(words.encode(), key=bytes.fromhex(key[0]), digest_size=16).digest()
