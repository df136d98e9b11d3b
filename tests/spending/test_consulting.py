"""Asking with everything around it: what leaves, what it may cost, what it did cost, and when it goes on."""

import sqlite3
from contextlib import closing
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path

import pytest
from tests.fake_model import FakeModel, FakeOpener, always, in_turn
from tests.spending.desk import MODEL, PROMPT, START, Desk, Time, answer

from scrimshaw.core.policy.spending import Amount, Spent, most
from scrimshaw.core.prompting.fence import Prompt
from scrimshaw.models.model import Answer, Failure, Trouble, Usage
from scrimshaw.models.presets import THINKING_TOKENS
from scrimshaw.services.models.client import Consultant, Used, consultant
from scrimshaw.store.records import RunCost

NEEDED = most(PROMPT, (1.0, 10.0))


def trouble(said: Answer | Failure) -> str:
    return said.trouble.value if isinstance(said, Failure) else "answer"


def spent(desk: Desk, period: str = "day") -> Spent:
    with desk.ledger() as ledger:
        return ledger.spent(period, desk.time.now.date())  # type: ignore[arg-type]


def outcomes(desk: Desk) -> list[tuple[str, str, int, int, bool]]:
    with closing(sqlite3.connect(desk.path)) as connection:
        rows = connection.execute("select state, outcome, tokens_in, tokens_out, is_estimated from spend")
        return [
            (state, outcome, sent, said, bool(guess)) for state, outcome, sent, said, guess in rows.fetchall()
        ]


# -- who is asked -------------------------------------------------------------------------------------------


def asked(desk: Desk, **parts: object) -> Consultant | Failure | None:
    with desk.ledger() as ledger:
        given = {
            "job": "observe",
            "run_id": "r1",
            "now": START,
            "opens": FakeOpener(always(answer())),
            **parts,
        }
        return consultant(desk.target(), ledger, **given)  # type: ignore[arg-type]


def test_offline_asks_nobody(tmp_path: Path):
    desk = Desk(tmp_path, {"observer_model": "offline"})

    assert asked(desk) is None
    assert isinstance(asked(desk, job="reflect"), Consultant)


def test_without_an_opener_nobody_is_asked(desk: Desk):
    assert asked(desk, opens=None) is None


def test_why_a_model_cannot_be_opened_is_handed_on(desk: Desk):
    absent = Failure(Trouble.ABSENT, "The client library is not installed.")

    assert asked(desk, opens=FakeOpener(absent)) == absent


def test_each_job_has_its_own_model(tmp_path: Path):
    desk = Desk(tmp_path, {"observer_model": "fake/one", "reflector_model": "fake/two"})
    opener = FakeOpener(always(answer()))
    for job in ("observe", "reflect", "test"):
        asked(desk, opens=opener, job=job)
    asked(desk, opens=opener, job="test", name="fake/three")

    assert [choice.name for choice in opener.choices] == ["fake/one", "fake/two", "fake/one", "fake/three"]


# -- what leaves --------------------------------------------------------------------------------------------


def test_secrets_do_not_leave(desk: Desk):
    key = "AKIA" + "Q7ZL2M4XK9WPT3VB"
    model = always(answer())
    desk.ask(model, Prompt(f"Told: {key}", f"aws_access_key_id = {key}\nand more", 100))

    assert key not in model.prompts[0].system + model.prompts[0].text
    assert "and more" in model.prompts[0].text


def test_private_patterns_do_not_leave(tmp_path: Path):
    desk = Desk(tmp_path, {"private_patterns": ("falcon-[0-9]+",)})
    model = always(answer())
    desk.ask(model, Prompt("Never say Falcon-7.", "The code is falcon-42, said Nora.", 100))

    assert model.prompts[0].system == "Never say [private]."
    assert model.prompts[0].text == "The code is [private], said Nora."


def test_a_question_with_a_private_block_left_in_it_does_not_leave(desk: Desk):
    model = always(answer())
    said = desk.ask(model, Prompt("s", "one <" + "private>two and three", 100))

    assert (trouble(said), model.prompts, outcomes(desk)) == ("request", [], [])
    assert isinstance(said, Failure)
    assert "two" not in said.detail


def test_an_ordinary_question_leaves_as_it_is(desk: Desk):
    model = always(answer())
    desk.ask(model)

    assert model.prompts == [PROMPT]


# -- what it costs ------------------------------------------------------------------------------------------


def test_an_answer_costs_what_the_provider_says(desk: Desk):
    with desk.ledger() as ledger:
        one = desk.consultant(ledger, always(answer(600, 100)))
        one.ask(PROMPT, template_sha="ab" * 32)
        run = ledger.last_run()

    assert one.used == Used(1, 600, 100, 1_600)
    assert run is not None
    assert (run.cost, run.prompt) == (RunCost(600, 100, 1_600), "ab" * 32)
    assert spent(desk) == Spent(700, 1_600)


