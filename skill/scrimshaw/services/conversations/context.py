"""The context of a conversation: read from the working layer, with the memories found for the turn.

Nothing is written and no lock is taken. The cursor is read before the log: should the observer move both on
meanwhile, a message is told twice and never not at all. What was observed before the conversation had this
log, the ledger adds until the next observation appends it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple, get_args

from scrimshaw.clock import milliseconds
from scrimshaw.core.conversation import (
    MOST_OBSERVATIONS,
    MOST_REFLECTIONS,
    Message,
    Parts,
    RecalledMemory,
    Shape,
    count_tokens,
    session_id_of,
    thread_id_of,
    with_short_results,
)
from scrimshaw.core.policy.caching import cheaper_time
from scrimshaw.core.types import Author, Line, Place
from scrimshaw.errors import ArgumentError
from scrimshaw.services.conversations.due import should_reflect, thresholds_of
from scrimshaw.services.conversations.follow import fresh_piece
from scrimshaw.services.results import WorkspaceResult
from scrimshaw.store.ledger import open_ledger
from scrimshaw.working import conversations
from scrimshaw.working.conversations import ConversationState, LogState, Owner
from scrimshaw.working.database import WorkingDatabase
from scrimshaw.workspace import Target

if TYPE_CHECKING:
    from scrimshaw.services.search.log import SearchResult

_PAUSES = 200  # messages whose times tell how long the prompt cache is to last
_UNVERIFIED = ", said by a program"
SHAPES: tuple[Shape, ...] = get_args(Shape)


class Prefix(NamedTuple):
    """What the caller says of itself, and of the channel."""

    identity: str = ""
    system_prompt: str = ""
    channel_hint: str = ""


class ConversationRead(NamedTuple):
    """A conversation as it was read for one context."""

    state: ConversationState
    owner: Owner
    log: LogState
    messages: tuple[Message, ...]
    unobserved_tokens: int
    should_observe: bool
    should_reflect: bool
    logged: frozenset[str]  # ids of the observations that the log shows

    @property
    def last_asked(self) -> str:
        """What the person said last."""
        return next((one.content for one in reversed(self.messages) if one.role == "user"), "")


@dataclass(frozen=True, slots=True)
class ConversationContext(WorkspaceResult):
    """What to send to a model for the next turn, in the shape of an API, with what each part takes."""

    read: ConversationRead
    parts: Parts
    shape: Shape
    observations: tuple[dict[str, Any], ...] = ()  # one by one, the newest first, where asked for
    reflections: tuple[dict[str, Any], ...] = ()

    @property
    def thread_id(self) -> str:
        """The conversation."""
        return self.read.state.thread_id

    @property
    def request(self) -> dict[str, Any]:
        """What goes into the request: `system` and `messages`, `messages` alone, or `text`."""
        return self.parts.shaped(self.shape)

    @property
    def tokens(self) -> dict[str, int]:
        """About how many tokens each part takes, and the whole, at 4 characters a token."""
        return self.parts.tokens()

    @property
    def should_observe(self) -> bool:
        """Whether so much waits that the observer is due."""
        return self.read.should_observe

    @property
    def should_reflect(self) -> bool:
        """Whether so much was observed that the reflector is due; the observer goes first."""
        return self.read.should_reflect

    def to_dict(self) -> dict[str, Any]:
        state, log = self.read.state, self.read.log
        return {
            **self.head(),
            "thread_id": state.thread_id,
            "resource_id": state.resource_id,
            "shape": self.shape,
            **self.request,
            "tokens": self.tokens,
            "should_observe": self.should_observe,
            "should_reflect": self.should_reflect,
            "unobserved_token_count": self.read.unobserved_tokens,
            "observed_cursor_message_id": state.observed_cursor_message_id,
            "log_version": log.version,
            "observations": list(self.observations),
            "reflections": list(self.reflections),
        }


def read_conversation(
    target: Target, db: WorkingDatabase, now: datetime, thread_id: str, resource_id: str
) -> ConversationRead:
    """Return *thread_id* as it stands; one that nobody has said anything in is empty.

    Raises UserError where it is another resource's.
    """
    settings = target.config.settings
    state = conversations.state(db, thread_id) or ConversationState.new(thread_id, resource_id)
    conversations.check_resource(state, resource_id)
    owner = state.owner(settings.scope)
    messages = conversations.tail(db, state, settings.keep_last_messages)
    log, shown = _log(target, db, owner)
    waiting = conversations.waiting_tokens(db, state, settings.scope)
    return ConversationRead(
        state,
        owner,
        log,
        with_short_results(messages, settings.keep_last_tool_summaries),
        waiting,
        thresholds_of(settings).should_observe(waiting, log.observation_token_count),
        should_reflect(log, settings, milliseconds(now)),
        shown,
    )


def _log(target: Target, db: WorkingDatabase, owner: Owner) -> tuple[LogState, frozenset[str]]:
    """Return *owner*'s log with all that was observed, and the ids of the observations it shows."""
    is_behind = bool(conversations.behind(db, owner))
    known = conversations.logged(db, owner) if is_behind else set()
    log, shown = conversations.log_state(db, owner), frozenset(conversations.logged(db, owner, is_shown=True))
    if not is_behind:
        return log, shown
    with open_ledger(target.layout.ledger, create=False, read_only=True) as ledger:
        piece = fresh_piece(ledger, db, owner, known, log.day)
    return log.with_piece(piece), shown | frozenset(piece.ids)


