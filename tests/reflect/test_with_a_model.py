"""A reflection with a model: what it does to the ledger, and that no model can block or break it."""

import json
import re
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime
from functools import partial
from pathlib import Path

import pytest
from tests.core.plans_by_hand import notebook, said
from tests.fake_model import FakeModel, FakeOpener, Said, always, in_turn
from tests.places import NOW, Place
from tests.reflect.ledgers import (
    DEPLOY,
    DIARY,
    LATER,
    a_place,
    closed,
    fill,
    go_over,
    merging,
    numbers_in,
    texts_of,
    with_settings,
)

from scrimshaw.core.consolidation.rules import reflect as rules
from scrimshaw.core.ledger.lifecycle import replay
from scrimshaw.core.prompting import reflect_prompt
from scrimshaw.core.prompting.fence import Prompt
from scrimshaw.core.types import Author, Closed, Event, EventType, Line
from scrimshaw.models.model import Answer, Failure, Trouble, Usage
from scrimshaw.services.models.client import Waits, consultant
from scrimshaw.services.observe.task import RunStopped
from scrimshaw.services.reflect import ask_model
from scrimshaw.services.reflect import run as job
from scrimshaw.services.reflect.run import ReflectOutcome

MERGES = merging(DEPLOY, *texts_of(["fail", "lock"]))
NOTHING = closed()


@pytest.fixture(autouse=True)
def _nobody_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pauses between tries are another suite's matter."""
    passed = [0.0]

    def sleep(seconds: float) -> None:
        passed[0] += max(seconds, 0.001)

    waits = Waits(monotonic=lambda: passed[0], sleep=sleep)
    monkeypatch.setattr(ask_model, "consultant", partial(consultant, waits=waits))


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return a_place(tmp_path)


def _texts(place: Place) -> set[str]:
    with place.ledger() as ledger:
        return {line.observation.text for line in ledger.live_lines()}


def _standings(place: Place) -> dict[str, object]:
    with place.ledger() as ledger:
        return {line.observation.id: line.standing for line in ledger.all_lines()}


# -- what it does -----------------------------------------------------------------------------------------


def test_a_merge_becomes_a_line_of_the_models_with_the_sources_of_both(place: Place):
    model = always(MERGES)

    done = go_over(place, model)

    (made,) = done.made
    with place.ledger() as ledger:
        line = ledger.line(made.id)
        sources = set(ledger.sources(made.id))
        old = ledger.lines(["fail", "lock"])
    assert (done.outcome, line is not None and line.observation.author) == (
        ReflectOutcome.REFLECTED,
        Author.MODEL,
    )
    assert sources == {("s", "entry of fail"), ("s", "entry of lock")}
    assert {one.standing.closed for one in old.values()} == {Closed.MERGED}
    assert {one.standing.closed_by for one in old.values()} == {made.id}


def test_the_new_line_goes_to_the_archives_and_the_old_ones_stay_there_unmarked(place: Place):
    done = go_over(place, always(MERGES))

    with place.ledger() as ledger:
        owed = [(item.act.value, item.observation.text) for item in ledger.pending_outbox("dated")]
    assert ("append", done.made[0].text) in owed
    assert not [act for act, _ in owed if act != "append"]


def test_the_run_says_who_was_asked_and_what_was_used(place: Place):
    model = always(MERGES)

    done = go_over(place, model)

    with place.ledger() as ledger:
        run = ledger.last_run("reflect")
    assert run is not None
    assert (run.observer, run.outcome, run.error) == ("fake/model", "reflected", "")
    assert (run.counts.proposals, run.counts.accepted) == (1, 1)
    assert (done.advice.model, done.advice.tries, done.advice.used.calls) == ("fake/model", 1, 1)


def test_the_rules_go_on_with_the_room_that_is_left(tmp_path: Path):
    twice = [said("Prefers short answers", id=f"twice{n}", priority=4) for n in range(8)]
    place = a_place(tmp_path, [*notebook()[:12], *twice])

    done = go_over(place, always(MERGES))

    merged = done.reflection.of(EventType.MERGED)
    assert {"fail", "lock"} <= {change.id for change in merged}
    assert len(merged) == 5  # a quarter of 20
    assert done.reflection.has_more


