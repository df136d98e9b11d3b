"""What is peculiar to Google's and to Anthropic's models, through their real clients."""

import json
from typing import Any

import pytest
from tests.model_server import JSON, Asked, Wire, WireServer
from tests.models.asking import PROMPT, ask, serving
from tests.models.dialects import DIALECTS, KEY, Words, events, whole

from scrimshaw.models.anthropic import Anthropic
from scrimshaw.models.gemini import Gemini
from scrimshaw.models.keys import Key
from scrimshaw.models.model import Answer, Failure, Trouble, Usage

_, GOOGLE, CLAUDE = DIALECTS


def gemini(origin: str, model: str = "gemini-2.5-flash", *, streaming: bool = False) -> Gemini:
    return Gemini(f"gemini/{model}", model, Key("GEMINI_API_KEY", KEY), streaming, origin)


def anthropic(origin: str, *, streaming: bool = False) -> Anthropic:
    return Anthropic("anthropic/claude-x", "claude-x", Key("ANTHROPIC_API_KEY", KEY), streaming, origin)


def google_error(status: int, message: str, *details: dict[str, Any]) -> Wire:
    error = {"code": status, "message": message, "status": "SOME", "details": list(details)}
    return Wire(status, JSON, json.dumps({"error": error}).encode())


def claude_error(status: int, kind: str, message: str) -> Wire:
    error = {"type": "error", "error": {"type": kind, "message": message}}
    return Wire(status, JSON, json.dumps(error).encode())


def test_a_prompt_that_google_blocks_is_an_answer_without_words(streaming: bool) -> None:
    blocked = {
        "promptFeedback": {"blockReason": "PROHIBITED_CONTENT"},
        "usageMetadata": {"promptTokenCount": 50, "totalTokenCount": 50},
        "modelVersion": "gemini-2.5-flash",
    }
    with serving(events(blocked) if streaming else whole(blocked)) as server:
        answer = ask(gemini(server.origin, streaming=streaming))

    assert isinstance(answer, Answer)
    assert (answer.text, answer.is_cut, answer.usage.tokens_in) == ("", True, 50)


def test_a_word_of_google_about_the_prompt_is_no_block(streaming: bool) -> None:
    said = GOOGLE.say(Words("A note."), False)
    rated = json.loads(said.body) | {"promptFeedback": {"safetyRatings": []}}
    with serving(events(rated) if streaming else whole(rated)) as server:
        answer = ask(gemini(server.origin, streaming=streaming))

    assert isinstance(answer, Answer)
    assert (answer.text, answer.is_cut) == ("A note.", False)


def test_each_of_googles_models_is_told_to_think_as_little_as_it_can() -> None:
    models = ("gemini-2.5-flash", "gemini-2.5-flash-lite", "gemini-2.5-pro", "gemini-3.5-flash-lite")
    said = {}
    with serving(GOOGLE.say(Words("ok"), False)) as server:
        for model in (*models, "gemini-3.8-flash", "gemma-4-31b"):
            ask(gemini(server.origin, model))
            config = server.requests[-1].body["generationConfig"].get("thinkingConfig")
            # The service takes a name in either spelling, and the client's versions differ.
            said[model] = config and {name.replace("_", "").lower(): value for name, value in config.items()}

    assert said == {
        "gemini-2.5-flash": {"thinkingbudget": 0},
        "gemini-2.5-flash-lite": {"thinkingbudget": 0},
        "gemini-2.5-pro": {"thinkingbudget": 128},
        "gemini-3.5-flash-lite": None,
        "gemini-3.8-flash": {"thinkinglevel": "LOW"},
        "gemma-4-31b": None,
    }


def test_a_model_of_google_that_refuses_a_word_about_thinking_is_asked_without() -> None:
    def answers(asked: Asked) -> Wire:
        if "thinkingConfig" in asked.body["generationConfig"]:
            return google_error(400, "Thinking level is not supported for this model.")
        return GOOGLE.say(Words("A note."), False)

    with WireServer(answers) as server:
        answer = ask(gemini(server.origin, "gemini-3.8-flash"))
        ask(gemini(server.origin, "gemini-3.8-flash"))

        assert isinstance(answer, Answer)
        assert len(server.requests) == 3


def test_google_says_in_the_body_how_long_to_wait() -> None:
    retry = {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "32.5s"}
    with serving(google_error(429, "Quota exceeded for metric requests", retry)) as server:
        failure = ask(gemini(server.origin))

    assert isinstance(failure, Failure)
    assert (failure.trouble, failure.retry_after_seconds) == (Trouble.RATE, 32.5)


