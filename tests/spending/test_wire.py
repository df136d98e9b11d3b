"""A consultant and a real client against a server: what is billed, waited for, let alone and resumed."""

from __future__ import annotations

import contextlib
import socket
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

import pytest
from tests.model_server import Hang, ModelServer, Refused, Reply, Say, Wire
from tests.spending.desk import PROMPT, Desk

from scrimshaw.config import Endpoint
from scrimshaw.models.model import Answer, Failure
from scrimshaw.models.opening import opener
from scrimshaw.services.models.breakers import PAUSES
from scrimshaw.services.models.client import Consultant, consultant

pytest.importorskip("openai")
NAME = "local/fake-1"
KEY = "LOCAL_KEY"


def ask(desk: Desk, server: ModelServer | Deaf, env: Mapping[str, str] | None = None) -> Answer | Failure:
    """Ask through the real client, with a fake clock for the pauses only."""
    endpoint = Endpoint(server.url, KEY if env else "")
    desk.settings = {"observer_model": NAME, "endpoints": {"local": endpoint}, "prices": {}, **desk.settings}
    given = {"HOME": str(desk.folder), "XDG_CONFIG_HOME": str(desk.folder), **(env or {})}
    with desk.ledger() as ledger:
        one = consultant(
            desk.target(),
            ledger,
            job="observe",
            run_id="r1",
            now=desk.time.now,
            opens=opener(given),
            waits=desk.time.waits(),
        )
        assert isinstance(one, Consultant)
        return one.ask(PROMPT)


def rows(desk: Desk) -> list[tuple[int, int, int, int, int]]:
    with desk.ledger() as ledger:
        return [
            (row.calls, row.failed, row.tokens_in, row.tokens_out, row.estimated)
            for row in ledger.spend_rows()
        ]


def test_what_the_provider_reports_is_what_counts(desk: Desk):
    with ModelServer(Say('{"done": 0}', tokens=(812, 9))) as server:
        said = ask(desk, server)

    assert isinstance(said, Answer)
    assert rows(desk) == [(1, 0, 812, 9, 0)]


def test_a_provider_that_reports_nothing_is_estimated(desk: Desk):
    with ModelServer(Say('{"done": 0}', tokens=None)) as server:
        ask(desk, server)
    ((calls, failed, sent, received, estimated),) = rows(desk)

    assert (calls, failed, estimated) == (1, 0, 1)
    assert sent > 400
    assert received > 0


def test_a_named_wait_is_kept_and_the_answer_counted(desk: Desk):
    with ModelServer(Refused(429, {"Retry-After": "7"}), Say("ok", tokens=(10, 1))) as server:
        said = ask(desk, server)

    assert isinstance(said, Answer)
    assert 7 <= sum(desk.time.slept) <= 9
    assert rows(desk) == [(2, 1, 10, 1, 0)]


def test_a_named_wait_that_is_too_long_is_left_for_later_by_all(desk: Desk):
    with ModelServer(Refused(429, {"Retry-After": "600"}), repeats=True) as server:
        said = [ask(desk, server), ask(desk, server)]
        sent = len(server.requests)

    assert [one.trouble.value for one in said if isinstance(one, Failure)] == ["rate", "paused"]
    assert sent == 1
    assert desk.time.slept == []


@pytest.mark.parametrize(
    ("reply", "is_billed"),
    [
        (Refused(503), False),
        (Wire(closes_unsaid=True), True),
        (Wire(body=b'{"choices": [', breaks_off_after=5), True),
    ],
    ids=["503", "unsaid", "broken-off"],
)
def test_an_outage_costs_what_was_sent_and_perhaps_read(desk: Desk, reply: Reply, is_billed: bool):
    with ModelServer(reply, repeats=True) as server:
        ask(desk, server)
        sent = len(server.requests)
    ((calls, failed, tokens, _, _),) = rows(desk)

    assert calls == failed == sent == 3
    assert (tokens > 0) == is_billed


def test_a_server_that_is_not_there_costs_nothing(desk: Desk):
    with ModelServer() as server:
        pass
    said = ask(desk, server)

    assert isinstance(said, Failure)
    assert rows(desk) == [(3, 3, 0, 0, 0)]


def test_a_server_that_cannot_be_reached_in_time_costs_nothing(tmp_path: Path):
    desk = Desk(tmp_path, {"model_timeout": "1s"})
    with full() as deaf:
        said = ask(desk, deaf)

    assert isinstance(said, Failure)
    assert rows(desk) == [(1, 1, 0, 0, 0)]


class Deaf(NamedTuple):
    url: str


@contextlib.contextmanager
def full() -> Iterator[Deaf]:
    """Yield a server whose queue is full: nobody gets through to it, and nobody is told so."""
    with contextlib.ExitStack() as stack:
        server = stack.enter_context(socket.socket())
        server.bind(("127.0.0.1", 0))
        server.listen(0)
        for _ in range(8):
            waiting = stack.enter_context(socket.socket())
            waiting.setblocking(False)
            with contextlib.suppress(BlockingIOError):
                waiting.connect(server.getsockname())
        yield Deaf(f"http://127.0.0.1:{server.getsockname()[1]}/v1")


def test_what_breaks_off_counts_with_the_most_it_can_have_said(desk: Desk):
    body = b'{"choices": [{"message": {"content": "{'
    with ModelServer(Wire(body=body, breaks_off_after=20), repeats=True) as server:
        ask(desk, server)
    ((calls, _, _, received, _),) = rows(desk)

    assert received == calls * PROMPT.most_output_tokens


def test_a_server_that_hangs_counts_with_the_most_it_can_have_said(tmp_path: Path):
    desk = Desk(tmp_path, {"model_timeout": "1s"})
    with ModelServer(Hang()) as server:
        ask(desk, server)
    ((_, failed, sent, received, _),) = rows(desk)

    assert failed == 1
    assert sent > 400
    assert received == PROMPT.most_output_tokens


def test_a_new_key_is_tried_at_once(desk: Desk):
    first, second = "k" * 20 + "1", "k" * 20 + "2"
    with ModelServer(Refused(401), Say("ok")) as server:
        refused, again, mended = (ask(desk, server, {KEY: key}) for key in (first, first, second))
        sent = len(server.requests)
    with desk.ledger() as ledger:
        stored = ledger.meta()[PAUSES]

    assert [one.trouble.value for one in (refused, again) if isinstance(one, Failure)] == ["key", "key"]
    assert isinstance(mended, Answer)
    assert sent == 2
    assert stored == "{}"
    assert first.encode() not in desk.path.read_bytes()
