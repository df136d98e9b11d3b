"""From a stored event to an Entry, or to the reason why it is no evidence.

The class of an entry is decided here and nowhere else: user, assistant or tool. Only messages on the
surface of a conversation count; what the host says in somebody's name does not, and neither does the
turn that answers it (a heartbeat's reply, the answer to another session). That needs a little memory
between events, the Turn, which belongs to one session and travels in the source's cursor.

Speed matters (hundreds of thousands of events): the common case comes first, and no regular
expression runs on an ordinary message.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import NamedTuple

import msgspec
import orjson

from scrimshaw.core.transcript import classify
from scrimshaw.core.transcript.events import Block, StoredMessage, TranscriptEvent, message_text
from scrimshaw.core.types import Entry, Role, Session, SessionKind, ToolCall

MAX_HIDDEN_CALLS = 64
MAX_UNWRAPPED_DEPTH = 4
OLDEST_MS = 100_000_000_000  # below this a number is seconds, as the host reads it
LATEST_MS = 7_258_118_400_000  # the year 2200: calendars and files can hold it, and an import takes it


class Skipped(NamedTuple):
    """An event that is no evidence, with the word under which it is counted."""

    reason: str


@dataclass(slots=True)
class TurnState:
    """What the next event of a session depends on."""

    is_internal: bool = False  # the host, not the person, started this turn
    hidden_calls: list[str] = field(default_factory=list)  # calls whose results are no evidence
    at_ms: int = 0  # the last time seen, for events without one


_TYPES = {
    kind: Skipped(kind)
    for kind in (
        "session", "model_change", "thinking_level_change", "custom", "custom_message", "compaction", "reset",
        "branch_summary", "label", "session_info", "leaf",
    )
}  # fmt: skip
_OTHER_TYPE = Skipped("other-type")
_OTHER_ROLE = Skipped("other-role")
_CUSTOM_MESSAGE = Skipped("custom-message")
_MALFORMED = Skipped("malformed")
_EMPTY = Skipped("empty")
_SILENT = Skipped("silent")
_COMMAND = Skipped("command")
_ERROR_TURN = Skipped("error-turn")
_GATEWAY = Skipped("gateway-injected")
_HIDDEN = Skipped("hidden-call")  # reads memory, runs us, or speaks with other sessions
_INTERNAL_TURN = Skipped("internal-turn")
_INTERNAL_SYSTEM = Skipped("internal-system")
_INTER_SESSION = Skipped("inter-session")
_RECOVERY = Skipped(classify.RECOVERY)
_RUNTIME = Skipped("runtime-context")

# Sessions in which every turn is started by the host: whoever wants them wants what was answered there.
_HOST_RUN = frozenset((SessionKind.CRON, SessionKind.SUBAGENT, SessionKind.HOOK, SessionKind.INTERNAL))

# Entries by the hundred thousand: the tuple's own constructor takes half the time of the named one, and
# a global is found faster than a member of an enumeration or of a module.
_new = tuple.__new__
_USER, _ASSISTANT, _TOOL = Role.USER, Role.ASSISTANT, Role.TOOL
_PROMPT_FIRST, _SILENT_WORDS, _SILENT_CHARS = (
    classify.PROMPT_FIRST,
    classify.SILENT,
    classify.LONGEST_SILENT_CHARS,
)
_is_hidden = classify.is_hidden_tool


def read_event(event: TranscriptEvent, session: Session, position: int, turn: TurnState) -> Entry | Skipped:
    """Return *event* as an Entry of *session*, or why it is no evidence; *turn* is carried on."""
    if event.type != "message":
        return _TYPES.get(event.type, _OTHER_TYPE)
    message = event.message
    if message is None:
        return _MALFORMED
    at_ms = message.timestamp
    if type(at_ms) is not int or not OLDEST_MS <= at_ms < LATEST_MS:
        at_ms = _time_of(at_ms, event.timestamp, turn.at_ms)
    turn.at_ms = at_ms
    entry_id = event.id or _made_up_id(event)
    role = message.role
    if role == "assistant":
        return _read_assistant(message, session.session_id, entry_id, position, at_ms, turn)
    if role == "toolResult":
        return _read_tool_result(message, session.session_id, entry_id, position, at_ms, turn)
    if role == "user":
        return _read_user(message, session, entry_id, position, at_ms, turn)
    return _CUSTOM_MESSAGE if role == "custom" else _OTHER_ROLE


def _read_user(
    message: StoredMessage, session: Session, entry_id: str, position: int, at_ms: int, turn: TurnState
) -> Entry | Skipped:
    if message.provenance is not None and message.provenance.kind not in ("external_user", ""):
        if classify.prompt_kind(message_text(message)) != classify.RECOVERY:
            turn.is_internal = session.kind not in _HOST_RUN
        return _INTER_SESSION if message.provenance.kind == "inter_session" else _INTERNAL_SYSTEM
    text = message_text(message)
    if not text:
        return _EMPTY
    kind = ""
    # One character is looked for many times faster than a word: most messages have none of these.
    if (
        text[0] in _PROMPT_FIRST
        or "<" in text
        or "(" in text
        or "\0" in text
        or "⟦" in text
        or text.isspace()
    ):
        kind = classify.prompt_kind(text)
        if not kind:
            text = _clean(classify.person_words(text))
            # Once more without the stamp: the host's prompts may carry one, too.
            kind = classify.prompt_kind(text)
    if kind == classify.RECOVERY:
        return _RECOVERY
    if kind:
        turn.is_internal = kind == "heartbeat" or session.kind not in _HOST_RUN
        return Skipped(kind)
    if not text:
        return _RUNTIME if classify.RUNTIME_BEGIN in message_text(message) else _EMPTY
    turn.is_internal = False
    if text[0] == "/" and classify.is_command(text):
        return _COMMAND
    return _new(Entry, (session.session_id, entry_id, position, at_ms, _USER, text, (), "", "", False))


def _read_assistant(
    message: StoredMessage, session_id: str, entry_id: str, position: int, at_ms: int, turn: TurnState
) -> Entry | Skipped:
    stop = message.stop_reason
    if stop in ("error", "aborted"):
        return _ERROR_TURN
    if message.model == "gateway-injected":
        return _GATEWAY
    if turn.is_internal:
        if not _is_announcement(message):
            return _INTERNAL_TURN
        turn.is_internal = False
    text, content = message_text(message), message.content
    # A single text block holds no tool call.
    calls = () if text and len(content) == 1 else _calls_of(content, turn)
    if text:
        if len(text) <= _SILENT_CHARS and text.strip() in _SILENT_WORDS:
            return _SILENT
        if text[0] == "[":
            text = classify.cut_reply_tag(text)
        if "<" in text or "\0" in text or text.isspace():
            text = _clean(text)
    if not text and not calls:
        return _HIDDEN if turn.hidden_calls else _EMPTY
    return _new(Entry, (session_id, entry_id, position, at_ms, _ASSISTANT, text, calls, "", "", False))


def _is_announcement(message: StoredMessage) -> bool:
    # A sub-agent's result is told to the person in no turn of theirs; it ends an internal one.
    return message.about is not None and message.about.run_id.startswith("announce:")


def _calls_of(content: str | list[Block], turn: TurnState) -> tuple[ToolCall, ...]:
    calls: list[ToolCall] = []
    if isinstance(content, str):
        return ()
    for block in content:
        if block.type != "toolCall":
            continue
        call_id, name, arguments = block.id, block.name, block.arguments
        if name == "tool_call" and type(arguments) is dict and "id" in arguments:
            name, arguments = str(arguments["id"]).rpartition(":")[2], arguments.get("args")
        command = arguments.get("command") if type(arguments) is dict and len(arguments) == 1 else None
        readable = command if type(command) is str else _readable(arguments)
        if _is_hidden(name) or classify.names_memory(readable):
            turn.hidden_calls.append(call_id)
            del turn.hidden_calls[:-MAX_HIDDEN_CALLS]
            continue
        if "<" in readable or "\0" in readable:
            readable = _clean(readable)
        call = _new(ToolCall, (call_id, name, readable))
        if len(content) == 1:
            return (call,)
        calls.append(call)
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
    message: StoredMessage, session_id: str, entry_id: str, position: int, at_ms: int, turn: TurnState
) -> Entry | Skipped:
    call_id, name = message.call_id, message.tool_name
    if turn.is_internal:
        return _INTERNAL_TURN
    if turn.hidden_calls and call_id in turn.hidden_calls:
        turn.hidden_calls.remove(call_id)
        return _HIDDEN
    text = message_text(message)
    if not text:
        return _EMPTY
    if text[0] == "{":
        text, name = _unwrap(text, name)
    if _is_hidden(name):
        return _HIDDEN
    if "<" in text or "\0" in text or text.isspace():
        text = _clean(text)
        if not text:
            return _EMPTY
    details, failed = message.details, message.is_error
    if details is not None and not failed:
        failed = details.exit_code not in (0, None) or details.status in ("failed", "error")
    return _new(Entry, (session_id, entry_id, position, at_ms, _TOOL, text, (), call_id, name, failed))


def _unwrap(text: str, name: str) -> tuple[str, str]:
    """Return the innermost text of a tool's result that is itself a stored result, and the tool's name."""
    for _ in range(MAX_UNWRAPPED_DEPTH):
        if not text.startswith("{") or '"content"' not in text:
            break
        try:
            outer = orjson.loads(text)
        except ValueError:
            break
        if type(outer) is not dict:
            break
        result = outer.get("result", outer)
        content = result.get("content") if type(result) is dict else None
        blocks = content if type(content) is list else []
        inner = "\n".join(str(block["text"]) for block in blocks if type(block) is dict and "text" in block)
        if not inner:
            break
        tool = outer.get("tool")
        if type(tool) is dict and type(tool.get("name")) is str:
            name = tool["name"]
        text = inner
    return text, name


def _clean(text: str) -> str:
    text = text.replace("\0", "")
    if classify.MARKER in text:
        text = classify.cut_section(text)
    return "" if text.isspace() else text


def _time_of(said: object, stored: object, last_ms: int) -> int:
    for value in (said, stored):
        if type(value) in (int, float):
            at_ms = float(value) * (1000 if value < OLDEST_MS else 1)  # type: ignore[arg-type, operator]  # just checked
            if 0 < at_ms < LATEST_MS:
                return int(at_ms)
        if type(value) is str:
            parsed = parse_time(value)
            if parsed is not None:
                return parsed
    return last_ms


def parse_time(text: str) -> int | None:
    """Return an ISO time as UTC epoch milliseconds (no zone means UTC); None when nobody can speak then.

    "0001-01-01T00:00:00Z" is what some programs write for no time at all: no dated file, index or import
    can hold it.
    """
    try:
        at = datetime.fromisoformat(text)
    except ValueError:
        return None
    at_ms = int((at if at.tzinfo else at.replace(tzinfo=UTC)).timestamp() * 1000)
    return at_ms if 0 < at_ms < LATEST_MS else None


def _made_up_id(event: TranscriptEvent) -> str:
    # Derived from the content, so that the same line read again is the same entry.
    return "h-" + hashlib.blake2b(msgspec.json.encode(event), digest_size=8).hexdigest()
