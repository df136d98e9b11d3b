"""What the rules make of a dated sentence: a plan, a report or what holds, and the date shown beside it."""

from __future__ import annotations

import re
from datetime import date, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from tests.core.exchanges_by_hand import entries_of, proposals_of, window_of
from tests.core.judged_by_hand import reason
from tests.support.cases import read_cases

from scrimshaw.core.consolidation.expiry import expired
from scrimshaw.core.ledger.known_lines import KnownLines
from scrimshaw.core.ledger.observations import observation_of
from scrimshaw.core.types import (
    Author,
    DateRef,
    Kind,
    Line,
    Observation,
    Place,
    Proposal,
    Role,
    Standing,
    Verified,
)
from scrimshaw.core.verification.dates import strange_date
from scrimshaw.core.verification.source import Witness
from scrimshaw.core.verification.verify import judge_as_noted, prepare

MONDAY, TUESDAY = "2026-11-16 10:05", "2026-11-17 15:20"
TABLES = ("said", "unseen", "fresh")
DATED = read_cases(Path(__file__).with_name("cases") / "dates.txt")
_SHOWN = re.compile(r"\((\d{4}-\d\d-\d\d)(?: to (\d{4}-\d\d-\d\d))?\)")


def noted(said: str, at: str = MONDAY) -> list[Proposal]:
    said_at = datetime.fromisoformat(at).replace(tzinfo=ZoneInfo("UTC"))
    return proposals_of(("user", said), ("assistant", "Noted."), said_at=said_at)


def written(said: str, at: str) -> Observation:
    """Return what stands in the ledger of what was *said* then."""
    said_at = datetime.fromisoformat(at).replace(tzinfo=ZoneInfo("UTC"))
    [proposal] = noted(said, at)
    said_at_ms = int(said_at.timestamp() * 1000)
    return observation_of(proposal, "s1", said_at_ms, "UTC", author=Author.RULES, run_id="r1")


@pytest.mark.parametrize(
    ("said", "start"),
    [
        ("The fair is on Sunday week, so the 29th.", "2026-11-29"),
        ("We leave on Saturday week at noon.", "2026-11-28"),
        ("The gala is on Wednesday in nine days.", "2026-11-25"),
        ("I booked a table for Saturday at 8pm.", "2026-11-21"),
        ("The vet is coming on Wednesday.", "2026-11-18"),
        ("Pay the nursery by Friday.", "2026-11-20"),
    ],
)
def test_what_lies_ahead_is_open_with_its_one_day(said: str, start: str) -> None:
    [plan] = noted(said)

    assert plan.refers_to is not None
    assert (Place.OPEN, start) == (plan.place, plan.refers_to.start.isoformat())
    assert {day for match in _SHOWN.findall(plan.text) for day in match[:1]} == {start}


@pytest.mark.parametrize(
    "said",
    [
        "61 repairs in October, 48 of them under warranty.",
        "61 repairs in November, 48 of them under warranty.",
        "We did 61 repairs this month.",
        "I ran 34 km this week.",
        "This year 214 patients came to the clinic.",
        "Grandma has been in Ghent since Saturday.",
        "The walk on Sunday was lovely, 14 km.",
        "On Saturday we drove 214 km to Ghent.",
        "The meeting with Dr Haas on Friday was cancelled.",
        "From January on the shop is open on Saturday from 9 to 13.",
        "I work Monday to Friday at the Miller bakery.",
        "The dose is 3/4 of a pill.",
    ],
)
def test_a_report_or_what_holds_is_no_plan(said: str) -> None:
    assert [line.text for line in noted(said) if line.place is Place.OPEN] == []


@pytest.mark.parametrize(
    "said", ["I booked the dentist on Friday.", "The delivery should have come on Friday."]
)
def test_a_day_on_an_unknown_side_is_neither_shown_nor_waited_for(said: str) -> None:
    lines = noted(said, TUESDAY)

    assert all(line.refers_to is None and "2026" not in line.text for line in lines)


@pytest.mark.parametrize(
    ("at", "said", "dates"),
    [
        (at, said, dates)
        for table in TABLES
        for at in (MONDAY, TUESDAY)
        for said, dates in DATED[f"{table}: {at}"]
    ],
)
def test_no_date_is_shown_that_does_not_follow(at: str, said: str, dates: str) -> None:
    follows = set(re.findall(r"\d{4}-\d\d-\d\d", dates))
    shown = {day for line in noted(said, at) for match in _SHOWN.findall(line.text) for day in match if day}

    assert shown <= follows


