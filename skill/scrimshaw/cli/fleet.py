"""The commands `fleet join`, `leave`, `status`, `sync`, `migrate` and `demo`."""

from __future__ import annotations

from pathlib import Path

import click

from scrimshaw.cli.render import fleet as render
from scrimshaw.cli.support.command import CommandCall, command, print_json, yes
from scrimshaw.errors import Exit

_file = click.option(
    "--address-file",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="A file that holds the address of the server; nobody else may read it.",
)
_variable = click.option(
    "--address-variable", metavar="NAME", default="", help="A variable that holds it, if not SCRIMSHAW_FLEET."
)


@click.group()
def fleet() -> None:
    """Bring agents on many machines together: one memory on PostgreSQL."""


@command()
@_file
@_variable
@click.option("--as", "name", metavar="NAME", default="", help="The agent's name in the fleet.")
@click.option(
    "--kind",
    "kinds",
    multiple=True,
    metavar="KIND",
    help="Conversations whose lines go: direct, group, “own words” …; may be given several times.",
)
@yes
def join(
    call: CommandCall,
    address_file: Path | None,
    address_variable: str,
    name: str,
    kinds: tuple[str, ...],
    yes: bool,
) -> int:
    """Join a fleet: show what would leave this machine, and ask; then sync."""
    call.refuse_agent("An agent's shell cannot join a fleet. Nothing was sent.")
    memory = call.memory("Nothing was sent.")
    shown = memory.plan_fleet(
        address_file=address_file or "", address_variable=address_variable, name=name, kinds=kinds
    )
    call.say(*render.plan_lines(shown))
    if call.wants_json and not yes:
        return call.answer(shown, render.plan_lines)
    if not (yes or call.agrees("Send them?", "Nothing was sent.")):
        return int(Exit.OK)
    return call.answer(memory.join_fleet(shown), render.sync_lines)


@command()
@click.option(
    "--all-machines", is_flag=True, help="Take off what came from other machines of this agent, too."
)
@yes
def leave(call: CommandCall, all_machines: bool, yes: bool) -> int:
    """Leave the fleet: what came from this machine is taken off the server."""
    call.refuse_agent("An agent's shell cannot leave a fleet. Nothing was changed.")
    memory = call.memory("Nothing was changed.")
    whose = "all lines of this agent" if all_machines else "the lines that came from here"
    if not (yes or call.agrees(f"Take {whose} off the server?", "Nothing was changed.")):
        return int(Exit.OK)
    return call.answer(memory.leave_fleet(all_machines=all_machines), render.leave_lines)


@command()
def status(call: CommandCall) -> int:
    """Show how this machine stands to its fleet: what waits, and which machines there are."""
    return call.answer(call.memory("Nothing was shown.").fleet_status(), render.status_lines)


@command()
def sync(call: CommandCall) -> int:
    """Send what is new here, and fetch what is new there; the daemon does it by itself."""
    return call.answer(call.memory("Nothing was sent.").sync_fleet(), render.sync_lines)


@command(where=False)
@_file
@_variable
def migrate(call: CommandCall, address_file: Path | None, address_variable: str) -> None:
    """Make or renew the tables on the server; with an administrator's address."""
    call.refuse_agent("An agent's shell cannot change a server. Nothing was changed.")
    from scrimshaw.services.fleet.join import migrate_server

    done, left = migrate_server(address_file, address_variable, call.env)
    if call.wants_json:
        print_json({"done": done, "left_out": left}, Exit.OK)
        return
    call.say(*render.migrated_lines(done, left))


@command(where=False, as_json=False)
def demo(call: CommandCall) -> None:
    """Play a fleet on this machine: three machines and a server in temporary folders, then gone."""
    call.refuse_agent("An agent's shell cannot start a server. Nothing was done.")
    from scrimshaw.memory.fleet_demo import play

    for line in play():
        call.say(line)


for _one in (join, leave, status, sync, migrate, demo):
    fleet.add_command(_one)
