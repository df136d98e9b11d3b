"""The protocol's own suite, `@modelcontextprotocol/conformance`, against our transports, in both eras.

The suite calls the tools and resources of a test server by their names. `Renamed` stands between: what one
of ours does too is asked of ours, and goes through the whole of it. What a memory does not offer is listed
with its reason; what fails and is not listed, or is listed and passes, fails here.
"""

from __future__ import annotations

import json
import re
import subprocess
import threading
from collections import defaultdict
from collections.abc import Awaitable, Callable, Iterator, MutableMapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from tests.host.conftest import CURRENT, install_of
from tests.host.installing import UnavailableError, installed_package
from tests.mcp_server.talking import Talk, agents, opened

pytest.importorskip("mcp")
pytest.importorskip("fastapi")

import uvicorn  # only where the extra is installed
from tests.mcp_server.test_http import Web

PACKAGE, VERSION = "@modelcontextprotocol/conformance", "0.2.0-alpha.12"
OLDER, NEWER = "2025-11-25", "2026-07-28"

# Per scenario, or per check of one: why a memory has nothing to show here.
_NO_PROMPTS = "it offers no prompts, and says so"
_ONLY_TEXT = "it answers in text and structure alone"
_TEST_SERVER = "its tool belongs to the suite's test server, and no tool of ours does that"
_NO_TASKS = "an extension that it does not offer"
_HTTP = "about HTTP, not about messages"
LEFT_OUT = {
    "caching/sep-2549-prompts-list-caching-hints": _NO_PROMPTS,
    "prompts-list": _NO_PROMPTS,
    "prompts-get-simple": _NO_PROMPTS,
    "prompts-get-with-args": _NO_PROMPTS,
    "prompts-get-embedded-resource": _NO_PROMPTS,
    "prompts-get-with-image": _NO_PROMPTS,
    "input-required-result-non-tool-request": _NO_PROMPTS,
    "tools-call-image": _ONLY_TEXT,
    "tools-call-audio": _ONLY_TEXT,
    "tools-call-embedded-resource": _ONLY_TEXT,
    "tools-call-mixed-content": _ONLY_TEXT,
    "resources-read-binary": _ONLY_TEXT,
    "resources-templates-read": "wants the word 123 in a resource; ours are days",
    "resources-subscribe": "it offers no subscriptions, and says so",
    "resources-unsubscribe": "it offers no subscriptions, and says so",
    "completion-complete": "it offers no completions, and says so",
    "logging-set-level": "it sends no log to the client, and says so",
    "tools-call-with-logging": "it sends no log to the client, and says so",
    "tools-call-with-progress": "no tool of ours takes so long",
    "tools-call-sampling": "it never asks the client's model",
    "input-required-result-basic-sampling": "it never asks the client's model",
    "input-required-result-capability-check": "it never asks the client's model",
    "input-required-result-basic-list-roots": "it never asks for the client's folders",
    "input-required-result-multiple-input-requests": "it asks one question",
    "input-required-result-multi-round": "it asks one question",
    "input-required-result-ignore-extra-params": "a yes to a question that was not asked counts for nothing",
    "tools-call-elicitation": "nobody can be asked back over HTTP in this era: the person gets a command",
    "elicitation-sep1034-defaults": _TEST_SERVER,
    "elicitation-sep1330-enums": _TEST_SERVER,
    "json-schema-2020-12": _TEST_SERVER,
    "http-custom-header-server-validation": "no tool of ours takes a header",
    "server-stateless/sep-2575-server-rejects-undeclared-capability": _TEST_SERVER,
    "server-stateless/sep-2575-missing-capability-http-400": _TEST_SERVER,
    "server-stateless/sep-2575-http-server-no-independent-requests-on-stream": _TEST_SERVER,
    "server-stateless/sep-2575-server-no-log-without-loglevel": _TEST_SERVER,
    "server-sse-multiple-streams/server-sse-multiple-streams-session": "no request is part of a session",
    "server-sse-polling/server-sse-polling-session": "no request is part of a session",
    **{
        f"tasks-{name}": _NO_TASKS
        for name in (
            "lifecycle",
            "capability-negotiation",
            "wire-fields",
            "request-state-removal",
            "mrtr-input",
            "request-headers",
            "dispatch-and-envelope",
            "required-task-error",
            "mrtr-composition",
        )
    },
}
# Of the messages alone: what a bridge between HTTP and lines would have to do is nobody's here.
LEFT_OUT_OF_LINES = {
    "dns-rebinding-protection": _HTTP,
    "http-header-validation": _HTTP,
    "server-stateless": _HTTP,
}

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]


