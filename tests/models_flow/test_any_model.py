"""Whatever a model does, and whatever happens while it does it: promises 3, 4 and 7.

Each call of the model is a throw of the dice: a good answer, one cut off, garbage, inventions, an echo of its
context, a failure of any kind, a stop, or another process that observes, notes or reflects meanwhile. In the
end, with a model that behaves, every entry is covered exactly once, every line says what its sources say, and
what the person noted by hand is there, whatever a second reading said. Everything follows from the seed.
"""

from __future__ import annotations

import json
import re
import shutil
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from pathlib import Path
from random import Random

import pytest
from tests.fake_model import FakeOpener, always
from tests.models_flow.talking import MOMENT, answered, ledger_of, lengthy, notes_in, placed, uncovered

from scrimshaw.core.prompting.fence import Prompt
from scrimshaw.core.types import Author
from scrimshaw.models.model import Answer, Failure, Trouble, Usage
from scrimshaw.services.observe import verify
from scrimshaw.services.observe.run import run
from scrimshaw.services.observe.task import ObserveOptions, RunStopped

_PAIR = re.compile(r"unit-(\d+)x runs release (\d+)\.4\.1")
_INVENTED = '{"text": "We decided that unit-%dx runs release %d.4.1 in production.", "kind": "decision", '
_INVENTED += '"priority": 5, "sources": [%d]}'
_DEEPEST = 2


