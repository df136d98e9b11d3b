"""Models that are asked through their provider's client library: the one way that such a call goes.

What an error means becomes one sentence for a person and whether it passes by itself: with the status and
what the server says, cut short, without the key and without what was sent. Errors that are no answer of the
server (the network, a form that is not the protocol's) are told by the names of the types along their chain,
which both HTTP libraries share.

Servers and models of one protocol differ in what they take: the name of the output limit, a temperature, how
to think less. A refusal that names such a parameter is answered by the next way to say it, or by leaving it
out, within the same attempt; what had to be left out is remembered while the process lives.
"""

from __future__ import annotations

import contextlib
import email.utils
import math
import re
import sys
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

from scrimshaw.core.prompting.fence import Prompt
from scrimshaw.models.call import Attempt, Correspondent, RawAnswer, answer_of, in_time
from scrimshaw.models.keys import Key
from scrimshaw.models.model import MAX_ANSWER_CHARS, Answer, Failure, Trouble, Usage
from scrimshaw.models.wire import HTTP_LIBRARIES, GivenUpError, TooLargeError, host_of
from scrimshaw.redaction import redact

_SHOWN_CHARS = 200
_READ_CHARS = 4_000
_QUOTED_CHARS = 24  # as many in a row of what was sent are a quotation
_KEY_CHARS = 8  # servers repeat the beginning of a key that they refuse
_LONGEST_WAIT_SECONDS = 7 * 86_400.0
_MOST_CAUSES = 8


class ServerError(NamedTuple):
    """An error as the server put it; *status* 0 when it stood in an answer and named none."""

    status: int
    message: str
    headers: Mapping[str, str] = {}
    code: str = ""  # the server's own words for it: type, code, status
    parameter: str = ""  # which one it refuses, when it says so
    wait_seconds: float | None = None  # when the body says so


Outcome = RawAnswer | ServerError


def library_errors() -> tuple[type[Exception], ...]:
    """Return what may come out of a client library besides its own errors, once it is imported.

    The HTTP library's, and the plain ones that it lets out when an answer has not the form it expects.
    """
    libraries = [sys.modules[name] for name in HTTP_LIBRARIES if name in sys.modules]
    theirs = [getattr(library, name) for library in libraries for name in ("HTTPError", "InvalidURL")]
    plain = (OSError, ValueError, TypeError, LookupError, AttributeError, RuntimeError, AssertionError)
    return (*theirs, *plain, EOFError, GivenUpError, TooLargeError)


def said_in(
    body: object, *, status: int = 0, headers: Mapping[str, str] | None = None, fallback: str = ""
) -> ServerError:
    """Return the error in *body*, of whichever of the forms that servers have for it."""
    inner = body.get("error", body) if isinstance(body, Mapping) else body
    if not isinstance(inner, Mapping):
        return ServerError(status, inner if isinstance(inner, str) else fallback, headers or {})
    message = next((inner[name] for name in ("message", "error", "detail") if inner.get(name)), fallback)
    words = [str(inner[name]) for name in ("type", "code", "status") if inner.get(name)]
    code = inner.get("code")
    return ServerError(
        status or (code if isinstance(code, int) and 300 <= code < 600 else 0),
        message if isinstance(message, str) else str(message),
        headers or {},
        " ".join(words),
        str(inner.get("param") or ""),
    )


def failure_of_error(error: BaseException, to: Correspondent) -> Failure:
    """Return what an error means that is no answer of the server."""
    chain = list(_chain(error))
    names = {kind.__name__ for one in chain for kind in type(one).__mro__}
    billed = Usage(to.tokens_in, 0, is_estimated=True)  # it may have been: nobody says
    if "TooLargeError" in names:
        billed = Usage(to.tokens_in, to.prompt.most_output_tokens, is_estimated=True)
        return Failure(Trouble.REPLY, f"{to.who} sent more than an answer can hold.", usage=billed)
    if names & {"ConnectTimeout", "PoolTimeout"}:
        return Failure(Trouble.CONNECTION, f"{to.who} could not be reached in time.")
    if names & {"GivenUpError", "TimeoutException", "TimeoutError"}:
        return Failure(Trouble.TIMEOUT, f"{to.who} did not answer in time.", usage=billed)
    why = clean(str(chain[-1]) or type(chain[-1]).__name__, to)
    if names & {"InvalidURL", "UnsupportedProtocol", "LocalProtocolError", "UnicodeEncodeError"}:
        return Failure(Trouble.REQUEST, f"{to.who} cannot be asked like this ({why}).")
    if names & {"ConnectError", "ProxyError", "ConnectionRefusedError", "gaierror"}:
        return Failure(Trouble.CONNECTION, f"{to.who} could not be reached ({why}).")
    if "DecodingError" not in names and names & {"TransportError", "OSError", "EndOfStream"}:
        return Failure(Trouble.CONNECTION, f"{to.who} broke off ({why}).", usage=billed)
    # The type alone: a message would quote the answer, and a defect of ours is known by it, too.
    kind = type(error).__name__
    detail = f"{to.who} did not answer in the form of its protocol ({kind})."
    return Failure(Trouble.REPLY, detail, usage=billed)


