"""Read what a model's answer about a window proposes, line by line; nothing in it is trusted.

Each JSON object becomes a proposal (core/prompting/proposal_parser), or is rejected with a reason; a bad line
never costs its neighbours. Whether its words are true is for core/verification/verify to judge.

An answer is closed when its last line counts its lines, or says that nothing is new, and it does not repeat
the instructions, refuse, or consist of unreadable lines only. Only then may the window count as covered. The
closing line may also hold the state of the work (the task at hand, what to know next); it is dropped, and
counted, if it holds an order that nobody gave, or a figure, name, day or path that the window does not hold.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from scrimshaw.core.extraction.manual_note import order_in, problem_of
from scrimshaw.core.ledger.observations import without_closed
from scrimshaw.core.prompting import fields
from scrimshaw.core.prompting.fence import NumberedPrompt
from scrimshaw.core.prompting.json_lines import AnswerLines, read_lines
from scrimshaw.core.prompting.proposal_parser import ECHO_CHARS, AnswerLine, PreparedQuestion, made_ready
from scrimshaw.core.section.budget import units
from scrimshaw.core.section.render import safe
from scrimshaw.core.text.normalize import normal
from scrimshaw.core.text.stems import split_words
from scrimshaw.core.types import (
    MAX_TEXT_CHARS,
    NO_TASK,
    Author,
    Kind,
    Proposal,
    Rejected,
    Reply,
    Role,
    TaskState,
    Window,
)
from scrimshaw.core.verification import literals
from scrimshaw.core.verification.dates import strange_date, strange_time
from scrimshaw.core.verification.names import strange_name
from scrimshaw.core.verification.source import Witness

MOST_UNITS = 200
_TAINTED_SHARE = 3  # at most 1/3 of its words may be foreign, as in core/verification/verify

_Check = Callable[[str, tuple[Witness, ...]], str]
_LITERALS: tuple[_Check, ...] = (
    literals.strange_quotation,
    lambda text, witnesses: strange_date(text, None, witnesses),
    strange_time,
    literals.strange_identifier,
    literals.strange_number,
    strange_name,
)


def state_in(item: Mapping[str, object], witnesses: Sequence[Witness]) -> TaskState:
    """Return the state of the work in *item*, the closing line of an answer about *witnesses*."""
    found = {name: item[name] for name in ("task", "next") if item.get(name)}
    kept = {name: text for name, value in found.items() if (text := _borne_out(value, tuple(witnesses)))}
    return TaskState(kept.get("task", ""), kept.get("next", ""), len(found) - len(kept))


def _borne_out(value: object, witnesses: tuple[Witness, ...]) -> str:
    text, problem = fields.read_text(value)
    if problem or not witnesses or units(text) > MOST_UNITS or problem_of(text) or order_in(text):
        return ""
    words = split_words(normal(text))
    for witness in witnesses:
        if any(len(words & tainted) * _TAINTED_SHARE >= len(words) > 1 for tainted in witness.tainted):
            return ""
    return "" if any(check(text, witnesses) for check in _LITERALS) else text


MOST_LINES = 60  # of an answer: more than a window of 6,000 tokens is worth
_MOST_REJECTED = 40  # lines kept for review
_REFUSAL = re.compile(
    r"\bi(?: a|['’])m sorry\b|\b(?:can(?:no|['’])t|(?:un|not )able to|won['’]t|will not) (?:\w+ ){0,3}"
    r"(?:help|assist|comply|process|do (?:that|this)|continue|provide|fulfil)|as an ai\b",
    re.IGNORECASE,
)


def read_reply(text: str, question: NumberedPrompt, window: Window, *, is_cut: bool = False) -> Reply:
    """Return what the answer *text* to *question* about *window* proposes; never raises.

    *is_cut*: the model stopped at a limit; then "nothing new" is not believed.
    """
    lines = read_lines(text)
    asked = made_ready(question, window)
    # Compared as a whole: a line with the same text and a wrong source must not replace a good one.
    proposals: dict[Proposal, Proposal] = {}
    rejected: dict[tuple[str, str], Rejected] = {}
    closed: set[str] = set()
    for item in lines.objects:
        line = AnswerLine(item, asked)
        reason, detail = line.problem()
        proposal = line.proposal()
        if not reason and proposal in proposals:
            reason, detail = "duplicate", "the same line stands in the answer before"
        elif not reason and len(proposals) >= MOST_LINES:
            reason, detail = "too-many", f"an answer has at most {MOST_LINES} lines"
        if reason:
            rejected.setdefault((reason, proposal.text), Rejected(_bounded(proposal), reason, detail))
        else:
            proposals[proposal] = once = without_closed(proposal, closed)
            closed.update(once.completes, once.replaces)
    for broken, why in lines.broken:
        rejected.setdefault(("form", broken), Rejected(_unread(broken), "form", why))
    is_closed = _is_closed(lines, asked, is_cut=is_cut) and bool(proposals or lines.closing == "nothing-new")
    kept = tuple(rejected.values())[:_MOST_REJECTED]
    state = state_in(lines.last, tuple(asked.witnesses.values())) if is_closed else NO_TASK
    proposed = tuple(proposals.values())
    return Reply(proposed, is_closed=is_closed, rejected=kept, author=Author.MODEL, state=state)


def parted(
    reply: Reply, those: Sequence[Window], holds: Callable[[Proposal, Window], bool]
) -> tuple[Reply, ...]:
    """Return the part of *reply*, an answer about the joined windows *those*, that belongs to each of them.

    A line belongs to the window whose entries it cites. One that cites two conversations goes to the later
    one for which it *holds* with that window's entries alone; if it holds for none, to the last one, which
    will refuse it.
    """
    if len(those) == 1:
        return (reply,)
    held = [frozenset(entry.entry_id for entry in one.entries) for one in those]
    proposals: list[list[Proposal]] = [[] for _ in those]
    rejected: list[list[Rejected]] = [[] for _ in those]
    for proposal in reply.proposals:
        by_window = {
            at: replace(proposal, sources=tuple(one for one in proposal.sources if one in ids))
            for at, ids in enumerate(held)
            if not ids.isdisjoint(proposal.sources)
        }
        latest_first = sorted(by_window, reverse=True)
        at = next((at for at in latest_first if len(by_window) == 1 or holds(by_window[at], those[at])), None)
        chosen = latest_first[0] if at is None else at
        proposals[chosen].append(by_window[chosen])
    for one in reply.rejected:
        cited = [at for at, ids in enumerate(held) if not ids.isdisjoint(one.proposal.sources)] or [0]
        sources = tuple(key for key in one.proposal.sources if key in held[cited[-1]])
        rejected[cited[-1]].append(replace(one, proposal=replace(one.proposal, sources=sources)))
    # The current task is that of the conversation that was held last.
    states = [*(NO_TASK for _ in those[1:]), reply.state]
    return tuple(
        replace(reply, proposals=tuple(mine), rejected=tuple(refused), state=state)
        for mine, refused, state in zip(proposals, rejected, states, strict=True)
    )


def _is_closed(lines: AnswerLines, asked: PreparedQuestion, *, is_cut: bool) -> bool:
    match lines.closing:
        case "counted":
            return True
        case "nothing-new":
            is_echo = any(
                len(said) >= ECHO_CHARS and normal(said) in asked.request for said in lines.prose.split("\n")
            )
            return not (is_cut or is_echo or lines.broken or _REFUSAL.search(lines.prose))
        case _:
            return False


def _bounded(proposal: Proposal) -> Proposal:
    return replace(proposal, text=safe(proposal.text)[: MAX_TEXT_CHARS * 2])


def _unread(text: str) -> Proposal:
    return Proposal(text=text, kind=Kind.FACT, priority=3, sources=(), speaker=Role.ASSISTANT)


SECOND_READING = "second-reading"  # reason of a line that the second reading found false
_MOST_COMPLAINTS = 6
_COMPLAINT_CHARS = 160


def complaint_about(reply: Reply, refused: Sequence[Rejected]) -> str:
    """Return what to tell a model that is asked again: the faults of *reply*, "" when it has none.

    *refused* are its lines that did not verify. The answer itself is quoted by single words only.
    """
    told: list[str] = []
    if not reply.is_closed:
        told.append(
            'it did not end as it must: with the line {"done": N}, N being the number of lines before it, or '
            'with {"done": 0} alone when nothing is new (if there was no room, write fewer and shorter lines)'
        )
    if not reply.proposals and not reply.rejected and not reply.is_closed:
        told.append("it held no JSON object: write one JSON object a line and nothing else")
    wrong = [one for one in (*reply.rejected, *refused) if one.reason not in NO_FAULT]
    details = list(dict.fromkeys(f"{_named(one)}: {_fault(one)}" for one in wrong))
    told += details[:_MOST_COMPLAINTS]
    if len(details) > _MOST_COMPLAINTS:
        told.append(f"{len(details) - _MOST_COMPLAINTS} more lines were refused for reasons like these")
    if not told:
        return ""
    listed = "\n".join(f"- {one}" for one in told)
    return (
        f"You have answered this before, and it could not be used as it was:\n{listed}\nAnswer again, whole."
    )


# Reasons that are not a mistake of the answer.
NO_FAULT = frozenset(("duplicate", "too-many", "deleted-by-hand", "pending"))


def _fault(rejected: Rejected) -> str:
    """Return what was wrong with a line; another model's own words are not passed on."""
    if rejected.reason == SECOND_READING:
        return "its entries do not say it"
    return safe(rejected.detail)[:_COMPLAINT_CHARS]


def _named(rejected: Rejected) -> str:
    """Return the first words of a line, which identify it."""
    words = safe(rejected.proposal.text).split()
    return f"the line “{' '.join(words[:4])[:40]} …”" if words else "a line"
