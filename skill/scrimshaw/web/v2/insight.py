"""Figures and doubtful lines for everyone with a token, and the person's decisions on them."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query
from fastapi.responses import JSONResponse

from scrimshaw.services.insight.trend import MOST_DAYS
from scrimshaw.web.access import Owner, Reader
from scrimshaw.web.threads import at_length
from scrimshaw.web.v2 import shapes
from scrimshaw.web.v2.replies import PREFIX, json_answer, responses

router = APIRouter(prefix=PREFIX, tags=["insight"])
_OF = responses(shapes.OfAgentTold)
_PAGE_OF = responses(shapes.PageOfAgentTold)


@router.get("/facts/{agent}", responses=_OF)
def facts(agent: shapes.AgentPath, caller: Reader) -> JSONResponse:
    """Return figures: facts by type, how recent they are, what is recalled most."""
    return json_answer(caller.memory(agent).stats().to_dict())


@router.get("/stale/{agent}", responses=_PAGE_OF)
def stale(
    agent: shapes.AgentPath,
    caller: Reader,
    min_confidence: Annotated[float, Query(ge=0, le=1, allow_inf_nan=False)] = 0.5,
    days: Annotated[int, Query(ge=0, le=36_500)] = 30,
    limit: shapes.Limit = 50,
    cursor: shapes.Cursor = None,
) -> JSONResponse:
    """List the facts that may no longer hold, the most doubtful first."""
    memory = caller.memory(agent)
    found = memory.stale(min_confidence=min_confidence, days=days, limit=limit, after=cursor or "")
    return json_answer({**found.to_dict(), "next_cursor": found.after})


@router.get("/trend/{agent}", responses=_OF)
def trend(
    agent: shapes.AgentPath,
    figure: Annotated[str, Query(min_length=1, max_length=40, examples=["facts", "stale"])],
    caller: Reader,
    days: Annotated[int, Query(ge=1, le=MOST_DAYS)] = 30,
) -> JSONResponse:
    """Return a figure at the end of each of the last days, the oldest first."""
    with at_length():
        return json_answer(caller.memory(agent).trend(figure, days=days).to_dict())


@router.get("/conflicts/{agent}", responses=_PAGE_OF)
def conflicts(
    agent: shapes.AgentPath, caller: Reader, limit: shapes.Limit = 50, cursor: shapes.Cursor = None
) -> JSONResponse:
    """List the pairs of lines that cannot both hold."""
    found = caller.memory(agent).conflicts(limit=limit, after=cursor or "")
    return json_answer({**found.to_dict(), "next_cursor": found.after})


@router.post("/conflicts", responses=_OF)
def settle(asked: shapes.SettleAsked, caller: Owner) -> JSONResponse:
    """Settle a conflict: merge the two lines, keep both for good, or delete the first or the second."""
    done = caller.memory(asked.agent).settle_conflict(asked.first, asked.second, asked.settlement)
    return json_answer(done.to_dict())


@router.post("/reinforce", responses=_OF)
def reinforce(asked: shapes.LineAsked, caller: Owner) -> JSONResponse:
    """Confirm that a line still holds: confidence grows by .3, its age starts anew."""
    return json_answer(caller.memory(asked.agent).reinforce(asked.line).to_dict())


@router.post("/delete", responses=_OF)
def delete(asked: shapes.LineAsked, caller: Owner) -> JSONResponse:
    """Remove a line from section and search; `undo` brings it back."""
    return json_answer(caller.memory(asked.agent).delete_line(asked.line).to_dict())


@router.post("/clean", responses=_OF)
def clean(asked: shapes.CleanAsked, caller: Owner) -> JSONResponse:
    """Return what `clean` would remove; with `dry_run` false remove it, as one revision."""
    with at_length():
        done = caller.memory(asked.agent).clean(only=asked.only, dry_run=asked.dry_run)
        return json_answer(done.to_dict())
