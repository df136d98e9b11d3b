"""The gate and the ways a thing is told: other forms pass, what is mixed up or turned does not."""

from __future__ import annotations

import pytest
from tests.core.judged_by_hand import reason, unread

from scrimshaw.core.types import Role


@pytest.mark.parametrize(
    ("note", "said"),
    [
        ("Export took 180 min", "T export took 3 hours"),
        ("Delivery takes 21 days", "U delivery takes three weeks"),
        ("Tiramisu: 0.5 kg mascarpone", "U the tiramisu needs half a kilo of mascarpone"),
        ("The table has 1.2k rows", "T the table has 1,204 rows"),
        ("Kitchen quote: €11.400", "U the kitchen quote is 11,400 euros"),
        ("Insurance pays 50 % of the crown", "U insurance pays half of the crown"),
        ("Bank appointment at 4:45 pm", "U bank appointment at quarter to five"),
        ("Bus at 15:10", "U the bus is at ten past three"),
        ("Course 6:30–8 pm", "U the course is 18:30 to 20:00"),
        ("Visit between 10:00 and 12:00", "U the visit is between 10 and 12, ring twice"),
        ("Outage lasted 48 minutes", "T outage from 02:14 to 03:02"),
        (
            "The Mapbox key is rotated every 180 days",
            "U rotate Stripe every 90 days, the Mapbox key every 180",
        ),
        ("Room 5 costs 910", "U room 3 costs 780 and room 5 is 910"),
        ("Rehearsal on 2026-12-04", "U the concert is on 5 December, rehearsal the evening before"),
        ("Slides due 2026-12-08", "U the talk is on 10 December, slides are due two days before"),
        ("Migraine on 2 and 9 November", "U I had migraine on the 2nd and the 9th this month"),
        ("Pick-up on 2026-11-19", "U the bike is ready for pick-up Thursday after four"),
        ("k8s upgrade by Rosalind", "U Rosalind does the Kubernetes upgrade"),
        ("German lessons for Lars", "U Lars learns the language of Germany in lessons"),
        ("VPN tunnel is up", "A the tunnel is up"),
        ("Memory: 16 GB", "U it has 16 gig of memory"),
        ("Password policy: 14 characters", "U passwords have 14 characters"),
    ],
)
def test_another_form_of_what_was_said_passes(note: str, said: str) -> None:
    assert reason(note, said) == ""


@pytest.mark.parametrize(
    ("note", "said", "expected"),
    [
        ("Export took 190 min", "T export took 3 hours", "number"),
        ("Delivery takes 3 days", "U delivery takes 3 weeks", "number"),
        ("The table has 1.3k rows", "T the table has 1,204 rows", "identifier"),
        ("Bank appointment at 4:15 pm", "U bank appointment at quarter to five", "time"),
        ("Rehearsal on 2026-12-06", "U the concert is on 5 December, rehearsal the evening before", "date"),
        (
            "Newsletter on the last Tuesday",
            "U the newsletter goes out on the last Friday of the month",
            "date",
        ),
        ("Paid with the March salary", "U it is paid with the January salary", "date"),
        ("Error 22C on the fridge", "U the fridge says error 22E", "identifier"),
        ("Marek signed the lease", "U Delphine signed the lease", "name"),
        ("Quennell for the export", "U Tamsin for the export", "name"),
        ("Hotel in Hill Road, Mill Road 26", "U the hotel is in Mill Road 23, 26 guests", "number"),
        ("Wants Dr. Lindqvist as a guest again", "U the guest was Dr. Mbeki. Want him again", "name"),
    ],
)
def test_a_figure_day_or_name_that_nobody_said_is_refused(note: str, said: str, expected: str) -> None:
    assert reason(note, said) == expected


@pytest.mark.parametrize(
    ("note", "said"),
    [
        ("Rhys pays 42", ["U Dana pays 42, Rhys pays 24"]),
        ("Dana pays 24, Rhys pays 42", ["U Dana pays 42, Rhys pays 24"]),
        ("Hermes has 64 GB", ["U atlas has 64 GB of memory", "U hermes still has the 16 gig stick"]),
        ("Mireille has the flu", ["U Tomasz has the flu", "U and Mireille is at the Lyon office"]),
        ("Heating costs 1,150", ["U the rent is 1,150. Heating stays at 95."]),
        ("web-b: load 0.42", ["T web-a: load 0.42\nweb-b: load 7.90"]),
        ("test_spaces failed", ["T FAILED test_umlauts\nPASSED test_spaces"]),
        ("api is disabled, web is enabled", ["A api is enabled, web is disabled"]),
    ],
)
def test_what_is_true_of_another_is_refused(note: str, said: list[str]) -> None:
    assert unread(note, *said) != ""


