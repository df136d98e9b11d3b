"""A permission takes the place of the wish that it lifts, and of nothing else."""

import pytest
from tests.core.exchanges_by_hand import known_of, line_of, proposals_of

from scrimshaw.core.extraction.personal_statements import is_manner, order_of
from scrimshaw.core.types import FOLLOWED, Kind, Place, Proposal


def _said(wish: str, said: str) -> list[Proposal]:
    known = known_of(line_of(wish, kind=Kind.PREFERENCE, place=Place.STANDING))
    return proposals_of(("user", said), ("assistant", "Okay."), known=known)


@pytest.mark.parametrize(
    ("wish", "said"),
    [
        ("Always give me the allergen letters for each dish.", "You can stop with the letters."),
        ("Don't ask me how I'm feeling all the time.", "you can ask me how I am again, if you like"),
        ("No docstrings on private functions.", "docstrings on private functions are ok again"),
        ("Always give me prices including VAT.", "Actually you can give me prices without the VAT thing"),
        ("Always add a summary at the end.", "you don't need to add the summary anymore"),
        ("Zeig mir immer den Rechenweg.", "Rechenweg brauchst du nicht mehr immer, nur bei Steuern"),
        ("Duze mich nicht.", "Du darfst mich jetzt doch duzen"),
        ("No me pongas emojis.", "Ya puedes usar algún emoji"),
        ("Keine Rezepte mit Fisch.", "Fisch darfst du jetzt wieder vorschlagen"),
        ("Não me sugiras restaurantes caros.", "Já podes sugerir restaurantes caros outra vez"),
    ],
)
def test_a_permission_takes_the_place_of_the_wish_it_lifts(wish: str, said: str) -> None:
    (made,) = _said(wish, said)

    assert (made.replaces, made.place, made.kind) == (("old",), Place.STANDING, Kind.PREFERENCE)
    assert made.text.rstrip(".").lower() == said.rstrip(".").lower()


@pytest.mark.parametrize(
    ("wish", "said"),
    [
        ("Answer in short sentences.", "You can stop the car there."),
        ("Always add a summary at the end.", "You can drop the letters."),
        ("Always add a summary at the end.", "You can skip the summary today."),
        ("Always add a summary at the end.", "Can you add the summary again?"),
        ("Never push to production on Fridays.", "Production is okay again."),
        ("Keep coriander out of every recipe.", "My coriander plant is okay again."),
        ("Never put peanuts in recipes, Joris is allergic.", "You can use peanuts again."),
        ("Never put peanuts in recipes.", "You can get peanuts again in the shop downstairs."),
        ("Always check with me before you delete files.", "You can delete the files in tmp if you like."),
        ("Siempre pregúntame antes de enviar correos.", "Ya puedes enviar el correo a Tomás."),
        ("Don't book flights with Ryanair.", "You can book flights to Dublin again."),
        ("I prefer oat milk.", "You can give me the milk again."),
        ("No me pongas cilantro en la comida.", "Ya no me gusta el cilantro."),
    ],
)
def test_what_allows_something_else_or_once_lifts_no_wish(wish: str, said: str) -> None:
    assert not any(made.replaces for made in _said(wish, said))


def test_a_wish_for_several_things_stays_beside_what_is_allowed_again() -> None:
    (made,) = _said(
        "Type hints everywhere, no docstrings on private functions, black with line length 88.",
        "docstrings on private functions are ok again",
    )

    assert (made.replaces, made.place) == ((), Place.STANDING)


@pytest.mark.parametrize(
    ("wish", "said"),
    [
        ("Keep your answers short.", "You can go back to normal length answers, I've got a car now"),
        ("I always want quotes in a plain list.", "from now on quotes as a letter please"),
        ("Schreib mir bitte keine Romane.", "Du darfst ruhig wieder ausführlicher schreiben"),
        ("Respóndeme siempre en frases cortas.", "Ya puedes volver a responder con frases largas"),
        ("Mets toujours le total en dollars.", "Désormais mets le total en euros"),
        ("Scrivimi sempre messaggi brevi.", "Puoi tornare a scrivermi messaggi lunghi"),
        ("Responde-me sempre em tópicos.", "Já podes voltar a responder em texto corrido"),
        ("今後は敬語を使わないでください。", "これからはまた敬語を使っていいよ"),
    ],
)
def test_a_wish_for_another_manner_of_the_same_takes_the_place_of_the_one_before(
    wish: str, said: str
) -> None:
    (made,) = _said(wish, said)

    assert (made.replaces, made.place, made.kind) == (("old",), Place.STANDING, Kind.PREFERENCE)
    assert made.retells is None


@pytest.mark.parametrize(
    ("wish", "said"),
    [
        ("Keep mails to clients short.", "You can write longer answers again."),
        ("Always give prices in euros.", "From now on give distances in miles."),
        ("Schreib Angebote immer förmlich.", "Mails darfst du wieder locker schreiben."),
    ],
)
def test_a_wish_for_the_manner_of_another_thing_leaves_the_first(wish: str, said: str) -> None:
    assert not any(made.replaces for made in _said(wish, said))


