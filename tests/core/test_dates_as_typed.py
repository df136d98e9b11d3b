"""Dates as people type them in a hurry and in many tongues: the right day, or none."""

from __future__ import annotations

from datetime import UTC, date, datetime

import pytest

from scrimshaw.core.extraction.shown_dates import with_dates
from scrimshaw.core.text.dates import find_dates


def sure(text: str, said: str) -> list[str]:
    """Return the days that surely follow from *text*."""
    found = find_dates(text, datetime.fromisoformat(said))
    return [f"{one.ref.start}{f'/{one.ref.end}' if one.ref.end else ''}" for one in found if one.ref.certain]


def every(text: str, said: str) -> list[str]:
    """Return the first days of all that *text* names, in doubt or not."""
    return [str(one.ref.start) for one in find_dates(text, datetime.fromisoformat(said))]


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("our wedding is on the 19th of march", "2026-03-19"),
        ("dentist 19 may 9.30", "2026-05-19"),
        ("driving test 4 march", "2026-03-04"),
        ("hip op is now the 19th of march at Castle Hill", "2026-03-19"),
        ("dentist is on may 9", "2026-05-09"),
        ("sunday is the 15th of march", "2026-03-15"),
        ("Mothering sunday is 15 april", "2026-04-15"),
        ("tuesday is 4th of feb", "2026-02-04"),
    ],
)
def test_a_month_in_lower_case_is_read_beside_its_day(text: str, day: str) -> None:
    assert [day] == every(text, "2026-01-12 10:00")


@pytest.mark.parametrize(
    "text",
    [
        "I may 5 times do it",
        "they march 10 km",
        "the 3rd may be fine",
        "we 4 march in step",
        "room 12 may be free",
        "I might march 9 miles",
        "She's our Saturday girl",
        "Sunday best please",
        "lessons mon tue thurs",
        "The client pays in 14 days",
        "they pay in 30 days",
        "antibiotics work in 3 days usually",
    ],
)
def test_other_words_and_habits_are_no_dates(text: str) -> None:
    assert every(text, "2026-01-12 10:00") == []


