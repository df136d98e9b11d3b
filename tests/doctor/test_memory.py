"""MEMORY.md as a file, its section, its room, and what the host says that it injected."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from tests.doctor.cases import MOMENT, MOMENT_MS, change_store, environment, examined, worst
from tests.places import Place
from tests.shell.fake_state import report
from tests.stores import FakeSession
from tests.web.conftest import Served
from tests.web.test_page import Browser

from scrimshaw.doctor import Severity


def test_a_regular_file_in_capitals_is_well(place: Place) -> None:
    severity, told = worst(examined(place), "MEMORY.md")

    assert severity is Severity.OK
    assert "one link" in told


def _link(place: Place) -> None:
    place.memory.rename(place.memory.with_name("elsewhere.md"))
    place.memory.symlink_to(place.memory.with_name("elsewhere.md"))


def _hard_link(place: Place) -> None:
    os.link(place.memory, place.memory.with_name("elsewhere.md"))


def _lower_case(place: Place) -> None:
    place.memory.rename(place.memory.with_name("memory.md"))


def _folder(place: Place) -> None:
    place.memory.unlink()
    place.memory.mkdir()


def _no_utf8(place: Place) -> None:
    place.memory.write_bytes(place.memory.read_bytes() + b"\n- caf\xe9\n")


def _huge(place: Place) -> None:
    with place.memory.open("ab") as file:
        file.truncate(17 * 1024 * 1024)


@pytest.mark.parametrize(
    ("spoil", "severity", "words"),
    [
        (_link, Severity.ERROR, "symbolic link"),
        (_hard_link, Severity.ERROR, "[UNREADABLE]"),
        (_lower_case, Severity.WARNING, "mv "),
        (_folder, Severity.ERROR, "not a regular file"),
        (_no_utf8, Severity.WARNING, "no UTF-8"),
        (_huge, Severity.ERROR, "bytes, more than"),
    ],
)
def test_what_the_host_does_not_read_is_named(place: Place, spoil, severity, words) -> None:
    spoil(place)

    found, told = worst(examined(place), "MEMORY.md")

    assert found is severity, told
    assert words in told
    assert str(place.memory.parent) in told


def test_no_file_yet_is_well(tmp_path: Path) -> None:
    place = Place(tmp_path / "machine", "sqlite")

    assert worst(examined(place), "MEMORY.md")[0] is Severity.OK


def test_a_section_in_its_place_is_well(place: Place) -> None:
    assert worst(examined(place), "section")[0] is Severity.OK


@pytest.mark.parametrize(
    ("text", "severity", "words"),
    [
        ("<!-- scrimshaw:begin -->\n", Severity.ERROR, "do not match"),
        ("# Notes\n", Severity.OK, "none yet"),
        ("# Notes\n\n## Observations\n- by hand\n", Severity.NOTE, "without our markers"),
    ],
)
def test_the_state_of_the_markers_is_explained(tmp_path: Path, text: str, severity, words) -> None:
    place = Place(tmp_path / "machine", "sqlite", [FakeSession(at_ms=MOMENT_MS - 60_000)])
    place.memory.write_text(text)

    found, told = worst(examined(place), "section")

    assert found is severity
    assert words in told


def test_a_file_in_utf_16_is_to_be_saved_as_utf_8(place: Place) -> None:
    place.memory.write_bytes(place.memory.read_text().encode("utf-16"))

    severity, told = worst(examined(place), "section")

    assert severity is Severity.ERROR
    assert "the file is UTF-16, not UTF-8. save it as UTF-8" in told


def test_a_section_removed_by_hand_is_noted_with_the_way_back(place: Place) -> None:
    place.memory.write_text("# Notes\n")
    place.run("observe", "--now")

    severity, told = worst(examined(place), "section")

    assert severity is Severity.NOTE
    assert "scrimshaw init" in told


def test_no_room_is_an_error_with_the_sum(place: Place) -> None:
    place.memory.write_text("x" * 9_000)

    severity, told = worst(examined(place), "room")

    assert severity is Severity.ERROR
    assert "dreaming cap" in told


def test_a_file_over_the_cap_of_dreaming_starves_it(place: Place) -> None:
    place.memory.write_text(place.memory.read_text() + "\n" + "x" * 10_000)

    told = " ".join(finding.what for finding in examined(place).findings if finding.topic == "room")

    assert "promotions are deferred" in told


@pytest.mark.parametrize(
    ("memory", "severity", "words"),
    [
        ({"rawChars": 500, "injectedChars": 500}, Severity.OK, "injected whole"),
        (
            {"rawChars": 30_000, "injectedChars": 20_000, "truncated": True},
            Severity.ERROR,
            "20,000 of 30,000",
        ),
        (None, Severity.ERROR, "left MEMORY.md out"),
    ],
)
def test_what_the_host_says_of_its_last_prompt_is_judged(place: Place, memory, severity, words) -> None:
    _report(place, MOMENT_MS, memory)
    os.utime(place.memory, (MOMENT_MS / 1000 - 60, MOMENT_MS / 1000 - 60))

    found, told = worst(examined(place), "prompt")

    assert found is severity, told
    assert words in told


def test_a_cut_of_a_file_that_was_changed_since_is_only_noted(place: Place) -> None:
    _report(place, MOMENT_MS, {"rawChars": 30_000, "injectedChars": 20_000, "truncated": True})
    os.utime(place.memory, (MOMENT_MS / 1000 + 60, MOMENT_MS / 1000 + 60))

    assert worst(examined(place), "prompt")[0] is Severity.NOTE


def test_of_a_quarantined_file_the_section_that_our_hook_put_in_is_not_taken_for_it(place: Place) -> None:
    place.record("untrusted")
    own = {"path": str(place.workspace / "memory/observations/MEMORY.md"), "rawChars": 500}
    _report(place, MOMENT_MS, {**own, "injectedChars": 500})

    injected = worst(examined(place), "prompt")[1]
    _report(place, MOMENT_MS, {**own, "injectedChars": 400, "truncated": True})
    cut = worst(examined(place), "prompt")[1]

    assert injected.startswith("the section that is kept aside, and not MEMORY.md, was injected whole")
    assert cut.startswith("the host cut the section that is kept aside, and not MEMORY.md,")


def test_of_a_quarantined_file_an_earlier_prompt_is_told_as_an_earlier_one(place: Place) -> None:
    place.record("untrusted")
    _report(place, MOMENT_MS, {"path": str(place.memory), "rawChars": 500, "injectedChars": 500})

    assert "before it was quarantined" in worst(examined(place), "prompt")[1]


def _report(place: Place, at_ms: int, memory: dict[str, object] | None) -> None:
    entry = {**report(place.workspace, at=at_ms, memory=memory), "lastInteractionAt": MOMENT_MS - 60_000}
    change_store(place, "update session_nodes set entry_json = ?", json.dumps(entry))


@pytest.mark.parametrize(
    ("truncated", "told"), [(False, "into a prompt."), (True, "into a prompt, <b>cut</b>.")]
)
def test_the_page_shows_what_the_host_injected_last(place: Place, truncated: bool, told: str) -> None:
    _report(place, MOMENT_MS, {"rawChars": 30_000, "injectedChars": 2_345, "truncated": truncated})
    served = Served(None, environment(place), now=MOMENT)

    page = Browser(served).look("/?agent=main").text

    assert f"The host last put 2,345 characters of MEMORY.md {told}" in page
