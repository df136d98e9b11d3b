"""The question which model shall write the notes: what there is, where the text would go, what a day costs.

Asked by `scrimshaw init` on a terminal, after the owner agreed to writing. The answer that is offered is
offline: a key that is there, or Enter pressed without reading, is no consent (rule 25).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import click

from scrimshaw.cli.render.models import a_million
from scrimshaw.cli.support.terminal import tell
from scrimshaw.config import OFFLINE
from scrimshaw.core.text.plural import counted
from scrimshaw.errors import UserError
from scrimshaw.memory import Memory
from scrimshaw.models.model import Failure, ModelOffer
from scrimshaw.services.models.forecast import DAYS, Forecast
from scrimshaw.setup.choosing import (
    ChosenModel,
    choose,
    offers,
    opened,
    price_for,
    refuse_unknown,
    service_problem,
)
from scrimshaw.workspace import Target

UNNAMED = "MODEL"  # stands where only the owner knows the model's name
_LEAST_TOLD_DOLLARS = 0.01


def ask_for_model(memory: Memory, env: Mapping[str, str], *, is_first: bool = False) -> str:
    """Show what could write the notes and return the name that the person chose; "" for none.

    *is_first*: nothing is noted yet, and what was said so far goes to it, too.
    """
    target = memory.target
    every = offers(target, env)
    found = [one for one in every if one.is_ready]
    expected = memory.forecast()
    tell(f"\n{target.agent_id}: who shall write the notes{'' if is_first else ' from now on'}?\n")
    tell("   0  offline: the rules, as so far. No key, no network, nothing is sent.")
    for number, one in enumerate(found, start=1):
        tell(f"  {number:>2}  {one.name}: text goes to {one.place}; {_cost_of(one.name, target, expected)}")
        if one.note:
            tell(f"      {one.note}")
    others = ", ".join(one.name.partition("/")[0] for one in every if one.is_seen and not one.is_ready)
    tell(f"\n  Not ready: {others}. What is missing: scrimshaw models\n" if others else "")
    tell(*_day_lines(expected))
    if not found:
        tell("No model is ready on this machine: the rules write the notes.")
        return ""
    tell(
        "A model gets to see what is said in these conversations, without secrets and private parts, and the "
        "lines noted before. What exactly: scrimshaw observe --show-request"
    )
    if is_first:
        tell(
            f"What was said so far, about {counted(_round(memory.waiting_tokens()), 'token')}, goes to it as "
            f"well, the newest days first, as far as {_caps(target)}; the rules note what is left."
        )
    return _answer(target, found)


def _caps(target: Target) -> str:
    settings = target.config.settings
    tokens, cost = settings.max_tokens_per_day, settings.max_cost_per_day
    told = [f"{tokens:,} tokens"] if tokens else []
    told += [f"${cost:.2f}"] if cost else []
    return f"{' and '.join(told)} a day allow" if told else "you let it"


def _answer(target: Target, found: Sequence[ModelOffer]) -> str:
    names = ["", *(one.name for one in found)]

    def read(said: str) -> str:
        text = said.strip()
        if text.isdecimal() and int(text) < len(names):
            return names[int(text)]
        if text in ("", OFFLINE):
            return ""
        try:
            refuse_unknown(target, text)
        except UserError as error:
            raise click.BadParameter(
                f"0 to {len(found)}, or the name of a model. {error.problems[0]}"
            ) from error
        return text

    chosen = str(click.prompt("Number or name", default="0", value_proc=read))
    if chosen.endswith(f"/{UNNAMED}"):
        model = str(click.prompt(f"The name of a model of {chosen.removesuffix(UNNAMED)}", default=""))
        chosen = chosen.removesuffix(UNNAMED) + model.strip() if model.strip() else ""
        if chosen:
            refuse_unknown(target, chosen)
    # A default is not read: it means what it says.
    return "" if chosen == "0" else chosen


def carry_out(
    target: Target, name: str, env: Mapping[str, str], *, is_first: bool = False
) -> tuple[ChosenModel, list[str]]:
    """Write down that the model *name* was chosen, and return what there is to say about it.

    *is_first*: nothing is noted yet, and it begins with what was said so far.
    """
    chosen = choose(target, name, env)
    lines = [f"{chosen.written.path}: " + ("as it was." if not chosen.written.lines else "written:")]
    lines += [f"  {line}" for line in chosen.written.lines]
    if chosen.overruled:
        lines.append(f"But {chosen.overruled}.")
    if name == OFFLINE:
        return chosen, [*lines, "From now on the rules write the notes; nothing is sent."]
    model = opened(chosen.target, name, env)
    if isinstance(model, Failure):
        begins = "What was said so far the rules note"
        lines.append(f"It cannot be used yet: {model.detail}")
    elif is_first:
        begins = "It begins with what was said so far, the newest days first; what it cannot, the rules note"
    else:
        begins = "What was said so far the rules have noted"
    place = "the model" if isinstance(model, Failure) else model.place
    lines.append(
        f"{begins}. What is said from now on goes to {place}, with some of "
        "the lines noted before, without secrets and private parts. To take it back: scrimshaw init --model "
        "offline"
    )
    chosen = chosen._replace(is_ready=not isinstance(model, Failure))
    if problem := service_problem(chosen.target, env):
        lines.append(f"And {problem}. Next: scrimshaw service install")
    return chosen, lines


def _day_lines(expected: Forecast | None) -> list[str]:
    if expected is None:
        return [f"In the last {DAYS} days nothing was said, so what a day would cost cannot be estimated."]
    sent, written = expected.tokens
    requests = expected.observer.requests + expected.reflector.requests
    guessed = " Some of it by the size of the files alone." if expected.is_partly_guessed else ""
    return [
        f"A day, by the {_days(expected.days)} of the last {DAYS} on which something was said, is "
        f"about {counted(_round(expected.said.tokens), 'token')} of conversation, "
        f"{counted(requests, 'question')} with {counted(_round(sent), 'token')} sent and "
        f"{_round(written):,} written.{guessed}"
    ]


def _cost_of(name: str, target: Target, expected: Forecast | None) -> str:
    price = price_for(target, name)
    if price is None:
        return "price unknown (prices: in the configuration names it)"
    if price == (0.0, 0.0):
        return "costs nothing"
    each = f"{a_million(price[0])} in and {a_million(price[1])} out for a million tokens"
    if expected is None:
        return each
    usual, most = expected.cost(price)
    return f"about {_dollars(usual)} a day, {_dollars(most)} on the busiest ({each})"


def _dollars(amount: float) -> str:
    return f"${amount:.2f}" if amount >= _LEAST_TOLD_DOLLARS else "less than a cent"


def _round(tokens: int) -> int:
    return int(round(tokens, 2 - len(str(tokens))))


def _days(count: int) -> str:
    return "one day" if count == 1 else f"{count} days"
