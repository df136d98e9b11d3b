"""`scrimshaw observe --show-request`: what would be sent to the observer's model next, and where."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

import click

from scrimshaw.cli.support.terminal import as_said, tell
from scrimshaw.clock import now
from scrimshaw.core.policy.spending import dollars
from scrimshaw.core.text.plural import counted
from scrimshaw.errors import Exit, UserError
from scrimshaw.services.observe.show_request import Request, Showing, show
from scrimshaw.workspace import Wanted, find_targets

_MOST_SHOWN = 3  # of a workspace's conversations, in full; --json and --session have them all


def show_requests(
    wanted: Wanted, env: Mapping[str, str], *, session: str, waits: bool, wants_json: bool
) -> int:
    """Show what every wanted workspace would send; one that fails does not stop the others."""
    from scrimshaw.models.opening import opener  # the clients' module: only where a model is named

    targets, notes = find_targets(wanted, env)
    moment, opens = now(env), opener(env)
    shown: list[Showing] = []
    failed: list[tuple[str, str, UserError]] = []
    for target in targets:
        try:
            shown.append(show(target, opens, moment, session=session, waits=waits))
        except UserError as error:
            if len(targets) == 1 and not wants_json:
                raise
            failed.append((target.agent_id, str(target.layout.workspace), error))
    if session and shown and not any(one.observed.is_session_known or one.is_offline for one in shown):
        raise UserError(
            f"No conversation {session} is known here. Nothing was sent.",
            next_step="scrimshaw observe --show-request shows those with something new",
            exit_code=Exit.USAGE,
        )
    codes = [*(Exit.OK for _ in shown), *(error.exit_code for *_, error in failed)]
    code = max(codes) if len(set(codes)) == 1 else Exit.PARTLY
    if wants_json:
        objects = [_object(one) for one in shown]
        objects += [{"agent": a, "workspace": w, "error": list(e.problems)} for a, w, e in failed]
        click.echo(json.dumps({"workspaces": objects, "notes": list(notes), "exit_code": int(code)}))
        return int(code)
    for text in (*notes, *(line for one in shown for line in _lines(one, is_whole=bool(session)))):
        tell(text)
    for agent, workspace, problem in failed:
        tell(f"{agent}  {workspace}\n{problem}", is_error=True)
    tell("Nothing was sent, and nothing was written.")
    return int(code)


def _lines(one: Showing, *, is_whole: bool) -> Iterator[str]:
    yield f"{one.target.agent_id}  {one.target.layout.workspace}"
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


def _request(request: Request, *, is_shown: bool) -> Iterator[str]:
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


def _object(one: Showing) -> dict[str, Any]:
    return {
        "agent": one.target.agent_id,
        "workspace": str(one.target.layout.workspace),
        "model": one.model,
        "place": one.place or None,
        "is_offline": one.is_offline,
        "hindrance": one.hindrance,
        "held_back": one.observed.held_back,
        "second_reading": one.target.config.settings.second_reading,
        "requests": [
            {
                "session_key": request.session.session_key,
                "session_id": request.session.session_id,
                "shared_with": [one.session_key or one.session_id for one in request.others],
                "entries": request.entries,
                "system": request.prompt.system if request.prompt else None,
                "text": request.prompt.text if request.prompt else None,
                "most_output_tokens": request.prompt.most_output_tokens if request.prompt else None,
                "temperature": request.prompt.temperature if request.prompt else None,
                "tokens": request.tokens_in,
                "dollars": None if request.microdollars is None else request.microdollars / 1_000_000,
                "why_not": request.why_not,
            }
            for request in one.requests
        ],
        "unreadable": [problem for error in one.observed.unreadable.values() for problem in error.problems],
    }
