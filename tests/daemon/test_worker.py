"""The worker: one job at a time, nothing twice, nothing dropped, nothing that a job raises gets out."""

from __future__ import annotations

import logging
import threading
from math import inf
from pathlib import Path

import pytest

from scrimshaw.daemon.worker import JOB, DueJob, FinishedJob, What, Worker
from scrimshaw.errors import UserError
from scrimshaw.services.observe.task import RunStopped

HERE, THERE = Path("/here"), Path("/there")


def _done(job: DueJob) -> FinishedJob:
    return FinishedJob(job, inf)


def test_a_job_that_waits_already_is_not_doubled_and_the_order_stays() -> None:
    did: list[DueJob] = []

    def do(job: DueJob) -> FinishedJob:
        did.append(job)
        return _done(job)

    worker = Worker(do)
    for what, where in (
        (What.FOLLOW, HERE),
        (What.MAINTAIN, HERE),
        (What.FOLLOW, THERE),
        (What.FOLLOW, HERE),
    ):
        worker.enqueue(DueJob(what, where))

    assert worker.work_off() == 3
    assert did == [
        DueJob(What.FOLLOW, HERE),
        DueJob(What.MAINTAIN, HERE),
        DueJob(What.FOLLOW, THERE),
    ]


def test_the_same_job_asked_for_while_it_is_at_work_is_done_once_more() -> None:
    did: list[DueJob] = []

    def do(job: DueJob) -> FinishedJob:
        did.append(job)
        if len(did) == 1:
            worker.enqueue(job)
        return _done(job)

    worker = Worker(do)
    worker.enqueue(DueJob(What.FOLLOW, HERE))

    assert worker.work_off() == 2


def test_a_problem_of_the_owners_ends_at_the_jobs_boundary_and_is_told() -> None:
    def do(job: DueJob) -> FinishedJob:
        raise UserError("the disk is full.", next_step="make room")

    worker = Worker(do)
    worker.enqueue(DueJob(What.FOLLOW, HERE))
    worker.work_off()

    (done,) = worker.finished()
    assert done.problems == {JOB: ("the disk is full.",)}
    assert done.in_seconds == 60  # is tried again
    assert done.has_failed


def test_a_defect_is_logged_with_its_places_and_without_its_message(caplog: pytest.LogCaptureFixture) -> None:
    def do(job: DueJob) -> FinishedJob:
        raise ValueError("what somebody said in a transcript")

    worker = Worker(do)
    worker.enqueue(DueJob(What.FOLLOW, HERE))
    worker.enqueue(DueJob(What.FOLLOW, THERE))

    assert worker.work_off() == 2
    assert [done.has_failed for done in worker.finished()] == [True, True]
    assert "ValueError" in caplog.text
    assert "test_worker.py" in caplog.text
    assert "somebody said" not in caplog.text
    assert all("\n" not in record.getMessage() for record in caplog.records)


def test_stop_ends_the_thread_and_begins_nothing_more() -> None:
    begun, may_end = threading.Event(), threading.Event()
    did: list[DueJob] = []

    def do(job: DueJob) -> FinishedJob:
        did.append(job)
        begun.set()
        may_end.wait(60)
        raise RunStopped

    worker = Worker(do)
    worker.start()
    worker.enqueue(DueJob(What.FOLLOW, HERE))
    worker.enqueue(DueJob(What.FOLLOW, THERE))
    assert begun.wait(60)
    assert worker.doing == DueJob(What.FOLLOW, HERE)

    assert not worker.stop(0.01)
    may_end.set()

    assert worker.stop(60)
    assert did == [DueJob(What.FOLLOW, HERE)]
    assert [done.has_failed for done in worker.finished()] == [False]


def test_a_thread_that_dies_is_seen() -> None:
    def do(job: DueJob) -> FinishedJob:
        raise SystemExit

    logging.raiseExceptions = True
    worker = Worker(do)
    worker.start()
    assert worker.is_alive()
    worker.enqueue(DueJob(What.FOLLOW, HERE))

    assert worker.stop(60)
    assert not worker.is_alive()
