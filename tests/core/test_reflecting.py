"""What a cycle of the reflector merges, lets go of and promotes; and above all what it must leave alone."""

from datetime import date

import pytest
from tests.core.lines_by_hand import a_line
from tests.support.effort import Compared, lines_run

from scrimshaw.core.consolidation.rules import NOTHING, reflect
from scrimshaw.core.extraction.updates import claim_in
from scrimshaw.core.ledger.lifecycle import standing_after
from scrimshaw.core.types import Author, Claim, DateRef, EventType, Kind, Line, Place, Role

DAY_MS = 86_400_000
FRIDAY = 1_795_000_000_000


def _said(text: str, *, days: int = 0, id: str = "", **parts: object) -> Line:  # noqa: A002  # the field's name
    """Return a line said *days* after the first ones."""
    given = {"said_at_ms": FRIDAY + days * DAY_MS, "day": f"2026-11-{18 + days}", **parts}
    return a_line(text, id=id or f"{text} {days}", **given)


def _claimed(text: str, **parts: object) -> Line:
    return _said(text, claim=claim_in(text), **parts)


def _taken(lines: list[Line], type_: EventType = EventType.MERGED) -> list[tuple[str, str]]:
    return [(change.id, change.other_id) for change in reflect(lines).of(type_)]


def _applied(lines: list[Line]) -> list[Line]:
    found = {line.observation.id: line for line in lines}
    for change in reflect(lines).changes:
        line = found[change.id]
        found[change.id] = line._replace(standing=standing_after(line.standing, change.event(FRIDAY, "r1")))
    return list(found.values())


# -- merging ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("less", "more"),
    [
        ("Prefers short answers", "prefers  “short” answers"),
        (
            "I completed applications for the Master's at Leeds, a big step forward.",
            "I completed all my applications for the Master's at Leeds, a big step forward in my journey.",
        ),
        (
            "I've created handlers in socketHandler.js for 'join' and 'leave' events.",
            "Implementing the WebSocket logic in Node.js, and I've created handlers in socketHandler.js for "
            "'join' and 'leave' events.",
        ),
        (
            "I've set up a container with a Node.js 18-alpine base image of 120MB.",
            "Using Express.js as my framework. I've also set up a container with a Node.js 18-alpine base "
            "image of 120MB.",
        ),
    ],
)
def test_what_another_line_tells_as_a_whole_is_merged_into_it(less: str, more: str):
    lines = [_said(less, id="less"), _said(more, id="more")]

    assert _taken(lines) == [("less", "more")]
    assert _taken(lines, EventType.REINFORCED) == [("more", "less")]


@pytest.mark.parametrize(
    ("less", "more"),
    [
        ("The deploy of billing-api 2.4.1 failed", "The deploy of billing-api 2.4.2 failed"),
        ("The deploy of billing failed", "The deploy of billing failed on staging"),
        ("Uses tabs for the build files", "Dana uses tabs for the build files of the service"),
        ("Move the server from Paris to Rome by rail", "Move the server from Rome to Paris by rail"),
        ("I prefer tabs over spaces in Go code", "I prefer spaces over tabs in Go code"),
        ("Priya approves firewall and IAM changes", "Priya approves firewall and IAM changes unless away"),
        ("I use Postgres for the billing data", "I do not use Postgres for the billing data"),
        ("I use Postgres for the billing data", "I want to use Postgres for the billing data"),
        ("I use Postgres for the billing data", "Should I use Postgres for the billing data?"),
        ("I use Postgres for the billing data", "Dana said I use Postgres for the billing data"),
        ("I use Postgres for the billing data", "If I use Postgres for the billing data, it is slow"),
        ("The blue server stands in Paris", "The blue one is in Rome. The red server stands in Paris"),
        ("Pay the cooper £620 a quarter", "Pay the cooper €620 a quarter"),
        ("The parser is written in C# and fast", "The parser is written in C++ and fast"),
        ("Turn the debug logging of nginx on", "Turn the debug logging of nginx off"),
        ("Send the draft before the review of Dana", "Send the draft after the review of Dana"),
        ("Take plan A for the roof of the barn", "Take plan B for the roof of the barn"),
        ("The US office answers within two days", "The office answers us within two days"),
        ("Load the data from /srv/a/in at night", "Load the data from /srv/b/in at night"),
        ("Send it to Dana and to Bob by post", "Send it to Dana or to Bob by post"),
    ],
)
def test_lines_that_say_something_else_are_never_merged(less: str, more: str):
    assert reflect([_said(less, id="less"), _said(more, id="more")]) == NOTHING


