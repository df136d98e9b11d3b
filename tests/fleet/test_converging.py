"""Random histories on four ledgers and a server: all come to one digest, and nothing forgotten comes back.

With cuts, repeats, skewed clocks, forgets, what a hand does to MEMORY.md, and a server that is put back to
how it was yesterday.
"""

from __future__ import annotations

import itertools
import re
import shutil
import tempfile
from collections import Counter
from datetime import timedelta
from pathlib import Path
from typing import Any, ClassVar

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule, run_state_machine_as_test
from tests.fleet.machines import NOW, Fleet, Machine, new_fleet, new_machine
from tests.portability.ledgers import event, line
from tests.support.breadth import IS_LONG

from scrimshaw.core.ledger.lifecycle import spell
from scrimshaw.core.types import Author, Closed, EventType, Observation, Place, Standing
from scrimshaw.fleet import server
from scrimshaw.fleet.embedded import OwnServer
from scrimshaw.services.edit.forget import Wish, forget, look_ahead
from scrimshaw.services.fleet.sync import sync_with

_names = itertools.count(1)
_COUNT = 4
_RUN = [
    EventType.SUPERSEDED,
    EventType.COMPLETED,
    EventType.MERGED,
    EventType.PROMOTED,
    EventType.REINFORCED,
    EventType.EXPIRED,
    EventType.TRIMMED,
    EventType.RECALLED,
]
_PERSONS = [
    EventType.PINNED,
    EventType.UNPINNED,
    EventType.DELETED,
    EventType.EDITED,
    EventType.RESTORED,
    EventType.TRIMMED,
    EventType.SET_BACK,
    EventType.REINFORCED,
]
machines = st.integers(0, _COUNT - 1)
skews = st.integers(-40_000, 40_000)  # minutes: a month of a clock that is wrong
_MANY = settings(max_examples=150 if IS_LONG else 30, stateful_step_count=30)
_ITEM = re.compile(r"^- .*statement.*$", re.MULTILINE)  # a line of the section, as it is shown


def text_of(number: int) -> str:
    return f"marzipan statement {number} of the safe"


