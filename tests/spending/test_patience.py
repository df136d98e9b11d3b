"""Patience: at most three tries, pauses that grow and are drawn by chance, one time that binds it all."""

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.fake_model import FakeModel, always, in_turn
from tests.spending.desk import PROMPT, Time, answer

from scrimshaw.models.model import Answer, Failure, Trouble
from scrimshaw.models.retry import AGAIN, MOST_TRIES, ask_patiently


def ask(
    model: FakeModel,
    time: Time | None = None,
    *,
    total: float = 120.0,
    chance: float = 0.5,
    is_stopped: Callable[[], bool] = lambda: False,
) -> Answer | Failure:
    time = time or Time()
    return ask_patiently(
        model,
        PROMPT,
        total_seconds=total,
        is_stopped=is_stopped,
        monotonic=time.monotonic,
        sleep=time.sleep,
        chance=lambda: chance,
    )


@pytest.mark.parametrize("trouble", sorted(AGAIN))
def test_what_may_pass_soon_is_tried_again(trouble: Trouble):
    model = in_turn([Failure(trouble, "x"), answer()])

    assert isinstance(ask(model), Answer)
    assert len(model.prompts) == 2


@pytest.mark.parametrize("trouble", sorted(set(Trouble) - AGAIN))
def test_what_waiting_does_not_mend_is_not_tried_again(trouble: Trouble):
    model = always(Failure(trouble, "x"))

    assert ask(model) == Failure(trouble, "x")
    assert len(model.prompts) == 1


def test_three_tries_are_the_most():
    model = always(Failure(Trouble.SERVER, "x"))
    ask(model)

    assert len(model.prompts) == MOST_TRIES == 3


def test_pauses_grow_and_are_drawn_over_their_whole_length():
    totals = []
    for chance in (0.0, 0.5, 0.999):
        time = Time()
        ask(always(Failure(Trouble.SERVER, "x")), time, chance=chance)
        totals.append(round(sum(time.slept), 1))

    assert totals == [0.0, 3.0, 6.0]


def test_a_named_wait_that_fits_is_waited_for():
    time = Time()
    ask(in_turn([Failure(Trouble.RATE, "x", 40.0), answer()]), time)

    assert 40.0 <= sum(time.slept) <= 42.0


def test_a_named_wait_that_does_not_fit_is_not_begun():
    time, model = Time(), always(Failure(Trouble.RATE, "x", 119.5))

    assert ask(model, time) == Failure(Trouble.RATE, "x", 119.5)
    assert (len(model.prompts), time.slept) == (1, [])


def test_jitter_does_not_push_a_named_wait_out_of_the_time():
    time, model = Time(), in_turn([Failure(Trouble.RATE, "x", 118.0), answer()])

    assert isinstance(ask(model, time, chance=0.99), Answer)
    assert 118.0 <= sum(time.slept) <= 119.01


@pytest.mark.parametrize("named", [-5.0, 0.0, float("nan"), float("inf")])
def test_a_wait_that_is_no_length_of_time_is_none(named: float):
    model = in_turn([Failure(Trouble.RATE, "x", named), answer()])

    assert isinstance(ask(model), Answer)


def test_a_pause_ends_when_told_to_stop():
    time = Time()
    model = always(Failure(Trouble.RATE, "x", 60.0))
    said = ask(model, time, is_stopped=lambda: len(time.slept) >= 3)

    assert isinstance(said, Failure)
    assert said.trouble is Trouble.STOPPED
    assert (len(model.prompts), len(time.slept)) == (1, 3)
    assert max(time.slept) <= 0.1


def test_whoever_is_to_stop_asks_nobody():
    model = always(answer())
    said = ask(model, is_stopped=lambda: True)

    assert isinstance(said, Failure)
    assert said.trouble is Trouble.STOPPED
    assert model.prompts == []


@given(
    total=st.floats(0.0, 200.0),
    chance=st.floats(0.0, 0.999),
    named=st.lists(st.none() | st.floats(allow_nan=True, allow_infinity=True), min_size=3, max_size=3),
    takes=st.lists(st.floats(0.0, 1.0), min_size=3, max_size=3),
)
def test_the_total_time_binds_whatever_happens(
    total: float, chance: float, named: list[float | None], takes: list[float]
):
    """A try that keeps to the time it is given never makes the whole last longer than the total."""
    time = Time()  # passes when somebody waits, and else stands still
    tries: list[float] = []

    class Slow(FakeModel):
        def ask(self, prompt, *, timeout_seconds, is_stopped):  # type: ignore[no-untyped-def]
            tries.append(timeout_seconds * takes[len(self.prompts)])
            time.pass_by(tries[-1])
            return super().ask(prompt, timeout_seconds=timeout_seconds, is_stopped=is_stopped)

    model = Slow([Failure(Trouble.RATE, "x", wait) for wait in named])
    ask(model, time, total=total, chance=chance)

    assert sum(tries) + sum(time.slept) <= total + 1e-6
    assert 1 <= len(model.prompts) <= 3
