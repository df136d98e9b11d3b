"""The current branch found from parent links: compared with walking the whole tree."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.stores import FakeSession

from scrimshaw.core.transcript import branch
from scrimshaw.core.transcript.branch import Link


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


def put_aside(session: FakeSession) -> list[str]:
    """Return what the person said in the messages that are read although they are off the branch."""
    links = [link for at, event in enumerate(session.events) if (link := branch.link_of(event, at))]
    ranges = branch.current_ranges(links, branch.find_breaks(links), 0, len(session.events) - 1)
    found = branch.unanswered(links, ranges)
    assert not any(branch.is_current(ranges, position) for position in found)
    assert all(branch.is_current(branch.joined(ranges, found), position) for position in found)
    return [session.events[position]["message"]["content"] for position in found]


def talk() -> FakeSession:
    session = FakeSession()
    session.user("before")
    session.assistant("Noted.")
    return session


@pytest.mark.parametrize("with_leaf", [True, False])
def test_messages_that_interruptions_put_aside_are_told_from_the_branch(with_leaf: bool) -> None:
    session = talk()
    for text in ("the first", "the second"):
        session.user(text)
        session.interrupt(with_leaf=with_leaf)
    session.user("after")
    session.assistant("Noted.")

    assert put_aside(session) == ["the first", "the second"]


@pytest.mark.parametrize("answer", ["assistant", "tool", "user"])
def test_a_message_after_which_something_was_said_was_left_by_the_person(answer: str) -> None:
    session = talk()
    message = session.user("taken back")
    session.add("custom", customType="x")
    match answer:
        case "assistant":
            session.assistant("All right.")
        case "tool":
            session.tool("exec", {"command": "ls"}, "a b c")
        case _:
            session.user("taken back, too")
    session.leaf = next(event["parentId"] for event in session.events if event["id"] == message)
    session.user("after")

    assert put_aside(session) == []


def test_a_message_that_the_person_went_back_from_is_theirs_to_take_back() -> None:
    session = talk()
    session.rewind(session.user("taken back"))
    session.user("said instead")

    assert put_aside(session) == []


def test_a_message_before_which_the_person_went_back_later_is_theirs_to_take_back() -> None:
    session = talk()
    message = session.user("goes with what comes after")
    session.assistant("Yes.")
    session.user("put aside")
    session.interrupt()
    session.user("and more")
    session.assistant("Yes.")
    session.rewind(message)
    session.user("said instead")

    assert put_aside(session) == []


def test_going_back_to_a_later_message_takes_none_back_that_was_put_aside_before() -> None:
    session = talk()
    session.user("put aside")
    session.interrupt()
    message = session.user("taken back")
    session.assistant("Yes.")
    session.rewind(message)
    session.user("said instead")

    assert put_aside(session) == ["put aside"]


def test_what_the_host_stores_behind_a_message_is_no_answer() -> None:
    session = talk()
    session.user("put aside")
    message = session.leaf
    session.add("custom", customType="x")
    session.leaf = message
    session.interrupt()
    session.user("after")

    assert put_aside(session) == ["put aside"]


def test_an_answer_that_was_put_aside_alone_is_nobodys_message() -> None:
    session = talk()
    asked = session.user("asked")
    session.assistant("A first try.")
    session.leaf = asked
    session.assistant("A second one.")

    assert put_aside(session) == []


@given(st.lists(st.sampled_from("uaitrms"), max_size=30))
def test_whatever_is_put_aside_is_a_message_of_the_persons_off_the_branch(acts: list[str]) -> None:
    session = FakeSession()
    said = [session.user("the first")]
    for act in acts:
        last = next(event for event in session.events if event["id"] == session.leaf)
        match act:
            case "u":
                said.append(session.user("said"))
            case "a":
                session.assistant("Noted.")
            case "t":
                session.tool("exec", {"command": "ls"}, "a b c")
            case "r":
                session.rewind(said[len(acts) % len(said)])
            case "m":
                session.add("custom", customType="x")
            case "s":
                session.leaf = said[-1]
            case _ if last["type"] == "message" and last["message"]["role"] == "user":
                session.interrupt()

    put_aside(session)
