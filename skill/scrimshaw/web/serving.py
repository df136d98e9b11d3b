"""Listening on this machine's own address or on a unix socket, and limits on connections.

On a socket the kernel tells the user of the process at the other end; only the owner's processes are let in.
A connection that does not finish the head of a request in time is closed, and so is one beyond the maximum.
"""

from __future__ import annotations

import asyncio
import gc
import logging
import os
import resource
import signal
import socket
import stat
import struct
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from ipaddress import ip_address
from pathlib import Path
from typing import NamedTuple

import h11
import uvicorn
from starlette.types import ASGIApp
from uvicorn.protocols.http.h11_impl import H11Protocol

from scrimshaw.errors import UserError, refused_error

MOST_CONNECTIONS = 1_000
_HEAD_SECONDS = 10.0
_IDLE_SECONDS = 30
_GARBAGE = (20_000, 50, 100)  # new objects before a search for garbage; of the young ones, of the older
_END_SECONDS = 2
_SPARE_FILES = 200
_UNENCRYPTED = (
    "What travels to and from this address is not encrypted: tokens, every memory, every question and "
    "message can be read on the way. Put it behind a proxy with TLS, or use an SSH tunnel."
)


class Address(NamedTuple):
    """Where to listen; with *path* on a unix socket."""

    host: str
    port: int
    path: Path | None = None

    @property
    def is_local(self) -> bool:
        """Whether only this machine can reach it."""
        if self.path is not None or self.host == "localhost":
            return True
        with suppress(ValueError):
            return ip_address(self.host).is_loopback
        return False

    def warning(self, *, is_exposed: bool) -> str:
        """Return a warning about it, or ""; raises UserError if reachable and not *is_exposed*."""
        if self.is_local:
            return ""
        if not is_exposed:
            raise refused_error(
                f"{self.host} can be reached from other machines. {_UNENCRYPTED} Nothing was started.",
                next_step="leave --host out; or say that it is meant: --expose",
            )
        return _UNENCRYPTED


class _Connection(H11Protocol):
    _late: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as there
        super().connection_made(transport)
        if transport.get_extra_info("socket").family == socket.AF_UNIX:
            user = peer_user(transport.get_extra_info("socket"))
            if user != os.geteuid():
                logging.getLogger(__name__).warning("event=refused peer_uid=%s", user)
                transport.abort()
                return
            self.client = ("unix", user)
        if len(self.connections) > MOST_CONNECTIONS:
            transport.abort()
            return
        self._late = self.loop.call_later(_HEAD_SECONDS, transport.abort)

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        # An incomplete head runs against the clock; a complete one stops it.
        if self.conn.their_state is h11.IDLE and self.conn.trailing_data[0]:
            self._late = self._late or self.loop.call_later(_HEAD_SECONDS, self.transport.abort)
        elif self._late:
            self._late.cancel()
            self._late = None

    def connection_lost(self, exc: Exception | None) -> None:
        if self._late:
            self._late.cancel()
        super().connection_lost(exc)


