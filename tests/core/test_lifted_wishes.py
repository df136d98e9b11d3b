"""A permission takes the place of the wish that it lifts, and of nothing else."""

from dataclasses import replace

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
        ("Always give me diffs, not whole files.", "Forget the diffs thing, give me whole files"),
        ("No calls on Sundays.", "Forget the no-calls thing"),
        ("Immer kurze Antworten.", "Vergiss das mit den kurzen Antworten"),
        ("Réponds en anglais.", "Oublie l'anglais"),
        ("Rispondi in inglese.", "Lascia perdere l'inglese"),
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
        ("Don't forget my calls on Sundays.", "Forget the car thing."),
        ("Never put peanuts in recipes, Joris is allergic.", "Forget the peanuts thing."),
        ("Always check with me before you delete files.", "Forget the rule about files."),
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
        ("Please reply in Welsh.", "Back to English please"),
        ("Always give prices in euros.", "Prices in pounds now please"),
        ("Antworte immer auf Englisch.", "Wieder auf Deutsch bitte"),
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


@pytest.mark.parametrize(
    ("wish", "said"),
    [
        ("No emojis in my texts.", "You can't use emojis again."),
        ("No emojis in my texts.", "You may not use emojis again."),
        ("No emojis in my texts.", "You can never use emojis again."),
        ("Bitte keine Emojis mehr.", "Du darfst Emojis nicht wieder verwenden."),
        ("Bitte keine Emojis mehr.", "Du darfst nie wieder Emojis verwenden."),
        ("Bitte keine Anrufe vor 10.", "Anrufe vor 10 sind ab jetzt nicht okay."),
        ("No uses emojis por favor.", "No puedes usar emojis otra vez."),
        ("N'utilise pas d'emojis.", "Tu ne peux pas utiliser d'emojis de nouveau."),
        ("N'utilise pas d'emojis.", "Tu peux plus utiliser d'emojis maintenant."),
        ("Non usare emoji per favore.", "Non puoi usare di nuovo emoji."),
        ("Não uses emojis por favor.", "Não podes usar emojis outra vez."),
        ("絵文字は使わないでください。", "また絵文字を使ってはいけません。"),
        ("絵文字は使わないでください。", "もう絵文字を使ってもいいわけではない。"),
        ("以后不要用表情。", "以后不可以再用表情。"),
        ("No calls before 10.", "Calls before 10 are not fine from now on."),
    ],
)
def test_a_permission_that_is_denied_lifts_no_wish(wish: str, said: str) -> None:
    assert not any(made.replaces for made in _said(wish, said))


@pytest.mark.parametrize(
    ("wish", "said"),
    [
        ("Don't mention alcohol around me.", "You can mention alcohol again if my doctor says so."),
        ("Don't mention alcohol around me.", "You can mention alcohol again if my doctor says it is fine."),
        ("Don't mention chemistry.", "You can mention chemistry again when we talk about the exam."),
        ("No emojis in my texts.", "You can use emojis again as long as they are small."),
        ("No emojis in my texts.", "You can use emojis again, but only in chats."),
        ("No emojis in my texts.", "You can use emojis again unless it's a client."),
        ("No emojis in my texts.", "Only if Tom asks you can use emojis again."),
        ("No emojis in my texts.", "You can use emojis again for the Tokyo team."),
        ("No emojis in my texts.", "You can use emojis again for Tom."),
        ("Keep your answers short.", "You can write longer answers again for Tom."),
        ("Bitte keine Emojis mehr.", "Emojis sind wieder okay, wenn Tom fragt."),
        ("Bitte keine Emojis mehr.", "Du darfst wieder Emojis verwenden, wenn Tom fragt."),
        ("Bitte keine Emojis mehr.", "Du darfst wieder Emojis verwenden, aber nur in Chats."),
        ("Erwähne Papas Krebs nicht.", "Papas Krebs darfst du wieder erwähnen, wenn die Kinder weg sind."),
        ("No uses emojis por favor.", "Puedes usar emojis otra vez si Tomás lo pide."),
        ("No uses emojis por favor.", "Puedes usar emojis otra vez para mi marido."),
        ("N'utilise pas d'emojis.", "Tu peux de nouveau utiliser des emojis si Paul le demande."),
        ("Non usare emoji per favore.", "Puoi usare di nuovo le emoji se Paolo lo chiede."),
        ("Não uses emojis por favor.", "Podes usar emojis outra vez se o Tomás pedir."),
        ("絵文字は使わないでください。", "トムが頼むなら、また絵文字を使ってもいいです。"),
        ("絵文字は使わないでください。", "また絵文字を使ってもいいよ、トムが頼むときは。"),
        ("以后不要用表情。", "如果汤姆要求，以后可以再用表情。"),
        ("以后不要用表情。", "写给汤姆的时候，以后可以再用表情。"),
    ],
)
def test_what_is_allowed_under_a_condition_is_told_whole_and_beside_the_wish(wish: str, said: str) -> None:
    for made in _said(wish, said):
        assert made.text in (said, wish + FOLLOWED + said)
        assert not made.replaces or made.text.startswith(wish)


