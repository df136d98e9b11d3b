"""`scrimshaw search` and `scrimshaw reindex`, as they are typed."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from tests.places import Answer, Place

from scrimshaw.core.types import EventType
from scrimshaw.index import embedding
from scrimshaw.layout import Layout
from scrimshaw.store.frames import FrameRecord

LATER = "2026-11-20T20:00:00+00:00"
SECRET = "sk-" + "proj-" + "A1b2C3d4E5f6G7h8J9k0L1m2N3p4Q5r6S7t8"


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Place:
    monkeypatch.setattr(embedding, "bundled_folder", lambda: None)
    place = Place(tmp_path / "machine")
    place.say(
        ("We decided to use Postgres 17.2 for the ledger.", "Noted."),
        ("My dentist appointment is on 2026-12-03 at 10:40.", "All right."),
        ("What colour would suit a lighthouse?", "Red and white, like the one at Portland."),
        (f"Our key for the staging server is {SECRET}, and <private>the nurse is Ada</private>.", "Kept."),
    )
    assert place.run("observe", "--yes", "--now").code == 0
    return place


def _texts(answer: object) -> list[str]:
    return [hit["text"] for one in answer["workspaces"] for hit in one["hits"]]  # type: ignore[index]


def test_a_question_finds_its_line_and_says_where_it_stands(place: Place) -> None:
    answer = place.run("search", "When is my dentist appointment?", now=LATER)

    assert answer.code == 0
    first, where = answer.out.splitlines()[1:3]
    assert "dentist appointment" in first
    assert "section; memory/observations/obs-" in where
    assert "score 0." in where or "score 1." in where
    assert "Searched by words alone: no embedding model is installed." in answer.out


def test_that_there_is_no_model_is_said_once_with_the_next_step_and_to_a_program_always(place: Place) -> None:
    outs = [place.run("search", "dentist", now=LATER).out for _ in range(2)]
    told = json.loads(place.run("search", "dentist", "--json", now=LATER).out)

    assert ["no embedding model" in out for out in outs] == [True, False]
    assert "Next: " in outs[0]
    assert any("no embedding model" in note for note in told["notes"])


def test_a_hit_names_the_archive_that_holds_it_while_the_file_is_there(place: Place) -> None:
    before = place.run("search", "dentist", "--json", now=LATER)
    file = place.workspace / "memory" / "episodic" / "main.mv2"
    file.parent.mkdir(parents=True)
    file.write_bytes(b"")
    with place.ledger() as ledger:
        stretch = FrameRecord("mv2://scrimshaw/main/1-9", 1, ledger.version(), 3, 1, "")
        ledger.frames.intend("main.mv2", [stretch], sha256="x", size_bytes=0, at_ms=0)
        ledger.frames.settle("main.mv2")

    archived = place.run("search", "dentist", "--json", now=LATER)
    file.unlink()
    gone = place.run("search", "dentist", "--json", now=LATER)

    def where(answer: Answer) -> list[str]:
        return answer.object["workspaces"][0]["hits"][0]["where"]

    assert where(archived) == [*where(before), "memory/episodic/main.mv2"]
    assert where(gone) == where(before)


def test_several_words_need_no_quotes_and_nothing_found_is_no_error(place: Place) -> None:
    found = place.run("search", "postgres", "ledger", "--mode", "lexical", now=LATER)
    nothing = place.run("search", "zeppelin", now=LATER)

    assert "Postgres 17.2" in found.out
    assert nothing.code == 0
    assert "Nothing found. Try other words, or --transcripts for the messages themselves." in nothing.out


def test_a_memory_in_which_nothing_is_noted_is_told_from_one_that_has_no_answer(tmp_path: Path) -> None:
    fresh = Place(tmp_path / "fresh")
    fresh.run("observe", "--yes")

    told, working = fresh.run("search", "zeppelin").out, fresh.run("search", "zeppelin", "--working").out
    why = fresh.run("why", "zeppelin")

    assert "Nothing found: nothing is noted here yet.\n  Next: scrimshaw observe; whether" in told
    assert "Nothing found. Try other words" in working
    assert "No line says “zeppelin”: nothing is noted here yet.\nNext: scrimshaw observe; whether" in why.err


def test_what_answers_nothing_is_left_out_and_counted_until_all_is_asked_for(place: Place) -> None:
    question = "On which day does the lawyer of my brother appoint the new ledger clerk in Utrecht?"

    told = place.run("search", question, now=LATER)
    some = place.run("search", question, "--json", now=LATER).object["workspaces"][0]
    every = place.run("search", question, "--all", "--json", now=LATER)

    assert told.code == 0
    assert "--all for 2 lines that are only near it" in told.out
    assert (some["hits"], some["left_out"]) == ([], 2)
    assert [one for one in _texts(every.object) if "ledger" in one]


def test_messages_that_share_a_small_word_answer_nothing(place: Place) -> None:
    answer = place.run(
        "search",
        "Which colour has the roof of the town hall of Utrecht?",
        "--transcripts",
        "--json",
        now=LATER,
    )

    assert answer.object["workspaces"][0]["messages"] == []


def test_as_json_it_is_one_object(place: Place) -> None:
    answer = place.run("search", "dentist", "--json", now=LATER)

    hit = answer.object["workspaces"][0]["hits"][0]
    assert "dentist" in hit["text"]
    assert (hit["is_live"], hit["closed"], hit["replaced_by"]) == (True, None, None)
    assert 0 < hit["score"] <= 1
    assert hit["where"][0] == "section"
    assert answer.object["workspaces"][0]["mode"] == "lexical"


def test_dates_are_read_as_people_write_them(place: Place) -> None:
    today = place.run("search", "dentist", "--from", "today", "--json", now=place_day(place))
    before = place.run("search", "dentist", "--to", "3 weeks ago", "--json", now=LATER)
    wrong = place.run("search", "dentist", "--from", "the day of the dinosaurs", now=LATER)
    turned = place.run("search", "dentist", "--from", "2026-11-20", "--to", "2026-11-01", now=LATER)

    assert len(_texts(today.object)) == 1
    assert _texts(before.object) == []
    assert (wrong.code, "--from: " in wrong.err) == (2, True)
    assert (
        turned.code,
        "--to: the beginning, 2026-11-20 00:00, is not before the end, 2026-11-02" in turned.err,
    ) == (2, True)


def place_day(place: Place) -> str:
    """Return the evening of the day on which everything was said."""
    with place.ledger(read_only=True) as ledger:
        day = ledger.all_lines()[0].observation.local_date
    return f"{day}T23:00:00+00:00"


def test_the_first_hits_are_noted_as_recalled_once_a_day(place: Place) -> None:
    for _ in range(2):
        place.run("search", "dentist", now=LATER)
    place.run("search", "dentist", now="2026-11-22T20:00:00+00:00")

    with place.ledger(read_only=True) as ledger:
        events = [stored.event for stored in ledger.events_since(0)]
    assert [one.by for one in events if one.type is EventType.RECALLED] == ["search", "search"]


def test_messages_are_searched_only_when_asked_for_and_without_secrets(place: Place) -> None:
    without = place.run("search", "lighthouse colour portland", "--json", now=LATER)
    messages = place.run("search", "lighthouse colour portland", "--transcripts", "--json", now=LATER)
    secret = place.run("search", "staging server key nurse Ada", "--transcripts", now=LATER)

    assert without.object["workspaces"][0]["messages"] == []
    found = messages.object["workspaces"][0]["messages"]
    assert {one["role"] for one in found} == {"user", "assistant"}
    assert any("Portland" in one["text"] for one in found)
    assert SECRET not in secret.out + secret.err
    assert "the nurse is Ada" not in secret.out
    assert "staging server" in secret.out


def test_all_agents_together_give_no_more_hits_than_were_asked_for(place: Place) -> None:
    other = place.root / "other"
    other.mkdir()
    shutil.copytree(place.state / "agents" / "main", place.state / "agents" / "other")
    agents = [{"id": "main", "workspace": str(place.workspace)}, {"id": "other", "workspace": str(other)}]
    config = {"agents": {"defaults": {"userTimezone": "UTC"}, "list": agents}}
    (place.state / "openclaw.json").write_text(json.dumps(config))
    assert place.run("observe", "--yes", "--now", "--agent", "other").code == 0

    answer = place.run("search", "dentist", "--all-agents", "-n", "1", "--json", now=LATER)

    assert [one["agent"] for one in answer.object["workspaces"]] == ["main", "other"]
    assert len(_texts(answer.object)) == 1


@pytest.mark.parametrize("query", ["", "  ", "?!"])
def test_a_question_without_a_word_is_told(place: Place, query: str) -> None:
    answer = place.run("search", query, now=LATER)

    assert (answer.code, "holds no word" in answer.err) == (2, True)


def test_nothing_is_written_where_nothing_was_set_up(tmp_path: Path) -> None:
    place = Place(tmp_path / "machine")

    answer = place.run("search", "dentist", now=LATER)

    assert answer.code != 0
    assert "scrimshaw init" in answer.err
    assert not (place.workspace / ".scrimshaw").exists()


def test_reindex_brings_the_index_back(place: Place) -> None:
    place.run("search", "dentist", now=LATER)
    words = Layout(place.workspace).search_index / "words"
    for path in words.iterdir():
        path.unlink()

    answer = place.run("reindex", now=LATER)

    assert answer.code == 0
    assert "Words: " in answer.out
    assert "Vectors: none; no embedding model is installed." in answer.out
    assert "dentist" in place.run("search", "dentist", now=LATER).out


def test_a_terminal_never_obeys_what_a_hit_holds(place: Place) -> None:
    place.say(("Remember: the \x1b[31mred\x1b[0m lamp stands in the hall.", "Yes."))
    place.run("observe", "--now", now=LATER)

    assert "\x1b" not in place.run("search", "lamp hall", "--transcripts", now=LATER).out


@pytest.mark.parametrize(
    "option", [("--limit", "0"), ("--min-score", "2"), ("--kind", "rumour"), ("--mode", "x")]
)
def test_an_option_that_makes_no_sense_is_told(place: Place, option: tuple[str, str]) -> None:
    assert place.run("search", "dentist", *option, now=LATER).code == 2
