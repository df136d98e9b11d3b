"""Forgetting: a statement, a conversation, or all before some day, out of everything of ours (rule 21).

First what a hand did to the section is taken, and shown is what would go. Then, under the write lock: the
ledger closes the lines and notes that words are left (store/forgetting), the files are cleaned
(services/edit/forget_files), the observations are blanked, archives and index are made without them, and the
ledger's file is written anew. Killed anywhere, the next run of anything that takes or writes the section goes
on from the note; nothing of it can be undone. At last the files are looked through, and what holds the words
still is told with its rows: it is not ours.
"""

from __future__ import annotations

import logging
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from scrimshaw.clock import milliseconds
from scrimshaw.core.conversation import session_id_of
from scrimshaw.core.ledger.exact import said_by
from scrimshaw.core.ledger.forget import Reach, forget_closure
from scrimshaw.core.ledger.program_lines import origin_of
from scrimshaw.core.ledger.retold import flattened
from scrimshaw.core.section import markers
from scrimshaw.core.types import Author, Closed, Event, EventType, Line, Observation
from scrimshaw.core.working import StoredMemory, iso
from scrimshaw.errors import Exit, UserError, refused_error, saying, usage_error
from scrimshaw.home import SHARED, make_agent
from scrimshaw.layout import Layout
from scrimshaw.locks import write_lock
from scrimshaw.logs import canonical
from scrimshaw.services.conversations.forget import threads_kept
from scrimshaw.services.edit import forget_files
from scrimshaw.services.edit.find_line import among, none_says, only
from scrimshaw.services.edit.forget_resume import go_on
from scrimshaw.services.publish import hand_edits
from scrimshaw.services.publish.memory_file import is_kept_aside, memory_record, read_document
from scrimshaw.services.publish.result import Published, PublishRequest
from scrimshaw.services.publish.run import publish
from scrimshaw.services.results import SectionResult, WorkspaceResult
from scrimshaw.services.runs import new_run_id, recorded
from scrimshaw.services.times import time_named
from scrimshaw.services.working import forgetting
from scrimshaw.store.forgetting import ForgetSelection
from scrimshaw.store.ledger import Ledger, open_ledger
from scrimshaw.workspace import Target, own_folder

log = logging.getLogger(__name__)

_LOCK_SECONDS = 15.0
_LEAST_ID_LETTERS = 6
_NOTHING = "Nothing was forgotten."
_MOST_BY_AGENT = 10


@dataclass(frozen=True, slots=True)
class Wish:
    """What somebody wants forgotten; one of the three."""

    words: str = ""  # of a line, or its id
    is_every: bool = False  # each line that has these words
    session: str = ""  # a conversation's key or id
    before: datetime | None = None


@dataclass(frozen=True, slots=True)
class ForgetPlan(WorkspaceResult):
    """What would go; `forget` takes it and nothing else."""

    wish: Wish
    lines: tuple[Line, ...]  # oldest first
    why: dict[str, str]  # of those that only go along
    restored: tuple[str, ...]
    sessions: tuple[str, ...]
    before_ms: int | None
    version: int  # of the ledger, when this was found out
    is_recorded: bool  # MEMORY.md would be written although the host has a record of it (rule 13)
    was_resumed: bool = False  # a forgetting that was cut off was finished first
    memories: tuple[StoredMemory, ...] = ()  # of the working layer, oldest first

    @property
    def ids(self) -> frozenset[str]:
        """The ids of its lines."""
        return frozenset(line.observation.id for line in self.lines)

    @property
    def is_nothing(self) -> bool:
        """Whether neither a line or memory would go nor a conversation be kept out."""
        return not self.lines and not self.memories and not self.sessions and self.before_ms is None

    def to_dict(self) -> dict[str, Any]:
        """Return it as `scrimshaw forget --dry-run --json` prints it."""
        told = _plan_dict(self)
        for row, line in zip(told["lines"], self.lines, strict=True):
            row["text"] = line.observation.text  # afterwards it is told nowhere
        for row, memory in zip(told["memories"], self.memories, strict=True):
            row["text"] = memory.content
        return {**told, "outcome": "shown", "exit_code": int(Exit.OK)}


