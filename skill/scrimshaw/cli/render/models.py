"""How models are worded: which there are, what a test of one brought."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from scrimshaw.config import OFFLINE
from scrimshaw.core.text.plural import counted
from scrimshaw.models.model import Failure, ModelOffer, Trouble
from scrimshaw.setup.choosing import SETTINGS, keys_place, models_of, opened, price_for

if TYPE_CHECKING:
    from scrimshaw.services.models.try_model import Tried
    from scrimshaw.workspace import Target

_NEXT: Mapping[Trouble, str] = {
    Trouble.RATE: "wait a few minutes; when it stays so, the provider's plan allows less than this needs",
    Trouble.SERVER: "the provider has a problem: try again later",
    Trouble.TIMEOUT: "try again; for a slow model raise model_timeout (now {timeout})",
    Trouble.CONNECTION: "see that the server runs and the address is right: scrimshaw models",
    Trouble.REPLY: "see that base_url is right (most end in /v1); some servers want model_streaming: true",
    Trouble.KEY: "scrimshaw doctor says where keys are looked for; the provider, whether this one is valid",
    Trouble.REQUEST: "see that the provider has a model of this name, and that your account may use it",
    Trouble.ABSENT: "install what is missing, then run this again",
    Trouble.CAP: "raise the cap in the configuration, or wait: scrimshaw spend",
    Trouble.PAUSED: "wait, or change what is wrong: scrimshaw doctor",
    Trouble.STOPPED: "run this again",
}


def tried_lines(tried: Tried, target: Target) -> list[str]:
    head = {
        "works": f"{tried.name} works: {counted(len(tried.held), 'line')} noted and checked.",
        "nothing": f"{tried.name} answers in the right form, but no line of it holds.",
        "unclosed": f"{tried.name} answers, but not in the form that was asked for.",
        "failed": f"{tried.name} cannot be used now.",
    }[tried.outcome]
    lines = [head]
    if tried.failure is not None:
        lines.append(f"  why       {tried.failure.detail.partition(' Next: ')[0]}")
    if tried.place:
        by = f", answered by {tried.answered_by}" if tried.answered_by not in ("", tried.name) else ""
        lines.append(f"  text to   {tried.place}{by}")
    if tried.used.calls:
        lines.append(f"  took      {tried.seconds:.1f} s{_used(tried)}")
    lines += [f"  noted     {text}" for text in tried.held]
    lines += [f"  refused   {text} ({reason})" for reason, text in tried.refused]
    if tried.said:
        lines += ["  it said:", *(f"    {line}" for line in tried.said.split("\n"))]
    elif tried.outcome in ("nothing", "unclosed"):
        lines.append("  it said   nothing at all")
    return [*lines, *(f"Next: {step}" for step in _next_steps(tried, target))]


def _next_steps(tried: Tried, target: Target) -> list[str]:
    match tried.outcome:
        case "works":
            is_chosen = tried.name in models_of(target.config.settings)
            return [] if is_chosen else [f"to let it write the notes: scrimshaw init --model {tried.name}"]
        case "failed" if tried.failure is not None:
            timeout = target.config.settings.model_timeout
            said = tried.failure.detail.partition(" Next: ")[2]
            return [said or _NEXT[tried.failure.trouble].format(timeout=timeout)]
        case _:
            return [
                "try again: models vary. When it stays so, this model is too small or too talkative for the "
                "task; the rules note what it does not. Others: scrimshaw models"
            ]


def _used(tried: Tried) -> str:
    used = tried.used
    if not used.tokens_in and not used.tokens_out:
        return ""  # not that anybody knows of
    most = "at most " if tried.failure else ""  # without an answer nobody says what was billed
    told = f", {most}{counted(used.tokens_in, 'token')} sent, {used.tokens_out:,} received"
    if used.cost_microdollars is None:
        return f"{told}, price unknown"
    return (
        f"{told}, ${used.cost_microdollars / 1_000_000:.6f}" if used.cost_microdollars else f"{told}, no cost"
    )


def model_lines(target: Target, found: list[ModelOffer]) -> list[str]:
    settings, origin = target.config.settings, target.config.origin
    lines = [f"{target.agent_id}  {target.layout.workspace}"]
    for setting, work in zip(SETTINGS, ("notes", "going over"), strict=True):
        name = getattr(settings, setting)
        if name == OFFLINE:
            lines.append(f"  {work:<11} offline: the rules; nothing is sent  ({origin[setting]})")
        else:
            lines.append(f"  {work:<11} {name}; {_price(name, target)}  ({origin[setting]})")
            lines += [f"              {line}" for line in _where(name, target)]
    lines.append("  could be used at once:")
    ready = [one for one in found if one.is_ready]
    for one in ready:
        lines.append(f"    {one.name}: text goes to {one.place}; {_price(one.name, target)}")
        lines += [f"      {one.note}"] if one.note else []
    lines += [] if ready else ["    none"]
    return [
        *lines,
        *_missing(found),
        "  try one (invented lines are sent): scrimshaw models test NAME",
        "  choose one (conversations are sent): scrimshaw init --model NAME",
    ]


def _missing(found: list[ModelOffer]) -> Iterator[str]:
    """Yield what could be used with something more; what nobody has begun to set up only by its name."""
    file, problem = keys_place(os.environ)
    begun = [one for one in found if not one.is_ready and one.is_seen]
    if begun:
        yield "  with something more:"
    yield from (f"    {one.name}: {one.missing} Next: {one.next_step}" for one in begun)
    others = [one.name.partition("/")[0] for one in found if not one.is_ready and not one.is_seen]
    if others:
        yield f"  not set up here: {', '.join(others)}"
        yield f"    a key goes into the environment, or as NAME=VALUE into {file}"
        yield "    (chmod 600); what one of them lacks: scrimshaw models test NAME"
    if problem:
        yield f"  problem     {problem}"


def _where(name: str, target: Target) -> list[str]:
    model = opened(target, name, os.environ)
    if isinstance(model, Failure):
        why, _, step = model.detail.partition(" Next: ")
        return [f"CANNOT BE ASKED: {why} The rules do it.", *([f"Next: {step}"] if step else [])]
    return [f"text goes to {model.place}"]


def _price(name: str, target: Target) -> str:
    price = price_for(target, name)
    if price is None:
        return "price unknown"
    return (
        f"{a_million(price[0])} in, {a_million(price[1])} out a million tokens" if any(price) else "no cost"
    )


def models_dict(target: Target, found: list[ModelOffer]) -> dict[str, Any]:
    settings, origin = target.config.settings, target.config.origin
    return {
        "agent": target.agent_id,
        "workspace": str(target.layout.workspace),
        "chosen": {
            setting: {
                "model": getattr(settings, setting),
                "from": origin[setting],
                "price": price_for(target, getattr(settings, setting)),
            }
            for setting in SETTINGS
        },
        "found": [
            {
                "model": one.name,
                "place": one.place,
                "is_ready": one.is_ready,
                "missing": one.missing,
                "next_step": one.next_step,
                "note": one.note,
                "price": price_for(target, one.name),
            }
            for one in found
        ],
    }


def a_million(price: float) -> str:
    """Return the price of a million tokens for a person: cents at least, and nothing rounded away."""
    return f"${price:.2f}" if round(price, 2) == price else f"${price:g}"
