"""How much there is, and of whom."""

from __future__ import annotations

from fastapi import APIRouter
from fastapi.responses import JSONResponse

from scrimshaw.web.access import Reader
from scrimshaw.web.v2 import shapes
from scrimshaw.web.v2.replies import PREFIX, json_answer, responses

router = APIRouter(prefix=PREFIX, tags=["server"])


@router.get("/stats", responses=responses(shapes.StatsTold))
def stats(caller: Reader, agent: shapes.AgentQuery = None) -> JSONResponse:
    """Return the sizes of the layers, and which model makes their vectors."""
    from scrimshaw.services.status.sizes import told_together

    return json_answer(told_together([memory.sizes() for memory in caller.memories(agent)]))


@router.get("/health", responses=responses(shapes.OfAgentTold))
def health(caller: Reader, agent: shapes.AgentQuery = None) -> JSONResponse:
    """Return the score of an agent's memory, 0 to 100, and what costs points."""
    return json_answer(caller.memory(agent).health().to_dict())


@router.get("/agents", responses=responses(shapes.AgentsTold))
def agents(caller: Reader) -> JSONResponse:
    """Return the agents that the token may see."""
    return json_answer({"agents": caller.names(), "scope": caller.grant.scope.value})
