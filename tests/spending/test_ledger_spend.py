"""Spend in the ledger: reserved before a call, settled once after it; a first ledger keeps everything."""

import os
import sqlite3
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from datetime import date, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scrimshaw.core.policy.spending import Amount, Caps, SpendRefusal, Spent
from scrimshaw.store import sqlite
from scrimshaw.store.ledger import Ledger, open_ledger
from scrimshaw.store.migrations import MIGRATIONS, m002_models
from scrimshaw.store.records import ModelCall, Run, RunCost, SpendRow

AT = 1_795_000_000_000
DAY = date(2026, 11, 20)
MOST = Amount(600, 400, 50)
NO_CAPS = Caps()
FIRST = Path(__file__).with_name("first_ledger.sql")


@pytest.fixture
def ledger(tmp_path: Path) -> Iterator[Ledger]:
    with open_ledger(tmp_path / "ledger.sqlite", create=True) as ledger:
        ledger.begin_run(Run("r1", "observe", "request", "fake/model", AT))
        yield ledger


def call(day: date = DAY, *, most: Amount = MOST, job: str = "observe", run: str = "r1") -> ModelCall:
    return ModelCall(AT, day, run, job, "fake/model", most)


def reserved(ledger: Ledger, one: ModelCall, caps: Caps = NO_CAPS) -> int:
    number = ledger.reserve(one, caps)
    assert isinstance(number, int)
    return number


def test_what_is_reserved_counts_until_it_is_settled(ledger: Ledger):
    number = reserved(ledger, call())
    before = ledger.spent("day", DAY)
    ledger.settle(number, Amount(500, 20, 7), is_estimated=False, outcome="answer")

    assert before == Spent(1_000, 50)
    assert ledger.spent("day", DAY) == Spent(520, 7)
    assert ledger.spent("month", DAY) == Spent(520, 7)


def test_a_call_that_could_pass_the_cap_is_not_written(ledger: Ledger):
    reserved(ledger, call())
    refused = ledger.reserve(call(), Caps(tokens_a_day=1_999))

    assert isinstance(refused, SpendRefusal)
    assert ledger.spent("day", DAY) == Spent(1_000, 50)


def test_a_reservation_cannot_be_taken_back_by_what_comes_after(ledger: Ledger):
    with pytest.raises(ValueError, match="must stand"), ledger.transaction():
        ledger.reserve(call(), Caps())


def test_a_call_is_settled_once(ledger: Ledger):
    number = reserved(ledger, call())
    ledger.settle(number, Amount(1, 1, 1), is_estimated=False, outcome="answer")

    with pytest.raises(ValueError, match="not reserved"):
        ledger.settle(number, Amount(9, 9, 9), is_estimated=False, outcome="answer")
    assert ledger.spent("day", DAY) == Spent(2, 1)


def test_a_run_knows_what_its_calls_cost(ledger: Ledger):
    for used in (Amount(500, 20, 7), Amount(100, 10, None)):
        ledger.settle(reserved(ledger, call()), used, is_estimated=False, outcome="answer")
    ledger.note_prompt("r1", "ab" * 32)

    last = ledger.last_run()

    assert last is not None
    assert last.cost == RunCost(600, 30, 7, unpriced=1)
    assert last.prompt == "ab" * 32


def test_a_run_that_asked_a_model_is_not_dropped(ledger: Ledger):
    reserved(ledger, call())
    ledger.drop_run("r1")

    assert ledger.last_run() is not None


def test_a_run_that_asked_nobody_is_dropped(ledger: Ledger):
    ledger.drop_run("r1")

    assert ledger.last_run() is None


def test_old_runs_that_cost_something_are_kept(ledger: Ledger):
    ledger.begin_run(Run("r2", "observe", "request", "rules", AT))
    reserved(ledger, call())
    ledger.thin(AT + 91 * 86_400_000)

    kept = ledger.last_run()

    assert kept is not None
    assert kept.run_id == "r1"


def test_rows_come_by_day_model_and_job(ledger: Ledger):
    ledger.settle(reserved(ledger, call()), Amount(10, 1, 5), is_estimated=False, outcome="answer")
    ledger.settle(reserved(ledger, call()), Amount(0, 0, 0), is_estimated=False, outcome="rate")
    ledger.settle(reserved(ledger, call()), Amount(30, 3, None), is_estimated=True, outcome="answer")
    reserved(ledger, call(date(2026, 11, 21), job="reflect"))

    rows = ledger.spend_rows()

    assert rows == [
        SpendRow(DAY, "fake/model", "observe", 3, 1, 0, 1, 40, 4, 5, 1),
        SpendRow(date(2026, 11, 21), "fake/model", "reflect", 1, 0, 1, 1, 600, 400, 50, 0),
    ]
    assert ledger.spend_rows(date(2026, 11, 21)) == rows[1:]


