"""The current branch found from parent links: compared with walking the whole tree."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from scrimshaw.core import branch
from scrimshaw.core.branch import Link


def current(links: list[Link]) -> list[int]:
    breaks = branch.find_breaks(links)
    ranges = branch.current_ranges(links, breaks, 1, len(links))
    return [link.position for link in links if branch.is_current(ranges, link.position)]


def walked(links: list[Link]) -> list[int]:
    by_id = {link.id: link for link in links}
    found = []
    at: str | None = links[-1].id
    while at is not None:
        found.append(by_id[at].position)
        at = by_id[at].parent
    return found[::-1]


@given(st.lists(st.integers(min_value=0, max_value=9), min_size=1, max_size=40))
def test_the_branch_is_what_the_leafs_chain_of_parents_reaches(steps_back: list[int]) -> None:
    links = [Link(1, "i1", None)]
    for step in steps_back:
        position = len(links) + 1
        parent = position - 1 - step if step < len(links) else None
        links.append(Link(position, f"i{position}", f"i{parent}" if parent else None))

    assert walked(links) == current(links)


def test_an_unbroken_chain_has_no_breaks() -> None:
    links = [Link(1, "a", None), Link(2, "b", "a"), Link(3, "c", "b")]

    assert branch.find_breaks(links) == []


def test_a_parent_that_is_lost_does_not_make_what_came_before_vanish() -> None:
    links = [Link(1, "a", None), Link(2, "b", "a"), Link(3, "d", "lost"), Link(4, "e", "d")]

    assert current(links) == [1, 2, 3, 4]


def test_a_link_that_names_no_parent_follows_the_one_before() -> None:
    links = [Link(1, "a", ""), Link(2, "b", ""), Link(3, "c", "b")]

    assert current(links) == [1, 2, 3]


def test_stored_items_without_a_parent_follow_the_one_before() -> None:
    stored = [
        {"id": "a", "parentId": None},
        {"id": "b"},
        {"id": "c", "parentId": None},
        {"id": "d", "parentId": 7},
    ]

    links = [link for at, item in enumerate(stored, 1) if (link := branch.link_of(item, at))]

    assert current(links) == [1, 2, 3, 4]


def test_a_move_of_the_leaf_abandons_what_it_leaves() -> None:
    stored = [
        {"type": "session", "id": "s"},
        {"type": "message", "id": "a", "parentId": None},
        {"type": "message", "id": "b", "parentId": "a"},
        {"type": "leaf", "id": "x", "parentId": "b", "targetId": "a"},
    ]

    links = [link for at, item in enumerate(stored, 1) if (link := branch.link_of(item, at))]

    assert not branch.is_current(branch.current_ranges(links, branch.find_breaks(links), 1, 4), 3)
