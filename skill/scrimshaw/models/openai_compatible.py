"""OpenAI's chat completions, and the many servers that speak them: through the `openai` client.

What differs from server to server stands in `presets`; what a server refuses is left out (`adapting`). The
address and the key are always given, so that a variable such as OPENAI_BASE_URL leads nothing elsewhere.
Sends and reads; what an answer means is for others.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from scrimshaw.core.prompting.fence import Prompt
from scrimshaw.models.call import Attempt, RawAnswer, string_or_empty
from scrimshaw.models.keys import Key
from scrimshaw.models.library import LibraryModel, Outcome, Pieces, Refused, ServerError, said_in
from scrimshaw.models.presets import Preset
from scrimshaw.models.wire import client_arguments, client_settings, place_of, quiet

_CUT = {"length", "max_tokens", "model_length", "content_filter", "insufficient_system_resource", "error"}
_OWN_HEADERS = frozenset({"openai-organization", "openai-project"})
# Models that think aloud inside their answer, where no server takes it out.
_THOUGHT = re.compile(r"\s*<think(?:ing)?>.*?(?:</think(?:ing)?>|\Z)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class OpenAICompatible(LibraryModel):
    """A model behind chat completions."""

    ways = MappingProxyType(
        {
            "max_tokens": 1,
            "temperature": 1,
            "stream_options": 1,
            "thinking": 3,
            "system": 1,
        }
    )
    name: str
    model: str
    preset: Preset
    key: Key
    is_streaming: bool = False

    @property
    def place(self) -> str:
        return place_of(self.preset.base_url)

    @property
    def base_url(self) -> str:
        return self.preset.base_url

    def load(self) -> tuple[Any, type[Exception]]:
        import openai

        quiet("openai")
        return openai, openai.OpenAIError

    def client(self, library: Any, attempt: Attempt) -> Any:  # noqa: ANN401
        own = _OWN_HEADERS if self.preset.is_openai else frozenset()
        settings = client_settings(attempt, self.preset.base_url, self.key, extra_headers=own)
        key = self.key.reveal() or "none"
        return library.OpenAI(**client_arguments(library, settings, self.preset.base_url, key))

    def send(self, client: Any, prompt: Prompt, refused: Refused, attempt: Attempt) -> Outcome:  # noqa: ANN401
        import openai

        try:
            got = client.chat.completions.create(**self._request(prompt, refused))
            return _streamed(got, attempt) if self.is_streaming else _whole(got)
        except openai.APIStatusError as error:
            return said_in(error.body, status=error.status_code, headers=error.response.headers)
        except openai.APIConnectionError:
            raise
        except openai.APIError as error:  # one that came inside a stream
            return said_in(error.body, fallback=error.message)

    def _request(self, prompt: Prompt, refused: Refused) -> dict[str, Any]:
        messages = [{"role": "system", "content": prompt.system}, {"role": "user", "content": prompt.text}]
        if refused.get("system"):
            messages = [{"role": "user", "content": f"{prompt.system}\n\n{prompt.text}"}]
        request: dict[str, Any] = {"model": self.model, "messages": messages}
        is_newer = self.preset.is_openai != bool(refused.get("max_tokens"))
        request["max_completion_tokens" if is_newer else "max_tokens"] = prompt.most_output_tokens
        if not refused.get("temperature"):
            request["temperature"] = prompt.temperature
        if self.is_streaming:
            request["stream"] = True
            if not refused.get("stream_options"):
                request["stream_options"] = {"include_usage": True}
        ways = self.preset.less_thinking(self.model)
        step = refused.get("thinking", 0)
        return request | ({"extra_body": dict(ways[step])} if step < len(ways) else {})


def _whole(completion: object) -> Outcome:
    if refused := _error_in(completion):
        return refused
    choice = _first_choice(completion)
    if choice is None:
        raise ValueError("no choices")  # told as a reply that is not of this protocol
    if refused := _error_in(choice):
        return refused
    message = getattr(choice, "message", None)
    text = _content(getattr(message, "content", None)) or string_or_empty(getattr(message, "refusal", None))
    tokens_in, tokens_out = _used(completion)
    is_cut = getattr(choice, "finish_reason", None) in _CUT
    return RawAnswer(
        _without_thought(text), tokens_in, tokens_out, getattr(completion, "model", None), is_cut=is_cut
    )


def _streamed(chunks: Iterable[object], attempt: Attempt) -> Outcome:
    pieces = Pieces(attempt)
    finish = model = None
    used: tuple[object, object] = (None, None)
    is_any = False
    for chunk in chunks:
        if refused := _error_in(chunk):
            return refused
        model = getattr(chunk, "model", None) or model
        used = _used(chunk) if getattr(chunk, "usage", None) else used
        choice = _first_choice(chunk)
        if choice is None:
            continue  # usage stands in an event of its own
        is_any = True
        pieces.add(_content(getattr(getattr(choice, "delta", None), "content", None)))
        finish = getattr(choice, "finish_reason", None) or finish
        if pieces.is_too_long:
            break
    if not is_any:
        raise ValueError("no choices")  # told as a reply that is not of this protocol
    text = _without_thought(pieces.text())
    return RawAnswer(text, *used, model, is_cut=finish is None or finish in _CUT)


def _error_in(said: object) -> ServerError | None:
    """Return the error that stands where an answer should: some servers send it with status 200."""
    error = getattr(said, "error", None)
    return said_in(error) if error else None


def _first_choice(said: object) -> object | None:
    choices = getattr(said, "choices", None)
    return choices[0] if isinstance(choices, list) and choices else None


def _content(said: object) -> str:
    if isinstance(said, list):  # parts, of which thoughts are one sort
        parts = (part for part in said if isinstance(part, Mapping) and part.get("type") == "text")
        return "".join(string_or_empty(part.get("text")) for part in parts)
    return string_or_empty(said)


def _without_thought(text: str) -> str:
    found = _THOUGHT.match(text)
    return text[found.end() :] if found else text


def _used(said: object) -> tuple[object, object]:
    usage = getattr(said, "usage", None)
    return getattr(usage, "prompt_tokens", None), getattr(usage, "completion_tokens", None)
