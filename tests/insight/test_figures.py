"""`stats`, `stale` and `trend`: figures against counts of their own, the past against the look of then."""

import json
import math
import sqlite3
from collections import Counter
from contextlib import closing
from datetime import date, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.core.lines_by_hand import a_line
from tests.places import NOW, Place

from scrimshaw import Memory, ObserveOptions, UserError
from scrimshaw.core.consolidation.expiry import is_protected
from scrimshaw.core.insight.calendar import calendar
from scrimshaw.core.insight.decay import RATES, faded
from scrimshaw.core.insight.fact_types import type_of
from scrimshaw.core.insight.figures import figures, stale
from scrimshaw.core.insight.known import known_of
from scrimshaw.core.insight.recalls import Recalls, recalls
from scrimshaw.core.ledger.lifecycle import confidence_of
from scrimshaw.core.section.rank import holds_for_life
from scrimshaw.core.section.select import fold
from scrimshaw.core.types import Author, DateRef, Kind
from scrimshaw.core.types import Place as Part
from scrimshaw.services.insight import look as looking
from scrimshaw.services.insight.trend import FIGURES

_NOW = datetime.fromisoformat(NOW)
_DAY_MS = 86_400_000
_DAYS = (
    (
        ("We decided to use Postgres 17.2 for the ledger.", "Noted."),
        ("The staging server listens on port 8443.", "I will remember it."),
    ),
    (
        ("My sister Beth lives in Porto.", "Noted."),
        ("I prefer short answers, always.", "Good."),
        ("My dentist appointment is on 2026-12-03 at 14:00.", "I will remember it."),
    ),
    (
        ("We decided to use Postgres 18.1 for the ledger instead.", "Noted."),
        ("My brother Theo is allergic to peanuts.", "Noted."),
    ),
)


def _memory(place: Place, at: datetime) -> Memory:
    said = {"HOME": str(place.root), "OPENCLAW_STATE_DIR": str(place.state)}
    return Memory.open(env=said, clock=lambda: at)


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path / "home")


def _live(place: Place, at: datetime) -> list[Memory]:
    """Let some days go by; return the memory as of the end of each."""
    memories = []
    for number, said in enumerate(_DAYS):
        moment = at + timedelta(days=number)
        place.say(*said)
        memory = _memory(place, moment)
        memory.observe(ObserveOptions(waits=False), consent=True)
        memory.record_recall(memory.search("Postgres", mode="lexical"))
        memories.append(memory)
    return memories


def _rows(place: Place, sql: str) -> list[tuple]:
    with closing(sqlite3.connect(place.workspace / ".scrimshaw" / "ledger.sqlite")) as ledger:
        return ledger.execute(sql).fetchall()


def _wrong_figures(place: Place, told: dict) -> list[str]:
    """Return which figures of `stats` differ from a count over the ledger's rows and the files."""
    live = _rows(
        place,
        "select o.id, o.kind, s.place, o.said_at_ms, o.confidence, o.session_id, o.author, o.refers_start, "
        "s.is_pinned from observation o join standing s on s.observation_id = o.id where s.closed is null "
        "and o.level = 0",
    )
    by_kind = Counter(row[1] for row in live)
    midnight = int(datetime.fromisoformat(NOW[:10] + "T00:00:00+00:00").timestamp() * 1000) + 2 * _DAY_MS
    own = place.workspace / ".scrimshaw"
    files = [*own.glob("*.sqlite*"), *(own / "index").rglob("*"), *(place.workspace / "memory").rglob("*")]
    recalled = {row[0] for row in _rows(place, "select observation_id from event where type = 'recalled'")}
    found = recalled & {row[0] for row in live}
    expected = {
        "memories": len(live),
        "facts": len(live),
        "sources": len({row[5] or "MEMORY.md" for row in live}),
        "storage_bytes": sum(path.stat().st_size for path in files if path.is_file()),
        "avg_confidence": round(math.fsum(row[4] for row in live) / len(live), 4),
        "decision": by_kind["decision"],
        "preference": by_kind["preference"],
        "today": sum(row[3] >= midnight for row in live),
        "all_types": len(live),
        "all_ages": len(live),
        "recalled": sorted(found),
    }
    real = {
        **told,
        "decision": told["facts_by_type"]["decision"],
        "preference": told["facts_by_type"]["preference"],
        "today": told["freshness"]["today"],
        "all_types": sum(told["facts_by_type"].values()),
        "all_ages": sum(told["freshness"].values()),
        "recalled": sorted(one["fact_id"] for one in told["top_recalled"] if one["fact_id"] in found),
    }
    return [name for name, value in expected.items() if real[name] != value]


