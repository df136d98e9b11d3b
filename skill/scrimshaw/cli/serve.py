"""The command `serve`: the server for programs."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

from scrimshaw.cli.support.command import FOLDER, CommandCall, command
from scrimshaw.cli.support.log import log_to_stderr
from scrimshaw.errors import UserError

if TYPE_CHECKING:
    from starlette.types import ASGIApp

    from scrimshaw.web.serving import Listening

_END_SECONDS = 3.0

home_option = click.option(
    "--home", type=FOLDER, metavar="DIR", help="A folder of agents that programs made, not OpenClaw's."
)


@command(where=False, as_json=False)
@home_option
@click.option("--state-dir", type=FOLDER, metavar="FOLDER", help="Only the agents of this OpenClaw.")
@click.option("--host", metavar="ADDRESS", help="Where to listen (127.0.0.1).")
@click.option("--port", type=click.IntRange(0, 65_535), help="At which port (18892); 0 takes a free one.")
@click.option("--socket", "path", type=FOLDER, metavar="PATH", help="Listen on a unix socket instead.")
@click.option("--expose", is_flag=True, help="Let other machines reach it: nothing is encrypted.")
def serve(call: CommandCall, host: str | None, port: int | None, path: Path | None, expose: bool) -> None:
    """Answer programs over HTTP, until stopped."""
    if path is None:
        _check_home(call.wanted.home)
    log_to_stderr()
    listening, app = _ready(call, host, port, path, home_of(call), is_exposed=expose)
    listening.run(app, lambda: click.echo(f"Scrimshaw listens at {listening.told}. End it with Ctrl+C."))


def _check_home(home: Path | None) -> None:
    """Raise UserError for a folder that is not there: it holds no token, so nobody could ask anything.

    On a unix socket the owner's programs need none, and their first store makes the folder.
    """
    if home is not None and not home.expanduser().is_dir():
        raise UserError(
            f"No agent lives in {home}: it is not a folder. Nothing was started.",
            next_step="name the agents' folder; a token makes it: scrimshaw token create --agent ID",
        )


def home_of(call: CommandCall) -> Path | None:
    """Return the folder of agents that the server is about: the one named, else the one that is set."""
    from scrimshaw.config import load

    if call.wanted.home:
        return call.wanted.home
    is_set = load(None, "", call.env).settings.memory_episodic_data_dir
    return Path(is_set).expanduser() if is_set else None


@contextmanager
def serving_beside(call: CommandCall, path: Path | None) -> Iterator[None]:
    """Serve in a thread of this process while the block runs."""
    from threading import Thread

    listening, app = _ready(call, None, None, path, call.wanted.home, is_exposed=False)

    def ready() -> None:
        click.echo(f"Scrimshaw listens at {listening.told}.")

    thread = Thread(target=listening.run, args=(app, ready), name="server", daemon=True)
    thread.start()
    try:
        yield
    finally:
        listening.stop()
        thread.join(_END_SECONDS)


def check_servable(call: CommandCall) -> None:
    """Raise UserError where a service could not serve: the extra is missing, or others could reach it."""
    from scrimshaw.config import load
    from scrimshaw.web import require_extra

    require_extra()
    from scrimshaw.web.serving import Address

    settings = load(None, "", call.env).settings
    if settings.memory_episodic_data_dir:
        raise UserError(
            "The service is of this machine's OpenClaw agents; memory.episodic.data_dir says that the server "
            f"is about {settings.memory_episodic_data_dir}. Nothing was installed.",
            next_step="take that setting out; or write a unit of your own: docs/guide/server.md shows one",
        )
    Address(settings.server_host, settings.server_port).warning(is_exposed=False)


def _ready(
    call: CommandCall,
    host: str | None,
    port: int | None,
    path: Path | None,
    home: Path | None,
    *,
    is_exposed: bool,
) -> tuple[Listening, ASGIApp]:
    """Return the server at its address, else the one that is set; raises UserError where that cannot be."""
    call.refuse_agent("An agent's shell cannot start a server. Nothing was started.")
    from scrimshaw.config import load
    from scrimshaw.web import require_extra

    require_extra()
    from scrimshaw.web.app import make_app
    from scrimshaw.web.serving import Address, Listening

    settings = load(None, "", call.env).settings
    address = Address(host or settings.server_host, settings.server_port if port is None else port, path)
    if warning := address.warning(is_exposed=is_exposed):
        click.echo(f"Warning: {warning}", err=True)
    app = make_app(home, state_dir=call.wanted.state_dir, env=call.env)
    return Listening(address), app
