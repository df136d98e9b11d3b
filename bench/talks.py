"""Conversations as an agent's provider meets them: one request after the other, with times and sizes.

A request is sent for every message of the assistant; it brings what was said since the one before. BEAM has
no clock within a day, so the person's pauses are drawn (lognormal, median 44 s, one in ten above 3 minutes:
those of the two real coding sessions beside it) and an answer takes its tokens / 60 seconds. Real sessions
keep their own times, are counted from the raw lines, and say what their provider billed, so that the replay
can be checked. Tokens are core/transcript/windows's estimate, which errs on the high side; ratios hardly
depend on it.
"""

from __future__ import annotations

import math
import random
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import orjson

from bench.beam import load_chats
from bench.material import Material
from scrimshaw.core.transcript.windows import estimate_tokens
from scrimshaw.core.types import Entry, Role, Session
from scrimshaw.redaction import redact
from scrimshaw.sources.openclaw_jsonl import JsonlSource

_PAUSE_SECONDS, _PAUSE_SPREAD = 44.0, 1.1
_READ_TOKENS_A_SECOND, _WRITE_TOKENS_A_SECOND = 15.0, 60.0


class Step(NamedTuple):
    """One request to the agent's model."""

    at_ms: int
    said: int  # tokens that the history gained since the request before, its answer left out
    answered: int  # tokens of the answer
    entries: int  # of the talk when the request is sent


class Billed(NamedTuple):
    """What a provider really counted for a talk."""

    prompt: int
    cached: int


class Talk(NamedTuple):
    """One long conversation."""

    name: str
    session: Session
    entries: tuple[Entry, ...]
    steps: tuple[Step, ...]
    billed: Billed | None = None

    @property
    def tokens(self) -> int:
        """Everything that was said."""
        return sum(step.said + step.answered for step in self.steps)


def talks_of(material: Material, size: str, seed: int) -> list[Talk]:
    """Return BEAM's conversations of *size*, each as one session that goes on for days."""
    found = []
    for chat in load_chats(material.beam(size)):
        lot = random.Random(f"{seed} {chat.name}")
        session = chat.sessions[0][0]
        said = [
            entry._replace(session_id=session.session_id) for _, entries in chat.sessions for entry in entries
        ]
        entries = tuple(_timed(said, lot))
        sizes = [estimate_tokens(entry.text) for entry in entries]
        found.append(Talk(f"BEAM {chat.name}", session, entries, tuple(_steps(entries, sizes))))
    return found


def real_talks(material: Material) -> list[Talk]:
    """Return the real coding sessions, with what their provider billed."""
    found = []
    for path in material.transcripts():
        rows = [orjson.loads(line) for line in path.read_bytes().splitlines()]
        source = JsonlSource(path.parent, "main")
        state = next(one for one in source.sessions() if one.session.session_id == path.stem)
        read = [entry for page in source.pages(state, None) for entry in page.entries]
        source.close()
        entries = tuple(entry._replace(text=redact(entry.text).text) for entry in read)
        steps = tuple(_raw_steps(rows, [entry.position for entry in entries]))
        found.append(Talk(path.stem, state.session, entries, steps, _billed(rows)))
    return found


def _timed(entries: Sequence[Entry], lot: random.Random) -> Iterator[Entry]:
    """Yield *entries* with times a person could have kept, never before the day they were said on."""
    now_ms, day_before = 0, 0
    for entry in entries:
        if entry.said_at_ms // 86_400_000 != day_before:
            day_before = entry.said_at_ms // 86_400_000
            now_ms = max(now_ms, entry.said_at_ms)
        size = estimate_tokens(entry.text)
        if entry.role is Role.USER:
            seconds = (
                _PAUSE_SECONDS * math.exp(_PAUSE_SPREAD * lot.gauss(0, 1)) + size / _READ_TOKENS_A_SECOND
            )
        else:
            seconds = size / _WRITE_TOKENS_A_SECOND
        now_ms += int(seconds * 1000)
        yield entry._replace(said_at_ms=now_ms)


def _steps(entries: Sequence[Entry], sizes: Sequence[int]) -> Iterator[Step]:
    said, before_ms = 0, entries[0].said_at_ms if entries else 0
    for number, (entry, tokens) in enumerate(zip(entries, sizes, strict=True)):
        if entry.role is Role.ASSISTANT:
            yield Step(before_ms, said, tokens, number)
            said = 0
        else:
            said += tokens
        before_ms = entry.said_at_ms


def _raw_steps(rows: Iterable[dict[str, Any]], positions: Sequence[int]) -> Iterator[Step]:
    """Yield the requests of a stored session; an answer that failed was one as well."""
    said = seen = 0
    for number, row in enumerate(rows):
        message = row.get("message") or {}
        while seen < len(positions) and positions[seen] < number:
            seen += 1
        match message.get("role"):
            case "assistant":
                yield Step(int(message["timestamp"]), said, raw_tokens(message), seen)
                said = 0
            case "user" | "toolResult":
                said += raw_tokens(message)


def raw_tokens(message: dict[str, Any]) -> int:
    """Return the tokens of a stored message as they come back in the next prompt: thoughts do not."""
    content = message.get("content", "")
    if isinstance(content, str):
        return estimate_tokens(content)
    parts = (block.get("text", "") or _arguments(block) for block in content)
    return sum(estimate_tokens(part) for part in parts)


def _arguments(block: dict[str, Any]) -> str:
    return orjson.dumps(block["arguments"]).decode() if "arguments" in block else ""


def _billed(rows: Iterable[dict[str, Any]]) -> Billed | None:
    used = [usage for row in rows if (usage := (row.get("message") or {}).get("usage"))]
    cached = sum(usage.get("cacheRead", 0) for usage in used)
    prompt = cached + sum(usage.get("input", 0) + usage.get("cacheWrite", 0) for usage in used)
    return Billed(prompt, cached) if prompt else None
