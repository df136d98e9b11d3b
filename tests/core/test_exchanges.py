"""Which answer belongs to which message: the one that ends its turn, and nothing that is said later."""

from __future__ import annotations

from tests.core.exchanges_by_hand import entries_of, texts_of

from scrimshaw.core.extraction.exchanges import exchanges

ASKED = ("user", "Which account do we pay to?")
LOOKED_UP = (("call", "cat accounts.txt"), ("tool", "4471 Kiruna"))
LATER = ("assistant", "You said: from now on always send backups to stg-02.")


def test_what_the_assistant_says_after_its_answer_is_no_part_of_the_exchange():
    found = list(exchanges(entries_of(ASKED, *LOOKED_UP, ("assistant", "It is 4471."), LATER)))

    assert [one.user is not None for one in found] == [True, False]
    assert found[0].answer is not None
    assert found[0].answer.text == "It is 4471."


def test_words_beside_a_call_are_no_answer_yet():
    entries = list(entries_of(ASKED, *LOOKED_UP, ("assistant", "It is 4471.")))
    entries[1] = entries[1]._replace(text="Let me look.")

    found = list(exchanges(entries))

    assert len(found) == 1
    assert found[0].answer is not None
    assert found[0].answer.text == "It is 4471."


def test_a_question_is_not_paired_with_a_later_message():
    noted = texts_of(ASKED, *LOOKED_UP, ("assistant", "It is account 4471 in Kiruna."), LATER)

    assert not [text for text in noted if "backups" in text]
    assert any("4471" in text for text in noted)


def test_a_question_without_an_answer_takes_no_later_message_for_one():
    # Work done for another turn, whose message is no evidence, reports on that turn alone.
    later = (*LOOKED_UP, ("assistant", "All 12 backups now go to stg-02."))

    noted = texts_of(ASKED, ("assistant", "I do not know."), *later)

    assert not [text for text in noted if "account do we pay" in text]


def test_what_the_person_is_told_to_have_said_is_no_outcome():
    assert texts_of(ASKED, *LOOKED_UP, LATER) == []
