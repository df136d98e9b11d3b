"""The daemon's looks where a model observes: turns, pauses after a deferral, and what status says."""

from __future__ import annotations

import contextlib
from datetime import datetime, timedelta
from pathlib import Path

from tests.fake_model import FakeOpener, always, in_turn
from tests.models_flow.talking import (
    MODEL,
    MOMENT,
    answered,
    by_author,
    choose,
    decided,
    lengthy,
    observed,
    placed,
)
from tests.places import Place

from scrimshaw.core.prompting.fence import Prompt
from scrimshaw.core.types import Author
from scrimshaw.daemon.duty import duty
from scrimshaw.daemon.worker import DueJob, What
from scrimshaw.models.model import Failure, Model, Trouble
from scrimshaw.services.observe.task import RunStopped
from scrimshaw.services.schedule.tick import Followed, TickOptions, follow
from scrimshaw.workspace import Target

_DOWN = Failure(Trouble.SERVER, "The server at 127.0.0.1 has no time.", 600.0)
_CAPPED = Failure(Trouble.CAP, "The cap of the day is reached.", 50_000.0)


def _look(place: Place, model: Model, now: datetime = MOMENT, turn_seconds: float = 120.0) -> Followed:
    return follow(place.target(), now, TickOptions(opens=FakeOpener(model), turn_seconds=turn_seconds))


def _daemon_looks(place: Place, known: Target, model: Model) -> None:
    """Have a daemon that knows the workspace as *known* look at it once."""
    env = {"HOME": str(place.root), "OPENCLAW_STATE_DIR": str(place.state)}
    do = duty(lambda _: known, lambda: MOMENT, TickOptions(opens=FakeOpener(model)), env)
    with contextlib.suppress(RunStopped):  # the worker's to hear
        do(DueJob(What.FOLLOW, place.workspace))


def test_a_long_backlog_is_noted_in_turns(tmp_path: Path) -> None:
    place = placed(tmp_path, *lengthy(1, 2, 3), window_tokens=500)

    first = _look(place, always(answered), turn_seconds=0.0)
    noted = by_author(place)
    for _ in range(3):
        last = _look(place, always(answered), turn_seconds=0.0)

    assert (first.in_seconds, noted) == (0.0, {Author.MODEL: 1})
    assert last.in_seconds > 0
    assert by_author(place) == {Author.MODEL: 3}


def test_a_word_taken_back_holds_at_the_next_look_of_a_daemon_that_knows_the_older(tmp_path: Path) -> None:
    place = placed(tmp_path, *decided(1))
    older, model = place.target(), always(answered)
    choose(place, observer_model="offline")

    _daemon_looks(place, older, model)

    assert model.prompts == []
    assert by_author(place) == {Author.RULES: 1}


def test_a_word_taken_back_ends_a_backlog_before_its_next_question(tmp_path: Path) -> None:
    place = placed(tmp_path, *lengthy(1, 2, 3), window_tokens=500)

    def last_answer(prompt: Prompt) -> str:
        choose(place, observer_model="offline", window_tokens=500)
        return answered(prompt)

    model = always(last_answer)
    _daemon_looks(place, place.target(), model)
    _daemon_looks(place, place.target(), model)

    assert len(model.prompts) == 1
    assert sum(by_author(place).values()) == 3


def test_after_a_deferral_the_next_look_comes_when_the_model_may_be_asked_again(tmp_path: Path) -> None:
    place = placed(tmp_path, *decided(1))

    down = _look(place, always(_DOWN))
    capped = _look(place, always(_CAPPED), MOMENT + timedelta(hours=1))

    assert (down.pause_seconds, capped.pause_seconds) == (600.0, 3600.0)
    assert down.fruitless_tokens > 0
    assert down.tired_seconds == 600.0
    assert down.exit_code == 0


def test_one_look_asks_a_model_that_is_down_once(tmp_path: Path) -> None:
    place = placed(tmp_path, *decided(1))
    model = always(_DOWN)

    _look(place, model)

    assert len(model.prompts) == 1


def test_a_refused_key_is_a_problem_of_the_owners(tmp_path: Path) -> None:
    place = placed(tmp_path, *decided(1))

    done = _look(place, always(Failure(Trouble.KEY, "The key was refused.")))

    assert done.exit_code == 1
    assert by_author(place) == {Author.RULES: 1}


def test_status_says_nothing_of_models_where_there_is_none(tmp_path: Path) -> None:
    place = Place(tmp_path / "machine")
    place.say(*decided(1))
    place.run("observe", "--yes")

    assert "  model" not in place.run("status").out
    assert place.run("status", "--json").object["workspaces"][0]["model"] is None


def test_status_tells_the_model_what_it_cost_and_what_waits_since_when(tmp_path: Path) -> None:
    place = placed(tmp_path, *lengthy(1, 2), window_tokens=500)
    observed(place, in_turn([answered, _DOWN]))

    told = place.run("status").out
    said = place.run("status", "--json").object["workspaces"][0]["model"]

    assert f"  model     {MODEL} notes, the rules reflect; today " in told
    assert "$0.00" in told
    assert "what is new waits for it since 2026-11-20 18:00: The server" in told
    assert "the rules note it from about 2026-11-20 22:00 on" in told
    assert (said["observer"], said["trouble"]["what"]) == (MODEL, "server")


def test_a_preview_asks_nobody_and_says_so(tmp_path: Path) -> None:
    place = placed(tmp_path, *decided(1))

    answers = [place.run("preview"), place.run("observe", "--dry-run")]

    assert all(f"{MODEL} was not asked" in answer.out for answer in answers)
    assert not by_author(place)
