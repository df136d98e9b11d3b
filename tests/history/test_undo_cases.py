"""What an undo does amid people, other runs and the host, and where it refuses."""

import contextlib
import json
import sqlite3
from datetime import UTC, datetime, timedelta

import pytest
from tests.history.lives import Life
from tests.places import EXEC, Place
from tests.shell.made import observation
from tests.support.prepared import Prepared

from scrimshaw.clock import milliseconds
from scrimshaw.core.ledger.lifecycle import replay, spell, standing_in_words
from scrimshaw.core.types import Closed, Event, EventType, Standing
from scrimshaw.core.types import Place as Part
from scrimshaw.errors import UserError
from scrimshaw.services.edit import undo
from scrimshaw.store.ledger import Ledger, open_ledger
from scrimshaw.store.records import Batch


def _at(hour: int) -> str:
    return f"2026-11-20T{hour:02}:00:00+00:00"


def _said(number: int) -> tuple[str, str]:
    return (f"We decided that unit-{number}x runs release {number}.4.1 in production.", "Noted.")


def _begun(place: Place) -> None:
    """Two revisions: two decisions, then two more."""
    place.memory.write_text("# Memory\n\nMine.\n")
    place.say(_said(0), _said(1))
    place.run("observe", "--yes", "--now", now=_at(10))
    place.say(_said(2), _said(3))
    place.run("observe", "--now", now=_at(11))


@pytest.fixture
def place(prepared: Prepared) -> Place:
    return prepared(_begun)


def _lines(place: Place):
    with place.ledger() as ledger:
        return {line.observation.text: line.standing for line in ledger.all_lines()}


def test_what_the_person_did_since_by_hand_stays(place):
    before = place.memory.read_text()
    place.memory.write_text(before.replace("### Standing\n", "### Standing\n- My own line\n"))

    answer = place.run("undo", now=_at(12))

    assert answer.code == 0, answer
    assert "My own line" in place.section()
    assert "unit-1x" in place.section()
    assert "unit-2x" not in place.section()


def test_a_line_that_was_deleted_by_hand_since_does_not_stand_against_it(place):
    text = place.memory.read_text().splitlines(keepends=True)
    place.memory.write_text("".join(line for line in text if "unit-2x" not in line))

    answer = place.run("undo", now=_at(12))

    assert answer.code == 0, answer
    told = {text.split()[3]: standing.closed for text, standing in _lines(place).items()}
    assert told["unit-2x"] is Closed.DELETED
    assert told["unit-3x"] is Closed.UNDONE


def test_a_line_that_was_changed_by_hand_since_refuses_with_the_list(place):
    changed = place.memory.read_text().replace("runs release 2.4.1 in", "runs 2.4.1 for now in")
    place.memory.write_text(changed)

    answer = place.run("undo", now=_at(12))

    assert answer.code == 4
    assert "changed by hand: We decided that unit-2x" in answer.err
    assert "unit-2x runs 2.4.1 for now" in place.memory.read_text()
    assert "unit-3x" in place.memory.read_text()


def test_an_older_revision_is_undone_beneath_later_ones(place):
    place.say(_said(4))
    place.run("observe", "--now", now=_at(12))

    answer = place.run("undo", "2", "--json", now=_at(13))

    assert answer.code == 0, answer
    assert "unit-4x" in place.section()
    assert "unit-2x" not in place.section()
    assert not answer.object["is_exact"]


def test_undo_without_a_number_goes_back_step_by_step_and_its_number_takes_it_back(place):
    place.say(_said(4))
    place.run("observe", "--now", now=_at(12))
    newest = place.memory.read_bytes()

    place.run("undo", now=_at(13))
    place.run("undo", now=_at(14))
    back = place.section()
    place.run("undo", "5", now=_at(15))
    place.run("undo", "4", now=_at(16))

    assert "unit-2x" not in back
    assert place.memory.read_bytes() == newest


