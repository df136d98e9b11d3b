"""`scrimshaw observe` as its owner meets it."""

from __future__ import annotations

import errno
import os
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest import mock

import pytest
from tests.conftest import build_fake_secret
from tests.places import NOW, Place
from tests.stores import FakeSession, lines_of
from tests.support.prepared import Prepared

from scrimshaw import files
from scrimshaw.core.extraction import observe
from scrimshaw.core.extraction.candidates import candidates_of
from scrimshaw.core.types import Reply, Window
from scrimshaw.core.verification.judge import judge_as_read
from scrimshaw.core.verification.names import strange_name
from scrimshaw.core.verification.verify import judge
from scrimshaw.errors import Exit, UserError
from scrimshaw.redaction import redact
from scrimshaw.services.observe import by_rules
from scrimshaw.sources import sqlite_store
from scrimshaw.store.ledger import open_ledger

# Named by what is in them: a module may be moved or joined with another.
OF_OBSERVING = {function.__module__ for function in (judge, judge_as_read, strange_name, candidates_of)}
TALK = [
    ("Keep your answers short: command first, explanation after.", "Understood."),
    ("We decided to use Postgres 17.2 for the ledger, not 17.1.", "Noted."),
    ("The rehearsal is on stg-bill-02 tomorrow at 9:30.", "Rehearsal Sat 21 Nov 09:30."),
]


def _begun(place: Place) -> None:
    place.say(*TALK)


@pytest.fixture(params=["jsonl", "sqlite"])
def place(request: pytest.FixtureRequest, prepared: Prepared) -> Place:
    return prepared(_begun, request.param)


def test_a_first_run_without_consent_writes_nothing(place: Place) -> None:
    answer = place.run("observe")

    assert answer.code == Exit.MENDABLE
    assert "scrimshaw init --yes" in answer.err
    assert list(place.workspace.iterdir()) == []


def test_a_run_writes_the_section_the_dated_file_and_the_ledger(place: Place) -> None:
    answer = place.run("observe", "--yes")

    assert answer.code == Exit.OK, answer
    assert "Postgres 17.2" in place.section()
    assert "command first" in place.section()
    assert "Postgres 17.2" in place.dated()
    assert (place.workspace / ".scrimshaw" / "ledger.sqlite").exists()


def test_a_second_run_with_nothing_new_changes_no_byte(place: Place) -> None:
    place.run("observe", "--yes")
    before = place.memory.read_bytes(), place.dated()

    answer = place.run("observe", now="2026-11-20T19:00:00+00:00")

    assert before == (place.memory.read_bytes(), place.dated())
    assert "nothing to change" in answer.out


@pytest.mark.parametrize(
    "way",
    ["observe", "observe --if-due", "observe --through-daemon 1", "status", "search --mode lexical Postgres"],
)
def test_a_command_with_nothing_new_loads_no_rules_and_no_verification(place: Place, way: str) -> None:
    place.run("observe", "--yes")

    assert not OF_OBSERVING & _modules_of(place, way)


@pytest.mark.parametrize("way", ["observe", "observe --if-due"])
def test_a_run_with_nothing_new_loads_no_redaction(place: Place, way: str) -> None:
    place.run("observe", "--yes")

    assert redact.__module__ not in _modules_of(place, way)


def test_what_a_run_with_nothing_new_does_without_is_loaded_by_one_with_news(place: Place) -> None:
    assert {*OF_OBSERVING, redact.__module__} <= _modules_of(place, "observe --yes")


def _modules_of(place: Place, command: str) -> set[str]:
    """Return what a process of its own has imported of ours, after *command*."""
    script = """if True:
        import sys
        from scrimshaw.cli import main
        try:
            main()
        except SystemExit as ended:
            assert not ended.code, ended
        print(*sys.modules)
    """
    env = {"HOME": str(place.root), "OPENCLAW_STATE_DIR": str(place.state), "SCRIMSHAW_NOW": NOW}
    call = [sys.executable, "-c", script, *command.split()]
    said = subprocess.run(call, env={**os.environ, **env}, capture_output=True, text=True, check=True).stdout
    return set(said.splitlines()[-1].split())


