"""`scrimshaw` against the odds: wrong clocks, hostile text, shared folders, full disks, secrets."""

from __future__ import annotations

import json
import logging
import os
import shutil
import sqlite3
from contextlib import closing
from datetime import datetime
from pathlib import Path

import click
import pytest
from tests.conftest import build_fake_secret
from tests.places import NOW, Place
from tests.stores import START_MS, FakeSession, build_sqlite, write_session
from tests.support.prepared import Prepared

from scrimshaw import cli
from scrimshaw.cli.support.terminal import as_called, printable
from scrimshaw.core.types import Event, EventType
from scrimshaw.errors import Exit, UserError
from scrimshaw.logs import logging_to
from scrimshaw.services.observe.run import run

TALK = [
    ("Keep your answers short: command first, explanation after.", "Understood."),
    ("We decided to use Postgres 17.2 for the ledger, not 17.1.", "Noted."),
    ("The rehearsal is on stg-bill-02 tomorrow at 9:30.", "Rehearsal Sat 21 Nov 09:30."),
    ("The queue has 12 workers on node-7.", "Noted."),
]


def _begun(place: Place) -> None:
    place.say(*TALK)


@pytest.fixture(params=["jsonl", "sqlite"])
def place(request: pytest.FixtureRequest, prepared: Prepared) -> Place:
    return prepared(_begun, request.param)


@pytest.mark.parametrize("year", [1970, 2100])
def test_what_one_run_did_under_a_wrong_clock_is_taken_back_by_the_next(place: Place, year: int) -> None:
    place.run("observe", "--yes", now="2026-11-16T12:00:00+00:00")
    before = place.section()

    place.run("observe", now=f"{year}-01-01T00:00:00+00:00")
    place.run("observe", now="2026-11-16T13:00:00+00:00")

    assert before == place.section()


def test_a_clock_in_the_future_has_an_effect_to_take_back(place: Place) -> None:
    place.run("observe", "--yes", now="2026-11-16T12:00:00+00:00")
    before = place.section()

    place.run("observe", now="2100-01-01T00:00:00+00:00")

    assert before != place.section()


def test_a_clock_before_our_time_is_told(place: Place) -> None:
    answer = place.run("observe", "--yes", now="1970-01-01T00:00:05+00:00")

    assert "set the clock" in answer.out


@pytest.mark.parametrize("verb", [["status"], ["preview"], ["observe", "--dry-run"], ["config"]])
def test_what_only_looks_leaves_no_trace_in_the_workspace(place: Place, verb: list[str]) -> None:
    place.run("observe", "--yes")
    place.say(("We decided on Frankfurt as the second region.", "Noted."))
    before = _state_of(place.workspace)

    place.run(*verb)

    assert before == _state_of(place.workspace)


def _state_of(folder: Path) -> dict[Path, tuple[int, int]]:
    return {
        path: (path.stat().st_size if path.is_file() else 0, path.stat().st_mtime_ns)
        for path in folder.rglob("*")
    }


def test_restored_lines_do_not_cost_the_person_what_they_wrote(place: Place) -> None:
    place.say(*[(f"We decided that node-{n} runs release {n}.4.1.", "Noted.") for n in range(12)])
    place.run("observe", "--yes")
    kept = [line for line in place.memory.read_text().splitlines(keepends=True) if "release" not in line]
    place.memory.write_text(
        "".join(kept).replace("### Standing\n", "### Standing\n- Never call before ten\n")
    )

    place.run("restore")

    assert "node-11 runs release 11.4.1" in place.section()
    assert "Never call before ten" in place.section()


def test_a_secret_in_a_persons_own_line_stays_where_they_put_it(place: Place) -> None:
    secret = build_fake_secret("aws-key")
    place.run("observe", "--yes")
    text = place.memory.read_text()
    place.memory.write_text(text.replace("### Standing\n", f"### Standing\n- The key is {secret}\n"))

    place.run("observe")

    assert f"- The key is {secret}" in place.section()
    assert "The key is [redacted" in place.dated()
    assert secret not in place.dated()