def test_an_undo_that_later_changes_rest_on_is_refused_until_those_are_undone(tmp_path):
    life = Life()
    with open_ledger(life.target.layout.ledger, create=False) as ledger:
        life.now += timedelta(minutes=1)
        life._accept(ledger, 1, 3)
        life.publishes(ledger)
        born = ledger.all_lines()[-1].observation.id
        life._accept(ledger, 1, 4)
        newest = ledger.all_lines()[-1].observation.id
        ledger.append([Event(EventType.SUPERSEDED, born, 5, "run", newest)])
        life.publishes(ledger)
    with pytest.raises(UserError, match="revision 3: replaced by a later word"):
        undo.run(life.target, life.now, 2)

    undo.run(life.target, life.now, 3)
    done = undo.run(life.target, life.now, 2)

    assert done.is_exact
    # And the undo of the later one cannot be undone alone: what it rests on is gone.
    with pytest.raises(UserError, match="Later changes rest on"):
        undo.run(life.target, life.now, 4)


_TABLE = "| who | what |\n|---|---|\n| Ada | cat |\n\n    indented\n\n```sh\n- no line\n```"
_BEFORE = {
    "no file": None,
    "empty": b"",
    "text": b"# Memory\n\nMine.",
    "a list of mine": b"# M\n\n## Observations\n\n- Ada is the cat\n-  two  \n\n\n- three\n\n## Next\nmore",
    "a list at the end": b"## Observations\r\n- Ada is the cat",
    "a table": f"# M\n\n## Observations\n\n{_TABLE}\n\n## Next\nmore\n".encode(),
    "a table at the end": f"## Observations\n{_TABLE}".encode(),
    "bytes": b"# \xff\r\n## Observations\r\n> quoted \xfe\r\n\r\n",
}


def _first_write(tmp_path, before):
    place = Place(tmp_path / "machine")
    place.say(_said(0))
    if before is not None:
        place.memory.write_bytes(before)
    assert place.run("observe", "--yes", "--now").code == 0
    return place


@pytest.mark.parametrize("before", _BEFORE.values(), ids=_BEFORE.keys())
def test_the_undo_of_the_first_write_leaves_the_file_as_it_was_to_the_byte(tmp_path, before):
    place = _first_write(tmp_path, before)

    shown = place.run("undo", "--dry-run", now=_at(20))
    undone = place.run("undo", now=_at(20))
    place.say(_said(1))
    later = place.run("observe", "--now", now=_at(21))

    assert (shown.code, undone.code, later.code) == (0, 0, 0), undone
    assert "the section is taken out" in undone.out
    assert (place.memory.read_bytes() if place.memory.exists() else None) == before
    assert "stays removed" in later.out


def test_after_the_undo_of_the_first_write_a_section_comes_back_at_a_word_and_so_do_its_lines(tmp_path):
    place = _first_write(tmp_path, b"# Memory\n\n## Observations\n- Ada is the cat\n")
    first = place.section()
    place.run("undo", now=_at(20))

    assert place.run("undo", "2", now=_at(21)).code == 4
    place.run("init", "--yes", now=_at(22))
    assert place.run("undo", "2", now=_at(23)).code == 0

    assert place.section() == first


@pytest.mark.parametrize("name", ["no file", "text", "a table"])
def test_a_section_that_was_asked_for_again_comes_with_the_next_note(tmp_path, name):
    place = _first_write(tmp_path, _BEFORE[name])
    place.run("undo", now=_at(20))

    place.run("init", "--yes", now=_at(21))
    idle = place.run("observe", "--now", now=_at(22))
    place.say(_said(1))
    noted = place.run("observe", "--now", now=_at(23))

    assert "stays removed" not in idle.out
    assert "section written" in noted.out


@pytest.mark.parametrize("name", ["no file", "text", "a table"])
def test_what_the_undo_of_the_first_write_says_brings_all_of_it_back(tmp_path, name):
    place = _first_write(tmp_path, _BEFORE[name])
    first = place.section()
    undone = place.run("undo", now=_at(20))

    place.run("init", "--yes", now=_at(21))
    again = place.run("undo", "2", now=_at(22))

    assert "scrimshaw init, and then, with what stood in it: scrimshaw undo 2" in undone.out
    assert again.code == 0
    assert place.section() == first


def test_a_section_that_was_asked_for_again_and_taken_out_once_more_stays_out(tmp_path):
    place = _first_write(tmp_path, b"# Memory\n")
    place.run("undo", now=_at(20))
    place.run("init", "--yes", now=_at(21))
    place.run("undo", "2", now=_at(22))
    written = place.memory.read_text()
    place.memory.write_text("# Memory\n")

    answer = place.run("observe", "--now", now=_at(23))

    assert "scrimshaw:begin" in written
    assert "stays removed" in answer.out


