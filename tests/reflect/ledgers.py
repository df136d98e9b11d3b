"""A place whose ledger holds the notebook, and models that answer by what they are shown."""

import json
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path

from tests.core.plans_by_hand import notebook
from tests.fake_model import FakeModel, FakeOpener, Said
from tests.places import NOW, Place

from scrimshaw.core.prompting.fence import Prompt
from scrimshaw.core.types import Event, EventType, Line, Session, SessionKind
from scrimshaw.services.reflect.run import Reflected, reflect
from scrimshaw.store.ledger import open_ledger
from scrimshaw.store.records import Batch
from scrimshaw.workspace import Target

MODEL = "fake/model"
SESSION = Session("s", "agent:main:main", "main", SessionKind.DIRECT)
DIARY = Session("d", "agent:main:explicit:diary", "main", SessionKind.DIRECT)
DEPLOY = "billing-api 2.4.1: staging deploy failed, migration 0042 locks the invoices table for 9 minutes"
LATER = "2026-11-20T20:00:00+00:00"
_ROW = re.compile(r"^(\d+)\. \[[^\]]*\] (.*)$", re.MULTILINE)


def fill(place: Place, lines: Iterable[Line], *, run_id: str = "r0") -> None:
    """Put *lines* into the ledger of *place*, each from an entry of its own."""
    path = place.workspace / ".scrimshaw" / "ledger.sqlite"
    path.parent.mkdir(exist_ok=True, mode=0o700)
    observations, events = [], []
    for line in lines:
        id_ = line.observation.id
        observations.append(replace(line.observation, sources=(f"entry of {id_}",)))
        if line.standing.is_pinned:
            events.append(Event(EventType.PINNED, id_, 1, "person"))
        if not line.standing.is_shown:
            events.append(Event(EventType.TRIMMED, id_, 1, run_id))
    with open_ledger(path, create=not path.exists()) as ledger:
        ledger.accept(Batch(run_id, 1, tuple(observations), tuple(events), sessions=(SESSION, DIARY)))


def a_place(folder: Path, lines: Iterable[Line] | None = None) -> Place:
    """Return a place that was set up, with the notebook in its ledger."""
    place = Place(folder / "home")
    fill(place, notebook() if lines is None else lines)
    return place


def with_settings(target: Target, **settings: object) -> Target:
    """Return *target* with other settings."""
    values = {"reflector_model": MODEL, **settings}
    return target._replace(config=target.config._replace(settings=replace(target.config.settings, **values)))


def go_over(
    place: Place,
    model: FakeModel | FakeOpener | None,
    *,
    trigger: str = "command",
    now: str = NOW,
    is_stopped: Callable[[], bool] = lambda: False,
    **settings: object,
) -> Reflected:
    """Reflect in *place* with *model*."""
    opens = FakeOpener(model) if isinstance(model, FakeModel) else model
    with place.ledger() as ledger:
        return reflect(
            with_settings(place.target(), **settings),
            ledger,
            now=datetime.fromisoformat(now),
            trigger=trigger,
            opens=opens,
            is_stopped=is_stopped,
        )


def numbers_in(prompt: Prompt) -> dict[str, int]:
    """Return the number of each line's text in a request."""
    return {text: int(number) for number, text in _ROW.findall(prompt.text)}


def closed(*steps: object) -> str:
    """Return an answer of *steps*, closed as it should be."""
    return "\n".join([*map(json.dumps, steps), json.dumps({"done": len(steps)})])


def merging(text: str, *texts: str) -> Callable[[Prompt], Said]:
    """Return a reply that merges the lines of *texts* wherever they stand; nothing when one is missing."""

    def reply(prompt: Prompt) -> Said:
        numbers = numbers_in(prompt)
        if not all(one in numbers for one in texts):
            return closed()
        return closed({"act": "merge", "lines": [numbers[one] for one in texts], "text": text})

    return reply


def texts_of(ids: Sequence[str]) -> list[str]:
    """Return the texts of lines of the notebook."""
    by_id = {line.observation.id: line.observation.text for line in notebook()}
    return [by_id[id_] for id_ in ids]
