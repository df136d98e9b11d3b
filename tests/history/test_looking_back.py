"""log, diff, as-of, timeline and why, as they are typed."""

from datetime import datetime

import pytest
from tests.places import Place
from tests.shell.made import observation
from tests.support.prepared import Prepared

from scrimshaw.core.ledger.lifecycle import at_birth, lines_known_at
from scrimshaw.core.section.render import preamble
from scrimshaw.core.types import Closed, Event, EventType, Line
from scrimshaw.services.history.revisions import changed, known_at
from scrimshaw.store.ledger import open_ledger
from scrimshaw.store.records import Batch, Revision, RevisionState


def _at(hour: int, day: int = 20) -> str:
    return f"2026-11-{day}T{hour:02}:00:00+00:00"


def _said(number: int) -> tuple[str, str]:
    return (f"We decided that unit-{number}x runs release {number}.4.1 in production.", "Noted.")


def _begun(place: Place) -> None:
    """One decision noted on the 18th, one on the 20th."""
    place.memory.write_text("# Memory\n\nMine.\n")
    place.say(_said(0))
    place.run("observe", "--yes", "--now", now=_at(10, 18))
    place.say(_said(1))
    place.run("observe", "--now", now=_at(11))


@pytest.fixture
def place(prepared: Prepared) -> Place:
    return prepared(_begun)


def _ledger(place: Place, **how):
    return open_ledger(place.workspace / ".scrimshaw" / "ledger.sqlite", create=False, **how)


def test_log_says_when_why_and_how_much(place):
    place.run("undo", now=_at(12))

    rows = place.run("log", now=_at(13)).out.splitlines()[1:4]

    assert [row.split()[0] for row in rows] == ["3", "2", "1"]
    assert "2026-11-20 12:00  lines +0 -1" in rows[0]
    assert rows[0].endswith("an undo of 2")
    assert rows[1].endswith("scrimshaw observe, noted by rules; undone by 3")


def test_log_counts_against_the_revision_before_also_at_its_limit(place):
    found = place.run("log", "--limit", "1", "--json").object["revisions"]

    assert [(one["number"], one["added"], one["removed"]) for one in found] == [(2, 1, 0)]


def test_diff_shows_what_the_newest_or_a_named_revision_changed(place):
    newest, first = place.run("diff", now=_at(12)), place.run("diff", "1", now=_at(12))

    assert "+- 🟡 We decided that unit-1x" in newest.out
    assert "unit-0x" not in newest.out.replace(" - 🔴 We decided that unit-0x", "")
    assert "+- 🔴 We decided that unit-0x" in first.out
    assert "no section" in first.out


def test_diff_takes_times_and_says_when_nothing_differs(place):
    across = place.run("diff", "yesterday", "now", now=_at(12))
    same = place.run("diff", "2", "now", now=_at(12))

    assert "--- revision 1 (2026-11-18 10:00)" in across.out
    assert same.out.startswith("Nothing differs between")


@pytest.mark.parametrize("typed", [["9"], ["soon"], ["1", "2", "3"], ["2026-11-01"]])
def test_diff_refuses_what_names_no_revision(place, typed):
    answer = place.run("diff", *typed, now=_at(12))

    assert answer.code == 2


def test_as_of_prints_the_body_and_nothing_else_on_standard_output(place):
    with _ledger(place, read_only=True) as ledger:
        bodies = [ledger.past.revision(number).body for number in (1, 2)]

    answers = [place.run("as-of", typed, now=_at(12)) for typed in ("yesterday", "now")]

    assert [answer.out for answer in answers] == [f"{body}\n" for body in bodies]


def test_as_of_before_anything_was_written_says_so_and_prints_nothing(place):
    answer = place.run("as-of", "2026-11-17", now=_at(12))

    assert (answer.code, answer.out) == (0, "")
    assert "Nothing had been written" in answer.err
    assert "the first revision is of 2026-" in answer.err


def test_as_of_knows_that_the_person_had_taken_the_section_out(place):
    place.memory.write_text("# Memory\n\nMine.\n")
    place.run("observe", "--now", now=_at(13))
    place.run("init", "--yes", now=_at(15))

    gone, back = place.run("as-of", "14:00", now=_at(16)), place.run("as-of", "now", now=_at(16))

    assert gone.out == ""
    assert "taken out" in gone.err
    assert "unit-1x" in back.out


