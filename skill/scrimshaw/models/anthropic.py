"""Anthropic's Messages API, through its own client: no retries, no redirects, as little thinking as allowed.

The address and the key are always given: ANTHROPIC_BASE_URL, a profile on disk or a token in a variable lead
nothing elsewhere. What is written to and read from the provider's cache counts as input. A refusal is an
answer, mostly without text.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from scrimshaw.core.prompting.fence import Prompt
from scrimshaw.models.call import Attempt, RawAnswer, string_or_empty
from scrimshaw.models.keys import Key
from scrimshaw.models.library import LibraryModel, Outcome, Pieces, Refused, said_in
from scrimshaw.models.wire import client_arguments, client_settings, place_of, quiet

BASE_URL = "https://api.anthropic.com"
KEY_VARIABLES = ("ANTHROPIC_API_KEY",)
_FINISHED = {"end_turn", "stop_sequence"}
# Models that always think can at least be told to make little of it; older ones know neither word.
_LESS_THINKING: tuple[Mapping[str, Any], ...] = (
    {"thinking": {"type": "disabled"}},
    {"output_config": {"effort": "low"}},
)
_INPUT_COUNTS = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")


@dataclass(frozen=True, slots=True)
class Anthropic(LibraryModel):
    """One of Anthropic's models."""

    ways = MappingProxyType({"temperature": 1, "thinking": 2})
    name: str
    model: str
    key: Key
    is_streaming: bool = False
    base_url: str = BASE_URL

    @property
    def place(self) -> str:
        return f"{place_of(self.base_url)} (Anthropic)"

    def load(self) -> tuple[Any, type[Exception]]:
        import anthropic

        quiet("anthropic")
        return anthropic, anthropic.AnthropicError

    def client(self, library: Any, attempt: Attempt) -> Any:  # noqa: ANN401
        settings = client_settings(attempt, self.base_url, self.key)
        known = inspect.signature(library.Anthropic.__init__).parameters
        # Spans with the content of requests may go to whoever collects them.
        untraced = {"open_telemetry": False} if "open_telemetry" in known else {}
        told = client_arguments(library, settings, self.base_url, self.key.reveal())
        return library.Anthropic(**told, **untraced)

    def send(self, client: Any, prompt: Prompt, refused: Refused, attempt: Attempt) -> Outcome:  # noqa: ANN401
        import anthropic

        try:
            got = client.messages.create(**self._request(prompt, refused))
            return _streamed(got, attempt) if self.is_streaming else _whole(got)
        except anthropic.APIStatusError as error:
            # One that came inside a stream has the status of the stream, which was fine.
            status = error.status_code if error.status_code >= 300 else 0
            return said_in(error.body, status=status, headers=error.response.headers)

    def _request(self, prompt: Prompt, refused: Refused) -> dict[str, Any]:
        step = refused.get("thinking", 0)
        body = dict(_LESS_THINKING[step]) if step < len(_LESS_THINKING) else {}
        if not refused.get("temperature"):
            body["temperature"] = prompt.temperature
        return {
            "model": self.model,
            "max_tokens": prompt.most_output_tokens,
            "system": prompt.system,
            "messages": [{"role": "user", "content": prompt.text}],
            "stream": self.is_streaming,
            # By this door nothing of it depends on how old the library is.
            "extra_body": body,
        }


def _whole(message: object) -> RawAnswer:
    blocks = getattr(message, "content", None)
    if not isinstance(blocks, list):
        raise TypeError("no content")  # told as a reply that is not of this protocol
    spoken = (block for block in blocks if getattr(block, "type", "") == "text")
    text = "".join(string_or_empty(getattr(block, "text", None)) for block in spoken)
    usage = getattr(message, "usage", None)
    return RawAnswer(
        text,
        _input_of(usage),
        getattr(usage, "output_tokens", None),
        getattr(message, "model", None),
        is_cut=getattr(message, "stop_reason", None) not in _FINISHED,
    )


def _streamed(events: Iterable[object], attempt: Attempt) -> RawAnswer:
    pieces = Pieces(attempt)
    started: object = None
    tokens_out: object = None
    finish: object = None
    for event in events:
        match getattr(event, "type", ""):
            case "message_start":
                started = getattr(event, "message", None)
            case "content_block_delta":
                pieces.add(string_or_empty(getattr(getattr(event, "delta", None), "text", None)))
            case "message_delta":
                finish = getattr(getattr(event, "delta", None), "stop_reason", None)
                tokens_out = getattr(getattr(event, "usage", None), "output_tokens", None)
        if pieces.is_too_long:
            break
    if started is None:
        raise ValueError("no message")  # told as a reply that is not of this protocol
    return RawAnswer(
        pieces.text(),
        _input_of(getattr(started, "usage", None)),
        tokens_out,
        getattr(started, "model", None),
        is_cut=finish not in _FINISHED,
    )


def _input_of(usage: object) -> int | None:
    counts = [count for name in _INPUT_COUNTS if type(count := getattr(usage, name, None)) is int]
    return sum(counts) if counts else None