def failure_of_answer(said: ServerError, to: Correspondent) -> Failure:
    """Return what an error means that the server answered with."""
    trouble = _trouble(said)
    if 300 <= said.status < 400:
        elsewhere = host_of(_header(said, "location")) or "another address"
        return Failure(
            trouble,
            f"{to.who} sends on to {clean(elsewhere, to)}, where nothing was sent. "
            "Next: put the address that answers into base_url",
        )
    message = clean(said.message, to)
    detail = f"{to.who} refused" + (f" with {said.status}" if said.status else "")
    detail += f": {message}" if message else "."
    if trouble is Trouble.KEY and to.fix_key:
        detail += f"{'' if detail.endswith(('.', '!', '?')) else '.'} Next: {to.fix_key}"
    return Failure(trouble, detail, wait_of(said))


_KEY_CODES = re.compile("insufficient_quota|billing|authentication|permission|api_key|payment")
_KEY_WORDS = re.compile(
    "api[ _]key (?:not|expired|is invalid)|invalid api key|(?:credit |insufficient )balance", re.IGNORECASE
)
_BUSY_CODES = re.compile("overloaded|api_error|timeout|server_error|unavailable|internal")
_WRONG_CODES = re.compile("invalid|not_found|too_large|unsupported")


def _trouble(said: ServerError) -> Trouble:
    code = said.code.lower()
    if _KEY_CODES.search(code) or (400 <= said.status < 500 and _KEY_WORDS.search(said.message)):
        return Trouble.KEY
    match said.status:
        case 401 | 402 | 403 | 407:
            return Trouble.KEY
        case 429:
            return Trouble.RATE
        case 408 | 409 | 425:
            return Trouble.SERVER
        case status if status >= 500:
            return Trouble.SERVER
        case status if status >= 300:
            return Trouble.REQUEST
    # It stood in an answer of its own right: the code says what the status would have.
    if "rate_limit" in code:
        return Trouble.RATE
    return Trouble.REQUEST if _WRONG_CODES.search(code) and not _BUSY_CODES.search(code) else Trouble.SERVER


def wait_of(said: ServerError) -> float | None:
    """Return what the server asks to wait: Retry-After in seconds or as a date, or what its body says."""
    with contextlib.suppress(ValueError):
        return sensible_wait(float(_header(said, "retry-after-ms")) / 1000)
    asked = _header(said, "retry-after")
    if not asked:
        return sensible_wait(said.wait_seconds)
    try:
        return sensible_wait(float(asked))
    except ValueError:
        # Both dates are the server's own: our clock may be wrong.
        return sensible_wait(_seconds_between(_header(said, "date"), asked))


def clean(message: str, to: Correspondent) -> str:
    """Return *message* fit for a person and a log: one short line, without the key or what was sent."""
    if re.match(r"\s*<(?:!doctype|html|\?xml)", message[:200], re.IGNORECASE):
        title = re.search(r"<title[^>]*>([^<]{1,200})", message[:_READ_CHARS], re.IGNORECASE)
        message = f"a web page, {title[1].strip()}" if title else "a web page"
    line = " ".join("".join(c if c.isprintable() else " " for c in message[:_READ_CHARS]).split())
    if key := to.key.reveal():
        line = line.replace(key, "[key]")
        if len(key) > _KEY_CHARS:
            line = re.sub(re.escape(key[:_KEY_CHARS]) + r"\S*", "[key]", line)
    line = redact(line).text
    line = line if len(line) <= _SHOWN_CHARS else f"{line[: _SHOWN_CHARS - 1]}…"
    sent = " ".join(to.prompt.text.split())
    if any(line[at : at + _QUOTED_CHARS] in sent for at in range(len(line) - _QUOTED_CHARS + 1)):
        return "what it says repeats what was sent"
    return line


def _header(said: ServerError, name: str) -> str:
    return next((value for given, value in said.headers.items() if given.lower() == name), "")


def sensible_wait(seconds: float | None) -> float | None:
    """Return *seconds* as a wait from 0 to a week; None for what is no length of time."""
    if seconds is None or not math.isfinite(seconds):
        return None
    return min(max(0.0, seconds), _LONGEST_WAIT_SECONDS)