def check_shape(shape: str) -> Shape:
    """Return *shape*; raises ArgumentError for none of them."""
    for one in SHAPES:
        if shape == one:
            return one
    raise ArgumentError(f"shape: {shape!r:.80} is none of: {', '.join(SHAPES)}.")


def context_of(
    target: Target,
    db: WorkingDatabase,
    read: ConversationRead,
    told: Prefix,
    found: Sequence[SearchResult],
    shape: Shape,
    most: int,
) -> ConversationContext:
    """Return *read* with what was *told* and up to *most* memories found for the turn, in *shape*.

    *found* are those of the agent, and of what is for all agents of its home.
    """
    cache = target.config.settings.prompt_cache
    parts = Parts(
        read.log.text,
        read.messages,
        told.identity,
        told.system_prompt,
        tuple(islice(_remembered(db, read, found), most)),
        told.channel_hint,
        read.log.ends,
        cheaper_time(conversations.times(db, read.state, _PAUSES)) if cache == "auto" else cache,
    )
    return ConversationContext(target, read, parts, shape)


def _remembered(
    db: WorkingDatabase, read: ConversationRead, found: Sequence[SearchResult]
) -> Iterator[RecalledMemory]:
    """Yield what was *found* and may stand in this context: nothing of another's, nothing twice.

    A conversation is another's when it has a log of its own (config: scope); a memory, when it has an owner
    who is not the one that this conversation is with, or nobody is named. What nobody but a program says is
    told to be so.
    """
    here = {session_id_of(one) for one in conversations.threads_of(db, read.owner)}
    lines = {hit.line.observation.id: hit.line for result in found for hit, _where in result.hits}
    ranked = sorted((one for result in found for one in result.results), key=lambda one: -one.score)
    for one in ranked:
        if one.owner_id not in ("", read.state.resource_id):
            continue
        line = lines.get(one.id)
        if line is None:
            yield RecalledMemory(one.id, f"{one.category or one.type}{_UNVERIFIED}", one.content)
            continue
        session_id, author = line.observation.session_id, line.observation.author
        is_others = bool(thread_id_of(session_id)) and session_id not in here
        if line.standing.is_live and not is_others and one.id not in read.logged:
            told = _UNVERIFIED if author is Author.PROGRAM else ""
            kind = one.category or line.observation.kind.value
            yield RecalledMemory(one.id, f"{kind}{told}", line.observation.text)


def with_lines(
    made: ConversationContext, db: WorkingDatabase, observations: int, reflections: int
) -> ConversationContext:
    """Return *made* with up to *observations* of its log (at most 20) and *reflections* on them (at most 10).

    The newest first, one by one as programs see them.
    """
    wanted = min(observations, MOST_OBSERVATIONS), min(reflections, MOST_REFLECTIONS)
    if not any(wanted):
        return made
    read = made.read
    with open_ledger(made.target.layout.ledger, create=False, read_only=True) as ledger:
        sessions = [session_id_of(one) for one in conversations.threads_of(db, read.owner)]
        lines = [*ledger.lines(read.logged).values(), *ledger.lines_of_sessions(sessions)]
    every = {line.observation.id: line for line in lines if line.standing.is_live}
    newest = sorted(every.values(), key=lambda one: -one.observation.said_at_ms)
    plain = [one for one in newest if not one.observation.level and one.observation.id in read.logged]
    concluded = [one for one in newest if one.observation.level]
    resource_id = read.state.resource_id
    return replace(
        made,
        observations=tuple(_observation_dict(one, resource_id) for one in plain[: wanted[0]]),
        reflections=tuple(
            {
                **_common(one, resource_id),
                "pattern": one.observation.pattern or None,
                "source_obs": list(one.observation.supports),
            }
            for one in concluded[: wanted[1]]
        ),
    )


def _observation_dict(line: Line, resource_id: str) -> dict[str, Any]:
    one = line.observation
    return {
        **_common(line, resource_id),
        "priority": one.priority,
        "task_state": "done" if one.done else "open" if line.standing.place is Place.OPEN else None,
        "tags": ["".join(part.title() for part in one.kind.value.split("-"))],
        "source_range": {"source_message_from": one.sources[0], "source_message_to": one.sources[-1]}
        if one.sources
        else None,
        "thread_id": thread_id_of(one.session_id),
    }


def _common(line: Line, resource_id: str) -> dict[str, Any]:
    one = line.observation
    return {
        "id": one.id,
        "content": one.text,
        "timestamp": datetime.fromtimestamp(one.said_at_ms / 1000, UTC).isoformat(),
        "resource_id": resource_id,
        "token_count": count_tokens(one.text),
    }
