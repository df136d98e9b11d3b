"""BEAM conversations as entries, and the retention metric over their probing questions.

A message's date is its batch's anchor, later ones without one keep the last; one session a batch. A
question scores the share of its rubric lines of which 60 % of the content words stand in one line of at most
300 units, an ability the mean of its questions, the result the mean of the abilities.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from bench.material import questions_of
from scrimshaw.core.types import Entry, Role, Session, SessionKind

ABILITIES = ("information_extraction", "knowledge_update", "temporal_reasoning")
MAX_LINE_UNITS = 300
KEEP_SHARE = 0.6
_MARK = re.compile(r"\s*->->\s*\d+\s*,\s*(?:\d+|N/A)\s*$")
_LEAD = re.compile(
    r"^\s*(?:the )?llm response should "
    r"(?:state|mention|contain|include|say|note|indicate|acknowledge|provide|be|have)[^:]{0,40}:\s*",
    re.IGNORECASE,
)
_WORD = re.compile(r"\d+(?:[.,:/]\d+)*%?|[^\W\d_]+(?:'[^\W\d_]+)?")  # numbers exact
_STOP_WORDS = """
    a an the of to in on for and or is was were are be it that this with as at by from i me my you your we our
    they their he she his her have has had do did does not but if so
"""
_STOP = frozenset(_STOP_WORDS.split())


class Rubric(NamedTuple):
    """A question's rubric lines, as sets of content words."""

    ability: str
    question: str
    lines: tuple[tuple[str, frozenset[str]], ...]


class Conversation(NamedTuple):
    """One BEAM chat: its sessions with their entries, and what is asked of it."""

    name: str
    sessions: tuple[tuple[Session, tuple[Entry, ...]], ...]
    rubrics: tuple[Rubric, ...]


def load(folder: Path) -> list[Conversation]:
    """Return the conversations below *folder* (`beam/100K`), in numeric order."""
    chats = sorted(folder.glob("*/chat.json"), key=lambda path: (len(path.parent.name), path.parent.name))
    return load_chats(chats)


def load_chats(chats: Iterable[Path]) -> list[Conversation]:
    """Return the conversations of these files (material: beam); ends the program over one in another form."""
    found = []
    for path in chats:
        try:
            found.append(_conversation(path))
        except (KeyError, TypeError, ValueError) as error:
            raise SystemExit(
                f"{path}: not a chat in BEAM's format ({type(error).__name__}: {error})"
            ) from None
    return found


def content_words(text: str) -> frozenset[str]:
    """Return the words the metric compares: lower case, stop words out, numbers exact."""
    found = (match.group().lower() for match in _WORD.finditer(text))
    return frozenset(word for word in found if word not in _STOP)


def score(
    rubrics: Iterable[Rubric], lines: Iterable[str], recall: Callable[[str], Iterable[str]] = lambda _: ()
) -> dict[str, float]:
    """Return the retention by ability of a section whose lines are *lines*, and their mean.

    What *recall* finds for a question counts for that question as well.
    """
    held = _held(lines)
    by_ability: dict[str, list[float]] = {ability: [] for ability in ABILITIES}
    for rubric in rubrics:
        found = held + _held(recall(rubric.question))
        kept = [is_kept(words, found) for _, words in rubric.lines]
        by_ability[rubric.ability].append(sum(kept) / len(kept))
    result = {ability: sum(marks) / len(marks) if marks else 0.0 for ability, marks in by_ability.items()}
    return {**result, "mean": sum(result.values()) / len(ABILITIES)}


def _held(lines: Iterable[str]) -> list[frozenset[str]]:
    return [content_words(line) for line in lines if utf16_units(line) <= MAX_LINE_UNITS]


def is_kept(wanted: frozenset[str], held: list[frozenset[str]]) -> bool:
    """Tell whether one line holds enough of the words *wanted*."""
    return any(len(wanted & words) >= KEEP_SHARE * len(wanted) for words in held)


def utf16_units(text: str) -> int:
    """Return the UTF-16 code units of *text*."""
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def _conversation(path: Path) -> Conversation:
    batches = json.loads(path.read_text(encoding="utf-8"))
    asked = questions_of(path)
    questions = json.loads(asked.read_text(encoding="utf-8")) if asked else {}
    name = f"{path.parent.parent.name}/{path.parent.name}"
    said_at_ms = int(datetime(2024, 1, 1, 9, tzinfo=UTC).timestamp() * 1000)
    sessions = []
    for number, batch in enumerate(batches):
        session = Session(f"{name}/{number}", "agent:main:main", "main", SessionKind.DIRECT)
        entries: list[Entry] = []
        for turn in batch["turns"]:
            for message in turn:
                said_at_ms = _anchored(message.get("time_anchor"), said_at_ms)
                text = _MARK.sub("", message["content"])
                role = Role.USER if message["role"] == "user" else Role.ASSISTANT
                entry_id = f"{number}-{len(entries)}"
                entries.append(Entry(session.session_id, entry_id, len(entries), said_at_ms, role, text))
                said_at_ms += 60_000
        sessions.append((session, tuple(entries)))
    return Conversation(name, tuple(sessions), tuple(_rubrics(questions)))


def _anchored(anchor: str | None, said_at_ms: int) -> int:
    if not anchor:
        return said_at_ms
    day = datetime.strptime(anchor.strip(), "%B-%d-%Y").replace(hour=9, tzinfo=UTC)
    return int(day.timestamp() * 1000)


def _rubrics(questions: dict[str, list[dict[str, object]]]) -> Iterable[Rubric]:
    for ability in ABILITIES:
        for question in questions.get(ability, []):
            rubric = question["rubric"]
            assert isinstance(rubric, list)
            lines = [_LEAD.sub("", str(line)) for line in rubric]
            pairs = tuple((line, content_words(line)) for line in lines if content_words(line))
            if pairs:
                yield Rubric(ability, str(question["question"]), pairs)
