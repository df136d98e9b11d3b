"""What one would rely on a year later stands; what passes by itself is of its day (training/holds.tsv)."""

import pytest
from tests.core.exchanges_by_hand import proposals_of

from scrimshaw.core.types import Kind, Place
from scrimshaw.core.weighing import Sentence, weigh


@pytest.mark.parametrize(
    ("lasts", "passes"),
    [
        ("My sister Ana teaches maths in Ghent.", "Ana is covering for a colleague till Easter."),
        ("Our plumber is Mr Adeyemi.", "The plumber quoted 340 euros for the new tap."),
        ("We keep hens behind the house.", "The dentist quoted 340 euros for the crown."),
        ("Trabajo de fisioterapeuta en Burgos.", "De momento llevamos 23 inscritos."),
    ],
)
def test_what_lasts_stands_and_what_passes_is_of_its_day(lasts: str, passes: str) -> None:
    for said, stands in ((lasts, True), (passes, False)):
        (made,) = proposals_of(("user", said), ("assistant", "Noted."))
        assert (made.place is Place.STANDING) is stands, said


@pytest.mark.parametrize(
    "said",
    [
        "Long Furrow Cider is me and my husband Owen, plus Beth on Thursdays and Fridays.",
        "The kids have swimming on Tuesdays and Thursdays.",
    ],
)
def test_the_days_of_what_surely_stands_make_it_no_matter_of_this_week(said: str) -> None:
    (made,) = proposals_of(("user", said))
    assert made.place is Place.STANDING


@pytest.mark.parametrize(
    ("said", "place"),
    [
        ("My brother Leo marries Nina on 5 June 2027.", Place.OPEN),
        ("Ich heiße Sabine Krüger.", Place.STANDING),
        ("Mam alergię na orzechy.", Place.STANDING),
    ],
)
def test_a_plan_of_a_distant_day_is_open_and_who_somebody_is_stands(said: str, place: Place) -> None:
    assert [one.place for one in proposals_of(("user", said))] == [place]


@pytest.mark.parametrize("said", ["My wife is in hospital since Monday.", "Leo is ill since Sunday."])
def test_what_is_so_since_a_day_of_this_week_is_of_its_day(said: str) -> None:
    assert [one.place for one in proposals_of(("user", said))] == [Place.LOG]


@pytest.mark.parametrize(
    ("said", "place"),
    [
        ("Rain all three days, played Uno about 400 times.", Place.LOG),
        ("Alle ausgebucht bis Mai!!", Place.OPEN),
    ],
)
def test_what_only_has_the_form_of_a_wish_is_told_as_what_it_is(said: str, place: Place) -> None:
    assert [one.place for one in proposals_of(("user", said))] == [place]


def test_a_sentence_that_lacks_its_subject_is_known_to_tell_too_little() -> None:
    clear = ["We pay the vet 45 euros a visit.", "My brother Tom lives in Leeds."]
    unclear = ["Only on Tuesdays.", "About 45 a visit.", "He said yes till half term."]

    def of(texts: list[str]) -> list[float]:
        return [weigh(Sentence(text, at=1, of=2)).unclear for text in texts]

    assert max(of(clear)) < min(of(unclear))


def test_a_value_that_will_be_replaced_stays_a_line_of_its_own() -> None:
    made = proposals_of(("user", "I called Ewa. The gate code is 4482 now."), ("assistant", "Noted."))

    assert [one.claim is not None for one in made if "4482" in one.text] == [True]


def test_two_things_that_last_are_two_lines() -> None:
    assert len(proposals_of(("user", "Mein Bruder wohnt in Oslo. Unser Hund ist taub."))) == 2


def test_a_visit_is_no_part_of_what_must_never_be_forgotten() -> None:
    made = proposals_of(
        ("user", "My mother is visiting on Saturday. She is diabetic."), ("assistant", "Okay.")
    )

    assert sorted(one.place for one in made) == [Place.OPEN, Place.STANDING]


@pytest.mark.parametrize(
    "said",
    [
        "I'd rather not talk about the accident.",
        "Le chien ne doit pas manger de raisin.",
        "Soy enfermera de noche.",
        "The lease runs until 2029.",
        "O avô tem pacemaker, por isso nada de ressonância.",
    ],
)
def test_what_must_hold_is_not_dated_in_the_log(said: str) -> None:
    assert [one.place for one in proposals_of(("user", said), ("assistant", "Okay."))] == [Place.STANDING]


def test_where_a_sentence_stands_in_its_message_tells_whether_it_is_clear() -> None:
    said = "Only on Tuesdays, in the afternoon."

    behind = weigh(Sentence(said, at=2, of=3)).unclear

    assert behind > weigh(Sentence(said, at=0, of=3)).unclear + 0.05


@pytest.mark.parametrize("said", ["Our shop is closed on Mondays.", "We are closed on Sundays and Mondays."])
def test_what_is_so_every_week_stands_though_it_has_the_form_of_an_event(said: str) -> None:
    (line,) = proposals_of(("user", said), ("assistant", "Noted."))

    assert (line.kind, line.place, line.done) == (Kind.FACT, Place.STANDING, False)


def test_a_row_of_days_without_an_end_is_read_at_once() -> None:
    made = proposals_of(("user", f"We are closed on {'adays' * 50}x."), ("assistant", "Noted."))

    assert all(one.place is not Place.STANDING for one in made)


