"""How a setting is shown."""

from __future__ import annotations

from collections.abc import Mapping

from scrimshaw.config import Endpoint


def setting_row(name: str, value: object, origin: str, width: int) -> str:
    return f"{name:<{width}}  {_told(value):<14}  {origin}"


def _told(value: object) -> str:
    """Return *value* as a person may read it, on one line."""
    match value:
        case "" | ():
            return "none"
        case Endpoint():
            return value.base_url + (f" (key in {value.key_variable})" if value.key_variable else " (no key)")
        case Mapping():
            return "; ".join(f"{name}: {_told(one)}" for name, one in value.items()) or "none"
        case tuple():
            return ", ".join(map(str, value))
        case _:
            return " ".join(str(value).split())


def plain(value: object) -> object:
    """Return *value* as JSON holds it."""
    match value:
        case Endpoint():
            return value._asdict()
        case Mapping():
            return {name: plain(one) for name, one in value.items()}
        case _:
            return value