@pytest.mark.parametrize("said", [said for table in TABLES for said, _ in DATED[f"{table}: {MONDAY}"]])
def test_what_somebody_said_is_never_refused_for_its_dates(said: str) -> None:
    said_at = datetime.fromisoformat(MONDAY).replace(tzinfo=ZoneInfo("UTC"))
    [entry] = entries_of(("user", said), said_at=said_at)

    assert strange_date(said, None, (Witness(entry, ZoneInfo("UTC")),)) == ""


@pytest.mark.parametrize(
    ("said", "shown"),
    [
        ("This month I'll pay 340 euros to the dentist.", "This month (2026-11) I'll"),
        ("We went to the Rocky Mountains with 12 people last year.", "last year (2025)"),
    ],
)
def test_a_whole_month_or_year_is_shown_as_such(said: str, shown: str) -> None:
    [line] = noted(said)

    assert shown in line.text


@pytest.mark.parametrize(
    ("at", "said", "ahead"),
    [
        ("2026-12-20T18:00", "Checkup appointment on 20 July at 9.", "2027-07-20"),
        ("2026-03-15T18:00", "Eye doctor appointment on 14 September.", "2026-09-14"),
        ("2026-02-01T18:00", "Appointment with Hanna about the kitchen on 4 September.", "2026-09-04"),
        ("2026-11-20T18:00", "Appointment with the vet on 14 September at 9.", "2027-09-14"),
        ("2026-12-01T18:00", "Appointment at the registry on September 2.", "2027-09-02"),
    ],
)
def test_the_day_of_what_is_open_lies_ahead_where_no_year_is_said(at: str, said: str, ahead: str) -> None:
    line = written(said, at)

    assert line.refers_to is not None
    assert (Place.OPEN, ahead) == (line.place, line.refers_to.start.isoformat())
    assert expired([Line(line, Standing(Place.OPEN))], date.fromisoformat(at[:10]) + timedelta(20)) == ()


def test_the_day_of_a_report_lies_back_however_far() -> None:
    line = written("We painted the fence on 20 March with 14 cans.", "2026-12-20T18:00")

    assert line.refers_to is not None
    assert line.refers_to.start.isoformat() == "2026-03-20"


@pytest.mark.parametrize(
    "said",
    [
        "Theo has swimming lessons every Saturday at 10 from September.",
        "Yoga class is every Tuesday at 19:00 from 8 September.",
        "I'll go to the gym on Saturdays from September.",
        "Choir practice moves to Thursday evenings, starting on 3 September.",
    ],
)
def test_the_day_from_which_on_something_recurs_is_no_day_that_is_waited_for(said: str) -> None:
    line = written(said, "2026-08-20T10:00")

    assert (line.refers_to, line.place is Place.OPEN) == (None, False)


@pytest.mark.parametrize(
    "said",
    [
        "My sister Nora starts a new job on 1 September.",
        "Leo starts at his new school on 7 September.",
        "I'll start on the new tablets, 20 mg, on 1 September.",
    ],
)
def test_what_starts_to_hold_is_no_plan_of_unknown_outcome(said: str) -> None:
    assert written(said, "2026-08-20T10:00").place is not Place.OPEN


@pytest.mark.parametrize(
    "said",
    [
        "The choir meets every second Thursday, next time on 27 August.",
        "The course starts on 12 September at 18:00.",
        "The parents of each child meet the new teacher on 1 September at 19:00.",
    ],
)
def test_one_meeting_of_what_recurs_is_a_plan(said: str) -> None:
    assert written(said, "2026-08-20T10:00").place is Place.OPEN


def test_a_day_that_stands_for_another_one_of_another_sentence_is_seen() -> None:
    said = "U did 11k today, felt easy. yesterday 6k hurt like hell, new shoes"

    assert reason("Ran 11 km on 2026-11-15; the 6 km on 2026-11-15 hurt", said) == "date"
    assert reason("Ran 11 km on 2026-11-16; the 6 km on 2026-11-15 hurt", said) == ""


@pytest.mark.parametrize(
    ("said", "shown"),
    [
        ("Die Augenkontrolle ist morgen um 9 Uhr 15.", "morgen um 9 Uhr 15 (2026-11-17)."),
        ("Rendez-vous chez le dentiste vendredi à 8 heures 30.", "vendredi à 8 heures 30 (2026-11-20)."),
        ("El viernes a las 18 y media tengo dentista.", "viernes a las 18 y media (2026-11-20) tengo"),
        ("Il dentista è venerdì alle 18 e un quarto.", "venerdì alle 18 e un quarto (2026-11-20)."),
        ("牙医约在周五晚上八点一刻。", "周五晚上八点一刻 (2026-11-20)。"),
    ],
)
def test_a_date_stands_behind_the_whole_hour(said: str, shown: str) -> None:
    [line] = noted(said)

    assert shown in line.text


