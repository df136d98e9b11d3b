"""What another ledger's lines become in this one: everything once, and a person's word here stands."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from tests.portability.ledgers import born, event, fill, line, parcel

from scrimshaw.core.ledger.merge_ledgers import Joined, Parcel
from scrimshaw.core.types import Author, Closed, EventType, Observation, Standing
from scrimshaw.store.ledger import Ledger, open_ledger
from scrimshaw.store.records import Batch

SUPERSEDED, DELETED, PINNED = EventType.SUPERSEDED, EventType.DELETED, EventType.PINNED


@pytest.fixture
def ledger(tmp_path: Path) -> Iterator[Ledger]:
    with open_ledger(tmp_path / "here.sqlite", create=True) as ledger:
        yield ledger


@pytest.fixture
def there(tmp_path: Path) -> Iterator[Ledger]:
    with open_ledger(tmp_path / "there.sqlite", create=True) as ledger:
        yield ledger


def join(ledger: Ledger, what: Parcel) -> Joined:
    return ledger.join(what, at_ms=9, by="import")


def everything(ledger: Ledger) -> Parcel:
    """What an archive of *ledger* holds."""
    events = tuple(one.event for one in ledger.events_since(0) if one.event.observation_id)
    return Parcel(tuple(line.observation for line in ledger.all_lines()), events)


def standing(ledger: Ledger, one: Observation) -> Standing:
    found = ledger.line(one.id)
    assert found is not None
    return found.standing


def note(ledger: Ledger, *lines: Observation) -> None:
    join(ledger, parcel(*lines))


# -- into an empty ledger ----------------------------------------------------------------------------------


def test_every_field_and_every_standing_comes_back(ledger: Ledger, there: Ledger) -> None:
    fill(there, 400)

    join(ledger, everything(there))

    assert there.all_lines() == ledger.all_lines()
    assert everything(there) == everything(ledger)


def test_the_kept_standings_are_what_the_events_say(ledger: Ledger, there: Ledger) -> None:
    fill(there, 400)
    join(ledger, everything(there))

    wrong = ledger.rebuild()

    assert wrong == 0


def test_joining_twice_adds_nothing(ledger: Ledger, there: Ledger) -> None:
    fill(there, 400)
    join(ledger, everything(there))
    before = ledger.version()

    again = join(ledger, everything(there))

    assert (before, (), (), 400) == (ledger.version(), again.observations, again.events, again.known)


def test_a_deletion_that_came_along_keeps_its_line_out(ledger: Ledger) -> None:
    gone = line(1)

    join(ledger, parcel(gone, then=(event(DELETED, gone, 5, by="person"),)))

    assert ledger.tombstoned(replace(line(1), id="0" * 24)) is not None


def test_lines_that_stood_beside_a_deleted_one_there_stand_here(ledger: Ledger) -> None:
    gone = line(1)
    beside = replace(line(2), sources=gone.sources)
    join(ledger, parcel(gone, then=(event(DELETED, gone, 5, by="person"),)))

    join(ledger, parcel(gone, beside, then=(event(DELETED, gone, 5, by="person"),)))

    assert standing(ledger, beside).is_live


def test_a_look_writes_nothing(ledger: Ledger) -> None:
    told = ledger.join(parcel(line(1)), at_ms=9, by="import", writes=False)

    assert (len(told.observations), ledger.all_lines()) == (1, [])


# -- into a ledger that lives ------------------------------------------------------------------------------


def test_what_happened_there_since_is_added(ledger: Ledger) -> None:
    old, new = line(1), line(2)
    note(ledger, old)

    join(ledger, parcel(old, new, then=(event(SUPERSEDED, old, 5, other_id=new.id),)))

    assert (Closed.SUPERSEDED, new.id) == (standing(ledger, old).closed, standing(ledger, old).closed_by)


@pytest.mark.parametrize("type_", [PINNED, EventType.RESTORED, EventType.SHOWN])
def test_what_a_person_decided_here_stands(ledger: Ledger, type_: EventType) -> None:
    old, new = line(1), line(2)
    note(ledger, old)
    ledger.append([event(type_, old, 3, by="person")])

    told = join(ledger, parcel(old, new, then=(event(SUPERSEDED, old, 5, other_id=new.id),)))

    assert (standing(ledger, old).is_live, told.yours) == (True, 1)


def test_what_a_person_took_out_here_stays_out(ledger: Ledger) -> None:
    gone, same = line(1), replace(line(1), id="a" * 24, text="the same message, in other words")
    note(ledger, gone)
    ledger.append([event(DELETED, gone, 3, by="person")])

    told = join(ledger, parcel(gone, same, then=(event(EventType.REINFORCED, gone, 5),)))

    assert (told.kept_out, ledger.line(same.id), standing(ledger, gone).closed) == (1, None, Closed.DELETED)


def test_a_line_is_not_closed_by_one_that_was_kept_out(ledger: Ledger) -> None:
    gone, old = line(1), line(3)
    winner = replace(line(1), id="a" * 24)
    note(ledger, gone, old)
    ledger.append([event(DELETED, gone, 3, by="person")])

    join(ledger, parcel(old, winner, then=(event(SUPERSEDED, old, 5, other_id=winner.id),)))

    assert standing(ledger, old).is_live


def test_a_line_is_not_closed_by_one_that_is_in_no_file(ledger: Ledger) -> None:
    old, elsewhere = line(1), line(2)
    note(ledger, old)

    join(ledger, parcel(old, then=(event(SUPERSEDED, old, 5, other_id=elsewhere.id),)))

    assert standing(ledger, old).is_live


def test_two_lines_do_not_close_each_other(ledger: Ledger) -> None:
    one, two = line(1), line(2)
    note(ledger, one, two)
    ledger.append([event(EventType.MERGED, one, 3, other_id=two.id)])

    join(ledger, parcel(one, two, then=(event(EventType.MERGED, two, 5, other_id=one.id),)))

    assert [standing(ledger, it).is_live for it in (one, two)] == [False, True]


def test_the_later_word_of_two_machines_counts(ledger: Ledger) -> None:
    old, here, there = line(1), line(2), line(3)
    note(ledger, old, here)
    ledger.append([event(SUPERSEDED, old, 9, other_id=here.id)])

    join(ledger, parcel(old, there, then=(event(SUPERSEDED, old, 5, other_id=there.id),)))

    assert here.id == standing(ledger, old).closed_by


@pytest.mark.parametrize("type_", [EventType.TRIMMED, EventType.EXPIRED, EventType.DROPPED])
def test_what_the_section_shows_is_its_own_affair(ledger: Ledger, type_: EventType) -> None:
    one = line(1)
    note(ledger, one)
    before = standing(ledger, one)

    join(ledger, parcel(one, then=(event(type_, one, 5),)))

    assert before == standing(ledger, one)


def test_a_forgotten_line_gets_nothing(ledger: Ledger) -> None:
    one = line(1)
    note(ledger, one)
    ledger.append([event(EventType.FORGOTTEN, one, 3, by="person")])
    before = ledger.version()

    join(ledger, parcel(one, then=(event(EventType.REINFORCED, one, 5), event(PINNED, one, 6, by="person"))))

    assert before == ledger.version()


def test_what_was_forgotten_there_is_told_and_stands_here(ledger: Ledger) -> None:
    one = line(1)
    note(ledger, one)

    told = join(ledger, parcel(one, then=(event(EventType.FORGOTTEN, one, 5, by="person"),)))

    assert ((one.id,), True) == (told.forgotten_there, standing(ledger, one).is_live)


def test_events_of_lines_whose_words_are_in_another_file_are_counted(ledger: Ledger) -> None:
    one, other = line(1), line(2)

    told = join(ledger, Parcel((one,), (*born(one), event(PINNED, other, 5))))

    assert told.elsewhere == 1


def test_counts_of_both_sides_come_together(ledger: Ledger) -> None:
    one = line(1)
    note(ledger, one)
    ledger.append([event(EventType.RECALLED, one, 3, by="search")])
    told = parcel(one, then=(event(EventType.RECALLED, one, 5, by="search"),) * 2)

    join(ledger, told)
    join(ledger, told)

    assert standing(ledger, one).recalled == 3


def test_a_line_read_back_from_a_dated_file_gives_way_to_its_original(ledger: Ledger) -> None:
    original = line(1, "staging deploy of billing-api failed")
    copy = replace(original, id="b" * 24, session_id="", sources=(), run_id="", author=Author.RULES)
    ledger.accept(Batch("init", 1, (copy,)))

    note(ledger, original)

    assert (original.id, True) == (standing(ledger, copy).closed_by, standing(ledger, original).is_live)


# -- two machines, any order -------------------------------------------------------------------------------


def test_archives_of_two_machines_come_to_the_same_lines_in_either_order(tmp_path: Path) -> None:
    parcels = []
    for seed in (1, 2):
        with open_ledger(tmp_path / f"{seed}.sqlite", create=True) as made:
            fill(made, 120, seed=seed)
            parcels.append(everything(made))
    ids = []
    for name, order in (("ab", parcels), ("ba", parcels[::-1]), ("aba", [*parcels, parcels[0]])):
        with open_ledger(tmp_path / f"{name}.sqlite", create=True) as ledger:
            for one in order:
                join(ledger, one)
            ids.append({line.observation.id for line in ledger.all_lines()})
            assert ledger.rebuild() == 0

    # Nothing is in both: each machine's own deletions bar only what the other has of the same entries.
    assert ids[0] == ids[2]
    assert len(ids[0] ^ ids[1]) <= 40
