"""What bench tongues asks: whole, and every question with the one note that answers it."""

from __future__ import annotations

from bench.tongues import read


def test_each_question_knows_its_note_wherever_the_lot_has_put_it() -> None:
    first, again = read(1), read(2)
    asked = [(one.text, who.notes[one.place]) for who in first for one in who.questions]

    assert asked == [(one.text, who.notes[one.place]) for who in again for one in who.questions]
    assert ("Who holds power of attorney for me?", "Die Vollmacht hat Silke, nicht Bernd.") in asked
    assert (sum(len(who.notes) for who in first), len(asked)) == (300, 100)


def test_no_question_is_in_the_language_of_its_notes_and_there_are_many_pairs() -> None:
    pairs = {(one.language, who.language) for who in read(1) for one in who.questions}

    assert len(pairs) >= 8
    assert all(asked != noted for asked, noted in pairs)
