"""A workspace with a conversation behind it, and proposals laid on its review list as a run lays them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from tests.places import Place

from scrimshaw.core.ledger.observations import PENDING, WAITS, ReviewProposal
from scrimshaw.core.types import Author, Kind, Line, Proposal, Rejected, Role
from scrimshaw.core.types import Place as Part
from scrimshaw.store.ledger import Ledger
from scrimshaw.store.records import Batch, Rejection

ZONE = "UTC"


@dataclass
class Desk:
    """What a reviewer has before them."""

    place: Place
    cited: str  # the entry that proposals cite, unless they say otherwise
    said_at_ms: int

    @contextmanager
    def ledger(self) -> Iterator[Ledger]:
        with self.place.ledger() as ledger:
            yield ledger

    def proposal(self, text: str, **changes: object) -> Proposal:
        made = Proposal(text, Kind.FACT, 3, (self.cited,), Role.USER, place=Part.LOG)
        return replace(made, **changes)  # type: ignore[arg-type]

    def lay(
        self,
        text: str,
        reason: str = PENDING,
        *,
        author: Author = Author.MODEL,
        said_at_ms: int = 0,
        at_ms: int = 0,
        **changes: object,
    ) -> int:
        """Lay a proposal on the list; return its number there."""
        detail = WAITS if reason == PENDING else f"it broke the rule {reason}"
        rejected = Rejected(self.proposal(text, **changes), reason, detail)
        said = said_at_ms or self.said_at_ms
        one = ReviewProposal(self.place.session.session_id, rejected, author, said, ZONE)
        with self.ledger() as ledger:
            ledger.accept(Batch("a run", at_ms or said, rejections=(one,)))
            return next((n.number for n in ledger.rejections(99) if n.rejected.proposal.text == text), 0)

    def listed(self, number: int) -> Rejection:
        with self.ledger() as ledger:
            found = ledger.rejection(number)
        assert found
        return found

    def lines(self) -> list[Line]:
        with self.ledger() as ledger:
            return ledger.all_lines()

    def line(self, part: str) -> Line:
        (found,) = [line for line in self.lines() if part in line.observation.text]
        return found


def desk_in(folder: Path, kind: str = "jsonl") -> Desk:
    """Set up a workspace whose conversation was observed."""
    place = Place(folder / "machine", kind)
    place.memory.write_text("# Memory\n\nmine\n")
    place.session.user("We decided to use Postgres 17.2 for the ledger.")
    place.session.assistant("Noted.")
    cited = place.session.user("The staging host is called basalt, and Dana wants the Q3 figures.")
    said_at_ms = place.session.at_ms - 600
    place.session.assistant("Understood.")
    place.save()
    assert place.run("observe", "--yes", "--now").code == 0
    return Desk(place, cited, said_at_ms)
