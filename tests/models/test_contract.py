"""What every provider promises, held against each through its real client library, whole and streamed."""

import gzip
import random
from collections.abc import Callable

import pytest
from tests.model_server import JSON, Wire
from tests.models.asking import PROMPT, ask, serving
from tests.models.dialects import KEY, Dialect, Words

from scrimshaw.models.model import MAX_ANSWER_CHARS, Answer, Failure, Trouble, Usage
from scrimshaw.testing import check_model

LONG = "x" * 230_000


def failing(dialect: Dialect, streaming: bool, *wires: Wire, seconds: float = 20) -> Failure:
    with serving(*wires) as server:
        failure = ask(dialect.open(server.origin, streaming), seconds=seconds)
    assert isinstance(failure, Failure), failure
    return failure


def answering(dialect: Dialect, streaming: bool, words: Words) -> Answer:
    with serving(dialect.say(words, streaming)) as server:
        answer = ask(dialect.open(server.origin, streaming))
    assert isinstance(answer, Answer), answer
    return answer


def test_an_answer_has_its_words_its_count_and_who_answered(dialect: Dialect, streaming: bool) -> None:
    answer = answering(dialect, streaming, Words("A crate of limes → Harbour Street.\n"))

    models = {"openai": "fake-1-2026", "gemini": "gemini-2.5-flash-001", "anthropic": "claude-x-20260101"}
    assert answer == Answer("A crate of limes → Harbour Street.\n", Usage(120, 30), models[dialect.name])


def test_the_prompt_arrives_as_it_is_with_its_output_limit(dialect: Dialect, streaming: bool) -> None:
    with serving(dialect.say(Words("ok"), streaming)) as server:
        ask(dialect.open(server.origin, streaming))

        assert [dialect.prompt_in(asked.body) for asked in server.requests] == [
            (PROMPT.system, PROMPT.text, PROMPT.most_output_tokens)
        ]


def test_it_passes_what_others_models_are_held_to(dialect: Dialect, streaming: bool) -> None:
    with serving(dialect.say(Words("A note."), streaming)) as server:
        check_model(lambda: dialect.open(server.origin, streaming), secrets=[KEY])


def test_an_answer_that_reached_its_limit_is_cut(dialect: Dialect, streaming: bool) -> None:
    answer = answering(dialect, streaming, Words('{"text": "half', end="length"))

    assert (answer.text, answer.is_cut) == ('{"text": "half', True)


def test_a_blocked_answer_is_an_answer_without_words(dialect: Dialect, streaming: bool) -> None:
    answer = answering(dialect, streaming, Words("", end="blocked", used=(120, 0)))

    assert (answer.text, answer.is_cut, answer.usage.tokens_in) == ("", True, 120)


def test_an_empty_answer_is_an_answer_without_words(dialect: Dialect, streaming: bool) -> None:
    answer = answering(dialect, streaming, Words("", used=(120, 0)))

    assert answer.text == ""


def test_what_a_model_says_to_itself_is_billed_and_not_part_of_the_answer(
    dialect: Dialect, streaming: bool
) -> None:
    both = answering(dialect, streaming, Words("A note.", thought="Let me see."))
    alone = answering(dialect, streaming, Words("", thought="Let me see."))

    assert (both.text, both.usage) == ("A note.", Usage(120, 30))
    assert (alone.text, alone.usage) == ("", Usage(120, 30))


def test_what_is_not_counted_is_estimated(dialect: Dialect, streaming: bool) -> None:
    answer = answering(dialect, streaming, Words("A crate of limes, again.", used=None))

    assert answer.usage.is_estimated
    assert 15 < answer.usage.tokens_in < 40
    assert 4 < answer.usage.tokens_out < 12


def test_more_than_any_answer_is_let_go(dialect: Dialect, streaming: bool) -> None:
    answer = answering(dialect, streaming, Words(LONG))

    assert (len(answer.text), answer.is_cut) == (MAX_ANSWER_CHARS, True)


