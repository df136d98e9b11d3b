"""The views, each made of one or a few of `Memory`'s results, and what can be done from them.

What changes something is a form, answered by a redirect to where the person was; what came of it, or why
nothing did, is told at the top of the next page.
"""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any
from urllib.parse import urlencode

from fastapi import APIRouter, Depends, Form, Query, Request
from fastapi.responses import FileResponse, HTMLResponse, RedirectResponse, Response, StreamingResponse
from fastapi.routing import APIRoute

from scrimshaw.errors import UserError
from scrimshaw.memory import Memory
from scrimshaw.web.access import Caller
from scrimshaw.web.page import shown
from scrimshaw.web.page.visitors import COOKIE, LASTS_SECONDS, Visitors
from scrimshaw.web.problems import Problem, problem_of
from scrimshaw.web.tokens import PERSON

PATHS = ("/", "/open", "/page")
_STATIC = Path(__file__).parent / "static"
_FILES = {
    "page.css": "text/css; charset=utf-8",
    "page.js": "text/javascript; charset=utf-8",
    "htmx.min.js": "text/javascript; charset=utf-8",
}
_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
_PAGE = 50  # lines of a list
_MOST_STREAMS = 16
_LOOK_SECONDS = 2.0
_ALIVE_ROUNDS = 10  # without news, before a sign of life
_streams = threading.BoundedSemaphore(_MOST_STREAMS)


class _Told(APIRoute):
    """A route whose errors are a page, too."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """Return what answers, errors included."""
        answers = super().get_route_handler()

        async def told(request: Request) -> Response:
            try:
                return await answers(request)
            except UserError as error:
                problem = problem_of(error)
            except Problem as found:
                problem = found
            text = shown.render("error.html", {"problem": problem})
            headers = {**(problem.headers or {}), "Content-Security-Policy": _POLICY}
            return HTMLResponse(text, problem.status_code, headers)

        return told


router = APIRouter(include_in_schema=False, route_class=_Told)


class Visit:
    """One look of one visitor: who it is, and at which agent's memory."""

    def __init__(self, request: Request, agent: str = "") -> None:
        self.request = request
        self.visitors: Visitors = request.app.state.visitors
        self.who = self.visitors.check(request)
        agents = request.app.state.door.agents
        self.names: list[str] = agents.names()
        self.agent = agent or next(iter(self.names), "")
        self.caller = Caller(PERSON, agents, [])

    @property
    def memory(self) -> Memory:
        """The memory that is looked at; raises Problem 404 where there is none."""
        if self.agent not in self.names:
            raise Problem(404, "There is no such agent here.", next_step="scrimshaw status lists them")
        return self.caller.memory(self.agent)

    def page(self, view: str, **values: Any) -> HTMLResponse:  # noqa: ANN401  # a template's
        """Return *view*, rendered."""
        told = {
            "view": view,
            "agent": self.agent,
            "agents": self.names,
            "notice": self.visitors.told(self.who),
        }
        text = shown.render(f"{view}.html", {**told, **values})
        return HTMLResponse(text, headers={"Content-Security-Policy": _POLICY})

    def done(self, does: Callable[[], str], back: str) -> Response:
        """Do it, and return to *back*; what came of it is told there."""
        try:
            self.visitors.tell(self.who, does())
        except UserError as error:
            self.visitors.tell(self.who, " ".join([*error.problems, error.next_step]).strip())
        to = back if back.startswith("/page") or back == "/" else "/"
        return RedirectResponse(f"{to}?{urlencode({'agent': self.agent})}", 303)


def _visit(request: Request, agent: Annotated[str, Query(max_length=200)] = "") -> Iterator[Visit]:
    visit = Visit(request, agent)
    try:
        yield visit
    finally:
        visit.caller.done()


Looks = Annotated[Visit, Depends(_visit)]
Text = Annotated[str, Form(max_length=4_000)]


@router.get("/open")
def enter(request: Request, ticket: Annotated[str, Query(max_length=8_192)] = "") -> Response:
    """Let in whoever has a link, and have the link forgotten."""
    cookie = request.app.state.visitors.let_in(ticket)
    answer = RedirectResponse("/", 303)
    answer.set_cookie(COOKIE, cookie, max_age=LASTS_SECONDS, httponly=True, samesite="strict", path="/")
    return answer


@router.get("/page/static/{name}")
def static(name: str) -> Response:
    """Return one of the page's own files; they hold nothing of anybody's."""
    if name not in _FILES:
        raise Problem(404, "There is no such file.")
    caching = {"Cache-Control": "public, max-age=3600"}
    return FileResponse(_STATIC / name, media_type=_FILES[name], headers=caching)


