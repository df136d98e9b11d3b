"""Gemini, through Google's own client: no retries, no redirects, as little thinking as the model allows.

The address, the key and the kind of service are always given: variables such as GOOGLE_GEMINI_BASE_URL or
GOOGLE_GENAI_USE_VERTEXAI would send the text elsewhere than where the owner was told. Thoughts are billed
as output and counted as such. A blocked or empty answer is an answer without text.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from scrimshaw.core.prompting.fence import Prompt
from scrimshaw.models.call import Attempt, RawAnswer, string_or_empty
from scrimshaw.models.keys import Key
from scrimshaw.models.library import LibraryModel, Outcome, Pieces, Refused, ServerError, said_in
from scrimshaw.models.wire import client_settings, place_of, quiet, trusting_nobody

BASE_URL = "https://generativelanguage.googleapis.com"
DEFAULT_MODEL = "gemini-2.5-flash"
KEY_VARIABLES = ("GEMINI_API_KEY", "GOOGLE_API_KEY")
_LEAST_SERVER_SECONDS = 10  # the service refuses a shorter deadline
_FINISHED = {"STOP", "FINISH_REASON_UNSPECIFIED", ""}
_OLDER = re.compile(r"gemini-2\.5-")
_DURATION = re.compile(r"(\d+(?:\.\d+)?)s")


@dataclass(frozen=True, slots=True)
class Gemini(LibraryModel):
    """One of Google's models."""

    ways = MappingProxyType({"temperature": 1, "thinking": 1, "system": 1})
    name: str
    model: str
    key: Key
    is_streaming: bool = False
    base_url: str = BASE_URL

    @property
    def place(self) -> str:
        return f"{place_of(self.base_url)} (Google)"

    def load(self) -> tuple[Any, type[Exception]]:
        from google import genai
        from google.genai import errors

        quiet("google_genai", "google")
        return genai, errors.APIError

    def client(self, library: Any, attempt: Attempt) -> Any:  # noqa: ANN401
        settings = client_settings(attempt, self.base_url, self.key)
        seconds = settings.pop("timeout")
        options = {
            "base_url": self.base_url,
            "timeout": math.ceil(seconds * 1000),
            "headers": {"X-Server-Timeout": str(max(_LEAST_SERVER_SECONDS, math.ceil(seconds)))},
            "client_args": settings,
            "async_client_args": {"ssl": trusting_nobody()},  # of a connection that is never made
        }
        return library.Client(api_key=self.key.reveal(), vertexai=False, http_options=options)

    def send(self, client: Any, prompt: Prompt, refused: Refused, attempt: Attempt) -> Outcome:  # noqa: ANN401
        from google.genai import errors, types

        request = _request(types, self.model, prompt, refused)
        try:
            if self.is_streaming:
                return _streamed(client.models.generate_content_stream(**request), attempt)
            return _whole(client.models.generate_content(**request))
        except errors.APIError as error:
            return _said(error)


def _request(types: Any, model: str, prompt: Prompt, refused: Refused) -> dict[str, Any]:  # noqa: ANN401
    config: dict[str, Any] = {
        "max_output_tokens": prompt.most_output_tokens,
        "automatic_function_calling": types.AutomaticFunctionCallingConfig(disable=True),
    }
    contents = prompt.text
    if refused.get("system"):
        contents = f"{prompt.system}\n\n{prompt.text}"
    else:
        config["system_instruction"] = prompt.system
    if not refused.get("temperature"):
        config["temperature"] = prompt.temperature
    thinking = {} if refused.get("thinking") else _less_thinking(model)
    # An older library knows less of thinking than a newer model.
    if thinking and thinking.keys() <= types.ThinkingConfig.model_fields.keys():
        config["thinking_config"] = types.ThinkingConfig(**thinking)
    return {"model": model, "contents": contents, "config": types.GenerateContentConfig(**config)}


def _less_thinking(model: str) -> dict[str, Any]:
    """Return how *model* is told to think as little as it can; thoughts count against the output limit."""
    if _OLDER.match(model):
        # Pro cannot be told not to think at all.
        return {"thinking_budget": 0 if "flash" in model else 128}
    if "lite" in model or not re.match(r"gemini-[3-9]", model):
        return {}  # thinks little of itself, or not at all
    return {"thinking_level": "low"}


def _whole(response: object) -> RawAnswer:
    _refuse_empty(response)
    text, finish = _candidate(response)
    return _told(response, text, finish)


def _streamed(chunks: Iterable[object], attempt: Attempt) -> RawAnswer:
    pieces = Pieces(attempt)
    finish = ""
    last: object = None
    model: object = None
    for chunk in chunks:
        piece, ended = _candidate(chunk)
        pieces.add(piece)
        finish = ended or finish
        model = getattr(chunk, "model_version", None) or model
        if getattr(chunk, "usage_metadata", None) is not None or last is None:
            last = chunk  # each has the count so far
        if pieces.is_too_long:
            break
    _refuse_empty(last)
    told = _told(last, pieces.text(), finish or "BROKEN OFF")
    return told._replace(model=model)


def _refuse_empty(response: object) -> None:
    """Raise ValueError for what holds none of the protocol's parts: a reply that is none."""
    parts = ("candidates", "prompt_feedback", "usage_metadata")
    if all(getattr(response, part, None) is None for part in parts):
        raise ValueError("no candidates")


def _candidate(response: object) -> tuple[str, str]:
    """Return the text of the first candidate without its thoughts, and why it ended."""
    candidates = getattr(response, "candidates", None) or []
    if not candidates:
        blocked = getattr(getattr(response, "prompt_feedback", None), "block_reason", None)
        return "", "BLOCKED" if blocked else ""
    finish = getattr(candidates[0], "finish_reason", None)
    parts = getattr(getattr(candidates[0], "content", None), "parts", None) or []
    spoken = (part for part in parts if not getattr(part, "thought", False))
    text = "".join(string_or_empty(getattr(part, "text", None)) for part in spoken)
    return text, str(getattr(finish, "name", finish) or "")


def _told(response: object, text: str, finish: str) -> RawAnswer:
    usage = getattr(response, "usage_metadata", None)
    spoken = getattr(usage, "candidates_token_count", None)
    thought = getattr(usage, "thoughts_token_count", None)
    tokens_out = (spoken or 0) + (thought or 0) if spoken is not None or thought is not None else None
    return RawAnswer(
        text,
        getattr(usage, "prompt_token_count", None),
        tokens_out,
        getattr(response, "model_version", None),
        is_cut=finish not in _FINISHED,
    )


def _said(error: Any) -> ServerError:  # noqa: ANN401  # the library's APIError
    body = error.details
    headers = getattr(error.response, "headers", None) or {}
    said = said_in(body, status=error.code if isinstance(error.code, int) else 0, headers=headers)
    details = _details(body)
    words = [string_or_empty(detail.get("reason")) for detail in details]
    wait = next(
        (m for d in details if (m := _DURATION.fullmatch(string_or_empty(d.get("retryDelay"))))), None
    )
    return said._replace(
        code=" ".join([said.code, *filter(None, words)]), wait_seconds=float(wait[1]) if wait else None
    )


def _details(body: object) -> list[Mapping[str, object]]:
    error = body.get("error") if isinstance(body, Mapping) else None
    details = error.get("details") if isinstance(error, Mapping) else None
    return [item for item in details if isinstance(item, Mapping)] if isinstance(details, list) else []
