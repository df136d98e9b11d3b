"""The pages, each made from one or a few results of `Memory`."""

from __future__ import annotations

from datetime import date
from itertools import groupby
from pathlib import Path
from typing import Annotated, Any, Literal

from fastapi import Query, Request
from fastapi.responses import FileResponse, RedirectResponse, Response

from scrimshaw.core.insight.health import FaultName
from scrimshaw.services.results import line_dict
from scrimshaw.web.page import shown
from scrimshaw.web.page.visit import PAGE, From, Looks, Number, more_of, page_router
from scrimshaw.web.page.visitors import LASTS_SECONDS, cookie_name
from scrimshaw.web.problems import Problem
from scrimshaw.web.threads import at_length

_STATIC = Path(__file__).parent / "static"
_FILES = {
    "icon.svg": "image/svg+xml",
    "page.css": "text/css; charset=utf-8",
    "page.js": "text/javascript; charset=utf-8",
    "htmx.min.js": "text/javascript; charset=utf-8",
}
_MOST_FOUND = 500  # lines that a search returns
_DECIDED = {  # faults that are already listed in another part of the queue
    FaultName.CONTRADICTORY: "conflicts",
    FaultName.STALE: "stale",
    FaultName.WAITING: "review",
}

router = page_router()


@router.get("/open")
def enter(request: Request, ticket: Annotated[str, Query(max_length=8_192)] = "") -> Response:
    """Let in whoever has a link, and have the link forgotten."""
    cookie = request.app.state.visitors.let_in(ticket)
    answer = RedirectResponse("/", 303)
    name = cookie_name(request)
    answer.set_cookie(name, cookie, max_age=LASTS_SECONDS, httponly=True, samesite="strict", path="/")
    return answer


@router.get("/page/static/{name}")
def static(name: str) -> Response:
    """Return one of the page's own files; they hold nothing of anybody's."""
    if name not in _FILES:
        raise Problem(404, "There is no such file.")
    caching = {"Cache-Control": "public, max-age=3600"}
    return FileResponse(_STATIC / name, media_type=_FILES[name], headers=caching)


# -- reading ------------------------------------------------------------------------------


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
        is_out=status["section"]["state"].startswith("removed"),
        brings_back=visit.command("scrimshaw init"),
        section=memory.as_of(memory.now()).body,
        spend=memory.spend().to_dict(),
        share=shown.share(status["section"]["units"], status["section"]["budget_units"]),
    )


@router.get("/page/health")
def health(visit: Looks) -> Response:
    """Score the memory: what takes longest, so that no other view waits for it."""
    return visit.page("health", health=visit.memory.health().to_dict(), decided=_DECIDED)


@router.get("/page/conflicts")
def conflicts(visit: Looks, start: From = 0) -> Response:
    """Show what contradicts itself; it is looked for anew."""
    found = visit.memory.conflicts(limit=start + PAGE).to_dict()
    found["conflicts"] = found["conflicts"][start:]
    return visit.page("conflicts", conflicts=found, more=more_of(start, found["count"]))


@router.get("/page/memory")
def lines(
    visit: Looks,
    q: Annotated[str, Query(max_length=1_000)] = "",
    kind: Annotated[str, Query(max_length=20)] = "",
    part: Annotated[str, Query(max_length=20)] = "",
    state: Literal["live", "closed", "any"] = "live",
    day: Annotated[str, Query(max_length=10)] = "",
    before: Annotated[str, Query(max_length=80)] = "",
    start: From = 0,
) -> Response:
    """Show what is known: what a search finds, or everything, day by day, the newest first."""
    memory, on, older, more = visit.memory, _day(day), "", 0
    is_live = {"live": True, "closed": False, "any": None}[state]
    kind, part = kind if kind in shown.KINDS else "", part if part in shown.PARTS else ""
    groups: list[tuple[str, list[dict[str, Any]]]] = []
    if q.strip():
        hits = memory.search(
            q,
            limit=_MOST_FOUND,
            kinds=[kind] if kind else (),
            since=on,
            until=on,
            closed=is_live is not True,
            layers=["episodic"],
            shared=False,
        ).hits
        every = [line_dict(hit.line) for hit, _ in hits]
        found = [
            one for one in every if part in ("", one["place"]) and is_live in (None, one["closed"] is None)
        ]
        more = more_of(start, len(found))
        groups = [("", found[start : start + PAGE])] if found[start:] else []
    else:
        page = memory.lines(PAGE, before=before, kind=kind, part=part, day=on, live=is_live).to_dict()
        older = page["older"]
        groups = [(date, list(some)) for date, some in groupby(page["lines"], lambda one: str(one["date"]))]
    return visit.page(
        "memory",
        q=q,
        kind=kind,
        part=part,
        state=state,
        day=day if on else "",
        groups=groups,
        older=older,
        more=more,
        kinds=shown.KINDS,
        parts=shown.PARTS,
    )


