"""The ledger over random histories: standing is replay, coverage is exact, nothing is lost or doubled."""

import shutil
import tempfile
from collections import defaultdict
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule
from tests.shell.made import SESSION, observation

from scrimshaw.archive import dated
from scrimshaw.core.ledger import lifecycle
from scrimshaw.core.types import Act, Event, EventType, Kind, OutboxItem
from scrimshaw.store.ledger import Ledger, open_ledger
from scrimshaw.store.records import Accepted, Batch, Run, RunCounts, StoredEvent, WriteConflict

AT = 1_700_000_000_000
NUMBERS = st.integers(0, 11)
LINE_EVENTS = st.sampled_from(
    # OBSERVED is written by `accept` alone.
    [kind for kind in EventType if kind not in {EventType.DISABLED, EventType.ENABLED, EventType.OBSERVED}]
)


class LedgerLife(RuleBasedStateMachine):
    """Two processes with one ledger and its dated files, killed now and then."""

    def __init__(self) -> None:
        super().__init__()
        self.workspace = Path(tempfile.mkdtemp())
        self.path = self.workspace / "ledger.sqlite"
        self.ledgers = [self._open(), self._open()]
        self.ledgers[0].begin_run(Run("r", "observe", "request", "rules", AT))
        self.accepted: set[str] = set()
        self.covered: set[str] = set()
        self.events: list[StoredEvent] = []
        self.counted = 0

    def _open(self) -> Ledger:
        ledger = open_ledger(self.path, create=True)
        # Kills of a process are played here, not of the power: waiting for the disk shows nothing.
        ledger._db._connection.execute("pragma synchronous = off")
        return ledger

    def teardown(self) -> None:
        for ledger in self.ledgers:
            ledger.close()
        shutil.rmtree(self.workspace)

    @rule(
        who=st.integers(0, 1),
        numbers=st.sets(NUMBERS, min_size=1),
        entries=st.sets(NUMBERS),
        late=st.booleans(),
    )
    def accept(self, who: int, numbers: set[int], entries: set[int], late: bool) -> None:
        """Cover *entries* and note *numbers*; a *late* process decided before the last event."""
        ledger = self.ledgers[who]
        covered = {f"e{entry}" for entry in entries}
        batch = Batch(
            "r",
            AT,
            tuple(observation(number) for number in sorted(numbers)),
            covered={SESSION.session_id: covered},
            sessions=(SESSION,),
            counts=RunCounts(windows=1),
        )
        version = ledger.version()
        answer = ledger.accept(batch, expected_version=version - 1 if late and version else version)
        seen = covered & self.covered
        if late and version:
            assert WriteConflict(version) == answer
        elif covered and seen == covered:
            assert Accepted((), version) == answer
        elif seen:
            assert isinstance(answer, WriteConflict)
            assert {entry for _, entry in answer.already_covered} == seen
        else:
            assert isinstance(answer, Accepted)
            assert set(answer.new_ids) == {f"o{n}" for n in numbers} - self.accepted
            self.accepted |= set(answer.new_ids)
            self.covered |= covered
            self.counted += 1

    @precondition(lambda self: self.accepted)
    @rule(who=st.integers(0, 1), data=st.data())
    def append(self, who: int, data: st.DataObject) -> None:
        ids = st.sampled_from(sorted(self.accepted))
        drawn = data.draw(st.lists(st.tuples(LINE_EVENTS, ids, ids | st.just("")), min_size=1, max_size=4))
        events = [Event(kind, about, AT + 1, "r", other) for kind, about, other in drawn]
        self.ledgers[who].append(events)

    @rule(is_killed=st.booleans())
    def archive(self, is_killed: bool) -> None:
        """Write what is owed; a killed process has the files on disk and the ledger does not know."""
        done = dated.write(self.workspace, "main", self.ledgers[0].pending_outbox("dated"))
        if not is_killed:
            self.ledgers[0].mark_done(done, at_ms=AT)

    @rule(who=st.integers(0, 1))
    def reopen(self, who: int) -> None:
        self.ledgers[who].close()
        self.ledgers[who] = self._open()

    @rule()
    def rebuild(self) -> None:
        assert self.ledgers[0].rebuild() == 0

    @invariant()
    def what_was_true_stays_and_standing_is_the_replay_of_its_events(self) -> None:
        lines, events = self.ledgers[1].all_lines(), self.ledgers[1].events_since(0)
        assert events[: len(self.events)] == self.events
        self.events = events
        found = {line.observation.id: line.observation for line in lines}
        assert found == {key: observation(int(key[1:])) for key in self.accepted}
        histories: defaultdict[str, list[Event]] = defaultdict(list)
        for stored in events:
            histories[stored.event.observation_id].append(stored.event)
        for line in lines:
            assert line.standing == lifecycle.replay(line.observation, histories[line.observation.id])

    @invariant()
    def coverage_and_counts_are_exact(self) -> None:
        every = {f"e{number}" for number in range(12)}
        assert every - self.covered == self.ledgers[1].uncovered(SESSION.session_id, every)
        counts = self.ledgers[1].counts()
        run = self.ledgers[1].last_run()
        assert run is not None
        assert (len(self.covered), len(self.accepted), self.counted) == (
            counts.covered,
            counts.observations,
            run.counts.windows,
        )

    @invariant()
    def the_dated_file_holds_each_archived_line_once(self) -> None:
        owed = {
            item.observation.id for item in self.ledgers[0].pending_outbox("dated") if item.act is Act.APPEND
        }
        written = [line for _, line in dated.read(self.workspace)]
        said = [line.text for line in written if line.became != "withdrawn"]
        assert len(said) == len(set(said))
        assert len(self.accepted - owed) <= len(written) <= len(self.accepted)


TestLedgerLife = LedgerLife.TestCase

TEXTS = st.text(st.characters(exclude_categories=("Cs",), exclude_characters="\r\n"), min_size=1, max_size=60)
OBSERVATIONS = st.builds(
    lambda number, text, kind, priority, time, done: observation(
        number, text=text, kind=kind, priority=priority, local_time=time, done=done
    ),
    NUMBERS,
    TEXTS
    | st.sampled_from(
        ["(superseded 2026-11-19) fact: x", "fact: x", "08:47 (withdrawn 2026-11-19)", "- 🔴 x"]
    ),
    st.sampled_from(Kind),
    st.integers(1, 5),
    st.sampled_from(["", "08:47", "23:59"]),
    st.booleans(),
)


@given(OBSERVATIONS)
def test_a_dated_line_survives_being_read_again(one: object) -> None:
    line = dated.parse_line(dated.render(one))  # type: ignore[arg-type]

    assert line is not None
    assert (one.text, one.kind, one.local_time) == (line.text, line.kind, line.time)  # type: ignore[attr-defined]


@given(
    st.lists(st.tuples(OBSERVATIONS, st.sampled_from(Act)), min_size=1, max_size=8),
    st.integers(0, 8),
    st.text(),
)
def test_a_dated_file_is_the_same_after_a_crash_and_a_repetition(
    acts: list[tuple[object, Act]], crash_after: int, foreign: str
) -> None:
    items = [
        OutboxItem(n, act, one, "" if act is Act.APPEND else "2026-11-19")  # type: ignore[arg-type]
        for n, (one, act) in enumerate([(one, Act.APPEND) for one, _ in acts] + acts)
    ]
    crashed = dated.put(foreign, "main", items[: crash_after + 1])

    once = dated.put(crashed, "main", items)

    assert once == dated.put(once, "main", items)
    # The last line may have been without its line break.
    assert once.startswith(foreign) or not foreign or dated.parse_line(foreign.split("\n")[0]) is not None
