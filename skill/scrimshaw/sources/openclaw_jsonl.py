"""Transcripts of the JSONL era: one file a session, appended by whole lines, sometimes rewritten.

A session is a chain of files: those a reset renamed (`.jsonl.reset.<time>`), oldest first, then the
live one. What the host deleted (`.jsonl.deleted.<time>`) is listed but not read (rule 17).

The cursor is a byte offset with what proves it: the inode as a hint, and a fingerprint of the file's
head and of the bytes just before the offset. A file truncated and rewritten alike goes on where it
was; one rewritten differently is read again from the start. A last line without its end is left for
the next time, and a file is read only as far as it reached when the reading began.

Before reading, a pass over the new lines looks for a branch in the parent links (core/transcript/branch);
only when there is one are links looked at a second time, and the file is read again from its start.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import BinaryIO, NamedTuple

import orjson

from scrimshaw.core.transcript import branch
from scrimshaw.core.transcript.branch import Link, Ranges
from scrimshaw.core.transcript.session_kind import session_kind
from scrimshaw.core.types import Session, SessionKind
from scrimshaw.sources import jsonl_folder
from scrimshaw.sources.jsonl_folder import Part, files_go_on, files_mark_end
from scrimshaw.sources.reading import (
    MAX_EVENT_BYTES,
    Page,
    PageBuilder,
    ReadProblem,
    SessionState,
    Unopened,
    cursor_from_json,
    cursor_to_json,
    turn_from_json,
    turn_to_json,
)

CHUNK_BYTES = 128 << 10  # small enough for the processor's cache
PAGE_BYTES = 256 << 10
HEAD_BYTES = 1024  # of what a fingerprint is made, and:
TAIL_BYTES = 4096
_MESSAGE = b'{"type":"message","id":"'
_PARENT = b'","parentId":"'  # from the quote that ends the id
_ID_SHIFT = len(_MESSAGE) - len(_PARENT) - 1  # to the end of an id as long as the one expected


class FileCursor(NamedTuple):
    """A read position in one file of a session, and what proves it."""

    inode: int = 0
    offset: int = 0
    fingerprint: str = ""
    line: int = 0  # lines of this file before the offset
    base: int = 0  # lines of the session's earlier files
    before: int = 0  # bytes of these that were read
    last_id: str = ""  # of the last item before the offset
    turn: object = None


class ReadPlan(NamedTuple):
    """What a pass over a file's links found."""

    end: int  # of the last whole line
    ranges: Ranges | None  # line numbers of what is to be read (core/transcript/branch); None: all
    is_reread: bool  # the branch changed: begin again
    has_gaps: bool  # some lines are empty