def _day(said: str) -> date | None:
    try:
        return date.fromisoformat(said)
    except ValueError:
        return None


@router.get("/page/line/{id_}")
def line(visit: Looks, id_: str) -> Response:
    """Show where a line comes from, and what became of it."""
    why = visit.memory.why(id_[:64]).to_dict()
    for source in why["sources"]:
        source["parts"] = shown.marked(source["text"] or "", why["text"] or "")
    plan = visit.memory.plan_forget(why["id"], dry_run=True)
    turns = [one["type"] for one in why["events"] if one["type"] in ("pinned", "unpinned")]
    is_pinned = turns[-1:] == ["pinned"]
    why["events"], earlier = why["events"][-PAGE:], len(why["events"][:-PAGE])
    return visit.page("line", why=why, forgets=len(plan.ids), earlier=earlier, is_pinned=is_pinned)


@router.get("/page/changes")
def changes(visit: Looks, before: Annotated[int | None, Query(ge=1, le=10**12)] = None) -> Response:
    """Show the revisions of the section, the newest first."""
    found = visit.memory.log(PAGE, before=before).to_dict()["revisions"]
    older = found[-1]["number"] if len(found) == PAGE else None
    return visit.page("changes", revisions=found, older=older)


@router.get("/page/changes/{number}")
def change(visit: Looks, number: Number) -> Response:
    """Show what one revision changed."""
    told = visit.memory.diff(number - 1, number).to_dict() if number > 1 else None
    rows = shown.diff_rows(told["diff"]) if told else []
    return visit.page("change", number=number, rows=rows)


@router.get("/page/decide")
def decide(visit: Looks, start: From = 0) -> Response:
    """Show what waits for the person."""
    with visit.memory.review(decide=False) as queue:
        # Not `to_dict`, which also judges every line anew; this page does not show that.
        waiting, proposals = queue.count(), queue.waiting()
    more = more_of(start, len(proposals))
    return visit.page("decide", proposals=proposals[start : start + PAGE], waiting=waiting, more=more)


@router.get("/page/stale")
def stale(visit: Looks, start: From = 0) -> Response:
    """Show what may no longer hold; every line is looked at, so no other part waits for it."""
    found = visit.memory.stale(limit=start + PAGE).to_dict()
    found["stale"] = found["stale"][start:]
    return visit.page("stale", stale=found, more=more_of(start, found["found"]))


@router.get("/page/agents")
def agents(visit: Looks, start: From = 0) -> Response:
    """Show every agent at a glance."""
    memories = [visit.caller.memory(name) for name in visit.names[start : start + PAGE]]
    there = {id(one): one for one in memories if one.is_set_up}  # some agents share one
    rows = [one.status().to_dict() for one in there.values()]
    return visit.page("agents", rows=rows, more=more_of(start, len(visit.names)))


@router.get("/page/fleet")
def fleet(
    visit: Looks,
    q: Annotated[str, Query(max_length=1_000)] = "",
    of: Annotated[str, Query(max_length=40)] = "",
    start: From = 0,
) -> Response:
    """Show what the agents of the fleet, or one of them, have noted: what a search finds, or the newest."""
    memory = visit.memory
    status = memory.fleet_status().to_dict()
    found = None
    if memory.is_in_fleet and not status["problem"]:
        agents, limit = [of] if of else None, start + PAGE + 1
        if q.strip():
            found = memory.search_fleet(q, agents=agents, limit=limit)
        else:
            found = memory.fleet_timeline(agents=agents, limit=limit)
    lines = list(found.lines) if found else []
    lines = lines if q.strip() else lines[::-1]
    return visit.page(
        "fleet",
        status=status,
        q=q,
        of=of,
        lines=lines[start : start + PAGE],
        notes=found.notes if found else (),
        more=more_of(start, len(lines)),
    )


@router.get("/page/fleet/health")
def fleet_health(visit: Looks, start: From = 0) -> Response:
    """Score every memory of the fleet; each line of all of them is read for it."""
    with at_length():
        rows = visit.memory.fleet_health().to_dict()["agents"]
    return visit.page("fleet_health", rows=rows[start : start + PAGE], more=more_of(start, len(rows)))
