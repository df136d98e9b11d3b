"""What would be sent to the observer's model next, and nothing is: `observe --show-request`.

The real observer works on a copy of the ledger (in a temporary folder, as a rehearsal does) with a model that
takes the question down instead of asking. Everything before the client is the same code that a run goes
through: sources, redaction, private parts, windows, what was noted before, and the edge of the consultant. So
what is shown is what would leave, to the byte. Of each conversation the first window is shown, of several
short ones the question that they share; those behind it, and later conversations, may see in addition what is
noted by then, and share a question with the end of a longer one. What is asked about an answer (the second
reading, the lines that do not hold) cannot be shown before there is one: it holds nothing of the conversation
that is not shown here.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, NamedTuple

from scrimshaw.clock import milliseconds
from scrimshaw.config import OFFLINE
from scrimshaw.core.ledger.known_lines import KnownLines
from scrimshaw.core.policy import spending
from scrimshaw.core.prompting.fence import Prompt
from scrimshaw.core.transcript.privacy import is_private_session
from scrimshaw.core.transcript.windows import estimate_tokens
from scrimshaw.core.types import Deferred, Session, Window
from scrimshaw.models.model import Answer, Failure, Model, Opens, Trouble
from scrimshaw.models.prices import price_of
from scrimshaw.services.models.breakers import PAUSES, pause_of
from scrimshaw.services.models.client import choice_of
from scrimshaw.services.models.spending import caps_of, standing_of
from scrimshaw.services.observe import sessions as observing
from scrimshaw.services.observe.model_observer import ModelObserver
from scrimshaw.services.observe.task import Observed, ObserveOptions, Proposed, RunStopped, Task
from scrimshaw.services.results import WorkspaceResult
from scrimshaw.services.runs import rehearsal
from scrimshaw.services.stores import open_sources
from scrimshaw.store.ledger import Ledger
from scrimshaw.store.records import Run
from scrimshaw.workspace import Target

_RUN_ID = "shown"
_SHOWN = "shown, not sent"


class PendingPrompt(NamedTuple):
    """What would be sent of a conversation next; without a *prompt*, *why_not* says why nothing would.

    *others* are conversations whose new entries are in the same question.
    """

    session: Session
    entries: int
    prompt: Prompt | None
    why_not: str = ""
    tokens_in: int = 0  # estimated
    others: tuple[Session, ...] = ()
    microdollars: int | None = None  # what the call can cost at most; None: the price is not known

    def to_dict(self) -> dict[str, Any]:
        """Return it as JSON holds it."""
        prompt = self.prompt
        return {
            "session_key": self.session.session_key,
            "session_id": self.session.session_id,
            "shared_with": [one.session_key or one.session_id for one in self.others],
            "entries": self.entries,
            "system": prompt.system if prompt else None,
            "text": prompt.text if prompt else None,
            "most_output_tokens": prompt.most_output_tokens if prompt else None,
            "temperature": prompt.temperature if prompt else None,
            "tokens": self.tokens_in,
            "dollars": None if self.microdollars is None else self.microdollars / 1_000_000,
            "why_not": self.why_not,
        }


@dataclass(frozen=True, slots=True)
class Showing(WorkspaceResult):
    """What one workspace would send."""

    model: str
    place: str = ""  # where the text would go; "" when that is not known
    hindrance: str = ""  # why nothing would be sent now
    requests: Sequence[PendingPrompt] = ()
    observed: Observed = field(default_factory=Observed)

    @property
    def is_offline(self) -> bool:
        """Whether nothing is ever sent from here."""
        return self.model == OFFLINE

    def to_dict(self) -> dict[str, Any]:
        return {
            **self.head(),
            "model": self.model,
            "place": self.place or None,
            "is_offline": self.is_offline,
            "hindrance": self.hindrance,
            "held_back": self.observed.held_back,
            "second_reading": self.target.config.settings.second_reading,
            "requests": [one.to_dict() for one in self.requests],
            "unreadable": [text for error in self.observed.unreadable.values() for text in error.problems],
        }


class _Notebook:
    """A model that takes down what it is asked and answers nothing."""

    def __init__(self, name: str, place: str) -> None:
        self.name, self.place = name, place
        self.taken: Prompt | None = None

    def ask(
        self, prompt: Prompt, *, timeout_seconds: float, is_stopped: Callable[[], bool]
    ) -> Answer | Failure:
        del timeout_seconds, is_stopped
        self.taken = prompt
        return Failure(Trouble.STOPPED, _SHOWN)


def show(target: Target, opens: Opens, now: datetime, *, session: str = "", waits: bool = True) -> Showing:
    """Return what would be sent next; nothing is sent, and nothing is written in the workspace.

    With *session* only of that conversation. Raises UserError when the ledger cannot be read.
    """
    name = target.config.settings.observer_model
    if name == OFFLINE:
        return Showing(target, name)
    with rehearsal(target) as ledger:
        notebook, hindrance = _notebook(target, ledger, opens, now)
        taking = _Taking(target, ledger, notebook, now)
        # is_late is first asked after the named session is done.
        options = ObserveOptions(waits=waits, session=session, is_late=lambda: True)
        with open_sources(target, ledger.session_keys()) as sources:
            observed = observing.observe(target, ledger, sources, Task(_RUN_ID, now, options, taking))
    requests = () if session and not observed.is_session_known else taking.requests
    return Showing(target, name, notebook.place, hindrance, requests, observed)


def _notebook(target: Target, ledger: Ledger, opens: Opens, now: datetime) -> tuple[_Notebook, str]:
    """Return what stands in for the model, and why the model itself would not be asked now, if so."""
    name = target.config.settings.observer_model
    model: Model | Failure = opens(choice_of(target, name))
    if isinstance(model, Failure):
        return _Notebook(name, ""), model.detail
    paused = pause_of(ledger, name, milliseconds(now))
    if paused is not None:
        return _Notebook(model.name, model.place), f"{name} is paused for a while: {paused.detail}"
    return _Notebook(model.name, model.place), ""


class _Taking:
    """The observer of a run that is only shown: it leaves each conversation after its first question."""

    def __init__(self, target: Target, ledger: Ledger, notebook: _Notebook, now: datetime) -> None:
        settings = target.config.settings
        self._standing = standing_of(target, ledger, now)
        # Report what would prevent a call, but show the request nevertheless.
        free = replace(
            settings,
            max_tokens_per_day=0,
            max_tokens_per_month=0,
            max_cost_per_day=0.0,
            max_cost_per_month=0.0,
        )
        self._target = target._replace(config=target.config._replace(settings=free))
        self._settings, self._ledger, self._notebook = settings, ledger, notebook
        self._now = now
        self.requests: list[PendingPrompt] = []
        ledger.set_meta(PAUSES, "{}")
        ledger.begin_run(Run(_RUN_ID, "observe", "command", settings.observer_model, milliseconds(now)))

    def __call__(self, window: Window, known: KnownLines) -> Deferred:
        """Take down what would be asked about *window*."""
        session, private = window.session, self._settings.private_sessions
        if is_private_session(session.session_key, session.session_id, private):
            self._keep([window], None, "it is private: the rules note it, nothing of it is ever sent")
            return Deferred(_SHOWN)
        return self._taken([window], lambda observer: observer(window, known))

    def may_share(self, window: Window) -> bool:
        """Tell whether *window* would be asked about together with others."""
        return self._observer().may_share(window)

    def together(self, those: Sequence[Window], known: KnownLines) -> Deferred:
        """Take down what would be asked about *those*."""
        return self._taken(those, lambda observer: observer.together(those, known))

    def _observer(self) -> ModelObserver:
        return ModelObserver(
            self._target,
            self._ledger,
            run_id=_RUN_ID,
            now=self._now,
            opens=lambda _choice: self._notebook,
            may_wait=False,
        )

    def _taken(self, those: Sequence[Window], ask: Callable[[ModelObserver], object]) -> Deferred:
        self._notebook.taken = None
        why_not = ""
        try:
            match ask(self._observer()):
                case Proposed() as proposed:
                    why_not = proposed.trouble
                case (Proposed() as proposed, *_):
                    why_not = proposed.trouble
                case Deferred(reason):
                    why_not = reason
        except RunStopped:
            pass  # the notebook's word for "taken down"
        self._keep(those, self._notebook.taken, why_not)
        return Deferred(_SHOWN)

    def _keep(self, those: Sequence[Window], prompt: Prompt | None, why_not: str) -> None:
        session, *others = (window.session for window in those)
        count = sum(len(window.entries) for window in those)
        if prompt is None:
            self.requests.append(PendingPrompt(session, count, None, why_not, others=tuple(others)))
            return
        settings, standing = self._settings, self._standing
        price = price_of(settings.observer_model, "", settings.prices, endpoints=settings.endpoints)
        most = spending.most(prompt, price)
        tokens_in = estimate_tokens(prompt.system) + estimate_tokens(prompt.text)
        refused = spending.refusal(caps_of(settings), standing.of_day, standing.of_month, most)
        told = f"{refused}: it waits" if refused else ""
        # The sum that would be reserved, so that "at most" and the spending caps use the same figure.
        told_of = PendingPrompt(session, count, prompt, told, tokens_in, tuple(others), most.microdollars)
        self.requests.append(told_of)