@pytest.mark.parametrize("command", ["observe", "add Call\u00a0me\u00a0Kit"])
def test_a_run_that_cannot_write_memory_md_says_that_its_notes_are_kept(place: Place, command: str) -> None:
    place.run("observe", "--yes")
    place.say(("From now on invoices go out on the 25th of each month.", "Noted."))
    real = files.replace

    def read_only(path: Path, data: bytes, **named: Any) -> files.Outcome:
        with files._told_kindly(path):
            if path == place.memory:
                raise PermissionError(errno.EACCES, "Permission denied")
        return real(path, data, **named)

    with mock.patch.object(files, "replace", read_only):
        answer = place.run(*command.split(" "), now="2026-11-20T19:00:00+00:00")

    assert answer.code == Exit.MENDABLE
    assert "Nothing was written." not in answer.err
    assert f"{place.memory}: the folder {place.workspace} or the file cannot be written" in answer.err
    assert "What was noted is kept in the ledger" in answer.err
    place.run("observe", now="2026-11-20T19:00:00+00:00")
    noted = "25th of each month" if command == "observe" else "Call\u00a0me\u00a0Kit"
    assert noted.replace("\u00a0", " ") in place.section().replace("\u00a0", " ")


def test_only_what_is_new_is_observed(place: Place) -> None:
    place.run("observe", "--yes")
    place.say(("From now on invoices go out on the 25th of each month.", "Noted."))

    answer = place.run("observe", "--json")

    assert answer.object["workspaces"][0]["entries"] == 2
    assert "25th of each month" in place.section()


def test_a_run_says_how_many_plans_are_over(place: Place) -> None:
    later = "2026-12-20T18:00:00+00:00"
    place.say(("I have to send Ana the minutes by 27 November.", "Noted."))
    place.run("observe", "--yes")

    answer = place.run("observe", now=later)
    again = place.run("observe", now=later)

    assert "  1 plan went from Open to the log: the day has passed." in answer.out
    assert "went from Open" not in again.out


@pytest.mark.parametrize(("lost", "result"), [(1, "written"), (2, "written"), (3, "contested")])
def test_a_run_tells_the_plans_that_a_lost_try_has_closed(place: Place, lost: int, result: str) -> None:
    place.say(("I have to send Ana the minutes by 27 November.", "Noted."))
    place.run("observe", "--yes")
    left, real = iter(range(lost)), files.replace

    def after_another(path: Path, data: bytes, **named: Any) -> files.Outcome:
        if path == place.memory and next(left, None) is not None:
            path.write_text(path.read_text() + "By somebody else.\n")
        return real(path, data, **named)

    with mock.patch.object(files, "replace", after_another):
        [told] = place.run("observe", "--json", now="2026-12-20T18:00:00+00:00").object["workspaces"]

    assert (told["section"]["result"], told["expired"]) == (result, 1)
    assert place.memory.read_text().count("By somebody else.") == lost


def test_a_dry_run_shows_a_diff_and_writes_nothing(place: Place) -> None:
    place.memory.write_text("# Memory\n")

    answer = place.run("observe", "--dry-run")

    assert answer.code == Exit.OK
    assert "+++ MEMORY.md (after)" in answer.out
    assert "Postgres 17.2" in answer.out
    assert [place.memory] == list(place.workspace.iterdir())
    assert place.memory.read_text() == "# Memory\n"


def test_a_dry_run_beside_a_ledger_leaves_the_ledger_alone(place: Place) -> None:
    place.run("observe", "--yes")
    place.say(("We decided on Frankfurt as the second region.", "Noted."))

    place.run("observe", "--dry-run")

    assert "Frankfurt" not in place.section()
    assert place.run("observe", "--json").object["workspaces"][0]["accepted"] >= 1
    assert "Frankfurt" in place.section()


def test_since_sets_older_entries_aside_for_good(place: Place) -> None:
    place.run("observe", "--yes", "--since", "2026-11-19")

    answer = place.run("observe", "--json")

    assert answer.object["workspaces"][0]["entries"] == 0
    assert not place.memory.exists()


def test_text_outside_the_section_is_kept_byte_for_byte(place: Place) -> None:
    before = "\ufeff# Mine\r\n\r\n- caf\u00e9 \U0001f6f0".encode() + b" \xff\xfe\x00 end"
    place.memory.write_bytes(before)

    place.run("observe", "--yes")

    assert place.memory.read_bytes().startswith(before)
    assert b"Postgres 17.2" in place.memory.read_bytes()


