"""The host's `sessions` folder of the JSONL era: which files are transcripts, and whose.

Only `<session>.jsonl`, `<session>-topic-<thread>.jsonl` and what a reset or a deletion made of them
are transcripts; trajectories, checkpoints, backups, locks and temporary files are not.

sessions.json names current sessions, and those that its keys were continued from in a chat. For the others
the key comes from what was remembered, or from the first line of the trajectory beside the transcript, which
the host wrote for the same session. Else the content decides (core/transcript/session_kind).

A reset and a compaction end a conversation: the agent no longer has it in mind, so what was said should be in
MEMORY.md. In the JSONL era a reset also renames the file. The look for them is bounded and cheap, and what it
cannot tell counts as an end: that only means observing sooner.
"""

from __future__ import annotations

import re
import stat
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

import orjson

from scrimshaw.core.transcript.entries import parse_time
from scrimshaw.core.transcript.events import repaired
from scrimshaw.core.transcript.session_kind import guess_kind
from scrimshaw.core.types import SessionKind
from scrimshaw.errors import UserError
from scrimshaw.files import changed_ns, open_regular
from scrimshaw.sources.reading import ENDS, marks_end

# A daemon asks again every few seconds, and a file that did not change says the same.
_MOST_KEPT = 10_000
HEAD_BYTES = 256 << 10  # of a transcript without a key: enough for its first turns
TRAJECTORY_BYTES = 1 << 20
TAIL_BYTES = 8 << 10
LONG_TAIL_BYTES = 1 << 20
NAMES_FILE = "sessions.json"
MAX_NAMES_BYTES = 256 << 20
MAX_LOOK_BYTES = 4 << 20  # for the end of a conversation
_SAID = re.compile(rb'"type"\s*:\s*"message"')

_TRANSCRIPT = re.compile(
    r"(?P<stem>.+?)\.jsonl(?:\.(?P<how>reset|deleted)\.(?P<when>\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d(?:\.\d+)?Z))?\Z"
)
_TOPIC = re.compile(r"-topic-[^/]+\Z")
_STORED_AT = re.compile(rb'"timestamp":\s*(?:"([^"\\]{10,40})"|(\d{12,14})\b)')


class Part(NamedTuple):
    """One transcript file as it stood when the folder was listed."""

    path: Path
    session_id: str
    rotated: str  # when a reset renamed it; "" for the live file
    inode: int
    size: int
    changed_ns: int


class Listing(NamedTuple):
    """What a folder holds."""

    parts: dict[str, list[Part]]  # by session id, in the order of writing
    deleted: frozenset[str]  # sessions of which only deleted files are left
    warnings: list[str]


def list_parts(folder: Path) -> Listing:
    """Return the transcripts in *folder*; UserError when it cannot be listed."""
    parts: dict[str, list[Part]] = {}
    deleted: set[str] = set()
    warnings: list[str] = []
    try:
        names = sorted(path.name for path in folder.iterdir())
    except FileNotFoundError:
        return Listing({}, frozenset(), [f"{folder}: not there; no transcripts were read from it."])
    except OSError as error:
        raise UserError(
            f"{folder}: the folder of transcripts cannot be listed ({error.strerror}). Nothing was read.",
            next_step="run as the user that runs OpenClaw, or mend the folder's permissions",
        ) from error
    for name in names:
        match = _TRANSCRIPT.match(name)
        if match is None or _is_other_artifact(match["stem"]):
            continue
        session_id = _TOPIC.sub("", match["stem"])
        if match["how"] == "deleted":
            deleted.add(session_id)
            continue
        path = folder / name
        try:
            status = path.stat()
        except OSError as error:
            warnings.append(f"{path}: cannot be looked at ({error.strerror}); left out this time.")
            continue
        if not stat.S_ISREG(status.st_mode):
            warnings.append(f"{path}: is not a regular file; left out.")
            continue
        part = Part(path, session_id, match["when"] or "", status.st_ino, status.st_size, status.st_mtime_ns)
        parts.setdefault(session_id, []).append(part)
    for chain in parts.values():
        chain.sort(key=lambda part: (not part.rotated, part.rotated, part.path.name))
    return Listing(parts, frozenset(deleted - parts.keys()), warnings)


def is_transcript(name: str) -> bool:
    """Tell whether a file of this name holds a transcript, or what a reset or a deletion made of one."""
    if name.endswith(".jsonl"):  # most are; asked of every name in a folder
        return len(name) > len(".jsonl") and not _is_other_artifact(name.removesuffix(".jsonl"))
    match = _TRANSCRIPT.match(name) if ".jsonl." in name else None
    return match is not None and not _is_other_artifact(match["stem"])


def _is_other_artifact(stem: str) -> bool:
    return stem.endswith(".trajectory") or ".checkpoint." in stem or ".bak" in stem


def named_sessions(folder: Path) -> tuple[dict[str, str], str]:
    """Return the keys of current sessions that sessions.json gives, by session id, and a warning or ""."""
    stored, problem = _names(folder)
    found: dict[str, str] = {}
    for key, entry in stored.items():
        session_id = entry.get("sessionId")
        if type(session_id) is str:
            found[session_id] = _with_chat_type(key, entry.get("chatType"))
    return found, problem


