"""`scrimshaw models`: which models there are, which one is chosen, where text goes; `models test` asks one.

Listing sends nothing, starts no program and loads no client. A test sends invented lines only.
"""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click

from scrimshaw.cli.model_wizard import a_million
from scrimshaw.cli.support.options import as_json, wanted, which
from scrimshaw.cli.support.terminal import tell
from scrimshaw.clock import now
from scrimshaw.config import OFFLINE
from scrimshaw.core.text.plural import counted
from scrimshaw.errors import Exit
from scrimshaw.models import keys
from scrimshaw.models.finding import Found, available
from scrimshaw.models.model import PASSING, Failure, Trouble
from scrimshaw.models.opening import opener
from scrimshaw.services.models.try_model import Tried, try_model
from scrimshaw.setup.choosing import SETTINGS, choice_of, models_of, price_for, refuse_unknown
from scrimshaw.store.ledger import Ledger, open_ledger
from scrimshaw.workspace import Target, Wanted, find_targets, is_set_up

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


@click.group(invoke_without_command=True)
@which
@as_json
@click.pass_context
def command(
    context: click.Context,
    workspace: Path | None,
    agent: str | None,
    state_dir: Path | None,
    wants_json: bool,
) -> int:
    """Show which models can be used, which are chosen, and where text would go."""
    if context.invoked_subcommand is not None:
        if workspace or agent or state_dir or wants_json:
            raise click.UsageError(f"write the options behind {context.invoked_subcommand}")
        return int(Exit.OK)
    targets, notes = find_targets(wanted(workspace, agent, state_dir), os.environ)
    found = {
        target.layout.workspace: available(os.environ, endpoints=target.config.settings.endpoints)
        for target in targets
    }
    if wants_json:
        agents = [_as_object(target, found[target.layout.workspace]) for target in targets]
        click.echo(json.dumps({"agents": agents, "notes": list(notes)}))
        return int(Exit.OK)
    for note in notes:
        tell(note)
    for target in targets:
        for line in _lines(target, found[target.layout.workspace]):
            tell(line)
    return int(Exit.OK)


@command.command("test")
@click.argument("name", required=False)
@which
@as_json
def test(
    name: str | None, workspace: Path | None, agent: str | None, state_dir: Path | None, wants_json: bool
) -> int:
    """Send a few invented lines to NAME, or to every chosen model, and show the result."""
    tried = list(_tried(wanted(workspace, agent, state_dir), name, is_quiet=wants_json))
    codes = {code_of(one) for _, one in tried}
    code = max(codes, default=Exit.OK) if len(codes) <= 1 else Exit.PARTLY
    if wants_json:
        results = [{"agent": target.agent_id, **_result(one)} for target, one in tried]
        click.echo(json.dumps({"models": results, "exit_code": int(code)}))
    elif not tried:
        tell("No model is chosen: the rules write the notes, and there is nothing to test.")
        tell("Next: scrimshaw models shows what there is; scrimshaw models test NAME tries one")
    return int(code)


def test_and_tell(target: Target, name: str, env: Mapping[str, str]) -> Tried:
    """Ask the model *name* and tell what came of it."""
    with _ledger(target) as ledger:
        tried = try_model(target, ledger, name, now=now(env), opens=opener(env))
    for line in told(tried, target):
        tell(line)
    return tried


def _tried(which_ones: Wanted, name: str | None, *, is_quiet: bool) -> Iterator[tuple[Target, Tried]]:
    env = os.environ
    targets, _ = find_targets(which_ones, env)
    if name is not None:
        targets = targets[:1]  # one answer tells; whose caps it counts for is the first one's
        refuse_unknown(targets[0], name)
    for target in targets:
        for one in [name] if name is not None else models_of(target.config.settings):
            if one == OFFLINE:
                continue
            if not is_quiet:
                tell(f"{target.agent_id}: asking {one} …")
                yield target, test_and_tell(target, one, env)
            else:
                with _ledger(target) as ledger:
                    yield target, try_model(target, ledger, one, now=now(env), opens=opener(env))


@contextmanager
def _ledger(target: Target) -> Iterator[Ledger]:
    """The workspace's own ledger, whose caps hold; without one a ledger for the moment."""
    if is_set_up(target.layout):
        with open_ledger(target.layout.ledger, create=False) as ledger:
            yield ledger
        return
    with (
        tempfile.TemporaryDirectory(prefix="scrimshaw-test-") as folder,
        open_ledger(Path(folder) / "ledger.sqlite", create=True) as ledger,
    ):
        yield ledger


def code_of(tried: Tried) -> Exit:
    """Return how the process ends for one model: 3 when waiting may help or it answers half right."""
    match tried.outcome:
        case "works":
            return Exit.OK
        case "failed" if tried.failure is not None and tried.failure.trouble not in PASSING:
            return Exit.MENDABLE
        case _:
            return Exit.PARTLY


def told(tried: Tried, target: Target) -> list[str]:
    """Return what came of a test, for a person."""
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


def _result(tried: Tried) -> dict[str, Any]:
    return {
        "model": tried.name,
        "outcome": tried.outcome,
        "place": tried.place,
        "answered_by": tried.answered_by,
        "seconds": round(tried.seconds, 2),
        "tokens_in": tried.used.tokens_in,
        "tokens_out": tried.used.tokens_out,
        "cost_microdollars": tried.used.cost_microdollars,
        "held": list(tried.held),
        "refused": [{"reason": reason, "text": text} for reason, text in tried.refused],
        "said": tried.said,
        "trouble": tried.failure.trouble.value if tried.failure else "",
        "detail": tried.failure.detail if tried.failure else "",
        "exit_code": int(code_of(tried)),
    }


def _lines(target: Target, found: list[Found]) -> list[str]:
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


def _missing(found: list[Found]) -> Iterator[str]:
    """Yield what could be used with something more; what nobody has begun to set up only by its name."""
    begun = [one for one in found if not one.is_ready and one.is_seen]
    if begun:
        yield "  with something more:"
    yield from (f"    {one.name}: {one.missing} Next: {one.next_step}" for one in begun)
    others = [one.name.partition("/")[0] for one in found if not one.is_ready and not one.is_seen]
    if others:
        yield f"  not set up here: {', '.join(others)}"
        yield f"    a key goes into the environment, or as NAME=VALUE into {keys.keys_file(os.environ)}"
        yield "    (chmod 600); what one of them lacks: scrimshaw models test NAME"
    # Of a key that nobody needs there is only one thing to say: that its file is open to others.
    refused = keys.find(("NO_SUCH_KEY",), os.environ, is_needed=False)
    if isinstance(refused, Failure):
        yield f"  problem     {refused.detail}"


def _where(name: str, target: Target) -> list[str]:
    model = opener(os.environ)(choice_of(target, name))
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


def _as_object(target: Target, found: list[Found]) -> dict[str, Any]:
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