def test_the_last_of_a_month_counts_for_the_month_and_not_for_the_next_day(ledger: Ledger):
    reserved(ledger, call(date(2026, 11, 30)))

    assert ledger.spent("month", date(2026, 11, 1)).tokens == 1_000
    assert ledger.spent("month", date(2026, 12, 1)).tokens == 0
    assert ledger.spent("day", date(2026, 12, 1)).tokens == 0


def test_what_was_spent_before_the_clock_was_set_back_still_counts(ledger: Ledger):
    reserved(ledger, call(date(2026, 11, 21)))

    assert ledger.spent("day", date(2026, 11, 20)).tokens == 1_000  # back over midnight
    assert ledger.spent("day", date(2026, 11, 10)).tokens == 0
    assert ledger.spent("month", date(2026, 10, 31)).tokens == 1_000  # back over a month's end


def test_a_clock_that_was_once_far_ahead_does_not_stop_everything(ledger: Ledger):
    reserved(ledger, call(date(2036, 11, 20)))

    assert ledger.spent("month", DAY).tokens == 0


def test_what_a_cap_refused_is_told_until_a_call_is_made(ledger: Ledger):
    for _ in range(3):
        ledger.reserve(call(), Caps(tokens_a_day=1))
    ledger.reserve(call(job="reflect"), Caps(tokens_a_day=1))
    waited = ledger.held_by_caps()
    reserved(ledger, call())

    assert [(held.job, held.since_ms, held.most.tokens) for held in waited] == [
        ("observe", AT, 1_000),
        ("reflect", AT, 1_000),
    ]
    assert [held.job for held in ledger.held_by_caps()] == ["reflect"]


# -- whatever happens ---------------------------------------------------------------------------------------

DAY_CAP, MONTH_CAP = 3_000, 10_000
_ACTS = st.one_of(
    st.tuples(st.just("call"), st.integers(1, 1_500), st.floats(0.0, 1.0)),  # the most, and how much of it
    st.tuples(st.just("die"), st.integers(1, 1_500), st.just(1.0)),  # reserved, and never settled
    st.tuples(st.just("clock"), st.integers(-40, 40), st.just(0.0)),  # days, also backwards
)


def _play(ledger: Ledger, acts: list[tuple[str, int, float]], caps: Caps) -> None:
    today = DAY
    for act, number, share in acts:
        if act == "clock":
            today += timedelta(days=number)
            continue
        given = ledger.reserve(call(today, most=Amount(number, 0, 0)), caps)
        if isinstance(given, int) and act == "call":
            ledger.settle(given, Amount(int(number * share), 0, 0), is_estimated=False, outcome="answer")


def _dearest(ledger: Ledger) -> tuple[int, int]:
    """Return the most that any day, and any month, of the calendar holds."""
    days: Counter[str] = Counter()
    months: Counter[str] = Counter()
    for row in ledger.spend_rows():
        days[row.local_date.isoformat()] += row.tokens_in
        months[f"{row.local_date:%Y-%m}"] += row.tokens_in
    return max(days.values(), default=0), max(months.values(), default=0)


@settings(max_examples=25)
@given(st.lists(_ACTS, max_size=25))
def test_no_day_and_no_month_holds_more_than_its_cap_whatever_the_clock_does(
    acts: list[tuple[str, int, float]],
):
    with TemporaryDirectory() as folder, open_ledger(Path(folder) / "ledger.sqlite", create=True) as ledger:
        _play(ledger, acts, Caps(DAY_CAP, MONTH_CAP))
        day, month = _dearest(ledger)

    assert day <= DAY_CAP
    assert month <= MONTH_CAP


def test_without_caps_the_same_play_passes_them(ledger: Ledger):
    _play(ledger, [("call", 1_500, 1.0)] * 3 + [("clock", 1, 0.0), ("die", 1_500, 1.0)] * 5, NO_CAPS)
    day, month = _dearest(ledger)

    assert (day, month) == (4_500, 12_000)


# -- a ledger that the first program wrote -----------------------------------------------------------------


def _first(path: Path) -> dict[str, list[tuple[object, ...]]]:
    """Make a ledger of schema 1 at *path* and return everything in it."""
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(FIRST.read_text(encoding="utf-8"))
        connection.commit()
        assert connection.execute("pragma user_version").fetchone() == (1,)
        return _content(connection)


