"""The commands about models: `models` shows them and asks one, `spend` says what they have cost.

Listing sends nothing, starts no program and loads no client. A test sends invented lines only.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Literal

import click

from scrimshaw.cli.support.command import CommandCall, command, print_json
from scrimshaw.cli.support.days import typed_day
from scrimshaw.cli.support.each import for_each
from scrimshaw.config import OFFLINE
from scrimshaw.errors import Exit, combined
from scrimshaw.memory import Memories, Memory

if TYPE_CHECKING:
    from scrimshaw.services.models.try_model import Tried

By = Literal["day", "agent", "model", "job"]


@command(cls=click.Group, invoke_without_command=True)
@click.pass_context
def models(context: click.Context, call: CommandCall) -> int:
    """Show which models can be used, which are chosen, and where text would go."""
    if context.invoked_subcommand is not None:
        if any(call.wanted) or call.wants_json:
            raise click.UsageError(f"write the options behind {context.invoked_subcommand}")
        return int(Exit.OK)
    from scrimshaw.cli.render.models import model_lines, models_dict
    from scrimshaw.setup.choosing import offers

    memories = call.memories()
    done = for_each(call, memories, lambda memory: (memory.target, offers(memory.target, call.env)))
    code = done.code(memories, [Exit.OK] * len(done.results))
    if call.wants_json:
        told = [*(models_dict(*one) for one in done.results), *done.failures]
        print_json({"agents": told, "notes": list(memories.notes)}, code)
    call.say(*memories.notes, *(line for one in done.results for line in model_lines(*one)))
    return int(code)


@command(name="test")
@click.argument("name", required=False)
def test(call: CommandCall, name: str | None) -> int:
    """Send a few invented lines to NAME, or to every chosen model, and show the result."""
    memories = call.memories()
    if name is not None:
        from scrimshaw.setup.choosing import refuse_unknown

        refuse_unknown(memories[0].target, name)
        # Of a name one answer tells; whose caps it counts for is the first one's.
        memories = Memories(memories[:1])
    done = for_each(call, memories, lambda memory: list(_tried(call, memory, name)))
    tried = [one for of_one in done.results for one in of_one]
    codes = [combined(one.exit_code for _, one in of_one) for of_one in done.results]
    code = done.code(memories, codes)
    if call.wants_json:
        results = [{"agent": memory.agent, **one.to_dict()} for memory, one in tried]
        notes = {"notes": list(memories.notes)} if memories.errors else {}
        print_json({"models": [*results, *done.failures], **notes}, code)
        return int(code)
    call.say(*(memories.notes if memories.errors else ()))
    if not (tried or done.failures):
        call.say("No model is chosen: the rules write the notes, and there is nothing to test.")
        call.say("Next: scrimshaw models shows what there is; scrimshaw models test NAME tries one")
    return int(code)


models.add_command(test)


def try_and_tell(call: CommandCall, memory: Memory, name: str) -> Tried:
    """Ask the model *name* and tell what came of it."""
    from scrimshaw.cli.render.models import tried_lines

    tried = memory.test_model(name)
    call.say(*tried_lines(tried, memory.target))
    return tried


def _tried(call: CommandCall, memory: Memory, name: str | None) -> Iterator[tuple[Memory, Tried]]:
    from scrimshaw.setup.choosing import models_of

    for one in models_of(memory.target.config.settings) if name is None else [name]:
        if one != OFFLINE:
            call.say(f"{memory.agent}: asking {one} …")
            yield memory, try_and_tell(call, memory, one)


@command()
@click.option("--since", metavar="DATE", help="From this day on. Default: the last 30 days.")
@click.option(
    "--by",
    type=click.Choice(["day", "agent", "model", "job"]),
    default="day",
    help="What each row stands for.",
)
def spend(call: CommandCall, since: str | None, by: By) -> int:
    """Show what models have cost, and what is left of the caps of today and this month."""
    from scrimshaw.cli.render.spend import spend_lines
    from scrimshaw.services.models.spending import together as sums

    first = typed_day("since", since, "Nothing was shown.")
    memories = call.memories()
    done = for_each(call, memories, lambda memory: memory.spend(first.date() if first else None))
    accounts = done.results
    code = done.code(memories, (one.exit_code for one in accounts))
    if not accounts:
        return call.answer_all(done.failures, memories.notes, code)
    if call.wants_json:
        told = sums(accounts, by)
        told["agents"] += done.failures
        print_json({**told, "notes": list(memories.notes)}, code)
    call.say(*spend_lines(accounts, accounts[0].since, by), *memories.notes)
    return int(code)
