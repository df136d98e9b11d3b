"""The wire formats of the providers, so that one contract can be held against each through its real client.

A dialect opens its model at any address and says the same few things in its own form: words with a reason to
end and a count, a thought without words, an error. `streaming` is asked of the model and of what is said.
"""

import json
from collections.abc import Callable
from typing import Any, NamedTuple

from tests.model_server import EVENTS, JSON, Wire

from scrimshaw.models.anthropic import Anthropic
from scrimshaw.models.gemini import Gemini
from scrimshaw.models.keys import Key
from scrimshaw.models.model import Model
from scrimshaw.models.openai_compatible import OpenAICompatible
from scrimshaw.models.presets import Preset

KEY = "sk-" + "test-" + "hT4kq9Zx2LmV8sRw3NbY6cJd5PfG"


class Words(NamedTuple):
    """What a model says; *end*: done, length, blocked; *used* in and out, None when it does not count."""

    text: str
    end: str = "done"
    used: tuple[int, int] | None = (120, 30)
    thought: str = ""  # said to itself; its tokens are 10 of the 30


class Dialect(NamedTuple):
    """One provider's way to say things."""

    name: str
    open: Callable[[str, bool], Model]  # the server's origin, streaming
    say: Callable[[Words, bool], Wire]
    refuse: Callable[[int, str], bytes]  # the body of an error
    prompt_in: Callable[[dict[str, Any]], tuple[str, str, int]]  # system, text, the output limit

    def refused(self, status: int, message: str = "not now", **headers: str) -> Wire:
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        return Wire(status, {**JSON, **named}, self.refuse(status, message))


def events(*said: object, named: bool = False, end: str = "") -> Wire:
    lines = []
    for one in said:
        name = f"event: {one['type']}\n" if named and isinstance(one, dict) else ""
        lines.append(f"{name}data: {json.dumps(one)}\n\n")
    return Wire(headers=EVENTS, body=("".join(lines) + end).encode())


def whole(said: object) -> Wire:
    return Wire(body=json.dumps(said).encode())


def _halves(text: str) -> list[str]:
    middle = (len(text) + 1) // 2
    return [half for half in (text[:middle], text[middle:]) if half]


# -- OpenAI's chat completions ------------------------------------------------------------------------


def _open_openai(origin: str, streaming: bool) -> Model:
    return OpenAICompatible(
        "local/fake-1", "fake-1", Preset(f"{origin}/v1"), Key("LOCAL_KEY", KEY), streaming
    )


def _say_openai(words: Words, streaming: bool) -> Wire:
    finish = {"done": "stop", "length": "length", "blocked": "content_filter"}[words.end]
    usage = (
        {"usage": {"prompt_tokens": words.used[0], "completion_tokens": words.used[1]}} if words.used else {}
    )
    head = {"id": "chatcmpl-1", "created": 1, "model": "fake-1-2026"}
    thought = {"reasoning_content": words.thought} if words.thought else {}
    if not streaming:
        message = {"role": "assistant", "content": words.text or None, **thought}
        return whole(
            {**head, "choices": [{"index": 0, "message": message, "finish_reason": finish}], **usage}
        )
    deltas: list[tuple[dict[str, Any], str | None]] = [({"role": "assistant", **thought}, None)]
    deltas += [({"content": half}, None) for half in _halves(words.text)] + [({}, finish)]
    chunks = [
        {**head, "choices": [{"index": 0, "delta": delta, "finish_reason": end}]} for delta, end in deltas
    ]
    return events(*chunks, *([{**head, "choices": [], **usage}] if usage else []), end="data: [DONE]\n\n")


def _refuse_openai(status: int, message: str) -> bytes:
    return json.dumps({"error": {"message": message, "type": "some_error", "code": None}}).encode()


def _prompt_openai(body: dict[str, Any]) -> tuple[str, str, int]:
    system, user = body["messages"]
    return system["content"], user["content"], body["max_tokens"]


# -- Gemini -------------------------------------------------------------------------------------------


def _open_gemini(origin: str, streaming: bool) -> Model:
    return Gemini(
        "gemini/gemini-2.5-flash", "gemini-2.5-flash", Key("GEMINI_API_KEY", KEY), streaming, origin
    )


