"""Killed at any point of an observe, a reflection, a note or an overflow: nothing lost, nothing doubled.

The act is cut off at its n-th point (see killing.py), then done again undisturbed; what stands afterwards
in MEMORY.md, in the dated files and in the ledger must be what stands there without the kill. Some points
are tried twice over: killed, killed again while recovering, then done. Controls break the program on
purpose and must be caught: without them nobody would know that the check bites.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import date, datetime
from pathlib import Path
from typing import Any
from unittest import mock

import pytest
from tests.crash.killing import Killing, outcome
from tests.places import EXEC, Place
from tests.shell.made import SESSION, observation
from tests.support.breadth import share

from scrimshaw import files
from scrimshaw.core.types import DateRef, Event, EventType, Kind, Observation
from scrimshaw.core.types import Place as Part
from scrimshaw.services.observe.run import run
from scrimshaw.store import events
from scrimshaw.store.database import Database
from scrimshaw.store.ledger import Ledger
from scrimshaw.store.records import Accepted, Batch, Run, WriteConflict

_LATER = "2026-11-20T20:00:00+00:00"
_LATER_MS = int(datetime.fromisoformat(_LATER).timestamp() * 1000)

# -- the scenarios ----------------------------------------------------------------------------------------


def _talk(place: Place, first: int, count: int) -> None:
    place.say(
        *[
            (f"We decided that unit-{n}x runs release {n}.4.1 in production.", "Noted.")
            for n in range(first, first + count)
        ]
    )


def _write_among_them(place: Place, own: str) -> None:
    """A person adds a line of theirs, takes one of ours out and changes another."""
    text = place.memory.read_bytes().decode().replace("runs release 3.4.1 in", "runs 3.4.1 in")
    lines = text.replace("### Standing\r\n", f"### Standing\r\n- {own}\r\n").splitlines(keepends=True)
    place.memory.write_bytes("".join(line for line in lines if "unit-1x" not in line).encode())


def _conversation(place: Place) -> None:
    place.memory.write_bytes(b"# Memory\r\n\r\n- mine\r\n")
    _talk(place, 0, 4)
    assert place.run("observe", "--yes").code == 0
    _write_among_them(place, "My own line")
    _talk(place, 4, 3)


def _alone(place: Place) -> None:
    """Nobody touches the section: a file without the newest lines is one that they never reached."""
    place.memory.write_bytes(b"# Memory\r\n\r\n- mine\r\n")
    _talk(place, 0, 3)
    assert place.run("observe", "--yes").code == 0
    _talk(place, 3, 1)


def _interrupted(place: Place) -> None:
    """Of three messages the turn ended early: one was noted before it was put aside, two are seen there."""
    _conversation(place)
    place.session.user("We decided that unit-7x runs release 7.4.1 in production.")
    place.save()
    assert place.run("observe", "--now").code == 0
    place.session.interrupt(with_leaf=False)
    for n in (8, 9):
        place.session.user(f"We decided that unit-{n}x runs release {n}.4.1 in production.")
        place.session.interrupt(with_leaf=n == 8)
    _talk(place, 10, 1)


def _observe(place: Place) -> None:
    answer = place.run("observe", now=_LATER)
    assert answer.code == 0, answer


def _repetitive(place: Place) -> None:
    """Lines of which a quarter can be told by others, one replaces one, one was said often, one is over."""
    _conversation(place)
    assert place.run("observe").code == 0
    many = [
        _line(n, f"The depot {_NAMES[n]} keeps seven grey cranes in the old yard behind its hall")
        for n in range(9)
    ]
    told = [
        _line(20 + n, f"The depot {_NAMES[n]} keeps seven grey cranes in the yard behind its hall")
        for n in range(3)
    ]
    plan = DateRef(date(2026, 11, 18), None, "", "on Wednesday", certain=True)
    over = _line(
        30, "Send the crane papers on 2026-11-18", kind=Kind.NEXT_STEP, place=Part.OPEN, refers_to=plan
    )
    often = _line(31, "Tables are named in the singular", kind=Kind.PREFERENCE)
    again = tuple(Event(EventType.REINFORCED, often.id, _LATER_MS - n, "r") for n in (9, 8, 7))
    with place.ledger() as ledger:
        ledger.begin_run(Run("r", "observe", "request", "rules", _LATER_MS - 7_200_000))
        ledger.accept(Batch("r", _LATER_MS, (*many, *told, over, often), again, sessions=(SESSION,)))
    assert place.run("observe").code == 0
    _write_among_them(place, "Another line of mine")


def _line(number: int, text: str, **parts: Any) -> Observation:
    return observation(number, text=text, said_at_ms=_LATER_MS - 300_000_000 + number, **parts)


_NAMES = ("Aarburg", "Belmont", "Calvados", "Dorset", "Elgin", "Fulda", "Ghent", "Hanau", "Ilmenau")


def _reflect(place: Place) -> None:
    answer = place.run("reflect", now=_LATER)
    assert answer.code == 0, answer


def _full(place: Place) -> None:
    """A section that is nearly full, and more to come than it can take."""
    place.memory.write_bytes(b"# Memory\r\n\r\n- mine\r\n")
    folder = place.workspace / ".scrimshaw"
    folder.mkdir(mode=0o700)
    (folder / "config.yaml").write_text("observation_chars: 1000\n")
    _talk(place, 0, 5)
    assert place.run("observe", "--yes").code == 0
    _write_among_them(place, "My own line")
    place.session.at_ms += 86_400_000
    _talk(place, 5, 9)


def _note(place: Place) -> None:
    """A person's note, while their edits of the section wait."""
    answer = place.run("add", "Call me Kit", now=_LATER)
    assert answer.code == 0, answer