def test_an_undo_does_not_tell_of_lines_that_were_only_found_by_a_search(place):
    place.run("search", "--all", "what was said", now=_at(12))
    place.run("observe", "--now", now=_at(13))
    place.say(_said(8))
    place.run("observe", "--now", now=_at(14))

    undone = place.run("undo", "--dry-run", now=_at(15))

    assert "No longer noted" in undone.out
    assert "as before" not in undone.out


def test_a_table_of_mine_is_one_row_wherever_lines_are_listed(tmp_path):
    place = _first_write(tmp_path, f"## Observations\n{_TABLE}\n".encode())

    listed = [place.run(*asked, now=_at(20)).out for asked in (("timeline",), ("search", "Ada"), ("undo",))]

    assert all("| who | what | |---|---| | Ada | cat |" in out for out in listed), listed
    assert not any(row.startswith("|") for out in listed for row in out.splitlines())


def test_the_first_write_is_undone_after_the_later_ones(place):
    before = "# Memory\n\nMine.\n"
    refused = place.run("undo", "1", now=_at(12))
    place.run("undo", now=_at(13))
    undone = place.run("undo", now=_at(14))

    assert (refused.code, undone.code) == (4, 0)
    assert "undo those first: scrimshaw undo 2" in " ".join(refused.err.split())
    assert place.memory.read_text() == before


def test_what_was_written_around_the_first_section_since_stays_when_that_is_undone(tmp_path):
    place = _first_write(tmp_path, b"# Memory\n\n## Observations\n- Ada is the cat\n\n## Next\n")
    place.memory.write_bytes(b"top\n" + place.memory.read_bytes() + b"tail\n")

    place.run("undo", now=_at(20))

    expected = b"top\n# Memory\n\n## Observations\n- Ada is the cat\n\n## Next\ntail\n"
    assert place.memory.read_bytes() == expected


def test_the_first_write_is_not_undone_when_the_list_it_replaced_is_lost(tmp_path):
    place = _first_write(tmp_path, b"## Observations\n- Ada is the cat\n")
    for copy in (place.workspace / ".scrimshaw" / "backups").iterdir():
        copy.unlink()
    before = place.memory.read_bytes(), _lines(place)

    answer = place.run("undo", now=_at(20))

    assert answer.code == 4
    assert "the copy of the file as it was is gone" in answer.err
    assert (place.memory.read_bytes(), _lines(place)) == before


@pytest.mark.parametrize(("own", "code"), [("- Ada is the cat\n", 4), ("", 0)])
def test_a_first_write_of_an_earlier_release_takes_no_list_along(tmp_path, own, code):
    place = _first_write(tmp_path, f"# Mine\n\n## Observations\n{own}".encode())
    with place.ledger() as ledger:
        key = next(key for key in ledger.meta() if key.startswith("stood before"))
    with contextlib.closing(sqlite3.connect(place.workspace / ".scrimshaw" / "ledger.sqlite")) as database:
        database.execute("delete from meta where key = ?", (key,))
        database.commit()
    before = place.memory.read_bytes()

    answer = place.run("undo", now=_at(20))

    assert answer.code == code, answer
    assert (place.memory.read_bytes() == before) is (code == 4)
    assert own in place.memory.read_text()


def test_the_first_write_is_undone_whatever_a_formatter_did_to_the_markers(tmp_path):
    before = "```\n<!-- scrimshaw:begin -->\n```\n\n## Observations\n- Ada is the cat\n"
    place = _first_write(tmp_path, before.encode())
    fence, mark, section = place.memory.read_text().rpartition("<!-- scrimshaw:begin -->")
    place.memory.write_text(fence + mark.replace(" ", "") + section)

    answer = place.run("undo", now=_at(20))

    assert answer.code == 0, answer
    assert place.memory.read_text() == before


def test_what_somebody_writes_while_a_file_of_ours_is_taken_away_stays(tmp_path, monkeypatch):
    place = _first_write(tmp_path, None)
    settle = Ledger.settle_revision

    def settle_while_somebody_writes(self, number, state):
        settle(self, number, state)
        place.memory.write_text("Mine.\n")

    monkeypatch.setattr(Ledger, "settle_revision", settle_while_somebody_writes)

    assert place.run("undo", now=_at(20)).code == 0
    assert place.memory.read_text() == "Mine.\n"


