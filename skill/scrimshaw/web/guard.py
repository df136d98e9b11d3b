"""Checks before every route: the addressed host, the size and speed of a request; and one line of log.

A web page may reach the server only if the owner has named it: a page's request says where it comes from
(Origin, Sec-Fetch-Site) or, if the page's host name was redirected to this machine, is addressed to that name
(Host). Our own page may send requests (*pages*), and for changes must prove that they come from there.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable, Collection, Mapping
from typing import Any, NamedTuple

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from scrimshaw.web.problems import Problem, answer

log = logging.getLogger(__name__)

AT_END = "scrimshaw.at_end"  # in a request's scope: what is called when it has been answered
LOCAL = ("localhost", "127.0.0.1", "::1")
_LOOKING = ("GET", "HEAD")
_MCP = "/mcp"
_OWN_SITES = (b"same-origin", b"none")
_HEADERS = (
    (b"cache-control", b"no-store"),
    (b"x-content-type-options", b"nosniff"),
    (b"content-security-policy", b"default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'"),
    (b"cross-origin-resource-policy", b"same-origin"),
)


class Limits(NamedTuple):
    """The limits on a request's size and duration."""

    body_bytes: int = 8 * 1024 * 1024  # enough for a message of a million characters, however escaped
    body_seconds: float = 30.0
    upload_bytes: int = 4 * 1024**3
    upload_seconds: float = 1_800.0
    url_bytes: int = 16 * 1024
    uploads: frozenset[str] = frozenset({"/api/v2/memory/import"})

    def of(self, path: str) -> tuple[int, float]:
        """Return the most bytes and seconds for a body."""
        is_upload = path in self.uploads
        return (self.upload_bytes, self.upload_seconds) if is_upload else (self.body_bytes, self.body_seconds)


class Guard:
    """ASGI middleware around the whole server."""

    def __init__(
        self,
        app: ASGIApp,
        *,
        hosts: Collection[str] = (),
        origins: Collection[str] = (),
        limits: Limits = Limits(),  # noqa: B008  # frozen
        pages: Collection[str] = (),
        on_answer: Callable[[int, float], None] = lambda _status, _seconds: None,
    ) -> None:
        self._app = app
        self._pages = tuple(pages)
        self._on_answer = on_answer
        self._hosts = frozenset((*LOCAL, *hosts))
        self._origins = frozenset(one.encode() for one in origins)
        self._limits = limits

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer requests that must not pass, and let through the others."""
        if scope["type"] != "http":
            if scope["type"] == "lifespan":
                await self._app(scope, receive, send)
            return  # there are no websockets
        began = time.perf_counter()
        headers = dict(scope["headers"])
        path = scope["path"]
        status = 0

        async def sent(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                told = [*message.get("headers", ())]
                own = {name.lower() for name, _ in told}
                told += [one for one in _HEADERS if one[0] not in own]
                message["headers"] = [*told, *self._shared(headers)]
            await send(message)

        try:
            problem = self._problem(scope, headers)
            if problem is not None:
                await answer(problem, path)(scope, receive, sent)
            elif scope["method"] == "OPTIONS" and b"access-control-request-method" in headers:
                await _preflight(sent)
            else:
                await self._app(scope, self._bounded(receive, headers, path), sent)
        finally:
            scope.get(AT_END, lambda: None)()
            route = scope.get("route")
            took = time.perf_counter() - began
            self._on_answer(status, took)
            log.info(
                "event=request method=%s route=%s status=%d ms=%.1f by=%s",
                scope["method"],
                getattr(route, "path", "-"),
                status,
                took * 1000,
                scope.get("scrimshaw.by", "-"),
            )

    def _problem(self, scope: Scope, headers: Mapping[bytes, bytes]) -> Problem | None:
        client = scope.get("client")
        is_socket = client is not None and client[0] == "unix"
        if not is_socket and _name(headers.get(b"host", b"")) not in self._hosts:
            return Problem(
                421, "The request is addressed to a name that is not this server's.", next_step="server.hosts"
            )
        origin = headers.get(b"origin")
        site = headers.get(b"sec-fetch-site")
        if self._is_page(scope["path"]):
            is_own = origin in (b"http://" + headers.get(b"host", b""), *self._origins)
            if not is_own and (origin is not None or scope["method"] not in _LOOKING):
                return Problem(403, "No other page may ask here.")
        elif origin is not None and not self._may_ask(scope["path"], origin, headers):
            return Problem(
                403, "No web page may ask here.", next_step="its owner can name one: server.origins"
            )
        if origin is None and site is not None and site not in _OWN_SITES:
            return Problem(403, "No web page may ask here.")
        if headers.get(b"content-encoding", b"identity") != b"identity":
            return Problem(415, "The body is compressed.", next_step="send it as it is")
        if len(scope.get("raw_path") or b"") + len(scope["query_string"]) > self._limits.url_bytes:
            return Problem(414, "The address is too long.")
        said = headers.get(b"content-length", b"0")
        most, _ = self._limits.of(scope["path"])
        if not said.isdigit() or int(said[:18]) > most:
            return _too_large(most)
        return None

    def _may_ask(self, path: str, origin: bytes, headers: Mapping[bytes, bytes]) -> bool:
        # MCP requires the server's own Origin to be accepted; the token is still required.
        is_own = path == _MCP and origin == b"http://" + headers.get(b"host", b"")
        return is_own or origin.lower() in self._origins

    def _is_page(self, path: str) -> bool:
        return any(path == one or (len(one) > 1 and path.startswith(f"{one}/")) for one in self._pages)

    def _bounded(self, receive: Receive, headers: Mapping[bytes, bytes], path: str) -> Receive:
        if headers.get(b"content-length", b"0") == b"0" and b"transfer-encoding" not in headers:
            return receive
        most, seconds = self._limits.of(path)
        until = time.monotonic() + seconds
        got, is_done = 0, False

        async def bounded() -> Message:
            nonlocal got, is_done
            if is_done:
                return await receive()
            try:
                async with asyncio.timeout(max(0.0, until - time.monotonic())):
                    message = await receive()
            except TimeoutError:
                raise Problem(408, "The body did not arrive in time.", next_step="send it again") from None
            got += len(message.get("body", b""))
            if got > most:
                raise _too_large(most)
            is_done = not message.get("more_body", False)
            return message

        return bounded

    def _shared(self, headers: Mapping[bytes, bytes]) -> list[tuple[bytes, bytes]]:
        """Return the headers that let a named page read the answer."""
        origin = headers.get(b"origin", b"")
        if origin.lower() not in self._origins:
            return []
        return [
            (b"access-control-allow-origin", origin),
            (b"access-control-expose-headers", b"ETag, Idempotency-Replayed, Retry-After"),
            (b"vary", b"Origin"),
        ]


def _too_large(most: int) -> Problem:
    return Problem(413, f"The body is larger than {most:,} bytes.", next_step="send less at once")


def _name(host: bytes) -> str:
    """Return the name in a Host header, without its port; "" for none."""
    text = host.decode("latin-1").lower()
    if text.startswith("["):
        return text[1:].partition("]")[0]
    return text.partition(":")[0]


async def _preflight(send: Any) -> None:  # noqa: ANN401  # ASGI's
    headers = [
        (b"access-control-allow-methods", b"GET, POST, PATCH, DELETE"),
        (b"access-control-allow-headers", b"Authorization, Content-Type, If-Match, Idempotency-Key"),
        (b"access-control-max-age", b"600"),
    ]
    await send({"type": "http.response.start", "status": 204, "headers": headers})
    await send({"type": "http.response.body", "body": b""})
