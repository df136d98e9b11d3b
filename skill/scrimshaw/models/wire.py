"""The HTTP client that the client libraries are given: bounded, and not to be led elsewhere.

It follows no redirect (a key must not travel to another host), goes past every proxy to this machine's own
servers, sends only the headers that the protocol needs, and stops reading when the answer is too large or
nobody waits any more. The libraries come with one of two HTTP libraries, as old as they are; whichever it
is, it is reached through the client library's own. Knows no provider, and nothing of what an answer means.
"""

from __future__ import annotations

import contextlib
import logging
import ssl
import sys
from collections.abc import Iterator, Mapping
from ipaddress import ip_address
from typing import Any
from urllib.parse import urlsplit

from scrimshaw.models.call import Attempt
from scrimshaw.models.keys import Key

LARGEST_BODY_BYTES = 8 * 1024 * 1024
HTTP_LIBRARIES = ("httpx2", "httpx")  # the newer clients use the first, the older the second
_LARGEST_PACKED_BYTES = 256 * 1024  # packed data may unfold a thousandfold; we ask for plain text
_NEEDED_HEADERS = frozenset(
    {
        *("host", "accept", "accept-encoding", "connection", "content-type", "content-length", "user-agent"),
        *("authorization", "x-goog-api-key", "x-goog-api-client", "x-server-timeout"),
        *("x-api-key", "anthropic-version"),
    }
)


class GivenUpError(Exception):
    """Nobody waits for this answer any more."""


class TooLargeError(Exception):
    """The answer is larger than any answer."""


def client_settings(
    attempt: Attempt, base_url: str, key: Key, *, extra_headers: frozenset[str] = frozenset()
) -> dict[str, Any]:
    """Return the arguments for the HTTP client of one call.

    Of the headers a library sends, those that every protocol needs are kept, and *extra_headers*.
    """
    # A library insists on a key, although some servers want none.
    kept = (_NEEDED_HEADERS | extra_headers) - (set() if key else {"authorization"})

    def before(request: Any) -> None:  # noqa: ANN401  # of whichever HTTP library
        if attempt.is_over:
            raise GivenUpError
        # A variable meant for one server sends its headers to all, and libraries tell of this machine.
        for name in [name for name in request.headers if name.lower() not in kept]:
            del request.headers[name]
        request.extensions["trace"] = under_way

    def under_way(event: str, _: object) -> None:
        # Not before there is a connection: what never left this machine is never billed.
        attempt.is_sent = attempt.is_sent or event.endswith("send_request_headers.started")

    def after(response: Any) -> None:  # noqa: ANN401
        attempt.is_sent = True
        is_packed = response.headers.get("content-encoding", "").lower() not in ("identity", "")
        largest_bytes = _LARGEST_PACKED_BYTES if is_packed else LARGEST_BODY_BYTES
        response.stream = _watched(response.stream, attempt, largest_bytes)

    settings = {
        "timeout": max(0.001, attempt.remaining_seconds),
        "follow_redirects": False,
        "trust_env": not is_this_machine(base_url),
        "headers": {"Accept-Encoding": "identity"},
        "event_hooks": {"request": [before], "response": [after]},
    }
    if is_this_machine(base_url) and base_url.lower().startswith("http:"):
        settings["verify"] = trusting_nobody()
    return settings


def trusting_nobody() -> ssl.SSLContext:
    """Return what a client has in place of the world's certificates where it needs none: they take long."""
    return ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)


def client_arguments(library: Any, settings: Mapping[str, Any], base_url: str, key: str) -> dict[str, Any]:  # noqa: ANN401
    """Return what a client of *library*, one of the providers' own, is made with: it tries once."""
    plain = next(base for base in library.DefaultHttpxClient.__mro__ if _library_of(base))
    return {
        "base_url": base_url,
        "api_key": key,
        "max_retries": 0,
        "timeout": settings["timeout"],
        "http_client": plain(**settings),
    }


def is_this_machine(url: str) -> bool:
    """Tell whether *url* leads to this very machine."""
    host = host_of(url)
    with contextlib.suppress(ValueError):
        return ip_address(host).is_loopback
    return host == "localhost" or host.endswith(".localhost")


def host_of(url: str) -> str:
    """Return the name of the host in *url*, without what may stand before it; "" when there is none."""
    try:
        return (urlsplit(url).hostname or "").lower()
    except ValueError:
        return ""


def place_of(url: str) -> str:
    """Return where text goes that is sent to *url*, for a person."""
    if is_this_machine(url):
        return "this machine"
    return host_of(url) + ("" if url.lower().startswith("https:") else " (not encrypted)")


def quiet(*names: str) -> None:
    """Keep what the libraries log off the terminal: what matters of it is in our own answer."""
    for name in (*names, *HTTP_LIBRARIES):
        logger = logging.getLogger(name)
        if not logger.handlers:
            logger.addHandler(logging.NullHandler())


def _watched(stream: Any, attempt: Attempt, largest_bytes: int) -> Any:  # noqa: ANN401
    """Return *stream* such that reading it ends when nobody waits, or when it is too large."""
    library = next(library for base in type(stream).__mro__ if (library := _library_of(base)))

    class Watched(sys.modules[library].SyncByteStream):  # type: ignore[misc]  # of whichever library
        def __iter__(self) -> Iterator[bytes]:
            size_bytes = 0
            for piece in stream:
                size_bytes += len(piece)
                if attempt.is_over:
                    raise GivenUpError
                if size_bytes > largest_bytes:
                    raise TooLargeError
                yield piece

        def close(self) -> None:
            stream.close()

    return Watched()


def _library_of(kind: type) -> str:
    name = kind.__module__.partition(".")[0]
    return name if name in HTTP_LIBRARIES else ""
