"""Which agents, workspaces and stores are found, in every layout that a host makes."""

import os
from pathlib import Path
from typing import Any

import pytest
from tests.shell.fake_state import FakeState
from tests.shell.made import ordinary_user

from scrimshaw.errors import UserError
from scrimshaw.sources.discover import (
    StoreRef,
    find_agents,
    normalize_agent_id,
)
from scrimshaw.sources.jsonl_folder import list_parts
from scrimshaw.workspace import Wanted, find_targets


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "home"


def test_nothing_is_found_where_no_host_is(home: Path) -> None:
    home.mkdir()

    found = find_agents({}, home)

    assert found.agents == ()
    assert found.unread == ()


def test_an_empty_configuration_means_the_agent_main_in_the_states_workspace(home: Path) -> None:
    state = FakeState(home)
    state.config({})

    (agent,) = find_agents({}, home).agents

    assert (agent.agent_id, agent.is_default, agent.profile) == ("main", True, "")
    assert agent.workspace == state.path / "workspace"
    assert agent.stores == ()


def test_every_profile_is_found_and_the_active_one_comes_first(home: Path) -> None:
    for name in (".openclaw", ".openclaw-home", ".openclaw-work"):
        FakeState(home, name).config({})

    found = find_agents({"OPENCLAW_PROFILE": "work"}, home)

    assert [agent.profile for agent in found.agents] == ["work", "", "home"]


def test_a_folder_that_only_looks_like_a_profile_is_no_state_directory(home: Path) -> None:
    FakeState(home).config({})
    (home / ".openclaw-backup").mkdir()
    (home / ".openclaw-notes.txt").write_text("x", encoding="utf-8")

    found = find_agents({}, home)

    assert [agent.state_dir.name for agent in found.agents] == [".openclaw"]


def test_a_state_directory_elsewhere_comes_with_the_configuration_that_is_named_for_it(
    home: Path, tmp_path: Path
) -> None:
    FakeState(home).config({})
    elsewhere = FakeState(tmp_path / "srv", "claw")
    elsewhere.sqlite()
    named = tmp_path / "etc.json"
    named.write_text('{"agents": {"defaults": {"workspace": "~/notes"}}}', encoding="utf-8")

    found = find_agents({"OPENCLAW_STATE_DIR": str(elsewhere.path), "OPENCLAW_CONFIG_PATH": str(named)}, home)

    assert [agent.workspace for agent in found.agents] == [home / "notes", home / ".openclaw" / "workspace"]
    assert found.agents[0].config_path == named


def test_one_state_directory_can_be_asked_for_alone(home: Path) -> None:
    FakeState(home).config({})
    other = FakeState(home, ".openclaw-work")
    other.config({})

    found = find_agents({}, home, state_dir=other.path)

    assert [(agent.state_dir, agent.profile) for agent in found.agents] == [(other.path, "work")]


@pytest.mark.parametrize("form", ["entries", "list"])
def test_workspaces_of_several_agents_follow_the_hosts_rules(home: Path, form: str) -> None:
    state = FakeState(home)
    entries = {"ada": {"default": True}, "bo": {}, "cy": {"workspace": "/srv/cy"}}
    listed = [{"id": agent_id, **entry} for agent_id, entry in entries.items()]
    state.config(
        {"agents": {"defaults": {"workspace": "~/w"}, form: entries if form == "entries" else listed}}
    )

    found = find_agents({}, home)

    assert {agent.agent_id: str(agent.workspace) for agent in found.agents} == {
        "ada": str(home / "w"),
        "bo": str(home / "w" / "bo"),
        "cy": "/srv/cy",
    }
    assert [agent.agent_id for agent in found.agents if agent.is_default] == ["ada"]


