"""The places of threads that answer: few, and one more for each that takes long."""

from __future__ import annotations

import asyncio
import threading
from concurrent.futures import ThreadPoolExecutor
from contextvars import ContextVar

import pytest

pytest.importorskip("fastapi")
import anyio
import anyio.to_thread

from scrimshaw.web.threads import at_length, in_a_moment, limit_threads


def test_what_takes_long_leaves_its_place_to_others() -> None:
    async def places() -> tuple[float, float, float]:
        limit_threads()
        limiter = anyio.to_thread.current_default_thread_limiter()

        def within() -> float:
            with at_length():
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


def test_what_comes_together_is_answered_in_turn_and_does_not_wait_for_a_long_one() -> None:
    may_end = threading.Event()
    made: list[int] = []

    @in_a_moment
    def answer(number: int) -> int:
        if number == 2:
            may_end.wait(30)
        made.append(number)
        return number

    async def told() -> list[int]:
        heard: list[int] = []
        are_answered = anyio.Event()

        async def hear(number: int) -> None:
            heard.append(await answer(number))
            if len(heard) == 19:
                are_answered.set()

        async with anyio.create_task_group() as group:
            for number in range(20):
                group.start_soon(hear, number)
            with anyio.fail_after(30):
                await are_answered.wait()  # all but the long one
            may_end.set()
        return heard

    heard = anyio.run(told)

    assert sorted(heard) == list(range(20))
    assert heard[-1] == 2
    assert made[:2] == [0, 1]


def test_what_comes_together_wakes_few_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    woken: list[object] = []
    submit = ThreadPoolExecutor.submit
    monkeypatch.setattr(ThreadPoolExecutor, "submit", lambda *told: woken.append(told) or submit(*told))

    @in_a_moment
    def answer(number: int) -> int:
        return number

    async def told() -> list[int]:
        return list(await asyncio.gather(*(answer(number) for number in range(24))))

    assert asyncio.run(told()) == list(range(24))
    # Eight at once; on a machine that stood still for a moment each may have been handed over by itself.
    assert len(woken) == 3 or len(woken) > 8


def test_nobody_is_told_what_a_cancelled_request_has_made() -> None:
    may_end, is_made = threading.Event(), threading.Event()

    @in_a_moment
    def answer() -> str:
        may_end.wait(30)
        is_made.set()
        return "made"

    async def told() -> list[str]:
        problems: list[str] = []
        asyncio.get_running_loop().set_exception_handler(lambda _, what: problems.append(what["message"]))
        asked = asyncio.ensure_future(answer())
        await asyncio.sleep(0.05)
        asked.cancel()
        may_end.set()
        with pytest.raises(asyncio.CancelledError):
            await asked
        while not is_made.is_set():
            await asyncio.sleep(0.01)
        await asyncio.sleep(0.05)
        return problems

    assert asyncio.run(told()) == []
