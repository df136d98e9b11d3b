"""The codec of frames: what goes in comes out, field for field, and nothing else is taken for a frame."""

from __future__ import annotations

import json
import zlib
from base64 import b64encode
from collections.abc import Mapping
from dataclasses import fields
from datetime import date
from hashlib import sha256
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.shell.made import observation

from scrimshaw.archive import frames
from scrimshaw.archive.frames import BadFrame, Frame, cut, pack, unpack
from scrimshaw.core.ledger import lifecycle
from scrimshaw.core.types import Author, Claim, DateRef, Event, EventType, Kind, Observation, Place, Role
from scrimshaw.store.records import StoredEvent

_DAY_MS = 86_400_000

_words = st.text(max_size=40)
_ids = st.text(alphabet="abcdef0123456789", min_size=6, max_size=24)
_days = st.dates(date(1990, 1, 1), date(2090, 1, 1))
_refers = st.builds(DateRef, _days, st.none() | _days, st.none() | st.just("09:30"), _words, st.booleans())
_observations = st.builds(
    Observation,
    id=_ids,
    text=_words,
    kind=st.sampled_from(Kind),
    priority=st.integers(1, 5),
    place=st.sampled_from(Place),
    done=st.booleans(),
    author=st.sampled_from(Author),
    session_id=_words,
    sources=st.lists(_words, max_size=5).map(tuple),
    speaker=st.sampled_from(Role),
    said_at_ms=st.integers(0, 2**41),
    local_date=_days.map(date.isoformat),
    local_time=st.sampled_from(["", "08:47"]),
    zone=st.sampled_from(["UTC", "Europe/Paris"]),
    refers_to=st.none() | _refers,
    claim=st.none() | st.builds(Claim, _words, _words, _words),
    confidence=st.floats(0, 1),
    salience=st.floats(0, 1),
    run_id=_words,
    tokens=st.integers(0, 10_000),
    level=st.sampled_from([0, 1]),
    supports=st.lists(_ids, max_size=4).map(tuple),
    pattern=_words,
)


def _stretch(
    count: int, *, step_ms: int = 1_000, first: int = 1
) -> tuple[list[StoredEvent], dict[str, Observation]]:
    born = [observation(n) for n in range(first, first + count)]
    events = [
        StoredEvent(n, Event(EventType.OBSERVED, one.id, n * step_ms, "r"))
        for n, one in enumerate(born, first)
    ]
    return events, {one.id: one for one in born}


def _one(count: int = 3) -> Frame:
    (frame,) = cut("main", *_stretch(count), "UTC")
    return frame


# -- a round trip -----------------------------------------------------------------------------------------


@given(st.lists(_observations, max_size=6, unique_by=lambda one: one.id), _words, st.integers(1, 10**9))
def test_what_is_packed_is_unpacked_field_for_field(born: list[Observation], reason: str, first: int) -> None:
    events = [
        StoredEvent(first + n, Event(EventType.OBSERVED, one.id, one.said_at_ms, "r", "", reason))
        for n, one in enumerate(born)
    ]
    events.append(StoredEvent(first + len(born), Event(EventType.DISABLED, "", 7, "person", "x", reason)))
    frame = Frame("main", first, events[-1].seq, tuple(events), tuple(born), "ledger-1")

    found = unpack(pack(frame).metadata)

    assert frame == found
    # Equality of values would not see an int in place of a float.
    for one, other in zip(frame.observations, found.observations, strict=True):
        assert [type(getattr(one, f.name)) for f in fields(one)] == [
            type(getattr(other, f.name)) for f in fields(other)
        ]


def test_every_type_of_event_survives() -> None:
    one = observation(1)
    events = [StoredEvent(1, Event(EventType.OBSERVED, one.id, 5, "r"))]
    events += [
        StoredEvent(n, Event(type_, one.id, n, "by", "other", "why"))
        for n, type_ in enumerate([t for t in EventType if t is not EventType.OBSERVED], 2)
    ]
    frame = Frame("main", 1, len(events), tuple(events), (one,))

    assert frame == unpack(pack(frame).metadata)


