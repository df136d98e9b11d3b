"""What servers that speak OpenAI's protocol differ in, through the real client."""

import json
from typing import Any

from tests.model_server import JSON, Asked, ModelServer, Refused, Reply, Say, Wire, WireServer
from tests.models.asking import PROMPT, ask, serving
from tests.models.dialects import DIALECTS, KEY, Words, events, whole

from scrimshaw.models.call import count_tokens
from scrimshaw.models.keys import NO_KEY, Key
from scrimshaw.models.model import Answer, Failure, Trouble, Usage
from scrimshaw.models.openai_compatible import OpenAICompatible
from scrimshaw.models.presets import PRESETS, Preset

OPENAI = DIALECTS[0]


def model_at(
    url: str,
    *,
    model: str = "fake-1",
    streaming: bool = False,
    preset: Preset | None = None,
    key: Key = NO_KEY,
) -> OpenAICompatible:
    known = (preset or Preset(url))._replace(base_url=url)
    return OpenAICompatible(f"local/{model}", model, known, key, streaming)


def picky(
    *refused: str, words: str = "Unsupported parameter: '{0}' is not supported with this model."
) -> Any:
    """A server that takes none of the parameters *refused*."""

    def reply(asked: Asked) -> Reply:
        sent = asked.body | {"system": any(m["role"] == "system" for m in asked.body["messages"])}
        named = next((name for name in refused if sent.get(name)), None)
        return Refused(400, message=words.format(named)) if named else "A note."

    return reply


def sent_after(server: ModelServer) -> list[dict[str, Any]]:
    return [asked.body for asked in server.requests]


def test_a_refused_parameter_is_said_otherwise_or_left_out_and_not_sent_again() -> None:
    with ModelServer(picky("max_tokens", "temperature"), repeats=True) as server:
        model = model_at(server.url)
        first, second = ask(model), ask(model)

        bodies = sent_after(server)
    assert [isinstance(first, Answer), isinstance(second, Answer)] == [True, True]
    assert len(bodies) == 4  # two refusals are learnt from once
    assert bodies[2] == bodies[3]
    assert bodies[3]["max_completion_tokens"] == PROMPT.most_output_tokens
    assert {"max_tokens", "temperature"} & bodies[3].keys() == set()


def test_an_output_limit_is_never_left_out() -> None:
    both = "max_tokens and max_completion_tokens are not supported"
    with ModelServer(Refused(400, message=both), repeats=True) as server:
        failure = ask(model_at(server.url))

        bodies = sent_after(server)
    assert isinstance(failure, Failure)
    assert failure.trouble is Trouble.REQUEST
    assert all(body.get("max_tokens") or body.get("max_completion_tokens") for body in bodies)
    assert len(bodies) == 2


def test_an_output_limit_that_is_too_high_is_told_and_not_said_otherwise() -> None:
    told = "max_tokens is too large: 400. This model supports at most 100 completion tokens"
    with ModelServer(Refused(400, message=told)) as server:
        failure = ask(model_at(server.url))

        assert isinstance(failure, Failure)
        assert (failure.trouble, len(server.requests)) == (Trouble.REQUEST, 1)


def test_what_was_refused_of_a_call_that_failed_is_not_remembered() -> None:
    with ModelServer(Refused(400, message="no temperature please"), Refused(500), "A note.") as server:
        model = model_at(server.url)
        ask(model)
        ask(model)

        assert "temperature" in sent_after(server)[-1]


def test_a_template_without_a_system_role_gets_one_message() -> None:
    with ModelServer(picky("system", words="System role not supported")) as server:
        server.repeats = True
        answer = ask(model_at(server.url))

        assert isinstance(answer, Answer)
        assert sent_after(server)[-1]["messages"] == [
            {"role": "user", "content": f"{PROMPT.system}\n\n{PROMPT.text}"}
        ]


