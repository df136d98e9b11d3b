"""One look at a workspace and what it found due: what the daemon does, again and again, for each of them.

What is due is core/policy/schedule's to say. Each part is a run of its own and safe to be killed in.
Reflecting comes before writing, so that MEMORY.md changes once.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import datetime
from enum import StrEnum
from math import inf
from typing import NamedTuple

from scrimshaw.config import OFFLINE, seconds
from scrimshaw.errors import Exit
from scrimshaw.models.model import Opens
from scrimshaw.services.observe.run import ObserveResult, problems_of, run
from scrimshaw.services.observe.task import ObserveOptions, Observer, time_limit
from scrimshaw.services.publish import state
from scrimshaw.services.publish.result import PublishOutcome
from scrimshaw.services.reflect.run import reflect
from scrimshaw.services.schedule import serve_requests
from scrimshaw.services.status.backlog import Outlook, Reflects, measure_backlog
from scrimshaw.services.working.rounds import keep_up
from scrimshaw.store.ledger import open_ledger
from scrimshaw.workspace import Target

_MOST_STEPS = 6
# Nothing came of it (an exchange that goes on, a store that cannot be read): not again at once.
RETRY_SECONDS = 60.0
_LONGEST_PAUSE = 3600.0
_MOST_TOLD = 3


class Topic(StrEnum):
    """What a problem is about: told until the same is looked into again."""

    STORES = "stores"
    READING = "reading"
    SECTION = "section"


class TickOptions(NamedTuple):
    """How the runs of a look go: when they stop early, and who observes."""

    is_stopped: Callable[[], bool] = lambda: False
    observer: Observer | None = None
    opens: Opens | None = None  # None: no model is asked
    # How long a model may take in one tick before another workspace gets its turn; the rest waits for the
    # next tick.
    turn_seconds: float = inf

    @classmethod
    def with_models(
        cls, env: Mapping[str, str], is_stopped: Callable[[], bool], turn_seconds: float = inf
    ) -> TickOptions:
        """Return options for runs that ask the chosen models, with the keys and programs of *env*."""
        from scrimshaw.models.opening import opener

        return cls(is_stopped, opens=opener(env), turn_seconds=turn_seconds)

    def turn(self, target: Target) -> Callable[[], bool]:
        """Return what tells that a turn that begins now is over; one without a model has no end."""
        if self.opens is None or target.config.settings.observer_model == OFFLINE:
            return lambda: False
        return time_limit(self.turn_seconds)


class Restraint(NamedTuple):
    """What the looks before this one have learnt, so that nothing goes round in circles."""

    is_tired: bool = False  # what waits belongs to an exchange that goes on, and was looked into
    fruitless_tokens: int = -1  # a backlog of just this size could not be observed


class Followed(NamedTuple):
    """What was done, and when to look again if nothing happens before."""

    did: tuple[str, ...]  # "observed", "reflected", "published"
    in_seconds: float  # inf: only something new makes anything due
    problems: Mapping[str, tuple[str, ...]]  # of each topic that was looked into
    exit_code: Exit = Exit.OK
    tired_seconds: float = 0.0  # how long what waits of an exchange that goes on is let alone
    fruitless_tokens: int = -1  # how much waits that could not be observed
    pause_seconds: float = 0.0  # how long that is let alone; 0: nobody knows


def follow(
    target: Target,
    moment: datetime,
    terms: TickOptions = TickOptions(),  # noqa: B008  # frozen
    reflects: Reflects = Reflects.WHEN_DUE,
    restraint: Restraint = Restraint(),  # noqa: B008  # frozen
) -> Followed:
    """Do everything that is due in *target*'s workspace at *moment*; raises UserError, and RunStopped."""
    look_and_do = _Look(target, moment, terms, reflects, restraint)
    for _ in range(_MOST_STEPS):
        if not look_and_do.step():
            break
    working_seconds = keep_up(target, moment, terms.is_stopped)
    followed = look_and_do.followed()
    return followed._replace(in_seconds=min(followed.in_seconds, working_seconds))


