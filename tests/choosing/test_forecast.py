"""What a day would cost is told from how the person really talks, and never read from more than is sent."""

from dataclasses import replace
from datetime import date, datetime
from pathlib import Path

import pytest
from tests.places import NOW, Place
from tests.stores import FakeSession

from scrimshaw.core.policy.forecast import (
    Need,
    Talk,
    WindowPace,
    days,
    mean,
    observing,
    reflecting,
    rereading,
    talk,
)
from scrimshaw.core.transcript.windows import entry_tokens
from scrimshaw.core.types import Entry, Role
from scrimshaw.services.models import forecast as forecasting
from scrimshaw.services.models.forecast import forecast

PACE = WindowPace(5_000, 300, 900)
MOMENT = datetime.fromisoformat(NOW)
MOMENT_MS = int(MOMENT.timestamp() * 1000)
MINUTE_MS = 60_000
DAY_MS = 1_440 * MINUTE_MS


def entry(at_ms: int, text: str = "x" * 400) -> Entry:
    return Entry("s", str(at_ms), 0, at_ms, Role.USER, text)


def windows_of(*minutes: float, text: str = "x" * 400) -> int:
    said = [entry(MOMENT_MS + int(minute * MINUTE_MS), text) for minute in minutes]
    return sum(one.windows for one in talk(said, PACE, "UTC"))


def test_a_window_ends_by_silence_by_age_and_by_size() -> None:
    assert windows_of(0, 1, 2) == 1
    assert windows_of(0, 1, 8) == 2
    assert windows_of(0, 4, 8, 12, 16, 20) == 2
    assert windows_of(*[0.1 * step for step in range(10)], text="y" * 5_000) == 4


def test_a_day_is_the_owner_s_and_holds_every_token_once() -> None:
    at = int(datetime.fromisoformat("2026-11-20T22:30:00+00:00").timestamp() * 1000)
    said = [entry(at), entry(at + 60 * MINUTE_MS)]

    found = days(talk(said, PACE, "Europe/Berlin"))

    assert [(one.day, one.tokens) for one in found] == [
        (date(2026, 11, 20), entry_tokens(said[0])),
        (date(2026, 11, 21), entry_tokens(said[1])),
    ]


def test_each_request_is_told_everything_anew() -> None:
    few = observing(Talk(date(2026, 11, 20), 10_000, 2), 1_500)
    many = observing(Talk(date(2026, 11, 20), 10_000, 10), 1_500)

    assert (few.requests, many.requests) == (2, 10)
    assert many.tokens_in - few.tokens_in == pytest.approx(8 * 3_500 * 1.05, abs=2)


def test_reading_once_more_is_counted_as_far_as_it_is_wanted() -> None:
    said = Talk(date(2026, 11, 20), 10_000, 4)

    off, doubtful, every = (rereading(said, 500, extent) for extent in ("off", "doubtful", "all"))

    assert off == Need(0, 0, 0)
    assert doubtful.requests <= every.requests == 4
    assert 0 < doubtful.tokens_in < every.tokens_in
    assert every.tokens_in == pytest.approx(4 * 500 + 10_000 * 1.25 * 1.05, abs=2)
    assert observing(said, 1_500).plus(every).requests == 8


def test_lines_are_gone_over_only_as_often_as_something_was_noted() -> None:
    quiet = reflecting(Talk(date(2026, 11, 20), 500, 1), 1_000, 4 * 3600)
    busy = reflecting(Talk(date(2026, 11, 20), 90_000, 40), 1_000, 4 * 3600)

    assert (quiet.requests, busy.requests) == (1, 6)


def test_a_cost_is_tokens_by_price() -> None:
    assert Need(3, 1_000_000, 100_000).cost((0.3, 2.5)) == pytest.approx(0.55)


def test_the_mean_is_over_days_with_talk() -> None:
    said = (Talk(date(2026, 11, 19), 100, 1), Talk(date(2026, 11, 20), 301, 2))

    assert mean(said) == Talk(date(2026, 11, 20), 201, 2)