def _content(connection: sqlite3.Connection) -> dict[str, list[tuple[object, ...]]]:
    tables = connection.execute("select name from sqlite_master where type = 'table' order by name")
    return {
        name: connection.execute(f"select * from {name} order by 1").fetchall()
        for (name,) in tables.fetchall()
    }


def _lost(
    before: dict[str, list[tuple[object, ...]]], after: dict[str, list[tuple[object, ...]]]
) -> list[str]:
    """Return the tables of which a row, or a value of one, is not there any more."""
    return [
        name
        for name, rows in before.items()
        if name != "spend" and [row[: len(rows[0]) if rows else 0] for row in after.get(name, [])] != rows
    ]


def _without_archive_marks(
    content: dict[str, list[tuple[object, ...]]],
) -> dict[str, list[tuple[object, ...]]]:
    """Return *content* without what was owed to archives mark by mark: frames hold the events now."""
    return {**content, "outbox": [row for row in content["outbox"] if row[1] != "mv2"]}


def test_a_first_ledger_keeps_everything(tmp_path: Path):
    path = tmp_path / "ledger.sqlite"
    before = _without_archive_marks(_first(path))
    with open_ledger(path, create=False) as ledger:
        lines, sources = ledger.all_lines(), ledger.sessions()
        assert ledger.check() == []
    with closing(sqlite3.connect(path)) as connection:
        after = _content(connection)
        triggers = connection.execute("select count(*) from sqlite_master where type = 'trigger'").fetchone()

    assert _lost(before, after) == []
    assert {name: len(rows) for name, rows in before.items() if rows} == {
        name: len(after[name]) for name in before if before[name]
    }
    assert (len(lines), len(sources), triggers) == (36, 2, (13,))
    assert after["spend"] == [
        (
            1, 1792180000000, "2026-10-16", "20261017T190000-aaaaaa", "observe", "gemini/gemini-2.5-flash",
            "settled", 5210, 640, 0, 3163, "answer",
        )
    ]  # fmt: skip


def test_a_lost_row_would_be_seen(tmp_path: Path):
    before = _first(tmp_path / "ledger.sqlite")
    after = {**before, "run": before["run"][1:]}
    changed = {**before, "meta": [("agent", "other"), *before["meta"][1:]]}

    assert _lost(before, after) == ["run"]
    assert _lost(before, changed) == ["meta"]


def test_a_first_ledger_can_be_worked_with(tmp_path: Path):
    path = tmp_path / "ledger.sqlite"
    _first(path)
    with open_ledger(path, create=False) as ledger:
        number = ledger.reserve(call(), Caps())
        waiting = ledger.rejections(10)
        last = ledger.last_run()
    with open_ledger(path, create=False, read_only=True) as again:
        held = again.spent("day", DAY)

    assert number == 2
    assert held.tokens == 1_000
    assert [one.rejected.reason for one in waiting] == ["literal"]
    assert last is not None
    assert last.cost == RunCost()


def test_a_kill_at_any_statement_of_the_migration_leaves_the_first_ledger(tmp_path: Path):
    count = len(list(sqlite.statements(m002_models.SQL)))
    for killed_at in range(1, count + 1):
        path = tmp_path / f"{killed_at}.sqlite"
        before = _first(path)
        assert _opened_in_a_child(path, killed_at) == 9
        with closing(sqlite3.connect(path)) as connection:
            assert (connection.execute("pragma user_version").fetchone(), _content(connection)) == (
                (1,),
                before,
            )
        with open_ledger(path, create=False) as ledger:
            assert len(ledger.all_lines()) == 36


def test_a_migration_that_nobody_kills_ends(tmp_path: Path):
    """The control: the child that is killed above would have got through."""
    path = tmp_path / "ledger.sqlite"
    _first(path)

    assert _opened_in_a_child(path, 10_000) == 0
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("pragma user_version").fetchone() == (len(MIGRATIONS),)


def _opened_in_a_child(path: Path, killed_at: int) -> int:
    """Open the ledger in a child that dies after *killed_at* statements; return how it ended."""
    child = os.fork()
    if child:
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    statements = sqlite.statements

    def deadly(sql: str) -> Iterator[str]:
        for number, statement in enumerate(statements(sql)):
            if number == killed_at:
                os._exit(9)
            yield statement
        if killed_at == number + 1:
            os._exit(9)

    sqlite.statements = deadly
    open_ledger(path, create=False).close()
    os._exit(0)
