"""The model as an observer: ask about a window, judge the reply, ask once more, and else know who notes it.

A window is the model's when a reply closed properly and something of it holds, or when it said explicitly
that there is nothing new. Whether its lines hold, it is asked itself, too, and about those that do not, once
more with the reasons (services/observe/judge). A bad reply is asked for once more as a whole. After two of
them, or when the model cannot be asked, the window waits, or the rules note it and what held in the replies
is kept. Waiting has an end (`model_patience`), and where somebody waits for the notes there is none. An error
is never taken for "nothing to note". Conversations that the owner keeps to themselves are the rules' alone,
and no line of them is in any request.

Short windows of several conversations share a question. When its answer is no good, nothing of it is taken
and each is asked about alone, as if it had been from the beginning.

Nothing is written here but who waits since when (services/models/outages); what holds is for
services/observe/verify to say again.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from functools import partial
from hashlib import sha256
from time import monotonic
from typing import NamedTuple

from scrimshaw.clock import milliseconds
from scrimshaw.config import seconds
from scrimshaw.core.ledger.known_lines import KnownLines
from scrimshaw.core.ledger.observations import NOT_REREAD
from scrimshaw.core.prompting.fence import NumberedPrompt
from scrimshaw.core.prompting.judge_prompt import mendable, mended
from scrimshaw.core.prompting.observe_reply import complaint_about, parted, read_reply
from scrimshaw.core.prompting.observe_request import context_of, observe_question
from scrimshaw.core.transcript.privacy import is_private_session
from scrimshaw.core.transcript.windows import laid_together
from scrimshaw.core.types import (
    UNREAD,
    Deferred,
    Observation,
    Proposal,
    Readings,
    Rejected,
    Reply,
    Verified,
    Window,
)
from scrimshaw.core.verification.find_sources import judge_with_near
from scrimshaw.core.verification.judge import judge_as_read
from scrimshaw.core.verification.verify import prepare
from scrimshaw.models.model import Failure, Opens, Trouble
from scrimshaw.resources import template
from scrimshaw.services.models import outages
from scrimshaw.services.models.client import Consultant, Used, consultant
from scrimshaw.services.models.outages import Outage
from scrimshaw.services.models.privacy_filter import leaves_out
from scrimshaw.services.observe.judge import MENDING_PROMPT, READING_PROMPT, mend, read_once_more
from scrimshaw.services.observe.task import RULES, Proposed, RunStopped
from scrimshaw.store.ledger import Ledger
from scrimshaw.workspace import Target

log = logging.getLogger(__name__)

PROMPT_FILE = "observer-prompt.md"


class _Read(NamedTuple):
    """A reply as it was read, twice where that is wanted, and what of it does not hold; of each window."""

    question: NumberedPrompt
    replies: tuple[Reply, ...]
    readings: Readings
    refused: tuple[tuple[Rejected, ...], ...]

    @property
    def is_good(self) -> bool:
        """Whether the windows count as covered: closed, and not everything in it invented."""
        proposed = sum(len(reply.proposals) for reply in self.replies)
        said = proposed + sum(len(reply.rejected) for reply in self.replies)
        is_closed = all(reply.is_closed for reply in self.replies)
        return is_closed and (not said or sum(map(len, self.refused)) < proposed)

    @property
    def complaint(self) -> str:
        """What to tell the model when it is asked about the one window once more."""
        return complaint_about(self.replies[0], self.refused[0])

    @property
    def what_holds(self) -> tuple[Reply, ...]:
        """The lines that verify."""
        refused = {id(one.proposal) for those in self.refused for one in those}
        return tuple(
            replace(reply, proposals=tuple(p for p in reply.proposals if id(p) not in refused), rejected=())
            for reply in self.replies
        )


class ModelObserver:
    """Asks *target*'s model in one run; belongs to the thread that opened the ledger.

    The model is opened when the first window is there. Without *may_wait* nothing is deferred: what the model
    cannot be asked about, the rules note at once.
    """

    def __init__(
        self,
        target: Target,
        ledger: Ledger,
        *,
        run_id: str,
        now: datetime,
        opens: Opens,
        is_stopped: Callable[[], bool] = lambda: False,
        may_wait: bool,
    ) -> None:
        self._settings, self._ledger = target.config.settings, ledger
        asking = partial(consultant, target, ledger, job="observe", run_id=run_id, now=now)
        self._consults = partial(asking, opens=opens, is_stopped=is_stopped)
        self._consultant: Consultant | Failure | None = None
        self._now, self._began, self._may_wait = now, monotonic(), may_wait
        self._template = template(PROMPT_FILE)
        self._prompt_sha = prompt_sha(
            self._template,
            self._settings.instruction,
            "" if self._settings.second_reading == "off" else template(READING_PROMPT),
            template(MENDING_PROMPT),
        )
        self._leaves_out: Callable[[Observation], bool] | None = None
        self._shares = True  # several windows in one question
        self.name = self._settings.observer_model
        self.unread = 0  # replies whose second reading came to nothing
        self.again_in_seconds: float | None = None  # when what was deferred may be tried again, if known

    @property
    def used(self) -> Used:
        """What was used so far."""
        return self._consultant.used if isinstance(self._consultant, Consultant) else Used()

    def __call__(self, window: Window, known: KnownLines) -> Proposed | Deferred:
        """Return what is proposed for *window*, or why it waits; raises RunStopped."""
        if self._is_private(window):
            return Proposed((), RULES, needs_rules=True)
        those, key = (window,), _key(window)
        if (waiting := outages.waiting_windows(self._ledger, self.name).get(key)) and self._may_wait:
            left_ms = waiting.not_before_ms - self._at_ms()
            if left_ms > 0 and not waiting.is_over(self._patience_seconds):
                return self._deferred(waiting, left_ms / 1000)
        first = self._asked(those, known)
        if isinstance(first, Failure):
            return _only(self._without(those, first))
        if first.is_good:
            return self._mended(those, known, first)[0]
        second = self._asked(those, known, first.complaint)
        if isinstance(second, Failure):
            return _only(self._without(those, second, first.replies, first.readings))
        readings = second.readings.over(first.readings)
        if second.is_good:
            # Of the first what holds and was not said again; its mistakes are mended.
            return self._covered(those, (second.replies, first.what_holds), readings)[0]
        return self._in_vain(key, (*second.replies, *first.replies), readings)

    def may_share(self, window: Window) -> bool:
        """Tell whether *window* may be asked about together with others.

        Not what is private, and not what the model failed over before: that is for it to fail over alone.
        Nor any more when it could make nothing of several at once.
        """
        has_failed = outages.has_failed_over(self._ledger, self.name, _key(window))
        return self._shares and not has_failed and not self._is_private(window)

    def together(self, those: Sequence[Window], known: KnownLines) -> tuple[Proposed, ...] | Deferred | None:
        """Return what is proposed for each of *those*, or why all wait; None: each is to be asked alone.

        Each is one that `may_share`. Raises RunStopped.
        """
        assert not any(map(self._is_private, those)), "what is private is asked about by nobody"
        read = self._asked(those, known)
        if isinstance(read, Failure):
            return self._without(those, read)
        if not read.is_good:
            self._shares = False
            return None
        return self._mended(those, known, read)

    def _is_private(self, window: Window) -> bool:
        session = window.session
        return is_private_session(session.session_key, session.session_id, self._settings.private_sessions)

    def _asked(self, those: Sequence[Window], known: KnownLines, complaint: str = "") -> _Read | Failure:
        if self._consultant is None:
            self._consultant = self._consults()
        assert self._consultant is not None, "no observer is made without a model"
        if isinstance(self._consultant, Failure):
            return self._consultant
        if self._leaves_out is None:
            self._leaves_out = leaves_out(self._ledger, self._settings.private_sessions)
        whole = laid_together(those)
        context = context_of(known, whole, leave_out=self._leaves_out)
        instruction = self._settings.instruction
        question = observe_question(
            whole, context, template=self._template, instruction=instruction, complaint=complaint
        )
        answer = self._consultant.ask(question.prompt, template_sha=self._prompt_sha)
        if isinstance(answer, Failure):
            return answer
        outages.note_answer(self._ledger)
        reply = read_reply(answer.text, question, whole, is_cut=answer.is_cut)
        replies = parted(reply, those, _holds_in(known))
        readings = self._read_once_more(replies, those, known)
        return _Read(question, replies, readings, _all_refused(replies, those, known, readings))

    def _mended(self, those: Sequence[Window], known: KnownLines, read: _Read) -> tuple[Proposed, ...]:
        """Return what is proposed for each of *those*: what was *read*, and what was mended of it."""
        found = [
            mendable([*reply.rejected, *mine]) for reply, mine in zip(read.replies, read.refused, strict=True)
        ]
        again = self._asked_to_mend(those, known, read, [one for mine in found for one in mine])
        if again is None:
            return self._covered(those, (read.replies,), read.readings)
        held = again.what_holds
        instead = [mended(refused, reply.proposals) for refused, reply in zip(found, held, strict=True)]
        # Whatever the lines noted meanwhile would bear out: a line and its second try do not both stand.
        first = tuple(map(_given_up, read.replies, found, instead))
        covered = self._covered(those, (first, held), again.readings.over(read.readings))
        return tuple(
            proposed._replace(mended=texts) for proposed, texts in zip(covered, instead, strict=True)
        )

    def _asked_to_mend(
        self, those: Sequence[Window], known: KnownLines, read: _Read, refused: Sequence[Rejected]
    ) -> _Read | None:
        if not refused:
            return None
        assert isinstance(self._consultant, Consultant), "somebody gave the reply"
        whole, asked, sha = laid_together(those), read.question, self._prompt_sha
        reply = mend(whole, refused, asked, known, consultant=self._consultant, template_sha=sha)
        if reply is None:
            return None
        replies = parted(reply, those, _holds_in(known))
        readings = self._read_once_more(replies, those, known)
        return _Read(asked, replies, readings, _all_refused(replies, those, known, readings))

    def _read_once_more(
        self, replies: Sequence[Reply], those: Sequence[Window], known: KnownLines
    ) -> Readings:
        assert isinstance(self._consultant, Consultant), "somebody gave the reply"
        readings = read_once_more(
            replies,
            those,
            known,
            consultant=self._consultant,
            extent=self._settings.second_reading,
            template_sha=self._prompt_sha,
        )
        if readings is None:
            self.unread += 1
        return readings or UNREAD

    def _covered(
        self, those: Sequence[Window], replies: Sequence[tuple[Reply, ...]], readings: Readings
    ) -> tuple[Proposed, ...]:
        """Return *replies*, each with a part for each of *those*, as what is proposed for each."""
        for window in those:
            outages.note_done(self._ledger, _key(window))
        return tuple(Proposed(parts, self.name, readings=readings) for parts in zip(*replies, strict=True))

    def _without(
        self,
        those: Sequence[Window],
        failure: Failure,
        replies: tuple[Reply, ...] = (),
        readings: Readings = UNREAD,
    ) -> tuple[Proposed, ...] | Deferred:
        """Return what is to be done when the model could not be asked, or not once more."""
        if failure.trouble is Trouble.STOPPED:
            raise RunStopped
        patience = self._patience_seconds
        before = outages.outage_of(self._ledger, self.name)
        keys = [_key(window) for window in those]
        found = outages.note_failure(
            self._ledger, self.name, failure, at_ms=self._at_ms(), patience_seconds=patience, windows=keys
        )
        if before is None or before.trouble != found.trouble:
            log.warning("event=model-trouble model=%s trouble=%s", self.name, found.trouble)
        if self._may_wait and not found.is_over(patience):
            return self._deferred(found, failure.retry_after_seconds)
        for key in keys:
            outages.note_done(self._ledger, key)
        proposed = Proposed(
            replies,
            self.name,
            needs_rules=True,
            trouble=failure.detail,
            needs_owner=not failure.is_passing,
            readings=readings,
        )
        return (proposed,) * len(those)

    def _in_vain(self, key: str, replies: tuple[Reply, ...], readings: Readings) -> Proposed | Deferred:
        """Return what is to be done after two replies that could not be used."""
        detail = f"{self.name} answered twice in a way that could not be used."
        if self._settings.after_bad_reply == "defer" and self._may_wait:
            patience = self._patience_seconds
            found = outages.note_bad_reply(
                self._ledger, self.name, key, detail, at_ms=self._at_ms(), patience_seconds=patience
            )
            if not found.is_over(patience):
                return self._deferred(found, (found.not_before_ms - self._at_ms()) / 1000)
        outages.note_done(self._ledger, key)
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


def _given_up(reply: Reply, refused: Sequence[Rejected], texts: Collection[str]) -> Reply:
    """Return *reply* with those of *texts*, in whose place another line stands, among what was refused."""
    gone = [one for one in refused if one.proposal.text in texts and one not in reply.rejected]
    held = tuple(proposal for proposal in reply.proposals if proposal.text not in texts)
    return replace(reply, proposals=held, rejected=(*reply.rejected, *gone))


def prompt_sha(*told: str) -> str:
    """Return what is noted with a run of what its model was *told* to do: prompt files, an instruction."""
    return sha256("\0".join(filter(None, told)).encode("utf-8", "replace")).hexdigest()


def _holds_in(known: KnownLines) -> Callable[[Proposal, Window], bool]:
    return lambda proposal, window: isinstance(judge_with_near(proposal, prepare(window), known), Verified)


def _all_refused(
    replies: Sequence[Reply], those: Sequence[Window], known: KnownLines, readings: Readings
) -> tuple[tuple[Rejected, ...], ...]:
    return tuple(_refused(reply, one, known, readings) for reply, one in zip(replies, those, strict=True))


def _refused(reply: Reply, window: Window, known: KnownLines, readings: Readings) -> tuple[Rejected, ...]:
    evidence = prepare(window)
    verdicts = (judge_as_read(proposal, evidence, known, readings) for proposal in reply.proposals)
    # What is known already holds, and so may what nobody has read again: neither is to be mended.
    return tuple(
        one for one in verdicts if isinstance(one, Rejected) and not one.other_id and one.reason != NOT_REREAD
    )


def _only(answer: tuple[Proposed, ...] | Deferred) -> Proposed | Deferred:
    return answer if isinstance(answer, Deferred) else answer[0]


def _key(window: Window) -> str:
    """Return what a window that waits is known by: its end may still grow."""
    return f"{window.session.session_id}\n{window.entries[0].entry_id}"
