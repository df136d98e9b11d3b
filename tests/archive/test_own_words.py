"""A secret that a person typed into their own section is in no copy that is carried or searched."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

import pytest
from tests.places import NOW, Place

from scrimshaw.archive import frames, mv2
from scrimshaw.services.archive.write import archive
from scrimshaw.services.publish.redaction import without_secrets

# In two parts, so that no scanner takes this file for one that holds a key.
KEY = "ghp_" + "x7Qm2Lp9Rt4Vw8Yz3Bc6Nd1Fg5Hj0KsAeUiO"
TYPED = f"- The mirror is pulled with {KEY} from now on."

needs_memvid = pytest.mark.skipif(not mv2.is_installed(), reason="memvid-sdk is not installed")


@pytest.fixture
def place(tmp_path: Path) -> Place:
    place = Place(tmp_path / "machine")
    place.say(("We decided that unit-1x runs release 1.4.1 in production.", "Noted."))
    assert place.run("observe", "--yes", "--now").code == 0
    text = place.memory.read_text()
    place.memory.write_text(text.replace("### Standing\n", f"### Standing\n{TYPED}\n"))
    assert place.run("observe", "--now").code == 0
    assert KEY in place.memory.read_text()
    return place


def _told(path: Path) -> list[str]:
    """Return every text in an archive, as it can be restored and as memvid shows it."""
    read = list(mv2.read(path))
    exact = [line.text for one in read for line in frames.unpack(one.metadata).observations]
    return [*exact, *(one.text for one in read)]


def test_the_dated_file_has_it_redacted_and_the_section_as_typed(place: Place) -> None:
    dated = place.dated()

    assert "The mirror is pulled with" in dated
    assert KEY not in dated
    assert TYPED in place.memory.read_text()


@needs_memvid
def test_the_archive_has_it_redacted(place: Place) -> None:
    with place.ledger() as ledger:
        archive(place.target(), ledger, datetime.fromisoformat(NOW))

    told = _told(place.workspace / "memory" / "episodic" / "main.mv2")

    assert any("The mirror is pulled with" in text for text in told)
    assert not any(KEY in text for text in told)


@needs_memvid
def test_an_export_has_it_redacted_and_is_known_where_it_comes_from(place: Place, tmp_path: Path) -> None:
    file = tmp_path / "memory.mv2"

    assert place.run("export", "main", str(file)).code == 0
    again = place.run("import", str(file), "--json")

    assert any("The mirror is pulled with" in text for text in _told(file))
    assert not any(KEY in text for text in _told(file))
    assert (again.object["new"], again.object["changed"]) == (0, 0)
    assert TYPED in place.memory.read_text()


def test_what_has_no_secret_and_what_others_said_stays_the_very_same(place: Place) -> None:
    with place.ledger() as ledger:
        others = [line.observation for line in ledger.all_lines() if KEY not in line.observation.text]

    assert others
    assert [without_secrets(one) for one in others] == others
