"""Lines that cannot both hold: found, settled by the person, undone, explained, obeyed by the section."""

import json
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from bench.conflicts import SEALED, is_untouched, measured, pairs_of
from tests.places import EXEC, NOW, Place

from scrimshaw import Exit, Memory, ObserveOptions, UserError
from scrimshaw.core.insight.conflicts import find_conflicts
from scrimshaw.core.insight.contradictions import difference
from scrimshaw.core.ledger.lifecycle import at_birth
from scrimshaw.core.types import Author, Closed, Kind, Line, Observation, Role
from scrimshaw.core.types import Place as Part
from scrimshaw.index.vectors import Vectors
from scrimshaw.services.insight import nearest

_NOW = datetime.fromisoformat(NOW)
_RENT, _NEWER = "The rent of the flat is 900 euros.", "The rent of the flat is 960 euros."
_OTHER = "Our cat is called Minka."


def _line(number: int, text: str, *, day: int = 1, part: Part = Part.STANDING, **more) -> Line:
    told = {"kind": Kind.FACT, "author": Author.RULES, "confidence": 0.9, **more}
    observation = Observation(
        id=f"{number:024x}",
        text=text,
        priority=3,
        place=part,
        done=False,
        session_id="s",
        sources=(f"e{number}",),
        speaker=Role.USER,
        said_at_ms=day * 86_400_000 + number,
        local_date=f"2026-03-{day:02}",
        local_time="09:00",
        zone="UTC",
        **told,
    )
    return Line(observation, at_birth(observation))


def _memory(place: Place, after: timedelta = timedelta(0), **env: str) -> Memory:
    said = {"HOME": str(place.root), "OPENCLAW_STATE_DIR": str(place.state), **env}
    return Memory.open(env=said, clock=lambda: _NOW + after)


@pytest.fixture
def place(tmp_path: Path) -> Place:
    made = Place(tmp_path / "home")
    made.say(("We decided to use Postgres 17.2 for the ledger.", "Noted."))
    memory = _memory(made)
    memory.observe(ObserveOptions(waits=False), consent=True)
    for day, text in enumerate((_RENT, _OTHER, _NEWER)):
        _memory(made, timedelta(days=day)).add(text, at_once=True)
    return made


def _standing(place: Place, text: str):
    with place.ledger() as ledger:
        return next(line.standing for line in ledger.all_lines() if line.observation.text == text)


@pytest.mark.parametrize("name", ["tuning", *SEALED])
def test_contradictions_are_found_and_look_alikes_left_alone(name: str) -> None:
    found = measured(pairs_of(name))

    assert found.precision >= 0.90
    assert found.recall >= 0.75


def test_the_measurement_would_see_a_judge_that_says_yes_to_all(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bench.conflicts.difference", lambda *_: "value")

    assert measured(pairs_of("sealed")).precision < 0.60


def test_the_sealed_pairs_are_those_that_were_sealed() -> None:
    assert all(map(is_untouched, SEALED))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("node-1 runs Debian.", "node-2 runs Debian 12."),
        ("Invoice 4411 is for 320 euros.", "Invoice 4412 is for 275 euros."),
        ("My sister Anna lives in Leeds.", "My sister Beth lives in York."),
        ("Server A listens on port 80.", "Server B listens on port 81."),
        ("The port of server A is 80.", "The port of server B is 81."),
        ("Our hall B holds 60 people.", "Our hall A holds 40 people."),
        ("The rent of flat A0 is 900 euros.", "The rent of flat B1 is 900 euros."),
        ("Is the rent 900 euros?", "The rent is 960 euros."),
        ("Metformin only once a day now.", "Hollis rang: it's 80 guests now, so four tiers, 520 euros."),
    ],
)
def test_what_a_name_or_number_tells_apart_is_no_conflict(one: str, other: str) -> None:
    assert difference(one, other) is None
    assert difference(other, one) is None


