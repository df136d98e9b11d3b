"""`scrimshaw status`, `preview`, `config` and the frame around them."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from tests.places import Place
from tests.stores import FakeSession

from scrimshaw.errors import Exit
from scrimshaw.setup.receipt import MadeCron, Receipt, save


@pytest.fixture
def place(tmp_path: Path) -> Place:
    place = Place(tmp_path / "machine", "sqlite", [FakeSession(), FakeSession(key="agent:main:cron:abc")])
    place.say(("We decided to use Postgres 17.2 for the ledger.", "Noted."))
    return place


def test_status_before_init_shows_source_and_backlog_and_writes_nothing(place: Place) -> None:
    answer = place.run("status")

    assert answer.code == Exit.OK, answer
    assert "1 conversations" in answer.out or "1 conversation" in answer.out
    assert "left out: 1 cron" in answer.out
    assert "tokens not observed yet" in answer.out
    assert "scrimshaw init" in answer.out
    assert list(place.workspace.iterdir()) == []


def test_status_after_a_run_shows_size_arithmetic_and_last_run(place: Place) -> None:
    place.run("observe", "--yes")

    found = place.run("status", "--json").object["workspaces"][0]

    assert found["backlog"]["tokens"] == 0
    assert found["section"]["state"] == "in place"
    assert 0 < found["section"]["units"] <= found["section"]["budget_units"]
    assert any("decides" in line for line in found["section"]["arithmetic"])
    assert found["last_run"]["outcome"] == "written"
    assert found["sources"][0]["newest_age_seconds"] > 0


def test_status_names_what_notes_the_backlog_once_the_workspace_is_set_up(place: Place) -> None:
    before = place.run("status").out
    place.run("observe", "--yes")
    place.say(("Rosa moved to Lyon.", "Noted."))

    assert "not observed yet\n" in before
    assert "not observed yet: scrimshaw observe\n" in place.run("status").out


def test_status_is_silent_about_secrets_where_there_was_none(place: Place) -> None:
    place.run("observe", "--yes")

    assert "turned down\n" in place.run("status").out
    assert place.run("status", "--json").object["workspaces"][0]["ledger"]["redacted"] == {}


def test_what_waits_for_the_owner_is_said_until_it_is_decided(place: Place) -> None:
    place.run("observe", "--yes")
    assert "  review  " not in place.run("status").out
    assert place.run("add", "--by", "agent", "Dana flies with LH 1032").code == Exit.REFUSED

    waiting = place.run("status")
    assert "  review    1 proposal waits for you: scrimshaw review" in waiting.out

    assert place.run("review", "--reject", "1").code == Exit.OK
    assert "  review  " not in place.run("status").out


def test_a_corrupt_store_is_named_and_the_code_says_so(place: Place) -> None:
    place.store.write_bytes(b"no database at all" * 100)

    status = place.run("status")
    observe = place.run("observe", "--yes")

    assert status.code == Exit.MENDABLE
    assert "openclaw-agent.sqlite" in status.out
    assert observe.code == Exit.MENDABLE
    assert "openclaw-agent.sqlite" in observe.out


def test_preview_prints_the_section_and_writes_nothing(place: Place) -> None:
    answer = place.run("preview")

    assert "Postgres 17.2" in answer.out
    assert "Nothing was written." in answer.out
    assert list(place.workspace.iterdir()) == []


def test_status_names_damaged_markers(place: Place) -> None:
    place.memory.write_text("<!-- scrimshaw:begin -->\n")

    answer = place.run("status")

    assert answer.code == Exit.MENDABLE
    assert "damaged" in answer.out


def test_config_shows_where_a_value_comes_from(place: Place) -> None:
    answer = place.run("config", "--json", env={"SCRIMSHAW_TTL_DAYS": "7"})

    assert answer.object["ttl_days"] == {"value": 7, "from": "environment"}
    assert answer.object["backups"]["from"] == "default"


def test_an_unknown_verb_is_a_usage_error(place: Place) -> None:
    assert place.run("remember").code == Exit.USAGE


def test_an_agent_that_nobody_has_talked_to_yet_is_no_problem(tmp_path: Path) -> None:
    place = Place(tmp_path / "machine", "jsonl")
    shutil.rmtree(place.state / "agents")
    (place.state / "agents" / "main").mkdir(parents=True)

    answer = place.run("status")

    assert answer.code == 0, answer
    assert "first conversation" in answer.out
    assert "problem" not in answer.out


def test_a_job_of_the_host_is_named_where_no_daemon_runs(place: Place) -> None:
    place.run("observe", "--yes")
    before = place.run("status").out
    receipt = Receipt(str(place.state), "", (MadeCron(str(place.state), "job-1"),))
    save({"HOME": str(place.root)}, receipt)

    after = place.run("status", env={"XDG_STATE_HOME": ""}).out

    place.schedule("job-1", is_enabled=False)
    disabled = place.run("status", env={"XDG_STATE_HOME": ""}).out

    assert "for one that does: scrimshaw service install" in before
    assert "openclaw cron) does it every 15 minutes" in after
    assert "is disabled. Next: openclaw cron enable job-1" in disabled


def test_a_memory_that_an_uninstall_has_kept_is_named_with_the_ways_on(tmp_path: Path) -> None:
    place = Place(tmp_path / "machine")
    place.say(("We decided to use Postgres 17.2 for the ledger.", "Noted."))
    env = {"XDG_STATE_HOME": "", "XDG_CONFIG_HOME": ""}
    assert place.run("observe", "--yes").code == 0
    never = place.run("status", env=env)
    assert place.run("uninstall", "--yes", env=env).code == 0

    answer, object_ = place.run("status", env=env), place.run("status", "--json", env=env).object

    kept = str(place.workspace / ".scrimshaw.kept")
    assert "uninstalled" not in never.out
    assert f"the memory kept, in {kept}" in answer.out
    assert "scrimshaw install" in answer.out
    assert object_["workspaces"][0]["kept"] == kept
    assert kept in place.run("doctor", env=env).out
