"""The ledger's lines: what was noted, its sources and history; notes by hand, undo, forgetting, review."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated, Any, Literal

from fastapi import APIRouter, Query
from fastapi.responses import JSONResponse

from scrimshaw.core.ledger.program_lines import origin_of
from scrimshaw.core.types import Line
from scrimshaw.mcp_server.calls import mark_of
from scrimshaw.web.access import Owner, Reader, Writer
from scrimshaw.web.problems import Problem, calling
from scrimshaw.web.threads import at_length
from scrimshaw.web.tokens import TokenScope
from scrimshaw.web.v2 import shapes
from scrimshaw.web.v2.replies import PREFIX, json_answer, responses

if TYPE_CHECKING:
    from scrimshaw.services.edit.forget import ForgetPlan  # loaded with the first request that needs it

router = APIRouter(prefix=PREFIX, tags=["lines"])
_OF = responses(shapes.OfAgentTold)
_Time = Annotated[str | None, Query(min_length=1, max_length=100, examples=["2026-11-01", "last week"])]
_Number = Annotated[int | None, Query(ge=1, le=2**53, description="The next_cursor of the page before.")]


@router.get("/timeline/{agent}", responses=responses(shapes.TimelineTold))
def timeline(
    agent: shapes.AgentPath,
    caller: Reader,
    since: Annotated[str | None, Query(alias="from", min_length=1, max_length=100)] = None,
    to: _Time = None,
    limit: shapes.Limit = 500,
    cursor: shapes.Cursor = None,
) -> JSONResponse:
    """List what was noted by when it was said, the newest page first; else of the last fourteen days."""
    memory = caller.memory(agent)
    with calling(since="from", until="to"):
        found = memory.timeline(since=since, until=to, limit=limit, before=cursor or "")
    entries = [_entry(line) for line in found.lines]
    following = entries[0]["id"] if found.left_out else None
    told = {"entries": entries, "left_out": found.left_out, "next_cursor": following}
    return json_answer({"agent": memory.agent, **told})


@router.get("/why/{agent}", responses=_OF)
def why(
    agent: shapes.AgentPath,
    line: Annotated[str, Query(max_length=2_000, pattern=shapes.TEXT)],
    caller: Reader,
) -> JSONResponse:
    """Return what a line is based on: messages, run, checks and history; or a memory, by its id."""
    memory = caller.memory(agent)
    return json_answer((memory.why_memory(line) or memory.why(line)).to_dict())


@router.get("/as-of/{agent}", responses=_OF)
def as_of(
    agent: shapes.AgentPath,
    when: Annotated[str, Query(min_length=1, max_length=100, examples=["2026-11-01"])],
    caller: Reader,
    q: Annotated[str, Query(max_length=2_000)] = "",
    limit: shapes.Limit = 10,
) -> JSONResponse:
    """Return the section as the agent saw it then; with q what had been said by then and answers it."""
    memory = caller.memory(agent)
    found = memory.known_at(when, q, limit=limit) if q.strip() else memory.as_of(when)
    return json_answer(found.to_dict())


@router.get("/log/{agent}", responses=responses(shapes.RevisionsTold))
def log(
    agent: shapes.AgentPath,
    caller: Reader,
    limit: Annotated[int, Query(ge=1, le=100)] = 20,
    cursor: _Number = None,
) -> JSONResponse:
    """List the section's revisions, the newest first."""
    memory = caller.memory(agent)
    found = memory.log(limit + 1, before=cursor).to_dict()
    shown = found["revisions"][:limit]
    following = shown[-1]["number"] if len(found["revisions"]) > limit else None
    return json_answer({**found, "revisions": shown, "next_cursor": following})


@router.get("/diff/{agent}", responses=_OF)
def diff(agent: shapes.AgentPath, caller: Reader, first: _Time = None, second: _Time = None) -> JSONResponse:
    """Return the changes of a revision, or between two; each is a number or a time."""
    return json_answer(caller.memory(agent).diff(_number(first), _number(second)).to_dict())


@router.get("/status/{agent}", responses=_OF)
def status(agent: shapes.AgentPath, caller: Reader) -> JSONResponse:
    """Return sources, backlog, the section against its budget, the last run, and problems."""
    return json_answer(caller.memory(agent).status().to_dict())


@router.post("/notes", responses=_OF)
def add(asked: shapes.NoteAsked, caller: Writer) -> JSONResponse:
    """Add a note: with an owner's token as the person's words, otherwise as the agent's, which is checked."""
    by: Literal["person", "agent"] = "person" if caller.grant.may(TokenScope.OWNER) else "agent"
    memory = caller.memory(asked.agent, makes=True)
    done = memory.add(asked.text, kind=asked.kind, importance=asked.importance, author=by)
    return json_answer(done.to_dict())


@router.post("/pin", responses=_OF)
def pin(asked: shapes.LineAsked, caller: Owner) -> JSONResponse:
    """Pin a line: shown first, never merged away."""
    return json_answer(caller.memory(asked.agent).pin(asked.line).to_dict())


