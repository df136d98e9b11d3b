"""`scrimshaw install`: one plan, one question; what is in place is left as it is."""

import json
import os
import subprocess
from pathlib import Path

import pytest
from tests.setup.home import Home

from scrimshaw.core.section.block import BEGIN
from scrimshaw.core.section.budget import units
from scrimshaw.setup import skill
from scrimshaw.setup.receipt import alone
from scrimshaw.setup.snippet import inner


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path / "home of nora")


def test_a_dry_run_lists_every_change_and_changes_no_byte(home: Home) -> None:
    before = home.everything()

    answer = home.run("install", "--dry-run")

    assert answer.code == 0, answer.err
    for told in (
        f"write {home.skill() / 'SKILL.md'}",
        f"write {home.skill() / 'scripts' / 'scrimshaw'}",
        "first observe of main",
        f"lines to {home.workspace() / 'AGENTS.md'}",
        f"write {home.hook / 'handler.ts'}",
        "openclaw hooks enable scrimshaw",
        "Nothing was changed (--dry-run).",
    ):
        assert told in answer.out
    assert home.everything() == before
    assert home.stub.calls() == []


def test_without_a_terminal_and_without_yes_nothing_is_done(home: Home) -> None:
    before = home.everything()

    answer = home.run("install")

    assert (answer.code, "--yes" in answer.err) == (1, True)
    assert home.everything() == before


def test_an_install_puts_everything_in_place(home: Home) -> None:
    answer = home.install()

    assert "observational-memory" in (home.skill() / "SKILL.md").read_text("utf-8")
    memory = (home.workspace() / "MEMORY.md").read_text("utf-8")
    assert "Postgres 17" in memory
    agents = (home.workspace() / "AGENTS.md").read_text("utf-8")
    assert agents.startswith("# Agents\n\nBe kind.\n\n" + BEGIN)
    assert f"'{home.skill()}/scripts/scrimshaw' add" in agents
    settings = json.loads((home.hook / "settings.json").read_text("utf-8"))
    assert settings["workspaces"] == {"main": str(home.workspace())}
    config = json.loads(home.config.read_text("utf-8"))
    assert config["hooks"]["internal"]["entries"] == {"scrimshaw": {"enabled": True}}
    assert "other checks are fine; all of it: scrimshaw doctor" in answer.out  # the doctor's word at the end
    assert "\n  ok " not in answer.out
    assert "keeps the memories fresh by itself" in answer.out  # neither systemd nor a gateway here


def test_a_second_install_says_so_and_changes_no_byte(home: Home) -> None:
    home.install()
    before = home.everything()

    answer = home.install()

    assert "Everything is in place; nothing to change." in answer.out
    assert "To be done" not in answer.out
    after = home.everything()
    assert [name for name in before | after if before.get(name) != after.get(name)] == []


def test_the_launchers_start_the_program_without_any_path(home: Home) -> None:
    home.install()

    done = subprocess.run(
        [home.skill() / "scripts" / "scrimshaw", "--version"],
        env={"HOME": str(home.root)},
        cwd="/",
        capture_output=True,
        text=True,
        check=False,
    )

    assert (done.returncode, done.stdout[:9]) == (0, "scrimshaw"), done.stderr
    assert "--workspace" in (home.skill() / "scripts" / "observe-now").read_text("utf-8")


def test_the_lines_in_agents_md_cost_little() -> None:
    text = inner(Path("/home/somebody/.openclaw/workspace/skills/observational-memory/scripts/scrimshaw"))

    assert units(f"{BEGIN}\n{text}\n{BEGIN}\n") <= 600


def test_several_agents_get_one_hook_and_their_own_memories(tmp_path: Path) -> None:
    home = Home(tmp_path / "home", [("main", "ws/main"), ("ops", "ws/ops"), ("twin", "ws/ops")])

    home.install()

    settings = json.loads((home.hook / "settings.json").read_text("utf-8"))
    assert settings["workspaces"] == {agent: str(home.workspace(agent)) for agent in ("main", "ops", "twin")}
    assert (home.workspace("ops") / "MEMORY.md").exists()
    assert (home.workspace("ops") / "AGENTS.md").read_text("utf-8").count(BEGIN) == 1
    assert home.stub.calls() == [["hooks", "enable", "scrimshaw"]]