class JsonlSource:
    """Reads an agent's `sessions` folder.

    *known_keys* are session keys remembered by session id: sessions.json names current sessions. A key that
    is "" is of a session of which the owner was asked, and which is left out without a word.
    """

    kind = "jsonl"

    def __init__(self, folder: Path, agent_id: str, *, known_keys: Mapping[str, str] | None = None) -> None:
        self.id = f"jsonl:{agent_id}"
        self.agent_id = agent_id
        self._folder = folder
        self._known_keys = dict(known_keys or {})
        self._left_out = {session_id for session_id, key in self._known_keys.items() if not key}
        self._parts: dict[str, list[Part]] = {}
        self._deleted: frozenset[str] = frozenset()
        self._named: dict[str, str] = {}
        self._warnings: dict[str, None] = {}

    def sessions(self) -> list[SessionState]:
        """Return every session whose transcript is there, oldest first; UserError when none can be listed."""
        listing = jsonl_folder.list_parts(self._folder)
        self._parts, self._deleted = listing.parts, listing.deleted
        self._warnings = dict.fromkeys(listing.warnings)
        named, problem = jsonl_folder.named_sessions(self._folder)
        if problem:
            self._warnings[problem] = None
        self._named = named
        self._known_keys.update(named)
        unnamed = [parts for session_id, parts in self._parts.items() if not self._known_keys.get(session_id)]
        if any(sum(part.size for part in parts) > HEAD_BYTES for parts in unnamed):
            for session_id, key in jsonl_folder.earlier_sessions(self._folder).items():
                self._known_keys[session_id] = self._known_keys.get(session_id) or key
        found = [self._state_of(session_id, parts) for session_id, parts in self._parts.items()]
        self._warn_of_unknown(found)
        return sorted(found, key=lambda state: (state.newest_at_ms, state.session.session_id))

    def _state_of(self, session_id: str, parts: list[Part]) -> SessionState:
        key = self._known_keys.get(session_id) or jsonl_folder.key_beside(self._folder, session_id)
        if key:
            self._known_keys[session_id] = key
            kind = session_kind(key)
        else:
            kind = jsonl_folder.guess_part(parts[0])
        return SessionState(
            Session(session_id, key, self.agent_id, kind),
            jsonl_folder.newest_at_ms(parts[-1]),
            ";".join(f"{part.inode}:{part.size}:{part.changed_ns}" for part in parts),
            sum(part.size for part in parts),
        )

    def _warn_of_unknown(self, states: Iterable[SessionState]) -> None:
        # A reset can leave a file with a header and nothing else: nothing in it to wonder about.
        unknown = [
            state.session.session_id
            for state in states
            if state.session.kind is SessionKind.UNKNOWN
            and state.size_hint > HEAD_BYTES
            and state.session.session_id not in self._left_out
        ]
        if unknown:
            names = ", ".join(unknown[:3]) + (", …" if len(unknown) > 3 else "")
            self._warnings[
                f"{self._folder}: {len(unknown)} old session(s) may be a group's, the host no longer says "
                f"({names}). They are left out as groups are. "
                "Next: scrimshaw observe --old-sessions private (if they were all private), or leave"
            ] = None

    def pages(self, state: SessionState, cursor: str | None) -> Iterator[Page]:
        """Yield what the session holds after *cursor*; one that does not hold is said in the first page."""
        session_id = state.session.session_id
        parts = self._parts.get(session_id) or jsonl_folder.list_parts(self._folder).parts.get(session_id, [])
        start, problem = FileCursor(), ""
        if cursor is not None:
            located = locate(parts, cursor)
            if located is not None:
                start, parts = located
            else:
                problem = "was rewritten since it was last read; read again from its start"
        for part in parts:
            try:
                file = part.path.open("rb")
            except FileNotFoundError:
                return  # renamed or deleted since it was listed
            except OSError as error:
                # What follows in this session waits, too: its order must hold.
                what = f"cannot be opened ({error.strerror}); left for the next run"
                raise Unopened(ReadProblem(str(part.path), what)) from error
            with file:
                for page, after in _read_part(file, part, state.session, start, problem):
                    start, problem = after, ""
                    yield page
            start = FileCursor(
                base=start.base + start.line, before=start.before + start.offset, turn=start.turn
            )

    def unread_bytes(self, state: SessionState, cursor: str | None) -> int:
        return unread_size(self._parts.get(state.session.session_id, []), cursor)

    def unread_since_ms(self, state: SessionState, cursor: str | None) -> int:
        """Return when the first entry after *cursor* was stored; 0 when its file does not say."""
        start, parts = self._unread(state, cursor)
        offset = start.offset
        for part in parts:
            if part.size > offset:
                return jsonl_folder.first_at_ms(part, offset)
            offset = 0
        return 0

    def changed_at_ms(self, state: SessionState) -> int:
        """Return when the session's newest file was last written, by the clock of its disk."""
        parts = self._parts.get(state.session.session_id, [])
        return max((part.changed_ns for part in parts), default=0) // 1_000_000

    def is_over(self, state: SessionState) -> bool:
        """Tell whether a reset renamed the session's transcript, or its key went on in another session."""
        parts = self._parts.get(state.session.session_id, [])
        return bool(parts and parts[-1].rotated) or self._is_left(state.session)

    def has_ended(self, state: SessionState, cursor: str | None) -> bool:
        if not self.unread_bytes(state, cursor):
            return False
        start, parts = self._unread(state, cursor)
        if sum(part.size for part in parts) <= start.offset:  # the same bytes in another file
            return False
        return self._is_left(state.session) or files_mark_end(parts, start.offset)

    def goes_on(self, state: SessionState) -> bool:
        return files_go_on(self._parts.get(state.session.session_id, []))

    def _unread(self, state: SessionState, cursor: str | None) -> tuple[FileCursor, list[Part]]:
        parts = self._parts.get(state.session.session_id, [])
        return (locate(parts, cursor) if cursor is not None else None) or (FileCursor(), parts)

    def _is_left(self, session: Session) -> bool:
        # sessions.json names the one session that each key continues.
        return session.session_id not in self._named and session.session_key in self._named.values()

    def warnings(self) -> list[str]:
        return list(self._warnings)

    def deleted_sessions(self) -> frozenset[str]:
        """Return the sessions of which only deleted files are left."""
        return self._deleted

    def close(self) -> None:
        """Nothing is held between calls."""


