"""Short conversations in one question: each is noted, covered, left and undone as if it had been alone."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest
from tests.fake_model import FakeModel, always, in_turn
from tests.models_flow.talking import (
    MOMENT,
    answered,
    answered_twice,
    by_author,
    decided,
    ledger_of,
    lengthy,
    notes_in,
    observed,
    placed,
    uncovered,
)
from tests.places import Place
from tests.stores import FakeSession

from scrimshaw.core.types import Author
from scrimshaw.models.model import Failure, Trouble

_DOWN = Failure(Trouble.SERVER, "The server has no time.", 600.0)
_DAY_MS = 86_400_000


def _talks(place: Place, *numbers: int, key: str = "agent:main:explicit:talk-{}", days: int = 0) -> None:
    """Let somebody have a short conversation for each of *numbers*."""
    for number in numbers:
        session = FakeSession(key=key.format(number), session_id=f"{number:08d}-0000-4000-8000-000000000000")
        session.at_ms += number * 60_000 + days * number * _DAY_MS
        for said, answer in decided(number):
            session.user(said)
            session.assistant(answer)
        place.sessions.append(session)
    place.save()


def _sessions_of(place: Place) -> dict[str, str]:
    """Return which unit was noted of which session, by the unit."""
    with ledger_of(place) as ledger:
        lines = [line.observation for line in ledger.all_lines()]
    return {line.text.partition("that ")[2].split()[0]: line.session_id for line in lines}


def test_short_conversations_share_a_question_and_each_keeps_what_is_its_own(tmp_path: Path) -> None:
    place = placed(tmp_path)
    _talks(place, 1, 2, 3)
    model = always(answered)

    report = observed(place, model)

    assert len(model.prompts) == 1
    assert _sessions_of(place) == {f"unit-{n}x": place.sessions[n].session_id for n in (1, 2, 3)}
    assert by_author(place) == {Author.MODEL: 3}
    assert (report.observed.windows, report.observed.used and report.observed.used.calls) == (3, 1)
    assert not uncovered(place)
    assert not observed(place, always(answered)).observed.entries


def test_where_a_conversation_begins_is_said_with_its_day(tmp_path: Path) -> None:
    place = placed(tmp_path)
    _talks(place, 1, 2)
    model = always(answered)

    observed(place, model)

    text = model.prompts[0].text
    assert "2 conversations" in text
    assert [line.split(",")[0] for line in text.splitlines() if line.startswith("--- ")] == [
        "--- conversation 1",
        "--- conversation 2",
    ]
    assert text.index("--- conversation 2") < text.index("[3] ")


def test_no_more_is_joined_than_a_window_holds(tmp_path: Path) -> None:
    place = placed(tmp_path, window_tokens=500)
    _talks(place, *range(1, 31))
    model = always(answered)

    observed(place, model)

    assert 1 < len(model.prompts) < 15
    assert all(len(prompt.text) < 4_500 for prompt in model.prompts)
    assert by_author(place) == {Author.MODEL: 30}


def test_a_long_conversation_goes_alone_and_the_short_ones_around_it_together(tmp_path: Path) -> None:
    place = placed(tmp_path, window_tokens=600)
    _talks(place, 1)
    for said, answer in lengthy(2):
        place.sessions.append(FakeSession(key="agent:main:explicit:long"))
        place.sessions[-1].user(said)
        place.sessions[-1].assistant(answer)
    _talks(place, 3)
    model = always(answered)

    observed(place, model)

    said = [prompt.text.partition("=== entries")[2] for prompt in model.prompts]
    held = [{number for number in (1, 2, 3) if f"unit-{number}x runs" in text} for text in said]
    assert sorted(held, key=len) == [{2}, {1, 3}]


def test_of_a_private_conversation_nothing_is_in_a_shared_question(tmp_path: Path) -> None:
    place = placed(tmp_path, private_sessions=["agent:main:explicit:talk-2"])
    _talks(place, 1, 2, 3)
    model = always(answered)

    observed(place, model)

    assert len(model.prompts) == 1
    assert not any("unit-2x" in prompt.text for prompt in model.prompts)
    assert by_author(place) == {Author.MODEL: 2, Author.RULES: 1}


def test_a_bad_answer_to_several_is_thrown_away_and_each_is_asked_about_alone(tmp_path: Path) -> None:
    place = placed(tmp_path)
    _talks(place, 1, 2, 3)
    model = in_turn(["Here are my notes!", answered, answered, answered])

    report = observed(place, model)

    assert len(model.prompts) == 4
    assert all("conversation 1" not in prompt.text for prompt in model.prompts[1:])
    assert by_author(place) == {Author.MODEL: 3}
    assert not report.observed.model_trouble


def test_a_deferral_leaves_all_of_them_and_the_next_run_asks_about_them_together(tmp_path: Path) -> None:
    place = placed(tmp_path)
    _talks(place, 1, 2, 3)

    waits = observed(place, always(_DOWN)).observed
    waiting = uncovered(place)
    back = always(answered)
    observed(place, back, MOMENT.replace(hour=23))

    assert waits.deferred.total() == 3
    assert len(waiting) == 6
    assert len(back.prompts) == 1
    assert by_author(place) == {Author.MODEL: 3}
    assert not uncovered(place)


def test_over_what_it_gave_up_a_model_is_asked_alone_the_next_time(tmp_path: Path) -> None:
    place = placed(tmp_path)
    _talks(place, 1, 2)
    observed(place, always(Failure(Trouble.TIMEOUT, "It took too long.", 600.0)))
    back = always(answered)

    observed(place, back, MOMENT.replace(hour=23))

    assert len(back.prompts) == 2
    assert by_author(place) == {Author.MODEL: 2}


def test_what_another_process_noted_while_the_model_thought_is_not_noted_again(tmp_path: Path) -> None:
    place = placed(tmp_path)
    _talks(place, 1, 2, 3)

    def meanwhile(prompt):  # type: ignore[no-untyped-def]
        assert place.run("observe", "--session", "agent:main:explicit:talk-2").code == 0
        return answered(prompt)

    observed(place, in_turn([meanwhile]))

    with ledger_of(place) as ledger:
        found = Counter(line.observation.text for line in ledger.all_lines())
    assert set(found.values()) == {1}
    assert len(found) == 3
    assert not uncovered(place)


@pytest.mark.parametrize("written_of", [1, 2])
def test_a_line_of_two_conversations_becomes_the_one_s_that_bears_it_out(
    written_of: int, tmp_path: Path
) -> None:
    place = placed(tmp_path)
    _talks(place, 1, 2)
    text = f"We decided that unit-{written_of}x runs release {written_of}.4.1 in production."
    line = json.dumps({"text": text, "kind": "decision", "priority": 4, "sources": [1, 3]})

    observed(place, always(f'{line}\n{{"done": 1}}'))

    assert _sessions_of(place) == {f"unit-{written_of}x": place.sessions[written_of].session_id}


def test_a_line_that_takes_both_conversations_to_hold_is_refused(tmp_path: Path) -> None:
    place = placed(tmp_path)
    _talks(place, 1, 2)
    text = "User decided that unit-1x runs release 1.4.1 and unit-2x release 2.4.1."
    line = json.dumps({"text": text, "kind": "decision", "priority": 4, "sources": [1, 3]})
    good = json.dumps({"text": decided(1)[0][0], "kind": "decision", "priority": 4, "sources": [1]})

    observed(place, always(f'{good}\n{line}\n{{"done": 2}}'))

    with ledger_of(place) as ledger:
        assert text in [one.rejected.proposal.text for one in ledger.rejections(10)]
        assert text not in [line.observation.text for line in ledger.all_lines()]


def test_one_second_reading_reads_the_lines_of_all(tmp_path: Path) -> None:
    place = placed(tmp_path, second_reading="all")
    _talks(place, 1, 2, 3)
    model = always(answered_twice)

    observed(place, model)

    assert [notes_in(prompt.text) for prompt in model.prompts] == [0, 3]
    assert by_author(place) == {Author.MODEL: 3}


def test_a_lone_short_conversation_does_not_wait_for_another(tmp_path: Path) -> None:
    place = placed(tmp_path)
    _talks(place, 1)
    model: FakeModel = always(answered)

    observed(place, model)

    assert "--- conversation" not in model.prompts[0].text
    assert not uncovered(place)


@pytest.mark.parametrize(("ceiling", "expected"), [(30_000, [1, 2, 3]), (1_000, [3, 2, 1])])
def test_of_a_backlog_over_the_ceiling_the_newest_days_come_first(
    ceiling: int, expected: list[int], tmp_path: Path
) -> None:
    place = placed(tmp_path, window_tokens=500, message_threshold=ceiling)
    for number in (1, 2, 3):
        session = FakeSession(key=f"agent:main:explicit:{number}")
        session.at_ms += number * _DAY_MS
        session.user(decided(number)[0][0])
        session.assistant(" ".join(f"word{number}{n:x}{n * 7919 % 997}" for n in range(700)))
        place.sessions.append(session)
    place.save()
    model = always(answered)

    observed(place, model)

    asked = [prompt.text.partition("=== entries")[2] for prompt in model.prompts]
    assert [next(n for n in (1, 2, 3) if f"unit-{n}x" in text) for text in asked] == expected
    assert ["said later than this" in prompt.text for prompt in model.prompts[1:]] == [ceiling < 30_000] * 2
    assert by_author(place) == {Author.MODEL: 3}
    assert not uncovered(place)
