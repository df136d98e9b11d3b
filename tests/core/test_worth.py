"""What a line is worth: age lowers a rank, and what holds for life does not age."""

from dataclasses import replace
from datetime import date

import pytest
from tests.core.lines_by_hand import a_line

from scrimshaw.core.ledger.lifecycle import said_again, standing_after
from scrimshaw.core.section.rank import newest_ms, worth
from scrimshaw.core.section.select import fold, trim
from scrimshaw.core.types import Author, DateRef, Event, EventType, Kind, Line, Place

NOW_MS = 1_795_000_000_000  # 2026-11-18
DAY_MS = 86_400_000


def _share(line: Line, days: int) -> float:
    """Return what is left of the worth of *line* so many days on."""
    said = line.observation.said_at_ms
    return worth(line, said + days * DAY_MS) / worth(line, said)


@pytest.mark.parametrize(
    "line",
    [
        a_line("Prefers tea", place=Place.STANDING, kind=Kind.PREFERENCE, priority=3),
        a_line("Has a daughter, Noor", place=Place.STANDING, priority=4),
        a_line("Noor choked on a hazelnut", priority=5),
        a_line("Renew the passport by 2030-01-01", place=Place.OPEN),
        a_line("Pears were 3.20", priority=1, author=Author.PERSON),
        a_line("Pears were 3.20", priority=1, is_pinned=True),
    ],
)
def test_what_holds_for_life_does_not_age(line):
    assert _share(line, 5_000) == 1


def test_what_is_done_or_expired_sinks_first_then_the_log_and_a_small_standing_fact_last():
    done = a_line("Ordered the basket", done=True, kind=Kind.OUTCOME)
    expired = a_line("Pick up the basket", is_expired=True)
    log = a_line("The basket had leeks")
    fact = a_line("A basket is 14 euros", place=Place.STANDING, priority=3)

    shares = [_share(line, 180) for line in (done, expired, log, fact)]

    assert shares[0] == shares[1] < shares[2] < shares[3] < 1
    assert min(_share(line, 50_000) for line in (done, expired, log, fact)) > 0.2


@pytest.mark.parametrize("priority", [3, 4, 5])
def test_a_decision_in_force_ages_but_less_than_a_log_line(priority):
    decided = a_line("Buys the chairs at Boels", place=Place.STANDING, kind=Kind.DECISION, priority=priority)
    log = a_line("The basket had leeks", priority=4)

    assert _share(log, 365) < _share(decided, 365) < 1


def test_a_line_that_several_were_merged_into_is_worth_what_they_were_and_a_pattern_is_not():
    plain = a_line("Keeps bees in Wenbury: two hives, a third from Ines, honey at Easter")

    def made_of(count: int, level: int = 0) -> float:
        supports = tuple(f"o{number}" for number in range(count))
        observation = replace(plain.observation, supports=supports, level=level)
        return worth(plain._replace(observation=observation), NOW_MS)

    assert made_of(4) == pytest.approx(2 * made_of(1))
    assert made_of(1) == worth(plain, NOW_MS)
    assert made_of(4, level=1) == made_of(1)


def test_a_new_line_that_does_harm_when_forgotten_stands_in_a_full_section_of_old_decisions():
    decided = [
        a_line(
            f"We decided to buy {thing} of kind {n} for the new house",
            id=f"d{n}-{thing}",
            place=Place.STANDING,
            kind=Kind.DECISION,
            priority=priority,
            salience=0.52,
            said_at_ms=NOW_MS - (300 + n) * DAY_MS,
        )
        for n, priority in enumerate((4, 5) * 30)
        for thing in ("chairs", "lamps")
    ]
    vital = [
        a_line(text, place=Place.STANDING, priority=5, salience=0.43, said_at_ms=NOW_MS)
        for text in ("I'm severely allergic to hazelnuts.", "Under no circumstances share my address.")
    ]

    body = _section([*decided, *vital], 2_000)

    assert all(line.observation.text in body for line in vital)
    assert body.count("We decided") > 5


def test_an_observer_to_whom_everything_does_harm_leaves_room_for_what_happened():
    vital = [a_line(f"Vital matter {n}", place=Place.STANDING, priority=5, salience=0.9) for n in range(200)]
    log = [a_line(f"Something of today: {n}", salience=0.5) for n in range(20)]

    assert _section([*vital, *log], 2_000).count("of today") > 3


