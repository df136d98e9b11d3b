"""What a later statement makes of an earlier one, in many genres, and what it leaves alone."""

from __future__ import annotations

import pytest
from tests.core.exchanges_by_hand import ended_by, known_of, line_of, proposals_of, texts_of
from tests.support.effort import lines_run

from scrimshaw.core.extraction.claim_changes import Update, may_update, update_of
from scrimshaw.core.types import Kind, Place


@pytest.mark.parametrize(
    ("before", "now"),
    [
        ("My landlord's name is Mr Pike.", "My new landlord's name is Mrs Soto."),
        ("The swim meet starts at 10:00.", "The swim meet now starts at 11:30."),
        ("I weigh 71 kg.", "I weigh 68 kg now."),
        ("Grandpa lives in the care home on Elm Road.", "Grandpa moved to a flat in Dover."),
        ("I have to call the plumber.", "I called the plumber this morning."),
        ("I need to call the bank.", "Rang the bank."),
        ("We have to pick up the cake at Berger's.", "Picked up the cake at Berger's."),
        ("I need to send the signed contract to Lotte.", "The signed contract to Lotte is sent."),
        ("Our dog weighs 12 kg.", "Our dog weighs 14 kg now."),
        ("I take the 7:15 train.", "I take the 7:45 train now."),
        ("My father is 83.", "Correction: my father is 84."),
        ("Mon père a 83 ans.", "Correction : il a 84 ans."),
        ("Mein Vater ist 83 Jahre alt.", "Korrektur: mein Vater ist 84 Jahre alt."),
        ("Mi padre tiene 83 años.", "Corrección: tiene 84 años."),
        ("O meu pai tem 83 anos.", "Correção: o meu pai tem 84 anos."),
        ("Mio padre ha 83 anni.", "Correzione: mio padre ha 84 anni."),
        ("我父亲83岁。", "更正：我父亲84岁。"),
        ("父は83歳です。", "訂正：父は84歳です。"),
        ("We're going camping in August.", "We're not going camping in August after all."),
        ("I prefer phone calls.", "I no longer prefer phone calls, please email me."),
        ("Send me the report as PDF.", "Send me the report as a spreadsheet instead of PDF."),
        ("My car insurance costs 610 a year.", "My car insurance went up to 655 a year."),
        ("My class is in room 204.", "My class is in room 310 now."),
        ("I play in the Tuesday league.", "I quit the Tuesday league."),
        ("We have 6 hens.", "We have 4 hens now."),
        ("I want to sell the piano.", "I sold the piano."),
        ("I'm on a keto diet.", "I stopped the keto diet."),
        ("The meeting with Farah is on Monday at 3 pm.", "The meeting with Farah is cancelled."),
        ("My team has 9 people.", "My team has grown to 11 people."),
        ("Mein Handyvertrag kostet 25 Euro.", "Mein Handyvertrag kostet jetzt 29 Euro."),
        ("La réunion est à 14:00.", "La réunion est maintenant à 15:30."),
        ("Trabajo en la farmacia Sol.", "Ya no trabajo en la farmacia Sol."),
        ("Il corso costa 80 euro.", "Il corso adesso costa 95 euro."),
    ],
)
def test_a_later_statement_closes_what_it_makes_untrue_or_done(before: str, now: str) -> None:
    assert update_of(now, before) is not None
    assert may_update(now)


