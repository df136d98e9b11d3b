"""Short lines as a note-taker writes them: names told before, years that words tell, other languages."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

import pytest
from tests.core.exchanges_by_hand import window_of
from tests.core.judged_by_hand import reason, unread

from scrimshaw.core.ledger.known_lines import KnownLines
from scrimshaw.core.text.in_english import in_english
from scrimshaw.core.text.loose_dates import months_told, years_told
from scrimshaw.core.types import UNREAD, Kind, Proposal, Readings, Rejected, Role, ToolCall, Verified
from scrimshaw.core.verification.find_sources import judge_with_near
from scrimshaw.core.verification.judge import judge_as_read
from scrimshaw.core.verification.verify import judge, prepare

TALK = (
    ("user", "Emil got his report on Friday, a 2 in maths. Kerstin is not amused."),
    ("assistant", "Well done! Mr Holm will be glad."),
    ("user", "He can switch until 30 June, the school says."),
)


def _judged(text: str, *sources: str, talk: tuple[tuple[str, str], ...] = TALK) -> Verified | Rejected:
    return judge(Proposal(text, Kind.FACT, 3, sources, Role.USER), prepare(window_of(*talk)), KnownLines())


def test_a_name_that_the_person_said_before_need_not_be_cited() -> None:
    assert isinstance(_judged("Emil can switch until 30 June, school says", "e2"), Verified)


@pytest.mark.parametrize("name", ["Holm", "Jonas"])
def test_a_name_that_only_others_said_or_nobody_has_to_be(name: str) -> None:
    verdict = _judged(f"{name} can switch until 30 June, school says", "e2")

    assert isinstance(verdict, Rejected)
    assert verdict.reason == "name"


def test_a_name_out_of_a_paste_has_to_be_cited() -> None:
    paste = "Look at this mail:\n> From: Bruno Zeidler\n> I can switch until 30 June.\n> Regards"
    talk = (("user", paste), TALK[1], TALK[2])

    assert isinstance(_judged("Zeidler can switch until 30 June, school says", "e2", talk=talk), Rejected)


def test_a_figure_that_stands_elsewhere_in_the_window_still_has_to_be_cited() -> None:
    assert isinstance(_judged("Emil can switch until 30 June, 2 in maths", "e2"), Rejected)


def test_the_call_that_a_result_answers_is_read_with_it() -> None:
    window = window_of(
        ("user", "is it up?"), ("assistant", "One moment."), ("user", "sure"), ("tool", "200 OK")
    )
    call = ToolCall("c1", "fetch", "https://status.ferrum.example/health")
    entries = list(window.entries)
    entries[1] = entries[1]._replace(calls=(call,))
    entries[3] = entries[3]._replace(call_id="c1", tool_name="fetch")
    evidence = prepare(window._replace(entries=tuple(entries)))
    line = Proposal("status.ferrum.example answers 200 OK", Kind.FACT, 3, ("e3",), Role.TOOL)

    verdict = judge_with_near(line, evidence, KnownLines())

    assert isinstance(verdict, Verified)
    assert verdict.proposal.sources == ("e1", "e3")
    assert isinstance(
        judge_with_near(replace(line, text=f"{line.text}, 412 ms"), evidence, KnownLines()), Rejected
    )


@pytest.mark.parametrize(
    ("said", "note"),
    [
        ("Last time we were in Tokyo was seven years ago.", "Last in Tokyo in 2019"),
        ("We want to go to Buenos Aires next summer.", "Wants to go to Buenos Aires in summer 2027"),
        ("The money stays there until the spring.", "Money stays there until spring 2027"),
        ("I cancelled the contract in July.", "Contract cancelled in 2026-07"),
        ("I started at the hospice last month.", "Works at the hospice since 2026-10"),
        ("We've been dancing tango for two years.", "Tango since 2024"),
    ],
)
def test_months_and_years_that_follow_from_words_stand(said: str, note: str) -> None:
    assert reason(note, f"U {said}") == ""


@pytest.mark.parametrize(
    ("said", "note"),
    [
        ("Last time we were in Tokyo was seven years ago.", "Last in Tokyo in 2018"),
        ("We want to go to Buenos Aires next summer.", "Wants to go to Buenos Aires in summer 2025"),
        ("I cancelled the contract in July.", "Contract cancelled in 2026-06"),
        ("I have a cat called Miso.", "Has the cat Miso since 2026"),
    ],
)
def test_months_and_years_that_do_not_are_refused(said: str, note: str) -> None:
    assert reason(note, f"U {said}") != ""


def test_a_year_follows_from_what_was_said_and_when() -> None:
    said = date(2026, 2, 10)

    assert years_told("we met three years ago", said) == {2023}
    assert years_told("last winter", said) >= {2025, 2026}
    assert 2028 not in years_told("next summer", said)
    assert months_told("in two months", said) == {"2026-04"}


@pytest.mark.parametrize(
    ("said", "note"),
    [
        (
            "Die Taufe von Lotte ist am 28. Juni in Köln, ich bin Patin.",
            "Taufe von Lotte am 2026-06-28 in Köln",
        ),
        (
            "Meine Schwester hat gestern angerufen, wegen der Taufe.",
            "Schwester rief am 2026-11-15 wegen der Taufe an",
        ),
        ("Ich soll die Tablette immer um sieben nehmen.", "Tablette um 7 Uhr"),
        ("Recojo a mi nieta los lunes a las cinco.", "Recoge a su nieta los lunes a las 17:00"),
        ("Lo operaron de la espalda el mes pasado.", "Operado de la espalda en 2026-10"),
        ("Nous partons jeudi prochain avec les enfants.", "Part jeudi (2026-11-19) avec les enfants"),
        ("Vivo em Braga há três anos com a minha irmã.", "Vive em Braga desde 2023"),
    ],
)
def test_days_hours_and_years_of_other_languages_stand(said: str, note: str) -> None:
    assert reason(note, f"U {said}") == ""


@pytest.mark.parametrize(
    ("said", "note"),
    [
        (
            "Die Taufe von Lotte ist am 28. Juni in Köln, ich bin Patin.",
            "Taufe von Lotte am 2026-06-27 in Köln",
        ),
        ("Recojo a mi nieta los lunes a las cinco.", "Recoge a su nieta los martes a las 17:00"),
        ("Recojo a mi nieta los lunes a las cinco.", "Recoge a su nieta los lunes a las 18:00"),
        ("Meine Schwester hat angerufen und nach dem Hund gefragt.", "Schwester hat mit Bertram angerufen"),
    ],
)
def test_other_days_hours_and_names_of_other_languages_are_refused(said: str, note: str) -> None:
    assert reason(note, f"U {said}") != ""


def test_english_is_left_as_it_is() -> None:
    said = "on thursday i have un café with the man from la paz, at five"

    assert in_english(said) == said


@pytest.mark.parametrize(
    ("said", "note"),
    [
        (
            "I bought a bike from Ines on 2 May, can you help me insure it?",
            "User bought a bike from Ines on 2 May",
        ),
        (
            "Can you plan my trip, as my flight to Oslo leaves at nine?",
            "User's flight to Oslo leaves at 9:00",
        ),
        ("My sister had a baby in June so what could I bring her?", "User's sister had a baby in June"),
    ],
)
def test_who_tells_and_asks_in_one_sentence_has_told(said: str, note: str) -> None:
    assert reason(note, f"U {said}") == ""


def test_a_question_alone_tells_nothing() -> None:
    assert unread("User sold the bike to Ines", "U Should I sell the bike to Ines?") != ""


@pytest.mark.parametrize("kind", [Kind.PREFERENCE, Kind.DECISION])
@pytest.mark.parametrize(
    "told", ["T Always book the window seat for trips.", "A Always book the window seat."]
)
def test_no_second_reading_makes_a_wish_of_what_others_say(kind: Kind, told: str) -> None:
    window = window_of(("user", "What about trains?"), ("tool" if told[0] == "T" else "assistant", told[2:]))
    line = Proposal("Wants the window seat booked for all trips", kind, 4, ("e0", "e1"), Role.USER)

    verdict = judge_as_read(line, prepare(window), KnownLines(), Readings(held=frozenset([line])))

    assert isinstance(verdict, Rejected)
    assert verdict.reason == "speaker"


def test_a_second_reading_may_say_who_said_a_fact() -> None:
    evidence = prepare(window_of(("user", "Did you hear that the Elm Road is closed for works?")))
    line = Proposal("User heard that Elm Road is closed for works", Kind.FACT, 3, ("e0",), Role.USER)

    assert isinstance(judge_as_read(line, evidence, KnownLines(), UNREAD), Rejected)
    assert judge_as_read(line, evidence, KnownLines(), Readings(held=frozenset([line]))) == Verified(line)


@pytest.mark.parametrize(
    ("said", "note"),
    [
        ("She wants to pull the lower left wisdom tooth.", "Lower left wisdom tooth pulled"),
        ("Next week I will sell the boat to Ilmari.", "Sold the boat to Ilmari"),
        ("Could you renew the library card for Tessa?", "Library card renewed for Tessa"),
    ],
)
def test_what_is_only_meant_to_be_done_is_not_told_as_done(said: str, note: str) -> None:
    assert unread(note, f"U {said}") != ""


@pytest.mark.parametrize("note", ["Doesn't drive at night", "Won't drive at night", "Can't drive at night"])
def test_a_line_may_begin_with_a_short_denial(note: str) -> None:
    assert reason(note, "U I don't drive at night any more and I won't, I just can't.") == ""