def test_a_frame_that_unfolds_to_more_than_is_left_is_refused() -> None:
    events, born = _stretch(4)
    metadata = pack(cut("main", events, born, "UTC")[0]).metadata
    size_bytes = unpack(metadata).record_bytes

    assert unpack(metadata, size_bytes) == unpack(metadata)
    with pytest.raises(BadFrame, match="unpacks to more"):
        unpack(metadata, size_bytes - 1)


def test_of_two_events_with_one_number_neither_is_lost() -> None:
    events, born = _stretch(2)
    ours = cut("main", events, born, "UTC")
    other = StoredEvent(2, Event(EventType.PINNED, "o1", 9_000, "person"))

    found, _ = frames.every([*ours, Frame("main", 2, 2, (other,), ()), *ours])

    assert found == [*events, other]


def test_standings_can_be_replayed_from_frames() -> None:
    events, born = _stretch(4)
    events += [
        StoredEvent(5, Event(EventType.SUPERSEDED, "o1", 9_000, "r", "o2")),
        StoredEvent(6, Event(EventType.PINNED, "o3", 9_001, "person")),
    ]
    kept = [unpack(pack(frame).metadata) for frame in cut("main", events, born, "UTC")]

    found_events, found = frames.every(kept)

    def standing(key: str, all_events: list[StoredEvent]) -> Any:
        mine = [stored.event for stored in all_events if stored.event.observation_id == key]
        return lifecycle.replay(born[key], mine)

    assert events == found_events
    assert born == found
    assert [standing(key, events) for key in born] == [standing(key, found_events) for key in born]


def test_the_same_stretch_gives_the_same_bytes() -> None:
    assert pack(_one()) == pack(_one())
    assert pack(_one()).uri == "mv2://scrimshaw/main/1-3"


def test_a_name_cannot_break_out_of_a_uri() -> None:
    assert frames.uri_of("a/../b c#d", 1, 2) == "mv2://scrimshaw/a%2F..%2Fb%20c%23d/1-2"


def test_the_text_is_readable_lines() -> None:
    assert pack(_one(2)).text.splitlines() == [
        "2026-11-16 08:47 fact: statement number 1",
        "2026-11-16 08:47 fact: statement number 2",
    ]


def test_a_stretch_without_a_birth_says_what_happened() -> None:
    frame = Frame("main", 4, 4, (StoredEvent(4, Event(EventType.TRIMMED, "o1", 1, "r")),), ())

    assert pack(frame).text == "Events 4 to 4: trimmed"


# -- where a stretch ends ---------------------------------------------------------------------------------


def test_every_event_is_in_exactly_one_frame_in_its_order() -> None:
    events, born = _stretch(1_700, step_ms=200_000)

    found = cut("main", events, born, "UTC")

    assert events == [stored for frame in found for stored in frame.events]
    assert list(born.values()) == [one for frame in found for one in frame.observations]
    assert max(len(frame.observations) for frame in found) <= frames.MOST_OBSERVATIONS


