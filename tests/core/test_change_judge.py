"""The trained judge of change: what it is made of, what it never closes, and how often it is right."""

from __future__ import annotations

from pathlib import Path

import pytest
from bench.changes import PAIRS, decision_alone, kept_of, pairs_in
from tests.core.exchanges_by_hand import ended_by, known_of, line_of, proposals_of

from scrimshaw import data
from scrimshaw.core.extraction import change_judge
from scrimshaw.core.extraction.change_features import Setting, Statement, features, taken_apart
from scrimshaw.core.extraction.change_judge import decided, is_sure, judged, judged_update
from scrimshaw.core.extraction.claim_changes import Update
from scrimshaw.core.types import Kind, Place

_FILE = Path(data.__file__).with_name("change_weights.txt")


def fact(text: str) -> Statement:
    return Statement(text, Kind.FACT, Place.STANDING)


def ended(before: str, now: str) -> list[str]:
    """Return the ids of the lines that *now* ends, of the one open line *before*, which is "plan"."""
    known = known_of(line_of(before, kind=Kind.NEXT_STEP, place=Place.OPEN, id_="plan"))
    made = proposals_of(("user", now), known=known)
    return ended_by(made)


def plan(text: str) -> Statement:
    return Statement(text, Kind.NEXT_STEP, Place.OPEN)


def outcome(text: str) -> Statement:
    return Statement(text, Kind.OUTCOME, Place.LOG, is_done=True)


def test_the_weights_are_small_and_say_what_they_were_made_from() -> None:
    head = _FILE.read_text(encoding="utf-8").split("[bounds]")[0]

    assert _FILE.stat().st_size <= 120 * 1024
    assert "Seed " in head
    assert "conversations" in head
    assert "Text: " in head


@pytest.mark.parametrize(
    ("now", "before", "made"),
    [
        (fact("We've moved the stand-up from 9:15 to 9:45."), fact("Stand-up is at 9:15."), Update.REPLACED),
        (outcome("The piano tuner came, it's done."), plan("Get the piano tuner to come."), Update.DONE),
        (fact("Der Zahnarzt hat den Termin auf Montag verschoben."), plan("Zahnarzt am Freitag."), None),
    ],
)
def test_what_is_asked_changes_nothing(now: Statement, before: Statement, made: Update | None) -> None:
    asked = now._replace(text=now.text.rstrip(".") + "?")

    assert judged_update(asked, before, Setting()) is None
    assert decided(asked, before, Setting()) is None


def test_what_reads_the_same_and_what_is_too_long_is_not_judged() -> None:
    long = fact("the rent is 850 now and " * 40)

    assert judged(fact("My rent is 850."), fact("my rent is 850."), Setting()) is None
    assert judged(long, fact("My rent is 850."), Setting()) is None
    assert judged(fact("My rent is 910 now."), long, Setting()) is None


def test_more_must_speak_for_it_before_what_does_harm_is_closed() -> None:
    model = change_judge._model()

    assert model.careful_bound > model.bound


def test_the_sum_does_not_depend_on_the_order_of_its_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    now, before = outcome("Ya pagué el gas, 62 euros."), plan("Tengo que pagar el gas.")
    plain = judged(now, before, Setting())
    monkeypatch.setattr(change_judge, "features", lambda *given: reversed(list(features(*given))))

    assert judged(now, before, Setting()) == plain


def test_chinese_and_japanese_are_compared_by_pairs_of_characters() -> None:
    assert {"家长", "长会", "周四"} <= taken_apart("家长会改到周四了。").words
    assert taken_apart("ガレージの家賃").tokens[0] == "ガレ"


@pytest.mark.parametrize(
    ("before", "now"),
    [
        ("OPS-12 has to be patched.", "OPS-13 is patched, it came up while we were on OPS-12."),
        ("The tax return has to be finished by May.", "I've finished 60 % of the tax return."),
    ],
)
def test_another_piece_of_work_and_a_part_of_one_close_nothing(before: str, now: str) -> None:
    assert decided(outcome(now), plan(before), Setting()) is None


@pytest.mark.parametrize(
    "now",
    ["Jonas is no longer allergic to peanuts.", "My cat is no longer allergic to peanuts."],
)
def test_what_has_ended_for_another_closes_nothing_whatever_the_judge_thinks(now: str) -> None:
    assert decided(fact(now), fact("I'm allergic to peanuts."), Setting()) is None


def test_an_answer_replaces_nothing_that_the_person_said() -> None:
    known = known_of(line_of("My rent is 850 euros."))

    made = proposals_of(
        ("user", "What is it now?"), ("assistant", "Your rent is 910 euros now."), known=known
    )

    assert not any(one.replaces or one.completes for one in made)


