"""Asking a model with everything around it that the owner was promised (rules 15 and 25).

A `Consultant` is one model for one job of one run. What goes out passes the redaction and the private
patterns once more. Before each try the most it can cost is reserved against the caps; after it, what the
provider says it did is settled. A model that failed again and again is let alone for a while, across
processes (models/retry).

It knows nothing of what is asked or what an answer means. No lock is held over a call (rule 10).
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from hashlib import sha256
from typing import Literal, NamedTuple
from zoneinfo import ZoneInfo

from scrimshaw.clock import milliseconds
from scrimshaw.config import OFFLINE, seconds
from scrimshaw.core.policy import spending
from scrimshaw.core.policy.spending import Amount, Caps, Price, SpendRefusal
from scrimshaw.core.prompting.fence import Prompt
from scrimshaw.core.transcript import privacy
from scrimshaw.models.model import Answer, Failure, Model, ModelChoice, Opens, Trouble, Usage
from scrimshaw.models.presets import room_to_think
from scrimshaw.models.prices import price_of
from scrimshaw.models.retry import MOST_TRIES, Breaker, ask_patiently, pause
from scrimshaw.redaction import redact
from scrimshaw.services.models.breakers import Pauses
from scrimshaw.services.models.spending import caps_of
from scrimshaw.store.ledger import Ledger
from scrimshaw.store.records import ModelCall
from scrimshaw.workspace import Target

Job = Literal["observe", "reflect", "test"]

# A wait that the other side named is waited for when it is as short as this; a longer one is for another run.
_SHORT_PAUSE_SECONDS = 20.0
# What was sent and then given up, by us or on the way, may have been answered, and billed, to the end.
_GIVEN_UP = frozenset({Trouble.TIMEOUT, Trouble.STOPPED, Trouble.CONNECTION})


class Used(NamedTuple):
    """What was used so far, failed tries included; *cost_microdollars* None: a price is not known."""

    calls: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    cost_microdollars: int | None = 0

    def plus(self, amount: Amount) -> Used:
        """Return this and one call more."""
        is_known = self.cost_microdollars is not None and amount.microdollars is not None
        return Used(
            self.calls + 1,
            self.tokens_in + amount.tokens_in,
            self.tokens_out + amount.tokens_out,
            (self.cost_microdollars or 0) + (amount.microdollars or 0) if is_known else None,
        )


class Waits(NamedTuple):
    """How time passes: the clock that never jumps, a sleep, and a number from 0 up to 1."""

    monotonic: Callable[[], float] = time.monotonic
    sleep: Callable[[float], None] = time.sleep
    chance: Callable[[], float] = random.random


@dataclass(frozen=True, slots=True)
class ConsultantTerms:
    """What a consultant is bound by."""

    job: Job
    run_id: str
    now: datetime  # when the consultant was made
    zone: str  # of the owner's calendar
    endpoint: str  # the base URL, when the owner has named one
    caps: Caps
    price: Callable[[str, str], Price | None]  # of a model by its name and by what answered
    private_patterns: tuple[str, ...]
    timeout_seconds: float
    is_stopped: Callable[[], bool]
    waits: Waits


class Consultant:
    """One model, for one job of one run; belongs to the thread that opened the ledger."""

    def __init__(self, model: Model, ledger: Ledger, terms: ConsultantTerms) -> None:
        self._model, self._ledger, self._terms = model, ledger, terms
        self._pauses = Pauses(ledger, model, terms.endpoint)
        self._began = terms.waits.monotonic()
        self.used = Used()

    @property
    def name(self) -> str:
        """The model, as the owner names it."""
        return self._model.name

    @property
    def place(self) -> str:
        """Where the text goes, for a person."""
        return self._model.place

    def ask(self, prompt: Prompt, *, template_sha: str = "", is_optional: bool = False) -> Answer | Failure:
        """Ask with patience, within `model_timeout`, the caps and the pauses; never raises for the model.

        *template_sha* is noted with the run (default: the sha256 of the prompt's system text). A failure
        that passes (CAP and PAUSED among them) means: wait and ask another time. A model that is let alone
        because of its key, its request or its absence says that again, as KEY, REQUEST or ABSENT, without
        being asked: those do not pass. Not inside a transaction. What *is_optional* is tried once, and that
        it failed is nothing against the model.
        """
        terms, waits = self._terms, self._terms.waits
        safe = outgoing(prompt, terms.private_patterns)
        if isinstance(safe, Failure):
            return safe
        # Before money is reserved: reasoning tokens are paid for, too.
        safe = safe._replace(most_output_tokens=safe.most_output_tokens + room_to_think(self.name))
        end = waits.monotonic() + terms.timeout_seconds
        tries = MOST_TRIES if terms.job != "test" else 1
        if terms.job != "test":
            standing = self._pauses.begin(self._now_ms(), probe_seconds=terms.timeout_seconds)
            if standing is not None and (left := standing.left_seconds(self._now_ms())):
                if standing.is_open or left > min(_SHORT_PAUSE_SECONDS, terms.timeout_seconds / 2):
                    return self._let_alone(standing, left)
                pause(left, terms.is_stopped, waits.monotonic, waits.sleep)
            tries = 1 if is_optional or (standing is not None and standing.is_open) else tries
        self._ledger.note_prompt(
            terms.run_id, template_sha or sha256(safe.system.encode("utf-8", "replace")).hexdigest()
        )
        return ask_patiently(
            _Metered(self, is_optional=is_optional),
            safe,
            total_seconds=end - waits.monotonic(),
            is_stopped=terms.is_stopped,
            monotonic=waits.monotonic,
            sleep=waits.sleep,
            chance=waits.chance,
            most_tries=tries,
        )

    def try_once(
        self,
        prompt: Prompt,
        timeout_seconds: float,
        is_stopped: Callable[[], bool],
        *,
        is_optional: bool = False,
    ) -> Answer | Failure:
        """Reserve, ask once, settle, and note what it says about the model."""
        terms = self._terms
        now = self._now()
        call = ModelCall(
            milliseconds(now),
            now.astimezone(ZoneInfo(terms.zone)).date(),
            terms.run_id,
            terms.job,
            self.name,
            spending.most(prompt, terms.price(self.name, "")),
        )
        number = self._ledger.reserve(call, terms.caps)
        if isinstance(number, SpendRefusal):
            return self._capped(number, now)
        said = self._model.ask(prompt, timeout_seconds=timeout_seconds, is_stopped=is_stopped)
        usage = usage_of(said, prompt)
        answered_by = said.model if isinstance(said, Answer) else ""
        price = terms.price(self.name, answered_by)
        amount = Amount(usage.tokens_in, usage.tokens_out, spending.cost(*usage[:2], price))
        outcome = "answer" if isinstance(said, Answer) else said.trouble.value
        self._ledger.settle(number, amount, is_estimated=usage.is_estimated, outcome=outcome)
        self.used = self.used.plus(amount)
        if isinstance(said, Answer) or not (is_optional or terms.job == "test"):
            self._pauses.note(said, self._now_ms())
        return said

    def _now(self) -> datetime:
        # Monotonic: a run may pass midnight, and a clock that is set meanwhile must not affect it.
        return self._terms.now + timedelta(seconds=self._terms.waits.monotonic() - self._began)

    def _now_ms(self) -> int:
        return milliseconds(self._now())

    def _capped(self, refused: SpendRefusal, now: datetime) -> Failure:
        zone = ZoneInfo(self._terms.zone)
        then = spending.goes_on_at(refused, now, zone)
        when = f" {then:%Y-%m-%d %H:%M} ({self._terms.zone}), or" if then else ""
        told = f"{refused}. Nothing was sent; it goes on{when} when the cap is raised."
        left_seconds = max(0.0, (then - now).total_seconds()) if then else None
        return Failure(Trouble.CAP, f"{told[0].upper()}{told[1:]}", left_seconds)

    def _let_alone(self, standing: Breaker, left_seconds: float) -> Failure:
        then = (self._now() + timedelta(seconds=left_seconds)).astimezone(ZoneInfo(self._terms.zone))
        told = f"{self.name} is paused until {then:%H:%M}; nothing was sent. Last: {standing.detail}"
        trouble = Trouble.PAUSED if standing.is_passing else standing.trouble
        return Failure(trouble, told, left_seconds)


class _Metered:
    """A consultant's model as patience sees it: each try is reserved and settled."""

    def __init__(self, consultant: Consultant, *, is_optional: bool) -> None:
        self._consultant, self._is_optional = consultant, is_optional
        self.name, self.place = consultant.name, consultant.place

    def ask(
        self, prompt: Prompt, *, timeout_seconds: float, is_stopped: Callable[[], bool]
    ) -> Answer | Failure:
        return self._consultant.try_once(prompt, timeout_seconds, is_stopped, is_optional=self._is_optional)


def consultant(
    target: Target,
    ledger: Ledger,
    *,
    job: Job,
    run_id: str,
    now: datetime,
    opens: Opens | None,
    is_stopped: Callable[[], bool] = lambda: False,
    name: str = "",
    waits: Waits | None = None,
) -> Consultant | Failure | None:
    """Return who is to be asked for *job*; None: nobody, the rules do it; a Failure: why it cannot be used.

    *name* asks another model than the settings name (`scrimshaw models test NAME`). The job "test" is one
    try, pauses or not, and bound by the caps; a good answer to it ends a pause.
    """
    settings = target.config.settings
    wanted = name or (settings.reflector_model if job == "reflect" else settings.observer_model)
    if wanted == OFFLINE or opens is None:
        return None
    model = opens(choice_of(target, wanted))
    if isinstance(model, Failure):
        return model
    provider = wanted.partition("/")[0]
    terms = ConsultantTerms(
        job=job,
        run_id=run_id,
        now=now,
        zone=target.zone,
        endpoint=settings.endpoints[provider].base_url if provider in settings.endpoints else "",
        caps=caps_of(settings),
        price=lambda asked, by: price_of(asked, by, settings.prices, endpoints=settings.endpoints),
        private_patterns=settings.private_patterns,
        timeout_seconds=seconds(settings.model_timeout),
        is_stopped=is_stopped,
        waits=waits or Waits(),
    )
    return Consultant(model, ledger, terms)


def choice_of(target: Target, name: str) -> ModelChoice:
    """Return what is needed to open the model *name* for *target*."""
    settings, agent = target.config.settings, target.agents[0]
    return ModelChoice(
        *(name, settings.endpoints, settings.model_streaming),
        *(agent.agent_id, agent.state_dir, agent.config_path),
    )


def outgoing(prompt: Prompt, private_patterns: tuple[str, ...]) -> Prompt | Failure:
    """Return *prompt* as it may leave: without secrets, and without what the owner's patterns match.

    Everything in it has been through the same before. A private block that is still there means that
    something went wrong on the way, and where it ends cannot be told here: then nothing leaves.
    """
    patterns = privacy.read_patterns(private_patterns).compiled
    if privacy.cut(prompt.text)[1]:
        return Failure(
            Trouble.REQUEST, "The question held the mark of a private block, and was not sent to a model."
        )
    system = prompt.system
    for pattern in patterns:
        system = pattern.sub(privacy.CUT, system)
    return prompt._replace(
        system=redact(system).text, text=redact(privacy.cut(prompt.text, patterns)[0]).text
    )


def usage_of(said: Answer | Failure, prompt: Prompt) -> Usage:
    """Return what a call used, or the most it can have where it broke off; what says nothing was not sent."""
    if isinstance(said, Answer):
        return said.usage
    usage = said.usage or Usage(0, 0)
    if said.trouble in _GIVEN_UP and usage.is_estimated and not usage.tokens_out:
        return usage._replace(tokens_out=prompt.most_output_tokens)
    return usage
