"""No web page reaches the server, and nothing too large, too slow or too deep does harm."""

from __future__ import annotations

import asyncio
import logging
from pathlib import Path

import pytest
from tests.web.conftest import V2, Served

from scrimshaw.web.guard import Limits

SAID = {"content": "The spare key is under the third pot."}


@pytest.mark.parametrize(
    "base", ["http://attacker.example", "http://localhost.attacker.example:18892", "http://127.0.0.2"]
)
def test_a_name_that_was_bent_to_this_machine_is_refused(served: Served, base: str) -> None:
    assert served.post("/store", SAID, base=base).status_code == 421
    assert served.ask("GET", "/health", base=base).status_code == 421


@pytest.mark.parametrize("base", ["http://localhost:1", "http://127.0.0.1:18892", "http://[::1]:18892"])
def test_its_own_names_are_answered(served: Served, base: str) -> None:
    assert served.ask("GET", "/health", base=base).status_code == 200


@pytest.mark.parametrize(
    "headers",
    [{"Origin": "https://attacker.example"}, {"Origin": "null"}, {"Origin": "http://localhost:18892"}]
    + [{"Sec-Fetch-Site": site} for site in ("cross-site", "same-site")],
)
def test_a_web_page_is_refused_even_with_a_token(served: Served, headers: dict[str, str]) -> None:
    told = served.post("/store", SAID, headers=headers)

    assert told.status_code == 403
    assert "access-control-allow-origin" not in told.headers
    assert served.ask("OPTIONS", f"{V2}/store", headers=headers).status_code == 403


def test_a_page_that_the_owner_has_named_is_answered(tmp_path: Path) -> None:
    named = Served(tmp_path / "agents", {"SCRIMSHAW_SERVER_ORIGINS": "https://notes.example"})
    page = {"Origin": "https://notes.example"}

    assert named.post("/store", SAID, headers=page).headers["access-control-allow-origin"] == page["Origin"]
    asked = {**page, "Access-Control-Request-Method": "POST"}
    assert named.ask("OPTIONS", f"{V2}/store", headers=asked, token=None).status_code == 204
    assert named.post("/store", SAID, headers={"Origin": "https://other.example"}).status_code == 403


def test_what_is_too_large_is_refused_also_in_pieces(tmp_path: Path) -> None:
    small = Served(tmp_path / "agents", limits=Limits(body_bytes=1_000))

    async def pieces():
        for _ in range(10):
            yield b" " * 500

    headers = {"Content-Type": "application/json"}
    assert small.post("/store", {"content": "x" * 2_000}).status_code == 413
    assert small.ask("POST", f"{V2}/store", content=pieces(), headers=headers).status_code == 413
    assert small.post("/store", SAID).status_code == 201  # the control


def test_a_body_that_does_not_come_is_given_up(tmp_path: Path) -> None:
    hasty = Served(tmp_path / "agents", limits=Limits(body_seconds=0.05))

    async def slow():
        yield b"{"
        await asyncio.Event().wait()

    headers = {"Content-Type": "application/json"}
    assert hasty.ask("POST", f"{V2}/store", content=slow(), headers=headers).status_code == 408


@pytest.mark.parametrize(
    "body",
    [
        b"[" * 100_000,
        b'{"content": "x", "metadata": ' + b'{"a":' * 50_000,
        b'{"content": "x", "importance": ' + b"9" * 10_000 + b"}",
        b'{"content": "x", "importance": NaN}',
        b'{"content": "x", "metadata": {"a": Infinity}}',
        b'{"content": "\\ud800"}',
        b"\xff\xfe",
        b"",
    ],
)
def test_bombs_and_broken_bodies_are_refused(served: Served, body: bytes) -> None:
    headers = {"Content-Type": "application/json"}

    told = served.ask("POST", f"{V2}/store", content=body, headers=headers)

    assert 400 <= told.status_code < 500
    assert told.headers["content-type"] == "application/problem+json"
    assert served.get("/stats").json()["working"]["total_memories"] == 0