@pytest.mark.parametrize(
    ("wish", "said"),
    [
        (
            "Bitte keine Rezepte mit Nüssen, ich vertrag sie nicht.",
            "Du darfst wieder Rezepte mit Nüssen vorschlagen.",
        ),
        ("Bitte keine Rezepte mit Nüssen, ich vertrag sie nicht.", "Rezepte mit Nüssen sind wieder okay."),
        ("Erwähne keine Kalorien, ich hatte eine Essstörung.", "Du darfst Kalorien wieder erwähnen."),
        ("Don't mention calories, I had an eating disorder.", "You can mention calories again."),
        ("Don't suggest wine because of my liver.", "You can suggest wine again."),
        ("Don't suggest wine, I'm sober.", "You can suggest wine again."),
        ("Don't suggest wine. Tom is sober.", "You can suggest wine again."),
        (
            "Keine Rezepte mit Erdbeeren, mein Sohn kriegt Ausschlag.",
            "Du darfst wieder Rezepte mit Erdbeeren vorschlagen.",
        ),
        ("No propongas vino, soy alcohólico.", "Puedes proponer vino otra vez."),
        ("Ne propose pas de vin, je suis sobre.", "Tu peux de nouveau proposer du vin."),
        ("Non proporre vino, sono astemio.", "Puoi di nuovo proporre vino."),
        ("Não sugiras vinho, o meu marido não bebe.", "Podes sugerir vinho outra vez."),
        ("ワインは勧めないでください、私は飲めません。", "またワインを勧めてもいいです。"),
        ("不要给我推荐酒，我在戒酒。", "现在可以再给我推荐酒了。"),
        ("Erwähne Krebs nicht vor den Kindern.", "Du darfst Krebs wieder erwähnen."),
        ("Erwähne die Prüfung nicht vor Petra.", "Du darfst die Prüfung wieder erwähnen."),
        ("Don't mention cancer in front of the kids.", "You can mention cancer again."),
        ("Don't mention the exam to Petra.", "You can mention the exam again."),
        ("No menciones el cáncer delante de los niños.", "Puedes volver a mencionar el cáncer."),
        ("Ne parle pas du cancer devant les enfants.", "Tu peux de nouveau parler du cancer."),
        ("Non parlare del cancro davanti ai bambini.", "Puoi di nuovo parlare del cancro."),
        ("Não fales do cancro à frente das crianças.", "Podes falar do cancro outra vez."),
        ("子供の前で癌の話はしないでください。", "また癌の話をしてもいいです。"),
        ("不要在孩子面前提癌症。", "现在可以再提癌症了。"),
    ],
)
def test_a_wish_with_a_reason_or_kept_from_somebody_is_never_lost(wish: str, said: str) -> None:
    for made in _said(wish, said):
        assert not made.replaces or made.text.startswith(wish)