@dataclass(frozen=True, slots=True)
class ForgetResult(SectionResult):
    """What was forgotten, and what could not be."""

    plan: ForgetPlan
    lines: int
    places: tuple[str, ...]  # the files that were cleaned
    left: tuple[forget_files.Left, ...]
    published: Published

    def to_dict(self) -> dict[str, Any]:
        return {
            **_plan_dict(self.plan),
            "outcome": "forgotten",
            "count": self.lines,
            "files": list(self.places),
            "left": [{"path": str(left.path), "lines": list(left.rows)} for left in self.left],
            "section": self.published.result.value,
            "exit_code": int(self.exit_code),
        }


def _plan_dict(shown: ForgetPlan) -> dict[str, Any]:
    return {
        **shown.head(),
        "lines": [
            {
                "id": line.observation.id,
                "date": line.observation.local_date,
                "why": shown.why.get(line.observation.id, "asked for"),
            }
            for line in shown.lines
        ],
        "memories": [{"id": one.id, "created_at": iso(one.created_at)} for one in shown.memories],
        "restored": list(shown.restored),
        "sessions": list(shown.sessions),
    }


def read_wish(
    words: str, session: str, before: str | None, now: datetime, zone: str, *, is_every: bool = False
) -> Wish:
    """Return what somebody wants forgotten; raises UserError unless it is one of the three."""
    given = [one for one in (session, before, words) if one]
    if len(given) != 1 or (is_every and not words):
        raise usage_error(
            "Say what to forget by one of three: words of a line (or of every line that has them), a "
            f"conversation, or the time before which all goes. {_NOTHING}",
            next_step='scrimshaw forget "words of the line"',
        )
    if not before:
        return Wish(words=words, is_every=is_every, session=session)
    return Wish(before=time_named("before", before, now, zone, _NOTHING).start)


def look_ahead(target: Target, wish: Wish, *, now: datetime, by: Author, dry_run: bool) -> ForgetPlan:
    """Return what would go, a hand's changes of the section taken first; *dry_run*: nothing is written.

    Raises UserError where *by* may not have that forgotten.
    """
    if by is Author.AGENT and (wish.session or wish.before or wish.is_every):
        raise _only_the_person("An agent's shell can have one statement forgotten, not all of many.")
    with open_ledger(target.layout.ledger, create=False, read_only=dry_run) as ledger:
        was_resumed = False if dry_run else prepare(target, ledger, now)
        shown = plan_forgetting(target, ledger, wish)
    check_agent_may(shown, by)
    return replace(shown, was_resumed=was_resumed)


def check_agent_may(shown: ForgetPlan, by: Author) -> None:
    """Refuse an agent what is the person's: no reply of a model takes a line of theirs away."""
    if by is not Author.AGENT:
        return
    if any(line.observation.author is Author.PERSON or line.standing.is_pinned for line in shown.lines):
        raise _only_the_person("This is the person's own line, or one that they pinned.")
    if len(shown.lines) > _MOST_BY_AGENT:
        raise _only_the_person(f"With this {len(shown.lines)} lines would go.")
    if shown.is_recorded:
        raise _only_the_person(
            "OpenClaw has a record of MEMORY.md, and the section inside it holds this: taken out there, the "
            "file may be shut out of every prompt, and only the person can agree to that."
        )


def _only_the_person(problem: str) -> UserError:
    return refused_error(
        f"{problem} {_NOTHING}", next_step="ask the person to run this in their own terminal"
    )