def test_a_compressed_body_is_refused(served: Served) -> None:
    assert served.post("/store", SAID, headers={"Content-Encoding": "gzip"}).status_code == 415


@pytest.mark.parametrize(
    "thread", ["../../etc/passwd", "..%2f..%2fledger", "a\0b", "x" * 181, "~root", "C:\\x"]
)
def test_a_threads_name_leads_nowhere(served: Served, thread: str) -> None:
    before = {path for path in served.home.parent.rglob("*") if "working" not in path.name} | {served.home}
    quoted = "".join(f"%{byte:02x}" for byte in thread.encode())

    told = served.post(f"/conversations/{quoted}/messages", {"content": "hello"})

    assert told.status_code in (201, 400, 422)
    new = {path.name for path in served.home.parent.rglob("*")} - {path.name for path in before}
    assert not {name for name in new if "passwd" in name or name == "ledger"}


def test_the_log_holds_no_body_no_token_and_no_question(
    served: Served, caplog: pytest.LogCaptureFixture
) -> None:
    token = served.token()
    with caplog.at_level(logging.DEBUG):
        served.post("/store", SAID, token=token)
        served.get("/recall?q=spare", token=token)
        served.post("/conversations/spare-thread/messages", {"content": "spare"}, token=token)
        served.post("/store", {"content": "spare", "type": "spare"}, token=token)

    told = "\n".join(record.getMessage() for record in caplog.records if record.name.startswith("scrimshaw"))
    assert "method=POST" in told
    assert "spare" not in told
    assert token not in told
    assert token.rpartition(".")[2] not in told


def test_a_client_that_goes_in_the_middle_of_its_body_leaves_nothing(served: Served) -> None:
    async def cut():
        yield b'{"content": "half'
        raise ConnectionResetError

    headers = {"Content-Type": "application/json"}
    assert served.ask("POST", f"{V2}/store", content=cut(), headers=headers).status_code == 400
    assert served.get("/stats").json()["working"]["total_memories"] == 0


@pytest.mark.parametrize(
    ("body", "media_type", "told"),
    [
        (
            b"content=x",
            "application/x-www-form-urlencoded",
            "body: should be a JSON object; sent as application/x-",
        ),
        (b'{"content": "x"}', "", "body: should be a JSON object; sent as no type."),
        (b"[1]", "application/json", "body: should be a JSON object."),
        (b"", "application/json; charset=utf-8", "body: should be a JSON object."),
        (b'{"content": x}', "application/json", "body: is no JSON from character 12 on."),
        (b'{"content": "\xff"}', "application/json", "body: is no text in UTF-8 from byte 13 on."),
        (b"[" * 1_500 + b"]" * 1_500, "application/json", "body: is nested too deeply."),
        (b"1" * 5_000, "application/json", "body: holds a number of too many digits."),
    ],
)
def test_a_body_of_another_form_is_told_which_one_is_wanted(
    served: Served, body: bytes, media_type: str, told: str
) -> None:
    headers = {"Content-Type": media_type} if media_type else {}

    answer = served.ask("POST", f"{V2}/store", content=body, headers=headers)

    assert answer.status_code == 422
    assert answer.json()["detail"].startswith(f"The request cannot be understood: {told}")
    assert answer.json()["next"] == "send JSON, with the header Content-Type: application/json"


def test_what_is_nested_too_deeply_is_told_so_and_not_down_to_its_last_level(served: Served) -> None:
    for levels in (400, 1_500):
        body = b'{"content": "x", "metadata": {"a":' + b"[" * levels + b"]" * levels + b"}}"
        answer = served.ask("POST", f"{V2}/store", content=body, headers={"Content-Type": "application/json"})

        assert (answer.status_code, len(answer.text) < 600) == (422, True)
        assert "is nested too deeply" in answer.json()["errors"][0]["what"]
        assert answer.json()["next"]


def test_a_text_with_nothing_to_read_is_told_so_and_not_as_a_pattern(served: Served) -> None:
    for query in ("", " "):
        answer = served.post("/search", {"query": query})
        assert answer.json()["detail"].endswith(
            ": body.query: should hold something to read; it is empty or blank."
        )