class _World:
    """A workspace, a model without manners, and everybody else."""

    def __init__(self, folder: Path, seed: int) -> None:
        self.seed, self.readings = seed, 0
        self.random = Random(seed)
        self.happened: Counter[str] = Counter()
        settings = {
            "window_tokens": 500,
            "model_patience": "2h" if seed % 2 else "100d",
            "after_bad_reply": "defer" if seed % 3 == 0 else "offline",
            "second_reading": ("off", "doubtful", "all", "all")[seed % 4],
        }
        self.place = placed(folder, **settings)
        self.now = MOMENT
        self.serial = 0
        self.by_hand: list[str] = []
        self.depth = 0

    def live(self) -> None:
        """Let things happen, and come to rest with a model that behaves."""
        for _ in range(8):
            self.random.choice([self._says, self._says, self._observes, self._observes, self._notes])()
        self._says()
        for _ in range(3):
            self.now += timedelta(days=30)
            run(
                self.place.target(), self.now, ObserveOptions(waits=False, opens=FakeOpener(always(answered)))
            )

    def _says(self) -> None:
        numbers = range(self.serial + 1, self.serial + 1 + self.random.randint(1, 3))
        self.serial = numbers[-1]
        self.place.say(*lengthy(*numbers))

    def _notes(self) -> None:
        self.by_hand.append(f"My note number {len(self.by_hand)} about the boat")
        assert self.place.run("add", self.by_hand[-1], now=self._iso()).code == 0

    def _observes(self, *, by_rules: bool = False) -> None:
        self.now += timedelta(minutes=self.random.choice([1, 30, 300]))
        opens = None if by_rules else FakeOpener(always(self._said))
        self.depth += 1
        try:
            run(self.place.target(), self.now, ObserveOptions(waits=False, opens=opens))
        except RunStopped:
            self.happened["stopped"] += 1
        finally:
            self.depth -= 1

    def _said(self, prompt: Prompt) -> str | Answer | Failure:
        if self.depth <= _DEEPEST and self.random.random() < 0.3:
            act = self.random.choice([self._notes, self._observes, lambda: self._observes(by_rules=True)])
            self.happened["meanwhile"] += 1
            act()
        failing = self.random.random() < 0.3
        if (notes := notes_in(prompt.text)) and not failing:
            self.readings += 1  # in turn: there are few of them, and each kind is to happen
            kind = sorted(_READ)[(self.seed // 4 + self.readings) % len(_READ)]
            self.happened[kind] += 1
            return _READ[kind](notes, self.random)
        kind = self.random.choice([kind for kind in sorted(_KINDS) if kind.startswith("failure") is failing])
        self.happened[kind] += 1
        return _KINDS[kind](prompt, self.random)

    def _iso(self) -> str:
        return datetime.isoformat(self.now)

    def problems(self) -> list[str]:
        """Return what is not as it must be."""
        found = [f"skipped {entry}" for entry in uncovered(self.place)]
        said = {
            event["id"]: str(event["message"]["content"])
            for session in self.place.sessions
            for event in session.events
            if event["type"] == "message"
        }
        with ledger_of(self.place) as ledger:
            lines = ledger.all_lines()
            (counted,) = ledger._db.row("select sum(entries) from run") or (0,)
            total = ledger.counts().covered
        if not counted == total == len(said):
            found.append(f"{len(said)} entries, {counted} counted, {total} covered")
        texts = Counter(line.observation.text for line in lines if line.standing.is_live)
        found += [f"twice: {text}" for text, count in texts.items() if count > 1]
        found += [f"gone: {text}" for text in self.by_hand if text not in texts]
        for line in lines:
            one = line.observation
            if one.author is Author.PERSON:
                continue
            sources = " ".join(said.get(source, "") for source in one.sources)
            found += [
                f"not said: {one.text}"
                for pair in _PAIR.findall(one.text)
                if pair not in _PAIR.findall(sources)
            ]
            if not _PAIR.search(one.text) and one.text.rstrip(".") not in sources:
                found.append(f"not said: {one.text}")
        return found


def _invented(prompt: Prompt, random: Random) -> str:
    return (
        f"{answered(prompt).rpartition(chr(10))[0]}\n{_INVENTED % (random.randint(1, 9), 77, 1)}\n"
        + '{"done": 2}'
    )


def _swapped(prompt: Prompt, _random: Random) -> str:
    return re.sub(r"release (\d+)\.4", lambda found: f"release {int(found[1]) + 1}.4", answered(prompt))


def _cut(prompt: Prompt, random: Random) -> Answer:
    text = answered(prompt)
    return Answer(text[: random.randint(0, len(text) - 3)], Usage(100, 100), "fake-1", is_cut=True)


def _failing(trouble: Trouble) -> Callable[[Prompt, Random], Failure]:
    return lambda _prompt, _random: Failure(trouble, f"It failed: {trouble}.", 600.0)


def _echo(prompt: Prompt, _random: Random) -> str:
    before = re.findall(r"^o\d+ .*?: (.*)$", prompt.text, re.MULTILINE)
    lines = [f'{{"text": "{text}", "kind": "fact", "priority": 5, "sources": [1]}}' for text in before]
    return "\n".join([*lines, f'{{"done": {len(lines)}}}'])


_KINDS: dict[str, Callable[[Prompt, Random], str | Answer | Failure]] = {
    "good": lambda prompt, _: answered(prompt),
    "good again": lambda prompt, _: f"```json\n{answered(prompt)}\n```",
    "garbage": lambda _prompt, random: "".join(chr(random.randint(32, 0x2FFF)) for _ in range(300)),
    "empty": lambda _prompt, _random: "",
    "inventions": _invented,
    "swapped numbers": _swapped,
    "cut": _cut,
    "echo": _echo,
    **{f"failure {trouble}": _failing(trouble) for trouble in Trouble},
}


def _judged(notes: int, refused: set[int]) -> str:
    lines = [f'{{"not": {number}, "why": "it is otherwise"}}' for number in sorted(refused)]
    return "\n".join([*lines, json.dumps({"holds": sorted(set(range(1, notes + 1)) - refused)})])


_READ: dict[str, Callable[[int, Random], str]] = {
    "read: all hold": lambda notes, _: _judged(notes, set()),
    "read: none holds": lambda notes, _: _judged(notes, set(range(1, notes + 1))),
    "read: some hold": lambda notes, random: _judged(notes, {random.randint(1, notes)}),
    "read: too many": lambda notes, _: _judged(notes + 1, set()),
    "read: garbage": lambda _notes, random: "".join(chr(random.randint(32, 0x2FFF)) for _ in range(99)),
}


def _wrong(seeds: range, folder: Path) -> tuple[dict[int, list[str]], Counter[str]]:
    found, happened = {}, Counter[str]()
    for seed in seeds:
        world = _World(folder / str(seed), seed)
        world.live()
        happened += world.happened
        if problems := world.problems():
            found[seed] = problems
        shutil.rmtree(folder / str(seed))
    return found, happened


@pytest.fixture
def folder() -> Iterator[Path]:
    """A folder in memory where there is one: what is flushed to a disk shows nothing here."""
    memory = Path("/dev/shm")
    path = Path(tempfile.mkdtemp(prefix="scrimshaw-any-", dir=memory if memory.is_dir() else None))
    yield path
    shutil.rmtree(path, ignore_errors=True)


def test_every_entry_is_covered_once_and_every_line_is_true_over_some_models(folder: Path) -> None:
    wrong, happened = _wrong(range(12), folder)

    assert wrong == {}
    assert happened["meanwhile"]
    assert sum(happened[kind] > 0 for kind in _KINDS) > len(_KINDS) / 2
    assert any(happened[kind] for kind in _READ)


@pytest.mark.slow
@pytest.mark.parametrize("first", range(0, 300, 50))
def test_every_entry_is_covered_once_and_every_line_is_true_over_300_models(first: int, folder: Path) -> None:
    wrong, happened = _wrong(range(first, first + 50), folder)

    assert wrong == {}
    assert [kind for kind in (*_KINDS, *_READ) if not happened[kind]] in ([], ["failure stopped"])


def test_the_check_bites(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A gate that lets everything through is noticed."""
    from scrimshaw.core.types import Proposal, Verdict, Verified

    def waved_through(proposal: Proposal, *_: object) -> Verdict:
        return Verified(proposal)

    monkeypatch.setattr(verify, "judge", waved_through)
    monkeypatch.setattr(verify, "judge_as_read", waved_through)

    assert _wrong(range(4), folder)[0]
