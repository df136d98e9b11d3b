"""What a recorded reply is looked up by when its request is no longer the same to the letter.

A request holds, beside what the model is to read, numbered lines that were noted before. Some of them are the
rules' own, so each training of the rules changes them. Of an answered request two things are kept: the piece
of conversation to be read, and the lines that its numbers stood for. A reply is found by the piece (where a
request is about notes: by the nearest set of notes), and gets the numbers which the same lines have today.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from hashlib import sha256
from typing import NamedTuple

from scrimshaw.core.prompting.fence import Prompt

LEAST_SHARED = 0.5  # of the notes of both requests together, where a request is known by its notes

_PIECE = re.compile(r"^=== entries (\w+) ===\n(.*?)\n=== end of entries \1 ===$", re.MULTILINE | re.DOTALL)
_ABOUT_NOTES = re.compile(r"^(?:<notes>|=== notes (?:thrown away )?\w+ ===)$", re.MULTILINE)
# "o3 2023-07-03 open: …", "4. (of [2], [5]) …", "c1. (note 7 says …) …", "12. [2023-07-03 …; fact] …"
_NUMBERED = re.compile(r"^(?:(o\d+) |(c?\d+)\. (?:\([^)]*\) |\[[^\]]*\] )?)(.+)$", re.MULTILINE)
_AGAIN = re.compile(r"^You (?:were asked|have answered) this before", re.MULTILINE)
_LISTS, _SINGLE = ("replaces", "completes", "lines", "holds", "closes"), ("line", "by", "not", "stays")


class Request(NamedTuple):
    """What is kept of a request."""

    stage: str  # its instructions, and whether it is a second attempt
    piece: str  # the conversation to be read; empty where a request is about notes
    lines: Mapping[str, str]  # number → line, as the request shows them


class Found(NamedTuple):
    """A reply in today's numbers."""

    reply: str
    is_exact: bool  # its request is the same to the letter
    lost: int = 0  # references to lines that no longer stand, and notes that it does not judge


def request_of(prompt: Prompt) -> Request:
    """Return what is kept of *prompt*."""
    stage = _sha(prompt.system) + (" again" if _AGAIN.search(prompt.text) else "")
    piece = None if _ABOUT_NOTES.search(prompt.text) else _PIECE.search(prompt.text)
    lines = {one[1] or one[2]: one[3] for one in _NUMBERED.finditer(prompt.text)}
    return Request(stage, _sha(piece[2]) if piece else "", lines)


def find(key: str, now: Request, replies: Mapping[str, str], requests: Mapping[str, Request]) -> Found | None:
    """Return the reply to the request *now*, whose hash is *key*; None where none was recorded."""
    if key in replies:
        return Found(replies[key], True)
    shares = {
        other: 1.0 if now.piece else _shared(now.lines, kept.lines)
        for other, kept in requests.items()
        if other in replies and kept[:2] == now[:2]
    }
    nearest = max(shares, key=lambda other: shares[other], default=None)
    if nearest is None or shares[nearest] < LEAST_SHARED:
        return None
    return renumbered(replies[nearest], requests[nearest].lines, now.lines)


def renumbered(reply: str, kept: Mapping[str, str], now: Mapping[str, str]) -> Found:
    """Return *reply*, whose numbers stand for the lines in *kept*, with those of the same lines in *now*.

    A reference to a line that no longer stands is left out, and with it an act that has no target any more.
    """
    places = {text: number for number, text in now.items()}
    numbers = {number: places[text] for number, text in kept.items() if text in places}
    rows: list[str] = []
    lost = dropped = 0
    for row in reply.splitlines():
        try:
            item = json.loads(row)
        except ValueError:
            rows.append(row)
            continue
        gone = _renumber(item, numbers)
        lost += gone
        if gone and _is_without_target(item):
            dropped += 1
            continue
        if "holds" in item:  # it counts only if it judges each note
            lost += len(set(now) - set(numbers.values()))
        if "done" in item and "text" not in item:  # the last line counts those before it
            item["done"] = max(0, item["done"] - dropped)
        rows.append(json.dumps(item, ensure_ascii=False))
    return Found("\n".join(rows) + "\n", False, lost)


def _renumber(item: dict[str, object], numbers: Mapping[str, str]) -> int:
    """Give the references of *item* their new numbers; return how many lead nowhere."""
    gone = 0
    for key in _LISTS:
        if isinstance(named := item.get(key), list):
            left = [new for one in named if (new := _today(one, numbers)) is not None]
            gone += len(named) - len(left)
            item[key] = left
            if not left and key in ("replaces", "completes"):
                del item[key]
    for key in _SINGLE:
        if key in item:
            item[key] = _today(item[key], numbers)
            gone += item[key] is None
    return gone


def _today(number: object, numbers: Mapping[str, str]) -> int | str | None:
    found = numbers.get(str(number))
    return int(found) if found and isinstance(number, int) else found


def _is_without_target(item: Mapping[str, object]) -> bool:
    lines = item.get("lines")
    is_short = isinstance(lines, list) and len(lines) < (2 if item["act"] == "merge" else 1)
    return is_short or any(key in item and item[key] is None for key in _SINGLE)


def _shared(one: Mapping[str, str], other: Mapping[str, str]) -> float:
    a, b = set(one.values()), set(other.values())
    return len(a & b) / max(1, len(a | b))


def _sha(text: str) -> str:
    return sha256(text.encode()).hexdigest()[:16]