def test_an_agent_that_is_installed_later_joins_the_hook(tmp_path: Path) -> None:
    home = Home(tmp_path / "home", [("main", "ws/main"), ("ops", "ws/ops")])
    home.install("--agent", "main")
    assert not (home.workspace("ops") / "MEMORY.md").exists()

    answer = home.install("--agent", "ops")

    settings = json.loads((home.hook / "settings.json").read_text("utf-8"))
    assert list(settings["workspaces"]) == ["main", "ops"]
    assert f"write {home.hook / 'handler.ts'}" not in answer.out


def test_a_profiles_state_folder_is_served_by_itself(tmp_path: Path) -> None:
    home = Home(tmp_path / "home", state=".openclaw-work")

    home.install(OPENCLAW_PROFILE="work")

    assert (home.hook / "HOOK.md").exists()
    assert home.stub.records()[0]["env"]["OPENCLAW_STATE_DIR"] == str(home.state)


def test_without_the_program_everything_else_is_done_and_the_lines_to_add_are_said(tmp_path: Path) -> None:
    home = Home(tmp_path / "home", has_openclaw=False)
    before = home.config.read_bytes()

    answer = home.install()

    assert '"entries": {"scrimshaw": {"enabled": true}}' in answer.out
    assert str(home.config) in answer.out
    assert home.config.read_bytes() == before
    assert (home.hook / "handler.ts").exists()
    assert (home.workspace() / "MEMORY.md").exists()


@pytest.mark.parametrize(
    ("hooks", "told"),
    [
        ({"enabled": True}, ""),  # open-ended: naming ours would turn all others off
        ({"enabled": False}, "hooks.internal.enabled is false"),
        ({"enabled": True, "entries": {"scrimshaw": {"enabled": False}}}, "disabled by name"),
        ({"enabled": True, "entries": {"scrimshaw": {"enabled": True}}}, ""),
    ],
)
def test_a_selection_that_needs_nothing_or_forbids_it_is_left_alone(
    tmp_path: Path, hooks: dict[str, object], told: str
) -> None:
    home = Home(tmp_path / "home", hooks=hooks)
    before = home.config.read_bytes()

    answer = home.install()

    assert told in answer.out
    assert home.config.read_bytes() == before
    assert home.stub.calls() == []


def test_a_list_of_named_hooks_gets_ours_beside_them(tmp_path: Path) -> None:
    home = Home(tmp_path / "home", hooks={"entries": {"session-memory": {"enabled": True}}})

    home.install()

    entries = json.loads(home.config.read_text("utf-8"))["hooks"]["internal"]["entries"]
    assert entries == {"session-memory": {"enabled": True}, "scrimshaw": {"enabled": True}}


def test_a_hook_folder_and_a_skill_folder_of_somebody_else_are_left_alone(home: Home) -> None:
    for folder, name in ((home.hook, "HOOK.md"), (home.skill(), "SKILL.md")):
        folder.mkdir(parents=True)
        (folder / name).write_text("---\nname: mine\n---\n", encoding="utf-8")
    before = home.everything()

    answer = home.install()

    after = home.everything()
    assert {name for name in before if before[name] != after.get(name)} == set()
    assert [name for name in after if "handler.ts" in name or ("skills/" in name and "scripts" in name)] == []
    assert "has not written" in answer.out
    assert "this install has not made" in answer.out
    assert home.stub.calls() == []


