"""What is said between two sentences of one line stays between them; an answer keeps what was asked."""

from __future__ import annotations

import pytest
from tests.core.exchanges_by_hand import proposals_of

from scrimshaw.core.types import Place, Proposal


def _said(text: str) -> list[Proposal]:
    return proposals_of(("user", text), ("assistant", "Okay."))


@pytest.mark.parametrize(
    ("said", "between"),
    [
        (
            "gp upped the omeprazole to 40 for a month. is it ok with ibuprofen? i hardly ever take it",
            "ibuprofen",
        ),
        ("i take 5mg bisoprolol. can i have grapefruit? i eat it every morning", "grapefruit"),
        ("my sister has coeliac disease. what about my cousin's wheat beer? he loves it", "cousin"),
        (
            "die solistin hat abgesagt, schwanger. frau brandl fragt ihre schwester. die nimmt nur 400",
            "schwester",
        ),
    ],
)
def test_a_pronoun_does_not_jump_over_what_it_may_mean(said: str, between: str) -> None:
    first, last = said.split(". ")[0][1:9], said.split()[-1]

    lines = [one.text for one in _said(said) if first in one.text and last in one.text]

    assert [between in line for line in lines] in ([True], [])


@pytest.mark.parametrize(
    ("said", "who"),
    [
        ("my boss is ill. the temp is called Jo. she is allergic to nuts", "Jo"),
        ("Tom comes to dinner on Friday. He can't eat gluten, he is coeliac.", "Tom"),
    ],
)
def test_a_warning_names_whom_it_is_about(said: str, who: str) -> None:
    (warning,) = [one for one in _said(said) if one.priority == 5]

    assert who in warning.text


def test_a_warning_of_oneself_stays_alone() -> None:
    (warning,) = [one for one in _said("I met Tom for lunch. I'm allergic to nuts.") if one.priority == 5]

    assert warning.text == "I'm allergic to nuts."


@pytest.mark.parametrize(
    ("asked", "answered"),
    [
        ("Hast du Allergien?", "ja, erdnüsse und latex"),
        ("¿Tienes alguna alergia?", "sí, a los cacahuetes"),
        ("Tu es donc allergique à l'amoxicilline ?", "ouais la pénicilline en général"),
        ("Do you have any allergies I should know of?", "yes, peanuts and latex"),
        ("Is Ben allergic to anything?", "yes, wasps. He was stung last year."),
        ("Hai qualche allergia?", "sì, alle noci"),
        ("Tens alguma alergia?", "sim, a amendoins"),
        ("有过敏吗？", "有，花生"),
        ("アレルギーはありますか？", "はい、卵です"),
    ],
)
def test_an_allergy_that_was_asked_for_is_noted_with_the_question(asked: str, answered: str) -> None:
    made = proposals_of(
        ("user", "I want to cook something on Friday."), ("assistant", f"Nice. {asked}"), ("user", answered)
    )

    (warning,) = [one for one in made if one.priority == 5]
    assert (warning.place, warning.text.startswith(asked)) == (Place.STANDING, True)
    assert answered.split(".")[0][1:] in warning.text
    assert warning.sources == ("e2", "e1")


@pytest.mark.parametrize(
    ("asked", "answered"),
    [
        ("Do you have any allergies?", "no, none"),
        ("Do you have any allergies?", "yes"),
        ("Do you have any allergies?", "yes, I'll tell you later"),
        ("Do you have any allergies?", "yes, not nuts though"),
        ("Shall I leave out the allergens?", "yes please, the nuts"),
        ("Shall I book the table?", "yes, for eight"),
    ],
)
def test_what_names_no_allergy_is_no_warning(asked: str, answered: str) -> None:
    made = proposals_of(("user", "Hi."), ("assistant", asked), ("user", answered))

    assert [one.text for one in made if one.priority == 5] == []