def test_a_deleted_line_stays_deleted_and_a_changed_one_is_the_persons(place: Place) -> None:
    place.run("observe", "--yes")
    lines = place.memory.read_text().splitlines(keepends=True)
    kept = [line for line in lines if "Postgres 17.2" not in line]
    changed = [line.replace("command first", "the command FIRST") for line in kept]
    place.memory.write_text("".join(changed))
    place.say(("We have 12 workers on node-7 since this morning.", "Noted."))

    place.run("observe")

    assert "Postgres 17.2" not in place.section()
    assert "the command FIRST" in place.section()
    assert "node-7" in place.section()


def test_a_line_the_person_adds_is_kept_and_comes_first(place: Place) -> None:
    place.run("observe", "--yes")
    text = place.memory.read_text()
    place.memory.write_text(text.replace("### Standing\n", "### Standing\n- Never call before ten\n"))
    place.say(("We have 12 workers on node-7 since this morning.", "Noted."))

    place.run("observe")

    assert "- Never call before ten" in place.section().split("### Standing\n")[1].splitlines()[0]


def test_secrets_reach_no_file(place: Place) -> None:
    secrets = [build_fake_secret(kind) for kind in ("aws-key", "github-token", "url-password", "assignment")]
    place.say(*[(f"For the record we use {secret} on prod-db-3.", "Stored nothing.") for secret in secrets])

    answer = place.run("observe", "--yes", "--json")

    assert sum(answer.object["workspaces"][0]["redacted"].values()) >= len(secrets)
    written = place.everything_written()
    for kind, secret in zip(("key", "token", "url", "assignment"), secrets, strict=True):
        value = secret.split("=", 1)[-1].split(":")[-1].split("@")[0]
        assert value.encode() not in written, kind


def test_a_large_deletion_is_asked_about_and_can_be_accepted_or_taken_back(place: Place) -> None:
    place.say(*[(f"We decided that node-{n} runs release {n}.4.1.", "Noted.") for n in range(12)])
    place.run("observe", "--yes")
    full = place.memory.read_text()
    short = "\n".join(line for line in full.splitlines() if "node-" not in line) + "\n"
    place.memory.write_text(short)

    refused = place.run("observe")

    assert refused.code == Exit.REFUSED
    assert "scrimshaw accept-edits" in refused.out
    assert short == place.memory.read_text()

    place.run("restore")
    assert full == place.memory.read_text()

    place.memory.write_text(short)
    accepted = place.run("accept-edits")
    assert accepted.code == Exit.OK
    assert "node-" not in place.section()


def test_a_removed_section_stays_removed_until_init(place: Place) -> None:
    place.memory.write_text("# Memory\n")
    place.run("observe", "--yes")
    place.memory.write_text("# Memory\n")
    place.say(("We decided on Frankfurt as the second region.", "Noted."))

    place.run("observe")

    assert place.memory.read_text() == "# Memory\n"
    assert "Frankfurt" in place.dated()

    place.run("init")
    assert "Frankfurt" in place.section()


def test_a_heading_left_behind_by_the_person_stays_empty(place: Place) -> None:
    place.run("observe", "--yes")
    place.memory.write_text("# Memory\n\n## Observations\n")

    first = place.run("observe")
    place.run("observe")

    assert "removed by hand" in first.out
    assert place.memory.read_text() == "# Memory\n\n## Observations\n"


def test_without_room_the_section_is_emptied_and_comes_back_whole(place: Place) -> None:
    place.memory.write_text("# Memory\n")
    place.run("observe", "--yes")
    before = place.section()
    text = place.memory.read_text()
    place.memory.write_text(text + "x" * 9_000)

    full = place.run("observe")
    again = place.run("observe")
    emptied = place.section()
    place.memory.write_text(place.memory.read_text().replace("x" * 9_000, ""))
    place.run("observe")

    assert "no room for a section" in full.out
    assert again.code == Exit.OK
    assert emptied.strip() == ""
    assert before == place.section()


