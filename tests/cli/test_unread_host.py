"""A host's configuration that cannot be read: nothing is guessed in its place or written, and all say so."""

import json
import os
from datetime import UTC, datetime

import pytest
from tests.places import Place
from tests.setup.home import snapshot
from tests.support.prepared import Prepared

from scrimshaw.errors import UserError
from scrimshaw.services.observe.run import run
from scrimshaw.services.publish.result import PublishRequest
from scrimshaw.services.publish.run import publish
from scrimshaw.store.ledger import open_ledger

_CUT = '{\n  "agents": {\n    "defaults": {"workspace": "/srv/'
_BROKEN = (_CUT, "", "[1, 2]", '{"agents": {"$include": "./gone.json"}}')
_WRITERS = (
    ("observe", "--yes"),
    ("init", "--yes"),
    ("add", "Backups go to Lisbon."),
    ("reflect",),
    ("undo",),
    ("pin", "Postgres"),
    ("forget", "Postgres", "--yes"),
    ("accept-edits",),
    ("run", "--once"),
    ("install", "--yes"),
    ("uninstall", "--yes"),
)
_READERS = (("status",), ("search", "Postgres"), ("doctor",), ("log",), ("why", "Postgres"), ("preview",))


def _begun(place: Place) -> None:
    """A workspace that is set up, and beside it the one that the host's defaults would lead to."""
    place.say(("We decided to use Postgres 17 for the billing service.", "Noted."))
    assert place.run("init", "--yes").code == 0
    (place.state / "workspace").mkdir()


@pytest.fixture
def place(prepared: Prepared) -> Place:
    return prepared(_begun)


def _unchanged(place: Place) -> dict[str, bytes | None]:
    # Locks and notes of a holder come and go; what counts is what anybody reads.
    return {
        name: held
        for name, held in snapshot(place.root).items()
        if not name.endswith((".lock", ".log", "-wal", "-shm"))
    }


@pytest.mark.parametrize("text", _BROKEN, ids=["cut", "empty", "a list", "an include that is gone"])
@pytest.mark.parametrize("words", _WRITERS, ids=lambda words: words[0])
def test_nothing_is_written_while_the_configuration_cannot_be_read(
    place: Place, words: tuple[str, ...], text: str
) -> None:
    (place.state / "openclaw.json").write_text(text)
    before = _unchanged(place)

    answer = place.run(*words)

    assert answer.code == 1, answer.out + answer.err
    told = answer.out + answer.err
    assert str(place.state / ("gone.json" if "gone" in text else "openclaw.json")) in told
    assert "host defaults" not in told
    assert "start the agent" not in told
    assert _unchanged(place) == before


@pytest.mark.parametrize("words", _READERS, ids=lambda words: words[0])
def test_who_only_looks_is_told_where_the_configuration_is_broken(
    place: Place, words: tuple[str, ...]
) -> None:
    (place.state / "openclaw.json").write_text(_CUT)

    answer = place.run(*words)

    assert answer.code == 1
    told = " ".join((answer.out + answer.err).split())
    assert f"{place.state / 'openclaw.json'}: not valid JSON5 (line 3: " in told
    assert "nothing of theirs was read or written" in told
    assert "openclaw config validate" in told


def test_a_configuration_that_is_no_file_is_not_taken_for_none(place: Place) -> None:
    (place.state / "openclaw.json").unlink()
    (place.state / "openclaw.json").mkdir()

    answer = place.run("observe", "--yes")

    assert (answer.code, "openclaw.json" in answer.err) == (1, True)
    assert list((place.state / "workspace").iterdir()) == []


def test_a_link_that_leads_nowhere_is_not_taken_for_none(place: Place) -> None:
    config = place.state / "openclaw.json"
    config.rename(place.root / "elsewhere.json")
    config.symlink_to(place.root / "elsewhere.json")
    assert place.run("status").code == 0
    (place.root / "elsewhere.json").unlink()

    answer = place.run("observe", "--yes")

    assert (answer.code, f"{config}: a symbolic link that leads nowhere" in answer.err) == (1, True)
    assert list((place.state / "workspace").iterdir()) == []


def test_another_host_that_can_be_read_goes_on_being_served(place: Place) -> None:
    other = place.root / ".openclaw-work"
    other.mkdir()
    (place.root / "other").mkdir()
    (other / "openclaw.json").write_text(
        json.dumps({"agents": {"defaults": {"workspace": str(place.root / "other")}}})
    )
    assert place.run("init", "--yes").code == 0
    (place.state / "openclaw.json").write_text(_CUT)

    status, once = place.run("status"), place.run("run", "--once")
    doctor = place.run("doctor")

    assert str(place.root / "other") in status.out
    assert f"{place.state / 'openclaw.json'}: not valid JSON5" in status.out
    assert once.code != 0
    assert doctor.code == 1
    assert f"{place.state / 'openclaw.json'}: not valid JSON5" in " ".join(doctor.out.split())


def test_a_run_that_found_its_workspace_before_the_configuration_broke_writes_nothing(place: Place) -> None:
    target = place.target()
    place.say(("We decided to keep backups in Lisbon.", "Noted."))
    (place.state / "openclaw.json").write_text(_CUT)
    before = _unchanged(place)

    with pytest.raises(UserError, match="not valid JSON5"):
        run(target, datetime(2026, 11, 20, 19, tzinfo=UTC))

    assert _unchanged(place) == before


def test_a_daemon_at_work_does_not_publish_by_the_defaults_of_a_host_that_it_cannot_read(
    place: Place,
) -> None:
    target = place.target()
    before = place.memory.read_bytes()
    (place.state / "openclaw.json").write_text(_CUT)

    with open_ledger(target.layout.ledger, create=False) as ledger, pytest.raises(UserError):
        publish(target, ledger, PublishRequest("1", datetime(2026, 11, 20, 19, tzinfo=UTC), reason="command"))

    assert place.memory.read_bytes() == before


@pytest.mark.skipif(os.geteuid() == 0, reason="root reads everything")
def test_a_configuration_that_may_not_be_read_is_told_as_that(place: Place) -> None:
    (place.state / "openclaw.json").chmod(0)

    answer = place.run("observe", "--yes")

    assert (answer.code, "Permission denied" in answer.err) == (1, True)
    assert "start the agent" not in answer.err
