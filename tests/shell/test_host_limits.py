"""The limits in force, what other files take of them, and what the host says it injected."""

import json
import os
from pathlib import Path
from typing import Any

import pytest
from tests.shell.fake_state import FakeState, report

from scrimshaw.host.openclaw import (
    Injected,
    bootstrap_sizes,
    injected_report,
    limits,
    user_timezone,
    utf16_units,
)
from scrimshaw.host.plugins import TOOLS
from scrimshaw.sources.jsonl_folder import named_sessions
from scrimshaw.sources.openclaw_config import read_config


@pytest.fixture
def state(tmp_path: Path) -> FakeState:
    return FakeState(tmp_path / "home")


@pytest.mark.parametrize(
    ("version", "expected"),
    [
        ("2026.3.8", (20_000, 150_000, False)),
        ("2026.5.28", (12_000, 60_000, False)),
        ("2026.7.1-2", (20_000, 60_000, False)),
        ("2026.7.35", (20_000, 60_000, False)),
        ("2026.8.1", (20_000, 60_000, True)),
        ("2026.9.6", (20_000, 60_000, True)),
        ("2027.1.0", (20_000, 60_000, True)),
    ],
)
def test_limits_default_by_version(state: FakeState, version: str, expected: tuple[int, int, bool]) -> None:
    state.config({"meta": {"lastTouchedVersion": version}})

    found = limits(state.agent())

    assert (found.per_file, found.total, found.dreaming) == expected
    assert "default of OpenClaw 202" in found.origin["per_file"]


def test_the_newer_of_configuration_and_database_tells_the_version(state: FakeState) -> None:
    state.config({"meta": {"lastTouchedVersion": "2026.5.28"}})
    state.state_database("2026.9.6")

    assert limits(state.agent()).origin["per_file"] == "default of OpenClaw 2026.9.6"


def test_without_any_version_the_newest_defaults_are_taken_and_it_is_said(state: FakeState) -> None:
    state.config({})

    found = limits(state.agent())

    assert (found.per_file, found.dreaming) == (20_000, True)
    assert "unknown version" in found.origin["per_file"]


def test_an_agents_own_limit_goes_before_the_shared_one(state: FakeState) -> None:
    state.config(
        {
            "agents": {
                "defaults": {"bootstrapMaxChars": 9000, "bootstrapTotalMaxChars": 30_000},
                "entries": {"main": {"bootstrapMaxChars": 7000}},
            }
        }
    )

    found = limits(state.agent())

    assert (found.per_file, found.total) == (7000, 30_000)
    assert found.origin["per_file"] == "agents.entries.main.bootstrapMaxChars"
    assert found.origin["total"] == "agents.defaults.bootstrapTotalMaxChars"


@pytest.mark.parametrize("value", [0, -5, "9000", True, None, 1e300])
def test_a_limit_that_the_host_would_not_take_is_not_taken(state: FakeState, value: Any) -> None:
    state.config({"agents": {"defaults": {"bootstrapMaxChars": value}}})

    assert limits(state.agent()).per_file == 20_000


@pytest.mark.parametrize(
    ("plugins", "expected"),
    [
        ({"entries": {"memory-core": {"config": {"dreaming": {"enabled": False}}}}}, False),
        ({"entries": {"memory-core": {"config": {"dreaming": {"enabled": "false"}}}}}, False),
        ({"entries": {"memory-core": {"enabled": False}}}, False),
        ({"slots": {"memory": "none"}}, False),
        ({"enabled": False}, False),
        (
            {
                "slots": {"memory": "other"},
                "entries": {"other": {"config": {"dreaming": {"enabled": False}}}},
            },
            False,
        ),
        ({"slots": {"memory": "other"}, "entries": {"memory-core": {"enabled": False}}}, True),
        ({"entries": {"memory-core": {"config": {"dreaming": {"frequency": "0 4 * * *"}}}}}, True),
    ],
)
def test_dreaming_is_known_from_the_memory_plugins_configuration(
    state: FakeState, plugins: dict[str, Any], expected: bool
) -> None:
    state.config({"plugins": plugins})

    assert limits(state.agent()).dreaming is expected


def test_dreaming_that_is_switched_on_counts_on_a_version_that_has_it_off(state: FakeState) -> None:
    on = {"entries": {"memory-core": {"config": {"dreaming": {"enabled": True}}}}}
    state.config({"meta": {"lastTouchedVersion": "2026.7.1-2"}, "plugins": on})

    assert limits(state.agent()).dreaming is True


def test_files_before_memory_are_counted_as_the_host_counts_them(state: FakeState, tmp_path: Path) -> None:
    state.config({})
    workspace = tmp_path / "w"
    workspace.mkdir()
    (workspace / "AGENTS.md").write_text("🔴 rules\n\n \u3000", encoding="utf-8")
    (workspace / "SOUL.md").write_text("é" * 30_000, encoding="utf-8")
    (workspace / "USER.md").write_text("u" * 5000, encoding="utf-8")
    (workspace / "TOOLS.md").write_text("not injected any more", encoding="utf-8")

    sizes = bootstrap_sizes(workspace, limits(state.agent()))

    missing = utf16_units(f"[MISSING] Expected at: {workspace / 'IDENTITY.md'}")
    assert sizes == {"AGENTS.md": 8, "SOUL.md": 20_000, "IDENTITY.md": missing, "USER.md": 4000}