def test_a_person_who_deletes_the_new_line_has_deleted_what_it_says(place: Place):
    made = go_over(place, always(MERGES)).made[0]
    with place.ledger() as ledger:
        ledger.append([Event(EventType.DELETED, made.id, 5, "person")])
    more = [said(f"Another matter of pier {n}", id=f"more{n}", days=4, minutes=n) for n in range(9)]
    again = said("Migration 0042 locks the invoices table for 9 minutes", id="again", days=4)
    fill(place, [*more, again], run_id="r9")

    done = go_over(place, always(merging(DEPLOY, texts_of(["fail"])[0], again.observation.text)), now=LATER)

    assert done.made == ()
    assert DEPLOY not in _texts(place)


def test_a_merge_that_was_undone_by_hand_is_not_done_again(place: Place):
    made = go_over(place, always(MERGES)).made[0]
    with place.ledger() as ledger:
        ledger.append(
            [
                Event(EventType.DELETED, made.id, 5, "person"),
                Event(EventType.RESTORED, "fail", 6, "person"),
                Event(EventType.RESTORED, "lock", 6, "person"),
            ]
        )
    fill(place, [said(f"News of pier {n}", id=f"n{n}", days=4, minutes=n) for n in range(9)], run_id="r9")
    other = "Staging deploy of billing-api 2.4.1 failed, migration 0042 locks invoices table for 9 minutes"

    done = go_over(place, always(merging(other, *texts_of(["fail", "lock"]))), now=LATER)

    assert (done.made, [one.reason for one in done.refused]) == ((), ["own"])
    assert set(texts_of(["fail", "lock"])) <= _texts(place)


# -- when it is asked -------------------------------------------------------------------------------------


def test_a_second_reflection_on_the_same_lines_asks_nothing_and_changes_nothing(place: Place):
    model = always(MERGES)
    go_over(place, model)
    before = _standings(place)

    done = go_over(place, model, now=LATER)

    assert (len(model.prompts), done.outcome) == (1, ReflectOutcome.NOTHING)
    assert before == _standings(place)


@pytest.mark.parametrize(
    ("trigger", "now", "new", "is_asked"),
    [
        ("command", NOW, 1, True),
        ("the section is large", NOW, 1, False),
        ("the section is large", NOW, 8, True),
        ("the last reflection is long ago", "2026-11-20T22:30:00+00:00", 1, True),
        ("the last reflection is long ago", "2026-11-20T22:30:00+00:00", 0, False),
    ],
)
def test_it_is_asked_again_when_enough_is_new(place: Place, trigger: str, now: str, new: int, is_asked: bool):
    go_over(place, always(NOTHING))
    fill(place, [said(f"Sam had soup {n} at Brindle", id=f"n{n}", days=4) for n in range(new)], run_id="r9")
    model = always(NOTHING)

    go_over(place, model, trigger=trigger, now=now)

    assert is_asked == bool(model.prompts)


def test_another_model_is_asked_about_the_same_lines(place: Place):
    go_over(place, always(NOTHING))
    model = always(NOTHING)

    go_over(place, model, reflector_model="fake/other")

    assert len(model.prompts) == 1


def test_a_model_that_always_finds_something_comes_to_an_end(place: Place):
    """Whatever it says each time: without anything new it is asked once."""
    all_of_them = closed(*({"act": "drop", "line": n, "reason": "trivial"} for n in range(1, 21)))
    model = always(all_of_them)
    asked = []
    for hour in range(10, 22):
        go_over(place, model, now=f"2026-11-21T{hour}:00:00+00:00", trigger="the last reflection is long ago")
        asked.append(len(model.prompts))

    assert asked[3:] == [asked[3]] * 9
    assert asked[3] <= 9
    with place.ledger() as ledger:
        live = {line.observation.id for line in ledger.live_lines()}
    assert {line.observation.id for line in notebook() if line.observation.priority >= 4} <= live