@pytest.mark.parametrize(
    ("agents", "expected"),
    [
        (
            {
                "entries": {"main": {}, "ops": {}},
                "defaults": {"workspace": "/w", "systemAgent": {"agentId": "main"}},
            },
            {"main": "/w/main", "ops": "/w/ops"},
        ),
        (
            {"entries": {"main": {}, "ops": {"workspace": "/o"}}, "defaults": {"workspace": "/w"}},
            {"main": "/w/main", "ops": "/o"},
        ),
        (
            {"list": [{"id": "ada"}, {"id": "ops"}], "defaults": {"workspace": "/w"}},
            {"ada": "/w/ada", "ops": "/w/ops"},
        ),
        ({"entries": {"ada": {}}, "defaults": {"workspace": "/w"}}, {"ada": "/w"}),
    ],
)
def test_with_explicit_ownership_only_a_sole_agent_works_in_the_shared_workspace_itself(
    home: Path, agents: dict[str, Any], expected: dict[str, str]
) -> None:
    FakeState(home).config({"agents": {"ownership": "explicit", **agents}})

    found = find_agents({}, home)

    assert {agent.agent_id: str(agent.workspace) for agent in found.agents} == expected


def test_with_explicit_ownership_and_no_shared_workspace_each_has_a_folder_of_the_state(home: Path) -> None:
    state = FakeState(home)
    state.config({"agents": {"ownership": "explicit", "entries": {"main": {}, "ops": {}}}})

    found = find_agents({}, home)

    assert [agent.workspace.name for agent in found.agents] == ["workspace-main", "workspace-ops"]


def test_without_a_default_workspace_other_agents_get_a_folder_of_the_state(home: Path) -> None:
    state = FakeState(home)
    state.config({"agents": {"list": [{"id": "main"}, {"id": "Team Bot"}]}})

    found = find_agents({}, home)

    assert [agent.workspace.name for agent in found.agents] == ["workspace", "workspace-team-bot"]


def test_the_jsonl_line_keeps_the_default_workspace_in_the_home_folder(home: Path) -> None:
    state = FakeState(home, ".openclaw-work")
    state.config({"meta": {"lastTouchedVersion": "2026.7.1-2"}})

    (agent,) = find_agents({}, home).agents

    assert agent.workspace == home / ".openclaw" / "workspace-work"


def test_both_stores_of_a_state_in_migration_are_listed(home: Path) -> None:
    state = FakeState(home)
    database = state.sqlite()
    folder = state.jsonl(name="a1.jsonl.reset.2026-11-16T20-05-14.169Z")

    (agent,) = find_agents({}, home).agents

    assert agent.stores == (StoreRef("sqlite", database), StoreRef("jsonl", folder))


def test_a_sessions_folder_without_transcripts_is_no_store(home: Path) -> None:
    state = FakeState(home)
    state.jsonl(name="sessions.json")

    (agent,) = find_agents({}, home).agents

    assert agent.stores == ()


def test_an_agent_that_is_no_longer_configured_counts_while_its_workspace_exists(home: Path) -> None:
    state = FakeState(home)
    state.config({})
    for agent_id in ("gone", "kept"):
        state.sqlite(agent_id)
    (state.path / "workspace-kept").mkdir()

    found = find_agents({}, home)

    assert [agent.agent_id for agent in found.agents] == ["main", "kept"]


def test_a_shared_store_is_divided_by_the_owner_that_each_database_names(home: Path, tmp_path: Path) -> None:
    state = FakeState(home)
    store = tmp_path / "shared" / "chat.json"
    state.config({"agents": {"list": [{"id": "ada"}, {"id": "bo"}]}, "session": {"store": str(store)}})
    first = state.sqlite("ada", store.parent / "chat.sqlite")
    second = state.sqlite("bo", store.parent / "chat.bo.sqlite")

    found = find_agents({}, home)

    assert [agent.stores for agent in found.agents] == [
        (StoreRef("sqlite", first),),
        (StoreRef("sqlite", second),),
    ]


def test_a_templated_store_is_followed(home: Path, tmp_path: Path) -> None:
    state = FakeState(home)
    state.config({"session": {"store": f"{tmp_path}/x/{{agentId}}/sessions/sessions.json"}})
    database = state.sqlite("main", tmp_path / "x" / "main" / "agent" / "openclaw-agent.sqlite")

    (agent,) = find_agents({}, home).agents

    assert agent.stores == (StoreRef("sqlite", database),)


def test_a_workspace_is_found_by_its_real_path(home: Path, tmp_path: Path) -> None:
    state = FakeState(home)
    state.config({"agents": {"list": [{"id": "a", "workspace": "~/w"}, {"id": "b", "workspace": "~/w"}]}})
    (home / "w").mkdir()
    (tmp_path / "link").symlink_to(home / "w")

    ((target,), _) = find_targets(Wanted(workspace=tmp_path / "link"), {"HOME": str(home)})

    assert [agent.agent_id for agent in target.agents] == ["a", "b"]