def test_an_invisible_letter_does_not_carry_a_secret_past(place: Place) -> None:
    secret = build_fake_secret("aws-key")
    place.say((f"We use {secret[:8]}\u200b{secret[8:]} on prod-db-3 from now on.", "Noted."))

    place.run("observe", "--yes")

    assert secret.encode() not in place.everything_written()


def test_colours_and_hidden_letters_of_a_transcript_do_not_reach_the_section(place: Place) -> None:
    hidden = "\U000e0049\U000e0047"
    said = f"We decided that \x1b[31mnode-8\x1b[0m runs \u202erelease\u202c 4.2\u200b.{hidden}"
    place.say((said, "Noted."))

    place.run("observe", "--yes")

    assert "We decided that node-8 runs release 4.2." in place.section()
    assert "We decided that node-8 runs release 4.2." in place.dated()


def test_the_controls_of_an_8_bit_terminal_reach_neither_the_section_nor_the_ledger(place: Place) -> None:
    place.say(
        ("From now on my cat is called \x9b31mBlue\x9b0m, and I prefer \x9d0;title\x9cMax to \x90Tom.", "Ok.")
    )

    place.run("observe", "--yes")

    assert "my cat is called Blue, and I prefer Max to Tom." in place.section()
    assert not [char for char in place.section() + place.dated() if "\x80" <= char <= "\x9f"]
    kept = place.everything_written()
    for raw in ("\x9b31m", "\\u009b31m", "\x9d0;title", "\\u009d0;title"):
        assert raw.encode() not in kept


def test_a_file_cannot_command_the_terminal(place: Place) -> None:
    place.memory.write_text("# Memory \x1b]0;gone\x07 \u202eeert\n")

    answer = place.run("observe", "--dry-run")

    assert "# Memory" in answer.out
    assert not set("\x1b\x07\u202e") & set(answer.out)


def test_what_is_printed_keeps_its_lines_and_its_letters() -> None:
    text = "caf\u00e9 \U0001f534\tתל\r\nnext\n"

    assert printable(text) == text.replace("\r", "")


def test_a_next_step_is_told_as_it_can_be_typed_here() -> None:
    text = "- scrimshaw runs\nDamaged. Next: scrimshaw doctor\n  Next:\n  1. scrimshaw observe /scrimshaw x"

    told = as_called(text, "scripts/scrimshaw")

    assert told == text.replace("Next: scrimshaw", "Next: scripts/scrimshaw").replace(
        "1. scrimshaw", "1. scripts/scrimshaw"
    )
    assert as_called(text, "") == text


