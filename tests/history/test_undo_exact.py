"""Rule 20 over random lives: undo at the head is byte-exact, undone stays undone, and standing is replay."""

from dataclasses import replace
from datetime import timedelta
from unittest import mock

import pytest
from hypothesis import HealthCheck, Phase, find, given, settings
from hypothesis.errors import NoSuchExample
from tests.history.lives import Life, acts

from scrimshaw.core.ledger import undo as core
from scrimshaw.core.ledger.lifecycle import replay
from scrimshaw.core.types import Closed, EventType
from scrimshaw.errors import UserError
from scrimshaw.services.edit import undo as undoing
from scrimshaw.services.publish.result import PublishRequest
from scrimshaw.services.publish.run import publish
from scrimshaw.store.ledger import open_ledger

# Each life is a dozen real publications: fewer examples than the profile allows, more with a thorough one.
_SLOW = settings(
    deadline=None, suppress_health_check=list(HealthCheck), max_examples=settings().max_examples // 4
)


def wrongs(life: Life) -> list[str]:
    """Undo the newest revision that brought something, and the undo; return what is not as it was before."""
    wrong = []
    head, before = life.stood[-1], next((one for one in reversed(life.stood[:-1])), None)
    with open_ledger(life.target.layout.ledger, create=False) as ledger:
        # At the head: what came since and shows nowhere yet (a pin of the first line, say) stays.
        newest = ledger.version()
        brought = {one.number for one in ledger.past.stretches() if one.after_seq < one.last_seq == newest}
    if before is None or head.number not in brought:
        return wrong
    life.now += timedelta(days=3)  # what was due then is over by now
    done = undoing.run(life.target, life.now, head.number)
    path = life.target.layout.workspace / head.place
    if done.published.body != before.body:
        wrong.append(f"section after undo of {head.number}")
    if head.place == before.place and path.read_bytes() != before.file:
        wrong.append(f"file after undo of {head.number}")
    with open_ledger(life.target.layout.ledger, create=False) as ledger:
        if ledger.rebuild():
            wrong.append("standings are not the replay of their events")
        if ledger.check():
            wrong.append("the ledger finds something wrong with itself")
        undo = ledger.latest_revision()
    if undo is None or undo.number <= head.number:
        return [*wrong, "the undo is no revision"]
    again = undoing.run(life.target, life.now + timedelta(minutes=1), undo.number)
    if again.published.body != head.body or path.read_bytes() != head.file:
        wrong.append("after the undo of the undo")
    return wrong


@given(acts)
@_SLOW
def test_undo_of_the_newest_revision_and_of_that_undo_is_exact_to_the_byte(acts):
    assert wrongs(Life().lives(acts)) == []


@pytest.mark.slow
@pytest.mark.parametrize("broken", ["time goes on", "counts for ever", "shown for ever"])
def test_the_check_of_exactness_bites(broken):
    """Negative controls: each leaves out one thing that exactness hangs on."""
    match broken:
        case "time goes on":
            patch = mock.patch.object(
                undoing, "PublishRequest", lambda *a, **k: PublishRequest(*a, **{**k, "is_undo": False})
            )
        case "counts for ever":
            patch = mock.patch.object(core, "_is_born", mock.Mock(return_value=True))
        case _:
            spell = core.lifecycle.spell
            patch = mock.patch.object(
                core.lifecycle, "spell", lambda standing: spell(replace(standing, is_shown=True))
            )
    with patch:
        try:
            find(
                acts,
                lambda drawn: bool(wrongs(Life().lives(drawn))),
                settings=settings(_SLOW, max_examples=400, phases=[Phase.generate]),
            )
        except NoSuchExample:
            pytest.fail("nothing was found wrong")


@given(acts)
@_SLOW
def test_what_is_undone_does_not_come_back_by_itself(acts):
    life = Life().lives(acts)
    with open_ledger(life.target.layout.ledger, create=False) as ledger:
        gone = {o.id for o, s in ledger.all_lines() if s.closed is Closed.UNDONE}
        life.now += timedelta(minutes=1)
        life.does("reflects", 0)
        publish(life.target, ledger, PublishRequest("last", life.now, edits_are_accepted=True))

        still_gone = {o.id for o, s in ledger.all_lines() if s.closed is Closed.UNDONE}
        shown = set(ledger.latest_revision().line_ids) if life.stood else set()
    assert gone <= still_gone
    assert not gone & shown


@given(acts)
@_SLOW
def test_as_of_gives_each_section_as_it_stood_then(acts):
    life = Life().lives(acts)
    with open_ledger(life.target.layout.ledger, create=False, read_only=True) as ledger:
        found = [ledger.past.revision_at(one.at_ms).body for one in life.stood]

    assert found == [one.body for one in life.stood]


@given(acts)
@_SLOW
def test_after_any_undos_each_line_is_the_replay_of_the_events_that_count(acts):
    life = Life().lives([*acts, ("undoes_any", 1), ("undoes_any", 3), ("undoes_any", 6)])
    with open_ledger(life.target.layout.ledger, create=False) as ledger:
        lines = {line.observation.id: line for line in ledger.all_lines()}
        marks, events = core.Marks(ledger.past.stretches(), ledger.past.undos()), ledger.events_since(0)
    void = [one for one in marks.stretches if one.number in core.undone_by(marks)]
    told = {
        id_: [e for seq, e in events if e.observation_id == id_ and not any(seq in one for one in void)]
        for id_ in lines
    }

    for id_, (observation, standing) in lines.items():
        counted = [event for event in told[id_] if event.type not in core._OF_UNDOING]
        is_born = any(event.type is EventType.OBSERVED for event in counted)
        if standing.closed is Closed.DELETED:
            continue  # by hand, whatever became of its birth
        if is_born:
            assert replace(standing, is_kept=False) == replay(observation, counted)
        else:
            assert standing.closed is Closed.UNDONE


@given(acts)
@_SLOW
def test_an_undo_that_is_refused_leaves_everything_as_it_was(acts):
    life = Life().lives(acts)
    with open_ledger(life.target.layout.ledger, create=False) as ledger:
        numbers = [one.number for one in ledger.past.stretches()]
        for number in numbers:
            version, memory = ledger.version(), life.machine.memory.read_bytes()
            try:
                undoing.run(life.target, life.now, number)
            except UserError:
                assert (ledger.version(), life.machine.memory.read_bytes()) == (version, memory)
            else:
                return