@pytest.mark.parametrize(
    ("wish", "said"),
    [
        ("No calls before 10.", "My boss says calls before 10 are fine from now on."),
        ("No emojis in my texts.", "You can use emojis again, says Tom."),
        ("Bitte keine Anrufe vor 10.", "Anrufe vor 10 sind wieder okay, sagt mein Chef."),
        ("Bitte keine Emojis mehr.", "Emojis sind wieder okay, sagt der Duden, ich finde sie furchtbar."),
        ("No uses emojis por favor.", "Puedes usar emojis otra vez, dice mi jefe."),
        ("No uses emojis por favor.", "Mi jefe dice que puedes usar emojis otra vez."),
        ("N'utilise pas d'emojis.", "Tu peux de nouveau utiliser des emojis, dit mon chef."),
        ("Non usare emoji per favore.", "Puoi usare di nuovo le emoji, dice il mio capo."),
        ("Não uses emojis por favor.", "Podes usar emojis outra vez, diz o meu chefe."),
        ("絵文字は使わないでください。", "また絵文字を使ってもいいと部長が言っています。"),
        ("以后不要用表情。", "老板说以后可以再用表情。"),
    ],
)
def test_what_another_allows_lifts_no_wish(wish: str, said: str) -> None:
    assert not any(made.replaces for made in _said(wish, said))


@pytest.mark.parametrize(
    ("wish", "said"),
    [
        ("No emojis in my texts.", "You can use emojis again."),
        ("No emojis in my texts.", "You can use emojis again, I said so before."),
        ("Bitte keine Emojis mehr.", "Du darfst wieder Emojis verwenden."),
        ("Bitte keine Emojis mehr.", "Du darfst wieder Emojis verwenden, wenn du willst."),
        ("No uses emojis por favor.", "Puedes usar emojis otra vez."),
        ("N'utilise pas d'emojis.", "Tu peux de nouveau utiliser des emojis."),
        ("N'utilise pas d'emojis.", "Tu peux de nouveau utiliser des emojis s'il te plaît."),
    ],
)
def test_a_permission_without_a_condition_still_lifts_a_wish_without_a_reason(wish: str, said: str) -> None:
    (made,) = _said(wish, said)

    assert (made.replaces, made.text) == (("old",), said)


@pytest.mark.parametrize(
    ("wish", "said"),
    [
        ("Sem emojis, por favor.", "Já podes voltar a usar emojis."),
        ("Bitte ohne Emojis.", "Du darfst wieder Emojis verwenden."),
        ("Sin emojis, por favor.", "Ya puedes volver a usar emojis."),
    ],
)
def test_a_wish_that_is_no_more_than_without_something_protects_nobody(wish: str, said: str) -> None:
    (made,) = _said(wish, said)

    assert made.replaces == ("old",)


@pytest.mark.parametrize(
    ("wish", "said"),
    [
        ("Always answer me in German.", "You could answer in English again, but I'd rather you didn't."),
        ("Stop suggesting podcasts.", "You can suggest podcasts again, but I'd prefer books."),
    ],
)
def test_a_permission_with_a_but_is_told_behind_the_wish(wish: str, said: str) -> None:
    (made,) = _said(wish, said)

    assert made.text == wish + FOLLOWED + said


def test_what_could_have_been_done_is_no_permission() -> None:
    made = _said("Don't remind me of the gym.", "You could have reminded me of the gym again.")

    assert not any(one.replaces for one in made)


@pytest.mark.parametrize(
    ("wish", "priority", "said"),
    [
        ("Never use emojis.", 5, "You may use emojis again."),
        ("Never spend more than 50 euros without asking.", 5, "You can spend up to 80 again."),
        ("Don't suggest alcohol, I'm two years sober.", 4, "You can suggest wine for guests again."),
    ],
)
def test_a_permission_that_lifts_nothing_stands_beside_the_wish_it_names(
    wish: str, priority: int, said: str
) -> None:
    line = replace(line_of(wish, kind=Kind.PREFERENCE, place=Place.STANDING), priority=priority)

    (made,) = proposals_of(("user", said), ("assistant", "Okay."), known=known_of(line))

    assert (made.text, made.replaces) == (said, ())
    assert (made.place, made.kind) == (Place.STANDING, Kind.PREFERENCE)