def test_a_body_without_end_is_let_go(dialect: Dialect, streaming: bool) -> None:
    endless = Wire(headers={"Content-Type": "application/json"}, body=b" " * (9 * 1024 * 1024))

    failure = failing(dialect, streaming, endless)

    assert failure.trouble is Trouble.REPLY


def test_an_error_is_a_failure_of_its_kind_after_one_request(dialect: Dialect, streaming: bool) -> None:
    kinds = {
        **dict.fromkeys((400, 404, 413), Trouble.REQUEST),
        **dict.fromkeys((401, 402, 403), Trouble.KEY),
        **dict.fromkeys((408, 425, 500, 503, 529), Trouble.SERVER),
        429: Trouble.RATE,
    }
    with serving(*(dialect.refused(status, "some words") for status in kinds)) as server:
        model = dialect.open(server.origin, streaming)
        failures = {status: ask(model) for status in kinds}

        assert len(server.requests) == len(kinds)
    assert kinds == {status: failure.trouble for status, failure in failures.items()}
    assert all(f"refused with {status}: some words" in told.detail for status, told in failures.items())


def test_a_server_says_how_long_to_wait(dialect: Dialect, streaming: bool) -> None:
    waits = [
        failing(dialect, streaming, dialect.refused(429, **headers)).retry_after_seconds
        for headers in (
            {"Retry-After": "17"},
            {"Retry-After": "0.5"},
            {"retry-after-ms": "250"},
            {"Date": "Sun, 22 Nov 2026 10:00:00 GMT", "Retry-After": "Sun, 22 Nov 2026 10:01:30 GMT"},
            {"Date": "Sun, 22 Nov 2026 10:00:00 GMT", "Retry-After": "Sun, 22 Nov 2026 09:00:00 GMT"},
            {"Retry-After": "soon"},
            {"Retry-After": "nan"},
            {"Retry-After": "-5"},
            {},
        )
    ]

    assert waits == [17, 0.5, 0.25, 90, 0, None, None, 0, None]


def test_an_error_that_is_a_web_page_is_told_by_its_title(dialect: Dialect, streaming: bool) -> None:
    page = b"<!DOCTYPE html><html><head><title>502 Bad Gateway</title></head><body>" + b"<p>long</p>" * 500
    html = {"Content-Type": "text/html"}

    failure = failing(dialect, streaming, Wire(502, html, page))

    assert failure.trouble is Trouble.SERVER
    assert failure.detail.endswith("refused with 502: a web page, 502 Bad Gateway")


@pytest.mark.parametrize(
    "body",
    [
        b"<html><title>Log in to the wireless network</title></html>",
        b'{"id": "half a JSON',
        b"",
        b"null",
        b"[]",
        b'"words"',
        b"{}",
        b'{"choices": "none", "content": 7, "candidates": 7}',
        b"\xff\xfe\x00",
    ],
    ids=["page", "half", "nothing", "null", "list", "text", "empty", "wrong types", "no text"],
)
def test_what_is_not_the_protocol_is_no_answer(dialect: Dialect, streaming: bool, body: bytes) -> None:
    failure = failing(dialect, streaming, Wire(200, JSON, body))

    assert (failure.trouble, failure.is_passing) == (Trouble.REPLY, True)


