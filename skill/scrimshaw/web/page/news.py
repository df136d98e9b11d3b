"""Server-sent events: tell an open page that the memory it shows has changed."""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import AsyncIterator
from contextlib import suppress
from pathlib import Path

from fastapi import Request
from fastapi.responses import Response, StreamingResponse

from scrimshaw.web.page.visit import POLICY, Looks, page_router
from scrimshaw.web.problems import Problem

_MOST_STREAMS = 16
_LOOK_SECONDS = 2.0
_ALIVE_ROUNDS = 10  # rounds without changes before a keep-alive message
_streams = threading.BoundedSemaphore(_MOST_STREAMS)

router = page_router()


@router.get("/page/events")
async def events(visit: Looks) -> Response:
    """Tell whenever the memory that is looked at has changed, until the page is left."""
    layout = visit.memory.target.layout  # before a place is taken: there may be no such agent
    if not _streams.acquire(blocking=False):
        raise Problem(503, "Too many pages are open.", headers={"Retry-After": "10"})
    paths = (layout.ledger, layout.ledger.with_name(f"{layout.ledger.name}-wal"), layout.memory)
    headers = {"Content-Security-Policy": POLICY, "Cache-Control": "no-store"}
    return StreamingResponse(_news(visit.request, paths), media_type="text/event-stream", headers=headers)


async def _news(request: Request, paths: tuple[Path, ...]) -> AsyncIterator[str]:
    try:
        before, rounds = _stamps(paths), 0
        yield f"retry: 3000\nevent: at\ndata: {before}\n\n"
        while not await request.is_disconnected():
            await asyncio.sleep(_LOOK_SECONDS)
            rounds += 1
            found = _stamps(paths)
            if found != before:
                before, rounds = found, 0
                yield f"event: changed\ndata: {found}\n\n"
            elif rounds % _ALIVE_ROUNDS == 0:
                yield ": here\n\n"
    finally:
        _streams.release()


def _stamps(paths: tuple[Path, ...]) -> tuple[tuple[int, int], ...]:
    found = []
    for path in paths:
        with suppress(OSError):
            told = os.stat(path)  # noqa: PTH116  # called every two seconds
            found.append((told.st_mtime_ns, told.st_size))
    return tuple(found)
