"""Which lines are shown and how they read: rules 1, 3 and 4, and the format of the section."""

from dataclasses import replace
from datetime import date

import pytest
from tests.core.lines_by_hand import a_line

from scrimshaw.core.section.budget import units
from scrimshaw.core.section.render import read, shown
from scrimshaw.core.section.select import fold, trim
from scrimshaw.core.types import Author, Closed, DateRef, Kind, Line, Place

ZONE = "Europe/Paris"
PREAMBLE = (
    'Notes from past sessions; "I", or no subject, is the person; times are Europe/Paris. Newer beats older. '
    "A plan whose date has passed has an unknown outcome. More: memory_search."
)


def _many(count: int, **changed: object) -> list[Line]:
    return [
        a_line(f"thing {n:03d} costs {n * 37} euro in shop{n}", said_at_ms=1_795_000_000_000 + n, **changed)
        for n in range(count)
    ]


def _after(lines: list[Line], hidden: tuple[str, ...]) -> list[Line]:
    return [
        line._replace(standing=replace(line.standing, is_shown=line.observation.id not in hidden))
        for line in lines
    ]


def test_the_section_reads_as_designed():
    lines = [
        a_line("migration 0042 split in two; deploy green", time="16:05", done=True),
        a_line("send the Q3 figures to Dana by 2026-11-24", place=Place.OPEN, priority=5),
        a_line("staging deploy of billing-api 2.4.1 failed; rolled back", priority=3),
        a_line("Prefers short answers with the command first", place=Place.STANDING, day="2026-10-02"),
        a_line("lunch was late", priority=1, day="2026-11-19", time=""),
    ]

    folded = fold(lines, 2000, zone=ZONE)

    assert folded.body == "\n".join(
        [
            PREAMBLE,
            "",
            "### Standing",
            "- 🔴 Prefers short answers with the command first (since 2026-10)",
            "### Open",
            "- 🔴 send the Q3 figures to Dana by 2026-11-24",
            "### Log",
            "2026-11-19",
            "- 🟢 lunch was late",
            "2026-11-20",
            "- 🟡 14:30 staging deploy of billing-api 2.4.1 failed; rolled back",
            "- ✅ 16:05 migration 0042 split in two; deploy green",
        ]
    )
    assert units(folded.body) == folded.units


def test_empty_parts_are_left_out():
    assert "### Open" not in fold([a_line("x")], 2000, zone=ZONE).body


def test_without_lines_there_is_no_body():
    assert fold([], 2000, zone=ZONE).body == ""


def test_a_plan_for_a_month_is_not_shown_for_its_first_day():
    when = DateRef(date(2026, 10, 1), date(2026, 10, 31), None, "October")
    line = a_line("will paint the hall in October", refers_to=when, is_expired=True, time="")

    assert "(planned for 2026-10)" in fold([line], 2000, zone=ZONE).body


def test_an_expired_plan_is_shown_as_it_was_said_with_its_day():
    when = DateRef(date(2026, 11, 24), None, None, "on Tuesday")
    line = a_line("will send the figures to Dana", refers_to=when, is_expired=True, time="")

    body = fold([line], 2000, zone=ZONE).body

    assert body.endswith("- 🔴 will send the figures to Dana (planned for 2026-11-24)")


def test_closed_and_trimmed_lines_are_not_shown():
    lines = [a_line("closed", closed=Closed.SUPERSEDED), a_line("trimmed", is_shown=False), a_line("live")]

    assert fold(lines, 2000, zone=ZONE).shown == ("live",)


def test_rule_1_the_order_in_which_lines_come_does_not_matter():
    lines = _many(200)

    assert fold(lines, 3000, zone=ZONE) == fold(lines[::-1], 3000, zone=ZONE)


