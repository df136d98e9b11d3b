"""Conflicts followed as lines come and go: the same as a whole look at the lines that are there."""

import random
from dataclasses import replace
from datetime import timedelta

import pytest
from bench import memories
from bench.conflicts import pairs_of

from scrimshaw.core.insight import conflicts
from scrimshaw.core.insight.candidates import Candidates, Keys, candidates, keys
from scrimshaw.core.insight.conflicts import PastConflicts, find_conflicts
from scrimshaw.core.ledger.lifecycle import at_birth
from scrimshaw.core.types import Closed, Line


def _lines(seed: int, count: int) -> list[Line]:
    """Return lines of people's lives, a few hours apart, in an order of their own."""
    lot = random.Random(seed)
    texts = [text for pair in pairs_of("tuning") for text in (pair.first, pair.second)]
    said = [
        memories.observation(at, text, memories.BEGINS + timedelta(hours=5 * at))
        for at, text in enumerate(lot.sample(texts, count))
    ]
    lot.shuffle(said)
    return [Line(one, at_birth(one)) for one in said]


def _differing_days(seed: int, count: int = 150) -> list[int]:
    """Return the days on which what was followed is not what a look finds."""
    lot = random.Random(seed)
    lines = _lines(seed, count)
    past = PastConflicts([line.observation for line in lines])
    there: dict[str, Line] = {}
    differing = []
    for day in range(40):
        for line in lot.sample(lines, lot.choice((1, 3, 20))):
            is_gone = line.observation.id in there and lot.random() < 0.4
            now = line._replace(standing=replace(line.standing, closed=Closed.DELETED)) if is_gone else line
            past.update(now)
            there[line.observation.id] = now
        kept = [one.ids for one in find_conflicts(there.values())[:2]]
        if past.find(kept) != find_conflicts(there.values(), kept_both=kept):
            differing.append(day)
    return differing


@pytest.mark.parametrize("seed", range(4))
def test_what_is_followed_is_what_a_look_finds(seed: int) -> None:
    assert _differing_days(seed) == []


def _differing_steps(seed: int) -> list[int]:
    """Return the steps after which the candidates are others than those of the lines that are there."""
    lot = random.Random(seed)
    vocabulary = [f"w{number}" for number in range(30)]
    held = Candidates()
    there: dict[int, Keys] = {}
    differing = []
    for step in range(60):
        for at in lot.sample(range(120), 3):
            if at in there:
                held.take(at)
                del there[at]
            else:
                there[at] = keys(frozenset(lot.choices(vocabulary, range(30), k=lot.randint(2, 9))), {})
                held.put(at, there[at])
        places = sorted(there)
        whole = [(places[one], places[other]) for one, other in candidates([there[at] for at in places])]
        if list(held.pairs()) != whole:
            differing.append(step)
    return differing


def test_candidates_are_followed_as_words_become_common_and_rare() -> None:
    assert [_differing_steps(seed) for seed in range(5)] == [[]] * 5


@pytest.mark.parametrize("part", ["_ends", "_rank"])
def test_following_that_forgets_which_words_are_rare_now_would_be_seen(
    part: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Candidates, part, lambda *_: (0, ""))

    assert any(map(_differing_steps, range(5)))


def test_a_new_line_is_held_against_a_few_and_not_all_against_all(monkeypatch: pytest.MonkeyPatch) -> None:
    lines = _lines(1, 300)
    *before, new = sorted(lines, key=lambda line: line.observation.said_at_ms)
    past = PastConflicts([line.observation for line in lines])
    for line in before:
        past.update(line)
    past.find()
    judged = []
    judge = conflicts.difference
    monkeypatch.setattr(conflicts, "difference", lambda *pair: judged.append(pair) or judge(*pair))

    past.update(new)
    past.find()

    assert len(judged) < 30
