"""What every command shares: its options, and the `CommandCall` it gets: about whom, and how to answer."""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from functools import partial, wraps
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple, Protocol, TypeVar

import click

from scrimshaw.cli.support.terminal import put, tell
from scrimshaw.clock import now
from scrimshaw.errors import Exit, UserError, name_arguments, refused_error
from scrimshaw.memory import Memories, Memory
from scrimshaw.services.edit.author import is_agents_shell
from scrimshaw.workspace import Target, Wanted, one_of

FOLDER = click.Path(file_okay=True, path_type=Path)
REFUSED = {"outcome": "refused"}
OWN_TERMINAL = "ask the person to run it in their own terminal"
NOT_SET_UP = "Scrimshaw has not written in any of these workspaces yet, so "
# A line pasted from the section begins with a list mark, which click takes for an option. There is no option
# of one letter: click would find it in any word of such a line.
_PASTABLE = {"ignore_unknown_options": True, "help_option_names": ["--help"]}
_OPTION = re.compile(r"--?[A-Za-z]")

T = TypeVar("T")
R = TypeVar("R", bound="CommandResult")


class WorkspaceBound(Protocol):
    """A memory, or a result of one."""

    @property
    def agent(self) -> str:
        """The agent that the memory is named after."""

    @property
    def workspace(self) -> Path:
        """The agent's folder."""


class CommandResult(Protocol):
    """What a service returns."""

    @property
    def exit_code(self) -> Exit:
        """What the command ends with."""

    def to_dict(self) -> dict[str, Any]:
        """Return it as JSON holds it."""


class DefectGuard(Protocol):
    """What returns what *work* returns, and raises a defect in it as a UserError (`cli.guarded`)."""

    def __call__(self, work: Callable[[], T], /) -> T:
        """Do *work*."""
        ...


def unguarded(work: Callable[[], T]) -> T:
    """Return what *work* returns, where no outermost frame has called: a defect goes its way."""
    return work()


class CommandCall(NamedTuple):
    """One call of a command. With --json nothing but one object is printed."""

    wanted: Wanted
    wants_json: bool = False
    env: Mapping[str, str] = os.environ
    guard: DefectGuard = unguarded

    @property
    def now(self) -> datetime:
        return now(self.env)

    @property
    def is_agents(self) -> bool:
        """Whether a host has opened this shell for its agent (`exec`), and not the person for themselves."""
        return is_agents_shell(self.env)

    @property
    def is_at_terminal(self) -> bool:
        """Whether a person can be asked one question after another."""
        return sys.stdin.isatty() and sys.stdout.isatty() and not (self.wants_json or self.is_agents)

    def memory(self, undone: str, *, asks_once: bool = False, makes: bool = False) -> Memory:
        """Return the one memory that is meant; *undone*, for an error: "Nothing was forgotten.".

        With *makes* an agent that --home and --agent name is made on first use.
        """
        if makes and self.wanted.home and self.wanted.agent:
            return Memory.open(home=self.wanted.home, agent=self.wanted.agent, env=self.env)
        return Memory(one_of(self.wanted, self.env, undone=undone), env=self.env, asks_once=asks_once)

    def memories(self) -> Memories:
        """Return every memory that is meant."""
        return Memory.discover(
            self.wanted.workspace,
            agent=self.wanted.agent,
            home=self.wanted.home,
            state_dir=self.wanted.state_dir,
            env=self.env,
        )

    def set_up(self, otherwise: str, next_step: str = "set one up first: scrimshaw init") -> Memories:
        """Return those of them that are set up; raise UserError with *otherwise* when none is."""
        found = self.memories()
        there = Memories(memory for memory in found if memory.is_set_up)
        if not there:
            raise next(iter(found.errors), UserError(otherwise, next_step=next_step))
        there.notes, there.errors = found.notes, found.errors
        return there

    def meant(self, all_agents: bool, verb: str, undone: str, *, asks_once: bool = False) -> Memories:
        """Return the one memory that is meant or, with *all_agents*, each that is set up."""
        if all_agents:
            return self.set_up(
                f"Scrimshaw is not set up for any agent yet, so there is nothing to {verb}.", "scrimshaw init"
            )
        return Memories([self.memory(undone, asks_once=asks_once)])

    def fleet_memory(self, undone: str) -> Memory:
        """Return the one memory that is meant, for looking at its fleet; refuses an agent's shell."""
        self.refuse_agent(f"An agent's shell cannot read what other agents have noted. {undone}")
        return self.memory(undone)

    def setting_up(self, target: Target) -> str:
        """Return the command that sets *target* up."""
        from scrimshaw.setup.receipt import setting_up  # only where it is needed

        return setting_up(self.env, target.agents[0].state_dir)

    def refuse_agent(self, problem: str, next_step: str = OWN_TERMINAL) -> None:
        """Raise UserError in an agent's shell."""
        if self.is_agents:
            raise refused_error(problem, next_step=next_step)

    def agrees(
        self, question: str, undone: str, next_step: str = "the same with --yes", code: Exit = Exit.MENDABLE
    ) -> bool:
        """Ask the person, and after a no say *undone*; raises UserError where nobody can be asked."""
        if self.wants_json or not sys.stdin.isatty():
            raise UserError(f"There is no terminal to ask on. {undone}", next_step=next_step, exit_code=code)
        agreed = click.confirm(question, default=False)
        if not agreed:
            self.say(undone)
        return agreed

    def say(self, *lines: str) -> None:
        """Print *lines* for a person."""
        if not self.wants_json:
            tell(*lines)

    def answer(self, result: R, lines_of: Callable[[R], Iterable[str]]) -> int:
        """Print *result*, as an object or as *lines_of* words it, and return its exit code."""
        if self.wants_json:
            print_json(result.to_dict(), result.exit_code)
        else:
            self.say(*lines_of(result))
        return int(result.exit_code)

    def answer_each(
        self,
        results: Sequence[R],
        lines_of: Callable[[R], Iterable[str]],
        code: Exit,
        *,
        is_list: bool = False,
        failures: Iterable[Mapping[str, Any]] = (),
        notes: Sequence[str] = (),
        ends: Exit | None = None,
    ) -> int:
        """Print *results*, each with *code*, and return it, or what the whole *ends* with.

        One is an object of its own unless *is_list* or something else is told; several are a list.
        """
        ends = code if ends is None else ends
        if self.wants_json:
            told: list[Mapping[str, Any]] = [{**one.to_dict(), "exit_code": int(code)} for one in results]
            told += failures
            is_one = len(told) == 1 and not (is_list or notes)
            whole = {"workspaces": told, **({"notes": list(notes)} if notes else {})}
            print_json(told[0] if is_one else whole, ends)
        self.say(*(line for one in results for line in lines_of(one)), *notes)
        return int(ends)

    def answer_all(
        self, results: Iterable[CommandResult | Mapping[str, Any]], notes: Iterable[str], code: Exit
    ) -> int:
        """Print the object of several workspaces, or the *notes* for a person, and return *code*."""
        if self.wants_json:
            told = [one if isinstance(one, Mapping) else one.to_dict() for one in results]
            print_json({"workspaces": told, "notes": list(notes)}, code)
        else:
            self.say(*notes)
        return int(code)