def test_values_of_one_day_are_an_attribute_conflict_and_of_two_days_a_temporal_one() -> None:
    [same_day] = find_conflicts([_line(1, _RENT), _line(2, _NEWER)])
    [two_days] = find_conflicts([_line(1, _RENT), _line(2, _NEWER, day=2)])

    assert (same_day.type, two_days.type) == ("attribute", "temporal")
    assert two_days.suggestion == "Likely update — newer value may be correct"


def test_what_is_so_for_life_is_no_update() -> None:
    lines = [_line(1, "My blood type is A positive."), _line(2, "My blood type is B negative.", day=2)]

    assert [one.type for one in find_conflicts(lines)] == ["attribute"]


def test_lines_that_are_near_by_meaning_and_tell_another_value_are_a_semantic_conflict() -> None:
    one, other = _line(1, "The rent of the flat in town is 900."), _line(2, "Rent: we transfer 960 a month.")
    near = {(one.observation.id, other.observation.id): 0.93}

    assert [c.type for c in find_conflicts([one, other], nearest=near)] in (["semantic"], ["attribute"])
    assert not find_conflicts([one, _line(3, "Rent a tent for 30 in July.")], nearest={})


def test_each_pair_comes_once_with_the_earlier_line_first() -> None:
    lines = [_line(2, _NEWER, day=2), _line(1, _RENT), _line(3, _OTHER)]

    [conflict] = find_conflicts(lines)

    assert [conflict.older.observation.text, conflict.newer.observation.text] == [_RENT, _NEWER]


def test_a_merge_keeps_the_newer_line_unless_the_older_is_surer() -> None:
    newer = find_conflicts([_line(1, _RENT), _line(2, _NEWER, day=2)])[0].kept
    surer = find_conflicts([_line(1, _RENT), _line(2, _NEWER, day=2, confidence=0.6)])[0].kept

    assert (newer.observation.text, surer.observation.text) == (_NEWER, _RENT)


def test_outcomes_patterns_and_closed_lines_contradict_nothing() -> None:
    assert not find_conflicts([_line(1, _RENT, kind=Kind.OUTCOME), _line(2, _NEWER)])
    assert not find_conflicts([_line(1, _RENT, author=Author.PROGRAM), _line(2, _NEWER)])


def test_merging_archives_the_older_line_and_undo_brings_it_back(place: Place) -> None:
    later = timedelta(days=3)
    assert _memory(place, later).conflicts().count == 1

    done = _memory(place, later).settle_conflict(_RENT, _NEWER, "merge", at_once=True)

    assert done.gone is not None
    assert done.gone.observation.text == _RENT
    assert _standing(place, _RENT).closed is Closed.SUPERSEDED
    assert _RENT not in place.memory.read_text()
    assert _NEWER in place.memory.read_text()
    assert _memory(place, later).conflicts().count == 0
    _memory(place, later).undo()
    assert _standing(place, _RENT).is_live
    assert _memory(place, later).conflicts().count == 1


def test_what_is_kept_both_is_never_asked_again_until_that_is_undone(place: Place) -> None:
    later = timedelta(days=3)
    before = place.memory.read_text()

    _memory(place, later).settle_conflict(_RENT, _NEWER, "keep-both", at_once=True)

    assert _memory(place, later).conflicts().count == 0
    assert place.memory.read_text() == before
    assert any(one.stored.event.type == "kept-both" for one in _memory(place).why(_RENT).happened)
    _memory(place, later).undo()
    assert _memory(place, later).conflicts().count == 1


def test_deleting_takes_the_line_that_is_named_first(place: Place) -> None:
    _memory(place, timedelta(days=3)).settle_conflict(_NEWER, _RENT, "delete-1", at_once=True)

    assert _standing(place, _NEWER).closed is Closed.DELETED
    assert _standing(place, _RENT).is_live


def test_two_lines_in_no_conflict_are_not_settled(place: Place) -> None:
    with pytest.raises(UserError, match="in no conflict"):
        _memory(place).settle_conflict(_RENT, _OTHER, "merge")

    assert _standing(place, _RENT).is_live


