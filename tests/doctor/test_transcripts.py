"""A source that has gone dry is an error, loudly; one that is alive is said in a line."""

from __future__ import annotations

import json
from datetime import timedelta
from pathlib import Path

import pytest
from tests.doctor.cases import (
    HOUR_MS,
    MOMENT,
    MOMENT_MS,
    about,
    change_store,
    examined,
    machine,
    set_age,
    worst,
)
from tests.places import Place
from tests.stores import FakeSession, build_jsonl, build_sqlite

from scrimshaw.doctor import Severity


@pytest.mark.parametrize("kind", ["sqlite", "jsonl"])
def test_a_store_as_new_as_the_host_s_own_records_is_well(tmp_path: Path, kind: str) -> None:
    place = machine(tmp_path, kind)

    severity, told = worst(examined(place), "transcripts")

    assert severity is Severity.OK, told
    assert "the host's own records agree" in told


def test_a_store_older_than_the_host_s_own_record_is_a_loud_error(tmp_path: Path) -> None:
    place = machine(tmp_path)
    change_store(place, "update session_nodes set updated_at = ?", MOMENT_MS + 3 * HOUR_MS)

    severity, told = worst(examined(place, MOMENT + timedelta(hours=3)), "transcripts")

    assert severity is Severity.ERROR
    assert "TRANSCRIPTS ARE MISSING" in told
    assert "3 hours older" in told
    assert "session_nodes" in told
    assert "openclaw doctor --fix" in told


def test_activity_counts_before_the_time_a_setting_was_changed(tmp_path: Path) -> None:
    place = machine(tmp_path)
    entry = json.dumps({"lastInteractionAt": MOMENT_MS - 60_000, "updatedAt": MOMENT_MS + 3 * HOUR_MS})
    change_store(
        place, "update session_nodes set updated_at = ?, entry_json = ?", MOMENT_MS + 3 * HOUR_MS, entry
    )

    severity, told = worst(examined(place, MOMENT + timedelta(hours=3)), "transcripts")

    assert severity is Severity.OK, told


def test_transcripts_in_a_form_not_known_show_as_dry(tmp_path: Path) -> None:
    # As a host might do it next: the rows move to another table, the sessions go on.
    place = machine(tmp_path)
    change_store(place, "alter table transcript_events rename to transcript_blocks")

    severity, told = worst(examined(place), "transcripts")

    assert severity is Severity.ERROR
    assert "not one event can be read" in told


def test_a_folder_of_old_files_is_dry_when_sessions_json_goes_on(tmp_path: Path) -> None:
    place = machine(tmp_path, "jsonl")
    names = place.store / "sessions.json"
    entries = json.loads(names.read_text())
    entries["agent:main:main"]["updatedAt"] = MOMENT_MS + 5 * HOUR_MS
    names.write_text(json.dumps(entries))

    severity, told = worst(examined(place, MOMENT + timedelta(hours=5)), "transcripts")

    assert severity is Severity.ERROR
    assert "sessions.json" in told


def test_sessions_without_transcripts_of_their_own_make_no_source_dry(tmp_path: Path) -> None:
    place = machine(tmp_path)
    change_store(
        place,
        "insert into session_nodes values ('agent:main:acp:x', 'x', '{}', 'run', null, null, ?)",
        MOMENT_MS + 9 * HOUR_MS,
    )

    severity, _ = worst(examined(place), "transcripts")

    assert severity is Severity.OK


def test_a_store_that_is_no_database_is_an_error_and_the_rest_is_examined(tmp_path: Path) -> None:
    place = machine(tmp_path)
    place.store.write_bytes(b"no database at all" * 100)

    examination = examined(place)

    assert worst(examination, "transcripts")[0] is Severity.ERROR
    assert worst(examination, "MEMORY.md")[0] is Severity.OK
    assert worst(examination, "ledger")[0] is Severity.OK


def test_a_newer_schema_is_a_warning(tmp_path: Path) -> None:
    place = machine(tmp_path)
    change_store(place, "update schema_meta set schema_version = 99")

    severity, told = worst(examined(place), "transcripts")

    assert severity is Severity.WARNING
    assert "schema 99" in told
    assert "update of scrimshaw" in told


