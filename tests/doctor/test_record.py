"""Which way the section goes, and the ways out of the quarantine, in `doctor` and in `status`."""

from __future__ import annotations

import contextlib
import json
import sqlite3
from hashlib import sha256

import pytest
from tests.doctor.cases import about, examined, gateway, hook, worst
from tests.places import Place

from scrimshaw.doctor import Severity

TOPIC = "way to the agent"


def test_without_a_record_memory_md_itself_is_the_way(place: Place) -> None:
    severity, told = worst(examined(place), TOPIC)

    assert severity is Severity.OK
    assert "MEMORY.md itself" in told
    assert "way       MEMORY.md, which the host injects into the prompt" in place.run("status").out


@pytest.mark.parametrize("origin", ["agent", "untrusted"])
def test_a_record_without_a_hook_is_a_loud_error_everywhere(place: Place, origin: str) -> None:
    place.record(origin)

    severity, told = worst(examined(place), TOPIC)
    status = place.run("status")

    assert severity is Severity.ERROR
    assert "NOTHING PUTS IT INTO THE PROMPT: the hook is not installed" in told
    assert "scrimshaw install" in told
    assert "NO HOOK INJECTS IT INTO THE PROMPT" in status.out
    assert "scrimshaw doctor" in status.out


def test_a_record_with_a_hook_that_is_loaded_is_well(place: Place) -> None:
    place.record("agent")
    gateway(place)
    hook(place)

    severity, told = worst(examined(place), TOPIC)

    assert severity is Severity.OK, told
    assert "aside, through the hook" in told
    assert "our hook injects it into the prompt" in place.run("status").out


def test_a_file_changed_from_outside_since_the_record_is_a_warning_with_the_way_out(place: Place) -> None:
    place.record("agent")
    gateway(place)
    hook(place)
    before = place.memory.read_bytes()
    copy = place.workspace / ".scrimshaw" / "backups" / "MEMORY.md.20261119T000000Z"
    copy.parent.mkdir(exist_ok=True)
    copy.write_bytes(before)
    place.memory.write_bytes(before + b"\n- by an editor\n")

    severity, told = worst(examined(place), TOPIC)

    assert severity is Severity.WARNING
    assert "at the agent's next edit of it the host shuts it out" in told
    assert "QUARANTINED" not in told
    assert f"cp {copy} {place.memory}" in told


@pytest.mark.parametrize("origin", ["agent", "untrusted"])
def test_a_section_that_the_agent_s_edit_left_in_memory_md_is_told_of_until_the_next_run(
    place: Place, origin: str
) -> None:
    place.record(origin)
    gateway(place)
    hook(place)

    status = place.run("status")
    section, way = (worst(examined(place), topic)[1] for topic in ("section", TOPIC))

    assert "section   still in MEMORY.md, " in status.out
    assert "section   still in MEMORY.md, 0 of" not in status.out
    assert "from the next run on the section is kept in memory/observations/MEMORY.md" in status.out
    assert section.startswith("in MEMORY.md, ")
    assert "the next run keeps" in way

    place.run("observe", "--now")

    assert "section   in place, " in place.run("status").out
    assert worst(examined(place), "section")[1].startswith("in place in memory/observations/MEMORY.md")


@pytest.mark.parametrize("spoil", ["settings.json", "alive.json"])
def test_a_record_with_a_hook_that_does_not_serve_is_an_error(place: Place, spoil: str) -> None:
    place.record("agent")
    gateway(place)
    hook(place)
    (place.state / "hooks" / "scrimshaw" / spoil).unlink()

    assert worst(examined(place), TOPIC)[0] is Severity.ERROR


def test_a_quarantine_is_a_warning_even_when_the_hook_heals_it(place: Place) -> None:
    place.record("untrusted")
    gateway(place)
    hook(place)

    severity, told = worst(examined(place), TOPIC)

    assert severity is Severity.WARNING
    assert "QUARANTINED" in told


def test_the_way_out_is_told_in_steps_with_the_copy_that_matches(place: Place) -> None:
    before = place.memory.read_bytes()
    copy = place.workspace / ".scrimshaw" / "backups" / "MEMORY.md.20261119T000000Z"
    copy.parent.mkdir(exist_ok=True)
    copy.write_bytes(before)
    place.record("untrusted")
    _set_hash(place, sha256(before).hexdigest())
    place.memory.write_text("# changed since\n")

    steps = about(examined(place), TOPIC)[0].next_step

    assert any(f"cp {copy} {place.memory}" in step for step in steps)
    apart = [step.split(":")[0] for step in steps]
    assert apart.index("put back exactly what the host has recorded") < _index(steps, "apply_patch")
    assert _index(steps, "apply_patch") < _index(steps, "scrimshaw observe")


def test_a_file_as_recorded_needs_nothing_put_back(place: Place) -> None:
    place.record("untrusted")
    _set_hash(place, sha256(place.memory.read_bytes()).hexdigest())

    steps = about(examined(place), TOPIC)[0].next_step

    assert not any("put back exactly" in step for step in steps)
    assert any("apply_patch" in step for step in steps)


def test_without_a_matching_copy_the_checksum_is_named(place: Place) -> None:
    place.record("untrusted", file_hash="0" * 64)

    steps = about(examined(place), TOPIC)[0].next_step

    assert any("sha256sum" in step and "0" * 64 in step for step in steps)


def test_writing_all_the_same_at_the_owner_s_word_is_a_warning(place: Place) -> None:
    place.record("agent")

    severity, told = worst(examined(place, SCRIMSHAW_RESPECT_PROVENANCE="false"), TOPIC)

    assert severity is Severity.WARNING
    assert "respect_provenance is off" in told


def test_a_record_of_unknown_form_leaves_memory_md_alone_and_says_so(place: Place) -> None:
    place.record("something-new")

    severity, told = worst(examined(place), TOPIC)

    assert severity is Severity.ERROR
    assert "when unsure, MEMORY.md is left alone" in told


def _index(steps: tuple[str, ...], words: str) -> int:
    return next(number for number, step in enumerate(steps) if words in step)


def _set_hash(place: Place, digest: str) -> None:
    with contextlib.closing(sqlite3.connect(place.host_state)) as connection, connection:
        [(raw,)] = connection.execute("select value_json from plugin_state_entries").fetchall()
        value = json.dumps({**json.loads(raw), "fileHash": digest})
        connection.execute("update plugin_state_entries set value_json = ?", (value,))


def test_the_copy_of_the_way_out_is_moved_back_and_one_left_behind_is_told_of(place: Place) -> None:
    kept = place.workspace / "MEMORY.md.kept"
    place.record("untrusted")
    steps = about(examined(place), TOPIC)[0].next_step
    assert any(f"mv {kept} {place.memory}" in step for step in steps)
    assert not any(f"cp {kept}" in step for step in steps)
    place.lift_record()
    assert worst(examined(place), TOPIC)[0] is Severity.OK

    kept.write_bytes(place.memory.read_bytes())

    severity, told = worst(examined(place), TOPIC)
    assert severity is Severity.NOTE
    assert f"rm {kept}" in told
