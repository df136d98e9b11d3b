"""What people tell of themselves: what holds for long is noted and stands, a passing state is not."""

import pytest
from tests.core.exchanges_by_hand import known_of, line_of, proposals_of, texts_of

from scrimshaw.core.types import Kind, Place

LASTING = (
    "I'm allergic to penicillin.",
    "I am allergic to hazelnuts, so never suggest a recipe with them.",
    "I'm vegetarian.",
    "I'm a vegetarian.",
    "I live in Porto.",
    "I have two kids.",
    "I work at Acme as a nurse.",
    "I take metformin every morning.",
    "I can't eat gluten.",
    "I am diabetic.",
    "I'm 34.",
    "My daughter Mia is six.",
    "My wife and I live in Ghent.",
    "We live in a small house near Turku.",
    "I've lived in Leeds since 2019.",
    "I have a severe nut allergy.",
    "I'm lactose intolerant.",
    "I don't eat pork.",
    "I don't drink alcohol.",
    "I have asthma.",
    "I suffer from migraines.",
    "My son has epilepsy.",
    "My daughter is allergic to cats.",
    "Theo is allergic to bee stings.",
    "Marta is lactose intolerant.",
    "I'm from Bogotá originally.",
    "I grew up in a village near Graz.",
    "I work as a carpenter.",
    "I'm a nurse at St. Mary's.",
    "I'm a freelance translator.",
    "I teach chemistry at a secondary school.",
    "I'm married to Jonas.",
    "I have a dog called Biscuit.",
    "We have three cats.",
    "I speak German and Portuguese.",
    "My native language is Tamil.",
    "I usually get up at six.",
    "I work night shifts.",
    "I go to the gym every Tuesday and Thursday.",
    "My birthday is on 14 March.",
    "I was born in 1987.",
    "Everyone calls me Teddy.",
    "My pronouns are they/them.",
    "I drive a 2014 Skoda Octavia.",
    "I use a wheelchair.",
    "I wear hearing aids.",
    "My wife is called Helena.",
    "I'm left-handed.",
    "I'm colour-blind.",
    "My mother lives with us.",
    "I work from home on Fridays.",
    "I'm retired.",
    "I run a small bakery in Lyon.",
    "We don't have a car.",
    "I own a flat in Braga.",
    "Hi, I'm Marek, I live in Brno and I'm vegan.",
    "I'm pregnant.",
    "I can't have dairy because I'm lactose intolerant.",
    "I have a peanut allergy so please check every recipe.",
)

