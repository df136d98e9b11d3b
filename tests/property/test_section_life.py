"""A file's life with its section: promises 1, 2 and 7 under any order of runs and hand edits.

The machine plays the worker with a ledger in memory, and a person who edits the file between runs: the
current text, an older text brought back, or an older copy with an edit in it.
"""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
)

from scrimshaw.core.ledger.lifecycle import at_birth, standing_after
from scrimshaw.core.section.budget import units
from scrimshaw.core.section.diff import Edits, Restored, RevisionView, SectionUnchanged, TooMany, merge
from scrimshaw.core.section.edits import Moment, Taken, from_edits, from_restore
from scrimshaw.core.section.markers import Absent, Owned, parse, put
from scrimshaw.core.section.render import normal, read
from scrimshaw.core.section.select import Fold, fold, trim
from scrimshaw.core.types import Author, Closed, Event, EventType, Kind, Line, Observation, Place, Role

_WORDS = [
    "deploy",
    "invoice",
    "Dana",
    "staging",
    "rollback",
    "🔴",
    "日本",
    "Q3",
    "4.18.1",
    "hotel",
    "flight",
    "café",
]
_texts = st.lists(st.sampled_from(_WORDS), min_size=3, max_size=9).map(" ".join)
_places = st.sampled_from(list(Place))
_forms = st.sampled_from(
    [
        "- {}",
        "* {}",
        "{}",
        "- 🟡 {}",
        "1. {}",
        "- {}\n  with more of it",
        "- {}\n<!-- trigger: a, b -->",
        "- {} <!-- importance: 8 -->",
        "{}\nand its second line",
    ]
)


