"""The command `scrimshaw`: a thin shell, one small module a verb, each imported only when called.

This is the outermost frame: expected errors are printed as sentences with the next step, and a defect
is caught here once and named as one, by its type and places (never with the text of a transcript).
"""

from __future__ import annotations

import copy
import gc
import importlib
import json
import os
import sys
from keyword import iskeyword

import click

from scrimshaw import __version__
from scrimshaw.cli.terminal import tell
from scrimshaw.errors import Exit, UserError, named

_SELDOM = 50_000  # new objects between two looks for garbage; the daemon keeps the usual number
_VERBS = {
    "install": "put everything in place in OpenClaw: skill, hook, AGENTS.md, service; then look it over",
    "uninstall": "take away what install has put in place, to the byte",
    "doctor": "look everything over, explain what is wrong, and mend what is safe to mend",
    "observe": "read what is new and bring MEMORY.md up to date",
    "run": "follow every conversation and keep MEMORY.md current: the daemon",
    "reflect": "merge what was said twice, let go of what was replaced or is over",
    "status": "show sources, backlog, section size and the last run",
    "init": "set a workspace up, after showing what would be written",
    "preview": "show the section each workspace would get; write nothing",
    "add": "note something by hand: the person's own words, or the agent's through exec",
    "search": "find what was noted, by words and by meaning, and where it stands",
    "reindex": "make the search index anew from the ledger",
    "forget": "take a statement, a conversation or all before a day out of everything, for good",
    "pin": "keep a line: shown first, never merged away",
    "unpin": "let a pinned line take its turn again",
    "log": "show the section's revisions: when, why, by which run, how much changed",
    "diff": "show what one revision changed, or what differs between two",
    "undo": "take back what one revision brought; the undo is a revision, too",
    "as-of": "show the section as it stood at some time, or search what was known then",
    "timeline": "show what was noted, day by day",
    "why": "show what a line rests on: messages, run, model, checks, and what became of it",
    "archive": "bring the .mv2 archives up to date now, look them over, or make them anew",
    "export": "write an agent's memory to one portable file",
    "import": "take over what such a file holds, or a memvid file of another program",
    "models": "show which models could be used and what they would see; try one: models test",
    "review": "look at proposals that were refused, or wait: accept, edit or reject them",
    "spend": "show what models have cost, by day, agent, model and job",
    "service": "run the daemon as a service of your own systemd: install, uninstall, status",
    "config": "show the settings in force and where each comes from",
    "accept-edits": "accept a large change that you made to the section by hand",
    "restore": "put the section back after a large change made by hand",
}


class _Verbs(click.Group):
    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002  # click's signature
        return list(_VERBS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        if cmd_name not in _VERBS:
            return None
        if cmd_name != "run":
            # What is imported stays: looking for garbage in it so often is a tenth of a short command.
            gc.set_threshold(_SELDOM)
        name = cmd_name.replace("-", "_") + ("_" if iskeyword(cmd_name) else "")
        module = importlib.import_module(f"scrimshaw.cli.{name}")
        return _guarded(cmd_name, module.command)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        name, command, words = super().resolve_command(ctx, args)
        # By hand: where any text may be typed, click would find an option of one letter in every word.
        end = words.index("--") if "--" in words else len(words)
        return name, command, ["--help" if word == "-h" else word for word in words[:end]] + words[end:]

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        # Without this click would import every verb just to print one line about each.
        with formatter.section("Commands"):
            formatter.write_dl(list(_VERBS.items()))


def _guarded(verb: str, command: click.Command) -> click.Command:
    """Return *command* such that it begins only where it may answer."""
    runs = command.callback
    assert runs is not None

    def answers(**asked: object) -> object:
        if "OPENCLAW_SHELL" in os.environ:  # else nothing more is loaded
            from scrimshaw.cli.answering import check_asker

            try:
                check_asker(verb, asked, os.environ)
            except UserError as error:
                if not asked.get("wants_json"):
                    raise
                told = {"outcome": "refused", "error": list(error.problems), "next_step": error.next_step}
                click.echo(json.dumps({**told, "exit_code": int(error.exit_code)}))
                return int(error.exit_code)
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
    try:
        outcome = group.main(standalone_mode=False, prog_name="scrimshaw")
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
        sys.stderr.close()  # the reader went away (`scrimshaw status | head`): nothing to say to anybody
        sys.exit(Exit.OK)
    except Exception as error:  # noqa: BLE001  # the outermost frame: a defect ends here, named as one
        _report(error)
        sys.exit(Exit.DEFECT)
    sys.exit(outcome if isinstance(outcome, int) else Exit.OK)


def _report(error: Exception) -> None:
    click.echo(
        "Scrimshaw met a defect of its own. What was finished before is kept; MEMORY.md is either as it was "
        f"or complete.\nNext: please report this line: {named(error)}",
        err=True,
    )