def test_each_figure_of_stats_is_what_a_count_of_its_own_says(place: Place) -> None:
    last = _live(place, _NOW)[-1]

    assert _wrong_figures(place, last.stats().to_dict()) == []


def test_the_count_of_its_own_sees_a_wrong_figure(place: Place) -> None:
    told = _live(place, _NOW)[-1].stats().to_dict()

    for name in ("memories", "facts", "sources", "storage_bytes", "avg_confidence"):
        assert name in _wrong_figures(place, {**told, name: told[name] + 1})


def test_a_line_in_a_section_that_was_injected_counts_as_recalled_once_a_day() -> None:
    sections = [(100, ["a", "b"]), (300, ["b"])]
    said = [(50, "2026-11-01"), (150, "2026-11-02"), (160, "2026-11-02"), (400, "2026-11-04")]

    found = recalls({"a": Recalls(2, "2026-11-03")}, sections, said)

    assert {"a": Recalls(3, "2026-11-03"), "b": Recalls(2, "2026-11-04")} == found


def test_what_the_ledger_reads_for_the_figures_is_what_its_lines_are(place: Place) -> None:
    _live(place, _NOW)[-1].pin("8443")

    with place.ledger(read_only=True) as ledger:
        assert sorted(map(known_of, ledger.live_lines())) == sorted(ledger.insight.known())


def test_the_past_is_what_a_look_on_that_day_was(place: Place) -> None:
    """And a reinforced line, a deleted one and an undo in between change nothing of it."""
    then = {}
    for number, said in enumerate(_DAYS):
        moment = _NOW + timedelta(days=20 * number)
        place.say(*said)
        memory = _memory(place, moment)
        memory.observe(ObserveOptions(waits=False), consent=True)
        memory.record_recall(memory.search("Postgres", mode="lexical"))
        if number == 1:
            memory.reinforce("8443")
        if number == 2:
            memory.delete_line("8443")
        look = _look(place, moment)
        then[look.today.day] = {name: figure(look) for name, figure in FIGURES.items()}
    later = _NOW + timedelta(days=60)
    memory = _memory(place, later)
    memory.undo()
    place.say(("The cat is called Mimi.", "Noted."))
    memory.observe(ObserveOptions(waits=False))

    for name in FIGURES:
        told = dict(memory.trend(name, days=90).points)
        assert {day: told[day] for day in then} == {day: values[name] for day, values in then.items()}, name
    now = _look(place, later)
    assert memory.trend("memories", days=1).points == ((now.today.day, len(now.known)),)


def test_the_compression_of_a_past_day_is_what_was_told_on_it(place: Place) -> None:
    then = []
    for number, said in enumerate(_DAYS):
        place.say(*said)
        memory = _memory(place, _NOW + timedelta(days=number))
        memory.observe(ObserveOptions(waits=False), consent=True)
        figures = memory.metrics().figures
        then.append((figures["om_messages_tokens_total", ""], figures["om_compression_ratio", ""]))

    read, ratio = memory.trends(["read_tokens", "compression"], days=4)

    sums = [sum(value for _, value in read.points[: end + 1]) for end in range(4)]
    assert sums == [0, *(total for total, _ in then)]
    assert [value for _, value in ratio.points] == [0, *(pytest.approx(value) for _, value in then)]
    assert len(set(sums)) == 4


def test_what_was_read_before_days_were_counted_is_no_days(place: Place) -> None:
    last = _live(place, _NOW)[-1]
    told = [value for _, value in last.trend("compression", days=3).points]
    first_ms = int(_NOW.timestamp() * 1000) + _DAY_MS // 2
    with closing(sqlite3.connect(place.workspace / ".scrimshaw" / "ledger.sqlite")) as ledger, ledger:
        ledger.execute("delete from reading where quarter * 900000 < ?", (first_ms,))

    assert [value for _, value in last.trend("compression", days=3).points] == [0, *told[1:]]


def test_the_past_would_differ_were_it_not_looked_at_as_it_was(place: Place) -> None:
    _live(place, _NOW)

    told = dict(_memory(place, _NOW + timedelta(days=2)).trend("memories", days=3).points)

    assert len(set(told.values())) == 3


def test_what_an_import_brings_is_known_from_when_it_came(place: Place, tmp_path: Path) -> None:
    _live(place, _NOW)
    _memory(place, _NOW + timedelta(days=3)).export(tmp_path / "all.mv2")
    other = Place(tmp_path / "other")
    other.say(("The boat is moored in Cowes.", "Noted."))
    _memory(other, _NOW).observe(ObserveOptions(waits=False), consent=True)
    late = _memory(other, _NOW + timedelta(days=9))
    before = len(_look(other, _NOW).known)

    late.import_(tmp_path / "all.mv2")

    told = [value for _, value in late.trend("memories", days=3).points]
    assert [before, before] == told[:2]
    assert told[2] > before


