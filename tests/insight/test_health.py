"""The health of spoiled memories: a lost point names lines and a command, and the command gives it back."""

import json
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from types import SimpleNamespace

import pytest
from bench.junk import lines_of
from tests.doctor.cases import hook
from tests.insight.test_conflicts import _line
from tests.places import EXEC, NOW, Place

from scrimshaw import Exit, Memory, ObserveOptions, UserError
from scrimshaw.core.insight.conflicts import find_conflicts
from scrimshaw.core.insight.health import Around, FaultName, health_of
from scrimshaw.core.insight.junk import find_chatter, find_doubled, is_chatter
from scrimshaw.core.ledger.observations import ReviewProposal
from scrimshaw.core.types import Author, Event, EventType, Kind, Rejected
from scrimshaw.core.types import Place as Part
from scrimshaw.services.insight.alerts import keep_watch
from scrimshaw.store.records import Batch

_NOW = datetime.fromisoformat(NOW)
_NOW_MS = int(_NOW.timestamp() * 1000)
_JUNK = lines_of("junk")
_GOOD = lines_of("good")


def _memory(place: Place, after: timedelta = timedelta(0), **env: str) -> Memory:
    said = {"HOME": str(place.root), "OPENCLAW_STATE_DIR": str(place.state), **env}
    return Memory.open(env=said, clock=lambda: _NOW + after)


def _note(place: Place, texts: Sequence[str], *, days_ago: int = 1, **told) -> list[str]:
    """Put lines into the ledger as a run of the rules would have."""
    said = _NOW_MS - days_ago * 86_400_000
    born = []
    with place.ledger() as ledger:
        start = len(ledger.all_lines())
        for number, text in enumerate(texts, start + 1):
            line = _line(number, text, **told).observation
            born.append(replace(line, said_at_ms=said + number, local_date="2026-11-19"))
        ledger.accept(Batch(run_id="r", at_ms=_NOW_MS, observations=tuple(born)))
    return [line.id for line in born]


@pytest.fixture
def place(tmp_path: Path) -> Place:
    made = Place(tmp_path / "home")
    made.say(("We decided to use Postgres 17.2 for the ledger.", "Noted."))
    _memory(made).observe(ObserveOptions(waits=False), consent=True)
    _note(made, _GOOD[:60])
    return made


def test_chatter_is_found_and_good_lines_are_left_alone() -> None:
    found, wrong = sum(map(is_chatter, _JUNK)), sum(map(is_chatter, _GOOD))

    assert found / len(_JUNK) >= 0.90
    assert wrong / len(_GOOD) <= 0.02


def test_the_persons_own_and_pinned_lines_are_never_chatter() -> None:
    own = _line(1, "ping", author=Author.PERSON)
    pinned = _line(2, "ping")
    pinned = pinned._replace(standing=replace(pinned.standing, is_pinned=True))

    assert find_chatter([own, pinned, _line(3, "ping")]) == [_line(3, "ping")]


def test_of_doubled_lines_the_first_is_kept_and_a_pinned_one_before_it() -> None:
    first, second = _line(1, "The rent is 900 euros."), _line(2, "the rent is 900 euros", day=2)
    pinned = second._replace(standing=replace(second.standing, is_pinned=True))

    assert [(one.line, one.by) for one in find_doubled([second, first])] == [(second, first)]
    assert [(one.line, one.by) for one in find_doubled([pinned, first])] == [(first, pinned)]
    assert not find_doubled([first, _line(3, "The rent is 901 euros.")])


def test_a_store_of_chatter_scores_below_ten_and_a_good_one_does_not() -> None:
    junk = [_line(n, _JUNK[n % len(_JUNK)], day=1 + n % 28) for n in range(978)]
    good = [_line(2_000 + n, text) for n, text in enumerate(_GOOD[:22])]

    spoiled = health_of(junk + good, Around(find_conflicts(junk + good)), 30 * 86_400_000)
    sound = health_of(good, Around(), 30 * 86_400_000)

    assert spoiled.score < 10
    assert sound.score >= 95


