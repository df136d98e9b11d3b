"""What is given up, advised by others or only computed is nothing to do; what a doctor orders holds."""

from __future__ import annotations

import pytest
from tests.core.exchanges_by_hand import proposals_of

from scrimshaw.core.types import Place


def places(said: str) -> list[Place]:
    return [one.place for one in proposals_of(("user", said))]


@pytest.mark.parametrize(
    "said",
    [
        "wollt eigentlich am 17. mit Sophie aufs Konzert aber das lass ich jetzt sein",
        "Wir kaufen das Haus in Leer doch nicht.",
        "quería reservar el ryokan de Hakone pero es carísimo, mejor no.",
        "este año no vamos a la feria de Sevilla",
        "on n'ira pas à Rome finalement",
        "alla fine non andiamo a Napoli",
        "acabamos por não ir a Fátima",
        "国庆本来想去厦门,我爸这样就不去了",
        "I was going to sign up for the marathon but I've decided against it.",
        "no need for the recce then",
    ],
)
def test_what_is_given_up_is_told_and_not_open(said: str) -> None:
    assert places(said) == [Place.LOG]


@pytest.mark.parametrize(
    "said",
    [
        "Ma voisine Odile me dit que je devrais vendre la maison.",
        "Torben meint wir sollten samstags länger aufmachen.",
        "mia madre dice che dovrei cambiare lavoro",
        "minha irmã acha que eu devia vender o carro",
    ],
)
def test_what_others_find_one_should_do_is_no_plan(said: str) -> None:
    assert Place.OPEN not in places(said)
    assert Place.STANDING not in places(said)


@pytest.mark.parametrize(
    ("said", "place"),
    [
        ("My boss says we should ship the labels by Friday.", Place.OPEN),
        ("Sagen wir am Freitag um 8 Uhr beim Italiener.", Place.OPEN),
        ("No need to bring anything, the party is at 6 on Saturday.", Place.OPEN),
        ("I decided not to eat meat anymore.", Place.STANDING),
        ("Abends lieber nicht schreiben.", Place.STANDING),
        ("Al final no vamos el viernes, vamos el sábado 21 a casa de mis padres", Place.OPEN),
        ("On laisse tomber l'Italie, on part en Grèce le 3 juillet", Place.OPEN),
        ("We decided against dairy for the whole family", Place.STANDING),
        ("Je laisse tomber la viande, je deviens végétarienne", Place.STANDING),
        ("Mein Chef sagt, ich darf ab jetzt immer im Homeoffice arbeiten", Place.STANDING),
        ("My accountant says we should keep all receipts for seven years", Place.STANDING),
        ("Anna thinks I should apply, so I will", Place.OPEN),
        ("明日、空港へ父を見送りに行く", Place.OPEN),
    ],
)
def test_what_only_sounds_so_stays_where_it_was(said: str, place: Place) -> None:
    assert places(said) == [place]


@pytest.mark.parametrize(
    "said",
    [
        "My doctor says I should cut down on salt.",
        "gp wants me off caffeine",
        "Der Arzt meint, ich soll weniger Salz essen.",
        "el médico me ha dicho que no puedo levantar peso",
        "la cardiologue veut que je marche une heure par jour",
        "il medico ha detto che non devo bere alcol",
        "o médico disse que não posso comer açúcar",
        "医生说我要少吃盐",
        "医者に塩分を控えるように言われた",
    ],
)
def test_what_a_doctor_orders_for_good_stands(said: str) -> None:
    (made,) = proposals_of(("user", said))
    assert (made.place, made.priority >= 4) == (Place.STANDING, True)