def test_the_jsonl_line_injects_more_files_and_has_no_cap_of_its_own_for_user(
    state: FakeState, tmp_path: Path
) -> None:
    state.config({"meta": {"lastTouchedVersion": "2026.7.1-2"}})
    for name in ("AGENTS.md", "SOUL.md", "TOOLS.md", "IDENTITY.md", "HEARTBEAT.md"):
        (tmp_path / name).write_text("x", encoding="utf-8")
    (tmp_path / "USER.md").write_text("u" * 5000, encoding="utf-8")

    sizes = bootstrap_sizes(tmp_path, limits(state.agent()))

    assert sizes == {
        "AGENTS.md": 1,
        "SOUL.md": 1,
        "TOOLS.md": 1,
        "IDENTITY.md": 1,
        "USER.md": 5000,
        "HEARTBEAT.md": 1,
    }


def test_other_files_never_take_more_than_the_total(state: FakeState, tmp_path: Path) -> None:
    state.config({"agents": {"defaults": {"bootstrapTotalMaxChars": 100}}})
    (tmp_path / "AGENTS.md").write_text("a" * 90, encoding="utf-8")
    (tmp_path / "SOUL.md").write_text("s" * 90, encoding="utf-8")

    assert bootstrap_sizes(tmp_path, limits(state.agent())) == {"AGENTS.md": 90, "SOUL.md": 10}


def test_the_report_of_the_newest_prompt_that_memory_belongs_in_is_returned(state: FakeState) -> None:
    state.config({})
    state.sqlite()
    workspace = state.agent().workspace
    state.session(
        "agent:main:main", report(workspace, at=7, memory={"rawChars": 900, "injectedChars": 900}), 7
    )
    state.session("agent:main:cron:1", report(workspace, at=9), 9)
    state.session("agent:main:other", report(workspace / "chores", at=8), 8)
    state.session("agent:main:old", report(workspace, at=3), 3)

    assert injected_report(state.agent()) == Injected(
        7, "agent:main:main", 20_000, 60_000, True, 900, 900, False
    )


@pytest.mark.parametrize(
    ("tools", "seen"),
    [
        ({"entries": [{"name": "read"}, {"name": "scrimshaw_why"}, {"name": "scrimshaw_search"}]}, TOOLS[:2]),
        ({"entries": [{"name": "tool_call"}, 7, None]}, ()),
        ({"entries": 7}, ()),
        (None, ()),
    ],
)
def test_the_tools_of_our_plug_in_that_the_model_was_shown_are_told(
    state: FakeState, tools: object, seen: tuple[str, ...]
) -> None:
    state.config({})
    state.sqlite()
    entry = report(state.agent().workspace)
    entry["systemPromptReport"]["tools"] = tools
    state.session("agent:main:main", entry)

    found = injected_report(state.agent())

    assert found is not None
    assert found.tools == seen


def test_a_prompt_without_memory_is_told_from_no_report_at_all(state: FakeState) -> None:
    state.config({})
    state.sqlite()
    agent = state.agent()

    assert injected_report(agent) is None

    state.session("agent:main:main", report(agent.workspace))

    found = injected_report(agent)
    assert found is not None
    assert not found.is_injected


def test_the_report_of_a_jsonl_host_is_in_its_session_list(state: FakeState) -> None:
    state.config({})
    folder = state.jsonl()
    entry = report(
        state.path / "workspace", memory={"rawChars": 20_500, "injectedChars": 20_000, "truncated": True}
    )
    (folder / "sessions.json").write_text(
        json.dumps({"agent:main:main": entry, "broken": 3}), encoding="utf-8"
    )

    found = injected_report(state.agent())

    assert found is not None
    assert (found.is_truncated, found.injected_chars) == (True, 20_000)


@pytest.mark.parametrize("content", [b"", b"\x00" * 4096, b"not a database", b"[]", b'{"a": '])
def test_a_damaged_store_gives_no_report_and_no_error(state: FakeState, content: bytes) -> None:
    state.config({})
    state.sqlite().write_bytes(content)
    (state.jsonl() / "sessions.json").write_bytes(content)

    assert injected_report(state.agent()) is None


def test_the_time_zone_comes_from_the_configuration(state: FakeState) -> None:
    state.config({"agents": {"defaults": {"userTimezone": " Europe/Paris "}}})

    assert user_timezone(state.agent()) == "Europe/Paris"


def test_no_time_zone_is_none(state: FakeState) -> None:
    state.config({})

    assert user_timezone(state.agent()) is None


def test_a_pipe_in_the_place_of_a_host_s_file_is_not_waited_for(state: FakeState, tmp_path: Path) -> None:
    bounds = limits(state.agent())
    for name in ("openclaw.json", "AGENTS.md", "sessions.json"):
        os.mkfifo(tmp_path / name)

    config = read_config(tmp_path / "openclaw.json")
    names, warning = named_sessions(tmp_path)

    assert "not a regular file" in config.problems[0]
    assert (names, "sessions.json" in warning) == ({}, True)
    expected = utf16_units(f"[MISSING] Expected at: {tmp_path / 'AGENTS.md'}")
    assert expected == bootstrap_sizes(tmp_path, bounds)["AGENTS.md"]
