"""What of people's talk is no line, and what a statement keeps when what stands around it goes."""

import pytest
from tests.core.exchanges_by_hand import proposals_of, texts_of

from scrimshaw.core.types import Place


@pytest.mark.parametrize(
    "said",
    [
        "Sure thing, Hedda.",
        "I totally agree, Hedda.",
        "Yeah Hedda, let's keep cheering each other on and spreading joy!",
        "But remember, little steps can make all the difference.",
        "No worries, Hedda. Whenever you need a hand, just let me know.",
        "Your plan for the greenhouse, with the glass and the old bricks, sounds like a dream.",
        "Walking home along the river must have been wonderful.",
        "A good garden has a way of teaching us patience.",
        "Do your homework and find a good teacher or a choir.",
    ],
)
def test_cheering_comments_advice_and_what_holds_for_everybody_are_not_noted(said):
    assert texts_of(("user", said), ("assistant", "Thank you!")) == []


@pytest.mark.parametrize(
    "said",
    [
        "Please remember that the ladder is in the cellar.",
        "Your invoice of 3 May is still unpaid, 240 euros.",
        "Sounds good, the piano comes on 4 June.",
        "I can't walk far since the operation in Bergen.",
        "Still have to call the bank about the two cards.",
    ],
)
def test_what_only_looks_like_it_is_noted(said):
    assert len(texts_of(("user", said), ("assistant", "Noted."))) == 1


@pytest.mark.parametrize(
    ("said", "told"),
    [
        (
            "I'm planning a feast for my aunt, how can I keep it cheap for 30 guests at the Grange on 4 May?",
            "Planning a feast for my aunt, for 30 guests at the Grange on 4 May.",
        ),
        (
            "We spent 900 euros on the hall, is that fine for 45 guests?",
            "We spent 900 euros on the hall, for 45 guests.",
        ),
        (
            "Our score went from 6 to 7 since March, how can we keep it up by 30 June?",
            "Our score went from 6 to 7 since March; asked: How can we keep it up by 30 June?",
        ),
        (
            "We spent 11 months on it with Rosa, how can we make the party on 20 December a success?",
            "We spent 11 months on it with Rosa; asked: How can we make the party on 20 December a success?",
        ),
        (
            "I've thought about it, and since we've moved his bed to 8 pm on 3 March, do I let Tom read?",
            "I've thought about it, and we've moved his bed to 8 pm on 3 March.",
        ),
        (
            "We've ordered 10 meals from Rosa's Bakery, what's the best way to serve them?",
            "We've ordered 10 meals from Rosa's Bakery.",
        ),
        (
            "I did the draft of 4,000 words, can you read it, especially as Oda and I are meeting on 4 May?",
            "I did the draft of 4,000 words; Oda and I are meeting on 4 May.",
        ),
        (
            "I'm torn between the two, so I agreed with Oda to see one on 4 May.",
            "I agreed with Oda to see one on 4 May.",
        ),
    ],
)
def test_of_a_question_around_a_fact_the_fact_stays_and_what_leads_to_a_fact_goes(said, told):
    assert texts_of(("user", said), ("assistant", "Here are some ideas to begin with, in no order.")) == [
        told
    ]


@pytest.mark.parametrize(
    ("said", "told"),
    [
        (
            "My landlord has my deposit of 900 euros, when do I get it back?",
            "My landlord has my deposit of 900 euros.",
        ),
        ("Rosa has this cat called Mo, do you like cats?", "Rosa has this cat called Mo."),
        ("At Siemens the new boss is Petra Kohl, is that Dutch?", "At Siemens the new boss is Petra Kohl."),
        ("As a vegetarian with a nut allergy, what should I eat?", "As a vegetarian with a nut allergy."),
        ("Can you check my CV as I am applying at Siemens on 3 June?", "Applying at Siemens on 3 June."),
        ("What bike fits as I do 40 km a day to Ghent?", "I do 40 km a day to Ghent."),
        ("We fly to Lisbon on 4 May any tips?", "We fly to Lisbon on 4 May."),
        ("My deadline is 4 May, also give me a checklist.", "My deadline is 4 May."),
        (
            "My aunt Lena, who's a nurse in Ghent, gets married on 3 May, what gift is nice?",
            "My aunt Lena, who's a nurse in Ghent, gets married on 3 May.",
        ),
        (
            "I want you to know that my mother died in June.",
            "I want you to know that my mother died in June.",
        ),
        ("I got the job at Siemens, can you believe it?", "I got the job at Siemens."),
        ("Remind me to call Karl on Friday, can you?", "Remind me to call Karl on Friday (2026-11-20)."),
        (
            "My friend 田中 lives in Ghent and works at Siemens",
            "My friend 田中 lives in Ghent and works at Siemens.",
        ),
    ],
)
def test_what_is_told_before_a_question_stays_whole(said, told):
    assert texts_of(("user", said), ("assistant", "OK.")) == [told]


@pytest.mark.parametrize(
    "said",
    [
        "I want you to show me how to deploy Atlas by Friday.",
        "OK now show me how to deploy Atlas.",
        "Let's talk about how to save 3,000 euros.",
        "I'm keen to know how to get a visa for Canada.",
        "I can't figure out how to fix the Volvo.",
        "I'm looking for any advice on my Volvo.",
        "do you think it'll rain on Saturday",
    ],
)
def test_what_only_asks_is_no_statement(said):
    assert texts_of(("user", said), ("assistant", "OK.")) == []


def test_what_the_rest_hangs_on_stays():
    said = "I'm trying to read more, and I've managed to bring it up from 2 to 5 books since May."

    assert texts_of(("user", said), ("assistant", "Well done."))[0].startswith("Trying to read more, and")


@pytest.mark.parametrize(
    ("said", "place"),
    [
        ("We decided to host the wake on 4 May at our house with 18 guests.", Place.OPEN),
        ("We decided to keep Sundays free of meetings.", Place.STANDING),
        ("We decided to close the shop at noon starting 4 May.", Place.STANDING),
        ("I'm struggling with the hinge of the garden gate that Uncle Poul built.", Place.LOG),
    ],
)
def test_what_is_decided_for_a_day_is_open_what_holds_stands_and_what_one_is_at_is_of_its_day(said, place):
    assert [one.place for one in proposals_of(("user", said), ("assistant", "Noted."))] == [place]


def test_a_question_without_its_mark_is_one_and_what_it_tells_on_the_way_is_noted():
    said = "How can I save more for the boat, as we agreed on 300 euros a month"

    assert texts_of(("user", said), ("assistant", "Well.")) == ["We agreed on 300 euros a month."]
