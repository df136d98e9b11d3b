"""`Client`: the results and the errors of `Memory`, over TCP and a socket; version 1 where need be."""

import http.server
import inspect
import json
import socket
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import ClassVar

import pytest
from tests.clients.conftest import Live

from scrimshaw import Client, Exit, Memory, UserError
from scrimshaw.errors import NotFoundError, OutdatedError
from scrimshaw.web.serving import Address, Listening


def test_what_is_stored_is_found_changed_and_gone(live: Live) -> None:
    with live.client("one") as client, live.beside("one") as memory:
        stored = client.store("Gareth at the Plough pays on Mondays", importance=0.7, metadata={"a": [1]})

        own = memory.store("Gareth at the Plough pays on Mondays", importance=0.7, metadata={"a": [1]})
        assert stored.to_dict() == {**own.to_dict(), "id": stored.id}
        assert [one["content"] for one in client.search("when does Gareth pay?").results] == [stored.content]
        changed = client.update_memory(
            stored.id, content="Gareth pays on Tuesdays", if_version=stored.version
        )
        assert changed.content == "Gareth pays on Tuesdays"
        with pytest.raises(OutdatedError):
            client.update_memory(stored.id, importance=0.1, if_version=stored.version)
        assert [one["id"] for one in client.memories().memories] == [stored.id]
        client.delete_memory(stored.id)
        with pytest.raises(NotFoundError):
            client.memory(stored.id)


def test_an_error_is_the_one_that_memory_raises(live: Live) -> None:
    with live.client("two") as client, live.beside("two") as memory:
        client.store("The cat is called Mimi")
        for ask in (
            lambda one: one.why("the moon"),
            lambda one: one.store("<private>all of it</private>"),
            lambda one: one.memory("nothing"),
            lambda one: one.as_of("the day that never was"),
        ):
            with pytest.raises(UserError) as theirs:
                ask(client)
            with pytest.raises(UserError) as ours:
                ask(memory)
            assert type(theirs.value) is type(ours.value)
            assert list(theirs.value.problems) == list(ours.value.problems)
            assert theirs.value.next_step == ours.value.next_step
            assert theirs.value.exit_code == ours.value.exit_code


def test_a_token_that_does_not_hold_is_refused(live: Live) -> None:
    with (
        Client(live.url, agent="albert", token="no.such.token") as client,
        pytest.raises(UserError, match="token is not valid"),
    ):
        client.store("Gareth pays on Mondays")


def test_a_token_can_be_in_a_file(live: Live, tmp_path: Path) -> None:
    (tmp_path / "token").write_text(f"{live.token}\n")

    with Client(live.url, agent="albert", token_file=tmp_path / "token") as client:
        assert client.store("Gareth pays on Mondays").layer == "working"


def test_answers_are_not_held_back_by_the_kernel() -> None:
    listening = Listening(Address("127.0.0.1", 0))

    assert listening._socket.proto == socket.IPPROTO_TCP  # what asyncio asks before it sets TCP_NODELAY
    listening.close()


def test_over_a_socket_no_token_is_needed(on_socket: Live) -> None:
    with on_socket.client() as client:
        client.store("Gareth pays on Mondays")

        assert [one["content"] for one in client.recall("when does Gareth pay?").results] == [
            "Gareth pays on Mondays"
        ]


def test_where_nobody_answers_the_next_step_is_said(tmp_path: Path) -> None:
    with Client(socket=tmp_path / "none") as client, pytest.raises(UserError, match="no answer") as told:
        client.store("Gareth pays on Mondays")

    assert "scrimshaw serve" in told.value.next_step