def _look(place: Place, at: datetime) -> looking.MemorySnapshot:
    with place.ledger(read_only=True) as ledger:
        return looking.look_at(place.target(), ledger, at)


def test_a_figure_that_there_is_none_of_is_told_with_those_there_are(place: Place) -> None:
    memory = _live(place, _NOW)[-1]

    with pytest.raises(UserError, match="storage_bytes") as told:
        memory.trend("storage_bytes")
    assert "memories" in told.value.next_step


def test_a_stale_fact_has_its_place_in_a_file(place: Place) -> None:
    _live(place, _NOW)

    found = _memory(place, _NOW + timedelta(days=400)).stale(min_confidence=1.0)

    assert found.facts
    for fact in found.facts:
        row = (place.workspace / fact.file).read_text().split("\n")[fact.line - 1]
        assert fact.stale.line.text in row


def test_reinforcing_takes_a_fact_off_the_list(place: Place) -> None:
    _live(place, _NOW)
    memory = _memory(place, _NOW + timedelta(days=400))
    stalest = memory.stale(min_confidence=0.99, days=900).facts[0].stale.line.id

    memory.reinforce(stalest)

    again = memory.stale(min_confidence=0.99, days=900)
    assert stalest not in {fact.stale.line.id for fact in again.facts}


_LINES = st.builds(
    a_line,
    st.sampled_from(["The press leaks", "Beth is her sister", "port 8443", "He moved to Porto"]),
    place=st.sampled_from(Part),
    priority=st.integers(1, 5),
    author=st.sampled_from([Author.RULES, Author.PERSON, Author.PROGRAM]),
    kind=st.sampled_from(Kind),
    done=st.booleans(),
    refers_to=st.sampled_from([None, DateRef(date(2026, 11, 21), None, None, "then")]),
    said_at_ms=st.integers(1_700_000_000_000, 1_795_000_000_000),
    level=st.integers(0, 1),
    is_pinned=st.booleans(),
    is_shown=st.booleans(),
    is_expired=st.booleans(),
    is_kept=st.booleans(),
    confirmed=st.integers(0, 3),
)


@given(_LINES, st.integers(0, 4000), st.floats(0, 1), st.integers(0, 400))
def test_stale_never_complains_of_what_the_section_rightly_keeps(line, later, least, days):
    day = date(2026, 11, 21) + timedelta(later)
    newest = 1_795_500_000_000
    today = calendar(day, "Europe/Paris")
    found = stale([known_of(line)], {}, today, newest_ms=newest, min_confidence=least, days=days)

    if found:
        assert not holds_for_life(line, newest)
        assert not is_protected(line, today.day, newest) or line.standing.place is Part.OPEN
        is_in_section = line.observation.id in fold([line], 2_000, zone="Europe/Paris").shown
        assert not is_in_section or found[0].effective_confidence < least
        sure = faded(confidence_of(line), RATES[type_of(line)], found[0].days)
        assert math.isclose(sure, found[0].effective_confidence)


def test_stale_complains_of_what_has_faded():
    faded = a_line("Meeting with vendor", kind=Kind.OUTCOME, priority=2, said_at_ms=1_700_000_000_000)

    assert stale([known_of(faded)], {}, calendar(date(2026, 11, 21), "UTC"), newest_ms=1_795_500_000_000)


@given(st.lists(_LINES, max_size=20), st.integers(-400, 400))
def test_freshness_and_types_sum_to_what_they_are_of(lines, later):
    found = figures(map(known_of, lines), calendar(date(2026, 11, 21) + timedelta(later), "Europe/Paris"))

    assert found.memories == sum(found.freshness.values()) == len(lines)
    assert found.facts == sum(found.facts_by_type.values())


def test_known_lines_are_typed_as_lines_are():
    line = a_line("Beth is her sister")

    assert known_of(line).type is type_of(line)


def test_an_event_that_is_undone_counts_in_the_past_and_not_after(place: Place) -> None:
    first = _live(place, _NOW)[-1]
    first.delete_line("8443")
    _memory(place, _NOW + timedelta(days=4)).undo()

    told = [value for _, value in _memory(place, _NOW + timedelta(days=5)).trend("memories", days=4).points]

    assert told[1] == told[0]
    assert told[2] == told[0] + 1


def test_looking_writes_nothing(place: Place) -> None:
    memory = _live(place, _NOW)[-1]
    before = json.dumps(_rows(place, "select count(*), max(seq) from event"))

    memory.stats(), memory.stale(), memory.trend("stale", days=2)

    assert before == json.dumps(_rows(place, "select count(*), max(seq) from event"))
