"""What each of the worker's jobs is, for the workspace that it names."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from math import inf
from pathlib import Path
from typing import NamedTuple

from scrimshaw.config import OFFLINE, seconds, user_file, workspace_file
from scrimshaw.daemon.schedule import Times
from scrimshaw.daemon.worker import JOB, DueJob, FinishedJob, What
from scrimshaw.errors import UserError
from scrimshaw.files import changed_ns
from scrimshaw.logs import logging_to
from scrimshaw.services.schedule.nightly import last_done, maintain
from scrimshaw.services.schedule.tick import RETRY_SECONDS, Followed, Restraint, TickOptions, Topic, follow
from scrimshaw.services.status.backlog import Reflects
from scrimshaw.workspace import Target, is_set_up, renewed

log = logging.getLogger(__name__)

_LONGEST_PAUSE = 3600.0


def duty(
    find: Callable[[Path], Target | None],
    clock: Callable[[], datetime],
    terms: TickOptions,
    env: Mapping[str, str] | None = None,
) -> Callable[[DueJob], FinishedJob]:
    """Return the function that does one job; a workspace that *find* no longer knows is left alone.

    With *env* the owner's word is looked up anew before a model may be asked; a job stops when it changes.
    """

    learnt: dict[Path, tuple[Target, _Learnt]] = {}

    def do(job: DueJob) -> FinishedJob:
        target = find(job.workspace)
        if target is None or not is_set_up(target.layout):
            return FinishedJob(job, inf)  # wiped meanwhile: not ours to make again
        now, terms_now = clock(), terms
        if env is not None and _asks_a_model(target):
            # The roster may be a minute old: too old to honour a switch to offline.
            terms_now = terms._replace(is_stopped=_until_changed(target, terms.is_stopped, env))
            target = renewed(target, env)
        with logging_to(target.layout, makes_folder=False):
            if job.what is What.MAINTAIN:
                found = maintain(target, now, terms_now)
                problems: dict[str, tuple[str, ...]] = {JOB: (), "ledger": found.ledger}
                if found.section is not None:
                    problems[Topic.SECTION] = found.section
                return FinishedJob(job, 0.0, problems)
            reflects = Reflects.NOW if job.what is What.REFLECT else Reflects.WHEN_LARGE
            known, before = learnt.pop(job.workspace, (target, _Learnt(now)))
            if known != target:
                before = _Learnt(now)  # a raised cap or another model lets go on what waited
            done = follow(target, now, terms_now, reflects, before.restraint(now))
        now_learnt = before.with_(done, now)
        learnt[job.workspace] = target, now_learnt
        wait = done.in_seconds
        if done.fruitless_tokens >= 0:
            wait = max(wait, (now_learnt.fruitless_until - now).total_seconds())
        return FinishedJob(job, wait, {**done.problems, **({JOB: ()} if done.did else {})})

    return do


def _asks_a_model(target: Target) -> bool:
    settings = target.config.settings
    return settings.observer_model != OFFLINE or settings.reflector_model != OFFLINE


def _until_changed(
    target: Target, is_stopped: Callable[[], bool], env: Mapping[str, str]
) -> Callable[[], bool]:
    """Return *is_stopped*, true also once a file of *target*'s settings is another than now."""
    files = (user_file(env), workspace_file(target.layout.workspace))
    before = tuple(map(changed_ns, files))
    return lambda: is_stopped() or tuple(map(changed_ns, files)) != before


class _Learnt(NamedTuple):
    """What one look has learnt for the next ones, by wall time: a clock that is set back ends it."""

    at: datetime
    tired_until: datetime | None = None
    fruitless_tokens: int = -1
    fruitless_pause: float = 0.0

    @property
    def fruitless_until(self) -> datetime:
        return self.at + timedelta(seconds=self.fruitless_pause)

    def restraint(self, now: datetime) -> Restraint:
        """Return what still holds at *now*."""
        is_tired = self.tired_until is not None and self.at <= now < self.tired_until
        is_fruitless = self.at <= now < self.fruitless_until
        return Restraint(is_tired, self.fruitless_tokens if is_fruitless else -1)

    def with_(self, done: Followed, now: datetime) -> _Learnt:
        """Return what is known after a look that *done* came of."""
        if done.fruitless_tokens >= 0:
            # Nothing found repeatedly: back off.
            is_same = done.fruitless_tokens == self.fruitless_tokens
            pause = min(2 * self.fruitless_pause, _LONGEST_PAUSE) if is_same else RETRY_SECONDS
            pause = done.pause_seconds or pause
            return _Learnt(now, now + timedelta(seconds=done.tired_seconds), done.fruitless_tokens, pause)
        if done.tired_seconds:
            return _Learnt(now, now + timedelta(seconds=done.tired_seconds))
        return _Learnt(now) if "observed" in done.did or now < self.at else self


def times(target: Target) -> Times:
    """Return the times of *target*'s jobs, with when each was last done."""
    settings = target.config.settings
    reflected = maintained = None
    try:
        reflected, maintained = last_done(target)
    except UserError as error:
        # The jobs report a broken ledger themselves, each time.
        log.debug("times workspace=%s problem=%s", target.layout.workspace, error)
    return Times(
        target.zone, seconds(settings.reflector_interval), settings.maintenance_at, reflected, maintained
    )