@pytest.mark.parametrize(
    "said",
    [
        "The dentist said I should come back in 6 weeks.",
        "The nurse said I have to get a blood test.",
        "The vet said she should have another jab.",
        "The doctor says I should be fine.",
        "The consultant said the project should go live.",
        "My doctor says I should rest today.",
        "der Arzt sagt, ich soll nochmal anrufen",
        "The nurse said I have to fast before the blood test.",
        "My doctor says I should avoid running for six weeks.",
        "Doctor said I don't have to avoid salt.",
        "My doctor told me to avoid gluten, turns out she was wrong.",
        "I wonder whether the doctor says I should stop coffee.",
        "My friend's doctor says she should avoid salt.",
        "La doctora García dice que debo corregir la tesis.",
        "Mon médecin dit que je suis en pleine forme.",
        "先生に宿題を減らしてもらった",
    ],
)
def test_what_a_doctor_orders_once_or_of_something_else_does_not(said: str) -> None:
    assert Place.STANDING not in places(said)


@pytest.mark.parametrize(
    "said",
    ["Pls convert 14*2500 for me", "Wie viel sind 15% von 480?", "Quanto dá 38 x 890?", "帮我算一下 1280乘3"],
)
def test_a_sum_to_be_done_is_no_line(said: str) -> None:
    assert places(said) == []


@pytest.mark.parametrize(
    "said",
    [
        "Each of them costs 3 x 20 euros.",
        "Could you work out how to get to Gatwick by 6 on Friday?",
        "Calculus exam is on 12/06.",
        "Work out 5-6 times a week",
        "Calcium 500mg 2x1 daily is my prescription",
        "Rechne immer mit 19% Mehrwertsteuer",
        "What's left is 20% of the mortgage, we pay till 2031",
        "算上我，5月20日聚会3-4个人",
    ],
)
def test_figures_that_are_told_are_kept(said: str) -> None:
    assert places(said) != []


@pytest.mark.parametrize(
    "said",
    [
        "tutéame por favor que me haces vieja jaja",
        "háblame de tú",
        "sag ruhig du zu mir",
        "et pas trop de jargon s'il vous plait",
        "bitte nicht so viel Fachchinesisch",
        "dont be sending me long messages, i can't take much in these days",
    ],
)
def test_how_one_is_spoken_to_stands(said: str) -> None:
    assert places(said) == [Place.STANDING]


@pytest.mark.parametrize(
    "said",
    [
        "pásame una lista de 5 cosas q ver en kioto",
        "escríbeme un mensaje para la profe",
        "gib mir mal drei Ideen für ein Geschenk",
        "donne-moi 3 idées de repas",
        "me passa uma receita de bolo",
        "dammi due idee per cena",
        "find me a word for sad",
        "给我推荐三本书",
        "メニューを3つ考えて",
    ],
)
def test_a_list_or_an_idea_that_was_asked_for_and_given_is_no_line(said: str) -> None:
    assert proposals_of(("user", said), ("assistant", "Sure: 1. one, 2. two, 3. three.")) == []


def test_what_is_to_be_given_each_time_stands() -> None:
    assert places("gib mir immer zwei Ideen zur Auswahl") == [Place.STANDING]
    assert places("Give me a recipe whenever I say I'm hungry") == [Place.STANDING]


@pytest.mark.parametrize(
    "said",
    [
        "My sister Gemma is expecting but dont say anything to mum if it comes up lol",
        "my sister is expecting but dont say anything to mum if it comes up lol",
        "please don't tell Sarah about the ring",
        "sag Mama nichts davon",
        "no le digas nada a mi madre del viaje",
        "ne dis rien à maman pour la fête",
        "non dire niente a mia suocera",
        "não contes nada à minha mãe",
        "别告诉我妈",
        "母には内緒で",
    ],
)
def test_what_is_to_be_kept_from_somebody_stands_first(said: str) -> None:
    (made,) = proposals_of(("user", said))
    assert (made.place, made.priority) == (Place.STANDING, 5)


@pytest.mark.parametrize(
    "said", ["mum told me don't tell dad", "She said not to say anything to him.", "never say never"]
)
def test_what_others_are_not_to_tell_does_not(said: str) -> None:
    assert Place.STANDING not in places(said)


def test_a_good_night_completes_nothing() -> None:
    asked = "Sneha's scan is on Tuesday at 11.30 at Sahyadri."
    made = proposals_of(
        ("user", asked), ("assistant", "Noted."), ("user", "good night, today very much tired")
    )
    assert not [one for one in made if "night" in one.text.lower()]