def test_what_was_to_be_done_is_done_though_its_report_holds_for_long() -> None:
    said = ("We have to deploy the API gateway.", "The API gateway is deployed on Hetzner.")
    told = proposals_of(*(one for text in said for one in (("user", text), ("assistant", "Okay."))))

    assert [(one.text, one.done) for one in told] == [(said[1], True)]


@pytest.mark.parametrize("said", ["Du bist echt eine große Stütze.", "Mein Kopf ist heute aus Watte"])
def test_what_passes_is_not_noted_for_its_capital_letters(said: str) -> None:
    assert not proposals_of(("user", said), ("assistant", "Na dann."))


@pytest.mark.parametrize(
    "said",
    [
        "Newsletter goes out first Monday of the month, copy to Pauline by the Friday before.",
        "Wir haben Mo und Di zu, sonst 9-18 Uhr.",
        "Daniela viene de lunes a viernes de 8 a 15, los findes nos turnamos mi hermana y yo.",
        "Livraison le mardi et le vendredi avant 6h.",
        "C'est le jeudi à 18h, salle des fêtes.",
        "La piscina chiude il lunedì e il giovedì alle 20.",
        "O treino do Davi é às terças e quintas às 18h.",
        "补液有用 医生说改成隔天打。",
        "レッスンは火曜と金曜の10時から。",
        "Nuevo horario de yoga: jueves a las 19:30 desde esta semana, que la profe no puede los miércoles.",
        "Nos horaires: 7h à 13h puis 16h à 19h30.",
        "Orari: 9-13 e 16-19.",
    ],
)
def test_what_is_so_each_time_stands_in_every_language(said: str) -> None:
    assert [one.place for one in proposals_of(("user", said))] == [Place.STANDING]


@pytest.mark.parametrize(
    "said",
    [
        "Right ok, 17.20 an hour anyway, which is more than in spring.",
        "Jana putzt und kostet 18 Euro die Stunde.",
        "Cuesta 395 al mes cada uno, menos mal que el segundo tiene descuento.",
        "Je la paie 14 euros de l'heure.",
        "Prezzi: tazza 18€, ciotola 25, piatto 22.",
        "O orçamento é 9000 euros, nem mais um.",
        "月謝は5500円です。",
    ],
)
def test_a_rate_a_list_of_prices_and_an_amount_in_force_stand(said: str) -> None:
    assert [one.place for one in proposals_of(("user", said))] == [Place.STANDING]


@pytest.mark.parametrize(
    ("said", "place"),
    [
        ("We went swimming every day last week.", Place.LOG),
        ("I have to water the plants every Thursday.", Place.OPEN),
        ("Letzte Woche hat es jeden Tag geregnet.", Place.LOG),
        ("Ayer pagué 12 euros la hora.", Place.LOG),
        ("Ho corso 10 km al giorno per una settimana.", Place.LOG),
        ("Paguei 15 à hora ao homem.", Place.LOG),
        ("先週は毎日残業だった。", Place.LOG),
        ("上周每天都加班了。", Place.LOG),
        ("J'ai regardé les horaires, le train part à 8h40 demain.", Place.OPEN),
    ],
)
def test_what_was_so_each_day_or_is_to_be_done_then_does_not_stand(said: str, place: Place) -> None:
    assert [one.place for one in proposals_of(("user", said))] == [place]


@pytest.mark.parametrize(
    ("said", "place"),
    [
        ("Stove delayed. Now 4 December.", Place.OPEN),
        ("Der Ofen verspätet sich. Jetzt kommt er am 4. Dezember.", Place.OPEN),
        ("Se ha retrasado la estufa. Ahora llega el 4 de diciembre.", Place.OPEN),
        ("The show was a triumph. She sang for the King on 12 May 2019.", Place.LOG),
        ("Got my results. Everything fine, they were taken on 3 November.", Place.LOG),
        ("My back has gone. The move is off for Friday.", Place.LOG),
    ],
)
def test_a_day_ahead_behind_what_happened_is_open(said: str, place: Place) -> None:
    assert [one.place for one in proposals_of(("user", said))] == [place]


@pytest.mark.parametrize(
    "said",
    [
        "Dads council rent going up to 112.40 a week from january its 104.15 now.",
        "Und Sven zahlt ab April 480 Unterhalt, hat er geschrieben.",
        "Le loyer passe à 620 à partir de janvier.",
        "L'affitto sale a 700 da gennaio.",
        "A renda sobe para 650 a partir de janeiro.",
        "房租从下个月涨到3500。",
        "来月から月謝を6000円に上げることにした。",
        "E mudei de telemóvel, novo número 912 555 084. O antigo acabou.",
        "Meine neue Handynummer ist 0171 2345678.",
    ],
)
def test_an_amount_from_some_month_on_and_a_telephone_number_stand(said: str) -> None:
    assert [one.place for one in proposals_of(("user", said))] == [Place.STANDING]


@pytest.mark.parametrize(
    "said",
    [
        "I have to pay the rent by 1 April.",
        "Rent for the cottage from 3 to 10 May is 400.",
        "The deposit of 300 is due in May.",
        "Band 7 pay, 6 months from December 1st.",
        "Ab Montag zahle ich die Miete per Dauerauftrag.",
    ],
)
def test_an_amount_for_once_or_for_a_while_does_not_stand(said: str) -> None:
    assert [one.place for one in proposals_of(("user", said))] == [Place.OPEN]
