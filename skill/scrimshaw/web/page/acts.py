"""The changes that can be made from the page.

Each is a form that redirects to the page it came from; the next page shows the result, or why nothing was
done, with a button to undo it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Literal

from fastapi import Form
from fastapi.responses import Response

from scrimshaw.core.text.plural import counted
from scrimshaw.errors import UserError
from scrimshaw.services.observe.task import ObserveOptions
from scrimshaw.web.page.visit import Looks, Number, Text, page_router
from scrimshaw.web.problems import Problem
from scrimshaw.web.threads import at_length

router = page_router()


@router.post("/page/line/{id_}/reword")
def reword(visit: Looks, id_: str, text: Text) -> Response:
    """Put the person's words in the place of a line's."""
    at = id_

    def does() -> str:
        nonlocal at
        made = visit.memory.reword(id_, text, at_once=True)
        at = made.line.observation.id
        return "Reworded." if made.is_changed else "It reads so already."

    return visit.done(does, lambda: f"/page/line/{at}", text)


@router.post("/page/line/{id_}/{act}")
def act_on_line(visit: Looks, id_: str, act: str, back: Text = "/page/memory") -> Response:
    """Pin, let go, confirm, take out or forget a line."""
    memory = visit.memory
    acts: dict[str, tuple[Callable[..., object], str]] = {
        "pin": (memory.pin, "Pinned: it stays in the section."),
        "unpin": (memory.unpin, "No longer pinned."),
        "reinforce": (memory.reinforce, "Noted that it still holds."),
        "delete": (memory.delete_line, "Taken out."),
    }

    def forgets() -> str:
        result = memory.forget(memory.plan_forget(id_))
        return f"Forgotten, everywhere: {len(result.plan.ids)}. This cannot be undone."

    if act == "forget":
        return visit.done(forgets, back)
    if act not in acts:
        raise Problem(404, "There is no such thing to do.")
    does, said = acts[act]
    return visit.done(lambda: does(id_, at_once=True), back, said=said)


@router.post("/page/note")
def note(visit: Looks, text: Text) -> Response:
    """Note what the person writes."""
    return visit.done(lambda: visit.memory.add(text, author="person", at_once=True), "/", text, said="Noted.")


@router.post("/page/undo/{number}")
def undo(visit: Looks, number: Number) -> Response:
    """Undo a revision; that makes a new one, which can be undone."""
    said = f"Revision {number} is undone."
    return visit.done(lambda: visit.memory.undo(number), "/page/changes", said=said)


@router.post("/page/clean")
def clean(visit: Looks, only: Annotated[Literal["", "unverifiable"], Form()] = "") -> Response:
    """Take out what is junk, or *only* what cannot be verified; one revision, which can be undone."""

    def does() -> str:
        gone = visit.memory.clean(only=[only] if only else (), at_once=True).gone
        return f"Cleaned: {counted(len(gone), 'line')} taken out."

    return visit.done(does, "/")


@router.post("/page/observe")
def observe(visit: Looks) -> Response:
    """Read what waits, and write the section; with a model this takes its time."""

    def does() -> str:
        with at_length():
            done = visit.memory.observe(ObserveOptions(waits=False))
        told = f"Conversations were read: {counted(done.observed.accepted, 'line')} noted."
        return " ".join([told, *(f"{one.place}: {one.what}." for one in done.observed.problems[:3])])

    return visit.done(does, "/")


@router.post("/page/review/{number}/{decision}")
def review(visit: Looks, number: Number, decision: str, text: Text = "") -> Response:
    """Decide on what was proposed."""
    if decision not in ("accept", "reject", "edit"):
        raise Problem(404, "There is no such decision.")

    def does() -> str:
        from scrimshaw.services.edit.review import ReviewOutcome  # it loads long

        with visit.memory.review() as queue:
            queue.check_there([number])
            if decision == "accept":
                made = queue.accept(number)
            elif decision == "reject":
                made = queue.reject(number)
            else:
                made = queue.edit(number, text)
            queue.finish()
        if made.outcome is ReviewOutcome.NOT_POSSIBLE:
            raise UserError(f"Not possible: {made.detail}.")
        return f"{made.outcome.value.capitalize()}. {made.detail}".strip()

    return visit.done(does, "/page/decide", text)


@router.post("/page/conflict/{first}/{second}/{settlement}")
def settle(visit: Looks, first: str, second: str, settlement: str) -> Response:
    """Settle a contradiction."""
    memory = visit.memory
    return visit.done(
        lambda: memory.settle_conflict(first, second, settlement, at_once=True),
        "/page/decide",
        said="Settled.",
    )