class Renamed:
    """An ASGI application before *app*: the suite's names become ours, and each request has *token*."""

    def __init__(self, app: App, line: str, token: str = "") -> None:
        self._app, self._token = app, token
        forget = ("memory_forget", {"id": line})
        self._tools: dict[str, tuple[str, dict[str, Any]]] = {
            "test_simple_text": ("memory_status", {}),
            "test_error_handling": ("memory_why", {"id": "no-such-line"}),
            "test_input_required_result_elicitation": forget,
            "test_input_required_result_request_state": forget,
            "test_input_required_result_tampered_state": forget,
        }
        self._resources = {"test://static-text": "scrimshaw://section"}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        body, more = b"", True
        while more:
            message = await receive()
            body += message.get("body", b"")
            more = message.get("more_body", False)
        headers = [one for one in scope["headers"] if one[0] not in (b"content-length", b"authorization")]
        body, name = self._ours(body)
        if name:
            headers = [(key, name.encode() if key == b"mcp-name" else value) for key, value in headers]
        if self._token:
            headers.append((b"authorization", f"Bearer {self._token}".encode()))
        told = [*headers, (b"content-length", str(len(body)).encode())]
        parts = iter([{"type": "http.request", "body": body, "more_body": False}])

        async def again() -> MutableMapping[str, Any]:
            return next(parts, None) or await receive()

        await self._app({**scope, "headers": told}, again, _answering(send, is_named=name == "memory_forget"))

    def _ours(self, body: bytes) -> tuple[bytes, str]:
        try:
            message = json.loads(body)
        except ValueError:
            return body, ""
        params = message.get("params") if isinstance(message, dict) else None
        if not isinstance(params, dict):
            return body, ""
        if (tool := self._tools.get(str(params.get("name")))) and message.get("method") == "tools/call":
            params["name"], params["arguments"] = tool
            answers = params.get("inputResponses")
            if isinstance(answers, dict) and "user_name" in answers:
                answers["confirm"] = answers.pop("user_name")
            return json.dumps(message).encode(), tool[0]
        if uri := self._resources.get(str(params.get("uri"))):
            params["uri"] = uri
            return json.dumps(message).encode(), uri
        return body, ""


def _answering(send: Send, *, is_named: bool) -> Send:
    """Return *send* that gives our question the name that the suite looks for."""

    async def sent(message: MutableMapping[str, Any]) -> None:
        if is_named and message.get("body"):
            message = {**message, "body": re.sub(rb'"confirm":\s*\{', b'"user_name":{', message["body"])}
        elif is_named and "headers" in message:
            kept = [one for one in message["headers"] if one[0].lower() != b"content-length"]
            message = {**message, "headers": kept}  # the answer grows; it is sent in chunks
        await send(message)

    return sent


