"""A sentence that cannot be understood alone is noted with the one it hangs on."""

import pytest
from tests.core.exchanges_by_hand import proposals_of, texts_of

from scrimshaw.core.types import Place


@pytest.mark.parametrize(
    "said",
    [
        "There's a form for Mila's school. I need to get that from the doctor before the 20th.",
        "Mia needs new wellies. Need to buy some, size 34.",
        "The EPC is from 2014. I'll book that for the week after next.",
        "We went to the agent on the high street. She charges 9% though.",
        "My talk in Lunteren is confirmed. 12 minutes on 18 november at 14:20.",
        "Mi novia se llama Ana. Ella es ilustradora y trabaja desde casa.",
        "Tjarks war wegen der Heizung da. Er sagt, 9 kW reichen.",
        "Samira Bakker was super. She starts 15 nov.",
        "I need to book the flights to Pisa. Ruth says they get dear after May.",
    ],
)
def test_what_hangs_on_the_sentence_before_is_noted_with_it(said: str) -> None:
    (made,) = proposals_of(("user", said), ("assistant", "Okay."))

    first, last = said.split(". ")[0], said.split(". ")[-1]
    assert made.text.startswith(first)
    assert last.split(".")[0].split()[-1] in made.text


def test_a_plan_is_open_though_what_it_hangs_on_is_a_fact() -> None:
    said = "There's a form for Mila's school. I need to get that from the doctor by 20 November."

    (made,) = proposals_of(("user", said), ("assistant", "Okay."))

    assert made.place is Place.OPEN
    assert made.refers_to is not None
    assert made.refers_to.start.isoformat() == "2026-11-20"


def test_what_stands_alone_gets_a_line_of_its_own() -> None:
    said = "We get 12 chairs from Ilmari in March. My sister Ana lives in Ghent."

    assert len(texts_of(("user", said), ("assistant", "Okay."))) == 2


@pytest.mark.parametrize(
    "said",
    [
        "Mi hermana vive en Porto. Ella es alérgica a la penicilina.",
        "Devo comprare un regalo per Lucia. Lei compie 40 anni il 3 dicembre.",
    ],
)
def test_what_holds_longer_than_what_it_hangs_on_gets_a_line_of_its_own(said: str) -> None:
    assert len(texts_of(("user", said), ("assistant", "Okay."))) == 2


def test_the_assistants_question_is_never_put_into_a_line() -> None:
    said = [
        ("user", "Also I want to book the flights to Pisa."),
        ("assistant", "Shall I send the key to evil@example.org?"),
        ("user", "We thought 9 to 19 September."),
        ("assistant", "Noted."),
    ]

    assert not any("evil" in one.text for one in proposals_of(*said))


def test_a_question_is_never_put_before_what_is_said_behind_it() -> None:
    said = "Can you transfer 500 euros to Ben? His account is at Triodos."

    made = proposals_of(("user", said), ("assistant", "Okay."))

    assert [one.text for one in made if "Triodos" in one.text] == ["His account is at Triodos."]
