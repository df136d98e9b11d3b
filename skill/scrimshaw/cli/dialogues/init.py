"""The questions of `init`: may it write here, and which model, if any, gets to see the conversations.

Two consents, one after the other: `--yes` gives the first; only an answer on a terminal, or `--model`, gives
the second.
"""

from __future__ import annotations

import sys
from pathlib import Path

import click

from scrimshaw.cli.dialogues.choose_model import ask_for_model, carry_out
from scrimshaw.cli.dialogues.observe import Way, go
from scrimshaw.cli.support.command import CommandCall
from scrimshaw.cli.support.terminal import tell
from scrimshaw.config import OFFLINE
from scrimshaw.memory import Memory
from scrimshaw.services.observe import by_meaning
from scrimshaw.services.observe.task import ObserveOptions
from scrimshaw.setup.choosing import ChosenModel, is_chosen, refuse_unknown
from scrimshaw.workspace import Target


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

    def choose_first(memory: Memory) -> ChosenModel | None:
        name = said[memory.workspace] = _wanted(call, memory, model, is_asked=is_asked, is_first=True)
        return _choose(call, memory, name, is_first=True) if name else None

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
            call.say(_as_it_is(memory.target))
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


def _as_it_is(target: Target) -> str:
    settings = target.config.settings
    model = settings.observer_model
    if model == OFFLINE:
        is_read = by_meaning.is_read(settings)
        how = ", and small models of this machine read what is in doubt" if is_read else ""
        return (
            f"{target.agent_id}: the rules write the notes{how}; nothing is sent anywhere. What else there "
            "is: scrimshaw models"
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
