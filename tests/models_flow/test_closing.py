"""A model that abuses what it is shown: no window may empty the memory."""

from __future__ import annotations

import json
import re
from datetime import timedelta
from pathlib import Path

import pytest
from tests.fake_model import always, in_turn
from tests.models_flow.talking import MOMENT, answered, authors, decided, ledger_of, observed, placed
from tests.places import Place

from scrimshaw.cli.render.run_report import report_lines
from scrimshaw.core.prompting.fence import Prompt
from scrimshaw.services.edit.review import ReviewOutcome, reviewing
from scrimshaw.services.observe.run import ObserveResult


@pytest.mark.parametrize("field", ["replaces", "completes"])
def test_a_model_that_closes_every_line_it_is_shown_closes_none_that_nobody_spoke_of(
    tmp_path: Path, field: str
) -> None:
    place = placed(tmp_path, *decided(1, 2, 3, 4, 5, 6))
    observed(place, always(answered))
    before = set(authors(place))
    place.say(("The lunch soup was cold. The ferry was late.", "A pity."))

    def closing(prompt: Prompt) -> str:
        shown = re.findall(r"^(o\d+) ", prompt.text, re.MULTILINE)
        texts = ("The lunch soup was cold", "The ferry was late")
        lines = [
            json.dumps({"text": text, "kind": "fact", "sources": [1], field: shown[n::2]})
            for n, text in enumerate(texts)
        ]
        return "\n".join([*lines, '{"done": 2}'])

    observed(place, always(closing), now=MOMENT + timedelta(hours=1))

    after = live(place)
    assert (before - after, len(after - before)) == (set(), 2)


_OLD, _NEW = "User wants recipes as lists", "User wants recipes in full sentences from now on"


def live(place: Place) -> set[str]:
    with ledger_of(place) as ledger:
        return {line.observation.text for line in ledger.live_lines()}


def _said_anew(folder: Path, verdict: str, **settings: str) -> tuple[Place, ObserveResult]:
    """Note a wish, then another that a model says takes its place; *verdict* ends the second reading."""
    place = placed(folder, ("I want recipes as lists.", "Fine."), second_reading="all", **settings)
    wish = {"text": _OLD, "kind": "preference", "sources": [1]}
    observed(place, in_turn([json.dumps(wish) + '\n{"done": 1}', '{"holds": [1]}']))
    place.say(("Write them in full sentences from now on, recipes too.", "I shall."))
    anew = {"text": _NEW, "kind": "preference", "sources": [1], "replaces": ["o1"]}
    model = in_turn([json.dumps(anew) + '\n{"done": 1}', verdict])
    return place, observed(place, model, now=MOMENT + timedelta(hours=1))


def test_a_second_reading_decides_what_is_closed(tmp_path: Path) -> None:
    place, report = _said_anew(tmp_path, '{"holds": [1], "closes": ["c1"]}')

    assert live(place) == {_NEW}
    assert (report.observed.closed, report.observed.declined) == (1, 0)
    assert "  1 line closed." in report_lines(report)


def test_what_is_not_taken_is_counted_and_the_owner_may_take_it(tmp_path: Path) -> None:
    place, report = _said_anew(
        tmp_path, '{"stays": "c1", "why": "of soups only"}\n{"holds": [1], "closes": []}'
    )

    assert live(place) == {_OLD, _NEW}
    assert "  1 closing proposed and not taken (scrimshaw review)." in report_lines(report)
    listed = place.run("review").out
    assert "It says that it replaces: User wants recipes as lists" in listed
    assert "Not taken: read once more, that line still holds: of soups only" in listed

    with reviewing(place.target(), MOMENT + timedelta(hours=2)) as review:
        (waits,) = review.waiting()
        decided_on = review.accept(waits.number)
        review.finish()

    assert decided_on.outcome is ReviewOutcome.CLOSED
    assert live(place) == {_NEW}
    assert _OLD not in place.memory.read_text()


def test_what_the_owner_rejects_stays_and_the_line_that_said_so_too(tmp_path: Path) -> None:
    place, _ = _said_anew(tmp_path, '{"stays": "c1"}\n{"holds": [1], "closes": []}')

    with reviewing(place.target(), MOMENT + timedelta(hours=2)) as review:
        (waits,) = review.waiting()
        review.reject(waits.number)
        review.finish()

    assert live(place) == {_OLD, _NEW}
    with reviewing(place.target(), MOMENT + timedelta(hours=3)) as review:
        assert review.waiting() == []