PASSING = (
    "I'm tired.",
    "I'm at the station.",
    "I'm on it.",
    "I have a question.",
    "I have two errors in the log.",
    "I work on the parser now.",
    "I take it back.",
    "I live for this.",
    "I can't open the file.",
    "I'm happy with that.",
    "I'm not sure about that.",
    "I'm a bit confused by the output.",
    "I'm a little late.",
    "I'm from the support team meeting just now.",
    "I have a meeting in five minutes.",
    "I have no idea what that means.",
    "I have three tabs open.",
    "I have a bug in my code.",
    "I have a few minutes.",
    "I have to go.",
    "I have an idea.",
    "I have a headache.",
    "I have a feeling this will break.",
    "I have two branches with the same name.",
    "I take your point.",
    "I take full responsibility for that.",
    "I take it you restarted the service.",
    "I'll take the second one.",
    "I can't see the button.",
    "I can't eat right now.",
    "I can't believe it works.",
    "I can't reproduce it on my machine.",
    "I don't understand.",
    "I don't think so.",
    "I don't have access to that repository.",
    "I don't drink and deploy, haha.",
    "I work with what I have.",
    "I'm working on the tests.",
    "I'm allergic to this kind of boilerplate, lol.",
    "I live in the terminal these days.",
    "I'm dead.",
    "I'm in.",
    "I'm fine.",
    "I'm back.",
    "I'm a fan of that approach.",
    "I'm running the tests again.",
    "I'm in a hurry.",
    "I'm in the car.",
    "I'm 90% done.",
    "I'm 10 minutes away.",
    "I'm good, thanks.",
    "I'm done with the dishes.",
    "I'm out of milk.",
    "I'm hungry.",
    "I'm ready when you are.",
    "I'm sick of these flaky tests.",
    "I run the script and nothing happens.",
    "I drive there now.",
    "I get an empty page.",
    "I use the second option.",
    "I wear many hats.",
    "I speak for the whole team.",
    "I own this bug.",
    "I was born ready.",
    "I grew up a lot during this project.",
    "We have a problem.",
    "We have two options here.",
    "We live and learn.",
    "We don't have time for that.",
    "My bad.",
    "My screen is black.",
    "My build has errors.",
    "My test is red again.",
    "My head is spinning.",
    "My brain is mush.",
    "My wife is waiting, be quick.",
    "My son is asleep, so no speaker please.",
    "My daughter is watching a film.",
    "My dog is barking at the mailman.",
    "My guess is the cache.",
    "My question is whether it scales.",
    "Call it a day.",
    "I call it foo.",
    "I usually see this when the cache is cold.",
    "I go with the first one.",
    "I'm vegetarian food tester for a day, just kidding.",
    "Are you allergic to nuts?",
    "It is allergic to change.",
    "The build is allergic to Windows.",
    "Do I live in Porto?",
    "What if I lived in Porto?",
    "I wish I lived in Porto.",
    "If I were a nurse I'd know.",
    "I used to live in a cave, just joking.",
)

# Read only when the rules were done; by the same hand, so that they say little of how far those carry.
LASTING_ASIDE = (
    "I'm allergic to bee stings.",
    "I've got a shellfish allergy.",
    "I'm type 1 diabetic.",
    "I have high blood pressure.",
    "I take 20 mg of lisinopril at night.",
    "We live in Montreal with our two daughters.",
    "I'm originally from Kerala but live in Dublin.",
    "My husband is a firefighter.",
    "I'm a single dad.",
    "My partner's name is Anouk.",
    "My sister lives in Oslo.",
    "I work part-time at a bookshop.",
    "I've been a vegan for eight years.",
    "I don't eat red meat.",
    "I'm hard of hearing.",
    "Our cat is called Miso.",
    "I have a twelve-year-old son.",
    "I speak Spanish at home.",
    "I always go for a swim on Sunday mornings.",
    "I'm a software developer based in Riga.",
    "I'm gluten-free, so don't suggest pasta dishes.",
    "I moved to Lisbon last spring and live alone.",
)

PASSING_ASIDE = (
    "I'm lost.",
    "I'm with you on that.",
    "I'm about to merge this.",
    "I'm afraid it broke again.",
    "I'm at my desk now.",
    "I'm a minute away.",
    "I'm on the train to work.",
    "I'm not a robot, I promise.",
    "I'm getting a timeout.",
    "I have the same issue.",
    "I have a stack trace for you.",
    "I have two servers down.",
    "I have a cold beer waiting.",
    "I have some time tomorrow.",
    "I've got it.",
    "I've got three failing tests.",
    "I take back what I said.",
    "I take a look at it later.",
    "I can't stop laughing.",
    "I can't drink this coffee, it's cold.",
    "I don't care.",
    "I don't eat my own words often.",
    "I live near the edge with this deploy.",
    "I work around it for now.",
    "I go ahead then.",
    "I speak as a user here.",
    "We live in strange times.",
    "We have a deal.",
    "My kids are fighting again.",
    "My husband is in the shower.",
    "My laptop is slow today.",
    "My answer is no.",
    "My son has a football match now.",
    "I use it sometimes.",
    "I run into the same error.",
    "I usually just restart it.",
    "I wear out the F5 key.",
)


def stands(said: str) -> bool:
    proposals = proposals_of(("user", said), ("assistant", "Noted."))
    return any(one.place is Place.STANDING and one.priority >= 4 for one in proposals)


