"""Servers as processes of their own, ours and the bare echo, and a connection to one that is kept open."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NamedTuple

AGENT = "albert"
_COMMAND = [sys.executable, "-m", "scrimshaw"]


class Place(NamedTuple):
    """A server that is asked."""

    port: int
    token: str = ""


class Connection:
    """One connection to a server, kept open."""

    def __init__(self, place: Place) -> None:
        self._place = place
        self._streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    async def ask(self, method: str, path: str, told: object = None, key: str = "") -> tuple[int, bytes]:
        """Return the status and the body of an answer."""
        reader, _ = await self.send(method, path, told, key)
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").lower()
        length = next(int(row[15:]) for row in head.split("\r\n") if row.startswith("content-length:"))
        return int(head[9:12]), await reader.readexactly(length)

    async def send(
        self, method: str, path: str, told: object = None, key: str = ""
    ) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        """Send a request, and wait for nothing."""
        if self._streams is None:
            self._streams = await asyncio.open_connection("127.0.0.1", self._place.port)
        reader, writer = self._streams
        body = json.dumps(told).encode() if told is not None else b""
        head = [f"{method} {path} HTTP/1.1", "Host: 127.0.0.1", f"Content-Length: {len(body)}"]
        head += ["Content-Type: application/json"] if body else []
        head += [f"Authorization: Bearer {self._place.token}"] if self._place.token else []
        head += [f"Idempotency-Key: {key}"] if key else []
        writer.write("\r\n".join([*head, "", ""]).encode() + body)
        await writer.drain()
        return reader, writer

    def close(self) -> None:
        """Cut it."""
        if self._streams is not None:
            self._streams[1].transport.abort()
            self._streams = None


@contextmanager
def serving(home: Path, env: dict[str, str]) -> Iterator[tuple[Place, Callable[[], int]]]:
    """Run `scrimshaw serve` for *home*; yield where it is, and what tells how much memory it takes."""
    import psutil

    token = subprocess.run(
        [*_COMMAND, "token", "create", "--home", str(home), "--agent", AGENT, "--scope", "write"],
        env=_whole(home, env),
        capture_output=True,
        text=True,
        check=True,
    ).stdout.split()[-1]
    port = _free_port()
    with _process(_serving(home, port), _whole(home, env)) as process:
        _wait(process, port)
        yield Place(port, token), lambda: psutil.Process(process.pid).memory_info().rss


@contextmanager
def echoing() -> Iterator[Place]:
    """Run the bare FastAPI echo; yield where it is."""
    port = _free_port()
    with _process([sys.executable, "-m", "bench.serve_echo", str(port)], dict(os.environ)) as process:
        _wait(process, port)
        yield Place(port)


def seconds_to_health(home: Path, env: dict[str, str]) -> float:
    """Start `scrimshaw serve` and end it; return how long it took until it had answered `/health`."""
    port, began = _free_port(), time.perf_counter()
    with _process(_serving(home, port), _whole(home, env)) as process:
        _wait(process, port)
        return time.perf_counter() - began


def _serving(home: Path, port: int) -> list[str]:
    return [*_COMMAND, "serve", "--home", str(home), "--port", str(port)]


def _whole(home: Path, env: dict[str, str]) -> dict[str, str]:
    return {**os.environ, "HOME": str(home.parent), "XDG_STATE_HOME": str(home.parent), **env}


@contextmanager
def _process(command: list[str], env: dict[str, str]) -> Iterator[subprocess.Popen[bytes]]:
    process = subprocess.Popen(command, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        yield process
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(30)


def _wait(process: subprocess.Popen[bytes], port: int) -> None:
    """Return when the server has answered; a 404 is an answer, too."""
    until = time.monotonic() + 30
    while True:
        with suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=5) as over:
            over.sendall(b"GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
            if over.recv(64).startswith(b"HTTP/1.1 "):
                return
        if process.poll() is not None or time.monotonic() > until:
            raise RuntimeError(f"{process.args!r} does not answer")
        time.sleep(0.01)


def _free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])
