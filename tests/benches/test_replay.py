"""What a replay bills, against figures worked out by hand."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from bench import cost
from bench.growth import exponent
from bench.material import find
from bench.replay import Prompt, Terms, Way, bill, lay_out, summed
from bench.talks import Step, Talk, talks_of
from tests.benches.chats import make_chat

from scrimshaw.core.types import Entry, Role, Session, SessionKind

SESSION = Session("s", "agent:main:main", "main", SessionKind.DIRECT)
MINUTE_MS = 60_000
START_MS = 1_700_000_000_000
STATEMENTS = (
    "We decided that the press is serviced by Dana on March 14.",
    "We decided that the bottles come from Wenbury Glass.",
    "We decided that the harvest begins on September 20.",
)


def talk(*pauses_minutes: float) -> Talk:
    """A request for each statement, 100 tokens in and 50 out, after each of these pauses."""
    entries, steps, now_ms = [], [], START_MS
    for number, pause in enumerate(pauses_minutes):
        now_ms += int(pause * MINUTE_MS)
        said = STATEMENTS[number % len(STATEMENTS)]
        entries.append(Entry("s", f"u{number}", 2 * number, now_ms, Role.USER, said))
        entries.append(Entry("s", f"a{number}", 2 * number + 1, now_ms, Role.ASSISTANT, "Noted."))
        steps.append(Step(now_ms, 100, 50, 2 * number + 1))
    return Talk("made up", SESSION, tuple(entries), tuple(steps))


def test_a_full_history_grows_and_is_served_from_the_cache_but_for_what_is_new() -> None:
    prompts, _ = lay_out(talk(0, 1, 1), Way.FULL, Terms(fixed=1_000))

    told = bill(prompts, 5 * MINUTE_MS)

    assert [one.tokens for one in prompts] == [1_100, 1_250, 1_400]
    assert [one.shared for one in prompts] == [1_000, 1_100, 1_250]
    assert told.uncached == 3_750
    assert told.cached == 1_100 + 1_250
    assert told.billed == pytest.approx(3_750 - 0.9 * 2_350)


def test_a_prefix_is_forgotten_after_its_time() -> None:
    prompts, _ = lay_out(talk(0, 6, 1), Way.FULL, Terms(fixed=1_000))

    cached = [bill(prompts, kept).cached for kept in (5 * MINUTE_MS, 60 * MINUTE_MS, None)]

    assert cached == [1_250, 2_350, 2_350]


def test_a_compaction_keeps_the_newest_and_costs_its_own_request() -> None:
    terms = Terms(fixed=1_000, window=1_700, reserve=300, kept=200, summary=40)

    prompts, host = lay_out(talk(0, 1, 1, 1), Way.COMPACTED, terms)

    assert host.compactions == 1
    assert prompts[3].is_cut
    assert prompts[3].tokens == 1_000 + 40 + 150
    assert prompts[3].extra == 550 + 5 * 40
    assert prompts[3].shared == 1_000


def test_a_write_makes_the_history_be_paid_again_where_the_prefix_is_still_kept() -> None:
    terms = Terms(fixed=1_000)
    prompts, host = lay_out(talk(0, 1, 6, 1), Way.SECTION, terms)

    short, long = (bill(prompts, kept) for kept in (5 * MINUTE_MS, 60 * MINUTE_MS))

    assert [one.is_written for one in prompts] == [False, False, True, False]
    assert "Dana" in host.engraver.body
    assert prompts[2].shared == 1_000
    assert prompts[2].shared_unwritten == 1_000 + prompts[1].tokens - 1_000
    assert short.missed == 0
    assert long.missed == pytest.approx(0.9 * 250)
    assert long.writes == 1


def test_writing_at_every_window_costs_more_than_writing_in_silence() -> None:
    pauses = [0.0] + [1.0] * 119
    terms = Terms(fixed=1_000)

    eager, quiet = (bill(lay_out(talk(*pauses), way, terms)[0], None) for way in (Way.EAGER, Way.SECTION))

    assert eager.missed > 0
    assert quiet.missed == 0
    assert quiet.writes == 0


def test_recent_turns_stay_within_twice_their_room() -> None:
    terms = Terms(fixed=1_000, recent=400)

    prompts, host = lay_out(talk(*[1.0] * 30), Way.RECENT, terms)

    assert max(one.tokens - one.section for one in prompts) <= 1_000 + 800
    assert "Dana" in host.engraver.body
    assert any(one.is_cut for one in prompts)


def test_bills_add_up() -> None:
    one = bill([Prompt(0, 100, 0, 0, 0, is_written=False, is_cut=False)], None)

    assert summed([one, one]).uncached == 200
    assert summed([one, one]).steady_cached == 0.0


def test_growth_is_fitted_over_the_logarithms() -> None:
    assert exponent([(1, 3.0), (10, 30.0), (100, 300.0)]) == pytest.approx(1.0)
    assert exponent([(1, 3.0), (10, 3.0), (100, 3.0)]) == pytest.approx(0.0)
    assert exponent([(1, 1.0), (10, 100.0), (100, 10_000.0)]) == pytest.approx(2.0)


def test_beam_as_a_talk_keeps_its_text_its_order_and_its_days(tmp_path: Path) -> None:
    found = talks_of(find(make_chat(tmp_path)), "100K", 1)[0]

    times = [entry.said_at_ms for entry in found.entries]
    assert len(found.steps) == 4
    assert times == sorted(times)
    assert found.steps[1].entries == 3
    assert talks_of(find(tmp_path), "100K", 1) == [found]
    assert talks_of(find(tmp_path), "100K", 2) != [found]


def test_the_bench_prints_each_way_and_the_observer(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code = cost.main(["--data", str(make_chat(tmp_path)), "--json"])

    told = json.loads(capsys.readouterr().out)
    by_title = {table["title"]: table["rows"] for table in told["tables"]}
    bills = by_title["What the agent's provider bills, in input tokens; cheaper than full history"]
    assert code == 0
    assert [row["prompts hold"] for row in bills] == [way.value for way in Way]
    assert [row["observer"] for row in by_title["What an observer uses, and how much it condenses"]] == [
        "scripted model",
        "offline",
    ]
    assert f"BEAM 500K: nothing below {tmp_path}" in told["skipped"]
