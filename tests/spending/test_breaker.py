"""The circuit breaker: when a model is let alone, for how long, and what closes it, across processes."""

import json
from datetime import timedelta
from pathlib import Path

import pytest
from tests.fake_model import always, in_turn
from tests.spending.desk import MODEL, PROMPT, Desk, answer, keyed

from scrimshaw.config import Endpoint
from scrimshaw.models.model import Answer, Failure, Model, Trouble
from scrimshaw.models.retry import Breaker, breaker_after
from scrimshaw.services.models.breakers import PAUSES, pause_of

DOWN = Failure(Trouble.SERVER, "The server says 503.")
BAD_KEY = Failure(Trouble.KEY, "The key was refused (401).")


def left_seconds(desk: Desk) -> float:
    with desk.ledger() as ledger:
        now_ms = int(desk.time.now.timestamp() * 1000)
        found = pause_of(ledger, MODEL, now_ms)
        return found.left_seconds(now_ms) if found else 0.0


def trouble(said: Answer | Failure) -> str:
    return said.trouble.value if isinstance(said, Failure) else "answer"


def test_three_failures_in_a_row_let_it_alone_for_five_minutes(desk: Desk):
    first = desk.ask(always(DOWN))
    model = always(answer())
    second = desk.ask(model)

    assert (trouble(first), trouble(second)) == ("server", "paused")
    assert model.prompts == []
    assert left_seconds(desk) == 300


def test_who_is_let_alone_says_until_when_and_why(desk: Desk):
    desk.ask(always(DOWN))
    said = desk.ask(always(answer()))

    assert isinstance(said, Failure)
    assert "until 12:05" in said.detail
    assert "503" in said.detail
    assert said.retry_after_seconds == 300
    assert said.is_passing


def test_two_failures_and_an_answer_leave_it_closed(desk: Desk):
    desk.ask(in_turn([DOWN, DOWN, answer()]))
    desk.ask(in_turn([DOWN, DOWN, answer()]))

    assert left_seconds(desk) == 0
    with desk.ledger() as ledger:
        assert ledger.meta()[PAUSES] == "{}"


def test_the_pause_doubles_to_an_hour_with_one_try_each_time(desk: Desk):
    desk.ask(always(DOWN))
    pauses, tries = [], []
    for _ in range(6):
        pauses.append(left_seconds(desk))
        desk.time.pass_by(pauses[-1])
        model = always(DOWN)
        desk.ask(model)
        tries.append(len(model.prompts))

    assert pauses == [300, 600, 1200, 2400, 3600, 3600]
    assert tries == [1, 1, 1, 1, 1, 1]


def test_a_good_answer_closes_it(desk: Desk):
    desk.ask(always(DOWN))
    desk.time.pass_by(301)
    said = [desk.ask(always(answer())), desk.ask(in_turn([DOWN, answer()]))]

    assert [trouble(one) for one in said] == ["answer", "answer"]
    assert left_seconds(desk) == 0


@pytest.mark.parametrize("kind", [Trouble.KEY, Trouble.REQUEST, Trouble.ABSENT])
def test_what_does_not_pass_by_itself_is_let_alone_for_an_hour_at_once(desk: Desk, kind: Trouble):
    desk.ask(always(Failure(kind, "no")))
    model = always(answer())
    said = desk.ask(model)

    assert left_seconds(desk) == 3600
    assert model.prompts == []
    assert isinstance(said, Failure)
    assert (said.trouble, said.is_passing) == (kind, False)  # the rules go on without waiting


@pytest.mark.parametrize("kind", [Trouble.STOPPED, Trouble.CAP, Trouble.PAUSED])
def test_what_says_nothing_about_the_model_is_not_held_against_it(desk: Desk, kind: Trouble):
    for _ in range(4):
        desk.ask(always(Failure(kind, "x")))

    assert left_seconds(desk) == 0


def test_a_named_wait_is_kept_by_all(desk: Desk):
    desk.ask(always(Failure(Trouble.RATE, "slow down", 900.0)))
    model = always(answer())

    assert trouble(desk.ask(model)) == "paused"
    assert left_seconds(desk) == 900
    desk.time.pass_by(900)
    assert trouble(desk.ask(in_turn([DOWN, answer()]))) == "answer"  # it was not open: tries as ever


def test_a_short_named_wait_is_waited_for(desk: Desk):
    with desk.ledger() as ledger:
        first = desk.consultant(ledger, in_turn([Failure(Trouble.RATE, "x", 500.0)]))
        first.ask(PROMPT)
    desk.time.pass_by(485)
    desk.time.slept.clear()

    assert trouble(desk.ask(always(answer()))) == "answer"
    assert 14.9 <= sum(desk.time.slept) <= 15.1


