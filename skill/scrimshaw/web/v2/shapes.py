"""What requests of version 2 hold, and what their answers look like in the description.

A request is read strictly: an unknown field is an error, sizes are bounded. Answers are the results' own
`to_dict()`; the models here only describe them.
"""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal

from fastapi import Path, Query
from pydantic import BaseModel, ConfigDict, Field, JsonValue

from scrimshaw.core.types import Kind

TEXT = r"[^\s\u0085\uFEFF]"  # something to read; what counts as a space differs in these two
MOST_CHARS = 100_000
MOST_PAGE = 1_000

_NAME: dict[str, Any] = {"min_length": 1, "max_length": 64, "pattern": r"^[A-Za-z0-9][A-Za-z0-9._-]*$"}
AgentName = Annotated[str, Field(**_NAME, examples=["albert"])]
Agent = Annotated[AgentName | None, Field(default=None, description="Whose; left out: the token's own.")]
AgentQuery = Annotated[str | None, Query(**_NAME, description="Whose; left out: all that the token may see.")]
AgentPath = Annotated[str, Path(**_NAME, examples=["albert"])]
Type = Literal["episodic", "semantic", "procedural", "system"]
Category = Literal["fact", "preference", "solution", "pattern"]
Id = Annotated[str, Path(min_length=1, max_length=200)]
Mode = Literal["lexical", "semantic", "hybrid"]
When = Annotated[str, Field(min_length=1, max_length=100, examples=["2026-11-01", "last week"])]
Words = Annotated[str, Field(max_length=2_000, pattern=TEXT, examples=["when is the dentist?"])]
Content = Annotated[str, Field(min_length=1, max_length=MOST_CHARS, pattern=TEXT)]
ThreadId = Annotated[str, Path(min_length=1, max_length=180, examples=["support-17"])]
Line = Annotated[
    str, Field(min_length=1, max_length=2_000, pattern=TEXT, description="Words of a line, or its id.")
]
Limit = Annotated[int, Query(ge=1, le=MOST_PAGE)]
Cursor = Annotated[str | None, Query(max_length=200, description="The next_cursor of the page before.")]


class RequestBody(BaseModel):
    """The body of a request."""

    model_config = ConfigDict(extra="forbid")


class ResponseBody(BaseModel):
    """The body of an answer; may hold more."""

    model_config = ConfigDict(extra="allow")


class ProblemTold(ResponseBody):
    """An error, as RFC 9457 has it."""

    type: str
    title: str
    status: int
    detail: str = Field(description="What is wrong, and where.")
    instance: str
    state: str = Field(description="What state things are in now.")
    next: str | None = Field(description="What to do.")


class StoreAsked(RequestBody):
    """A memory to store."""

    content: Annotated[Content, Field(examples=["The dentist moved to Friday at 9."])]
    type: Type = "episodic"
    agent: Agent
    importance: Annotated[float, Field(ge=0, le=1)] = 0.5
    metadata: Annotated[dict[str, JsonValue], Field(examples=[{"source": "mail"}])] = {}
    pin: bool = False


class MemoryTold(ResponseBody):
    """A memory; its *layer* is "episodic" once it has moved into the ledger."""

    id: str
    layer: Literal["working", "episodic"]
    owner_id: str
    agent: str
    type: Type
    content: str
    metadata: dict[str, Any]
    importance: float
    access_count: int
    pinned: bool
    embedding_status: Literal["pending", "queued", "ready", "failed"]
    created_at: datetime
    updated_at: datetime
    last_accessed_at: datetime
    expires_at: datetime | None


class MemoryChange(RequestBody):
    """What is to be changed of a memory."""

    content: Content = ""
    importance: Annotated[float, Field(ge=0, le=1)] = 0.5
    metadata: dict[str, JsonValue] = {}
    pinned: bool = False


class MemoriesTold(ResponseBody):
    """A page of memories; *next_cursor* asks for the next, null at the end."""

    memories: list[MemoryTold]
    next_cursor: str | int | None


class LearnAsked(RequestBody):
    """Something that was learnt."""

    content: Annotated[Content, Field(examples=["Prefers trains to planes."])]
    category: Category = "fact"
    confidence: Annotated[float, Field(ge=0, le=1)] = 0.8
    source: Annotated[str, Field(max_length=200)] = "conversation"
    metadata: dict[str, JsonValue] = {}
    agent: Agent
    supersedes: Annotated[str | None, Field(max_length=100, description="The id of what it replaces.")] = None


class KnowledgeChange(RequestBody):
    """What is to be changed of a piece of knowledge."""

    content: Content = ""
    category: Category = "fact"
    confidence: Annotated[float, Field(ge=0, le=1)] = 0.8
    metadata: dict[str, JsonValue] = {}
    status: Literal["active", "superseded", "archived"] = "active"


class KnowledgeTold(ResponseBody):
    """A piece of knowledge."""

    id: str
    owner_id: str
    category: Category
    content: str
    metadata: dict[str, Any]
    confidence: float
    source: str
    status: Literal["active", "superseded", "archived"]
    created_at: datetime
    updated_at: datetime


class KnowledgeListTold(ResponseBody):
    """A page of knowledge."""

    knowledge: list[KnowledgeTold]
    next_cursor: str | int | None


class TimeRange(RequestBody):
    """From when until when something was said."""

    after: When | None = None
    before: When | None = None


