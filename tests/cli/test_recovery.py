"""A damaged ledger of an agent with an archive: what is printed, leaves out what was forgotten."""

import re
from pathlib import Path

from tests.places import Place
from tests.support.prepared import Prepared


def _begun(place: Place) -> None:
    place.say(
        ("My sister Anna lives in Ghent.", "Noted."),
        ("We decided to use Postgres 17.2 for the billing service.", "Noted."),
    )
    assert place.run("observe", "--yes", "--now").code == 0
    assert "Anna" in place.section()
    assert place.run("forget", "sister Anna", "--yes").code == 0
    assert place.run("archive").code == 0
    place.target().layout.ledger.write_bytes(b"rubbish" * 2_000)


def test_what_was_forgotten_is_left_out_again_by_what_is_printed(prepared: Prepared) -> None:
    place = prepared(_begun)
    ledger = place.target().layout.ledger

    failed = place.run("log")
    doctor = place.run("doctor")

    for told in (failed.err, doctor.out):
        said = " ".join(told.split())
        assert "what was forgotten or deleted comes back until the old archive" in said
    ledger.rename(f"{ledger}.damaged")
    assert place.run("init", "--yes").code == 0
    assert "Anna" in place.section()  # as it was told
    place.run("archive")
    (aside,) = _aside(place)
    imported = place.run("import", str(aside), "--now")
    forgets = re.findall(r"^ +scrimshaw forget (\S+)", imported.out, re.MULTILINE)
    assert forgets, imported.out + imported.err
    assert [place.run("forget", id_, "--yes").code for id_ in forgets] == [0] * len(forgets)
    assert "Anna" not in place.section()
    assert "Postgres" in place.section()


def _aside(place: Place) -> list[Path]:
    return list((place.workspace / "memory" / "episodic").glob("*aside*"))
