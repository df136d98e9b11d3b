"""The reflector over random lines: bounded, lossless, deterministic, done when it is done."""

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from hypothesis import assume, given, settings
from hypothesis import strategies as st
from tests.core.lines_by_hand import a_line
from tests.shell.made import SESSION, observation

from scrimshaw.core.consolidation.rules import NOTHING, Reflection, reflect
from scrimshaw.core.extraction.updates import claim_in
from scrimshaw.core.ledger.lifecycle import standing_after
from scrimshaw.core.text.normalize import marks, normal
from scrimshaw.core.types import Author, Event, EventType, Kind, Line, Place, Role
from scrimshaw.store.ledger import Ledger, open_ledger
from scrimshaw.store.records import Batch

AT = 1_795_000_000_000
DAY_MS = 86_400_000
REMOVING = {EventType.MERGED, EventType.SUPERSEDED, EventType.COMPLETED}

_SPOKEN = """
I I've not want the set up server nginx brotli for Dana Paris Q3 2.4.1 report sent send now limit tabs spaces
over and or
"""
WORDS = st.sampled_from(_SPOKEN.split())
TEXTS = st.one_of(
    st.lists(WORDS, min_size=1, max_size=9).map(" ".join),
    st.builds(
        "{} is {}{} seats{}".format,
        st.sampled_from(["Our limit", "My quota", "Our limit for Dana"]),
        st.sampled_from(["", "now "]),
        st.integers(5, 8),
        st.sampled_from(["", ".", " on Tuesday"]),
    ),
    st.builds(
        "{}I've set up the {} server for {}{}".format,
        st.sampled_from(["", "", "Using brotli, and ", "Maybe ", "Dana said "]),
        st.sampled_from(["nginx", "caddy"]),
        st.sampled_from(["Dana", "Paris"]),
        st.sampled_from(["", "", " and the blog", " unless Q3 ends", "; the blog is not live"]),
    ),
)


@st.composite
def lines_of_a_ledger(draw: st.DrawFn) -> list[Line]:
    pool = draw(st.lists(TEXTS, min_size=1, max_size=6))
    texts = draw(st.lists(st.sampled_from(pool) | TEXTS, min_size=1, max_size=16))
    return [draw(_lines(number, text)) for number, text in enumerate(texts)]


@st.composite
def _lines(draw: st.DrawFn, number: int, text: str) -> Line:
    day = draw(st.integers(0, 2))
    seldom = st.sampled_from([False, False, False, True])
    return a_line(
        text,
        id=f"o{number}",
        place=draw(st.sampled_from([Place.LOG, Place.LOG, Place.LOG, Place.STANDING, Place.OPEN])),
        priority=draw(st.sampled_from([4, 4, 4, 3, 5])),
        kind=draw(st.sampled_from([Kind.FACT, Kind.FACT, Kind.PREFERENCE, Kind.OUTCOME])),
        done=draw(seldom),
        author=Author.PERSON if draw(seldom) else Author.RULES,
        day=f"2026-11-{18 + day}",
        said_at_ms=AT + day * DAY_MS,
        claim=claim_in(text),
        speaker=Role.ASSISTANT if draw(seldom) else Role.USER,
        is_pinned=draw(seldom),
        is_shown=not draw(seldom),
        reinforced=draw(st.integers(0, 2)),
    )


def _applied(lines: list[Line], reflection: Reflection) -> list[Line]:
    found = {line.observation.id: line for line in lines}
    for change in reflection.changes:
        line = found[change.id]
        found[change.id] = line._replace(standing=standing_after(line.standing, change.event(AT, "r1")))
    return [line for line in found.values() if line.standing.is_live]


def _is_own(line: Line) -> bool:
    return line.observation.author is Author.PERSON or line.standing.is_pinned


def _marks(line: Line) -> set[str]:
    text = line.observation.text
    return {mark.lower() for mark in marks(text, normal(text))[:-1]}