@pytest.mark.parametrize(
    ("text", "days"),
    [
        ("Tu peux me rappeler vendredi d'appeler le dentiste ?", ["2026-03-13"]),
        ("tu viens me voir vendredi ?", ["2026-03-13"]),
        ("tu peux m'appeler demain ?", ["2026-03-12"]),
        ("dispo vendredi?", ["2026-03-13"]),
        ("me puedes recordar el viernes llamar al dentista?", ["2026-03-13"]),
        ("vens na sexta-feira?", ["2026-03-13"]),
        ("tu vieni venerdì?", ["2026-03-13"]),
        ("Fim do mês que vem tenho prova", ["2026-04-30"]),
        ("Fin du mois prochain on part", ["2026-04-30"]),
        ("Alla fine del mese prossimo partiamo", ["2026-04-30"]),
        ("A finales del mes que viene nos mudamos", ["2026-04-30"]),
        ("来月末に引っ越します", ["2026-04-30"]),
        ("来年末に引っ越します", ["2027-12-31"]),
        ("No fim do mês passado mudei", ["2026-02-28"]),
        ("しあさってに歯医者があります", ["2026-03-14"]),
        ("ieri l'altro sono andato dal medico", ["2026-03-09"]),
        ("pasado mañana no, al otro", []),
        ("El dentista es el lunes que viene no, el otro", []),
        ("na segunda que vem não, na outra", []),
        ("Tengo dentista de mañana en ocho", []),
        ("venerdì a otto", []),
        ("Il consiglio di classe è spostato da lunedì 16 a mercoledì 18", []),
        ("La reunión pasa del lunes 16 al miércoles 18", ["2026-03-18"]),
        ("La réunion passe du lundi 16 au mercredi 18", ["2026-03-18"]),
        ("A reunião passa de segunda 16 para quarta 18", ["2026-03-18"]),
        ("The meeting moves from Monday the 16th to Wednesday the 18th", ["2026-03-18"]),
        ("Das Treffen wurde von Montag, dem 16. auf Mittwoch, den 18. verschoben", ["2026-03-18"]),
        ("会议从周一16号改到周三18号", ["2026-03-18"]),
        ("会議は16日の月曜から18日に変更になりました", []),
        ("Estoy de vacaciones del lunes 16 al miércoles 18", ["2026-03-16/2026-03-18"]),
        ("Sono in ferie da lunedì 16 a mercoledì 18", ["2026-03-16/2026-03-18"]),
        ("El alquiler me lo suben a 750 desde abril", ["2026-04-01/2026-04-30"]),
        ("Me cambian el horario desde mayo", ["2026-05-01/2026-05-31"]),
        ("Da aprile pago 50 euro in più", ["2026-04-01/2026-04-30"]),
        ("Vivo aquí desde abril", ["2025-04-01/2025-04-30"]),
        ("他今年32", []),
        ("爸爸今年58岁", []),
        ("我星期一、三、五上课", []),
        ("Le dentiste a décalé au 14, même heure.", ["2026-03-14"]),
        ("Le dentiste c'est le 15 maintenant, à la même heure.", ["2026-03-15"]),
        ("La peluquería me la han pasado al 14, a la misma hora.", ["2026-03-14"]),
        ("Tengo cita el 20 a las 9", ["2026-03-20"]),
        ("Tengo cita el día 20", ["2026-03-20"]),
        ("Vivo en el 14 a la derecha", []),
        ("El autobús 20 sale a las 9", []),
        ("O dentista passou pro dia 14, mesmo horário.", ["2026-03-14"]),
        ("Tenho consulta no dia 20 às 9h", ["2026-03-20"]),
        ("Il dentista ha spostato al 14, stessa ora.", ["2026-03-14"]),
        ("Ho il dentista il 14 alle 15", ["2026-03-14"]),
        ("Abito al 14 di via Roma", []),
        ("看牙改到14号了，同一时间。", ["2026-03-14"]),
        ("我14号上午九点看牙。", ["2026-03-14"]),
        ("坐10号线去公司。", []),
        ("我住3号楼。", []),
        ("穿42号了。", []),
        ("手術が16日に変わった。", ["2026-03-16"]),
        ("14日の9時に歯医者。", ["2026-03-14"]),
        ("3日に1回薬を飲む。", []),
        ("3日の休み。", []),
        ("The dentist's the 14th now", ["2026-03-14"]),
        ("She's the 2nd in her class", []),
        ("Le facteur est passé le 3.", ["2026-03-03"]),
        ("入院して3日になります。", []),
        ("3泊4日の夜行バス。", []),
        ("2日の夜勤です。", []),
        ("3号出口等你。", []),
        ("住3号看得到海。", []),
        ("穿10号去跑步。", []),
        ("我坐2号去公司。", []),
        ("Cojo el 27 a las 8 todos los días.", []),
        ("Prendo il 14 alle 8 ogni giorno.", []),
        ("Vivo en el 3 ahora.", []),
        ("Dal 20 alle 30 persone.", []),
        ("That's the 4th, I'm full.", []),
        ("It's the 2nd and last one.", []),
        ("今年3月去北京", ["2026-03-01/2026-03-31"]),
        ("给改到18号周三下午两点半", ["2026-03-18"]),
        ("我弟27号周五晚上从深圳回来", ["2026-03-27"]),
        ("给改到18号周五", []),
        ("4月20到28号去新疆", ["2026-04-20/2026-04-28"]),
        ("業者さんが3/19(木)に来る", ["2026-03-19"]),
        ("工事は19日(木)で頼んだ", []),
        ("幹事さんに23日までにメールする", ["2026-03-23"]),
        ("l'oral passe au jeu 19 à 8h40, la prof va à un mariage", ["2026-03-19"]),
        ("faut accepter avant lun 16 sinon je perds la place", ["2026-03-16"]),
        ("c'est le jeu 14 points", []),
        ("rdv véto sam 1er août 10h15", ["2026-08-01"]),
        ("reunião com a teresa na qua 18 às 11h", ["2026-03-18"]),
        ("e trocar o turno desse sábado no café", []),
        ("el dentista es vie 13 a las 9", ["2026-03-13"]),
        ("der termin ist mi 18. um 10", ["2026-03-18"]),
        ("volevo fare 10 giorni subito e altri a settembre", []),
        ("Parent teacher meeting is weds 25th, 2.40", ["2026-03-25"]),
        ("He says finance will release by 17th.", ["2026-03-17"]),
        ("Ich muss die Belege von Januar bis Juni sortieren", ["2026-06-01/2026-06-30"]),
    ],
)
def test_days_of_other_tongues_are_right_or_left(text: str, days: list[str]) -> None:
    assert days == sure(text, "2026-03-11 10:00")


@pytest.mark.parametrize(
    ("text", "days"),
    [
        ("they can do the roof on the 4th or the 11th of april", ["2026-04-04", "2026-04-11"]),
        ("on the 14th or 21st of March", ["2026-03-14", "2026-03-21"]),
        ("exams on the 12th, 14th and 19th of June", ["2026-06-12", "2026-06-19"]),
        ("le 4 ou le 11 avril", ["2026-04-04", "2026-04-11"]),
        ("He pays on the 9th and we go on the 11th of april", ["2026-02-09", "2026-04-11"]),
    ],
)
def test_listed_days_are_of_the_month_at_the_end_of_their_list(text: str, days: list[str]) -> None:
    assert days == every(text, "2026-02-06 10:00")


