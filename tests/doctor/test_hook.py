"""The hook: placed, selected, knowing every agent, and loaded by the gateway that runs now."""

from __future__ import annotations

import json
import os
import sys
from datetime import timedelta
from typing import Any

import pytest
from tests.doctor.cases import MOMENT, MOMENT_MS, about, examined, gateway, hook, worst
from tests.places import Place

from scrimshaw.doctor import Severity
from scrimshaw.host import hooks
from scrimshaw.store.records import Run


def test_a_hook_that_the_running_gateway_has_loaded_is_well(place: Place) -> None:
    gateway(place)
    hook(place)

    severity, told = worst(examined(place), "hook")

    assert severity is Severity.OK, told
    assert "loaded by the gateway" in told


def test_no_hook_is_noted_with_what_is_missing_without_it(place: Place) -> None:
    severity, told = worst(examined(place), "hook")

    assert severity is Severity.NOTE
    assert "scrimshaw install" in told


def test_a_hook_of_somebody_else_is_left_alone(place: Place) -> None:
    folder = hooks.folder(place.state)
    folder.mkdir(parents=True)
    (folder / "HOOK.md").write_text("---\nname: theirs\n---\n")

    severity, told = worst(examined(place), "hook")

    assert severity is Severity.WARNING
    assert "we have not written" in told


def test_an_outdated_handler_is_a_warning(place: Place) -> None:
    hook(place)
    handler = hooks.folder(place.state) / "handler.ts"
    handler.write_text(handler.read_text() + "// older\n")

    severity, told = worst(examined(place), "hook")

    assert severity is Severity.WARNING
    assert "another version" in told


@pytest.mark.parametrize("text", ["", "[]", '{"version": 9}', "\x00\xff", '{"version": 1, "program": []}'])
def test_garbage_settings_are_an_error(place: Place, text: str) -> None:
    hook(place)
    (hooks.folder(place.state) / "settings.json").write_text(text)

    severity, told = worst(examined(place), "hook")

    assert severity is Severity.ERROR
    assert "settings.json" in told


@pytest.mark.parametrize("text", ["", "[]", '{"pid": "x"}', '{"pid": 1e999}', "\x00\xff"])
def test_a_garbage_sign_of_life_means_not_loaded(place: Place, text: str) -> None:
    gateway(place)
    hook(place)
    (hooks.folder(place.state) / "alive.json").write_text(text)

    severity, told = worst(examined(place), "hook")

    assert severity is Severity.WARNING
    assert "has never loaded the hook" in told


def test_a_program_that_is_gone_is_an_error(place: Place) -> None:
    hook(place, program=(str(place.root / "gone" / "scrimshaw"),))

    severity, told = worst(examined(place), "hook")

    assert severity is Severity.ERROR
    assert "gone/scrimshaw" in told


@pytest.mark.parametrize(
    ("internal", "words"),
    [
        ({"enabled": False}, "switched off in the host's configuration (hooks.internal.enabled"),
        ({"entries": {"session-memory": {"enabled": True}}}, "openclaw hooks enable scrimshaw"),
        ({"enabled": True, "entries": {"scrimshaw": {"enabled": False}}}, "switched off"),
        (None, "loads no hooks at all"),
    ],
)
def test_a_selection_without_ours_is_a_warning_that_says_how(place: Place, internal: Any, words: str) -> None:
    hook(place)
    _configure(place, {"hooks": {"internal": internal}} if internal else {})

    severity, told = worst(examined(place), "hook")

    assert severity is Severity.WARNING
    assert words in told


def test_an_agent_that_the_hook_does_not_know_is_a_warning(place: Place) -> None:
    hook(place, workspaces={"other": place.workspace})

    severity, told = worst(examined(place), "hook")

    assert severity is Severity.WARNING
    assert "does not serve main" in told


def test_a_workspace_that_moved_is_a_warning(place: Place) -> None:
    hook(place, workspaces={"main": place.root / "before\0"})

    severity, told = worst(examined(place), "hook")

    assert severity is Severity.WARNING
    assert "it looks for main in" in told


def test_a_gateway_that_was_started_anew_without_the_hook_is_a_warning(place: Place) -> None:
    hook(place, pid=2**22 + 1, loaded_at=MOMENT - timedelta(days=1))
    gateway(place, started_at=MOMENT - timedelta(hours=1))

    severity, told = worst(examined(place), "hook")

    assert severity is Severity.WARNING
    assert "has not loaded the hook" in told
    assert "openclaw gateway restart" in told


def test_a_gateway_with_an_older_handler_is_a_warning(place: Place) -> None:
    gateway(place)
    hook(place, version="0123456789ab")

    severity, told = worst(examined(place), "hook")

    assert severity is Severity.WARNING
    assert "older handler" in told


def failed(outcome: str, agent: str = "main", ago: timedelta = timedelta()) -> dict[str, Any]:
    """What the handler says of an event."""
    return {"at": (MOMENT - ago).isoformat(), "outcome": outcome, "ms": 3, "agent": agent}


