"""What is wrong with values that somebody has set: the one module that imports pydantic.

The schema is `config.Settings`; a pydantic model is built from it here, so that a value, its limits and
its note stand in one place.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Mapping
from dataclasses import fields
from datetime import time
from typing import Annotated, Any, get_type_hints
from zoneinfo import ZoneInfo

from pydantic import AfterValidator, BeforeValidator, ConfigDict, Field, ValidationError, create_model

from scrimshaw.config import Settings, default_of, seconds


def check(said: Mapping[str, Any]) -> tuple[dict[str, Any], list[str]]:
    """Return *said* in the settings' own types, and every problem of it as "name: what is wrong".

    With a problem there are no values: a file is right as a whole or not used.
    """
    try:
        model = _MODEL.model_validate(dict(said))
    except ValidationError as error:
        return {}, [_told(problem) for problem in error.errors(include_url=False)]
    return {name: getattr(model, name) for name in model.model_fields_set}, []


def _a_duration(text: str) -> str:
    seconds(text)
    return text


def _a_zone(text: str) -> str:
    if text != "auto":
        try:
            ZoneInfo(text)
        except (KeyError, ValueError, OSError):
            raise ValueError(f"{text!r} is no time zone; write for example Europe/Lisbon") from None
    return text


def _a_time(said: object) -> object:
    # YAML reads an unquoted 13:40 as 13 * 60 + 40.
    text = f"{said // 60:02}:{said % 60:02}" if isinstance(said, int) else said
    try:
        return f"{time.fromisoformat(str(text)):%H:%M}"
    except ValueError:
        raise ValueError(f"{text!r} is no time of day; write for example 03:40") from None


_MODEL_NAME = re.compile(r"offline|openclaw|[a-z][a-z0-9_-]{0,40}/\S{1,200}")


def _a_model(text: str) -> str:
    if not _MODEL_NAME.fullmatch(text):
        raise ValueError(f"{text!r} names no model; write offline, openclaw or provider/model")
    return text


_FORMS = {
    "model": AfterValidator(_a_model),
    "duration": AfterValidator(_a_duration),
    "zone": AfterValidator(_a_zone),
    "time": BeforeValidator(_a_time),
}


def _field(hint: Any, metadata: Mapping[str, Any]) -> Any:  # noqa: ANN401  # a type expression
    if hint is str:
        limits = Field(max_length=metadata["most"])
    else:
        limits = Field(ge=metadata["least"], le=metadata["most"])
    form = _FORMS.get(metadata["form"])
    return Annotated[hint, limits, form] if form else Annotated[hint, limits]


def _told(problem: Any) -> str:  # noqa: ANN401  # pydantic's own error record
    name = ".".join(str(part) for part in problem["loc"])
    if problem["type"] == "extra_forbidden":
        near = difflib.get_close_matches(name, [item.name for item in fields(Settings)], n=1)
        return f"{name}: no such setting" + (f"; did you mean {near[0]}?" if near else "")
    message = problem["msg"].removeprefix("Value error, ")
    if problem["type"] == "value_error":
        return f"{name}: {message}"
    return f"{name}: {message[:1].lower()}{message[1:]} (found {problem['input']!r})"


_HINTS = get_type_hints(Settings)
_MODEL = create_model(  # type: ignore[call-overload]  # the fields come from the dataclass
    "Settings",
    __config__=ConfigDict(extra="forbid"),
    **{item.name: (_field(_HINTS[item.name], item.metadata), default_of(item)) for item in fields(Settings)},
)