@pytest.mark.parametrize(
    ("before", "now"),
    [
        ("My son has a violin lesson on Monday.", "My son has a swimming lesson on Wednesday now."),
        ("I have to call the plumber.", "I called my mother this morning."),
        ("My car insurance costs 610 a year.", "My bike insurance went up to 55 a year."),
        ("My class is in room 204.", "The exam is in room 310 now."),
        ("We have 6 hens.", "We have 4 ducks now."),
        ("I weigh 71 kg.", "My husband weighs 88 kg now."),
        ("I want to sell the piano.", "My cousin sold the piano."),
        ("I'm flying to Riga on 4 May.", "Flights to Oslo have been moved to 6 May."),
        ("I take the 7:15 train.", "What if I take the 7:45 train?"),
        ("I prefer phone calls.", "Some people no longer prefer phone calls."),
        ("The meeting with Farah is on Monday at 3 pm.", "The meeting with Ravi is cancelled."),
        ("We have to pick up the cake at Berger's.", "Picked up the bread at Berger's."),
        ("My team has 9 people.", "The sales team has grown to 11 people."),
        (
            "I need to send the signed contract to Lotte.",
            "I need to send the signed contract to Lotte tomorrow.",
        ),
        ("I live in Lyon.", "I was in Marseille now and then."),
        ("Die Korrektur der Arbeit kostet 200 Euro.", "Die Korrektur der Bücher kostet 300 Euro."),
        ("Mia madre ha 83 anni.", "Correzione: mio padre ha 84 anni."),
        ("Meine Mutter ist 83 Jahre alt.", "Korrektur: mein Vater ist 84 Jahre alt."),
        ("My daughter plays the flute.", "My daughter now also plays the harp."),
        ("I go to the gym on Mondays.", "I go to the gym on Fridays, too."),
        ("I'm on a keto diet.", "My sister stopped the keto diet."),
        ("Our dog weighs 12 kg.", "The cat weighs 4 kg now."),
        ("I have a dentist appointment on 4 May.", "I have a haircut appointment on 6 May now."),
        ("Mein Handyvertrag kostet 25 Euro.", "Mein Internet kostet jetzt 29 Euro."),
        ("Trabajo en la farmacia Sol.", "Mi hermana ya no trabaja en la farmacia Sol."),
        ("My mother lives in Cork.", "My mother's friend moved to Galway."),
        ("I read the paper every morning.", "I read a novel about Rome now."),
        ("I want to learn to sail.", "I finished a course on knots."),
        (
            "Trabalho: segundas e quintas no condomínio, terças na quinta, quartas no hotel.",
            "Avisei o hotel, tudo bem, vou na sexta 20 em vez de quarta.",
        ),
        ("I clean at the hotel on Tuesdays.", "I'm at the hotel on Friday 20th instead of Tuesday."),
        ("Dienstags putze ich im Hotel.", "Ich putze im Hotel am Freitag 20. statt Dienstag."),
        ("Los martes limpio en el hotel.", "Limpio en el hotel el viernes 20 en vez del martes."),
    ],
)
def test_what_only_looks_like_a_change_closes_nothing(before: str, now: str) -> None:
    assert update_of(now, before) is None


@pytest.mark.parametrize(
    "now",
    [
        "Is my rent 910 euros now?",
        "I wish my rent was 600 euros now.",
        "What if my rent went up to 910 euros?",
        "My rent may go up to 910 euros.",
        "My brother's rent is 910 euros now.",
        "The rent of the garage is 90 euros now.",
    ],
)
def test_a_question_a_wish_or_somebody_elses_leaves_the_rent(now: str) -> None:
    assert update_of(now, "My rent is 850 euros.") is None


