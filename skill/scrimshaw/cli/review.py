"""`scrimshaw review`: look at proposals that were refused, or wait: accept, edit or reject them."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from scrimshaw.cli.render import review as laying_out
from scrimshaw.cli.render.run_report import section_lines
from scrimshaw.cli.review_prompt import Ending, walk
from scrimshaw.cli.support.options import as_json, wanted, which
from scrimshaw.cli.support.terminal import tell
from scrimshaw.clock import now
from scrimshaw.errors import Exit, UserError
from scrimshaw.logs import logging_to
from scrimshaw.services.edit.author import check_may_decide
from scrimshaw.services.edit.recheck import Rechecked, recheck
from scrimshaw.services.edit.review import Decided, Outcome, ReviewQueue, reviewing
from scrimshaw.services.history.cited_entries import Originals
from scrimshaw.services.publish.result import REFUSED
from scrimshaw.workspace import Target, find_targets, is_set_up

_ID = click.IntRange(min=1, max=2**63 - 1)  # what the ledger can hold


@click.command()
@which
@click.option(
    "--reason", default="", metavar="R", help="Only those with this reason: pending, number, name …"
)
@click.option("--accept", "accepts", type=_ID, multiple=True, metavar="ID", help="Accept this one.")
@click.option("--reject", "rejects", type=_ID, multiple=True, metavar="ID", help="Reject this one.")
@click.option("--now", "is_now", is_flag=True, help="Write MEMORY.md even in the middle of a conversation.")
@as_json
def command(
    workspace: Path | None,
    agent: str | None,
    state_dir: Path | None,
    wants_json: bool,
    **asked: Any,  # noqa: ANN401  # click's options
) -> int:
    """Review proposals that were refused or are waiting, beside the messages they cite."""
    try:
        targets = _targets(workspace, agent, state_dir)
        if asked["accepts"] or asked["rejects"]:
            return _decide(targets, asked, os.environ, wants_json=wants_json)
        if wants_json or not (sys.stdin.isatty() and sys.stdout.isatty()):
            return _list(targets, asked["reason"], wants_json=wants_json)
        check_may_decide(os.environ)
        return _walk_through(targets, asked)
    except UserError as error:
        if not wants_json:
            raise
        problems = {"error": list(error.problems), "next_step": error.next_step}
        click.echo(json.dumps({**problems, "exit_code": int(error.exit_code)}))
        return int(error.exit_code)


def _targets(workspace: Path | None, agent: str | None, state_dir: Path | None) -> list[Target]:
    targets, _ = find_targets(wanted(workspace, agent, state_dir), os.environ)
    found = [target for target in targets if is_set_up(target.layout)]
    if not found:
        raise UserError(
            "Scrimshaw has not written in any of these workspaces yet, so nothing waits for you.",
            next_step="set one up first: scrimshaw init",
        )
    return found


# -- a list, for programs and pipes ------------------------------------------------------------------------


def _list(targets: list[Target], reason: str, *, wants_json: bool) -> int:
    found = []
    for target in targets:
        with reviewing(target, now(os.environ)) as review:
            waiting = review.waiting(reason)
            originals = Originals(target, review.ledger, waiting)
            before = recheck(target, review.ledger)
            entry = {
                "agent": target.agent_id,
                "workspace": str(target.layout.workspace),
                "review": target.config.settings.review,
                "waiting": review.count(reason),
                "doubted": [laying_out.doubted_object(one) for one in before.doubted],
                "not_looked_at": before.left,
                "proposals": [laying_out.as_object(one, originals, review.ledger) for one in waiting],
            }
            found.append(entry)
            if not wants_json:
                tell(laying_out.heading(target, review, reason))
                _tell_doubted(before)
                for one in waiting:
                    tell("\n".join(["", *laying_out.lines_of(one, originals, review.ledger, target.zone)]))
    if wants_json:
        click.echo(json.dumps({"workspaces": found, "exit_code": 0}))
    elif any(entry["waiting"] for entry in found):
        tell("\nDecide with: scrimshaw review --accept ID, --reject ID; or run it in a terminal.")
    return int(Exit.OK)


def _tell_doubted(found: Rechecked) -> None:
    for line in laying_out.doubted_lines(found):
        tell(line)


# -- decisions of a script ---------------------------------------------------------------------------------


def _decide(
    targets: list[Target], asked: Mapping[str, Any], env: Mapping[str, str], *, wants_json: bool
) -> int:
    check_may_decide(env)
    if len(targets) > 1:
        raise UserError(
            "There are several workspaces, and an ID means something else in each. Nothing was decided.",
            *(f"  {target.agent_id}  {target.layout.workspace}" for target in targets),
            next_step="name one: --agent ID or --workspace FOLDER",
            exit_code=Exit.USAGE,
        )
    target = targets[0]
    if both := sorted(set(asked["accepts"]) & set(asked["rejects"])):
        raise click.UsageError(f"#{both[0]} cannot be accepted and rejected.")
    with logging_to(target.layout), reviewing(target, now(env)) as review:
        _check_there(review, target, [*asked["accepts"], *asked["rejects"]])
        done = [(review.accept(number), "accepted") for number in dict.fromkeys(asked["accepts"])]
        done += [(review.reject(number), "rejected") for number in dict.fromkeys(asked["rejects"])]
        published = review.finish(is_now=asked["is_now"])
        left = review.count()
    codes = {_exit(decided, wish) for decided, wish in done}
    if published and published.result in REFUSED:
        codes.add(Exit.REFUSED)
    code = codes.pop() if len(codes) == 1 else Exit.PARTLY
    if wants_json:
        told = [laying_out.decided_object(decided) for decided, _ in done]
        section = published.result.value if published else None
        click.echo(json.dumps({"decided": told, "left": left, "section": section, "exit_code": int(code)}))
        return int(code)
    for decided, _ in done:
        tell(laying_out.decided_line(decided))
    tell(laying_out.summary([decided for decided, _ in done], left))
    for line in section_lines(published, target) if published else ():
        tell(f"  {line}")
    return int(code)


def _check_there(review: ReviewQueue, target: Target, numbers: list[int]) -> None:
    """Raise UserError before anything is decided when one of *numbers* names nothing."""
    missing = [f"#{number}" for number in numbers if review.ledger.rejection(number) is None]
    if missing:
        raise UserError(
            f"{', '.join(missing)}: no such proposal in {target.layout.workspace}. Nothing was decided.",
            next_step="scrimshaw review lists them",
            exit_code=Exit.USAGE,
        )


def _exit(decided: Decided, wish: str) -> Exit:
    match decided.outcome:
        case Outcome.NOT_POSSIBLE:
            return Exit.REFUSED
        case Outcome.DECIDED if decided.detail != wish:
            return Exit.REFUSED
        case _:
            return Exit.OK


# -- a person at a terminal ----------------------------------------------------------------------------------


def _walk_through(targets: list[Target], asked: Mapping[str, Any]) -> int:
    codes = []
    for target in targets:
        ending, code = _walk(target, asked)
        codes.append(code)
        if ending is Ending.BROKEN_OFF:
            raise click.Abort
        if ending is Ending.LEFT:
            break
    return int(max(codes))


def _walk(target: Target, asked: Mapping[str, Any]) -> tuple[Ending, Exit]:
    with logging_to(target.layout), reviewing(target, now(os.environ)) as review:
        tell(laying_out.heading(target, review, asked["reason"]))
        _tell_doubted(recheck(target, review.ledger))
        ending = walk(target, review, asked["reason"])
        published = review.finish(is_now=asked["is_now"])
        if review.decided or review.count():
            tell(laying_out.summary(review.decided, review.count()))
    for line in section_lines(published, target) if published else ():
        tell(f"  {line}")
    return ending, Exit.REFUSED if published and published.result in REFUSED else Exit.OK