def is_standing_fact(said: str) -> bool:
    proposals = proposals_of(("user", said), ("assistant", "Noted."))
    return any(one.place is Place.STANDING and one.kind is Kind.FACT for one in proposals)


@pytest.mark.parametrize("said", LASTING)
def test_what_holds_of_a_person_stands(said):
    assert stands(said)


@pytest.mark.parametrize("said", PASSING)
def test_a_mood_a_passing_state_or_work_is_no_standing_fact(said):
    assert not is_standing_fact(said)


def test_sentences_that_no_rule_was_made_for_are_mostly_read_right():
    assert sum(map(stands, LASTING_ASIDE)) >= 20
    assert sum(map(is_standing_fact, PASSING_ASIDE)) <= 2


@pytest.mark.parametrize("said", ["I'm allergic to penicillin.", "I’m diabetic.", "I can't eat gluten."])
def test_what_may_do_harm_when_forgotten_is_of_the_highest_priority(said):
    assert [one.priority for one in proposals_of(("user", said))] == [5]


def test_a_standing_instruction_behind_its_reason_is_a_preference_with_the_reason():
    said = "I am allergic to hazelnuts, so never suggest a recipe with them."

    assert [(one.text, one.kind, one.priority) for one in proposals_of(("user", said))] == [
        (said, Kind.PREFERENCE, 5)
    ]


def test_each_of_several_facts_is_a_line_of_its_own():
    assert texts_of(("user", "I'm vegetarian. I live in Porto. I have two kids.")) == [
        "I'm vegetarian.",
        "I live in Porto.",
        "I have two kids.",
    ]


def test_a_fact_before_a_question_is_kept():
    assert texts_of(("user", "I'm vegetarian, what should I cook?")) == ["I'm vegetarian."]


@pytest.mark.parametrize("said", ["I'm allergic to penicillin.", "I prefer tea over coffee."])
def test_what_the_agent_writes_down_itself_still_stands_and_its_writing_is_no_news(said):
    turns = [
        ("user", said),
        ("call", "write MEMORY.md"),
        ("tool", "ok"),
        ("assistant", "Saved to MEMORY.md."),
    ]

    assert [(one.text, one.place) for one in proposals_of(*turns)] == [(said, Place.STANDING)]


def test_a_birthday_stands_and_is_no_plan_that_its_day_closes():
    assert [one.place for one in proposals_of(("user", "My wife's birthday is on 3 May."))] == [
        Place.STANDING
    ]


def test_a_plan_with_a_date_stays_open_whatever_else_is_told_behind_it():
    said = "I'm celebrating with Linda at the lagoon on December 12; I'm 65 and so is she."

    assert [one.place for one in proposals_of(("user", said))] == [Place.OPEN]


@pytest.mark.parametrize(
    ("before", "said"),
    [
        ("I live in Porto.", "I now live in Lisbon."),
        ("I live in Porto.", "We live in Lisbon now."),
        ("I live in Porto.", "I moved from Porto to Lisbon."),
        ("I live in Porto.", "I no longer live in Porto."),
        ("I work at Acme as a nurse.", "I work at Globex now."),
        ("I'm vegetarian.", "I'm no longer vegetarian."),
    ],
)
def test_what_has_changed_replaces_what_was(before, said):
    proposals = proposals_of(("user", said), known=known_of(line_of(before)))

    assert [(one.replaces, one.place) for one in proposals] == [(("old",), Place.STANDING)]


@pytest.mark.parametrize(
    "said",
    [
        "I live in Portugal.",
        "My sister now lives in Oslo.",
        "We moved to Kubernetes.",
        "I now live in a small flat.",
        "I moved from Slack to Zulip.",
    ],
)
def test_what_does_not_say_that_the_home_has_changed_replaces_nothing(said):
    proposals = proposals_of(("user", said), known=known_of(line_of("I live in Porto.")))

    assert all(not one.replaces for one in proposals)


def test_taking_back_what_was_never_noted_leaves_nothing():
    assert texts_of(("user", "I take it back.")) == []
