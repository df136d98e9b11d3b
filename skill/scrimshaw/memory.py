"""The memory of one agent, for a program: everything that Scrimshaw can do with it, one call a method.

    from scrimshaw import Memory

    with Memory.open(agent="main") as memory:
        memory.observe(consent=True)
        for hit, _where in memory.search("when is the dentist?").hits:
            print(hit.line.observation.text)

Results are frozen, print as JSON, and `to_dict()` is what the command of the same name prints for a
workspace. Whatever the owner can mend is raised as `UserError`; its next step is a command that a person can
type. Nothing is printed and nothing is asked: progress goes to a callback, consent is an argument. Times are
datetimes, or words such as "last Tuesday".

A `Memory` may be used by several threads, and by several processes at once: the ledger is opened for each
call and closed again, and no lock is held between calls. What it knows of the workspace (its settings, the
stores of its agents) is read anew by `observe`, `status` and `refresh`.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterable, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import replace
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Self, TypeVar

from scrimshaw.errors import UserError
from scrimshaw.workspace import Target, Wanted, find_targets, is_set_up, one_of, renewed

if TYPE_CHECKING:
    from collections.abc import Iterator

    from scrimshaw.core.policy.schedule import Due
    from scrimshaw.core.search.layers import LayerName
    from scrimshaw.core.types import Author, Kind
    from scrimshaw.core.working import MemoryType, StoredMemory
    from scrimshaw.doctor import Examination
    from scrimshaw.services.archive.export import ExportResult
    from scrimshaw.services.archive.import_ import ImportResult
    from scrimshaw.services.archive.write import ArchiveResult
    from scrimshaw.services.conversations.context import ConversationContext
    from scrimshaw.services.conversations.listing import ConversationList, ConversationMemory
    from scrimshaw.services.conversations.messages import AddedMessage
    from scrimshaw.services.edit.add import AddResult
    from scrimshaw.services.edit.forget import ForgetPlan, ForgetResult
    from scrimshaw.services.edit.pin import PinResult
    from scrimshaw.services.edit.review import ReviewQueue
    from scrimshaw.services.edit.undo import UndoResult
    from scrimshaw.services.history.provenance import LineProvenance
    from scrimshaw.services.history.revisions import KnownAt, RevisionLog, SectionAsOf, SectionDiff, Timeline
    from scrimshaw.services.models.forecast import Forecast
    from scrimshaw.services.models.spending import SpendReport
    from scrimshaw.services.models.try_model import Tried
    from scrimshaw.services.observe.run import ObserveResult
    from scrimshaw.services.observe.show_request import Showing
    from scrimshaw.services.observe.task import Observed, ObserveOptions
    from scrimshaw.services.reflect.run import ReflectResult
    from scrimshaw.services.search.index import ReindexResult
    from scrimshaw.services.search.log import SearchResult
    from scrimshaw.services.search.search import Recall, SearchMode, SearchQuery
    from scrimshaw.services.search.transcripts import FoundMessages
    from scrimshaw.services.status.status import WorkspaceStatus
    from scrimshaw.services.working.consolidate import ConsolidationResult
    from scrimshaw.services.working.cortex import CortexResult
    from scrimshaw.services.working.layer import WorkingLayer
    from scrimshaw.sources.reading import SessionState
    from scrimshaw.working.database import WorkingDatabase

When = str | date | datetime
_T = TypeVar("_T")
_SPEND_DAYS = 30


class Progress(NamedTuple):
    """How far an observe run is: what was read, and, where a model notes, what came of its windows so far."""

    read_bytes: int
    observed: Observed | None = None


class Memories(tuple["Memory", ...]):
    """Several memories; *notes* says what is left out, and why."""

    notes: tuple[str, ...] = ()

    def search(self, query: str, *, limit: int = 10, **how: Any) -> list[SearchResult]:  # noqa: ANN401  # as there
        """Search each as `Memory.search` does; no more than the best *limit* hits of all of them are kept."""
        from scrimshaw.services.search.log import best_of

        return best_of([memory.search(query, limit=limit, **how) for memory in self], limit)


class Memory:
    """The memory of one workspace. Make one with `open`, `for_agent` or `discover`."""

    def __init__(
        self,
        target: Target,
        *,
        env: Mapping[str, str] | None = None,
        clock: Callable[[], datetime] | None = None,
        asks_once: bool = False,
    ) -> None:
        """Take a workspace that was found; *asks_once*: a process for one search, that loads faster."""
        self._target = target
        self._env = os.environ if env is None else env
        self._clock = clock
        self._asks_once = asks_once
        self._is_fresh = True  # what is known of the workspace was read for this very call
        self._lock = threading.Lock()  # guards the two below
        self._recall: Recall | None = None
        self._layer: WorkingLayer | None = None
        self._is_closed = False

    # -- finding one -----------------------------------------------------------------------------------

    @classmethod
    def open(
        cls,
        workspace: str | Path | None = None,
        *,
        agent: str | None = None,
        home: str | Path | None = None,
        state_dir: str | Path | None = None,
        env: Mapping[str, str] | None = None,
        clock: Callable[[], datetime] | None = None,
    ) -> Self:
        """Return the memory of the workspace that is named: by its folder, its agent, or as the only one.

        Of several the one around the current folder is taken. *state_dir* is OpenClaw's folder, if not
        ~/.openclaw; *env* and *clock* stand in for the process's environment and the time. Nothing is
        written; raises UserError when no workspace, or more than one, is meant.

        *home* is a folder of agents that no host knows: *agent* gets a folder of its own in it on first use.
        """
        said = os.environ if env is None else env
        if home is not None:
            if agent is None or workspace is not None or state_dir is not None:
                raise ValueError("home: goes with agent, and with neither workspace nor state_dir")
            from scrimshaw.home import make_agent

            make_agent(Path(home), agent)
        wanted = _wanted(workspace, agent, state_dir, home)
        return cls(one_of(wanted, said, undone="Nothing was opened."), env=env, clock=clock)

    @classmethod
    def for_agent(
        cls,
        agent: str,
        *,
        state_dir: str | Path | None = None,
        env: Mapping[str, str] | None = None,
        clock: Callable[[], datetime] | None = None,
    ) -> Self:
        """Return the memory of the agent with this id; raises UserError when there is none."""
        return cls.open(agent=agent, state_dir=state_dir, env=env, clock=clock)

    @classmethod
    def discover(
        cls,
        workspace: str | Path | None = None,
        *,
        agent: str | None = None,
        home: str | Path | None = None,
        state_dir: str | Path | None = None,
        env: Mapping[str, str] | None = None,
        clock: Callable[[], datetime] | None = None,
    ) -> Memories:
        """Return the memories of the agents of this machine or *home*, or those named; UserError for none."""
        said = os.environ if env is None else env
        targets, notes = find_targets(_wanted(workspace, agent, state_dir, home), said)
        found = Memories(cls(target, env=env, clock=clock) for target in targets)
        found.notes = notes
        return found

    def close(self) -> None:
        """Let go of what is loaded; every later call raises UserError."""
        with self._lock:
            self._recall, self._is_closed = None, True
            layer, self._layer = self._layer, None
        if layer is not None:
            layer.close()

    def __enter__(self) -> Self:
        """Return this."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close it."""
        self.close()

    def __repr__(self) -> str:
        """Return the agent and its folder."""
        return f"Memory(agent={self.agent!r}, workspace={str(self.workspace)!r})"

    # -- what it is ------------------------------------------------------------------------------------

    @property
    def agent(self) -> str:
        """The agent that the memory is named after."""
        return self._target.agent_id

    @property
    def workspace(self) -> Path:
        """The agent's folder."""
        return self._target.layout.workspace

    @property
    def target(self) -> Target:
        """The workspace with its agents, settings and zone, as the services take it."""
        return self._target

    @property
    def is_set_up(self) -> bool:
        """Whether the owner has agreed to writing here: everything but `observe` and `status` needs it."""
        return is_set_up(self._target.layout)

    @property
    def author(self) -> Author:
        """Who writes through this: the person, or the agent whose host opened this shell."""
        from scrimshaw.services.edit.author import by_whom

        return by_whom(self._env)

    def now(self) -> datetime:
        """Return the time, aware, in UTC."""
        from scrimshaw.clock import now

        return self._clock() if self._clock else now(self._env)

    def refresh(self) -> None:
        """Read the settings and the agents' stores anew; raises UserError as `open` does."""
        self._check_open()
        ids = {agent.agent_id for agent in self._target.agents}
        try:
            found, _ = find_targets(self._wanted(), self._env)
            self._target = next(one for one in found if {agent.agent_id for agent in one.agents} & ids)
        except (UserError, StopIteration):
            # A folder that no configuration names any more: the agents that it was opened with.
            self._target = renewed(self._target, self._env)
        self._is_fresh = True

    # -- conversations that a program hands in ---------------------------------------------------------

    def add_message(
        self,
        content: str,
        *,
        thread_id: str,
        role: Literal["user", "assistant", "system", "tool"] = "user",
        resource_id: str = "",
        message_id: str = "",
        timestamp: datetime | None = None,
    ) -> AddedMessage:
        """Keep what *role* said in the conversation *thread_id*, and tell whether it is due to be observed.

        The same *message_id* twice is one message; without one an id is made. *resource_id* is whom the
        conversation is with: with `scope: resource` all of theirs share one log of observations. Secrets and
        what is private are taken out first. At most 1,000,000 characters.
        """
        from scrimshaw.services.conversations.messages import NewMessage, add_message

        self._require_set_up("Nothing was stored.")
        new = NewMessage(content, role, thread_id, resource_id, message_id, timestamp)
        return add_message(self._target, self._working_layer(), new, self.now())

    def get_context(
        self,
        thread_id: str,
        resource_id: str = "",
        *,
        shape: Literal["anthropic", "openai", "text"] = "anthropic",
        identity: str = "",
        system_prompt: str = "",
        channel_hint: str = "",
        query: str | None = None,
        memories: int = 8,
        observations: int = 0,
        reflections: int = 0,
    ) -> ConversationContext:
        """Return what to send to a model for the next turn of *thread_id*; nothing is written.

        First what stays the same from turn to turn, for the provider's cache: *identity*, *system_prompt*,
        the log of observations. Then up to *memories* that answer *query* (else what the user said last) and
        *channel_hint*. Then every message that is not observed yet, and never fewer than the last twelve.
        The newest *observations* (at most 20) and *reflections* (10) come one by one, too, where asked for.
        """
        from scrimshaw.services.conversations import context
        from scrimshaw.services.conversations.observed import observed_lines

        self._require_set_up("Nothing was read.")
        told = context.Prefix(identity, system_prompt, channel_hint)
        wanted = context.check_shape(shape)
        read = context.read_conversation(
            self._target, self._working_layer(), self.now(), thread_id, resource_id
        )
        asked = read.last_asked if query is None else query
        is_wanted = asked.strip() and memories
        # More than are wanted: what the log shows already is left out.
        found = self.search(asked, mode="lexical", limit=3 * memories) if is_wanted else None
        db = self._working_layer()
        made = context.context_of(self._target, db, read, told, found, wanted, memories)
        lines = observed_lines(self._target, db, read, observations, reflections)
        return replace(made, **lines._asdict())

    def report_usage(
        self,
        *,
        input_tokens: int,
        output_tokens: int,
        cache_creation_input_tokens: int = 0,
        cache_read_input_tokens: int = 0,
        model: str = "",
    ) -> None:
        """Keep what an answer of the caller's model used; `spend` shows what the provider's cache served.

        *input_tokens* are those read anew, as Anthropic counts; take cached ones off where they are in it.
        """
        from scrimshaw.services.models.reported import keep

        self._require_set_up("Nothing was kept.")
        used = (input_tokens, output_tokens, cache_creation_input_tokens, cache_read_input_tokens)
        keep(self._target, self._working_layer(), self.now(), model, used)

    def force_observe(self, thread_id: str) -> ObserveResult:
        """Observe *thread_id* now, however little of it waits, and move its cursor behind it."""
        from scrimshaw.services.conversations.ask import asked_for

        self._require_set_up("Nothing was read.")
        return self.observe(asked_for(self._target, self._working_layer(), thread_id))

    def conversation(self, thread_id: str) -> ConversationMemory:
        """Return what is kept of *thread_id*: its state, and the size of its log of observations."""
        from scrimshaw.services.conversations.listing import conversation

        self._require_set_up("Nothing was read.")
        return conversation(self._target, self._working_layer(), self.now(), thread_id)

    def conversations(self, limit: int = 100) -> ConversationList:
        """Return the conversations that programs have handed in, the one with the newest message first."""
        from scrimshaw.services.conversations.listing import every_conversation

        self._require_set_up("Nothing was read.")
        _check_limit(limit)
        return every_conversation(self._target, self._working_layer(), self.now(), limit)

    def _working_layer(self) -> WorkingDatabase:
        """Return the working layer's file; made where it is missing."""
        return self._working().db

    # -- noting ----------------------------------------------------------------------------------------

    def is_due(self) -> Due:
        """Return whether enough waits to observe, and why or why not; reads no transcript."""
        from scrimshaw.services.status.backlog import is_due

        self._require_set_up("Nothing was read.")
        return is_due(self._current(), self.now())

    def observe(
        self,
        options: ObserveOptions | None = None,
        *,
        dry_run: bool = False,
        consent: bool = False,
        on_progress: Callable[[Progress], None] | None = None,
        should_stop: Callable[[], bool] | None = None,
    ) -> ObserveResult:
        """Read what is new, note what matters, and bring MEMORY.md up to date.

        The first run in a workspace writes only with the owner's *consent*. With *dry_run* nothing is written
        and no model is asked. *should_stop* is asked between windows, and while a model is waited for: what
        was noted by then is kept and written.
        """
        from scrimshaw.services.observe.run import observe
        from scrimshaw.services.observe.task import DEFAULTS

        target = self._current()
        if not (dry_run or consent):
            self._require_consent()
        told = replace(options or DEFAULTS, **_callbacks(on_progress, should_stop))
        if dry_run:
            return observe(target, self.now(), told, env=self._env, dry_run=True)
        with self._logging():
            return observe(target, self.now(), told, env=self._env)

    def asks_model(self, options: ObserveOptions) -> bool:
        """Tell whether a run with *options* asks a model: then it takes its time, and may cost something."""
        from scrimshaw.services.observe.run import asks_model

        return asks_model(self._target, options)

    def ask_daemon(self, seconds: float, *, session: str = "") -> dict[str, Any] | Literal["nobody", "busy"]:
        """Have a running daemon observe; return its answer, or why it is the caller's to do.

        A daemon that has not answered in half of *seconds* is busy. The answer's keys are those of
        services/schedule/ask_daemon.
        """
        from scrimshaw.services.schedule.ask_daemon import ask

        return ask(self._target, self.now(), by="observe", timeout_seconds=seconds, session=session)

    def old_sessions(self, *, undecided: bool = False) -> list[SessionState]:
        """Return the conversations that nobody knows to be private, oldest first; they are left out."""
        from scrimshaw.services.observe import old_sessions

        return (old_sessions.undecided if undecided else old_sessions.nameless)(self._target)

    def settle_old_sessions(self, those: list[SessionState], *, are_private: bool) -> None:
        """Remember what the person says *those* were: private and to be read, or to be left out for good."""
        from scrimshaw.services.observe.old_sessions import decide

        decide(self._target, those, are_private=are_private)

    def next_requests(self, *, session: str = "", waits: bool = True) -> Showing:
        """Return what would be sent to the observer's model next, to the byte; nothing is sent or written."""
        from scrimshaw.models.opening import opener
        from scrimshaw.services.observe.show_request import show

        return show(self._current(), opener(self._env), self.now(), session=session, waits=waits)

    def preview(self) -> ObserveResult:
        """Return the section that this workspace would get; writes nothing."""
        from scrimshaw.services.observe.run import rehearse
        from scrimshaw.services.observe.task import ObserveOptions

        return rehearse(self._current(), self.now(), ObserveOptions(trigger="preview"))

    def resolve_edits(self, *, accept: bool) -> ObserveResult:
        """Say of a large change that was made to the section by hand whether it was meant, and write."""
        from scrimshaw.services.observe.task import ObserveOptions

        options = ObserveOptions(edits_are_accepted=accept, edits_are_refused=not accept)
        return self.observe(options)

    def add(
        self,
        text: str,
        *,
        kind: Kind | str | None = None,
        importance: Literal["important", "minor"] | None = None,
        author: Literal["person", "agent"] | None = None,
        at_once: bool = False,
    ) -> AddResult:
        """Note *text* as the person's own words, or as the agent's, which its conversations have to bear out.

        *at_once* writes MEMORY.md in the middle of a conversation, too; else the next pause does.
        """
        from scrimshaw.core.extraction.manual_note import NoteWish
        from scrimshaw.core.types import Kind
        from scrimshaw.services.edit.add import Note, note
        from scrimshaw.services.edit.author import author_of

        self._check_open()
        by = author_of(author, self._env)
        self._require_consent_of(by)
        wish = Note(text, by, NoteWish(Kind(kind) if kind else None, importance or ""), at_once)
        with self._logging():
            return note(self._target, wish, self.now())

    def pin(self, line: str, *, at_once: bool = False) -> PinResult:
        """Pin the line that *line* names (words of it, or its id): shown first, never merged away."""
        return self._turn(line, pins=True, at_once=at_once)

    def unpin(self, line: str, *, at_once: bool = False) -> PinResult:
        """Let a pinned line give way like any other again."""
        return self._turn(line, pins=False, at_once=at_once)

    def _turn(self, line: str, *, pins: bool, at_once: bool) -> PinResult:
        from scrimshaw.services.edit.pin import pin

        self._require_set_up("Nothing was changed.")
        with self._logging():
            return pin(self._target, line, pins=pins, now=self.now(), by=self.author.value, is_now=at_once)

    def store(
        self,
        content: str,
        *,
        type: MemoryType | str = "episodic",  # noqa: A002  # the name that programs know
        importance: float = 0.5,
        metadata: Mapping[str, Any] | None = None,
        pin: bool = False,
        owner_id: str = "",
    ) -> StoredMemory:
        """Put a memory into the working layer and return it; takes no lock and waits for no vector.

        *type* is "episodic", "semantic", "procedural" or "system"; *importance* is 0..1. It is the program's
        word: found by search, and in the section only once a person has pinned it. Secrets and private parts
        are taken out. Raises UserError for what is no text, or too large.
        """
        from scrimshaw.core.working import MemoryType
        from scrimshaw.services.working.store import StoreRequest, store

        self._require_set_up("Nothing was stored.")
        asked = StoreRequest(content, MemoryType(type), importance, metadata, pin, owner_id)
        return store(self._working(), self._target.config.settings, self.agent, asked, self.now())

    def reflect(
        self,
        *,
        dry_run: bool = False,
        should_stop: Callable[[], bool] | None = None,
        thread_id: str = "",
    ) -> ReflectResult:
        """Merge what was said twice, let go of what was replaced or is over, and bring MEMORY.md up to date.

        Logs of conversations that are over their threshold are condensed, and that of *thread_id* whatever
        its size. With *dry_run* nothing is written and no model is asked.
        """
        from scrimshaw.services.observe.run import opener_for
        from scrimshaw.services.reflect.run import rehearse, run

        self._require_set_up("Nothing was merged.")
        target = self._current()
        if dry_run:
            return rehearse(target, self.now())
        opens = opener_for(target.config.settings.reflector_model, self._env)
        with self._logging():
            stops = should_stop or (lambda: False)
            return run(target, self.now(), opens=opens, is_stopped=stops, thread_id=thread_id)

    def consolidate(self, *, dry_run: bool = False, ttl_override: str | None = None) -> ConsolidationResult:
        """Move memories that have expired into the ledger; with *ttl_override* ("24h") all older than that.

        Pinned and important ones stay. What a line says already is not noted again. With *dry_run* they are
        only counted. A memory is found at every moment of it.
        """
        from scrimshaw.services.working.consolidate import consolidate

        self._require_set_up("Nothing was moved.")
        target = self._current()
        if dry_run:
            return consolidate(target, self._working(), self.now(), dry_run=True, ttl_override=ttl_override)
        with self._logging():
            return consolidate(target, self._working(), self.now(), ttl_override=ttl_override)

    def plan_forget(
        self,
        words: str = "",
        *,
        session: str = "",
        before: When | None = None,
        all_lines: bool = False,
        dry_run: bool = False,
    ) -> ForgetPlan:
        """Return what would go with a line (words of it, or its id), a conversation, or all before some time.

        With *all_lines* every line that has the words. What a hand did to the section is taken first, but
        with *dry_run*: that writes nothing at all.
        """
        from scrimshaw.services.edit.forget import look_ahead, read_wish

        self._require_set_up("Nothing was forgotten.")
        at = self.now()
        wish = read_wish(words, session, _said(before), at, self._target.zone, is_every=all_lines)
        with self._logging():
            return look_ahead(self._target, wish, now=at, by=self.author, dry_run=dry_run)

    def forget(self, plan: ForgetPlan) -> ForgetResult:
        """Forget what *plan* shows, for good: ledger, section, dated files, archives, index and backups.

        Raises UserError, with nothing forgotten, when that has changed since it was planned.
        """
        from scrimshaw.services.edit.forget import check_agent_may, forget

        self._check_open()
        check_agent_may(plan, self.author)
        with self._logging():
            return forget(plan, now=self.now(), by=self.author.value)

    def undo(self, revision: int | None = None, *, dry_run: bool = False) -> UndoResult:
        """Take back what a revision of the section brought; without a number the newest that still counts."""
        from scrimshaw.services.edit.author import check_may_undo
        from scrimshaw.services.edit.undo import rehearse, run

        if not dry_run:
            check_may_undo(self._env)
        self._require_set_up("Nothing was undone.")
        if dry_run:
            return rehearse(self._target, self.now(), revision)
        with self._logging():
            return run(self._target, self.now(), revision)

    def review(self, *, decide: bool = True) -> AbstractContextManager[ReviewQueue]:
        """Open the proposals that were refused, or wait for the person: accept, edit or reject them.

        Each decision is kept at once; `finish` of the queue brings MEMORY.md up to date. The queue belongs to
        the thread that opened it. An agent's shell may only look: without *decide*.
        """
        from scrimshaw.services.edit.author import check_may_decide
        from scrimshaw.services.edit.review import reviewing

        if decide:
            check_may_decide(self._env)

        self._require_set_up("Nothing was decided.")
        return _both(self._logging(), reviewing(self._target, self.now()))

    # -- reading: no lock is taken, nothing is written -------------------------------------------------

    def search(
        self,
        query: str,
        *,
        mode: SearchMode | str = "hybrid",
        limit: int = 10,
        kinds: Iterable[Kind | str] = (),
        since: When | None = None,
        until: When | None = None,
        closed: bool = False,
        min_score: float = 0.0,
        rerank: bool = False,
        transcripts: bool = False,
        layers: Iterable[LayerName | str] = ("working", "episodic"),
    ) -> SearchResult:
        """Return what answers *query*, best first, with where each stands; nothing when nothing does.

        *layers*: "working", what programs stored lately, and "episodic", the ledger's lines; `results` are
        those of both in one order, `hits` the lines. *mode* is "lexical", "semantic" or "hybrid". With
        *closed* also what is only near, was withdrawn, merged or taken out; with *rerank* a local model reads
        the best lines once more; with *transcripts* the messages themselves are searched, too. What was found
        is not noted as recalled: `record_recall` does that.
        """
        from scrimshaw.core.search.layers import LayerName
        from scrimshaw.services.search.log import Scope, search, search_again

        self._require_set_up("Nothing was searched.")
        wish = self._query(query, mode, limit, kinds, since, until, closed, min_score, rerank)
        wanted = frozenset(map(LayerName, layers))
        is_there = LayerName.WORKING in wanted and self._target.layout.working.exists()
        scope = Scope(wanted, self._working() if is_there else None, transcripts)
        if self._asks_once:
            return search(self._target, wish, self.now(), scope)
        with self._lock:
            found, self._recall = search_again(self._target, wish, self.now(), self._recall, scope)
            return found

    def recall(self, query: str, k: int = 10) -> SearchResult:
        """Return the *k* best that answer *query*, of both layers, and note that they were asked for.

        A memory that is recalled expires later and gets importance back; a line is kept longer for it.
        """
        found = self.search(query, limit=k)
        self.record_recall(found)
        return found

    def search_messages(
        self,
        query: str,
        *,
        limit: int = 10,
        since: When | None = None,
        until: When | None = None,
        closed: bool = False,
    ) -> FoundMessages:
        """Return the messages of the host's transcripts that answer *query*, and what could not be read."""
        from scrimshaw.services.search.log import search_span
        from scrimshaw.services.search.transcripts import find_messages

        self._require_set_up("Nothing was searched.")
        span = search_span(_said(since), _said(until), self.now(), self._target.zone)
        _check_limit(limit)
        return find_messages(self._current(), query, limit=limit, when=span, has_floor=not closed)

    def record_recall(self, result: SearchResult, *, told: str = "") -> None:
        """Note that the first hits were asked for: they are kept longer for it. Best effort, never waits."""
        from scrimshaw.services.search.log import note_searched

        if result.working_count:
            from scrimshaw.services.working.store import note_used

            note_used(self._working(), self._target.config.settings, result.results, self.now())
        note_searched(self._target, [hit for hit, _ in result.hits], self.now(), told=told)

    def _query(
        self,
        query: str,
        mode: SearchMode | str,
        limit: int,
        kinds: Iterable[Kind | str],
        since: When | None,
        until: When | None,
        closed: bool,
        min_score: float,
        rerank: bool,
    ) -> SearchQuery:
        from scrimshaw.core.types import Kind
        from scrimshaw.services.search.log import search_span
        from scrimshaw.services.search.search import SearchMode, SearchQuery

        _check_limit(limit)
        return SearchQuery(
            query,
            SearchMode(mode),
            limit,
            tuple(map(Kind, kinds)),
            search_span(_said(since), _said(until), self.now(), self._target.zone),
            min_score,
            closed,
            rerank,
            has_floor=not closed,
        )

    def timeline(self, *, since: When | None = None, until: When | None = None, limit: int = 500) -> Timeline:
        """Return what was noted, by when it was said; without times the last fourteen days."""
        from scrimshaw.services.history.revisions import timeline

        self._require_set_up("Nothing was shown.")
        return timeline(self._target, self.now(), since=_said(since), until=_said(until), limit=limit)

    def as_of(self, when: When) -> SectionAsOf:
        """Return the section exactly as the agent saw it then; a day means its end."""
        from scrimshaw.services.history.revisions import section_as_of

        self._require_set_up("Nothing was shown.")
        return section_as_of(self._target, _said(when) or "", self.now())

    def known_at(self, when: When, query: str, *, limit: int = 10) -> KnownAt:
        """Return what had been said by then and answers *query*, also if it was noted later."""
        from scrimshaw.services.history.revisions import answers_at

        self._require_set_up("Nothing was shown.")
        return answers_at(self._target, _said(when) or "", query, limit, self.now())

    def log(self, limit: int = 20) -> RevisionLog:
        """Return the newest revisions of the section, the newest first."""
        from scrimshaw.services.history.revisions import log

        self._require_set_up("Nothing was shown.")
        return log(self._target, limit)

    def diff(self, first: int | When | None = None, second: int | When | None = None) -> SectionDiff:
        """Return what the newest revision changed, what *first* did, or what differs between two.

        Each is a revision's number, or a time at which it stood.
        """
        from scrimshaw.services.history.revisions import diff

        self._require_set_up("Nothing was shown.")
        said = [_number_or_time(one) for one in (first, second) if one is not None]
        return diff(self._target, said, self.now())

    def why(self, line: str) -> LineProvenance:
        """Return what the line that *line* names rests on: messages, run, checks, and what became of it."""
        from scrimshaw.services.history.provenance import why

        self._require_set_up("Nothing was shown.")
        return why(self._current(), line)

    def status(self) -> WorkspaceStatus:
        """Return sources, backlog, the section against its budget, the last run, and what is wrong."""
        from scrimshaw.services.status.status import look

        return look(self._current(), self.now(), self._env)

    def spend(self, since: date | None = None) -> SpendReport:
        """Return what models have cost since a day (else thirty days), and what the caps leave."""
        from scrimshaw.services.models.spending import spend

        moment = self.now()
        return spend(self._current(), moment, since or moment.date() - timedelta(days=_SPEND_DAYS))

    def test_model(self, name: str) -> Tried:
        """Send a few invented lines to the model *name*, and return what came of it."""
        from scrimshaw.models.opening import opener
        from scrimshaw.services.models.try_model import ask_model

        return ask_model(self._target, name, now=self.now(), opens=opener(self._env))

    def waiting_tokens(self) -> int:
        """Return about how many tokens of conversation wait to be observed; 0 when that cannot be told."""
        from scrimshaw.services.status.backlog import waiting_tokens

        return waiting_tokens(self._target, self.now())

    def forecast(self) -> Forecast | None:
        """Return what a day would take of a model, from the last days' talk; None when there was none."""
        from scrimshaw.services.models.forecast import forecast_of

        return forecast_of(self._current(), self.now())

    def doctor(self, *, fix: bool = False) -> Examination:
        """Look over the machine, the host and this workspace; with *fix* mend what is safe to mend first."""
        from scrimshaw.doctor import examine, mend

        self._check_open()
        return (mend if fix else examine)(self._wanted(), self._env, self.now())

    # -- carrying --------------------------------------------------------------------------------------

    def export(
        self,
        path: str | Path,
        *,
        since: When | None = None,
        until: When | None = None,
        replace_file: bool = False,
        on_progress: Callable[[int, int], None] | None = None,
    ) -> ExportResult:
        """Write the memory, or some days of it, to a portable `.mv2` file.

        *on_progress* is told how many parts are written, of how many.
        """
        from scrimshaw.services.archive.export import ExportRequest, export, span_of

        self._require_set_up("Nothing was exported.")
        moment, zone = self.now(), self._target.zone
        begin, end = (
            span_of(_said(since), "--from", moment, zone),
            span_of(_said(until), "--to", moment, zone),
        )
        wish = ExportRequest(Path(path), begin and begin.start, end and end.end, replace_file)
        with self._logging():
            return export(self._target, wish, moment, on_frame=on_progress or (lambda _done, _of: None))

    def import_(self, *paths: str | Path, dry_run: bool = False, at_once: bool = False) -> ImportResult:
        """Take over what archives hold: an export, another machine's archive, any program's memvid file."""
        from scrimshaw.services.archive.import_ import ImportRequest, import_archives
        from scrimshaw.services.edit.author import check_may_import

        check_may_import(self._env)
        self._require_set_up("Nothing was imported.")
        wish = ImportRequest(tuple(map(Path, paths)), writes=not dry_run, is_now=at_once)
        with self._logging():
            return import_archives(self._target, wish, self.now())

    def import_cortex(
        self, path: str | Path, *, dry_run: bool = False, moves_old: bool = False
    ) -> CortexResult:
        """Take over an older program's SQLite file: memories, knowledge, conversations, users; once each.

        With *moves_old* what has expired by then goes on into the ledger. A broken file is refused whole.
        """
        from scrimshaw.services.edit.author import check_may_import
        from scrimshaw.services.working.cortex import import_cortex

        check_may_import(self._env)
        self._require_set_up("Nothing was imported.")
        with self._logging():
            return import_cortex(
                self._target, self._working(), Path(path), self.now(), dry_run=dry_run, moves_old=moves_old
            )

    def archive(self, how: Literal["archive", "check", "rebuild"] = "archive") -> ArchiveResult:
        """Bring the `.mv2` archives up to date, only check that they are intact, or make them anew."""
        from scrimshaw.services.archive.write import run

        if how not in ("archive", "check", "rebuild"):
            raise ValueError(f"how: {how!r} is not one of archive, check, rebuild")
        self._require_set_up("Nothing was archived.")
        return run(self._target, self.now(), how)

    def reindex(
        self,
        *,
        keep_vectors: bool = False,
        on_words: Callable[[int], None] | None = None,
        on_vectors: Callable[[int, int], None] | None = None,
    ) -> ReindexResult:
        """Make the search index anew from the ledger; the callbacks are told how many lines are done."""
        from scrimshaw.services.search.index import reindex

        self._require_set_up("Nothing was indexed.")
        with self._lock:
            self._recall = None  # of the index that goes
            return reindex(
                self._target,
                self.now(),
                keeps_vectors=keep_vectors,
                on_words=on_words or (lambda _words: None),
                on_vectors=on_vectors or (lambda _made, _of: None),
            )

    # -- what calls have in common ---------------------------------------------------------------------

    def _working(self) -> WorkingLayer:
        """Return the working layer, opened, and made where it is missing."""
        from scrimshaw.services.working.layer import WorkingLayer

        with self._lock:
            if self._layer is None:
                self._layer = WorkingLayer(self._target.layout, self._target.config.settings)
                if not self._asks_once:
                    self._layer.catch_up()
            return self._layer

    def _current(self) -> Target:
        """Return the workspace as it is now: a store may have appeared, a setting changed."""
        self._check_open()
        if not self._is_fresh:
            self.refresh()
        self._is_fresh = False
        return self._target

    def _wanted(self) -> Wanted:
        """Return what finds this workspace again, as it is by then."""
        first = self._target.agents[0]
        return Wanted(self.workspace, None, None if first.home else first.state_dir, first.home)

    def _check_open(self) -> None:
        if self._is_closed:
            raise UserError(f"{self!r} is closed.", next_step="open it again: Memory.open(…)")

    def _logging(self) -> AbstractContextManager[None]:
        from scrimshaw.logs import logging_to

        return logging_to(self._target.layout)

    def _require_set_up(self, undone: str) -> None:
        self._check_open()
        if not self.is_set_up:
            raise UserError(
                f"{self.workspace}: Scrimshaw is not set up here, so there is nothing to show "
                f"or change. {undone}",
                next_step=self._setting_up(),
            )

    def _require_consent(self) -> None:
        if not self.is_set_up:
            raise UserError(
                f"{self.workspace}: Scrimshaw has not written here before, and nobody has agreed to it. "
                "Nothing was written.",
                next_step=f"look first with: scrimshaw preview; agree with: {self._setting_up()} --yes, or "
                "observe(consent=True)",
            )

    def _require_consent_of(self, by: Author) -> None:
        """Raise UserError where the owner has not agreed to writing yet (rule 12)."""
        from scrimshaw.core.types import Author

        if self.is_set_up:
            return
        step = f"{self._setting_up()} (it shows what it would write, and asks); then this again"
        raise UserError(
            f"{self.workspace}: Scrimshaw has not written here before. Nothing was noted.",
            next_step=step if by is Author.PERSON else f"ask the person to run this once: {step}",
        )

    def _setting_up(self) -> str:
        from scrimshaw.setup.receipt import setting_up

        return setting_up(self._env, self._target.agents[0].state_dir)