def test_an_agents_shell_may_look_and_not_decide(place: Place) -> None:
    with pytest.raises(UserError, match="cannot decide"):
        _memory(place, **EXEC).settle_conflict(_RENT, _NEWER, "merge")


def test_a_pipe_gets_json_with_the_keys_that_programs_know(place: Place) -> None:
    answer = place.run("conflicts")

    [conflict] = answer.object["conflicts"]
    assert answer.code == Exit.OK
    assert {"fact1", "fact2", "conflict_type", "similarity", "suggestion"} <= conflict.keys()
    assert (conflict["fact1"]["fact"], conflict["conflict_type"]) == (_RENT, "temporal")
    file, number = conflict["fact1"]["source_file"], conflict["fact1"]["line"]
    assert _RENT in (place.workspace / file).read_text().splitlines()[number - 1]


@pytest.mark.parametrize(
    ("keys", "said", "closed"),
    [
        ("m", "1 merged, 0 kept both, 0 deleted", Closed.SUPERSEDED),
        ("k", "0 merged, 1 kept both, 0 deleted", None),
        ("d1", "0 merged, 0 kept both, 1 deleted", Closed.DELETED),
        ("xd9q", "0 merged, 0 kept both, 0 deleted", None),
    ],
)
def test_one_key_settles_a_conflict_at_a_terminal(
    place: Place, monkeypatch: pytest.MonkeyPatch, keys: str, said: str, closed: Closed | None
) -> None:
    typed = iter(keys)
    monkeypatch.setattr("click.getchar", lambda: next(typed))
    monkeypatch.setattr("scrimshaw.cli.support.command.CommandCall.is_at_terminal", True)

    answer = place.run("conflicts", "--now")

    assert "Conflicts Detected: 1" in answer.out
    assert "⚠️ Temporal Conflict" in answer.out
    assert "[m]erge (keep newer)  [k]eep both  [d]elete one" in answer.out
    assert said in answer.out
    assert _standing(place, _RENT).closed is closed


def test_the_json_of_a_merge_names_what_was_kept_and_what_went(place: Place) -> None:
    answer = place.run("conflicts", "--merge", _RENT, _NEWER, "--json", "--now")

    told = json.loads(answer.out)
    assert told["outcome"] == "merge"
    assert len(told["kept"]) == 1
    assert told["gone"]


def test_a_process_of_its_own_finds_the_same_neighbours(tmp_path: Path) -> None:
    np = pytest.importorskip("numpy")
    pytest.importorskip("numkong")
    rows = np.eye(8, 16, dtype=np.float32)
    rows[3] = rows[2] * 0.8 + rows[5] * 0.6
    Vectors(tmp_path, "some", 16).add(range(1, 9), rows)

    near = nearest._near(tmp_path)

    assert {(one, other) for one, other, _ in near} == {(3, 4), (4, 6)}
    assert nearest._looked_apart(tmp_path) == near
    assert nearest._looked_apart(tmp_path / "none") == []


def test_the_past_of_conflicts_and_health_is_what_a_look_on_that_day_was(place: Place) -> None:
    """Settled and undone since; kept both counts from the day on which it was decided."""
    days = [timedelta(days=day) for day in range(2, 6)]
    then = []
    for day, settlement in zip(days, (None, "keep-both", None, "undo"), strict=True):
        memory = _memory(place, day)
        if settlement == "undo":
            memory.undo()
        elif settlement:
            found = memory.conflicts().conflicts[0]
            memory.settle_conflict(*found.ids, settlement, at_once=True)
        then.append((memory.conflicts().count, memory.health().score))

    conflicts, health = _memory(place, days[-1]).trends(["conflicts", "health"], days=len(days))

    assert len({count for count, _ in then}) > 1
    assert [count for count, _ in then] == [value for _, value in conflicts.points]
    assert [score for _, score in then] == [value for _, value in health.points]