def test_merging_again_and_again_wears_nothing_out(tmp_path: Path):
    """Each merge may leave out a little; of what was merged first enough is still there at the end."""
    first = "The harbour crane lifts boats with the long yellow hook near pier nine"
    place = a_place(
        tmp_path, [*notebook(), said(first, id="crane"), said("Winch is slow", id="winch", days=1)]
    )
    merged = "Harbour crane lifts boats near pier nine, winch is slow"
    go_over(place, always(merging(merged, first, "Winch is slow")))
    more = [said(f"Another matter of pier {n}", id=f"more{n}", days=4, minutes=n) for n in range(9)]
    fill(place, [*more, said("Winch is slow and squeaks on Mondays", id="old", days=4)], run_id="r9")
    worn = merging(
        "Winch is slow, squeaks on Mondays near pier", merged, "Winch is slow and squeaks on Mondays"
    )

    done = go_over(place, always(worn), now=LATER)

    assert merged in _texts(place)
    assert [one.reason for one in done.advice.refused] == ["lost"]


def test_few_lines_are_not_worth_a_question(tmp_path: Path):
    model = always(NOTHING)

    go_over(a_place(tmp_path, notebook()[:6]), model)

    assert model.prompts == []


def test_offline_nothing_is_opened(place: Place):
    opener = FakeOpener(always(MERGES))

    done = go_over(place, opener, reflector_model="offline")

    assert (opener.choices, done.advice.model) == ([], "")


# -- what is never sent -----------------------------------------------------------------------------------


def test_lines_of_private_sessions_are_never_part_of_a_request(tmp_path: Path):
    private = [said(f"Dear diary, number {n}", id=f"d{n}", minutes=n) for n in range(3)]
    private = [
        line._replace(observation=type(line.observation)(**{**_fields(line.observation), "session_id": "d"}))
        for line in private
    ]
    place = a_place(tmp_path, [*notebook(), *private])
    model = always(NOTHING)

    go_over(place, model, private_sessions=("agent:main:explicit:diary*",))

    assert model.prompts
    assert not [prompt for prompt in model.prompts if "diary" in prompt.text]
    assert DIARY.session_id == private[0].observation.session_id


def test_a_line_that_took_up_a_private_one_is_private(tmp_path: Path):
    diary = said("The harbour code is in the tea tin", id="tin")
    diary = diary._replace(observation=replace(diary.observation, session_id="d"))
    place = a_place(tmp_path, [*notebook(), diary])
    with place.ledger() as ledger:
        ledger.append([Event(EventType.MERGED, "tin", 2, "r1", "soup")])
    model = always(NOTHING)

    go_over(place, model, private_sessions=("agent:main:explicit:diary*",))

    assert texts_of(["soup"])[0] not in numbers_in(model.prompts[0])


def _fields(observation: object) -> dict[str, object]:
    return {name: getattr(observation, name) for name in observation.__slots__}  # type: ignore[attr-defined]


def test_a_line_with_something_private_in_it_is_left_out_and_the_rest_is_asked(tmp_path: Path):
    own = said("Mine <private>the harbour code</private>", id="mine", author=Author.PERSON)
    patterned = said("The Wexford matter goes on", id="wex")
    place = a_place(tmp_path, [*notebook(), own, patterned])
    model = always(NOTHING)

    go_over(place, model, private_patterns=(r"wexford",))

    (prompt,) = model.prompts
    assert "harbour code" not in prompt.text
    assert "Wexford" not in prompt.text
    assert len(numbers_in(prompt)) == len(notebook())


def test_a_secret_that_a_person_typed_does_not_leave(tmp_path: Path, fake_secret: Callable[[str], str]):
    secret = fake_secret("github-token")
    place = a_place(tmp_path, [*notebook(), said(f"The token is {secret}", id="mine", author=Author.PERSON)])
    model = always(NOTHING)

    go_over(place, model)

    assert secret not in model.prompts[0].text
    assert "[redacted:" in model.prompts[0].text


# -- bad answers ------------------------------------------------------------------------------------------

_BAD = "I would rather talk about something else."
_WRONG = merging(DEPLOY.replace("9 minutes", "90 minutes"), *texts_of(["fail", "lock"]))