def test_threads_share_a_client(live: Live) -> None:
    client, told = live.client("many"), []

    def work(number: int) -> None:
        told.extend(client.store(f"Machine {number}-{turn} stands in hall {number}").id for turn in range(4))
        client.close()

    threads = [threading.Thread(target=work, args=(number,)) for number in range(5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert len(set(told)) == 20 == len(client.memories().memories)


def test_a_connection_that_was_closed_meanwhile_is_made_anew(live: Live) -> None:
    with live.client("cut") as client:
        client.store("Gareth pays on Mondays")
        client._transport._held.connection.sock.shutdown(2)  # as a server that has waited long enough does

        client.store("Gareth pays on Tuesdays")

        assert len(client.memories().memories) == 2


class _Cutting(http.server.BaseHTTPRequestHandler):
    """Cuts the connection where an answer is due, once it has read what is asked."""

    asked: ClassVar[list[tuple[str, str | None]]] = []

    def do_GET(self) -> None:
        body = b'{"api_versions": ["v1", "v2"]}'
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        self.asked.append((self.path.rpartition("/")[2], self.headers["Idempotency-Key"]))
        self.close_connection = True
        self.connection.shutdown(socket.SHUT_RDWR)

    def log_message(self, *_: object) -> None:
        """Say nothing."""


def test_what_must_not_be_done_twice_is_sent_once_and_the_rest_is_known_again() -> None:
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), _Cutting)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    _Cutting.asked.clear()
    calls: list[Callable[[Client], object]] = [
        lambda client: client.undo(),
        lambda client: client.reinforce("a"),
        lambda client: client.store("Gareth pays on Mondays"),
        lambda client: client.report_usage(input_tokens=1, output_tokens=1),
        lambda client: client.search("Mondays"),
    ]
    with Client(f"http://127.0.0.1:{server.server_port}", agent="albert") as client:
        for call in calls:
            with pytest.raises(UserError, match="no answer"):
                call(client)
    server.shutdown()
    server.server_close()

    times = Counter(name for name, _ in _Cutting.asked)
    assert times == {"undo": 1, "reinforce": 1, "store": 2, "usage": 2, "search": 2}
    keys = {name: {key for at, key in _Cutting.asked if at == name} for name in times}
    assert [len(keys[name]) for name in ("store", "usage")] == [1, 1]
    assert None not in keys["store"] | keys["usage"]


def test_the_arguments_are_those_of_memory() -> None:
    for name, member in inspect.getmembers(Client, inspect.isfunction):
        if name.startswith("_") or name in ("close", "review", "decide"):  # a sitting there, two calls here
            continue
        ours = inspect.signature(getattr(Memory, name)).parameters
        theirs = inspect.signature(member).parameters
        some = {one for one in theirs if one not in ("changes", "how", "used", "narrowed", "path")}
        assert some <= set(ours), name


class _Older(http.server.BaseHTTPRequestHandler):
    """An older program: version 1 alone."""

    rows: list[dict[str, object]] = []  # noqa: RUF012  # of the one test

    def do_GET(self) -> None:
        if self.path == "/health":
            return self._answer({"status": "ok"})
        if self.path.startswith("/api/memories/search?q="):
            words = self.path.split("=", 1)[1]
            return self._answer([row for row in self.rows if words in str(row["content"])])
        return self._answer(self.rows)

    def do_POST(self) -> None:
        said = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.rows.append({"id": len(self.rows) + 1, **said})
        self._answer(self.rows[-1], 201)

    def _answer(self, told: object, status: int = 200) -> None:
        body = json.dumps(told).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@pytest.fixture
def older() -> Iterator[str]:
    _Older.rows = []
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), _Older)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


def test_an_older_server_is_spoken_to_in_version_1(older: str) -> None:
    with Client(older) as client:
        stored = client.store("Gareth pays on Mondays")

        assert client.version == 1
        assert stored.content == "Gareth pays on Mondays"
        assert [one["content"] for one in client.search("Mondays").results] == [stored.content]
        assert [one["content"] for one in client.memories().memories] == [stored.content]
        with pytest.raises(UserError, match="only version 1") as told:
            client.get_context("t1")
    assert told.value.exit_code is Exit.MENDABLE
