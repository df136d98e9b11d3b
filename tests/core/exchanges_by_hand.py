"""Windows written by hand: turns as text, in the order they were said."""

from collections.abc import Iterable
from datetime import UTC, datetime

from scrimshaw.core.extraction import observe
from scrimshaw.core.extraction.updates import claim_in
from scrimshaw.core.ledger.known_lines import KnownLines
from scrimshaw.core.types import (
    FOLLOWED,
    Author,
    Entry,
    Kind,
    Observation,
    Place,
    Proposal,
    Role,
    Session,
    SessionKind,
    ToolCall,
    Window,
)

SESSION = Session("s1", "agent:main:main", "main", SessionKind.DIRECT)
MONDAY = datetime(2026, 11, 16, 10, 0, tzinfo=UTC)
_ROLES = {"user": Role.USER, "assistant": Role.ASSISTANT, "tool": Role.TOOL, "failed": Role.TOOL}


def entries_of(*turns: tuple[str, str], said_at: datetime = MONDAY) -> tuple[Entry, ...]:
    """Return entries "e0", "e1", … of (who, text); who may be "call" (of a tool) and "failed" (its error)."""
    made = []
    for number, (who, text) in enumerate(turns):
        said_at_ms = int(said_at.timestamp() * 1000) + number * 60_000
        if who == "call":
            call = ToolCall(f"c{number}", "exec", text)
            made.append(Entry("s1", f"e{number}", number, said_at_ms, Role.ASSISTANT, "", (call,)))
            continue
        call_id = f"c{number - 1}" if who in ("tool", "failed") else ""
        made.append(
            Entry(
                "s1",
                f"e{number}",
                number,
                said_at_ms,
                _ROLES[who],
                text,
                call_id=call_id,
                is_error=who == "failed",
            )
        )
    return tuple(made)


def window_of(*turns: tuple[str, str], said_at: datetime = MONDAY) -> Window:
    return Window(SESSION, entries_of(*turns, said_at=said_at), 0, "UTC")


def proposals_of(
    *turns: tuple[str, str], known: KnownLines | None = None, said_at: datetime = MONDAY
) -> list[Proposal]:
    return list(observe(window_of(*turns, said_at=said_at), known or KnownLines()).proposals)


def ended_by(made: Iterable[Proposal]) -> list[str]:
    """Return the ids of the lines that *made* ends; those told again, with more behind them, go on."""
    return [
        id_
        for one in made
        if not (one.retells and FOLLOWED in one.text and one.place is one.retells.place)
        for id_ in (*one.replaces, *one.withdraws, *one.completes)
    ]


def texts_of(
    *turns: tuple[str, str], known: KnownLines | None = None, said_at: datetime = MONDAY
) -> list[str]:
    return [proposal.text for proposal in proposals_of(*turns, known=known, said_at=said_at)]


def line_of(
    text: str, *, id_: str = "old", kind: Kind = Kind.FACT, place: Place = Place.STANDING
) -> Observation:
    """Return an accepted line of the person's, said a day before."""
    return Observation(
        id=id_,
        text=text,
        kind=kind,
        priority=4,
        place=place,
        done=False,
        author=Author.RULES,
        session_id="s0",
        sources=("x1",),
        speaker=Role.USER,
        said_at_ms=int(MONDAY.timestamp() * 1000) - 86_400_000,
        local_date="2026-11-15",
        local_time="10:00",
        zone="UTC",
        claim=claim_in(text),
    )


def known_of(*lines: Observation) -> KnownLines:
    return KnownLines(lines)