# -- what is looked at ------------------------------------------------------------------------------


@router.get("/")
def now(visit: Looks) -> Response:
    """Show how the memory is, and the section as the agent sees it."""
    if not visit.names:
        return visit.page("nobody")
    memory = visit.memory
    if not memory.is_set_up:
        return visit.page("nobody")
    status = memory.status().to_dict()
    return visit.page(
        "now",
        status=status,
        section=memory.as_of(memory.now()).body,
        spend=memory.spend().to_dict(),
        share=shown.share(status["section"]["units"], status["section"]["budget_units"]),
    )


@router.get("/page/health")
def health(visit: Looks) -> Response:
    """Score the memory: what takes longest, so that no other view waits for it."""
    return visit.page("health", health=visit.memory.health().to_dict())


@router.get("/page/conflicts")
def conflicts(visit: Looks) -> Response:
    """Show what contradicts itself; it is looked for anew."""
    return visit.page("conflicts", conflicts=visit.memory.conflicts(limit=_PAGE).to_dict())


@router.get("/page/memory")
def lines(
    visit: Looks,
    q: Annotated[str, Query(max_length=1_000)] = "",
    kind: Annotated[str, Query(max_length=20)] = "",
    part: Annotated[str, Query(max_length=20)] = "",
    until: Annotated[int | None, Query(ge=0, le=10**14)] = None,
) -> Response:
    """Show what is known: what a search finds, or everything, the newest first."""
    memory = visit.memory
    older = None
    if q.strip():
        found = memory.search(q, limit=_PAGE, kinds=[kind] if kind else (), layers=["episodic"]).to_dict()[
            "hits"
        ]
    else:
        end = datetime.fromtimestamp(until / 1000, UTC) if until else None
        told = memory.timeline(until=end, limit=4 * _PAGE if kind or part else _PAGE).to_dict()
        found = told["lines"][::-1]
        if told["left_out"] and found:
            older = found[-1]["said_at_ms"]
        found = [one for one in found if one["closed"] is None and kind in ("", one["kind"])]
    found = [one for one in found if part in ("", one.get("place", part))]
    return visit.page("memory", q=q, kind=kind, part=part, found=found, older=older, kinds=shown.KINDS)


@router.get("/page/line/{id_}")
def line(visit: Looks, id_: str) -> Response:
    """Show where a line comes from, and what became of it."""
    why = visit.memory.why(id_[:64]).to_dict()
    for source in why["sources"]:
        source["parts"] = shown.marked(source["text"] or "", why["text"] or "")
    plan = visit.memory.plan_forget(why["id"], dry_run=True)
    return visit.page("line", why=why, forgets=len(plan.ids))


@router.get("/page/changes")
def changes(visit: Looks, before: Annotated[int | None, Query(ge=1, le=10**12)] = None) -> Response:
    """Show the revisions of the section, the newest first."""
    found = visit.memory.log(_PAGE, before=before).to_dict()["revisions"]
    older = found[-1]["number"] if len(found) == _PAGE else None
    return visit.page("changes", revisions=found, older=older)


@router.get("/page/changes/{number}")
def change(visit: Looks, number: int) -> Response:
    """Show what one revision changed."""
    told = visit.memory.diff(number - 1, number).to_dict() if number > 1 else None
    rows = shown.diff_rows(told["diff"]) if told else []
    return visit.page("change", number=number, rows=rows)


@router.get("/page/decide")
def decide(visit: Looks) -> Response:
    """Show what waits for the person."""
    memory = visit.memory
    with memory.review(decide=False) as queue:
        review = queue.to_dict()
    return visit.page(
        "decide",
        proposals=review["proposals"][:_PAGE],
        waiting=review["waiting"],
        stale=memory.stale(limit=_PAGE).to_dict(),
    )


@router.get("/page/time")
def over_time(
    visit: Looks,
    figure: Annotated[str, Query(max_length=40)] = "memories",
    days: Annotated[int, Query(ge=2, le=365)] = 30,
) -> Response:
    """Show a figure of each of the last days."""
    told = visit.memory.trend(figure, days=days).to_dict()
    return visit.page(
        "time",
        figure=figure,
        days=days,
        rows=told["days"],
        line=shown.sparkline(told["days"]),
        figures=shown.FIGURES,
    )


@router.get("/page/agents")
def agents(visit: Looks) -> Response:
    """Show every agent at a glance."""
    rows = [one.status().to_dict() for one in visit.caller.memories()]
    return visit.page("agents", rows=rows)