def test_a_bad_answer_is_asked_again_with_what_was_wrong(place: Place):
    model = in_turn([_BAD, _WRONG, MERGES])

    done = go_over(place, model)

    assert len(done.made) == 1
    assert "You were asked this before" not in model.prompts[0].text
    assert '{"done": N}' in model.prompts[1].text
    assert "line 1" in model.prompts[2].text


def test_after_three_bad_answers_the_rules_do_it_and_it_is_said_and_not_asked_again(place: Place):
    model = always(_BAD)
    with place.ledger() as ledger:
        expected = rules(ledger.live_lines())

    done = go_over(place, model)
    again = go_over(place, model, now=LATER)

    assert (len(model.prompts), done.advice.trouble) == (3, "nothing in its 3 answers held")
    assert (done.reflection, again.advice.tries) == (expected, 0)


def test_the_best_of_what_held_is_taken(place: Place):
    small = lambda prompt: closed(  # noqa: E731  # a reply
        {"act": "drop", "line": numbers_in(prompt)[texts_of(["soup"])[0]], "reason": "trivial"},
        {"act": "drop", "line": 99, "reason": "trivial"},
        {"act": "drop", "line": 98, "reason": "trivial"},
    )
    larger = lambda prompt: str(MERGES(prompt)).replace('"done": 1', '"done": 7')  # noqa: E731
    model = in_turn([small, larger, _BAD])

    done = go_over(place, model)

    assert len(model.prompts) == 3
    assert [made.text for made in done.made] == [DEPLOY]


def test_nothing_to_propose_is_an_answer(place: Place):
    model = always(NOTHING)

    done = go_over(place, model)

    assert (len(model.prompts), done.advice.trouble) == (1, "")


@pytest.mark.parametrize(
    "said_",
    [
        _BAD,
        "",
        Answer("", Usage(10, 0), "fake", is_cut=True),
        "{" * 200_000,
        closed({"act": "merge", "lines": list(range(1, 21)), "text": "All is well"}),
        *(Failure(trouble, f"it said {trouble}") for trouble in Trouble if trouble is not Trouble.STOPPED),
    ],
    ids=lambda said_: str(said_)[:40],
)
def test_whatever_the_model_says_the_rules_reflect_as_they_do_alone(place: Place, said_: Said):
    with place.ledger() as ledger:
        expected = rules(ledger.live_lines())

    done = go_over(place, always(said_))

    assert done.reflection == expected
    assert done.advice.trouble
    with place.ledger() as ledger:
        run = ledger.last_run("reflect")
    assert run is not None
    assert run.error == done.advice.trouble


def test_a_model_that_cannot_be_opened_is_no_reason_to_wait(place: Place):
    opener = FakeOpener(Failure(Trouble.ABSENT, "The library openai is not installed."))

    done = go_over(place, opener)

    assert done.outcome in (ReflectOutcome.REFLECTED, ReflectOutcome.NOTHING)
    assert done.advice.trouble == "The library openai is not installed."


def test_a_failure_is_asked_again_by_the_next_run(place: Place):
    go_over(place, always(Failure(Trouble.REQUEST, "no")))
    model = always(MERGES)

    done = go_over(place, model, now="2026-11-21T20:00:00+00:00", reflector_model="fake/other")

    assert len(done.made) == 1


def test_the_cap_is_kept_before_anything_is_sent(place: Place):
    model = always(MERGES)

    done = go_over(place, model, max_tokens_per_day=100)

    assert (model.prompts, done.made) == ([], ())
    assert "cap" in done.advice.trouble or "tokens" in done.advice.trouble


def test_a_process_that_is_to_end_ends_and_nothing_is_written(place: Place):
    before = _standings(place)

    with pytest.raises(RunStopped):
        go_over(place, always(Failure(Trouble.STOPPED, "stopped")), is_stopped=lambda: True)

    with place.ledger() as ledger:
        run = ledger.last_run("reflect")
    assert run is not None
    assert (run.outcome, before) == ("stopped", _standings(place))


# -- others are at work, too ------------------------------------------------------------------------------


