"""Several agents of which one cannot be read: the others are served, and the exit code tells of it."""

import json
from collections.abc import Callable
from typing import Any
from unittest import mock

import pytest
from tests.places import Place
from tests.stores import FakeSession, build_jsonl
from tests.support.prepared import Prepared

from scrimshaw.memory import Memory
from scrimshaw.services.schedule import tick

_LOOKING = (
    ("observe",),
    ("observe", "--if-due"),
    ("archive",),
    ("reflect",),
    ("status",),
    ("preview",),
    ("reindex",),
    ("health",),
    ("review",),
    ("models",),
    ("models", "test"),
    ("spend",),
    ("conflicts", "--all-agents"),
    ("stats", "--all-agents"),
    ("trend", "facts", "--all-agents"),
    ("search", "--all-agents", "Earl Grey"),
)
_OF_LEDGER = tuple(words for words in _LOOKING if words[0] != "models")
_WITHOUT_JSON = ("preview",)


def _begun(place: Place) -> None:
    place.say(("I prefer black coffee in the mornings.", "Noted."))
    other = place.root / "other"
    other.mkdir()
    config = json.loads((place.state / "openclaw.json").read_text())
    config["agents"]["list"] = [
        {"id": "main", "default": True, "workspace": str(place.workspace)},
        {"id": "zed", "workspace": str(other)},
    ]
    (place.state / "openclaw.json").write_text(json.dumps(config))
    session = FakeSession(key="agent:zed:main")
    session.user("I prefer Earl Grey in the mornings.")
    session.assistant("Noted.")
    build_jsonl(place.state / "agents" / "zed" / "sessions", [session])
    assert place.run("init", "--yes").code == 0


@pytest.fixture
def place(prepared: Prepared) -> Place:
    return prepared(_begun)


def _break_settings(place: Place) -> None:
    (place.workspace / ".scrimshaw" / "config.yaml").write_text("observation_chars: lots\n")


def _break_ledger(place: Place) -> None:
    (place.workspace / ".scrimshaw" / "ledger.sqlite").write_bytes(b"junk" * 3_000)


@pytest.mark.parametrize("words", _LOOKING, ids=lambda words: " ".join(words[:2]))
def test_an_agent_whose_settings_are_wrong_is_told_by_the_exit_code(
    place: Place, words: tuple[str, ...]
) -> None:
    _break_settings(place)

    answer = place.run(*words)

    assert (answer.code, "zed" in answer.out or words == ("models", "test")) == (3, True)
    assert "observation_chars" in answer.out + answer.err
    if words[0] not in _WITHOUT_JSON:
        told = place.run(*words, "--json")
        assert (told.code, told.object["exit_code"]) == (3, 3)
        assert "observation_chars" in told.out


@pytest.mark.parametrize("words", _LOOKING, ids=lambda words: " ".join(words[:2]))
def test_an_agent_whose_folder_cannot_be_looked_at_keeps_no_other_from_being_served(
    place: Place, words: tuple[str, ...]
) -> None:
    config = json.loads((place.state / "openclaw.json").read_text())
    config["agents"]["list"][0]["workspace"] = str(place.root / ("x" * 300))
    (place.state / "openclaw.json").write_text(json.dumps(config))

    answer = place.run(*words)

    assert (answer.code, "cannot be looked at (File name too long)" in answer.out + answer.err) == (3, True)


@pytest.mark.parametrize("words", _OF_LEDGER, ids=lambda words: " ".join(words[:2]))
def test_an_agent_whose_ledger_is_damaged_keeps_no_other_from_being_served(
    place: Place, words: tuple[str, ...]
) -> None:
    _break_ledger(place)

    answer = place.run(*words)

    assert (answer.code, "zed" in answer.out) == (3, True)
    assert "ledger.sqlite" in answer.out + answer.err
    if words[0] not in _WITHOUT_JSON:
        told = place.run(*words, "--json")
        assert (told.code, told.object["exit_code"]) == (3, 3)
        assert "zed" in told.out or "--if-due" in words  # nothing of it is due


