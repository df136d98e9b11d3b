"""What one frame of a `.mv2` archive holds: a stretch of the ledger, exact, and readable lines beside it.

A frame is log shipping: the events of a stretch in their order, with each observation that was born in it,
every field. From the frames of all stretches the ledger can be replayed, standings included. The exact part
travels as the frame's metadata (JSON, compressed, with its sha256); the text is for people and for memvid's
own search. `cut` decides where a stretch ends; `pack` and `unpack` are each other's reverse, and the uri is
derived from the stretch, so that putting one twice can be seen. What `unpack` reads may come from anybody:
whatever is not exactly what `pack` writes is refused with `BadFrame`, and nothing is guessed.

Pure: no I/O, no clock. Knows nothing of memvid but that a frame has a uri, a title, a text and metadata.
"""

from __future__ import annotations

import binascii
import json
import re
import zlib
from base64 import b64decode, b64encode
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from datetime import UTC, date, datetime
from hashlib import sha256
from typing import NamedTuple, TypeVar
from urllib.parse import quote
from zoneinfo import ZoneInfo

import msgspec

from scrimshaw.core.types import DateRef, Event, EventType, Observation
from scrimshaw.store.records import StoredEvent

VERSION = 1
# A stretch ends with its day once it holds so much, and in any case when it holds the most.
LEAST_OBSERVATIONS = 50
MOST_OBSERVATIONS = 500
MOST_EVENTS = 2_000
# What one frame may unfold to: far above what the limits above allow, far below what hurts.
MOST_RECORD_BYTES = 32 * 1024 * 1024

_ID = re.compile(r"[^\x00-\x1f\x7f]{1,200}")
_DAY = re.compile(r"\d{4}-\d\d-\d\d")

_FIELDS = frozenset(one.name for one in fields(Observation)) - {"metadata"}

Number = TypeVar("Number", int, float)


class BadFrame(ValueError):  # noqa: N818  # of what somebody else wrote, not a fault of ours
    """This is not what `pack` writes; says what is wrong with it, without quoting its text."""


@dataclass(frozen=True, slots=True)
class Frame:
    """A stretch of one agent's ledger.

    *events* in the order of their numbers, which lie between *first_seq* and *last_seq*; *observations* are
    those with an OBSERVED event among them, in that order. A whole stretch has every event in between; an
    export of some days may leave others out.
    """

    agent_id: str
    first_seq: int
    last_seq: int
    events: tuple[StoredEvent, ...]
    observations: tuple[Observation, ...]
    ledger: str = ""  # which ledger the numbers are of: two machines count apart
    record_bytes: int = field(default=0, compare=False)  # of what it was unpacked from


class Packed(NamedTuple):
    """A frame as memvid takes it."""

    uri: str
    title: str
    text: str  # for people and memvid's search
    at_seconds: int  # when its first event happened, UTC
    metadata: Mapping[str, str]
    sha256: str  # of the exact part


def uri_of(agent_id: str, first_seq: int, last_seq: int) -> str:
    """Return where a stretch is found in an archive."""
    return f"mv2://scrimshaw/{quote(agent_id, safe='')}/{first_seq}-{last_seq}"


def cut(
    agent_id: str,
    events: Sequence[StoredEvent],
    observations: Mapping[str, Observation],
    zone: str,
    *,
    ledger: str = "",
) -> list[Frame]:
    """Return *events* (in order) as frames, with the *observations* that were born in them, by id.

    A frame ends with a local day of *zone* once it holds LEAST_OBSERVATIONS, and before it holds more
    than the most. Raises KeyError when a born observation is missing.
    """
    frames: list[Frame] = []
    part: list[StoredEvent] = []
    born: list[Observation] = []
    day = ""
    local = ZoneInfo(zone)
    for stored in events:
        today = datetime.fromtimestamp(stored.event.at_ms / 1000, local).date().isoformat()
        is_over = today != day and len(born) >= LEAST_OBSERVATIONS
        if part and (is_over or len(born) >= MOST_OBSERVATIONS or len(part) >= MOST_EVENTS):
            frames.append(_frame(agent_id, part, born, ledger))
            part, born = [], []
        day = today
        part.append(stored)
        if stored.event.type is EventType.OBSERVED:
            born.append(observations[stored.event.observation_id])
    return [*frames, _frame(agent_id, part, born, ledger)] if part else frames


