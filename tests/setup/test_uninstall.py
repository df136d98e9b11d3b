"""`scrimshaw uninstall`: everything is as it was, to the byte; the memory goes by choice alone."""

import json
import shutil
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from tests.setup.home import NOW, Home, snapshot

from scrimshaw.clock import now
from scrimshaw.core.section.block import BEGIN
from scrimshaw.core.section.markers import BEGIN as SECTION_BEGIN
from scrimshaw.locks import presence_lock
from scrimshaw.setup.belonging import is_only_ours

ALL = ("--section", "remove", "--data", "delete")


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path / "home of nora")


def test_nothing_is_left_of_an_install(home: Home) -> None:
    before = home.everything()
    home.install()
    for name in ("alive.json", "alive.json.123.tmp"):
        (home.hook / name).write_text("{}", encoding="utf-8")

    home.uninstall(*ALL)

    left = {name: data for name, data in home.everything().items() if name not in (".local", ".local/state")}
    assert left == before


def test_a_dry_run_changes_no_byte(home: Home) -> None:
    home.install()
    before = home.everything()

    answer = home.run("uninstall", "--dry-run", *ALL)

    assert f"take Scrimshaw's lines out of {home.workspace() / 'AGENTS.md'}" in answer.out
    assert home.everything() == before


def test_without_a_word_the_section_and_the_memory_are_kept_and_taken_up_again(home: Home) -> None:
    home.install()
    text = (home.workspace() / "MEMORY.md").read_text("utf-8")

    home.uninstall()
    kept = home.workspace() / ".scrimshaw.kept"
    after = (home.workspace() / "MEMORY.md").read_text("utf-8")
    again = home.install()

    assert after == text
    assert "take up the memory kept" in again.out
    assert "Read 0 new" in again.out
    assert not kept.exists()
    assert (home.workspace() / "MEMORY.md").read_text("utf-8") == text


def test_a_kept_memory_brings_a_removed_section_back(home: Home) -> None:
    home.install()
    text = (home.workspace() / "MEMORY.md").read_text("utf-8")

    home.uninstall("--section", "remove")
    was_removed = not (home.workspace() / "MEMORY.md").exists()
    home.install()

    assert was_removed
    assert (home.workspace() / "MEMORY.md").read_text("utf-8") == text


def test_a_hand_edit_of_the_last_minute_is_taken_into_the_kept_memory(home: Home) -> None:
    home.install()
    memory = home.workspace() / "MEMORY.md"
    lines = memory.read_text("utf-8").splitlines(keepends=True)
    memory.write_text("".join(line for line in lines if "Postgres 17" not in line), encoding="utf-8")

    home.uninstall("--section", "remove")
    home.install()

    assert "Postgres 17" not in memory.read_text("utf-8")


def test_uninstalling_twice_is_uninstalling_once(home: Home) -> None:
    home.install()
    home.uninstall(*ALL)
    before = home.everything()

    answer = home.run("uninstall", "--yes", *ALL)

    assert (answer.code, "nothing to remove" in answer.out) == (0, True)
    assert home.everything() == before


ENDS = st.sampled_from(["", "\n", "\r\n", "\n\n", "\r"])
TEXTS = st.one_of(
    st.none(),
    st.builds(
        lambda bom, words, newline, end: (bom + newline.join(words) + end).encode(),
        st.sampled_from(["", "\ufeff"]),
        st.lists(st.sampled_from(["# Title", "- a line", "", "🔴 ü", "text  "]), max_size=5),
        st.sampled_from(["\n", "\r\n"]),
        ENDS,
    ),
    st.just(b"\xff\xfe not utf-8\n"),
)


