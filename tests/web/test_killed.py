"""A server that is killed anywhere in a request: who asks again with the same keys finds each thing once.

Killed is at one point of each different place: a place is the call, as the program's innermost functions and
the statement tell it. A point that is not reached fails the test.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import sys
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

_QUICK = 2
_LEAST_PLACES = 40
_NAMED = re.compile(r"'[^']*'|\d+")


class _Counter(PointCounter):
    """Notes the place of each point, too."""

    def __init__(self, home: Path, point: int) -> None:
        super().__init__(SimpleNamespace(workspace=home), point)  # type: ignore[arg-type]
        self.places: list[str] = []

    def _one(self, statement: str = "") -> None:
        self.places.append(f"{_innermost(3)} {_NAMED.sub('?', statement)}")
        super()._one()


def _innermost(most: int) -> str:
    """Return the names of the program's functions that are running, the *most* innermost ones."""
    names: list[str] = []
    frame = sys._getframe(1)
    while frame and len(names) < most:
        if "/scrimshaw/" in frame.f_code.co_filename:
            names.append(f"{Path(frame.f_code.co_filename).stem}.{frame.f_code.co_name}")
        frame = frame.f_back  # type: ignore[assignment]
    return " < ".join(names)


def act(served: Served) -> None:
    """What a program asks, and asks again when it does not know what came of it."""
    owner = served.token(scope="owner")

    def ask(method: str, path: str, told: dict[str, Any] | None, ok: tuple[int, ...], **headers: str) -> Any:
        answer = served.ask(method, V2 + path, told, token=owner, headers=headers)
        assert answer.status_code in ok, answer.text
        return answer.json() if answer.content else None

    ids = [
        ask("POST", "/store", {"content": f"The crate {number} is blue."}, (201,), **_key(f"s-{number}"))[
            "id"
        ]
        for number in range(3)
    ]
    changed = {"content": "The crate 2 is red."}
    # Done before the kill: then it is at version 2, or gone.
    ask("PATCH", f"/memories/{ids[2]}", changed, (200, 412), **{"If-Match": '"1"'})
    ask("DELETE", f"/memories/{ids[1]}", None, (204, 404), **{"If-Match": '"1"'})
    ask("POST", "/knowledge", {"content": "Prefers trains."}, (201,), **_key("k"))
    for number in range(2):
        said = {"content": f"My flight {number} is at 7."}
        ask("POST", "/conversations/t/messages", said, (201,), **_key(f"m-{number}"))
    ask("POST", "/notes", {"text": "The spare key is under the third pot."}, (200,))


def _key(name: str) -> dict[str, str]:
    return {"Idempotency-Key": name}


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
            counter = _Counter(home, point)
            served = Served(home)
            counter.watch()
            opens = database._open

            def traced(path: Path) -> Any:
                connection = opens(path)
                connection.set_trace_callback(counter._one)
                return connection

            database._open = traced
            act(served)
            counter.point = NEVER
            if told:
                told.write_text(json.dumps(counter.places))
            status = 0
        except BaseException:  # noqa: BLE001  # told, and the child ends all the same
            traceback.print_exc()
        finally:
            os._exit(status)
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    assert code in ((0, 9) if point else (0,)), f"the act failed at point {point}"
    return code == 9


def _differing(folder: Path, most: int | None = None, before: Callable[[], None] = lambda: None) -> list[str]:
    """Return the places after whose kill something is not as it is without one; of *most* of all places."""
    home, base, told = folder / "agents", folder / "base", folder / "points"
    Served(home).memory().close()
    shutil.copytree(home, base)

    def anew() -> None:
        shutil.rmtree(home)
        shutil.copytree(base, home)

    _child(home, NEVER, before, told)
    expected, places = outcome(home), json.loads(told.read_text())
    first = sorted({place: point for point, place in reversed(list(enumerate(places, 1)))}.values())
    assert len(first) >= _LEAST_PLACES
    step = len(first) // most if most else 1
    wrong = []
    for point in first[step // 2 :: step]:
        anew()
        assert _child(home, point, before), f"nothing was killed at {places[point - 1]}"
        _child(home, NEVER, before)
        # The ids of what has a key are the same in every run; without a key, or with chance, they are not.
        if outcome(home) != expected:
            wrong.append(places[point - 1])
    return wrong


def test_a_kill_in_the_server_loses_and_doubles_nothing(tmp_path: Path) -> None:
    assert _differing(tmp_path, _QUICK) == []


@pytest.mark.slow
def test_a_kill_at_any_place_in_the_server_loses_and_doubles_nothing(tmp_path: Path) -> None:
    assert _differing(tmp_path) == []


def test_without_the_keys_a_kill_would_double(tmp_path: Path) -> None:
    def broken() -> None:
        for module in (memories, conversations):
            module.id_from = lambda *_: str(uuid.uuid4())

    assert _differing(tmp_path, _QUICK, broken) != []