def test_minutes_told_behind_the_hour_are_not_cut_off() -> None:
    text, said = "Ci vediamo giovedì alle 17 e 30", datetime(2026, 3, 4, 10, tzinfo=UTC)
    found = find_dates(text, said)

    assert [one.ref.time for one in found] == ["17:30"]
    assert f"{text} (2026-03-05)" == with_dates(text, found, said.date())


@pytest.mark.parametrize("row", ["the 4th or ", "19 may ", "a 4, ", "周一、三", "del lunes 16 al "])
def test_a_day_behind_a_long_row_of_days_is_read(row: str) -> None:
    found = find_dates(row * 2_000 + ". It is on 2026-04-11", datetime(2026, 2, 6, tzinfo=UTC))

    assert found[-1].ref.start == date(2026, 4, 11)


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("he's on soft food til friday", "2026-03-13"),
        ("I've switched to nights from Monday", "2026-03-16"),
        ("we've dropped to fewer shifts from Wednesday", "2026-03-11"),
        ("I've been on nights from Monday", "2026-03-09"),
    ],
)
def test_till_and_from_a_day_lie_where_the_verb_says(text: str, day: str) -> None:
    assert every(text, "2026-03-10 10:00") == [day]


def test_a_day_and_its_weekday_are_sure_where_only_one_month_has_them_together() -> None:
    # No verb tells whether it lies ahead: the 15th of March is no Wednesday, the 11th of March is one, too.
    assert sure("vistoria na quarta 15", "2026-04-09 10:00") == ["2026-04-15"]
    assert sure("vistoria na quarta 11", "2026-02-09 10:00") == []


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("Declan changed his flight he's in on the 23rd now", "2026-06-23"),
        ("she sold the car and it's collected on the 23rd", "2026-06-23"),
        ("he's landed on the 13th", "2026-06-13"),
        ("she's been in on the 13th", "2026-06-13"),
        ("she's invited for the 23rd", "2026-06-23"),
        ("he's discharged from hospital on the 23rd", "2026-06-23"),
        ("she's operated on on the 23rd", "2026-06-23"),
    ],
)
def test_is_and_has_in_one_short_form_are_told_apart_by_what_follows(text: str, day: str) -> None:
    assert every(text, "2026-06-17 10:00") == [day]


@pytest.mark.parametrize(
    "text",
    [
        "La vete me ha cambiado la cita al viernes a las 10",
        "hanno spostato la visita a venerdì alle 10",
        "le rdv est décalé à vendredi 10h",
    ],
)
def test_what_was_moved_to_a_weekday_is_surely_ahead(text: str) -> None:
    assert sure(text, "2026-06-17 10:00") == ["2026-06-19"]


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("The scan is on Tuesday at 11.30", "The scan is on Tuesday at 11.30 (2026-05-12)"),
        ("Zahnarzt am Dienstag um 11.30 Uhr", "Zahnarzt am Dienstag um 11.30 Uhr (2026-05-12)"),
        ("visita martedì alle 9.45", "visita martedì alle 9.45 (2026-05-12)"),
        ("Zahnarzt am 12.05. um 12.05 Uhr", "Zahnarzt am 12.05. um 12.05 Uhr"),
    ],
)
def test_an_hour_with_a_dot_does_not_hide_the_day(text: str, shown: str) -> None:
    said = datetime(2026, 5, 8, 18, tzinfo=UTC)
    assert with_dates(text, find_dates(text, said), said.date()) == shown


@pytest.mark.parametrize(
    ("text", "said", "days"),
    [
        ("El 28 de noviembre q es sábado", "2026-11-01 18:00", ["2026-11-28"]),
        ("El examen es el 20 de marzo. sábado", "2026-11-16 18:00", ["2027-03-20"]),
        ("Am 28. November, Samstag", "2026-11-01 18:00", ["2026-11-28"]),
        ("We fly on 21 November. Saturday.", "2026-11-09 18:00", ["2026-11-21"]),
        ("15 de maio, sábado", "2026-10-05 18:00", ["2027-05-15"]),
        ("I'm off on 21 November. Saturday we fly", "2026-11-09 18:00", ["2026-11-21", "2026-11-14"]),
        ("She comes for christmas, we decided. 23rd to the 28th.", "2026-10-31 18:00", ["2026-12-28"]),
        ("dinner on 20 November, Thursday lunch", "2026-11-09 18:00", ["2026-11-20", "2026-11-12"]),
    ],
)
def test_days_beside_a_date_or_a_feast_are_of_that_one(text: str, said: str, days: list[str]) -> None:
    assert every(text, said) == days