def _seconds_between(now: str, then: str) -> float | None:
    try:
        begins, ends = email.utils.parsedate_to_datetime(now), email.utils.parsedate_to_datetime(then)
        return (ends - begins).total_seconds()
    except (ValueError, TypeError, OverflowError):
        return None


def _chain(error: BaseException | None) -> Iterator[BaseException]:
    for _ in range(_MOST_CAUSES):
        if error is None:
            return
        yield error
        error = error.__cause__ or error.__context__


Refused = Mapping[str, int]  # how many ways to say a parameter were refused so far
Send = Callable[[Refused], Outcome]

# How a refusal names each parameter, in the words of the servers.
_NAMED = {
    "max_tokens": r"max_(?:completion_|output_)?tokens",
    "temperature": r"temperature|sampling parameter",
    "stream_options": r"stream_?options|include_usage",
    "thinking": r"thinking|reasoning|output_config|\beffort\b",
    "system": r"system[ _]?(?:role|message|prompt|instruction)|role.{0,20}system",
}
# The value is wrong then, not the parameter.
_TOO_MUCH = re.compile("too (?:large|many|long)|at most|exceed|less than|greater than|context length")
_REFUSING = (400, 422)
_learnt: dict[str, Refused] = {}


def adapted(send: Send, whose: str, ways: Mapping[str, int]) -> Outcome:
    """Return what *send* gets, asked anew for each refused parameter while there is another way to say it.

    *ways* names the parameters that can be said otherwise, and how often; *whose* is what refusals are
    remembered by: a server and its model.
    """
    refused = _learnt.get(whose, {})
    while True:
        outcome = send(refused)
        if isinstance(outcome, RawAnswer):
            _learnt[whose] = refused
            return outcome
        name = _refused_by(outcome, {name: most - refused.get(name, 0) for name, most in ways.items()})
        if not name:
            return outcome
        refused = {**refused, name: refused.get(name, 0) + 1}


def _refused_by(said: ServerError, left: Mapping[str, int]) -> str:
    if said.status not in _REFUSING:
        return ""
    message = said.message.lower()
    for name, most in left.items():
        named = re.compile(_NAMED[name])
        if most <= 0 or not (named.search(said.parameter.lower()) or named.search(message)):
            continue
        if name == "max_tokens" and _TOO_MUCH.search(message):
            continue
        return name
    return ""


class LibraryModel:
    """A model behind its provider's client library; a subclass is a dataclass with these fields."""

    __slots__ = ()
    ways: ClassVar[Mapping[str, int]]  # what can be said otherwise, and how often
    if TYPE_CHECKING:
        name: str
        model: str
        key: Key

        @property
        def base_url(self) -> str: ...

    def ask(
        self, prompt: Prompt, *, timeout_seconds: float, is_stopped: Callable[[], bool]
    ) -> Answer | Failure:
        to = Correspondent(self.name, self.key, prompt, f"see that {self.key.variable} holds a valid key")
        return in_time(self._call, to, timeout_seconds=timeout_seconds, is_stopped=is_stopped)

    def load(self) -> tuple[Any, type[Exception]]:
        """Import the client library; return it, and what all its own errors are."""
        raise NotImplementedError

    def client(self, library: Any, attempt: Attempt) -> Any:  # noqa: ANN401  # as old or new as it is
        """Return a client for one call: no retries, no redirects, address and key given."""
        raise NotImplementedError

    def send(self, client: Any, prompt: Prompt, refused: Refused, attempt: Attempt) -> Outcome:  # noqa: ANN401
        """Send *prompt* without what was *refused*; return the answer, or the server's error."""
        raise NotImplementedError

    def _call(self, to: Correspondent, attempt: Attempt) -> Answer | Failure:
        library, own_error = self.load()
        try:
            with self.client(library, attempt) as client:
                told = adapted(
                    lambda refused: self.send(client, to.prompt, refused, attempt),
                    f"{self.base_url} {self.model}",
                    self.ways,
                )
        except (own_error, *library_errors()) as error:
            return failure_of_error(error, to)
        return answer_of(told, to) if isinstance(told, RawAnswer) else failure_of_answer(told, to)


class Pieces:
    """The text of a streamed answer, as it comes; the attempt is told how far it has come."""

    def __init__(self, attempt: Attempt) -> None:
        self._attempt = attempt
        self._pieces: list[str] = []
        self._size_chars = 0

    def add(self, piece: str) -> None:
        self._pieces.append(piece)
        self._size_chars += len(piece)
        self._attempt.received_tokens = self._size_chars // 3

    @property
    def is_too_long(self) -> bool:
        """Whether no answer is this long, and reading should end."""
        return self._size_chars > MAX_ANSWER_CHARS

    def text(self) -> str:
        return "".join(self._pieces)
