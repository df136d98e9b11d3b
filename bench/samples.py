"""The OpenClaw samples as direct sessions with redacted entries, read as the product reads them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from scrimshaw.core.types import Entry, Session, SessionKind
from scrimshaw.redaction import redact
from scrimshaw.sources.openclaw_jsonl import JsonlSource
from scrimshaw.sources.openclaw_sqlite import SqliteSource


def conversations(folder: Path) -> Iterator[tuple[Session, list[Entry]]]:
    """Yield the direct sessions of the sample in *folder*, oldest first."""
    stored = folder / "openclaw-agent.sqlite"
    source = SqliteSource(stored, "main") if stored.is_file() else JsonlSource(folder / "sessions", "main")
    try:
        for state in sorted(source.sessions(), key=lambda state: state.newest_at_ms):
            if state.session.kind is not SessionKind.DIRECT:
                continue
            entries = [entry for page in source.pages(state, None) for entry in page.entries]
            yield state.session, [entry._replace(text=redact(entry.text).text) for entry in entries]
    finally:
        source.close()
