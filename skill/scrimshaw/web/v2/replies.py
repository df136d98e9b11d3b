"""What routes share: descriptions, and one result for a request that is sent twice."""

from __future__ import annotations

import uuid
from typing import Annotated, Any

import msgspec
from fastapi import Header
from fastapi.responses import JSONResponse

from scrimshaw.web.problems import MEDIA_TYPE

PREFIX = "/api/v2/memory"
IdempotencyKey = Annotated[
    str | None,
    Header(
        min_length=1,
        max_length=255,
        pattern=r"^[!-~]+$",
        description="A name of the caller's for what is made, so that trying again makes nothing twice.",
    ),
]
_KEYS = uuid.UUID("4f0e8c52-5b0f-5f3e-9a37-6d1c0b1f7a10")

_PROBLEMS = {
    400: "The request cannot be carried out as it is.",
    401: "No token, or an invalid one.",
    403: "The token does not allow it.",
    404: "Nothing has that name.",
    408: "The body did not arrive in time.",
    409: "The present state does not allow it.",
    412: "It was changed meanwhile.",
    413: "The body is too large.",
    415: "The body is of another type.",
    422: "The request cannot be understood.",
    428: "If-Match is missing.",
    429: "Too many requests.",
    503: "Another program is writing; try again.",
}
_SCHEMA = {"$ref": "#/components/schemas/ProblemTold"}
_ALWAYS = (400, 401, 403, 404, 408, 409, 413, 415, 422, 429, 503)


def responses(model: type[Any] | None, status: int = 200, *more: int) -> dict[int | str, dict[str, Any]]:
    """Return the description of a route's answers: *model* with *status*, and problems, *more* than usual."""
    told: dict[int | str, dict[str, Any]] = {
        code: {"description": _PROBLEMS[code], "content": {MEDIA_TYPE: {"schema": _SCHEMA}}}
        for code in sorted((*_ALWAYS, *more))
    }
    said = {200: "Done.", 201: "Made.", 204: "Gone."}[status]
    told[status] = {"description": said, **({"model": model} if model else {})}
    return told


class _Answer(JSONResponse):
    """JSON that is written in a tenth of the time."""

    def render(self, content: Any) -> bytes:  # noqa: ANN401  # as there
        return msgspec.json.encode(content)


def json_answer(told: dict[str, Any], status: int = 200, **headers: str) -> JSONResponse:
    """Return *told* as it is."""
    return _Answer(told, status, {name.replace("_", "-"): value for name, value in headers.items()})


def id_from(key: str | None, agent: str, kind: str) -> str:
    """Return the id for what a request with this Idempotency-Key creates, "" without one.

    It follows from the key, so a repeated request creates the same thing: also after a kill, in another
    process, and whatever the result of the first.
    """
    return str(uuid.uuid5(_KEYS, f"{kind}\0{agent}\0{key}")) if key else ""
