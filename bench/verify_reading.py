"""The labelled set as a model reads it the second time: the requests, and the replies that were recorded.

A note and what was made of it by changing one thing never stand in one request, as they never would in use:
each request holds one of each family at most, the others of the same situation. The replies in
`verify_cases/second_reading.jsonl` were given by a large language model to exactly these requests, those of a
situation each in another conversation, and the prompt was not changed after they were seen. A smaller model
will do worse; `--ask NAME` measures yours.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import NamedTuple

from bench.verify_changes import changed, turned_plainly
from bench.verify_set import Case, Situation, note, read

READ = frozenset(("good", "polarity", "retold", "speaker", "merged", "swapped"))


class Batch(NamedTuple):
    """What one request asks about: notes of one situation, no two of them made of the same one."""

    key: str  # file, situation and number
    cases: tuple[Case, ...]


def batches(file: str, rng: random.Random) -> Iterator[Batch]:
    """Yield the requests for the situations of that file; each case of a class in READ stands in one."""
    for place, situation in enumerate(read(file)):
        families = [found for found in _families(situation, rng) if found]
        most = max(map(len, families), default=0)
        asked: list[list[Case]] = [[] for _ in range(most)]
        for at, family in enumerate(families):
            for number, case in enumerate(family):
                asked[(number + at) % most].append(case)
        for number, cases in enumerate(asked):
            yield Batch(f"{file} {place} {number}", tuple(cases))


def _families(situation: Situation, rng: random.Random) -> Iterator[list[Case]]:
    for entry in situation.entries:
        for text in turned_plainly(entry.text):
            yield [Case("retold", note(text, entry.role, (entry,)), (entry,), tuple(situation.entries))]
    family: list[Case] = []
    for case in situation.cases:
        if case.label == "good":
            yield family
            family = []
        family += [one for one in (case, *_changed(case, rng)) if one.label in READ]
    yield family


def _changed(case: Case, rng: random.Random) -> Iterator[Case]:
    if case.label == "good":
        yield from changed(case, rng)
