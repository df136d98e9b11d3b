"""Requests to a server, over HTTP or a unix socket; the server's errors are raised as UserError.

Each thread has one open connection. If the server has closed it meanwhile, it is opened again and the request
is repeated where that is safe: requests that create something carry a key, so that the server recognises the
repetition. What must not be done twice (an undo) is sent once, over a new connection.
"""

from __future__ import annotations

import http.client
import json
import socket
import ssl
import threading
import uuid
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from scrimshaw.errors import Exit, NotFoundError, OutdatedError, UserError

_CLOSED = (http.client.RemoteDisconnected, BrokenPipeError, ConnectionResetError, ConnectionAbortedError)
_TAKE_A_KEY = ("/store", "/knowledge", "/messages", "/usage")
# Repeating these has no further effect.
_REPEATABLE = (
    *("/search", "/context", "/plan", "/notes", "/observe", "/reflect", "/consolidate", "/close", "/import"),
    *("/pin", "/unpin"),
)
_V2 = "/api/v2/"
_KINDS: Mapping[int, type[UserError]] = {404: NotFoundError, 412: OutdatedError}


class HttpResponse(NamedTuple):
    """The response to a request."""

    status: int
    headers: Mapping[str, str]  # names in lower case
    body: bytes

    def json(self) -> Any:  # noqa: ANN401  # JSON of any shape
        """Return the body's value; raises UserError if it is not JSON."""
        try:
            return json.loads(self.body)
        except ValueError as error:
            raise UserError(
                f"The server's answer is not JSON (status {self.status}). The request may have failed.",
                next_step="is it Scrimshaw's address? GET /health tells",
            ) from error


class Transport:
    """A connection to the server at *url* or behind *socket_path*; for any thread."""

    def __init__(self, url: str, socket_path: Path | None, token: str, timeout: float) -> None:
        self._where = str(socket_path) if socket_path else url
        self._parts, self._socket_path = urlsplit(url), socket_path
        if socket_path is None and (self._parts.scheme not in ("http", "https") or not self._parts.hostname):
            raise ValueError(f"url: {url!r} is no address such as http://127.0.0.1:18892")
        self._token, self._timeout = token, timeout
        self._held = threading.local()

    def send(
        self,
        method: str,
        path: str,
        body: object = None,
        *,
        content_type: str = "application/json",
        headers: Mapping[str, str] | None = None,
    ) -> HttpResponse:
        """Send a request and return the response, whatever its status; raises UserError when there is none.

        *body* is encoded as JSON, unless it is bytes of the type *content_type*.
        """
        told = {"Accept": "application/json", **(headers or {})}
        if self._token:
            told["Authorization"] = f"Bearer {self._token}"
        is_known_again = path.startswith(_V2) and path.endswith(_TAKE_A_KEY)
        if method == "POST" and is_known_again:
            told.setdefault("Idempotency-Key", str(uuid.uuid4()))
        sent = body if isinstance(body, bytes) or body is None else json.dumps(body).encode()
        if sent is not None:
            told["Content-Type"] = content_type
        is_repeatable = is_known_again or (path.startswith(_V2) and path.endswith(_REPEATABLE))
        is_safe = method == "GET" or (method == "POST" and is_repeatable)
        if not is_safe:
            self.close()  # the server may have closed the open one meanwhile
        try:
            return self._once(method, path, sent, told)
        except _CLOSED as error:
            self.close()
            if not is_safe:
                raise self._unreachable(error) from error
        except (OSError, http.client.HTTPException) as error:
            self.close()
            raise self._unreachable(error) from error
        try:
            return self._once(method, path, sent, told)
        except (OSError, http.client.HTTPException) as error:
            self.close()
            raise self._unreachable(error) from error

    def close(self) -> None:
        """Close this thread's connection; the next request opens another."""
        with suppress(AttributeError):
            self._held.connection.close()
            del self._held.connection

    def _once(self, method: str, path: str, body: bytes | None, headers: Mapping[str, str]) -> HttpResponse:
        connection = getattr(self._held, "connection", None)
        if connection is None:
            connection = self._held.connection = self._connection()
        connection.request(method, self._parts.path.rstrip("/") + path, body, dict(headers))
        answer = connection.getresponse()
        named = {name.lower(): value for name, value in answer.getheaders()}
        return HttpResponse(answer.status, named, answer.read())

    def _connection(self) -> http.client.HTTPConnection:
        if self._socket_path is not None:
            return _SocketConnection(self._socket_path, self._timeout)
        host, port = self._parts.hostname or "", self._parts.port
        if self._parts.scheme == "https":
            return http.client.HTTPSConnection(
                host, port, timeout=self._timeout, context=ssl.create_default_context()
            )
        return http.client.HTTPConnection(host, port, timeout=self._timeout)

    def _unreachable(self, error: Exception) -> UserError:
        why = getattr(error, "strerror", None) or str(error) or type(error).__name__
        return UserError(
            f"{self._where}: no answer ({why}). What was asked may not have been done.",
            next_step="start the server: scrimshaw serve",
        )


class _SocketConnection(http.client.HTTPConnection):
    def __init__(self, path: Path, timeout: float) -> None:
        super().__init__("localhost", timeout=timeout)
        self._path = path

    def connect(self) -> None:
        made = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        made.settimeout(self.timeout)
        try:
            made.connect(str(self._path))
        except OSError:
            made.close()
            raise
        self.sock = made


def error_of(answer: HttpResponse) -> UserError:
    """Return the UserError for *answer*: the same that the server raised, where that is known."""
    told = answer.json()
    told = told if isinstance(told, dict) else {}
    problems = told.get("problems") or [told.get("detail") or told.get("error") or f"status {answer.status}"]
    code = told.get("exit_code")
    known = code if code in set(Exit) else Exit.USAGE if answer.status in (400, 422) else Exit.MENDABLE
    kind = _KINDS.get(answer.status, UserError)
    return kind(*map(str, problems), next_step=str(told.get("next") or ""), exit_code=Exit(known))
