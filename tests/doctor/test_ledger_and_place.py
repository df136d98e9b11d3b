"""The ledger, the folder and the machine under it."""

from __future__ import annotations

import contextlib
import os
import secrets
import shutil
import sqlite3
import time
from datetime import datetime
from pathlib import Path

import pytest
from tests.doctor.cases import (
    MOMENT,
    MOMENT_MS,
    about,
    environment,
    examined,
    set_age,
    snapshot,
    worst,
)
from tests.places import Place

from scrimshaw.doctor import Severity, examine, mend
from scrimshaw.doctor.finding import Mend
from scrimshaw.doctor.machine import room_finding
from scrimshaw.workspace import Wanted

OLD = "2026-11-20T18:00:00+00:00"


def ledger(place: Place) -> Path:
    return place.workspace / ".scrimshaw" / "ledger.sqlite"


def change_ledger(place: Place, sql: str, *values: object) -> None:
    with contextlib.closing(sqlite3.connect(ledger(place))) as connection, connection:
        connection.execute(sql, values)


def test_a_sound_ledger_is_said_with_its_counts(place: Place) -> None:
    severity, told = worst(examined(place), "ledger")

    assert severity is Severity.OK
    assert "sound: 1 observation," in told


def test_a_workspace_that_is_not_set_up_is_noted(tmp_path: Path) -> None:
    place = Place(tmp_path / "machine", "sqlite")

    severity, told = worst(examined(place), "ledger")

    assert severity is Severity.NOTE
    assert "scrimshaw init" in told


def test_a_wiped_state_folder_beside_a_section_is_a_warning(place: Place) -> None:
    for path in sorted((place.workspace / ".scrimshaw").rglob("*"), reverse=True):
        path.rmdir() if path.is_dir() else path.unlink()

    severity, told = worst(examined(place), "ledger")

    assert severity is Severity.WARNING
    assert "git clean" in told


@pytest.mark.parametrize("how", ["garbage", "newer", "torn"])
def test_a_ledger_that_cannot_be_used_is_an_error_and_the_rest_is_examined(place: Place, how: str) -> None:
    match how:
        case "garbage":
            ledger(place).write_bytes(b"not a database" * 500)
        case "newer":
            change_ledger(place, "pragma user_version = 99")
        case "torn":
            _tear(ledger(place))

    examination = examined(place)

    assert worst(examination, "ledger")[0] is Severity.ERROR
    assert about(examination, "ledger")[0].next_step
    assert worst(examination, "transcripts")[0] is Severity.OK


def test_what_is_owed_to_the_dated_files_is_a_warning_and_is_mended(place: Place) -> None:
    dated = place.dated()
    for path in (place.workspace / "memory" / "observations").glob("obs-*.md"):
        path.unlink()
    change_ledger(place, "update outbox set done_at_ms = null where target = 'dated'")

    before = about(examined(place), "ledger")[0]
    after = mend(Wanted(), environment(place), MOMENT)

    assert (before.severity, before.mend) == (Severity.WARNING, Mend.ARCHIVE)
    assert worst(after, "ledger")[0] is Severity.OK
    assert any("still owed" in done for done in after.mended)
    assert place.dated() == dated


def test_a_write_that_a_kill_left_open_is_noted_and_settled(place: Place) -> None:
    change_ledger(place, "update revision set state = 'intended'")

    before = about(examined(place), "ledger")[0]
    after = mend(Wanted(), environment(place), MOMENT)

    assert (before.severity, before.mend) == (Severity.NOTE, Mend.INTENT)
    assert worst(after, "ledger")[0] is Severity.OK


def test_what_others_could_read_is_closed(place: Place) -> None:
    state = place.workspace / ".scrimshaw"
    state.chmod(0o755)
    ledger(place).chmod(0o644)

    before = [finding.mend for finding in about(examined(place), "permissions")]
    after = mend(Wanted(), environment(place), MOMENT)

    assert before == [Mend.PERMISSIONS, Mend.PERMISSIONS]
    assert worst(after, "permissions")[0] is Severity.OK
    assert state.stat().st_mode & 0o777 == 0o700
    assert ledger(place).stat().st_mode & 0o777 == 0o600


