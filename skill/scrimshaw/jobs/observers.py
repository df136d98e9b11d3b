"""The model as an observer: ask about a window, judge the reply, ask once more, and else know who notes it.

A window is the model's when a reply closed properly and something of it holds, or when it said explicitly
that there is nothing new. Whether its lines hold, it is asked itself, too (jobs/rereading). A bad reply is
asked for once more with the reason. After two of them, or when the model cannot be asked, the window waits,
or the rules note it and what held in the replies is kept. Waiting has an end (`model_patience`), and where
somebody waits for the notes there is none. An error is never taken for "nothing to note". Conversations that
the owner keeps to themselves are the rules' alone, and no line of them is in any request.

Nothing is written here but who waits since when (jobs/outage); what holds is for jobs/judging to say again.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timedelta
from hashlib import sha256
from time import monotonic
from typing import NamedTuple

from scrimshaw.clock import milliseconds
from scrimshaw.config import OFFLINE, seconds
from scrimshaw.core.claims import Known
from scrimshaw.core.dialogue.reply import complaint_about, read_reply
from scrimshaw.core.dialogue.request import ask_about, context_of
from scrimshaw.core.model import UNREAD, Deferred, Observation, Readings, Rejected, Reply, Window
from scrimshaw.core.private import is_private_session
from scrimshaw.core.second_reading import judge_as_read
from scrimshaw.core.verify import prepare
from scrimshaw.jobs import outage, rereading
from scrimshaw.jobs.consulting import Consultant, Used, Waits, consultant
from scrimshaw.jobs.leaving_out import leaves_out
from scrimshaw.jobs.outage import Outage
from scrimshaw.jobs.rereading import read_once_more
from scrimshaw.jobs.target import Target
from scrimshaw.jobs.task import RULES, Proposed, Stopped
from scrimshaw.models.model import Failure, Opens, Trouble
from scrimshaw.resources import template
from scrimshaw.store.ledger import Ledger

log = logging.getLogger(__name__)

PROMPT_FILE = "observer-prompt.md"


class _Read(NamedTuple):
    """A reply as it was read, twice where that is wanted, and what of it does not hold."""

    reply: Reply
    readings: Readings
    refused: tuple[Rejected, ...]

    @property
    def is_good(self) -> bool:
        """Whether the window counts as covered: closed, and not everything in it invented."""
        said = len(self.reply.proposals) + len(self.reply.rejected)
        return self.reply.is_closed and (not said or len(self.refused) < len(self.reply.proposals))

    @property
    def what_holds(self) -> Reply:
        """The lines that verify."""
        refused = {id(one.proposal) for one in self.refused}
        held = tuple(proposal for proposal in self.reply.proposals if id(proposal) not in refused)
        return replace(self.reply, proposals=held, rejected=())


def observer_of(
    target: Target,
    ledger: Ledger,
    *,
    run_id: str,
    now: datetime,
    opens: Opens | None,
    is_stopped: Callable[[], bool] = lambda: False,
    may_wait: bool = True,
    waits: Waits | None = None,
) -> ModelObserver | None:
    """Return the observer that asks *target*'s model; None: the rules observe.

    The model is opened when the first window is there. Without *may_wait* nothing is deferred: what the model
    cannot be asked about, the rules note at once.
    """
    if opens is None or target.config.settings.observer_model == OFFLINE:
        return None

    def consults() -> Consultant | Failure | None:
        return consultant(
            target,
            ledger,
            job="observe",
            run_id=run_id,
            now=now,
            opens=opens,
            is_stopped=is_stopped,
            waits=waits,
        )

    return ModelObserver(target, ledger, consults, now=now, may_wait=may_wait)


class ModelObserver:
    """Asks one model in one run; belongs to the thread that opened the ledger."""

    def __init__(
        self,
        target: Target,
        ledger: Ledger,
        consults: Callable[[], Consultant | Failure | None],
        *,
        now: datetime,
        may_wait: bool,
    ) -> None:
        self._settings = target.config.settings
        self._ledger, self._consults = ledger, consults
        self._consultant: Consultant | Failure | None = None
        self._now, self._began, self._may_wait = now, monotonic(), may_wait
        self._template = template(PROMPT_FILE)
        self._prompt_sha = prompt_sha(
            self._template,
            self._settings.instruction,
            "" if self._settings.second_reading == "off" else template(rereading.PROMPT_FILE),
        )
        self._leaves_out: Callable[[Observation], bool] | None = None
        self.name = self._settings.observer_model
        self.unread = 0  # replies whose second reading came to nothing
        self.again_in_seconds: float | None = None  # when what was deferred may be tried again, if known

    @property
    def used(self) -> Used:
        """What was used so far."""
        return self._consultant.used if isinstance(self._consultant, Consultant) else Used()

    def __call__(self, window: Window, known: Known) -> Proposed | Deferred:
        """Return what is proposed for *window*, or why it waits; raises Stopped."""
        session = window.session
        if is_private_session(session.session_key, session.session_id, self._settings.private_sessions):
            return Proposed((), RULES, needs_rules=True)
        key = _key(window)
        if (waiting := outage.waiting_windows(self._ledger, self.name).get(key)) and self._may_wait:
            left_ms = waiting.not_before_ms - self._at_ms()
            if left_ms > 0 and not waiting.is_over(self._patience_seconds):
                return self._deferred(waiting, left_ms / 1000)
        first = self._asked(window, known)
        if isinstance(first, Failure):
            return self._without(key, first)
        if first.is_good:
            return self._covered(key, (first.reply,), first.readings)
        second = self._asked(window, known, complaint_about(first.reply, first.refused))
        if isinstance(second, Failure):
            return self._without(key, second, (first.reply,), first.readings)
        if second.is_good:
            # Of the first what holds and was not said again; its mistakes are mended.
            return self._covered(key, (second.reply, first.what_holds), second.readings.over(first.readings))
        return self._in_vain(key, (second.reply, first.reply), second.readings.over(first.readings))

    def _asked(self, window: Window, known: Known, complaint: str = "") -> _Read | Failure:
        if self._consultant is None:
            self._consultant = self._consults()
        assert self._consultant is not None, "observer_of makes no observer without a model"
        if isinstance(self._consultant, Failure):
            return self._consultant
        if self._leaves_out is None:
            self._leaves_out = leaves_out(self._ledger, self._settings.private_sessions)
        instruction = self._settings.instruction
        context = context_of(known, window, leave_out=self._leaves_out)
        question = ask_about(
            window, context, template=self._template, instruction=instruction, complaint=complaint
        )
        answer = self._consultant.ask(question.prompt, template_sha=self._prompt_sha)
        if isinstance(answer, Failure):
            return answer
        outage.note_answer(self._ledger)
        reply = read_reply(answer.text, question, window, is_cut=answer.is_cut)
        readings = self._read_once_more(reply, window, known)
        return _Read(reply, readings, _refused(reply, window, known, readings))

    def _read_once_more(self, reply: Reply, window: Window, known: Known) -> Readings:
        assert isinstance(self._consultant, Consultant), "somebody gave the reply"
        readings = read_once_more(
            reply,
            window,
            known,
            consultant=self._consultant,
            extent=self._settings.second_reading,
            template_sha=self._prompt_sha,
        )
        if readings is None:
            self.unread += 1
        return readings or UNREAD

    def _covered(self, key: str, replies: tuple[Reply, ...], readings: Readings) -> Proposed:
        outage.note_done(self._ledger, key)
        return Proposed(replies, self.name, readings=readings)

    def _without(
        self, key: str, failure: Failure, replies: tuple[Reply, ...] = (), readings: Readings = UNREAD
    ) -> Proposed | Deferred:
        """Return what is to be done when the model could not be asked, or not once more."""
        if failure.trouble is Trouble.STOPPED:
            raise Stopped
        patience = self._patience_seconds
        before = outage.outage_of(self._ledger, self.name)
        found = outage.note_failure(
            self._ledger, self.name, failure, at_ms=self._at_ms(), patience_seconds=patience, window=key
        )
        if before is None or before.trouble != found.trouble:
            log.warning("event=model-trouble model=%s trouble=%s", self.name, found.trouble)
        if self._may_wait and not found.is_over(patience):
            return self._deferred(found, failure.retry_after_seconds)
        outage.note_done(self._ledger, key)
        return Proposed(
            replies,
            self.name,
            needs_rules=True,
            trouble=failure.detail,
            needs_owner=not failure.is_passing,
            readings=readings,
        )

    def _in_vain(self, key: str, replies: tuple[Reply, ...], readings: Readings) -> Proposed | Deferred:
        """Return what is to be done after two replies that could not be used."""
        detail = f"{self.name} answered twice in a way that could not be used."
        if self._settings.after_bad_reply == "defer" and self._may_wait:
            patience = self._patience_seconds
            found = outage.note_bad_reply(
                self._ledger, self.name, key, detail, at_ms=self._at_ms(), patience_seconds=patience
            )
            if not found.is_over(patience):
                return self._deferred(found, (found.not_before_ms - self._at_ms()) / 1000)
        outage.note_done(self._ledger, key)
        return Proposed(replies, self.name, needs_rules=True, trouble=detail, readings=readings)

    def _deferred(self, found: Outage, in_seconds: float | None) -> Deferred:
        if in_seconds is not None:
            sooner = in_seconds if self.again_in_seconds is None else min(in_seconds, self.again_in_seconds)
            self.again_in_seconds = sooner
        return Deferred(found.detail)

    @property
    def _patience_seconds(self) -> float:
        return float(seconds(self._settings.model_patience))

    def _at_ms(self) -> int:
        # A run with a model may go on for hours.
        return milliseconds(self._now + timedelta(seconds=monotonic() - self._began))


def prompt_sha(*told: str) -> str:
    """Return what is noted with a run of what its model was *told* to do: prompt files, an instruction."""
    return sha256("\0".join(filter(None, told)).encode("utf-8", "replace")).hexdigest()


def _refused(reply: Reply, window: Window, known: Known, readings: Readings) -> tuple[Rejected, ...]:
    evidence = prepare(window)
    verdicts = (judge_as_read(proposal, evidence, known, readings) for proposal in reply.proposals)
    # What is known already holds: it is only no line of its own.
    return tuple(one for one in verdicts if isinstance(one, Rejected) and not one.other_id)


def _key(window: Window) -> str:
    """Return what a window that waits is known by: its end may still grow."""
    return f"{window.session.session_id}\n{window.entries[0].entry_id}"