def test_a_server_that_does_not_count_in_streams_is_asked_without_and_estimated() -> None:
    refused = picky("stream_options", words="Extra inputs are not permitted: body.stream_options")
    with ModelServer(refused, repeats=True) as server:
        answer = ask(model_at(server.url, streaming=True))

        assert isinstance(answer, Answer)
        assert (answer.text, answer.usage.is_estimated, len(server.requests)) == ("A note.", True, 2)


def test_openai_itself_gets_the_newer_limit_and_is_asked_to_think_less_and_less() -> None:
    def reply(asked: Asked) -> Reply:
        if (effort := asked.body.get("reasoning_effort")) in ("none", "minimal"):
            error = {"message": f"Unsupported value: '{effort}'", "param": "reasoning_effort"}
            return Wire(400, JSON, json.dumps({"error": error}).encode())
        return "A note."

    with ModelServer(reply, repeats=True) as server:
        ask(model_at(server.url, model="gpt-6-luna", preset=PRESETS["openai"], key=Key("K", KEY)))
        ask(model_at(server.url, model="gpt-4.1-mini", preset=PRESETS["openai"], key=Key("K", KEY)))

        bodies = sent_after(server)
    assert [body.get("reasoning_effort") for body in bodies] == ["none", "minimal", "low", None]
    assert all("max_tokens" not in body and body["max_completion_tokens"] == 400 for body in bodies)


def test_each_server_is_told_to_think_less_in_its_own_words() -> None:
    said = {}
    with ModelServer("A note.", repeats=True) as server:
        for name, preset in PRESETS.items():
            ask(model_at(server.url, model=f"gpt-6-{name}", preset=preset))
            body = sent_after(server)[-1]
            usual = ("model", "messages", "max_tokens", "max_completion_tokens", "temperature")
            said[name] = {key: value for key, value in body.items() if key not in usual}

    assert said == {
        "openai": {"reasoning_effort": "none"},
        "ollama": {"reasoning_effort": "none"},
        "vllm": {},
        "openrouter": {"reasoning": {"effort": "none"}},
        "deepseek": {"thinking": {"type": "disabled"}},
        "qwen": {"enable_thinking": False},
        "glm": {"thinking": {"type": "disabled"}},
    }


def test_a_server_without_a_key_gets_no_authorization() -> None:
    with ModelServer("A note.") as server:
        ask(model_at(server.url))

        assert "authorization" not in server.requests[0].headers


def test_a_thought_inside_the_words_is_no_part_of_the_answer() -> None:
    texts = [
        '<think>\n{"text": "a draft"}\n</think>\n\nA note.',
        "\n<thinking>hm</thinking>A note.",
        '<think>it never ends {"text": "a draft"}',
        "A note about <think> tags.",
    ]
    with ModelServer(*texts) as server:
        answers = [ask(model_at(server.url)) for _ in texts]

    assert [answer.text.strip() for answer in answers if isinstance(answer, Answer)] == [
        "A note.",
        "A note.",
        "",
        "A note about <think> tags.",
    ]


def test_words_in_parts_and_words_of_refusal_are_words() -> None:
    parts = [
        {"type": "thinking", "text": "hm"},
        *({"type": "text", "text": said} for said in ("A ", "note.")),
    ]
    refusal = {"content": None, "refusal": "I cannot help with that."}
    messages = [{"content": parts}, refusal, {"content": None}]
    wires = [whole({"choices": [{"message": message, "finish_reason": "stop"}]}) for message in messages]
    with serving(*wires) as server:
        answers = [ask(model_at(f"{server.origin}/v1")) for _ in wires]

    assert [answer.text for answer in answers if isinstance(answer, Answer)] == [
        "A note.",
        "I cannot help with that.",
        "",
    ]