class _Server(uvicorn.Server):
    def __init__(self, config: uvicorn.Config, on_ready: Callable[[], None]) -> None:
        super().__init__(config)
        self._on_ready = on_ready

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Stop on a signal, and then continue after `serve`; uvicorn would raise the signal again."""
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        ends = [signal.SIGINT, signal.SIGTERM]
        if signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN:  # ignored, as under nohup
            ends.append(signal.SIGHUP)
        before = {one: signal.signal(one, self.handle_exit) for one in ends}
        try:
            yield
        finally:
            for one, handler in before.items():
                signal.signal(one, handler)

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self._on_ready()


class Listening:
    """A server at its address; `run` serves until a signal, or until another thread calls `stop`."""

    def __init__(self, address: Address) -> None:
        """Bind the address; raises UserError if that fails."""
        self.address = address
        self._server: _Server | None = None
        self._is_stopped = False
        self._socket = _unix(address.path) if address.path else _tcp(address)
        self._made = _identity(address.path) if address.path else None

    @property
    def told(self) -> str:
        """The address, for a person."""
        if self.address.path:
            return f"unix socket {self.address.path}"
        host = f"[{self.address.host}]" if ":" in self.address.host else self.address.host
        return f"http://{host}:{self._socket.getsockname()[1]}"

    def run(self, app: ASGIApp, on_ready: Callable[[], None]) -> None:
        _allow_connections()
        _without_text(logging.getLogger("uvicorn.error"))
        config = uvicorn.Config(
            app,
            http=_Connection,
            ws="none",
            log_config=None,
            access_log=False,
            server_header=False,
            proxy_headers=False,
            timeout_keep_alive=_IDLE_SECONDS,
            timeout_graceful_shutdown=_END_SECONDS,
            h11_max_incomplete_event_size=64 * 1024,
        )
        self._server = _Server(config, on_ready)
        self._server.should_exit = self._is_stopped
        gc.freeze()  # what is loaded now stays, and need not be looked through for garbage again and again
        gc.set_threshold(*_GARBAGE)  # a request leaves little of it, and all others wait while it is sought
        try:
            self._server.run([self._socket])
        finally:
            self.close()

    def stop(self) -> None:
        self._is_stopped = True
        if self._server is not None:
            self._server.should_exit = True

    def close(self) -> None:
        """Release the address."""
        self._socket.close()
        path = self.address.path
        # Another server may have taken the path meanwhile.
        if path is not None and _identity(path) == self._made:
            with suppress(OSError):
                path.unlink()


def peer_user(one: socket.socket) -> int | None:
    """Return the user of the process at the other end of a unix socket; None if the kernel does not tell."""
    try:
        if sys.platform == "darwin":
            peer = one.getsockopt(0, 0x001, struct.calcsize("IIh16I"))  # SOL_LOCAL, LOCAL_PEERCRED
            return int(struct.unpack_from("II", peer)[1])
        peer = one.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("3i"))
        return int(struct.unpack("3i", peer)[1])
    except (OSError, struct.error):
        return None


def _tcp(address: Address) -> socket.socket:
    try:
        family = socket.AF_INET6 if ":" in address.host else socket.AF_INET
        # With the protocol's number: only then asyncio sets TCP_NODELAY and sends parts of an answer at once.
        made = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
        made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        made.bind((address.host, address.port))
        made.listen(256)
    except OSError as error:
        raise UserError(
            f"{address.host}:{address.port}: cannot listen there ({error.strerror or error}). "
            "Nothing was started.",
            next_step="end what listens there, or take another port: --port 18893",
        ) from error
    return made


def _unix(path: Path) -> socket.socket:
    made = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        if stat.S_ISSOCK(path.lstat().st_mode):
            _refuse_alive(path)
            path.unlink()
        else:
            raise UserError(
                f"{path}: something else is there. Nothing was started.", next_step=f"ls -ld {path}"
            )
    except FileNotFoundError:
        pass
    mask = os.umask(0o177)  # inaccessible to others from the first moment
    try:
        made.bind(str(path))
        made.listen(256)
    except OSError as error:
        raise UserError(
            f"{path}: cannot be made ({error.strerror or error}). Nothing was started.",
            next_step=f"name a path of at most 100 characters in a folder of yours: ls -ld {path.parent}",
        ) from error
    finally:
        os.umask(mask)
    return made


def _refuse_alive(path: Path) -> None:
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as other, suppress(OSError):
        other.settimeout(1.0)
        other.connect(str(path))
        raise UserError(
            f"{path}: a server listens there already. Nothing was started.",
            next_step="end that one, or name another path",
        )


def _identity(path: Path) -> tuple[int, int] | None:
    try:
        found = path.lstat()
    except OSError:
        return None
    return found.st_dev, found.st_ino


def _allow_connections() -> None:
    """Allow the process as many open files as connections may need, if the system permits."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = MOST_CONNECTIONS + _SPARE_FILES
    if soft != resource.RLIM_INFINITY and soft < wanted:
        with suppress(ValueError, OSError):
            most = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
            resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))


def _without_text(logger: logging.Logger) -> None:
    """Remove tracebacks from *logger*: they may quote stored texts."""

    def shorn(record: logging.LogRecord) -> bool:
        record.exc_info = record.exc_text = None
        return True

    logger.addFilter(shorn)
