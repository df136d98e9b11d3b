"""What requests about the ledger's lines hold, and their answers in the description."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import Field

from scrimshaw.core.types import Kind
from scrimshaw.web.v2.shapes import TEXT, Agent, OfAgentTold, RequestBody, ResponseBody, When

Line = Annotated[
    str, Field(min_length=1, max_length=2_000, pattern=TEXT, description="Words of a line, or its id.")
]


class EntryTold(ResponseBody):
    """What was noted at some time."""

    timestamp: datetime
    content: str
    type: str
    source: Literal["working", "episodic"]


class TimelineTold(ResponseBody):
    """What was noted, the oldest first; *next_cursor* asks for what was before, null at the beginning."""

    agent: str
    entries: list[EntryTold]
    next_cursor: str | None


class RevisionsTold(OfAgentTold):
    """A page of the section's revisions, the newest first."""

    revisions: list[dict[str, Any]]
    next_cursor: str | int | None


class NoteAsked(RequestBody):
    """Something to note."""

    text: Annotated[str, Field(min_length=1, max_length=10_000, pattern=TEXT)]
    agent: Agent
    kind: Kind | None = None
    importance: Literal["important", "minor"] | None = None


class LineAsked(RequestBody):
    """A line."""

    line: Line
    agent: Agent


class UndoAsked(RequestBody):
    """Which revision to take back; left out: the newest that still counts."""

    agent: Agent
    revision: Annotated[int | None, Field(ge=1, le=2**53)] = None
    dry_run: bool = False


class ForgetPlanAsked(RequestBody):
    """What is to be forgotten: words of a line, a conversation, or all before some time."""

    agent: Agent
    words: Annotated[str, Field(max_length=2_000)] = ""
    session: Annotated[str, Field(max_length=500)] = ""
    before: When | None = None
    all_lines: bool = False


class ForgetAsked(ForgetPlanAsked):
    """The same, with the plan that was shown."""

    plan: Annotated[
        str, Field(min_length=1, max_length=100, description="The `plan` of the answer to /forget/plan.")
    ]


class ForgetPlanTold(OfAgentTold):
    """What would go."""

    plan: str
    lines: list[dict[str, Any]]
    memories: list[dict[str, Any]]


class DecideAsked(RequestBody):
    """A decision on a proposal."""

    agent: Agent
    id: Annotated[int, Field(ge=1, le=2**53)]
    decision: Literal["accept", "reject", "edit"]
    text: Annotated[str, Field(max_length=10_000, description="For edit: what to note instead.")] = ""


class RunAsked(RequestBody):
    """A run for an agent."""

    agent: Agent
    dry_run: bool = False


class SettleAsked(RequestBody):
    """What the person decides about two lines that are in conflict."""

    agent: Agent
    first: Line
    second: Line
    settlement: Literal["merge", "keep-both", "delete-1", "delete-2"]


class CleanAsked(RequestBody):
    """What to take out; only shown, unless `dry_run` is false."""

    agent: Agent
    only: Annotated[
        list[Literal["junk", "doubled", "unverifiable"]], Field(default_factory=list, max_length=3)
    ]
    dry_run: bool = True
