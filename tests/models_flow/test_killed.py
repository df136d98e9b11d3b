"""Killed at any point between reserve, call, settle and accept: nothing lost, nothing doubled.

In the manner of tests/crash: the act is cut off at its n-th point, then done again; what stands in the end
must be what stands there without the kill. A control breaks the order on purpose and must be caught.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache

import pytest
from tests.crash.killing import Killing, nothing
from tests.fake_model import FakeOpener, always
from tests.models_flow.talking import answered, answered_twice, choose, decided, lengthy
from tests.places import Place
from tests.stores import FakeSession
from tests.support.breadth import share

from scrimshaw.core.types import Author
from scrimshaw.models import opening
from scrimshaw.models.model import Failure, Model, Trouble
from scrimshaw.store.ledger import Ledger, open_ledger
from scrimshaw.store.records import Accepted, Batch, WriteConflict

_LATER = "2026-11-20T20:00:00+00:00"
_REFUSED = Failure(Trouble.KEY, "The key was refused.")


def _talk(place: Place) -> None:
    place.memory.write_bytes(b"# Memory\r\n\r\n- mine\r\n")
    assert place.run("observe", "--yes").code == 0
    choose(place, window_tokens=500)
    place.say(*lengthy(1, 2, 3))


def _short_talks(place: Place) -> None:
    assert place.run("observe", "--yes").code == 0
    choose(place)
    for number in (1, 2, 3):
        session = FakeSession(key=f"agent:main:explicit:talk-{number}")
        for said, answer in decided(number):
            session.user(said)
            session.assistant(answer)
        place.sessions.append(session)
    place.save()


def _with(
    model: Callable[[], Model | Failure], codes: tuple[int, ...] = (0,), reading: str = "off"
) -> Callable[[Place], None]:
    def act(place: Place) -> None:
        choose(place, window_tokens=500, second_reading=reading)
        opening.opener = lambda _env: FakeOpener(model())
        answer = place.run("observe", now=_LATER)
        assert answer.code in codes, answer

    return act


_ACTS = {
    "good": _with(lambda: always(answered)),
    "read": _with(lambda: always(answered_twice), reading="all"),
    "bad": _with(lambda: always("Here are my notes.")),
    "refused": _with(lambda: always(_REFUSED), (0, 1)),
}


def _once(killing: Killing, step: int) -> list[tuple[int]]:
    return [(point,) for point in range(1, killing.points + 1, step)]


@pytest.fixture(scope="module")
def killings(tmp_path_factory: pytest.TempPathFactory) -> Callable[[Callable[[Place], None], str], Killing]:
    """Scenarios by how they begin and what the model says, each built once."""

    @cache
    def build(begin: Callable[[Place], None], act: str) -> Killing:
        return Killing(tmp_path_factory.mktemp("killed"), begin, _ACTS[act])

    return build


@pytest.mark.parametrize(("act", "expected"), [("good", 3), ("read", 6)])
def test_the_scenario_asks_the_model_for_every_window(act: str, expected: int, killings) -> None:
    killing = killings(_talk, act)

    killing.after()
    ledger_path = killing.place.workspace / ".scrimshaw" / "ledger.sqlite"
    with open_ledger(ledger_path, create=False) as ledger:
        written_by = [line.observation.author for line in ledger.all_lines()]
        calls = sum(row.calls for row in ledger.spend_rows())

    assert written_by == [Author.MODEL] * 3
    assert calls == expected
    assert killing.points > 100


def test_a_kill_at_a_sample_of_points_changes_nothing_in_the_end(killings) -> None:
    killing = killings(_talk, "good")

    assert list(killing.differing(_once(killing, killing.points // 4))) == []


def test_short_conversations_are_one_question_here(killings) -> None:
    killing = killings(_short_talks, "good")

    killing.after()
    ledger_path = killing.place.workspace / ".scrimshaw" / "ledger.sqlite"
    with open_ledger(ledger_path, create=False) as ledger:
        sessions = {line.observation.session_id for line in ledger.all_lines()}
        calls = sum(row.calls for row in ledger.spend_rows())

    assert (len(sessions), calls) == (3, 1)


def test_a_kill_at_a_sample_of_points_of_a_shared_question_changes_nothing_in_the_end(killings) -> None:
    killing = killings(_short_talks, "good")

    assert list(killing.differing(_once(killing, killing.points // 4))) == []


@pytest.mark.slow
@pytest.mark.parametrize(("act", "step"), [("good", 1), ("bad", 4)])
def test_a_kill_at_many_points_of_a_shared_question_changes_nothing_in_the_end(
    act: str, step: int, killings
) -> None:
    killing = killings(_short_talks, act)

    assert list(killing.differing(share(_once(killing, step), 3))) == []


@pytest.mark.slow
@pytest.mark.parametrize(("act", "step"), [("good", 1), ("read", 3), ("bad", 4), ("refused", 4)])
def test_a_kill_at_many_points_changes_nothing_in_the_end(act: str, step: int, killings) -> None:
    killing = killings(_talk, act)

    assert list(killing.differing(share(_once(killing, step), 3))) == []


@pytest.mark.slow
def test_a_second_kill_while_recovering_changes_nothing_in_the_end(killings) -> None:
    killing = killings(_talk, "good")
    pairs = [(point, point * 37 % killing.points + 1) for point in range(1, killing.points + 1, 9)]

    assert list(killing.differing(pairs)) == []


def _cover_before_asking() -> None:
    """A window counts as covered before its answer is there."""
    whole = Ledger.accept

    def accept(
        self: Ledger, batch: Batch, *, expected_version: int | None = None
    ) -> Accepted | WriteConflict:
        whole(self, replace(batch, observations=(), events=()))
        self.path.with_name("control").touch()  # a point between the two
        return whole(self, replace(batch, covered={}))

    Ledger.accept = accept  # type: ignore[method-assign]


@pytest.mark.slow
def test_the_check_bites(killings) -> None:
    killing = killings(_talk, "good")

    assert killing.after(before=nothing) == killing.expected
    assert next(killing.differing(_once(killing, 2), _cover_before_asking), None)
