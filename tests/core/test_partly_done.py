"""A report that tells of a part of a plan, or asserts nothing of it, leaves the plan open."""

import pytest
from tests.core.exchanges_by_hand import ended_by, known_of, line_of, proposals_of

from scrimshaw.core.types import FOLLOWED, Kind, Place, Proposal


def _said(plan: str, said: str) -> list[Proposal]:
    known = known_of(line_of(plan, id_="plan", kind=Kind.NEXT_STEP, place=Place.OPEN))
    return proposals_of(("user", said), ("assistant", "Okay."), known=known)


@pytest.mark.parametrize(
    ("plan", "said"),
    [
        ("I need to paint the fence and the shed.", "The fence is painted."),
        ("I have to call the bank and the insurance about the flood.", "Called the bank about the flood."),
        ("I have to get the visa and the vaccinations for Kenya.", "Got the vaccinations for Kenya."),
        ("Ich muss die Fenster in Küche und Bad streichen.", "Die Fenster in der Küche sind gestrichen."),
        ("Going to translate the 12 chapters for Verlag Nord.", "Translated chapter 1 for Verlag Nord."),
        ("I need to pay back the 3000 euros to Karin.", "Paid back 1000 to Karin."),
        ("I want to read the four Ferrante novels.", "Finished the first Ferrante novel."),
        ("我要交水费，还要去取快递。", "水费交了。"),
        ("我要交水费和取快递。", "水费交了。"),
    ],
)
def test_what_is_done_of_two_or_more_things_is_told_behind_the_plan_of_all(plan: str, said: str) -> None:
    (made,) = _said(plan, said)

    assert made.text == plan + FOLLOWED + said
    assert (made.replaces, made.place, made.done) == (("plan",), Place.OPEN, False)


@pytest.mark.parametrize(
    ("plan", "said"),
    [
        ("I need to paint the fence and the shed.", "The fence and the shed are painted."),
        ("I need to paint the fence and the shed. → The fence is painted.", "The shed is painted."),
        ("I need to grade the 30 exams by Friday.", "All 30 exams are graded."),
        ("I need to write the second chapter for Verlag Nord.", "Wrote the second chapter for Verlag Nord."),
        (
            "The school concert is on Friday the 13th.",
            "The school concert has been moved to Friday the 20th.",
        ),
    ],
)
def test_what_is_left_of_it_or_all_of_it_done_ends_the_plan(plan: str, said: str) -> None:
    assert ended_by(_said(plan, said)) == ["plan"]


@pytest.mark.parametrize(
    ("plan", "said"),
    [
        ("I have to water the tomatoes every evening.", "Watered the tomatoes this evening."),
        ("I need to take my blood pressure every morning.", "Took my blood pressure: 128 over 82."),
        ("I have to send the payroll on the 25th of each month.", "Sent the payroll for September."),
        ("Ich muss jeden Montag die Zahlen an Frau Köhler schicken.", "Zahlen an Frau Köhler sind raus."),
        ("Je dois donner le vermifuge au chat tous les trois mois.", "Vermifuge donné au chat aujourd'hui."),
        ("Todas as sextas tenho de fazer o backup do servidor.", "Backup do servidor feito."),
    ],
)
def test_what_recurs_is_not_ended_by_one_time_nor_told_again_with_each(plan: str, said: str) -> None:
    made = _said(plan, said)

    assert ended_by(made) == []
    assert not any(FOLLOWED in one.text for one in made)


def test_what_recurs_ends_where_it_is_said_to() -> None:
    said = "I no longer have to water the tomatoes, the season is over."

    assert ended_by(_said("I have to water the tomatoes every evening.", said)) == ["plan"]


@pytest.mark.parametrize(
    ("plan", "said"),
    [
        ("I want to sell the piano.", "I dreamt that the piano was sold, weird."),
        ("I need to book the flight to Oslo.", "Supposedly the flight to Oslo is booked."),
        ("I need to book the flight to Oslo.", "I thought I had booked the flight to Oslo, but I hadn't."),
        (
            "I need to pick up the parcel from the post office.",
            "The post office says the parcel was picked up, but it wasn't me.",
        ),
        ("I need to pick up the key from Hedda.", "Went to pick up the key from Hedda, she wasn't home."),
        ("Ich muss das Paket für Jonas abholen.", "Das Paket für Jonas war nicht da."),
        ("Devo vendere la macchina.", "La macchina non l'ho ancora venduta."),
        ("Tenho de vender o carro.", "Se vendesse o carro agora, perdia dinheiro."),
        ("我要把旧车卖掉。", "旧车还没卖掉。"),
    ],
)
def test_what_is_dreamt_tried_denied_or_said_by_another_ends_no_plan(plan: str, said: str) -> None:
    assert ended_by(_said(plan, said)) == []


@pytest.mark.parametrize(
    ("plan", "said"),
    [
        ("I need to renew my passport before the trip to Japan.", "Renewed my library card today."),
        ("I want to paint the bedroom before Christmas.", "Painted the hallway at the weekend."),
    ],
)
def test_the_same_done_to_another_thing_is_no_news_of_the_plan(plan: str, said: str) -> None:
    made = _said(plan, said)

    assert ended_by(made) == []
    assert not any(FOLLOWED in one.text for one in made)


def test_another_thing_for_the_same_leaves_the_plan_open() -> None:
    said = "Booked the DJ for the summer party."

    assert ended_by(_said("I have to book the venue for the summer party.", said)) == []
