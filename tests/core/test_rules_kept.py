"""What is noted although it is short, has no subject or stands beside something else; and in which part."""

import pytest
from tests.core.exchanges_by_hand import proposals_of, texts_of

from scrimshaw.core.language import cues
from scrimshaw.core.types import Kind, Place


def noted(said: str) -> list[tuple[str, Place]]:
    return [(one.text, one.place) for one in proposals_of(("user", said), ("assistant", "Got it."))]


def places(said: str) -> set[Place]:
    return {place for _, place in noted(said)}


@pytest.mark.parametrize(
    "said",
    [
        "I still have to buy candles and the gluten free flour",
        "need to write the privacy policy and have Sabine look over it, she's a lawyer",
        "left to do: get yen, bring the bikes to Tim",
        "to do: charge the camera, buy sunscreen",
        "Sim, lembra-me na segunda.",
    ],
)
def test_a_task_stands_open_without_a_subject_or_a_day(said):
    assert places(said) == {Place.OPEN}


@pytest.mark.parametrize(
    "said",
    [
        "Noor is asthmatic",
        "Noor has asthma",
        "He's diabetic type 2 and allergic to penicillin, they nearly gave it to him on the first night!!",
        "He's 74, diabetic and allergic to penicillin",
        "They're both allergic to cats",
        "Bin übrigens gegen Penicillin allergisch",
        "Mi hermana es alérgica a los frutos secos.",
    ],
)
def test_what_somebody_may_not_have_stands_with_the_highest_priority(said):
    told = proposals_of(("user", said), ("assistant", "Got it."))

    assert [(one.place, one.priority) for one in told] == [(Place.STANDING, 5)]


def test_an_allergy_is_no_detail_of_the_accident_it_is_told_with():
    said = "Mir kam heut die Hand in den Hobel, ein Kratzer. Bin übrigens gegen Penicillin allergisch."

    assert ("Bin übrigens gegen Penicillin allergisch.", Place.STANDING) in noted(said)


@pytest.mark.parametrize(
    "said", ["I have depression", "I'm bipolar", "I'm on dialysis", "I have lupus", "I'm 12 weeks pregnant"]
)
def test_an_illness_by_its_name_stands(said):
    assert places(said) == {Place.STANDING}


@pytest.mark.parametrize("said", ["i feel depressed today", "The market is in a depression"])
def test_a_mood_by_its_name_does_not_stand(said):
    assert Place.STANDING not in places(said)


@pytest.mark.parametrize(
    "said",
    [
        "im allergic to shellfish lol",
        "I'm allergic to cats haha",
        "i have epilepsy haha",
        "ich bin gegen krabben allergisch haha",
    ],
)
def test_an_allergy_told_with_a_laugh_stands(said):
    assert places(said) == {Place.STANDING}


@pytest.mark.parametrize(
    "said", ["Noor is amazing", "Tom is tired", "love is blind", "She's allergic to commitment haha"]
)
def test_what_only_sounds_like_an_illness_does_not_stand(said):
    assert Place.STANDING not in places(said)


@pytest.mark.parametrize(
    "said",
    [
        "stop asking me how I feel about the move please, I get that from everyone",
        "stop telling me to see a doctor please, I've got one",
        "and keep it to max two things a day",
        "please keep it to two suggestions per day max",
        "Tutoyez-moi, enfin tutoie-moi, c'est plus sympa !",
    ],
)
def test_a_wish_holds_whatever_its_reason_says(said):
    told = proposals_of(("user", said), ("assistant", "Got it."))

    assert [(one.kind, one.place) for one in told] == [(Kind.PREFERENCE, Place.STANDING)]


@pytest.mark.parametrize("said", ["stop it, you're making me laugh", "stop asking, I get it", "Keep it up"])
def test_what_only_begins_like_a_wish_does_not_stand(said):
    assert Place.STANDING not in places(said)


@pytest.mark.parametrize("said", ["I use uv, not pip.", "We use oat milk, not cow's milk."])
def test_what_somebody_uses_and_what_not_stands(said):
    assert places(said) == {Place.STANDING}


@pytest.mark.parametrize("said", ["I put 15% on materials", "We charge 20% extra at weekends"])
def test_a_rate_is_no_task(said):
    assert places(said) == {Place.STANDING}


@pytest.mark.parametrize(
    "said", ["I ate 50% of the cake.", "We sold 30% of the flat.", "I must cut it to 20 cigarettes a week."]
)
def test_a_share_taken_once_and_a_rate_to_come_do_not_stand(said):
    assert Place.STANDING not in places(said)


@pytest.mark.parametrize(
    "said", ["Money from the Hendersons is finally in.", "Deposit from the Nguyens has arrived"]
)
def test_what_has_come_in_is_an_event(said):
    assert places(said) == {Place.LOG}


def test_a_short_sentence_that_surely_matters_is_noted_though_it_ends_nothing():
    said = "Wir haben immer den Pen dabei."

    assert texts_of(("user", said), ("assistant", "Got it.")) == [said]


def test_a_persons_words_of_an_agent_of_theirs_are_not_read_as_said_of_the_assistant():
    said = "agent is called Linley & Simpson, our person is Farah."

    assert texts_of(("user", said)) == ["Agent is called Linley & Simpson, our person is Farah."]


def test_a_second_thought_is_told_with_what_it_is_of():
    said = "they said Olive should get double the dose on moving day. no wait, half the dose."

    assert texts_of(("user", said)) == [
        "They said Olive should get double the dose on moving day. No wait, half the dose."
    ]


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("La boutique s'appelle Mie & Co.", "Enfin s'appelait, l'INPI dit que c'est pris."),
        ("Der Laden heißt Krume.", "Besser gesagt hieß, der Name ist vergeben."),
        ("La tienda se llama Miga.", "Bueno, se llamaba, el nombre está cogido."),
        ("Il negozio si chiama Mollica.", "Beh, si chiamava, il nome è già preso."),
    ],
)
def test_what_is_mended_in_the_next_breath_is_one_line(first: str, second: str):
    assert any(
        first.rstrip(".") in text and second[6:-1] in text for text in texts_of(("user", f"{first} {second}"))
    )


@pytest.mark.parametrize(
    "said", ["Enfin les clés de la boutique !", "Well, it was fun.", "Bueno, compro pan.", "Bem, vou dormir."]
)
def test_what_only_begins_like_a_second_thought_is_none(said: str):
    assert not cues.THINKS_AGAIN.match(said)


def test_news_in_another_language_is_noted_though_it_is_cried_out():
    assert noted("La casa è nostra!!")
    assert not noted("Ach wie schön, Jonas!!")
    assert not noted("Non ci credo!!")