@pytest.mark.parametrize(
    "text",
    [
        "<!-- scrimshaw:begin -->\nhalf\n",
        "<!-- scrimshaw:end -->\n",
        "<!-- scrimshaw:begin -->\na\n<!-- scrimshaw:begin -->\nb\n<!-- scrimshaw:end -->\n",
    ],
)
def test_damaged_markers_are_told_with_their_lines_and_left_alone(place: Place, text: str) -> None:
    place.memory.write_text(f"# Memory\n\n{text}")

    answer = place.run("observe", "--yes")

    assert answer.code == Exit.REFUSED
    assert "line 3" in answer.out or "lines 3, 5" in answer.out
    assert f"# Memory\n\n{text}" == place.memory.read_text()
    assert "Postgres 17.2" in place.dated()


def test_a_file_in_utf_16_is_left_as_it_is_until_it_is_saved_as_utf_8(place: Place) -> None:
    assert place.run("observe", "--yes").code == Exit.OK
    text = place.memory.read_text()
    place.memory.write_bytes(text.encode("utf-16"))

    answer = place.run("observe")
    kept = place.memory.read_bytes()
    place.memory.write_text(text)
    again = place.run("observe")

    assert answer.code == Exit.REFUSED
    assert "the file is UTF-16, not UTF-8" in answer.out
    assert "save it as UTF-8, then run: scrimshaw observe" in answer.out
    assert "markers" not in answer.out
    assert kept == text.encode("utf-16")
    assert again.code == Exit.OK
    assert place.memory.read_text() == text


def test_a_heading_made_by_hand_is_adopted_with_its_lines(place: Place) -> None:
    place.memory.write_text("# Memory\n\n## Observations\n\n- The cat is called Ada\n\n## Other\nkeep me\n")

    place.run("observe", "--yes")

    assert "The cat is called Ada" in place.section()
    assert place.memory.read_text().endswith("## Other\nkeep me\n")


def test_a_symlink_is_refused_with_the_way_out(place: Place) -> None:
    real = place.workspace / "real.md"
    real.write_text("# Memory\n")
    place.memory.symlink_to(real)

    answer = place.run("observe", "--yes")

    assert answer.code != Exit.OK
    assert "symbolic link" in answer.err
    assert real.read_text() == "# Memory\n"


def test_a_hard_link_is_refused(place: Place) -> None:
    place.memory.write_text("# Memory\n")
    os.link(place.memory, place.workspace / "other.md")

    answer = place.run("observe", "--yes")

    assert "hard links" in answer.err
    assert place.memory.read_text() == "# Memory\n"


def test_a_missing_workspace_is_named(place: Place) -> None:
    answer = place.run("observe", "--workspace", str(place.root / "nowhere"))

    assert answer.code == Exit.MENDABLE
    assert "nowhere is not a folder" in answer.err


def test_an_unknown_agent_is_told_who_is_there(place: Place) -> None:
    answer = place.run("observe", "--agent", "ghost")

    assert answer.code == Exit.MENDABLE
    assert "main (" in answer.err


def test_a_config_with_three_mistakes_stops_the_run_with_all_of_them(place: Place) -> None:
    folder = place.workspace / ".scrimshaw"
    folder.mkdir()
    (folder / "config.yaml").write_text("ttl_dayz: 3\nobservation_chars: many\ntimezone: Mars/Base\n")

    answer = place.run("observe", "--yes")

    assert answer.code == Exit.MENDABLE
    assert all(word in answer.err for word in ("ttl_days?", "observation_chars", "Mars/Base"))
    assert not place.memory.exists()


def test_a_clock_in_1970_loses_nothing(place: Place) -> None:
    place.run("observe", "--yes", now="1970-01-01T00:00:05+00:00")
    place.say(("We decided on Frankfurt as the second region.", "Noted."))

    answer = place.run("observe")

    assert answer.code == Exit.OK
    assert all(word in place.section() + place.dated() for word in ("Postgres 17.2", "Frankfurt"))


def test_a_group_conversation_stays_out_unless_configured_in(tmp_path: Path) -> None:
    group = FakeSession(key="agent:main:telegram:group:-100", chat_type="group")
    place = Place(tmp_path / "m", "sqlite", [FakeSession(), group])
    group.user("Priya: we decided to move the office to Porto in March.")
    group.assistant("Noted.")
    place.say(*TALK)

    answer = place.run("observe", "--yes", "--json")

    assert answer.object["workspaces"][0]["sessions_left_out"] == {"group": 1}
    assert "Porto" not in place.section() + place.dated()

    place.run("observe", env={"SCRIMSHAW_SESSIONS": "[direct, group]"})
    assert "Porto" in place.section()