def _read_part(
    file: BinaryIO, part: Part, session: Session, start: FileCursor, problem: str
) -> Iterator[tuple[Page, FileCursor]]:
    """Yield the pages of one file from *start* on, each with the cursor behind it."""
    plan = _plan(file, start, is_final=bool(part.rotated))
    if plan.is_reread:
        start = FileCursor(base=start.base, before=start.before)
    turn = turn_from_json(start.turn)
    builder = PageBuilder(session, turn, lambda position: f"{part.path.name}:{position - start.base}")
    if problem:
        builder.problem(part.path.name, problem)
    inode = os.fstat(file.fileno()).st_ino
    line, offset, last_id = start.line, start.offset, start.last_id
    if plan.end <= start.offset:
        # Nothing whole is there; that is known now, and the file need not be opened again until it changes.
        proof = fingerprint(file, start.offset)
        after = start._replace(inode=inode, fingerprint=proof)
        yield builder.page(cursor_to_json("jsonl", after), 0), after
        return
    for block, end, is_overlong in _blocks(file, start.offset, plan.end):
        if plan.ranges is None and not plan.has_gaps and not is_overlong:
            line += builder.add_lines(block, start.base + line + 1)
        else:
            line += _add_some(builder, block, line + 1, start.base, plan.ranges, is_overlong=is_overlong)
        last_id = _last_id(block) or last_id
        if end - offset >= PAGE_BYTES or end == plan.end:
            proof = fingerprint(file, end)
            after = FileCursor(inode, end, proof, line, start.base, start.before, last_id, turn_to_json(turn))
            yield builder.page(cursor_to_json("jsonl", after), end - offset), after
            offset = end


def _add_some(
    builder: PageBuilder, block: bytes, first: int, base: int, ranges: Ranges | None, *, is_overlong: bool
) -> int:
    """Add the lines of *block* that hold something, are on the current branch and not too long; count all."""
    lines, positions = [], []
    for line, raw in enumerate(block.split(b"\n"), first):
        if ranges is not None and not branch.is_current(ranges, line):
            builder.skip("abandoned-branch")
        elif is_overlong and line == first:
            builder.reject(base + line, f"is longer than {MAX_EVENT_BYTES >> 20} MiB; left out")
        elif raw and not raw.isspace():
            lines.append(raw)
            positions.append(base + line)
    builder.add(lines, positions)
    return line - first + 1


def _plan(file: BinaryIO, start: FileCursor, *, is_final: bool) -> ReadPlan:
    """Look at the links behind *start*; when they break, at those of the whole file."""
    size = os.fstat(file.fileno()).st_size
    end = _end_of_lines(file, start.offset, size) if not is_final else size
    gaps: list[int] = []
    breaks = branch.find_breaks(_suspects(file, start.offset, end, start.last_id, gaps))
    if not breaks:
        return ReadPlan(end, None, is_reread=False, has_gaps=bool(gaps))
    is_reread = start.offset > 0
    if is_reread:
        breaks = branch.find_breaks(_suspects(file, 0, end, "", gaps))
    if len(breaks) > branch.MAX_BREAKS:
        return ReadPlan(end, None, is_reread, has_gaps=True)
    last = sum(block.count(b"\n") + 1 for block, _, _ in _blocks(file, 0, end))
    ranges = branch.current_ranges(_links(file, 0, end), breaks, 1, last)
    ranges = branch.joined(ranges, branch.unanswered(_links(file, 0, end), ranges))
    return ReadPlan(end, ranges, is_reread, has_gaps=True)


def _end_of_lines(file: BinaryIO, start: int, size: int) -> int:
    """Return the offset behind the last whole line between *start* and *size*."""
    at = size
    while at > start:
        low = max(start, at - CHUNK_BYTES)
        file.seek(low)
        cut = file.read(at - low).rfind(b"\n")
        if cut >= 0:
            return low + cut + 1
        at = low
    return start


def _blocks(file: BinaryIO, start: int, end: int) -> Iterator[tuple[bytes, int, bool]]:
    """Yield blocks of whole lines: the lines, the offset behind them, and if the first is overlong.

    What stands between the last newline and *end* is a line, too. Of an overlong line only the end comes.
    """
    file.seek(start)
    at, begun, is_overlong = start, b"", False
    while at < end:
        chunk = file.read(min(CHUNK_BYTES, end - at))
        if not chunk:
            return  # truncated while being read; the next run finds the cursor void
        at += len(chunk)
        cut = chunk.rfind(b"\n") if at < end else len(chunk) - chunk.endswith(b"\n")
        if cut < 0:
            begun += chunk
            if len(begun) > MAX_EVENT_BYTES:
                begun, is_overlong = b"", True
            continue
        block = begun + chunk[:cut] if begun else chunk[:cut]
        if len(block) > MAX_EVENT_BYTES:
            is_overlong = is_overlong or block.find(b"\n", 0, MAX_EVENT_BYTES + 1) < 0
        begun = chunk[cut + 1 :]
        yield block, at - len(begun), is_overlong
        is_overlong = False


