"""Secrets out of JSON: the name that a value stands under tells what it is, as it does in a text.

A value is read three times: alone, as `"name": "value"` and as `name: value`. What `{"name": "password",
"value": …}` says is read like `{"password": …}`. The shape of the JSON stays as it was, so that it can still
be read; only a number that is a secret becomes a text.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

_LABELS = ("name", "key", "field", "label")  # beside them "value" stands for what they name
_UNKNOWN = "[redacted:secret]"


def clean_json(
    value: Any,  # noqa: ANN401  # JSON of any shape
    clean: Callable[[str], str],
    names: tuple[str, ...] = (),
) -> Any:  # noqa: ANN401  # the same shape
    """Return *value* with each text and number in it cleaned, also by the *names* it stands under."""
    match value:
        case str():
            return _text(value, clean, names)
        case bool():
            return value
        case int() | float():
            return _number(value, clean, names)
        case dict():
            return {
                clean(key): clean_json(one, clean, (key, *_labels_of(key, value)))
                for key, one in value.items()
            }
        case list():
            return [clean_json(one, clean, names) for one in value]
        case _:
            return value


def _labels_of(key: str, value: Mapping[str, Any]) -> list[str]:
    if key.lower() != "value":
        return []
    return [one for label, one in value.items() if label.lower() in _LABELS and isinstance(one, str)]


def _text(text: str, clean: Callable[[str], str], names: tuple[str, ...]) -> str:
    kept = clean(text)
    for name in names if kept else ():
        kept = _quoted(name, kept, clean)
        kept = _after(f"{name}: ", kept, clean)
    return kept


def _number(value: float, clean: Callable[[str], str], names: tuple[str, ...]) -> float | str:
    told = json.dumps(value)
    for name in names or ("",):
        start = f"{json.dumps(name, ensure_ascii=False)}: " if name else ""
        if (kept := _after(start, told, clean)) != told:
            return kept
    return value


def _quoted(name: str, text: str, clean: Callable[[str], str]) -> str:
    """Return *text* as it is once `"name": "text"` is cleaned."""
    told = json.dumps({name: text}, ensure_ascii=False)
    if (kept := clean(told)) == told:
        return text
    try:
        (found,) = json.loads(kept).values()
    except (ValueError, AttributeError):  # what goes has taken a quotation mark with it
        return _UNKNOWN
    return found if isinstance(found, str) else _UNKNOWN


def _after(start: str, text: str, clean: Callable[[str], str]) -> str:
    """Return *text* as it is once *start* and *text* are cleaned together."""
    told = start + text
    if (kept := clean(told)) == told:
        return text
    return kept.removeprefix(start) if kept.startswith(start) else _UNKNOWN