@pytest.mark.parametrize(
    ("wish", "said"),
    [
        ("Please don't explain basics to me.", "You can explain a bit more again from now on."),
        ("Don't tell my wife about Rome, it's a surprise.", "You can talk about Rome again, she knows."),
        (
            "No me propongas recetas con horno.",
            "Ya tenemos horno, puedes volver a proponerme recetas al horno.",
        ),
        (
            "Mets les quantités pour deux, et pas de four, le nôtre est en panne.",
            "Le four est réparé, tu peux de nouveau m'en proposer.",
        ),
        (
            "Dammi massimo tre opzioni quando ti chiedo consigli.",
            "Adesso quando ti chiedo idee puoi darmene anche di più.",
        ),
        ("不要给我推荐辣的菜。", "现在可以再给我推荐辣的菜了，我胃好了。"),
    ],
)
def test_what_lifts_a_wish_less_plainly_is_told_behind_it(wish: str, said: str) -> None:
    (made,) = _said(wish, said)

    assert (made.replaces, made.place, made.kind) == (("old",), Place.STANDING, Kind.PREFERENCE)
    assert made.text == wish + FOLLOWED + said


@pytest.mark.parametrize(
    ("wish", "said"),
    [
        ("Don't suggest beef.", "If the kids ask for beef you can suggest it again."),
        ("No meetings before ten.", "My boss says meetings before ten are fine again for his team."),
        ("Firma sempre le mail con il nome dello studio.", "Per questa mail puoi firmare con il mio nome."),
        (
            "No me recomiendes películas de terror.",
            "A mi hermana le puedes recomendar películas de terror otra vez.",
        ),
        ("朝の予定は入れないでください。", "今日だけは朝の予定を入れてもいいです。"),
        ("No uses cacahuetes, mi hijo es alérgico.", "Lo de los cacahuetes ya no hace falta."),
        ("以后不要用表情。", "这条消息可以用表情。"),
        ("周末不要给我安排会议。", "我同事周末又可以安排会议了。"),
    ],
)
def test_what_holds_once_or_for_another_and_what_protects_is_told_behind_no_wish(
    wish: str, said: str
) -> None:
    assert not any(made.replaces for made in _said(wish, said))


def test_of_two_wishes_that_may_be_meant_none_is_lifted() -> None:
    known = known_of(
        *(
            line_of(wish, id_=id_, kind=Kind.PREFERENCE, place=Place.STANDING)
            for id_, wish in (("a", "No fish recipes."), ("b", "No fish restaurants."))
        )
    )

    made = proposals_of(("user", "You can suggest fish again."), ("assistant", "Okay."), known=known)

    assert not any(one.replaces for one in made)


def test_what_is_allowed_and_names_no_wish_stands_beside_the_wishes() -> None:
    (made,) = _said(
        "Please don't give me statistics about survival.",
        "you can talk about prognosis and numbers with me again, I'm ok now",
    )

    assert (made.replaces, made.place, made.kind) == ((), Place.STANDING, Kind.PREFERENCE)


def test_within_one_conversation_only_the_permission_is_noted() -> None:
    texts = [
        made.text
        for made in proposals_of(
            ("user", "Please always give me prices including VAT."),
            ("assistant", "Okay."),
            ("user", "actually you can give me prices without VAT"),
            ("assistant", "Okay."),
        )
    ]

    assert texts == ["Actually you can give me prices without VAT."]


@pytest.mark.parametrize(
    "said",
    [
        "when I ask yes/no, answer yes or no first",
        "If I paste code, only comment on the bugs.",
        "you don't have to say congratulations every time",
        "Du musst mich nicht jedes Mal loben.",
    ],
)
def test_what_the_agent_need_not_do_and_does_when_asked_are_standing_wishes(said: str) -> None:
    (made,) = _said("My brother Tom lives in Ghent.", said)

    assert made.place is Place.STANDING


@pytest.mark.parametrize(
    "said",
    [
        "Write me a mail to Darren, polite but firm, no more than five sentences",
        "Three sentences, no apologies theatre.",
        "Schreib mir mal eine Absage an Frau Petersen",
        "Mi scrivi una mail per la mamma di Tommaso",
        "Me puedes escribir el texto? Corto.",
        "Trois phrases, pas d'emoji.",
    ],
)
def test_an_order_for_one_text_stands_for_none_of_the_next(said: str) -> None:
    assert _said("My brother Tom lives in Ghent.", said) == []


@pytest.mark.parametrize(
    "said",
    [
        "In future always give me tables for plans.",
        "we don't say students here, always say pupils",
        "Keep it short, I read on the bus.",
        "Et fais court, j'ai horreur des pavés.",
        "When there's an appointment tell me the day of the week as well",
        "Max. three sentences per answer, always.",
        "Draft the mails to clients in German only.",
        "Do a spell check before you send anything.",
        "Schreib den Code nur auf Englisch.",
    ],
)
def test_an_order_for_all_that_follows_stands_however_it_is_put(said: str) -> None:
    (made,) = _said("My brother Tom lives in Ghent.", said)

    assert (made.place, made.kind) == (Place.STANDING, Kind.PREFERENCE)


@pytest.mark.parametrize(
    "said",
    ["10 lines of the migration are wrong, in users.py line 40.", "Pick up Mia from school today at 4."],
)
def test_what_only_begins_like_an_order_for_a_text_is_noted(said: str) -> None:
    assert [made.text for made in _said("My brother Tom lives in Ghent.", said)] == [said]


@pytest.mark.parametrize("text", ["Be brief, ", "be brief,  \n", " , ", ", ", ""])
def test_an_order_that_breaks_off_is_read(text: str) -> None:
    order_of(text)
    is_manner(text)