def test_no_lock_is_held_while_the_model_is_asked(place: Place):
    def reply(prompt: Prompt) -> Said:
        with place.ledger() as other:
            other.append([Event(EventType.PINNED, "hdmi", 2, "person")])
        assert not (place.workspace / ".scrimshaw" / "write.lock").exists() or _is_free(place)
        return MERGES(prompt)

    assert len(go_over(place, in_turn([reply])).made) == 1


def _is_free(place: Place) -> bool:
    from scrimshaw.locks import write_lock

    now = datetime.fromisoformat(NOW)
    with write_lock(place.target().layout.state, by="test", now=now, timeout_seconds=0.1):
        return True


@pytest.mark.parametrize(
    "meanwhile",
    [
        Event(EventType.DELETED, "lock", 2, "person"),
        Event(EventType.PINNED, "lock", 2, "person"),
        Event(EventType.SUPERSEDED, "lock", 2, "r7", "eight"),
        Event(EventType.EXPIRED, "lock", 2, "r7"),
    ],
    ids=lambda event: event.type.value,
)
def test_what_others_did_meanwhile_is_respected(place: Place, meanwhile: Event):
    def reply(prompt: Prompt) -> Said:
        with place.ledger() as other:
            other.append([meanwhile])
        return MERGES(prompt)

    done = go_over(place, in_turn([reply]))

    assert done.made == ()
    assert len(done.refused) == 1
    with place.ledger() as ledger:
        line = ledger.line("lock")
        assert line is not None
        events = [stored.event for stored in ledger.events_of("lock")]
    assert line.standing == replay(line.observation, events)
    assert line.standing.closed in (None, Closed.DELETED, Closed.SUPERSEDED)


def test_two_processes_with_the_same_plan_make_one_line(place: Place):
    def reply(prompt: Prompt) -> Said:
        go_over(place, always(MERGES))
        return MERGES(prompt)

    done = go_over(place, in_turn([reply]))

    assert done.made == ()
    with place.ledger() as ledger:
        assert sum(line.observation.text == DEPLOY for line in ledger.all_lines()) == 1


def test_a_conflict_looks_at_the_same_answer_again_and_does_not_ask_again(
    place: Place, monkeypatch: pytest.MonkeyPatch
):
    model = always(MERGES)
    looks: list[int] = []
    consolidated = job.consolidated

    def slowly(*args: object, **named: object) -> object:
        looks.append(1)
        if len(looks) == 1:
            with place.ledger() as other:
                other.append([Event(EventType.RECALLED, "hdmi", 3, "agent")])
        return consolidated(*args, **named)  # type: ignore[arg-type]

    monkeypatch.setattr(job, "consolidated", slowly)

    done = go_over(place, model)

    assert (len(looks), len(model.prompts), len(done.made)) == (2, 1, 1)


def test_a_rehearsal_asks_no_model(place: Place):
    before = place.everything_written()

    done = job.rehearse(with_settings(place.target()), datetime.fromisoformat(NOW))

    assert (done.reflected.advice.model, before) == ("", place.everything_written())


def test_the_note_of_the_last_question_may_be_damaged(place: Place):
    go_over(place, always(NOTHING))
    model = always(NOTHING)
    for damage in ("", "{", "[]", '{"version": "x"}', json.dumps({"version": 1, "at_ms": 2, "by": 3})):
        with place.ledger() as ledger:
            ledger.set_meta(ask_model.LAST_ASKED, damage)
        go_over(place, model)

    assert len(model.prompts) == 5


def test_a_run_in_the_log_holds_no_text_of_a_line(place: Place, caplog: pytest.LogCaptureFixture):
    caplog.set_level("INFO")

    go_over(place, in_turn([_WRONG, _WRONG, MERGES]))

    logged = caplog.text
    assert "model=fake/model tries=3" in logged
    assert "invoices" not in logged
    assert isinstance(FakeModel(), FakeModel)


# -- a ledger too large for one question --------------------------------------------------------------------

_SHED = ["is painted green", "has a new roof", "holds the bikes", "is locked at night", "leaks near the door"]


def _sheds(count: int) -> list[Line]:
    """Return *count* subjects of five lines, the last three of each hidden."""
    return [
        said(
            f"The shed of {name} {what}, {filler}",
            id=f"{name}-{number}",
            minutes=number,
            is_shown=number < 2,
        )
        for name in ("Anouk", "Bram", "Cees", "Dirk", "Esmee")[:count]
        for number, what in enumerate(_SHED)
        for filler in [f"as {name} says {' '.join(f'{name}{word}' for word in range(8))}"]
    ]


