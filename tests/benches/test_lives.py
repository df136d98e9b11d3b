"""What `bench lives` makes of a conversation whose end is known."""

from pathlib import Path

import pytest
from bench import lives
from bench.lives import Wish, cause

from scrimshaw.core.types import Place

LIFE = """# language: en
2026-03-02 08:14 user: I'm allergic to penicillin.
2026-03-02 08:14 agent: Noted.
2026-03-09 19:40 user: The vet is on Friday at 3 pm.
== at the end (2026-03-10)
standing | penicillin | the allergy
open | vet & 03-13/friday | the visit
nowhere | noted | the agent's word
"""
NOTES = [
    (Place.STANDING, "i'm allergic to penicillin"),
    (Place.OPEN, "vet on thursday → moved to friday. milk is out"),
    (Place.LOG, "2026-03-02 the old hall was painted"),
]


def test_a_conversation_is_read_by_its_days(tmp_path: Path) -> None:
    (tmp_path / "en01.txt").write_text(LIFE, encoding="utf-8")
    (life,) = lives.lives(tmp_path)

    assert [session.session_id for session, _ in life.sessions] == ["en01.2026-03-02", "en01.2026-03-09"]
    assert [cause(wish, lives.section_of(life)) for wish in life.wishes] == ["", "", ""]


def test_a_file_that_is_none_is_named(tmp_path: Path) -> None:
    (tmp_path / "en01.txt").write_text("2026-03-02 08:14 user: hi", encoding="utf-8")

    with pytest.raises(ValueError, match=r"en01\.txt"):
        list(lives.lives(tmp_path))


@pytest.mark.parametrize(
    ("wish", "wrong"),
    [
        (Wish("standing", ("penicillin",)), ""),
        (Wish("open", ("penicillin",)), "wrong part"),
        (Wish("log", ("castle",)), "missing"),
        (Wish("changed", ("open", "friday", "thursday")), ""),
        (Wish("changed", ("any", "new hall/painted", "vet")), "stale"),
        (Wish("done", ("vet",)), "still open"),
        (Wish("nowhere", ("old hall",)), "junk"),
        (Wish("alone", ("vet", "milk")), "joined"),
        (Wish("any", ("2026-03-02 & hall",)), ""),
    ],
)
def test_what_is_wrong_with_notes_has_one_name(wish: Wish, wrong: str) -> None:
    assert cause(wish, NOTES) == wrong


def test_each_conversation_in_hand_asks_for_something_that_was_said() -> None:
    found = [life for part in lives.PARTS for life in lives.lives(lives.TOLD / part)]

    assert len(found) == 58
    for life in found:
        said = " ".join(entry.text for _, entries in life.sessions for entry in entries).lower()
        for wish in life.wishes:
            words = wish.fields[1] if wish.kind == "changed" else wish.fields[0]
            told = [one for each in words.split("&") for one in each.split("/")]
            assert any(one.strip() in said for one in told), (life.name, wish)