def command(
    *,
    where: bool = True,
    homes: bool = True,
    as_json: bool = True,
    error_object: Mapping[str, Any] = MappingProxyType({}),
    pastable: bool = False,
    **attributes: Any,  # noqa: ANN401  # click's
) -> Callable[[Callable[..., int | None]], Any]:
    """Make a command of a function of a `CommandCall` and its own options.

    *where* adds --workspace, --agent, --state-dir and --home before them (the last not without *homes*),
    *as_json* --json behind. With --json an error is printed as *error_object* and what it says. A *pastable*
    command takes a line of the section.
    """
    if pastable:
        attributes["context_settings"] = _PASTABLE

    def made(function: Callable[..., int | None]) -> click.Command:
        @wraps(function)
        def callback(**asked: Any) -> int | None:  # noqa: ANN401  # click's options
            wanted = Wanted(*(asked.pop(name, None) for name in Wanted._fields))
            context = click.get_current_context()
            # click hands on what `cli.main` has called it with
            call = CommandCall(wanted, asked.pop("wants_json", False), guard=context.obj or unguarded)
            try:
                return call.guard(partial(function, call, **asked))
            except UserError as error:
                name_arguments(error, _typed_names(context.command))
                if call.wants_json:
                    return print_error(error, error_object)
                # The problems may quote the memory; the next step says again about whom it is.
                tell(*error.problems, is_error=True, repeats=False)
                if error.next_step:
                    tell(f"Next: {error.next_step}", is_error=True)
                return int(error.exit_code)

        own = getattr(function, "__click_params__", [])
        own = [*_JSON[: int(as_json)], *own, *(_WHERE[int(not homes) :] if where else ())]
        callback.__click_params__ = own  # type: ignore[attr-defined]  # click's own way, the last one first
        finished: click.Command = click.command(**attributes)(callback)
        return finished

    return made


def _typed_names(verb: click.Command) -> dict[str, str]:
    """Return how a person types what Python calls by name: `since` is `--from`, `date` is `DATE`."""
    return {
        one.name: max(one.opts, key=len) if isinstance(one, click.Option) else one.human_readable_name
        for one in verb.params
        if one.name
    }


_WHERE = (
    click.Option(
        ["--home"],
        type=FOLDER,
        metavar="FOLDER",
        help="A folder of agents that programs made, not OpenClaw's.",
    ),
    click.Option(
        ["--state-dir"], type=FOLDER, metavar="FOLDER", help="OpenClaw's state folder, if not ~/.openclaw."
    ),
    click.Option(["--agent"], metavar="ID", help="Only this agent."),
    click.Option(["--workspace"], type=FOLDER, metavar="FOLDER", help="Only this agent's workspace."),
)
_JSON = (
    click.Option(["--json", "wants_json"], is_flag=True, help="Print one JSON object and nothing else."),
)

yes = click.option("--yes", is_flag=True, help="Write without asking first.")
write_now = click.option(
    "--now", "is_now", is_flag=True, help="Write MEMORY.md even in the middle of a conversation."
)


def pasted(text: str) -> str:
    """Return *text* as typed; an option that there is none of is no text."""
    if _OPTION.match(text):
        raise click.NoSuchOption(text.split()[0])
    return text


def head_dict(about: WorkspaceBound) -> dict[str, str]:
    """Return what an object about a workspace begins with."""
    return {"agent": about.agent, "workspace": str(about.workspace)}


def head(about: WorkspaceBound) -> str:
    """Return what is printed above what is about a workspace."""
    return f"{about.agent}  {about.workspace}"


def error_dict(error: UserError) -> dict[str, Any]:
    """Return what *error* says as JSON holds it."""
    return {"error": list(error.problems), "next_step": error.next_step}


def print_error(error: UserError, first: Mapping[str, Any]) -> int:
    """Print *error* as an object and return its exit code."""
    print_json({**first, **error_dict(error)}, error.exit_code)
    return int(error.exit_code)


def print_json(told: Mapping[str, Any], code: Exit) -> None:
    """Print the one object of a command that ends with *code*, which stands in it, too."""
    put(json.dumps({**told, "exit_code": int(code)}))