def test_a_full_day_is_a_frame_and_sparse_days_share_one() -> None:
    full, born_full = _stretch(120, step_ms=_DAY_MS // 60)
    sparse, born_sparse = _stretch(120, step_ms=_DAY_MS // 4)

    assert [len(frame.events) for frame in cut("main", full, born_full, "UTC")] == [59, 60, 1]
    assert all(len(f.events) >= 50 for f in cut("main", sparse, born_sparse, "UTC")[:-1])


def test_days_are_those_of_the_zone() -> None:
    events, born = _stretch(120, step_ms=_DAY_MS // 60)

    ends = {
        zone: cut("main", events, born, zone)[0].last_seq
        for zone in ("UTC", "Pacific/Auckland", "America/New_York")
    }

    assert len(set(ends.values())) == 3


# -- what is no frame -------------------------------------------------------------------------------------


def _forged(change: Any, **told: str) -> Mapping[str, str]:
    """Return metadata whose record was changed, with a digest that fits: what a liar would write."""
    packed = pack(_one())
    record = json.loads(zlib.decompress(__import__("base64").b64decode(packed.metadata["record"])))
    change(record)
    return _of(json.dumps(record).encode(), **told)


def _of(record: bytes, **told: str) -> Mapping[str, str]:
    return {
        **pack(_one()).metadata,
        "record": b64encode(zlib.compress(record)).decode(),
        "sha256": sha256(record).hexdigest(),
        **told,
    }


def test_what_a_forger_left_alone_is_read() -> None:
    # The control of all below: the way of forging itself does not spoil it.
    assert unpack(_forged(lambda record: None)) == _one()


@pytest.mark.parametrize(
    "change",
    [
        lambda r: r.pop("events"),
        lambda r: r["events"].reverse(),
        lambda r: r["events"].append(r["events"][0]),
        lambda r: r["events"][0].__setitem__(0, 99),
        lambda r: r["events"][0].__setitem__(0, -1),
        lambda r: r["events"][0].__setitem__(0, True),
        lambda r: r["events"][0].__setitem__(1, "exploded"),
        lambda r: r["events"][0].__setitem__(3, 10**30),
        lambda r: r["events"][0].__setitem__(4, None),
        lambda r: r["events"][0].append("more"),
        lambda r: r["observations"].pop(),
        lambda r: r["observations"][0].update(id="other"),
        lambda r: r["observations"][0].update(id=""),
        lambda r: r["observations"][0].update(text=7),
        lambda r: r["observations"][0].update(text=None),
        lambda r: r["observations"][0].update(priority=9),
        lambda r: r["observations"][0].update(kind="rumour"),
        lambda r: r["observations"][0].update(kind=["fact"]),
        lambda r: r["observations"][0].update(sources="e1"),
        lambda r: r["observations"][0].update(sources=[{}]),
        lambda r: r["observations"][0].update(local_date="2026-13-01"),
        lambda r: r["observations"][0].update(local_date="../../etc"),
        lambda r: r["observations"][0].update(confidence=float("nan")),
        lambda r: r["observations"][0].update(claim=["a", "b"]),
        lambda r: r["observations"][0].update(refers_to=["2026-01-01"]),
        lambda r: r["observations"][0].pop("zone"),
        lambda r: r.update(agent="other"),
        lambda r: r.update(agent="a\nb"),
        lambda r: r.update(first=0),
        lambda r: r.update(last="3"),
        lambda r: r.update(observations={}),
    ],
)
def test_a_record_with_one_thing_wrong_is_refused(change: Any) -> None:
    with pytest.raises(BadFrame):
        unpack(_forged(change))


@pytest.mark.parametrize(
    "metadata",
    [
        {},
        {**pack(_one()).metadata, "scrimshaw": "2"},
        {**pack(_one()).metadata, "sha256": "0" * 64},
        {**pack(_one()).metadata, "record": "not base64!"},
        {**pack(_one()).metadata, "record": b64encode(b"not zlib").decode()},
        {**pack(_one()).metadata, "record": pack(_one()).metadata["record"][:-8]},
        {**pack(_one()).metadata, "agent": "other"},
        {**pack(_one()).metadata, "events": "1-2"},
        {**pack(_one()).metadata, "observations": "4"},
        _of(b"\xff\xfe"),
        _of(b"[" * 100_000),
        _of(b'{"agent": 1e999}'),
        _of(b"[]"),
    ],
)
def test_metadata_that_pack_does_not_write_are_refused(metadata: Mapping[str, str]) -> None:
    with pytest.raises(BadFrame):
        unpack(metadata)


def test_a_bomb_is_refused_without_being_let_off() -> None:
    bomb = zlib.compressobj(1)
    zeros = b"\0" * (frames.MOST_RECORD_BYTES // 2)
    folded = b"".join(bomb.compress(zeros) for _ in range(3)) + bomb.flush()

    with pytest.raises(BadFrame, match="more than"):
        unpack({**pack(_one()).metadata, "record": b64encode(folded).decode()})


def test_what_is_wrong_is_said_without_the_text() -> None:
    with pytest.raises(BadFrame) as told:
        unpack(_forged(lambda r: r["observations"][0].update(text="my secret", kind="my secret")))

    assert "secret" not in str(told.value)