def earlier_sessions(folder: Path) -> dict[str, str]:
    """Return the keys that sessions.json gives to replaced sessions; none where two claim one."""
    found: dict[str, str] = {}
    for key, entry in _names(folder)[0].items():
        session_ids = entry.get("usageFamilySessionIds")
        if entry.get("usageFamilyKey", key) == key and type(session_ids) is list:
            named = _with_chat_type(key, entry.get("chatType"))
            for one in session_ids:
                if type(one) is str:
                    found[one] = named if found.get(one, named) == named else ""
    return found


def _names(folder: Path) -> tuple[dict[str, dict[str, object]], str]:
    path = folder / NAMES_FILE
    try:
        with open_regular(path) as file:
            raw = file.read(MAX_NAMES_BYTES + 1)
        if len(raw) > MAX_NAMES_BYTES:
            return {}, f"{path}: larger than {MAX_NAMES_BYTES >> 20} MiB; session keys were not read from it."
        stored = orjson.loads(raw)
    except FileNotFoundError:
        return {}, ""
    except (OSError, ValueError):
        return {}, f"{path}: cannot be read as JSON; sessions whose kind is not known otherwise are left out."
    entries = stored.items() if type(stored) is dict else ()
    return {key: entry for key, entry in entries if type(entry) is dict}, ""


def _with_chat_type(key: str, chat_type: object) -> str:
    # A group whose key does not show it: say it in the key, which is all that is remembered later.
    return f"{key}:{chat_type}:" if chat_type in ("group", "channel") and f":{chat_type}:" not in key else key


def key_beside(folder: Path, session_id: str) -> str:
    """Return the session key from the trajectory that the host keeps beside a transcript; "" without one."""
    path = folder / f"{session_id}.trajectory.jsonl"
    changed = changed_ns(path)
    return _key_in(path, changed, session_id) if changed else ""


@lru_cache(maxsize=_MOST_KEPT)
def _key_in(path: Path, _changed_ns: int, session_id: str) -> str:
    line = read_piece(path, 0, TRAJECTORY_BYTES).partition(b"\n")[0]
    try:
        first = orjson.loads(line)
    except ValueError:
        return ""
    if type(first) is not dict or first.get("sessionId") != session_id:
        return ""
    key = first.get("sessionKey")
    return key if type(key) is str else ""


def read_piece(path: Path, offset: int, size: int) -> bytes:
    """Return *size* bytes of *path* from *offset* on; nothing when it cannot be read."""
    try:
        with path.open("rb") as file:
            file.seek(offset)
            return file.read(size)
    except OSError:
        return b""


def guess_part(part: Part) -> SessionKind:
    """Return what a session without a key is for, from the beginning of its first file."""
    try:
        return _guess(part)
    except OSError:
        return SessionKind.UNKNOWN


@lru_cache(maxsize=_MOST_KEPT)
def _guess(part: Part) -> SessionKind:
    with part.path.open("rb") as file:
        events = [repaired(line).event for line in file.read(HEAD_BYTES).split(b"\n") if line]
    return guess_kind([event for event in events if event is not None])


@lru_cache(maxsize=_MOST_KEPT)
def first_at_ms(part: Part, offset: int) -> int:
    """Return when the line of *part* that begins at *offset* was stored; 0 if its beginning does not say."""
    found = _STORED_AT.search(read_piece(part.path, offset, TAIL_BYTES))
    if found is None:
        return 0
    return int(found[2]) if found[2] else parse_time(found[1].decode("ascii", "replace")) or 0


@lru_cache(maxsize=_MOST_KEPT)
def newest_at_ms(part: Part) -> int:
    """Return when the last line of *part* was stored; the file's own time when its end does not say."""
    for size in (TAIL_BYTES, LONG_TAIL_BYTES):  # nearly always the first holds a whole line
        tail = read_piece(part.path, max(0, part.size - size), size)
        for line in reversed(tail.split(b"\n")):
            # The line's own time: what a tool was told or answered may hold other times.
            if at_ms := _stored_at_ms(line):
                return at_ms
        if len(tail) < size:
            break
    return part.changed_ns // 1_000_000


def _stored_at_ms(line: bytes) -> int:
    try:
        event = orjson.loads(line)
    except ValueError:
        return 0
    said = event.get("timestamp") if type(event) is dict else None
    return said if type(said) is int else parse_time(said) or 0 if type(said) is str else 0


# -- ends ----------------------------------------------------------------------------------------------------


def files_mark_end(parts: Sequence[Part], offset: int) -> bool:
    """Tell whether *parts*, the first one from *offset* on, hold an end; True for more than 4 MiB."""
    for part in parts:
        unread = part.size - offset
        if unread > 0 and (part.rotated or unread > MAX_LOOK_BYTES):
            return True
        # What cannot be read cannot be observed either.
        if unread > 0 and marks_end(read_piece(part.path, offset, MAX_LOOK_BYTES)):
            return True
        offset = 0
    return False


def files_go_on(parts: Sequence[Part]) -> bool:
    """Tell whether the last of *parts* holds a message behind its last end, in its last 4 MiB."""
    if not parts:
        return False
    tail = read_piece(parts[-1].path, max(0, parts[-1].size - MAX_LOOK_BYTES), MAX_LOOK_BYTES)
    ends = [found.end() for found in ENDS.finditer(tail)]
    return _SAID.search(tail, ends[-1] if ends else 0) is not None
