"""Days and hours of other languages: what a note makes of them passes, another day or hour does not."""

from __future__ import annotations

import pytest
from tests.core.judged_by_hand import reason

# What was said on Monday 16 November 2026, what a note may say of when, and what it may not.
SAID = [
    (
        "Am 14. Dezember um 15:30 Uhr habe ich einen Zahnarzttermin.",
        "Zahnarzttermin am 2026-12-14 um 15:30 Uhr",
        "Zahnarzttermin am 2026-12-15 um 15:30 Uhr",
    ),
    (
        "Am 14. Dezember um 15:30 Uhr habe ich einen Zahnarzttermin.",
        "Zahnarzttermin on 14 December at 15:30",
        "Zahnarzttermin on 14 December at 16:30",
    ),
    ("Übermorgen fahren wir nach Graz.", "Fahrt nach Graz am 2026-11-18", "Fahrt nach Graz am 2026-11-17"),
    ("Vor drei Wochen habe ich gekündigt.", "Gekündigt am 2026-10-26", "Gekündigt am 2026-10-19"),
    ("Jeden Freitag gehe ich schwimmen.", "Geht freitags schwimmen", "Geht montags schwimmen"),
    ("Jeden Freitag gehe ich schwimmen.", "Swims on Fridays", "Swims on Tuesdays"),
    ("Wir heiraten im Mai.", "Heirat im Mai", "Heirat im Juni"),
    ("Wir fahren im Sommer nach Kreta.", "Trip to Kreta in summer", "Trip to Kreta in winter"),
    ("Der Kurs beginnt um halb acht abends.", "Der Kurs beginnt um 19:30", "Der Kurs beginnt um 20:30"),
    ("La cita es el 3 de mayo a las 9:30.", "Cita el 2027-05-03 a las 9:30", "Cita el 2027-05-04 a las 9:30"),
    ("Recojo a Ana los martes a las cinco.", "Recoge a Ana los martes", "Recoge a Ana los jueves"),
    ("Recojo a Ana los martes a las cinco.", "Picks up Ana on Tuesdays at 17:00", "Picks up Ana on Mondays"),
    ("Hace dos semanas dejé de fumar.", "Dejó de fumar el 2026-11-02", "Dejó de fumar el 2026-11-09"),
    ("La boda es el mes que viene.", "La boda es en 2026-12", "La boda es en 2027-01"),
    ("El sábado pasado me caí.", "Se cayó el 2026-11-14", "Se cayó el 2026-11-13"),
    (
        "Mon vol part le 5 juillet 2027 à 7h15.",
        "Le vol part le 2027-07-05 à 7:15",
        "Le vol part le 2027-07-06 à 7:15",
    ),
    ("On déménage vendredi prochain.", "Déménagement le 2026-11-20", "Déménagement le 2026-11-19"),
    (
        "Il y a trois jours le frigo est mort.",
        "Le frigo est mort le 2026-11-13",
        "Le frigo est mort le 2026-11-12",
    ),
    ("Tous les jeudis je vois Lucie.", "Voit Lucie le jeudi", "Voit Lucie le lundi"),
    ("En été 2027 on part en Grèce.", "Départ en Grèce en été 2027", "Départ en Grèce en hiver 2027"),
    (
        "A consulta é no dia 3 de março às 15h.",
        "Consulta a 3 de março às 15:00",
        "Consulta a 4 de março às 15:00",
    ),
    ("Depois de amanhã chega a Rita.", "A Rita chega a 2026-11-18", "A Rita chega a 2026-11-17"),
    ("Às sextas-feiras vou à piscina.", "Vai à piscina às sextas-feiras", "Vai à piscina às segundas-feiras"),
    ("Há duas semanas parti o braço.", "Partiu o braço a 2026-11-02", "Partiu o braço a 2026-11-03"),
    (
        "La visita è il 5 luglio alle 9:30.",
        "Visita il 2027-07-05 alle 9:30",
        "Visita il 2027-07-15 alle 9:30",
    ),
    ("Dopodomani arriva Giulia.", "Giulia arriva il 2026-11-18", "Giulia arriva il 2026-11-17"),
    ("Ogni giovedì vado in piscina.", "Va in piscina ogni giovedì", "Va in piscina ogni lunedì"),
    ("Il mese prossimo cambio lavoro.", "Cambia lavoro nel 2026-12", "Cambia lavoro nel 2027-02"),
    ("牙医预约是12月14日下午3点。", "牙医预约是2026-12-14 15:00", "牙医预约是2026-12-15 15:00"),
    ("下周三我开始上班。", "2026-11-25开始上班", "2026-11-26开始上班"),
    ("三天前冰箱坏了。", "冰箱2026-11-13坏了", "冰箱2026-11-12坏了"),
    ("每周五我去游泳。", "Swims on Fridays", "Swims on Mondays"),
    ("会议在下午3点。", "会议在15:00", "会议在16:00"),
    ("来週の水曜日に引っ越します。", "引っ越しは2026-11-25", "引っ越しは2026-11-26"),
    ("昨日洗濯機が壊れました。", "洗濯機が2026-11-15に壊れた", "洗濯機が2026-11-14に壊れた"),
    ("毎週金曜日に泳ぎます。", "Swims on Fridays", "Swims on Mondays"),
    ("会議は午後3時半です。", "会議は15:30", "会議は16:30"),
    ("来月引っ越します。", "引っ越しは2026-12", "引っ越しは2027-03"),
]


@pytest.mark.parametrize(("said", "note"), [(said, note) for said, note, _ in SAID])
def test_a_day_that_follows_from_the_words_is_held_in_each_language(said: str, note: str) -> None:
    assert reason(note, f"U {said}") not in ("date", "time", "number")


@pytest.mark.parametrize(("said", "note"), [(said, note) for said, _, note in SAID])
def test_another_day_is_refused_in_each_language(said: str, note: str) -> None:
    assert reason(note, f"U {said}") != ""


@pytest.mark.parametrize(
    ("note", "said"),
    [
        ("租金是3。", "租金是3万元，每月。"),
        ("家賃は8。", "家賃は8万円です。"),
        ("会议在15：45。", "会议在15：30，有45个人。"),
        ("予算は4、500円。", "予算は4円と500円。"),
        ("我怀孕了。", "我怀孕了吗？"),
        ("我住在北京。", "我住在北京路12号。"),
    ],
)
def test_a_part_of_a_chinese_or_japanese_sentence_is_not_taken_for_the_whole(note: str, said: str) -> None:
    assert reason(note, f"U {said}")
