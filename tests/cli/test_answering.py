"""What an agent's shell is told: nothing of what is remembered while another than its person may ask."""

from __future__ import annotations

import contextlib
import json
import sqlite3
from pathlib import Path

import pytest
from tests.forget.traces import ADDRESS, KEPT, SECRET, told_secret
from tests.places import EXEC, Answer, Place
from tests.stores import FakeSession, build_sqlite, write_session
from tests.support.prepared import Prepared

from scrimshaw.cli.verbs import VERBS

GROUP = "agent:main:telegram:group:-100"
# Every verb, as an agent may type it; with what each would show, or take away.
GUARDED = [
    ("search", "sister"),
    ("search", "sister", "--all-agents"),
    ("search", "sister", "--transcripts", "--json"),
    ("why", "unit-7x"),
    ("why", "unit-7x", "--json"),
    ("timeline", "--from", "2026-01-01"),
    ("stats",),
    ("stale", "--json"),
    ("health",),
    ("health", "--json"),
    ("conflicts", "--json"),
    ("clean", "--dry-run"),
    ("as-of", "today"),
    ("store", "unit-7x runs release 7.4.1"),
    ("recall", "sister"),
    ("recall", "sister", "--json"),
    ("consolidate",),
    ("context", "t1"),
    ("context", "t1", "--json"),
    ("mcp",),
    ("open", "--print"),
    ("conversations",),
    ("log",),
    ("diff", "1"),
    ("undo", "--dry-run"),
    ("preview",),
    ("review",),
    ("review", "--json"),
    ("reflect",),
    ("reflect", "--dry-run"),
    ("observe", "--dry-run"),
    ("observe", "--show-request", "--now"),
    ("add", "unit-7x runs release 7.4.1"),
    ("add", "unit-7x runs release 7.4.1", "--json"),
    ("pin", "unit-7x"),
    ("unpin", "unit-7x"),
    ("forget", "unit-7x", "--yes"),
    ("forget", "unit-7x", "--dry-run", "--json"),
    ("export", "main", "memory.mv2"),
    ("accept-edits",),
    ("restore",),
]
# These show none of it, whoever asks, or refuse an agent's shell in any conversation.
OPEN = [
    ("install", "--dry-run"),
    ("uninstall", "--dry-run"),
    ("uninstall", "--yes", "--section", "remove", "--data", "delete"),
    ("doctor",),
    ("fleet", "status"),
    ("fleet", "join", "--yes"),
    ("fleet", "sync"),
    ("observe",),
    ("run", "--once"),
    ("status",),
    ("status", "--json"),
    ("init", "--yes"),
    ("undo",),
    ("reindex",),
    ("archive", "--check"),
    ("import", "no-such.mv2"),
    ("models",),
    ("spend",),
    ("serve",),
    ("service", "status"),
    ("token", "list"),
    ("trend", "memories"),
    ("completion", "bash"),
    ("config",),
]


def _begun(place: Place) -> None:
    told_secret(place)
    place.take_turn()


@pytest.fixture(params=["jsonl", "sqlite"])
def place(request: pytest.FixtureRequest, prepared: Prepared) -> Place:
    return prepared(_begun, request.param)


@pytest.fixture
def one_store(prepared: Prepared) -> Place:
    """Which turns run is read from either store; what a verb does with the answer is the same for both."""
    return prepared(_begun, "sqlite")


def begin(place: Place, key: str, **turn: object) -> None:
    """Let a turn of another conversation run, or be over."""
    place.sessions.append(FakeSession(key=key, turn=turn or {"status": "running", "startedAt": 1_000}))
    place.save()


def shown(answer: Answer) -> str:
    return answer.out + answer.err


def is_silent(answer: Answer) -> bool:
    return not any(words in shown(answer) for words in (SECRET, KEPT, ADDRESS, "unit-7x", "7.4.1"))


def lines(place: Place) -> list[object]:
    with place.ledger(read_only=True) as it:
        return list(it.all_lines())


def test_every_verb_is_tried_here() -> None:
    assert {args[0] for args in (*GUARDED, *OPEN)} == set(VERBS)


