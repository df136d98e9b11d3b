"""How a reflection is worded: what a model did is shown line by line, with what it cost."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING

from scrimshaw.cli.render.run_report import cost_of, diff, section_lines
from scrimshaw.cli.support.command import head
from scrimshaw.cli.support.terminal import as_said, in_a_row
from scrimshaw.config import OFFLINE
from scrimshaw.core.text.plural import counted
from scrimshaw.core.types import EventType

if TYPE_CHECKING:
    from scrimshaw.services.reflect.run import Reflected, ReflectResult

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


def reflect_lines(result: ReflectResult, *, dry_run: bool) -> Iterator[str]:
    target, done, published = result.target, result.reflected, result.published
    yield head(result)
    yield from _model_lines(done)
    if dry_run and target.config.settings.reflector_model != OFFLINE:
        model = target.config.settings.reflector_model
        yield f"  {model} was not asked: a dry run shows what the rules do."
    found = _found(done)
    match done.outcome:
        case "contested":
            yield "  Other runs kept writing to the ledger; nothing was merged."
            yield "  Next: run this again in a moment"
        case "waiting":
            yield "  A large change of the section by hand has to be decided first; nothing was merged."
        case _:
            yield f"  Lines: {'; '.join(found)}." if found else "  Nothing repeated, replaced or outdated."
    if done.outcome == "reflected":
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
        yield (
            f"  {advice.model} ({advice.place}) went over {counted(advice.shown, 'line')}{left_out}: "
            f"{questions}, {counted(advice.used.tokens_in, 'token')} in, {advice.used.tokens_out:,} out, "
            f"{cost_of(advice.used)}."
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
