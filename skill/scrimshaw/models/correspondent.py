"""Whom one call is to, and the answer as a value: its size bounded, what it used counted or estimated."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

from scrimshaw.core.prompting.fence import Prompt
from scrimshaw.core.transcript.windows import estimate_tokens
from scrimshaw.models.bounded import Attempt, bounded
from scrimshaw.models.keys import Key
from scrimshaw.models.model import MAX_ANSWER_CHARS, Answer, Failure, Usage

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


class Told(NamedTuple):
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
    """Return what *call* makes of asking *to*, or the failure that its time is up or that we are to end."""
    return bounded(
        lambda attempt: call(to, attempt),
        timeout_seconds=timeout_seconds,
        is_stopped=is_stopped,
        tokens_in=lambda: to.tokens_in,
        who=to.who,
    )


def answer_of(told: Told, to: Correspondent) -> Answer:
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


def text_of(said: object) -> str:
    """Return *said* when it is a text, "" when it is anything else."""
    return said if isinstance(said, str) else ""


def _without_key(text: str, key: Key) -> str:
    value = key.reveal()
    return text.replace(value, f"[{key.variable}]") if len(value) >= _SHORTEST_KEY else text


def _count(said: object) -> int | None:
    return said if type(said) is int and 0 <= said <= _MOST_TOKENS else None