class Histories(RuleBasedStateMachine):
    """What happens to lines on four machines of one agent."""

    fleet: Fleet
    acts: ClassVar[Counter[str]] = Counter()  # by hand
    restored = quoted = 0

    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(tempfile.mkdtemp(prefix="scrim-fleet-"))
        self.agent = f"agent{next(_names)}"
        login = self.fleet.admit(self.agent)
        self.machines = [new_machine(self.fleet, self.folder, self.agent, login=login) for _ in range(_COUNT)]
        self.lines: list[Observation] = []
        self.forgotten: set[int] = set()
        self.yesterday = ""
        self.hands = itertools.count(1)

    @initialize()
    def begin(self) -> None:
        for number in range(6):
            self.note(number % _COUNT, number)

    @rule(at=machines, number=st.integers(0, 40))
    def note(self, at: int, number: int) -> None:
        one = line(number, text_of(number))
        self.lines.append(one)
        if number not in self.forgotten or self.machines[at].standing(one):
            self.machines[at].note(one)

    @rule(at=machines, which=st.integers(0, 99), other=st.integers(0, 99), data=st.data(), skew=skews)
    def happen(self, at: int, which: int, other: int, data: Any, skew: int) -> None:
        here = [one for one in self.lines if self.machines[at].standing(one)]
        if not here:
            return
        one, two = here[which % len(here)], here[other % len(here)]
        if one.id == two.id and one.id != here[0].id:
            two = here[0]
        is_persons = data.draw(st.booleans())
        type_ = data.draw(st.sampled_from(_PERSONS if is_persons else _RUN))
        reason = ""
        if type_ is EventType.SET_BACK:
            reason = spell(
                Standing(place=Place.OPEN, closed=data.draw(st.sampled_from([None, Closed.COMPLETED])))
            )
        if type_ in (EventType.SUPERSEDED, EventType.MERGED, EventType.EDITED) and one.id == two.id:
            return
        by = "person" if is_persons else f"r{at}"
        told = event(type_, one, 50_000 + skew, by=by, other_id=two.id, reason=reason)
        self.machines[at].happen(told)

    @rule(at=machines, which=st.integers(0, 99))
    def forget(self, at: int, which: int) -> None:
        machine = self.machines[at]
        machine.publish()  # while most of the section is gone nothing else is done: a person has to say yes
        if here := self._words_at(at):
            self._forget(machine, here[which % len(here)])

    @rule(at=machines, step=st.integers(1, _COUNT - 1), which=st.integers(0, 99), other=st.integers(0, 99))
    def quote_what_is_forgotten_elsewhere(self, at: int, step: int, which: int, other: int) -> None:
        elsewhere = (at + step) % _COUNT
        for one in (elsewhere, at):
            self.sync(one, 0)
        self.machines[elsewhere].publish()
        here = self._words_at(at)
        if told := [one for one in here if one in self._words_at(elsewhere)]:
            quoted, one = told[which % len(told)], here[other % len(here)]
            reason = f"because {quoted.text}"
            self.machines[at].happen(event(EventType.PINNED, one, 60_000, by="person", reason=reason))
            self._forget(self.machines[elsewhere], quoted)
            type(self).quoted += 1

    def _words_at(self, at: int) -> list[Observation]:
        standings = ((one, self.machines[at].standing(one)) for one in self.lines)
        return [one for one, it in standings if it and it.closed is not Closed.FORGOTTEN]

    def _forget(self, machine: Machine, one: Observation) -> None:
        target = machine.place.target()
        shown = look_ahead(target, Wish(words=one.id), now=NOW, by=Author.PERSON, dry_run=False)
        forget(shown, now=NOW, by="person")
        gone = {one.observation.text for one in shown.lines}
        self.forgotten |= {n for n in range(41) if text_of(n) in gone}

    @rule(at=machines, skew=skews)
    def publish(self, at: int, skew: int) -> None:
        self.machines[at].publish(now=NOW + timedelta(minutes=skew))

    @rule(at=machines, which=st.integers(0, 99))
    def delete_by_hand(self, at: int, which: int) -> None:
        self._by_hand(at, which, "")

    @rule(at=machines, which=st.integers(0, 99))
    def edit_by_hand(self, at: int, which: int) -> None:
        self._by_hand(at, which, "{row}, and statement by hand number {number}")

    @rule(at=machines, which=st.integers(0, 99))
    def add_by_hand(self, at: int, which: int) -> None:
        self._by_hand(at, which, "{row}\n- A statement by hand, number {number}")

    def _by_hand(self, at: int, which: int, made: str) -> None:
        """Change MEMORY.md; whoever looks at it next takes it: publishing, a forget, a sync that fetches."""
        path = self.machines[at].place.memory
        if not path.exists() or not _ITEM.search(path.read_text()):
            self.machines[at].publish()
        text = path.read_text() if path.exists() else ""
        if shown := list(_ITEM.finditer(text)):
            one, number = shown[which % len(shown)], next(self.hands)
            row = made.format(row=one.group(), number=number)
            path.write_text(text[: one.start()] + row + text[one.end() :])
            self.acts[made] += 1

    @rule()
    def back_up(self) -> None:
        if not self.yesterday:
            self.yesterday = self.fleet.keep_copy()

    @rule()
    def restore_from_yesterday(self) -> None:
        if self.yesterday:
            self.fleet.put_back(self.yesterday)
            self.yesterday = ""
            type(self).restored += 1

    @rule(at=machines, skew=skews)
    def sync(self, at: int, skew: int) -> None:
        self.machines[at].sync(now=NOW + timedelta(minutes=skew))

    @rule(at=machines, after=st.integers(1, 30))
    def sync_that_breaks(self, at: int, after: int) -> None:
        broken(self.machines[at], after)

    @invariant()
    def every_ledger_is_what_its_events_say(self) -> None:
        for one in self.machines:
            with one.ledger() as ledger:
                assert ledger.rebuild() == 0

    def teardown(self) -> None:
        try:
            for one in self.machines:
                one.publish()
            for _ in range(3):
                for one in self.machines:
                    one.sync()
            digests = {one.digest() for one in self.machines} | {self.fleet.digest(self.agent)}
            assert len(digests) == 1
            texts = [text_of(number) for number in self.forgotten]
            with self.fleet.asked() as admin:
                rows = admin.execute(
                    "select record from scrimshaw.words w join scrimshaw.agent a on a.number = w.agent "
                    "where a.name = %(name)s union all select reason from scrimshaw.reason r "
                    "join scrimshaw.agent a on a.number = r.agent where a.name = %(name)s",
                    {"name": self.agent},
                ).fetchall()
            assert not [row for row in rows if any(text in row[0] for text in texts)]
            for one in self.machines:
                with one.ledger() as ledger:
                    reasons = [stored.event.reason for stored in ledger.events_since(0)]
                assert not [told for told in reasons if any(text in told for text in texts)]
                assert not [live for live in one.texts() if any(text in live for text in texts)]
                shown = one.place.memory.read_text() if one.place.memory.exists() else ""
                assert not [text for text in texts if text in shown]
                assert all(row.sync_is_idle for row in [_Idle(one)])
        finally:
            shutil.rmtree(self.folder)
            if self.yesterday:
                self.fleet.drop_copy(self.yesterday)


