"""Good notes in another author's words: LoCoMo's observations, each judged against the turns it names.

The speaker of the first turn is the user, the other one the assistant; the turn before is cited too, because
an answer leaves out what it answers. Some of these notes are not good by our rules (a name that stands in an
earlier turn, a caption's content), so the share refused has a floor of about two in a hundred.
"""

from __future__ import annotations

import json
import random
import re
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

from bench.verify_changes import changed
from bench.verify_set import Case
from scrimshaw.core.types import Entry, Kind, Proposal, Role

DEFAULT_LOCOMO = Path.home() / ".cache/scrimshaw-evaluation/data/locomo/locomo_dev5.json"
_MOST_TURNS = 2


def from_locomo(file: Path, rng: random.Random) -> Iterator[Case]:
    """Yield the observations of *file* as good notes, and each with one thing wrong."""
    for conversation in json.loads(file.read_text(encoding="utf-8")):
        turns = _turns(conversation["conversation"])
        numbers = {turn["dia_id"]: at for at, turn in enumerate(turns)}
        for by_speaker in conversation["observation"].values():
            for speaker, observations in by_speaker.items():
                for text, named in observations:
                    ids = named if isinstance(named, list) else re.split(r"[,;]\s*", named)
                    places = [numbers[one] for one in ids if one in numbers]
                    if not 1 <= len(places) <= _MOST_TURNS or turns[places[0]]["speaker"] != speaker:
                        continue
                    good = _case(text, speaker, _with_before(places, turns), turns)
                    yield good
                    yield from changed(good, rng)


def _turns(conversation: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the turns of all sessions in order, each with its time."""
    found = []
    sessions = [key for key in conversation if re.fullmatch(r"session_\d+", key)]
    for key in sorted(sessions, key=lambda key: int(key.removeprefix("session_"))):
        said = f"{conversation[f'{key}_date_time']} +0000"
        said_at_ms = int(datetime.strptime(said, "%I:%M %p on %d %B, %Y %z").timestamp() * 1000)
        found += [
            {**turn, "at": said_at_ms + number * 60_000} for number, turn in enumerate(conversation[key])
        ]
    return found


def _with_before(places: list[int], turns: list[dict[str, Any]]) -> list[int]:
    session = [turn["dia_id"].split(":")[0] for turn in turns]
    before = {place - 1 for place in places if place and session[place - 1] == session[place]}
    return sorted({*places, *before})


def _case(text: str, speaker: str, places: list[int], turns: list[dict[str, Any]]) -> Case:
    entries = []
    note = re.sub(rf"\b{speaker}\b", "User", text).rstrip(".")
    for place in places:
        turn = turns[place]
        role = Role.USER if turn["speaker"] == speaker else Role.ASSISTANT
        if role is Role.ASSISTANT:
            note = re.sub(rf"\b{turn['speaker']}\b", "Assistant", note)
        caption = f" [image: {turn['blip_caption']}]" if turn.get("blip_caption") else ""
        entries.append(Entry("s", f"e{place}", place, turn["at"], role, turn["text"] + caption))
    cited = tuple(entry.entry_id for entry in entries)
    return Case("good", Proposal(note, Kind.FACT, 3, cited, Role.USER), tuple(entries))