@pytest.mark.parametrize(
    "said",
    [
        "Maria is pregnant. please don't note that down anywhere",
        "My salary is 52k. Don't save this please.",
        "dieter is arbeitslos. bitte nirgends aufschreiben wieso, das geht keinen was an",
        "Ana está embarazada. No lo apuntes.",
        "Paul divorce. Ne note pas ça.",
        "Luca ha perso il lavoro. Non scriverlo.",
        "O Rui foi despedido. Não anotes isso.",
        "小王离婚了。别记下来。",
        "山田さんが辞めます。これはメモしないで。",
        "Maria is pregnant. please dont put that in any notes",
        "Maria is pregnant. She hasn't told anyone. Didn't say much. Keep this out of your notes please.",
        "Maria is pregnant. That's off the record.",
        "Maria is pregnant, but please keep it out of your notes",
        "off the record, my sister Maria is pregnant",
        "Maria ist schwanger. Schreib das bitte nicht in deine Notizen.",
        "Maria ist schwanger, aber bitte nirgends aufschreiben",
        "Dieter hat gekündigt. Das gehört nicht in deine Notizen.",
        "María está embarazada. Que no quede en tus notas.",
        "María está embarazada, pero no lo apuntes",
        "Maria est enceinte. Ne mets pas ça dans tes notes stp.",
        "Maria est enceinte, mais ne le note pas",
        "Maria è incinta. Non metterlo nelle note.",
        "A Maria está grávida. Não ponhas isso nas tuas notas.",
        "My brother is in rehab. Could you please not write that down?",
        "玛丽怀孕了。别把这事写进笔记里。",
        "玛丽怀孕了，请不要留记录",
        "マリアが妊娠しました。これは記録に残さないで",
        "マリアが妊娠しました。オフレコでお願いします",
    ],
)
def test_what_is_to_be_written_nowhere_is_not_noted(said: str) -> None:
    assert _said(said) == []


@pytest.mark.parametrize(
    "said",
    [
        "We meet on Friday at 9. Don't write that down in the minutes.",
        "Don't write down my phone number in mails.",
        "My rent is 700 euros. I don't remember it well.",
        "My tent is in the cellar. Don't put it anywhere.",
        "My tent is in the cellar. Don't store it anywhere damp.",
        "I keep my passport in the safe. Don't put that on the shopping list.",
        "Keep the dog out of the kitchen when the gas man comes on Friday.",
        "My mum keeps her pills off the record player.",
        "Bitte schreib das in die Notizen: Zahnarzt am Freitag um 9.",
        "Die Miete ist 700 Euro. Schreib das nicht in die Mail.",
        "La renta son 700 euros. No lo pongas en el correo.",
    ],
)
def test_what_is_only_kept_out_of_something_else_is_noted(said: str) -> None:
    assert _said(said)


def test_only_the_matter_that_is_to_be_written_nowhere_is_left_out() -> None:
    (made,) = _said("The dentist is on Friday at 9. Maria is pregnant. She told nobody. Don't note that.")

    assert made.text.startswith("The dentist")


def test_what_was_said_in_the_message_before_can_be_kept_out_too() -> None:
    made = proposals_of(
        ("user", "The dentist is on Friday at 9. Maria is pregnant."),
        ("assistant", "Noted."),
        ("user", "please keep that out of your notes"),
    )

    assert [one.text for one in made if "pregnant" in one.text or "notes" in one.text] == []
    assert [one.text for one in made if "dentist" in one.text]


@pytest.mark.parametrize(
    "said",
    [
        "dentist booked 20 nov 9:30",
        "photographer booked 28 november, 40 quid",
        "we see the flat, booked 24 november at 2",
    ],
)
def test_what_is_booked_with_a_day_to_come_is_open(said: str) -> None:
    (made,) = _said(said)

    assert made.place is Place.OPEN


@pytest.mark.parametrize(
    "said", ["paid the deposit on 3 november", "had my check-up on 2 november, all fine"]
)
def test_what_was_on_a_day_gone_by_is_not_open(said: str) -> None:
    assert [one.place for one in _said(said)] != [Place.OPEN]


@pytest.mark.parametrize(
    "said",
    [
        "toujours pas de nouvelles du notaire",
        "immer noch keine antwort vom amt",
        "immer noch krank, bleib im bett",
        "jamais eu autant de monde",
        "nunca he visto algo así",
        "nie wieder ikea",
        "found the marriage cert, was in the wok box. don't ask",
    ],
)
def test_still_and_not_yet_are_no_orders(said: str) -> None:
    assert [one.text for one in _said(said) if one.kind.value == "preference"] == []


@pytest.mark.parametrize(
    "said",
    [
        "immer auf deutsch antworten",
        "toujours me tutoyer",
        "siempre con IVA incluido",
        "nie vor 9 anrufen",
        "never before nine",
    ],
)
def test_what_is_to_be_so_always_is_an_order(said: str) -> None:
    (made,) = _said(said)

    assert made.kind.value == "preference"


@pytest.mark.parametrize(
    ("said", "whole"),
    [
        ("ich kann am 29. nicht kommen, bin in wien", "am 29. nicht kommen"),
        ("wir können am 3. leider nicht, aber am 10. geht es", "am 3. leider nicht"),
        ("horst kann am 29. nicht, hat augen-op", "am 29. nicht"),
    ],
)
def test_a_denial_behind_a_german_day_is_not_cut_off(said: str, whole: str) -> None:
    assert any(whole in one.text for one in _said(said))
