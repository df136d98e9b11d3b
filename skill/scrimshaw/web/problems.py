"""The form of errors for programs: problem+json (RFC 9457).

An error says what and where (`detail`), what state things are in, and the next step. Version 1 keeps its own
form, `{"error": …}`. Nothing of a request's body is repeated in an answer.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from http import HTTPStatus
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, Response
from starlette.exceptions import HTTPException

from scrimshaw.errors import Exit, NotFoundError, OutdatedError, UserError, name_arguments, named

log = logging.getLogger(__name__)

MEDIA_TYPE = "application/problem+json"
V1 = "/api/memories", "/api/knowledge"
V1_HEADERS = {"Deprecation": "true", "Link": '</api/v2/memory>; rel="successor-version"'}
_NOTHING_DONE = "Nothing was changed."
_STATE = re.compile(r"\b(?:Nothing|No file|No archive) .*?\.(?=\s|$)")  # a file's name holds a dot, too
_STATUS = {
    Exit.USAGE: HTTPStatus.BAD_REQUEST,
    Exit.LOCKED: HTTPStatus.SERVICE_UNAVAILABLE,
}
_SENTENCES = {
    404: "There is nothing at this address.",
    405: "This address does not take that method.",
}
_JSON_HEADER = "Content-Type: application/json"
_SEND_JSON = f"send JSON, with the header {_JSON_HEADER}"
_UNCLEAR = "The request cannot be understood: {}."
_TOO_DEEP = "is nested too deeply"
_MOST_PARTS = 8  # of a place that is named: what is nested too deeply has hundreds
_MOST_TOLD = 20  # problems listed for one request


class Problem(HTTPException):
    """An error as an answer; may be raised anywhere below a route."""

    def __init__(
        self,
        status: int,
        detail: str,
        *,
        next_step: str = "",
        state: str = _NOTHING_DONE,
        headers: dict[str, str] | None = None,
        **more: Any,  # noqa: ANN401  # JSON
    ) -> None:
        super().__init__(status, detail, headers)
        self.next_step, self.state, self.more = next_step, state, more


def problem_of(error: UserError) -> Problem:
    """Return the answer for *error*."""
    detail = " ".join(error.problems)
    said = _STATE.findall(detail)
    match error:
        case NotFoundError():
            status = HTTPStatus.NOT_FOUND
        case OutdatedError():
            status = HTTPStatus.PRECONDITION_FAILED
        case _:
            status = _STATUS.get(error.exit_code, HTTPStatus.CONFLICT)
    headers = {"Retry-After": "1"} if status is HTTPStatus.SERVICE_UNAVAILABLE else None
    return Problem(
        *(status, detail),
        next_step=error.next_step,
        state=said[-1] if said else _NOTHING_DONE,
        headers=headers,
        problems=list(error.problems),
        exit_code=int(error.exit_code),
    )


@contextmanager
def calling(**names: str) -> Iterator[None]:
    """Have errors of arguments name each as the request does, by *names*."""
    try:
        yield
    except UserError as error:
        name_arguments(error, names)
        raise


@contextmanager
def paging() -> Iterator[None]:
    """Have errors of a list's `after` name it as the request and the answer do."""
    try:
        with calling(after="cursor"):
            yield
    except UserError as error:
        error.problems = tuple(one.replace("`after`", "`next_cursor`") for one in error.problems)
        error.next_step = error.next_step.replace("`after`", "`next_cursor`")
        raise


def body_of(problem: Problem, where: str) -> dict[str, Any]:
    """Return *problem* as JSON."""
    return {
        "type": "about:blank",
        "title": HTTPStatus(problem.status_code).phrase,
        "status": problem.status_code,
        "detail": problem.detail,
        "instance": where,
        "state": problem.state,
        "next": problem.next_step or None,
        **problem.more,
    }


def answer(problem: Problem, path: str) -> Response:
    """Return the response for *problem*; for version 1's paths in its form."""
    if path.startswith(V1):
        headers = {**V1_HEADERS, **(problem.headers or {})}
        return JSONResponse({"error": problem.detail}, problem.status_code, headers)
    return JSONResponse(body_of(problem, path), problem.status_code, problem.headers, media_type=MEDIA_TYPE)


def add_handlers(app: FastAPI) -> None:
    """Have every error of *app* answered in this form."""

    async def told(request: Request, error: Exception) -> Response:
        match error:
            case Problem():
                problem = error
            case UserError():
                problem = problem_of(error)
            case RequestValidationError():
                problem = _not_understood(error.errors(), request.headers.get("content-type", ""))
            case HTTPException(__cause__=ValueError() | RecursionError() as why):
                problem = _not_read(why)
            case HTTPException():
                problem = Problem(
                    error.status_code,
                    _SENTENCES.get(error.status_code, str(error.detail)),
                    headers=dict(error.headers or {}),
                )
            case _:
                log.error("event=defect at=%s", named(error))
                problem = Problem(
                    500,
                    "This is a defect of Scrimshaw.",
                    state="Finished steps are kept.",
                    next_step="its log names the place",
                )
        return answer(problem, request.url.path)

    for kind in (UserError, RequestValidationError, HTTPException, Exception):
        app.add_exception_handler(kind, told)


def _not_understood(errors: Sequence[Any], media_type: str) -> Problem:
    # Only place and type: the request's own words may be secret.
    told = [_told(one, media_type) for one in errors[:_MOST_TOLD]]
    detail = "; ".join(f"{one['at']}: {one['what']}" for one in told)
    is_form = any(one["at"] == "body" for one in told)
    return Problem(
        422,
        _UNCLEAR.format(detail),
        errors=told,
        next_step=_SEND_JSON if is_form else "GET /openapi.json",
    )


def _not_read(why: ValueError | RecursionError) -> Problem:
    """Return the answer for a body that FastAPI could not even read as JSON."""
    match why:
        case UnicodeDecodeError():
            what = f"is no text in UTF-8 from byte {why.start} on"
        case RecursionError():
            what = _TOO_DEEP
        case _:
            what = "holds a number of too many digits"
    told = {"at": "body", "what": what}
    return Problem(422, _UNCLEAR.format(f"body: {what}"), errors=[told], next_step=_SEND_JSON)


def _told(one: Mapping[str, Any], media_type: str) -> dict[str, str]:
    """Return where the request is wrong, and what is wrong there, in words for whoever wrote it."""
    from scrimshaw.web.v2.shapes import TEXT  # which is of the routes, and they of this

    at, what = ".".join(map(str, one["loc"][:_MOST_PARTS])), one["msg"].removeprefix("Value error, ")
    match one["type"]:
        case "recursion_loop" | "recursion_depth_exceeded":
            return {"at": at, "what": _TOO_DEEP}
        case "json_invalid":
            return {"at": "body", "what": f"is no JSON from character {one['loc'][-1]} on"}
        case "model_attributes_type" | "missing" if at == "body":
            sent = media_type.partition(";")[0].strip().lower()[:80] or "no type"
            how = "" if _JSON_HEADER.endswith(f" {sent}") else f"; sent as {sent}"
            return {"at": at, "what": f"should be a JSON object{how}"}
        case "string_pattern_mismatch" if one.get("ctx", {}).get("pattern") == TEXT:
            return {"at": at, "what": "should hold something to read; it is empty or blank"}
    return {"at": at, "what": what}
