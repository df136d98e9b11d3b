"""The posting lists kept in memory: what they hold is what the file's index holds, whoever writes to it."""

import random
import sqlite3
from pathlib import Path

import pytest
from tests.working.conftest import Home

from scrimshaw import Memory
from scrimshaw.working import memories, postings
from scrimshaw.working.database import WorkingDatabase
from scrimshaw.working.postings import Postings, heaviest


def _found(memory: Memory, query: str) -> list[str]:
    return [one.content for one in memory.search(query, mode="lexical").results]


def _in_the_file(path: Path, words: list[str]) -> dict[str, list[int]]:
    with sqlite3.connect(path) as connection:
        asked = "select rowid from memory_words where memory_words match ? order by rowid"
        return {word: [row[0] for row in connection.execute(asked, (f'"{word}"',))] for word in words}


def test_a_long_search_of_several_words_gives_what_adding_everything_up_gives() -> None:
    lot = random.Random(18)
    for _ in range(300):
        words = [f"w{at}" for at in range(lot.randint(1, 7))]
        lists = {word: sorted(lot.sample(range(400), lot.choice((0, 1, 5, 40, 250)))) for word in words}
        weights = {word: lot.choice((0.5, 1.0, 1.7, 3.0)) for word in words}
        most = lot.choice((1, 3, 10, 100))

        sums = {
            number: sum(weights[word] for word in words if number in lists[word])
            for number in {number for numbers in lists.values() for number in numbers}
        }
        best = sorted(sums.items(), key=lambda one: (-round(one[1], 6), -one[0]))[:most]
        found = heaviest(lists, weights, most)
        assert [number for number, _ in found] == [number for number, _ in best]
        assert [total for _, total in found] == pytest.approx([total for _, total in best])


def test_of_many_that_match_alike_the_newest_are_candidates(memory: Memory) -> None:
    both = memory.store("A lamp and a candle").id
    ids = [memory.store(f"The lamp of room {number} is on").id for number in range(12)]
    db = memory._working_layer()
    lists = Postings(db).lists(["lamp", "candl", "kestrel"])

    found = heaviest(lists, {"lamp": 0.5, "candl": 2.0, "kestrel": 3.0}, 10)

    kept = memories.by_number(db, [number for number, _ in found])
    assert [kept[number].id for number, _ in found] == [both, *reversed(ids[3:])]
    assert [weight for _, weight in found] == [2.5, *[0.5] * 9]
    assert heaviest({}, {}, 10) == []


def test_a_question_of_very_many_words_is_answered(memory: Memory) -> None:
    words = [f"word{at}" for at in range(800)]
    memory.store(f"Filler {' '.join(words)}")
    kestrel = memory.store("The kestrel nests in the tower").id
    lists = Postings(memory._working_layer()).lists([*words, "kestrel"])

    found = heaviest(lists, {**dict.fromkeys(words, 0.5), "kestrel": 2.0}, 10)

    by_number = memories.by_number(memory._working_layer(), [number for number, _ in found])
    assert kestrel in [one.id for one in by_number.values()]
    assert len(memory.search(" ".join([*words, "kestrel"])).results) == 1


def test_lists_follow_every_writer(home: Home) -> None:
    lot = random.Random(19)
    vocabulary = ["lamp", "candl", "kestrel", "tower", "bread", "river"]
    memory = home.open()
    other = home.open()  # as another process: an open file of its own
    ids = [memory.store("The lamp of the tower").id]
    path = memory._working_layer().path
    lists = Postings(memory._working_layer())
    for _ in range(120):
        writer = lot.choice((memory, other))
        step = lot.random()
        if step < 0.7 or len(ids) < 3:
            ids.append(writer.store(f"{' '.join(lot.sample(vocabulary, 2))} {lot.random()}").id)
        elif step < 0.85:
            writer.delete_memory(ids.pop(lot.randrange(len(ids))))
        else:
            writer.update_memory(lot.choice(ids), content=f"{lot.choice(vocabulary)} again {lot.random()}")
        asked = lot.sample(vocabulary, 3)
        found = {word: list(numbers) for word, numbers in lists.lists(asked).items()}
        assert found == _in_the_file(path, asked)


def test_what_was_stored_in_bulk_is_found(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(postings, "_MOST_NEW", 5)
    memory.store("The lamp is blue")
    assert _found(memory, "lamp") == ["The lamp is blue"]

    for number in range(9):
        memory.store(f"The kestrel of tower {number}")
    memory.store("The lamp is green")

    assert _found(memory, "lamp") == ["The lamp is green", "The lamp is blue"]
    assert len(_found(memory, "kestrel")) == 9


def test_lists_that_have_grown_long_are_dropped(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(postings, "_MOST_KEPT", 3)
    for number in range(5):
        memory.store(f"The lamp of room {number}")
    lists = Postings(memory._working_layer())

    assert len(lists.lists(["lamp"])["lamp"]) == 5
    assert list(lists.lists(["room"])) == ["room"]
    assert "lamp" not in lists._lists


def test_after_a_failed_reading_a_word_is_read_again(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    memory.store("The lamp is blue")
    lists = Postings(memory._working_layer())
    rows = WorkingDatabase.rows

    def fails(db: WorkingDatabase, sql: str, values: tuple[object, ...] = ()) -> list[tuple[object, ...]]:
        if "match" in sql:
            raise OSError("gone")
        return rows(db, sql, values)  # type: ignore[arg-type]

    with monkeypatch.context() as broken:
        broken.setattr(WorkingDatabase, "rows", fails)
        with pytest.raises(OSError, match="gone"):
            lists.lists(["lamp"])

    assert len(lists.lists(["lamp"])["lamp"]) == 1


def test_what_is_stored_while_a_list_is_read_is_in_it_once(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory.store("The lamp is blue")
    lists = Postings(memory._working_layer())
    last_number = memories.last_number

    def looked_up_just_before_a_store(db: WorkingDatabase) -> int:
        number = last_number(db)
        memory.store("The lamp is green")
        return number

    with monkeypatch.context() as busy:
        busy.setattr(memories, "last_number", looked_up_just_before_a_store)
        assert list(lists.lists(["lamp"])["lamp"]) == [1, 2]

    memory.store("The lamp is red")
    assert list(lists.lists(["lamp"])["lamp"]) == [1, 2, 3]