def test_a_store_that_is_junk_by_978_in_a_thousand_is_told_and_cleaned(tmp_path: Path) -> None:
    place = Place(tmp_path / "home")
    place.say(("We decided to use Postgres 17.2 for the ledger.", "Noted."))
    _memory(place).observe(ObserveOptions(waits=False), consent=True)
    good = _note(place, _GOOD[:22])
    junk = _note(place, [_JUNK[n % len(_JUNK)] for n in range(978)])

    spoiled = place.run("health", "--json").object["score"]
    place.run("clean", "--now")

    with place.ledger() as ledger:
        left = {line.observation.id for line in ledger.live_lines()}
    assert spoiled < 10
    assert len(left.intersection(junk)) <= 0.1 * len(junk)
    assert left.issuperset(good)
    assert place.run("health", "--json").object["score"] >= 95


def test_a_line_loses_points_for_one_fault_alone() -> None:
    lines = [_line(n, "HEARTBEAT_OK") for n in range(5)]

    [fault] = health_of(lines, Around(), 0).faults

    assert (fault.name, fault.amount, fault.points) == ("junk", 5, 100.0)


def _spoil_junk(place: Place) -> None:
    _note(place, _JUNK[:60])


def _spoil_doubled(place: Place) -> None:
    _note(place, [text.upper() for text in _GOOD[:40]])


def _spoil_contradictory(place: Place) -> None:
    _note(place, ["The rent of the flat is 900 euros.", "Our cat weighs 4 kg.", "I drive a Skoda Fabia."])
    _note(place, ["The rent of the flat is 960 euros.", "Our cat weighs 6 kg."], days_ago=0)


def _spoil_unverifiable(place: Place) -> None:
    ids = _note(place, [f"The shelf number of box {n} is {n * 7}." for n in range(40, 80)])
    with place.ledger() as ledger:
        ledger.append([Event(EventType.SOURCE_GONE, id_, _NOW_MS, "r") for id_ in ids])


def _spoil_stale(place: Place) -> None:
    texts = [f"Call vendor number {n} about lot {n * 3}." for n in range(200, 230)]
    _note(place, texts, days_ago=400, kind=Kind.NEXT_STEP, part=Part.LOG)


def _spoil_source(place: Place) -> None:
    place.say(("The boat trailer has the plate HH 4512 and is due for inspection in May.", "Noted."))


def _spoil_section(place: Place) -> None:
    _memory(place).observe(ObserveOptions(waits=False))
    (place.workspace / ".scrimshaw" / "config.yaml").write_text("observation_chars: 1000\n")


def _spoil_way(place: Place) -> None:
    _memory(place).observe(ObserveOptions(waits=False))
    place.record("untrusted")


def _spoil_review(place: Place) -> None:
    proposal = _proposal()
    with place.ledger() as ledger:
        refused = tuple(
            ReviewProposal(
                "s", Rejected(replace(proposal, text=f"The vault holds {n} bars."), "number", "not there")
            )
            for n in range(6)
        )
        ledger.accept(Batch(run_id="r", at_ms=_NOW_MS, rejections=refused))


def _proposal():
    from scrimshaw.core.types import Proposal, Role

    return Proposal("The vault holds bars.", Kind.FACT, 3, ("e1",), Role.USER)


def _bring_by_hook(memory: Memory) -> None:
    # What an install does about it; tests/setup sees to the install itself.
    target = memory.target
    hook(SimpleNamespace(state=target.agents[0].state_dir, workspace=target.layout.workspace))


# Of each fault: what spoils a memory with it, the command that its lost points name, and the key for each
# that it asks about.
_SPOILED = {
    "junk": (_spoil_junk, "scrimshaw clean", ""),
    "doubled": (_spoil_doubled, "scrimshaw clean", ""),
    "contradictory": (_spoil_contradictory, "scrimshaw conflicts", "m"),
    "unverifiable": (_spoil_unverifiable, "scrimshaw clean --only unverifiable", ""),
    "stale": (_spoil_stale, "scrimshaw stale", "d"),
    "dry source": (_spoil_source, "scrimshaw observe", ""),
    "section cut": (_spoil_section, "scrimshaw observe --now", ""),
    "not shown": (_spoil_way, "scrimshaw install", ""),
    "waiting for you": (_spoil_review, "scrimshaw review", "r"),
}