@pytest.mark.parametrize("outcome", ["ended with 3", "not done within 20 s and stopped"])
def test_an_answer_that_went_wrong_lately_is_a_warning_while_something_waits(
    place: Place, outcome: str
) -> None:
    place.say(("We decided to use Redis 8 for the cache.", "Noted."))
    gateway(place)
    hook(place, events={"command:new": failed(outcome)})

    severity, told = worst(examined(place), "hook")

    assert severity is Severity.WARNING
    assert outcome in told

    assert place.run("observe", "--now").code == 0  # what the warning says to do

    assert worst(examined(place), "hook")[0] is Severity.OK


def test_a_later_answer_of_the_same_agent_that_went_well_ends_the_warning(place: Place) -> None:
    place.say(("We decided to use Redis 8 for the cache.", "Noted."))
    gateway(place)
    before, later = failed("ended with 3"), timedelta(minutes=-1)

    hook(place, events={"command:new": before, "command:reset": failed("done", "other", later)})
    by_another = worst(examined(place), "hook")[0]
    hook(place, events={"command:new": before, "command:reset": failed("done", ago=timedelta(hours=1))})
    by_an_earlier = worst(examined(place), "hook")[0]
    hook(place, events={"command:new": before, "command:reset": failed("done", ago=later)})
    after = worst(examined(place), "hook")[0]

    assert (by_another, by_an_earlier, after) == (Severity.WARNING, Severity.WARNING, Severity.OK)


def test_a_program_that_could_not_be_started_is_a_warning_until_it_can(place: Place) -> None:
    program = place.root / "scrimshaw"
    program.write_text("#!/bin/sh\n")
    gateway(place)
    hook(place, program=(str(program),), events={"command:new": failed("could not be started")})

    before = worst(examined(place), "hook")
    program.chmod(0o755)
    after = worst(examined(place), "hook")

    assert before[0] is Severity.WARNING
    assert "could not be started" in before[1]
    assert after[0] is Severity.OK


def test_a_run_that_failed_too_keeps_the_warning(place: Place) -> None:
    with place.ledger() as ledger:
        ledger.begin_run(Run("x", "observe", "test", "offline", MOMENT_MS + 1))
        ledger.finish_run("x", outcome="failed", at_ms=MOMENT_MS + 1, error="no room on the disk")
    gateway(place)
    hook(place, events={"command:new": failed("ended with 1", ago=timedelta(hours=1))})

    assert worst(examined(place), "hook")[0] is Severity.WARNING


def test_silence_of_the_hook_while_an_agent_was_active_is_noted(place: Place) -> None:
    gateway(place, started_at=MOMENT - timedelta(days=2))
    hook(place, loaded_at=MOMENT - timedelta(days=2))

    found = about(examined(place), "hook")

    assert any("has heard nothing" in finding.what for finding in found)


def test_without_a_gateway_the_hook_is_not_blamed(place: Place) -> None:
    hook(place, pid=2**22 + 1)

    severity, told = worst(examined(place), "hook")

    assert severity is Severity.OK
    assert "no gateway runs now" in told


@pytest.mark.parametrize("said", ["", "[]", '{"pid": "x"}', '{"pid": -1}', '{"pid": 99999999999999999999}'])
def test_a_garbage_lock_of_a_gateway_is_no_gateway(place: Place, said: str) -> None:
    gateway(place)
    next(place.state.glob("tmp/*/gateway.state.lock")).write_text(said)

    _, told = worst(examined(place), "gateway")

    assert "none runs" in told


def test_a_lock_of_another_process_of_the_same_number_is_no_gateway(place: Place) -> None:
    gateway(place, startTime=1)

    _, told = worst(examined(place), "gateway")

    assert ("none runs" in told) == sys.platform.startswith("linux")


def test_the_gateway_of_the_jsonl_line_is_found_by_its_configuration(place: Place) -> None:
    said = {"pid": os.getpid(), "createdAt": MOMENT.isoformat()}
    folder = place.root / f"openclaw-{os.getuid()}"  # TMPDIR is the machine's root here
    folder.mkdir()
    (folder / "gateway.aaaaaaaa.lock").write_text(json.dumps({**said, "configPath": "/elsewhere.json"}))
    before = worst(examined(place), "gateway")[1]
    config = str(place.state / "openclaw.json")
    (folder / "gateway.bbbbbbbb.lock").write_text(json.dumps({**said, "configPath": config}))

    after = worst(examined(place), "gateway")[1]

    assert "none runs" in before
    assert f"process {os.getpid()}" in after


def _configure(place: Place, values: dict[str, Any]) -> None:
    path = place.state / "openclaw.json"
    config = json.loads(path.read_text())
    config.pop("hooks", None)
    path.write_text(json.dumps({**config, **values}))