def test_an_unfinished_exchange_waits_and_is_then_noted_once(place: Place) -> None:
    place.session.user("We decided that the cutover is on 5 December.")
    place.save()
    just_now = "2026-11-16T08:42:00+00:00"

    waiting = place.run("observe", "--yes", "--json", now=just_now).object["workspaces"][0]
    place.session.assistant("Cutover on Sat 5 Dec.")
    place.save()
    done = place.run("observe", "--json", now=just_now).object["workspaces"][0]

    assert (waiting["held_back"], done["held_back"]) == (1, 0)
    assert waiting["entries"] + done["entries"] == 8
    assert place.dated().count("5 December") == 1


def test_a_timer_run_waits_until_enough_is_there(place: Place) -> None:
    place.run("observe", "--yes")
    place.say(("We decided on Frankfurt as the second region.", "Noted."))

    early = place.run("observe", "--if-due", now="2026-11-16T08:41:45+00:00")
    late = place.run("observe", "--if-due", now="2026-11-16T09:41:45+00:00")

    assert "Not due" in early.out
    assert "1 noted" in late.out


def test_a_lost_ledger_is_made_again_and_no_line_becomes_the_persons(place: Place) -> None:
    place.run("observe", "--yes")
    before = place.memory.read_text()
    shutil.rmtree(place.workspace / ".scrimshaw")

    place.run("observe", "--yes")

    assert before == place.memory.read_text()
    assert place.dated().count("Postgres 17.2") == 1


def test_with_ledger_and_transcripts_lost_the_lines_are_found_in_the_dated_files(place: Place) -> None:
    place.run("observe", "--yes")
    before = place.memory.read_text()
    shutil.rmtree(place.workspace / ".scrimshaw")
    for path in [place.store, *place.store.parent.glob("openclaw-agent.sqlite-*")]:
        shutil.rmtree(path) if path.is_dir() else path.unlink()
    place.sessions = [FakeSession(session_id="00000000-0000-4000-8000-000000000000")]
    place.save()
    text = before.replace("### Standing\n", "### Standing\n- My own line\n")
    place.memory.write_text(text)

    place.run("observe", "--yes")

    assert sorted(text.splitlines()) == sorted(place.memory.read_text().splitlines())
    assert place.dated().count("Postgres 17.2") == 1


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_read_only_workspace_is_named_and_nothing_is_half_written(place: Place) -> None:
    place.workspace.chmod(0o500)
    try:
        answer = place.run("observe", "--yes")
    finally:
        place.workspace.chmod(0o700)

    assert answer.code == Exit.MENDABLE
    assert "Nothing was written there" in answer.err
    assert list(place.workspace.iterdir()) == []


def test_an_empty_store_is_nothing_to_note(tmp_path: Path) -> None:
    place = Place(tmp_path / "machine", "jsonl")
    for path in place.store.glob("*.jsonl"):
        path.write_bytes(b"")

    answer = place.run("observe", "--yes")

    assert answer.code == Exit.OK, answer
    assert "Nothing worth noting yet" in answer.out
    assert not place.memory.exists()


def test_garbage_between_entries_is_counted_with_its_place_and_the_rest_is_noted(tmp_path: Path) -> None:
    place = Place(tmp_path / "machine", "jsonl")
    place.say(*TALK)
    (path,) = place.store.glob("*.jsonl")
    lines = path.read_bytes().splitlines(keepends=True)
    garbage = [b"\x00\x00\x00\n", b"{half a line\n", b'"text"\n', b"\xff\xfe not utf-8\n"]
    path.write_bytes(b"".join([*lines[:4], *garbage, *lines[4:]]))

    answer = place.run("observe", "--yes")

    assert answer.code == Exit.PARTLY
    assert f"{path.name}:5" in answer.out
    assert "Postgres 17.2" in place.section()


