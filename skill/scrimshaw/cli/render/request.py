"""How what would be sent to a model is worded."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from scrimshaw.cli.support.command import head
from scrimshaw.cli.support.terminal import as_said
from scrimshaw.core.policy.spending import dollars
from scrimshaw.core.text.plural import counted

if TYPE_CHECKING:
    from scrimshaw.services.observe.show_request import PendingPrompt, Showing

_MOST_SHOWN = 3  # of a workspace's conversations, in full; --json and --session have them all


def request_lines(one: Showing, *, is_whole: bool) -> Iterator[str]:
    """Yield what would be sent of one workspace; the text of each conversation with *is_whole*."""
    yield head(one)
    if one.is_offline:
        yield "  The observer is offline: the rules note by themselves, and nothing is ever sent to a model."
        return
    where = f"; its text goes to {one.place}" if one.place else ""
    yield f"  Observer: {one.model}{where}."
    if one.hindrance:
        yield f"  It would not be asked now: {one.hindrance}"
    if not one.requests:
        yield "  Nothing new waits, so nothing would be sent."
    full = [request for request in one.requests if request.prompt]
    for request in one.requests:
        is_shown = is_whole or not request.prompt or request in full[:_MOST_SHOWN]
        yield from _request(request, is_shown=is_shown)
    if full and (extent := one.target.config.settings.second_reading) != "off":
        of_it = "the notes" if extent == "all" else "the notes that a rule doubts"
        yield f"  After the answer a second question (second_reading): {of_it}, with what they rest on."
    if full:
        yield "  Notes that do not hold are asked for once more: these, why, and what they rest on."
    if len(full) > _MOST_SHOWN and not is_whole:
        yield "  Those without their text: --session KEY shows one, --json all of them."
    if one.observed.held_back:
        yield "  A conversation is in the middle of an exchange; that waits until it is done (or --now)."
    for error in one.observed.unreadable.values():
        yield from (f"  {line}" for line in str(error).splitlines())


def _request(request: PendingPrompt, *, is_shown: bool) -> Iterator[str]:
    those = (request.session, *request.others)
    name = ", ".join(session.session_key or session.session_id for session in those)
    entries = counted(request.entries, "new entry", "new entries")
    if request.prompt is None:
        yield f"  {name}: nothing would be sent of it; {request.why_not or 'the rules note it'}"
        return
    cost = "price unknown" if request.microdollars is None else f"at most {dollars(request.microdollars)}"
    size = f"about {counted(request.tokens_in, 'token')}"
    size += f", answer at most {request.prompt.most_output_tokens:,}"
    whose = "their next" if request.others else "its next"
    yield f"  {name}, {whose} {entries}{' in one question' if request.others else ''}: {size}; {cost}."
    if request.why_not:
        yield f"  Not now: {request.why_not}"
    if is_shown:
        yield f"----- instructions ({counted(len(request.prompt.system), 'character')}) -----"
        yield as_said(request.prompt.system)
        yield f"----- text ({counted(len(request.prompt.text), 'character')}) -----"
        yield as_said(request.prompt.text)
        yield "----- end -----"
