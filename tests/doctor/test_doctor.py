"""`scrimshaw doctor` whole: its words, its JSON, its codes; that it only looks, and what --fix may do."""

from __future__ import annotations

import os
import secrets
import time
from datetime import timedelta
from pathlib import Path

import pytest
from tests.doctor.cases import MOMENT, daemon, environment, examined, gateway, hook, machine, snapshot
from tests.places import NOW, Answer, Place

from scrimshaw.cli.support.terminal import printable
from scrimshaw.doctor import Severity, examine, finding_lines, mend
from scrimshaw.errors import Exit
from scrimshaw.workspace import Wanted


def healthy(place: Place) -> None:
    gateway(place)
    hook(place)


def doctor(place: Place, *words: str) -> Answer:
    return place.run("doctor", *words, env={"TMPDIR": str(place.root), "XDG_CONFIG_HOME": str(place.root)})


def test_a_machine_in_order_has_no_warning_and_ends_with_0(place: Place) -> None:
    healthy(place)

    with daemon(place):
        answer = doctor(place)

    assert answer.code == Exit.OK, answer.out
    assert "WARNING" not in answer.out
    assert "ERROR" not in answer.out
    assert answer.err == ""


def test_a_warning_ends_with_3_and_an_error_with_1(place: Place) -> None:
    warned = doctor(place)  # nobody keeps it fresh
    place.store.write_bytes(b"no database")
    failed = doctor(place)

    assert (warned.code, failed.code) == (Exit.PARTLY, Exit.MENDABLE)
    assert warned.out.splitlines()[-1].startswith("1 warning")
    assert failed.out.splitlines()[-1].startswith("1 error, 1 warning")


def test_the_last_line_says_what_can_be_mended(place: Place) -> None:
    (place.workspace / ".scrimshaw").chmod(0o755)

    last = doctor(place).out.splitlines()[-1]

    assert last.endswith("1 can be mended: scrimshaw doctor --fix.")


def test_json_is_one_object_with_the_code_in_it(place: Place) -> None:
    answer = doctor(place, "--json")

    found = answer.object
    assert found["exit_code"] == answer.code == Exit.PARTLY
    assert set(found) == {
        "at",
        "exit_code",
        "errors",
        "warnings",
        "notes",
        "fixable",
        "groups",
        "mended",
        "not_mended",
    }
    assert [group["kind"] for group in found["groups"]] == ["machine", "host", "workspace"]
    findings = [finding for group in found["groups"] for finding in group["findings"]]
    keys = {"severity", "topic", "what", "next_step", "is_fixable", "mend"}
    assert all(set(finding) == keys for finding in findings)
    assert sum(finding["severity"] == "warning" for finding in findings) == found["warnings"] == 1
    assert found["at"] == NOW


def test_every_warning_and_error_has_a_next_step(place: Place) -> None:
    place.record("untrusted")
    place.store.write_bytes(b"no database")
    (place.workspace / ".scrimshaw").chmod(0o755)
    (place.workspace / ".scrimshaw" / "ledger.sqlite").write_bytes(b"x" * 100)

    found = [finding for finding in examined(place).findings if finding.severity > Severity.NOTE]

    assert len(found) > 3
    assert [finding.topic for finding in found if not finding.next_step and not finding.is_fixable] == []


@pytest.mark.parametrize("kind", ["sqlite", "jsonl"])
def test_looking_changes_no_byte_and_no_time(tmp_path: Path, kind: str) -> None:
    place = machine(tmp_path, kind)
    healthy(place)
    place.record("agent")
    (place.workspace / f".MEMORY.md.scrimshaw-{secrets.token_hex(8)}.tmp").write_text("half")
    before = snapshot(place.root)

    doctor(place)
    doctor(place, "--json")
    place.run("status")

    assert snapshot(place.root) == before


def test_looking_at_a_workspace_that_is_not_set_up_leaves_nothing_there(tmp_path: Path) -> None:
    place = Place(tmp_path / "machine", "sqlite")
    before = snapshot(place.root)

    doctor(place)
    doctor(place, "--fix")

    assert snapshot(place.root) == before


