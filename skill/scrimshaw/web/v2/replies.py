"""What routes share: errors in the description, pages by cursor, one caller's several memories."""

from __future__ import annotations

import base64
import json
from typing import Any

from fastapi.responses import JSONResponse

from scrimshaw.web.problems import MEDIA_TYPE, Problem
from scrimshaw.web.v2.shapes import ProblemTold

_PROBLEMS = {
    400: "What was asked for cannot be done so.",
    401: "No token, or one that does not hold.",
    403: "The token does not allow it.",
    404: "There is nothing of that name.",
    408: "The body was too long in coming.",
    409: "Things are in a state in which it cannot be done.",
    412: "It was changed meanwhile.",
    413: "The body is too large.",
    415: "The body is of another type.",
    422: "The request cannot be understood.",
    428: "If-Match is missing.",
    429: "Too many requests.",
    503: "Somebody else is writing; ask again.",
}
_SCHEMA = {"$ref": "#/components/schemas/ProblemTold"}
_ALWAYS = (400, 401, 403, 404, 408, 409, 413, 415, 422, 429, 503)


def responses(model: type[Any] | None, status: int = 200, *more: int) -> dict[int | str, dict[str, Any]]:
    """Return the answers of a route: *model* with *status*, and problems, *more* of them than usual."""
    told: dict[int | str, dict[str, Any]] = {
        code: {"description": _PROBLEMS[code], "content": {MEDIA_TYPE: {"schema": _SCHEMA}}}
        for code in sorted((*_ALWAYS, *more))
    }
    if model is not None:
        told[status] = {"model": model, "description": "Done." if status == 200 else "Made."}
    return told


def json_answer(told: dict[str, Any], status: int = 200, **headers: str) -> JSONResponse:
    """Return *told* as it is."""
    return JSONResponse(told, status, {name.replace("_", "-"): value for name, value in headers.items()})


def cursor_of(place: list[Any]) -> str:
    """Return *place*, where a page has ended, as a program hands it back."""
    return base64.urlsafe_b64encode(json.dumps(place).encode()).decode().rstrip("=")


def place_of(cursor: str | None, *types: type) -> list[Any] | None:
    """Return the place that a cursor of ours stands for; raises Problem 400 for any other."""
    if cursor is None:
        return None
    try:
        place = json.loads(base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)))
    except (ValueError, RecursionError):
        place = None
    if not isinstance(place, list) or [type(one) for one in place] != list(types):
        raise Problem(
            400,
            "cursor: this is none of ours.",
            next_step="hand back next_cursor as it came, or leave it out",
        )
    return place


__all__ = ["ProblemTold", "cursor_of", "json_answer", "place_of", "responses"]