class _Look:
    """One look and what follows from it, step by step."""

    def __init__(
        self, target: Target, moment: datetime, terms: TickOptions, reflects: Reflects, restraint: Restraint
    ) -> None:
        self._target, self._moment, self._terms = target, moment, terms
        self._reflects, self._restraint = reflects, restraint
        self._did: list[str] = []
        self._reports: list[ObserveResult] = []
        self._outlook: Outlook | None = None
        self._ends_read: frozenset[str] = frozenset()
        self._is_fruitless = False
        self._fruitless_tokens = -1
        self._tired_seconds = self._pause_seconds = 0.0
        self._is_turn_over = False
        self._options = ObserveOptions(
            makes_folder=False,
            is_routine=True,
            is_stopped=terms.is_stopped,
            is_out_of_time=terms.turn(target),
            observer=terms.observer,
            opens=terms.opens,
        )

    def step(self) -> bool:
        """Look, do one thing that is due, and return whether there was one."""
        with open_ledger(self._target.layout.ledger, create=False) as ledger:
            if requests := serve_requests.wanted(ledger, self._moment):
                chosen = serve_requests.next_of(requests)
                asked = self._requested(chosen[0].session)
                report = serve_requests.answer(self._target, ledger, chosen, self._moment, asked)
                if report is None:
                    # The caller has taken the request over: it is no longer ours to serve.
                    self._tired_seconds = RETRY_SECONDS
                    return False
                self._reports.append(report)
                self._did += ["observed", "published"]
                return True
            is_tired = self._restraint.is_tired or self._tired_seconds > 0
            outlook = measure_backlog(self._target, ledger, self._moment, self._reflects, is_tired=is_tired)
            self._outlook = outlook
            if self._ends_read and not outlook.backlog.has_ended:
                state.note_ended(ledger, self._ends_read)
                self._ends_read = frozenset()
                return True
            if outlook.reflect.is_due and not self._observes(outlook):
                reflect(
                    self._target,
                    ledger,
                    now=self._moment,
                    trigger=outlook.reflect.reason,
                    opens=self._terms.opens,
                    is_stopped=self._terms.is_stopped,
                )
                self._did.append("reflected")
                self._reflects = Reflects.WHEN_LARGE
                return True
        if self._observes(outlook):
            self._observe(outlook)
        elif outlook.publishes:
            asked = replace(self._options, trigger=outlook.may_publish.reason, observes=False)
            self._reports.append(run(self._target, self._moment, asked))
            self._did.append("published")
        else:
            return False
        return True

    def _observes(self, outlook: Outlook) -> bool:
        if self._is_turn_over:
            return False
        is_fruitless = self._is_fruitless or outlook.backlog.tokens == self._restraint.fruitless_tokens
        return outlook.observe.is_due and not is_fruitless

    def _observe(self, outlook: Outlook) -> None:
        asked = replace(
            self._options,
            trigger=outlook.observe.reason,
            waits=not outlook.backlog.has_ended,
            writes_section=outlook.may_publish.is_due and not outlook.reflect.is_due,
        )
        report = run(self._target, self._moment, asked)
        self._reports.append(report)
        self._did.append("observed")
        self._ends_read = outlook.ended
        idle_seconds = float(seconds(self._target.config.settings.idle_interval))
        self._is_turn_over = report.observed.left_waiting > 0
        if report.observed.deferred:
            # The model is unavailable: do not retry at once, nor for each new message.
            self._is_fruitless = True
            self._fruitless_tokens = outlook.backlog.tokens
            wanted = report.observed.again_in_seconds or 0.0
            self._pause_seconds = min(max(wanted, RETRY_SECONDS), _LONGEST_PAUSE) if wanted else 0.0
            self._tired_seconds = self._pause_seconds or RETRY_SECONDS
        elif not report.observed.entries and not report.observed.left_waiting:
            self._is_fruitless = True
            self._tired_seconds = RETRY_SECONDS
            if outlook.backlog.idle_seconds >= idle_seconds:
                # After enough silence an unfinished exchange was taken as well: if that brought nothing, only
                # a change will.
                self._fruitless_tokens = outlook.backlog.tokens
        elif report.observed.held_back:
            self._tired_seconds = idle_seconds  # a piece every few seconds is no window

    def _requested(self, session: str) -> ObserveOptions:
        return replace(
            self._options,
            trigger="a request",
            session=session,
            waits=bool(session),
            is_late=lambda: True,
            is_out_of_time=lambda: False,
            may_wait_for_model=False,  # a caller waits, so the rules note what a model cannot do at once
            is_routine=False,
        )

    def followed(self) -> Followed:
        """Return what came of it."""
        problems = self._problems()
        worst = max((report.exit_code for report in self._reports), default=Exit.OK)
        if any(problems.values()):
            worst = max(worst, Exit.MENDABLE)
        in_seconds = self._outlook.in_seconds if self._outlook else 0.0
        if self._is_turn_over:
            return Followed(tuple(dict.fromkeys(self._did)), 0.0, problems, worst)
        if worst is not Exit.OK or self._tired_seconds:
            # Retry after a delay; what is due earlier (a pause, a session's end) keeps its time.
            in_seconds = min(in_seconds or RETRY_SECONDS, self._tired_seconds or RETRY_SECONDS)
        return Followed(
            tuple(dict.fromkeys(self._did)),
            in_seconds,
            problems,
            worst,
            self._tired_seconds,
            self._fruitless_tokens,
            self._pause_seconds,
        )

    def _problems(self) -> dict[str, tuple[str, ...]]:
        told: dict[str, tuple[str, ...]] = {}
        if self._outlook is not None:
            told[Topic.STORES] = self._outlook.problems
        for report in self._reports:
            if report.published.result is not PublishOutcome.LATER:
                told[Topic.SECTION] = problems_of(report)
            if report.asked_to_observe:
                left = report.observed.problems[:_MOST_TOLD] if not report.observed.entries else []
                told[Topic.READING] = tuple(f"{problem.place}: {problem.what}" for problem in left)
        return told
