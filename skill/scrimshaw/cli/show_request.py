"""`observe --show-request`: what would be sent to the observer's model next, and where."""

from __future__ import annotations

from functools import partial

from scrimshaw.cli.render.request import request_lines
from scrimshaw.cli.support.command import CommandCall
from scrimshaw.cli.support.each import for_each
from scrimshaw.cli.support.terminal import tell
from scrimshaw.errors import Exit, usage_error
from scrimshaw.memory import Memory


def show_requests(call: CommandCall, *, session: str, waits: bool) -> int:
    """Show what every wanted workspace would send; one that fails does not stop the others."""
    memories = call.memories()
    looks = partial(Memory.next_requests, session=session, waits=waits)
    done = for_each(call, memories, looks, is_list=call.wants_json)
    shown = done.results
    if session and shown and not any(one.observed.is_session_known or one.is_offline for one in shown):
        raise usage_error(
            f"No conversation {session} is known here. Nothing was sent.",
            next_step="scrimshaw observe --show-request shows those with something new",
        )
    code = done.code(memories, [Exit.OK] * len(shown))
    if call.wants_json:
        return call.answer_all(done.told, memories.notes, code)
    call.say(*memories.notes, *(line for one in shown for line in request_lines(one, is_whole=bool(session))))
    tell("Nothing was sent, and nothing was written.")
    return int(code)