class _Idle:
    """Whether one more sync has nothing to do."""

    def __init__(self, machine: Machine) -> None:
        done = machine.sync()
        self.sync_is_idle = (done.sent, done.came, done.new) == (0, 0, 0)


def broken(machine: Machine, after: int) -> bool:
    """Sync over a connection that breaks at its statement number *after*; tell whether it came so far."""
    import psycopg

    class Breaking(psycopg.Connection[Any]):
        left = after

        def execute(self, *args: Any, **named: Any) -> Any:
            self.left -= 1
            if self.left < 0:
                self.close()
                raise psycopg.OperationalError("cut")
            return super().execute(*args, **named)

    info = server.conninfo(machine.fleet.address(machine.login))
    with machine.ledger() as ledger, Breaking.connect(info, autocommit=True) as there:
        try:
            sync_with(machine.place.target(), ledger, machine.link, there, NOW)
        except psycopg.OperationalError:
            return True
    return False


@pytest.fixture(scope="module")
def histories(own_server: OwnServer) -> type[Histories]:
    Histories.fleet = new_fleet(own_server)
    return Histories


def test_all_come_to_one_digest_and_nothing_forgotten_comes_back(histories: type[Histories]) -> None:
    run_state_machine_as_test(histories, settings=settings(max_examples=5, stateful_step_count=14))


@pytest.mark.slow
def test_many_histories_come_to_one_digest(histories: type[Histories]) -> None:
    before = histories.acts.total()

    run_state_machine_as_test(histories, settings=_MANY)

    print(
        f"{histories.acts.total() - before} hand edits, {histories.restored} restored servers, "
        f"{histories.quoted} quoted"
    )
    assert min(histories.acts.values()) > 0
    assert histories.restored > 0
    assert histories.quoted > 0


def test_a_sync_that_breaks_at_any_statement_is_whole_after_the_next(
    own_server: OwnServer, tmp_path: Path
) -> None:
    fleet = new_fleet(own_server)
    expected = None
    for after in range(0, 80, 3):
        agent = f"cut{after}"
        login = fleet.admit(agent)
        a, b = (new_machine(fleet, tmp_path / agent, agent, login=login) for _ in range(2))
        old, new, gone = line(1), line(2), line(3)
        a.note(old, new, gone)
        a.happen(
            event(EventType.PINNED, old, 7, by="person"),
            event(EventType.SUPERSEDED, gone, 8, other_id=new.id),
        )
        a.sync()
        b.note(line(4), gone, then=(event(EventType.DELETED, gone, 9, by="person"),))
        was_cut = broken(b, after)
        for one in (b, a, b):
            one.sync()

        digests = {a.digest(), b.digest(), fleet.digest(agent)}
        assert len(digests) == 1
        assert expected in (None, digests)
        expected = digests
        if not was_cut:
            break
    assert after > 15
    assert not was_cut
