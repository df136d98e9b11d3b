"""The server on standard input and output: one message a line, until the input ends.

Only messages are written to the output: while it serves, file descriptor 1 is the error output, and 0 is
empty, for this process and its children. One thread reads lines and another works on them in order, so that a
`ping` or a cancellation is noticed while a search runs.
"""

from __future__ import annotations

import logging
import os
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from typing import BinaryIO

import msgspec

from scrimshaw.errors import named
from scrimshaw.mcp_server.calls import MemoryTools
from scrimshaw.mcp_server.protocol import MOST_LINE_BYTES, Connection, Id, Message

log = logging.getLogger(__name__)


def serve(tools: MemoryTools) -> None:
    """Serve *tools* on this process's standard input and output until the input ends."""
    with _own_pipes() as (incoming, outgoing):
        serve_on(tools, incoming, outgoing)


def serve_on(tools: MemoryTools, incoming: BinaryIO, outgoing: BinaryIO) -> None:
    """Serve *tools* on a pair of streams; requests from before the end of the input are answered."""
    lock = threading.Lock()

    def sends(message: Message) -> None:
        # Escaped, because a lone surrogate in a client's JSON cannot be encoded as UTF-8.
        line = msgspec.json.encode(message)
        with lock:
            outgoing.write(line + b"\n")
            outgoing.flush()

    with ThreadPoolExecutor(1, thread_name_prefix="scrimshaw-mcp") as worker:

        def queues(id_: Id, work: Callable[[], None]) -> None:
            worker.submit(work).add_done_callback(partial(_ended, connection, id_))

        connection = Connection(tools, sends, queues)
        try:
            for line in _lines(incoming):
                if line is None:
                    connection.refuse_long_line()
                elif line.strip():
                    connection.receive(line)
        except BrokenPipeError:
            log.info("mcp: the client went away")
    tools.close()


def _ended(connection: Connection, id_: Id, done: Future[None]) -> None:
    defect = done.exception()
    if defect is None or isinstance(defect, BrokenPipeError):
        return
    log.error("mcp: %s", named(defect))
    connection.failed(id_)


def _lines(incoming: BinaryIO) -> Iterator[bytes | None]:
    """Yield the lines of *incoming*, and None for each that is too long, which is skipped to its end."""
    while line := incoming.readline(MOST_LINE_BYTES + 1):
        if len(line) <= MOST_LINE_BYTES:
            yield line
            continue
        while line and not line.endswith(b"\n"):
            line = incoming.readline(MOST_LINE_BYTES)
        yield None


@contextmanager
def _own_pipes() -> Iterator[tuple[BinaryIO, BinaryIO]]:
    """Lend the process's input and output to the caller alone; other output goes to the error output."""
    incoming, outgoing = os.dup(0), os.dup(1)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    try:
        os.dup2(2, 1)
    except OSError:  # there is no error output
        os.dup2(0, 1)
    try:
        with open(incoming, "rb", closefd=False) as reader, open(outgoing, "wb", closefd=False) as writer:
            yield reader, writer
    finally:
        os.dup2(incoming, 0)
        os.dup2(outgoing, 1)
        os.close(incoming)
        os.close(outgoing)
