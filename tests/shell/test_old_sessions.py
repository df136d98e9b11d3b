"""Old JSONL conversations without a name: what proves that they were private, and what the owner says."""

from __future__ import annotations

import io
import json
from pathlib import Path

import click
import pytest
from tests.places import Place
from tests.stores import MAIN_KEY, FakeSession, lines_of

GROUP = "agent:main:telegram:group:-100"


def _note(sender: str, **fields: object) -> str:
    note = json.dumps({"message_id": "7", "sender_id": sender, **fields}, indent=2)
    return f"Conversation info (untrusted metadata):\n```json\n{note}\n```\n\n"


class _Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


class Machine:
    """An agent of the JSONL era with a current conversation and old ones that a reset renamed."""

    def __init__(self, root: Path) -> None:
        self.place = Place(root)
        self.place.say(("We decided that unit-0x runs release 1.0.1 in production.", "Noted."))
        self._count = 0

    def add_old(self, *messages: str) -> str:
        """Store an old conversation in which *messages* were said; return its id."""
        self._count += 1
        old = FakeSession(session_id=f"{self._count:08x}-0000-4000-8000-000000000000")
        for text in messages:
            old.user(text)
            old.assistant("Noted. " + "Well. " * 100)
        path = self.place.store / f"{old.session_id}.jsonl.reset.2026-11-1{self._count}T10-00-00.000Z"
        path.write_bytes(lines_of(old.events))
        return old.session_id

    def name(self, **entries: dict[str, object]) -> None:
        """Let sessions.json say of each key what *entries* do."""
        path = self.place.store / "sessions.json"
        names = json.loads(path.read_bytes())
        for key, entry in entries.items():
            names[key] = names.get(key, {"sessionId": "elsewhere"}) | entry
        path.write_text(json.dumps(names))

    def noted(self) -> list[str]:
        return [f"unit-{n}x" for n in range(9) if f"unit-{n}x" in self.place.dated()]


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path)


def _statement(number: int) -> str:
    return f"We decided that unit-{number}x runs release {number}.4.1 in production."


def test_a_conversation_that_the_host_names_as_replaced_is_known(machine: Machine) -> None:
    ours, groups, both = (machine.add_old(_statement(n)) for n in (1, 2, 3))
    machine.name(
        **{
            MAIN_KEY: {"usageFamilyKey": MAIN_KEY, "usageFamilySessionIds": [ours, both, 7]},
            GROUP: {"usageFamilySessionIds": [groups, both]},
            "agent:main:other": {"usageFamilyKey": MAIN_KEY, "usageFamilySessionIds": [groups]},
        }
    )

    assert machine.place.run("observe", "--yes").code == 0

    assert machine.noted() == ["unit-0x", "unit-1x"]


def test_a_conversation_with_the_hosts_note_of_a_direct_chat_above_each_message_is_known(
    machine: Machine,
) -> None:
    machine.add_old(_note("77") + _statement(1), "/new", _note("77") + "Thanks.")
    machine.add_old(_note("77") + _statement(2), _note("78") + "Thanks.")  # of two senders
    machine.add_old(_note("77") + _statement(3), "Thanks.")  # not above each
    machine.add_old(_note("77", conversation_label="Ops") + _statement(4), _note("77") + "Thanks.")
    machine.add_old(_note("77", is_group_chat=True) + _statement(5), _note("77") + "Thanks.")
    machine.add_old(_note("77", chat_id="telegram:-1007") + _statement(6), _note("77") + "Thanks.")
    machine.add_old(_note("77") + _statement(7))  # once is no proof

    assert machine.place.run("observe", "--yes").code == 0

    assert machine.noted() == ["unit-0x", "unit-1x"]


def test_without_an_answer_nameless_conversations_are_left_out_and_it_is_said(machine: Machine) -> None:
    machine.add_old(_statement(1))

    answer = machine.place.run("observe", "--yes")

    assert machine.noted() == ["unit-0x"]
    assert "--old-sessions private" in " ".join((answer.out + answer.err).split())


@pytest.mark.parametrize("is_set_up", [True, False])
def test_what_the_owner_says_with_the_command_is_remembered(machine: Machine, is_set_up: bool) -> None:
    if is_set_up:
        machine.place.run("observe", "--yes")
    machine.add_old(_statement(1))
    machine.add_old(
        "Priya: " + _statement(2), _note("5", is_group_chat=True) + "Hi."
    )  # proven to be a group's

    left = machine.place.run("observe", "--old-sessions", "leave", "--yes")
    assert "old session" not in left.out + left.err
    assert machine.noted() == ["unit-0x"]
    machine.place.run("observe", "--old-sessions", "private")
    assert machine.noted() == ["unit-0x", "unit-1x"]

    machine.add_old(_statement(3))
    again = machine.place.run("observe")
    assert machine.noted() == ["unit-0x", "unit-1x"]
    assert "1 old session" in again.out + again.err


def test_a_terminal_is_asked_once(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    machine.place.run("observe", "--yes")
    machine.add_old(_statement(1))
    asked: list[str] = []

    def confirm(text: str, **_: object) -> bool:
        asked.append(text)
        return True

    monkeypatch.setattr(click, "confirm", confirm)
    monkeypatch.setattr("tests.places.io.StringIO", _Terminal)
    machine.place.run("observe")
    machine.place.run("observe")

    assert asked == ["Were they all private?"]
    assert machine.noted() == ["unit-0x", "unit-1x"]


def test_an_agents_shell_cannot_say_it(machine: Machine) -> None:
    machine.place.run("observe", "--yes")
    machine.add_old(_statement(1))

    answer = machine.place.run("observe", "--old-sessions", "private", env={"OPENCLAW_SHELL": "exec"})

    assert answer.code == 4
    assert machine.noted() == ["unit-0x"]