@settings(max_examples=8, suppress_health_check=list(HealthCheck))
@given(agents=TEXTS, memory=TEXTS)
@example(agents=None, memory=None)
@example(agents=b"", memory=b"")
@example(agents=b"# A\rB\r", memory=b"## Observations")
@example(agents=b"\n", memory=b"a\r\n## Observations\r\n")
@example(agents=b"# A", memory=b"## Observations\n- x\r\n- y")
@example(agents=b"# A", memory=b"## Observations\n## Next\n")
@example(agents=b"# A\r\nno end", memory=b"# M\r\n\r\n- mine\r\n")
@example(
    agents=b"\xef\xbb\xbf# A\n", memory=b"\xef\xbb\xbf# M\n\n## Observations\n\n- mine, by hand\n\n## Next\n"
)
def test_the_workspace_is_byte_identical_whatever_its_files_were(
    tmp_path_factory: pytest.TempPathFactory, agents: bytes | None, memory: bytes | None
) -> None:
    home = Home(tmp_path_factory.mktemp("home") / "h", hooks={"enabled": True})
    for name, data in (("AGENTS.md", agents), ("MEMORY.md", memory)):
        path = home.workspace() / name
        if data is None:
            path.unlink(missing_ok=True)
        else:
            path.write_bytes(data)
    before = snapshot(home.workspace())

    home.install()
    assert SECTION_BEGIN in (home.workspace() / "MEMORY.md").read_text("utf-8", "replace")
    home.uninstall(*ALL)

    assert snapshot(home.workspace()) == before


def test_what_others_wrote_in_the_meantime_stays(home: Home) -> None:
    home.install()
    agents, memory = home.workspace() / "AGENTS.md", home.workspace() / "MEMORY.md"
    for path in (agents, memory):
        path.write_text(path.read_text("utf-8") + "\nbehind it\n", encoding="utf-8")
    (home.workspace() / "memory" / "2026-11-20.md").write_text("the host's own\n", encoding="utf-8")
    (home.skill() / "notes.md").write_text("mine\n", encoding="utf-8")

    answer = home.uninstall(*ALL)

    assert agents.read_text("utf-8") == "# Agents\n\nBe kind.\n\nbehind it\n"
    assert memory.read_text("utf-8").strip() == "behind it"
    assert (home.workspace() / "memory" / "2026-11-20.md").exists()
    assert [path.name for path in home.skill().iterdir()] == ["notes.md"]
    assert f"{home.skill()} stays" in answer.out


def test_a_launcher_changed_by_hand_is_left_and_told(home: Home) -> None:
    home.install()
    launcher = home.skill() / "scripts" / "observe-now"
    launcher.write_text("mine\n", encoding="utf-8")

    answer = home.uninstall(*ALL)

    assert launcher.read_text("utf-8") == "mine\n"
    assert f"leave {launcher}: it was changed by hand" in answer.out
    assert not (home.receipts / "installed").exists()


def test_lines_in_agents_md_that_were_changed_by_hand_are_left_and_told(home: Home) -> None:
    home.install()
    agents = home.workspace() / "AGENTS.md"
    agents.write_text(
        agents.read_text("utf-8").replace("A program keeps", "Somebody keeps"), encoding="utf-8"
    )

    answer = home.uninstall(*ALL)

    assert BEGIN in agents.read_text("utf-8")
    assert "were changed by hand" in answer.out


def test_a_configuration_that_changed_since_loses_our_entry_only(home: Home) -> None:
    home.install()
    config = json.loads(home.config.read_text("utf-8"))
    config["gateway"] = {"port": 18_790}
    home.config.write_text(json.dumps(config), encoding="utf-8")

    home.uninstall(*ALL)

    after = json.loads(home.config.read_text("utf-8"))
    assert after["gateway"] == {"port": 18_790}
    assert after["hooks"]["internal"] == {"entries": {}}
    assert home.stub.calls()[1:] == [
        ["config", "unset", "hooks.internal.enabled"],
        ["config", "unset", "hooks.internal.entries.scrimshaw"],
    ]


def test_no_copy_of_the_configuration_is_left_behind(home: Home) -> None:
    home.install()
    kept = [path for path in home.receipts.rglob("*") if path.suffix == ".config"]
    modes = {oct(path.stat().st_mode & 0o777) for path in home.receipts.rglob("*") if path.is_file()}

    home.uninstall(*ALL)

    assert (len(kept), modes) == (1, {"0o600"})
    assert not home.receipts.exists()


