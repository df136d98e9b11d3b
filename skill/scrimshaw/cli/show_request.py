"""`observe --show-request`: what would be sent to the observer's model next, and where."""

from __future__ import annotations

from scrimshaw.cli.render.request import request_lines
from scrimshaw.cli.support.command import CommandCall, head, head_dict
from scrimshaw.cli.support.each import code_of
from scrimshaw.cli.support.terminal import tell
from scrimshaw.errors import Exit, UserError, usage_error


def show_requests(call: CommandCall, *, session: str, waits: bool) -> int:
    """Show what every wanted workspace would send; one that fails does not stop the others."""
    memories = call.memories()
    shown, failed = [], []
    for memory in memories:
        try:
            shown.append(memory.next_requests(session=session, waits=waits))
        except UserError as error:
            if len(memories) + len(memories.errors) == 1 and not call.wants_json:
                raise
            failed.append((memory, error))
    if session and shown and not any(one.observed.is_session_known or one.is_offline for one in shown):
        raise usage_error(
            f"No conversation {session} is known here. Nothing was sent.",
            next_step="scrimshaw observe --show-request shows those with something new",
        )
    code = code_of(memories, [*(Exit.OK for _ in shown), *(error.exit_code for _, error in failed)])
    if call.wants_json:
        problems = [{**head_dict(one), "error": list(why.problems)} for one, why in failed]
        return call.answer_all([*shown, *problems], memories.notes, code)
    call.say(*memories.notes, *(line for one in shown for line in request_lines(one, is_whole=bool(session))))
    for one, why in failed:
        tell(f"{head(one)}\n{why}", is_error=True)
    tell("Nothing was sent, and nothing was written.")
    return int(code)