def _later(place: Place, days: float, number: int) -> None:
    """Say what unit *number* runs, so many days after what was said before."""
    place.session.at_ms += int(days * 86_400_000)
    place.say(_said(number))


def test_as_of_search_answers_from_what_had_been_said_by_then(place):
    _later(place, 3, 2)  # the 19th
    place.run("observe", "--now", now=_at(12))

    then = place.run("as-of", "2026-11-18", "--search", "which release runs on unit-2x?", now=_at(13))
    now = place.run("as-of", "now", "--search", "which release runs on unit-2x?", now=_at(13))

    assert "unit-2x" not in then.out
    assert "unit-2x" in now.out.splitlines()[1]


def test_a_new_installation_knows_what_was_said_before_it(tmp_path):
    place = Place(tmp_path / "machine")
    place.say(_said(0))  # on the 16th
    place.run("observe", "--yes", "--now", now=_at(10))

    known = place.run("as-of", "2026-11-17", "--search", "unit-0x release", now=_at(11))
    section = place.run("as-of", "2026-11-17", now=_at(11))
    before = place.run("as-of", "2026-11-10", "--search", "unit-0x release", now=_at(11))

    assert "unit-0x" in known.out.splitlines()[1]
    assert "said by then" in known.out.splitlines()[0]
    assert section.out == ""
    assert "the first revision is of 2026-11-20" in section.err
    assert "--search" in section.err
    assert "the first of it is of 2026-11-16" in before.out


def test_the_two_questions_are_told_apart_for_a_program_too(place):
    section = place.run("as-of", "now", "--json", now=_at(12)).object
    known = place.run("as-of", "now", "--search", "unit-0x", "--json", now=_at(12)).object

    assert (section["answers"], known["answers"]) == ("section", "known")


def test_what_an_import_brings_of_old_is_known_from_when_it_was_said(place):
    with _ledger(place) as ledger:
        long_ago = _ms(_at(9, 10))
        old = observation(7, text="unit-7x ran release 7.4.1", said_at_ms=long_ago, zone="UTC")
        ledger.accept(Batch(run_id="import", at_ms=_ms(_at(11)), observations=(old,)))

    found = place.run("as-of", "2026-11-12", "--search", "unit-0x unit-7x release", "--json", now=_at(12))

    assert [hit["text"] for hit in found.object["hits"]] == ["unit-7x ran release 7.4.1"]


def test_as_of_search_shows_a_line_as_it_stood_then(place):
    with _ledger(place) as ledger:
        first = ledger.all_lines()[0].observation.id
        ledger.append([Event(EventType.WITHDRAWN, first, 1_795_190_400_000, "run")])  # the 20th, 16:00

    then = place.run("as-of", "15:00", "--search", "unit-0x", "--json", now=_at(18)).object["hits"]
    now = place.run("as-of", "17:00", "--search", "unit-0x", "--json", now=_at(18)).object["hits"]

    assert [hit["closed"] for hit in then] == [None, None][: len(then)]
    assert next(hit for hit in now if "unit-0x" in hit["text"])["closed"] == "withdrawn"


def test_a_line_is_replaced_from_when_the_word_that_replaces_it_was_said():
    old, new = _line(1, 10), _line(2, 20)
    events = [_noted(1, 90), _noted(2, 90), Event(EventType.SUPERSEDED, "o1", 90, "r", "o2")]

    then = lines_known_at({"o1": old, "o2": new}, events, 15)
    later = lines_known_at({"o1": old, "o2": new}, events, 20)

    assert [(one.observation.id, one.standing.is_live) for one in then] == [("o1", True)]
    assert [(one.observation.id, one.standing.is_live) for one in later] == [("o1", False), ("o2", True)]


def test_a_rewording_by_hand_is_known_from_when_it_was_written():
    old, new = _line(1, 10), _line(2, 10)  # it carries the day of the words that it changed
    events = [_noted(1, 12), Event(EventType.EDITED, "o1", 50, "person", "o2"), _noted(2, 50)]

    then = lines_known_at({"o1": old, "o2": new}, events, 49)
    later = lines_known_at({"o1": old, "o2": new}, events, 50)

    assert [(one.observation.id, one.standing.is_live) for one in then] == [("o1", True)]
    assert [(one.observation.id, one.standing.is_live) for one in later] == [("o1", False), ("o2", True)]