def test_a_section_kept_aside_is_undone_where_it_is_kept(place):
    first = None
    with place.ledger() as ledger:
        first = ledger.past.revision(1).body
    place.record("agent")
    memory = place.memory.read_bytes()

    answer = place.run("undo", now=_at(12))

    assert answer.code == 0, answer
    assert place.memory.read_bytes() == memory
    aside = (place.workspace / "memory" / "observations" / "MEMORY.md").read_text()
    assert f"-->\n{first}\n<!--" in aside


def test_damaged_markers_refuse_before_anything_is_undone(place):
    place.memory.write_text(place.memory.read_text() + "\n<!-- scrimshaw:begin -->\n")
    before = _lines(place)

    answer = place.run("undo", now=_at(12))

    assert answer.code == 4
    assert _lines(place) == before


def test_many_lines_gone_at_once_are_asked_about_first(place):
    text = place.memory.read_text().splitlines(keepends=True)
    place.memory.write_text("".join(line for line in text if "unit-" not in line))

    answer = place.run("undo", now=_at(12))

    assert answer.code == 4
    assert "accept-edits" in answer.err


def test_an_agents_shell_may_look_and_not_undo(place):
    before = place.memory.read_bytes()
    place.take_turn()

    looked = place.run("undo", "--dry-run", now=_at(12), env=EXEC)
    undone = place.run("undo", now=_at(12), env=EXEC)

    assert (looked.code, undone.code) == (0, 4)
    assert place.memory.read_bytes() == before


def test_a_dry_run_leaves_every_file_as_it_is(place):
    before = place.everything_written()

    answer = place.run("undo", "--dry-run", now=_at(12))

    assert "-- 🟡" in answer.out
    assert place.everything_written() == before


def test_what_was_undone_is_marked_in_the_dated_file_and_the_mark_goes_with_the_undo_of_it(place):
    place.run("undo", now=_at(12))
    undone = place.dated()
    place.run("undo", "3", now=_at(13))

    assert undone.count("(removed 2026-11-20)") == 2
    assert "(removed" not in place.dated()


def test_what_was_undone_stays_out_when_a_run_says_it_again_and_not_when_the_person_does(place):
    place.run("undo", now=_at(12))
    with place.ledger() as ledger:
        gone = next(o for o, s in ledger.all_lines() if s.closed is Closed.UNDONE)
        by_tool = observation(901, text=gone.text, claim=gone.claim, speaker="assistant")
        later = int(datetime(2026, 11, 21, tzinfo=UTC).timestamp() * 1000)
        by_person = observation(902, text=gone.text, claim=gone.claim, said_at_ms=later)

        barred, passed = ledger.tombstoned(by_tool), ledger.tombstoned(by_person)

    assert barred is not None
    assert passed is None


def test_what_a_reflection_merged_and_a_person_got_back_no_reflection_merges_again():
    life = Life()
    at_ms = milliseconds(life.now)
    told = "The depot Aral keeps seven grey cranes in the old yard behind its hall"
    same = [observation(n, id=f"{n:06x}", text=told, said_at_ms=at_ms + n, zone="UTC") for n in (50, 51)]
    with open_ledger(life.target.layout.ledger, create=False) as ledger:
        ledger.accept(Batch("run", at_ms, observations=tuple(same)))
        life.publishes(ledger)
        before = life.stood[-1].body
    life.does("reflects", 0)
    with open_ledger(life.target.layout.ledger, create=False) as ledger:
        merged = [s.closed for o, s in ledger.all_lines() if o.text == told]

    undo.run(life.target, life.now)
    life.does("reflects", 0)

    assert Closed.MERGED in merged
    assert life.machine.section().strip() == before.strip()


def test_json_names_what_stands_against_it(place):
    answer = place.run("undo", "1", "--json", now=_at(12))

    assert answer.code == json.loads(answer.out)["exit_code"] == 4