@pytest.mark.parametrize("fault", sorted(_SPOILED))
def test_the_command_that_a_lost_point_names_gives_it_back(
    place: Place, monkeypatch: pytest.MonkeyPatch, fault: str
) -> None:
    spoil, command, key = _SPOILED[fault]
    later = timedelta(days=3)
    before = _memory(place, later).health().score
    spoil(place)
    spoiled = _memory(place, later).health()
    monkeypatch.setattr("click.getchar", lambda: key)
    monkeypatch.setattr("scrimshaw.cli.support.command.CommandCall.is_at_terminal", bool(key))

    if fault == "not shown":
        _bring_by_hook(_memory(place, later))
    else:
        answer = place.run(*command.split()[1:], now=(_NOW + later).isoformat())
        assert answer.code == Exit.OK, answer

    after = _memory(place, later).health().score
    [told] = [one for one in spoiled.to_dict()["lost"] if one["fault"] == fault]
    assert told["command"] == command
    assert told["lines"] or told["told"] or fault == "waiting for you"
    assert spoiled.score < before
    assert after - spoiled.score >= 0.9 * (before - spoiled.score)


def test_cleaning_is_one_revision_that_undo_takes_back(place: Place) -> None:
    ids = _note(place, ["HEARTBEAT_OK", "No new messages since last check."])
    _memory(place).observe(ObserveOptions(waits=False))
    before = _memory(place).health().score

    done = _memory(place).clean(at_once=True)

    assert {line.observation.id for _, line in done.gone} == set(ids)
    assert _memory(place).health().score > before
    _memory(place).undo()
    with place.ledger() as ledger:
        assert all(line.standing.is_live for line in ledger.lines(ids).values())
    assert not _memory(place).clean(dry_run=True).gone, "what was brought back by hand is not taken again"


def test_a_rehearsal_of_cleaning_changes_nothing(place: Place) -> None:
    _note(place, ["HEARTBEAT_OK"])
    with place.ledger() as ledger:
        version = ledger.version()

    answer = place.run("clean", "--dry-run")

    assert "Would take out 1 junk" in answer.out
    with place.ledger() as ledger:
        assert ledger.version() == version


def test_an_agents_shell_cleans_nothing(place: Place) -> None:
    with pytest.raises(UserError, match="cannot decide"):
        _memory(place, **EXEC).clean()


def test_fail_under_ends_with_one_where_the_score_is_lower(place: Place) -> None:
    _note(place, _JUNK)

    low, fine = place.run("health", "--fail-under", "70", "--json"), place.run("health", "--fail-under", "1")

    assert (low.code, json.loads(low.out)["exit_code"]) == (Exit.MENDABLE, 1)
    assert json.loads(low.out)["score"] < 70
    assert fine.code == Exit.OK
    assert "→ scrimshaw clean" in fine.out


def test_the_past_of_health_knows_what_a_look_on_that_day_found_beside_the_lines(place: Place) -> None:
    """A message waited unread, and was read on the fourth day; the daemon was off on the second."""
    place.say(("The valve of the boiler is stuck.", "Shall I call somebody?"))
    then = []
    for day in range(4):
        memory = _memory(place, timedelta(days=day))
        if day == 3:
            memory.observe(ObserveOptions(waits=False))
        if day != 1:
            keep_watch(memory.target, memory.now())
        health = memory.health()
        assert memory.trend("health", days=1).points[-1][1] == health.score
        then.append({fault.name for fault in health.health.faults})

    [told] = _memory(place, timedelta(days=4)).trends(["health"], days=5)

    values = [value for _, value in told.points]
    assert [FaultName.DRY_SOURCE in faults for faults in then] == [True, True, True, False]
    assert [value - values[0] for value in values[:4]] == [0, 10, 0, 10]
