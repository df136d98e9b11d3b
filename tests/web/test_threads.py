"""The places of threads that answer: few, and one more for each that takes long."""

from __future__ import annotations

import threading
from contextvars import ContextVar

import pytest

pytest.importorskip("fastapi")
import anyio
import anyio.to_thread

from scrimshaw.web.threads import beside_the_few, in_a_moment, limit_threads


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


def test_a_short_answer_is_waited_for_and_a_long_one_lets_the_loop_go_on() -> None:
    may_end = threading.Event()

    @in_a_moment
    def short(text: str) -> str:
        return text

    @in_a_moment
    def long(text: str) -> str:
        return text if may_end.wait(30) else ""

    async def told() -> list[str]:
        heard = []

        async def hear(text: str) -> None:
            heard.append(await long(text))

        async with anyio.create_task_group() as group:
            group.start_soon(hear, "the long one")
            await anyio.sleep(0)
            heard.append(await short("a short one"))
            may_end.set()
        return heard

    assert anyio.run(told) == ["a short one", "the long one"]


def test_what_an_answer_raises_comes_through_and_context_goes_with_it() -> None:
    named: ContextVar[str] = ContextVar("named")

    @in_a_moment
    def late() -> str:
        raise TimeoutError(named.get())

    async def asked() -> str:
        named.set("the ledger is locked")
        try:
            return await late()
        except TimeoutError as error:
            return str(error)

    assert anyio.run(asked) == "the ledger is locked"
