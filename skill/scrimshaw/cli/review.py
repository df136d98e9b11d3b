"""The command `review`: look at proposals that were refused, or wait: accept, edit or reject them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from scrimshaw.cli.render import review as render
from scrimshaw.cli.render.run_report import tell_section
from scrimshaw.cli.support.command import NOT_SET_UP, CommandCall, command, head, print_json, write_now
from scrimshaw.cli.support.each import for_each
from scrimshaw.cli.support.terminal import tell
from scrimshaw.errors import Exit, combined, usage_error
from scrimshaw.memory import Memories, Memory

if TYPE_CHECKING:
    from scrimshaw.cli.dialogues.review import Ending

_ID = click.IntRange(min=1, max=2**63 - 1)  # what the ledger can hold


@command()
@click.option(
    "--reason", default="", metavar="R", help="Only those with this reason: pending, number, name …"
)
@click.option("--accept", "accepts", type=_ID, multiple=True, metavar="ID", help="Accept this one.")
@click.option("--reject", "rejects", type=_ID, multiple=True, metavar="ID", help="Reject this one.")
@write_now
def review(
    call: CommandCall, reason: str, accepts: tuple[int, ...], rejects: tuple[int, ...], is_now: bool
) -> int:
    """Review proposals that were refused or are waiting, beside the messages they cite."""
    there = call.set_up(f"{NOT_SET_UP}nothing waits for you.")
    if accepts or rejects:
        return _decide(call, there, accepts, rejects, is_now=is_now)
    if not call.is_at_terminal:
        return _list(call, there, reason)
    call.say(*(there.notes if there.errors else ()))
    has_left = False

    def look(memory: Memory) -> Exit:
        nonlocal has_left
        if has_left:
            return Exit.OK
        ending, code = _walk(memory, reason, is_now=is_now)
        if ending == "broken-off":
            raise click.Abort
        has_left = ending == "left"
        return code

    walked = for_each(call, there, look)
    return int(walked.code(there, walked.results))


def _list(call: CommandCall, memories: Memories, reason: str) -> int:
    """List what waits, for programs and pipes."""

    def look(memory: Memory) -> tuple[bool, dict[str, Any]]:
        with memory.review(decide=False) as queue:
            if call.wants_json:
                return False, queue.to_dict(reason)
            waiting = queue.waiting(reason)
            originals = queue.originals(waiting)
            call.say(render.heading(memory.target, queue, reason), *render.doubted_lines(queue.recheck()))
            for one in waiting:
                call.say("", *render.proposal_lines(one, originals, queue, memory.target.zone))
            return queue.count(reason) > 0, {}

    done = for_each(call, memories, look)
    code = done.code(memories, [Exit.OK] * len(done.results))
    notes = memories.notes if memories.errors else ()
    if call.wants_json:
        told = [*(one for _, one in done.results), *done.failures]
        noted = {"notes": list(notes)} if notes else {}
        print_json({"workspaces": told, **noted}, code)
        return int(code)
    call.say(*notes)
    if any(is_waiting for is_waiting, _ in done.results):
        tell("\nDecide with: scrimshaw review --accept ID, --reject ID; or run it in a terminal.")
    return int(code)


def _decide(
    call: CommandCall, memories: Memories, accepts: Sequence[int], rejects: Sequence[int], *, is_now: bool
) -> int:
    """Carry out the decisions of a script."""
    memory = memories[0]
    if len(memories) > 1:
        raise usage_error(
            "There are several workspaces, and an ID means something else in each. Nothing was decided.",
            *(f"  {head(one)}" for one in memories),
            next_step="name one: --agent ID or --workspace FOLDER",
        )
    if both := sorted(set(accepts) & set(rejects)):
        raise click.UsageError(f"#{both[0]} cannot be accepted and rejected.")
    with memory.review() as queue:
        queue.check_there([*accepts, *rejects])
        accepted = [queue.accept(number) for number in dict.fromkeys(accepts)]
        rejected = [queue.reject(number) for number in dict.fromkeys(rejects)]
        published = queue.finish(is_now=is_now)
        left = queue.count()
    done = [*accepted, *rejected]
    codes = [one.exit_code("accepted") for one in accepted] + [one.exit_code("rejected") for one in rejected]
    if published and published.is_refused:
        codes.append(published.exit_code)
    code = combined(codes)
    if call.wants_json:
        section = published.result.value if published else None
        told = [one.to_dict() for one in done]
        print_json({"decided": told, "left": left, "section": section}, code)
        return int(code)
    call.say(*(render.decided_line(one) for one in done), render.summary(done, left))
    tell_section(published, memory.target, "  ")
    return int(code)


def _walk(memory: Memory, reason: str, *, is_now: bool) -> tuple[Ending, Exit]:
    """Let a person at a terminal go through what waits."""
    from scrimshaw.cli.dialogues.review import walk

    with memory.review() as queue:
        tell(render.heading(memory.target, queue, reason), *render.doubted_lines(queue.recheck()))
        ending = walk(memory.target, queue, reason)
        published = queue.finish(is_now=is_now)
        if queue.decided or queue.count():
            tell(render.summary(queue.decided, queue.count()))
    return ending, tell_section(published, memory.target, "  ")
