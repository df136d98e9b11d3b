"""A server's answer, with its fields as attributes."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any


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
