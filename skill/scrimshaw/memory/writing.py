"""The part of `Memory` that writes: observing, notes by hand, forgetting, undoing."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal

from scrimshaw.memory.arguments import (
    Progress,
    When,
    check_is,
    check_one_of,
    check_revision,
    check_text,
    one_of_kind,
    typed_time,
)
from scrimshaw.memory.base import OpenedMemory, both

if TYPE_CHECKING:
    from scrimshaw.core.policy.schedule import Due
    from scrimshaw.core.types import Kind
    from scrimshaw.services.edit.add import AddResult
    from scrimshaw.services.edit.forget import ForgetPlan, ForgetResult
    from scrimshaw.services.edit.pin import PinResult
    from scrimshaw.services.edit.review import ReviewQueue
    from scrimshaw.services.edit.reword import RewordedLine
    from scrimshaw.services.edit.undo import UndoResult
    from scrimshaw.services.observe.run import ObserveResult
    from scrimshaw.services.observe.show_request import Showing
    from scrimshaw.services.observe.task import ObserveOptions
    from scrimshaw.services.reflect.run import ReflectResult
    from scrimshaw.sources.reading import SessionState


class MemoryWriting(OpenedMemory):
    """What changes the memory."""

    def is_due(self) -> Due:
        """Return whether enough is waiting to observe, and why or why not; reads no transcript."""
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
        """Read new messages, note what matters, and update MEMORY.md.

        The first run in a workspace writes only with the owner's *consent*. With *dry_run* nothing is written
        and no model is asked. *should_stop* is called between windows, and while waiting for a model: what
        was noted before is kept and written.
        """
        from scrimshaw.services.observe.run import observe
        from scrimshaw.services.observe.task import DEFAULTS, ObserveOptions

        check_is(ObserveOptions, "ObserveOptions", options=DEFAULTS if options is None else options)
        target = self._current()
        if not (dry_run or consent):
            self._require_consent()
        told = replace(options or DEFAULTS, **_callbacks(on_progress, should_stop))
        with nullcontext() if dry_run else self._logging():
            return observe(target, self.now(), told, env=self._env, dry_run=dry_run)

    def asks_model(self, options: ObserveOptions) -> bool:
        """Tell whether a run with *options* asks a model, which takes time and may cost money."""
        from scrimshaw.services.observe.run import asks_model
        from scrimshaw.services.observe.task import ObserveOptions

        check_is(ObserveOptions, "ObserveOptions", options=options)
        return asks_model(self._target, options)

    def ask_daemon(self, seconds: float, *, session: str = "") -> dict[str, Any] | Literal["nobody", "busy"]:
        """Have a running daemon observe; return its answer, or "nobody" or "busy" if the caller has to do it.

        A daemon that has not answered in half of *seconds* is busy. The answer's keys are those of
        services/schedule/ask_daemon.
        """
        from scrimshaw.services.schedule.ask_daemon import ask

        return ask(self._target, self.now(), by="observe", timeout_seconds=seconds, session=session)

    def old_sessions(self, *, undecided: bool = False) -> list[SessionState]:
        """Return the conversations not known to be private, oldest first; they are not read."""
        from scrimshaw.services.observe import old_sessions

        return (old_sessions.undecided if undecided else old_sessions.nameless)(self._target)

    def settle_old_sessions(self, those: list[SessionState], *, are_private: bool) -> None:
        """Store the person's decision on *those*: private and to be read, or never to be read."""
        from scrimshaw.services.observe.old_sessions import remember_decision

        remember_decision(self._target, those, are_private=are_private)

    def next_requests(self, *, session: str = "", waits: bool = True) -> Showing:
        """Return exactly what would be sent to the observer's model next; nothing is sent or written."""
        from scrimshaw.models.opening import opener
        from scrimshaw.services.observe.show_request import show

        return show(self._current(), opener(self._env), self.now(), session=session, waits=waits)

    def preview(self) -> ObserveResult:
        """Return the section that this workspace would get; writes nothing."""
        from scrimshaw.services.observe.run import rehearse
        from scrimshaw.services.observe.task import ObserveOptions

        return rehearse(self._current(), self.now(), ObserveOptions(trigger="preview"))

    def resolve_edits(self, *, accept: bool) -> ObserveResult:
        """Accept or refuse a large change made to the section by hand, and write MEMORY.md."""
        from scrimshaw.services.observe.task import ObserveOptions

        return self.observe(ObserveOptions(edits_are_accepted=accept, edits_are_refused=not accept))

    def add(
        self,
        text: str,
        *,
        kind: Kind | str | None = None,
        importance: Literal["important", "minor"] | None = None,
        author: Literal["person", "agent"] | None = None,
        at_once: bool = False,
    ) -> AddResult:
        """Note *text* as the person's own words, or as the agent's, which its conversations must support.

        *at_once* writes MEMORY.md even during a conversation; otherwise it is written in the next pause.
        """
        from scrimshaw.core.extraction.manual_note import NoteWish
        from scrimshaw.core.types import Author, Kind
        from scrimshaw.services.edit.add import Note, note
        from scrimshaw.services.edit.author import author_of

        self._check_open()
        check_text(text=text)
        check_one_of("important", "minor", importance=importance or "minor")
        check_one_of("person", "agent", author=author or "person")
        by = author_of(author, self._env)
        self._require_consent_of(by)
        wish = Note(
            text, by, NoteWish(one_of_kind(Kind, kind=kind) if kind else None, importance or ""), at_once
        )
        # The evidence for an agent's note may be in a store that did not exist when this was opened.
        target = self._current() if by is Author.AGENT else self._target
        with self._logging():
            return note(target, wish, self.now())

    def pin(self, line: str, *, at_once: bool = False) -> PinResult:
        """Pin the line that *line* identifies: shown first, never merged away.

        *line* is words of it, its id, or the id of the memory that it was in the working layer. What a
        program stored comes into the section by it, so an agent's shell is refused that.
        """
        return self._turn(line, pins=True, at_once=at_once)

    def unpin(self, line: str, *, at_once: bool = False) -> PinResult:
        """Unpin a line, which then may be merged or left out like any other."""
        return self._turn(line, pins=False, at_once=at_once)

    def reword(self, line: str, text: str, *, at_once: bool = False) -> RewordedLine:
        """Replace the line that *line* identifies by *text*, as the person's own words.

        The new line keeps the old one's sources; the old one stays in the ledger, and `undo` restores it.
        """
        from scrimshaw.services.edit.reword import reword

        self._require_person("reword", "Nothing was changed.")
        check_text(text=text)
        with self._logging():
            line = self._named_line(line, is_one=True)
            return reword(self._target, line, text, self.now(), at_once=at_once)

    def _turn(self, line: str, *, pins: bool, at_once: bool) -> PinResult:
        from scrimshaw.services.edit.pin import pin

        self._require_set_up("Nothing was changed.")
        with self._logging():
            line = self._named_line(line, is_one=True)
            return pin(self._target, line, pins=pins, now=self.now(), by=self.author.value, is_now=at_once)

    def reflect(
        self, *, dry_run: bool = False, should_stop: Callable[[], bool] | None = None, thread_id: str = ""
    ) -> ReflectResult:
        """Merge repeated lines, close those that were replaced or are over, and update MEMORY.md.

        Logs of conversations that exceed their limit are condensed, and that of *thread_id* whatever its
        size; raises NotFoundError if it has no messages. With *dry_run* nothing is written and no model is
        asked.
        """
        from scrimshaw.services.observe.run import opener_for
        from scrimshaw.services.reflect.run import rehearse, run

        self._require_set_up("Nothing was merged.")
        check_text(thread_id=thread_id)
        if thread_id:
            from scrimshaw.services.conversations.listing import conversation_known

            conversation_known(self._working_layer(), thread_id)
        target = self._current()
        if dry_run:
            return rehearse(target, self.now())
        opens = opener_for(target.config.settings.reflector_model, self._env)
        with self._logging():
            stops = should_stop or (lambda: False)
            return run(target, self.now(), opens=opens, is_stopped=stops, thread_id=thread_id)

    def plan_forget(
        self,
        words: str = "",
        *,
        session: str = "",
        before: When | None = None,
        all_lines: bool = False,
        dry_run: bool = False,
    ) -> ForgetPlan:
        """Return what would go with a line (words of it, or its id), a conversation, or all before a time.

        The id of a memory names it in either layer.
        With *all_lines* every line with these words. Changes made to the section by hand are taken in first,
        except with *dry_run*, which writes nothing at all.
        """
        from scrimshaw.services.edit.forget import look_ahead, read_wish

        self._require_set_up("Nothing was forgotten.")
        check_text(words=words, session=session)
        at = self.now()
        wish = read_wish(words, session, typed_time(before), at, self._target.zone, is_every=all_lines)
        with nullcontext() if dry_run else self._logging():
            return look_ahead(self._target, wish, now=at, by=self.author, dry_run=dry_run)

    def forget(self, plan: ForgetPlan) -> ForgetResult:
        """Forget what *plan* lists, for good: ledger, section, dated files, archives, index and backups.

        What the home's agent `shared` keeps of it as a common pattern is forgotten before that. Raises
        UserError, with nothing of this agent's own forgotten, if the plan is out of date.
        """
        from scrimshaw.services.edit.forget import ForgetPlan, check_agent_may, check_is_as_shown, forget
        from scrimshaw.services.working.patterns import forgetting_patterns

        self._check_open()
        check_is(ForgetPlan, "what plan_forget returned", plan=plan)
        check_agent_may(plan, self.author)
        with forgetting_patterns(self._target, [one for one, _ in plan.lines]) as kept:
            if kept and (shared := self._for_all()) is not None:
                check_is_as_shown(plan)
                gone: set[str] = set()
                for one in kept:
                    if one not in gone:  # several lines may be forgotten together
                        gone |= (there := shared.plan_forget(one)).ids
                        shared.forget(there)
        with self._logging():
            return forget(plan, now=self.now(), by=self.author.value)

    def undo(self, revision: int | None = None, *, dry_run: bool = False) -> UndoResult:
        """Undo a revision of the section; without a number the newest that is still in force."""
        from scrimshaw.services.edit.author import check_may_undo
        from scrimshaw.services.edit.undo import rehearse, run

        check_revision(revision)
        if not dry_run:
            check_may_undo(self._env)
        self._require_set_up("Nothing was undone.")
        if dry_run:
            return rehearse(self._target, self.now(), revision)
        with self._logging():
            return run(self._target, self.now(), revision)

    def review(self, *, decide: bool = True) -> AbstractContextManager[ReviewQueue]:
        """Open the proposals that were refused or wait for the person, to accept, edit or reject them.

        Each decision is stored at once; the queue's `finish` updates MEMORY.md. The queue belongs to
        the thread that opened it. An agent's shell may only look: without *decide*.
        """
        from scrimshaw.services.edit.author import check_may_decide
        from scrimshaw.services.edit.review import reviewing

        if decide:
            check_may_decide(self._env)
        self._require_set_up("Nothing was decided.")
        if not decide:
            return reviewing(self._target, self.now(), decides=False)
        return both(self._logging(), reviewing(self._target, self.now()))


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