class Lines:
    """An ASGI application over one connection of lines, as the server on stdio has it."""

    def __init__(self, home: Path) -> None:
        self._talk = Talk(home)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Hand over one message; answer with what came back."""
        if scope["type"] != "http":
            return
        body = (await receive()).get("body", b"")
        if scope["method"] != "POST":
            await _send(send, 405, b"")
            return
        answers = self._talk.line(body)
        await _send(send, 200 if answers else 202, json.dumps(answers[-1]).encode() if answers else b"")


async def _send(send: Send, status: int, body: bytes) -> None:
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})


@contextmanager
def _served(app: App) -> Iterator[str]:
    server = uvicorn.Server(uvicorn.Config(app, host="127.0.0.1", port=0, log_level="error", lifespan="off"))
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    pause = threading.Event()
    while not server.started:
        assert thread.is_alive()
        pause.wait(0.02)
    port = server.servers[0].sockets[0].getsockname()[1]
    try:
        yield f"http://127.0.0.1:{port}/mcp"
    finally:
        server.should_exit = True
        thread.join(20)


def _first_line(home: Path) -> str:
    return str(Talk(home).tools.call("memory_search", {"query": "Postgres"}).content["results"][0]["id"])


def _checks(url: str, era: str, results: Path) -> dict[str, dict[str, str]]:
    """Run the suite; return what each check of each scenario came to."""
    install = install_of(CURRENT)
    try:
        package = installed_package(PACKAGE, VERSION)
    except UnavailableError as reason:
        pytest.skip(str(reason))
    program = [str(install.node), str(package / "dist" / "index.js"), "server"]
    done = subprocess.run(
        [*program, "--url", url, "--requirements", era, "--output-dir", str(results), "--timeout", "120000"],
        capture_output=True,
        text=True,
        check=False,
        timeout=900,
    )
    found: dict[str, dict[str, str]] = defaultdict(dict)
    for file in results.glob("server-*/checks.json"):
        scenario = re.sub(r"-\d{4}-\d\d-\d\dT.*$", "", file.parent.name.removeprefix("server-"))
        for check in json.loads(file.read_text("utf-8")):
            found[scenario][check["id"]] = check["status"]
    assert found, done.stdout[-2000:] + done.stderr[-2000:]
    return found


def _judge(found: dict[str, dict[str, str]], left_out: dict[str, str]) -> None:
    failed = {
        f"{scenario}/{check}"
        for scenario, checks in found.items()
        for check, status in checks.items()
        if status in ("FAILURE", "WARNING")
    }
    known = {*found, *(f"{scenario}/{check}" for scenario, checks in found.items() for check in checks)}
    listed = known & left_out.keys()
    unlisted = {one for one in failed if one not in listed and one.partition("/")[0] not in listed}
    stale = {one for one in listed if not any(two == one or two.startswith(f"{one}/") for two in failed)}

    assert unlisted == set()
    assert stale == set()


@pytest.mark.parametrize("era", [OLDER, NEWER])
def test_the_server_over_http_conforms(tmp_path: Path, era: str) -> None:
    web = Web(tmp_path)
    app = Renamed(web.app, _first_line(web.home), web.token(scope="owner"))
    with _served(app) as url:
        found = _checks(url, era, tmp_path / "results")

    _judge(found, LEFT_OUT)
    passing = {
        "tools-list",
        "resources-list",
        "resources-read-text",
        "tools-call-simple-text",
        "tools-call-error",
    }
    passing |= {"dns-rebinding-protection"}
    if era == NEWER:
        rounds = ("basic-elicitation", "request-state", "tampered-state", "result-type", "validate-input")
        passing |= {"server-stateless", "caching", "http-header-validation", "sep-2164-resource-not-found"}
        passing |= {f"input-required-result-{name}" for name in rounds}
    assert passing <= found.keys()
    with opened(web.home) as memory:
        assert memory.search("Postgres").hits  # nothing of what the suite said was a yes


@pytest.mark.parametrize("era", [OLDER, NEWER])
def test_the_messages_of_the_server_on_stdio_conform(tmp_path: Path, era: str) -> None:
    home = agents(tmp_path)
    with _served(Renamed(Lines(home), _first_line(home))) as url:
        found = _checks(url, era, tmp_path / "results")

    _judge(found, LEFT_OUT | LEFT_OUT_OF_LINES)
