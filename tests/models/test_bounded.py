"""A call ends when its time is up or when we are to end; what it raises is raised by who waits."""

import sys
import threading
from collections.abc import Callable

import pytest

from scrimshaw.core.prompting.fence import Prompt
from scrimshaw.core.transcript.windows import estimate_tokens
from scrimshaw.models.call import Attempt, Correspondent, count_tokens, in_time
from scrimshaw.models.keys import NO_KEY
from scrimshaw.models.model import Answer, Failure, Trouble, Usage

DONE = Answer("A note.", Usage(1, 1), "m")


TO = Correspondent("it", NO_KEY, Prompt("Take notes.", "The crate goes on Monday.", 0, 100))


def never() -> bool:
    return False


def _asked(
    call: Callable[[Attempt], Answer], timeout_seconds: float, is_stopped: Callable[[], bool] = never
) -> Answer | Failure:
    def asks(_: Correspondent, attempt: Attempt) -> Answer:
        return call(attempt)

    return in_time(asks, TO, timeout_seconds=timeout_seconds, is_stopped=is_stopped)


def test_what_a_call_returns_is_returned_at_once() -> None:
    # No clock: one that waits for the time to be up would sit here for an hour.
    said = _asked(lambda _: DONE, 3_600)

    assert said == DONE


def test_what_a_call_raises_is_raised_by_who_waits() -> None:
    def call(_: Attempt) -> Answer:
        raise ZeroDivisionError("a defect")

    with pytest.raises(ZeroDivisionError, match="a defect"):
        _asked(call, 30)


def test_a_client_library_that_is_half_there_is_a_failure() -> None:
    def call(_: Attempt) -> Answer:
        import scrimshaw.no_such_part  # type: ignore[import-not-found]  # noqa: F401

        return DONE

    said = _asked(call, 30)

    assert isinstance(said, Failure)
    assert (said.trouble, said.usage) == (Trouble.ABSENT, None)
    assert "cannot be loaded (ModuleNotFoundError: scrimshaw.no_such_part)" in said.detail


def test_a_call_that_goes_on_learns_that_nobody_waits() -> None:
    seen: list[Attempt] = []
    let_go = threading.Event()

    def call(attempt: Attempt) -> Answer:
        seen.append(attempt)
        attempt.is_sent = True
        attempt.received_tokens = 3
        let_go.wait(20)
        return DONE

    said = _asked(call, 20, lambda: bool(seen))
    let_go.set()

    assert said == Failure(
        Trouble.STOPPED,
        "it was let go of: the program is ending.",
        usage=Usage(TO.tokens_in, 3, is_estimated=True),
    )
    assert seen[0].is_over


def test_a_call_of_which_nothing_was_sent_costs_nothing() -> None:
    let_go = threading.Event()

    def call(_: Attempt) -> Answer:
        let_go.wait(20)
        return DONE

    said = _asked(call, 0.1)
    let_go.set()

    assert isinstance(said, Failure)
    assert (said.trouble, said.usage) == (Trouble.TIMEOUT, None)


def test_tokens_are_counted_with_the_extra_and_estimated_without(monkeypatch: pytest.MonkeyPatch) -> None:
    text = "The crate of limes goes to Harbour Street on Monday."
    monkeypatch.setitem(sys.modules, "toktok", None)
    estimated = count_tokens(text)
    monkeypatch.delitem(sys.modules, "toktok")
    pytest.importorskip("toktok")

    assert estimated == estimate_tokens(text)
    assert count_tokens(text) == 12
    assert count_tokens("\ud800<|endoftext|>") > 1  # a special token's name is ordinary text