def _merges_sheds(prompt: Prompt) -> Said:
    """Merge what a request shows of each shed, hidden lines with shown ones."""
    steps = []
    for name in ("Anouk", "Bram", "Cees", "Dirk", "Esmee"):
        numbers = [number for text, number in numbers_in(prompt).items() if f"shed of {name} " in text]
        if numbers:
            told = f"The shed of {name} {', '.join(_SHED)}, as {name} says"
            steps.append({"act": "merge", "lines": numbers, "text": told})
    return closed(*steps)


def test_what_one_cycle_has_no_room_for_the_next_goes_on_with_and_then_nobody_is_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(
        reflect_prompt, "choose_lines", partial(reflect_prompt.choose_lines, most_tokens=400, most_requests=2)
    )
    place = a_place(tmp_path, [*_sheds(5), *notebook()])
    model = always(_merges_sheds)
    made, requests = [], []
    for hour in range(12, 24):
        done = go_over(place, model, now=f"2026-11-21T{hour}:00:00+00:00")
        made.append(len(done.made))
        requests.append(len(model.prompts))

    assert sum(made) == 5
    assert made[0] < 5
    assert requests[-1] == requests[-6]
    texts = _texts(place)
    assert all(any(f"shed of {name} is painted green, has a new roof" in text for text in texts)
               for name in ("Anouk", "Bram", "Cees", "Dirk", "Esmee"))  # fmt: skip


def test_an_answer_that_uses_up_the_cycle_is_gone_on_with_while_lines_are_hidden(tmp_path: Path):
    place = a_place(tmp_path, [*_sheds(5), *notebook()])

    def merges_what_may_go(prompt: Prompt) -> Said:
        steps = [json.loads(step) for step in str(_merges_sheds(prompt)).splitlines()[:-1]]
        most = int(re.search(r"At most (\d+) notes may go", prompt.text)[1])
        return closed(*steps[: most // 5])

    model = always(merges_what_may_go)
    made = [len(go_over(place, model, now=f"2026-11-2{day}T12:00:00+00:00").made) for day in range(1, 8)]

    assert min(made[:2]) > 0
    assert len(model.prompts) < len(made)  # where nothing more is merged, nobody is asked again


def test_hidden_lines_are_shown_to_the_model_and_come_back_in_a_merge(tmp_path: Path):
    place = a_place(tmp_path, [*_sheds(1), *notebook()])

    done = go_over(place, always(_merges_sheds))

    (made,) = done.made
    with place.ledger() as ledger:
        line = ledger.line(made.id)
    assert line is not None
    assert (line.standing.is_shown, len(made.supports)) == (True, 5)
    assert done.before.shown_lines < done.before.lines


def test_only_the_subject_with_something_new_is_asked_about_again(place: Place):
    go_over(place, always(NOTHING))
    fill(place, [said("Sam had the fish soup at Brindle", id="fish", days=4)], run_id="r9")
    model = always(NOTHING)

    go_over(place, model, now=LATER)

    assert set(numbers_in(model.prompts[0])) == {
        *texts_of(["lunch", "soup"]),
        "Sam had the fish soup at Brindle",
    }


def test_what_a_later_line_replaces_by_the_models_word_alone_is_kept_for_the_person(place: Place):
    relay, diff = texts_of(["relay", "diff3"])

    def reply(prompt: Prompt) -> Said:
        numbers = numbers_in(prompt)
        merge = json.loads(str(MERGES(prompt)).splitlines()[0])
        return closed(merge, {"act": "supersede", "line": numbers[relay], "by": numbers[diff]})

    done = go_over(place, always(reply))

    with place.ledger() as ledger:
        (waits,) = ledger.rejections(9)
    assert done.to_review == 1
    assert (waits.rejected.reason, waits.rejected.proposal.text) == ("closing", diff)
    assert waits.rejected.proposal.replaces == ("relay",)
    assert relay in _texts(place)