_THEN = DateRef(date(2026, 11, 24), None, None, "on Tuesday")
_LATER = DateRef(date(2026, 12, 1), None, None, "on Tuesday")


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({"done": True}, {}),
        ({"speaker": Role.ASSISTANT}, {}),
        ({"kind": Kind.NEXT_STEP}, {}),
        ({"place": Place.OPEN}, {}),
        ({"place": Place.OPEN}, {"place": Place.STANDING}),
        ({"level": 1}, {}),
        ({"refers_to": _THEN}, {"refers_to": _LATER}),
        ({"author": Author.PERSON}, {"author": Author.PERSON, "priority": 5}),
        ({"is_pinned": True}, {"author": Author.PERSON}),
        ({"priority": 5}, {"is_shown": True, "place": Place.STANDING, "priority": 4}),
        ({"is_shown": True, "priority": 5}, {"is_shown": False, "kind": Kind.PREFERENCE}),
        ({"kind": Kind.OUTCOME, "days": 1}, {"kind": Kind.OUTCOME}),
        ({"done": True, "days": 1}, {"done": True}),
        ({"claim": Claim("he", "is", "in")}, {"claim": Claim("he", "is", "out")}),
    ],
    ids=str,
)
def test_the_same_words_of_something_else_are_not_merged(one: dict[str, object], other: dict[str, object]):
    alike = [_said("Short answers", id="one"), _said("short answers", id="two")]
    lines = [_said("Short answers", id="one", **one), _said("short answers", id="two", **other)]

    assert _taken(alike) == [("one", "two")]
    assert _taken(lines) == []


def test_the_same_words_on_another_day_are_merged_unless_they_speak_of_a_day():
    plain = [_said("Prefers short answers"), _said("Prefers short answers", days=3)]
    of_a_day = [_said("Lunch with Sam tomorrow"), _said("Lunch with Sam tomorrow", days=3)]

    assert _taken(plain) == [("Prefers short answers 0", "Prefers short answers 3")]
    assert _taken(of_a_day) == []


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({"days": 5}, {"author": Author.PERSON}),
        ({"days": 5}, {"is_pinned": True}),
        ({"days": 5, "is_shown": False}, {}),
        ({"days": 5}, {"priority": 5}),
        ({}, {"days": 5}),
        ({"place": Place.STANDING, "days": 5}, {"place": Place.STANDING}),
    ],
    ids=["the person's", "pinned", "shown", "more important", "the latest", "standing since"],
)
def test_of_two_that_say_the_same_the_better_one_stays(one: dict[str, object], other: dict[str, object]):
    lines = [_said("Short answers", id="goes", **one), _said("short answers", id="stays", **other)]

    assert _taken(lines) == [("goes", "stays")]


def test_a_chain_of_tellers_ends_in_the_longest():
    texts = [
        "I've set up nginx with brotli for the shop",
        "I've set up nginx with brotli for the shop and the blog",
        "I've set up nginx with brotli for the shop and the blog of Nora",
    ]
    lines = [_said(text, id=str(number)) for number, text in enumerate(texts)] + _others(12)

    assert _taken(lines) == [("0", "2"), ("1", "2")]


def _others(count: int) -> list[Line]:
    return [_said(f"Topic{n} concerns matter{n}", id=f"other {n}") for n in range(count)]


# -- replaced and done ------------------------------------------------------------------------------------


