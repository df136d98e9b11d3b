"""Turns that end before an answer, and conversations that end, in real gateways of both lines.

The model waits where the script says so, until the turn was aborted or the gateway killed. What the person
said then must be noted once, whenever one looks; what they went back from must not; and `/new` costs the
prompt's cache no second time.
"""

import json
import os
import signal
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.daemon.processes import until
from tests.host.conftest import CURRENT, JSONL, install_of
from tests.host.gateway import TURN_SECONDS, Gateway, Scrimshaw
from tests.host.scripted_model import Say, ScriptedModel

from scrimshaw.layout import Layout
from scrimshaw.store.ledger import open_ledger

KEY = "agent:main:main"


class Waiting:
    """A model that answers what holds "please" only once it is let go."""

    def __init__(self, model: ScriptedModel) -> None:
        self.let_go = threading.Event()
        model.script = {"please": [self._answer]}

    def _answer(self, _said: str) -> Say:
        self.let_go.wait(TURN_SECONDS)
        return Say("Noted.")


@pytest.fixture(params=[CURRENT, JSONL])
def gateway(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Gateway]:
    with ScriptedModel() as model, Gateway(install_of(request.param), tmp_path, model) as gateway:
        yield gateway


@pytest.fixture
def model(gateway: Gateway) -> Iterator[Waiting]:
    waiting = Waiting(gateway.model)
    yield waiting
    waiting.let_go.set()


def _statement(number: int) -> str:
    return f"We decided that unit-{number}x runs release {number}.4.1 in production, please note it."


def _begin(gateway: Gateway, model: Waiting, message: str) -> None:
    """Say *message*; return when the model has it and waits."""
    model.let_go.clear()
    chat = {"sessionKey": KEY, "message": message, "idempotencyKey": message[:40].replace(" ", "-")}
    gateway.run("gateway", "call", "chat.send", "--params", json.dumps(chat), "--json")
    until(lambda: gateway.model.requests_about(message), TURN_SECONDS)


def _abort(gateway: Gateway) -> None:
    call = ("gateway", "call", "chat.abort", "--params", json.dumps({"sessionKey": KEY}), "--json")
    assert gateway.run(*call)["aborted"]


def _kill(gateway: Gateway) -> None:
    assert gateway._process is not None
    os.killpg(gateway._process.pid, signal.SIGKILL)
    gateway._process.wait()


def _say(gateway: Gateway, model: Waiting, message: str) -> None:
    """Say *message*; nobody waits any more."""
    model.let_go.set()
    gateway.say(message)


def _start_again(gateway: Gateway, model: Waiting, message: str) -> None:
    """Start the gateway, let it finish the turn that was broken off, and say *message*."""
    model.let_go.set()
    seen = len(gateway.model.requests)
    gateway.start()
    until(lambda: len(gateway.model.requests) > seen, TURN_SECONDS)

    def is_taken() -> bool:
        try:
            gateway.say(message)
        except AssertionError:  # the session is still at work, and the host says: retry
            return False
        return True

    until(is_taken, TURN_SECONDS)


def _observe(gateway: Gateway, scrimshaw: Scrimshaw) -> None:
    workspace = str(gateway.workspace("main"))
    scrimshaw(gateway, "observe", "--now", "--yes", "--workspace", workspace)


def _times_noted(gateway: Gateway, count: int) -> list[tuple[int, int]]:
    """How often the ledger and MEMORY.md hold each statement."""
    with open_ledger(Layout(gateway.workspace("main")).ledger, create=False, read_only=True) as ledger:
        noted = "\n".join(line.observation.text for line in ledger.all_lines())
    memory = gateway.memory("main").read_text("utf-8")
    return [(noted.count(f"unit-{n}x"), memory.count(f"unit-{n}x")) for n in range(1, count + 1)]


# The older host lets nobody abort a turn but the connection that began it.
@pytest.mark.parametrize("gateway", [CURRENT], indirect=True)
def test_what_was_said_in_an_aborted_turn_is_noted_once_whenever_one_looks(
    gateway: Gateway, model: Waiting, scrimshaw: Scrimshaw
) -> None:
    _begin(gateway, model, _statement(1))
    _observe(gateway, scrimshaw)  # before the abort
    _abort(gateway)
    _say(gateway, model, "Is it warm?")
    _begin(gateway, model, _statement(2))
    _abort(gateway)
    _observe(gateway, scrimshaw)  # between the abort and the next message
    _say(gateway, model, "Is it cold?")
    _begin(gateway, model, _statement(3))
    _abort(gateway)
    _say(gateway, model, "Is it late?")
    _observe(gateway, scrimshaw)  # after both; it ends with 0, so nothing was told to be unreadable

    assert _times_noted(gateway, 3) == [(1, 1)] * 3


def test_what_was_said_before_the_gateway_was_killed_is_noted_once(
    gateway: Gateway, model: Waiting, scrimshaw: Scrimshaw
) -> None:
    # The older host stores a conversation from its first answer on: what is said before lies nowhere yet.
    _say(gateway, model, "Are you there?")
    for number in (1, 2):
        _begin(gateway, model, _statement(number))
        if number == 1:
            _observe(gateway, scrimshaw)
        _kill(gateway)
        _start_again(gateway, model, f"Is it warm in room {number}?")
    _observe(gateway, scrimshaw)

    assert _times_noted(gateway, 2) == [(1, 1)] * 2


@pytest.mark.parametrize("gateway", [CURRENT], indirect=True)
def test_what_the_person_went_back_from_is_not_noted_and_nothing_comes_twice(
    gateway: Gateway, model: Waiting, scrimshaw: Scrimshaw
) -> None:
    _begin(gateway, model, _statement(1))
    _abort(gateway)
    _say(gateway, model, "Is it warm?")
    _observe(gateway, scrimshaw)
    _begin(gateway, model, _statement(2))
    _abort(gateway)
    history = json.dumps({"sessionKey": KEY})
    told = gateway.run("gateway", "call", "chat.history", "--params", history, "--json")
    last = next(message for message in reversed(told["messages"]) if "unit-2x" in json.dumps(message))
    back = json.dumps({"sessionKey": KEY, "entryId": last["__openclaw"]["id"]})
    gateway.run("gateway", "call", "sessions.rewind", "--params", back, "--json")
    _say(gateway, model, _statement(3))
    _observe(gateway, scrimshaw)

    assert _times_noted(gateway, 3) == [(1, 1), (0, 0), (1, 1)]


# Only the newer host goes on in the same session.
@pytest.mark.parametrize("gateway", [CURRENT], indirect=True)
def test_a_new_conversation_is_not_written_in_its_middle(
    gateway: Gateway, model: Waiting, scrimshaw: Scrimshaw
) -> None:
    model.let_go.set()
    gateway.say(_statement(1))
    _observe(gateway, scrimshaw)
    workspace = str(gateway.workspace("main"))
    paces = {"SCRIMSHAW_IDLE_INTERVAL": "10m", "SCRIMSHAW_OBSERVER_INTERVAL": "1s"}
    with gateway.background("--workspace", workspace, **paces) as daemon:
        daemon.until_it_says("event=ready")
        gateway.reset(KEY, "new")
        before = gateway.memory("main").read_bytes()
        gateway.say(_statement(2))
        until(lambda: _times_noted(gateway, 2)[1][0], TURN_SECONDS)
        gateway.say("Is it warm?")

        assert gateway.memory("main").read_bytes() == before
        assert _times_noted(gateway, 2) == [(1, 1), (1, 0)]
