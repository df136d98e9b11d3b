"""The review list: proposals that broke a rule, or wait for a person, and what was decided on each.

A statement is listed once for each conversation, by its words: one that comes again while it waits only
brings what is known of it up to date. What was decided stays decided, unless the person says it again later.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable
from dataclasses import replace
from enum import StrEnum
from hashlib import blake2b
from typing import TYPE_CHECKING, Any

from scrimshaw.core.text.normalize import normal
from scrimshaw.core.types import (
    Author,
    Claim,
    DateRef,
    Kind,
    Observation,
    Place,
    Proposal,
    Rejected,
    Role,
    Window,
)
from scrimshaw.store import tombstones
from scrimshaw.store.database import Database
from scrimshaw.store.records import Rejection

if TYPE_CHECKING:
    from scrimshaw.core.ledger.observations import ReviewProposal

_COLUMNS = "number, at_ms, run_id, session_id, proposal, reason, detail, state, author, said_at_ms, zone"


class RejectionState(StrEnum):
    """Where a proposal on the list stands."""

    OPEN = "open"
    ACCEPTED = "accepted"
    EDITED = "edited"
    REJECTED = "rejected"


def refused_in(window: Window, rejected: Rejected, author: Author) -> ReviewProposal:
    """Return *rejected* for the list; it was said when the newest entry of *window* that it cites was."""
    from scrimshaw.core.ledger.observations import ReviewProposal

    cited = [e.said_at_ms for e in window.entries if e.entry_id in rejected.proposal.sources]
    said_at_ms = max(cited or [entry.said_at_ms for entry in window.entries], default=0)
    return ReviewProposal(window.session.session_id, rejected, author, said_at_ms, window.zone)


def add(
    db: Database, at_ms: int, run_id: str, refused: Iterable[ReviewProposal | tuple[str, Rejected]]
) -> None:
    """Put *refused* on the review list, each only once; inside a transaction."""
    from scrimshaw.core.ledger.observations import (
        ReviewProposal,  # it brings what makes lines, and a batch seldom refuses
    )

    for item in refused:
        one = _without_secrets(item if isinstance(item, ReviewProposal) else ReviewProposal(*item))
        if _is_forgotten(db, one):
            continue  # no list may tell of it (rule 21)
        key = _key(one)
        known = "select number, state, state_at_ms, proposal, reason from rejection where key = ?"
        found = db.row(known, (key,))
        values = (
            at_ms,
            run_id,
            json.dumps(_written(one.rejected.proposal), sort_keys=True),
            one.rejected.reason,
            one.rejected.detail,
            one.author.value,
            one.said_at_ms,
            one.zone,
        )
        if found is None:
            db.write(
                "insert into rejection (at_ms, run_id, proposal, reason, detail, author, said_at_ms, zone, "
                "key, session_id) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                (*values, key, one.session_id),
            )
        elif _is_news(one, RejectionState(found[1]), found[2] or 0, _read(json.loads(found[3])), found[4]):
            db.write(
                "update rejection set at_ms = ?, run_id = ?, proposal = ?, reason = ?, detail = ?, "
                "author = ?, said_at_ms = ?, zone = ?, state = 'open', state_at_ms = null where number = ?",
                (*values, found[0]),
            )


def _is_forgotten(db: Database, one: ReviewProposal) -> bool:
    if not tombstones.are_there(db):
        return False
    proposal = one.rejected.proposal
    said = Observation(
        id="",
        text=proposal.text,
        kind=proposal.kind,
        priority=proposal.priority,
        place=proposal.place,
        done=proposal.done,
        author=one.author,
        session_id=one.session_id,
        sources=proposal.sources,
        speaker=proposal.speaker,
        said_at_ms=one.said_at_ms,
        local_date="",
        local_time="",
        zone=one.zone,
    )
    return tombstones.is_forgotten(db, said)


def _without_secrets(one: ReviewProposal) -> ReviewProposal:
    """Return *one* redacted: what was refused may be invented, and nobody has looked for secrets in that."""
    from scrimshaw.redaction import redact  # its tables take 30 ms, and hardly a run refuses anything

    rejected, proposal = one.rejected, one.rejected.proposal
    claim, refers = proposal.claim, proposal.refers_to
    clean = replace(
        proposal,
        text=redact(proposal.text).text,
        sources=tuple(redact(source).text for source in proposal.sources),
        claim=claim and Claim(*(redact(part).text for part in claim)),
        refers_to=refers and refers._replace(phrase=redact(refers.phrase).text),
    )
    return one._replace(rejected=replace(rejected, proposal=clean, detail=redact(rejected.detail).text))


def _key(one: ReviewProposal) -> bytes:
    from scrimshaw.core.ledger.observations import CLOSING

    proposal = one.rejected.proposal
    words = f"{one.session_id}\0{normal(proposal.text)}\0{proposal.done}"
    if one.rejected.reason == CLOSING:  # of a line that may be on the list itself
        words += f"\0{proposal.replaces}\0{proposal.completes}"
    return blake2b(words.encode("utf-8", "surrogatepass"), digest_size=16).digest()


def _is_news(
    one: ReviewProposal, state: RejectionState, decided_at_ms: int, before: Proposal, reason: str
) -> bool:
    """Tell whether a statement that is on the list already is to be laid before a person again, or anew."""
    from scrimshaw.core.ledger.observations import is_verified

    proposal, is_pending = one.rejected.proposal, is_verified(one.rejected.reason)
    match state:
        case RejectionState.OPEN:
            return is_pending and not is_verified(reason)  # it has been verified since
        case RejectionState.REJECTED:
            return proposal.speaker is Role.USER and one.said_at_ms > decided_at_ms
        case _:
            # It was noted, and is no live line any more, or it would be a duplicate: so it holds again.
            return is_pending and set(proposal.sources).isdisjoint(before.sources)


def newest_rejections(
    db: Database, limit: int, *, but: Collection[str] = (), before: int | None = None
) -> list[Rejection]:
    """Return the newest *limit* proposals that nobody has decided on, none of the reasons in *but*.

    Only those *before* the proposal of this number, where one is named.
    """
    marks = ", ".join("?" * len(but))
    rows = db.rows(
        f"select {_COLUMNS} from rejection where state = 'open' and reason not in ({marks}) "
        "and (? is null or (at_ms, number) < (select at_ms, number from rejection where number = ?)) "
        "order by at_ms desc, number desc limit ?",
        (*but, before, before, limit),
    )
    return [_rejection(row) for row in rows]


def by_number(db: Database, number: int) -> Rejection | None:
    """Return one proposal of the list, whatever was decided on it."""
    row = db.row(f"select {_COLUMNS} from rejection where number = ?", (number,))
    return _rejection(row) if row else None


def settle_rejection(
    db: Database, number: int, state: RejectionState, at_ms: int, *, stone: Observation | None = None
) -> bool:
    """Note what was decided on a waiting proposal; False when somebody has decided already.

    With *stone* the words of that line stay out, unless the person says them again later. Only its words:
    what else the same entries say is nobody's to keep out.
    """
    done = db.write(
        "update rejection set state = ?, state_at_ms = ? where number = ? and state = 'open'",
        (state.value, at_ms, number),
    )
    if done.rowcount and stone is not None:
        words = replace(stone, sources=(), claim=None)
        tombstones.raise_stone(db, words, at_ms, over=stone.id)
    return bool(done.rowcount)


def _rejection(row: Any) -> Rejection:  # noqa: ANN401  # a row of the table
    number, at_ms, run_id, session_id, proposal, reason, detail, state, author, said_at_ms, zone = row
    rejected = Rejected(_read(json.loads(proposal)), reason, detail)
    return Rejection(number, at_ms, run_id, session_id, rejected, state, Author(author), said_at_ms, zone)


def open_by_reason(db: Database) -> dict[str, int]:
    """Return how many wait for a decision, by reason."""
    return dict(db.rows("select reason, count(*) from rejection where state = 'open' group by reason"))


def _written(proposal: Proposal) -> dict[str, Any]:
    import msgspec  # 30 ms, and hardly a run refuses anything

    row: dict[str, Any] = msgspec.to_builtins(replace(proposal, retells=None))
    del row["retells"]
    return row


def _read(written: dict[str, Any]) -> Proposal:
    import msgspec

    lists = {name: tuple(written[name]) for name in ("sources", "replaces", "withdraws", "completes")}
    return Proposal(
        **{**written, **lists}
        | {
            "kind": Kind(written["kind"]),
            "speaker": Role(written["speaker"]),
            "place": Place(written["place"]),
            "refers_to": msgspec.convert(written["refers_to"], DateRef | None),
            "claim": msgspec.convert(written["claim"], Claim | None),
        }
    )
