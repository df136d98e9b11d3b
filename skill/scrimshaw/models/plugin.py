"""Models of other packages: an entry point of the group `scrimshaw.models` opens them.

The entry point NAME is called with the second part of "NAME/MODEL" and the environment, and returns a `Model`
or a `Failure`. What it answers is untrusted: a call ends when its time is up, types are checked, sizes are
bounded, and what is raised is a Failure. `scrimshaw.testing.check_model` is its test suite.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from scrimshaw.core.prompting import Prompt
from scrimshaw.errors import UserError
from scrimshaw.models.call import Attempt, Correspondent, RawAnswer, answer_of, in_time
from scrimshaw.models.keys import NO_KEY
from scrimshaw.models.library import clean, sensible_wait
from scrimshaw.models.model import Answer, Failure, Model, Trouble, Usage
from scrimshaw.plugins import PluginErrors, load_plugin

_LONGEST_PLACE = 200


@dataclass(frozen=True, slots=True)
class PluginModel:
    """A third party's model, with its time, types and sizes held in bounds."""

    name: str
    place: str
    model: Model = field(repr=False)  # its repr is not ours: it may hold a key

    def ask(
        self, prompt: Prompt, *, timeout_seconds: float, is_stopped: Callable[[], bool]
    ) -> Answer | Failure:
        to = Correspondent(self.name, NO_KEY, prompt)
        return in_time(self._call, to, timeout_seconds=timeout_seconds, is_stopped=is_stopped)

    def _call(self, to: Correspondent, attempt: Attempt) -> Answer | Failure:
        attempt.is_sent = True  # nobody says when it was
        try:
            with PluginErrors(f"{self.name} could not be asked"):
                said = self.model.ask(
                    to.prompt,
                    timeout_seconds=attempt.remaining_seconds,
                    is_stopped=lambda: attempt.is_over,
                )
                return _checked(said, to)
        except UserError as error:
            billed = Usage(to.tokens_in, 0, is_estimated=True)
            return Failure(Trouble.REPLY, clean(error.problems[0], to), usage=billed)


def open_plugin_model(name: str, env: Mapping[str, str]) -> Model | Failure:
    """Return the model called *name*, "PROVIDER/MODEL", of an installed package, or why it cannot be used."""
    provider, _, model = name.partition("/")
    try:
        opens = load_plugin("scrimshaw.models", provider)
        with PluginErrors(f"The models of {provider} cannot be opened"):
            opened = opens(model, env)
            if isinstance(opened, Failure):
                return opened
            place = "".join(filter(str.isprintable, str(opened.place)))[:_LONGEST_PLACE]
            return PluginModel(name, place or provider, opened)
    except UserError as error:
        return Failure(Trouble.ABSENT, f"{error.problems[0]} Next: {error.next_step}")


def _checked(said: object, to: Correspondent) -> Answer | Failure:
    match said:
        case Answer(str(text), usage, model, is_cut):
            sent, received = (
                (usage.tokens_in, usage.tokens_out)
                if isinstance(usage, Usage) and not usage.is_estimated
                else (None, None)
            )
            return answer_of(RawAnswer(text, sent, received, model, is_cut=bool(is_cut)), to)
        case Failure(Trouble() as trouble, str(detail), wait):
            told = f"{to.who}: {clean(detail, to)}"
            return Failure(trouble, told, sensible_wait(wait if isinstance(wait, int | float) else None))
    raise TypeError("neither an Answer nor a Failure")