def test_leftovers_of_a_killed_run_are_noted_and_removed_and_fresh_ones_are_not_seen(place: Place) -> None:
    old, fresh = (place.workspace / f".MEMORY.md.scrimshaw-{secrets.token_hex(8)}.tmp" for _ in range(2))
    old.write_text("half")
    os.utime(old, (time.time() - 3_600,) * 2)

    before = about(examined(place), "leftovers")
    fresh.write_text("at work")
    after = mend(Wanted(), environment(place), MOMENT)

    assert [finding.mend for finding in before] == [Mend.LEFTOVERS]
    assert about(after, "leftovers") == []
    assert not old.exists()


@pytest.mark.parametrize(
    ("megabytes", "severity"),
    [(5, Severity.ERROR), (50, Severity.WARNING), (5_000, Severity.OK)],
)
def test_room_on_the_disk_is_judged(megabytes: int, severity: Severity) -> None:
    assert room_finding(megabytes * 1024 * 1024, Path("/x")).severity is severity


@pytest.mark.parametrize("year", [1970, 2024, 2150])
def test_an_implausible_year_is_an_error(place: Place, year: int) -> None:
    severity, told = worst(examined(place, datetime(year, 1, 1, tzinfo=MOMENT.tzinfo)), "clock")

    assert severity is Severity.ERROR
    assert str(year) in told


def test_files_from_the_future_are_a_warning(place: Place) -> None:
    ahead = time.time() + 7_200
    os.utime(place.store, (ahead, ahead))

    severity, told = worst(examined(place), "clock")

    assert severity is Severity.WARNING
    assert "in the future" in told


def test_a_clock_that_is_set_for_a_replay_is_noted(place: Place) -> None:
    assert worst(examined(place, SCRIMSHAW_NOW=OLD), "clock")[0] is Severity.NOTE


def test_settings_with_a_mistake_are_an_error_of_that_workspace(place: Place) -> None:
    (place.workspace / ".scrimshaw" / "config.yaml").write_text("ttl_days: soon\nwrong: 1\n")

    severity, told = worst(examined(place), "settings")

    assert severity is Severity.ERROR
    assert "ttl_days" in told


def test_no_agent_at_all_is_an_error_that_says_where_was_looked(tmp_path: Path) -> None:
    env = {"HOME": str(tmp_path), "XDG_CONFIG_HOME": str(tmp_path)}

    severity, told = worst(examine(Wanted(), env, MOMENT), "agents")

    assert severity is Severity.ERROR
    assert "--state-dir" in told


def _tear(path: Path) -> None:
    """Overwrite pages in the middle: the file opens, and holds nonsense."""
    raw = bytearray(path.read_bytes())
    raw[8_192:40_960] = secrets.token_bytes(40_960 - 8_192)
    path.write_bytes(raw)


@pytest.mark.parametrize("folder", [".scrimshaw/backups", "memory/observations"])
def test_mending_does_not_follow_a_link_out_of_the_workspace(place: Place, folder: str) -> None:
    outside = place.root / "outside"
    outside.mkdir()
    for name in ("page.html", ".MEMORY.md.scrimshaw-0123456789abcdef.tmp"):
        (outside / name).write_text("precious")
        (outside / name).chmod(0o644)
    set_age(outside, MOMENT_MS - 30 * 86_400_000)
    shutil.rmtree(place.workspace / folder, ignore_errors=True)
    (place.workspace / folder).symlink_to(outside)
    before = snapshot(outside)

    mended = mend(Wanted(), environment(place), MOMENT)

    assert before == snapshot(outside)
    assert worst(mended, "permissions")[0] is Severity.ERROR
    assert "symbolic link" in worst(mended, "permissions")[1]


def test_mending_does_not_close_a_file_that_is_linked_from_elsewhere(place: Place) -> None:
    outside = place.root / "shared.log"
    outside.write_text("shared")
    outside.chmod(0o644)
    (place.workspace / ".scrimshaw" / "shared.log").hardlink_to(outside)

    mend(Wanted(), environment(place), MOMENT)

    assert outside.stat().st_mode & 0o777 == 0o644
