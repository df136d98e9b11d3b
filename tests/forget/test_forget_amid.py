"""Rule 21 amid an ordinary day: other verbs after a kill, odd words, copies left behind."""

import tempfile
from dataclasses import replace
from datetime import datetime
from pathlib import Path

import pytest
from tests.forget.test_forget import lines_of
from tests.forget.traces import ADDRESS, KEPT, SECRET, holding, told_secret
from tests.places import Place
from tests.support.prepared import Prepared

from scrimshaw.core.ledger.lifecycle import spell
from scrimshaw.core.types import Claim, Event, EventType
from scrimshaw.errors import UserError
from scrimshaw.services.edit import forget, forget_files
from scrimshaw.store.forgetting import ForgetSelection
from scrimshaw.store.ledger import copy_ledger
from scrimshaw.store.records import Batch

LATER = "2026-11-21T09:00:00+00:00"
EVENING = "2026-11-21T19:00:00+00:00"


def _begun(place: Place) -> None:
    told_secret(place)


@pytest.fixture
def place(prepared: Prepared) -> Place:
    return prepared(_begun)


def begin(place, words=SECRET):
    """Do what a forgetting that is killed early leaves: the ledger has begun, MEMORY.md holds the words."""
    with place.ledger() as ledger:
        gone = [o for o, _ in ledger.all_lines() if words in o.text]
        chosen = ForgetSelection(frozenset(o.id for o in gone), forget_files.row_traces_of(gone))
        ledger.forgetting.begin(chosen, at_ms=ledger_time(LATER), by="person")


def ledger_time(moment):
    return int(datetime.fromisoformat(moment).timestamp() * 1000)


@pytest.mark.parametrize("verb", ["undo", "reflect", "publish"])
def test_what_a_killed_forgetting_left_in_memory_is_no_line_that_a_person_wrote(place, verb):
    place.say(("We decided that unit-9x runs release 9.4.1 in production.", "Noted."))
    place.run("observe", now=LATER)
    begin(place)

    place.run("observe" if verb == "publish" else verb, now=EVENING)

    assert holding(place.workspace, SECRET, ADDRESS) == []
    assert not [line for text, line in lines_of(place).items() if SECRET in text]


def test_a_rehearsal_that_was_killed_leaves_no_ledger_behind(place, tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    folder = tempfile.mkdtemp(prefix=place.target().layout.rehearsal_prefix)
    foreign = tempfile.mkdtemp(prefix="scrimshaw-rehearsal-")
    for one in (folder, foreign):
        copy_ledger(place.workspace / ".scrimshaw" / "ledger.sqlite", Path(one) / "ledger.sqlite")

    place.run("forget", SECRET, "--yes")

    assert not Path(folder).exists()
    assert Path(foreign).exists()


@pytest.mark.parametrize("words", ["files", "space", "main", "command", "UTC"])
def test_words_that_the_ledger_s_own_notes_read_like_spoil_none_of_them(place, words):
    place.memory.write_text(place.memory.read_text().replace("### Standing\n", f"### Standing\n- {words}\n"))
    place.run("observe", now=LATER)

    answer = place.run("forget", words, "--yes", now=EVENING)

    assert answer.code == 0
    assert words not in lines_of(place)
    assert place.run("observe", now=EVENING).code == 0
    assert place.run("status", now=EVENING).code == 0
    with place.ledger() as ledger:
        assert ledger.forgetting.stage() is None
        assert ledger.check() == []


def test_a_standing_that_an_undo_spelled_out_is_no_word_of_anybody_s(place):
    with place.ledger() as ledger:
        line = next(line for line in ledger.live_lines() if KEPT in line.observation.text)
        back = Event(EventType.SET_BACK, line.observation.id, 1, "person", "", spell(line.standing))
        ledger.append([back])
    words = spell(line.standing)[1:-1]
    place.run("add", words, "--yes", now=LATER)

    place.run("forget", words, "--yes", now=EVENING)

    with place.ledger() as ledger:
        assert back in [stored.event for stored in ledger.events_since(0)]


def test_a_claim_over_another_line_s_grave_goes_too(place):
    with place.ledger() as ledger:
        one = next(line.observation for line in ledger.all_lines() if SECRET in line.observation.text)
        elsewhere = replace(one, id="e" * 24, text="Of another chat", session_id="another", claim=None)
        after = one.said_at_ms + 1
        claim = Claim("margarethe", "lives at", "vermilion crescent")
        merged = replace(one, id="f" * 24, text="She lives in that street", claim=claim)
        ledger.accept(Batch(run_id="r", at_ms=after, observations=(elsewhere, merged)))
        ledger.append([Event(EventType.MERGED, merged.id, after, "r", elsewhere.id)])
        ledger.append([Event(EventType.DELETED, elsewhere.id, after, "person")])
        assert ledger.tombstoned(merged) is not None

    place.run("forget", "--session", one.session_id, "--yes", now=LATER)

    assert holding(place.workspace, "vermilion crescent") == []
    with place.ledger() as ledger:
        assert ledger.tombstoned(merged) is not None


def test_what_is_noted_between_the_look_and_the_act_is_looked_at_again(place):
    target, now = place.target(), datetime.fromisoformat(LATER)
    with place.ledger() as ledger:
        line = next(line.observation for line in ledger.all_lines() if SECRET in line.observation.text)
        wish = forget.Wish(session=line.session_id)
        shown = forget.plan_forgetting(target, ledger, wish)
        more = replace(line, id="d" * 24, text=f"{line.text} And more.", claim=None)
        ledger.accept(Batch(run_id="r", at_ms=1, observations=(more,)))

    with pytest.raises(UserError, match="changed since"):
        forget.forget(shown, now=now, by="person")

    assert len([text for text in lines_of(place) if SECRET in text]) == 2


def test_a_log_too_large_to_be_read_does_not_stop_it(place, monkeypatch):
    log = place.workspace / ".scrimshaw" / "scrimshaw.log.1"
    log.write_text(f"{SECRET}\n" * 10_000)
    monkeypatch.setattr(forget_files, "LARGEST_MEMORY_BYTES", 100_000)

    answer = place.run("forget", SECRET, "--yes")

    assert answer.code == 0
    assert holding(place.workspace, SECRET) == []