@pytest.mark.parametrize("args", GUARDED, ids=" ".join)
def test_a_group_is_told_nothing_and_takes_nothing_away(one_store: Place, args: tuple[str, ...]) -> None:
    begin(one_store, GROUP)
    before = lines(one_store)

    answer = one_store.run(*args, env=EXEC)

    assert answer.code == 4
    assert is_silent(answer)
    assert "group" in shown(answer)
    assert "their own terminal" in shown(answer)
    assert "-100" not in shown(answer)
    assert lines(one_store) == before
    if "--json" in args:
        assert answer.object["exit_code"] == 4


@pytest.mark.parametrize("args", OPEN, ids=" ".join)
def test_what_a_group_may_run_shows_none_of_it(one_store: Place, args: tuple[str, ...]) -> None:
    begin(one_store, GROUP)
    before = lines(one_store)

    answer = one_store.run(*args, env=EXEC)

    assert is_silent(answer)
    assert "What is remembered is told" not in shown(answer)
    assert lines(one_store) == before


@pytest.mark.parametrize(
    "args", [args for args in GUARDED if args[0] in ("search", "why", "timeline", "as-of")], ids=" ".join
)
def test_the_persons_own_conversation_is_answered(place: Place, args: tuple[str, ...]) -> None:
    begin(place, GROUP, status="done", startedAt=1_000, endedAt=2_000)

    answer = place.run(*args, env=EXEC)

    assert answer.code == 0
    assert not is_silent(answer)


@pytest.mark.parametrize("shell", ["exec", "acp-client", "whatever-comes"])
def test_any_shell_of_a_host_is_an_agents(place: Place, shell: str) -> None:
    begin(place, GROUP)

    assert place.run("search", "sister", env={"OPENCLAW_SHELL": shell}).code == 4


@pytest.mark.parametrize("env", [{}, {"OPENCLAW_SHELL": "tui-local"}, {"OPENCLAW_SHELL": ""}])
def test_the_persons_own_shell_is_answered_whatever_runs(place: Place, env: dict[str, str]) -> None:
    begin(place, GROUP)

    assert SECRET in place.run("search", "sister", env=env).out


@pytest.mark.parametrize(
    "key", ["agent:main:cron:nightly", "agent:main:subagent:b901", "agent:other:main", "global"]
)
def test_no_other_turn_may_run_beside_the_persons(place: Place, key: str) -> None:
    begin(place, key)

    assert place.run("search", "sister", env=EXEC).code == 4


def test_when_nothing_runs_nobody_is_answered(place: Place) -> None:
    place.take_turn(is_over=True)

    answer = place.run("search", "sister", env=EXEC)

    assert answer.code == 4
    assert "no turn of a private conversation of main" in answer.err


def test_a_turn_of_another_agent_in_a_store_of_its_own_counts(place: Place) -> None:
    other = FakeSession(key="agent:other:main", turn={"status": "running", "startedAt": 1_000})
    build_sqlite(place.state / "agents" / "other" / "agent" / "openclaw-agent.sqlite", [other])

    answer = place.run("search", "sister", env=EXEC)

    assert answer.code == 4
    assert "of other" in answer.err


def test_records_that_cannot_be_read_are_a_doubt(place: Place) -> None:
    folder = place.state / "agents" / "other" / "sessions"
    folder.mkdir(parents=True)
    (folder / "sessions.json").write_text("{")

    answer = place.run("search", "sister", env=EXEC)

    assert answer.code == 4
    assert "cannot be read" in answer.err
    assert is_silent(answer)


@pytest.mark.parametrize(
    "config",
    [
        '{"session": {"groupScope": "main"}}',
        '{"bindings": [{"agentId": "main"}, {"session": {"groupScope": "main"}}]}',
        '{"session": {"groupScope": "ma',
    ],
)
def test_where_groups_may_talk_in_the_main_session_its_key_proves_nothing(place: Place, config: str) -> None:
    path = place.state / "openclaw.json"
    before = json.loads(path.read_text())
    try:
        path.write_text(json.dumps(before | json.loads(config)))
    except ValueError:
        path.write_text(config)
    words = ("--workspace", str(place.workspace))

    answer = place.run("search", "sister", *words, env=EXEC)

    assert answer.code != 0
    assert is_silent(answer)