def plan_forgetting(target: Target, ledger: Ledger, wish: Wish) -> ForgetPlan:
    """Return what would go; reads only. Raises UserError when nothing is named, or more than one line."""
    version = ledger.version()
    # Memories before lines: one that moves meanwhile is seen in both places, not in neither.
    held = forgetting.memories_with(target, wish.words) if wish.words else []
    every = _remembered(ledger)
    sessions = _sessions(target, ledger, wish.session) if wish.session else ()
    before_ms = milliseconds(wish.before) if wish.before else None
    if wish.words:
        became = forgetting.lines_with_old_id(target, wish.words)
        named = [line for line in every if line.observation.id in became] or _named(
            every, wish, is_answered=bool(held)
        )
        held = held if wish.is_every else forgetting.only_one(held, wish.words) if not named else []
        seeds = [line.observation.id for line in named]
        gone = forget_closure(every, seeds, is_one=True)
    else:
        seeds = [
            one.id
            for one, _ in every
            if one.session_id in sessions or (before_ms is not None and one.said_at_ms < before_ms)
        ]
        gone = forget_closure(every, seeds, is_one=False)
    lines = tuple(line for line in every if line.observation.id in gone.ids)
    why = {id_: why for id_, why in gone.ids.items() if why}
    if before_ms is not None:
        held = forgetting.memories_before(target, before_ms)
    also = {one.id: one for one in (*held, *forgetting.memories_of(target, lines))}
    return ForgetPlan(
        *(target, wish, lines, why, gone.restored, sessions, before_ms, version),
        _is_recorded(target, lines),
        memories=tuple(also.values()),
    )


def forget(shown: ForgetPlan, *, now: datetime, by: str) -> ForgetResult:
    """Forget what *shown* says. Raises UserError, with nothing forgotten, when that has changed since.

    Raises it, too, where a file cannot be cleaned: then it is forgotten in the ledger, and the next run that
    can goes on with the files.
    """
    target = shown.target
    own_folder(target)
    with (
        open_ledger(target.layout.ledger, create=False) as ledger,
        recorded(ledger, "forget", by, now, tells_error=False) as run,
    ):
        order = PublishRequest(run.id, now, reason="forget")
        with write_lock(target.layout.state, by="forget", now=now, timeout_seconds=_LOCK_SECONDS):
            with saying("Nothing else was forgotten."):
                go_on(target, ledger, now)
            _take_edits(target, ledger, order)
            if not shown.is_recorded and _is_recorded(target, shown.lines):
                raise _changed()  # nobody has agreed to that
            gone = _begin(ledger, shown, at_ms=milliseconds(now), by=by, is_shown=True)
            places = go_on(target, ledger, now)
            forgetting.forget_moves(target, [one.id for one in shown.memories], [one.id for one in gone])
        with _telling_left(target, gone):
            published = publish(target, ledger, order)
        forget_files.blank_copies(target, gone)
        left = tuple(forget_files.left_behind(target, gone))
        run.outcome = "forgotten"
    counts = {"lines": len(gone), "files": len(places), "left": len(left)}
    told = {"by": by, **counts, "section": published.result.value}
    log.info(canonical(run=run.id, job="forget", agent=target.agent_id, **told))
    return ForgetResult(target, shown, len(gone), places, left, published)


@contextmanager
def _telling_left(target: Target, gone: Sequence[Observation]) -> Iterator[None]:
    """Let a UserError of the block name the files that hold words of *gone* still."""
    try:
        yield
    except UserError as error:
        forget_files.blank_copies(target, gone)
        left = forget_files.left_behind(target, gone)
        error.problems = (*error.problems, *(f"Its words still stand in {one.told}." for one in left))
        raise


def forget_lines(
    target: Target, ledger: Ledger, ids: Collection[str], *, now: datetime, by: str
) -> tuple[frozenset[str], tuple[forget_files.Left, ...]]:
    """Forget *ids* and what goes along: a person did, elsewhere; return what went, and what is left.

    First what the home's agent `shared` keeps of it. Resumed like any forgetting when it is cut off.
    MEMORY.md is brought up to date by whoever publishes next.
    """
    order = PublishRequest(new_run_id(now), now, reason="forget")
    with write_lock(target.layout.state, by="forget", now=now, timeout_seconds=_LOCK_SECONDS):
        go_on(target, ledger, now)
        _take_edits(target, ledger, order)
        every = _remembered(ledger)
        reach = forget_closure(every, ids, is_one=True)
        lines = tuple(line for line in every if line.observation.id in reach.ids)
        shown = ForgetPlan(
            *(target, Wish(), lines, dict(reach.ids), reach.restored, (), None, ledger.version()),
            is_recorded=False,
            memories=tuple({one.id: one for one in forgetting.memories_of(target, lines)}.values()),
        )
        # Before the lines, as memories: whatever is cut off, the next sync forgets both.
        _forget_patterns(target, [line.observation for line in lines], now=now, by=by)
        gone = _begin(ledger, shown, at_ms=milliseconds(now), by=by, is_shown=False)
        go_on(target, ledger, now)
        forgetting.forget_moves(target, [one.id for one in shown.memories], [one.id for one in gone])
    forget_files.blank_copies(target, gone)
    return shown.ids | {one.id for one in gone}, tuple(forget_files.left_behind(target, gone))


