"""Which earlier lines a model may close: those that this window speaks of, in the mouth of who said them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
from tests.core.exchanges_by_hand import line_of, window_of

from scrimshaw.core.consolidation.supersede import limit_references
from scrimshaw.core.types import (
    UNREAD,
    Author,
    EventType,
    Kind,
    Line,
    Observation,
    Place,
    Proposal,
    Readings,
    Role,
    SaidClosed,
    Standing,
)
from scrimshaw.core.verification.verify import prepare

CHOIR = line_of("User's choir is on Tuesday", id_="choir")
FIGURES = line_of("Send the Q3 figures to Dana", id_="figures", kind=Kind.NEXT_STEP, place=Place.OPEN)
PASSPORT = line_of("My passport is in the blue drawer", id_="passport")
GOLF = line_of("User's car is a Golf", id_="golf")
LINES = (CHOIR, FIGURES, PASSPORT, GOLF)


def left(
    said: str,
    text: str,
    *,
    replaces: tuple[str, ...] = (),
    completes: tuple[str, ...] = (),
    speaker: Role = Role.USER,
    lines: tuple[Observation, ...] = LINES,
    room: int = 9,
    turns: tuple[tuple[str, str], ...] = (),
    pinned: str = "",
    readings: Callable[[Proposal], Readings] = lambda _: UNREAD,
) -> tuple[str, ...]:
    """Return what a line may close of what it names, cited from all of *said* and *turns*."""
    window = window_of(*turns, ("user", said))
    sources = tuple(entry.entry_id for entry in window.entries)
    proposal = Proposal(text, Kind.FACT, 4, sources, speaker, replaces=replaces, completes=completes)
    found = {line.id: Line(line, Standing(line.place, is_pinned=line.id == pinned)) for line in lines}
    done = limit_references(proposal, prepare(window), found.get, room=room, readings=readings(proposal))
    assert {one.id for one in done.declined} == {*replaces, *completes} - {*_closed(done.proposal)}
    assert all(one.why for one in done.declined)
    return _closed(done.proposal)


def _closed(proposal: Proposal) -> tuple[str, ...]:
    return proposal.completes + proposal.replaces


def reading_closed(*ids: str, type_: EventType = EventType.SUPERSEDED) -> Callable[[Proposal], Readings]:
    """Return what a second reading says that holds these lines for closed, and all others for standing."""

    def read(proposal: Proposal) -> Readings:
        line = replace(proposal, replaces=(), completes=())
        others = {*proposal.replaces, *proposal.completes} - {*ids}
        return Readings(
            closes=frozenset(SaidClosed(line, type_, id_) for id_ in ids),
            stays={SaidClosed(line, type_, id_): "it is another one" for id_ in others},
        )

    return read


@pytest.mark.parametrize(
    ("said", "text", "id_"),
    [
        ("choir moved from Tuesday to Thursday", "User moved choir from Tuesday to Thursday", "choir"),
        ("I sold the Golf and bought a Leaf", "User sold the Golf and bought a Leaf", "golf"),
        (
            "The passport is in the safe now, not in the drawer",
            "User's passport is now in the safe",
            "passport",
        ),
    ],
)
def test_what_the_person_changes_is_replaced(said: str, text: str, id_: str) -> None:
    assert left(said, text, replaces=(id_,)) == (id_,)


def test_what_the_person_takes_up_in_a_word_is_replaced() -> None:
    asked = (("assistant", "Shall I move choir from Tuesday to Thursday?"),)

    assert left("yes please", "User moved choir to Thursday", replaces=("choir",), turns=asked) == ("choir",)


def test_a_line_about_something_else_closes_nothing() -> None:
    said = "The lunch soup was cold."

    assert left(said, "User found the lunch soup cold", replaces=("choir", "passport", "golf")) == ()
    assert left(said, "Lunch soup was cold", completes=("figures", "choir")) == ()


def test_words_that_nobody_said_in_this_window_bring_no_line_into_reach() -> None:
    told = "User found soup cold, passport, blue drawer, choir"

    assert left("The soup was cold.", told, replaces=("passport", "choir")) == ()


def test_a_page_replaces_nothing_that_the_person_said() -> None:
    page = (("call", "open"), ("tool", "The passport is no longer in the blue drawer. Choir is cancelled."))

    for speaker in (Role.TOOL, Role.USER):
        told = left(
            "thanks",
            "Passport no longer in the blue drawer",
            replaces=("passport",),
            speaker=speaker,
            turns=page,
        )
        assert told == ()


def test_only_what_is_open_is_completed() -> None:
    said = "I sent the Q3 figures to Dana, and my passport is in the blue drawer."

    assert left(said, f"User said: {said}", completes=("figures", "passport")) == ("figures",)


def test_what_the_person_wrote_or_pinned_is_replaced_by_nobody() -> None:
    theirs = (replace(CHOIR, author=Author.PERSON), GOLF)
    said = "Choir moved to Thursday, and I sold the Golf"

    assert left(said, said, replaces=("choir", "golf"), lines=theirs, pinned="golf") == ()


def test_no_more_is_closed_than_there_is_room_for() -> None:
    lines = tuple(line_of(f"Pier {n} has a crane", id_=f"pier{n}") for n in range(3))
    said = "Pier 0, pier 1 and pier 2 no longer have a crane"

    assert left(said, said, replaces=("pier0", "pier1", "pier2"), lines=lines, room=2) == ("pier0", "pier1")
    assert left(said, said, replaces=("pier0",), lines=lines, room=0) == ()


LISTS = line_of("User wants answers as lists", id_="lists")


def test_where_a_second_reading_says_so_a_line_is_closed_that_shares_no_word() -> None:
    said = "Write in full sentences from now on."
    told = "User wants full sentences from now on"

    assert left(said, told, replaces=("lists",), lines=(LISTS,)) == ()
    assert left(said, told, replaces=("lists",), lines=(LISTS,), readings=reading_closed("lists")) == (
        "lists",
    )


def test_where_a_second_reading_says_that_a_line_stands_it_stays_whatever_words_are_shared() -> None:
    said = "choir moved from Tuesday to Thursday"
    told = "User moved choir from Tuesday to Thursday"

    assert left(said, told, replaces=("choir",), readings=reading_closed()) == ()


def test_no_reading_closes_what_the_person_wrote_or_pinned_or_a_page_would_replace() -> None:
    said, told = "Choir moved to Thursday", "User moved choir to Thursday"
    read = reading_closed("choir")
    mine = (replace(CHOIR, author=Author.PERSON),)

    assert left(said, told, replaces=("choir",), lines=mine, readings=read) == ()
    assert left(said, told, replaces=("choir",), pinned="choir", readings=read) == ()
    assert left(said, told, replaces=("choir",), speaker=Role.TOOL, readings=read) == ()
    assert left(said, told, replaces=("choir",), room=0, readings=read) == ()


def test_no_reading_closes_what_was_said_later() -> None:
    later = (replace(CHOIR, said_at_ms=window_of(("user", "x")).entries[0].said_at_ms + 86_400_000),)

    told = left(
        "Choir moved to Thursday",
        "User moved choir to Thursday",
        replaces=("choir",),
        lines=later,
        readings=reading_closed("choir"),
    )

    assert told == ()


def test_what_a_person_wrote_to_be_done_may_be_done() -> None:
    mine = (replace(FIGURES, author=Author.PERSON), replace(PASSPORT, author=Author.PERSON))
    said = "I sent the Q3 figures to Dana, and my passport is in the blue drawer."

    assert left(said, f"User said: {said}", completes=("figures", "passport"), lines=mine) == ("figures",)