def test_no_named_wait_keeps_us_away_for_more_than_a_day(desk: Desk):
    desk.ask(always(Failure(Trouble.RATE, "x", 10.0**9)))

    assert left_seconds(desk) == 86_400


def test_another_key_closes_it(desk: Desk):
    bad = keyed(BAD_KEY)
    desk.ask(bad)
    same, mended = keyed(answer(), key="one"), keyed(answer(), key="two")

    assert [trouble(desk.ask(same)), trouble(desk.ask(mended))] == ["key", "answer"]


def test_another_endpoint_closes_it(tmp_path: Path):
    desk = Desk(tmp_path, {"endpoints": {"fake": Endpoint("http://127.0.0.1:8000/v1")}})
    desk.ask(always(BAD_KEY))
    desk.settings = {"endpoints": {"fake": Endpoint("http://127.0.0.1:8000/v2")}}

    assert trouble(desk.ask(always(answer()))) == "answer"


def test_another_model_or_place_is_not_let_alone(desk: Desk):
    desk.ask(always(BAD_KEY))
    elsewhere, other = always(answer()), always(answer())
    elsewhere.place, other.name = "another server", "fake/other"

    assert [trouble(desk.ask(model)) for model in (elsewhere, other)] == ["answer", "answer"]


def test_neither_the_key_nor_what_it_could_be_tried_against_is_stored(desk: Desk):
    key = "sk-" + "Abc123" * 8
    desk.ask(keyed(Failure(Trouble.KEY, f"401 for {key}"), key=key))
    raw = desk.path.read_bytes()
    with desk.ledger() as ledger:
        stored = ledger.meta()[PAUSES]

    assert key.encode() not in raw
    assert key not in stored
    (digest,) = json.loads(stored)
    other = Desk(desk.folder / "other")
    other.ask(keyed(BAD_KEY, key=key))
    with other.ledger() as ledger:
        assert digest not in json.loads(ledger.meta()[PAUSES])  # keyed with each ledger's own secret


def test_a_clock_that_was_set_back_makes_no_pause_longer(desk: Desk):
    desk.ask(always(DOWN))
    desk.time.now -= timedelta(days=30)
    model = always(DOWN)
    said = [trouble(desk.ask(model)), trouble(desk.ask(model)), trouble(desk.ask(model))]

    assert said == ["server", "paused", "paused"]  # one try, and its own pause from now on
    assert len(model.prompts) == 1
    assert left_seconds(desk) == 600


def test_a_pause_noted_by_another_version_is_forgotten(desk: Desk):
    with desk.ledger() as ledger:
        ledger.set_meta(PAUSES, '{"x": {"name": "fake/model", "weather": 1}}')

    assert trouble(desk.ask(always(answer()))) == "answer"


def test_a_test_asks_all_the_same_and_a_good_one_ends_the_pause(desk: Desk):
    desk.ask(always(BAD_KEY))
    failing = always(DOWN)
    said = [desk.ask(failing, job="test"), desk.ask(always(answer())), desk.ask(always(answer()), job="test")]

    assert [trouble(one) for one in said] == ["server", "key", "answer"]
    assert len(failing.prompts) == 1
    assert trouble(desk.ask(always(answer()))) == "answer"


def test_only_one_of_several_makes_the_try_after_a_pause(desk: Desk):
    desk.ask(always(DOWN))
    desk.time.pass_by(301)
    others: list[str] = []

    def meanwhile(_prompt: object) -> Failure:
        others.extend(trouble(desk.ask(second)) for _ in range(5))
        return DOWN

    second: Model = always(answer())
    desk.ask(always(meanwhile))

    assert others == ["paused"] * 5


def test_a_try_that_was_killed_does_not_keep_the_others_out_for_long(desk: Desk):
    desk.ask(always(DOWN))
    desk.time.pass_by(301)

    class Killed(BaseException):
        pass

    def dies(_prompt: object) -> Failure:
        raise Killed

    with pytest.raises(Killed):
        desk.ask(always(dies))
    assert trouble(desk.ask(always(answer()))) == "paused"
    desk.time.pass_by(121)
    assert trouble(desk.ask(always(answer()))) == "answer"


def test_what_stands_after_a_failure_keeps_when_the_row_began():
    first = breaker_after(DOWN, None, MODEL, 1_000)
    second = breaker_after(BAD_KEY, first, MODEL, 5_000)

    assert first == Breaker(MODEL, Trouble.SERVER, DOWN.detail, 1, 1_000, 1_000)
    assert second == Breaker(MODEL, Trouble.KEY, BAD_KEY.detail, 2, 1_000, 5_000, 3_605_000, 3_600)


def test_the_end_of_a_pause_is_not_waited_for_by_several(desk: Desk):
    desk.ask(always(DOWN))
    desk.time.pass_by(290)

    assert trouble(desk.ask(always(answer()))) == "paused"
