"""A read position in a JSONL transcript, and what proves that it still holds.

A byte offset alone would lie after a truncation or a rename: the inode is a hint which file is meant,
the fingerprint of the file's head and of the bytes just before the offset is the proof.
"""

from __future__ import annotations

import hashlib
import os
from typing import BinaryIO, NamedTuple

from scrimshaw.sources.jsonl_folder import Part
from scrimshaw.sources.reading import cursor_from_json

HEAD_BYTES = 1024
TAIL_BYTES = 4096


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
