"""The server as a process: its address, its socket, and writers whose connections are cut."""

from __future__ import annotations

import asyncio
import json
import os
import random
import signal
import socket
import stat
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import httpx
import pytest
from tests.web.conftest import V2, Served

from scrimshaw.errors import UserError
from scrimshaw.web.serving import Address, peer_user

_WRITERS = 500


@contextmanager
def running(served: Served, *args: str, end: signal.Signals = signal.SIGTERM) -> Iterator[str]:
    """Run `scrimshaw serve`, yield where it listens, and end it."""
    command = [sys.executable, "-m", "scrimshaw", "serve", "--home", str(served.home), *args]
    env = {**os.environ, **served.env}
    with subprocess.Popen(
        command,
        env=env,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        # Whoever runs the suite by nohup has it ignored.
        preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_DFL),
    ) as one:
        try:
            assert one.stdout
            told = one.stdout.readline()
            assert "listens at" in told, told
            yield told.partition("listens at ")[2].partition(". End")[0]
        finally:
            one.send_signal(end)
            try:
                one.wait(60)
            finally:
                one.kill()


@pytest.fixture
def folder() -> Iterator[Path]:
    # The path of a socket holds a hundred characters.
    with tempfile.TemporaryDirectory(dir="/tmp") as made:
        yield Path(made)


def test_on_a_socket_the_persons_own_processes_need_no_token(served: Served, folder: Path) -> None:
    path = folder / "s"
    with running(served, "--socket", str(path)):
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
        with httpx.Client(
            transport=httpx.HTTPTransport(uds=str(path)), base_url="http://localhost"
        ) as client:
            made = client.post(f"{V2}/store", json={"content": "By the socket.", "agent": "albert"})
            refused = client.get(f"{V2}/agents", headers={"Authorization": "Bearer none"})
    assert made.status_code == 201
    assert refused.status_code == 401
    assert not path.exists()


def test_a_terminal_that_is_closed_leaves_no_socket_behind(served: Served, folder: Path) -> None:
    with running(served, "--socket", str(folder / "s"), end=signal.SIGHUP):
        assert (folder / "s").exists()

    assert not (folder / "s").exists()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can be somebody else")
def test_a_home_that_is_not_there_is_an_error_and_is_not_made(served: Served) -> None:
    assert served.home
    nowhere = served.home.parent / "agnets"
    done = subprocess.run(
        [sys.executable, "-m", "scrimshaw", "serve", "--home", str(nowhere), "--port", "0"],
        env={**os.environ, **served.env},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )

    assert done.returncode == 1
    assert f"No agent lives in {nowhere}: it is not a folder. Nothing was started." in done.stderr
    assert f"token create --home {nowhere} --agent ID" in done.stderr
    assert not nowhere.exists()


def test_on_a_socket_another_users_processes_are_not_let_in(served: Served, folder: Path) -> None:
    path = folder / "s"
    folder.chmod(0o755)
    ask = (
        "import socket, sys; s = socket.socket(socket.AF_UNIX); s.connect(sys.argv[1]); "
        "s.sendall(b'GET /health HTTP/1.1\\r\\nHost: localhost\\r\\n\\r\\n'); print(len(s.recv(100)))"
    )
    with running(served, "--socket", str(path)):
        path.chmod(0o777)
        told = {
            user: subprocess.run(
                ["/usr/bin/env", "python3", "-c", ask, str(path)], user=user, capture_output=True
            )
            for user in (0, 65_534)
        }

    assert told[0].stdout.strip() == b"100"  # the control
    assert told[65_534].stdout.strip() != b"100"


def test_the_kernel_names_the_user_at_the_other_end() -> None:
    one, other = socket.socketpair(socket.AF_UNIX)
    with one, other:
        assert peer_user(one) == os.geteuid()
    with socket.socket() as none:
        assert peer_user(none) in (None, 2**32 - 1, -1)


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.168.1.5", "memory.lan"])
def test_another_address_wants_a_word_and_says_what_travels_unencrypted(host: str) -> None:
    address = Address(host, 0)

    with pytest.raises(UserError, match="not encrypted"):
        address.warning(is_exposed=False)
    assert "tokens" in address.warning(is_exposed=True)


@pytest.mark.parametrize("host", ["127.0.0.1", "::1", "localhost", "127.9.9.9"])
def test_this_machines_own_addresses_want_none(host: str) -> None:
    assert Address(host, 0).warning(is_exposed=False) == ""


@pytest.mark.slow
def test_a_head_that_does_not_end_is_cut_off(served: Served) -> None:
    served.token()  # its book makes the home
    with running(served, "--port", "0") as url, socket.create_connection(("127.0.0.1", _port(url))) as slow:
        slow.settimeout(60)
        slow.sendall(b"GET /health HTTP/1.1\r\nHost: lo")
        with suppress(ConnectionResetError):
            assert slow.recv(100) == b""
        assert httpx.get(f"{url}/health").status_code == 200


@pytest.mark.slow
def test_writers_whose_connections_are_cut_lose_and_double_nothing(served: Served) -> None:
    token = served.token()
    with running(served, "--port", "0") as url:
        cut = asyncio.run(_write_all(_port(url), token))
    with served.memory() as memory:
        kept = [one.content for one in memory.memories(1_000).memories]

    assert cut >= _WRITERS // 2
    assert sorted(kept) == sorted(f"Crate {number} is blue." for number in range(_WRITERS))


def _port(url: str) -> int:
    return int(url.rpartition(":")[2])


async def _write_all(port: int, token: str) -> int:
    chance = random.Random(5)
    plans = [chance.choice(["whole", "sent", "half"]) for _ in range(_WRITERS)]
    await asyncio.gather(*(_write(port, token, number, plan) for number, plan in enumerate(plans)))
    return len(plans) - plans.count("whole")


async def _write(port: int, token: str, number: int, plan: str) -> None:
    """Store one memory, again and again until it is answered; the first connection may be cut."""
    body = json.dumps({"content": f"Crate {number} is blue."}).encode()
    head = (
        f"POST {V2}/store HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {token}\r\n"
        "Connection: close\r\n"
        f"Content-Type: application/json\r\nIdempotency-Key: w-{number}\r\n"
        f"Content-Length: {len(body)}\r\n\r\n"
    ).encode()
    while True:
        try:
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            writer.write(head + (body[: len(body) // 2] if plan == "half" else body))
            await writer.drain()
            if plan != "whole":
                plan = "whole"
                writer.close()
                continue
            answer = await reader.read(-1)
            writer.close()
        except OSError:
            continue
        if answer.startswith(b"HTTP/1.1 201"):
            return
        await asyncio.sleep(0.05)


def test_the_server_starts_without_the_rules_that_the_first_request_needs() -> None:
    late = (
        "scrimshaw.core.extraction",
        "scrimshaw.core.insight.conflicts",
        "scrimshaw.redaction",
        "memvid_sdk",
    )
    program = f"import sys, scrimshaw.web.app; print([one for one in {late} if one in sys.modules])"

    told = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout

    assert told == "[]\n"
