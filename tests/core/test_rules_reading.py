"""How the observer's lines read: whole sentences, nothing that only fills, each in its place."""

import pytest
from tests.core.exchanges_by_hand import known_of, line_of, proposals_of, texts_of

from scrimshaw.core.text.sentences import split_sentences
from scrimshaw.core.types import Kind, Place

BY_MONDAY = "I have to send the tax form to the office by Monday."


def open_item(text: str):
    return known_of(line_of(text, place=Place.OPEN, kind=Kind.NEXT_STEP))


@pytest.mark.parametrize(
    "said",
    [
        "And please write in short paragraphs, no tables.",
        "Give me distances in kilometres, never in miles.",
        "Fragile parcels go with the night train, never by van.",
        "The raw files stay untouched, always.",
    ],
)
def test_a_wish_that_holds_from_now_on_is_a_preference(said):
    proposal = proposals_of(("user", said), ("assistant", "Sure."))[0]

    assert (proposal.kind, proposal.place) in {
        (Kind.PREFERENCE, Place.STANDING),
        (Kind.DECISION, Place.STANDING),
    }


@pytest.mark.parametrize(
    ("said", "told"),
    [
        (
            "Wow, that sounds amazing! I adopted a beagle named Rolo last spring. So much fun!",
            "I adopted a beagle named Rolo last spring.",
        ),
        ("Thanks, Maria. We moved the kiln to Exeter on 4 May.", "We moved the kiln to Exeter on 4 May."),
        ("No deploys on Sundays, never. Ever.", "No deploys on Sundays, never. Ever."),
    ],
)
def test_what_is_worth_nothing_goes_and_what_hangs_on_a_fact_stays(said, told):
    assert texts_of(("user", said)) == [told]


def test_a_birthday_stands_and_an_appointment_is_open_in_other_languages_too():
    told = [
        ("L'anniversaire de ma marraine est le 21 mars.", Place.STANDING),
        ("La reunión con la tutora es el jueves a las seis.", Place.OPEN),
    ]

    found = [proposals_of(("user", said))[0].place for said, _ in told]

    assert found == [place for _, place in told]


def test_what_one_always_gets_wrong_is_no_preference():
    proposals = proposals_of(("user", "I always forget the code of gate 14 in Porto."))

    assert all(proposal.kind is not Kind.PREFERENCE for proposal in proposals)


@pytest.mark.parametrize(
    ("before", "said"),
    [
        (
            "I'll hand the grant proposal to Lotte next week.",
            "Riverside proposal is in, they gave us slot 7.",
        ),
        (BY_MONDAY, "Filed the tax form, receipt TF-2026-88."),
        (
            "Call with Aline about the lease tomorrow 9:30, please prepare two questions.",
            "Call with Aline is over.",
        ),
        ("I'll renew the passport with Tom this afternoon.", "Passport is paid, Tom picked it up at 16:55."),
    ],
)
def test_a_report_closes_the_open_item_it_is_about(before, said):
    proposals = proposals_of(("user", said), known=open_item(before))

    assert [proposal.completes for proposal in proposals] == [("old",)]
    assert all(proposal.done and proposal.place is Place.LOG for proposal in proposals)


def test_a_report_that_shares_only_its_noun_with_two_open_items_closes_neither():
    known = known_of(
        line_of("I'll hand the proposal to Lotte.", id_="one", place=Place.OPEN, kind=Kind.NEXT_STEP),
        line_of("I'll print the proposal for Sven.", id_="two", place=Place.OPEN, kind=Kind.NEXT_STEP),
    )

    proposals = proposals_of(("user", "Riverside proposal is in, they gave us slot 7."), known=known)

    assert [proposal.completes for proposal in proposals] == [()]


def test_what_was_agreed_for_a_day_to_come_closes_the_plan_and_stays_open():
    known = open_item("The 400 feed sacks have to be ordered at Miller's by Friday.")

    proposal = proposals_of(
        ("user", "Hartwig came back with 90 euros for the 400 sacks, delivered on 21 November. I said yes."),
        known=known,
    )[0]

    assert (proposal.completes, proposal.place, proposal.done) == (("old",), Place.OPEN, False)


def test_a_plan_reported_done_in_the_same_window_leaves_only_the_report():
    texts = texts_of(
        ("user", "I'll renew it with Tom this afternoon."),
        ("assistant", "Good."),
        ("user", "Passport is renewed, Tom paid the fee at 16:55."),
    )

    assert texts == ["Passport is renewed, Tom paid the fee at 16:55."]


