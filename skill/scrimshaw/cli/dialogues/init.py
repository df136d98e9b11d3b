"""The questions of `init`: may it write here, which model, if any, gets to see the conversations, and whether
the rules read by meaning, on this machine.

Two consents, one after the other: `--yes` gives the first; only an answer on a terminal, or `--model`, gives
the second. The last question sends nothing, and is asked on a terminal alone.
"""

from __future__ import annotations

import sys
from pathlib import Path

import click

from scrimshaw.cli.dialogues.choose_model import ask_for_model, carry_out, written_lines
from scrimshaw.cli.dialogues.observe import Way, go
from scrimshaw.cli.support.command import CommandCall
from scrimshaw.cli.support.terminal import tell
from scrimshaw.config import DEFAULT, OFFLINE, workspace_file
from scrimshaw.errors import UserError
from scrimshaw.memory import Memory
from scrimshaw.services.observe import by_meaning
from scrimshaw.services.observe.task import ObserveOptions
from scrimshaw.setup.choosing import ChosenModel, choose_reading, is_chosen, refuse_unknown
from scrimshaw.workspace import Target

_COST = "It takes half a second a run and 180 MB for English, 1.2 s and 160 MB for other languages"


def set_up(call: CommandCall, model: str | None, *, yes: bool) -> int:
    """Set up each workspace that the person agrees to, with *model* or the one that they choose."""
    if model is not None:
        if model != OFFLINE:
            call.refuse_agent(
                "An agent's shell cannot agree for the person that conversations are sent to a model. "
                "Nothing was changed or sent.",
                next_step=f"ask the person to run this in their own terminal: scrimshaw init --model {model}",
            )
        for memory in call.memories():
            refuse_unknown(memory.target, model)
    is_asked = not (yes or call.wants_json or call.is_agents) and sys.stdin.isatty()
    said: dict[Path, str] = {}  # in new workspaces, before anything was noted
    reads: dict[Path, Target] = {}  # where it was asked whether the rules read by meaning, as it is now

    def read_by_meaning(memory: Memory) -> ChosenModel | None:
        if not _may_read(memory.target):
            return None
        try:
            chosen = choose_reading(memory.target, call.env, wanted=_wants_reading())
        except UserError as error:  # what was agreed to goes on without it
            call.say(str(error))
            return None
        reads[memory.workspace] = chosen.target
        call.say(*written_lines(chosen))
        return chosen

    def choose_first(memory: Memory) -> ChosenModel | None:
        name = said[memory.workspace] = _wanted(call, memory, model, is_asked=is_asked, is_first=True)
        if name:
            return _choose(call, memory, name, is_first=True)
        return read_by_meaning(memory) if is_asked else None

    code = go(call, Way(ObserveOptions(brings_back=True), yes=yes, chooses=choose_first))
    for memory in call.memories():
        if not memory.is_set_up or said.get(memory.workspace):
            continue  # not agreed to, or chosen
        is_open = is_asked and memory.workspace not in said
        if name := _wanted(call, memory, model, is_asked=is_open):
            chosen = _choose(call, memory, name)
            if name != OFFLINE and not call.wants_json:
                _offer_a_try(call, chosen.target, is_asked=is_asked)
        else:
            if is_open:
                read_by_meaning(memory)
            call.say(_as_it_is(reads.get(memory.workspace, memory.target)))
    return code


def _wanted(
    call: CommandCall, memory: Memory, model: str | None, *, is_asked: bool, is_first: bool = False
) -> str:
    """Return the model that is to write the notes, "" for who does it now."""
    if model is None and is_asked and not is_chosen(memory.target.config):
        return ask_for_model(memory, call.env, is_first=is_first)
    return model or ""


def _choose(call: CommandCall, memory: Memory, name: str, *, is_first: bool = False) -> ChosenModel:
    chosen, lines = carry_out(memory.target, name, call.env, is_first=is_first)
    call.say("", *lines)
    return chosen


def _may_read(target: Target) -> bool:
    """Tell whether the rules write the notes and could read by meaning, and nobody has said if they do."""
    settings, origin = target.config.settings, target.config.origin["weigh_by_meaning"]
    return settings.observer_model == OFFLINE and origin == DEFAULT and by_meaning.can_read(settings)


def _wants_reading() -> bool:
    tell(
        "\nWhere the rules are in doubt, small language models of this machine can read what is meant.",
        "More lines come in the right part, and other lines than those shown above may. Nothing is sent.",
        f"{_COST}.",
    )
    return click.confirm("Read what is in doubt by its meaning?", default=True)


def _as_it_is(target: Target) -> str:
    settings = target.config.settings
    model = settings.observer_model
    if model == OFFLINE:
        reads = settings.weigh_by_meaning and by_meaning.can_read(settings)
        how = "write the notes, and read what is in doubt by its meaning" if reads else "write the notes"
        said = (
            f"{target.agent_id}: the rules {how}; nothing is sent anywhere. "
            "What else there is: scrimshaw models"
        )
        if reads or not _may_read(target):
            return said
        return (
            f"{said}. With weigh_by_meaning: true in {workspace_file(target.layout.workspace)} they read "
            f"what is in doubt by its meaning, too. {_COST}"
        )
    return (
        f"{target.agent_id}: {model} writes the notes. To change that: scrimshaw init --model NAME; "
        "to have the rules again: scrimshaw init --model offline"
    )


def _offer_a_try(call: CommandCall, target: Target, *, is_asked: bool) -> None:
    if is_asked and click.confirm("Try it now? A few invented lines are sent.", default=True):
        from scrimshaw.cli.models import try_and_tell  # only when wanted

        try_and_tell(call, Memory(target, env=call.env), target.config.settings.observer_model)
    else:
        tell("Next: scrimshaw models test")
