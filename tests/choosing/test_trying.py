"""`models test` goes the whole way with invented lines: nothing of the owner's leaves, every end is told."""

import json
from datetime import datetime

import pytest
from tests.fake_model import FakeModel, FakeOpener, always
from tests.places import NOW, Place
from tests.support.prepared import Prepared

from scrimshaw.models.model import Answer, Failure, Trouble, Usage
from scrimshaw.services.models.outages import note_failure, outage_of
from scrimshaw.services.models.try_model import Tried, try_model
from scrimshaw.store.ledger import open_ledger

MOMENT = datetime.fromisoformat(NOW)
GOOD = "\n".join(
    [
        json.dumps(
            {
                "text": "User moved the spring fair from 12 May 2027 to 19 May 2027",
                "kind": "decision",
                "priority": 4,
                "sources": [1],
            }
        ),
        json.dumps(
            {
                "text": "User still has to order 40 chairs",
                "kind": "next-step",
                "priority": 4,
                "sources": [3],
            }
        ),
        '{"done": 2}',
    ]
)


def _begun(place: Place) -> None:
    place.say(("We decided to use Postgres 17.2 for the vault.", "Noted."))
    assert place.run("observe", "--yes", "--now").code == 0


@pytest.fixture
def place(prepared: Prepared) -> Place:
    return prepared(_begun, "sqlite")


def tried(place: Place, model: FakeModel | Failure) -> Tried:
    with open_ledger(place.target().layout.ledger, create=False) as ledger:
        return try_model(place.target(), ledger, "fake/model", now=MOMENT, opens=FakeOpener(model))


def test_a_model_that_follows_the_protocol_works(place: Place) -> None:
    found = tried(place, always(GOOD))

    assert found.outcome == "works"
    assert [*found.held] == [
        "User moved the spring fair from 12 May 2027 to 19 May 2027",
        "User still has to order 40 chairs",
    ]
    assert (found.place, found.used.calls, found.said) == ("nowhere", 1, "")


def test_nothing_of_the_owner_s_is_sent(place: Place) -> None:
    (place.workspace / ".scrimshaw" / "config.yaml").write_text("instruction: I am called Nora\n")
    model = always(GOOD)

    tried(place, model)

    (prompt,) = model.prompts
    assert "vault" not in prompt.text + prompt.system
    assert "Nora" not in prompt.text + prompt.system
    assert "40 chairs" in prompt.text


def test_nothing_of_the_answer_is_noted(place: Place) -> None:
    before = place.dated()

    tried(place, always(GOOD))

    assert place.run("observe").code == 0
    assert before == place.dated()
    assert "chairs" not in place.section()


@pytest.mark.parametrize(
    ("said", "outcome"),
    [
        ("Certainly! Here is what I would remember of this lovely conversation.", "unclosed"),
        ("", "unclosed"),
        ('{"done": 0}', "nothing"),
        (
            '{"text": "User bought 7 boats", "kind": "fact", "priority": 3, "sources": [1]}\n{"done": 1}',
            "nothing",
        ),
        (GOOD.replace('{"done": 2}', ""), "unclosed"),
    ],
)
def test_an_answer_that_is_no_good_is_told_with_what_was_said(place: Place, said: str, outcome: str) -> None:
    found = tried(place, always(said))

    assert found.outcome == outcome
    assert found.said == said.strip()


def test_a_long_answer_is_shown_by_its_beginning_and_controls_nothing(place: Place) -> None:
    found = tried(place, always("\u200b\x1b[2J" + "la " * 5_000))

    assert len(found.said) < 700
    assert "\u200b" not in found.said


def test_a_failure_is_told_and_nothing_is_retried(place: Place) -> None:
    model = always(Failure(Trouble.RATE, "too much at once"))

    found = tried(place, model)

    assert (found.outcome, found.failure) == ("failed", Failure(Trouble.RATE, "too much at once"))
    assert len(model.prompts) == 1


def test_a_model_that_cannot_be_opened_is_a_failure(place: Place) -> None:
    found = tried(place, Failure(Trouble.KEY, "There is no key."))

    assert found.outcome == "failed"
    assert found.used.calls == 0


def test_what_it_cost_is_counted_like_any_other_call(place: Place) -> None:
    tried(place, always(Answer(GOOD, Usage(900, 120), "fake/model")))

    with open_ledger(place.target().layout.ledger, create=False, read_only=True) as ledger:
        (row,) = ledger.spend_rows()
        run = ledger.last_run("test")
    assert (row.job, row.model, row.tokens_in, row.tokens_out) == ("test", "fake/model", 900, 120)
    assert run is not None
    assert run.outcome == "works"


def test_a_cap_holds_for_a_test_too(place: Place) -> None:
    (place.workspace / ".scrimshaw" / "config.yaml").write_text("max_tokens_per_day: 10\n")
    model = always(GOOD)

    found = tried(place, model)

    assert found.failure is not None
    assert (found.failure.trouble, model.prompts) == (Trouble.CAP, [])


@pytest.mark.parametrize(("failed", "still"), [("fake/model", False), ("other/model", True)])
def test_a_good_answer_ends_the_outage_of_that_model(place: Place, failed: str, still: bool) -> None:
    refused = Failure(Trouble.KEY, "No such key.")
    with open_ledger(place.target().layout.ledger, create=False) as ledger:
        note_failure(ledger, failed, refused, at_ms=1, patience_seconds=60.0)

    tried(place, always(GOOD))

    with open_ledger(place.target().layout.ledger, create=False, read_only=True) as ledger:
        assert (outage_of(ledger, failed) is not None) is still


def test_the_model_is_opened_by_the_name_that_was_asked_for(place: Place) -> None:
    opens = FakeOpener(always(GOOD))

    with open_ledger(place.target().layout.ledger, create=False) as ledger:
        try_model(place.target(), ledger, "desk/q", now=MOMENT, opens=opens)

    assert [choice.name for choice in opens.choices] == ["desk/q"]