def test_while_the_host_has_a_record_memory_is_left_and_the_way_out_is_told(home: Home) -> None:
    from tests.shell.fake_state import FakeState

    home.install()
    state = FakeState(home.root)
    state.state_database()
    state.record(home.workspace())
    memory = home.workspace() / "MEMORY.md"
    before = memory.read_bytes()

    answer = home.uninstall(*ALL)

    assert memory.read_bytes() == before
    assert "Delete the Observations section of MEMORY.md" in " ".join(answer.out.split())
    assert not (home.workspace() / ".scrimshaw").exists()


def test_while_a_daemon_of_the_persons_own_runs_nothing_is_removed(home: Home) -> None:
    home.install()
    with presence_lock(home.workspace() / ".scrimshaw", by="run", now=now({"SCRIMSHAW_NOW": NOW})):
        before = {k: v for k, v in home.everything().items() if "presence" not in k}

        answer = home.run("uninstall", "--yes", *ALL)

        assert (answer.code, "kill" in answer.err) == (5, True)
        assert {k: v for k, v in home.everything().items() if "presence" not in k} == before


def test_one_agent_of_two_leaves_the_other_served(tmp_path: Path) -> None:
    home = Home(tmp_path / "home", [("main", "ws/main"), ("ops", "ws/ops")])
    clean = snapshot(home.workspace("ops"))
    home.install()
    main = snapshot(home.workspace("main"))

    home.uninstall("--agent", "ops", *ALL)

    hook = json.loads((home.hook / "settings.json").read_text("utf-8"))
    config = json.loads(home.config.read_text("utf-8"))
    assert snapshot(home.workspace("ops")) == clean
    assert snapshot(home.workspace("main")) == main
    assert list(hook["workspaces"]) == ["main"]
    assert "scrimshaw" in config["hooks"]["internal"]["entries"]


def test_the_last_of_two_takes_the_rest_along(tmp_path: Path) -> None:
    home = Home(tmp_path / "home", [("main", "ws/main"), ("ops", "ws/ops")])
    before = home.everything()
    home.install()

    home.uninstall("--agent", "ops", *ALL)
    home.uninstall("--agent", "main", *ALL)

    left = {name: data for name, data in home.everything().items() if name not in (".local", ".local/state")}
    assert left == before


def test_an_agent_that_the_host_no_longer_has_can_still_be_taken_leave_of(home: Home) -> None:
    home.install()
    workspace = home.workspace()
    home.config.write_text("{}", encoding="utf-8")
    for folder in (home.state / "agents",):
        folder.rename(home.root / "gone")

    answer = home.uninstall(*ALL)

    assert str(workspace) in answer.out
    assert (workspace / "AGENTS.md").read_text("utf-8") == "# Agents\n\nBe kind.\n"
    assert not (workspace / ".scrimshaw").exists()
    assert not home.hook.exists()


def test_the_cron_job_goes_and_only_ours(home: Home) -> None:
    home.stub.gateway_runs()
    home.install("--keep-fresh", "cron")
    jobs = home.stub.jobs()
    other = {"id": "other", "name": "scrimshaw", "payload": {"kind": "command", "argv": ["true"]}}
    (home.stub.folder / "jobs.json").write_text(json.dumps([other, *jobs]))

    home.uninstall(*ALL)

    assert home.stub.jobs() == [other]


def test_on_a_terminal_section_and_memory_are_asked_for_and_kept_by_default(home: Home) -> None:
    home.install()

    kept = home.run("uninstall", typed="\n\ny\n")
    is_there = (home.workspace() / "MEMORY.md").exists(), (home.workspace() / ".scrimshaw.kept").exists()
    removed = home.run("uninstall", typed="remove\ndelete\ny\n")

    assert (kept.code, removed.code) == (0, 0), kept.err + removed.err
    assert is_there == (True, True)
    assert not (home.workspace() / "MEMORY.md").exists()
    assert not (home.workspace() / "memory").exists()


