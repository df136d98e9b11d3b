"""The whole command against a cap: it stops before the call that could pass it, and goes on the next day."""

import json

import pytest
from tests.model_server import ModelServer, Say
from tests.places import Place
from tests.support.prepared import Prepared

pytest.importorskip("openai")
CAP = 14_000
EVENING, MIDNIGHT, NEXT = (
    "2026-11-20T22:30:00+00:00",
    "2026-11-21T00:01:00+00:00",
    "2026-11-22T00:01:00+00:00",
)


def _begun(place: Place) -> None:
    talk = "It was a long talk about the hall and the press. " * 14
    place.say(
        *(
            (f"We decided that unit-{n}x runs release {n}.4.1 from now on. {talk}", "Noted.")
            for n in range(60)
        )
    )


@pytest.fixture
def place(prepared: Prepared) -> Place:
    return prepared(_begun, "sqlite")


def test_a_backlog_is_worked_off_within_the_cap_over_days(place: Place):
    seen, spent = [], {}
    with ModelServer(Say('{"done": 0}'), repeats=True) as server:
        env = {
            **server.env(),
            "SCRIMSHAW_MAX_TOKENS_PER_DAY": str(CAP),
            "SCRIMSHAW_OBSERVATION_THRESHOLD": "2000",
        }
        for now in (EVENING, EVENING, MIDNIGHT, NEXT):
            assert place.run("observe", "--yes", "--now", env=env, now=now).code == 0
            told = place.run("spend", "--json", env=env, now=now).object
            seen.append((len(server.requests), bool(told["agents"][0]["held_back"])))
            spent |= {row["day"]: row["tokens_in"] + row["tokens_out"] for row in told["rows"]}
        sent = [json.dumps(request.body) for request in server.requests]
    asked = [count for count, _ in seen]

    assert [is_held for _, is_held in seen] == [True, True, True, False]
    assert 0 < asked[0] == asked[1] < asked[2] < asked[3]
    assert max(spent.values()) <= CAP
    # Each exchange was asked about, and none of them twice.
    assert [sum(f"unit-{n}x" in one for one in sent) for n in range(60)] == [1] * 60
