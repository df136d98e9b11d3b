"""Priority as a rank: what of one window's lines stays important."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.core.exchanges_by_hand import proposals_of
from tests.core.lines_by_hand import a_line

from scrimshaw.core.extraction.scorer import held_to_rank
from scrimshaw.core.types import Author, Observation


def noted(*priorities: int, salience: tuple[float, ...] = ()) -> list[Observation]:
    saliences = salience or (0.5,) * len(priorities)
    return [
        replace(a_line(f"line {n}").observation, priority=one, salience=worth)
        for n, (one, worth) in enumerate(zip(priorities, saliences, strict=True))
    ]


def kept(lines: list[Observation], *before: int) -> list[int]:
    return [line.priority for line in held_to_rank(lines, before)]


@pytest.mark.parametrize(
    ("proposed", "expected"),
    [
        ((), []),
        ((4,), [4]),
        ((4, 4), [4, 3]),
        ((4, 5), [3, 5]),
        ((4, 4, 4), [4, 3, 3]),
        ((2, 4, 3, 1), [2, 4, 3, 1]),
        ((5, 4, 4, 4, 5, 4), [5, 3, 3, 3, 5, 3]),
        ((1, 2, 3), [1, 2, 3]),
    ],
)
def test_at_most_a_third_of_a_windows_lines_stay_important_and_one_at_least(
    proposed: tuple[int, ...], expected: list[int]
) -> None:
    assert kept(noted(*proposed)) == expected


def test_all_that_the_rules_find_to_do_harm_stays_important() -> None:
    assert kept(noted(5, 5, 4, 5, 5)) == [5, 5, 3, 5, 5]


def test_a_model_to_which_everything_does_harm_is_held_to_a_third() -> None:
    of_model = [replace(line, author=Author.MODEL) for line in noted(5, 5, 5, 5)]

    assert kept(of_model) == [5, 3, 3, 3]


def test_of_lines_of_one_priority_the_more_salient_stay_important() -> None:
    assert kept(noted(4, 4, 4, salience=(0.4, 0.9, 0.5))) == [3, 4, 3]


def test_small_windows_in_a_row_are_held_to_a_third_together() -> None:
    before: list[int] = []
    for _ in range(30):
        before += kept(noted(4), *before)

    assert 8 <= sum(priority >= 4 for priority in before) <= 11


def test_what_does_harm_when_forgotten_stays_important_in_the_smallest_window() -> None:
    assert kept(noted(5), 4, 4, 4, 4) == [5]


def test_nothing_but_the_priority_changes() -> None:
    lines = noted(4, 4, 4)

    found = held_to_rank(lines)

    assert [replace(one, priority=4) for one in found] == lines


@pytest.mark.parametrize(
    "made_up",
    [
        "In my novel Paul is allergic to peanuts.",
        "In the story I'm writing, Mara is allergic to bee stings.",
        "my character Lena is deathly allergic to shellfish",
        "In meinem Roman ist Paul allergisch gegen Nüsse.",
        "Dans mon roman, Paul est allergique aux noix.",
        "En mi novela, Paul es alérgico a los cacahuetes.",
        "No meu romance, o Paulo é alérgico a amendoim.",
        "我小说里的主角对花生过敏。",
        "私の小説の主人公はピーナッツアレルギーです。",
    ],
)
def test_what_is_told_of_people_in_a_novel_does_nobody_harm(made_up: str) -> None:
    assert [one.priority for one in proposals_of(("user", made_up))] == [3]


@pytest.mark.parametrize(
    "real",
    [
        "I'm writing a novel and I'm allergic to cats.",
        "I read in a novel that nuts kill, and my son Paul is allergic to them.",
        "In my novel the hero is well, but my son Paul is allergic to peanuts.",
        "I'm allergic to bees, that's the story of my life.",
        "In the film we shot I play a nurse, and I'm allergic to latex.",
        "Ich schreibe einen Krimi und bin allergisch gegen Katzen.",
        "For my musical I sing Annie, and I'm allergic to pollen.",
        "In act two I broke my ankle, and I'm allergic to codeine.",
        "In meinem Roman geht es um Bienen, und ich bin allergisch gegen Bienen.",
        "Dans mon roman il y a des abeilles, et je suis allergique aux abeilles.",
        "En mi novela no, pero soy alérgica al gluten.",
        "Nel mio romanzo ci sono api, e sono allergica alle api.",
        "No meu romance há abelhas, e sou alérgica a abelhas.",
        "私の小説の中では蜂が出るけど、私は蜂アレルギーです。",
    ],
)
def test_who_writes_novels_has_a_health_of_their_own(real: str) -> None:
    assert [one.priority for one in proposals_of(("user", real))] == [5]