def _frame(agent_id: str, events: Sequence[StoredEvent], born: Sequence[Observation], ledger: str) -> Frame:
    return Frame(agent_id, events[0].seq, events[-1].seq, tuple(events), tuple(born), ledger)


# -- into a frame -----------------------------------------------------------------------------------------


def pack(frame: Frame) -> Packed:
    """Return *frame* as memvid takes it; the same frame always gives the same bytes."""
    record = json.dumps(
        {
            "version": VERSION,
            "agent": frame.agent_id,
            "ledger": frame.ledger,
            "first": frame.first_seq,
            "last": frame.last_seq,
            "events": [_event_row(stored) for stored in frame.events],
            "observations": [_observation_row(one) for one in frame.observations],
        },
        ensure_ascii=False,
        separators=(",", ":"),
        sort_keys=True,
    ).encode("utf-8", "surrogatepass")
    digest = sha256(record).hexdigest()
    days = _days(frame)
    metadata = {
        "scrimshaw": str(VERSION),
        "agent": frame.agent_id,
        "events": f"{frame.first_seq}-{frame.last_seq}",
        "observations": str(len(frame.observations)),
        "sha256": digest,
        "record": b64encode(zlib.compress(record, 9)).decode("ascii"),
    }
    title = f"{frame.agent_id}: {days}, {len(frame.observations)} observations"
    at_seconds = frame.events[0].event.at_ms // 1000 if frame.events else 0
    uri = uri_of(frame.agent_id, frame.first_seq, frame.last_seq)
    return Packed(uri, title, _readable(frame), at_seconds, metadata, digest)


def _days(frame: Frame) -> str:
    days = sorted({one.local_date for one in frame.observations})
    if not days:
        return f"events {frame.first_seq} to {frame.last_seq}"
    return days[0] if len(days) == 1 else f"{days[0]} to {days[-1]}"


def _readable(frame: Frame) -> str:
    lines = [
        " ".join(filter(None, [one.local_date, one.local_time, f"{one.kind}:", one.text]))
        for one in frame.observations
    ]
    # memvid wants some text: a stretch in which nothing was said says what happened.
    what = sorted({stored.event.type.value for stored in frame.events})
    return "\n".join(lines) or f"Events {frame.first_seq} to {frame.last_seq}: {', '.join(what)}"


def record_of(observation: Observation) -> str:
    """Return one observation as a frame holds it, exact to the last field: JSON, ASCII alone."""
    return json.dumps(_observation_row(observation), separators=(",", ":"), sort_keys=True)


def read_record(record: str) -> Observation:
    """Return what `record_of` wrote; raises BadFrame for anything else."""
    try:
        return _observation(msgspec.convert(json.loads(record), dict[str, object]))
    except (KeyError, TypeError, ValueError, OverflowError, RecursionError) as error:
        raise BadFrame("a line of it is none") from error


def _event_row(stored: StoredEvent) -> list[object]:
    e = stored.event
    return [stored.seq, e.type.value, e.observation_id, e.at_ms, e.by, e.other_id, e.reason]


def _observation_row(o: Observation) -> dict[str, object]:
    row: dict[str, object] = msgspec.to_builtins(o)
    row["task_state"] = row.pop("metadata")  # the first form's name for it
    return row


# -- out of a frame ---------------------------------------------------------------------------------------


def is_ours(metadata: Mapping[str, str]) -> bool:
    """Whether a frame with this *metadata* says that Scrimshaw wrote it; it may still be lying."""
    return "scrimshaw" in metadata


def unpack(metadata: Mapping[str, str], most_bytes: int = MOST_RECORD_BYTES) -> Frame:
    """Return the frame that *metadata* holds; raises BadFrame when it is anything but what `pack` writes.

    Nothing is unfolded beyond *most_bytes*.
    """
    if (version := metadata.get("scrimshaw")) != str(VERSION):
        raise BadFrame(f"it has the form {str(version)[:20]!r}, and this program knows {VERSION}")
    record = _unfolded(metadata.get("record", ""), most_bytes)
    if sha256(record).hexdigest() != metadata.get("sha256"):
        raise BadFrame("its sha256 is not that of what it holds")
    try:
        raw = json.loads(record.decode("utf-8", "surrogatepass"))
    except (ValueError, RecursionError) as error:
        raise BadFrame("what it holds is not JSON") from error
    try:
        frame = _read(raw)
    except (KeyError, TypeError, ValueError, OverflowError, IndexError) as error:
        raise BadFrame(f"what it holds is not a stretch of a ledger ({type(error).__name__})") from error
    told = metadata.get("agent"), metadata.get("events"), metadata.get("observations")
    is_true = (frame.agent_id, f"{frame.first_seq}-{frame.last_seq}", str(len(frame.observations)))
    if told != is_true:
        raise BadFrame("its metadata say something else than what it holds")
    return replace(frame, record_bytes=len(record))