@router.post("/unpin", responses=_OF)
def unpin(asked: shapes.LineAsked, caller: Owner) -> JSONResponse:
    """Unpin a line, which then may be merged or left out like any other."""
    return json_answer(caller.memory(asked.agent).unpin(asked.line).to_dict())


@router.post("/observe", responses=_OF)
def observe(asked: shapes.RunAsked, caller: Writer) -> JSONResponse:
    """Read new messages, note what matters, and update MEMORY.md."""
    with at_length():
        return json_answer(caller.memory(asked.agent).observe(dry_run=asked.dry_run).to_dict())


@router.post("/reflect", responses=_OF)
def reflect(asked: shapes.RunAsked, caller: Writer) -> JSONResponse:
    """Merge repeated lines, and close those that were replaced or are over."""
    with at_length():
        return json_answer(caller.memory(asked.agent).reflect(dry_run=asked.dry_run).to_dict())


@router.post("/undo", responses=_OF)
def undo(asked: shapes.UndoAsked, caller: Owner) -> JSONResponse:
    """Undo a revision of the section."""
    return json_answer(caller.memory(asked.agent).undo(asked.revision, dry_run=asked.dry_run).to_dict())


@router.post("/forget/plan", responses=responses(shapes.ForgetPlanTold))
def plan_forget(asked: shapes.ForgetPlanAsked, caller: Owner) -> JSONResponse:
    """Return what would be forgotten; nothing is written. Forgetting takes the answer's `plan`."""
    plan = _plan(asked, caller, dry_run=True)
    return json_answer({**plan.to_dict(), "plan": mark_of(plan)})


@router.post("/forget", responses=_OF)
def forget(asked: shapes.ForgetAsked, caller: Owner) -> JSONResponse:
    """Forget what the plan lists, for good; refused if the plan would be another by now."""
    plan = _plan(asked, caller, dry_run=False)
    if mark_of(plan) != asked.plan:
        raise Problem(
            409,
            "What would go is not what the plan has shown any more. Nothing was forgotten.",
            state="Nothing was forgotten.",
            next_step="ask for the plan again, and look at it: POST /api/v2/memory/forget/plan",
        )
    with at_length():
        return json_answer(caller.memory(asked.agent).forget(plan).to_dict())


@router.get("/review/{agent}", responses=responses(shapes.PageOfAgentTold))
def review(
    agent: shapes.AgentPath,
    caller: Reader,
    reason: Annotated[str, Query(max_length=40)] = "",
    limit: shapes.Limit = shapes.MOST_PAGE,
    cursor: _Number = None,
) -> JSONResponse:
    """List the proposals that were refused or wait for the person, the newest first."""
    with caller.memory(agent).review(decide=False) as queue:
        told = queue.to_dict(reason, limit=limit, before=cursor)
    following = told["proposals"][-1]["id"] if len(told["proposals"]) == limit else None
    return json_answer({**told, "next_cursor": following})


@router.post("/review", responses=_OF)
def decide(asked: shapes.DecideAsked, caller: Owner) -> JSONResponse:
    """Accept, reject or reword a proposal."""
    memory = caller.memory(asked.agent)
    if (asked.decision == "edit") != bool(asked.text.strip()):
        raise Problem(400, "text: goes with edit, and edit with text.", state="Nothing was decided.")
    with memory.review() as queue:
        queue.check_there([asked.id])
        match asked.decision:
            case "accept":
                decided = queue.accept(asked.id)
            case "reject":
                decided = queue.reject(asked.id)
            case "edit":
                decided = queue.edit(asked.id, asked.text)
        published = queue.finish()
        left = queue.count()
    section = published.result.value if published else None
    return json_answer({"agent": memory.agent, **decided.to_dict(), "left": left, "section": section})


def _entry(line: Line) -> dict[str, Any]:
    said = line.observation
    origin = origin_of(said)
    return {
        "timestamp": datetime.fromtimestamp(said.said_at_ms / 1000, UTC).isoformat(),
        "content": said.text,
        "type": origin.type if origin else "semantic" if said.level else "episodic",
        "source": "episodic",
        "id": said.id,
        "kind": said.kind.value,
        "author": said.author.value,
    }


def _plan(asked: shapes.ForgetPlanAsked, caller: Owner, *, dry_run: bool) -> ForgetPlan:
    if sum(map(bool, (asked.words.strip(), asked.session, asked.before))) != 1:
        raise Problem(400, "Name one of words, session and before.", state="Nothing was forgotten.")
    memory = caller.memory(asked.agent)
    return memory.plan_forget(
        asked.words, session=asked.session, before=asked.before, all_lines=asked.all_lines, dry_run=dry_run
    )


def _number(said: str | None) -> int | str | None:
    is_number = said is not None and said.isascii() and said.isdigit() and len(said) < 16
    return int(said) if is_number and said is not None else said
