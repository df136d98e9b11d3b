"""What a later statement closes, and what it leaves open: a line closed wrongly is memory lost."""

import pytest
from tests.core.exchanges_by_hand import ended_by, known_of, line_of, proposals_of, texts_of

from scrimshaw.core.types import Kind, Place, Proposal


def open_item(text: str, *, id_: str = "old"):
    return line_of(text, id_=id_, place=Place.OPEN, kind=Kind.NEXT_STEP)


def after_open(before: str, said: str) -> list[Proposal]:
    return proposals_of(("user", said), known=known_of(open_item(before)))


def after_standing(before: str, said: str) -> list[Proposal]:
    return proposals_of(("user", said), known=known_of(line_of(before)))


@pytest.mark.parametrize(
    ("before", "said"),
    [
        ("I've a call with the plumber on 24 November.", "I've finished the tiling of the bathroom."),
        ("I have to complete the safety course by December.", "I've completed the fire drill, 12 minutes."),
        ("I've a physio session booked for 24 November.", "My flight to Malta is booked for 20 December."),
        ("I'll send the figures to Dana by Friday.", "I've sent the photos of the barn to Dana."),
        ("Pick up the suit at Lang's on 24 November.", "I picked up the cake at Lang's, 32 euros."),
        ("Plant 60 tulip bulbs by 30 November.", "I've bought 60 tulip bulbs and the rake is fixed."),
    ],
    ids=["contraction", "verb", "verb and day", "verb and name", "verb and place", "figure"],
)
def test_another_thing_done_closes_nothing(before, said):
    assert ended_by(after_open(before, said)) == []


@pytest.mark.parametrize(
    ("before", "said"),
    [
        ("Course on first aid starts on 1 December.", "I've finished the course on bookkeeping with 88 %."),
        ("Prepare the interview with Helga Lund.", "I've finished the interview with Tom Berg, 40 minutes."),
        ("Chapter 7 has to be finished by 1 December.", "Chapter 6 is finished, 4,200 words."),
        ("Read 20 books until the end of December.", "I've finished a book on sailing, 300 pages."),
        ("Review Sven's draft by Wednesday.", "I've sent my own draft to Lotte, 9 pages."),
        ("Fix OPS-12 until Thursday.", "OPS-13 is fixed, that came up while we were on OPS-12."),
    ],
)
def test_another_of_the_same_sort_done_closes_nothing(before, said):
    assert ended_by(after_open(before, said)) == []


@pytest.mark.parametrize(
    "said",
    [
        "I've finished 60 % of the tax return.",
        "The first page of the tax return is done, 3 to go.",
        "I'm almost done with the tax return, 2 forms are missing.",
        "I have a deadline to complete the tax return, 30 November.",
        "Ana asked whether the tax return is finished, 3 times.",
        "Last year the tax return was finished 3 days late.",
    ],
)
def test_a_part_a_deadline_or_hearsay_closes_nothing(said):
    assert ended_by(after_open("Finish the tax return by 30 November.", said)) == []


def test_a_noun_that_an_item_only_mentions_does_not_close_it():
    proposals = after_open(
        "Prepare the slides on the bridge by Friday, the mayor will be there.",
        "The mayor is done, 2 speeches.",
    )

    assert ended_by(proposals) == []


def test_a_report_that_two_open_items_could_mean_closes_neither():
    known = known_of(
        open_item("The rehearsal in Graz is on 24 November.", id_="one"),
        open_item("The rehearsal in Linz is on 26 November.", id_="two"),
    )

    assert ended_by(proposals_of(("user", "Rehearsal is over, 3 hours."), known=known)) == []


@pytest.mark.parametrize(
    ("before", "said"),
    [
        ("I'll send the figures to Dana by Friday.", "I've sent the figures to Dana."),
        ("I'll send the figures to Dana by Friday.", "Figures are sent, 14 pages."),
        ("I have to finish the tax return by 30 November.", "I've finished the tax return, 640 euros back."),
        ("Rent for the hall is due on 1 December, 420 euros.", "I've paid the rent for the hall."),
        ("I'll sign it with Tom this afternoon.", "The lease is signed, Tom was there at 16:40."),
        ("Order 30 chairs for the hall by Monday.", "The 30 chairs are ordered, they come on 4 December."),
        ("Dentist on Friday at 16:15.", "Dentist done, 80 euros."),
        ("Fix OPS-12 until Thursday.", "OPS-12 is fixed."),
        ("Course on first aid starts on 1 December.", "I've finished the course on first aid with 88 %."),
    ],
)
def test_the_thing_done_closes_the_item_about_it(before, said):
    assert ended_by(after_open(before, said)) == ["old"]