def test_a_spelled_standing_reads_back_and_foreign_words_change_nothing():
    standing = Standing(Part.OPEN, Closed.MERGED, "o2", 7, False, True, True, True, 2, 3, True, True)
    one = observation(1)
    event = Event(EventType.SET_BACK, one.id, 9, "person", reason=spell(standing))

    assert standing_in_words(spell(standing)) == standing
    assert replay(one, [event]) == standing
    deep = "[" * 100_000
    for words in (
        "",
        "[forgotten]",
        "[]",
        "{}",
        '{"place": "x"}',
        '{"place": "log", "is_shown": "no"}',
        "{",
        deep,
    ):
        assert standing_in_words(words) is None
        assert replay(one, [Event(EventType.SET_BACK, one.id, 9, "person", reason=words)]) == replay(one, [])


def test_what_keeps_a_line_out_goes_with_the_undo_of_its_undo(place):
    def is_barred() -> bool:
        with place.ledger() as ledger:
            one = next(o for o, _ in ledger.all_lines() if "unit-3x" in o.text)
            return ledger.tombstoned(observation(903, text=one.text, speaker="assistant")) is not None

    place.run("undo", now=_at(12))
    undone = is_barred()
    place.run("undo", "3", now=_at(13))

    assert undone
    assert not is_barred()


def test_a_deletion_by_hand_that_was_undone_counts_again_with_the_undo_of_that(place):
    text = place.memory.read_text().splitlines(keepends=True)
    place.memory.write_text("".join(line for line in text if "unit-0x" not in line))
    place.run("observe", "--now", now=_at(12))

    place.run("undo", "3", now=_at(13))
    back = place.section()
    place.run("undo", "4", now=_at(14))
    with place.ledger() as ledger:
        one = next(o for o, _ in ledger.all_lines() if "unit-0x" in o.text)
        stone = ledger.tombstoned(observation(904, text=one.text, speaker="assistant"))

    assert "unit-0x" in back
    assert "unit-0x" not in place.section()
    assert stone is not None


def test_what_was_forgotten_in_a_revision_refuses_its_undo(place):
    place.run("forget", "unit-3x", "--yes", now=_at(12))
    before = _lines(place)

    answer = place.run("undo", now=_at(13))

    assert answer.code == 4
    assert "cannot be undone" in answer.err
    assert _lines(place) == before


def test_no_undo_merges_a_line_into_one_that_was_forgotten(place):
    """A merge that is undone, then forgotten what it made, and then the undo undone: the rest holds."""
    path = place.workspace / ".scrimshaw" / "ledger.sqlite"
    with open_ledger(path, create=False) as ledger:
        one, other = (line.observation for line in ledger.live_lines()[:2])
        made = observation(9, text="Both units run releases", supports=(one.id, other.id))
        at_ms = milliseconds(datetime(2026, 11, 20, 12, tzinfo=UTC))
        ledger.accept(Batch(run_id="merging", at_ms=at_ms, observations=(made,)))
        ledger.append([Event(EventType.MERGED, gone.id, at_ms, "merging", made.id) for gone in (one, other)])
    place.run("observe", now=_at(12))
    assert place.run("undo", now=_at(13)).code == 0
    with open_ledger(path, create=False) as ledger:
        undone_by = ledger.past.stretches()[-1].number
    place.run("forget", "Both units run releases", "--yes", now=_at(14))

    place.run("undo", str(undone_by), now=_at(15))

    lines = _lines(place)
    assert lines[one.text].is_live
    assert lines[other.text].is_live


def test_an_import_that_brings_a_line_forgotten_elsewhere_can_be_undone(place):
    at_ms = milliseconds(datetime(2026, 11, 20, 12, tzinfo=UTC))
    with place.ledger() as ledger:
        made = {"said_at_ms": at_ms, "local_date": "2026-11-20", "zone": "UTC"}
        came = [observation(7, text="It came along", **made), observation(8, text="[forgotten]", **made)]
        ledger.accept(Batch(run_id="import", at_ms=at_ms, observations=tuple(came)))
        ledger.append([Event(EventType.FORGOTTEN, came[1].id, at_ms, "person")])
    place.run("observe", now=_at(12))

    answer = place.run("undo", now=_at(13))

    assert answer.code == 0
    assert _lines(place)["It came along"].closed is Closed.UNDONE
    assert _lines(place)["[forgotten]"].closed is Closed.FORGOTTEN
