"""The command `scrimshaw`: a thin shell, a module a group of verbs, imported only when one is called.

This is the outermost frame: expected errors are printed as sentences with the next step, and a defect
is caught here once and named as one, by its type and places (never with the text of a transcript). What
catches it, `guarded`, goes with each call, so that a command for several agents can go on with the others.
"""

from __future__ import annotations

import copy
import gc
import importlib
import os
import sys
from collections.abc import Callable
from keyword import iskeyword
from typing import TYPE_CHECKING, TypeVar

import click

from scrimshaw import __version__
from scrimshaw.cli.support.terminal import CALLED, how_called, tell
from scrimshaw.cli.verbs import COMPLETES, GROUPS, MODULES, VERBS
from scrimshaw.errors import Exit, UserError, named

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

T = TypeVar("T")

_NO_DEFECTS = (
    UserError,
    click.ClickException,
    click.exceptions.Abort,
    click.exceptions.Exit,
    BrokenPipeError,  # the reader went away (`scrimshaw status | head`)
)
_SELDOM = 50_000  # new objects between two looks for garbage; the daemon keeps the usual number


class _Verbs(click.Group):
    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002  # click's signature
        return list(VERBS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        if cmd_name not in VERBS:
            return None
        if cmd_name != "run":
            # What is imported stays: looking for garbage in it so often is a tenth of a short command.
            gc.set_threshold(_SELDOM)
        module = importlib.import_module(f"scrimshaw.cli.{MODULES.get(cmd_name, cmd_name)}")
        name = cmd_name.replace("-", "_") + ("_" if iskeyword(cmd_name) else "")
        return _guarded(cmd_name, getattr(module, name))

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if args[:1] == ["help"]:
            args = [*args[1:2], "--help"]
        try:
            return super().parse_args(ctx, args)
        except click.NoSuchOption as error:
            if not (verb := next((word for word in args if word in VERBS), "")):
                raise
            told = f"{error.option_name} goes behind the command: {verb} {error.option_name} …"
            raise click.UsageError(told, ctx) from None

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        try:
            name, command, words = super().resolve_command(ctx, args)
        except click.UsageError as error:
            from difflib import get_close_matches

            if not (near := get_close_matches(args[0], VERBS, 1)):
                raise
            raise click.UsageError(f"{error.message} Did you mean {near[0]!r}?", ctx) from None
        # By hand: where any text may be typed, click would find an option of one letter in every word.
        end = words.index("--") if "--" in words else len(words)
        return name, command, ["--help" if word == "-h" else word for word in words[:end]] + words[end:]

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:  # noqa: ARG002
        # Without this click would import every verb just to see which begin so.
        from click.shell_completion import CompletionItem

        told = [(name, what) for name, what in VERBS.items() if name.startswith(incomplete)]
        return [CompletionItem(name, help=what) for name, what in told]

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        # Without this click would import every verb just to print one line about each.
        width = max(map(len, VERBS))  # one column throughout
        for title, verbs in GROUPS.items():
            with formatter.section(title):
                formatter.write_dl([(verb.ljust(width), what) for verb, what in verbs.items()])


def _guarded(verb: str, command: click.Command) -> click.Command:
    """Return *command* such that it begins only where it may answer."""
    runs = command.callback
    assert runs is not None

    def answers(**asked: object) -> object:
        if "OPENCLAW_SHELL" in os.environ:  # else nothing more is loaded
            from scrimshaw.cli.support.audience import check_asker

            try:
                check_asker(verb, asked, os.environ)
            except UserError as error:
                if not asked.get("wants_json"):
                    raise
                from scrimshaw.cli.support.command import REFUSED, print_error

                return print_error(error, REFUSED)
        return runs(**asked)

    guarded = copy.copy(command)
    guarded.callback = answers
    return guarded


@click.group(cls=_Verbs, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="scrimshaw")
def group() -> None:
    """Keep the memory of an OpenClaw agent in the `## Observations` section of its MEMORY.md."""


def main() -> None:
    """Run the command line and end the process with one of `errors.Exit`."""
    os.environ.setdefault(CALLED, how_called(os.environ, sys.argv[0]))
    try:
        outcome = guarded(_run_group)
    except click.exceptions.Abort:
        click.echo("\nStopped. What was finished before is kept.", err=True)
        sys.exit(130)
    except click.ClickException as error:
        error.show()
        sys.exit(Exit.USAGE)
    except UserError as error:
        tell(str(error), is_error=True)
        sys.exit(error.exit_code)
    except BrokenPipeError:
        sys.stderr.close()  # nothing to say to anybody
        sys.exit(Exit.OK)
    sys.exit(outcome if isinstance(outcome, int) else Exit.OK)


def _run_group() -> object:
    name = os.environ[CALLED] or "scrimshaw"
    return group.main(standalone_mode=False, prog_name=name, complete_var=COMPLETES, obj=guarded)


def guarded(work: Callable[[], T]) -> T:
    """Return what *work* returns; a defect in it is raised as an error that says so (exit code 70)."""
    try:
        return work()
    except _NO_DEFECTS:
        raise
    except Exception as error:  # the outermost shell: a defect ends here, named as one
        told = "Finished steps are kept; MEMORY.md is either unchanged or complete."
        raise UserError(
            f"This is a defect of Scrimshaw. {told}",
            next_step=f"please report this line: {named(error)}",
            exit_code=Exit.DEFECT,
        ) from error
