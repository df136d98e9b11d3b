"""The gate and figures that a note has worked out, shortened or spelled otherwise, and names likewise."""

from __future__ import annotations

import pytest
from tests.core.judged_by_hand import reason


@pytest.mark.parametrize(
    ("note", "said"),
    [
        ("Boiler quote from Voss is cheaper by 450", "U boiler quotes: Voss wants 3,150, Aldana 3,600"),
        ("Fee raised by 15 to 75", "T the fee rises from 60 to 75"),
        ("Printer cartridges: 3 short of the booked 60", "T printer cartridges: booked 60, counted 57"),
        ("Tickets and hotel come to 310 in total", "U tickets 130, hotel 180"),
        ("Delivery held ten times the ordered amount: 500 screws", "U delivery: 500 screws instead of 50"),
        ("118 of 119 checks pass", "A all 119 checks pass except the flaky one"),
        ("Neither of the two heifers needs a vet", "U the heifers are fine, neither of them needs a vet"),
    ],
)
def test_a_figure_that_follows_from_those_said_passes(note: str, said: str) -> None:
    assert reason(note, said) == ""


@pytest.mark.parametrize(
    ("note", "said", "expected"),
    [
        (
            "Boiler quote from Voss is cheaper by 350",
            "U boiler quotes: Voss wants 3,150, Aldana 3,600",
            "number",
        ),
        ("Migraines fell from 9 to 5 a month", "U migraines went from 9 a month to 4", "number"),
        ("Delivery held five times the ordered amount", "U delivery: 500 screws instead of 50", "number"),
        ("The merge lost 3 commits", "U the merge lost two commits, now at a81fc03d", "number"),
        (
            "Seven minutes faster than in Leeds",
            "U that was six minutes faster than Leeds, at 7.5 km",
            "number",
        ),
        ("Marathon in 3:52:18", "U marathon in 3:52:08", "identifier"),
        ("Lunch on 2026-12-04 at 12:30, 8 people", "U lunch on 4 december 12:30, 7 people", "number"),
        ("Fern: water weekly", "U water the fern every two weeks", "number"),
    ],
)
def test_a_figure_that_does_not_follow_is_refused(note: str, said: str, expected: str) -> None:
    assert reason(note, said) == expected


@pytest.mark.parametrize(
    ("note", "said"),
    [
        ("Dough: 600 g flour, 80 g sugar", ("U dough: 600 g flour, 80 sugar",)),
        ("The download went from 2.4 to 1.6 MB", ("A the download went from 2.4 MB to 1.6.",)),
        (
            "Humidity stays at 55 percent",
            ("A raise the humidity to 60 percent?", "U humidity stays at 55, thanks"),
        ),
        (
            "Order 4.5 metres of rope",
            ("A order six metres of rope?", "U order four and a half, that's plenty"),
        ),
        ("Samples moved to room 214", ("U room 210 was too warm. nothing spoiled. samples moved to 214",)),
        ("Lessons every two weeks", ("U lessons are biweekly now",)),
        ("Precision is 0.83", ("U precision is .83 now",)),
        ("RAM grows by 30 MB/h", ("U ram grows by 30 mb an hour",)),
    ],
)
def test_a_unit_or_form_that_people_leave_out_is_found(note: str, said: tuple[str, ...]) -> None:
    assert reason(note, *said) == ""


@pytest.mark.parametrize(
    ("note", "said"),
    [
        ("The EpiPen is in the drawer", "U the epi pen is in the drawer"),
        ("Cottage has no Wi-Fi", "U the cottage has no wifi"),
        ("Café Linde closes early", "U cafe linde closes early"),
        ("The pump runs on 24 V", "U the pump runs on 24v"),
        ("Christmas dinner is at Nadia's", "U xmas dinner is at nadia's"),
        ("Flights to New York are booked", "U flights to NYC are booked"),
        ("Longer breaks for the crew", "U breaks for the crew get more minutes"),
    ],
)
def test_a_name_in_another_spelling_or_short_form_passes(note: str, said: str) -> None:
    assert reason(note, said) == ""


@pytest.mark.parametrize(
    ("note", "said"),
    [
        ("Easter dinner is at Nadia's", "U xmas dinner is at nadia's"),
        ("Flights to Los Angeles are booked", "U flights to NYC are booked"),
        ("The Danish file is missing", "A the file sv.json is missing"),
        ("The Italian file is missing", "A it is missing, the file"),
    ],
)
def test_a_name_that_the_short_form_does_not_stand_for_is_refused(note: str, said: str) -> None:
    assert reason(note, said) == "name"
