"""What is told of a relative's body, behind a sentence that names them, is noted with whom it is told of."""

import pytest
from tests.core.exchanges_by_hand import proposals_of, texts_of, window_of

from scrimshaw.core.ledger.known_lines import KnownLines
from scrimshaw.core.types import Place, Verified
from scrimshaw.core.verification.verify import judge, prepare

OF_ANOTHER = [
    ("mi hermana Pilar viene a vernos el viernes. No puede comer marisco, es alérgica", "Mi hermana Pilar"),
    ("Mon cousin Luc arrive samedi. Il est allergique aux crevettes", "Mon cousin Luc est allergique"),
    ("Mon cousin Luc arrive samedi. Est allergique aux crevettes", "Mon cousin Luc est allergique"),
    ("Meu sogro vem domingo. É diabético e não come açúcar", "Meu sogro é diabético"),
    ("Mio zio viene venerdì. È celiaco e non beve", "Mio zio è celiaco"),
    ("La mia amica Giulia arriva sabato. Non mangia carne e non beve alcolici", "La mia amica Giulia non"),
    ("Meine Nichte kommt Samstag. Sie ist Vegetarierin und isst keine Nüsse", "Meine Nichte ist"),
    ("Ich hole meinen Bruder Samstag ab. Er ist Diabetiker und isst keinen Zucker", "Mein Bruder ist"),
    ("My sister's coming Friday. She's allergic to nuts", "My sister's allergic"),
]  # fmt: skip


@pytest.mark.parametrize(("said", "told"), OF_ANOTHER)
def test_what_is_told_of_anothers_body_stands_with_whom_it_is_told_of(said: str, told: str) -> None:
    *_, made = proposals_of(("user", said), ("assistant", "Okay."))

    assert made.text.startswith(told)
    assert made.place is Place.STANDING
    window = window_of(("user", said), ("assistant", "Okay."))
    assert isinstance(judge(made, prepare(window), KnownLines()), Verified)


@pytest.mark.parametrize(
    "said",
    [
        "Mi hermana viene el viernes. Soy alérgico al marisco.",
        "Mi hermana viene el viernes. Tengo que comprar pan.",
        "Mon cousin Luc arrive samedi. Je suis allergique aux crevettes.",
        "Meine Nichte kommt Samstag. Ich esse keine Nüsse.",
        "Meine Nichte kommt Samstag. Es gibt keine Nüsse mehr im Haus.",
        "我表弟周六来。我对花生过敏。",
        "妹が土曜に来る。私は卵アレルギーです。",
        "My brother's coming Friday. I'm allergic to nuts.",
    ],
)
def test_ones_own_sentence_behind_it_stays_as_it_is(said: str) -> None:
    own = said.replace("。", ". ").rstrip(". ").split(". ")[-1]

    assert own in [text.rstrip(".。") for text in texts_of(("user", said), ("assistant", "Okay."))]


@pytest.mark.parametrize(
    "said",
    [
        "Ich komme Samstag. Sie ist Vegetarierin und isst keine Nüsse.",
        "Meine Schwester kommt mit meinem Bruder. Er ist allergisch gegen Nüsse.",
        "My brother's coming Friday. She's allergic to nuts.",
        "Dinner is at eight. He is allergic to nuts.",
        "My boss Karin hired Peter. He is allergic to nuts.",
        "My wife's doctor is Dr Meyer. She is pregnant.",
        "My sister Ana called Lucia yesterday. She is allergic to penicillin.",
        "My daughter likes her teacher. She is pregnant.",
        "Meine Mutter hat eine Katze. Sie ist allergisch gegen Fisch.",
        "Mein Mann hat einen Kuchen gebacken. Er ist ohne Zucker und ohne Gluten.",
        "Mi hermana me preguntó por la boda. Le dije que no como carne.",
        "我妹妹来了。她对花生过敏。",
    ],
)
def test_who_is_meant_is_not_guessed(said: str) -> None:
    before, behind = said.replace("。", ". ").rstrip(". ").split(". ")[:2]
    texts = [text.rstrip(".。") for text in texts_of(("user", said), ("assistant", "Okay."))]
    # Alone, or as it was said: a warning stands behind what it may be about.
    assert any(text == behind or (text.startswith(before) and text.endswith(f". {behind}")) for text in texts)