def test_fix_mends_says_it_and_has_nothing_to_do_the_second_time(place: Place) -> None:
    state = place.workspace / ".scrimshaw"
    with daemon(place):
        pass  # it is gone, and its sign of life is left
    leftover = place.workspace / f".MEMORY.md.scrimshaw-{secrets.token_hex(8)}.tmp"
    leftover.write_text("half")
    os.utime(leftover, (time.time() - 600,) * 2)
    state.chmod(0o755)
    memory, host = place.memory.read_bytes(), snapshot(place.state)

    first = doctor(place, "--fix")
    between = snapshot(place.root)
    second = doctor(place, "--fix")

    assert first.out.count("Mended: ") == 3
    assert "can be mended" not in first.out
    assert "Mended: " not in second.out
    assert snapshot(place.root) == between
    assert place.memory.read_bytes() == memory
    assert snapshot(place.state) == host


def test_fix_leaves_a_damaged_section_and_the_host_s_files_alone(place: Place) -> None:
    place.memory.write_text("<!-- scrimshaw:begin -->\nmine\n")
    hook(place)
    (place.state / "hooks" / "scrimshaw" / "handler.ts").write_text("// outdated")
    before = snapshot(place.root)

    doctor(place, "--fix")

    assert snapshot(place.root) == before


def test_what_stands_in_the_way_of_mending_is_said(place: Place) -> None:
    leftover = place.workspace / f".MEMORY.md.scrimshaw-{secrets.token_hex(8)}.tmp"
    leftover.mkdir()  # no file of ours, though it is called like one
    os.utime(leftover, (time.time() - 600,) * 2)

    answer = doctor(place, "--fix")

    assert answer.code != Exit.DEFECT, answer.err


def test_names_with_control_characters_do_not_reach_the_terminal_raw(tmp_path: Path) -> None:
    nasty = "evil\x1b]0;owned\x07\n  ok       all is well\u202e"
    place = machine(tmp_path / nasty)
    place.memory.unlink()
    place.memory.symlink_to(tmp_path / nasty / "away")

    answer = doctor(place)

    assert answer.code == Exit.MENDABLE, answer.err
    assert not any(character in answer.out for character in "\x1b\x07\u202e")
    assert not any(line.startswith("  ok       all is well") for line in answer.out.splitlines())


@pytest.mark.parametrize("kind", ["sqlite", "jsonl"])
def test_garbage_in_every_file_it_reads_is_found_and_never_a_defect(tmp_path: Path, kind: str) -> None:
    place = machine(tmp_path, kind)
    healthy(place)
    place.record("agent")
    (place.workspace / ".scrimshaw" / "heartbeat.json").write_text("{}")
    kinds = (b"\x00\xff{[" * 400, b'{"a": [1e999, null], "\\u0000": {"b": []}}', b"")

    for number, path in enumerate(sorted(path for path in place.root.rglob("*") if path.is_file())):
        kept = path.read_bytes()
        path.write_bytes(kinds[number % len(kinds)])
        assert finding_lines(examine(Wanted(), environment(place), MOMENT)), path
        path.write_bytes(kept)


def test_a_folder_or_a_pipe_in_the_place_of_a_file_is_found_and_never_a_defect(place: Place) -> None:
    healthy(place)
    place.record("agent")
    ours = [place.workspace, place.state / "hooks"]
    for path in [path for folder in ours for path in folder.rglob("*") if path.is_file()]:
        kept = path.read_bytes()
        path.unlink()
        path.mkdir()
        assert finding_lines(examine(Wanted(), environment(place), MOMENT)), path
        path.rmdir()
        os.mkfifo(path)
        assert finding_lines(examine(Wanted(), environment(place), MOMENT)), path
        path.unlink()
        path.write_bytes(kept)


def test_mending_an_unreadable_machine_is_no_defect(place: Place) -> None:
    (place.workspace / ".scrimshaw" / "ledger.sqlite").write_bytes(b"garbage" * 99)

    found = mend(Wanted(), environment(place), MOMENT + timedelta(days=1))

    assert found.exit_code is Exit.MENDABLE


def test_prose_is_wrapped_and_a_command_with_a_path_is_not(place: Place) -> None:
    place.record("untrusted")

    lines = finding_lines(examined(place))

    assert [line for line in lines if len(line) > 110 and "/" not in line] == []
    assert any(line.endswith(f"cp {place.memory} {place.memory}.kept") for line in lines)
    assert printable("\n".join(lines)) == "\n".join(lines)