@pytest.mark.parametrize(
    ("before", "said"),
    [
        ("I love hiking with my brother in the hills.", "We moved to a house in the hills with my brother."),
        ("My boss wants 2 reports on Monday.", "The release pushed me to write 3 reports on Monday."),
        ("We should try that trail next time.", "Instead of trying the trail I slept until 9 the next time."),
        ("The office coffee machine is broken.", "We drink tea instead of coffee in the office, 3 pots."),
        ("We use Postgres 17 for the ledger.", "For the cache we use Valkey instead of Redis."),
    ],
    ids=["house", "push", "instead of doing", "another place", "another value"],
)
def test_a_word_for_change_said_of_something_else_replaces_nothing(before, said):
    assert ended_by(after_standing(before, said)) == []


@pytest.mark.parametrize(
    ("before", "said"),
    [
        ("Essay for the paper is due on 5 December.", "The call with Ana on the essay moved from 3 to 5 PM."),
        ("I'll send the figures to Dana by Friday.", "The call with Dana is moved from Friday to Monday."),
        ("Yoga class with Ines on Tuesday at 18:00.", "Pottery class with Ines is cancelled, 2 of 9 came."),
        ("Meeting with the bank on 2 December.", "The meeting with the mayor moved from 2 to 9 December."),
        ("Budget call with Dana on Friday.", "I moved the budget call with Omar to Monday at 11:00."),
        (
            "Coaching session with Greg on 2 December.",
            "I have a coaching session with Greg on 8 December now.",
        ),
    ],
)
def test_another_appointment_replaces_none(before, said):
    assert ended_by(after_open(before, said)) == []


@pytest.mark.parametrize(
    ("before", "said"),
    [
        (
            "I solved a puzzle with 3 rings and 8 pegs.",
            "A puzzle with 5 rings and 9 pegs is actually harder.",
        ),
        ("Our budget for the party is 400 euros.", "Our budget for the trip is now 900 euros."),
        ("My goal is to learn the cello.", "My goal is to swim 2 km, I updated the plan."),
        ("OPS-12 belongs to Priya's team.", "OPS-12 is moved to the next sprint, 4 December."),
        ("The museum closes at 18:00 on weekdays.", "The pool now closes at 20:00 on weekdays."),
        ("Keep answers short: command first.", "From now on add the command's output to answers, 10 lines."),
        ("Cut the essay from 1,200 to 900 words.", "My words a week went up from 1,200 to 1,500."),
    ],
    ids=[
        "other figures",
        "other claim",
        "many goals",
        "ticket",
        "another place",
        "wish beside",
        "same figure",
    ],
)
def test_what_is_told_of_something_alike_replaces_nothing(before, said):
    assert ended_by(after_standing(before, said)) == []


def test_what_happened_on_a_day_stays_whatever_became_of_it():
    ran = line_of("I ran 5 km in 28 minutes on Sunday.", place=Place.LOG)

    proposals = proposals_of(
        ("user", "My time for 5 km went down from 28 to 26 minutes on Sunday."), known=known_of(ran)
    )

    assert ended_by(proposals) == []


def test_a_rule_that_is_mentioned_with_a_change_stays():
    texts = texts_of(
        ("user", "Always name the source when you quote a law."),
        ("assistant", "Noted."),
        ("user", "Since you always name the source when you quote a law, I switched to the edition of 2024."),
    )

    assert "Always name the source when you quote a law." in texts


@pytest.mark.parametrize(
    "said",
    [
        "It is easy to forget that, the cafe on Elm Street changed hands on 3 November.",
        "Nobody knew I was wrong about the cafe on Elm Street, 4 people asked.",
    ],
)
def test_words_of_retraction_inside_a_clause_take_nothing_back(said):
    assert ended_by(after_standing("The cafe on Elm Street knows that I'm allergic to nuts.", said)) == []


def test_a_day_in_common_is_not_what_is_taken_back():
    proposals = after_standing(
        "I sent the forms on 31 October.", "I was wrong about the fence, it can stay until 31 December."
    )

    assert ended_by(proposals) == []


@pytest.mark.parametrize(
    ("before", "said"),
    [
        ("Dinner with Ana on 3 December at 19:30.", "The dinner with Ana is moved to 5 December."),
        ("Dinner with Ana on 3 December at 19:30.", "Dinner moved from 3 December to 5 December."),
        ("Call with Dana on Friday at 10:00.", "I moved the call with Dana to Monday at 11:00."),
        ("Call with Dana on Friday at 10:00.", "The call with Dana was rescheduled to Monday at 11:00."),
        ("The exam is on 4 December in B12.", "The exam is not on the 4th any more but on 11 December."),
        ("My talk in Bern is on 10 December.", "My talk in Bern is cancelled, 20 people had signed up."),
        ("Fix OPS-12 until Thursday.", "OPS-12 is moved to the next sprint, 4 December."),
    ],
)
def test_a_plan_that_moved_or_is_off_replaces_the_earlier_one(before, said):
    assert ended_by(after_open(before, said)) == ["old"]