def test_a_dropped_in_checkout_gets_no_second_skill_folder(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    home.skill().mkdir(parents=True)
    monkeypatch.setattr("scrimshaw.resources.checkout", lambda: home.skill())

    answer = home.install()

    assert list(home.skill().iterdir()) == []
    assert "SKILL.md" not in answer.out.split("done: first")[0]
    agents = (home.workspace() / "AGENTS.md").read_text("utf-8")
    assert f"'{home.skill()}/scripts/scrimshaw' add" in agents


def test_a_skill_folder_that_is_a_link_is_told_because_the_host_does_not_follow_it(
    home: Home, tmp_path: Path
) -> None:
    (home.workspace() / "skills").mkdir()
    home.skill().symlink_to(tmp_path)

    answer = home.install()

    assert "which OpenClaw does not follow" in answer.out
    assert home.skill().is_symlink()


@pytest.mark.parametrize("how", ["symlink", "hard link", "damaged"])
def test_an_agents_md_that_cannot_be_written_safely_is_left_alone(home: Home, how: str) -> None:
    path = home.workspace() / "AGENTS.md"
    if how == "damaged":
        path.write_text(f"{BEGIN}\nhalf\n", encoding="utf-8")
    else:
        other = home.root / "elsewhere.md"
        path.rename(other)
        path.symlink_to(other) if how == "symlink" else os.link(other, path)
    before = path.read_bytes()

    answer = home.install()

    assert path.read_bytes() == before
    assert str(path) in answer.out.split("To know:")[1]


def test_what_is_not_wanted_is_not_done(home: Home) -> None:
    home.install("--no-hook", "--no-agents-md", "--keep-fresh", "none")

    assert not home.hook.exists()
    assert (home.workspace() / "AGENTS.md").read_text("utf-8") == "# Agents\n\nBe kind.\n"
    assert (home.workspace() / "MEMORY.md").exists()


def test_a_launcher_that_was_changed_by_hand_stays_so(home: Home) -> None:
    home.install()
    launcher = home.skill() / "scripts" / "observe-now"
    launcher.write_text("#!/bin/sh\nexit 0\n", encoding="utf-8")

    answer = home.install()

    assert launcher.read_text("utf-8") == "#!/bin/sh\nexit 0\n"
    assert f"{launcher}: changed by hand" in answer.out


def test_a_place_that_cannot_be_written_is_told_and_the_rest_is_done(home: Home) -> None:
    (home.workspace() / "skills").write_text("not a folder", encoding="utf-8")

    answer = home.run("install", "--yes")

    assert answer.code == 1
    assert f"failed: write {home.skill() / 'SKILL.md'}" in answer.out
    assert "Not everything could be done" in answer.out
    assert (home.workspace() / "MEMORY.md").exists()
    assert (home.hook / "handler.ts").exists()


def test_a_program_that_refuses_is_told_with_its_words(home: Home) -> None:
    home.stub.says("hooks enable", code=1, err="Error: config is locked")

    answer = home.run("install", "--yes")

    assert answer.code == 1
    assert "Error: config is locked" in answer.out
    assert (home.workspace() / "MEMORY.md").exists()


def test_a_section_that_was_removed_by_hand_is_not_brought_back(home: Home) -> None:
    home.install()
    memory = home.workspace() / "MEMORY.md"
    memory.write_text("# Mine\n", encoding="utf-8")
    home.run("observe")

    home.install()

    assert memory.read_text("utf-8") == "# Mine\n"


def test_the_hosts_cron_is_set_up_once(home: Home) -> None:
    home.stub.gateway_runs()
    home.install("--keep-fresh", "cron")

    answer = home.install("--keep-fresh", "cron")

    (job,) = home.stub.jobs()
    assert job["payload"]["argv"][-4:] == ["run", "--once", "--state-dir", str(home.state)]
    assert "Everything is in place" in answer.out


def test_a_gateway_that_cannot_be_reached_is_told_and_the_rest_is_done(home: Home) -> None:
    answer = home.install("--keep-fresh", "cron")

    assert "Gateway not reachable" in answer.out
    assert (home.workspace() / "MEMORY.md").exists()


def test_on_a_terminal_the_plan_is_asked_once(home: Home) -> None:
    before = home.everything()

    refused = home.run("install", typed="n\n")
    after = home.everything()
    agreed = home.run("install", typed="y\n")

    assert (refused.code, refused.out.count("Do all of this?"), after == before) == (0, 1, True)
    assert "Nothing was changed." in refused.out
    assert (agreed.code, agreed.out.count("[y/N]")) == (0, 1)
    assert (home.workspace() / "MEMORY.md").exists()


def test_where_a_gateway_runs_the_hosts_cron_is_offered_in_the_plan(home: Home) -> None:
    home.gateway_runs()

    answer = home.install()

    assert "openclaw cron add --name scrimshaw" in answer.out
    assert len(home.stub.jobs()) == 1
    # The configuration is changed, which a running gateway notices by itself.
    assert "gateway restart" not in answer.out.split("this machine")[0]


def test_a_gateway_that_will_not_notice_the_hook_has_to_be_restarted(tmp_path: Path) -> None:
    home = Home(tmp_path / "home", hooks={"enabled": True})
    home.gateway_runs()

    answer = home.install()
    again = home.install()

    assert (
        "Next: OpenClaw's gateway runs and loads hooks when it starts: openclaw gateway restart" in answer.out
    )
    assert "loads hooks when it starts" not in again.out


def test_an_older_gateway_takes_no_hook_from_the_configuration_and_has_to_be_restarted(home: Home) -> None:
    config = json.loads(home.config.read_text("utf-8")) | {"meta": {"lastTouchedVersion": "2026.7.1-2"}}
    home.config.write_text(json.dumps(config), encoding="utf-8")
    home.gateway_runs()

    answer = home.install()

    assert "loads hooks when it starts: openclaw gateway restart" in answer.out


def test_a_cron_job_of_an_older_place_is_replaced(home: Home) -> None:
    home.stub.gateway_runs()
    old = {"id": "old", "name": "scrimshaw", "payload": {"argv": ["/moved/python", "-m", "scrimshaw", "run"]}}
    (home.stub.folder / "jobs.json").write_text(json.dumps([old]))

    home.install("--keep-fresh", "cron")

    (job,) = home.stub.jobs()
    assert job["payload"]["argv"][0] != "/moved/python"


def test_from_a_checkout_with_its_own_environment_the_launchers_are_its_scripts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("scrimshaw.resources.checkout", lambda: tmp_path / "a check out")
    monkeypatch.setattr("sys.executable", str(tmp_path / "a check out" / ".venv" / "bin" / "python"))

    made = skill.files_of(tmp_path / "ws")

    text, mode = made["scripts/observe-now"]
    scripts = tmp_path / "a check out" / "scripts"
    assert text.decode().splitlines()[-1] == (
        f"exec '{scripts}/observe-now' --workspace {tmp_path}/ws \"$@\""
    )
    assert mode == 0o755


def test_two_installs_at_once_do_not_lose_each_others_receipts(home: Home) -> None:
    with alone({"HOME": str(home.root)}, makes=True):
        before = home.everything()

        answers = [home.run("install", "--yes"), home.run("install", "--dry-run")]

        assert [answer.code for answer in answers] == [5, 0]
        assert "Another install or uninstall is at work" in answers[0].err
        assert home.everything() == before
    home.install()


def test_what_fails_for_one_reason_says_it_once(home: Home) -> None:
    home.hook.parent.write_text("not a folder", encoding="utf-8")

    answer = home.run("install", "--yes")

    assert answer.out.count(f"{home.hook.parent}") >= 1
    assert answer.out.count("for the same reason") == 3


def test_a_skills_folder_that_is_a_link_is_not_written_through(home: Home, tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    (home.workspace() / "skills").symlink_to(tmp_path / "other")

    answer = home.install()

    assert list((tmp_path / "other").iterdir()) == []
    assert "symbolic link (or inside of one)" in answer.out


def test_for_an_agent_that_appears_after_an_install_everything_names_the_install(home: Home) -> None:
    home.install("--keep-fresh", "none")
    clerk = home.root / "clerk"
    clerk.mkdir()
    config = json.loads(home.config.read_text("utf-8"))
    config["agents"]["entries"]["clerk"] = {"workspace": str(clerk)}
    home.config.write_text(json.dumps(config), encoding="utf-8")

    named = ("--agent", "clerk")
    for words in (
        ("doctor",),
        ("status", *named),
        ("observe", *named),
        ("add", "A note.", *named),
        ("log", *named),
    ):
        answer = home.run(*words)
        said = answer.out + answer.err

        assert "scrimshaw install" in said, said
        assert "scrimshaw init" not in said.replace("let a model write them: scrimshaw init", ""), said
    home.install("--keep-fresh", "none")
    assert "served: " not in home.run("doctor").out


def test_the_doctor_counts_nothing_that_the_plan_did_not_count(home: Home) -> None:
    installed = home.install("--keep-fresh", "none")

    told = home.run("doctor").out

    assert "All " in installed.out
    assert "every file and line that the install made is in place" in told
    assert " things " not in told
