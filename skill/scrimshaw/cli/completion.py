"""The command `completion`: what a shell is to run so that it completes our commands and options."""

from __future__ import annotations

import click

from scrimshaw.cli.support.command import CommandCall, command
from scrimshaw.cli.verbs import COMPLETES

_SHELLS = ("bash", "zsh", "fish")
_HOW = """In bash:  echo 'eval "$(scrimshaw completion bash)"' >> ~/.bashrc

In zsh:  echo 'eval "$(scrimshaw completion zsh)"' >> ~/.zshrc

In fish:  scrimshaw completion fish > ~/.config/fish/completions/scrimshaw.fish"""


@command(where=False, as_json=False, epilog=_HOW)
@click.argument("shell", type=click.Choice(_SHELLS))
def completion(call: CommandCall, shell: str) -> None:  # noqa: ARG001  # every command's
    """Print what completes commands and options in SHELL: bash, zsh or fish."""
    from click.shell_completion import get_completion_class

    made = get_completion_class(shell)
    assert made, "click knows these shells"
    # Not `source()`: for bash it starts a shell to see its version.
    asks = made(click.Command("scrimshaw"), {}, "scrimshaw", COMPLETES)
    click.echo(asks.source_template % asks.source_vars())
