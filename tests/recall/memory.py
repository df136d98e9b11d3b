"""A workspace with a ledger of lines that a test names, and a search in it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from scrimshaw.config import Settings
from scrimshaw.core.types import Author, Event, EventType, Kind, Observation, Place, Role
from scrimshaw.layout import Layout
from scrimshaw.services.search.search import FoundLines, Recall, SearchMode, SearchQuery
from scrimshaw.store.ledger import Ledger, open_ledger
from scrimshaw.store.records import Batch

NOW = datetime(2026, 11, 20, 18, tzinfo=UTC)
OFF = Settings(embeddings="off")


def a_line(
    number: int, text: str, *, kind: Kind = Kind.FACT, day: str = "2026-11-20", **more: object
) -> Observation:
    at = datetime.fromisoformat(f"{day}T14:30:00+00:00")
    values: dict[str, object] = {
        "id": f"{number:024x}",
        "text": text,
        "kind": kind,
        "priority": 3,
        "place": Place.LOG,
        "done": False,
        "author": Author.RULES,
        "session_id": "s",
        "sources": (f"e{number}",),
        "speaker": Role.USER,
        "said_at_ms": int(at.timestamp() * 1000),
        "local_date": day,
        "local_time": "14:30",
        "zone": "UTC",
    }
    return Observation(**{**values, **more})  # type: ignore[arg-type]  # by name


@dataclass
class Memory:
    """One workspace."""

    root: Path
    count: int = 0

    def __post_init__(self) -> None:
        self.layout = Layout(self.root / "workspace")
        self.layout.state.mkdir(parents=True, mode=0o700)
        self.ledger().close()

    def ledger(self) -> Ledger:
        return open_ledger(self.layout.ledger, create=True)

    def note(self, *texts: str, **more: object) -> list[str]:
        """Accept a line for each text; return their ids."""
        made = []
        for text in texts:
            self.count += 1
            made.append(a_line(self.count, text, **more))  # type: ignore[arg-type]  # by name
        with self.ledger() as ledger:
            ledger.accept(Batch(observations=tuple(made), events=(), run_id="r", at_ms=1))
        return [one.id for one in made]

    def happen(self, type_: EventType, id_: str, other: str = "") -> None:
        with self.ledger() as ledger:
            ledger.append([Event(type_, id_, 2, "r", other)])

    def search(self, query: str, settings: Settings = OFF, **wanted: object) -> FoundLines:
        mode = wanted.pop("mode", SearchMode.HYBRID)
        with self.ledger() as ledger:
            return Recall(self.layout, ledger, settings, NOW).search(
                SearchQuery(query, mode=mode, **wanted)  # type: ignore[arg-type]  # by name
            )

    def texts(self, query: str, settings: Settings = OFF, **wanted: object) -> list[str]:
        return [hit.line.observation.text for hit in self.search(query, settings, **wanted).hits]
