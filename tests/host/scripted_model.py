"""A chat-completions server that answers from a script and remembers every request.

What to answer is looked up, not queued: the last user message that holds one of the script's keys
decides, and the number of assistant messages after it says which of its replies is next. So requests
that the host makes of its own accord (titles, diaries, retries) cannot shift the script.
"""

import json
import threading
from collections.abc import Callable, Iterator, Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, NamedTuple, Self


class Say(NamedTuple):
    """An answer in words."""

    text: str


class Call(NamedTuple):
    """An answer that calls a tool."""

    tool: str
    arguments: dict[str, Any]


Reply = Say | Call
WorkedOut = Callable[[str], Reply]  # from the message that is answered
OTHERWISE = Say("Noted.")


class Request(NamedTuple):
    """What the host sent."""

    body: dict[str, Any]

    @property
    def system_prompt(self) -> str:
        return "\n".join(
            _text(message) for message in self.messages if message["role"] in ("system", "developer")
        )

    @property
    def messages(self) -> list[dict[str, Any]]:
        return list(self.body.get("messages", []))

    @property
    def tools(self) -> list[str]:
        return [tool["function"]["name"] for tool in self.body.get("tools") or []]

    def asks(self, text: str) -> bool:
        """Whether a user message of this request holds *text*."""
        return any(message["role"] == "user" and text in _text(message) for message in self.messages)

    def tool_results(self) -> list[str]:
        return [_text(message) for message in self.messages if message["role"] == "tool"]


class ScriptedModel:
    """Start with `with`; *script* and *prompt_tokens* may change while it runs."""

    def __init__(self) -> None:
        self.script: dict[str, Sequence[Reply | WorkedOut]] = {}
        self.prompt_tokens = 1000
        self._requests: list[Request] = []
        self._lock = threading.Lock()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}/v1"

    @property
    def requests(self) -> list[Request]:
        with self._lock:
            return list(self._requests)

    def requests_about(self, text: str) -> list[Request]:
        """The requests whose newest user message with words of a person holds *text*, in order."""
        return [request for request in self.requests if request.asks(text)]

    def _answer(self, body: dict[str, Any]) -> Reply:
        with self._lock:
            self._requests.append(Request(body))
        messages = body.get("messages", [])
        for index in range(len(messages) - 1, -1, -1):
            if messages[index]["role"] != "user":
                continue
            said = _text(messages[index])
            replies = next((self.script[key] for key in self.script if key in said), None)
            if replies is not None:
                step = sum(message["role"] == "assistant" for message in messages[index:])
                reply = replies[step] if step < len(replies) else OTHERWISE
                return reply(said) if callable(reply) else reply
        return OTHERWISE

    def _handler(model) -> type[BaseHTTPRequestHandler]:  # noqa: N805  "self" is the handler's below
        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                self._send("application/json", b'{"object": "list", "data": []}')

            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                reply = model._answer(body)
                usage = {
                    "prompt_tokens": model.prompt_tokens,
                    "completion_tokens": 20,
                    "total_tokens": model.prompt_tokens + 20,
                }
                if body.get("stream"):
                    events = (f"data: {json.dumps(chunk)}\n\n" for chunk in _chunks(body, reply, usage))
                    self._send("text/event-stream", "".join([*events, "data: [DONE]\n\n"]).encode())
                else:
                    self._send("application/json", json.dumps(_whole(body, reply, usage)).encode())

            def _send(self, kind: str, content: bytes) -> None:
                self.send_response(200)
                self.send_header("Content-Type", kind)
                self.send_header("Content-Length", str(len(content)))
                self.end_headers()
                self.wfile.write(content)

            def log_message(self, *_: object) -> None:
                """Keep the test's output clean."""

        return Handler


def _text(message: dict[str, Any]) -> str:
    content = message.get("content")
    if isinstance(content, list):
        return "\n".join(part.get("text", "") for part in content if isinstance(part, dict))
    return content if isinstance(content, str) else ""


def _message(reply: Reply) -> tuple[dict[str, Any], str]:
    if isinstance(reply, Say):
        return {"role": "assistant", "content": reply.text}, "stop"
    function = {"name": reply.tool, "arguments": json.dumps(reply.arguments)}
    # The id must differ from call to call or the host pairs a result with the wrong one.
    call_id = f"call_{abs(hash(function['arguments'])) % 10**12:012d}"
    calls = [{"index": 0, "id": call_id, "type": "function", "function": function}]
    return {"role": "assistant", "content": None, "tool_calls": calls}, "tool_calls"


def _chunks(body: dict[str, Any], reply: Reply, usage: dict[str, int]) -> Iterator[dict[str, Any]]:
    delta, reason = _message(reply)
    head = {
        "id": "chatcmpl-1",
        "object": "chat.completion.chunk",
        "created": 1,
        "model": body.get("model", ""),
    }
    yield head | {"choices": [{"index": 0, "delta": delta, "finish_reason": None}]}
    yield head | {"choices": [{"index": 0, "delta": {}, "finish_reason": reason}]}
    yield head | {"choices": [], "usage": usage}


def _whole(body: dict[str, Any], reply: Reply, usage: dict[str, int]) -> dict[str, Any]:
    message, reason = _message(reply)
    head = {"id": "chatcmpl-1", "object": "chat.completion", "created": 1, "model": body.get("model", "")}
    return head | {"choices": [{"index": 0, "message": message, "finish_reason": reason}], "usage": usage}
