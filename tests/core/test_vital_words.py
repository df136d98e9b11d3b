"""What is told barely of an illness, a dose or a pregnancy stands; what only sounds so does not."""

from __future__ import annotations

import pytest
from tests.core.exchanges_by_hand import proposals_of

from scrimshaw.core.extraction.personal_statements import is_vital
from scrimshaw.core.types import Place


@pytest.mark.parametrize(
    "said",
    [
        "Ich bin schwanger",
        "Estoy embarazada",
        "Je suis enceinte",
        "Sono incinta",
        "Estou grávida",
        "我怀孕了",
        "妊娠しました",
        "J'ai du diabète",
        "Ho la pressione alta",
        "Tenho diabetes tipo 2",
        "Minha filha tem asma",
        "我女儿有哮喘",
        "我有高血压",
        "娘は喘息です",
        "J'ai une maladie cœliaque",
        "ich hab ne laktoseintoleranz",
        "ich trage einen Herzschrittmacher",
        "Opa ist dement und läuft nachts weg",
        "my wife is deaf in one ear",
        "we're expecting, due in june",
        "dad's new tablets are ramipril 5mg from today",
        "mika hat seit heute das neue spray, flutide 50, morgens und abends je 2 hübe",
        "la neuróloga le ha subido el sinemet a mi madre, ahora 4 al día",
        "我妈今天出院了 医生给她换成达格列净 早上一片",
        "They've put me on atorvastatin, eighty, at night",
        "血圧の薬は毎朝一錠、もう六年続けてる",
    ],
)
def test_what_is_told_barely_of_health_stands_and_is_of_the_highest_priority(said: str) -> None:
    (noted,) = proposals_of(("user", said))

    assert (noted.place, noted.priority) == (Place.STANDING, 5)


@pytest.mark.parametrize(
    "said",
    [
        "They raised the rent again, so I'm comparing flats",
        "They doubled the price of insulin in the US",
        "Write a leaflet for doctors who prescribed statins",
        "每天一颗苹果",
        "早上吃了一片面包",
        "vendiamo due unità al giorno",
        "Der Wasserhahn verliert drei Tropfen pro Tag",
        "Yesterday I took 2 tablets in the evening and slept badly",
        "ayer tomé dos pastillas por la noche",
        "Is it ok to take 400 mg daily",
        "we're expecting a parcel on Friday",
        "I'm expecting a call, due at 3",
        "we're expecting in the region of 40 guests",
        "Estoy ciego, ahí estaban las llaves",
        "Ich bin blind in die Falle getappt",
        "J'ai une migraine, je vais me coucher",
        "No tengo diabetes, salió bien",
        "Ich bin nicht schwanger, zum Glück",
        "quizás estoy embarazada",
        "Si estoy embarazada te digo",
        "Ich glaube ich bin schwanger",
        "Mein Drucker ist schwanger, so dick ist der",
        "Meine Kollegin ist schwanger",
        "ハードディスクががんです",
        "糖尿病ですか?",
        "我抑郁了,股票又跌",
        "电影里我妈妈得了白血病",
        "我担心我有糖尿病",
        "J'ai une allergie aux réunions",
        "Ich habe Krebs gegessen",
        "I'm deaf in one ear from the concert last night",
    ],
)
def test_what_only_sounds_like_it_is_nothing_of_that_kind(said: str) -> None:
    assert not is_vital(said)