_OF_ANOTHER = [
    ("I'm allergic to peanuts.", "Theo is no longer allergic to peanuts."),
    ("I'm allergic to peanuts.", "Good news: Theo is no longer allergic to peanuts."),
    ("I'm allergic to peanuts.", "The doctor says Theo is no longer allergic to peanuts."),
    ("I'm allergic to peanuts.", "I'm so happy that Theo is no longer allergic to peanuts."),
    ("I'm allergic to peanuts.", "My neighbour's boy is no longer allergic to peanuts."),
    ("I'm allergic to penicillin.", "Mila is no longer allergic to penicillin."),
    ("I have epilepsy.", "Bruno no longer has epilepsy."),
    ("I have diabetes.", "My cat no longer has diabetes."),
    ("I have diabetes.", "theo no longer has diabetes"),
    ("I'm vegetarian.", "Jonas is no longer vegetarian."),
    ("I work at Siemens.", "Tom no longer works at Siemens."),
    ("I work with Tom at Siemens.", "Tom no longer works at Siemens."),
    ("I have a dog called Bruno.", "Tom's dog Bruno died."),
    ("Theo is allergic to peanuts.", "I'm no longer allergic to peanuts."),
    ("Theo is allergic to peanuts.", "Mila is no longer allergic to peanuts."),
    ("My dog has diabetes.", "My cat no longer has diabetes."),
    ("My dog has diabetes.", "I no longer have diabetes."),
    ("I live in Lyon.", "Theo moved to Marseille."),
    ("Theo lives in Cork.", "The shop moved to Galway."),
    ("Ich bin allergisch gegen Erdnüsse.", "Theo ist nicht mehr allergisch gegen Erdnüsse."),
    ("Theo ist allergisch gegen Erdnüsse.", "Ich bin nicht mehr allergisch gegen Erdnüsse."),
    ("Ich habe Diabetes.", "Meine Katze hat keine Diabetes mehr."),
    ("Soy alérgico a los cacahuetes.", "Theo ya no es alérgico a los cacahuetes."),
    ("Trabajo en Siemens.", "Ya no trabaja en Siemens."),
    ("Je suis allergique aux arachides.", "Theo n'est plus allergique aux arachides."),
]


@pytest.mark.parametrize(("before", "now"), _OF_ANOTHER)
def test_what_has_ended_for_somebody_else_closes_nothing(before: str, now: str) -> None:
    assert update_of(now, before) is None
    for place in (Place.STANDING, Place.OPEN):
        made = proposals_of(("user", now), known=known_of(line_of(before, id_="old", place=place)))
        assert not ended_by(made)
    alone = [one.text for one in proposals_of(("user", before))]
    both = [one.text for one in proposals_of(("user", before), ("assistant", "I see."), ("user", now))]
    assert all(any(text.startswith(one) for text in both) for one in alone)


@pytest.mark.parametrize(
    ("before", "now"),
    [
        ("I'm allergic to peanuts.", "I'm no longer allergic to peanuts."),
        ("Theo is allergic to peanuts.", "Theo is no longer allergic to peanuts."),
        ("My cat has diabetes.", "My cat no longer has diabetes."),
        ("I have a dog called Bruno.", "Our dog Bruno died."),
        ("I have a dog called Bruno.", "Bruno died."),
        ("I'm vegetarian.", "No longer vegetarian."),
        ("I work at Siemens.", "We no longer work at Siemens."),
        ("My sister Ana lives in Cork.", "Ana moved to Galway."),
        ("Ich bin allergisch gegen Erdnüsse.", "Ich bin nicht mehr allergisch gegen Erdnüsse."),
        ("Trabajo en Siemens.", "Ya no trabajo en Siemens."),
        ("Learning the cello.", "I've stopped the cello."),
        ("I take metformin.", "I no longer take metformin."),
        ("I take 5 mg ramipril.", "I no longer take ramipril."),
    ],
)
def test_what_has_ended_for_the_same_one_closes_it(before: str, now: str) -> None:
    assert update_of(now, before) is Update.REPLACED


@pytest.mark.parametrize(
    ("before", "now"),
    [
        ("The rent is 910 now.", "The rent goes up to 1,290 from January."),
        ("The rent is 910.", "From 1 January the rent is 1,290."),
        ("The rent is 910.", "The rent is going to be up to 1,290."),
        ("I work at Siemens.", "From January I no longer work at Siemens."),
        ("My insulin dose is 14 units.", "My insulin dose is 16 units as of next week."),
        ("Die Miete beträgt 910 Euro.", "Die Miete beträgt ab Januar neue 1290 Euro."),
    ],
)
def test_what_changes_on_a_day_to_come_closes_nothing_yet(before: str, now: str) -> None:
    assert update_of(now, before) is None
    made = proposals_of(("user", now), known=known_of(line_of(before, id_="old")))
    assert not ended_by(made)