class SearchAsked(RequestBody):
    """A question."""

    query: Words
    mode: Mode = "hybrid"
    layers: Annotated[list[Literal["working", "episodic"]], Field(min_length=1, max_length=2)] = [
        "working",
        "episodic",
    ]
    agent: Agent
    top_k: Annotated[int, Field(ge=1, le=MOST_PAGE)] = 10
    min_score: Annotated[float, Field(ge=0, le=1)] = 0.0
    time_range: TimeRange | None = None


class ResultTold(ResponseBody):
    """What was found; *source* is its layer."""

    id: str
    content: str
    score: float = Field(ge=0, le=1)
    source: Literal["working", "episodic"]
    agent: str
    type: str
    importance: float
    created_at: datetime
    metadata: dict[str, Any]
    closed: str | None
    is_set_aside: bool


class SearchTold(ResponseBody):
    """What answers a question, best first."""

    query: str
    mode: Mode
    results: list[ResultTold]
    search_ms: float
    working_count: int
    episodic_count: int
    notes: list[str]


class ConsolidateAsked(RequestBody):
    """What to move into the ledger."""

    agent: Agent
    dry_run: bool = False
    ttl_override: Annotated[
        str | None, Field(max_length=20, pattern=r"^\d{1,6}[smhd]$", examples=["24h"])
    ] = None


class ConsolidateTold(ResponseBody):
    """What was moved."""

    candidates: int
    archived: int
    deduplicated: int
    skipped_pinned: int
    duration_ms: int


class HealthTold(ResponseBody):
    """That the server is there."""

    status: Literal["ok"]
    version: str = Field(examples=["0.10.0"])
    api_versions: list[str] = Field(examples=[["v1", "v2"]])


class LayerTold(ResponseBody):
    """The working layer's size."""

    total_memories: int
    total_knowledge: int
    total_conversations: int
    embeddings_cached: int
    db_size_bytes: int


class ArchiveTold(ResponseBody):
    """An archive's size."""

    frames: int
    file_size: int


class EpisodicTold(ResponseBody):
    """The archives, by agent."""

    agents: dict[str, ArchiveTold]
    shared: ArchiveTold


class EmbeddingTold(ResponseBody):
    """The model for meanings."""

    model: str | None
    dimensions: int | None
    source: str | None
    status: Literal["available", "unavailable"]


class StatsTold(ResponseBody):
    """How much there is."""

    working: LayerTold
    episodic: EpisodicTold
    embedding: EmbeddingTold


class AgentsTold(ResponseBody):
    """The agents that a token may see."""

    agents: list[str]
    scope: Literal["read", "write", "owner"]


class OfAgentTold(ResponseBody):
    """What the command of the same name prints with --json."""

    agent: str


class PageOfAgentTold(OfAgentTold):
    """The same; *next_cursor* asks for the next page, null at the end."""

    next_cursor: str | int | None


class AgentAsked(RequestBody):
    """An agent."""

    agent: Agent


class ImportTold(ResponseBody):
    """What was taken over."""

    agent: str
    frames_imported: int
    file_size: str = Field(examples=["2.4 MB"])
    status: Literal["imported"]


# -- conversations -------------------------------------------------------------------------------------------


class MessageAsked(RequestBody):
    """What one side said."""

    content: Annotated[
        str, Field(min_length=1, max_length=1_000_000, pattern=TEXT, examples=["My flight is at 7."])
    ]
    role: Literal["user", "assistant", "system", "tool"] = "user"
    agent: Agent
    resource_id: Annotated[str, Field(max_length=180, description="Whom the conversation is with.")] = ""
    id: Annotated[str, Field(max_length=180, description="Left out: one is made.")] = ""
    timestamp: datetime | None = None


class MessageTold(OfAgentTold):
    """A message as it is kept."""

    id: str
    role: str
    content: str
    thread_id: str
    resource_id: str
    timestamp: datetime
    token_count: int
    is_new: bool
    should_observe: bool


class ContextAsked(RequestBody):
    """What to put into a context."""

    agent: Agent
    resource_id: Annotated[str, Field(max_length=180)] = ""
    shape: Literal["anthropic", "openai", "text"] = "anthropic"
    identity: Annotated[str, Field(max_length=200_000)] = ""
    system_prompt: Annotated[str, Field(max_length=1_000_000)] = ""
    channel_hint: Annotated[str, Field(max_length=10_000)] = ""
    query: Annotated[str | None, Field(max_length=2_000)] = None
    memories: Annotated[int, Field(ge=0, le=100)] = 8
    observations: Annotated[int, Field(ge=0, le=20)] = 0
    reflections: Annotated[int, Field(ge=0, le=10)] = 0


class ConversationTold(OfAgentTold):
    """What is kept of a conversation."""

    thread_id: str
    memoryState: dict[str, Any]  # noqa: N815  # the names that programs know
    observationLog: dict[str, Any]  # noqa: N815
    observationCount: int  # noqa: N815
    totalObservationTokens: int  # noqa: N815


class ConversationsTold(OfAgentTold):
    """A page of conversations, the one with the newest message first."""

    conversations: list[dict[str, Any]]
    next_cursor: str | int | None


class UsageAsked(RequestBody):
    """What an answer of the caller's model used."""

    agent: Agent
    input_tokens: Annotated[int, Field(ge=0, le=10**9)]
    output_tokens: Annotated[int, Field(ge=0, le=10**9)]
    cache_creation_input_tokens: Annotated[int, Field(ge=0, le=10**9)] = 0
    cache_read_input_tokens: Annotated[int, Field(ge=0, le=10**9)] = 0
    model: Annotated[str, Field(max_length=200, pattern=r"^[ -~]*$")] = ""


# -- lines ---------------------------------------------------------------------------------------------------


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