def _say_gemini(words: Words, streaming: bool) -> Wire:
    finish = {"done": "STOP", "length": "MAX_TOKENS", "blocked": "SAFETY"}[words.end]
    usage: dict[str, Any] = {}
    if words.used:
        thought = 10 if words.thought else 0
        counts = {"promptTokenCount": words.used[0], "candidatesTokenCount": words.used[1] - thought}
        usage = {"usageMetadata": counts | ({"thoughtsTokenCount": thought} if thought else {})}
    parts = [{"text": words.thought, "thought": True}] if words.thought else []
    head = {"modelVersion": "gemini-2.5-flash-001", "responseId": "r1"}

    def said(parts: list[dict[str, Any]], **ends: str) -> dict[str, Any]:
        content = {"content": {"role": "model", "parts": parts}} if parts else {}
        return {"candidates": [{**content, "index": 0, **ends}], **usage, **head}

    if not streaming:
        spoken = [{"text": words.text}] if words.text else []
        return whole(said(parts + spoken, finishReason=finish))
    pieces = [said(parts)] if parts else []
    pieces += [said([{"text": half}]) for half in _halves(words.text)]
    return events(*pieces, said([], finishReason=finish))


def _refuse_gemini(status: int, message: str) -> bytes:
    return json.dumps({"error": {"code": status, "message": message, "status": "SOME_STATUS"}}).encode()


def _prompt_gemini(body: dict[str, Any]) -> tuple[str, str, int]:
    return (
        body["systemInstruction"]["parts"][0]["text"],
        body["contents"][0]["parts"][0]["text"],
        body["generationConfig"]["maxOutputTokens"],
    )


# -- Anthropic's messages -----------------------------------------------------------------------------


def _open_anthropic(origin: str, streaming: bool) -> Model:
    return Anthropic("anthropic/claude-x", "claude-x", Key("ANTHROPIC_API_KEY", KEY), streaming, origin)


def _say_anthropic(words: Words, streaming: bool) -> Wire:
    finish = {"done": "end_turn", "length": "max_tokens", "blocked": "refusal"}[words.end]
    tokens_in, tokens_out = words.used or (0, 0)
    blocks = [{"type": "thinking", "thinking": words.thought, "signature": "s"}] if words.thought else []
    blocks += [{"type": "text", "text": words.text}] if words.text else []
    head = {"id": "msg_1", "type": "message", "role": "assistant", "model": "claude-x-20260101"}
    used = {"usage": {"input_tokens": tokens_in, "output_tokens": tokens_out}} if words.used else {}
    if not streaming:
        return whole({**head, "content": blocks, "stop_reason": finish, "stop_sequence": None, **used})
    began = {"usage": {"input_tokens": tokens_in, "output_tokens": 1}} if words.used else {}
    said: list[dict[str, Any]] = [
        {"type": "message_start", "message": {**head, "content": [], "stop_reason": None, **began}},
        {"type": "ping"},
    ]
    for index, block in enumerate(blocks):
        kind = block["type"]
        said.append({"type": "content_block_start", "index": index, "content_block": {**block, kind: ""}})
        said += [
            {"type": "content_block_delta", "index": index, "delta": {"type": f"{kind}_delta", kind: half}}
            for half in _halves(block[kind])
        ]
        said.append({"type": "content_block_stop", "index": index})
    ends = {"usage": {"output_tokens": tokens_out}} if words.used else {}
    said.append({"type": "message_delta", "delta": {"stop_reason": finish, "stop_sequence": None}, **ends})
    return events(*said, {"type": "message_stop"}, named=True)


def _refuse_anthropic(status: int, message: str) -> bytes:
    kinds = {529: "overloaded_error", 429: "rate_limit_error", 401: "authentication_error"}
    error = {"type": kinds.get(status, "api_error" if status >= 500 else "some_error"), "message": message}
    return json.dumps({"type": "error", "error": error, "request_id": "req_1"}).encode()


def _prompt_anthropic(body: dict[str, Any]) -> tuple[str, str, int]:
    return body["system"], body["messages"][0]["content"], body["max_tokens"]


DIALECTS = (
    Dialect("openai", _open_openai, _say_openai, _refuse_openai, _prompt_openai),
    Dialect("gemini", _open_gemini, _say_gemini, _refuse_gemini, _prompt_gemini),
    Dialect("anthropic", _open_anthropic, _say_anthropic, _refuse_anthropic, _prompt_anthropic),
)
