"""Random plans over random lines: bounded, nothing important lost, only smaller, done when they are done."""

from collections.abc import Iterable
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from tests.core.lines_by_hand import a_line
from tests.property.test_reflecting import AT, DAY_MS

from scrimshaw.core.consolidation.apply_plan import (
    Consolidation,
    ConsolidationPlan,
    Drop,
    Generalise,
    Merge,
    NumberedStep,
    Step,
    Supersede,
    consolidate,
)
from scrimshaw.core.consolidation.rules import reflect, room_for
from scrimshaw.core.ledger.lifecycle import at_birth, standing_after
from scrimshaw.core.prompting.reflect_prompt import sizes
from scrimshaw.core.types import Author, Event, EventType, Kind, Line, Observation, Place, Role

REMOVING = {EventType.MERGED, EventType.SUPERSEDED, EventType.COMPLETED, EventType.DROPPED}
SUBJECTS = ("The cider press of Nora", "The billing-api on staging", "My sister Mira", "The ferry to Ithaca")
SAYINGS = (
    "holds 40 litres",
    "stands in the yard",
    "is not for sale",
    "costs 620 euros",
    "costs 640 euros now",
    "was cleaned with care",
)


@st.composite
def some_lines(draw: st.DrawFn) -> list[Line]:
    count = draw(st.integers(8, 16))
    subjects = draw(st.sampled_from([SUBJECTS, SUBJECTS[:2], SUBJECTS[2:3]]))
    return [draw(_line(number, subjects)) for number in range(count)]


@st.composite
def _line(draw: st.DrawFn, number: int, subjects: tuple[str, ...]) -> Line:
    day = draw(st.integers(0, 3))
    seldom = st.sampled_from([False] * 11 + [True])
    return a_line(
        f"{draw(st.sampled_from(subjects))} {draw(st.sampled_from(SAYINGS))}",
        id=f"o{number}",
        place=draw(st.sampled_from([*[Place.LOG] * 6, Place.STANDING, Place.OPEN])),
        priority=draw(st.sampled_from([2, 3, 3, 4, 5])),
        kind=draw(st.sampled_from([*[Kind.FACT] * 5, Kind.PREFERENCE, Kind.OUTCOME])),
        done=draw(seldom),
        author=Author.PERSON if draw(seldom) else Author.RULES,
        day=f"2026-11-{18 + day}",
        said_at_ms=AT + day * DAY_MS + number,
        speaker=Role.ASSISTANT if draw(seldom) else Role.USER,
        is_pinned=draw(seldom),
        is_shown=not draw(seldom),
        is_set_aside=draw(seldom),
        is_expired=draw(seldom),
    )


@st.composite
def plans(draw: st.DrawFn, lines: list[Line]) -> ConsolidationPlan:
    """Steps as a model may well make them: most of them of lines about the same, with words of theirs."""
    steps = draw(st.lists(_step(lines), min_size=1, max_size=8))
    return ConsolidationPlan(tuple(NumberedStep(number, step) for number, step in enumerate(steps, 1)))


@st.composite
def _step(draw: st.DrawFn, lines: list[Line]) -> Step:
    by_subject = {
        subject: [line for line in lines if line.observation.text.startswith(subject)] for subject in SUBJECTS
    }
    subject = draw(st.sampled_from([subject for subject, group in by_subject.items() if group]))
    group = st.sampled_from(by_subject[subject])
    chosen = draw(st.lists(group, min_size=1, max_size=3, unique_by=lambda line: line.observation.id))
    ids = tuple(line.observation.id for line in chosen)
    told = "; ".join(dict.fromkeys(line.observation.text.removeprefix(subject).strip() for line in chosen))
    text = draw(
        st.sampled_from([f"{subject} {told}", f"{subject} {told}", subject, f"{subject} holds 41 litres"])
    )
    any_id = st.sampled_from([line.observation.id for line in lines] + ["nobody"])
    return draw(
        st.sampled_from(
            [
                Merge(ids, text),
                Merge(ids, text),
                Generalise(ids, text, "theme"),
                Supersede(ids[0], ids[-1]),
                Supersede(draw(any_id), draw(any_id)),
                Drop(ids[0], "trivial"),
            ]
        )
    )


def _applied(lines: Iterable[Line], done: Consolidation) -> dict[str, Line]:
    found = {line.observation.id: line for line in lines}
    found |= {made.id: Line(made, at_birth(made)) for made in done.observations}
    for change in done.changes:
        line = found[change.id]
        found[change.id] = line._replace(standing=standing_after(line.standing, change.event(AT, "r1")))
    return found


def _is_own(line: Line) -> bool:
    return line.observation.author is Author.PERSON or line.standing.is_pinned