def test_known_of_now_is_the_standing_of_today_and_nothing_forgotten(place):
    place.run("add", "The garage code is on the fridge", "--now", now=_at(12))
    place.memory.write_text(place.memory.read_text().replace("on the fridge", "in the drawer"))
    place.run("undo", "2", now=_at(13))
    place.run("forget", "unit-0x", "--yes", now=_at(14))

    with _ledger(place, read_only=True) as ledger:
        now = {line.observation.id: line.standing for line in known_at(ledger, _ms(_at(15)))}
        today = {
            line.observation.id: line.standing
            for line in ledger.all_lines()
            if line.standing.closed is not Closed.FORGOTTEN
        }

    assert len(today) > 2
    assert now == today


def _line(number: int, said_at_ms: int) -> Line:
    made = observation(number, said_at_ms=said_at_ms)
    return Line(made, at_birth(made))


def _noted(number: int, at_ms: int) -> Event:
    return Event(EventType.OBSERVED, f"o{number}", at_ms, "r")


def _ms(moment: str) -> int:
    return int(datetime.fromisoformat(moment).timestamp() * 1000)


def test_as_of_reads_one_body_whatever_the_number_of_revisions_and_finds_it_in_the_index_of_times(place):
    begin = 1_795_200_000_000
    with _ledger(place) as ledger, ledger.transaction():
        for number in range(60):
            row = Revision(0, begin + number, "run", "observe", "MEMORY.md", f"No {number}", 0, 2, (), "")
            ledger.add_revision(Revision(**{**_fields(row), "state": RevisionState.WRITTEN}))

    with _ledger(place, read_only=True) as ledger:
        connection = ledger._db._connection
        for number in (0, 1, 30, 58):
            asked = []
            connection.set_trace_callback(asked.append)
            found = ledger.past.revision_at(begin + number)
            connection.set_trace_callback(None)

            assert found.body == f"No {number}"
            assert len(asked) == 2, asked
            for question, index in zip(
                asked, ("COVERING INDEX revision_by_time", "PRIMARY KEY"), strict=True
            ):
                [plan] = connection.execute(f"explain query plan {question}").fetchall()
                assert index in plan[-1]


def _fields(row: Revision) -> dict:
    return {name: getattr(row, name) for name in row.__dataclass_fields__}


def test_timeline_goes_day_by_day_and_says_what_became_of_a_line(place):
    place.run("undo", now=_at(12))

    answer = place.run("timeline", "--from", "2026-11-01", now=_at(13))

    lines = answer.out.splitlines()
    assert lines[1] == "2026-11-16"
    assert "unit-0x" in lines[2]
    assert "(undone)" in lines[3]


def test_timeline_takes_a_span_and_refuses_one_that_is_turned_around(place):
    empty = place.run("timeline", "--from", "2026-11-01", "--to", "2026-11-02", now=_at(12))
    turned = place.run("timeline", "--from", "today", "--to", "yesterday", now=_at(12))

    assert "Nothing was noted then" in empty.out
    assert turned.code == 2


def test_why_shows_the_message_the_run_and_what_was_checked(place):
    answer = place.run("why", "unit-1x runs", now=_at(12))

    assert "noted by the rules (run 20261120T110000-" in answer.out
    assert "  the person  [" in answer.out
    assert "      We decided that unit-1x runs release 1.4.1 in production." in answer.out
    assert "was found in these messages" in answer.out
    assert "noted  (revision 2)" in answer.out


def test_why_says_that_a_conversation_is_gone(place):
    for path in place.store.glob("*.jsonl"):
        path.unlink()

    answer = place.run("why", "unit-1x runs", now=_at(12))

    assert answer.code == 0
    assert "the conversation is gone" in answer.out


def test_why_shows_no_secret_of_a_message(place):
    secret = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    place.say((f"The deploy of unit-7x wants the token {secret}", "Noted."))
    session = place.session
    noted = observation(7, text="unit-7x", session_id=session.session_id, sources=(session.events[-2]["id"],))
    with _ledger(place) as ledger:
        ledger.accept(Batch("run", 1, observations=(noted,)))

    answer = place.run("why", "unit-7x", "--json")

    assert "deploy of unit-7x" in answer.object["sources"][0]["text"]
    assert secret not in answer.out


def test_why_tells_messages_in_the_order_of_the_conversation(place):
    session = place.session
    place.say(("Deploy unit-7x, please.", "On it."))
    session.tool("exec", {"command": "deploy unit-7x"}, "unit-7x is up")
    place.save()
    ids = [event["id"] for event in session.events[-4:]]
    noted = observation(7, text="unit-7x", session_id=session.session_id, sources=(ids[3], ids[0], ids[2]))
    with _ledger(place) as ledger:
        ledger.accept(Batch("run", 1, observations=(noted,)))

    answer = place.run("why", "unit-7x", "--json")

    assert [source["entry_id"] for source in answer.object["sources"]] == [ids[0], ids[2], ids[3]]


