"""What the host's models have used, from its transcripts: they hold the provider's count for each answer.

Read when somebody asks, the newest files first, up to MOST_BYTES; nothing is kept. What is no number of
tokens counts as none, and an answer that was copied into another session counts once.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import date, datetime
from pathlib import Path
from typing import NamedTuple
from zoneinfo import ZoneInfo

import orjson
import zstandard

from scrimshaw.core.policy.caching import TokenUsage
from scrimshaw.core.transcript.entries import parse_time
from scrimshaw.errors import UserError
from scrimshaw.sources.jsonl_folder import Part, list_parts
from scrimshaw.sources.openclaw_sqlite import EVENT_COLUMNS
from scrimshaw.sources.reading import MAX_EVENT_BYTES
from scrimshaw.sources.sqlite_store import Store
from scrimshaw.sources.sqlite_tables import SESSION_IDS, decoded_text, fetch_rows, unpacked

MOST_BYTES = 256 << 20
_MARK = b'"usage"'
_MOST_TOKENS = 10**9  # of one answer
_LAST_SEQ = (1 << 63) - 1
_LATEST_MS = 32_503_680_000_000  # the year 3000: a transcript may say anything


class HostUsage(NamedTuple):
    """What was used, by model and by the owner's day; *is_whole*: there was no more to read."""

    by_model: dict[str, TokenUsage]
    is_whole: bool = True
    by_day: Mapping[date, TokenUsage] = {}


def host_usage(
    stores: list[tuple[str, Path]], since_ms: int, most_bytes: int = MOST_BYTES, *, zone: str = "UTC"
) -> HostUsage:
    """Return what the answers since *since_ms* used; *stores* are kinds ("jsonl", "sqlite") with their paths.

    Days are those of *zone*.

    A store that cannot be read is left out: whoever observes says what is wrong with it.
    """
    found: dict[str, TokenUsage] = {}
    days: dict[date, TokenUsage] = {}
    seen: set[str] = set()
    left, in_zone = most_bytes, ZoneInfo(zone)
    for kind, path in stores:
        raws = _jsonl(path, since_ms) if kind == "jsonl" else _sqlite(path) if kind == "sqlite" else iter(())
        try:
            for raw in raws:
                left -= len(raw)
                if left < 0:
                    return HostUsage(found, is_whole=False, by_day=days)
                if _MARK in raw and (answer := _answer(raw, since_ms, seen)):
                    model, at_ms, used = answer
                    found[model] = found.get(model, TokenUsage()).plus(used)
                    if at_ms:
                        day = datetime.fromtimestamp(at_ms / 1000, in_zone).date()
                        days[day] = days.get(day, TokenUsage()).plus(used)
        except UserError:
            continue
    return HostUsage(found, by_day=days)


def _jsonl(folder: Path, since_ms: int) -> Iterator[bytes]:
    parts = [part for chain in list_parts(folder).parts.values() for part in chain]
    for part in sorted(parts, key=lambda one: -one.changed_ns):
        if part.changed_ns // 1_000_000 >= since_ms:
            yield from _lines(part)


def _lines(part: Part) -> Iterator[bytes]:
    try:
        with part.path.open("rb") as file:
            while line := file.readline(MAX_EVENT_BYTES):
                yield line
    except OSError:
        return


def _sqlite(path: Path) -> Iterator[bytes]:
    store = Store(path)
    try:
        if not store.has("transcript_events", "session_id", "seq"):
            return
        columns = ", ".join(store.column("transcript_events", name) for name in EVENT_COLUMNS)
        unpack = zstandard.ZstdDecompressor().decompress
        for (named,) in store.rows(SESSION_IDS):
            session_id, after = decoded_text(named), -1
            while rows := store.read(
                lambda db, at=after, one=session_id: fetch_rows(db, columns, one, at, _LAST_SEQ)  # type: ignore[misc]
            ):
                after = rows[-1][0]
                for _, text, frame in rows:
                    try:
                        yield text if type(text) is bytes else unpacked(text, frame, unpack)
                    except ValueError:
                        continue
    finally:
        store.close()


def _answer(raw: bytes, since_ms: int, seen: set[str]) -> tuple[str, int, TokenUsage] | None:
    """Return what one answer used, with its model and when it was (0: it does not say)."""
    try:
        event = orjson.loads(raw)
    except ValueError:
        return None
    match event:
        case {"message": {"role": "assistant", "usage": dict(usage)} as message}:
            at = message.get("timestamp") or event.get("timestamp")
            at_ms = at if type(at) is int else parse_time(at) if type(at) is str else None
            id_ = event.get("id")
            if (at_ms or 0) < since_ms or (type(id_) is str and id_ in seen):
                return None
            if type(id_) is str:
                seen.add(id_)
            names = ("input", "output", "cacheWrite", "cacheRead")
            used = TokenUsage(1, *(_tokens(usage.get(name)) for name in names))
            if used.prompt_tokens or used.output_tokens:
                said = message.get("model")
                model = said[:200] if type(said) is str and said.isprintable() else ""
                return model, min(max(0, at_ms or 0), _LATEST_MS), used
    return None


def _tokens(said: object) -> int:
    return said if type(said) is int and 0 <= said <= _MOST_TOKENS else 0
