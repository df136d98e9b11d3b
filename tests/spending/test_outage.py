"""A day on which nothing works: how often the model is asked all the same, and what that costs."""

from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest
from tests.fake_model import FakeModel, always
from tests.spending.desk import PROMPT, Desk, answer

from scrimshaw.core.prompting.fence import Prompt
from scrimshaw.models.model import Answer, Failure, Trouble, Usage
from scrimshaw.services.models.breakers import PAUSES
from scrimshaw.services.models.outages import note_answer, note_failure, outage_of, waiting_windows
from scrimshaw.store.ledger import Ledger

EACH_MINUTES = 3  # a busy daemon that looks at its backlog this often, with a window waiting each time

# Three at first, one after each of 5, 10, 20 and 40 minutes, then one an hour.
MOST_REQUESTS = 3 + 4 + 24

SILENT = Failure(Trouble.TIMEOUT, "nothing came", usage=Usage(600, 0, is_estimated=True))


class Down(FakeModel):
    """Never answers; *takes* is what a call lasts, at most what it is given."""

    def __init__(self, desk: Desk, failure: Failure, takes_seconds: float = 0.5) -> None:
        super().__init__([failure], repeats=True)
        self._desk, self._takes_seconds = desk, takes_seconds
        self.at: list[float] = []

    def ask(
        self, prompt: Prompt, *, timeout_seconds: float, is_stopped: Callable[[], bool]
    ) -> Answer | Failure:
        self.at.append(self._desk.time.monotonic())
        self._desk.time.pass_by(min(self._takes_seconds, timeout_seconds))
        return super().ask(prompt, timeout_seconds=timeout_seconds, is_stopped=is_stopped)


def play_a_day(
    desk: Desk,
    model: FakeModel,
    before_each: Callable[[Ledger], None] = lambda _ledger: None,
    *,
    hours: int = 24,
) -> None:
    begun = desk.time.now
    end = begun + timedelta(hours=hours)
    rounds = 0
    with desk.ledger() as ledger:
        while desk.time.now < end:
            before_each(ledger)
            desk.consultant(ledger, model, chance=0.7).ask(PROMPT)
            rounds += 1
            next_round = begun + timedelta(minutes=EACH_MINUTES * rounds)
            desk.time.pass_by(max(0.0, (next_round - desk.time.now).total_seconds()))


@pytest.mark.parametrize(
    ("failure", "takes_seconds"),
    [
        (Failure(Trouble.SERVER, "503"), 0.5),
        (Failure(Trouble.CONNECTION, "refused"), 0.01),
        (SILENT, 1_000.0),
        (Failure(Trouble.RATE, "429"), 0.2),
        (Failure(Trouble.RATE, "429", 1.0), 0.2),
        (Failure(Trouble.RATE, "429", 60.0), 0.2),
        (Failure(Trouble.RATE, "429", 3_000.0), 0.2),
        (Failure(Trouble.REPLY, "a web page"), 0.2),
        (Failure(Trouble.KEY, "401"), 0.2),
        (Failure(Trouble.REQUEST, "404"), 0.2),
    ],
    ids=lambda value: f"{value.trouble}-{value.retry_after_seconds}" if isinstance(value, Failure) else "",
)
def test_a_day_of_outage_makes_no_storm(tmp_path: Path, failure: Failure, takes_seconds: float):
    desk = Desk(tmp_path)
    model = Down(desk, failure, takes_seconds)
    play_a_day(desk, model)

    assert 10 <= len(model.at) <= MOST_REQUESTS


def test_without_the_breaker_it_would_be_a_storm(tmp_path: Path):
    desk = Desk(tmp_path)
    model = Down(desk, Failure(Trouble.SERVER, "503"))
    play_a_day(desk, model, lambda ledger: ledger.set_meta(PAUSES, "{}"), hours=3)

    assert len(model.at) > 5 * MOST_REQUESTS


def test_a_named_wait_is_kept_all_day(tmp_path: Path):
    desk = Desk(tmp_path)
    model = Down(desk, Failure(Trouble.RATE, "429", 900.0))
    play_a_day(desk, model)
    gaps = [later - sooner for sooner, later in zip(model.at, model.at[1:], strict=False)]

    assert min(gaps) >= 900


def test_a_day_of_silence_costs_no_more_than_its_tries(tmp_path: Path):
    desk = Desk(tmp_path)
    model = Down(desk, SILENT, 1_000.0)
    play_a_day(desk, model)
    with desk.ledger() as ledger:
        rows = ledger.spend_rows()

    assert sum(row.calls for row in rows) == sum(row.failed for row in rows) == len(model.at)
    assert 0 < sum(row.tokens_in + row.tokens_out for row in rows) < MOST_REQUESTS * 2_000


def test_after_the_outage_everything_is_asked_again(tmp_path: Path):
    desk = Desk(tmp_path)
    play_a_day(desk, Down(desk, Failure(Trouble.SERVER, "503")))
    desk.time.pass_by(3_600)
    said = [desk.ask(always(answer())) for _ in range(3)]

    assert all(isinstance(one, Answer) for one in said)


def test_a_day_of_billed_failures_stays_below_the_cap(tmp_path: Path):
    """A server that bills and fails every second time never opens the breaker; the cap stops it."""
    desk = Desk(tmp_path, {"max_tokens_per_day": 50_000}, zone="UTC")
    bad = Failure(Trouble.SERVER, "503", usage=Usage(600, 100))
    replies = [bad if number % 2 else answer() for number in range(2_000)]
    desk.time.now = desk.time.now.replace(hour=0)
    play_a_day(desk, FakeModel(list(replies)))
    with desk.ledger() as ledger:
        by_day = {row.local_date: row.tokens_in + row.tokens_out for row in ledger.spend_rows()}

    assert 45_000 < max(by_day.values()) <= 50_000


def test_a_window_that_is_never_answered_waits_no_longer_than_others_are_answered(tmp_path: Path):
    down, patience = Failure(Trouble.TIMEOUT, "nothing came"), 4 * 3600
    with Desk(tmp_path).ledger() as ledger:
        over = []
        for hour in range(6):
            found = note_failure(
                ledger,
                "m",
                down,
                at_ms=hour * 3_600_000,
                patience_seconds=patience,
                windows=["session\nentry"],
            )
            over.append(found.is_over(patience))
            note_answer(ledger)  # about another window
        told = outage_of(ledger, "m"), waiting_windows(ledger, "m")

    assert over == [False, False, False, False, True, True]
    assert told == (None, {})


@pytest.mark.parametrize("trouble", [Trouble.CAP, Trouble.PAUSED])
def test_what_was_not_sent_says_nothing_of_a_window(tmp_path: Path, trouble: Trouble):
    with Desk(tmp_path).ledger() as ledger:
        for hour in range(6):
            found = note_failure(
                ledger,
                "m",
                Failure(trouble, "not now"),
                at_ms=hour * 3_600_000,
                patience_seconds=4 * 3600,
                windows=["session\nentry"],
            )
            note_answer(ledger)

    assert found.waited_seconds == 0