def _suspects(file: BinaryIO, start: int, end: int, before: str, gaps: list[int]) -> Iterator[Link]:
    """Yield the links that may break the chain, each after the one it should follow.

    Nearly every line names the line before as its parent, in the host's own order of fields: that is
    seen in the raw bytes, and the line is not decoded twice. Quotes inside of texts are escaped, so
    what is looked for stands nowhere else. The first empty line is added to *gaps*.
    """
    expected = _PARENT + before.encode() + b'"'
    line, head = 0, len(_MESSAGE)
    for block, _, _ in _blocks(file, start, end):
        at, size, find, starts = 0, len(block), block.find, block.startswith
        while at <= size:
            line += 1
            stop = find(b"\n", at)
            if stop < 0:
                stop = size
            # The ids of a file are of one length, so the parent stands at the same place in each message.
            id_at, cut = at + head, at + len(expected) + _ID_SHIFT
            if not starts(expected, cut):
                cut = block.rfind(_PARENT, at, stop)
                id_at = block.rfind(b'"', at, cut) + 1
            if cut > 0 and starts(expected, cut):
                expected = _PARENT + block[id_at : cut + 1]
                at = stop + 1
                continue
            raw = block[at:stop]
            at = stop + 1
            if not gaps and (not raw or raw.isspace()):
                gaps.append(line)
            link = _decoded_link(raw, line)
            if link is not None:
                previous = expected[len(_PARENT) : -1].decode("utf-8", "replace")
                if previous:
                    yield Link(line - 1, previous, "")
                yield link
                expected = _PARENT + link.id.encode() + b'"'


def _links(file: BinaryIO, start: int, end: int) -> Iterator[Link]:
    """Yield all links of the lines from *start* to *end*, numbered from 1."""
    line = 0
    for block, _, _ in _blocks(file, start, end):
        for raw in block.split(b"\n"):
            line += 1
            link = _decoded_link(raw, line)
            if link is not None:
                yield link


def _decoded_link(raw: bytes, line: int) -> Link | None:
    try:
        return branch.link_of(orjson.loads(raw), line)
    except ValueError:
        return None


def _last_id(block: bytes) -> str:
    end = len(block)
    while end > 0:
        begin = block.rfind(b"\n", 0, end)
        link = _decoded_link(block[begin + 1 : end], 0)
        if link is not None:
            return link.id
        end = begin
    return ""


# -- cursors -------------------------------------------------------------------------------------------------


def locate(parts: list[Part], cursor: str) -> tuple[FileCursor, list[Part]] | None:
    """Return where a stored cursor stands and *parts* from that file on; None when it no longer holds."""
    mark = _from_json(cursor)
    index = -1 if mark is None else _find(parts, mark)
    if mark is None or index < 0 or sum(part.size for part in parts[:index]) > mark.before:
        return None
    return mark, parts[index:]


def unread_size(parts: list[Part], cursor: str | None) -> int:
    """Return how many bytes of *parts* lie after a stored cursor, judged by inodes and sizes alone."""
    mark = _from_json(cursor) if cursor is not None else None
    here = next((index for index, part in enumerate(parts) if mark and part.inode == mark.inode), -1)
    if mark is None or here < 0 or parts[here].size < mark.offset:
        return sum(part.size for part in parts)
    return sum(part.size for part in parts[here:]) - mark.offset


def _find(parts: list[Part], mark: FileCursor) -> int:
    """Return which of *parts* the cursor stands in; -1 when it no longer holds for any."""
    for index in sorted(range(len(parts)), key=lambda index: parts[index].inode != mark.inode):
        if parts[index].size < mark.offset:
            continue
        try:
            with parts[index].path.open("rb") as file:
                if fingerprint(file, mark.offset) == mark.fingerprint:
                    return index
        except OSError:
            continue
    return -1


def fingerprint(file: BinaryIO, offset: int) -> str:
    """Return what the bytes before *offset* prove: a digest of the file's head and of what precedes it."""
    number = file.fileno()
    head = os.pread(number, min(HEAD_BYTES, offset), 0)
    tail = os.pread(number, min(TAIL_BYTES, offset), max(0, offset - TAIL_BYTES))
    return hashlib.blake2b(head + tail, digest_size=16).hexdigest()


def _from_json(text: str) -> FileCursor | None:
    match cursor_from_json("jsonl", text):
        case [int(), int(), str(), int(), int(), int(), str(), _] as stored:
            return FileCursor(*stored)
    return None
