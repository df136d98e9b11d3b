"""Two people's chats as an owner's talk with an agent: LoCoMo and REALTALK, with what is asked of them.

Each speaker is the owner in turn and the other the agent, so every chat counts twice. Pictures are left out:
nobody typed their captions. Questions are of categories 1 to 4 (5 asks for what was never said).
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

from bench.beam import Conversation
from scrimshaw.core.types import Entry, Role, Session, SessionKind

_TURN = re.compile(r"D\d+:\d+")
_DATE_FORMS = ("%I:%M %p on %d %B, %Y", "%d.%m.%Y, %H:%M:%S")
_BETWEEN_TURNS_MS = 30_000


class Asked(NamedTuple):
    """A question, what answers it, and the owner's own messages that the answer rests on."""

    question: str
    answer: str
    category: int
    evidence: tuple[str, ...]
    is_own: bool  # no message of the other's is needed


class Chat(NamedTuple):
    """A conversation with one of its two speakers as the owner."""

    conversation: Conversation
    asked: tuple[Asked, ...]


def locomo(path: Path) -> list[Chat]:
    """Return the chats of a LoCoMo file, each of them twice."""
    found = []
    for talk in json.loads(path.read_text(encoding="utf-8")):
        found += _twice(talk["sample_id"], talk["conversation"], talk["qa"], "text")
    return found


def realtalk(paths: Sequence[Path]) -> list[Chat]:
    """Return REALTALK's chats, each of them twice."""
    found = []
    for path in paths:
        chat = json.loads(path.read_text(encoding="utf-8"))
        found += _twice(path.stem, chat, chat["qa"], "clean_text")
    return found


def _twice(name: str, said: dict[str, Any], asked: list[dict[str, Any]], text: str) -> Iterator[Chat]:
    numbers = sorted(int(key[8:]) for key in said if re.fullmatch(r"session_\d+", key))
    turns = {number: said[f"session_{number}"] for number in numbers}
    speakers = {turn["speaker"].casefold(): None for number in numbers for turn in turns[number]}
    for owner in list(speakers)[:2]:
        sessions = []
        for number in numbers:
            begins = _moment(said[f"session_{number}_date_time"])
            session = Session(f"{name} {number}", "agent:main:main", "main", SessionKind.DIRECT)
            entries = tuple(_entries(session, turns[number], begins, owner, text))
            sessions.append((session, entries))
        own = {
            turn["dia_id"]: turn[text]
            for turn in _all(turns)
            if turn["speaker"].casefold() == owner.casefold()
        }
        questions = tuple(_asked(one, own) for one in asked if one["category"] in (1, 2, 3, 4))
        yield Chat(Conversation(f"{name} ({owner})", tuple(sessions), ()), questions)


def _all(turns: dict[int, list[dict[str, Any]]]) -> Iterator[dict[str, Any]]:
    for said in turns.values():
        yield from said


def _entries(
    session: Session, turns: Sequence[dict[str, Any]], begins_ms: int, owner: str, text: str
) -> Iterator[Entry]:
    for place, turn in enumerate(turns):
        role = Role.USER if turn["speaker"].casefold() == owner else Role.ASSISTANT
        at_ms = _moment(turn["date_time"]) if "date_time" in turn else begins_ms + place * _BETWEEN_TURNS_MS
        if turn[text].strip():
            yield Entry(session.session_id, turn["dia_id"], place, at_ms, role, turn[text])


def _asked(one: dict[str, Any], own: dict[str, str]) -> Asked:
    turns = [turn for said in one["evidence"] for turn in _TURN.findall(str(said))]
    evidence = tuple(own[turn] for turn in turns if turn in own)
    is_own = bool(turns) and len(evidence) == len(turns)
    return Asked(str(one["question"]), str(one["answer"]), int(one["category"]), evidence, is_own)


def _moment(text: str) -> int:
    for form in _DATE_FORMS:
        try:
            return int(datetime.strptime(text, form).replace(tzinfo=UTC).timestamp() * 1000)
        except ValueError:
            continue
    raise ValueError(f"{text!r} is no date of these sets")
