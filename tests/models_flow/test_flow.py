"""What becomes of a window: noted by the model, by the rules, by both, or left for later."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest
from tests.fake_model import FakeModel, FakeOpener, always, in_turn
from tests.models_flow.talking import (
    MODEL,
    MOMENT,
    answered,
    authors,
    by_author,
    choose,
    decided,
    ledger_of,
    lengthy,
    observed,
    placed,
    uncovered,
)
from tests.places import Place

from scrimshaw.core.prompting.fence import Prompt
from scrimshaw.core.types import Author
from scrimshaw.models.model import Answer, Failure, Trouble, Usage
from scrimshaw.services.models.outages import outage_of

# Long enough that nobody waits for it within a call.
_DOWN = Failure(Trouble.SERVER, "The server at 127.0.0.1 has no time.", 600.0)
_KEY = Failure(Trouble.KEY, "The key in LOCAL_KEY was refused.")
_CAPPED = Failure(Trouble.CAP, "The cap of the day is reached.", 3600.0)
_HALF = '{"text": "We decided that unit-1x runs release 1.4.1 in production.", "kind": "decision", '
_HALF += '"priority": 4, "sources": [1]}\n{"text": "We decided th'
_NEVER_SAID = '{"text": "User decided that unit-9x runs release 9.9.9.", "kind": "decision", "priority": 4, '
_NEVER_SAID += '"sources": [1]}\n{"done": 1}'


def _run(place: Place) -> tuple[str, str, bool]:
    with ledger_of(place) as ledger:
        row = ledger.last_run("observe")
    assert row is not None
    return row.observer, row.outcome, bool(row.prompt)


def test_a_model_notes_and_the_ledger_says_so(tmp_path: Path) -> None:
    place = placed(tmp_path, *decided(1, 2))

    report = observed(place, always(answered))

    assert by_author(place) == {Author.MODEL: 2}
    assert "unit-1x" in place.section()
    assert report.observed.noted_by == {MODEL: 1}
    assert report.observed.used is not None
    assert report.observed.used.calls == 1
    assert _run(place) == (MODEL, "written", True)
    assert not uncovered(place)


def test_nothing_new_said_explicitly_covers_the_window(tmp_path: Path) -> None:
    place = placed(tmp_path, *decided(1))

    observed(place, always('{"done": 0}'))

    assert not by_author(place)
    assert not uncovered(place)


@pytest.mark.parametrize("bad", ["", "Sure, here are my notes!", _HALF, "null", _NEVER_SAID, "{}\n" * 50])
def test_a_bad_reply_is_asked_for_once_more_with_the_reason(bad: str, tmp_path: Path) -> None:
    place = placed(tmp_path, *decided(1))
    model = in_turn([bad, answered])

    report = observed(place, model)

    assert len(model.prompts) == 2
    assert model.prompts[0].text != model.prompts[1].text
    assert by_author(place) == {Author.MODEL: 1}
    assert report.observed.noted_by == {MODEL: 1}


def _with_one_turned(prompt: Prompt) -> str:
    """Answer well, but for the first line, which says the opposite of what was said."""
    return answered(prompt).replace("that unit-1x runs", "that unit-1x no longer runs", 1)


def test_in_place_of_a_line_that_does_not_hold_stands_what_was_said(tmp_path: Path) -> None:
    place = placed(tmp_path, *decided(1, 2))
    model = always(_with_one_turned)

    report = observed(place, model)

    found = authors(place)
    assert len(model.prompts) == 2
    assert report.observed.stood_in == 1
    assert len(found) == 2
    assert [who for text, who in found.items() if "that unit-1x runs release 1.4.1" in text] == [Author.RULES]
    assert [who for text, who in found.items() if "unit-2x" in text] == [Author.MODEL]
    with ledger_of(place) as ledger:
        assert [one.rejected.reason for one in ledger.rejections(10)] == ["polarity"]


def test_what_stands_in_waits_for_the_owner_too(tmp_path: Path) -> None:
    place = placed(tmp_path, *decided(1), review="all")

    observed(place, in_turn([_with_one_turned, _with_one_turned]))

    assert not authors(place)
    with ledger_of(place) as ledger:
        assert {"polarity", "pending"} == {one.rejected.reason for one in ledger.rejections(10)}


def test_after_two_bad_replies_the_rules_note_what_no_line_held(tmp_path: Path) -> None:
    place = placed(tmp_path, *decided(1, 2))
    model = always(_HALF)

    report = observed(place, model)

    found = authors(place)
    assert len(model.prompts) == 2
    assert len(found) == 2
    assert [who for text, who in found.items() if "unit-1x" in text] == [Author.MODEL]
    assert [who for text, who in found.items() if "unit-2x" in text] == [Author.RULES]
    assert report.observed.noted_by == {"rules": 1}
    assert "twice" in report.observed.model_trouble
    assert not uncovered(place)


def test_lines_of_both_replies_are_kept_and_none_twice(tmp_path: Path) -> None:
    place = placed(tmp_path, *decided(1, 2))
    second = '{"text": "We decided that unit-2x runs release 2.4.1 in production.", "kind": "decision", '
    second += '"priority": 4, "sources": [3]}\n{"done": 1}'

    observed(place, in_turn([_HALF, second]))

    assert by_author(place) == {Author.MODEL: 2}
    with ledger_of(place) as ledger:
        assert not [line for line in ledger.all_lines() if line.standing.reinforced]


def test_with_defer_a_window_waits_after_two_bad_replies_but_not_for_ever(tmp_path: Path) -> None:
    place = placed(tmp_path, *decided(1), after_bad_reply="defer")
    silent = always("")

    waits = observed(place, silent).observed
    at_once = observed(place, silent, MOMENT + timedelta(minutes=1)).observed
    asked = len(silent.prompts)
    for hours in (1, 3, 6, 9):
        observed(place, silent, MOMENT + timedelta(hours=hours))

    assert (waits.entries, waits.deferred.total(), at_once.deferred.total()) == (0, 1, 1)
    assert asked == 2
    assert by_author(place) == {Author.RULES: 1}
    assert not uncovered(place)


def test_while_the_model_cannot_be_asked_everything_waits_and_nothing_is_lost_or_doubled(
    tmp_path: Path,
) -> None:
    place = placed(tmp_path, *lengthy(1, 2, 3), window_tokens=500)
    good = observed(place, in_turn([answered, _DOWN]))
    waiting = uncovered(place)
    still = observed(place, always(_DOWN), MOMENT + timedelta(minutes=10))

    back = always(answered)
    observed(place, back, MOMENT + timedelta(hours=1))

    assert good.observed.entries == 2
    assert good.observed.deferred.total() == still.observed.deferred.total() == 1
    assert len(waiting) == 4
    assert not uncovered(place)
    assert by_author(place) == {Author.MODEL: 3}
    assert not any("unit-1x" in prompt.text.partition("The conversation:")[2] for prompt in back.prompts)
    with ledger_of(place) as ledger:
        assert outage_of(ledger, MODEL) is None


def test_patience_has_an_end_and_a_good_answer_renews_it(tmp_path: Path) -> None:
    place = placed(tmp_path, *decided(1))
    for minutes in (0, 100, 200):
        observed(place, always(_DOWN), MOMENT + timedelta(minutes=minutes))
    waited = by_author(place)

    observed(place, always(_DOWN), MOMENT + timedelta(minutes=300))
    noted = by_author(place)
    place.say(*decided(2))
    observed(place, always(answered), MOMENT + timedelta(minutes=400))
    place.say(*decided(3))
    again = observed(place, always(_DOWN), MOMENT + timedelta(minutes=401))

    assert not waited
    assert noted == {Author.RULES: 1}
    assert by_author(place) == {Author.RULES: 1, Author.MODEL: 1}
    assert again.observed.deferred.total() == 1


def test_a_night_with_the_lid_closed_does_not_count_as_patience(tmp_path: Path) -> None:
    place = placed(tmp_path, *decided(1))
    observed(place, always(_DOWN))

    morning = observed(place, always(_DOWN), MOMENT + timedelta(hours=12))

    assert morning.observed.deferred.total() == 1
    assert not by_author(place)


@pytest.mark.parametrize("trouble", [Trouble.KEY, Trouble.REQUEST, Trouble.ABSENT])
def test_what_only_the_owner_can_mend_leaves_everything_to_the_rules_at_once(
    trouble: Trouble, tmp_path: Path
) -> None:
    place = placed(tmp_path, *decided(1))

    report = observed(place, always(Failure(trouble, "It is not as it should be.")))

    assert by_author(place) == {Author.RULES: 1}
    assert report.exit_code == 1
    assert "not as it should be" in report.observed.model_trouble
    assert "not as it should be" in place.run("status").out


def test_a_model_that_cannot_even_be_opened_leaves_everything_to_the_rules(tmp_path: Path) -> None:
    place = placed(tmp_path, *decided(1))

    report = observed(place, Failure(Trouble.ABSENT, "The library openai is not installed."))

    assert by_author(place) == {Author.RULES: 1}
    assert report.observed.noted_by == {"rules": 1}


def test_where_somebody_waits_the_rules_note_what_the_model_cannot_be_asked_about(tmp_path: Path) -> None:
    place = placed(tmp_path, *decided(1))

    report = observed(place, always(_CAPPED), may_wait_for_model=False)

    assert by_author(place) == {Author.RULES: 1}
    assert not report.observed.deferred
    assert report.exit_code == 0


def test_with_nothing_new_no_model_is_opened(tmp_path: Path) -> None:
    place = placed(tmp_path, *decided(1))
    observed(place, always(answered))
    opener = FakeOpener(FakeModel())

    from scrimshaw.services.observe.run import run
    from scrimshaw.services.observe.task import ObserveOptions

    run(place.target(), MOMENT, ObserveOptions(opens=opener))

    assert not opener.choices


def test_every_window_is_a_transaction_and_the_cursor_comes_last(tmp_path: Path) -> None:
    place = placed(tmp_path, *lengthy(1, 2, 3), window_tokens=500)
    seen: list[tuple[int, object]] = []

    def look() -> None:
        with ledger_of(place) as ledger:
            seen.append((ledger.counts().covered, ledger._db.rows("select cursor from cursor")))

    def watched(prompt: Prompt) -> str:
        look()
        return answered(prompt)

    look()
    observed(place, always(watched))
    look()

    assert [covered for covered, _ in seen] == [0, 0, 2, 4, 6]
    assert [cursors == seen[0][1] for _, cursors in seen] == [True, True, True, True, False]
    assert not uncovered(place)


def test_on_a_conflict_the_same_reply_is_judged_again_and_nobody_is_asked_twice(tmp_path: Path) -> None:
    place = placed(tmp_path, *decided(1, 2))

    def meanwhile(prompt: Prompt) -> str:
        assert place.run("add", "We decided that unit-1x runs release 1.4.1 in production.").code == 0
        return answered(prompt)

    model = in_turn([meanwhile])
    observed(place, model)

    assert len(model.prompts) == 1
    assert by_author(place) == {Author.PERSON: 1, Author.MODEL: 1}


def test_what_another_process_covered_while_the_model_thought_is_not_observed_again(tmp_path: Path) -> None:
    place = placed(tmp_path, *decided(1))

    def meanwhile(prompt: Prompt) -> str:
        assert place.run("observe", "--session", place.session.key).code == 0
        return answered(prompt)

    report = observed(place, in_turn([meanwhile]))

    assert by_author(place) == {Author.RULES: 1}
    assert report.observed.accepted == 0
    assert place.section().count("unit-1x") == 1


def test_of_a_window_that_was_covered_in_part_only_the_rest_is_taken(tmp_path: Path) -> None:
    place = placed(tmp_path, *decided(1))
    later = decided(1, 2)

    def meanwhile(prompt: Prompt) -> str:
        return answered(prompt)

    observed(place, in_turn([meanwhile]))
    place.say(*later[1:])
    report = observed(place, always(answered))

    assert by_author(place) == {Author.MODEL: 2}
    assert report.observed.entries == 2


def test_what_a_model_repeats_of_its_context_weighs_no_more(tmp_path: Path) -> None:
    place = placed(tmp_path, *decided(1))
    observed(place, always(answered))
    place.say(("What is the weather like?", "I cannot tell."))
    echo = '{"text": "We decided that unit-1x runs release 1.4.1 in production.", "kind": "decision", '
    echo += '"priority": 4, "sources": [1]}\n{"done": 1}'

    observed(place, always(echo))

    with ledger_of(place) as ledger:
        assert [line.standing.reinforced for line in ledger.all_lines()] == [0]


def test_private_conversations_are_the_rules_and_in_no_request(tmp_path: Path) -> None:
    place = placed(tmp_path, *decided(1), private_sessions=["agent:main:explicit:diary*"])
    from tests.stores import FakeSession

    diary = FakeSession(session_id="0d" * 8, key="agent:main:explicit:diary", at_ms=place.session.at_ms)
    diary.user("We decided that unit-7x runs release 7.4.1 in production.")
    diary.assistant("Noted.")
    place.sessions.append(diary)
    place.save()
    observed(place, always(answered))
    place.say(*decided(2))
    model = always(answered)

    observed(place, model)

    found = authors(place)
    assert {text[16:23]: who for text, who in found.items()} == {
        "unit-1x": Author.MODEL,
        "unit-2x": Author.MODEL,
        "unit-7x": Author.RULES,
    }
    assert "unit-1x" in model.prompts[0].text
    assert "unit-7x" not in model.prompts[0].text


def test_a_private_conversation_does_not_wait_for_the_model(tmp_path: Path) -> None:
    place = placed(tmp_path, *decided(1), private_sessions=["agent:main:main"])

    report = observed(place, always(_DOWN))

    assert by_author(place) == {Author.RULES: 1}
    assert not report.observed.deferred
    assert not report.observed.model_trouble


def test_private_text_reaches_neither_the_model_nor_a_file(tmp_path: Path) -> None:
    secret = "We decided that unit-8x runs release 8.4.1 in production."
    place = placed(tmp_path, (f"<private>{secret}</private> " + decided(1)[0][0], "Noted."))
    model = always(answered)

    report = observed(place, model)

    assert "unit-8x" not in model.prompts[0].text
    assert b"unit-8x" not in place.everything_written()
    assert report.observed.redacted == {"private": 1}


def test_with_review_of_all_nothing_is_noted_before_the_owner_says_so(tmp_path: Path) -> None:
    place = placed(tmp_path, *decided(1, 2), review="all")

    report = observed(place, always(answered))

    assert not by_author(place)
    assert not uncovered(place)
    assert (report.observed.pending, report.observed.rejected.total()) == (2, 0)
    with ledger_of(place) as ledger:
        assert {one.rejected.reason for one in ledger.rejections(10)} == {"pending"}
        assert {one.author for one in ledger.rejections(10)} == {Author.MODEL}


@pytest.mark.parametrize(("review", "kept"), [("rejected", 1), ("off", 0)])
def test_what_is_refused_is_kept_for_review_or_not_as_the_owner_says(
    review: str, kept: int, tmp_path: Path
) -> None:
    place = placed(tmp_path, *decided(1), review=review)
    mixed = _NEVER_SAID.replace('{"done": 1}', _HALF.split("\n")[0] + '\n{"done": 2}')

    report = observed(place, always(mixed))

    assert report.observed.rejected.total() == 1
    with ledger_of(place) as ledger:
        assert len(ledger.rejections(10)) == kept


def test_the_cap_defers_and_the_next_day_goes_on(tmp_path: Path) -> None:
    place = placed(tmp_path, *lengthy(1, 2, 3), window_tokens=500, model_patience="3d")
    most = always(lambda prompt: Answer(answered(prompt), Usage(5_000, 100), "fake-1"))
    choose(place, window_tokens=500, model_patience="3d", max_tokens_per_day=12_000)

    today = observed(place, most)
    again = observed(place, most, MOMENT + timedelta(hours=1))
    asked_today = len(most.prompts)
    tomorrow = observed(place, most, MOMENT + timedelta(hours=12))

    assert today.observed.deferred.total() == again.observed.deferred.total() == 1
    assert 1 <= asked_today < 3
    assert again.observed.used is not None
    assert again.observed.used.calls == 0
    assert len(most.prompts) == 3
    assert not tomorrow.observed.deferred
    assert by_author(place) == {Author.MODEL: 3}


def test_a_window_that_ends_badly_each_time_waits_no_longer_than_the_owners_patience(tmp_path: Path) -> None:
    place = placed(tmp_path, *decided(1))
    model = in_turn(["Sure, here are my notes!", _DOWN] * 20)  # each answer ends the outage, and its pauses

    for hour in range(6):
        # A try is noted when it ends: a slow first one must not make four hours a little less.
        observed(place, model, MOMENT + timedelta(hours=hour, minutes=hour))

    assert by_author(place) == {Author.RULES: 1}
    assert not uncovered(place)
    assert len(model.prompts) == 2 * 5


def test_what_a_person_says_is_noted_though_the_prompts_example_says_the_same(tmp_path: Path) -> None:
    said = "Has to tell Ines by 2026-03-04 that choir is on Thursday"
    line = f'{{"text": "{said}", "kind": "next-step", "priority": 4, "sources": [1]}}\n{{"done": 1}}'
    exchange = ("Choir is on Thursday now, I have to tell Ines by 2026-03-04.", "Noted.")
    place = placed(tmp_path, exchange, second_reading="all")

    observed(place, in_turn([line, '{"holds": [1]}']))

    assert authors(place) == {said: Author.MODEL}