def _forget_patterns(target: Target, gone: Sequence[Observation], *, now: datetime, by: str) -> None:
    """Forget what the home's agent `shared` keeps of *gone* as a pattern of several agents."""
    from scrimshaw.services.working.patterns import forgetting_patterns  # loads what a fleet needs

    with forgetting_patterns(target, gone) as kept:
        home = target.agents[0].home
        if not kept or home is None:
            return
        agent = make_agent(home, SHARED)
        shared = target._replace(layout=Layout(agent.workspace), agents=(agent,))
        held = [one for id_ in kept for one in forgetting.memories_with(shared, id_)]
        forgetting.forget_memories(shared, held)
        with open_ledger(shared.layout.ledger, create=False) as ledger:
            forget_lines(shared, ledger, {*kept, *forgetting.lines_made_of(shared, held)}, now=now, by=by)
        forgetting.forget_moves(shared, [one.id for one in held], ())


def prepare(target: Target, ledger: Ledger, now: datetime) -> bool:
    """Finish what was begun and take what a hand did, before a plan is shown; True: something was finished.

    Raises UserError where the section says that its owner has to decide something first.
    """
    order = PublishRequest(new_run_id(now), now, reason="forget")
    with write_lock(target.layout.state, by="forget", now=now, timeout_seconds=_LOCK_SECONDS):
        was_begun = ledger.forgetting.stage() is not None
        with saying("Nothing else was forgotten."):
            go_on(target, ledger, now)
        _take_edits(target, ledger, order)
    if was_begun:
        publish(target, ledger, order)
    return was_begun


def _begin(ledger: Ledger, shown: ForgetPlan, *, at_ms: int, by: str, is_shown: bool) -> list[Observation]:
    """Erase the memories of *shown* and close its lines, in the very state that was looked at.

    Return the lines that go. A memory that became a line since it was shown is closed as that line. With
    *is_shown* somebody has agreed to the memories as they were: raises UserError, with nothing erased, where
    one says something else by now.
    """
    with ledger.transaction():
        fresh, late = _found_again(ledger, shown)
        # Memories before lines, and after all that can refuse: after a kill in between, a second call forgets
        # the lines, and no memory returns.
        if not forgetting.forget_memories(shown.target, shown.memories, only_as_read=is_shown):
            raise _changed()
        if not (_is_of_lines(shown) or late.ids):
            return []  # memories alone: nothing of it is in the ledger
        ids = fresh.ids | late.ids.keys()
        gone = [line.observation for line in ledger.lines(ids).values()]
        chosen = ForgetSelection(ids, forget_files.row_traces_of(gone), fresh.sessions, fresh.before_ms)
        reason = "what it was merged into or told again in was forgotten"
        ledger.forgetting.begin(chosen, at_ms=at_ms, by=by)
        restored = dict.fromkeys(id_ for id_ in (*fresh.restored, *late.restored) if id_ not in ids)
        ledger.append([Event(EventType.RESTORED, id_, at_ms, by, reason=reason) for id_ in restored])
    return gone


def check_is_as_shown(shown: ForgetPlan) -> None:
    """Raise UserError where *shown* is out of date; writes nothing."""
    with open_ledger(shown.target.layout.ledger, create=False, read_only=True) as ledger:
        _found_again(ledger, shown)
    if not forgetting.are_as_read(shown.target, shown.memories):
        raise _changed()


def _found_again(ledger: Ledger, shown: ForgetPlan) -> tuple[ForgetPlan, Reach]:
    """Return *shown* as planned now, and what its memories became; raises UserError if it has changed."""
    late = _moved_since(ledger, shown)
    fresh = shown
    if _is_of_lines(shown) and ledger.version() != shown.version:
        fresh = plan_forgetting(shown.target, ledger, shown.wish)
    if fresh.ids - late.ids.keys() != shown.ids - late.ids.keys():
        raise _changed()
    return fresh, late


