"""A small server on loopback for tests of models: it answers from a script and remembers what it was asked.

`WireServer` says anything at all over HTTP: dribbled, broken off in the middle, never. `ModelServer` speaks
OpenAI's chat completions on top of it, for tests that run the program as a process:

    with ModelServer("a reply", Refused(429, {"Retry-After": "3"}), Hang(), repeats=True) as server:
        subprocess.run([...], env=os.environ | server.env())     # observer_model is `local/fake-1` then
        server.requests[0].text                                 # the user's message that was sent

A reply is a text, a Say, a Refused, a Hang, a Wire, or a function from the request to one of these. With
*repeats* the last one is given for ever; without, a request too many gets status 500. Replies may be added
while it runs (`server.replies.append(...)`), and hanging requests are let go at the end or by `let_go()`.
"""

import contextlib
import json
import threading
from collections.abc import Callable, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, NamedTuple, Self

JSON = {"Content-Type": "application/json"}
EVENTS = {"Content-Type": "text/event-stream"}


class Asked(NamedTuple):
    """One request as it came in."""

    method: str
    path: str
    headers: Mapping[str, str]  # names in lower case
    raw: bytes

    @property
    def body(self) -> dict[str, Any]:
        return dict(json.loads(self.raw)) if self.raw else {}

    @property
    def system(self) -> str:
        """The system text of a chat-completions request."""
        return self._said_by("system")

    @property
    def text(self) -> str:
        """The user's text of a chat-completions request."""
        return self._said_by("user")

    def _said_by(self, role: str) -> str:
        return "\n".join(
            message["content"] for message in self.body.get("messages", []) if message["role"] == role
        )


class Wire(NamedTuple):
    """What goes over the wire, to the byte.

    *piece_bytes* at a time with *pause_seconds* before each; after *breaks_off_after* bytes the connection is
    closed although more was promised; *hangs* before a word is said, *stalls* after the head of the answer.
    """

    status: int = 200
    headers: Mapping[str, str] = JSON
    body: bytes = b""
    piece_bytes: int = 0  # 0: all at once
    pause_seconds: float = 0.0
    breaks_off_after: int | None = None
    hangs: bool = False
    stalls: bool = False
    closes_unsaid: bool = False  # the connection, without an answer


class Say(NamedTuple):
    """An answer in words; *finish* as the protocol has it: stop, length, content_filter."""

    text: str
    finish: str = "stop"
    tokens: tuple[int, int] | None = (-1, -1)  # in and out as reported; -1: a quarter of the characters
    wait_seconds: float = 0.0


class Refused(NamedTuple):
    """An error of the server."""

    status: int
    headers: Mapping[str, str] = {}
    message: str = "not now"


class Hang(NamedTuple):
    """No answer, until the server is left."""


Reply = str | Say | Refused | Hang | Wire
Scripted = Reply | Callable[[Asked], Reply]


class WireServer:
    """Start with `with`. *answers* says what to say to each request."""

    def __init__(self, answers: Callable[[Asked], Wire]) -> None:
        self._answers = answers
        self._requests: list[Asked] = []
        self._came = threading.Condition()
        self._sent = threading.Event()
        self._let_go = threading.Event()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._server.daemon_threads = True
        self._server.block_on_close = False
        self._thread = threading.Thread(target=lambda: self._server.serve_forever(0.02), daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.let_go()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    @property
    def port(self) -> int:
        return int(self._server.server_address[1])

    @property
    def origin(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def requests(self) -> list[Asked]:
        """What was asked so far, in order."""
        with self._came:
            return list(self._requests)

    @property
    def has_said_all(self) -> bool:
        """Whether an answer has gone out to its last byte."""
        return self._sent.is_set()

    def wait_for(self, number: int, seconds: float = 60) -> None:
        """Wait until *number* requests have come in; for tests that act in the middle of one."""
        with self._came:
            assert self._came.wait_for(lambda: len(self._requests) >= number, seconds), (
                f"{len(self._requests)} of {number} requests came within {seconds:g} s"
            )

    def let_go(self) -> None:
        """Close what hangs; from now on nothing hangs or dawdles any more."""
        self._let_go.set()

    def _noted(self, asked: Asked) -> Wire:
        with self._came:
            self._requests.append(asked)
            self._came.notify_all()
            return self._answers(asked)

    def _handler(server) -> type[BaseHTTPRequestHandler]:  # noqa: N805  "self" is the handler's below
        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                self._answer(b"")

            def do_POST(self) -> None:
                self._answer(self.rfile.read(int(self.headers.get("Content-Length", "0"))))

            def _answer(self, raw: bytes) -> None:
                headers = {name.lower(): value for name, value in self.headers.items()}
                wire = server._noted(Asked(self.command, self.path, headers, raw))
                # Whoever asked may be gone by now: that is what some tests are about.
                with contextlib.suppress(OSError):
                    self._say(wire)

            def _say(self, wire: Wire) -> None:
                if wire.hangs:
                    server._let_go.wait()
                if wire.hangs or wire.closes_unsaid:
                    self.close_connection = True
                    return
                self.send_response_only(wire.status)  # no header that the script does not name
                for name, value in wire.headers.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(wire.body)))
                self.end_headers()
                self.wfile.flush()
                if wire.stalls:
                    server._let_go.wait()
                self._send(wire)

            def _send(self, wire: Wire) -> None:
                body = wire.body[: wire.breaks_off_after]
                step = wire.piece_bytes or max(1, len(body))
                for start in range(0, len(body), step):
                    if wire.pause_seconds:
                        server._let_go.wait(wire.pause_seconds)
                    self.wfile.write(body[start : start + step])
                    self.wfile.flush()
                server._sent.set()
                if len(body) < len(wire.body) or wire.stalls:
                    self.close_connection = True

            def handle(self) -> None:
                with contextlib.suppress(ConnectionError):  # the other side is gone: nothing to tell
                    super().handle()

            def log_message(self, *_: object) -> None:
                """Keep the test's output clean."""

        return Handler