@given(lines_of_a_ledger())
@settings(max_examples=2 * settings().max_examples)
def test_a_cycle_takes_few_lines_and_none_of_the_persons_and_loses_nothing_they_say(
    lines: list[Line],
) -> None:
    by_id = {line.observation.id: line for line in lines}

    reflection = reflect(lines)

    removed = [change for change in reflection.changes if change.type in REMOVING]
    live = {line.observation.id for line in _applied(lines, reflection)}
    assert len(removed) <= max(1, len(lines) // 4)
    assert len({change.id for change in removed}) == len(removed) == len(lines) - len(live)
    for change in removed:
        loser, other = by_id[change.id], by_id[change.other_id]
        assert not _is_own(loser)
        if change.type is EventType.MERGED:
            text = other.observation.text.lower()
            assert all(mark in text for mark in _marks(loser))
            assert _is_own(other) or other.observation.priority >= loser.observation.priority
            assert loser.observation.done == other.observation.done
        else:
            assert other.observation.said_at_ms > loser.observation.said_at_ms
    for promoted in reflection.of(EventType.PROMOTED):
        assert not _is_own(by_id[promoted.id])
    for change in removed:
        winner = change.other_id
        later = {one.id: one.other_id for one in removed}
        while winner in later:
            winner = later[winner]
        assert winner in live


@given(lines_of_a_ledger(), st.randoms(use_true_random=False))
def test_a_cycle_is_the_same_in_whatever_order_the_lines_come(lines: list[Line], lot: object) -> None:
    shuffled = list(lines)
    lot.shuffle(shuffled)  # type: ignore[attr-defined]

    assert reflect(lines) == reflect(shuffled)


@given(lines_of_a_ledger())
def test_cycles_come_to_an_end_and_then_there_is_nothing_to_do(lines: list[Line]) -> None:
    for _ in range(len(lines) + 1):
        reflection = reflect(lines)
        lines = _applied(lines, reflection)
        if not reflection.has_more:
            break

    assert reflect(lines) == NOTHING


@contextmanager
def _ledger() -> Iterator[Ledger]:
    with (
        tempfile.TemporaryDirectory() as folder,
        open_ledger(Path(folder) / "ledger.sqlite", create=True) as ledger,
    ):
        ledger._db._connection.execute("pragma synchronous = off")
        yield ledger


@given(st.lists(st.integers(0, 6), min_size=2, max_size=7), st.integers(0, 6), st.booleans())
def test_what_a_deleted_line_had_taken_up_does_not_come_back_by_its_entries(
    winners: list[int], deleted: int, is_edited: bool
) -> None:
    """Line n is merged into line winners[n] when that comes before it; then all are observed again."""
    count = len(winners)
    assume(deleted < count)
    into = {number: winner for number, winner in enumerate(winners) if winner < number}
    united = {deleted} | {n for n in range(count) if deleted in _upwards(n, into)}
    removing = EventType.EDITED if is_edited else EventType.DELETED
    with _ledger() as ledger:
        ledger.accept(Batch("r", AT, tuple(observation(n) for n in range(count)), sessions=(SESSION,)))
        # In no order: what is merged may have taken up others before, or take them up later.
        ledger.append([Event(EventType.MERGED, f"o{n}", AT, "r", f"o{w}") for n, w in into.items()])

        assert {("s1", f"e{n}") for n in united} == set(ledger.sources(f"o{deleted}"))

        ledger.append([Event(removing, f"o{deleted}", AT, "person")])
        fresh = [observation(99, text=f"in other words {n}", sources=(f"e{n}",)) for n in range(count)]
        assert united == {n for n, again in enumerate(fresh) if ledger.tombstoned(again)}

        ledger.append([Event(EventType.RESTORED, f"o{deleted}", AT, "person")])
        assert not any(ledger.tombstoned(again) for again in fresh)


def _upwards(number: int, into: dict[int, int]) -> Iterator[int]:
    while number in into:
        number = into[number]
        yield number