@pytest.mark.parametrize(
    "words", [("review",), ("conflicts",), ("stale", "--all-agents", "--text")], ids=" ".join
)
@pytest.mark.parametrize("broken", [_break_settings, _break_ledger])
def test_at_a_terminal_the_others_are_gone_through_and_the_exit_code_tells(
    place: Place,
    monkeypatch: pytest.MonkeyPatch,
    broken: Callable[[Place], None],
    words: tuple[str, ...],
) -> None:
    monkeypatch.setattr("scrimshaw.cli.support.command.CommandCall.is_at_terminal", True)
    broken(place)

    answer = place.run(*words)

    assert (answer.code, "zed" in answer.out) == (3, True)
    assert ("observation_chars" if broken is _break_settings else "ledger.sqlite") in answer.out + answer.err


def test_who_is_asked_about_one_agent_alone_is_told_nothing_of_the_other(place: Place) -> None:
    _break_settings(place)

    assert place.run("observe", "--agent", "zed").code == 0
    assert place.run("health", "--agent", "zed", "--json").object["agent"] == "zed"
    assert place.run("observe", "--agent", "main").code == 1


def test_where_the_other_was_served_nobody_says_that_nothing_was_done(place: Place) -> None:
    _break_settings(place)

    answer = place.run("observe")

    assert "zed" in answer.out
    assert "nothing was done" not in (answer.out + answer.err).replace("nothing was done with it", "")


def test_where_no_other_is_set_up_the_wrong_settings_are_told(place: Place) -> None:
    _break_settings(place)
    (place.root / "other" / ".scrimshaw" / "ledger.sqlite").unlink()

    answer = place.run("reflect")

    assert (answer.code, "observation_chars" in answer.err) == (1, True)


# -- a defect of ours in one of them ------------------------------------------------------------------------

_METHODS = {"observe --if-due": "is_due", "observe --show-request": "next_requests"}


def _fails_at_main(name: str) -> Any:  # of mock
    does = getattr(Memory, name)

    def fails(memory: Memory, *given: Any, **named: Any) -> Any:  # as there
        if memory.agent == "main":
            raise ZeroDivisionError("what somebody said")
        return does(memory, *given, **named)

    return mock.patch.object(Memory, name, fails)


@pytest.mark.parametrize(
    "words",
    [
        *(one for one in _LOOKING if one[0] not in ("models", "review")),
        ("observe", "--show-request"),
    ],
    ids=" ".join,
)
def test_a_defect_at_one_agent_ends_no_other_and_is_told_as_one(place: Place, words: tuple[str, ...]) -> None:
    with _fails_at_main(_METHODS.get(" ".join(words), words[0])):
        answer = place.run(*words)
        told = None if words[0] in _WITHOUT_JSON else place.run(*words, "--json")

    assert (answer.code, "zed" in answer.out) == (3, True)
    assert "This is a defect of Scrimshaw." in answer.out + answer.err
    assert "please report this line: ZeroDivisionError at" in answer.out + answer.err
    assert "somebody said" not in answer.out + answer.err
    if told is not None:
        assert (told.code, told.object["exit_code"]) == (3, 3)
        assert "ZeroDivisionError at" in told.out


def test_a_defect_of_one_alone_is_printed_as_before_and_with_json_as_an_object(place: Place) -> None:
    with _fails_at_main("observe"):
        alone = place.run("observe", "--agent", "main")
        told = place.run("observe", "--agent", "main", "--json")
    with _fails_at_main("health"):
        other = place.run("health", "--agent", "main", "--json")

    first, second = alone.err.splitlines()
    assert (alone.code, alone.out) == (70, "")
    assert first.startswith("This is a defect of Scrimshaw. Finished steps are kept; MEMORY.md is either")
    assert second.startswith("Next: please report this line: ZeroDivisionError at test_several_agents.py:")
    assert (told.code, told.object["workspaces"][0]["exit_code"]) == (70, 70)
    assert (other.code, other.object["exit_code"]) == (70, 70)
    assert other.object["next_step"].startswith("please report this line: ZeroDivisionError at")


def test_a_defect_at_one_agent_ends_no_other_of_a_single_pass_of_the_daemon(
    place: Place, caplog: pytest.LogCaptureFixture
) -> None:
    does = tick.follow

    def fails(target: Any, *given: Any) -> Any:  # as there
        if target.agent_id == "main":
            raise ZeroDivisionError("what somebody said")
        return does(target, *given)

    with mock.patch("scrimshaw.daemon.once.follow", fails):
        answer = place.run("run", "--once")

    assert answer.code == 3
    assert "agent=zed did=" in answer.err + caplog.text
    assert "ZeroDivisionError at" in answer.err + caplog.text
    assert "somebody said" not in answer.err + caplog.text