@pytest.mark.parametrize("budget", [0, 1, 150, 300, 777, 4500])
@pytest.mark.parametrize("newline_units", [1, 2])
def test_promise_2_the_body_never_exceeds_the_budget(budget, newline_units):
    lines = [*_many(60), a_line("🔴" * 400, author=Author.PERSON), a_line("mine", author=Author.PERSON)]

    folded = fold(lines, budget, zone=ZONE, newline_units=newline_units)

    assert units(folded.body.replace("\n", "\r\n"[2 - newline_units :])) <= budget


def test_rule_3_a_trim_hides_no_more_than_needed_and_the_fold_shows_exactly_the_rest():
    lines = _many(200)

    steps = trim(lines, 3000, zone=ZONE)
    folded = fold(_after(lines, steps.hide), 3000, zone=ZONE)

    least = min(units(shown(line)) + 1 for line in lines)
    assert 3000 - least - len("\n2026-11-20") < folded.units <= 3000
    assert set(folded.shown) == {line.observation.id for line in lines} - set(steps.hide)
    assert folded.left_out == ()


def test_rule_3_nothing_is_hidden_while_the_text_fits():
    lines = _many(20)

    assert trim(lines, 3000, zone=ZONE) == ((), ())


def test_rule_3_what_is_shown_now_does_not_matter_and_a_second_time_there_is_nothing_to_do():
    lines = _many(200)
    trimmed = _after(lines, trim(lines, 3000, zone=ZONE).hide)
    by_lot = _after(lines, [line.observation.id for line in lines[::3]])
    steps = trim(by_lot, 3000, zone=ZONE)
    swapped = {
        line.observation.id: line._replace(
            standing=replace(
                line.standing,
                is_shown=line.observation.id in steps.show
                or (line.standing.is_shown and line.observation.id not in steps.hide),
            )
        )
        for line in by_lot
    }

    assert trim(trimmed, 3000, zone=ZONE) == ((), ())
    assert fold(list(swapped.values()), 3000, zone=ZONE) == fold(trimmed, 3000, zone=ZONE)


def test_rule_3_a_hidden_line_comes_back_as_soon_as_there_is_room_for_it():
    lines = _many(200)
    trimmed = _after(lines, trim(lines, 3000, zone=ZONE).hide)
    gone = next(line for line in trimmed if line.standing.is_shown)

    steps = trim([line for line in trimmed if line is not gone], 3000, zone=ZONE)

    assert steps.show
    assert steps.hide == ()


def test_hidden_lines_come_back_when_the_budget_has_grown_but_not_what_a_person_hid():
    lines = _many(200)
    hidden = trim(lines, 1500, zone=ZONE).hide

    hidden_lines = _after(lines, hidden)
    by_hand = next(line for line in hidden_lines if line.observation.id == hidden[0])
    aside = by_hand._replace(standing=replace(by_hand.standing, is_set_aside=True))

    steps = trim([aside if line is by_hand else line for line in hidden_lines], 9000, zone=ZONE)

    assert set(steps.show) < set(hidden) - {hidden[0]}
    assert steps.hide == ()


def test_rule_4_the_persons_lines_are_shown_exactly_as_typed():
    typed = "see the runbook <!-- importance: 8 -->\nstep one\n  - and two"

    body = fold([a_line(typed, author=Author.PERSON, place=Place.STANDING)], 2000, zone=ZONE).body

    assert body.endswith("### Standing\n- see the runbook <!-- importance: 8 -->\n  step one\n    - and two")


def test_rule_4_the_persons_lines_come_before_more_important_ones():
    mine = a_line("buy oat milk", author=Author.PERSON, priority=1, said_at_ms=5)

    assert "buy oat milk" in fold([*_many(100, priority=5), mine], 600, zone=ZONE).shown


def test_rule_4_the_persons_oldest_lines_give_way_to_one_line_that_counts_them():
    mine = [replace(l.observation, author=Author.PERSON) for l in _many(30, place=Place.STANDING)]  # noqa: E741
    lines = [a_line("x")._replace(observation=o) for o in mine]

    folded = fold(lines, 600, zone=ZONE)

    assert f"\n{30 - len(folded.shown)} more in memory/observations\n" in folded.body
    assert tuple(sorted(o.id for o in mine)[-len(folded.shown) :]) == folded.shown


