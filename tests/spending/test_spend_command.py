"""`scrimshaw spend`: what was spent, what the caps leave, what waits; also when nothing ever was."""

import json
import sqlite3
from contextlib import closing
from datetime import date
from pathlib import Path

import pytest
from tests.places import NOW, Place
from tests.support.prepared import Prepared

from scrimshaw.core.policy.spending import Amount, Caps
from scrimshaw.store.ledger import open_ledger
from scrimshaw.store.records import ModelCall

FIRST = Path(__file__).with_name("first_ledger.sql")
TODAY = date(2026, 11, 20)
GEMINI, LOCAL = "gemini/gemini-2.5-flash", "ollama/llama3.2"
ON = {"SCRIMSHAW_OBSERVER_MODEL": GEMINI}


def _begun(place: Place) -> None:
    place.say(("Remember that the press runs at 40 degrees.", "Noted."))
    place.run("observe", "--yes")


# What the host's own transcripts say that its model used.
CACHE = "  cache     host, fake-1: 1 answer, 8,175 tokens sent, none of them from a cache"


@pytest.fixture
def place(prepared: Prepared) -> Place:
    return prepared(_begun)


def pay(
    place: Place,
    used: Amount | None,
    day: date = TODAY,
    *,
    model: str = GEMINI,
    job: str = "observe",
    outcome: str = "answer",
    is_estimated: bool = False,
) -> None:
    with open_ledger(place.target().layout.ledger, create=False) as ledger:
        number = ledger.reserve(ModelCall(0, day, "r", job, model, Amount(900, 100, 500)), Caps())
        assert isinstance(number, int)
        if used is not None:
            ledger.settle(number, used, is_estimated=is_estimated, outcome=outcome)


def hold_back(place: Place) -> None:
    with open_ledger(place.target().layout.ledger, create=False) as ledger:
        most = Amount(9_000, 1_000, 5_000)
        ledger.reserve(
            ModelCall(1_795_180_000_000, TODAY, "r", "observe", GEMINI, most), Caps(tokens_a_day=5_000)
        )


def test_nothing_was_ever_spent(place: Place):
    told = place.run("spend")

    assert told.code == 0
    assert told.out.splitlines() == [
        f"main  {place.workspace}  (UTC)",
        "  models    none: the rules do it, on this machine and for nothing",
        CACHE,
        "",
        "Nothing has been spent: no model was ever asked.",
    ]


def test_a_workspace_that_was_never_set_up_has_spent_nothing(tmp_path: Path):
    place = Place(tmp_path)
    told = place.run("spend", env=ON)

    assert told.code == 0
    assert "Nothing has been spent" in told.out
    assert not place.is_set_up()


def test_caps_are_shown_before_anything_is_spent(place: Place):
    told = place.run("spend", env=ON)

    assert told.out.splitlines()[1:4] == [
        f"  models    observer {GEMINI}",
        "  today     2026-11-20: 0 of 2,000,000 tokens, $0.00 of $1.00; left: 2,000,000 tokens and $1.00",
        "  month     2026-11: 0 of 20,000,000 tokens, $0.00 of $10.00; left: 20,000,000 tokens and $10.00",
    ]


def test_what_was_spent_stands_by_day_with_what_is_left(place: Place):
    pay(place, Amount(5_000, 600, 300_000))
    pay(place, Amount(0, 0, 0), outcome="rate")
    pay(place, Amount(7_000, 100, 200_000), date(2026, 11, 18))
    told = place.run("spend", env=ON)

    assert told.out.splitlines()[2:] == [
        "  today     2026-11-20: 5,600 of 2,000,000 tokens, $0.30 of $1.00; left: 1,994,400 tokens and $0.70",
        "  month     2026-11: 12,700 of 20,000,000 tokens, $0.50 of $10.00; "
        "left: 19,987,300 tokens and $9.50",
        CACHE,
        "",
        "By day, since 2026-10-21:",
        "              calls  failed  tokens in  tokens out  cost",
        "  2026-11-20      2       1      5,000         600  $0.30",
        "  2026-11-18      1       0      7,000         100  $0.20",
        "  all             3       1     12,000         700  $0.50",
    ]