def _note_of_agent(place: Place) -> None:
    place.take_turn()
    answer = place.run("add", "unit-5x runs release 5.4.1", now=_LATER, env=EXEC)
    assert answer.code == 0, answer


_SCENARIOS = {
    "alone": (_alone, _observe),
    "observe": (_conversation, _observe),
    "interrupted": (_interrupted, _observe),
    "reflect": (_repetitive, _reflect),
    "overflow": (_full, _observe),
    "note": (_conversation, _note),
    "agent's note": (_conversation, _note_of_agent),
}


@pytest.fixture(scope="module")
def killings(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Killing]:
    """Every scenario, built once: a kill begins with a copy of it."""
    folder = tmp_path_factory.mktemp("killed")
    return {name: Killing(folder / name, *parts) for name, parts in _SCENARIOS.items()}


@pytest.fixture(params=sorted(_SCENARIOS))
def killing(request: pytest.FixtureRequest, killings: dict[str, Killing]) -> Killing:
    return killings[request.param]


def _once(killing: Killing, step: int = 1) -> list[tuple[int]]:
    return [(point,) for point in range(1, killing.points + 1, step)]


def _twice(killing: Killing, step: int) -> list[tuple[int, int]]:
    """Pairs over the whole of both runs; the second of a pair moves by more than the first."""
    return [(point, point * 37 % killing.points + 1) for point in range(1, killing.points + 1, step)]


# -- what must hold ---------------------------------------------------------------------------------------


def test_the_scenarios_are_what_they_are_meant_to_be(killings: dict[str, Killing]) -> None:
    assert sum(killing.points for killing in killings.values()) >= 100
    happened = {name: " ".join(key for key, _ in k.expected.events) for name, k in killings.items()}
    assert "observed | Call me Kit" in happened["note"]
    assert "observed | unit-5x runs release 5.4.1" in happened["agent's note"]
    assert all("deleted | " in events for name, events in happened.items() if name != "alone")
    assert all(happened["interrupted"].count(f"unit-{n}x") == 1 for n in (7, 8, 9, 10))
    assert "merged | The depot Aarburg" in happened["reflect"]
    assert "promoted | Tables" in happened["reflect"]
    assert "expired | Send the crane papers" in happened["reflect"]
    assert "trimmed | " in happened["overflow"]
    assert all(b"My own line" in k.expected.memory for name, k in killings.items() if name != "alone")