def _wanted(
    workspace: str | Path | None,
    agent: str | None,
    state_dir: str | Path | None,
    home: str | Path | None,
) -> Wanted:
    places = [Path(place) if place else None for place in (workspace, state_dir, home)]
    return Wanted(places[0], agent, *places[1:])


def _said(when: When | None) -> str | None:
    """Return a time as somebody would type it; a datetime without a zone is in the workspace's."""
    return when.isoformat() if isinstance(when, date) else when


def _check_limit(limit: int) -> None:
    if limit < 1:
        raise ValueError(f"limit: {limit} is not at least 1")


def _number_or_time(said: int | When) -> str:
    return str(said) if isinstance(said, int) else _said(said) or ""


def _callbacks(
    on_progress: Callable[[Progress], None] | None, should_stop: Callable[[], bool] | None
) -> dict[str, Any]:
    told: dict[str, Any] = {}
    if should_stop:
        told["is_interrupted"] = should_stop
    if on_progress:
        read = 0

        def on_read(more: int) -> None:
            nonlocal read
            read += more
            on_progress(Progress(read))

        told |= {"on_read": on_read, "on_window": lambda done: on_progress(Progress(read, done))}
    return told


@contextmanager
def _both(first: AbstractContextManager[None], second: AbstractContextManager[_T]) -> Iterator[_T]:
    with first, second as opened:
        yield opened