@pytest.mark.parametrize(
    ("by", "names"),
    [
        ("day", ["2026-11-20", "2026-11-19"]),
        ("agent", ["main"]),
        ("model", [GEMINI, LOCAL]),
        ("job", ["reflect", "observe"]),
    ],
)
def test_it_is_added_up_by_what_is_asked_for(place: Place, by: str, names: list[str]):
    pay(place, Amount(10, 5, 200_000), model=GEMINI, job="reflect")
    pay(place, Amount(10, 5, 0), date(2026, 11, 19), model=LOCAL)
    told = place.run("spend", "--by", by, "--json").object

    assert [row[by] for row in told["rows"]] == names
    assert told["total"]["calls"] == sum(row["calls"] for row in told["rows"]) == 2


def test_an_unknown_price_is_said_with_what_to_do(place: Place):
    pay(place, Amount(10, 5, None), model="local/odd")
    pay(place, Amount(10, 5, 200_000))
    told = place.run("spend", "--by", "model")

    assert "price unknown" in told.out
    assert "$0.20 and 1 call of unknown price" in told.out
    assert "1 call of unknown price in the tokens alone" in told.out
    assert "prices: {local/odd: [dollars for a million tokens in, and out]}" in told.out


def test_calls_without_an_end_and_estimates_are_said(place: Place):
    pay(place, None)
    pay(place, Amount(10, 5, 7), is_estimated=True)
    lines = place.run("spend").out.splitlines()

    assert lines[-2:] == [
        "1 call under way or cut off: counted at the most they can cost.",
        "Of 1 call the provider did not say what was used: estimated.",
    ]


def test_what_a_cap_holds_back_is_said(place: Place):
    hold_back(place)
    pay(place, Amount(4_000, 900, 0), job="reflect")
    place.say(("And the yeast is EC-1118.", "Noted."))
    told = place.run("spend", env={**ON, "SCRIMSHAW_MAX_TOKENS_PER_DAY": "12000"})
    held = [line for line in told.out.splitlines() if "held back" in line]

    assert held == [
        "  held back observe, since 2026-11-20 13:06: the cap of 12,000 tokens a day leaves 7,100 tokens, "
        "and the next question may take 10,000 tokens. It goes on 2026-11-21 00:00, or when the cap is "
        "raised."
    ]
    assert "tokens of conversation wait" in told.out


@pytest.mark.parametrize(
    ("cap", "now", "held"),
    [
        ("12000", NOW, [True]),
        ("50000", NOW, []),
        ("12000", "2026-11-21T00:00:01+00:00", []),
        ("5000", "2026-11-22T18:00:00+00:00", [False]),
    ],
    ids=["today", "raised", "next-day", "for-good"],
)
def test_what_may_go_on_is_not_held_back(place: Place, cap: str, now: str, held: list[bool]):
    hold_back(place)
    pay(place, Amount(4_000, 900, 0), job="reflect")
    env = {**ON, "SCRIMSHAW_MAX_TOKENS_PER_DAY": cap}
    told = place.run("spend", "--json", env=env, now=now).object

    assert [one["resumes_at"] is not None for one in told["agents"][0]["held_back"]] == held


def test_status_tells_of_a_cap_that_no_question_fits_under(place: Place):
    hold_back(place)
    told = place.run("status", env={**ON, "SCRIMSHAW_MAX_TOKENS_PER_DAY": "5000"})

    assert told.code == 0
    assert "observe waits for the cap of the day, until it is raised (scrimshaw spend)" in told.out


def test_nothing_waits_for_a_model_that_is_not_asked_any_more(place: Place):
    hold_back(place)
    told = place.run("spend", "--json", env={"SCRIMSHAW_MAX_TOKENS_PER_DAY": "5000"}).object

    assert told["agents"][0]["held_back"] == []


