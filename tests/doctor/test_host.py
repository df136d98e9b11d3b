"""What of the host's configuration keeps MEMORY.md out of the prompt, and what an install has made."""

from __future__ import annotations

import json
from typing import Any

import pytest
from tests.doctor.cases import MOMENT_MS, about, change_store, environment, examined, hook, worst
from tests.places import Place
from tests.shell.fake_state import report

from scrimshaw.doctor import Severity
from scrimshaw.resources import plugin_folder, program
from scrimshaw.setup.receipt import MadeFile, MadeSnippet, Receipt, digest, path_of, save


def configure(place: Place, values: dict[str, Any]) -> None:
    path = place.state / "openclaw.json"
    config = json.loads(path.read_text())
    defaults = {**config["agents"]["defaults"], **values.pop("defaults", {})}
    path.write_text(json.dumps({**config, **values, "agents": {"defaults": defaults}}))


def test_a_plain_configuration_is_well(place: Place) -> None:
    assert worst(examined(place), "plugins")[0] is Severity.OK
    assert worst(examined(place), "openclaw") == (
        Severity.OK,
        "2026.9.6, which keeps transcripts in SQLite",
    )


@pytest.mark.parametrize(
    ("values", "severity", "words"),
    [
        ({"defaults": {"contextInjection": "never"}}, Severity.ERROR, "contextInjection always"),
        ({"defaults": {"contextInjection": "continuation-skip"}}, Severity.NOTE, "first turn"),
        ({"plugins": {"slots": {"contextEngine": "lossless-claw"}}}, Severity.NOTE, "lossless-claw"),
        ({"plugins": {"slots": {"contextEngine": "legacy"}}}, Severity.OK, "nothing"),
        ({"plugins": {"slots": {"memory": "memory-lancedb"}}}, Severity.WARNING, "memory-lancedb"),
        ({"plugins": {"slots": {"memory": "none"}}}, Severity.OK, "nothing"),
        ({"defaults": {"model": {"primary": "openai/gpt-6-astra"}}}, Severity.NOTE, "Codex"),
        ({"defaults": {"model": "anthropic/claude-opus-5"}}, Severity.OK, "nothing"),
    ],
)
def test_each_setting_is_judged_by_what_it_means_for_memory_md(
    place: Place, values: dict[str, Any], severity: Severity, words: str
) -> None:
    configure(place, values)

    found, told = worst(examined(place), "plugins")

    assert found is severity, told
    assert words in told


def test_a_runtime_that_is_chosen_beats_what_the_model_s_name_suggests(place: Place) -> None:
    models = {"openai/gpt-6-astra": {"agentRuntime": {"id": "openclaw"}}}
    configure(place, {"defaults": {"model": "openai/gpt-6-astra", "models": models}})

    assert worst(examined(place), "plugins")[0] is Severity.OK


def test_a_memory_plugin_that_shuts_memory_md_out_by_the_host_s_report_is_an_error(place: Place) -> None:
    configure(place, {"plugins": {"slots": {"memory": "memory-lancedb"}}})
    entry = report(place.workspace, at=MOMENT_MS, memory=None)
    change_store(place, "update session_nodes set entry_json = ?", json.dumps(entry))

    severity, told = worst(examined(place), "plugins")

    assert severity is Severity.ERROR
    assert "excluding automatic memory context" in told


def test_a_newer_host_than_was_tried_is_noted(place: Place) -> None:
    configure(place, {"meta": {"lastTouchedVersion": "2027.1.1"}})

    severity, told = worst(examined(place), "openclaw")

    assert severity is Severity.NOTE
    assert "2027.1.1 is newer" in told


def test_a_broken_configuration_is_an_error(place: Place) -> None:
    config = {"agents": {"defaults": {"workspace": str(place.workspace)}}}
    (place.state / "openclaw.json").write_text(json.dumps(config)[:-1])
    (place.state / "workspace").mkdir()

    assert worst(examined(place), "agents")[0] is Severity.ERROR


def test_agents_that_are_not_set_up_are_named(place: Place) -> None:
    path = place.state / "openclaw.json"
    other = place.root / "other"
    other.mkdir()
    entries = {"main": {"workspace": str(place.workspace), "default": True}, "ops": {"workspace": str(other)}}
    path.write_text(json.dumps({"agents": {"entries": entries}}))

    severity, told = worst(examined(place), "agents")

    assert severity is Severity.NOTE
    assert "served: main; not set up: ops" in told


def test_what_an_install_made_is_looked_after(place: Place) -> None:
    hook(place)
    skill, agents = place.workspace / "skills" / "SKILL.md", place.workspace / "AGENTS.md"
    skill.parent.mkdir()
    skill.write_text("ours")
    agents.write_text("before\nour lines\nafter\n")
    made = MadeFile(str(skill), (digest(b"ours"),)), MadeSnippet(str(agents), ("our lines",), True)
    save(environment(place), Receipt(str(place.state), "", made))

    well = worst(examined(place), "installed")
    agents.write_text("before\n")
    without_lines = worst(examined(place), "installed")
    skill.unlink()
    without_file = " ".join(finding.what for finding in about(examined(place), "installed"))

    assert well[0] is Severity.OK
    assert without_lines[0] is Severity.WARNING
    assert "scrimshaw add" in without_lines[1]
    assert "no longer there" in without_file


@pytest.mark.parametrize("text", ["", "[]", '{"version": 1}', "\x00"])
def test_a_garbage_receipt_is_an_error_with_the_way_on(place: Place, text: str) -> None:
    path = path_of(environment(place), place.state)
    path.parent.mkdir(parents=True)
    path.write_text(text)

    severity, told = worst(examined(place), "installed")

    assert severity is Severity.ERROR
    assert ".aside" in told


def _plugged(**entry: object) -> dict[str, Any]:
    told = {"enabled": True, "config": {"command": list(program())}, **entry}
    return {"plugins": {"load": {"paths": [str(plugin_folder())]}, "entries": {"scrimshaw": told}}}


def test_a_plug_in_that_nobody_asked_for_is_not_spoken_of(place: Place) -> None:
    assert not about(examined(place), "plugin")


@pytest.mark.parametrize(
    ("values", "severity", "words"),
    [
        (_plugged(), Severity.OK, "the next gateway loads it"),
        (_plugged(hooks={"allowConversationAccess": True}), Severity.OK, "tools and prompt"),
        (_plugged(enabled=False), Severity.NOTE, "disabled by name"),
        (_plugged(config={"command": ["/elsewhere"]}), Severity.WARNING, "another scrimshaw"),
        ({"plugins": {"entries": {"scrimshaw": {"enabled": True}}}}, Severity.ERROR, "plugins.load.paths"),
    ],
)
def test_the_plug_in_is_judged_by_how_the_host_would_take_it(
    place: Place, values: dict[str, Any], severity: Severity, words: str
) -> None:
    configure(place, values)

    found, told = worst(examined(place), "plugin")

    assert found is severity, told
    assert words in told