def test_a_later_word_that_says_so_replaces_a_claim_that_was_read_late():
    lines = [
        _claimed("My budget for travel is now 6000 euros.", id="new", days=2),
        _claimed("My budget for travel is 5000 euros.", id="old"),
    ]

    assert _taken(lines, EventType.SUPERSEDED) == [("old", "new")]


@pytest.mark.parametrize(
    ("earlier", "later"),
    [
        ("My manager is Dana Fox.", "My manager is now Priya."),
        ("The review is on Tuesday.", "The review has moved; the review is now on Friday."),
        ("The nightly job takes long; our limit is 90 seconds.", "Our limit goes up to 120 seconds."),
    ],
)
def test_a_name_a_day_or_a_figure_gives_way_to_a_later_one(earlier: str, later: str):
    lines = [_claimed(later, id="new", days=2), _claimed(earlier, id="old")]

    assert _taken(lines, EventType.SUPERSEDED) == [("old", "new")]


def test_the_newest_word_counts_and_takes_the_place_of_what_stood():
    lines = [
        _claimed("Our limit is 5 seats.", id="a", place=Place.STANDING),
        _claimed("Our limit is now 6 seats.", id="b", days=1),
        _claimed("Our limit is now 9 seats.", id="c", days=2),
        *_others(5),
    ]

    assert _taken(lines, EventType.SUPERSEDED) == [("a", "c"), ("b", "c")]
    assert _taken(lines, EventType.PROMOTED) == [("c", "")]


@pytest.mark.parametrize(
    ("earlier", "later"),
    [
        ("My goal is to learn Rust.", "My goal is to run ten miles."),
        ("The error message is E1.", "The error message is E2."),
        ("My score is 80 on algebra.", "My score is now 92 on geometry."),
        ("My budget for travel is 5000 euros.", "My budget for food is now 600 euros."),
        ("My budget is 5000 euros.", "If my budget is now 600 euros, what then?"),
        ("My budget is 5000 euros.", "Maybe my budget is now 600 euros."),
        ("Our limit is 90 seconds.", "Our limit goes up to 120 seconds from January."),
        ("The app is using the slim image.", "The app is now running fine."),
        ("The app is version 3.", "The app is now 4 MB."),
    ],
)
def test_equal_subjects_alone_replace_nothing(earlier: str, later: str):
    lines = [_claimed(earlier, id="old"), _claimed(later, id="new", days=2)]

    assert reflect(lines) == NOTHING


@pytest.mark.parametrize("own", [{"author": Author.PERSON}, {"is_pinned": True}])
def test_what_a_person_wrote_or_pinned_is_not_replaced(own: dict[str, object]):
    lines = [
        _claimed("Our limit is 5 seats.", id="a", **own),
        _claimed("Our limit is now 6 seats.", id="b", days=1),
    ]

    assert reflect(lines) == NOTHING


def test_an_open_item_is_completed_by_a_later_report_of_it():
    lines = [
        _said("Send the Q3 figures to Dana by Friday", id="plan", place=Place.OPEN, kind=Kind.NEXT_STEP),
        _said("Sent the Q3 figures to Dana", id="done", done=True, kind=Kind.OUTCOME, days=1),
    ]

    assert _taken(lines, EventType.COMPLETED) == [("plan", "done")]


@pytest.mark.parametrize(
    "report",
    [
        "Sent the Q4 figures to Dana",
        "Sent the Q3 figures to Priya",
        "The Q3 figures are not with Dana",
        "Q3 call with Dana went fine",
    ],
)
def test_a_report_of_something_else_completes_nothing(report: str):
    lines = [
        _said("Send the Q3 figures to Dana by Friday", place=Place.OPEN, kind=Kind.NEXT_STEP),
        _said(report, done=True, kind=Kind.OUTCOME, days=1),
    ]

    assert reflect(lines) == NOTHING


def test_an_earlier_report_completes_nothing():
    lines = [
        _said("Send the Q3 figures to Dana", place=Place.OPEN, kind=Kind.NEXT_STEP, days=1),
        _said("Sent the Q3 figures to Dana", done=True, kind=Kind.OUTCOME),
    ]

    assert reflect(lines) == NOTHING


