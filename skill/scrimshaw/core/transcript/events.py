"""One stored event of a transcript, parsed once, with only the fields that decide what it is.

Fields that are not named here (token counts, copies of outputs, images) are passed over while parsing
and never become objects: that makes parsing with types cheaper than decoding to dictionaries.

Events come from other programs. The typed parser takes what has the host's own form; anything else
goes through `repaired`, which takes field by field what has the right type and mends characters that
JSON or UTF-8 cannot hold. What is mended or lost is said, never passed over in silence.
"""

from __future__ import annotations

import json
from typing import Any, NamedTuple

import msgspec
import orjson


class Block(msgspec.Struct, gc=False):
    """A part of a message's content: text or a call; others keep only their type."""

    type: str = ""
    text: str = ""
    id: str = ""
    name: str = ""
    arguments: Any = None  # as the model gave them; made readable text at once


class MessageOrigin(msgspec.Struct, gc=False):
    """Where the host says a message comes from."""

    kind: str = ""


class HostNote(msgspec.Struct, gc=False, rename={"run_id": "runId"}):
    """The host's own note in a message."""

    run_id: str = ""


class Details(msgspec.Struct, gc=False, rename={"exit_code": "exitCode"}):
    """How a tool's work ended."""

    exit_code: Any = None
    status: Any = None


class StoredMessage(
    msgspec.Struct,
    gc=False,
    rename={
        "stop_reason": "stopReason",
        "call_id": "toolCallId",
        "tool_name": "toolName",
        "is_error": "isError",
        "about": "__openclaw",
    },
):
    """What was said, by whom."""

    role: str = ""
    content: str | list[Block] = ""
    timestamp: int | float | str | None = None
    provenance: MessageOrigin | None = None
    stop_reason: str | None = None
    model: str | None = None
    call_id: str = ""
    tool_name: str = ""
    is_error: bool = False
    details: Details | None = None
    about: HostNote | None = None


class TranscriptEvent(msgspec.Struct, gc=False):
    """One item of a transcript."""

    type: str = ""
    id: str = ""
    timestamp: int | float | str | None = None
    message: StoredMessage | None = None


class Repaired(NamedTuple):
    """An event that is not in the host's form: what could be taken of it, and what is wrong, if anything."""

    event: TranscriptEvent | None
    problem: str


UNPARSABLE = (msgspec.MsgspecError, UnicodeDecodeError, RecursionError)  # what `parse` raises

_DECODER = msgspec.json.Decoder(TranscriptEvent)
parse = _DECODER.decode
parse_lines = _DECODER.decode_lines  # a third faster than line by line; lines that hold nothing are left out


def message_text(message: StoredMessage) -> str:
    """Return the text of a message; thinking, calls and images are not text."""
    content = message.content
    if type(content) is str:
        return content
    if len(content) == 1:
        block = content[0]
        return block.text if block.type == "text" else ""  # type: ignore[union-attr]  # a list, as just seen
    return "\n".join([block.text for block in content if block.type == "text" and block.text])  # type: ignore[union-attr]


def repaired(raw: bytes) -> Repaired:
    """Return what can be read of bytes that `parse` refused."""
    try:
        stored = orjson.loads(raw)
    except ValueError:
        return _mended(raw)
    if type(stored) is not dict:
        return Repaired(None, "holds no event; left out")
    return Repaired(_event_of(stored), "")


def _mended(raw: bytes) -> Repaired:
    text = raw.strip(b"\0").decode("utf-8", "replace")
    if not text.strip():
        return Repaired(None, "is empty (NUL bytes); left out")
    try:
        stored = json.loads(text, strict=False)
        # Half of a surrogate pair is replaced as the text is built anew.
        stored = json.loads(json.dumps(stored, ensure_ascii=False).encode("utf-8", "replace"), strict=False)
    except (ValueError, RecursionError):
        return Repaired(None, f"is not JSON ({len(raw)} bytes); left out")
    if type(stored) is not dict:
        return Repaired(None, "holds no event; left out")
    return Repaired(_event_of(stored), "holds invalid characters; they were replaced")


def _event_of(stored: dict[str, Any]) -> TranscriptEvent:
    message = stored.get("message")
    return TranscriptEvent(
        _string(stored.get("type")),
        _string(stored.get("id")),
        _time(stored.get("timestamp")),
        _message_of(message) if type(message) is dict else None,
    )


def _message_of(stored: dict[str, Any]) -> StoredMessage:
    content = stored.get("content")
    provenance, details, about = stored.get("provenance"), stored.get("details"), stored.get("__openclaw")
    return StoredMessage(
        _string(stored.get("role")),
        content if type(content) is str else _blocks_of(content),
        _time(stored.get("timestamp")),
        # What says where a message comes from and cannot be read is no proof that a person said it.
        MessageOrigin(_string(provenance.get("kind")) if type(provenance) is dict else "unreadable")
        if provenance is not None
        else None,
        _string(stored.get("stopReason")),
        _string(stored.get("model")),
        _string(stored.get("toolCallId")),
        _string(stored.get("toolName")),
        stored.get("isError") is True,
        Details(details.get("exitCode"), details.get("status")) if type(details) is dict else None,
        HostNote(_string(about.get("runId"))) if type(about) is dict else None,
    )


def _blocks_of(content: object) -> list[Block]:
    blocks = []
    for block in content if type(content) is list else ():
        if type(block) is dict:
            kind, text, block_id, name = (_string(block.get(key)) for key in ("type", "text", "id", "name"))
            blocks.append(Block(kind, text, block_id, name, block.get("arguments")))
        elif type(block) is str:
            blocks.append(Block("text", block))
    return blocks


def _string(value: object) -> str:
    return value if type(value) is str else ""


def _time(value: object) -> int | float | str | None:
    return value if type(value) in (int, float, str) else None  # type: ignore[return-value]  # just checked