def test_why_of_a_persons_own_line_says_that_it_was_not_checked(place):
    place.run("add", "The garage code is on the fridge", "--now", now=_at(12))

    answer = place.run("why", "garage code", now=_at(13))

    assert "your own words: not checked" in answer.out


def test_why_asks_which_line_is_meant_and_tells_when_there_is_none(place):
    several, none = place.run("why", "in production", now=_at(12)), place.run("why", "zebra", now=_at(12))

    assert (several.code, none.code) == (2, 2)
    assert several.err.count("unit-") == 2


def test_looking_back_changes_no_file(place):
    before = place.everything_written()

    for typed in (["log"], ["diff"], ["as-of", "now"], ["as-of", "now", "--search", "unit"], ["timeline"]):
        assert place.run(*typed, now=_at(12)).code == 0
    assert place.run("why", "unit-1x runs", now=_at(12)).code == 0

    assert place.everything_written() == before


@pytest.mark.parametrize("verb", ["log", "diff", "timeline", "undo"])
def test_without_a_memory_each_says_what_to_do_first(tmp_path, verb):
    place = Place(tmp_path / "machine")

    answer = place.run(verb)

    assert answer.code == 1
    assert "scrimshaw init" in answer.err


def test_changed_lines_are_counted_by_their_words():
    body = preamble("UTC") + "\n\n### Standing\n- one\n- two\n- two\n"

    assert changed("", body) == (3, 0)
    assert changed(body, body.replace("- two\n- two\n", "- two\n- three\n")) == (1, 1)


def test_log_counts_what_moved_and_undo_tells_a_line_once(place):
    pinned = place.run("pin", "unit-1x", "--now", now=_at(12))
    row = place.run("log", now=_at(13)).out.splitlines()[1]
    undone = place.run("undo", now=_at(14))

    assert pinned.code == 0
    assert "lines +0 -0, 1 moved" in row
    assert place.run("log", "--json", now=_at(15)).object["revisions"][1]["moved"] == 1
    assert [line for line in undone.out.splitlines() if "unit-1x" in line] == [
        "    We decided that unit-1x runs release 1.4.1 in production. (your own doing)"
    ]


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("as-of", "rubbish"), "DATE: 'rubbish' is not a date that can be read"),
        (("as-of", "rubbish", "--search", "unit"), "DATE: 'rubbish' is not a date that can be read"),
        (("diff", "rubbish"), "'rubbish' is not a date that can be read"),
        (("timeline", "--from", "rubbish"), "--from: 'rubbish' is not a date that can be read"),
        (("timeline", "--to", "rubbish"), "--to: 'rubbish' is not a date that can be read"),
        (("search", "unit", "--to", "rubbish"), "--to: 'rubbish' is not a date that can be read"),
        (("forget", "--before", "rubbish"), "--before: 'rubbish' is not a date that can be read"),
        (("observe", "--since", "rubbish"), "--since: 'rubbish' is not a date that can be read"),
        (("spend", "--since", "rubbish"), "--since: 'rubbish' is not a date that can be read"),
    ],
)
def test_what_is_no_date_is_refused_in_one_way_with_a_date_as_an_example(place, words, told):
    answer = place.run(*words)

    assert answer.code == 2
    assert told in answer.err
    assert "write 2026-11-03" in answer.err or "write it like 2026-11-20" in answer.err
    assert ". Nothing was " in answer.err
    assert "\nNext: " in answer.err


def test_a_program_is_told_the_next_step_of_what_is_no_date(place):
    for words in (("as-of", "rubbish"), ("diff", "rubbish")):
        assert place.run(*words, "--json").object["next_step"]


@pytest.mark.parametrize("said", ["abc", "1.5", "2026-11-20"])
def test_what_is_no_number_of_a_revision_undoes_nothing_and_says_where_the_numbers_are(place, said):
    answer = place.run("undo", said)

    assert answer.code == 2
    assert f"'{said}' is no revision: each has a number. Nothing was undone." in answer.err
    assert "log lists them" in answer.err
    assert place.run("undo", "7").err.startswith("There is no revision 7. Nothing was undone.")
    assert place.run("undo", "#2").code == 0
