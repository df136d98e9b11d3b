"""The person goes back in a conversation: the host copies it into a new session, with the entries' ids."""

from __future__ import annotations

import contextlib
import sqlite3
from pathlib import Path

import pytest
from tests.places import Place
from tests.stores import FakeSession


def test_a_message_that_is_stored_again_with_the_next_one_is_noted_once(tmp_path: Path) -> None:
    place = Place(tmp_path)
    said = "We decided that unit-1x runs release 1.4.1 in production."
    place.say(("Is it warm?", "Yes."))
    place.session.user(said)
    place.session.interrupt(with_leaf=False)
    above = "[Queued user message from a previous active turn; preserved as context only. Go on below.]"
    place.say((f"{above}\n{said}\n\nIs it cold?", "No."))

    assert place.run("observe", "--yes", "--now").code == 0

    with place.ledger() as ledger:
        noted = [line.observation.text for line in ledger.all_lines()]
    assert " ".join(noted).count("unit-1x") == 1
    assert "Queued" not in " ".join(noted)


def _goes_back(place: Place, message_id: str) -> None:
    """Copy the session as OpenClaw 2026.9.6 does, and move the leaf of the copy."""
    old = place.session
    new = FakeSession(session_id="5" * 8 + old.session_id[8:], events=[], at_ms=old.at_ms)
    new.events = [new.events[0], *old.events[1:]]
    new.leaf = old.leaf
    new.rewind(message_id)
    place.sessions.insert(0, new)


@pytest.mark.parametrize("was_noted", [True, False])
def test_what_is_taken_back_is_not_noted_and_nothing_comes_twice(tmp_path: Path, was_noted: bool) -> None:
    place = Place(tmp_path, kind="sqlite")
    place.say(("We decided that unit-1x runs release 1.4.1 in production.", "Noted."))
    place.session.user("We decided that unit-2x runs release 2.4.1 in production.")
    place.session.interrupt()
    place.say(("Is it warm?", "Yes."))
    if was_noted:
        assert place.run("observe", "--yes", "--now").code == 0
    message = place.session.user("We decided that unit-3x runs release 3.4.1 in production.")
    place.save()
    _goes_back(place, message)
    place.say(("We decided that unit-4x runs release 4.4.1 in production.", "Noted."))
    place.session.user("Is it cold?")
    place.save()

    answer = place.run("observe", "--yes", "--now", "--json")
    again = place.run("observe", "--now", "--json")

    assert (answer.code, again.code) == (0, 0)
    [told], [nothing] = answer.object["workspaces"], again.object["workspaces"]
    assert (told["entries"], nothing["entries"]) == (3 if was_noted else 8, 0)
    with place.ledger() as ledger:
        noted = " ".join(line.observation.text for line in ledger.all_lines())
    assert [noted.count(f"unit-{n}x") for n in (1, 2, 3, 4)] == [1, 1, 0, 1]
    with contextlib.closing(sqlite3.connect(place.workspace / ".scrimshaw" / "ledger.sqlite")) as ledger:
        assert ledger.execute("select coalesce(sum(rejected), 0) from run").fetchone() == (0,)