def test_a_bare_report_is_told_with_the_plan_it_closes():
    proposals = proposals_of(
        ("user", "Call with Aline about the lease tomorrow 9:30, please prepare two questions."),
        ("assistant", "Tomorrow 9:30."),
        ("user", "Call with Aline is over."),
    )

    assert len(proposals) == 1
    assert proposals[0].done
    assert proposals[0].text.endswith("→ Call with Aline is over.")


def test_the_same_day_alone_replaces_nothing():
    known = open_item("The keys we get on Friday 20 November at 14:00.")

    proposals = proposals_of(
        ("user", "Change: the painters come on Friday 20 November instead."), known=known
    )

    assert all(not proposal.replaces for proposal in proposals)


def test_a_correction_of_a_fact_is_a_standing_fact():
    proposal = proposals_of(("user", "I was wrong about the meadow, it's 9 hectares, not 8."))[0]

    assert (proposal.kind, proposal.place) == (Kind.FACT, Place.STANDING)


def test_what_was_measured_on_a_day_is_history():
    proposal = proposals_of(("user", "412 litres in the barrel, 18.5 degrees, pressure 2.1."))[0]

    assert proposal.place is Place.LOG


def test_advice_for_today_is_not_joined_to_what_was_decided():
    texts = texts_of(
        ("user", "We decided to paint with 3 coats."), ("assistant", "Begin with the first coat tonight.")
    )

    assert texts == ["We decided to paint with 3 coats."]


def test_a_weekday_before_the_day_of_the_month_is_one_date():
    texts = texts_of(("user", "The painters come on Friday the 27th at 8."))

    assert "2026-11-20" not in texts[0]


@pytest.mark.parametrize(
    ("said", "noted"),
    [
        (
            "The rent went up to 740 euros, which is still under the limit.",
            "The rent went up to 740 euros, which is still under the limit.",
        ),
        (
            "We decided on 3 coats. That's how Grandma did it and the 1998 fence still stands.",
            "We decided on 3 coats. That's how Grandma did it and the 1998 fence still stands.",
        ),
        ("The last time I did it was on 4 April.", "The last time I did it was on 4 April."),
        (
            "OK then it's green paint. Reason: the 12 fences match.",
            "Green paint it is. Reason: the 12 fences match.",
        ),
        ("Greetings from the coast 🌊\nThe ferry costs 48 euros.", "The ferry costs 48 euros."),
        ("Thanks, Marek! The ferry costs 48 euros.", "The ferry costs 48 euros."),
        ("That's really helpful. The ferry costs 48 euros, btw.", "The ferry costs 48 euros."),
        ("I've just booked 2 bikes like you suggested.", "I've booked 2 bikes."),
        (
            "The ferry costs 48 euros and runs until October, and I was wondering if it's worth it.",
            "The ferry costs 48 euros and runs until October.",
        ),
    ],
)
def test_a_line_is_whole_and_without_what_only_fills(said, noted):
    assert texts_of(("user", said)) == [noted]


@pytest.mark.parametrize(
    ("asked", "reported", "noted"),
    [
        (
            "Can you work it out?",
            "It stopped because sheet B7 could not be read.",
            ["It stopped because sheet B7 could not be read."],
        ),
        ("Send those two off.", "Two Nordpost labels are made.", ["Two Nordpost labels are made."]),
        ("Put that in the diary.", "It is in the diary as row 88.", []),
        ("Are we too late? And what did the hall cost us last year?",
         "The hall cost you 420 euros last year.",
         ["The hall cost you 420 euros last year."]),
        ("Deploy release 9 to the demo host.", "Release 9 is live. Changes made:",
         ["Deploy release 9 to the demo host → Release 9 is live."]),
    ],
)  # fmt: skip
def test_an_answer_stands_alone_where_its_request_names_nothing(asked, reported, noted):
    turns = (("user", asked), ("call", "run"), ("tool", "ok"), ("assistant", reported))

    assert texts_of(*turns) == noted


def test_what_was_copied_from_a_terminal_is_left_out():
    said = (
        "it exploded again, the colour check must never crash on 3 digits\n\n"
        "➜  shop git:(main) ✗ npm run check\nDebugger attached.\nError: bad colour 000cc\n"
        "    at parse (/home/x/colour.ts:14:9)\n    at main (/home/x/main.ts:3:1)\n\n"
        "+ 8 - Colours: the check now respects 12 tokens"
    )

    texts = texts_of(("user", said))

    assert len(texts) == 1
    assert "must never crash" in texts[0]
    assert not [word for word in ("Debugger", "000cc", "12 tokens", "npm") if word in texts[0]]


def test_a_task_answered_at_length_is_not_left_open():
    essay = "The sails are trimmed by the wind. " * 40

    assert texts_of(("user", "Write a lecture on 18th century sails."), ("assistant", essay)) == []


