"""A workspace whose observer is a model, and models that read the request and answer as real ones do."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

from tests.fake_model import FakeModel, FakeOpener
from tests.places import NOW, Place

from scrimshaw.core.prompting.fence import Prompt
from scrimshaw.core.types import Author
from scrimshaw.models.model import Answer, Failure, Model
from scrimshaw.services.observe.run import ObserveResult, run
from scrimshaw.services.observe.task import ObserveOptions
from scrimshaw.store.ledger import Ledger

MODEL = "vllm/fake-1"
MOMENT = datetime.fromisoformat(NOW)
_SAID = re.compile(r"^\[(\d+)\] \d\d:\d\d person: (.*)$", re.MULTILINE)


def placed(folder: Path, *exchanges: tuple[str, str], **settings: Any) -> Place:
    """Return a workspace that is set up, with a model as its observer and *exchanges* that are new."""
    place = Place(folder / "machine")
    assert place.run("observe", "--yes").code == 0
    choose(place, **settings)
    if exchanges:
        place.say(*exchanges)
    return place


def choose(place: Place, **settings: Any) -> None:
    """Write the workspace's settings: the model is the observer, costs something, and reads nothing again."""
    said = {
        "observer_model": MODEL,
        "prices": {MODEL: [1.0, 2.0]},
        "second_reading": "off",
        **settings,
    }
    (place.workspace / ".scrimshaw" / "config.yaml").write_text(json.dumps(said))


def decided(*numbers: int) -> list[tuple[str, str]]:
    """Return exchanges, each with a decision of its own."""
    return [(f"We decided that unit-{n}x runs release {n}.4.1 in production.", "Noted.") for n in numbers]


def lengthy(*numbers: int) -> list[tuple[str, str]]:
    """Return exchanges of which each fills a window by itself (window_tokens: 500)."""
    return [(said, f"{answer} " + "All is as it was before. " * 60) for said, answer in decided(*numbers)]


def answered(prompt: Prompt) -> str:
    """Answer as a good model does."""
    return answer_to(prompt.text)


def answer_to(text: str) -> str:
    """Answer with a line for each thing that the person has said."""
    said = _SAID.findall(text)
    lines = [
        json.dumps({"text": text.strip(), "kind": "decision", "priority": 4, "sources": [int(number)]})
        for number, text in said
    ]
    return "\n".join([*lines, json.dumps({"done": len(lines)})])


def notes_in(text: str) -> int:
    """Return how many notes a request for a second reading holds; 0: it is none."""
    return len(re.findall(r"^\d+\. \(of ", text.rpartition("\n=== notes")[2], re.MULTILINE))


def answered_twice(prompt: Prompt) -> str:
    """Answer as `answered` does, and refuse nothing of it when it is read once more."""
    if notes := notes_in(prompt.text):
        return json.dumps({"holds": list(range(1, notes + 1))})
    return answered(prompt)


def observed(place: Place, model: Model | Failure, now: datetime = MOMENT, **asked: Any) -> ObserveResult:
    """Observe with *model* in this process."""
    if isinstance(model, FakeModel):
        model.name = MODEL  # what its price is known by
    return run(place.target(), now, ObserveOptions(opens=FakeOpener(model), **asked))


def ledger_of(place: Place) -> Ledger:
    """Open the ledger for reading."""
    return place.ledger(read_only=True)


def authors(place: Place) -> Mapping[str, Author]:
    """Return who wrote each line, by its text."""
    with ledger_of(place) as ledger:
        return {line.observation.text: line.observation.author for line in ledger.all_lines()}


def by_author(place: Place) -> Counter[Author]:
    """Return how many lines each has written."""
    return Counter(authors(place).values())


def uncovered(place: Place) -> set[str]:
    """Return the entries of all conversations that nothing has covered."""
    with ledger_of(place) as ledger:
        return {
            entry_id
            for session in place.sessions
            for entry_id in ledger.uncovered(
                session.session_id, [event["id"] for event in session.events if event["type"] == "message"]
            )
        }


Said = Callable[[Prompt], str | Answer | Failure]
