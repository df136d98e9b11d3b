"""Who somebody is lasts, though what was told of them passes."""

from __future__ import annotations

import pytest
from tests.core.exchanges_by_hand import known_of, proposals_of, window_of

from scrimshaw.core.extraction.people import introduced
from scrimshaw.core.ledger.observations import accepted
from scrimshaw.core.types import Author, Observation, Place


@pytest.mark.parametrize(
    ("said", "who"),
    [
        ("I'm picking up my sister Joanne on Saturday at 4.", "my sister Joanne"),
        ("My manager Pavel wants the draft by Friday.", "My manager Pavel"),
        ("My boss Karen is off until Monday.", "My boss Karen"),
        ("The bird got our cat Biscuit's tail.", "our cat Biscuit"),
        ("My little brother Sam is coming on Friday.", "My little brother Sam"),
        ("Am Freitag kommt meine Schwester Annegret.", "meine Schwester Annegret"),
        ("Ich hab meinem Mann Henning den Schlüssel gegeben.", "meinem Mann Henning"),
        ("El viernes viene mi vecino don Rogelio a cenar.", "mi vecino don Rogelio"),
        ("Los findes nos turnamos mi hermana Loli y yo.", "mi hermana Loli"),
        ("Samedi on va chez mon beau-père Jef.", "mon beau-père Jef"),
        ("Sabato viene mia cognata Teresa.", "mia cognata Teresa"),
        ("Tenho de pedir o carro ao meu irmão Duarte.", "meu irmão Duarte"),
        ("Sopralluogo mercoledì alle 11, ci vado con Mirko (lo strutturista).", "Mirko (lo strutturista)"),
    ],
)
def test_it_is_found_in_six_languages(said: str, who: str) -> None:
    assert introduced(said) == [who]


@pytest.mark.parametrize(
    "said",
    [
        "My whole Sunday was spent on this.",
        "I'll finish my report Monday.",
        "My boss I'm not so sure about.",
        "In my opinion Mike is wrong.",
        "We keep it in our shared Google Calendar, with my existing OAuth2 login.",
        "My daughters Samantha and Emma are with me until Sunday.",
        "Tolkien (and the rest of it) is too long for me.",
        "My trip to Hawaii was booked.",
        "My name is Detective Orla.",
        "My last MRI was in May.",
        "Our meeting on Tuesdays is moved.",
        "Am Samstag hat meine Schwester Geburtstag.",
        "Seit gestern hat mein Sohn Fieber.",
        "Unsere Regel Nummer eins ist Pünktlichkeit.",
        "Mi chiamo Guido e lavoro a Torino.",
        "Ma solo Marcello viene domani.",
        "Mi mancano due giorni.",
        "Mi hermana viene el viernes.",
        "I parked at the depot (the big one).",
    ],
)
def test_no_day_place_or_thing_is_taken_for_a_person(said: str) -> None:
    assert introduced(said) == []


def test_who_is_named_in_a_plan_has_a_line_that_lasts() -> None:
    plan, who = proposals_of(("user", "I'm picking up my sister Joanne at the station on Saturday at 4."))
    assert plan.place is Place.OPEN
    assert (who.text, who.place, who.sources) == ("My sister Joanne.", Place.STANDING, plan.sources)
    assert who.priority < plan.priority


def test_a_line_that_lasts_and_names_both_is_enough() -> None:
    asked = "I'm picking up my sister Joanne at the station on Saturday at 4."
    made = proposals_of(("user", f"My sister Joanne is allergic to penicillin. {asked}"))
    assert "My sister Joanne." not in [one.text for one in made]
    said = "My sister Joanne is allergic to penicillin."
    made = proposals_of(("user", asked), known=known_of(_line(said)))
    assert "My sister Joanne." not in [one.text for one in made]


def test_another_of_the_same_calling_is_told_beside() -> None:
    line = _line("My sister Joanne is allergic to penicillin.")
    made = proposals_of(("user", "My sister Kate is picking me up on Saturday at 4."), known=known_of(line))
    assert "My sister Kate." in [one.text for one in made]
    assert not [one for one in made if one.replaces or one.completes]


def _line(said: str) -> Observation:
    (made,) = proposals_of(("user", said))
    return accepted(made, window_of(("user", said)), author=Author.RULES, run_id="by hand")