def test_the_system_text_tells_what_a_model_was_told_to_do(desk: Desk):
    desk.ask(always(answer()))
    with desk.ledger() as ledger:
        run = ledger.last_run()

    assert run is not None
    assert run.prompt == sha256(PROMPT.system.encode()).hexdigest()


def test_a_provider_that_says_nothing_of_its_use_is_estimated(desk: Desk):
    desk.ask(always(answer(500, 20, is_estimated=True)))

    assert outcomes(desk) == [("settled", "answer", 500, 20, True)]


def test_failed_calls_that_were_billed_count(desk: Desk):
    desk.ask(in_turn([Failure(Trouble.SERVER, "x", usage=Usage(600, 40)), answer()]))

    assert outcomes(desk) == [("settled", "server", 600, 40, False), ("settled", "answer", 600, 100, False)]


@pytest.mark.parametrize("kind", [Trouble.TIMEOUT, Trouble.STOPPED])
def test_what_was_sent_and_given_up_counts_with_the_most_it_can_have_said(desk: Desk, kind: Trouble):
    sent = Usage(612, 0, is_estimated=True)
    desk.ask(in_turn([Failure(kind, "x", usage=sent), Failure(Trouble.KEY, "x")]))

    assert outcomes(desk)[0] == ("settled", kind.value, 612, PROMPT.most_output_tokens, True)


def test_what_came_of_a_stream_before_it_was_given_up_is_what_counts(desk: Desk):
    desk.ask(in_turn([Failure(Trouble.STOPPED, "x", usage=Usage(612, 33, is_estimated=True))]))

    assert outcomes(desk) == [("settled", "stopped", 612, 33, True)]


@pytest.mark.parametrize("kind", sorted(set(Trouble) - {Trouble.CAP, Trouble.PAUSED}))
def test_a_call_of_which_nothing_was_sent_costs_nothing(desk: Desk, kind: Trouble):
    desk.ask(always(Failure(kind, "x")))

    assert spent(desk) == Spent()


def test_an_unknown_price_is_not_nothing(tmp_path: Path):
    desk = Desk(tmp_path, {"prices": {}})
    with desk.ledger() as ledger:
        one = desk.consultant(ledger, always(answer()))
        one.ask(PROMPT)

    assert one.used == Used(1, 600, 100, None)
    assert spent(desk) == Spent(700, 0, unpriced=1)


def test_one_unknown_price_makes_the_sum_unknown():
    used = Used().plus(Amount(1, 1, 5)).plus(Amount(1, 1, None)).plus(Amount(1, 1, 5))

    assert used == Used(3, 3, 3, None)


def test_what_a_model_thinks_is_reserved_too(desk: Desk):
    model = always(answer())
    model.name = "openai/o3"
    reserved: list[int] = []

    def looks(prompt: Prompt) -> Answer:
        reserved.append(spent(desk).tokens)
        return answer()

    model.replies = [looks]
    desk.ask(model)

    assert model.prompts[0].most_output_tokens == PROMPT.most_output_tokens + THINKING_TOKENS
    assert reserved == [NEEDED.tokens + THINKING_TOKENS]


# -- caps ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "caps",
    [
        {"max_tokens_per_day": NEEDED.tokens - 1},
        {"max_tokens_per_month": NEEDED.tokens - 1},
        {"max_cost_per_day": (NEEDED.microdollars or 0) / 1e6 - 1e-6},
        {"max_cost_per_month": (NEEDED.microdollars or 0) / 1e6 - 1e-6},
    ],
)
def test_the_call_that_could_pass_a_cap_is_not_sent(tmp_path: Path, caps: dict[str, float]):
    desk = Desk(tmp_path, caps)
    model = always(answer())
    said = desk.ask(model)

    assert (trouble(said), model.prompts, outcomes(desk)) == ("cap", [], [])


@pytest.mark.parametrize(
    "caps",
    [
        {"max_tokens_per_day": NEEDED.tokens},
        {"max_tokens_per_month": NEEDED.tokens},
        {"max_cost_per_day": (NEEDED.microdollars or 0) / 1e6},
        {"max_cost_per_month": (NEEDED.microdollars or 0) / 1e6},
    ],
)
def test_the_call_that_just_fits_is_sent(tmp_path: Path, caps: dict[str, float]):
    assert trouble(Desk(tmp_path, caps).ask(always(answer()))) == "answer"


def test_tries_again_are_bound_by_the_cap_too(tmp_path: Path):
    desk = Desk(tmp_path, {"max_tokens_per_day": NEEDED.tokens + 100})
    model = always(Failure(Trouble.SERVER, "x", usage=Usage(600, 100)))
    said = desk.ask(model)

    assert (trouble(said), len(model.prompts)) == ("cap", 1)


