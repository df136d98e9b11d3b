"""A note and what it cites, written by hand, before the gate."""

from datetime import UTC, datetime

from scrimshaw.core.ledger.known_lines import KnownLines
from scrimshaw.core.types import UNREAD, Entry, Kind, Proposal, Rejected, Role, Session, SessionKind, Window
from scrimshaw.core.verification.judge import judge_as_read
from scrimshaw.core.verification.verify import Evidence, judge, prepare

MONDAY_MS = int(datetime(2026, 11, 16, 10, 5, tzinfo=UTC).timestamp() * 1000)
SESSION = Session("s", "agent:main:main", "main", SessionKind.DIRECT)
_ROLES = {"U": Role.USER, "A": Role.ASSISTANT, "T": Role.TOOL}


def reason(note: str, *said: str, speaker: Role | None = None, kind: Kind = Kind.FACT) -> str:
    """Return why the gate refuses *note*, "" when it passes.

    Each of *said* begins with U, A or T for who said it; the first one's is the speaker without *speaker*.
    """
    verdict = judge(*_told(note, said, speaker, kind), KnownLines())
    return verdict.reason if isinstance(verdict, Rejected) else ""


def unread(note: str, *said: str, kind: Kind = Kind.FACT) -> str:
    """Return why *note*, a model's that nobody has read again, is not noted; "" when it is."""
    verdict = judge_as_read(*_told(note, said, None, kind), KnownLines(), UNREAD)
    return verdict.reason if isinstance(verdict, Rejected) else ""


def _told(note: str, said: tuple[str, ...], speaker: Role | None, kind: Kind) -> tuple[Proposal, Evidence]:
    entries = tuple(
        Entry("s", f"e{number}", number, MONDAY_MS + number, _ROLES[text[0]], text[2:])
        for number, text in enumerate(said, start=1)
    )
    sources = tuple(entry.entry_id for entry in entries)
    proposal = Proposal(note, kind, 3, sources, speaker or entries[0].role)
    return proposal, prepare(Window(SESSION, entries, 0, "UTC"))