def test_a_slow_answer_in_time_is_an_answer(dialect: Dialect, streaming: bool) -> None:
    said = dialect.say(Words("A note."), streaming)
    slow = said._replace(piece_bytes=len(said.body) // 5, pause_seconds=0.05)

    with serving(slow) as server:
        answer = ask(dialect.open(server.origin, streaming))

    assert isinstance(answer, Answer)
    assert answer.text == "A note."


@pytest.mark.parametrize(
    "late",
    [
        lambda said: said._replace(hangs=True),
        lambda said: said._replace(stalls=True),
        lambda said: said._replace(piece_bytes=1, pause_seconds=0.05),
    ],
    ids=["hanging", "stalling", "dribbling"],
)
def test_a_call_ends_when_its_time_is_up_whatever_the_server_does(
    dialect: Dialect, streaming: bool, late: Callable[[Wire], Wire]
) -> None:
    with serving(late(dialect.say(Words("A note." * 40), streaming))) as server:
        failure = ask(dialect.open(server.origin, streaming), seconds=0.4)
        has_said_all = server.has_said_all

    assert isinstance(failure, Failure)
    assert failure.trouble is Trouble.TIMEOUT
    assert failure.usage is not None  # it was sent: it may be billed
    assert failure.usage.is_estimated
    assert not has_said_all  # it hangs until it is left, or has its words to say for many times as long


def test_a_call_is_given_up_as_soon_as_we_are_to_end(dialect: Dialect, streaming: bool) -> None:
    with serving(Wire(hangs=True)) as server:
        failure = ask(
            dialect.open(server.origin, streaming), seconds=600, is_stopped=lambda: bool(server.requests)
        )

    assert isinstance(failure, Failure)
    assert failure.trouble is Trouble.STOPPED
    assert len(server.requests) == 1


def test_nothing_is_sent_when_we_are_to_end(dialect: Dialect, streaming: bool) -> None:
    with serving(Wire(hangs=True)) as server:
        failure = ask(dialect.open(server.origin, streaming), is_stopped=lambda: True)

        assert isinstance(failure, Failure)
        assert (failure.trouble, failure.usage, server.requests) == (Trouble.STOPPED, None, [])


def test_a_connection_that_breaks_off_is_a_failure(dialect: Dialect, streaming: bool) -> None:
    said = dialect.say(Words("A note." * 40), streaming)
    broken = failing(dialect, streaming, said._replace(breaks_off_after=len(said.body) // 2))
    unsaid = failing(dialect, streaming, Wire(closes_unsaid=True))

    assert (broken.trouble, unsaid.trouble) == (Trouble.CONNECTION, Trouble.CONNECTION)


def test_a_stream_that_ends_without_an_end_is_cut(dialect: Dialect) -> None:
    said = dialect.say(Words("A note. Another one."), True)
    kept = b"\n\n".join(said.body.split(b"\n\n")[:2]) + b"\n\n"

    with serving(said._replace(body=kept)) as server:
        answer = ask(dialect.open(server.origin, True))

    assert isinstance(answer, Answer)
    assert answer.is_cut


def test_a_server_that_is_not_there_is_a_failure_and_nothing_was_billed(
    dialect: Dialect, streaming: bool
) -> None:
    with serving(Wire()) as server:
        origin = server.origin

    failure = ask(dialect.open(origin, streaming))

    assert isinstance(failure, Failure)
    assert failure.trouble is Trouble.CONNECTION
    assert "refused" in failure.detail


def test_a_redirect_is_not_followed_so_that_no_key_travels(dialect: Dialect, streaming: bool) -> None:
    with serving(dialect.say(Words("stolen"), streaming)) as thief:
        away = Wire(307, {"Location": f"{thief.origin}/v1/chat/completions"})

        failure = failing(dialect, streaming, away)

        assert thief.requests == []
    assert failure.trouble is Trouble.REQUEST
    assert "127.0.0.1" in failure.detail


def test_a_proxy_in_the_environment_is_not_asked_about_this_machine(
    dialect: Dialect, streaming: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    with serving(dialect.refused(500)) as proxy, serving(dialect.say(Words("direct"), streaming)) as server:
        for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"):
            monkeypatch.setenv(name, proxy.origin)
            monkeypatch.setenv(name.lower(), proxy.origin)
        answer = ask(dialect.open(server.origin, streaming))

        assert isinstance(answer, Answer)
        assert (answer.text, proxy.requests) == ("direct", [])


def test_a_proxy_in_the_environment_is_asked_about_every_other(
    dialect: Dialect, streaming: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    with serving(dialect.say(Words("through the proxy"), streaming)) as proxy:
        monkeypatch.setenv("HTTP_PROXY", proxy.origin)
        answer = ask(dialect.open("http://models.invalid", streaming))

        assert isinstance(answer, Answer), answer
        assert (answer.text, len(proxy.requests)) == ("through the proxy", 1)


def test_a_key_is_in_the_header_and_nowhere_else(dialect: Dialect, streaming: bool) -> None:
    with serving(dialect.say(Words("ok"), streaming)) as server:
        model = dialect.open(server.origin, streaming)
        ask(model)

        asked = server.requests[0]
    holding = [name for name, value in asked.headers.items() if KEY in value]
    assert len(holding) == 1
    assert KEY not in asked.path
    assert KEY.encode() not in asked.raw
    assert KEY not in repr(model)


def test_no_answer_repeats_the_key(dialect: Dialect, streaming: bool) -> None:
    with serving(dialect.say(Words(f"you sent {KEY}, with it {KEY}"), streaming)) as server:
        answer = ask(dialect.open(server.origin, streaming))

    assert isinstance(answer, Answer), answer
    assert KEY not in repr(answer)
    assert answer.text.startswith("you sent [")


def test_no_failure_repeats_the_key_or_what_was_sent(
    dialect: Dialect, streaming: bool, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("INFO")
    spoken = (
        f"the key {KEY} is wrong",
        f"the key {KEY[:12]}****{KEY[-4:]} is wrong",
        f"cannot read {PROMPT.text!r}",
        f"line one\n\x1b[31mline two {KEY}",
    )

    failures = [failing(dialect, streaming, dialect.refused(401, message)) for message in spoken]

    told = "\n".join([*(repr(failure) for failure in failures), caplog.text])
    assert KEY[:12] not in told
    assert "Harbour Street" not in told
    assert "\x1b" not in told
    assert "\\n" not in told.replace("\\n\\n", "")


def test_the_variables_of_the_client_libraries_lead_nothing_elsewhere(
    dialect: Dialect, streaming: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    with serving(Wire(500)) as elsewhere, serving(dialect.say(Words("here"), streaming)) as server:
        for name in (
            "OPENAI_BASE_URL",
            "ANTHROPIC_BASE_URL",
            "GOOGLE_GEMINI_BASE_URL",
            "GEMINI_NEXT_GEN_API_BASE_URL",
        ):
            monkeypatch.setenv(name, elsewhere.origin)
        for name in ("OPENAI_API_KEY", "OPENAI_ADMIN_KEY", "ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN"):
            monkeypatch.setenv(name, "another-" + "key")
        for name in ("GOOGLE_API_KEY", "GEMINI_API_KEY", "OPENAI_ORG_ID", "OPENAI_PROJECT_ID"):
            monkeypatch.setenv(name, "another-" + "one")
        for name in ("OPENAI_CUSTOM_HEADERS", "ANTHROPIC_CUSTOM_HEADERS"):
            monkeypatch.setenv(name, "X-Secret: another-one")
        monkeypatch.setenv("GOOGLE_GENAI_USE_VERTEXAI", "true")
        answer = ask(dialect.open(server.origin, streaming))

        assert isinstance(answer, Answer), answer
        asked = server.requests[0]
        assert (answer.text, elsewhere.requests) == ("here", [])
    assert [name for name, value in asked.headers.items() if "another" in value] == []


def test_a_packed_answer_is_not_unfolded_without_end(dialect: Dialect, streaming: bool) -> None:
    packed = gzip.compress(random.Random(7).randbytes(400_000).hex().encode())

    failure = failing(dialect, streaming, Wire(headers={**JSON, "Content-Encoding": "gzip"}, body=packed))

    assert (failure.trouble, "more than an answer" in failure.detail) == (Trouble.REPLY, True)
