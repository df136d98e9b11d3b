"""Somebody has to keep the memory fresh: daemon, service, the host's scheduler, and what waits meanwhile."""

from __future__ import annotations

import json
import os
from datetime import timedelta

import pytest
from tests.doctor.cases import MOMENT, about, daemon, environment, examined, worst
from tests.places import Place

from scrimshaw.doctor import Severity
from scrimshaw.setup.receipt import MadeCron, Receipt, save


def test_a_daemon_that_waits_is_well(place: Place) -> None:
    with daemon(place):
        severity, told = worst(examined(place), "daemon")

    assert severity is Severity.OK, told
    assert f"process {os.getpid()}, waiting" in told


def test_nobody_who_keeps_it_is_a_warning_with_the_ways(place: Place) -> None:
    severity, told = worst(examined(place), "kept by")

    assert severity is Severity.WARNING
    assert "scrimshaw service install" in told


def test_a_job_of_the_host_keeps_it(place: Place) -> None:
    receipt = Receipt(str(place.state), "", (MadeCron(str(place.state), "job-1"),))
    save(environment(place), receipt)

    unseen = worst(examined(place), "kept by")[0]
    place.schedule("job-1", is_enabled=True)

    assert (unseen, worst(examined(place), "kept by")[0]) == (Severity.OK, Severity.OK)


@pytest.mark.parametrize(
    ("job", "words", "step"),
    [("job-1", "is disabled", "openclaw cron enable job-1"), ("job-2", "is gone", "--keep-fresh cron")],
)
def test_a_job_that_is_disabled_or_gone_keeps_nothing(place: Place, job: str, words: str, step: str) -> None:
    receipt = Receipt(str(place.state), "", (MadeCron(str(place.state), "job-1"),))
    save(environment(place), receipt)
    place.schedule(job, is_enabled=False)

    severity, told = worst(examined(place), "kept by")

    assert severity is Severity.WARNING
    assert words in told
    assert step in told


def test_a_daemon_without_a_sign_of_life_is_a_warning(place: Place) -> None:
    with daemon(place, at=MOMENT - timedelta(hours=1)):
        severity, told = worst(examined(place), "daemon")

    assert severity is Severity.WARNING
    assert "no heartbeat for 60 minutes" in told


def test_a_daemon_of_another_version_is_a_warning(place: Place) -> None:
    with daemon(place, version="0.0.9"):
        severity, told = worst(examined(place), "daemon")

    assert severity is Severity.WARNING
    assert "0.0.9" in told


def test_the_sign_of_life_of_a_daemon_that_is_gone_can_be_mended(place: Place) -> None:
    with daemon(place):
        pass

    found = about(examined(place), "daemon")

    assert [finding.is_fixable for finding in found] == [True]


def test_a_garbage_sign_of_life_is_no_defect(place: Place) -> None:
    (place.workspace / ".scrimshaw" / "heartbeat.json").write_bytes(b"\xff{[not json")

    assert about(examined(place), "daemon")[0].is_fixable


def test_what_nobody_works_off_is_an_error_after_a_day(place: Place) -> None:
    place.say(("We decided to host the staging server in Lisbon.", "Noted."))

    soon = worst(examined(place, MOMENT + timedelta(minutes=10)), "backlog")
    late = worst(examined(place, MOMENT + timedelta(hours=2)), "backlog")
    very_late = worst(examined(place, MOMENT + timedelta(days=3)), "backlog")

    assert soon[0] is Severity.OK
    assert late[0] is Severity.WARNING
    assert very_late[0] is Severity.ERROR
    assert "nothing processes it" in very_late[1]


def test_what_a_daemon_does_not_work_off_is_an_error(place: Place) -> None:
    place.say(("We decided to host the staging server in Lisbon.", "Noted."))
    moment = MOMENT + timedelta(hours=2)

    with daemon(place, at=moment):
        severity, told = worst(examined(place, moment), "backlog")

    assert severity is Severity.ERROR
    assert "although a daemon runs" in told


@pytest.mark.parametrize(
    ("is_alive", "age_seconds", "severity"),
    [(True, 5, Severity.OK), (True, 3_600, Severity.WARNING), (False, 5, Severity.NOTE)],
)
def test_who_holds_the_right_to_write_is_told(
    place: Place, is_alive: bool, age_seconds: int, severity: Severity
) -> None:
    pid = os.getpid() if is_alive else 2**22 + 1  # more than Linux gives out
    note = place.workspace / ".scrimshaw" / "write.holder"
    note.write_text(json.dumps({"pid": pid, "since": "", "by": "publish"}))
    at = note.stat().st_mtime - age_seconds
    os.utime(note, (at, at))

    assert worst(examined(place), "locks")[0] is severity


@pytest.mark.parametrize("said", [b"", b"\xff", b"[]", b'{"pid": "x"}', b'{"pid": 1e999, "by": []}'])
def test_a_garbage_note_of_a_writer_is_no_defect(place: Place, said: bytes) -> None:
    (place.workspace / ".scrimshaw" / "write.holder").write_bytes(said)

    assert all(finding.severity is not Severity.ERROR for finding in about(examined(place), "locks"))