def test_the_shell_of_another_host_is_not_answered(place: Place, tmp_path: Path) -> None:
    theirs = tmp_path / "machine" / ".openclaw-work"
    (theirs / "agents").mkdir(parents=True)
    env = EXEC | {"OPENCLAW_STATE_DIR": str(theirs)}

    answer = place.run("search", "sister", "--state-dir", str(place.state), env=env)

    assert answer.code == 4
    assert is_silent(answer)


def test_another_agents_workspace_is_named_in_vain(tmp_path: Path) -> None:
    place = Place(tmp_path / "machine", "sqlite")
    told_secret(place)
    config = json.loads((place.state / "openclaw.json").read_text())
    other = place.root / "other"
    other.mkdir()
    config["agents"]["entries"] = {
        "main": {"default": True, "workspace": str(place.workspace)},
        "other": {"workspace": str(other)},
    }
    (place.state / "openclaw.json").write_text(json.dumps(config))
    asking = FakeSession(key="agent:other:main", turn={"status": "running", "startedAt": 1_000})
    build_sqlite(place.state / "agents" / "other" / "agent" / "openclaw-agent.sqlite", [asking])

    answers = [
        place.run("search", "sister", *words, env=EXEC)
        for words in (
            ("--workspace", str(place.workspace)),
            ("--agent", "main"),
            ("--all-agents",),
            ("--workspace", str(place.workspace), "--agent", "other"),
        )
    ]

    assert [answer.code for answer in answers[:3]] == [4] * 3
    assert answers[3].code  # by the configuration it does not work there, and its word is not taken
    assert all(map(is_silent, answers))


def test_a_workspace_of_which_the_configuration_knows_nothing_is_told_to_no_shell(tmp_path: Path) -> None:
    place = Place(tmp_path / "machine", "sqlite")
    told_secret(place)
    place.take_turn()
    elsewhere = place.root / "elsewhere"
    elsewhere.mkdir()
    config = json.loads((place.state / "openclaw.json").read_text())
    config["agents"]["defaults"]["workspace"] = str(elsewhere)
    (place.state / "openclaw.json").write_text(json.dumps(config))
    words = ("search", "sister", "--workspace", str(place.workspace), "--agent", "main")

    theirs, own = place.run(*words, env=EXEC), place.run(*words)

    assert theirs.code == 4
    assert is_silent(theirs)
    assert SECRET in own.out


def test_a_verb_about_every_workspace_needs_each_to_be_the_askers(place: Place) -> None:
    config = json.loads((place.state / "openclaw.json").read_text())
    other = place.root / "other"
    other.mkdir()
    config["agents"]["entries"] = {
        "main": {"default": True, "workspace": str(place.workspace)},
        "other": {"workspace": str(other)},
    }
    (place.state / "openclaw.json").write_text(json.dumps(config))

    every, own = (
        place.run("preview", *words, env=EXEC) for words in ((), ("--workspace", str(place.workspace)))
    )

    assert (every.code, own.code) == (4, 0)


def test_a_turn_that_begins_while_the_shell_is_there_already_keeps_it_silent(tmp_path: Path) -> None:
    place = Place(tmp_path / "machine", "sqlite")
    told_secret(place)
    place.take_turn(at_ms=9_000_000_000_000)  # long after the shell began

    assert place.run("search", "sister", env=EXEC).code == 4


def test_an_agents_shell_takes_nothing_away(place: Place) -> None:
    before = place.everything_written()

    answer = place.run("uninstall", "--yes", "--section", "remove", "--data", "delete", env=EXEC)

    assert answer.code == 4
    assert "their own terminal" in answer.err
    assert place.everything_written() == before


def test_a_store_of_an_older_schema_is_read(tmp_path: Path) -> None:
    place = Place(tmp_path / "machine", "sqlite")
    told_secret(place)
    place.take_turn()
    with contextlib.closing(sqlite3.connect(place.store)) as connection, connection:
        connection.execute("alter table session_nodes drop column created_via")

    assert SECRET in place.run("search", "sister", env=EXEC).out

    with contextlib.closing(sqlite3.connect(place.store)) as connection, connection:
        connection.execute("alter table session_nodes add column created_via text")
        write_session(connection, FakeSession(key="agent:main:cron:1", turn={"status": "running"}))

    assert place.run("search", "sister", env=EXEC).code == 4