def _unfolded(record: str, most_bytes: int) -> bytes:
    try:
        folded = b64decode(record, validate=True)
        unfolder = zlib.decompressobj()
        # Inflate at most one byte beyond the limit: enough to refuse a decompression bomb.
        unfolded = unfolder.decompress(folded, most_bytes + 1)
    except (binascii.Error, ValueError, zlib.error) as error:
        raise BadFrame("what it holds cannot be unpacked") from error
    if len(unfolded) > most_bytes:
        raise BadFrame(f"what it holds unpacks to more than {most_bytes:,} bytes")
    if not unfolder.eof or unfolder.unused_data:
        raise BadFrame("what it holds is cut off, or something follows it")
    return unfolded


class _Record(msgspec.Struct):
    agent: str
    ledger: str
    first: int
    last: int
    events: list[tuple[int, EventType, str, int, str, str, str]]  # as `_event_row` makes them
    observations: list[dict[str, object]]


def _read(raw: object) -> Frame:
    whole = msgspec.convert(raw, _Record)
    events = tuple(
        StoredEvent(_count(seq), Event(type_, observation_id, _moment(at_ms), by, other_id, reason))
        for seq, type_, observation_id, at_ms, by, other_id, reason in whole.events
    )
    observations = tuple(map(_observation, whole.observations))
    first, last = _count(whole.first), _count(whole.last)
    frame = Frame(_name(whole.agent), first, last, events, observations, whole.ledger)
    seqs = [stored.seq for stored in events]
    if sorted(set(seqs)) != seqs or not seqs or not frame.first_seq <= seqs[0] <= seqs[-1] <= frame.last_seq:
        raise ValueError("numbers")
    born = [stored.event.observation_id for stored in events if stored.event.type is EventType.OBSERVED]
    if born != [one.id for one in observations] or len(set(born)) != len(born):
        raise ValueError("births")
    return frame


def _observation(row: Mapping[str, object]) -> Observation:
    if missing := _FIELDS - row.keys():
        raise KeyError(*missing)
    found = msgspec.convert({**row, "metadata": row.get("task_state", "")}, Observation)
    _name(found.id)
    _within(1, 5, found.priority)
    _moment(found.said_at_ms)
    _count(found.tokens)
    _within(0, 1, found.confidence)
    _within(0, 1, found.salience)
    if not _DAY.fullmatch(found.local_date):
        raise ValueError("day")
    date.fromisoformat(found.local_date)
    if found.refers_to and len(msgspec.convert(row["refers_to"], list[object])) != len(DateRef._fields):
        raise ValueError("refers_to")
    return found


def _name(value: str) -> str:
    if not _ID.fullmatch(value):
        raise ValueError("name")
    return value


def _within(least: int, most: int, value: Number) -> Number:
    if not least <= value <= most:
        raise ValueError("range")
    return value


def _count(value: int) -> int:
    return _within(0, 2**53, value)


def _moment(value: int) -> int:
    datetime.fromtimestamp(_within(-(2**47), 2**47, value) / 1000, UTC)  # or no calendar has it
    return value


def every(frames: Iterable[Frame]) -> tuple[list[StoredEvent], dict[str, Observation]]:
    """Return all events of *frames* by number, each once, and all observations by id: what to replay.

    Of a ledger that was copied and went on in two places two events may have one number: both are told.
    """
    events: dict[StoredEvent, None] = {}
    observations: dict[str, Observation] = {}
    for frame in frames:
        events.update(dict.fromkeys(frame.events))
        observations.update((one.id, one) for one in frame.observations)
    return sorted(events, key=lambda stored: stored.seq), observations
