"""A line that a statement moves, calls off or alters is told with it, and no other is."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from tests.core.exchanges_by_hand import known_of, line_of, proposals_of, texts_of, window_of

from scrimshaw.core.ledger.observations import accepted
from scrimshaw.core.types import FOLLOWED, Author, Observation, Place, Proposal

_EARLIER, _LATER = datetime(2026, 5, 4, 9, tzinfo=UTC), datetime(2026, 5, 5, 9, tzinfo=UTC)


def _plan(said: str) -> Observation:
    (plan,) = proposals_of(("user", said), said_at=_EARLIER)
    return accepted(plan, window_of(("user", said), said_at=_EARLIER), author=Author.RULES, run_id="by hand")


def _closing(plan: Observation, said: str) -> list[Proposal]:
    made = proposals_of(("user", said), known=known_of(plan), said_at=_LATER)
    return [one for one in made if plan.id in one.replaces or plan.id in one.completes]


@pytest.mark.parametrize(
    ("plan", "moved", "day"),
    [
        ("Parents evening at school 14 May", "They moved the parents evening to 21 May", "2026-05-21"),
        ("Elternabend am 14. Mai um 19 Uhr", "der Elternabend wird auf den 21. Mai verschoben", "2026-05-21"),
        (
            "Kontrolltermin bei Dr. Bekele ist Di 12.5.",
            "der Kontrolltermin ist jetzt Do 14.5. um 8:20",
            "2026-05-14",
        ),
        (
            "La cena con los Ruiz es el viernes 15 de mayo",
            "se cambia la cena al sábado 16 de mayo",
            "2026-05-16",
        ),
        ("rdv véto sam 9 mai 10h15", "véto décalé à mardi 12 mai à 18h", "2026-05-12"),
        (
            "morfologica venerdì 15 maggio ore 9.45, portare impegnativa",
            "morfologica spostata, ora è martedì 19 maggio alle 11",
            "2026-05-19",
        ),
        ("a festa da ana é dia 12 de maio", "A festa da ana foi adiada para 15 de maio", "2026-05-15"),
        ("赛里木湖边那家民宿订到了 5月23号周六住一晚", "民宿跟马老板说好挪到24号周日", "2026-05-24"),
        (
            "LECの模試5月30日(土)のやつ申し込んだよ",
            "模試の日シフト入れられて6月6日(土)に振り替えた",
            "2026-06-06",
        ),
    ],
)
def test_an_appointment_on_another_day_stands_no_more_as_it_was(plan: str, moved: str, day: str) -> None:
    (told,) = _closing(_plan(plan), moved)

    assert told.refers_to is not None
    assert str(told.refers_to.start) == day


@pytest.mark.parametrize(
    ("plan", "said"),
    [
        ("Call with Priya on Friday at 3", "Dentist moved to 12 May, call with Bob on the 14th"),
        ("Vet for Luna on 12 May", "Vet for Max on 20 May now"),
        ("my flight to Rome is on 20 May", "my flight to Oslo moved to 3 June"),
        ("Parents evening at school 14 May", "School play moved to 21 May"),
        ("TÜV am 14. Mai", "Zahnarzt wird auf den 21. Mai verschoben, TÜV bleibt"),
    ],
)
def test_another_appointment_stands_as_it_was(plan: str, said: str) -> None:
    assert _closing(_plan(plan), said) == []


@pytest.mark.parametrize(
    ("stands", "turned"),
    [
        (
            "riepilogo ogni sera alle 18, punti elenco, italiano.",
            "senti il riepilogo alle 18 mi arriva in metro, spostalo alle 19.15",
        ),
        (
            "i nomi dei clienti solo con sigla: BRD, CLT e VNX",
            "niente sigle da ora, usa i nomi veri dei clienti",
        ),
    ],
)
def test_what_stands_is_told_with_what_is_wanted_from_now_on(stands: str, turned: str) -> None:
    (told,) = _closing(_plan(stands), turned)

    assert told.text.endswith(f"{turned[1:]}.")


@pytest.mark.parametrize(
    ("stands", "said"),
    [
        ("Always send me the weekly report on Mondays", "I hate Mondays, ice cream instead"),
        ("Nenn mich bitte Tom", "Ich geh ab jetzt mittwochs zum Sport"),
        ("Keine Nachrichten vor 13 Uhr bitte", "Die Übergabe ist ab jetzt um 17 Uhr"),
        ("Always give prices in euros.", "From now on give distances in miles."),
    ],
)
def test_what_stands_is_left_by_what_is_wanted_of_something_else(stands: str, said: str) -> None:
    assert _closing(_plan(stands), said) == []


@pytest.mark.parametrize(
    ("plan", "off"),
    [
        (
            "Sunday's walk is Kinder Downfall, 9 miles, meet 9.30.",
            "walk is off, 60mph gusts. doing Lyme Park",
        ),
        ("Dinner with the Hills on Friday at 7.", "dinner is off"),
        ("Der Termin beim Friseur ist am 12. Mai um 10 Uhr.", "Der Termin ist abgesagt, sie ist krank"),
        ("Cena con los Ruiz el viernes 15 de mayo.", "la cena se cae, se han puesto malos"),
        ("Sabato 9 maggio ho il mercatino a Ravenna.", "il mercatino è annullato per allerta meteo"),
        ("周六去露营,李雷也来", "露营取消了,下雨"),
    ],
)
def test_what_is_called_off_by_its_word_ends_or_is_told_behind_the_plan(plan: str, off: str) -> None:
    before = _plan(plan)
    (made,) = _closing(before, off)
    assert made.completes == (before.id,) or made.text.startswith(f"{before.text}{FOLLOWED}")


@pytest.mark.parametrize(
    ("plan", "said"),
    [
        ("Trip to Porto on 24 May.", "the trip is off to a good start with the planning"),
        ("Yoga every Tuesday at 7.", "yoga is cancelled today"),
        ("Meeting with Omar on 12 May at 10.", "meeting with Dana is off"),
        ("Dinner with the Hills on 12 May.", "if the dinner is cancelled I'll stay home"),
        ("Dinner with my mother on 12 May.", "my brother's dinner is cancelled"),
        ("Dinner with the Hills on 12 May.", "today's dinner is cancelled"),
        ("Pick up the cake on 12 May.", "dropped the cake at mum's"),
        ("Concert with Leo on 20 May.", "The concert isn't cancelled, phew"),
        ("Concert with Leo on 20 May.", "I was afraid the concert is cancelled, but it's on"),
        ("Cena con Ana el viernes 15 de mayo.", "La cena no se ha cancelado"),
        ("Call with Priya on 20 May about the budget.", "Priya is off this week"),
        ("Buy fish for Saturday.", "The fish is off, it stinks"),
        ("The walk is on Sunday 10 May at 9.", "Saturday's walk is off"),
        ("Dinner with Anna on 20 May.", "Bob's dinner is cancelled"),
        ("Flight to Lisbon on 3 June.", "The flight was cancelled last year too"),
    ],
)
def test_what_is_off_elsewhere_or_once_ends_no_plan(plan: str, said: str) -> None:
    assert _closing(_plan(plan), said) == []


@pytest.mark.parametrize(
    ("habit", "said"),
    [
        ("I take Spanish classes every Thursday.", "As of today the Spanish classes are cancelled for good"),
        ("We have a cleaner every Friday.", "We cancelled the cleaner yesterday"),
    ],
)
def test_a_habit_that_is_off_for_good_ends_whatever_day_is_named(habit: str, said: str) -> None:
    before = _plan(habit)
    (made,) = _closing(before, said)
    assert before.id in (*made.replaces, *made.completes)


@pytest.mark.parametrize(
    ("task", "said"),
    [
        ("Car service due 30 May.", "Booked the car service for 3 June"),
        ("Still to do: put in the tax claim.", "Tax claim submitted"),
    ],
)
def test_what_was_to_be_done_ends_by_its_report(task: str, said: str) -> None:
    before = _plan(task)
    (made,) = _closing(before, said)
    assert before.id in made.completes


def test_a_booking_that_gives_the_event_another_day_does_not_end_it() -> None:
    before = _plan("The AGM is on 21 May in the Methodist hall.")
    (made,) = _closing(before, "Booked the Methodist hall, they only had the 28th so the AGM is now 28 May.")
    assert (made.place, str(made.refers_to and made.refers_to.start)) == (Place.OPEN, "2026-05-28")


@pytest.mark.parametrize(
    ("stands", "said"),
    [
        ("presupuesto total 120 mil pesos.", "subió el presupuesto a 130 mil, mi suegra nos regaló 10"),
        ("周五要交季度报表给刘总", "刘总说报表延到下周一交"),
        ("月謝は5500円です。", "来月から月謝を6000円に上げることにした"),
    ],
)
def test_what_is_otherwise_now_is_told_behind_the_one_line_of_its_thing(stands: str, said: str) -> None:
    before = _plan(stands)
    (made,) = _closing(before, said)
    assert made.text.startswith(f"{before.text.split(' (')[0]}")
    assert FOLLOWED in made.text


@pytest.mark.parametrize(
    ("stands", "said"),
    [
        ("The boiler is a Vaillant, serviced every March.", "The neighbours' boiler is now a Worcester"),
        ("Anna works at Bosch.", "Tom switched to Bosch"),
        ("My flight to Rome is on 20 May.", "We changed trains in Rome"),
        ("I'm allergic to penicillin.", "The penicillin price went up to 12 euros"),
        ("The gym membership costs 39 euros a month.", "The swimming pool costs 45 euros a month now"),
        ("Please write to me before 9.", "we moved bedtime to 8"),
    ],
)
def test_what_is_otherwise_elsewhere_changes_no_line(stands: str, said: str) -> None:
    assert _closing(_plan(stands), said) == []


def test_what_stands_from_now_on_does_not_go_behind_what_was() -> None:
    worked = proposals_of(
        ("user", "Ich habe heute in der Gärtnerei angefangen, 30 Stunden in der Woche."), said_at=_EARLIER
    )
    (before,) = (
        accepted(one, window_of(("user", one.text), said_at=_EARLIER), author=Author.RULES, run_id="by hand")
        for one in worked
    )
    assert before.place is Place.LOG
    said = "Ich arbeite ab Dezember nur noch 25 Stunden in der Woche."
    assert [one.place for one in proposals_of(("user", said), known=known_of(before), said_at=_LATER)] == [
        Place.STANDING
    ]


def test_what_is_otherwise_now_is_of_no_line_that_shares_only_words_in_passing() -> None:
    birthday = line_of("她生日是11月22 我要给她画一本小册子当礼物，20页。")
    cat = "豆包肌酐从210涨到265了 医生说要每天皮下补液100毫升 我要自己学着打。"

    assert texts_of(("user", cat), known=known_of(birthday)) == [cat]


@pytest.mark.parametrize(
    ("visit", "said"),
    [
        (
            "Claire is visiting on 24 May with the kids.",
            "Claire isn't coming any more, Jules has chickenpox.",
        ),
        ("The plumber is coming on 24 May.", "The plumber can't come, his van broke down."),
        ("Claire kommt am 24. Mai mit den Kindern.", "Claire kommt doch nicht, Jules hat Windpocken."),
        ("Claire kommt am 24. Mai mit den Kindern.", "Claire kommt am 24. nicht mehr."),
        ("Claire vient le 24 mai avec les petits.", "Claire ne vient plus le 24, Jules a la varicelle."),
        ("Clara viene el 24 de mayo con los niños.", "Al final Clara no viene, Jules tiene varicela."),
        ("Chiara viene il 24 maggio con i bambini.", "Chiara non viene più il 24."),
        ("A Clara vem no dia 24 de maio com os miúdos.", "Afinal a Clara já não vem dia 24."),
        ("苏苏5月24号来我家住两天。", "苏苏24号来不了了，孩子病了。"),
        ("美咲が5月24日に泊まりに来る。", "美咲、24日来られなくなった。"),
    ],
)
def test_a_visit_of_whom_it_is_said_will_not_come_is_told_with_that(visit: str, said: str) -> None:
    before = _plan(visit)
    (made,) = _closing(before, said)
    assert made.completes == (before.id,) or made.text.startswith(f"{before.text}{FOLLOWED}")


@pytest.mark.parametrize(
    "said",
    [
        "Claire isn't coming alone, she brings Jules.",
        "Jules can't come, he has chickenpox.",
        "If Claire isn't coming I'll bake less.",
        "Claire can't come to choir tomorrow.",
        "Claire's sister isn't coming.",
    ],
)
def test_who_comes_otherwise_or_is_another_leaves_the_visit(said: str) -> None:
    assert _closing(_plan("Claire is visiting on 24 May with the kids."), said) == []