@pytest.mark.parametrize(
    ("before", "now", "is_replaced"),
    [
        ("Always answer in English.", "Answer in German from now on.", True),
        ("Please write to me in French.", "From now on, write to me in Dutch.", True),
        ("Always answer in English.", "Answer Theo in German from now on.", False),
        ("Always answer in English.", "Write the minutes in German from now on.", False),
        ("Always answer in English.", "Answer in short sentences from now on.", False),
        ("Always cc Ana.", "Cc Ben from now on.", False),
    ],
)
def test_a_wish_of_the_same_form_from_now_on_replaces_the_older(
    before: str, now: str, *, is_replaced: bool
) -> None:
    assert (update_of(now, before) is Update.REPLACED) is is_replaced


@pytest.mark.parametrize(
    "before",
    [
        "My cello concert was on the 28th.",
        "Cello concert on the 28th.",
        "The cello concert on 28 November went well.",
    ],
)
def test_a_habit_that_has_ended_leaves_what_was_on_a_day(before: str) -> None:
    assert update_of("I've stopped the cello.", before) is None


def test_done_and_called_off_are_told_apart() -> None:
    assert update_of("Paid the vet.", "I have to pay the vet.") is Update.DONE
    assert update_of("The dinner with Ana is called off.", "Dinner with Ana on Saturday.") is Update.OFF
    assert update_of("My rent is 910 euros now.", "My rent is 850 euros.") is Update.REPLACED


def test_a_report_too_short_to_be_noted_is_noted_when_it_closes_an_open_item() -> None:
    vet = line_of("I have to pay the vet.", id_="vet", place=Place.OPEN, kind=Kind.NEXT_STEP)

    (made,) = proposals_of(("user", "Paid the vet."), known=known_of(vet))

    assert made.completes == ("vet",)
    assert made.done


def test_what_is_called_off_is_no_open_item() -> None:
    trip = line_of("We're going to Lisbon in May.", id_="trip", place=Place.OPEN, kind=Kind.NEXT_STEP)

    (made,) = proposals_of(("user", "The trip to Lisbon in May is off, sadly."), known=known_of(trip))

    assert made.completes == ("trip",)
    assert (made.place, made.done) == (Place.LOG, False)


def test_a_newer_value_within_one_conversation_leaves_one_line() -> None:
    made = proposals_of(
        ("user", "We're having 15 guests for Thanksgiving."),
        ("assistant", "Lovely."),
        ("user", "We'll be 18 guests for Thanksgiving now, not 15."),
    )

    assert [one.text for one in made] == ["We'll be 18 guests for Thanksgiving now, not 15."]


def test_long_statements_are_compared_in_bounded_time_and_close_nothing() -> None:
    long = "my rent is 850 euros now and " * 400

    assert update_of(long, "My rent is 850 euros.") is None
    assert update_of("a " * 199 + "now", "b " * 199) is None


@pytest.mark.parametrize(
    "words", ["we'll word of the thing ", "my sister said that I like tea and, ", "word "]
)
def test_a_message_without_an_end_is_taken_apart_in_steps_by_its_length(words: str) -> None:
    short, long = (lines_run(lambda n=n: texts_of(("user", words * n))) for n in (200, 1_600))

    assert long < 12 * short  # 8 times as long; the square would be 64


# A pattern with a gap takes the square of the length of what it is given, which no count of lines shows.
@pytest.mark.parametrize("change", ["we no longer use X1", "the trip is off", "X1 is done", "moved to X2"])
def test_what_may_change_an_earlier_line_is_looked_for_in_the_first_characters_alone(change: str) -> None:
    assert may_update(change)
    assert may_update(f"{'a ' * 100}{change}")
    assert not may_update(f"{'a ' * 200}{change}")
