"""What a model is given of a conversation: a prefix that stays the same, and the newest messages.

The prefix is identity, system prompt and the log of observations, in this order; a provider's prompt cache
keeps it as long as not a byte of it changes, so the log is only appended to. What was appended at once is a
block of its own: the cache of the request before ends with a block, and serves all up to there. What changes
by the turn (the memories found for it, a hint about the channel) stands behind it. Then come the messages.
Pure.

Tokens are an estimate that is quick to count: 4 characters a token.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from itertools import pairwise
from typing import Any, Literal, NamedTuple

from scrimshaw.core.policy.caching import CacheTime
from scrimshaw.core.section.render import shown
from scrimshaw.core.types import Line, Place

Shape = Literal["anthropic", "openai", "text"]
Role = Literal["user", "assistant", "system", "tool"]
ROLES: tuple[Role, ...] = ("user", "assistant", "system", "tool")
LOG_HEADING = "## Conversation Context (Observations)"
MEMORIES_HEADING = "## Memories"
MOST_OBSERVATIONS, MOST_REFLECTIONS = 20, 10  # where a count is asked for
KIND = "program"  # of source: as the ledger knows these conversations
_CHARS_A_TOKEN = 4
_SUMMARY_CHARS = 160
_GOES_ON = "(The conversation goes on from the observations above.)"
_CACHED: Mapping[CacheTime, Mapping[str, str]] = {
    "5m": {"type": "ephemeral"},
    "1h": {"type": "ephemeral", "ttl": "1h"},
}
_BY = {"system": "[system]", "tool": "[tool result]"}  # what an API has no such role for, in words


def session_id_of(thread_id: str) -> str:
    """Return the id under which the ledger knows the conversation *thread_id*."""
    return f"{KIND}:{thread_id}"


def thread_id_of(session_id: str) -> str:
    """Return which conversation *session_id* is; "" for one that is none of a program's."""
    return session_id.removeprefix(f"{KIND}:") if session_id.startswith(f"{KIND}:") else ""