def test_a_cap_says_what_is_left_and_when_it_goes_on(tmp_path: Path):
    desk = Desk(tmp_path, {"max_tokens_per_day": 2_000}, zone="Europe/Paris")
    desk.ask(always(answer(600, 400)))
    said = desk.ask(always(answer()))

    assert isinstance(said, Failure)
    assert said.detail == (
        "The cap of 2,000 tokens a day leaves 1,000 tokens, and the next question may take "
        f"{NEEDED.tokens:,} tokens. Nothing was sent; it goes on 2026-11-21 00:00 (Europe/Paris), or when "
        "the cap is raised."
    )
    assert said.retry_after_seconds == 11 * 3600


def test_what_a_cap_held_back_is_done_on_the_owner_s_next_day(tmp_path: Path):
    desk = Desk(tmp_path, {"max_tokens_per_day": NEEDED.tokens}, zone="Europe/Paris")
    desk.ask(always(answer()))
    said = []
    for at in ("2026-11-20T22:59:59", "2026-11-20T23:00:00"):
        desk.time.now = datetime.fromisoformat(at).replace(tzinfo=UTC)
        said.append(trouble(desk.ask(always(answer()))))

    assert said == ["cap", "answer"]


def test_the_month_s_cap_holds_until_the_month_is_over(tmp_path: Path):
    desk = Desk(tmp_path, {"max_tokens_per_month": NEEDED.tokens + 1}, zone="America/Los_Angeles")
    desk.ask(always(answer()))
    said = []
    for at in ("2026-11-30T12:00:00", "2026-12-01T07:59:59", "2026-12-01T08:00:00"):
        desk.time.now = datetime.fromisoformat(at).replace(tzinfo=UTC)
        said.append(trouble(desk.ask(always(answer()))))

    assert said == ["cap", "cap", "answer"]


def test_a_run_past_midnight_counts_for_the_new_day(tmp_path: Path):
    desk = Desk(tmp_path, {"max_tokens_per_day": NEEDED.tokens}, time=Time(START.replace(hour=23, minute=59)))
    with desk.ledger() as ledger:
        one = desk.consultant(ledger, always(answer()))
        said = [one.ask(PROMPT), one.ask(PROMPT)]
        desk.time.pass_by(61)
        said.append(one.ask(PROMPT))

    assert [trouble(one) for one in said] == ["answer", "cap", "answer"]


def test_a_clock_set_back_frees_nothing(tmp_path: Path):
    desk = Desk(tmp_path, {"max_tokens_per_day": NEEDED.tokens, "max_tokens_per_month": 2 * NEEDED.tokens})
    desk.ask(always(answer()))
    desk.time.now = START.replace(day=19)
    back_a_day = trouble(desk.ask(always(answer())))
    desk.time.now = START.replace(month=10, day=31)
    back_a_month = [trouble(desk.ask(always(answer()))) for _ in range(2)]

    assert back_a_day == "cap"
    assert back_a_month == ["answer", "cap"]  # a day of its own, and a month that counts what lies ahead


def test_a_question_of_the_owner_s_test_is_bound_by_the_caps(tmp_path: Path):
    desk = Desk(tmp_path, {"max_tokens_per_day": 10})

    assert trouble(desk.ask(always(answer()), job="test")) == "cap"


def test_a_cap_that_no_question_fits_into_promises_no_day(tmp_path: Path):
    said = Desk(tmp_path, {"max_tokens_per_day": 10}).ask(always(answer()))

    assert isinstance(said, Failure)
    assert said.detail.endswith("Nothing was sent; it goes on when the cap is raised.")
    assert said.retry_after_seconds is None


def test_without_limits_everything_is_sent(tmp_path: Path):
    caps = dict.fromkeys(
        ("max_tokens_per_day", "max_tokens_per_month", "max_cost_per_day", "max_cost_per_month"), 0
    )
    desk = Desk(tmp_path, caps)

    assert trouble(desk.ask(always(answer(10**9, 10**9)))) == "answer"
    assert trouble(desk.ask(always(answer()))) == "answer"


# -- how it stops -------------------------------------------------------------------------------------------


def test_no_lock_is_held_over_a_call(desk: Desk):
    with desk.ledger() as other:
        said = desk.ask(always(lambda _prompt: _writes(other)))

    assert trouble(said) == "answer"


def _writes(other) -> Answer:  # type: ignore[no-untyped-def]
    other.set_meta("written", "meanwhile")
    return answer()


def test_a_call_that_is_stopped_counts_and_is_not_tried_again(desk: Desk):
    model = FakeModel([Failure(Trouble.STOPPED, "told to end", usage=Usage(612, 0, is_estimated=True))])
    said = desk.ask(model)

    assert (trouble(said), len(model.prompts)) == ("stopped", 1)
    assert spent(desk).tokens > 0


def test_the_consultant_says_who_is_asked_and_where(desk: Desk):
    with desk.ledger() as ledger:
        one = desk.consultant(ledger, always(answer()))

    assert (one.name, one.place) == (MODEL, "nowhere")