def test_a_standing_line_that_spoke_of_a_day_to_come_ages_once_that_has_passed():
    when = DateRef(date(2027, 1, 12), None, None, "12 January")
    line = a_line("Basket without beetroot on 2027-01-12", place=Place.STANDING, kind=Kind.DECISION)
    line = line._replace(observation=a_line(line.observation.text, refers_to=when).observation)
    before = Line(line.observation, a_line("x", place=Place.STANDING).standing)

    assert _share(before, 30) == 1
    assert _share(before, 90) < 1


@pytest.mark.parametrize("kind", [EventType.REINFORCED, EventType.RECALLED, EventType.PINNED])
def test_said_again_searched_for_or_pinned_makes_a_line_young(kind):
    line = a_line("The boiler needs a new valve", said_at_ms=NOW_MS - 400 * DAY_MS)
    event = Event(kind, line.observation.id, NOW_MS - 14 * DAY_MS, "search")
    told = line._replace(standing=standing_after(line.standing, event))
    unpinned = told._replace(
        standing=standing_after(told.standing, event.__class__(EventType.UNPINNED, "", NOW_MS, ""))
    )

    assert newest_ms([told]) == NOW_MS - 14 * DAY_MS
    assert worth(unpinned, NOW_MS) > 1.3 * worth(line, NOW_MS)


def test_words_of_a_backlog_make_a_line_as_young_as_they_are():
    line = a_line("The boiler needs a new valve", said_at_ms=NOW_MS - 400 * DAY_MS)
    said = NOW_MS - 300 * DAY_MS

    event = said_again(line.observation.id, said, at_ms=NOW_MS, by="r1")
    standing = standing_after(line.standing, event)

    assert event.at_ms == NOW_MS
    assert said - DAY_MS < standing.renewed_at_ms <= said
    assert (
        standing_after(standing, Event(EventType.REINFORCED, "", NOW_MS, "r1", reason="x" * 10)).renewed_at_ms
        == NOW_MS
    )


def _section(lines: list[Line], budget: int) -> str:
    hidden = set(trim(lines, budget, zone="UTC").hide)
    return fold([line for line in lines if line.observation.id not in hidden], budget, zone="UTC").body


def test_two_years_on_the_section_is_full_and_holds_what_still_matters():
    start = NOW_MS - 730 * DAY_MS
    for_life = [
        a_line(
            "Noor is allergic to hazelnuts; the EpiPen is in the red bag", place=Place.STANDING, priority=5
        ),
        a_line("Is called Ana, lives with Piet and Noor", place=Place.STANDING, priority=4),
        a_line("Keep coriander out of every recipe", place=Place.STANDING, kind=Kind.PREFERENCE, priority=5),
        a_line("Allergic to penicillin", priority=4),
    ]
    for_life = [
        line._replace(
            observation=a_line(
                line.observation.text,
                said_at_ms=start,
                id=f"life{n}",
                place=line.standing.place,
                priority=line.observation.priority,
                kind=line.observation.kind,
            ).observation
        )
        for n, line in enumerate(for_life)
    ]
    lines, fullness, standing = list(for_life), [], []
    for week in range(104):
        at_ms = start + week * 7 * DAY_MS
        lines += [
            a_line(
                f"Basket of week {week}: {goods}, {week % 9},50 euros",
                done=n == 0,
                said_at_ms=at_ms + n,
                kind=Kind.OUTCOME if n == 0 else Kind.FACT,
                salience=0.5,
                id=f"w{week}-{n}",
            )
            for n, goods in enumerate(("ordered with leeks", "apples were brown", "the driver was late"))
        ]
        if week and week % 10 == 0:  # said again
            told = said_again("life3", at_ms, at_ms=at_ms, by="r")
            lines[3] = lines[3]._replace(standing=standing_after(lines[3].standing, told))
        body = _section(lines, 4_500)
        fullness.append(len(body))
        standing.append(all(line.observation.text in body for line in for_life))

    quiet = _section(lines, 4_500)  # half a year of silence: nothing is written, nothing goes

    assert min(fullness[30:]) > 4_300
    assert all(standing)
    assert quiet == body
    weeks = [int(word.split(":")[0]) for word in body.split("Basket of week ")[1:]]
    assert min(weeks) > 52