def test_limits_that_are_off_are_said_to_be(place: Place):
    off = {f"SCRIMSHAW_MAX_{name}": "0" for name in ("TOKENS_PER_DAY", "COST_PER_DAY")}
    told = place.run("spend", env={**ON, **off})
    as_object = place.run("spend", "--json", env={**ON, **off}).object["agents"][0]["today"]

    assert "  today     2026-11-20: 0 tokens (no limit), $0.00 (no limit)" in told.out.splitlines()
    assert (as_object["max_tokens"], as_object["left_tokens"], as_object["left_dollars"]) == (
        None,
        None,
        None,
    )


def test_only_the_days_asked_for_are_added_up(place: Place):
    pay(place, Amount(10, 5, 100_000), date(2026, 1, 2))
    last_month, all_year = place.run("spend"), place.run("spend", "--since", "2026-01-01")

    assert "Nothing was spent since 2026-10-21. For what was before: --since DATE" in last_month.out
    assert "2026-01-02      1" in all_year.out


def test_a_date_that_is_none_is_refused(place: Place):
    assert place.run("spend", "--since", "yesterday").code == 2


def test_the_object_says_everything(place: Place):
    pay(place, Amount(5_000, 600, 300_000))
    told = place.run("spend", "--json", env=ON).object
    agent = told["agents"][0]

    assert told["rows"] == [
        {
            "day": "2026-11-20",
            "calls": 1,
            "failed": 0,
            "cut_off": 0,
            "estimated": 0,
            "tokens_in": 5_000,
            "tokens_out": 600,
            "unpriced": 0,
            "cost_dollars": 0.3,
            "is_cost_known": True,
        }
    ]
    assert (agent["agent"], agent["zone"], agent["day"]) == ("main", "UTC", "2026-11-20")
    assert (agent["today"]["left_tokens"], agent["today"]["left_dollars"]) == (1_994_400, 0.7)
    assert told["exit_code"] == 0


def test_the_owner_s_zone_says_which_day_it_is(place: Place):
    env = {**ON, "SCRIMSHAW_TIMEZONE": "Pacific/Auckland"}
    told = place.run("spend", "--json", env=env).object

    assert told["agents"][0]["day"] == "2026-11-21"


def test_nothing_is_written_by_looking(place: Place):
    pay(place, Amount(10, 5, 7))
    ledger = place.target().layout.ledger
    before = ledger.read_bytes(), sorted(path.name for path in ledger.parent.iterdir())
    place.run("spend", "--json")

    assert (ledger.read_bytes(), sorted(path.name for path in ledger.parent.iterdir())) == before


def test_a_ledger_that_cannot_be_read_is_said_and_the_others_are_told(place: Place):
    place.target().layout.ledger.write_bytes(b"no ledger at all" * 100)
    told, as_object = place.run("spend"), place.run("spend", "--json")

    assert told.code == as_object.code == 1
    assert "damaged" in told.out
    assert "Nothing has been spent" not in told.out
    assert as_object.object["agents"][0]["error"]


def test_a_first_ledger_says_how_it_gets_up_to_date(tmp_path: Path):
    place = Place(tmp_path)
    path = place.target().layout.ledger
    path.parent.mkdir()
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(FIRST.read_text(encoding="utf-8"))
    told = place.run("spend")

    assert told.code == 1
    assert "scrimshaw observe" in told.out


def test_two_agents_of_one_name_are_told_apart(place: Place):
    other = place.root / ".openclaw-work"
    workspace = place.root / "other workspace"
    other.mkdir()
    workspace.mkdir()
    config = {"agents": {"defaults": {"workspace": str(workspace), "userTimezone": "UTC"}}}
    (other / "openclaw.json").write_text(json.dumps(config))
    (other / "agents" / "main" / "sessions").mkdir(parents=True)
    pay(place, Amount(10, 5, 7))
    told = place.run("spend", "--by", "agent", "--json").object

    assert [agent["workspace"] for agent in told["agents"]] == [str(place.workspace), str(workspace)]
    assert [row["agent"] for row in told["rows"]] == [f"main ({place.workspace})"]
