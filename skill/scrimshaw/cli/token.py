"""Who may ask the server for what: `token create`, `list`, `revoke`, `rotate`, and `open` for the page."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

import click

from scrimshaw.cli.serve import home_of, home_option
from scrimshaw.cli.support.command import CommandCall, command, print_json
from scrimshaw.config import age_of
from scrimshaw.core.text.plural import counted
from scrimshaw.errors import Exit, UserError

if TYPE_CHECKING:
    from scrimshaw.web.agents import Agents
    from scrimshaw.web.tokens import TokenBook

_SCOPES = ("read", "write", "owner")


@click.group()
def token() -> None:
    """Create, list and revoke the tokens that programs need for the server."""


@command(where=False, as_json=False)
@home_option
@click.option(
    "--agent",
    "names",
    metavar="NAME",
    multiple=True,
    required=True,
    help="Whose memory; * for all. May be repeated.",
)
@click.option(
    "--scope", type=click.Choice(_SCOPES), default="read", show_default=True, help="What it may do."
)
@click.option(
    "--expires",
    metavar="AGE",
    default="365d",
    show_default=True,
    help='When it ends, such as "90d"; or "never".',
)
@click.option("--note", default="", metavar="TEXT", help="What it is for, for the list.")
def create(call: CommandCall, names: tuple[str, ...], scope: str, expires: str, note: str) -> None:
    """Make a token and print it, alone on the last line; it is not kept, so it is not shown again."""
    agents, book = _book(call)
    from scrimshaw.home import make_agent
    from scrimshaw.web.tokens import EVERY, TokenScope

    ways = 'write it as "90d", or "never"'
    lasts = None if expires == "never" else age_of(expires, "No token was made.", ways)
    for name in (one for one in names if one != EVERY):
        if agents.home:
            make_agent(agents.home, name)
        else:
            agents.memory(name)
    made, grant = book.issue(names, TokenScope(scope), lasts, note[:200])
    until = f"until {grant.expires_at}" if grant.expires_at else "without an end"
    click.echo(f"Token {grant.id}: {scope} for {', '.join(names)}, {until}.", err=True)
    click.echo(made)


@command(where=False)
@home_option
def list_(call: CommandCall) -> None:
    """List the records of all tokens; the tokens themselves are not kept."""
    found = _book(call)[1].grants()
    if call.wants_json:
        print_json({"tokens": [one.to_dict() for one in found]}, Exit.OK)
        return
    for one in found:
        is_over = one.expires_at and datetime.fromisoformat(one.expires_at) <= datetime.now(UTC)
        until = "over" if is_over else f"until {one.expires_at}" if one.expires_at else "without an end"
        call.say(f"{one.id}  {one.scope.value:5}  {', '.join(one.agents)}  {until}  {one.note}".rstrip())
    if not found:
        call.say("No token was made yet. Next: scrimshaw token create --agent NAME --scope write")


@command(where=False, as_json=False)
@home_option
@click.argument("id_", metavar="ID")
def revoke(call: CommandCall, id_: str) -> None:
    """Revoke a token; a running server refuses it at once."""
    gone = _book(call)[1].revoke(id_)
    call.say(f"Token {gone.id} ({gone.scope.value} for {', '.join(gone.agents)}) is revoked.")


@command(where=False, as_json=False)
@home_option
def rotate(call: CommandCall) -> None:
    """Create a new secret, which ends every token made before."""
    ended = _book(call)[1].rotate()
    call.say(f"There is a new secret; {counted(ended, 'token')} ended. Next: scrimshaw token create")


for _one, _name in ((create, "create"), (list_, "list"), (revoke, "revoke"), (rotate, "rotate")):
    token.add_command(_one, _name)


@command(where=False, as_json=False)
@home_option
@click.option("--port", type=click.IntRange(1, 65_535), help="The server's port (18892).")
@click.option("--print", "prints", is_flag=True, help="Print the link, and open nothing.")
def open(call: CommandCall, port: int | None, prints: bool) -> None:  # noqa: A001  # the verb
    """Open the page that shows what is remembered, by a link that is good once and for a minute."""
    call.refuse_agent("The page is the person's own. Nothing was opened.")
    import webbrowser

    agents, book = _book(call)
    settings = agents.settings()
    place = f"http://{settings.server_host}:{port or settings.server_port}"
    if not _is_there(place):
        raise UserError(f"No server answers at {place}. Nothing was opened.", next_step="scrimshaw serve")
    link = f"{place}/open?ticket={book.ticket()}"
    if prints or not webbrowser.open(link):
        click.echo(link)
    else:
        click.echo(f"Opened {place} in your browser.")


def _book(call: CommandCall) -> tuple[Agents, TokenBook]:
    call.refuse_agent("An agent's shell cannot make or see tokens. Nothing was done.")
    from scrimshaw.web import require_extra

    require_extra()
    from scrimshaw.web.agents import Agents
    from scrimshaw.web.tokens import TokenBook

    agents = Agents(home_of(call), call.env)
    return agents, TokenBook(agents.folder, agents.settings(), call.env)


def _is_there(place: str) -> bool:
    """Tell whether a server of ours answers at *place*."""
    from urllib.request import ProxyHandler, build_opener

    try:
        with build_opener(ProxyHandler({})).open(f"{place}/health", timeout=2) as answer:
            return b'"api_versions"' in answer.read(4_096)
    except (OSError, ValueError):
        return False
