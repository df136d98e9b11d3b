"""What every model is to the rest of Scrimshaw: a prompt goes in, an answer or a failure comes out.

A failure is a value. Nothing here, and nothing that implements `Model`, takes an error for "nothing to note",
and what a failure says never holds a key or the text of a transcript. One call is one attempt: patience,
money and what an answer means are for others (models/retry, services/models/client, core/prompting).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import StrEnum
from pathlib import Path
from typing import NamedTuple, Protocol

from scrimshaw.config import Endpoint
from scrimshaw.core.prompting.fence import Prompt

MAX_ANSWER_CHARS = 200_000  # more is let go while it arrives: no honest answer is that long


class Usage(NamedTuple):
    """What a call used, in the provider's own tokens; *is_estimated* when it did not say."""

    tokens_in: int
    tokens_out: int  # with what it thought
    is_estimated: bool = False


class Answer(NamedTuple):
    """What a model said. *is_cut*: it stopped at a limit, its own or ours."""

    text: str
    usage: Usage
    model: str  # as the provider names what answered; "" when it does not
    is_cut: bool = False


class Trouble(StrEnum):
    """Why there is no answer."""

    RATE = "rate"  # 429: too much at once
    SERVER = "server"  # 408, 425, 5xx, overloaded
    TIMEOUT = "timeout"
    CONNECTION = "connection"
    REPLY = "reply"  # not what this protocol says; an empty or blocked answer is an Answer with text ""
    KEY = "key"  # 401, 403, no key
    REQUEST = "request"  # 400, 404, 413 …: the same again would fail again
    ABSENT = "absent"  # the client library, the program or the endpoint's name is not there
    CAP = "cap"  # the owner's spend cap: nothing was sent
    PAUSED = "paused"  # it failed again and again and is let alone for a while: nothing was sent
    STOPPED = "stopped"  # we are to end


# These pass by themselves; for the others somebody has to do something.
PASSING = frozenset(
    {
        Trouble.RATE,
        Trouble.SERVER,
        Trouble.TIMEOUT,
        Trouble.CONNECTION,
        Trouble.REPLY,
        Trouble.CAP,
        Trouble.PAUSED,
        Trouble.STOPPED,
    }
)


class Failure(NamedTuple):
    """Why there is no answer, in a sentence for a person; what to wait before asking again, if it said."""

    trouble: Trouble
    detail: str
    retry_after_seconds: float | None = None
    usage: Usage | None = None  # what was billed all the same, as far as is known

    @property
    def is_passing(self) -> bool:
        """Whether waiting may help."""
        return self.trouble in PASSING


class ModelOffer(NamedTuple):
    """One model that could be the observer's or the reflector's."""

    name: str  # for the configuration
    place: str  # where the text would go
    missing: str = ""  # a sentence; "" when it could be used at once
    next_step: str = ""  # exactly what to do about that
    note: str = ""  # what to know before choosing it
    is_seen: bool = True  # its key, program or server is there: somebody has set it up

    @property
    def is_ready(self) -> bool:
        """Whether it could be used at once."""
        return not self.missing


class Model(Protocol):
    """A model that can be asked."""

    @property
    def name(self) -> str:
        """As the owner names it, "provider/model"."""

    @property
    def place(self) -> str:
        """Where the text goes, for a person: a host's name, "this machine", "OpenClaw's own model"."""

    def ask(
        self, prompt: Prompt, *, timeout_seconds: float, is_stopped: Callable[[], bool]
    ) -> Answer | Failure:
        """Ask once and wait at most *timeout_seconds*, whatever the other side does; never raises for it.

        *is_stopped* is asked several times a second: when it says so, the call is given up at once.
        """


class ModelChoice(NamedTuple):
    """Which model, and what it takes to reach it; the key is found by whoever opens it."""

    name: str  # "provider/model", or "openclaw"
    endpoints: Mapping[str, Endpoint] = {}
    is_streaming: bool = False
    agent_id: str = ""  # whose own model "openclaw" is
    state_dir: Path | None = None
    config_path: Path | None = None


# Opens a model, or says why it cannot be used; sends nothing. The one seam between jobs and the outside.
Opens = Callable[[ModelChoice], Model | Failure]