def test_an_error_inside_an_answer_is_an_error() -> None:
    limit = {"error": {"code": 429, "message": "Rate limit exceeded upstream"}}
    down = {"choices": [{"error": {"code": 502, "message": "Upstream is gone"}, "message": {"content": ""}}]}
    full = {"error": {"type": "server_error", "message": "The server is overloaded"}}
    with serving(whole(limit), whole(down), events(full)) as server:
        url = f"{server.origin}/v1"
        failures = [ask(model_at(url)), ask(model_at(url)), ask(model_at(url, streaming=True))]

    assert [failure.trouble for failure in failures if isinstance(failure, Failure)] == [
        Trouble.RATE,
        Trouble.SERVER,
        Trouble.SERVER,
    ]


def test_an_exhausted_account_does_not_pass_by_itself() -> None:
    quota = {"message": "You exceeded your current quota", "code": "insufficient_quota"}
    with serving(Wire(429, JSON, json.dumps({"error": quota}).encode())) as server:
        failure = ask(model_at(f"{server.origin}/v1"))

    assert isinstance(failure, Failure)
    assert (failure.trouble, failure.is_passing) == (Trouble.KEY, False)


def test_counts_that_no_server_can_mean_are_estimated() -> None:
    counts = [(0, 0), (-5, -7), ("many", "few"), (10**18, 10**18), (True, True), (1.5, 2.5)]
    choices = {"choices": [{"message": {"content": "A note."}}]}
    usages = [{"prompt_tokens": sent, "completion_tokens": got} for sent, got in counts]
    with serving(*(whole({**choices, "usage": usage}) for usage in usages)) as server:
        answers = [ask(model_at(f"{server.origin}/v1")) for _ in counts]

    assert {answer.usage for answer in answers if isinstance(answer, Answer)} == {
        Usage(count_tokens(PROMPT.system) + count_tokens(PROMPT.text), count_tokens("A note."), True)
    }


def test_a_stream_that_is_asked_for_and_not_given_is_no_answer() -> None:
    with serving(OPENAI.say(Words("A note."), False)) as server:
        failure = ask(model_at(f"{server.origin}/v1", streaming=True))

    assert isinstance(failure, Failure)
    assert failure.trouble is Trouble.REPLY


def test_a_stream_that_holds_no_choice_at_all_is_no_answer() -> None:
    usage = {"choices": [], "usage": {"prompt_tokens": 9, "completion_tokens": 0}}
    with serving(events(usage, {"choices": []}, end="data: [DONE]\n\n")) as server:
        failure = ask(model_at(f"{server.origin}/v1", streaming=True))

    assert isinstance(failure, Failure)
    assert failure.trouble is Trouble.REPLY


def test_the_model_server_of_the_other_tests_speaks_the_protocol() -> None:
    with ModelServer("one", Say("two", finish="length", tokens=(7, 5)), Say("three", tokens=None)) as server:
        answers = [ask(model_at(server.url, streaming=streaming)) for streaming in (False, True, True)]

        assert [asked.text for asked in server.requests] == [PROMPT.text] * 3
        assert server.requests[0].system == PROMPT.system
    assert [(a.text, a.is_cut, a.usage.is_estimated) for a in answers if isinstance(a, Answer)] == [
        ("one", False, False),
        ("two", True, False),
        ("three", False, True),
    ]


def test_a_place_is_this_machine_or_a_host_and_says_when_it_is_not_encrypted() -> None:
    urls = [
        "http://localhost:1/v1",
        "http://[::1]:1/v1",
        "https://me:secret@api.example/v1",
        "http://box:8000/v1",
    ]

    places = [model_at(url).place for url in urls]

    assert places == ["this machine", "this machine", "api.example", "box (not encrypted)"]


def test_no_request_is_made_to_find_out_anything_else() -> None:
    with WireServer(lambda _: OPENAI.say(Words("A note."), False)) as server:
        ask(model_at(f"{server.origin}/v1"))

        assert [(asked.method, asked.path) for asked in server.requests] == [("POST", "/v1/chat/completions")]
