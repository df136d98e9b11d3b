"""One request for a page: the visitor, the agent, and the answer, including errors and notices."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Iterator
from typing import Annotated, Any
from urllib.parse import urlencode

from fastapi import APIRouter, Depends, Form, Path, Query, Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response
from fastapi.routing import APIRoute

from scrimshaw.cli.support.terminal import as_called, plain
from scrimshaw.errors import UserError
from scrimshaw.memory import Memory
from scrimshaw.services.publish.result import PublishOutcome
from scrimshaw.web.access import Caller
from scrimshaw.web.page import shown
from scrimshaw.web.page.visitors import Notice, Visitors
from scrimshaw.web.problems import Problem, problem_of
from scrimshaw.web.tokens import PERSON

_PART_OF = {  # the view in the navigation to which others belong
    "health": "now",
    "line": "memory",
    "change": "changes",
    "conflicts": "decide",
    "stale": "decide",
    "curve": "time",
    "past": "time",
    "usage": "time",
    "fleet_health": "fleet",
    "nobody": "now",
}
PAGE = 50  # rows of a list
_BRINGS_BACK = "scrimshaw init"  # a section that was taken out
_MOST_NAMES = 200  # agents to choose from in a list; of more, *Agents* shows them
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)


def more_of(start: int, count: int) -> int:
    """Return where the next page of a list of *count* begins, 0 for none."""
    return start + PAGE if start + PAGE < count else 0


class _Told(APIRoute):
    """A route whose errors are shown as a page."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        answers = super().get_route_handler()

        async def told(request: Request) -> Response:
            try:
                return await answers(request)
            except UserError as error:
                problem = problem_of(error)
            except Problem as found:
                problem = found
            text = shown.render("error.html", {"problem": problem})
            headers = {**(problem.headers or {}), "Content-Security-Policy": POLICY}
            return HTMLResponse(text, problem.status_code, headers)

        return told


def page_router() -> APIRouter:
    """Return a router for pages, which are not part of the OpenAPI description."""
    return APIRouter(include_in_schema=False, route_class=_Told)


class Visit:
    """One request of one visitor for one agent's memory."""

    def __init__(self, request: Request, agent: str = "") -> None:
        self.request = request
        self.visitors: Visitors = request.app.state.visitors
        self.who = self.visitors.check(request)
        agents = self._agents = request.app.state.door.agents
        self.names: list[str] = agents.names()
        self.agent = agent or next(iter(self.names), "")
        self.caller = Caller(PERSON, agents, [])

    @property
    def memory(self) -> Memory:
        """The memory to be shown; raises Problem 404 if there is none."""
        if self.agent not in self.names:
            raise Problem(404, "There is no such agent here.", next_step="scrimshaw status lists them")
        return self.caller.memory(self.agent)

    def command(self, text: str) -> str:
        """Return *text* with each of our commands in it about this agent."""
        where = {"home": self._agents.home, "state_dir": self._agents.state_dir, "agent": self.agent}
        return plain(as_called(text, "", where))

    def page(self, view: str, **values: Any) -> HTMLResponse:  # noqa: ANN401  # a template's
        told = {
            "view": view,
            "part_of": _PART_OF.get(view, view),
            "agent": self.agent,
            "names": self.names if len(self.names) <= _MOST_NAMES else [self.agent],
            "zone": self.memory.target.zone if self.agent in self.names else "UTC",
            "in_fleet": self.agent in self.names and self.memory.is_in_fleet,
            # Parts that the page fetches may be discarded, so the notice waits for a page that is opened.
            "notice": None if "hx-request" in self.request.headers else self.visitors.told(self.who),
        }
        text = shown.render(f"{view}.html", {**told, **values})
        return HTMLResponse(text, headers={"Content-Security-Policy": POLICY})

    def done(
        self, does: Callable[[], object], back: str | Callable[[], str], typed: str = "", *, said: str = ""
    ) -> Response:
        """Run *does*, and redirect to *back*, which shows what is *said*, or its result, and how to undo it.

        When it is refused, the page shows what was *typed* again.
        """
        before = self._newest()
        try:
            result = does()
            newest = self._newest()
            is_out = getattr(result, "is_taken_out", False)  # of an undo; another cannot bring it back
            told = " ".join(filter(None, [said or str(result), self._without_section(result)]))
            notice = Notice(told, newest if newest > before and not is_out else 0)
        except UserError as error:
            told = " ".join([*error.problems, self.command(error.next_step)]).strip()
            notice = Notice(told, at=self.request.url.path, typed=typed)
        self.visitors.tell(self.who, notice)
        to = back if isinstance(back, str) else back()
        to = to if to.startswith("/page") else "/"
        return RedirectResponse(f"{to}?{urlencode({'agent': self.agent})}", 303)

    def _without_section(self, result: object) -> str:
        """Return that no section shows *result*, and what brings it back; "" where one does."""
        if getattr(result, "is_taken_out", False):
            why = "The section was taken out of MEMORY.md"
        elif getattr(getattr(result, "published", None), "result", None) is PublishOutcome.DISABLED:
            why = "It stands in no section: that was taken out of MEMORY.md before"
        else:
            return ""
        return f"{why}. {self.command(_BRINGS_BACK)} brings it back."

    def _newest(self) -> int:
        return next((one.revision.number for one in self.memory.log(1).entries), 0)


def _visit(request: Request, agent: Annotated[str, Query(max_length=200)] = "") -> Iterator[Visit]:
    visit = Visit(request, agent)
    try:
        yield visit
    finally:
        visit.caller.done()


Looks = Annotated[Visit, Depends(_visit)]
From = Annotated[int, Query(alias="from", ge=0, le=100_000)]  # where in a list to begin
Text = Annotated[str, Form(max_length=4_000)]
Number = Annotated[int, Path(ge=1, le=2**53)]  # of a revision or a proposal
