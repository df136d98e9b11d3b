"""What a model tells to be unfinished: kept with the window, shown by `timeline`, forgotten with the rest."""

from __future__ import annotations

import json
from datetime import timedelta
from pathlib import Path

from tests.fake_model import always, in_turn
from tests.models_flow.talking import MOMENT, answered, decided, ledger_of, observed, placed
from tests.places import Place

from scrimshaw.core.prompting.fence import Prompt
from scrimshaw.core.types import TaskState

TASK, NEXT = "Release of unit-1x", "Ask whether unit-1x stays at 1.4.1"


def _telling(prompt: Prompt) -> str:
    lines = answered(prompt).splitlines()
    last = {**json.loads(lines[-1]), "task": TASK, "next": NEXT}
    return "\n".join([*lines[:-1], json.dumps(last)])


def _kept(place: Place) -> list[TaskState]:
    with ledger_of(place) as ledger:
        return [one.state for one in ledger.working_between(0, 2**50)]


def test_it_is_kept_shown_by_timeline_and_in_no_section(tmp_path: Path) -> None:
    place = placed(tmp_path, *decided(1))

    report = observed(place, always(_telling))
    shown = place.run("timeline", "--from", "2020-01-01")

    assert _kept(place) == [TaskState(TASK, NEXT)]
    assert f"{TASK}; next: {NEXT}" in shown.out
    assert place.run("timeline", "--from", "2020-01-01", "--json").object["unfinished"][0]["task"] == TASK
    assert TASK not in place.section()
    assert not report.observed.rejected


def test_what_the_messages_do_not_hold_is_counted_and_kept_nowhere(tmp_path: Path) -> None:
    place = placed(tmp_path, *decided(1))

    report = observed(
        place, always(lambda prompt: _telling(prompt).replace("stays at 1.4.1", "goes to 9.9.9"))
    )

    assert _kept(place) == [TaskState(TASK)]
    assert report.observed.rejected == {"task": 1}


def test_a_window_that_ends_with_nothing_unfinished_ends_what_was(tmp_path: Path) -> None:
    place = placed(tmp_path, *decided(1))
    model = in_turn([_telling, answered])
    observed(place, model)
    place.say(*decided(2))

    observed(place, model, MOMENT + timedelta(hours=1))

    assert _kept(place) == [TaskState(TASK, NEXT), TaskState()]
    assert "unfinished" not in place.run("timeline", "--from", "2020-01-01").out


def test_it_is_forgotten_with_any_line_of_its_conversation(tmp_path: Path) -> None:
    place = placed(tmp_path, *decided(1))
    observed(place, always(_telling))

    assert place.run("forget", "unit-1x runs release", "--yes").code == 0

    assert _kept(place) == []