@pytest.mark.parametrize(
    ("before", "now"),
    [
        ("I need to renew the passport before the trip.", "Sent off the passport renewal this morning."),
        ("I need to renew my passport.", "Passport's sent off."),
        ("Schick die Entwürfe an Thomsen.", "Entwürfe sind raus."),
        ("Tengo que llamar al fontanero.", "El fontanero vino esta mañana, arreglado."),
        ("Ich muss noch die Steuererklärung machen.", "Steuererklärung ist raus, puh."),
        ("Tenho que entregar as chaves do escritório antigo.", "Chaves entregues."),
        ("I have to get a plasterer for the hall.", "got a plasterer, Wojtek"),
        ("I've to set up the server this week.", "Server's up as well, CX22."),
        (
            "There's a form for the school about Mila's asthma, 3 pages. I need to get it from the doctor.",
            "School form is done.",
        ),
    ],
)
def test_a_plan_that_a_report_in_other_words_ends_is_closed(before: str, now: str) -> None:
    assert ended(before, now) == ["plan"]


@pytest.mark.parametrize(
    ("before", "now"),
    [
        # What is added to a plan; two plans in one line; half done; another's part; a remark about it.
        ("Move to Freising in spring, the flat is 1,240.", "The flat is painted now."),
        (
            "Drafts to Thomsen by Friday (2026-11-06), the catalogue to print on the 27th (2026-11-27).",
            "The drafts are out.",
        ),
        ("Paint the living room.", "The living room is half painted."),
        ("I need to renew the passport.", "I have not sent off the passport renewal yet."),
        ("I have to transfer EUR 500 to the landlord.", "Sold the bike for EUR 500."),
    ],
)
def test_what_only_shares_words_closes_nothing(before: str, now: str) -> None:
    assert ended(before, now) == []


_SURELY = 10_000


@pytest.mark.parametrize(
    ("now", "before"),
    [
        (outcome("The piano tuner came."), fact("The piano tuner is Mr Ito.")),
        (fact("The piano is in the hall."), plan("Get the piano tuner to come.")),
        (outcome("Half of the piano is tuned."), plan("Get the piano tuned.")),
        (outcome("The invoice is out."), plan("Ring Dana about the tax, the invoice comes later.")),
        (outcome("Drafts are out."), plan("Drafts by Friday (2026-11-06), print on the 27th (2026-11-27).")),
        (outcome("node-2 runs Postgres now."), plan("Move node-1 to Postgres.")),
        (outcome("OPS-13 is patched."), plan("Patch OPS-12.")),
    ],
)
def test_however_sure_the_judge_is_it_ends_only_the_one_open_matter(
    now: Statement, before: Statement
) -> None:
    assert not is_sure(_SURELY, now, before)


def test_a_decision_takes_more_to_end_than_a_plan() -> None:
    bound = change_judge._model().bound
    done, planned = outcome("The piano tuner came."), plan("Get the piano tuner to come.")

    assert is_sure(bound, done, planned)
    assert not is_sure(bound, done, planned._replace(kind=Kind.DECISION))


def test_of_two_plans_that_may_be_meant_neither_is_closed_by_the_judge() -> None:
    both = [
        line_of(text, kind=Kind.NEXT_STEP, place=Place.OPEN, id_=text)
        for text in ("I need to renew my passport.", "Leo's passport, I need to renew it.")
    ]

    made = proposals_of(("user", "Sent off the passport renewal this morning."), known=known_of(*both))

    assert not any(one.completes or one.replaces for one in made)


def test_what_an_agent_reports_is_not_judged() -> None:
    before = line_of("I need to renew the passport before the trip.", place=Place.OPEN, kind=Kind.NEXT_STEP)

    made = proposals_of(
        ("user", "What about it?"),
        ("assistant", "Sent off the passport renewal this morning."),
        known=known_of(before),
    )

    assert not any(one.completes or one.replaces for one in made)


def test_a_plan_beside_one_that_moves_within_a_window_is_kept() -> None:
    made = proposals_of(
        ("user", "The gala is on the 21st."),
        ("assistant", "Noted."),
        ("user", "I need to phone the bank about the mortgage."),
        ("assistant", "Okay."),
        ("user", "Actually the gala's the 22nd not the 21st."),
        ("assistant", "Changed."),
    )

    texts = [one.text for one in made]
    assert any("phone the bank" in text for text in texts)
    assert any("22nd" in text for text in texts)


def test_a_statement_closes_two_lines_at_most() -> None:
    lines = [line_of("My rent is 850 euros.", id_=f"{n}") for n in range(4)]

    (made,) = proposals_of(("user", "My rent is 910 euros now."), known=known_of(*lines))

    assert len(made.replaces) <= 2


def test_of_pairs_that_it_was_not_trained_on_four_in_five_are_followed() -> None:
    talk = (PAIRS / "between.txt").read_text(encoding="utf-8").splitlines()
    pairs = [pair for pair in pairs_in() if pair.hand == "second_hand"]
    kept = [(pair, kept_of(pair, decision_alone, talk, 1)) for pair in pairs]

    followed = [one.later[0] > 0 and not one.earlier[0] for pair, one in kept if pair.changes]
    untouched = [one.between for _, one in kept] + [one.earlier for pair, one in kept if not pair.changes]
    wrong = sum(noted - left for left, noted in untouched)

    assert sum(followed) >= 0.8 * len(followed)
    assert wrong <= 0.02 * sum(noted for _, noted in untouched)
