"""What a dry run says of a ledger that it cannot open names the ledger, and not the copy that is gone."""

import sqlite3

import pytest
from tests.places import Place
from tests.support.prepared import Prepared

from scrimshaw.layout import Layout

_DRY = (
    ("preview",),
    ("observe", "--dry-run"),
    ("reflect", "--dry-run"),
    ("undo", "--dry-run"),
)


def _begun(place: Place) -> None:
    place.say(("We decided to use Postgres 17.2 for the billing service.", "Noted."))
    assert place.run("observe", "--yes").code == 0


@pytest.fixture
def place(prepared: Prepared) -> Place:
    return prepared(_begun)


@pytest.mark.parametrize("words", _DRY, ids=" ".join)
@pytest.mark.parametrize("is_folder", [False, True], ids=["another program's", "a folder"])
def test_the_next_step_of_a_dry_run_can_be_typed(
    place: Place, words: tuple[str, ...], is_folder: bool
) -> None:
    ledger = Layout(place.workspace).ledger
    ledger.unlink()
    if is_folder:
        ledger.mkdir()
        ledger.joinpath("kept").touch()
    else:
        with sqlite3.connect(ledger) as connection:
            connection.execute("create table tabs (id integer)")
        connection.close()

    answer = place.run(*words)

    told = answer.out + answer.err
    assert answer.code == 1
    assert "rehearsal" not in told
    assert f"mv {ledger} {ledger}.aside, then: " in told