def _done(lines: list[Line], plan: ConsolidationPlan, **more: Any) -> Consolidation:
    return consolidate(plan, lines, room=room_for(len(lines)), run_id="r1", **more)


@given(st.data())
def test_a_plan_takes_a_quarter_at_most_and_no_important_line_is_lost(data: st.DataObject) -> None:
    lines = data.draw(some_lines())
    plan = data.draw(plans(lines))

    done = _done(lines, plan)

    found = _applied(lines, done)
    before = {line.observation.id: line for line in lines}
    closed = [change for change in done.changes if change.type in REMOVING]
    assert len(closed) == done.removed <= max(1, len(lines) // 4)
    assert len({change.id for change in closed}) == len(closed)
    for change in closed:
        line = before[change.id]
        assert not _is_own(line)
        assert not line.standing.is_set_aside
        if line.observation.priority >= 4:
            assert change.type is not EventType.DROPPED
            other = found[change.other_id].observation
            assert other.priority >= 4 or (change.type is EventType.COMPLETED and other.done)
        if change.type in (EventType.SUPERSEDED, EventType.COMPLETED):
            assert found[change.other_id].observation.said_at_ms > line.observation.said_at_ms
    for line in lines:
        if line.observation.priority >= 4 and line.observation.id not in {change.id for change in closed}:
            assert found[line.observation.id].standing.is_live
    # Whoever took a line's place is live, or was taken by somebody who is.
    for change in closed:
        winner = change.other_id
        while winner and not found[winner].standing.is_live:
            winner = found[winner].standing.closed_by
        assert winner or change.type is EventType.DROPPED


@given(st.data())
def test_what_is_live_and_shown_only_shrinks(data: st.DataObject) -> None:
    lines = data.draw(some_lines())

    done = _done(lines, data.draw(plans(lines)))

    live = {id_: line for id_, line in _applied(lines, done).items() if line.standing.is_live}
    assert live == {line.observation.id: line for line in done.lines}
    assert sizes(lines).units - sizes(done.lines).units == done.saved_units >= 0
    assert bool(done.changes) == bool(done.removed)
    assert done.observations == () or done.removed
    for made in done.observations:
        texts = [line.observation.text for line in lines if line.observation.id in made.supports]
        words = set(" ".join(texts).replace(";", "").split())
        assert set(made.text.replace(";", "").split()) <= words


@given(st.data())
def test_a_plan_done_once_does_nothing_more_the_second_time(data: st.DataObject) -> None:
    lines = data.draw(some_lines())
    plan = data.draw(plans(lines))
    made_before: set[str] = set()

    def is_barred(made: Observation) -> bool:
        return made.id in made_before

    for _ in range(len(plan.steps) + 1):
        done = _done(lines, plan, is_barred=is_barred)
        lines = list(done.lines)
        made_before |= {made.id for made in done.observations}
        if not done.has_more:
            break

    again = _done(lines, plan, is_barred=is_barred)

    assert (again.changes, again.observations) == ((), ())


@given(st.data())
def test_the_rules_go_on_with_what_room_is_left(data: st.DataObject) -> None:
    lines = data.draw(some_lines())
    room = room_for(len(lines))

    done = _done(lines, data.draw(plans(lines)))
    rest = reflect(done.lines, room=room - done.removed)

    removed = [change for change in rest.changes if change.type in REMOVING]
    assert done.removed + len(removed) <= room


@given(some_lines())
def test_without_a_plan_it_is_the_rules_alone(lines: list[Line]) -> None:
    done = _done(lines, ConsolidationPlan())

    assert reflect(done.lines, room=room_for(len(lines)) - done.removed) == reflect(lines)


def test_the_plans_that_are_tried_do_something() -> None:
    """A control: were nothing ever done, all of the above would hold for nothing."""
    seen: set[EventType] = set()

    @given(st.data())
    @settings(max_examples=120, database=None)
    def collect(data: st.DataObject) -> None:
        lines = data.draw(some_lines())
        seen.update(change.type for change in _done(lines, data.draw(plans(lines))).changes)

    collect()

    assert {EventType.MERGED, EventType.SUPERSEDED, EventType.DROPPED} <= seen


def test_a_plan_believed_unseen_would_be_noticed() -> None:
    """A control: dropping whatever is named breaks the first rule above."""
    lines = [a_line("The ferry to Ithaca costs 620 euros", id="o1", priority=5, said_at_ms=AT)]
    believed = Event(EventType.DROPPED, "o1", AT, "r1")

    line = lines[0]._replace(standing=standing_after(lines[0].standing, believed))

    assert not line.standing.is_live
    assert _done(lines, ConsolidationPlan((NumberedStep(1, Drop("o1", "trivial")),))).changes == ()
