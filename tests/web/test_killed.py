"""A server that is killed anywhere in a request: who asks again with the same keys finds each thing once."""

from __future__ import annotations

import os
import shutil
import traceback
import uuid
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from tests.crash.killing import NEVER, PointCounter
from tests.web.conftest import V2, Served

from scrimshaw.web.v2 import conversations, memories
from scrimshaw.working import database

_QUICK, _SLOW = 2, 48


def act(served: Served) -> None:
    """What a program asks, and asks again when it does not know what came of it."""
    owner = served.token(scope="owner")

    def ask(method: str, path: str, told: dict[str, Any], ok: tuple[int, ...], **headers: str) -> Any:
        answer = served.ask(method, V2 + path, told, token=owner, headers=headers)
        assert answer.status_code in ok, answer.text
        return answer.json()

    for number in range(3):
        said = {"content": f"The crate {number} is blue."}
        id_ = ask("POST", "/store", said, (201,), **{"Idempotency-Key": f"s-{number}"})["id"]
    changed = {"content": "The crate 2 is red."}
    # Done before the kill: then it is at version 2.
    ask("PATCH", f"/memories/{id_}", changed, (200, 412), **{"If-Match": '"1"'})
    ask("POST", "/knowledge", {"content": "Prefers trains."}, (201,), **{"Idempotency-Key": "k"})
    for number in range(2):
        said = {"content": f"My flight {number} is at 7."}
        ask("POST", "/conversations/t/messages", said, (201,), **{"Idempotency-Key": f"m-{number}"})
    ask("POST", "/notes", {"text": "The spare key is under the third pot."}, (200,))


def outcome(home: Path) -> list[Any]:
    """Return all that is kept."""
    served = Served(home)
    with served.memory() as memory:
        kept = sorted((one.id, one.content, one.version) for one in memory.memories().memories)
        known = sorted((one.id, one.content) for one in memory.knowledge().knowledge)
        talk = memory.get_context("t", shape="openai").to_dict()["messages"]
        lines = [line.observation.text for line in memory.timeline().lines]
        shown = memory.as_of("now").body
    return [kept, known, [one["content"] for one in talk], lines, shown.count("spare key")]


def _child(home: Path, point: int, before: Callable[[], None], told: Path | None = None) -> bool:
    """Ask in a process that ends at *point*; return whether it did."""
    child = os.fork()
    if child == 0:
        status = 1
        try:
            before()
            counter = PointCounter(SimpleNamespace(workspace=home), point)  # type: ignore[arg-type]
            served = Served(home)
            counter.watch()
            opens = database._open

            def traced(path: Path) -> Any:
                connection = opens(path)
                connection.set_trace_callback(lambda _sql: counter._one())
                return connection

            database._open = traced
            act(served)
            counter.point = NEVER
            if told:
                told.write_text(str(counter.seen))
            status = 0
        except BaseException:  # noqa: BLE001  # told, and the child ends all the same
            traceback.print_exc()
        finally:
            os._exit(status)
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    assert code in ((0, 9) if point else (0,)), f"the act failed at point {point}"
    return code == 9


def _differing(folder: Path, count: int, before: Callable[[], None] = lambda: None) -> list[int]:
    """Return after which of *count* kills, spread over the act, something is not as it is without one."""
    home, base, told = folder / "agents", folder / "base", folder / "points"
    Served(home).memory().close()
    shutil.copytree(home, base)

    def anew() -> None:
        shutil.rmtree(home)
        shutil.copytree(base, home)

    _child(home, NEVER, before, told)
    expected, points = outcome(home), int(told.read_text())
    # The ids of what has a key are the same in every run; without a key, or with chance, they are not.
    step = max(1, points // count)
    wrong = []
    killed = 0
    for point in range(step // 2 + 1, points, step):
        anew()
        killed += _child(home, point, before)
        _child(home, NEVER, before)
        if outcome(home) != expected:
            wrong.append(point)
    assert killed >= count * 3 // 4
    return wrong


def test_a_kill_in_the_server_loses_and_doubles_nothing(tmp_path: Path) -> None:
    assert _differing(tmp_path, _QUICK) == []


@pytest.mark.slow
def test_a_kill_at_many_points_in_the_server_loses_and_doubles_nothing(tmp_path: Path) -> None:
    assert _differing(tmp_path, _SLOW) == []


def test_without_the_keys_a_kill_would_double(tmp_path: Path) -> None:
    def broken() -> None:
        for module in (memories, conversations):
            module.id_from = lambda *_: str(uuid.uuid4())

    assert _differing(tmp_path, _QUICK, broken) != []
