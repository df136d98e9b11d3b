"""The places of threads that answer: few, and one more for each that takes long."""

from __future__ import annotations

import pytest

pytest.importorskip("fastapi")
import anyio
import anyio.to_thread

from scrimshaw.web.threads import beside_the_few, limit_threads


def test_what_takes_long_leaves_its_place_to_others() -> None:
    async def places() -> tuple[float, float, float]:
        limit_threads()
        limiter = anyio.to_thread.current_default_thread_limiter()

        def within() -> float:
            with beside_the_few():
                return float(limiter.total_tokens)

        before = limiter.total_tokens
        return before, await anyio.to_thread.run_sync(within), limiter.total_tokens

    before, within, after = anyio.run(places)

    assert before < 40  # as many as there are when nobody says so
    assert (within, after) == (before + 1, before)
