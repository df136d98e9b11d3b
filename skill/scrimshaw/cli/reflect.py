"""`scrimshaw reflect`: go over the lines once, merge what was said twice, let go of what was replaced.

What a model did is shown line by line, with what it cost; a rehearsal asks none.
"""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

from scrimshaw.cli.render.run_report import diff, section_lines
from scrimshaw.cli.support.options import as_json, wanted, which
from scrimshaw.cli.support.terminal import as_said, in_a_row, tell
from scrimshaw.clock import now
from scrimshaw.core.text.plural import counted
from scrimshaw.core.types import EventType
from scrimshaw.errors import Exit, UserError
from scrimshaw.logs import logging_to
from scrimshaw.models.model import Opens
from scrimshaw.services.models.client import OFFLINE
from scrimshaw.services.publish.result import Published
from scrimshaw.services.reflect.run import Outcome, Reflected, rehearse, run
from scrimshaw.workspace import Target, find_targets, is_set_up

_MOST_SHOWN = 40  # changes, where they are not all that was asked for
_WORDS = {
    "merged": "said twice and merged",
    "superseded": "replaced by a later word",
    "completed": "reported as done",
    "dropped": "not worth their room",
    "generalised": "seen again and again",
    "promoted": "now standing",
    "expired": "of unknown outcome now",
    "retired": "beyond the most that may compete",
}


@click.command()
@which
@click.option("--dry-run", is_flag=True, help="Show which lines would change and write nothing.")
@as_json
def command(
    workspace: Path | None, agent: str | None, state_dir: Path | None, dry_run: bool, wants_json: bool
) -> int:
    """Merge repeated lines, retire replaced and outdated ones, and bring MEMORY.md up to date."""
    targets, notes = find_targets(wanted(workspace, agent, state_dir), os.environ)
    targets = [target for target in targets if is_set_up(target.layout)]
    if not targets:
        raise UserError(
            "Scrimshaw has not written in any of these workspaces yet, so there is nothing to reflect on.",
            next_step="set one up first: scrimshaw init",
        )
    results = [_one(target, dry_run=dry_run, is_quiet=wants_json) for target in targets]
    codes = [result["exit_code"] for result in results]
    code = max(codes) if len(set(codes)) == 1 else Exit.PARTLY
    if wants_json:
        click.echo(json.dumps({"workspaces": results, "notes": list(notes), "exit_code": int(code)}))
        return int(code)
    for note in notes:
        tell(note)
    return int(code)


def _one(target: Target, *, dry_run: bool, is_quiet: bool) -> dict[str, Any]:
    """Reflect on one workspace, say what came of it and return it; one that fails stops no other."""
    head = {"agent": target.agent_id, "workspace": str(target.layout.workspace)}
    moment = now(os.environ)
    try:
        if dry_run:
            done = rehearse(target, moment)
        else:
            with logging_to(target.layout):
                done = run(target, moment, opens=_opens(target))
    except UserError as error:
        if not is_quiet:
            tell(f"{target.agent_id}  {target.layout.workspace}\n{error}", is_error=True)
        problems = {"error": list(error.problems), "next_step": error.next_step}
        return {**head, **problems, "exit_code": int(error.exit_code)}
    if not is_quiet:
        for line in _told(target, done.reflected, done.published, dry_run=dry_run):
            tell(line)
    return done.to_dict()


def _opens(target: Target) -> Opens | None:
    """Return what opens the reflector's model; nothing is loaded where none is chosen."""
    if target.config.settings.reflector_model == OFFLINE:
        return None
    from scrimshaw.models.opening import opener  # only with a model

    return opener(os.environ)


def _told(target: Target, done: Reflected, published: Published, *, dry_run: bool) -> Iterator[str]:
    yield f"{target.agent_id}  {target.layout.workspace}"
    yield from _model_lines(done)
    if dry_run and target.config.settings.reflector_model != OFFLINE:
        model = target.config.settings.reflector_model
        yield f"  {model} was not asked: a dry run shows what the rules do."
    found = _found(done)
    match done.outcome:
        case Outcome.CONTESTED:
            yield "  Other runs kept writing to the ledger; nothing was merged."
            yield "  Next: run this again in a moment"
        case Outcome.WAITING:
            yield "  A large change of the section by hand has to be decided first; nothing was merged."
        case _:
            yield f"  Lines: {'; '.join(found)}." if found else "  Nothing repeated, replaced or outdated."
    if done.outcome is Outcome.REFLECTED:
        yield f"  {_sizes(done)}"
    if done.reflection.has_more:
        yield "  More wait for the next time: at most a quarter of the lines goes at once."
    changed = list(_changed_lines(done))
    yield from changed if dry_run else changed[:_MOST_SHOWN]
    if not dry_run and len(changed) > _MOST_SHOWN:
        yield f"  … and {counted(len(changed) - _MOST_SHOWN, 'more line')} (--json names every change)"
    yield from (f"  {line}" for line in section_lines(published, target))
    if dry_run and (change := diff(published)):
        yield f"\n{change}"
    if dry_run:
        yield "Nothing was written (--dry-run)."