# -- promoting --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("changed", "is_promoted"),
    [
        ({"reinforced": 2}, True),
        ({"reinforced": 1}, False),
        ({"reinforced": 2, "kind": Kind.OUTCOME}, False),
        ({"reinforced": 2, "done": True}, False),
        ({"reinforced": 2, "refers_to": _THEN}, False),
        ({"reinforced": 2, "is_expired": True}, False),
        ({"reinforced": 2, "speaker": Role.ASSISTANT}, False),
        ({"reinforced": 2, "place": Place.OPEN}, False),
        ({"reinforced": 2, "author": Author.PERSON}, False),
    ],
    ids=str,
)
def test_what_the_user_keeps_saying_becomes_standing(changed: dict[str, object], is_promoted: bool):
    assert is_promoted == bool(_taken([_said("Prefers short answers", **changed)], EventType.PROMOTED))


def test_merges_of_this_cycle_count_towards_becoming_standing():
    lines = [_said("Prefers short answers", days=day) for day in range(3)] + _others(9)

    assert _taken(lines, EventType.PROMOTED) == [("Prefers short answers 2", "")]


# -- the cycle --------------------------------------------------------------------------------------------


def test_at_most_a_quarter_of_the_lines_goes_in_one_cycle_the_surest_first_and_the_rest_follows():
    near = [
        _said("I've set up nginx with brotli for the shop", id="near"),
        _said("I've set up nginx with brotli for the shop and the blog", id="far"),
    ]
    lines = [*near, *(_said("Prefers short answers", days=day) for day in range(4)), *_others(2)]

    first = reflect(lines)

    assert (len(first.of(EventType.MERGED)), first.has_more) == (2, True)
    assert "near" not in [change.id for change in first.of(EventType.MERGED)]
    live = lines
    for _ in range(4):
        live = [line for line in _applied(live) if line.standing.is_live]
    assert len(live) == 4
    assert reflect(live) == NOTHING


def test_a_single_pair_is_merged_however_few_lines_there_are():
    assert len(_taken([_said("Short answers", id="a"), _said("Short answers", id="b")])) == 1


def test_nothing_is_made_of_nothing_and_closed_lines_are_no_lines():
    closed = _said("Short answers", id="a", closed="superseded")

    assert [reflect([]), reflect([closed, _said("Short answers", id="b")])] == [NOTHING, NOTHING]


@pytest.mark.parametrize("words", [3, 40], ids=["lines all alike", "many different lines"])
def test_the_effort_grows_with_the_number_of_lines_and_not_with_its_square(words: int):
    lines = [
        _said(
            f"I've set up host {n} with service{n % words} for team{n % 97 % words} and job{n % 89 % words} "
            f"of customer{n * 7919 % 10007 % words**2}",
            id=Compared(n),
        )
        for n in range(4_000)
    ]

    def few() -> object:
        return reflect(lines[:1_000])

    def many() -> object:
        return reflect(lines)

    assert lines_run(many) < 6 * lines_run(few)  # four times as many; the square would be 16


def test_a_hidden_line_that_tells_all_of_a_shown_one_comes_into_the_section_for_it():
    shown = _said("Joris swims on Tuesdays at the Zuiderbad", id="shown")
    hidden = _said("Joris swims on Tuesdays at the Zuiderbad with Lotte", id="hidden", is_shown=False)

    changes = reflect([shown, hidden]).changes

    assert [(change.type, change.id) for change in changes] == [
        (EventType.MERGED, "shown"),
        (EventType.REINFORCED, "hidden"),
        (EventType.SHOWN, "hidden"),
    ]


def test_what_a_person_has_put_away_takes_nothing_that_is_shown():
    shown = _said("Joris swims on Tuesdays at the Zuiderbad", id="shown")
    away = _said(
        "Joris swims on Tuesdays at the Zuiderbad with Lotte", id="away", is_shown=False, is_set_aside=True
    )

    assert reflect([shown, away]) == NOTHING
