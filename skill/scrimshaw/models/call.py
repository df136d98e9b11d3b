"""One call to a model: whom it is to, until when it may take, and what comes back, counted and bounded.

Clients have time-outs for each read, so an answer that comes a byte at a time never passes one. So a call
runs in a thread of its own and is left alone when its time is up or when we are to end; `Attempt` is what the
two sides share. What is left alone ends by itself at the next byte that comes, or at the client's own
time-out, and nobody reads its answer.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from concurrent.futures import Future, wait
from dataclasses import dataclass
from typing import NamedTuple, Self

from scrimshaw.core.prompting.fence import Prompt
from scrimshaw.core.transcript.windows import estimate_tokens
from scrimshaw.models.keys import Key
from scrimshaw.models.model import MAX_ANSWER_CHARS, Answer, Failure, Trouble, Usage

_LOOKS_SECONDS = 0.05  # how often is_stopped is asked


class Attempt:
    """One call under way: until when, whether somebody still waits for it, and how far it has come."""

    def __init__(self, timeout_seconds: float) -> None:
        self._ends_at = time.monotonic() + timeout_seconds
        self._is_given_up = False
        self.is_sent = False  # something may have been billed
        self.received_tokens = 0  # of text, as estimated

    @property
    def remaining_seconds(self) -> float:
        """What is left of its time; never less than nothing."""
        return max(0.0, self._ends_at - time.monotonic())

    @property
    def is_over(self) -> bool:
        """Whether nobody waits for its answer any more."""
        return self._is_given_up or self.remaining_seconds <= 0

    def give_up(self) -> None:
        """Say that nobody waits any more."""
        self._is_given_up = True


_MOST_TOKENS = 10**7  # no honest call uses more; one that was believed would use up a cap
_LONGEST_NAME = 200
_ENCODING = "o200k_base"
_SHORTEST_KEY = 8  # a shorter one is no secret, and may be part of any word


@dataclass(frozen=True, slots=True)
class Correspondent:
    """Who is asked, and what must not appear in anything that is said of it: the key and the prompt."""

    who: str  # for a person: "api.example.com"
    key: Key
    prompt: Prompt
    fix_key: str = ""  # the next step when the key is refused

    @property
    def tokens_in(self) -> int:
        """How many tokens the request holds."""
        return count_tokens(self.prompt.system) + count_tokens(self.prompt.text)


class RawAnswer(NamedTuple):
    """What came back, of whatever form: untrusted, some of it not there."""

    text: str
    tokens_in: object = None
    tokens_out: object = None
    model: object = None
    is_cut: bool = False


def in_time(
    call: Callable[[Correspondent, Attempt], Answer | Failure],
    to: Correspondent,
    *,
    timeout_seconds: float,
    is_stopped: Callable[[], bool],
) -> Answer | Failure:
    """Return what *call* makes of asking *to*, or the failure that its time is up or that we are to end.

    Once the request was sent it may be billed, answer or not. What *call* raises is raised here; only a
    client library that cannot be loaded is a failure.
    """
    if is_stopped():
        return Failure(Trouble.STOPPED, f"{to.who} was not asked: the program is ending.")
    attempt = Attempt(timeout_seconds)
    outcome = _Outcome()
    # A daemon thread: a program that ends does not wait for a server that hangs.
    threading.Thread(target=outcome.run, args=(call, to, attempt), name="model call", daemon=True).start()
    while not wait([outcome], min(_LOOKS_SECONDS, attempt.remaining_seconds)).done:
        stopped = is_stopped()
        if not stopped and not attempt.is_over:
            continue
        attempt.give_up()
        billed = Usage(to.tokens_in, attempt.received_tokens, is_estimated=True) if attempt.is_sent else None
        if stopped:
            return Failure(Trouble.STOPPED, f"{to.who} was let go of: the program is ending.", usage=billed)
        return Failure(
            Trouble.TIMEOUT, f"{to.who} did not answer within {timeout_seconds:.3g} seconds.", usage=billed
        )
    try:
        return outcome.result()
    except ImportError as error:
        # Clients are imported when they are used, and half a library is found like a whole one.
        lacks = f"{type(error).__name__}: {error.name or 'a part of it'}"
        told = f"The client library for {to.who} cannot be loaded ({lacks}). Next: reinstall that library"
        return Failure(Trouble.ABSENT, told)


class _Outcome(Future[Answer | Failure]):
    """What a call returned or raised, carried from its thread to whoever waits."""

    def run(
        self, call: Callable[[Correspondent, Attempt], Answer | Failure], to: Correspondent, attempt: Attempt
    ) -> None:
        with self:
            self.set_result(call(to, attempt))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> bool:
        if error is not None:
            self.set_exception(error)
        return True  # it is raised where the answer is taken


def answer_of(told: RawAnswer, to: Correspondent) -> Answer:
    """Return the answer; what the server did not count, or counted as no server can, is counted here.

    A key that it repeats is taken out: an answer is shown, and kept.
    """
    sent, received = _count(told.tokens_in), _count(told.tokens_out)
    # A server that counts nothing may say 0; but something was sent, and words take something to say.
    is_estimated = not sent or received is None or (received == 0 and bool(told.text))
    usage = Usage(sent or to.tokens_in, received or count_tokens(told.text), is_estimated)
    model = "".join(filter(str.isprintable, told.model)) if isinstance(told.model, str) else ""
    is_cut = told.is_cut or len(told.text) > MAX_ANSWER_CHARS
    text, model = _without_key(told.text, to.key), _without_key(model, to.key)
    return Answer(text[:MAX_ANSWER_CHARS], usage, model[:_LONGEST_NAME], is_cut)


def count_tokens(text: str) -> int:
    """Return how many tokens *text* is: counted with the extra `tokens`, else estimated on the high side.

    Counted with OpenAI's o200k_base, which other tokenizers come near. For usage that a provider does not
    report; what a window or a section may hold goes by the estimate, which costs nothing.
    """
    try:
        import toktok  # 0.4 s and 64 MB, so only where a count is billed
    except ImportError:
        return estimate_tokens(text)
    counts: list[int] = toktok.batch_count([text.encode("utf-8", "replace").decode()], _ENCODING, 1)
    return counts[0]


def string_or_empty(said: object) -> str:
    """Return *said* when it is a text, "" when it is anything else."""
    return said if isinstance(said, str) else ""


def _without_key(text: str, key: Key) -> str:
    value = key.reveal()
    return text.replace(value, f"[{key.variable}]") if len(value) >= _SHORTEST_KEY else text


def _count(said: object) -> int | None:
    return said if type(said) is int and 0 <= said <= _MOST_TOKENS else None