@pytest.mark.parametrize(
    "said",
    [
        "Y mi hermana Lorena se casa!!! El 12 de junio, en Jaca. Me lo ha dicho esta tarde llorando.",
        "Die Hochzeit ist am 12. Juni in Jaca. Das hat sie mir heute Nachmittag erzählt.",
    ],
)
def test_the_day_of_a_plan_is_not_the_one_it_was_told_on(said: str) -> None:
    line = written(said, "2026-10-21 22:23")

    assert line.refers_to is not None
    assert line.place is Place.OPEN
    assert line.refers_to.start == date(2027, 6, 12)


def test_what_is_wanted_done_is_open_for_its_day() -> None:
    line = written("Carol wants the turkey picked up from Mount Royal wednesday by noon.", "2026-11-24 08:34")

    assert line.refers_to is not None
    assert line.place is Place.OPEN
    assert line.refers_to.start == date(2026, 11, 25)


@pytest.mark.parametrize(
    ("said", "is_of_feast"),
    [
        ("Neil hosts xmas this year. we drive down on the 24th, back on the 27th.", True),
        ("Xmas presents are all wrapped. The boiler man comes on the 27th.", False),
    ],
)
def test_a_bare_day_is_of_the_feast_it_is_named_with(said: str, is_of_feast: bool) -> None:
    *_, line = noted(said, "2026-11-01 17:48")

    assert line.refers_to is not None
    assert is_of_feast == (line.refers_to.start.month == 12)
    assert is_of_feast != ("(2026-11-27)" in line.text)


@pytest.mark.parametrize(
    "said",
    [
        "先生にレッスン木曜無理そうって相談したら、水曜20時に変えてもらえた。",
        "From next week choir is on Wednesday at 7.",
        "Dalla prossima settimana il corso è mercoledì alle 19.",
    ],
)
def test_a_weekday_that_becomes_the_rule_stands_without_a_date(said: str) -> None:
    [line] = noted(said)

    assert line.place is Place.STANDING
    assert "2026-11-18" not in line.text


def test_what_meets_once_on_another_weekday_is_no_rule() -> None:
    [line] = noted("今週のレッスンは水曜20時に変わった。")

    assert line.place is not Place.STANDING


def test_a_line_whose_computed_day_does_not_hold_is_noted_without_it() -> None:
    said_at = datetime.fromisoformat(MONDAY).replace(tzinfo=ZoneInfo("UTC"))
    window = window_of(("user", "The boiler man comes on Friday at 9."), said_at=said_at)
    wrong = DateRef(date(2026, 11, 19), None, "09:00", "Friday at 9", True)
    text = "The boiler man comes on Friday (2026-11-19) at 9."
    proposal = Proposal(text, Kind.NEXT_STEP, 4, ("e0",), Role.USER, Place.OPEN, refers_to=wrong)

    verdict = judge_as_noted(proposal, prepare(window), KnownLines())

    assert isinstance(verdict, Verified)
    assert verdict.proposal.text == "The boiler man comes on Friday at 9."
    assert verdict.proposal.refers_to is None


def test_a_line_whose_question_does_not_hold_is_noted_without_it() -> None:
    window = window_of(("assistant", "When does he come?"), ("user", "On Friday at 9, the boiler man."))
    text = "“When does she come?” On Friday at 9, the boiler man."
    proposal = Proposal(text, Kind.NEXT_STEP, 4, ("e1", "e0"), Role.USER, Place.OPEN)

    verdict = judge_as_noted(proposal, prepare(window), KnownLines())

    assert isinstance(verdict, Verified)
    assert verdict.proposal.text == "On Friday at 9, the boiler man."
    assert verdict.proposal.sources == ("e1",)


def test_a_day_told_within_a_quotation_is_no_part_of_what_was_quoted() -> None:
    said_at = datetime.fromisoformat(MONDAY).replace(tzinfo=ZoneInfo("UTC"))
    window = window_of(("user", 'He wants the logo "by Friday", he said.'), said_at=said_at)
    text = 'He wants the logo "by Friday (2026-11-20)", he said.'
    proposal = Proposal(text, Kind.NEXT_STEP, 3, ("e0",), Role.USER, Place.OPEN)

    assert isinstance(judge_as_noted(proposal, prepare(window), KnownLines()), Verified)


def test_a_plan_that_tells_of_last_year_too_is_not_planned_for_that_year() -> None:
    said_at = datetime.fromisoformat("2026-10-17T08:00:00+00:00")
    said = "letztes jahr hatte ich sie. ist fair. dann fahr ich halt vom 27. bis 30. mit denen auf die hütte"
    [line] = proposals_of(("user", said), said_at=said_at)

    assert line.place is Place.OPEN
    assert line.refers_to is None
