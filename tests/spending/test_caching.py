"""What caches have served: from the host's transcripts, and as programs report it."""

import json
from datetime import UTC, date, datetime
from pathlib import Path

import pytest
from tests.places import Place

from scrimshaw import Memory, ObserveOptions
from scrimshaw.core.policy.caching import TokenUsage
from scrimshaw.core.policy.spending import Amount, Caps
from scrimshaw.sources.usage import host_usage
from scrimshaw.store.records import ModelCall, Run

_AT_MS = int(datetime(2026, 11, 20, 12, tzinfo=UTC).timestamp() * 1000)


def _answer(number: int, usage: object, *, at_ms: int = _AT_MS, model: object = "m-1") -> str:
    message = {"role": "assistant", "content": "ok", "timestamp": at_ms, "model": model, "usage": usage}
    return json.dumps({"type": "message", "id": f"id{number}", "message": message})


_COUNTS = {"input": 10, "output": 5, "cacheWrite": 40, "cacheRead": 150}


def _stored(folder: Path, *lines: str) -> list[tuple[str, Path]]:
    folder.mkdir(exist_ok=True)
    (folder / "one.jsonl").write_text("\n".join(lines) + "\n")
    return [("jsonl", folder)]


def test_each_answer_of_the_host_counts_once_and_by_its_model(tmp_path: Path) -> None:
    stores = _stored(
        tmp_path,
        _answer(1, _COUNTS),
        _answer(1, _COUNTS),
        _answer(2, _COUNTS, model="m-2"),
        _answer(3, _COUNTS, at_ms=_AT_MS - 1),
        '{"type": "message", "message": {"role": "user", "content": "what is \\"usage\\"?"}}',
    )

    found = host_usage(stores, _AT_MS)

    used = TokenUsage(1, 10, 5, 40, 150)
    assert (found.by_model, found.is_whole) == ({"m-1": used, "m-2": used}, True)
    assert used.hit_rate == 0.75
    assert used.saving == pytest.approx((0.9 * 150 - 0.25 * 40) / 200)


@pytest.mark.parametrize(
    "usage",
    [{}, [], None, {"input": -5}, {"input": "7"}, {"input": 10**30}, {"input": True}, {"output": 1.5}],
)
def test_what_is_no_number_of_tokens_counts_as_none(tmp_path: Path, usage: object) -> None:
    stores = _stored(tmp_path, _answer(1, usage), '{"usage"', "\0", _answer(2, _COUNTS, model=["m"]))

    assert host_usage(stores, 0).by_model == {"": TokenUsage(1, 10, 5, 40, 150)}


def test_answers_are_counted_by_the_owner_s_day(tmp_path: Path) -> None:
    midnight_ms = 1_763_683_200_000  # 2025-11-21T00:00Z, still the 20th in New York
    stores = _stored(
        tmp_path, *(_answer(at, _COUNTS, at_ms=midnight_ms + (at - 1) * 86_400_000) for at in (1, 1, 2, 3))
    )

    days = [host_usage(stores, 0, zone=zone).by_day for zone in ("UTC", "America/New_York")]

    used = TokenUsage(1, 10, 5, 40, 150)
    assert days[0] == {date(2025, 11, day): used for day in (21, 22, 23)}
    assert days[1] == {date(2025, 11, day): used for day in (20, 21, 22)}


def test_what_is_too_much_to_read_is_said(tmp_path: Path) -> None:
    stores = _stored(tmp_path, _answer(1, _COUNTS), _answer(2, _COUNTS))

    found = host_usage(stores, 0, most_bytes=300)

    assert (found.by_model["m-1"].answers, found.is_whole) == (1, False)


def test_both_forms_of_a_host_s_store_tell_the_same(samples_folder: Path) -> None:
    folder = samples_folder / "dev-sqlite"
    rows = [json.loads(line)["event"] for line in (folder / "transcripts.jsonl").read_bytes().splitlines()]
    used = {
        row["id"]: usage
        for row in rows
        if (usage := (row.get("message") or {}).get("usage")) and usage["input"] + usage["output"]
    }

    (found,) = host_usage([("sqlite", folder / "openclaw-agent.sqlite")], 0).by_model.values()

    assert found.answers == len(used) > 100
    assert found.input_tokens == sum(one["input"] for one in used.values())


def test_spend_shows_what_was_served_to_the_host_and_to_programs(tmp_path: Path) -> None:
    place = Place(tmp_path / "home")
    place.say(("Hello.", "Good day."))
    with (place.store / f"{place.session.session_id}.jsonl").open("a") as file:
        file.write(_answer(1, _COUNTS) + "\n")
    env = {
        "HOME": str(place.root),
        "OPENCLAW_STATE_DIR": str(place.state),
        "SCRIMSHAW_NOW": "2026-11-20T18:00Z",
    }
    memory = Memory.open(env=env)
    memory.observe(ObserveOptions(waits=False), consent=True)
    for _ in range(2):
        memory.report_usage(
            input_tokens=50, output_tokens=7, cache_read_input_tokens=50, model="anthropic/claude"
        )

    told = place.run("spend")
    caching = place.run("spend", "--json").object["agents"][0]["caching"]

    assert "cache     host, m-1: 1 answer, 200 tokens sent, 75% from the cache, which saves 62%" in told.out
    assert "programs, anthropic/claude: 2 answers, 200 tokens sent, 50% from the cache" in told.out
    assert caching["programs"] == [
        {
            "model": "anthropic/claude",
            "answers": 2,
            "input_tokens": 100,
            "output_tokens": 14,
            "cache_creation_input_tokens": 0,
            "cache_read_input_tokens": 100,
            "hit_rate": 0.5,
            "saving": 0.45,
        }
    ]
    with pytest.raises(ValueError, match="tokens"):
        memory.report_usage(input_tokens=-1, output_tokens=0)


def test_the_tokens_of_each_day_are_those_that_the_records_tell(tmp_path: Path) -> None:
    place = Place(tmp_path / "home")
    place.say(("My sister Beth lives in Porto.", "Noted."))
    day_ms = 86_400_000
    with (place.store / f"{place.session.session_id}.jsonl").open("a") as file:
        for number, at_ms in enumerate((_AT_MS - day_ms, _AT_MS, _AT_MS)):
            file.write(_answer(number, _COUNTS, at_ms=at_ms) + "\n")
    env = {"HOME": str(place.root), "OPENCLAW_STATE_DIR": str(place.state)}
    memory = Memory.open(env={**env, "SCRIMSHAW_NOW": "2026-11-20T18:00Z"})
    memory.observe(ObserveOptions(waits=False), consent=True)
    memory.report_usage(input_tokens=50, output_tokens=7, cache_read_input_tokens=50, model="claude")
    with place.ledger() as ledger:
        ledger.begin_run(Run("r1", "observe", "request", "fake/model", _AT_MS))
        number = ledger.reserve(
            ModelCall(_AT_MS, date(2026, 11, 19), "r1", "observe", "fake/model", Amount(600, 400, 50)), Caps()
        )
        ledger.settle(number, Amount(500, 20, 7), is_estimated=False, outcome="answer")
        kept = sum(line.observation.tokens for line in ledger.live_lines())

    names = ["kept_tokens", "model_tokens", "agent_tokens"]
    told = {one.figure: [value for _, value in one.points] for one in memory.trends(names, days=3)}

    assert told == {
        "kept_tokens": [0, 0, kept],
        "model_tokens": [0, 520, 0],
        "agent_tokens": [0, 205, 2 * 205 + 107],
    }
    assert kept > 0