@pytest.mark.parametrize(
    ("before", "now", "expected"),
    [
        ({}, {"hooks": {"internal": {"enabled": True, "entries": {"scrimshaw": {"enabled": True}}}}}, True),
        ({"a": 1}, {"a": 1, "meta": {"lastTouchedVersion": "2026.9.6"}}, True),
        ({"a": 1}, {"a": 2}, False),
        (
            {"hooks": {"internal": {"enabled": True, "entries": {"x": {}}}}},
            {"hooks": {"internal": {}}},
            False,
        ),
        (
            {"hooks": {"internal": {"entries": {"x": {"enabled": True}}}}},
            {"hooks": {"internal": {"enabled": True, "entries": {"x": {"enabled": True}, "scrimshaw": {}}}}},
            True,
        ),
        (
            {"hooks": {"internal": {"entries": {"x": {"enabled": True}}}}},
            {"hooks": {"internal": {"enabled": True, "entries": {"y": {}, "scrimshaw": {}}}}},
            False,
        ),
        (
            {"hooks": {"token": "t"}},
            {"hooks": {"token": "t", "internal": {"entries": {"scrimshaw": {}}}}},
            True,
        ),
    ],
)
def test_a_configuration_is_put_back_only_where_nothing_else_was_changed(
    before: dict[str, object], now: dict[str, object], expected: bool
) -> None:
    assert is_only_ours(json.dumps(before).encode(), json.dumps(now).encode()) == expected
    assert is_only_ours(json.dumps(before).encode() + b" // by hand", json.dumps(now).encode()) == expected
    assert not is_only_ours(b"{", json.dumps(now).encode())
    assert not is_only_ours(json.dumps(before).encode(), b"[]")


def test_a_configuration_that_was_not_there_is_not_there_afterwards(tmp_path: Path) -> None:
    home = Home(tmp_path / "home")
    (home.workspace()).rename(home.state / "workspace")  # where the host puts it by itself
    home.config.unlink()

    home.install()
    was_there = home.config.exists()
    home.uninstall(*ALL)

    assert (was_there, home.config.exists()) == (True, False)


def test_a_workspace_inside_of_another_keeps_what_is_its_own(tmp_path: Path) -> None:
    home = Home(tmp_path / "home", [("main", "ws"), ("ops", "ws/inner")])
    home.install()
    inner = snapshot(home.workspace("ops"))

    home.uninstall("--agent", "main", *ALL)

    assert snapshot(home.workspace("ops")) == inner
    assert not home.skill("main").exists()


@pytest.mark.parametrize("name", ["memory", "memory/observations", "skills", "skills/observational-memory"])
def test_a_link_that_an_agent_plants_leads_an_uninstall_to_nobody_elses_files(
    tmp_path: Path, name: str
) -> None:
    home = Home(tmp_path / "home", [("main", "ws/main"), ("ops", "ws/ops")])
    home.install()
    place = home.workspace("main") / name
    shutil.rmtree(place)
    place.symlink_to(home.workspace("ops") / name)
    other = snapshot(home.workspace("ops"))

    home.uninstall("--agent", "main", *ALL)

    assert snapshot(home.workspace("ops")) == other


def test_a_kept_memory_that_is_a_link_is_not_taken_up_and_not_followed(home: Home) -> None:
    other = home.root / "other"
    other.mkdir()
    (home.workspace() / ".scrimshaw.kept").symlink_to(other)

    home.install()
    kept = home.uninstall("--section", "remove")

    assert list(other.iterdir()) == []
    assert (home.workspace() / ".scrimshaw.kept-2" / "ledger.sqlite").exists()
    assert "name it .scrimshaw.kept" in kept.out


def test_a_dangling_link_in_the_way_of_the_kept_memory_is_stepped_aside_of(home: Home) -> None:
    home.install()
    (home.workspace() / ".scrimshaw.kept").symlink_to("/nowhere at all")

    home.uninstall()

    assert (home.workspace() / ".scrimshaw.kept-2" / "ledger.sqlite").exists()


def test_a_folder_of_the_persons_own_with_a_name_like_the_kept_memory_stays(home: Home) -> None:
    home.install()
    own = home.workspace() / ".scrimshaw.kept-notes"
    own.mkdir()

    home.uninstall(*ALL)

    assert own.exists()