@pytest.mark.parametrize(
    ("before", "said"),
    [
        ("Our server has 64 GB of memory.", "Our server now has 128 GB of memory."),
        ("We use Redis for the cache.", "For the cache we use Valkey instead of Redis."),
        ("The museum closes at 18:00 on weekdays.", "The museum now closes at 20:00 on weekdays."),
        ("I prefer window seats on long flights.", "From now on I prefer aisle seats on long flights."),
        ("My rent is 740 euros.", "My rent went up to 790 euros."),
        ("Our budget for the party is 400 euros.", "Our budget for the party is now 500 euros."),
        (
            "We keep the spare key at Tom's.",
            "We no longer keep the spare key at Tom's, Ines has it since May.",
        ),
        ("I keep my recipes in Notion.", "I switched from Notion to Obsidian, 300 recipes in one evening."),
        ("Use lowercase keywords in SQL.", "From now on use uppercase keywords in SQL, please."),
        ("The meadow is 8 hectares.", "I misspoke about the meadow, it's 9 hectares, not 8."),
    ],
)
def test_a_new_state_replaces_the_one_it_names_or_tells_anew(before, said):
    assert ended_by(after_standing(before, said)) == ["old"]


def test_a_plan_moved_within_a_window_is_told_once():
    texts = texts_of(
        ("user", "Dinner with Ana on 3 December at 19:30."),
        ("assistant", "Noted."),
        ("user", "The dinner with Ana is moved to 5 December at 20:00."),
    )

    assert texts == ["The dinner with Ana is moved to 5 December at 20:00."]


@pytest.mark.parametrize(
    ("before", "said"),
    [
        (
            "The barn is 40 metres long, with a loft.",
            "By the way I was wrong about the barn, it's 43 metres, not 40. Sven paced it.",
        ),
        (
            "The jumper goes into the blue 30 cm box.",
            "I've changed my mind about the box for the jumper. Not the blue 30 cm, we take the flat one.",
        ),
    ],
)
def test_a_correction_closes_what_it_corrects(before, said):
    assert ended_by(after_standing(before, said)) == ["old"]


@pytest.mark.parametrize(
    ("before", "said"),
    [
        ("The gala is on the 21st.", "Actually the gala's the 22nd not the 21st."),
        ("The assessment is on the 24th.", "They've brought the assessment forward to this Friday."),
        ("The harvest supper is on 12 May.", "The harvest supper slipped to 19 May."),
    ],
)
def test_a_plan_for_another_day_takes_the_place_of_the_one_before(before, said):
    (made,) = after_open(before, said)

    assert made.replaces == ("old",)
    assert made.place is Place.OPEN


def test_the_day_that_is_denied_is_not_the_line_s_day():
    (made,) = proposals_of(("user", "The gala is on the 22nd, not on the 21st."))

    assert made.refers_to is not None
    assert made.refers_to.start.day == 22


@pytest.mark.parametrize(
    ("needless", "needed"),
    [
        ("I no longer need to call the garage.", "Damn, I have to call the garage after all."),
        ("Ich muss die Praxis nicht mehr anrufen.", "Stimmt, dann muss ich die Praxis doch anrufen."),
        ("Ya no tengo que cambiar el hotel.", "Es verdad, tengo que avisar al hotel otra vez."),
        ("Finalement je n'ai plus besoin d'appeler le plombier.", "Il faut quand même appeler le plombier."),
        ("Alla fine non devo più chiamare l'idraulico.", "Devo chiamare di nuovo l'idraulico."),
        ("Afinal já não preciso de trocar o hotel.", "Pois é, tenho de avisar o hotel outra vez."),
        ("不用给酒店打电话了", "对哦，还是得给酒店打电话"),
        ("ホテルに連絡しなくてよくなった", "やっぱりホテルに連絡しないと"),
    ],
)
def test_what_was_needless_and_is_to_be_done_after_all_stands_alone(needless: str, needed: str) -> None:
    turns = ("user", needless), ("assistant", "But that is a Wednesday, too."), ("user", needed)
    (line,) = proposals_of(("user", needless)) or (None,)

    texts = texts_of(*turns)

    assert len(texts) == 1
    assert line is None or line.text not in texts


def test_what_else_the_needless_was_told_with_is_not_lost() -> None:
    turns = (
        ("user", "They moved the MOT, so I don't need to call the garage any more."),
        ("assistant", "The MOT is still on a Friday, though."),
        ("user", "Damn, I have to call the garage after all."),
    )
    (made,) = proposals_of(*turns)

    assert made.place is Place.OPEN
    assert "moved the MOT" in made.text
    assert made.text.endswith("→ Damn, I have to call the garage after all.")


@pytest.mark.parametrize(
    "needed", ["I have to call mum again tomorrow.", "I need to take the car to the tyre place again."]
)
def test_another_matter_leaves_what_is_needless_as_it_is(needed: str) -> None:
    turns = ("user", "I no longer need to call the garage."), ("assistant", "Good."), ("user", needed)

    assert "I no longer need to call the garage." in texts_of(*turns)