def machine(root: Path, *sessions: FakeSession) -> Place:
    return Place(root / "machine", "sqlite", list(sessions))


def talked(
    at_ms: int, key: str = "", words: str = "The fair is on 19 May, and we need 40 chairs."
) -> FakeSession:
    session = FakeSession(at_ms=at_ms, **({"key": key} if key else {}))
    for _ in range(20):
        session.user(words)
        session.assistant("Noted.")
    return session


def test_an_agent_that_did_not_talk_lately_has_no_forecast(tmp_path: Path) -> None:
    place = machine(tmp_path, talked(MOMENT_MS - 40 * DAY_MS))

    assert forecast(place.target(), {}, MOMENT) is None


def test_what_was_said_in_the_last_days_is_counted(tmp_path: Path) -> None:
    place = machine(tmp_path, talked(MOMENT_MS - DAY_MS))

    found = forecast(place.target(), {}, MOMENT)

    assert found is not None
    assert found.days == 1
    assert 300 < found.said.tokens < 3_000
    assert found.tokens[0] > found.said.tokens
    assert not found.is_partly_guessed


def test_what_is_estimated_holds_a_second_reading_where_one_is_wanted(tmp_path: Path) -> None:
    target = machine(tmp_path, talked(MOMENT_MS - DAY_MS)).target()
    needs = {}
    for extent in ("off", "all"):
        settings = replace(target.config.settings, second_reading=extent)
        found = forecast(target._replace(config=target.config._replace(settings=settings)), {}, MOMENT)
        assert found is not None
        needs[extent] = found.observer

    assert needs["all"].requests == 2 * needs["off"].requests
    assert needs["all"].tokens_in > needs["off"].tokens_in


def test_what_would_not_be_sent_is_not_counted(tmp_path: Path) -> None:
    place = machine(
        tmp_path,
        talked(MOMENT_MS - DAY_MS, "agent:main:main"),
        talked(MOMENT_MS - DAY_MS, "agent:main:explicit:diary-1", "Nobody may know of the 90 roses."),
        talked(MOMENT_MS - DAY_MS, "agent:main:telegram:group:77", "A group says much."),
    )
    all_of_it = forecast(place.target(), {}, MOMENT)
    target = place.target()
    settings = target.config.settings
    private = replace(settings, private_sessions=("agent:main:explicit:*",))

    without = forecast(target._replace(config=target.config._replace(settings=private)), {}, MOMENT)

    assert all_of_it is not None
    assert without is not None
    assert without.said.tokens < all_of_it.said.tokens


@pytest.mark.parametrize("kind", ["sqlite", "jsonl"])
def test_the_look_is_bounded_and_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str) -> None:
    sessions = [
        talked(MOMENT_MS - DAY_MS, "agent:main:main"),
        talked(MOMENT_MS - 2 * DAY_MS, "agent:main:explicit:other-1"),
    ]
    place = Place(tmp_path / "machine", kind, sessions)
    whole = forecast(place.target(), {}, MOMENT)
    monkeypatch.setattr(forecasting, "_MOST_BYTES", 100)

    found = forecast(place.target(), {}, MOMENT)

    assert whole is not None
    assert found is not None
    assert (whole.is_partly_guessed, found.is_partly_guessed) == (False, True)
    assert found.days == whole.days == 2
    assert whole.said.tokens / 3 < found.said.tokens < whole.said.tokens * 3


def test_a_long_session_that_is_not_read_is_spread_over_its_days(tmp_path: Path) -> None:
    place = machine(tmp_path, talked(MOMENT_MS - DAY_MS))
    look = forecasting._Look(place.target(), MOMENT)

    found = list(look._guessed(3_000_000, MOMENT_MS - 30 * DAY_MS, MOMENT_MS))

    assert len(found) == forecasting.DAYS
    assert {one.tokens for one in found} == {3_000_000 // 10 // 31}