def test_jsonl_alone_beside_a_host_of_the_sqlite_era_is_a_warning(tmp_path: Path) -> None:
    place = machine(tmp_path, "jsonl")
    _set_version(place, "2026.9.6")

    severity, told = worst(examined(place), "transcripts")

    assert severity is Severity.WARNING
    assert "openclaw doctor --fix" in told


def test_a_sqlite_store_alone_beside_a_host_of_the_jsonl_era_is_a_warning(tmp_path: Path) -> None:
    place = Place(tmp_path / "machine", "sqlite", [FakeSession(at_ms=MOMENT_MS - 60_000)])
    change_store(place, "update schema_meta set app_version = '2026.7.1'")
    _set_version(place, "2026.7.1")

    severity, told = worst(examined(place), "transcripts")

    assert severity is Severity.WARNING
    assert "only a SQLite store" in told


def test_after_a_move_to_sqlite_the_old_files_are_no_problem(tmp_path: Path) -> None:
    place = machine(tmp_path)
    folder = place.state / "agents" / "main" / "sessions"
    build_jsonl(folder, [FakeSession(key="agent:main:old", at_ms=MOMENT_MS - 99 * HOUR_MS)])
    set_age(folder, MOMENT_MS - 99 * HOUR_MS)

    severity, told = worst(examined(place), "transcripts")

    assert severity is Severity.OK, told
    assert "SQLite" in told
    assert "JSONL" in told


def test_jsonl_that_goes_on_beside_an_older_sqlite_store_is_said(tmp_path: Path) -> None:
    place = machine(tmp_path, "jsonl")
    database = place.state / "agents" / "main" / "agent" / "openclaw-agent.sqlite"
    build_sqlite(database, [FakeSession(key="agent:main:old", at_ms=MOMENT_MS - 99 * HOUR_MS)])

    severity, told = worst(examined(place), "transcripts")

    assert severity is Severity.NOTE
    assert "newer than the SQLite store" in told


def test_a_newer_file_that_looks_like_a_store_is_a_warning(tmp_path: Path) -> None:
    place = machine(tmp_path)
    strange = place.store.with_name("openclaw-transcripts-v2.sqlite")
    strange.write_bytes(b"SQLite format 3\0...")

    severity, told = worst(examined(place), "transcripts")

    assert severity is Severity.WARNING
    assert strange.name in told


def test_a_transcript_that_changed_and_holds_nothing_new_is_noted(tmp_path: Path) -> None:
    place = machine(tmp_path, "jsonl")
    set_age(place.store, MOMENT_MS + 9 * HOUR_MS)

    notes = about(examined(place), "transcripts")

    assert any("copy or a restored backup" in note.what for note in notes)


def test_no_transcripts_at_all_is_no_fault_of_a_new_agent(tmp_path: Path) -> None:
    place = Place(tmp_path / "machine", "sqlite")
    place.store.unlink()

    severity, told = worst(examined(place), "transcripts")

    assert severity is Severity.NOTE
    assert "first conversation" in told


def test_no_store_that_is_known_beside_one_that_is_not_is_an_error(tmp_path: Path) -> None:
    place = Place(tmp_path / "machine", "sqlite")
    place.store.rename(place.store.with_name("openclaw-agent-2.sqlite"))

    severity, told = worst(examined(place), "transcripts")

    assert severity is Severity.ERROR
    assert "openclaw-agent-2.sqlite" in told


def test_an_event_from_the_future_is_a_warning(tmp_path: Path) -> None:
    place = machine(tmp_path)

    severity, told = worst(examined(place, MOMENT - timedelta(hours=2)), "transcripts")

    assert severity is Severity.WARNING
    assert "in the future" in told


def _set_version(place: Place, version: str) -> None:
    path = place.state / "openclaw.json"
    config = json.loads(path.read_text())
    path.write_text(json.dumps({**config, "meta": {"lastTouchedVersion": version}}))