def count_tokens(text: str) -> int:
    """Return about how many tokens *text* is: a fourth of its characters, rounded up."""
    return -(-len(text) // _CHARS_A_TOKEN)


class Message(NamedTuple):
    """What one side said in a conversation that a program has handed in."""

    id: str
    role: Role
    content: str
    at_ms: int  # UTC
    thread_id: str
    resource_id: str
    token_count: int

    def to_dict(self) -> dict[str, Any]:
        """Return it as JSON holds it."""
        told = self._asdict()
        told["timestamp"] = datetime.fromtimestamp(told.pop("at_ms") / 1000, UTC).isoformat()
        return told


class RecalledMemory(NamedTuple):
    """A memory that was found for the turn."""

    id: str
    category: str
    content: str

    def __str__(self) -> str:
        """Return it as the line that a model reads."""
        return f"- [{self.category}] {' '.join(self.content.split())} (id: {self.id})"


class ConversationThresholds(NamedTuple):
    """When a conversation is due (config: the settings of the same names)."""

    message_threshold: int  # tokens
    observation_threshold: int  # tokens
    reflect_min_ms: int
    share_token_budget: bool = False
    enabled: bool = True

    def should_observe(self, unobserved_tokens: int, observation_tokens: int) -> bool:
        """Tell whether the observer is due; with a shared budget observations count against its threshold."""
        used = observation_tokens if self.share_token_budget else 0
        return self.enabled and unobserved_tokens >= max(1, self.message_threshold - used)

    def should_reflect(self, observation_tokens: int, since_last_ms: int | None) -> bool:
        """Tell whether the reflector is due; *since_last_ms* is None where it never ran."""
        is_soon = since_last_ms is not None and 0 <= since_last_ms < self.reflect_min_ms
        return self.enabled and observation_tokens >= self.observation_threshold and not is_soon


@dataclass(frozen=True, slots=True)
class Parts:
    """Everything that a context is made of, before it has a shape."""

    log: str
    messages: tuple[Message, ...]
    identity: str = ""
    system_prompt: str = ""
    memories: tuple[RecalledMemory, ...] = ()
    channel_hint: str = ""
    log_ends: tuple[int, ...] = ()  # where in the log each piece but the last ends
    cached_for: CacheTime = "5m"  # how long Anthropic is asked to keep the prefix

    @property
    def prefix(self) -> tuple[str, ...]:
        """What stays the same from turn to turn, part by part."""
        return tuple(text for text in (self.identity, self.system_prompt, "".join(self._log())) if text)

    @property
    def blocks(self) -> tuple[str, ...]:
        """The same, with a block for each piece of the log."""
        return tuple(text for text in (self.identity, self.system_prompt, *self._log()) if text)

    def _log(self) -> list[str]:
        places = [0, *self.log_ends, len(self.log)]
        pieces = [self.log[start:end] for start, end in pairwise(places)] if self.log else []
        return [f"{LOG_HEADING}\n\n{pieces[0]}", *pieces[1:]] if pieces else []

    @property
    def of_the_turn(self) -> tuple[str, ...]:
        """What stands behind it and changes by the turn."""
        found = "\n".join([MEMORIES_HEADING, "", *map(str, self.memories)]) if self.memories else ""
        return tuple(text for text in (found, self.channel_hint) if text)

    def tokens(self) -> dict[str, int]:
        """Return about how many tokens each part takes, and the whole."""
        counts = {
            "identity": count_tokens(self.identity),
            "system_prompt": count_tokens(self.system_prompt),
            "observations": count_tokens(f"{LOG_HEADING}\n\n{self.log}") if self.log else 0,
            "memories": sum(count_tokens(text) for text in self.of_the_turn),
            "messages": sum(one.token_count for one in self.messages),
        }
        return {**counts, "total": sum(counts.values())}

    def shaped(self, shape: Shape) -> dict[str, Any]:
        """Return what goes into a request: `system` and `messages`, `messages` alone, or `text`."""
        match shape:
            case "anthropic":
                return {"system": self._blocks(), "messages": self._turns()}
            case "openai":
                behind = [{"role": "system", "content": text} for text in self.of_the_turn]
                first = [{"role": "system", "content": "\n\n".join(self.prefix)}] if self.prefix else []
                return {"messages": [*first, *behind, *map(_openai, self.messages)]}
            case "text":
                said = [f"{one.role}: {one.content}" for one in self.messages]
                return {"text": "\n\n".join([*self.prefix, *self.of_the_turn, *said])}

    def _blocks(self) -> list[dict[str, Any]]:
        blocks: list[dict[str, Any]] = [{"type": "text", "text": text} for text in self.blocks]
        if blocks:
            blocks[-1]["cache_control"] = dict(_CACHED[self.cached_for])
        return [*blocks, *({"type": "text", "text": text} for text in self.of_the_turn)]

    def _turns(self) -> list[dict[str, str]]:
        turns = list(map(_anthropic, self.messages))
        # The first one has to be the user's, and what was said before may be in the log alone.
        return (
            [{"role": "user", "content": _GOES_ON}, *turns] if turns[:1] and _is_answer(turns[0]) else turns
        )


def _is_answer(turn: Mapping[str, str]) -> bool:
    return turn["role"] == "assistant"


def _anthropic(message: Message) -> dict[str, str]:
    if message.role in ("user", "assistant"):
        return {"role": message.role, "content": message.content}
    return {"role": "user", "content": f"{_BY[message.role]} {message.content}"}


def _openai(message: Message) -> dict[str, str]:
    if message.role != "tool":
        return {"role": message.role, "content": message.content}
    return {"role": "user", "content": f"{_BY['tool']} {message.content}"}


def with_short_results(messages: Sequence[Message], keep: int) -> tuple[Message, ...]:
    """Return *messages* with each result of a tool but the last *keep* shortened to one line."""
    results = [number for number, one in enumerate(messages) if one.role == "tool"]
    older = set(results[: max(0, len(results) - keep)])
    if not older:
        return tuple(messages)
    return tuple(_short(one) if number in older else one for number, one in enumerate(messages))


def _short(message: Message) -> Message:
    line = next(filter(None, map(str.strip, message.content.splitlines())), "")
    is_whole = line == message.content.strip() and len(line) <= _SUMMARY_CHARS
    if is_whole:
        return message
    text = f"{line[:_SUMMARY_CHARS]} … ({len(message.content):,} characters, shortened)"
    return message._replace(content=text, token_count=count_tokens(text))


class Piece(NamedTuple):
    """A piece of a log: its text, the day under whose heading it ends, and the lines in it."""

    text: str
    day: str
    ids: tuple[str, ...]


def log_piece(lines: Iterable[Line], day: str = "") -> Piece:
    """Return *lines* as they stand in a log whose last heading is *day*: by days, in the order of saying."""
    rows: list[str] = []
    ids = []
    for line in sorted(lines, key=lambda one: one.observation.said_at_ms):
        told = _logged(line)
        ids.append(line.observation.id)
        if not told:
            continue
        if line.observation.local_date != day:
            day = line.observation.local_date
            rows.append(day)
        rows.append(told)
    return Piece("\n".join(rows), day, tuple(ids))


def _logged(line: Line) -> str:
    # A conversation log is chronological: it has no part for standing facts.
    return shown(line._replace(standing=replace(line.standing, place=Place.LOG)))


def condensed(lines: Sequence[Line], most_tokens: int, worth_of: Mapping[str, float]) -> list[Line]:
    """Return, in order, the most worthwhile of *lines* within *most_tokens* together; one at least."""
    kept: set[str] = set()
    left = most_tokens
    for line in sorted(lines, key=lambda one: (-worth_of[one.observation.id], one.observation.id)):
        cost = count_tokens(_logged(line) + "\n")
        if cost <= left or not kept:
            kept.add(line.observation.id)
            left -= cost
    return [line for line in lines if line.observation.id in kept]
