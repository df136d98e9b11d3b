"""Messages that programs hand in: checked, without secrets, and once each."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, NamedTuple
from uuid import uuid4
from zoneinfo import ZoneInfo

from scrimshaw.clock import milliseconds
from scrimshaw.core.conversation import ROLES, Message, count_tokens
from scrimshaw.core.transcript.entries import LATEST_MS, OLDEST_MS
from scrimshaw.core.transcript.privacy import read_patterns
from scrimshaw.errors import usage_error
from scrimshaw.redaction import holds_token
from scrimshaw.services.conversations.due import thresholds_of
from scrimshaw.services.conversations.listing import conversation_known
from scrimshaw.services.observe.redacted import cleaned
from scrimshaw.services.observe.task import ObserveOptions
from scrimshaw.services.results import WorkspaceResult
from scrimshaw.working import conversations
from scrimshaw.working.database import WorkingDatabase
from scrimshaw.workspace import Target

MOST_CHARS = 1_000_000
MOST_ID_CHARS = 180
MOST_AHEAD = timedelta(days=7)  # clocks differ; but a conversation of the year 2999 would never be idle


@dataclass(frozen=True, slots=True)
class AddedMessage(WorkspaceResult):
    """A message as it is kept, and whether its conversation is due to be observed."""

    message: Message
    is_new: bool  # False: one with this id was there already, and stays as it was
    redacted: Counter[str]
    unobserved_tokens: int
    should_observe: bool

    def to_dict(self) -> dict[str, Any]:
        return {
            **self.head(),
            **self.message.to_dict(),
            "is_new": self.is_new,
            "redacted": dict(self.redacted),
            "unobserved_token_count": self.unobserved_tokens,
            "should_observe": self.should_observe,
        }


class NewMessage(NamedTuple):
    """A message as a program hands it in; "" and None for what it does not say."""

    content: str
    role: str
    thread_id: str
    resource_id: str = ""
    message_id: str = ""
    timestamp: datetime | None = None


def add_message(target: Target, db: WorkingDatabase, new: NewMessage, now: datetime) -> AddedMessage:
    """Keep *new*, once for each id. Raises UserError for what is no message.

    A time without a zone is in the workspace's zone, as everywhere else that a program gives one.
    """
    if isinstance(new.timestamp, datetime):
        new = new._replace(timestamp=said_at(new.timestamp, target))
    problem = message_problem(new, now)
    if problem:
        raise usage_error(f"{problem} Nothing was stored.", next_step="mend it and hand it in again")
    content, _, thread_id, resource_id, message_id, _ = new
    role = next(one for one in ROLES if one == new.role)
    at_ms = milliseconds(new.timestamp or now)
    text, counts = kept_text(target, content)
    own_id = message_id or str(uuid4())
    given = Message(own_id, role, text, at_ms, thread_id, resource_id, count_tokens(text))
    message, is_new = conversations.add(db, given)
    settings = target.config.settings
    state = conversations.state(db, thread_id)
    assert state
    log = conversations.log_size(db, state.owner(settings.scope))
    waiting = conversations.waiting_tokens(db, state, settings.scope)
    due = thresholds_of(settings).should_observe(waiting, log.observation_token_count)
    if is_new and due:
        target.layout.wake.touch(mode=0o600)  # a daemon looks sooner
    return AddedMessage(target, message, is_new, counts, waiting, due)


def message_problem(new: NewMessage, now: datetime) -> str:
    """Return a sentence on why *new* is no message; "" if it is one."""
    if new.role not in ROLES:
        return f"role: {new.role!r} is none of {', '.join(ROLES)}."
    if wrong := _wrong_name(new):
        return wrong
    if not isinstance(new.content, str):
        return f"content: should be text, not {type(new.content).__name__}."
    if not new.content.replace("\0", "").strip():
        return "content: is empty."
    if len(new.content) > MOST_CHARS:
        return f"content: {len(new.content):,} characters; a message holds at most {MOST_CHARS:,}."
    if not isinstance(new.timestamp, datetime | None):
        return f"timestamp: should be a datetime, not {type(new.timestamp).__name__}."
    if milliseconds(new.timestamp or now) > milliseconds(now + MOST_AHEAD):
        return f"timestamp: {new.timestamp} is more than a week ahead."
    if not OLDEST_MS <= milliseconds(new.timestamp or now) < LATEST_MS:
        return f"timestamp: {new.timestamp} is no time of a conversation."
    return ""


def _wrong_name(new: NewMessage) -> str:
    for name in ("thread_id", "message_id", "resource_id"):
        said = getattr(new, name)
        if not isinstance(said, str):
            return f"{name}: should be text, not {type(said).__name__}."
        if not is_id(said or ("" if name == "thread_id" else "-")):
            return f"{name}: should be 1 to {MOST_ID_CHARS} printable characters."
        if holds_token(said):
            return f"{name}: holds what looks like a secret, and names are kept as they are."
    return ""


def kept_text(target: Target, content: str) -> tuple[str, Counter[str]]:
    """Return what is kept of *content*, and how many secrets of each kind were taken out."""
    counts: Counter[str] = Counter()
    # No model API accepts a lone surrogate or a NUL.
    whole = content.encode("utf-8", "replace").decode().replace("\0", "")
    kept = cleaned(whole, counts, read_patterns(target.config.settings.private_patterns).compiled).strip()
    return kept or "[empty]", counts  # it may be nothing but invisible characters


def is_id(text: str) -> bool:
    """Tell whether *text* can name a thread, a resource or a message."""
    return 0 < len(text) <= MOST_ID_CHARS and text.isprintable()


def said_at(time: datetime, target: Target) -> datetime:
    """Return the *time* of a message; without a zone it is in the workspace's."""
    return time if time.tzinfo else time.replace(tzinfo=ZoneInfo(target.zone))


def asked_for(target: Target, db: WorkingDatabase, thread_id: str) -> ObserveOptions:
    """Note that *thread_id* is to be observed, however little waits; return how a run does that alone.

    Raises UserError where nobody has said anything in it.
    """
    conversation_known(db, thread_id)
    conversations.ask_for(db, thread_id)
    # A host that shows MEMORY.md has it written in its pauses, not whenever a program asks.
    is_shown = any(agent.stores for agent in target.agents)
    return ObserveOptions(
        trigger="force_observe", thread_id=thread_id, waits=False, writes_section=not is_shown
    )
