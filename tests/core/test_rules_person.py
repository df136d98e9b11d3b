"""What people tell of themselves: what holds for long is noted and stands, a passing state is not."""

from pathlib import Path

import pytest
from tests.core.exchanges_by_hand import known_of, line_of, proposals_of, texts_of
from tests.support.cases import read_cases

from scrimshaw.core.extraction.claim_changes import Update, update_of
from scrimshaw.core.types import Kind, Place

SAID = {
    name: [said for (said,) in rows]
    for name, rows in read_cases(Path(__file__).with_name("cases") / "person.txt").items()
}


def stands(said: str) -> bool:
    proposals = proposals_of(("user", said), ("assistant", "Noted."))
    return any(one.place is Place.STANDING and one.priority >= 4 for one in proposals)


def is_standing_fact(said: str) -> bool:
    proposals = proposals_of(("user", said), ("assistant", "Noted."))
    return any(one.place is Place.STANDING and one.kind is Kind.FACT for one in proposals)


@pytest.mark.parametrize("said", SAID["lasting"])
def test_what_holds_of_a_person_stands(said):
    assert stands(said)


def test_a_mood_a_passing_state_or_work_is_hardly_ever_a_standing_fact():
    # What form does not tell the weigher has learned: a few of a hundred it takes for more than they are.
    assert sum(map(is_standing_fact, SAID["passing"])) * 16 <= len(SAID["passing"])


def test_sentences_that_no_rule_was_made_for_are_mostly_read_right():
    assert sum(map(stands, SAID["lasting, kept aside"])) >= 20
    assert sum(map(is_standing_fact, SAID["passing, kept aside"])) <= 2


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


@pytest.mark.parametrize(
    ("said", "noted"),
    [
        ("Can you help me plan Mia's birthday? She turns six on the 28th.", "Mia turns six on the 28th"),
        (
            "Any gift ideas for my brother Tom? His telescope broke on 2 May.",
            "Tom's telescope broke on 2 May",
        ),
        # A place is nobody, of several nobody can tell who is meant, and another may have been told of.
        ("Do I need a visa for Japan? She says yes, from 3 May.", "She says yes, from 3 May"),
        (
            "My boss Anna is in Rome. Is Tom's desk free? She moves on 3 May.",
            "My boss Anna is in Rome. Is Tom's desk free? She moves",
        ),
        ("What do Ben and Lea want for the 28th? She has a horse called Max.", "She has a horse called Max"),
    ],
)
def test_who_was_asked_about_is_named_in_what_is_told_next(said, noted):
    lines = proposals_of(("user", said), ("assistant", "Noted."))

    assert any(line.text.startswith(noted) for line in lines)


def test_somebodys_birthday_stands():
    (line,) = proposals_of(("user", "Mum's birthday is on the 3rd of November."), ("assistant", "Noted."))

    assert line.place is Place.STANDING


@pytest.mark.parametrize("said", ["I'm a bit scared to be honest.", "I'm so tired and my back hurts."])
def test_a_mood_does_not_stand(said):
    lines = proposals_of(("user", said), ("assistant", "Oh."))

    assert all(line.place is not Place.STANDING for line in lines)


@pytest.mark.parametrize(
    ("plan", "said"),
    [
        ("I'll call Dr. Patel tomorrow morning.", "Called Dr. Patel, she halved it."),
        ("I'll call Dr. Patel tomorrow morning.", "Yes, I called Dr. Patel."),
        ("Recuérdame llamar al florista el lunes.", "Ya llamé al florista, las flores salen por 650."),
        ("Tengo que llamar al florista.", "He llamado al florista."),
        ("Je dois appeler le plombier demain.", "J'ai appelé le plombier."),
    ],
)
def test_a_report_completes_a_plan_whatever_came_of_it(plan, said):
    assert update_of(said, plan, is_open=True) is Update.DONE


@pytest.mark.parametrize(
    ("said", "place"),
    [
        ("Don't remind me of anything this week.", Place.OPEN),
        ("No emails to clients until Friday please.", Place.OPEN),
        ("Bitte schreib mir diese Woche keine Mails.", Place.OPEN),
        ("Esta semana no me recuerdes nada.", Place.OPEN),
        ("Please answer in German today, my mother in law is reading.", Place.OPEN),
        ("From today on always answer in German.", Place.STANDING),
        ("Ab heute bitte immer auf Deutsch antworten.", Place.STANDING),
        ("As of this week please call me Bob.", Place.STANDING),
        ("Dès aujourd'hui, réponds-moi en français.", Place.STANDING),
        ("Never schedule anything on Fridays.", Place.STANDING),
    ],
)
def test_a_wish_for_some_days_is_open_until_they_have_passed(said: str, place: Place) -> None:
    (made,) = proposals_of(("user", said))
    assert made.place is place
    assert place is Place.STANDING or (made.refers_to is not None and made.refers_to.certain)