@pytest.mark.parametrize(
    ("note", "said"),
    [
        ("Dana pays 42, Rhys pays 24", "U Dana pays 42, Rhys pays 24"),
        ("Heating stays at 95, rent is 1,150", "U the rent is 1,150. Heating stays at 95."),
        ("Dana called and lives in Cork", "U Dana called. She lives in Cork now, Rhys in Bath."),
        ("The bot posts in deploys, not in general", "U the bot must not post in general, use deploys"),
    ],
)
def test_what_is_true_of_each_passes(note: str, said: str) -> None:
    assert reason(note, said) == ""


@pytest.mark.parametrize(
    ("note", "said"),
    [
        ("User moved from Nordcall to Telvia", "U we moved from Telvia to Nordcall"),
        ("Telvia instead of Nordcall", "U I use Nordcall instead of Telvia now"),
        ("The limit was raised from 82 to 80", "A I raised the limit from 80 to 82"),
        ("Latency rose from 840 to 310 ms", "A latency went from 840 to 310 ms"),
        ("The tunnel is not up", "A the tunnel is up"),
        ("Timeouts are retried", "A timeouts are no longer retried"),
        ("User allows customer mails in fixtures", "U never use customer mails in fixtures"),
        ("The offer was declined", "U I accepted the offer"),
        ("Tracing is turned off", "A tracing is enabled"),
    ],
)
def test_what_is_turned_round_is_refused(note: str, said: str) -> None:
    assert unread(note, said) != ""


@pytest.mark.parametrize(
    ("note", "said"),
    [
        ("User moved to Nordcall from Telvia", "U we moved from Telvia to Nordcall"),
        ("Timeouts are not retried any more", "A timeouts are no longer retried"),
        ("User forbids customer mails in fixtures", "U never use customer mails in fixtures"),
        ("The offer was declined", "U I turned down the offer"),
        ("Tracing is turned on", "A tracing is enabled"),
        ("Biscuit does not tolerate chicken", "U Biscuit is allergic to chicken"),
    ],
)
def test_the_same_way_round_in_other_words_passes(note: str, said: str) -> None:
    assert reason(note, said) == ""


ASKED = "U what database fits the billing service?"
ANSWER = "A I'd suggest Postgres for the billing service"


@pytest.mark.parametrize(
    ("note", "said"),
    [
        ("User decided on Postgres for the billing service", [ASKED, ANSWER]),
        ("User suggested Postgres for the billing service", [ASKED, ANSWER]),
        ("User moves the sessions into Valkey", ["U should we move the sessions into Valkey?"]),
        ("User set two reminders", ["U set two reminders please?", "A I set two reminders"]),
        ("Assistant wants tabs only", ["U I want tabs only", "A noted, tabs only"]),
    ],
)
def test_words_of_one_are_not_put_into_anothers_mouth(note: str, said: list[str]) -> None:
    assert unread(note, *said) != ""


@pytest.mark.parametrize(
    ("note", "said"),
    [
        ("User asked what database fits the billing service", [ASKED, ANSWER]),
        ("User chose Postgres for the billing service", [ASKED, ANSWER, "U ok, let's go with Postgres"]),
        ("User wants the table booked for seven", ["U can you book the table for seven?"]),
        ("Assistant suggested Postgres for the billing service", [ANSWER]),
    ],
)
def test_what_somebody_said_or_took_up_is_theirs(note: str, said: list[str]) -> None:
    role = Role.ASSISTANT if said == [ANSWER] else Role.USER

    assert reason(note, *said, speaker=role) == ""


@pytest.mark.parametrize(
    ("note", "said"),
    [
        # Of its few words most are its author's own, and none another's rather than the person's.
        ("User finds daily chores overwhelming", ("A how are things?", "U swamped with chores, honestly")),
        (
            "User named the pets Luna and Olli",
            ("A what are your pets' names?", "U Luna and Olli, so playful"),
        ),
    ],
)
def test_a_note_in_words_of_its_own_is_the_persons(note: str, said: tuple[str, ...]) -> None:
    assert reason(note, *said, speaker=Role.USER) == ""


def test_what_only_the_assistant_stated_is_not_the_persons() -> None:
    assert unread("User moved the backups to Oslo", "A backups moved to Oslo", "U nice weather") != ""


def test_a_piece_that_leaves_out_the_no_before_it_is_not_word_for_word() -> None:
    assert reason("push to main on Fridays", "U do not push to main on Fridays") == "polarity"
    assert reason("push to main on Mondays", "U Fridays off. push to main on Mondays") == ""
    assert reason("push to main on…; tell Rhys", "U push to main on Mondays; tell Rhys") == ""