def test_a_configuration_with_comments_includes_and_variables_is_read(home: Path) -> None:
    state = FakeState(home)
    state.config(
        "{ // mine\n agents: { $include: './agents.json5', defaults: { bootstrapMaxChars: 9000, }, }, }"
    )
    state.config("{ defaults: { workspace: '${NOTES}/claw' } }", name="agents.json5")

    found = find_agents({"NOTES": "/srv/notes"}, home)

    assert str(found.agents[0].workspace) == "/srv/notes/claw"
    assert found.unread == ()


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("{ agents: ", "not valid JSON5"),
        ("[1, 2]", "not an object"),
        ("{$include: '../../etc/passwd'}", "outside the configuration's folder"),
        ("{$include: 'none.json'}", "it is missing"),
        ("{$include: 'openclaw.json'}", "more than 10 deep"),
        ("[" * 20_000, "not valid JSON5"),
        (" " * (4 * 1024 * 1024 + 1), "larger than 4 MiB"),
    ],
)
def test_of_a_bad_configuration_no_agent_is_known_and_nothing_is_taken_in_its_place(
    home: Path, text: str, part: str
) -> None:
    state = FakeState(home)
    state.config(text)
    state.sqlite()
    (state.path / "workspace").mkdir()

    found = find_agents({}, home)

    assert found.agents == ()
    (config,) = found.unread
    assert len(config.problems) == 1
    assert part in config.problems[0]


def test_what_a_configuration_includes_from_a_folder_that_the_owner_allows_is_read(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "shared").mkdir()
    (tmp_path / "shared" / "agents.json").write_text('{"defaults": {"workspace": "/srv/claw"}}')
    monkeypatch.setenv("OPENCLAW_INCLUDE_ROOTS", f"relative:{tmp_path}/shared")
    FakeState(home).config({"agents": {"$include": f"{tmp_path}/shared/agents.json"}})

    found = find_agents({}, home)

    assert [str(agent.workspace) for agent in found.agents] == ["/srv/claw"]


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ('{\n  "agents": {\n    "defaults": {', "line 3"),
        ("{\n // mine\n agents: {}\n gateway: {} }", "line 4"),
        ("  \n", "empty"),
        ('{"a": "ä",\n\n "b": nothing}', "line 3"),
    ],
)
def test_a_bad_configuration_is_told_with_its_line(home: Path, text: str, part: str) -> None:
    FakeState(home).config(text)

    (config,) = find_agents({}, home).unread

    assert part in config.problems[0]


@pytest.mark.skipif(os.geteuid() == 0, reason="root reads everything")
def test_a_state_directory_that_may_not_be_read_is_reported(home: Path) -> None:
    state = FakeState(home)
    state.config({}).chmod(0)

    found = find_agents({}, home)

    assert "cannot be read" in found.unread[0].problems[0]


def test_transcripts_that_may_not_be_listed_are_a_source_that_says_so() -> None:
    with ordinary_user() as home:
        state = FakeState(home)
        state.config({})
        sessions = state.path / "agents" / "main" / "sessions"
        sessions.mkdir(parents=True)
        sessions.chmod(0)
        try:
            (store,) = find_agents({}, home).agents[0].stores
            with pytest.raises(UserError, match="cannot be listed"):
                list_parts(store.path)
        finally:
            sessions.chmod(0o700)

        assert find_agents({}, home).agents[0].stores == ()  # it holds no transcripts


def test_a_look_leaves_nothing_beside_the_databases(home: Path) -> None:
    state = FakeState(home)
    state.state_database()
    before = sorted(state.path.rglob("*"))

    find_agents({}, home)

    assert sorted(state.path.rglob("*")) == before


@pytest.mark.parametrize(
    ("text", "expected"), [("Main", "main"), (" Team Bot! ", "team-bot"), ("", "main"), ("日本", "main")]
)
def test_agent_ids_are_spelled_as_the_host_spells_them(text: str, expected: str) -> None:
    assert normalize_agent_id(text) == expected