def test_a_wrong_key_is_a_matter_of_the_key_although_google_calls_it_a_bad_request() -> None:
    reason = {"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": "API_KEY_INVALID"}
    with serving(google_error(400, "API key not valid. Please pass a valid API key.", reason)) as server:
        failure = ask(gemini(server.origin))

    assert isinstance(failure, Failure)
    assert failure.trouble is Trouble.KEY
    assert failure.detail.endswith("Next: see that GEMINI_API_KEY holds a valid key")


def test_an_error_in_the_middle_of_googles_stream_is_an_error() -> None:
    begun = {"candidates": [{"content": {"parts": [{"text": "A"}]}, "index": 0}]}
    broken = {"error": {"code": 503, "message": "The model is overloaded.", "status": "UNAVAILABLE"}}
    with serving(events(begun, broken)) as server:
        failure = ask(gemini(server.origin, streaming=True))

    assert isinstance(failure, Failure)
    assert failure.trouble is Trouble.SERVER


def test_google_is_given_a_deadline_that_it_takes(capfd: pytest.CaptureFixture[str]) -> None:
    with serving(GOOGLE.say(Words("ok"), False)) as server:
        ask(gemini(server.origin), seconds=3)

        assert server.requests[0].headers["x-server-timeout"] == "10"
    assert capfd.readouterr() == ("", "")


def test_googles_system_text_does_not_go_where_none_is_taken() -> None:
    def answers(asked: Asked) -> Wire:
        if "systemInstruction" in asked.body:
            return google_error(400, "System instruction is not enabled for models/gemma-3")
        return GOOGLE.say(Words("A note."), False)

    with WireServer(answers) as server:
        answer = ask(gemini(server.origin, "gemma-3"))

        assert isinstance(answer, Answer)
        sent = server.requests[-1].body["contents"][0]["parts"][0]["text"]
    assert sent == f"{PROMPT.system}\n\n{PROMPT.text}"


def test_what_anthropics_cache_holds_counts_as_input(streaming: bool) -> None:
    used = {
        "input_tokens": 5,
        "cache_creation_input_tokens": 70,
        "cache_read_input_tokens": 25,
        "output_tokens": 9,
    }
    head = {"id": "m", "type": "message", "role": "assistant", "model": "claude-x", "usage": used}
    ends = [
        {"type": "message_start", "message": {**head, "content": []}},
        {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "A note."}},
        {"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": 9}},
    ]
    said = {**head, "content": [{"type": "text", "text": "A note."}], "stop_reason": "end_turn"}
    with serving(events(*ends, named=True) if streaming else whole(said)) as server:
        answer = ask(anthropic(server.origin, streaming=streaming))

    assert answer == Answer("A note.", Usage(100, 9), "claude-x")


def test_a_claude_that_always_thinks_is_told_to_make_little_of_it() -> None:
    def answers(asked: Asked) -> Wire:
        if "thinking" in asked.body:
            return claude_error(400, "invalid_request_error", "thinking: cannot be disabled for this model")
        if "temperature" in asked.body:
            return claude_error(400, "invalid_request_error", "`temperature` may not be set for this model")
        return CLAUDE.say(Words("A note."), False)

    with WireServer(answers) as server:
        first, second = ask(anthropic(server.origin)), ask(anthropic(server.origin))

        bodies = [asked.body for asked in server.requests]
    assert [isinstance(first, Answer), isinstance(second, Answer), len(bodies)] == [True, True, 4]
    assert bodies[-1]["output_config"] == {"effort": "low"}
    assert {"thinking", "temperature"} & bodies[-1].keys() == set()


def test_an_empty_account_at_anthropic_does_not_pass_by_itself() -> None:
    low = "Your credit balance is too low to access the Anthropic API."
    with serving(claude_error(400, "invalid_request_error", low)) as server:
        failure = ask(anthropic(server.origin))

    assert isinstance(failure, Failure)
    assert failure.trouble is Trouble.KEY


@pytest.mark.parametrize(
    ("kind", "trouble"),
    [
        ("overloaded_error", Trouble.SERVER),
        ("rate_limit_error", Trouble.RATE),
        ("api_error", Trouble.SERVER),
        ("authentication_error", Trouble.KEY),
        ("invalid_request_error", Trouble.REQUEST),
    ],
)
def test_an_error_in_the_middle_of_anthropics_stream_is_an_error_of_its_kind(
    kind: str, trouble: Trouble
) -> None:
    begun = {"type": "message_start", "message": {"id": "m", "content": [], "usage": {"input_tokens": 5}}}
    broken = {"type": "error", "error": {"type": kind, "message": "some words"}}
    with serving(events(begun, broken, named=True)) as server:
        failure = ask(anthropic(server.origin, streaming=True))

    assert isinstance(failure, Failure)
    assert (failure.trouble, "some words" in failure.detail) == (trouble, True)