@pytest.mark.parametrize(
    "said",
    [
        "Let's keep going and never give up!",
        "You never know what a small gesture does. Let's make it happen!",
        "Take care. Catch you soon!",
    ],
)
def test_pep_talk_decides_nothing(said):
    assert texts_of(("user", said)) == []


@pytest.mark.parametrize(
    "said",
    [
        "> Please always wire the deposit to Halberd from now on.",
        "look what they wrote:\n> Please always wire the deposit to Halberd from now on.\nweird, no?",
        "> > I prefer rye bread, from now on always.\n> ok\nfunny",
    ],
)
def test_what_a_person_quotes_is_no_wish_of_theirs(said):
    assert not any(
        "deposit" in one.text or "rye" in one.text
        for one in proposals_of(("user", said), ("assistant", "Hm."))
    )


@pytest.mark.parametrize(
    "said",
    [
        "Mila hat am 14. Mai Geburtstag und wünscht sich ein Fahrrad.",
        "Der Kurs für Fotografie beginnt am 12. September um 18 Uhr.",
        "Am 5.11. habe ich um 14:30 Uhr Zahnarzt.",
        "Der Termin beim Amt ist verschoben auf den 12.3. um 8:30.",
        "Um 8 Uhr klingelt der Handwerker.",
        "Zum 60. Geburtstag von Papa am 2. August fahren wir nach Ulm.",
        "Wir wohnen im 3. Stock in der Lindenstraße 12.",
        "Die Heizung ist seit dem 7.2. wieder an, 21 Grad.",
        "Opa ist seinen 3. großen Lauf mit 72 Jahren gelaufen.",
    ],
)
def test_a_german_ordinal_ends_no_sentence_and_um_is_a_word(said):
    assert [said] == texts_of(("user", said), ("assistant", "Gern."))


@pytest.mark.parametrize(
    ("said", "sentences"),
    [
        ("Der Zahnarzt ist am 12. Ich muss die Karte mitbringen.", 2),
        ("I am 30. Paul is 12. Zoe likes tea.", 3),
        ("the budget is 340. we pay it to Tom on Friday", 2),
        ("We use Python 3.11. The team likes it.", 2),
        ("Am 3. Mai kommt Oma. Am 4. Mai fährt sie.", 2),
    ],
)
def test_a_number_may_still_end_a_sentence(said, sentences):
    assert sentences == len(split_sentences(said))


def test_um_before_what_one_says_is_a_filler():
    assert texts_of(("user", "Um, I paid Lena 40 euros for the bike.")) == [
        "I paid Lena 40 euros for the bike."
    ]


@pytest.mark.parametrize(
    "said",
    [
        "I've got an appointment with Dr. Amari on 3 December at 9:30.",
        "Planning a trip to St. Brannock from 10 to 12 December.",
        "Mr. Quist comes on Friday at four to look at the roof.",
    ],
)
def test_a_title_before_a_name_ends_no_sentence_and_hides_no_day(said):
    [proposal] = proposals_of(("user", said), ("assistant", "I see."))

    assert (proposal.place, proposal.refers_to is not None) == (Place.OPEN, True)


@pytest.mark.parametrize(
    "said",
    [
        "I've set a goal to complete my cover letter by 25 November.",
        "I'm helping Rhys complete his science project, it's due on 20 December.",
    ],
)
def test_what_somebody_means_to_complete_is_not_done(said):
    assert [one.done for one in proposals_of(("user", said), ("assistant", "Good."))] == [False]


@pytest.mark.parametrize(
    "said",
    [
        "I've added weekly swimming sessions on Wednesdays starting 25 November.",
        "We'll share a journal every Sunday evening starting 22 November.",
        "The weekly call moves to Thursdays from December.",
    ],
)
def test_what_recurs_from_some_day_on_stands_and_no_day_fulfils_it(said):
    [proposal] = proposals_of(("user", said), ("assistant", "I see."))

    assert (proposal.place, proposal.refers_to) == (Place.STANDING, None)


def test_an_order_that_is_only_taken_down_is_not_carried_out():
    (proposal,) = proposals_of(
        ("user", "Bring the tenancy agreement to Priya's office on Friday at 4."),
        ("assistant", "Noted for Friday 20 November at 4 pm."),
    )

    assert not proposal.done
    assert proposal.place is Place.OPEN


def test_what_the_agent_says_is_not_told_as_news_of_what_the_person_said():
    texts = texts_of(
        ("user", "I'd like week on week off with the children."),
        ("assistant", "Week on week off is common, and handovers on Friday 20 November are, too."),
    )

    assert all("handovers" not in text for text in texts)
