"""Which memories hold a word: the posting lists of words that were asked for, kept in memory.

They come from the word index of the file, where reading them and adding them up for each question takes most
of a search's time. What was stored since is added to the lists; a deletion drops them all.
"""

from __future__ import annotations

import threading
from array import array
from collections.abc import Mapping, Sequence

from scrimshaw.store.database import Value
from scrimshaw.working import memories
from scrimshaw.working.database import WorkingDatabase

_LIST = "select ? as place, rowid from memory_words where memory_words match ?"
_AT_ONCE = 100  # words; SQLite allows 500 terms in a compound select
_MOST_KEPT = 1_000_000  # numbers of memories, 8 bytes each
_MOST_NEW = 1_000  # memories; with more, the lists are read again


class Postings:
    """The posting lists of one working layer; for any thread."""

    def __init__(self, db: WorkingDatabase) -> None:
        self._db = db
        self._lock = threading.Lock()
        self._lists: dict[str, array[int]] = {}
        self._kept = 0
        self._upto = 0  # the number of the newest memory that all lists know of
        self._mark = 0, ""

    def lists(self, words: Sequence[str]) -> dict[str, Sequence[int]]:
        """Return for each of *words* the numbers of the memories that hold it, oldest first."""
        with self._lock:
            self._bring_up_to_date()
            new = [word for word in dict.fromkeys(words) if word not in self._lists]
            for first in range(0, len(new), _AT_ONCE):
                self._read(new[first : first + _AT_ONCE])
            return {word: self._lists[word] for word in words}

    def _bring_up_to_date(self) -> None:
        # Read before the lists are: a deletion after this changes the next mark.
        mark = self._db.openings, memories.times_removed(self._db)
        is_kept = mark == self._mark and self._kept <= _MOST_KEPT and bool(self._lists)
        since = memories.words_since(self._db, self._upto, _MOST_NEW + 1) if is_kept else []
        if not is_kept or len(since) > _MOST_NEW:
            self._lists, self._kept, self._mark = {}, 0, mark
            self._upto = memories.last_number(self._db)
            return
        for number, words in since:
            for word in words & self._lists.keys():
                numbers = self._lists[word]
                if not numbers or numbers[-1] < number:  # a list read last may have it already
                    numbers.append(number)
                    self._kept += 1
            self._upto = number

    def _read(self, words: Sequence[str]) -> None:
        values: list[Value] = []
        for at, word in enumerate(words):
            values += at, f'"{word}"'
        rows = self._db.rows(" union all ".join([_LIST] * len(words)), values)
        self._lists |= {word: array("q") for word in words}
        for at, number in rows:
            self._lists[words[at]].append(number)
        self._kept += len(rows)


def heaviest(
    lists: Mapping[str, Sequence[int]], weights: Mapping[str, float], most: int
) -> list[tuple[int, float]]:
    """Return the numbers and sums of the *most* memories whose words weigh most, best first.

    Of equals the newest come first.
    """
    rarest = sorted(lists, key=lambda word: -weights[word])
    sums = dict.fromkeys(lists[rarest[0]], weights[rarest[0]]) if rarest else {}
    summed = sums.get
    for at, word in enumerate(rarest[1:], 1):
        numbers, weight = lists[word], weights[word]
        # Whether memories that have none of the words so far weigh too little, whatever else they have.
        if len(numbers) > most and sum(weights[other] for other in rarest[at:]) < _least(sums, most):
            for number in numbers:
                if number in sums:
                    sums[number] += weight
        else:
            for number in numbers:
                sums[number] = summed(number, 0.0) + weight
    least = _least(sums, most)
    best = sorted([(total, number) for number, total in sums.items() if total >= least], reverse=True)
    return [(number, total) for total, number in best[:most]]


def _least(sums: Mapping[int, float], most: int) -> float:
    """Return what the last of the *most* heaviest weighs; 0 while there are fewer."""
    return sorted(sums.values())[-most] if len(sums) >= most else 0.0
