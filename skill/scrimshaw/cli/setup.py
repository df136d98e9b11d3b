"""The commands that set up and take away: `init`, `install` and `uninstall`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import click

from scrimshaw.cli.support.command import CommandCall, command, yes

if TYPE_CHECKING:
    from scrimshaw.setup.changes import KeepFresh
    from scrimshaw.setup.plugin import PluginParts


@command()
@yes
@click.option(
    "--model",
    metavar="NAME",
    help="Let this model write the notes; this is your consent to send it conversations. offline: none.",
)
def init(call: CommandCall, yes: bool, model: str | None) -> int:
    """Set up a workspace after showing what would be written, and choose who writes the notes."""
    from scrimshaw.cli.dialogues.init import set_up

    return set_up(call, model, yes=yes)


@command(homes=False, as_json=False)
@yes
@click.option("--dry-run", is_flag=True, help="List every change; make none.")
@click.option(
    "--keep-fresh",
    type=click.Choice(["service", "cron", "none"]),
    help="What keeps the memory current. Default: the service; without systemd, the host's cron.",
)
@click.option(
    "--plugin",
    type=click.Choice(["tools", "tools+prompt"]),
    help="Give the agent native tools by a plug-in; +prompt: it may add to private prompts, too.",
)
@click.option("--no-hook", is_flag=True, help="Install no hook into OpenClaw.")
@click.option("--no-agents-md", is_flag=True, help="Add nothing to AGENTS.md.")
def install(
    call: CommandCall,
    yes: bool,
    dry_run: bool,
    keep_fresh: KeepFresh | None,
    plugin: PluginParts | None,
    no_hook: bool,
    no_agents_md: bool,
) -> int:
    """Set Scrimshaw up in OpenClaw after listing every change; then check everything."""
    from scrimshaw.cli.dialogues.install import install as carry_out
    from scrimshaw.setup.install_plan import InstallOptions

    if plugin:
        from scrimshaw.web import require_extra  # the plug-in asks a server

        require_extra()
    asked = InstallOptions(call.wanted, keep_fresh, not no_hook, not no_agents_md, plugin)
    return carry_out(call, asked, yes=yes, dry_run=dry_run)


@command(homes=False, as_json=False)
@yes
@click.option("--dry-run", is_flag=True, help="List every change; make none.")
@click.option(
    "--section",
    type=click.Choice(["keep", "remove"]),
    help="What to do with the section in MEMORY.md. Default: keep.",
)
@click.option(
    "--data", type=click.Choice(["keep", "delete"]), help="What to do with the memory itself. Default: keep."
)
def uninstall(
    call: CommandCall,
    yes: bool,
    dry_run: bool,
    section: Literal["keep", "remove"] | None,
    data: Literal["keep", "delete"] | None,
) -> int:
    """Remove what install put in place. The section and the memory are kept unless you say otherwise."""
    from scrimshaw.cli.dialogues.install import uninstall as carry_out

    return carry_out(call, section, data, yes=yes, dry_run=dry_run)
