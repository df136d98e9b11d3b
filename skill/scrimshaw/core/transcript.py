"""From a stored event to an Entry, or to the reason why it is no evidence.

The class of an entry is decided here and nowhere else: user, assistant or tool. Only messages on the
surface of a conversation count; what the host says in somebody's name does not, and neither does the
turn that answers it (a heartbeat's reply, the answer to another session). That needs a little memory
between events, the Turn, which belongs to one session and travels in the source's cursor.

Events come from other programs: any field may be missing or of another type. Nothing here raises for
that. Speed matters (hundreds of thousands of events): the common case comes first, no regular
expression runs on an ordinary message.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, NamedTuple

import orjson

from scrimshaw.core import evidence
from scrimshaw.core.model import Entry, Role, Session, SessionKind, ToolCall

Event = dict[str, Any]  # as decoded; parsed into an Entry right here

MAX_HIDDEN_CALLS = 64
MAX_UNWRAPPED_DEPTH = 4
OLDEST_MS = 100_000_000_000  # below this a number is seconds, as the host reads it


class Skipped(NamedTuple):
    """An event that is no evidence, with the word under which it is counted."""

    reason: str


@dataclass(slots=True)
class Turn:
    """What the next event of a session depends on."""

    is_internal: bool = False  # the host, not the person, started this turn
    hidden_calls: list[str] = field(default_factory=list)  # calls whose results are no evidence
    at_ms: int = 0  # the last time seen, for events without one


_SKIPPED: dict[str, Skipped] = {}


def skipped(reason: str) -> Skipped:
    """Return the one Skipped of *reason*; reasons are our own words, so few of them exist."""
    found = _SKIPPED.get(reason)
    if found is None:
        found = _SKIPPED[reason] = Skipped(reason)
    return found


_EMPTY = skipped("empty")
_INTERNAL_TURN = skipped("internal-turn")
_HIDDEN = skipped("hidden-call")  # reads memory, runs us, or speaks with other sessions
_INTER_SESSION = skipped("inter-session")
_MALFORMED = skipped("malformed")
_SILENT = skipped("silent")
# Sessions in which every turn is started by the host: whoever wants them wants what was answered there.
_HOST_RUN = frozenset((SessionKind.CRON, SessionKind.SUBAGENT, SessionKind.HOOK, SessionKind.INTERNAL))
_KNOWN_TYPES = frozenset(
    (
        "session", "model_change", "thinking_level_change", "custom", "custom_message", "compaction", "reset",
        "branch_summary", "label", "session_info", "leaf",
    )
)  # fmt: skip
_OTHER_TYPE = skipped("other-type")


def read_event(event: Event, session: Session, position: int, turn: Turn) -> Entry | Skipped:
    """Return *event* as an Entry of *session*, or why it is no evidence; *turn* is carried on."""
    if event.get("type") != "message":
        kind = event.get("type")
        return skipped(kind) if isinstance(kind, str) and kind in _KNOWN_TYPES else _OTHER_TYPE
    message = event.get("message")
    if type(message) is not dict:
        return _MALFORMED
    at_ms = message.get("timestamp")
    if type(at_ms) is not int or at_ms < OLDEST_MS:
        at_ms = _time_of(at_ms, event.get("timestamp"), turn.at_ms)
    turn.at_ms = at_ms
    entry_id = event.get("id")
    if type(entry_id) is not str or not entry_id:
        entry_id = _made_up_id(event)
    role = message.get("role")
    if role == "assistant":
        return _read_assistant(message, session.session_id, entry_id, position, at_ms, turn)
    if role == "toolResult":
        return _read_tool_result(message, session.session_id, entry_id, position, at_ms, turn)
    if role == "user":
        return _read_user(message, session, entry_id, position, at_ms, turn)
    return skipped("custom-message") if role == "custom" else skipped("other-role")


def _read_user(
    message: Event, session: Session, entry_id: str, position: int, at_ms: int, turn: Turn
) -> Entry | Skipped:
    content = message.get("content")
    text = content if type(content) is str else _text_of(content)
    provenance = message.get("provenance")
    if type(provenance) is dict and provenance.get("kind") not in ("external_user", None):
        turn.is_internal = session.kind not in _HOST_RUN
        return _INTER_SESSION if provenance["kind"] == "inter_session" else skipped("internal-system")
    kind = evidence.prompt_kind(text)
    if not kind:
        text = _clean(evidence.person_words(text))
        # Once more without the stamp: the host's prompts may carry one, too.
        kind = evidence.prompt_kind(text)
    if kind:
        turn.is_internal = kind == "heartbeat" or session.kind not in _HOST_RUN
        return skipped(kind)
    if not text:
        if type(content) is str and evidence.RUNTIME_BEGIN in content:
            return skipped("runtime-context")
        return _EMPTY
    turn.is_internal = False
    if evidence.is_command(text):
        return skipped("command")
    return Entry(session.session_id, entry_id, position, at_ms, Role.USER, text)


def _read_assistant(
    message: Event, session_id: str, entry_id: str, position: int, at_ms: int, turn: Turn
) -> Entry | Skipped:
    if message.get("stopReason") in ("error", "aborted"):
        return skipped("error-turn")
    if message.get("model") == "gateway-injected":
        return skipped("gateway-injected")
    if turn.is_internal:
        if not _is_announcement(message):
            return _INTERNAL_TURN
        turn.is_internal = False
    content = message.get("content")
    calls: tuple[ToolCall, ...] = ()
    if type(content) is list and len(content) == 1 and type(content[0]) is dict and content[0].get("type") == "text":
        text = content[0].get("text")
        text = text if type(text) is str else ""
    else:
        text = content if type(content) is str else _text_of(content)
        calls = _calls_of(content, turn) if type(content) is list else ()
    if text:
        if len(text) <= evidence.LONGEST_SILENT_CHARS and text.strip() in evidence.SILENT:
            return _SILENT
        if text.startswith("[["):
            text = evidence.cut_reply_tag(text)
        text = _clean(text)
    if not text and not calls:
        return _HIDDEN if turn.hidden_calls else _EMPTY
    return Entry(session_id, entry_id, position, at_ms, Role.ASSISTANT, text, calls)


def _is_announcement(message: Event) -> bool:
    # A sub-agent's result is told to the person in no turn of theirs; it ends an internal one.
    about = message.get("__openclaw")
    return type(about) is dict and str(about.get("runId", "")).startswith("announce:")


def _calls_of(content: list[Any], turn: Turn) -> tuple[ToolCall, ...]:
    calls = []
    for block in content:
        if type(block) is not dict or block.get("type") != "toolCall":
            continue
        call_id, name, arguments = str(block.get("id", "")), str(block.get("name", "")), block.get("arguments")
        if name == "tool_call" and type(arguments) is dict and "id" in arguments:
            name, arguments = str(arguments["id"]).rpartition(":")[2], arguments.get("args")
        readable = _readable(arguments)
        if evidence.is_hidden_call(name, readable):
            turn.hidden_calls.append(call_id)
            del turn.hidden_calls[:-MAX_HIDDEN_CALLS]
        else:
            calls.append(ToolCall(call_id, name, _clean(readable)))
    return tuple(calls)


def _readable(arguments: object) -> str:
    if type(arguments) is dict:
        if len(arguments) == 1:
            (only,) = arguments.values()
            if type(only) is str:
                return only
        return "\n".join(f"{key}: {_readable(value)}" for key, value in arguments.items())
    if type(arguments) is str:
        return arguments
    return "" if arguments is None else orjson.dumps(arguments, default=str).decode()


def _read_tool_result(
    message: Event, session_id: str, entry_id: str, position: int, at_ms: int, turn: Turn
) -> Entry | Skipped:
    call_id, name = message.get("toolCallId"), message.get("toolName")
    call_id = call_id if type(call_id) is str else ""
    name = name if type(name) is str else ""
    if turn.is_internal:
        return _INTERNAL_TURN
    if turn.hidden_calls and call_id in turn.hidden_calls:
        turn.hidden_calls.remove(call_id)
        return _HIDDEN
    content = message.get("content")
    if type(content) is list and len(content) == 1 and type(content[0]) is dict and content[0].get("type") == "text":
        text = content[0].get("text")
        text = text if type(text) is str else ""
    else:
        text = content if type(content) is str else _text_of(content)
    if text.startswith("{"):
        text, name = _unwrap(text, name)
    if evidence.is_hidden_call(name, ""):
        return _HIDDEN
    text = _clean(text)
    if not text:
        return _EMPTY
    return Entry(
        session_id, entry_id, position, at_ms, Role.TOOL, text, (), call_id, name, _has_failed(message)
    )


def _has_failed(message: Event) -> bool:
    if message.get("isError") is True:
        return True
    details = message.get("details")
    return type(details) is dict and (
        details.get("exitCode") not in (0, None) or details.get("status") in ("failed", "error")
    )


def _unwrap(text: str, name: str) -> tuple[str, str]:
    """Return the innermost text of a tool's result that is itself a stored result, and the tool's name."""
    for _ in range(MAX_UNWRAPPED_DEPTH):
        if not text.startswith("{") or '"content"' not in text:
            break
        try:
            outer = orjson.loads(text)
        except ValueError:
            break
        result = outer.get("result", outer)
        inner = _text_of(result.get("content")) if type(result) is dict else ""
        if not inner:
            break
        tool = outer.get("tool")
        if type(tool) is dict and type(tool.get("name")) is str:
            name = tool["name"]
        text = inner
    return text, name


def _text_of(content: object) -> str:
    if type(content) is not list:
        return ""
    parts = []
    for block in content:
        if type(block) is dict and block.get("type") == "text":
            text = block.get("text")
            if type(text) is str and text:
                parts.append(text)
        elif type(block) is str:
            parts.append(block)
    return "\n".join(parts)


def _clean(text: str) -> str:
    if "\0" in text:
        text = text.replace("\0", "")
    if evidence.MARKER in text:
        text = evidence.cut_section(text)
    return text if text and not text.isspace() else ""


def _time_of(said: object, stored: object, last_ms: int) -> int:
    for value in (said, stored):
        if isinstance(value, bool):
            continue
        if isinstance(value, int | float) and value == value and 0 < value < 1e16:
            return int(value * 1000 if value < OLDEST_MS else value)
        if isinstance(value, str):
            at_ms = parse_time(value)
            if at_ms is not None:
                return at_ms
    return last_ms


def parse_time(text: str) -> int | None:
    """Return an ISO time as UTC epoch milliseconds (no zone means UTC); None when it is not one."""
    try:
        at = datetime.fromisoformat(text)
    except ValueError:
        return None
    return int((at if at.tzinfo else at.replace(tzinfo=UTC)).timestamp() * 1000)


def _made_up_id(event: Event) -> str:
    # Derived from the content, so that the same line read again is the same entry.
    return "h-" + hashlib.blake2b(orjson.dumps(event, default=str), digest_size=8).hexdigest()


def session_kind(
    session_key: str, chat_type: str | None = None, created_via: str | None = None, hook_source: str | None = None
) -> SessionKind:
    """Return what a session is for. Any sign that it is not a private conversation wins.

    The key's form is what tells; the other facts are often missing. UNKNOWN without a key.
    """
    key = f":{session_key.lower()}:"
    for mark, kind in _KEY_MARKS:
        if mark in key:
            return kind
    if hook_source:
        return SessionKind.HOOK
    if chat_type in ("group", "channel"):
        return SessionKind(chat_type)
    kind_of_origin = _ORIGINS.get(created_via or "")
    if kind_of_origin is not None:
        return kind_of_origin
    return SessionKind.DIRECT if session_key and session_key != "unknown" else SessionKind.UNKNOWN


_KEY_MARKS = (
    (":subagent:", SessionKind.SUBAGENT),
    (":cron:", SessionKind.CRON),
    (":heartbeat:", SessionKind.HEARTBEAT),
    (":hook:", SessionKind.HOOK),
    (":group:", SessionKind.GROUP),
    (":channel:", SessionKind.CHANNEL),
    (":room:", SessionKind.CHANNEL),
    (":acp:", SessionKind.INTERNAL),
    (":dreaming", SessionKind.INTERNAL),
    (":internal", SessionKind.INTERNAL),
)
_ORIGINS = {
    "cron": SessionKind.CRON,
    "spawn": SessionKind.SUBAGENT,
    "plugin": SessionKind.INTERNAL,
    "internal": SessionKind.INTERNAL,
}
_PROMPT_KINDS = {"cron": SessionKind.CRON, "subagent": SessionKind.SUBAGENT, "inter-session": SessionKind.INTERNAL}


def guess_kind(events: Iterable[Event]) -> SessionKind:
    """Return what a session without a key is for, from its first *events*; UNKNOWN when they do not prove it.

    The first message of a cron or sub-agent session says so, and a group's messages carry the host's
    note. A heartbeat poll is sent to main sessions. Nothing else proves that a conversation was
    private: messages of a group can look exactly like a person's own, so the answer is UNKNOWN.
    """
    messages = with_sender = 0
    has_heartbeat = False
    for event in events:
        message = event.get("message")
        if type(message) is not dict or message.get("role") != "user":
            continue
        content = message.get("content")
        text = content if type(content) is str else _text_of(content)
        if evidence.says_group(text):
            return SessionKind.GROUP
        prompt = evidence.prompt_kind(text)
        if not messages and prompt in _PROMPT_KINDS:
            return _PROMPT_KINDS[prompt]
        has_heartbeat = has_heartbeat or prompt == "heartbeat"
        messages += 1
        with_sender += _names_sender(text)
    return SessionKind.DIRECT if has_heartbeat and with_sender * 2 < messages else SessionKind.UNKNOWN


def _names_sender(text: str) -> bool:
    # "Priya: heads up": a sender before the words, as in groups. A direct chat says "Log for today: …" now
    # and then; when half of the messages look so, the session stays unknown, which only leaves it out.
    head, colon, _ = text[:48].partition(": ")
    return bool(colon) and 0 < len(head.split()) <= 3 and head[:1].isupper() and head.replace(" ", "").isalpha()
