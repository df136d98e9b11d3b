"""The commands about what programs hand in: `conversations` lists it, `context` prints what a model gets."""

from __future__ import annotations

from typing import Literal

import click

from scrimshaw.cli.render import conversations as render
from scrimshaw.cli.support.command import CommandCall, command

_NOTHING = "Nothing was shown."


@command()
@click.argument("thread", required=False)
@click.option("--limit", type=click.IntRange(1, 100_000), default=100, show_default=True, help="How many.")
@click.option("--close", "closes", is_flag=True, help="End THREAD: it is archived as a whole.")
def conversations(call: CommandCall, thread: str | None, limit: int, closes: bool) -> int:
    """List the conversations that programs have handed in, or show what is kept of THREAD, or close it."""
    memory = call.memory(_NOTHING)
    if closes:
        if thread is None:
            raise click.UsageError("--close needs the THREAD that has ended")
        return call.answer(memory.close_conversation(thread), render.conversation_lines)
    if thread is not None:
        return call.answer(memory.conversation(thread), render.conversation_lines)
    return call.answer(memory.conversations(limit), render.list_lines)


@command()
@click.argument("thread")
@click.option("--resource", default="", metavar="ID", help="Whom the conversation is with.")
@click.option(
    "--shape",
    type=click.Choice(["text", "anthropic", "openai"]),
    default="text",
    help="As text, or as the request of an API (with --json).",
)
@click.option("--query", metavar="TEXT", help="What to look for. Default: what the user said last.")
@click.option("--system", default="", metavar="TEXT", help="The system prompt in front.")
def context(
    call: CommandCall,
    thread: str,
    resource: str,
    shape: Literal["anthropic", "openai", "text"],
    query: str | None,
    system: str,
) -> int:
    """Print what a model is given for the next turn of the conversation THREAD.

    A memory in it counts as used, and is kept longer; nothing else is written.
    """
    memory = call.memory(_NOTHING, asks_once=True)
    told = memory.get_context(thread, resource, shape=shape, query=query, system_prompt=system)
    return call.answer(told, render.context_lines)