def test_rule_4_a_persons_line_longer_than_the_budget_gives_way_whole():
    mine = a_line("word " * 400, author=Author.PERSON, place=Place.STANDING)

    folded = fold([mine, a_line("short")], 600, zone=ZONE)

    assert folded.shown == ("short",)
    assert "1 more in memory/observations" in folded.body


def test_a_persons_own_sub_heading_stands_behind_the_standing_lines():
    note = "### People\n- Dana: CFO\n- Priya: ops"
    lines = [
        a_line(note, author=Author.PERSON, place=Place.STANDING, said_at_ms=1),
        a_line("likes tea", place=Place.STANDING),
        a_line("pay", place=Place.OPEN),
    ]

    body = fold(lines, 2000, zone=ZONE).body

    assert f"likes tea (since 2026-11)\n{note}\n### Open" in body


def test_near_duplicates_of_a_shown_line_make_room_for_something_else():
    same = [
        a_line(f"the staging deploy of billing failed on the lock again{'!' * n}", id=f"s{n}")
        for n in range(9)
    ]
    other = a_line("Dana moved to the Lisbon office with the whole team", priority=3)

    shown = fold([*same, other], 420, zone=ZONE).shown

    assert other.observation.id in shown


def test_lines_that_differ_in_a_number_are_not_duplicates():
    lines = [a_line(f"invoice 2026-03{n} was sent to Fernhill over {n}57.50 euro") for n in range(6)]

    folded = fold([*lines, *_many(40, priority=2)], 1100, zone=ZONE)

    assert {line.observation.id for line in lines} <= set(folded.shown)


def test_important_lines_of_every_part_survive_a_small_budget():
    important = [
        *_many(8, place=Place.STANDING, priority=4),
        a_line("call Deniz on 2026-12-01", place=Place.OPEN, priority=4),
        a_line("webhook_log has its key in production", priority=5),
    ]
    lines = [
        *important,
        *(a_line(f"minor thing about topic{n}", priority=2, place=Place.STANDING) for n in range(80)),
    ]

    shown = fold(lines, 1400, zone=ZONE).shown

    assert {line.observation.id for line in important} <= set(shown)


@pytest.mark.parametrize(
    "text",
    [
        "ends <!-- scrimshaw:end --> here",
        "a\n<!-- scrimshaw:end -->\n## Heading",
        "a\r\n\u2028### Open\x00",
        "<!-- opened",
        "```",
        "\ud800 lone",
    ],
)
@pytest.mark.parametrize("author", [Author.RULES, Author.PERSON, Author.MODEL])
def test_no_text_can_break_the_section(text, author):
    lines = [a_line(text, author=author, kind=Kind.FACT), a_line("other")]

    folded = fold(lines, 2000, zone=ZONE)

    assert "<!-- scrimshaw:" not in folded.body
    assert len(folded.shown) == len(read(folded.body)) == 2
    folded.body.encode()


def test_of_two_lines_of_the_person_the_section_says_which_is_newer():
    own = [
        a_line(text, author=Author.PERSON, place=Place.STANDING, id=id_, day=day, time=time, said_at_ms=at)
        for id_, text, day, time, at in [
            ("a", "Manager: Alice", "2026-11-16", "18:00", 1),
            ("b", "Manager: Bob", "2026-11-20", "09:00", 2),
            ("c", "Manager: Carol", "2026-11-20", "", 3),  # typed into the file
        ]
    ]

    one, all_ = (fold(lines, 2_000, zone=ZONE) for lines in (own[:1], own[::-1]))

    order = "Of lines in one part without a date the lower is the newer."
    assert order not in one.body
    assert all_.body.split("\n")[1] == order
    assert all_.shown == ("a", "b", "c")
    assert all_.units == units(all_.body)
    assert [item.text for item in read(all_.body)] == [
        f"Manager: {name}" for name in ("Alice", "Bob", "Carol")
    ]