class ModelServer(WireServer):
    """An OpenAI-compatible server that says *replies*, one a request."""

    def __init__(self, *replies: Scripted, repeats: bool = False) -> None:
        super().__init__(self._reply)
        self.replies: list[Scripted] = list(replies)
        self.repeats = repeats

    @property
    def url(self) -> str:
        """The base URL, as a configuration has it."""
        return f"{self.origin}/v1"

    def endpoints(self, name: str = "local") -> dict[str, dict[str, str]]:
        """The setting `endpoints` with this server in it."""
        return {name: {"base_url": self.url}}

    def env(self, name: str = "local", model: str = "fake-1", *, reflects: bool = False) -> dict[str, str]:
        """The variables that make this server the observer's model (and the reflector's)."""
        chosen = f"{name}/{model}"
        env = {
            "SCRIMSHAW_ENDPOINTS": json.dumps(self.endpoints(name)),
            "SCRIMSHAW_OBSERVER_MODEL": chosen,
            "SCRIMSHAW_SECOND_READING": "off",  # one request a window
        }
        return env | ({"SCRIMSHAW_REFLECTOR_MODEL": chosen} if reflects else {})

    def _reply(self, asked: Asked) -> Wire:
        # Called under the lock that notes the request, so the n-th request gets the n-th reply.
        if not self.replies:
            return chat(asked, Refused(500, message="the script is at its end"))
        is_last = self.repeats and len(self.replies) == 1
        reply = self.replies[0] if is_last else self.replies.pop(0)
        return chat(asked, reply(asked) if callable(reply) else reply)


def chat(asked: Asked, reply: Reply) -> Wire:
    """Return *reply* in the form of chat completions: in one piece, or in events when that was asked for."""
    match reply:
        case Wire():
            return reply
        case Hang():
            return Wire(hangs=True)
        case Refused(status, headers, message):
            error = {"error": {"message": message, "type": "error", "code": None}}
            return Wire(status, {**JSON, **headers}, json.dumps(error).encode())
        case str():
            return chat(asked, Say(reply))
        case Say():
            return _said(asked.body, reply)


def _said(body: dict[str, Any], say: Say) -> Wire:
    head = {"id": "chatcmpl-1", "created": 1, "model": body.get("model", "")}
    usage = _usage(body, say)
    if not body.get("stream"):
        message = {"role": "assistant", "content": say.text}
        choice = {"index": 0, "message": message, "finish_reason": say.finish}
        whole = head | {"object": "chat.completion", "choices": [choice]} | usage
        return Wire(body=json.dumps(whole).encode(), pause_seconds=say.wait_seconds)
    head["object"] = "chat.completion.chunk"
    pieces = [say.text[start : start + 2_000] for start in range(0, len(say.text), 2_000)]
    deltas: list[tuple[dict[str, str], str | None]] = [({"content": piece}, None) for piece in pieces]
    deltas = [({"role": "assistant", "content": ""}, None), *deltas, ({}, say.finish)]
    chunks = [
        head | {"choices": [{"index": 0, "delta": delta, "finish_reason": finish}]}
        for delta, finish in deltas
    ]
    if usage and (body.get("stream_options") or {}).get("include_usage"):
        chunks.append(head | {"choices": []} | usage)
    events = "".join(f"data: {json.dumps(chunk)}\n\n" for chunk in chunks) + "data: [DONE]\n\n"
    return Wire(headers=EVENTS, body=events.encode(), pause_seconds=say.wait_seconds)


def _usage(body: dict[str, Any], say: Say) -> dict[str, Any]:
    if say.tokens is None:
        return {}
    sent = sum(len(message["content"]) for message in body.get("messages", [])) // 4
    tokens_in = sent if say.tokens[0] < 0 else say.tokens[0]
    tokens_out = (len(say.text) + 3) // 4 if say.tokens[1] < 0 else say.tokens[1]
    total = tokens_in + tokens_out
    return {"usage": {"prompt_tokens": tokens_in, "completion_tokens": tokens_out, "total_tokens": total}}
