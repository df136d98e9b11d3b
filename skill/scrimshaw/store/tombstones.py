"""What a person took out of the section stays out (rule 8), and what was forgotten all the more (rule 21).

A tombstone stands for one statement: by the entries it came from, by its claim, by its words. The person
saying it again later lifts nothing, but passes. A restored line lifts its stones. Over a line that others
were merged into stands one more for each of them: none comes back by an entry, a claim or words of its own.

Of a forgotten line its stone keeps the entry ids and a keyed hash, never a claim, which is words. A whole
conversation, or all that was said before some day, is forgotten by one stone with ANY for the ids: it keeps
out what was said until then, whoever said it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterable

from scrimshaw.core.types import Closed, Observation, Role
from scrimshaw.store.database import Database
from scrimshaw.store.records import Tombstone

ANY = "*"  # for the id of an entry or of a conversation: each of them


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


def raise_wide_stone(db: Database, at_ms: int, *, session_id: str = ANY) -> None:
    """Keep out what was said in a conversation, or in any, up to *at_ms*; once, however often it is asked."""
    if db.row(
        "select 1 from tombstone_entry e join tombstone t on t.number = e.tombstone_number "
        "where e.session_id = ? and e.entry_id = ? and t.at_ms >= ?",
        (session_id, ANY, at_ms),
    ):
        return
    sql = "insert into tombstone (observation_id, at_ms, text_hash) values ('', ?, x'')"
    stone = db.write(sql, (at_ms,)).lastrowid
    db.write("insert into tombstone_entry values (?, ?, ?)", (session_id, ANY, stone))


def keep_words_out(db: Database, texts: Iterable[str], at_ms: int) -> None:
    """Keep out what was said in the words of *texts* until *at_ms*: it was taken out, before this ledger."""
    db.write_many(
        "insert into tombstone (observation_id, at_ms, text_hash) values ('', ?, ?)",
        [(at_ms, _hash(db, text)) for text in texts],
    )


def drop_claims(db: Database, observations: Iterable[Observation]) -> None:
    """Take the claims of *observations* out of every stone: over another line there may be one for them."""
    held = db.rows("select number, text_hash from tombstone where claim_subject is not null")
    if held:
        gone = {_hash(db, observation.text) for observation in observations}
        db.write_many(
            "update tombstone set claim_subject = null, claim_predicate = null, claim_object = null "
            "where number = ?",
            [(number,) for number, text_hash in held if text_hash in gone],
        )


def are_there(db: Database) -> bool:
    """Tell whether anything was ever taken out or forgotten."""
    return db.row("select 1 from tombstone limit 1") is not None


def is_forgotten(db: Database, observation: Observation) -> bool:
    """Tell whether *observation* is, or rests on, what was forgotten: then it goes into no list either."""
    stone = standing_over(db, observation)
    return stone is not None and stone.is_forgotten


def lift_stones(db: Database, observation_id: str, at_ms: int) -> None:
    """Let *observation_id* be observed again."""
    db.write(
        "update tombstone set lifted_at_ms = ? where observation_id = ? and lifted_at_ms is null",
        (at_ms, observation_id),
    )


def standing_over(db: Database, observation: Observation, *, but: Collection[str] = ()) -> Tombstone | None:
    """Return the tombstone that keeps *observation* out, or None; those over the lines *but* do not count.

    A shared source bars it unless the two claims say they are about different things: one message often
    holds several statements, and only one of them was deleted.
    """
    if not are_there(db):
        return None  # nearly always; asked for each line of a backlog
    barring = [
        stone
        for stone in _about(db, observation)
        if stone.observation_id not in but
        and not (observation.speaker is Role.USER and observation.said_at_ms > stone.at_ms)
    ]
    barring += _wide(db, observation)
    # Of several the one that says most: what was forgotten is not even told of.
    closed = "select 1 from standing where observation_id = ? and closed = ?"
    for stone in barring:
        if stone.is_forgotten or db.row(closed, (stone.observation_id, Closed.FORGOTTEN.value)):
            return stone._replace(is_forgotten=True)
    return barring[0] if barring else None


def _about(db: Database, observation: Observation) -> list[Tombstone]:
    """Return the stones over its words, its claim and its entries."""
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
            (observation.session_id, entry_id, *(claim[:2] if claim else (None, None))),
        )
    return [Tombstone(*row) for row in found]


def _wide(db: Database, observation: Observation) -> list[Tombstone]:
    """Return the stones over the whole conversation, or over all that was said when *observation* was."""
    rows = db.rows(
        "select t.at_ms from tombstone_entry e join tombstone t on t.number = e.tombstone_number "
        "where e.session_id in (?, ?) and e.entry_id = ? and t.at_ms >= ?",
        (observation.session_id, ANY, ANY, observation.said_at_ms),
    )
    return [Tombstone("", at_ms, "session", is_forgotten=True) for (at_ms,) in rows]


def _hash(db: Database, text: str) -> bytes:
    key = db.row("select value from meta where key = 'hash-key'")
    assert key, "a ledger has its hash key from its first transaction on"
    words = " ".join(text.casefold().split())
    return hashlib.blake2b(words.encode(), key=bytes.fromhex(key[0]), digest_size=16).digest()
