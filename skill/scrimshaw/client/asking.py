"""The connection of a client: the server's address and version, requests, answers, and errors."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from datetime import date, datetime
from pathlib import Path
from typing import Any, Self
from urllib.parse import quote, urlencode

from scrimshaw.client.transport import HttpResponse, Transport, error_of
from scrimshaw.errors import UserError

V2 = "/api/v2/memory"
V1 = "/api"
When = str | date | datetime


class ServerReply:
    """What the server answered: its fields as attributes, and as JSON with `to_dict()`."""

    __slots__ = ("_fields",)

    def __init__(self, fields: Mapping[str, Any]) -> None:
        object.__setattr__(self, "_fields", dict(fields))

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401  # JSON of any shape
        """Return a field."""
        try:
            return self._fields[name]
        except KeyError:
            raise AttributeError(f"the server's answer has no {name}: {', '.join(self._fields)}") from None

    def __setattr__(self, name: str, value: object) -> None:
        """Refuse: an answer is what it is."""
        raise AttributeError(f"an answer cannot be changed: {name}")

    def to_dict(self) -> dict[str, Any]:
        """Return it as the server sent it."""
        return dict(self._fields)

    def __eq__(self, other: object) -> bool:
        """Tell whether both have the same fields."""
        return isinstance(other, ServerReply) and self._fields == other._fields

    __hash__ = None  # type: ignore[assignment]  # it holds dicts

    def __str__(self) -> str:
        """Return it as indented JSON."""
        return json.dumps(self._fields, ensure_ascii=False, indent=2)

    def __repr__(self) -> str:
        """Return what it is made of."""
        return f"ServerReply({self._fields!r})"


class Asking:
    """A connection to the server that holds the memory of *agent*."""

    def __init__(
        self,
        url: str = "http://127.0.0.1:18892",
        *,
        agent: str | None = None,
        token: str = "",
        token_file: str | Path | None = None,
        socket: str | Path | None = None,
        timeout: float = 60.0,
    ) -> None:
        """Set the address; nothing is sent yet. Without *agent* the token's only agent is meant.

        The token is *token*, or read from *token_file*, or from the variable SCRIMSHAW_TOKEN.
        """
        given = Path(token_file).read_text("utf-8").strip() if token_file else token
        self.agent = agent
        self._transport = Transport(
            url,
            Path(socket) if socket else None,
            given or os.environ.get("SCRIMSHAW_TOKEN", ""),
            timeout,
        )
        self._version = 0

    def close(self) -> None:
        """Close this thread's connection."""
        self._transport.close()

    def __enter__(self) -> Self:
        """Return this."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close it."""
        self.close()

    def __repr__(self) -> str:
        """Return whose memory it is."""
        return f"{type(self).__name__}(agent={self.agent!r})"

    @property
    def version(self) -> int:
        """The version that the server speaks: 2, or 1 for an older program."""
        if not self._version:
            answer = self._transport.send("GET", "/health")
            try:
                told = json.loads(answer.body)
            except ValueError:
                told = {}
            spoken = told.get("api_versions", ()) if isinstance(told, dict) else ()
            self._version = 2 if "v2" in spoken else 1
        return self._version

    def _get(self, path: str, **query: Any) -> ServerReply:  # noqa: ANN401  # what goes into a query
        return ServerReply(self._ask("GET", f"{V2}{path}?{urlencode(without_none(**self._named(query)))}"))

    def _page(self, path: str, **query: Any) -> ServerReply:  # noqa: ANN401  # as above
        told = self._get(path, **query).to_dict()
        return ServerReply({**told, "after": told.pop("next_cursor", None)})

    def _of_agent(self, what: str, **query: Any) -> ServerReply:  # noqa: ANN401  # as above
        words = urlencode(without_none(**query))
        return ServerReply(self._ask("GET", f"{V2}/{what}/{part(self._agent())}?{words}"))

    def _post(self, path: str, body: Mapping[str, Any]) -> ServerReply:
        return ServerReply(self._ask("POST", V2 + path, self._named(body)))

    def _change(
        self, method: str, path: str, if_version: int | None, body: Mapping[str, Any] | None = None
    ) -> dict[str, Any]:
        """Change what is at *path*; with *if_version* None whatever its version."""
        tag = "*" if if_version is None else f'"{if_version}"'
        answer = self._sent(method, f"{V2}{path}?{urlencode(self._named({}))}", body, {"If-Match": tag})
        return dict(answer.json()) if answer.body else {}

    def _ask(self, method: str, path: str, body: object = None) -> Any:  # noqa: ANN401  # JSON of any shape
        return self._sent(method, path, body).json()

    def _sent(
        self,
        method: str,
        path: str,
        body: object = None,
        headers: Mapping[str, str] | None = None,
        *,
        content_type: str = "application/json",
    ) -> HttpResponse:
        if path.startswith(V2) and self.version == 1:
            raise UserError(
                "The server speaks only version 1. Nothing was sent.",
                next_step="pip install --upgrade scrimshaw, and restart it",
            )
        answer = self._transport.send(method, path, body, headers=headers, content_type=content_type)
        if answer.status >= 300:
            raise error_of(answer)
        return answer

    def _named(self, fields: Mapping[str, Any]) -> dict[str, Any]:
        return {**fields, **({"agent": self.agent} if self.agent else {})}

    def _agent(self) -> str:
        if self.agent is None:
            raise ValueError("agent: this needs Client(agent=…)")
        return self.agent


def time_argument(when: When | None) -> str | None:
    """Return a time in the form of a request."""
    return when.isoformat() if isinstance(when, date) else when


def part(text: str) -> str:
    """Return *text* quoted as one segment of a path."""
    return quote(text, safe="")


def without_none(**fields: Any) -> dict[str, Any]:  # noqa: ANN401  # what goes into JSON or a query
    """Return those of *fields* that are not None."""
    return {name: value for name, value in fields.items() if value is not None}


def as_object(told: Any, name: str) -> dict[str, Any]:  # noqa: ANN401  # JSON of any shape
    """Return an answer of version 1, a list or an object with one, as an object."""
    return {name: told} if isinstance(told, list) else dict(told)