def test_a_message_that_the_rules_fail_at_is_passed_over_and_named_and_the_rest_is_noted(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    place = Place(tmp_path / "machine", "jsonl")
    place.say(TALK[0], ("A message that breaks something", "Noted."), *TALK[1:])

    with mock.patch.object(by_rules, "observe", _broken_by("breaks something")):
        answer = place.run("observe", "--yes")

    assert answer.code == Exit.PARTLY
    assert "passed over, by a defect of our own" in answer.out
    assert "Postgres 17.2" in place.section()
    assert "breaks something" not in answer.out + caplog.text
    assert place.run("observe", "--yes").code == Exit.OK  # and it is not met again


def test_a_fault_that_any_text_meets_ends_the_run_and_the_next_one_notes_everything(tmp_path: Path) -> None:
    place = Place(tmp_path / "machine", "jsonl")
    place.say(*TALK)

    with mock.patch.object(by_rules, "observe", side_effect=ValueError("fillers.txt has no group")):
        assert place.run("observe", "--yes").code == Exit.DEFECT

    assert place.run("observe", "--yes").code == Exit.OK
    assert "Postgres 17.2" in place.section()


def _broken_by(words: str) -> Callable[..., Reply]:
    def observer(window: Window, *given: Any) -> Reply:
        if any(words in entry.text for entry in window.entries):
            raise IndexError(f"list index out of range: {words}")
        return observe(window, *given)

    return observer


def test_a_store_locked_by_its_host_is_told_and_read_the_next_time(tmp_path: Path) -> None:
    place = Place(tmp_path / "machine", "sqlite")
    place.say(*TALK)
    with sqlite3.connect(place.store, isolation_level=None) as writer:
        writer.execute("pragma journal_mode = delete")
        writer.execute("begin exclusive")
        writer.execute("create table in_the_way (x)")
        with mock.patch.object(sqlite_store, "BUSY_SECONDS", 0.05):
            locked = place.run("observe", "--yes")
        writer.execute("rollback")
    writer.close()

    assert locked.code in (Exit.MENDABLE, Exit.LOCKED)
    assert "openclaw-agent.sqlite" in locked.out + locked.err
    assert place.run("observe", "--yes").code == Exit.OK
    assert "Postgres 17.2" in place.section()


_MEASURE = """
import resource, subprocess, sys
code = subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL).returncode
print(code, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
"""


@pytest.mark.slow
def test_a_transcript_of_200_mb_is_read_in_bounded_memory(tmp_path: Path) -> None:
    place = Place(tmp_path / "machine", "jsonl")
    place.say(*TALK)
    (path,) = place.store.glob("*.jsonl")
    session = place.session
    with path.open("ab") as file:
        while file.tell() < 200_000_000:
            session.events.clear()
            session.tool("exec", {"command": "journalctl"}, "a line of the log, again and again\n" * 20_000)
            file.write(lines_of(session.events))

    # By a small process in between: what a child counts as its own begins with the size of whoever starts it.
    measured = subprocess.run(
        [sys.executable, "-c", _MEASURE, sys.executable, "-m", "scrimshaw", "observe", "--yes"],
        env={
            **os.environ,
            "HOME": str(place.root),
            "OPENCLAW_STATE_DIR": str(place.state),
            "SCRIMSHAW_NOW": NOW,
        },
        stdout=subprocess.PIPE,
        text=True,
        check=False,
    )
    code, peak = map(int, measured.stdout.split()[-2:])

    assert code == Exit.OK
    assert peak / (1024 if sys.platform != "darwin" else 1024 * 1024) <= 150
    assert "Postgres 17.2" in place.section()


def test_what_is_said_again_strengthens_the_line_there_is(place: Place) -> None:
    place.run("observe", "--yes")
    place.say(("We decided to use Postgres 17.2 for the ledger, not 17.1.", "Yes."))

    place.run("observe")

    with open_ledger(place.workspace / ".scrimshaw/ledger.sqlite", create=False, read_only=True) as ledger:
        (line,) = [line for line in ledger.live_lines() if "17.2" in line.observation.text]
    assert line.standing.reinforced == 1


def test_a_ledger_that_cannot_be_written_is_not_told_as_a_store_that_cannot_be_read(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object, **__: object) -> None:
        raise UserError("the disk is full. Nothing of this step was written.", next_step="make room")

    monkeypatch.setattr("scrimshaw.store.ledger.Ledger.accept", full)

    answer = place.run("observe", "--yes")

    assert answer.code == Exit.MENDABLE
    assert "the disk is full" in answer.err
    assert "worth noting" not in answer.out
