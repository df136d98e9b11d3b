"""The labelled set for the gate: what was said, faithful notes, and notes with one thing wrong.

The situations lie in `verify_cases/`, a file an author. By the files of "development" the rules were made;
"kept_aside" was written last, by somebody who did not know them, and nothing was changed after it was
judged. A file's lines:

    # title                     a situation begins, said on 2026-11-16 unless a line "@ YYYY-MM-DD" follows
    U text, A text, T text      entries 1, 2, … of the user, the assistant, a tool ("\\n" is a new line)
    = 12 note                   a faithful note, citing entries 1 and 2; the first one's role is the speaker
    ! s 12u note                a corrupted note of class s, citing 1 and 2, said to be the user's
    = note, ! s note            in "agents": an agent's own, which cites nothing (`scrimshaw add`)

A faithful note may hold `{good|p:bad|m:bad}`: one corrupted note for each bad one. More are made by machine
(`bench/verify_changes`). Nothing here is from a real conversation.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time
from pathlib import Path
from typing import NamedTuple

from scrimshaw.core.types import Entry, Kind, Proposal, Role

FOLDER = Path(__file__).parent / "verify_cases"
PARTS = {
    "development": (
        *("tuning", "held_out", "fresh", "apart"),
        *("home", "coding", "business", "leisure", "trades", "rules", "anything", "condensed"),
        *("dense", "sessions", "moderate", "prompted", "note_takers"),
    ),
    "kept_aside": ("last", "unseen"),
    "unread": ("owners",),  # kept aside too, without a recorded second reading
}
AGENTS = "agents"  # an agent's own notes: they cite nothing
FILES = tuple(file for files in PARTS.values() for file in files)
CLASSES = {
    "n": "number",
    "d": "date",
    "i": "identifier",
    "v": "invented",
    "x": "swapped",
    "m": "merged",
    "p": "polarity",
    "s": "speaker",
    "o": "person",
    "t": "told done",
    "c": "cause",
}
_ROLES = {"U": Role.USER, "A": Role.ASSISTANT, "T": Role.TOOL}
_CHOICE = re.compile(r"\{([^{}|]*)((?:\|[a-z]:[^{}|]*)+)\}")
_NOTE = re.compile(r"([=!])\s(?:([a-z])\s)?(?:(\d+)([uat]?)\s)?(.+)")
_DAY = date(2026, 11, 16)
_WISH = re.compile(r"^(?:User )?(?:prefers?|wants?|likes?|dislikes?|forbids?|bans?)\b", re.IGNORECASE)
_CHOSEN = re.compile(r"^(?:User )?(?:decided|chose|approved|agreed|rejected)\b", re.IGNORECASE)


class Case(NamedTuple):
    """A note, what it cites, and what is wrong with it ("good" when nothing is)."""

    label: str
    proposal: Proposal
    entries: tuple[Entry, ...]
    window: tuple[Entry, ...] = ()  # all that was said, those cited among it; empty: only those


@dataclass
class Situation:
    """Entries and the notes of them."""

    title: str
    day: date = _DAY
    entries: list[Entry] = field(default_factory=list)
    cases: list[Case] = field(default_factory=list)


def read(file: str) -> list[Situation]:
    """Return the situations of the file of that name."""
    found: list[Situation] = []
    for line in (FOLDER / f"{file}.txt").read_text(encoding="utf-8").splitlines():
        if line.startswith("# "):
            found.append(Situation(line[2:]))
        elif line.startswith("@ "):
            found[-1].day = date.fromisoformat(line[2:])
        elif line[:2] in ("U ", "A ", "T "):
            _say(found[-1], _ROLES[line[0]], line[2:].replace("\\n", "\n"))
        elif line:
            found[-1].cases.extend(_cases(found[-1], line))
    return found


def _say(situation: Situation, role: Role, text: str) -> None:
    number = len(situation.entries) + 1
    said_at = datetime.combine(situation.day, time(10, 5 + number), UTC)
    said_at_ms = int(said_at.timestamp() * 1000)
    situation.entries.append(Entry("s", f"e{number}", number, said_at_ms, role, text))


def _cases(situation: Situation, line: str) -> Iterator[Case]:
    match = _NOTE.fullmatch(line)
    if match is None:
        raise ValueError(f"{situation.title}: {line}")
    mark, letter, digits, speaker, text = match.groups()
    cited = [situation.entries[int(digit) - 1] for digit in digits] if digits else situation.entries
    role = _ROLES[speaker.upper()] if speaker else cited[0].role
    entries = tuple(sorted(cited, key=lambda entry: entry.position))
    label = "good" if mark == "=" else CLASSES[letter]
    window = tuple(situation.entries)
    yield Case(label, note(_plain(text), role, entries), entries, window)
    for choice in _CHOICE.finditer(text):
        for bad in choice[2].split("|")[1:]:
            changed = text[: choice.start()] + bad[2:] + text[choice.end() :]
            yield Case(CLASSES[bad[0]], note(_plain(changed), role, entries), entries, window)


def _plain(text: str) -> str:
    return _CHOICE.sub(lambda match: match[1], text)


def note(text: str, role: Role, entries: tuple[Entry, ...]) -> Proposal:
    """Return *text* as a proposal that cites *entries*, of the kind that its first words say."""
    kind = Kind.PREFERENCE if _WISH.match(text) else Kind.DECISION if _CHOSEN.match(text) else Kind.FACT
    return Proposal(text, kind, 3, tuple(entry.entry_id for entry in entries), role)
