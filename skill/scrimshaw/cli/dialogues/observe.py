"""A run of `observe`, and what may have to be asked first: may it write here, what were old conversations."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from math import inf
from time import monotonic
from typing import TYPE_CHECKING, Literal, NamedTuple

import click

from scrimshaw.cli.render.run_report import diff, report_lines
from scrimshaw.cli.support.command import CommandCall, head
from scrimshaw.cli.support.consent import agrees, settle_old_sessions
from scrimshaw.cli.support.each import for_each
from scrimshaw.cli.support.progress import interruptible, observed
from scrimshaw.cli.support.terminal import as_said
from scrimshaw.errors import Exit, UserError
from scrimshaw.memory import Memory
from scrimshaw.services.observe.task import ObserveOptions, time_limit
from scrimshaw.workspace import own_folder

if TYPE_CHECKING:
    from scrimshaw.services.observe.run import ObserveResult
    from scrimshaw.setup.choosing import ChosenModel

# How much of the time may go to other conversations, when one was asked for: its host waits meanwhile.
_REST_SHARE = 0.25
_READING_SHARE = 0.8  # … and for everything: what is noted by then is still to be written


class Way(NamedTuple):
    """How a run goes."""

    options: ObserveOptions = ObserveOptions()
    dry_run: bool = False
    if_due: bool = False
    yes: bool = False
    daemon_seconds: float = 0.0  # how long a daemon and we have for it; 0: it is done here, without haste
    chooses: Callable[[Memory], ChosenModel | None] | None = None  # who notes; asked in a new workspace alone
    old_sessions: Literal["private", "leave", ""] = ""  # what nameless old conversations were

    @property
    def is_about_edits(self) -> bool:
        """Whether it is a word about the section, and not a run for what is new."""
        return self.options.edits_are_accepted or self.options.edits_are_refused


def go(call: CommandCall, way: Way) -> int:
    """Run for every wanted workspace and return the exit code; one that fails does not stop the others."""
    memories = call.memories()
    call.say(*memories.notes)
    done = for_each(call, memories, partial(_run, call, way=way), is_list=call.wants_json)
    code = done.code(memories, (one.exit_code if one else Exit.OK for one in done.results))
    told = [one for one in done.told if one]  # not what was not due
    return call.answer_all(told, memories.notes if call.wants_json else (), code)


def _run(call: CommandCall, memory: Memory, way: Way) -> ObserveResult | None:
    """Run for one workspace; None when it was not due or not agreed to."""
    began = monotonic()
    if way.if_due and memory.is_set_up and not (due := memory.is_due()).is_due:
        call.say(head(memory), f"  Not due: {due.reason}.")
        return None
    options = way.options
    if way.dry_run:
        report = observed(call, memory, options, dry_run=True)
        call.say(*report_lines(report))
        if changes := diff(report.published):
            call.say(f"\n{as_said(changes)}")
        call.say("Nothing was written (--dry-run).")
        return report
    rest_seconds = way.daemon_seconds * _REST_SHARE if options.session and way.daemon_seconds else inf
    if way.daemon_seconds and not options.since and memory.is_set_up:
        match _through_daemon(call, memory, way):
            case "done":
                return None
            case "busy" if options.session:
                rest_seconds = 0.0  # what waits elsewhere is the daemon's
    if not memory.is_set_up:
        if not way.yes and not agrees(call, memory, options):
            return None
        if way.chooses is not None:
            own_folder(memory.target)
            if chosen := way.chooses(memory):
                memory = Memory(chosen.target, env=call.env)
                if chosen.is_ready and not chosen.overruled:
                    # Nothing was removed here yet; and somebody waits for the first section: what the model
                    # cannot do now, the rules do.
                    options = replace(options, brings_back=False, may_wait_for_model=False)
    is_else = way.is_about_edits or way.if_due or way.daemon_seconds
    settle_old_sessions(call, memory, way.old_sessions, may_ask=not (is_else or way.yes))
    reading_seconds = (
        way.daemon_seconds * _READING_SHARE - (monotonic() - began) if way.daemon_seconds else inf
    )
    options = replace(options, is_late=time_limit(rest_seconds), is_out_of_time=time_limit(reading_seconds))
    with interruptible(memory.asks_model(options)) as is_interrupted:
        report = observed(call, memory, options, is_interrupted)
    call.say(*report_lines(report))
    if report.observed.is_interrupted:
        raise click.Abort  # no other workspace is begun
    return report


def _through_daemon(call: CommandCall, memory: Memory, way: Way) -> Literal["done", "busy", "nobody"]:
    """Ask the daemon, if one runs, and tell what it did; raises UserError when it failed."""
    session = way.options.session
    answer = memory.ask_daemon(way.daemon_seconds, session=session)
    if answer == "busy":
        call.say(head(memory), "  The daemon is busy with something else; this is done without it.")
    if isinstance(answer, str):
        return answer
    if code := Exit(answer["exit_code"]):
        problems = answer.get("problems") or ["The daemon has done it, but not everything went well."]
        raise UserError(*problems, next_step=answer.get("next") or "scrimshaw status", exit_code=code)
    call.say(head(memory))
    if session and not answer.get("is_session_known"):
        call.say(f"  No conversation {session} is known here: an ordinary run was made.")
    call.say(f"  Done by the daemon: {answer['noted']} noted, section {answer['section']}.")
    return "done"