def test_a_named_agent_is_held_to_the_records_of_all_that_share_its_workspace(tmp_path: Path) -> None:
    place = Place(tmp_path / "machine", "sqlite")
    place.say(*TALK)
    other = place.root / ".openclaw-two"
    (other / "state").mkdir(parents=True)
    config = {"agents": {"list": [{"id": "bob", "workspace": str(place.workspace)}]}}
    (other / "openclaw.json").write_text(json.dumps(config))
    bob = FakeSession(key="agent:bob:main")
    build_sqlite(other / "agents" / "bob" / "agent" / "openclaw-agent.sqlite", [bob])
    (other / "state" / "openclaw.sqlite").write_bytes(b"no database " * 100)

    place.run("observe", "--yes", "--agent", "main")

    assert not place.memory.exists()
    assert (place.workspace / "memory" / "observations" / "MEMORY.md").exists()


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="only where there is a device that is always full")
def test_a_log_that_cannot_be_written_spoils_neither_run_nor_screen(
    place: Place, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    place.run("init", "--yes")
    place.say(("We decided on Frankfurt as the second region.", "Noted."))
    target = place.target()
    monkeypatch.setattr(logging.FileHandler, "_open", lambda _: Path("/dev/full").open("a"))  # noqa: SIM115  # logging closes it

    with logging_to(target.layout):
        report = run(target, datetime.fromisoformat(NOW))

    assert report.exit_code == 0
    assert "Frankfurt" in place.section()
    assert "Traceback" not in capfd.readouterr().err


def test_a_log_that_leads_elsewhere_is_not_written_through(place: Place) -> None:
    place.run("init", "--yes")
    other = place.root / "somebody's"
    other.write_text("theirs")
    log = place.workspace / ".scrimshaw" / "scrimshaw.log"
    log.unlink()
    log.symlink_to(other)
    place.say(("We decided on Frankfurt as the second region.", "Noted."))

    answer = place.run("observe")

    assert (answer.code, other.read_text()) == (1, "theirs")
    assert f"Next: rm {log}" in answer.err


def test_a_number_changed_by_hand_at_the_end_of_a_sentence_is_kept(place: Place) -> None:
    place.say(("We decided that node-8 runs release 4.1.", "Noted."))
    place.run("observe", "--yes")
    place.memory.write_text(place.memory.read_text().replace("release 4.1.", "release 4.2."))
    place.say(("We decided on Frankfurt as the second region.", "Noted."))

    place.run("observe")

    assert "release 4.2." in place.section()
    assert "release 4.1." not in place.section()


def test_an_older_ledger_put_back_makes_no_line_the_persons(place: Place) -> None:
    place.run("observe", "--yes")
    kept = place.root / "backup"
    shutil.copytree(place.workspace / ".scrimshaw", kept)
    place.say(("We decided that node-8 runs release 4.1.", "Noted."))
    place.run("observe")
    before = place.section()
    shutil.rmtree(place.workspace / ".scrimshaw")
    kept.rename(place.workspace / ".scrimshaw")

    place.run("observe")

    assert before == place.section()


def test_no_conversation_replaces_what_the_person_wrote_by_hand(place: Place) -> None:
    place.run("observe", "--yes")
    text = place.memory.read_text()
    place.memory.write_text(text.replace("### Standing\n", "### Standing\n- The office is in Porto\n"))
    place.run("observe", now="2026-11-16T09:00:00+00:00")
    place.session.at_ms += 3_600_000
    place.say(("The office moved from Porto to Braga, it is in Braga now.", "Noted."))

    place.run("observe")

    assert "- The office is in Porto" in place.section()
    assert "Braga" in place.section()


def test_what_was_said_later_stays_though_an_older_conversation_is_read_after_it(tmp_path: Path) -> None:
    later = FakeSession(key="agent:main:explicit:b", at_ms=START_MS + 86_400_000)
    place = Place(tmp_path / "machine", "sqlite", [later])
    place.say(("The office moved to Braga, it is in Braga now.", "Noted."))
    place.run("observe", "--yes")
    earlier = FakeSession(key="agent:main:main")
    earlier.user("The office moved from Braga to Porto, it is in Porto now.")
    earlier.assistant("Noted.")
    with closing(sqlite3.connect(place.store)) as connection, connection:
        write_session(connection, earlier)

    place.run("observe")

    assert "The office moved to Braga" in place.section()


def test_a_day_to_come_as_since_sets_nothing_aside(place: Place) -> None:
    answer = place.run("observe", "--yes", "--since", "2062-11-20")

    assert answer.code != 0
    assert "still to come" in answer.err
    assert place.run("observe", "--yes", "--json").object["workspaces"][0]["entries"] == 8


def test_a_message_from_the_future_is_not_waited_for(place: Place) -> None:
    place.session.at_ms = START_MS + 100 * 365 * 86_400_000
    place.session.user("We decided that node-8 runs release 4.1.")
    place.save()

    place.run("observe", "--yes")

    assert "node-8" in place.section()


def test_a_command_that_names_its_python_is_left_as_it_is() -> None:
    text = "Next: /env/bin/python -P -m scrimshaw observe --if-due  , or: scrimshaw run"

    told = as_called(text, "scripts/scrimshaw")

    assert told == "Next: /env/bin/python -P -m scrimshaw observe --if-due  , or: scripts/scrimshaw run"


# -- an older copy -------------------------------------------------------------------------------------------

_NEWS = [(f"We decided that node-{n} runs release {n}.4.1.", "Noted.") for n in range(3)]


@pytest.mark.parametrize("count", [1, 2, 3])
@pytest.mark.parametrize("edit", ["adds", "changes", "deletes"])
def test_an_older_buffer_saved_with_an_edit_takes_nothing_out_that_it_never_held(
    place: Place, count: int, edit: str
) -> None:
    place.say(("We decided to keep the queue on Rabbit 4.", "Noted."), ("Coffee on Mondays at 9.", "Noted."))
    place.run("observe", "--yes")
    buffer = place.memory.read_text()
    place.say(*_NEWS[:count])
    place.run("observe")
    row = next(line for line in buffer.splitlines(keepends=True) if "Rabbit" in line)
    new = {"adds": f"{row}- Never call before ten\n", "changes": row.replace("4.", "5."), "deletes": ""}[edit]
    place.memory.write_text(buffer.replace(row, new))

    place.run("observe")

    section = place.section()
    assert all(f"node-{n} runs release" in section for n in range(count))
    assert ("Rabbit 4." in section, "Rabbit 5." in section) == (edit == "adds", edit == "changes")
    assert ("Never call" in section) == (edit == "adds")


def test_an_older_buffer_saved_twice_takes_nothing_out_either_time(place: Place) -> None:
    place.run("observe", "--yes")
    buffer = place.memory.read_text()
    place.say(*_NEWS)
    place.run("observe")
    for mine in ("Never call before ten", "Call after ten"):
        buffer = buffer.replace("### Standing\n", f"### Standing\n- {mine}\n")
        place.memory.write_text(buffer)
        place.run("observe")

    section = place.section()
    assert all(f"node-{n} runs release" in section for n in range(3))
    assert "Never call before ten" in section
    assert "Call after ten" in section


@pytest.mark.parametrize("kept", [(2,), (0, 2), ()])
def test_of_the_newest_lines_those_that_a_hand_takes_out_stay_out(
    place: Place, kept: tuple[int, ...]
) -> None:
    place.say(*[(f"We decided that box-{n} holds part {n}.7.", "Noted.") for n in range(6)])
    place.run("observe", "--yes")
    place.say(*_NEWS)
    place.run("observe")
    gone = [f"node-{n} runs" for n in range(3) if n not in kept]
    rows = place.memory.read_text().splitlines(keepends=True)
    place.memory.write_text("".join(row for row in rows if not any(one in row for one in gone)))

    place.run("observe")
    place.run("observe")

    assert [n for n in range(3) if f"node-{n} runs" in place.section()] == list(kept)


def test_the_newest_line_in_other_words_is_an_edit_of_it(place: Place) -> None:
    place.run("observe", "--yes")
    place.say(*_NEWS[:1])
    place.run("observe")
    place.memory.write_text(place.memory.read_text().replace("release 0.4.1", "release 0.5"))

    place.run("observe")

    assert "node-0 runs release 0.5" in place.section()
    assert "release 0.4.1" not in place.section()


@pytest.mark.parametrize(
    "said",
    [
        "I'm allergic to penicillin.",
        "I have to call the plumber about the boiler.",
        "Yesterday I sold the tractor.",
    ],
)
def test_the_newest_line_written_anew_in_its_place_does_not_come_back(place: Place, said: str) -> None:
    place.run("observe", "--yes")
    place.say((said, "Noted."))
    place.run("observe")
    word = said.split()[-1][:-1]
    [row] = [row for row in place.section().splitlines() if word in row]
    words = row[row.index(said.split()[0]) : row.index(word) + len(word)]
    place.memory.write_text(place.memory.read_text().replace(words, "Nothing of that is so"))

    place.run("observe")
    place.run("observe")

    assert word not in place.section()
    assert place.section().count("Nothing of that is so") == 1


def test_why_gives_the_reason_for_which_a_line_was_hidden(place: Place) -> None:
    place.run("observe", "--yes")
    older = place.memory.read_bytes()
    place.say(*_NEWS[:1])
    place.run("observe")
    place.memory.write_bytes(older)
    place.run("observe")

    told = place.run("why", "node-0 runs release").out

    assert "hidden: an older text was put back" in told
    assert "no room" not in told
    events = place.run("why", "node-0 runs release", "--json").object["events"]
    assert [event["reason"] for event in events if event["type"] == "trimmed"] == [
        "an older text was put back"
    ]


@pytest.mark.parametrize(
    ("reason", "is_back"),
    [
        ("may have been deleted by hand", True),
        ("older text restored", False),  # nothing was kept aside: it may well have been meant
        ("an older text was put back", False),
    ],
)
def test_what_an_earlier_release_hid_for_a_false_reason_is_shown_again(
    place: Place, reason: str, is_back: bool
) -> None:
    place.run("observe", "--yes")
    with place.ledger() as ledger:
        line = next(one for one in ledger.live_lines() if "Postgres" in one.observation.text)
        ledger.append([Event(EventType.TRIMMED, line.observation.id, 5, "person", reason=reason)])
        ledger.set_meta("shown again", "")
    place.say(*_NEWS[:1])

    place.run("observe")

    assert ("Postgres" in place.section()) == is_back


# -- what is there, and is something else -------------------------------------------------------------------


@pytest.mark.parametrize("name", ["config.yaml", "scrimshaw.log"])
def test_a_pipe_in_the_place_of_a_file_of_ours_keeps_nobody_waiting(place: Place, name: str) -> None:
    place.run("observe", "--yes")
    path = place.workspace / ".scrimshaw" / name
    path.unlink(missing_ok=True)
    os.mkfifo(path)

    answer = place.run("observe")

    assert answer.code == 1
    assert f"{path}: cannot be" in answer.err
    assert "(not a regular file)" in answer.err


def test_a_file_in_the_place_of_the_folder_of_dated_files_is_told_as_one(place: Place) -> None:
    (place.workspace / "memory").write_text("mine")

    answer = place.run("observe", "--yes")

    assert f"{place.workspace / 'memory'} is no folder. Nothing was written there." in answer.err


@pytest.mark.parametrize("now", ["9999-12-31T00:00:00+00:00", "0001-01-01T00:00:00+00:00"])
def test_a_clock_that_nobody_has_is_refused(place: Place, now: str) -> None:
    place.run("observe", "--yes")

    answer = place.run("spend", now=NOW, env={"SCRIMSHAW_NOW": now})

    assert (answer.code, "is not a time with an offset in our days" in answer.err) == (1, True)


# -- the last line of all -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("fault", "code", "said"),
    [
        (ZeroDivisionError("what somebody said"), Exit.DEFECT, "ZeroDivisionError at"),
        (UserError("The disk is full.", next_step="make room"), Exit.MENDABLE, "Next: make room"),
        (click.exceptions.Abort(), 130, "Stopped."),
        (click.UsageError("no such option"), Exit.USAGE, "no such option"),
    ],
    ids=["a defect", "what its owner can mend", "Ctrl-C", "a wrong word"],
)
def test_whatever_ends_the_command_is_a_code_and_a_sentence(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    fault: Exception,
    code: int,
    said: str,
) -> None:
    def fails(**_: object) -> None:
        raise fault

    monkeypatch.setattr(cli.group, "main", fails)
    monkeypatch.setenv(cli.CALLED, "scrimshaw")

    with pytest.raises(SystemExit) as ended:
        cli.main()

    told = capsys.readouterr().err
    assert code == ended.value.code
    assert said in told
    assert "somebody said" not in told