@router.get("/page/events")
async def events(visit: Looks) -> Response:
    """Tell whenever the memory that is looked at has changed, until the page is left."""
    if not _streams.acquire(blocking=False):
        raise Problem(503, "Too many pages are open.", headers={"Retry-After": "10"})
    layout = visit.memory.target.layout
    paths = (layout.ledger, layout.ledger.with_name(f"{layout.ledger.name}-wal"), layout.memory)
    headers = {"Content-Security-Policy": _POLICY, "Cache-Control": "no-store"}
    return StreamingResponse(_news(visit.request, paths), media_type="text/event-stream", headers=headers)


async def _news(request: Request, paths: tuple[Path, ...]) -> AsyncIterator[str]:
    try:
        before, rounds = _stamps(paths), 0
        yield "retry: 3000\n: here\n\n"
        while not await request.is_disconnected():
            await asyncio.sleep(_LOOK_SECONDS)
            rounds += 1
            found = _stamps(paths)
            if found != before:
                before, rounds = found, 0
                yield "event: changed\ndata: \n\n"
            elif rounds % _ALIVE_ROUNDS == 0:
                yield ": here\n\n"
    finally:
        _streams.release()


def _stamps(paths: tuple[Path, ...]) -> tuple[tuple[int, int], ...]:
    found = []
    for path in paths:
        with suppress(OSError):
            told = os.stat(path)  # noqa: PTH116  # every two seconds
            found.append((told.st_mtime_ns, told.st_size))
    return tuple(found)


# -- what is done -----------------------------------------------------------------------------------


@router.post("/page/line/{id_}/{act}")
def act_on_line(visit: Looks, id_: str, act: str, back: Text = "/page/memory") -> Response:
    """Pin, let go, confirm, take out or forget a line."""
    memory = visit.memory

    def does() -> str:
        match act:
            case "pin":
                memory.pin(id_, at_once=True)
                return "Pinned: it stays in the section."
            case "unpin":
                memory.unpin(id_, at_once=True)
                return "No longer pinned."
            case "reinforce":
                memory.reinforce(id_, at_once=True)
                return "Noted that it still holds."
            case "delete":
                memory.delete_line(id_, at_once=True)
                return "Taken out. Undo brings it back: see Changes."
            case "forget":
                result = memory.forget(memory.plan_forget(id_))
                return f"Forgotten, everywhere: {len(result.plan.ids)}. This cannot be undone."
            case _:
                raise Problem(404, "There is no such thing to do.")

    return visit.done(does, back)


@router.post("/page/note")
def note(visit: Looks, text: Text) -> Response:
    """Note what the person writes."""

    def does() -> str:
        visit.memory.add(text, author="person", at_once=True)
        return "Noted."

    return visit.done(does, "/")


@router.post("/page/undo/{number}")
def undo(visit: Looks, number: int) -> Response:
    """Undo a revision; that makes a new one, which can be undone."""

    def does() -> str:
        visit.memory.undo(number)
        return f"Revision {number} is undone. To have it back, undo the newest revision."

    return visit.done(does, "/page/changes")


@router.post("/page/clean")
def clean(visit: Looks) -> Response:
    """Take out what is junk; one revision, which can be undone."""

    def does() -> str:
        told = visit.memory.clean(at_once=True).to_dict()
        return f"Cleaned: {told.get('removed', told.get('count', 0))} taken out. Undo: see Changes."

    return visit.done(does, "/")


@router.post("/page/review/{number}/{decision}")
def review(visit: Looks, number: int, decision: str, text: Text = "") -> Response:
    """Decide on what was proposed."""
    if decision not in ("accept", "reject", "edit"):
        raise Problem(404, "There is no such decision.")

    def does() -> str:
        with visit.memory.review() as queue:
            queue.check_there([number])
            if decision == "accept":
                made = queue.accept(number)
            elif decision == "reject":
                made = queue.reject(number)
            else:
                made = queue.edit(number, text)
            queue.finish()
        return f"{made.outcome.value.capitalize()}. {made.detail}".strip()

    return visit.done(does, "/page/decide")


@router.post("/page/conflict/{first}/{second}/{settlement}")
def settle(visit: Looks, first: str, second: str, settlement: str) -> Response:
    """Settle a contradiction."""

    def does() -> str:
        visit.memory.settle_conflict(first, second, settlement, at_once=True)
        return "Settled. Undo: see Changes."

    return visit.done(does, "/page/decide")
