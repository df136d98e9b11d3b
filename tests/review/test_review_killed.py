"""A review that is killed at any moment, and made again, leaves what one leaves that goes through."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from unittest import mock

import pytest
from tests.crash.killing import Killing
from tests.places import Place
from tests.proposing import Desk
from tests.support.breadth import share

from scrimshaw.core.ledger.observations import PENDING
from scrimshaw.store.ledger import Ledger

_LATER = "2026-11-20T19:00:00+00:00"


def _listed(place: Place) -> None:
    """Lay four proposals on the list: to accept, to make one's own, to reject, and one that closes a line."""
    place.memory.write_text("# Memory\n\nMy own line\n")
    place.session.user("We decided to use Postgres 17.2 for the ledger.")
    place.session.assistant("Noted.")
    cited = place.session.user("Staging runs on the host basalt, and Dana wants the Q3 figures.")
    said_at_ms = place.session.at_ms - 600
    place.session.assistant("Understood.")
    place.save()
    assert place.run("observe", "--yes", "--now").code == 0
    desk = Desk(place, cited, said_at_ms)
    old = desk.line("Postgres").observation.id
    assert desk.lay("The host of staging is basalt", PENDING) == 1
    assert desk.lay("Dana wants 42 figures", "number") == 2
    assert desk.lay("Basalt is a volcano", PENDING) == 3
    assert desk.lay("Moved from Postgres 17.2 to SQLite", PENDING, replaces=(old,)) == 4


def _decide(place: Place) -> None:
    args = ("--accept", "1", "--accept", "2", "--accept", "4", "--reject", "3", "--now")
    answer = place.run("review", *args, now=_LATER)
    assert answer.code == 0, answer.out + answer.err


@pytest.fixture(scope="module")
def killing(tmp_path_factory: pytest.TempPathFactory) -> Killing:
    return Killing(tmp_path_factory.mktemp("killed"), _listed, _decide)


def _points(killing: Killing, step: int) -> list[tuple[int]]:
    return [(point,) for point in range(1, killing.points + 1, step)]


def test_the_review_is_what_it_is_meant_to_be(killing):
    happened = " ".join(key for key, _ in killing.expected.events)

    assert "observed | The host of staging is basalt" in happened
    assert "observed | Dana wants 42 figures" in happened
    assert "superseded | We decided to use Postgres 17.2 for the ledger. | Moved" in happened
    assert "volcano" not in happened
    assert b"The host of staging is basalt" in killing.expected.memory
    assert killing.expected.problems == ()


def test_a_kill_at_a_sample_of_points_changes_nothing_in_the_end(killing):
    assert list(killing.differing(_points(killing, killing.points // 5))) == []


@pytest.mark.slow
def test_a_kill_at_many_points_changes_nothing_in_the_end(killing):
    assert list(killing.differing(share(_points(killing, 1), 3))) == []


@pytest.mark.slow
def test_the_check_is_known_to_bite(killing):
    # A negative control: each statement for itself, so a decision may stand without its line.
    assert next(killing.differing(_points(killing, 5), _hold_nothing_together), None)


def _hold_nothing_together() -> None:
    def loose(_ledger: Ledger) -> AbstractContextManager[None]:
        return nullcontext()

    mock.patch.object(Ledger, "transaction", loose).start()
