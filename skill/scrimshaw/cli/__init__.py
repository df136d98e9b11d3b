"""The command `scrimshaw`: a thin shell, one small module a verb, each imported only when called.

This is the outermost frame: expected errors are printed as sentences with the next step, and a defect
is caught here once, named as one, and written to a file (never with transcript text on the terminal).
"""

from __future__ import annotations

import importlib
import sys

import click

from scrimshaw import __version__
from scrimshaw.cli.terminal import tell
from scrimshaw.errors import Exit, UserError

_VERBS = {
    "observe": "read what is new and bring MEMORY.md up to date",
    "status": "show sources, backlog, section size and the last run",
    "init": "set a workspace up, after showing what would be written",
    "preview": "show the section each workspace would get; write nothing",
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
        module = importlib.import_module(f"scrimshaw.cli.{cmd_name.replace('-', '_')}")
        command: click.Command = module.command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        # Without this click would import every verb just to print one line about each.
        with formatter.section("Commands"):
            formatter.write_dl(list(_VERBS.items()))


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
    import tempfile  # only for a defect
    import traceback

    with tempfile.NamedTemporaryFile(
        "w", prefix="scrimshaw-defect-", suffix=".txt", delete=False, encoding="utf-8"
    ) as file:
        # The type and the places, not the message: that may quote what was being read.
        file.write(f"{type(error).__name__}\n{''.join(traceback.format_tb(error.__traceback__))}")
    click.echo(
        f"Scrimshaw met a defect of its own ({type(error).__name__}). What was finished before is kept; "
        f"MEMORY.md is either as it was or complete.\nNext: please report it with {file.name}",
        err=True,
    )
