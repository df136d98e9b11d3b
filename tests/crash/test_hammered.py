"""Eight processes at one workspace at once: no line is lost, none is doubled, the file stays whole.

One appends to the transcript as the host would, four observe, two are people with careful editors, one asks
for the status. Real processes and real files; how they interleave is up to the machine.
"""

from __future__ import annotations

import json
import os
import re
import time
from collections import Counter
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest
from tests.places import NOW, Place
from tests.stores import lines_of

from scrimshaw.core.section import markers
from scrimshaw.errors import Exit
from scrimshaw.locks import Busy, write_lock

_EXPECTED = {Exit.OK, Exit.PARTLY, Exit.LOCKED}
_TOKEN = re.compile(r"unit-\d+x")

Told = dict[str, object]


def _host(place: Place, until: float) -> Told:
    """Append exchanges, some of them in two pieces."""
    count = 0
    while time.monotonic() < until:
        count += 1
        first = len(place.session.events)
        place.session.user(f"We decided that unit-{count}x runs release {count}.4.1 in production.")
        place.session.assistant("Noted.")
        data = lines_of(place.session.events[first:])
        half = len(data) // 3 if count % 3 == 0 else len(data)
        for part in (data[:half], data[half:]):
            with (place.store / f"{place.session.session_id}.jsonl").open("ab") as file:
                file.write(part)
        time.sleep(0.01)  # a person types no faster
    return {"count": count}


def _observer(place: Place, until: float) -> Told:
    return _again_and_again(place, until, "observe", "--now", "--yes")


def _curious(place: Place, until: float) -> Told:
    return _again_and_again(place, until, "status")


def _again_and_again(place: Place, until: float, *args: str) -> Told:
    codes: Counter[int] = Counter()
    while time.monotonic() < until:
        codes[place.run(*args).code] += 1
    return {"codes": list(codes), "runs": codes.total()}


def _person(name: str) -> Callable[[Place, float], Told]:
    def edit(place: Place, until: float) -> Told:
        """Add a line among ours and one behind the section, again and again."""
        written = []
        number = 0
        # On a slow machine nobody may get a turn in two seconds, and a test without an edit shows nothing.
        while (now := time.monotonic()) < until or (not written and now < until + 30):
            number += 1
            mark = f"mark-{name}-{number}z"
            if _saved(place, name, mark):
                written.append(mark)
            time.sleep(0.1)
        return {"marks": written}

    return edit


def _saved(place: Place, name: str, mark: str) -> bool:
    """Save MEMORY.md with two lines more, unless somebody has changed it meanwhile."""
    before = place.memory.read_bytes()
    text = before.decode().replace("### Standing\n", f"### Standing\n- My own {mark}\n") + f"behind {mark}\n"
    beside = place.memory.with_name(f"{name}.swap")
    beside.write_text(text)
    state = place.workspace / ".scrimshaw"
    # What nobody can promise is the moment between a look and a rename: for that one, others are kept off.
    try:
        with write_lock(state, by=name, now=datetime.now(UTC), timeout_seconds=2):
            if place.memory.read_bytes() != before:
                return False
            beside.replace(place.memory)
    except Busy:
        return False
    finally:
        beside.unlink(missing_ok=True)
    return True


def _hammered(place: Place, seconds: float) -> list[Told]:
    """Let eight processes loose for so long; return what each has to tell."""
    acts = [_host, *[_observer] * 4, _person("ann"), _person("bob"), _curious]
    until = time.monotonic() + seconds
    children = []
    for number, act in enumerate(acts):
        child = os.fork()
        if child == 0:
            try:
                told = act(place, until)
                (place.root / f"told-{number}").write_text(json.dumps(told))
            finally:
                os._exit(0)
        children.append(child)
    for child in children:
        os.waitpid(child, 0)
    return [json.loads((place.root / f"told-{number}").read_text()) for number in range(len(acts))]


def _check(place: Place, told: list[Told]) -> None:
    host, *others = told
    count = host["count"]
    assert isinstance(count, int)
    marks = [mark for each in others for mark in each.get("marks", [])]  # type: ignore[attr-defined]
    codes = {code for each in others for code in each.get("codes", [])}  # type: ignore[attr-defined]
    with place.ledger() as ledger:
        lines = ledger.all_lines()
        entries = ledger._db.row("select sum(entries) from run")
        problems = ledger.check()
    text = place.memory.read_text()
    tokens = Counter(token for line in lines for token in _TOKEN.findall(line.observation.text))

    assert marks
    assert codes <= _EXPECTED
    assert {f"unit-{number}x": 1 for number in range(1, count + 1)} == tokens
    assert (2 * count + 2,) == entries
    assert problems == []
    assert isinstance(markers.parse(text).state, markers.Owned)
    assert [mark for mark in marks if f"behind {mark}\n" not in text] == []
    assert [mark for mark in marks if not any(mark in line.observation.text for line in lines)] == []
    dated = place.dated()
    assert [token for token in tokens if dated.count(f"that {token} runs") != 1] == []
    assert [path for path in place.workspace.rglob("*") if path.suffix in (".tmp", ".swap", ".holder")] == []


@pytest.mark.parametrize("seconds", [2, pytest.param(15, marks=pytest.mark.slow)])
def test_eight_processes_at_one_workspace_lose_nothing(seconds: float, tmp_path: Path) -> None:
    place = Place(tmp_path / "machine")
    place.memory.write_text("# Memory\n")
    place.say(("We decided on Postgres 17.2 for the ledger.", "Noted."))
    assert place.run("observe", "--yes").code == 0

    told = _hammered(place, seconds)
    for _ in range(2):
        assert place.run("observe", "--now", now=NOW).code == 0

    _check(place, told)
