"""The OpenClaw samples as sessions with entries."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

from scrimshaw.core.model import Entry, Role, Session, SessionKind, ToolCall

_SECRET = re.compile(r"AKIA\w{16}|ghp_\w{30,}|(?<=:)[^:@/\s]{6,}(?=@)|-----BEGIN.*?END OPENSSH PRIVATE KEY-----", re.DOTALL)


def conversations(folder: Path) -> Iterator[tuple[Session, list[Entry]]]:
    """Yield the direct sessions of the sample in *folder*."""
    by_session: dict[str, list[Entry]] = {}
    if (folder / "transcripts.jsonl").is_file():
        for line in (folder / "transcripts.jsonl").read_text(encoding="utf-8").splitlines():
            row = json.loads(line)
            if row["session_key"] == "agent:main:main":
                _add(by_session, row["session_id"], row["seq"], row["event"])
    else:
        for path in sorted((folder / "sessions").glob("*.jsonl*"), key=lambda p: (".reset" not in p.name, p.name)):
            if path.name[:8] in ("86a44344", "d13cb095", "d46b3a49"):
                continue
            for number, line in enumerate(path.read_text(encoding="utf-8").splitlines()):
                _add(by_session, path.name[:36], number, json.loads(line))
    for session_id, entries in by_session.items():
        yield Session(session_id, "agent:main:main", "main", SessionKind.DIRECT), entries


def _add(by_session: dict[str, list[Entry]], session_id: str, position: int, event: dict) -> None:
    message = event.get("message") or {}
    if event.get("type") != "message" or message.get("provenance") or message.get("role") not in ("user", "assistant", "toolResult"):
        return
    content = message.get("content") or ""
    blocks = [{"type": "text", "text": content}] if isinstance(content, str) else content
    text = _SECRET.sub("[redacted:secret]", "\n".join(b["text"] for b in blocks if b.get("type") == "text"))
    if text in ("NO_REPLY", "HEARTBEAT_OK", "[OpenClaw heartbeat poll]") or "heartbeat poll" in text.lower()[:60]:
        return
    calls = tuple(ToolCall(b.get("id", ""), b.get("name", ""), " ".join(str(v) for v in (b.get("arguments") or {}).values())) for b in blocks if b.get("type") == "toolCall")
    role = {"user": Role.USER, "assistant": Role.ASSISTANT, "toolResult": Role.TOOL}[message["role"]]
    if not text and not calls and role is not Role.TOOL:
        return
    said = int(datetime.fromisoformat(event["timestamp"].replace("Z", "+00:00")).timestamp() * 1000)
    by_session.setdefault(session_id, []).append(
        Entry(session_id, event["id"], position, said, role, text, calls, message.get("toolCallId", ""), message.get("toolName", ""), bool(message.get("isError")))
    )
