"""How a proposal of the review list looks, to a person and to a program. Words and shapes only."""

from __future__ import annotations

import textwrap
from collections import Counter
from collections.abc import Iterator, Sequence

from scrimshaw.cli.support.terminal import as_said
from scrimshaw.clock import local_minute
from scrimshaw.core.ledger.observations import CLOSING, NOT_REREAD, is_verified
from scrimshaw.core.text.plural import counted
from scrimshaw.core.types import Author
from scrimshaw.services.edit.recheck import Rechecked
from scrimshaw.services.edit.review import MOST_LAID_OUT, Decided, ReviewOutcome, ReviewQueue
from scrimshaw.services.history.cited_entries import GONE, Original, Originals
from scrimshaw.store.records import Rejection
from scrimshaw.workspace import Target

_WIDTH = 100
_ACCEPTED = (ReviewOutcome.NOTED, ReviewOutcome.KNOWN, ReviewOutcome.CLOSED)
_BY = {
    Author.MODEL: "the model",
    Author.RULES: "the rules",
    Author.AGENT: "the agent",
    Author.PERSON: "you",
    Author.PROGRAM: "a program",
}


def heading(target: Target, review: ReviewQueue, reason: str) -> str:
    """Return what waits in one workspace, as a line or two."""
    count = review.count(reason)
    head = f"{target.agent_id}  {target.layout.workspace}\n"
    if not count:
        off = " (review: off keeps none)" if target.config.settings.review == "off" else ""
        others = review.reasons
        known = f" Reasons there are: {', '.join(others)}." if reason and others else ""
        return f"{head}  Nothing waits for you{off}.{known}"
    parts = ", ".join(f"{number:,} {name}" for name, number in review.by_reason(reason).most_common())
    newest = f" The newest {MOST_LAID_OUT:,} of them:" if count > MOST_LAID_OUT else ""
    return f"{head}  {counted(count, 'proposal waits', 'proposals wait')} for you: {parts}.{newest}"


def doubted_lines(found: Rechecked) -> Iterator[str]:
    """Yield the lines in the ledger that would be refused today, each with what can be done about it."""
    if not found.doubted:
        return
    size = len(found.doubted)
    what = "1 line that was" if size == 1 else f"{size:,} lines that were"
    left = f" ({found.left:,} more were not looked at)" if found.left else ""
    yield f"  {what} noted before would be refused today{left}. Nothing was changed; decide on each:"
    for one in found.doubted[:MOST_LAID_OUT]:
        yield ""
        yield f"{one.id}  {one.day} · {one.doubt}"
        yield from _wrapped(as_said(one.text), "    ")
        for number, step in enumerate(one.next_steps):
            yield f"  {'Next: ' if not number else '      '}{step}"


def proposal_lines(one: Rejection, originals: Originals, queue: ReviewQueue, zone: str) -> Iterator[str]:
    """Yield one proposal with what it rests on, and what it would close."""
    proposal = one.rejected.proposal
    said = local_minute(one.said_at_ms, one.zone or zone) if one.said_at_ms else "time unknown"
    reason = one.rejected.reason
    is_closing = reason == CLOSING
    why = "verified, waits for you" if is_verified(reason) else f"refused: {reason}"
    why = "waits: nobody has read it a second time" if reason == NOT_REREAD else why
    why = "noted, but the line that it would have closed stays" if is_closing else why
    marks = f"{proposal.kind.value}, priority {proposal.priority}, {proposal.place.value}"
    yield f"#{one.number}  {why} · from {_BY[one.author]} · {said} · {marks}"
    yield from _wrapped(f"{'✅ ' if proposal.done else ''}{as_said(proposal.text)}", "    ")
    if not is_verified(reason):
        yield from _wrapped(f"{'Not taken' if is_closing else 'Why not'}: {one.rejected.detail}", "  ")
    for word, ids in (
        ("replace", proposal.replaces),
        ("take back", proposal.withdraws),
        ("complete", proposal.completes),
    ):
        says = f"It says that it {word}s" if is_closing else f"It would {word}"
        for line in queue.lines(ids).values():
            if line.standing.is_live:
                yield from _wrapped(f"{says}: {as_said(line.observation.text)}", "  ")
    cited = originals.of(one)
    if cited and all(original.absence == GONE for original in cited):
        yield f"  It rests on {len(cited)} of its messages, but {GONE}."
        return
    yield "  It rests on:" if cited else "  It rests on no message."
    for original in cited:
        yield from _original(original, proposal.text, zone)


def _original(original: Original, text: str, zone: str) -> Iterator[str]:
    entry = original.entry
    if entry is None:
        yield f"    ({original.absence})"
        return
    who = f"tool {entry.tool_name}".strip() if entry.role == "tool" else entry.role.value
    yield f"    {local_minute(entry.said_at_ms, zone)} {who}:"
    yield from _wrapped(as_said(original.around(text)), "      ")


def _wrapped(text: str, indent: str) -> Iterator[str]:
    for line in text.splitlines() or [""]:
        yield from textwrap.wrap(
            line, _WIDTH, initial_indent=indent, subsequent_indent=indent, break_on_hyphens=False
        )


# -- what was decided ----------------------------------------------------------------------------------------


def decided_line(decided: Decided) -> str:
    match decided.outcome:
        case ReviewOutcome.NOTED if decided.line:
            whose = "as yours" if decided.line.author is Author.PERSON else "as verified"
            return f"  #{decided.number}: noted {whose}: {as_said(decided.line.text)}"
        case ReviewOutcome.KNOWN:
            return f"  #{decided.number}: {decided.detail}."
        case ReviewOutcome.CLOSED if decided.line:
            return f"  #{decided.number}: closed: {as_said(decided.line.text)}"
        case ReviewOutcome.REJECTED:
            return f"  #{decided.number}: rejected; it does not come again."
        case ReviewOutcome.DECIDED:
            return f"  #{decided.number}: was {decided.detail} before."
        case _:
            return f"  #{decided.number}: not noted: {decided.detail.rstrip('.')}."


def summary(decided: Sequence[Decided], left: int) -> str:
    """Return how it ended: "3 accepted, 1 rejected, 12 left"."""
    counts = Counter(one.outcome for one in decided)
    parts = [
        f"{sum(counts[one] for one in _ACCEPTED)} accepted",
        f"{counts[ReviewOutcome.REJECTED]} rejected",
        f"{left:,} left",
    ]
    return ", ".join(parts) + "."