def test_without_its_receipt_an_install_is_known_by_what_its_files_hold(home: Home) -> None:
    home.install()
    shutil.rmtree(home.receipts)

    home.uninstall(*ALL)

    assert not home.skill().exists()
    assert not home.hook.exists()
    assert (home.workspace() / "AGENTS.md").read_text("utf-8") == "# Agents\n\nBe kind.\n"


def test_a_workspace_that_was_moved_since_is_taken_leave_of_where_it_is_now(home: Home) -> None:
    home.install()
    old, new = home.workspace(), home.root / "moved"
    old.rename(new)
    home.config.write_text(home.config.read_text("utf-8").replace(str(old), str(new)), encoding="utf-8")

    home.uninstall(*ALL)

    assert (new / "AGENTS.md").read_text("utf-8") == "# Agents\n\nBe kind.\n"
    assert not (new / "skills" / "observational-memory").exists()


def test_the_configuration_is_put_back_where_a_link_of_the_persons_own_leads(home: Home) -> None:
    home.install()
    before = json.dumps({"agents": json.loads(home.config.read_text("utf-8"))["agents"]})
    real = home.root / "dotfiles.json"
    home.config.rename(real)
    home.config.symlink_to(real)

    home.uninstall(*ALL)

    assert home.config.is_symlink()
    assert json.loads(real.read_text("utf-8")) == json.loads(before)


@pytest.mark.parametrize(
    "record",
    [
        {"kind": "file", "path": "{ws}/skills/observational-memory/../../../kept", "sha256": ["0"]},
        {"kind": "file", "path": 5, "sha256": ["0"]},
        {"kind": "file", "path": "{ws}/AGENTS.md", "sha256": 5},
        {"kind": "file", "path": "{ws}/a\0b", "sha256": ["0"]},
        {"kind": "snippet", "path": "{ws}/AGENTS.md", "inners": None, "file_existed": True},
        {"kind": "memory", "path": "/", "existed": None},
        [],
    ],
)
def test_a_receipt_that_no_install_has_written_is_refused(home: Home, record: object) -> None:
    home.install()
    (path,) = home.receipts.rglob("*.json")
    said = json.loads(path.read_text("utf-8"))
    hostile = json.loads(json.dumps(record).replace("{ws}", str(home.workspace())))
    path.write_text(json.dumps(said | {"records": [*said["records"], hostile]}), encoding="utf-8")
    before = home.everything()

    answer = home.run("uninstall", "--yes", *ALL)

    assert (answer.code, "this receipt of an install cannot be read" in answer.err) == (1, True)
    assert home.everything() == before


def test_what_a_killed_run_left_beside_the_receipt_goes_with_it(home: Home) -> None:
    home.install()
    (path,) = home.receipts.rglob("*.json")
    (path.parent / f".{path.name}.scrimshaw-{'0' * 16}.tmp").write_text("half", encoding="utf-8")

    home.uninstall(*ALL)

    assert not home.receipts.exists()


def test_a_section_that_stays_is_said_to_stay(home: Home) -> None:
    home.install()

    answer = home.run("uninstall", "--dry-run")

    assert "the section stays as it is. --section remove takes it out" in answer.out
    assert f"main  {home.workspace()}" in answer.out


@pytest.mark.parametrize("data", ["keep", "delete"])
def test_while_the_section_cannot_be_taken_out_the_memory_is_left_and_the_next_run_takes_both(
    home: Home, data: str
) -> None:
    memory = home.workspace() / "MEMORY.md"
    memory.write_text("## Observations\n- mine, by hand\n", encoding="utf-8")
    home.install()
    whole = memory.read_text("utf-8")
    memory.write_text(whole.replace("<!-- scrimshaw:end -->\n", ""), encoding="utf-8")

    refused = home.run("uninstall", "--yes", "--section", "remove", "--data", data)
    is_left = (home.workspace() / ".scrimshaw" / "ledger.sqlite").exists()
    memory.write_text(whole, encoding="utf-8")
    home.uninstall("--section", "remove", "--data", data)

    assert (refused.code, is_left) == (4, True), refused.out
    assert "the memory is left, because the section could not be taken out" in refused.out
    assert memory.read_text("utf-8") == "## Observations\n- mine, by hand\n"