class SectionLife(RuleBasedStateMachine):
    """One MEMORY.md, one ledger, one person."""

    def __init__(self) -> None:
        super().__init__()
        self.clock = 1_780_000_000_000
        self.serial = 0
        self.lines: dict[str, Line] = {}
        self.revisions: list[RevisionView] = []
        self.budget = 2000
        self.deleted: set[str] = set()  # normal texts the person took out for good
        self.pending: set[str] = set()  # taken out since the last run
        self.placed: dict[str, tuple[Place, str]] = {}  # where the person left a line, by id
        self.typed: set[str] = set()  # normal texts the person added since the last run

    @initialize(
        before=st.sampled_from(
            ["", "# Notes\n\nkeep  \n", "\ufeff# N\r\n\r\ntext\r\n", "no newline", "a\r\nb\nc\n\n"]
        ),
    )
    def start(self, before: str) -> None:
        document = parse(before)
        assert isinstance(document.state, Absent)
        self.text = put(document, "")
        assert self.text.startswith(before)
        self.outside = self._outside()
        self.observe([("first line of all", Place.STANDING, 4)])
        self.run()

    # -- the worker -------------------------------------------------------------------------------

    @rule(lines=st.lists(st.tuples(_texts, _places, st.integers(1, 5)), min_size=1, max_size=6))
    def observe(self, lines: list[tuple[str, Place, int]]) -> None:
        for text, place, priority in lines:
            self.serial += 1
            # Each line is told from every other by a word of its own.
            sources = (f"e{self.serial}",)
            self._put_in_ledger(f"{text} n{self.serial:05d}", place, priority, Author.RULES, sources)

    @rule(budget=st.sampled_from([420, 700, 2000, 6000]))
    def change_budget(self, budget: int) -> None:
        self.budget = budget

    @rule()
    def run(self) -> None:
        document = parse(self.text)
        assert isinstance(document.state, Owned)
        if self.revisions:
            merged = merge(document.state.inner, self.revisions)
            if isinstance(merged, TooMany):
                merged = merge(document.state.inner, self.revisions, is_accepted=True)
            self._apply(merged)
        steps = trim(
            list(self.lines.values()),
            self.budget,
            zone="UTC",
            newline_units=len(document.newline),
        )
        for kind, ids in ((EventType.TRIMMED, steps.hide), (EventType.SHOWN, steps.show)):
            for id_ in ids:
                self._happen(id_, kind)
        self.folded = self._fold(len(document.newline))
        self.text = put(document, self.folded.body)
        self.revisions.append(RevisionView(str(len(self.revisions)), self.folded.body, self.folded.shown))
        assert put(parse(self.text), self.folded.body) == self.text
        assert parse(self.text, is_ours=True) == parse(self.text)
        assert isinstance(merge(self._inner(), self.revisions), SectionUnchanged)
        self._check_after_run()

    def _fold(self, newline_units: int) -> Fold:
        return fold(list(self.lines.values()), self.budget, zone="UTC", newline_units=newline_units)

    def _apply(self, merged: object) -> None:
        self.clock += 3_600_000
        moment = Moment(self.clock, "UTC")
        match merged:
            case Restored():
                self._take(from_restore(merged, self.lines.get, moment))
                self.deleted |= self.pending
                self.deleted -= {normal(item.text) for item in read(self._inner())}
                self.pending.clear()
            case Edits():
                self._take(from_edits(merged, self.lines.get, moment))
                for written in merged.edited:
                    old = self.lines[written.was]
                    heirs = [
                        id_
                        for id_, (observation, standing) in self.lines.items()
                        if standing.is_live
                        and (observation.text, observation.sources) == (written.text, old.observation.sources)
                    ]
                    assert heirs, "the person's wording is not in force, or lost its sources"
                    if len(heirs) == 1:
                        self.placed[heirs[0]] = (written.place, written.date)
                if merged.base == self.revisions[-1].id:
                    self.deleted |= self.pending
                self.pending.clear()

    def _take(self, taken: Taken) -> None:
        for observation in taken.observations:
            self.lines.setdefault(observation.id, Line(observation, at_birth(observation)))
        for event in taken.events:
            observation, standing = self.lines[event.observation_id]
            self.lines[event.observation_id] = Line(observation, standing_after(standing, event))

    def _put_in_ledger(
        self, text: str, place: Place, priority: int, author: Author, sources: tuple[str, ...], day: str = ""
    ) -> str:
        self.serial += 1
        self.clock += 3_600_000
        observation = Observation(
            id=f"o{self.serial}",
            text=text,
            kind=Kind.FACT,
            priority=priority,
            place=place,
            done=False,
            author=author,
            session_id="",
            sources=sources,
            speaker=Role.USER,
            said_at_ms=self.clock,
            local_date=day or f"2026-11-{1 + self.serial % 28:02d}",
            local_time="10:00",
            zone="UTC",
        )
        self.lines[observation.id] = Line(observation, at_birth(observation))
        return observation.id

    def _happen(self, id_: str, kind: EventType) -> None:
        observation, standing = self.lines[id_]
        self.lines[id_] = Line(observation, standing_after(standing, Event(kind, id_, self.clock, "test")))

    # -- the person -------------------------------------------------------------------------------

    @precondition(lambda self: len(read(self._inner())) > 4)
    @rule(pick=st.integers(0, 10_000))
    def delete_a_line(self, pick: int) -> None:
        rows = self._inner().split("\n")
        starts = [n for n, row in enumerate(rows) if row.startswith("- ")]
        if not starts:  # the person uses other list marks
            return
        at = starts[pick % len(starts)]
        end = at + 1
        while end < len(rows) and (rows[end].startswith(("  ", "<!--")) or not rows[end]):
            end += 1
        gone = {item.key for item in read("\n".join(rows))}
        self._save("\n".join(rows[:at] + rows[end:]))
        gone -= {item.key for item in read(self._inner())}
        self.pending |= {key[2] for key in gone}
        self.typed = {word for word in self.typed if word in self.text}

    @rule(pick=st.integers(0, 10_000), text=_texts, form=_forms)
    def add_a_line(self, pick: int, text: str, form: str) -> None:
        rows = self._inner().split("\n")
        starts = [n for n, row in enumerate(rows) if row.startswith(("- ", "###"))]
        at = starts[pick % len(starts)] + 1 if starts else len(rows)
        while at < len(rows) and (rows[at].startswith(("  ", "<!--")) or not rows[at]):
            at += 1
        self.serial += 1
        new = form.format(f"{text} p{self.serial:05d}")
        self._save("\n".join([*rows[:at], *new.split("\n"), *rows[at:]]))
        self.typed.add(f"p{self.serial:05d}")

    @rule(pick=st.integers(0, 10_000), word=st.sampled_from(_WORDS))
    def change_a_line(self, pick: int, word: str) -> None:
        rows = self._inner().split("\n")
        starts = [n for n, row in enumerate(rows) if row.startswith("- ")]
        if starts:
            at = starts[pick % len(starts)]
            rows[at] += f" {word}"
            self._save("\n".join(rows))

    @rule(pick=st.integers(0, 10_000))
    def move_a_line(self, pick: int) -> None:
        rows = self._inner().split("\n")
        starts = [n for n, row in enumerate(rows) if row.startswith("- ")]
        headings = [row for row in rows if row.startswith(("### ", "2026-"))]
        if starts and headings:
            row = rows.pop(starts[pick % len(starts)])
            rows.insert(rows.index(headings[pick // 7 % len(headings)]) + 1, row)
            self._save("\n".join(rows))

    @rule(mark=st.sampled_from(["*  ", "+ ", "-   "]))
    def change_the_list_marks(self, mark: str) -> None:
        rows = self._inner().split("\n")
        self._save("\n".join(mark + row[2:] if row.startswith("- ") else row for row in rows))

    @precondition(lambda self: len(self.revisions) > 2 and not self.pending and not self.typed)
    @rule(pick=st.integers(0, 10_000))
    def bring_back_an_older_text(self, pick: int) -> None:
        self.run()
        count = len(self._deletions())
        self._save(self.revisions[pick % len(self.revisions)].body)
        self.run()
        assert len(self._deletions()) <= count

    @precondition(lambda self: len(self.revisions) > 2 and not self.pending and not self.typed)
    @rule(back=st.integers(2, 5), text=_texts)
    def save_an_old_copy_with_an_edit(self, back: int, text: str) -> None:
        self.run()
        old = self.revisions[-min(back, len(self.revisions))]
        if not old.body or self._holds_another_wording(old):
            # Of a line that the person has reworded since, or whose older wording they brought back: the
            # copy's wording is taken for their newest edit (tests/history/test_same_words_by_hand.py).
            return
        count = len(self._deletions())
        never_held = {id_ for id_, line in self.lines.items() if _may_be_shown(line)} - set(old.lines)
        self.serial += 1
        self.typed.add(f"p{self.serial:05d}")
        self._save(f"{old.body}\n- {text} p{self.serial:05d}")
        self.run()
        assert len(self._deletions()) <= count
        lost = [id_ for id_ in never_held if not _may_be_shown(self.lines[id_])]
        assert not lost, "what the copy never held was taken for taken out"

    def _holds_another_wording(self, old: RevisionView) -> bool:
        held = [self.lines[id_] for id_ in old.lines]
        now = {
            line.observation.sources
            for id_, line in self.lines.items()
            if id_ not in old.lines and line.standing.is_live
        }
        return any(
            line.standing.closed is Closed.EDITED
            or (line.observation.sources and line.observation.sources in now)
            for line in held
        )

    @rule(more=st.sampled_from(["\n## Promoted\n- x\n", "tail\r\n", "\n"]))
    def another_writer_appends(self, more: str) -> None:
        self.text += more
        self.outside = self._outside()

    # -- what must hold ---------------------------------------------------------------------------

    def _check_after_run(self) -> None:
        body = self.folded.body
        live = [line for line in self.lines.values() if line.standing.is_live]
        # What a person put back is pinned, and gives way like what they wrote.
        theirs = [
            line for line in live if line.observation.author is Author.PERSON or line.standing.is_pinned
        ]
        own = [line for line in theirs if line.standing.is_shown]
        shown = set(self.folded.shown)
        assert units(body.replace("\n", parse(self.text).newline)) <= self.budget
        assert len(read(body)) == len(self.folded.shown)
        for item, id_ in zip(read(body), self.folded.shown, strict=True):
            place, day = self.placed.get(id_, (item.place, item.date))
            assert (place, day or item.date) == (item.place, item.date), (
                "a line did not stay where it was put"
            )
        self.placed.clear()
        here = {normal(item.text) for item in read(body)}
        assert not here & self.deleted, "a deleted line came back"
        if body:
            assert len(own) == len([o for o in own if o.observation.id in shown]) + self.folded.gave_way
        everything = "\n".join(line.observation.text for line in self.lines.values())
        assert all(word in everything for word in self.typed), "a person's line was lost"
        self.typed.clear()

    @invariant()
    def text_outside_the_markers_is_untouched(self) -> None:
        if hasattr(self, "text"):
            assert self._outside() == self.outside

    def _outside(self) -> tuple[str, str]:
        before, _, rest = self.text.partition("<!-- scrimshaw:begin -->")
        return before, rest.partition("<!-- scrimshaw:end -->")[2]

    def _inner(self) -> str:
        state = parse(self.text).state
        assert isinstance(state, Owned)
        return state.inner

    def _save(self, inner: str) -> None:
        before, _, rest = self.text.partition("<!-- scrimshaw:begin -->")
        tail = rest.partition("<!-- scrimshaw:end -->")[2]
        newline = parse(self.text).newline
        middle = inner.replace("\n", newline)
        self.text = f"{before}<!-- scrimshaw:begin -->{newline}{middle}{newline}<!-- scrimshaw:end -->{tail}"

    def _deletions(self) -> list[str]:
        return [id_ for id_, line in self.lines.items() if line.standing.closed is not None]


def _may_be_shown(line: Line) -> bool:
    """Tell whether room alone decides if the line is shown."""
    return line.standing.is_live and not line.standing.is_set_aside


TestSectionLife = SectionLife.TestCase


class _DeletionsIgnored(SectionLife):
    def _take(self, taken: Taken) -> None:
        kept = [event for event in taken.events if event.type is not EventType.DELETED]
        super()._take(taken._replace(events=tuple(kept)))


class _EditsForgetTheirSources(SectionLife):
    def _take(self, taken: Taken) -> None:
        super()._take(taken._replace(observations=tuple(replace(o, sources=()) for o in taken.observations)))


class _BudgetForgotten(SectionLife):
    def _fold(self, newline_units: int) -> Fold:
        everything = [
            line._replace(standing=replace(line.standing, is_shown=True)) for line in self.lines.values()
        ]
        return fold(everything, 20_000, zone="UTC", newline_units=newline_units)


class _UnseenCountsAsGone(SectionLife):
    def _apply(self, merged: object) -> None:
        if isinstance(merged, Edits):
            base = next(one for one in self.revisions if one.id == merged.base)
            here = {normal(item.text) for item in read(self._inner())}
            for item, id_ in zip(read(self.revisions[-1].body), self.revisions[-1].lines, strict=True):
                if id_ not in base.lines and normal(item.text) not in here:
                    moved = Event(EventType.TRIMMED, id_, self.clock, Author.PERSON)
                    self.lines[id_] = self.lines[id_]._replace(
                        standing=standing_after(self.lines[id_].standing, moved)
                    )
        super()._apply(merged)


def _a_week(machine: SectionLife) -> None:
    machine.start("# Notes\n")
    machine.observe([(f"{word} of the {n}th", Place.LOG, 3) for n, word in enumerate(_WORDS)])
    machine.run()
    machine.change_a_line(3, "changed")
    machine.run()
    machine.delete_a_line(7)
    machine.run()
    machine.observe([("standup is at ten now", Place.STANDING, 4)])
    machine.save_an_old_copy_with_an_edit(2, "never before nine")
    machine.change_budget(420)
    machine.run()


def test_the_machine_plays_a_week() -> None:
    _a_week(SectionLife())


@pytest.mark.parametrize(
    "broken",
    [_DeletionsIgnored, _EditsForgetTheirSources, _BudgetForgotten, _UnseenCountsAsGone],
)
def test_the_machine_notices_what_it_is_there_to_notice(broken: type[SectionLife]) -> None:
    with pytest.raises(AssertionError):
        _a_week(broken())
