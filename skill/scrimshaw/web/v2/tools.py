"""For a plug-in inside a host: an agent's tools, and the section where the host does not show it.

The same tools as over MCP, in plain JSON, without a protocol of their own. Where only the person can agree,
the answer says what they have to type.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from fastapi import APIRouter, Path
from fastapi.responses import JSONResponse
from pydantic import Field

from scrimshaw.mcp_server.calls import MemoryTools, ToolAnswer
from scrimshaw.services.status.unshown import unshown_section
from scrimshaw.web.access import Reader
from scrimshaw.web.problems import Problem
from scrimshaw.web.tokens import TokenScope
from scrimshaw.web.v2 import shapes
from scrimshaw.web.v2.replies import PREFIX, json_answer, responses

router = APIRouter(prefix=PREFIX, tags=["tools"])
_Name = Annotated[
    Literal[
        "memory_search",
        "memory_get",
        "memory_context",
        "memory_write",
        "memory_why",
        "memory_forget",
        "memory_status",
    ],
    Path(description="As `tools/list` of MCP names them."),
]


class ToolAsked(shapes.RequestBody):
    """A call of a tool."""

    agent: shapes.Agent
    arguments: Annotated[dict[str, Any], Field(default_factory=dict, description="As the tool takes them.")]


class ToolTold(shapes.ResponseBody):
    """What a tool answers: `content` by its output schema, or, with `is_error`, sentences in `text`."""

    agent: str
    content: dict[str, Any]
    text: str
    is_error: bool


class UnshownTold(shapes.ResponseBody):
    """The section as a prompt takes it; "" where the host shows it."""

    agent: str
    section: str


@router.post("/tools/{name}", responses=responses(ToolTold))
def call_tool(name: _Name, asked: ToolAsked, caller: Reader) -> JSONResponse:
    """Call a tool as the agent: its notes are checked, and it erases nothing."""
    memory = caller.memory(asked.agent)
    tools = MemoryTools(lambda: memory, read_only=not caller.grant.may(TokenScope.WRITE))
    try:
        reply = tools.call(name, asked.arguments)
    except KeyError:
        raise Problem(
            403,
            "This tool writes, and the token has scope read.",
            next_step="scrimshaw token create --agent NAME --scope write",
        ) from None
    answer = reply if isinstance(reply, ToolAnswer) else reply.unasked
    told = {"content": answer.content, "text": answer.text, "is_error": answer.is_error}
    return json_answer({"agent": memory.agent, **told})


@router.get("/unshown/{agent}", responses=responses(UnshownTold))
def unshown(agent: shapes.AgentPath, caller: Reader) -> JSONResponse:
    """Return the section if neither MEMORY.md nor the hook shows it to the agent; else nothing."""
    memory = caller.memory(agent)
    return json_answer({"agent": memory.agent, "section": unshown_section(memory.target, caller.agents.env)})