def _is_of_lines(shown: ForgetPlan) -> bool:
    return bool(shown.lines or shown.sessions or shown.before_ms is not None)


def _moved_since(ledger: Ledger, shown: ForgetPlan) -> Reach:
    """Return the lines that memories of *shown* became which it does not list, with what goes along."""
    ids = forgetting.lines_made_of(shown.target, shown.memories) - shown.ids
    memory_ids = {one.id for one in shown.memories}
    seeds = [
        line.observation.id
        for line in ledger.lines(ids).values()
        if line.standing.closed is not Closed.FORGOTTEN
        and (origin := origin_of(line.observation))
        and origin.memory_id in memory_ids
    ]
    if not seeds:
        return Reach({}, ())
    return forget_closure(_remembered(ledger), seeds, is_one=True)


def _remembered(ledger: Ledger) -> list[Line]:
    return [line for line in ledger.all_lines() if line.standing.closed is not Closed.FORGOTTEN]


def _take_edits(target: Target, ledger: Ledger, order: PublishRequest) -> None:
    """Take what a person did to the section; where that waits for a word of theirs, so does this."""
    for path in (target.layout.aside, target.layout.memory):
        if path.is_symlink():
            continue
        state = read_document(target, ledger, path)[1].state
        if isinstance(state, markers.Damaged):
            raise refused_error(
                f"{path}: {'; '.join(state.problems)}. What stands there could not be taken out, so nothing "
                "was forgotten.",
                next_step=f"mend {path} (scrimshaw doctor says how), then run the same command again",
            )
        stopped = hand_edits.take_from_other(target, ledger, order, path)
        if stopped is not None:
            raise refused_error(
                f"{path}: {'; '.join(stopped.problems)}. Nothing was forgotten.",
                next_step="scrimshaw accept-edits (or restore), then run the same command again",
            )


def _named(every: Sequence[Line], wish: Wish, *, is_answered: bool) -> list[Line]:
    """Return the lines that are asked for; of one statement live ones come first.

    None where *is_answered*: a memory of the working layer has the words.
    """
    found = among(every, wish.words)
    if wish.is_every or not found:
        found += [line for line in every if line not in found and _keeps_exactly(line, wish.words)]
    if not found and is_answered:
        return []
    if not found:
        raise none_says(wish.words, [])
    if wish.is_every:
        return found
    live = among([line for line in every if line.standing.is_live], wish.words) or found
    # Several matching lines are ambiguous, unless all of them have the same text.
    same = len({line.observation.text for line in live}) == 1
    return live[:1] if same else [only(live, wish.words)]


def _keeps_exactly(line: Line, words: str) -> bool:
    """Tell whether *words* are in what only the memory's exact text, kept with *line*, says."""
    return any(flattened(words) in flattened(text) for text in said_by(line.observation)[1:])


def _sessions(target: Target, ledger: Ledger, named: str) -> tuple[str, ...]:
    """Return the ids of the conversations *named*, also of those that nothing was observed of yet."""
    names = {id_: [session.session_key] for id_, session in ledger.sessions().items()}
    for thread_id in threads_kept(target):
        names.setdefault(session_id_of(thread_id), []).append(thread_id)
    found = [id_ for id_, also in names.items() if named in (id_, *also)]
    if not found and len(named) >= _LEAST_ID_LETTERS:
        found = [id_ for id_ in names if id_.startswith(named)]
        found = found if len(found) == 1 else []
    if found:
        return tuple(sorted(found))
    some = sorted({next(filter(None, also), id_) for id_, also in names.items()})[:10]
    raise usage_error(
        f"No conversation {named} is known here. Nothing was forgotten.",
        *(f"  {name}" for name in some),
        next_step="name one by its key or id: scrimshaw why shows it for a line",
    )


def _is_recorded(target: Target, lines: Sequence[Line]) -> bool:
    traces = forget_files.traces_of(line.observation for line in lines)
    return is_kept_aside(target, memory_record(target)) and forget_files.holds_section(target, traces)


def _changed() -> UserError:
    return refused_error(
        "What would go has changed since it was shown: something was noted or edited meanwhile. Nothing was "
        "forgotten.",
        next_step="run the same command again",
    )