def _sizes(done: Reflected) -> str:
    """Return how much the lines were and are, and what became of the room that was gained."""
    before, after = done.before, done.after
    return (
        f"{counted(before.lines, 'line')} of {before.units:,} units → {after.lines:,} of {after.units:,}; "
        f"the section shows {after.shown_lines:,} of them in {after.shown_units:,} units "
        f"(before: {before.shown_lines:,} in {before.shown_units:,})."
    )


def _found(done: Reflected) -> list[str]:
    """Return what was done in words, a model's merges apart from what was said twice."""
    counts = done.counts()
    new = {made.id for made in done.made}
    summed_up = Counter(change.other_id for change in done.reflection.of(EventType.MERGED))
    merged = sum(count for winner, count in summed_up.items() if winner in new)
    counts["merged"] -= merged
    into = sum(winner in new for winner in summed_up)
    told = [f"{merged:,} merged into {into:,} shorter"] if merged else []
    return told + [f"{counts[name]:,} {words}" for name, words in _WORDS.items() if counts[name]]


def _model_lines(done: Reflected) -> Iterator[str]:
    """Yield which model was asked, about how much, what it cost, and what was wrong."""
    advice = done.advice
    if not advice.model:
        return
    if advice.used.calls:
        left_out = f" ({advice.left_out:,} more wait for the next time)" if advice.left_out else ""
        questions = counted(advice.used.calls, "question")
        cost = advice.used.cost_microdollars
        price = "price unknown" if cost is None else f"${cost / 1_000_000:.4f}"
        yield (
            f"  {advice.model} ({advice.place}) went over {counted(advice.shown, 'line')}{left_out}: "
            f"{questions}, {counted(advice.used.tokens_in, 'token')} in, {advice.used.tokens_out:,} out, "
            f"{price}."
        )
    if advice.trouble:
        yield f"  {advice.model}: {advice.trouble.rstrip('.')}. The rules went over the lines alone."
    if reasons := Counter(one.reason for one in done.refused):
        tally = ", ".join(f"{reason} {count}" for reason, count in reasons.most_common())
        was = "was" if reasons.total() == 1 else "were"
        yield f"  {reasons.total():,} of its proposals did not hold and {was} left ({tally})."
    if done.to_review:
        waits = counted(done.to_review, "line may be replaced", "lines may be replaced")
        yield f"  {waits} by a later one; that is for you to say: scrimshaw review"


def _changed_lines(done: Reflected) -> Iterator[str]:
    """Yield every change: the lines that went, and under them what stands for them now."""
    patterns = done.patterns
    for made in patterns:
        yield f"  pattern ({made.pattern}): {as_said(made.text)}"
        yield from (f"    from: {_text(done, id_)}" for id_ in made.supports)
    changes = [
        change
        for change in done.reflection.changes
        if change.type not in (EventType.REINFORCED, EventType.TRIMMED, EventType.SHOWN)
    ]
    for number, change in enumerate(changes):
        after = changes[number + 1] if number + 1 < len(changes) else None
        reason = f" ({change.reason})" if change.type is EventType.DROPPED else ""
        yield f"  {change.type}{reason}: {_text(done, change.id)}"
        goes_on = after is not None and (after.type, after.other_id) == (change.type, change.other_id)
        if change.other_id and not goes_on:
            yield f"    → {_text(done, change.other_id)}"
    for name, ids in (("expired", done.aged.expired), ("retired", done.aged.retired)):
        yield from (f"  {name}: {_text(done, id_)}" for id_ in ids)


def _text(done: Reflected, id_: str) -> str:
    line = done.lines.get(id_)
    return in_a_row(line.observation.text) if line else id_