def test_a_kill_at_a_sample_of_points_changes_nothing_in_the_end(killing: Killing) -> None:
    assert list(killing.differing(_once(killing, killing.points // 4))) == []


@pytest.mark.parametrize("build", [_alone, _conversation])
def test_lines_that_never_reached_the_file_are_not_taken_for_deleted_ones(
    build: Callable[[Place], None], tmp_path: Path
) -> None:
    """The moment between the intent and the rename, with a person's edits waiting and without."""
    killing = Killing(tmp_path, build, _observe)
    replace = files.replace

    def cut_off(path: Path, data: bytes, **named: Any) -> files.Outcome:
        if path.name == "MEMORY.md":
            raise KeyboardInterrupt
        return replace(path, data, **named)

    place = killing.put_back()
    with mock.patch.object(files, "replace", cut_off), pytest.raises(KeyboardInterrupt):
        run(place.target(), datetime.fromisoformat(_LATER))
    _observe(place)

    assert killing.expected == outcome(place)


def _older_text(place: Place) -> None:
    """The file as it was before the newest lines."""
    _alone(place)
    older = place.memory.read_bytes()
    assert place.run("observe", "--now").code == 0
    assert place.memory.read_bytes() != older
    place.memory.write_bytes(older)


def _put_back(place: Place) -> None:
    """A line that was taken out stands there again."""
    _alone(place)
    whole = place.memory.read_bytes()
    _write_among_them(place, "My own line")
    assert place.run("observe", "--now").code == 0
    place.memory.write_bytes(whole)


@pytest.mark.parametrize("build", [_older_text, _put_back])
def test_an_edit_that_was_taken_is_taken_once_where_the_section_was_not_reached(
    build: Callable[[Place], None], tmp_path: Path
) -> None:
    killing = Killing(tmp_path, build, _observe)
    place = killing.put_back()
    with (
        mock.patch("scrimshaw.services.publish.run.intend", side_effect=KeyboardInterrupt),
        mock.patch("scrimshaw.services.publish.run._note_unchanged", side_effect=KeyboardInterrupt),
        pytest.raises(KeyboardInterrupt),
    ):
        run(place.target(), datetime.fromisoformat(_LATER))
    _observe(place)

    assert killing.expected.events == outcome(place).events


@pytest.mark.slow
def test_a_kill_at_many_points_changes_nothing_in_the_end(killing: Killing) -> None:
    assert list(killing.differing(share(_once(killing), 3))) == []


@pytest.mark.slow
def test_a_second_kill_while_recovering_changes_nothing_in_the_end(killing: Killing) -> None:
    assert list(killing.differing(share(_twice(killing, 2), 3))) == []


# -- the controls -----------------------------------------------------------------------------------------


def _cover_first() -> None:
    """The cursor first, the observations behind it."""
    from dataclasses import replace

    whole = Ledger.accept

    def accept(
        self: Ledger, batch: Batch, *, expected_version: int | None = None
    ) -> Accepted | WriteConflict:
        whole(self, replace(batch, observations=(), events=()))
        self.path.with_name("control").touch()  # a point between the two
        return whole(self, replace(batch, covered={}))

    Ledger.accept = accept  # type: ignore[method-assign]


def _take_for_taken_back() -> None:
    """A message that an interruption put aside is left out, as if the person had taken it back."""
    from scrimshaw.core.transcript import branch

    branch.unanswered = lambda *_: []  # type: ignore[assignment]


def _forget_who_is_who() -> None:
    """A random id for each line, nothing covered, no look for duplicates."""
    import secrets

    from scrimshaw.core.ledger import known_lines, observations
    from scrimshaw.core.section import edits as hand
    from scrimshaw.core.verification import verify
    from scrimshaw.services.observe import session  # noqa: F401
    from scrimshaw.store import coverage

    observations.observation_id = lambda *_: secrets.token_hex(12)
    hand.observation_id = observations.observation_id  # type: ignore[attr-defined]
    coverage.cover = lambda *_: None  # type: ignore[assignment]
    coverage.write_cursors = lambda *_: None  # type: ignore[assignment]
    # The gate that knows a line said again would catch it, too.
    known_lines.KnownLines.same = lambda *_, **__: None  # type: ignore[method-assign]
    verify._twin = lambda _: None  # type: ignore[assignment]


def _tell_before_it_is_true() -> None:
    """What a reflection decided is written down first, and what follows from it in a second transaction."""
    whole, write_many, not_yet_there = Ledger.accept, Database.write_many, events.not_yet_there

    def accept(
        self: Ledger, batch: Batch, *, expected_version: int | None = None
    ) -> Accepted | WriteConflict:
        new = batch.events
        if not new or batch.covered or expected_version is None:
            return whole(self, batch, expected_version=expected_version)
        with self.transaction():
            write_many(
                self._db,
                "insert into event (type, observation_id, at_ms, by, other_id, reason) "
                "values (?, ?, ?, ?, ?, ?)",
                [(e.type.value, e.observation_id, e.at_ms, e.by, e.other_id, e.reason) for e in new],
            )
        Database.write_many = _without_events  # type: ignore[method-assign]
        events.not_yet_there = lambda _db, told: told  # type: ignore[assignment]
        answer = whole(self, batch)
        Database.write_many = write_many  # type: ignore[method-assign]
        events.not_yet_there = not_yet_there  # type: ignore[assignment]
        return answer

    def _without_events(self: Database, sql: str, values: Iterable[Any]) -> None:
        if not sql.startswith("insert into event "):
            write_many(self, sql, values)

    Ledger.accept = accept  # type: ignore[method-assign,assignment]


def _ask_no_file() -> None:
    """A revision that a kill left open stays open, whatever its file says."""
    from scrimshaw.services.publish import hand_edits

    hand_edits.settle_left_open = lambda *_: None  # type: ignore[assignment]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("scenario", "control"),
    [
        ("alone", _ask_no_file),
        ("observe", _cover_first),
        ("interrupted", _take_for_taken_back),
        ("overflow", _forget_who_is_who),
        ("reflect", _tell_before_it_is_true),
    ],
)
def test_the_check_bites(scenario: str, control: Callable[[], None], killings: dict[str, Killing]) -> None:
    killing = killings[scenario]

    assert killing.after(before=control)  # broken, and yet it runs through
    assert next(killing.differing(_once(killing, 3), control), None)
